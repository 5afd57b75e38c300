"""A chip, its tiles and their cores and threads.

    with Chip() as chip:
        tile = chip[1, 2]
        tile.load("add.elf")
        tile.l1[0x1000:0x1004] = (12).to_bytes(4, "little")
        chip.run()
        print(tile.l1[0x1004:0x1008])

A method without a description has the name and the meaning of the function of bhemu.h that it calls.
"""

import ctypes
import os
import pathlib
from dataclasses import dataclass, field

from . import _prototypes as c
from . import formats
from ._handle import Handle, bytes_of, call, path_of, place_of, put, string_of, text_of
from ._library import lib
from .errors import ETH_CORES, BhemuError, Deadlock, Fault, GuestError, Timeout, core_name

CORES = {lib.bh_core_name(core).decode(): core for core in range(c.bh_core.BH_CORE_COUNT)}
TRACKS = {lib.bh_track_name(track).decode(): track for track in range(c.bh_track.BH_TRACK_COUNT)}
KINDS = {kind.name.removeprefix("BH_TILE_").lower(): kind for kind in list(c.bh_tile_kind)[:-1]}
BOARDS = {board.name.removeprefix("BH_BOARD_").lower(): board for board in c.bh_board}
TIMINGS = {"cycles": c.bh_timing.BH_TIMING_CYCLES, "loose": c.bh_timing.BH_TIMING_LOOSE}
MESSAGE_SIZE = 512


def _choice(table, name, what):
    """Returns the number that a name stands for in a table; a number stands for itself. what: for the error."""
    if isinstance(name, int):
        return name
    try:
        return table[name]
    except KeyError:
        raise ValueError(f"{name!r} is no {what}; there are {', '.join(table)}") from None


def _data(source):
    """Returns the bytes of a file, or the given bytes."""
    return pathlib.Path(source).read_bytes() if isinstance(source, (str, os.PathLike)) else bytes_of(source)


def _cycles(cycles, limit):
    """Returns the number of cycles for a run."""
    number = limit if cycles is None else cycles
    if number < 0:
        raise ValueError(f"a run cannot have {number} cycles")
    return number


def _rows(get, record):
    """Yields the rows that a function returns by index, until it fails. A row is valid until the next one."""
    index = 0
    while get(index, ctypes.byref(record)) == c.bh_status.BH_OK:
        yield record
        index += 1


# ---- Records --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Stop:
    """How a run has ended. reason: a bh_stop_reason; waiting: number of cores out of reset that wait."""

    reason: c.bh_stop_reason
    cycle: int
    waiting: int


@dataclass(frozen=True)
class TileInfo:
    kind: str
    xy: tuple
    noc0: tuple
    noc1: tuple
    logical: tuple
    harvested: bool
    index: int
    port: int


@dataclass(frozen=True)
class Stats:
    """Counts of a track since the observation began. stalls: list of (why, address, cycles), the longest first; mix:
    list of (instruction, count), the most frequent first."""

    busy: int
    stalled: int
    instructions: int
    packets_in: int
    bytes_in: int
    bytes_out: int
    stalls: list = field(default_factory=list)
    mix: list = field(default_factory=list)


@dataclass(frozen=True)
class ProfileRow:
    pc: int
    word: int
    count: int
    cycles: int
    waited: int


@dataclass(frozen=True)
class HazardSide:
    tile: tuple
    agent: str
    core: str
    writes: bool
    pc: int
    word: int
    tensix: bool
    cycle: int


@dataclass(frozen=True)
class Hazard:
    kind: str
    verdict: str
    text: str
    remedy: str
    tile: tuple
    place: str
    count: int
    first: HazardSide
    second: HazardSide
    memory: str = ""  # as in "L1"; "": not in a memory
    address: int = 0  # in that memory (enum bh_hazard_memory)
    buffer: str = ""  # in L1, if known: as in "circular buffer 3, page 1 of 2"


def _xy(place):
    return (place.x, place.y)


def _tile_info(info):
    return TileInfo(
        list(KINDS)[info.kind],
        _xy(info.translated),
        _xy(info.noc0),
        _xy(info.noc1),
        _xy(info.logical),
        info.harvested,
        info.index,
        info.port,
    )


def _hazard_side(handle, side):
    core = core_name(handle, side.tile, side.core)
    return HazardSide(
        _xy(side.tile), text_of(side.agent), core, side.writes, side.pc, side.word, side.tensix, side.cycle
    )


