"""Test situations of new users: several checkouts, runs that wait for a person, and invalid arguments."""

import contextlib
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time

import pytest

from hookline.engine import runs

HOOKLINE = (sys.executable, "-m", "hookline")
LESS = "echo $(( $(cat src/n) - 1 )) > src/n; echo one less"


def refs(project, run):
    return project.git("for-each-ref", "--format=%(refname) %(objectname)", f"refs/hookline/{run}")


def test_runs_in_two_checkouts_of_one_repository_keep_each_others_work(project, tmp_path):
    project.script("echo 99 > src/n; echo worse")
    project.hookline("run", check=0)
    first, kept = project.run.id, refs(project, project.run.id)
    other = type(project)(tmp_path / "other", project.home)
    project.git("worktree", "add", "-q", str(other.root))
    other.target()
    for place in (other, project):  # the journal of the first run may be missing, but its work is kept
        place.hookline("run", check=0)
        assert place.run.id != first

    assert refs(project, first) == kept


def test_a_file_where_journals_are_kept_is_told(project):
    (project.root / "autoresearch").write_text("mine\n")
    done = project.hookline("run", check=2)

    assert "is a file, but runs require a folder there; move it away" in done.stderr
    assert (project.root / "autoresearch").read_text() == "mine\n"


def test_a_run_that_waits_for_a_person_goes_on_when_one_says_so(project):
    path = project.root / ".hookline/targets/small.toml"
    project.target(experiments=9)
    text = path.read_text().replace("failures = 1000", "failures = 2")
    path.write_text(text.replace('"sh \\"', '"nosuch \\"'))
    done = project.hookline("run", check=1)
    assert "failures: 2 experiments in a row failed completely; see `hookline show`" in done.stdout

    again = project.hookline("run", "--resume", check=1)  # nothing was fixed, so two more experiments fail
    assert project.statuses == ["baseline", *["crash"] * 4], again.stdout

    project.script(LESS)
    path.write_text(text.replace("experiments = 9", "experiments = 6"))
    done = project.hookline("run", "--resume", check=0)

    assert project.statuses == ["baseline", *["crash"] * 4, "keep", "keep"]
    assert "the run continues with the current agent and limits of its target" in done.stdout


def test_a_halted_run_begins_its_count_of_failures_anew(project):
    project.target(experiments=9)
    path = project.root / ".hookline/targets/small.toml"
    path.write_text(path.read_text().replace("halt = 1000", "halt = 1\npivot = 2"))
    project.script("echo 99 > src/n; echo worse")
    done = project.hookline("run", check=1)
    project.hookline("run", "--resume", check=1)

    assert (
        "a person must review the goal, the metric and the scope. Then continue with `hookline run --resume`"
        in done.stdout
    )
    assert project.statuses == ["baseline", *["discard"] * 4]
    assert "Halt:" not in (project.root / "autoresearch" / project.run.id / "logs" / "3.md").read_text()


def test_what_is_measured_stays_as_the_run_began(project):
    project.script(LESS)
    project.hookline("run", check=0)
    path = project.root / ".hookline/targets/small.toml"
    path.write_text(path.read_text().replace("sh bench.sh", "echo 5"))
    done = project.hookline("run", "--resume", "--experiments", "2", check=0)

    assert "now measures something else; the run continues with the original" in done.stdout
    assert project.rows[-1].metric == 8.0


def test_a_target_names_its_newest_run_and_no_other_target_s(project):
    project.script(LESS)
    folder = project.root / ".hookline/targets"
    for _ in range(2):
        project.hookline("run", check=0)
    newest = project.run.id
    (folder / "smaller.toml").write_text((folder / "small.toml").read_text())

    assert newest in project.hookline("show", "small", check=0).stdout
    assert "use a longer prefix" in project.hookline("show", "sma", check=2).stderr
    done = project.hookline("run", "smaller", "--resume", check=2)
    assert "no run of target 'smaller' yet; start one with `hookline run`" in done.stderr
    project.hookline("run", "smaller", check=0)
    done = project.hookline("run", "small", "--resume", "--experiments", "2", check=0)
    assert f"run {newest} on branch" in done.stdout


