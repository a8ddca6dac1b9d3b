"""The effects of a command line on files: the paths that it reads, writes, moves, deletes, sends or runs.

The programs and their operands are in `effect_table` and `effect_programs`. Commands that run on another
machine or in a container have no effects here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from hookline.shell.effect_programs import SPECIAL
from hookline.shell.effect_table import DATA_PROGRAMS, PROGRAMS, UNREAD_STDIN
from hookline.shell.effect_transfers import ssh_host
from hookline.shell.effect_types import Operands, named_paths, table_effects
from hookline.shell.options import parse_options, word_set
from hookline.shell.result import Action, Effect, Redirect, SimpleCommand

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


def declare_programs(declared: Mapping[str, Action]) -> Mapping[str, Operands]:
    """Return the effect table with the programs of a user, each with its action on the operands."""
    rows = {name: _declare(action) for name, action in declared.items()}
    return {**PROGRAMS, **rows} if rows else PROGRAMS


def _declare(action: Action) -> Operands:
    last: Action | None = "write" if action in ("copy", "move", "link") else None
    return Operands(action=action, last=last, recursive="always")


def find_effects(
    commands: Sequence[SimpleCommand],
    code_effects: Sequence[Effect] = (),
    programs: Mapping[str, Operands] = PROGRAMS,
) -> tuple[Effect, ...]:
    """Return the effects of *commands* on this machine in order, at most `MAX_EFFECTS`.

    *code_effects* are those of code in other languages that the commands run.
    """
    effects: list[Effect] = []
    by_command: dict[int, list[Effect]] = {}
    for effect in code_effects:
        by_command.setdefault(effect.command, []).append(effect)
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
    return tuple(effects)


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
    for redirect in command.redirects:
        yield from _redirect_effects(redirect, command)


def _operand_effects(command: SimpleCommand, programs: Mapping[str, Operands]) -> Iterator[Effect]:
    special = SPECIAL.get(command.name)
    row = programs.get(command.name)
    if special is not None and (row is None or row is PROGRAMS.get(command.name)):
        yield from special(command)
    elif row is not None:
        yield from table_effects(command, row)
    elif command.name not in DATA_PROGRAMS:
        yield from (Effect(action="use", path=word, certain=False) for word in named_paths(command.words))


def _redirect_effects(redirect: Redirect, command: SimpleCommand) -> Iterator[Effect]:
    target = redirect.target
    if redirect.op in _INPUT and (command.name not in UNREAD_STDIN or redirect.fd not in ("", "0")):
        bounded = command.name in PROGRAMS and _is_bounded(command, PROGRAMS[command.name])
        yield Effect(action="read", path=target, bounded=bounded)
    is_file = not target.text.isdigit() and target.text != "-"
    if redirect.op in _OUTPUT or (redirect.op == ">&" and is_file):
        action: Action = "append"
        if redirect.op in _REPLACING:
            action = "truncate" if _prints_nothing(command) else "write"
        yield Effect(action=action, path=target)


def _prints_nothing(command: SimpleCommand) -> bool:
    """Return whether the command prints nothing or an empty line: `:`, `echo -n`, `cat /dev/null`."""
    arguments = [word.text for word in command.words[1:]]
    if command.name in (":", "true"):
        return not arguments
    silent = {"echo": ([], [""], ["-n"], ["-n", ""]), "printf": ([""],), "cat": (["/dev/null"],)}
    return arguments in silent.get(command.name, ())


def _is_bounded(command: SimpleCommand, row: Operands) -> bool:
    return row.is_bounded(parse_options(command.words[1:], row.valued_options(), mixed=True))
