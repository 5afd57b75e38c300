"""Tests the module. Meson sets BHEMU_LIBRARY, GUEST (compiled examples) and BHEMU_CC."""

import copy
import math
import os
import pathlib
import pickle
import random
import struct
import subprocess
import sys
import tempfile
import threading
import unittest

import bhemu
from bhemu import Chip, c, formats

GUEST = pathlib.Path(os.environ["GUEST"])
HERE = pathlib.Path(__file__).resolve().parent

# lw t1, 0x1000; mul t1, t1, t1; sw t1, 0x1004; ebreak
SQUARE = struct.pack("<5I", 0x000012B7, 0x0002A303, 0x02630333, 0x0062A223, 0x00100073)
POLL = struct.pack("<3I", 0x10002303, 0xFE030EE3, 0x00100073)  # lw t1, 0x100; beqz t1, -4; ebreak
COUNT = struct.pack("<2I", 0x00128293, 0xFFDFF06F)  # addi t0, t0, 1; j -4


def squared(chip, number, xy=(1, 2)):
    tile = chip[xy]
    tile.load_raw(0, SQUARE)
    tile.write32(0x1000, number)
    chip.run()
    return tile.read32(0x1004)


class Runs(unittest.TestCase):
    def test_program(self):
        with Chip(board="p150", threads=1) as chip:
            self.assertEqual(squared(chip, 12), 144)
            core = chip[1, 2].core("brisc")
            self.assertIs(core.state, c.bh_core_state.BH_CORE_PAUSED)
            self.assertEqual((core.pc, core.retired, core.get(6)), (20, 5, 144))

    def test_ethernet(self):
        code = bytes.fromhex("1305d004 73001000")  # li a0, 77; ebreak
        with Chip() as chip:
            tile = chip[24, 25]
            tile.load_raw(0x4000, code, "erisc0")
            tile.load_raw(0x5000, code, "erisc1", release=False)
            tile.release("erisc1")
            chip.run()
            self.assertEqual([tile.core(name).result for name in ("erisc0", "erisc1")], [77, 77])
            self.assertEqual(tile.core(c.BH_ERISC1).name, "erisc1")
            with self.assertRaises(ValueError):
                chip[1, 2].load_raw(0x4000, code, "erisc0")
            tile.hold("erisc1")
            tile.load_raw(0x5000, bytes.fromhex("b7070010 03a50700"), "erisc1")  # a load from 0x10000000
            with self.assertRaises(bhemu.Fault) as fault:
                chip.run()
            self.assertEqual((fault.exception.core, chip.faults[0].core), ("erisc1", "erisc1"))

    def test_elf(self):
        with Chip() as chip:
            chip[1, 2].load(GUEST / "sum.elf")
            stop = chip.run()
            self.assertIs(stop.reason, c.bh_stop_reason.BH_STOP_IDLE)
            self.assertEqual(stop.cycle, chip.cycle)
            self.assertIs(chip[1, 2].core("brisc").state, c.bh_core_state.BH_CORE_PAUSED)

    def test_cycles(self):
        with Chip() as chip:
            chip[1, 2].load_raw(0, COUNT)
            self.assertEqual(chip.run(1000).cycle, 1000)
            self.assertEqual(chip.cycle, 1000)

    def test_memory(self):
        with Chip() as chip:
            l1 = chip[1, 2].l1
            l1[0x100:0x104] = b"abcd"
            l1[0x101] = ord("x")
            self.assertEqual((l1[0x100:0x105], l1[0x101]), (b"axcd\0", ord("x")))
            for wrong in (slice(0, None), slice(0, 8, 2), slice(8, 0)):
                with self.assertRaises(ValueError):
                    l1[wrong]
            with self.assertRaises(ValueError):
                l1[0:4] = b"abc"
            with self.assertRaises(bhemu.BhemuError) as error:
                l1[0x300000:0x300004]
            self.assertIs(error.exception.status, c.bh_status.BH_ERR_ADDRESS)

    def test_tiles(self):
        with Chip(board="p100a") as chip:
            found = chip.tiles("tensix")
            self.assertEqual((len(found), sum(info.harvested for info in found)), (140, 20))
            alive = next(info for info in found if not info.harvested)
            self.assertEqual(chip[alive.xy].info, alive)
            self.assertGreater(len(chip.tiles()), len(found))

    def test_many_at_once(self):
        """Chips of several host threads run at the same time: a call of the library lets the other threads continue."""
        results = {}

        def run(number):
            with Chip(threads=1) as chip:
                results[number] = squared(chip, number)

        threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, {number: number**2 for number in range(8)})

    def test_host_memory(self):
        memory = bytearray(64)
        with Chip(host_memory=memory) as chip:
            chip._host_write(None, 60, b"abcdefgh", 8)  # bytes after the end are dropped
            self.assertEqual(memory[56:], b"\0\0\0\0abcd")


