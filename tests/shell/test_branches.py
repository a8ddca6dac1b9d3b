"""Test the values of variables, and the folder, after commands that may not run."""

import pytest

from hookline.shell import read

ROOT = "/home/me/project"


def used(line):
    """Return the different values of `$v` with which the line runs `use`."""
    commands = read(line, cwd=ROOT, home="/home/me").commands
    return {" ".join(word.text for word in one.words[1:]) for one in commands if one.name == "use"}


def folders(line):
    return {one.cwd for one in read(line, cwd=ROOT, home="/home/me").commands if one.name == "use"}


@pytest.mark.parametrize(
    "skippable",
    [
        "a && {}",
        "[ -d a ] && {}",
        "a && b && {{ {}; }}",
        "a && {} || true",
        "a || {}",
        "if a; then {}; fi",
        "if a && {}; then b; fi",
        "case $x in a) {};; esac",
        "while a; do {}; done",
        "until a; do {}; done",
        "for x in $L; do {}; done",
        "for x in *.none; do {}; done",
        "for ((i = 0; i < n; i++)); do {}; done",
        "f() {{ {}; }}; a && f",
    ],
)
@pytest.mark.parametrize(
    ("before", "change", "use", "values"),
    [
        ("v=old", "v=new", "use $v", {"old", "new"}),
        ("v=old", "unset v", "use $v", {"old", ""}),
        ("set -- old", "set --", 'use "$@"', {"old"}),
    ],
)
def test_a_command_that_may_not_run_leaves_the_old_value_possible(skippable, before, change, use, values):
    assert used(f"{before}; {skippable.format(change)}; {use}") == values


@pytest.mark.parametrize(
    "certain",
    [
        "v=new",
        "{ v=new; }",
        "while true; do v=new; break; done",
        "for x in 1 2; do v=new; done",
        "a && v=new || exit 1",
        "a && v=new || { echo; return; }",
        "a && v=new || v=new",
    ],
)
def test_a_command_that_runs_replaces_the_value(certain):
    assert used(f"v=old; {certain}; use $v") == {"new"}


def test_a_background_job_changes_nothing():
    assert used("v=old; a && v=new & use $v") == {"old"}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("[ -d a ] && cd /a; use", {"/a", ROOT}),
        ("b | grep -q x && cd /a; use", {"/a", ROOT}),
        ("[ -d a ] && cd /a || use", {"/a", ROOT}),
        ("[ -d a ] && cd /a && use", {"/a"}),
        ("if [ -d a ] && cd /a; then use; fi", {"/a"}),
        ("[ -d a ] && cd /a || exit; use", {"/a"}),
        ("mkdir /a && cd /a; use", {"/a"}),
    ],
)
def test_the_folder_is_uncertain_after_a_test_only(line, expected):
    assert folders(line) == expected
