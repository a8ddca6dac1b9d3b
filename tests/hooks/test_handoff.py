"""Test handoff: saving when a context ends, and giving it to the next session."""

from itertools import permutations

import pytest

from hookline.core.conversation import Message, ToolResult, ToolUse
from hookline.core.events import OnBudgetExceeded, PostCompact, PostToolUse, PreCompact, SessionEnd, TurnEnd
from hookline.core.hook import configure
from hookline.core.records import Handoff
from hookline.core.response import HandOver, Measure
from hookline.core.state import Facts, State
from hookline.core.values import replace
from hookline.handoff.content import Content, Delivery, to_details
from hookline.handoff.extract import SessionFacts, extract_content
from hookline.hooks.handoff import handoff
from hookline.testing import session_start, user_prompt_submit
from hookline.testing.events import any_event

LEFT = Content(
    issue="7", branch="fix", task="mend it", blockers=("the key expired",), next=("write the parser",)
)
KEPT = Handoff(id="h1", at=1.0, session="s0", text="t", details=to_details(LEFT))
USUAL = {
    "reads_compaction_guidance": True,
    "reports_compaction": True,
    "in_run": False,
    "reports_start": True,
    "has_transcript": True,
}


def knowing(notes=None, env=None, **facts):
    known = {**USUAL, **facts}
    return State(
        now=1.0,
        memory=notes or {},
        env=env or {},
        facts=Facts({name: (lambda value=value: value) for name, value in known.items()}),
    )


def handed(answer):
    return [one for one in answer.effects if isinstance(one, HandOver)]


def test_before_a_compaction_it_is_kept_and_the_summary_is_guided():
    answer = handoff(any_event(PreCompact, trigger="auto"), knowing(handoff_content=LEFT))
    (one,) = handed(answer)

    assert (one.why, one.details) == ("compaction", to_details(LEFT))
    assert one.text.startswith("**Issue:** #7\n**Branch:** fix\n**Task:** mend it")
    assert answer.context[0].splitlines()[1:] == [
        "- issue: #7",
        "- branch: fix",
        "- blocker: the key expired",
        "- next step: write the parser",
    ]
    assert Measure(name="handoff.size", value=len(one.text)) in answer.effects


def test_who_cannot_be_guided_is_told_nothing_before():
    assert (
        handoff(any_event(PreCompact), knowing(handoff_content=LEFT, reads_compaction_guidance=False)).context
        == ()
    )


def test_where_nothing_is_known_nothing_is_handed_over():
    for event in (PreCompact, SessionEnd):
        assert handoff(any_event(event), knowing(handoff_content=None)) is None


def test_at_the_end_it_is_kept_for_whoever_comes():
    assert handed(handoff(any_event(SessionEnd), knowing(handoff_content=LEFT)))[0].why == "end"
    rotated = knowing({"handoff.rotate": True}, handoff_content=LEFT)
    assert handed(handoff(any_event(SessionEnd), rotated))[0].why == "rotation"


def test_what_a_run_leaves_that_went_in_circles_is_gone_on_from():
    def why(**facts):
        circles = {"loop-breaker.ended": {"at": 1.0, "turn": "t"}}
        return handed(handoff(any_event(SessionEnd), knowing(circles, handoff_content=LEFT, **facts)))[0].why

    assert (why(in_run=True), why()) == ("rotation", "end")


def short_of(percent, threshold="tokens", **facts):
    event = any_event(OnBudgetExceeded, threshold=threshold, percent=percent)
    return handoff(event, knowing(handoff_content=LEFT, **facts))


def test_when_the_context_is_nearly_full_it_is_kept():
    assert short_of(79.9) is None
    assert handed(short_of(80.0))[0].why == "budget"
    assert short_of(80.0).context == ()
    assert "`hookline rotate`" in short_of(80.0).warnings[0]
    assert handed(short_of(100.0, "time"))[0].why == "budget"


def test_in_a_run_the_session_is_asked_to_end():
    answer = short_of(80.0, in_run=True)

    assert handed(answer)[0].why == "rotation"
    assert answer.memory == {"handoff.rotate": True}
    assert "This run continues in a new session" in answer.context[0]
    assert Measure(name="budget.rotations", value=1) in answer.effects
    assert short_of(100.0, "time", in_run=True).context == ()


