"""What a hook is, and the decorator that makes one.

The type of `event` is the subscription and the keyword-only parameters are the settings, so that both
are stated once: where the hook uses them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args, get_type_hints

from hookline.core.events import EVENTS, Event
from hookline.core.explanation import Branch
from hookline.core.frozen import Frozen
from hookline.core.rule_exceptions import Allow, wrong
from hookline.core.setting_types import Misfit, fitted
from hookline.core.state import Later, State
from hookline.core.values import replace

Judge = Callable[..., "Any"]
Nature: TypeAlias = 'Literal["policy", "advice", "observer"]'
Failure: TypeAlias = 'Literal["warn", "block"]'
Rules = tuple[str, ...] | Callable[[], Iterable[str]]
"""Ids of rules, or what lists them where that takes a while."""
Why = Callable[..., Iterable["Branch"]]
"""`(event, state, *, settings...)`, as the judge: what it found, and what it made of each part."""
ANY: tuple[Any, ...] = ("*",)
"""In `stricter`: whatever the value, it can only tighten."""
BUILT_IN_LIMIT = 1.0


class BadHook(TypeError):
    """A function that does not keep the contract of a hook; the message names both sides."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Hook:
    """A function from (event, state) to a response, with its name, place in the order and settings."""

    name: str
    on: tuple[type[Event], ...]
    judge: Judge = field(repr=False)
    priority: int = 50
    priorities: Mapping[type[Event], int] = field(default_factory=dict, repr=False)
    """Places that differ by event."""
    nature: Nature = "policy"
    settings: Mapping[str, Any] = field(default_factory=Frozen)
    types: Mapping[str, Any] = field(default_factory=Frozen, repr=False)
    """The settings' types, from the signature."""
    stricter: Mapping[str, tuple[Any, ...]] = field(default_factory=Frozen, repr=False)
    """Values of settings that only tighten: a project may set these without being trusted."""
    unattended: Mapping[str, Any] = field(default_factory=Frozen, repr=False)
    """Settings that hold under `profile = "unattended"`, where nobody watches."""
    aliases: tuple[str, ...] = ()
    rules: Rules = field(default=(), repr=False)
    """The ids of its rules, where it says them: a setting `allow` can except only these."""
    why: Why | None = field(default=None, repr=False)
    """What `hookline explain` shows below its verdict."""
    about: str = ""
    kind: str = "code"
    source: str = "code"
    """Who brought it: built-in, user, project, local or code."""
    origin: str = ""
    """The file, and the line where there is one."""
    limit: float | None = None
    """Seconds; None is the event's own limit."""
    on_failure: Failure = "warn"
    on_timeout: Failure | None = None
    """None is as `on_failure`."""
    match: Callable[[Event], bool] | None = field(default=None, repr=False)
    hosts: tuple[str, ...] = ()
    """The hosts under which it runs; none named is all."""
    runs: str = ""
    """The setting that lists commands of the user, which become hooks of their own."""
    part_of: str = ""
    """The hook whose command it is, and with which it is switched off."""
    enabled: bool = True
    off: str = ""
    """Why it is off."""

    @property
    def observer(self) -> bool:
        return self.nature == "observer"

    def place(self, event: type[Event]) -> int:
        return self.priorities.get(event, self.priority)

    def listens(self, event: Event) -> bool:
        if not isinstance(event, self.on) or (self.hosts and event.host not in self.hosts):
            return False
        return self.match is None or self.match(event)

    def seconds(self, event: Event) -> float:
        """How long it may take for *event*."""
        if self.limit is not None:
            return self.limit
        return BUILT_IN_LIMIT if self.source == "built-in" else event.limit

    def __call__(self, event: Event, state: State) -> Any:
        settings = self.settings
        return self.judge(event, state, **settings) if settings else self.judge(event, state)


def hook(  # noqa: PLR0913 -- each is one fact about a hook
    *,
    priority: int | Mapping[type[Event], int] = 50,
    name: str = "",
    nature: Nature = "policy",
    aliases: tuple[str, ...] = (),
    rules: Rules = (),
    why: Why | None = None,
    stricter: Mapping[str, tuple[Any, ...]] | None = None,
    unattended: Mapping[str, Any] | None = None,
    limit: float | None = None,
    on_failure: Failure = "warn",
    on_timeout: Failure | None = None,
    runs: str = "",
    enabled: bool = True,
) -> Callable[[Judge], Hook]:
    """Make a hook of a function `(event, state, *, settings...) -> Response | None`."""
    places = priority if isinstance(priority, Mapping) else {}
    usual = priority if isinstance(priority, int) else max(places.values(), default=50)

    def make(judge: Judge) -> Hook:
        _check_parameters(judge)
        return Hook(
            name=_checked_name(name or judge.__name__.strip("_").replace("_", "-").lower()),
            on=_subscription(judge),
            judge=judge,
            priority=usual,
            priorities=places,
            nature=nature,
            settings=Frozen(judge.__kwdefaults__ or {}),
            types=Later(lambda: _types(judge)),
            stricter=Frozen(stricter or {}),
            unattended=Frozen(unattended or {}),
            aliases=aliases,
            rules=rules,
            why=why,
            about=_about(judge),
            limit=limit,
            on_failure=on_failure,
            on_timeout=on_timeout,
            runs=runs,
            enabled=enabled,
        )

    return make


