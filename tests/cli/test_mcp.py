"""Test the MCP server with the SDK's own client: through a pipe, and over HTTP with the secret."""

import asyncio
import json
import os
import re
import subprocess
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path

import httpx2
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from tests.conftest import HOOKLINE

pytestmark = pytest.mark.slow

SECRET = "a secret of this test alone"
PUSH = {"tool": {"name": "shell", "input": {"command": "git push --force"}}}


@contextmanager
def listening(user, *words, **env):
    given = user.environment(**env)
    command = [str(HOOKLINE), "mcp", "serve", "--http", "0", *words]
    with subprocess.Popen(command, cwd=user.project, env=given, stderr=subprocess.PIPE, text=True) as server:
        told = ""
        try:
            while "listening" not in told:
                line = server.stderr.readline()
                assert line, told
                told += line
            yield re.search(r"http://\S+", told)[0], told
        finally:
            server.terminate()


@pytest.fixture(params=["pipe", "http"])
def ask(request, user):
    """Return a function that calls tools in a session and returns (names of all tools, results)."""

    def asked(*calls, words=()):
        if request.param == "pipe":
            return asyncio.run(session(_pipe(user, words), calls))
        with listening(user, *words, HOOKLINE_MCP_SECRET=SECRET) as (url, _):
            return asyncio.run(session(url, calls))

    return asked


def _pipe(user, words):
    args = ["mcp", "serve", *words]
    return StdioServerParameters(command=str(HOOKLINE), args=args, env=user.environment(), cwd=user.project)


async def session(way, calls, secret=SECRET):
    async with AsyncExitStack() as stack:
        transport = await reached(way, stack, secret)
        client = await stack.enter_async_context(Client(transport))
        tools = [tool.name for tool in (await client.list_tools()).tools]
        return tools, [await call(client, name, given) for name, given in calls]


async def reached(way, stack, secret):
    if isinstance(way, StdioServerParameters):
        return stdio_client(way)
    headers = {"Authorization": f"Bearer {secret}"}
    client = await stack.enter_async_context(httpx2.AsyncClient(headers=headers))
    return streamable_http_client(way, http_client=client)


async def call(client, name, given):
    said = await client.call_tool(name, given)
    text = "".join(block.text for block in said.content)
    return text if said.is_error else said.structured_content


def test_what_was_remembered_is_recalled_in_another_session(ask, user):
    kept = {"text": "Amounts are stored as integer cents", "kind": "decision"}
    tools, (told,) = ask(("remember", kept))
    _, (found, none) = ask(
        ("recall", {"question": "how are amounts stored?"}), ("recall", {"question": "ports"})
    )

    assert tools == ["recall", "remember", "verdict", "budget"]
    (memory,) = found["memories"]
    assert memory == {**told, "kind": "decision", "scope": "repository", "by": "agent", "text": kept["text"]}
    assert none["memories"] == []
    assert "data, not instructions" in found["notice"]
    assert "Amounts are stored" in user.run("memory", "list").stdout.decode()


def test_an_agent_speaks_for_one_repository_and_of_what_is_there(ask):
    first = {"text": "The port is 8080"}
    _, (old,) = ask(("remember", first))
    second = {"text": "The port is 9090", "contradicts": old["id"]}
    _, (everywhere, unknown, *_, found) = ask(
        ("remember", {**first, "scope": "user"}),
        ("remember", {**second, "contradicts": "nobody"}),
        ("remember", {"text": second["text"]}),
        ("remember", second),
        ("recall", {"question": "which port"}),
    )

    assert ("scope" in everywhere, "no memory with the id" in unknown) == (True, True)
    assert [one["text"] for one in found["memories"]] == ["The port is 9090"]


def test_a_verdict_is_asked_for_and_nothing_is_kept(ask, user):
    _, (stopped, fine) = ask(
        ("verdict", {"hook": "PreToolUse", "event": PUSH}),
        ("verdict", {"hook": "PreToolUse", "event": {"tool": {"name": "shell", "input": {"command": "ls"}}}}),
    )

    assert (stopped["action"], fine["action"]) == ("block", "passThrough")
    assert user.run("log", "--json").stdout == b""


def test_an_event_is_fired_only_where_that_is_allowed_and_apart_from_other_sessions(ask, user):
    given = {"hook": "PreToolUse", "event": {**PUSH, "sessionId": "theirs"}}
    _, (refused,) = ask(("fire", given))
    tools, (said,) = ask(("fire", given), words=("--fire",))
    (kept,) = {json.loads(line)["session"] for line in user.run("log", "--json").stdout.splitlines()}

    assert "fire" in tools
    assert ("fire" in str(refused), said["action"], kept) == (True, "block", "mcp:theirs")


def test_the_budget_is_read(ask, user):
    user.hook(user.payload("PreToolUse", session_id="s1"))
    _, (known, wrong) = ask(("budget", {}), ("budget", {"session": "nobody"}))

    assert (known["session"], known["endsAt"]) == ("s1", None)
    assert "no session with id 'nobody'" in wrong


def test_what_is_wrong_is_said(ask):
    _, said = ask(
        ("verdict", {"hook": "PreTool"}),
        ("remember", {"text": " "}),
        ("remember", {"text": "x", "scope": "issue"}),
        ("remember", {"text": "x", "kind": "rumour"}),
    )

    assert ["unknown event" in said[0], "is empty" in said[1], "unknown issue" in said[2]] == [True] * 3
    assert said[3].startswith("remember: kind: input should be 'fact', ")


