#!/bin/sh
# The directive .ttinsn of bhemu-cc: the same words as the encoders' in every form, and errors with the line they are in.
#   ttinsn.sh BHEMU_CC COMPILER SOURCE_ROOT
set -u
cc=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
RISCV_CC=$2
root=$(cd "$3" && pwd)
export RISCV_CC
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 99
failed=0
objcopy=$("$RISCV_CC" -print-prog-name=objcopy)

bad() {
    echo "FAIL $*"
    failed=1
}

# words FILE NAME: what is in section .words.NAME of a program whose main is in FILE.
words() {
    "$cc" trisc0 "$1" -Werror -I"$dir" "-Wl,-T,$dir/words.ld" -o program.elf >log 2>&1 || { echo "$1 does not build"; cat log; return; }
    "$objcopy" -O binary -j ".words" program.elf words.bin
    od -An -v -tx4 -w4 words.bin | tr -d ' '
}

# A section that nobody refers to, and that is not the code: no start-up, no alignment.
cat >words.ld <<'END'
SECTIONS { .words 0x20000 : { KEEP(*(.words)) } }
INSERT AFTER .rodata;
END

# rotate: words as they stand in the stream of instructions.
rotate() {
    while read -r word; do
        printf '%08x\n' $(((word << 2 | word >> 30) & 0xFFFFFFFF))
    done
}

# same WHAT: two lists are the same, and not empty.
same() {
    if [ -s wanted ] && cmp -s wanted got; then
        echo "ok   $1: $(wc -l <wanted) words"
    else
        bad "$1"
        diff wanted got | head -60
    fi
}

# ---- Every opcode, with the words that tt-llk's encoders gave ----------------------------------------------------
grep -o '^LLK_WORD0\?(.*)' "$root/tests/isa/llk_words.def" | sed 's/^LLK_WORD0\?(//; s/)$//' >table
cut -d, -f1 table | rotate >wanted
{
    echo '.section .words, "ax"'
    sed 's/,.*//; s/^/.ttinsn /' table
    echo '.text; .globl main; main: ret'
} >directive.s
words directive.s >got
same '.ttinsn WORD in assembler'

{
    printf '#include "tensix_asm.h"\n.section .words, "ax"\n'
    # WORD, NAME, OPERAND, ... to ttname OPERAND, ...
    awk -F', *' '{ line = "tt" tolower($2); for (i = 3; i <= NF; i++) line = line (i > 3 ? ", " : " ") $i; print line }' table
    echo '.text; .globl main; main: ret'
} >mnemonics.S
words mnemonics.S >got
same 'mnemonics with operands'

{
    printf '#include "tensix_asm.h"\n.section .words, "ax"\n'
    awk -F', *' '{ print "TT_" $2 " 0x" substr($1, 5) }' table
    echo '.text; .globl main; main: ret'
} >numbers.S
words numbers.S >got
same 'mnemonics with a number'

# In inline assembler, by the constant expressions of the encoders; numbers print as the compiler likes.
c_program() {
    printf '#include "tensix.h"\n'
    echo '__attribute__((section(".words"), naked, used)) void all(void) {'
    awk -F', *' '{
        args = $2; for (i = 3; i <= NF; i++) args = args ", " $i
        print "    __asm__ volatile(\".ttinsn %0\" : : \"i\"(TT_OP(" args ")));"
    }' table
    printf '}\nint main(void) { return 0; }\n'
}
c_program >inline.c
words inline.c >got
same '.ttinsn in C'
c_program | sed 's/"i"(TT_OP(\([A-Z0-9_]*\), /"i"(TT_OP_\1(/; s/"i"(TT_OP(\([A-Z0-9_]*\))/"i"(TT_OP_\1()/' >inline.cpp
words inline.cpp >got
same '.ttinsn in C++'

# TT_OP of a number, in upper and lower case.
{
    printf '#include "tensix.h"\n'
    echo 'extern const unsigned list[]; __attribute__((section(".words"), used)) const unsigned list[] = {'
    awk -F, '{ op = substr($1, 3, 2); print "    TT_ROTATE(TT_OP(0x" (NR % 2 ? tolower(op) : op) ", 0x" substr($1, 5) ")),"  }' table
    printf '};\nint main(void) { return 0; }\n'
} >numeric.c
words numeric.c >got
same 'TT_OP of a number'

# ---- Forms of a line ---------------------------------------------------------------------------------------------
cat >forms.S <<'END'
#define OPCODE 0xB2
    .section .words, "ax"
    .set REG, 5
    .equ VALUE, 0x1234
