"""Test `hookline trust` and `untrust`: only a human can trust a project, and only its current content."""

import json
import stat

import pytest

HOOK = {"version": 1, "hooks": {"PreToolUse": [{"command": "echo no >&2; exit 2", "name": "gate"}]}}
CHANGED = {"version": 1, "hooks": {"PreToolUse": [{"command": "echo NO >&2; exit 2", "name": "gate"}]}}
NO_TERMINAL = (
    "hookline: trusting a project requires an interactive terminal, "
    "or a consent in consents.toml (see SECURITY.md)\n"
)


def stopped(user):
    reply = user.hook(user.shell("ls"))[1]
    return reply.get("hookSpecificOutput", {}).get("permissionDecisionReason")


def trust_file(user):
    return user.home / ".config" / "hookline" / "trust.json"


@pytest.mark.slow
def test_a_yes_lets_the_hook_run_and_another_word_does_not(user, at_terminal):
    user.write(".hookline/hooks.json", HOOK)
    said = {answer: at_terminal("trust", answer=answer)[0] for answer in ("n\n", "\n", "sure\n", "\x04")}
    before = stopped(user)
    code, seen = at_terminal("trust", answer="y\n")

    assert said == {"n\n": 1, "\n": 1, "sure\n": 1, "\x04": 1}
    assert before is None
    assert code == 0
    assert '+{"version": 1, "hooks"' in seen
    assert "Trust these files? [y/N]" in seen
    assert stopped(user).startswith("no")


@pytest.mark.parametrize("words", [[], ["--yes"]])
def test_an_agent_without_a_terminal_is_refused(user, words):
    user.write(".hookline/hooks.json", HOOK)
    ran = user.run("trust", *words, stdin="y\n")

    assert (ran.returncode, ran.stdout, ran.stderr.decode()) == (1, b"", NO_TERMINAL)
    assert not trust_file(user).exists()


def test_input_that_is_no_terminal_is_refused_even_where_there_is_one(user, at_terminal):
    user.write(".hookline/hooks.json", HOOK)
    answers = user.write("answers", "y\n" * 9)

    assert at_terminal("trust", "--yes", stdin=str(answers)) == (1, NO_TERMINAL)
    assert not trust_file(user).exists()


def test_an_agent_with_a_terminal_is_refused(user, at_terminal):
    user.write(".hookline/hooks.json", HOOK)
    code, seen = at_terminal("trust", answer="y\n", CLAUDECODE="1")

    assert code == 1
    assert "not allowed inside claude-code" in seen
    assert not trust_file(user).exists()


def test_it_is_refused_inside_a_hook(user, at_terminal):
    user.write(".hookline/hooks.json", HOOK)
    code, seen = at_terminal("trust", "--yes", HOOKLINE_DEPTH="gate")

    assert code == 1
    assert "not allowed inside a hook" in seen
    assert not trust_file(user).exists()


def test_the_trust_file_is_its_users_alone(user, trusted):
    trusted({".hookline/hooks.json": HOOK})

    assert stat.S_IMODE(trust_file(user).stat().st_mode) == 0o600
    assert json.loads(trust_file(user).read_text())["version"] == 1


def test_show_says_what_is_trusted(user, trusted):
    trusted({".hookline/hooks.json": HOOK})
    ran = user.run("trust", "--show")

    assert ran.returncode == 0
    assert ran.stdout.decode() == f"{user.project} is trusted. Trusted files:\n  .hookline/hooks.json\n"


def test_show_says_what_changed_since(user, trusted):
    trusted({".hookline/hooks.json": HOOK})
    user.write(".hookline/hooks.json", CHANGED)
    ran = user.run("trust", "--show")
    shown = ran.stdout.decode()

    assert ran.returncode == 0
    assert "changed since it was trusted" in shown
    assert "--- trusted/.hookline/hooks.json\n+++ now/.hookline/hooks.json\n" in shown
    assert f"\n-{json.dumps(HOOK)}\n" in shown
    assert f"\n+{json.dumps(CHANGED)}\n" in shown
    assert stopped(user) is None


