"""Objects of the library that Python owns: a chip or a system."""

import ctypes

from . import _prototypes as c
from ._library import lib
from .errors import BhemuError


def text_of(value):
    return value.decode() if value is not None else ""


class Handle:
    """An object of the library. _handle: the pointer, or None after close()."""

    _WHAT = _MESSAGE = _DESTROY = None  # as in "chip", and the names of two functions: the last message, the end
    _handle = None
    host_memory = None

    def close(self):
        """Destroys the object. Neither it nor anything of it can be used afterwards."""
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

    # Host memory, as a chip sees it: after the end of host_memory, reads return zeros and writes are dropped

    def _host_read(self, _user, address, data, size):
        found = bytes(self.host_memory[address : address + size])
        ctypes.memmove(data, found + bytes(size - len(found)), size)

    def _host_write(self, _user, address, data, size):
        end = min(address + size, len(self.host_memory))
        if address < end:
            self.host_memory[address:end] = ctypes.string_at(data, end - address)

    def _serve_host(self, config):
        """Sets the callbacks of a bh_config that read and write host_memory, if there is one."""
        fields = dict(c.bh_config._fields_)
        if self.host_memory is not None:
            config.host_read = fields["host_read"](self._host_read)
            config.host_write = fields["host_write"](self._host_write)
