"""dangerous-command: both sides of every edge, and what the agent is told."""

import pytest

from hookline import State
from hookline.hooks.dangerous_command import dangerous_command
from hookline.state import Facts
from hookline.testing import pre_tool_use

STATE = State(now=0.0, facts=Facts({"root": lambda: "/home/me/project", "home": lambda: "/home/me"}))


def judged(command, cwd="/home/me/project", state=STATE, **settings):
    return dangerous_command.judge(pre_tool_use(command, cwd=cwd), state, **settings)


def verdict(command, **where):
    """What is said about *command*: pass, or verdict and rule."""
    response = judged(command, **where)
    return "pass" if response is None else f"{response.verdict} {response.rule}"


@pytest.mark.parametrize(
    ("rule", "command"),
    [
        ("git-push-force", "git push --force"),
        ("git-push-force", "git push -f origin main"),
        ("git-push-force", "git push -uf origin main"),
        ("git-push-force", "git push --forc"),
        ("git-push-force", "git push origin +main"),
        ("git-push-force", "git push origin main:+main"),
        ("git-push-force", "git push --mirror"),
        ("git-push-force", "git push --force-with-lease --force"),
        ("git-push-force", "git push --no-force -f"),
        ("git-push-force", "git -C sub -c a.b=c --git-dir=x push -f"),
        ("git-push-delete", "git push origin --delete main"),
        ("git-push-delete", "git push origin :master"),
        ("git-push-delete", "git push origin :refs/heads/main"),
        ("git-reset-hard", "git reset --hard"),
        ("git-reset-hard", "git reset --ha HEAD~1"),
        ("git-reset-hard", "git reset HEAD --hard"),
        ("git-clean-force", "git clean -f"),
        ("git-clean-force", "git clean -xdf"),
        ("git-clean-force", "git clean -dfe keep.txt"),
        ("git-clean-force", "git clean --forc -d"),
        ("git-clean-force", "git -c clean.requireForce=false clean -d"),
        ("git-branch-delete-force", "git branch -D topic"),
        ("git-branch-delete-force", "git branch -df topic"),
        ("git-branch-delete-force", "git branch topic --force --del"),
        ("git-checkout-dot", "git checkout ."),
        ("git-checkout-dot", "git checkout -- ."),
        ("git-checkout-dot", "git checkout HEAD -- ."),
        ("git-checkout-dot", "git checkout :/"),
        ("git-checkout-dot", "git checkout -- *"),
        ("git-checkout-dot", "git checkout /home/me/project"),
        ("git-restore-dot", "git restore ."),
        ("git-restore-dot", "git restore --staged --worktree ."),
        ("git-restore-dot", "git restore -SW ."),
        ("git-restore-dot", "git restore --sour HEAD ./"),
        ("rm-root", "rm -rf /"),
        ("rm-root", "rm -r /"),
        ("rm-root", "rm -fr -- /*"),
        ("rm-root", "rm --recurs --force /usr/.."),
        ("rm-root", "rm / -rf"),
        ("rm-root", "rm -rf /etc"),
        ("rm-root", "rm -rf /etc/*"),
        ("rm-root", "rm -rf /u*"),
        ("rm-root", "rm -rf /tmp"),
        ("rm-root", "cd / && rm -rf *"),
        ("rm-home", "rm -rf ~"),
        ("rm-home", "rm -rf ~/"),
        ("rm-home", "rm -rf $HOME"),
        ("rm-home", 'rm -rf "${HOME}"/*'),
        ("rm-home", "rm -rf ~/{*,.*}"),
        ("rm-home", "cd ~; rm -rf ."),
        ("rm-home", "rm -rf .."),
        ("rm-root", "rm -rf ../.."),
        ("rm-cwd", "rm -rf ."),
        ("rm-cwd", "rm -rf ./"),
        ("rm-cwd", "rm -r *"),
        ("rm-cwd", "rm -rf ./*"),
        ("rm-cwd", 'rm -rf "$PWD"'),
        ("rm-cwd", "rm -rf ../project"),
        ("rm-cwd", "cd src; rm -rf .."),
        ("rm-cwd", "find . -exec rm -rf {} +"),
    ],
)
def test_stops(rule, command):
    assert verdict(command) == f"block {rule}"


