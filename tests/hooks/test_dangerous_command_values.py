"""Test that dangerous-command follows values: lists, filters, scripts and settings outside the line."""

import base64
import gzip

import pytest

from hookline import State
from hookline.core.state import Facts
from hookline.hooks.dangerous_command import dangerous_command
from hookline.hooks.privacy_block import privacy_block
from hookline.hooks.scout_block import scout_block
from hookline.hooks.self_protect import self_protect
from hookline.shell import Facts as ShellFacts
from hookline.shell import _read
from hookline.testing import pre_tool_use

ROOT = "/home/test/project"
PACKED = base64.b64encode(gzip.compress(b"rm -rf /", mtime=0)).decode()


def verdict(line, scripts=None, settings=None):
    shell_facts = ShellFacts(
        read_script=(scripts or {}).get, git_setting=lambda cwd, name: (settings or {}).get(name)
    )
    facts = Facts({"root": lambda: ROOT, "home": lambda: "/home/test", "shell_facts": lambda: shell_facts})
    response = dangerous_command.judge(pre_tool_use(line, cwd=ROOT), State(now=0.0, facts=facts))
    return "pass" if response is None or not response.verdict else f"{response.verdict} {response.rule}"


@pytest.mark.parametrize(
    "line",
    [
        "$(which git) push --force",
        "$(command -v git) reset --hard",
        'g=$(type -P git); "$g" clean -fd',
        "git ls-files -m | xargs git checkout --",
        "git ls-files -m -z | xargs -0 git restore",
        "git diff --name-only | xargs git checkout --",
        "git diff --name-only HEAD | xargs -I{} git checkout HEAD -- {}",
        "git checkout -- $(git ls-files -m)",
        'git diff --name-only | while read -r f; do git restore "$f"; done',
        "for f in $(git diff --name-only); do git checkout -- $f; done",
        "git status --porcelain | awk '{print $2}' | xargs git checkout --",
        'mapfile -t all < <(git ls-files -m); git restore "${all[@]}"',
        "git diff | git apply -R",
        "git diff HEAD | git apply --reverse",
        "git diff > p.diff; git apply -R p.diff",
        "git diff | patch -R -p1",
        "git ls-files -o --exclude-standard | xargs rm -f",
        "git stash -u && git stash drop",
        "git stash; git stash clear",
        "git checkout-index -fa",
        "git checkout-index --force --all",
        "git read-tree -u --reset HEAD",
        "git config remote.origin.mirror true; git push",
        "git config remote.origin.push +refs/heads/main:refs/heads/main && git push",
        "git config --add remote.origin.push '+refs/heads/*:refs/heads/*'; git push origin",
        "git remote add --mirror=push copy https://host/x.git; git push copy",
        "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=remote.origin.mirror GIT_CONFIG_VALUE_0=true git push",
        "git -c alias.y='reset --hard' -c alias.x=y x",
        "git config alias.oops '!git push --force' && git oops",
        "shopt -s extglob; rm -rf !(keep)",
        "ls | xargs rm -rf",
        'ls -A | while read f; do rm -rf "$f"; done',
        "rm -rf $(ls -A)",
        "ls / | xargs -I{} rm -rf /{}",
        'for f in /etc/*; do rm -rf "$f"; done',
        "printf '%s\\n' build / | xargs -n1 rm -rf",
        "printf '%s\\n' build dist / | while read d; do rm -rf $d; done",
        "while read d; do rm -rf $d; done <<EOF\nbuild\n/\nEOF",
        "echo 'xm -rf /' | sed 's/x/r/' | sh",
        "echo '/ -rf rm' | awk '{print $3, $2, $1}' | sh",
        "tr A-Z a-z <<< 'RM -RF /' | bash",
        "echo '1:rm -rf /' | cut -d: -f2 | sh",
        f"echo {PACKED} | base64 -d | gunzip | sh",
        "echo 'rm -rf /' | gzip | base64 | base64 -d | zcat | bash",
        "env -S 'bash -c \"rm -rf /\"'",
        "printf '#!/bin/sh\\nrm -rf /\\n' > s; chmod +x s && ./s",
        "printf 'x:\\n\\trm -rf /\\n' > m; make -f m x",
        "printf 'D = /\\nx:\\n\\trm -rf $(D)\\n' > Makefile; make x",
        'echo \'{"scripts":{"x":"rm -rf /"}}\' > package.json; npm run x',
    ],
)
def test_disguised_commands_are_stopped(line):
    assert verdict(line) != "pass"


