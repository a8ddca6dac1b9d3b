"""Test warnings on the standard error of the host: a pipe or a log, but no file that it overwrites."""

import subprocess
import sys

import pytest

HOOK = (
    "import sys; from hookline.system.notify import write_to_host; write_to_host(0, ['one\\x1b[2J', 'two'])"
)
HOST = "import subprocess, sys; subprocess.run(['sh', '-c', sys.argv[1]], stderr=subprocess.PIPE, check=True)"
SHOWN = "hookline: one [2J\nhookline: two\n"


def run_host(**streams):
    hook = f'{sys.executable} -c "{HOOK}"; true'
    return subprocess.run([sys.executable, "-c", HOST, hook], check=True, timeout=60, **streams)


@pytest.mark.slow
def test_warnings_get_to_the_hosts_pipe():
    assert run_host(stderr=subprocess.PIPE, text=True).stderr == SHOWN


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "shown"), [("a", SHOWN), ("w", "")])
def test_warnings_get_to_a_log_that_the_host_appends_to(tmp_path, mode, shown):
    with (tmp_path / "log").open(mode) as log:
        run_host(stderr=log)

    assert (tmp_path / "log").read_text() == shown
