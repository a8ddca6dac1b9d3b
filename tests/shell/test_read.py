"""Test the commands that a line would run: each form of the grammar, their origins, and unreadable parts."""

import subprocess
import sys

import pytest

from hookline.shell import MAX_LINE, UNKNOWN, read


def ran(line, **known):
    """Return the commands of a line in order, each as its joined words."""
    reading = read(line, cwd="/home/me/project", home="/home/me", **known)
    return [" ".join(word.text for word in command.words) for command in reading.commands]


def reasons(line):
    return [problem.reason for problem in read(line).problems]


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("", []),
        ("# only a comment", []),
        ("a b", ["a b"]),
        ("a;b&c", ["a", "b", "c"]),
        ("a && b || c", ["a", "b", "c"]),
        ("a | b |& c", ["a", "b", "c"]),
        ("a\n\n# note\nb # tail", ["a", "b"]),
        ("(a; b) > f", ["{", "a", "b"]),
        ("{ a; b; }", ["a", "b"]),
        ("! a", ["a"]),
        ("time -p a", ["a"]),
        ("coproc a", ["a"]),
        ("coproc N { a; }", ["a"]),
        ("if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]),
        ("while a; do b; done", ["a", "b"]),
        ("until a\ndo b\ndone", ["a", "b"]),
        ("for x in 1 2; do a $x; done", ["a 1", "a 2"]),
        ("for ((i=0; i<2; i++)); do a; done", ["a"]),
        ("select x in p; do a $x; done", ["a p"]),
        ("case $x in p|q) a;; (r) b;& *) c; esac", ["a", "b", "c"]),
        ("[[ -f x && $y =~ ^(a|b)$ ]] && a", ["a"]),
        ("(( 1 + 2 )) && a", ["a"]),
        ("((a); b)", ["a", "b"]),
        ("f() { a; }; f", ["f", "a"]),
        ("function f { a $1; }; f x", ["f x", "a x"]),
        ("f() { a; }", []),
        ("x=1 y=2 a", ["a"]),
        ("> f a < g b 2>&1", ["a b"]),
        ("a &> f", ["a"]),
        ("a {fd}> f", ["a"]),
        ("a $(b) `c` <(d) >(e)", ["b", "c", "d", "e", f"a {UNKNOWN} {UNKNOWN} /dev/fd/63 /dev/fd/62"]),
        ('a "$(b "$(c)")"', ["c", f"b {UNKNOWN}", f"a {UNKNOWN}"]),
        ("a $(( 1 + $(b) ))", ["b", f"a {UNKNOWN}"]),
        ("a ${x:-$(b)}", ["b", f"a {UNKNOWN}"]),
        ("x=(1 $(a)); b ${x[0]}", ["a", "b 1"]),
        ("{rm,-rf,/}", ["rm -rf /"]),
        ("a x{1..3} {p,q}{r,s}", ["a x1 x2 x3 pr ps qr qs"]),
    ],
)
def test_grammar(line, commands):
    assert ran(line) == commands
    assert reasons(line) == []


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("cat <<E\nnot $(a)\nE\nb", ["a", "cat", "b"]),
        ("cat <<'E'\nnot $(a)\nE\nb", ["cat", "b"]),
        ("cat <<E; a\nbody\nE\nb", ["cat", "a", "b"]),
        ("cat <<'E' 2>&1 | sh\na\nE\nb", ["cat", "sh", "a", "b"]),
        ("cat <<-E | sh\n\ta\n\tE\nb", ["cat", "sh", "a", "b"]),
        ("cat <<A <<B\n1\nA\n2\nB\na", ["cat", "a"]),
        ("<<'E' sh\na\nE", ["sh", "a"]),
        ("x=$(cat <<'E'\nit's fine\nE\n); a", ["cat", "a"]),
        ("cat <<E", ["cat"]),
        ("sh <<< 'a b'", ["sh", "a b"]),
    ],
)
def test_here_documents(line, commands):
    assert ran(line) == commands
    assert reasons(line) == []


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("G=git; $G push", ["git push"]),
        ("G='git push'; $G -f", ["git push -f"]),
        ("G='git push'; \"$G\" -f", ["git push -f"]),
        ("rm${IFS}-rf${IFS}/", ["rm -rf /"]),
        ('set -- git push; "$@" -f', ["set -- git push", "git push -f"]),
        ("unset x; a ${x:-b c}", ["unset x", "a b c"]),
        ("x=1; a ${x:-b} ${x:+c}", ["a 1 c"]),
        ("x=rmx; ${x%x} -rf", ["rm -rf"]),
        ("IFS=:; x=a:b:c; $x", ["a b c"]),
        ("export X=a; b $X", ["export X=a", "b a"]),
        ("printf -v C '%s' 'a b'; eval \"$C\"", ["printf -v C %s a b", "eval a b", "a b"]),
        ("read x <<< b; a $x", ["read x", "a b"]),
        ("a $UNSEEN", [f"a {UNKNOWN}"]),
        ("x=1; (x=2); a $x", ["a 1"]),
        ("x=1; { x=2; }; a $x", ["a 2"]),
        ("x=1 a $x", [f"a {UNKNOWN}"]),
        ("true && x=b || x=c; a $x", ["true", "a c", "a b"]),
        ("if p; then x=b; fi; a $x", ["p", "a b"]),
        ("f() { local x=2; }; x=1; f; a $x", ["f", "local x=2", "a 1"]),
        ("a x=~/y x=b:~ x~ --p=~", ["a x=/home/me/y x=b:/home/me x~ --p=~"]),
        ("a ~ ~/x '~'", ["a /home/me /home/me/x ~"]),
        ('a $HOME "${HOME}"/y', ["a /home/me /home/me/y"]),
    ],
)
def test_values(line, commands):
    assert ran(line) == commands


