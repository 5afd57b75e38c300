"""Several chips, the cables between their Ethernet tiles, and the time that they share (docs/system.md).

    with System("p300") as system:
        system[1][1, 2].load("hello.elf")
        system.run()
        print(system.links[0].stats())

A chip of a system is a Chip, except that only the system runs it.
"""

import ctypes
import pathlib
from dataclasses import dataclass

from . import _prototypes as c
from ._handle import Handle, call, path_of, put, text_of
from ._library import lib
from .chip import BOARDS, TIMINGS, Chip, Stop, _choice, _cycles
from .errors import BhemuError, Deadlock, Fault, GuestError, Timeout

MACHINES = {lib.bh_system_kind_name(kind).decode(): kind for kind in range(c.bh_system_kind.BH_SYSTEM_KIND_COUNT)}
SETTINGS = ("tensix_harvest", "eth_harvest", "dram_harvest", "location", "serial", "number", "debug_flaws")


@dataclass(frozen=True)
class LinkStats:
    """Counts of a cable, as in struct bh_link_stats. A pair has a count for each end."""

    up: bool
    cuts: int
    frames: tuple
    bytes: tuple
    received: tuple
    dropped: tuple
    resent: tuple
    lost: tuple
    in_flight: tuple


@dataclass(frozen=True)
class LinkEvent:
    """A link has gone down or come up. lost: number of frames that were on the wire."""

    link: "Link"
    up: bool
    cycle: int
    lost: int


class Link:
    """A cable. ends: (chip, port) of both ends; latency in cycles; rate in Gb/s."""

    def __init__(self, system, number):
        record = c.bh_link()
        system._call("bh_system_link_at", number, ctypes.byref(record))
        self.system, self.number = system, number
        self.ends = tuple(zip(record.chip, record.port))
        self.latency, self.rate = record.latency, record.rate

    def __repr__(self):
        (one, port), (two, peer) = self.ends
        return f"<Link {one}.{port} - {two}.{peer}>"

    def stats(self):
        stats = c.bh_link_stats()
        self.system._call("bh_system_link_stats", self.number, ctypes.byref(stats))
        values = (getattr(stats, name) for name, _ in c.bh_link_stats._fields_)
        return LinkStats(*(tuple(value) if isinstance(value, ctypes.Array) else value for value in values))

    @property
    def up(self):
        return self.stats().up

    def cut(self):
        """Cuts the cable, which both ends notice at once."""
        self.system._call("bh_system_cut", self.number)

    def join(self):
        """Connects the cable again."""
        self.system._call("bh_system_join", self.number)


class _Member(Chip):
    """A chip that belongs to a system."""

    def __init__(self, system, number):
        self._observer, self.host_memory = None, system.host_memory
        self._handle = ctypes.c_void_p(lib.bh_system_chip(system._handle, number))
        self.system, self.number = system, number
        self.faults, self.warnings = [], []
        self._errors = system._errors  # the calls of the system raise them

    def close(self):
        """Lets go of the chip, which its system destroys."""
        self._handle = None

    def run(self, cycles=None, **_):
        raise BhemuError(c.bh_status.BH_ERR_STATE, f"chip {self.number} runs with its system: system.run()")

    def reset(self):
        """Returns the chip to its power-on state while the others continue. Its links go down and come up again."""
        self.system._call("bh_system_reset_chip", self.number)
        self.faults.clear()
        self.warnings.clear()


def _descriptor(machine):
    try:
        return pathlib.Path(machine).read_bytes()
    except FileNotFoundError:
        raise FileNotFoundError(f"{machine!r} is no machine ({', '.join(MACHINES)}) and no descriptor file") from None


