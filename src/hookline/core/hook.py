"""The hook class, and the decorator that turns a function into a hook.

The type of `event` is the subscription and the keyword-only parameters are the settings, so that both
are stated once, in the signature.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args, get_type_hints

from hookline.core.events import EVENTS, Event
from hookline.core.explanation import Branch
from hookline.core.frozen import Frozen
from hookline.core.registry import describe_unknown
from hookline.core.rule_exceptions import Allow, check_exceptions
from hookline.core.setting_types import InvalidValue, convert_setting
from hookline.core.state import LazyMapping, State
from hookline.core.values import replace

Judge = Callable[..., "Any"]
Nature: TypeAlias = 'Literal["policy", "advice", "observer"]'
Failure: TypeAlias = 'Literal["warn", "block"]'
Rules = tuple[str, ...] | Callable[[], Iterable[str]]
"""Ids of rules, or a function that returns them if that takes a while."""
Explainer = Callable[..., Iterable["Branch"]]
"""A function with the parameters of the hook that returns the findings behind its verdict."""
ANY: tuple[Any, ...] = ("*",)
"""In `stricter`: every value of the setting only tightens the hook."""
BUILT_IN_TIMEOUT_SECONDS = 1.0


class BadHook(TypeError):
    """A function with a signature that is not that of a hook; the message says what is expected."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Hook:
    """A function from (event, state) to a response, with its name, priority and settings."""

    name: str
    on: tuple[type[Event], ...]
    judge: Judge = field(repr=False)
    priority: int = 50
    priorities: Mapping[type[Event], int] = field(default_factory=dict, repr=False)
    """Priorities for particular events."""
    nature: Nature = "policy"
    settings: Mapping[str, Any] = field(default_factory=Frozen)
    types: Mapping[str, Any] = field(default_factory=Frozen, repr=False)
    """The settings' types, from the signature."""
    stricter: Mapping[str, tuple[Any, ...]] = field(default_factory=Frozen, repr=False)
    """Values of settings that only tighten: a project may set these without being trusted."""
    unattended: Mapping[str, Any] = field(default_factory=Frozen, repr=False)
    """Settings, and `on_failure`, that apply under `profile = "unattended"`."""
    checks: Mapping[str, Callable[[Any], str]] = field(default_factory=Frozen, repr=False)
    """Functions that return the error of one item of a setting that is a list; empty if it is valid."""
    aliases: tuple[str, ...] = ()
    rules: Rules = field(default=(), repr=False)
    """The ids of its rules, if declared; a setting `allow` can then except only these."""
    why: Explainer | None = field(default=None, repr=False)
    """The function behind `hookline explain`."""
    about: str = ""
    kind: str = "code"
    source: str = "code"
    """Origin of the hook: built-in, user, project, local or code."""
    origin: str = ""
    """The file, with the line if it is known."""
    timeout: float | None = None
    """Timeout in seconds; None is that of the event."""
    on_failure: Failure = "warn"
    on_timeout: Failure | None = None
    """None is the same as `on_failure`."""
    match: Callable[[Event], bool] | None = field(default=None, repr=False)
    hosts: tuple[str, ...] = ()
    """The hosts under which it runs; empty is all."""
    commands_setting: str = ""
    """The setting that lists commands of the user; each command becomes a hook."""
    part_of: str = ""
    """The hook whose setting lists this command; disabling that hook disables this one."""
    enabled: bool = True
    off: str = ""
    """The reason why it is disabled."""

    @property
    def observer(self) -> bool:
        return self.nature == "observer"

    def priority_for(self, event: type[Event]) -> int:
        return self.priorities.get(event, self.priority)

    def listens(self, event: Event) -> bool:
        if not isinstance(event, self.on) or (self.hosts and event.host not in self.hosts):
            return False
        return self.match is None or self.match(event)

    def timeout_for(self, event: Event) -> float:
        """Return the timeout for *event* in seconds."""
        if self.timeout is not None:
            return self.timeout
        return BUILT_IN_TIMEOUT_SECONDS if self.source == "built-in" else event.timeout

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
    why: Explainer | None = None,
    stricter: Mapping[str, tuple[Any, ...]] | None = None,
    unattended: Mapping[str, Any] | None = None,
    checks: Mapping[str, Callable[[Any], str]] | None = None,
    timeout: float | None = None,
    on_failure: Failure = "warn",
    on_timeout: Failure | None = None,
    runs: str = "",
    enabled: bool = True,
) -> Callable[[Judge], Hook]:
    """Make a hook of a function `(event, state, *, settings...) -> Response | None`."""
    priorities = priority if isinstance(priority, Mapping) else {}
    default_priority = priority if isinstance(priority, int) else max(priorities.values(), default=50)

    def make(judge: Judge) -> Hook:
        _check_parameters(judge)
        return Hook(
            name=_check_name(name or judge.__name__.strip("_").replace("_", "-").lower()),
            on=_find_subscription(judge),
            judge=judge,
            priority=default_priority,
            priorities=priorities,
            nature=nature,
            settings=Frozen(judge.__kwdefaults__ or {}),
            types=LazyMapping(lambda: _resolve_setting_types(judge)),
            stricter=Frozen(stricter or {}),
            unattended=Frozen(unattended or {}),
            checks=Frozen(checks or {}),
            aliases=aliases,
            rules=rules,
            why=why,
            about=_first_doc_line(judge),
            timeout=timeout,
            on_failure=on_failure,
            on_timeout=on_timeout,
            commands_setting=runs,
            enabled=enabled,
        )

    return make


