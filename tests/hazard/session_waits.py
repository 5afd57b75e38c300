#!/usr/bin/env python3
"""Removes the waits of the kernels of recorded libttsim sessions one at a time, and says what notices it.

    session_waits.py check BUILD ELVES RESULTS [--skip TEXT]... LOG...
    session_waits.py explore BUILD ELVES RESULTS [-n SEEDS] [--times N] [--skip TEXT]... LOG...
    session_waits.py table RESULTS...

BUILD is a build directory with libttsim.so and tests/external/rerun, ELVES a folder with the kernels' ELF files (at any
depth), LOG a log of tests/external/recorder.c. Code is found in what the host wrote, by its bytes. A wait is

    a STALLWAIT, SEMWAIT or ATGETM, in the code or as a constant for the MOP expander: becomes a NOP
    a fence: becomes a nop
    a short loop of loads, without stores and calls: runs once, and its loads, but for those of local variables, become 0,
    because a value that is loaded tells a core something
    a load that waits for the coprocessor (TTSync, mop_sync): becomes a constant

All copies of one source line are one wait; lines of helpers (HELPER) count with the line that calls them. --skip leaves out
ELF files whose path contains TEXT. For each log with all its waits, and for each wait that is removed, RESULTS gets a line of
JSON with

    check   what the check reports; without a wait, what it does not report with all of them
    shown   the first seed (of 200, unless -n says) with which the host reads something else, and what; null: none. 0: a run
            without delays

What RESULTS has is not done again, so the program can be stopped at any time; with a larger -n it goes on where it was. With
--times, a line that N sessions have tried with all seeds is not tried in others. `table` counts: a wait that is shown, but
that no check reports as a RACE, has been missed; a race that nothing shows has to be explained. This is a measurement, not a
test: docs/hazards.md has its result.
"""
import collections
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

ADDR2LINE = os.environ.get("RISCV_ADDR2LINE", "riscv64-unknown-elf-addr2line")
STALLWAIT, SEMWAIT, ATGETM, TENSIX_NOP = 0xA2, 0xA6, 0xA0, 0x02000000
NAMES = {STALLWAIT: "STALLWAIT", SEMWAIT: "SEMWAIT", ATGETM: "ATGETM"}
NOP = 0x00000013
STACK, GLOBALS = 2, 3
PC_BUFFER = 0xFFE80000  # loads here wait for the coprocessor
HELPER = re.compile(r"/(ckernel|cmath_common|cpack_common|cunpack_common|ckernel_fence|dataflow_api|noc_nonblocking_api"
                    r"|risc_common)\.h:")
WRITES = {7: 1, 9: 3}  # kinds of records that write, and how many numbers they have
NUMBERS = {0: 1, 1: 0, 2: 0, 3: 1, 4: 3, 5: 3, 6: 1, 7: 1, 8: 3, 9: 3, 10: 1, 11: 1, 12: 1}
WITH_DATA = {6, 7, 8, 9, 11, 12}


