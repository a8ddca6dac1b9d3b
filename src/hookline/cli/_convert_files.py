"""Hooks read from a host's own files, and hooks.json extended by those that can be converted."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from hookline import hosts
from hookline.cli._confirm_changes import shorten_path
from hookline.core.host import Host
from hookline.core.install_table import Scope, SettingsFile, UserHook
from hookline.core.values import replace
from hookline.install import settings_files
from hookline.install.compare import is_hookline_command
from hookline.install.convert import Conversion, convert_hook
from hookline.install.install_hooks import Plan, locate_settings
from hookline.install.jsonc import Node, NotJson, add_value, append_value, parse
from hookline.install.settings_files import Refused
from hookline.system.paths import Places

BOM = "\ufeff"
EMPTY_FILE = '{\n  "version": 1,\n  "hooks": {}\n}\n'
_NOT_A_NAME = re.compile(r"\d*[<>]+&?\s*\S*|^export \w+=\S+;")
"""Redirections and variables of a command line, from which a hook gets no name."""
IDENTITY_KEYS = ("command", "payload", "moment", "match")
"""Keys by which two entries of one event are the same hook, even if a user changed other keys."""


class ConversionContext(Struct, frozen=True, kw_only=True):
    """The hosts, scope and folders of one conversion."""

    source: Host
    target: Host
    scope: Scope
    payload: str
    places: Places
    env: Mapping[str, str]


class SourceHook(Struct, frozen=True, kw_only=True):
    """A hook in a file of the source host, and its conversion."""

    file: str
    """Path relative to the project or to the home folder."""
    conversion: Conversion


def find_list_format(source: Host) -> SettingsFile:
    """Return how *source* lists its hooks; raise `LookupError` if they cannot be read."""
    layout = source.install.layout if source.install else None
    if isinstance(layout, SettingsFile) and layout.read_entry is not None:
        return layout
    readable = [host.name for host in map(hosts.load, hosts.names()) if _is_readable(host)]
    reason = (
        "use a payload format of their own, which cannot be converted"
        if isinstance(layout, SettingsFile)
        else "cannot be read"
    )
    raise LookupError(f"hooks of {source.name} {reason}; supported hosts: {', '.join(readable)}")


def _is_readable(host: Host) -> bool:
    layout = host.install.layout if host.install else None
    return isinstance(layout, SettingsFile) and layout.read_entry is not None


def read_hooks(context: ConversionContext) -> Iterator[SourceHook]:
    """Yield every hook of the source except those of hookline; raise `Refused` or `NotJson`."""
    layout = find_list_format(context.source)
    main, *others = _list_files(context, layout)
    plugins = [*_list_plugin_files(context, layout)]
    variables, private_names = (
        _read_variables(main, layout),
        [name for path in others for name in _read_variables(path, layout)],
    )
    for path in (main, *others, *plugins):
        name = shorten_path(path, context.places)
        for moment, read in _read_entries(path, layout, context.source):
            written = _set_plugin_folder(read, path, layout, context) if path in plugins else read
            if not _is_ours(written):
                with_variables = replace(
                    written, extra_keys={**written.extra_keys, **({"env": variables} if variables else {})}
                )
                conversion = _convert(context, moment, with_variables, name)
                yield SourceHook(
                    file=name,
                    conversion=_note_missing_variables(conversion, private_names, layout.private_project),
                )


def _read_variables(path: str, layout: SettingsFile) -> dict[str, str]:
    """Return the environment variables that the file sets for all of its hooks."""
    text = _read_text(path).removeprefix(BOM) if layout.variables else ""
    node = _parse_file(path, text, comments=layout.comments) if text.strip() else None
    table = node.at(*layout.table_path[:-1], layout.variables) if node is not None else None
    values = table.value if table is not None and isinstance(table.value, dict) else {}
    return {name: str(value) for name, value in values.items() if isinstance(value, str | int | float)}


def _note_missing_variables(conversion: Conversion, names: Sequence[str], file: str) -> Conversion:
    """Name the user's own variables in the reasons; they may be secrets, so they stay in their file."""
    if not names or not conversion.event:
        return conversion
    return replace(
        conversion, why=(*conversion.why, f"runs without {', '.join(names)}, which only {file} sets")
    )


def _list_files(context: ConversionContext, layout: SettingsFile) -> Iterator[str]:
    yield locate_settings(context.source, context.scope, context.places, context.env)
    if context.scope == "project" and layout.private_project:
        yield f"{context.places.root}/{layout.private_project}"


def _list_plugin_files(context: ConversionContext, layout: SettingsFile) -> Iterator[str]:
    if context.scope == "project":
        for pattern in layout.plugin_files:
            yield from map(str, sorted(Path(context.places.root).glob(pattern)))


def _set_plugin_folder(
    written: UserHook, path: str, layout: SettingsFile, context: ConversionContext
) -> UserHook:
    """Return the hook with the variable of its plugin's folder, which is inside the project."""
    if not isinstance(written.command, str):
        return written
    inside = os.path.relpath(os.path.dirname(os.path.dirname(path)), context.places.root)
    folder = "$HOOKLINE_PROJECT_DIR" if inside == "." else f"$HOOKLINE_PROJECT_DIR/{inside}"
    command = f'export {layout.plugin_env}="{folder}"; {written.command}'
    lost = tuple(loss for loss in written.unconverted if layout.plugin_env not in loss)
    return replace(written, command=command, unconverted=lost)


