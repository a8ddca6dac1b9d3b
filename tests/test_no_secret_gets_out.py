"""Five hundred secrets through every way that text takes, and none in what is kept, printed or told.

A feature that lets text out adds its way here. What is meant to carry a secret is not looked at: the changed
input of a tool call, because that is what the host then runs.
"""

import json
import os
import random
import re
import string
from pathlib import Path

import pytest

LONG = os.environ.get("HOOKLINE_LONG") == "1"
MANY = 500
WINDOW = 12
"""Characters of a secret of which none in a row may be left."""
CORPUS = [
    json.loads(line) for line in (Path(__file__).parent / "corpus" / "secrets.jsonl").read_text().splitlines()
]
PUBLIC = re.compile(
    r"https://[\w.]+/[a-z]+(?:/[a-z]+)*/|-----[A-Z ]+-----|sk-ant-\w+-|AGE-SECRET-KEY-1|eyJ\w{8,}\."
)
"""What is the same in every secret of its kind."""


def secrets() -> list[tuple[str, str]]:
    """(text, the secret in it): the corpus' own, and others of the same make."""
    chance = random.Random(11)
    rows = [
        row
        for row in CORPUS
        if row["expect"] == "redact" and row["tier"] != "hard" and len(row["text"]) < 300
    ]
    own = [(row["text"], "".join(pieces)) for row in rows for pieces in row["secrets"][:1]]
    made = own + [(text, varied(secret, chance)) for text, secret in own * 3 if "\n" not in secret]
    return [(text.replace("{{S0}}", secret).replace("{{S1}}", ""), secret) for text, secret in made[:MANY]]


def varied(secret: str, chance: random.Random) -> str:
    """The last letters and digits shuffled among their like: the same make, another secret."""
    head, tail = secret[:-WINDOW], secret[-WINDOW:]
    hexes = all(char in "0123456789abcdef" for char in tail)
    return head + "".join(chance.choice(like(char, hexes=hexes)) if char.isalnum() else char for char in tail)


def like(char: str, *, hexes: bool) -> str:
    if char.isdigit():
        return string.digits
    small = "abcdef" if hexes else string.ascii_lowercase
    return string.ascii_uppercase if char.isupper() else small


PLANTED = secrets()
TEXTS = [text for text, _ in PLANTED]
PIECES = {
    bare[at : at + WINDOW]
    for _, secret in PLANTED
    for bare in [PUBLIC.sub("\n", secret)]
    for at in range(len(bare) - WINDOW + 1)
    if "\n" not in bare[at : at + WINDOW]
}
ALL = "\n".join(TEXTS)


def left(text: str) -> list[str]:
    return sorted({text[at : at + WINDOW] for at in range(len(text) - WINDOW + 1)} & PIECES)[:5]


def test_there_are_that_many():
    assert len({secret for _, secret in PLANTED}) == len(PLANTED) == MANY
    assert left(ALL)


@pytest.fixture
def kept(user):
    """All that a call said and left behind is searched; what the test itself wrote is not."""

    def clean(*ran):
        for one in ran:
            assert left(one.stdout.decode(errors="replace")) == []
            assert left(one.stderr.decode(errors="replace")) == []
        folders = [user.home / ".local", user.home / ".cache", user.home / ".config" / "hookline" / "state"]
        files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
        assert [path for path in files if left(path.read_bytes().decode("latin-1"))] == []
        return files

    return clean


def batches(size=50):
    return ["\n".join(TEXTS[at : at + size]) for at in range(0, MANY, size)]


def sent(user, payload):
    return user.run("hook", "claude-code", stdin=json.dumps(payload))


