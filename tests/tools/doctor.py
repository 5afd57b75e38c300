#!/usr/bin/env python3
"""bhemu doctor on machines that lack things: doctor.py BHEMU LIBTTSIM SOURCE"""
import json
import os
import re
import stat
import subprocess
import sys
import tempfile

bhemu, library, source = [os.path.abspath(path) for path in sys.argv[1:4]]
failed = 0
folder = tempfile.TemporaryDirectory()
tools = ("riscv64-unknown-elf-gcc", "gdb-multiarch", "python3")
for name in tools:
    path = os.path.join(folder.name, name)
    with open(path, "w", encoding="ascii") as file:
        file.write(f"#!/bin/sh\necho {name} 1.2\n")
    os.chmod(path, stat.S_IRWXU)


def doctor(*words, path=folder.name, cwd=None, **variables):
    clean = {name: value for name, value in os.environ.items()
             if not name.startswith(("BHEMU_", "TT_")) and name not in ("GDB", "RISCV_CC")}
    return subprocess.run([bhemu, "doctor", *words], capture_output=True, text=True, timeout=60, cwd=cwd,
                          env={**clean, "PATH": path, **variables})


def check(truth, what, result):
    global failed
    if not truth:
        print(f"{what}: status {result.returncode}\n{result.stdout}{result.stderr}")
        failed = 1


def line(result, name):
    return [text for text in result.stdout.splitlines() if text[9:].startswith(name)]


all_there = doctor(TT_UMD_SIMULATOR=library)
check(all_there.returncode == 0, "everything is there", all_there)
check(all(text.startswith("ok ") for text in all_there.stdout.splitlines()), "all ok", all_there)
check("answers: device 1e52:b140" in all_there.stdout, "the library answers", all_there)
check(all(f"{name} 1.2" in all_there.stdout for name in tools), "versions", all_there)
check(all(line(all_there, name) for name in ("processors", "memory", "vector instructions", "elfutils", "a chip", "soc_descriptor")),
      "the rest", all_there)

with tempfile.TemporaryDirectory() as nothing:
    bare = doctor(path=nothing, TT_UMD_SIMULATOR=library)
    check(bare.returncode == 1, "nothing is there", bare)
    for name, todo in (("guest compiler", "gcc-riscv64-unknown-elf"), ("gdb", "gdb-multiarch"), ("python3", "apt install python3")):
        check(any(text.startswith("missing") and todo in text for text in line(bare, name)), name, bare)
    lost = doctor(TT_UMD_SIMULATOR=os.path.join(nothing, "libttsim.so"))
    check(lost.returncode == 1 and any("missing" in text for text in line(lost, "libttsim.so")), "no library", lost)
    text = os.path.join(nothing, "libttsim.so")
    with open(text, "w", encoding="ascii") as file:
        file.write("no library\n")
    wrong = doctor(TT_UMD_SIMULATOR=text)
    check(wrong.returncode == 1 and any(found.startswith("wrong") for found in line(wrong, "libttsim.so")), "a text", wrong)
    check(any(found.startswith("missing") for found in line(wrong, "soc_descriptor")), "no soc_descriptor", wrong)

# A path without a folder is one of the current folder.
here = doctor(TT_UMD_SIMULATOR=os.path.basename(library), cwd=os.path.dirname(library))
check("./libttsim.so answers" in here.stdout and "./soc_descriptor.yaml" in here.stdout, "a path without a folder", here)
# A program may say more than fits into a pipe.
with open(os.path.join(folder.name, "talks"), "w", encoding="ascii") as file:
    file.write("#!/bin/sh\necho talks 1.2\ni=0\nwhile [ $i -lt 1000 ]; do printf '%0100d\\n' $i || exit; i=$((i + 1)); done\n")
os.chmod(file.name, stat.S_IRWXU)
talks = doctor(TT_UMD_SIMULATOR=library, RISCV_CC="talks")
check(talks.returncode == 0 and line(talks, "guest compiler")[0].endswith("talks 1.2"), "a long answer", talks)

for variables, text in (
    ({"BHEMU_TREADS": "2"}, "did you mean BHEMU_THREADS?"),
    ({"BHEMU_THREADS": "many"}, "BadEnvironment"),
    ({"BHEMU_TIMING": "fast"}, "cycles or loose"),
    ({"BHEMU_GDB": "here"}, "it must be a port"),
    ({"BHEMU_LIBRARY": "/nothing"}, "it must be the path"),
    ({"GDB": "no-such-gdb"}, "GDB=no-such-gdb cannot be run"),
    ({"RISCV_CC": "no-such-gcc"}, "RISCV_CC must name"),
):
    result = doctor(TT_UMD_SIMULATOR=library, **variables)
    check(result.returncode == 1 and text in result.stdout, str(variables), result)

# Every variable of the pages is known.
names = set()
for page in os.listdir(os.path.join(source, "docs")):
    if page.endswith(".md"):
        with open(os.path.join(source, "docs", page), encoding="utf-8") as file:
            names |= set(re.findall(r"BHEMU_[A-Z_]+[A-Z]", file.read()))
result = doctor(TT_UMD_SIMULATOR=library, **{name: "" for name in names})
check(result.returncode == 0 and len(names) > 6, f"variables {sorted(names)}", result)

report = doctor("--json", TT_UMD_SIMULATOR=library)
things = json.loads(report.stdout)
check(things["ok"] is True and len(things["things"]) > 10, "JSON", report)
check(doctor("--wrong").returncode == 2 and doctor("word").returncode == 2, "mistakes", report)
sys.exit(failed)
