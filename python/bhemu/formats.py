"""Converts numbers and 32x32 tiles to and from the bytes that they have in L1.

A tile has four faces of 16x16 data, one after the other: upper left, upper right, lower left, lower right. Block
formats have an exponent for each row of a face; all exponents precede the data.

Rounding is to nearest, ties to even, as in tt-metal's host code. Numbers that are too large become infinity, or the
largest number if the format has no infinity.
"""

import math
import struct

try:
    import numpy
except ImportError:
    numpy = None

SIDE, FACE = 32, 16
COUNT = SIDE * SIDE
BLOCKS = COUNT // FACE  # rows of faces


# ---- One number ------------------------------------------------------------------------------------------


def _float_bits(value):
    try:
        return struct.unpack("<I", struct.pack("<f", value))[0]
    except OverflowError:
        return 0x7F800000 | (value < 0) << 31


def _bits_float(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


class Small:
    """A floating-point format of sign, exponent and mantissa. top: the bits for numbers that are too large, which are
    infinity or the largest number; nan: the bits of a NaN."""

    def __init__(self, bits, mantissa, bias, top, nan):
        self.sign, self.mantissa, self.least, self.top, self.nan = 1 << (bits - 1), mantissa, 1 - bias, top, nan

    def to_bits(self, value):
        sign = self.sign if math.copysign(1, value) < 0 else 0
        size = abs(float(value))
        if math.isnan(size):
            return sign | self.nan
        if math.isinf(size):
            return sign | self.top
        exponent = max(math.frexp(size)[1] - 1, self.least) if size else self.least
        steps = round(math.ldexp(size, self.mantissa - exponent))  # in units of the last place, with the leading 1
        return sign | min((exponent - self.least << self.mantissa) + steps, self.top)

    def from_bits(self, bits):
        size = bits & (self.sign - 1)
        exponent, mantissa = size >> self.mantissa, size & ((1 << self.mantissa) - 1)
        if size > self.top:
            return math.nan
        if size == self.top and not mantissa:
            value = math.inf
        else:
            unit = max(exponent, 1) - 1 + self.least - self.mantissa
            value = math.ldexp(mantissa | (exponent > 0) << self.mantissa, unit)
        return -value if bits & self.sign else value


BF16 = Small(16, 7, 127, 0x7F80, 0x7FC0)
FP16 = Small(16, 10, 15, 0x7C00, 0x7E00)
FP8_E5M2 = Small(8, 2, 15, 0x7C, 0x7F)
FP8_E4M3 = Small(8, 3, 7, 0x7E, 0x7F)


def _whole(value, least, most):
    """Returns the nearest integer in a range."""
    return round(min(max(value, least), most))


def to_int8(value):
    """Returns the bits of an INT8 number: sign and magnitude."""
    value = _whole(value, -127, 127)
    return abs(value) | (value < 0) << 7


def from_int8(bits):
    return -(bits & 0x7F) if bits & 0x80 else bits & 0x7F


def _unsigned(bits):
    return lambda value: _whole(value, 0, (1 << bits) - 1)


def to_int32(value):
    return _whole(value, -1 << 31, (1 << 31) - 1) & 0xFFFFFFFF


def from_int32(bits):
    return bits - ((bits & 1 << 31) << 1)


# name: (bytes of a datum, number to bits, bits to number)
SCALARS = {
    "fp32": (4, _float_bits, _bits_float),
    "bf16": (2, BF16.to_bits, BF16.from_bits),
    "fp16": (2, FP16.to_bits, FP16.from_bits),
    "fp8_e5m2": (1, FP8_E5M2.to_bits, FP8_E5M2.from_bits),
    "fp8_e4m3": (1, FP8_E4M3.to_bits, FP8_E4M3.from_bits),
    "int8": (1, to_int8, from_int8),
    "int32": (4, to_int32, from_int32),
    "uint8": (1, _unsigned(8), int),
    "uint16": (2, _unsigned(16), int),
    "uint32": (4, _unsigned(32), int),
}
# name: number of bits of a magnitude
BLOCK_FORMATS = {"bfp8": 7, "bfp4": 3, "bfp2": 1}
FORMATS = (*SCALARS, *BLOCK_FORMATS)


# ---- Block formats ---------------------------------------------------------------------------------------


def _pack_block(row, bits):
    """Returns the shared exponent of a row, and its data as sign and magnitude."""
    largest = max(abs(value) for value in row)
    if not math.isfinite(largest):
        raise ValueError("a block format has neither infinities nor what is not a number")
    exponent = min(math.frexp(largest)[1] - 1 + 127, 255) if largest else 0
    if exponent <= 0:  # numbers that are denormal in FP32 become zero
        return 0, [0] * len(row)
    data = []
    for value in row:
        size = min(round(math.ldexp(abs(value), bits - 1 - (exponent - 127))), (1 << bits) - 1)
        data.append(size | (value < 0 and size > 0) << bits)
    return exponent, data


def _unpack_block(exponent, data, bits):
    scale = exponent - 127 - (bits - 1)
    sizes = [(datum & ((1 << bits) - 1), datum >> bits & 1) for datum in data]
    return [math.ldexp(-size if sign else size, scale) for size, sign in sizes]


def _pack_blocks(values, bits):
    blocks = [_pack_block(values[i : i + FACE], bits) for i in range(0, COUNT, FACE)]
    data, width = [datum for _, block in blocks for datum in block], bits + 1
    each = 8 // width
    packed = bytes(
        sum(data[i + j] << width * j for j in range(each)) for i in range(0, COUNT, each)  # the first in the low bits
    )
    return bytes(exponent for exponent, _ in blocks) + packed


def _unpack_blocks(raw, bits):
    width = bits + 1
    data = [byte >> shift & ((1 << width) - 1) for byte in raw[BLOCKS:] for shift in range(0, 8, width)]
    values = []
    for i in range(BLOCKS):
        values += _unpack_block(raw[i], data[FACE * i : FACE * (i + 1)], bits)
    return values


# ---- Tiles -----------------------------------------------------------------------------------------------


def _known(name):
    if name not in FORMATS:
        raise ValueError(f"{name!r} is no format; there are {', '.join(FORMATS)}")


def tile_size(format):
    """Returns the number of bytes of a 32x32 tile."""
    _known(format)
    if format in SCALARS:
        return COUNT * SCALARS[format][0]
    return BLOCKS + COUNT * (BLOCK_FORMATS[format] + 1) // 8


def _places():
    """Yields row and column of each datum, in the order of L1."""
    for face in range(4):
        for i in range(FACE * FACE):
            yield face // 2 * FACE + i // FACE, face % 2 * FACE + i % FACE


def pack_tile(values, format):
    """Returns the bytes of a tile. values: 32 rows of 32 numbers, as nested lists or an array."""
    _known(format)
    rows = values.tolist() if hasattr(values, "tolist") else values
    if len(rows) != SIDE or any(len(row) != SIDE for row in rows):
        raise ValueError("a tile has 32 rows of 32 numbers")
    flat = [rows[row][column] for row, column in _places()]
    if format in BLOCK_FORMATS:
        return _pack_blocks(flat, BLOCK_FORMATS[format])
    size, to_bits, _ = SCALARS[format]
    return b"".join(to_bits(value).to_bytes(size, "little") for value in flat)


def unpack_tile(raw, format):
    """Returns 32 rows of 32 numbers, as a NumPy array if NumPy is installed, else as nested lists."""
    if len(raw) != tile_size(format):
        raise ValueError(f"a tile of {format} has {tile_size(format)} bytes, not {len(raw)}")
    if format in BLOCK_FORMATS:
        flat = _unpack_blocks(raw, BLOCK_FORMATS[format])
    else:
        size, _, from_bits = SCALARS[format]
        flat = [from_bits(int.from_bytes(raw[i : i + size], "little")) for i in range(0, len(raw), size)]
    rows = [[0] * SIDE for _ in range(SIDE)]
    for value, (row, column) in zip(flat, _places()):
        rows[row][column] = value
    return numpy.array(rows) if numpy else rows