@pytest.mark.parametrize(
    "command",
    [
        "git push",
        "git push origin main:main",
        "git push -n -f",
        "git push --dry-run --force",
        "git push -f --no-force",
        "git push -o force origin main",
        "git push -- --force",
        "git push origin --delete topic",
        "git push origin :topic",
        "git push --help --force",
        "git reset",
        "git reset --soft HEAD~1",
        "git reset --keep HEAD~1",
        "git reset -- --hard",
        "git clean -n",
        "git clean -fdn",
        "git clean -f --dry-run",
        "git clean -e -f",
        "git branch -d topic",
        "git branch -f topic HEAD",
        "git branch --list",
        "git checkout main",
        "git checkout -b .x",
        "git checkout -- file.txt",
        "git checkout -p .",
        "git restore file.txt",
        "git restore --staged .",
        "git restore -S .",
        "git restore -p .",
        "git restore --source . file.txt",
        "rm -rf build",
        "rm -rf ./dist/*",
        "rm -rf /tmp/x",
        "rm -rf /tmp/*",
        "rm -f /",
        "rm *",
        "rm -rf ~/project/build",
        "rm -rf '~'",
        "rm -rf '*'",
        "rm -rf /etc2",
        "rm -rf --help /",
        "cd build && rm -rf *",
        "cd /tmp/x && rm -rf .",
        "HOME=/tmp/x; rm -rf $HOME",
        'rm -rf "$UNKNOWN"',
        "find . -name '*.pyc' -exec rm -rf {} +",
        "echo git push --force",
        "git commit -m 'never git push --force; rm -rf /'",
        "grep -r 'rm -rf /' .",
        "cat > notes <<'E'\nrm -rf /\nE",
        "# rm -rf /",
        "docker rm -f box",
        "gitk --hard",
    ],
)
def test_passes(command):
    assert verdict(command) == "pass"


@pytest.mark.parametrize(
    "command",
    [
        "sudo env X=1 nice -n 5 timeout 20 git push -f",
        "G=git; $G push -f",
        "git${IFS}push${IFS}-f",
        "{git,push,-f}",
        "g\\\nit push -f",
        "echo 'git push -f' | bash",
        "bash <<'E'\ngit push -f\nE",
        "cat <<'E' 2>&1 | bash\ngit push -f\nE",
        'python3 -c \'import subprocess; subprocess.run(["git", "push", "-f"])\'',
        "git config alias.up 'push -f' && git up",
        "$SUDO git push -f",
        "g${x}it push -f",
        "/usr/bin/g?t push -f",
        "$0 -c 'git push -f'",
        "while read c; do $c; done <<< 'git push -f'",
    ],
)
def test_disguised_force_push(command):
    assert verdict(command) == "block git-push-force"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("git push -f 'unclosed", "ask unread"),
        ("( ( rm -rf build", "ask unread"),
        ("sudo " * 9 + "rm x", "ask unread"),
        ("echo 'unclosed", "pass"),
        ("git log 'unclosed", "pass"),
    ],
)
def test_asks_about_what_it_cannot_read_only_if_it_looks_dangerous(command, said):
    assert verdict(command) == said


def test_a_lease_is_allowed_with_a_warning_to_the_agent():
    response = judged("git push --force-with-lease")

    assert (response.verdict, response.rule, len(response.context)) == ("pass", "git-push-lease", 1)


@pytest.mark.parametrize(
    "command", ["git push --force-with-lease", "git push --force-if-includes", "git push --force-w"]
)
def test_a_lease_can_be_blocked_too(command):
    assert judged(command, lease="block").verdict == "block"


def test_a_block_outweighs_a_lease_before_it():
    assert verdict("git push --force-with-lease; git reset --hard") == "block git-reset-hard"


@pytest.mark.parametrize("exception", ["git-push-force", "dangerous-command:git-push-force"])
def test_a_rule_can_be_excepted(exception):
    assert judged("git push -f", allow=(exception,)) is None
    assert judged("git push -f; git reset --hard", allow=(exception,)).rule == "git-reset-hard"


def test_protected_branches_can_be_named():
    assert judged("git push origin :release", protected=("release",)).rule == "git-push-delete"
    assert judged("git push origin :main", protected=("release",)) is None


def test_only_shell_tools_are_judged():
    assert dangerous_command.judge(pre_tool_use("git push -f", kind="write"), STATE) is None


@pytest.mark.parametrize(
    ("command", "rule"), [("rm -rf ~", "rm-home"), ("rm -rf .", "rm-cwd"), ("rm -rf $HOME/*", "rm-home")]
)
def test_works_where_home_root_and_folder_are_unknown(command, rule):
    assert verdict(command, cwd="", state=State(now=0.0)) == f"block {rule}"


def test_a_folder_inside_the_project_is_the_working_folder_all_the_same():
    assert verdict("rm -rf .", cwd="/home/me/project/sub") == "block rm-cwd"
    assert verdict("cd deeper && rm -rf .", cwd="/home/me/project/sub") == "pass"


@pytest.mark.parametrize(
    ("command", "part"),
    [
        ("echo hi; git push -f origin", "git push -f origin"),
        ("bash -c 'ls; git reset --hard'", "git reset --hard"),
        ("rm -rf build ~", "~"),
        ("echo 'rm -rf /' | sh", "/"),
    ],
)
def test_points_at_the_part_that_decided(command, part):
    assert command[slice(*judged(command).span)] == part


@pytest.mark.parametrize(
    "command", ["git push -f", "git reset --hard", "git clean -f", "git checkout .", "rm -rf /", "rm -rf ("]
)
def test_tells_the_agent_what_and_what_instead_and_whom_to_ask(command):
    reason = judged(command).reason

    assert "person" in reason
    assert "error" not in reason.lower()
    assert reason.endswith(".")