# ---- Parts of a tile -------------------------------------------------------------------------------------


class Memory:
    """The memory of a tile, by the addresses of the NoC: memory[a] is a byte, memory[a:b] are bytes."""

    def __init__(self, tile):
        self._tile = tile

    @staticmethod
    def _range(key):
        if isinstance(key, slice):
            if key.start is None or key.stop is None or key.step not in (None, 1):
                raise ValueError("a range of addresses has a begin, an end and no step")
            if key.stop < key.start:
                raise ValueError(f"the range {key.start:#x}:{key.stop:#x} ends before it begins")
            return key.start, key.stop - key.start
        return key, 1

    def __getitem__(self, key):
        start, size = self._range(key)
        data = self._tile.read(start, size)
        return data if isinstance(key, slice) else data[0]

    def __setitem__(self, key, value):
        start, size = self._range(key)
        data = bytes_of(value) if isinstance(key, slice) else bytes([value])
        if len(data) != size:
            raise ValueError(f"{len(data)} bytes for {size} addresses")
        self._tile.write(start, data)


class Core:
    """A RISC-V core: tile.core("brisc"), or tile.core("erisc0") of an Ethernet tile."""

    def __init__(self, tile, name):
        self._tile, self._chip = tile, tile.chip
        self.number = tile._core(name)
        self.name = core_name(self._chip._open(), tile._xy, self.number)

    def __repr__(self):
        return f"<{self.name} of {self._tile!r}>"

    def _info(self):
        info = c.bh_core_info()
        self._chip._call("bh_core_query", self._tile._xy, self.number, ctypes.byref(info))
        return info

    @property
    def state(self):
        return c.bh_core_state(self._info().state)

    @property
    def pc(self):
        return self._info().pc

    @property
    def retired(self):
        """Number of instructions executed since the chip was created."""
        return self._info().retired

    @property
    def cycle(self):
        return self._info().cycle

    @property
    def waits_on(self):
        return text_of(self._info().waits_on)

    def get(self, register):
        """Returns a register by its number in enum bh_register: 10 is a0, c.bh_register.BH_REG_F0 + 1 is f1."""
        value = ctypes.c_uint32()
        self._chip._call("bh_core_get", self._tile._xy, self.number, register, ctypes.byref(value))
        return value.value

    def set(self, register, value):
        self._chip._call("bh_core_set", self._tile._xy, self.number, register, value & 0xFFFFFFFF)

    def csr(self, number):
        return self.get(c.bh_register.BH_REG_CSR + number)

    @property
    def result(self):
        """The value in a0: after the end of a program, the result of its main."""
        return self.get(10)

    def resume(self):
        """Resumes the core after its ebreak or ecall."""
        self._chip._call("bh_core_resume", self._tile._xy, self.number)

    def profile(self):
        """Returns the executed instructions in the order of their pcs. Precondition: chip.observe(profile=True)."""
        rows, row, pc = [], c.bh_profile(), 0
        while True:
            try:
                self._chip._call("bh_profile_from", self._tile._xy, self.number, pc, ctypes.byref(row))
            except BhemuError as error:
                if error.status is not c.bh_status.BH_ERR_ARGUMENT:
                    raise
                return rows  # after the last
            rows.append(ProfileRow(row.pc, row.word, row.count, row.cycles, row.waited))
            pc = row.pc + 2


class Thread:
    """A thread of the Tensix coprocessor: tile.thread(0)."""

    def __init__(self, tile, number):
        self._tile, self._chip, self.number = tile, tile.chip, number
        self._info()

    def __repr__(self):
        return f"<T{self.number} of {self._tile!r}>"

    def _info(self):
        info = c.bh_thread_info()
        self._chip._call("bh_thread_query", self._tile._xy, self.number, ctypes.byref(info))
        return info

    @property
    def state(self):
        return c.bh_thread_state(self._info().state)

    @property
    def passed(self):
        """Number of instructions that have passed the gate since the chip was created."""
        return self._info().passed

    @property
    def word(self):
        """The instruction at the gate, or 0."""
        return self._info().word

    @property
    def waits_on(self):
        return text_of(self._info().waits_on)

    def gpr(self, index):
        return self._chip._number("bh_gpr_get", self._tile._xy, self.number, index)

    def config(self, index):
        return self._chip._number("bh_thread_config_get", self._tile._xy, self.number, index)


