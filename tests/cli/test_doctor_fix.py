"""Test `hookline doctor --fix`: it runs the advised commands after asking, and checks again."""

import os
import stat

import pytest

from hookline.cli import doctor as command
from hookline.cli._doctor.fix import apply_fixes
from hookline.cli._doctor.store import _check_speed
from hookline.core.diagnosis import Finding, advise, attention, note


@pytest.fixture
def open_folder(alone):
    """Return a configuration folder that others can write."""
    folder = alone.home / ".config" / "hookline"
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    return folder


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


def test_a_fix_is_run_and_the_check_is_repeated(alone, open_folder):
    ran = alone.run("doctor", "--host", "claude-code", "--fix", "--yes")
    text = ran.stdout.decode()

    assert mode(open_folder) == 0o755
    assert text.count("other users can change") == 1
    assert text.index("fix: chmod go-w") < text.rindex("claude-code: installed")


def test_nothing_is_run_without_a_confirmation(alone, open_folder):
    ran = alone.run("doctor", "--host", "claude-code", "--fix")

    assert ran.returncode == 1
    assert b"confirmation requires an interactive terminal" in ran.stderr
    assert mode(open_folder) == 0o777


def test_each_fix_is_asked_about(open_folder, alone, at_terminal, monkeypatch):
    finding = advise("permissions.open", "open", f"chmod go-w {open_folder}")
    monkeypatch.setattr(command, "_examine", lambda args: [finding])

    code, seen = at_terminal("doctor", "--fix", answer="n\n")

    assert (code, "not run" in seen) == (1, True)
    assert mode(open_folder) == 0o777


def test_only_findings_that_require_action_are_fixed(tmp_path, capsys):
    touch = f"touch {tmp_path}/made"
    findings = [Finding(id="a", weight="note", text="", fix=touch), note("b", "x"), attention("c", "y")]

    assert not apply_fixes(findings, yes=True)
    assert list(tmp_path.iterdir()) == []


def test_a_fix_that_several_findings_advise_is_run_once(tmp_path, capsys):
    append = f"echo x >> {tmp_path}/made"
    assert apply_fixes([advise("a", "one", append), advise("b", "two", append)], yes=True)

    assert (tmp_path / "made").read_text() == "x\n"


def test_a_fix_that_fails_is_reported(capsys):
    apply_fixes([advise("a", "one", "exit 3")], yes=True)

    assert "it failed with exit code 3" in capsys.readouterr().out


@pytest.mark.parametrize(("seconds", "ids"), [(0.04, []), (0.06, ["store.slow"])])
def test_a_slow_disk_is_reported(tmp_path, monkeypatch, seconds, ids):
    monkeypatch.setattr("hookline.cli._doctor.store._time_write", lambda descriptor: seconds)

    assert [finding.id for finding in _check_speed(str(tmp_path))] == ids
