"""Test the precedence of layers: tightening and loosening of hooks, switches and profiles."""

import json
from collections.abc import Mapping
from typing import Literal

import pytest

from hookline import PreToolUse, State, hook, kinds
from hookline.core.events import PostToolUse
from hookline.core.hook import ANY, BadHook, BadSetting, compile_match, configure
from hookline.core.rule_exceptions import Allow
from hookline.core.values import replace
from hookline.policy.layers import apply_layers, switches
from hookline.policy.parse_files import File, read_hooks, read_mcp, read_toml
from hookline.testing import any_event, pre_tool_use


@hook(priority=14, aliases=("old-guard",), stricter={"lease": ("block",), "protected": ANY})
def guard(
    event: PreToolUse,
    state: State,
    *,
    lease: str = "warn",
    allow: tuple[str, ...] = (),
    mode: Literal["soft", "hard"] = "soft",
    packs: Mapping[str, str] = {},
    protected: tuple[str, ...] = (),
):
    """Guard."""


@hook(nature="advice")
def adviser(event: PostToolUse, state: State, *, every: int = 5): ...


def laid(text, source="user", *, trusted=False, env=()):
    layer = read_toml(File(name="h.toml", text=text, source=source, root="/r"))
    return apply_layers([guard, adviser], [layer], trusted=trusted, switches=switches(dict(env)))


def one(settled, name="guard"):
    return next(hook for hook in settled.hooks if hook.name == name)


def test_a_users_setting_counts_and_its_origin_is_known():
    settled = laid("[hooks.guard]\nallow = ['x']\n")

    assert one(settled).settings["allow"] == ("x",)
    assert settled.origins["guard", "allow"] == "h.toml:2"
    assert (settled.problems, settled.waiting) == ((), ())


@pytest.mark.parametrize("source", ["project", "local"])
@pytest.mark.parametrize(
    "line",
    [
        "enabled = false",
        "allow = ['git-push-force']",
        "lease = 'allow'",
        "priority = 99",
        "on_failure = 'warn'",
    ],
)
def test_what_loosens_in_a_project_waits_for_trust(source, line):
    settled = laid(f"[hooks.guard]\n{line}\n", source)

    assert one(settled) == one(laid(""))
    assert settled.waiting[0].startswith("h.toml:2: [hooks.guard] ")
    assert laid(f"[hooks.guard]\n{line}\n", source, trusted=True).waiting == ()


@pytest.mark.parametrize(
    ("line", "key", "value"),
    [
        ("lease = 'block'", "lease", "block"),
        ("protected = ['release']", "protected", ("release",)),
    ],
)
def test_what_tightens_needs_no_trust(line, key, value):
    settled = laid(f"[hooks.guard]\n{line}\n", "project")

    assert one(settled).settings[key] == value
    assert settled.waiting == ()


def test_failing_closed_needs_no_trust():
    assert one(laid("[hooks.guard]\non_failure = 'block'\n", "project")).on_failure == "block"


def test_advice_is_the_projects_to_set():
    assert one(laid("[hooks.adviser]\nevery = 9\n", "project"), "adviser").settings["every"] == 9


