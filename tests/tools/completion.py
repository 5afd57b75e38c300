#!/usr/bin/env python3
"""Completion in real shells: completion.py BHEMU. A shell that is not installed is left out.

Every option of every help text is offered, values have their choices or files, and commands that take the arguments of
another one offer its options."""
import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import time

bhemu = os.path.abspath(sys.argv[1])
failed = 0


def run(*words, **more):
    return subprocess.run(words, capture_output=True, text=True, timeout=60, **more)


def helped(command):
    text = run(bhemu, "help", command).stdout.splitlines()
    return {line.split()[0] for line in text if line.startswith("  --")}


def check(truth, *words):
    global failed
    if not truth:
        print(*words)
        failed = 1


commands = [line.split()[0] for line in run(bhemu, "help").stdout.split("\n\n")[2].splitlines()]
real = [name for name in commands if name not in ("help", "version")]
folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)
os.mkdir("bin")
os.symlink(bhemu, "bin/bhemu")
open("kernel one.elf", "w").close()
environment = {**os.environ, "PATH": f"{folder.name}/bin:{os.environ['PATH']}", "HOME": folder.name, "TERM": "dumb"}


def in_bash(line):
    """line: words up to the one that is completed, which may be empty."""
    script = run(bhemu, "completion", "bash").stdout
    words = line.split(" ")
    program = script + "\ncompopt() { :; }\nCOMP_WORDS=(%s)\nCOMP_CWORD=%d\n_bhemu\nprintf '%%s\\n' \"${COMPREPLY[@]}\"\n" % (
        " ".join(f"'{word}'" for word in words), len(words) - 1)
    result = run("bash", "-u", "-c", program)
    check(result.stderr == "", "bash:", line, result.stderr)
    return set(result.stdout.split("\n")) - {""}


def in_fish(line):
    run_script = f"source bhemu.fish; complete -C '{line}'"
    with open("bhemu.fish", "w", encoding="utf-8") as file:
        file.write(run(bhemu, "completion", "fish").stdout)
    result = run("fish", "--no-config", "-c", run_script, env=environment)
    check(result.stderr == "", "fish:", line, result.stderr)
    return {entry.split("\t")[0] for entry in result.stdout.splitlines()}


def check_shell(name, complete):
    check(complete("bhemu ") >= set(commands), name, "commands", complete("bhemu "))
    check(complete("bhemu la") == {"launch"}, name, "bhemu la", complete("bhemu la"))
    for command in real:
        missing = helped(command) - complete(f"bhemu {command} --")
        check(not missing, name, command, "lacks", sorted(missing))
    check({"p150", "p100a"} <= complete("bhemu run --board "), name, "--board", complete("bhemu run --board "))
    check({"cycles", "loose"} <= complete("bhemu launch --timing "), name, "--timing")
    check("kernel one.elf" in {entry.replace("\\", "") for entry in complete("bhemu run --brisc ")}, name, "--brisc", complete("bhemu run --brisc "))
    check("--brisc" in complete("bhemu check run --"), name, "check run --")
    check("--dry-run" in complete("bhemu check launch --dr"), name, "check launch --dr", complete("bhemu check launch --dr"))
    check({"run", "boot", "launch"} <= complete("bhemu gdb "), name, "gdb", complete("bhemu gdb "))
    check("diff" in complete("bhemu help d"), name, "help d", complete("bhemu help d"))


def in_zsh(line, wanted, tries=3):
    """Types a line and the tabulator into a zsh on a terminal."""
    child, terminal = pty.fork()
    if child == 0:
        os.execve(shutil.which("zsh"), ["zsh", "-f", "-i"], {**environment, "PS1": "> "})
    screen = ""

    def read(seconds, until=None):
        nonlocal screen
        end = time.monotonic() + seconds
        while time.monotonic() < end and not (until and until in screen):
            if select.select([terminal], [], [], 0.05)[0]:
                screen += os.read(terminal, 65536).decode(errors="replace")

    os.write(terminal, b'autoload -U compinit; compinit -u -D; eval "$(bhemu completion zsh)"; print rea""dy\n')
    read(30, "ready")
    screen = ""
    os.write(terminal, line.encode() + b"\t")
    read(10, wanted)
    os.close(terminal)
    os.waitpid(child, 0)
    return screen


check_shell("bash", in_bash)
check(in_bash("bhemu run --board = p10") == {"p100a"}, "bash: --board=")
if shutil.which("fish"):
    check_shell("fish", in_fish)
if shutil.which("zsh"):
    check(run("zsh", "-n", "-c", run(bhemu, "completion", "zsh").stdout).stderr == "", "zsh: syntax")
    for line, wanted in (("bhemu la", "launch "), ("bhemu run --boa", "--board "), ("bhemu run --timing l", "loose "),
                         ("bhemu check launch --dr", "--dry-run "), ("bhemu run --brisc ker", "kernel\\ one.elf ")):
        screen = in_zsh(line, wanted)
        check(wanted in screen, "zsh:", line, repr(screen))
check(run(bhemu, "completion").returncode == 2 and run(bhemu, "completion", "csh").returncode == 2, "mistakes")
sys.exit(failed)
