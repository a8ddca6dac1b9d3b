"""Tools: functions with a name and a JSON Schema, which the function's signature provides."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, get_type_hints

from msgspec import NODEFAULT, ValidationError, convert, defstruct
from msgspec.json import schema_components

from hookline.core.frozen import Frozen, freeze

TIMEOUT_SECONDS = 120.0
"""Default time limit of a tool, in seconds."""


class Failed(Exception):
    """Error that a tool raises; the model reads exactly its message."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Tool:
    """A function that a model may call."""

    name: str
    run: Callable[..., Any] = field(repr=False)
    """Called with the input as keyword arguments; may be `async`. The model reads its exceptions."""
    about: str = ""
    schema: Mapping[str, Any] = field(default_factory=Frozen, repr=False)
    """JSON Schema of the input."""
    kind: str = "other"
    """Category by which guards recognise the tool: shell, read, write, edit, search, fetch, ..."""
    input_keys: Mapping[str, str] = field(default_factory=Frozen)
    """Input keys of command, path, pattern and content, if they have other names."""
    seconds: float | None = TIMEOUT_SECONDS
    """Time limit in seconds; None is unlimited."""


def tool(
    function: Callable[..., Any],
    *,
    name: str = "",
    kind: str = "other",
    input_keys: Mapping[str, str] | None = None,
    seconds: float | None = TIMEOUT_SECONDS,
) -> Tool:
    """Make a tool of *function*: its docstring becomes the description, its annotations the schema."""
    hints = get_type_hints(function)
    fields = [
        (
            parameter.name,
            hints.get(parameter.name, Any),
            NODEFAULT if parameter.default is parameter.empty else parameter.default,
        )
        for parameter in inspect.signature(function).parameters.values()
    ]
    input_type = defstruct("Input", fields, kw_only=True, forbid_unknown_fields=True)
    _, components = schema_components([input_type], ref_template="#/$defs/{name}")
    schema = components.pop("Input")

    def run(**arguments: Any) -> Any:
        try:
            checked = convert(arguments, input_type)
        except ValidationError as error:
            raise Failed(f"invalid input: {error}") from None
        return function(**{key: getattr(checked, key) for key, *_ in fields})

    return Tool(
        name=name or function.__name__,
        run=run,
        about=inspect.cleandoc(function.__doc__ or ""),
        schema=freeze({**schema, "$defs": components} if components else schema),
        kind=kind,
        input_keys=Frozen(input_keys or {}),
        seconds=seconds,
    )
