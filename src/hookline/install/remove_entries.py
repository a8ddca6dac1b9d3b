"""Cut our entries out of a settings file: those, and of what is empty then only what was made for them."""

from collections.abc import Collection

from msgspec import Struct

from hookline.core.install_table import Listed
from hookline.install.jsonc import Edit, Node, NotJson, beside, commented, parse, removals
from hookline.install.ownership import listed_under, our_places

BOM = "\ufeff"
Key = tuple[str, ...]


class Cut(Struct, frozen=True, kw_only=True):
    """What is cut out of which text."""

    text: str
    way: Listed
    host: str
    made: frozenset[Key] = frozenset()
    moments: Collection[str] | None = None
    """None: all of them."""
    before: str = ""
    """What the file was, where that is known."""


def parted(text: str) -> tuple[str, str]:
    """The mark at the beginning, and the rest."""
    return (BOM, text[1:]) if text.startswith(BOM) else ("", text)


def cut(one: Cut, node: Node, key: Key) -> tuple[list[Edit], bool]:
    """What changes in a table, and whether all of it is to go."""
    if not isinstance(node.value, dict):
        return [], False
    edits, dropped = list[Edit](), set[int]()
    for number, (name, part) in enumerate(zip(node.keys, node.parts, strict=True)):
        inner, gone = _cut_part(one, part, (*key, name.value))
        edits += [] if gone else inner
        dropped |= {number} if gone else set()
    dropped |= _begun(one, node, key, dropped)
    return _left(one, node, key, dropped, edits)


def _cut_part(one: Cut, part: Node, key: Key) -> tuple[list[Edit], bool]:
    if key == one.way.under[: len(key)]:
        return cut(one, part, key)
    if key[:-1] == one.way.under:
        return _cut_list(one, part, key)
    return [], False


def _begun(one: Cut, node: Node, key: Key, dropped: set[int]) -> set[int]:
    """What the file begins with for our sake; it stays where somebody else uses a file that we made."""
    if key:
        return set()
    start = one.way.start.items()
    named = enumerate(zip(node.keys, node.parts, strict=True))
    found = {
        number
        for number, (name, part) in named
        if (name.value,) in one.made and (name.value, part.value) in start
    }
    return found if () not in one.made or len(found | dropped) == len(node.parts) else set()


def _cut_list(one: Cut, node: Node, key: Key) -> tuple[list[Edit], bool]:
    """The same, of the list of a moment."""
    if not isinstance(node.value, list) or (one.moments is not None and key[-1] not in one.moments):
        return [], False
    under = listed_under(one.way, key[-1], one.host)
    edits, dropped = list[Edit](), set[int]()
    for number, part in enumerate(node.parts):
        places = list(our_places(part.value, one.way, key[-1], one.host))
        holder = part.at(under) if under else None
        if places and (
            holder is None or (len(places) == len(holder.parts) and not commented(one.text, part))
        ):
            dropped.add(number)
        elif places and holder is not None:
            edits += removals(one.text, holder, places)
    return _left(one, node, key, dropped, edits)


def _left(one: Cut, node: Node, key: Key, dropped: set[int], edits: list[Edit]) -> tuple[list[Edit], bool]:
    if not dropped:
        return edits, False
    if len(dropped) < len(node.parts) or "/" in beside(one.text, node):
        return [*edits, *removals(one.text, node, dropped)], False
    if key in one.made:
        return [], True
    return [Edit(node.start + 1, node.end - 1, _empty(one, key))], False


def _empty(one: Cut, key: Key) -> str:
    """What stood between the brackets where nothing was listed."""
    try:
        node = parse(one.before, comments=one.way.comments).at(*key) if one.before.strip() else None
    except NotJson:
        node = None
    return one.before[node.start + 1 : node.end - 1] if node is not None and not node.parts else ""
