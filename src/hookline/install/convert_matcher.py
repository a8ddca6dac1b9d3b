"""Translation of a host's tool matcher into a hookline `match` with the same meaning under another host."""

import re
from collections.abc import Iterable, Iterator, Sequence

from hookline.core.events import Event
from hookline.core.host import Host, Moment
from hookline.core.install_table import SettingsFile

MATCH_ALL = ("", "*", ".*")
"""Matchers that match every tool."""
NAME_LIST = re.compile(r"[\w\-| ,]+")
"""A matcher that is a list of names, not a regular expression."""
SERVER_PREFIX = "mcp__"
"""Prefix of the names of MCP servers' tools at most hosts."""
UNLISTED_TOOLS = ("Unlisted", "unlisted_tool")
"""Names of tools that are in no table; a pattern that matches one of them may match any tool."""
SERVER_TOOL_NAMES = ("mcp__s__t", "mcp_s_t", "s__t", "s_t", "s-t", "s/t", "@s/t", "MCP:t")
"""Tools of MCP servers, named in the ways that hosts name them."""


class Untranslatable(ValueError):
    """A matcher that no `match` can express; the message gives the reason and the remedy."""


def translate_matcher(match: str, source: Host, target: Host, row: Moment) -> tuple[str, tuple[str, ...]]:
    """Return the `match` and its losses; raise `Untranslatable`."""
    if match in MATCH_ALL or row.event.match_texts is Event.match_texts:
        return "", ()
    if "tool" not in row.fields:
        return match, (f"its matcher {match!r} is compared with the names of {target.name}",)
    layout = source.install.layout if source.install else None
    matches_part = isinstance(layout, SettingsFile) and layout.matches_part
    if NAME_LIST.fullmatch(match) and not matches_part:
        names = [name.strip() for name in match.replace(",", "|").split("|") if name.strip()]
        return _translate_names(names, source, target)
    return _translate_pattern(match, source, target)


def _translate_names(names: Sequence[str], source: Host, target: Host) -> tuple[str, tuple[str, ...]]:
    """Return a `match` of each tool's kind, or its name where it has no kind."""
    kinds_to_match, losses = dict[str, None](), list[str]()
    for name in names:
        kinds, kind_losses = _tool_kinds(name, names, source, target)
        kinds_to_match |= dict.fromkeys(kinds)
        losses += kind_losses
    if not kinds_to_match:
        raise Untranslatable("; ".join(losses))
    return "|".join(kinds_to_match), tuple(dict.fromkeys(_all_losses(names, kinds_to_match, source, losses)))


def _tool_kinds(
    name: str, all_names: Sequence[str], source: Host, target: Host
) -> tuple[list[str], list[str]]:
    row, target_kinds = source.tools.get(name), {tool.kind for tool in target.tools.values()}
    if name.startswith(SERVER_PREFIX):
        return [name], _server_losses(source, target)
    if row is None:
        is_target_tool = name in target.tools
        return (
            ([name], [])
            if is_target_tool
            else ([], [f"{target.name} has no tool that corresponds to {name!r}"])
        )
    if row.kind in target_kinds:
        return [row.kind], []
    if row.kind == "write" and "edit" in target_kinds:
        has_edit = any(tool.kind == "edit" for other, tool in source.tools.items() if other in all_names)
        loss = f"{target.name} has one tool for {name} and for edits; the hook runs for both"
        return ["write", "edit"], [] if has_edit else [loss]
    return [], [f"{target.name} has no tool of the kind {row.kind!r}, as {name!r} is"]


def _server_losses(source: Host, target: Host) -> list[str]:
    """Return a loss unless both hosts name the tools of MCP servers alike, as far as their tables tell."""
    if all(_is_server_tool(source, name) == _is_server_tool(target, name) for name in SERVER_TOOL_NAMES):
        return []
    return [f"{target.name} names the tools of MCP servers differently; set `match` to its names"]


def _is_server_tool(host: Host, name: str) -> bool:
    row = host.find_tool(name)
    return row is not None and row.kind == "mcp"


def _all_losses(names: Iterable[str], kinds: Iterable[str], source: Host, losses: list[str]) -> Iterator[str]:
    """Yield the *losses*, and one for each kind that includes more tools than were named."""
    yield from losses
    for kind in kinds:
        first = next((name for name, tool in source.tools.items() if tool.kind == kind), None)
        kind_names = [name for name in names if name in source.tools and source.tools[name].kind == kind]
        if kind_names and first not in kind_names:
            yield f"runs for every tool of the kind {kind!r}, not only for {', '.join(kind_names)}"


def _translate_pattern(match: str, source: Host, target: Host) -> tuple[str, tuple[str, ...]]:
    """Return the kinds of the tools that a regular expression matches; patterns of servers' tools stay."""
    pieces = list(_split_alternatives(match))
    server_pieces = [piece for piece in pieces if piece.lstrip("^(?:").startswith(SERVER_PREFIX)]
    rest = "|".join(piece for piece in pieces if piece not in server_pieces)
    if not rest:
        return match, tuple(_server_losses(source, target))
    regex = _compile(rest)
    matching = [name for name in source.tools if regex.search(name)]
    if len(matching) == len(source.tools):
        return "", ()
    if not matching or any(regex.search(name) for name in UNLISTED_TOOLS):
        raise Untranslatable(
            f"its matcher {match!r} cannot be converted; declare the hook by hand with a `match`"
        )
    kinds, losses = _translate_names(matching, source, target)
    if not server_pieces:
        return kinds, losses
    return "|".join([f"^(?:{kinds})$", *server_pieces]), (*losses, *_server_losses(source, target))


def _split_alternatives(match: str) -> Iterator[str]:
    """Yield the alternatives between the `|` outside of groups."""
    depth, piece = 0, ""
    for char in match:
        depth += (char in "([") - (char in ")]")
        if char == "|" and depth == 0:
            yield piece
            piece = ""
        else:
            piece += char
    yield piece


def _compile(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise Untranslatable(
            f"its matcher {pattern!r} is invalid ({error}); declare the hook by hand with a `match`"
        ) from None
