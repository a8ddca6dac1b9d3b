"""Records of tool calls: what a call tries, its result, and whether it waits, reads or changes something."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from hookline.core.command_kind import classify_command
from hookline.core.command_name import SHELLS
from hookline.core.error_signature import find_error_line, hash_parts, hash_result, normalize
from hookline.core.events import PostToolUse, PreToolUse
from hookline.core.frozen import thaw
from hookline.core.state import State
from hookline.hooks._error_kb import has_failed
from hookline.lazy import re
from hookline.shell import SimpleCommand, read
from hookline.shell.options import word_set

MAX_CALLS = 30
"""Tool calls of a session that are kept."""
EDIT_KINDS = ("edit", "write")
_MAX_DEPTH = 6
_WAITING_COMMAND = re.compile(
    r"(?:^|[\s;&|(])(?:sleep|wait|watch|until|start-sleep)(?=[\s;&|)]|$)|--(?:wait|watch|retry|timeout)\b"
    r"|\bwait-for|\brollout status\b|\brun watch\b",
    re.IGNORECASE,
)
_HEALTH_QUESTION = re.compile(
    r"\bpg_isready\b|\b(?:mysqladmin|redis-cli|valkey-cli|rabbitmq-diagnostics)\b.*\bping\b|\bnc -\w*z"
    r"|\bis-(?:active|system-running)\b|/_?(?:health|ready|readiness|live|liveness|alive|ping|up|status)\w*\b"
    r"|\bgetprop\b",
    re.IGNORECASE,
)
"""Questions whether a service is up, which are asked while it starts."""
_MEASURING_COMMAND = re.compile(
    r"bench|hyperfine|profil|latency|throughput|explain analy[sz]e|time_total"
    r"|(?<![\w-])(?:time|timeit|perf|wrk2?|ab|k6|oha|hey|vegeta|locust|iperf3?|fio|sysbench|measure)(?![\w-])",
    re.IGNORECASE,
)
"""Commands that measure: the durations that they print are their result."""
_POLLING_TOOL = re.compile(r"output|wait|poll|status|sleep|monitor|progress", re.IGNORECASE)
_FILTERS = word_set(
    "tail head grep egrep tee cat less more sort uniq wc cut sed awk tr sleep timeout time nice"
)
_FILE_READERS = word_set("cat bat head tail less more sed nl grep rg egrep ls tree find fd git diff stat wc")
"""Programs whose output changes only if files change."""
_READING_KINDS = ("read", "grep", "glob", "list", "search")
_SEED = re.compile(r"(?:random|randomly|seed|shuffle)", re.IGNORECASE)
_VARYING_WORD = re.compile(r"[\d.,:s]+|[0-9a-f]{6,}")


_COUNT = re.compile(
    r"(?<![\d.:,])\b\d+ (?:\w+ )?(?:failed|failing|failures?|errors?|problems?|remaining|left)\b"
)
"""Counts whose change is progress."""


class CallRecord(NamedTuple):
    """One finished tool call."""

    at: float
    call: str
    """Digest of the agent, the tool and its input."""
    family: str
    """The same without options, seeds, waiting and filters: two calls of a family try the same thing."""
    result: str
    """Digest of the cause of a failure, or of the output."""
    place: str
    """Fingerprint of the workspace; empty if it was not needed."""
    flags: str
    """Letters: `f` failed, `w` waits, `p` asks for a state, `h` whether a service is up, `c` changed
    something, `t` tried, `r` reads, `e` edits a file."""

    @property
    def failed(self) -> bool:
        return "f" in self.flags

    @property
    def waits(self) -> bool:
        return "w" in self.flags

    @property
    def changes(self) -> bool:
        return "c" in self.flags

    @property
    def polls(self) -> bool:
        return "p" in self.flags

    @property
    def asks_health(self) -> bool:
        return "h" in self.flags

    @property
    def tries(self) -> bool:
        return "t" in self.flags

    @property
    def edits(self) -> bool:
        return "e" in self.flags

    @property
    def reads(self) -> bool:
        return "r" in self.flags


def append_call(before: str, record: CallRecord) -> str:
    """Return the note *before* with one more call; every tool call writes it, so it must be fast."""
    last = ",".join((f"{record.at:.0f}", *record[1:]))
    return " ".join((*before.split()[1 - MAX_CALLS :], last))


def parse_calls(text: str) -> list[CallRecord]:
    """Return the calls in a note, without those that another version wrote in another format."""
    rows = [row.split(",") for row in text.split() if row.count(",") == _SEPARATORS]
    return [CallRecord(float(at), *rest) for at, *rest in rows]


_SEPARATORS = 5


def digest_call(event: PreToolUse | PostToolUse) -> str:
    """Return a digest of the agent, the tool and its input."""
    agent = event.subagent.id if event.subagent else ""
    request = " ".join(event.command.split()) if event.command else json.dumps(thaw(event.input))
    return hash_parts(agent, event.tool, request)


def describe_family(line: str, shell: str) -> str:
    """Return the last program of *line* with its operands, without what only varies a try."""
    reading = read(line, shell=SHELLS[shell])
    wrappers = {via.split()[0] for command in reading.commands for via in command.via if via}
    parts = [
        " ".join((command.name, *_fixed_words(command)))
        for command in reading.commands
        if command.name not in _FILTERS and command.name not in wrappers
    ]
    return parts[-1] if parts else " ".join(line.split())


def _fixed_words(command: SimpleCommand) -> Iterator[str]:
    words = [word.text for word in command.words[1:]]
    for before, word in zip(("", *words), words, strict=False):
        varies = _SEED.search(before) or _VARYING_WORD.fullmatch(word)
        if not word.startswith("-") and not varies and not _SEED.search(word.partition("=")[0]):
            yield word


def digest_result(event: PostToolUse, *, failed: bool) -> str:
    text = "\n".join((event.error, *_iterate_texts(event.output)))
    if not failed:
        return hash_parts(text) if _MEASURING_COMMAND.search(event.command or "") else hash_result(text)
    counts = sorted({*_COUNT.findall(text)})
    return hash_parts("failed", normalize(find_error_line(text)), *counts)


def _iterate_texts(value: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str | int | float):
        yield str(value)
    elif depth < _MAX_DEPTH and isinstance(value, Mapping):
        for item in value.values():
            yield from _iterate_texts(item, depth + 1)
    elif depth < _MAX_DEPTH and isinstance(value, tuple | list):
        for item in value:
            yield from _iterate_texts(item, depth + 1)


def record_call(event: PostToolUse, state: State) -> CallRecord:
    """Return the record of a call; the workspace's fingerprint matters for failures only."""
    call, failed = digest_call(event), has_failed(event)
    family, flags = call, ""
    if event.kind in SHELLS and event.command:
        family = hash_parts(describe_family(event.command, event.kind))
        flags = _shell_flags(event.command, event.kind)
    elif event.kind in EDIT_KINDS:
        flags = "ce"
    elif event.kind in _READING_KINDS:
        flags = "r"
    elif _POLLING_TOOL.search(event.tool):
        flags = "w"
    if failed:
        flags = "f" + flags.replace("c", "t")
    result = digest_result(event, failed=failed)
    place = str(state.facts.get("workspace", "")) if failed else ""
    return CallRecord(state.now, call, family, result, place, flags)


def _shell_flags(command: str, shell: str) -> str:
    kind = classify_command(command, SHELLS[shell])
    if kind == "check":
        return ""
    waits = "w" if _WAITING_COMMAND.search(command[:2000]) else ""
    if kind == "change":
        return waits + "c"
    names = {one.name for one in read(command, shell=SHELLS[shell]).commands}
    if names <= _FILE_READERS | _FILTERS | {"cd", "echo"}:
        return waits + "r"
    return waits + ("ph" if _HEALTH_QUESTION.search(command[:2000]) else "p")
