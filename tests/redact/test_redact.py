"""Secrets go, everything else stays; tokens are put together here so that no file holds one."""

import base64
import json
import os
import random
import string
import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.frozen import Frozen, frozen
from hookline.redact import Secret, find, redact, redact_json
from hookline.redact._formats import FORMATS

CORPUS = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "corpus" / "secrets.jsonl").read_text().splitlines()
]
BODY = "CIDNb76xxP8McqTxLZbqVCjQbEyOBnL6T0k3"
TOKEN = "gh" + "p_" + BODY
CUT = "[redacted:github-token]"


def filled(row: dict) -> tuple[str, list[str]]:
    text, secrets = row["text"], ["".join(pieces) for pieces in row["secrets"]]
    for number, secret in enumerate(secrets):
        text = text.replace(f"{{{{S{number}}}}}", secret)
    return text, secrets


@pytest.mark.parametrize(
    "row", [row for row in CORPUS if row["expect"] == "redact"], ids=lambda row: row["id"]
)
def test_no_part_of_a_secret_is_left(row):
    text, secrets = filled(row)
    after = redact(text)

    assert "[redacted:" in after
    assert [piece for piece in eights(secrets) if piece in after] == []
    assert redact(after) == after


def eights(secrets: list[str]) -> list[str]:
    return [secret[start : start + 8] for secret in secrets for start in range(len(secret) - 7)]


@pytest.mark.parametrize("row", [row for row in CORPUS if row["expect"] == "keep"], ids=lambda row: row["id"])
def test_what_is_no_secret_stays(row):
    text, _ = filled(row)

    assert redact(text) == text


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("{}", CUT),
        ("a={}&b=1", f"a={CUT}&b=1"),
        ("<a>{}</a>", f"<a>{CUT}</a>"),
        ("'{}'", f"'{CUT}'"),
        ("\x1b[33m{}\x1b[0m", f"\x1b[33m{CUT}\x1b[0m"),
        (r"\u001b[33m{}\u001b[0m", rf"\u001b[33m{CUT}\u001b[0m"),
        (r"x\n{}\ny", rf"x\n{CUT}\ny"),
        (r"a\u0026{}", rf"a\u0026{CUT}"),
        ("a%3D{}%26", f"a%3D{CUT}%26"),
        ("({}, {})", f"({CUT}, {CUT})"),
        ("see {}.", f"see {CUT}."),
    ],
)
def test_a_token_is_seen_whatever_stands_around_it(text, after):
    assert redact(text.replace("{}", TOKEN)) == after


@pytest.mark.parametrize(
    "text",
    [
        TOKEN[:-1],  # one short
        "a" + TOKEN,  # part of a longer word
        "gh" + "p_" + "x" * 36,
        "AKIA" + "A1B2C3D4E5F6G7H8I",  # one long
    ],
)
def test_what_only_begins_like_a_token_stays(text):
    assert redact(text) == text


def test_a_token_cut_up_by_colours_or_invisible_characters_goes():
    for cut in ("\x1b[01;31m\x1b[K", "\u200b", "\u00ad\u2060"):
        assert redact(f"x {TOKEN[:9]}{cut}{TOKEN[9:]} y") == f"x {CUT} y"


def test_a_token_broken_over_lines_goes_and_what_follows_stays():
    assert redact(f"t: {TOKEN[:20]}\n  {TOKEN[20:]}\nnext") == f"t: {CUT}\nnext"
    assert redact(f"t: {TOKEN[:20]}\nnext line") == f"t: {TOKEN[:20]}\nnext line"


def test_a_token_in_base64_goes_as_a_whole():
    hidden = base64.b64encode(f"token {TOKEN} in a note".encode()).decode()
    harmless = base64.b64encode(b"nothing to see in this long note").decode()

    assert redact(f"{harmless} {hidden} {harmless}") == f"{harmless} {CUT} {harmless}"


KEY = ("MII" + "EowIBAAKCAQEA1b2c3d4E5F6g7H8i9J0kLmNoPqRsTuVwXyZ0123456789+/ab\n") * 4


