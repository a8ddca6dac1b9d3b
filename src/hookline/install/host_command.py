"""Construction and recognition of the command line in a host's settings.

Teammates share a project's files, and the program may be missing on their machines. There a guard precedes
the call: without the program, the entry for the session's start prints one warning,
and every other entry passes.
"""

import shlex
from typing import Any

from hookline.core.events import Notification, SessionStart, UserPromptSubmit
from hookline.core.host import Host, Reply, ReplyContext
from hookline.core.outcome import Outcome
from hookline.lazy import re

MISSING_MESSAGE = (
    "the hooks of this project need hookline, which is not installed here; install it as your team does"
)
"""The same on every machine, because the file is shared."""
WORD_PATTERN = r"(?:[\w@%+=:,./\\-]|'[^']*'|\"'\")+"
"""Pattern of one word, quoted as `shlex.quote` does."""
TEST_PATTERN = rf"command -v {WORD_PATTERN} "
"""Pattern of the test for any program."""
_PRINT_PATTERN = rf"printf '%s\\n' {WORD_PATTERN}(?: >&2)?; "
_GUARD = re.compile(
    rf"command -v (?P<program>{WORD_PATTERN}) >/dev/null 2>&1 \|\| "
    rf"(?:exit 0|\{{ (?:{_PRINT_PATTERN})+exit 0; \}}); (?:exec )?(?P<call>.*)",
    re.DOTALL,
)


def build_call(program: str, host: str) -> str:
    """Return the command that calls *program*, which is quoted for a shell, for *host*."""
    return f"{program} hook {host}"


def build_guard(program: str, host: Host, moment: str) -> str:
    """Return the shell text that replies in place of a missing *program* and exits with 0."""
    reply = _reply_without_program(host, moment)
    prints = [
        f"printf '%s\\n' {shlex.quote(text.rstrip())}{redirect}; "
        for text, redirect in ((reply.stdout, ""), (reply.stderr, " >&2"))
        if text
    ]
    fallback = f"{{ {''.join(prints)}exit 0; }}" if prints else "exit 0"
    return f"command -v {_quote_program(program)} >/dev/null 2>&1 || {fallback}; "


def _quote_program(program: str) -> str:
    return shlex.quote(shlex.split(program)[0])


def _reply_without_program(host: Host, moment: str) -> Reply:
    if host.moments[moment].event is not _warning_event(host):
        return Reply(stdout=host.encode_empty_reply(moment))
    event = Notification(host=host.name)
    outcome = Outcome(event=event, warnings=(MISSING_MESSAGE,))
    return host.encode(ReplyContext(name=moment, event=event, outcome=outcome))


def _warning_event(host: Host) -> type | None:
    """Return the event that carries the warning: the session's start, or else the prompt."""
    events = {row.event for row in host.moments.values()}
    return next((event for event in (SessionStart, UserPromptSubmit) if event in events), None)


def strip_guard(line: str) -> str:
    """Return *line* without the guard of `build_guard`, with any warning in it; other lines unchanged."""
    match = _GUARD.fullmatch(line) if line.startswith("command -v ") else None
    if match is None or not match["call"].startswith(f"{match['program']} "):
        return line
    return str(match["call"])


def strip_guards(value: Any) -> Any:
    """Return a JSON *value* with the guard stripped from each text in it."""
    if isinstance(value, str):
        return strip_guard(value)
    if isinstance(value, dict):
        return {key: strip_guards(item) for key, item in value.items()}
    return [strip_guards(item) for item in value] if isinstance(value, list) else value