def given(way, notes=None, source="startup", **facts):
    state = knowing(notes, delivery=Delivery(occasion=way, handoff=KEPT), **facts)
    return handoff(session_start(source=source), state)


def test_after_a_rotation_all_of_it_is_given_and_the_first_answer_is_waited_for():
    answer = given("rotation")

    assert "**Next step:** write the parser" in answer.context[0]
    assert answer.memory["handoff.from"] == "h1"
    assert answer.memory["handoff.expected"]["anchors"][0] == ("issue", "#7")


def test_who_was_not_told_of_the_start_is_given_it_with_the_prompt():
    one = {"delivery": Delivery(occasion="rotation", handoff=KEPT)}
    env = {"HOOKLINE_HANDOFF": "h1"}

    assert handoff(user_prompt_submit(), knowing(env=env, **one)).context
    assert handoff(user_prompt_submit(), knowing({"handoff.from": "h1"}, env=env, **one)) is None
    assert handoff(user_prompt_submit(), knowing(**one)) is None


def test_after_a_compaction_it_is_given_once():
    compacting = {"handoff.compacting": True}

    assert "**Branch:** fix" in given("compaction", compacting, "compact").context[0]
    assert given("compaction", {}, "compact") is None
    assert given("compaction", {}, "compact", reports_compaction=False).context
    done = {"handoff.compacting": False}
    assert given("compaction", done, "compact", reports_compaction=False) is None


def test_a_session_that_resumes_is_told_only_that_its_branch_changed():
    assert given("resume", source="resume", branch="fix") is None
    (text,) = given("resume", source="resume", branch="main").context
    assert text.splitlines()[1:] == [
        "- branch of this session: fix",
        "- branch that is checked out now: main",
    ]


def test_one_that_just_begins_is_told_in_a_few_lines_of_what_lies_there():
    answer = given("offer")

    assert answer.context[0].splitlines()[1:3] == ["- task: mend it", "- issue: #7"]
    assert answer.memory == {}
    state = knowing(delivery=Delivery(occasion="offer", handoff=KEPT))
    assert configure(handoff, {"offer": False})(session_start(), state) is None


def test_in_the_middle_of_a_session_nothing_is_given():
    assert given("offer", source="unseen") is None
    assert given("offer", source="unseen", reports_start=False).context


def compacted(summary, notes=None):
    return handoff(any_event(PostCompact, summary=summary), knowing(notes, own_handoff=KEPT))


def test_the_summary_is_measured_aloud():
    answer = compacted("issue #7 on fix: the key expired")

    assert answer.warnings == ("facts kept in the summary: 3 of 4 (75 %); missing: next step",)
    assert answer.context == ()
    assert answer.memory["handoff.retained"] == 0.75
    assert Measure(name="anchors.retained", value=0.75) in answer.effects


def test_only_what_is_missing_is_given_again():
    answer = compacted("issue #7 on fix: the key expired", {"handoff.compacting": True})

    (text,) = answer.context
    assert text.startswith("[Handoff] The summary of this session lacks this (")
    assert text.splitlines()[1:] == ["- next step: write the parser"]
    assert answer.memory["handoff.compacting"] is False


def test_where_nobody_shows_the_summary_all_of_it_is_given():
    assert "**Task:** mend it" in compacted("", {"handoff.compacting": True}).context[0]
    assert compacted("") is None


AFTER_COMPACTION = {
    "start": lambda notes, reports: handoff(
        session_start(source="compact"),
        knowing(notes, delivery=Delivery(occasion="compaction", handoff=KEPT), reports_compaction=reports),
    ),
    "end": lambda notes, reports: handoff(
        any_event(PostCompact, summary=""), knowing(notes, own_handoff=KEPT, reports_compaction=reports)
    ),
    "summary": lambda notes, reports: handoff(
        any_event(PostCompact, summary="a summary that lacks it all"),
        knowing(notes, own_handoff=KEPT, reports_compaction=reports),
    ),
}
ORDERS = [
    *((order, True) for pair in (("start", "end"), ("start", "summary")) for order in permutations(pair)),
    *(((name,), True) for name in AFTER_COMPACTION),
    (("start",), False),
    (("start", "end"), False),
    (("end", "start"), False),
]


