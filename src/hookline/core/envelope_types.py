"""The JSON types of the portable protocol, separate from our own types so that the protocol stays stable."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar, get_args

import msgspec
from msgspec import Meta, Struct

from hookline.core.events import EVENTS

Action = Literal["passThrough", "injectContext", "block", "modify", "ask", "allow"]
Instant = Annotated[datetime, Meta(tz=True)]


class BudgetWire(Struct, rename="camel", kw_only=True):
    """The budget of the session."""

    used_tokens: Annotated[int | None, Meta(description="Tokens in the context now.")] = None
    max_tokens: Annotated[int | None, Meta(description="Tokens of the whole context.")] = None
    effective_limit: Annotated[
        int | None, Meta(description="Tokens that may be used; `maxTokens` if absent.")
    ] = None
    percent_used: Annotated[
        float | None, Meta(description="Percentage of the limit in use; overrides the tokens.")
    ] = None
    estimated_cost_usd: Annotated[float | None, Meta(description="US dollars of the session so far.")] = None
    ends_at: Annotated[float | None, Meta(description="Unix seconds.")] = None


class ToolWire(Struct, rename="camel", kw_only=True):
    """The tool call that the event is about."""

    name: Annotated[str | None, Meta(description="The host's name of the tool.")] = None
    kind: Annotated[
        str | None, Meta(description="hookline's kind of tool: shell, read, write, edit, search, ...")
    ] = None
    input: dict[str, Any] | None = None
    output: Any = None
    success: bool | None = None
    error: str | None = None
    duration_ms: float | None = None


class ModelWire(Struct, rename="camel", kw_only=True):
    """The model call that the event is about."""

    name: str | None = None
    messages: list[Any] | None = None
    response: Any = None
    usage: dict[str, Any] | None = None


class CompactWire(Struct, rename="camel", kw_only=True):
    """The compaction that is about to happen, or has happened."""

    trigger: str | None = None
    instructions: str | None = None
    summary: str | None = None


class SubagentWire(Struct, rename="camel", kw_only=True):
    """The subagent that the event belongs to."""

    id: str | None = None
    type: str | None = None


class NotificationWire(Struct, rename="camel", kw_only=True):
    """The notification that the host shows to the user."""

    kind: str | None = None
    text: str | None = None


class ThresholdWire(Struct, rename="camel", kw_only=True):
    """The budget threshold that was crossed."""

    kind: Annotated[str | None, Meta(description="The budget: time or tokens.")] = None
    percent: float | None = None


class EventEnvelope(Struct, rename="camel", kw_only=True):
    """One event of a session. Fields that do not apply are absent; unknown fields are ignored."""

    version: Literal[1] | None = None
    hook: Annotated[str, Meta(description="Name of the event.", extra_json_schema={"enum": list(EVENTS)})]
    timestamp: Annotated[Instant | None, Meta(description="RFC 3339.")] = None
    session_id: str | None = None
    agent: str | None = None
    host: str | None = None
    repository: str | None = None
    branch: str | None = None
    cwd: str | None = None
    turn: str | None = None
    subagent: SubagentWire | None = None
    budget: BudgetWire | None = None
    tool: ToolWire | None = None
    prompt: str | None = None
    model: ModelWire | None = None
    compact: CompactWire | None = None
    source: Annotated[str | None, Meta(description="Reason for the start of the session.")] = None
    reason: Annotated[str | None, Meta(description="Reason for the end of the session.")] = None
    notification: NotificationWire | None = None
    threshold: ThresholdWire | None = None
    continuing: Annotated[
        bool | None, Meta(description="True if a hook has already continued this turn.")
    ] = None
    last_assistant_text: str | None = None


class ResponseEnvelope(Struct, rename="camel", kw_only=True):
    """The response to an event. Unknown fields are ignored."""

    version: Literal[1] | None = None
    action: Action
    reason: str | None = None
    additional_context: Annotated[str | list[str] | None, Meta(description="Text for the agent.")] = None
    warnings: Annotated[str | list[str] | None, Meta(description="Text for the user.")] = None
    modified_input: dict[str, Any] | list[Any] | None = None
    modified_output: Any = None
    replace_context: Annotated[
        bool | None, Meta(description="True to replace the context of earlier hooks.")
    ] = None
    metadata: Annotated[
        dict[str, Any] | None,
        Meta(
            description="`rule` is the id of the rule that decided; `handoff` has the content of a handoff."
        ),
    ] = None


_Wire = TypeVar("_Wire", bound=Struct)


def convert(data: Mapping[str, Any], wire: type[_Wire]) -> _Wire:
    """Convert *data* to the type *wire*; raise `ValueError` that names the wrong field but not its value."""
    try:
        return msgspec.convert(data, wire)
    except msgspec.ValidationError as error:
        raise ValueError(_describe_error(error)) from None


_TYPE_NAMES = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "object": "an object",
    "array": "a list",
    "datetime": "an RFC 3339 time",
}
_ALLOWED_VALUES = {"version": "1", "action": ", ".join(get_args(Action))}


def _describe_error(error: msgspec.ValidationError) -> str:
    problem, _, location = str(error).partition(" - at ")
    field = re.sub(r"^.*\$\.?|`$", "", location)
    if missing := re.search(r"missing required field `(.+)`", problem):
        return f"field {missing[1]!r} is missing"
    if types := re.fullmatch(r"Expected `(.+)`, got `(.+)`", problem):
        return (
            f"field {field!r} is {_name_types(types[2])}, not {_name_types(types[1].removesuffix(' | null'))}"
        )
    if field in _ALLOWED_VALUES:
        return f"field {field!r} must be one of: {_ALLOWED_VALUES[field]}"
    return f"field {field!r} must be an RFC 3339 time with a time zone"


def _name_types(types: str) -> str:
    return " or ".join(_TYPE_NAMES.get(name, name) for name in types.split(" | "))


def build_schema(wire: type[Struct], title: str) -> dict[str, Any]:
    header = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}
    return {**header, "description": (wire.__doc__ or "").strip(), **msgspec.json.schema(wire)}