def records(path):
    """Writes of a log: (number, numbers, data)."""
    log, at, count = Path(path).read_bytes(), 9, 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = log[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    try:
        while at < len(log):
            kind = log[at]
            at += 1
            count += 1
            numbers = [number() for _ in range(NUMBERS[kind])]
            data = bytearray()
            if kind in WITH_DATA:
                size = number()
                while len(data) < size:
                    piece = number()
                    if piece & 1:
                        data += bytes([log[at]]) * (piece >> 1)
                        at += 1
                    else:
                        data += log[at:at + (piece >> 1)]
                        at += piece >> 1
            if kind in WRITES:
                yield count, numbers, bytes(data)
    except IndexError:
        pass  # cut short


class Elf:
    """The code of a kernel: sections that are loaded and executed."""

    def __init__(self, path):
        raw = path.read_bytes()
        self.path = path
        (table,) = struct.unpack_from("<I", raw, 32)
        size, count, _ = struct.unpack_from("<3H", raw, 46)
        headers = [struct.unpack_from("<10I", raw, table + i * size) for i in range(count)]
        self.sections = [(h[3], raw[h[4]:h[4] + h[5]]) for h in headers if h[1] == 1 and h[2] & 4 and h[5] >= 16]

    def lines(self, addresses):
        """The chain of source lines of each address, the innermost first."""
        if not addresses:
            return {}
        text = subprocess.run([ADDR2LINE, "-i", "-a", "-e", self.path, *(hex(a) for a in addresses)], check=True,
                              stdout=subprocess.PIPE, text=True).stdout
        chains, chain = {}, None
        for line in text.splitlines():
            if line.startswith("0x"):
                chain = chains.setdefault(int(line, 16), [])
            else:
                chain.append(os.path.normpath(line.split(" ")[0]))
        return chains


def site(chain):
    """The name of a source line, with its callers up to one that is no helper."""
    names = []
    for line in chain:
        names.append(line.split("/")[-1])
        if not HELPER.search(line):
            break
    return " < ".join(names)


def signed(value, bits):
    return value - (1 << bits) if value >> bits - 1 else value


def waits(base, code):
    """Waits in the code: (what, address, [(address, new word)])."""
    words = struct.unpack(f"<{len(code) // 4}I", code[:len(code) & ~3])
    for i, word in enumerate(words):
        at = base + 4 * i
        if word & 3 != 3:  # of the coprocessor
            instruction = word >> 2 | (word & 3) << 30
            if instruction >> 24 in NAMES:
                yield NAMES[instruction >> 24], at, [(at, (TENSIX_NOP << 2 | TENSIX_NOP >> 30) & 0xFFFFFFFF)]
        elif word & 0x707F == 0x000F:
            yield "fence", at, [(at, NOP)]
        elif word & 0x7F == 0x63:  # a branch
            offset = signed((word >> 31) << 12 | (word >> 7 & 1) << 11 | (word >> 25 & 63) << 5 | (word >> 8 & 15) << 1, 13)
            body = words[max(0, i + offset // 4):i] if -40 <= offset < 0 else ()
            loads = [w for w in body if w & 0x7F == 3]
            if loads and all(w & 3 == 3 and w & 0x7F not in (0x23, 0x63, 0x67, 0x6F, 0x73) for w in body) \
                    and all(not steps(body, w >> 15 & 31) for w in loads):
                first = at + offset
                zeros = [(first + 4 * k, w & 0xF80 | NOP) for k, w in enumerate(body)
                         if w & 0x7F == 3 and w >> 15 & 31 not in (STACK, GLOBALS)]
                yield "loop", at, [(at, NOP), *zeros]
        elif word & 0x7F == 0x37 and word >> 24 in NAMES:  # lui: a word for the MOP expander
            register = word >> 7 & 31
            changes = [(at, TENSIX_NOP & 0xFFFFF000 | register << 7 | 0x37)]
            for k in range(i + 1, min(i + 12, len(words))):
                later = words[k]
                if later & 0xFFFFF == (register << 15 | register << 7 | 0x13) & 0xFFFFF and later >> 12 & 7 == 0:
                    changes.append((base + 4 * k, register << 15 | register << 7 | 0x13))
                    break
                if later & 3 == 3 and later >> 7 & 31 == register and later & 0x7F not in (0x23, 0x63):
                    break
            yield NAMES[word >> 24] + " (constant)", at, changes
        elif word & 0x707F == 0x2003 and word >> 20 in (4, 8) and loads_from_pc_buffer(words, i):
            yield "sync", at, [(at, word & 0xF80 | NOP)]


def steps(body, register):
    """Whether a loop moves the address of its loads: then it does not poll."""
    return any(w & 0x7F == 0x13 and w >> 7 & 31 == register and w >> 15 & 31 == register for w in body)


def loads_from_pc_buffer(words, i):
    register = words[i] >> 15 & 31
    for k in range(i - 1, max(-1, i - 200), -1):
        word = words[k]
        if word & 3 == 3 and word & 0x7F not in (0x23, 0x63) and word >> 7 & 31 == register:
            return word == (PC_BUFFER | register << 7 | 0x37)
    return False


def parse(report):
    """Hazards of a report of BHEMU_CHECK, by kind and instructions."""
    found = {}
    for block in re.split(r"^(?=[A-Z]+ at )", report, flags=re.M)[1:]:
        verdict = block.split(" ", 1)[0]
        kind = re.search(r"kind (\w+)", block)
        sides = re.findall(r"^  (?:first |second) +(.*?)(?: on tile (\S+))? (reads|writes|.*?) in cycle (\S+?)"
                           r"(?:, (?:pushed|requested) by (\w+))?:\n          (\w+)  (.*)$", block, re.M)
        places = tuple(f"{side[4] or side[0].split(',')[0]} {side[5]}" for side in sides)
        what = block.splitlines()[0]
        found[(verdict, kind[1] if kind else "?", *places)] = what
    return found


class Session:
    def __init__(self, build, log, index):
        self.rerun = [str(build / "tests/external/rerun"), str(build / "libttsim.so"), str(log)]
        self.log, self.sites, self.elves = log, collections.OrderedDict(), []
        writes = list(records(log))
        for elf in index:
            places = []
            for base, code in elf.sections:
                found = [(count, data.find(code)) for count, _, data in writes if len(data) >= len(code) and code in data]
                places.append((base, code, found))
            if all(found for _, _, found in places):
                self.elves.append(elf)
                self.find(elf, places)

    def find(self, elf, places):
        found = [(what, at, changes, base, copies) for base, code, copies in places for what, at, changes in waits(base, code)]
        lines = elf.lines([at for _, at, *_ in found])
        for what, at, changes, base, copies in found:
            name = f"{what} {site(lines[at])}"
            words = [f"{record}:{offset + place - base}={word:08x}" for record, offset in copies for place, word in changes]
            self.sites.setdefault(name, []).extend(words)

    def run(self, *arguments):
        done = subprocess.run([*self.rerun, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode == 2:
            raise RuntimeError(f"{self.log}: {done.stderr}")
        return done.returncode, done.stdout.strip()

    def check(self, words):
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report"
            status, text = self.run("--check", str(report), *words)
            return parse(report.read_text() if report.exists() else ""), status, text

    def shown(self, first, last, words):
        status, text = self.run("--seeds", str(first), str(last), *words)
        return text if status else None

    def name_places(self, hazard):
        """Instructions of a hazard with their source lines."""
        named = []
        for side in hazard[2:]:
            agent, address = side.rsplit(" ", 1)
            line = ""
            for elf in self.elves:
                if any(base <= int(address, 16) < base + len(code) for base, code in elf.sections):
                    line = site(elf.lines([int(address, 16)])[int(address, 16)])
            named.append(f"{agent} {address} {line}")
        return [*hazard[:2], *named]


def table(paths):
    """A line for each wait, by source line, over all sessions."""
    intact, checks, shown = {}, {}, {}
    for line in (json.loads(line) for path in paths for line in Path(path).read_text().splitlines()):
        place = checks if "check" in line else shown
        (place if line["wait"] else intact.setdefault(line["log"], {}))[(line["wait"], line["log"]) if line["wait"] else
                                                                        "check" if place is checks else "shown"] = line
    states, names = collections.Counter(), collections.defaultdict(set)
    for wait, log in checks.keys() & shown.keys():
        names[wait].add(log)
    for wait, logs in sorted(names.items()):
        races = {log for log in logs if any(h[0] == "RACE" for h in checks[wait, log]["check"])}
        others = {log for log in logs if checks[wait, log]["check"]} - races
        differ = {log for log in logs if shown[wait, log]["shown"]}
        missed = differ - races
        state = "+".join(word for word, which in (("race", races), ("other", not races and others), ("shown", differ),
                                                  ("missed", missed)) if which) or "nothing"
        states[state] += 1
        print(f"{state:20} {wait}: {len(logs)} sessions, {len(races)} race, {len(others)} other, {len(differ)} shown, "
              f"{len(missed)} missed {' '.join(sorted(missed)[:3])}")
    print(f"{len({log for _, log in checks.keys() & shown.keys()})} sessions, {len(checks.keys() & shown.keys())} removals, "
          f"{len(names)} lines: {dict(states)}")


def main():
    verb, *arguments = sys.argv[1:]
    if verb == "table":
        return table(arguments)
    build, elves, results = (Path(a).resolve() for a in arguments[:3])
    arguments, seeds, times, skip = arguments[3:], 200, None, []
    while arguments[0].startswith("-"):
        option, value = arguments.pop(0), arguments.pop(0)
        if option == "-n":
            seeds = int(value)
        elif option == "--times":
            times = int(value)
        elif option == "--skip":
            skip.append(value)
    index = {}
    for path in sorted(elves.rglob("*.elf")):
        if not any(text in str(path) for text in skip):
            elf = Elf(path)
            index.setdefault(tuple(elf.sections), elf)  # one of those with the same code
    done, tried = {}, collections.Counter()
    for line in map(json.loads, results.read_text().splitlines()) if results.exists() else ():
        done[line["log"], line["wait"]] = line
    for (log, wait), line in done.items():
        tried[wait] += bool(line.get("shown")) or line.get("seeds", 0) >= seeds
    with results.open("a") as out:

        def tell(**line):
            out.write(json.dumps(line) + "\n")
            out.flush()
            done[line["log"], line["wait"]] = line

        def explore(wait, words):
            before = done.get((log.name, wait), {"seeds": -1, "shown": None})
            if not before["shown"] and before["seeds"] < seeds and not (wait and times and tried[wait] >= times):
                tell(log=log.name, wait=wait, seeds=seeds, shown=session.shown(before["seeds"] + 1, seeds, words))
                tried[wait] += 1
            return done.get((log.name, wait), before)["shown"]

        for log in map(Path, arguments):
            session = Session(build, log.resolve(), index.values())
            print(f"{log.name}: {len(session.sites)} waits", flush=True)
            if verb == "explore":
                if explore("", []):
                    print(f"{log.name} differs with all waits: {done[log.name, '']['shown']}", flush=True)
                    continue
                for wait, words in session.sites.items():
                    explore(wait, words)
                continue
            before, _, text = session.check([])
            if (log.name, "") not in done:
                tell(log=log.name, wait="", check=[[*session.name_places(h), before[h]] for h in before], text=text)
            for wait, words in session.sites.items():
                if (log.name, wait) not in done:
                    after, _, text = session.check(words)
                    tell(log=log.name, wait=wait, text=text,
                         check=[[*session.name_places(h), after[h]] for h in after if h not in before])


if __name__ == "__main__":
    main()
