"""Test which variables count as a repository's, while its settings files change during a session."""

import json
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline import hosts
from hookline.hosts import load as host
from hookline.policy import read_files, repository_env, trust
from hookline.policy.read_files import parse_dotenv
from hookline.runtime.answer import find_caller
from hookline.runtime.setup import load_setup
from hookline.system import session_record
from hookline.system.session_record import CallingSession

FORCE = "git push --force origin main"
SWITCH = "AR_DISABLE_DANGEROUS_COMMAND"
BUDGET = "AUTORESEARCH_BUDGET_END"
SETTINGS = ".claude/settings.json"
NO_PROCESS = 1
"""The first process, which no host has started: then only the session's id identifies a session."""


def loaded(user, *, session="s", name="claude-code", cwd="", process=NO_PROCESS, **env):
    calling = CallingSession(id=session, process=process)
    return load_setup(
        user.environment(**env), cwd or str(user.project), host(name) if name else None, calling
    )


def hook_named(setup, name):
    return next(hook for hook in setup.hooks if hook.name == name)


def is_denied(reply):
    return reply.get("hookSpecificOutput", {}).get("permissionDecision") == "deny"


def settings_naming(*names):
    return {"env": dict.fromkeys(names, "1")}


CHANGES = {
    "deleted": lambda user: (user.project / SETTINGS).unlink(),
    "deleted-with-its-folder": lambda user: shutil.rmtree(user.project / ".claude"),
    "emptied": lambda user: user.write(SETTINGS, ""),
    "replaced": lambda user: user.write(SETTINGS, {"env": {"OTHER": "1"}}),
    "broken": lambda user: user.write(SETTINGS, "{"),
    "moved": lambda user: (user.project / SETTINGS).rename(user.project / ".claude" / "old.json"),
    "a-folder": lambda user: (
        (user.project / SETTINGS).unlink(),
        (user.project / SETTINGS).mkdir(),
    ),
    "other-root": lambda user: ((user.project / SETTINGS).unlink(), user.write("sub/.git/HEAD", "")),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_refused_switch_stays_refused_when_its_settings_have_changed(user, change):
    user.write(SETTINGS, settings_naming(SWITCH))
    first = user.hook(user.shell(FORCE), **{SWITCH: "1"})[1]
    CHANGES[change](user)
    replies = [user.hook(user.shell(FORCE), **{SWITCH: "1"})[1] for _ in range(2)]

    assert [is_denied(reply) for reply in (first, *replies)] == [True, True, True]


@pytest.mark.slow
def test_a_refused_switch_stays_refused_on_a_branch_without_the_settings(user):
    shutil.rmtree(user.project / ".git")

    def git(*words):
        identity = ("-c", "user.name=x", "-c", "user.email=x@example.org")
        subprocess.run(["git", *identity, *words], cwd=user.project, check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    git("commit", "-q", "--allow-empty", "-m", "without")
    git("switch", "-q", "-c", "hostile")
    user.write(SETTINGS, settings_naming(SWITCH))
    git("add", ".")
    git("commit", "-q", "-m", "with")
    first = user.hook(user.shell(FORCE), **{SWITCH: "1"})[1]
    git("switch", "-q", "main")

    assert not (user.project / SETTINGS).exists()
    assert is_denied(first)
    assert is_denied(user.hook(user.shell(FORCE), **{SWITCH: "1"})[1])


def test_the_first_event_of_any_kind_makes_the_record(user):
    user.write(SETTINGS, settings_naming(SWITCH))
    user.hook(user.payload("SessionStart"), **{SWITCH: "1"})
    (user.project / SETTINGS).unlink()
    payload = user.shell(FORCE) | {"session_id": user.payload("SessionStart")["session_id"]}

    assert is_denied(user.hook(payload, **{SWITCH: "1"})[1])


def test_a_cleared_session_of_the_same_host_keeps_the_record(user):
    user.write(SETTINGS, settings_naming(SWITCH))
    user.hook(user.shell(FORCE), **{SWITCH: "1"})
    (user.project / SETTINGS).unlink()

    assert is_denied(user.hook(user.shell(FORCE) | {"session_id": "after-clear"}, **{SWITCH: "1"})[1])


def test_a_later_session_of_another_host_process_begins_anew(user):
    user.write(SETTINGS, settings_naming(SWITCH))
    loaded(user, session="a", **{SWITCH: "1"})
    (user.project / SETTINGS).unlink()

    assert not hook_named(loaded(user, session="b", **{SWITCH: "1"}), "dangerous-command").enabled
    assert hook_named(loaded(user, session="a", **{SWITCH: "1"}), "dangerous-command").enabled


@pytest.mark.parametrize("other", ["", "b", "../s", "s\0", "\ud800", "x" * 10_000, "S"])
def test_no_other_session_id_removes_a_record(user, other):
    user.write(SETTINGS, settings_naming(SWITCH))
    loaded(user, **{SWITCH: "1"})
    user.write(SETTINGS, settings_naming("AR_DISABLE_SCOUT_BLOCK"))
    loaded(user, session=other, AR_DISABLE_SCOUT_BLOCK="1")
    (user.project / SETTINGS).unlink()

    assert SWITCH not in loaded(user, **{SWITCH: "1"}).env


def test_a_host_that_was_recognised_as_pretended_stays_so(user):
    mark, payload = "COPILOT_CLI", user.payload("PreToolUse", timestamp=1)
    env = user.environment(COPILOT_CLI="1")
    payload.pop("prompt_id", None)
    assert find_caller(host("claude-code"), payload, env).name == "copilot-cli"

    user.write(SETTINGS, settings_naming(mark))
    assert find_caller(host("claude-code"), payload, env).name == "claude-code"
    user.hook(payload, COPILOT_CLI="1")
    (user.project / SETTINGS).unlink()

    assert find_caller(host("claude-code"), payload, env).name == "claude-code"


def test_a_record_is_the_users_alone_and_has_no_values(user):
    user.write(SETTINGS, {"env": {"HTTPS_PROXY": "http://me:hunter2@proxy", BUDGET: "123456"}})
    loaded(user, HTTPS_PROXY="http://me:hunter2@proxy", **{BUDGET: "123456"})
    (folder,) = map(Path, session_record.variable_folders())
    (file,) = folder.iterdir()

    assert (folder.stat().st_mode | file.stat().st_mode) & 0o077 == 0
    assert "hunter2" not in file.read_text()
    assert "123456" not in file.read_text()


@pytest.mark.parametrize("damage", ["\n[", '\n["AR_X"]\n', "\n3\n", '\n{"a": 1}\n', "\n\0\n"])
def test_a_damaged_record_loses_only_the_damaged_line(user, damage):
    user.write(SETTINGS, settings_naming(SWITCH))
    loaded(user, **{SWITCH: "1"})
    (file,) = Path(session_record.variable_folders()[0]).iterdir()
    with file.open("a") as stream:
        stream.write(damage)
    user.write(SETTINGS, settings_naming("AR_DISABLE_SCOUT_BLOCK"))
    loaded(user, AR_DISABLE_SCOUT_BLOCK="1")
    (user.project / SETTINGS).unlink()

    assert (
        not {SWITCH, "AR_DISABLE_SCOUT_BLOCK"}
        & loaded(user, AR_DISABLE_SCOUT_BLOCK="1", **{SWITCH: "1"}).env.keys()
    )


def test_a_record_that_is_too_long_counts_for_every_variable(user):
    user.write(SETTINGS, settings_naming(SWITCH))
    loaded(user, **{SWITCH: "1"})
    (file,) = Path(session_record.variable_folders()[0]).iterdir()
    file.write_text("\n" * (session_record.MAX_BYTES + 1))
    (user.project / SETTINGS).unlink()

    assert SWITCH not in loaded(user, **{SWITCH: "1"}).env


def test_a_record_that_cannot_be_written_is_reported(user, monkeypatch):
    monkeypatch.setattr(session_record, "variable_folders", lambda: ("/proc/none/variables",))
    user.write(SETTINGS, settings_naming(SWITCH))

    assert "cannot be recorded" in str(loaded(user, **{SWITCH: "1"}).config.problems[-1])


def test_a_folder_that_others_can_change_is_not_used(user, monkeypatch, tmp_path):
    folders = [tmp_path / "open" / "variables", tmp_path / "own" / "variables"]
    monkeypatch.setattr(session_record, "variable_folders", lambda: tuple(map(str, folders)))
    folders[0].mkdir(parents=True)
    folders[0].chmod(0o777)
    user.write(SETTINGS, settings_naming(SWITCH))
    loaded(user, **{SWITCH: "1"})

    assert not list(folders[0].iterdir())
    assert len(list(folders[1].iterdir())) == 1


def trusted(user):
    setup = load_setup(user.environment(), str(user.project))
    trust.pin(setup.places.trust, setup.places.root, setup.trust.now)


def test_a_trusted_variable_stays_when_its_file_is_gone(user):
    user.write(SETTINGS, settings_naming(SWITCH))
    trusted(user)
    assert SWITCH in loaded(user, **{SWITCH: "1"}).env

    (user.project / SETTINGS).unlink()
    assert SWITCH in loaded(user, **{SWITCH: "1"}).env


def test_trust_during_the_session_counts_for_the_value_that_is_trusted(user):
    user.write(SETTINGS, {"env": {"XDG_STATE_HOME": "/good"}})
    assert "XDG_STATE_HOME" not in loaded(user, XDG_STATE_HOME="/good").env
    trusted(user)

    assert loaded(user, XDG_STATE_HOME="/good").env["XDG_STATE_HOME"] == "/good"
    assert "XDG_STATE_HOME" not in loaded(user, XDG_STATE_HOME="/evil").env


def test_a_value_from_before_a_switch_to_trusted_settings_does_not_count(user):
    user.write(SETTINGS, {"env": {"XDG_STATE_HOME": "/good"}})
    trusted(user)
    user.write(SETTINGS, {"env": {"XDG_STATE_HOME": "/evil"}})
    loaded(user, XDG_STATE_HOME="/evil")
    user.write(SETTINGS, {"env": {"XDG_STATE_HOME": "/good"}})

    assert "XDG_STATE_HOME" not in loaded(user, XDG_STATE_HOME="/evil").env


def test_a_former_variable_does_not_undo_the_trust_of_the_project(user):
    user.write(".hookline/hookline.toml", "[hooks.dangerous-command]\nenabled = false\n")
    trusted(user)
    user.write(SETTINGS, settings_naming("AR_DISABLE_SCOUT_BLOCK"))
    loaded(user, AR_DISABLE_SCOUT_BLOCK="1")
    (user.project / SETTINGS).unlink()
    setup = loaded(user, AR_DISABLE_SCOUT_BLOCK="1")

    assert not hook_named(setup, "dangerous-command").enabled
    assert hook_named(setup, "scout-block").enabled


QWEN = ".qwen/settings.json"


@pytest.mark.parametrize(
    "text",
    [
        '// by hookline init\n{"hooks": {}}',
        '{"hooks": {}, /* why */ }',
        '{"tools": ["a", "b",],}\n',
        '{"url": "http://x/*y*/",}',
        '\ufeff{"a": 1 // x\n}',
        '{"broken": ',
    ],
)
def test_a_comment_or_a_trailing_comma_leaves_the_users_budget_alone(user, text):
    user.write(QWEN, text)
    env = loaded(user, name="qwen-code", AR_NOTIFY_WEBHOOK="https://x", **{BUDGET: "9"}).env

    assert env[BUDGET] == "9"
    assert env["AR_NOTIFY_WEBHOOK"] == "https://x"


def test_a_switch_between_comments_is_found(user):
    user.write(QWEN, '{// "env": {},\n"env": {"AR_DISABLE_DANGEROUS_COMMAND": "1", /* , */},}')
    setup = loaded(user, name="qwen-code", **{SWITCH: "1", "AR_DISABLE_SCOUT_BLOCK": "1"})

    assert setup.config.waiting == (f"{QWEN}: sets {SWITCH}",)
    assert "AR_DISABLE_SCOUT_BLOCK" in setup.env


HUGE = " " * 17_000_000
UNREADABLE = {
    "huge": HUGE,
    "huge-with-names": json.dumps({"env": {BUDGET: "9", "XDG_CONFIG_HOME": "/x"}}) + HUGE,
    "broken-with-names": '{"env": {"AUTORESEARCH_BUDGET_END": "9", "XDG_CONFIG_HOME": "/x", "HOME": "/x"',
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", UNREADABLE)
def test_settings_that_cannot_be_read_do_not_replace_the_users_configuration(user, kind):
    user.write(
        "~/mine/hookline/hookline.toml", "[hooks.dangerous-command]\nlease = 'block'\nenabled = false\n"
    )
    user.write("~/.config/hookline/hookline.toml", "[hooks.scout-block]\nenabled = false\n")
    user.write(SETTINGS, UNREADABLE[kind])
    setup = loaded(user, XDG_CONFIG_HOME=str(user.home / "mine"), **{BUDGET: "9", SWITCH: "1"})

    assert hook_named(setup, "dangerous-command").settings["lease"] == "block"
    assert hook_named(setup, "dangerous-command").enabled is (kind != "broken-with-names")
    assert not hook_named(setup, "scout-block").enabled
    assert setup.env[BUDGET] == "9"


@pytest.mark.parametrize("name", ["HOME", "XDG_CONFIG_HOME", "HOOKLINE_PROFILE"])
def test_a_folder_that_the_repository_names_can_only_tighten(user, name):
    folder = user.home / "mine" / {"HOME": ".config/hookline", "XDG_CONFIG_HOME": "hookline"}.get(name, "")
    text = "[hooks.dangerous-command]\nlease = 'block'\nallow = ['git-push-force']\n"
    text += "[hooks.scout-block]\nenabled = false\n"
    folder.mkdir(parents=True)
    (folder / "hookline.toml").write_text(text)
    (folder / "hooks.json").write_text(
        json.dumps({"hooks": {"PreToolUse": [{"command": "true", "name": "x"}]}})
    )
    user.write(SETTINGS, {"env": {name: "/elsewhere"}})
    for _ in range(2):
        setup = loaded(user, **{name: str(user.home / "mine")})
        guard = hook_named(setup, "dangerous-command")
        assert (guard.settings["lease"], guard.settings["allow"]) == ("block", ())
        assert hook_named(setup, "scout-block").enabled
        assert "x" not in {hook.name for hook in setup.hooks}
        assert f"{folder}/hooks.json:1: a command hook on PreToolUse" in setup.config.waiting
        (user.project / SETTINGS).unlink(missing_ok=True)


@pytest.mark.parametrize("name", [".env", ".qwen/.env"])
@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("AR_DISABLE_DANGEROUS_COMMAND=1", True),
        ("\u00a0export\u2003AR_DISABLE_DANGEROUS_COMMAND = '1' # x", True),
        ("!\u2028AR_DISABLE_DANGEROUS_COMMAND: 1", True),
        ("A=\x85'\nAR_DISABLE_DANGEROUS_COMMAND=1\nB='", True),
        ("A='\nAR_DISABLE_DANGEROUS_COMMAND=1", True),
        ("A='\nAR_DISABLE_DANGEROUS_COMMAND=1\n'", False),
        ('A="\\"\nAR_DISABLE_DANGEROUS_COMMAND=1\n"', False),
        ("A=`\nAR_DISABLE_DANGEROUS_COMMAND=1\n` # x", False),
        ("# AR_DISABLE_DANGEROUS_COMMAND=1", False),
        ("A=AR_DISABLE_DANGEROUS_COMMAND=1", False),
        ("AR_DISABLE_DANGEROUS_COMMAND : 1", False),
    ],
)
def test_a_file_of_variables_is_read_as_its_hosts_read_it(user, name, text, named):
    user.write(name, text)

    assert (SWITCH not in loaded(user, name="qwen-code", **{SWITCH: "1"}).env) is named


def test_the_values_of_a_file_of_variables():
    text = "A=1\r\nB = 'x y' # c\nexport C=\"a\\nb\"\nD: e#f\nE=\nF=`'`\nA=2\nG='a\\'b'\nH='a\\'\n"

    assert parse_dotenv(text) == {
        "A": "2",
        "B": "x y",
        "C": "a\nb",
        "D": "e",
        "E": "",
        "F": "'",
        "G": "a\\'b",
        "H": "a\\",
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        *("\n" * 10**6, "A='" + "\\" * 10**6, "A='" + "\\'" * 500_000, "a" * 10**6, "a\n" * 500_000),
        *(
            '{"' + "\\" * 10**6,
            "{" + '"\\' * 500_000,
            "{" + "/*" * 500_000,
            "{" + ", " * 500_000,
            "[" * 10**6,
        ),
    ],
)
def test_settings_made_to_be_slow_to_read(tmp_path, text):
    for name in (".env", "settings.json"):
        (tmp_path / name).write_text(text)
        read_files.read_host_settings(str(tmp_path / name))  # with more than linear work: hours


