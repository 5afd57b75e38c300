"""Objects of the library that Python owns: a chip or a system."""

import ctypes
import numbers
import os

from . import _prototypes as c
from ._library import lib
from .errors import BhemuError


def text_of(value):
    """Returns a text of the library, which may have cut a character of several bytes, or name a file that is no text."""
    return value.decode(errors="replace") if value is not None else ""


def bytes_of(data):
    """Returns bytes(data), but takes no number: bytes(4) are four zeros."""
    if isinstance(data, numbers.Integral):
        raise TypeError(f"bytes are needed, not the number {data}")
    return bytes(data)


def string_of(text):
    """Returns a text as the library takes it."""
    data = text if isinstance(text, bytes) else text.encode()
    if 0 in data:
        raise ValueError("a text with a null character")
    return data


def path_of(path):
    return string_of(os.fsencode(path))


def place_of(xy):
    """Returns a pair of coordinates as a bh_xy, into which ctypes would put any number."""
    x, y = xy
    for number in (x, y):
        if isinstance(number, numbers.Integral) and not 0 <= number <= 255:
            raise BhemuError(c.bh_status.BH_ERR_COORDINATE, f"there is no tile at ({x},{y})")
    return c.bh_xy(x, y)


def put(record, name, value):
    """Sets a member of a structure, which must be able to hold the value: ctypes would cut it off."""
    setattr(record, name, value)
    if getattr(record, name) != value:
        raise ValueError(f"{name} cannot be {value!r}")


def _check_number(kind, value):
    code = getattr(kind, "_type_", None)
    if not isinstance(code, str) or code not in "bBhHiIlLqQ" or not isinstance(value, numbers.Integral):
        return
    bits = 8 * ctypes.sizeof(kind)
    least = 0 if code.isupper() else -(1 << bits - 1)
    if not least <= value < least + (1 << bits):
        raise ValueError(f"{value} is no number of {bits} bits" + ("" if least else " from 0 on"))


def call(name, *arguments):
    """Calls a function of the library with numbers that it can take: ctypes would cut them off."""
    function = getattr(lib, name)
    for kind, value in zip(function.argtypes, arguments):
        _check_number(kind, value)
    return function(*arguments)


class Handle:
    """An object of the library. _handle: the pointer, or None after close()."""

    _WHAT = _MESSAGE = _DESTROY = None  # as in "chip", and the names of two functions: the last message, the end
    _handle = None
    _calls = 0  # calls of the library that have not returned
    host_memory = None

    def close(self):
        """Destroys the object. Neither it nor anything of it can be used afterwards."""
        if self._handle:
            self._refuse_inside("closed")
            getattr(lib, self._DESTROY)(self._handle)
            self._handle = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        self.close()

    def __reduce_ex__(self, _protocol):
        raise TypeError(f"a {self._WHAT} cannot be copied or pickled: save and restore it")

    def _open(self):
        if not self._handle:
            raise BhemuError(c.bh_status.BH_ERR_STATE, f"the {self._WHAT} has been closed")
        return self._handle

    def _call(self, name, *arguments):
        handle = self._open()
        self._calls += 1
        try:
            status = call(name, handle, *arguments)
        finally:
            self._calls -= 1
        if self._errors and not self._calls:
            error = self._errors[0]
            self._errors.clear()
            raise error
        if status:
            text = text_of(getattr(lib, self._MESSAGE)(self._handle)) or text_of(lib.bh_status_text(status))
            raise BhemuError(status, text)

    def _refuse_inside(self, what):
        if self._calls:
            raise BhemuError(c.bh_status.BH_ERR_STATE, f"the {self._WHAT} cannot be {what} inside a call of it")

    def _guarded(self, function):
        """Returns a function for the library that keeps the first exception of this one until the call of the library
        has ended, which then raises it. After that the function is not called any more."""

        def guarded(*arguments):
            if self._errors:
                return
            try:
                function(*arguments)
            except BaseException as error:
                self._errors.append(error)

        return guarded

    def _report(self, name):
        size = getattr(lib, name)(self._open(), None, 0) + 1
        text = ctypes.create_string_buffer(size)
        getattr(lib, name)(self._handle, text, size)
        return text_of(text.value).strip()

    # Host memory, as a chip sees it: after the end of host_memory, reads return zeros and writes are dropped

    def _host_read(self, _user, address, data, size):
        try:
            found = bytes(self.host_memory[address : address + size])
        except BaseException as error:
            self._errors.append(error)
            found = b""
        ctypes.memmove(data, found + bytes(size - len(found)), size)

    def _host_write(self, _user, address, data, size):
        try:
            end = min(address + size, len(self.host_memory))
            if address < end:
                self.host_memory[address:end] = ctypes.string_at(data, end - address)
        except BaseException as error:
            self._errors.append(error)

    def _serve_host(self, config):
        """Sets the callbacks of a bh_config that read and write host_memory, if there is one."""
        fields = dict(c.bh_config._fields_)
        if self.host_memory is not None:
            config.host_read = fields["host_read"](self._host_read)
            config.host_write = fields["host_write"](self._host_write)
