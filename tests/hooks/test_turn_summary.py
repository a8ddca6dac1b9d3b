"""Test turn-summary: the work of a turn and the open tasks, shown to the user but not to the model."""

import json
import time
from pathlib import Path

import pytest

from hookline import PreToolUse, State, Stop, block, hook
from hookline.core.events import PostToolUse
from hookline.core.frozen import freeze
from hookline.core.hook import configure
from hookline.core.payload import decode
from hookline.core.todos import Todo, find_open
from hookline.hooks import load as built_in
from hookline.hooks.turn_summary import turn_summary
from hookline.hosts import load
from hookline.runtime.runtime import Runtime
from hookline.runtime.turn_summary import PARTS
from hookline.stores import memory
from hookline.testing import post_tool_use, pre_tool_use, stop, user_prompt_submit

CLAUDE = load("claude-code")
CAPTURES = Path(__file__).parent.parent / "captures"
NOW = State(now=1_000.0)


@pytest.fixture
def runtime():
    runtime = Runtime()
    for name in ("audit", "turn-summary", "dangerous-command"):
        runtime.register(built_in(name))
    yield runtime
    runtime.close()


def asked(runtime, native, event):
    return json.loads(runtime.answer(CLAUDE, native, event).stdout or "{}")


def todo(*items, tool="TodoWrite", **more):
    places = freeze({"todos": "todos", "text": "content", "status": "status"})
    listed = [{"content": text, "status": status} for text, status in items]
    return post_tool_use(tool=tool, kind="todo", input_keys=places, input=freeze({"todos": listed}), **more)


def test_a_turn_without_trouble_is_silent(runtime):
    asked(runtime, "UserPromptSubmit", user_prompt_submit())
    asked(runtime, "PreToolUse", pre_tool_use())

    assert asked(runtime, "Stop", stop()) == {}


def test_what_was_blocked_in_this_turn_is_summed_up(runtime):
    asked(runtime, "PreToolUse", pre_tool_use("git push --force"))
    asked(runtime, "Stop", stop())
    asked(runtime, "UserPromptSubmit", user_prompt_submit())
    asked(runtime, "PreToolUse", pre_tool_use("git push --force"))
    asked(runtime, "PreToolUse", pre_tool_use("git reset --hard"))
    asked(runtime, "PostToolUse", post_tool_use())
    said = asked(runtime, "Stop", stop())["systemMessage"]

    assert said.startswith("hookline: this turn: ")
    assert said.endswith("blocked: dangerous-command (2)")


@pytest.mark.parametrize("trouble", [False, True])
def test_what_made_the_turn_go_on_is_no_trouble_by_itself(runtime, trouble):
    answers = [block("more"), block("more")]

    @runtime.register
    @hook()
    def again(event: Stop, state: State):
        return answers.pop() if answers else None

    asked(runtime, "UserPromptSubmit", user_prompt_submit())
    if trouble:
        asked(runtime, "PreToolUse", pre_tool_use("git push --force"))
        asked(runtime, "PostToolUse", post_tool_use())
    said = [asked(runtime, "Stop", stop()) for _ in range(3)][-1].get("systemMessage", "")

    assert said.endswith("blocked: dangerous-command; continued by: again (2)") is trouble
    assert bool(said) is trouble


def test_a_hook_that_failed_is_named(runtime):
    @runtime.register
    @hook(priority=1)
    def broken(event: PreToolUse, state: State) -> None:
        raise ValueError("no")

    asked(runtime, "UserPromptSubmit", user_prompt_submit())
    asked(runtime, "PreToolUse", pre_tool_use())

    assert asked(runtime, "Stop", stop())["systemMessage"] == "hookline: this turn: failed hooks: broken"


@pytest.mark.parametrize(("summary", "shown"), [("always", True), ("troubles", False), ("never", False)])
def test_the_summary_is_shown_as_is_set(runtime, summary, shown):
    runtime.hooks = [hook for hook in runtime.hooks if hook.name != "turn-summary"]

    runtime.register(configure(built_in("turn-summary"), {"summary": summary}))
    asked(runtime, "UserPromptSubmit", user_prompt_submit())
    assert asked(runtime, "Stop", stop()) == {}
    for path in ("/p/a.py", "/p/b.py", "/p/a.py"):
        asked(
            runtime,
            "PostToolUse",
            post_tool_use(
                tool="Edit",
                kind="edit",
                input=freeze({"file_path": path}),
                input_keys=freeze({"path": "file_path"}),
            ),
        )
    asked(runtime, "PostToolUse", post_tool_use())
    said = asked(runtime, "Stop", stop()).get("systemMessage", "")

    assert said == ("hookline: this turn: changed: /p/a.py; /p/b.py; 1 command" if shown else "")