@pytest.mark.parametrize(
    "line",
    [
        "git ls-files -m | xargs ls -l",
        "git ls-files -d | xargs git checkout --",
        "git ls-files -m src/a.py | xargs git checkout --",
        "git diff --name-only -- src | xargs git checkout --",
        "git diff --name-only main...HEAD | xargs git checkout main --",
        "git diff --name-only --diff-filter=U | xargs git checkout --theirs --",
        "git ls-files -m | grep '\\.lock$' | xargs git checkout --",
        "git diff | git apply -R --check",
        "git diff src/a.py | git apply -R",
        "git show HEAD | git apply -R",
        "git diff main..topic | git apply -R",
        "git config remote.origin.mirror false; git push",
        "git config remote.origin.push refs/heads/main:refs/heads/main; git push",
        "git config remote.other.mirror true; git push origin",
        "git ls-files '*.orig' | xargs rm -f",
        "ls build | xargs -n1 echo",
        "for f in src/*.py; do wc -l $f; done",
        "for i in {1..200}; do curl -s localhost:$i; done",
        "for i in $(seq 1 200); do a $i; b $i; c $i; d $i; e $i; f $i; g $i; h $i; i $i; j $i; done",
        "printf '%s\\n' a b | xargs rm -rf",
        "while read f; do rm -rf build/$f; done < list",
        "source .venv/bin/activate",
        'eval "$(ssh-agent -s)"',
        'eval "$(direnv hook bash)"',
        "bash script.sh",
        ". ~/.nvm/nvm.sh",
        'eval "$(conda shell.bash hook)"',
        'echo "$TEXT" | sed s/a/b/ | tee out',
        "cat list | sort -u | xargs -n1 ls",
        "f=$(mktemp); echo x > $f; rm -f $f",
        'd=$(mktemp -d); git clone x $d; rm -rf "$d"',
        "echo aGVsbG8K | base64 -d",
        "cat a.gz | gunzip | head",
        "echo '{}' | jq .",
        "cat > big.json <<'E'\n" + '{"rm": "-rf /"},\n' * 25_000 + "E",
    ],
)
def test_harmless_lines_pass(line):
    assert verdict(line) in ("pass", "pass None")


@pytest.mark.parametrize(
    "line",
    [
        "echo aGVsbG8= | openssl enc -aes-256-cbc -d -k x | sh",
        "echo '#!xyz' | perl -pe 'tr/a-z/b-za/' | sh",
        "$(echo KLUv/SAB | base64 -d | zstd -d) x",
        "echo //// | base64 -d | bash",
        "echo hello | uudecode | sh",
        "cat > big.sh <<'E'\n" + "echo hello\n" * 20_000 + "E\nbash big.sh",
        "echo 'a\n" + "b\n" * 100_000 + "' | sh",
        "for c in " + " ".join(f"a{n}" for n in range(100)) + '; do eval "$c"; done',
    ],
)
def test_text_that_is_run_but_not_understood_asks(line):
    assert verdict(line).startswith("ask ")


SCRIPTS = {
    f"{ROOT}/deploy.sh": "#!/bin/bash\nset -e\ncd build\ngit push --force origin main\n",
    f"{ROOT}/safe.sh": "#!/bin/bash\nmake\n",
    f"{ROOT}/build.sh": 'source config.sh\nrm -rf "$OUT"/*\ngcc -o a a.c\n',
    f"{ROOT}/outer.sh": "./deploy.sh\n",
    f"{ROOT}/long.sh": "true\n" * 10_000,
    f"{ROOT}/long_rm.sh": "true\n" * 10_000 + "rm -rf $1\n",
    f"{ROOT}/loop.sh": "./loop.sh\n",
    f"{ROOT}/Makefile": "all: build\nbuild:\n\tcc a.c\nwipe: clean\nclean:\n\tgit reset --hard\n",
    f"{ROOT}/package.json": '{"scripts": {"wipe": "git clean -fdx"}}',
}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("bash deploy.sh", "block git-push-force"),
        ("./deploy.sh prod", "block git-push-force"),
        ("source ./deploy.sh", "block git-push-force"),
        ("sh outer.sh", "block git-push-force"),
        ("cd src && ../deploy.sh", "block git-push-force"),
        ("bash < deploy.sh", "block git-push-force"),
        ("cat deploy.sh | bash", "block git-push-force"),
        ('eval "$(cat deploy.sh)"', "block git-push-force"),
        ('bash -c "$(< deploy.sh)"', "block git-push-force"),
        ("cat deploy.sh | grep push", "pass"),
        ("cat safe.sh | bash", "pass"),
        ("bash safe.sh", "pass"),
        ("bash build.sh", "pass"),
        ("bash missing.sh", "pass"),
        ("cat deploy.sh", "pass"),
        ("bash long.sh", "pass"),
        ("bash long_rm.sh", "ask unread"),
        ("bash long.sh; git reset --hard", "block git-reset-hard"),
        ("./loop.sh", "pass"),
        ("make wipe", "block git-reset-hard"),
        ("make clean build", "block git-reset-hard"),
        ("make", "pass"),
        ("make build", "pass"),
        ("npm run wipe", "block git-clean-force"),
        ("npm run build", "pass"),
        ("echo true > deploy.sh; bash deploy.sh", "pass"),
    ],
)
def test_existing_scripts_are_read_when_they_are_executed(line, expected):
    assert verdict(line, scripts=SCRIPTS).removesuffix(" None") == expected


