"""Webhooks, sent from a process of their own, and the audit record of a failure.

The caller and the answering process do not wait. The URL itself is never logged: it is often a secret.
"""

import json
import os
import sys
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from hookline.core.events import Event
from hookline.core.frozen import thaw
from hookline.core.response import Post
from hookline.core.store import Record
from hookline.redact import redact
from hookline.system import spool
from hookline.system.paths import Places
from hookline.system.process import detached

HOOK = "stop-notify"
RULE = f"{HOOK}:webhook"
"""Rule name of failures in the audit trail."""
_MAIN = "from hookline.system.send_webhook import main; main()"


def post(effect: Post, event: Event, places: Places, env: Mapping[str, str]) -> str:
    """Start a process that sends the webhook; return an error message if that fails."""
    record_fields = {
        "session": event.session,
        "host": event.host,
        "event": event.name,
        "cwd": redact(event.cwd),
    }
    error_message = check_url(effect.to)
    if not error_message:
        job = {"to": effect.to, "says": thaw(effect.content), "spool": places.spool, "about": record_fields}
        try:
            argv = [sys.executable, "-P", "-c", _MAIN]
            detached.start(argv, stdin=json.dumps(job).encode(), env=detached.environment(env))
        except OSError as error:
            error_message = f"no process could be started: {error.strerror}"
    if error_message:
        return record_failure(places.spool, record_fields, error_message)
    return ""


def check_url(url: str) -> str:
    """Return an error message for an invalid URL, else an empty string; the URL is not repeated."""
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        valid = False
    return "" if valid else "the URL must begin with http:// or https:// and have a host"


def record_failure(folder: str, record_fields: Mapping[str, Any], error_message: str) -> str:
    """Append the failure to the audit trail; return it as a sentence."""
    sentence = redact(f"the webhook failed: {error_message}")
    step = {"hook": HOOK, "said": "failed", "rule": RULE, "note": sentence}
    fields = {
        **record_fields,
        "summary": sentence,
        "rules": (RULE,),
        "warnings": (sentence,),
        "trail": (step,),
    }
    record = Record(id=os.urandom(16).hex(), at=time.time(), **fields)
    try:
        spool.append(folder, record)
    except OSError as error:
        return f"{sentence}; recording this failed too: {error.strerror}"
    return sentence
