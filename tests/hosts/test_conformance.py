"""Test every host with every payload captured from it."""

import json
from pathlib import Path

import pytest

from hookline import hosts
from hookline.core.events import EVENTS, Unreadable
from hookline.core.payload import decode
from hookline.testing.hosts import SUITE

CAPTURES = sorted((Path(__file__).parent.parent / "captures").glob("*/*.json"))


def moment_of(path):
    """Return the moment of a capture: the longest matching moment, or the name up to the first dot."""
    names = [name for name in hosts.load(path.parent.name).moments if f"{path.stem}.".startswith(f"{name}.")]
    return max(names, key=len, default=path.stem.split(".")[0])


MOMENTS = [path for path in CAPTURES if moment_of(path) in hosts.load(path.parent.name).moments]


def payload(path):
    return json.loads(path.read_text())


def decoded(path):
    return decode(hosts.load(path.parent.name), payload(path))


def name(path):
    return f"{path.parent.name}:{path.stem}"


@pytest.mark.parametrize("path", [path for path in MOMENTS if decoded(path)], ids=name)
def test_a_host_passes_the_conformance_suite(path):
    for check in SUITE:
        check(hosts.load(path.parent.name), payload(path))


@pytest.mark.parametrize("host", [name for name in hosts.names() if name != "envelope"])
def test_every_moment_was_captured(host):
    captured = {moment_of(path) for path in CAPTURES if path.parent.name == host}

    assert set(hosts.load(host).moments) <= captured


@pytest.mark.parametrize("host", hosts.names())
def test_other_moments_are_not_events(host):
    others = [path for path in CAPTURES if path.parent.name == host and path not in MOMENTS]

    assert [name(path) for path in others if decoded(path) is not None] == []


@pytest.mark.parametrize("host", hosts.names())
def test_unknown_fields_are_ignored(host):
    paths = [path for path in MOMENTS if path.parent.name == host and decoded(path)]
    unknown = {"news": {"deep": [1]}}
    changed = [path for path in paths if decode(hosts.load(host), payload(path) | unknown) != decoded(path)]

    assert changed == []


@pytest.mark.parametrize("host", hosts.names())
def test_wrong_types_are_named_and_never_repeated(host):
    for path in MOMENTS:
        if path.parent.name == host and decoded(path):
            check_wrong_types(path)


def check_wrong_types(path):
    host, sent = hosts.load(path.parent.name), payload(path)
    fields = {**host.common_paths, **host.moments[moment_of(path)].fields}
    for ours, theirs in fields.items():
        if (
            "." in theirs
            or ours in ("output", "subagent_id", "subagent_type", "response")
            or theirs not in sent
        ):
            continue
        number = isinstance(sent[theirs], int) or ours == "at"  # many hosts send the time as text
        said = complaint(host, {**sent, theirs: "s3cret" if number else 4711})
        assert repr(theirs) in said
        assert "4711" not in said
        assert "s3cret" not in said


def complaint(host, payload):
    """Return the problems reported for *payload*, whether it is decoded or rejected."""
    try:
        return " ".join(decode(host, payload)[1].payload_problems)
    except Unreadable as error:
        return str(error)


@pytest.mark.parametrize("field", ["session_id", "permission_mode", "cwd", "tool_use_id"])
def test_what_is_not_needed_does_not_stop_the_judging(field):
    capture = next(path for path in MOMENTS if path.stem == "PreToolUse")
    name, event = decode(hosts.load("claude-code"), {**payload(capture), field: {"odd": 1}})

    assert (name, event.command) == ("PreToolUse", "echo hi")
    assert field in event.payload_problems[0]


@pytest.mark.parametrize("field", ["tool_name", "tool_input"])
def test_what_is_needed_must_be_right(field):
    capture = next(path for path in MOMENTS if path.stem == "PreToolUse")
    with pytest.raises(Unreadable, match=field):
        decode(hosts.load("claude-code"), {**payload(capture), field: 4711})


def test_every_event_is_to_be_had_on_some_host():
    from hookline.core.derive import find_coverage

    for event in EVENTS.values():
        assert {find_coverage(hosts.load(host), event) for host in hosts.names()} != {"unsupported"}, event
