"""Exit with 0 if unpacking restores the packed data."""

import sys

from codec import pack, unpack
from data import table

data = table(300, 1)
if unpack(pack(data)) != data:
    sys.exit("the unpacked data differs from the original")
