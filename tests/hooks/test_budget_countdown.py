import pytest

from hookline import Budget, State, inject
from hookline.core.budget import parse_budget_end, with_earliest_end
from hookline.core.events import Subagent
from hookline.core.values import replace
from hookline.hooks.budget_countdown import budget_countdown
from hookline.testing import post_tool_use, pre_tool_use

NOW = 1_000_000.0
EXPIRED = "▲▲▲ BUDGET EXPIRED — COMMIT NOW AND EXIT ▲▲▲"


def with_left(seconds: float) -> State:
    return State(now=NOW, budget=Budget(ends_at=NOW + seconds))


@pytest.mark.parametrize(
    ("left", "said"),
    [
        (754, "BUDGET: 12m remaining"),
        (301, "BUDGET: 5m remaining"),
        (300.9, "▲ BUDGET: 5m0s remaining — wrap up and commit soon"),
        (300, "▲ BUDGET: 5m0s remaining — wrap up and commit soon"),
        (192, "▲ BUDGET: 3m12s remaining — wrap up and commit soon"),
        (121, "▲ BUDGET: 2m1s remaining — wrap up and commit soon"),
        (120, "▲▲▲ BUDGET: 2m0s — STOP EDITING, COMMIT NOW, EXIT ▲▲▲"),
        (1, "▲▲▲ BUDGET: 0m1s — STOP EDITING, COMMIT NOW, EXIT ▲▲▲"),
        (0.9, EXPIRED),
        (0, EXPIRED),
        (-5, EXPIRED),
    ],
)
def test_grows_louder_as_time_runs_out(left, said):
    assert budget_countdown(post_tool_use(), with_left(left)) == inject(said)


def test_speaks_after_a_failed_tool_too():
    assert budget_countdown(post_tool_use(success=False), with_left(0)) == inject(EXPIRED)


def test_is_silent_without_a_budget():
    assert budget_countdown(post_tool_use(), State(now=NOW)) is None


def test_tiers_are_settings():
    answer = budget_countdown.judge(post_tool_use(), with_left(400), wrap_up=600)

    assert answer == inject("▲ BUDGET: 6m40s remaining — wrap up and commit soon")


@pytest.mark.parametrize(
    ("text", "budget"),
    [
        ("1000754", Budget(ends_at=1_000_754.0)),
        ("1000754.5", Budget(ends_at=1_000_754.5)),
        ("", Budget()),
        (" ", Budget()),
        ("0", Budget()),
        ("soon", Budget(unreadable="soon")),
        ("nan", Budget(unreadable="nan")),
        ("inf", Budget(unreadable="inf")),
        ("-5", Budget(ends_at=-5.0)),
        ("253402300799", Budget(ends_at=253_402_300_799.0)),
        ("253402300800", Budget(unreadable="253402300800")),
        ("1e300", Budget(unreadable="1e300")),
        ("1_000", Budget(unreadable="1_000")),
        ("٣", Budget(unreadable="٣")),
        ("x" * 99, Budget(unreadable="x" * 40)),
    ],
)
def test_an_end_is_read_from_the_environment(text, budget):
    assert parse_budget_end(text) == budget


def test_an_unreadable_end_is_said_once_and_to_the_user():
    state = State(now=NOW, budget=Budget(unreadable="soon"))
    answer = budget_countdown(post_tool_use(), state)

    assert answer.context == ()
    assert "'soon'" in answer.warnings[0]
    assert (
        budget_countdown(post_tool_use(), State(now=NOW, budget=state.budget, memory=answer.memory)) is None
    )


def test_an_unreadable_end_does_not_hide_another():
    state = State(now=NOW, budget=Budget(ends_at=NOW, unreadable="soon"))
    answer = budget_countdown(post_tool_use(), state)

    assert (answer.context, len(answer.warnings)) == ((EXPIRED,), 1)


