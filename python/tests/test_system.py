"""Tests the systems of the module. Meson sets BHEMU_LIBRARY, GUEST (compiled examples) and BHEMU_CC."""

import os
import pathlib
import struct
import tempfile
import unittest

import bhemu
from bhemu import Chip, System, c

GUEST = pathlib.Path(os.environ["GUEST"])
MAILBOX = struct.pack("<3I", 0xFFEC12B7, 0x0002A303, 0x00100073)  # BRISC reads a mailbox that no core fills
TX_CMD, TX_FROM, TX_SIZE, TX_TO = 0xFFB90004, 0xFFB90014, 0xFFB90018, 0xFFB9001C


def eth(port):
    return (20 + port, 25)


def send(system, chip, port, data):
    """Sends bytes from a port to address 0x20000 at the other end."""
    tile = system[chip][eth(port)]
    tile.write(0x10000, data)
    for register, value in ((TX_FROM, 0x10000), (TX_TO, 0x20000), (TX_SIZE, len(data)), (TX_CMD, 2)):
        tile.write32(register, value)


def received(system, chip, port, size):
    return system[chip][eth(port)].read(0x20000, size)


class Machines(unittest.TestCase):
    def test_machines(self):
        for name, chips, links in (("p150", 1, 0), ("p300", 2, 2), ("quietbox", 4, 16), ("quietbox2", 4, 8)):
            with System(name) as system:
                self.assertEqual((len(system), len(system.links)), (chips, links))
                self.assertEqual([chip.number for chip in system], list(range(chips)))
        with System("p300") as system:
            self.assertEqual([link.ends for link in system.links], [((0, 2), (1, 9)), ((0, 3), (1, 8))])
            self.assertEqual((system.links[0].rate, repr(system.links[1])), (400, "<Link 0.3 - 1.8>"))
            self.assertEqual(sum(not info.harvested for info in system[1].tiles("tensix")), 120)

    def test_descriptor(self):
        text = "chips: 2\nlinks:\n  - 0.4 1.5 latency=600\n"
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(text)
            file.flush()
            with System(file.name) as system:
                self.assertEqual((len(system), system.links[0].latency, system.quantum), (2, 600, 512))
                system.describe(text)
                self.assertEqual([link.ends for link in system.links][1], ((2, 4), (3, 5)))

    def test_mesh_graph_descriptor(self):
        text = """mesh_descriptors { name: "M" arch: BLACKHOLE device_topology { dims: [ 1, 2 ] }
                  host_topology { dims: [ 1, 1 ] } channels { count: 2 } }
                  top_level_instance { mesh { mesh_descriptor: "M" mesh_id: 0 } }"""
        with tempfile.NamedTemporaryFile("w", suffix=".textproto") as file:
            file.write(text)
            file.flush()
            with System(file.name) as system, System("p300") as p300:
                self.assertEqual([link.ends for link in system.links], [link.ends for link in p300.links])
        with System() as system, self.assertRaisesRegex(bhemu.BhemuError, "line 1: arch: .* not WORMHOLE_B0"):
            system.describe(text.replace("BLACKHOLE", "WORMHOLE_B0"))

    def test_by_hand(self):
        with System() as system:
            for board in ("p150", "p300"):
                chip = system.add_chip(board, location=1)
            self.assertIs(chip, system[1])
            link = system.connect((0, 4), (1, 7), rate=100)
            self.assertEqual((link.number, link.ends, link.rate), (0, ((0, 4), (1, 7)), 100))
            send(system, 0, 4, bytes(range(32)))
            system.run(5000)
            self.assertEqual(received(system, 1, 7, 32), bytes(range(32)))


class Runs(unittest.TestCase):
    def test_programs(self):
        with System("quietbox", threads=2) as system:
            for chip in system:
                chip[1, 2].load(GUEST / "sum.elf")
            stop = system.run()
            self.assertIs(stop.reason, c.bh_stop_reason.BH_STOP_IDLE)
            with Chip() as alone:
                alone[1, 2].load(GUEST / "sum.elf")
                alone.run()
                for chip in system:
                    core = chip[1, 2].core("brisc")
                    self.assertEqual((chip.cycle, core.retired), (system.cycle, alone[1, 2].core("brisc").retired))

    def test_same_result(self):
        hashes = set()
        for threads, pieces in ((1, [9000]), (4, [9000]), (1, [1, 255, 4000, 4744])):
            with System("p300", threads=threads) as system:
                send(system, 0, 2, b"0123456789abcdef")
                for cycles in pieces:
                    system.run(cycles)
                hashes.add(system.state_hash)
        self.assertEqual(len(hashes), 1)

    def test_host_memory(self):
        memory = bytearray(4096)
        with System("p300", host_memory=memory) as system:
            system[1][19, 24].write32(0x40, 0x11223344)
            self.assertEqual(memory[0x40:0x44], bytes.fromhex("44332211"))


