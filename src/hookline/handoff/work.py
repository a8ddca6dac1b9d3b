"""Find the files that differ at the end of a session, and the commands worth repeating."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterator, Sequence

from hookline.core.conversation import ToolResult, ToolUse, TranscriptEntry
from hookline.lazy import re
from hookline.shell import SimpleCommand, read

_CHANGES_FILES = re.compile(r"\b(?:git|rm|sed|perl|mv|cp|tee)\b|>")
"""Quick test for the commands that are parsed."""
_SOURCE_FILE = re.compile(
    r"(?!/|~|\.\./)[^\0*?\s]+\.(?!log$|txt$|out$|json$|csv$|tmp$|gz$|patch$|diff$)\w{1,8}"
)
"""Relative paths that a shell command changes for good; others are output."""
_EVERYTHING = frozenset({".", "*", ":/", "-A", "--all", "-u"})
_CHECKS = re.compile(
    r"\b(?:tests?|spec|check|lint\w*|build|bench|plan|validate|verify|mypy|ruff|tsc|pytest|jest|vitest|ctest"
    r"|clippy|rspec|rubocop|eslint|pyright|phpunit|latexmk|hadolint|shellcheck|tox|nox|make|typecheck|e2e"
    r"|playwright|cypress|analyze)\b|^kubectl\b.*\b(?:get|top|logs|rollout status)\b"
)
_UNINFORMATIVE = re.compile(
    r"^(?:\w+=\S+ )*(?:git|ls|cat|grep|rg|find|head|tail|echo|cd|pwd|which|ps|kill|sleep|mkdir|cp|mv|rm|touch"
    r"|chmod|curl|wget|ssh|scp|sed|awk|wc|du|df|env|export|source|gh|time|for|while|do|done|then|fi|tar|unzip"
    r"|man|date|sqlite3|jq)\b|--version\b| -V$|--help\b"
)
_OUTPUT_PART = re.compile(r"\s*(?:\d?>&?\d?\S*\s*)*(?:\|.*|2>&1.*|>\s*/dev/null.*)$", re.DOTALL)
_COMMIT = re.compile(r"""\bgit\b[^|;&]*\bcommit\b[^|;&]*?\s-[a-z]*m\s*(?:"([^"]+)"|'([^']+)')""")
_SEPARATOR = re.compile(r"\s*(?:&&|;)\s*")
_TAG = re.compile(r"(?<= -t )\S+|(?<=--tag[ =])\S+")
_SHORTEST_NAME = 5


def pair_calls(entries: Sequence[TranscriptEntry]) -> Iterator[tuple[ToolUse, ToolResult]]:
    """Yield each tool call with its result, in the order of the results."""
    calls = {entry.call: entry for entry in entries if isinstance(entry, ToolUse)}
    for result in entries:
        if isinstance(result, ToolResult) and result.call in calls:
            yield calls[result.call], result