class Tile:
    """A tile of a chip: chip[x, y]. l1: its memory (Memory)."""

    def __init__(self, chip, xy):
        self.chip, self._xy = chip, place_of(xy)
        info = c.bh_tile_info()
        chip._call("bh_tile_find", self._xy, ctypes.byref(info))
        self.info = _tile_info(info)
        self.l1 = Memory(self)

    def __repr__(self):
        return f"<{self.info.kind} tile {self._xy.x},{self._xy.y}>"

    # Memory

    def read(self, address, size):
        data = ctypes.create_string_buffer(size)
        self.chip._call("bh_read", self._xy, address, data, size)
        return data.raw

    def write(self, address, data):
        data = bytes_of(data)
        self.chip._call("bh_write", self._xy, address, data, len(data))

    def read32(self, address):
        return int.from_bytes(self.read(address, 4), "little")

    def write32(self, address, value):
        self.write(address, (value & 0xFFFFFFFF).to_bytes(4, "little"))

    def peek(self, address, size):
        data = ctypes.create_string_buffer(size)
        self.chip._call("bh_peek", self._xy, address, data, size)
        return data.raw

    def poke(self, address, data):
        data = bytes_of(data)
        self.chip._call("bh_poke", self._xy, address, data, len(data))

    def read_tile(self, address, format):
        """Returns a 32x32 tile in L1: a NumPy array, or without NumPy a list of rows. format: see formats.FORMATS."""
        return formats.unpack_tile(self.read(address, formats.tile_size(format)), format)

    def write_tile(self, address, values, format):
        """Writes a 32x32 tile, which is an array or a list of rows."""
        self.write(address, formats.pack_tile(values, format))

    # Programs

    def load(self, program, core="brisc", *, release=True):
        """Loads an ELF file (a path, or its bytes) for a core, and releases the core from reset, so that it starts with
        the next run. Returns the address of the first instruction."""
        image, info = _data(program), c.bh_image_info()
        core = self._core(core)
        self.chip._call("bh_load_elf", self._xy, core, image, len(image), ctypes.byref(info))
        if release:
            self.chip._call("bh_release", self._xy, 1 << core)
        return info.entry

    def load_raw(self, address, words, core="brisc", *, release=True):
        """Loads code (a path, or bytes) at an address of L1, at which the core starts."""
        data, core = _data(words), self._core(core)
        self.chip._call("bh_load_raw", self._xy, core, address, data, len(data))
        if release:
            self.chip._call("bh_release", self._xy, 1 << core)

    def release(self, *cores):
        self.chip._call("bh_release", self._xy, self._mask(cores))

    def hold(self, *cores):
        self.chip._call("bh_hold", self._xy, self._mask(cores))

    def _core(self, name):
        """Returns the number of a core of this tile."""
        return _choice(CORES | ETH_CORES if self.info.kind == "eth" else CORES, name, "core")

    def _mask(self, cores):
        return sum({1 << self._core(core) for core in cores}) if cores else c.BH_ALL_CORES

    # State

    def core(self, name):
        return Core(self, name)

    def thread(self, number):
        return Thread(self, number)

    def dst(self, row):
        """Returns the sixteen data of a row of Dst, as the 16 bits that are stored."""
        return [self.chip._number("bh_dst_get", self._xy, row, column) for column in range(16)]

    def lreg(self, index):
        """Returns the 32 lanes of a register of the Vector Unit."""
        return [self.chip._number("bh_lreg_get", self._xy, index, lane) for lane in range(32)]

    def semaphore(self, index):
        """Returns the value and the maximum of a semaphore of the coprocessor."""
        value, most = ctypes.c_uint32(), ctypes.c_uint32()
        self.chip._call("bh_semaphore_get", self._xy, index, ctypes.byref(value), ctypes.byref(most))
        return value.value, most.value

    def config(self, index, bank=0):
        """Returns a word of Config."""
        return self.chip._number("bh_tensix_config_get", self._xy, bank, index)

    def stats(self, track):
        """Returns the statistics of a track ("brisc", "T0", "matrix", "noc0" ...). Precondition: chip.observe()."""
        number = _choice(TRACKS, track, "track")
        stats, stall, mix = c.bh_track_stats(), c.bh_stall(), c.bh_mix()
        self.chip._call("bh_stats_get", self._xy, number, ctypes.byref(stats))
        handle = self.chip._handle
        stalls = _rows(lambda i, row: lib.bh_stall_at(handle, self._xy, number, i, row), stall)
        mixes = _rows(lambda i, row: lib.bh_mix_at(handle, self._xy, number, i, row), mix)
        return Stats(
            *(getattr(stats, name) for name, _ in c.bh_track_stats._fields_),
            [(text_of(row.why), row.at, row.cycles) for row in stalls],
            [(text_of(row.name), row.count) for row in mixes],
        )


