"""Test that a host that closes the streams of a call sees no traceback."""

import os
import subprocess
import sys

import pytest


@pytest.mark.slow
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_what_is_closed_ends_as_ever(user, closed):
    ran = subprocess.run(
        ["sh", "-c", f'exec "$0" -m hookline hook claude-code {closed}', sys.executable],
        input=b"{}",
        capture_output=True,
        check=False,
        cwd=user.project,
        env={"PATH": os.defpath, **user.environment(HOOKLINE_DAEMON="off")},
    )

    assert ran.returncode == 0
    assert b"Traceback" not in ran.stderr
