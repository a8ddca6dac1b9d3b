"""What a session leaves to the next one, told from its recording without a model.

Issue, branch, what stands in the way and the next step come first: whoever knows these can go on. Everything
is short, for each word of it is read by a session that has to begin with it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from hookline.core.conversation import Back, Entry, Use, Words
from hookline.core.records import Handoff
from hookline.core.todos import Todo
from hookline.core.values import replace
from hookline.memory.extract import cleared_at, first_line, program, said, sentences
from hookline.memory.sentences import cleared

GO_ON = "Go on with the work of the session before this one"
"""How the prompt begins that a fresh session is started with: no task of its own."""
LONGEST, LINE = 600, 240
"""Characters of a text, and of one thing among several."""
MOST = 6
"""Things of one sort."""
SPLIT = 512
"""Characters that are dropped where a text is cut before its secrets are taken out."""
LOOKED_AT = 40
"""How many times the length that is kept is looked at."""
CAP = 6_000
"""Characters of a handoff."""
FIRST, LAST = 20, 600
"""Entries of a recording's beginning and end that are looked at."""
_LATELY = 3
"""Of what the agent said last: what comes next is not told from before."""

_HEAD = re.compile(
    r"(?i)^(?:the )?(?P<next>next(?: steps?)?|remaining(?: work| steps)?|to ?do|"
    r"(?:what is |what's )?left(?: to do)?)(?: is| are)?\s*[:\u2013\u2014]\s*(?P<text>.*)$"
    r"|^(?P<blockers>blockers?|blocked(?: by| on)?)\s*[:\u2013\u2014]\s*(?P<what>.*)$"
)
_NEXT = re.compile(
    r"(?i)\b(?:the next step (?:is|will be)|next,? (?:i|we)(?:'ll| will| need)|(?:is|are) left to do|"
    r"(?:i|we) still (?:have|need) to|still to do|remains to be)\b"
)
_FINISHED = re.compile(
    r"(?i)\b(?:all(?: of it)?(?: is|'s)? (?:done|finished|complete)|nothing (?:is )?(?:left|remains)|"
    r"(?:everything|the (?:task|work|issue)) is (?:now )?(?:done|finished|complete|implemented))\b"
)
_NONE = re.compile(r"(?i)^(?:none|nothing|n/?a\b|no(?:\W*$| (?:blockers?|more|open|known|next)\b)|-+$)")
_ISSUE = re.compile(r"(?i)(?:(?<!\w)#|\bissues?[ #:-]{1,3}|\bgh-)(\d{1,6})\b")
_COMMIT = re.compile(r"""\bgit\b[^|;&]*\bcommit\b[^|;&]*?\s-[a-z]*m\s*(?:"([^"]+)"|'([^']+)')""")
_BULLET = re.compile(r"^\s*(?:[-*\u2022]|\d+[.)])\s+")


class Left(Struct, frozen=True, kw_only=True):
    """What is handed on; what is empty is not known."""

    issue: str = ""
    branch: str = ""
    task: str = ""
    asked: str = ""
    """What a person wanted last, where that is not the task itself."""
    status: str = ""
    """What the agent said last."""
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
        """Whether there is something to go on with."""
        return bool(self.next or self.todos or self.doing or self.blockers)


class Around(Struct, frozen=True, kw_only=True):
    """What is known of a session besides its recording."""

    root: str = ""
    branch: str = ""
    issue: str = ""
    todos: tuple[Todo, ...] = ()
    """Those that are open."""
    done: tuple[str, ...] = ()
    blockers: tuple[str, ...] = ()
    """That earlier sessions met on this branch."""
    before: Left | None = None
    """What this session was itself left."""
    last_text: str = ""
    """What the agent said last, where its host records nothing."""


def left(entries: Iterable[Entry], around: Around, quiet: Callable[[str], str]) -> Left | None:
    """What *entries* and what is *around* leave, without secrets by *quiet*; None where that is nothing."""
    last = [Words(by="agent", text=around.last_text)] if around.last_text else []
    every = [one for one in (*entries, *last) if not isinstance(one, Words) or one.text.strip()]
    known = [_quiet(one, quiet) for one in _ends(every)]
    before = around.before or Left()
    prompts = [one.text for one in known if isinstance(one, Words) and one.by == "person"]
    own = [text for text in prompts if not text.lstrip().startswith(GO_ON)]
    task = before.task or (own[0] if own else "")
    if not task and not any(isinstance(one, Use) for one in known) and not around.todos:
        return None
    words = [one.text for one in known if isinstance(one, Words) and one.by == "agent"]
    over = bool(words) and bool(_FINISHED.search(words[-1])) and not around.todos
    whole = Left(
        issue=around.issue or before.issue or _issue(task),
        branch=around.branch,
        task=task,
        asked=own[-1] if own and own[-1] != task else "",
        status=words[-1] if words else before.status,
        blockers=_distinct((*_blocked(known), *(() if over else _standing(known, around, before)))),
        next=_next(words[-1:] if over else words, around, before if not words else Left()),
        doing=tuple(one.text for one in around.todos if one.status in _DOING),
        todos=tuple(one.text for one in around.todos if one.status not in _DOING and not one.blocked),
        done=(*before.done, *around.done, *_committed(known)),
        decisions=(*before.decisions, *_decided(known)),
        failed=(*before.failed, *_failed(known)),
        files=_files(known, around.root) or before.files,
        commands=_commands(known),
    )
    return _short(whole, quiet)


