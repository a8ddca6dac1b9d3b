"""Parser of the patch format that tools of several agents accept: the files and their new lines.

It is lenient: the programs that apply a patch accept it indented or inside a here-document, and a guard has
to see everything that they accept.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from hookline.lazy import re

BEGIN = "*** Begin Patch"
_MARK = re.compile(r"\*\*\* (Add File|Update File|Delete File|Move to):\s*(\S.*)")
_KINDS = {"Add File": "write", "Move to": "write", "Update File": "edit", "Delete File": "edit"}
_MAX_PREAMBLE_CHARS = 80
"""Maximum characters before a patch: the first line of a here-document."""


class FilePatch(NamedTuple):
    """One file of a patch."""

    path: str
    kind: str
    """The equivalent kind of tool: write or edit."""
    content: str
    """The new lines."""


def is_patch(text: str) -> bool:
    return BEGIN in text.lstrip()[: _MAX_PREAMBLE_CHARS + len(BEGIN)]


@lru_cache(maxsize=1)
def parse_patch(text: str) -> tuple[FilePatch, ...]:
    """Return the files that the patch changes, in order; a moved file appears under both paths."""
    files: list[tuple[str, str, list[str]]] = []
    for line in text.split("\n") if "*** " in text else ():
        mark = _MARK.match(line.strip()) if "*** " in line else None
        if mark:
            files.append((mark[2], _KINDS[mark[1]], []))
        elif files and line.startswith("+"):
            files[-1][2].append(line[1:].removesuffix("\r"))
    return tuple(FilePatch(path, kind, "\n".join(lines)) for path, kind, lines in files)
