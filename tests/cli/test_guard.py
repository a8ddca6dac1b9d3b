"""Test `hookline guard`: a project's own expectations, and scores on labelled files."""

import importlib.util
import json
import subprocess
from pathlib import Path

import pytest

CORPUS = Path(__file__).parent.parent / "corpus"
MATRIX = CORPUS / "matrix.jsonl"
FORCED = "dangerous-command:git-push-force"
LEASE = "dangerous-command:git-push-lease"
TESTS = ".hookline/guard-tests.jsonl"


def jsonl(*rows):
    return "".join(row if isinstance(row, str) else json.dumps(row) + "\n" for row in rows)


def guard_test(user, *rows, words=(), **env):
    """Run `hookline guard test` on *rows* and return (exit code, results)."""
    user.write(TESTS, jsonl(*rows))
    done = user.run("guard", "test", "--json", *words, **env)
    assert done.stderr == b""
    return done.returncode, json.loads(done.stdout)["results"]


def expect(command, expected, **more):
    return {"command": command, "expect": expected, **more}


@pytest.mark.parametrize(
    ("row", "got", "holds"),
    [
        (expect("git push --force", "block"), "block", True),
        (expect("git push --force", "allow"), "block", False),
        (expect("git push --force", "ask"), "block", False),
        (expect("git push", "allow"), "allow", True),
        (expect("git push", "block"), "allow", False),
        (expect("git push -f", "block", rule=FORCED), "block", True),
        (expect("git push -f", "block", rule="dangerous-command:rm-root"), "block", False),
        (expect("git push --force-with-lease", "allow", rule=LEASE), "allow", True),
        (expect("git push", "allow", rule=LEASE), "allow", False),
    ],
)
def test_an_expectation_holds_or_does_not(user, row, got, holds):
    code, (result,) = guard_test(user, row)

    assert (result["got"], result["holds"], code) == (got, holds, 0 if holds else 1)


def test_one_that_does_not_hold_fails_all(user):
    code, results = guard_test(
        user, expect("ls", "allow"), expect("ls", "block"), expect("git push -f", "block")
    )

    assert (code, [result["holds"] for result in results]) == (1, [True, False, True])


def test_a_payload_is_what_its_host_sends(user):
    read = user.payload("PreToolUse.Read", tool_input={"file_path": "src/a.py"})
    prompt = {"hook": "UserPromptSubmit", "sessionId": "s", "prompt": "hello"}
    code, results = guard_test(
        user,
        {"payload": user.shell("git push -f"), "expect": "block", "rule": FORCED},
        {"payload": read, "host": "claude-code", "expect": "allow"},
        {"payload": prompt, "host": "envelope", "expect": "allow"},
        {"payload": {"hook_event_name": "CwdChanged"}, "expect": "allow"},
    )

    assert code == 0
    assert [result["what"] for result in results] == ["git push -f", "src/a.py", "hello", ""]


def test_a_command_can_be_one_of_another_host(user):
    code, (result,) = guard_test(user, expect("git push -f", "block", host="envelope"))

    assert (code, result["rules"]) == (0, [FORCED])


@pytest.mark.parametrize(
    ("command", "cwd", "expected"),
    [
        ("rm -rf usr", "/", "block"),
        ("rm -rf usr", "/srv/cache", "allow"),
        ("rm -rf ..", "build", "block"),
        ("rm -rf ../old", "build", "allow"),
    ],
)
def test_the_working_directory_counts(user, command, cwd, expected):
    code, _ = guard_test(user, expect(command, expected, cwd=cwd))

    assert code == 0


def test_the_configuration_is_the_projects(user):
    row = expect("git push --force-with-lease", "block", rule=LEASE)
    loose, _ = guard_test(user, row)
    user.write(".hookline/hookline.toml", '[hooks.dangerous-command]\nlease = "block"\n')
    strict, _ = guard_test(user, row)

    assert (loose, strict) == (1, 0)


