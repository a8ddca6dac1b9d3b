"""Code that loads hookline's own modules, or sets its switches."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.hooks._self_protect.commands import SWITCH
from hookline.hooks._self_protect.finding import Action, Finding, Span
from hookline.shell.options import word_set

_MAX_CODE = 100_000
_STRINGS = re.compile(r"""("(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+')""")
_IMPORTS = re.compile(
    r"\bimport\s[^\n;]{0,200}?\bhookline\.(\w+)|\bfrom\s+hookline\.(\w+)"
    r"|\bfrom\s+hookline\s+import\s*(?:\(([^)]*)|([^\n;]*))"
)
_RENAMED = re.compile(r"\s+as\s+\w+")
_PURE = word_set(
    """core shell redact hosts loop frameworks testing sinks allow ask block effect hook inject modify passed
    remember warn"""
)
"""Packages and functions of hookline that change nothing on the machine."""
_LOADS = re.compile(
    r"\b(?:runpy|run_module|run_path|import_module|__import__|exec_module|resolve_name|entry_points"
    r"|spec_from_file_location|find_spec)\b"
)
"""Functions that load a module by name, found even where they are imported under an alias."""
_ADJACENT = re.compile(r"""(["'])\s*[+.]?\s*\1""")


_SETS = re.compile(
    r"""environ\[[^\]]{0,99}\]\s*=[^=] | environ\.(?:update|setdefault|pop) | \b(?:put|unset)env\b
    | \benv\s*[=:] | process\.env[.\[][^=;]{0,99}=[^=] | ENV\[[^\]]{0,99}\]\s*=[^=]
    | \bENV\{[^}]{0,99}\}\s*=[^=] | execve | \bdict\s*\(""",
    re.VERBOSE,
)


def judge_code(code: str, span: Span) -> Iterator[Finding]:
    """Yield a finding for code that loads modules of hookline which change something, or sets a switch."""
    plain = _ADJACENT.sub("", code[:_MAX_CODE])
    if SWITCH.search(plain) and _SETS.search(plain):
        yield Finding(rule="switch", what="a switch of hookline", span=span)
    imported = (" ".join(filter(None, match.groups())) for match in _IMPORTS.finditer(plain))
    names = {name for text in imported for name in re.findall(r"\b[a-z]\w*|\*", _RENAMED.sub("", text))}
    loads = _LOADS.search(plain) and any(map(_is_our_module, _STRINGS.findall(plain)))
    if loads or names - _PURE:
        sure = names - _PURE or "__import__" in plain or "run_module(" in plain
        action: Action = "block" if sure else "ask"
        yield Finding(rule="command", what="hookline's own modules", span=span, action=action)


def _is_our_module(literal: str) -> bool:
    text = literal[1:-1]
    return re.split(r"[.:]", text)[0] == "hookline" or text.endswith("hookline/__main__.py")
