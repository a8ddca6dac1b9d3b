"""Test that full outputs are kept for a day, readable by their user only."""

import os
import stat
from pathlib import Path

from hookline.system import full_outputs


def test_the_text_lies_in_a_file_of_its_own(tmp_path):
    folder = str(tmp_path / "outputs")
    one, two = full_outputs.save(folder, "one\udce9"), full_outputs.save(folder, "two")

    assert one != two
    assert Path(one).read_text(errors="surrogateescape") == "one\udce9"
    assert full_outputs.save(folder, "two") == two


def test_nobody_else_may_read_it(tmp_path):
    path = full_outputs.save(str(tmp_path / "outputs"), "x")

    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(tmp_path / "outputs").st_mode) == 0o700


def test_old_ones_and_too_many_go(tmp_path, monkeypatch):
    monkeypatch.setattr(full_outputs, "MAX_FILES", 3)
    old = full_outputs.save(str(tmp_path), "old")
    os.utime(old, (1, 1))
    for number in range(5):
        os.utime(full_outputs.save(str(tmp_path), str(number)))

    assert len(list(tmp_path.iterdir())) == 3
    assert not os.path.exists(old)


def test_a_link_in_its_place_is_not_followed(tmp_path):
    path = full_outputs.save(str(tmp_path / "outputs"), "x")
    os.unlink(path)
    (tmp_path / "mine").write_text("mine")
    os.symlink(tmp_path / "mine", path)

    assert full_outputs.save(str(tmp_path / "outputs"), "x") == ""
    assert (tmp_path / "mine").read_text() == "mine"


def test_where_it_cannot_be_kept_there_is_no_path(tmp_path):
    (tmp_path / "file").write_text("")

    assert full_outputs.save(str(tmp_path / "file" / "outputs"), "x") == ""
