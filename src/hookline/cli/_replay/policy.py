"""A policy for recorded calls: the hooks as configured, or with other settings."""

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from msgspec import Struct

from hookline import hosts
from hookline.cli._dry_run import Judge, Judged
from hookline.cli._replay.calls import ToolEvent, build_payload
from hookline.core.events import PostToolUse, Unreadable
from hookline.core.hook import Hook
from hookline.core.host import Host
from hookline.core.outcome import Outcome, Step
from hookline.core.values import replace
from hookline.redact import redact
from hookline.system.paths import find_places

ACTIONS = ("block", "ask", "modify", "warn", "pass")
"""Possible results of a call, the most severe first; `warn` is context for the agent by a rule."""
SETTINGS = "hookline.toml"
CONFIG = "XDG_CONFIG_HOME"


EventForHost = tuple[ToolEvent, str]
"""A call or result, and the host in whose payload format it is judged."""
PayloadForHost = tuple[str, str, dict[str, Any], str]
"""Host, name of the event, payload, and the home folder of the person whose session was recorded."""
_HOME = re.compile(r"(?:/home/[^/]+|/Users/[^/]+|/root)(?=/|$)")


class Verdict(Struct, frozen=True, kw_only=True):
    """The verdict of a policy on one call or result."""

    action: str
    rules: tuple[str, ...] = ()
    reason: str = ""
    failed: tuple[str, ...] = ()
    """The hooks that failed, with the reason."""

    @property
    def short(self) -> str:
        return " ".join((self.action, *self.rules))


JudgeMany = Callable[[Sequence[PayloadForHost]], Iterable[Verdict]]


class Policy:
    """The hooks of a project under one configuration, for the formats of all recordings; must be closed."""

    def __init__(
        self, cwd: str, only: Sequence[str] = (), without: Sequence[str] = (), settings: str = ""
    ) -> None:
        self._cwd, self._only, self._without = cwd, only, without
        self._stack, self._judges = ExitStack(), dict[str, tuple[Host, Judge]]()
        self._verdicts: dict[int, Verdict] = {}
        self._env: Mapping[str, str] = {}
        if settings:
            self._env = {CONFIG: self._stack.enter_context(_substitute_settings(settings))}
        with ExitStack() as undo:
            undo.callback(self.close)
            self.problems = self._judge("envelope")[1].setup.user_messages
            if settings:
                _refuse_invalid(
                    self.problems, os.path.join(self._env[CONFIG], "hookline", SETTINGS), settings
                )
            undo.pop_all()

    @property
    def hooks(self) -> Sequence[Hook]:
        return self._judge("envelope")[1].hooks

    @property
    def pure(self) -> bool:
        """True if only built-in hooks judge; then equal calls are judged once, in any process."""
        return all(hook.kind == "built-in" for hook in self.hooks)

    def judge(self, events: Sequence[EventForHost], judge_many: JudgeMany) -> list[Verdict]:
        """Return the verdict on each event; *judge_many* applies `judge_payload` to those not judged yet."""
        if not self.pure:
            return [self.judge_payload(self._compose(item)) for item in events]
        keys = [_hash_event(event, host) for event, host in events]
        new = {key: item for key, item in zip(keys, events, strict=True) if key not in self._verdicts}
        new_verdicts = judge_many([self._compose(item) for item in new.values()])
        self._verdicts.update(zip(new, new_verdicts, strict=True))
        return [self._verdicts[key] for key in keys]

    def _compose(self, item: EventForHost) -> PayloadForHost:
        event, host = item
        home = _HOME.match(event.cwd)
        return host, event.name, build_payload(self._judge(host)[0], event), home[0] if home else ""

    def judge_payload(self, item: PayloadForHost) -> Verdict:
        host, name, content, home = item
        try:
            result = self._judge(host)[1].judge(content, home)
        except Unreadable as error:
            return Verdict(action="pass", failed=(f"{name} not judged: {error}",))
        return Verdict(action="pass") if result is None else _build_verdict(result)

    def _judge(self, name: str) -> tuple[Host, Judge]:
        if name not in self._judges:
            host = hosts.load(name)
            with _set_environment(self._env):
                judge = Judge(host, self._cwd, self._only, self._without)
            self._stack.callback(judge.close)
            self._judges[name] = host, judge
        return self._judges[name]

    def close(self) -> None:
        self._stack.close()


def _refuse_invalid(problems: Sequence[str], place: str, settings: str) -> None:
    """Raise `ValueError` if *settings* are invalid, because the comparison would be wrong."""
    for problem in problems:
        if place in problem:
            raise ValueError(problem.replace(place, settings))


def _hash_event(event: ToolEvent, host: str) -> int:
    """Return the hash of everything that affects the verdict, without session and time."""
    call = (event.host, event.cwd, event.tool, event.kind, event.subagent is None, repr(event.input))
    result = (event.success, event.error, repr(event.output)) if isinstance(event, PostToolUse) else ()
    return hash((host, *call, *result))


def _build_verdict(judged: Judged) -> Verdict:
    outcome = judged.outcome
    failures = [step for step in outcome.trail if step.action in ("failed", "timed-out")]
    failed = tuple(redact(f"hook {step.hook!r} {step.note}") for step in failures)
    advice = [step for step in outcome.trail if step.action == "inject" and step.rule]
    if outcome.action == "pass" and not advice:
        return Verdict(action="pass", failed=failed)
    if outcome.action == "pass":
        verdict = Verdict(action="warn", rules=_list_rules(advice), reason="\n".join(judged.context))
    else:
        verdict = Verdict(
            action=outcome.action, rules=_list_rules(_find_deciding_steps(outcome)), reason=judged.reason
        )
    return replace(verdict, failed=failed)


def _list_rules(steps: Sequence[Step]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(step.rule or step.hook for step in steps))


def _find_deciding_steps(outcome: Outcome) -> list[Step]:
    """Return the steps that caused the action; an unsupported answer, such as ask, became a block."""
    words = ("block", "ask", "modify") if outcome.action == "block" else (outcome.action,)
    groups = ([step for step in outcome.trail if step.action == word] for word in words)
    return next((group for group in groups if group), [])


@contextmanager
def _substitute_settings(settings: str) -> Iterator[str]:
    """Yield a copy of the user's configuration folder with other *settings*."""
    own = find_places(os.environ, os.getcwd()).config
    with tempfile.TemporaryDirectory(prefix="hookline-replay-") as folder:
        place = os.path.join(folder, "hookline")
        os.mkdir(place)
        for name in os.listdir(own) if os.path.isdir(own) else ():
            if name != SETTINGS:
                os.symlink(os.path.join(own, name), os.path.join(place, name))
        shutil.copyfile(settings, os.path.join(place, SETTINGS))
        yield folder


@contextmanager
def _set_environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Set the variables from which a judge reads its configuration."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