def _ends(entries: list[Entry]) -> list[Entry]:
    """How it began and what was done lately: what lies between is out of date, and would take too long."""
    return entries if len(entries) <= FIRST + LAST else entries[:FIRST] + entries[-LAST:]


def _quiet(one: Entry, quiet: Callable[[str], str]) -> Entry:
    """Without secrets, as a whole: what a sentence or a cut leaves of one is not always told."""
    if isinstance(one, Words):
        return replace(one, text=_looked_at(one.text, LONGEST, quiet))
    if isinstance(one, Back):
        return replace(one, error=_looked_at(one.error, LINE, quiet)) if one.error else one
    command, path = (_looked_at(text, LINE, quiet) for text in (one.command, one.path))
    return replace(one, command=command, path=path)


def _looked_at(text: str, most: int, quiet: Callable[[str], str]) -> str:
    """As much of it as can matter; where it is cut, so is what may be the beginning of a secret."""
    enough = most * LOOKED_AT
    return quiet(text) if len(text) <= enough else quiet(text[:enough])[:-SPLIT]


_DOING = frozenset({"in_progress", "in-progress", "doing", "active"})
_LAST = frozenset({"done", "decisions", "failed", "commands"})
"""Of these the last ones are kept, of others the first."""


def _short(whole: Left, quiet: Callable[[str], str]) -> Left:
    """Without secrets, each thing once, and all of it short; the secrets first."""
    values: dict[str, Any] = {}
    for name in Left.__struct_fields__:
        value = getattr(whole, name)
        if isinstance(value, str):
            values[name] = cut(value, LONGEST, quiet)
        else:
            short = [*dict.fromkeys(filter(None, (cut(text, LINE, quiet) for text in value)))]
            values[name] = tuple(short[-MOST:] if name in _LAST else short[:MOST])
    return replace(whole, **values)


def cut(text: str, most: int, quiet: Callable[[str], str]) -> str:
    flat = " ".join(_looked_at(text, most, quiet).split())
    return flat if len(flat) <= most else f"{flat[: most - 1]}…"


def _issue(text: str) -> str:
    found = _ISSUE.search(text[:LONGEST])
    return found[1] if found else ""


def _decided(entries: Sequence[Entry]) -> tuple[str, ...]:
    return tuple(text for kind, text, _ in said(entries) if kind == "decision")


def _blocked(entries: Sequence[Entry]) -> tuple[str, ...]:
    """What stands in the way, the latest first; what was said before it was cleared no longer does."""
    since = entries[cleared_at(entries) or 0 :]
    told = [text for kind, text, _ in said(since) if kind == "blocker" and not cleared(text)]
    listed = [
        text
        for one in since
        if isinstance(one, Words)
        for part, text in labelled(one.text)
        if part == "blockers"
    ]
    return tuple(reversed([*told, *listed]))


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    """Without those that only say again, with more words around it, what another says."""
    every = list(dict.fromkeys(" ".join(text.split()) for text in texts))
    bare = [text.casefold().rstrip(".! ") for text in every]
    return tuple(
        text
        for text, own in zip(every, bare, strict=True)
        if not any(other != own and other in own for other in bare)
    )


def _standing(entries: Sequence[Entry], around: Around, before: Left) -> Iterator[str]:
    """What the list calls blocked, and what stood in the way before, unless that is said to be cleared."""
    yield from (one.text for one in around.todos if one.blocked)
    if cleared_at(entries) is None:
        yield from before.blockers
        yield from around.blockers


def _next(words: Sequence[str], around: Around, before: Left) -> tuple[str, ...]:
    """As the agent said it last; else what is first on its list; else what it was left."""
    for text in reversed(words[-_LATELY:]):
        told = [*(one for part, one in labelled(text) if part == "next")]
        told += [one for one in sentences(text) if _NEXT.search(one)]
        if told:
            return tuple(dict.fromkeys(told))
    doing = [one.text for one in around.todos if one.status in _DOING]
    return (*doing, *(one.text for one in around.todos if one.text not in doing and not one.blocked))[
        :1
    ] or before.next


def labelled(text: str) -> Iterator[tuple[str, str]]:
    """What stands behind words such as `Next step:` and `Blockers:`, in that line or in the list below it."""
    part = ""
    for line in text.splitlines():
        bare = _BULLET.sub("", line).replace("**", "").replace("__", "").lstrip("# ").strip()
        head = _HEAD.search(bare)
        if head:
            part = "next" if head["next"] else "blockers"
            bare = (head["text"] if head["next"] else head["what"]).strip()
        elif not bare or not (part and _BULLET.search(line)):
            part = part if part and not bare else ""
            continue
        if bare and not _NONE.search(bare):
            yield part, bare


