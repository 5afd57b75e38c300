#!/usr/bin/env python3
"""Traces and profiles for other tools (tools/formats/), read by readers of our own that follow the grammar of each
format, by the tools themselves where they are installed (protoc, callgrind_annotate, lcov), and compared with each other.

    formats.py BHEMU GUEST TEST_GUEST SOURCE [LIBRARY]
"""

import collections
import csv
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BHEMU, GUEST, TEST_GUEST, SOURCE = (pathlib.Path(a).resolve() for a in sys.argv[1:5])
LIBRARY = sys.argv[5] if len(sys.argv) > 5 else ""
WRAPPER = os.environ.get("MESON_EXE_WRAPPER", "").split()
TRACES = {"t.json": "chrome", "t.pftrace": "perfetto", "noc_trace.json": "noc", "t.kanata": "kanata", "t.commit": "commit"}
PROFILES = {"callgrind.out.x": "callgrind", "x.info": "lcov", "profile_log_device.csv": "device"}

MATMUL = [w for i in range(3) for w in (f"--trisc{i}", GUEST / f"matmul_trisc{i}.elf")]
RING = ["--tile", "all", "--brisc", GUEST / "ring_brisc.elf"]
FIVE = [w for c in ("brisc", "ncrisc", "trisc0", "trisc1", "trisc2") for w in (f"--{c}", GUEST / f"five_{c}.elf")]


def call(*words, status=0):
    done = subprocess.run(WRAPPER + [str(BHEMU), *map(str, words)], capture_output=True, text=True)
    assert done.returncode == status, (words, done.returncode, done.stderr)
    return done


def outputs(command, *words, **more):
    """Runs with every format; returns the report and the files."""
    options = [w for name in TRACES for w in ("--trace", name)] + [w for name in PROFILES for w in ("--profile-file", name)]
    report = json.loads(call(command, *words, *options, "--json", **more).stdout)
    return report, {f: pathlib.Path(name) for name, f in {**TRACES, **PROFILES}.items()}


# ---- Perfetto: the wire format ------------------------------------------------------------------------------------


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """The fields of a message: numbers, and bytes for anything with a length."""
    at, found = 0, collections.defaultdict(list)
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        assert kind in (0, 2), f"wire type {kind}"
        value, at = varint(data, at)
        if kind == 2:
            assert at + value <= len(data), "a message is longer than what it is in"
            value, at = data[at : at + value], at + value
        found[key >> 3].append(value)
    return found


def one(message, field, default=None):
    values = message.get(field, [default])
    assert len(values) == 1, f"field {field} is there {len(values)} times"
    return values[0]


def read_perfetto(path):
    """Returns slices: process, track, category, name, start, end, annotations."""
    tracks, sequences, slices, open_slices, clock = {}, {}, [], collections.defaultdict(list), {}
    data = path.read_bytes()
    packets = fields(data)
    assert set(packets) == {1}, "a trace is packets only"
    for packet in map(fields, packets[1]):
        sequence, flags = one(packet, 10), one(packet, 13)
        assert flags & 2 and (sequence in sequences or flags & 1), "the first packet of a sequence clears the state"
        if flags & 1:
            sequences[sequence] = {}
        interned = sequences[sequence]
        if 60 in packet:
            read_descriptor(fields(one(packet, 60)), tracks)
        if 12 in packet:
            for kind, entries in fields(one(packet, 12)).items():
                for entry in map(fields, entries):
                    key = kind, one(entry, 1)
                    assert key not in interned and one(entry, 1) > 0
                    interned[key] = one(entry, 2).decode()
        if 11 in packet:
            event = fields(one(packet, 11))
            track, time = one(event, 11), one(packet, 8, 0)
            assert track in tracks, "events of a track that nothing describes"
            assert time >= clock.get(track, 0), "time goes back on a track"
            clock[track] = time
            if one(event, 9) == 1:
                notes = dict(annotation(fields(a), interned) for a in event.get(4, []))
                open_slices[track].append((interned[1, one(event, 3)], interned[2, one(event, 10)], time, notes))
            else:
                category, name, start, notes = open_slices[track].pop()
                slices.append((*tracks[track], category, name, start, time, notes))
    assert not any(open_slices.values()), "slices without an end"
    return slices


