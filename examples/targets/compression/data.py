"""A table of slowly changing measurements, eight bytes per record."""

import random
import struct


def table(rows=6000, seed=3):
    rng, parts, heat, height = random.Random(seed), [], 2000, 500
    for n in range(rows):
        heat += rng.choice((-2, -1, 0, 0, 1, 2))
        height += rng.choice((-1, 0, 0, 1))
        parts.append(struct.pack("<IHH", 1_700_000_000 + 10 * n, heat, height))
    return b"".join(parts)
