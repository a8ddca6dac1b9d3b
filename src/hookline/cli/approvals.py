"""List the calls of agents that wait for a person, and decide them."""

import json
import os
import time
from argparse import Namespace

from msgspec import to_builtins

from hookline.cli import _require_person
from hookline.cli._output import sanitize
from hookline.core.approval import MAX_MESSAGE_CHARS, Choice, Decision, Question
from hookline.daemon import request_approvals

ID_CHARS = 8
"""Characters of a question's id that the list shows."""


def run(args: Namespace) -> int:
    if args.action is None:
        return _list(as_json=args.json)
    _require_person.require_person("deciding for an agent", os.environ)
    message = getattr(args, "message", "")
    if len(message) > MAX_MESSAGE_CHARS:
        raise ValueError(f"--message is longer than {MAX_MESSAGE_CHARS:,} characters")
    question = _find_question(args.id)
    choice: Choice = "deny" if args.action == "deny" else "session" if args.session else "once"
    refusal = request_approvals.decide(Decision(id=question.id, choice=choice, message=message))
    if refusal:
        raise PermissionError(refusal)
    print(_CONFIRMATIONS[choice].format(summary=sanitize(question.summary), rules=", ".join(question.rules)))
    return 0


_CONFIRMATIONS = {
    "once": "allowed once: {summary}",
    "session": "allowed: {summary}\n{rules} stops nothing more in this session; revoke it with: hookline on",
    "deny": "denied: {summary}",
}


def _list(*, as_json: bool) -> int:
    questions = request_approvals.list_questions()
    if as_json:
        print(json.dumps([to_builtins(question) for question in questions], indent=2))
        return 0
    for question in questions:
        print(_format(question, time.time()))
    if not questions:
        print("no call waits for a person")
    return 0


def _format(question: Question, now: float) -> str:
    left = max(0, round(question.until - now))
    where = f"{question.host} in {sanitize(question.root)}, {left} s left"
    lines = [f"{question.id[:ID_CHARS]}  {sanitize(question.summary)}", where, *question.reason.splitlines()]
    return "\n          ".join(map(sanitize, lines))


def _find_question(prefix: str) -> Question:
    found = [question for question in request_approvals.list_questions() if question.id.startswith(prefix)]
    if len(found) > 1:
        raise LookupError(f"{len(found)} waiting calls have ids that begin with {prefix!r}; give more of it")
    if not found:
        raise LookupError(f"no waiting call with the id {prefix!r} (hookline approvals)")
    return found[0]
