"""Test exceptions to rules: their matching, their validation, and that their use is recorded."""

import pytest

from hookline.core.response import Response, block
from hookline.core.rule_exceptions import UNEXPLAINED, check_exceptions, find_exception, note_exceptions

RM = {"rule": "rm-cwd", "match": "/scratch/*", "reason": "mine"}


@pytest.mark.parametrize(
    ("allow", "rule", "subject", "reason"),
    [
        ((), "rm-cwd", "/scratch/x", None),
        (("rm-cwd",), "rm-cwd", "anything", UNEXPLAINED),
        (("guard:rm-cwd",), "rm-cwd", "anything", UNEXPLAINED),
        (("other:rm-cwd",), "rm-cwd", "anything", None),
        (("rm-root",), "rm-cwd", "anything", None),
        ((RM,), "rm-cwd", "/scratch/x", "mine"),
        ((RM,), "rm-cwd", "/proj/x", None),
        ((RM,), "rm-root", "/scratch/x", None),
        (({"match": "/s*", "reason": "any rule"},), "rm-root", "/scratch", "any rule"),
        ((RM, "rm-cwd"), "rm-cwd", "/scratch/x", "mine"),
        ((RM, "rm-cwd"), "rm-cwd", "/proj/x", UNEXPLAINED),
    ],
)
def test_what_is_excepted_and_why(allow, rule, subject, reason):
    assert find_exception(allow, "guard", rule, subject) == reason


@pytest.mark.parametrize(
    ("allow", "rules", "said"),
    [
        (("rm-cwd", "guard:rm-cwd", RM), ("rm-cwd",), ""),
        (("nosuch",), ("b", "a"), "no rule named 'nosuch'; available: a, b"),
        (("guard:nosuch",), ("a",), "no rule named 'guard:nosuch'; available: a"),
        (
            ("other:rm-cwd",),
            ("rm-cwd",),
            "'other:rm-cwd' is not a rule of guard; write RULE or guard:RULE",
        ),
        (({**RM, "rule": "other:rm-cwd"},), (), "'other:rm-cwd' is not a rule of guard; "),
        (("whatever", "guard:whatever"), (), ""),
        (({"rule": "x"},), (), "an exception has the keys match, reason, rule, and requires a reason"),
    ],
)
def test_what_is_wrong_with_exceptions(allow, rules, said):
    found = check_exceptions(allow, "guard", rules)

    assert found.startswith(said) if said else not found


def test_an_exception_that_counts_is_noted():
    assert note_exceptions(None, []) is None
    assert note_exceptions(None, [("a", "x")]).note == "a excepted: x"
    both = note_exceptions(block("no"), [("a", "x"), ("a", "x"), ("b", "y")])
    assert (both, both.note) == (block("no"), "a excepted: x; b excepted: y")
    assert note_exceptions(None, [("a", "x")]) == Response()
