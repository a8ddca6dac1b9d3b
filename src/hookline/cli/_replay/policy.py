"""A policy that recorded calls are held against: the hooks as they are configured, or with other settings."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from msgspec import Struct

from hookline import hosts
from hookline.cli._dry_run import Judge, Judged
from hookline.cli._replay.calls import ToolEvent, payload
from hookline.core.events import PostToolUse, Unreadable
from hookline.core.host import Host
from hookline.core.outcome import Outcome, Step
from hookline.core.values import replace
from hookline.redact import redact
from hookline.system.paths import find

ACTIONS = ("block", "ask", "modify", "warn", "pass")
"""What can become of a call, the gravest first; `warn` is context for the agent by a rule."""
SETTINGS = "hookline.toml"
CONFIG = "XDG_CONFIG_HOME"


Called = tuple[ToolEvent, str]
"""A call or result, and in whose words it is judged."""
Sent = tuple[str, str, dict[str, Any]]
"""In whose words, which event, and the payload."""


class Verdict(Struct, frozen=True, kw_only=True):
    """What a policy says of one call or result."""

    action: str
    rules: tuple[str, ...] = ()
    reason: str = ""
    failed: tuple[str, ...] = ()
    """The hooks that did not answer, with why."""

    @property
    def short(self) -> str:
        return " ".join((self.action, *self.rules))


Carried = Callable[[Sequence[Sent]], Iterable[Verdict]]


class Policy:
    """The hooks of a project under one configuration, in the words of whoever recorded; must be closed."""

    def __init__(
        self, cwd: str, only: Sequence[str] = (), without: Sequence[str] = (), settings: str = ""
    ) -> None:
        self._cwd, self._only, self._without = cwd, only, without
        self._stack, self._judges = ExitStack(), dict[str, tuple[Host, Judge]]()
        self._known: dict[int, Verdict] = {}
        self._env: Mapping[str, str] = {}
        if settings:
            self._env = {CONFIG: self._stack.enter_context(_beside(settings))}
        with ExitStack() as undo:
            undo.callback(self.close)
            self.problems = self._judge("envelope")[1].setup.complaints
            if settings:
                _refuse_wrong(self.problems, os.path.join(self._env[CONFIG], "hookline", SETTINGS), settings)
            undo.pop_all()

    @property
    def pure(self) -> bool:
        """Whether only built-ins judge: what is the same is judged once then, and in any process."""
        return all(hook.kind == "built-in" for hook in self._judge("envelope")[1].hooks)

    def judge(self, called: Sequence[Called], carried: Carried) -> list[Verdict]:
        """What the hooks say of each; *carried* carries `judged` out for those that are not known yet."""
        if not self.pure:
            return [self.judged(self._sent(one)) for one in called]
        keys = [_same(event, words) for event, words in called]
        new = {key: one for key, one in zip(keys, called, strict=True) if key not in self._known}
        found = carried([self._sent(one) for one in new.values()])
        self._known.update(zip(new, found, strict=True))
        return [self._known[key] for key in keys]

    def _sent(self, called: Called) -> Sent:
        event, words = called
        return words, event.name, payload(self._judge(words)[0], event)

    def judged(self, sent: Sent) -> Verdict:
        words, name, given = sent
        try:
            judged = self._judge(words)[1].judge(given)
        except Unreadable as error:
            return Verdict(action="pass", failed=(f"a {name} cannot be judged: {error}",))
        return Verdict(action="pass") if judged is None else _verdict(judged)

    def _judge(self, words: str) -> tuple[Host, Judge]:
        if words not in self._judges:
            host = hosts.load(words)
            with _environment(self._env):
                judge = Judge(host, self._cwd, self._only, self._without)
            self._stack.callback(judge.close)
            self._judges[words] = host, judge
        return self._judges[words]

    def close(self) -> None:
        self._stack.close()


def _refuse_wrong(problems: Sequence[str], place: str, settings: str) -> None:
    """Two policies of which one does not hold as written must not be compared."""
    for problem in problems:
        if place in problem:
            raise ValueError(problem.replace(place, settings))


def _same(event: ToolEvent, words: str) -> int:
    """What tells a call from others, whenever and in whatever session it was."""
    given = (event.host, event.cwd, event.tool, event.kind, event.subagent is None, repr(event.input))
    ended = (event.success, event.error, repr(event.output)) if isinstance(event, PostToolUse) else ()
    return hash((words, *given, *ended))


def _verdict(judged: Judged) -> Verdict:
    outcome = judged.outcome
    silent = [step for step in outcome.trail if step.said in ("failed", "timed-out")]
    failed = tuple(redact(f"hook {step.hook!r} {step.note}") for step in silent)
    advice = [step for step in outcome.trail if step.said == "inject" and step.rule]
    if outcome.action == "pass" and not advice:
        return Verdict(action="pass", failed=failed)
    if outcome.action == "pass":
        said = Verdict(action="warn", rules=_rules(advice), reason="\n".join(judged.context))
    else:
        said = Verdict(action=outcome.action, rules=_rules(_deciding(outcome)), reason=judged.reason)
    return replace(said, failed=failed)


def _rules(steps: Sequence[Step]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(step.rule or step.hook for step in steps))


def _deciding(outcome: Outcome) -> list[Step]:
    """The steps that the action comes from: what a host cannot do, such as asking, became a block."""
    words = ("block", "ask", "modify") if outcome.action == "block" else (outcome.action,)
    groups = ([step for step in outcome.trail if step.said == word] for word in words)
    return next((group for group in groups if group), [])


@contextmanager
def _beside(settings: str) -> Iterator[str]:
    """A folder of configuration with everything that the user's own holds, but for the *settings*."""
    own = find(os.environ, os.getcwd()).config
    with tempfile.TemporaryDirectory(prefix="hookline-replay-") as folder:
        place = os.path.join(folder, "hookline")
        os.mkdir(place)
        for name in os.listdir(own) if os.path.isdir(own) else ():
            if name != SETTINGS:
                os.symlink(os.path.join(own, name), os.path.join(place, name))
        shutil.copyfile(settings, os.path.join(place, SETTINGS))
        yield folder


@contextmanager
def _environment(more: Mapping[str, str]) -> Iterator[None]:
    """What a judge reads its configuration from."""
    before = {name: os.environ.get(name) for name in more}
    os.environ.update(more)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
