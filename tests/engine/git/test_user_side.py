"""Test that changes to the user's side of the repository are undone or reported."""

import os
import sys

import pytest
from tests.engine.test_crashes import ended, killed

from hookline.engine.journal import USER_SIDE

LESS = 'echo $(( $(cat src/n) - 1 )) > src/n; echo "one less"'


def hook(project, name):
    return project.root / ".git/hooks" / name


def test_hooks_of_the_user_are_restored(project):
    hook(project, "pre-commit").write_text("#!/bin/sh\necho mine\n")
    hook(project, "pre-commit").chmod(0o755)
    hook(project, "pre-push").write_text("#!/bin/sh\necho off\n")
    hook(project, "pre-push").chmod(0o644)
    folder = '"$(git rev-parse --git-common-dir)/hooks"'
    project.script(
        LESS,
        f"cd {folder}; echo evil > post-commit; chmod +x post-commit pre-push",
        "rm pre-commit; echo x >> pre-push",
    )
    done = project.hookline("run", check=0)

    assert not hook(project, "post-commit").exists()
    assert hook(project, "pre-commit").read_text() == "#!/bin/sh\necho mine\n"
    assert os.access(hook(project, "pre-commit"), os.X_OK)
    assert hook(project, "pre-push").read_text() == "#!/bin/sh\necho off\n"
    assert not os.access(hook(project, "pre-push"), os.X_OK)
    assert "hooks/post-commit was changed during experiment 1; restored" in done.stdout
    assert project.statuses == ["baseline", "keep"]


@pytest.mark.parametrize(
    "harm",
    [
        "ln -sf /elsewhere post-commit",
        "ln -sf /elsewhere pre-commit",
        "ln -sf /elsewhere pre-push",
        "chmod -x pre-commit",
        'cp -rp . "$HOME/own"; rm -r ../hooks; ln -s "$HOME/own" ../hooks',
    ],
)
def test_links_among_the_hooks_are_restored(project, harm):
    hook(project, "pre-commit").write_text("#!/bin/sh\necho mine\n")
    hook(project, "pre-commit").chmod(0o755)
    hook(project, "pre-push").symlink_to("../../mine.sh")
    project.script(LESS, 'cd "$(git rev-parse --git-common-dir)/hooks"', harm)
    project.hookline("run", check=0)
    changes = project.rows[1].details[USER_SIDE]

    assert not hook(project, "").is_symlink()
    assert not hook(project, "post-commit").is_symlink()
    assert not hook(project, "pre-commit").is_symlink()
    assert hook(project, "pre-commit").read_text() == "#!/bin/sh\necho mine\n"
    assert os.access(hook(project, "pre-commit"), os.X_OK)
    assert os.readlink(hook(project, "pre-push")) == "../../mine.sh"
    assert "was changed during experiment 1; restored" in changes[0]


@pytest.mark.parametrize(
    ("harm", "change"),
    [
        ("git branch evil", "refs/heads/evil added"),
        ("git tag evil", "refs/tags/evil added"),
        ('git worktree add -q "$HOME/elsewhere" -b other', "worktree {home}/elsewhere added"),
        ('echo x > "$ROOT/planted"', "file planted added"),
        ('echo x >> "$ROOT/notes"', "file notes changed"),
        ('echo x > "$ROOT/bench.sh"', "file bench.sh added"),
        ('echo x > "$ROOT/ignored.log"', "file ignored.log added"),
        ('echo x > "$ROOT/kept.log/deep/x"', "folder kept.log/ changed"),
        (
            'touch -r "$ROOT/notes" "$HOME/t"; echo CHANGE > "$ROOT/notes"; touch -r "$HOME/t" "$ROOT/notes"',
            "file notes changed",
        ),
        ('git -C "$ROOT" checkout -q --detach', "HEAD of {root} changed"),
        ("git config --global core.hooksPath /elsewhere", "git config --global core.hookspath added"),
        ("git config remote.origin.url /elsewhere", "git config --local remote.origin.url added"),
    ],
)
def test_changes_outside_of_the_run_are_reported(project, harm, change):
    project.env["ROOT"] = str(project.root)
    (project.root / "kept.log/deep").mkdir(parents=True)
    (project.root / "kept.log/deep/y").write_text("")
    project.script(LESS, "git commit -qam less", harm)
    done = project.hookline("run", check=0)
    change = change.format(home=project.home, root=project.root)

    assert change in project.rows[1].details[USER_SIDE]
    assert f"during experiment 1, outside of the run: {change}" in done.stdout


