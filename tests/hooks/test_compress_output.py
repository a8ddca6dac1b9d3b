"""Test compress-output: the kept parts of a long output, both sides of its limits, and equal errors."""

import pytest

from hookline import State
from hookline.core.state import Facts
from hookline.hooks._compress_output.errors import find_errors
from hookline.hooks._compress_output.rank import ERROR_WEIGHT, weigh_words
from hookline.hooks.compress_output import compress_output
from hookline.testing import post_tool_use

STATE = State(now=0.0)


def judged(output, state=STATE, kind="shell", **settings):
    return compress_output.judge(post_tool_use(output=output, kind=kind), state, **settings)


def shown(text, **more):
    response = judged(text, **more)
    return text if response is None else response.changes["output"]


def numbered(count, **special):
    """Return the lines `line 0` to `line count-1`, some of them replaced (`at7="..."`)."""
    return "\n".join(special.get(f"at{number}", f"line {number}") for number in range(count))


def test_off_by_default():
    assert not compress_output.enabled
    assert compress_output.priority == 35


def test_short_output_is_left_alone():
    assert judged(numbered(401)) is None
    assert judged("x" * 32 * 1024) is None
    assert judged({"stdout": "fine", "stderr": ""}) is None
    assert judged(None) is None


def test_one_line_or_one_character_more_is_too_long():
    assert judged(numbered(402)).rule == "long-output"
    assert judged("x " * 16 * 1024 + "y").rule == "long-output"


def test_head_and_tail_stay_and_the_cut_is_said():
    text = shown(numbered(1000), head=3, tail=2)
    first, *rest = text.split("\n")

    assert rest == ["line 0", "line 1", "line 2", "[... 995 lines cut ...]", "line 998", "line 999"]
    assert first == (
        "[hookline: 995 of 1,000 lines cut (8,889 characters in total); "
        "to see the full output, run it again with its output in a file]"
    )


def test_lines_that_look_like_errors_stay_with_their_neighbours():
    text = shown(numbered(1000, at500="cannot open the door"), lines=7, head=1, tail=1, around=2)

    assert text.split("\n")[1:] == [
        "line 0",
        "[... 497 lines cut ...]",
        "line 498",
        "line 499",
        "cannot open the door",
        "line 501",
        "line 502",
        "[... 496 lines cut ...]",
        "line 999",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "0 errors, 0 failures",
        "no errors",
        "tests/test_error.py::test_fatal PASSED [ 12%]",
        "checking error ... ok",
    ],
)
def test_lines_that_say_that_all_is_well_do_not(line):
    assert weigh_words(line) < ERROR_WEIGHT


@pytest.mark.parametrize(
    "line", ["ValueError: no", "E       assert 1 == 2", "Segmentation fault", "✗ it adds", "npm ERR! x"]
)
def test_lines_of_alarm(line):
    assert line in shown(numbered(1000, at500=line), head=1, tail=1)


def test_a_line_unlike_all_others_stays():
    plan = "  # aws_db_instance.main must be replaced"
    slow = "GET /reports 200 in 9120 ms"
    requests = "\n".join(f"GET /orders/{number} 200 in {number % 40} ms" for number in range(1000))
    lines = requests.split("\n")
    lines[300], lines[600] = plan, slow

    text = shown("\n".join(lines), lines=8, head=1, tail=1)

    assert plan in text
    assert slow in text


