"""Show the configuration with the source of every value, and change it."""

import os
import shlex
import subprocess
import tempfile
from argparse import Namespace
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any, NamedTuple

from hookline.cli import _require_person
from hookline.cli._confirm_changes import shorten_path
from hookline.cli._output import dump, print_problems, print_table, sanitize
from hookline.core.frozen import thaw
from hookline.core.hook import Hook
from hookline.core.host import CONTEXT_CAP, MAX_CONTINUATIONS
from hookline.core.registry import describe_unknown
from hookline.core.store import Limits
from hookline.core.variables import BUDGET_END, SWITCH_PREFIXES, TOKEN_TARGET
from hookline.install.settings_files import make_folders, write
from hookline.policy import edit_toml, read_files
from hookline.policy.layers import switches
from hookline.policy.model import File, Problem
from hookline.policy.parse_files import OPTIONS
from hookline.redact import redact
from hookline.runtime import telemetry
from hookline.runtime.call_hook import DEPTH_VARIABLE
from hookline.runtime.open_store import ADDRESS_VARIABLE, DEFAULT_STORE
from hookline.runtime.runtime import TIMEOUT_SECONDS
from hookline.runtime.setup import SETTINGS_FILES, Setup, find_problems, load_setup
from hookline.runtime.wait_for_person import WAIT_SECONDS

DEFAULTS: Mapping[str, Any] = {
    "profile": "default",
    "import": [],
    "store": DEFAULT_STORE,
    "store_address": "",
    "keep_days": Limits().days,
    "keep_records": Limits().records,
    "answer_within": TIMEOUT_SECONDS,
    "approvals": "host",
    "approvals_within": WAIT_SECONDS,
    "context_cap": CONTEXT_CAP,
    "continuations": MAX_CONTINUATIONS,
}
"""The options of hookline.toml, with their values if no file sets them."""
VARIABLES = (
    ADDRESS_VARIABLE,
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
    "XDG_CACHE_HOME",
    BUDGET_END,
    TOKEN_TARGET,
    DEPTH_VARIABLE,
)
Row = tuple[str, Any, str, str]
"""Name, value, origin, and the file whose value for it was refused."""


def show(args: Namespace) -> int:
    setup = load_setup(dict(os.environ), os.getcwd())
    with closing(setup.resources):
        if args.json:
            dump(_collect_facts(setup))
        else:
            _show(setup)
    return 0


def _collect_facts(setup: Setup) -> dict[str, Any]:
    return {
        "problems": [str(problem) for problem in setup.config.problems],
        "waiting": list(setup.config.waiting),
        "values": [_value_facts(*row) for row in _list_values(setup)],
        "environment": _select_variables(os.environ),
        "files": _list_files(setup),
        "places": _list_places(setup),
        "sinks": _describe_sinks(setup),
    }


def _value_facts(name: str, value: Any, origin: str, refused: str) -> dict[str, Any]:
    return {"name": name, "value": value, "from": origin, **({"refused": refused} if refused else {})}


def _list_values(setup: Setup) -> Iterator[Row]:
    refused = setup.config.refused
    for name, default in DEFAULTS.items():
        setting = setup.config.options.get(name)
        value, origin = (_redact_value(setting.value), setting.origin) if setting else (default, "default")
        yield name, value, origin, refused.get(("", name), "")
    for hook in setup.hooks:
        yield from _list_hook_values(setup, hook)
    for sink in setup.config.sinks:
        values = {"enabled": sink.enabled, **thaw(sink.settings)}
        for key, value in values.items():
            yield f"sinks.{sink.name}.{key}", _hide_headers(key, value), sink.origins.get(key, "default"), ""


def _hide_headers(key: str, value: Any) -> Any:
    """Return headers without their values, which may be credentials."""
    return dict.fromkeys(value, "(not shown)") if key == "headers" else value


def _describe_sinks(setup: Setup) -> dict[str, str]:
    return {state.name: str(state) for state in telemetry.sink_statuses(setup.places, setup.config.sinks)}


def _redact_value(value: Any) -> Any:
    """Redact a text, because an address may contain a password."""
    return redact(value) if isinstance(value, str) else thaw(value)


def _list_hook_values(setup: Setup, hook: Hook) -> Iterator[Row]:
    values = {"enabled": hook.enabled, "priority": hook.priority, "on_failure": hook.on_failure}
    values |= {"on_timeout": hook.on_timeout or hook.on_failure, **thaw(hook.settings)}
    for key, value in values.items():
        refused = setup.config.refused.get((hook.name, key), "")
        yield f"hooks.{hook.name}.{key}", value, _find_origin(setup, hook, key), refused


def _find_origin(setup: Setup, hook: Hook, key: str) -> str:
    if key == "enabled" and hook.off and hook.off in switches(setup.env).values():
        return f"environment: {hook.off}"
    origin = setup.config.origins.get((hook.name, key))
    if origin is None and key == "enabled" and hook.off:
        return hook.off
    return origin or hook.origin or "default"


def _select_variables(env: Mapping[str, str]) -> dict[str, str]:
    """Return the environment variables that hookline reads."""
    names = sorted(name for name in env if name in VARIABLES or name.startswith(SWITCH_PREFIXES))
    return {name: redact(env[name]) for name in names}


def _list_files(setup: Setup) -> list[str]:
    """Return every configuration file that exists, with its displayed name."""
    places = setup.places
    user = read_files.Folder(path=places.config, source="user")
    project = read_files.Folder(path=places.project, source="project", root=places.root)
    names: list[str] = []
    for folder in (user, project):
        candidates = [(name, folder.source) for name in (*SETTINGS_FILES, "hookline.local.toml")]
        names += [file.name for file in read_files.load(folder, candidates) if not isinstance(file, Problem)]
        names += [
            read_files.display_path(path, folder)
            for path in read_files.hook_scripts(folder)
            if isinstance(path, str)
        ]
    return names


