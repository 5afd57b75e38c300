"""Finds and loads libbhemu.so, and sets the prototypes of its functions."""

import ctypes
import ctypes.util
import os
import pathlib

from . import _prototypes as c

NAME = "libbhemu.so"


def _candidates():
    """Yields the paths at which the library may be, in the order of the search."""
    if os.environ.get("BHEMU_LIBRARY"):
        yield os.environ["BHEMU_LIBRARY"]
        return
    here = pathlib.Path(__file__).resolve().parent
    yield str(here / NAME)  # a wheel
    yield str(here.parent.parent / "build" / NAME)  # a source tree
    for above in here.parents:  # an installation: PREFIX/lib/python3/.../bhemu next to PREFIX/lib
        yield from map(str, sorted(above.glob(f"lib*/{NAME}")) + sorted(above.glob(f"lib/*/{NAME}")))
        if above.name in ("usr", "local"):
            break
    yield ctypes.util.find_library("bhemu") or NAME


def _load():
    tried = []
    for path in _candidates():
        if os.sep in path and not os.path.exists(path):
            tried.append(path)
            continue
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            tried.append(str(error))
    raise ImportError(f"{NAME} was not found; name it in BHEMU_LIBRARY. Tried: " + ", ".join(tried))


def _prototyped(library):
    for name, (result, arguments) in c.FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise ImportError(f"{library._name} has no {name}: it is of another version than this module") from None
        function.restype, function.argtypes = result, arguments
    return library


lib = _prototyped(_load())
VERSION = lib.bh_version().decode()