PAYLOADS = {
    "command": ("PreToolUse", lambda text: {"tool_input": {"command": f"cat <<E\n{text}\nE"}}),
    "content": (
        "PreToolUse.Write",
        lambda text: {"tool_input": {"file_path": "/repo/a.py", "content": text}},
    ),
    "arguments": (
        "PreToolUse.mcp__stub__echo",
        lambda text: {"tool_input": {"text": text, "deep": [{"a": text}]}},
    ),
    "path": ("PreToolUse.Read", lambda text: {"tool_input": {"file_path": text}}),
    "output": (
        "PostToolUse",
        lambda text: {"tool_input": {"command": "x"}, "tool_response": {"stdout": text, "stderr": text}},
    ),
    "file": ("PostToolUse.Read", lambda text: {"tool_response": {"type": "text", "file": {"content": text}}}),
    "error": ("PostToolUseFailure.Bash", lambda text: {"error": text}),
    "model error": ("StopFailure", lambda text: {"error": text, "last_assistant_message": text}),
    "prompt": ("UserPromptSubmit", lambda text: {"prompt": text}),
    "notification": ("Notification", lambda text: {"message": text}),
    "instructions": ("PreCompact", lambda text: {"custom_instructions": text}),
    "summary": ("PostCompact", lambda text: {"compact_summary": text}),
    "last words": ("Stop", lambda text: {"last_assistant_message": text}),
    "names": (
        "PreToolUse",
        lambda text: {"tool_name": text, "tool_use_id": text, "prompt_id": text, "agent_type": text},
    ),
}


@pytest.mark.parametrize("way", PAYLOADS)
def test_what_a_host_sends_is_neither_kept_nor_said(user, kept, way):
    stem, changes = PAYLOADS[way]
    texts = batches() if LONG else [ALL]
    ran = [sent(user, user.payload(stem, **changes(text))) for text in texts]
    files = kept(*ran)

    assert {"hookline.db"} <= {path.name for path in files}
    kept(user.run("log"), user.run("log", "--json"))


def test_what_fires_in_a_program_is_neither_kept_nor_said(user, kept):
    event = {"tool": {"name": "shell", "input": {"command": ALL}}, "output": {"stdout": ALL}}

    kept(
        *(
            user.run("fire", name, "--json", "-", stdin=json.dumps(event))
            for name in ("PreToolUse", "PostToolUse")
        )
    )


ANSWERS = {
    "a reason on stderr": "cat secrets >&2; exit 2",
    "a failure": "cat secrets >&2; exit 1",
    "a failure cut elsewhere": "head -c 50017 secrets >&2; exit 1",
    "a failure that printed": "cat secrets; exit 3",
    "words that are no answer": "cat secrets",
    "broken JSON": "echo '{'; cat secrets",
    "directives": "printf '@@WARN: '; cat secrets; printf '\n\n@@INJECT: '; cat secrets",
    "a reason as JSON": 'python3 -c \'import json; t = open("secrets").read(); '
    'print(json.dumps({"decision": "block", "reason": t, "systemMessage": t}))\'',
    "an answer of another kind": 'python3 -c \'import json; t = open("secrets").read(); '
    'print(json.dumps({"decision": t}))\'',
    "context as JSON": 'python3 -c \'import json; t = open("secrets").read(); '
    'print(json.dumps({"hookSpecificOutput": {"additionalContext": t, "permissionDecisionReason": t, '
    '"permissionDecision": "ask"}}))\'',
    "too late": "cat secrets; cat secrets >&2; sleep 30",
}


@pytest.mark.parametrize("way", ANSWERS)
@pytest.mark.parametrize("stem", ["PreToolUse", *(["UserPromptSubmit", "Stop"] if LONG else [])])
def test_what_a_hook_answers_is_neither_kept_nor_said(user, kept, way, stem):
    user.write("secrets", ALL)
    declared = {"command": f"cd {user.project} && {ANSWERS[way]}", "timeout": 1.5, "name": "leaky"}
    event = {"Stop": "TurnEnd"}.get(stem, stem)
    user.write("~/.config/hookline/hooks.json", {"version": 1, "hooks": {event: [declared]}})

    kept(sent(user, user.payload(stem)), user.run("log", "--json"))


def test_what_a_python_hook_raises_is_neither_kept_nor_said(user, kept):
    user.write("secrets", ALL)
    user.write(
        "~/.config/hookline/hooks/leaky.py",
        "from hookline import PreToolUse, hook\n"
        "@hook()\n"
        "def leaky(event: PreToolUse, state):\n"
        f"    raise ValueError(open({str(user.project / 'secrets')!r}).read())\n",
    )

    kept(sent(user, user.payload("PreToolUse")), user.run("log", "--json"))


