"""Parse the errors that compilers, test runners and package managers print into one format."""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from hookline.lazy import re

_MAX_LINES = 5_000
"""Lines searched at each end of the output, so that very long output takes bounded time."""
_MAX_LENGTH = 400
"""Characters searched of each line; no tool prints an error's position further to the right."""
_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class Error(Struct, frozen=True, kw_only=True):
    tool: str
    message: str
    path: str = ""
    line: str = ""
    column: str = ""
    code: str = ""

    def __str__(self) -> str:
        """Return `path:line:column: code: message (tool)` without the unknown parts."""
        place = ":".join(part for part in (self.path, self.line, self.column) if part)
        return ": ".join(part for part in (place, self.code, self.message) if part) + f" ({self.tool})"


_PLACE = r"(?P<path>(?:[A-Za-z]:)?[^\s:()\[\]'\"]+):(?P<line>\d+)(?::(?P<column>\d+))?"
_PLACE_IN_PARENTHESES = r"(?P<path>[^\s()]+)\((?P<line>\d+),(?P<column>\d+)\)"
_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (tool, re.compile(pattern))
    for tool, pattern in (
        ("tsc", rf"{_PLACE_IN_PARENTHESES}: error (?P<code>TS\d+): (?P<message>.+)"),
        ("tsc", rf"{_PLACE} - error (?P<code>TS\d+): (?P<message>.+)"),
        ("msbuild", rf"{_PLACE_IN_PARENTHESES}: error (?P<code>\w+): (?P<message>.+)"),
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
"""Patterns of errors on one line, the most specific first."""
_MARKER = re.compile(r"error|ERR|FAIL|●|\*\*\*|\be: |\bE: |\.go:\d|YN\d|:\d+: [A-Z]")
"""Quick test: every such error line matches it, and few other lines do."""
_HEADS: Mapping[str, re.Pattern[str]] = {
    "rustc": re.compile(r"error(?:\[(?P<code>E\d+)\])?: (?P<message>.+)"),
    "eslint": re.compile(r"(?P<path>/?[\w.@/ -]+\.(?:[cm]?[jt]sx?|vue|svelte))$"),
    "python": re.compile(r'\s*File "(?P<path>[^"]+)", line (?P<line>\d+)'),
}
"""First line of errors that span several lines."""
_TAILS: Mapping[str, re.Pattern[str]] = {
    "rustc": re.compile(r"\s*--> (?P<path>[^:]+):(?P<line>\d+):(?P<column>\d+)"),
    "eslint": re.compile(
        r"\s+(?P<line>\d+):(?P<column>\d+)\s+error\s+(?P<message>.+?)(?:\s{2,}(?P<code>[\w@/-]+))?$"
    ),
    "python": re.compile(
        r"(?P<code>(?:\w+\.)*\w*(?:Error|Exception|Warning|Interrupt|Exit))(?:: (?P<message>.*))?$"
    ),
}
_SINGLE_TAIL = frozenset({"rustc", "python"})
"""Tools whose first line belongs to one last line only."""


def find_errors(text: str) -> list[Error]:
    """Return the distinct errors in *text*, in their order."""
    return list(dict.fromkeys(_iterate_errors(text)))


def _iterate_errors(text: str) -> Iterator[Error]:
    heads: dict[str, Mapping[str, str]] = {}
    lines = text.split("\n")
    for line in lines if len(lines) <= 2 * _MAX_LINES else lines[:_MAX_LINES] + lines[-_MAX_LINES:]:
        plain = _ESCAPES.sub("", line[:_MAX_LENGTH]).rstrip()
        if plain:
            error = _complete_error(plain, heads) or _match_line(plain)
            if error is not None:
                yield error
            _remember_head(plain, heads)


def _match_line(line: str) -> Error | None:
    if _MARKER.search(line) is None:
        return None
    for tool, pattern in _PATTERNS:
        match = pattern.match(line)
        if match is not None:
            return _build_error(tool, match.groupdict())
    return None


def _complete_error(line: str, heads: dict[str, Mapping[str, str]]) -> Error | None:
    """Return the error that *line* completes, given the first lines seen."""
    for tool, head in heads.items():
        match = _TAILS[tool].match(line)
        if match is not None:
            if tool in _SINGLE_TAIL:
                del heads[tool]
            return _build_error(tool, {**head, **{k: v for k, v in match.groupdict().items() if v}})
    return None


def _remember_head(line: str, heads: dict[str, Mapping[str, str]]) -> None:
    for tool, pattern in _HEADS.items():
        match = pattern.match(line)
        if match is not None:
            heads[tool] = {key: value for key, value in match.groupdict().items() if value}


def _build_error(tool: str, parts: Mapping[str, str | None]) -> Error:
    fields = {key: value.strip() for key, value in parts.items() if value}
    return Error(**{"message": "failed", **fields, "tool": tool})
