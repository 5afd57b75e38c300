#!/usr/bin/env python3
"""Removes the waits of guest/include/kit, of the examples and of guest/kernels one at a time, and says what notices it.

    waits.py BUILD [-n SEEDS] [--only TEXT] [NAME]...      subjects; all without one

BUILD is a build directory with bhemu, libttsim.so and tests/guest/dispatch. Subjects are the examples, `paths`
(guest/kernels/paths: every operation, by bhemu run) and `dispatch` (guest/kernels/dispatch behind libttsim.so). A wait is a
line with nothing but a STALLWAIT, a SEMWAIT, a SEMPOST or SEMGET, a fence or a call of a function that waits; --only takes
those whose place and text contain TEXT. For each of them, and each subject whose programs change:

    wrong   the outcome of a run without delays is another one
    race    `bhemu check` reports a RACE that the subject does not have with all of its waits
    other   it reports a hazard with another verdict that the subject does not have
    shown   one of the seeds changes the outcome

What is wrong or shown without a report has been missed; a race that nothing shows has to be explained. Subjects whose outcome
depends on time are not explored. This is a measurement, not a test: docs/hazards.md has its result.
"""
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random

OBJCOPY = os.environ.get("RISCV_OBJCOPY", "riscv64-unknown-elf-objcopy")
ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ["axpy", "datacopy", "dram-stream", "eltwise-add", "five", "gelu", "gpr-config", "hello", "matmul", "matmul-140",
            "ring", "sum", "wait-gates"]  # those of a single chip that wait for something
TIMED = {"five", "sum"}  # print cycles
WAIT = re.compile(r"^\s*(TTI_STALLWAIT\(.*\)|TTI_SEM(WAIT|POST|GET)\(.*\)|fence\(\)|noc_\w+_(done|sent)\(.*\)|tensix_sync\(\)|mop_sync\(\)"
                  r"|wait_for\w*\(.*\)|(math|pack|unpack|sfpu)_wait\w*\(.*\));(\s*/\*.*\*/)?$")

# Stands for bhemu while an example runs: notes what the example wants.
STAND = """#!/bin/sh
n=$(ls "$WAITS_LOG" | wc -l)
printf '%s\\n' "$@" >"$WAITS_LOG/$n"
exec "$WAITS_BHEMU" "$@"
"""


class Run:
    """A command of bhemu, with what a subject has put into its folder."""

    def __init__(self, bhemu, arguments, folder):
        self.bhemu, self.arguments, self.folder = bhemu, arguments, folder

    def call(self, *first, after=()):
        return subprocess.run([self.bhemu, *first, *self.arguments, *after], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True).stdout

    def outcome(self):
        self.call("run", after=("--outcome", "waits-outcome"))
        path = Path(self.folder) / "waits-outcome"
        text = path.read_text() if path.exists() else ""
        return re.sub(r"\b(pc |text \S+ )0x\w+", r"\1", text)  # code without a wait is shorter

    def hazards(self):
        report = self.call("check", "run", "--json")
        return json.loads(report)["hazards"] if report.startswith("{") else []

    def differs(self, seeds):
        report = self.call("explore", "-n", str(seeds), "--jobs", "1", "--json", "run") if seeds else ""
        return len(json.loads(report)["differing_seeds"]) if report.startswith("{") else 0


def cause(hazard):
    """What makes a hazard the same in another build."""
    sides = (hazard["first"], hazard["second"])
    return (hazard["kind"], *(f"{side.get('symbol', '')} {side['agent']}" for side in sides))


class Subject:
    """Something that is built and run. Subclasses have `sources`, `build(guest, folder)` and `runs(guest, folder)`."""

    def __init__(self, name, build, seeds):
        self.name, self.bhemu = name, str(build / "bhemu")
        self.seeds = 0 if name in TIMED else seeds

    def measure(self, guest, folder):
        result = {"outcome": [], "races": {}, "others": {}, "differs": 0}
        for run in self.runs(guest, folder):
            result["outcome"].append(run.outcome())
            for hazard in run.hazards():
                result["races" if hazard["verdict"] == "RACE" else "others"][cause(hazard)] = hazard
            result["differs"] += run.differs(self.seeds)
        return result


