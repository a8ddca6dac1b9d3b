"""JSON read and written by the standard library's parts in C alone; what they cannot do is left to it.

`json` compiles six regular expressions for those who lack these parts, and a call of a host would wait for
them: two milliseconds.
"""

from __future__ import annotations

from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from json import dumps, loads
    from typing import Any

__all__ = ["dumps", "loads"]

BLANK = " \t\n\r"
USUAL = (", ", ": ")


class _How:
    """As `json.loads` reads by default."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int = float, int
    parse_constant = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}.__getitem__


if not TYPE_CHECKING:

    def loads(text: str | bytes) -> Any:
        """As `json.loads`."""
        try:
            told = (text if isinstance(text, str) else text.decode()).strip(BLANK)
            value, end = _scanner()(told, 0)
        except (ImportError, StopIteration, SystemError, ValueError):
            end, told = -1, ""
        if end == len(told):
            return value
        import json  # noqa: PLC0415 -- which says best what is wrong, and knows other encodings

        return json.loads(text)

    def dumps(
        value: Any,
        *,
        default: Callable[[Any], Any] | None = None,
        separators: tuple[str, str] = USUAL,
        sort_keys: bool = False,
    ) -> str:
        """As `json.dumps`."""
        try:
            return "".join(_encoder(default, separators, sort_keys)(value, 0))
        except (ImportError, RecursionError):
            import json  # noqa: PLC0415 -- which says best what is wrong with one that holds itself

            return json.dumps(value, default=default, separators=separators, sort_keys=sort_keys)


@lru_cache(maxsize=1)
def _scanner() -> Callable[[str, int], tuple[Any, int]]:
    from _json import make_scanner  # noqa: PLC0415 -- not every Python has it

    return make_scanner(_How)  # type: ignore[arg-type]  # it asks for no more than that


@lru_cache(maxsize=16)
def _encoder(
    default: Callable[[Any], Any] | None, separators: tuple[str, str], sort_keys: Any
) -> Callable[[Any, int], tuple[str, ...]]:
    from _json import encode_basestring_ascii, make_encoder  # noqa: PLC0415 -- not every Python has it

    between, behind_key = separators
    return make_encoder(
        markers=None,  # it holds nothing of what it encodes, so that one is enough for all
        default=default or _refuse,
        encoder=encode_basestring_ascii,
        indent=None,
        key_separator=behind_key,
        item_separator=between,
        sort_keys=sort_keys,
        skipkeys=False,
        allow_nan=True,
    )


def _refuse(value: object) -> None:
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")
