"""Test `hookline demo` with the real programs, without a network."""

import subprocess
import sys

import pytest

from hookline.cli.demo import CLIENTS

from .client import ROOT, load
from .conftest import require
from .driver import PATH

pytestmark = pytest.mark.clients

WITH_LOOPBACK = """
import os, sys
from tests.clients.inside import bring_loopback_up

bring_loopback_up()
os.execv(sys.argv[1], sys.argv[1:])
"""


@pytest.mark.parametrize("name", CLIENTS.names())
def test_a_push_is_blocked_without_a_network(name, hookline, tmp_path):
    client = load(name)
    require(client)
    for folder in ("home", "tmp", "bin"):
        (tmp_path / folder).mkdir()
    (tmp_path / "bin" / CLIENTS.load(name).program).symlink_to(client.path)
    ran = subprocess.run(
        ["unshare", "-rn", sys.executable, "-c", WITH_LOOPBACK, hookline, "demo", name],
        cwd=ROOT,
        env={
            "HOME": str(tmp_path / "home"),
            "TMPDIR": str(tmp_path / "tmp"),
            "PATH": f"{tmp_path / 'bin'}:{PATH}",
            "COLUMNS": "1000",
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=150,
    )

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "[dangerous-command:git-push-force]\nagent     My push was refused" in ran.stdout
    assert "\nremote    still has the commit of a colleague: " in ran.stdout
    assert [path for name in ("home", "tmp") for path in (tmp_path / name).iterdir()] == []
