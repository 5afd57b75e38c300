#!/bin/sh
# The examples of the five chapters that the coprocessor began with, and the names in llk.h, in programs that check what
# they did: each folder of chapters/ is built by bhemu-cc and run with both timings.
#   chapters.sh BHEMU_CC COMPILER BHEMU SOURCE_ROOT
set -u
cc=$1 RISCV_CC=$2 bhemu=$3 root=$4
export RISCV_CC
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
failed=0

for folder in "$root"/tests/guest/chapters/*/; do
    name=$(basename "$folder")
    "$cc" "$folder" -Werror "-I$root/tests/guest/chapters" -o "$dir" >"$dir/line" || { failed=1; continue; }
    # The programs that start together; registers/ has BRISC start the other one.
    arguments=$(sed 's/^bhemu run //' "$dir/line")
    for timing in cycles loose; do
        # shellcheck disable=SC2086 # arguments are words
        ${MESON_EXE_WRAPPER-} "$bhemu" run --timing $timing --max-cycles 1000000 $arguments >"$dir/out" 2>&1
        status=$?
        # Every core has paused at the end, and returned 0.
        wrong=$(awk '$3 == "paused" && $6 == "0x00000000" { right++ } $1 ~ /^[0-9]+,[0-9]+$/ { cores++ }
            END { print cores == 0 || right != cores }' "$dir/out")
        if [ $status -eq 0 ] && [ "$wrong" = 0 ]; then
            echo "ok   $name, $timing"
        else
            echo "FAIL $name, $timing: status $status; a0 is the line of the check that failed"
            cat "$dir/out"
            failed=1
        fi
    done
done

# Every instruction without operands goes without parentheses, as a word and in the stream.
awk '/^TENSIX_OP/ { name = $2; sub(",", "", name) } /^ *0\)$/ { print name }' "$root/src/isa/tensix.def" >"$dir/plain"
[ "$(wc -l <"$dir/plain")" -gt 5 ] || { echo "FAIL no instructions without operands"; failed=1; }
for language in c cpp; do
    {
        echo '#include "llk.h"'
        echo 'extern const unsigned words[]; const unsigned words[] = {'
        sed 's/.*/TT_OP_&, TT_OP(&),/' "$dir/plain"
        echo '}; int main(void) {'
        sed 's/.*/TTI_&; TTI_&();/' "$dir/plain"
        echo 'return 0; }'
    } >"$dir/plain.$language"
    "$cc" trisc0 "$dir/plain.$language" -Werror -o "$dir/plain.elf" || { echo "FAIL plain.$language"; failed=1; continue; }
    "$("$RISCV_CC" -print-prog-name=objdump)" -d --disassemble=main "$dir/plain.elf" | grep -c '\.word' >"$dir/count"
    [ "$(cat "$dir/count")" -eq $((2 * $(wc -l <"$dir/plain"))) ] || { echo "FAIL plain.$language: $(cat "$dir/count") words"; failed=1; }
done

# Semaphores have the names by which the emulator reports them.
sed -n 's/^ *N(\([0-9]\), "\([A-Z_]*\)").*/_Static_assert(semaphore_\2 == \1, "\2");/p' "$root/src/tensix/sync/sync.h" >"$dir/asserts"
[ "$(wc -l <"$dir/asserts")" -eq 8 ] || { echo "FAIL names of semaphores are not where they were"; failed=1; }
{
    echo '#include "llk.h"'
    cat "$dir/asserts"
    echo 'int main(void) { return 0; }'
} >"$dir/semaphores.c"
"$cc" trisc0 "$dir/semaphores.c" -Werror -o "$dir/semaphores.elf" || { echo "FAIL names of semaphores"; failed=1; }
exit $failed
