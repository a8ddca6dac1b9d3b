"""Conversion of a hook written for one host into a hookline declaration that runs it under another host.

A conversion lists its losses: what is certainly lost, and what is lost only if the hook uses an ability that
the other host lacks.
"""

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

from hookline.core.derive import find_abilities, find_coverage
from hookline.core.events import ALL_ABILITIES, ALLOW, ASK, BLOCK, INJECT, MODIFY, Ability, Event, OnError
from hookline.core.frozen import EMPTY, Frozen
from hookline.core.host import Host, Moment
from hookline.core.install_table import SettingsFile, UserHook
from hookline.install.convert_matcher import Untranslatable, translate_matcher
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
