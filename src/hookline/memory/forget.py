"""Forget memories for good: also in what sessions handed on, and not to be learnt from the same words again.

A recording that is forked, or written anew, tells a second time what was learnt from it and forgotten since.
Only a person brings that back, by `hookline memory add` or `import`; what is kept of it until then is its id.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from re import Pattern
from typing import Any

from hookline.core.frozen import frozen, thawed
from hookline.core.records import Handoff, Memory
from hookline.core.store import Limits, Store
from hookline.core.values import replace

FORGOTTEN = "memory.forgotten"
"""Under this name are the ids of what was forgotten, and when."""
GAP = "[forgotten]"
REFUSED = "your user had this forgotten, and only they bring it back: hookline memory add"
_FEW = 3
"""Words by which a text is known that was cut off."""
_CUT = "…"
_WORD = re.compile(r"\w+")


def forget(store: Store, memories: Sequence[Memory], at: float) -> int:
    """Forget them wherever they are kept; how many there were."""
    texts = [_words(memory.text) for memory in memories]
    for handoff in store.handoffs(limit=Limits().handoffs):
        left = _without_them(handoff, [one for one in texts if one])
        if left != handoff:
            store.amend(left)
    store.note(FORGOTTEN, {one.id: at for one in memories})
    return store.forget(*(one.id for one in memories))


def forgotten(store: Store, ids: Iterable[str]) -> set[str]:
    """Those of the *ids* that a person had forgotten."""
    noted = store.notes(FORGOTTEN)
    return {one for one in ids if noted.get(one)}


def lift(store: Store, ids: Iterable[str]) -> None:
    """Have them remembered again, for a person says so."""
    back = forgotten(store, ids)
    if back:
        store.note(FORGOTTEN, dict.fromkeys(back))


def _words(text: str) -> list[str]:
    """The words of a memory, without what only labels it."""
    label, _, rest = text.partition(": ")
    return _WORD.findall(rest if label.isalpha() and len(rest.split()) >= _FEW else text)


def _without_them(handoff: Handoff, texts: Sequence[Sequence[str]]) -> Handoff:
    details, text = thawed(handoff.details), handoff.text
    for words in texts:
        details, text = _without(details, words), _without(text, words)
    return replace(handoff, text=text, details=frozen(details))


def _without(value: Any, words: Sequence[str]) -> Any:
    """*value* with a gap where it says that; of a list, without what says nothing else."""
    if isinstance(value, str):
        return "\n".join(_uncut(line, words) for line in _whole(words).sub(GAP, value).split("\n"))
    if isinstance(value, Mapping):
        return {name: _without(one, words) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [one for one in (_without(one, words) for one in value) if one != GAP]
    return value


def _whole(words: Sequence[str]) -> Pattern[str]:
    """What finds them whatever stands between them."""
    between = r"\W+".join(map(re.escape, words))
    return re.compile(rf"(?i)(?<!\w){between}(?!\w)[.!]?")


def _uncut(line: str, words: Sequence[str]) -> str:
    """*line* without the beginning of them that it ends with, where it was cut off."""
    found = list(_WORD.finditer(line)) if line.endswith(_CUT) else []
    wanted = [word.casefold() for word in words]
    for number, first in enumerate(found[: 1 - _FEW]):
        *rest, last = (word[0].casefold() for word in found[number:])
        if rest == wanted[: len(rest)] and "".join(wanted[len(rest) : len(rest) + 1]).startswith(last):
            return f"{line[: first.start()]}{GAP}"
    return line