class System(Handle):
    """Chips and cables. machine: a name ("p300", "quietbox" ...), the path of a descriptor, or None for no chips yet.
    timing: "cycles" or "loose"; threads: number of host threads that run chips, 0 for one on each processor.

    system[i] is chip i, len(system) the number of chips, system.links the cables.
    host_memory: a bytearray that all chips see as host memory, from address 0 on.
    """

    _WHAT, _MESSAGE, _DESTROY = "system", "bh_system_message", "bh_system_destroy"
    _chips = ()

    def __init__(self, machine=None, *, timing="cycles", threads=0, host_memory=None):
        self._chips, self._on_link, self.host_memory, self._errors = [], [], host_memory, []
        handle = ctypes.c_void_p()
        status = lib.bh_system_create(ctypes.byref(handle))
        if status:
            raise BhemuError(status, text_of(lib.bh_status_text(status)))
        self._handle, self._config = handle, self._defaults(_choice(TIMINGS, timing, "timing"))
        self._call("bh_system_defaults", ctypes.byref(self._config))
        self._call("bh_system_threads", threads)
        if machine in MACHINES:
            self._call("bh_system_add", MACHINES[machine])
        elif machine is not None:
            self._describe(_descriptor(machine))
        self._take_chips()

    def _defaults(self, timing):
        config, fields = c.bh_config(), dict(c.bh_config._fields_)
        lib.bh_config_init(ctypes.byref(config))
        put(config, "timing", timing)
        config.threads = 1

        def on_fault(_user, handle, fault):
            chip = self._chip_of(handle)
            chip.faults.append(Fault(handle, fault[0], chip=chip.number))

        def on_warning(_user, handle, fault):
            chip = self._chip_of(handle)
            chip.warnings.append(GuestError(handle, fault[0], chip=chip.number))

        config.on_fault = fields["on_fault"](on_fault)
        config.on_warning = fields["on_warning"](on_warning)
        self._serve_host(config)
        return config

    def _chip_of(self, handle):
        return next(chip for chip in self._chips if chip._handle.value == handle)

    def _take_chips(self):
        for number in range(len(self._chips), lib.bh_system_chip_count(self._handle)):
            self._chips.append(_Member(self, number))

    def _describe(self, text):
        self._call("bh_system_describe", text, len(text))

    def describe(self, text):
        """Adds the chips and cables of a descriptor (docs/system.md)."""
        self._describe(text.encode())
        self._take_chips()

    def add_chip(self, board="p150", **settings):
        """Adds a chip, and returns it. The settings are those of struct bh_config."""
        config = c.bh_config()
        call("bh_config_board", ctypes.byref(config), _choice(BOARDS, board, "board"))
        for name in ("timing", "threads", "on_fault", "on_warning", "host_read", "host_write"):
            setattr(config, name, getattr(self._config, name))
        config.number = config.serial = len(self)
        for name, value in settings.items():
            if name not in SETTINGS:
                raise TypeError(f"a chip of a system has no setting {name!r}")
            put(config, name, value)
        self._call("bh_system_add_chip", ctypes.byref(config), None)
        self._take_chips()
        return self._chips[-1]

    def connect(self, one, two, *, latency=0, rate=0):
        """Connects two ports, each a pair (chip, port), by a cable. Returns the Link. 0: default latency or rate."""
        index, link = ctypes.c_uint(), c.bh_link()
        for end, (chip, port) in enumerate((one, two)):
            link.chip[end], link.port[end] = chip, port
            if (link.chip[end], link.port[end]) != (chip, port):
                raise ValueError(f"there is no port {port} of a chip {chip}")
        put(link, "latency", latency)
        put(link, "rate", rate)
        self._call("bh_system_add_link", ctypes.byref(link), ctypes.byref(index))
        return Link(self, index.value)

    def close(self):
        """Destroys the system and its chips. Nothing of them can be used afterwards."""
        self._refuse_inside("closed")
        for chip in self._chips:
            chip.close()
        super().close()

    def __len__(self):
        return len(self._chips)

    def __iter__(self):
        return iter(self._chips)

    def __getitem__(self, number):
        return self._chips[number]

    @property
    def links(self):
        return [Link(self, number) for number in range(lib.bh_system_link_count(self._open()))]

    # Time

    @property
    def cycle(self):
        return lib.bh_system_cycle(self._open())

    @property
    def quantum(self):
        """Number of cycles between two exchanges of frames."""
        return lib.bh_system_quantum(self._open())

    def run(self, cycles=None, *, limit=Chip.DEFAULT_LIMIT):
        """Runs all chips until nothing is left to do, or for a number of cycles. Raises Fault and Deadlock, whose
        attribute `chip` is the number of the chip; and Timeout if the run does not end within `limit` cycles. Returns
        a Stop."""
        stop = c.bh_system_stop()
        flags = c.bh_run_flags.BH_RUN_STOP_ON_FAULT | (c.bh_run_flags.BH_RUN_STOP_ON_IDLE if cycles is None else 0)
        self._call("bh_system_run", _cycles(cycles, limit), flags, ctypes.byref(stop))
        reason = c.bh_stop_reason(stop.reason)
        if reason is c.bh_stop_reason.BH_STOP_FAULT:
            raise Fault(self[stop.chip]._handle, stop.fault, chip=stop.chip)
        if reason is c.bh_stop_reason.BH_STOP_DEADLOCK:
            raise Deadlock(self[stop.chip]._handle, stop.fault, self.report(), chip=stop.chip)
        if reason is c.bh_stop_reason.BH_STOP_CYCLES and cycles is None:
            raise Timeout(limit, self.report())
        return Stop(reason, stop.cycle, stop.waiting)

    def report(self):
        """Returns a line for each core and thread that waits, and for each link that is down."""
        return self._report("bh_system_report")

    @property
    def state_hash(self):
        """A hash over everything that software can observe, in all chips and on all cables."""
        return lib.bh_system_hash(self._open())

    def save(self, path):
        """Writes the system to a file: its chips, and its cables with the frames on them."""
        self._call("bh_system_save", path_of(path))

    def restore(self, path):
        """Restores the saved state of a system. Precondition: both have the same chips and cables."""
        self._call("bh_system_load", path_of(path))

    def on_link(self, function):
        """Sets a function that is called with a LinkEvent whenever a link goes down or comes up; None: no function. If
        it raises an exception, the call of the system that has changed the link raises it at its end."""
        kind = c.FUNCTIONS["bh_system_on_link"][1][1]

        def tell(_user, _system, event):
            function(LinkEvent(Link(self, event[0].link), event[0].up, event[0].cycle, event[0].lost))

        there = kind(self._guarded(tell)) if function else kind()
        self._call("bh_system_on_link", there, None)
        self._on_link = [there, *self._on_link] if self._calls else [there]  # alive as long as the library may call it
