"""Test reading scripts by path, through links, and paths that are not scripts."""

import os

from hookline.system.read_script import MAX_SCRIPT_BYTES, read_script, resolve_path


def test_links_are_followed_as_far_as_they_lead(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")

    assert resolve_path(str(tmp_path / "link" / "new")) == str((tmp_path / "folder" / "new").resolve())
    assert resolve_path(str(tmp_path / "link" / "..")) == str(tmp_path.resolve())


def test_a_path_that_no_system_would_open_stays_as_it_is():
    assert resolve_path("/x\0y") == "/x\0y"
    assert read_script("/x\0y") == ""


def test_the_text_of_a_script(tmp_path):
    (tmp_path / "x.sh").write_text("echo hi\n")

    assert read_script(str(tmp_path / "x.sh")) == "echo hi\n"


def test_what_is_no_text_or_no_file_has_none(tmp_path):
    (tmp_path / "program").write_bytes(b"\x7fELF\0")
    os.mkfifo(tmp_path / "pipe")

    assert [read_script(str(tmp_path / name)) for name in ("program", "pipe", "gone", ".")] == [""] * 4


def test_only_the_beginning_of_a_long_one_is_read(tmp_path):
    (tmp_path / "long").write_text("x" * (MAX_SCRIPT_BYTES + 1))

    assert len(read_script(str(tmp_path / "long"))) == MAX_SCRIPT_BYTES
