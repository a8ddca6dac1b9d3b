"""Verdict of scout-block on every path of a call, and its explanation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from hookline.core.events import PreToolUse
from hookline.core.explanation import Branch, branch
from hookline.core.rule_exceptions import Allow, find_exception
from hookline.core.state import State
from hookline.hooks._explain import mask_unknown
from hookline.hooks._paths import approvals, ignore_rules, scout_rules
from hookline.hooks._paths.scout_rules import Found, Ground, reopened
from hookline.hooks._paths.secret import secret
from hookline.hooks._paths.shell_paths import looked
from hookline.hooks._paths.tool_fields import Field, fields
from hookline.shell import NO_FACTS

_MAX_LINES = 500
"""Maximum number of lines that a tool may read of a log."""
RULES = ("ignored-operand", "ignored-path")


class Scouted(NamedTuple):
    path: str
    rule: str
    found: Found | None = None
    spared: str = ""
    """The reason why it is not compared with the patterns."""
    excepted: str | None = None
    """The reason of the exception that covers the match."""

    @property
    def stops(self) -> bool:
        return self.found is not None and self.excepted is None


def whereabouts(event: PreToolUse, state: State, patterns: tuple[str, ...]) -> Ground:
    facts, root = state.facts, state.root or event.cwd or "/"
    own = str(facts.get("ckignore", ""))
    return Ground(
        cwd=event.cwd or root,
        root=root,
        home=state.home,
        own=own,
        extra=patterns,
        trusted="!" in own and bool(facts.get("ckignore_trusted", False)),
        real=facts.get("realpath", lambda path: path),
        is_file=facts.get("is_file", lambda path: False),
        facts=facts.get("shell_facts") or NO_FACTS,
    )


def claims(event: PreToolUse) -> list[Field]:
    """Return the paths that the agent claims are approved."""
    return [one for one in fields(event) if one.claimed and one.where]


def scouted(event: PreToolUse, state: State, ground: Ground, allow: Allow) -> Iterator[Scouted]:
    """Yield every path of the call, in order, with its verdict."""
    given = fields(event)
    granted = approvals.approvals((one.path for one in claims(event)), event, state) if given else {}
    for one in given:
        if granted.get(one.path) is not None or _approved(one, event, state):
            yield Scouted(one.path, "ignored-path", spared="a person said yes to it")
        else:
            found = scout_rules.path(one.path, ground)
            if found is not None and found.pattern == "*.log" and _reads_part(event):
                yield Scouted(one.path, "ignored-path", spared="only a part of it is read")
            else:
                yield _weighed(one.path, "ignored-path", found, allow)
    if event.kind in ("shell", "powershell", "cmd") and event.command:
        for seen in looked(event.command, event.kind, ground):
            one_path = seen.word.text
            yield _weighed(one_path, "ignored-operand", seen.found, allow)._replace(spared=seen.spared)


def _reads_part(event: PreToolUse) -> bool:
    """Return whether a tool reads a limited number of lines."""
    limit = event.input.get("limit")
    return event.kind == "read" and isinstance(limit, int) and 0 < limit <= _MAX_LINES


def _approved(field: Field, event: PreToolUse, state: State) -> bool:
    """Return whether privacy-block, which runs first and removes the prefix, lets an approved secret pass."""
    sensitive = secret(field.path) is not None
    return sensitive and approvals.approval(field.path, event, state) is not None


def _weighed(path: str, rule: str, found: Found | None, allow: Allow) -> Scouted:
    spared = find_exception(allow, "scout-block", rule, found.path) if found is not None and allow else None
    return Scouted(path, rule, found, excepted=spared)


def tree(event: PreToolUse, state: State, *, allow: Allow, patterns: tuple[str, ...]) -> Iterator[Branch]:
    ground = whereabouts(event, state, patterns)
    seen = list(scouted(event, state, ground, allow))
    yield from (_path(one, ground) for one in seen)
    if not seen:
        yield branch("no opened file was found")
    own = ignore_rules.rules(ground.own, ground.extra) if ground.own.strip() else None
    yield from (branch(problem, judgement="warn") for problem in (own.problems[:10] if own else ()))


def _path(one: Scouted, ground: Ground) -> Branch:
    path = mask_unknown(one.path)
    if one.spared:
        return branch(f"{path}: {one.spared}")
    if one.found is None:
        line = reopened(one.path, ground)
        return branch(f"{path}: {f'let in by {_line(line, ground)}' if line else 'no pattern matches it'}")
    text = f"{path}: {_line(one.found.pattern, ground)} matches it"
    if one.excepted is not None:
        return branch(text, judgement="excepted", rule=one.rule, because=one.excepted)
    trust = " once a person trusted it" if one.found.kept else ""
    way = branch(f"{one.found.line} in .ckignore lets it in{trust}")
    return branch(text, way, judgement="block", rule=one.rule)


def _line(pattern: str, ground: Ground) -> str:
    """Return a pattern with its source: a line of `.ckignore`, the settings, or the defaults."""
    numbers = [number for number, line in enumerate(ground.own.split("\n"), 1) if line.strip() == pattern]
    if numbers:
        return f"`{pattern}` (.ckignore:{numbers[-1]})"
    return f"`{pattern}` ({'settings' if pattern in ground.extra else 'default'})"
