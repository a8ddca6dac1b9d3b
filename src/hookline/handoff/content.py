"""Content of a handoff: its fields, and how they are redacted, shortened, printed and stored.

All texts are short, because the next session reads every word of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from hookline.core.records import Handoff
from hookline.core.untrusted_text import to_words
from hookline.core.values import replace

CONTINUE_PROMPT = "Continue the work of the previous session"
"""Start of the prompt that continues a session: it is not a task of its own."""
CHECKED_NOTE = "handoff.checked"
"""Note of a session that got a handoff: the check of its first answer."""
MAX_TEXT_LENGTH, MAX_ITEM_LENGTH = 600, 360
"""Characters of a single text, and of each item of a list."""
MAX_ITEMS, MAX_COMMANDS, MAX_FILES = 6, 8, 12
"""Items of each list, of the list of commands, and of the list of files."""
CUT_MARGIN = 512
"""Characters dropped where a text is cut before redaction, as they may be the start of a secret."""
REDACTION_FACTOR = 40
"""Redacted length of a text, as a multiple of the length that is kept."""
MAX_HANDOFF_LENGTH = 6_000
"""Characters of a handoff."""


class Content(Struct, frozen=True, kw_only=True):
    """Content of a handoff; empty fields are unknown."""

    issue: str = ""
    branch: str = ""
    task: str = ""
    status: str = ""
    """The agent's last text."""
    blockers: tuple[str, ...] = ()
    next: tuple[str, ...] = ()
    doing: tuple[str, ...] = ()
    todos: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()

    @property
    def unfinished(self) -> bool:
        """Return whether there is work left to continue."""
        return bool(self.next or self.todos or self.doing or self.blockers)


def redact_start(text: str, max_length: int, redact: Callable[[str], str]) -> str:
    """Redact as much of *text* as can be kept; where it is cut, drop what may be the start of a secret."""
    limit = max_length * REDACTION_FACTOR
    return redact(text) if len(text) <= limit else redact(text[:limit])[:-CUT_MARGIN]


_LIMITS = {"files": MAX_FILES, "commands": MAX_COMMANDS}
_KEEP_LAST = frozenset({"done", "decisions", "failed", "commands"})
"""Lists whose last items are kept; the others keep their first."""


def shorten(content: Content, redact: Callable[[str], str]) -> Content:
    """Redact, then cut every text, and remove duplicates from lists."""
    values: dict[str, Any] = {}
    for name in Content.__struct_fields__:
        value = getattr(content, name)
        if isinstance(value, str):
            values[name] = shorten_text(value, MAX_TEXT_LENGTH, redact)
        else:
            texts = [
                *dict.fromkeys(filter(None, (shorten_text(text, MAX_ITEM_LENGTH, redact) for text in value)))
            ]
            limit = _LIMITS.get(name, MAX_ITEMS)
            values[name] = tuple(texts[-limit:] if name in _KEEP_LAST else texts[:limit])
    return replace(content, **values)


def shorten_text(text: str, max_length: int, redact: Callable[[str], str]) -> str:
    flat = to_words(redact_start(text, max_length, redact))
    return flat if len(flat) <= max_length else f"{flat[: max_length - 1]}…"


_TITLES = {
    "issue": "Issue",
    "branch": "Branch",
    "task": "Task",
    "blockers": "Blockers",
    "next": "Next step",
    "doing": "In progress",
    "todos": "Open todos",
    "done": "Done",
    "decisions": "Decisions",
    "failed": "Failed approaches",
    "files": "Files changed",
    "commands": "Commands worth repeating",
    "status": "Last message",
}
"""Fields and their titles, in the order of the handoff; the last ones are cut first."""


def to_markdown(content: Content, cap: int = MAX_HANDOFF_LENGTH) -> str:
    """Return the handoff as Markdown of at most *cap* characters, with a notice if it was cut."""
    lines: list[str] = []
    for name, title in _TITLES.items():
        value = getattr(content, name)
        if isinstance(value, str):
            mark = "#" if name == "issue" else ""
            lines += [f"**{title}:** {mark}{value}"] if value else []
        elif len(value) == 1:
            lines.append(f"**{title}:** {value[0]}")
        elif value:
            lines += [f"**{title}:**", *(f"- {text}" for text in value)]
    return join_within(lines, cap)


def join_within(lines: Sequence[str], cap: int) -> str:
    text, count = "", 0
    for line in lines:
        longer = f"{text}\n{line}" if text else line
        if len(longer) > cap - len(_CUT_NOTICE):
            break
        text, count = longer, count + 1
    return text if count == len(lines) else f"{text}{_CUT_NOTICE}"


_CUT_NOTICE = "\n[the rest of the handoff was cut]"


def merge(content: Content, more: Content, redact: Callable[[str], str]) -> Content:
    """Return *content* with *more* added: texts of *more* replace, its list items come first."""
    values: dict[str, Any] = {}
    for name in Content.__struct_fields__:
        own, added = getattr(content, name), getattr(more, name)
        values[name] = added or own if isinstance(own, str) else (*added, *own)
    return shorten(replace(content, **values), redact)


def to_details(content: Content) -> dict[str, Any]:
    return {name: value for name, value in asdict(content).items() if value}


_EMPTY = Content()


def from_details(details: Mapping[str, Any]) -> Content:
    """Return the content that *details* hold, without values of the wrong type."""
    values: dict[str, Any] = {}
    for name in Content.__struct_fields__:
        value = details.get(name)
        is_text = isinstance(getattr(_EMPTY, name), str)
        if is_text and isinstance(value, str):
            values[name] = value
        elif not is_text and isinstance(value, list | tuple):
            values[name] = tuple(text for text in value if isinstance(text, str))
    return Content(**values)


class Delivery(Struct, frozen=True, kw_only=True):
    """A handoff for the current session, and the reason why it is delivered."""

    occasion: str
    """One of: compaction, resume, rotation, offer."""
    handoff: Handoff

    @property
    def content(self) -> Content:
        return from_details(self.handoff.details)
