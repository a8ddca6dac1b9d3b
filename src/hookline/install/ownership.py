"""Recognition of hookline's own entries in a host's settings, and of other entries that call hookline.

Only entries in exactly the format that hookline writes are its own: a user's entry is never removed because
it mentions hookline. Whether an entry calls hookline is decided by parsing its command as a shell would.
"""

import posixpath
import shlex
from collections.abc import Iterator, Sequence
from typing import Any

from hookline.core.install_table import InstallEntry, OwnFiles, SettingsFile
from hookline.install.host_command import TEST_PATTERN, WORD_PATTERN, build_call, strip_guard
from hookline.install.jsonc import Node, NotJson, parse
from hookline.lazy import re
from hookline.shell import read
from hookline.system.own_command import CLIENT

PROGRAM = "@hookline@"
"""Placeholder in patterns for any program that starts hookline."""
NAME = "hookline"
ANY_SECONDS = 60.0
"""Timeout in patterns, in seconds; a pattern matches any number there."""
_MAX_DEPTH = 8
_COMMAND = rf"(?P<program>{WORD_PATTERN}(?: -m hookline)?)"
_PROGRAM_NAME = re.compile(r"hookline(?:-client)?(?:\.exe)?(?:(?:@|==).*)?")
_PYTHON = re.compile(r"python(?:\d+(?:\.\d+)*)?w?(?:\.exe)?")
_MARKER = re.compile(r"(?:#|//) (?:Made|Written) by hookline\b")


def is_our_entry(value: Any, layout: SettingsFile, moment: str, host: str) -> bool:
    """Return whether an entry of a *moment*'s list contains a command in hookline's format."""
    return next(our_positions(value, layout, moment, host), None) is not None


def our_positions(value: Any, layout: SettingsFile, moment: str, host: str) -> Iterator[int]:
    """Yield the positions of hookline's commands in an entry; 0 if an entry has a single command."""
    pattern, key = _entry_pattern(layout, moment, host), command_list_key(layout, moment, host)
    if key is None:
        yield from [0] if matches_pattern(pattern, value, host) else []
    elif isinstance(value, dict) and value.keys() == pattern.keys() and isinstance(value[key], list):
        rest_matches = all(
            matches_pattern(pattern[name], value[name], host) for name in pattern if name != key
        )
        for number, item in enumerate(value[key] if rest_matches else ()):
            if matches_pattern(pattern[key][0], item, host):
                yield number


def command_list_key(layout: SettingsFile, moment: str, host: str) -> str | None:
    """Return the key under which an entry lists its commands; None if an entry has a single command."""
    pattern = _entry_pattern(layout, moment, host)
    items = pattern.items() if isinstance(pattern, dict) else ()
    return next((key for key, value in items if isinstance(value, list) and PROGRAM in str(value)), None)


def _entry_pattern(layout: SettingsFile, moment: str, host: str) -> Any:
    return layout.make_entry(_pattern_entry(moment, host))


def matches_pattern(pattern: Any, value: Any, host: str) -> bool:
    """Return whether *value* equals *pattern*, with any program and any timeout."""
    if isinstance(pattern, str):
        return isinstance(value, str) and (value == pattern or _is_our_command(pattern, value, host))
    if isinstance(pattern, dict):
        same_shape = isinstance(value, dict) and value.keys() == pattern.keys()
        return same_shape and all(
            matches_pattern(expected, value[key], host) for key, expected in pattern.items()
        )
    if isinstance(pattern, list):
        same_shape = isinstance(value, list) and len(value) == len(pattern)
        return same_shape and all(
            matches_pattern(expected, inner, host) for expected, inner in zip(pattern, value, strict=True)
        )
    if isinstance(pattern, bool) or pattern is None:
        return value is pattern
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_our_command(pattern: str, value: str, host: str) -> bool:
    """Return whether *value* is the command of this version, or the bare command of any version."""
    if PROGRAM not in pattern:
        return False
    bare = rf"{PROGRAM} hook {re.escape(host)}(?: --event \S+)?"
    exact = re.escape(pattern).replace(re.escape(PROGRAM), PROGRAM)
    command = strip_guard(value)
    for template in (exact, bare):
        match = re.fullmatch(template.replace(PROGRAM, _COMMAND, 1).replace(PROGRAM, "(?P=program)"), command)
        if match is not None:
            return _is_program(match["program"])
    return False