def test_an_alias_means_the_same_hook():
    assert one(laid("[hooks.old-guard]\nlease = 'block'\n")).settings["lease"] == "block"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[hooks.guard]\nleese = 'x'\n", ["h.toml:2:", "'leese'", "did you mean 'lease'?"]),
        ("[hooks.guard]\nlease = 3\n", ["h.toml:2:", "'lease' of hook 'guard' must be text, not 3"]),
        ("[hooks.guard]\nprotected = 'x'\n", ["'protected'", "must be a list of texts, not 'x'"]),
        ("[hooks.guard]\nprotected = ['a', 3]\n", ["must be a list of texts, but item 2 is 3"]),
        ("[hooks.guard]\nmode = 'x'\n", ["h.toml:2:", 'must be one of "soft", "hard", not \'x\'']),
        ("[hooks.guard]\npacks = {a = 1}\n", ["must be a table of texts, but 'a' is 1"]),
        ("[hooks.adviser]\nevery = true\n", ["'every'", "must be a whole number, not true"]),
        ("[hooks.adviser]\nevery = nan\n", ["h.toml:2:", "'every'", "neither nan nor inf"]),
        ("[hooks.guard]\nenabled = 'no'\n", ["h.toml:2:", "true or false", "'no'"]),
        ("\n[hooks.gard]\nenabled = true\n", ["h.toml:2:", "'gard'", "did you mean 'guard'?"]),
        ("\n[hooks.empty]\n", ["h.toml:2:", "'empty'", "adviser, guard"]),
        ("\nhooks.gard.lease = 'block'\n", ["h.toml:2:", "'gard'", "did you mean 'guard'?"]),
        ("[hooks.guard]\npriority = 'first'\n", ["a whole number from -1000 to 1000, not 'first'"]),
        ("[hooks.guard]\npriority = 1001\n", ["a whole number from -1000 to 1000, not 1001"]),
        ("[hooks.guard]\npriority = true\n", ["a whole number from -1000 to 1000, not True"]),
        ("[hooks.guard]\non_timeout = 'x'\n", ['must be one of "warn", "block", not \'x\'']),
    ],
)
def test_wrong_settings_are_named_and_the_rest_holds(text, words):
    settled = laid(text)
    (problem,) = settled.problems

    for word in words:
        assert word in str(problem)
    assert one(settled).settings["lease"] == "warn"


@pytest.mark.parametrize("line", ["priority = 'first'", "leese = 3", "enabled = 'no'", "lease = 3"])
def test_a_wrong_value_of_a_project_is_said_before_it_is_trusted(line):
    settled = laid(f"[hooks.guard]\n{line}\n", "project")

    assert (len(settled.problems), settled.waiting) == (1, ())
    assert one(settled) == one(laid(""))


def test_where_a_wrong_value_was_given_is_known_until_a_good_one_follows():
    def given(text, source):
        return read_toml(File(name=f"{source}.toml", text=text, source=source, root=""))

    wrong = given("context_cap = 0\n[hooks.guard]\nlease = 3\nleese = 1\n", "user")
    good = given("context_cap = 9\n[hooks.guard]\nlease = 'block'\n", "project")
    first, both, last = (
        apply_layers([guard], layers, trusted=True, switches={})
        for layers in ([wrong], [wrong, good], [good, wrong])
    )

    told = {
        ("", "context_cap"): "user.toml:1",
        ("guard", "lease"): "user.toml:3",
        ("guard", "leese"): "user.toml:4",
    }
    assert first.refused == last.refused == told
    assert both.refused == {("guard", "leese"): "user.toml:4"}
    assert last.origins == both.origins == {("guard", "lease"): "project.toml:3"}


def settled_json(hooks=None, mcp=None, text="", **env):
    files = [File(name="h.toml", text=text, source="user", root="")]
    known = {name: kinds.load(name) for name in kinds.names()}
    layers = [read_toml(file) for file in files]
    for name, value, read in (("hooks.json", hooks, read_hooks), ("mcp.json", mcp, read_mcp)):
        file = File(name=name, text=json.dumps(value or {}, indent=1), source="project", root="")
        layers.append(read(file, known))
    return apply_layers([guard, adviser], layers, trusted=False, switches=switches(env))


TOOLS = {"hooks": {"Stop": [{"tool": "memory.load"}, {"tool": "my.server.load"}, {"tool": "nosuch.x"}]}}


def test_a_tool_of_a_server_that_nobody_declares_is_named():
    servers = {"mcpServers": {"memory": {"command": "m"}, "my.server": {"url": "http://x"}}}
    none, some = settled_json(hooks=TOOLS), settled_json(hooks=TOOLS, mcp=servers)

    assert [problem.line for problem in none.problems] == [4, 7, 10]
    (problem,) = some.problems
    assert str(problem).startswith(
        "hooks.json:10: 'tool' is 'nosuch.x', but no mcp.json declares its server; "
    )
    assert problem.text.endswith("declared: memory, my.server")


def test_a_server_that_is_declared_wrongly_is_said_once():
    servers = {"mcpServers": {name: {"command": 1} for name in ("memory", "my.server", "nosuch")}}

    assert {problem.file for problem in settled_json(hooks=TOOLS, mcp=servers).problems} == {"mcp.json"}


