"""Test budget-guard: a warning at each threshold, and no large loads into a nearly full context."""

import json
from pathlib import Path

import pytest

from hookline import OnBudgetExceeded, State
from hookline.core.budget import compare_thresholds
from hookline.core.events import Subagent
from hookline.core.payload import decode
from hookline.core.usage import Usage
from hookline.hooks.budget_guard import budget_guard
from hookline.hosts import load
from hookline.system.file_facts import measure_file
from hookline.testing import any_event, pre_tool_use

GEMINI = load("gemini-cli")
CAPTURES = Path(__file__).parent.parent / "captures"
GEMINI_READS = json.loads((CAPTURES / "gemini-cli/BeforeTool.read_file.json").read_text())


def with_used(percent, **facts):
    usage = Usage(used=int(percent * 1800), effective_limit=180_000)
    return State(now=1.0, facts={"usage": usage, "measure_file": measure_file, **facts})


def announced(percent, threshold="tokens", **settings):
    event = any_event(OnBudgetExceeded, threshold=threshold, percent=percent)
    return budget_guard.judge(event, with_used(percent), **settings)


def test_says_nothing_below_its_thresholds():
    assert announced(69.9) is None
    assert announced(100, "time") is None


@pytest.mark.parametrize(("percent", "shown"), [(70, "70 %"), (79.99, "79 %")])
def test_warns_the_agent_first(percent, shown):
    answer = announced(percent)

    assert answer.context[0].startswith(f"▲ CONTEXT: {shown} of 180,000 tokens in use — load only")
    assert (answer.verdict, answer.warnings) == ("pass", ())


@pytest.mark.parametrize("percent", [80, 101.5])
def test_then_asks_for_a_fresh_session(percent):
    answer = announced(percent)

    assert answer.context[0].startswith(f"▲▲ CONTEXT: {int(percent)} % of 180,000 tokens in use")
    assert "new session" in answer.context[0]
    assert answer.warnings == (
        f"context: {int(percent)} % of 180,000 tokens in use; start a new session soon",
    )


def test_thresholds_are_settings():
    assert announced(55, warn_at=50).context[0].startswith("▲ ")
    assert announced(55, warn_at=40, block_at=50).context[0].startswith("▲▲ ")


@pytest.mark.parametrize(
    ("percent", "said", "speaks", "over"),
    [
        (69.9, (), (), ()),
        (70, (), (70,), ()),
        (79.9, (70,), (), ()),
        (80, (70,), (80,), ()),
        (95, (), (70, 80), ()),
        (95, (70, 80), (), ()),
        (70.1, (70, 80), (), ()),
        (70, (70, 80), (), (80,)),
        (60.1, (70,), (), ()),
        (60, (70,), (), (70,)),
        (5, (70, 80), (), (70, 80)),
        (60, (), (), ()),
    ],
)
def test_each_threshold_speaks_once_until_usage_has_fallen_well_below(percent, said, speaks, over):
    assert compare_thresholds(percent, (70, 80), said) == (speaks, over)


@pytest.fixture
def place(tmp_path):
    for name, lines in (("short", 200), ("long", 201), ("thin", 260)):
        (tmp_path / name).write_text(("x\n" if name == "thin" else f"{name:>40}\n") * lines)
    (tmp_path / "small").write_text("x" * 20_000)
    (tmp_path / "big").write_text("x" * 20_001)
    (tmp_path / "wide").write_text(("x" * 999 + "\n") * 300)
    (tmp_path / "huge").write_text(("x" * 999 + "\n") * 2000)
    return tmp_path


def judged(event, percent=80, **settings):
    return budget_guard.judge(event, with_used(percent), **settings)


def reading(place, name, **more):
    given = {"file_path": name, **more}
    return pre_tool_use(
        kind="read", tool="Read", cwd=str(place), input=given, input_keys={"path": "file_path"}
    )


@pytest.mark.parametrize(
    ("name", "part", "rule"),
    [
        ("short", {}, None),
        ("long", {}, "large-read"),
        ("thin", {}, None),
        ("small", {}, None),
        ("big", {}, "large-read"),
        ("wide", {"limit": 20}, None),
        ("wide", {"limit": 21}, "large-read"),
        ("wide", {"offset": 290, "limit": 100}, None),
        ("wide", {"offset": 100}, "large-read"),
        ("long", {"limit": 200}, None),
        ("long", {"offset": 1}, None),
        ("long", {"limit": "200"}, "large-read"),
        ("missing", {}, None),
        (".", {}, None),
    ],
)
def test_a_large_read_is_stopped(place, name, part, rule):
    answer = judged(reading(place, name, **part))

    assert (answer and answer.rule) == rule