def test_show_runs_nothing(user):
    seen = user.home / "seen"
    user.write(".hookline/hooks/evil.py", f"open({str(seen)!r}, 'w')\n")
    ran = user.run("trust", "--show")

    assert f"+open({str(seen)!r}, 'w')" in ran.stdout.decode()
    assert not seen.exists()


def test_a_file_cannot_hide_in_the_diff(user):
    user.write(".hookline/hooks/evil.py", "import os\x1b[1A\x1b[2K\r# harmless\u202e\n")
    shown = user.run("trust", "--show").stdout.decode()

    assert "+import os␛[1A␛[2K" in shown
    assert not {"\x1b", "\r", "\u202e"} & set(shown)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a\n+++ now-b.py", r'"a\n+++ now-b.py"'),
        ("a\r\x1b[2K\u202e\udcff.py", r'"a\r\u001b[2K\u202e\udcff.py"'),
        (r'"a\n.py', r'"\"a\\n.py"'),
        ("ä b.py", "ä b.py"),
    ],
)
def test_a_file_name_cannot_forge_a_line_of_the_diff(user, name, shown):
    user.write(f".hookline/hooks/{name}", "pass\n")
    lines = user.run("trust", "--show").stdout.decode().split("\n")
    quoted = shown[0] == '"'
    path = f'"now/.hookline/hooks/{shown[1:]}' if quoted else f"now/.hookline/hooks/{shown}"

    assert f"+++ {path}" in lines
    assert [line for line in lines if line.startswith("+++ ")] == [f"+++ {path}"]
    assert sum(line.startswith("not trusted: ") for line in lines) == 1


def test_an_empty_file_is_in_the_diff(user, trusted):
    user.write(".hookline/hooks.json", HOOK)
    empty = user.write(".hookline/hooks/helper.txt", "")
    shown = user.run("trust", "--show").stdout.decode()
    trusted({})
    empty.unlink()
    after = user.run("trust", "--show").stdout.decode()

    assert "--- /dev/null\n+++ now/.hookline/hooks/helper.txt\n" in shown
    assert "--- trusted/.hookline/hooks/helper.txt\n+++ /dev/null\n" in after


def test_trusting_twice_asks_once(user, trusted, at_terminal):
    trusted({".hookline/hooks.json": HOOK})
    code, seen = at_terminal("trust")

    assert code == 0
    assert "is trusted. Trusted files" in seen
    assert "[y/N]" not in seen


def test_a_project_without_anything_needs_none(user, at_terminal):
    assert at_terminal("trust") == (0, f"{user.project} has no files that need trust\n")


def test_untrust_takes_it_back(user, trusted):
    trusted({".hookline/hooks.json": HOOK})
    said = [user.run("untrust").stdout.decode() for _ in range(2)]

    assert said == [f"{user.project} is no longer trusted\n", f"{user.project} was not trusted\n"]
    assert stopped(user) is None


def test_a_trust_file_of_others_is_said_and_not_changed(user, trusted, at_terminal):
    trusted({".hookline/hooks.json": HOOK})
    user.write(".hookline/hooks.json", CHANGED)
    trust_file(user).chmod(0o644)
    before = trust_file(user).read_text()
    code, seen = at_terminal("trust", "--yes")
    ran = user.run("untrust")

    assert code == 1
    assert "chmod 600" in seen
    assert trust_file(user).read_text() == before
    assert (ran.returncode, ran.stderr.decode().count("chmod 600")) == (1, 1)


def reads(user, path):
    return user.hook(user.payload("PreToolUse.Read", tool_input={"file_path": str(user.project / path)}))


@pytest.mark.slow
def test_lines_that_open_what_is_kept_count_once_trusted(user, trusted):
    user.write(".ckignore", "!dist/\n!.git/\n")
    before = [reads(user, path) for path in ("dist/a.js", ".git/index")]
    trusted({})
    after = reads(user, ".git/index")
    user.write(".ckignore", "!dist/\n!.git/\n!.aws/\n")

    assert "1 item of this project waits" in json.dumps(before[0])
    assert ["ignored-path" in json.dumps(one) for one in (*before, after)] == [False, True, False]
    assert "ignored-path" in json.dumps(reads(user, ".git/index"))
