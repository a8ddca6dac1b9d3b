"""Why dangerous-command stops a line or lets it pass: every command in it, and the rules that speak."""

from collections.abc import Iterator, Mapping
from typing import Literal

from hookline.bash import Simple
from hookline.events import PreToolUse
from hookline.exceptions import Allow
from hookline.hooks._dangerous import Place, known, looked
from hookline.hooks._dangerous.lines import SHELLS, whereabouts
from hookline.hooks._dangerous.lines import commanded as line_of
from hookline.hooks._dangerous.packs import Decided, Packs, decided
from hookline.hooks._why.words import commanded
from hookline.state import State
from hookline.why import Branch, branch


def tree(
    event: PreToolUse,
    state: State,
    *,
    allow: Allow,
    lease: Literal["warn", "block"],
    packs: Packs,
    protected: tuple[str, ...],
    runners: Mapping[str, str],
) -> Iterator[Branch]:
    line = line_of(event)
    if not line:
        yield branch(f"{event.tool} is no shell")
        return
    place = whereabouts(event, state, protected, lease)
    seen = list(looked(line, place, runners=runners, shell=SHELLS.get(event.kind, "bash")))
    for number, (command, found) in enumerate(seen):
        rules = [_rule(one) for one in decided(dict.fromkeys(found), allow, packs)]
        if rules:
            yield branch(_named(command, event, place), *rules)
        elif command is not None and not _leads(command, (other for other, _ in seen[number + 1 :])):
            yield branch(f"{_named(command, event, place)}: {_silence(command)}")
    if not seen:
        yield branch("it runs no command")


def _named(command: Simple | None, event: PreToolUse, place: Place) -> str:
    if command is None:
        return "the line as a whole"
    return commanded(command, place.cwd if event.cwd else "", place.home)


def _leads(command: Simple, others: Iterator[Simple | None]) -> bool:
    """Whether it only runs one of the *others*, which says so itself."""
    depth = len(command.via)
    return any(
        other is not None
        and other.via[:depth] == command.via
        and other.via[depth : depth + 1]
        and other.via[depth].split()[:1] == [command.name]
        for other in others
    )


def _silence(command: Simple) -> str:
    name = command.name or "a program that only running tells"
    return f"none of the rules about {name} fits" if known(command) else f"no rule is about {name}"


def _rule(one: Decided) -> Branch:
    text, rule = f"{one.finding.rule} · pack {one.finding.pack}", one.finding.rule
    if one.excepted is not None:
        return branch(text, said="excepted", rule=rule, because=one.excepted)
    if one.action is None:
        return branch(text, said="off", rule=rule, because="the settings switch this pack off")
    return branch(text, said=one.action, rule=rule)
