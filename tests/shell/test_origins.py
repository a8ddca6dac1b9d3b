"""Test the origins of a word: the commands that printed it, through variables, files and pipes."""

import pytest

from hookline.shell import UNKNOWN, read


def reading(line, **known):
    return read(line, cwd="/home/me/project", home="/home/me", **known)


def behind(line, place=-1, word=-1):
    """Return the names of the programs that a word of a command came from."""
    found = reading(line)
    return [found.commands[one].name for one in found.commands[place].words[word].origins]


def feeding(line, place=-1):
    found = reading(line)
    return [found.commands[one].name for one in found.commands[place].stdin_origins]


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("x=$(a); b $x", ["a"]),
        ("x=$(a)$(c); b pre$x", ["a", "c"]),
        ("b $(a | c)", ["c"]),
        ("a > f; b f", ["a"]),
        ("a > f; cp f g; b g", ["a"]),
        ("a > f; mv f d/; b d/f", ["a"]),
        ("cp f g; b g", ["cp"]),
        ("a > f; b @f", ["a"]),
        ("a > f; b --from=f", ["a"]),
        ("curl -o f url; b f", ["curl"]),
        ("curl -O http://h/f; b f", ["curl"]),
        ("wget http://h/f; b f", ["wget"]),
        ("wget -O f url; b f", ["wget"]),
        ("tar cf f dir; b f", ["tar"]),
        ("gzip f; b f.gz", ["gzip"]),
        ("zip f.zip x; b f.zip", ["zip"]),
        ("openssl enc -in x -out f; b f", ["openssl"]),
        ("dd if=x of=f; b f", ["dd"]),
        ("b <(a)", ["a"]),
        ("curl -o f file:///x; b f", []),
        ("a > f; b g", []),
        ("b $x", []),
        ("x=known; b $x", []),
        ("b $(echo known)", []),
    ],
)
def test_words(line, names):
    assert behind(line) == names


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("a | b", ["a"]),
        ("a | cat | b", ["a"]),
        ("x=$(a); echo $x | b", ["a"]),
        ("a > f; b < f", ["a"]),
        ("b <<< $(a)", ["a"]),
        ("b < f", []),
        ("echo x | b", []),
    ],
)
def test_standard_input(line, names):
    assert feeding(line) == names


@pytest.mark.parametrize(
    "line", ["a | sh", "sh <(a)", "eval $(a)", "a > f; . ./f", "a > f; ./f", "sh -c $(a)"]
)
def test_a_command_made_of_what_another_printed(line):
    assert behind(line, word=0) == ["a"]


def test_texts_hold_no_marks():
    found = reading("x=$(a); b $x > $x <<< $x")

    assert found.commands[-1].words[1].text == UNKNOWN
    assert found.commands[-1].stdin == UNKNOWN + "\n"
    assert found.commands[-1].redirects[0].target.text == UNKNOWN


def test_a_line_cannot_forge_a_mark():
    line = "a; b \0\U000f0000; c $x$'\\U000f0000' \U000f0000"

    assert [word.origins for command in reading(line).commands[1:2] for word in command.words] == [(), ()]


@pytest.mark.parametrize(
    ("line", "unset"),
    [
        ("a $x", True),
        ("a ${x}/y", True),
        ("a ${x%/}", True),
        ("a $1", True),
        ("x=1; a $x", False),
        ("x=$(b); a $x", False),
        ("read x; a $x", False),
        ("for x in *; do a $x; done", True),
        ("for x in *.c; do a $x; done", False),
        ("a ${x:?}", False),
        ("a ${x:-y}", False),
        ("a $HOME $$", False),
        ("a b", False),
    ],
)
def test_variables_that_nothing_sets(line, unset):
    assert reading(line).commands[-1].words[-1].unset is unset


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("exec 3>/dev/tcp/h/1; a >&3", [(">", "/dev/tcp/h/1")]),
        ("exec 4>f; exec 3>&4-; a >&3", [(">", "/home/me/project/f")]),
        ("exec {s}>f; a >&$s", [(">", "/home/me/project/f")]),
        ("a 2>&1", [(">&", "1")]),
    ],
)
def test_numbers_of_files(line, said):
    assert [(one.op, one.target.text) for one in reading(line).commands[-1].redirects] == said


@pytest.mark.parametrize(
    ("line", "name"), [("> f", ":"), ("x=1 > f", ":"), ("a $(< f)", "cat"), ("< f", "cat")]
)
def test_redirections_without_a_command(line, name):
    first = reading(line).commands[0]

    assert (first.name, first.redirects[0].target.text) == (name, "f")