# ---- The chip --------------------------------------------------------------------------------------------


class Chip(Handle):
    """A chip. board: "p150", "p100a", "p300" or "galaxy"; timing: "cycles" or "loose"; others: see struct bh_config.

    host_memory: a bytearray that the chip sees as host memory, from address 0 on.
    faults, warnings: the faults and warnings of the guest so far, as exceptions that were not raised.
    """

    DEFAULT_LIMIT = 1_000_000_000
    _WHAT, _MESSAGE, _DESTROY = "chip", "bh_message", "bh_destroy"

    def __init__(self, board="p150", *, timing="cycles", host_memory=None, **settings):
        config = c.bh_config()
        call("bh_config_board", ctypes.byref(config), _choice(BOARDS, board, "board"))
        put(config, "timing", _choice(TIMINGS, timing, "timing"))
        for name, value in settings.items():
            if name not in ("tensix_harvest", "eth_harvest", "dram_harvest", "threads", "skew", "epoch", "debug_flaws"):
                raise TypeError(f"a chip has no setting {name!r}")
            put(config, name, value)
        self._create(config, host_memory)

    @classmethod
    def restored(cls, path, *, host_memory=None, threads=0):
        """Creates a chip from a file that save() has written."""
        config, message = c.bh_config(), ctypes.create_string_buffer(MESSAGE_SIZE)
        lib.bh_config_init(ctypes.byref(config))
        status = lib.bh_saved_config(path_of(path), ctypes.byref(config), message, MESSAGE_SIZE)
        if status:
            raise BhemuError(status, text_of(message.value))
        put(config, "threads", threads)
        chip = cls.__new__(cls)
        chip._create(config, host_memory)
        chip.restore(path)
        return chip

    def _create(self, config, host_memory):
        self._observer, self.host_memory = None, host_memory
        self.faults, self.warnings, self._errors = [], [], []
        fields = dict(c.bh_config._fields_)
        config.on_fault = fields["on_fault"](lambda _user, chip, fault: self.faults.append(Fault(chip, fault[0])))
        config.on_warning = fields["on_warning"](lambda _user, chip, fault: self.warnings.append(GuestError(chip, fault[0])))
        self._serve_host(config)
        handle, message = ctypes.c_void_p(), ctypes.create_string_buffer(MESSAGE_SIZE)
        status = lib.bh_create(ctypes.byref(config), ctypes.byref(handle), message, MESSAGE_SIZE)
        if status:
            raise BhemuError(status, text_of(message.value))
        self._handle, self._config = handle, config  # keeps the callbacks alive as long as the chip

    def __getitem__(self, xy):
        return Tile(self, xy)

    def _number(self, name, *arguments):
        value = ctypes.c_uint32()
        self._call(name, *arguments, ctypes.byref(value))
        return value.value

    def tiles(self, kind=None):
        """Returns the tiles of the chip (TileInfo), or those of one kind ("tensix", "dram" ...)."""
        number = None if kind is None else _choice(KINDS, kind, "kind of tile")
        rows = _rows(lambda index, info: lib.bh_tile_at(self._open(), index, info), c.bh_tile_info())
        return [_tile_info(info) for info in rows if number is None or info.kind == number]

    # Time

    @property
    def cycle(self):
        return lib.bh_cycle(self._open())

    def run(self, cycles=None, *, limit=DEFAULT_LIMIT):
        """Runs until nothing is left to do, or for a number of cycles. Raises Fault and Deadlock; and Timeout if the
        run does not end within `limit` cycles. Returns a Stop."""
        stop = c.bh_stop()
        flags = c.bh_run_flags.BH_RUN_STOP_ON_FAULT | (c.bh_run_flags.BH_RUN_STOP_ON_IDLE if cycles is None else 0)
        self._call("bh_run", _cycles(cycles, limit), flags, ctypes.byref(stop))
        reason = c.bh_stop_reason(stop.reason)
        if reason is c.bh_stop_reason.BH_STOP_FAULT:
            raise Fault(self._handle, stop.fault)
        if reason is c.bh_stop_reason.BH_STOP_DEADLOCK:
            raise Deadlock(self._handle, stop.fault, self.report())
        if reason is c.bh_stop_reason.BH_STOP_CYCLES and cycles is None:
            raise Timeout(limit, self.report())
        return Stop(reason, stop.cycle, stop.waiting)

    def reset(self):
        """Returns the chip to its power-on state, with all memories zero."""
        self._refuse_inside("reset")
        lib.bh_reset(self._open())
        self.faults.clear()
        self.warnings.clear()

    def report(self):
        """Returns a line for each core and thread that waits, with the reason."""
        return self._report("bh_report")

    @property
    def state_hash(self):
        """A hash over everything that software can observe."""
        return lib.bh_state_hash(self._open())

    def save(self, path):
        self._call("bh_save", path_of(path))

    def restore(self, path):
        """Restores the saved state of a chip. Precondition: both have the same configuration (see Chip.restored)."""
        self._call("bh_load", path_of(path))

    # Watching

    def observe(self, *, stats=True, profile=False, on_event=None):
        """Starts to observe the chip. on_event is called with each event, a struct bh_event that is valid only during
        the call. Observation changes neither values nor cycles. If on_event raises an exception, the run that called it
        goes on to its end without on_event, and then raises the exception."""
        watch = c.bh_watch
        what = watch.BH_WATCH_STATS * bool(stats) | watch.BH_WATCH_PROFILE * bool(profile)
        kind = dict((name, kinds) for name, (_, kinds) in c.FUNCTIONS.items())["bh_observe"][2]
        there = kind(self._guarded(lambda _user, event: on_event(event[0]))) if on_event else kind()
        self._call("bh_observe", int(what | watch.BH_WATCH_EVENTS * bool(on_event)), there, None)
        self._observer = there

    def observe_flush(self):
        self._call("bh_observe_flush")

    def check(self, on=True):
        """Starts or ends the check for hazards."""
        self._call("bh_check", on)

    def check_buffer(self, tile, name, address):
        """Tells the check about a circular buffer: a struct cb (guest/include/kit/cb.h) at an address in L1."""
        self._call("bh_check_buffer", place_of(tile), string_of(name), address)

    def check_finish(self):
        """Ends the run for the check, which then checks the ends of all programs."""
        self._call("bh_check_finish")

    @property
    def hazards(self):
        """The hazards found so far (docs/hazards.md)."""
        found = []
        for index in range(lib.bh_hazard_count(self._open())):
            hazard = c.bh_hazard()
            self._call("bh_hazard_at", index, ctypes.byref(hazard))
            found.append(
                Hazard(
                    text_of(lib.bh_hazard_kind_name(hazard.kind)),
                    text_of(lib.bh_verdict_name(hazard.verdict)),
                    text_of(lib.bh_hazard_kind_text(hazard.kind)),
                    text_of(lib.bh_hazard_remedy(hazard.kind)),
                    _xy(hazard.tile),
                    text_of(hazard.place),
                    hazard.count,
                    _hazard_side(self._handle, hazard.first),
                    _hazard_side(self._handle, hazard.second),
                    text_of(lib.bh_hazard_memory_name(hazard.memory)),
                    hazard.address,
                    text_of(hazard.buffer),
                )
            )
        return found

    def vary(self, what=0):
        """Varies delays that no document fixes (docs/hazards.md). what: a seed, or delays as text; 0 ends it."""
        self._call("bh_vary_text", string_of(str(what)))

    @property
    def delays(self):
        """The delays of runs since vary(), as texts. vary() accepts them with + between them."""
        found, text = [], ctypes.create_string_buffer(80)
        for index in range(lib.bh_delay_count(self._open())):
            delay = c.bh_delay()
            self._call("bh_delay_at", index, ctypes.byref(delay))
            lib.bh_delay_text(ctypes.byref(delay), text, len(text))
            found.append(text_of(text.value))
        return found

    # The PCI Express side of the host

    def bar_read(self, bar, offset, size):
        data = ctypes.create_string_buffer(size)
        self._call("bh_bar_read", bar, offset, data, size)
        return data.raw

    def bar_write(self, bar, offset, data):
        data = bytes_of(data)
        self._call("bh_bar_write", bar, offset, data, len(data))


def disassemble(word, pc=0):
    """Returns a RISC-V instruction as text, or a Tensix instruction if the low two bits of the word are not 11."""
    text = ctypes.create_string_buffer(c.BH_INSTRUCTION_TEXT)
    call("bh_disassemble", pc, word, text, len(text))
    return text_of(text.value)
