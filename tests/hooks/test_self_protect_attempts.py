"""Test self-protect with generated attempts, a table of known attempts, and harmless commands like them."""

import itertools
import json
import random
from pathlib import Path

import pytest

from hookline import State
from hookline.core.state import Facts
from hookline.hooks.self_protect import self_protect
from hookline.testing import pre_tool_use

CORPUS = Path(__file__).parents[1] / "corpus"
HOME = "/home/test"
ROOT = f"{HOME}/project"
INSTALLED = f"{HOME}/.local/share/pipx/venvs/hookline"
GUARDED = (
    f"{HOME}/.config/hookline",
    f"{HOME}/.local/state/hookline",
    "/run/user/1000/hookline",
    "/tmp/hookline-1000",
    INSTALLED,
    f"{HOME}/.local/bin/hookline",
    f"{HOME}/.claude/settings.json",
    f"{HOME}/.claude.json",
    f"{ROOT}/.claude/settings.json",
    f"{ROOT}/.claude/settings.local.json",
    f"{HOME}/.codex/config.toml",
    f"{HOME}/.codex/hooks.json",
    f"{ROOT}/.codex/hooks.json",
    f"{HOME}/.config/opencode/plugins",
    f"{ROOT}/.github/hooks",
)
FACTS = Facts({"root": lambda: ROOT, "home": lambda: HOME, "guarded_paths": lambda: GUARDED})
STATE = State(now=0.0, env={"PATH": f"{HOME}/.local/bin:/usr/bin:/bin"}, facts=FACTS)


def verdict(command):
    response = self_protect.judge(pre_tool_use(command, cwd=ROOT), STATE)
    return "pass" if response is None else response.verdict


FILES = (
    "~/.config/hookline/hookline.toml",
    "~/.claude/settings.json",
    "~/.codex/hooks.json",
    ".claude/settings.json",
    ".hookline/hookline.toml",
    "/run/user/1000/hookline/daemon.sock",
    f"{INSTALLED}/lib/python3.11/site-packages/hookline/__init__.py",
    f"{INSTALLED}/lib/python3.11/site-packages/x.pth",
    f"{INSTALLED}/pyvenv.cfg",
    "~/.local/lib/python3.11/site-packages/sitecustomize.py",
    "~/.local/bin/hookline",
)
CHANGES = (
    "echo x > {}", "echo x >> {}", ": > {}", "echo x | tee {}", "cp a {}", "mv a {}", "mv {} a", "rm -f {}",
    "unlink {}", "truncate -s 0 {}", "sed -i s/a/b/ {}", "perl -pi -e s/a/b/ {}", "dd if=a of={}",
    "install a {}", "ln -sf a {}", "ln {} a", "chmod 000 {}", "chown x {}", "touch {}", "sort -o {} a",
    "curl -o {} http://x", "wget -O {} http://x", "gzip {}", "yq -i .a=1 {}", "split a {}", "shred -u {}",
    "rsync a {}", "scp h:a {}", "{{ echo x; }} > {}", "exec 3> {}", "git checkout HEAD~1 -- {}",
    "sponge {} < a", "python3 -c \"open('{}', 'w')\"", "python3 -c \"import os; os.remove('{}')\"",
    "node -e \"require('fs').writeFileSync('{}', '')\"", "ruby -e 'File.write(\"{}\", \"\")'",
    "perl -e 'unlink \"{}\"'", "php -r 'unlink(\"{}\");'", "vim -c 'w! {}' -c q a", "jq . a > {}",
)  # fmt: skip
READS = (
    "cat {}", "head -3 {}", "jq . {}", "wc -l {}", "ls -l {}", "stat {}", "sha256sum {}", "diff {} a",
    "grep x {}", "cp {} /tmp/a", "test -f {}", "tar czf /tmp/a.tgz {}", "file {}",
    "python3 -m json.tool {}", "git diff {}", "base64 {}", "python3 -c \"print(open('{}').read())\"",
    "cat < {}", "less {}", "xxd {} | head", "bat {}", "du -sh {}",
)  # fmt: skip
WRAPPERS = (
    "{}", "bash -c {q}", "eval {q}", "sudo sh -c {q}", "( {} )", "true && {}", "if true; then {}; fi",
    "{} &", "for i in 1; do {}; done", "f() {{ {}; }}; f", "timeout 9 bash -c {q}", "echo {q} | sh",
    "env A=1 bash -c {q}", "bash <<'E'\n{}\nE", "xargs -I% bash -c {q} <<< a", "nohup sh -c {q} &",
    "cd /tmp; cd - ; {}",
)  # fmt: skip


