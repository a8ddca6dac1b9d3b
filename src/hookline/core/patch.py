"""The patch text that tools of several agents take: which files it touches, and what it writes into each.

Read leniently: the programs that apply it take it indented, or wrapped in a here-document, and what they
take a guard has to see.
"""

from __future__ import annotations

import re
from typing import NamedTuple

BEGIN = "*** Begin Patch"
_MARK = re.compile(r"\*\*\* (Add File|Update File|Delete File|Move to):\s*(\S.*)")
_KINDS = {"Add File": "write", "Move to": "write", "Update File": "edit", "Delete File": "edit"}
_PREAMBLE = 80
"""Characters that may stand before a patch: the first line of a here-document."""


class Part(NamedTuple):
    """One file of a patch."""

    path: str
    kind: str
    """Our kind of tool that would do the same: write or edit."""
    content: str
    """The lines that are new."""


def is_patch(text: str) -> bool:
    return BEGIN in text.lstrip()[: _PREAMBLE + len(BEGIN)]


def parts(text: str) -> tuple[Part, ...]:
    """Every file that the patch touches, in its order; a moved one by both names."""
    found: list[tuple[str, str, list[str]]] = []
    for line in text.split("\n") if "*** " in text else ():
        mark = _MARK.match(line.strip())
        if mark:
            found.append((mark[2], _KINDS[mark[1]], []))
        elif found and line.startswith("+"):
            found[-1][2].append(line[1:].removesuffix("\r"))
    return tuple(Part(path, kind, "\n".join(lines)) for path, kind, lines in found)