@pytest.mark.parametrize(
    ("part", "rule"),
    [
        ({}, "large-read"),
        ({"start_line": 1, "end_line": 200}, None),
        ({"start_line": 1, "end_line": 201}, "large-read"),
        ({"end_line": 200}, None),
        ({"start_line": 2}, None),
        ({"start_line": 0}, "large-read"),
        ({"start_line": 9, "end_line": 3}, None),
    ],
)
def test_a_part_may_be_named_by_its_first_and_last_line(place, part, rule):
    given = {"file_path": "long", **part}
    _, event = decode(GEMINI, {**GEMINI_READS, "cwd": str(place), "tool_input": given})
    answer = judged(event)

    assert (answer and answer.rule) == rule


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        ("cat long", "large-read"),
        ("cd . && cat -n short long", "large-read"),
        ("cat short", None),
        ("cat < long", "large-read"),
        ("cat <<< long", None),
        ("cat long | grep x", None),
        ("cat long > copy", None),
        ("cat long &> copy", None),
        ("cat long 1>> copy", None),
        ("cat long 2>/dev/null", "large-read"),
        ("x=$(cat long)", None),
        ("less big", "large-read"),
        ("echo cat long", None),
        ("curl https://example.org", "fetch"),
        ("curl -o page https://example.org", None),
        ("curl -sSLo page https://example.org", None),
        ("curl -o page https://example.org && cat long", "large-read"),
        ("curl -I https://example.org; curl https://example.org", "fetch"),
        ("curl https://example.org | head", None),
        ("ls -la", None),
        ("head -n 3000 long", "large-read"),
        ("head -n 20 long", None),
        ("sed -n 1,3000p long", "large-read"),
        ("sed -n 10,20p long", None),
        ("git log -p", "large-read"),
        ("git log -p -3", None),
        ("jq . big", "large-read"),
        ("jq .version big", None),
        ("cat thin", None),
    ],
)
def test_so_is_what_a_shell_would_show(place, command, rule):
    answer = judged(pre_tool_use(command, cwd=str(place)))

    assert (answer and answer.rule) == rule


AWK = {
    None: (
        "END{print NR}",
        "{s+=$3} END {print s/NR}",
        'BEGIN{FS=","} /x/{n++} END{print n}',
        "NR==1",
        "NR<=9",
        "NR>=3 && NR<20",
        "NR == 7 {print $2}",
        "FNR<3{print}",
    ),
    "large-read": (
        "{print}",
        "1",
        "{print} END{print NR}",
        "/x/",
        "NR>1",
        "NR<=900",
        "NR==1 || /x/",
        "{n[$1]++} /x/",
    ),
}
JQ = {
    None: (
        "-r .version",
        "-r .a.b_c",
        "-r '.items[0].id'",
        "'.items[3]'",
        "'.a | length'",
        "-r '.name // empty'",
    ),
    "large-read": (".", ".items", "-r '.items[]'", "-r '.items[].id'", "'.[] | .id'"),
}
SED = {None: ("-n '$p'", "'$!d'", "-n 5p", "5q"), "large-read": ("-n '/x/p'", "'s/a/b/'", "-n '5,$p'")}
PROGRAMS = [
    *(
        (rule, f"{name} {option}'{code}' huge")
        for rule, codes in AWK.items()
        for code in codes
        for name in ("awk", "gawk")
        for option in ("", "-F, ")
    ),
    *((rule, f"jq {code} huge") for rule, codes in JQ.items() for code in codes),
    *((rule, f"sed {code} huge") for rule, codes in SED.items() for code in codes),
]
SOURCES = {
    None: (
        "git diff",
        "git diff main",
        "git diff --stat v1 v2",
        "git diff v1..v2 -- a",
        "git diff HEAD~1 HEAD",
        "git diff v1 src/a.py",
        "git diff main src/",
        "git diff --name-only v1...v2",
        "stern api --since 5m",
        "gcloud logging read x --limit 9",
        "terraform show",
        "terraform show -json | jq length",
        "helm get notes a",
        "strings -n 20 bin/app",
        "strings bin/app | grep -c x",
        "docker inspect $(docker ps -q) --format {{.Id}}",
    ),
    "large-read": (
        "git diff v1 v2",
        "git diff v1.0 v2.0",
        "git diff release-1..release-2",
        "git -C a diff a...b",
        "stern api",
        "gcloud logging read x",
        "terraform show -json",
        "tofu show -json plan",
        "helm get manifest a",
        "strings bin/app",
        "rails routes",
        "docker inspect $(docker ps -q)",
    ),
}


@pytest.mark.parametrize(
    ("rule", "command"), [*PROGRAMS, *((rule, line) for rule, lines in SOURCES.items() for line in lines)]
)
def test_a_program_is_judged_by_how_much_it_prints(place, rule, command):
    answer = judged(pre_tool_use(command, cwd=str(place)))

    assert (answer and answer.rule) == rule


@pytest.mark.parametrize(("kind", "rule"), [("fetch", "fetch"), ("agent", "new-helper")])
def test_so_are_fetches_and_new_helpers(kind, rule):
    event = pre_tool_use(kind=kind, tool="X", input={})

    assert judged(event).rule == rule
    assert "80 % of the context is in use" in judged(event).reason


@pytest.mark.parametrize("kind", ["write", "edit", "grep", "glob", "mcp", "other", "search"])
def test_other_tools_pass(kind):
    assert judged(pre_tool_use(kind=kind, tool="X", input={}), 99) is None


def test_as_long_as_it_is_above(place):
    assert judged(reading(place, "long"), 79.9) is None
    assert judged(reading(place, "long"), 79.9, block_at=79) is not None
    assert judged(reading(place, "long"), 80, lines=201) is None
    assert judged(reading(place, "big"), 80, size=20_001, lines=9) is None


def test_a_helper_has_a_context_of_its_own(place):
    event = pre_tool_use(kind="fetch", tool="X", subagent=Subagent(id="a"))

    assert judged(event) is None


def test_where_the_host_does_not_tell_nothing_is_stopped(place):
    assert budget_guard(reading(place, "long"), State(now=1.0)) is None


def test_a_person_may_except_a_file(place):
    allow = ({"rule": "large-read", "match": "lo*", "reason": "it is what this is about"},)

    assert judged(reading(place, "long"), allow=allow).verdict == "pass"
    assert judged(reading(place, "big"), allow=allow).verdict == "block"
