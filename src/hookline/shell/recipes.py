"""Programs that run commands from a file of their own: make, just, and package managers with scripts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from hookline.lazy import re
from hookline.shell.embedded import run_interpreter
from hookline.shell.options import Options, parse_options, word_set
from hookline.shell.quotes import decode_ansi
from hookline.shell.result import UNKNOWN
from hookline.shell.shell_state import (
    OPAQUE,
    Call,
    InnerCommand,
    Program,
    Result,
    ShellState,
    find_file,
    spend,
)
from hookline.shell.streams import write_file
from hookline.shell.wrappers import run_subcommand

MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
JUSTFILES = ("justfile", "Justfile", ".justfile")
_MAKE_VALUES = word_set(
    "-f -C -I -o -W --file --makefile --directory --include-dir --eval --old-file --what-if --justfile -d"
    " --working-directory"
)
_SHELL_CALL = re.compile(r"\$[({]shell[ \t]+([^)}\n]{0,500})|^\w+[ \t]*!=([^\n]*)", re.MULTILINE)
_RULE = re.compile(
    r"^([^\s#:=][^:=#\n]*+)::?(?!=)([^;\n]*(?:;[^\n]*)?)((?:\n(?:[ \t][^\n]*|#[^\n]*|(?=\n)))*)", re.MULTILINE
)
_VARIABLE = re.compile(r"^(?:export[ \t]+)?(\w+)[ \t]*[:?]?:?=[ \t]*([^\n#]*?)[ \t]*$", re.MULTILINE)
_AUTOMATIC = re.compile(r"\$[<@^*?+|%]")
"""A variable that make sets for each rule; its value is not known here."""
_REFERENCE = re.compile(r"(?<!\$)\$[({](\w+)[)}]")
_MAX_NESTED_VARIABLES = 4
_MAX_RECIPE = 100_000
_NPM_SHORTCUTS = {
    **dict.fromkeys(("t", "tst"), ("test",)),
    **dict.fromkeys(("i", "ci", "add", "install", "isntall"), ("install", "prepare")),
    **dict.fromkeys(("it", "cit", "install-test"), ("install", "prepare", "test")),
}
"""The scripts that the short commands of npm run."""
_RUN_SUBCOMMANDS = word_set("run run-script rum urn")


def _extract_recipe(
    text: str, settings: Mapping[str, str], targets: Iterable[str] | None, *, prints: bool
) -> str:
    """Return the commands in the recipes of a makefile or a justfile, one per line, with known variables.

    With *targets*, only the recipes that make them; without any target in it, those of the first one. With
    *prints*, only the commands that make runs while it reads the file.
    """
    if OPAQUE in text:
        return OPAQUE
    chosen = "" if prints else _select_rules(text, targets)
    lines = [line.strip().lstrip("@-+") for line in map(_extract_command, chosen.split("\n")) if line]
    lines += [match.group(1) or match.group(2) or "" for match in _SHELL_CALL.finditer(text)]
    variables = {**dict(_VARIABLE.findall(text)), **settings}
    code = "\n".join(lines)
    for _ in range(_MAX_NESTED_VARIABLES):
        if len(code) <= _MAX_RECIPE and "$" in code:
            code = _REFERENCE.sub(lambda match: variables.get(match[1], f"${{{match[1]}}}"), code)
    return _AUTOMATIC.sub("${_}", code.replace("$$", "\0")).replace("\0", "$")


def _select_rules(text: str, targets: Iterable[str] | None) -> str:
    """Return the rules of *targets* and of their prerequisites; all rules if one of them is not plain."""
    if targets is None:
        return text
    bodies: dict[str, str] = {}
    needs: dict[str, list[str]] = {}
    for match in _RULE.finditer(text):
        for name in match.group(1).split()[:1] if "=" in match.group(1) else match.group(1).split():
            bodies[name] = bodies.get(name, "") + match.group() + "\n"
            needs.setdefault(name, []).extend(match.group(2).partition("#")[0].split())
    if any("%" in name or "$" in name for name in bodies):
        return text
    first = next((name for name in bodies if not name.startswith(".")), None)
    waiting = list(targets) or ([first] if first is not None else [])
    selected = dict.fromkeys(waiting)
    for name in waiting:
        if name not in bodies:
            return text
        new = [need for need in needs[name] if need in bodies and need not in selected]
        waiting += new
        selected |= dict.fromkeys(new)
        if any("$" in need for need in needs[name]):
            return text
    return "".join(bodies[name] for name in selected)


def _extract_command(line: str) -> str:
    """Return the command in *line*: an indented line, or the text after `target: ;`."""
    if line[:1] in ("\t", " "):
        return line
    rule, _, command = line.partition(";")
    return command if ":" in rule and "=" not in rule and not rule.startswith("#") else ""


def find_package_scripts(text: str, words: list[str]) -> Iterator[str]:
    """Yield the scripts of a `package.json` that npm or a similar program runs for *words*."""
    if OPAQUE in text:
        yield OPAQUE
    if not words:
        return
    name = words[1] if words[0] in _RUN_SUBCOMMANDS and len(words) > 1 else words[0]
    try:
        scripts = json.loads(text).get("scripts", {})
    except (ValueError, AttributeError, RecursionError):
        return
    for key in (
        f"{prefix}{script}" for script in _NPM_SHORTCUTS.get(name, (name,)) for prefix in ("pre", "", "post")
    ):
        if isinstance(scripts, dict) and isinstance(scripts.get(key), str):
            yield scripts[key]


def _make(state: ShellState, call: Call) -> Result:
    options = parse_options(call.argv[1:], _MAKE_VALUES, mixed=True)
    pairs = (word.text.partition("=") for word in options.operands)
    settings = {name: value for name, equals, value in pairs if equals}
    named = [word.text for word in options.operands if "=" not in word.text]
    targets = None if any(UNKNOWN in name for name in named) else named
    extract = partial(
        _extract_recipe, settings=settings, targets=targets, prints=options.has(*_PRINT_OPTIONS)
    )
    inner = [
        InnerCommand("make", call.span, code=extract(text), exists=exists)
        for text, exists in _read_makefiles(state, call, options)
        if text and spend(state, len(text) >> 4)
    ]
    return Result(inner=tuple(inner))


def _read_makefiles(state: ShellState, call: Call, options: Options) -> Iterator[tuple[str, bool]]:
    """Yield the makefiles that the command reads, and whether each existed before the line."""
    paths = [value.text for name, value in options.options if value is not None and name in _MAKEFILE_OPTIONS]
    folder = options.value("-C", "--directory", "-d", "--working-directory")
    names = paths or (JUSTFILES if call.argv[0].text.endswith("just") else MAKEFILES)
    if "-" in paths:
        yield call.stdin, False
    for name in names:
        path = f"{folder.text}/{name}" if folder is not None and not name.startswith("/") else name
        content, exists = find_file(state, path) if name != "-" else (None, False)
        yield content or "", exists
    for name, value in options.options:
        if name == "--eval" and value is not None:
            yield value.text, False


_MAKEFILE_OPTIONS = word_set("-f --file --makefile --justfile")
_PRINT_OPTIONS = word_set("-n -q --just-print --dry-run --recon --question")
"""Options with which make prints the commands instead."""
_LIST_OPTIONS = word_set("-l --list --summary --show --dump --variables --groups --fmt")
"""Options with which just runs no recipe."""


def _just(state: ShellState, call: Call) -> Result:
    index = next(
        (position for position, word in enumerate(call.argv) if word.text in ("--command", "-c")), None
    )
    if index is None:
        lists = any(word.text in _LIST_OPTIONS for word in call.argv)
        return Result() if lists else _make(state, call)
    return Result(inner=(InnerCommand("just", call.span, call.argv[index + 1 :], stdin=call.stdin),))


def _run_package_manager(state: ShellState, call: Call, name: str) -> Result:
    result = run_subcommand(state, call, name)
    if [word.text for word in call.argv[1:3]] == ["pkg", "set"]:
        _set_scripts(state, [word.text for word in call.argv[3:]])
    text, exists = find_file(state, "package.json")
    if text is None or not spend(state, len(text) >> 4):
        return result
    words = [word.text for word in call.argv[1:] if not word.text.startswith("-")]
    scripts = tuple(
        InnerCommand("npm run", call.span, code=code, exists=exists)
        for code in find_package_scripts(text, words)
    )
    return result._replace(inner=result.inner + scripts)


def _set_scripts(state: ShellState, settings: Sequence[str]) -> None:
    """Store the scripts that `npm pkg set scripts.NAME=COMMAND` adds to `package.json`."""
    pairs = (text.removeprefix("scripts.").partition("=") for text in settings if text.startswith("scripts."))
    scripts = {name: command for name, _, command in pairs}
    if scripts:
        write_file(state, "package.json", json.dumps({"scripts": scripts}), append=False)


_SCRIPT_EDIT = re.compile(
    r"""\.?scripts(?:\.([\w:-]+)|\.?\[?"([^"]+)"\]?)\s*\|?=\s*(?:"((?:[^"\\]|\\.)*+)"|\$(\w+))"""
)
"""An assignment to a script of `package.json` in a program of jq or yq."""
_JOINED_LIST = re.compile(r"""\s*(?:\$(\w+)|(\[[^\]|]*\])\s*\|\s*join\((".*")\))\s*""")


def _join_literal(program: str, values: Mapping[str, str]) -> str | None:
    """Return the output of a jq program that prints a variable, or joins a literal list."""
    match = _JOINED_LIST.fullmatch(program)
    if match is None:
        return None
    if match[1]:
        return values.get(match[1])
    try:
        return str(json.loads(match[3])).join(json.loads(match[2])) + "\n"
    except (ValueError, TypeError, RecursionError):
        return None


def _edit_scripts(state: ShellState, call: Call) -> Result:
    """Return the scripts that a program of jq or yq sets, or write them to the file that it edits."""
    texts = [word.text for word in call.argv]
    if not spend(state, sum(map(len, texts)) >> 4):
        return Result()
    values = {texts[at + 1]: texts[at + 2] for at, text in enumerate(texts[:-2]) if text == "--arg"}
    edits = [match.groups() for text in texts if "scripts" in text for match in _SCRIPT_EDIT.finditer(text)]
    scripts = {
        name or quoted: values.get(variable, UNKNOWN) if variable else decode_ansi(text)
        for name, quoted, text, variable in edits
    }
    if not scripts:
        return Result(next(filter(None, (_join_literal(text, values) for text in texts[1:])), UNKNOWN))
    content = json.dumps({"scripts": scripts})
    if {"-i", "--inplace"} & {*texts}:
        write_file(state, texts[-1], content, append=False)
    return Result(content + "\n")


def _bun(state: ShellState, call: Call) -> Result:
    """Run bun, which is a package manager, a runner and an interpreter."""
    result = _run_package_manager(state, call, "bun")
    return result if result.inner else run_interpreter(state, call, "bun")


def _node(state: ShellState, call: Call) -> Result:
    """Run code, or a script of `package.json`: `node --run name`."""
    script = parse_options(call.argv[1:], ("--run",)).value("--run")
    if script is None:
        return run_interpreter(state, call, "node")
    return _run_package_manager(state, call._replace(argv=(call.argv[0], script)), "npm")


PROGRAMS: Mapping[str, Program] = {
    **dict.fromkeys(("make", "gmake", "bmake"), _make),
    "just": _just,
    **{name: partial(_run_package_manager, name=name) for name in ("npm", "pnpm", "yarn")},
    "bun": _bun,
    **dict.fromkeys(("jq", "gojq", "yq"), _edit_scripts),
    **dict.fromkeys(("node", "nodejs"), _node),
}
