"""What the tests of tt-llk need of tt-exalens, on any library with the libttsim ABI, in this process.

One device with the Tensix tiles of an unharvested Blackhole. Not there: state dumps, call stacks, ARC messages,
injected instructions; what asks for them fails.
"""

from .device import Context, Device, OnChipCoordinate, TTException, check_context  # noqa: F401
from . import tt_exalens_init  # noqa: F401


class Verbosity:
    ERROR = 1

    @staticmethod
    def set(level):
        pass