def test_given_variables_are_known():
    assert ran("a $X", variables={"X": "b"}) == ["a b"]


@pytest.mark.parametrize(
    ("line", "folder"),
    [
        ("a", "/home/me/project"),
        ("cd x && a", "/home/me/project/x"),
        ("cd x; cd ..; a", "/home/me/project"),
        ("cd /tmp; a", "/tmp"),
        ("cd; a", "/home/me"),
        ("cd x; cd -; a", "/home/me/project"),
        ("(cd x); a", "/home/me/project"),
        ("pushd /tmp; popd; a", "/home/me/project"),
        ("cd $WHERE && a", None),
        ("env -C /tmp a", "/tmp"),
        ("ssh host a", None),
    ],
)
def test_working_folder(line, folder):
    assert read(line, cwd="/home/me/project", home="/home/me").commands[-1].cwd == folder


def test_a_folder_that_may_or_may_not_have_been_entered_is_both():
    reading = read("if p; then cd x; fi; a", cwd="/p")

    assert [command.cwd for command in reading.commands if command.name == "a"] == ["/p/x", "/p"]


def test_names_are_programs_without_folder_or_version():
    names = [command.name for command in read("/usr/bin/git; python3.11; ./x.sh; $unknown").commands]

    assert names == ["git", "python", "x.sh", ""]


def test_redirects_and_assignments_are_kept():
    command = read("X=1 a > 'b c' 2>&1").commands[0]

    assert command.assignments == (("X", "1"),)
    assert [(one.op, one.fd, one.target.text) for one in command.redirects] == [
        (">", "", "b c"),
        (">&", "2", "1"),
    ]


def test_a_glob_counts_only_unquoted():
    words = read("a * '*' \\* x?[a]").commands[0].words

    assert [(word.text, word.glob) for word in words[1:]] == [
        ("*", True),
        ("*", False),
        ("*", False),
        ("x?[a]", True),
    ]


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("echo a; git push -f", "git push -f"),
        ("bash -c 'x; git push -f'", "git push -f"),
        ('sudo bash -c "git push -f"', "git push -f"),
        ("echo 'git push -f' | sh", "git push -f"),
        ("eval git push -f", "git push -f"),
        ("a $(git push -f)", "git push -f"),
        ("a `git push -f`", "git push -f"),
        ("G=git; $G push -f", "$G push -f"),
        ("bash <<E\ngit push -f\nE", "git push -f"),
        ("bash -c 'git \"push\" -f'", 'git "push" -f'),
    ],
)
def test_spans_point_into_the_line(line, part):
    found = [command for command in read(line).commands if command.name == "git"]

    assert [line[slice(*command.span)] for command in found] == [part]


def test_the_way_to_a_command_is_told():
    assert read("sudo env X=1 bash -c 'f() { a; }; f'").commands[-1].via == ("sudo", "env", "bash -c", "f()")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("a 'b", "unclosed '"),
        ('a "b', 'unclosed "'),
        ("a `b", "unclosed `"),
        ("a $(b", "expected ')'"),
        ("a )", "unexpected ')'"),
        ("a &&", "missing command after '&&'"),
        ("if a; then b", "expected 'fi'"),
        ("bash -c 'a \"'", 'unclosed "'),
        ("( " * 33 + "a" + " )" * 33, "nesting exceeds 32 levels"),
        ("sudo " * 9 + "a", "too many nested wrappers"),
        ("a" * (MAX_LINE + 1), "line is too long"),
    ],
)
def test_what_is_not_read_is_told(line, reason):
    assert reasons(line) == [reason]


def test_as_deep_as_the_limit_is_read():
    assert ran("sudo " * 8 + "a")[-1] == "a"
    assert ran("( " * 32 + "a" + " )" * 32) == ["a"]


def test_commands_around_a_stretch_that_does_not_parse_are_read():
    assert ran("a\nb )\nc") == ["a", "b", "c"]


def test_a_nul_is_no_unknown_value():
    assert not read("a b\0c").commands[0].words[1].dynamic


def test_the_evaluation_of_code_is_imported_for_code_only():
    program = """
import sys
from hookline.shell import read
read("git status && cp a b | tail -5 && awk '{print $1}' file")
assert "hookline.shell.code" not in sys.modules
read("python3 -c 'import os'")
assert "hookline.shell.code" in sys.modules
"""

    subprocess.run([sys.executable, "-c", program], check=True)
