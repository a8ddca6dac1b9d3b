"""Test that a session reports every figure of telemetry: one test per figure, over one recorded session."""

import json

import pytest
from tests.clients.users import SECRET
from tests.conftest import user_at

from hookline.core.metrics import FIGURES

TOML = "~/.config/hookline/hookline.toml"
LOG = ".local/state/hookline/telemetry/jsonl/telemetry.jsonl"


def told(turn, text):
    return {"type": "user", "promptId": turn, "message": {"role": "user", "content": text}}


def answered(number, text, *, used, output):
    usage = {"input_tokens": 10, "cache_read_input_tokens": used - 10 - output, "output_tokens": output}
    content = [{"type": "text", "text": text}]
    said = {"id": f"m{number}", "model": "claude-sonnet-4-5", "usage": usage, "content": content}
    return {"type": "assistant", "message": said}


FAILED = {"tool_input": {"command": "make"}, "error": "FileNotFoundError: x"}
SESSION = (
    told("p2", "Always run `make lint` before a commit."),
    ("UserPromptSubmit", {"prompt": "do it +20k"}),
    ("PreToolUse", {"tool_input": {"command": "cat .env"}}),
    ("PreToolUse", {"tool_input": {"command": "git push --force"}}),
    ("PostToolUse", {"tool_response": {"stdout": f"token {SECRET}", "stderr": ""}}),
    ("PostToolUseFailure", FAILED),
    ("PostToolUseFailure", FAILED),
    answered(2, "Working.", used=150_000, output=6_000),
    ("PostToolUse", {"tool_input": {"command": "ls"}}),
    ("PreCompact", {"trigger": "manual"}),
    ("PostCompact", {"trigger": "manual", "compact_summary": "We work on the branch main. " * 20}),
    ("Stop", {"last_assistant_message": "Working."}),
    answered(3, "Done.", used=20_000, output=12_000),
    ("Stop", {"last_assistant_message": "Done.", "stop_hook_active": True}),
    ("SessionEnd", {"reason": "other"}),
)
"""Lines of the transcript, and payloads with their changes."""
EARLIER = (
    told("p1", "We decided to use tabs for indentation."),
    answered(1, "Noted.", used=1000, output=10),
    ("SessionEnd", {}),
)


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Return the event and figures of each report about two sessions."""
    user = user_at(tmp_path_factory.mktemp("figures"))
    user.write(TOML, "[sinks.jsonl]\n")
    transcript = user.write("~/transcript.jsonl", "")
    for session, steps in (("first", EARLIER), ("second", SESSION)):
        for step in (("SessionStart", {"source": "startup"}), *steps):
            if isinstance(step, dict):
                transcript.write_text(f"{transcript.read_text()}{json.dumps(step)}\n")
                continue
            common = {"session_id": session, "transcript_path": str(transcript)}
            payload = json.dumps(user.payload(step[0], **common, **step[1]))
            user.run("hook", "claude-code", stdin=payload, HOOKLINE_ROTATION=session)
    rows = [json.loads(line) for line in (user.home / LOG).read_text().splitlines()]
    return [(row["event"], row.get("figures", {})) for row in rows]


SHOWN = [
    (event, figure.name)
    for figure in FIGURES
    for event in figure.on
    if event not in ("PostModelCall", "UserPromptSubmit")
    and (event, figure.name) != ("PostCompact", "memory.hits")
]


@pytest.mark.parametrize(("event", "name"), SHOWN, ids=[" ".join(pair) for pair in SHOWN])
def test_a_session_reports_the_figure(reports, event, name):
    assert [figures for at, figures in reports if at == event and name in figures]


@pytest.mark.parametrize(
    ("event", "name", "value"),
    [
        ("SessionStart", "memory.hits", 1),
        ("SessionEnd", "facts.persisted", 1),
        ("SessionEnd", "session.tokens.output", 18_010),
        ("PreToolUse", "warnings", 1),
        ("PostToolUse", "loop.score", 0.5),
        ("PostToolUse", "redactions", 1),
        ("PreCompact", "tokens.before", 150_000),
        ("PostCompact", "compression.ratio", round(150_000 / 140, 3)),
        ("OnBudgetExceeded", "budget.threshold", "tokens"),
        ("OnBudgetExceeded", "budget.rotations", 1),
        ("Stop", "target.continuations", 1),
        ("Stop", "target.usage", 0.9),
        ("Stop", "target.tokens", 18_000),
        ("Stop", "target.budget", 20_000),
        ("Stop", "target.diminishing", 0),
    ],
)
def test_the_figure_is_exact(reports, event, name, value):
    assert value in [figures.get(name) for at, figures in reports if at == event]
