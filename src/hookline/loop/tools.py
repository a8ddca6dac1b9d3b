"""What a tool is, and how a function becomes one: its signature says what the model may give it."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, get_type_hints

from msgspec import NODEFAULT, ValidationError, convert, defstruct
from msgspec.json import schema_components

from hookline.core.frozen import Frozen, frozen

SECONDS = 120.0
"""What a tool may take unless it says otherwise."""


class Failed(Exception):
    """A tool raises it to tell the model what went wrong, in exactly these words."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Tool:
    """Something that a model may call."""

    name: str
    run: Callable[..., Any] = field(repr=False)
    """Called with the input by name; may be `async`. What it raises is told to the model."""
    about: str = ""
    schema: Mapping[str, Any] = field(default_factory=Frozen, repr=False)
    """JSON Schema of the input."""
    kind: str = "other"
    """What sort it is, so that the guards know it: shell, read, write, edit, search, fetch, ..."""
    places: Mapping[str, str] = field(default_factory=Frozen)
    """Where command, path, pattern and content lie in the input, unless they are called just that."""
    seconds: float | None = SECONDS
    """None is as long as it likes."""


def tool(
    function: Callable[..., Any],
    *,
    name: str = "",
    kind: str = "other",
    places: Mapping[str, str] | None = None,
    seconds: float | None = SECONDS,
) -> Tool:
    """The tool that *function* is: its docstring says what it does, its annotations what it takes."""
    hints = get_type_hints(function)
    fields = [
        (one.name, hints.get(one.name, Any), NODEFAULT if one.default is one.empty else one.default)
        for one in inspect.signature(function).parameters.values()
    ]
    wanted = defstruct("Input", fields, kw_only=True, forbid_unknown_fields=True)
    _, components = schema_components([wanted], ref_template="#/$defs/{name}")
    schema = components.pop("Input")

    def run(**given: Any) -> Any:
        try:
            checked = convert(given, wanted)
        except ValidationError as error:
            raise Failed(f"the input does not fit: {error}") from None
        return function(**{one: getattr(checked, one) for one, *_ in fields})

    return Tool(
        name=name or function.__name__,
        run=run,
        about=inspect.cleandoc(function.__doc__ or ""),
        schema=frozen({**schema, "$defs": components} if components else schema),
        kind=kind,
        places=Frozen(places or {}),
        seconds=seconds,
    )
