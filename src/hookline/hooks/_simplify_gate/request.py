"""Judge whether a clause asks to ship: its verb means shipping, and is in the position of a request.

Only the openings of a request ("ok, now please ...") may come before the verb. Negations, questions,
reports and other people's plans therefore need no lists of their own.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from hookline.hooks._simplify_gate import words as v
from hookline.hooks._simplify_gate.clauses import Clause, Sentence, sentences
from hookline.hooks._simplify_gate.objects import means_shipping

Words = Sequence[str]
_POLITE = ("can you", "could you", "would you", "will you", "can u", "could u", "please", "pls")
_NUDGES = ("why don't you ", "why dont you ", "why not ")
"""Beginnings of questions that are requests."""
_JOINS = frozenset({"and", "then", "or", "plus", "&", "+", "so"})
_FAR = 40
"""Maximum number of words before the verb that are examined."""
_NEAR = 14
"""Maximum number of words in the openings of a request."""


class Heard(NamedTuple):
    """A verb that may ship, its clause, and the reason why it is not a request, or an empty string."""

    verb: str
    clause: Clause
    no: str


def asks_to_ship(prompt: str) -> bool:
    return any(not one.no for one in heard(prompt))


def heard(prompt: str) -> Iterator[Heard]:
    """Yield every verb that may ship; computed lazily, so that a caller can stop at the first request."""
    for sentence in sentences(prompt):
        yield from _heard(sentence)


def _heard(sentence: Sentence) -> Iterator[Heard]:
    asking = _QUESTION if sentence.question and not _polite(sentence) else ""
    forbidden = framed = False
    for clause in sentence.clauses:
        before = _FORBIDDEN if forbidden else _FRAMED if framed else ""
        yield from _judged(clause, asking or before)
        forbidden = _dangling(clause.words) or (forbidden and not _verbs(clause.words))
        framed = _open_list(clause.words) or (framed and len(clause.words) <= 2)  # noqa: PLR2004 -- an item


_QUESTION = "it is a question"
_FORBIDDEN = "the negation before it holds here too"
_FRAMED = "it is one of the things that the words before it speak of"


def _polite(sentence: Sentence) -> bool:
    text = " ".join(" ".join(clause.words) for clause in sentence.clauses)
    if text.startswith(_NUDGES) or (text.startswith(("can we ", "could we ")) and text.endswith(" now")):
        return True
    return any(f" {words} " in f" {text} " for words in _POLITE)


def _dangling(words: Words) -> bool:
    """Return whether the clause ends in a negation without a verb: `do not, under any circumstances, ...`."""
    return words[-1] in ("never", "don't", "dont") or (
        words[-1] == "not" and (len(words) == 1 or words[-2] != "or")
    )


def _verbs(words: Words) -> bool:
    return any(word in v.VERBS for word in words)


def _open_list(words: Words) -> bool:
    """Return whether the clause opens a list of infinitives: `explain how to test, build and deploy`."""
    if len(words) < 3 or words[-2] != "to" or words[-1] in ("do", "go", "be"):  # noqa: PLR2004 -- to VERB
        return False
    return words[-1] in v.INFINITIVES | v.VERBS and not _leads(words[:-1])


def _judged(clause: Clause, no: str) -> Iterator[Heard]:
    words = clause.words
    for place in _candidates(words):
        yield Heard(words[place], clause, no or _no(clause, words[:place], words[place], words[place + 1 :]))


def _no(clause: Clause, before: Words, verb: str, rest: Words) -> str:
    """Return the reason why *verb* does not ask to ship, or an empty string if it does."""
    later = v.LATER.search(" ".join(rest[:_FAR]))
    if later is not None:
        return f"{later.group().strip()!r} puts it off"
    if clause.end == ":" and not rest:
        return "it is a heading"
    if not means_shipping(verb, rest):
        return _NOTHING_SHIPS
    return "" if _asked_for(before, rest) else _unasked(before)


_NOTHING_SHIPS = "what follows it is nothing that ships"
GENERAL = (_NOTHING_SHIPS, _QUESTION, _FORBIDDEN, _FRAMED)
"""Reasons that are not shown for a verb that means shipping only with a certain object."""


def _unasked(before: Words) -> str:
    negation = next((word for word in reversed(before) if word in v.NEGATIONS), None)
    if negation is not None:
        return f"{negation!r} negates it"
    return f"no request begins with {' '.join(before[-_NEAR:])!r}"


def _candidates(words: Words) -> Iterator[int]:
    starters = v.VERBS | v.OPENING | v.DOING | v.ONGOING | {"get", "have"}
    return (place for place, word in enumerate(words) if _verb(word) in starters)


def _verb(word: str) -> str:
    """Return the first verb of a list such as `ship/merge`; `publish/subscribe` is not one."""
    first, *others = word.split("/")
    return first if all(other in v.VERBS for other in others) else word


def _asked_for(before: Words, rest: Words) -> bool:
    before = before[-_FAR:]
    if _leads(_unprefixed(before)):
        return True
    join = next((i for i in range(len(before) - 1, -1, -1) if before[i] in _JOINS), None)
    if join is not None and _leads(before[join + 1 :]):
        return _concluded(before, join) if before[join] == "so" else not _binds(before[:join], before[join])
    return _run_on(before, rest)


def _concluded(before: Words, join: int) -> bool:
    """Return whether `so` leads to a request: `tests pass so ship it`, not `fix it so we can ship`."""
    return not set(before[join + 1 :]) & v.SUBJECTS and not set(before) & v.QUESTIONS


def _unprefixed(before: Words) -> Words:
    """Return *before* without the program of the command: `run npm publish`, `make deploy`."""
    if len(before) > 1 and before[-1] == "run" and before[-2] in v.TOOLS:
        before = before[:-1]
    if before and before[-1] in v.TOOLS:
        before = before[:-1]
        return before[:-1] if before and before[-1] in ("run", "execute") else before
    return before


def _leads(before: Words) -> bool:
    """Return whether a request may begin with *before*; `so we can ship` is a reason, not a request."""
    if len(before) > _NEAR or (before[:1] in (("so",), ["so"]) and set(before) & v.SUBJECTS):
        return False
    return v.LEAD.fullmatch(" ".join(before)) is not None


def _binds(first: Words, join: str) -> bool:
    """Return whether `first and VERB` belong together, so that the verb is not a request of its own."""
    return any(bound(first, join) for bound in _BONDS)


def _asked_or_compared(first: Words, join: str) -> bool:
    return bool(set(first) & (v.QUESTIONS | v.LISTING | {"that"}))


def _told_of(first: Words, join: str) -> bool:
    return len(first) <= 2 and bool(set(first) & v.TELLING)  # noqa: PLR2004 -- `explain merge and ...`


def _subject(first: Words, join: str) -> bool:
    """Recognise `we build and deploy every night`, but not `you can test and deploy`."""
    return first[:1] != () and first[0] in v.SUBJECTS | v.CONDITIONS and not _leads(first[:-1])


def _inverted(first: Words, join: str) -> bool:
    return (
        len(first) > 1
        and first[0] in v.AUXILIARIES
        and first[1] in v.SUBJECTS | v.POINTING
        and first[1] != "you"
    )


def _infinitive(first: Words, join: str) -> bool:
    """Recognise `write a script to build and deploy`, but not `I want you to build and deploy`."""
    places = [
        i for i, word in enumerate(first[:-1]) if word == "to" and first[i + 1] in v.INFINITIVES | v.VERBS
    ]
    return any(not _leads(first[: place + 1]) for place in places)


def _negated(first: Words, join: str) -> bool:
    """Recognise `don't merge and deploy`, but not `don't worry about the docs and deploy`."""
    last = max((i for i, word in enumerate(first) if word in v.NEGATIONS), default=None)
    if last is None:
        return False
    after = [word for word in first[last + 1 :] if word not in ("yet", "even", "just", "please")]
    if after[:1] and after[0] in v.UNNEGATED:
        return False
    return len(after) <= 1 or join == "or"


_BONDS: tuple[Callable[[Words, str], bool], ...] = (
    _asked_or_compared,
    _told_of,
    _subject,
    _inverted,
    _infinitive,
    _negated,
)


def _run_on(before: Words, rest: Words) -> bool:
    """Recognise a request after a remark without a comma: `looks good ship it`, `if the tests pass merge`."""
    if not before or before[-1] not in v.RUN_ON or set(before) & (v.QUESTIONS | {"to", "not", "never"}):
        return False
    return not rest or (rest[0] in ("it", "this", "that", "now", "please") and len(rest) <= 3)  # noqa: PLR2004
