#!/bin/sh
# What docs/kernels.md shows is so: its blocks of C are copy/kernel.c one after another, its blocks of sh are run, and its
# blocks of text are what the last of these printed, but for numbers of cycles and instructions and for pcs.
#   kernels_page.sh PAGE BHEMU BHEMU_CC
set -u
here() { echo "$(cd "$(dirname "$1")" && pwd)/$(basename "$1")"; }
page=$1 BHEMU=$(here "$2") bhemu_cc=$(here "$3")
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/copy" "$dir/blocks" "$dir/bin"
awk -v to="$dir/blocks/" '
    /^```/ && kind { kind = ""; next }
    /^```(c|sh|text)$/ { kind = substr($0, 4); name = sprintf("%s%02d.%s", to, ++count, kind); next }
    kind { print >name }' "$page"

bhemu() { ${MESON_EXE_WRAPPER-} "$BHEMU" "$@"; }
printf '#!/bin/sh\nexec %s "$@" -Werror\n' "$bhemu_cc" >"$dir/bin/bhemu-cc"
chmod +x "$dir/bin/bhemu-cc"
PATH=$dir/bin:$PATH
mask() { # columns of the report are as wide as their numbers
    sed 's/pc 0x[0-9a-f]*/pc N/; s/after [0-9,]* cycles/after N cycles/; s/[0-9,]* instructions$/N instructions/
         s/\(paused\|blocked\)  *[0-9,]*  *[0-9,N]*  /\1 N N  /; / core .* blocked/d; /: trisc[0-9] at/d'
}

cd "$dir" || exit 99
failed=0 shown=0
for block in blocks/*; do
    case $block in
    *.c) cp "$block" copy/kernel.c ;;
    *.sh) . "./$block" >printed 2>&1 ;;
    *.text)
        mask <printed >is
        mask <"$block" | diff - is || failed=1
        shown=$((shown + 1))
        ;;
    esac
done
[ $shown -eq 3 ] || { echo "$shown blocks of text, not 3"; failed=1; }
exit $failed