def spell(path, form):
    """Return a prefix and *path*, spelled in another way."""
    whole = path.replace("~", HOME, 1) if path[0] in "~/" else f"{ROOT}/{path}"
    folder, _, name = whole.rpartition("/")
    return {
        "plain": ("", whole),
        "dots": ("", f"{folder}/../{folder.rpartition('/')[2]}/{name}"),
        "variable": (f"D={folder}; ", f"$D/{name}"),
        "folder": (f"cd {folder} && ", name),
    }[form]


def wrap(command, wrapper):
    return wrapper.format(command, q="'" + command.replace("'", "'\\''") + "'")


def generated(verbs):
    """Return a sample of all combinations, the same in every run; code gets the full path."""
    combinations = list(itertools.product(verbs, FILES, ("plain", "dots", "variable", "folder"), WRAPPERS))
    for verb, path, form, wrapper in random.Random(22).sample(combinations, 400):
        quoted = "'{}'" in verb or '"{}"' in verb or "'w! {}'" in verb
        before, spelled = spell(path, "plain" if quoted else form)
        yield wrap(before + verb.format(spelled), wrapper)


def test_no_generated_change_passes():
    assert [command for command in generated(CHANGES) if verdict(command) == "pass"] == []


def test_every_generated_read_passes():
    assert [command for command in generated(READS) if verdict(command) != "pass"] == []


CASES = [json.loads(line) for line in (CORPUS / "self_protect.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["cmd"][:60])
def test_a_known_case(case):
    """Check attempts to weaken the guards, and harmless commands that look like them."""
    assert (case["expect"] == "pass") == (verdict(case["cmd"]) == "pass")


@pytest.mark.parametrize(
    ("kind", "path", "expected"),
    [
        ("read", f"{HOME}/.local/state/hookline/mcp-secret", "block"),
        ("read", f"{HOME}/.config/hookline/hookline.toml", "pass"),
        ("read", f"{HOME}/.claude/settings.json", "pass"),
    ],
)
def test_a_read_tool_opens_everything_but_our_secret(kind, path, expected):
    event = pre_tool_use(cwd=ROOT, kind=kind, tool="Read", input={"path": path}, input_keys={"path": "path"})
    response = self_protect.judge(event, STATE)

    assert (response.verdict if response else "pass") == expected


@pytest.mark.parametrize(
    ("path", "content", "expected"),
    [
        (f"{HOME}/.bashrc", "hookline off 8h\n", "block"),
        (f"{ROOT}/.git/hooks/pre-push", "#!/bin/sh\nhookline trust --yes\n", "block"),
        (f"{HOME}/.config/systemd/user/x.service", "[Service]\nExecStart=hookline off 8h\n", "block"),
        (f"{ROOT}/package.json", '{"scripts": {"postinstall": "hookline off 8h"}}', "ask"),
        (f"{ROOT}/Makefile", "x:\n\thookline uninstall --yes\n", "ask"),
        (f"{ROOT}/.mcp.json", '{"command": "hookline", "args": ["mcp", "serve", "--fire"]}', "ask"),
        (f"{ROOT}/docs/x.md", "hookline off 8h\n", "pass"),
        (f"{ROOT}/package.json", '{"scripts": {"guards": "hookline status"}}', "pass"),
        (f"{ROOT}/.claude/commands/x.md", "Run the tests.", "pass"),
        (f"{ROOT}/CLAUDE.md", "Never run `hookline off`.", "pass"),
        (f"{HOME}/.local/lib/python3.11/site-packages/usercustomize.py", "x", "block"),
        (f"{HOME}/.local/bin/claude", "#!/bin/sh\n", "block"),
        (f"{HOME}/.local/bin/devtool", "#!/bin/sh\n", "pass"),
    ],
)
def test_a_file_tool_writes(path, content, expected):
    keys = {"path": "path", "content": "content"}
    given = {"path": path, "content": content}
    event = pre_tool_use(cwd=ROOT, kind="write", tool="Write", input=given, input_keys=keys)
    response = self_protect.judge(event, STATE)

    assert (response.verdict if response else "pass") == expected
