"""Compress a table of fixed records, in which values of a column are similar."""

import zlib

LEVEL = 6  # tune: 1..9
MEMORY = 8  # tune: 1..9
WINDOW = 15  # tune: 9..15
STRATEGY = "default"  # tune: default|filtered|huffman|rle
STRIDE = 0  # tune: 0|1|2|4|8

_STRATEGIES = {
    "default": zlib.Z_DEFAULT_STRATEGY,
    "filtered": zlib.Z_FILTERED,
    "huffman": zlib.Z_HUFFMAN_ONLY,
    "rle": zlib.Z_RLE,
}


def pack(data):
    body = bytes((b - a) & 255 for a, b in zip(b"\0" * STRIDE + data, data)) if STRIDE else data
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, WINDOW, MEMORY, _STRATEGIES[STRATEGY])
    return packer.compress(body) + packer.flush()


def unpack(packed):
    body = bytearray(zlib.decompress(packed))
    for at in range(STRIDE, len(body) if STRIDE else 0):
        body[at] = (body[at] + body[at - STRIDE]) & 255
    return bytes(body)
