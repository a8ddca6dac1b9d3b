"""Change of a settings file by a person: `hookline config set` and `hookline config edit`."""

import os
import shlex
import subprocess
import tempfile
from argparse import Namespace
from contextlib import closing
from typing import NamedTuple

from hookline.cli import _require_person
from hookline.cli._confirm_changes import shorten_path
from hookline.cli._output import sanitize
from hookline.core.registry import describe_unknown
from hookline.install.settings_files import make_folders, write
from hookline.policy import edit_toml, read_files
from hookline.policy.model import File, Problem
from hookline.policy.parse_files import OPTIONS
from hookline.runtime.setup import Setup, find_problems, load_setup

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
