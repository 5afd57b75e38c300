"""The chip behind the libttsim ABI, and the names under which tt-exalens shows it."""

import ctypes
import hashlib
import os
import struct

REGISTERS = {
    "RISCV_DEBUG_REG_SOFT_RESET_0": 0xFFB121B0,
    "RISCV_DEBUG_REG_DEST_CG_CTRL": 0xFFB12240,
}
RESET_PC = {"trisc0": (0xFFB12228, 0), "trisc1": (0xFFB1222C, 1), "trisc2": (0xFFB12230, 2)}
RESET_PC_ENABLES = 0xFFB12234
COLUMNS = [1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16]
FIRST_ROW, ROWS = 2, 10
LOCAL_MEMORY = 0xFFB00000
L1_SIZE = 0x180000
SMALL = 64  # reads up to this size are polls: they are not recorded, and time passes


class TTException(Exception):
    pass


class Library:
    """Tiles are reached through window 0. Time passes only here: CLOCKS of them after each small read."""

    CLOCKS = int(os.environ.get("LLK_CLOCKS", "64"))
    WINDOW = 1 << 21
    WINDOW_REGISTERS = 0x1FC00000

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.transfer = [self.library.libttsim_pci_mem_rd_bytes, self.library.libttsim_pci_mem_wr_bytes]
        for function in self.transfer:
            function.argtypes = [ctypes.c_uint64, ctypes.c_void_p, ctypes.c_uint32]
        self.library.libttsim_init()
        low, high = (self.library.libttsim_pci_config_rd32(0, at) & 0xFFFFFFFF for at in (0x10, 0x14))
        self.base = low & ~15 | high << 32
        self.page = None
        self.record = os.environ.get("LLK_RECORD")

    def point(self, tile, page):
        """Window 0 to 2 MiB of a tile; nothing here reaches over a page's end."""
        if self.page == (tile, page):
            return
        words = page | tile[0] << 43 | tile[1] << 49
        for i, word in enumerate((words & 0xFFFFFFFF, words >> 32, 0)):
            self.transfer[1](self.base + self.WINDOW_REGISTERS + 4 * i, struct.pack("<I", word), 4)
        self.page = (tile, page)

    def move(self, way, tile, address, data, size):
        self.point(tile, address // self.WINDOW)
        self.transfer[way](self.base + address % self.WINDOW, data, size)

    def read(self, tile, address, size):
        data = ctypes.create_string_buffer(size)
        self.move(0, tile, address, data, size)
        if size <= SMALL:
            self.library.libttsim_clock(self.CLOCKS)
        elif self.record:
            self.note(address, data.raw)
        return data.raw

    def write(self, tile, address, data):
        self.move(1, tile, address, bytes(data), len(data))

    def note(self, address, data):
        test = os.environ.get("PYTEST_CURRENT_TEST", "?").rsplit(" ", 1)[0]
        line = "\t".join([test, f"{address:#x}", str(len(data)), hashlib.sha1(data).hexdigest()])
        with open(self.record, "a") as record:
            record.write(line + "\n")


class OnChipCoordinate:
    def __init__(self, x, y, device):
        self.logical, self.device, self.context = (x, y), device, device.context
        self.tile = (COLUMNS[x], FIRST_ROW + y)

    @staticmethod
    def create(location, device):
        if isinstance(location, OnChipCoordinate):
            return location
        x, y = (int(part) for part in location.split(","))
        return OnChipCoordinate(x, y, device)

    def to_str(self, system="logical"):
        return f"{self.logical[0]},{self.logical[1]}"


class RegisterStore:
    def __init__(self, library, tile):
        self.library, self.tile = library, tile

    def read_register(self, name):
        return struct.unpack("<I", self.library.read(self.tile, REGISTERS[name], 4))[0]

    def write_register(self, name, value):
        self.library.write(self.tile, REGISTERS[name], struct.pack("<I", value))


class RiscDebug:
    def is_ebreak_hit(self):
        return False


class Block:
    def __init__(self, library, tile):
        self.library, self.tile = library, tile

    def get_register_store(self):
        return RegisterStore(self.library, self.tile)

    def get_risc_debug(self, name, neo_id=None):
        return RiscDebug()


class Description:
    general_purpose_registers = []


class Device:
    _arch = "blackhole"

    def __init__(self, context, path):
        self.context, self.path, self.opened = context, path, None
        self._umd_device = self
        self.can_use_dma = True  # one request, however large

    @property
    def library(self):
        """Opened when first used: with --forked that is in the process of the test."""
        if self.opened is None:
            self.opened = Library(self.path)
        return self.opened

    def get_block(self, coordinate):
        return Block(self.library, coordinate.tile)

    def get_block_locations(self, kind):
        return [OnChipCoordinate(x, y, self) for x in range(len(COLUMNS)) for y in range(ROWS)]

    def get_tensix_registers_description(self):
        return Description()


class Context:
    current = None

    def __init__(self, path):
        self.devices = {0: Device(self, path)}


def check_context(context=None):
    context = context or Context.current
    if context is None:
        raise TTException("no library was opened")
    return context


def convert_coordinate(location, device_id=0, context=None):
    return OnChipCoordinate.create(location, check_context(context).devices[device_id])
