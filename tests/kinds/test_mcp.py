import json
import os
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hookline import PreToolUse, Response, SessionStart, State, ask, block, inject
from hookline.core.frozen import Frozen
from hookline.core.kind import Declaration, HookFailed
from hookline.core.values import replace
from hookline.kinds.mcp import KIND, select_arguments

pytestmark = pytest.mark.slow

SERVERS = Path(__file__).parent / "servers"
LIMIT = 20.0
NOW = State(now=1_000_000.0)
CALL = PreToolUse(tool="Bash", kind="shell", input=Frozen({"command": "ls"}), session="s")


def python(script: str, *args: str, **more) -> dict:
    return {"command": sys.executable, "args": [str(SERVERS / script), *args], **more}


STDIO = python("tools.py", "stdio")


class Http:
    """The server as a separate process on a loopback port."""

    def __init__(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen([sys.executable, SERVERS / "tools.py", "http", str(self.port)])
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
            except ConnectionRefusedError:
                assert self.process.poll() is None
                time.sleep(0.05)
            else:
                return

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()

    @property
    def spec(self) -> dict:
        return {"url": f"http://127.0.0.1:{self.port}/mcp"}


@pytest.fixture
def http():
    server = Http()
    yield server
    server.stop()


@pytest.fixture
def call(project):
    """Return a function that calls a tool as a hook does."""

    def carry(tool, spec=STDIO, *, event=CALL, limit=LIMIT, machine=project.machine, **servers):
        machine = replace(machine, servers={"mine": spec, **servers})
        hook = Declaration(
            kind="mcp", name="h", on=(PreToolUse,), spec={"tool": tool}, root=str(project.root)
        )
        return KIND.bind(hook, machine)(event, NOW, limit)

    carry.project = project
    return carry


def test_what_a_tool_says_is_read_like_what_a_command_prints(call):
    start = SessionStart(source="startup")

    assert call("mine.some") == block("PreToolUse of Bash")
    assert call("mine.plain", event=start) == inject("remember the milk")
    assert call("mine.plain") == Response()
    assert call("mine.directives") == Response(context=("one",), warnings=("two",))
    assert call("mine.structured") == ask("sure?")
    assert call("mine.silent") == Response()
    assert call("mine.long").warnings == (
        "hook 'h' printed more than 256 KiB on stdout; the rest was not read",
    )


def test_a_tool_that_takes_an_event_gets_the_whole_envelope(call):
    (said,) = call("mine.whole").context

    envelope = json.loads(said)
    assert (envelope["hook"], envelope["sessionId"], envelope["tool"]["input"]) == (
        "PreToolUse",
        "s",
        {"command": "ls"},
    )


@pytest.mark.parametrize(
    ("schema", "given"),
    [
        ({"properties": {"event": {}}}, {"event": {"hook": "Stop", "cwd": "/"}}),
        ({"properties": {"event": {}, "cwd": {}}}, {"event": {"hook": "Stop", "cwd": "/"}}),
        ({"properties": {"cwd": {}, "other": {}}}, {"cwd": "/"}),
        ({"properties": {"cwd": {}}, "additionalProperties": True}, {"hook": "Stop", "cwd": "/"}),
        ({"properties": {"cwd": {}}, "additionalProperties": {"type": "string"}}, {"cwd": "/"}),
        ({"properties": {}}, {"hook": "Stop", "cwd": "/"}),
        ({"type": "object"}, {"hook": "Stop", "cwd": "/"}),
        ({"properties": {}, "additionalProperties": False}, {}),
    ],
)
def test_a_tool_gets_what_its_schema_asks_for(schema, given):
    assert select_arguments(schema, {"hook": "Stop", "cwd": "/"}) == given


def test_a_server_is_kept_open_between_calls(call):
    assert call("mine.pid") == call("mine.pid")


def test_a_server_that_was_killed_is_started_again(call):
    (first,) = call("mine.pid").context
    os.kill(int(first), signal.SIGKILL)

    (second,) = call("mine.pid").context

    assert second != first


def test_a_server_that_dies_of_a_call_is_a_failure_and_started_again(call):
    with pytest.raises(
        HookFailed, match=r"lost server 'mine': MCPError: Connection closed; last output: last words"
    ):
        call("mine.die")

    assert call("mine.plain") == Response()


def test_a_call_that_hangs_is_ended_by_its_limit_with_its_server(call, over):
    (first,) = call("mine.pid").context
    began = time.monotonic()

    with pytest.raises(TimeoutError):
        call("mine.hang", limit=0.5)

    assert time.monotonic() - began < 0.5 + over / 2
    assert gone(int(first), within=over / 2)
    assert call("mine.pid").context != (first,)


def gone(pid: int, *, within: float) -> bool:
    until = time.monotonic() + within
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize("limit", [0.05, 0.6])
def test_a_server_that_never_answers_and_ignores_sigterm_is_ended_with_its_children(call, over, limit):
    call("mine.plain")  # imports the SDK, which takes time
    began = time.monotonic()

    with pytest.raises(TimeoutError):
        call("deaf.x", deaf=python("stubborn.py"), limit=limit)
    took = time.monotonic() - began
    time.sleep(max(began + limit + over - time.monotonic(), 0))

    assert took < limit + over / 2
    assert not running("stubborn.py", call.project.root)


def test_a_server_that_clears_its_environment_is_ended(call, over):
    call("mine.plain")  # imports the SDK, which takes time

    with pytest.raises(TimeoutError):
        call("deaf.x", deaf={"command": "env", "args": ["-i", "sleep", "61"]}, limit=0.3)
    time.sleep(over)

    assert not running("sleep", call.project.root)


@pytest.mark.parametrize("age", ["old", "new"])
def test_servers_that_know_only_one_greeting_are_understood(call, age):
    assert call("mine.greet", python("strict.py", age)) == inject(age)


def running(script: str, folder: Path) -> list[str]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (
                process.joinpath("cwd").readlink() == folder
                and script in process.joinpath("cmdline").read_text()
            ):
                found.append(process.name)
        except OSError:
            continue
    return found


def test_a_hanging_call_does_not_keep_another_server_from_answering(call):
    call("mine.plain")
    call("other.plain", other={**STDIO, "env": {}})

    with ThreadPoolExecutor(2) as threads:
        hanging = threads.submit(call, "mine.hang", limit=3.0)
        assert call("other.plain", other={**STDIO, "env": {}}, limit=2.9) == Response()
        assert isinstance(hanging.exception(), TimeoutError)


def test_calls_at_once_share_a_server(call):
    with ThreadPoolExecutor(4) as threads:
        said = list(threads.map(lambda _: call("mine.pid"), range(4)))

    assert len({each.context for each in said}) == 1


def test_a_call_that_gives_a_server_up_does_not_spoil_another(call):
    call("other.plain", other={**STDIO, "env": {}})  # imports the SDK, which takes time

    with ThreadPoolExecutor(2) as threads:
        patient = threads.submit(call, "mine.plain")
        hasty = threads.submit(call, "mine.plain", limit=0.2)

        assert isinstance(hasty.exception(), TimeoutError)
        assert patient.result() == Response()


def test_what_a_server_leaves_running_is_ended_when_it_is_closed(call):
    call("mine.leave")
    until = time.monotonic() + 10
    while not running("sleep", call.project.root):  # the process exists before it executes `sleep`
        assert time.monotonic() < until
        time.sleep(0.02)

    call.project.machine.resources.close()

    assert not running("sleep", call.project.root)
    assert not running("tools.py", call.project.root)


def test_closing_ends_what_is_being_called(call, over):
    call("mine.plain")
    with ThreadPoolExecutor(1) as threads:
        hanging = threads.submit(call, "mine.hang")
        time.sleep(0.3)
        began = time.monotonic()
        call.project.machine.resources.close()

        assert str(hanging.exception()) == "was not answered by server 'mine' before it was closed"
        assert time.monotonic() - began < 0.5 + over


def test_a_server_runs_in_the_root_or_its_own_folder_with_its_own_environment(call):
    (call.project.root / "sub").mkdir()
    machine = call.project.machine
    machine = replace(machine, env={**machine.env, "HOOKLINE_DEPTH": "outer", "CALL": "c"})
    own = {**STDIO, "cwd": "sub", "env": {"MINE": "m"}}

    assert call("mine.environment").context == (str(call.project.root), "h", "-", "-")
    assert call("own.environment", own=own, machine=machine).context == (
        str(call.project.root / "sub"),
        "outer:h",
        "m",
        "c",
    )


def test_an_error_of_the_tool_is_a_failure(call):
    with pytest.raises(HookFailed, match=r"^got an error from its tool: out of cheese$"):
        call("mine.wrong")


def test_names_that_lead_nowhere_say_what_there_is(call):
    with pytest.raises(HookFailed, match=r"no MCP server is named 'yours'; available: a\.b, mine"):
        call("yours.x", **{"a.b": STDIO})
    with pytest.raises(
        HookFailed, match=r"requires tool 'x\.y', which server 'mine' lacks; available: die, directives, "
    ):
        call("mine.x.y")


def test_a_server_may_have_dots_in_its_name(call):
    assert call("a.b.plain", a=python("nothing.py"), **{"a.b": STDIO}) == Response()


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"command": "no-such-program-here"}, r"lost server 'mine'.*no-such-program-here.*not found"),
        (
            {"command": sys.executable, "args": ["-c", "raise SystemExit('no licence')"]},
            "last output: no licence",
        ),
        ({"command": sys.executable, "cwd": "nowhere"}, r"lost server 'mine'.*nowhere"),
        ({"type": "http"}, "of type 'http' is incomplete; expected 'stdio' with a 'command'"),
        ({"type": "sse", "url": "http://127.0.0.1:9/"}, "of type 'sse' is incomplete"),
        ({"url": "http://127.0.0.1:9/mcp"}, "lost server 'mine'.*ConnectError"),
        ({}, "of type 'stdio' is incomplete"),
    ],
)
def test_a_server_that_cannot_be_reached_says_why(call, spec, said):
    with pytest.raises(HookFailed, match=f"(?s){said}"):
        call("mine.x", spec)