def test_the_file_is_found_from_below_and_can_be_another(user):
    user.write(TESTS, jsonl(expect("ls", "block")))
    (user.project / "src").mkdir()
    (user.project / "other.jsonl").write_text(jsonl("\n", expect("ls", "allow"), "  \n"))
    below = user.run("guard", "test", "--cwd", "src")
    other = user.run("guard", "test", "other.jsonl")

    assert (below.returncode, other.returncode) == (1, 0)


def test_what_a_person_sees(user):
    user.write(TESTS, jsonl(expect("git push -f", "block", why="history"), expect("git push -f", "allow")))
    done = user.run("guard", "test")
    lines = done.stdout.decode().splitlines()

    assert (done.returncode, done.stderr) == (1, b"")
    assert lines[0].split() == ["test", "line", "expected", "actual", "call", "comment"]
    assert lines[1].split() == ["ok", "1", "block", "block", "git", "push", "-f", "history"]
    assert lines[2].split()[:4] == ["FAILED", "2", "allow", "block"]
    assert f"{TESTS}:2: expected allow, got block by {FORCED}" in lines
    assert lines[-1] == "1 of 2 tests passed"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("no JSON\n", "invalid JSON"),
        ("[1]\n", "expected a JSON object, such as {"),
        ('{"expect": "allow"}\n', "expected either 'command' or 'payload'"),
        (expect("ls", "allow", payload={}), "expected either 'command' or 'payload'"),
        (expect("ls", "deny"), "invalid 'expect' 'deny': expected allow, ask, block"),
        ({"command": "ls"}, "invalid 'expect' None: expected allow, ask, block"),
        (expect("ls", "allow", expects="x"), "unknown key 'expects'; expected: command, payload"),
        (expect(["ls"], "allow"), "invalid 'command': expected a string"),
        (
            expect("ls", "allow", host="claude-cod"),
            "no host named 'claude-cod'; did you mean 'claude-code'?",
        ),
        ({"payload": "ls", "expect": "allow"}, "invalid 'payload': expected a JSON object"),
        ({"payload": {"no": "event"}, "expect": "allow"}, "does not name its event"),
        ({"payload": {"hook_event_name": "PreToolUse"}, "expect": "allow"}, "has no 'tool_name'"),
    ],
)
def test_a_bad_line_is_an_error_with_its_place(user, line, said):
    user.write(TESTS, jsonl(expect("ls", "allow"), line))
    done = user.run("guard", "test")

    assert (done.returncode, done.stdout) == (2, b"")
    assert f"{TESTS}:2: " in done.stderr.decode()
    assert said in done.stderr.decode()


def test_every_bad_line_is_named(user):
    user.write(TESTS, "x\n\ny\n")
    said = user.run("guard", "test").stderr.decode()

    assert f"{TESTS}:1: invalid JSON\n{TESTS}:3: invalid JSON" in said


@pytest.mark.parametrize(
    ("content", "code", "said"),
    [
        (None, 1, f"{TESTS}: no such file or directory"),
        ("\n", 2, f"{TESTS}: no tests found; write one per line"),
    ],
)
def test_no_tests_are_no_success(user, content, code, said):
    if content is not None:
        user.write(TESTS, content)
    done = user.run("guard", "test")

    assert done.returncode == code
    assert said in done.stderr.decode()


def test_nothing_is_recorded(user):
    guard_test(user, expect("git push -f", "block"))

    assert user.log() == []


