"""Processes that a command starts or ends: agents without guards, and hookline's own daemon."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from hookline.hooks._self_protect.commands import PERSON_COMMAND
from hookline.hooks._self_protect.effects import Line
from hookline.hooks._self_protect.finding import Finding, quote
from hookline.hooks._self_protect.guarded_paths import Guard
from hookline.hosts import AGENT_PROGRAMS, AgentProgram
from hookline.lazy import re
from hookline.shell import UNKNOWN, SimpleCommand
from hookline.shell.effect_table import LANGUAGES
from hookline.shell.options import word_set

_KILLERS = word_set("pkill killall skill xkill taskkill stop-process")
_FINDERS = word_set(
    "pgrep pidof ps grep egrep rg awk lsof fuser cat ss jq head tail sed cut systemctl launchctl"
)
_SERVICES = word_set("systemctl service launchctl supervisorctl pm2 rc-service initctl sv loginctl sc")
_ENDS = word_set(
    """stop disable mask kill restart unload bootout remove delete reset-failed revert edit down force-stop
    disable-linger"""
)
_OUR_NAME = re.compile(r"(?<![\w-])hookline(?:d|[-._](?:client|daemon|hook|server?|service))?(?![\w-])")
_PATTERN = re.compile(r"[|()^$\\*+\s/]+")
_CHANGES = word_set("set disable disable-all remove uninstall unset rm delete off edit")
_MANAGEMENT = word_set(
    "mcp config hooks extensions plugin doctor update upgrade install login auth completion features models"
)
"""Subcommands of agent programs that start no session."""
_SETTERS = word_set("env export declare typeset setenv set")
_OTHER_USERS = word_set("sudo su doas runuser gosu su-exec setuidgid chroot")
FOLDER_VARIABLES = word_set(
    "HOME USERPROFILE XDG_CONFIG_HOME XDG_STATE_HOME XDG_DATA_HOME XDG_RUNTIME_DIR PATH"
)
"""Variables by which an agent finds its settings, and our client the daemon."""


def judge_processes(line: Line, guard: Guard) -> Iterator[Finding]:
    """Yield findings for all commands of a line."""
    commands = line.commands
    finders = {at for at, one in enumerate(commands) if one.name in _FINDERS and _names_us(one)}
    for command in commands:
        if _ends_daemon(command, finders, line):
            what = f"`{command.name}` of hookline's own processes"
            yield Finding(rule="command", what=what, span=command.span)
        agent = AGENT_PROGRAMS.get(command.name)
        if agent is not None:
            yield from _judge_agent(command, agent, commands, guard)


def _ends_daemon(command: SimpleCommand, finders: set[int], line: Line) -> bool:
    """Return whether *command* ends a process by our name, or by a number that *finders* print."""
    words = {word.text for word in command.words}
    if command.name in _KILLERS or (command.name == "fuser" and "-k" in words):
        return _names_us(command)
    if command.name in _SERVICES:
        return bool(words & _ENDS) and _names_us(command)
    if command.name != "kill":
        return False
    unknown = [word.origins for word in command.words if word.dynamic] or [command.stdin_origins]
    if command.via[-1:] and command.via[-1] in LANGUAGES and () in unknown:  # the code may use any output
        named = any(line.commands[at].via == command.via for at in finders)
        return named or _OUR_NAME.search(line.text.lower()) is not None
    return any(finders & line.trace(origins) for origins in unknown)


def _names_us(command: SimpleCommand) -> bool:
    return any(matches_us(word.text) for word in command.words[1:])


def matches_us(pattern: str) -> bool:
    """Return whether a regular expression, glob or path matches our name, also as `[h]ookline`."""
    plain = re.sub(r"\[(\w)\]", r"\1", pattern.lower())
    if "hook" not in plain:
        return False
    if _OUR_NAME.search(plain):
        return True
    parts = (part.replace(".", "?") for part in _PATTERN.split(plain) if part.startswith("hook"))
    return any(fnmatchcase("hookline", part) or "hookline".startswith(part) for part in parts)


def _judge_agent(
    command: SimpleCommand, agent: AgentProgram, commands: Sequence[SimpleCommand], guard: Guard
) -> Iterator[Finding]:
    words = [word.text for word in command.words[1:]]
    if {"--help", "-h", "--version"} & {*words}:
        return
    if words and words[0] in _MANAGEMENT:
        yield from _judge_management(command, words)
        return
    pairs = (word.partition("=") for word in words if " " not in word)
    spread = {part for pair in pairs for part in ("".join(pair), pair[0], pair[2])}
    flag = next((one for one in agent.arguments if all(_given(part, spread) for part in one.split())), None)
    if flag is None:
        flag = next(_find_other_folder(command, agent, commands, guard), None)
    if flag is not None:
        what = f"{quote(command.name)} with {quote(flag)}"
        yield Finding(rule="agent", what=what, span=command.span, action="ask")


def _judge_management(command: SimpleCommand, words: Sequence[str]) -> Iterator[Finding]:
    """Judge a subcommand that changes the settings of an agent."""
    if PERSON_COMMAND.search(" ".join(words)):
        yield Finding(rule="command", what=quote(" ".join(words)), span=command.span, action="ask")
    elif any("hook" in word.lower() for word in words) and not _CHANGES.isdisjoint(words):
        yield Finding(rule="agent", what=quote(" ".join(words)), span=command.span, action="ask")


def _given(argument: str, words: set[str]) -> bool:
    return argument in words or (not argument.startswith("-") and any(argument in word for word in words))


def _find_other_folder(
    command: SimpleCommand, agent: AgentProgram, commands: Sequence[SimpleCommand], guard: Guard
) -> Iterator[str]:
    """Yield variables that select other settings, set for the command or by another one of the line."""
    settings = [setting for other in commands for setting in other.assignments]
    for other in commands:
        if other.name in _SETTERS:
            pairs = (word.text.partition("=") for word in other.words[1:])
            settings += [(name, value) for name, equals, value in pairs if equals]
        yield from _find_unset(other)
    for name, value in settings:
        if (
            name in agent.variables
            or name.startswith("HOOKLINE_")
            or (name in FOLDER_VARIABLES and not any(_is_usual(folder, guard) for folder in value.split(":")))
        ):
            yield f"{name}={value}"
    yield from (via for via in command.via if via.split()[:1] and via.split()[0] in _OTHER_USERS)


def _is_usual(folder: str, guard: Guard) -> bool:
    return folder == "" or UNKNOWN in folder or guard.held(folder) is not None


def _find_unset(command: SimpleCommand) -> Iterator[str]:
    """Yield the variables of an agent that *command* removes: `unset HOME`, `env -u HOME`, `env -i`."""
    words = [word.text.removeprefix("--unset=").removeprefix("-u") for word in command.words[1:]]
    if command.name in ("unset", "env"):
        yield from (f"{command.name} {word}" for word in words if word in FOLDER_VARIABLES)
    if command.name == "env" and not {"-i", "-", "--ignore-environment"}.isdisjoint(words):
        yield "env -i"
