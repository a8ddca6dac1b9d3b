"""Test the explanations of each guard: trees for a pass, for a block, and for an exception."""

from typing import get_args

import pytest

from hookline import State
from hookline.core.events import PreModelCall
from hookline.core.explanation import branch, branch_to_json, find_strongest, walk_branches
from hookline.core.frozen import freeze
from hookline.core.hook import configure, hook
from hookline.core.state import Facts
from hookline.hooks import load, names
from hookline.hooks._dangerous_command.verdict import PACKS
from hookline.hooks.dangerous_command import dangerous_command
from hookline.testing import post_tool_use, pre_tool_use, user_prompt_submit

HOME = "/home/me"
ROOT = f"{HOME}/project"
TOKEN = "gh" + "p_" + "CIDNb76xxP8McqTxLZbqVCjQbEyOBnL6T0k3"


def state(memory=None, **facts):
    known = {"root": ROOT, "home": HOME, "guarded_paths": (f"{HOME}/.config/hookline",), **facts}
    suppliers = {name: lambda value=value: value for name, value in known.items()}
    return State(now=0.0, memory=memory or {}, facts=Facts(suppliers))


def shell(command, **values):
    return pre_tool_use(command, cwd=ROOT, **values)


def file(path, tool="Read", kind="read"):
    given = freeze({"path": path})
    return pre_tool_use(tool=tool, kind=kind, input=given, input_keys=freeze({"path": "path"}), cwd=ROOT)


def said(response):
    """Return the verdict as it appears in a tree."""
    if response is None:
        return "pass"
    if response.verdict != "pass":
        return response.verdict
    return "modify" if response.changes else "warn" if response.context or response.warnings else "pass"


def asked(name, event, known=None, **settings):
    """Return the tree of the guard *name* as lines, after comparing it with the guard's verdict."""
    guard, known = configure(load(name), settings), known or state()
    branches = tuple(guard.why(event, known, **guard.settings))
    assert find_strongest(branches) == said(guard(event, known))
    return [line(one) for one in walk_branches(branches)]


def line(one):
    return " | ".join(filter(None, (one.text, one.judgement, one.rule, one.because)))


EXCEPTED = {"reason": "our own fork"}


def test_dangerous_command_shows_every_command():
    lines = asked("dangerous-command", shell("cd sub; sudo env A=1 git push -f; cat x; git status"))

    assert lines == [
        "cd sub: no rule for cd",
        "git push -f  (via sudo › env) in ./sub",
        "git-push-force · pack core | block | git-push-force",
        "cat x in ./sub: no rule for cat matches",
        "git status in ./sub: no rule for git matches",
        "effects: reads x",
    ]


def test_dangerous_command_says_which_rule_was_excepted_and_why():
    allow = [{"rule": "git-push-force", "match": "git push -f fork*", **EXCEPTED}]

    assert asked("dangerous-command", shell("git push -f fork"), allow=allow)[1:] == [
        "git-push-force · pack core | excepted | git-push-force | our own fork"
    ]
    assert "block" in asked("dangerous-command", shell("git push -f origin"), allow=allow)[1]


def test_dangerous_command_says_what_its_packs_do():
    asking, off = [
        asked("dangerous-command", shell("shred x"), packs={"disk": word})[1] for word in ("ask", "off")
    ]

    assert asking == "shred · pack disk | ask | shred"
    assert off == "shred · pack disk | off | shred | the settings switch this pack off"


def test_dangerous_command_without_anything_to_judge():
    assert asked("dangerous-command", file("x")) == ["Read is not a shell"]
    assert asked("dangerous-command", shell("# nothing")) == ["it runs no command"]
    assert asked("dangerous-command", shell("$X y"))[0].endswith("a program that only running tells")


def test_dangerous_command_of_the_line_as_a_whole():
    assert asked("dangerous-command", shell(":(){ :|:& };:"))[-2:] == [
        "the line as a whole",
        "fork-bomb · pack disk | block | fork-bomb",
    ]


def test_self_protect():
    allow = [{"rule": "command", **EXCEPTED}]
    trust = shell("hookline trust; AR_DISABLE_X=1 agent")

    assert asked("self-protect", shell("ls")) == ["no protected file, setting or command is affected"]
    assert asked("self-protect", trust) == [
        "command: `hookline trust` | block | command",
        "switch: `AR_DISABLE_X` | block | switch",
    ]
    assert asked("self-protect", trust, allow=allow) == [
        "command: `hookline trust` | excepted | command | our own fork",
        "switch: `AR_DISABLE_X` | block | switch",
    ]


def test_tool_policy():
    rules = [
        {"action": "deny", "kind": ["write", "edit"]},
        {"action": "forbid"},
        {"action": "ask", "tool": "B*", "reason": "look first"},
        {"action": "allow"},
    ]

    assert asked("tool-policy", shell("ls")) == ["no rules are configured"]
    assert asked("tool-policy", shell("ls"), rules=rules) == [
        "rule 1: kind is shell, expected write or edit",
        "rule 2 has an invalid action 'forbid': expected one of allow, ask, deny | warn | ignored",
        "rule 3 matches | ask | rule-3 | look first",
        "rule 4: not checked, because rule 3 decided",
    ]
    assert asked("tool-policy", file("x"), rules=rules[2:])[1] == "rule 2 matches | allow | rule-2"
    assert asked("tool-policy", shell("x"), rules=[{"action": "deny", "branch": "main"}]) == [
        "rule 1: branch is unknown, expected main"
    ]


