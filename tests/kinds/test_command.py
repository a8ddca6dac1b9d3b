"""Test command hooks with real processes: their input, environment, working folder and answers."""

import json
import os
import re
import sys
import time

import pytest

from hookline.core.events import PreToolUse, SessionStart
from hookline.core.frozen import Frozen, freeze
from hookline.core.kind import Declaration, HookFailed, Machine
from hookline.core.response import Response
from hookline.core.state import Facts, State
from hookline.core.values import replace
from hookline.hosts.claude_code import HOST
from hookline.kinds import load
from hookline.kinds.command import KIND
from hookline.system.process.run_command import run, start

STATE = State(now=1.0)
EVENT = SessionStart(session="s1", source="startup", native=Frozen(session_id="s1", novel=(1, 2)))
MACHINE = Machine(
    run=run,
    start=start,
    env={"PATH": os.environ["PATH"], "KEPT": "from the call", "BOTH": "from the call"},
    clock=time.monotonic,
    dialects=(HOST.dialect,),
)


def carried(
    command, event=EVENT, *, root="/", machine=MACHINE, state=STATE, limit=10.0, source="project", **spec
):
    """Run the hook and return its response."""
    declaration = Declaration(
        kind="command",
        name="mine",
        on=(type(event),),
        spec=freeze({"command": command, **spec}),
        root=str(root),
        source=source,
    )
    return KIND.bind(declaration, machine)(event, state, limit)


def heard(command, event=EVENT, **given) -> str:
    """Return the context that the hook printed at the start of a session."""
    return carried(command, event, **given).context[0]


def test_a_text_is_run_by_the_shell() -> None:
    assert heard("echo one && echo $((1 + 1))") == "one\n2"


def test_a_list_is_run_without_a_shell() -> None:
    assert heard([sys.executable, "-c", "print('$HOME', 1)"]) == "$HOME 1"


@pytest.mark.parametrize(
    ("spec", "sent"),
    [
        (
            {},
            {
                "version": 1,
                "hook": "SessionStart",
                "timestamp": "1970-01-01T00:00:01.000Z",
                "sessionId": "s1",
                "source": "startup",
            },
        ),
        ({"payload": "native"}, {"session_id": "s1", "novel": [1, 2]}),
        ({"payload": "claude"}, {"hook_event_name": "SessionStart", "session_id": "s1", "source": "startup"}),
    ],
)
def test_the_payload_is_one_line_of_json_on_stdin(spec, sent) -> None:
    printed = heard([sys.executable, "-c", "import sys; print(repr(sys.stdin.buffer.read()))"], **spec)
    line = eval(printed)

    assert (line[-1:], line.count(b"\n")) == (b"\n", 1)
    assert json.loads(line) == sent


@pytest.mark.parametrize("text", ["ä ▲ \u2028", "a\nb\r\x00", "half \ud83d"])
def test_any_text_arrives(text) -> None:
    program = "import json, sys; print(ascii(json.loads(sys.stdin.buffer.read().decode())['source']))"

    assert eval(heard([sys.executable, "-c", program], replace(EVENT, source=text))) == text


@pytest.mark.parametrize("command", ["exec <&-; echo ok", "echo ok", "head -c 1 >/dev/null; echo ok"])
def test_a_hook_need_not_read_its_stdin(command) -> None:
    event = replace(EVENT, source="x" * 3_000_000)

    assert heard(command, event) == "ok"


def test_the_environment_is_the_calls_with_the_hooks_own_over_it(tmp_path) -> None:
    names = ["KEPT", "BOTH", "OWN", "HOOKLINE_EVENT", "HOOKLINE_SESSION_ID", "HOOKLINE_PROJECT_DIR"]
    names += ["CLAUDE_PROJECT_DIR", "HOOKLINE_DEPTH"]
    command = "; ".join(f'echo "${name}"' for name in names)
    env = {"OWN": "own", "BOTH": "own", "HOOKLINE_EVENT": "a lie"}

    assert heard(command, root=tmp_path, env=env).split("\n") == [
        "from the call",
        "own",
        "own",
        "SessionStart",
        "s1",
        str(tmp_path),
        str(tmp_path),
        "mine",
    ]


def test_the_depth_names_every_hook_on_the_way() -> None:
    machine = replace(MACHINE, env={**MACHINE.env, "HOOKLINE_DEPTH": "first:second"})

    assert heard("echo $HOOKLINE_DEPTH", machine=machine) == "first:second:mine"


def test_nothing_of_our_own_environment_leaks(monkeypatch) -> None:
    monkeypatch.setenv("OURS", "secret")

    assert heard('echo "[$OURS]"') == "[]"


@pytest.fixture
def folders(tmp_path):
    for name in ("declared/sub", "project", "here"):
        (tmp_path / name).mkdir(parents=True)
    return tmp_path