def test_what_is_open_becomes_a_suggested_prompt_for_the_user_alone(runtime):
    asked(
        runtime,
        "PostToolUse",
        todo(("write it", "completed"), ("test it", "in_progress"), ("ship", "pending")),
    )
    reply = asked(runtime, "Stop", stop())

    assert reply == {"systemMessage": "hookline: suggested next prompt: continue with: test it; ship"}


@pytest.mark.parametrize(
    ("last_text", "suggested"),
    [
        (
            "Half is there. Next: port reserve(), then run ctest.",
            "continue with: port reserve(), then run ctest.",
        ),
        ("All done.", "continue with: ship"),
        ("Should I rebase first?", "continue with: ship"),
        ("The tests pass.", "continue with: ship"),
    ],
)
def test_the_last_words_of_the_agent_come_before_its_list(runtime, last_text, suggested):
    asked(runtime, "PostToolUse", todo(("ship", "pending")))
    said = asked(runtime, "Stop", stop(last_text=last_text)).get("systemMessage", "")

    assert said.removeprefix("hookline: suggested next prompt: ") == suggested


def test_what_is_in_the_way_comes_first(runtime):
    asked(runtime, "PostToolUse", todo(("get a key", "blocked"), ("ship", "pending")))
    said = asked(runtime, "Stop", stop())["systemMessage"]

    assert said.endswith("resolve the obstacles: get a key; then continue with: ship")


@pytest.mark.parametrize(("ran_after", "told"), [(False, True), (True, False)])
def test_a_stopped_call_is_in_the_way_if_nothing_ran_after_it(runtime, ran_after, told):
    asked(runtime, "UserPromptSubmit", user_prompt_submit())
    asked(runtime, "PreToolUse", pre_tool_use("git push --force"))
    if ran_after:
        asked(runtime, "PostToolUse", post_tool_use())
    said = asked(runtime, "Stop", stop())["systemMessage"]

    assert ("resolve the obstacles" in said) is told


@pytest.mark.parametrize("many", [3, 4])
def test_a_long_list_is_cut_aloud(runtime, many):
    asked(runtime, "PostToolUse", todo(*((f"step {n}", "pending") for n in range(many))))
    said = asked(runtime, "Stop", stop())["systemMessage"]

    assert said.endswith("step 2 (and 1 more)" if many == 4 else "step 2")


def test_a_turn_that_goes_on_has_no_stage(runtime):
    @runtime.register
    @hook()
    def again(event: Stop, state: State):
        return block("more")

    asked(runtime, "PostToolUse", todo(("ship", "pending")))

    assert asked(runtime, "Stop", stop()) == {"decision": "block", "reason": "more"}


def test_a_turn_that_no_block_can_hold_has_its_stage(runtime):
    @runtime.register
    @hook()
    def again(event: Stop, state: State):
        return block("more")

    runtime.store.set_notes("s-1", {"todos": [["ship", "pending"]]})
    runtime.answer(load("cline"), "TaskComplete", stop(host="cline"))

    assert "suggested next prompt: continue with: ship" in runtime.last_outcome.warnings


@pytest.mark.parametrize(
    ("host", "stem", "change"),
    [
        ("claude-code", "StopFailure", {}),
        ("qwen-code", "StopFailure", {}),
        ("reasonix", "StopFailure", {}),
        ("reasonix", "Stop", {"error": "status 400"}),
        ("cursor", "stop", {"status": "error"}),
    ],
)
def test_an_error_of_the_model_ends_a_turn_without_a_stage(host, stem, change):
    runtime, host = Runtime(), load(host)
    for name in ("audit", "turn-summary", "token-budget"):
        runtime.register(built_in(name))
    payload = json.loads((CAPTURES / host.name / f"{stem}.json").read_text())
    found = decode(host, {**payload, **change})
    if found is not None:
        runtime.store.set_notes(found[1].session, {"todos": [["ship", "pending"]]})
        runtime.answer(host, *found)

    assert found is None or not isinstance(found[1], Stop)
    assert runtime.last_outcome is None or runtime.last_outcome.warnings == ()


