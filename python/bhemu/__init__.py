"""bhemu, an emulator of the Tenstorrent Blackhole chip (docs/python.md)."""

from . import _prototypes as c
from . import formats
from ._library import VERSION as __version__
from .chip import Chip, Core, Hazard, Memory, Stats, Stop, Thread, Tile, TileInfo, disassemble
from .errors import BhemuError, Deadlock, Fault, GuestError, Timeout
from .system import Link, LinkEvent, LinkStats, System

__all__ = [
    "BhemuError",
    "Chip",
    "Core",
    "Deadlock",
    "Fault",
    "GuestError",
    "Hazard",
    "Link",
    "LinkEvent",
    "LinkStats",
    "Memory",
    "Stats",
    "Stop",
    "System",
    "Thread",
    "Tile",
    "TileInfo",
    "Timeout",
    "c",
    "disassemble",
    "formats",
    "__version__",
]
