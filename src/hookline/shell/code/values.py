"""Values of evaluated code, and the state of its evaluation.

A text is a `str` in which `UNKNOWN` stands for an unknown part; a value of which nothing is known is
`UNKNOWN` too. Numbers, lists and mappings are those of Python, with bounded sizes.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Mapping
from itertools import islice, product
from typing import NamedTuple, TypeAlias, TypeVar

from msgspec import Struct, field

from hookline.lazy import re
from hookline.shell.code.syntax import Assign, Body, Class, Function, If, Name, Node
from hookline.shell.result import UNKNOWN as UNKNOWN  # noqa: PLC0414 -- exported
from hookline.shell.result import Action

T = TypeVar("T")
Value: TypeAlias = object
Arguments: TypeAlias = list[Value]
Keywords: TypeAlias = Mapping[str, Value]

TREE = UNKNOWN + "\x01"
"""A path of any depth below a folder."""
ITEM = UNKNOWN + "\x02"
"""The name of any item of a folder."""
CAPTURED = UNKNOWN + "\x03"
"""The output of a command or a download; a character with its number follows."""
_FIRST_CAPTURED = 0xE000
_MAX_CAPTURED = 200
MAX_TEXT = 65_536
"""Maximum characters of one text; a longer one is unknown."""
MAX_ITEMS = 1_000
"""Maximum items of a list, and rounds of a loop over known items."""
MAX_OPTIONS = 12
"""Maximum values of one expression."""
_MAX_BITS = 4_000
_WORK_CHUNK = 64
_CAPTURED_MARK = re.compile(f"{CAPTURED}([\ue000-\uf8ff])")
_WILDCARD = re.compile(r"\[[^\]]*\]|\{[^}]*\}|[*?]+")


class Reference(NamedTuple):
    """A module, class or function of a library, by its full name."""

    name: str


class PathValue(NamedTuple):
    text: str


class Choice(NamedTuple):
    """One of several values."""

    options: tuple[Value, ...]


class FileValue(NamedTuple):
    path: str
    mode: str


class Method(NamedTuple):
    """A method of a built-in value."""

    receiver: Value
    name: str


class Partial(NamedTuple):
    """A function with its first arguments."""

    function: Value
    arguments: tuple[Value, ...]
    keywords: tuple[tuple[str, Value], ...] = ()


class Program(NamedTuple):
    """A program, or an object of a library that runs git, by the first words and the names after them."""

    words: tuple[Value, ...]
    members: tuple[str, ...] = ()


class Scope(Struct, eq=False):
    """The variables of one call of a function."""

    parent: Scope | None = None
    names: dict[str, Value] = field(default_factory=dict)
    returned: list[Value] = field(default_factory=list)
    yielded: list[Value] = field(default_factory=list)


class FunctionValue(Struct, eq=False):
    node: Function
    scope: Scope
    instance: Value = None


class ClassValue(Struct, eq=False):
    node: Class
    members: dict[str, Value]
    bases: list[Value]


class Instance(Struct, eq=False):
    cls: ClassValue
    attributes: dict[str, Value] = field(default_factory=dict)


class Environment(dict[str, Value]):
    """The environment variables; those without a known value are unknown."""


class Effect(NamedTuple):
    """An action of code on a path or address."""

    action: Action
    path: str
    recursive: bool = False


class CodeCommand(NamedTuple):
    """A command that code runs: the text for a shell, or its arguments."""

    text: str | None = None
    argv: tuple[str, ...] = ()
    cwd: str = ""
    """The working directory, if the code changes it."""
    settings: tuple[tuple[str, str], ...] = ()
    stdin: str = ""


class CodeProblem(NamedTuple):
    """A part of the code that was not evaluated, and the reason."""

    reason: str
    text: str


class OutOfWork(Exception):
    """All work is used up."""


class CodeState(Struct, kw_only=True, eq=False):
    """All that is known at one point of the evaluation of code."""

    language: str
    cwd: str
    home: str
    environment: Environment
    argv: tuple[str, ...]
    stdin: str
    files: Mapping[str, str]
    spend: Callable[[int], bool]
    call: Callable[[CodeState, Value, Arguments, Keywords], Value]
    """Calls a value; passed in because library functions call functions of the code."""
    evaluate: Callable[[CodeState, Node], Value]
    run_code: Callable[[CodeState, str], Value]
    """Evaluates text as code of the same language."""
    find_member: Callable[[CodeState, Value, str], Value]
    scope: Scope = field(default_factory=Scope)
    folder: str = ""
    """The working directory, after the code changed it."""
    work: int = 0
    depth: int = 0
    nesting: int = 0
    """Number of enclosing `eval` calls."""
    uncertain: int = 0
    """Number of enclosing loops that run an unknown number of times."""
    calls: list[Function] = field(default_factory=list)
    """Functions being evaluated."""
    called: set[int] = field(default_factory=set)
    functions: list[FunctionValue] = field(default_factory=list)
    star_modules: list[str] = field(default_factory=list)
    lists_folders: bool = False
    """True if the code lists a folder."""
    calls_unknown: bool = False
    """True if the code calls a function that is not known."""
    changed_variables: dict[str, str] = field(default_factory=dict)
    captured: list[str] = field(default_factory=list)
    """Commands whose output is a value of the code, as text for a shell."""
    defaults: dict[str, Value] = field(default_factory=dict)
    """Defaults of command-line options, by name."""
    commands: list[CodeCommand] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
    output: list[str] = field(default_factory=list)
    written: dict[str, str] = field(default_factory=dict)
    problems: list[CodeProblem] = field(default_factory=list)


def count_work(state: CodeState, units: int) -> None:
    """Use up *units* of work; raise `OutOfWork` if none are left."""
    state.work += units
    if state.work >= _WORK_CHUNK:
        units, state.work = state.work, 0
        if not state.spend(units):
            raise OutOfWork


def report(state: CodeState, reason: str, text: str) -> bool:
    """Record a part that was not evaluated; return False, because the rest of the code is."""
    state.problems.append(CodeProblem(reason, text))
    return False


def bound_text(state: CodeState, text: str) -> str:
    """Return *text*, or unknown if it is too long; the work grows with its length."""
    count_work(state, len(text) >> 6)
    return text if len(text) <= MAX_TEXT else UNKNOWN


def to_text(value: Value) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, PathValue | FileValue):
        return value[0]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value) if not isinstance(value, int) or value.bit_length() <= _MAX_BITS else UNKNOWN
    if isinstance(value, Choice):
        return to_text(value.options[0])
    return UNKNOWN


def find_texts(value: Value) -> list[str]:
    """Return the possible texts of *value*."""
    if isinstance(value, Choice):
        return list(dict.fromkeys(to_text(option) for option in value.options))
    return [to_text(value)]


def to_items(value: Value) -> list[Value]:
    """Return the items of a list, mapping or known text; otherwise one unknown item."""
    if isinstance(value, list):
        return value[:MAX_ITEMS]
    if isinstance(value, Environment):
        return [UNKNOWN]
    if isinstance(value, dict):
        return list(value)[:MAX_ITEMS]
    if isinstance(value, Choice):
        return [item for option in value.options for item in to_items(option)][:MAX_ITEMS]
    if isinstance(value, str) and UNKNOWN not in value:
        return list(value[:MAX_ITEMS])
    is_marked = isinstance(value, str) and any(mark in value for mark in (CAPTURED, ITEM, TREE))
    return [value if is_marked else UNKNOWN]


def to_list(state: CodeState, value: Value) -> list[Value]:
    """Return the items of *value*; only some languages split a text into characters."""
    if state.language == "php" and isinstance(value, dict):
        return list(value.values())
    if isinstance(value, FileValue) and value.path == "/dev/stdin":
        return list(state.stdin.splitlines()[:MAX_ITEMS]) if state.stdin else [UNKNOWN]
    splits = state.language in ("python", "javascript") or not isinstance(value, str)
    return to_items(value) if splits else [value]


def is_known(value: Value) -> bool:
    return isinstance(value, int | float) or (isinstance(value, str) and UNKNOWN not in value)


def find_truth(value: Value) -> bool | None:
    """Return the truth of *value*, or None if it is not known."""
    if value is None:
        return False
    return bool(value) if is_known(value) else None


def choose(values: Iterable[Value]) -> Value:
    """Return one value that is any of *values*."""
    found: list[Value] = []
    for value in values:
        for option in value.options if isinstance(value, Choice) else (value,):
            if not any(option is other or (is_known(option) and option == other) for other in found):
                found.append(option)
    if not found:
        return UNKNOWN
    return found[0] if len(found) == 1 else Choice(tuple(found[:MAX_OPTIONS]))


def distribute(function: Callable[..., Value], *values: Value) -> Value:
    """Call *function* with each combination of the options of *values*."""
    if not any(isinstance(value, Choice) for value in values):
        return function(*values)
    options = [value.options if isinstance(value, Choice) else (value,) for value in values]
    return choose([function(*items) for items in islice(product(*options), MAX_OPTIONS)])


def join_paths(base: str, *parts: str) -> str:
    """Return the path *base* extended by *parts*; an absolute part replaces those before it."""
    return posixpath.join(base, *parts)


def remove_marks(text: str) -> str:
    """Return *text* with plain unknown parts in place of items of folders."""
    if UNKNOWN not in text:
        return text
    return _CAPTURED_MARK.sub(UNKNOWN, text.replace(ITEM, UNKNOWN).replace(TREE, UNKNOWN))


def to_any_depth(value: Value) -> Value:
    """Return a path below an item of a folder as one of any depth, for a function that calls itself."""
    if isinstance(value, str | PathValue) and ITEM in (text := to_text(value)):
        path = text.partition(ITEM)[0] + TREE
        return PathValue(path) if isinstance(value, PathValue) else path
    return value


def capture(state: CodeState, command: str) -> str:
    """Return the unknown output of *command*, with a mark that refers to it."""
    if len(state.captured) >= _MAX_CAPTURED:
        return UNKNOWN
    state.captured.append(command)
    return CAPTURED + chr(_FIRST_CAPTURED + len(state.captured) - 1)


def substitute_captured(state: CodeState, text: str) -> str:
    """Return *text* with a command substitution in the place of each output of a command."""
    return _CAPTURED_MARK.sub(lambda match: f'"$({state.captured[ord(match[1]) - _FIRST_CAPTURED]})"', text)


def find_parent(path: str) -> str:
    stripped = path.rstrip("/")
    if not stripped:
        return path
    head, slash, tail = stripped.rpartition("/")
    if slash:
        return head or "/"
    return UNKNOWN if UNKNOWN in tail else "."


def translate_pattern(pattern: str) -> str:
    """Return a pattern of file names as a path with unknown parts."""
    parts = []
    for part in pattern.split("/"):
        if part == "**":
            parts.append(TREE)
        elif part == "*":
            parts.append(ITEM)
        else:
            parts.append(_WILDCARD.sub(UNKNOWN, part))
    text = "/".join(parts)
    return "./" + text if text.startswith(UNKNOWN) else text


def list_items(state: CodeState, folder: str, *, recursive: bool, joined: bool) -> list[Value]:
    """Return the one unknown item that stands for all items of *folder*."""
    state.lists_folders = True
    name = TREE if recursive else ITEM
    return [PathValue(join_paths(folder or ".", name))] if joined else [name]


def name_table(table: Mapping[str, T]) -> dict[str, T]:
    """Return *table* with an entry for each of the names in a key."""
    return {name: value for names, value in table.items() for name in names.split()}


def forget_numbers(state: CodeState, body: Body) -> None:
    """Make numbers unknown that *body* changes, because they differ in each round."""
    for node in body:
        count_work(state, 1)
        if isinstance(node, Assign) and isinstance(node.target, Name):
            if isinstance(state.scope.names.get(node.target.name), int | float):
                state.scope.names[node.target.name] = UNKNOWN
        elif isinstance(node, If):
            forget_numbers(state, node.then + node.otherwise)


def find_folder(state: CodeState) -> str:
    """Return the working directory."""
    return state.folder or state.cwd or UNKNOWN


def expand_home(state: CodeState, path: str) -> str:
    """Return *path* with a leading `~` replaced by the home directory."""
    return state.home + path[1:] if path == "~" or path.startswith("~/") else path


def resolve_path(state: CodeState, path: str) -> str:
    """Return *path* as a normalised absolute path."""
    return posixpath.normpath(join_paths(find_folder(state), path)) if path else find_folder(state)


def is_certain(item: Value) -> bool:
    parts = item if isinstance(item, list) else [item]
    return not any(isinstance(part, str | PathValue | Choice) and UNKNOWN in to_text(part) for part in parts)
