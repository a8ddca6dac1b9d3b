"""The state of an evaluation: variables, functions, files that the line wrote, commands found so far."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase
from typing import NamedTuple, TypeAlias

from msgspec import Struct, field

from hookline.lazy import re
from hookline.shell.result import NO_FACTS, UNKNOWN, Effect, Facts, Problem, SimpleCommand, Word
from hookline.shell.source import MAX_NESTING
from hookline.shell.syntax import Code, Node, Span, Steps

MAX_WRAPPERS = 8
"""Maximum nesting of programs that run programs; real lines stay under five."""
MAX_TEXT = 131_072
"""Maximum characters of one value, so that doubling a value repeatedly cannot fill the memory."""
MAX_ALTERNATIVES = 48
"""Maximum values of one variable that are evaluated: items of a loop, results of branches."""
MAX_COMMANDS = 1_000
"""Maximum simple commands of one line, at about 200 microseconds each in all guards."""
_MANY_NUMBERS = 8
"""Numbers of a sequence that are evaluated."""
MAX_PROBLEMS = 16
"""Maximum problems that are recorded; one is enough to ask the user."""
_MATCH_ALL_GLOB = re.compile(r"(\.?/|[^*?\[]*/|(?!.*/))(?:\*|\.\*|\*\*|\.\[!\.\]\*|\?\*)/?")
"""A pattern that matches everything in a folder."""
_WILDCARDS = re.compile(r"(?:[*?]|\[[^\]/]*\]|[@+]\([^()]*\))+")
_SCRATCH_FOLDERS = ("/tmp/", "/var/tmp/")
MAX_FILES = 200
"""Maximum files written by one line whose content is remembered."""
_PROGRAM_FOLDERS = tuple("/usr/bin/ /usr/sbin/ /usr/lib/ /usr/share/ /bin/ /sbin/ /lib/ /dev/".split())
"""Folders of installed programs, whose scripts are known by name."""
FILE_PREFIX = re.compile("[@=<]")
"""Characters before a file name in a word: `@file`, `--from=file`, `name=<file`."""
_FIRST_MARK = 0xF0000
UNSET = UNKNOWN + "\U000ffffd"
"""The value of a variable that nothing in the line sets: it may be empty."""
OPAQUE = UNKNOWN + "\U000ffffb"
"""Start of a value that the line fixes, but that is too large or encoded; running it must ask."""
HOLE = "\U000ffffc"
"""An unset item of an array before a set one."""
_MARK_RUN = re.compile("[\U000f0000-\U000ffffd]+")
_BLANKS_AND_MARKS = re.compile("[\0\U000f0000-\U000ffffd\\s]*")
_UNMARKED_OPAQUE = re.compile(OPAQUE + "(?![\U000f0000-\U000ffffd])")
_UNMARKED_UNKNOWN = re.compile("\0(?![\U000f0000-\U000ffffd])")


class ShellState(Struct, kw_only=True):
    """All that is known at one point of the evaluation of a line."""

    line: str
    home: str
    work_left: int
    """Units of work left for parsing and evaluation, at about a microsecond each; data costs next to none."""
    commands_limit: int = MAX_COMMANDS
    """Number of recorded commands at which the evaluation ends."""
    facts: Facts = NO_FACTS
    wants_facts: bool = False
    """True if the result depends on facts."""
    code_work_left: int = 80_000
    """Units of work left for code of other languages, at about three microseconds each."""
    evaluate: Callable[[ShellState, Steps, str], str]
    """Evaluates commands; passed in because words contain commands and commands contain words."""
    variables: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The possible values of each variable; an empty tuple means unset. Names of arrays end in `[]`."""
    undo_log: list[tuple[str, tuple[str, ...] | None]] = field(default_factory=list)
    """The previous values of each assigned name, so that a subshell can be undone in the time it took."""
    namerefs: dict[str, str] = field(default_factory=dict)
    """Names that refer to another variable: `declare -n`."""
    functions: dict[str, Node] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    """Contents of the files written by this line, by absolute path."""
    file_names: set[str] = field(default_factory=set)
    """The names of those files without folders, for a quick check of each word."""
    sinks: dict[str, Code] = field(default_factory=dict)
    """The commands that read from a `>(…)`, by its path."""
    commands: list[SimpleCommand] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    code_effects: list[Effect] = field(default_factory=list)
    """Effects of code in other languages on files."""
    unfed: set[int] = field(default_factory=set)
    """Indices of the commands at the end of a pipe through which nothing comes."""
    outputs: dict[int, tuple[int, bool]] = field(default_factory=dict)
    """For each command with a redirected output, the index after the commands that print it, and whether
    they print nothing."""
    traps: list[InnerCommand] = field(default_factory=list)
    """Commands of `trap`, which run when the shell ends."""
    fork_bombs: list[Span] = field(default_factory=list)
    runners: Mapping[str, Callable[[ShellState, Call], Result]] = field(default_factory=dict)
    """Further programs that run their arguments, besides those in the program table."""
    scopes: list[dict[str, tuple[str, ...]]] = field(default_factory=list)
    """For each function being evaluated, the outer values of its local variables."""
    via: tuple[str, ...] = ()
    call_stack: tuple[Node | str, ...] = ()
    """Function bodies and alias texts being evaluated, to prevent recursion."""
    background_depth: int = 0
    """Number of enclosing commands that run in the background or in a pipe."""
    background_depth_at_call: dict[str, int] = field(default_factory=dict)
    """For each function being evaluated, that number at its call."""
    scripts: dict[str, tuple[int, int]] = field(default_factory=dict)
    """For each script being evaluated, by code and arguments, that number and how often it starts itself."""
    existing_script: str = ""
    """The script being evaluated that existed before the line; empty outside of one."""
    reads: dict[str, int] = field(default_factory=dict)
    """Number of lines that `read` has taken from each input."""
    loop_condition: bool = False
    """True in the condition of a loop, where `read` takes every line in turn."""
    depth: int = 0
    wrapper_depth: int = 0
    alternative: int = 0
    """Index of the value that is evaluated, of each variable with several values."""
    alternative_count: int = 1
    """Largest number of values of a variable that was used since the last reset to one."""


