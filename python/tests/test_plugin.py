"""Tests the plug-in of pytest: kernels in files, and the fixture. The exit status is 77 without pytest."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import pytest  # noqa: F401
except ImportError:
    print("skipped: there is no pytest")
    sys.exit(77)

KERNELS = pathlib.Path(__file__).resolve().parent / "kernels"
FIXTURE = """
def test_own_chip(chip):
    chip[1, 2].write32(0, 1)

def test_another_chip(chip):
    assert chip[1, 2].read32(0) == 0
"""


def run(folder, *options):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "bhemu.pytest_plugin", "-p", "no:cacheprovider"]
    done = subprocess.run([*command, *options, folder], cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


class Plugin(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        (self.path / "twice.c").write_text((KERNELS / "twice.c").read_text(encoding="utf-8"), encoding="utf-8")
        self.text = (KERNELS / "twice.kernel.toml").read_text(encoding="utf-8")

    def tearDown(self):
        self.folder.cleanup()

    def kernel(self, text, *options):
        (self.path / "it.kernel.toml").write_text(text, encoding="utf-8")
        return run(self.path, *options)

    def test_passes(self):
        status, output = self.kernel(self.text)
        self.assertEqual(status, 0, output)
        self.assertIn("1 passed", output)

    def test_loose(self):
        self.assertEqual(self.kernel(self.text, "--bhemu-timing", "loose")[0], 0)

    def test_wrong_value(self):
        status, output = self.kernel(self.text.replace("values = [2, 4,", "values = [2, 5,"))
        self.assertEqual(status, 1)
        self.assertIn("1 of 16 values at 0x20000 differ", output)
        self.assertIn("[1] expected 5, got 4", output)

    def test_core_that_another_one_starts(self):
        held = self.text.replace('source = "twice.c"', 'source = "twice.c"\nrelease = false')
        starter = '[[program]]\nsource = "starter.c"\ncore = "ncrisc"\n\n'
        (self.path / "starter.c").write_text(
            '#include "bhemu_guest.h"\nint main(void) { release_cores(RESET_BRISC); return 0; }\n', encoding="utf-8"
        )
        self.assertIn("16 of 16 values", self.kernel(held)[1])
        status, output = self.kernel(starter + held)
        self.assertEqual(status, 0, output)

    def test_wrong_value_while_a_core_waits(self):
        (self.path / "twice.c").write_text(
            '#include "bhemu_guest.h"\nint main(void) { wait_for((uint32_t *)0x30000, 1); return 0; }\n',
            encoding="utf-8",
        )
        status, output = self.kernel(self.text)
        self.assertEqual(status, 1)
        self.assertIn("at the end of the run these wait:", output)
        self.assertIn("a write to a word that it polls (0x00030000)", output)

    def test_tolerance(self):
        text = self.text.replace("values = [2, 4,", "tolerance = 1\nvalues = [2, 5,")
        self.assertEqual(self.kernel(text)[0], 0)

    def test_mistakes(self):
        for text, said in (
            (self.text.replace("[[expect]]", "[[expects]]"), "'expects' is not known"),
            (self.text.replace("address = 0x20000", "adress = 0x20000"), "'adress' is not known in [[expect]]"),
            (self.text.split("[[expect]]")[0], "could not fail"),
            ("[[expect]]\naddress = 0\nvalues = [0]\n", "no [[program]]"),
            (self.text.replace("twice.c", "nothing.c"), "nothing.c does not compile"),
            ("[[program]\n", "it.kernel.toml"),
            (self.text.replace('source = "twice.c"', 'elf = "nothing.elf"'), "there is no file nothing.elf"),
            (self.text.replace("[[program]]", "[program]"), "two brackets at each end: [[program]]"),
            (self.text.replace("address = 0x20000", ""), "an [[expect]] needs an address"),
            (self.text.split("values = [2,")[0] + "values = []\n", "an [[expect]] needs values"),
            (self.text + "limit = 10\n", "'limit' is not known in [[expect]]"),
            ("limit = 10\n" + self.text, "did not end within 10 cycles"),
        ):
            status, output = self.kernel(text)
            self.assertEqual(status, 1, output)
            self.assertIn(said, output)

    def test_fixture(self):
        (self.path / "test_chip.py").write_text(FIXTURE, encoding="utf-8")
        status, output = run(self.path)
        self.assertEqual(status, 0, output)
        self.assertIn("2 passed", output)

    def test_snapshot(self):
        from bhemu import Chip

        snapshot = self.path / "booted"
        with Chip() as chip:
            chip[1, 2].write32(0x10000, 21)
            chip.run(100)
            chip.save(snapshot)
        (self.path / "test_chip.py").write_text(
            "def test_restored(chip):\n    assert (chip.cycle, chip[1, 2].read32(0x10000)) == (100, 21)\n",
            encoding="utf-8",
        )
        status, output = run(self.path, "--bhemu-snapshot", str(snapshot))
        self.assertEqual(status, 0, output)


if __name__ == "__main__":
    unittest.main()
