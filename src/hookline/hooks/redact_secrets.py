"""Take secrets out of what tools print and models read: tokens, private keys, passwords; the rest stays.

Where a host cannot change the text, a person is told of what kind the secret is and where; never the secret.
"""

from __future__ import annotations

from hookline.core.events import PostToolUse, PreModelCall, PreToolUse
from hookline.core.frozen import Frozen
from hookline.core.hook import hook
from hookline.core.response import Response, modify, warn
from hookline.core.rule_exceptions import Allow, noted
from hookline.core.state import State
from hookline.hooks._redact_secrets import Searched, file_of_rules, searched, told, tree, wrapped


@hook(
    priority=30,
    nature="policy",
    why=tree,
    stricter={"wrap": (True,)},
)
def redact_secrets(
    event: PostToolUse | PreModelCall | PreToolUse,
    state: State,
    *,
    allow: Allow = (),
    rules: str = "",
    wrap: bool = False,
) -> Response | None:
    if isinstance(event, PreToolUse):
        return _wrapped(event, state) if wrap else None
    more, complaint = file_of_rules(rules, state)
    found = searched(event, more, allow)
    changed = noted(_changed(event.changes, found), found.kept.items())
    return complaint.plus(changed) if complaint and changed else complaint or changed


def _changed(field: str, found: Searched) -> Response | None:
    change = None
    if found.found:
        change = modify(**{field: found.value}, reason=told(found.found), rule=found.found[0][0])
    if not found.in_error:
        return change
    seen = f"the error text shows a secret, so treat it as seen: {told(found.in_error)}"
    warning = warn(f"redact-secrets: {seen}")
    return change.plus(warning) if change else warning


def _wrapped(event: PreToolUse, state: State) -> Response | None:
    if event.kind != "shell" or not event.command:
        return None
    new = wrapped(event.command, str(state.facts.get("ourselves", "hookline")))
    if new is None:
        return None
    place = event.places.get("command", "command")
    return modify(input=Frozen({**event.input, place: new}), reason="its output is redacted", rule="wrap")
