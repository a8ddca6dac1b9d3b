"""Test the choice of the daemon's folder: no other user may be able to open or replace it."""

import os
import shutil
import subprocess
import sys

import pytest

from hookline.daemon import client
from hookline.daemon.client import LONGEST_SOCKET
from hookline.daemon.paths import describe_problem

SPOILT = {
    "well": (lambda one: None, ""),
    "group": (lambda one: one.chmod(0o750), "other users can open {0}; run `chmod 700 {0}`"),
    "world": (lambda one: one.chmod(0o702), "other users can write to {0}"),
    "gone": (lambda one: one.rmdir(), "{0}: no such file or directory"),
    "file": (lambda one: (one.rmdir(), one.touch()), "{0} is not a folder"),
    "link": (lambda one: (one.rmdir(), one.symlink_to("/")), "{0} is not a folder"),
    "repository": (lambda one: (one / ".git").mkdir(), "{0} is a repository"),
}


@pytest.mark.parametrize(("spoil", "said"), SPOILT.values(), ids=SPOILT)
def test_it_says_what_is_wrong_with_a_folder(tmp_path, spoil, said):
    folder = tmp_path / "hookline"
    folder.mkdir(mode=0o700)
    spoil(folder)

    assert describe_problem(str(folder)) == said.format(folder)


def test_a_git_folder_in_a_folder_of_all_users_is_no_repository(tmp_path, monkeypatch):
    """Codex's sandbox leaves an empty `.git` in /tmp if it is killed."""
    folder = tmp_path / "hookline"
    folder.mkdir(mode=0o700)
    (tmp_path / ".git").mkdir()
    before = describe_problem(str(folder))
    monkeypatch.setattr(client, "SHARED", (*client.SHARED, str(tmp_path)))

    assert (before, describe_problem(str(folder))) == (f"{tmp_path} is a repository", "")


@pytest.mark.parametrize(("length", "fits"), [(LONGEST_SOCKET, True), (LONGEST_SOCKET + 1, False)])
def test_a_path_is_as_long_as_a_socket_allows(tmp_path, length, fits):
    folder = tmp_path / ("x" * (length - len(f"{tmp_path}//socket")))
    folder.mkdir(mode=0o700)

    assert describe_problem(str(folder)) == ("" if fits else "the path is too long for a socket")


@pytest.mark.skipif(os.getuid() != 0, reason="requires root to change the owner of a folder")
@pytest.mark.parametrize("which", ["hookline", "."])
def test_a_folder_of_another_user_is_not_used(tmp_path, which):
    (tmp_path / "hookline").mkdir(mode=0o700)
    os.chown(tmp_path / which, 61_235, 61_235)

    assert "belongs to user 61235" in describe_problem(str(tmp_path / "hookline"))


READ_ONLY = """
mount -t tmpfs -o mode=700 tmpfs "$1" && mkdir -m 700 "$1/run" && mount -o remount,ro "$1" || exit 9
exec 2>&1
exec "$2" -c 'import sys; from hookline.daemon.paths import *; print(describe_problem(sys.argv[1]))' "$1/run"
"""


def test_a_disk_that_cannot_be_written_to_is_not_used(tmp_path):
    if not shutil.which("unshare"):
        pytest.skip("requires mount namespaces (unshare)")
    argv = ["unshare", "-rm", "sh", "-c", READ_ONLY, "sh", str(tmp_path), sys.executable]
    ran = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=30)
    if ran.returncode and ran.stderr:
        pytest.skip(f"requires mount namespaces: {ran.stderr}")

    assert ran.stdout == f"{tmp_path}/run is read-only\n"