@pytest.mark.parametrize(
    ("host", "stems", "still"),
    [
        ("qwen-code", ["PostToolUse.todo_write"], (Todo(text="a", status="pending"),)),
        ("claude-code", ["PostToolUse.TaskCreate"], (Todo(text="s1"),)),
        ("claude-code", ["PostToolUse.TaskCreate", "PostToolUse.TaskUpdate"], ()),
    ],
)
def test_the_hosts_own_lists_are_understood(host, stems, still):
    host, notes = load(host), {}
    for stem in stems:
        payload = json.loads((CAPTURES / host.name / f"{stem}.json").read_text())
        said = turn_summary(decode(host, payload)[1], NOW)
        notes |= said.memory

    assert find_open(notes) == still


@pytest.mark.parametrize(
    ("host", "tool", "text"),
    [("gemini-cli", "write_todos", "description"), ("opencode", "todowrite", "content")],
)
def test_the_tables_of_other_hosts_say_where_their_lists_lie(host, tool, text):
    row = load(host).tools[tool]
    event = post_tool_use(
        tool=tool,
        kind=row.kind,
        input_keys=row.input_keys,
        input=freeze({"todos": [{text: "ship", "status": "pending"}, {text: "x", "status": "cancelled"}]}),
    )

    assert find_open(turn_summary(event, NOW).memory) == (Todo(text="ship", status="pending"),)


@pytest.mark.parametrize(
    "event",
    [
        post_tool_use(),
        todo(("ship", "pending"), success=False),
        todo(("ship", "pending"), subagent=built_in),
        post_tool_use(kind="todo", input=freeze({"todos": "nonsense"}), input_keys=freeze({"id": "id"})),
    ],
    ids=["another-tool", "failed", "of-a-helper", "nonsense"],
)
def test_nothing_else_is_remembered(event):
    assert turn_summary(event, NOW) is None


@pytest.mark.parametrize("odd", ["text", 3, None, [1, {"content": 5}], {"a": 1}])
def test_a_list_of_another_shape_is_no_trouble(odd):
    places = freeze({"todos": "todos", "text": "content", "status": "status"})
    said = turn_summary(post_tool_use(kind="todo", input_keys=places, input=freeze({"todos": odd})), NOW)

    assert find_open(said.memory) == ()


class Slow:
    """A store with slow queries for records."""

    def __init__(self):
        self.store = memory.open_store()

    def __getattr__(self, name):
        return getattr(self.store, name)

    def records(self, query):
        time.sleep(5)
        return self.store.records(query)


def test_a_part_that_takes_too_long_is_left_out_and_noted():
    runtime = Runtime(store=Slow())
    for one in (built_in("audit"), built_in("dangerous-command"), built_in("turn-summary")):
        runtime.register(configure(one, {"within": 0.05}) if one.name == "turn-summary" else one)
    runtime.fire_now(pre_tool_use("git push --force"))
    outcome = runtime.fire_now(stop())

    assert [text for text in outcome.warnings if "suggested" in text] == []
    assert [step.action for step in outcome.trail if step.hook.startswith("turn-summary.")] == [
        "timed-out",
        "timed-out",
    ]


def test_every_part_has_a_name():
    assert set(PARTS) == {"summary", "next-prompt", "memory"}


def test_a_helpers_end_is_no_end_of_the_turn():
    assert turn_summary(stop(subagent=object()), NOW) is None


def test_an_ordinary_call_costs_no_look_into_memory():
    class Untouchable(dict):
        def get(self, *_):
            raise AssertionError

    assert turn_summary(post_tool_use(), State(now=1.0, memory=Untouchable())) is None
    assert isinstance(post_tool_use(), PostToolUse)


@pytest.mark.parametrize(
    "noted", [True, 7, "ship", ["ship"], ["ab", "cd"], [["ship"]], [["ship", 7]], {"a": 1}]
)
def test_what_another_hook_notes_as_todos_does_not_keep_the_end_from_being_judged(runtime, noted):
    @runtime.register
    @hook()
    def gate(event: Stop, state):
        return block("go on")

    runtime.store.set_notes("s-1", {"todos": noted, "todo:1:text": noted})

    assert asked(runtime, "Stop", stop())["decision"] == "block"
    assert find_open({"todos": noted, "todo:1:text": 7}) == ()
    assert "decision" not in [asked(runtime, "Stop", stop()) for _ in range(7)][-1]


@pytest.mark.parametrize("before", range(80, 125, 4))
def test_no_part_of_a_secret_on_the_list_is_noted(before):
    secret = "ghp_" + "aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA3bC5"
    said = turn_summary(todo((f"{'use '.rjust(before, 'x')}{secret}", "pending")), NOW)

    assert secret[:10] not in str(said.memory)
    assert said.memory["todos"]
