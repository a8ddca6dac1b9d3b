"""Whether this process is still what is installed: looked at now and then, and by one of all who ask."""

import os
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from hookline.daemon import installation


@pytest.fixture
def source(tmp_path, monkeypatch):
    monkeypatch.setattr(installation, "PACKAGE", str(tmp_path))
    path = tmp_path / "code.py"
    path.write_text("old = 1\n")
    return path


def test_of_all_who_ask_at_once_one_looks(source, monkeypatch):
    files, looks, stat = installation.Files(), [], os.stat
    time.sleep(0.5)

    def slow(path, **how):
        if path == str(source):
            looks.append(path)
            time.sleep(0.1)
        return stat(path, **how)

    monkeypatch.setattr("hookline.daemon.installation.os.stat", slow)
    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(lambda _: files.changed(every=0.4), range(8)))

    assert told == [False] * 8
    assert looks == [str(source)]


def test_an_edit_is_noticed_and_told_to_everybody(source):
    files = installation.Files()
    before = files.changed(every=0.0)
    source.write_text("new = 22\n")

    assert (before, files.changed(every=0.0), files.changed(every=60.0)) == (False, True, True)
    source.write_text("old = 1\n")
    assert files.changed(every=0.0)


def test_it_looks_no_more_often_than_it_is_told_to(source):
    files = installation.Files()
    source.write_text("new = 22\n")

    assert not files.changed(every=60.0)
    assert files.changed(every=0.0)