OWN = "# ours\n!dist/production/\n"


def test_scout_block():
    known = state(ckignore=OWN)
    line = shell("cat dist/production/x dist/y a.txt; npm test node_modules/x; mv dist/z q")

    assert asked("scout-block", shell("true"), known) == ["no opened file was found"]
    assert asked("scout-block", line, known) == [
        "dist/production/x: let in by `!dist/production/` (.ckignore:2)",
        "dist/y: `dist/` (default) matches it | block | ignored-operand",
        "!/dist/y/ in .ckignore lets it in",
        "a.txt: no pattern matches it",
        "dist/z: the command does not print its content",
        "q: the command does not print its content",
    ]


def test_scout_block_names_the_build_tool():
    assert asked("scout-block", shell("node dist/x.js < dist/log"))[-1] == "dist/log: a build tool opens it"


def test_scout_block_of_a_file_tool():
    allow = [{"rule": "ignored-path", "match": "dist/*", **EXCEPTED}]
    path = file("dist/y")

    assert asked("scout-block", path)[0] == "dist/y: `dist/` (default) matches it | block | ignored-path"
    assert asked("scout-block", path, allow=allow) == [
        "dist/y: `dist/` (default) matches it | excepted | ignored-path | our own fork"
    ]
    assert asked("scout-block", file("a.big"), patterns=["*.big"])[0].startswith("a.big: `*.big` (settings)")
    assert asked("scout-block", file(".git/objects/x"), state(ckignore="!.git/"))[1].endswith("trusted it")


def test_scout_block_tells_of_lines_that_mean_nothing():
    known = state(ckignore="*a*b*c*d*e\n")

    assert asked("scout-block", file("x"), known)[-1].endswith("'*a*b*c*d*e' | warn")


def test_privacy_block_of_a_file_tool():
    allow = [{"rule": "sensitive-path", "match": "*/.env", **EXCEPTED}]
    env = ".env: settings of the environment, by its name"

    assert asked("privacy-block", file("a.txt")) == ["a.txt: not a file that holds secrets"]
    assert asked("privacy-block", file(".env")) == [f"{env} | ask | sensitive-path"]
    assert asked("privacy-block", file("a/.env"), allow=allow) == [
        f"a/{env} | excepted | sensitive-path | our own fork"
    ]
    assert asked("privacy-block", file("my.notes"), patterns=["*.notes"]) == [
        "my.notes: a store of credentials, by the pattern `*.notes` of the settings | ask | sensitive-path"
    ]
    led = state(realpath=lambda path: path.replace("link", ".env"))
    assert asked("privacy-block", file("link"), led)[0].endswith(
        f"which leads to {ROOT}/.env | ask | sensitive-path"
    )


def test_privacy_block_says_whether_a_person_agreed():
    claimed = file("APPROVED:.env")
    yes = {"privacy-block.granted": [{"id": "1", "path": ".env", "how": "prompt"}]}
    used = {**yes, "privacy-block.used": ["1"]}
    env = ".env: settings of the environment, by its name"

    assert asked("privacy-block", claimed) == [
        f"{env} | block | self-approval | it is said to be approved, and no unused yes of a person was seen"
    ]
    assert asked("privacy-block", claimed, state(yes)) == [
        f"{env} | modify | approved | a person said yes in a prompt; it counts once"
    ]
    assert "self-approval" in asked("privacy-block", claimed, state(used))[0]


def test_privacy_block_of_a_shell():
    env = ".env: settings of the environment, by its name"
    command = shell("cat .env notes; mv .env x; printenv")

    assert asked("privacy-block", command) == [
        "notes: not a file that holds secrets",
        f"{env}; but the command (move) does not print it",
        "x: not a file that holds secrets",
        f"{env} | warn | sensitive-operand",
        "environment: printenv | warn | environment",
    ]
    assert asked("privacy-block", shell("cat .env"), shell="block") == [f"{env} | block | sensitive-operand"]
    allow = [{"rule": "sensitive-operand", "match": ".env", **EXCEPTED}]
    assert asked("privacy-block", shell("cat .env"), allow=allow) == [
        f"{env} | excepted | sensitive-operand | our own fork"
    ]
    assert asked("privacy-block", shell("true")) == ["no opened file was found"]


def test_privacy_block_hears_a_yes():
    known = state({"privacy-block.asked": [".env"]})

    assert asked("privacy-block", user_prompt_submit("yes, read .env"), known) == [
        "a person said yes to .env"
    ]
    assert asked("privacy-block", user_prompt_submit("no"), known) == ["no person says yes to a file here"]
    assert asked("privacy-block", post_tool_use(), known) == ["no person says yes to a file here"]