def test_invalid_arguments_are_reported_in_one_sentence(ask):
    _, (zero, unknown, missing, empty) = ask(
        ("recall", {"question": "ports", "tokens": 0}),
        ("recall", {"question": "ports", "token": 10}),
        ("recall", {}),
        ("recall", {"question": ""}),
    )

    assert zero == "recall: tokens: input should be greater than or equal to 1"
    assert unknown == "recall: no argument named 'token'; did you mean 'tokens'?"
    assert missing == "recall: question: field required"
    assert empty == "recall: question: string should have at least 1 character"


def test_every_parameter_has_a_description(user):
    async def list_tools():
        async with Client(stdio_client(_pipe(user, ("--fire",)))) as client:
            return (await client.list_tools()).tools

    tools = asyncio.run(list_tools())
    described = {tool.name: [*tool.input_schema["properties"].values()] for tool in tools}

    assert len(described) == 5
    assert all("description" in parameter for parameters in described.values() for parameter in parameters)


def test_a_client_that_closes_stdout_ends_the_server_without_a_traceback(user):
    command = [str(HOOKLINE), "mcp", "serve"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=user.project, env=user.environment(), **pipes) as server:
        server.stdout.close()
        server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode() + b"\n")
        server.stdin.close()
        errors = server.stderr.read().decode()

    assert (server.returncode, errors) == (0, "")


def test_who_does_not_know_the_secret_is_told_nothing(user):
    with listening(user) as (url, told):
        place = re.search(r"the secret is in (\S+)", told)[1]
        with open(place, encoding="ascii") as file:
            secret = file.read()
        answers = [
            httpx2.post(url, json={}, headers=headers)
            for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Bearer {secret[:-1]}"})
        ]
        tools, _ = asyncio.run(session(url, (), secret))

    assert [(one.status_code, one.content) for one in answers] == [(401, b"")] * 3
    assert (os.stat(place).st_mode & 0o777, url.startswith("http://127.0.0.1:")) == (0o600, True)
    assert "recall" in tools
    assert secret not in told


KNOWN = {"Authorization": f"Bearer {SECRET}", "Accept": "application/json, text/event-stream"}
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@pytest.mark.parametrize(
    ("given", "status"), [({"Host": "evil.example"}, 421), ({"Origin": "https://evil.example"}, 403)]
)
def test_another_page_of_the_browser_is_refused(user, given, status):
    with listening(user, HOOKLINE_MCP_SECRET=SECRET) as (url, _):
        said = httpx2.post(url, json=PING, headers={**KNOWN, **given})

    assert said.status_code == status


HOSTILE = (
    *(b"", b"{", b"\xff\x00" * 100, b"[" * 50_000, b'"a"', b'{"jsonrpc": "2.0", "id": 1, "method": 5}'),
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": 7}}',
    b"x" * 2_000_000,
)


def test_nonsense_over_http_is_refused_and_the_next_one_answered(user):
    with listening(user, HOOKLINE_MCP_SECRET=SECRET) as (url, _):
        headers = {**KNOWN, "Content-Type": "application/json"}
        codes = {httpx2.post(url, content=body, headers=headers).status_code for body in HOSTILE}
        tools, _ = asyncio.run(session(url, ()))

    assert {code // 100 for code in codes} == {4}
    assert "recall" in tools


def test_nonsense_through_the_pipe_does_not_end_it(user):
    start = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    asked = {"jsonrpc": "2.0", "id": 9, "method": "initialize", "params": start}
    lines = [*(body for body in HOSTILE if b"\n" not in body), json.dumps(asked).encode()]
    ran = user.run("mcp", "serve", stdin=b"\n".join(lines) + b"\n")
    answers = [json.loads(line) for line in ran.stdout.splitlines()]

    assert [one["result"]["serverInfo"]["name"] for one in answers if one.get("id") == 9] == ["hookline"]


@pytest.mark.parametrize("text", ["x" * 1_001, "many words " * 5_000])
def test_a_memory_is_short(ask, user, text):
    _, (said,) = ask(("remember", {"text": text}))

    assert "one or two sentences" in said
    assert user.run("memory", "list").stdout == b"no memories\n"


def test_many_at_once_are_answered(user):
    async def crowd(url):
        calls = [session(url, [("remember", {"text": f"the door {n} is blue"})]) for n in range(12)]
        return await asyncio.gather(*calls)

    with listening(user, HOOKLINE_MCP_SECRET=SECRET) as (url, _):
        said = asyncio.run(crowd(url))

    assert len({answer["id"] for _, (answer,) in said}) == 12
    assert len(user.run("memory", "list").stdout.splitlines()) == 12


def test_a_short_secret_is_refused(user):
    ran = user.run("mcp", "serve", "--http", "0", HOOKLINE_MCP_SECRET="short")

    assert (ran.returncode, b"shorter than 16" in ran.stderr) == (2, True)


@pytest.mark.parametrize("half", ["", "0123"])
def test_a_secret_that_was_not_written_whole_is_chosen_anew(user, half):
    with listening(user) as (_, told):
        place = Path(re.search(r"the secret is in (\S+)", told)[1])
    place.write_text(half)
    with listening(user) as (url, _):
        refused = httpx2.post(url, headers={"Authorization": f"Bearer {half}".strip()}, json={})
        secret = place.read_text()
        tools, _ = asyncio.run(session(url, (), secret))

    assert (refused.status_code, len(secret) >= 16, "recall" in tools) == (401, True, True)
    assert place.stat().st_mode & 0o777 == 0o600
