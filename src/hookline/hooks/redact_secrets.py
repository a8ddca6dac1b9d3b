"""Redact secrets in tool output and in requests to models.

If the host cannot change the text, the user gets a warning with the kind and place of the secret. `wrap`
pipes shell output through the redactor, and `rules` names a file with more rules.
"""

from __future__ import annotations

from hookline.core.events import PostToolUse, PreModelCall, PreToolUse
from hookline.core.frozen import Frozen
from hookline.core.hook import hook
from hookline.core.response import Response, modify, warn
from hookline.core.rule_exceptions import Allow, note_exceptions
from hookline.core.state import State
from hookline.hooks._redact_secrets import (
    SearchResult,
    format_places,
    load_rule_file,
    search,
    tree,
    wrap_command,
)


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
        return _wrap(event, state) if wrap else None
    more, complaint = load_rule_file(rules, state)
    result = search(event, more, allow)
    changed = note_exceptions(_change_field(event.changeable_field, result), result.exceptions.items())
    return complaint.plus(changed) if complaint and changed else complaint or changed


def _change_field(field: str, result: SearchResult) -> Response | None:
    change = None
    if result.secrets:
        change = modify(
            **{field: result.value}, reason=format_places(result.secrets), rule=result.secrets[0][0]
        )
    if not result.error_secrets:
        return change
    seen = f"the agent saw a secret in the error text; revoke it: {format_places(result.error_secrets)}"
    warning = warn(f"redact-secrets: {seen}")
    return change.plus(warning) if change else warning


def _wrap(event: PreToolUse, state: State) -> Response | None:
    if event.kind != "shell" or not event.command:
        return None
    command = wrap_command(event.command, str(state.facts.get("own_command", "hookline")))
    if command is None:
        return None
    place = event.input_keys.get("command", "command")
    return modify(input=Frozen({**event.input, place: command}), reason="its output is redacted", rule="wrap")
