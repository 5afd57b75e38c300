"""Transfers, and loading of ELF files: contents of local memory go to the section .loader_init, from which the
start-up code fetches them."""

import struct
from dataclasses import dataclass

from .device import (  # noqa: F401
    L1_SIZE,
    LOCAL_MEMORY,
    RESET_PC,
    RESET_PC_ENABLES,
    TTException,
    check_context,
    convert_coordinate,
)

SHT_PROGBITS, SHF_ALLOC = 1, 2


def read_from_device(location, addr, device_id=0, num_bytes=4, context=None, noc_id=None, safe_mode=None):
    at = convert_coordinate(location, device_id, context)
    return at.device.library.read(at.tile, addr, num_bytes)


def read_words_from_device(location, addr, device_id=0, word_count=1, context=None, noc_id=None, safe_mode=None):
    data = read_from_device(location, addr, device_id, 4 * word_count, context)
    return list(struct.unpack(f"<{word_count}I", data))


def read_word_from_device(location, addr, device_id=0, context=None, noc_id=None, safe_mode=None):
    return read_words_from_device(location, addr, device_id, 1, context)[0]


def write_to_device(location, addr, data, device_id=0, context=None, noc_id=None, safe_mode=None):
    at = convert_coordinate(location, device_id, context)
    at.device.library.write(at.tile, addr, bytes(data))
    return len(data)


def write_words_to_device(location, addr, data, device_id=0, context=None, noc_id=None, safe_mode=None):
    words = [data] if isinstance(data, int) else list(data)
    return write_to_device(location, addr, struct.pack(f"<{len(words)}I", *words), device_id, context)


class Section:
    def __init__(self, name, kind, flags, address, data):
        self.name, self.kind, self.flags, self.address, self.data = name, kind, flags, address, data


class ElfFile:
    """Sections and entry of a little-endian 32-bit ELF file."""

    def __init__(self, path):
        with open(path, "rb") as file:
            raw = file.read()
        (self.entry,) = struct.unpack_from("<I", raw, 24)
        (table,) = struct.unpack_from("<I", raw, 32)
        size, count, names = struct.unpack_from("<3H", raw, 46)
        headers = [struct.unpack_from("<10I", raw, table + i * size) for i in range(count)]
        text = headers[names][4]
        self.sections = [
            Section(raw[text + h[0] : raw.index(b"\0", text + h[0])].decode(), h[1], h[2], h[3], raw[h[4] : h[4] + h[5]])
            for h in headers
        ]

    def section(self, name):
        return next((s for s in self.sections if s.name == name), None)

    get_section_by_name = section

    def get_pointer_size(self):
        return 4


def parse_elf(path, context=None, **ignored):
    return ElfFile(path)


def _place_of(elf, section):
    if section.address < LOCAL_MEMORY:
        return section.address
    staging = elf.section(".loader_init")
    return staging.address + section.address - elf.section(".ldm_data").address


def _is_loaded(section):
    used = section.kind == SHT_PROGBITS and section.flags & SHF_ALLOC and section.data
    on_tile = section.address < L1_SIZE or section.address >= LOCAL_MEMORY  # others are for readers on the host
    return used and on_tile and section.name not in (".loader_init", ".loader_code", ".stack")


def load_elf(elf_file, location, risc_name, return_start_address=False, verify_write=False, device_id=0, **ignored):
    elf = ElfFile(elf_file)
    for section in filter(_is_loaded, elf.sections):
        write_to_device(location, _place_of(elf, section), section.data, device_id)
    if risc_name in RESET_PC:
        register, bit = RESET_PC[risc_name]
        write_words_to_device(location, register, elf.entry, device_id)
        enables = read_word_from_device(location, RESET_PC_ENABLES, device_id)
        write_words_to_device(location, RESET_PC_ENABLES, enables | 1 << bit, device_id)
    elif elf.entry != 0:
        raise TTException(f"{elf_file} does not begin at address 0")
    return elf.entry if return_start_address else None


def _missing(*args, **kwargs):
    raise NotImplementedError("not there through the libttsim ABI")


arc_msg = callstack = _missing


@dataclass
class TensixState:
    """Words of the configuration that the formats of a kernel decide."""

    alu: list
    unpackers: list
    packer: list


CREG_READ, CREG_RDDATA = 0xFFB12058, 0xFFB12078
ALU, EDGES_AND_COUNTERS, PACKER = range(0, 3), range(18, 32), (68, 70, 71)
TILE_DESCRIPTORS, UNPACKERS = (*range(64, 68), *range(112, 116)), (*range(72, 76), *range(120, 124))


def get_tensix_state(location, device_id=0, context=None):
    def read(words):
        values = []
        for word in words:
            write_words_to_device(location, CREG_READ, word, device_id)
            values.append(read_word_from_device(location, CREG_RDDATA, device_id))
        return values

    return TensixState(read(ALU), read((*TILE_DESCRIPTORS, *UNPACKERS)), read((*EDGES_AND_COUNTERS, *PACKER)))
