#!/usr/bin/env python3
"""The page of --report: its data, and what a browser makes of it.

    page.py BHEMU GUEST [CHROMIUM]

Without a browser only the data are looked at.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

bhemu, guest = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
tools = guest.parent / "tests" / "tools"
browser = sys.argv[3] if len(sys.argv) > 3 and sys.argv[3] else None

# In the browser: zooms by a wheel over the timeline, selects a tile by a click, and says what came of it.
ACTS = """
<script>
const canvas = document.getElementById("timeline"), range = () => Number(canvas.dataset.to) - Number(canvas.dataset.from);
const before = range();
canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: -1, clientX: 300, clientY: 20, cancelable: true }));
const closer = range();
document.getElementById("zoom-all").click();
const all = range();
document.querySelector('#chip button[data-tile="2,2"]').click();
const facts = { before, closer, all, chip: document.getElementById("chip-name").textContent, tile: document.getElementById("tile-name").textContent,
  tiles: document.querySelectorAll("#chip button").length, links: document.querySelectorAll("#links .link").length,
  units: document.querySelectorAll("#units tr").length, hazards: document.querySelectorAll("#hazards article").length,
  faults: document.querySelectorAll("#faults article").length, waits: document.querySelectorAll("#waits .agent").length };
document.body.append(Object.assign(document.createElement("pre"), { id: "facts", textContent: JSON.stringify(facts) }));
</script>
"""


def check(condition, text):
    if not condition:
        sys.exit(f"page.py: {text}")


def page(folder, *arguments, status=0, words=("--quiet",)):
    path = pathlib.Path(folder) / "page.html"
    command = [bhemu, "report", path, *words, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    check(done.returncode == status, f"status {done.returncode}: {done.stderr}")
    text = path.read_text(encoding="utf-8")
    data = re.search(r'<script type="application/json" id="data">\n(.*?)\n</script>', text, re.S)
    check(data, "there are no data in the page")
    check(not re.search(r"https?://", text.replace("http://www.w3.org/2000/svg", "")), "the page names a server")
    return text, json.loads(data[1])


def in_browser(folder, text, place=""):
    path = pathlib.Path(folder) / "acted.html"
    path.write_text(text.replace("</html>", ACTS + "</html>"), encoding="utf-8")
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/user"]
    command += ["--window-size=1200,900", "--virtual-time-budget=20000", "--dump-dom", f"file://{path}{place}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
    check('data-ready="yes"' in done.stdout, "the script of the page did not reach its end")
    facts = re.search(r'<pre id="facts">(.*?)</pre>', done.stdout)
    check(facts, "the browser did not run the acts")
    return json.loads(facts[1])


def ends_of(flat):
    """The end of the last of the events of a track."""
    return sum(flat[0::4]) + sum(flat[1::4])


with tempfile.TemporaryDirectory() as folder:
    # A ring of all tiles: packets, polling, all tiles in use.
    text, data = page(folder, "--tile", "all", "--brisc", guest / "ring_brisc.elf")
    check(len([tile for tile in data["grid"] if tile["kind"] == "Tensix"]) == 140, "not all tiles are in the grid")
    check(len(data["stats"]) == 140 and len(data["packets"]) >= 140, "tiles or packets are missing")
    tracks = {(tuple(track["tile"]), data["tracks"][track["track"]]): track["events"] for track in data["timeline"]}
    check(((1, 2), "brisc") in tracks, "there is no timeline of BRISC")
    check(all(ends_of(events) <= data["cycles"] for events in tracks.values()), "events end after the run")
    for events in tracks.values():
        check(max(events[2::4]) < 2 * len(data["names"]), "there is no such name")
        check(max(events[3::4]) < len(data["places"]), "there is no such place")
    check(any(place.startswith("<brisc+") for place in data["places"]), "no place in a program is named")
    check(data["dropped"] == 0, "events were left out")
    if browser:
        facts = in_browser(folder, text)
        drawn = facts["tiles"] == len(data["grid"]) and facts["links"] > 0 and facts["units"] >= 3
        check(drawn, f"something is not drawn: {facts}")
        check(facts["closer"] < facts["before"] == facts["all"], f"zoom does not work: {facts}")
        check(facts["tile"] == "2,2", f"a click does not select: {facts}")

    # A million events of 140 tiles stay a page that a browser opens.
    text, data = page(folder, "--tile", "all", "--trisc0", tools / "many_trisc0.elf")
    count = sum(len(track["events"]) // 4 for track in data["timeline"])
    check(count > 1000000 and data["dropped"] == 0, f"there are only {count} events")
    check(len(text) < 50e6, f"the page has {len(text)} bytes")
    if browser:
        facts = in_browser(folder, text)
        check(facts["tiles"] == len(data["grid"]) and facts["closer"] < facts["all"], f"it is not drawn: {facts}")

    # A system: one page, with the chips that were used and the cables; the address says which chip it shows.
    (pathlib.Path(folder) / "three.yaml").write_text("chips: 3\nlinks:\n  - 0.0 2.1\n", encoding="utf-8")
    text, data = page(folder, "--system", "three.yaml", "--chip", "2", "--tile", "1,2-2,2", "--brisc", guest / "ring_brisc.elf",
                      "--chip", "0", "--brisc", guest / "hello.elf", "--max-cycles", "20k")
    check([chip["chip"] for chip in data["chips"]] == [0, 2], "the page has other chips")
    check([(link["from"], link["to"]) for link in data["links"]] == [("0.0", "2.1")], "the page has other cables")
    check([len(chip["stats"]) for chip in data["chips"]] == [1, 2], "tiles are missing")
    check(data["chips"][1]["packets"] and not data["chips"][0]["packets"], "packets are on the wrong chip")
    if browser:
        facts = in_browser(folder, text, "#chip=2")
        check(facts["chip"] == "2" and facts["links"] > 0 and facts["units"] >= 3, f"chip 2 is not shown: {facts}")
        facts = in_browser(folder, text)
        check(facts["chip"] == "0" and facts["links"] == 0, f"chip 0 is not shown: {facts}")

    # A deadlock, a fault, a hazard.
    cores = [("--trisc1", tools / "deadlock_trisc1.elf"), ("--trisc2", tools / "deadlock_trisc2.elf")]
    text, data = page(folder, *(word for pair in cores for word in pair), status=4)
    check(len(data["waiting"]) >= 2, "nobody waits")
    check(not browser or in_browser(folder, text)["waits"] == len(data["waiting"]), "who waits is not drawn")
    text, data = page(folder, "--brisc", tools / "fault.elf", status=1)
    check(len(data["faults"]) == 1, "there is no fault")
    check(not browser or in_browser(folder, text)["faults"] == 1, "the fault is not shown")
    cores = [("--brisc", tools / "hazard_brisc.elf"), ("--trisc0", tools / "hazard_trisc0.elf")]
    text, data = page(folder, "--check", *(word for pair in cores for word in pair), status=5)
    check(data["hazards"], "there is no hazard")
    check(not browser or in_browser(folder, text)["hazards"] == len(data["hazards"]), "hazards are not shown")

    # Firmware boots, and a kernel runs under it: symbols of both, no other page of the command.
    source = pathlib.Path(__file__).resolve().parent
    (pathlib.Path(folder) / "fw").mkdir()
    (pathlib.Path(folder) / "guest").symlink_to(tools)
    (pathlib.Path(folder) / "source").symlink_to(source.parent.parent)
    for core in ("brisc", "ncrisc", "trisc0", "trisc1", "trisc2"):
        (pathlib.Path(folder) / "fw" / f"{core}.elf").symlink_to(tools / f"boot_{core}.elf")
    layout = source / "guest" / "firmware" / "test.layout"
    text, data = page(folder, "fw", "--layout", layout, "--tile", "1,2-2,2", words=("boot",))
    check(len(data["stats"]) == 2 and data["timeline"], "there is nothing about the boot")
    check(any("<main+" in place for place in data["places"]), "no place in the firmware is named")
    check(not browser or in_browser(folder, text)["units"] >= 3, "the boot is not drawn")
    scale = (source / "cases" / "launch-scale" / "scale.launch").read_text(encoding="utf-8")
    (pathlib.Path(folder) / "scale.launch").write_text(scale[: scale.index("[run]")] + "[run]\n", encoding="utf-8")
    text, data = page(folder, "scale.launch", words=("launch",))
    check(len(data["stats"]) == 3 and data["timeline"], "there is nothing about the launch")
    check(any(row.get("symbol") == "kernel" for row in data["profile"]["symbols"]), "the kernel is not named")

    # Refusals.
    for arguments, said in (
        (["--brisc", "x.elf"], "the file to write comes first"),
        (["page.html", "info"], "no pages about 'info'"),
        (["/nowhere/page.html", "boot", "fw", "--layout", layout], "/nowhere/page.html"),
        (["/nowhere/page.html", "--brisc", guest / "hello.elf"], "/nowhere/page.html"),
    ):
        command = [bhemu, "report", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
        check(done.returncode == 2 and said in done.stderr, f"no refusal of {arguments}: {done.stderr}")
if not browser:
    print("there is no Chromium: the page was not opened")