def interrupted(project):
    """Start a run whose engine is killed after its agent changed a file, and return the run's id."""
    project.target(experiments=3)
    pid = project.home / "engine"
    project.script(LESS, f"until [ -s {pid} ]; do sleep 0.05; done; kill -9 $(cat {pid}); sleep 9")
    engine = subprocess.Popen([*HOOKLINE, "run"], cwd=project.root, env=project.env)
    pid.write_text(f"{engine.pid}\n")
    assert engine.wait(60) == -signal.SIGKILL
    return project.run.id


def test_cleaning_leaves_what_an_interrupted_agent_made(project):
    run = interrupted(project)
    done = project.hookline("clean", "--yes", check=0)

    assert f"{run}: not removed, because experiment 1 was interrupted" in done.stdout
    assert "nothing to remove" in done.stdout
    project.script("true")
    project.hookline("run", "--resume", "--experiments", "1", check=0)
    assert project.statuses == ["baseline", "keep"]
    assert project.rows[1].metric == 9.0


def test_nothing_is_asked_where_nothing_is_to_be_taken_away(project):
    project.script(LESS)
    project.hookline("run", check=0)
    run = project.run.id
    assert project.hookline("clean", run, run, "--yes", check=0).stdout.count(run) == 1
    assert "nothing to remove" in project.hookline("clean", check=0).stdout
    project.hookline("clean", "--refs", "--yes", check=0)
    assert not refs(project, run)


@pytest.mark.slow
@pytest.mark.parametrize("key", [b"\x04", b"\x03"])
def test_who_does_not_agree_keeps_everything(project, key):
    project.script(LESS)
    project.hookline("run", check=0)
    told, code = at_a_terminal([*HOOKLINE, "clean"], project.root, project.env, b"[y/N] ", key)

    assert b"Remove this?" in told
    assert code == (130 if key == b"\x03" else 1), told
    assert b"Traceback" not in told
    assert project.run.branch in project.git("worktree", "list")


def at_a_terminal(words, folder, env, prompt, keys):
    """Return the output and exit code of a command at a terminal where *prompt* is answered with *keys*."""
    pid, ours = pty.fork()
    if not pid:
        os.chdir(folder)
        os.execvpe(words[0], words, env)
    told = b""
    with contextlib.suppress(OSError):
        while piece := os.read(ours, 4096):
            told += piece
            if keys and prompt in told:
                time.sleep(1.0)  # an immediate answer may arrive before the command starts to read it
                os.write(ours, keys)
                keys = b""
    os.close(ours)
    return told, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def test_a_merge_says_whether_there_is_a_guard_and_what_was_kept(project):
    project.script(LESS)
    project.hookline("run", check=0)
    assert "experiments 1; no guard, metric 9" in project.hookline("merge", check=0).stdout

    project.script("echo 99 > src/n")
    project.hookline("run", check=0)
    assert "has no kept experiments to merge" in project.hookline("merge", "--only", "9", check=1).stderr


def test_a_moment_is_shown_as_people_write_it(project):
    project.script(LESS)
    project.hookline("run", check=0)

    told = project.hookline("show", "small", "1", check=0).stdout
    assert re.search(r"(?m)^timestamp +2\d\d\d-\d\d-\d\d \d\d:\d\d:\d\d$", told)


def test_a_target_that_is_wrong_does_not_hide_the_others(project):
    folder = project.root / ".hookline/targets"
    (folder / "bad.toml").write_text("x = 1\n")
    (folder / "folder.toml").mkdir()
    told, listed = project.hookline("target", "check", check=2), project.hookline("target", "list", check=0)

    assert told.stdout.startswith("small: lower metric")
    assert [line.split(";")[0] for line in told.stderr.splitlines()] == [
        "hookline: target 'bad': no key named 'x'",
        "hookline: target 'folder' cannot be read: Is a directory",
    ]
    assert "bad" in listed.stdout
    assert "A smaller number." in listed.stdout


