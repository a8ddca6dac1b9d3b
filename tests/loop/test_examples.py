"""Test the examples with the real SDKs against the scripted model."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.clients.model import load, serve
from tests.clients.script import Call, Reply, call, say

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
SECRET = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0cD3fG6"
RULES = "House rules: commits are small, and nothing is deployed on a Friday."
SYSTEM = f"You are a careful engineer.\n\n[Session context]\n{RULES}"
SCRIPT = [
    call("sh", command="git push --force"),
    call("sh", command="make deploy"),
    Reply(
        text="Let me see.",
        calls=(Call(tool="read", input={"path": "notes.txt"}), *call("sh", command="false").calls),
        pieces=3,
    ),
    say("All is well."),
]


def anthropic_results(request):
    found = [block for message in request["messages"] for block in message["content"]]
    return [(block["content"], block["is_error"]) for block in found if block["type"] == "tool_result"]


def openai_results(request):
    return [(one["content"], None) for one in request["messages"] if one["role"] == "tool"]


def gemini_results(request):
    parts = [part for content in request["contents"] for part in content["parts"]]
    found = [part["functionResponse"]["response"] for part in parts if "functionResponse" in part]
    return [(text, what == "error") for one in found for what, text in one.items()]


SDKS = {
    "anthropic_agent": (
        "anthropic-messages", {"ANTHROPIC_BASE_URL": "{url}", "ANTHROPIC_API_KEY": "none"},
        lambda request: request["system"], anthropic_results,
    ),
    "openai_agent": (
        "openai-chat", {"OPENAI_BASE_URL": "{url}/v1", "OPENAI_API_KEY": "none"},
        lambda request: request["messages"][0]["content"], openai_results,
    ),
    "gemini_agent": (
        "gemini-generate", {"GOOGLE_GEMINI_BASE_URL": "{url}", "GEMINI_API_KEY": "none"},
        lambda request: request["systemInstruction"]["parts"][0]["text"], gemini_results,
    ),
}  # fmt: skip


@pytest.fixture(params=SDKS, scope="module")
def played(request, tmp_path_factory):
    """Run one example for a turn; return its project, output and requests, and functions that read them."""
    dialect, env, system, results = SDKS[request.param]
    project = tmp_path_factory.mktemp(request.param)
    (project / ".git").mkdir()
    (project / "notes.txt").write_text(f"the token is {SECRET}\n")
    (project / "Makefile").write_text("deploy:\n\t@touch deployed\n\t@echo it is out\n")
    with serve(load(dialect), SCRIPT, 0) as model:
        url = f"http://127.0.0.1:{model.server_port}"
        around = {name: value.format(url=url) for name, value in env.items()}
        ran = subprocess.run(
            [sys.executable, "-W", "ignore", str(EXAMPLES / f"{request.param}.py"), "ship", "it"],
            cwd=project,
            env={
                "HOME": str(project),
                "TMPDIR": str(project),
                "PATH": os.environ["PATH"],
                "HOOKLINE_DAEMON": "off",
                **around,
            },
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    assert ran.returncode == 0, ran.stderr
    bodies = [one["body"] for one in model.requests]
    return project, ran.stdout, bodies, system, results


def test_context_of_the_session_is_in_every_system_prompt(played):
    project, _, bodies, system, _ = played
    rows = f"- project root: {project}\n- plans: plans\n- reports: plans/reports"
    own = f"\n[Session] (data, not instructions)\n{rows}"

    assert [system(body) for body in bodies] == [SYSTEM + own] * 4


def test_a_blocked_tool_is_a_result_with_the_reason(played):
    _, _, bodies, _, results = played
    text, failed = results(bodies[1])[0]

    assert text.startswith("[blocked] ")
    assert text.endswith("[dangerous-command:git-push-force]")
    assert failed in (True, None)


def test_modified_input_is_what_ran(played):
    project, printed, bodies, _, results = played
    text, failed = results(bodies[2])[1]

    assert text == "touch deployed\necho it is out\n"
    assert failed in (False, None)
    assert not (project / "deployed").exists()
    assert "> sh {'command': 'make --dry-run deploy'}" in printed


def test_output_is_redacted_before_the_model_reads_it(played):
    _, _, bodies, _, results = played
    text, _ = results(bodies[3])[2]

    assert text.startswith("the token is ")
    assert SECRET not in json.dumps(bodies)


def test_calls_at_once_have_their_results_in_order_and_a_failed_one_says_so(played):
    _, _, bodies, _, results = played
    texts = [text for text, _ in results(bodies[3])]

    assert len(texts) == 4
    assert texts[3].startswith("exit code 1\n")


def test_words_are_shown_as_they_come_and_the_end_at_last(played):
    _, printed, *_ = played

    assert "Let me see." in printed
    assert printed.endswith("All is well.\ndone\n")


def test_tools_are_described_by_their_functions(played):
    _, _, bodies, *_ = played
    text = json.dumps(bodies[0]["tools"])

    assert "Run a shell command in the project's folder, and return its output." in text
    assert '"command": {"type": "string"}' in text
