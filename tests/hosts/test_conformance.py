"""Every host, on every payload that it really sent."""

import json
from pathlib import Path

import pytest

from hookline import hosts
from hookline.core.events import EVENTS, Unreadable
from hookline.core.payload import decode
from hookline.testing.hosts import SUITE

CAPTURES = sorted((Path(__file__).parent.parent / "captures").glob("*/*.json"))


def moment_of(path):
    """A capture's moment: its name up to the first dot, or a moment whose own name has dots."""
    names = [name for name in hosts.load(path.parent.name).moments if f"{path.stem}.".startswith(f"{name}.")]
    return max(names, key=len, default=path.stem.split(".")[0])


MOMENTS = [path for path in CAPTURES if moment_of(path) in hosts.load(path.parent.name).moments]


def payload(path):
    return json.loads(path.read_text())


def decoded(path):
    return decode(hosts.load(path.parent.name), payload(path))


def name(path):
    return f"{path.parent.name}:{path.stem}"


@pytest.mark.parametrize("check", SUITE, ids=lambda check: check.__name__)
@pytest.mark.parametrize("path", [path for path in MOMENTS if decoded(path)], ids=name)
def test_a_host_keeps_its_word(check, path):
    check(hosts.load(path.parent.name), payload(path))


@pytest.mark.parametrize("host", [name for name in hosts.names() if name != "envelope"])
def test_every_moment_was_captured(host):
    captured = {moment_of(path) for path in CAPTURES if path.parent.name == host}

    assert set(hosts.load(host).moments) <= captured


@pytest.mark.parametrize("path", [path for path in CAPTURES if path not in MOMENTS], ids=name)
def test_other_moments_are_none_of_ours(path):
    assert decoded(path) is None


@pytest.mark.parametrize("path", [path for path in MOMENTS if decoded(path)], ids=name)
def test_unknown_fields_are_ignored(path):
    host = hosts.load(path.parent.name)

    assert decode(host, {**payload(path), "news": {"deep": [1]}}) == decoded(path)


@pytest.mark.parametrize("path", [path for path in MOMENTS if decoded(path)], ids=name)
def test_wrong_types_are_named_and_never_repeated(path):
    host, sent = hosts.load(path.parent.name), payload(path)
    fields = {**host.common_paths, **host.moments[moment_of(path)].fields}
    for ours, theirs in fields.items():
        if (
            "." in theirs
            or ours in ("output", "subagent_id", "subagent_type", "response")
            or theirs not in sent
        ):
            continue
        number = isinstance(sent[theirs], int) or ours == "at"  # which many hosts write as text
        said = complaint(host, {**sent, theirs: "s3cret" if number else 4711})
        assert repr(theirs) in said
        assert "4711" not in said
        assert "s3cret" not in said


def complaint(host, payload):
    """What we need must be right; the rest is left out, and both are said."""
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
