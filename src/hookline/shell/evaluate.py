"""Symbolic evaluation: visit commands in the order a shell would run them, and record each simple command.

Nothing runs. Both sides of a branch are evaluated, and a loop body once with all values of its variable.
The output is known for a few programs only; that of all others is `UNKNOWN`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hookline.lazy import re
from hookline.shell import expand
from hookline.shell.bombs import is_fork_bomb
from hookline.shell.grammar import parse_assignment
from hookline.shell.program_table import program_name
from hookline.shell.result import UNKNOWN, Redirect, Word
from hookline.shell.run_program import evaluate_alias, evaluate_variables, invoke, record_command, run_traps
from hookline.shell.shell_state import (
    HOLE,
    MAX_ALTERNATIVES,
    MAX_TEXT,
    OPAQUE,
    ShellState,
    add_problem,
    attribute_unknown,
    find_file,
    find_written_files,
    limit_values,
    list_matches,
    lookup,
    merge_branch,
    rollback,
    set_values,
    set_variable,
    spend,
    too_deep,
)
from hookline.shell.shells import SHELLS
from hookline.shell.streams import redirect_input, redirect_output
from hookline.shell.syntax import (
    Array,
    Assignment,
    Code,
    Command,
    Compound,
    Function,
    Node,
    Pipe,
    Quoted,
    Redirection,
    Span,
    Steps,
    Term,
)
from hookline.shell.wrappers import split_quoted

_KEYED_ITEM = re.compile(r"\[[^\]]*\]=")
_ARRAY_KEY = re.compile(r"""(["']?)[A-Za-z_][\w.-]*\1""", re.ASCII)
_QUOTES = "'\""
_FILE_OPERATORS = frozenset({"<", "<>", ">", ">>", ">|", "&>", "&>>", ">&"})
_LOOP_KINDS = frozenset({"while", "until", "for(("})
_FIRST_COPROCESS_FD = 60
_DECLARATIONS = frozenset({"declare", "typeset", "local", "export", "readonly"})


def evaluate_steps(state: ShellState, steps: Steps, stdin: str) -> str:
    """Evaluate *steps* and return their output, as far as it is known."""
    outputs: list[str] = []
    for step in steps.items:
        if not spend(state, 1):
            return UNKNOWN
        checkpoint = len(state.undo_log)
        state.background_depth += step.background
        outputs.append(_evaluate_node(state, step.node, stdin))
        state.background_depth -= step.background
        if step.op == "||":
            merge_branch(state, checkpoint)
    return _join_outputs(outputs)


def _join_outputs(outputs: list[str]) -> str:
    return "".join(outputs) if sum(map(len, outputs)) <= MAX_TEXT else OPAQUE


def _evaluate_node(state: ShellState, node: Node, stdin: str) -> str:
    return _NODE_EVALUATORS[type(node)](state, node, stdin)


def _evaluate_subshell(state: ShellState, node: Node, stdin: str) -> str:
    checkpoint = len(state.undo_log)
    output = _evaluate_node(state, node, stdin)
    rollback(state, checkpoint)
    return output


def _evaluate_pipe(state: ShellState, pipe: Pipe, stdin: str) -> str:
    state.background_depth += 1
    for stage in pipe.stages[:-1]:
        stdin = _evaluate_subshell(state, stage, stdin)
    evaluate_last = _evaluate_node if lookup(state, "shopt lastpipe") == "on" else _evaluate_subshell
    first = len(state.commands)
    output = evaluate_last(state, pipe.stages[-1], stdin)
    state.unfed.update(() if stdin else range(first, len(state.commands)))
    state.background_depth -= 1
    return output


def _define_function(state: ShellState, function: Function, stdin: str) -> str:
    state.functions[function.name] = function.body
    if function.name == "command_not_found_handle":
        return _evaluate_node(state, function.body, stdin)
    return ""


def _evaluate_compound(state: ShellState, compound: Compound, stdin: str) -> str:
    if too_deep(state):
        add_problem(state, "commands are nested too deeply", state.line, (0, len(state.line)))
        return UNKNOWN
    if compound.kind in _LOOP_KINDS and is_fork_bomb(compound):
        state.fork_bombs.append((0, len(state.line)))
    redirects = _expand_redirects(state, compound.redirections)
    stdin = redirect_input(state, compound.redirections, redirects, stdin)
    if compound.redirections:
        state.reads.pop(stdin, None)
    first = len(state.commands)
    _record_group_redirects(state, redirects)
    state.depth += 1
    output = _COMPOUND_EVALUATORS.get(compound.kind, _evaluate_bodies)(state, compound, stdin)
    state.depth -= 1
    return redirect_output(state, redirects, output, first)


def _record_group_redirects(state: ShellState, redirects: tuple[Redirect, ...]) -> None:
    """Record the files of a group such as `{ …; } > file` as redirects of a command named `{`."""
    files = tuple(redirect for redirect in redirects if redirect.op in _FILE_OPERATORS)
    if files and spend(state, 1):
        span = (files[0].target.span[0], files[-1].target.span[1])
        name = Word(text="{", span=span)
        record_command(state, name.text, (name,), "", span, redirects=files)


def _evaluate_bodies(state: ShellState, compound: Compound, stdin: str) -> str:
    """Evaluate bodies that run in order: braces. Tests and arithmetic only have words."""
    expand.expand_words(state, compound.words)
    return _join_outputs([evaluate_steps(state, body, stdin) for body in compound.bodies])


def _evaluate_while(state: ShellState, compound: Compound, stdin: str) -> str:
    condition, body = compound.bodies
    outer, state.loop_condition = state.loop_condition, True
    output = evaluate_steps(state, condition, stdin)
    state.loop_condition = outer
    return _join_outputs([output, evaluate_steps(state, body, stdin)])


def _evaluate_parenthesis(state: ShellState, compound: Compound, stdin: str) -> str:
    checkpoint = len(state.undo_log)
    traps, state.traps = state.traps, []
    output = _evaluate_bodies(state, compound, stdin) + run_traps(state)
    state.traps = traps
    rollback(state, checkpoint)
    return output


def _evaluate_coprocess(state: ShellState, compound: Compound, stdin: str) -> str:
    """Evaluate a coprocess, and remember it as the reader of the descriptor `${NAME[1]}`."""
    number = str(_FIRST_COPROCESS_FD + len(state.sinks))
    path = "/dev/fd/" + number
    state.sinks[path] = Code(compound.bodies[0], "coproc (")
    set_values(state, compound.name + "[]", (number, number))
    set_values(state, "fd " + number, (path,))
    return _evaluate_parenthesis(state, compound, stdin)


def _evaluate_branches(state: ShellState, compound: Compound, stdin: str) -> str:
    """Evaluate every branch of `if` and `case`, since any of them may run."""
    expand.expand_words(state, compound.words)
    outputs: list[str] = []
    for position, body in enumerate(compound.bodies):
        checkpoint = len(state.undo_log)
        outputs.append(evaluate_steps(state, body, stdin))
        if position > 0 or compound.kind == "case":
            merge_branch(state, checkpoint)
    return _join_outputs(outputs)


def _evaluate_loop(state: ShellState, compound: Compound, stdin: str) -> str:
    if compound.kind == "for@":
        values = list(state.variables.get("@[]", (UNKNOWN,)))
    else:
        words = expand.expand_words(state, compound.words)
        values = [
            path
            for word in words
            if word.glob and state.files
            for path in find_written_files(state, word.text)
        ]
        values += [list_matches(word) for word in words]
    set_values(state, compound.name, limit_values(values) or (UNKNOWN,))
    return _join_outputs([evaluate_steps(state, body, stdin) for body in compound.bodies])


def _evaluate_command(state: ShellState, command: Command, stdin: str) -> str:
    """Evaluate a simple command once for each alternative value of its variables."""
    state.alternative, state.alternative_count = 0, 1
    output = _evaluate_alternative(state, command, stdin)
    for alternative in range(1, min(state.alternative_count, MAX_ALTERNATIVES)):
        if not spend(state, 1):
            break
        state.alternative = alternative
        output += _evaluate_alternative(state, command, stdin)
    state.alternative, state.alternative_count = 0, 1
    return output


def _evaluate_alternative(state: ShellState, command: Command, stdin: str) -> str:
    argv = tuple(expand.expand_words(state, _set_declared_arrays(state, command.words)))
    spend(state, 1 + len(argv))
    redirects = _expand_redirects(state, command.redirections)
    stdin = redirect_input(state, command.redirections, redirects, stdin)
    if command.redirections:
        state.reads.pop(stdin, None)
        if stdin == UNKNOWN and argv and program_name(argv[0].text) in SHELLS:
            stdin = _read_redirected_script(state, redirects) or UNKNOWN
    settings = tuple(_expand_assignment(state, assignment) for assignment in command.assignments)
    if not argv:
        for assignment, (name, value) in zip(command.assignments, settings, strict=True):
            _assign(state, assignment, name, value, command.span)
        first = len(state.commands)
        output = _evaluate_bare_redirect(state, command, redirects, stdin) if redirects else ""
        return redirect_output(state, redirects, output, first)
    alias, first = _find_alias(state, command.words), len(state.commands)
    if alias is not None:
        rest = _expand_next_alias(state, command.words[1:]) if alias[-1:].isspace() else command.words[1:]
        output = evaluate_alias(state, alias, rest, stdin, command.words[0])
    else:
        output = invoke(state, argv, stdin, command.span, redirects=redirects, settings=settings)
    return redirect_output(state, redirects, output, first)


def _read_redirected_script(state: ShellState, redirects: tuple[Redirect, ...]) -> str | None:
    """Return the existing file that a shell reads its commands from: `bash < file`."""
    paths = [
        redirect.target.text for redirect in redirects if redirect.op == "<" and redirect.fd in ("", "0")
    ]
    return find_file(state, paths[-1])[0] if paths else None


def _evaluate_bare_redirect(
    state: ShellState, command: Command, redirects: tuple[Redirect, ...], stdin: str
) -> str:
    """Record `> file` and `$(< file)` as the commands they are equivalent to, `:` and `cat`."""
    reads = redirects[0].op in ("<", "<<", "<<<") and not command.assignments
    name = Word(text="cat" if reads else ":", span=redirects[0].target.span)
    mark = record_command(state, name.text, (name,), stdin, command.span, redirects=redirects)
    return attribute_unknown(stdin, mark) if reads else ""


def _set_declared_arrays(state: ShellState, terms: tuple[Term, ...]) -> tuple[Term, ...]:
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


def _expand_next_alias(state: ShellState, words: tuple[Term, ...]) -> tuple[Term, ...]:
    """Return *words* with the first one replaced by its alias, as after an alias that ends in a blank."""
    alias = _find_alias(state, words)
    if alias is None:
        return words
    pieces = split_quoted(alias)
    return (*(Term((Quoted(piece),), words[0].span) for piece in pieces), *words[1:])


def _find_alias(state: ShellState, words: tuple[Term, ...]) -> str | None:
    first = words[0].parts if words else ()
    if len(first) != 1 or not isinstance(first[0], str):
        return None
    name = "alias " + first[0]
    value = lookup(state, name) if name in state.variables else None
    return None if value is None or f"{name}={value}" in state.call_stack else value


def _expand_assignment(state: ShellState, assignment: Assignment) -> tuple[str, str]:
    if assignment.parts and isinstance(assignment.parts[0], Array):
        return assignment.name, ""
    value = expand.expand_text(state, assignment.parts, tilde=True)
    return assignment.name, (lookup(state, assignment.name) or "") + value if assignment.append else value


def _assign(state: ShellState, assignment: Assignment, name: str, value: str, span: Span) -> None:
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


def _expand_redirects(state: ShellState, redirections: tuple[Redirection, ...]) -> tuple[Redirect, ...]:
    return tuple(
        Redirect(op=redirection.op, fd=redirection.fd, target=_expand_target(state, redirection.target))
        for redirection in redirections
    )


def _expand_target(state: ShellState, term: Term) -> Word:
    words = expand.expand_words(state, (term,))
    return words[0] if len(words) == 1 else Word(text=" ".join(word.text for word in words), span=term.span)


_NODE_EVALUATORS: Mapping[type, Callable[[ShellState, Any, str], str]] = {
    Command: _evaluate_command,
    Pipe: _evaluate_pipe,
    Compound: _evaluate_compound,
    Function: _define_function,
}
_COMPOUND_EVALUATORS: Mapping[str, Callable[[ShellState, Compound, str], str]] = {
    "(": _evaluate_parenthesis,
    "coproc": _evaluate_coprocess,
    **dict.fromkeys(("if", "case"), _evaluate_branches),
    **dict.fromkeys(("while", "until"), _evaluate_while),
    **dict.fromkeys(("for", "for@", "select"), _evaluate_loop),
}