def test_many_settings_files_are_not_all_parsed(user, monkeypatch):
    monkeypatch.setattr(repository_env, "MAX_BYTES", 1000)
    folder = user.project
    for number in range(5):
        folder = folder / f"d{number}"
        folder.mkdir()
        (folder / ".env").write_text("A=1\n" * 100)
    setup = loaded(user, name="qwen-code", cwd=str(folder), **{SWITCH: "1", BUDGET: "9"})

    assert SWITCH not in setup.env
    assert setup.env[BUDGET] == "9"
    assert "d0/.env: cannot be read; it may set any variable" in setup.config.waiting


def test_a_folder_in_place_of_a_file_of_variables_names_nothing(user):
    (user.project / ".env").mkdir()

    assert SWITCH in loaded(user, name="qwen-code", **{SWITCH: "1"}).env


VARIABLES = (SWITCH, BUDGET, "HTTPS_PROXY", "XDG_STATE_HOME", "OTEL_EXPORTER_OTLP_ENDPOINT")
FILES = st.sampled_from(["settings.json", "settings.local.json", "sub"])
CONTENTS = st.dictionaries(st.sampled_from(VARIABLES), st.sampled_from(["/repo/1", "/repo/2"]), max_size=3)
STEPS = st.one_of(
    st.tuples(st.just("write"), FILES, CONTENTS),
    st.tuples(st.just("comment"), FILES, CONTENTS),
    st.tuples(st.just("broken"), FILES, CONTENTS),
    st.tuples(st.just("huge"), FILES, CONTENTS),
    st.tuples(st.just("delete"), FILES, st.just({})),
    st.tuples(st.just("enter"), st.sampled_from([".", "sub", "sub/deep"]), st.just({})),
    st.tuples(st.just("reload"), st.just(""), st.just({})),
)
TEXTS = {
    "write": lambda data: json.dumps({"env": data}),
    "comment": lambda data: f"// x\n{json.dumps({'env': data})[:-1]},}}",
    "broken": lambda data: json.dumps({"env": data})[:-1],
    "huge": lambda data: json.dumps({"env": data}) + " " * 3_000,
}