def read_descriptor(d, tracks):
    uuid = one(d, 1)
    assert uuid not in tracks
    if 3 in d:
        tracks[uuid] = one(fields(one(d, 3)), 1), ""
    elif 4 in d:
        thread = fields(one(d, 4))
        tracks[uuid] = one(thread, 1), one(thread, 5).decode()
    else:
        assert one(d, 5) in tracks, "a parent that is not there"
        tracks[uuid] = tracks[one(d, 5)][0], one(d, 2).decode()


def annotation(a, interned):
    name = interned[3, one(a, 1)]
    if 17 in a:
        return name, interned[29, one(a, 17)]
    return name, a[7][0] if 7 in a else a[3][0]


def cycles(microseconds):
    return round(microseconds * 1000)


def read_chrome(path):
    """The same of a trace for Chrome."""
    events, names, flying, slices = json.loads(path.read_text())["traceEvents"], {}, {}, []
    for e in events:
        if e["ph"] == "M" and e["name"] == "thread_name":
            names[e["pid"], e["tid"]] = e["args"]["name"]
        elif e["ph"] == "X":
            start = cycles(e["ts"])
            slices.append((e["pid"], names[e["pid"], e["tid"]], e["cat"], e["name"], start, start + cycles(e["dur"]), e["args"]))
        elif e["ph"] == "b":
            flying[e["id"]] = e
        elif e["ph"] == "e":
            b = flying.pop(e["id"])
            track, name = b["name"].split(": ")
            slices.append((b["pid"], track, "packet", name, cycles(b["ts"]), cycles(e["ts"]), b["args"]))
    assert not flying
    return slices


def same_number(value):
    return int(value, 16) if isinstance(value, str) and value.startswith("0x") else value


def comparable(slices):
    def line(s):
        return [*s[:-1], sorted((k, same_number(v)) for k, v in s[-1].items())]

    return sorted(map(line, slices), key=json.dumps)


def check_perfetto(files):
    ours, other = comparable(read_perfetto(files["perfetto"])), comparable(read_chrome(files["chrome"]))
    assert len(ours) > 10 and ours == other, f"{len(ours)} slices for Perfetto, {len(other)} for Chrome"
    if shutil.which("protoc"):
        with open(files["perfetto"], "rb") as trace:
            done = subprocess.run(["protoc", "--decode_raw"], stdin=trace, capture_output=True)
        assert done.returncode == 0 and done.stdout.startswith(b"1 {"), done.stderr
    assert files["perfetto"].stat().st_size < 0.6 * files["chrome"].stat().st_size


# ---- tt-npe ---------------------------------------------------------------------------------------------------------

PROCESSORS = ["BRISC", "NCRISC", "TRISC_0", "TRISC_1", "TRISC_2"]
TYPES = {"READ", "WRITE_", "WRITE_MULTICAST", "WRITE_INLINE", "SEMAPHORE_INC", "SEMAPHORE_SET_MULTICAST", "SEMAPHORE_INC_MULTICAST"}


def check_noc(files, requests=None):
    """What tt-npe's reader wants: order, zones of every core that has requests, sizes and ends of transfers."""
    entries, last, depth, found = json.loads(files["noc"].read_text()), None, {}, collections.Counter()
    for e in entries:
        core = e["sx"], e["sy"], PROCESSORS.index(e["proc"])
        order = (*core, e["timestamp"])
        assert last is None or order >= last, "not ordered by tile, core and time"
        last = order
        assert isinstance(e["run_host_id"], int) and e["src_device_id"] == 0 and 0 <= e["sx"] < 17 and 0 <= e["sy"] < 12
        if "zone" in e:
            depth[core] = depth.get(core, 0) + (1 if e["zone_phase"] == "ZONE_START" else -1)
            assert e["zone_phase"] in ("ZONE_START", "ZONE_END") and depth[core] in (0, 1)
            continue
        assert core in depth, "a request before any zone of its core"
        assert e["type"] in TYPES and e["noc"] in ("NOC_0", "NOC_1") and e["num_bytes"] > 0 and 0 <= e["vc"] < 16
        ends = ["dx", "dy"] if "MULTICAST" not in e["type"] else [f"mcast_{a}_{b}" for a in ("start", "end") for b in "xy"]
        assert all(isinstance(e[k], int) for k in ends)
        found[e["type"]] += 1
    assert not any(depth.values()), "zones that do not end"
    assert requests is None or found == requests, found


# ---- tt-metal's scripts ----------------------------------------------------------------------------------------------

COLUMNS = (
    "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, run host ID, trace id, "
    "trace id counter, zone name, type, source line, source file, meta data"
)


