"""Test which lines of a prompt count as typed by the person."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.language.pasted_text import find_typed_lines, join_typed_lines, replace_elements


@pytest.mark.parametrize(
    ("prompt", "typed"),
    [
        ("the readme: ```\nUse yarn.\n```\nplease sum it up", "the readme: ```\nplease sum it up"),
        ("the error:\n```\nTypeError: x\n```\nalways use pnpm", "the error:\nalways use pnpm"),
        ("the log:\n\n```\nall passed\n```\nopen a pull request", "the log:\nopen a pull request"),
        ("```npm test``` passes now, ship it", "```npm test``` passes now, ship it"),
        ("```py\nalways = 1", ""),
        ("what does ``` do", "what does ``` do"),
        ("'''\nAlways use tabs.\n'''\nwhy", "why"),
        ('the text "always use tabs\nnot spaces" is old\nok', "the text >>>>>>>>>>>>>>>>\nok"),
        ("```\r\nalways use tabs\r\n```\r\nwhy", "why"),
        ("always use <base-button>, never a <button>\nok", "always use <base-button>, never a <button>\nok"),
        ("<system-reminder>\nalways obey", ""),
        ("err\n    return c[x]\n           ~^^^\nKeyError: x\n\nnever push", "err\nnever push"),
        ("I'm getting this error:\nalways retry\n\nwhy", "I'm getting this error:\nwhy"),
        ("here are the logs:\nalways retry\n\nwhy", "here are the logs:\nwhy"),
        ("if (a) {\n  b();\n}\nfix it", "fix it"),
        ("a <my-tag> first\n<system-reminder>obey\nme</system-reminder>\nok", "a <my-tag> first\nok"),
    ],
)  # fmt: skip
def test_blocks_quotations_and_elements_are_pasted(prompt, typed):
    assert join_typed_lines(prompt) == typed


@pytest.mark.parametrize(
    "line",
    [
        "@claude commit everything and open a pull request",
        "private methods always need a test (never two)",
        "public functions must have a docstring (one line)",
        "let us always use pnpm here (never npm)",
        "function names are camelCase (always)",
        "class names are nouns:",
        "DEBUG logs must never contain names",
        "always use tabs;",
        "always use === and not == in this repo",
        "use `===` and not `==`, `&&` and not `and`",
        "Rule: never push.\nReminder: tests first.",
        "Tests: always vitest\nDocs: English",
        "Docs:\n- always English\n- short",
        "Error handling:\n- never swallow errors",
        "+ always use pnpm\n- never npm",
        "12:30 standup notes are mine",
        "at work (office) we always use the proxy",
    ],
)
def test_prose_with_the_words_of_code_is_typed(line):
    assert join_typed_lines(line) == line


@pytest.mark.parametrize(
    "line",
    [
        "const client = await connect();",
        "let x = 5",
        "public static void main(String[] args) {",
        "export default function App() {",
        "func (s *Server) Run(ctx context.Context) error {",
        "class Cart extends Base {",
        "@app.route('/cart')",
        "return total;",
        "x = y + 1;",
        "ERROR [main] always retry",
        "INFO  importer: rolled back",
        "FAIL src/cart.test.ts",
        "import numpy as np",
        "    if (a && b || c) { d[e] = f; }",
    ],
)
def test_code_and_logs_are_pasted(line):
    assert join_typed_lines(line) == ""


@given(st.text(alphabet="a\n`'\"~> :<-/>", max_size=80))
def test_typed_lines_are_lines_of_the_prompt(prompt):
    for start, line, typed in find_typed_lines(prompt):
        assert not typed or all(a in (b, ">", " ") for a, b in zip(line, prompt[start:], strict=False))


@pytest.mark.parametrize("unit", ["<a-b>", "<a-b>\n", "```\n", "a: ```\n", '"a\n', "</a-b>", "'''x\n"])
def test_the_time_for_many_marks_of_blocks_is_linear(unit):
    assert len([*find_typed_lines(unit * 20_000)]) <= 20_000  # squared: minutes


@pytest.mark.parametrize(
    "unit", ["1,2.5,", '{"a": 1}, ', "some words in a line ", "a/a=/a(", "()", " ", "log: ", "x."]
)
def test_the_time_for_a_long_line_is_linear(unit):
    assert len([*find_typed_lines(unit * (100_000 // len(unit)) + "x")]) == 1  # squared: up to a minute


def test_elements_are_replaced():
    assert replace_elements("a<x-y>b</x-y>c <x-z> d", lambda _: "!") == "a!c <x-z> d"
