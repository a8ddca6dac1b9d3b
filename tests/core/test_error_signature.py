"""Test error signatures: the line that describes a failure, without its varying parts."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookline.core.confidence import (
    FIX_FAILED,
    FIX_FOUND,
    FIX_HELPED,
    HALF_LIFE,
    INITIAL,
    SEEN_AGAIN,
    add_gain,
    gain_to_weight,
    weight_to_confidence,
)
from hookline.core.error_signature import (
    MAX_LINE_CHARS,
    classify,
    find_error_line,
    find_failure,
    hash_result,
    normalize,
    normalize_command,
    sanitize_name,
)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "ENOENT: no such file or directory, open '/home/a/x.json'",
            "ENOENT: no such file or directory, open 'x.json'",
        ),
        (
            "error[E0308]: mismatched types --> src/main.rs:12:5",
            "error[E0308]: mismatched types --> main.rs:<n>:<n>",
        ),
        ("src/a.ts(12,5): error TS2345: Argument of type", "a.ts(<n>): error TS2345: Argument of type"),
        ("HTTP 404 for https://x.example/a/b?c=1", "HTTP 404 for x.example"),
        ("refused: http://localhost:11434/api/7", "refused: localhost:11434"),
        (
            "Error 111 connecting to localhost:6390. Refused.",
            "Error <n> connecting to localhost:6390. Refused.",
        ),
        (
            "compiled by a newer Java (class file version 65.0)",
            "compiled by a newer Java (class file version 65.0)",
        ),
        ("requires Python 3.12.4, found 3.11.9", "requires Python 3.12.<n>, found <n>"),
        ("refused: pg://u:pw@db:5432/app?x=1", "refused: db:5432"),
        ("refused: http://10.0.0.7:8200/v1", "refused: <addr>:8200"),
        ("cannot open file:///srv/a.db", "cannot open <url>"),
        (
            "curl: (22) The requested URL returned error: 404",
            "curl: (<n>) The requested URL returned error: 404",
        ),
        ("404 Not Found - GET https://registry.example/left-pad", "404 Not Found - GET registry.example"),
        ("2026-11-15T17:00:01.123Z fatal: bad object 3f9ac1d2e4", "<time> fatal: bad object <hash>"),
        ("timeout after 30s at 10.0.0.7:5432", "timeout after <time> at <addr>:5432"),
        ("segfault at 0x7ffde3a1 pid 4711", "segfault at <addr> pid <n>"),
        ("expected 3 but got 17", "expected <n> but got <n>"),
        ("C:\\Users\\a\\x.txt : cannot find", "x.txt : cannot find"),
        ("ECONNREFUSED 127.0.0.1:8080", "ECONNREFUSED <addr>:8080"),
        ("id 123e4567-e89b-12d3-a456-426614174000 is gone", "id <hash> is gone"),
        ("process exited with exit code 137", "process exited with exit code 137"),
        ("  many \t spaces ", "many spaces"),
    ],
)
def test_what_varies_gives_way_and_codes_stay(line, said):
    assert normalize(line) == said


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Exit code 1\nbuilding...\nerror: no such crate", "error: no such crate"),
        ("\x1b[31mError:\x1b[0m boom", "Error: boom"),
        (
            "Traceback (most recent call last):\n  File \"a.py\", line 1\nFooError: no 'x'",
            "FooError: no 'x'",
        ),
        (
            "===== FAILURES =====\n_____ test_a _____\nE   assert 1 == 2\nFAILED a.py::test_a",
            "E   assert 1 == 2",
        ),
        ("0 errors, 2 warnings\nfatal: not a git repository", "fatal: not a git repository"),
        (
            "ERROR: [1] bootstrap checks failed\n[1]: map count is too low",
            "ERROR: [1] bootstrap checks failed [1]: map count is too low",
        ),
        (
            "CMake Error at a:3 (add):\n  The directory\n\n    /r/fmt\n\n  is empty.\n\nCall Stack:",
            "CMake Error at a:3 (add): The directory /r/fmt is empty.",
        ),
        ("error: overwritten by merge:\n\ta.yml\nAborting", "error: overwritten by merge: a.yml"),
        ("error: nothing below:", "error: nothing below:"),
        ("something odd\nhappened", "something odd"),
        ("Exit code 1\n", ""),
        ("", ""),
    ],
)
def test_the_first_line_that_tells_of_the_error_is_taken(text, line):
    assert find_error_line(text) == line


def test_a_heading_is_joined_with_the_line_that_names_its_subject():
    text = '╷\n│ Error: Invalid provider configuration\n│\n│ Provider "{}" requires explicit configuration.'
    keys = {find_failure("terraform plan", text.format(name)).key for name in ("aws", "google")}

    assert len(keys) == 2


@pytest.mark.parametrize(
    "template",
    [
        "E{date} 10:11:{n}.123456   {n}123 memcache.go:265] couldn't get current server API group list",
        "stripe.error.InvalidRequestError: Request req_a8Fk{n}LmQ0z: No such price: 'price_9'",
        "openai.BadRequestError: chatcmpl-9x{n}AbCdEf is too long",
        "AssertionError: 3 != 4 : export {n}123",
        "worker[{n}123]: fatal: cannot open device /dev/ttyX0",
    ],
)
def test_ids_and_log_prefixes_are_not_part_of_a_failure(template):
    lines = {normalize(template.format(n=n, date=f"08{n}")) for n in (10, 24, 31)}

    assert len(lines) == 1


@pytest.mark.parametrize(
    "line", ["error TS2345 at port 5432", "E0308: mismatched types", "job_queue failed: run-tests"]
)
def test_codes_ports_and_names_stay(line):
    assert normalize(line) == line


def test_the_same_failure_has_the_same_key_and_another_has_another():
    one = find_failure("npm ci", "npm error code ENOENT\nnpm error path /a/1/package.json")
    again = find_failure("npm ci", "npm error code ENOENT\nnpm error path /b/22/package.json")
    other = find_failure("npm ci", "npm error code EACCES")

    assert one == again
    assert one.key.startswith("npm-ci#")
    assert one.key != other.key
    assert one.key != find_failure("npm test", "npm error code ENOENT").key


@pytest.mark.parametrize("text", ["", "Exit code 2", "Request interrupted by user for tool use"])
def test_what_tells_nothing_is_no_failure(text):
    assert find_failure("npm ci", text) is None


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("HTTP 429 too many requests", "wait"),
        ("503 Service Unavailable", "wait"),
        ("read ECONNRESET", "retry"),
        ("fatal: Unable to create '/x/.git/index.lock'", "retry"),
        ("bash: foo: command not found", "environmental"),
        ("ModuleNotFoundError: No module named 'x'", "environmental"),
        ("ENOSPC: no space left on device", "environmental"),
        ("error TS2345: Argument of type", "novel"),
        ("AssertionError: 1 != 2", "novel"),
    ],
)
def test_a_failure_has_a_sort(line, kind):
    assert classify(line) == kind


ODD = st.text(st.sampled_from("aF0 1.:/\\-<>x'\"@%~EHTP4\t\n[]é"), max_size=300) | st.text(max_size=300)


@given(ODD)
@settings(max_examples=500)
def test_normalising_again_changes_nothing(text):
    once = normalize(text)

    assert normalize(once) == once
    assert len(once) <= MAX_LINE_CHARS


@given(ODD)
def test_any_text_is_taken(text):
    find_failure("x", text)
    classify(text)
    normalize_command(text)
    assert hash_result(text) == hash_result(text)
    assert sanitize_name(text) in ("", text)


@pytest.mark.parametrize(
    "unit", ["a", "0", "/", "a/", "0f", "1:", " ", "E", "<", "a.", "\x1b[", "error ", "\n", "0x", "-"]
)
def test_long_texts_take_no_longer_than_they_are_long(unit):
    find_failure("x", unit * 200_000)
    hash_result(unit * 200_000)


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("2 failed in 0.12s", "2 failed in 3.4s", True),
        ("at 12:00:01 refused", "at 12:00:09 refused", True),
        ("object at 0x7f01", "object at 0x7f99", True),
        ("12% done", "13% done", False),
        ("2 failed", "1 failed", False),
    ],
)
def test_a_result_is_the_same_but_for_clocks_and_addresses(one, other, alike):
    assert (hash_result(one) == hash_result(other)) is alike


def test_confidence_is_as_the_arithmetic_says():
    at = 1_800_000_000.0
    weighed = add_gain(0.0, INITIAL, at)
    assert round(weight_to_confidence(weighed, at), 9) == 0.30
    for gain, now in ((SEEN_AGAIN, 0.35), (FIX_FOUND, 0.50), (FIX_HELPED, 0.60), (FIX_FAILED, 0.45)):
        weighed = add_gain(weighed, gain, at)
        assert round(weight_to_confidence(weighed, at), 9) == now
    assert round(weight_to_confidence(weighed, at + HALF_LIFE), 9) == 0.225


@given(
    st.lists(
        st.tuples(st.sampled_from([SEEN_AGAIN, FIX_FOUND, FIX_HELPED, FIX_FAILED]), st.floats(0, 4e8)),
        max_size=30,
    )
)
def test_confidence_stays_between_none_and_full(steps):
    at, weighed = 1_700_000_000.0, gain_to_weight(INITIAL, 1_700_000_000.0)
    for gain, later in steps:
        at += later
        before, weighed = weight_to_confidence(weighed, at), add_gain(weighed, gain, at)
        assert 0 <= weight_to_confidence(weighed, at) <= 1
        assert abs(weight_to_confidence(weighed, at) - min(1, max(0, before + gain))) < 1e-9