def _list_places(setup: Setup) -> dict[str, str]:
    places = setup.places
    main = {"project": places.root, "config": places.config, "state": places.state}
    return {**main, "scratch": places.scratch, "store": places.store, "trust": places.trust}


def _show(setup: Setup) -> None:
    print_problems(setup.config.problems, setup.config.waiting)
    if setup.user_messages:
        print()
    print_table(("setting", "value", "source"), (_format_row(*row) for row in _list_values(setup)))
    _print_section("environment", _select_variables(os.environ), none="no variables of hookline are set")
    print("\nfiles read:")
    print("\n".join(f"  {sanitize(name)}" for name in _list_files(setup)) or "  none")
    _print_section("places", _list_places(setup))
    if setup.config.sinks:
        _print_section("sinks", _describe_sinks(setup))


def _format_row(name: str, value: Any, origin: str, refused: str) -> tuple[str, str, str]:
    return (
        name,
        _format_value(value),
        f"{origin}, because the value in {refused} is invalid" if refused else origin,
    )


def _format_value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) and value else repr(value)


def _print_section(title: str, entries: Mapping[str, str], none: str = "") -> None:
    print(f"\n{title}:")
    width = max(map(len, entries), default=0)
    for name, value in entries.items():
        print(f"  {name:{width}}  {sanitize(value)}")
    if not entries:
        print(f"  {none}")


FILES = {"user": "hookline.toml", "project": "hookline.toml", "local": "hookline.local.toml"}
"""Name of the settings file, by its source."""
SECTIONS = ("hooks", "sinks")
DEFAULT_EDITOR = "vi"


class Target(NamedTuple):
    """The settings file to change, and its present content."""

    path: str
    file: File
    title: str
    """The path as shown to the user."""


def set_value(args: Namespace) -> int:
    _require_person.require_person("changing the settings", os.environ)
    path = _parse_key(args.key)
    literal = edit_toml.format_literal(args.value)
    setup = load_setup(dict(os.environ), os.getcwd())
    with closing(setup.resources):
        target = _find_target(setup, args)
        before = find_problems(setup, target.file)
        text = edit_toml.set_value(target.file.text, path, literal)
        new = _new_problems(before, find_problems(setup, _with_text(target, text)))
    if new:
        raise ValueError("; ".join(problem.text for problem in new))
    _write(target, text)
    print(f"{sanitize(target.title)}: {args.key} = {sanitize(literal)}")
    _report_trust(args)
    return 0


def edit(args: Namespace) -> int:
    _require_person.require_person("changing the settings", os.environ)
    setup = load_setup(dict(os.environ), os.getcwd())
    with closing(setup.resources):
        target = _find_target(setup, args)
        text, problems = target.file.text, list[Problem]()
        while True:
            text = _run_editor(text)
            problems = find_problems(setup, _with_text(target, text))
            for problem in problems:
                print(f"problem: {sanitize(str(problem))}")
            if not problems or not _require_person.ask_user("edit again?"):
                break
    if text == target.file.text:
        print(f"{sanitize(target.title)} is unchanged")
        return 0
    if problems and not _require_person.ask_user("save the file with these problems?"):
        print(f"{sanitize(target.title)} is unchanged")
        return 1
    _write(target, text)
    print(f"{sanitize(target.title)} saved")
    _report_trust(args)
    return 0


def _parse_key(key: str) -> tuple[str, ...]:
    """Return the path of a setting: an option, or a setting of a hook or sink; raise `LookupError`."""
    section, *rest = key.split(".")
    if section in SECTIONS:
        name, dot, setting = ".".join(rest).rpartition(".")
        if not (name and dot and setting):
            raise LookupError(f"incomplete key {key!r}: expected {section}.NAME.SETTING")
        return section, name, setting
    if rest or section not in OPTIONS:
        sections = [f"{section}.NAME.SETTING" for section in SECTIONS]
        raise LookupError(describe_unknown("option", key, [*sorted(OPTIONS), *sections]))
    return (section,)


def _find_target(setup: Setup, args: Namespace) -> Target:
    source = "user" if args.user else "local" if args.local else "project"
    places = setup.places
    folder = read_files.Folder(path=places.config, source="user")
    if source != "user":
        folder = read_files.Folder(path=places.project, source="project", root=places.root)
    path = os.path.join(folder.path, FILES[source])
    text, error = read_files.read(path, folder.root)
    if error:
        raise OSError(f"{path} {error}")
    file = File(
        name=read_files.display_path(path, folder), text=text, source=source, root=folder.root or folder.path
    )
    return Target(path, file, shorten_path(path, places))


def _with_text(target: Target, text: str) -> File:
    file = target.file
    return File(name=file.name, text=text, source=file.source, root=file.root)


def _new_problems(before: list[Problem], after: list[Problem]) -> list[Problem]:
    known = {problem.text for problem in before}
    return [problem for problem in after if problem.text not in known]


def _write(target: Target, text: str) -> None:
    make_folders(target.path, private=target.file.source == "user")
    write(target.path, text.encode())


def _report_trust(args: Namespace) -> None:
    if not args.user:
        print("settings that loosen a guard apply after `hookline trust`")


def _run_editor(text: str) -> str:
    """Return *text* as the user's editor saved it; raise `OSError` if the editor fails."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or DEFAULT_EDITOR
    with tempfile.TemporaryDirectory(prefix="hookline-") as folder:
        path = os.path.join(folder, "hookline.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        if subprocess.run([*shlex.split(editor), path], check=False).returncode:
            raise OSError(f"the editor {editor!r} failed; the settings are unchanged")
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
