"""What a host waits for imports only what earned its place."""

import json
import subprocess
import sys
from pathlib import Path

EARNED = {"hookline", "msgspec", "pathspec", "typing_extensions"}
CAPTURE = Path(__file__).parent / "captures" / "claude-code" / "PreToolUse.json"
PROBE = """
import sys
from hookline.cli import main
main(["hook", "claude-code"])
print(repr(sorted({name.partition(".")[0] for name in sys.modules})), file=sys.stderr)
"""
NEVER = {"asyncio", "httpx", "mcp", "rich", "pydantic", "anyio", "multiprocessing"}


def modules(tmp_path, command=None):
    payload = json.loads(CAPTURE.read_text())
    if command:
        payload["tool_input"]["command"] = command
    env = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    ran = subprocess.run(
        [sys.executable, "-c", PROBE],
        input=json.dumps(payload),
        capture_output=True,
        text=True,
        env=env,
        check=True,
    )
    return set(ast_literal(ran.stderr))


def ast_literal(text):
    import ast

    return ast.literal_eval(text.strip().splitlines()[-1])


def test_a_hook_call_imports_nothing_that_is_not_needed(tmp_path):
    loaded = modules(tmp_path)
    usual = {name for name in loaded if name in sys.stdlib_module_names or name.startswith("_")}

    assert loaded - usual <= EARNED
    assert not loaded & NEVER


def test_nor_where_telemetry_is_sent(tmp_path):
    settings = tmp_path / ".config" / "hookline" / "hookline.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text('[sinks.otel]\nendpoint = "http://127.0.0.1:9"\ntimeout = 1.0\n[sinks.jsonl]\n')
    loaded = modules(tmp_path)

    assert not loaded & {*NEVER, "opentelemetry", "grpc", "requests", "google"}
    assert (tmp_path / ".local/state/hookline/telemetry/jsonl/telemetry.jsonl").exists()


def test_a_blocked_call_neither(tmp_path):
    assert not modules(tmp_path, "git push --force") & NEVER