class Agent:
    """A host that was started in a project, and knows the origin of each of its variables."""

    def __init__(self, folder, own):
        self.project, self.own, self.cwd = folder / "project", own, "."
        self.read, self.named, self.may_name_any = {}, set(), False
        for name in (".git", ".claude", "sub/.claude", "sub/deep"):
            (self.project / name).mkdir(parents=True)

    def path(self, name):
        return self.project / ("sub/.claude/settings.json" if name == "sub" else f".claude/{name}")

    def do(self, kind, name, data):
        if kind == "enter":
            self.cwd = name
        elif kind == "delete":
            self.path(name).unlink(missing_ok=True)
        elif kind == "reload":
            self.reload()
        else:
            self.path(name).write_text(TEXTS[kind](data))

    def reload(self):
        """Read the settings of the folder of the start, as a host does; its own variables are overridden."""
        for name in ("settings.json", "settings.local.json"):
            settings = read_files.read_host_settings(str(self.path(name)), 10**6)
            self.read |= (settings.env if settings else None) or {}

    def seen(self):
        """Note the variables that a file names while an event is judged."""
        for name in ("settings.json", "settings.local.json", "sub"):
            text = self.path(name).read_text() if self.path(name).exists() else ""
            self.named |= {variable for variable in VARIABLES if variable in text}
            self.may_name_any = self.may_name_any or len(text) > 2_000

    def env(self):
        return {
            "HOME": str(self.project.parent),
            "CLAUDE_PROJECT_DIR": str(self.project),
            **self.own,
            **self.read,
        }


