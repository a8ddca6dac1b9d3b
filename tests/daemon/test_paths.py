"""Where a daemon lies: in a folder that nobody else can reach into, or nowhere."""

import os
import shutil
import stat
import subprocess
import sys

import pytest

from hookline.daemon.paths import LONGEST_SOCKET, Place, find, made, trouble


def test_it_lies_in_the_systems_folder_for_such_things(tmp_path):
    place = made({"XDG_RUNTIME_DIR": str(tmp_path)})

    assert place == Place(folder=str(tmp_path / "hookline")) == find({"XDG_RUNTIME_DIR": str(tmp_path)})
    assert stat.S_IMODE(os.stat(place.folder).st_mode) == 0o700


def test_a_path_too_long_for_a_socket_gives_way(tmp_path):
    long = tmp_path / ("x" * 120)
    long.mkdir()
    place = made({"XDG_RUNTIME_DIR": str(long)})

    assert place.folder == f"/tmp/hookline-{os.getuid()}"


@pytest.mark.parametrize("spoil", [lambda p: p.chmod(0o755), lambda p: (p.rmdir(), p.symlink_to(p.parent))])
def test_a_folder_that_others_can_reach_into_is_not_used(tmp_path, spoil):
    folder = tmp_path / "hookline"
    folder.mkdir(mode=0o700)
    spoil(folder)

    assert made({"XDG_RUNTIME_DIR": str(tmp_path)}).folder != str(folder)


@pytest.mark.parametrize("given", ["", "relative/path", "/gone/for/good"])
def test_without_that_folder_there_is_another(given):
    assert made({"XDG_RUNTIME_DIR": given}).folder == f"/tmp/hookline-{os.getuid()}"


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda one: None, ""),
        (lambda one: one.chmod(0o750), "others can reach into it; run `chmod 700 {}`"),
        (lambda one: one.chmod(0o702), "others can reach into it; run `chmod 700 {}`"),
        (lambda one: one.rmdir(), "no such file or directory"),
        (lambda one: (one.rmdir(), one.touch()), "it is no folder; remove it"),
        (lambda one: (one.rmdir(), one.symlink_to("/")), "it is no folder; remove it"),
    ],
    ids=["well", "group", "world", "gone", "file", "link"],
)
def test_what_is_wrong_with_a_folder_is_said(tmp_path, spoil, said):
    folder = tmp_path / "hookline"
    folder.mkdir(mode=0o700)
    spoil(folder)

    assert trouble(str(folder)) == said.format(folder)


@pytest.mark.parametrize(("length", "fits"), [(LONGEST_SOCKET, True), (LONGEST_SOCKET + 1, False)])
def test_a_path_is_as_long_as_a_socket_can_have(length, fits):
    folder = "/" + "x" * (length - len("//socket"))

    assert (trouble(folder) != "its path is too long for a socket") is fits


def test_the_folder_that_is_there_is_found_first(tmp_path):
    (tmp_path / "hookline").mkdir(mode=0o700)

    assert find({"XDG_RUNTIME_DIR": str(tmp_path)}).folder == str(tmp_path / "hookline")


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_another_user_is_not_used(tmp_path):
    (tmp_path / "hookline").mkdir(mode=0o700)
    os.chown(tmp_path / "hookline", 61_235, 61_235)

    assert "belongs to user 61235" in trouble(str(tmp_path / "hookline"))
    assert made({"XDG_RUNTIME_DIR": str(tmp_path)}).folder != str(tmp_path / "hookline")


READ_ONLY = """
mount -t tmpfs -o mode=700 tmpfs "$1" && mkdir -m 700 "$1/hookline" && mount -o remount,ro "$1" || exit 9
cd "$1" && exec "$2" -c 'from hookline.daemon.paths import trouble; print(trouble("hookline"))'
"""


def test_a_disk_that_cannot_be_written_to_is_not_used(tmp_path):
    if not shutil.which("unshare"):
        pytest.skip("no disks of one's own here")
    argv = ["unshare", "-rm", "sh", "-c", READ_ONLY, "sh", str(tmp_path), sys.executable]
    ran = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=30)
    if ran.returncode:
        pytest.skip(f"no disks of one's own here: {ran.stderr}")

    assert ran.stdout == "it cannot be written to\n"
