"""Test properties of redaction for any text: only secrets are removed, and redaction is idempotent."""

import json
import os
from itertools import pairwise
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from hookline.redact import find_secrets, redact, redact_json
from hookline.redact.stream import redact_stream

LONG = os.environ.get("HOOKLINE_LONG") == "1"
CORPUS = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "corpus" / "secrets.jsonl").read_text().splitlines()
]
SECRETS = [secret for row in CORPUS for secret in map("".join, row["secrets"])]
TEXTS = [row["text"] for row in CORPUS if len(row["text"]) < 300]
MARK = "-----{} PRIVATE" + " KEY-----"
BITS = [
    *('"', "'", "`", "\\", "\\n", '\\"', "\n", "\r\n", " ", "=", ":", ": ", ",", ";", "&", "?", "@", "://"),
    *(
        "password",
        "token",
        "secret",
        "api_key",
        "key",
        "Authorization: Bearer ",
        "basic ",
        "Cookie: ",
        "a",
        "9",
    ),
    *("Ab1", ".", "-", "_", "/", "\\/", "[", "]", "{", "}", "(", ")", "<", ">", "\x1b[1m", "\u200b", "İ"),
    *(
        "[redacted:x]",
        "[redacted:api-key]",
        "DB_PASSWORD=",
        "--password ",
        "value",
        "name",
        "is",
        "sig=",
        "%3D",
    ),
    *(MARK.format("BEGIN"), MARK.format("END"), "MIIEvQIBADANBgkqhkiG9w0BAQEF", "curl -u a:", "mysql -p"),
    *(
        "\\u0026",
        "eyJ",
        "AKIA",
        "sk-",
        "$2",
        "\x00",
        "\u2028",
        "\ud800",
        "e3b3f8a94e6b1c3005f13ec9",
        "u:pw1234@h",
    ),
    *(
        "\n- ",
        "value: ",
        "name: ",
        '"value":"',
        '","name":"',
        " -> ",
        "kind: Secret\n",
        "data:\n  a: ",
        "@tcp(",
    ),
    *(
        ":5432:",
        "*:*:*:",
        "<value>",
        "</",
        "echo ",
        " | sudo -S",
        "</key><string>",
        ", type: x, ",
        "tokens: [",
    ),
    *(
        "\\\n",
        "\\\n  ",
        "%41",
        "%22",
        "%0A",
        "%25",
        "\\u0041",
        "\\u0022",
        "\\x41",
        "&#65;",
        "'\"",
        "''",
        "'\"'\"'",
    ),
    *(
        "$'",
        "NAME  PASSWORD\n",
        "DB_PASSWORD    ",
        " | ",
        "a,token\nb,",
        "\t",
        "Basic ",
        "psk=",
        "YW5uOnBhc3M0d29yZHg=",
    ),
]


def one_of(values):
    # By index: Hypothesis would print a strategy with all these values in full.
    return st.integers(0, len(values) - 1).map(lambda number: values[number])


pieces = st.one_of(
    one_of(BITS),
    one_of(SECRETS),
    st.builds(lambda text, secret: text.replace("{{S0}}", secret), one_of(TEXTS), one_of(SECRETS)),
    st.text(max_size=5),
)
texts = st.lists(pieces, max_size=14).map("".join)
names = st.sampled_from(
    ["a", "x y", "password", "token", "api_key", "name", "value", "data", "Authorization"]
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
    max_leaves=8,
)
many = settings(max_examples=5_000 if LONG else 100, deadline=None)


@many
@given(texts)
def test_any_text_once_redacted_stays_so(text):
    once = redact(text)

    assert redact(once) == once


@many
@given(texts)
def test_any_text_keeps_its_lines(text):
    assert len(redact(text).splitlines()) == len(text.splitlines())


@many
@given(texts)
def test_what_is_found_lies_in_the_text_and_apart(text):
    secrets = find_secrets(text)

    assert all(0 <= secret.start < secret.end <= len(text) for secret in secrets)
    assert all(one.end <= other.start for one, other in pairwise(secrets))


@many
@given(values, st.booleans(), st.sampled_from([None, 1]), st.booleans())
def test_any_json_text_stays_json_with_its_keys(value, ascii_only, indent, slashes):
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    text = text.replace("/", "\\/") if slashes else text

    assert skeleton(json.loads(redact(text))) == skeleton(value)


@many
@given(values)
@example(["psk=", None, None])
def test_json_in_a_string_of_json_stays_json(value):
    text = json.dumps({"out": json.dumps(value), "n": 1})

    assert skeleton(json.loads(json.loads(redact(text))["out"])) == skeleton(value)


@many
@given(values)
def test_any_json_value_keeps_its_shape(value):
    assert skeleton(redact_json(value)) == skeleton(value)


def skeleton(value):
    if isinstance(value, dict):
        return {key: skeleton(item) for key, item in value.items()}
    if isinstance(value, list):
        return [skeleton(item) for item in value]
    return str if isinstance(value, str) else value


@many
@given(st.lists(pieces, max_size=30).map("".join), st.lists(st.integers(1, 200), max_size=12))
def test_pieces_of_a_text_come_out_as_the_whole_does(text, sizes):
    chunks, rest = [], text
    for size in sizes:
        chunks.append(rest[:size])
        rest = rest[size:]
    out = "".join(piece.text for piece in redact_stream([*chunks, rest]))
    whole = redact(text)

    assert out.count("\n") == text.count("\n")
    assert [secret for secret in found(text) if out.count(secret) > whole.count(secret)] == []


def found(text):
    """Return the long, single-line secrets that are found in the whole text."""
    return {
        text[one.start : one.end]
        for one in find_secrets(text)
        if one.end - one.start >= 16 and not one.continued
    }
