"""Go programs, rewritten as JavaScript: statements differ little, and only calls of libraries matter."""

from __future__ import annotations

import re
from collections.abc import Callable

from hookline.shell.code.brace_languages import JAVASCRIPT
from hookline.shell.code.parser import parse_program
from hookline.shell.code.syntax import Body


def _name_parameters(match: re.Match[str]) -> str:
    names = [part.split()[0] for part in match[2].split(",") if part.strip()]
    return f"function {match[1] or ''}({', '.join(names)}) {{"


_REWRITES: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = tuple(
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


def parse_go(source: str) -> Body:
    """Return the statements of *source*, with a call of its main function."""
    for pattern, replacement in _REWRITES:
        source = pattern.sub(replacement, source)
    return parse_program(JAVASCRIPT, source + "\nmain();\n")
