"""Show how one command or payload would be judged: the hooks that ran, and the rule that decided."""

import json
import os
import re
import time
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any

from hookline import hosts
from hookline.cli._dry_run import Judge, Judged
from hookline.cli._explain import (
    Branches,
    CallRecorder,
    Mask,
    build_mask,
    draw_tree,
    mask_branch,
    mask_outcome,
    underline,
)
from hookline.cli._output import align, dump, print_problems, print_rich, sanitize
from hookline.core.events import PreToolUse
from hookline.core.explanation import branch_to_json
from hookline.core.frozen import thaw
from hookline.core.hook import Hook
from hookline.core.host import Host
from hookline.core.outcome import Step
from hookline.core.payload import compose
from hookline.core.values import replace
from hookline.install.inspect import find_only_host
from hookline.redact import redact_json
from hookline.system.paths import find_places

NOT_HOOKS = ("hookline",)
"""Names of steps that the chain adds itself, such as one for an answer that a host cannot express."""
COLUMNS = ("hook", "result", "rule", "ms", "note")
ExplainedSteps = Sequence[tuple[Step, Branches]]
"""The step of each hook, and its explanation."""
Off = Mapping[str, Any]
"""Details about the switched-off guards; empty if they are on."""
RESULT_TEXTS = {"pass": "pass", "block": "be blocked", "ask": "need confirmation", "modify": "be modified"}

NOTHING = "nothing to explain: expected a command line or a JSON payload"
_OBJECT = re.compile(r"\s*\{\s*[\"}]")
"""Start of a JSON payload; a `{ group; }` of a shell starts differently."""


def run(args: Namespace) -> int:
    with _judge_call(_find_host(args), args.what, args.cwd) as call:
        if args.json:
            dump(_collect_facts(*call))
        else:
            _show(*call)
    return 0


def explain_command(host: str, command: str, cwd: str) -> dict[str, Any]:
    """Return how a command line would be judged, redacted, as `hookline explain --json` prints it."""
    with _judge_call(hosts.load(host), command, cwd) as call:
        return dict(redact_json(_collect_facts(*call)))


@contextmanager
def _judge_call(
    host: Host, what: str, cwd: str
) -> Iterator[tuple[Judge, Judged | None, ExplainedSteps, float, Off]]:
    recorder = CallRecorder()
    with closing(Judge(host, cwd, wrap=recorder.wrap)) as judge:
        payload = _build_payload(host, what, judge.cwd)
        start = time.perf_counter()
        judged = judge.judge(payload)
        ms = (time.perf_counter() - start) * 1000
        hide = build_mask(_judged_text(judged)) if judged else str
        judged = replace(judged, outcome=mask_outcome(judged.outcome, hide)) if judged else None
        steps = _explain_steps(judged, recorder, hide) if judged else []
        off = _describe_switched_off(judge, judged, host, payload) if judged else {}
        yield judge, judged, steps, ms, off


def _find_host(args: Namespace) -> Host:
    if args.host:
        return hosts.load(args.host)
    if args.what in hosts.names():
        raise ValueError(NOTHING)
    folder = os.path.abspath(args.cwd or os.getcwd())
    return find_only_host(find_places(os.environ, folder), os.environ)


def _explain_steps(judged: Judged, recorder: CallRecorder, hide: Mask) -> ExplainedSteps:
    explained = recorder.explain(judged.outcome.trail)
    return [(step, tuple(mask_branch(node, hide) for node in tree)) for step, tree in explained]


def _judged_text(judged: Judged) -> str:
    """Return everything that was judged: the payload, and the command line without JSON quoting."""
    sent = json.dumps(thaw(judged.event.native), ensure_ascii=False, default=str)
    return "\n".join((getattr(judged.event, "command", None) or "", sent))


def _build_payload(host: Host, what: str, cwd: str) -> Any:
    """Return a command line as a call of the host's shell tool, and JSON as it is."""
    if not what.strip():
        raise ValueError(NOTHING)
    if not _OBJECT.match(what):
        return _build_call(host, what, cwd)
    try:
        return json.loads(what)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"invalid JSON payload: {error} (text that starts with {{ is a payload)") from None


def _build_call(host: Host, command: str, cwd: str) -> Any:
    name, row = next(
        ((tool_name, tool) for tool_name, tool in host.tools.items() if tool.kind == "shell"), ("", None)
    )
    if row is None or not any(moment.event is PreToolUse for moment in host.moments.values()):
        raise ValueError(f"{host.name} does not report shell commands before they run; give a JSON payload")
    field = row.input_keys.get("command", "command")
    event = PreToolUse(tool=name, kind=row.kind, input={field: command}, session="explain", cwd=cwd)
    return json.loads(json.dumps(thaw(compose(host, event))))


def _collect_facts(
    judge: Judge, judged: Judged | None, steps: ExplainedSteps, ms: float, off: Off
) -> dict[str, Any]:
    decided = _find_deciding_step(judged) if judged else None
    action = judged.outcome.action if judged else "pass"
    return {
        "event": judged.event.name if judged else None,
        "action": off.get("action", action),
        **({"action_with_guards": action, "switched_off": off} if off else {}),
        "decided": _step_facts(judged, decided) if judged and decided else None,
        "reason": judged.reason if judged else "",
        "context": list(judged.context) if judged else [],
        "warnings": list(judged.outcome.warnings) if judged else [],
        "looked": [_step_facts(judged, step) | _reason_facts(step, tree) for step, tree in steps if judged],
        "ignored_grants": _list_ignored_grants(judge),
        "off": {hook.name: hook.off for hook in _list_disabled(judge, judged)},
        "problems": [str(problem) for problem in judge.setup.config.problems],
        "waiting": list(judge.setup.config.waiting),
        "ms": round(ms, 3),
    }