def test_a_hook_that_waits_for_trust_is_no_stranger():
    hooks = {"hooks": {"Stop": [{"command": "x", "name": "rules"}]}}
    settled = settled_json(hooks=hooks, text="[hooks.rules]\npriority = 3\n", AR_DISABLE_RULES="1")

    assert (settled.problems, settled.declared) == ((), {"rules"})


@hook(rules=("rm-cwd", "git-push-force"))
def excepting(event: PreToolUse, state: State, *, allow: Allow = (), other: tuple[str, ...] = ()): ...


RM = {"rule": "rm-cwd", "match": "/scratch/*", "reason": "mine"}


@pytest.mark.parametrize(
    "allow", [(), ("rm-cwd",), ("excepting:rm-cwd", RM), ({"match": "x", "reason": "mine"},)]
)
def test_rules_that_are_there_can_be_excepted(allow):
    assert configure(excepting, {"allow": allow, "other": ("nosuchrule",)}).settings["allow"] == allow


@pytest.mark.parametrize(
    ("allow", "words"),
    [
        (("rm-cwd", "nosuchrule"), "no rule named 'nosuchrule'; available: git-push-force, rm-cwd"),
        (
            ({**RM, "rule": "nosuchrule"},),
            "no rule named 'nosuchrule'; available: git-push-force, rm-cwd",
        ),
        (({**RM, "reason": ""},), "requires a reason"),
        (({**RM, "matches": "x"},), "an exception has the keys match, reason, rule"),
        ((3,), "must be a list of texts or tables of texts, but item 1 is 3"),
        (({**RM, "match": 3},), "but item 1 is {'rule': 'rm-cwd', 'match': 3"),
    ],
)
@pytest.mark.parametrize("rules", [excepting.rules, lambda: iter(excepting.rules)])
def test_rules_that_are_not_there_cannot(allow, words, rules):
    with pytest.raises(BadSetting, match="setting 'allow' of hook 'excepting'") as caught:
        configure(replace(excepting, rules=rules), {"allow": allow})
    assert words in str(caught.value)


def test_a_hook_that_does_not_say_its_rules_takes_any():
    assert configure(guard, {"allow": ("nosuchrule",)}).settings["allow"] == ("nosuchrule",)
    assert configure(replace(excepting, rules=()), {"allow": ("x", {**RM, "rule": "x"})})


def test_an_exception_always_has_its_reason():
    with pytest.raises(BadSetting, match="requires a reason"):
        configure(replace(excepting, rules=()), {"allow": ({"rule": "x"},)})


@hook(rules=("x",))
def otherwise(event: PreToolUse, state: State, *, allow: bool = False): ...


def test_what_allow_means_is_up_to_the_hook():
    assert configure(otherwise, {"allow": True}).settings["allow"] is True


@pytest.mark.parametrize(
    ("name", "off"),
    [("AR_DISABLE_GUARD", True), ("AR_DISABLE_OLD_GUARD", True), ("AR_DISABLE_OTHER", False)],
)
def test_a_switch_in_the_environment_turns_a_hook_off(name, off):
    settled = laid("", env={name: "1"}.items())

    assert one(settled).enabled is not off
    assert one(settled).off == (f"{name} is set" if off else "")


def test_a_switch_that_switches_nothing_is_said_with_those_there_are():
    settled = laid("", env={"AR_DISABLE_NOSUCH": "1", "AR_DISABLE_OLD_GUARD": "1"}.items())

    available = "HOOKLINE_DISABLE_ADVISER, HOOKLINE_DISABLE_GUARD"
    text = f"environment: AR_DISABLE_NOSUCH matches no hook; available: {available}"
    assert [str(problem) for problem in settled.problems] == [text]


@pytest.mark.parametrize("name", ["my_guard", "my.guard", "my-guard"])
def test_every_name_has_a_switch(name):
    hooks, set_ = [replace(guard, name=name)], switches({"AR_DISABLE_MY_GUARD": "1"})
    settled = apply_layers(hooks, [], trusted=True, switches=set_)

    assert (settled.hooks[0].enabled, settled.problems) == (False, ())


