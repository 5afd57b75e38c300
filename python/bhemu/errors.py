"""The exceptions of the module. All of them are a BhemuError."""

from . import _prototypes as c
from ._library import lib

ETH_CORES = {"erisc0": c.BH_ERISC0, "erisc1": c.BH_ERISC1}  # of Ethernet tiles


def core_name(handle, tile, core):
    """Returns the name of a core of a tile (a bh_xy) of the chip with this handle, or None for the number -1."""
    return lib.bh_core_name_at(handle, tile, core).decode() if core >= 0 else None


class BhemuError(Exception):
    """A call of the library has failed. status: a bh_status."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = c.bh_status(status)


class GuestError(BhemuError):
    """The guest has made an error. The attributes are those of struct bh_fault: kind, tile, core, thread, pc, insn,
    address, cycle, text. core and thread are None if none has caused it. chip: number in a system, else None."""

    def __init__(self, handle, fault, text=None, *, chip=None):
        self.chip = chip
        self.kind = c.bh_fault_kind(fault.kind)
        self.tile = (fault.tile.x, fault.tile.y)
        self.core = core_name(handle, fault.tile, fault.core)
        self.thread = fault.thread if fault.thread >= 0 else None
        self.pc, self.insn, self.address, self.cycle = fault.pc, fault.insn, fault.address, fault.cycle
        self.text = fault.text.decode()
        place = f"tile {self.tile[0]},{self.tile[1]}" if chip is None else f"chip {chip}, tile {self.tile[0]},{self.tile[1]}"
        super().__init__(c.bh_status.BH_ERR_STATE, text or f"{place}: {self.text}")


class Fault(GuestError):
    """A core or a Tensix thread has faulted."""


class Deadlock(GuestError):
    """Cores or threads wait for something that cannot happen any more. report: a line for each of them."""

    def __init__(self, handle, fault, report, *, chip=None):
        super().__init__(handle, fault, f"deadlock in cycle {fault.cycle}:\n{report}", chip=chip)
        self.report = report


class Timeout(BhemuError):
    """The guest has not ended within the limit. report: a line for each waiting core and thread."""

    def __init__(self, cycles, report):
        super().__init__(c.bh_status.BH_ERR_STATE, f"the guest did not end within {cycles:,} cycles\n{report}".strip())
        self.report = report
