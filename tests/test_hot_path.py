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
print(repr(sorted(sys.modules)), file=sys.stderr)
"""
NEVER = {"asyncio", "httpx", "mcp", "rich", "pydantic", "anyio", "multiprocessing"}
UNNEEDED = {
    *("argparse", "gettext", "json", "locale", "pkgutil", "shlex", "shutil", "signal", "sqlite3"),
    *("subprocess", "tempfile"),
}
"""Modules of Python itself that take a millisecond or more, and that a plain call does without."""
OTHERS = {
    *(f"hookline.hooks.{room}" for room in ("_compress", "_policy", "_secrets", "_ship", "_why")),
    *(
        f"hookline.bash.{room}"
        for room in ("builtins", "cmd", "compounds", "gitruns", "powershell", "shells")
    ),
    *(f"hookline.redact.{room}" for room in ("_assigned", "_json", "_keys", "_kube", "_urls", "rules")),
    *("hookline.hooks._self.code", "hookline.hooks._self.tools", "hookline.hooks._paths.special"),
    *("hookline.system.diff", "hookline.system.processes", "hookline.system.trust", "hookline.kinds"),
}
"""Rooms of ours for other events, shells and programs."""


COMPILING = """
import re, sys
whole, seen = re.compile, []
def compile(pattern, flags=0):
    if "hookline" in sys._getframe(1).f_globals["__name__"]:
        seen.append(pattern)
    return whole(pattern, flags)
re.compile = compile
"""
MOST_PATTERNS = 8
"""Each takes a tenth of a millisecond or more; most guards can tell by a character that they need none."""


def modules(tmp_path, command=None):
    return set(called(tmp_path, PROBE, command))


def called(tmp_path, probe, command):
    payload = json.loads(CAPTURE.read_text())
    if command:
        payload["tool_input"]["command"] = command
    env = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    ran = subprocess.run(
        [sys.executable, "-c", probe],
        input=json.dumps(payload),
        capture_output=True,
        text=True,
        env=env,
        check=True,
    )
    return ast_literal(ran.stderr)


def compiled(tmp_path, command):
    """The patterns of ours that a call has compiled."""
    return called(tmp_path, COMPILING + PROBE.replace("sorted(sys.modules)", "seen"), command)


def ast_literal(text):
    import ast

    return ast.literal_eval(text.strip().splitlines()[-1])


def test_a_hook_call_imports_nothing_that_is_not_needed(tmp_path):
    loaded = {name.partition(".")[0] for name in modules(tmp_path)}
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


def test_a_plain_call_loads_neither_what_is_slow_nor_what_is_for_others(tmp_path):
    loaded = modules(tmp_path, "ls -la src")

    assert not loaded & UNNEEDED
    assert not loaded & OTHERS


def test_only_the_host_that_calls_is_loaded(tmp_path):
    known = {name for name in modules(tmp_path, "ls") if name.startswith("hookline.hosts.")}

    assert {name for name in known if "._" not in name} == {"hookline.hosts.claude_code"}


def test_few_patterns_are_compiled_for_a_plain_call(tmp_path):
    asked = compiled(tmp_path, "ls -la src")

    assert asked
    assert len(asked) <= MOST_PATTERNS


def test_the_names_that_tell_which_room_is_needed_are_those_of_the_room():
    from hookline.hooks._paths import programs, special, telling

    assert set(special.SPECIAL) == programs.SPECIAL
    assert {*telling.JUDGES, "echo", "printf", "print"} == programs.TELLERS


def test_the_signs_of_a_search_for_secrets_are_in_all_that_it_looks_for():
    from hookline.redact import _shapes, _signs, _typed, _urls

    literals = [shape.literal for shape in _shapes.SHAPES]
    words = [word for words, _ in _typed.STATEMENTS for word in words]

    assert all(any(sign in literal for sign in _signs.SHAPED) for literal in literals)
    assert all(any(sign in word for sign in _signs.TYPED) for word in words)
    assert all(":" in literal or ":" in behind for literal, _, behind in _urls.DATABASES)