def is_valid_name(name: str) -> bool:
    """Return whether *name* can be part of rule ids, file names and colon-separated environment variables."""
    return bool(name) and all(c.isascii() and (c.islower() or c.isdigit() or c in "._-") for c in name)


def _check_name(name: str) -> str:
    if not is_valid_name(name):
        raise BadHook(f"invalid hook name {name!r}: use lower-case letters, digits, '.', '_' and '-'")
    return name


def _resolve_setting_types(judge: Judge) -> Mapping[str, Any]:
    # Names that an annotation may use although its module imports them only for type checkers.
    common_names = {"Any": Any, "Literal": Literal, "Mapping": Mapping}
    hints = get_type_hints(judge, localns={**common_names, **judge.__globals__})
    return {key: hints.get(key, Any) for key in judge.__kwdefaults__ or {}}


def _check_parameters(judge: Judge) -> None:
    code = judge.__code__
    unset = set(code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount]) - set(
        judge.__kwdefaults__ or {}
    )
    if code.co_argcount != 2:  # noqa: PLR2004 -- event and state
        raise BadHook(
            f"hook {judge.__name__!r} takes {code.co_argcount} positional parameters; "
            "expected two, (event, state), and settings as keyword-only parameters after *"
        )
    if unset:
        raise BadHook(f"hook {judge.__name__!r} has settings without a default: {', '.join(sorted(unset))}")


def _find_subscription(judge: Judge) -> tuple[type[Event], ...]:
    first = judge.__code__.co_varnames[0]
    hint = judge.__annotations__.get(first)
    events = _resolve_annotation(hint, judge) if isinstance(hint, str) else getattr(hint, "__args__", (hint,))
    if not events or not all(isinstance(event, type) and issubclass(event, Event) for event in events):
        raise BadHook(
            f"hook {judge.__name__!r} has no event: annotate {first!r} with "
            f"an event class, or with several joined by |; available: {', '.join(EVENTS)}"
        )
    return events


def _resolve_annotation(hint: str, judge: Judge) -> tuple[Any, ...]:
    names = [name.strip() for name in hint.split("|")]
    if all(name in judge.__globals__ for name in names):
        return tuple(judge.__globals__[name] for name in names)
    annotation = get_type_hints(judge)[judge.__code__.co_varnames[0]]
    return get_args(annotation) or (annotation,)


def _first_doc_line(judge: Judge) -> str:
    text = judge.__doc__ or judge.__globals__.get("__doc__") or ""
    return text.strip().partition("\n")[0]


class BadSetting(ValueError):
    """An unknown setting, or a value of the wrong type."""


def configure(hook: Hook, settings: Mapping[str, Any]) -> Hook:
    """Return *hook* with *settings* changed; raise `BadSetting`."""
    return replace(
        hook,
        settings=Frozen({**hook.settings, **{k: check_setting(hook, k, v) for k, v in settings.items()}}),
    )


def check_setting(hook: Hook, key: str, value: Any) -> Any:
    """Return *value* converted to the type of the setting *key*; raise `BadSetting`."""
    if key not in hook.settings:
        raise BadSetting(f"hook {hook.name!r}: {describe_unknown('setting', key, sorted(hook.settings))}")
    subject = f"setting {key!r} of hook {hook.name!r}"
    try:
        converted = convert_setting(value, hook.types[key])
    except InvalidValue as error:
        raise BadSetting(f"{subject} must be {error}") from None
    problem = _find_exception_problem(hook, converted) if key == "allow" else ""
    if problem:
        raise BadSetting(f"{subject}: {problem}")
    return converted


def _find_exception_problem(hook: Hook, allow: Any) -> str:
    # A hook may use the name `allow` for something other than exceptions.
    rules = rule_names(hook)
    if hook.types["allow"] not in (Allow, tuple[str, ...]) or not (rules or hook.types["allow"] == Allow):
        return ""
    return check_exceptions(allow, hook.name, tuple(rules))


def tightens(hook: Hook, key: str, value: Any) -> bool:
    """Return whether the setting only tightens *hook*, so that an untrusted project may set it."""
    if key == "enabled":
        return bool(value)
    if hook.nature == "advice" and key not in hook.stricter:
        return True
    allowed = hook.stricter.get(key, ())
    return allowed == ANY or value in allowed or value == hook.settings.get(key)


def compile_match(pattern: str) -> Callable[[Event], bool] | None:
    """Compile a `match` setting: names joined by `|`, else a regular expression; None matches everything."""
    if pattern in ("", "*"):
        return None
    if all(c.isalnum() or c in "_-| ," for c in pattern):
        names = {name.strip() for name in pattern.replace(",", "|").split("|")}
        return lambda event: not event.match_texts or any(text in names for text in event.match_texts)
    regex = re.compile(pattern)
    return lambda event: (
        not event.match_texts or any(regex.search(text[:MAX_MATCHED_CHARS]) for text in event.match_texts)
    )


MAX_MATCHED_CHARS = 200


def rule_names(hook: Hook) -> tuple[str, ...]:
    """Return the ids of the rules that *hook* declares."""
    return tuple(hook.rules() if callable(hook.rules) else hook.rules)


def find_hook(hooks: Iterable[Hook], name: str) -> Hook | None:
    """Return the hook with this name or alias."""
    return next((hook for hook in hooks if name == hook.name or name in hook.aliases), None)
