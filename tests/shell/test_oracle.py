"""Test the reader against bash: the expansion of words, and the grammar."""

import os
import shutil
import subprocess

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hookline.shell import read

BASH = shutil.which("bash") or ""
LONG = bool(os.environ.get("HOOKLINE_LONG"))
pytestmark = pytest.mark.skipif(not BASH, reason="requires bash")
some = settings(
    max_examples=400 if LONG else 15,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

KNOWN = "V='ab  cd'; E=; A=(one 'two three'); P='x:y z'; unset U; set -f; set -- p 'q r'\n"
PIECES = [
    *(
        "abc",
        "'a b'",
        '"x $V y"',
        "${V}",
        "$'\\x41\\tb\\''",
        "\\ ",
        "{a,b}",
        "{1..3}",
        "${V:-d}",
        "${U:-d e}",
    ),
    *("~/x", "$(echo hi)", "`echo a b`", "\\\n", "${V%b*}", "${V%%c*}", "${V#a}", "${V##*b}", "${V/b/x}"),
    *(
        "${V//c/}",
        "${V^^}",
        "${V,,}",
        "${#V}",
        "${V:1:2}",
        "${V: -2}",
        '""',
        "''",
        '"$@"',
        "${IFS}",
        "${A[@]}",
    ),
    *(
        '"${A[@]}"',
        "${A[1]}",
        "$(printf 'a\\nb')",
        "$((3))",
        '"{a,b}"',
        "{a,'b c'}x",
        "a=b",
        "{",
        "}",
        ",",
        "-",
    ),
    *(
        '"a\'b"',
        "\"${U:-'z'}\"",
        "${U:-'z y'}",
        "$1",
        '"$2"',
        '"$*"',
        "${*}",
        "${1:-x}",
        "${A[0]}x",
        "${#A[@]}",
    ),
    *('"\\$V \\\\ \\a"', '$"tr"', "\\a", "\\$V", "${V+set}", "${U+set}", "${V:+alt}", "${U-'q'}", '"a\\\nb"'),
    *(
        "'a\\\nb'",
        "%s",
        "${V/#ab/Z}",
        "${V/%cd/Z}",
        '$(echo "a  b")',
        "\"$(echo 'x  y')\"",
        "`echo \\`echo in\\``",
    ),
    *("${E:-empty}", "${E-empty}", '"$E"', "{x,{y,z}}", "{a,b}{c,d}", "~root", "a~", '"~"', "${V@U}", "a#b"),
    *("$(cat <<<here)", "$(cat <<'X'\nbody $V\nX\n)", "${V%\\ *}", "\"${V%'d'}\"", "${P}", '"$P"', "=", "é"),
]
word = st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).map("".join)
line = st.lists(word, min_size=1, max_size=4).map(lambda words: "printf '%s\\0' W " + " ".join(words))


def bash(script, *options):
    env = {"HOME": "/home/test", "LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"]}
    return subprocess.run(
        [BASH, *options, "-c", script], capture_output=True, env=env, check=False, timeout=30
    )


@some
@given(st.lists(line, min_size=25, max_size=25))
def test_static_words_are_what_bash_makes_of_them(lines):
    printed = bash(KNOWN + "\nprintf 'END\\0'\n".join(lines)).stdout.decode().split("END\0")

    for written, expected in zip(lines, printed, strict=True):
        commands = read(KNOWN + written, home="/home/test").commands
        words = [command for command in commands if command.name == "printf" and not command.via][-1].words[
            2:
        ]
        # bash does not expand the tilde in `{a,b}=~`, but a guard should expect the home there.
        if not any(one.dynamic for one in words) and "}=~" not in written:
            assert [one.text for one in words] == expected.split("\0")[:-1], written


def nested(inner):
    """Return a strategy for commands built from *inner* commands, in each form of the grammar."""
    pair = st.tuples(inner, inner)
    return st.one_of(
        pair.flatmap(
            lambda two: st.sampled_from(["; ", " && ", " || ", " | ", " & ", "\n", " |& ", " # c\n"]).map(
                lambda op: op.join(two)
            )
        ),
        inner.map("({})".format),
        inner.map("{{ {}; }}".format),
        pair.map(lambda two: f"if {two[0]}; then {two[1]}; else {two[0]}; fi"),
        pair.map(lambda two: f"while {two[0]}\ndo {two[1]}\ndone"),
        inner.map("for i in 1 $x; do {}; done > f".format),
        inner.map("for ((i=0; i<3; i++)); do {}; done".format),
        pair.map(lambda two: f"case $x in a|b) {two[0]};; (c) {two[1]};; *) esac"),
        inner.map("f() {{ {}; }}".format),
        inner.map("function g {{ {}; }} 2>&1".format),
        inner.map("select s in a b; do {}; done".format),
        inner.map("! {}".format),
        inner.map("time -p {}".format),
        inner.map("a $({})".format),
        inner.map('b "$({}) c" <(d)'.format),
    )


simple = st.sampled_from(
    [
        *(
            "a",
            "x=1 b $y",
            "c 'q' \"$z\" > f",
            "<in d 2>&1",
            "x=(1 2\n3)",
            "e ${z:-b} `c`",
            "[[ -f $x && ( a = b* ) ]]",
        ),
        *(
            "[[ $z =~ ^(a|b)+$ ]]",
            "(( a += 1 ))",
            "cat <<E\nbody $x $(c)\nE\n",
            "cat <<'E' | b\nbody `\nE\n",
            "coproc a b",
        ),
        *(
            "declare -a x=(1 $y)",
            "a[1 + 2]=3",
            "a[$i]=4 b",
            "echo {a,b} *.c #end\n",
            "in do",
            "g &> h",
            "h {v}> i",
            "k <<< l",
        ),
    ]
)


@some
@given(st.recursive(simple, nested, max_leaves=6))
def test_what_bash_accepts_is_read(script):
    judged = bash(script, "-n")

    if judged.returncode == 0 and not judged.stderr:
        assert read(script).problems == ()
