"""Whose word counts: layers over hooks, tightening and loosening, switches and profiles."""

import pytest

from hookline import PreToolUse, State, hook
from hookline.config import File, read_toml
from hookline.events import PostToolUse
from hookline.hook import ANY, BadHook, matching
from hookline.layers import settle, switches
from hookline.testing import any_event, pre_tool_use


@hook(priority=14, aliases=("old-guard",), stricter={"lease": ("block",), "protected": ANY})
def guard(
    event: PreToolUse,
    state: State,
    *,
    lease: str = "warn",
    allow: tuple[str, ...] = (),
    protected: tuple[str, ...] = (),
):
    """Guard."""


@hook(nature="advice")
def adviser(event: PostToolUse, state: State, *, every: int = 5): ...


def laid(text, source="user", *, trusted=False, env=()):
    layer = read_toml(File(name="h.toml", text=text, source=source, root="/r"))
    return settle([guard, adviser], [layer], trusted=trusted, switches=switches(dict(env)))


def one(settled, name="guard"):
    return next(hook for hook in settled.hooks if hook.name == name)


def test_a_users_setting_counts_and_its_origin_is_known():
    settled = laid("[hooks.guard]\nallow = ['x']\n")

    assert one(settled).settings["allow"] == ("x",)
    assert settled.given["guard", "allow"] == "h.toml:2"
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
        ("[hooks.guard]\nleese = 'x'\n", ["h.toml:2:", "'leese'", "allow, lease, protected"]),
        ("[hooks.guard]\nlease = 3\n", ["h.toml:2:", "'lease'", "expected `str`"]),
        ("[hooks.guard]\nenabled = 'no'\n", ["h.toml:2:", "true or false", "'no'"]),
        ("[hooks.gard]\nenabled = true\n", ["h.toml:2:", "'gard'", "adviser, guard"]),
        ("[hooks.guard]\npriority = 'first'\n", ["a whole number"]),
        ("[hooks.guard]\non_timeout = 'x'\n", ["one of warn, block"]),
    ],
)
def test_wrong_settings_are_named_and_the_rest_holds(text, words):
    settled = laid(text)
    (problem,) = settled.problems

    for word in words:
        assert word in str(problem)
    assert one(settled).settings["lease"] == "warn"


@pytest.mark.parametrize(
    ("name", "off"),
    [("AR_DISABLE_GUARD", True), ("AR_DISABLE_OLD_GUARD", True), ("AR_DISABLE_OTHER", False)],
)
def test_a_switch_in_the_environment_turns_a_hook_off(name, off):
    settled = laid("", env={name: "1"}.items())

    assert one(settled).enabled is not off
    assert one(settled).off == (f"{name} is set" if off else "")


def test_an_empty_switch_switches_nothing():
    assert one(laid("", env={"AR_DISABLE_GUARD": ""}.items())).enabled


def test_the_profile_none_makes_built_ins_opt_in():
    from dataclasses import replace

    layer = read_toml(
        File(name="h.toml", text="profile = 'none'\n[hooks.guard]\nenabled = true\n", source="user", root="")
    )
    built_in = [replace(guard, source="built-in"), replace(adviser, source="built-in")]
    settled = settle(built_in, [layer], trusted=True, switches={})

    assert [(hook.enabled, hook.off) for hook in settled.hooks] == [
        (True, ""),
        (False, 'profile = "none" in h.toml:1'),
    ]


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
    wanted = matching(pattern)

    assert (wanted is None or wanted(pre_tool_use(tool=tool, kind=kind))) is fits


def test_a_match_fits_where_there_is_nothing_to_match():
    from hookline import Stop

    assert matching("Bash")(any_event(Stop))


def no_parameters(): ...


def no_annotation(event, state): ...


def wrong_annotation(event: int, state): ...


def no_default(event: PreToolUse, state: State, *, x: int): ...


def three(event: PreToolUse, state: State, x): ...


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (no_parameters, "takes 0 positional parameters; a hook takes two"),
        (three, "takes 3 positional parameters"),
        (no_annotation, "annotate 'event' with one of them"),
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
