"""Secrets out of any text; used wherever something is stored, traced or injected.

Every search is keyed by a literal that must occur, and compiled when it first does: a text without secrets
costs a few searches. No search scans a stretch more than a bounded number of times, whatever the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from msgspec import Struct

from hookline.redact._json import Text, page, rebuilt, walked
from hookline.redact._prefilter import keys, runs, uncovered
from hookline.redact._prefilter import spans as keyed
from hookline.redact._text_views import Span, Stretch, view

Keep = Callable[[str, str], bool]
"""Whether a secret of a kind is to stay: `(kind, value)`."""
Rules = Iterable[Callable[[str], Iterable[Span]]]
"""More searches, such as those of a rule file."""


class Secret(Struct, frozen=True, kw_only=True):
    """Where in a text a secret lies, and of what kind it is; never the secret itself."""

    kind: str
    start: int
    end: int
    more: bool = False
    """Goes on from the one before, on another line or in another string."""


def redact(text: str, *, rules: Rules = (), keep: Keep | None = None) -> str:
    """*text* with `[redacted:kind]` in place of every secret; its lines, and JSON in it, stay as they are."""
    found = find(text, rules=rules, keep=keep)
    return cut(text, found) if found else text


def find(
    text: str, *, rules: Rules = (), keep: Keep | None = None, inside_key: bool = False
) -> tuple[Secret, ...]:
    """The secrets in *text*, in order and apart; *inside_key*, it begins in the middle of a private key."""
    if len(text) < _SHORT:
        return ()
    spans = _merged(text, _once(text, rules, keep, inside_key=inside_key))
    if not spans:
        return ()
    for _ in range(_ROUNDS):
        shown = view(text, (Stretch(one.start, one.end, _mark(one)) for one in spans))
        more = [one for one in _once(shown.text, rules, keep) if MARK not in shown.text[one.start : one.end]]
        if not more:
            break
        spans = _merged(
            text, [*spans, *(Span(*shown.span(one.start, one.end), one.kind, one.more) for one in more)]
        )
    return tuple(Secret(kind=s.kind, start=s.start, end=s.end, more=s.more) for s in spans)


_SHORT = 8
"""Characters of the shortest text that can hold a secret."""
_ROUNDS = 4
"""How often what is left is looked at: where one secret ends, another may begin, unseen before."""


def _once(text: str, rules: Rules, keep: Keep | None, *, inside_key: bool = False) -> list[Span]:
    spans = [*keys(text, inside=inside_key), *keyed(text), *runs(text)]
    for bare in uncovered(text):
        there = (*keys(bare.text), *keyed(bare.text))
        spans += [Span(*bare.span(start, end), kind, more) for start, end, kind, more in there]
    for rule in rules:
        spans += rule(text)
    return [span for span in spans if not (keep and keep(span.kind, text[span.start : span.end]))]


def redact_json(value: Any, *, rules: Rules = (), keep: Keep | None = None) -> Any:
    """A JSON value with every string in it redacted, seen together with its key; its shape stays."""
    return clean_json(value, rules=rules, keep=keep)[0]


def clean_json(
    value: Any, *, rules: Rules = (), keep: Keep | None = None
) -> tuple[Any, tuple[tuple[str, str, int], ...]]:
    """The same, and of every secret its kind, the keys that lead to it, and the line of that string."""
    texts = list(walked(value))
    secrets = _in_each(texts, rules, keep)
    new = (cut(one.text, secrets.get(number, ())) for number, one in enumerate(texts))
    found = [
        (one.kind, texts[number].path, texts[number].text.count("\n", 0, one.start) + 1)
        for number, there in secrets.items()
        for one in there
        if not one.more
    ]
    return rebuilt(value, new), tuple(found)


def _in_each(texts: Sequence[Text], rules: Rules, keep: Keep | None) -> dict[int, list[Secret]]:
    """The secrets in each of the *texts*, by its number."""
    whole, there = page(texts), dict[int, list[Secret]]()
    for one in find(whole.text, rules=rules, keep=keep):
        for number in range(max(0, whole.at(one.start)), whole.at(one.end - 1) + 1):
            begins, text = whole.begins[number], texts[whole.which[number]].text
            start, end = max(0, one.start - begins), min(one.end - begins, len(text))
            if start < end:
                new = Secret(kind=one.kind, start=start, end=end, more=one.more and bool(there))
                there.setdefault(whole.which[number], []).append(new)
    return there


def cut(text: str, secrets: Sequence[Secret]) -> str:
    """*text* without the *secrets*, which are in order."""
    pieces, done = [], 0
    for secret in secrets:
        pieces += [text[done : secret.start], _mark(secret)]
        done = secret.end
    return "".join([*pieces, text[done:]])


MARK = "[redacted"


def _mark(secret: Secret | Span) -> str:
    return f"{MARK}]" if secret.more else f"{MARK}:{secret.kind}]"


def _merged(text: str, spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for _, span in sorted(enumerate(spans), key=lambda one: (one[1].start, one[0])):
        if merged and span.start < merged[-1].end:
            merged[-1] = merged[-1]._replace(end=max(merged[-1].end, span.end))
        else:
            merged.append(span._replace(start=_behind_backslash(text, span.start)))
    return merged


def _behind_backslash(text: str, start: int) -> int:
    """An escaped slash goes with what escapes it."""
    if text[start : start + 1] != "/":
        return start
    before = text[max(0, start - 8) : start]
    return start - len(before) + len(before.rstrip("\\"))