class GoesWrong(unittest.TestCase):
    def test_fault(self):
        with Chip() as chip:
            chip[1, 2].load_raw(0x40, bytes(4), "trisc1")
            with self.assertRaises(bhemu.Fault) as error:
                chip.run()
            fault = error.exception
            self.assertEqual((fault.tile, fault.core, fault.thread, fault.pc), ((1, 2), "trisc1", None, 0x40))
            self.assertIs(fault.kind, c.bh_fault_kind.BH_FAULT_RUNAWAY)
            self.assertIn("trisc1", str(fault))
            self.assertEqual([str(each) for each in chip.faults], [str(fault)])

    def test_numbers_that_do_not_fit(self):
        with Chip() as chip:
            tile = chip[1, 2]
            for place in (257, 2), (1, 258), (-1, 2):
                with self.assertRaises(bhemu.BhemuError) as error:
                    chip[place]
                self.assertEqual(str(error.exception), "there is no tile at (%d,%d)" % place)
            big, wide = 1 << 32, 1 << 64
            for call in (
                lambda: tile.read(wide + 16, 4),
                lambda: tile.write(-4, bytes(4)),
                lambda: tile.release(40),
                lambda: tile.thread(big),
                lambda: tile.core("brisc").get(big + 10),
                lambda: tile.dst(big),
                lambda: chip.run(wide + 5),
                lambda: chip.bar_read(big, 0x1FC00000, 4),
                lambda: chip.save("one\0two"),
                lambda: chip.vary("5\0"),
                lambda: bhemu.disassemble(big + 0x13),
                lambda: Chip(tensix_harvest=1 << 16),
                lambda: Chip(skew=big + 1),
                lambda: Chip(big),
            ):
                with self.assertRaises(ValueError):
                    call()
            self.assertEqual(chip.cycle, 0)
            tile.core("brisc").set(10, -1)  # the bits count
            self.assertEqual(tile.core("brisc").get(10), 0xFFFFFFFF)

    def test_a_number_is_no_bytes(self):
        with Chip() as chip:
            tile = chip[1, 2]
            tile.write32(0x100, 0x12345678)
            for call in (
                lambda: tile.write(0x100, 4),
                lambda: tile.poke(0x100, 4),
                lambda: tile.l1.__setitem__(slice(0x100, 0x104), 4),
                lambda: tile.load_raw(0x100, 4),
                lambda: tile.load(5),
                lambda: chip.bar_write(0, 0x1FC00000, 4),
            ):
                with self.assertRaises(TypeError):
                    call()
            self.assertEqual(tile.read32(0x100), 0x12345678)

    def test_texts_that_are_none(self):
        with Chip() as chip:
            for path in (b"/nonexistent/\xff\xfe", "/nonexistent/" + "\u00e9" * 301, "/nonexistent/x" + "\u00e9" * 301):
                for call in (chip.save, chip.restore, Chip.restored):
                    with self.assertRaisesRegex(bhemu.BhemuError, "No such file"):
                        call(path)

    def test_another_thread_cannot_close(self):
        begun = threading.Event()

        def run():
            begun.set()
            chip.run(2_000_000)

        with Chip(threads=1) as chip:
            for x in range(1, 8):
                chip[x, 2].load_raw(0, COUNT)
            thread = threading.Thread(target=run)
            thread.start()
            begun.wait()
            while thread.is_alive():
                if chip._calls:
                    with self.assertRaisesRegex(bhemu.BhemuError, "cannot be closed inside a call"):
                        chip.close()
                    break
            thread.join()
            self.assertEqual(chip.cycle, 2_000_000)

    def test_copies(self):
        with Chip() as chip, bhemu.System("p300") as system:
            for each in chip, system, system[0]:
                for how in copy.copy, copy.deepcopy, pickle.dumps:
                    with self.assertRaisesRegex(TypeError, "save and restore"):
                        how(each)

    def test_profile_without_observation(self):
        with Chip() as chip:
            with self.assertRaisesRegex(bhemu.BhemuError, "not observed"):
                chip[1, 2].core("brisc").profile()

    def test_exceptions_of_callbacks(self):
        heard = []

        def on_event(event):
            heard.append(event.start)
            raise KeyError("of the callback")

        with Chip() as chip:
            for xy in ((1, 2), (2, 2)):
                chip[xy].load_raw(0, POLL)
            chip.observe(on_event=on_event)
            chip.run(1000)
            for xy in ((1, 2), (2, 2)):
                chip[xy].write32(0x100, 1)
            with self.assertRaisesRegex(KeyError, "of the callback"):
                chip.run(1000)
            self.assertEqual((len(heard), chip.cycle), (1, 2000))
            with self.assertRaises(KeyError):
                chip.observe_flush()
            self.assertEqual(len(heard), 2)
            chip.observe()
            chip.run(2000)

    def test_a_callback_cannot_close(self):
        def on_event(event):
            for call in (chip.close, chip.reset, chip.observe, chip.run):
                with self.assertRaises(bhemu.BhemuError) as error:
                    call()
                self.assertIs(error.exception.status, c.bh_status.BH_ERR_STATE)
            heard.append(chip[1, 2].core("brisc").pc)

        heard = []
        with Chip() as chip:
            chip[1, 2].load_raw(0, POLL)
            chip.observe(on_event=on_event)
            chip.run(1000)
            chip[1, 2].write32(0x100, 1)
            chip.run(1000)
            in_run = len(heard)
            chip.observe_flush()
            self.assertGreater(in_run, 0)
            self.assertGreater(len(heard), in_run)

    def test_host_memory_that_cannot_be_written(self):
        with Chip(host_memory=bytes(64)) as chip:
            self.assertEqual(chip[19, 24].read(0, 4), bytes(4))
            with self.assertRaises(TypeError):
                chip[19, 24].write(0, b"abcd")
        with Chip(host_memory=5) as chip:
            with self.assertRaises(TypeError):
                chip[19, 24].read(0, 4)

    def test_deadlock(self):
        mailbox = struct.pack("<3I", 0xFFEC12B7, 0x0002A303, 0x00100073)  # BRISC reads a mailbox that no core fills
        with Chip() as chip:
            chip[1, 2].load_raw(0, mailbox)
            with self.assertRaises(bhemu.Deadlock) as error:
                chip.run()
            self.assertIn("brisc", error.exception.report)
            self.assertEqual(error.exception.core, "brisc")

    def test_timeout(self):
        with Chip() as chip:
            chip[1, 2].load_raw(0, COUNT)
            with self.assertRaises(bhemu.Timeout):
                chip.run(limit=5000)

    def test_negative_cycles(self):
        with bhemu.Chip() as chip, bhemu.System() as system:
            for run in (lambda: chip.run(-1), lambda: chip.run(limit=-1), lambda: system.run(-1)):
                self.assertRaisesRegex(ValueError, "cannot have -1 cycles", run)
            self.assertEqual(chip.cycle, 0)

    def test_unknown_machine(self):
        self.assertRaisesRegex(FileNotFoundError, "'qbox' is no machine .*quietbox", bhemu.System, "qbox")

    def test_arguments(self):
        with Chip() as chip:
            for call in (
                lambda: chip[99, 99],
                lambda: chip[1, 2].load(b"no ELF file"),
                lambda: chip.restore("/nowhere"),
                lambda: chip[1, 2].thread(3),
                lambda: chip[1, 2].stats("T0"),  # not observed
                lambda: Chip.restored("/nowhere"),
            ):
                with self.assertRaises(bhemu.BhemuError):
                    call()
            for call in (
                lambda: chip[1, 2].core("arc"),
                lambda: chip[1, 2].stats("T9"),
                lambda: chip.tiles("gpu"),
                lambda: Chip(board="n150"),
                lambda: Chip(timing="fast"),
                lambda: chip[1, 2].read_tile(0, "fp3"),
            ):
                with self.assertRaises(ValueError):
                    call()
            with self.assertRaises(TypeError):
                Chip(cores=4)
        for call in (
            lambda: chip.run(1),
            lambda: chip.cycle,
            lambda: chip.state_hash,
            lambda: chip.hazards,
            lambda: chip.delays,
            chip.tiles,
            chip.report,
            chip.reset,
        ):
            with self.assertRaisesRegex(bhemu.BhemuError, "the chip has been closed"):
                call()


