"""Functions that add hookline's entries to the text of a host's settings, and remove exactly those again.

Tables and lists that were created for the entries are removed too. Each text is parsed once and changed in
one pass, because settings may be huge.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from hookline.core.install_table import InstallEntry, SettingsFile
from hookline.install.jsonc import (
    Edit,
    Node,
    NotJson,
    addition_edits,
    apply_edits,
    has_comment,
    parse,
    removal_edits,
    replacement_edit,
    text_between_parts,
)
from hookline.install.ownership import command_list_key, entry_calls_hookline, is_our_entry, our_positions

BOM = "\ufeff"
Key = tuple[str, ...]


class Removal(Struct, frozen=True, kw_only=True):
    """A settings text, and the entries to remove from it."""

    text: str
    layout: SettingsFile
    host: str
    made: frozenset[Key] = frozenset()
    """The keys that were created for hookline's entries."""
    moments: Collection[str] | None = None
    """The moments to remove; None for all."""
    before: str = ""
    """The text before the installation; empty if it is not known."""


def split_bom(text: str) -> tuple[str, str]:
    """Return the byte order mark, or an empty text, and the rest of *text*."""
    return (BOM, text[1:]) if text.startswith(BOM) else ("", text)


def remove_from_table(removal: Removal, node: Node, key: Key) -> tuple[list[Edit], bool]:
    """Return the edits of a table, and whether the whole table is to be removed."""
    if not isinstance(node.value, dict):
        return [], False
    edits, dropped = list[Edit](), set[int]()
    for index, (name, part) in enumerate(zip(node.keys, node.parts, strict=True)):
        inner, is_gone = _remove_from_part(removal, part, (*key, name.value))
        edits += [] if is_gone else inner
        dropped |= {index} if is_gone else set()
    dropped |= _start_positions(removal, node, key, dropped)
    return _finish_removal(removal, node, key, dropped, edits)


def _remove_from_part(removal: Removal, part: Node, key: Key) -> tuple[list[Edit], bool]:
    if key == removal.layout.table_path[: len(key)]:
        return remove_from_table(removal, part, key)
    if key[:-1] == removal.layout.table_path:
        return _remove_from_list(removal, part, key)
    return [], False


def _start_positions(removal: Removal, node: Node, key: Key, dropped: set[int]) -> set[int]:
    """Return positions of the keys that a new file starts with; they stay if others use the file now."""
    if key:
        return set()
    start = removal.layout.initial_content.items()
    parts = enumerate(zip(node.keys, node.parts, strict=True))
    positions = {
        index
        for index, (name, part) in parts
        if (name.value,) in removal.made and (name.value, part.value) in start
    }
    return positions if () not in removal.made or len(positions | dropped) == len(node.parts) else set()


def _remove_from_list(removal: Removal, node: Node, key: Key) -> tuple[list[Edit], bool]:
    """Return the edits of a moment's list, and whether the whole list is to be removed."""
    if not isinstance(node.value, list) or (removal.moments is not None and key[-1] not in removal.moments):
        return [], False
    under = command_list_key(removal.layout, key[-1], removal.host)
    edits, dropped = list[Edit](), set[int]()
    for index, part in enumerate(node.parts):
        positions = list(our_positions(part.value, removal.layout, key[-1], removal.host))
        holder = part.at(under) if under else None
        if positions and (
            holder is None or (len(positions) == len(holder.parts) and not has_comment(removal.text, part))
        ):
            dropped.add(index)
        elif positions and holder is not None:
            edits += removal_edits(removal.text, holder, positions)
    return _finish_removal(removal, node, key, dropped, edits)


def _finish_removal(
    removal: Removal, node: Node, key: Key, dropped: set[int], edits: list[Edit]
) -> tuple[list[Edit], bool]:
    if not dropped:
        return edits, False
    if len(dropped) < len(node.parts) or "/" in text_between_parts(removal.text, node):
        return [*edits, *removal_edits(removal.text, node, dropped)], False
    if key in removal.made:
        return [], True
    return [Edit(node.start + 1, node.end - 1, _original_blank(removal, key))], False


