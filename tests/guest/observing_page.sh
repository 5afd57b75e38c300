#!/bin/sh
# What docs/observing.md shows is so: its block of C is docs/observe.c, its blocks of sh are run, and its blocks of text are
# what the last of these printed, but for numbers and, as these decide it, the order of lines.
#   observing_page.sh PAGE BHEMU BHEMU_CC OBSERVE
set -u
here() { echo "$(cd "$(dirname "$1")" && pwd)/$(basename "$1")"; }
page=$(here "$1") BHEMU=$(here "$2") bhemu_cc=$(here "$3") OBSERVE=$(here "$4")
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/blocks" "$dir/bin"
ln -s "$(dirname "$bhemu_cc")" "$dir/guest"
awk -v to="$dir/blocks/" '
    /^```/ && kind { kind = ""; next }
    /^```(c|sh|text)$/ { kind = substr($0, 4); name = sprintf("%s%02d.%s", to, ++count, kind); next }
    kind { print >name }' "$page"

bhemu() { ${MESON_EXE_WRAPPER-} "$BHEMU" "$@"; }
observe() { ${MESON_EXE_WRAPPER-} "$OBSERVE"; }
printf '#!/bin/sh\nexec %s "$@" -Werror\n' "$bhemu_cc" >"$dir/bin/bhemu-cc"
chmod +x "$dir/bin/bhemu-cc"
PATH=$dir/bin:$PATH
mask() { sed 's/[0-9][0-9,.]*%\{0,1\}/N/g; s/  */ /g' | LC_ALL=C sort; }

cd "$dir" || exit 99
failed=0 shown=0
for block in blocks/*; do
    case $block in
    *.c) diff "$(dirname "$page")/observe.c" "$block" || failed=1 ;;
    *.sh) . "./$block" >printed 2>&1 ;;
    *.text)
        mask <printed >is
        mask <"$block" | diff - is || failed=1
        shown=$((shown + 1))
        ;;
    esac
done
[ $shown -eq 6 ] || { echo "$shown blocks of text, not 6"; failed=1; }
exit $failed