label: .ttinsn (OPCODE << 24) | (REG << 16) | VALUE     # a label, a symbol, a comment
1:  2: .ttinsn 0x02000000 ; .ttinsn 0x60000000; .ttinsn  0x44000000 /* three on a line */
    .ttinsn OPCODE << 24 + REG << 16                    # a shift binds tighter than a sum here
    .ttinsn -0x4DFFFFFF                                 # as a compiler prints 0xB2000001
    .ttinsn 0xBFFFFFFF
	.ttinsn	~0x4DFEFFFF & 0xFFFFFFFF
    .macro pair first, second
    .ttinsn \first
    .ttinsn (\second) + 1
    .endm
    pair 0x02000000, 0x45000000
    pair REG << 16, VALUE
    .rept 2
    .ttinsn 2
    .endr
    .irp n, 1, 2
    .ttinsn 0x45000000 + \n
    .endr
    .if REG == 5
    .ttinsn REG - 1
    .endif
    .ascii ".ttinsn 5; #"
    .text
    .globl main
main: ret
END
words forms.S | head -18 >got
rotate >wanted <<'END'
0xB2051234
0x02000000
0x60000000
0x44000000
0xB2050000
0xB2000001
0xBFFFFFFF
0xB2010000
0x02000000
0x45000001
0x00050000
0x00001235
0x00000002
0x00000002
0x45000001
0x45000002
0x00000004
END
# The string is not touched.
printf '%08x\n' 0x6974742e >>wanted
same 'forms of a line'

cat >lines.c <<'END'
int main(void) {
    __asm__ volatile("nop; .ttinsn %0 ; nop # comment\n"
                     "1: .ttinsn %1\n\t.ttinsn 0x02000000" : : "i"(0xB2020001u), "i"(0x45020001));
    return 0;
}
END
"$cc" trisc0 lines.c -Werror -o program.elf || bad "lines.c does not build"
"$objcopy" -O binary -j .text program.elf words.bin
od -An -v -tx4 -w4 words.bin | tr -d ' ' | grep -A4 -x 00000013 | head -5 >got
printf '00000013\nc8080006\n00000013\n14080005\n08000000\n' >wanted
same 'several statements in C'

# ---- Errors ------------------------------------------------------------------------------------------------------
# refused FILE LINE TEXT: building fails, with the text and with the line of the file.
refused() {
    if "$cc" trisc0 "$1" -o program.elf >log 2>&1; then
        bad "$1 builds"
    elif ! grep -q -F -e "$3" log || ! grep -q "$1:$2:.* macro invoked from here" log; then
        bad "$1: does not say line $2 and: $3"
        cat log
    else
        echo "ok   $1: $3"
    fi
}
# program FILE STATEMENT...: an assembler file whose fourth line is the first statement.
program() {
    file=$1
    shift
    printf '    %s\n' .text '.globl main' 'main:' "$@" >"$file"
}
program incomplete.S 'nop' '.ttinsn 0x02000000 +' 'ret'
refused incomplete.S 5 '<.ttinsn>:4: Error: bad expression'
program nothing.S '.ttinsn' 'ret'
refused nothing.S 4 'Error: .ttinsn wants an instruction word'
program symbol.S '.ttinsn elsewhere' 'ret'
refused symbol.S 4 'Error: .ttinsn wants a constant below 0xC0000000, not elsewhere'
program large.S 'ret' '.ttinsn 0xC0000000'
refused large.S 5 'Error: .ttinsn wants a constant below 0xC0000000, not 0xC0000000'
program larger.S '.ttinsn 0x1B2000000'
refused larger.S 4 'Error: .ttinsn wants a constant below 0xC0000000, not 0x1B2000000'
program minus.S '.ttinsn -1'
refused minus.S 4 'Error: .ttinsn wants a constant below 0xC0000000, not -1'
program two.S '.ttinsn 1, 2'
refused two.S 4 "first unrecognized character is \`,'"
printf 'int main(void) {\n    __asm__ volatile("nop");\n    __asm__ volatile(".ttinsn 5 5");\n    return 0;\n}\n' >inside.c
refused inside.c 3 "first unrecognized character is \`5'"
# Other errors stay where they are.
program other.S '.ttinsn 2' 'frob a0'
"$cc" trisc0 other.S -o program.elf >log 2>&1 && bad "other.S builds"
grep -q 'other.S:5: Error: unrecognized opcode' log || { bad "other.S: line of another error"; cat log; }
exit $failed
