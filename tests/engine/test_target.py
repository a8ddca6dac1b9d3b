import tomllib
from types import SimpleNamespace

import pytest

from hookline.engine import target, template
from hookline.engine.escalation import advice
from hookline.engine.scope import compile_scope
from hookline.engine.target import Agent, Escalation, Guard, Limits, Metric, Noise, Resources, Scope, Target

WHOLE = """
goal = "Sort faster."
[scope]
mutable = ["src/**"]
immutable = ["src/bench.py"]
[metric]
command = "python bench.py"
direction = "lower"
extract = "tail -1"
target = 1
repeats = 3
min_delta = 0.5
share = ["data/"]
timeout = "90s"
name = "time"
unit = "ms"
[guard]
command = "make test"
threshold = 90.5
direction = "higher"
timeout = 5
rework = 1
[agent]
host = "claude-code"
profile = "careful"
model = "small"
budget = "1h30m"
grace = 0
args = ["--verbose"]
env = {A = "1"}
[limits]
experiments = 12
time = "8h"
tokens = 1000
cost = 2.5
[escalation]
refine = 2
plateau = 9
[noise]
kind = "noisy"
samples = 5
p = 0.01
measure = "together"
[resources]
gpu = 2
"""
LEAST = """
goal = "x"
[scope]
mutable = ["a"]
[metric]
command = "true"
direction = "higher"
[agent]
host = "tuner"
"""


def test_everything_that_can_be_said_is_read():
    assert target.parse_target(WHOLE, "sort") == Target(
        name="sort",
        goal="Sort faster.",
        scope=Scope(mutable=("src/**",), immutable=("src/bench.py",)),
        metric=Metric(
            command="python bench.py",
            direction="lower",
            extract="tail -1",
            target=1.0,
            repeats=3,
            share=("data/",),
            min_delta=0.5,
            timeout=90.0,
            name="time",
            unit="ms",
        ),
        guard=Guard(command="make test", threshold=90.5, direction="higher", timeout=300.0, rework=1),
        agent=Agent(
            host="claude-code",
            profile="careful",
            model="small",
            budget=5400.0,
            grace=0.0,
            args=("--verbose",),
            env={"A": "1"},
        ),
        limits=Limits(experiments=12, seconds=28800.0, tokens=1000, cost=2.5),
        escalation=Escalation(refine=2, plateau=9),
        noise=Noise(kind="noisy", samples=5, p=0.01, measure="together"),
        resources=Resources(gpu=2),
    )


