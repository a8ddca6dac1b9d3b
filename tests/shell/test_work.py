"""Test that the work of reading a line is counted, bounded and independent of its data."""

import functools
import shlex

import pytest

from hookline.shell import MAX_LINE, Facts, read, shell_state
from hookline.shell.evaluate import evaluate_steps
from hookline.shell.run_program import parse_code
from hookline.shell.shell_state import MAX_COMMANDS, ShellState
from hookline.shell.source import MAX_WORK


def used(line):
    """Return the units of work of *line*."""
    state = ShellState(line=line, home="/h", work_left=MAX_WORK, evaluate=evaluate_steps)
    state.variables["PWD"] = ("/w",)
    evaluate_steps(state, parse_code(state, line), "")
    return MAX_WORK - state.work_left


def reasons(line):
    return {problem.reason for problem in read(line, cwd="/w").problems if not problem.by_words}


DATA = {
    "a here-document": lambda text: f"cat > f <<'E'\n{text}\nE\n",
    "an unquoted here-document": lambda text: f"cat > f <<E\n{text}\nE\n",
    "a quoted word": lambda text: f"git commit -m '{text}'",
    "a double-quoted word": lambda text: f'git commit -m "{text}"',
    "a comment": lambda text: "# " + text.replace("\n", "\n# ") + "\ntrue",
    "blank lines": lambda text: "\n" * len(text) + "true",
}


@pytest.mark.parametrize("make", DATA.values(), ids=DATA)
def test_data_costs_little(make):
    line = make("never rm -rf / here\n" * 20_000)

    assert used(line) < 0.15 * MAX_WORK
    assert reasons(line) == set()


PATTERNS = {
    "words": "a ",
    "commands": "a;",
    "wrappers": "ssh h ",
    "assignments": "a=b ",
    "redirections": "echo >f;",
    "substitutions": "$(a) ",
    "expansions": "$a",
    "backticks": "`a`;",
    "braces": "{a,b} ",
    "escapes": "\\a",
    "functions": "f(){ a; };",
    "loops": "for i in a b; do c; done;",
    "shells": "sh -c 'a b';",
    "pipes": "echo a|cat;",
}


@pytest.mark.parametrize("pattern", PATTERNS.values(), ids=PATTERNS)
def test_twice_the_line_is_twice_the_work(pattern):
    once, twice = used("true; " + pattern * 100), used("true; " + pattern * 200)

    assert once < twice < 2.2 * once


@pytest.mark.parametrize("pattern", PATTERNS.values(), ids=PATTERNS)
def test_too_much_work_is_a_problem(pattern):
    line = ("true; " + pattern * (MAX_LINE // len(pattern)))[: MAX_LINE - 10]
    reading = read(line, cwd="/w")

    assert reasons(line)
    assert len(reading.commands) <= MAX_COMMANDS
    assert used(line) <= MAX_WORK + 200


def nested(depth, wrap):
    return functools.reduce(lambda code, _: wrap(code), range(depth), "echo hello")


@pytest.mark.parametrize(
    "line",
    [
        "x" * (MAX_LINE + 1),
        "echo hello " * 60_000,
        nested(9, lambda code: f"eval {shlex.quote(code)}"),
        nested(40, lambda code: f"$({code})"),
        nested(40, lambda code: f"( {code} )"),
        "sudo " * 12 + "echo hello",
        "echo hello; " * 3_000,
        nested(9, lambda code: f"echo {shlex.quote(code)} > s; bash s"),
        "printf 'echo %s' hello | gpg -d | bash",
        "echo '" + "echo hello\n" * 20_000 + "' | sh",
    ],
)
def test_input_that_is_not_analysed_asks_whatever_its_words_are(line):
    assert reasons(line)


@pytest.mark.parametrize("line", ["echo 'unclosed", 'grep "rm -rf', "( ( ls"])
def test_text_that_a_shell_rejects_counts_by_its_words(line):
    problems = read(line).problems

    assert problems
    assert all(problem.by_words for problem in problems)


def test_a_long_script_on_disk_leaves_work_for_the_line():
    facts = Facts(read_script=lambda path: "true\n" * 12_000)
    reading = read("./a.sh; touch x", cwd="/w", facts=facts)

    assert [word.text for word in reading.commands[-1].words] == ["touch", "x"]
    assert len(reading.commands) < MAX_COMMANDS
    assert all(problem.by_words for problem in reading.problems)


def test_values_of_a_loop_are_limited():
    assert len(shell_state.limit_values(map(str, range(1_000)))) <= shell_state.MAX_ALTERNATIVES
    assert shell_state.limit_values(f"a{n}" for n in range(1_000))[-1] == shell_state.OPAQUE
