"""Test that no output contains one of 500 planted secrets, in 60 formats and 6 encodings.

A feature that outputs text adds its path here. The input of a tool call is exempt, because the host executes
it.
"""

import json
import os
import re
import sqlite3
import threading
from collections import deque
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from tests.conftest import receiving
from tests.planted_secrets import FORMATS, find_left, plants

pytestmark = pytest.mark.slow

LONG = os.environ.get("HOOKLINE_LONG") == "1"
PLANTS = plants(500)
FRAGMENTS = frozenset().union(*(one.fragments for one in PLANTS))
INLINE = {one.text for one in PLANTS if "\n" not in FORMATS[one.format][0] + one.text}
"""Texts that need no line of their own."""
PER_SESSION = 20
SETTINGS = "~/.config/hookline/hookline.toml"
EVERYTHING = """
[hooks.compress-output]
enabled = true
lines = 20
[hooks.iteration-context]
every = 1
[sinks.jsonl]
content = true
[sinks.otel]
content = true
endpoint = "{}"
protocol = "http"
"""
PRINTABLE = re.compile(rb"[\t\n\r -~]{8,}")
"""Pattern of the texts in binary data; the store's log of changes repeats them many times."""
UNREACHABLE = 'store = "postgres"\nstore_address = "postgresql://me@127.0.0.1:1/db"\n'
CALLS = {
    "prompt": ("UserPromptSubmit", lambda text: {"prompt": f"We decided to use this:\n{text}"}),
    "command": ("PreToolUse", lambda text: {"tool_input": {"command": text}}),
    "output": (
        "PostToolUse",
        lambda text: {
            "tool_input": {"command": text},
            "tool_response": {"stdout": f"{text}\n" + "line\n" * 30, "stderr": text},
        },
    ),
    "file": ("PreToolUse.Write", lambda text: {"tool_input": {"file_path": "/p/a.txt", "content": text}}),
    "path": ("PreToolUse.Read", lambda text: {"tool_input": {"file_path": text}}),
    "arguments": ("PreToolUse.mcp__stub__echo", lambda text: {"tool_input": {"deep": [{"text": text}]}}),
    "todo": (
        "PostToolUse",
        lambda text: {
            "tool_name": "TodoWrite",
            "tool_input": {"todos": [{"content": text, "status": "pending"}]},
        },
    ),
    "failure": (
        "PostToolUseFailure.Bash",
        lambda text: {"tool_input": {"command": "./deploy"}, "error": f"Exit code 1\nerror:\n{text}"},
    ),
    "failed command": (
        "PostToolUseFailure.Bash",
        lambda text: {"tool_input": {"command": text}, "error": "Exit code 1\nfatal: refused"},
    ),
    "fix": ("PostToolUse", lambda text: {"tool_input": {"command": f"./login <<E\n{text}\nE"}}),
    "again": ("PostToolUse", lambda text: {"tool_input": {"command": "./deploy"}}),
    "model error": ("StopFailure", lambda text: {"error": text, "last_assistant_message": text}),
    "notification": ("Notification", lambda text: {"message": text}),
}
"""Calls for each secret: captured payload, and the fields that contain the secret, which starts a line."""
ENDS = {
    "PreCompact": "custom_instructions",
    "PostCompact": "compact_summary",
    "Stop": "last_assistant_message",
    "SessionEnd": "reason",
}
"""Calls at the end of a session, with the field that contains its secrets."""
COMMANDS = (
    ("log", "-n", "9999"),
    ("log", "--json", "-n", "9999"),
    *(("errors", "list", *more) for more in ((), ("--json",))),
    ("errors", "export"),
    *(("memory", "list", "-n", "9999", *more) for more in ((), ("--json",))),
    ("memory", "export", "-"),
    *(("rotate", "--show", *more) for more in ((), ("--json",))),
    *((name, *more) for name in ("doctor", "status", "list") for more in ((), ("--json",))),
    ("config", "show", "--json"),
    ("trust", "--show"),
)


def sessions(user, planted, folder):
    """Yield the payloads of a session for every `PER_SESSION` secrets, with its transcript in *folder*."""
    for start in range(0, len(planted), PER_SESSION):
        texts = [one.text for one in planted[start : start + PER_SESSION]]
        transcript = folder / f"{start}.jsonl"
        transcript.write_text("".join(json.dumps(line) + "\n" for line in conversation(texts)))
        branch = next((text for text in texts if text in INLINE), "main")
        (user.project / ".git" / "HEAD").write_text(f"ref: refs/heads/{branch}\n")
        session = {"session_id": f"session-{start}", "transcript_path": str(transcript)}
        calls = [
            (f"{start}-{number}-{stem}", stem, put(text))
            for number, text in enumerate(texts, start)
            for stem, put in some_calls(number)
        ]
        yield [
            user.payload("SessionStart", source="startup", **session),
            *(user.payload(stem, tool_use_id=call, **session, **fields) for call, stem, fields in calls),
            *(user.payload(stem, **session, **{key: "\n".join(texts)}) for stem, key in ENDS.items()),
        ]