def good_name(name: str) -> bool:
    """Names stand in rule ids, in files and between colons of the environment."""
    return bool(name) and all(c.isascii() and (c.islower() or c.isdigit() or c in "._-") for c in name)


def _checked_name(name: str) -> str:
    if not good_name(name):
        raise BadHook(f"{name!r} is no name of a hook; use small letters, digits, '.', '_' and '-'")
    return name


def _types(judge: Judge) -> Mapping[str, Any]:
    """The types of its settings; found out when somebody sets one, because few do."""
    # What an annotation may name though its module imports it for type checkers alone.
    usual = {"Any": Any, "Literal": Literal, "Mapping": Mapping}
    hints = get_type_hints(judge, localns={**usual, **judge.__globals__})
    return {key: hints.get(key, Any) for key in judge.__kwdefaults__ or {}}


def _check_parameters(judge: Judge) -> None:
    code = judge.__code__
    unset = set(code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount]) - set(
        judge.__kwdefaults__ or {}
    )
    if code.co_argcount != 2:  # noqa: PLR2004 -- event and state
        raise BadHook(
            f"hook {judge.__name__!r} takes {code.co_argcount} positional parameters; "
            "a hook takes two, (event, state), and its settings behind a *"
        )
    if unset:
        raise BadHook(f"hook {judge.__name__!r} has settings without a default: {', '.join(sorted(unset))}")


def _subscription(judge: Judge) -> tuple[type[Event], ...]:
    first = judge.__code__.co_varnames[0]
    hint = judge.__annotations__.get(first)
    events = _named(hint, judge) if isinstance(hint, str) else getattr(hint, "__args__", (hint,))
    if not events or not all(isinstance(event, type) and issubclass(event, Event) for event in events):
        raise BadHook(
            f"hook {judge.__name__!r} does not say which events it listens for: annotate {first!r} with "
            f"one of them, or with several joined by |; there are: {', '.join(EVENTS)}"
        )
    return events


def _named(hint: str, judge: Judge) -> tuple[Any, ...]:
    """What an annotation that was not evaluated names: events of its module, joined by |."""
    names = [name.strip() for name in hint.split("|")]
    if all(name in judge.__globals__ for name in names):
        return tuple(judge.__globals__[name] for name in names)
    found = get_type_hints(judge)[judge.__code__.co_varnames[0]]
    return get_args(found) or (found,)


def _about(judge: Judge) -> str:
    """The first line of the function's docstring, else of its module's."""
    text = judge.__doc__ or judge.__globals__.get("__doc__") or ""
    return text.strip().partition("\n")[0]


class BadSetting(ValueError):
    """A setting that the hook does not have, or a value that it does not take."""


def configure(hook: Hook, settings: Mapping[str, Any]) -> Hook:
    """The hook with some of its settings changed."""
    return replace(
        hook, settings=Frozen({**hook.settings, **{k: check(hook, k, v) for k, v in settings.items()}})
    )


def check(hook: Hook, key: str, value: Any) -> Any:
    """The *value* as the type that the setting *key* has; raises `BadSetting`."""
    if key not in hook.settings:
        known = ", ".join(sorted(hook.settings)) or "none"
        raise BadSetting(f"hook {hook.name!r} has no setting {key!r}; there are: {known}")
    said = f"setting {key!r} of hook {hook.name!r}"
    try:
        fit = fitted(value, hook.types[key])
    except Misfit as error:
        raise BadSetting(f"{said} must be {error}") from None
    wrong = _wrong_exceptions(hook, fit) if key == "allow" else ""
    if wrong:
        raise BadSetting(f"{said}: {wrong}")
    return fit


def _wrong_exceptions(hook: Hook, allow: Any) -> str:
    """What is wrong with exceptions to the hook's rules; its own meaning of `allow` is its own business."""
    rules = hook.rules() if callable(hook.rules) else hook.rules
    if hook.types["allow"] not in (Allow, tuple[str, ...]) or not (rules or hook.types["allow"] == Allow):
        return ""
    return wrong(allow, hook.name, tuple(rules))


def tightens(hook: Hook, key: str, value: Any) -> bool:
    """Whether a project may set this without being trusted."""
    if key == "enabled":
        return bool(value)
    if hook.nature == "advice" and key not in hook.stricter:
        return True
    allowed = hook.stricter.get(key, ())
    return allowed == ANY or value in allowed or value == hook.settings.get(key)


def matching(pattern: str) -> Callable[[Event], bool] | None:
    """What a declaration's `match` means: names joined by |, else a regular expression; empty fits all."""
    if pattern in ("", "*"):
        return None
    if all(c.isalnum() or c in "_-| ," for c in pattern):
        names = {name.strip() for name in pattern.replace(",", "|").split("|")}
        return lambda event: not event.matters or any(m in names for m in event.matters)
    wanted = re.compile(pattern)
    return lambda event: not event.matters or any(wanted.search(m[:LONGEST_NAME]) for m in event.matters)


LONGEST_NAME = 200


def named(hooks: Iterable[Hook], name: str) -> Hook | None:
    """The hook of that name or alias."""
    return next((hook for hook in hooks if name == hook.name or name in hook.aliases), None)
