"""Find the errors that compilers, test runners and package managers print, and bring them to one shape."""

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct

_MOST_LINES = 5_000
"""Lines at either end that are searched: an output of a hundred thousand errors is not read to the last."""
_LOOKED_AT = 400
"""Characters of a line; no tool puts the place of an error further to the right."""
_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class Error(Struct, frozen=True, kw_only=True):
    tool: str
    message: str
    path: str = ""
    line: str = ""
    column: str = ""
    code: str = ""

    def __str__(self) -> str:
        """`path:line:column: code: message (tool)`, without what is not known."""
        place = ":".join(part for part in (self.path, self.line, self.column) if part)
        return ": ".join(part for part in (place, self.code, self.message) if part) + f" ({self.tool})"


_PLACE = r"(?P<path>(?:[A-Za-z]:)?[^\s:()\[\]'\"]+):(?P<line>\d+)(?::(?P<column>\d+))?"
_CALLED = r"(?P<path>[^\s()]+)\((?P<line>\d+),(?P<column>\d+)\)"
_LINES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (tool, re.compile(pattern))
    for tool, pattern in (
        ("tsc", rf"{_CALLED}: error (?P<code>TS\d+): (?P<message>.+)"),
        ("tsc", rf"{_PLACE} - error (?P<code>TS\d+): (?P<message>.+)"),
        ("msbuild", rf"{_CALLED}: error (?P<code>\w+): (?P<message>.+)"),
        ("mypy", rf"{_PLACE}: error: (?P<message>.+?)  \[(?P<code>[\w-]+)\]"),
        ("compiler", rf"{_PLACE}: (?:fatal )?error: (?P<message>.+)"),
        ("javac", r"(?P<path>[^\s:]+\.(?:java|kt|scala)):(?P<line>\d+): error: (?P<message>.+)"),
        ("maven", r"\[ERROR\] (?P<path>[^\s:]+):\[(?P<line>\d+),(?P<column>\d+)\] (?P<message>.+)"),
        ("kotlinc", r"e: (?:file://)?(?P<path>[^\s:]+):(?P<line>\d+):(?P<column>\d+):? (?P<message>.+)"),
        ("ruff", rf"{_PLACE}: (?P<code>[A-Z]{{1,4}}\d{{2,4}}) (?P<message>.+)"),
        ("go", r"(?P<path>[^\s:]+\.go):(?P<line>\d+):(?P<column>\d+): (?P<message>.+)"),
        ("go test", r"\s*--- FAIL: (?P<path>\S+) \((?P<message>[\d.]+s)\)"),
        ("pytest", r"(?:FAILED|ERROR) (?P<path>\S+::\S+)(?: - (?P<message>.+))?"),
        ("cargo test", r"test (?P<path>\S+) \.\.\. (?P<message>FAILED)"),
        ("jest", r"\s*● (?P<path>.+? › .+)"),
        ("npm", r"npm (?:ERR!|error) code (?P<code>\S+)"),
        ("npm", r"npm (?:ERR!|error) (?P<message>(?!A complete log|code |errno |syscall |path )\S.+)"),
        ("pnpm", r"\s*(?P<code>ERR_PNPM_\w+)\s+(?P<message>.+)"),
        ("yarn", r"(?:➤ )?(?P<code>YN\d{4}): (?P<message>.*(?:error|failed|couldn't|can't).*)"),
        ("pip", r"ERROR: (?P<message>.+)"),
        ("apt", r"E: (?P<message>.+)"),
        ("cargo", r"error: (?P<message>(?:could not compile|failed to|no matching package).+)"),
        (
            "make",
            r"make\S*: \*\*\* (?:\[(?:(?P<path>[^\s:\]]+):(?P<line>\d+): )?[^\]]*\])?(?P<message>.+)",
        ),
    )
)
"""Errors of one line, the more particular shapes first."""
_SIGN = re.compile(r"error|ERR|FAIL|●|\*\*\*|\be: |\bE: |\.go:\d|YN\d|:\d+: [A-Z]")
"""One of these is in every such line, and in few others."""
_HEADS: Mapping[str, re.Pattern[str]] = {
    "rustc": re.compile(r"error(?:\[(?P<code>E\d+)\])?: (?P<message>.+)"),
    "eslint": re.compile(r"(?P<path>/?[\w.@/ -]+\.(?:[cm]?[jt]sx?|vue|svelte))$"),
    "python": re.compile(r'\s*File "(?P<path>[^"]+)", line (?P<line>\d+)'),
}
"""The first line of those that take two or more."""
_TAILS: Mapping[str, re.Pattern[str]] = {
    "rustc": re.compile(r"\s*--> (?P<path>[^:]+):(?P<line>\d+):(?P<column>\d+)"),
    "eslint": re.compile(
        r"\s+(?P<line>\d+):(?P<column>\d+)\s+error\s+(?P<message>.+?)(?:\s{2,}(?P<code>[\w@/-]+))?$"
    ),
    "python": re.compile(
        r"(?P<code>(?:\w+\.)*\w*(?:Error|Exception|Warning|Interrupt|Exit))(?:: (?P<message>.*))?$"
    ),
}
_ONCE = frozenset({"rustc", "python"})
"""Heads that belong to one tail only."""


def found(text: str) -> list[Error]:
    """The errors in *text*, in its order, each once."""
    return list(dict.fromkeys(_errors(text)))


def _errors(text: str) -> Iterator[Error]:
    heads: dict[str, Mapping[str, str]] = {}
    lines = text.split("\n")
    for line in lines if len(lines) <= 2 * _MOST_LINES else lines[:_MOST_LINES] + lines[-_MOST_LINES:]:
        plain = _ESCAPES.sub("", line[:_LOOKED_AT]).rstrip()
        if plain:
            error = _continued(plain, heads) or _single(plain)
            if error is not None:
                yield error
            _remember(plain, heads)


def _single(line: str) -> Error | None:
    if _SIGN.search(line) is None:
        return None
    for tool, pattern in _LINES:
        matched = pattern.match(line)
        if matched is not None:
            return _error(tool, matched.groupdict())
    return None


def _continued(line: str, heads: dict[str, Mapping[str, str]]) -> Error | None:
    """The error that *line* completes, of those whose first line was seen."""
    for tool, head in heads.items():
        matched = _TAILS[tool].match(line)
        if matched is not None:
            if tool in _ONCE:
                del heads[tool]
            return _error(tool, {**head, **{k: v for k, v in matched.groupdict().items() if v}})
    return None


def _remember(line: str, heads: dict[str, Mapping[str, str]]) -> None:
    for tool, pattern in _HEADS.items():
        matched = pattern.match(line)
        if matched is not None:
            heads[tool] = {key: value for key, value in matched.groupdict().items() if value}


def _error(tool: str, parts: Mapping[str, str | None]) -> Error:
    known = {key: value.strip() for key, value in parts.items() if value}
    return Error(**{"message": "failed", **known, "tool": tool})