class Watching(unittest.TestCase):
    def test_snapshot(self):
        with tempfile.TemporaryDirectory() as folder, Chip(timing="loose") as chip:
            path = pathlib.Path(folder) / "chip"
            chip[1, 2].load(GUEST / "primes.elf")
            chip.run(500)
            chip.save(path)
            chip.run()
            with Chip.restored(path, threads=1) as again:
                self.assertEqual(again.cycle, 500)
                again.run()
                self.assertEqual(again.state_hash, chip.state_hash)

    def test_observation(self):
        events = []
        with Chip() as seen, Chip() as plain:
            seen.observe(profile=True, on_event=lambda event: events.append((event.track, event.name)))
            for chip in (seen, plain):
                self.assertEqual(squared(chip, 5), 25)
            self.assertEqual(seen.state_hash, plain.state_hash)
            seen.observe_flush()
            stats = seen[1, 2].stats("brisc")
            self.assertEqual(stats.instructions, 5)
            self.assertIn(("mul", 1), stats.mix)
            self.assertEqual([row.pc for row in seen[1, 2].core("brisc").profile()], [0, 4, 8, 12, 16])
        self.assertIn(c.bh_track.BH_TRACK_BRISC, {track for track, _ in events})

    def test_hazards(self):
        source = """
            #include "kit/noc.h"
            GUEST_L1 _Alignas(64) uint32_t word[16];
            int main(void) {
                noc_init();
                noc_read(noc_tile(2, 2), 0x30000, (uint32_t)(uintptr_t)word, sizeof word);
                return (int)((volatile uint32_t *)word)[0];
            }
        """
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "fetch"
            path.with_suffix(".c").write_text(source, encoding="utf-8")
            subprocess.run([os.environ["BHEMU_CC"], "brisc", f"{path}.c", "-o", f"{path}.elf"], check=True)
            with Chip() as chip:
                chip.check()
                chip.vary("response@2,2-1,2#0=9")
                chip[1, 2].load(f"{path}.elf")
                chip.run()
                found, delays = chip.hazards, chip.delays
        self.assertEqual(delays, ["response@2,2-1,2#0=9"])
        races = [hazard for hazard in found if (hazard.kind, hazard.verdict) == ("READ_IN_FLIGHT", "RACE")]
        self.assertEqual(len(races), 1)
        sides = {(side.core, side.writes) for side in (races[0].first, races[0].second)}
        self.assertEqual((races[0].tile, sides), ((1, 2), {("brisc", False), ("brisc", True)}))

    def test_disassembly(self):
        self.assertEqual(bhemu.disassemble(0x00100073), "ebreak")


