from .device import OnChipCoordinate  # noqa: F401
