"""Test redaction of a text that arrives in pieces, with bounded memory."""

import pytest

from hookline.redact import redact
from hookline.redact.stream import MAX_WAITING, redact_stream

TOKEN = "gh" + "p_" + "CIDNb76xxP8McqTxLZbqVCjQbEyOBnL6T0k3"
CUT = "[redacted:github-token]"
KEY = "".join(
    [
        "-----BEGIN PRIVATE" + " KEY-----\n",
        *(f"MIIEow{n:04}AAKCAQEA1b2c3d4E5F6g7H8i9J0kLmNoPqRsTuVwXyZ0+/ab\n" for n in range(60)),
        "-----END PRIVATE KEY-----\n",
    ]
)


def streamed(chunks):
    return "".join(piece.text for piece in redact_stream(chunks))


@pytest.mark.parametrize("size", [1, 7, 64, 1000])
def test_pieces_of_any_size_come_out_as_the_whole(size):
    text = f"a {TOKEN}\n{KEY}b\npassword: xK9#mQ2$vL8!\n{TOKEN[:20]}\n{TOKEN[20:]}\n{KEY[:500]}\nend"

    assert streamed(text[at : at + size] for at in range(0, len(text), size)) == redact(text)


def test_whole_lines_do_not_wait_for_the_next():
    out = redact_stream(iter(["one two\nthree", " four\n"]))

    assert next(out).text == "one two\n"
    assert next(out).text == "three four\n"


def test_what_may_go_on_waits():
    out = redact_stream(iter([f"tok {TOKEN[:20]}\n", f"{TOKEN[20:]}\nend\n"]))

    assert next(out).text == f"tok {CUT}\n[redacted]\nend\n"


def test_a_command_over_many_lines_waits_for_its_last():
    lines = [
        "deploy \\\n",
        "  --dry-run \\\n",
        f"  --as {TOKEN[:9]}\\\n",
        f"{TOKEN[9:30]}\\\n",
        f"{TOKEN[30:]}\n",
    ]

    assert streamed(iter(lines)) == redact("".join(lines))
    assert streamed(iter(lines)).endswith(f"  --as {CUT}\\\n[redacted]\\\n[redacted]\n")


def test_each_secret_is_told_with_its_line_in_the_whole():
    text = f"a\n{TOKEN}\nb\n{KEY}c {TOKEN}\n"
    told = [
        secret
        for piece in redact_stream(text[at : at + 50] for at in range(0, len(text), 50))
        for secret in piece.secrets
    ]

    assert told == [("github-token", 2), ("private-key", 4), ("github-token", 4 + KEY.count("\n"))]


def test_a_line_without_end_is_let_go_before_it_fills_the_memory():
    chunks = ["word " * 10_000] * 20
    longest = max(len(piece.text) for piece in redact_stream(iter(chunks)))

    assert longest < 2 * MAX_WAITING
    assert streamed(iter(chunks)) == "".join(chunks)


def test_a_token_across_the_cut_of_a_line_without_end_goes():
    filler = "x" * (MAX_WAITING - 8 * 1024 - 20) + " "

    assert streamed(iter([filler, TOKEN, " y" * 20_000])) == f"{filler}{CUT}" + " y" * 20_000


def test_a_key_longer_than_the_memory_goes_whole():
    line = "MIIEowAAKCAQEA1b2c3d4E5F6g7H8i9J0kLmNoPqRsTuVwXyZ0+/ab\n"
    text = f"a\n{KEY.splitlines(keepends=True)[0]}{line * 10_000}{KEY.splitlines()[-1]}\nb\n"
    out = streamed(text[at : at + 60_000] for at in range(0, len(text), 60_000))

    assert "MIIEow" not in out
    assert out.splitlines()[-1] == "b"
    assert out.count("\n") == text.count("\n")
