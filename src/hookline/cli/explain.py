"""Show how one command or payload would be judged: who looked, which rule decided, on what part of it."""

import json
import re
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any

from hookline import hosts
from hookline.cli._command import Command
from hookline.cli._dry_run import Judge, Judged
from hookline.cli._explain import (
    Asked,
    Branches,
    Mask,
    drawn,
    hidden_in_branch,
    hidden_in_outcome,
    mask,
    underlined,
)
from hookline.cli._output import aligned, complaints, dump, visible, write
from hookline.core.events import PreToolUse
from hookline.core.explanation import plain
from hookline.core.frozen import thawed
from hookline.core.hook import Hook
from hookline.core.host import Host
from hookline.core.outcome import Step
from hookline.core.payload import compose
from hookline.core.values import replace

NEVER_LOOKED = ("hookline",)
"""Steps of the chain's own, such as what it made of an answer that a host cannot express."""
COLUMNS = ("hook", "said", "rule", "ms", "note")
Looked = Sequence[tuple[Step, Branches]]
"""What each hook did, and why."""
Off = Mapping[str, Any]
"""That the guards are switched off; empty where they are not."""
BECOMES = {"pass": "pass", "block": "be blocked", "ask": "be asked about", "modify": "be changed"}

_OBJECT = re.compile(r"\s*\{\s*[\"}]")
"""How a payload begins; a shell's `{ group; }` begins otherwise."""


def run(args: Namespace) -> int:
    host = hosts.load(args.host)
    asked = Asked()
    with closing(Judge(host, args.cwd, watched=asked.watched)) as judge:
        payload = _payload(host, args.what, judge.cwd)
        began = time.perf_counter()
        judged = judge.judge(payload)
        ms = (time.perf_counter() - began) * 1000
        hide = mask(_texts(judged)) if judged else str
        judged = replace(judged, outcome=hidden_in_outcome(judged.outcome, hide)) if judged else None
        looked = _looked(judged, asked, hide) if judged else []
        off = _switched_off(judge, judged, host, payload) if judged else {}
        if args.json:
            dump(_facts(judge, judged, looked, ms, off))
        else:
            _show(judge, judged, looked, ms, off)
    return 0


def _looked(judged: Judged, asked: Asked, hide: Mask) -> Looked:
    explained = asked.explained(judged.outcome.trail)
    return [(step, tuple(hidden_in_branch(one, hide) for one in tree)) for step, tree in explained]


def _texts(judged: Judged) -> str:
    """All that was judged: as it was sent, and the command line without the quotes of JSON."""
    sent = json.dumps(thawed(judged.event.native), ensure_ascii=False, default=str)
    return "\n".join((getattr(judged.event, "command", None) or "", sent))


def _payload(host: Host, what: str, cwd: str) -> Any:
    """A command line as the host's shell tool would be handed it; JSON as it is."""
    if not what.strip():
        raise ValueError("there is nothing to explain; give a command line or a payload as JSON")
    if not _OBJECT.match(what):
        return _call(host, what, cwd)
    try:
        return json.loads(what)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"what begins with {{ is taken as a payload, and this is no JSON: {error}") from None


def _call(host: Host, command: str, cwd: str) -> Any:
    name, row = next(((n, t) for n, t in host.tools.items() if t.kind == "shell"), ("", None))
    if row is None or not any(m.event is PreToolUse for m in host.moments.values()):
        raise ValueError(f"{host.name} reports no shell commands before they run; give a payload as JSON")
    place = row.places.get("command", "command")
    event = PreToolUse(tool=name, kind=row.kind, input={place: command}, session="explain", cwd=cwd)
    return json.loads(json.dumps(thawed(compose(host, event))))


def _facts(judge: Judge, judged: Judged | None, looked: Looked, ms: float, off: Off) -> dict[str, Any]:
    decided = _decided(judged) if judged else None
    action = judged.outcome.action if judged else "pass"
    return {
        "event": judged.event.name if judged else None,
        "action": off.get("action", action),
        **({"action_with_guards": action, "switched_off": off} if off else {}),
        "decided": _fact(judged, decided) if judged and decided else None,
        "reason": judged.reason if judged else "",
        "context": list(judged.context) if judged else [],
        "warnings": list(judged.outcome.warnings) if judged else [],
        "looked": [_fact(judged, step) | _why(step, tree) for step, tree in looked if judged],
        "off": {hook.name: hook.off for hook in _off(judge, judged)},
        "problems": [str(problem) for problem in judge.setup.settled.problems],
        "waiting": list(judge.setup.settled.waiting),
        "ms": round(ms, 3),
    }


def _switched_off(judge: Judge, judged: Judged, host: Host, payload: Any) -> Off:
    """Until when the guards are, what becomes of this meanwhile, and whose say that is; else nothing."""
    until = judge.off_until()
    if until is None:
        return {}
    others = [hook.name for hook in judge.still_on(judged)]
    guards = [h.name for h in judge.hooks if h.source == "built-in" and h.nature == "policy"]
    with closing(Judge(host, judge.cwd, without=guards)) as meanwhile:
        now = meanwhile.judge(payload)
    left = {"left_to": others} if others else {}
    return {"until": until, "action": now.outcome.action if now else "pass", **left}