class Example(Subject):
    def sources(self, guest):
        return [path for path in sorted((guest / "examples" / self.name).glob("*.c")) if path.name != "host.c"]

    def build(self, guest, folder):
        compile_folder(guest, guest / "examples" / self.name, folder)

    def runs(self, guest, folder):
        """Runs of the example itself leave their folder behind: its script is read, and what it asks for is done again."""
        log, work = Path(folder) / "log", Path(folder) / "work"
        stand = Path(folder) / "stand"
        for path in (log, work):
            shutil.rmtree(path, ignore_errors=True)
            path.mkdir()
        stand.write_text(STAND)
        stand.chmod(0o755)
        for path in Path(folder).glob("*.elf"):
            shutil.copy(path, work)
        example = guest / "examples" / self.name
        if (example / "host.c").exists():
            subprocess.run(["cc", "-std=c11", "-O1", f"-I{guest}/examples", f"-I{guest}/include", example / "host.c", "-lm",
                            "-o", work / "host"], check=True)
        script = 'bhemu() { "$STAND" "$@"; }; host() { ./host "$@"; }; example=$1; . "$1/run"'
        subprocess.run(["sh", "-c", script, "sh", example], cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       env={**os.environ, "STAND": stand, "WAITS_LOG": log, "WAITS_BHEMU": self.bhemu})
        for path in sorted(log.iterdir(), key=lambda path: int(path.name)):
            yield Run(self.bhemu, path.read_text().splitlines()[1:], work)


class Paths(Subject):
    """Every operation of guest/kernels/paths on small tensors, one after the other."""

    COPY, TILIZE, UNTILIZE, TRANSPOSE, ELTWISE, REDUCE, ROW_SUMS, MATMUL, SFPU = range(1, 10)
    DATA, OTHER, OUT, ROOM = 0x18000, 0x20000, 0x28000, 0x4000

    def sources(self, guest):
        return sorted((guest / "kernels/paths").glob("*.c"))

    def build(self, guest, folder):
        compile_folder(guest, guest / "kernels/paths", folder)

    def block(self, number, operation, variant=0, passes=1, maximum=0):
        bf16 = 5
        words = [operation, variant, 0, maximum, 1, 2, 1, 2, self.DATA, self.OTHER, self.OUT + number * self.ROOM]
        return struct.pack("<24I", *words, *[bf16] * 4, 0, 0, passes, *[0] * 6)

    def runs(self, guest, folder):
        random = Random(2026)
        data = b"".join(struct.pack("<H", 0x3F80 | random.getrandbits(16) & 0x807F) for _ in range(4 * 1024))
        (Path(folder) / "data").write_bytes(data)
        lists = [[(self.COPY, 0), (self.COPY, 1), (self.COPY, 2), (self.COPY, 3), (self.TILIZE, 0), (self.TILIZE, 3),
                  (self.TRANSPOSE, 0), (self.TRANSPOSE, 1), (self.ELTWISE, 0), (self.ELTWISE, 2), (self.REDUCE, 0),
                  (self.ROW_SUMS, 0), (self.MATMUL, 0, 2), (self.SFPU, 0), (self.SFPU, 1)],
                 [(self.UNTILIZE, 0), (self.UNTILIZE, 3)]]
        for number, operations in enumerate(lists):
            blocks = b"".join(self.block(i, *operation) for i, operation in enumerate(operations))
            (Path(folder) / f"blocks{number}").write_bytes(blocks + bytes(96))
            arguments = [word for core in ("brisc", "trisc0", "trisc1", "trisc2") for word in (f"--{core}", f"paths_{core}.elf")]
            arguments += ["--release", "brisc", "--max-cycles", "2M", "--write", f"1,2:0x16100=blocks{number}"]
            arguments += ["--write", f"1,2:{self.DATA}=data", "--write", f"1,2:{self.OTHER}=data"]
            arguments += ["--dump", f"1,2:{self.OUT}:{len(operations) * self.ROOM}"]
            yield Run(self.bhemu, arguments, folder)


class Dispatch(Subject):
    """guest/kernels/dispatch with its host, which compares every answer with a model."""

    def __init__(self, name, build, seeds):
        super().__init__(name, build, seeds)
        self.program, self.library = build / "tests/guest/dispatch", build / "libttsim.so"

    def sources(self, guest):
        return sorted((guest / "kernels/dispatch").glob("*.[ch]"))

    def build(self, guest, folder):
        folder, kernels = Path(folder), guest / "kernels/dispatch"
        for name, core in (("prefetch", "brisc"), ("dispatch", "brisc"), ("subordinate", "ncrisc"), ("worker", "brisc")):
            subprocess.run([guest / "bhemu-cc", core, kernels / f"{name}.c", "-o", folder / f"dispatch_{name}.elf"], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "BHEMU_CC_QUIET": "1"})
        for name in ("fold", "mix"):
            subprocess.run([os.environ.get("RISCV_CC", "riscv64-unknown-elf-gcc"), "-march=rv32im_zicsr_zba_zbb", "-mabi=ilp32",
                            "-ffreestanding", "-nostdlib", "-O2", "-g", "-ffunction-sections", "-fdata-sections",
                            "-Wl,--gc-sections", "-DGUEST_CORE=GUEST_BRISC", f"-I{guest}/include", f"-I{guest}/../src", "-T",
                            kernels / "kernel.ld", kernels / f"{name}.c", "-o", folder / f"dispatch_{name}.elf"], check=True,
                           stderr=subprocess.DEVNULL)

    def session(self, folder, **variables):
        command = [self.program, folder, self.library, "--only", "behind_the_abi", "--steps", "200"]
        try:
            return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=20,
                                  env={**os.environ, **variables}).returncode
        except subprocess.TimeoutExpired:
            return "no end"

    def measure(self, guest, folder):
        report = Path(folder) / "report"
        report.unlink(missing_ok=True)
        outcome = self.session(folder, BHEMU_CHECK=str(report))
        races, others = {}, {}
        for block in re.split(r"^(?=[A-Z]+ at )", report.read_text() if report.exists() else "", flags=re.M):
            kind = re.search(r"kind (\w+)", block)
            if kind:  # without symbols: by kind and instructions
                found = races if block.startswith("RACE") else others
                found[(kind[1], *re.findall(r"^          \w+  (.*)$", block, re.M))] = {"text": block.splitlines()[0]}
        right = self.session(folder)
        differs = sum(self.session(folder, BHEMU_VARY=str(seed)) != right for seed in range(1, self.seeds + 1)) if right == 0 else 0
        return {"outcome": [right, outcome], "races": races, "others": others, "differs": differs}


