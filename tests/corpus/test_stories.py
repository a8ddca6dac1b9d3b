"""Test the hooks that advise with stories of sessions that were written independently of them."""

import json
import operator
from pathlib import Path

from hookline import OnError, State
from hookline.core.conversation import Message, ToolResult, ToolUse
from hookline.core.events import PostToolUse, PreToolUse, UserPromptSubmit
from hookline.core.frozen import Frozen
from hookline.core.todos import Todo
from hookline.core.usage import Usage
from hookline.handoff.content import to_markdown
from hookline.handoff.extract import SessionFacts, extract_content
from hookline.hooks._compress_output.shorten import Limits, shorten
from hookline.hooks.budget_guard import budget_guard
from hookline.hooks.error_kb import error_kb
from hookline.hooks.loop_breaker import loop_breaker
from hookline.memory.known_errors import find_known_errors, store_errors
from hookline.redact import redact
from hookline.stores.memory import open_store

DAY = 86_400.0
NOW = 1_800_000_000.0
WRITTEN_BY_PROGRAM = ("This session is being continued", "[Request interrupted")


def read_stories(name):
    path = Path(__file__).parent / "stories" / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()]


def describe_call(step):
    if "run" in step:
        tool, kind, given = "Bash", "shell", {"command": step["run"]}
    elif "edit" in step:
        tool, kind, given = "Edit", "edit", {"path": step["edit"], "content": step.get("content", "")}
    elif "read" in step:
        tool, kind, given = "Read", "read", {"path": step["read"]}
    elif "grep" in step:
        tool, kind, given = "Grep", "grep", {"pattern": step["grep"], "path": step.get("path", "")}
    else:
        return None
    place = {"session": "s", "host": "claude-code", "cwd": "/repo"}
    return {**place, "tool": tool, "kind": kind, "input": Frozen(given)}


def finish(call, step):
    failed, text = step.get("fails", False), step.get("says", "")
    output = Frozen({"stdout": "" if failed else text})
    error = f"Exit code 1\n{text}" if failed else ""
    return PostToolUse(**call, output=output, success=not failed, error=error)


def find_hint(story):
    """Play all sessions of *story*, and return the hint about its last command."""
    store, now, hint = open_store(), NOW, ""
    facts = {"known_error": lambda key: find_known_errors(store, "/repo", key=key)}
    for session in story["sessions"]:
        memory, now = {}, now + DAY
        for step in session:
            now += step.get("after") or 1
            call = describe_call(step)
            if call is None:
                continue
            event = finish(call, step)
            events = [event]
            if event.error:
                events.append(OnError(error=event.error, tool=event.tool, kind=event.kind, input=event.input))
            hint = "" if "run" in step else hint
            for one in events:
                answer = error_kb.judge(one, State(now=now, memory=memory, facts=facts))
                if answer is not None:
                    memory = json.loads(json.dumps({**memory, **answer.memory}, default=dict))
                    store_errors(store, answer.effects, "/repo", now)
                    hint += " ".join(text for text in answer.context if "earlier session" in text)
    return hint


def test_hints_are_right():
    stories = read_stories("errors")
    hints = {story["id"]: find_hint(story) for story in stories}
    given = [story for story in stories if hints[story["id"]]]
    right = [story for story in given if story["expect"] and story["expect"] in hints[story["id"]]]
    fixes = [story for story in stories if story["expect"]]

    assert len(right) / len(given) >= 0.9
    assert len(right) / len(fixes) >= 0.6
    assert not [story["id"] for story in given if story.get("harmful")]


def find_rules(story):
    """Play the steps of *story*, and return the rules that responded."""
    memory, now, version, files, rules = {}, NOW, 0, {}, []
    for step in story["steps"]:
        call = describe_call(step)
        if "user" in step:
            events = [UserPromptSubmit(session="s", host="claude-code", cwd="/repo", prompt=step["user"])]
        elif call is None:
            continue
        else:
            events = [PreToolUse(**call), finish(call, step)]
        for event in events:
            if isinstance(event, PostToolUse):
                now += step.get("after") or 1
                if "edit" in step:
                    version += 1
                    files[step["edit"]] = step.get("content", "")
            facts = {"workspace": str(version), "hash_file": lambda path: files.get(path, "")}
            answer = loop_breaker(event, State(now=now, memory=memory, facts=facts))
            if answer is not None:
                memory = json.loads(json.dumps({**memory, **answer.memory}, default=list))
                rules += [answer.rule] if answer.rule else []
    return rules


def test_loops_are_noticed_and_work_is_not_interrupted():
    stories = read_stories("loops")
    noticed = [story for story in stories if find_rules(story)]
    loops = [story for story in stories if story["expect"] == "loop"]

    assert sum(story["expect"] == "loop" for story in noticed) / len(loops) >= 0.8
    assert sum(story["expect"] == "work" for story in noticed) <= 2


