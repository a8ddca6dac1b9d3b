"""Test that no text makes the reader raise, hang, recurse without bound, or take more than linear work."""

import os
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookline.shell import MAX_LINE, read, shell_state

LONG = bool(os.environ.get("HOOKLINE_LONG"))
SIZE = MAX_LINE if LONG else 8_000
TOKENS = [
    *"'\"`$\\(){}[]<>|&;!#~*?=,\n \t",
    *(
        "$(",
        "${",
        "$((",
        "((",
        "<(",
        ">(",
        "$'",
        '$"',
        "<<",
        "<<-E\n",
        "<<<",
        "E\n",
        "&&",
        "||",
        ";;",
        "[[",
        "]]",
        "\0",
    ),
    *(
        "if ",
        "then ",
        "fi ",
        "for i in ",
        "do ",
        "done ",
        "case ",
        "esac ",
        "in ",
        "f(){ ",
        "time ",
        "coproc ",
    ),
    *(
        "a",
        "x=",
        "$x",
        "${x:-",
        "eval ",
        "sudo ",
        "bash -c ",
        "echo ",
        "|sh",
        "xargs ",
        "python -c ",
        "git ",
        "rm -rf ",
    ),
    *(
        "curl ",
        "-o f ",
        "> f ",
        "./f",
        "cp f g;",
        "tar cf ",
        "TAR_OPTIONS=",
        "ssh h ",
        "docker exec b ",
        "pwsh -c ",
        "cmd /c ",
        "xargs -I{} ",
        "{} ",
        "exec 3>",
        ">&3",
        "while true; do ",
        "& ",
        "base64 -d",
        "alias a=",
        "read x;",
        "find . -exec ",
        "${x:?}",
        "sed 's/a/b/e' ",
        "sed -n '1e ",
        "ed f <<<",
        "vim -c '!",
        "make -f - <<< ",
        "Makefile;make ",
        "git -c core.pager=",
        "PAGER=",
        "a[1]=",
        "a[x]=",
        '"${a[@]}"',
        "declare -n x=y;",
        "uv run ",
        "npx -c ",
        "fd . -x ",
    ),
]


@settings(max_examples=5_000 if LONG else 150, deadline=None)
@given(st.lists(st.sampled_from(TOKENS), max_size=60).map("".join))
def test_any_tangle_of_tokens_is_read(line):
    assert sound(read(line, runners={"a": "-n", "x run": ""}), line)


FOUND = {
    "quotes behind a pipe": ("awk |eval eval ''", "powershell"),
    "a placeholder that is half of a mark": ('x=$y; echo "$x" | xargs -I"$x" a b"$x" "$x$x"', "bash"),
    "a placeholder in a here-document": (
        "xargs -I{} eval xargs -I{} $xargs -I{} eval xargs -I{} X=$'psql -c xargs -I{} <<E\npsql -c $'x;''",
        "bash",
    ),
    "marks inside marks": ("a() { b $(a $x) | xargs -I$x $x a$x; }; a | a", "bash"),
    "a long array, spelled out again and again": (
        "a=(" + "b " * 20_000 + ");" + '"${a[@]}";' * 2_000,
        "bash",
    ),
    "a name made of blanks": ("alias ' '=a; ' ' b; ${ }", "bash"),
}
"""Lines on which the reader once failed, found by fuzzing."""


@pytest.mark.parametrize(("line", "shell"), FOUND.values(), ids=FOUND)
def test_what_fuzzing_found(line, shell):
    assert sound(read(line, cwd="/x", home="/h", shell=shell), line)


def sound(reading, line):
    """Return whether all spans are in the line, all origins are commands, and no internal mark remains."""
    whole = (*reading.commands, *reading.problems)
    words = [word for command in reading.commands for word in command.words]
    origins = {one for word in words for one in word.origins} | {
        one for command in reading.commands for one in command.stdin_origins
    }
    return (
        all(0 <= one.span[0] <= one.span[1] <= len(line) for one in whole)
        and all(one < len(reading.commands) for one in origins)
        and all(command.words for command in reading.commands)
        and not any("\U000f0000" <= char <= "\U000ffffd" for word in words for char in word.text)
    )


