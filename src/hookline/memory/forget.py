"""Forget memories permanently: remove them from handoffs too, and never learn them again from the same text.

A forked or rewritten transcript repeats forgotten memories. Therefore their ids are kept until a person
restores them in a new prompt, or by `hookline memory add` or `import`. Rules that a later one replaced are
kept with it, and come back when that is forgotten.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from re import Pattern
from typing import Any

from msgspec import Struct, convert, to_builtins

from hookline.core.frozen import freeze, thaw
from hookline.core.records import Handoff, Memory
from hookline.core.store import Limits, Store
from hookline.core.values import replace
from hookline.lazy import re

FORGOTTEN_NOTES, REPLACED_NOTES = "memory.forgotten", "memory.replaced"
"""Names under which forgotten memories are noted with the time, and replaced ones with what replaced them."""
PLACEHOLDER = "[forgotten]"
REFUSAL = "the user deleted this memory; only the user can restore it, with `hookline memory add`"
_MIN_WORDS = 3
"""Words by which a text that was cut off is recognised."""
_ELLIPSIS = "…"
_WORD = re.compile(r"\w+")


def forget_memories(store: Store, memories: Sequence[Memory], at: float) -> int:
    """Forget *memories* in the store and in handoffs; return how many the store had."""
    texts = [_find_words(memory.text) for memory in memories]
    for handoff in store.handoffs(limit=Limits().handoffs):
        cleaned = _clean_handoff(handoff, [words for words in texts if words])
        if cleaned != handoff:
            store.replace_handoff(cleaned)
    store.set_notes(FORGOTTEN_NOTES, {memory.id: at for memory in memories})
    store.set_notes(
        REPLACED_NOTES, dict.fromkeys(load_replaced(store).keys() & {memory.id for memory in memories})
    )
    return store.forget(*(memory.id for memory in memories))


class Replaced(Struct, frozen=True, kw_only=True):
    """A memory, and the id of the one that replaced it."""

    memory: Memory
    by: str


def replace_memories(store: Store, new: Memory, old: Sequence[Memory]) -> None:
    """Store *new* and remove the *old* memories, which come back if *new* is forgotten."""
    notes: dict[str, Any] = {memory.id: to_builtins(Replaced(memory=memory, by=new.id)) for memory in old}
    if new.id in load_replaced(store):
        notes[new.id] = None
    if notes:
        store.set_notes(REPLACED_NOTES, notes)
    store.remember(new)
    if old:
        store.forget(*(memory.id for memory in old))


def load_replaced(store: Store) -> dict[str, Replaced]:
    """Return the replaced memories by their ids."""
    notes = store.notes(REPLACED_NOTES)
    return {id_: convert(thaw(note), Replaced) for id_, note in notes.items() if note}


def restore_replaced(store: Store, ids: Collection[str]) -> list[Memory]:
    """Store the memories again that those with these *ids* replaced, and return them."""
    replaced = [old.memory for old in load_replaced(store).values() if old.by in ids]
    store.set_notes(REPLACED_NOTES, dict.fromkeys(memory.id for memory in replaced))
    names = [memory.id for memory in replaced]
    known = {*find_forgotten(store, names), *(memory.id for memory in store.memories(names))}
    restored = [memory for memory in replaced if memory.id not in known]
    for memory in restored:
        store.remember(memory)
    return restored


def move_replaced(store: Store, merged: Mapping[str, str]) -> None:
    """Note the memories replaced by one that was *merged* into another as replaced by the latter."""
    moved = {
        id_: to_builtins(Replaced(memory=old.memory, by=merged[old.by]))
        for id_, old in load_replaced(store).items()
        if old.by in merged
    }
    if moved:
        store.set_notes(REPLACED_NOTES, moved)


def drop_replaced(store: Store) -> None:
    """Delete the replaced memories that cannot come back, because the later one is gone."""
    replaced = load_replaced(store)
    known = {memory.id for memory in store.memories([old.by for old in replaced.values()])}
    gone = [id_ for id_, old in replaced.items() if old.by not in known and old.by not in replaced]
    store.set_notes(REPLACED_NOTES, dict.fromkeys(gone))


def find_forgotten(store: Store, ids: Iterable[str]) -> set[str]:
    """Return the *ids* of memories that the user deleted."""
    notes = store.notes(FORGOTTEN_NOTES)
    return {id_ for id_ in ids if notes.get(id_)}


def clear_forgotten(store: Store, ids: Iterable[str]) -> None:
    """Allow the memories with these *ids* to be stored again, at the user's request."""
    restored = find_forgotten(store, ids)
    if restored:
        store.set_notes(FORGOTTEN_NOTES, dict.fromkeys(restored))


def _find_words(text: str) -> list[str]:
    """Return the words of a memory, without a leading label."""
    label, _, rest = text.partition(": ")
    return _WORD.findall(rest if label.isalpha() and len(rest.split()) >= _MIN_WORDS else text)


def _clean_handoff(handoff: Handoff, texts: Sequence[Sequence[str]]) -> Handoff:
    details, text = thaw(handoff.details), handoff.text
    for words in texts:
        details, text = _clean_value(details, words), _clean_value(text, words)
    return replace(handoff, text=text, details=freeze(details))


def _clean_value(value: Any, words: Sequence[str]) -> Any:
    """Return *value* with the phrase replaced by a placeholder, and without list items that are only that."""
    if isinstance(value, str):
        return "\n".join(
            _clean_cut_line(line, words)
            for line in _compile_phrase(words).sub(PLACEHOLDER, value).split("\n")
        )
    if isinstance(value, Mapping):
        return {name: _clean_value(item, words) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [item for item in (_clean_value(item, words) for item in value) if item != PLACEHOLDER]
    return value


def _compile_phrase(words: Sequence[str]) -> Pattern[str]:
    """Return a pattern that matches *words* with any separators between them."""
    phrase = r"\W+".join(map(re.escape, words))
    return re.compile(rf"(?i)(?<!\w){phrase}(?!\w)[.!]?")


def _clean_cut_line(line: str, words: Sequence[str]) -> str:
    """Return *line* without its end, if it was cut off and ends with the beginning of *words*."""
    matches = list(_WORD.finditer(line)) if line.endswith(_ELLIPSIS) else []
    phrase = [word.casefold() for word in words]
    for number, first in enumerate(matches[: 1 - _MIN_WORDS]):
        *rest, last = (match[0].casefold() for match in matches[number:])
        if rest == phrase[: len(rest)] and "".join(phrase[len(rest) : len(rest) + 1]).startswith(last):
            return f"{line[: first.start()]}{PLACEHOLDER}"
    return line
