"""Rules of dangerous-command: find the parts of a command line that would destroy something.

Parts that were not read lead to a question: those beyond a limit, and those with a destructive word.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Literal, TypeAlias

from hookline.core.values import replace
from hookline.hooks._dangerous_command import (
    cloud,
    code_calls,
    databases,
    deletions,
    exfil,
    git_work,
    machine,
    network,
    packages,
    services,
)
from hookline.hooks._dangerous_command.rule import CORE, Action, Finding, Judge, Place
from hookline.hooks._dangerous_command.scratch import join_path
from hookline.lazy import re
from hookline.shell import MAX_EFFECTS, UNKNOWN, Effect, Problem, Reading, SimpleCommand, Word, read
from hookline.shell.effects import command_effects, group_effects, is_known_program
from hookline.shell.options import word_set

__all__ = ["Action", "Finding", "Place", "Programs", "Shell", "findings", "has_rules", "judge_commands"]

Shell: TypeAlias = Literal["bash", "powershell", "cmd"]
Programs: TypeAlias = Mapping[
    str,
    Literal["read", "copy", "send", "write", "append", "truncate", "edit", "mode", "move", "delete", "run"],
]
"""Actions of further programs on their operands, in the settings."""
_GLOBBED = ("git", "rm", "dd", "mkfs", "shred", "chmod", "chown", "find", "mv", "wipefs")
"""Programs that are matched with a pattern such as `/bin/r?`."""
_INSTALLED = word_set(
    """prisma lerna changeset semantic-release np release-it sequelize typeorm knex drizzle-kit nx vercel
    netlify wrangler supabase firebase cdk sst serverless sls"""
)
"""Programs that a package manager runs by their name alone: `pnpm prisma migrate reset`."""
_NOTHING: Mapping[str, str] = {}
_NO_PROGRAMS: Programs = {}
_TABLES: tuple[Mapping[str, Judge], ...] = (
    git_work.JUDGES,
    deletions.JUDGES,
    machine.JUDGES,
    machine.CODE_JUDGES,
    *cloud.TABLES,
    *services.TABLES,
    *packages.TABLES,
    network.JUDGES,
    *databases.TABLES,
    code_calls.JUDGES,
    exfil.JUDGES,
)
_JUDGES: dict[str, list[Judge]] = {}
for _table in _TABLES:
    for _name, _judge in _table.items():
        _JUDGES.setdefault(_name, []).append(_judge)


def findings(
    line: str,
    place: Place,
    *,
    runners: Mapping[str, str] = _NOTHING,
    programs: Programs = _NO_PROGRAMS,
    shell: Shell = "bash",
) -> tuple[Finding, ...]:
    """Return a finding for everything in *line* that breaks a rule, in the order of execution."""
    reading = read_at(place, line, runners=runners, programs=programs, shell=shell)
    found = [finding for _, found in judge_commands(reading, place) for finding in found]
    return tuple(dict.fromkeys(found))


def read_at(
    place: Place, line: str, *, runners: Mapping[str, str], programs: Programs, shell: Shell
) -> Reading:
    """Return the reading of *line* in the folder and with the facts of *place*."""
    return read(
        line,
        cwd=place.cwd,
        home=place.home,
        runners=runners,
        programs=programs,
        shell=shell,
        facts=place.facts,
    )


def judge_commands(
    reading: Reading, place: Place
) -> Iterator[tuple[SimpleCommand | None, tuple[Finding, ...]]]:
    """Yield every command with its findings, and None with those that belong to no command."""
    paths = [(one, posixpath.normpath(join_path(one.path.text, one.cwd, place))) for one in reading.effects]
    emptied = {(one.command, path) for one, path in paths if one.action == "truncate"}
    made = (
        text
        for one, path in paths
        if one.action in ("write", "copy", "create") and (one.command, path) not in emptied
        for text in (one.path.text, path)
    )
    place = replace(
        place,
        commands=reading.commands,
        effects={index: tuple(found) for index, found in group_effects(reading.effects).items()},
        moved=_find_moved(reading.effects, place),
        made=frozenset(made),
    )
    for index, command in enumerate(reading.commands):
        yield command, tuple(_judge_command(command, replace(place, index=index)))
    yield from ((None, (finding,)) for finding in _judge_rest(reading))


def _find_moved(effects: tuple[Effect, ...], place: Place) -> dict[str, tuple[tuple[Word, str | None], ...]]:
    """Return the original paths of moved files by their new path."""
    moves: dict[int, list[tuple[Word, str | None]]] = {}
    for effect in effects:
        if effect.action == "move":
            moves.setdefault(effect.command, []).append((effect.path, effect.cwd))
    targets = (one for one in effects if one.action == "write" and one.command in moves) if moves else ()
    return {join_path(one.path.text, one.cwd, place): tuple(moves[one.command]) for one in targets}


def _judge_rest(reading: Reading) -> Iterator[Finding]:
    """Yield the findings about the line as a whole, and about its unreadable parts."""
    if reading.fork_bombs:
        yield machine.DISK.find("fork-bomb", replace(reading.commands[0], span=reading.fork_bombs[0]))
    problems = reading.problems
    if len(reading.effects) >= MAX_EFFECTS:
        span = reading.commands[-1].span
        problems = (*problems, Problem(reason="line is too long", text="", span=span))
    if problems:
        yield from unread(problems)


def has_rules(command: SimpleCommand) -> bool:
    """Return whether a rule exists for a program that *command* may run."""
    return any(name in _JUDGES or is_known_program(name) for _, name in _names(command))


def _judge_command(command: SimpleCommand, place: Place) -> Iterator[Finding]:
    connected = exfil.is_connected(command)
    via = command.via[-1] if command.via else ""
    if command.words[0].origins or connected or via.endswith((" ssh", " --exec")):
        yield from network.judge_origin(command, place)
    if connected:
        yield from exfil.judge_connection(command, place)
    named, place = _resolve(command, place)
    yield from deletions.judge_effects(named, place)
    yield from exfil.judge_secret_files(named, place)
    for judge in _JUDGES.get(named.name, () if is_known_program(named.name) else (services.judge_unknown,)):
        yield from judge(named, named.words[1:], place)


def _resolve(command: SimpleCommand, place: Place) -> tuple[SimpleCommand, Place]:
    """Return *command* with the name of the program that it may run, and the place with its effects.

    Commands on another machine or in a container have no effects here, but are judged as well.
    """
    for skipped, name in _names(command):
        if name in _JUDGES or is_known_program(name):
            if name == command.name and not any(
                via in ("ssh", "ansible -a") or via.endswith(" exec") for via in command.via
            ):
                return command, place
            first = Word(text=name, span=command.words[0].span)
            named = replace(command, name=name, words=(first, *command.words[skipped:]))
            effects = tuple(replace(effect, cwd=command.cwd) for effect in command_effects(named))
            return named, replace(place, effects={**place.effects, place.index: effects})
    return command, place


_RESOURCE = re.compile(
    r"(?:remove|stop)-(?:az|s3|ec2|rds|ecs|eks|iam|lm|ddb|cfn|r53|gc[a-z]|ad[a-z]|vm|mg|sql|pnp)"
)
"""Cmdlets that delete or stop something in a cloud or a directory service."""


def _names(command: SimpleCommand) -> Iterator[tuple[int, str]]:
    """Yield the names of the programs that *command* may run, each with the number of words to skip."""
    first = command.words[0]
    if command.name in ("pnpm", "yarn", "bun") and command.words[1:] and command.words[1].text in _INSTALLED:
        yield 2, command.words[1].text
    yield 1, "mkfs" if command.name.startswith("mkfs.") else command.name
    if first.glob:
        yield from (
            (1, name) for name in _GLOBBED if fnmatchcase("/bin/" + name, first.text.removeprefix("/usr"))
        )
    if first.dynamic:
        # `r${x}m` may be rm, and in `$SUDO rm` the unknown word may be a wrapper, or empty.
        yield 1, first.text.replace(UNKNOWN, "").rpartition("/")[2]
        yield from ((2, word.text) for word in command.words[1:2])
    elif "-" in first.text:
        name = first.text.lower()
        yield 1, "remove-resource" if _RESOURCE.match(name) else name


_WORD = re.compile(r"[A-Za-z]+")
_DESTRUCTIVE_PROGRAMS = frozenset({"rm", "mkfs", "shred", "wipefs", "rmtree", "dd", "unlink"})
_GIT_WORDS = frozenset(
    {"force", "f", "hard", "har", "clean", "D", "restore", "checkout", "mirror", "delete", "stash", "merge"}
)
_TOOLS = word_set("kubectl helm terraform tofu pulumi docker aws gcloud az psql mysql redis gh")
_VERBS = word_set("delete destroy prune drop truncate flushall flushdb terminate uninstall rb")
_PRINTERS = [["echo"], ["printf"], ["rg"], ["grep"]]
"""Programs whose arguments are text; a quote that is never closed after them hides no command."""
_UNCLOSED = "unclosed "
"""Start of the reason for not reading such a quote."""
_BOMB = re.compile(r"(?<![\w:])([\w:]{1,60})\(\)\s*\{\s*\1\s*\|")


def unread(problems: Iterable[Problem]) -> Iterator[Finding]:
    """Yield a finding for the first part that may hide a destructive command."""
    for problem in problems:
        rule = "too-long" if problem.is_whole_line else "unread"
        if not problem.by_words or _names_destructive_command(problem):
            reason, instead = CORE.rules[rule]
            yield Finding(
                pack=CORE.name,
                rule=rule,
                reason=f"{reason.removesuffix('.')} ({problem.reason}).",
                instead=instead,
                span=problem.span,
                text=problem.text,
                action="ask",
            )
            return


def _names_destructive_command(problem: Problem) -> bool:
    text = problem.text
    if problem.reason.startswith(_UNCLOSED) and text.split(maxsplit=1)[:1] in _PRINTERS:
        return False
    words = set(_WORD.findall(text))
    if words & _DESTRUCTIVE_PROGRAMS or ("find" in words and "delete" in words) or _BOMB.search(text):
        return True
    if (words & _TOOLS and words & _VERBS) or (words & {"curl", "wget"} and words & {"sh", "bash"}):
        return True
    return "git" in words and (bool(words & _GIT_WORDS) or " +" in text or " :" in text)
