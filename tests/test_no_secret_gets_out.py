"""Test that none of 500 secrets appears in stored, printed or transmitted text.

A feature that outputs text adds its path here. The changed input of a tool call is exempt, because the host
executes it.
"""

import asyncio
import json
import os
import random
import re
import string
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

pytestmark = pytest.mark.slow

HOOKLINE = Path(sys.executable).parent / "hookline"
LONG = os.environ.get("HOOKLINE_LONG") == "1"
MANY = 500
WINDOW = 12
"""Length in characters of the secret fragments that are searched for."""
CORPUS = [
    json.loads(line) for line in (Path(__file__).parent / "corpus" / "secrets.jsonl").read_text().splitlines()
]
PUBLIC = re.compile(
    r"https://[\w.]+/[a-z]+(?:/[a-z]+)*/|-----[A-Z ]+-----|sk-ant-\w+-|AGE-SECRET-KEY-1|eyJ\w{8,}\."
)
"""Pattern for the parts that all secrets of a kind share."""


def secrets() -> list[tuple[str, str]]:
    """Return (text, secret in it) pairs: those of the corpus, and variants of them."""
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
    """Return a variant of the secret: its last letters and digits become others of the same class."""
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


def _read(path):
    """Return the content of a file; empty if a sender has already removed it."""
    try:
        return path.read_bytes().decode("latin-1")
    except FileNotFoundError:
        return ""


@pytest.fixture
def kept(user):
    """Return a function that searches output and stored files for secrets, except files the test wrote."""

    def clean(*ran):
        for one in ran:
            assert left(one.stdout.decode(errors="replace")) == []
            assert left(one.stderr.decode(errors="replace")) == []
        folders = [user.home / ".local", user.home / ".cache", user.home / ".config" / "hookline" / "state"]
        files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
        assert [path for path in files if left(_read(path))] == []
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


def test_what_is_learnt_of_errors_holds_no_secret(user, kept):
    texts = batches() if LONG else [*TEXTS[::100], ALL]
    ran = []
    for number, text in enumerate(texts):
        values = {"session_id": f"s{number}"}
        command = {"command": f"./deploy <<E\n{text}\nE"}
        failed = user.payload("PostToolUseFailure.Bash", tool_input=command, error=f"error: {text}", **values)
        fix = user.payload("PostToolUse", tool_input={"command": f"./login {text}"}, **values)
        again = user.payload("PostToolUse", tool_input=command, **values)
        ran += [sent(user, one) for one in (failed, fix, again)]
        ran.append(sent(user, user.payload("PreToolUse", tool_input=command, session_id=f"t{number}")))

    kept(*ran, user.run("errors", "list", "--json"), user.run("errors", "list"), user.run("errors", "export"))
    assert user.run("errors", "export").stdout


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


def test_what_is_learnt_from_a_recording_holds_no_secret(user, kept):
    said = [f"Never forget {text}" for text in TEXTS] + [f"We decided to use {text}" for text in TEXTS]
    use = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": f"make a # {TEXTS[0]}"}}
    lines = [
        {"type": "user", "sessionId": "s", "message": {"role": "user", "content": text}} for text in said
    ]
    lines += [{"type": "assistant", "sessionId": "s", "message": {"role": "assistant", "content": [use]}}]
    outside = user.home.parent / "transcripts"
    outside.mkdir()
    ran = []
    for number in range(0, len(lines), 10):
        (outside / f"{number}.jsonl").write_text(
            "\n".join(map(json.dumps, lines[number : number + 10])) + "\n"
        )
        given = {"transcript_path": str(outside / f"{number}.jsonl"), "session_id": f"s{number}"}
        ran.append(sent(user, user.payload("Stop", **given))) if LONG or not number % 100 else None
    learnt = user.run("memory", "list", "--json", "-n", "9999")

    assert learnt.stdout.count(b"[redacted")
    kept(*ran, learnt, sent(user, user.payload("SessionStart")))


def test_what_a_person_remembers_holds_no_secret(user, kept):
    one = {"id": "a", "at": 1.0, "text": ALL, "tags": TEXTS[:50], "kind": "fact"}
    ran = [
        user.run("memory", "add", "--", ALL),
        user.run("memory", "add", "x", *(word for text in TEXTS[:20] for word in ("--tag", f" {text}"))),
        user.run("memory", "import", "-", stdin=json.dumps(one)),
        user.run("memory", "export", "-"),
        user.run("memory", "search", "--", TEXTS[0]),
    ]

    kept(*ran)


