"""Print the size of the packed table in bytes."""

from codec import pack
from data import table

print(f"{len(pack(table()))} bytes")