class Formats(unittest.TestCase):
    def test_all_patterns(self):
        """The number that a bit pattern stands for is converted back to the same pattern."""
        for name in ("bf16", "fp16", "fp8_e5m2", "fp8_e4m3", "int8", "uint8", "uint16"):
            size, to_bits, from_bits = formats.SCALARS[name]
            for bits in range(1 << 8 * size):
                value = from_bits(bits)
                if not math.isnan(value) and not (name == "int8" and bits == 0x80):
                    self.assertEqual(to_bits(value), bits, f"{name} {bits:#x}")

    def test_nearest(self):
        """Rounding takes the nearer of two neighbours, or the even one if both are equally near."""
        for name, count in (("bf16", 0x7F80), ("fp16", 0x7C00), ("fp8_e5m2", 0x7C), ("fp8_e4m3", 0x7F)):
            _, to_bits, from_bits = formats.SCALARS[name]
            for low in range(count - 1):
                a, b = from_bits(low), from_bits(low + 1)
                middle = (a + b) / 2
                self.assertEqual(to_bits(middle), low + (low & 1), f"{name} {low:#x}")
                self.assertEqual(to_bits(-(a + (b - a) / 4)), low | 1 << (15 if count > 0xFF else 7))

    def test_as_struct(self):
        """FP16 agrees with Python's own packing."""
        for bits in range(0x7C01):
            self.assertEqual(formats.FP16.from_bits(bits), struct.unpack("<e", struct.pack("<H", bits))[0])
        draw = random.Random(2)
        for _ in range(20000):
            value = draw.uniform(-65504, 65504) * 2.0 ** draw.randint(-30, 0)
            self.assertEqual(formats.FP16.to_bits(value), struct.unpack("<H", struct.pack("<e", value))[0])

    def test_ends(self):
        self.assertEqual(formats.BF16.to_bits(math.inf), 0x7F80)
        self.assertEqual(formats.BF16.to_bits(1e39), 0x7F80)
        self.assertEqual(formats.FP16.to_bits(-70000), 0xFC00)
        self.assertEqual(formats.FP8_E4M3.to_bits(1e9), 0x7E)
        self.assertTrue(math.isnan(formats.FP8_E4M3.from_bits(0x7F)))
        for name in ("bf16", "fp8_e5m2", "fp8_e4m3"):
            _, to_bits, from_bits = formats.SCALARS[name]
            self.assertTrue(math.isnan(from_bits(to_bits(math.nan))))

    def test_integers_are_rounded(self):
        numbers = {
            "int8": ((1.9, 2), (-2.5, -2), (1000, 127), (-math.inf, -127)),
            "uint8": ((1.5, 2), (-3, 0), (255.7, 255)),
            "int32": ((-1.6, -2), (2**31, 2**31 - 1), (-(2**40), -(2**31))),
            "uint32": ((2.6, 3), (2**32, 2**32 - 1)),
        }
        for name, pairs in numbers.items():
            size, to_bits, from_bits = formats.SCALARS[name]
            for value, expected in pairs:
                self.assertEqual(from_bits(to_bits(value)), expected, name)

    def test_places(self):
        """Faces are stored one after the other."""
        rows = [[100 * row + column for column in range(32)] for row in range(32)]
        raw = formats.pack_tile(rows, "uint16")
        self.assertEqual([int.from_bytes(raw[i : i + 2], "little") for i in (0, 2, 32, 512, 1024, 1536)],
                         [0, 1, 100, 16, 1600, 1616])
        for name in ("uint16", "fp32", "int32"):
            again = formats.unpack_tile(formats.pack_tile(rows, name), name)
            self.assertEqual([list(row) for row in again], rows)

    def test_blocks(self):
        draw = random.Random(1)
        for name, bits in formats.BLOCK_FORMATS.items():
            rows = [[draw.uniform(-8, 8) for _ in range(32)] for _ in range(32)]
            raw = formats.pack_tile(rows, name)
            self.assertEqual(len(raw), formats.tile_size(name))
            again = formats.unpack_tile(raw, name)
            for i, row in enumerate(rows):
                for j in range(0, 32, 16):
                    step = 2.0 ** (math.frexp(max(map(abs, row[j : j + 16])))[1] - bits)
                    for k in range(j, j + 16):  # at most half a step off, or a whole one at the upper end
                        self.assertLessEqual(abs(again[i][k] - row[k]), step if bits > 1 else 2 * step)
            self.assertEqual(formats.pack_tile(again, name), raw)  # rounded numbers do not change again
        self.assertEqual(formats.pack_tile([[0.0] * 32] * 32, "bfp8"), bytes(64 + 1024))
        large = formats.pack_tile([[2.0**130] + [1.0] * 31] + [[0.0] * 32] * 31, "bfp8")
        self.assertEqual((large[0], large[64:66]), (255, b"\x7f\x00"))  # too large: the largest number
        self.assertEqual(formats.pack_tile([[1.0] + [-0.5] * 31] + [[0.0] * 32] * 31, "bfp8")[:1], b"\x7f")

    def test_refusals(self):
        with self.assertRaises(ValueError):
            formats.pack_tile([[1.0] * 32] * 31, "bf16")
        with self.assertRaises(ValueError):
            formats.pack_tile([[math.inf] * 32] * 32, "bfp8")
        with self.assertRaises(ValueError):
            formats.unpack_tile(bytes(3), "bf16")


class Prototypes(unittest.TestCase):
    def test_header(self):
        subprocess.run([sys.executable, HERE.parent / "prototypes.py", "--check"], check=True)


if __name__ == "__main__":
    unittest.main()
