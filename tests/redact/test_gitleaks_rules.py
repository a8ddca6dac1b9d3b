"""Test gitleaks rule files: their matches are redacted, and unusable rules are reported."""

import re

import pytest

from hookline.redact import redact
from hookline.redact.gitleaks_rules import parse_rules, translate_pattern

RULES = """
[[rules]]
id = "acme-key"
regex = '''\\b(acme_(?i)[a-z0-9]{8})(?:['"\\s;]|$)'''
keywords = ["ACME_"]
entropy = 2

[[rules]]
id = "acme-session"
regex = '''sess(ion)?=([0-9a-f]{8})'''
secretGroup = 2
keywords = ["sess"]
[[rules.allowlists]]
regexes = ['''^dead''']
stopwords = ["beef"]

[[rules]]
id = "of-files"
path = '''\\.p12$'''
"""


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("x acme_1A2b3C4d;", "x [redacted:acme-key];"),
        ("x acme_11111111;", "x acme_11111111;"),  # entropy too low
        ("session=0a1b2c3d", "session=[redacted:acme-session]"),
        ("session=dead2c3d", "session=dead2c3d"),
        ("session=0abeef3d", "session=0abeef3d"),
        ("nothing", "nothing"),
    ],
)
def test_what_a_rule_finds_goes(text, after):
    rules = parse_rules(RULES)

    assert rules.problems == ()
    assert redact(text, rules=[rules]) == after
    assert redact(text) == text


def test_a_rule_without_keywords_looks_everywhere():
    rules = parse_rules("[[rules]]\nid = 'x'\nregex = 'zz[0-9]{4}'\n")

    assert redact("a" * 5000 + " zz1234", rules=[rules]) == "a" * 5000 + " [redacted:x]"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("rules = 1 2", "is not TOML: "),
        ("[extend]\nuseDefault = true", "extends another file, which is not supported"),
        ("[[rules]]\nid = 'x'\nregex = '('", "rule 'x' cannot be used: "),
        (
            "[[rules]]\nid = 'x'\nregex = 'a'\nsecretGroup = 3",
            "rule 'x' names a group that its pattern does not have",
        ),
        (
            "[[rules]]\nid = 'x'\nregex = '[[:what:]]'",
            "rule 'x' cannot be used: unknown character class 'what'",
        ),
        (
            "[[rules]]\nid = 'x'\nregex = '[[:^word:]]'",
            "rule 'x' cannot be used: unknown character class '^word'",
        ),
        ("[[rules]]\nid = 'x'\nregex = '?)i(a'", "rule 'x' cannot be used: unsupported pattern '?)i(a'"),
        ("[[rules]]\nid = 'x'\nregex = 'a{1,99999999999}'", "rule 'x' cannot be used: "),
        (f"[[rules]]\nid = 'x'\nregex = '{'(' * 3_000}a{')' * 3_000}'", "rule 'x' cannot be used: "),
        ("[[rules]]\nid = 'x'\nregex = 'a'\nsecretGroup = inf", "rule 'x' cannot be used: "),
        (
            "[[rules]]\nid = 'x'\nregex = 'a'\nsecretGroup = -1",
            "rule 'x' names a group that its pattern does not have",
        ),
        (f"a = {'[' * 5_000}", "is not TOML: "),
        (f"a = {'1' * 5_000}", "is not TOML: "),
    ],
)
def test_what_cannot_be_used_is_said(text, problem):
    [told] = parse_rules(text).problems

    assert told.startswith(problem)


@pytest.mark.parametrize(
    ("go", "python"),
    [
        ("a(?i)b", "a(?i:b)"),
        ("(?i)a|b", "(?i:a)|(?i:b)"),
        ("x(a(?i)b|c)d", "x(a(?i:b)|(?i:c))d"),
        ("(?-i:a)", "(?-i:a)"),
        (r"[[:alnum:]_]\z", r"[A-Za-z0-9_]\Z"),
        (r"[\]()|]\|", r"[\]()|]\|"),
        ("[[a][+--][a&&b||c]", r"[\[a][+-\-][a&\&b|\|c]"),
        ("(?i)a(?s).", "(?i:a)(?s:.)"),
    ],
)
def test_patterns_mean_the_same(go, python):
    assert translate_pattern(go) == python
    re.compile(python)