@pytest.mark.parametrize("room", range(8, 60, 3))
def test_free_room_is_filled_with_the_lines_nearest_to_an_error(room):
    text = shown(numbered(1000, at500="cannot open the door"), lines=room, head=1, tail=1)
    kept = [line for line in text.split("\n")[1:] if not line.startswith("[...")]

    assert len(kept) == min(room, 43)
    assert {f"line {number}" for number in range(503, 497 + len(kept) // 2)} <= {*kept}


TRACE = (
    "ERROR charge failed",
    "Traceback (most recent call last):",
    '  File "app/charge.py", line 88, in charge',
    "    gateway.submit(intent)",
    '  File "app/gateway.py", line 31, in submit',
    "    raise Declined(code)",
    "gateway.Declined: card",
)


@pytest.mark.parametrize("level", ["INFO", "DEBUG", "NOTICE"])
def test_lines_near_an_error_come_before_lines_without_news(level):
    names = ["raven", "kelp", "onyx", "flint", "ember", "prism", "grove", "lumen"]
    lines = [f"{level} {names[number % 8]} {names[number // 8 % 8]} is done" for number in range(60)]
    text = shown("\n".join((*lines[:30], *TRACE, *lines[30:])), lines=20, head=3, tail=3)

    assert "\n".join(TRACE) in text


@pytest.mark.parametrize("distance", range(2, 12))
def test_a_gap_of_one_line_is_not_cut(distance):
    marked = {f"at{500 + distance * index}": f"cannot open door {'x' * index}" for index in range(20)}
    text = shown(numbered(1000, **marked), lines=45, head=1, tail=1)

    assert "[... 1 line cut ...]" not in text


@pytest.mark.parametrize("padding", [" ", "   ", "\t"])
@pytest.mark.parametrize("missing", ["14-88", "14-88, 101-160", "3, 9, 14-88"])
def test_an_unusual_row_of_an_aligned_table_stays(padding, missing):
    rows = [
        f"app/part{number}.py{padding * (number % 7 + 1)}{number % 90 + 9}  3   97%  {number}-{number + 9}"
        for number in range(500)
    ]
    rows[250] = f"app/billing/refund.py{padding}141    113    20%   {missing}"

    assert rows[250] in shown("\n".join(rows), lines=20, head=3, tail=3)


@pytest.mark.parametrize(
    "line", ["tests/a.py ....  [  0%]", "build/lib/x.o", "results/run1.csv 11", "test-data.sql 5"]
)
def test_a_path_is_not_a_summary(line):
    assert weigh_words(line) == 0


@pytest.mark.parametrize(
    "line",
    [
        "     got false",
        "  expected true",
        "Sum() = got 3, want 4",
        "want 4, got 3",
        " ❯ src/a.test.ts:33:25",
        "  --> src/main.rs:4:9",
        "   ╭─[src/a.ts:3:1]",
    ],
)
def test_comparisons_and_places_count_like_errors(line):
    assert weigh_words(line) >= ERROR_WEIGHT


def test_thousands_of_errors_do_not_make_it_long_again():
    text = shown("\n".join(f"error number {number}" for number in range(100_000)))

    assert text.count("\n") < 450
    assert len(text) < 33 * 1024
    assert "error number 0" in text
    assert "error number 99999" in text


def test_long_lines_are_narrowed():
    text = shown("a " * 20_000 + " " + "b" * 40_000)

    assert len(text) < 1000
    assert "characters cut" in text
    assert text.endswith("b")


def test_the_whole_is_kept_where_that_can_be():
    kept = []
    state = State(
        now=0.0, facts=Facts({"save_output": lambda: lambda text: kept.append(text) or "/scratch/x.txt"})
    )

    assert "full output in /scratch/x.txt]" in shown(numbered(1000), state=state)
    assert kept == [numbered(1000)]


def test_it_keeps_the_shape_of_the_output():
    output = {"stdout": numbered(1000), "stderr": "ok", "code": 1, "parts": [{"text": numbered(900)}, True]}
    changed = judged(output).changes["output"]

    assert set(changed) == set(output)
    assert (changed["stderr"], changed["code"], changed["parts"][1]) == ("ok", 1, True)
    assert len(changed["stdout"]) < 5000
    assert len(changed["parts"][0]["text"]) < 5000


@pytest.mark.parametrize("kind", ["read", "write", "edit", "agent"])
def test_files_and_answers_stay_whole(kind):
    assert judged(numbered(1000), kind=kind) is None


def test_the_kinds_are_a_setting():
    assert judged(numbered(1000), kind="read", kinds=("read",)) is not None


def test_images_are_not_cut():
    assert judged({"data": "iVBORw0KGgo" * 10_000}) is None


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("src/a.ts(12,5): error TS2345: Argument of type", "src/a.ts:12:5: TS2345: Argument of type (tsc)"),
        ("src/a.ts:12:5 - error TS2345: Argument", "src/a.ts:12:5: TS2345: Argument (tsc)"),
        ("Program.cs(3,9): error CS1002: ; expected", "Program.cs:3:9: CS1002: ; expected (msbuild)"),
        ("main.c:4:10: error: expected ';'", "main.c:4:10: expected ';' (compiler)"),
        ("main.c:1:10: fatal error: x.h: No such file", "main.c:1:10: x.h: No such file (compiler)"),
        ("a.py:7: error: Incompatible types  [assignment]", "a.py:7: assignment: Incompatible types (mypy)"),
        ("a.py:7:1: F401 `os` imported but unused", "a.py:7:1: F401: `os` imported but unused (ruff)"),
        ("./x.go:9:2: undefined: y", "./x.go:9:2: undefined: y (go)"),
        ("--- FAIL: TestAdd (0.01s)", "TestAdd: 0.01s (go test)"),
        ("App.java:12: error: cannot find symbol", "App.java:12: cannot find symbol (compiler)"),
        ("[ERROR] /src/App.java:[12,8] cannot find symbol", "/src/App.java:12:8: cannot find symbol (maven)"),
        (
            "e: file:///src/A.kt:3:5 Unresolved reference: x",
            "/src/A.kt:3:5: Unresolved reference: x (kotlinc)",
        ),
        ("FAILED tests/a.py::test_x - assert 1 == 2", "tests/a.py::test_x: assert 1 == 2 (pytest)"),
        ("FAILED tests/a.py::test_x", "tests/a.py::test_x: failed (pytest)"),
        ("test adds ... FAILED", "adds: FAILED (cargo test)"),
        ("  ● math › adds", "math › adds: failed (jest)"),
        ("npm ERR! code ERESOLVE", "ERESOLVE: failed (npm)"),
        ("npm error notarget No matching version", "notarget No matching version (npm)"),
        (
            " ERR_PNPM_NO_MATCHING_VERSION  No matching version",
            "ERR_PNPM_NO_MATCHING_VERSION: No matching version (pnpm)",
        ),
        ("ERROR: No matching distribution found for x", "No matching distribution found for x (pip)"),
        ("E: Unable to locate package x", "Unable to locate package x (apt)"),
        ("make: *** [Makefile:12: all] Error 2", "Makefile:12: Error 2 (make)"),
        ("\x1b[31mmain.c:4:10: error: no\x1b[0m", "main.c:4:10: no (compiler)"),
        (
            "error[E0308]: mismatched types\n  --> src/m.rs:3:5",
            "src/m.rs:3:5: E0308: mismatched types (rustc)",
        ),
        ("/a/b.ts\n  3:5  error  No vars  no-var", "/a/b.ts:3:5: no-var: No vars (eslint)"),
        ('  File "a.py", line 3, in f\n    x()\nKeyError: 1', "a.py:3: KeyError: 1 (python)"),
    ],
)
def test_errors_in_one_shape(text, shape):
    assert [str(error) for error in find_errors(text)] == [shape]


@pytest.mark.parametrize(
    "text",
    [
        "all good",
        "12:30:45 started",
        "http://localhost:8080/x",
        "see a.py:7 for more",
        "error handling works",
    ],
)
def test_other_lines_are_no_errors_of_tools(text):
    assert find_errors(text) == []


def test_errors_in_one_shape_stand_before_the_output():
    text = shown(
        numbered(1000, at500="a.c:1:2: error: no", at600="a.c:1:2: error: no"), head=1, tail=1, around=0
    )

    assert text.split("\n")[1:4] == ["[hookline: 1 errors]", "a.c:1:2: no (compiler)", "[hookline: output]"]


def test_a_megabyte_takes_a_moment():
    text = "error: " * 30_000 + "\n" + "src/a.ts(12,5): error\n" * 40_000

    assert len(shown(text)) < 40_000
