"""Test that links are resolved as the operating system does, and again for each event."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookline.system.file_facts import MAX_PATH_LENGTH, path_resolver
from hookline.system.read_script import resolve_path

NAMES = ("a", "b", "in", "out", "root", "up", "loop", "other", "file", "none", ".", "..", "")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with links of each kind."""
    root = tmp_path_factory.mktemp("tree")
    (root / "a" / "b").mkdir(parents=True)
    (root / "a" / "file").touch()
    for name, leads in (
        ("in", "a/b"),
        ("out", str(root / "a")),
        ("root", "/"),
        ("loop", "loop"),
        ("other", "none"),
        ("a/up", ".."),
        ("a/b/out", "../../in/../file"),
    ):
        (root / name).symlink_to(leads)
    return root


@settings(max_examples=500)
@given(names=st.lists(st.sampled_from(NAMES), max_size=8), more=st.lists(st.sampled_from(NAMES), max_size=8))
def test_a_path_leads_where_the_system_says(tree: Path, names: list[str], more: list[str]) -> None:
    follow = path_resolver()

    for path in ("/".join((str(tree), *names)), "/".join((str(tree), *names, *more)), "/".join(names)):
        assert follow(path) == resolve_path(path)


def test_a_name_that_cannot_be_written_is_nowhere(tree: Path) -> None:
    assert path_resolver()(f"{tree}/in/\ud800") == f"{tree}/a/b/\ud800"
    assert path_resolver()(f"{tree}/in/a\0b") == f"{tree}/in/a\0b"


def test_the_next_event_sees_links_that_changed(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    link = tmp_path / "link"
    link.symlink_to("one")
    before = path_resolver()(f"{link}/x")
    link.unlink()
    link.symlink_to("two")

    assert (before, path_resolver()(f"{link}/x")) == (f"{tmp_path}/one/x", f"{tmp_path}/two/x")


def test_what_no_system_opens_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "up").symlink_to(".")
    short, long = (f"{tmp_path}/" + "up/" * times + "x" for times in (3, MAX_PATH_LENGTH // 3))

    assert path_resolver()(short) == os.path.join(tmp_path, "x")
    assert path_resolver()(long) == long
