"""Test detection of changes to the files of the running installation."""

import os
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from hookline.daemon import installation


@pytest.fixture
def source(tmp_path, monkeypatch):
    monkeypatch.setattr(installation, "PACKAGE", str(tmp_path))
    monkeypatch.setattr(installation, "CHECK_INTERVAL", 0.4)
    path = tmp_path / "code.py"
    path.write_text("old = 1\n")
    return path


def test_of_calls_at_the_same_moment_one_examines_them(source, monkeypatch):
    files, looks, stat = installation.Files(), [], os.stat
    time.sleep(0.5)

    def slow(path, **how):
        if path == str(source):
            looks.append(path)
            time.sleep(0.1)
        return stat(path, **how)

    monkeypatch.setattr("hookline.daemon.installation.os.stat", slow)
    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(lambda _: files.changed(), range(8)))

    assert told == [False] * 8
    assert looks == [str(source)]


def test_an_edit_is_noticed_for_good(source):
    files = installation.Files()
    files.check()
    before = files.changed()
    source.write_text("new = 22\n")
    files.check()
    after = files.changed()
    source.write_text("old = 1\n")

    assert (before, after, files.changed()) == (False, True, True)


def test_they_are_not_examined_again_at_once(source):
    files = installation.Files()
    source.write_text("new = 22\n")
    at_once = files.changed()
    time.sleep(0.5)

    assert (at_once, files.changed()) == (False, True)
