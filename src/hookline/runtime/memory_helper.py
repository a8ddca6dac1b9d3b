"""Have a command of the user's help to learn from a session, in a process of its own that nobody waits for.

One at a time for a session, within its time, and not of sessions that the command itself begins. What fails
is in the trail, and told to the user after the next turn.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any

from msgspec import to_builtins

from hookline.core.events import Event
from hookline.core.kind import Finished
from hookline.core.response import Enrich
from hookline.core.store import Record, Store, StoreFailed
from hookline.memory import helper_messages, learn
from hookline.redact import redact
from hookline.runtime import open_store
from hookline.runtime.setup import load
from hookline.system import file_lock, spool, tail
from hookline.system.paths import Places
from hookline.system.process import detached, run_command

READ, FAILED = "hookline.enriched", "hookline.enrich_failed"
"""The notes of how far the recording was read for the command, and of why it failed last."""
HOOK = "memory.enrich"
RULE = "memory:enrich"
"""Under which its failures are found in the trail."""
SHELL = ("/bin/sh", "-c")
OFF = {"AR_DISABLE_MEMORY": "1", "AR_DISABLE_STOP_NOTIFY": "1"}
"""What a command that is an agent itself must not do: learn from its own session, and tell of its end."""
_KEEP = 64 * 1024
_MAIN = "from hookline.runtime.memory_helper import main; main()"


def begin(wanted: Enrich, event: Event, places: Places, env: Mapping[str, str]) -> str:
    """Start it; what could not even be tried, in a sentence."""
    cwd = event.cwd if os.path.isdir(event.cwd) else places.root or "/"
    what = {"wanted": to_builtins(wanted), "cwd": cwd, "env": dict(env), "event": event.name}
    try:
        argv = [sys.executable, "-P", "-c", _MAIN]
        detached.start(argv, stdin=json.dumps(what).encode(), env=detached.environment(env))
    except OSError as error:
        return f"the command that helps to learn could not be started: {error.strerror}"
    return ""


def main() -> None:
    """What is wanted is told on stdin."""
    what: dict[str, Any] = json.load(sys.stdin)
    enrich(Enrich(**what["wanted"]), what["cwd"], what["env"], what["event"])
    os._exit(0)


def enrich(wanted: Enrich, cwd: str, env: Mapping[str, str], event: str = "Stop") -> list[str]:
    """Ask the command, and keep what it says; the ids of what is new. A failure is kept, not raised."""
    setup = load(dict(env), cwd)
    setup.kept.close()
    try:
        with closing(open_store.open_store(setup)) as store:
            return _alone(wanted, store, setup.places, env, event)
    except (StoreFailed, OSError, LookupError) as error:
        _told(setup.places.spool, wanted, event, cwd, f"the store cannot be used: {error}")
        return []


def _alone(wanted: Enrich, store: Store, places: Places, env: Mapping[str, str], event: str) -> list[str]:
    """One after another: the later one is told what came since."""
    session = hashlib.sha256(wanted.session.encode(errors="surrogatepass")).hexdigest()[:16]
    path = f"{places.state}/enrich-{session}.lock"
    os.makedirs(places.state, mode=0o700, exist_ok=True)
    with file_lock.lock(path):
        try:
            return _asked(wanted, store, places, env)
        except ValueError as error:
            sentence = _told(places.spool, wanted, event, places.root, str(error))
            store.note(wanted.session, {FAILED: sentence})
            return []
        finally:
            os.unlink(path)


def _asked(wanted: Enrich, store: Store, places: Places, env: Mapping[str, str]) -> list[str]:
    mark = tail.mark_from(store.notes(wanted.session).get(READ))
    spoken = learn.spoken(wanted.host, wanted.transcript, mark)
    if spoken is None:
        return []
    whose = learn.whose(places.root, time.time(), f"{wanted.host}:{wanted.session}:enriched")
    known = store.recall("", project=whose.project, branch=whose.branch, at=whose.at, limit=20)
    text = helper_messages.told(spoken.entries, known, whose, redact)
    store.note(wanted.session, {READ: to_builtins(spoken.mark)})  # also where it fails: not the same again
    if not text:
        return []
    given = {**env, **OFF, "HOOKLINE_PROJECT_DIR": places.root, "HOOKLINE_SESSION_ID": wanted.session}
    finished = run_command.run(
        (*SHELL, wanted.command),
        stdin=text.encode() + b"\n",
        cwd=places.root or "/",
        env=given,
        limit=wanted.within,
        keep=_KEEP,
    )
    new = learn.remember(store, helper_messages.read(_answer(finished, wanted), whose, redact), time.time())
    learn.lately(store, wanted.session, [one.id for one in new])
    return [one.id for one in new]


def _answer(finished: Finished, wanted: Enrich) -> str:
    """What it printed; raises `ValueError` that says why there is none."""
    if finished.problem:
        raise ValueError(f"it did not run: {finished.problem}")
    if finished.timed_out:
        raise ValueError(f"it gave no answer within {wanted.within:g} s")
    if finished.code:
        why = next(_lines(finished.stderr), "")
        raise ValueError(f"it ended with {finished.code}{f': {why[:200]}' if why else ''}")
    if "stdout" in finished.cut:
        raise ValueError(f"it printed more than {_KEEP // 1024} kB")
    return finished.stdout


def _lines(text: str) -> Iterator[str]:
    return (line.strip() for line in redact(text).splitlines() if line.strip())


def _told(folder: str, wanted: Enrich, event: str, cwd: str, why: str) -> str:
    """Put it into the trail; the sentence."""
    sentence = redact(f"the command that helps to learn ([hooks.memory] enrich) told nothing: {why}")
    step = {"hook": HOOK, "said": "failed", "rule": RULE, "note": sentence}
    kept = Record(
        id=os.urandom(16).hex(),
        at=time.time(),
        session=wanted.session,
        host=wanted.host,
        event=event,
        cwd=redact(cwd),
        summary=sentence,
        rules=(RULE,),
        warnings=(sentence,),
        trail=(step,),
    )
    spool.append(folder, kept)
    return sentence
