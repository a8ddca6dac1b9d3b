"""Print how many bytes the table takes."""

from codec import pack
from data import table

print(f"{len(pack(table()))} bytes")
