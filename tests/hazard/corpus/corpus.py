#!/usr/bin/env python3
"""Races in a broken and a mended form: `bhemu check` must find the first and be silent about the second.

    corpus.py BHEMU BHEMU_CC [NAME]...      pairs whose file names begin so; all without one

A pair is a C file, named by class, mechanism and public issue. Its functions brisc, ncrisc, trisc0, trisc1 and trisc2
are the programs of cores; BROKEN is defined for the broken form. Comments say what to expect:

    /* expect: KIND VERDICT */      every hazard of the broken form; there must be one. Several: KIND VERDICT, KIND ...
    // first, // second             where its two accesses are: this line, or all of the function that begins here.
                                    With several such lines every one must be met by a hazard. // first, second: both.
    /* second: _exit */             a function that is not in the file, or an agent without instructions: nobody
    /* tiles: 1,2 2,2 */            tiles that run the programs; 1,2 without it
    /* missed: what it takes */     the broken form is not found yet, for this reason
    /* silent: why */               the broken form does no harm on this chip, and must not be reported
    /* false: what it takes */      the mended form has hazards, which is wrong, for this reason
    /* shown: DELAYS */             with these delays (--vary) the outcome of the broken form is another one

The outcome of the mended form is the same with every seed (`bhemu explore`).

Most pairs care little about what is in memory and what they leave behind, so that hazards with the verdict SUSPECT count
only in pairs that expect one of the kind.

In the mended form every core returns 0. A pair whose state is no longer what `missed` or `false` says has failed, too:
the line has to go.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
CORE = re.compile(r"^int (brisc|ncrisc|trisc[012])\(void\) \{", re.M)
FUNCTION = re.compile(r"^\w[\w ]*?(\w+)\(.*\) \{")
MARK = re.compile(r"// (first|second|first, second)$")


class Pair:
    def __init__(self, path):
        text = path.read_text()
        self.path, self.name = path, path.stem
        self.cores = CORE.findall(text)
        self.expected = {tuple(words.split()) for words in (note(text, "expect") or "").split(",") if words}
        self.tiles = (note(text, "tiles") or "1,2").split()
        self.missed, self.false, self.silent, self.shown = (
            note(text, name) for name in ("missed", "false", "silent", "shown")
        )
        self.sites = {side: set((note(text, side) or "").split()) for side in ("first", "second")}
        for number, line in enumerate(text.splitlines(), 1):
            mark, function = MARK.search(line), FUNCTION.match(line)
            for side in mark[1].split(", ") if mark else []:
                self.sites[side].add(function[1] if function else number)

    def site(self, hazard, side):
        """The mark, a line's number or a function's name, at which an access of a hazard is; None if it is somewhere else."""
        at = hazard[side]
        here = Path(at.get("file", "")).name == self.path.name
        for mark in self.sites[side]:
            if mark in (at.get("symbol"), at["agent"]) or (here and mark == at.get("line")):
                return mark
        return None

    def cares_about(self, hazard):
        return hazard["verdict"] != "SUSPECT" or (hazard["kind"], "SUSPECT") in self.expected

    def problems_broken(self, report):
        found, met = set(), {"first": set(), "second": set()}
        for hazard in report["hazards"]:
            what = hazard["kind"], hazard["verdict"]
            sites = {side: self.site(hazard, side) for side in self.sites}
            if what not in self.expected or None in sites.values():
                yield "unexpected: " + summary(hazard)
            found.add(what)
            for side, site in sites.items():
                met[side].add(site)
        for kind, verdict in self.expected - found:
            yield f"no {kind} {verdict}"
        for side, marks in self.sites.items():
            for mark in marks - met[side]:
                yield f"no hazard has its {side} access at {mark}"

    def problems_mended(self, report):
        for hazard in report["hazards"]:
            yield "mended: " + summary(hazard)
        yield from self.problems_run(report)

    def problems_run(self, report):
        if report["outcome"] != "done":
            yield "mended: " + report["outcome"]
        for core in report["cores"]:
            if core["a0"]:
                yield f"mended: {core['core']} of tile {core['tile']} returned {core['a0']:#x}"


def note(text, name):
    found = re.search(rf"^/\* {name}: (.*?) \*/$", text, re.M | re.S)
    return found and " ".join(found[1].split())


def summary(hazard):
    sides = [f"{at['agent']} {at['access']} <{at.get('symbol')}> {at.get('file')}:{at.get('line')}"
             for at in (hazard["first"], hazard["second"])]
    return f"{hazard['kind']} {hazard['verdict']} at {hazard['place']}: {sides[0]}, {sides[1]}"


MEMORY = [f"1,2-4,2:{area}" for area in ("0x20000:0x800", "0x30000:0x1000", "0x40000:0x40")]
SEEDS = "6"


def build(pair, cc, folder, flags):
    """The arguments that run one form of a pair."""
    programs = []
    for core in pair.cores:
        program = f"{folder}/{pair.name}_{core}.elf"
        subprocess.run([cc, core, "-Werror", *flags, str(pair.path), "-o", program], check=True)
        programs += ["--" + core, program]
    tiles = [word for tile in pair.tiles for word in ("--tile", tile)]
    return ["--max-cycles", "1M", *tiles, *programs]


def report_of(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if not done.stdout.startswith("{"):
        raise RuntimeError(f"no report: {' '.join(command)}")
    return json.loads(done.stdout)


def check(pair, bhemu, arguments):
    report = report_of([bhemu, "check", "--json", *arguments])
    report["hazards"] = [hazard for hazard in report["hazards"] if pair.cares_about(hazard)]
    return report


def looks():
    """The arguments that show the memory of the pairs."""
    return [word for area in MEMORY for word in ("--dump", area)]


def problems_explored(bhemu, arguments):
    """The mended form must not depend on delays."""
    report = report_of([bhemu, "explore", "-n", SEEDS, "--jobs", "1", "--json", *arguments, *looks()])
    for seed in report["differing_seeds"][:1]:
        yield f"mended: differs with seed {seed}: {report['vary']}"


def problems_shown(pair, bhemu, arguments, folder):
    """The broken form must depend on these."""
    outcomes = []
    for vary in ("none", pair.shown):
        path = f"{folder}/outcome"
        subprocess.run([bhemu, "run", "--vary", vary, "--outcome", path, *arguments, *looks()],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        outcomes.append(Path(path).read_text())
    if outcomes[0] == outcomes[1]:
        yield f"{pair.shown} does not change the outcome"


def try_pair(pair, bhemu, cc, folder):
    """Says how a pair went. Returns whether it went as it should."""
    arguments = build(pair, cc, folder, ["-DBROKEN"])
    broken = check(pair, bhemu, arguments)
    problems = list(problems_shown(pair, bhemu, arguments, folder)) if pair.shown else []
    arguments = build(pair, cc, folder, [])
    mended = check(pair, bhemu, arguments)
    problems += problems_explored(bhemu, arguments)
    if pair.silent:
        problems += ["broken: " + summary(hazard) for hazard in broken["hazards"]]
    elif not pair.missed:
        problems += pair.problems_broken(broken)
    elif broken["hazards"]:
        problems += ["now caught: " + summary(hazard) for hazard in broken["hazards"]]
    if not pair.false:
        problems += pair.problems_mended(mended)
    elif not mended["hazards"]:
        problems += ["mended: now silent"]
    state = "FAILED" if problems else "missed: " + pair.missed if pair.missed else "silent" if pair.silent else "found"
    print(f"{pair.name}: {state}" + (f", but a false report: {pair.false}" if pair.false else ""))
    for problem in problems:
        print("    " + problem)
    return not problems


def main():
    bhemu, cc, *names = sys.argv[1:]
    os.environ["BHEMU_CC_QUIET"] = "1"
    paths = sorted(path for path in FOLDER.glob("*.c") if path.name.startswith(tuple(names or [""])))
    with tempfile.TemporaryDirectory() as folder:
        good = [try_pair(Pair(path), bhemu, cc, folder) for path in paths]
    print(f"{len(good)} pairs, {good.count(False)} failed")
    sys.exit(not good or not all(good))


if __name__ == "__main__":
    main()
