"""Judge a command line: everything it would run, change or set, including the scripts that it starts."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from hookline.core.values import replace
from hookline.hooks._self_protect.code import find_commands, judge_code
from hookline.hooks._self_protect.commands import SWITCH, TEXT_PROGRAMS, judge_command
from hookline.hooks._self_protect.effects import Line, judge_effects
from hookline.hooks._self_protect.finding import Action, Finding
from hookline.hooks._self_protect.guarded_paths import NAMES, OURSELVES, Guard
from hookline.hooks._self_protect.processes import judge_processes
from hookline.hosts import AGENT_PROGRAMS
from hookline.shell import UNKNOWN, Problem, SimpleCommand, Word, read
from hookline.shell.effect_table import LANGUAGES, PROGRAMS
from hookline.shell.grammar import parse
from hookline.shell.options import parse_options, word_set
from hookline.shell.recipes import JUSTFILES, MAKEFILES, extract_recipe, find_package_scripts
from hookline.shell.syntax import Command

_MAX_DEPTH = 3
"""Maximum nesting of scripts that run scripts, and of code in strings of code."""
_MAX_FOLDERS = 32
_SHELLS = word_set("sh bash zsh dash ksh mksh ash fish")
_PACKAGE_MANAGERS = word_set("npm pnpm yarn bun node nodejs")
_STARTUP_VARIABLES = word_set("BASH_ENV ENV PYTHONSTARTUP PERL5OPT RUBYOPT NODE_OPTIONS")
_PROGRAM_VARIABLES = word_set(
    """PAGER GIT_PAGER MANPAGER EDITOR VISUAL GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_SSH GIT_SSH_COMMAND
    GIT_ASKPASS SSH_ASKPASS GIT_EXTERNAL_DIFF BROWSER PROMPT_COMMAND"""
)
_SPAWN = re.compile(r"\bspawn\s+(?:-\w+\s+)*")
_MARKS = re.compile(r"hookline|AR_DISABLE|AUTORESEARCH|settings|trust\.json|\brev\b|base64")
"""Marks that lead to a question in code that is nested too deep to follow."""
_RELEVANT = re.compile(r"hook|AR_|AUTO|base64|rev|eval|[/~$`*?\\]")
"""Marks of a word that may hide or name something guarded; other words need no second reading."""
_MAX_EQUALS = 4
_TEXT_PROGRAMS = frozenset((*TEXT_PROGRAMS, *PROGRAMS, *OURSELVES, *AGENT_PROGRAMS)) | word_set(
    "pytest tox nox npm pnpm yarn cargo go notify-send logger say man export read expr true false : set"
)
"""Programs that do not pass their arguments to a shell; the reader knows the exceptions."""
_CODE_FILES = (".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".php")


def judge_line(text: str, guard: Guard, depth: int = 0) -> Iterator[Finding]:
    """Yield a finding for everything that the line *text* does to the guards."""
    guard = replace(guard, links={}, copies={}, folders=[])
    line = Line(text=text, reading=read(text, cwd=guard.cwd, home=guard.home))
    for position, command in enumerate(line.commands):
        yield from judge_command(command, guard)
        yield from judge_effects(position, line, guard)
        yield from _judge_scripts(position, line, guard, depth)
        _follow(command, guard)
    yield from judge_processes(line, guard)
    yield from _judge_assignments(line)
    yield from _judge_problems(line.reading.problems)


def _judge_assignments(line: Line) -> Iterator[Finding]:
    """Yield a finding for an assignment without a command; the reader yields simple commands only."""
    for text in (line.text, *line.texts):
        name = next(_find_assigned(parse(text)[0]), None) if SWITCH.search(text) else None
        if name is not None and (text is line.text or line.wrappers):
            yield Finding(rule="switch", what=f"`{name}`")
            return


def _find_assigned(node: Any) -> Iterator[str]:
    if isinstance(node, Command) and not node.words:
        yield from (one.name for one in node.assignments if SWITCH.fullmatch(one.name))
    for part in node if isinstance(node, tuple) else ():
        if isinstance(part, tuple):
            yield from _find_assigned(part)


def _judge_problems(problems: Sequence[Problem]) -> Iterator[Finding]:
    for problem in problems:
        if any(name in problem.text for name in NAMES[:4]) or SWITCH.search(problem.text):
            yield Finding(rule="hidden", what=problem.reason, span=problem.span, action="ask")
            return


class Script(NamedTuple):
    """A text that a command may run besides the line itself."""

    what: str
    text: str
    by_shell: bool = True
    """True if a shell reads it, False if an interpreter does."""
    sure: bool = True
    """True if it is certain to be run."""


def _judge_scripts(position: int, line: Line, guard: Guard, depth: int) -> Iterator[Finding]:
    command = line.commands[position]
    inside = replace(guard, cwd=command.cwd or guard.cwd)
    for script in _find_scripts(position, line, inside):
        if depth >= _MAX_DEPTH:
            if _MARKS.search(script.text):
                yield Finding(rule="hidden", what="code in code", span=command.span, action="ask")
            continue
        judge = judge_line(script.text, inside, depth + 1) if script.by_shell else None
        for finding in judge or _judge_code(script.text, inside, depth):
            action: Action = finding.action if script.sure else "ask"
            yield replace(finding, what=f"{finding.what} {script.what}", span=command.span, action=action)


def _judge_code(text: str, guard: Guard, depth: int) -> Iterator[Finding]:
    """Judge code of another language: the files it changes, and the commands in its strings."""
    for rule, sure in judge_code(text, guard, guard.cwd):
        yield Finding(rule=rule, what="code", action="block" if sure else "ask")
    for inner in find_commands(text):
        if depth < _MAX_DEPTH:
            for finding in judge_line(inner, guard, depth + 1):
                yield replace(finding, what=f"{finding.what} in code", action="ask")
        elif _MARKS.search(inner):
            yield Finding(rule="hidden", what="code in code", action="ask")


def _find_scripts(position: int, line: Line, guard: Guard) -> Iterator[Script]:
    command = line.commands[position]
    if not command.words:
        return
    for path in _find_script_files(position, line, guard):
        yield from _read_script(path, command.name, guard)
    yield from _find_recipes(command, guard)
    yield from _find_settings(command, guard)
    if command.name in LANGUAGES:
        codes = [word.text for word in command.words[1:] if " " in word.text or "(" in word.text]
        codes += [command.stdin] if command.stdin and UNKNOWN not in command.stdin else []
        yield from (Script(f"that `{command.name}` runs", code, by_shell=False) for code in codes)
    if command.name in ("expect", "tclsh"):
        texts = (_SPAWN.sub("", text) for text in (*(w.text for w in command.words[1:]), command.stdin))
        yield from (Script("run by expect", text, sure=False) for text in texts if " " in text)
    elif command.name == "git":
        yield from _find_git_settings(command)
    elif command.name in LANGUAGES or command.name not in _TEXT_PROGRAMS | line.wrappers:
        yield from _find_code_words(command)


def _find_script_files(position: int, line: Line, guard: Guard) -> Iterator[str]:
    """Yield the files that the command runs: its program, a script, a module, or files on its input."""
    command = line.commands[position]
    first, name = command.words[0], command.name
    if "/" in first.text and name not in OURSELVES:
        yield first.text
    yield from (effect.path.text for effect in line.effects.get(position, ()) if effect.action == "run")
    options = parse_options(command.words[1:], ("-c", "-m", "-W", "-X", "-f", "-q", "-t"))
    module = options.value("-m") if name in ("python", "pypy") else None
    if module is not None:
        path = module.text.replace(".", "/")
        yield from (f"{path}.py", f"{path}/__main__.py")
    file = options.value("-f") if name in ("at", "batch", "awk", "gawk") else None
    yield from [file.text] if file is not None else []
    unknown = first.dynamic and first.text.strip(UNKNOWN + " ") == ""
    reads = UNKNOWN in command.stdin and name in _SHELLS | LANGUAGES
    if reads:
        yield from (one.target.text for one in command.redirects if one.op in ("<", "<>"))
    origins = (*(first.origins if unknown else ()), *(command.stdin_origins if reads else ()))
    for origin in line.trace(origins):
        yield from _find_read_files(line.commands[origin])
    for other in line.commands if unknown and "xargs" in command.via else ():
        yield from _find_read_files(other) if other.name == "xargs" else ()


def _find_read_files(command: SimpleCommand) -> Iterator[str]:
    yield from (one.target.text for one in command.redirects if one.op in ("<", "<>"))
    yield from (word.text for word in parse_options(command.words[1:], mixed=True).operands)
    yield from (word.text.lstrip("-a") for word in command.words[1:] if command.name == "xargs")


def _read_script(path: str, program: str, guard: Guard) -> Iterator[Script]:
    text = guard.script(posixpath.join(guard.cwd, path)) if UNKNOWN not in path else ""
    if text:
        first = text.partition("\n")[0]
        named = first.startswith("#!") and any(one in first for one in LANGUAGES)
        other = program in LANGUAGES or named or path.endswith(_CODE_FILES)
        yield Script(f"in {path}", text, by_shell=not other, sure=not other)


def _find_recipes(command: SimpleCommand, guard: Guard) -> Iterator[Script]:
    """Yield the commands of makefiles, justfiles and package scripts that exist."""
    if command.name in ("make", "gmake", "just"):
        values = ("-f", "-C", "--file", "--directory", "-j", "--justfile", "-d")
        options = parse_options(command.words[1:], values, mixed=True)
        folder, given = options.value("-C", "--directory", "-d"), options.value("-f", "--file", "--justfile")
        names = (given.text,) if given else JUSTFILES if command.name == "just" else MAKEFILES
        base = posixpath.join(guard.cwd, folder.text if folder else "")
        texts = (guard.script(posixpath.join(base, name)) for name in names)
        yield from (Script(f"in {names[-1]}", extract_recipe(text)) for text in filter(None, texts))
    elif command.name in _PACKAGE_MANAGERS:
        texts = (word.text.removeprefix("--run=") for word in command.words[1:])
        words = [text for text in texts if not text.startswith("-")]
        text = guard.script(posixpath.join(guard.cwd, "package.json")) if words else ""
        yield from (Script("in package.json", code) for code in find_package_scripts(text, words))


def _find_settings(command: SimpleCommand, guard: Guard) -> Iterator[Script]:
    """Yield the values of variables that make a program run something: pagers, editors, startup files."""
    exported = [word.text.partition("=") for word in command.words[1:] if command.name == "export"]
    for name, value in (*command.assignments, *((name, value) for name, _, value in exported)):
        if name in _STARTUP_VARIABLES:
            yield from (one._replace(by_shell=True, sure=True) for one in _read_script(value, "", guard))
        elif name in _PROGRAM_VARIABLES or any(blank in value for blank in " \t\n"):
            yield Script(f"by ${name}", value, sure=False)


def _find_git_settings(command: SimpleCommand) -> Iterator[Script]:
    """Yield the commands in git's configuration: aliases, pagers, editors, filters, helpers."""
    words = [word.text for word in command.words]
    values = [text.partition("=")[2] for before, text in pairwise(words) if before == "-c"]
    values += words[words.index("config") + 2 :] if "config" in words else []
    yield from (Script("in git's configuration", value.lstrip("!")) for value in values)


