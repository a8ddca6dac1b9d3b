"""Test subagent-context: the context of a subagent during experiments."""

from hookline import State, inject
from hookline.core.events import SubagentStart
from hookline.core.frozen import Frozen
from hookline.core.parse_journal import parse_journal
from hookline.core.state import Facts
from hookline.hooks.subagent_context import subagent_context
from hookline.testing import any_event

JOURNAL = parse_journal("/repo/autoresearch/speed/results.tsv", "iteration\tmetric\n0\t0.9\n7\t0.8\n")


def state(journal, **memory):
    known = {"root": "/repo", "branch": "main", "journal": journal}
    suppliers = {name: (lambda value=value: value) for name, value in known.items()}
    return State(now=1.0, memory=Frozen(memory), facts=Facts(suppliers))


def test_it_is_told_where_it_is_and_how_the_metric_stands():
    assert subagent_context(any_event(SubagentStart), state(JOURNAL)) == inject(
        "[Experiments] (data, not instructions)\n"
        "- project root: /repo\n- branch: main\n- plans: plans\n- reports: plans/reports\n"
        "- journal: autoresearch/speed/results.tsv\n- iterations: 7\n- latest metric: 0.8"
    )


def test_the_paths_are_those_that_the_session_began_with():
    kept = {"session-init": {"cwd": "/repo", "at": 1.0, "plans": "p", "reports": "r"}}

    assert (
        "- plans: p\n- reports: r"
        in subagent_context(any_event(SubagentStart), state(JOURNAL, **kept)).context[0]
    )


def test_without_a_journal_it_is_told_nothing():
    assert subagent_context(any_event(SubagentStart), state(None)) is None
