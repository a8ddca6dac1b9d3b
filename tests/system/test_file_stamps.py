"""Test that stamps of files detect each change."""

import os

import pytest

from hookline.system import file_stamps

OLD = 1_600_000_000


def noted(*paths, existence_only=False):
    with file_stamps.collect_stamps() as notes:
        for path in paths:
            file_stamps.record_read(str(path), existence_only=existence_only)
    return notes


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "file"
    path.write_text("one")
    return path


CHANGES = {
    "another text": lambda path: path.write_text("other"),
    "as long a text": lambda path: path.write_text("two"),
    "it is gone": lambda path: path.unlink(),
    "another file": lambda path: (path.rename(path.with_name("x")), path.write_text("one")),
    "a link to the same": lambda path: (path.rename(path.with_name("x")), path.symlink_to("nowhere")),
    "it became a folder": lambda path: (path.unlink(), path.mkdir()),
    "the time set back": lambda path: (path.write_text("two"), os.utime(path, (OLD, OLD))),
    "another mode": lambda path: path.chmod(0o600 if path.stat().st_mode & 0o077 else 0o644),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_is_seen(file, change):
    notes = noted(file)
    same = file_stamps.are_current(notes)
    change(file)

    assert same
    assert not file_stamps.are_current(notes)


def test_a_file_that_comes_is_seen(tmp_path):
    notes = noted(tmp_path / "new")
    (tmp_path / "new").touch()

    assert not file_stamps.are_current(notes)


def test_a_link_that_leads_nowhere_is_more_than_nothing(tmp_path):
    notes = noted(tmp_path / "new")
    (tmp_path / "new").symlink_to("nowhere")

    assert not file_stamps.are_current(notes)


def test_a_link_on_the_way_that_leads_elsewhere_is_seen(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("same")
    (tmp_path / "link").symlink_to("one")
    notes = noted(tmp_path / "link" / "file")
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to("two")

    assert not file_stamps.are_current(notes)


def test_a_file_in_a_folder_that_was_listed_is_seen(tmp_path):
    notes = noted(tmp_path)
    (tmp_path / "new").touch()

    assert not file_stamps.are_current(notes)


def test_where_only_its_being_there_counts_its_content_does_not(tmp_path):
    (tmp_path / "folder").mkdir()
    notes = noted(tmp_path / "folder", existence_only=True)
    (tmp_path / "folder" / "new").touch()
    same = file_stamps.are_current(notes)
    (tmp_path / "folder" / "new").unlink()
    (tmp_path / "folder").rmdir()

    assert same
    assert not file_stamps.are_current(notes)


def test_what_was_changed_just_now_tells_no_later_change(file):
    fresh = noted(file)
    old = {key: (*stamp[:-2], OLD * 10**9, OLD * 10**9) for key, stamp in fresh.items()}

    assert not file_stamps.are_reliable(fresh)
    assert file_stamps.are_reliable(old)
    assert file_stamps.are_reliable(noted(file.with_name("none")))


def test_nothing_is_noted_for_nobody(file):
    file_stamps.record_read(str(file))

    assert noted() == {}