def test_an_empty_switch_switches_nothing():
    assert laid("", env={"AR_DISABLE_NOSUCH": ""}.items()).problems == ()
    assert one(laid("", env={"AR_DISABLE_GUARD": ""}.items())).enabled


def test_the_profile_none_makes_built_ins_opt_in():
    layer = read_toml(
        File(name="h.toml", text="profile = 'none'\n[hooks.guard]\nenabled = true\n", source="user", root="")
    )
    built_in = [replace(guard, source="built-in"), replace(adviser, source="built-in")]
    settled = apply_layers(built_in, [layer], trusted=True, switches={})

    assert [(hook.enabled, hook.off) for hook in settled.hooks] == [
        (True, ""),
        (False, 'profile = "none" in h.toml:1'),
    ]


@pytest.mark.parametrize(
    ("rest", "mode", "origin"),
    [
        ("", "hard", 'profile = "unattended" in h.toml:1'),
        ("[hooks.guard]\nmode = 'soft'\n", "soft", "h.toml:3"),
    ],
)
def test_the_profile_unattended_stops_what_nobody_would_see(rest, mode, origin):
    text = f"profile = 'unattended'\n{rest}"
    layer = read_toml(File(name="h.toml", text=text, source="user", root=""))
    settled = apply_layers([replace(guard, unattended={"mode": "hard"})], [layer], trusted=True, switches={})

    assert one(settled).settings["mode"] == mode
    assert settled.origins["guard", "mode"] == origin


@pytest.mark.parametrize("profile", ["default", "none", "unattended"])
def test_an_unattended_session_is_so_with_every_profile(profile):
    layer = read_toml(File(name="h.toml", text=f"profile = '{profile}'\n", source="user", root=""))
    settled = apply_layers(
        [replace(guard, unattended={"mode": "hard"})],
        [layer],
        trusted=True,
        switches={},
        unattended="RUN is set",
    )

    assert one(settled).settings["mode"] == "hard"


def test_a_project_cannot_choose_the_profile_or_the_store_by_itself():
    settled = laid(
        "profile = 'none'\nstore = 'memory'\nanswer_within = 0.001\ncontext_cap = 100\n", "project"
    )

    assert set(settled.options) == {"context_cap"}
    assert len(settled.waiting) == 3


@pytest.mark.parametrize(
    ("pattern", "tool", "kind", "fits"),
    [
        ("", "Bash", "shell", True),
        ("*", "Bash", "shell", True),
        ("Bash", "Bash", "shell", True),
        ("shell", "Bash", "shell", True),
        ("Read|Bash", "Bash", "shell", True),
        ("Bas", "Bash", "shell", False),
        ("^B.sh$", "Bash", "shell", True),
        ("mcp__.*", "Bash", "shell", False),
    ],
)
def test_a_match_is_names_or_a_pattern(pattern, tool, kind, fits):
    wanted = compile_match(pattern)

    assert (wanted is None or wanted(pre_tool_use(tool=tool, kind=kind))) is fits


def test_a_match_fits_where_there_is_nothing_to_match():
    from hookline import Stop

    assert compile_match("Bash")(any_event(Stop))


def no_parameters(): ...


def no_annotation(event, state): ...


def wrong_annotation(event: int, state): ...


def no_default(event: PreToolUse, state: State, *, x: int): ...


def three(event: PreToolUse, state: State, x): ...


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (no_parameters, "takes 0 positional parameters; expected two"),
        (three, "takes 3 positional parameters"),
        (no_annotation, "annotate 'event' with an event class"),
        (wrong_annotation, "SessionStart"),
        (no_default, "settings without a default: x"),
    ],
)
def test_the_contract_of_a_hook_is_checked_when_it_is_made(function, words):
    with pytest.raises(BadHook, match=words) as caught:
        hook()(function)
    assert function.__name__ in str(caught.value)


def test_a_hook_says_what_it_is():
    assert (guard.name, guard.on, guard.priority, guard.about) == ("guard", (PreToolUse,), 14, "Guard.")
