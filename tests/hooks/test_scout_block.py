"""Test scout-block: the paths that it blocks, the pattern of each, and the lines that permit them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline import State
from hookline.core.frozen import freeze
from hookline.core.hook import tightens
from hookline.core.state import Facts
from hookline.hooks.scout_block import scout_block
from hookline.testing import pre_tool_use

FACTS = {"root": "/proj/app", "home": "/home/me"}


def state(ckignore="", *, memory=None, **facts):
    every = {**FACTS, "ckignore": ckignore, **facts}
    return State(
        now=0.0,
        memory=freeze(memory or {}),
        facts=Facts({name: lambda value=value: value for name, value in every.items()}),
    )


def tool(kind, cwd="/proj/app", **given):
    return pre_tool_use(tool=kind, kind=kind, input=freeze(given), input_keys=freeze({}), cwd=cwd)


def shell(line, cwd="/proj/app", kind="shell"):
    return pre_tool_use(line, kind=kind, cwd=cwd)


def stopped(event, ckignore="", **settings):
    facts = settings.pop("facts", {})
    response = scout_block.judge(event, state(ckignore, **facts), **settings)
    return response is not None and response.verdict == "block"


@pytest.mark.parametrize(
    "path",
    [
        "node_modules/a.js",
        "packages/web/node_modules/a/b.js",
        "/proj/app/dist/x",
        "/elsewhere/dist/x",
        "~/.aws/config",
        "../other/node_modules/x",
        "src/../dist/x",
        "dist\\a\\b.js",
        "C:\\proj\\node_modules\\a.js",
        "node_modules",
        "build/",
        "logs/app.log",
        "file:///proj/app/out/x",
    ],
)
@pytest.mark.parametrize("kind", ["read", "write", "edit", "list", "grep", "notebook", "mcp"])
def test_a_path_in_a_wasteful_folder_is_kept_out_of_every_tool(kind, path):
    assert stopped(tool(kind, path=path))


@pytest.mark.parametrize(
    "path",
    [
        "src/a.js",
        "builder/x.go",
        "node_modules.md",
        "src/env.ts",
        "docs/out.md",
        ".gitignore",
        "blog.md",
        "x.logs",
    ],
)
def test_what_only_looks_like_one_passes(path):
    assert not stopped(tool("read", path=path))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"file_path": "dist/x"}, True),
        ({"notebookPath": "dist/x.ipynb"}, True),
        ({"paths": ["src/a", "dist/b"]}, True),
        ({"edits": [{"filePath": "out/x"}]}, True),
        ({"source": "src/x", "destination": "dist/x"}, True),
        ({"text": "dist/x", "content": "dist/x", "pattern": "dist/x"}, False),
        ({"patch": "*** Begin Patch\n*** Update File: dist/x\n*** End Patch"}, True),
        ({"file_content": "dist/x", "file_type": "dist"}, False),
    ],
)
def test_every_field_that_is_named_like_a_path_is_looked_at(given, expected):
    assert stopped(tool("mcp", **given)) is expected


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("node_modules/**/*.js", True),
        ("**/node_modules/**", True),
        ("{src,dist}/**", True),
        ("**/*.log", True),
        ("src/**/*.ts", False),
        ("!**/node_modules/**", False),
        ("**/*.js", False),
    ],
)
def test_a_glob_asks_for_what_its_pattern_names(pattern, expected):
    assert stopped(tool("glob", pattern=pattern)) is expected


def test_a_glob_starts_at_its_folder():
    assert stopped(tool("glob", pattern="*", path=".git"))
    assert not stopped(tool("grep", pattern="node_modules/x", path="src", glob="!dist/**"))
    assert stopped(tool("grep", pattern="x", path="src", glob="dist/**"))


@pytest.mark.parametrize(
    "line",
    [
        "ls node_modules",
        "npm test && cat node_modules/x",
        "cd dist && cat a.js",
        "bash -c 'cat dist/a.js'",
        "D=dist; cat $D/a.js",
        "cat $X/node_modules/a",
        "cat node_mod*/a",
        "cat < dist/a.js",
        "while read l; do echo $l; done < dist/a",
        "grep -r foo node_modules",
        "ssh -o IdentityFile=.ssh/k host true",
        "ssh -F.ssh/config host",
        "ssh localhost cat dist/x",
        "npm exec -- cat node_modules/x",
        "tail -f app.log",
    ],
)
def test_an_operand_that_a_command_opens_is_kept_out(line):
    assert stopped(shell(line))


@pytest.mark.parametrize(
    "line",
    [
        "echo 'node_modules/x'",
        "grep node_modules .gitignore",
        "git commit -m 'drop dist/x'",
        "find . -name node_modules -prune -o -print",
        "grep -r foo --exclude-dir=node_modules .",
        "tree -I node_modules",
        "ssh host cat node_modules/x",
        "scp host:/srv/dist/x .",
        "rsync -a --exclude dist src/ dst/",
        "rsync -a --dry-run src/ dst/",
        "find . -size +100M",
        "./node_modules/.bin/eslint src",
        ".venv/bin/python -m pytest",
        "python dist/run.py",
        "git diff -- dist",
        "docker exec web ls node_modules",
        "cd build && make",
        "ls -d node_modules",
        "source venv/bin/activate",
        "rm -rf node_modules dist",
        "mkdir -p dist",
        "tar czf d.tgz dist",
        "make 2>&1 | tee build.log",
        "npm test > test.log",
        "cat <<EOF\nnode_modules/x\nEOF",
    ],
)
def test_text_builds_remote_files_and_housekeeping_pass(line):
    assert not stopped(shell(line))


@pytest.mark.parametrize(
    ("kind", "line", "expected"),
    [
        ("powershell", "Get-Content dist\\a.js", True),
        ("powershell", "Get-ChildItem .\\node_modules", True),
        ("powershell", "Write-Output 'dist/a.js'", False),
        ("cmd", "type dist\\a.js", True),
        ("cmd", "echo dist", False),
    ],
)
def test_windows_shells_are_read_too(kind, line, expected):
    assert stopped(shell(line, kind=kind)) is expected


@pytest.mark.parametrize(
    ("ckignore", "path", "expected"),
    [
        ("vendor/\n", "src/vendor/a.go", True),
        ("vendor/\n", "src/vendors/a.go", False),
        ("!dist/production/\n", "dist/production/a.js", False),
        ("!dist/production/\n", "dist/dev/a.js", True),
        ("data/*\n!data/keep/\n", "data/keep/a", False),
        ("data/*\n!data/keep/\n", "data/x/a", True),
        ("/only/\n", "sub/only/a", False),
        ("\\!bang.txt\n", "!bang.txt", True),
        ("# dist2/\n\n", "dist2/x", False),
        ("!*.log\n", "a.log", False),
    ],
)
def test_ckignore_means_what_gitignore_means(ckignore, path, expected):
    assert stopped(tool("read", path=path), ckignore) is expected


@pytest.mark.parametrize("path", [".git/objects/ab", "~/.ssh/id_rsa", ".aws/credentials"])
@pytest.mark.parametrize("line", ["!.git/\n!.ssh/\n!.aws/\n", "!*\n", "!**\n"])
def test_a_repository_cannot_open_what_is_private_by_itself(line, path):
    event = tool("read", path=path)

    assert stopped(event, line)
    assert not stopped(event, line, facts={"ckignore_trusted": True})


@pytest.mark.parametrize(
    "path", ["dist/a.js", "app.log", "a b/dist/x[1].js", "/else/out/x", "node_modules", "q/w.log"]
)
def test_the_reason_names_the_path_and_the_line_that_lets_it_in(path):
    event = tool("read", path=path)
    reason = scout_block.judge(event, state()).reason
    line = re.search(r"in \.ckignore is (\S.*)$", reason)[1]

    assert path in reason
    assert line.startswith("!")
    assert not stopped(event, f"{line}\n")


NAMES = st.text(
    st.characters(exclude_categories=["C", "Z"], exclude_characters="\\/"), min_size=1, max_size=20
)


@given(NAMES.filter(lambda name: name.strip(".") and not name.startswith("APPROVED:")))
def test_the_line_lets_any_name_in(name):
    event = tool("read", path=f"dist/{name}")
    reason = scout_block.judge(event, state()).reason
    line = re.search(r"in \.ckignore is (\S.*)$", reason)[1]

    assert not stopped(event, f"{line}\n")


def test_bad_lines_are_said_once_with_their_number_and_the_others_hold():
    text = "ok/\n!\nvendor/\na*b*c*d*e*f*\n"
    first = scout_block.judge(tool("read", path="vendor/x"), state(text))
    again = scout_block.judge(tool("read", path="src/x"), state(text, memory=first.memory))

    assert first.verdict == "block"
    assert [warning.partition(":")[0] for warning in first.warnings] == [
        ".ckignore line 2 is not a pattern",
        ".ckignore line 4 has too many wildcards",
    ]
    assert again is None


def test_links_that_lead_out_of_the_tree_are_followed():
    links = {"/proj/app/lib": "/srv/node_modules/lib", "/proj/app/ok": "/proj/app/src"}
    facts = {"realpath": lambda path: links.get(path, path)}

    assert stopped(tool("read", path="lib"), facts=facts)
    assert stopped(shell("cat lib"), facts=facts)
    assert not stopped(tool("read", path="ok"), facts=facts)


def test_a_project_that_lies_in_such_a_folder_is_not_kept_out_of_itself():
    facts = {"root": "/home/me/build/app", "realpath": lambda path: path.replace("/home/me", "/disk/out")}

    assert not stopped(tool("read", cwd="/home/me/build/app", path="src/a.py"), facts=facts)
    assert stopped(tool("read", cwd="/home/me/build/app", path="dist/a.py"), facts=facts)


def test_a_file_that_is_called_like_a_folder_is_a_file():
    facts = {"is_file": lambda path: path == "/proj/app/build"}

    assert not stopped(tool("read", path="build"), facts=facts)
    assert stopped(tool("read", path="build"))


def test_exceptions_and_further_patterns_are_settings():
    event = tool("read", path="dist/a.js")
    entry = freeze({"rule": "ignored-path", "match": "dist/*", "reason": "we ship it"})

    assert not stopped(event, allow=("ignored-path",))
    assert not stopped(event, allow=(entry,))
    assert stopped(tool("read", path="out/a.js"), allow=(entry,))
    assert stopped(tool("read", path="gen/a.js"), patterns=("gen/",))
    assert tightens(scout_block, "patterns", ("gen/",))
    assert not tightens(scout_block, "allow", ("ignored-path",))


def test_a_hostile_pattern_or_path_holds_nobody_up():
    long = "a" * 5000
    assert not stopped(tool("read", path="x/" + long), "*a*a*a*b\n")
    assert not stopped(tool("read", path="a/" * 2000 + "x"), "**/a/**/b\n")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("tail -20 app.log", False),
        ("cat app.log | sort | head -3", False),
        ("grep loss app.log | awk '{print $2}' | sort -n | head -1", False),
        ("npm start > app.log & sleep 2; cat app.log", False),
        ("envsubst < a.tpl > build/a.conf; cat build/a.conf", False),
        ("nm build/lib.a | grep T | head", False),
        ("head -5 dist/a.js", False),
        ("cat /var/log/app.log", False),
        ("sha256sum dist/*; du -sh build; cp -r dist /tmp/x; ls dist", False),
        ("ssh -i ~/.ssh/key host true", False),
        ("ssh -i .ssh/key host true", True),
        ("tail -f app.log", True),
        ("cat app.log", True),
        ("cat dist/a.js", True),
        ("head -5 node_modules/a/b.js", False),
        ("grep -n version node_modules/a/package.json", False),
        ("cat coverage/summary.json | jq .total", False),
        ("sed -n 1,40p build.log", False),
        ("jq . dist/stats.json", True),
        ("cat node_modules/a/b.js", True),
        ("grep -rn x dist | head", True),
    ],
)
def test_commands_that_print_little_pass(line, expected):
    assert stopped(shell(line)) is expected


@pytest.mark.parametrize(("limit", "expected"), [(100, False), (5_000, True), (None, True)])
def test_a_tool_may_read_a_part_of_a_log(limit, expected):
    assert stopped(tool("read", path="app.log", **({"limit": limit} if limit else {}))) is expected
