"""The effects of a command line on files: the paths that it reads, writes, moves, deletes, sends or runs.

The programs and their operands are in `effect_table` and `effect_programs`. Commands that run on another
machine or in a container have no effects here.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from hookline.lazy import re
from hookline.shell.effect_programs import SPECIAL
from hookline.shell.effect_table import (
    DATA_PROGRAMS,
    PROGRAMS,
    UNREAD_STDIN,
    Operands,
    named_paths,
    table_effects,
)
from hookline.shell.effect_transfers import ssh_host
from hookline.shell.options import parse_options, word_set
from hookline.shell.result import Action, Effect, Redirect, SimpleCommand
from hookline.shell.shell_state import ShellState

MAX_EFFECTS = 1_000
"""Maximum number of effects of one line; a line with more is not judged in full."""
_CONTAINER = re.compile(r"(?:docker|podman|nerdctl|docker-compose|kubectl|oc|k3s) exec")
_LOCAL_HOST = re.compile(r"(?:[^@]*@)?(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)")
_FILTERS = word_set(
    "head tail wc grep egrep fgrep rg jq gojq yq xmllint md5sum sha1sum sha256sum sha512sum cksum"
    " python node perl ruby"
)
"""Programs that print only a part of their input, or a summary."""
_INPUT = frozenset({"<", "<>"})
_OUTPUT = frozenset({">", ">>", ">|", "&>", "&>>", "<>"})
_REPLACING = frozenset({">", ">|", "&>"})
_OPENING = word_set("read use copy move link")
_LISTERS = word_set("export declare typeset readonly set alias shopt trap hash ed red")
"""Programs that print something, although their output is evaluated as nothing."""
_MAX_FEEDERS = 64
"""Maximum number of commands that are visited to find the origin of a stream."""


def declare_programs(declared: Mapping[str, Action]) -> Mapping[str, Operands]:
    """Return the effect table with the programs of a user, each with its action on the operands."""
    rows = {name: _declare(action) for name, action in declared.items()}
    return {**PROGRAMS, **rows} if rows else PROGRAMS


def _declare(action: Action) -> Operands:
    last: Action | None = "write" if action in ("copy", "move", "link") else None
    return Operands(action=action, last=last, recursive="always")


def find_effects(state: ShellState, programs: Mapping[str, Operands] = PROGRAMS) -> tuple[Effect, ...]:
    """Return the effects of the commands in *state* on this machine in order, at most `MAX_EFFECTS`."""
    effects: list[Effect] = []
    commands, by_command = state.commands, group_effects(state.code_effects)
    limited = _find_limited(commands)
    host = ""
    for index, command in enumerate(commands):
        if command.name in ("ssh", "mosh", "autossh"):
            host = ssh_host(command)
        if command.via and _runs_elsewhere(command, host):
            continue
        for effect in (*command_effects(command, programs), *by_command.get(index, ())):
            bounded = effect.bounded or index in limited
            effects.append(replace(effect, command=index, cwd=command.cwd, bounded=bounded))
            if len(effects) >= MAX_EFFECTS:
                return tuple(effects)
    return _mark_emptied(effects, state) if any(one.content for one in effects) else tuple(effects)


def group_effects(effects: Iterable[Effect]) -> dict[int, list[Effect]]:
    """Return the effects by the index of their command."""
    by_command: dict[int, list[Effect]] = {}
    for effect in effects:
        by_command.setdefault(effect.command, []).append(effect)
    return by_command


def trace_origins(commands: Sequence[SimpleCommand], origins: Iterable[int], most: int) -> tuple[int, ...]:
    """Return the indexes of at most *most* commands that a value comes from, directly or through others."""
    pending, seen = [*origins], dict[int, None]()
    while pending and len(seen) < most:
        index = pending.pop()
        if index not in seen and index < len(commands):
            seen[index] = None
            command = commands[index]
            pending += sorted(
                {*command.stdin_origins, *(at for word in command.words for at in word.origins)}
            )
    return tuple(seen)


def _mark_emptied(effects: Sequence[Effect], state: ShellState) -> tuple[Effect, ...]:
    """Return *effects* with `truncate` for a write without content, or of a file that is read meanwhile."""
    opened: dict[int, set[File]] = {}
    for one in effects:
        opened.setdefault(one.command, set()).update([_find_file(one)] if one.action in _OPENING else [])
    return tuple(
        replace(one, action="truncate")
        if one.content and one.action == "write" and _empties(one, opened, state)
        else one
        for one in effects
    )


def _empties(effect: Effect, opened: Mapping[int, set[File]], state: ShellState) -> bool:
    index, end = effect.command, effect.command + 1
    if effect.content == "printed":
        end, empty = state.outputs.get(index, (end, False))
        empty = empty and state.commands[index].name not in _LISTERS
    else:
        has_nothing = (path == "/dev/null" or state.files.get(path) == "" for _, path in opened[index])
        empty = all(has_nothing) if opened[index] else index in state.unfed
    return empty or (effect.content != "copied" and _is_read(effect, range(index, end), opened, state))


def _is_read(
    effect: Effect, commands: Sequence[int], opened: Mapping[int, set[File]], state: ShellState
) -> bool:
    """Return whether *commands*, or those whose output they read, open the file of *effect*."""
    waiting, seen = [*commands], set[int]()
    is_known, file = effect.path.origins or not effect.path.dynamic, _find_file(effect)
    while waiting and len(seen) < _MAX_FEEDERS and is_known:
        index = waiting.pop()
        if file in opened.get(index, ()):
            return state.commands[index].name != "git"  # it reads the file of a commit
        waiting += () if index in seen else state.commands[index].stdin_origins
        seen.add(index)
    return False


File = tuple[Sequence[int], str]
"""Path of a file, with the commands that its name comes from."""


def _find_file(effect: Effect) -> File:
    return effect.path.origins, posixpath.normpath(posixpath.join(effect.cwd or "", effect.path.text))


def _find_limited(commands: Sequence[SimpleCommand]) -> set[int]:
    """Return the indexes of the commands of which only a part of the output is printed, or a summary."""
    limited: set[int] = set()
    for index in range(len(commands) - 1, -1, -1):
        command = commands[index]
        to_file = any(one.op in _OUTPUT and one.fd in ("", "1") for one in command.redirects)
        if command.name in _FILTERS or index in limited or to_file:
            limited.update(command.stdin_origins)
        if index in limited:
            limited.update(origin for word in command.words for origin in word.origins)
    return limited


def _runs_elsewhere(command: SimpleCommand, host: str) -> bool:
    remote = "ssh" in command.via and not _LOCAL_HOST.fullmatch(host)
    return remote or any(_CONTAINER.fullmatch(wrapper) for wrapper in command.via)


def is_known_program(name: str) -> bool:
    """Return whether the effect table has a row for the program *name*."""
    return name in PROGRAMS or name in SPECIAL


def command_effects(command: SimpleCommand, programs: Mapping[str, Operands] = PROGRAMS) -> Iterator[Effect]:
    """Yield the effects of one command; content that it prints into a file is copied, not read."""
    to_file = any(redirect.op in _OUTPUT and redirect.fd in ("", "1") for redirect in command.redirects)
    for effect in _operand_effects(command, programs) if command.words else ():
        yield replace(effect, action="copy") if to_file and effect.action == "read" else effect
    row = PROGRAMS.get(command.name, Operands())
    bounded = bool(command.redirects) and row.is_bounded(
        parse_options(command.words[1:], row.valued_options(), mixed=True)
    )
    for redirect in command.redirects:
        yield from _redirect_effects(redirect, command, bounded=bounded)


def _operand_effects(command: SimpleCommand, programs: Mapping[str, Operands]) -> Iterator[Effect]:
    special = SPECIAL.get(command.name)
    row = programs.get(command.name)
    if special is not None and (row is None or row is PROGRAMS.get(command.name)):
        yield from special(command)
    elif row is not None:
        yield from table_effects(command, row)
    elif command.name not in DATA_PROGRAMS:
        yield from (Effect(action="use", path=word, certain=False) for word in named_paths(command.words))


def _redirect_effects(redirect: Redirect, command: SimpleCommand, *, bounded: bool) -> Iterator[Effect]:
    target = redirect.target
    if redirect.op in _INPUT and (command.name not in UNREAD_STDIN or redirect.fd not in ("", "0")):
        yield Effect(action="read", path=target, bounded=bounded)
    is_file = not target.text.isdigit() and target.text != "-"
    if redirect.op in _OUTPUT or (redirect.op == ">&" and is_file):
        action: Action = "append"
        if redirect.op in _REPLACING:
            action = "write"
        yield Effect(action=action, path=target, content="printed")
