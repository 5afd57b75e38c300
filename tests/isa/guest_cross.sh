#!/bin/sh
# The guest headers with the compiler of the cores: the words that land in .text, and what must not compile.
# usage: guest_cross.sh SOURCE_ROOT COMPILER OBJCOPY
root=$1 cc=$2 objcopy=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

compile() {
    "$cc" -march=rv32im -mabi=ilp32 -Wall -Wextra -Wpedantic -Werror -I"$root/guest/include" -I"$root/src" \
        -c "$root/tests/isa/guest_cross.c" -o "$work/program.o" "$@" 2>"$work/log"
}

for level in -O1 -O2 -O3 -Os; do
    compile "$level" || { echo "FAIL does not compile with $level"; cat "$work/log"; exit 1; }
    "$objcopy" -O binary -j .text "$work/program.o" "$work/text"
    words=$(od -An -v -tx4 -w4 "$work/text" | tr -d ' \n')
    case $words in
    c8000006080000000a00030589002042*) echo "ok   $level" ;;
    *) echo "FAIL $level: $words"; exit 1 ;;
    esac
done

if compile -O2 -DBAD_VALUE; then
    echo "FAIL a value that reaches into the opcode compiles"
    exit 1
elif ! grep -q 'reaches into the opcode' "$work/log"; then
    echo "FAIL refused for another reason"; cat "$work/log"; exit 1
fi
echo "ok   a value that reaches into the opcode is refused"

if compile -O2 -DNOT_CONSTANT; then
    echo "FAIL TTI_ with a variable compiles"
    exit 1
fi
echo "ok   TTI_ with a variable is refused"
