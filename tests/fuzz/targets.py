"""Fuzz targets: each accepts arbitrary bytes, and a failed assertion is a bug.

The bytes are decoded as text. `\\x1e` separates the main text from further parts: a working directory, a home
directory and a runner; the content of a script; or the next chunk of a stream.
"""

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, Literal

from hookline import State, hooks
from hookline import shell as bash
from hookline.core.events import Event, PostToolUse, PreToolUse, UserPromptSubmit
from hookline.core.frozen import Frozen
from hookline.core.response import Response
from hookline.core.state import Facts
from hookline.redact import find_secrets, redact, redact_json_with_findings
from hookline.redact.gitleaks_rules import parse_rules
from hookline.redact.stream import redact_stream

PART = "\x1e"
Shell = Literal["bash", "powershell", "cmd"]
SHELLS: tuple[Shell, ...] = ("bash", "powershell", "cmd")
BUILT_IN = [hooks.load(name) for name in hooks.names()]
MORE: dict[str, Any] = {
    "tool-policy": {"rules": ({"action": "ask", "tool": "*", "branch": ["m*", "x"]}, {"action": "deny"})},
    "redact-secrets": {"wrap": True},
}
"""Settings without which a hook passes every event."""
LITTLE = "xAb1_=[ab]"
REPEATED = 8_000
"""Length of a text that repeats one piece, in characters."""
CALLS, CALLS_PER_CHARACTER = 500_000, 200
"""Maximum calls and returns for one reading or verdict: five times those of the slowest."""
SECONDS = 5.0
"""Maximum CPU time in seconds; only quadratic work inside one regular expression search exceeds it."""
RULES = parse_rules(
    """
[[rules]]
id = "a-key"
regex = '''(?i)\\b(acme[_-][a-z0-9]{8,40})(?:['"\\s;]|$)'''
keywords = ["acme"]
entropy = 2
"""
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    run: Callable[[bytes], Any]
    """The function under test; its result depends only on the bytes, not on the process."""
    seeds: str
    """Name of the folder with its initial inputs."""
    share: int = 1
    """Relative share of the fuzzing time."""


def text_of(data: bytes) -> str:
    """Return *data* as text; invalid UTF-8 becomes lone surrogates, as in malformed JSON."""
    return data.decode("utf-8", "surrogateescape")


def parts_of(data: bytes, count: int) -> list[str]:
    """Return *count* texts; missing parts are empty."""
    parts = text_of(data).split(PART, count - 1)
    return [*parts, *[""] * (count - len(parts))]


def reading(shell: Shell) -> Callable[[bytes], Any]:
    """Return a target that reads a line in the language of *shell*."""

    def run(data: bytes) -> Any:
        line, cwd, home, runner, options = parts_of(data, 5)
        runners = {runner: options, "rtk": "-n --name"} if runner else {}
        read = bash.read(line, cwd=cwd, home=home, runners=runners, shell=shell)
        _sound(read, line)
        bash._read.cache_clear()  # noqa: SLF001 -- the second result must not come from the cache
        assert bash.read(line, cwd=cwd, home=home, runners=runners, shell=shell) == read
        return read

    return run


def _sound(read: bash.Reading, line: str) -> None:
    words = [word for command in read.commands for word in command.words]
    targets = [one.target for command in read.commands for one in command.redirects]
    origins = [one for word in (*words, *targets) for one in word.origins]
    spans = [one.span for one in read.commands] + [one.span for one in read.problems] + list(read.fork_bombs)
    spans += [word.span for word in (*words, *targets)]
    assert all(0 <= start <= end <= len(line) for start, end in spans)
    assert all(0 <= one < len(read.commands) for one in origins)
    assert all(0 <= one < len(read.commands) for command in read.commands for one in command.stdin_origins)
    assert all(command.words for command in read.commands)
    assert not any("\U000f0000" <= char <= "\U000ffffd" for word in words for char in word.text)


def guards(data: bytes) -> Any:
    """Run every built-in hook before a shell command; the second part is the content of any script."""
    line, script, cwd = parts_of(data, 3)
    return _judged(_call("shell", "command", line, cwd), script, len(line))


def windows_guards(data: bytes) -> Any:
    line, script, cwd = parts_of(data, 3)
    calls = [_call(kind, "command", line, cwd) for kind in ("powershell", "cmd")]
    return [_judged(call, script, len(line)) for call in calls]


def path_guards(data: bytes) -> Any:
    """Run every built-in hook before tools that read, search, write or fetch a path."""
    path, text, cwd = parts_of(data, 3)
    kinds = {"read": "path", "glob": "pattern", "write": "path", "fetch": "url", "mcp": "source"}
    calls = [_call(kind, place, path, cwd, content=text) for kind, place in kinds.items()]
    return [_judged(call, text, None) for call in calls]


def text_guards(data: bytes) -> Any:
    """Run every built-in hook on a user's prompt and on a tool's output."""
    said, cwd = parts_of(data, 2)
    prompt = UserPromptSubmit(session="s", host="h", cwd=cwd, prompt=said)
    output = {"stdout": said, "stderr": said[::-1], "parts": [said, {"token": said[:40]}]}
    ran = PostToolUse(session="s", host="h", cwd=cwd, tool="T", kind="shell", output=output, error=said)
    return [_judged(prompt, "", None), _judged(ran, "", None)]


def _call(kind: str, place: str, value: str, cwd: str, **more: str) -> PreToolUse:
    given = Frozen({place: value, "limit": 5, **more})
    return PreToolUse(session="s", host="h", cwd=cwd or "/home/u/p", tool="T", kind=kind, input=given)


def _judged(event: Event, script: str, length: int | None) -> list[Any]:
    state, heard = _state(script), []
    for hook in BUILT_IN:
        if hook.listens(event):
            response = hook.judge(event, state, **MORE.get(hook.name, {}))
            assert response is None or isinstance(response, Response)
            _in_place(response, length)
            heard.append((hook.name, response))
    return heard


def _state(script: str) -> State:
    facts: dict[str, Any] = {
        "root": "/home/u/p",
        "home": "/home/u",
        "branch": "main",
        "realpath": lambda path: path,
        "shell_facts": bash.Facts(read_script=lambda path: script),
        "is_file": lambda path: path.endswith("f"),
        "ckignore": script,
        "ckignore_trusted": True,
        "changed_lines": 10_000,
        "save_output": lambda text: "/home/u/kept",
    }
    return State(now=0.0, facts=Facts({name: partial(lambda value: value, facts[name]) for name in facts}))


def _in_place(response: Response | None, length: int | None) -> None:
    if response is not None and response.span is not None:
        assert length is not None
        assert 0 <= response.span[0] <= response.span[1] <= length


def redacted(data: bytes) -> Any:
    """Redact a text: findings are in bounds, lines and JSON structure remain, and the result is stable."""
    text = text_of(data)
    secrets, once = find_secrets(text), redact(text)
    assert all(0 <= one.start < one.end <= len(text) for one in secrets)
    assert all(one.end <= other.start for one, other in pairwise(secrets))
    assert len(once.splitlines()) == len(text.splitlines())
    assert redact(once) == once
    value, sound = _parsed(text)
    if sound:
        assert _shape(_parsed(once)[0]) == _shape(value)
    return secrets, redact(text, rules=(RULES,))


def json_redacted(data: bytes) -> Any:
    """Redact a JSON value, either the parsed text or a value built from its parts."""
    text = text_of(data)
    value, sound = _parsed(text)
    if not sound or not isinstance(value, dict | list):
        parts = text.split(PART)
        value = {"text": text, "password": parts[-1], parts[0]: parts, "list": [{"name": parts[0]}, 1, None]}
    once, found = redact_json_with_findings(value)
    assert _shape(once) == _shape(value)
    assert redact_json_with_findings(once)[0] == once
    json.dumps(once)
    return once, found


def streamed(data: bytes) -> Any:
    """Redact a stream: no line is lost, and no long secret remains that whole-text redaction finds.

    The first line of a private key is exempt, because the lines that confirm it may arrive too late.
    """
    chunks = text_of(data).split(PART)
    text, pieces = "".join(chunks), list(redact_stream(chunks))
    out, whole = "".join(piece.text for piece in pieces), redact(text)
    long = [one for one in find_secrets(text) if one.end - one.start >= 16 and not one.continued]
    assert out.count("\n") == text.count("\n")
    assert all(1 <= line <= text.count("\n") + 1 for piece in pieces for _, line in piece.secrets)
    for secret in {text[one.start : one.end] for one in long}:
        assert out.count(secret) <= whole.count(secret) or secret.startswith("-----BEGIN")
    return out


def rule_file(data: bytes) -> Any:
    """Parse any rule file and search a tiny text with it, because a pattern may backtrack without end."""
    file = parse_rules(text_of(data))
    assert all(isinstance(problem, str) for problem in file.problems)
    assert all(0 <= one.start < one.end <= len(LITTLE) for one in file(LITTLE))
    return file


def _parsed(text: str) -> tuple[Any, bool]:
    try:
        return json.loads(text), True
    except (ValueError, RecursionError):
        return None, False


def _shape(value: Any, depth: int = 0) -> Any:
    """Return the structure of a JSON value without its strings, down to a depth of 150."""
    if isinstance(value, str) or (depth >= 150 and isinstance(value, dict | list)):
        return str
    if isinstance(value, dict):
        return [_shape(item, depth + 1) for item in value.values()]
    if isinstance(value, list):
        return [_shape(item, depth + 1) for item in value]
    return repr(value)


def repeated(run: Callable[[str], Any]) -> Callable[[bytes], Any]:
    """Return a target that calls *run* with one piece repeated between two other parts."""

    def made(data: bytes) -> None:
        piece, before, behind = parts_of(data, 3)
        if piece:
            run(before + piece * (REPEATED // len(piece)) + behind)

    return made


def read_in_bounds(line: str) -> None:
    for shell in SHELLS:
        bash._read.cache_clear()  # noqa: SLF001 -- a cached result would hide the work
        _bounded(shell, partial(bash.read, line, shell=shell), len(line))


def judged_in_bounds(line: str) -> None:
    event, state = _call("shell", "command", line, ""), _state("")
    for hook in BUILT_IN:
        if hook.listens(event):
            _bounded(hook.name, partial(hook, event, state), len(line))


def redacted_in_bounds(text: str) -> None:
    _bounded("redact", lambda: redact(text, rules=(RULES,)), len(text))
    _bounded(
        "stream", lambda: list(redact_stream([text[: len(text) // 2], text[len(text) // 2 :]])), len(text)
    )


def _bounded(what: str, run: Callable[[], Any], length: int) -> None:
    """Assert that *run* stays within the limits on calls and CPU time.

    Calls of C functions are counted too, but only the clock shows slow work inside them.
    """
    calls = 0

    def count(*_: Any) -> None:
        nonlocal calls
        calls += 1

    start = time.process_time()
    sys.setprofile(count)
    try:
        run()
    finally:
        sys.setprofile(None)
    took = time.process_time() - start
    assert calls <= CALLS + CALLS_PER_CHARACTER * length, f"{what} exceeds the limit on calls"
    assert took < SECONDS or length > REPEATED * 2, f"{what} exceeds the time limit"


TARGETS = {
    "bash": Target(run=reading("bash"), seeds="shell", share=3),
    "powershell": Target(run=reading("powershell"), seeds="windows"),
    "cmd": Target(run=reading("cmd"), seeds="windows"),
    "guards": Target(run=guards, seeds="shell", share=3),
    "windows-guards": Target(run=windows_guards, seeds="windows"),
    "path-guards": Target(run=path_guards, seeds="paths"),
    "text-guards": Target(run=text_guards, seeds="text"),
    "redact": Target(run=redacted, seeds="text", share=3),
    "json": Target(run=json_redacted, seeds="text", share=2),
    "stream": Target(run=streamed, seeds="text", share=2),
    "rule-file": Target(run=rule_file, seeds="rules"),
    "repeated-shell": Target(run=repeated(read_in_bounds), seeds="shell", share=2),
    "repeated-guards": Target(run=repeated(judged_in_bounds), seeds="shell"),
    "repeated-text": Target(run=repeated(redacted_in_bounds), seeds="text", share=2),
}
