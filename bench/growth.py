"""Growth of the time of redaction with the text, and time of a replay: `python bench/growth.py [--scale N]`.

Redaction must be linear in the length of texts that are made to be slow, and `hookline replay` must cost
little more than `hookline check` of the same calls.
"""

import io
import json
import os
import sys
import tempfile
import time
from argparse import ArgumentParser
from contextlib import redirect_stdout
from pathlib import Path

from hookline.cli import main as hookline
from hookline.cli._bench.bars import Figure, at_most
from hookline.redact import redact

SIZE = 1_000_000
"""Characters of the large texts; the small ones have a tenth."""
FLOOR = 0.01
"""Seconds that are added to each time, so that the clock's resolution does not count."""
MAX_GROWTH = 25.0
"""Limit of the time of ten times the text; with quadratic work it would be a hundred."""
CALLS = 1000
MAX_REPLAY = 3.0
STARTS = ("", "password=", "://", "cookie: ", "eyJ")
HOSTILE = [
    *(
        "x",
        " ",
        "-",
        ".",
        "=",
        "eyJ",
        "-eyJ",
        ".eyJ",
        r"\neyJ",
        "://",
        "://a:",
        "a@",
        "\x1b[",
        "\x1b[0",
        "\x1b[0m",
    ),
    *(
        "\u200b",
        "a\u200b",
        "\\/",
        "cookie:",
        "cookie:=",
        "1Q~",
        "$argon2id$",
        "$2a$10$",
        "-----BEGIN ",
        "SG." + "a" * 32,
    ),
    *(
        "-----BEGIN PRIVATE" + " KEY-----",
        "M" * 24 + ".abcdef.",
        "token",
        "token=",
        "token=aB1-",
        "password" + " " * 20,
    ),
    *(
        "password=A1b2C3d4 ",
        "ghp_aaaa\n",
        "github_pat_a\nb\n",
        "aHR0cHM6Ly9leGFtcGxlLm9yZw ",
        "Aa",
        "the quick brown ",
    ),
    *("password a=b ", "password\n  a: b\n", "password: {a: b, ", "value=", "value: a1b2c3d4 name: "),
    *('"value":"aB3dE5gH","name":"password",', "passwords:\n- ", "passwords:\n- aB3dE5gH\n", "- aB3dE5gH\n"),
    *('"tokens":["aB3dE5gHkL2m",', 'password="aB3dE5gH" -> "', "password>", "<password>\n", "password</key>"),
    *("a:b@tcp(", "*:*:*:a:aB3dE5gH\n", "a:5432:", "oracle:thin:a/", "login a\n", "echo aB3dE5gH | sudo -"),
    *("data:\n a: b\n", "kind: Secret\ndata:\n", "kind: Secret\ndata:\n a: abcd1234\n"),
    *('"kind":"Secret","data":{', '"data":{"a":"abcd1234"},"kind":"Secret",'),
    *(
        "%41",
        "%2541",
        "\\u0041",
        "\\",
        "\\n",
        "\\\n",
        "\\\n   ",
        "&#65;",
        "'\"",
        "a'b",
        "a''",
        "'\"'\"'",
        "$'",
    ),
    *(
        "Basic ",
        "Basic YW5uOnBhc3N3b3Jk ",
        "YW5uOnBhc3N3b3Jk" * 4 + "\n",
        "YW5uOnBhc3N3b3Jk" * 4 + "/",
        "YW5u-_",
    ),
    *(
        "password  ",
        "password  aB3dE5gH\n",
        "password|",
        "token,",
        "token,password\n",
        "a,token\nb,aB3dE5gH\n",
    ),
    *("NAME  PASSWORD\n", "NAME  PASSWORD\nab    aB3dE5gH\n", "| a | token |\n", "a\ttoken\n"),
    *("password  'a'\n", "a  password\na  aB3dE5gH\n", "aB3/" * 9 + "YW5uOnBhc3N3b3Jk/"),
]


def figures(scale: float) -> list[Figure]:
    size = max(int(SIZE * scale), 20_000)
    growth = max(_growth(start, piece, size) for piece in HOSTILE for start in STARTS)
    what = f"redaction of {size:,} characters, relative to a tenth, slowest of many hostile texts"
    replay = _replay_to_check(max(int(CALLS * scale), 50))
    return [
        at_most("redaction-growth", what, growth, MAX_GROWTH),
        at_most(
            "replay-to-check", "CPU time of a replay, relative to checks of its calls", replay, MAX_REPLAY
        ),
    ]


def _growth(start: str, piece: str, size: int) -> float:
    small, large = (start + piece * (length // len(piece)) for length in (size // 10, size))
    return (_seconds(large) + FLOOR) / (_seconds(small) + FLOOR)


def _seconds(text: str) -> float:
    start = time.process_time()
    redact(text)
    return time.process_time() - start


def _replay_to_check(calls: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        os.environ.update(HOME=folder, HOOKLINE_DAEMON="off")
        events = [event for number in range(calls) for event in _tool_call(number, folder)]
        (root / "payloads.jsonl").write_text("\n".join(map(json.dumps, events)) + "\n", encoding="utf-8")
        messages = [line for number in range(calls) for line in _transcript_lines(number)]
        (root / "session.jsonl").write_text("\n".join(map(json.dumps, messages)) + "\n", encoding="utf-8")
        check = _cpu_time("check", "claude-code", str(root / "payloads.jsonl"), "--cwd", folder)
        return _cpu_time("replay", str(root / "session.jsonl"), "--cwd", folder) / check


def _cpu_time(*args: str) -> float:
    """Return the CPU seconds of a command and its child processes."""
    start = sum(os.times()[:4])
    with redirect_stdout(io.StringIO()):
        hookline(args)
    return sum(os.times()[:4]) - start


def _command(number: int) -> str:
    return f"git status src/{number} && git diff | tail -n 5"


def _tool_call(number: int, folder: str) -> list[dict[str, object]]:
    call = {
        "session_id": "s",
        "cwd": folder,
        "tool_name": "Bash",
        "tool_input": {"command": _command(number)},
        "tool_use_id": f"c{number}",
    }
    result = {"tool_response": {"stdout": f"ok {number}"}}
    return [{**call, "hook_event_name": "PreToolUse"}, {**call, **result, "hook_event_name": "PostToolUse"}]


def _transcript_lines(number: int) -> list[dict[str, object]]:
    use = {"type": "tool_use", "id": f"c{number}", "name": "Bash", "input": {"command": _command(number)}}
    result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": f"ok {number}"}
    session = {"sessionId": "s", "cwd": "/"}
    return [
        {**session, "type": "assistant", "message": {"content": [use]}},
        {
            **session,
            "type": "user",
            "message": {"content": [result]},
            "toolUseResult": {"stdout": f"ok {number}"},
        },
    ]


def main() -> int:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="fraction of the full sizes")
    rows = figures(parser.parse_args().scale)
    for figure in rows:
        print(f"{figure.id}: {figure.what}: {figure.shown} (limit {figure.bar})")
    return 0 if all(figure.met for figure in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