def compile_folder(guest, source, folder):
    subprocess.run([guest / "bhemu-cc", source, "-o", folder], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env={**os.environ, "BHEMU_CC_QUIET": "1"})


def programs(subject, guest, folder):
    """The code and data of the programs of a subject; names and lines do not count."""
    shutil.rmtree(folder, ignore_errors=True)
    Path(folder).mkdir()
    subject.build(guest, folder)
    for path in Path(folder).glob("*.elf"):
        subprocess.run([OBJCOPY, "-O", "binary", path, path.with_suffix(".bin")], check=True)
    return {path.name: path.read_bytes() for path in Path(folder).glob("*.bin")}


def waits(guest, subjects):
    files = sorted((guest / "include/kit").glob("*.h"))
    files += [path for subject in subjects for path in subject.sources(guest)]
    for path in files:
        for number, line in enumerate(path.read_text().splitlines()):
            if WAIT.match(line):
                yield path, number


def main():
    arguments = sys.argv[1:]
    build, seeds, only = Path(arguments.pop(0)).resolve(), 200, ""
    while arguments and arguments[0].startswith("-"):
        option, value = arguments.pop(0), arguments.pop(0)
        if option == "-n":
            seeds = int(value)
        elif option == "--only":
            only = value
    kinds = {"paths": Paths, "dispatch": Dispatch}
    subjects = [kinds.get(name, Example)(name, build, seeds) for name in arguments or [*EXAMPLES, "paths", "dispatch"]]
    with tempfile.TemporaryDirectory() as folder:
        guest, built = Path(folder) / "guest", Path(folder) / "built"
        shutil.copytree(ROOT / "guest", guest)
        for part in ("src", "include"):  # tables of which headers for guests are made
            (Path(folder) / part).symlink_to(ROOT / part)
        built.mkdir()
        usual, right = {}, {}
        for subject in subjects:
            usual[subject.name] = programs(subject, guest, built / subject.name)
            right[subject.name] = result = subject.measure(guest, built / subject.name)
            print(f"{subject.name}: races {sorted(result['races'])}, {result['differs']} of {subject.seeds} seeds differ",
                  flush=True)
        counts = {}
        for path, number in waits(guest, subjects):
            text = path.read_text()
            lines = text.splitlines(keepends=True)
            removed = lines[number].strip()
            where = f"{path.relative_to(guest)}:{number + 1}: {removed}"
            if only not in where:
                continue
            lines[number] = "    ;\n"
            path.write_text("".join(lines))
            found = []
            for subject in subjects:
                try:
                    if programs(subject, guest, built / "new") == usual[subject.name]:
                        continue
                except subprocess.CalledProcessError:
                    continue
                result, before = subject.measure(guest, built / "new"), right[subject.name]
                new = [what for what in result["races"] if what not in before["races"]]
                others = [what for what in result["others"] if what not in before["others"]]
                found.append((subject.name, result["outcome"] != before["outcome"], new, others, result["differs"]))
            path.write_text(text)
            words = [word for i, word in enumerate(("wrong", "race", "other", "shown"), 1) if any(f[i] for f in found)]
            state = "not used" if not found else "+".join(words) or "nothing"
            counts[state] = counts.get(state, 0) + 1
            print(f"{state:16} {where}", flush=True)
            for name, is_wrong, races, others, differs in found:
                print(f"    {name}: {'wrong, ' if is_wrong else ''}{differs} seeds differ; races {races}, others {others}", flush=True)
        print(counts)


if __name__ == "__main__":
    main()
