"""Explanation of a verdict of dangerous-command: every command of the line, and the rules that apply."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from shlex import join
from typing import Any, Literal

from hookline.core.events import PreToolUse
from hookline.core.explanation import Branch, branch
from hookline.core.rule_exceptions import Allow
from hookline.core.state import State
from hookline.hooks._dangerous_command import known, looked
from hookline.hooks._dangerous_command.packs import Decided, Packs, decided
from hookline.hooks._dangerous_command.rule import Place
from hookline.hooks._explain import format_command
from hookline.shell import SimpleCommand

SHELLS: Mapping[str, Literal["bash", "powershell", "cmd"]] = {
    "shell": "bash",
    "powershell": "powershell",
    "cmd": "cmd",
}
_SOMEWHERE = "/here"
"""Placeholder for an unknown working folder, which gives `.` a meaning."""
_COMMANDS = ("command", "cmd", "shell_command", "command_line")
"""Input fields in which third-party tools take a command line, or its words."""


def command_line_of(event: PreToolUse) -> str:
    """Return the command line of a shell, or of a third-party tool that takes one."""
    if event.kind in SHELLS or event.kind not in ("mcp", "other"):
        return (event.command or "") if event.kind in SHELLS else ""
    given = next((event.input[key] for key in _COMMANDS if key in event.input), "")
    return given if isinstance(given, str) else _joined(given)


def _joined(words: Any) -> str:
    return join(one for one in words if isinstance(one, str)) if isinstance(words, tuple) else ""


def whereabouts(
    event: PreToolUse, state: State, protected: tuple[str, ...], lease: Literal["warn", "block"]
) -> Place:
    cwd, home, root = event.cwd or state.root or _SOMEWHERE, state.home, state.root
    return Place(cwd=cwd, home=home, root=root, protected=protected, lease=lease)


def tree(
    event: PreToolUse,
    state: State,
    *,
    allow: Allow,
    lease: Literal["warn", "block"],
    packs: Packs,
    protected: tuple[str, ...],
    runners: Mapping[str, str],
) -> Iterator[Branch]:
    line = command_line_of(event)
    if not line:
        yield branch(f"{event.tool} is not a shell")
        return
    place = whereabouts(event, state, protected, lease)
    seen = list(looked(line, place, runners=runners, shell=SHELLS.get(event.kind, "bash")))
    for number, (command, found) in enumerate(seen):
        rules = [_rule(one) for one in decided(dict.fromkeys(found), allow, packs)]
        if rules:
            yield branch(_named(command, event, place), *rules)
        elif command is not None and not _leads(command, (other for other, _ in seen[number + 1 :])):
            yield branch(f"{_named(command, event, place)}: {_silence(command)}")
    if not seen:
        yield branch("it runs no command")


def _named(command: SimpleCommand | None, event: PreToolUse, place: Place) -> str:
    if command is None:
        return "the line as a whole"
    return format_command(command, place.cwd if event.cwd else "", place.home)


def _leads(command: SimpleCommand, others: Iterator[SimpleCommand | None]) -> bool:
    """Return whether *command* only runs one of the *others*, which has a branch of its own."""
    depth = len(command.via)
    return any(
        other is not None
        and other.via[:depth] == command.via
        and other.via[depth : depth + 1]
        and other.via[depth].split()[:1] == [command.name]
        for other in others
    )


def _silence(command: SimpleCommand) -> str:
    name = command.name or "a program that only running tells"
    return f"no rule for {name} matches" if known(command) else f"no rule for {name}"


def _rule(one: Decided) -> Branch:
    text, rule = f"{one.finding.rule} · pack {one.finding.pack}", one.finding.rule
    if one.excepted is not None:
        return branch(text, judgement="excepted", rule=rule, because=one.excepted)
    if one.action is None:
        return branch(text, judgement="off", rule=rule, because="the settings switch this pack off")
    return branch(text, judgement=one.action, rule=rule)
