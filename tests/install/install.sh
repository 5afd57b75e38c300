#!/bin/sh
# What `make install` leaves is complete: away from the source tree a host program compiles with pkg-config and a guest
# program with the installed bhemu-cc, and both run.
#   install.sh BUILD SOURCE COMPILER...
set -eu
build=$1 source=$2
shift 2
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
meson install -C "$build" --no-rebuild --quiet --destdir "$root/dest" >"$root/log" 2>&1 || { cat "$root/log"; exit 1; }

find_one() { # the one file of that name
    set -- "$1" "$(find "$root/dest" -name "$1" ! -type d)"
    [ -f "$2" ] || { echo "not installed: $1" >&2; exit 1; }
    echo "$2"
}
command=$(find_one bhemu)
library=$(dirname "$(find_one libbhemu.so.0)")
guest=$(dirname "$(find_one start.S)")
for name in bhemu.h bhemu_status.def bhemu.1 libttsim.so libttsim_by_id.so soc_descriptor.yaml cluster_p150.yaml cluster_p300.yaml \
    bhemu.bash _bhemu bhemu.fish; do
    find_one "$name" >/dev/null
done
# Beside the library this name would make tt-umd look for all chips of a cluster in it.
[ -z "$(find "$root/dest" -name cluster_descriptor.yaml)" ] || { echo "installed: cluster_descriptor.yaml" >&2; exit 1; }

export PKG_CONFIG_SYSROOT_DIR="$root/dest" PKG_CONFIG_LIBDIR="$library/pkgconfig" LD_LIBRARY_PATH="$library"
cp "$source/docs/example.c" "$root/example.c"
# shellcheck disable=SC2046 # a list of words
"$@" "$root/example.c" -o "$root/example" $(pkg-config --cflags --libs bhemu)
${MESON_EXE_WRAPPER-} "$root/example" | diff - "$source/tests/tools/example.expected"

cat >"$root/kernel.c" <<'END'
#include "bhemu_guest.h"
#include "cfg_defines.h"
#include "tensix.h"
int main(void) { return (int)(TT_OP_NOP() >> 24); }
END
"$guest/bhemu-cc" brisc "$root/kernel.c" -o "$root/kernel.elf"
${MESON_EXE_WRAPPER-} "$command" run --brisc "$root/kernel.elf" | grep -q 'brisc  *paused .* 0x00000002 ' || { echo "the kernel did not return 2" >&2; exit 1; }

# The directive .ttinsn, the names of tt-llk and C++ are there, too.
cat >"$root/names.cpp" <<'END'
#include "llk.h"
int main() {
    __asm__ volatile(".ttinsn %0" : : "i"(TT_OP_SETDMAREG(0, 5, 0, LO_16(p_gpr_pack::TMP0))));
    tensix_sync();
    return regfile[p_gpr_pack::TMP0];
}
END
"$guest/bhemu-cc" trisc2 "$root/names.cpp" -o "$root/names.elf"
${MESON_EXE_WRAPPER-} "$command" run --trisc2 "$root/names.elf" | grep -q 'trisc2  *paused .* 0x00000005 ' || { echo "the names are not as they should be" >&2; exit 1; }

# The link in the path builds folders, with the headers and tables that were installed.
"$(dirname "$command")/bhemu-cc" "$guest/examples/gpr-config" -o "$root" >/dev/null
${MESON_EXE_WRAPPER-} "$command" run --quiet --trisc0 "$root/gpr-config_trisc0.elf" --print message |
    grep -qxFf - "$guest/examples/gpr-config/expected" || { echo "the example said something else" >&2; exit 1; }

# The Python module finds the library that was installed with it.
if [ -z "${MESON_EXE_WRAPPER-}" ] && command -v python3 >/dev/null; then
    module=$(dirname "$(find_one _prototypes.py)")
    env -u BHEMU_LIBRARY -u LD_LIBRARY_PATH PYTHONPATH="$(dirname "$module")" python3 - "$root/kernel.elf" "$library" <<'END'
import sys
import bhemu
from bhemu._library import lib
assert lib._name.startswith(sys.argv[2]), lib._name
with bhemu.Chip() as chip:
    chip[1, 2].load(sys.argv[1])
    chip.run()
    assert chip[1, 2].core("brisc").result == 2
END
fi