def test_what_an_agent_remembers_over_mcp_holds_no_secret(user, kept):
    from mcp.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    async def session():
        given = {"args": ["mcp", "serve", "--fire"], "env": user.environment(), "cwd": user.project}
        async with Client(stdio_client(StdioServerParameters(command=str(HOOKLINE), **given))) as client:
            calls = [
                *(("remember", {"text": text}) for text in TEXTS[::50]),
                ("remember", {"text": ALL}),
                ("recall", {"question": ALL, "tokens": 4000}),
                (
                    "verdict",
                    {"hook": "PreToolUse", "event": {"tool": {"name": ALL, "input": {"command": ALL}}}},
                ),
                ("verdict", {"hook": ALL}),
                ("fire", {"hook": "PreToolUse", "event": {"tool": {"name": "x", "input": {"command": ALL}}}}),
                ("budget", {"session": ALL}),
            ]
            said = [await client.call_tool(name, given) for name, given in calls]
            return ["".join(block.text for block in one.content) for one in said]

    said = asyncio.run(session())

    assert [left(one) for one in said if left(one)] == []
    kept(user.run("memory", "list", "--json"))


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
    # Once the queue is empty, the receiver has received everything.
    collector.wait(lambda one: '"waiting": 0' in user.run("list", "sinks", "--json").stdout.decode())
    collector.wait(lambda one: any(b"[redacted" in sent.SerializeToString() for _, sent in one.requests))
    received = [request.SerializeToString().decode("latin-1") for _, request in collector.requests]
    files = kept(*ran, user.run("list", "sinks", "--json"), user.run("config", "show", "--json"))

    assert {"telemetry.jsonl"} <= {path.name for path in files}
    assert [one for one in received if left(one)] == []


def test_a_receiver_that_is_away_leaves_no_secret_behind(user, kept):
    user.write(
        "~/.config/hookline/hookline.toml",
        '[sinks.otel]\ncontent = true\ntimeout = 1.0\nendpoint = "http://127.0.0.1:9"\n',
    )
    files = kept(sent(user, user.payload("UserPromptSubmit", prompt=ALL)), user.run("doctor"))

    assert "queue" in {path.parent.name for path in files}


@pytest.mark.parametrize("way", ["a reason on stderr", "a failure", "context as JSON"])
def test_no_sink_is_told_what_a_hook_answers(user, kept, way):
    user.write("secrets", ALL)
    user.write("~/.config/hookline/hookline.toml", "[sinks.jsonl]\ncontent = true\n")
    declared = {"command": f"cd {user.project} && {ANSWERS[way]}", "timeout": 5, "name": "leaky"}
    user.write("~/.config/hookline/hooks.json", {"version": 1, "hooks": {"PreToolUse": [declared]}})
    files = kept(sent(user, user.payload("PreToolUse")))

    assert {"telemetry.jsonl"} <= {path.name for path in files}


def test_no_secret_is_told_of_a_session_nor_at_its_end(user, kept):
    """Put the secrets in the journal, the brief and the branch name."""
    rows = "\n".join(f"{n}\t0.5\tkeep\t{text}" for n, text in enumerate("\n".join(TEXTS).splitlines()))
    user.write(
        "results.tsv", f"iteration\tmetric\tstatus\tdescription\n{rows}\n0\t{ALL.splitlines()[0]}\tkeep\tx\n"
    )
    user.write("BRIEF.md", ALL)
    user.write(
        "~/.config/hookline/hookline.toml",
        '[hooks.session-init]\nbrief = "BRIEF.md"\nbrief_cap = 200_000\n'
        "[hooks.iteration-context]\nevery = 1\n",
    )
    (user.project / ".git" / "HEAD").write_text(f"ref: refs/heads/{TEXTS[0].splitlines()[0]}\n")
    (user.home / "tmp").mkdir()
    named = {"AUTORESEARCH_JOURNAL": "results.tsv", "TMPDIR": str(user.home / "tmp")}
    stems = ("SessionStart", "UserPromptSubmit", "SubagentStart", "Stop", "SessionEnd")
    ran = [
        user.run("hook", "claude-code", stdin=json.dumps(user.payload(stem)), **named) for stem in stems[:-1]
    ]
    mirrors = list((user.home / "tmp").glob("ar-session-*.json"))

    assert [left(path.read_text()) for path in mirrors] == [[]]
    kept(*ran, user.run("hook", "claude-code", stdin=json.dumps(user.payload(stems[-1])), **named))
    assert [b"[Session]" in ran[0].stdout, b"[Iterations]" in ran[1].stdout] == [True, True]


def eventually(look, seconds=60.0):
    until = time.monotonic() + seconds
    while not (found := look()) and time.monotonic() < until:
        time.sleep(0.1)
    return found