class InnerCommand(NamedTuple):
    """A command line or argument list that a program would run."""

    via: str
    span: Span
    argv: tuple[Word, ...] = ()
    code: str | None = None
    stdin: str = ""
    args: tuple[str, ...] | None = None
    """The positional parameters of *code*, from `$0` on."""
    subshell: bool = True
    settings: tuple[tuple[str, str], ...] = ()
    """Variables that are set for this command only."""
    exists: bool = False
    """True if the code is a file that existed before the line."""


class Result(NamedTuple):
    """The output of a program, or the commands it runs in turn."""

    output: str = UNKNOWN
    inner: tuple[InnerCommand, ...] = ()


class Call(NamedTuple):
    """A call of a program, whose name is first in *argv*."""

    argv: tuple[Word, ...]
    stdin: str
    span: Span


Program: TypeAlias = Callable[[ShellState, Call], Result]


def unknown_output(state: ShellState) -> str:
    """Return an unknown text that is marked as output of the last recorded command."""
    return UNKNOWN + chr(_FIRST_MARK + len(state.commands) - 1)


def is_unknown(text: str) -> bool:
    """Return whether nothing of *text* is known, except blanks."""
    return OPAQUE not in text and _BLANKS_AND_MARKS.fullmatch(text) is not None


def attribute_unknown(text: str, mark: str) -> str:
    """Return *text* with *mark* on its unknown parts that have no mark yet."""
    if text == UNKNOWN:
        return mark
    if OPAQUE in text:
        text = _UNMARKED_OPAQUE.sub(lambda match: match.group() + mark.removeprefix(UNKNOWN), text)
    return _UNMARKED_UNKNOWN.sub(mark, text) if UNKNOWN in text else text


def split_origins(state: ShellState, text: str) -> tuple[str, tuple[int, ...]]:
    """Return *text* without its marks, and the indices of the commands they refer to."""
    marks = [] if text.isascii() else _MARK_RUN.findall(text)
    if not marks:
        return text, ()
    indices = dict.fromkeys(ord(char) - _FIRST_MARK for char in "".join(marks))
    return _MARK_RUN.sub("", text), tuple(index for index in indices if index < len(state.commands))


def set_variable(state: ShellState, name: str, value: str) -> None:
    """Set a variable; each further alternative adds its value to that of the first."""
    name = state.namerefs.get(name, name) if state.namerefs else name
    old = state.variables.get(name)
    new: tuple[str, ...] = (value if len(value) <= MAX_TEXT else OPAQUE,)
    if state.alternative and old:
        new = tuple(dict.fromkeys(new + old))[:MAX_ALTERNATIVES]
    set_values(state, name, new)


def set_values(state: ShellState, name: str, values: tuple[str, ...]) -> None:
    """Set the possible values of *name*, or the items of an array, and log the old ones."""
    state.undo_log.append((name, state.variables.get(name)))
    state.variables[name] = values


