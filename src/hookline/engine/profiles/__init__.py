"""Profiles: instructions, permissions, rules and hooks that an agent starts with.

A profile is a folder of the project, or the shipped default. It cannot turn off the budget countdown, the
guards or the audit.
"""

import os
import shutil
import tomllib
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from hookline.core.frozen import EMPTY, Frozen
from hookline.core.registry import describe_unknown
from hookline.system.paths import FOLDER, create_private

AGENTS, FILE, INSTRUCTIONS, HOOKS = "agents", "profile.toml", "INSTRUCTIONS.md", "hooks"
DEFAULT = "default"
ACTIONS = ("deny", "ask", "allow")
RULE_KEYS = ("branch", "host", "kind", "mode", "repository", "tool")
"""Keys of a tool-policy rule that select what it applies to."""
PERMISSIONS = ("", "edit", "full")
_SHIPPED = os.path.dirname(__file__)
RULES_HOOK = "profile_rules"
"""Name of the hook that enforces a profile's rules; the user's own rules apply as well."""
_RULES = """\
from hookline import PreToolUse, Response, State, hook
from hookline.hooks.tool_policy import tool_policy

RULES = {rules!r}


@hook(priority=8, on_failure="block")
def profile_rules(event: PreToolUse, state: State) -> Response | None:
    return tool_policy.judge(event, state, rules=RULES)
"""
_KEYS = ("permission", "args", "env", "rules")


class BadProfile(ValueError):
    """A profile that cannot be used; the message says why and how to fix it."""


class Profile(Struct, frozen=True, kw_only=True):
    """Settings that an agent starts with, besides its task."""

    name: str
    folder: str
    instructions: str = ""
    permission: str = ""
    """edit or full; empty for the host's default."""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = EMPTY
    rules: tuple[Mapping[str, Any], ...] = ()
    """Rules for tools, as in the hook tool-policy."""
    hooks: tuple[str, ...] = ()
    """Paths of the profile's own Python hooks, symlinks resolved."""


def load(name: str, root: str) -> Profile:
    """Return the profile *name*, of the project at *root* or as shipped; raise `BadProfile`."""
    folder = _folder(name, root)
    table = _read_table(os.path.join(folder, FILE), name)
    unknown = sorted(table.keys() - set(_KEYS))
    if unknown:
        raise BadProfile(f"profile {name!r}: {describe_unknown('key', unknown[0], _KEYS)}")
    return Profile(
        name=name,
        folder=folder,
        instructions=_read_text(os.path.join(folder, INSTRUCTIONS)),
        permission=_parse_permission(table, name),
        args=tuple(_parse_texts(table, "args", name)),
        env=Frozen(_parse_env(table, name)),
        rules=tuple(_parse_rules(table, name)),
        hooks=_find_hooks(folder),
    )


def write_config(profile: Profile, folder: str) -> str:
    """Write the profile's hooks and rules into *folder* as hookline configuration; return *folder*."""
    shutil.rmtree(folder, ignore_errors=True)
    hooks_folder = os.path.join(folder, HOOKS)
    create_private(hooks_folder)
    for path in profile.hooks:
        os.symlink(path, os.path.join(hooks_folder, os.path.basename(path)))
    if profile.rules:
        with open(os.path.join(hooks_folder, f"{RULES_HOOK}.py"), "w", encoding="utf-8") as file:
            file.write(_RULES.format(rules=tuple(map(dict, profile.rules))))
    return folder


def names(root: str) -> list[str]:
    """Return the names of all profiles, including the shipped one."""
    folder = os.path.join(root, FOLDER, AGENTS)
    entries = os.listdir(folder) if os.path.isdir(folder) else []
    return sorted({DEFAULT, *(name for name in entries if os.path.isdir(os.path.join(folder, name)))})


def _folder(name: str, root: str) -> str:
    is_plain_name = name and name not in (".", "..") and os.sep not in name
    own = os.path.join(root, FOLDER, AGENTS, name)
    if is_plain_name and os.path.isdir(own):
        return own
    if name == DEFAULT:
        return os.path.join(_SHIPPED, DEFAULT)
    raise BadProfile(
        f"no profile named {name!r}; available: {', '.join(names(root))}; "
        f"create the folder {FOLDER}/{AGENTS}/{name} for a new profile"
    )


def _read_table(path: str, name: str) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except FileNotFoundError:
        return {}
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadProfile(f"profile {name!r}: cannot read {FILE}: {error}") from None


def _read_text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except FileNotFoundError:
        return ""


def _parse_permission(table: Mapping[str, Any], name: str) -> str:
    value = table.get("permission", "")
    if value not in PERMISSIONS:
        raise BadProfile(f"profile {name!r}: invalid permission {value!r}: expected edit, full or empty")
    return str(value)


def _parse_texts(table: Mapping[str, Any], key: str, name: str) -> list[str]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise BadProfile(f'profile {name!r}: {key} must be a list of strings, such as ["--flag"]')
    return value


def _parse_env(table: Mapping[str, Any], name: str) -> dict[str, str]:
    value = table.get("env", {})
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise BadProfile(f'profile {name!r}: env must be a table of strings, such as NAME = "value"')
    return value


def _parse_rules(table: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    value = table.get("rules", [])
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise BadProfile(f"profile {name!r}: rules must be tables; start each with [[rules]]")
    for number, rule in enumerate(value, 1):
        if rule.get("action") not in ACTIONS:
            raise BadProfile(f"profile {name!r}: the action of rule {number} must be {' or '.join(ACTIONS)}")
        _check_rule(rule, f"profile {name!r}: rule {number}")
    return value


def _check_rule(rule: Mapping[str, Any], where: str) -> None:
    """Raise `BadProfile` for an invalid rule: the hook would skip it, and no user would see the warning."""
    unknown = sorted(set(rule) - {"action", "reason", *RULE_KEYS})
    if unknown:
        raise BadProfile(
            f"{where}: unknown key {unknown[0]!r}; expected action, reason or one of: {', '.join(RULE_KEYS)}"
        )
    for key, value in rule.items():
        values = value if isinstance(value, list) else [value]
        if not all(isinstance(text, str) for text in values):
            raise BadProfile(f"{where}: invalid {key} {value!r}: expected a string or a list of strings")


def _find_hooks(folder: str) -> tuple[str, ...]:
    hooks_folder = os.path.join(folder, HOOKS)
    names = sorted(os.listdir(hooks_folder)) if os.path.isdir(hooks_folder) else []
    paths = (os.path.realpath(os.path.join(hooks_folder, name)) for name in names)
    return tuple(path for path in paths if path.endswith(".py") and os.path.isfile(path))
