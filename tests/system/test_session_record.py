"""Test the records of a session: messages shown once, and variables of its repository."""

import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

from hookline.system import session_record
from hookline.system.session_record import CallingSession, NamedVariable, add_variables, read_variables


def test_each_session_is_told_each_thing_once(tmp_path):
    said = [
        session_record.is_first(str(tmp_path), *what)
        for what in (("s", "a"), ("s", "a"), ("s", "b"), ("t", "a"), ("t", "a"))
    ]

    assert said == [True, False, True, True, False]


def test_where_the_folder_cannot_be_the_temporary_one_is(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    said = [session_record.is_first(str(tmp_path / "file"), "s", "a") for _ in range(2)]

    assert said == [True, False]


def test_where_nothing_can_be_noted_it_is_told_again(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "file"))
    said = [session_record.is_first(str(tmp_path / "file"), "s", "\udce9") for _ in range(2)]

    assert said == [True, True]


def test_what_was_told_long_ago_is_forgotten(tmp_path):
    session_record.is_first(str(tmp_path), "s", "a")
    for mark in (tmp_path / "told").iterdir():
        os.utime(mark, (1.0, 1.0))
    session_record.is_first(str(tmp_path), "s", "b")

    assert session_record.is_first(str(tmp_path), "s", "a")


X, Y = (NamedVariable(name=name, file=".env") for name in "XY")
NO_PROCESS = 1
"""The first process, which no host has started."""


def calling(session, process=NO_PROCESS):
    return CallingSession(id=session, process=process)


def test_the_variables_of_a_session_are_added_up(tmp_path):
    for session, variables in (("s", [X]), ("t", [Y]), ("s", [Y, X])):
        assert add_variables(calling(session), str(tmp_path), variables) == ""

    assert read_variables(calling("s"), str(tmp_path)) == (X, Y)
    assert read_variables(calling("t"), str(tmp_path)) == (Y,)
    assert read_variables(calling("u"), str(tmp_path)) == ()
    assert read_variables(calling(""), str(tmp_path)) == ()


def test_the_variables_of_a_host_process_count_for_its_folder(tmp_path):
    add_variables(calling("s", os.getpid()), "/a", [X])

    assert read_variables(calling("t", os.getpid()), "/a") == (X,)
    assert read_variables(calling("t", os.getpid()), "/b") == ()
    assert read_variables(calling("s", os.getpid()), "/b") == (X,)


def test_the_folders_of_variables_are_the_users_alone(tmp_path, monkeypatch):
    place = tmp_path / "new" / "hookline" / "variables"
    monkeypatch.setattr(session_record, "variable_folders", lambda: (str(place),))
    add_variables(calling("s"), "", [X])

    assert [stat.S_IMODE(path.stat().st_mode) for path in (place.parent, place)] == [0o700, 0o700]


def test_only_unused_records_of_variables_are_removed(tmp_path):
    for session in ("old", "used"):
        add_variables(calling(session), "", [X])
    for path in Path(session_record.variable_folders()[0]).iterdir():
        os.utime(path, (1.0, 1.0))
    read_variables(calling("used"), "")
    add_variables(calling("new"), "", [Y])

    assert [read_variables(calling(session), "") for session in ("old", "used", "new")] == [(), (X,), (Y,)]


def test_a_link_in_place_of_a_record_is_not_followed(tmp_path):
    (tmp_path / "other").write_text('["Z", ".env", ""]\n')
    add_variables(calling("s"), "", [X])
    (path,) = Path(session_record.variable_folders()[0]).iterdir()
    path.unlink()
    path.symlink_to(tmp_path / "other")

    assert read_variables(calling("s"), "") == ()
    assert "variables" in add_variables(calling("s"), "", [X])
    assert (tmp_path / "other").read_text() == '["Z", ".env", ""]\n'


FOLDERS = "from hookline.system.session_record import variable_folders; print(*variable_folders(), sep='\\n')"


def test_no_environment_variable_chooses_the_folders_of_variables(tmp_path):
    names = ("HOME", "TMPDIR", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "XDG_CACHE_HOME")
    environments = ({}, dict.fromkeys(names, str(tmp_path)))
    path = os.path.dirname(os.path.dirname(session_record.__file__)).removesuffix("/hookline")
    ran = [
        subprocess.run(
            [sys.executable, "-c", FOLDERS], env={"PYTHONPATH": path, **env}, capture_output=True, check=True
        )
        for env in environments
    ]

    assert ran[0].stdout == ran[1].stdout != b""