@pytest.mark.parametrize("kind", ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "])
@pytest.mark.parametrize("escaped", [False, True])
def test_a_private_key_goes_whole(kind, escaped):
    text = f"-----BEGIN {kind}PRIVATE" + f" KEY-----\n{KEY}-----END {kind}PRIVATE KEY-----"
    shown = text.replace("\n", "\\n") if escaped else text

    assert redact(f"a\n{shown}\nb") == "a\n[redacted:private-key]\nb"


def test_a_private_key_without_its_end_goes_to_the_end():
    assert redact("a\n-----BEGIN PRIVATE" + f" KEY-----\n{KEY}") == "a\n[redacted:private-key]"
    encrypted = "-----BEGIN RSA PRIVATE" + f" KEY-----\nProc-Type: 4,ENCRYPTED\n\n{KEY}"
    assert redact(encrypted) == "[redacted:private-key]"


@pytest.mark.parametrize(
    "text",
    [
        'if "-----BEGIN RSA PRIVATE KEY-----" in text:\n    return True\n',
        "grep -r 'BEGIN PRIVATE KEY' .",
        f"-----BEGIN CERTIFICATE-----\n{KEY}-----END CERTIFICATE-----",
        f"-----BEGIN PUBLIC KEY-----\n{KEY}-----END PUBLIC KEY-----",
    ],
)
def test_code_that_names_a_key_and_public_ones_stay(text):
    assert redact(text) == text


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("postgres://app:s3cr3tpw@db/x", "postgres://app:[redacted:url-password]@db/x"),
        ("redis://:s3cr3tpw@cache:6379", "redis://:[redacted:url-password]@cache:6379"),
        ("https://u:p@ss/w0rd", "https://u:p@ss/w0rd"),
        ("http://me:p%40ss@w0rd@host/", "http://me:[redacted:url-password]@host/"),
        ("a://b:cdef@e f://g:hijk@l", "a://b:[redacted:url-password]@e f://g:[redacted:url-password]@l"),
        ("ssh://git@github.com:me/repo", "ssh://git@github.com:me/repo"),
        ("http://localhost:8080/a@b", "http://localhost:8080/a@b"),
        ("postgres://postgres:postgres@localhost", "postgres://postgres:postgres@localhost"),
        ("mysql://root:${DB_PASSWORD}@db", "mysql://root:${DB_PASSWORD}@db"),
        ("amqp://u:<password>@h", "amqp://u:<password>@h"),
    ],
)
def test_passwords_in_urls_go_and_the_rest_stays(text, after):
    assert redact(text) == after


VALUE = "e3b3f8a94e6b1c3005f13ec9"


@pytest.mark.parametrize(
    ("before", "behind", "kind"),
    [
        ("DB_PASSWORD=", "", "password"),
        ("export DB_PASSWORD='", "'", "password"),
        ("password: ", "\nuser: me", "password"),
        ('{"clientSecret": "', '"}', "secret"),
        (r"{\"client_secret\":\"", r"\"}", "secret"),
        ("mysql --password ", " -u root", "password"),
        ("mysql --db-password=", " -u root", "password"),
        ("machine h login me password ", "", "password"),
        ("<password>", "</password>", "password"),
        ("Server=x;Pwd=", ";Database=y", "password"),
        ("?a=1&access_token=", "&b=2", "token"),
        ("X-Auth-Token: ", "\r\n", "token"),
        ("Authorization: Bearer ", '"', "authorization"),
        ("curl -H 'authorization: token ", "'", "authorization"),
        ("tokenProd = `", "`", "token"),
        ("STRIPE_KEY=", "", "key"),
        ('"auth": "', '"', "auth"),
        ("Cookie: a=b; sid=", "; c=d", "cookie"),
        ("https://x/c?sv=1&sig=", "&se=2", "signature"),
    ],
)
def test_random_values_under_a_secrets_name_go(before, behind, kind):
    assert redact(before + VALUE + behind) == f"{before}[redacted:{kind}]{behind}"


@pytest.mark.parametrize(
    "text",
    [
        f"commit {VALUE}",
        f"cache_key: {VALUE}",
        f"token_id: {VALUE}",
        f"nextPageToken: {VALUE}",
        f"publicKeyToken={VALUE}",
        f"tokenizer: {VALUE}",
        f"the token {VALUE} is",
        f"password_hash = {VALUE}",
        "password = getpass()",
        "password = os.environ['DB_PASSWORD2']",
        "token = response2.json()['token']",
        "token: Optional[str] = None",
        "secret: ${{ secrets.DEPLOY_KEY_2 }}",
        "API_KEY=$(cat /run/secrets/key1)",
        "API_KEY=%API_KEY_1%",
        "max_tokens: 4096000000000",
        "PWD=/home/me/project-2a7f9c",
        "tokenizer_name: llama-3.1-8b-instruct",
        '"js-tokens": "^4.0.0 || ^5.0.0"',
        "private_key: x25519.X25519PrivateKey",
        "secret_name: prod/db/password-2",
        "password: correct",
        "Cookie: theme=dark; lang=en",
    ],
)
def test_names_words_and_code_stay(text):
    assert redact(text) == text


def test_long_lines_of_code_and_images_stay():
    chance = random.Random(7)
    image = base64.b64encode(chance.randbytes(30_000)).decode()
    code = "".join(f"function a{n}(e,t){{return e.token?t[{n}]:void 0}}" for n in range(2000))

    assert redact(f"data:image/png;base64,{image}") == f"data:image/png;base64,{image}"
    assert redact(code) == code


def test_find_says_where_and_what_but_not_the_secret():
    assert find(f"a {TOKEN} b") == (Secret(kind="github-token", start=2, end=2 + len(TOKEN)),)
    assert find("nothing") == ()
    assert find("") == ()