def test_a_scope_without_a_file_is_told_before_anything_is_spent(project):
    path = project.root / ".hookline/targets/small.toml"
    path.write_text(path.read_text().replace('"src/**"', '"/srv/*.py"'))
    project.script("true")
    said = "no file of the commit matches scope.mutable (/srv/*.py): agents can only create new files; "

    assert said in project.hookline("target", "check", check=0).stdout
    assert said in project.hookline("run", check=0).stdout


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            '["src/**"]',
            '["src/**", "[z-a]"]',
            "invalid glob '[z-a]' in scope.mutable: expected a pattern as in .gitignore",
        ),
        (
            '["src/fixed"]',
            '["[z-a]"]',
            "invalid glob '[z-a]' in scope.immutable: expected a pattern as in .gitignore",
        ),
        ('["src/fixed"]', "[" * 9999, "target 'small': invalid TOML: nested too deeply"),
    ],
)
def test_a_target_that_nobody_can_make_sense_of_is_told_before_a_run(project, old, new, said):
    path = project.root / ".hookline/targets/small.toml"
    path.write_text(path.read_text().replace(old, new))
    for words in (("target", "check"), ("run",)):
        assert project.hookline(*words, check=2).stderr == f"hookline: {said}\n"
    assert not (project.root / "autoresearch").exists()


def test_a_command_of_a_new_target_is_for_the_agent_that_runs_one(project):
    project.hookline("target", "new", "one", "--command", "true", check=0)
    done = project.hookline("target", "new", "two", "--agent", "tuner", "--command", "true", check=2)

    assert 'host = "command"' in (project.root / ".hookline/targets/one.toml").read_text()
    assert "--command requires --agent command, not 'tuner'" in done.stderr


def test_a_run_goes_on_though_nobody_reads_what_it_prints(project):
    project.target(experiments=2)
    project.script(LESS)
    code = f'{" ".join(HOOKLINE)} run | head -n 1; echo "${{PIPESTATUS[0]}}"'
    done = subprocess.run(
        ["bash", "-c", code], cwd=project.root, env=project.env, capture_output=True, check=True
    )

    assert done.stderr == b""
    assert done.stdout.splitlines()[-1] == b"0"
    assert project.statuses == ["baseline", "keep", "keep"]


