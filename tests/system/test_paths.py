"""Test that folders are created for their user alone, and that each has a stable and unique user id."""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from hookline.system import paths
from hookline.system.paths import ID_FILE, create_private, project_root, user_id


@pytest.fixture
def usual_umask():
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.usefixtures("usual_umask")
def test_a_folder_and_its_missing_parents_are_for_the_user_alone(tmp_path):
    (tmp_path / "there").mkdir()
    with ThreadPoolExecutor(8) as many:
        list(many.map(create_private, [str(tmp_path / "there/a/b/c")] * 40))

    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.rglob("*")}
    assert modes == {"there": 0o755, "a": 0o700, "b": 0o700, "c": 0o700}


@pytest.mark.parametrize("name", ["file", "file/folder"])
def test_a_folder_in_the_place_of_a_file_is_an_error(tmp_path, name):
    (tmp_path / "file").write_text("")

    with pytest.raises((FileExistsError, NotADirectoryError)):
        create_private(str(tmp_path / name))


def test_a_relative_folder_is_created_in_the_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    create_private("a/b")

    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("a", "a/b")] == [0o700, 0o700]


def test_a_folder_has_one_name_whoever_asks_first(tmp_path):
    with ThreadPoolExecutor(8) as many:
        names = {*many.map(user_id, [str(tmp_path)] * 40)}

    assert names == {(tmp_path / ID_FILE).read_text()}
    assert (tmp_path / ID_FILE).stat().st_mode & 0o777 == 0o600


def test_two_folders_have_two_names(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()

    assert user_id(str(tmp_path / "a")) != user_id(str(tmp_path / "b"))


def test_where_nothing_is_kept_nobody_has_a_name(tmp_path):
    (tmp_path / ID_FILE).write_text("half")

    assert [user_id(""), user_id(str(tmp_path / "none")), user_id(str(tmp_path))] == ["", "", ""]


@pytest.mark.parametrize("name", [".git", ".hookline"])
def test_a_folder_of_all_users_is_no_project(tmp_path, monkeypatch, name):
    shared, inner = tmp_path / "shared", tmp_path / "shared/a/b"
    inner.mkdir(parents=True)
    (shared / name).mkdir()
    before = project_root(str(inner))
    monkeypatch.setattr(paths, "SHARED_FOLDERS", (*paths.SHARED_FOLDERS, str(shared)))

    assert (before, project_root(str(inner))) == (str(shared), str(inner))
