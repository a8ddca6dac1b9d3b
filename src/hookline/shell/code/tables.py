"""The table of library functions as mappings, and constants of libraries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from hookline.shell.code.functions import FUNCTION_FAMILIES, FUNCTIONS, Function
from hookline.shell.code.library_table import ALL_LANGUAGES, GO, JAVASCRIPT, PERL, PHP, PYTHON, RUBY
from hookline.shell.code.path_functions import PATH_FUNCTIONS
from hookline.shell.code.values import (
    UNKNOWN,
    CodeState,
    FileValue,
    Value,
    find_folder,
    find_parent,
    name_table,
    resolve_path,
)
from hookline.shell.options import word_set

_LANGUAGES = {"python": PYTHON, "javascript": JAVASCRIPT, "perl": PERL, "ruby": RUBY, "php": PHP, "go": GO}
_DISTINCT_NAMES = word_set(
    """run exec_command
    system popen Popen check_call check_output getoutput getstatusoutput rmtree remove_tree rm_rf rm_r
    remove_entry_secure rimraf emptyDir execv execvp execve shell_exec passthru proc_open execFile execa
    read_text read_bytes write_text write_bytes unlink readFile writeFile appendFile capture2 capture3"""
)


_FUNCTIONS = {**FUNCTIONS, **PATH_FUNCTIONS}


class LibraryCall(NamedTuple):
    action: str
    positions: tuple[int, ...]


def _read_table(text: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield the kind, the parameters and the names of each entry."""
    for entry in text.replace("\n  ", " ").strip().splitlines():
        head, _, names = entry.partition(": ")
        kind, *parameters = head.split()
        yield kind, parameters, names.split()


def _find_calls(text: str) -> dict[str, LibraryCall]:
    return {
        name: LibraryCall(kind, tuple(map(int, parameters)))
        for kind, parameters, names in _read_table(text)
        if parameters and parameters[0].isdecimal()
        for name in names
    }


def _find_functions(text: str) -> dict[str, Function]:
    return {
        name: FUNCTION_FAMILIES[kind](*parameters) if kind in FUNCTION_FAMILIES else _FUNCTIONS[kind]
        for kind, parameters, names in _read_table(text)
        if not parameters or not parameters[0].isdecimal()
        for name in names
    }


CALLS: Mapping[str, Mapping[str, LibraryCall]] = {
    language: _find_calls(text) for language, text in _LANGUAGES.items()
}
"""The library calls with effects of each language, by full name."""
METHODS_OF_ANY: Mapping[str, Mapping[str, LibraryCall]] = {
    language: {
        last: call for name, call in table.items() if (last := name.rpartition(".")[2]) in _DISTINCT_NAMES
    }
    for language, table in CALLS.items()
}
"""Calls with a name that has one meaning, so that they are found on objects of unknown origin."""
LIBRARY_FUNCTIONS: Mapping[str, Function] = _find_functions(ALL_LANGUAGES)
LANGUAGE_FUNCTIONS: Mapping[str, Mapping[str, Function]] = {
    language: _find_functions(text) for language, text in _LANGUAGES.items()
}
"""Functions whose names have another meaning in other languages."""
MODULE_NAMES = name_table(
    {
        "fs/promises fs-extra graceful-fs": "fs",
        "shelljs/global sh": "shelljs",
        "path/posix path.posix": "path",
    }
)

PROGRAM_PREFIXES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(
        ("python:sh.", "python:plumbum.cmd.", "python:plumbum.local.cmd.", "python:plumbum.local."), ()
    ),
    "javascript:shelljs.": (),
    **dict.fromkeys(
        ("python:dulwich.porcelain.", "javascript:isomorphic-git.", "javascript:nodegit.Reset."), ("git",)
    ),
}
"""Prefixes of functions that run a program, by language, and the words before the rest of the name."""

GIT_METHODS: Mapping[str, str] = name_table(
    {
        "execute raw run command command_oneline command_noisy RUN exec lib": "",
        "reset_hard hard_reset": "reset --hard",
        "delete_head delete_branch deleteLocalBranch": "branch -D",
        "delete_tag": "tag -d",
        "checkout_head checkout_tree checkout_index": "checkout",
    }
)
"""Methods of libraries for git whose names are not those of its commands."""

PREFIXES = name_table(
    {
        "posixpath. ntpath.": "os.path.",
        "_io. builtins. __builtins__. Kernel. CORE::": "",
        "globalThis. window. global. process.mainModule. module.": "",
    }
)
"""Prefixes of names that stand for other prefixes."""

_CONSTANTS: Mapping[str, Value] = name_table(
    {
        "sys.stdin $stdin STDIN process.stdin ARGF": FileValue("/dev/stdin", "r"),
        "sys.stdout $stdout STDOUT process.stdout": FileValue("/dev/stdout", "w"),
        "sys.stderr $stderr STDERR process.stderr": FileValue("/dev/stderr", "w"),
        "os.sep path.sep os.path.sep DIRECTORY_SEPARATOR File.SEPARATOR": "/",
        "os.linesep os.EOL PHP_EOL": "\n",
        "os.devnull": "/dev/null",
        "os.name": "posix",
        "os.O_RDONLY os.O_CREAT os.O_EXCL fs.constants.O_RDONLY": 0,
        "os.O_WRONLY os.O_TRUNC fs.constants.O_WRONLY O_WRONLY": 1,
        "os.O_RDWR os.O_APPEND fs.constants.O_RDWR O_RDWR": 2,
        **{
            f"stat.S_I{kind}{who}": bits << 3 * place
            for place, who in enumerate(("OTH", "GRP", "USR"))
            for kind, bits in (("R", 4), ("W", 2), ("X", 1))
        },
        "stat.S_IRWXO": 0o7,
        "stat.S_IRWXG": 0o70,
        "stat.S_IRWXU": 0o700,
        "os.curdir": ".",
        "os.pardir": "..",
        "__name__": "__main__",
        "sys.executable": "python3",
        "process.execPath": "node",
        "string.ascii_lowercase": "abcdefghijklmnopqrstuvwxyz",
        "require.main module": UNKNOWN,
    }
)


def _find_script(state: CodeState) -> str:
    if not state.argv or state.argv[0].startswith("-"):
        return UNKNOWN
    return resolve_path(state, state.argv[0])


def _find_script_folder(state: CodeState) -> str:
    script = _find_script(state)
    return find_folder(state) if script == UNKNOWN else find_parent(script)


_VARIABLES: Mapping[str, Callable[[CodeState], Value]] = name_table(
    {
        "os.environ os.environb process.env ENV %ENV $_ENV $_SERVER Bun.env": lambda state: state.environment,
        "sys.argv $argv": lambda state: list(state.argv),
        "process.argv": lambda state: ["node", *state.argv],
        "ARGV @ARGV Deno.args": lambda state: list(state.argv[1:]),
        "__file__ __filename __FILE__ $0 import.meta.url import.meta.filename": _find_script,
        "__dirname __DIR__ __dir__ import.meta.dirname": _find_script_folder,
    }
)


def find_constant(state: CodeState, name: str) -> Value | None:
    """Return the value of a constant or variable of a library, by its full name; None if it has none."""
    if name in _CONSTANTS:
        return _CONSTANTS[name]
    finder = _VARIABLES.get(name)
    return finder(state) if finder is not None else None