def test_no_secret_is_told_to_a_webhook(user, kept):
    """Put the secrets in the branch name, the journal's figures and the reason of the session's end."""
    got = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self):
            got.append(self.rfile.read(int(self.headers["content-length"])).decode())
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            """Suppress the request log."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    texts = [text.splitlines()[0] for text in TEXTS[:: 5 if LONG else 60]]
    address = {"AR_NOTIFY_WEBHOOK": f"http://127.0.0.1:{server.server_port}/hook"}
    ran = []
    try:
        for number, text in enumerate(texts):
            user.write("results.tsv", f"iteration\tmetric\tstatus\n{text}\t{text}\tkeep\n1\t{text}\t{text}\n")
            (user.project / ".git" / "HEAD").write_text(f"ref: refs/heads/{text}\n")
            named = {"session_id": f"s{number}", "reason": text}
            payload = json.dumps(user.payload("SessionEnd", **named))
            env = {"AUTORESEARCH_JOURNAL": "results.tsv", **address}
            ran.append(user.run("hook", "claude-code", stdin=payload, **env))
        eventually(lambda: len(got) == len(texts))
    finally:
        server.shutdown()
        server.server_close()

    assert len(got) == len(texts)
    assert [left(one) for one in got if left(one)] == []
    assert any("[redacted" in one for one in got)
    kept(*ran)


ENRICHING = {
    "an answer": "cat secrets.jsonl",
    "a failure": "cat secrets >&2; exit 3",
    "no answer": "cat secrets",
    "a text that is too long": "cat long.jsonl",
}


@pytest.mark.parametrize("way", ENRICHING)
def test_no_secret_is_told_to_a_command_that_helps_to_learn_nor_kept_of_its_answer(user, kept, tmp_path, way):
    seen = tmp_path / "seen"
    answers = [{"kind": "fact", "text": f"The thing is {text}"} for text in TEXTS[::50]]
    user.write("secrets", ALL)
    user.write("secrets.jsonl", "\n".join(map(json.dumps, answers)))
    user.write("long.jsonl", json.dumps({"text": ALL}))
    command = f"cat > {seen}.part; mv {seen}.part {seen}; {ENRICHING[way]}"
    user.write("~/.config/hookline/hookline.toml", f"[hooks.memory]\nenrich = {json.dumps(command)}\n")
    use = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "\n".join(TEXTS[:9])}}
    failed = {"type": "tool_result", "tool_use_id": "t", "is_error": True, "content": "\n".join(TEXTS[9:18])}
    lines = [
        *({"role": "user", "content": text} for text in TEXTS[18:118]),
        {"role": "user", "content": [failed]},
    ]
    said = [{"type": "user", "sessionId": "s", "message": one} for one in lines]
    said.insert(
        0, {"type": "assistant", "sessionId": "s", "message": {"role": "assistant", "content": [use]}}
    )
    (tmp_path / "talk").write_text("".join(json.dumps(one) + "\n" for one in said))
    ended = sent(user, user.payload("Stop", session_id="s", transcript_path=str(tmp_path / "talk")))
    told = eventually(lambda: seen.exists() and seen.read_text())
    learnt, failed = ("memory", "list"), ("log",)
    eventually(lambda: b"thing" in user.run(*learnt).stdout or b"enrich failed" in user.run(*failed).stdout)

    assert ("[redacted" in told, left(told)) == (True, [])
    kept(ended, user.run("memory", "list", "--json", "-n", "999"), user.run("log", "--json"))


def test_what_a_session_hands_on_holds_no_secret(user, kept):
    outside = user.home.parent / "transcripts"
    outside.mkdir()
    ran = []
    for number, text in enumerate(batches() if LONG else ["\n".join(TEXTS[::3]), *TEXTS[::200]]):
        use = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": f"deploy <<E\n{text}\nE"}}
        back = {"type": "tool_result", "tool_use_id": "t", "is_error": True, "content": f"error: {text}"}
        wrote = {"type": "tool_use", "id": "w", "name": "Write", "input": {"file_path": f"/p/{text}"}}
        said = f"We decided to use {text}\nBlockers: {text}\nNext step: use {text}"
        talk = [
            ("user", text),
            ("assistant", [use]),
            ("user", [back]),
            ("assistant", [wrote, {"type": "text", "text": said}]),
            ("user", [{"type": "tool_result", "tool_use_id": "w", "content": text}]),
            ("assistant", said),
        ]
        lines = [{"type": role, "message": {"role": role, "content": content}} for role, content in talk]
        (outside / f"{number}.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
        given = {"transcript_path": str(outside / f"{number}.jsonl"), "session_id": f"s{number}"}
        todo = {"tool_name": "TodoWrite", "tool_input": {"todos": [{"content": text, "status": "pending"}]}}
        stems = {"PostToolUse": todo, "PreCompact": {}, "SessionStart.compact": {}}
        stems |= {"PostCompact": {"compact_summary": text}, "SessionEnd": {}}
        ran += [sent(user, user.payload(stem, **{**more, **given})) for stem, more in stems.items()]
        ran.append(sent(user, user.payload("SessionStart", session_id=f"t{number}", source="startup")))
        ran += [user.run("rotate", "--show"), user.run("rotate", "--session", f"s{number}", "--json")]

    assert b"[redacted" in ran[-2].stdout
    assert b"[Handoff]" in ran[2].stdout
    kept(*ran, user.run("rotate", "--show", "--json"))


TARGET = """
goal = "Less."
[scope]
mutable = ["n"]
[metric]
command = "cat ~/secrets; echo; cat n"
direction = "lower"
[guard]
command = "cat ~/secrets ~/secrets >&2; test $(cat n) -gt 8"
[agent]
host = "command"
command = "sed 's/^/next: /;1q' ~/secrets; echo $(( $(cat n) - 1 )) > n; cat ~/secrets"
[limits]
experiments = 2
"""


STOPPED = """
goal = "Less."
scope.mutable = ["n"]
metric.command = "cat n"
metric.direction = "lower"
agent.host = "command"
agent.command = {ask}
limits.experiments = 1
"""


@pytest.mark.parametrize("at_once", ["1", "2"])
def test_a_run_keeps_no_secret_that_its_agent_guard_or_metric_prints(user, kept, at_once):
    user.write("~/secrets", ALL)
    user.write(".hookline/targets/less.toml", TARGET)
    user.write("n", "10\n")
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org"]
    for words in (["init", "-q"], ["add", "n"], ["commit", "-q", "-m", "begin"]):
        subprocess.run([*git, *words], cwd=user.project, env=user.environment(), check=True)
    ran = user.run("run", "less", "--parallel", at_once)
    kept(ran, user.run("runs"), user.run("show"), user.run("show", "less", "2"), user.run("runs", "--json"))
    files = [path for path in (user.project / "autoresearch").rglob("*") if path.is_file()]

    assert {"1": b"guard_failed", "2": b"superseded"}[at_once] in ran.stdout
    assert {"results.tsv", "results.jsonl", "1.log", "2.md", "ideas.md"} <= {path.name for path in files}
    assert [path for path in files if left(path.read_text(encoding="utf-8"))] == []


def test_a_row_keeps_no_secret_of_what_guards_stopped(user, kept):
    ask = f'sed "s|HERE|$PWD|" ~/payload | {sys.executable} -m hookline hook claude-code'
    user.write("~/payload", "")
    user.write(".hookline/targets/less.toml", STOPPED.format(ask=json.dumps(ask)))
    user.write("n", "10\n")
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org"]
    for words in (["init", "-q"], ["add", "n"], ["commit", "-q", "-m", "begin"]):
        subprocess.run([*git, *words], cwd=user.project, env=user.environment(), check=True)
    for text in TEXTS[:: 10 if LONG else 150]:
        told = {"tool_name": "Bash", "tool_input": {"command": f"git push --force {text}"}}
        session = {"hook_event_name": "PreToolUse", "session_id": "s", "transcript_path": "", "cwd": "HERE"}
        user.write("~/payload", json.dumps({**told, **session}))
        kept(user.run("run", "less"), user.run("show"))
    rows = "".join(path.read_text() for path in user.project.rglob("results.jsonl"))

    assert "blocked by dangerous-command:git-push-force at git push --force" in rows
    assert left(rows) == []


def test_no_secret_is_shown_of_a_run_as_it_goes_nor_told_at_its_end(tmp_path):
    from hookline.engine.journal import Row
    from hookline.engine.notify import end_message
    from hookline.engine.runs import Run
    from hookline.engine.stop_reason import StopReason
    from hookline.engine.view import Live, render

    shown = StringIO()
    console, one = (
        Console(file=shown, width=4000),
        Live(Console(file=StringIO(), width=80, force_terminal=True)),
    )
    run = Run(
        id="r",
        root=str(tmp_path),
        text=TARGET,
        name="less",
        base="",
        branch="b",
        scratch="",
        mark="",
        began=0.0,
    )
    one.on_start(run, [])
    for at in range(0, len(ALL), 97):
        one.on_output(ALL[at : at + 97].encode("utf-8", "replace"))
        console.print(render(one.view, 0.0))
    one.close()
    row = Row(iteration=0, timestamp=0.0, status="baseline", metric=1.0, best=1.0)
    told = [end_message(run, StopReason(reason="halted", text=text), [row]) for text in TEXTS]

    assert left(shown.getvalue()) == []
    assert left(json.dumps(told)) == []
