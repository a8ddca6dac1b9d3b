"""The command line that a host's settings contain: building it, and recognising it.

Teammates share a project's files, and the program may be missing on their machines. There a guard stands
before the call: without the program, the entry for the session's start prints one warning with the command
that installs it, and every other entry passes.
"""

import re
import shlex
from typing import Any

from hookline.core.events import Notification, SessionStart, UserPromptSubmit
from hookline.core.host import Host, Reply, Said
from hookline.core.outcome import Outcome

INSTALL = "pipx install hookline"
MISSING = f"the hooks of this project need hookline, which is not installed here; install it with: {INSTALL}"
WORD = r"(?:[\w@%+=:,./\\-]|'[^']*'|\"'\")+"
"""A pattern of one word, quoted as `shlex.quote` does."""
TESTED = rf"command -v {WORD} "
"""A pattern of the test for any program."""
_PRINTED = rf"printf '%s\\n' {WORD}(?: >&2)?; "
_GUARD = re.compile(
    rf"command -v (?P<program>{WORD}) >/dev/null 2>&1 \|\| "
    rf"(?:exit 0|\{{ (?:{_PRINTED})+exit 0; \}}); (?:exec )?(?P<call>.*)",
    re.DOTALL,
)


def call(program: str, host: str) -> str:
    """Return the command that calls *program*, which is quoted for a shell, for *host*."""
    return f"{program} hook {host}"


def guard(program: str, host: Host, moment: str) -> str:
    """Return the shell text that replies in place of *program* where it is missing, and exits with 0."""
    reply = _without_program(host, moment)
    prints = [
        f"printf '%s\\n' {shlex.quote(text.rstrip())}{to}; "
        for text, to in ((reply.stdout, ""), (reply.stderr, " >&2"))
        if text
    ]
    ends = f"{{ {''.join(prints)}exit 0; }}" if prints else "exit 0"
    return f"command -v {_first(program)} >/dev/null 2>&1 || {ends}; "


def _first(program: str) -> str:
    return shlex.quote(shlex.split(program)[0])


def _without_program(host: Host, moment: str) -> Reply:
    if host.moments[moment].event is not _warned_at(host):
        return Reply(stdout=host.silence(moment))
    event = Notification(host=host.name)
    outcome = Outcome(event=event, warnings=(MISSING,))
    return host.encode(Said(name=moment, event=event, outcome=outcome))


def _warned_at(host: Host) -> type | None:
    """The session's start; the prompt for a host that does not report its start."""
    events = {row.event for row in host.moments.values()}
    return next((one for one in (SessionStart, UserPromptSubmit) if one in events), None)


def unguarded(line: str) -> str:
    """Return *line* without the guard that `guard` builds, with any warning in it; other lines unchanged."""
    found = _GUARD.fullmatch(line) if line.startswith("command -v ") else None
    if found is None or not found["call"].startswith(f"{found['program']} "):
        return line
    return str(found["call"])


def without_guards(value: Any) -> Any:
    """Return a JSON *value* with each text in it unguarded."""
    if isinstance(value, str):
        return unguarded(value)
    if isinstance(value, dict):
        return {key: without_guards(one) for key, one in value.items()}
    return [without_guards(one) for one in value] if isinstance(value, list) else value