def check_device(files, operations):
    """What tools/tracy/process_device_log.py wants: columns, zones that nest, one BRISC-FW of a tile in an operation."""
    first, columns, *lines = files["device"].read_text().splitlines()
    assert re.fullmatch(r"ARCH: blackhole, CHIP_FREQ\[MHz\]: \d+, Max Compute Cores: \d+", first), first
    assert columns == COLUMNS
    stacks, masters, kernels = collections.defaultdict(list), collections.Counter(), 0
    span = {}
    for row in csv.reader(lines):
        assert len(row) == 15, row
        slot, x, y, risc, timer, time, data, run, trace, counter, zone, kind, line, _file, _meta = row
        if kind == "TS_EVENT":
            continue
        assert slot == data == "0" and risc in PROCESSORS and 0 < int(timer) < 65536 and trace == counter == "" and int(line) >= 0
        stack = stacks[x, y, risc]
        if kind == "ZONE_START":
            assert not stack or stack[-1][1] <= int(time)
            stack.append((zone, int(time), run))
        else:
            assert kind == "ZONE_END"
            name, start, begun = stack.pop()
            assert name == zone and start <= int(time) and begun == run
        kernels += zone.endswith("-KERNEL") and kind == "ZONE_END"
        masters[x, y, run, kind] += zone == "BRISC-FW"
        key = (x, y, run), zone == "BRISC-FW"
        span[key] = min(span.get(key, (int(time),) * 2)[0], int(time)), max(span.get(key, (0, 0))[1], int(time))
    assert not any(stacks.values())
    for (tile_run, master), (start, end) in span.items():
        assert master or span[tile_run, True][0] <= start and end < span[tile_run, True][1], "outside of BRISC-FW"
    assert set(masters.values()) == {1}, "an operation is bracketed by one BRISC-FW on each tile"
    assert {int(key[2]) for key in masters} == set(range(1, operations + 1))
    assert kernels


# ---- Konata ------------------------------------------------------------------------------------------------------------


def check_kanata(files, report):
    lines = files["kanata"].read_text().split("\n")
    assert lines[0] == "Kanata\t0004" and lines.pop() == ""
    alive, ids, time, retired, stages = {}, itertools.count(), 0, collections.Counter(), collections.Counter()
    for number, line in enumerate(lines[1:], 2):
        command, *rest = line.split("\t")
        if command == "C=":
            assert number == 2
            time = int(rest[0])
        elif command == "C":
            assert len(rest) == 1 and int(rest[0]) > 0
            time += int(rest[0])
        elif command == "I":
            assert int(rest[0]) == int(rest[1]) == next(ids), "numbers in the order of their begin"
            alive[rest[0]] = [int(rest[2]), None, time]
        elif command == "L":
            assert rest[0] in alive and rest[1] in "01" and len(rest) == 3 and rest[2]
        elif command == "S":
            assert rest[1] == "0" and rest[2] in ("Q", "Wt", "G", "X", "M") and alive[rest[0]][1] != rest[2]
            alive[rest[0]][1] = rest[2]
            stages[rest[2]] += 1
        else:
            assert command == "R" and rest[2] in "01" and rest[1] == rest[0], line
            thread, stage, start = alive.pop(rest[0])
            assert stage and time > start and (rest[2] == "0" or stage == "Wt")
            retired[thread] += rest[2] == "0"
    assert not alive, "instructions that never retire"
    for core in report["cores"]:
        number = ("brisc", "trisc0", "trisc1", "trisc2", "ncrisc").index(core["core"])
        if core["tile"] == "1,2":
            assert 0 < retired[number] <= core["instructions"], (core, retired)
    return retired, stages


# ---- Spike ---------------------------------------------------------------------------------------------------------------

LISTED = re.compile(r"core +(\d+): 0x([0-9a-f]{8}) \(0x([0-9a-f]{8})\) (\S.*)")
COMMITTED = re.compile(
    r"core +(\d+): 3 0x([0-9a-f]{8}) \(0x([0-9a-f]{8})\)(?: ([xf])(\d+) +0x([0-9a-f]{8}))?(?: c(\d+)_(\S+) 0x([0-9a-f]{8}))?"
    r"(?: e(?:8|16|32|64) mf?[1248] l\d+(?: v\d+ +0x[0-9a-f]{32})+)?"
    r"(?: mem 0x([0-9a-f]{8}))?(?: mem 0x([0-9a-f]{8}) 0x([0-9a-f]{2}|[0-9a-f]{4}|[0-9a-f]{8}))?"
)
NAMES = ["brisc", "trisc0", "trisc1", "trisc2", "ncrisc"]