def test_long_output_keeps_the_lines_that_decide():
    stories = read_stories("outputs")
    limits = Limits(lines=40, size=4_000, head=6, tail=10)
    shown = {story["id"]: shorten(story["says"], limits, "") for story in stories}
    complete = [story for story in stories if all(line in shown[story["id"]] for line in story["keep"])]

    assert len(complete) / len(stories) >= 0.98
    assert all(text.count("\n") <= limits.lines * 2 for text in shown.values())


def is_stopped(story):
    """Return whether the call of *story* is blocked in a context that is nearly full."""
    call, files = story["call"], story["files"]

    def measure(path, start=0, count=None, enough=0):
        size = files.get(path.removeprefix("/repo/"), {"lines": 0, "bytes": 0})
        lines = max(size["lines"] - start, 0) if count is None else min(size["lines"], count)
        return lines, size["bytes"] * lines // max(size["lines"], 1)

    kind = "shell" if "run" in call else call["tool"].lower()
    given = Frozen({"command": call["run"]} if "run" in call else call["input"])
    place = {"session": "s", "host": "claude-code", "cwd": "/repo", "tool": "X"}
    event = PreToolUse(**place, kind=kind, input=given, input_keys=Frozen({"path": "file_path"}))
    usage = Usage(used=160_000, effective_limit=180_000)
    answer = budget_guard.judge(event, State(now=NOW, facts={"usage": usage, "measure_file": measure}))
    return answer is not None and answer.verdict == "block"


def test_large_loads_are_stopped():
    stories = read_stories("loads")
    right = [story for story in stories if is_stopped(story) == (story["expect"] == "large")]

    assert len(right) / len(stories) >= 0.97


def leave_handoff(story):
    """Play the steps of *story*, and return the content of its handoff."""
    entries, todos = [], []
    for number, step in enumerate(story["steps"]):
        call = describe_call(step)
        if step.get("user", "").startswith(WRITTEN_BY_PROGRAM):
            continue  # the readers of transcripts drop these
        if call is None and "todo" not in step:
            by = "person" if "user" in step else "agent"
            entries.append(Message(by=by, text=step.get("user") or step["agent"]))
            continue
        todos = step.get("todo", todos)
        given = call["input"] if call else {}
        use = {
            "command": given.get("command", ""),
            "path": given.get("path", "") if "grep" not in step else "",
        }
        entries.append(ToolUse(call=str(number), tool="X", kind=call["kind"] if call else "todo", **use))
        entries.append(ToolResult(call=str(number), error=step["says"] if step.get("fails") else ""))
    open_items = tuple(Todo(text=text[4:], status="pending") for text in todos if text.startswith("[ ]"))
    done = tuple(text[4:] for text in todos if text.startswith("[x]"))
    return extract_content(entries, SessionFacts(root="/repo", todos=open_items, done=done), redact)


def test_handoffs_are_right():
    stories = read_stories("handoffs")
    contents = {story["id"]: leave_handoff(story) for story in stories}

    def share(name, texts):
        """Return the share of expected texts of field *name* that are in *texts* of a handoff."""
        found = [
            expected.lower() in " ".join(texts(contents[story["id"]])).lower()
            for story in stories
            for expected in story["expect"][name]
        ]
        return sum(found) / len(found)

    assert share("task", lambda content: (content.task, f"#{content.issue}")) >= 0.95
    assert share("next", lambda content: content.next) >= 0.95
    assert share("decisions", lambda content: (content.task, *content.decisions)) >= 0.95
    for name, bar in (("failed", 0.85), ("files", 0.9), ("commands", 0.9)):
        assert share(name, operator.attrgetter(name)) >= bar, name
    assert all(contents[story["id"]].unfinished for story in stories if not story["expect"]["done"])
    obsolete = [
        text
        for story in stories
        for text in story["expect"]["never"]
        if text in to_markdown(contents[story["id"]])
    ]
    assert len(obsolete) < len(stories) / 4


def test_no_ending_is_wrongly_called_done():
    stories = read_stories("endings")
    found = {story["id"] for story in stories if not leave_handoff(story).unfinished}
    done = {story["id"] for story in stories if story["done"]}

    assert not found - done
    assert found


def test_failed_approaches_are_found():
    told = [(story["failed"], leave_handoff(story).failed) for story in read_stories("failures")]
    found = [name in " ".join(entries) for names, entries in told for name in names]
    texts = [(names, entry) for names, entries in told for entry in entries if "were reverted" not in entry]
    wrong = [entry for names, entry in texts if not any(one in entry for one in names)]

    assert sum(found) >= 0.9 * len(found)
    assert len(wrong) <= 2
