from .device import Context  # noqa: F401
