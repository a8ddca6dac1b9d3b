"""Evaluation of Python, JavaScript, Perl, Ruby, PHP and Go code: the commands it runs, and its use of files.

The code is not run. Values that are known only at run time are unknown, and both branches of a condition
are followed. The work is counted, so that the result does not depend on the speed of the machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from hookline.lazy import re
from hookline.shell.code.actions import apply_call
from hookline.shell.code.brace_languages import JAVASCRIPT, PHP
from hookline.shell.code.evaluate import call, evaluate, run
from hookline.shell.code.lookup import find_member
from hookline.shell.code.parser import parse_program
from hookline.shell.code.perl import PERL
from hookline.shell.code.python import parse_python
from hookline.shell.code.ruby import RUBY
from hookline.shell.code.syntax import Body
from hookline.shell.code.tables import LibraryCall
from hookline.shell.code.values import (
    CAPTURED,
    UNKNOWN,
    CodeCommand,
    CodeProblem,
    CodeState,
    Effect,
    Environment,
    OutOfWork,
    Value,
    remove_marks,
    resolve_path,
)

__all__ = ["LANGUAGES", "CodeCommand", "CodeProblem", "CodeResult", "Effect", "analyze"]

_MAX_NESTED_CODE = 4
"""Maximum nesting of `eval` and `exec`."""


class CodeResult(NamedTuple):
    """All that code does, as far as it is known."""

    commands: tuple[CodeCommand, ...] = ()
    effects: tuple[Effect, ...] = ()
    output: str = ""
    """The printed text, with unknown parts."""
    files: Mapping[str, str] = {}
    """Contents of the files that it writes, by absolute path."""
    problems: tuple[CodeProblem, ...] = ()


def analyze(  # noqa: PLR0913 -- all that the result depends on
    language: str,
    source: str,
    *,
    cwd: str,
    home: str,
    environment: Mapping[str, str],
    argv: tuple[str, ...],
    stdin: str,
    files: Mapping[str, str],
    spend: Callable[[int], bool],
) -> CodeResult:
    """Return the commands, file effects and output of *source*, and the parts that were not evaluated.

    *files* are contents of files that are known, by absolute path. *spend* is called with units of work, and
    returns False when none are left.
    """
    state = CodeState(
        language=language,
        cwd=cwd,
        home=home,
        environment=Environment(environment),
        argv=argv,
        stdin=stdin,
        files=files,
        spend=spend,
        call=call,
        evaluate=evaluate,
        run_code=_run_nested,
        find_member=find_member,
    )
    try:
        if spend(len(source)):
            run(state, _PARSERS[language](source))
    except OutOfWork:
        state.problems.append(CodeProblem("code is too complex to evaluate", source))
    except RecursionError:
        state.problems.append(CodeProblem("code is nested too deeply", source))
    return CodeResult(
        commands=tuple(dict.fromkeys(state.commands)),
        effects=tuple(dict.fromkeys(_find_effects(state, source))),
        output=remove_marks("".join(state.output)),
        files={path: remove_marks(text) for path, text in state.written.items() if UNKNOWN not in path},
        problems=tuple(state.problems),
    )


def _find_effects(state: CodeState, source: str) -> Iterator[Effect]:
    """Yield the effects, with `truncate` for the writes of files that are empty in the end."""
    appends = state.language == "ruby" and "<<" in source  # changes a text, which is not followed
    emptied = {remove_marks(path) for path, text in state.written.items() if not text and not appends}
    for effect in state.effects:
        empties = effect.action == "write" and resolve_path(state, effect.path) in emptied
        yield effect._replace(action="truncate") if empties else effect


def _run_nested(state: CodeState, source: str) -> Value:
    """Evaluate *source* in the same language, with the variables of the code around it."""
    if CAPTURED in source:
        apply_call(state, LibraryCall("shell", (0,)), ["eval " + source[source.index(CAPTURED) :]], {})
    if UNKNOWN in source[:1] or state.nesting >= _MAX_NESTED_CODE or not state.spend(len(source)):
        return UNKNOWN
    state.nesting += 1
    run(state, _PARSERS[state.language](source))
    state.nesting -= 1
    return UNKNOWN


def _name_parameters(match: re.Match[str]) -> str:
    names = [part.split()[0] for part in match[2].split(",") if part.strip()]
    return f"function {match[1] or ''}({', '.join(names)}) {{"


_GO_REWRITES: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = tuple(
    (re.compile(pattern, re.MULTILINE), replacement)
    for pattern, replacement in (
        (r"^package .*$|^import[ \t]+(?:\([^)]{0,2000}\)|\"[^\"\n]*\")", ""),
        (r"\bfunc[ \t]*(?:\([^()\n]{0,80}\) )?(\w+)?\(([^()\n]{0,200})\)[^{\n]{0,80}\{", _name_parameters),
        (r"\[\][\w.]{1,40}\{([^{}]{0,2000})\}", r"[\1]"),
        (r"\bfor \w+, (\w+) :?= range ([^{\n]{1,200}?)[ \t]*\{", r"for (const \1 of \2) {"),
        (r"\bfor ([^{;\n]{0,80};[^{;\n]{0,80};[^{\n]{0,80}?)[ \t]*\{", r"for (\1) {"),
        (r"\bfor[ \t]*\{", "while (true) {"),
        (r"\bif ([^{;\n]{1,200}?)(?:;[^{\n]{0,80})?[ \t]*\{", r"if (\1) {"),
        (r"^([ \t]*(?:if \()?)([\w.]{1,80})(?:, \w+)+ :?= ", r"\1\2 = "),
        (r":=", "="),
        (r"^([ \t]*)(?:defer|go) ", r"\1"),
        (r"^([ \t]*)var (\w+)[^=\n]{0,80}=", r"\1\2 ="),
    )
)


def _parse_go(source: str) -> Body:
    """Return the statements of a Go program, rewritten as JavaScript, with a call of its main function."""
    for pattern, replacement in _GO_REWRITES:
        source = pattern.sub(replacement, source)
    return parse_program(JAVASCRIPT, source + "\nmain();\n")


_PARSERS: Mapping[str, Callable[[str], Body]] = {
    "python": parse_python,
    "javascript": partial(parse_program, JAVASCRIPT),
    "perl": partial(parse_program, PERL),
    "ruby": partial(parse_program, RUBY),
    "php": partial(parse_program, PHP),
    "go": _parse_go,
}
LANGUAGES = frozenset(_PARSERS)
