"""Differences between an entry in a settings file and the entry that `hookline init` would write."""

import json
import posixpath
import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from hookline.install.host_command import strip_guard
from hookline.install.ownership import calls_hookline, runs_as_module
from hookline.redact import redact
from hookline.system.own_command import CLIENT

DEFAULT_VALUES = ("", "*", ".*", False, None)
"""Values that mean the same as a missing key."""
MAX_LENGTH = 120
"""Characters of a value that a message shows."""
NAME = "hookline"


class Difference(Struct, frozen=True, kw_only=True):
    """One difference from the text that init would write."""

    text: str
    moments: tuple[str, ...] = ()
    grave: bool = True
    """True if it may keep the host from calling hookline or reading its reply; a longer timeout does not."""


def find_differences(actual: Any, expected: Any, host: str, path: str = "") -> Iterator[Difference]:
    """Yield all differences, outermost first; entries that do not call hookline are skipped."""
    if isinstance(actual, Mapping) and isinstance(expected, Mapping):
        for key, value in expected.items():
            inner_path = f"{path}.{key}" if path else key
            yield from (
                find_differences(actual[key], value, host, inner_path)
                if key in actual
                else _missing_key(inner_path, value)
            )
        yield from _extra_keys(actual, expected, path)
    elif isinstance(actual, list) and isinstance(expected, list) and any(find_commands(expected, host)):
        our_entries = [our_entry for our_entry in actual if any(find_commands(our_entry, host))]
        if len(our_entries) == len(expected):
            for our_entry, expected_entry in zip(our_entries, expected, strict=True):
                yield from find_differences(our_entry, expected_entry, host, path)
        else:
            yield Difference(text=f"`{path}` calls hookline {len(our_entries)} times, not {len(expected)}")
    elif actual != expected:
        yield _other_value(actual, expected, path)


def _missing_key(path: str, expected: Any) -> Iterator[Difference]:
    yield Difference(text=f"`{path}` is missing", grave=not _is_number(expected))


def _extra_keys(actual: Mapping[str, Any], expected: Mapping[str, Any], path: str) -> Iterator[Difference]:
    for key, value in actual.items():
        if key not in expected and value not in DEFAULT_VALUES:
            inner_path = f"{path}.{key}" if path else key
            yield Difference(text=f"`{inner_path}` is {_format_value(value)}; init does not write this key")


def _other_value(actual: Any, expected: Any, path: str) -> Difference:
    is_longer = _is_number(actual) and _is_number(expected) and actual > expected
    return Difference(
        text=f"`{path}` is {_format_value(actual)}, not {_format_value(expected)}", grave=not is_longer
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _format_value(value: Any) -> str:
    text = redact(json.dumps(value, ensure_ascii=False))
    return text if len(text) <= MAX_LENGTH else f"{text[:MAX_LENGTH]}…"


def find_commands(
    value: Any, host: str, context: tuple[str, ...] = ()
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each text in *value* that calls hookline, with the keys and texts around it."""
    if isinstance(value, str) and is_hookline_command(value, host):
        yield value, context
    if isinstance(value, dict):
        yield from ((line, context) for line in _join_commands(value) if is_hookline_command(line, host))
        inner_context = (*context, *(sibling for sibling in value.values() if isinstance(sibling, str)))
        for key, inner in value.items():
            yield from find_commands(inner, host, (*inner_context, key))
    for inner in value if isinstance(value, list) else ():
        yield from find_commands(inner, host, context)


def _join_commands(value: dict[str, Any]) -> Iterator[str]:
    # Some entries list a program and its arguments under separate keys.
    programs = [text for text in value.values() if isinstance(text, str) and NAME in text]
    argument_lists = [
        text
        for text in value.values()
        if isinstance(text, list) and all(isinstance(word, str) for word in text)
    ]
    yield from (
        shlex.join([text, *arguments]) for text in programs for arguments in argument_lists if arguments
    )


def is_hookline_command(line: str, host: str) -> bool:
    """Return whether a command line calls hookline for *host*, directly or through other commands."""
    return calls_hookline(line, host) or bool(parse_program(line, host))


def parse_program(line: str, host: str) -> str:
    """Return the shell-quoted program by which *line* starts hookline; empty if init writes no such line."""
    prefix, separator, rest = strip_guard(line).partition(f" hook {host}")
    try:
        first, *arguments = shlex.split(prefix)
    except ValueError:
        return ""
    is_hookline = runs_as_module((first, *arguments)) or (
        not arguments and posixpath.basename(first) in (NAME, CLIENT)
    )
    is_whole_word = bool(separator) and rest[:1] in ("", " ")
    return prefix if is_hookline and is_whole_word and prefix == shlex.join((first, *arguments)) else ""


def merge_differences(differences: Iterable[Difference]) -> Iterator[Difference]:
    """Yield each difference once, with all the moments at which it occurs."""
    moments: dict[tuple[str, bool], tuple[str, ...]] = {}
    for difference in differences:
        key = difference.text, difference.grave
        moments[key] = (*moments.get(key, ()), *difference.moments)
    for (text, grave), names in moments.items():
        yield Difference(text=text, grave=grave, moments=tuple(dict.fromkeys(names)))
