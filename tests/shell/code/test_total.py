"""Test that no code makes the evaluation raise, hang, or take more than its counted work."""

import os
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.shell.code.programs import evaluate
from tests.shell.code.test_go import PROGRAMS as GO
from tests.shell.code.test_javascript import PROGRAMS as JAVASCRIPT
from tests.shell.code.test_perl import PROGRAMS as PERL
from tests.shell.code.test_php import PROGRAMS as PHP
from tests.shell.code.test_python import PROGRAMS as PYTHON
from tests.shell.code.test_ruby import PROGRAMS as RUBY

from hookline.shell.code import LANGUAGES

LONG = bool(os.environ.get("HOOKLINE_LONG"))
PROGRAMS = {"go": GO, "javascript": JAVASCRIPT, "perl": PERL, "php": PHP, "python": PYTHON, "ruby": RUBY}
TOKENS = [
    *"'\"`$\\(){}[]<>|&;!#~*?=,.:/%@\n ",
    *("=>", "->", "::", "${", "#{", "<<E\n", "E\n", "function ", "sub ", "def f(x)\n", "end\n", "do |x| "),
    *(
        "if ",
        "else ",
        "while ",
        "for ",
        "return ",
        "class A ",
        "import os\n",
        "f(",
        "x = ",
        "x",
        "1",
        "$x",
        "@x",
    ),
    *("system ", "eval(", "open(", "lambda x: ", "x.map(", "qw(", "s/a/b/e", "/a", "\0", "é", "  "),
]
languages = st.sampled_from(sorted(LANGUAGES))


def sound(result):
    return all("\x01" not in effect.path and "\x02" not in effect.path for effect in result.effects)


@settings(max_examples=5_000 if LONG else 250, deadline=None)
@given(languages, st.lists(st.sampled_from(TOKENS), max_size=60).map("".join))
def test_any_tokens_are_evaluated(language, source):
    assert sound(evaluate(language, source))


@settings(max_examples=2_000 if LONG else 150, deadline=None)
@given(languages, st.text(max_size=80))
def test_any_text_is_evaluated(language, source):
    assert sound(evaluate(language, source))


@settings(max_examples=5_000 if LONG else 250, deadline=None)
@given(st.data(), languages)
def test_changed_programs_are_evaluated(data, language):
    source = data.draw(st.sampled_from(PROGRAMS[language]))[0]
    start = data.draw(st.integers(0, len(source)))
    end = data.draw(st.integers(start, len(source)))
    inserted = data.draw(st.sampled_from(TOKENS)) * data.draw(st.integers(0, 3))

    assert sound(evaluate(language, source[:start] + inserted + source[end:]))


REPEATED = [
    "(", "[", "{", "((", "a(", "[a for a in ", "-", "not ", "lambda: ", "x.y", "x=[x,x]\n", "x+=x\n", "'a'+",
    "if x:\n ", "f(f", "`${", "=/", '"#{', "$(", "a?", "(a)=>", "(a,", "<<E\n", "s/", "x = x * 9\n",
    "def f(): f()\nf()\n", "x => ", "{a:", "@{[", "do |a| ", "->(a) { ", "%w[", "a ? b : ", "a,",
    "function(){", "=begin\n", "//", "/*",
]  # fmt: skip


@pytest.mark.parametrize("language", sorted(LANGUAGES))
@pytest.mark.parametrize("text", REPEATED)
def test_repeated_text_takes_linear_time(language, text):
    start = time.process_time()
    evaluate(language, text * (20_000 // len(text)))

    assert time.process_time() - start < 4