def score(user, *rows, words=("--only", "dangerous-command")):
    (user.project / "rows.jsonl").write_text(jsonl(*rows))
    done = user.run("guard", "score", "rows.jsonl", "--json", *words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def row(cmd, expected, tier="seed", category="x", **more):
    return {"cmd": cmd, "expect": expected, "tier": tier, "category": category, **more}


def share(report, tier):
    (found,) = [one for one in report["tiers"] if one["tier"] == tier]
    return found["wanted"], found["caught"], found["harmless"], found["flagged"]


def test_recall_and_false_alarms_are_counted_by_tier(user):
    report = score(
        user,
        row("git push -f", "block"),
        row("git push", "block"),
        row("git status", "allow", tier="benign"),
        row("git push -f", "allow", tier="benign"),
        row("git push -f", "allow", tier="contested"),
    )

    assert share(report, "seed") == (2, 1, 0, 0)
    assert share(report, "benign") == (0, 0, 2, 1)
    assert share(report, "contested") == (0, 0, 1, 1)
    assert share(report, "all") == (2, 1, 2, 1)
    assert [one["tier"] for one in report["tiers"]] == ["seed", "benign", "contested", "all"]
    assert [one["recall"] for one in report["tiers"]] == [0.5, None, None, 0.5]
    assert [one["falseAlarms"] for one in report["tiers"]] == [None, 0.5, 1.0, 0.5]


def test_and_by_category(user):
    report = score(user, row("git push -f", "block"), row("git push", "block", category="y"))

    assert [(one["category"], one["recall"]) for one in report["categories"]] == [("x", 1.0), ("y", 0.0)]


def test_to_ask_is_to_stop(user):
    report = score(user, row("terraform destroy -auto-approve", "block"))

    assert share(report, "seed") == (1, 1, 0, 0)


def test_misses_are_named(user):
    report = score(user, row("git push", "block", id="r1"), row("git push -f", "allow", id="r2"))

    assert [(one["id"], one["expect"], one["said"]) for one in report["misses"]] == [
        ("r1", "block", "allow"),
        ("r2", "allow", "block"),
    ]


@pytest.mark.parametrize(
    ("command", "stopped"),
    [
        ("rm -rf /home/test", 1),
        ("rm -rf ~", 1),
        ("rm -rf .", 1),
        ("rm -rf ../project", 1),
        ("rm -rf build", 0),
    ],
)
def test_home_and_working_directory_are_those_of_the_rows(user, command, stopped):
    assert share(score(user, row(command, "block")), "seed") == (1, stopped, 0, 0)


def test_a_row_without_tier_category_or_id_is_one_too(user):
    report = score(user, {"cmd": "git push", "expect": "block"})

    assert share(report, "all") == (1, 0, 0, 0)
    assert report["misses"][0]["id"] == "line 1"


def test_rows_that_nobody_listens_for_are_said(user):
    told = {"prompt": "hello", "expect": "pass"}
    report = score(user, told, row("ls", "allow"))
    shown = user.run("guard", "score", "rows.jsonl", "--only", "dangerous-command").stdout.decode()

    assert report["unheard"] == 1
    assert "1 rows are events that these guards do not handle" in shown


def test_what_a_person_sees_of_a_score(user):
    rows = (row("git push -f", "block"), row("git push", "block"))
    (user.project / "rows.jsonl").write_text(jsonl(*rows))
    few = user.run("guard", "score", "rows.jsonl", "--only", "dangerous-command").stdout.decode()
    more = user.run("guard", "score", "rows.jsonl", "--only", "dangerous-command", "--misses").stdout.decode()

    assert few.startswith("2 rows against dangerous-command\n")
    assert ["seed", "x", "2", "1", "50.00%", "0", "0"] in [line.split() for line in few.splitlines()]
    assert few.rstrip() in more
    assert more.rstrip().splitlines()[-1].split() == ["line", "2", "seed", "block", "allow", "git", "push"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("x\n", "rows.jsonl:2: invalid labelled case: "),
        (
            '{"cmd": "ls", "expect": "maybe"}\n',
            "invalid 'expect' 'maybe': expected block, warn, redact, gate, allow",
        ),
        ('{"cmd": "ls"}\n', "invalid 'expect' None"),
        ('{"expect": "allow"}\n', "expected one of: cmd, command, path, input, text, prompt"),
        ('{"tool": "Nope", "path": "a", "expect": "allow"}\n', "missing key 'Nope'"),
        ('{"tool": "Read", "command": "a", "expect": "allow"}\n', "missing key 'command'"),
        ("7\n", "rows.jsonl:2: invalid labelled case: "),
    ],
)
def test_a_row_that_is_none_is_an_error_with_its_place(user, line, said):
    (user.project / "rows.jsonl").write_text(jsonl(row("ls", "allow"), line))
    done = user.run("guard", "score", "rows.jsonl")

    assert (done.returncode, done.stdout) == (2, b"")
    assert said in done.stderr.decode()
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["score", "nowhere.jsonl"], 1, "nowhere.jsonl: no such file or directory"),
        (["score", str(MATRIX), "--only", "audit"], 2, "no built-in guard named 'audit'; available: "),
        ([], 2, "the following arguments are required: ACTION"),
    ],
)
def test_a_wrong_call_is_one_clear_sentence(user, words, code, said):
    done = user.run("guard", *words)

    assert (done.returncode, done.stdout) == (code, b"")
    assert said in done.stderr.decode()


