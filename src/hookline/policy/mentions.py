"""Files and modules that a command or script names in its text.

It uses patterns instead of parsers because the text is untrusted: the time grows only with the length of the
text, and deep nesting cannot make it fail.
"""

import shlex
from collections.abc import Iterator, Mapping
from importlib.machinery import EXTENSION_SUFFIXES

from hookline.lazy import re

MODULE_SUFFIXES = (
    ".py",
    ".pyw",
    ".pyc",
    *EXTENSION_SUFFIXES,
    "/__init__.py",
    "/__init__.pyc",
    "/__main__.py",
)
CODE_SUFFIXES = (
    ".py",
    ".pyw",
    ".sh",
    ".bash",
    ".zsh",
    ".js",
    ".mjs",
    ".cjs",
    ".ts",
    ".mts",
    ".rb",
    ".pl",
    ".php",
)
SPECIFIER_SUFFIXES = ("", ".js", ".mjs", ".cjs", ".ts", ".mts", ".json", ".rb", "/index.js", "/index.ts")
"""Suffixes that other languages allow to omit when a script names a file."""
MAX_LENGTH, MAX_VALUE_LENGTH = 32 * 1024, 4 * 1024
"""Characters of a text that is expanded, and of a value; a longer value is cut."""
SET_FOR_HOOKS = ("HOOKLINE_EVENT", "HOOKLINE_SESSION_ID", "HOOKLINE_DEPTH", "PWD", "OLDPWD", "HOME", "USER")
"""Variables that name no file of the project, or whose folder is searched anyway."""

_PIECE = re.compile(r"[\w.@%+~/-]+")
_VARIABLE = re.compile(r"\$(?:([A-Za-z_]\w*+)|\{([A-Za-z_]\w*+)[^{}]*+\})")
_ASSIGNED = re.compile(r"(?<![\w$])([A-Za-z_]\w*)=([^\s;&|()]*)")
_LOOPED = re.compile(r"\bfor\s+([A-Za-z_]\w*)")
_HERE = re.compile(r"\$\((?:pwd|git rev-parse --show-toplevel)\)|`(?:pwd|git rev-parse --show-toplevel)`")
_PRINTED = re.compile(r"\$\(|`")
_RUN_MODULE = re.compile(r"(?<!\S)['\"]?-[A-Za-z]*m['\"]?\s*['\"]?([A-Za-z_][\w.]*)")
_IMPORT = re.compile(
    r"(?:^|[;:])[ \t]*(?:from\b([\w. \t]+?)\b)?import\b[ \t]*(\([^()]*+\)|[^\n;#]*)", re.MULTILINE
)
_NAMED_IMPORT = re.compile(r"(?:import_module|__import__|run_module)\(\s*['\"]([\w.]+)")
_COMMENT = re.compile(r"#[^\n]*")
_HOME = re.compile(r"(?<![\w/])~(?=/)")
_QUOTED = re.compile(r"['\"]([\w.@%+~/-]+)['\"]")


def path_pieces(text: str) -> list[str]:
    """Return all pieces that could be a path, without quotes, variables and operators."""
    pieces = _PIECE.findall(text) + _PIECE.findall(_VARIABLE.sub(" ", text))
    return pieces + [piece.lstrip("-") for piece in pieces if piece.startswith("-")]


def split_shell_words(text: str) -> list[str]:
    """Return the words as a shell would split them, without quotes."""
    if len(text) > MAX_LENGTH:
        return text.split()
    splitter = shlex.shlex(text, posix=True, punctuation_chars=True)
    splitter.whitespace_split, splitter.commenters = True, ""
    try:
        return list(splitter)
    except ValueError:
        return text.split()


def code_paths(text: str) -> list[str]:
    """Return quoted paths with a suffix of code."""
    return [path for path in _QUOTED.findall(text) if path.endswith(CODE_SUFFIXES)]


def specifiers(text: str) -> list[str]:
    """Return quoted paths relative to the file's folder, with every suffix that may be omitted."""
    relative = (path for path in _QUOTED.findall(text) if path.startswith(("./", "../")))
    return [path + suffix for path in relative for suffix in SPECIFIER_SUFFIXES]


def run_modules(text: str) -> list[str]:
    """Return the modules after `-m`."""
    return _RUN_MODULE.findall(text)


def imports(text: str) -> Iterator[str]:
    """Yield the modules that Python code imports; leading dots are relative, a final `.*` means all."""
    for package, names in _IMPORT.findall(text.replace("\\\n", " ")):
        origin = "".join(package.split())
        if origin.strip("."):
            yield origin
        parts = _COMMENT.sub("", names).strip("()").split(",")
        for name in (part.split()[0] for part in parts if part.split()):
            yield f"{origin}{'.' if origin.strip('.') else ''}{name}"
    yield from _NAMED_IMPORT.findall(text)


def expand(text: str, known: Mapping[str, str]) -> str:
    """Return *text* with the variables replaced whose values are *known* or that it sets itself."""
    if len(text) > MAX_LENGTH:
        return text
    text = _HERE.sub(".", _HOME.sub(lambda _: known.get("HOME", "~"), text) if "~/" in text else text)
    values = {**dict(_ASSIGNED.findall(text)), **known}
    values = {name: _substitute(value, values) for name, value in values.items()}
    return _substitute(text, values)


def _substitute(text: str, values: Mapping[str, str]) -> str:
    return _VARIABLE.sub(lambda match: values.get(match[1] or match[2], match[0])[:MAX_VALUE_LENGTH], text)


def unknown_inputs(text: str) -> list[str]:
    """Return the inputs of an expanded *text* that it does not define itself."""
    defined = {*SET_FOR_HOOKS, *_LOOPED.findall(text)}
    names = [match[1] or match[2] for match in _VARIABLE.finditer(text)]
    unknown = [f"${name}" for name in dict.fromkeys(names) if name not in defined]
    return unknown + (["the output of another command"] if _PRINTED.search(text) else [])


def language(path: str, text: str) -> str:
    """Return python, shell or other; empty for a file that is not a program."""
    shebang = text.partition("\n")[0] if text.startswith("#!") else ""
    suffix = path[path.rfind(".") :] if "." in path[path.rfind("/") + 1 :] else ""
    if suffix in (".py", ".pyw") or "python" in shebang:
        return "python"
    if suffix in (".sh", ".bash", ".zsh") or "sh" in shebang or not (suffix or shebang):
        return "shell"
    return "other" if suffix in CODE_SUFFIXES or shebang else ""
