"""The agent's to-do list, stored in the session's notes from the calls of the host's to-do tool."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from hookline.redact import redact

LIST_KEY, TASK_PREFIX = "todos", "todo:"
"""Keys of notes: a whole list, or one note per task, since hosts may create several tasks at once."""
CLOSED = frozenset({"completed", "complete", "done", "cancelled", "canceled", "deleted"})
DONE = frozenset({"completed", "complete", "done"})
MAX_TEXT_CHARS, MAX_READ_CHARS = 120, 10_000
MAX_TODOS = 50


class Todo(Struct, frozen=True, kw_only=True):
    """One task of the list."""

    text: str
    status: str = ""

    @property
    def blocked(self) -> bool:
        return self.status == "blocked"


def encode_list(items: Any, text: str, status: str) -> dict[str, Any]:
    """Return the notes of a whole list, with *text* and *status* as the keys in its items."""
    tasks = [item for item in items if isinstance(item, Mapping)] if isinstance(items, Sequence) else []
    return {
        LIST_KEY: [[_clean_text(task.get(text)), _clean_text(task.get(status))] for task in tasks[:MAX_TODOS]]
    }


def encode_task(id: str, text: str = "", status: str = "") -> dict[str, Any]:  # noqa: A002 -- the name of the field
    """Return the notes of one task; an empty text or status leaves the earlier value."""
    values = {"text": _clean_text(text), "status": _clean_text(status)}
    return {f"{TASK_PREFIX}{id}:{name}": value for name, value in values.items() if value}


def find_open(notes: Mapping[str, Any]) -> tuple[Todo, ...]:
    """Return the open tasks in their order."""
    return tuple(
        todo for todo in (*_read_list(notes), *_read_tasks(notes)) if todo.text and todo.status not in CLOSED
    )


def find_done(notes: Mapping[str, Any]) -> tuple[Todo, ...]:
    """Return the completed tasks in their order."""
    return tuple(
        todo for todo in (*_read_list(notes), *_read_tasks(notes)) if todo.text and todo.status in DONE
    )


def _read_list(notes: Mapping[str, Any]) -> Iterator[Todo]:
    # Any hook may write notes under this key, so a value of another shape is ignored.
    items = notes.get(LIST_KEY)
    for item in items if isinstance(items, list | tuple) else ():
        if isinstance(item, list | tuple) and [type(part) for part in item] == [str, str]:
            yield Todo(text=item[0], status=item[1])


def _read_tasks(notes: Mapping[str, Any]) -> Iterator[Todo]:
    tasks: dict[str, dict[str, str]] = {}
    for key, value in notes.items():
        if key.startswith(TASK_PREFIX) and isinstance(value, str):
            id, _, name = key.removeprefix(TASK_PREFIX).rpartition(":")  # noqa: A001 -- the name of the field
            tasks.setdefault(id, {})[name] = value
    for id in sorted(tasks, key=lambda task_id: (len(task_id), task_id)):  # noqa: A001 -- ditto
        yield Todo(text=tasks[id].get("text", ""), status=tasks[id].get("status", ""))


def _clean_text(value: Any) -> str:
    # Redact before truncating: a secret that is cut in half may no longer be recognised.
    return " ".join(redact(value[:MAX_READ_CHARS]).split())[:MAX_TEXT_CHARS] if isinstance(value, str) else ""