class Files:
    """The files that a session changed, without those that it restored, deleted or committed."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.changed: dict[str, None] = {}
        self.reverted: dict[str, tuple[str, ...]] = {}
        """The files that each call restored."""
        self.committed_in = ""
        """The call that made the last commit."""
        self._call = ""
        self._added: set[str] = set()
        self._stashed: dict[str, None] = {}

    def follow(self, use: ToolUse) -> None:
        self._call = use.call
        if use.path and use.kind in ("edit", "write"):
            path = use.path.removeprefix(f"{self.root}/") if self.root else use.path
            self.changed.pop(path, None)
            self.changed[path] = None
        elif use.command and _CHANGES_FILES.search(use.command):
            reading = read(use.command, cwd=self.root)
            for command in reading.commands:
                if command.name in _FOLLOWED:
                    self._follow_command(command, [word.text for word in command.words[1:]])
            for effect in reading.effects:
                by = reading.commands[effect.command].name
                changes = by not in _FOLLOWED and effect.action in ("edit", "write")
                if changes and _SOURCE_FILE.fullmatch(effect.path.text):
                    self.changed[effect.path.text] = None

    def _follow_command(self, command: SimpleCommand, words: list[str]) -> None:
        if command.name == "rm":
            self._remove(self._match(words))
        elif "mv" in (command.name, *words[:1]):
            self._move([word for word in words if word != "mv" and not word.startswith("-")])
        else:
            self._follow_git([word for word in words if not word.startswith("-c") or word == "-c"] or [""])

    def _follow_git(self, words: list[str]) -> None:
        action, *rest = words
        if action == "add":
            self._added.update(self.changed if _EVERYTHING & set(rest) else self._match(rest))
        elif action == "rm":
            self._remove(self._match(rest))
        elif action == "commit":
            takes_all = any(re.match(r"-[a-z]*a|--all$", word) for word in rest)
            some = self._match(rest) or list(self._added)
            self._remove(list(self.changed) if takes_all or not some else some)
            self._added.clear()
            self.committed_in = self._call
        elif action in ("checkout", "restore", "clean") and "--staged" not in rest:
            self._revert(list(self.changed) if _EVERYTHING & set(rest) else self._match(rest))
        elif action == "reset" and "--hard" in rest:
            self._revert(list(self.changed))
        elif action == "stash":
            self._follow_stash(rest)

    def _move(self, words: list[str]) -> None:
        """Follow a renamed file; a folder as the target keeps the name."""
        *sources, target = map(posixpath.normpath, words) if words else ("",)
        if len(sources) == 1 and _SOURCE_FILE.fullmatch(target):
            self._remove(sources)
            self.changed[target] = None

    def _follow_stash(self, rest: list[str]) -> None:
        if {"pop", "apply"} & set(rest):
            self.changed = {**self._stashed, **self.changed}
        elif not {"list", "show", "drop"} & set(rest):
            self._stashed, self.changed = self.changed, {}

    def _match(self, words: Sequence[str]) -> list[str]:
        paths = [posixpath.normpath(word.removeprefix(f"{self.root}/")) for word in words if word]
        return [name for name in self.changed if any(name == p or name.startswith(f"{p}/") for p in paths)]

    def _revert(self, names: list[str]) -> None:
        if names:
            self.reverted[self._call] = tuple(names)
        self._remove(names)

    def _remove(self, names: list[str]) -> None:
        for name in names:
            self.changed.pop(name, None)


_FOLLOWED = frozenset({"git", "rm", "mv"})


def follow_files(entries: Sequence[TranscriptEntry], root: str, differing: frozenset[str] | None) -> Files:
    """Return the files that differ at the end: by git if *differing* is known, else by the calls."""
    files = Files(root)
    touched: dict[str, None] = {}
    for use, result in pair_calls(entries):
        if not result.error:
            files.follow(use)
            touched.update(files.changed)
    if differing is not None:
        files.changed = {name: None for name in touched if name in differing}
    return files


def find_commands(entries: Sequence[TranscriptEntry], last_text: str) -> tuple[str, ...]:
    """Return the checks, the repeated commands, and those with a file that *last_text* names."""
    last: dict[str, bool] = {}
    times: Counter[str] = Counter()
    for use, result in pair_calls(entries):
        for part in _SEPARATOR.split(" ".join(use.command.split())) if use.command else ():
            line = _OUTPUT_PART.sub("", part).strip()
            if line and not _UNINFORMATIVE.search(line):
                # A command that succeeds replaces those with other tags, or more arguments, that failed.
                plain = " " if result.error else f"{_TAG.sub('', line)} "
                last = {
                    one: bad
                    for one, bad in last.items()
                    if not bad or not f"{_TAG.sub('', one)} ".startswith(plain)
                }
                last.pop(line, None)
                last[line] = bool(result.error)
                times[line] += 1
    return tuple(
        f"{line} (failed last)" if failed else line
        for line, failed in last.items()
        if times[line] > 1 or _CHECKS.search(line) or _runs_named(line, last_text)
    )


def _runs_named(line: str, text: str) -> bool:
    names = [posixpath.basename(word) for word in line.split() if "." in word.strip(".")]
    return any(len(name) >= _SHORTEST_NAME and name in text for name in names)


def find_abandoned(entries: Sequence[TranscriptEntry]) -> Iterator[tuple[str, str]]:
    """Yield the commands that failed more than once and never succeeded, and their last error."""
    runs: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    calls = [(" ".join(use.command.split()), end.error) for use, end in pair_calls(entries) if use.command]
    for line, error in calls:
        runs.setdefault(tuple(line.split()[:2]), []).append((line, error))
    for outcomes in runs.values():
        line, last_error = outcomes[-1]
        failed = len(outcomes) > 1 and all(error for _, error in outcomes)
        if failed and line != calls[-1][0] and not _CHECKS.search(line):
            yield line, last_error


def find_commits(entries: Sequence[TranscriptEntry]) -> Iterator[str]:
    """Yield the subjects of the commits."""
    for use, result in pair_calls(entries):
        match = _COMMIT.search(use.command) if use.command and not result.error else None
        if match:
            yield f"committed: {(match[1] or match[2]).splitlines()[0]}"