def _find_code_words(command: SimpleCommand) -> Iterator[Script]:
    """Yield arguments that contain blanks, which many programs pass to a shell."""
    words: Sequence[Word] = command.words[1:]
    if command.name in LANGUAGES:
        words = parse_options(words, ("-c", "-e", "-E", "-r", "--eval", "-F", "-v")).operands
        words = words[1:] if command.name in ("awk", "gawk", "mawk") else words
    for text in (word.text for word in words if any(blank in word.text for blank in " \t\n>")):
        parts = text.split("=", _MAX_EQUALS) if _RELEVANT.search(text) else []
        for start in range(len(parts)):
            code = "=".join(parts[start:])
            yield Script(f"in a word of `{command.name}`", code, sure=False)


def _follow(command: SimpleCommand, guard: Guard) -> None:
    """Record the links and copies that the line makes, and the folders that it enters."""
    options = parse_options(command.words[1:], ("-t", "--target-directory", "-S", "-o", "-m"), mixed=True)
    operands = options.operands
    if command.cwd is None or not operands:
        return
    paths = [posixpath.normpath(posixpath.join(command.cwd, word.text)) for word in operands]
    if command.name in ("cd", "chdir", "pushd") and not operands[0].dynamic:
        whole = posixpath.join(command.cwd, operands[0].text)
        real = guard.real(whole)
        if real not in (paths[0], *guard.folders) and len(guard.folders) < _MAX_FOLDERS:
            guard.folders.append(real)
        guard.folders.extend(guard.stand_ins(whole) if operands[0].glob else ())
    elif command.name in ("cp", "install") and len(paths) > 1:
        guard.copies[paths[-1]] = paths[0]
    elif command.name in ("ln", "link", "mount") and len(paths) > 1:
        for source in operands[:-1]:
            for base in (posixpath.dirname(paths[-1]), command.cwd):
                target = posixpath.normpath(posixpath.join(base, source.text))
                guard.links[posixpath.join(paths[-1], posixpath.basename(target))] = target
            guard.links[paths[-1]] = target