def _original_blank(removal: Removal, key: Key) -> str:
    """Return the whitespace and comments between the brackets of the formerly empty list or table."""
    try:
        node = (
            parse(removal.before, comments=removal.layout.comments).at(*key)
            if removal.before.strip()
            else None
        )
    except NotJson:
        node = None
    return removal.before[node.start + 1 : node.end - 1] if node is not None and not node.parts else ""


class EditedSettings(Struct, frozen=True, kw_only=True):
    """A settings text with hookline's entries."""

    text: str
    created_keys: tuple[Key, ...] = ()
    """The keys that were created for the entries, outer keys first; () stands for the whole file."""
    skipped: tuple[str, ...] = ()
    """The moments without a new entry, because an entry of the user's already calls hookline there."""


def add_entries(
    text: str, layout: SettingsFile, entries: Sequence[InstallEntry], host: str
) -> EditedSettings:
    """Return *text* with each of the *entries* once; entries that are already correct stay unchanged."""
    bom, text = split_bom(text)
    is_new = not text.strip()
    expected = {entry.moment: layout.make_entry(entry) for entry in entries}
    text, root = _drop_stale(_new_file_text(layout) if is_new else text, layout, host, expected)
    table, missing = _find_table(root, layout)
    edits, absent, skipped = list[Edit](), dict[str, Any](), list[str]()
    for moment, entry in expected.items():
        entry_list = None if missing else table.at(moment)
        if entry_list is None:
            absent[moment] = [entry]
        elif any(
            entry_calls_hookline(item, layout, moment, host)
            for item in _require_list(entry_list, (*layout.table_path, moment))
        ):
            edits += _update_entries(text, entry_list, layout, entry, moment=moment, host=host)
            skipped += (
                [] if any(is_our_entry(item, layout, moment, host) for item in entry_list.value) else [moment]
            )
        else:
            edits += addition_edits(text, entry_list, [(None, entry)])
    missing_start = {key: value for key, value in layout.initial_content.items() if key not in root.value}
    edits += _add_missing(text, root, table, missing_start, _nest(missing, absent) if absent else {})
    created = (
        _list_created(layout, layout.initial_content, layout.table_path, absent)
        if is_new
        else _list_created(layout, missing_start, missing, absent)
    )
    whole: tuple[Key, ...] = ((),) if is_new else ()
    return EditedSettings(
        text=bom + apply_edits(text, edits), created_keys=(*whole, *created), skipped=tuple(skipped)
    )


def _new_file_text(layout: SettingsFile) -> str:
    return json.dumps({**layout.initial_content, **_nest(layout.table_path, {})}, indent=2) + "\n"


def _drop_stale(text: str, layout: SettingsFile, host: str, expected: Mapping[str, Any]) -> tuple[str, Node]:
    """Return *text* without hookline's entries for moments that are no longer installed."""
    root = parse(text, comments=layout.comments)
    stale = {moment for moment in _find_installed(root, layout, host) if moment not in expected}
    if not stale:
        return text, root
    created = frozenset((*layout.table_path, moment) for moment in stale)
    text = apply_edits(
        text,
        remove_from_table(
            Removal(text=text, layout=layout, host=host, made=created, moments=stale), root, ()
        )[0],
    )
    return text, parse(text, comments=layout.comments)


def _find_table(root: Node, layout: SettingsFile) -> tuple[Node, tuple[str, ...]]:
    """Return the innermost existing table of `layout.table_path`, and the keys missing inside it."""
    node = root
    for depth in range(len(layout.table_path) + 1):
        if not isinstance(node.value, dict):
            place = ".".join(layout.table_path[:depth]) or "the file"
            raise NotJson(f"{place} is not an object, so no entry can be added")
        child = node.at(layout.table_path[depth]) if depth < len(layout.table_path) else None
        if child is None:
            return node, layout.table_path[depth:]
        node = child
    return node, ()