@pytest.mark.parametrize(
    ("source", "cwd", "root_known", "where"),
    [
        ("project", "", True, "declared"),
        ("local", "", True, "declared"),
        ("project", "sub", True, "declared/sub"),
        ("user", "", True, "project"),
        ("user", "", False, "here"),
        ("user", "sub", True, "declared/sub"),
    ],
)
def test_a_hook_runs_in_the_projects_root_unless_it_says(folders, source, cwd, root_known, where) -> None:
    facts = Facts({"root": lambda: str(folders / "project")} if root_known else {})
    event = replace(EVENT, cwd=str(folders / "here"))
    given = {"cwd": cwd} if cwd else {}
    state = replace(STATE, facts=facts)

    assert heard("pwd -P", event, root=folders / "declared", source=source, state=state, **given) == str(
        (folders / where).resolve()
    )


def test_an_absolute_cwd_is_taken_as_it_is(folders) -> None:
    assert heard("pwd -P", root=folders / "declared", cwd=str(folders / "here")) == str(
        (folders / "here").resolve()
    )


@pytest.mark.parametrize(
    ("script", "response"),
    [
        ("exit 0", Response()),
        ("echo no >&2; exit 2", Response(verdict="block", reason="no")),
        (
            "echo '@@INJECT: fix'; echo no >&2; exit 2",
            Response(verdict="block", reason="no", context=("fix",)),
        ),
        ("""echo '{"action": "ask", "reason": "?"}'""", Response(verdict="ask", reason="?")),
        ("""echo '{"decision": "block", "reason": "no"}'""", Response(verdict="block", reason="no")),
        ("printf '\\377@@WARN\\n@@WARN: \\377'", Response(warnings=("\ufffd",))),
    ],
)
def test_the_answer_counts(script, response) -> None:
    assert carried(script, PreToolUse(tool="Bash")) == response


@pytest.mark.parametrize(
    ("command", "how"),
    [
        ("echo broken >&2; exit 3", "exited with status 3: broken"),
        ("kill -TERM $$", "was killed by signal 15 (SIGTERM)"),
        (["/nowhere/at/all"], "could not be started: "),
        ("no-such-program-at-all", "exited with status 127: "),
    ],
)
def test_a_failure_is_told(command, how) -> None:
    with pytest.raises(HookFailed) as caught:
        carried(command)

    assert str(caught.value).startswith(how)


def test_a_missing_folder_is_told(tmp_path) -> None:
    with pytest.raises(HookFailed, match=r"could not be started: .*gone"):
        carried("true", root=tmp_path, cwd="gone")


def test_a_hook_that_takes_too_long_is_ended_in_time() -> None:
    began = time.monotonic()
    with pytest.raises(TimeoutError):
        carried("sleep 30", limit=0.3)

    assert time.monotonic() - began < 0.3 + 0.5


@pytest.mark.parametrize(("size", "cut"), [(256 * 1024, False), (256 * 1024 + 1, True)])
def test_what_is_printed_is_read_up_to_256_kib(size, cut) -> None:
    answered = carried([sys.executable, "-c", f"print('x' * {size}, end='')"])

    assert (len(answered.context[0]), bool(answered.warnings)) == (256 * 1024, cut)


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ({"command": " "}, "hook 'mine' requires a command: a text for the shell, or a list of texts"),
        ({"command": []}, "hook 'mine' requires a command: a text for the shell, or a list of texts"),
        ({"command": ["a", 1]}, "hook 'mine' requires a command: a text for the shell, or a list of texts"),
        (
            {"command": "a", "payload": "x"},
            "hook 'mine' has an unknown payload 'x'; available: portable, native, claude",
        ),
        ({"command": "a", "env": {"N": 1}}, "variable 'N' in the env of hook 'mine' is not text; quote it"),
    ],
)
def test_a_declaration_that_cannot_be_carried_out_is_refused(spec, complaint) -> None:
    declaration = Declaration(kind="command", name="mine", on=(SessionStart,), spec=freeze(spec))
    with pytest.raises(ValueError, match=f"^{re.escape(complaint)}$"):
        KIND.bind(declaration, MACHINE)


def test_it_is_found_by_being_there() -> None:
    assert load("command") is KIND


def test_a_patch_is_told_file_by_file_and_the_first_that_is_stopped_ends_it(tmp_path) -> None:
    text = (
        "*** Begin Patch\n*** Add File: a\n+1\n*** Add File: .env\n+2\n*** Add File: c\n+3\n*** End Patch\n"
    )
    event = PreToolUse(
        host="codex",
        tool="apply_patch",
        kind="edit",
        input={"command": text},
        input_keys={"patch": "command"},
        cwd="/r",
    )
    script = "cat >> seen; tail -n1 seen | grep -q '/r/.env' && { echo no >&2; exit 2; }; exit 0"
    answer = carried(script, event, root=tmp_path, payload="claude")
    told = [json.loads(line)["tool_input"] for line in (tmp_path / "seen").read_text().splitlines()]

    assert answer.reason == "no"
    assert told == [{"file_path": "/r/a", "content": "1"}, {"file_path": "/r/.env", "content": "2"}]
