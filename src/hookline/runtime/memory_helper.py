"""The user's command that helps to learn from a session, run in a detached process.

It runs once at a time per session, within a timeout, and not for sessions that the command itself starts. A
failure is recorded in the trail and reported to the user after the next turn.
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
from hookline.core.kind import ProcessResult
from hookline.core.response import Enrich
from hookline.core.store import Record, Store, StoreFailed
from hookline.core.variables import SWITCH_PREFIX
from hookline.memory import helper_messages, learn
from hookline.memory.read_transcript import read_new_entries
from hookline.redact import redact
from hookline.runtime import open_store
from hookline.runtime.setup import load_setup
from hookline.system import file_lock, spool, tail
from hookline.system.paths import Places, create_private
from hookline.system.process import detached, run_command

READ_NOTE, FAILED_NOTE = "hookline.enriched", "hookline.enrich_failed"
"""Names of the notes with the position up to which the transcript was read, and with the last failure."""
HOOK = "memory.enrich"
RULE = "memory:enrich"
"""The rule under which the trail lists its failures."""
SHELL = ("/bin/sh", "-c")
DISABLED_HOOKS_ENV = {f"{SWITCH_PREFIX}{name}": "1" for name in ("MEMORY", "STOP_NOTIFY")}
"""Variables that keep a command that is an agent from learning from itself and notifying of its end."""
_MAX_OUTPUT_BYTES = 64 * 1024
_MAIN = "from hookline.runtime.memory_helper import main; main()"


def start(request: Enrich, event: Event, places: Places, env: Mapping[str, str]) -> str:
    """Start the helper process; return the problem if it could not be started."""
    cwd = event.cwd if os.path.isdir(event.cwd) else places.root or "/"
    message = {"wanted": to_builtins(request), "cwd": cwd, "env": dict(env), "event": event.name}
    try:
        argv = [sys.executable, "-P", "-c", _MAIN]
        detached.start(argv, stdin=json.dumps(message).encode(), env=detached.environment(env))
    except OSError as error:
        return f"the command of [hooks.memory] enrich could not be started: {error.strerror}"
    return ""


def main() -> None:
    """Run the helper process with the request from stdin."""
    message: dict[str, Any] = json.load(sys.stdin)
    enrich(Enrich(**message["wanted"]), message["cwd"], message["env"], message["event"])
    os._exit(0)


def enrich(request: Enrich, cwd: str, env: Mapping[str, str], event: str = "Stop") -> list[str]:
    """Ask the command and store its memories; return the new ids. A failure is recorded, not raised."""
    setup = load_setup(dict(env), cwd)
    setup.resources.close()
    try:
        with closing(open_store.open_store(setup)) as store:
            return _enrich_exclusively(request, store, setup.places, env, event)
    except (StoreFailed, OSError, LookupError) as error:
        _record_failure(setup.places.spool, request, event, cwd, f"the store cannot be used: {error}")
        return []


def _enrich_exclusively(
    request: Enrich, store: Store, places: Places, env: Mapping[str, str], event: str
) -> list[str]:
    """Ask the command under a lock, so that a later request continues after an earlier one."""
    session = hashlib.sha256(request.session.encode(errors="surrogatepass")).hexdigest()[:16]
    path = f"{places.state}/enrich-{session}.lock"
    create_private(places.state)
    with file_lock.lock(path):
        try:
            return _ask_command(request, store, places, env)
        except ValueError as error:
            sentence = _record_failure(places.spool, request, event, places.root, str(error))
            store.set_notes(request.session, {FAILED_NOTE: sentence})
            return []
        finally:
            os.unlink(path)


def _ask_command(request: Enrich, store: Store, places: Places, env: Mapping[str, str]) -> list[str]:
    mark = tail.mark_from(store.notes(request.session).get(READ_NOTE))
    transcript = read_new_entries(request.host, request.transcript, mark)
    if transcript is None:
        return []
    scope = learn.find_scope(places.root, time.time(), f"{request.host}:{request.session}:enriched")
    memories = store.recall("", project=scope.project, branch=scope.branch, at=scope.at, limit=20)
    text = helper_messages.encode_request(transcript.entries, memories, scope, redact)
    store.set_notes(
        request.session, {READ_NOTE: to_builtins(transcript.position)}
    )  # also if the command fails, so that the same text is not sent again
    if not text:
        return []
    helper_env = {
        **env,
        **DISABLED_HOOKS_ENV,
        "HOOKLINE_PROJECT_DIR": places.root,
        "HOOKLINE_SESSION_ID": request.session,
    }
    result = run_command.run(
        (*SHELL, request.command),
        stdin=text.encode() + b"\n",
        cwd=places.root or "/",
        env=helper_env,
        timeout=request.within,
        max_bytes=_MAX_OUTPUT_BYTES,
    )
    new = learn.store_memories(
        store, helper_messages.parse_reply(_check_output(result, request), scope, redact), time.time()
    )
    learn.note_unreported(store, scope.root, new)
    return [memory.id for memory in new]


def _check_output(result: ProcessResult, request: Enrich) -> str:
    """Return the command's output; raise `ValueError` with the reason if it failed."""
    if result.problem:
        raise ValueError(f"could not be started: {result.problem}")
    if result.timed_out:
        raise ValueError(f"timed out after {request.within:g} s")
    if result.code:
        reason = next(_nonempty_lines(result.stderr), "")
        raise ValueError(f"exited with status {result.code}{f': {reason[:200]}' if reason else ''}")
    if "stdout" in result.cut:
        raise ValueError(f"printed more than {_MAX_OUTPUT_BYTES // 1024} kB")
    return result.stdout


def _nonempty_lines(text: str) -> Iterator[str]:
    return (line.strip() for line in redact(text).splitlines() if line.strip())


def _record_failure(folder: str, request: Enrich, event: str, cwd: str, reason: str) -> str:
    """Record the failure in the trail and return its sentence."""
    sentence = redact(f"the command of [hooks.memory] enrich failed: {reason}")
    step = {"hook": HOOK, "said": "failed", "rule": RULE, "note": sentence}
    record = Record(
        id=os.urandom(16).hex(),
        at=time.time(),
        session=request.session,
        host=request.host,
        event=event,
        cwd=redact(cwd),
        summary=sentence,
        rules=(RULE,),
        warnings=(sentence,),
        trail=(step,),
    )
    spool.append(folder, record)
    return sentence