def _fact(judged: Judged, step: Step) -> dict[str, Any]:
    part = _part(judged, step)
    named = {"rule": step.rule, "reason": step.reason, "note": step.note, "span": step.span, "part": part}
    named |= {"before": thawed(step.before), "after": thawed(step.after)}
    said = {key: value for key, value in named.items() if value not in ("", None, {})}
    return {"hook": step.hook, "said": step.said, "ms": round(step.ms, 3), **said}


def _why(step: Step, tree: Branches) -> dict[str, Any]:
    return {"why": [plain(one, step.hook) for one in tree]} if tree else {}


def _off(judge: Judge, judged: Judged | None) -> list[Hook]:
    """The hooks that would have looked."""
    off = [hook for hook in judge.hooks if not hook.enabled]
    return [hook for hook in off if judged is not None and hook.listens(judged.event)]


def _decided(judged: Judged) -> Step | None:
    """The step that the verdict comes from."""
    trail = judged.outcome.trail
    action = "allow" if judged.outcome.verdict == "allow" else judged.outcome.action
    words = {"block": ("block", "ask", "modify")}.get(action, (action,))
    found = (step for word in words for step in trail if step.said == word)
    return None if action == "pass" else next(found, None)


def _command(judged: Judged, until: Step) -> str | None:
    """The command line as that step saw it: hooks before it may have changed it."""
    event = judged.event
    for step in judged.outcome.trail:
        if step is until:
            break
        event = replace(event, **step.after) if step.after else event
    return getattr(event, "command", None)


def _part(judged: Judged, step: Step) -> str:
    command = _command(judged, step) if step.span else None
    return command[slice(*step.span)] if command and step.span else ""


def _show(judge: Judge, judged: Judged | None, looked: Looked, ms: float, off: Off) -> None:
    complaints(judge.setup.settled.problems, judge.setup.settled.waiting)
    if judged is None:
        print("this moment is none of ours: no hook looks at it")
        return
    decided = _decided(judged)
    _show_command(judged, decided)
    _show_switched_off(off)
    by = f" by {decided.rule or decided.hook}" if decided else ""
    print(f"{judged.event.name}: {judged.outcome.action}{by} ({ms:.1f} ms)")
    for title, texts in _sayings(judged):
        print(f"\n{title}: " + "\n  ".join(visible(line) for text in texts for line in text.splitlines()))
    _show_hooks(judge, judged, [one for one in looked if one[0].hook not in NEVER_LOOKED])


def _show_switched_off(off: Off) -> None:
    if off:
        until = time.strftime("%H:%M:%S", time.localtime(off["until"]))
        left = f" (left to {', '.join(map(visible, off['left_to']))})" if "left_to" in off else ""
        now = f"so this would {BECOMES[off['action']]}{left}"
        print(f"the built-in guards are switched off until {until}, {now}; with them on:")


def _sayings(judged: Judged) -> list[tuple[str, tuple[str, ...]]]:
    reason = (judged.reason,) if judged.reason else ()
    said = [("reason", reason), ("told to the agent", judged.context), ("warning", judged.outcome.warnings)]
    return [(title, texts) for title, texts in said if texts]


def _show_command(judged: Judged, decided: Step | None) -> None:
    marked = decided or next((step for step in judged.outcome.trail if step.span), None)
    command = _command(judged, marked) if marked else getattr(judged.event, "command", None)
    if command:
        write(underlined(command, marked.span if marked else None))


def _show_hooks(judge: Judge, judged: Judged, looked: Looked) -> None:
    rows = [(step.hook, step.said, step.rule, f"{step.ms:.2f}", step.note) for step, _ in looked]
    head, *lines = aligned([COLUMNS, *(rows or [("none", "", "", "", "no hook listens here")])])
    trees = [tree for _, tree in looked] or [()]
    print()
    for line, tree in zip((head, *lines), ((), *trees), strict=True):
        write(drawn(line, tree))
    observers = [hook.name for hook in judge.hooks if hook.enabled and hook.observer]
    off = [f"{hook.name} ({hook.off})" for hook in _off(judge, judged)]
    for title, names in (("observers, not asked", observers), ("off", off)):
        if names:
            print(f"{title}: {', '.join(map(visible, names))}")


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("host", metavar="HOST", help="whose words to use, such as claude-code")
    parser.add_argument("what", metavar="COMMAND|JSON", help="a command line, or a native payload")
    parser.add_argument("--cwd", default="", metavar="DIR", help="the project whose configuration holds")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of text")


COMMAND = Command(
    about="Show how a command or payload would be judged, and why; it is not run, and nothing is recorded.",
    examples="""
hookline explain claude-code 'git push --force origin main'
hookline explain claude-code "$(cat payload.json)"
hookline explain claude-code 'rm -rf /' --json | jq .decided

Below each hook stands why it said so: what it looked at, which rules spoke, and which you excepted.
A command line is taken as a call of the host's shell tool; it is judged, never run.
What would be allowed instead stands in the reason.
While the guards are switched off, "action" in the JSON is what comes of it now, "action_with_guards" what
would if they were on; all the rest tells of the latter.
""",
    run=run,
    arguments=arguments,
    exits="0 whatever the verdict, 2 when it was called wrongly",
)
