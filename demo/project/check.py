"""Exit with 0 if what was packed comes out again, to the byte."""

import sys

from codec import pack, unpack
from data import table

data = table(300, 1)
if unpack(pack(data)) != data:
    sys.exit("what comes out is not what went in")
