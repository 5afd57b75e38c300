#!/usr/bin/env python3
"""Removes the waits of guest/include/kit and of the examples one at a time, and says what notices it.

    waits.py BHEMU [-n SEEDS] [NAME]...      examples; six that compute something without one

A wait is a line with nothing but a STALLWAIT, a SEMWAIT, a fence or a call of a ..._done function. For each of them, and
each example whose programs change: is the result of a plain run wrong, does `bhemu check` report a RACE, and does one of
the seeds of `bhemu explore` change the outcome? This is a measurement, not a test: docs/hazards.md has its result.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

OBJCOPY = os.environ.get("RISCV_OBJCOPY", "riscv64-unknown-elf-objcopy")
ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ["datacopy", "eltwise-add", "matmul", "gelu", "dram-stream", "gpr-config"]
WAIT = re.compile(r"^\s*(TTI_STALLWAIT\(.*\)|TTI_SEMWAIT\(.*\)|fence\(\)|noc_\w+_done\(.*\)|tensix_sync\(\));(\s*/\*.*\*/)?$")

# Stands for bhemu while an example runs: does what the example wants, and more.
STANDS_FOR = """#!/bin/sh
shift
"$WAITS_BHEMU" run "$@" --outcome "$WAITS_LOG/outcome" >/dev/null 2>&1
"$WAITS_BHEMU" check --json "$@" >"$WAITS_LOG/check" 2>/dev/null
[ "$WAITS_SEEDS" = 0 ] || "$WAITS_BHEMU" explore -n "$WAITS_SEEDS" --json run "$@" >"$WAITS_LOG/explore" 2>/dev/null
"""


def programs(guest, example, folder):
    """The code and data of the programs of an example."""
    subprocess.run([guest / "bhemu-cc", guest / "examples" / example, "-o", folder], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, env={**os.environ, "BHEMU_CC_QUIET": "1"})
    for path in Path(folder).glob("*.elf"):  # names and lines do not count
        subprocess.run([OBJCOPY, "-O", "binary", path, path.with_suffix(".bin")], check=True)
    return {path.name: path.read_bytes() for path in Path(folder).glob("*.bin")}


def measure(guest, example, stand, bhemu, seeds):
    with tempfile.TemporaryDirectory() as log:
        env = {**os.environ, "BHEMU": stand, "WAITS_BHEMU": bhemu, "WAITS_LOG": log, "WAITS_SEEDS": str(seeds)}
        subprocess.run([guest / "examples/run", example], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        log = Path(log)
        outcome = (log / "outcome").read_text() if (log / "outcome").exists() else ""
        check = (log / "check").read_text() if (log / "check").exists() else ""
        hazards = json.loads(check)["hazards"] if check.startswith("{") else []
        explore = (log / "explore").read_text() if (log / "explore").exists() else ""
        differs = len(json.loads(explore)["differing_seeds"]) if explore.startswith("{") else 0
        return {"outcome": outcome, "race": any(h["verdict"] == "RACE" for h in hazards), "differs": differs}


def waits(guest, examples):
    files = sorted((guest / "include/kit").glob("*.h"))
    files += [path for name in examples for path in sorted((guest / "examples" / name).glob("*.c")) if path.name != "host.c"]
    for path in files:
        for number, line in enumerate(path.read_text().splitlines()):
            if WAIT.match(line):
                yield path, number


def main():
    arguments = sys.argv[1:]
    bhemu, seeds = str(Path(arguments.pop(0)).resolve()), 200
    if "-n" in arguments:
        at = arguments.index("-n")
        seeds = int(arguments[at + 1])
        del arguments[at:at + 2]
    examples = arguments or EXAMPLES
    with tempfile.TemporaryDirectory() as folder:
        guest, built = Path(folder) / "guest", Path(folder) / "built"
        shutil.copytree(ROOT / "guest", guest)
        for part in ("src", "include"):  # tables of which headers for guests are made
            (Path(folder) / part).symlink_to(ROOT / part)
        built.mkdir()
        stand = Path(folder) / "bhemu"
        stand.write_text(STANDS_FOR)
        stand.chmod(0o755)
        usual = {name: programs(guest, name, built / name) for name in examples if (built / name).mkdir() is None}
        right = {name: measure(guest, name, str(stand), bhemu, seeds) for name in examples}
        for name, result in right.items():
            print(f"{name}: race {result['race']}, seeds that differ {result['differs']}", flush=True)
        counts = {}
        for path, number in waits(guest, examples):
            text = path.read_text()
            lines = text.splitlines(keepends=True)
            removed = lines[number].strip()
            lines[number] = "    ;\n"
            path.write_text("".join(lines))
            found = []
            for name in examples:
                new = built / "new"
                shutil.rmtree(new, ignore_errors=True)
                new.mkdir()
                try:
                    if programs(guest, name, new) == usual[name]:
                        continue
                except subprocess.CalledProcessError:
                    continue
                result = measure(guest, name, str(stand), bhemu, seeds)
                wrong = result["outcome"] != right[name]["outcome"]
                found.append((name, wrong, result["race"], result["differs"]))
            path.write_text(text)
            where = f"{path.relative_to(guest)}:{number + 1}: {removed}"
            wrong, race, differs = (any(f[i] for f in found) for i in (1, 2, 3))
            state = "not used" if not found else "+".join(
                [word for word, yes in (("wrong", wrong), ("race", race), ("shown", differs)) if yes]) or "nothing"
            counts[state] = counts.get(state, 0) + 1
            print(f"{state:18} {where}   {[(n, w, r, d) for n, w, r, d in found]}", flush=True)
        print(counts)


if __name__ == "__main__":
    main()
