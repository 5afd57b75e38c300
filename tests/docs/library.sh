#!/bin/sh
# docs/library.md has every function, status and fault of the header, and no other; docs/README.md has every page.
#   library.sh SOURCE
set -u
cd "$1" || exit 99
failed=0
{
    grep -o '\bbh_[a-z_0-9]*(' include/bhemu.h | tr -d '('
    sed -n 's/^BH_STATUS(\([A-Z_]*\),.*/BH_\1/p; s/^BH_FAULT_KIND(\([A-Z_]*\),.*/BH_FAULT_\1/p' include/bhemu_status.def
} | sort -u >"${TMPDIR:-/tmp}/library.$$"
while read -r name; do
    grep -q "\`$name\`" docs/library.md || { echo "docs/library.md lacks $name"; failed=1; }
done <"${TMPDIR:-/tmp}/library.$$"
for name in $(grep -o '`bh_[a-z_0-9]*`' docs/*.md README.md | sed 's/.*:`//; s/`//' | sort -u); do
    grep -q "\b$name\b" include/bhemu.h || { echo "there is no $name"; failed=1; }
done
[ "$(wc -l <"${TMPDIR:-/tmp}/library.$$")" -gt 60 ] || { echo "names are missing"; failed=1; }
rm -f "${TMPDIR:-/tmp}/library.$$"
for page in docs/*.md; do
    page=$(basename "$page")
    [ "$page" = README.md ] || grep -q "($page)" docs/README.md || { echo "docs/README.md lacks $page"; failed=1; }
done
exit $failed
