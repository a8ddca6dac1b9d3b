"""A user's own expectations of the guards, one JSON object a line, and whether they hold."""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from hookline import hosts
from hookline.cli._dry_run import Judge, Judged
from hookline.cli._replay.calls import payload
from hookline.core.audit import summary
from hookline.core.events import PreToolUse, Unreadable
from hookline.core.host import Host
from hookline.core.outcome import Outcome

EXPECTED = ("allow", "ask", "block")
FIELDS = ("command", "payload", "host", "cwd", "expect", "rule", "why")
USUAL_HOST = "claude-code"
LARGEST = 16 * 1024 * 1024
"""Bytes of a file of expectations; a larger one is a mistake."""


class Case(Struct, frozen=True, kw_only=True):
    """What somebody expects of one command or payload."""

    line: int
    host: str
    given: str | Mapping[str, Any]
    """A command line, or a payload in the host's words."""
    cwd: str
    expect: str
    rule: str = ""
    """The rule that must have spoken; empty where any may."""
    why: str = ""


class Checked(Struct, frozen=True, kw_only=True):
    """How a case came out."""

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
    """The cases in *file*; raises `ValueError` that names every line that is none."""
    with open(file, "rb") as stream:
        data = stream.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise ValueError(f"{file}: is larger than {LARGEST:,} bytes, so it is not read")
    cases, wrong = list[Case](), list[str]()
    for number, line in enumerate(data.splitlines(), 1):
        try:
            cases += [_case(number, line)] if line.strip() else []
        except ValueError as error:
            wrong.append(f"{file}:{number}: {error}")
    if wrong:
        raise ValueError("\n".join(wrong))
    if not cases:
        raise ValueError(f"{file}: has no tests; write one a line, such as {_EXAMPLE}")
    return cases


_EXAMPLE = '{"command": "git push --force", "expect": "block"}'


def _case(number: int, line: bytes) -> Case:
    row = _object(line)
    texts = {key: row[key] for key in row if key != "payload"}
    strange = [key for key, value in texts.items() if not isinstance(value, str)]
    if strange:
        raise ValueError(f"{strange[0]!r} is no text")
    if texts.get("expect") not in EXPECTED:
        raise ValueError(f"'expect' is {texts.get('expect')!r}; there are: {', '.join(EXPECTED)}")
    host = texts.get("host", USUAL_HOST)
    if host not in hosts.names():
        raise ValueError(f"no host is called {host!r}; there are: {', '.join(hosts.names())}")
    return Case(
        line=number,
        host=host,
        given=row["command"] if "command" in row else row["payload"],
        cwd=texts.get("cwd", ""),
        expect=texts["expect"],
        rule=texts.get("rule", ""),
        why=texts.get("why", ""),
    )


def _object(line: bytes) -> Mapping[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError("is no JSON") from None
    if not isinstance(row, dict):
        raise ValueError(f"is no JSON object; write {_EXAMPLE}")  # noqa: TRY004 -- one to catch
    unknown = [key for key in row if key not in FIELDS]
    if unknown:
        raise ValueError(f"a test has no {unknown[0]!r}; there are: {', '.join(FIELDS)}")
    if ("command" in row) == ("payload" in row):
        raise ValueError("a test has a 'command' or a 'payload', one of them")
    if not isinstance(row.get("payload", {}), dict):
        raise ValueError("'payload' is no JSON object")  # noqa: TRY004 -- ditto
    return row


def check(file: str, cases: Sequence[Case], judge_of: Callable[[str], Judge], root: str) -> Iterator[Checked]:
    """Every case, judged; raises `ValueError` for a payload that its host could not have sent."""
    for case in cases:
        host = hosts.load(case.host)
        try:
            judged = judge_of(case.host).judge(_payload(host, case, root))
        except Unreadable as error:
            raise ValueError(f"{file}:{case.line}: {error}") from None
        yield _checked(case, judged)


def _payload(host: Host, case: Case, root: str) -> Mapping[str, Any]:
    cwd = os.path.join(root, case.cwd) if case.cwd else ""
    if isinstance(case.given, str):
        return _call(host, case.given, cwd or root)
    place = host.common.get("cwd", "cwd")
    return {**case.given, place: cwd} if cwd else case.given


def _call(host: Host, command: str, cwd: str) -> Mapping[str, Any]:
    """The *command* as the host's shell tool would be handed it."""
    found = next(((name, tool) for name, tool in host.tools.items() if tool.kind == "shell"), None)
    if found is None:
        raise Unreadable(f"{host.name} has no shell tool; give a 'payload'")
    name, tool = found
    given = {tool.places.get("command", "command"): command}
    return payload(host, PreToolUse(tool=name, kind=tool.kind, input=given, session="guard-test", cwd=cwd))


def _checked(case: Case, judged: Judged | None) -> Checked:
    what = case.given if isinstance(case.given, str) else ""
    if judged is None:
        return Checked(case=case, got="allow", rules=(), reason="", what=what)
    outcome = judged.outcome
    told = judged.reason or "\n".join(judged.context)
    return Checked(
        case=case, got=_word(outcome), rules=outcome.rules, reason=told, what=what or summary(judged.event)
    )


def _word(outcome: Outcome) -> str:
    """What is only changed or told goes through."""
    return outcome.action if outcome.action in ("ask", "block") else "allow"
