"""Removal of hookline's entries from a settings file, and of tables and lists created for them."""

from collections.abc import Collection

from msgspec import Struct

from hookline.core.install_table import SettingsFile
from hookline.install.jsonc import Edit, Node, NotJson, has_comment, parse, removal_edits, text_between_parts
from hookline.install.ownership import command_list_key, our_positions

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
