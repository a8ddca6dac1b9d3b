"""Exit with 0 if unpacking restores the packed data."""

import sys

from codec import pack, unpack
from data import table

data = table(500, 1)
sys.exit(unpack(pack(data)) != data)
