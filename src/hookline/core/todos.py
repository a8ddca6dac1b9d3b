"""The agent's own list of what is to do, as the session remembers it from the calls of the host's tool."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from hookline.redact import redact

LIST, ONE = "todos", "todo:"
"""What is remembered: a whole list, or each task by itself, since hosts make several at once."""
CLOSED = frozenset({"completed", "complete", "done", "cancelled", "canceled", "deleted"})
DONE = frozenset({"completed", "complete", "done"})
LONGEST, READ = 120, 10_000
MOST = 50


class Todo(Struct, frozen=True, kw_only=True):
    """One thing that is to do."""

    text: str
    status: str = ""

    @property
    def blocked(self) -> bool:
        return self.status == "blocked"


def listed(items: Any, text: str, status: str) -> dict[str, Any]:
    """What is to be remembered of a whole list, whose items have their text and status under these names."""
    tasks = [item for item in items if isinstance(item, Mapping)] if isinstance(items, Sequence) else []
    return {LIST: [[_words(one.get(text)), _words(one.get(status))] for one in tasks[:MOST]]}


def single(id: str, text: str = "", status: str = "") -> dict[str, Any]:  # noqa: A002 -- what it is called
    """What is to be remembered of one task; what is empty stays as it was."""
    told = {"text": _words(text), "status": _words(status)}
    return {f"{ONE}{id}:{name}": value for name, value in told.items() if value}


def open_ones(notes: Mapping[str, Any]) -> tuple[Todo, ...]:
    """What is still to do, in the order in which it was written down."""
    return tuple(one for one in (*_of_list(notes), *_single(notes)) if one.text and one.status not in CLOSED)


def closed_ones(notes: Mapping[str, Any]) -> tuple[Todo, ...]:
    """What is done, in the same order."""
    return tuple(one for one in (*_of_list(notes), *_single(notes)) if one.text and one.status in DONE)


def _of_list(notes: Mapping[str, Any]) -> Iterator[Todo]:
    """Hooks of all sorts note things under names of their own choice: what is not our list is none."""
    kept = notes.get(LIST)
    for one in kept if isinstance(kept, list | tuple) else ():
        if isinstance(one, list | tuple) and [type(word) for word in one] == [str, str]:
            yield Todo(text=one[0], status=one[1])


def _single(notes: Mapping[str, Any]) -> Iterator[Todo]:
    found: dict[str, dict[str, str]] = {}
    for key, value in notes.items():
        if key.startswith(ONE) and isinstance(value, str):
            id, _, name = key.removeprefix(ONE).rpartition(":")  # noqa: A001 -- what it is called
            found.setdefault(id, {})[name] = value
    for id in sorted(found, key=lambda one: (len(one), one)):  # noqa: A001 -- ditto
        yield Todo(text=found[id].get("text", ""), status=found[id].get("status", ""))


def _words(value: Any) -> str:
    """In one short line; secrets go before it is cut, for the beginning of one is not always told."""
    return " ".join(redact(value[:READ]).split())[:LONGEST] if isinstance(value, str) else ""
