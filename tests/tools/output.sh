#!/usr/bin/env bash
# Outputs that cannot be written: a full disk, an output that is closed, a reader that has gone. The command says what it
# could not write and has a status of its own, and is neither killed nor silent.
#   output.sh BHEMU FOLDER      FOLDER: for files of the test
set -uo pipefail
bhemu=$1
folder=$2/output.test
failed=0
mkdir -p "$folder"
[ -c /dev/full ] || exit 77

# A core that counts to a thousand and pauses, and one that faults: there is something to report, to trace and to dump.
count='\x13\x05\x80\x3e\x13\x05\xf5\xff\xe3\x1e\x05\xfe\x73\x00\x10\x00'
printf '%b' "$count" >"$folder/count.bin"
printf '\x03\xa5\x00\x00\x37\x05\x00\x10\x03\x25\x05\x00' >"$folder/fault.bin"
run=("$bhemu" run --brisc "$folder/count.bin@0x0")

bad() {
    echo "$1"
    failed=1
}

# Status and stderr of a command that could not write.
expect_error() { # status, what was done
    local status=$1 text=$2
    [ "$status" -eq 2 ] || bad "$text: status $status instead of 2"
    grep -q 'cannot write\|could not be written' "$folder/stderr" || bad "$text: stderr does not say what cannot be written: $(cat "$folder/stderr")"
    ! grep -q 'Sanitizer\|runtime error' "$folder/stderr" || bad "$text: $(cat "$folder/stderr")"
}

to_full() { # arguments of bhemu: its stdout is a full disk
    "$@" >/dev/full 2>"$folder/stderr"
    expect_error $? "stdout on a full disk: ${*:2}"
}
to_closed() {
    "$@" >&- 2>"$folder/stderr"
    expect_error $? "a closed stdout: ${*:2}"
}
to_file() { # the same, with an argument that names a file on a full disk
    "$@" >"$folder/stdout" 2>"$folder/stderr"
    expect_error $? "a file on a full disk: ${*:2}"
}

for what in to_full to_closed; do
    $what "$bhemu" --help
    $what "$bhemu" --version
    $what "$bhemu" info
    $what "$bhemu" info --json
    $what "$bhemu" info --tiles
    $what "$bhemu" isa
    $what "$bhemu" isa --json
    $what "$bhemu" disasm "$folder/count.bin@0x0"
    $what "${run[@]}"
    $what "${run[@]}" --json
    $what "${run[@]}" --stats
    $what "${run[@]}" --summary
    $what "${run[@]}" --profile
    $what "${run[@]}" --coverage
    $what "${run[@]}" --check
    $what "$bhemu" check "${run[@]:1}" --json
    $what "${run[@]}" --quiet --dump 1,2:0x0:0x1000
    $what "${run[@]}" --quiet --print 1,2:0x0
done
to_file "${run[@]}" --trace /dev/full
to_file "${run[@]}" --dump 1,2:0x0:0x10000:/dev/full
to_file "${run[@]}" --trace "$folder/none/trace.json"

# A profile with more marks than stay in memory, of the second of two chips, and a limit to the size of files:
#       lui a0, 0x10; lui a1, 0xffb12; lui a2, 0x80001; lui a3, 9
#   1:  lw t0, 0x1f0(a1); lw t1, 0x1f8(a1); sw a2, 0(a0); sw t0, 4(a0); addi a3, a3, -1; bnez a3, 1b; ebreak
marks='\x37\x05\x01\x00\xb7\x25\xb1\xff\x37\x16\x00\x80\xb7\x96\x00\x00\x83\xa2\x05\x1f\x03\xa3\x85\x1f\x23\x20\xc5\x00'
marks=$marks'\x23\x22\x55\x00\x93\x86\xf6\xff\xe3\x96\x06\xfe\x73\x00\x10\x00'
printf '%b' "$marks" >"$folder/marks.bin"
(
    trap '' XFSZ
    ulimit -f 64
    "$bhemu" run --quiet --system p300 --profile-file "$folder/marks.csv" --chip 0 --brisc "$folder/count.bin@0x0" \
        --chip 1 --brisc "$folder/marks.bin@0x0" 2>"$folder/stderr"
)
status=$?
[ $status -eq 2 ] || bad "marks that do not fit a temporary file: status $status instead of 2"
grep -q 'no room for a temporary file: ' "$folder/stderr" || bad "marks that do not fit a temporary file: $(cat "$folder/stderr")"
to_file "${run[@]}" --dump "1,2:0x0:0x10000:$folder/none/dump"

# stderr cannot be written, and nothing is to be said there: nobody is disturbed.
"${run[@]}" >"$folder/stdout" 2>/dev/full || bad "a full stderr: status $?"
"${run[@]}" >"$folder/stdout" 2>&- || bad "a closed stderr: status $?"
"$bhemu" run --brisc "$folder/fault.bin@0x0" >"$folder/stdout" 2>/dev/full
[ $? -eq 1 ] || bad "a fault with a full stderr: another status than 1"
"$bhemu" run --brisc "$folder/fault.bin@0x0" >&- 2>&- <&-
status=$?
[ $status -eq 2 ] || [ $status -eq 1 ] || bad "a fault with everything closed: status $status"

# A reader that has gone: killed by SIGPIPE as is usual, or a status; and if SIGPIPE is ignored, an error.
for what in info isa 'isa --markdown' 'info --json'; do
    # shellcheck disable=SC2086
    "$bhemu" $what 2>"$folder/stderr" | head -n 1 >"$folder/stdout"
    status=${PIPESTATUS[0]}
    [ "$status" -eq 0 ] || [ "$status" -eq 141 ] || [ "$status" -eq 2 ] || bad "$what | head: status $status"
    [ -s "$folder/stdout" ] || bad "$what | head: nothing"
done
# The same with a pipe that nobody can read from, so that it does not depend on who is faster: first argument, whether
# SIGPIPE is ignored.
to_nobody() {
    python3 - "$@" 2>"$folder/stderr" <<'END'
import os
import subprocess
import sys

reader, writer = os.pipe()
os.close(reader)
ignored = sys.argv[1] == "ignored"
status = subprocess.run(sys.argv[2:], stdout=writer, restore_signals=not ignored, check=False).returncode
sys.exit(status if status >= 0 else 128 - status)
END
}
to_nobody usual "${run[@]}"
status=$?
[ $status -eq 141 ] || bad "a reader that has gone: status $status instead of death by SIGPIPE"
to_nobody ignored "${run[@]}"
expect_error $? "a reader that has gone, SIGPIPE ignored"
exit $failed
