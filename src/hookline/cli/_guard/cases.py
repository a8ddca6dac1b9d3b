"""Test cases for the guards, one JSON object per line, and their results."""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from hookline import hosts
from hookline.cli._dry_run import Judge, Judged
from hookline.cli._replay.calls import build_payload
from hookline.core.audit import summarize_event
from hookline.core.events import PreToolUse, Unreadable
from hookline.core.host import Host
from hookline.core.outcome import Outcome
from hookline.core.registry import describe_unknown

EXPECTED = ("allow", "ask", "block")
FIELDS = ("command", "payload", "host", "cwd", "expect", "rule", "why")
DEFAULT_HOST = "claude-code"
MAX_BYTES = 16 * 1024 * 1024
"""Maximum size of a file of test cases, in bytes."""


class Case(Struct, frozen=True, kw_only=True):
    """The expected verdict on one command or payload."""

    line: int
    host: str
    subject: str | Mapping[str, Any]
    """A command line, or a payload in the format of the host."""
    cwd: str
    expect: str
    rule: str = ""
    """The rule that must have decided; empty for any."""
    why: str = ""


class Checked(Struct, frozen=True, kw_only=True):
    """The result of a case."""

    case: Case
    got: str
    """allow, ask or block."""
    rules: tuple[str, ...]
    reason: str
    what: str

    @property
    def holds(self) -> bool:
        return self.got == self.case.expect and (not self.case.rule or self.case.rule in self.rules)


def read(file: str) -> list[Case]:
    """Return the cases in *file*; raise `ValueError` that names every invalid line."""
    with open(file, "rb") as stream:
        data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ValueError(f"{file}: larger than the limit of {MAX_BYTES:,} bytes")
    cases, errors = list[Case](), list[str]()
    for number, line in enumerate(data.splitlines(), 1):
        try:
            cases += [_parse_case(number, line)] if line.strip() else []
        except ValueError as error:
            errors.append(f"{file}:{number}: {error}")
    if errors:
        raise ValueError("\n".join(errors))
    if not cases:
        raise ValueError(f"{file}: no tests found; write one per line, such as {_EXAMPLE}")
    return cases


_EXAMPLE = '{"command": "git push --force", "expect": "block"}'


def _parse_case(number: int, line: bytes) -> Case:
    row = _parse_object(line)
    texts = {key: row[key] for key in row if key != "payload"}
    invalid = [key for key, value in texts.items() if not isinstance(value, str)]
    if invalid:
        raise ValueError(f"invalid {invalid[0]!r}: expected a string")
    if texts.get("expect") not in EXPECTED:
        raise ValueError(f"invalid 'expect' {texts.get('expect')!r}: expected {', '.join(EXPECTED)}")
    host = texts.get("host", DEFAULT_HOST)
    if host not in hosts.names():
        raise ValueError(describe_unknown("host", host, hosts.names()))
    return Case(
        line=number,
        host=host,
        subject=row["command"] if "command" in row else row["payload"],
        cwd=texts.get("cwd", ""),
        expect=texts["expect"],
        rule=texts.get("rule", ""),
        why=texts.get("why", ""),
    )


def _parse_object(line: bytes) -> Mapping[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError("invalid JSON") from None
    if not isinstance(row, dict):
        raise ValueError(f"expected a JSON object, such as {_EXAMPLE}")  # noqa: TRY004 -- one to catch
    unknown = [key for key in row if key not in FIELDS]
    if unknown:
        raise ValueError(f"unknown key {unknown[0]!r}; expected: {', '.join(FIELDS)}")
    if ("command" in row) == ("payload" in row):
        raise ValueError("expected either 'command' or 'payload'")
    if not isinstance(row.get("payload", {}), dict):
        raise ValueError("invalid 'payload': expected a JSON object")  # noqa: TRY004 -- ditto
    return row


def check(file: str, cases: Sequence[Case], judge_of: Callable[[str], Judge], root: str) -> Iterator[Checked]:
    """Yield the result of every case; raise `ValueError` for a payload that its host could not have sent."""
    for case in cases:
        host = hosts.load(case.host)
        try:
            judged = judge_of(case.host).judge(_build_payload(host, case, root))
        except Unreadable as error:
            raise ValueError(f"{file}:{case.line}: {error}") from None
        yield _compare(case, judged)


def _build_payload(host: Host, case: Case, root: str) -> Mapping[str, Any]:
    cwd = os.path.join(root, case.cwd) if case.cwd else ""
    if isinstance(case.subject, str):
        return _build_call(host, case.subject, cwd or root)
    key = host.common_paths.get("cwd", "cwd")
    return {**case.subject, key: cwd} if cwd else case.subject


def _build_call(host: Host, command: str, cwd: str) -> Mapping[str, Any]:
    """Return the *command* as a call of the host's shell tool."""
    shell = next(((name, tool) for name, tool in host.tools.items() if tool.kind == "shell"), None)
    if shell is None:
        raise Unreadable(f"{host.name} has no shell tool; use 'payload'")
    name, tool = shell
    tool_input = {tool.input_keys.get("command", "command"): command}
    return build_payload(
        host, PreToolUse(tool=name, kind=tool.kind, input=tool_input, session="guard-test", cwd=cwd)
    )


def _compare(case: Case, judged: Judged | None) -> Checked:
    what = case.subject if isinstance(case.subject, str) else ""
    if judged is None:
        return Checked(case=case, got="allow", rules=(), reason="", what=what)
    outcome = judged.outcome
    reason = judged.reason or "\n".join(judged.context)
    return Checked(
        case=case,
        got=_expected_word(outcome),
        rules=outcome.rules,
        reason=reason,
        what=what or summarize_event(judged.event),
    )


def _expected_word(outcome: Outcome) -> str:
    """Return "allow" for every action that lets a call through, even if it changes the call."""
    return outcome.action if outcome.action in ("ask", "block") else "allow"
