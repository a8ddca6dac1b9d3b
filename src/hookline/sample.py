"""An event that must be stopped, as a host would tell of it: by it is tried whether the host reaches us."""

from typing import Any

from hookline.events import BLOCK, Event, PreToolUse, Unreadable
from hookline.host import Host
from hookline.payload import compose, decode

FORCE = "git push --force"
RULE = "dangerous-command:git-push-force"


def sample(host: Host, session: str = "s", cwd: str = "/") -> tuple[str, dict[str, Any], Event | None]:
    """A moment at which the *host* can stop a command, a payload that it must stop, and what it means."""
    shell = next((name for name, row in host.tools.items() if row.kind == "shell"), "")
    places = host.tools[shell].places if shell else {}
    event = PreToolUse(
        host=host.name,
        session=session,
        cwd=cwd,
        tool=shell,
        call="hookline-doctor",
        input={places.get("command", "command"): FORCE},
    )
    for name, row in host.moments.items():
        if row.event is PreToolUse and BLOCK in row.can:
            payload = compose(host, event, name)
            found = _decoded(host, payload, name)
            if isinstance(found, PreToolUse) and found.command == FORCE:
                return name, payload, found
    return "", {}, None


def _decoded(host: Host, payload: dict[str, Any], name: str) -> Event | None:
    try:
        found = decode(host, payload, name)
    except Unreadable:
        return None
    return found[1] if found else None