def test_explaining_and_checking_show_no_secret(user, kept):
    command = f"cat <<E\n{ALL}\nE\ngit push --force # {TEXTS[0]}"
    payload = user.shell(command)
    user.write("session.jsonl", json.dumps(payload) + "\n")

    kept(
        user.run("explain", "claude-code", command),
        user.run("explain", "claude-code", command, "--json"),
        user.run("explain", "claude-code", json.dumps(payload)),
        user.run("explain", "claude-code", "{" + ALL),
        user.run("check", "claude-code", "session.jsonl"),
        user.run("check", "claude-code", "-", stdin=ALL),
    )


def test_replaying_shows_no_secret(user, kept):
    use = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": f"git push --force # {ALL}"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": ALL}
    lines = [
        {
            "type": "assistant",
            "sessionId": "s",
            "cwd": str(user.project),
            "message": {"role": "assistant", "content": [use]},
        },
        {
            "type": "user",
            "sessionId": "s",
            "cwd": str(user.project),
            "message": {"role": "user", "content": [result]},
        },
    ]
    user.write("session.jsonl", "\n".join(map(json.dumps, lines)))

    kept(user.run("replay", "session.jsonl"), user.run("replay", "session.jsonl", "--json"))


def test_output_that_is_kept_because_it_is_long_holds_no_secret(user, kept):
    user.write("~/.config/hookline/hookline.toml", "[hooks.compress-output]\nenabled = true\nlines = 50\n")
    answer = {"tool_response": {"stdout": f"{ALL}\n" * 4, "stderr": ""}}
    files = kept(sent(user, user.payload("PostToolUse", **answer)))

    assert [path for path in files if "outputs" in path.parts]


def test_the_filter_lets_no_secret_through(user, kept):
    kept(user.run("redact", "--report", stdin=ALL), user.run("redact", "--json", stdin=ALL))


@pytest.mark.parametrize("content", ["true", "false"])
def test_no_sink_is_told_a_secret(user, kept, collector, protocol, content):
    user.write(
        "~/.config/hookline/hookline.toml",
        f"[sinks.jsonl]\ncontent = {content}\n[sinks.otel]\ncontent = {content}\n"
        f'endpoint = "{collector.endpoint}"\nprotocol = "{protocol}"\n',
    )
    texts = batches() if LONG else ["\n".join(TEXTS[::9])]
    ways = [(stem, changes(text)) for stem, changes in PAYLOADS.values() for text in texts]
    ran = [sent(user, user.payload(stem, **changes)) for stem, changes in ways]
    told = {"UserPromptSubmit", "PostToolUse", "PreToolUse", "Stop", "OnError", "PreCompact"}
    collector.wait(lambda one: told <= {span.name for span in one.spans} and one.metrics)
    # Nobody sends any more once the queue is empty, so all of it was received.
    collector.wait(lambda one: '"waiting": 0' in user.run("list", "sinks", "--json").stdout.decode())
    received = [request.SerializeToString().decode("latin-1") for _, request in collector.requests]
    files = kept(*ran, user.run("list", "sinks", "--json"), user.run("config", "show", "--json"))

    assert {"telemetry.jsonl"} <= {path.name for path in files}
    assert [one for one in received if left(one)] == []
    assert any("[redacted" in one for one in received)


def test_a_receiver_that_is_away_leaves_no_secret_behind(user, kept):
    user.write(
        "~/.config/hookline/hookline.toml",
        '[sinks.otel]\ncontent = true\ntimeout = 1.0\nendpoint = "http://127.0.0.1:9"\n',
    )
    files = kept(sent(user, user.payload("UserPromptSubmit", prompt=ALL)), user.run("doctor"))

    assert {"queue.jsonl", "taken.jsonl"} & {path.name for path in files}


@pytest.mark.parametrize("way", ["a reason on stderr", "a failure", "context as JSON"])
def test_no_sink_is_told_what_a_hook_answers(user, kept, way):
    user.write("secrets", ALL)
    user.write("~/.config/hookline/hookline.toml", "[sinks.jsonl]\ncontent = true\n")
    declared = {"command": f"cd {user.project} && {ANSWERS[way]}", "timeout": 5, "name": "leaky"}
    user.write("~/.config/hookline/hooks.json", {"version": 1, "hooks": {"PreToolUse": [declared]}})
    files = kept(sent(user, user.payload("PreToolUse")))

    assert {"telemetry.jsonl"} <= {path.name for path in files}
