"""The texts in what a tool gave back: which of them are too long, and the same value with others."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from hookline.frozen import Frozen
from hookline.hooks._compress.shorten import Limits

_DATA = re.compile(r"(?:data:[\w/+.-]+;base64,)?[A-Za-z0-9+/=_-]{2000}")
_DEEPEST = 6


def fine(text: str, limits: Limits) -> bool:
    """Whether it stays as it is; data in letters has no lines to choose from."""
    return not limits.exceeded(text) or _DATA.match(text) is not None


def mapped(value: Any, change: Callable[[str], str], depth: int = 0) -> Any:
    """The same JSON value with every text in it changed."""
    if isinstance(value, str):
        return change(value)
    if depth < _DEEPEST and isinstance(value, Mapping):
        return Frozen({key: mapped(item, change, depth + 1) for key, item in value.items()})
    if depth < _DEEPEST and isinstance(value, tuple | list):
        return tuple(mapped(item, change, depth + 1) for item in value)
    return value
