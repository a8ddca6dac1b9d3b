"""The matcher of a hook that was written for one host, as our `match` that means the same under another."""

import re
from collections.abc import Iterable, Iterator, Sequence

from hookline.core.events import Event
from hookline.core.host import Host, Moment

EVERY = ("", "*", ".*")
PLAIN = re.compile(r"[\w\-| ,]+")
SERVERS = "mcp__"
"""Begins the tools of servers at most hosts."""
UNLISTED = ("Unlisted", "unlisted_tool")
"""Tools that are in no table: what fits these too is open to anything."""
SAMPLES = ("mcp__s__t", "mcp_s_t", "s__t", "s_t", "s-t", "s/t", "@s/t", "MCP:t")
"""Ways to name a tool of a server."""


class Untranslatable(ValueError):
    """A matcher that no `match` of ours can stand for; the message says why, and what to do."""


def translated(match: str, source: Host, target: Host, row: Moment) -> tuple[str, tuple[str, ...]]:
    """Our `match`, and what it loses; raises `Untranslatable`."""
    if match in EVERY or row.event.matters is Event.matters:
        return "", ()
    if "tool" not in row.fields:
        return match, (f"its matcher {match!r} is held against {target.name}'s own word for it",)
    if PLAIN.fullmatch(match):
        names = [name.strip() for name in match.replace(",", "|").split("|") if name.strip()]
        return _named(names, source, target)
    return _pattern(match, source, target)


def _named(names: Sequence[str], source: Host, target: Host) -> tuple[str, tuple[str, ...]]:
    """Every name as the kind of tool that it is, or as it stands."""
    wanted, lost = dict[str, None](), list[str]()
    for name in names:
        kinds, said = _kinds(name, names, source, target)
        wanted |= dict.fromkeys(kinds)
        lost += said
    if not wanted:
        raise Untranslatable("; ".join(lost))
    return "|".join(wanted), tuple(dict.fromkeys(_wider(names, wanted, source, lost)))


def _kinds(name: str, beside: Sequence[str], source: Host, target: Host) -> tuple[list[str], list[str]]:
    row, there = source.tools.get(name), {tool.kind for tool in target.tools.values()}
    if name.startswith(SERVERS):
        return [name], _servers(source, target)
    if row is None:
        known = name in target.tools
        return ([name], []) if known else ([], [f"{target.name} has no tool that {name!r} could mean"])
    if row.kind in there:
        return [row.kind], []
    if row.kind == "write" and "edit" in there:
        both = any(tool.kind == "edit" for other, tool in source.tools.items() if other in beside)
        said = f"{target.name} has one tool for {name} and for edits; it runs at both"
        return ["write", "edit"], [] if both else [said]
    return [], [f"{target.name} has no tool of the kind {row.kind!r}, which {name!r} is"]


def _servers(source: Host, target: Host) -> list[str]:
    """Whether both name the tools of servers in the same way, as far as their tables tell."""
    if all(_of_server(source, name) == _of_server(target, name) for name in SAMPLES):
        return []
    return [f"{target.name} names the tools of servers in another way; set `match` to its names"]


def _of_server(host: Host, name: str) -> bool:
    row = host.tool_kind(name)
    return row is not None and row.kind == "mcp"


def _wider(names: Iterable[str], wanted: Iterable[str], source: Host, lost: list[str]) -> Iterator[str]:
    """What is lost, and where a kind is more than what was named."""
    yield from lost
    for kind in wanted:
        first = next((name for name, tool in source.tools.items() if tool.kind == kind), None)
        named = [name for name in names if name in source.tools and source.tools[name].kind == kind]
        if named and first not in named:
            yield f"runs at every tool of the kind {kind!r}, not only at {', '.join(named)}"


def _pattern(match: str, source: Host, target: Host) -> tuple[str, tuple[str, ...]]:
    """A regular expression as the kinds of the tools that it fits; of servers' tools as it stands."""
    pieces = list(_alternatives(match))
    servers = [piece for piece in pieces if piece.lstrip("^(?:").startswith(SERVERS)]
    rest = "|".join(piece for piece in pieces if piece not in servers)
    if not rest:
        return match, tuple(_servers(source, target))
    wanted = _compiled(rest)
    fitting = [name for name in source.tools if wanted.search(name)]
    if len(fitting) == len(source.tools):
        return "", ()
    if not fitting or any(wanted.search(name) for name in UNLISTED):
        raise Untranslatable(
            f"its matcher {match!r} cannot be told in kinds of tools; declare it by hand with a `match`"
        )
    kinds, lost = _named(fitting, source, target)
    if not servers:
        return kinds, lost
    return "|".join([f"^(?:{kinds})$", *servers]), (*lost, *_servers(source, target))


def _alternatives(match: str) -> Iterator[str]:
    """What stands between the `|` that are in no group."""
    depth, piece = 0, ""
    for sign in match:
        depth += (sign in "([") - (sign in ")]")
        if sign == "|" and depth == 0:
            yield piece
            piece = ""
        else:
            piece += sign
    yield piece


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise Untranslatable(
            f"its matcher {pattern!r} cannot be read ({error}); declare it by hand with a `match`"
        ) from None