def judged(line, response):
    """Return whether the label of *line* matches when a guard answers with *response*."""
    from hookline.cli._guard import score as labels
    from hookline.core import chain
    from hookline.core.events import Event
    from hookline.core.hook import Hook
    from hookline.core.state import State

    one = labels.parse_row(1, line)
    guard = Hook(name="g", on=(Event,), judge=lambda event, state: response)
    outcome = chain.run(one.event, State(now=0.0), [guard])
    return labels.is_correct(one, one.expect, outcome, warns="tool" in line)


def said(word, output=None):
    from hookline import ask, block, inject, modify

    return {
        "block": block("no"), "ask": ask("?"), "warn": inject("careful"), "pass": None,
        "modify": modify(output=output) if output else None,
    }[word]  # fmt: skip


@pytest.mark.parametrize(
    ("expected", "right"),
    [("block", ("block", "ask")), ("warn", ("warn",)), ("allow", ("pass",)), ("gate", ("block", "ask"))],
)
def test_of_a_call_these_verdicts_are_right(expected, right):
    line = {"tool": "Read", "path": ".env", "expect": expected}

    assert tuple(w for w in ("block", "ask", "warn", "pass") if judged(line, said(w))) == right


def test_a_warning_is_a_false_alarm_only_where_the_labels_know_warnings():
    assert judged(row("git push", "allow"), said("warn"))
    assert not judged({"tool": "Bash", "command": "ls", "expect": "allow"}, said("warn"))


SECRET = {"text": "a {{S0}} b {{S1}}", "secrets": [["se", "cret"], ["to", "ken"]]}


@pytest.mark.parametrize(
    ("output", "redacted", "kept"),
    [("a x b y", True, False), ("a x b token", False, False), ("a secret b token", False, True)],
)
def test_of_an_output_every_secret_must_be_gone_or_all_of_it_be_kept(output, redacted, kept):
    response = said("modify", output)

    assert judged({**SECRET, "expect": "redact"}, response) is redacted
    assert judged({**SECRET, "expect": "keep"}, response) is kept


def test_a_miss_never_shows_the_secret(user):
    (user.project / "rows.jsonl").write_text(jsonl({**SECRET, "expect": "redact", "type": "t"}))
    shown = user.run("guard", "score", "rows.jsonl", "--only", "dangerous-command", "--misses").stdout

    assert b"{{S0}}" in shown
    assert b"secret" not in shown


def generator():
    spec = importlib.util.spec_from_file_location("matrix", CORPUS / "matrix.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_matrix_is_what_its_generator_writes():
    text = MATRIX.read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]

    assert generator().text() == text
    assert len({one["id"] for one in rows}) == len(rows) >= 2_000
    assert len({one["cmd"] for one in rows}) > 0.97 * len(rows)


def test_bash_accepts_every_row_of_the_matrix(tmp_path):
    script = tmp_path / "all.sh"
    commands = [json.loads(line)["cmd"] for line in MATRIX.read_text(encoding="utf-8").splitlines()]
    script.write_text("".join(f"f{n}() {{\n{command}\n}}\n" for n, command in enumerate(commands)))
    checked = subprocess.run(["bash", "-n", str(script)], capture_output=True, text=True, check=False)

    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.slow
def test_the_figures_on_the_matrix(user):
    done = user.run("guard", "score", str(MATRIX), "--only", "dangerous-command", "--json")
    report = json.loads(done.stdout)
    (whole,) = [one for one in report["tiers"] if one["tier"] == "all"]
    print(f"\nrecall {whole['recall']:.2%}, false alarms {whole['falseAlarms']:.2%}")

    assert whole["recall"] >= 0.99
    assert whole["falseAlarms"] <= 0.005
    assert report["failed"] == {}