def limit_values(values: Iterable[str]) -> tuple[str, ...]:
    """Return the different *values* of a loop, some of many numbers; if too many, the last is opaque."""
    different = tuple(dict.fromkeys(values))
    if len(different) <= _MANY_NUMBERS:
        return different
    if "".join(different).isdecimal():
        return different[: _MANY_NUMBERS // 2] + different[-_MANY_NUMBERS // 2 :]
    return different if len(different) <= MAX_ALTERNATIVES else (*different[: MAX_ALTERNATIVES - 1], OPAQUE)


def rollback(state: ShellState, checkpoint: int) -> None:
    """End a subshell: undo all assignments since the undo log had *checkpoint* entries."""
    while len(state.undo_log) > checkpoint:
        name, old = state.undo_log.pop()
        if old is None:
            state.variables.pop(name, None)
        else:
            state.variables[name] = old


def lookup(state: ShellState, name: str) -> str | None:
    """Return the value of *name* in the current alternative; None if it is unset."""
    values = state.variables.get(name)
    if values is None:
        return UNKNOWN
    if len(values) > 1:
        state.alternative_count = max(state.alternative_count, len(values))
        return values[min(state.alternative, len(values) - 1)]
    return values[0] if values else None


def unset_value(state: ShellState) -> str:
    """Return the value of a variable that the line does not set; an existing script may set it elsewhere."""
    return UNKNOWN if state.existing_script else UNSET


def read_file(state: ShellState, path: str) -> str:
    """Return the content of a file that this line wrote; that of all others is unknown."""
    absolute = resolve(state, path)
    return "" if absolute == "/dev/null" else state.files.get(absolute, UNKNOWN)


def store_file(state: ShellState, path: str, content: str) -> None:
    """Remember the *content* of the file at the absolute *path*."""
    state.files[path] = content if len(content) <= MAX_TEXT else OPAQUE
    state.file_names.add(posixpath.basename(path))


def find_written_files(state: ShellState, pattern: str, names: Iterable[str] = ("*",)) -> list[str]:
    """Return the files written by this line that match *pattern* and one of *names*."""
    if UNKNOWN in pattern or not spend(state, len(state.files)):
        return []
    absolute = resolve(state, pattern)
    return [
        path
        for path in state.files
        if fnmatchcase(path, absolute) and any(fnmatchcase(posixpath.basename(path), name) for name in names)
    ][:MAX_ALTERNATIVES]


def list_matches(word: Word) -> str:
    """Return a word of a list; a match of `folder/*` may be anything in it, as dangerous as the whole."""
    if not word.glob:
        return word.text
    match = _MATCH_ALL_GLOB.fullmatch(word.text)
    if match is not None and match.group(1) not in _SCRATCH_FOLDERS:
        return (match.group(1) or "./") + UNSET
    return _WILDCARDS.sub(UNKNOWN, word.text)


def cwd(state: ShellState) -> str:
    return lookup(state, "PWD") or UNKNOWN


def resolve(state: ShellState, path: str) -> str:
    """Return *path* as a normalised absolute path, as far as it is known."""
    return posixpath.normpath(posixpath.join(cwd(state), path))


def spend(state: ShellState, units: int) -> bool:
    """Use up *units* of work; return False, and record one problem, if none are left."""
    if state.work_left < 0:
        return False
    state.work_left -= units
    if len(state.commands) >= state.commands_limit:
        state.work_left = -1
    if state.work_left < 0:
        add_problem(state, "too complex to evaluate", state.line, (0, len(state.line)))
    return state.work_left >= 0


def add_problem(state: ShellState, reason: str, text: str, span: Span, *, by_words: bool = False) -> None:
    """Record a problem; in a script that existed before the line, only its words matter."""
    if len(state.problems) < MAX_PROBLEMS:
        text, by_words = (state.existing_script, True) if state.existing_script else (text, by_words)
        state.problems.append(Problem(reason=reason, text=text, span=span, by_words=by_words))


def find_file(state: ShellState, path: str) -> tuple[str | None, bool]:
    """Return the content of a file that the line executes, and whether it existed before the line."""
    absolute = resolve(state, path)
    content = state.files.get(absolute)
    is_path = absolute.startswith("/") and UNKNOWN not in absolute
    if content is not None or not is_path or absolute.startswith(_PROGRAM_FOLDERS):
        return content, False
    state.wants_facts = True
    return state.facts.read_script(absolute), True


def written_content(state: ShellState, argv: tuple[Word, ...]) -> str:
    """Return the contents of the files that *argv* names, of those that the line wrote."""
    texts: list[str] = []
    for word in argv[1:] if state.files else ():
        path = FILE_PREFIX.split(word.text)[-1]
        written = posixpath.basename(path) in state.file_names
        content = state.files.get(resolve(state, path)) if written else None
        if content and UNKNOWN not in path and spend(state, len(content) >> 4):
            texts.append(content[:MAX_TEXT])
    return "\n".join(texts)


def repeat_script(state: ShellState, script: str, span: Span) -> str:
    """Leave out a script that runs itself; starting itself twice in the background is a fork bomb."""
    depth, starts = state.scripts[script]
    starts += state.background_depth > depth
    state.scripts[script] = depth, starts
    if starts > 1:
        state.fork_bombs.append(span)
    return UNKNOWN


def too_deep(state: ShellState) -> bool:
    return state.depth >= MAX_NESTING or state.wrapper_depth >= MAX_WRAPPERS