def test_most_need_not_be_said():
    read = target.parse_target(LEAST, "x")

    assert read.agent == Agent(host="tuner", budget=1200.0, grace=30.0)
    assert (read.guard, read.limits, read.escalation) == (
        None,
        Limits(experiments=50),
        Escalation(halt=None),
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("[agent]", "[agnt]"), "target 'x': no key named 'agnt'; did you mean 'agent'?"),
        (('direction = "higher"', 'direction = "up"'), "metric.direction is 'up'; expected lower or higher"),
        (('direction = "higher"', ""), "metric.direction is missing"),
        (('command = "true"', "command = 3"), "metric.command is 3; expected a non-empty string"),
        (('host = "tuner"', 'host = "tuner"\nbudget = "soon"'), "agent.budget is 'soon'; write it like 90s"),
        (('host = "tuner"', 'host = "tuner"\nbudget = 1.5'), "agent.budget is 1.5; write it like 90s"),
        (('host = "tuner"', 'host = "tuner"\nenv = {A = 1}'), "agent.env is {'A': 1}; expected a table"),
        (('mutable = ["a"]', 'mutable = "a"'), "scope.mutable is 'a'; expected a list of strings"),
        (('goal = "x"', ""), "goal is missing"),
        (('goal = "x"', 'goal = "x'), "invalid TOML"),
        (("[metric]", "metric = 1\n[m]"), "no key named 'm'"),
        (('host = "tuner"', 'host = "command"'), "agent.command is missing; the host 'command' requires"),
        (("[metric]", "[metric]\nrepeats = 0"), "metric.repeats is 0; expected an integer from 1 to 100"),
        (("[metric]", "[metric]\ntarget = nan"), "metric.target is nan; expected a number"),
        (
            ('mutable = ["a"]', "mutable = []"),
            "scope.mutable is []; expected globs of files to change, such as",
        ),
        (
            ('mutable = ["a"]', 'mutable = ["!a"]'),
            "scope.mutable is ['!a']; expected globs of files to change",
        ),
        (('mutable = ["a"]', 'mutable = ["b", "../a"]'), "has '../a', which is outside of the repository"),
        (
            ('host = "tuner"', 'host = "tuner"\ncommand = "x"'),
            "applies only to the host 'command', and",
        ),
        (
            ('host = "tuner"', 'host = "tuner"\nmodel = "x"'),
            "agent.model has no effect with the host 'tuner'",
        ),
        (("[agent]", "[guard]\n[agent]"), "guard.command is missing; add it"),
        (("[agent]", "[limits]\ncost = 0\n[agent]"), "limits.cost is 0; expected more than 0"),
        (
            ("[agent]", "[noise]\nsamples = 2\n[agent]"),
            "which allows no p below 0.167, but p = 0.05",
        ),
        (("[agent]", "[noise]\np = 0.01\n[agent]"), "noise.samples is 4, which allows no p below 0.0143"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence_with_the_key(change, said):
    with pytest.raises(ValueError, match="target 'x'") as told:
        target.parse_target(LEAST.replace(*change), "x")

    assert said in str(told.value)
    assert "\n" not in str(told.value)


def test_few_runs_are_enough_where_they_can_be_sure_or_need_not():
    for said in ("samples = 3", 'samples = 2\nkind = "deterministic"', "samples = 2\np = 0.2"):
        assert target.parse_target(f"{LEAST}[noise]\n{said}\n", "x").noise


@pytest.mark.parametrize("host", ["claude-code", "tuner", "command"])
def test_the_template_is_a_target(host):
    goal = 'say "fast"\tand \\ more'
    read = target.parse_target(
        template.render_target("sort", goal=goal, host=host, guard="make test"), "sort"
    )

    assert (read.goal, read.agent.host, read.guard) == (goal, host, Guard(command="make test"))


@pytest.mark.parametrize("host", ["claude-code", "tuner", "command"])
@pytest.mark.parametrize("guard", ["", "make test"])
def test_the_template_has_all_that_can_be_said(host, guard):
    text = template.render_target("sort", host=host, guard=guard)
    said = "\n".join(line.removeprefix("# ") for line in text.splitlines())
    keys = {section: set(table) for section, table in tomllib.loads(said).items() if section != "goal"}
    whole = {section: set(table) for section, table in tomllib.loads(WHOLE).items() if section != "goal"}
    whole["limits"] |= {"failures"}
    whole["escalation"] |= {"pivot", "search", "halt"}
    whole["guard"] |= {"extract"}
    whole["agent"] = whole["agent"] | {"command"} if host == "command" else whole["agent"]
    whole["agent"] = whole["agent"] if host == "claude-code" else whole["agent"] - {"profile", "model"}

    assert target.parse_target(said, "sort")
    assert keys == whole


def test_better_is_strictly_better_by_more_than_the_least():
    lower, higher = (Metric(command="x", direction=way, min_delta=1.0) for way in ("lower", "higher"))

    assert [lower.better(one, 10.0) for one in (8.9, 9.0, 10.0, 11.1)] == [True, False, False, False]
    assert [higher.better(one, 10.0) for one in (8.9, 10.0, 11.0, 11.1)] == [False, False, False, True]


def test_a_goal_is_reached_at_its_number():
    lower, higher = (Metric(command="x", direction=way, target=5.0) for way in ("lower", "higher"))

    assert [lower.reached(one) for one in (5.1, 5.0, 4.0, None)] == [False, True, True, False]
    assert [higher.reached(one) for one in (4.9, 5.0, 6.0, None)] == [False, True, True, False]


@pytest.mark.parametrize(
    ("glob", "matching", "other"),
    [
        ("model.py", "model.py", "proj/model.py"),
        ("*.py", "a.py", "src/a.py"),
        ("data/", "data/x/y", "src/data/x"),
        ("src/*.py", "src/a.py", "lib/src/a.py"),
        ("**/model.py", "proj/model.py", "model.pyc"),
        ("src/**", "src/a/b", "lib/src/a"),
        ("/model.py", "model.py", "proj/model.py"),
    ],
)
def test_patterns_start_at_the_root_of_the_repository(glob, matching, other):
    mutable = compile_scope(Scope(mutable=(glob,)))
    immutable = compile_scope(Scope(mutable=("**",), immutable=(glob,)))

    assert (mutable(matching), mutable(other)) == (True, False)
    assert (immutable(matching), immutable(other)) == (False, True)


def test_an_exception_starts_at_the_root_too():
    in_scope = compile_scope(Scope(mutable=("**", "!model.py")))

    assert (in_scope("model.py"), in_scope("proj/model.py")) == (False, True)


@pytest.mark.parametrize(
    ("host", "line", "halt"),
    [
        ("tuner", "", None),
        ("tuner", "halt = 2", 2),
        ("claude-code", "", 3),
        ("claude-code", 'halt = "never"', None),
    ],
)
def test_only_agents_that_read_advice_halt_a_run(host, line, halt):
    text = f"{LEAST}[escalation]\n{line}\n".replace('host = "tuner"', f'host = "{host}"')
    escalation = target.parse_target(text, "t").escalation

    assert escalation.halt == halt
    failed = [SimpleNamespace(status="discard", metric=1.0)] * 60
    assert (advice(failed, escalation).level == "halt") == (halt is not None)