def _list_ignored_grants(judge: Judge) -> list[str]:
    return [f"{grant} is ignored: {reason}" for grant, reason in judge.grants.find_ignored()]


def _describe_switched_off(judge: Judge, judged: Judged, host: Host, payload: Any) -> Off:
    """Return the end time of `hookline off` and the verdict until then, or {} if the guards are on."""
    until = judge.grants.find_off().until
    if until is None:
        return {}
    others = [hook.name for hook in judge.still_on(judged)]
    guards = [guard.name for guard in judge.hooks if guard.source == "built-in" and guard.nature == "policy"]
    with closing(Judge(host, judge.cwd, without=guards)) as meanwhile:
        now = meanwhile.judge(payload)
    deciders = {"left_to": others} if others else {}
    return {"until": until, "action": now.outcome.action if now else "pass", **deciders}


def _step_facts(judged: Judged, step: Step) -> dict[str, Any]:
    part = _matched_part(judged, step)
    fields = {"rule": step.rule, "reason": step.reason, "note": step.note, "span": step.span, "part": part}
    fields |= {"before": thaw(step.before), "after": thaw(step.after)}
    present = {key: value for key, value in fields.items() if value not in ("", None, {})}
    return {"hook": step.hook, "said": step.action, "ms": round(step.ms, 3), **present}


def _reason_facts(step: Step, tree: Branches) -> dict[str, Any]:
    return {"why": [branch_to_json(node, step.hook) for node in tree]} if tree else {}


def _list_disabled(judge: Judge, judged: Judged | None) -> list[Hook]:
    """Return the disabled hooks that listen for the event."""
    off = [hook for hook in judge.hooks if not hook.enabled]
    return [hook for hook in off if judged is not None and hook.listens(judged.event)]


def _find_deciding_step(judged: Judged) -> Step | None:
    """Return the step that the verdict comes from."""
    trail = judged.outcome.trail
    action = "allow" if judged.outcome.verdict == "allow" else judged.outcome.action
    words = {"block": ("block", "ask", "modify")}.get(action, (action,))
    matches = (step for word in words for step in trail if step.action == word)
    return None if action == "pass" else next(matches, None)


def _command_at(judged: Judged, until: Step) -> str | None:
    """Return the command line as step *until* saw it, because earlier hooks may have changed it."""
    event = judged.event
    for step in judged.outcome.trail:
        if step is until:
            break
        event = replace(event, **step.after) if step.after else event
    return getattr(event, "command", None)


def _matched_part(judged: Judged, step: Step) -> str:
    command = _command_at(judged, step) if step.span else None
    return command[slice(*step.span)] if command and step.span else ""


def _show(judge: Judge, judged: Judged | None, steps: ExplainedSteps, ms: float, off: Off) -> None:
    print_problems(judge.setup.config.problems, judge.setup.config.waiting)
    if judged is None:
        print("hookline does not handle this event")
        return
    decided = _find_deciding_step(judged)
    _show_command(judged, decided)
    _show_switched_off(off)
    print("".join(f"{sanitize(text)}\n" for text in _list_ignored_grants(judge)), end="")
    by = f" by {decided.rule or decided.hook}" if decided else ""
    print(f"{judged.event.name}: {judged.outcome.action}{by} ({ms:.1f} ms)")
    for title, texts in _list_texts(judged):
        print(f"\n{title}: " + "\n  ".join(sanitize(line) for text in texts for line in text.splitlines()))
    _show_hooks(judge, judged, [item for item in steps if item[0].hook not in NOT_HOOKS])


def _show_switched_off(off: Off) -> None:
    if off:
        until = time.strftime("%H:%M:%S", time.localtime(off["until"]))
        deciders = f" (by {', '.join(map(sanitize, off['left_to']))})" if "left_to" in off else ""
        now = f"so this would {RESULT_TEXTS[off['action']]}{deciders}"
        print(f"the built-in guards are off until {until}, {now}; with the guards on:")


def _list_texts(judged: Judged) -> list[tuple[str, tuple[str, ...]]]:
    reason = (judged.reason,) if judged.reason else ()
    sections = [
        ("reason", reason),
        ("context for the agent", judged.context),
        ("warning", judged.outcome.warnings),
    ]
    return [(title, texts) for title, texts in sections if texts]


def _show_command(judged: Judged, decided: Step | None) -> None:
    marked = decided or next((step for step in judged.outcome.trail if step.span), None)
    command = _command_at(judged, marked) if marked else getattr(judged.event, "command", None)
    if command:
        print_rich(underline(command, marked.span if marked else None))


def _show_hooks(judge: Judge, judged: Judged, steps: ExplainedSteps) -> None:
    rows = [(step.hook, step.action, step.rule, f"{step.ms:.2f}", step.note) for step, _ in steps]
    head, *lines = align([COLUMNS, *(rows or [("none", "", "", "", "no hook handles this event")])])
    trees = [tree for _, tree in steps] or [()]
    print()
    for line, tree in zip((head, *lines), ((), *trees), strict=True):
        print_rich(draw_tree(line, tree))
    observers = [hook.name for hook in judge.hooks if hook.enabled and hook.observer]
    off = [f"{hook.name} ({hook.off})" for hook in _list_disabled(judge, judged)]
    for title, names in (("observers, not run", observers), ("disabled", off)):
        if names:
            print(f"{title}: {', '.join(map(sanitize, names))}")
