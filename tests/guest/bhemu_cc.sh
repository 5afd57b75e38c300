#!/bin/sh
# What bhemu-cc builds from folders, and what it says when something is wrong: bhemu_cc.sh BHEMU_CC COMPILER
set -u
cc=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
RISCV_CC=$2
export RISCV_CC
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 99
failed=0

bad() {
    echo "FAIL $1"
    failed=1
}

# says STATUS TEXT COMMAND...: the command ends so, and prints the text.
says() {
    status=$1 text=$2
    shift 2
    "$@" >out 2>&1
    got=$?
    [ $got -eq "$status" ] || bad "$*: status $got, not $status"
    [ -z "$text" ] || grep -q -F -e "$text" out || { bad "$*: does not say: $text"; cat out; }
}

# One program for every core that has a file, with what is shared; host.c is not theirs.
mkdir files
echo '#include "bhemu_guest.h"
int shared(void);
int main(void) { return shared() + GUEST_CORE; }' | tee files/brisc.c >files/trisc1.c
echo 'int shared(void); int shared(void) { return 40; }' >files/other.c
echo 'int main(void) { return *(int *)0; } syntax error' >files/host.c
says 0 'bhemu run --brisc here/files_brisc.elf --trisc1 here/files_trisc1.elf' "$cc" files -o here
[ -e here/files_brisc.elf ] && [ -e here/files_trisc1.elf ] || bad "programs are missing"
[ ! -e here/files_trisc0.elf ] || bad "a program without a source"

# Two files for one core.
cp -r files two
echo '    .globl main' >two/brisc.S
says 2 'there is another source file for brisc' "$cc" two

# Names with blanks.
mkdir 'the files'
cp files/*.c 'the files'
says 0 "bhemu run --brisc 'over there/the files_brisc.elf' --trisc1 'over there/the files_trisc1.elf'" "$cc" 'the files' -o 'over there'
says 2 '-o: which directory?' "$cc" files -o

# One file with a function for each core; options reach the compiler.
mkdir one
echo '#include "bhemu_guest.h"
GUEST_L1 volatile unsigned of_brisc;
GUEST_L1 volatile unsigned of_ncrisc = NUMBER;
int brisc(void) { return (int)of_brisc; }
int ncrisc(void) { return (int)of_ncrisc; }
static int trisc0(void) { return 1; }
int helper(void); int helper(void) { return trisc0(); }' >one/kernel.c
says 0 'bhemu run --brisc ./one_brisc.elf --ncrisc ./one_ncrisc.elf' "$cc" one -DNUMBER=7
[ ! -e one_trisc0.elf ] || bad "a static function became a program"
"$("$RISCV_CC" -print-prog-name=nm)" one_brisc.elf | grep -q of_ncrisc && bad "brisc has a variable that only ncrisc mentions"
says 1 "NUMBER" "$cc" one

# Lines of a program belong to files that are there when the program runs.
mkdir temporary
TMPDIR=$dir/temporary says 0 '' "$cc" one -DNUMBER=7
grep -a -q -e temporary one_brisc.elf && bad "a program names a temporary file"

# C++ and assembler, in both forms of a folder; C++ has its functions under other names.
mkdir plus several
echo '#include "kit/config.h"
template <int n> int twice() { return 2 * n; }
int trisc0() { return twice<4>(); }
extern "C" int trisc1() { return twice<5>(); }' >plus/kernel.cpp
says 0 'bhemu run --trisc0 ./plus_trisc0.elf --trisc1 ./plus_trisc1.elf' "$cc" plus -Werror
echo 'int shared();
int main() { static int once = shared(); return once; }' >several/trisc2.cpp
echo '.text; .globl _Z6sharedv; _Z6sharedv: .ttinsn 0x02000000; li a0, 3; ret' >several/other.S
echo '.text; .globl main, other; main: ret' >several/brisc.S
says 0 'bhemu run --trisc2 ./several_trisc2.elf --brisc ./several_brisc.elf' "$cc" several -Werror
echo 'constexpr int f() { return 1; } int before = f(); int main() { return before; }' >before.cpp
says 0 '' "$cc" brisc before.cpp -o before.elf
echo 'extern "C" volatile int x; volatile int x; int before = x; int main() { return before; }' >before.cpp
says 1 'an object has a constructor that would run before main' "$cc" brisc before.cpp -o before.elf
for header in "$(dirname "$cc")"/include/*.h "$(dirname "$cc")"/include/kit/*.h; do
    case $header in *_asm.h) continue ;; esac
    printf '#include "%s"\nint main(void) { return 0; }\n' "${header#"$(dirname "$cc")"/include/}" | tee header.c >header.cpp
    says 0 '' "$cc" trisc1 header.c -Werror -o header.elf
    says 0 '' "$cc" trisc1 header.cpp -Werror -o header.elf
done

# One core.
echo 'int main(void) { return 0; }' >main.c
says 0 '' "$cc" trisc2 main.c -o main.elf
[ -e main.elf ] || bad "main.elf is missing"

# What is wrong is said.
mkdir empty three
echo 'int main(void) { return 0; }' >three/trisc3.c
echo 'int f(void); int f(void) { return 0; }' >empty/kernel.c
says 2 'there is no core trisc3' "$cc" three
says 2 'has none of the functions brisc, ncrisc' "$cc" empty
rm empty/kernel.c
says 2 'has neither kernel.c nor one of brisc.c' "$cc" empty
says 2 'for which core? Say bhemu-cc brisc main.c' "$cc" main.c
says 2 'is neither a core' "$cc" nowhere
says 2 'no source file for brisc' "$cc" brisc
says 2 'Usage: bhemu-cc' "$cc"
says 0 'Usage: bhemu-cc' "$cc" --help
says 2 'there is no nothing, which RISCV_CC names' env RISCV_CC=nothing "$cc" files
mkdir tools
for tool in sh env dirname readlink basename cat; do ln -s "$(command -v $tool)" tools/$tool; done
says 2 'apt install gcc-riscv64-unknown-elf' env -u RISCV_CC PATH="$dir/tools" "$cc" files
says 2 'does not know -march' env RISCV_CC=false "$cc" files
cp "$cc" moved
says 2 'is missing; bhemu-cc must stay in the folder it came in' ./moved files
exit $failed