def test_what_the_machine_refuses_is_told_with_how_to_go_on(project):
    """A file size limit of zero makes every write fail, as on a full disk."""
    project.target(experiments=2)
    note = project.home / "engine"
    project.script(
        LESS, f"until test -s {note}; do sleep 0.05; done", f"prlimit --pid $(cat {note}) --fsize=0:0"
    )
    with subprocess.Popen(
        [sys.executable, "-m", "hookline", "run"],
        cwd=project.root,
        env=project.env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as engine:
        note.write_text(str(engine.pid))
        _, told = engine.communicate(timeout=100)
    run = project.run.id

    assert (engine.returncode, told[:10]) == (1, "hookline: ")
    assert told.endswith(f"; fix this, then continue with `hookline run --resume {run}`\n")
    project.script(LESS)
    project.hookline("run", "--resume", check=0)
    assert project.statuses == ["baseline", "keep", "keep"]


def test_a_name_that_no_branch_can_have_is_refused_before_anything_runs(project):
    project.script(LESS)
    project.hookline("run", check=0)
    done = project.hookline("merge", "--branch", "a b", check=2)

    assert done.stderr == "hookline: invalid branch name 'a b': use letters, digits, `-`, `_` and `/`\n"


def test_a_limit_in_time_is_told_as_people_write_it(project):
    project.target(experiments=5, limits='time = "1s"')
    project.script("sleep 2; echo slept")

    assert "time: the time limit of 1s is reached" in project.hookline("run", check=0).stdout


def test_targets_are_the_repository_s_wherever_one_stands(project):
    inner = type(project)(project.root / "src", project.home)
    (inner.root / ".hookline").mkdir()
    inner.hookline("target", "new", "other", "--command", "true", check=0)

    assert (project.root / ".hookline/targets/other.toml").exists()
    project.script(LESS)
    inner.hookline("run", "small", check=0)
    assert "wrote" in inner.hookline("plot", "small", check=0).stdout


def test_a_run_that_cannot_be_read_is_told_and_hides_no_other(project):
    project.script(LESS)
    for _ in range(2):
        project.hookline("run", check=0)
    path = project.root / "autoresearch" / project.run.id / "run.json"
    name, other = path.parent.name, runs.list_runs(str(project.root))[0].id
    damaged = "its run.json is damaged"
    wrong = {"{": damaged, "[1]": damaged, '{"version": 1}': damaged, '{"version": 9}': "another version"}
    for text, said in wrong.items():
        path.write_text(text)
        listed = project.hookline("runs", check=0)

        assert said in project.hookline("show", name, check=2).stderr
        assert said in listed.stderr
        assert other in listed.stdout


def test_a_run_of_another_version_is_told_and_hides_no_other(project):
    project.script(LESS)
    for _ in range(2):
        project.hookline("run", check=0)
    path = project.root / "autoresearch" / project.run.id / "run.json"
    name, other = path.parent.name, runs.list_runs(str(project.root))[0].id
    told = json.loads(path.read_text())
    path.write_text(json.dumps({**told, "text": told["text"].replace("[limits]", "[limits]\nlater = 1")}))
    listed, shown = project.hookline("runs", check=0), project.hookline("show", check=0)
    said = f"run '{name}' has settings that this version of hookline does not support (target 'small': limits"

    assert said in listed.stderr
    assert other in listed.stdout
    assert shown.stdout.startswith(other)
    assert said in project.hookline("run", "--resume", name, check=2).stderr


def test_what_was_kept_is_merged_though_its_agent_is_gone(project):
    path, program = project.root / ".hookline/targets/small.toml", project.home / "bin/claude"
    text = path.read_text().replace('"command"', '"claude-code"')
    path.write_text("".join(line for line in text.splitlines(keepends=True) if "AGENT" not in line))
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho 9 > src/n\n")
    program.chmod(0o755)
    project.hookline("run", check=0, PATH=f"{program.parent}:{project.env['PATH']}")
    program.unlink()

    assert "experiments 1; no guard, metric 9" in project.hookline("merge", check=0).stdout


def test_an_address_that_a_shell_left_empty_is_no_cluster(project):
    done = project.hookline("run", "--cluster", "", check=2)

    assert "--cluster: empty address: expected HOST:PORT, `auto`, `local` or `none`" in done.stderr


def test_words_that_the_locale_cannot_write_reach_agent_and_metric(project):
    path = project.root / ".hookline/targets/small.toml"
    text = path.read_text().replace('"sh bench.sh"', "\"test ü = $(printf '\\\\303\\\\274') && cat src/n\"")
    path.write_text(text.replace('"sh \\"$AGENT\\""', '"echo 9 > src/n; echo wéniger"'), encoding="utf-8")
    env = {**project.env, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run([*HOOKLINE, "run"], cwd=project.root, env=env, capture_output=True, check=False)

    assert done.returncode == 0, done.stderr
    assert [(row.status, row.description) for row in project.rows[1:]] == [("keep", "wéniger")]


def test_who_is_told_that_a_run_is_at_work_changes_nothing_of_it(project):
    project.script("touch $HOME/works; until test -e $HOME/go; do sleep 0.05; done; " + LESS)
    with subprocess.Popen([*HOOKLINE, "run"], cwd=project.root, env=project.env) as engine:
        while not (project.home / "works").exists():
            assert engine.poll() is None
        done = project.hookline("run", "--resume", "--parallel", "7", check=1)
        many = project.run.parallel
        (project.home / "go").touch()

    assert "is already running in another process" in done.stderr
    assert many == 1
    assert project.statuses == ["baseline", "keep"]
