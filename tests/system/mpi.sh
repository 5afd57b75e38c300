#!/bin/sh
# Systems over several ranks of MPI: the same output and the same hash as one process; mistakes fail every rank with one
# message, and a rank that dies or stands still ends all.
#
#     mpi.sh BHEMU MPI_HASH GUEST
set -u
here() { echo "$(cd "$(dirname "$1")" && pwd)/$(basename "$1")"; }
command -v mpirun >/dev/null || { echo "skipped: there is no mpirun" && exit 77; }
[ -z "${MESON_EXE_WRAPPER-}" ] || { echo "skipped: programs are for another machine" && exit 77; }
BHEMU=$(here "$1") HASH=$(here "$2") GUEST=$3
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT INT TERM
cd "$work" || exit 99
# Open MPI refuses root and more ranks than processors otherwise; other kinds of MPI do not read this.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
mpirun -n 2 true 2>err || { echo "skipped: mpirun does not work here: $(tail -1 err)" && exit 77; }
failed=0
wrong() { echo "$*" && failed=1; }

"$GUEST/bhemu-cc" "$GUEST/examples/all-reduce" -Werror -o . >/dev/null || exit 99
sed '/^bhemu run/d' "$GUEST/examples/all-reduce/run" >script
# shellcheck source=/dev/null
. ./script # makes the command file `ring`
for how in --stats --check --json; do # the last with the hash
    "$BHEMU" run --system quietbox $how --script ring >one.out 2>one.err || wrong "one process fails"
    for ranks in 2 3 4; do
        mpirun -n $ranks "$BHEMU" run --system quietbox $how --script ring >out 2>err || wrong "$ranks ranks: status $?"
        if ! cmp one.out out || ! cmp one.err err; then wrong "$ranks ranks print something else with $how"; fi
    done
done
"$GUEST/bhemu-cc" "$GUEST/examples/all-gather" -Werror -o . >/dev/null || exit 99
sed '/^bhemu run/d' "$GUEST/examples/all-gather/run" >script
# shellcheck source=/dev/null
. ./script # the same, for 32 chips
mpirun -n 4 "$BHEMU" run --system galaxy --quiet --script ring >out 2>err || wrong "galaxy: status $?"
cmp "$GUEST/examples/all-gather/expected" out || wrong "a galaxy over 4 ranks prints something else"
sed '/^bhemu run/d' "$GUEST/examples/all-reduce/run" >script
# shellcheck source=/dev/null
. ./script
# Traces: each chip has its file, wherever its rank is, with the same bytes.
"$BHEMU" run --system quietbox --quiet --script ring --trace one.commit >/dev/null || wrong "no trace of one process"
mpirun -n 3 "$BHEMU" run --system quietbox --quiet --script ring --trace three.commit --trace t.json --report r.html \
    >/dev/null || wrong "no traces of three ranks"
for chip in 0 1 2 3; do
    cmp one.chip$chip.commit three.chip$chip.commit || wrong "another trace of chip $chip"
    grep -q "\"name\": \"chip $chip tile" t.chip$chip.json || wrong "chip $chip is not in its trace"
    grep -q "\"chip\": $chip" r.chip$chip.html || wrong "chip $chip is not in its page"
done
"$HASH" >one.out || wrong "one process has no hash"
for ranks in 2 3 4; do
    mpirun -n $ranks "$HASH" ranks >out || wrong "$ranks ranks have no hash"
    cmp one.out out || wrong "$ranks ranks have another hash: $(cat one.out out)"
done

# fails COUNT TEXT ARGUMENT...: every one of so many ranks says TEXT, and mpirun has the status 2
fails() {
    count=$1 text=$2
    shift 2
    timeout 120 mpirun "$@" >out 2>err
    status=$?
    [ $status -eq 2 ] || wrong "status $status instead of 2: $text"
    [ "$(grep -cFe "$text" err)" -ge "$count" ] || { wrong "not on every rank: $text" && cat err; }
}

fails 5 "there are more ranks (5) than chips (4)" -n 5 "$BHEMU" run --system quietbox --script ring
fails 2 "rank 1 has other arguments or another command file than rank 0" \
    -n 1 "$BHEMU" run --system quietbox --script ring : -n 1 "$BHEMU" run --system galaxy --script ring
fails 2 "there is no chip 7, only 4" -n 2 "$BHEMU" run --system quietbox --chip 7 --brisc all-reduce_brisc.elf
fails 2 "--dump: rank 1: chip 3: no program on tile 1,2 has a symbol 'nothing'" \
    -n 2 "$BHEMU" run --system quietbox --chip 3 --brisc all-reduce_brisc.elf --max-cycles 10 --dump nothing:4
mkdir a b
cp all-reduce_brisc.elf a/program.elf
cp all-reduce_erisc0.elf b/program.elf
printf 'chips: 2\nlinks:\n  - 0.4 1.5\n' >a/system.yaml
printf 'chips: 2\nlinks:\n  - 0.4 1.6\n' >b/system.yaml
apart() { # COUNT TEXT: one rank in a, one in b
    fails "$1" "$2" -n 1 --wdir "$work/a" "$BHEMU" run --system system.yaml --brisc program.elf : \
        -n 1 --wdir "$work/b" "$BHEMU" run --system system.yaml --brisc program.elf
}
apart 2 "rank 1 has other links than rank 0"
cp a/system.yaml b
apart 2 "rank 1 has another 'program.elf' than rank 0"
rm b/program.elf
apart 2 "rank 1: cannot read 'program.elf'"
rm b/system.yaml
apart 2 "rank 1: cannot read 'system.yaml'"

# A rank that dies, and one that stands still. The shell that becomes the rank says its number.
cat >spin.c <<'END'
int main(void) {
    for (volatile int *at = (volatile int *)0x30000;; ++*at)
        ;
}
END
"$GUEST/bhemu-cc" brisc spin.c -o spin.elf || exit 99
catches() { # RANK: whether it handles SIGTERM, by which mpirun ends ranks. They do once they have started
    mask=$(sed -n 's/^SigCgt:[^0-9a-f]*........//p' "/proc/$(cat "pid.$1" 2>/dev/null)/status" 2>/dev/null)
    [ $((0x${mask:-0} & 0x4000)) -ne 0 ]
}
lose() { # SIGNAL TEXT: one of the other two says TEXT, and each says something
    rm -f pid.*
    # shellcheck disable=SC2016 # for the inner shell
    BHEMU_MPI_TIMEOUT=3 timeout 120 mpirun -n 3 sh -c 'echo $$ >pid.$OMPI_COMM_WORLD_RANK
        exec "$0" run --system quietbox --brisc spin.elf --chip 3 --brisc spin.elf' "$BHEMU" >out 2>err &
    job=$!
    tries=0
    until { catches 0 && catches 1 && catches 2; } || [ $tries -gt 300 ]; do sleep 0.1 && tries=$((tries + 1)); done
    sleep 1
    kill "-$1" "$(cat pid.2)"
    wait $job
    status=$?
    case $status in 0 | 124) wrong "$1: status $status" ;; esac
    grep -qFe "$2" err || { wrong "$1: nobody says: $2" && cat err; }
    said=$(grep -cFe "$2" -e "$ended" err)
    [ "$said" -ge 2 ] || { wrong "$1: not every rank says why it ends" && cat err; }
}
ended="this rank is ended by mpirun: another one has failed or was killed"
lose KILL "$ended"
lose STOP "no answer for 3 seconds (BHEMU_MPI_TIMEOUT)"
kill -KILL "$(cat pid.2)" 2>/dev/null
exit $failed
