"""What a command that helps to learn is told of a session, and what of its answer is worth keeping.

Both ways without secrets. What it says is believed less than what a person says, and as little of it is kept.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from hookline.core.conversation import Entry, Use, Words
from hookline.core.records import KINDS, Memory
from hookline.memory.extract import HALF_LIVES, LONGEST, Whose, named
from hookline.memory.sentences import SHORTEST

MOST_TOLD = 24_000
"""Characters of what was said and done, the newest: what models of every size can read."""
MOST_SAID = 2_000
"""Characters of one utterance or error."""
MOST = 12
"""Memories of one answer."""
SUREST, USUAL = 0.7, 0.5
"""How sure they can be, and are where the command does not say."""
TASK = (
    "Name what a later session in this repository should know: decisions with their reasons, corrections by "
    "the person, conventions, blockers, and what was hard to find out. Nothing that the code itself tells, "
    "and nothing that is in `known`. Answer with one JSON object a line, and nothing else: "
    '{"kind": "fact|decision|preference|convention|blocker", "text": "one or two sentences"}'
)


def told(entries: Iterable[Entry], known: Sequence[Memory], whose: Whose, quiet: Callable[[str], str]) -> str:
    """What the command reads: the task, the talk, and what is known already; empty: nobody said anything."""
    talk = _newest([one for one in (_line(entry, quiet) for entry in entries) if one])
    if not any("person" in one or "agent" in one for one in talk):
        return ""
    whole = {
        "version": 1,
        "task": TASK,
        "project": quiet(whose.project),
        "branch": quiet(whose.branch),
        "talk": talk,
        "known": [{"kind": one.kind, "text": quiet(one.text)} for one in known],
    }
    return json.dumps(whole)


def _line(entry: Entry, quiet: Callable[[str], str]) -> dict[str, str]:
    """What happened, in one word that says who or what it was."""
    if isinstance(entry, Words):
        return _said(entry.by, entry.text, quiet)
    if isinstance(entry, Use):
        return _said("ran" if entry.command else entry.kind or "used", entry.command or entry.path, quiet)
    return _said("failed", entry.error, quiet)


def _said(what: str, text: str, quiet: Callable[[str], str]) -> dict[str, str]:
    """Secrets go before the text is cut: half of one is not always told for one."""
    whole = quiet(text).strip()
    short = whole if len(whole) <= MOST_SAID else f"{whole[:MOST_SAID]}…"
    return {what: short} if short else {}


def _newest(talk: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    left, kept = MOST_TOLD, list[dict[str, str]]()
    for one in reversed(talk):
        left -= sum(map(len, one.values()))
        if left < 0:
            break
        kept.append(one)
    return kept[::-1]


def read(text: str, whose: Whose, quiet: Callable[[str], str]) -> list[Memory]:
    """The memories in what the command printed; raises `ValueError` that says what is wrong with it."""
    found = [_memory(one, whose, quiet) for one in _objects(text)]
    return list({one.id: one for one in found[:MOST]}.values())


def _objects(text: str) -> list[Mapping[str, Any]]:
    """One object a line, or a list of them; what models put around it does not count."""
    bare = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("```")).strip()
    if not bare:
        return []
    try:
        whole = json.loads(bare) if bare.startswith("[") else [json.loads(one) for one in _lines(bare)]
    except (ValueError, RecursionError):
        raise ValueError("it must print one JSON object a line, or a list, and nothing else") from None
    if not isinstance(whole, list) or not all(isinstance(one, dict) for one in whole):
        raise ValueError('it must print objects such as {"kind": "fact", "text": "..."}')
    return whole


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


def _memory(told: Mapping[str, Any], whose: Whose, quiet: Callable[[str], str]) -> Memory:
    kind, text, sure = told.get("kind", "fact"), told.get("text"), told.get("confidence", USUAL)
    if kind not in KINDS:
        raise ValueError(f"its kind must be one of {', '.join(KINDS)}")
    if not isinstance(text, str) or not isinstance(sure, int | float) or isinstance(sure, bool):
        wanted = "its text must be a text, and its confidence a number from 0 to 1"
        raise ValueError(wanted)  # noqa: TRY004 -- of what a program printed
    bare = " ".join(quiet(text).split())
    if not SHORTEST <= len(bare) <= LONGEST:
        raise ValueError(f"its text must have {SHORTEST} to {LONGEST} characters")
    return Memory(
        id=named(kind, bare, whose.project),
        at=whose.at,
        text=bare,
        kind=kind,
        project=whose.project,
        branch=whose.branch if kind == "blocker" else "",
        confidence=min(max(float(sure), 0.0), SUREST) if sure == sure else USUAL,  # noqa: PLR0124 -- NaN
        half_life=HALF_LIVES[kind],
        source=whose.source,
    )
