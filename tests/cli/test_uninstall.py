"""`hookline uninstall`: exactly what is ours goes, wherever and by whomever it was wired."""

import json
import shutil

import pytest

OURS = ".local/state/hookline"


def files(folder):
    """Everything below a folder, but for version control."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if ".git" not in path.parts}


def wire(user, *words):
    ran = user.run("init", "--yes", *words)
    assert ran.returncode == 0, ran.stdout.decode() + ran.stderr.decode()


def test_a_file_of_the_users_own_that_names_us_stays(user, at_terminal):
    path = user.write(".cline/hooks/PreToolUse", "./lint.sh && hookline hook cline\n")
    user.run("init", "--yes", "--host", "cline")
    at_terminal("uninstall", "--yes")

    assert files(user.project / ".cline") == {"hooks", "hooks/PreToolUse"}
    assert path.read_text() == "./lint.sh && hookline hook cline\n"


def test_a_file_of_ours_that_was_edited_goes_where_it_still_says_that_it_is_ours(user, at_terminal):
    wire(user, "--host", "cline")
    path = user.project / ".cline/hooks/PreToolUse"
    path.write_text(path.read_text() + "# mine\n")
    code, seen = at_terminal("uninstall", "--yes")

    assert (code, path.exists()) == (0, False), seen
    assert "-# mine" in seen


def test_a_file_of_ours_that_cannot_be_told_any_more_is_left_and_said(user, at_terminal):
    wire(user, "--host", "cline")
    path = user.project / ".cline/hooks/PreToolUse"
    path.write_text("./lint.sh && hookline hook cline\n")
    code, seen = at_terminal("uninstall", "--yes")
    again, seen_again = at_terminal("uninstall", "--yes")

    assert (code, again, path.exists()) == (1, 1, True)
    assert "was changed since it was written, and stays: take us out of it yourself" in seen
    assert "left in 1" in seen_again


def test_an_edited_file_of_ours_that_init_replaced_is_in_the_notes_and_does_not_come_back(user, at_terminal):
    wire(user, "--host", "cline")
    path = user.project / ".cline/hooks/PreToolUse"
    path.write_text(path.read_text() + "# mine\n")
    wire(user, "--host", "cline")
    notes = [json.loads(one.read_text()) for one in (user.home / OURS / "wired").glob("*.json")]
    at_terminal("uninstall", "--yes")

    assert len([one for one in notes if one["before"]]) == 1
    assert files(user.project) == set()


def test_a_project_that_was_moved_is_as_it_was_before(user, at_terminal):
    path = user.write(".claude/settings.json", '{"a": 1}\n')
    wire(user, "--host", "claude-code", "--host", "cline")
    moved = user.project.rename(user.project.parent / "moved")
    user.project = moved
    code, seen = at_terminal("uninstall", "--yes")

    assert code == 0, seen
    assert files(moved) == {".claude", ".claude/settings.json"}
    assert (moved / ".claude" / path.name).read_text() == '{"a": 1}\n'
    assert not (user.home / OURS).exists()


def test_what_a_colleague_wired_goes_as_well(user, at_terminal):
    wire(user, "--host", "claude-code", "--host", "cline", "--host", "copilot-cli")
    shutil.rmtree(user.home / OURS)
    code, seen = at_terminal("uninstall", "--yes")
    left = (user.project / ".claude/settings.json").read_text()

    assert code == 0, seen
    assert "hookline" not in left
    assert not any(json.loads(left)["hooks"].values())
    assert files(user.project) == {
        ".claude",
        ".claude/settings.json",
        ".cline",
        ".cline/hooks",
        ".github",
    } | {".github/hooks"}


def test_a_note_that_cannot_be_read_is_said(user, at_terminal):
    wire(user, "--host", "claude-code")
    for note in (user.home / OURS / "wired").glob("*.json"):
        note.write_text("{")
    code, seen = at_terminal("uninstall", "--yes")

    assert code == 1
    assert "cannot be read: which file it is about is not known" in seen
    assert "taken out of 1 file" in seen
    assert "hookline hook" not in (user.project / ".claude/settings.json").read_text()


def test_an_entry_that_only_names_us_stays_after_an_edit(user, at_terminal):
    named = {"type": "command", "command": "./mine.sh", "statusMessage": "hookline hook claude-code"}
    before = {"hooks": {"Stop": [{"hooks": [named]}]}}
    path = user.write(".claude/settings.json", json.dumps(before))
    wire(user, "--host", "claude-code")
    path.write_text(path.read_text() + "\n")
    code, seen = at_terminal("uninstall", "--yes")

    assert code == 0, seen
    assert path.read_text() == json.dumps(before) + "\n"


@pytest.mark.parametrize("host", ["reasonix", "claude-code", "cline", "copilot-cli", "opencode"])
def test_no_folder_that_we_made_is_left_behind(user, at_terminal, host):
    (user.home / ".local/state").mkdir(parents=True)
    before = files(user.home)
    wire(user, "--user", "--host", host)
    code, seen = at_terminal("uninstall", "--user", "--yes")

    assert code == 0, seen
    assert files(user.home) == before


def test_folders_that_two_agents_share_go_with_the_last_of_them(user, at_terminal):
    wire(user, "--host", "copilot-cli", "--host", "vscode")
    at_terminal("uninstall", "--yes", "--host", "copilot-cli")
    between = files(user.project)
    at_terminal("uninstall", "--yes")

    assert between == {".github", ".github/hooks", ".github/hooks/hookline-vscode.json"}
    assert files(user.project) == set()


def test_a_link_that_somebody_put_in_the_place_of_the_file_is_not_followed(user, at_terminal, tmp_path):
    wire(user, "--host", "claude-code")
    path = user.project / ".claude/settings.json"
    outside = tmp_path / "outside.json"
    path.rename(outside)
    path.symlink_to(outside)
    code, seen = at_terminal("uninstall", "--yes")

    assert code == 1
    assert "is a link out of the project" in seen
    assert "hookline hook" in outside.read_text()


def test_nothing_to_take_out_is_said(user, at_terminal):
    user.write(".claude/settings.json", {"hooks": {}})

    assert at_terminal("uninstall", "--yes") == (0, "nothing here was wired by `hookline init`\n")