class Links(unittest.TestCase):
    def test_exceptions_of_callbacks(self):
        def raises(event):
            raise KeyError(event.up)

        with System("p300") as system:
            system.on_link(raises)
            for call, up in ((system.links[0].cut, False), (system.links[0].join, True)):
                with self.assertRaises(KeyError) as error:
                    call()
                self.assertEqual(error.exception.args, (up,))
            system[0].observe(on_event=lambda event: 1 / 0)
            system[0][1, 2].load_raw(0, struct.pack("<3I", 0x10002303, 0xFE030EE3, 0x00100073))  # polls, pauses
            system.run(1000)
            system[0][1, 2].write32(0x100, 1)
            with self.assertRaises(ZeroDivisionError):
                system.run(1000)
            self.assertEqual(system.cycle, 2000)

    def test_a_callback_cannot_close(self):
        refused = []

        def on_link(event):
            for call in (system.close, system.run, system[0].reset, event.link.join):
                try:
                    call()
                except bhemu.BhemuError as error:
                    refused.append(error.status)
            system.on_link(None)

        with System("p300") as system:
            system.on_link(on_link)
            system.links[0].cut()
            self.assertEqual(refused, [c.bh_status.BH_ERR_STATE] * 4)

    def test_numbers_that_do_not_fit(self):
        with System("p300") as system:
            for call in (
                lambda: system.connect((1 << 32, 4), (1, 1)),
                lambda: system.connect((0, 4), (1, 1), latency=1 << 32),
                lambda: system.add_chip(location=300),
                lambda: system.run(1 << 64),
            ):
                with self.assertRaises(ValueError):
                    call()
            self.assertEqual((len(system), len(system.links), system.cycle), (2, 2, 0))

    def test_cut_and_join(self):
        events = []
        with System("p300") as system:
            system.on_link(events.append)
            link = system.links[0]
            link.cut()
            self.assertFalse(link.up)
            self.assertIn("port 2 of chip 0 to port 9 of chip 1: down", system.report())
            send(system, 0, 2, b"0123456789abcdef")
            system.run(5000)
            self.assertEqual(received(system, 1, 9, 16), bytes(16))
            link.join()
            system.run(5000)
            self.assertEqual(received(system, 1, 9, 16), b"0123456789abcdef")
            stats = link.stats()
            self.assertEqual((stats.up, stats.cuts, stats.frames, stats.received), (True, 1, (1, 0), (0, 1)))
            system.on_link(None)
            link.cut()
        self.assertEqual([(event.link.number, event.up, event.cycle) for event in events], [(0, False, 0), (0, True, 5000)])

    def test_save_and_restore(self):
        with System("p300") as system, System("p300") as other, System("quietbox") as wrong, tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "p300.system"
            send(system, 0, 2, b"0123456789abcdef")
            system.run(100)
            system.save(path)
            other.restore(path)
            self.assertEqual((other.cycle, other.state_hash), (100, system.state_hash))
            other.run(5000)
            self.assertEqual(received(other, 1, 9, 16), b"0123456789abcdef")
            self.assertEqual(received(system, 1, 9, 16), bytes(16))
            with self.assertRaisesRegex(bhemu.BhemuError, "2 chips and 2 links, not 4 and 16"):
                wrong.restore(path)

    def test_reset_of_a_chip(self):
        with System("p300") as system:
            system[0][1, 2].write32(0x100, 7)
            system[1][1, 2].write32(0x100, 7)
            system.run(1000)
            system[0].reset()
            self.assertEqual([chip[1, 2].read32(0x100) for chip in system], [0, 7])
            self.assertEqual([link.stats().cuts for link in system.links], [1, 1])


class GoesWrong(unittest.TestCase):
    def test_fault(self):
        with System("p300") as system:
            system[1][1, 2].load_raw(0, bytes(4))
            with self.assertRaises(bhemu.Fault) as error:
                system.run()
            self.assertEqual((error.exception.chip, error.exception.tile), (1, (1, 2)))
            self.assertTrue(str(error.exception).startswith("chip 1, tile 1,2: "))
            self.assertEqual([len(chip.faults) for chip in system], [0, 1])
            self.assertEqual(str(system[1].faults[0]), str(error.exception))

    def test_deadlock(self):
        with System("p300") as system:
            system[1][1, 2].load_raw(0, MAILBOX)
            with self.assertRaises(bhemu.Deadlock) as error:
                system.run()
            self.assertEqual((error.exception.chip, error.exception.core), (1, "brisc"))
            self.assertIn("chip 1: tile 1,2: brisc", error.exception.report)

    def test_timeout(self):
        with System("p300") as system:
            system[0][1, 2].load_raw(0, struct.pack("<2I", 0x00128293, 0xFFDFF06F))  # counts forever
            with self.assertRaises(bhemu.Timeout):
                system.run(limit=5000)

    def refused(self, text, call, *arguments, **names):
        with self.assertRaises(bhemu.BhemuError) as error:
            call(*arguments, **names)
        self.assertIn(text, str(error.exception))

    def test_refusals(self):
        with System("p300") as system:
            self.refused("system.run()", system[0].run)
            self.refused("system", system[0].save, "/dev/null")
            self.refused("already leads to", system.connect, (0, 2), (1, 1))
            self.refused("no Ethernet port 12", system.connect, (0, 12), (1, 1))
            self.refused("no chip 2", system.connect, (0, 0), (2, 1))
            self.refused("line 1", system.describe, "toaster: 1\n")
            with self.assertRaises(TypeError):
                system.add_chip(threads=3)
            with self.assertRaises(ValueError):
                system.add_chip("p301")
            with self.assertRaises(IndexError):
                system[2]
            system.links[0].cut()
            self.refused("is down already", system.links[0].cut)
            chip, link = system[0], system.links[0]
        self.refused("the system has been closed", system.run)
        self.refused("the system has been closed", link.stats)
        self.refused("the chip has been closed", chip.__getitem__, (1, 2))
        with self.assertRaises(FileNotFoundError):
            System("no-such-machine")
        with self.assertRaises(ValueError):
            System("p300", timing="fast")
        System("p300").close()  # and again when the object is collected


if __name__ == "__main__":
    unittest.main()