def some_calls(number):
    """Return the calls for a secret: all of them in long tests, else a few in turn."""
    turned = deque(CALLS.values())
    turned.rotate(-2 * number)
    return list(turned) if LONG else list(turned)[:2]


def conversation(texts):
    for number, text in enumerate(texts):
        use = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": text}}
        back = {"type": "tool_result", "tool_use_id": f"t{number}", "is_error": True, "content": text}
        gap = " " if text in INLINE else "\n"
        said = f"We decided to use{gap}{text}\nBlockers:{gap}{text}\nNext step:{gap}{text}"
        yield from (
            {"type": role, "message": {"role": role, "content": content}}
            for role, content in (
                *(("user", f"Never forget{gap}{text}"), ("assistant", [use]), ("user", [back])),
                ("assistant", [{"type": "text", "text": said}]),
            )
        )


@contextmanager
def webhook():
    """Yield the address of a local web server, and the bodies that it receives."""
    bodies = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self):
            bodies.append(self.rfile.read(int(self.headers["content-length"])).decode())
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            """Suppress the request log."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/hook", bodies
    finally:
        server.shutdown()
        server.server_close()


def outputs_of(name, ran):
    """Yield the output of a command with its name."""
    for stream in ("stdout", "stderr"):
        yield f"{name}: {stream}", getattr(ran, stream).decode(errors="replace")


def files_of(*folders):
    """Yield every file in the folders with its content."""
    for path in (path for folder in folders for path in sorted(folder.rglob("*"))):
        if path.is_file():
            yield path.name, texts_in(path.read_bytes())


def texts_in(data):
    return b"\0".join({*PRINTABLE.findall(data)}).decode()


def leaks(outputs):
    """Return the outputs with fragments of secrets, and some of these fragments."""
    return {name: found for name, text in outputs if (found := find_left(text, FRAGMENTS))}


@contextmanager
def reader(path):
    """Keep a reader on the store, so that its log of changes remains."""
    with closing(sqlite3.connect(path)) as database:
        database.execute("begin")
        database.execute("select count(*) from sqlite_master").fetchall()
        yield


@pytest.fixture
def everything(user):
    """Configure every output of *user*; yield the receivers of telemetry and of the webhook."""
    (user.home / "tmp").mkdir()
    user.write("results.tsv", "iteration\tmetric\tstatus\tdescription\n" + journal())
    user.env |= {"TMPDIR": str(user.home / "tmp"), "AUTORESEARCH_JOURNAL": "results.tsv"}
    with receiving("http") as collector, webhook() as (address, bodies):
        user.write(SETTINGS, EVERYTHING.format(collector.endpoint))
        user.env["AR_NOTIFY_WEBHOOK"] = address
        yield collector, bodies


def journal():
    return "".join(f"{number}\t0.5\tkeep\t{text}\n" for number, text in enumerate(sorted(INLINE)))


def run_commands(user):
    return [one for words in COMMANDS for one in outputs_of(" ".join(words), user.run(*words))]


def test_no_planted_secret_is_in_any_output(user, everything, tmp_path):
    collector, bodies = everything
    replies, changes = [], []
    user.hook(user.payload("SessionStart"))
    state = user.home / ".local/state/hookline"
    for session in sessions(user, PLANTS, tmp_path):
        with reader(state / "hookline.db"):
            for payload in session:
                ran = user.run("hook", "claude-code", stdin=json.dumps(payload))
                replies.extend(outputs_of(payload["hook_event_name"], ran))
            changes.append(("log of changes", texts_in((state / "hookline.db-wal").read_bytes())))
    shown = run_commands(user)
    collector.wait(lambda one: '"waiting": 0' in user.run("list", "sinks", "--json").stdout.decode(), 120)
    received = [("otel", texts_in(request.SerializeToString())) for _, request in collector.requests]
    posted = [("webhook", body) for body in bodies]
    files = list(files_of(user.home))

    assert {"hookline.db", "telemetry.jsonl"} <= {name for name, _ in files}
    for kind in (changes, files, replies, shown, received, posted):
        assert any("[redacted" in text for _, text in kind)
        assert leaks(kind) == {}


def test_no_planted_secret_is_in_the_spool(user):
    user.write(SETTINGS, UNREACHABLE)
    for number, one in enumerate(PLANTS):
        stem, put = some_calls(number)[0]
        user.hook(user.payload(stem, tool_use_id=f"t{number}", **put(one.text)))
    files = list(files_of(user.home / ".local"))

    assert "[redacted" in "".join(text for _, text in files)
    assert leaks(files) == {}
