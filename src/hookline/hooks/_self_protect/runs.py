"""Texts that a command may run besides the line itself: scripts, piped files, words and settings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from hookline.hooks._self_protect.commands import TEXT
from hookline.hooks._self_protect.guarded_paths import Guard
from hookline.hooks._self_protect.line_facts import Line, files
from hookline.hooks._self_protect.scripts import INTERPRETERS, SHELLS, script_at, started
from hookline.shell import UNKNOWN, SimpleCommand, Word
from hookline.shell.options import parse_options, word_set

_STARTING = word_set("BASH_ENV ENV PYTHONSTARTUP PERL5OPT RUBYOPT NODE_OPTIONS")
"""Variables that name a file to run at startup."""
_RUNNING = word_set(
    """PAGER GIT_PAGER MANPAGER EDITOR VISUAL GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_SSH GIT_SSH_COMMAND
    GIT_ASKPASS SSH_ASKPASS GIT_EXTERNAL_DIFF BROWSER PROMPT_COMMAND"""
)
"""Variables that name a program to run."""
_SPAWN = re.compile(r"\bspawn\s+(?:-\w+\s+)*")
_WORTH = re.compile(r"hook|AR_|AUTO|base64|rev|eval|[/~$`*?\\]")
"""Marks of a word that may hide or name something guarded; other words need no second reading."""
_BLANK = frozenset(" \t\n>")
_MOST_ORIGINS = 64
_MOST_EQUALS = 4


class Text(NamedTuple):
    """A text that may be run."""

    what: str
    text: str
    by_shell: bool
    """True if a shell reads it, False if an interpreter does."""
    sure: bool
    """True if it is certain to be run."""


def texts(command: SimpleCommand, line: Line, guard: Guard) -> Iterator[Text]:
    for path, text, shell in started(command, guard):
        yield Text(f"in {path}", text, by_shell=shell, sure=shell)
    yield from _fed(command, line, guard)
    yield from _settings(command, guard)
    if command.name in ("expect", "tclsh"):
        spawned = (_SPAWN.sub("", text) for text in (*(w.text for w in command.words[1:]), command.stdin))
        yield from (Text("run by expect", text, by_shell=True, sure=False) for text in spawned if " " in text)
    elif command.name == "git":
        yield from _configured(command)
    elif command.name in INTERPRETERS or not (command.name in TEXT or command.name in line.wrappers):
        yield from _worded(command)


def _configured(command: SimpleCommand) -> Iterator[Text]:
    """Yield the commands in git's configuration: aliases, pagers, editors, filters, helpers."""
    words = [word.text for word in command.words]
    for before, text in pairwise(words):
        if before == "-c":
            yield Text("in git's configuration", text.partition("=")[2].lstrip("!"), by_shell=True, sure=True)
    if "config" in words:
        for text in words[words.index("config") + 2 :]:
            yield Text("in git's configuration", text.lstrip("!"), by_shell=True, sure=True)


def _worded(command: SimpleCommand) -> Iterator[Text]:
    """Yield arguments that contain blanks, which many programs pass to a shell."""
    for word in _arguments(command):
        if _BLANK.isdisjoint(word.text) or _WORTH.search(word.text) is None:
            continue
        for text in (word.text, *_behind(word.text)):
            yield Text(f"in a word of `{command.name}`", text, by_shell=True, sure=False)


def _behind(text: str) -> list[str]:
    """Return the text after each of the first `=` of a word: `--eval=code`, `--action=exec=code`."""
    parts = text.split("=", _MOST_EQUALS)
    return ["=".join(parts[i:]) for i in range(1, len(parts))]


def _arguments(command: SimpleCommand) -> Sequence[Word]:
    """Return the arguments of the program; those of an interpreter start after its code."""
    if command.name not in INTERPRETERS:
        return command.words[1:]
    split = parse_options(command.words[1:], ("-c", "-e", "-E", "-r", "--eval", "-F", "-v"))
    return split.operands[1:] if command.name in ("awk", "gawk", "mawk") else split.operands


def _settings(command: SimpleCommand, guard: Guard) -> Iterator[Text]:
    """Yield the values of variables that make a program run something: pagers, editors, startup files."""
    exported = [word.text.partition("=") for word in command.words[1:] if command.name == "export"]
    for name, value in (*command.assignments, *((name, value) for name, _, value in exported)):
        if name in _STARTING:
            yield from (
                Text(f"by ${name}", text, by_shell=True, sure=True)
                for text in _contents([value], command, guard)
            )
        elif name in _RUNNING or any(blank in value for blank in " \t\n"):
            yield Text(f"by ${name}", value, by_shell=True, sure=False)


def _fed(command: SimpleCommand, line: Line, guard: Guard) -> Iterator[Text]:
    """Yield the content of files that are run through standard input: `sh < file`, `cat file | sh`."""
    first = command.words[0] if command.words else None
    unknown = first is not None and first.text.strip(UNKNOWN + " ") == "" and first.dynamic
    reads = UNKNOWN in command.stdin and (command.name in SHELLS or command.name in INTERPRETERS)
    paths: list[str] = []
    if reads:
        paths += [one.target.text for one in command.redirects if one.op in ("<", "<>")]
    if unknown or reads:
        origins = [
            *(first.origins if first is not None and unknown else ()),
            *(command.stdin_origins if reads else ()),
        ]
        paths += [path for number in sources(origins, line) for path in files(line.commands[number])]
    if unknown and "xargs" in command.via:
        paths += line.listed
    other = command.name in INTERPRETERS
    yield from (
        Text("in a file that is run", text, by_shell=not other, sure=not other)
        for text in _contents(paths, command, guard)
    )


def sources(origins: Sequence[int], line: Line) -> Iterator[int]:
    """Yield the numbers of the commands that a value comes from, directly or through others."""
    waiting, seen = list(origins), set[int]()
    while waiting and len(seen) < _MOST_ORIGINS:
        number = waiting.pop()
        if number in seen or number >= len(line.commands):
            continue
        seen.add(number)
        yield number
        waiting += line.behind(number)


def _contents(paths: Sequence[str], command: SimpleCommand, guard: Guard) -> Iterator[str]:
    found = (
        script_at(path, command.cwd or guard.cwd, guard)
        for path in dict.fromkeys(paths)
        if UNKNOWN not in path
    )
    return (text for text in found if text)


def origins_of(word: Word, traced: Sequence[Word]) -> tuple[int, ...]:
    """Return the origins of *word*, or of the *traced* word that it was cut from."""
    if word.origins or not word.dynamic:
        return word.origins
    return tuple(origin for one in traced if one.text.endswith(word.text) for origin in one.origins)


def traced(command: SimpleCommand) -> Sequence[Word]:
    """Return the words and redirection targets of *command* that come from another command, each once."""
    words = (*command.words, *(redirect.target for redirect in command.redirects))
    found = {(word.text, word.origins): word for word in reversed(words) if word.origins}
    return tuple(reversed(found.values()))