@pytest.mark.parametrize("point", ["", "after-agent"])
def test_a_branch_that_an_agent_moved_to_its_work_is_moved_back(project, point):
    before = project.git("rev-parse", "main")
    project.script(LESS, "git commit -qam less", "git update-ref refs/heads/main HEAD")
    if point:
        ended(killed(project, point))
    done = project.hookline("run", *(["--resume"] if point else []), check=0)
    change = "refs/heads/main was moved to the work of experiment 1; restored"

    assert project.git("rev-parse", "main") == before
    assert project.rows[1].details[USER_SIDE] == [change]
    assert f"outside of the run, during experiment 1: {change}" in done.stdout
    assert project.statuses == ["baseline", "keep"]


@pytest.mark.parametrize("elsewhere", ["HEAD~1", "$(git commit-tree -m mine HEAD^{tree})"])
def test_a_branch_that_the_user_may_have_moved_stays(project, elsewhere):
    project.git("commit", "-q", "--allow-empty", "-m", "second")
    project.git("branch", "mine")
    project.script(LESS, f'cd "{project.root}"; git update-ref refs/heads/mine {elsewhere}')
    project.hookline("run", check=0)

    assert project.git("rev-parse", "mine") != project.git("rev-parse", "main")
    assert "refs/heads/mine changed" in project.rows[1].details[USER_SIDE]


def test_restored_settings_are_in_the_row(project):
    project.script(LESS, "git config core.hooksPath /elsewhere")
    done = project.hookline("run", check=0)
    (change,) = project.rows[1].details[USER_SIDE]

    assert "config was changed during experiment 1; restored" in change
    assert change in done.stdout
    assert "hooksPath" not in (project.root / ".git/config").read_text()


def test_a_host_blocks_edits_outside_of_the_scope(project):
    """The agent asks hookline as a host would, before it edits a file."""
    ask = f"{sys.executable} -m hookline hook claude-code"
    project.script(
        LESS,
        f'for path in src/n bench.sh "{project.root}/notes" /tmp/x; do',
        'printf \'{"session_id":"s","hook_event_name":"PreToolUse","cwd":"%s","tool_name":"Write",'
        '"tool_input":{"file_path":"%s","content":"x"}}\' "$PWD" "$path" |',
        f'{ask} | tee -a "$HOME/answers" | grep -c deny; done > "$HOME/denied"',
    )
    project.hookline("run", check=0, HOOKLINE_DAEMON="off")
    answers = (project.home / "answers").read_text()

    assert (project.home / "denied").read_text().split() == ["0", "1", "1", "0"]
    assert "outside of the scope of this run" in answers
    assert "is not part of this experiment" in answers


def test_an_ordinary_experiment_reports_nothing(project):
    project.target(experiments=2)
    project.script(LESS)
    done = project.hookline("run", check=0)

    assert not any(USER_SIDE in row.details for row in project.rows)
    assert "outside of the run" not in done.stdout


def test_changes_before_a_crash_are_reported_after_it(project):
    project.script(LESS, "git branch evil")
    ended(killed(project, "after-agent"))
    project.hookline("run", "--resume", check=0)

    assert project.rows[1].details[USER_SIDE] == ["refs/heads/evil added"]


@pytest.mark.parametrize("own", ["", "git add -A", "git add -A; git commit -qm tampered"])
def test_rework_does_not_show_changes_outside_of_the_scope(project, own):
    guard = '[guard]\ncommand = "test -e src/fix"\n'
    text = (project.root / ".hookline/targets/small.toml").read_text()
    (project.root / ".hookline/targets/small.toml").write_text(text + guard)
    (project.root / "src/fix").write_text("")
    project.git("add", "src/fix")
    project.git("commit", "-qm", "fix", "--only", "src/fix")
    project.script(
        f"if test -e src/fix; then rm src/fix; echo 5 > src/n; echo tampered > bench.sh; {own}",
        'else cp bench.sh "$HOME/seen"; (git log -p -1; git diff --cached) > "$HOME/history"',
        'git status --short > "$HOME/status"; echo > src/fix; echo fixed; fi',
    )
    project.hookline("run", check=0)

    assert project.statuses == ["baseline", "keep_reworked"]
    assert (project.home / "seen").read_text() == "cat src/n\n"
    assert "tampered" not in (project.home / "history").read_text()
    assert (project.home / "status").read_text() == ""
    assert project.rows[1].description == "fixed"