@given(st.sets(st.sampled_from(VARIABLES)), CONTENTS, st.lists(STEPS, min_size=1, max_size=8))
def test_no_variable_changes_its_owner_during_a_session(own, start, steps):
    with (
        tempfile.TemporaryDirectory() as folder,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(read_files, "MAX_BYTES", 2_000)
        patch.setattr(session_record, "variable_folders", lambda: (f"{folder}/records/variables",))
        agent = Agent(Path(folder), {name: f"/user/{name}" for name in own})
        agent.do("write", "settings.json", start)
        agent.reload()
        for step in (None, *steps):
            if step:
                agent.do(*step)
            agent.seen()
            check_owners(agent)


def check_owners(agent):
    env, session = agent.env(), CallingSession(id="s", process=NO_PROCESS)
    kept = load_setup(env, str(agent.project / agent.cwd), host("claude-code"), session).env
    repositorys = {name for name in agent.read if name != BUDGET or not agent.may_name_any}
    users = {name for name in agent.own if name not in agent.read and name not in agent.named}

    assert not repositorys & kept.keys()
    if not agent.may_name_any:
        assert {name: env[name] for name in users} == {name: kept.get(name) for name in users}


FILES = [
    (name, file)
    for name in hosts.names()
    for file in dict.fromkeys((*host(name).repository_env, *host(name).repository_switches))
]
VALUES = {
    SWITCH: "1",
    "HOOKLINE_PROFILE": "/elsewhere",
    "HOME": "/elsewhere",
    "PATH": "/elsewhere",
    "XDG_CONFIG_HOME": "/elsewhere",
    "https_proxy": "http://localhost:9",
    "GIT_CONFIG_GLOBAL": "/elsewhere",
    "LD_PRELOAD": "/elsewhere",
    "PYTHONPATH": "/elsewhere",
    "SSL_CERT_FILE": "/elsewhere",
    "OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:9",
    BUDGET: "99999999999",
}
"""One variable of each kind that a repository must not set, with the value that it chose."""


def write_settings(user, file):
    text = "".join(f"{name}={value}\n" for name, value in VALUES.items())
    user.write(file, text if file.endswith(".env") else {"env": VALUES})


def delete(user, file):
    path = user.project / file
    path.rename(user.project / "elsewhere") if path.parent == user.project else shutil.rmtree(path.parent)


LATER = {
    "unchanged": lambda user, file: None,
    "deleted": delete,
    "empty": lambda user, file: user.write(file, ""),
    "not-text": lambda user, file: (user.project / file).write_bytes(b"\xff\xfe\0"),
    "unclosed": lambda user, file: user.write(file, '{"env": {"A'),
}


@pytest.mark.parametrize("change", LATER)
@pytest.mark.parametrize(("name", "file"), FILES)
def test_no_settings_file_of_any_host_sets_a_sensitive_variable(user, name, file, change):
    write_settings(user, file)
    for step in (LATER["unchanged"], LATER[change]):
        step(user, file)
        setup = loaded(user, name=name, **VALUES)
        kept = {variable for variable, value in VALUES.items() if setup.env.get(variable) == value}
        assert kept == set()
        assert hook_named(setup, "dangerous-command").enabled


@pytest.mark.parametrize("inner", ["sub/.hookline/hookline.toml", "sub/.git/HEAD", "sub/notes"])
@pytest.mark.parametrize(("name", "file"), FILES)
def test_a_folder_below_hides_no_settings_around_it(user, name, file, inner):
    write_settings(user, file)
    user.write(inner, "")
    setup = loaded(user, name=name, cwd=str(user.project / "sub"), **VALUES)

    assert {variable for variable, value in VALUES.items() if setup.env.get(variable) == value} == set()
    assert hook_named(setup, "dangerous-command").enabled