def test_redact_secrets_names_kind_and_line_and_never_the_secret():
    shown = post_tool_use(output=freeze({"stdout": f"a\n{TOKEN}\n"}))
    failed = post_tool_use(success=False, error=f"bad {TOKEN}")
    allow = [{"rule": "github-token", **EXCEPTED}]

    assert asked("redact-secrets", post_tool_use()) == ["no secrets found"]
    assert asked("redact-secrets", shown) == ["github-token in stdout, line 2 | modify | github-token"]
    assert asked("redact-secrets", shown, allow=allow) == [
        "github-token in stdout, line 2 | excepted | github-token | our own fork"
    ]
    assert asked("redact-secrets", failed)[0].startswith("github-token in line 1 of the error text")


def test_redact_secrets_before_a_command():
    assert "`wrap` is off" in asked("redact-secrets", shell("ls"))[0]
    assert asked("redact-secrets", shell("ls"), wrap=True)[0].endswith("| modify | wrap")
    assert "cannot be wrapped" in asked("redact-secrets", shell("ls &"), wrap=True)[0]
    assert "not a shell" in asked("redact-secrets", file("x"), wrap=True)[0]


def test_redact_secrets_before_a_model_is_asked():
    event = PreModelCall(session="s", messages=freeze([{"role": "user", "content": TOKEN}]))

    assert asked("redact-secrets", event)[0].startswith("github-token in ")


def test_compress_output():
    long = post_tool_use(output=freeze({"stdout": "x\n" * 20 + "error: y\n" + "z\n" * 20, "stderr": "fine"}))
    limits = {"lines": 10, "head": 2, "tail": 3}

    assert asked("compress-output", long) == [
        "42 lines, 89 characters; at most 400 lines, 32,768 characters",
        "1 line, 4 characters; at most 400 lines, 32,768 characters",
    ]
    first, below, *_ = asked("compress-output", long, **limits)
    assert first.endswith("at most 10 lines, 32,768 characters | modify | long-output")
    assert below.startswith("10 lines shown, from the first 2, the last 3,")
    assert asked("compress-output", post_tool_use(kind="read"))[0].startswith("output of kind 'read' is not")
    assert asked("compress-output", post_tool_use(output=freeze({})))[0] == "the output contains no text"


@pytest.mark.parametrize(
    "prompt", ["fix the bug", "don't ship it", "merge the two lists", "ship it tomorrow"]
)
def test_simplify_gate_says_that_nothing_asks_to_ship(prompt):
    known = state(changed_lines=10_000)

    assert asked("simplify-gate", user_prompt_submit(prompt), known) == ["nothing in it asks to ship"]


def test_simplify_gate_says_what_it_counted():
    ship, known = user_prompt_submit("no blockers left, ship it"), state(changed_lines=900)
    anyway = user_prompt_submit("ship anyway: it is generated")
    counted = "900 lines have changed; from 400 it warns, over 800 it blocks"

    assert asked("simplify-gate", ship, known) == [
        "'no blockers left, ship it': a request to ship",
        f"{counted} | block | too-large",
    ]
    assert asked("simplify-gate", ship, state(changed_lines=1))[-1].startswith("1 line has changed")
    assert asked("simplify-gate", ship, known, block_over=900)[-1].endswith("| warn | large")
    assert asked("simplify-gate", anyway, known)[-2:] == [
        "the person writes: ship anyway | it is generated",
        f"{counted} | warn | override | it is generated",
    ]
    uncounted = state(changed_lines=None, branch="main")
    assert asked("simplify-gate", ship, uncounted)[-1] == "the changed lines could not be counted | warn"
    assert asked("simplify-gate", ship, state(changed_lines=None))[-1] == "this is not a repository"


def test_the_heaviest_branch_is_what_a_tree_comes_to():
    asks = branch("x", branch("y", judgement="ask"), judgement="excepted")

    assert find_strongest([]) == find_strongest([branch("x", judgement="off")]) == "pass"
    assert find_strongest([branch("z", judgement="warn"), asks]) == "ask"
    assert branch_to_json(asks, "guard") == {
        "text": "x",
        "said": "excepted",
        "below": [{"text": "y", "said": "ask"}],
    }
    assert branch_to_json(branch("x", rule="r"), "guard") == {"text": "x", "rule": "guard:r"}


def test_a_hook_of_anybody_can_tell_why():
    @hook(why=lambda event, state, *, most: [branch(f"at most {most}")])
    def mine(event: PreModelCall, state: State, *, most: int = 3):
        return None

    assert mine.why(None, None, **mine.settings)[0].text == "at most 3"


def test_every_guard_tells_why():
    telling = {name for name in names() if load(name).why is not None}

    assert telling >= {
        "self-protect",
        "tool-policy",
        "scout-block",
        "privacy-block",
        "dangerous-command",
        "redact-secrets",
        "compress-output",
        "simplify-gate",
    }


def test_the_packs_that_settings_may_name_are_those_that_there_are():
    assert set(get_args(get_args(dangerous_command.types["packs"])[0])) == set(PACKS)
