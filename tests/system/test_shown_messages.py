"""A person is told once a session, also where hardly anything can be written."""

import os
import tempfile

from hookline.system import shown_messages


def test_each_session_is_told_each_thing_once(tmp_path):
    said = [
        shown_messages.is_first(str(tmp_path), *what)
        for what in (("s", "a"), ("s", "a"), ("s", "b"), ("t", "a"), ("t", "a"))
    ]

    assert said == [True, False, True, True, False]


def test_where_the_folder_cannot_be_the_temporary_one_is(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    said = [shown_messages.is_first(str(tmp_path / "file"), "s", "a") for _ in range(2)]

    assert said == [True, False]


def test_where_nothing_can_be_noted_it_is_told_again(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "file"))
    said = [shown_messages.is_first(str(tmp_path / "file"), "s", "\udce9") for _ in range(2)]

    assert said == [True, True]


def test_what_was_told_long_ago_is_forgotten(tmp_path):
    shown_messages.is_first(str(tmp_path), "s", "a")
    for mark in (tmp_path / "told").iterdir():
        os.utime(mark, (1.0, 1.0))
    shown_messages.is_first(str(tmp_path), "s", "b")

    assert shown_messages.is_first(str(tmp_path), "s", "a")
