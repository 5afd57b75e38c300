"""A pytest plug-in that runs kernels as tests (docs/python.md).

The fixture `chip` gives each test its own chip: a new one, or one that is restored from `--bhemu-snapshot FILE`.

A file *.kernel.toml is a test: it lists programs, the contents of L1 before the run, and those expected afterwards.

    [[program]]
    source = "twice.c"          # for bhemu-cc; or elf = "twice.elf"
    core = "brisc"              # the default, as is tile = [1, 2]
    release = true              # the default; false if another core starts this one

    [[input]]
    address = 0x10000
    format = "uint32"           # a name in bhemu.formats; uint32 is the default
    values = [1, 2, 3]          # numbers, or 32 rows of 32: a tile

    [[expect]]
    address = 0x20000
    values = [2, 4, 6]
    tolerance = 0               # largest difference that is accepted

Tests share nothing, so that pytest-xdist may run them in parallel (pytest -n auto).
"""

import math
import shutil
import subprocess
import tempfile
import tomllib
from pathlib import Path

import pytest

from . import Chip, formats

DEFAULT_TILE = [1, 2]
SHOWN = 8  # most differences that are listed
KEYS = {
    None: {"program", "input", "expect", "limit", "timing"},
    "program": {"source", "elf", "core", "tile", "options", "release"},
    "input": {"address", "format", "values", "tile"},
    "expect": {"address", "format", "values", "tile", "tolerance"},
}


def pytest_addoption(parser):
    group = parser.getgroup("bhemu")
    group.addoption("--bhemu-snapshot", metavar="FILE", help="chips are restored from this file of bhemu --save")
    group.addoption("--bhemu-timing", default="cycles", choices=("cycles", "loose"), help="of new chips")


def new_chip(config, timing=None):
    snapshot = config.getoption("--bhemu-snapshot")
    if snapshot:
        return Chip.restored(snapshot, threads=1)
    return Chip(timing=timing or config.getoption("--bhemu-timing"), threads=1)


@pytest.fixture
def chip(request):
    """A chip that no other test has used."""
    with new_chip(request.config) as made:
        yield made


def pytest_collect_file(parent, file_path):
    if file_path.name.endswith(".kernel.toml"):
        return KernelFile.from_parent(parent, path=file_path)
    return None


class Mistake(Exception):
    """The file is not a valid test."""


class Mismatch(Exception):
    """The kernel has computed other values than expected."""


class KernelFile(pytest.File):
    def collect(self):
        yield KernelItem.from_parent(self, name=self.path.name.removesuffix(".kernel.toml"))


def _known(table, where):
    for key in table:
        if key not in KEYS[where]:
            raise Mistake(f"{key!r} is not known{f' in [[{where}]]' if where else ''}")


def _check(table, where):
    """Raises Mistake if a table has unknown keys or lacks some."""
    _known(table, where)
    if where == "program":
        return
    if "address" not in table:
        raise Mistake(f"an [[{where}]] needs an address")
    if not table.get("values"):
        raise Mistake(f"an [[{where}]] needs values")


def _read(path):
    with open(path, "rb") as file:
        try:
            test = tomllib.load(file)
        except tomllib.TOMLDecodeError as error:
            raise Mistake(str(error)) from None
    _known(test, None)
    for part in ("program", "input", "expect"):
        tables = test.get(part, [])
        if not isinstance(tables, list):
            raise Mistake(f"[{part}] has two brackets at each end: [[{part}]]")
        for table in tables:
            _check(table, part)
    if not test.get("program"):
        raise Mistake("there is no [[program]]")
    if not test.get("expect"):
        raise Mistake("there is no [[expect]]: the test could not fail")
    return test


def _is_tile(values):
    return bool(values) and isinstance(values[0], list)


def _pack(table):
    name, values = table.get("format", "uint32"), table["values"]
    if _is_tile(values):
        return formats.pack_tile(values, name)
    if name not in formats.SCALARS:
        raise Mistake(f"{name!r} is a format of tiles: values are 32 rows of 32 numbers")
    size, to_bits, _ = formats.SCALARS[name]
    return b"".join(to_bits(value).to_bytes(size, "little") for value in values)


def _unpack(raw, table):
    name = table.get("format", "uint32")
    if _is_tile(table["values"]):
        rows = formats.unpack_tile(raw, name)
        return [value for row in (rows.tolist() if hasattr(rows, "tolist") else rows) for value in row]
    size, _, from_bits = formats.SCALARS[name]
    return [from_bits(int.from_bytes(raw[i : i + size], "little")) for i in range(0, len(raw), size)]


def _compare(chip, table, stop):
    wanted = table["values"]
    flat = [value for row in wanted for value in row] if _is_tile(wanted) else wanted
    raw = chip[tuple(table.get("tile", DEFAULT_TILE))].read(table["address"], len(_pack(table)))
    got, tolerance = _unpack(raw, table), table.get("tolerance", 0)
    # a NaN is expected to be a NaN
    same = [a == b or abs(a - b) <= tolerance or (math.isnan(a) and math.isnan(b)) for a, b in zip(flat, got)]
    wrong = [i for i, equal in enumerate(same) if not equal]
    if wrong:
        lines = [f"  [{i}] expected {flat[i]}, got {got[i]}" for i in wrong[:SHOWN]]
        lines += [f"  and {len(wrong) - SHOWN} more"] if len(wrong) > SHOWN else []
        lines += ["at the end of the run these wait:", chip.report().rstrip()] if stop.waiting else []
        raise Mismatch("\n".join([f"{len(wrong)} of {len(flat)} values at {table['address']:#x} differ:", *lines]))


class KernelItem(pytest.Item):
    def _image(self, table, folder):
        beside, core = self.path.parent, table.get("core", "brisc")
        if "elf" in table:
            if not (beside / table["elf"]).is_file():
                raise Mistake(f"there is no file {table['elf']}")
            return beside / table["elf"]
        if "source" not in table:
            raise Mistake("a [[program]] needs a source or an elf")
        compiler = shutil.which("bhemu-cc") or Path(__file__).parents[2] / "guest" / "bhemu-cc"
        image = Path(folder) / f"{core}-{Path(table['source']).stem}.elf"
        command = [compiler, core, "-g", *table.get("options", []), beside / table["source"], "-o", image]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Mistake(f"{table['source']} does not compile:\n{done.stderr}")
        return image

    def runtest(self):
        test = _read(self.path)
        with tempfile.TemporaryDirectory() as folder, new_chip(self.config, test.get("timing")) as chip:
            for table in test.get("input", []):
                chip[tuple(table.get("tile", DEFAULT_TILE))].write(table["address"], _pack(table))
            for table in test["program"]:
                tile = chip[tuple(table.get("tile", DEFAULT_TILE))]
                core, release = table.get("core", "brisc"), table.get("release", True)
                tile.load(self._image(table, folder), core, release=release)
            stop = chip.run(limit=test.get("limit", Chip.DEFAULT_LIMIT))
            for table in test["expect"]:
                _compare(chip, table, stop)

    def repr_failure(self, excinfo, style=None):
        if isinstance(excinfo.value, (Mistake, Mismatch)) or type(excinfo.value).__module__.startswith("bhemu"):
            return f"{self.path.name}: {excinfo.value}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self):
        return self.path, 0, self.name
