"""The words in which a journal is told to an agent."""

from __future__ import annotations

from collections.abc import Iterable

from hookline.journal import Journal
from hookline.redact import redact

LONGEST, READ = 400, 10_000
"""Characters of a row that are told, and looked at: a description may be long."""


def rows(journal: Journal, root: str) -> str:
    """Where the experiments stand, and the last of them."""
    told = [f"[Iterations] {shown(journal.path, root)}: {journal.summary}"]
    told += [f"metric: {one_line(journal.about)}"] if journal.about else []
    told += [one_line("\t".join(journal.header))] if journal.header else []
    return "\n".join((*told, *(one_line("\t".join(row)) for row in journal.last)))


def shown(path: str, root: str) -> str:
    """From the project's root, where it lies in there."""
    inside = path.removeprefix(f"{root.rstrip('/')}/") if root else path
    return one_line(inside)


def one_line(text: str) -> str:
    """Without what could pass for a line, or for a command to a terminal; secrets go before it is cut."""
    quiet = text if len(text) <= LONGEST else redact(text[:READ])
    plain = "".join(c if c.isprintable() or c == "\t" else " " for c in quiet)
    return plain if len(plain) <= LONGEST else f"{plain[:LONGEST]}…"


def listed(rows: Iterable[tuple[str, str]]) -> str:
    """What is known, a line each."""
    return "\n".join(f"- {name}: {one_line(value)}" for name, value in rows if value)
