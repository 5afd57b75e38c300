#!/bin/sh
# The kernels of all paths have no race. Arguments: the program `paths`, libttsim.so, the folder of the kernels.
set -eu
report=$(mktemp)
trap 'rm -f "$report"' EXIT
rm "$report"
BHEMU_CHECK=$report "$1" "$2" "$3"
grep "BHEMU_CHECK: hazards of the session" "$report" # otherwise nothing was checked
! grep -A 12 "^RACE" "$report"
