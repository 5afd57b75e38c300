#!/bin/sh
# docs/seeds.md against the sources: every test and file that it names exists, and every golden test of the chapters is
# named. Usage: seeds_page.sh <root of the sources>
set -u
root=$1
page=$root/docs/seeds.md
failed=0

complain() {
    echo "docs/seeds.md: $*" >&2
    failed=1
}

# `program:function`, with the folder before the program unless it is tensix.
tests=$(grep -o '`[a-z0-9_/]*:[a-z0-9_]*`' "$page" | tr -d '`' | sort -u)
[ "$(echo "$tests" | wc -l)" -gt 100 ] || complain "hardly any test is named"
for test in $tests; do
    program=${test%%:*} name=${test#*:}
    case $program in */*) ;; *) program=tensix/$program ;; esac
    grep -qs "cmocka_unit_test($name)" "$root/tests/$program.c" || complain "there is no test $test"
done

# Files, below src/ unless they say guest/ or tests/.
for file in $(grep -o '`[a-z0-9_/]*\.\(c\|h\|def\)`' "$page" | tr -d '`' | sort -u); do
    case $file in guest/* | tests/*) ;; *) file=src/$file ;; esac
    [ -f "$root/$file" ] || complain "there is no $file"
done

for source in "$root"/tests/tensix/seed_*.c; do
    program=$(basename "$source" .c)
    for name in $(sed -n 's/.*cmocka_unit_test(\([a-z0-9_]*\)).*/\1/p' "$source"); do
        echo "$tests" | grep -qx "$program:$name" || complain "$program:$name is not on the page"
    done
done
exit $failed
