"""Test the content of handoffs: taken from prompts and calls, short, and without secrets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.core.conversation import Message, ToolResult, ToolUse
from hookline.core.todos import Todo
from hookline.handoff.content import (
    CONTINUE_PROMPT,
    MAX_HANDOFF_LENGTH,
    MAX_ITEM_LENGTH,
    MAX_ITEMS,
    MAX_TEXT_LENGTH,
    Content,
    to_markdown,
)
from hookline.handoff.extract import SessionFacts, extract_content, find_labelled
from hookline.redact import redact

SECRET = "ghp_k4Z9vQ2mX7bN1cR8tY5wL3pJ6hG0fD2sA9eU"


def person(text):
    return Message(by="person", text=text)


def agent(text):
    return Message(by="agent", text=text)


def ran(command, error="", call=None):
    call = call or command
    return ToolUse(call=call, tool="Bash", kind="shell", command=command), ToolResult(call=call, error=error)


def edited(path, call):
    return ToolUse(call=call, tool="Edit", kind="edit", path=path), ToolResult(call=call)


def told(*entries, **around):
    return extract_content(entries, SessionFacts(**around), redact)


def test_a_session_leaves_what_the_next_one_needs():
    found = told(
        person("Round the amounts of issue #12 to cents."),
        agent("I'd store amounts as floats."),
        person("no, store them as integer cents"),
        *edited("/p/a.py", "1"),
        *edited("/p/b.py", "2"),
        *edited("/p/a.py", "3"),
        *ran("make test", error="error: no rule"),
        *ran("npm test", error="Error: boom"),
        *ran("npm test --force"),
        *ran('git commit -am "Round amounts"'),
        *edited("/p/a.py", "4"),
        *edited("/p/c.py", "5"),
        *edited("/p/d.py", "6"),
        *ran("git checkout -- d.py"),
        agent("Half of it is done.\nBlockers: the schema is frozen\nNext step: add the migration"),
        root="/p",
        branch="fix/cents",
        todos=(Todo(text="write docs", status="pending"), Todo(text="migrate", status="in_progress")),
    )

    assert found == Content(
        issue="12",
        branch="fix/cents",
        task="Round the amounts of issue #12 to cents.",
        status="Half of it is done. Blockers: the schema is frozen Next step: add the migration",
        blockers=("the schema is frozen",),
        next=("add the migration",),
        doing=("migrate",),
        todos=("write docs",),
        done=("committed: Round amounts",),
        decisions=("no, store them as integer cents",),
        failed=("changes in d.py were reverted",),
        files=("c.py", "a.py"),
        commands=("make test (failed last)", "npm test (failed last)", "npm test --force"),
    )


def test_where_nothing_was_said_nothing_is_left():
    assert told() is None
    assert told(agent("hello")) is None


def test_the_task_of_a_session_that_goes_on_is_that_of_the_one_before():
    before = Content(task="mend it", decisions=("cents",), blockers=("the schema is frozen",), done=("a",))
    found = told(person(f"{CONTINUE_PROMPT}, which …"), agent("Next step: b is mended"), before=before)

    assert (found.task, found.decisions, found.blockers) == ("mend it", ("cents",), before.blockers)
    assert (found.next, found.done) == (("b is mended",), ("a",))


def test_a_blocker_that_was_cleared_stands_in_nobodys_way():
    before = Content(task="t", blockers=("the schema is frozen",))

    assert told(agent("We are no longer blocked."), before=before).blockers == ()
    assert told(person("t"), agent("Blockers: the key"), agent("We are no longer blocked.")).blockers == ()
    assert told(person("t"), agent("unblocked"), agent("Blockers: the key")).blockers == ("the key",)
    assert told(person("t"), agent("Blockers: waiting for jana.roth@posteo.example.com")).blockers == ()


@pytest.mark.parametrize(
    "text",
    [
        "Once unblocked, I go on.",
        "It will be unblocked on Friday",
        "We aren't unblocked",
        "who can get us unblocked?",
    ],
)
def test_a_blocker_that_is_to_be_cleared_still_stands_there(text):
    before = Content(task="t", blockers=("the schema is frozen",))

    assert told(agent(text), before=before).blockers == before.blockers


def test_without_a_word_of_it_the_next_step_is_what_the_list_has_first():
    todos = (Todo(text="later", status="pending"), Todo(text="now", status="in_progress"))

    assert told(person("t"), todos=todos).next == ("now",)
    assert told(person("t"), todos=todos[:1]).next == ("later",)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Next step: a", [("next", "a")]),
        ("**Next steps:**\n\n1. a\n2. b\n\nBye", [("next", "a"), ("next", "b")]),
        ("- **Blockers:** a\n- Next: b", [("blockers", "a"), ("next", "b")]),
        ("Blockers: none\nRemaining: nothing", []),
        ("Blockers: no.\nNext: no more steps", []),
        ("Blockers: no access to staging", [("blockers", "no access to staging")]),
        ("What's left: the docs", [("next", "the docs")]),
        ("the next day: rain", []),
    ],
)
def test_labels(text, parts):
    assert list(find_labelled(text)) == parts


@given(
    st.lists(
        st.one_of(
            st.text(max_size=200).map(person),
            st.text(max_size=200).map(agent),
            st.text(max_size=900).map(lambda text: agent(f"Next step: {text}\nBlockers: {text}")),
        ),
        max_size=30,
    )
)
def test_whatever_was_said_it_stays_short(entries):
    found = extract_content(entries, SessionFacts(), redact)
    if found is None:
        return

    assert len(to_markdown(found)) <= MAX_HANDOFF_LENGTH
    assert max(len(found.task), len(found.status)) <= MAX_TEXT_LENGTH
    for many in (found.blockers, found.next, found.decisions, found.failed):
        assert len(many) <= MAX_ITEMS
        assert all(0 < len(text) <= MAX_ITEM_LENGTH for text in many)


def test_what_is_cut_is_said():
    assert (
        to_markdown(Content(task="t" * 100, branch="b"), 80)
        == "**Branch:** b\n[the rest of the handoff was cut]"
    )


def test_no_part_has_a_secret():
    long = f"{'x' * (MAX_TEXT_LENGTH - 20)} {SECRET}"
    found = told(
        person(long),
        agent(f"We decided to use {SECRET}.\nBlockers: {SECRET} expired\nNext step: rotate {SECRET}"),
        *ran(f"deploy {SECRET}", error=f"error: {SECRET}"),
        *ran(f"login {SECRET}"),
        *edited(f"/p/{SECRET}", "1"),
        todos=(Todo(text=f"use {SECRET}"),),
    )

    assert SECRET[:12] not in str(found)


def test_thanks_for_a_result_leave_nothing_to_do():
    before = Content(task="t", blockers=("the key",))
    texts = [person("t"), agent("Next step: a"), agent("All done."), person("thanks!")]
    done = told(*texts, before=before, blockers=("old",))

    assert (done.next, done.blockers, done.unfinished) == ((), (), False)
    assert not told(*texts[:-1]).unfinished
    assert told(person("t"), agent("It is fixed.")).next == ("not stated; last words: It is fixed.",)
    assert told(person("t"), agent("Nothing is left.\nNext step: a")).next == ("a",)
    assert told(person("t"), agent("All done."), todos=(Todo(text="docs"),)).next == ("docs",)


def test_a_step_that_was_named_long_ago_is_not_the_next_one():
    assert told(person("t"), agent("Next step: a"), agent("a works now")).next == (
        "not stated; last words: a works now",
    )
    assert told(person("t"), agent("Next step: a"), person("ok"), agent("Fine.")).next == ("a",)


def test_parts_that_the_last_words_do_not_name_are_next():
    request = person("Translate the mails into English, German and Polish")
    last = agent("Finished the English texts and pushed them.")

    assert told(request, last).next == ("not mentioned in the agent's reports: German; Polish",)


def test_the_task_is_the_latest_request():
    found = told(
        person("Why is test_totals flaky?"),
        agent("Fixed and committed."),
        person("great. next: add soft delete to invoices (#812)"),
        agent("I'll add a flag."),
        person("not a flag, use a timestamp"),
        agent("A timestamp then."),
        person("ok continue"),
    )

    assert (found.task, found.issue) == ("great. next: add soft delete to invoices (#812)", "812")
    assert found.decisions == ("not a flag, use a timestamp (A timestamp then.)",)


def test_work_that_is_left_is_known_without_a_list():
    request, answer = person("Add a flag to the importer"), agent("The importer has two entry points.")

    assert not told(person("What does the importer do?"), answer).unfinished
    assert told(request).next == ("Add a flag to the importer",)
    assert told(request, *ran("make test", error="Error: boom"), answer).next == (
        "`make test` failed last: Error: boom",
    )
    result = agent("The importer has the flag now, and its tests pass.")
    assert told(request, *edited("/p/a.py", "1"), result, root="/p").next == (
        "check and commit the changes in a.py",
    )


def test_the_same_blocker_in_other_words_is_told_once():
    found = told(person("t"), agent("Blockers: the key expired."), blockers=("We wait: the key expired",))

    assert found.blockers == ("the key expired.",)


def test_a_remembered_blocker_that_differs_by_its_final_mark_is_listed_once():
    found = told(person("t"), agent("Blockers: the key expired."), blockers=("The key  expired",))

    assert found.blockers == ("the key expired.",)


@pytest.mark.parametrize("text", ["...", "!", "API", "CI"])
def test_a_short_blocked_todo_leaves_the_other_blockers(text):
    todos = (Todo(text=text, status="blocked"),)
    blockers = told(person("t"), agent("Blockers: rapid7 needs specific approval"), todos=todos).blockers

    assert "rapid7 needs specific approval" in blockers
    assert (text in blockers) is text.isalpha()


def test_a_secret_that_is_cut_is_not_left_in_part():
    text = f"Next step: x. {'word ' * 4800}"
    for at in range(23_900, 24_000, 7):
        found = told(person(text[:at] + SECRET), agent(text[:at] + SECRET))

        assert SECRET[:12] not in str(found)


def test_who_says_nothing_neither_asks_nor_leaves_anything():
    found = told(person(""), person("mend it"), agent("Half of it is done."), agent(" \n"))

    assert (found.task, found.status) == ("mend it", "Half of it is done.")