def _used(entries: Sequence[Entry]) -> Iterator[tuple[Use, Back]]:
    """Calls with what came back, in that order."""
    used = {one.call: one for one in entries if isinstance(one, Use)}
    for back in entries:
        if isinstance(back, Back) and back.call in used:
            yield used[back.call], back


def _committed(entries: Sequence[Entry]) -> Iterator[str]:
    for use, back in _used(entries):
        found = _COMMIT.search(use.command) if use.command and not back.error else None
        if found:
            yield f"committed: {(found[1] or found[2]).splitlines()[0]}"


def _failed(entries: Sequence[Entry]) -> tuple[str, ...]:
    """What was tried in vain: the same program did not work later."""
    tried: dict[str, str] = {}
    for use, back in _used(entries):
        name = program(" ".join(use.command.split())) if use.command else ""
        if name and back.error:
            tried[name] = f"`{' '.join(use.command.split())[:LINE]}`: {first_line(back.error)}"
        elif name:
            tried.pop(name, None)
    return tuple(tried.values())


def _files(entries: Sequence[Entry], root: str) -> tuple[str, ...]:
    """Those that were changed, the most often changed first."""
    changed = [use.path for use, back in _used(entries) if _changes(use) and not back.error]
    return tuple(_inside(path, root) for path, _ in Counter(reversed(changed)).most_common(MOST))


def _changes(use: Use) -> bool:
    return bool(use.path) and use.kind in ("edit", "write")


def _inside(path: str, root: str) -> str:
    return path.removeprefix(f"{root}/") if root else path


def _commands(entries: Sequence[Entry]) -> tuple[str, ...]:
    """Those that worked and that say something, the last ones last."""
    worked = [" ".join(use.command.split()) for use, back in _used(entries) if use.command and not back.error]
    return tuple(reversed(dict.fromkeys(line for line in reversed(worked) if program(line))))


_TITLES = {
    "issue": "Issue",
    "branch": "Branch",
    "task": "Task",
    "asked": "Asked last",
    "blockers": "Blockers",
    "next": "Next step",
    "doing": "In progress",
    "todos": "Open",
    "done": "Done",
    "decisions": "Decisions",
    "failed": "Tried in vain",
    "files": "Files that matter",
    "commands": "Commands that worked",
    "status": "Said last",
}
"""What is left, in the order in which it is told, and cut where there is no more room."""


def markdown(whole: Left, cap: int = CAP) -> str:
    """As an agent or a person reads it, within *cap* characters; what is cut is said."""
    lines: list[str] = []
    for name, title in _TITLES.items():
        value = getattr(whole, name)
        if isinstance(value, str):
            mark = "#" if name == "issue" else ""
            lines += [f"**{title}:** {mark}{value}"] if value else []
        elif len(value) == 1:
            lines.append(f"**{title}:** {value[0]}")
        elif value:
            lines += [f"**{title}:**", *(f"- {text}" for text in value)]
    return within(lines, cap)


def within(lines: Sequence[str], cap: int) -> str:
    text, taken = "", 0
    for line in lines:
        more = f"{text}\n{line}" if text else line
        if len(more) > cap - len(_CUT):
            break
        text, taken = more, taken + 1
    return text if taken == len(lines) else f"{text}{_CUT}"


_CUT = "\n[the rest of the handoff was cut]"


def enriched(whole: Left, more: Left, quiet: Callable[[str], str]) -> Left:
    """What is left, with what somebody else knows of it: their words count, their lists come first."""
    values: dict[str, Any] = {}
    for name in Left.__struct_fields__:
        ours, theirs = getattr(whole, name), getattr(more, name)
        values[name] = theirs or ours if isinstance(ours, str) else (*theirs, *ours)
    return _short(replace(whole, **values), quiet)


def as_details(whole: Left) -> dict[str, Any]:
    return {name: value for name, value in asdict(whole).items() if value}


_EMPTY = Left()


def from_details(details: Mapping[str, Any]) -> Left:
    """As it was kept; what is not of the right sort is left out."""
    values: dict[str, Any] = {}
    for name in Left.__struct_fields__:
        value = details.get(name)
        is_text = isinstance(getattr(_EMPTY, name), str)
        if is_text and isinstance(value, str):
            values[name] = value
        elif not is_text and isinstance(value, list | tuple):
            values[name] = tuple(text for text in value if isinstance(text, str))
    return Left(**values)


class Handed(Struct, frozen=True, kw_only=True):
    """A handoff for the session that asks, and by which way it comes."""

    way: str
    """compaction, resume, rotation or offer."""
    handoff: Handoff

    @property
    def left(self) -> Left:
        return from_details(self.handoff.details)
