"""Secrets out of any text; used wherever something is stored, traced or injected.

Every pattern is keyed by a literal that must occur, and compiled when it first does: a text without secrets
costs a few searches. No pattern scans a stretch more than a bounded number of times, whatever the text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hookline.frozen import Frozen
from hookline.redact._assigned import assigned
from hookline.redact._formats import tokens
from hookline.redact._hidden import encoded, views
from hookline.redact._shapes import shapes

Span = tuple[int, int, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """Where in a text a secret lies, and of what kind it is; never the secret itself."""

    kind: str
    start: int
    end: int


def redact(text: str) -> str:
    """*text* with `[redacted:kind]` in place of every secret."""
    return _cut(text, find(text))


def find(text: str) -> tuple[Secret, ...]:
    """The secrets in *text*, in order; none overlaps another."""
    spans = [*_spans(text), *encoded(text, _spans)]
    for view in views(text):
        spans += [
            (view.place(start), view.place(end - 1) + 1, kind) for start, end, kind in _spans(view.text)
        ]
    return tuple(Secret(kind=kind, start=start, end=end) for start, end, kind in _merged(spans))


def redact_json(value: Any) -> Any:
    """A JSON value with every string in it redacted, seen together with its key; the keys stay."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, Mapping):
        pairs = {key: _under(key, item) for key, item in value.items()}
        return Frozen(pairs) if isinstance(value, Frozen) else pairs
    if isinstance(value, list | tuple):
        return type(value)([redact_json(item) for item in value])
    return value


def _under(key: Any, value: Any) -> Any:
    if not isinstance(value, str):
        return redact_json(value)
    frame = f'"{key}":"'
    secrets = [
        Secret(
            kind=secret.kind,
            start=max(0, secret.start - len(frame)),
            end=min(secret.end - len(frame), len(value)),
        )
        for secret in find(f'{frame}{value}"')
        if len(frame) < secret.end
    ]
    return _cut(value, secrets)


def _cut(text: str, secrets: Sequence[Secret]) -> str:
    pieces, done = [], 0
    for secret in secrets:
        pieces += [text[done : secret.start], f"[redacted:{secret.kind}]"]
        done = secret.end
    return "".join([*pieces, text[done:]])


def _spans(text: str) -> list[Span]:
    # In order of how much the kind tells: where two find the same stretch, the first names it.
    return [*tokens(text), *shapes(text), *assigned(text)]


def _merged(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    order = sorted(range(len(spans)), key=lambda place: (spans[place][0], place))
    for start, end, kind in (spans[place] for place in order):
        if merged and start < merged[-1][1]:
            begun, reached, known = merged[-1]
            merged[-1] = (begun, max(reached, end), known)
        else:
            merged.append((start, end, kind))
    return merged