@pytest.mark.parametrize(
    ("given", "ends", "holds"),
    [
        (Budget(), (None, None), None),
        (Budget(ends_at=5.0), (None, None), 5.0),
        (Budget(ends_at=5.0), (4.0, None), 4.0),
        (Budget(ends_at=5.0), (6.0, 3), 3),
        (Budget(unreadable="soon"), (6.0, None), 6.0),
        (Budget(), ("7", float("nan")), None),
        (Budget(), (True, 1e300), None),
    ],
)
def test_the_nearest_end_holds(given, ends, holds):
    assert with_earliest_end(given, *ends) == replace(given, ends_at=holds)


def spoken(lefts, **settings):
    """Return the remaining times at which the hook reports, out of *lefts*."""
    memory, said = {}, []
    for left in lefts:
        answer = budget_countdown.judge(
            post_tool_use(),
            State(now=NOW - left, budget=Budget(ends_at=NOW), memory=memory),
            cadence="banded",
            **settings,
        )
        memory = {**memory, **answer.memory} if answer else memory
        said += [left] if answer else []
    return said


@pytest.mark.parametrize(
    ("lefts", "said"),
    [
        ((1500, 1499, 1201, 1200, 1199), [1500, 1499, 1199]),
        ((900, 899, 700, 601, 600, 599), [900, 899, 599]),
        ((599, 545, 540, 539, 481, 480), [599, 539]),
        ((301, 300, 299), [301, 300, 299]),
        ((181, 180, 179, 121), [181, 179]),
        ((121, 120, 119, 118, 1, 0, -1, -2), [121, 120, 119, 118, 1, 0, -1, -2]),
    ],
)
def test_in_bands_it_speaks_when_the_band_is_another(lefts, said):
    assert spoken(lefts) == said


def test_what_a_helper_hears_is_not_taken_from_its_session():
    helped = post_tool_use(subagent=Subagent(id="h", type="explorer"))
    said = [budget_countdown.judge(helped, with_left(1000), cadence="banded") for _ in range(2)]

    assert said == [inject("BUDGET: 16m remaining")] * 2


def test_a_new_end_speaks_at_once():
    state = State(now=NOW, budget=Budget(ends_at=NOW + 1000))
    memory = budget_countdown.judge(post_tool_use(), state, cadence="banded").memory
    other = State(now=NOW, budget=Budget(ends_at=NOW + 1001), memory=memory)

    assert budget_countdown.judge(post_tool_use(), replace(state, memory=memory), cadence="banded") is None
    assert budget_countdown.judge(post_tool_use(), other, cadence="banded") is not None


def enforced(event, left, **settings):
    return budget_countdown.judge(event, with_left(left), enforce=True, **settings)


COMMITTING = [
    "git add -A",
    "git add -A && git commit -m 'what I have'",
    "git commit -m \"$(cat <<'EOF'\nWhat I have\nEOF\n)\"",
    "cd /repo && git -C sub commit -am x",
    "git status; git diff --stat 2>&1",
    "git diff HEAD > /dev/null",
    "timeout 20 git commit -m x",
    "GIT_AUTHOR_NAME=me git commit -m x",
    "bash -c 'git add . && git commit -m x'",
    'msg=done; git commit -m "$msg" && echo committed',
    "git commit -c HEAD --amend",
    "git commit -o kept.py -m x",
    "git add . && git commit -m x 2>&1 | tail -n 5",
    "git diff --stat |& head -3 | cat",
    "git -c user.name=me -c user.email=me@x -c commit.gpgsign=false commit -m x",
    "bash <<'EOF'\ngit add .\nEOF",
    "git status >&2",
    "exit 0",
]
NOT = [
    "make test",
    "git push",
    "git log",
    "git commit -m x && make",
    'git commit -m "$(make)"',
    "git status > out.txt",
    "git diff --output=x",
    "git -c alias.status='!make' status",
    "git -c core.editor=make commit",
    "GIT_EDITOR=make git commit",
    "PATH=. git commit -m x",
    "echo hi > note.txt",
    "cat notes.md",
    "python -c 'pass'",
    "bash script.sh",
    "bash -c 'git status'; bash script.sh",
    "sh -c 'git add .' && sh -e script.sh",
    "echo new >& kept.py",
    "echo new 2>& kept.py",
    "git diff | tail -n 5 notes.md",
    "git diff | tee kept.py",
    "git diff | bash",
    "git -c user.name=me -c core.editor=make commit",
    "git -c user.useConfigOnly=true commit",
    "git diff -c --output kept.py",
    "timeout 20 make",
    "git commit -m 'unclosed",
    "",
]  # fmt: skip


