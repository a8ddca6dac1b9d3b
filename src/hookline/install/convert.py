"""Conversion of a hook written for one host into a hookline declaration that runs it under another host.

A conversion lists its losses: what is certainly lost, and what is lost only if the hook uses an ability that
the other host lacks. The tool matcher of the host becomes a hookline `match` with the same meaning.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct

from hookline.core.derive import find_abilities, find_coverage
from hookline.core.events import ALL_ABILITIES, ALLOW, ASK, BLOCK, INJECT, MODIFY, Ability, Event, OnError
from hookline.core.frozen import EMPTY, Frozen
from hookline.core.host import Host, Moment
from hookline.core.install_table import SettingsFile, UserHook
from hookline.policy.entries import MAX_TIMEOUT_SECONDS

Result = Literal["whole", "partly", "native", "not"]


class Conversion(Struct, frozen=True, kw_only=True):
    """The result of converting one hook."""

    moment: str
    written: UserHook
    event: str = ""
    """The hookline event that it listens for; empty if the hook cannot be converted."""
    entry: Mapping[str, Any] = EMPTY
    """Its entry in hooks.json."""
    why: tuple[str, ...] = ()
    """Losses; if the hook cannot be converted, the reasons."""
    limits: tuple[str, ...] = ()
    """Abilities that the hook lacks under the other host, if it uses them at all."""

    native: bool = False
    """True if the other host reads the hook itself, from its present place."""

    @property
    def how(self) -> Result:
        if not self.event:
            return "native" if self.native else "not"
        return "partly" if self.why else "whole"


def convert_hook(source: Host, target: Host, moment: str, written: UserHook, payload: str) -> Conversion:
    """Convert a hook *written* for a *moment* of *source* to *target*, with the host of its *payload*."""
    row = source.moments.get(moment)
    refusal = written.refusal or _unsupported_reason(moment, row, target)
    if refusal or row is None:
        return Conversion(moment=moment, written=written, why=(refusal,))
    try:
        match, losses = translate_matcher(written.match, source, target, row)
    except Untranslatable as error:
        return Conversion(moment=moment, written=written, why=(str(error),))
    max_seconds = _host_timeout(target, row.event)
    entry = {
        "command": _with_project_variable(source, written.command),
        "payload": payload,
        **({"moment": moment} if _is_ambiguous(source, row.event) else {}),
        **({"match": match} if match else {}),
        "timeout": _without_fraction(
            min(written.timeout or MAX_TIMEOUT_SECONDS, MAX_TIMEOUT_SECONDS, max_seconds)
        ),
        **written.extra_keys,
        "hosts": [target.name],
    }
    is_late = written.timeout is not None and written.timeout > max_seconds
    timeout_loss = (
        (f"its timeout is reduced to {max_seconds:g} s, the limit of {target.name}",) if is_late else ()
    )
    return Conversion(
        moment=moment,
        written=written,
        event=row.event.__name__,
        entry=Frozen(entry),
        why=(*written.unconverted, *losses, *timeout_loss, *_form_losses(target, row.event)),
        limits=(
            *_timeout_limits(source, row, written, entry["timeout"]),
            *_ability_limits(source, target, row.event),
        ),
    )


def _with_project_variable(source: Host, command: str | tuple[str, ...]) -> str | list[str]:
    """Return the command with the variable in which the source host passes the project's folder."""
    if isinstance(command, tuple):
        return list(command)
    if not source.project_env or (source.dialect and source.project_env in source.dialect.env):
        return command
    return f'export {source.project_env}="$HOOKLINE_PROJECT_DIR"; {command}'


def _timeout_limits(source: Host, row: Moment, written: UserHook, seconds: float) -> tuple[str, ...]:
    # An entry without a timeout has the default timeout of its own host.
    way = source.install.layout if source.install else None
    default_seconds = way.default_timeout if isinstance(way, SettingsFile) and row.timeout is None else 0.0
    if written.timeout is not None or default_seconds <= seconds:
        return ()
    return (f"it is ended after {seconds:g} s; {source.name} allows {default_seconds:g} s",)


def _unsupported_reason(moment: str, row: Moment | None, target: Host) -> str:
    if row is None:
        return f"listens for {moment!r}, which hookline does not support"
    if find_coverage(target, row.event) == "unsupported":
        return f"listens for {moment!r}, but {target.name} does not report {row.event.__name__}"
    return ""


def _is_ambiguous(source: Host, event: type[Event]) -> bool:
    """Return whether the source host has several moments for the same event."""
    return event is OnError or sum(row.event is event for row in source.moments.values()) > 1


def _host_timeout(target: Host, event: type[Event]) -> float:
    timeouts = [row.timeout or target.timeout for row in target.moments.values() if row.event is event]
    return min(max(timeouts, default=target.timeout), target.timeout)


def _without_fraction(seconds: float) -> float:
    return int(seconds) if seconds == int(seconds) else seconds


def _form_losses(target: Host, event: type[Event]) -> tuple[str, ...]:
    """Return a loss if the other host reports the event only in some of its forms."""
    rows = [row for row in target.moments.values() if row.event is event]
    forms = [text for row in rows for text in (row.values.get("kind"), row.values.get("source")) if text]
    if not rows or len(forms) < len(rows):
        return ()
    return (f"{target.name} reports {event.__name__} only as: {', '.join(forms)}",)


LIMIT_TEXTS: Mapping[Ability, str] = {
    ASK: "if it asks, {host} cannot ask: {instead}",
    ALLOW: "if it allows, {host} ignores that",
    MODIFY: "if it changes something, {host} cannot apply it: {instead}",
    INJECT: "if it injects context, the agent reads it at the next event that accepts context",
    BLOCK: "if it blocks, {host} continues: {instead}",
}


def _ability_limits(source: Host, target: Host, event: type[Event]) -> list[str]:
    target_abilities = find_abilities(target, event)
    can_stop = BLOCK in target_abilities and event.block_prevents
    instead = {
        ASK: "the action is blocked" if can_stop else "you are warned",
        MODIFY: "the action is blocked" if can_stop else "it stays unchanged, and you are warned",
        BLOCK: "the agent gets the reason" if INJECT in target_abilities else "you are warned",
    }
    missing = [
        can for can in ALL_ABILITIES if can in find_abilities(source, event) and can not in target_abilities
    ]
    return [LIMIT_TEXTS[can].format(host=target.name, instead=instead.get(can, "")) for can in missing]


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
