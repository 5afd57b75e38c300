#!/usr/bin/env python3
"""The line about the progress, on a pseudo terminal: progress.py BHEMU GUEST_DIR TEST_GUEST_DIR LAYOUT

It comes after a second, fits the terminal, and is erased before anything else is printed; there is none in a pipe, and
none with --no-progress."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

bhemu, guest, own, layout = [os.path.abspath(path) for path in sys.argv[1:5]]
ERASE = "\r\x1b[K"
failed = 0


def check(truth, text, screen):
    global failed
    if not truth:
        print(f"{text}: {screen!r}")
        failed = 1


def start(words, columns):
    """Starts a command whose stderr and stdout are a terminal."""
    child, terminal = pty.fork()
    if child == 0:
        os.execv(bhemu, [bhemu, *words])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    return child, terminal


def watch(words, pattern, columns=150, patience=30.0):
    """Runs a command until the pattern is on its terminal, or for so many seconds; then Ctrl-C. Returns what came,
    when the pattern came, and what came after Ctrl-C."""
    child, terminal = start(words, columns)
    begin, screen, seen = time.monotonic(), "", None
    while time.monotonic() - begin < patience and seen is None:
        if select.select([terminal], [], [], 0.05)[0]:
            try:
                screen += os.read(terminal, 65536).decode()
            except OSError:
                break
        if re.search(pattern, screen):
            seen = time.monotonic() - begin
    before = len(screen)
    os.write(terminal, b"\x03")
    while True:
        try:
            more = os.read(terminal, 65536).decode()
        except OSError:
            break
        if not more:
            break
        screen += more
    os.waitpid(child, 0)
    os.close(terminal)
    return screen.replace("^C", ""), seen, screen[before:]  # without the terminal's echo


def is_erased(screen):
    """Every line of the progress ends with the next one, or is erased; nothing else stands in its line."""
    rest = screen.split("\r")
    drawn = [part for part in rest if part.endswith("\x1b[K") and part != "\x1b[K"]
    last = max((i for i, part in enumerate(rest) if part in drawn), default=None)
    return last is not None and last + 1 < len(rest) and rest[last + 1].startswith("\x1b[K")


CYCLES = r"cycle [0-9,]+, [0-9.]+ million a second, [0-9]+ tiles? awake, at most [0-9]+ s to the limit, [0-9,]+\x1b\[K"
busy = os.path.join(own, "boot_busy.elf")
hello = os.path.join(guest, "hello.elf")
folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)
os.mkdir("fw")
for core in ("brisc", "ncrisc", "trisc0", "trisc1", "trisc2"):
    os.symlink(os.path.join(own, f"boot_{core}.elf"), f"fw/{core}.elf")
with open("busy.launch", "w", encoding="ascii") as file:
    file.write(f"[firmware]\nlayout = {layout}\ndirectory = fw\nbrisc = {busy}\ntiles = 1,2\n")

for words, pattern in (
    (["run", "--brisc", busy, "--max-cycles", "900G"], CYCLES),
    (["check", "--brisc", busy, "--max-cycles", "900G"], CYCLES),
    (["boot", "fw", "--layout", layout, "--brisc", busy, "--max-cycles", "900G"], CYCLES),
    (["launch", "busy.launch", "--max-cycles", "900G"], CYCLES),
    (["diff", "run", "--brisc", busy, "--max-cycles", "900G", "--vs", "--threads", "1"], r"equal up to cycle [0-9,]+, [1-9][0-9]* s"),
    (["explore", "-n", "100000", "--brisc", hello], r"[0-9]+ of 100000 seeds, 0 with another outcome, [1-9][0-9]* s, about [0-9]+ s left"),
):
    screen, seen, after = watch(words, pattern)
    check(seen is not None and seen > 1, f"{words[0]}: no line after a second", screen[-400:])
    check(seen is None or is_erased(screen), f"{words[0]}: not erased", screen[-400:])

screen, seen, after = watch(["run", "--brisc", busy, "--max-cycles", "900G"], r"cycle [0-9,]+[^\r]*\x1b\[K", columns=30)
check(seen is not None, "no line on a narrow terminal", screen)
widest = max(len(part.replace("\x1b[K", "")) for part in screen.split("\r")[1:-1] if part.endswith("\x1b[K"))
check(widest <= 29, f"{widest} columns on a terminal of 30", screen)

for words in (["run"], ["diff", "--no-progress", "run"], ["explore", "--no-progress"]):
    option = ["--no-progress"] if words[0] == "run" else []
    screen, seen, after = watch([*words, "--brisc", busy, "--max-cycles", "900G", *option, *(["--vs", "--threads", "1"] if "diff" in words else [])],
                                "\x1b", patience=1.6)
    check(seen is None, f"{words[0]}: a line despite --no-progress", screen)

process = subprocess.Popen([bhemu, "run", "--brisc", busy, "--max-cycles", "900G"], stderr=subprocess.PIPE, stdout=subprocess.PIPE)
time.sleep(1.6)
process.send_signal(signal.SIGINT)
out, err = process.communicate()
check(b"\x1b" not in out + err and b"million" not in err, "a line in a pipe", err)
check(process.returncode == 130, "status", process.returncode)

process = subprocess.Popen([bhemu, "explore", "-n", "100000", "--brisc", hello], stderr=subprocess.PIPE, stdout=subprocess.PIPE)
time.sleep(1.6)
process.send_signal(signal.SIGINT)
out, err = process.communicate()
known = rb"interrupted, with [0-9,]+ timings to go; [0-9,]+ timings: [0-9,]+ as without delays\n"
check(re.fullmatch(known, out) is not None and not err, "explore does not say what it knows", out + err)
check(process.returncode == 130, "status of explore", process.returncode)
sys.exit(failed)