def test_places_are_right_behind_capitals_that_grow_in_lower_case():
    assert redact(f"İİİ password={VALUE}") == "İİİ password=[redacted:password]"


def test_json_is_redacted_inside_with_its_keys_kept():
    value = {
        "a": [TOKEN, 1, None, {"password": VALUE, TOKEN: "x"}],
        "headers": {"Authorization": f"Bearer {VALUE}"},
    }

    assert redact_json(value) == {
        "a": [CUT, 1, None, {"password": "[redacted:password]", TOKEN: "x"}],
        "headers": {"Authorization": "Bearer [redacted:authorization]"},
    }
    assert redact_json(None) is None
    assert redact_json(TOKEN) == CUT


def test_json_that_was_frozen_stays_so():
    after = redact_json(frozen({"a": [{"b": TOKEN}]}))

    assert after == {"a": ({"b": CUT},)}
    assert isinstance(after["a"][0], Frozen)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)


@given(json_values)
def test_any_json_keeps_its_shape(value):
    assert skeleton(redact_json(value)) == skeleton(value)


def skeleton(value):
    if isinstance(value, dict):
        return {key: skeleton(item) for key, item in value.items()}
    if isinstance(value, list):
        return [skeleton(item) for item in value]
    return type(value)


pieces = st.sampled_from(
    [
        *(
            TOKEN,
            BODY,
            "password=",
            "token: ",
            '"',
            "\\n",
            "\n",
            "://",
            "@",
            ":",
            "a",
            "9",
            "eyJ",
            ".",
            "\x1b[1m",
            "\u200b",
        ),
        *(
            "Cookie: ",
            "Bearer ",
            "=",
            "&",
            " ",
            "İ",
            "\ud800",
            "\x00",
            "AKIA",
            "sk-",
            "$2",
            "-----BEGIN PRIVATE" + " KEY-----",
        ),
    ]
)


@given(st.lists(pieces | st.text(max_size=5), max_size=20).map("".join))
def test_any_text_once_redacted_stays_so_and_spans_are_apart(text):
    secrets, once = find(text), redact(text)

    assert all(0 <= secret.start < secret.end <= len(text) for secret in secrets)
    assert all(one.end <= other.start for one, other in pairwise(secrets))
    assert redact(once) == once


LONG = os.environ.get("HOOKLINE_LONG") == "1"
MEGABYTE = 1_000_000
HOSTILE = [
    *(
        "x",
        " ",
        "-",
        ".",
        "=",
        "eyJ",
        "-eyJ",
        ".eyJ",
        r"\neyJ",
        "://",
        "://a:",
        "a@",
        "\x1b[",
        "\x1b[0",
        "\x1b[0m",
    ),
    *(
        "\u200b",
        "a\u200b",
        "\\/",
        "cookie:",
        "cookie:=",
        "1Q~",
        "$argon2id$",
        "$2a$10$",
        "-----BEGIN ",
        "SG." + "a" * 32,
    ),
    *(
        "-----BEGIN PRIVATE" + " KEY-----",
        "M" * 24 + ".abcdef.",
        "token",
        "token=",
        "token=aB1-",
        "password" + " " * 20,
    ),
    *(
        "password=A1b2C3d4 ",
        "ghp_aaaa\n",
        "github_pat_a\nb\n",
        "aHR0cHM6Ly9leGFtcGxlLm9yZw ",
        "Aa",
        "the quick brown ",
    ),
]


@pytest.mark.parametrize("piece", HOSTILE, ids=repr)
@pytest.mark.parametrize("start", ["", "password=", *(["://", "cookie: ", "eyJ"] if LONG else [])])
def test_time_grows_no_faster_than_the_text(piece, start):
    # Where work is quadratic, four times the text takes sixteen times as long.
    small, large = (start + piece * (size // len(piece)) for size in (MEGABYTE // 40, MEGABYTE // 10))

    assert seconds(large) < 8 * seconds(small) + 1


@pytest.mark.parametrize("prefix", sorted({prefix for one in FORMATS for prefix in one.prefixes.split()}))
def test_a_text_of_prefixes_is_no_trap(prefix):
    text = prefix * 10_000 + f"-{prefix}" * 10_000 + f"{prefix}{'a' * 15}." * 3_000

    assert seconds(text) < HANGS


HANGS = 60
"""Seconds: not how fast it should be, but what only a blow-up takes."""


def seconds(text: str) -> float:
    start = time.process_time()
    redact(text)
    return time.process_time() - start


@pytest.mark.parametrize("kind", ["prose", "base64", "hex"])
def test_a_megabyte_is_no_trap(kind):
    chance = random.Random(3)
    letters = {
        "prose": "etaoin shrdlu\n",
        "base64": string.ascii_letters + "0123456789+/",
        "hex": "0123456789abcdef",
    }

    assert seconds("".join(chance.choices(letters[kind], k=MEGABYTE))) < HANGS