def _require_list(node: Node, key: Key) -> list[Any]:
    if not isinstance(node.value, list):
        raise NotJson(f"{'.'.join(key)} is not a list, so no entry can be added")
    return node.value


def _update_entries(
    text: str, entry_list: Node, layout: SettingsFile, entry: Any, *, moment: str, host: str
) -> Iterator[Edit]:
    """Correct the first of hookline's entries and remove its duplicates."""
    under = command_list_key(layout, moment, host)
    expected = entry[under][0] if under else entry
    first, dropped = True, list[int]()
    for index, part in enumerate(entry_list.parts):
        places = list(our_positions(part.value, layout, moment, host))
        holder = part.at(under) if under else None
        if places and first:
            node = holder.parts[places.pop(0)] if holder is not None else part
            yield from [] if node.value == expected else [replacement_edit(text, node, expected)]
            first = False
            places = places if holder is not None else []
        elif places and (holder is None or len(places) == len(holder.parts)):
            dropped.append(index)
            places = []
        if places and holder is not None:
            yield from removal_edits(text, holder, places)
    yield from removal_edits(text, entry_list, dropped)


def _nest(keys: Sequence[str], table: dict[str, Any]) -> dict[str, Any]:
    for key in reversed(keys):
        table = {key: table}
    return table


def _add_missing(
    text: str, root: Node, table: Node, start: dict[str, Any], new_entries: dict[str, Any]
) -> Iterator[Edit]:
    if table is root:
        yield from addition_edits(text, root, [*start.items(), *new_entries.items()])
    else:
        yield from addition_edits(text, root, list(start.items()))
        yield from addition_edits(text, table, list(new_entries.items()))


def _list_created(
    layout: SettingsFile, start: Mapping[str, Any], missing: Sequence[str], absent: dict[str, Any]
) -> Iterator[Key]:
    yield from ((key,) for key in start)
    existing_depth = len(layout.table_path) - len(missing)
    if absent:
        yield from (layout.table_path[: depth + 1] for depth in range(existing_depth, len(layout.table_path)))
    yield from ((*layout.table_path, moment) for moment in absent)


def remove_entries(
    text: str, layout: SettingsFile, host: str, created: Sequence[Key] = (), original: str = ""
) -> str:
    """Return *text* without hookline's entries, and without keys *created* for them that are empty now.

    *original* is the text before the installation: whitespace and comments of its empty lists and tables are
    restored. The result is empty if nothing is left of a file that hookline created.
    """
    bom, text = split_bom(text)
    if not text.strip():
        return bom + text
    removal = Removal(
        text=text, layout=layout, host=host, made=frozenset(created), before=split_bom(original)[1]
    )
    edits, is_empty = remove_from_table(removal, parse(text, comments=layout.comments), ())
    return "" if is_empty else bom + apply_edits(text, edits)


def installed_moments(text: str, layout: SettingsFile, host: str) -> tuple[str, ...]:
    """Return the moments that have one of hookline's own entries."""
    text = split_bom(text)[1]
    return tuple(_find_installed(parse(text, comments=layout.comments), layout, host)) if text.strip() else ()


def _find_installed(root: Node, layout: SettingsFile, host: str) -> Iterator[str]:
    for moment, entries in _read_entries(root, layout):
        if any(is_our_entry(entry, layout, moment, host) for entry in entries):
            yield moment


def calling_moments(text: str, layout: SettingsFile, host: str) -> tuple[str, ...]:
    """Return the moments at which the host calls hookline, by any entry."""
    text = split_bom(text)[1]
    entry_lists = _read_entries(parse(text, comments=layout.comments), layout) if text.strip() else ()
    return tuple(
        moment
        for moment, entries in entry_lists
        if any(entry_calls_hookline(entry, layout, moment, host) for entry in entries)
    )


def _read_entries(root: Node, layout: SettingsFile) -> Iterator[tuple[str, list[Any]]]:
    table = root.value
    for key in layout.table_path:
        table = table.get(key) if isinstance(table, dict) else None
    for moment, entries in table.items() if isinstance(table, dict) else ():
        if isinstance(entries, list):
            yield moment, entries
