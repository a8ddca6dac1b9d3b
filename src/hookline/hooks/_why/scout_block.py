"""Why scout-block keeps a path out or lets it in: every path that it looked at, and the pattern."""

from collections.abc import Iterator

from hookline.events import PreToolUse
from hookline.exceptions import Allow
from hookline.hooks._paths import ignored
from hookline.hooks._paths.scouted import Scouted, scouted, whereabouts
from hookline.hooks._paths.scouting import Ground, reopened
from hookline.hooks._why.words import told
from hookline.state import State
from hookline.why import Branch, branch


def tree(event: PreToolUse, state: State, *, allow: Allow, patterns: tuple[str, ...]) -> Iterator[Branch]:
    ground = whereabouts(event, state, patterns)
    seen = list(scouted(event, state, ground, allow))
    yield from (_path(one, ground) for one in seen)
    if not seen:
        yield branch("it opens no file that we know of")
    own = ignored.rules(ground.own, ground.extra) if ground.own.strip() else None
    yield from (branch(problem, said="warn") for problem in (own.problems[:10] if own else ()))


def _path(one: Scouted, ground: Ground) -> Branch:
    path = told(one.path)
    if one.spared:
        return branch(f"{path}: {one.spared}")
    if one.found is None:
        line = reopened(one.path, ground)
        return branch(f"{path}: {f'let in by {_line(line, ground)}' if line else 'no pattern matches it'}")
    text = f"{path}: {_line(one.found.pattern, ground)} matches it"
    if one.excepted is not None:
        return branch(text, said="excepted", rule=one.rule, because=one.excepted)
    trust = " once a person trusted it" if one.found.kept else ""
    way = branch(f"{one.found.line} in .ckignore lets it in{trust}")
    return branch(text, way, said="block", rule=one.rule)


def _line(pattern: str, ground: Ground) -> str:
    """A pattern and where it stands: in the project's file the last that matches, among the defaults else."""
    numbers = [number for number, line in enumerate(ground.own.split("\n"), 1) if line.strip() == pattern]
    if numbers:
        return f"`{pattern}` (.ckignore:{numbers[-1]})"
    return f"`{pattern}` ({'settings' if pattern in ground.extra else 'default'})"
