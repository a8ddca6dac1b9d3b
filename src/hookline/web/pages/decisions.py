"""Decisions: every block, question, change and warning, with filters, and the details of one."""

import json
import time
from collections.abc import Iterable, Mapping
from typing import Any

from hookline import __version__, hosts
from hookline.core.audit import MAX_SUMMARY_CHARS
from hookline.core.durations import parse_duration
from hookline.core.store import Query, Record, matches
from hookline.web.dashboard import Dashboard, Page, Params, Update, View

MAX_ROWS = 100
ACTIONS = ("block", "ask", "modify")
TEXT_FILTERS = ("host", "folder", "hook", "rule", "session", "text")
FILTERS = ("action", *TEXT_FILTERS, "age")
LINE_BREAK = " ⏎ "
"""Line break in the summary of a record."""


def query(dashboard: Dashboard, params: Params) -> View:
    if params.get("position"):
        return _show_one(dashboard, params)
    asked = _build_query(params)
    found = [*dashboard.store.records(asked)][::-1]
    older = found[-1][0] if len(found) == MAX_ROWS else None
    values = {
        "records": found,
        "filters": {name: params.get(name, "") for name in FILTERS},
        "older": older,
        "actions": ACTIONS,
        "hosts": hosts.names(),
        "is_first": not params.get("before"),
    }
    return View(template="decisions.html", values=values)


def _build_query(params: Params) -> Query:
    age, before = params.get("age", ""), params.get("before", "")
    terms: dict[str, Any] = {name: params.get(name, "").strip() for name in TEXT_FILTERS}
    return Query(
        decided=True,
        action=params["action"] if params.get("action") in ACTIONS else "",
        **terms,
        since=time.time() - _parse_age(age) if age else None,
        before=int(before) if before.isdecimal() else None,
        last=MAX_ROWS,
    )


def _parse_age(text: str) -> float:
    try:
        return float(parse_duration(text))
    except ValueError as error:
        raise LookupError(f"invalid age {text!r}: {error}") from None


def show_updates(update: Update, params: Params) -> Iterable[tuple[str, View]]:
    if params.get("position") or params.get("before"):
        return
    asked = _build_query(params)
    new = [(position, record) for position, record in update.records if matches(position, record, asked)]
    if new:
        yield "rows", View(template="decisions_rows.html", values={"records": new[::-1]})


def _show_one(dashboard: Dashboard, params: Params) -> View:
    text = params["position"]
    position = int(text) if text.isdecimal() else 0
    found = next(iter(dashboard.store.records(Query(after=position - 1))), None)
    if found is None or found[0] != position:
        raise LookupError("this decision is not in the store; it may have expired")
    record = found[1]
    command = _find_command(record)
    reason = params.get("reason", "").strip()
    values = {
        "position": position,
        "record": record,
        "steps": [step for step in record.trail if step.get("said") != "pass" or step.get("note")],
        "passed": [step["hook"] for step in record.trail if step.get("said") == "pass"],
        "explanation": _explain(dashboard, record, command),
        "reason": reason,
        "exception": _write_exception(record, command, reason) if reason and record.rules else "",
        "guard_test": _write_guard_test(record, command) if command else "",
        "report": _write_report(record),
    }
    return View(template="decision.html", values=values, live=False)


def _find_command(record: Record) -> str:
    """Return the command line of a call, or an empty text if the record does not hold all of it."""
    is_call = record.event == "PreToolUse" and record.summary
    is_whole = len(record.summary) < MAX_SUMMARY_CHARS and "[redacted" not in record.summary
    return record.summary.replace(LINE_BREAK, "\n") if is_call and is_whole else ""


def _explain(dashboard: Dashboard, record: Record, command: str) -> Mapping[str, Any]:
    """Return how the command would be judged now, with the parts before, in and after the span."""
    if not command or record.host not in hosts.names():
        return {}
    try:
        facts = dashboard.explain(record.host, command, record.cwd)
    except (LookupError, ValueError, OSError) as error:
        return {"problem": str(error)}
    start, end = (facts.get("decided") or {}).get("span") or (0, 0)
    parts = (command[:start], command[start:end], command[end:])
    return {"action": facts["action"], "parts": parts, "looked": facts["looked"], "problem": ""}


def _write_exception(record: Record, command: str, reason: str) -> str:
    hook, _, rule = record.rules[0].rpartition(":")
    pattern = "".join(f"[{char}]" if char in "*?[" else char for char in command)
    match = f"match = {json.dumps(pattern, ensure_ascii=False)}, " if command else ""
    entry = f"{{rule = {json.dumps(rule)}, {match}reason = {json.dumps(reason, ensure_ascii=False)}}}"
    return f"[hooks.{hook}]\nallow = [{entry}]\n"


def _write_guard_test(record: Record, command: str) -> str:
    expect = record.action if record.action in ("block", "ask") else "allow"
    case = {"command": command, "expect": expect, "host": record.host}
    rule = {"rule": record.rules[0]} if record.rules and expect != "allow" else {}
    return json.dumps({**case, **rule}, ensure_ascii=False)


def _write_report(record: Record) -> str:
    lines = {
        "version": f"hookline {__version__}",
        "host": record.host,
        "event": " ".join(filter(None, (record.event, record.tool))),
        "call": record.summary,
        "decision": record.action,
        "rules": ", ".join(record.rules),
        "reason": record.reason,
    }
    body = "\n".join(f"- {name}: {text}" for name, text in lines.items() if text)
    return f"False alarm\n\n{body}\n\nExpected: the call passes, because "


PAGE = Page(title="Decisions", order=2, query=query, live=show_updates)
