"""Follow commands in the order a shell would run them, and note each simple command on the way.

Nothing runs. Both sides of a branch are followed, a loop's body once with all values of its variable,
and what a command prints is known only for a handful of programs; everything else is `UNKNOWN`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from hookline.shell import expand
from hookline.shell.bombs import bomb
from hookline.shell.result import UNKNOWN, Redirect, Word
from hookline.shell.run_program import apply, by_variables, invoke, note
from hookline.shell.shell_state import (
    HOLE,
    MAX_ALTERNATIVES,
    MAX_TEXT,
    UNSET,
    World,
    branch,
    look,
    marked,
    place,
    put,
    rollback,
    spend,
    too_deep,
    trouble,
    written,
)
from hookline.shell.streams import feed, keep
from hookline.shell.syntax import (
    Array,
    Assignment,
    Command,
    Compound,
    Function,
    Node,
    Pipe,
    Redirection,
    Span,
    Steps,
    Term,
)

_ALL_OF = re.compile(r"(\.?/|[^*?\[]*/|(?!.*/))(?:\*|\.\*|\*\*|\.\[!\.\]\*|\?\*)/?")
"""A pattern that leaves nothing of a folder out."""
_KEY = re.compile(r"""(["']?)[A-Za-z_][\w.-]*\1""", re.ASCII)
_QUOTES = "'\""
_SCRATCH = ("/tmp/", "/var/tmp/")  # noqa: S108 -- nothing is written there
_LOOPS = frozenset({"while", "until", "for(("})
_DECLARING = frozenset({"declare", "typeset", "local", "export", "readonly"})


def follow(world: World, steps: Steps, stdin: str) -> str:
    """Follow *steps*; what they print, as far as it is known."""
    printed: list[str] = []
    for step in steps.items:
        if not spend(world, 1):
            return UNKNOWN
        before = len(world.log)
        world.behind += step.behind
        printed.append(_node(world, step.node, stdin))
        world.behind -= step.behind
        if step.op == "||":
            branch(world, before)
    return _joined(printed)


def _joined(printed: list[str]) -> str:
    return "".join(printed) if sum(map(len, printed)) <= MAX_TEXT else UNKNOWN


def _node(world: World, node: Node, stdin: str) -> str:
    return _FOLLOWERS[type(node)](world, node, stdin)


def _subshell(world: World, node: Node, stdin: str) -> str:
    before = len(world.log)
    printed = _node(world, node, stdin)
    rollback(world, before)
    return printed


def _pipe(world: World, pipe: Pipe, stdin: str) -> str:
    world.behind += 1
    for stage in pipe.stages[:-1]:
        stdin = _subshell(world, stage, stdin)
    last = _node if look(world, "shopt lastpipe") == "on" else _subshell
    printed = last(world, pipe.stages[-1], stdin)
    world.behind -= 1
    return printed


def _function(world: World, function: Function, stdin: str) -> str:
    world.functions[function.name] = function.body
    if function.name == "command_not_found_handle":
        return _node(world, function.body, stdin)
    return ""


def _compound(world: World, compound: Compound, stdin: str) -> str:
    if too_deep(world):
        trouble(world, "commands go too deep", world.line, (0, len(world.line)))
        return UNKNOWN
    if compound.kind in _LOOPS and _bomb(compound):
        world.bombs.append((0, len(world.line)))
    redirects = _redirects(world, compound.redirections)
    stdin = feed(world, compound.redirections, redirects, stdin)
    _whole(world, redirects)
    world.depth += 1
    printed = _COMPOUNDS.get(compound.kind, _plain)(world, compound, stdin)
    world.depth -= 1
    return keep(world, redirects, printed)


def _bomb(compound: Compound) -> bool:
    return bomb(compound)


def _whole(world: World, redirects: tuple[Redirect, ...]) -> None:
    """Where a whole `{ …; } > file` writes to, noted as the command that would do nothing else."""
    if any(">" in one.op for one in redirects) and spend(world, 1):
        first = redirects[0].target.span
        span = (first[0], max(first[1], redirects[-1].target.span[1]))
        name = Word(text=":", span=span)
        outputs = tuple(one for one in redirects if ">" in one.op)
        note(world, name.text, (name,), "", span, redirects=outputs)


def _plain(world: World, compound: Compound, stdin: str) -> str:
    """Keywords whose bodies run in order: braces, while; tests and arithmetic have words only."""
    expand.words(world, compound.words)
    return _joined([follow(world, body, stdin) for body in compound.bodies])


def _parenthesis(world: World, compound: Compound, stdin: str) -> str:
    before = len(world.log)
    printed = _plain(world, compound, stdin)
    rollback(world, before)
    return printed


def _branches(world: World, compound: Compound, stdin: str) -> str:
    """`if` and `case`: any branch may be the one."""
    expand.words(world, compound.words)
    printed: list[str] = []
    for position, body in enumerate(compound.bodies):
        before = len(world.log)
        printed.append(follow(world, body, stdin))
        if position > 0 or compound.kind == "case":
            branch(world, before)
    return _joined(printed)


def _loop(world: World, compound: Compound, stdin: str) -> str:
    if compound.kind == "for@":
        values = list(world.known.get("@[]", (UNKNOWN,)))
    else:
        words = expand.words(world, compound.words)
        values = [path for word in words if word.glob and world.files for path in written(world, word.text)]
        values += [_matched(word) for word in words]
    place(world, compound.name, tuple(dict.fromkeys(values))[:MAX_ALTERNATIVES] or (UNKNOWN,))
    return _joined([follow(world, body, stdin) for body in compound.bodies])


def _matched(word: Word) -> str:
    """What a loop's variable holds: of `/*` something below the root, as dear as all of it."""
    if not word.glob:
        return word.text
    found = _ALL_OF.fullmatch(word.text)
    return UNKNOWN if found is None or found.group(1) in _SCRATCH else (found.group(1) or "./") + UNSET


def _command(world: World, command: Command, stdin: str) -> str:
    """Follow a simple command once for each possibility of the variables it uses."""
    world.choice, world.widest = 0, 1
    printed = _once(world, command, stdin)
    for choice in range(1, min(world.widest, MAX_ALTERNATIVES)):
        if not spend(world, 1):
            break
        world.choice = choice
        printed += _once(world, command, stdin)
    world.choice, world.widest = 0, 1
    return printed


def _once(world: World, command: Command, stdin: str) -> str:
    argv = tuple(expand.words(world, _undeclared(world, command.words)))
    spend(world, 1 + len(argv))
    redirects = _redirects(world, command.redirections)
    stdin = feed(world, command.redirections, redirects, stdin)
    settings = tuple(_assigned(world, one) for one in command.assignments)
    if not argv:
        for one, (name, value) in zip(command.assignments, settings, strict=True):
            _assign(world, one, name, value, command.span)
        return keep(world, redirects, _bare(world, command, redirects, stdin) if redirects else "")
    alias = _alias(world, command)
    if alias is not None:
        return keep(world, redirects, apply(world, alias, command.words[1:], stdin, command.words[0]))
    printed = invoke(world, argv, stdin, command.span, redirects=redirects, settings=settings)
    return keep(world, redirects, printed)


def _bare(world: World, command: Command, redirects: tuple[Redirect, ...], stdin: str) -> str:
    """`> file` and `$(< file)`, noted as the commands they stand for."""
    reads = redirects[0].op in ("<", "<<", "<<<") and not command.assignments
    name = Word(text="cat" if reads else ":", span=redirects[0].target.span)
    mark = note(world, name.text, (name,), stdin, command.span, redirects=redirects)
    return marked(stdin, mark) if reads else ""


def _undeclared(world: World, terms: tuple[Term, ...]) -> tuple[Term, ...]:
    """*terms* of a `declare a=(…)`, with the arrays already set and only their names left."""
    if terms and terms[0].parts[0] in _DECLARING and any(isinstance(term.parts[-1], Array) for term in terms):
        return tuple(_array_set(world, term) for term in terms)
    return terms


def _array_set(world: World, term: Term) -> Term:
    name, last = term.parts[0], term.parts[-1]
    if not isinstance(last, Array) or not isinstance(name, str):
        return term
    bare = name.rstrip("+=")
    place(world, bare + "[]", tuple(word.text for word in expand.words(world, last.items)))
    return Term((bare,), term.span, plain=True)


def _alias(world: World, command: Command) -> str | None:
    first = command.words[0].parts if command.words else ()
    if len(first) != 1 or not isinstance(first[0], str):
        return None
    name = "alias " + first[0]
    value = look(world, name) if name in world.known else None
    return None if value is None or f"{name}={value}" in world.calls else value


def _assigned(world: World, one: Assignment) -> tuple[str, str]:
    if one.parts and isinstance(one.parts[0], Array):
        return one.name, ""
    value = expand.text(world, one.parts, tilde=True)
    return one.name, (look(world, one.name) or "") + value if one.append else value


def _assign(world: World, one: Assignment, name: str, value: str, span: Span) -> None:
    array = one.parts[0] if one.parts else None
    if isinstance(array, Array):
        old = world.known.get(name + "[]", ()) if one.append else ()
        place(world, name + "[]", old + tuple(word.text for word in expand.words(world, array.items)))
    elif one.subscript:
        _set_item(world, name, one.subscript, value)
    else:
        put(world, name, value)
        by_variables(world, ((name, value),), span)


def _set_item(world: World, name: str, index: str, value: str) -> None:
    """Set one item; those before it that nothing has set stay holes, words are the keys of a map."""
    items = list(world.known.get(name + "[]", ()))
    if index.isdecimal() and int(index[:4]) < MAX_ALTERNATIVES:
        place_at = int(index[:4])
        items += [HOLE] * (place_at + 1 - len(items))
        items[place_at] = value
    elif _KEY.fullmatch(index) and len(items) < MAX_ALTERNATIVES:
        key = f"[{index.strip(_QUOTES)}]="
        items = [item for item in items if not item.startswith(key)] + [key + value]
    else:
        items = [UNKNOWN]
    place(world, name + "[]", tuple(items))


def _redirects(world: World, redirections: tuple[Redirection, ...]) -> tuple[Redirect, ...]:
    return tuple(Redirect(op=one.op, fd=one.fd, target=_target(world, one.target)) for one in redirections)


def _target(world: World, term: Term) -> Word:
    found = expand.words(world, (term,))
    return found[0] if len(found) == 1 else Word(text=" ".join(word.text for word in found), span=term.span)


_FOLLOWERS: Mapping[type, Callable[[World, Any, str], str]] = {
    Command: _command,
    Pipe: _pipe,
    Compound: _compound,
    Function: _function,
}
_COMPOUNDS: Mapping[str, Callable[[World, Compound, str], str]] = {
    "(": _parenthesis,
    "if": _branches,
    "case": _branches,
    "for": _loop,
    "for@": _loop,
    "select": _loop,
}
