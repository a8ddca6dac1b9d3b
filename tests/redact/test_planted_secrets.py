"""Test that redaction finds random secrets in every format and every encoding."""

import base64
import json
import os
import random
import shlex
from urllib.parse import quote, quote_plus

import pytest
from tests.planted_secrets import (
    ENCODINGS,
    FORMATS,
    TOKENS,
    WINDOW,
    find_left,
    fragments,
    of_format,
    plant,
    plants,
)

from hookline.redact import redact, redact_json

LONG = os.environ.get("HOOKLINE_LONG") == "1"
ROUNDS = 30 if LONG else 1
TWICE = {
    "percent": lambda text: quote(text, safe=""),
    "form": lambda text: f"run=%0A{quote_plus(text)}",
    "json": json.dumps,
    "json twice": lambda text: json.dumps({"line": json.dumps({"out": text})}),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "wrapped base64": lambda text: base64.encodebytes(f"{'some text ' * 9}\n{text}\n".encode()).decode(),
    "shell": shlex.quote,
}


def left(found):
    """Return the plants whose secret is left in the redacted text."""
    return [(one.format, one.encoding, text) for one, text in found if find_left(text, one.fragments)]


def test_there_are_60_formats_in_6_encodings_and_all_secrets_differ():
    assert (len(FORMATS), len(ENCODINGS), WINDOW) == (60, 6, 8)
    assert len({one.text for one in plants(500)}) == 500
    assert all(find_left(one.text, one.fragments) for one in plants(360))


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_no_planted_secret_is_left(encoding):
    chance = random.Random(21)
    planted = [plant(format_, encoding, chance) for format_ in FORMATS for _ in range(ROUNDS)]
    found = [(one, redact(one.text)) for one in planted]

    assert left(found) == []
    assert [text for _, text in found if redact(text) != text] == []
    assert [one for one, text in found if text.count("\n") != one.text.count("\n")] == []


@pytest.mark.slow
def test_no_secret_is_left_in_json():
    found = [
        (one, json.dumps(redact_json({"input": {"command": one.text}})))
        for one in plants(360 * ROUNDS, seed=3)
    ]

    assert left(found) == []


@pytest.mark.slow
@pytest.mark.parametrize("second", TWICE)
def test_no_secret_is_left_that_is_encoded_twice(second):
    found = [(one, redact(TWICE[second](one.text))) for one in plants(360 * ROUNDS, seed=4)]

    assert left(found) == []


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_tokens_of_every_format_are_found_in_every_encoding(encoding):
    chance, before = random.Random(5), "the client has "
    made = [of_format(number)(chance) for number in range(len(TOKENS)) for _ in range(ROUNDS)]
    texts = [redact(ENCODINGS[encoding](before, secret, " in it", chance)) for secret in made]

    assert [
        text
        for secret, text in zip(made, texts, strict=True)
        if find_left(text, frozenset(fragments(secret)))
    ] == []


@pytest.mark.parametrize("path", ["/srv/", "/srv/data/", "https://api.test/v1/"])
def test_base64_with_slashes_is_found_after_a_path(path):
    secret = "nG5sNw9fF8zWiXFXeH?M"  # its base64 contains a slash
    text = base64.b64encode(f'DEBUG=1\nSECRET_KEY="{secret}"\nPORT=80\n'.encode()).decode()

    assert "/" in text
    assert text[30:50] not in redact(path + text)


def test_base64_of_several_texts_on_consecutive_lines_is_found():
    texts = ("echo aB3dEY4PkjV1Zi1MHZK | docker login -u ann --password-stdin", "some other words here")
    lines = [base64.b64encode(text.encode()).decode() for text in texts]

    assert not lines[0].endswith("=")
    assert redact("\n".join(lines)) == f"[redacted:password]\n{lines[1]}"
