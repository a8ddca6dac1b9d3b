"""Test whether another agent started the host of a call."""

import os
import subprocess
import sys

import pytest

from hookline.runtime.find_agent import find_agent_above

ASK = "from hookline.runtime.find_agent import find_starting_agent; print(find_starting_agent(0))"
HOST = "import subprocess, sys; subprocess.run(['sh', '-c', '\"$0\" -c \"$1\"', sys.executable, sys.argv[1]])"
"""A host that starts its hook through a shell."""


@pytest.mark.skipif(find_agent_above(os.getpid()) != "", reason="these tests run in an agent")
@pytest.mark.parametrize(
    ("env", "expected"), [({}, "\n"), ({"CLAUDECODE": "1"}, "claude-code\n"), ({"OTHER": "1"}, "\n")]
)
def test_a_host_that_was_started_with_the_variables_of_an_agent_has_its_prompts_from_it(env, expected):
    stdout = subprocess.check_output([sys.executable, "-c", HOST, ASK], env=env, text=True)

    assert stdout == expected
