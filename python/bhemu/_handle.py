"""What the library has made and Python owns: a chip or a system."""

import ctypes

from . import _prototypes as c
from ._library import lib
from .errors import BhemuError


def text_of(value):
    return value.decode() if value is not None else ""


class Handle:
    """An object of the library, until it is closed. _handle: the pointer, or None."""

    _WHAT = _MESSAGE = _DESTROY = None  # "chip", and the names of the functions that tell of an error and end it
    _handle = None
    host_memory = None

    def close(self):
        """Ends it. Nothing of it can be used afterwards."""
        if self._handle:
            getattr(lib, self._DESTROY)(self._handle)
            self._handle = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        self.close()

    def _open(self):
        if not self._handle:
            raise BhemuError(c.bh_status.BH_ERR_STATE, f"the {self._WHAT} has been closed")
        return self._handle

    def _call(self, name, *arguments):
        status = getattr(lib, name)(self._open(), *arguments)
        if status:
            text = text_of(getattr(lib, self._MESSAGE)(self._handle)) or text_of(lib.bh_status_text(status))
            raise BhemuError(status, text)

    def _report(self, name):
        size = getattr(lib, name)(self._open(), None, 0) + 1
        text = ctypes.create_string_buffer(size)
        getattr(lib, name)(self._handle, text, size)
        return text_of(text.value).strip()

    # The host's memory, as a chip sees it: zeros behind the end of host_memory, where writes are lost

    def _host_read(self, _user, address, data, size):
        found = bytes(self.host_memory[address : address + size])
        ctypes.memmove(data, found + bytes(size - len(found)), size)

    def _host_write(self, _user, address, data, size):
        end = min(address + size, len(self.host_memory))
        if address < end:
            self.host_memory[address:end] = ctypes.string_at(data, end - address)

    def _serve_host(self, config):
        """Lets a bh_config read and write host_memory, if there is one."""
        fields = dict(c.bh_config._fields_)
        if self.host_memory is not None:
            config.host_read = fields["host_read"](self._host_read)
            config.host_write = fields["host_write"](self._host_write)