def _is_program(text: str) -> bool:
    try:
        words = shlex.split(text)
    except ValueError:
        return False
    return runs_as_module(words) or (len(words) == 1 and _basename(words[0]) in (NAME, f"{NAME}.exe", CLIENT))


def runs_as_module(words: Sequence[str]) -> bool:
    """Return whether *words* are `python -P -m hookline`, which a shell parser takes for a Python script."""
    return [word for word in words[1:] if word != "-P"] == ["-m", NAME] and _PYTHON.fullmatch(
        _basename(words[0])
    ) is not None


def _basename(path: str) -> str:
    return posixpath.basename(path.replace("\\", "/"))


def calls_hookline(command: str, host: str) -> bool:
    """Return whether a shell would call hookline for *host*: directly, in a pipe or through a wrapper."""
    if NAME not in command or "hook" not in command or host not in command:
        return False
    return any(_is_call([word.text for word in parsed.words], host) for parsed in read(command).commands)


def _is_call(words: Sequence[str], host: str) -> bool:
    return list(words[1:3]) == ["hook", host] and _PROGRAM_NAME.fullmatch(_basename(words[0])) is not None


def entry_calls_hookline(value: Any, layout: SettingsFile, moment: str, host: str) -> bool:
    """Return whether an entry, no matter who wrote it, makes the host call hookline."""
    return is_our_entry(value, layout, moment, host) or any(
        calls_hookline(command, host)
        for command in _find_commands(value, _command_keys(_entry_pattern(layout, moment, host)), 0)
    )


def _command_keys(pattern: Any) -> frozenset[str]:
    """Return the keys whose values are commands."""
    if isinstance(pattern, list):
        return frozenset().union(*map(_command_keys, pattern))
    if not isinstance(pattern, dict):
        return frozenset()
    keys = {key for key, value in pattern.items() if isinstance(value, str) and PROGRAM in value}
    return frozenset(keys).union(*map(_command_keys, pattern.values()))


def _find_commands(value: Any, keys: frozenset[str], depth: int) -> Iterator[str]:
    if isinstance(value, str) and not depth:
        yield value
    if isinstance(value, dict):
        arguments = value.get("args")
        texts = [word for word in arguments if isinstance(word, str)] if isinstance(arguments, list) else []
        for key in keys & value.keys():
            if isinstance(value[key], str):
                yield shlex.join([value[key], *texts]) if texts else value[key]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for item in items if depth < _MAX_DEPTH else ():
        if isinstance(item, dict | list):
            yield from _find_commands(item, keys, depth + 1)


def is_our_file(text: str, name: str, layout: OwnFiles, moments: Sequence[str], host: str) -> bool:
    """Return whether hookline generated a file, by its content or by the marker in its first lines."""
    if any(_MARKER.match(line) for line in text.splitlines()[:2]):
        return True
    template = layout.make_files(tuple(_pattern_entry(moment, host) for moment in moments)).get(name)
    document, pattern = _try_parse(text), _try_parse(template or "")
    if template is None or document is None or pattern is None:
        return False
    if PROGRAM not in template:
        return bool(document.value == pattern.value)
    return f"hook {host}" in text and is_part_of(pattern.value, document.value, host)


def matches_template(text: str, template: str) -> bool:
    """Return whether *text* equals *template*, with any program in place of `PROGRAM`."""
    regex = re.escape(template).replace(re.escape(PROGRAM), PROGRAM)
    regex = regex.replace(re.escape(f"command -v {PROGRAM} "), TEST_PATTERN)
    match = re.fullmatch(regex.replace(PROGRAM, _COMMAND, 1).replace(PROGRAM, "(?P=program)"), text)
    return match is not None and (PROGRAM not in template or _is_program(match["program"]))


def _pattern_entry(moment: str, host: str) -> InstallEntry:
    return InstallEntry(moment=moment, command=build_call(PROGRAM, host), timeout=ANY_SECONDS)


def _try_parse(text: str) -> Node | None:
    try:
        return parse(text)
    except NotJson:
        return None


def is_part_of(pattern: Any, value: Any, host: str) -> bool:
    """Return whether *value* has nothing that is not in *pattern*; it may lack moments."""
    if isinstance(pattern, dict) and isinstance(value, dict):
        return value.keys() <= pattern.keys() and all(
            is_part_of(pattern[key], item, host) for key, item in value.items()
        )
    if isinstance(pattern, list) and isinstance(value, list):
        return all(any(is_part_of(item, entry, host) for item in pattern) for entry in value)
    return matches_pattern(pattern, value, host)
