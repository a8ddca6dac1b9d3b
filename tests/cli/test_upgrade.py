"""Test `hookline upgrade`: it rewrites only unchanged entries of its own."""

import shutil

from tests.conftest import WIRED_PROGRAM

OURS = ".local/state/hookline"


def wire(user, *words, **env):
    ran = user.run("init", "--yes", *words, **env)
    assert ran.returncode == 0, ran.stdout.decode() + ran.stderr.decode()


def upgrade(user, **env):
    ran = user.run("upgrade", "--yes", **env)
    return ran.returncode, ran.stdout.decode() + ran.stderr.decode()


def test_what_is_as_it_should_be_is_said(user):
    wire(user, "--host", "codex")

    assert upgrade(user) == (0, "codex: .codex/hooks.json is up to date\n")


def test_an_entry_of_another_version_is_written_anew(user):
    wire(user, "--host", "codex")
    path = user.project / ".codex/hooks.json"
    now = path.read_text()
    path.write_text(WIRED_PROGRAM.sub("/old/hookline", now))
    code, _ = upgrade(user)

    assert (code, path.read_text()) == (0, now)


def test_a_project_that_is_gone_is_forgotten_and_not_made_again(user):
    wire(user, "--host", "codex", "--host", "cline")
    gone = user.project
    user.project = user.home
    shutil.rmtree(gone)
    code, seen = upgrade(user)

    assert code == 0
    assert f"codex: {gone}/.codex/hooks.json is missing; its install record is deleted" in seen
    assert not gone.exists()
    assert not (user.home / OURS).exists()


def test_what_was_taken_out_by_hand_is_not_put_back(user):
    wire(user, "--host", "codex")
    path = user.project / ".codex/hooks.json"
    path.write_text('{"hooks": {}}')
    code, seen = upgrade(user)

    assert (code, path.read_text()) == (0, '{"hooks": {}}')
    assert "no longer contains our hooks; its install record is deleted" in seen


def test_a_folder_that_a_variable_moved_is_found_without_it(user):
    elsewhere = user.home / "elsewhere"
    wire(user, "--user", "--host", "codex", CODEX_HOME=str(elsewhere))
    path = elsewhere / "hooks.json"
    now = path.read_text()
    path.write_text(now.replace("hook codex", "hook codex --event Stop"))
    code, seen = upgrade(user)

    assert code == 0, seen
    assert path.read_text() == now
    assert not (user.home / ".codex").exists()


def test_a_file_of_ours_that_was_deleted_is_not_made_again(user):
    wire(user, "--host", "cline")
    path = user.project / ".cline/hooks/PreToolUse"
    path.unlink()
    code, seen = upgrade(user)
    again, seen_again = upgrade(user)

    assert (code, again) == (0, 0)
    assert "cline: .cline/hooks/PreToolUse is missing; its install record is deleted" in seen
    assert "PreToolUse" not in seen_again
    assert not path.exists()


def test_nothing_that_was_wired_is_said(user):
    assert upgrade(user) == (0, "no hooks are installed\n")


def test_a_note_that_cannot_be_read_is_said(user):
    wire(user, "--host", "codex")
    for note in (user.home / OURS / "wired").glob("*.json"):
        note.write_text("[]")
    code, seen = upgrade(user)

    assert code == 1
    assert "cannot be read" in seen
