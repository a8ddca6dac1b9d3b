"""JSON read and written by the standard library's parts in C alone; what they cannot do is left to it.

`json` compiles six regular expressions for those who lack these parts, and a call of a host would wait for
them: two milliseconds.
"""

from __future__ import annotations

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
            from _json import make_scanner  # noqa: PLC0415 -- not every Python has it

            told = (text if isinstance(text, str) else text.decode()).strip(BLANK)
            value, end = make_scanner(_How)(told, 0)
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
            from _json import encode_basestring_ascii, make_encoder  # noqa: PLC0415 -- not every Python has it
        except ImportError:
            import json  # noqa: PLC0415 -- ditto

            return json.dumps(value, default=default, separators=separators, sort_keys=sort_keys)
        between, behind_key = separators
        encode = make_encoder(
            markers={},
            default=default or _refuse,
            encoder=encode_basestring_ascii,
            indent=None,
            key_separator=behind_key,
            item_separator=between,
            sort_keys=sort_keys,
            skipkeys=False,
            allow_nan=True,
        )
        return "".join(encode(value, 0))


def _refuse(value: object) -> None:
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")
