"""Test the file of the secret of `hookline mcp serve --http`: no other user can read or choose the secret."""

import os

import pytest

from hookline.cli.mcp import find_secret

KNOWN = "a secret that another user knows"


@pytest.fixture
def path(user, monkeypatch):
    for name, value in user.environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("HOOKLINE_MCP_SECRET", raising=False)
    folder = user.home / ".local/state/hookline"
    folder.mkdir(parents=True, mode=0o700)
    return folder / "mcp-secret"


def test_it_is_created_once_for_the_user_alone(user, path):
    first, second = find_secret(str(user.project)), find_secret(str(user.project))

    assert first == second == path.read_text()
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o606, 0o622])
def test_a_secret_that_others_can_access_is_replaced(user, path, mode):
    path.write_text(KNOWN)
    path.chmod(mode)
    secret = find_secret(str(user.project))

    assert secret != KNOWN
    assert (path.read_text(), path.stat().st_mode & 0o777) == (secret, 0o600)


def test_a_link_to_another_file_is_replaced(user, path, tmp_path):
    (tmp_path / "other").write_text(KNOWN)
    (tmp_path / "other").chmod(0o600)
    path.symlink_to(tmp_path / "other")
    secret = find_secret(str(user.project))

    assert secret != KNOWN
    assert not path.is_symlink()
    assert (tmp_path / "other").read_text() == KNOWN


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file to another user")
def test_a_secret_that_another_user_wrote_is_replaced(user, path):
    path.write_text(KNOWN)
    path.chmod(0o600)
    os.chown(path, 65534, 65534)

    assert find_secret(str(user.project)) != KNOWN
    assert path.stat().st_uid == os.getuid()
