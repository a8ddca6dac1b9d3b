"""What a question asks for, what a memory is worth by now, and as much of it as an agent is to read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import exp2

from hookline.core.records import USER, Memory, bare, words

DAY = 86_400.0
PER_TOKEN = 4
"""Characters of a token, about: a cap that is counted so is kept well enough."""
END, WORDS = 1_500, 25
"""Characters and words of each end of a long text, which is one with a log in the middle; somebody waits."""
_USUAL = frozenset(
    """
    a about after again all also am an and any are aren as at be because been before being but by can cannot
    could did didn do does doesn doing don down each else ever for from further get gets got had has have
    having he her here hers him his how i if in into is isn it its just let ll many may me might more most
    much must my need needs no nor not now of off on once only or other our out over own please re s same
    shall she should so some such t than that the their them then there these they this those through to too
    under until up us use used using very want was way we were what when where which while who whom why will
    with won would yes you your
    """.split()  # noqa: SIM905 -- a list of a hundred words, for people to read
)
"""Words that are in every question and say nothing of what is asked."""


def asked(text: str) -> tuple[str, ...]:
    """The words by which memories are looked for: without those of every question, also bare of endings.

    Of a long text those of its beginning and its end: there a person says what it is about.
    """
    if not text:
        return ()  # as at the start of every session: no need to know how words are told apart
    found = telling(text if len(text) <= 2 * END else f"{text[:END]} {text[-END:]}")
    ends = found if len(found) <= 2 * WORDS else (*found[:WORDS], *found[-WORDS:])
    return tuple(dict.fromkeys((*ends, *map(bare, ends))))


def telling(text: str) -> tuple[str, ...]:
    """The words of a text that say what it is about; all of them where none do."""
    every = words(text)
    return tuple(word for word in every if word not in _USUAL) or every


def worth(memory: Memory, at: float | None) -> float:
    """How much it counts: how sure it is, and less the longer it was of no use; None: whenever that was."""
    if at is None or memory.pinned or memory.half_life is None:
        return memory.confidence
    last = memory.at if memory.used is None else max(memory.at, memory.used)
    return memory.confidence * exp2(-max(at - last, 0.0) / DAY / memory.half_life)


def ranked(found: Iterable[tuple[float, Memory]], at: float | None) -> list[Memory]:
    """By how well the words fit × how sure it is × how recent it is."""
    scored = [(score * worth(one, at), one.confidence, one.at, one) for score, one in found]
    return [one for *_, one in sorted(scored, key=lambda one: one[:3], reverse=True)]


def surest(found: Iterable[Memory], at: float | None) -> list[Memory]:
    """The pinned, then by how sure and how recent they are."""
    return sorted(found, key=lambda one: (one.pinned, worth(one, at), one.at), reverse=True)


def settled(found: Sequence[Memory]) -> list[Memory]:
    """Without what another one that was found contradicts or refines, unless a person pinned or said it.

    What a person said only a person outdates: an agent may have been talked into it.
    """
    mine = {one.id for one in found if one.source == USER}
    pairs = ((one, other) for one in found for what, other in one.relations if what != "supports")
    outdated = {other for one, other in pairs if one.source == USER or other not in mine}
    return [one for one in found if one.pinned or one.id not in outdated]


def within(found: Iterable[Memory], tokens: int) -> list[Memory]:
    """As many of them, best first, as *tokens* hold; a long one makes room for shorter ones behind it."""
    left, fitting = tokens * PER_TOKEN, []
    for one in found:
        size = len(line(one)) + 1
        if size <= left:
            left -= size
            fitting.append(one)
    return fitting


def line(memory: Memory) -> str:
    """A memory as an agent reads it."""
    text = " ".join(memory.text.split())
    where = {"branch": f" (branch {memory.branch})", "issue": f" (issue {memory.issue})"}
    return f"- {memory.kind}: {text}{where.get(memory.scope, '')}"
