"""Whoever keeps things in a folder has one name, and nobody else has it."""

from concurrent.futures import ThreadPoolExecutor

from hookline.system.user_folder import ID_FILE, user_id


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
