"""Test converting a hook that was written for one host to another host."""

import pytest

from hookline import hosts
from hookline.core.install_table import UserHook
from hookline.install.convert import Untranslatable, convert_hook, translate_matcher

CLAUDE = hosts.load("claude-code")
CODEX, GEMINI, OPENCODE = (hosts.load(name) for name in ("codex", "gemini-cli", "opencode"))


def match(text, target=GEMINI, moment="PreToolUse"):
    return translate_matcher(text, CLAUDE, target, CLAUDE.moments[moment])


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("", ""),
        ("*", ""),
        (".*", ""),
        ("Bash", "shell"),
        ("Write|Edit", "write|edit"),
        ("Write, Edit", "write|edit"),
        ("Edit|NotebookEdit", "edit"),
        ("Task|Agent", "agent"),
        ("^(Bash|Read)$", "shell|read"),
        ("^Notebook.*|Edit", "edit"),
        ("Web.*", "fetch|search"),
    ],
)
def test_a_matcher_that_means_the_same_loses_nothing(theirs, ours):
    assert match(theirs) == (ours, ())


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("mcp__memory__.*", "mcp__memory__.*"),
        ("mcp__memory__store", "mcp__memory__store"),
        ("Bash|mcp__memory__.*", "^(?:shell)$|mcp__memory__.*"),
        ("Write|Edit", "write|edit"),
    ],
)
def test_tools_of_servers_stay_where_both_hosts_name_them_alike(theirs, ours):
    assert match(theirs, CODEX) == (ours, ())


@pytest.mark.parametrize(
    ("theirs", "target", "ours", "lost"),
    [
        ("Write", CODEX, "write|edit", "one tool for Write and for edits"),
        ("Edit|MultiEdit", GEMINI, "edit", "no tool that corresponds to 'MultiEdit'"),
        ("NotebookEdit", GEMINI, "edit", "every tool of the kind 'edit', not only for NotebookEdit"),
        ("mcp__memory__.*", GEMINI, "mcp__memory__.*", "names the tools of MCP servers differently"),
        ("mcp__memory__.*", OPENCODE, "mcp__memory__.*", "names the tools of MCP servers differently"),
    ],
)
def test_what_a_matcher_loses_is_said(theirs, target, ours, lost):
    made, said = match(theirs, target)

    assert made == ours
    assert [text for text in said if lost in text] == list(said)


@pytest.mark.parametrize("theirs", ["^(?!Bash)", "[", "Nothing.*", "TodoWrite", ".*[a-z]_.*"])
def test_a_matcher_that_cannot_be_told_in_kinds_is_refused(theirs):
    with pytest.raises(Untranslatable):
        match(theirs)


@pytest.mark.parametrize(("moment", "kept"), [("Stop", ""), ("SessionStart", "startup")])
def test_a_matcher_counts_only_where_there_is_something_to_match(moment, kept):
    assert match("startup", CODEX, moment)[0] == kept


def ported(moment, target=CODEX, **written):
    return convert_hook(CLAUDE, target, moment, UserHook(**{"command": "x", **written}), "claude")


def test_an_entry_says_under_which_host_it_runs_and_in_whose_words_it_is_told():
    one = ported("PreToolUse", match="Bash", timeout=10, extra_keys={"on_failure": "block"})

    assert (one.how, one.event) == ("whole", "PreToolUse")
    assert dict(one.entry) == {
        "command": "x",
        "payload": "claude",
        "match": "shell",
        "timeout": 10,
        "on_failure": "block",
        "hosts": ["codex"],
    }


@pytest.mark.parametrize(
    ("seconds", "timeout", "how"), [(None, 55, "whole"), (55, 55, "whole"), (56, 55, "partly")]
)
def test_nothing_waits_longer_than_the_other_host(seconds, timeout, how):
    one = ported("PreToolUse", timeout=seconds)

    assert (one.entry["timeout"], one.how) == (timeout, how)


@pytest.mark.parametrize(
    ("moment", "seconds", "said"),
    [
        ("PreToolUse", None, "it is ended after 55 s; claude-code allows 600 s"),
        ("PreToolUse", 55, ""),
        ("UserPromptSubmit", None, ""),
    ],
)
def test_the_time_that_an_entry_does_not_name_is_said_where_it_shrinks(moment, seconds, said):
    told = [text for text in ported(moment, timeout=seconds).limits if "is ended after" in text]

    assert told == ([said] if said else [])


@pytest.mark.parametrize(
    ("moment", "event"), [("PostToolUse", "PostToolUse"), ("PostToolUseFailure", "PostToolUse")]
)
def test_what_is_one_event_to_us_is_told_apart_by_its_moment(moment, event):
    one = ported(moment)

    assert (one.event, one.entry["moment"], one.how) == (event, moment, "whole")


@pytest.mark.parametrize(
    ("moment", "target", "why"),
    [
        ("Setup", CODEX, "listens for 'Setup', which hookline does not support"),
        ("SubagentStop", GEMINI, "listens for 'SubagentStop', but gemini-cli does not report SubagentStop"),
        ("Notification", OPENCODE, "listens for 'Notification', but opencode does not report Notification"),
    ],
)
def test_a_moment_that_the_other_host_does_not_have_is_said(moment, target, why):
    one = ported(moment, target)

    assert (one.how, one.why, dict(one.entry)) == ("not", (why,), {})


def test_a_host_that_tells_only_of_some_forms_of_an_event_is_said():
    assert ported("Notification").why == ("codex reports Notification only as: interrupt",)


def test_what_a_hook_cannot_do_there_is_said_though_it_may_never_do_it():
    one = ported("PreToolUse", GEMINI, timeout=5)

    assert one.how == "whole"
    assert one.limits == (
        "if it asks, gemini-cli cannot ask: the action is blocked",
        "if it allows, gemini-cli ignores that",
        "if it injects context, the agent reads it at the next event that accepts context",
    )
    assert ported("Stop", timeout=5).limits == ()