def check_commit(files, report):
    """Two lines of an instruction agree; registers end as they are; local memory has what was stored there."""
    lines = files["commit"].read_text().splitlines()
    x, local, count, checked = collections.defaultdict(dict), {}, collections.Counter(), 0
    for listed, committed in zip(lines[::2], lines[1::2]):
        a, b = LISTED.fullmatch(listed), COMMITTED.fullmatch(committed)
        assert a and b, (listed, committed)
        assert a.groups()[:3] == b.groups()[:3]
        core, kind, number, value = int(b[1]), b[4], b[5], b[6]
        count[core] += 1
        word = int(b[3], 16)
        if kind == "x":
            assert 0 < int(number) < 32
            if word & 0x7F == 3 and word >> 12 & 7 == 2 and (core, b[10]) in local:
                assert local[core, b[10]] == value, f"{listed}: another value than was stored"
                checked += 1
            x[core][int(number)] = int(value, 16)
        if b[11] and b[11].startswith("ffb0"):
            for at in range(int(b[11], 16) & ~3, int(b[11], 16) + len(b[12]) // 2, 4):
                local.pop((core, f"{at:08x}"), None)
            if len(b[12]) == 8:
                local[core, b[11]] = b[12]
    for core in report.get("cores", []):
        if core["tile"] != "1,2":
            continue
        number = NAMES.index(core["core"])
        assert count[number] <= core["instructions"] and count[number]
        assert x[number].get(10, 0) == core["a0"], core
    return checked


# ---- callgrind -------------------------------------------------------------------------------------------------------------


def check_callgrind(files, report):
    total, summary, calls, in_call, file = [0, 0, 0], None, 0, False, None
    functions, own, inclusive = set(), collections.Counter(), collections.Counter()
    name = callee = None
    for line in files["callgrind"].read_text().splitlines():
        key, _, value = line.partition("=")
        if line.startswith("summary: "):
            summary = [int(n) for n in line.split()[1:]]
        elif line.startswith("events: "):
            assert line == "events: Ir Cy Wt"
        elif not line or line[0] == "#" or re.match(r"(version|creator|positions|event):", line):
            continue
        elif re.fullmatch(r"\d+ \d+ \d+ \d+", line):
            assert file is not None
            cost = [int(n) for n in line.split()[1:]]
            if in_call:
                assert all(c <= s for c, s in zip(cost, summary))
                inclusive[name, callee] += cost[0]
            else:
                own[name] += cost[0]
                total = [a + b for a, b in zip(total, cost)]
            in_call = False
        elif key == "calls":
            assert re.fullmatch(r"\d+ \d+", value)
            calls, in_call = calls + int(value.split()[0]), True
        else:
            assert key in ("ob", "fl", "fn", "fi", "fe", "cob", "cfi", "cfn") and value, line
            file = value if key in ("fl", "fi", "fe") else file
            functions |= {value} if key == "fn" else set()
            name = value if key == "fn" else name
            callee = value if key == "cfn" else callee
    assert total == summary, (total, summary)
    if "profile" in report:
        for column, name in enumerate(("instructions", "cycles", "waited")):
            assert total[column] == sum(row[name] for row in report["profile"]["symbols"]), name
    if shutil.which("callgrind_annotate"):
        done = subprocess.run(["callgrind_annotate", "--tree=both", str(files["callgrind"])], capture_output=True, text=True)
        assert done.returncode == 0 and f"{summary[0]:,} (100.0%)" in done.stdout, done.stdout + done.stderr
    return calls, functions, own, inclusive


# ---- LCOV --------------------------------------------------------------------------------------------------------------------


def check_lcov(files):
    record, covered = None, {}
    for line in files["lcov"].read_text().splitlines():
        key, _, value = line.partition(":")
        if key == "SF":
            assert value not in covered
            record = covered[value] = {"DA": {}, "FN": {}, "FNDA": {}}
        elif key == "FN":
            at, name = value.split(",", 1)
            record["FN"][name] = int(at)
        elif key == "FNDA":
            count, name = value.split(",", 1)
            assert name in record["FN"]
            record["FNDA"][name] = int(count)
        elif key == "DA":
            at, count = map(int, value.split(","))
            assert at > 0 and at not in record["DA"]
            record["DA"][at] = count
        elif key in ("LF", "LH", "FNF", "FNH"):
            of = record["DA" if key[0] == "L" else "FNDA"].values()
            assert int(value) == (len(of) if key.endswith("F") else sum(c > 0 for c in of)), line
        else:
            assert line in ("TN:", "end_of_record"), line
    if shutil.which("lcov"):
        done = subprocess.run(["lcov", "--summary", str(files["lcov"])], capture_output=True, text=True)
        lines = [c for r in covered.values() for c in r["DA"].values()]
        assert done.returncode == 0, done.stderr
        assert f"({sum(c > 0 for c in lines)} of {len(lines)} lines)" in done.stdout + done.stderr, done.stdout + done.stderr
    return covered


# ---- Runs ------------------------------------------------------------------------------------------------------------------


def test_matmul():
    report, files = outputs("run", *MATMUL, "--profile")
    check_perfetto(files)
    check_noc(files, collections.Counter())
    check_device(files, 1)
    retired, stages = check_kanata(files, report)
    for core in report["cores"]:
        assert retired[NAMES.index(core["core"])] == core["instructions"]
    stats = json.loads(call("run", *MATMUL, "--stats", "--json").stdout)["stats"]
    passed = {t["track"]: t["instructions"] for t in stats[0]["tracks"]}
    assert [retired[5 + i] for i in range(3)] == [passed[f"T{i}"] for i in range(3)], passed
    assert all(stages[s] for s in ("Q", "Wt", "G", "X", "M"))
    check_commit(files, report)
    calls, functions, own, inclusive = check_callgrind(files, report)
    assert calls == 6 and {"_start", "main", "trisc1"} <= functions
    # main jumps to trisc0 ... trisc2, which return to _start: everything else is outside of the call.
    assert inclusive["_start", "main"] == sum(own.values()) - own["_start"] - own["_exit"]
    assert inclusive["main", "trisc1"] == own["trisc1"]
    covered = check_lcov(files)
    start = next(r for f, r in covered.items() if f.endswith("start.S"))
    assert start["FNDA"]["_start"] == start["DA"][start["FN"]["_start"]] == 3  # programs
    kernel = next(r for f, r in covered.items() if f.endswith("matmul/kernel.c"))
    assert kernel["FNDA"]["trisc1"] == 1


def test_ring():
    report, files = outputs("run", *RING, "--profile")
    check_perfetto(files)
    check_noc(files, collections.Counter({"WRITE_": 140, "SEMAPHORE_INC": 140}))
    check_device(files, 1)
    check_kanata(files, report)
    check_commit(files, report)
    check_callgrind(files, report)
    assert max(c for r in check_lcov(files).values() for c in r["DA"].values()) >= 140


def test_requests():
    """Two cores of a tile, and requests to one tile and to twelve."""
    cores = "brisc", "ncrisc"
    report, files = outputs("run", *[w for c in cores for w in (f"--{c}", TEST_GUEST / f"requests_{c}.elf")], "--profile")
    check_noc(files, collections.Counter({"READ": 2, "WRITE_": 2, "WRITE_MULTICAST": 2, "SEMAPHORE_INC": 2}))
    entries = json.loads(files["noc"].read_text())
    assert sorted({e["num_bytes"] for e in entries if e.get("type", "").startswith("WRITE")}) == [32, 64]
    assert {e["num_bytes"] for e in entries if e.get("type") == "READ"} == {96}
    multicasts = [e for e in entries if e.get("type") == "WRITE_MULTICAST"]
    corners = {e["noc"]: [e[f"mcast_{a}_{b}"] for a in ("start", "end") for b in "xy"] for e in multicasts}
    assert corners == {"NOC_0": [2, 2, 4, 5], "NOC_1": [4, 5, 2, 2]}, corners  # NoC 1 goes the other way
    check_perfetto(files)
    check_callgrind(files, report)


def test_waits():
    """Waits that do not end are in the profile, too."""
    words = ["--tile", "1,2-2,2", "--brisc", GUEST / "ring_brisc.elf", "--max-cycles", "20k"]
    done = call("run", *words, "--profile", "--json", "--profile-file", "callgrind.out", "--trace", "w.kanata")
    report = json.loads(done.stdout)
    check_callgrind({"callgrind": pathlib.Path("callgrind.out")}, report)
    assert sum(row["waited"] for row in report["profile"]["symbols"]) > 50
    assert "\t1\n" in pathlib.Path("w.kanata").read_text(), "nothing is flushed"
    check_kanata({"kanata": pathlib.Path("w.kanata")}, {"cores": []})


def test_five():
    report, files = outputs("run", *FIVE, "--profile")
    check_perfetto(files)
    check_noc(files)
    check_device(files, 1)
    check_kanata(files, report)
    assert check_commit(files, report) > 0
    check_callgrind(files, report)


def test_registers():
    # vsetivli zero,4,e32,m1; vmv.v.i v8,5; addi t0,zero,7; fmv.w.x f3,t0; csrrwi zero,fcsr,1; ebreak
    words = 0xC1027057, 0x5E02B457, 0x00700293, 0xF00281D3, 0x0030D073, 0x00100073
    pathlib.Path("v.bin").write_bytes(b"".join(w.to_bytes(4, "little") for w in words))
    call("run", "--trisc2", "v.bin@0xe000", "--quiet", "--trace", "v.commit")
    check_commit({"commit": pathlib.Path("v.commit")}, {})
    text = pathlib.Path("v.commit").read_text()
    assert "(0x5e02b457) e32 m1 l4 v8  0x00000005000000050000000500000005\n" in text
    assert "(0xf00281d3) f3  0x00000007\n" in text and "(0x0030d073) c3_fcsr 0x00000001\n" in text


def test_launch():
    pathlib.Path("fw").mkdir()
    for core in NAMES:
        os.symlink(TEST_GUEST / f"boot_{core}.elf", f"fw/{core}.elf")
    os.symlink(TEST_GUEST, "guest")
    os.symlink(SOURCE, "source")
    cases = SOURCE / "tests/tools/cases"
    report, files = outputs("launch", cases / "launch-five/five.launch")
    check_perfetto(files)
    check_noc(files)
    check_device(files, 2)
    check_kanata(files, {"cores": []})
    check_commit(files, {})
    calls, functions, _, _ = check_callgrind(files, {})
    assert "kernel" in functions and calls >= 6
    assert any(f.endswith("count.c") for f in check_lcov(files))
    outputs("launch", cases / "launch-copy/copy.launch")
    check_noc(files)
    assert "READ" in files["noc"].read_text()
    call("boot", "fw", "--layout", SOURCE / "tests/tools/guest/firmware/test.layout", "--trace", "b.pftrace", "--trace", "b.commit")
    assert read_perfetto(pathlib.Path("b.pftrace"))
    check_commit({"commit": pathlib.Path("b.commit")}, {})


def test_marks():
    """Marks of tt-metal's kernel profiler are zones of the device log."""
    call("run", "--brisc", TEST_GUEST / "marks_brisc.elf", "--quiet", "--profile-file", "m.csv")
    check_device({"device": pathlib.Path("m.csv")}, 1)
    rows = [row for row in csv.reader(open("m.csv")) if len(row) == 15 and row[10].startswith("zone-")]
    assert [(r[4], r[10], r[11], r[13]) for r in rows] == [
        (str(0x1234), "zone-4660", "ZONE_START", "marks.c"),
        (str(0x77), "zone-119", "TS_EVENT", "marks.c"),
        (str(0x1234), "zone-4660", "ZONE_END", "marks.c"),
    ], rows


def test_threads_and_state():
    """The same bytes on any number of host threads, and the same chip with every format as without any."""
    bytes_of = {}
    for threads in (1, 3):
        _, files = outputs("run", *RING, "--threads", threads, "--save", f"{threads}.chip")
        bytes_of[threads] = {name: path.read_bytes() for name, path in files.items()}
    assert bytes_of[1] == bytes_of[3]
    call("run", *RING, "--quiet", "--save", "plain.chip")
    if not LIBRARY:
        return
    os.environ["BHEMU_LIBRARY"] = LIBRARY
    sys.path.insert(0, str(SOURCE / "python"))
    sys.dont_write_bytecode = True
    import bhemu

    hashes = {bhemu.Chip.restored(f"{name}.chip").state_hash for name in ("plain", "1", "3")}
    assert len(hashes) == 1, hashes


def test_selection():
    call("run", *RING, "--quiet", "--trace-tiles", "1,2", "--trace-cycles", "2k-3k", "--trace", "s.commit", "--trace", "s.kanata", "--trace", "s.pftrace")
    text = pathlib.Path("s.commit").read_text()
    assert text and all(line.startswith("core   0: ") for line in text.splitlines())
    assert {s[0] for s in read_perfetto(pathlib.Path("s.pftrace"))} == {102}
    check_kanata({"kanata": pathlib.Path("s.kanata")}, {"cores": []})
    call("run", *MATMUL, "--quiet", "--trace-format", "perfetto", "--trace", "odd.name", "--profile-format", "lcov", "--profile-file", "odd")
    assert read_perfetto(pathlib.Path("odd.name")) and check_lcov({"lcov": pathlib.Path("odd")})


def test_system():
    """Two chips: one file with both or a file for each, with what each chip has alone, on any number of host threads."""
    pathlib.Path("two.yaml").write_text("chips: 3\n")
    words = ["--system", "two.yaml", "--chip", 0, *MATMUL, "--chip", 2, *FIVE]
    bytes_of = {}
    for threads in (1, 2):
        outputs("run", *words, "--threads", threads)
        bytes_of[threads] = {path.name: path.read_bytes() for path in pathlib.Path(".").iterdir()}
    assert bytes_of[1] == bytes_of[2]
    several = [f"{name}.chip{chip}{end}" for name, end in (("noc_trace", ".json"), ("t", ".kanata"), ("t", ".commit"), ("callgrind.out", ".x")) for chip in (0, 2)]
    one = ["t.json", "t.pftrace", "x.info", "profile_log_device.csv"]
    assert sorted(bytes_of[1]) == sorted(["two.yaml", *one, *several]), sorted(bytes_of[1])
    both = read_perfetto(pathlib.Path("t.pftrace"))
    assert comparable(both) == comparable(read_chrome(pathlib.Path("t.json")))
    names = {e["args"]["name"]: e["pid"] for e in json.loads(bytes_of[1]["t.json"])["traceEvents"] if e["name"] == "process_name"}
    assert names == {"chip 0 tile 1,2": 102, "chip 2 tile 1,2": 20102}, names
    rows = list(csv.reader(bytes_of[1]["profile_log_device.csv"].decode().splitlines()[2:]))
    assert {row[0] for row in rows} == {"0", "2"} and [row[0] for row in rows] == sorted(row[0] for row in rows)
    zones = json.loads(bytes_of[1]["noc_trace.chip2.json"])
    assert {zone["src_device_id"] for zone in zones} <= {2}
    for chip, alone in ((0, MATMUL), (2, FIVE)):
        os.mkdir(f"alone{chip}")
        os.chdir(f"alone{chip}")
        outputs("run", *alone)
        assert pathlib.Path("t.commit").read_bytes() == bytes_of[1][f"t.chip{chip}.commit"]
        assert pathlib.Path("t.kanata").read_bytes() == bytes_of[1][f"t.chip{chip}.kanata"]
        assert pathlib.Path("callgrind.out.x").read_bytes() == bytes_of[1][f"callgrind.out.chip{chip}.x"]
        assert pathlib.Path("x.info").read_bytes() in bytes_of[1]["x.info"]
        shifted = [(slice_[0] + 10000 * chip, *slice_[1:]) for slice_ in read_perfetto(pathlib.Path("t.pftrace"))]
        assert comparable(shifted) == comparable([s for s in both if s[0] // 10000 == chip])
        os.chdir("..")
    done = call("run", *words, "--trace", "/dev/full", status=2)
    assert "--trace: cannot write '/dev/full': No space left on device" in done.stderr, done.stderr
    done = call("run", "--system", "two.yaml", "--release", "none", "--brisc", GUEST / "hello.elf", "--profile-file", "n.csv", "--trace", "n.commit", status=2)
    assert "--trace: nothing happened on any chip" in done.stderr or "no core has run a kernel" in done.stderr, done.stderr
    assert not list(pathlib.Path(".").glob("n.*"))


def test_frames():
    """Frames on a cable: on the wire of the sender, and on their way to the receiver."""
    pathlib.Path("two.yaml").write_text("chips: 2\nlinks:\n  - 0.4 1.5\n")
    words = ["--system", "two.yaml", "--tile", "1,2", "--brisc", TEST_GUEST / "relay_writer.elf", "--tile", "2,2", "--brisc", TEST_GUEST / "relay_reader.elf"]
    words += ["--tile", "24,25", "--erisc0", TEST_GUEST / "relay_there.elf", "--erisc1", TEST_GUEST / "relay_tells.elf"]
    words += ["--chip", 1, "--tile", "25,25", "--erisc0", TEST_GUEST / "relay_back.elf"]
    done = call("run", *words, "--json", "--stats", "--trace", "t.json", "--trace", "t.pftrace", "--trace", "t.kanata")
    report = json.loads(done.stdout)
    frames = [e for e in json.loads(pathlib.Path("t.json").read_text())["traceEvents"] if e["tid"] == 21 and e["ph"] in "Xbe"]
    sent = {e["pid"]: e for e in frames if e["ph"] == "X"}
    begins, ends = ({e["pid"]: e for e in frames if e["ph"] == phase} for phase in "be")
    assert len(frames) == 6 and sorted(sent) == sorted(begins) == [2425, 12525]
    for here, there in ((2425, 12525), (12525, 2425)):
        assert sent[here]["ts"] == begins[there]["ts"] < ends[there]["ts"]
        assert sent[here]["args"]["bytes"] == begins[there]["args"]["bytes"] == report["links"][0]["bytes"][here > 10000] == 52
    assert comparable(read_perfetto(pathlib.Path("t.pftrace"))) == comparable(read_chrome(pathlib.Path("t.json")))
    tracks = {(chip["chip"], tile["tile"]): {t["track"]: t for t in tile["tracks"]} for chip in report["chips"] for tile in chip["stats"]}
    for key in ((0, "24,25"), (1, "25,25")):
        eth = tracks[key]["eth"]
        assert (eth["packets_out"], eth["packets_in"], eth["bytes_out"], eth["bytes_in"]) == (1, 1, 52, 52), eth


def test_disk():
    """A full disk: the report is there, the message names the file."""
    if not pathlib.Path("/dev/full").exists():
        return
    for kind, option in [(k, "trace") for k in TRACES.values()] + [(k, "profile") for k in PROFILES.values()]:
        file_option = "--trace" if option == "trace" else "--profile-file"
        for words, status in ((MATMUL, 2), (["--brisc", TEST_GUEST / "fault.elf"], 1)):
            done = call("run", *words, f"--{option}-format", kind, file_option, "/dev/full", status=status)
            assert " cycles: " in done.stdout, done
            assert f"{file_option}: cannot write '/dev/full': No space left on device" in done.stderr, done.stderr
        done = call("run", *MATMUL, f"--{option}-format", kind, file_option, "no/such/folder", status=2)
        assert f"{file_option}: cannot write 'no/such/folder': No such file or directory" in done.stderr


def test_gone_reader():
    """A pipe whose reader has gone: the run goes on and is reported."""
    os.mkfifo("pipe")
    with subprocess.Popen(["head", "-c", "100", "pipe"], stdout=subprocess.DEVNULL):
        done = call("run", "--brisc", GUEST / "primes.elf", "--trace-format", "commit", "--trace", "pipe", status=2)
    assert " cycles: " in done.stdout and "--trace: cannot write 'pipe': Broken pipe" in done.stderr, done


def test_many_events():
    """More records than fit into memory are sorted in a file; a million lines and more."""
    call("run", "--brisc", GUEST / "primes.elf", "--quiet", "--trace", "m.kanata", "--trace", "m.commit")
    retired, _ = check_kanata({"kanata": pathlib.Path("m.kanata")}, {"cores": []})
    assert retired[0] > 90000


def test_many_texts():
    """More texts than the table of a trace holds: the trace forgets them all and begins again."""
    words = []
    for i in range(12000):
        for word in (0x45000014 | (i & 0x3FFF) << 8, 0xB20A0000 | i):  # SETDMAREG, SETC16
            words.append((word << 2 | word >> 30) & 0xFFFFFFFF)
    words.append(0x00100073)
    pathlib.Path("words.bin").write_bytes(b"".join(w.to_bytes(4, "little") for w in words))
    call("run", "--trisc0", "words.bin@0x6000", "--quiet", "--trace", "w.pftrace", "--trace", "w.json")
    slices = read_perfetto(pathlib.Path("w.pftrace"))
    assert len({s[-1].get("instruction") for s in slices}) > 20000
    assert comparable(slices) == comparable(read_chrome(pathlib.Path("w.json")))


def main():
    for test in [f for name, f in globals().items() if name.startswith("test_")]:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            test()
            os.chdir("/")
        print(test.__name__, "ok", flush=True)


main()
