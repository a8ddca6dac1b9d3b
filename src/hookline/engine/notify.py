"""Notification of a run's end: on the terminal, and by a webhook if one is configured."""

import os
from collections.abc import Mapping, Sequence

from hookline.core.durations import format_duration
from hookline.core.events import SessionEnd
from hookline.core.response import Notify
from hookline.core.variables import WEBHOOK, add_new_names
from hookline.core.webhook_message import build_post
from hookline.engine import view
from hookline.engine.journal import Row
from hookline.engine.runs import Run
from hookline.engine.stop_reason import StopReason
from hookline.redact import redact
from hookline.system import notify, webhook
from hookline.system.paths import find_places

HOST = "hookline"
"""Sender of the event: the engine, not a host."""


def notify_end(run: Run, stop: StopReason, rows: Sequence[Row], env: Mapping[str, str]) -> tuple[str, ...]:
    """Send the notification of a run's end; return the problems."""
    return _send(run, end_message(run, stop, rows), env)


def notify_failure(run: Run, text: str, env: Mapping[str, str]) -> tuple[str, ...]:
    """Send the notification that a run could not continue; return the problems."""
    project = os.path.basename(run.root.rstrip("/"))
    message = {"text": f"{project}: run {run.id} could not continue: {text}", "project": project}
    return _send(run, {name: redact(value) for name, value in message.items()}, env)


def _send(run: Run, message: Mapping[str, str], env: Mapping[str, str]) -> tuple[str, ...]:
    problems = list(notify.show([Notify(title="hookline", text=message["text"])]))
    url = add_new_names(env).get(WEBHOOK, "").strip()
    if url:
        event = SessionEnd(session=run.id, host=HOST, cwd=run.root)
        fields = {name: value for name, value in message.items() if name != "text"}
        post = build_post(url, message["text"], fields)
        problems.append(webhook.post(post, event, find_places(env, run.root), env))
    return tuple(filter(None, problems))


def end_message(run: Run, stop: StopReason, rows: Sequence[Row]) -> dict[str, str]:
    """Return one sentence as `text`, and the fields of the JSON format."""
    kept, done = sum(row.kept for row in rows) - 1, max(len(rows) - 1, 0)
    summary = f"{done} experiments, {max(kept, 0)} kept; {view.describe_best(rows, run.target.metric)}"
    project = os.path.basename(run.root.rstrip("/"))
    lasted = format_duration(max(run.spent, 1.0))
    text = f"{project}: run {run.id} ended after {lasted} ({stop.reason}: {stop.text}); {summary}"
    measured = [row.metric for row in rows if row.metric is not None]
    metric = f", metric: {measured[-1]:g}" if measured else ""
    tsv_summary = f"{done} iteration{'' if done == 1 else 's'}{metric}"
    parts = {"project": project, "branch": run.branch, "duration": lasted, "tsv_summary": tsv_summary}
    return {name: redact(value) for name, value in {"text": text, **parts}.items()}
