"""Test `hookline test`: hook tests with and without pytest, and the guard cases."""

import sys

import pytest

from hookline.cli import main

PASSES = "def test_sums():\n    assert 1 + 1 == 2\n"
FAILS = "def test_sums():\n    assert 1 + 1 == 3\n"
CASE = {"command": "git push --force origin main", "expect": "block"}


@pytest.fixture
def without_pytest(user, monkeypatch):
    """Run in this process, whose pytest cannot be found."""
    from hookline.cli import _test_files

    monkeypatch.setattr(_test_files, "find_spec", lambda name: None)
    monkeypatch.chdir(user.project)
    for name, value in user.environment().items():
        monkeypatch.setenv(name, value)
    return user


@pytest.mark.parametrize(("text", "code"), [(PASSES, 0), (FAILS, 1)])
def test_pytest_runs_the_hook_tests(user, text, code):
    user.write(".hookline/tests/test_own.py", text)
    ran = user.run("test")

    assert ran.returncode == code
    assert (b"1 passed" if code == 0 else b"1 failed") in ran.stdout


@pytest.mark.parametrize(("text", "code"), [(PASSES, 0), (FAILS, 1)])
def test_the_functions_are_called_without_pytest(without_pytest, capsys, text, code):
    without_pytest.write(".hookline/tests/test_own.py", text)

    assert main(["test"]) == code
    assert f"1 {('passed', 'failed')[code]} in " in capsys.readouterr().out


@pytest.mark.parametrize("text", ["import pytest\n", "def test_it(tmp_path):\n    pass\n"])
def test_a_test_that_needs_pytest_fails_with_the_command_that_installs_it(
    without_pytest, capsys, text, monkeypatch
):
    monkeypatch.setitem(sys.modules, "pytest", None)
    without_pytest.write(".hookline/tests/test_own.py", text)

    assert main(["test"]) == 1
    assert "requires pytest; install it: " in capsys.readouterr().out


@pytest.mark.parametrize(("expect", "code"), [("block", 0), ("allow", 1)])
def test_the_guard_cases_are_run(user, expect, code):
    user.write(".hookline/guard-tests.jsonl", CASE | {"expect": expect})
    ran = user.run("test")

    assert ran.returncode == code
    assert f"{1 - code} of 1 tests passed".encode() in ran.stdout


def test_a_failing_hook_test_does_not_hide_the_guard_cases(user):
    user.write(".hookline/tests/test_own.py", FAILS)
    user.write(".hookline/guard-tests.jsonl", CASE)
    ran = user.run("test")

    assert ran.returncode == 1
    assert b"1 of 1 tests passed" in ran.stdout


def test_without_tests_it_says_how_to_write_them(user):
    ran = user.run("test")

    assert ran.returncode == 0
    assert b"`hookline new hook NAME` writes one" in ran.stdout


@pytest.mark.parametrize(("name", "code"), [("missing.py", 1), ("notes.txt", 2)])
def test_a_file_that_is_no_test(user, name, code):
    assert user.run("test", name).returncode == code
