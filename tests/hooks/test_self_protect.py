"""Test self-protect: known ways to loosen the guards, similar harmless commands, and the messages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline import State
from hookline.core.response import Response
from hookline.core.state import Facts
from hookline.hooks._self_protect.finding import RULES
from hookline.hooks.self_protect import self_protect
from hookline.shell import Facts as ShellFacts
from hookline.testing import pre_tool_use

HOME = "/home/test"
ROOT = f"{HOME}/project"
OWN = (f"{HOME}/.config/hookline", f"{HOME}/.local/state/hookline")
WIRING = (f"{HOME}/.agent/settings.json", f"{ROOT}/.agent/settings.json")
FACTS = {"root": lambda: ROOT, "home": lambda: HOME, "guarded_paths": lambda: (*OWN, *WIRING)}
PLACES = {"command": "command", "path": "path", "content": "content"}


def state(**facts):
    return State(now=0.0, env={"PATH": f"/usr/bin:{HOME}/bin"}, facts=Facts({**FACTS, **facts}))


def judged(command, cwd=ROOT, state=state(), **settings):  # noqa: B008 -- State is immutable
    return self_protect.judge(pre_tool_use(command, cwd=cwd), state, **settings)


def verdict(command, **where):
    response = judged(command, **where)
    return "pass" if response is None else f"{response.verdict} {response.rule}"


def tool(kind, state=state(), tool="Write", **given):  # noqa: B008 -- State is immutable
    event = pre_tool_use(cwd=ROOT, kind=kind, tool=tool, input=given, input_keys=PLACES)
    response = self_protect.judge(event, state)
    return "pass" if response is None else f"{response.verdict} {response.rule}"


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("block command", "hookline trust"),
        ("block command", "hookline trust --yes"),
        ("block command", "hookline approve .env"),
        ("block command", "hookline off 10m"),
        ("block command", "hookline allow --once git-push-force"),
        ("block command", "hookline uninstall"),
        ("block command", "hookline untrust"),
        ("block command", "hookline budget set 1h"),
        ("block command", "hookline daemon stop"),
        ("ask command", "hookline daemon start"),
        ("ask command", "python3 -m hookline.daemon"),
        ("ask command", "PYTHONPATH=/tmp/x python -P -m hookline.daemon"),
        ("pass", "hookline daemon status"),
        ("pass", "hookline daemon logs"),
        ("ask command", "hookline hook claude-code < yes.json"),
        ("ask command", "echo '{}' | hookline hook claude-code"),
        ("ask command", "bash -c 'hookline fire UserPromptSubmit --field prompt=yes'"),
        ("ask command", 'python3 -c \'import subprocess; subprocess.run(["hookline","hook","x"])\''),
        ("pass", "hookline hook --help"),
        ("pass", "hookline log --json"),
        ("pass", "hookline explain claude-code 'git push -f'"),
        ("block write-project", "echo '!dist/' >> .ckignore"),
        ("block write-project", "sed -i d .ckignore"),
        ("pass", "cat .ckignore"),
        ("pass", "echo x > sub/.ckignore"),
        ("block command", "/usr/bin/hookline trust"),
        ("block command", "~/.local/bin/hookline off"),
        ("block command", "./.venv/bin/hookline trust"),
        ("block command", "python -m hookline trust"),
        ("block command", "python3.11 -m hookline trust"),
        ("block command", "python3 -mhookline trust"),
        ("block command", "sudo -E env X=1 hookline off 1h"),
        ("block command", "uv run hookline trust"),
        ("block command", "uvx hookline trust"),
        ("block command", "pipx run hookline trust"),
        ("block command", "bash -c 'hookline trust'"),
        ("block command", "h=hookline; $h trust"),
        ("block command", "h''ookline tr\"u\"st"),
        ("block command", 'eval "$(echo hookline trust)"'),
        ("block command", "echo hookline trust | sh"),
        ("block command", "alias h=hookline; h off"),
        ("block command", "xargs hookline <<< trust"),
        ("block command", "yes | hookline trust"),
        ("block command", "script -qc 'hookline trust' /dev/null"),
        ("block command", "find . -maxdepth 0 -exec hookline trust \\;"),
        ("block command", 'python3 -c \'import subprocess; subprocess.run(["hookline","trust"])\''),
        ("block command", "python3 -c 'from hookline.cli import main; main([\"trust\"])'"),
        (
            "block command",
            'python3 -c \'import runpy,sys; sys.argv=["x","trust"]; runpy.run_module("hookline")\'',
        ),
        ("block command", "/usr/bin/hook?ine trust"),
        ("block uninstall", "pip uninstall -y hookline"),
        ("block uninstall", "python -m pip uninstall hookline"),
        ("block uninstall", "uv pip uninstall hookline"),
        ("block uninstall", "uv tool uninstall hookline"),
        ("ask uninstall", "pip install hookline==0.0.1"),
        ("block command", "pkill -f hookline"),
        ("block command", "kill $(pgrep hookline)"),
        ("block switch", "AR_DISABLE_DANGEROUS_COMMAND=1 agent -p x"),
        ("block switch", "export AR_DISABLE_X=1"),
        ("block switch", "AR_DISABLE_X=1"),
        ("block switch", "env AR_DISABLE_X=1 agent"),
        ("block switch", "env -S 'AR_DISABLE_X=1 agent'"),
        ("block switch", "declare -x AR_DISABLE_X=1"),
        ("block switch", "sudo AR_DISABLE_X=1 agent"),
        ("block switch", "set -a; AR_DISABLE_X=1; agent"),
        ("block switch", "AUTORESEARCH_BUDGET_END=9999999999 agent"),
        ("block switch", "unset AUTORESEARCH_BUDGET_END"),
        ("block switch", "env -u AUTORESEARCH_BUDGET_END agent"),
        ("block switch", "export AUTORESEARCH_BUDGET_END="),
        ("block switch", "echo 'export AR_DISABLE_X=1' >> ~/.bashrc"),
        ("block switch", "echo AR_DISABLE_X=1 | tee -a ~/.profile"),
        ("block switch", "cat >> ~/.zshrc <<EOT\nexport AR_DISABLE_X=1\nEOT"),
        ("block write-project", "echo x > .hookline/hookline.toml"),
        ("block write-project", "> .hookline/hookline.toml"),
        ("block write-project", ": > .hookline/hookline.toml"),
        ("block write-project", "{ echo a; } > .hookline/hookline.toml"),
        ("block write-project", "(echo a; echo b) >> .hookline/hookline.toml"),
        ("block write-project", "bash -c '{ echo a; } > .hookline/hookline.toml'"),
        ("block write-user", "for i in 1; do echo $i; done > ~/.config/hookline/hookline.toml"),
        ("block write-user", "echo x >| ~/.config/hookline/hookline.toml"),
        ("block write-user", "echo x &> $HOME/.config/hookline/trust.json"),
        ("block write-user", "tee ~/.config/hookline/trust.json < x"),
        ("block write-user", "cp x ~/.config/hookline/trust.json"),
        ("block write-user", "cp x ~/.config/hookline/"),
        ("block write-user", "cp -r evil/hookline ~/.config/"),
        ("ask write-user", "cp -r evil/. ~/.config"),
        ("block write-user", "mv x ~/.config/hookline/hookline.toml"),
        ("block write-user", "mv ~/.config/hookline /tmp/x"),
        ("block write-user", "mv ~/.config /tmp/x"),
        ("block write-user", "rm ~/.config/hookline/trust.json"),
        ("block write-user", "rm -rf ~/.config/hookline"),
        ("block write-user", "rm -rf ~/.config"),
        ("block write-project", "rm -rf .hookline"),
        ("block write-project", "rm .hookline/hookline.toml"),
        ("block write-user", "ln -sf /dev/null ~/.config/hookline/hookline.toml"),
        ("block write-user", "ln -s ~/.config/hookline h"),
        ("block write-user", "ln ~/.config/hookline/trust.json t"),
        ("block write-user", "ln -s ~ h; echo > h/.config/hookline/x"),
        ("block write-user", "ln -s ~ h; cd h; echo > .config/hookline/x"),
        ("block write-user", "cd ~/.config/hookline && echo > hookline.toml"),
        ("block write-user", "cd ~/.config; cd hookline; rm trust.json"),
        ("block write-user", "pushd ~/.config/hookline; echo x > trust.json"),
        ("block write-user", "chmod 777 ~/.config/hookline/trust.json"),
        ("ask write-user", "chmod -R 000 ~/.config"),
        ("block write-user", "chown nobody ~/.config/hookline"),
        ("block write-user", "dd if=/dev/null of=~/.config/hookline/trust.json"),
        ("block write-user", "dd of=$HOME/.config/hookline/trust.json < x"),
        ("block write-project", "sed -i s/a/b/ .hookline/hookline.toml"),
        ("block write-user", "sed -i.bak s/a/b/ ~/.config/hookline/hookline.toml"),
        ("block write-user", "sed -n 'w /home/test/.config/hookline/hookline.toml' x"),
        ("block write-user", "perl -pi -e 's/a/b/' ~/.config/hookline/hookline.toml"),
        ("block write-user", "truncate -s0 ~/.config/hookline/trust.json"),
        ("block write-user", "touch ~/.config/hookline/hooks.json"),
        ("block write-user", "install -m 644 x ~/.config/hookline/hooks.json"),
        ("block write-user", "rsync -a evil/ ~/.config/hookline/"),
        ("block write-user", "curl -o ~/.config/hookline/hookline.toml http://x"),
        ("block write-project", "curl http://x -o .hookline/hookline.toml"),
        ("block write-user", "wget -O ~/.config/hookline/hookline.toml http://x"),
        ("block write-project", "sort -o .hookline/hookline.toml x"),
        ("block write-project", "git checkout HEAD~1 -- .hookline"),
        ("block write-project", "git rm -rf .hookline"),
        ("block write-project", "git mv .hookline x"),
        ("block write-user", "git config -f ~/.config/hookline/hookline.toml a.b c"),
        ("block write-wiring", "echo {} > ~/.agent/settings.json"),
        ("block write-wiring", "echo {} > .agent/settings.json"),
        ("block write-wiring", "jq . x > ~/.agent/settings.json"),
        ("ask write-user", "vim -c 'wq' ~/.config/hookline/hookline.toml"),
        ("ask write-user", "sqlite3 ~/.local/state/hookline/hookline.db 'delete from x'"),
        ("block write-user", "rm -rf ~/.local/state/hookline"),
        ("block write-project", "P=.hook; echo a > ${P}line/x"),
        ("block write-user", "D=~/.config; echo a > $D/hookline/trust.json"),
        ("block write-project", "echo a > $(echo .hookline)/x"),
        ("block write-project", "echo a > .hook*/hookline.toml"),
        ("block write-user", "rm -rf ~/.conf*/hookline"),
        ("block write-user", "rm ~/.config/hook*/trust.json"),
        ("ask hidden", 'echo a > "$UNKNOWN/.hookline/x"'),
        ("ask hidden", "cd $X && echo a > .hookline/hookline.toml"),
        ("ask hidden", "echo a > $X/hookline.toml"),
        ("block write-project", "python3 -c \"open('.hookline/x','w').write('a')\""),
        ("block write-project", "python3 -c \"open('.hook'+'line/x','w').write('a')\""),
        ("block write-user", "python3 - <<EOT\nopen('/home/test/.config/hookline/trust.json','w')\nEOT"),
        (
            "block write-user",
            "python3 -c \"import os; os.remove(os.path.expanduser('~/.config/hookline/trust.json'))\"",
        ),
        (
            "block write-user",
            "python3 -c \"from pathlib import Path; (Path.home()/'.config'/'hookline'/'x').write_text('')\"",
        ),
        (
            "block write-project",
            "python3 -c \"exec(__import__('base64').b64decode('b3BlbignLmhvb2tsaW5lL3gnLCd3Jyk='))\"",
        ),
        ("block write-project", "node -e \"require('fs').writeFileSync('.hookline/x','')\""),
        ("block write-project", "perl -e 'open(F,\">.hookline/x\")'"),
        ("block write-project", 'ruby -e \'File.write(".hookline/x","")\''),
        ("block write-project", 'awk \'BEGIN{print "x" > ".hookline/hookline.toml"}\''),
        ("block write-project", "echo a > $(echo enilkooh. | rev)/x"),
        ("block write-project", "cd $(echo enilkooh. | rev) && echo > hookline.toml"),
        ("block write-user", "find ~/.config/hookline -type f -delete"),
        ("block write-user", "find ~/.config/hookline -name '*.json' -exec rm {} +"),
        ("block write-user", "find ~ -name trust.json -delete"),
        ("block write-user", "find ~/.config -name trust.json | xargs rm"),
        ("block write-project", "find . -name hookline.toml -exec cp /dev/null {} \\;"),
        ("block write-user", "tar -xf a.tar -C ~/.config/hookline"),
        ("ask write-user", "tar -C ~ -xf a.tar"),
        ("ask write-user", "unzip a.zip -d ~/.config"),
        ("block write-user", "git clone x ~/.config/hookline"),
        ("block write-user", "mount --bind evil ~/.config/hookline"),
        ("block write-user", "docker run -v ~/.config:/c alpine sh -c 'echo > /c/hookline/x'"),
        ("ask command", "git config alias.x '!hookline trust'"),
        ("block command", "git -c alias.x='!hookline trust' x"),
        ("ask write-user", "git config --global alias.x '!echo > ~/.config/hookline/hookline.toml'"),
        ("block uninstall", "cat > ~/bin/hookline <<< x"),
        ("block uninstall", "cp evil ~/bin/hookline"),
        ("block write-project", "exec 3> .hookline/x; echo hi >&3"),
        ("block write-project", "exec > .hookline/x; echo hi"),
        ("block write-user", "sudo rm ~/.config/hookline/trust.json"),
        ("block write-user", "echo x | sudo tee ~/.config/hookline/trust.json"),
        ("block write-project", "f() { echo a > .hookline/x; }; f"),
        ("block write-project", "while read l; do echo $l; done < x > .hookline/hookline.toml"),
        ("block write-project", "cat x > ../project/.hookline/x"),
        ("block write-project", "cat x > /home/test/./project//.hookline/x"),
        ("block write-user", "cat x > ~test/.config/hookline/trust.json"),
        ("block write-project", "eval 'echo x > .hookline/y'"),
        ("block write-project", "trap 'echo x > .hookline/y' EXIT"),
        ("block command", "crontab - <<< '* * * * * hookline off'"),
        ("block write-user", "at now <<< 'rm -rf ~/.config/hookline'"),
        ("block write-user", 'nohup bash -c "sleep 1; rm -rf ~/.config/hookline" &'),
        ("ask write-user", "ed ~/.config/hookline/hookline.toml <<< x"),
        ("ask write-project", "ex -sc 'wq' .hookline/x"),
        ("block write-user", "patch ~/.config/hookline/hookline.toml x.patch"),
        ("block write-project", "tee >(cat > .hookline/x) < y"),
        ("block write-project", "busybox rm .hookline/x"),
        ("block write-project", "cp --target-directory=.hookline x"),
        ("block write-project", "cp -t .hookline x"),
        ("block write-user", "shred -u ~/.config/hookline/trust.json"),
        ("block write-project", "git stash push .hookline"),
        ("block write-project", "split -b 1 x .hookline/hookline.toml"),
        ("block write-project", "cat x > .HookLine/hookline.toml"),
        ("block switch", "printf -v AR_DISABLE_X 1; export AR_DISABLE_X"),
        ("block switch", "make AR_DISABLE_X=1 run"),
        (
            "block switch",
            "python3 -c \"import os; os.environ['AR_DISABLE_X']='1'; os.execvp('agent',['agent'])\"",
        ),
        ("block command", "git config core.pager 'sh -c \"hookline trust\"'"),
    ],
)
def test_stops(said, command):
    assert verdict(command) == said


@pytest.mark.parametrize(
    "command",
    [
        "hookline list",
        "hookline trust --show",
        "hookline trust --help",
        "hookline log",
        "hookline explain claude-code 'git push -f'",
        "hookline check claude-code x.jsonl",
        "hookline guard test",
        "cat .hookline/hookline.toml",
        "cat ~/.config/hookline/hookline.toml | grep x",
        "ls -la .hookline ~/.config/hookline",
        "grep -r trust .hookline",
        "git add .hookline && git commit -m 'hookline trust and AR_DISABLE_X=1'",
        "git diff .hookline",
        "git log -- .hookline/hookline.toml",
        "diff .hookline/hookline.toml ~/.config/hookline/hookline.toml",
        "cp .hookline/hookline.toml /tmp/x",
        "cp -r .hookline /tmp/backup",
        'echo "run hookline trust yourself"',
        "echo 'hookline off' > notes.txt",
        "echo $AUTORESEARCH_BUDGET_END",
        "printenv | grep AR_DISABLE_",
        "grep -rn AR_DISABLE_ src",
        'test -n "$AR_DISABLE_X" && echo off',
        "python3 -c \"print(open('.hookline/hookline.toml').read())\"",
        'python3 -c "import hookline; print(hookline.__version__)"',
        "python3 -c \"import os; print(os.environ.get('AR_DISABLE_X'))\"",
        "pip install requests",
        "pip show hookline",
        "pytest tests/hookline",
        "pip list | grep hookline",
        "pgrep -fl hookline",
        "which hookline",
        "source .hookline/env",
        "cd .hookline && ls",
        "jq . .hookline/hooks.json",
        "sed -n 1,5p .hookline/hookline.toml",
        "find .hookline -name '*.py'",
        "find . -name '*.pyc' -delete",
        "find . -name '*.log' -exec rm {} +",
        "rm -rf build",
        "rm -rf /tmp/hookline-scratch",
        "rm -rf node_modules && npm ci",
        "mv a b",
        "cp -r src ~/backup/",
        "cp -r ../template/. .",
        "rsync -a src/ ~/backup/",
        "tar -xf a.tar",
        "tar -czf /tmp/x.tgz .hookline",
        "ln -s ../a b",
        "chmod +x run.sh",
        "chmod -R 755 .",
        "git checkout main",
        "git stash",
        "git clean -n",
        "make test",
        "npm run build",
        "python manage.py migrate",
        "docker run -v $PWD:/app node npm test",
        "docker run --rm -v ~/.config:/c:ro alpine ls /c",
        "for f in *.md; do sed -i s/a/b/ $f; done",
        "X=$(mktemp); echo a > $X",
        "OUT=$(echo $f | sed s/c/o/); gcc -o $OUT $f",
        "cd $DIR && make && echo done > status.txt",
        "curl -sSL http://x/y.json > $OUT/data.json",
        'echo a > "$LOG"',
        'git commit -m "write > .hookline/x"',
        "code .",
        "vim README.md",
        "sqlite3 app.db 'select 1'",
        "cat <<EOT > docs/x.md\nrun hookline trust and set AR_DISABLE_X=1 in .hookline/x\nEOT",
        "export PATH=$PATH:/x AR=ar",
        "AR=gcc-ar make",
        "perl -MFile::Slurp -ne 'print' ~/.config/hookline/hookline.toml",
        "strace cat ~/.config/hookline/hookline.toml",
    ],
)
def test_passes(command):
    assert verdict(command) == "pass"


def test_a_link_that_leads_to_a_guarded_file_is_followed():
    links = {f"{ROOT}/h": f"{HOME}/.config", f"{ROOT}/t": f"{OWN[0]}/trust.json"}

    def real(path):
        return next((path.replace(name, to, 1) for name, to in links.items() if path.startswith(name)), path)

    linked = state(realpath=lambda: real)

    assert verdict("echo x > h/hookline/trust.json", state=linked) == "block write-user"
    assert verdict("echo x > t", state=linked) == "block write-user"
    assert verdict("cd h && echo x > hookline/trust.json", state=linked) == "block write-user"
    assert verdict("echo x > h/other", state=linked) == "pass"
    assert tool("write", linked, path=f"{ROOT}/t") == "block write-user"


def test_a_folder_that_is_reached_by_links_and_dots_is_seen_where_it_really_is():
    def real(path):
        return f"{HOME}/.config" if path == f"{ROOT}/h/.." else path

    assert (
        verdict("cd -P h/.. && echo > hookline/x", state=state(realpath=lambda: real)) == "block write-user"
    )


def test_guarded_files_that_are_links_themselves_are_guarded_by_both_names():
    linked = state(realpath=lambda: lambda path: path.replace(OWN[0], "/srv/dotfiles/hookline"))

    assert verdict("rm /srv/dotfiles/hookline/trust.json", state=linked) == "block write-user"
    assert verdict(f"rm {OWN[0]}/trust.json", state=linked) == "block write-user"
    assert verdict("rm /srv/dotfiles/vimrc", state=linked) == "pass"


@pytest.mark.parametrize(
    ("name", "text", "command", "said"),
    [
        ("x.sh", "rm -rf ~/.config/hookline\n", "bash x.sh", "block write-user"),
        ("x.sh", "hookline trust\n", "./x.sh", "block command"),
        ("x.sh", "AR_DISABLE_X=1 agent\n", ". ./x.sh", "block switch"),
        ("x.sh", "#!/bin/sh\nbash y.sh\n", "./x.sh", "pass"),
        ("x.py", "open('.hookline/x', 'w')\n", "python x.py", "block write-project"),
        ("x.py", "#!/usr/bin/env python3\nopen('.hookline/x', 'w')\n", "./x.py", "block write-project"),
        ("x.py", "print(open('.hookline/x').read())\n", "python x.py", "pass"),
        ("x", "#!/usr/bin/python3\nfrom hookline.cli import main\nmain()\n", "./x trust", "block command"),
        ("x", "#!/usr/bin/python3\nfrom hookline.cli import main\nmain()\n", "python x off", "block command"),
        ("Makefile", "all:\n\t@hookline trust\n", "make", "block command"),
        ("Makefile", "all:\n\techo hi\n", "make all", "pass"),
        ("justfile", "all:\n    hookline trust\n", "just all", "block command"),
        ("package.json", '{"scripts": {"x": "hookline trust"}}', "npm run x", "block command"),
        ("package.json", '{"scripts": {"prex": "hookline trust"}}', "yarn x", "block command"),
        ("package.json", '{"scripts": {"y": "hookline trust"}}', "npm run x", "pass"),
        ("package.json", '{"scripts": ["hookline"]}', "npm run x", "pass"),
        ("package.json", "hookline", "npm run x", "pass"),
    ],
)
def test_a_script_is_judged_when_it_is_started(name, text, command, said):
    scripts = {f"{ROOT}/{name}": text, f"{ROOT}/./{name}": text}

    assert verdict(command, state=state(shell_facts=lambda: ShellFacts(read_script=scripts.get))) == said


def test_scripts_that_start_each_other_end():
    assert (
        verdict("sh x.sh", state=state(shell_facts=lambda: ShellFacts(read_script=lambda path: "sh x.sh\n")))
        == "pass"
    )


def test_a_link_to_the_command_is_the_command():
    linked = state(realpath=lambda: lambda path: "/usr/bin/hookline" if path == f"{ROOT}/h" else path)

    assert verdict("./h trust", state=linked) == "block command"
    assert verdict("./h list", state=linked) == "pass"


@pytest.mark.parametrize("kind", ["write", "edit"])
@pytest.mark.parametrize(
    ("path", "said"),
    [
        (f"{OWN[0]}/hookline.toml", "block write-user"),
        ("~/.config/hookline/trust.json", "block write-user"),
        ("../.config/hookline/trust.json", "block write-user"),
        (f"file://{OWN[0]}/trust.json", "block write-user"),
        (f"{ROOT}/.hookline/hookline.toml", "ask write-project"),
        (".hookline/hooks/mine.py", "ask write-project"),
        (f"{ROOT}/src/hookline.py", "pass"),
        (f"{HOME}/bin/hookline", "block uninstall"),
        (f"{HOME}/project/bin/hookline", "pass"),
        (f"{HOME}/.bashrc", "pass"),
    ],
)
def test_file_tools(kind, path, said):
    assert tool(kind, path=path, content="x") == said


def test_a_patch_names_its_files_in_its_text():
    patch = "*** Begin Patch\n*** Update File: .hookline/hookline.toml\n@@\n-a\n+b\n*** End Patch"

    assert tool("edit", patch=patch) == "ask write-project"


@pytest.mark.parametrize("path", WIRING)
def test_the_wiring_may_be_edited_in_parts_that_are_not_ours_if_a_person_agrees(path):
    assert tool("write", path=path, content="{}") == "block write-wiring"
    assert tool("edit", path=path, content='"hooks": {}') == "block write-wiring"
    assert tool("edit", path=path, content='"AR_DISABLE_X": "1"') == "block write-wiring"
    assert tool("edit", path=path, content='"theme": "dark"') == "ask write-wiring"


@pytest.mark.parametrize(
    ("path", "content", "said"),
    [
        ("~/.bashrc", "export AR_DISABLE_X=1", "block switch"),
        (f"{ROOT}/.envrc", "AUTORESEARCH_BUDGET_END=9", "block switch"),
        (f"{ROOT}/README.md", "export AR_DISABLE_X=1", "pass"),
        (f"{ROOT}/.git/hooks/pre-commit", "#!/bin/sh\nhookline trust\n", "block command"),
        (f"{ROOT}/.git/hooks/pre-commit", "#!/bin/sh\nmake lint\n", "pass"),
        (f"{ROOT}/docs/x.md", "run `hookline trust`", "pass"),
    ],
)
def test_files_that_others_run(path, content, said):
    assert tool("write", path=path, content=content) == said


@pytest.mark.parametrize("kind", ["read", "glob", "grep", "list", "search", "fetch", "question", "agent"])
def test_reading_is_fine(kind):
    assert tool(kind, path=f"{OWN[0]}/trust.json", content="hookline trust") == "pass"


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("mcp__fs__write_file", {"path": f"{OWN[0]}/trust.json", "content": "x"}, "block write-user"),
        ("mcp__fs__write_file", {"target": {"file": ".hookline/hookline.toml"}}, "ask write-project"),
        ("mcp__fs__read_file", {"path": f"{OWN[0]}/trust.json"}, "pass"),
        ("mcp__fs__write_file", {"path": "notes.md", "content": "hookline trust"}, "pass"),
        ("mcp__sh__run", {"command": "hookline off 1h"}, "block command"),
        ("mcp__sh__run", {"argv": ["bash", "-lc", "hookline off 1h"]}, "block command"),
        ("mcp__sh__run", {"command": "echo hi"}, "pass"),
    ],
)
def test_tools_of_unknown_kind(name, given, said):
    assert tool("mcp", tool=name, **given) == said


@pytest.mark.parametrize("kind", ["powershell", "cmd"])
@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("hookline trust", "block command"),
        ("& 'C:\\x\\hookline.exe' off", "block command"),
        ("$env:AR_DISABLE_X = 1; agent", "block switch"),
        ("Set-Content .hookline\\hookline.toml x", "block write-user"),
        ("echo x > C:\\Users\\me\\.hookline\\hookline.toml", "block write-user"),
        ("Get-Content .hookline\\hookline.toml", "pass"),
        ("hookline list", "pass"),
    ],
)
def test_the_shells_of_windows(kind, command, said):
    assert tool(kind, tool="PowerShell", command=command) == said


def test_without_being_told_what_to_guard_the_usual_places_are_guarded():
    plain = State(now=0.0, facts=Facts({"root": lambda: ROOT, "home": lambda: HOME}))
    moved = State(now=0.0, env={"XDG_CONFIG_HOME": "/cfg"}, facts=plain.facts)

    assert verdict("rm ~/.config/hookline/trust.json", state=plain) == "block write-user"
    assert verdict("rm /cfg/hookline/trust.json", state=moved) == "block write-user"
    assert verdict("rm .hookline/x", cwd="", state=State(now=0.0)) == "block write-project"


@pytest.mark.parametrize(
    "exception",
    [
        "switch",
        "self-protect:switch",
        {"rule": "switch", "match": "AR_DISABLE_X=1 *", "reason": "our own tests"},
    ],
)
def test_a_rule_can_be_excepted(exception):
    spared = judged("AR_DISABLE_X=1 agent", allow=(exception,))

    assert spared == Response()
    assert spared.note.startswith("switch excepted: ")
    assert judged("AR_DISABLE_X=1 hookline trust", allow=(exception,)).rule == "command"


def test_a_block_outweighs_a_question_before_it():
    assert verdict("echo a > $X/hookline.toml; hookline trust") == "block command"


def test_what_cannot_be_read_is_asked_about_if_it_names_us():
    assert verdict("hookline 'unclosed") == "ask hidden"
    assert verdict("echo 'unclosed") == "pass"


def test_points_at_the_part_that_decided():
    command = "echo hi; rm build .hookline/x"

    assert command[slice(*judged(command).span)] == ".hookline/x"


@pytest.mark.parametrize(
    "command", ["hookline trust", "rm -r .hookline", "AR_DISABLE_X=1 x", "rm ~/.config/hookline/x"]
)
def test_tells_the_agent_what_and_what_instead_and_whom_to_ask(command):
    reason = judged(command).reason

    assert "the user" in reason.lower()
    assert "error" not in reason.lower()
    assert reason.endswith(".")


def test_every_rule_has_its_words():
    from hookline.hooks._self_protect.finding import Finding

    assert all(Finding(rule=rule, what="x").message for rule in RULES)


def test_a_redirection_of_many_commands_is_seen_behind_an_open_here_document():
    assert verdict("{ cat; } > .hookline/x <<EOT\nopen") == "block write-project"
    assert verdict("{ a; } > b\n" * 60 + "{ a; } > .hookline/x") == "block write-project"


def test_a_hundred_kilobytes_take_a_moment():
    assert verdict("echo " + "word " * 20_000) == "pass"
    assert verdict('python3 -c "' + "open " * 20_000 + '"') == "pass"


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("ask command", "perl -e 'system(shift)' 'hookline trust'"),
        ("block command", "make --eval=$'x:\\n\\thookline trust' x"),
        ("block command", "tar -cf /dev/null --checkpoint-action=exec='hookline trust' ."),
        ("block command", "sed -n '1e hookline trust' notes.txt"),
        ("block command", "PAGER='hookline trust' git log"),
        ("block command", "git -c core.pager='hookline trust' log"),
        ("block command", "cp ~/bin/hookline h; ./h trust"),
        ("block command", "perl -e 'system(q(hookline trust))'"),
        ("block write-project", "perl -e 'open(F, q(>), q(.hookline/x))'"),
        ("block write-project", "python3 -c \"open('.hook''line/x', 'w')\""),
        ("block write-wiring", "cd .agent && for f in *; do : > $f; done"),
        ("block write-wiring", "ls .agent | xargs -I% rm .agent/%"),
        ("block write-wiring", "mv .agent gone"),
        ("block write-wiring", "rm -r /home/test/other/.agent"),
        ("block write-wiring", "echo > /home/test/other/.agent/settings.json"),
        ("block write-user", "cd ~/.conf*/hookline && rm -f *"),
        ("block write-user", "find ~/.config/hook?ine -type f -delete"),
        ("block write-user", "uniq notes.txt ~/.config/hookline/x"),
        ("block write-user", "xxd notes.txt ~/.config/hookline/x"),
        ("block write-user", "iconv -o ~/.config/hookline/x notes.txt"),
        ("block write-user", "openssl rand -out ~/.config/hookline/x 9"),
        ("block write-user", "git -C ~/.config/hookline init"),
        ("block write-user", "git diff --output=$HOME/.config/hookline/x"),
        ("block write-user", "cp --target-directory=$(dirname $(echo ~/.config/hookline/x)) notes.txt"),
        ("block write-user", "echo x > $(cut -c2- <<< x$HOME/.config/hookline/trust.json)"),
        ("block write-project", "nohup bash -c 'cd .hookline && { echo x; } > hookline.toml'"),
        ("ask hidden", "cd ~/.config/hookline; sh -c \"touch $'\\\\x2ftmp'\""),
        ("block write-user", "( cd ~/.config/hookline && { echo x; } > hooks.json )"),
        ("block write-project", "f() { f() { echo x > .hookline/x; }; f; }; f"),
        ("block write-project", "git -c alias.z='!{ echo x; } > .hookline/x' z"),
    ],
)
def test_ways_that_a_search_has_found(said, command):
    assert verdict(command) == said


@pytest.mark.parametrize(
    "command",
    [
        "sh < s.sh",
        "cat s.sh | bash",
        'eval "$(cat s.sh)"',
        'bash -c "$(<s.sh)"',
        "xargs -a s.sh -I% sh -c %",
        "BASH_ENV=s.sh bash -c :",
    ],
)
def test_a_script_that_is_run_without_being_named_as_one(command):
    scripts = {f"{ROOT}/s.sh": "hookline trust\n"}
    known = state(shell_facts=lambda: ShellFacts(read_script=scripts.get))

    assert verdict(command, state=known) == "block command"
    assert verdict(command) == "pass"


@pytest.mark.parametrize(
    ("said", "name", "given"),
    [
        ("ask command", "mcp__term__send", {"text": "hookline off 10m"}),
        ("block command", "mcp__shell__run", {"command": "hookline off 10m"}),
        ("block write-user", "mcp__fs__put", {"path": f"{HOME}/.config/my dir/../hookline/hookline.toml"}),
        (
            "block write-user",
            "mcp__fs__put",
            {"uri": f"file://localhost{HOME}/.config/hookline/hookline.toml"},
        ),
        ("block write-user", "mcp__fs__find_and_replace", {"path": f"{HOME}/.config/hookline/hookline.toml"}),
        ("pass", "mcp__fs__get_file", {"path": f"{HOME}/.config/hookline/hookline.toml"}),
        ("pass", "mcp__notes__add", {"text": "hookline is a nice tool"}),
        ("pass", "mcp__fs__put", {"path": f"{ROOT}/my dir/a.txt"}),
    ],
)
def test_tools_of_others_reach_no_guard(said, name, given):
    assert tool("mcp", tool=name, **given) == said


@pytest.mark.parametrize(
    ("said", "command"),
    [
        (
            "block write-user",
            "python3 -c \"import os;open(os.path.expanduser('~/.config/hookline/x'),'w').write('x')\"",
        ),
        ("block write-wiring", "python3 -c \"open(str(Path.home())+'/.agent/settings.json','w')\""),
        ("ask hidden", "perl -e 'unlink glob(\"~/.config/*/*.toml\")'"),
        ("block write-wiring", 'perl -e \'rename "x", ".agent/settings.json"\''),
        ("block write-wiring", 'ruby -e \'IO.binwrite(".agent/settings.json","")\''),
        ("ask command", "python3 -c \"from runpy import run_module as r; r('hookline')\""),
        ("ask command", "python3 -c \"from importlib import import_module as i; i('hookline.cli').main()\""),
        ("block command", "expect -c 'spawn hookline off 10m; interact'"),
        ("block command", "cp $(which hookline) /tmp/h; /tmp/h off 10m"),
        ("block write-user", "vim -c 'w! ~/.config/hookline/hookline.toml' -c q x"),
        ("block write-user", "strace -o ~/.config/hookline/hookline.toml ls"),
        ("block write-user", "aria2c -d ~/.config -o hookline/hookline.toml http://x"),
        ("ask write-user", "rsync -a evil/ ~/.config/"),
        ("ask write-user", "rsync -a evil/ ~/"),
        ("block write-user", "rsync -a --delete evil/ ~/.config/"),
        ("block write-user", "chmod -r ~/.config/hookline/hookline.toml"),
        ("ask write-wiring", "ln -s /tmp/evil .agent"),
        ("ask write-wiring", "git checkout other -- .agent"),
        ("block write-wiring", "git rm -r .agent"),
        ("ask write-wiring", "patch -d .agent < x.patch"),
        ("ask write-wiring", "7z x a.7z -o.agent"),
        ("block switch", "echo AR_DISABLE_X=1 > ~/.config/environment.d/x.conf"),
        ("block switch", "echo export XDG_CONFIG_HOME=/tmp/e >> ~/.bashrc"),
        ("block switch", "echo HOME=/tmp/e >> ~/.profile"),
        ("ask write-user", "curl x | tar xz -C ~/.local"),
        ("ask write-user", "tar -C ~/.local -xf go.tgz"),
        ("ask write-user", "unzip x.zip -d ~"),
        ("ask write-user", "cp -r dotfiles/. ~"),
        ("ask write-user", "chmod -R go-rwx ~/.config"),
        ("block write-user", "chmod -R go-rwx ~/.config/hookline"),
        ("block write-user", "cp -r evil/. ~/.config/hookline"),
        (
            "block write-project",
            "python3 -c \"p=base64.b64decode('Lmhvb2tsaW5lL3g='); open(p,'w').write('')\"",
        ),
        ("block write-project", "python3 -c \"open('lmot.x/enilkooh.'[::-1],'w')\""),
        (
            "block command",
            "python3 -c \"import os; os.system(''.join(map(chr,[104,111,111,107,108,105,110,101]))+' off')\"",
        ),
        (
            "block write-project",
            "node -e \"fs.writeFileSync(Buffer.from('Lmhvb2tsaW5lL3g=','base64').toString(),'')\"",
        ),
        ("block command", 'perl -e \'system(pack("H*","686f6f6b6c696e65206f6666"))\''),
        ("pass", "vim -c 'w out.txt' x"),
        ("pass", "strace -o log ls"),
        ("pass", "ln -s /tmp/evil b"),
        ("pass", "ln -s ~/dotfiles/nvim ~/.config/nvim"),
        ("pass", "git checkout other -- src"),
        ("pass", "rsync -a ~/.config/ /backup/"),
        ("pass", "expect -c 'spawn ssh host; interact'"),
        ("pass", "cp $(which python) /tmp/p; /tmp/p x.py"),
        ("pass", "echo 'export JAVA_HOME=/x' >> ~/.bashrc"),
        ("pass", "echo 'export XDG_CONFIG_HOME=$HOME/.config' >> ~/.bashrc"),
        ("pass", "echo HOME=/x > notes"),
        ("pass", "python3 -c \"print(''.join(reversed('abc'))); open('x','w').write(chr(10))\""),
    ],
)
def test_what_a_reviewer_has_found(said, command):
    assert verdict(command) == said


@pytest.mark.parametrize(
    ("name", "text", "command", "said"),
    [
        ("x.py", "from runpy import run_module as r\nr('hookline')\n", "python x.py", "ask command"),
        ("fix3.py", "open('.hookline/x', 'w')\n", "python -m fix3", "block write-project"),
        ("x.sh", "hookline trust\n", "GIT_PAGER=./x.sh git log", "block command"),
        ("x.sh", "hookline trust\n", "export EDITOR=./x.sh; git commit", "block command"),
        ("x.sh", "hookline trust\n", "at -f x.sh now", "block command"),
        ("package.json", '{"scripts": {"test": "hookline trust"}}', "npm t", "block command"),
        ("package.json", '{"scripts": {"test": "hookline trust"}}', "npm it", "block command"),
        ("package.json", '{"scripts": {"test": "hookline trust"}}', "node --run test", "block command"),
        (
            "x.py",
            "for i in reversed(a): b\nopen('o', 'w').write(base64.b64encode(c))\n",
            "python x.py",
            "pass",
        ),
        ("x.py", "xs.reverse()\nopen('o', 'wb').write(struct.pack('<I', 1))\n", "python x.py", "pass"),
        ("x.py", "with codecs.open('o', 'w') as f:\n    f.write(chr(65))\n", "python x.py", "pass"),
        ("x.js", "const b = Buffer.from(d); fs.writeFileSync('a.png', b)\n", "node x.js", "pass"),
    ],
)
def test_scripts_that_a_reviewer_has_found(name, text, command, said):
    scripts = {f"{ROOT}/{name}": text, f"{ROOT}/./{name}": text}

    assert verdict(command, state=state(shell_facts=lambda: ShellFacts(read_script=scripts.get))) == said


LOOKING = st.sampled_from(
    ("ls", "cat", "head -n 3", "tail", "wc -l", "grep -rn", "stat", "du -sh", "cut -c1")
)
SEEN = st.sampled_from((".", "src", "~/.agent/settings.json", ".hookline/hookline.toml", ".ckignore", "*.md"))


@given(st.lists(st.tuples(LOOKING, st.lists(SEEN, max_size=3)), min_size=1, max_size=3))
def test_a_line_that_only_looks_passes(commands):
    assert judged(" | ".join(" ".join((name, *words)) for name, words in commands)) is None


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("block write-wiring", "ls > ~/.agent/settings.json"),
        ("block write-wiring", "ls | tee ~/.agent/settings.json"),
        ("block write-wiring", "{ ls; } > ~/.agent/settings.json"),
        ("block switch", "AR_DISABLE_X=1; ls"),
        ("block switch", "AR_DISABLE_X=1\nls"),
        ("block command", "ls $(hookline off 1h)"),
        ("block command", "ls `hookline off 1h`"),
        ("block command", "ls; hookline off 1h"),
        ("block command", "ls & hookline off 1h"),
        ("block command", "cat <(hookline off 1h)"),
        ("block command", "ls() { hookline off 1h; }; ls"),
        ("ask hidden", "ls | xargs hookline off"),
    ],
)
def test_a_line_that_does_more_than_look_is_judged_whole(said, command):
    assert verdict(command) == said


@pytest.mark.parametrize(
    ("said", "given"),
    [
        ("ask command", {"steps": ["ls", "hookline off 1h"]}),
        ("ask write-project", {"steps": ["pwd", "rm .hookline/hookline.toml"]}),
        ("pass", {"steps": ["ls", "src"]}),
        ("pass", {"command": "ls x; cd ~/.conf*/hookline", "log_file": "out.txt"}),
        ("pass", {"log_file": "out.txt", "command": "ls x; cd ~/.conf*/hookline"}),
    ],
)
def test_what_another_tool_is_given_is_no_line_of_a_shell(said, given):
    assert tool("other", tool="mcp__box__perform", **given) == said


def test_a_program_of_the_project_that_is_called_like_one_that_looks_is_read():
    shell_facts = ShellFacts(read_script=lambda path: "hookline off 1h" if path.endswith("/ls") else None)
    scripts = state(shell_facts=lambda: shell_facts)

    assert judged("./ls", state=scripts).rule == "command"
    assert judged("ls", state=scripts) is None


@pytest.mark.parametrize(
    "command",
    [
        'for f in ~/.agent/settings*.json; do mv "$f" "$f.off"; done',
        "dasel put -t json -v '{}' -f ~/.agent/settings.json '.hooks'",
        "git -C ~ apply <<'P'\n--- a/.agent/settings.json\n+++ b/.agent/settings.json\nP",
        "emacs --batch ~/.agent/settings.json --eval '(save-buffer)'",
        'awk -v f="$HOME/.agent/settings.json" \'BEGIN{print "{}" > f}\'',
        "python3 -c \"import shutil,os; shutil.move(os.path.expanduser('~/.agent'), '/tmp/c')\"",
    ],
)
def test_other_programs_that_change_settings(command):
    assert verdict(command) != "pass"


def test_files_of_a_loop_in_another_folder_pass():
    assert verdict('for f in tests/*.json; do jq . "$f" > /tmp/x && mv /tmp/x "$f"; done') == "pass"
