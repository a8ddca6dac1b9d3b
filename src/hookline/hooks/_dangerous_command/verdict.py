"""Verdict of dangerous-command: the packs, the action on every finding, and the explanation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from shlex import join, quote
from typing import Any, Literal, NamedTuple, TypeAlias

from hookline.core.events import PreToolUse
from hookline.core.explanation import Branch, branch
from hookline.core.rule_exceptions import Allow, find_exception
from hookline.core.state import State
from hookline.hooks._dangerous_command import Programs, Shell, has_rules, judge_commands, read_at
from hookline.hooks._dangerous_command.cloud import CLOUD, CONTAINERS, KUBERNETES
from hookline.hooks._dangerous_command.databases import DATABASES
from hookline.hooks._dangerous_command.exfil import EXFIL
from hookline.hooks._dangerous_command.git_history import HISTORY
from hookline.hooks._dangerous_command.machine import DISK, PERMISSIONS, WINDOWS
from hookline.hooks._dangerous_command.network import HTTP, REMOTE_EXEC
from hookline.hooks._dangerous_command.packages import PUBLISH, REPO_HOST
from hookline.hooks._dangerous_command.rule import CORE, INTERPRETERS, TREES, Action, Finding, Place
from hookline.hooks._dangerous_command.services import SAAS
from hookline.hooks._explain import format_command, format_effects
from hookline.shell import NO_FACTS, SimpleCommand

PACKS: Mapping[str, Action] = {
    **dict.fromkeys(("core", "disk", "permissions", "git-history", "system-trees", "interpreters"), "block"),
    **dict.fromkeys(("remote-exec", "containers", "databases", "kubernetes", "cloud", "saas-cli"), "ask"),
    **dict.fromkeys(("repo-host", "package-publish", "http-delete", "exfil", "windows"), "ask"),
}
"""Default action of each pack, in the order of the documentation."""
Packs: TypeAlias = """Mapping[
    Literal[
        "core", "disk", "permissions", "git-history", "system-trees", "interpreters",
        "remote-exec", "containers", "databases", "kubernetes", "cloud", "saas-cli",
        "repo-host", "package-publish", "http-delete", "exfil", "windows",
    ],
    Literal["ask", "block", "off"],
]"""
"""Actions of the packs in the settings."""
ALL = (
    CORE, DISK, PERMISSIONS, HISTORY, TREES, INTERPRETERS, REMOTE_EXEC, CONTAINERS, DATABASES, KUBERNETES,
    CLOUD, SAAS, REPO_HOST, PUBLISH, HTTP, EXFIL, WINDOWS,
)  # fmt: skip
"""The packs with their rules, in the same order."""


class Decision(NamedTuple):
    """A finding and the action on it."""

    finding: Finding
    action: Action | None
    """None if the pack is off, or an exception covers the finding."""
    excepted: str | None = None
    """The reason of the exception."""


def decide(found: Iterable[Finding], allow: Allow, packs: Packs) -> tuple[Decision, ...]:
    return tuple(_decide(one, allow, packs) for one in found)


def _decide(finding: Finding, allow: Allow, packs: Packs) -> Decision:
    for subject in (finding.subject, finding.target) if allow else ():
        reason = find_exception(allow, "dangerous-command", finding.rule, subject)
        if reason is not None:
            return Decision(finding, None, reason)
    return Decision(finding, action(finding, packs))


def action(finding: Finding, packs: Packs) -> Action | None:
    """Return the action on *finding*, or None if its pack is off."""
    usual = finding.action or PACKS[finding.pack]
    wanted = next((word for name, word in packs.items() if name == finding.pack), None)
    if wanted == "off":
        return None
    if usual == "warn" or wanted not in ("block", "ask"):
        return usual
    return "block" if wanted == "block" else "ask"


class _Tighter(tuple["Any", ...]):
    """Values of the setting `packs` that need no trust, because they only block more."""

    __slots__ = ()

    def __contains__(self, value: object) -> bool:
        return isinstance(value, Mapping) and all(
            wanted == "block" and pack in PACKS for pack, wanted in value.items()
        )


TIGHTER = _Tighter(({"PACK": "block"},))


def rules() -> Mapping[str, tuple[str, str, str]]:
    """Return every rule by its id: the pack, the reason, and the safe alternative."""
    return {rule: (pack.name, *texts) for pack in ALL for rule, texts in pack.rules.items()}


SHELLS: Mapping[str, Shell] = {"shell": "bash", "powershell": "powershell", "cmd": "cmd"}
_SOMEWHERE = "/here"
"""Placeholder for an unknown working folder, which gives `.` a meaning."""
_COMMANDS = ("command", "cmd", "shell_command", "command_line")
"""Input fields in which third-party tools take a command line, or its words."""


def command_line_of(event: PreToolUse) -> str:
    """Return the command line of a shell, of a third-party tool that takes one, or of an empty write."""
    empties = event.content is not None and not event.content.strip() and not event.patch
    if event.kind == "write" and event.path and empties:
        return f": > {quote(event.path)}"
    if event.kind in SHELLS or event.kind not in ("mcp", "other"):
        return (event.command or "") if event.kind in SHELLS else ""
    given = next((event.input[key] for key in _COMMANDS if key in event.input), "")
    if isinstance(given, tuple):
        return join(word for word in given if isinstance(word, str))
    return given if isinstance(given, str) else ""


def find_place(
    event: PreToolUse, state: State, protected: tuple[str, ...], lease: Literal["warn", "block"]
) -> Place:
    return Place(
        cwd=event.cwd or state.root or _SOMEWHERE,
        home=state.home,
        root=state.root,
        protected=protected,
        lease=lease,
        facts=state.facts.get("shell_facts") or NO_FACTS,
        has_changes=state.facts.get("has_changes", lambda path: None),
        in_environment=bool(state.env.get("VIRTUAL_ENV") or state.env.get("CONDA_PREFIX")),
    )


def tree(
    event: PreToolUse,
    state: State,
    *,
    allow: Allow,
    lease: Literal["warn", "block"],
    packs: Packs,
    protected: tuple[str, ...],
    programs: Programs,
    runners: Mapping[str, str],
) -> Iterator[Branch]:
    line = command_line_of(event)
    if not line:
        yield branch(f"{event.tool} is not a shell")
        return
    place = find_place(event, state, protected, lease)
    shell = SHELLS.get(event.kind, "bash")
    reading = read_at(place, line, runners=runners, programs=programs, shell=shell)
    seen = list(judge_commands(reading, place))
    for number, (command, found) in enumerate(seen):
        rules = [_rule(one) for one in decide(dict.fromkeys(found), allow, packs)]
        if rules:
            yield branch(_named(command, event, place), *rules)
        elif command is not None and not _leads(command, (other for other, _ in seen[number + 1 :])):
            yield branch(f"{_named(command, event, place)}: {_silence(command)}")
    if not seen:
        yield branch("it runs no command")
    if reading.effects:
        yield branch(f"effects: {format_effects(reading.effects)}")


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
    return f"no rule for {name} matches" if has_rules(command) else f"no rule for {name}"


def _rule(one: Decision) -> Branch:
    text, rule = f"{one.finding.rule} · pack {one.finding.pack}", one.finding.rule
    if one.excepted is not None:
        return branch(text, judgement="excepted", rule=rule, because=one.excepted)
    if one.action is None:
        return branch(text, judgement="off", rule=rule, because="the settings switch this pack off")
    return branch(text, judgement=one.action, rule=rule)