@pytest.mark.parametrize(
    ("line", "settings", "expected"),
    [
        ("git oops", {"alias.oops": "push --force"}, "block git-push-force"),
        ("git OOPS", {"alias.oops": "!git reset --hard"}, "block git-reset-hard"),
        ("git fine", {"alias.fine": "status -s"}, "pass"),
        ("git push", {"remote.origin.mirror": "true"}, "block git-push-force"),
        ("git push", {"remote.origin.push": "+refs/heads/*:refs/heads/*"}, "block git-push-force"),
        ("git push origin main", {"remote.origin.push": "+refs/heads/*:refs/heads/*"}, "pass"),
        ("git push", {"remote.origin.push": "refs/heads/main"}, "pass"),
        ("git clean -d", {"clean.requireforce": "false"}, "block git-clean-force"),
        ("git status", {"alias.status": "reset --hard"}, "pass"),
    ],
)
def test_git_settings_outside_the_line_count(line, settings, expected):
    assert verdict(line, settings=settings).removesuffix(" None") == expected


def test_facts_are_looked_up_only_if_a_command_depends_on_them():
    def fail(*_):
        raise AssertionError("looked up")

    shell_facts = ShellFacts(read_script=fail, git_setting=fail)
    facts = Facts({"root": lambda: ROOT, "home": lambda: "/home/test", "shell_facts": lambda: shell_facts})

    dangerous_command.judge(
        pre_tool_use("ls -l | wc; git status; git commit -m x; rm -rf build", cwd=ROOT),
        State(now=0.0, facts=facts),
    )


def test_all_guards_share_one_reading_of_a_line():
    looked_up = []
    shell_facts = ShellFacts(read_script=lambda path: looked_up.append(path) or "cat notes.txt\n")
    facts = Facts({"root": lambda: ROOT, "home": lambda: "/home/test", "shell_facts": lambda: shell_facts})
    _read.cache_clear()

    for guard in (dangerous_command, privacy_block, scout_block, self_protect):
        guard.judge(pre_tool_use("bash build.sh", cwd=ROOT), State(now=0.0, facts=facts))

    assert {*looked_up} == {f"{ROOT}/build.sh"}
    assert _read.cache_info().misses == 2  # one of them without facts


@pytest.mark.parametrize(
    "line",
    [
        "trap 'rm -rf \"$WORK\"' EXIT\nWORK=$HOME\nmake build",
        "( trap 'rm -rf \"$W\"' EXIT; W=~ )",
        "c=(ls 'git reset --hard'); for ((i=0; i<${#c[@]}; i++)); do eval \"${c[$i]}\"; done",
        'c=(ls \'git reset --hard\'); for i in "${!c[@]}"; do eval "${c[i]}"; done',
        "c=(ls 'git reset --hard'); i=0; while [ $i -lt 2 ]; do eval \"${c[$i]}\"; i=$((i+1)); done",
        "awk -v c='git reset --hard' 'BEGIN{system(c)}'",
        'awk \'BEGIN{c = "git reset " "--hard"; system(c)}\'',
        "awk -v c='git reset --hard' 'BEGIN{print c}' | sh",
        "jq '.scripts.x=\"git reset --hard\"' package.json > t && mv t package.json && npm run x",
        "jq --arg c 'git reset --hard' '.scripts.x=$c' package.json > t && mv t package.json && npm run x",
        'jq -nr \'["git","reset","--hard"] | join(" ")\' | bash',
        "node -e \"require('child_process').execSync(process.argv[1])\" 'git reset --hard'",
        "export C='git reset --hard'; echo '$C' | envsubst | sh",
        "python3 -c \"import zzz; print(zzz.make('x'))\" | sh",
    ],
)
def test_values_that_later_rounds_and_other_programs_compute(line):
    assert verdict(line) != "pass"


@pytest.mark.parametrize(
    "line",
    [
        "trap 'rm -rf \"$tmp\"' EXIT; tmp=$(mktemp -d); make build",
        'c=(ls pwd); for ((i=0; i<${#c[@]}; i++)); do eval "${c[$i]}"; done',
        'awk \'BEGIN{cmd="du -sh " ENVIRON["HOME"]; system(cmd); close(cmd)}\'',
        "jq '.scripts.test=\"vitest run\"' package.json > t && mv t package.json && npm test",
        'jq -nr \'["npm","run","test"] | join(" ")\' | bash',
        'eval "$(jq -r \'.vars | to_entries[] | "\\(.key)=\\(.value|@sh)"\' vars.json)"',
        "\"$(python3 -c 'import sys; print(sys.executable)')\" -m pip install x",
    ],
)
def test_harmless_values_that_other_programs_compute(line):
    assert verdict(line) == "pass"