def test_http_servers_are_called_alike(call, http):
    (whole,) = call("mine.whole", http.spec).context

    assert json.loads(whole)["tool"]["name"] == "Bash"
    assert call("mine.pid", {"type": "http", **http.spec}).context == (str(http.process.pid),)
    assert call("mine.some", http.spec) == block("PreToolUse of Bash")


def test_an_http_server_that_was_started_anew_is_used_again(call, http):
    call("mine.pid", http.spec)
    http.stop()
    with pytest.raises(HookFailed, match="lost server 'mine'"):
        call("mine.pid", http.spec)
    http.start()

    assert call("mine.pid", http.spec).context == (str(http.process.pid),)
    http.stop()
    http.start()
    assert call("mine.pid", http.spec).context == (str(http.process.pid),)


def test_an_http_server_that_hangs_is_left_by_the_limit(call, over, http):
    call("mine.plain", http.spec)
    began = time.monotonic()

    with pytest.raises(TimeoutError):
        call("mine.hang", http.spec, limit=0.4)

    assert time.monotonic() - began < 0.4 + over / 2


def test_a_socket_that_accepts_and_says_nothing_is_left_by_the_limit(call):
    with socket.create_server(("127.0.0.1", 0)) as deaf, pytest.raises(TimeoutError):
        call("mine.x", {"url": f"http://127.0.0.1:{deaf.getsockname()[1]}/mcp"}, limit=2.5)


NOISY = """
import os, sys, time
from hookline import PreToolUse, State
from hookline.core.kind import Declaration, HookFailed, Machine
from hookline.kinds.mcp import KIND
from hookline.system.process.run_command import run, start

servers = {"mine": {"command": "sh", "args": ["-c", "echo noise; echo more >&2"]}}
machine = Machine(run=run, start=start, env=dict(os.environ), clock=time.monotonic, servers=servers)
hook = Declaration(kind="mcp", name="h", on=(PreToolUse,), spec={"tool": "mine.x"}, root="/")
try:
    KIND.bind(hook, machine)(PreToolUse(tool="Bash"), State(now=0.0), 20.0)
except HookFailed as error:
    print(error)
machine.resources.close()
"""


def test_what_the_sdk_has_to_say_does_not_go_to_our_stderr():
    done = subprocess.run([sys.executable, "-c", NOISY], capture_output=True, text=True, check=True)

    assert "lost server 'mine'" in done.stdout
    assert "last output: more" in done.stdout
    assert done.stderr == ""
