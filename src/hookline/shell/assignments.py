"""Assignments to variables and arrays, by themselves and in a `declare`."""

from __future__ import annotations

from hookline.lazy import re
from hookline.shell import expand
from hookline.shell.grammar import parse_assignment
from hookline.shell.result import UNKNOWN
from hookline.shell.run_program import evaluate_variables
from hookline.shell.shell_state import (
    HOLE,
    MAX_ALTERNATIVES,
    ShellState,
    list_matches,
    lookup,
    set_values,
    set_variable,
)
from hookline.shell.syntax import Array, Assignment, Quoted, Span, Term

_KEYED_ITEM = re.compile(r"\[[^\]]*\]=")
_ARRAY_KEY = re.compile(r"""(["']?)[A-Za-z_][\w.-]*\1""", re.ASCII)
_QUOTES = "'\""
_DECLARATIONS = frozenset({"declare", "typeset", "local", "export", "readonly"})


def set_declared_arrays(state: ShellState, terms: tuple[Term, ...]) -> tuple[Term, ...]:
    """Set the arrays of a `declare a=(…)`, and return *terms* with their names, and with unsplit values."""
    if terms and terms[0].parts[0] in _DECLARATIONS:
        return tuple(_set_declared_array(state, term) for term in terms)
    return terms


def _set_declared_array(state: ShellState, term: Term) -> Term:
    name, last = term.parts[0], term.parts[-1]
    if not isinstance(last, Array) or not isinstance(name, str):
        assignment = None if term.plain else parse_assignment(term)
        has_braces = any(isinstance(part, str) and "{" in part for part in term.parts)
        if assignment is None or assignment.subscript or has_braces:
            return term
        sign = "+=" if assignment.append else "="
        value = expand.expand_text(state, assignment.parts, tilde=True)
        return Term((Quoted(assignment.name + sign + value),), term.span)
    bare = name.rstrip("+=")
    set_values(state, bare + "[]", _expand_items(state, last))
    return Term((bare,), term.span, plain=True)


def expand_assignment(state: ShellState, assignment: Assignment) -> tuple[str, str]:
    if assignment.parts and isinstance(assignment.parts[0], Array):
        return assignment.name, ""
    value = expand.expand_text(state, assignment.parts, tilde=True)
    return assignment.name, (lookup(state, assignment.name) or "") + value if assignment.append else value


def assign(state: ShellState, assignment: Assignment, name: str, value: str, span: Span) -> None:
    array = assignment.parts[0] if assignment.parts else None
    if isinstance(array, Array):
        old = state.variables.get(name + "[]", ()) if assignment.append else ()
        set_values(state, name + "[]", old + _expand_items(state, array))
    elif assignment.subscript:
        _set_array_item(state, name, assignment.subscript, value)
    else:
        set_variable(state, name, value)
        evaluate_variables(state, ((name, value),), span)


def _expand_items(state: ShellState, array: Array) -> tuple[str, ...]:
    """Return the items of an array; patterns are expanded, but not the keys of an associative array."""
    words = expand.expand_words(state, array.items)
    return tuple(word.text if _KEYED_ITEM.match(word.text) else list_matches(word) for word in words)


def _set_array_item(state: ShellState, name: str, index: str, value: str) -> None:
    """Set one array item; unset items before it are holes, and a word is the key of an associative array."""
    items = list(state.variables.get(name + "[]", ()))
    if index.isdecimal() and int(index[:4]) < MAX_ALTERNATIVES:
        position = int(index[:4])
        items += [HOLE] * (position + 1 - len(items))
        items[position] = value
    elif _ARRAY_KEY.fullmatch(index) and len(items) < MAX_ALTERNATIVES:
        key = f"[{index.strip(_QUOTES)}]="
        items = [item for item in items if not item.startswith(key)] + [key + value]
    else:
        items = [UNKNOWN]
    set_values(state, name + "[]", tuple(items))