@pytest.mark.parametrize("command", COMMITTING)
@pytest.mark.parametrize("left", [0.9, 0, -9])
def test_once_it_is_over_committing_passes(command, left):
    assert enforced(pre_tool_use(command), left) is None


@pytest.mark.parametrize("command", NOT)
def test_once_it_is_over_all_else_is_stopped(command):
    assert enforced(pre_tool_use(command), 0).rule == "expired"


@pytest.mark.parametrize("command", NOT)
def test_before_the_end_nothing_is_stopped(command):
    assert enforced(pre_tool_use(command), 21) is None


@pytest.mark.parametrize("kind", ["read", "write", "edit", "fetch", "agent", "mcp", "other", "grep"])
def test_other_tools_are_stopped_too(kind):
    assert enforced(pre_tool_use(kind=kind, tool="X"), 0).verdict == "block"
    assert enforced(pre_tool_use(kind=kind, tool="X"), 1) is None


def test_a_tool_by_which_the_agent_leaves_passes():
    assert enforced(pre_tool_use(kind="leave", tool="X"), 0) is None


def test_nothing_is_stopped_unless_it_is_enforced():
    assert budget_countdown(pre_tool_use("make"), with_left(-5)) is None
    assert budget_countdown.judge(pre_tool_use("make"), State(now=NOW), enforce=True) is None
    assert budget_countdown.unattended == {"enforce": True}


def limited(command="make", **given):
    places = {"command": "command", "timeout_ms": "timeout", "timeout_s": "limit"}
    return pre_tool_use(input={"command": command, **given}, input_keys=places)


@pytest.mark.parametrize(
    ("event", "seconds"),
    [
        (limited(timeout=60_000), 60),
        (limited(limit=60), 60),
        (limited("timeout 60 make"), 60),
        (limited("timeout -k 5 1m make test"), 60),
        (limited("sudo timeout --signal=INT 0.5h make"), 1800),
        (limited("cd x && gtimeout 1h make | tee log"), 3600),
        (limited("timeout 5 a; timeout 60 b"), 60),
        (limited("timeout 900 make", timeout=60_000), 60),
    ],
)
def test_a_command_that_would_outlast_the_budget_is_stopped(event, seconds):
    assert enforced(event, seconds - 1).rule == "too-long"
    assert enforced(event, seconds) is None


def test_a_command_without_any_limit_says_so():
    assert "an unlimited time" in enforced(limited("timeout 0 make"), 9999).reason


@pytest.mark.parametrize(
    "event",
    [
        limited(),
        limited(timeout=0),
        limited(timeout="60000"),
        limited(timeout=True),
        limited("echo timeout 900"),
        limited("timeout soon make"),
        limited("git commit -m 'timeout 900'"),
        pre_tool_use(kind="read", input={"timeout": 9_000_000}),
    ],
)
def test_what_says_nothing_of_its_time_passes(event):
    assert enforced(event, 1) is None


def test_a_person_may_except_a_command():
    allow = ({"rule": "expired", "match": "make checkpoint*", "reason": "saves the work"},)

    assert enforced(pre_tool_use("make checkpoint"), 0, allow=allow).verdict == "pass"
    assert enforced(pre_tool_use("make"), 0, allow=allow).verdict == "block"
