"""Pack a table of measurements, in which values of a column are similar."""

import lzma
import zlib

ALGORITHM = "zlib"  # tune: zlib|lzma|huffman
LEVEL = 6  # tune: 1..9
STRIDE = 0  # tune: 0|1|2|4|8
DROP = 0  # tune: 0..2


def pack(data):
    body = bytes(byte >> DROP << DROP for byte in data)
    if STRIDE:
        body = bytes((b - a) & 255 for a, b in zip(b"\0" * STRIDE + body, body))
    if ALGORITHM == "lzma":
        return lzma.compress(body, preset=LEVEL)
    strategy = zlib.Z_HUFFMAN_ONLY if ALGORITHM == "huffman" else zlib.Z_DEFAULT_STRATEGY
    packer = zlib.compressobj(LEVEL, strategy=strategy)
    return packer.compress(body) + packer.flush()


def unpack(packed):
    body = bytearray(lzma.decompress(packed) if ALGORITHM == "lzma" else zlib.decompress(packed))
    for at in range(STRIDE, len(body) if STRIDE else 0):
        body[at] = (body[at] + body[at - STRIDE]) & 255
    return bytes(body)