def _read_entries(path: str, layout: SettingsFile, source: Host) -> Iterator[tuple[str, UserHook]]:
    text = _read_text(path).removeprefix(BOM)
    table = _parse_file(path, text, comments=layout.comments).at(*layout.table_path) if text.strip() else None
    events = table.value if table is not None and isinstance(table.value, dict) else {}
    for moment, entries in events.items():
        if not isinstance(entries, list) and _is_meant_as_hooks(moment, entries, layout, source):
            yield moment, UserHook(refusal="not a list of entries, so its hooks cannot be read")
        for entry in entries if isinstance(entries, list) else ():
            yield from (
                ((moment, written) for written in layout.read_entry(entry)) if layout.read_entry else ()
            )


def _is_meant_as_hooks(name: str, value: Any, layout: SettingsFile, source: Host) -> bool:
    """Return whether a key is meant for hooks; other settings may be in the same table."""
    return name in source.moments or bool(layout.table_path and not isinstance(value, bool))


def _read_text(path: str) -> str:
    try:
        return (settings_files.read(path) or b"").decode()
    except UnicodeDecodeError as error:
        raise Refused(f"{path}: not UTF-8 text (byte {error.start})") from None


def _parse_file(path: str, text: str, *, comments: bool) -> Node:
    try:
        return parse(text, comments=comments)
    except NotJson as error:
        raise Refused(f"{path}: {error}; fix it first") from None


def _is_ours(written: UserHook) -> bool:
    line = written.command if isinstance(written.command, str) else " ".join(written.command)
    return any(is_hookline_command(line, name) for name in hosts.names())


def _convert(context: ConversionContext, moment: str, written: UserHook, file: str) -> Conversion:
    if file in context.target.runs_hooks_of:
        why = f"{context.target.name} already runs the hooks of {file}; a converted hook would run twice"
        return Conversion(moment=moment, written=written, why=(why,), native=True)
    conversion = convert_hook(context.source, context.target, moment, written, context.payload)
    if file != find_list_format(context.source).private_project:
        return conversion
    return replace(
        conversion,
        limits=(*conversion.limits, f"{file} is private, but the converted hook belongs to the project"),
    )


def plan_file(context: ConversionContext, conversions: Sequence[Conversion]) -> Plan:
    """Plan hooks.json with every converted hook, each once."""
    folder = context.places.config if context.scope == "user" else context.places.project
    plan = Plan(host="hookline", scope=context.scope, path=f"{folder}/hooks.json", before=None, after=None)
    try:
        before = settings_files.read(plan.path)
        after = _add_hooks(_read_text(plan.path), context, conversions).encode()
        if after != (before or b""):
            settings_files.check_writable(plan.path)
    except Refused as error:
        return replace(plan, problem=str(error))
    except NotJson as error:
        return replace(plan, problem=f"{plan.path}: {error}; not changed: fix it first")
    return replace(plan, before=before, after=after or None)


def _add_hooks(text: str, context: ConversionContext, conversions: Iterable[Conversion]) -> str:
    for conversion in conversions:
        if conversion.event:
            text = _add_hook(text if text.strip() else EMPTY_FILE, context, conversion)
    return text


def _add_hook(text: str, context: ConversionContext, conversion: Conversion) -> str:
    duplicates = [
        node for node in _find_entries(text, conversion.event) if _is_same_hook(node.value, conversion.entry)
    ]
    if any(context.target.name in node.value.get("hosts", [context.target.name]) for node in duplicates):
        return text
    for node in duplicates:
        host_list = node.at("hosts")
        if host_list is not None and node.value.get("timeout") == conversion.entry["timeout"]:
            return add_value(text, host_list, context.target.name)
    return append_value(
        text,
        ("hooks", conversion.event),
        {"name": _choose_name(text, context.scope, conversion), **conversion.entry},
    )


def _find_entries(text: str, event: str) -> tuple[Node, ...]:
    entries = parse(text).at("hooks", event)
    return (
        tuple(node for node in entries.parts if isinstance(node.value, dict)) if entries is not None else ()
    )


def _is_same_hook(existing: Mapping[str, Any], entry: Mapping[str, Any]) -> bool:
    return all(existing.get(key) == entry.get(key) for key in IDENTITY_KEYS)


def _choose_name(text: str, scope: Scope, conversion: Conversion) -> str:
    """Return a name that is derived from the script and unique in the file."""
    base, taken = (
        f"{scope}.{_derive_stem(conversion.written.command)}",
        _collect_names(parse(text).at("hooks")),
    )
    numbered = (base if number == 1 else f"{base}-{number}" for number in range(1, len(taken) + 2))
    return next(name for name in numbered if name not in taken)


def _collect_names(table: Node | None) -> set[str]:
    lists = table.value.values() if table is not None and isinstance(table.value, dict) else ()
    return {
        str(entry.get("name"))
        for entries in lists
        if isinstance(entries, list)
        for entry in entries
        if isinstance(entry, dict)
    }


def _derive_stem(command: str | tuple[str, ...]) -> str:
    words = command if isinstance(command, tuple) else re.split(r"[\s;|&()]+", _NOT_A_NAME.sub(" ", command))
    clean = [word.strip("\"'") for word in words if word.strip("\"'")]
    paths = [word for word in clean if "/" in word and not word.startswith("-")]
    last = (paths or clean or ["hook"])[0 if not paths else -1].rstrip("/").rpartition("/")[2]
    return re.sub(r"[^a-z0-9_-]+", "-", last.partition(".")[0].lower()).strip("-") or "hook"
