"""Tell whoever waits that a run has ended: on the terminal, and by a webhook where one is set."""

import os
from collections.abc import Mapping, Sequence

from hookline.core.durations import written
from hookline.core.events import SessionEnd
from hookline.core.frozen import Frozen
from hookline.core.response import Notify, Post
from hookline.engine import view
from hookline.engine.journal import Row
from hookline.engine.runs import Run
from hookline.engine.stop_reason import Stop
from hookline.redact import redact
from hookline.system import notify, webhook
from hookline.system.paths import find

WEBHOOK = "AR_NOTIFY_WEBHOOK"
HOST = "hookline"
"""Whose word it is: no host's, but the engine's own."""


def tell(run: Run, stop: Stop, rows: Sequence[Row], env: Mapping[str, str]) -> tuple[str, ...]:
    """Have it told; what could not be, in sentences."""
    return _told(run, message(run, stop, rows), env)


def broken(run: Run, text: str, env: Mapping[str, str]) -> tuple[str, ...]:
    """Have it told that a run could not go on."""
    project = os.path.basename(run.root.rstrip("/"))
    says = {"text": f"{project}: the run {run.id} could not go on: {text}", "project": project}
    return _told(run, {name: redact(value) for name, value in says.items()}, env)


def _told(run: Run, says: Mapping[str, str], env: Mapping[str, str]) -> tuple[str, ...]:
    problems = list(notify.carry_out([Notify(title="hookline", text=says["text"])]))
    url = env.get(WEBHOOK, "").strip()
    if url:
        event = SessionEnd(session=run.id, host=HOST, cwd=run.root)
        problems.append(webhook.post(Post(to=url, says=Frozen(says)), event, find(env, run.root), env))
    return tuple(filter(None, problems))


def message(run: Run, stop: Stop, rows: Sequence[Row]) -> dict[str, str]:
    """What is told, as a session's end is: in one text, and by its parts."""
    kept, done = sum(row.kept for row in rows) - 1, max(len(rows) - 1, 0)
    summary = f"{done} experiments, {max(kept, 0)} kept; {view.best(rows, run.target.metric)}"
    project = os.path.basename(run.root.rstrip("/"))
    lasted = written(max(run.spent, 1.0))
    text = f"{project}: the run {run.id} ended after {lasted} ({stop.reason}: {stop.text}); {summary}"
    parts = {"project": project, "branch": run.branch, "duration": lasted, "tsv_summary": summary}
    return {name: redact(value) for name, value in {"text": text, **parts}.items()}
