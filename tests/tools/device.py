#!/usr/bin/env python3
"""`bhemu device` from the side of a virtual machine: speaks vfio-user, and does what a kernel driver does.

    device.py BHEMU
"""

import array
import atexit
import mmap
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

VERSION, DMA_MAP, DMA_UNMAP, INFO, REGION, IO_FDS, IRQ, SET_IRQS, READ, WRITE, RESET = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13
REPLY, NO_REPLY, ERROR = 1, 1 << 4, 1 << 5
EINVAL, EEXIST, ENOENT, ENOTSUP = 22, 17, 2, 95
CONFIG = 7
SIZE = 1 << 20  # of the memory of the virtual machine
BASE = 1 << 30  # of memory that becomes smaller


class Client:
    """The end of the connection at the virtual machine."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.number = 0

    def send(self, command, body=b"", flags=0, descriptors=(), size=None):
        self.number = (self.number + 1) % 65536
        header = struct.pack("<HHIII", self.number, command, 16 + len(body) if size is None else size, flags, 0)
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
        self.socket.sendmsg([header + body], rights)

    def receive(self, size):
        data = b""
        while len(data) < size:
            some = self.socket.recv(size - len(data))
            if not some:
                raise EOFError
            data += some
        return data

    def reply(self):
        number, command, size, flags, error = struct.unpack("<HHIII", self.receive(16))
        assert number == self.number and flags & 15 == REPLY, (number, self.number, flags)
        body = self.receive(size - 16)
        assert bool(flags & ERROR) == bool(error) and not (error and body)
        return command, error, body

    def call(self, command, body=b"", **rest):
        self.send(command, body, **rest)
        answered, error, body = self.reply()
        assert answered == command
        return error, body

    def good(self, command, body=b"", **rest):
        error, body = self.call(command, body, **rest)
        assert error == 0, (command, error)
        return body

    def meet(self):
        body = self.good(VERSION, struct.pack("<HH", 0, 3) + b'{"capabilities":{"max_msg_fds":8}}\0')
        assert struct.unpack_from("<HH", body) == (0, 0)
        assert body[4:].startswith(b'{"capabilities":{') and body.endswith(b"\0")

    def read(self, region, offset, size=4):
        body = self.good(READ, struct.pack("<QII", offset, region, size))
        assert struct.unpack_from("<QII", body) == (offset, region, size) and len(body) == 16 + size
        return int.from_bytes(body[16:], "little") if size <= 8 else body[16:]

    def write(self, region, offset, data, flags=0):
        data = struct.pack("<I", data) if isinstance(data, int) else data
        body = struct.pack("<QII", offset, region, len(data)) + data
        if flags & NO_REPLY:
            self.send(WRITE, body, flags)
        else:
            assert self.good(WRITE, body) == struct.pack("<QII", offset, region, len(data))


def window(client, x, y, address):
    """Aims window 0, and returns the offset of the address in BAR 0."""
    for i, word in enumerate(struct.unpack("<2I", struct.pack("<Q", address >> 21 | x << 43 | y << 49))):
        client.write(0, 0x1FC00000 + 4 * i, word, NO_REPLY)
    return address % (1 << 21)


def describes_itself(client):
    assert struct.unpack("<4I", client.good(INFO, bytes(16))) == (16, 3, 9, 5)
    sizes = {0: 512 << 20, 2: 1 << 20, 4: 32 << 30, CONFIG: 4096}
    for region in range(9):
        info = client.good(REGION, struct.pack("<4I2Q", 32, 0, region, 0, 0, 0))
        size = sizes.get(region, 0)
        assert struct.unpack("<4I2Q", info) == (32, 3 if size else 0, region, 0, size, 0)
    for kind in range(5):
        assert struct.unpack("<4I", client.good(IRQ, struct.pack("<4I", 16, 0, kind, 0))) == (16, 0, kind, 0)
        client.good(SET_IRQS, struct.pack("<5I", 20, 1 | 1 << 5, kind, 0, 0))
    assert client.call(REGION, struct.pack("<4I2Q", 32, 0, 9, 0, 0, 0)) == (EINVAL, b"")
    assert client.call(IRQ, struct.pack("<4I", 16, 0, 5, 0)) == (EINVAL, b"")
    assert client.call(SET_IRQS, struct.pack("<5I", 20, 1 | 1 << 5, 1, 0, 1)) == (EINVAL, b"")


def has_configuration_space(client):
    assert client.read(CONFIG, 0) == 0xB1401E52
    assert client.read(CONFIG, 2, 2) == 0xB140 and client.read(CONFIG, 11, 1) == 0x12
    header = client.read(CONFIG, 0, 64)
    assert struct.unpack_from("<I", header, 0x10)[0] & 15 == 12  # 64 bits, prefetchable
    client.write(CONFIG, 4, b"\x06\x00")  # two bytes of a word
    assert client.read(CONFIG, 4, 2) == 6
    client.write(CONFIG, 0x10, b"\xff" * 8)
    assert client.read(CONFIG, 0x10, 8) == (1 << 64) - (512 << 20) + 12
    assert client.read(CONFIG, 4095, 1) == 0
    for offset, size in ((4096, 1), (4093, 4), (1 << 63, 4)):
        assert client.call(READ, struct.pack("<QII", offset, CONFIG, size)) == (EINVAL, b"")


def reaches_tiles(client):
    """Windows, odd sizes, a core that runs by itself."""
    at = window(client, 1, 2, 0x20000)
    pattern = bytes(i * 7 & 255 for i in range(100_000))
    client.write(0, at, pattern)
    assert client.read(0, at, len(pattern)) == pattern
    client.write(0, at + 3, b"\xAA")
    assert client.read(0, at, 8) == int.from_bytes(pattern[:3] + b"\xAA" + pattern[4:8], "little")
    program = bytes.fromhex("b7020200 1303a002 23a06200 73001000")  # lui t0, 0x20; addi t1, zero, 42; sw t1, 0(t0); ebreak
    client.write(0, window(client, 1, 2, 0), program)
    client.write(0, window(client, 1, 2, 0xFFB121B0), 0x47800 & ~(1 << 11))  # BRISC leaves reset
    at = window(client, 1, 2, 0x20000)
    assert any(client.read(0, at) == 42 for _ in range(100))
    clock = window(client, 1, 2, 0xFFB121F0)  # wall clock: 1000 cycles with each access
    assert client.read(0, clock) + 1000 == client.read(0, clock)
    arc = window(client, 8, 0, 0x80030400)
    assert client.read(0, arc + 4 * 2) & 1  # ready for messages


def dma(client, channel, source, destination, size):
    words = (0x00, 1), (0x1C, size), (0x20, source), (0x24, 0), (0x28, destination), (0x2C, 0), (0x04, 1)
    for offset, value in words:
        client.write(2, channel + offset, value)


def reaches_memory(client):
    """The chip reads and writes the memory of the virtual machine, where that is shared."""
    fd = os.memfd_create("memory")
    os.ftruncate(fd, 2 * SIZE)
    memory = mmap.mmap(fd, 2 * SIZE)
    low, high = struct.pack("<2I3Q", 32, 3, 0, 0, SIZE), struct.pack("<2I3Q", 32, 3, SIZE, SIZE, SIZE)
    client.good(DMA_MAP, low, descriptors=[fd])
    client.good(DMA_MAP, high, descriptors=[fd])
    assert client.call(DMA_MAP, struct.pack("<2I3Q", 32, 3, 0, SIZE - 4096, 8192), descriptors=[fd])[0] == EEXIST
    memory[SIZE - 8 : SIZE + 8] = b"across a border."  # of two regions
    dma(client, 0x100, SIZE - 8, window(client, 2, 3, 0x30000), 16)
    assert client.read(0, window(client, 2, 3, 0x30000), 16) == b"across a border."
    dma(client, 0x000, window(client, 2, 3, 0x30000), 0x200, 16)
    assert memory[0x200:0x210] == b"across a border."
    for body, answer in ((low, low), (high, high)):
        address, size = struct.unpack_from("<2Q", body, 16)
        unmap = struct.pack("<2I2Q", 24, 0, address, size)
        assert client.good(DMA_UNMAP, unmap) == unmap
        assert client.call(DMA_UNMAP, unmap)[0] == ENOENT
    dma(client, 0x100, 0x200, window(client, 2, 3, 0x30000), 4)  # nothing is there any more
    assert client.read(0, window(client, 2, 3, 0x30000)) == 0xFFFFFFFF
    client.good(DMA_MAP, struct.pack("<2I3Q", 32, 3, 0, 0, SIZE))  # not shared
    dma(client, 0x100, 0x200, window(client, 2, 3, 0x30000), 4)
    assert client.read(0, window(client, 2, 3, 0x30000)) == 0xFFFFFFFF
    for map_ in ((0, 3, 0, 0, 0), (0, 3, 0, 1 << 63, (1 << 63) + 1), (0, 2, 0, 1 << 40, 4096)):
        assert client.call(DMA_MAP, struct.pack("<2I3Q", *map_), descriptors=[fd])[0] == EINVAL
    for offset, size in ((1, 4096), (2 * SIZE, 4096), (0, 4 * SIZE)):  # the file does not have these bytes
        body = struct.pack("<2I3Q", 32, 3, offset, 1 << 40, size)
        assert client.call(DMA_MAP, body, descriptors=[fd])[0] == EINVAL
    os.close(fd)


def survives_shrinking(client):
    """The virtual machine takes memory away that it shares: reads give ones, and writes are lost."""
    fd = os.memfd_create("memory")
    os.ftruncate(fd, 2 * SIZE)
    client.good(DMA_MAP, struct.pack("<2I3Q", 32, 3, 0, BASE, 2 * SIZE), descriptors=[fd])
    os.pwrite(fd, b"still here", 0x100)
    os.ftruncate(fd, SIZE)
    at = window(client, 2, 3, 0x30000)
    dma(client, 0x100, BASE + SIZE, at, 4)
    assert client.read(0, at) == 0xFFFFFFFF
    dma(client, 0x000, at, BASE + 2 * SIZE - 4096, 4)
    dma(client, 0x100, BASE + 0x100, at, 10)
    assert client.read(0, at, 10) == b"still here"
    assert os.fstat(fd).st_size == SIZE
    client.good(DMA_UNMAP, struct.pack("<2I2Q", 24, 0, BASE, 2 * SIZE))
    os.close(fd)


def refuses(client):
    """Commands that nobody knows, or that are too short or too large, change nothing."""
    for command in (0, IO_FDS, 11, 12, 14, 15, 16, 99):
        assert client.call(command, bytes(64)) == (ENOTSUP, b"")
    for command, size in ((DMA_MAP, 31), (DMA_UNMAP, 23), (INFO, 15), (REGION, 31), (READ, 15), (WRITE, 15)):
        assert client.call(command, bytes(size)) == (EINVAL, b"")
    assert client.call(READ, struct.pack("<QII", 0, 0, (1 << 20) + 1)) == (EINVAL, b"")
    assert client.call(READ, struct.pack("<QII", 0, 1, 4)) == (EINVAL, b"")
    assert client.call(WRITE, struct.pack("<QII", 0, 0, 8) + bytes(4)) == (EINVAL, b"")
    assert client.read(0, window(client, 8, 26, 0x1000)) == 0xFFFFFFFF  # an L2CPU has no memory here


def resets(client):
    at = window(client, 1, 2, 0x20000)
    for reset in (lambda: client.good(RESET), lambda: client.write(CONFIG, 0x930, 0x11)):
        client.write(0, window(client, 1, 2, 0x20000), 77)
        client.write(CONFIG, 4, b"\x46\x00")
        reset()
        assert client.read(CONFIG, 4, 2) == 0
        assert client.read(0, window(client, 1, 2, 0x20000)) == 0


def breaks_off(path):
    """Clients that end in mid-message, or make no sense, do not end the server."""
    for size, body in ((7, b""), (1 << 30, b""), (100, bytes(10))):
        client = Client(path)
        client.send(VERSION, body, size=size)
        client.socket.shutdown(socket.SHUT_WR)
        try:
            client.receive(1)
            raise AssertionError
        except EOFError:
            pass
    client = Client(path)
    client.meet()
    client.send(READ, bytes(16), flags=REPLY)
    try:
        client.receive(1)
        raise AssertionError
    except EOFError:
        pass
    client = Client(path)
    assert client.call(INFO, bytes(16)) == (EINVAL, b"")  # before the version
    assert client.call(VERSION, struct.pack("<HH", 1, 0))[0] == EINVAL
    client.socket.close()


class Server:
    def __init__(self, bhemu, path, *options):
        self.process = subprocess.Popen([bhemu, "device", path, *options], stderr=subprocess.PIPE, text=True)
        atexit.register(self.process.kill)  # if the test fails
        assert "listening" in self.process.stderr.readline()

    def end(self):
        self.process.send_signal(signal.SIGINT)
        text = self.process.stderr.read()
        self.process.wait(30)
        return self.process.returncode, text


def main():
    bhemu = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        path, saved = folder + "/chip.sock", folder + "/saved.chip"
        server = Server(bhemu, path, "--save", saved)
        breaks_off(path)
        client = Client(path)
        client.meet()
        for part in (describes_itself, has_configuration_space, reaches_tiles, reaches_memory, survives_shrinking, refuses,
                     resets):
            part(client)
        client.write(0, window(client, 1, 2, 0x20000), 1234)
        client.socket.close()
        client = Client(path)  # the chip keeps its state
        client.meet()
        assert client.read(0, window(client, 1, 2, 0x20000)) == 1234
        client.socket.close()
        status, text = server.end()
        assert status == 0 and not os.path.exists(path), (status, text)
        for line in ("is in memory that the virtual machine does not share", "is no memory of the virtual machine",
                     "shares at 0x40000000 has become smaller",
                     "of L2CPU tiles only the NIUs are modelled", "a message has an impossible size",
                     "the connection ended within a message", "the client sends a reply to no command"):
            assert line in text, (line, text)
        server = Server(bhemu, path, "--restore", saved, "--once")
        client = Client(path)
        client.meet()
        client.write(0, window(client, 1, 2, 0x20000), 5)
        client.good(RESET)  # returns to the saved chip
        assert client.read(0, window(client, 1, 2, 0x20000)) == 1234
        client.socket.close()
        assert server.process.wait(30) == 0
        server = Server(bhemu, path)
        client = Client(path)
        client.meet()
        client.socket.sendall(b"\0" * 7)
        time.sleep(0.3)  # Ctrl-C comes in the middle of a message
        status, text = server.end()
        assert status == 0 and not os.path.exists(path), (status, text)
        used = subprocess.run([bhemu, "device", saved], capture_output=True, text=True, check=False)
        assert used.returncode == 2 and "Address already in use" in used.stderr
        unnamed = subprocess.run([bhemu, "device", ""], capture_output=True, text=True, check=False, timeout=30)
        assert unnamed.returncode == 2 and "the path of a socket is missing" in unnamed.stderr
    print("1 passed, 0 failed")


main()
