#!/bin/sh
# Tables that must not compile, each with what the compiler has to say; and good ones, which must.
# usage: bad_tables.sh SOURCE_ROOT COMPILER...
root=$1
shift
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/isa"
failures=0

# compile TABLE ROWS: a table of the given rows in place of the real one, which it finds first.
compile() {
    table=$1
    {
        sed '/^TENSIX_OP(/,$d; /^CONFIG_FIELD(/,$d' "$root/src/isa/$table.def"
        printf '%s\n' "$2"
        grep '^#undef' "$root/src/isa/$table.def"
    } >"$work/isa/$table.def"
    shift 2
    "$@" -std=gnu17 -fsyntax-only -w -I"$work" -I"$root/src" -I"$root/include" "$root/src/isa/$table.c" \
        >"$work/log" 2>&1
}

good() {
    table=$1 name=$2 rows=$3
    shift 3
    if compile "$table" "$rows" "$@"; then
        echo "ok   $name compiles"
    else
        echo "FAIL $name does not compile:"
        cat "$work/log"
        failures=$((failures + 1))
    fi
}

bad() {
    table=$1 name=$2 expected=$3 rows=$4
    shift 4
    if compile "$table" "$rows" "$@"; then
        echo "FAIL $name compiles"
        failures=$((failures + 1))
    elif grep -Eq "$expected" "$work/log"; then
        echo "ok   $name is refused"
    else
        echo "FAIL $name is refused, but not for '$expected':"
        cat "$work/log"
        failures=$((failures + 1))
    fi
}

row='todo, MATRIX, B6, 1, 1, "", "text"'
first="TENSIX_OP(0x10, FIRST, $row, 2, (a, 0, 4, 4), (b, 4, 20, 2))"

good tensix 'a small instruction table' "$first
TENSIX_OP(0x11, SECOND, $row, 0)" "$@"
bad tensix 'an overlap of fields' 'FIRST: fields do not overlap' \
    "TENSIX_OP(0x10, FIRST, $row, 2, (a, 0, 5, 4), (b, 4, 20, 2))" "$@"
bad tensix 'a field in another' 'FIRST: fields do not overlap' \
    "TENSIX_OP(0x10, FIRST, $row, 3, (a, 0, 24, 4), (b, 23, 1, 1), (c, 0, 1, 1))" "$@"
bad tensix 'a field in the opcode' 'FIRST b: a field lies in bits 23:0' \
    "TENSIX_OP(0x10, FIRST, $row, 2, (a, 0, 4, 4), (b, 4, 21, 2))" "$@"
bad tensix 'a field without bits' 'FIRST a: a field lies in bits 23:0' \
    "TENSIX_OP(0x10, FIRST, $row, 1, (a, 0, 0, 0))" "$@"
bad tensix 'a field used beyond its width' 'FIRST a: the hardware uses no more' \
    "TENSIX_OP(0x10, FIRST, $row, 1, (a, 0, 4, 5))" "$@"
bad tensix 'a double opcode' 'duplicate case value' "$first
TENSIX_OP(0x10, SECOND, $row, 0)" "$@"
bad tensix 'a double name' '[Rr]edefinition|redeclaration' "$first
TENSIX_OP(0x11, FIRST, $row, 0)" "$@"
bad tensix 'an opcode that rotates to RISC-V' 'FIRST: an opcode fits a byte' "TENSIX_OP(0xC0, FIRST, $row, 0)" "$@"
bad tensix 'a double field name' 'duplicate member' "TENSIX_OP(0x10, FIRST, $row, 2, (a, 0, 4, 4), (a, 4, 4, 4))" "$@"
bad tensix 'too many fields for the count' 'TENSIX_EACH_1|passed 5 arguments|too many arguments' \
    "TENSIX_OP(0x10, FIRST, $row, 1, (a, 0, 4, 4), (b, 4, 4, 4))" "$@"
bad tensix 'an unknown unit' 'TENSIX_UNIT_WRONG' \
    'TENSIX_OP(0x10, FIRST, todo, WRONG, B6, 1, 1, "", "text", 0)' "$@"

good config 'a small configuration table' 'CONFIG_FIELD(ALU, A, 1, 0, 31)
CONFIG_FIELD(ALU, B, 1, 31, 1)
CONFIG_FIELD(THREAD, C, 1, 0, 16)' "$@"
bad config 'an overlap in a word' 'duplicate( \(or overlapping\))? case value' 'CONFIG_FIELD(ALU, A, 1, 0, 5)
CONFIG_FIELD(ALU, B, 1, 4, 1)' "$@"
bad config 'an overlap with a field of four words' 'duplicate( \(or overlapping\))? case value' \
    'CONFIG_FIELD(THCON, A, 64, 0, 128)
CONFIG_FIELD(THCON, B, 67, 31, 1)' "$@"
bad config 'a field over the end of its word' 'A: a field lies in its word' 'CONFIG_FIELD(ALU, A, 1, 31, 2)' "$@"
bad config 'a wide field of a thread' 'A: a field lies in its word' 'CONFIG_FIELD(THREAD, A, 1, 0, 17)' "$@"
bad config 'a field before its section' 'A: a field lies in its section' 'CONFIG_FIELD(GLOBAL, A, 179, 0, 1)' "$@"
bad config 'a field past the last word' 'A: a field lies in its section' 'CONFIG_FIELD(THREAD, A, 68, 0, 1)' "$@"
good config 'a word with parts' 'CONFIG_FIELD(THREAD, A, 1, 0, 4)
CONFIG_FIELD(THREAD, B, 1, 4, 1)
CONFIG_FIELD(THREAD, C, 1, 8, 4)
CONFIG_PART(A, B)
CONFIG_PART(C, C)' "$@"
bad config 'a part of two words' 'A: a part lies in one word' 'CONFIG_FIELD(THREAD, A, 1, 0, 4)
CONFIG_FIELD(THREAD, B, 2, 4, 1)
CONFIG_PART(A, B)' "$@"
bad config 'a part that ends before it begins' 'B: a part lies in one word' 'CONFIG_FIELD(THREAD, A, 1, 0, 4)
CONFIG_FIELD(THREAD, B, 1, 4, 1)
CONFIG_PART(B, A)' "$@"
bad config 'a part outside of ThreadConfig' 'A: a part lies in ThreadConfig' 'CONFIG_FIELD(ALU, A, 1, 0, 4)
CONFIG_PART(A, A)' "$@"

[ "$failures" -eq 0 ]