@pytest.mark.parametrize(("order", "reports"), ORDERS)
def test_a_compaction_is_told_once_in_whichever_order_the_host_fires_its_events(order, reports):
    notes = {}
    for _ in range(3):
        before = handoff(any_event(PreCompact, trigger="auto"), knowing(notes, handoff_content=LEFT))
        notes = {**notes, **before.memory}
        texts = []
        for name in order:
            answer = AFTER_COMPACTION[name](notes, reports)
            notes = {**notes, **answer.memory} if answer else notes
            texts += answer.context if answer else ()

        assert len(texts) == 1
        assert "write the parser" in texts[0]


def test_work_that_is_left_is_offered_without_a_list_of_todos():
    request = Message(by="person", text="Add a retry with backoff to the uploader, five tries at most.")
    run = (
        ToolUse(call="1", tool="Edit", kind="edit", path="/p/up.py"),
        ToolResult(call="1"),
        ToolUse(call="2", tool="Bash", kind="shell", command="pytest -q"),
        ToolResult(call="2", error="FAILED test_up.py::test_backoff"),
    )
    content = extract_content((request, *run), SessionFacts(root="/p"), lambda text: text)
    (saved,) = handed(handoff(any_event(SessionEnd), knowing(handoff_content=content)))
    offered = Delivery(occasion="offer", handoff=replace(KEPT, details=saved.details))
    answer = handoff(session_start(), knowing(delivery=offered))

    assert content.unfinished
    assert "five tries" in answer.context[0]
    assert "`pytest -q` failed last" in answer.context[0]


EXPECTED = {"handoff.expected": {"anchors": [["branch", "fix"], ["next step", "write the parser"]]}}


def test_a_first_answer_that_knows_it_all_is_noted():
    event = any_event(PostToolUse, tool="Bash")
    answer = handoff(event, knowing(EXPECTED, agent_text="On fix; next I write the parser."))

    assert answer.memory == {"handoff.expected": None, "handoff.checked": {"share": 1.0, "missing": ()}}
    assert answer.context == answer.warnings == ()


def test_what_it_leaves_out_is_told_and_noted():
    event = any_event(PostToolUse, tool="Bash")
    answer = handoff(event, knowing(EXPECTED, agent_text="I look around on fix."))

    assert answer.context[0].splitlines()[1:] == ["- next step: write the parser"]
    assert answer.memory["handoff.checked"] == {"share": 0.5, "missing": ("next step",)}
    assert "1 of 2 (50 %); missing: next step" in answer.warnings[0]


def test_an_agent_that_only_works_is_waited_for_until_its_turn_ends():
    assert handoff(any_event(PostToolUse, tool="Bash"), knowing(EXPECTED, agent_text="")) is None
    answer = handoff(
        any_event(TurnEnd, last_text="fix, the parser is to write"), knowing(EXPECTED, agent_text="")
    )

    assert answer.memory["handoff.checked"]["share"] == 1.0


def test_without_a_handoff_nothing_is_looked_at():
    assert handoff(any_event(PostToolUse, tool="Bash"), knowing()) is None
    assert handoff(any_event(TurnEnd, last_text="done"), knowing()) is None


def test_where_a_host_records_nothing_its_last_words_are_remembered():
    answer = handoff(any_event(TurnEnd, last_text="Next step: b"), knowing(has_transcript=False))

    assert answer.memory == {"handoff.last": "Next step: b"}


def test_of_a_long_last_word_its_end_is_kept_and_no_part_of_a_secret():
    secret = "ghp_" + "a1B2" * 9
    for length in range(3_960, 4_040, 8):
        said = f"It was long. {secret} {'x' * length}\nNext step: write the parser"
        answer = handoff(any_event(TurnEnd, last_text=said), knowing(has_transcript=False))
        kept = answer.memory["handoff.last"]

        assert (kept.endswith("Next step: write the parser"), "a1B2" in kept) == (True, False)