@settings(max_examples=2_000 if LONG else 50, deadline=None)
@given(st.text())
def test_any_text_is_read(line):
    read(line, cwd=line, home=line, variables={"x": line})


PATTERNS = {
    **{
        one: one
        for one in (
            "(",
            "$(",
            "((",
            "$((",
            "`",
            "'",
            '"',
            "{",
            "${",
            "${a:-",
            "<(",
            '"$(',
            "\\",
            "\n",
            "[[ a ",
            "@(",
        )
    },
    **{
        one: one
        for one in (
            "if ",
            "case a in ",
            "f(){ ",
            "a=(",
            "(\n",
            "'\n",
            "((a) \n",
            "a;",
            "a&&",
            "eval ",
            "sudo ",
        )
    },
    "pipes": "echo a|",
    "here-documents": "cat <<A\nx\nA\n",
    "here-documents on one line": "cat <<A ",
    "shells in here-documents": "bash <<'E'\n",
    "braces": "{a,b}",
    "open braces": "{a,",
    "words of braces": "{a,b}{a,b}{a,b}{a,b}{a,b} ",
    "subshells": "x=1;(y=$x);",
    "substitutions": "$(a)",
    "nested backticks": "`a \\`b\\` c`",
    "evals": "eval 'eval \"eval x\"';",
    "functions": "f(){ f; f; }; f;",
    "files": "echo x>f;cat f;",
    "xargs": "echo a|xargs ",
    "patterns": "${x%%*b}",
    "scripts of sed": "sed 's/[[/[;e a\n\\,' b;",
    "scripts of ed": "ed <<< 'exe \"g/a/!b';",
    "makefiles": "make --eval='a:a:$(shell b';",
    "settings of git": "git -c core.pager='git -c core.pager=a b' c;",
    "pagers": "PAGER='PAGER=a b' c;",
    "items": "a[1]=b;a[c]=d;$" + "{a[@]};",
    "names of names": "declare -n a=b;declare -n b=a;$a;",
    "hooks": "echo git push>.git/hooks/a;git push;",
    "runners": "uv run npx -c ",
    "growing values": "a=x$a$a;",
    "escaped quotes": "$'\\'",
}


@pytest.mark.slow
@pytest.mark.parametrize("pattern", PATTERNS.values(), ids=PATTERNS)
def test_repeated_without_end(pattern):
    line = (pattern * (SIZE // len(pattern)))[:SIZE]
    tracemalloc.start()
    read(line)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 3_000 * SIZE


def functions(count):
    return (
        "f0(){ a; };"
        + "".join(f"f{n}(){{ f{n - 1}; f{n - 1}; }};" for n in range(1, count))
        + f"f{count - 1}"
    )


def loops(count):
    return "for i in a b c d e f g h; do " * count + "a $i" + "; done" * count


def shells(count):
    return "sh -c '" * count


@pytest.mark.parametrize(
    "line", [functions(60), loops(30), shells(5_000), "x=ab;" + "x=$x$x$x$x;" * 200 + "a $x"]
)
def test_what_would_run_for_ages_is_given_up(line):
    reading = read(line)

    assert len(reading.commands) <= shell_state.MAX_COMMANDS


@pytest.mark.parametrize(
    "pattern", ["a b;", "a $(b) ", "eval 'a b';", "x=1;(y=$x);", "echo a|sh;", "((a) b);"]
)
def test_work_grows_with_the_line(pattern):
    """Check that twice the line makes about twice the function calls; counted because times vary."""
    once, twice = calls(pattern * 100), calls(pattern * 200)

    assert twice < 2.2 * once


def calls(line):
    import sys

    count = 0

    def profile(_frame, event, _arg):
        nonlocal count
        count += event == "call"

    sys.setprofile(profile)
    read(line)
    sys.setprofile(None)
    return count


@pytest.mark.slow
@pytest.mark.parametrize("rest", ["", "; git push --force"])
def test_more_commands_than_are_kept_are_said_and_break_nothing(rest):
    line = "rm -rf /; find " + "a " * 50 + "-exec rm {} \\; " * 3000 + rest
    reading = read(line)

    assert reading.commands[0].name == "rm"
    assert len(reading.commands) <= shell_state.MAX_COMMANDS + 1
    assert "too complex to evaluate" in {problem.reason for problem in reading.problems}
