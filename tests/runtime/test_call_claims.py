"""Test claims of calls, in memory and in a file."""

import os
import resource
import signal
from concurrent.futures import ThreadPoolExecutor

import pytest

from hookline import hosts
from hookline.core.events import Stop
from hookline.runtime import dedupe
from hookline.runtime.call_claims import MAX_AGE_SECONDS, MAX_CLAIMS, Claim, Claims
from hookline.runtime.runtime import Runtime


@pytest.fixture(params=["memory", "file"])
def table(request, tmp_path):
    return Claims(str(tmp_path / "state" / "claims.json") if request.param == "file" else "")


def test_a_call_is_claimed_by_one(table):
    said = [table.claim("e", by=name, at=1.0) for name in ("one", "other")]
    said.append(table.claim("another", by="other", at=1.0))

    assert said == [None, Claim(by="one", at=1.0), None]


def test_a_call_is_claimed_by_one_however_many_ask(table):
    with ThreadPoolExecutor(16) as pool:
        said = [*pool.map(lambda number: table.claim("e", by=f"{number}", at=1.0), range(40))]

    assert sum(claim is None for claim in said) == 1
    assert len({claim.by for claim in said if claim}) == 1


def test_the_answer_is_noted_by_its_owner_only(table):
    table.claim("e", by="one", at=1.0)
    table.save_answer("e", by="other", at=2.0, answer="{}")
    assert table.claim("e", by="other", at=3.0) == Claim(by="one", at=1.0)

    table.save_answer("e", by="one", at=2.0, answer='"no"')
    assert table.claim("e", by="other", at=3.0) == Claim(by="one", at=1.0, answered=2.0, answer='"no"')


def test_a_claim_is_taken_over_once(table):
    table.claim("e", by="one", at=1.0)
    taken = [table.claim("e", by=name, at=2.0, instead="one") for name in ("two", "three")]
    table.save_answer("e", by="one", at=3.0, answer="{}")  # another process has taken over the claim

    assert taken == [None, Claim(by="two", at=2.0)]
    assert table.claim("e", by="x", at=3.0) == Claim(by="two", at=2.0)


def test_a_claim_is_released_by_its_owner_only(table):
    table.claim("e", by="one", at=1.0)
    table.release("e", by="other")
    assert table.claim("e", by="other", at=1.0) == Claim(by="one", at=1.0)

    table.release("e", by="one")
    assert table.claim("e", by="other", at=1.0) is None


def test_an_old_claim_is_forgotten(table):
    table.claim("e", by="one", at=1.0)

    assert table.claim("e", by="x", at=1.0 + MAX_AGE_SECONDS) == Claim(by="one", at=1.0)
    assert table.claim("e", by="x", at=1.1 + MAX_AGE_SECONDS) is None


def test_a_claim_holds_against_a_call_that_read_the_clock_before_it_waited_for_the_lock(table):
    table.claim("e", by="one", at=1.001)

    assert table.claim("e", by="other", at=1.0) == Claim(by="one", at=1.001)


def test_the_oldest_of_too_many_are_forgotten():
    table = Claims()
    for number in range(MAX_CLAIMS + 1):
        table.claim(f"{number}", by="one", at=1.0)

    assert table.claim("1", by="x", at=1.0) is not None
    assert table.claim("0", by="x", at=1.0) is None


def test_processes_share_a_file(tmp_path):
    path = str(tmp_path / "claims.json")
    child = os.fork()
    if child == 0:
        Claims(path).claim("e", by="one", at=1.0)
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)

    assert Claims(path).claim("e", by="other", at=1.0) == Claim(by="one", at=1.0)
    assert os.stat(path).st_mode & 0o777 == 0o600


@pytest.mark.parametrize("text", ["", "{", "[]", '{"e": 1}'])
def test_a_file_that_cannot_be_read_is_empty(tmp_path, text):
    (tmp_path / "claims.json").write_text(text)

    assert Claims(str(tmp_path / "claims.json")).claim("e", by="one", at=1.0) is None


def held(runtime):
    return dedupe.claim_call(runtime, hosts.load("claude-code"), Stop(session="s", host="claude-code"))


def test_if_the_file_cannot_be_used_everybody_answers_and_it_is_reported(tmp_path):
    (tmp_path / "state").write_text("not a folder")
    runtime = Runtime()
    runtime.claims = Claims(str(tmp_path / "state" / "claims.json"))

    assert [type(held(runtime)) for _ in range(2)] == [dedupe.ClaimedCall, dedupe.ClaimedCall]
    assert len(runtime.problems) == 1
    assert "state" in runtime.problems[0]


def test_if_the_disk_is_full_everybody_answers(tmp_path):
    runtime = Runtime()
    runtime.claims = Claims(str(tmp_path / "claims.json"))
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, limit[1]))
    try:
        found = [type(held(runtime)) for _ in range(2)]
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        signal.signal(signal.SIGXFSZ, before)

    assert found == [dedupe.ClaimedCall, dedupe.ClaimedCall]
    assert "claims.json" in runtime.problems[0]
