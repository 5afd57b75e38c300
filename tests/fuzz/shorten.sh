#!/usr/bin/env bash
# A log of many calls fails for three of them: what --shorten leaves, and that drawn sessions and their logs are the same.
#   shorten.sh FUZZ_SESSION FOLDER      FOLDER: for files of the test
set -uo pipefail
fuzz=$1
folder=$2/shorten.test
mkdir -p "$folder"

bad() {
    echo "$1"
    exit 1
}

cat >"$folder/long.log" <<'END'
session again threads observed cut
create chip=0 eth_harvest=0x120 threads=2 timing=1 skew=7 callbacks=15
create chip=1 eth_harvest=0x120 threads=1
write chip=1 x=1 y=2 address=0x1000 size=4 data=00000005
load chip=0 x=1 y=2 data=00000013 00000013 00500313 100002b7 00000013 20602023 00000013 0000006f
release chip=0 x=1 y=2 cores=1
run chip=0 cycles=500
look chip=0 size=100
observe chip=0 what=1
run chip=0 cycles=500 flags=2
core_query chip=0 x=1 y=2 core=4
read chip=0 x=1 y=2 address=0x2000 size=64
forbid chip=0 x=1 y=2 address=0x200 value=5
destroy chip=1
hash chip=0
END
# addi x6, x0, 5 and sw x6, 0x200(x0) are left of the program, and some cycles.
cat >"$folder/expected" <<'END'
session
create chip=0 eth_harvest=9
load chip=0 x=1 y=2 data=00000013 00000013 00500313 00000013 00000013 20602023
release chip=0 x=1 y=2 cores=1
run chip=0 cycles=N
forbid chip=0 x=1 y=2 address=512 value=5
END
"$fuzz" "$folder/long.log" >"$folder/played" && bad "the long log does not fail"
grep -q 'forbid: the word has the value' "$folder/played" || bad "another failure: $(cat "$folder/played")"
"$fuzz" --shorten "$folder/long.log" >"$folder/short.log" || bad "--shorten: status $?"
grep -v '^#' "$folder/short.log" | sed 's/cycles=[0-9]*/cycles=N/' | diff "$folder/expected" - || bad "another short log than expected"
"$fuzz" "$folder/short.log" >"$folder/played" && bad "the short log does not fail"

"$fuzz" --draw 12 >"$folder/drawn.log" || bad "--draw: status $?"
"$fuzz" --explain "$folder/drawn.log" | grep -v '^#' | diff "$folder/drawn.log" - >/dev/null ||
    bad "a log that is read and written again is another one"
"$fuzz" "$folder/drawn.log" || bad "the log of a session that does not fail does"
echo 'session' | sed 's/$/ sideways/' >"$folder/wrong.log"
"$fuzz" "$folder/wrong.log" 2>/dev/null && bad "a log with a wrong line is played"
exit 0
