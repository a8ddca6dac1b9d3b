"""What a text mentions: the files and modules that a command or a script names, whatever it does with them.

Read by patterns and not by parsers, because the text may be anybody's: each takes time that grows with the
text alone, and none can be brought down by how deep something is nested.
"""

import re
import shlex
from collections.abc import Iterator, Mapping
from importlib.machinery import EXTENSION_SUFFIXES

MODULE_ENDINGS = (".py", ".pyw", ".pyc", *EXTENSION_SUFFIXES, "/__init__.py", "/__init__.pyc", "/__main__.py")
CODE = (".py", ".pyw", ".sh", ".bash", ".zsh", ".js", ".mjs", ".cjs", ".ts", ".mts", ".rb", ".pl", ".php")
SPECIFIER_ENDINGS = ("", ".js", ".mjs", ".cjs", ".ts", ".mts", ".json", ".rb", "/index.js", "/index.ts")
"""What may be left out where a script in another language names a file beside it."""
LONGEST, LONGEST_VALUE = 32 * 1024, 4 * 1024
"""Characters: beyond, a text is taken as it stands, and a value cut."""
SET_FOR_HOOKS = ("HOOKLINE_EVENT", "HOOKLINE_SESSION_ID", "HOOKLINE_DEPTH", "PWD", "OLDPWD", "HOME", "USER")
"""Variables that name nothing of the project, or that are looked up in every folder anyway."""

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


def pieces(text: str) -> list[str]:
    """All that could be a path, without quotes, variables and operators around it."""
    found = _PIECE.findall(text) + _PIECE.findall(_VARIABLE.sub(" ", text))
    return found + [one.lstrip("-") for one in found if one.startswith("-")]


def words(text: str) -> list[str]:
    """The words as a shell would split them, quotes taken off."""
    if len(text) > LONGEST:
        return text.split()
    splitter = shlex.shlex(text, posix=True, punctuation_chars=True)
    splitter.whitespace_split, splitter.commenters = True, ""
    try:
        return list(splitter)
    except ValueError:
        return text.split()


def code_paths(text: str) -> list[str]:
    """Quoted paths that end like code."""
    return [one for one in _QUOTED.findall(text) if one.endswith(CODE)]


def specifiers(text: str) -> list[str]:
    """Quoted paths that begin in the file's own folder, with every ending that may have been left out."""
    near = (one for one in _QUOTED.findall(text) if one.startswith(("./", "../")))
    return [one + ending for one in near for ending in SPECIFIER_ENDINGS]


def run_modules(text: str) -> list[str]:
    """What `-m` names."""
    return _RUN_MODULE.findall(text)


def imports(text: str) -> Iterator[str]:
    """The modules that a text in Python imports; dots in front are relative, `.*` at the end is all of it."""
    for package, names in _IMPORT.findall(text.replace("\\\n", " ")):
        origin = "".join(package.split())
        if origin.strip("."):
            yield origin
        listed = _COMMENT.sub("", names).strip("()").split(",")
        for name in (part.split()[0] for part in listed if part.split()):
            yield f"{origin}{'.' if origin.strip('.') else ''}{name}"
    yield from _NAMED_IMPORT.findall(text)


def expanded(text: str, known: Mapping[str, str]) -> str:
    """*text* with the variables whose values are *known*, or that it sets itself."""
    if len(text) > LONGEST:
        return text
    text = _HERE.sub(".", _HOME.sub(lambda _: known.get("HOME", "~"), text) if "~/" in text else text)
    values = {**dict(_ASSIGNED.findall(text)), **known}
    values = {name: _put_in(value, values) for name, value in values.items()}
    return _put_in(text, values)


def _put_in(text: str, values: Mapping[str, str]) -> str:
    return _VARIABLE.sub(lambda found: values.get(found[1] or found[2], found[0])[:LONGEST_VALUE], text)


def doubts(text: str) -> list[str]:
    """Upon what an expanded *text* depends that it does not say itself."""
    told = {*SET_FOR_HOOKS, *_LOOPED.findall(text)}
    names = [found[1] or found[2] for found in _VARIABLE.finditer(text)]
    found = [f"${name}" for name in dict.fromkeys(names) if name not in told]
    return found + (["what another command prints"] if _PRINTED.search(text) else [])


def language(path: str, text: str) -> str:
    """python, shell or other; empty for what is no program."""
    first = text.partition("\n")[0] if text.startswith("#!") else ""
    ending = path[path.rfind(".") :] if "." in path[path.rfind("/") + 1 :] else ""
    if ending in (".py", ".pyw") or "python" in first:
        return "python"
    if ending in (".sh", ".bash", ".zsh") or "sh" in first or not (ending or first):
        return "shell"
    return "other" if ending in CODE or first else ""
