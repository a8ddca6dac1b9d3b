"""Test `hookline uninstall`: it removes exactly hookline's own entries, in every scope."""

import json
import shutil

import pytest

OURS = ".local/state/hookline"


def files(folder):
    """Return the relative paths below a folder, without version control."""
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
    assert "was changed by others and was kept: remove hookline from it yourself" in seen
    assert "not removed from 1" in seen_again


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

    assert code == 0, seen
    assert files(user.project) == {".claude", ".cline", ".cline/hooks", ".github", ".github/hooks"}


@pytest.mark.parametrize("host", ["claude-code", "gemini-cli", "cursor", "codex"])
def test_a_file_with_nothing_but_us_goes_though_nothing_is_noted(user, at_terminal, host):
    wire(user, "--host", host)
    shutil.rmtree(user.home / OURS)
    code, seen = at_terminal("uninstall", "--yes")

    assert code == 0, seen
    assert not [path for path in user.project.rglob("*.json") if ".git" not in path.parts]


@pytest.mark.parametrize(
    ("before", "left"),
    [
        ('{\n  "a": 1\n}\n', '{\n  "a": 1\n}\n'),
        ('{"a": 1}', '{"a": 1}'),
        ('{"hooks": {"Custom": []}}', '{"hooks": {"Custom": []}}'),
        ('{"a": 1, "hooks": {}}', '{"a": 1}'),
        ("{}", "{}"),
    ],
)
def test_of_what_was_there_all_stays_though_nothing_is_noted(user, at_terminal, before, left):
    path = user.write(".claude/settings.json", before)
    wire(user, "--host", "claude-code")
    shutil.rmtree(user.home / OURS)
    code, seen = at_terminal("uninstall", "--yes")

    assert code == 0, seen
    assert json.loads(path.read_text()) == json.loads(left)
    assert "hookline" not in path.read_text()


def test_a_list_with_a_comment_in_it_stays_though_nothing_is_noted(user, at_terminal):
    before = '{"hooks": {"AfterTool": [ // mine\n]}}'
    path = user.write(".gemini/settings.json", before)
    wire(user, "--host", "gemini-cli")
    shutil.rmtree(user.home / OURS)
    at_terminal("uninstall", "--yes")

    assert path.read_text().split() == before.split()


HAND = '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"%s hook claude-code","timeout":5}]}]}}'


@pytest.mark.parametrize("program", ["hookline", "/opt/bin/hookline", "bash -m hookline"])
def test_an_entry_written_by_hand_is_there_again_though_it_looks_like_ours(user, at_terminal, program):
    path = user.write(".claude/settings.json", HAND % program)
    wire(user, "--host", "claude-code")
    wired = path.read_text()
    wire(user, "--host", "claude-code")
    code, seen = at_terminal("uninstall", "--yes")

    assert (code, path.read_text()) == (0, HAND % program), seen
    assert wired != HAND % program
    assert ("it already called hookline at PreToolUse" in seen) is (program != "bash -m hookline")


def test_a_script_that_has_our_name_is_nobodys_entry_of_ours(user, at_terminal):
    path = user.write(".claude/settings.json", HAND % "bash -m hookline")

    assert at_terminal("uninstall", "--yes") == (0, "no hooks are installed here\n")
    assert path.read_text() == HAND % "bash -m hookline"


def test_a_note_that_cannot_be_read_is_said(user, at_terminal):
    wire(user, "--host", "claude-code")
    for note in (user.home / OURS / "wired").glob("*.json"):
        note.write_text("{")
    code, seen = at_terminal("uninstall", "--yes")

    assert code == 1
    assert "cannot be read, so its settings file is unknown" in seen
    assert "removed from 1 file" in seen
    assert files(user.project) == {".claude"}


def test_an_entry_that_only_names_us_stays_after_an_edit(user, at_terminal):
    named = {"type": "command", "command": "./mine.sh", "statusMessage": "hookline hook claude-code"}
    before = {"hooks": {"Stop": [{"hooks": [named]}]}}
    path = user.write(".claude/settings.json", json.dumps(before))
    wire(user, "--host", "claude-code")
    path.write_text(path.read_text() + "\n")
    code, seen = at_terminal("uninstall", "--yes")

    assert code == 0, seen
    assert path.read_text() == json.dumps(before) + "\n"


@pytest.mark.slow
@pytest.mark.parametrize("host", ["reasonix", "claude-code", "cline", "copilot-cli", "opencode"])
@pytest.mark.parametrize("there", ["", ".local", ".local/state"])
def test_no_folder_that_we_made_is_left_behind(user, at_terminal, host, there):
    (user.home / there).mkdir(parents=True, exist_ok=True)
    before = files(user.home)
    wire(user, "--user", "--host", host)
    code, seen = at_terminal("uninstall", "--user", "--yes")

    assert code == 0, seen
    assert files(user.home) == before


def test_a_folder_that_others_use_by_now_stays(user, at_terminal):
    wire(user, "--user", "--host", "claude-code")
    user.write("~/.local/state/other/x", "")
    at_terminal("uninstall", "--user", "--yes")

    assert files(user.home) == {".local", ".local/state", ".local/state/other", ".local/state/other/x"}


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
    assert "hookline-client hook" in outside.read_text()


def test_nothing_to_take_out_is_said(user, at_terminal):
    user.write(".claude/settings.json", {"hooks": {}})

    assert at_terminal("uninstall", "--yes") == (0, "no hooks are installed here\n")


def test_what_still_calls_us_is_named(user, at_terminal):
    wire(user, "--host", "claude-code")
    wire(user, "--user", "--host", "claude-code", "--host", "codex")
    _, first = at_terminal("uninstall", "--user", "--yes", "--host", "codex")
    _, second = at_terminal("uninstall", "--user", "--yes")
    _, third = at_terminal("uninstall", "--yes")

    def rest(seen):
        return [line for line in seen.splitlines() if line.startswith("still installed")]

    advice = "`hookline uninstall --all` removes it"
    in_project = f"still installed for claude-code: .claude/settings.json; {advice}"
    in_home = f"still installed for claude-code: ~/.claude/settings.json; {advice}"
    assert sorted(rest(first)) == [in_project, in_home]
    assert rest(second) == [in_project]
    assert rest(third) == []
    assert "the program is kept" in third
    assert "the program is kept" not in first + second


def test_data_that_stays_is_named_with_the_command_that_deletes_it(user, at_terminal):
    wire(user, "--user", "--host", "claude-code")
    user.write("~/.config/hookline/hookline.toml", "")
    user.hook(user.shell("git push --force"))
    _, seen = at_terminal("uninstall", "--user", "--yes")
    command = next(line.partition(": ")[2] for line in seen.splitlines() if line.startswith("your data "))

    assert command.split()[:4] == ["rm", "-r", f"{user.home}/.config/hookline", f"{user.home}/{OURS}"]
    assert "claude" not in str(files(user.home))
