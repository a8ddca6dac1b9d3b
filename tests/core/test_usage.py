"""Test token usage from transcripts: each call counts once, by session and by turn."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.budget.ledger import read_usage_lines
from hookline.budget.model_reply import parse_usage
from hookline.budget.models import BadModels, Model, compute_usage, find, load_shipped, parse
from hookline.core.usage import (
    ContextUpdate,
    ModelCall,
    Tally,
    TokenCounts,
    Total,
    Turn,
    Usage,
    sum_tokens,
    tally_from_json,
    tally_to_json,
    update_tally,
)
from hookline.hosts import _claude_transcript, _codex_transcript, _gemini_transcript

A = ModelCall(TokenCounts(input=10, output=5, cache_read=100, cache_write=7), call="a", model="m")


def test_a_call_counts_once_however_often_it_is_told_of():
    tally = update_tally(Tally(), [Turn("t"), A, A, A])

    assert tally.spent == {"m": A.spent}
    assert (tally.used, tally.turn_output) == (122, 5)


def test_the_last_word_of_a_stream_counts():
    early = A._replace(spent=A.spent._replace(output=1))

    assert update_tally(Tally(), [early, A]) == update_tally(Tally(), [A])
    assert update_tally(Tally(), [A, early]) == update_tally(Tally(), [A])


def test_calls_without_a_name_all_count():
    one = A._replace(call="")

    assert sum_tokens(update_tally(Tally(), [one, one])).output == 10


def test_a_turn_has_an_output_of_its_own():
    tally = update_tally(Tally(), [Turn("1"), A, Turn("2"), A._replace(call="b"), Turn("2")])

    assert (tally.turn, tally.turn_output, sum_tokens(tally).output) == (2, 5, 10)


def test_a_call_of_the_last_turn_that_is_told_of_late_is_not_of_this_one():
    late = A._replace(spent=A.spent._replace(output=9))
    tally = update_tally(Tally(), [Turn("1"), A, Turn("2"), late])

    assert (tally.turn_output, sum_tokens(tally).output) == (0, 9)


def test_what_a_recording_adds_up_is_taken_as_it_is():
    tally = update_tally(
        Tally(),
        [
            ContextUpdate(model="m", window=100),
            Total(TokenCounts(10, 5), 15),
            Total(TokenCounts(10, 5), 15),
            Total(TokenCounts(30, 9), 24),
        ],
    )

    assert (tally.spent, tally.used, tally.window) == ({"m": TokenCounts(30, 9)}, 24, 100)


def test_what_came_from_the_cache_after_all_is_no_new_beginning():
    tally = update_tally(Tally(), [Total(TokenCounts(100, 10)), Total(TokenCounts(50, 20, 150))])

    assert sum_tokens(tally) == TokenCounts(100, 20, 150)
    assert tally.turn_output == 20


def test_a_recording_that_adds_up_anew_is_added_to_what_was():
    tally = update_tally(Tally(), [Total(TokenCounts(30, 9), 24), Total(TokenCounts(10, 5), 15)])

    assert sum_tokens(tally) == TokenCounts(40, 14)


NUMBERS = st.integers(0, 1000)
SPENT = st.builds(TokenCounts, NUMBERS, NUMBERS, NUMBERS, NUMBERS)
NAMES = st.sampled_from(["", "a", "b", "c"])
TOLD = st.lists(
    st.builds(Turn, NAMES)
    | st.builds(ContextUpdate, NAMES, st.none() | NUMBERS, st.none() | NUMBERS)
    | st.builds(ModelCall, SPENT, NAMES, NAMES, st.none() | NUMBERS)
    | st.builds(Total, SPENT, st.none() | NUMBERS)
)


@given(TOLD, st.integers(0, 20))
def test_it_comes_to_the_same_wherever_a_call_left_off(every, cut):
    first = update_tally(Tally(), every[:cut])
    kept = tally_from_json(json.loads(json.dumps(tally_to_json(first))))

    assert kept == first
    assert update_tally(kept, every[cut:]) == update_tally(Tally(), every)


@pytest.mark.parametrize("kept", [None, 7, "x", [], {}, {"spent": 3}, {"model": "m", "spent": {"a": [1]}}])
def test_what_is_no_tally_is_an_empty_one(kept):
    assert tally_from_json(kept) == Tally()


@pytest.mark.parametrize(
    "wrong",
    [
        *({name: value} for name in ("model", "turn_name") for value in (None, 7)),
        *({name: value} for name in ("used", "window", "turn", "turn_output") for value in ("7", True)),
        {"turn": None},
        {"spent": {"m": ["1", 2, 3, 4]}},
        {"total": [None] * 4},
        {"recent": [[7, "m", 1, 1, 1, 1, 1]]},
    ],
    ids=str,
)
def test_a_tally_in_which_one_thing_is_of_another_sort_is_an_empty_one(wrong):
    whole = Tally(
        spent={"m": TokenCounts(1, 1)}, model="m", used=2, turn=1, recent=(("c", "m", 1, TokenCounts(1, 1)),)
    )

    assert tally_from_json(tally_to_json(whole)) == whole
    assert tally_from_json({**tally_to_json(whole), **wrong}) == Tally()


def lines(*objects):
    return [json.dumps(one).encode() for one in objects]


def claude(output, message="m1", **more):
    usage = {
        "input_tokens": 10,
        "output_tokens": output,
        "cache_read_input_tokens": 100,
        "cache_creation_input_tokens": 7,
    }
    said = {"id": message, "model": "claude-sonnet-4-5", "role": "assistant", "content": [], "usage": usage}
    return {"type": "assistant", "uuid": "u", "requestId": "r1", "message": said, **more}


def prompt(name, **more):
    return {"type": "user", "promptId": name, "message": {"role": "user", "content": "do it"}, **more}


CLAUDE = [
    prompt("p1"),
    claude(1),
    claude(5),
    {"type": "user", "promptId": "p1", "message": {"content": [{"type": "tool_result", "content": "x"}]}},
    claude(50, "helper", isSidechain=True),
    claude(50, "helper", agentId="a1"),
    {"type": "assistant", "message": {"model": "<synthetic>", "usage": {"output_tokens": 9}}},
    claude(6, "m2"),
    prompt("p2"),
    claude(8, "m3"),
]


def test_claude_code_tells_of_a_message_in_several_lines():
    tally = update_tally(Tally(), read_usage_lines(_claude_transcript.USAGE, lines(*CLAUDE)))

    assert sum_tokens(tally) == TokenCounts(30, 19, 300, 21)
    assert (tally.used, tally.turn, tally.turn_output) == (125, 2, 8)


@pytest.mark.parametrize(("given", "used"), [({"postTokens": 900}, 900), ({}, 0), (None, 0)])
def test_claude_code_compacts(given, used):
    boundary = {"type": "system", "subtype": "compact_boundary", "compactMetadata": given}

    assert (
        update_tally(Tally(), read_usage_lines(_claude_transcript.USAGE, lines(*CLAUDE, boundary))).used
        == used
    )


@pytest.mark.parametrize("named", [{}, {"promptId": "p9"}])
def test_a_turn_of_claude_code_goes_on_behind_the_summary_of_a_compaction(named):
    summary = {
        "type": "user",
        "uuid": "s",
        "isCompactSummary": True,
        "message": {"content": "so far"},
        **named,
    }
    tally = update_tally(
        Tally(), read_usage_lines(_claude_transcript.USAGE, lines(*CLAUDE, summary, claude(3, "m4")))
    )

    assert (tally.turn, tally.turn_output) == (2, 11)


def test_before_prompts_had_names_a_persons_words_began_a_turn():
    plain = [{**one, "uuid": f"u{at}", "promptId": None} for at, one in enumerate(CLAUDE)]
    meta = {"type": "user", "uuid": "x", "isMeta": True, "message": {"content": "go on"}}
    tally = update_tally(Tally(), read_usage_lines(_claude_transcript.USAGE, lines(*plain, meta)))

    assert (tally.turn, tally.turn_output) == (2, 8)


def codex(total, last, **more):
    def usage(whole, cached, output):
        return {
            "input_tokens": whole,
            "cached_input_tokens": cached,
            "output_tokens": output,
            "reasoning_output_tokens": 1,
            "total_tokens": whole + output,
        }

    return usage(*total), usage(*last)


def token_count(total, last):
    whole, once = codex(total, last)
    info = {"total_token_usage": whole, "last_token_usage": once, "model_context_window": 258_400}
    return {"type": "event_msg", "payload": {"type": "token_count", "info": info}}


def token_usage_record(turn, total, last):
    whole, once = codex(total, last)
    return {
        "type": "token_usage_record",
        "payload": {"turn_id": turn, "thread_token_usage": whole, "usage": once},
    }


TURN = {"type": "turn_context", "payload": {"turn_id": "t1", "model": "gpt-5.5"}}


@pytest.mark.parametrize("newer", [True, False])
def test_codex_adds_up_and_says_it_twice(newer):
    steps = [((100, 60, 9), (100, 60, 9)), ((300, 200, 20), (200, 140, 11))]
    both = [[*([token_usage_record("t1", *step)] if newer else []), token_count(*step)] for step in steps]
    tally = update_tally(Tally(), read_usage_lines(_codex_transcript.USAGE, lines(TURN, *both[0], *both[1])))

    assert sum_tokens(tally) == TokenCounts(100, 20, 200, 0)
    assert (tally.used, tally.window, tally.model) == (211, 258_400, "gpt-5.5")
    assert (tally.turn, tally.turn_output) == (1, 20)


def test_codex_may_have_nothing_to_say():
    empty = {"type": "event_msg", "payload": {"type": "token_count", "info": None}}

    assert update_tally(Tally(), read_usage_lines(_codex_transcript.USAGE, lines(empty))) == Tally()


def gemini(name, **tokens):
    counts = {"input": 100, "output": 5, "cached": 60, "thoughts": 3, "tool": 0, "total": 108, **tokens}
    return {"id": name, "type": "gemini", "tokens": counts, "model": "gemini-2.5-flash"}


def test_gemini_cli_tells_of_a_message_again_when_its_tools_are_done():
    back = {"id": "u2", "type": "user", "content": [{"functionResponse": {"name": "x"}}]}
    on = {"id": "u3", "type": "user", "content": [{"text": "A hook keeps this turn going (1b93aa): x"}]}
    asked = {"id": "u1", "type": "user", "content": [{"text": "please"}]}
    written = lines(asked, gemini("g1"), {**gemini("g1"), "toolCalls": []}, back, on, gemini("g2"))
    tally = update_tally(Tally(), read_usage_lines(_gemini_transcript.GEMINI_USAGE, written))

    assert sum_tokens(tally) == TokenCounts(80, 16, 120, 0)
    assert (tally.used, tally.turn, tally.turn_output) == (108, 1, 16)


def test_qwen_code_counts_thoughts_as_output():
    counts = {
        "promptTokenCount": 10,
        "candidatesTokenCount": 5,
        "thoughtsTokenCount": 2,
        "totalTokenCount": 15,
    }
    asked = {"uuid": "u", "type": "user", "message": {"parts": [{"text": "please"}]}}
    said = {"uuid": "a", "type": "assistant", "model": "fake", "usageMetadata": counts}
    helper = {**said, "uuid": "h", "agentId": "x"}
    tally = update_tally(Tally(), read_usage_lines(_gemini_transcript.QWEN_USAGE, lines(asked, said, helper)))

    assert (sum_tokens(tally), tally.used, tally.turn_output) == (TokenCounts(10, 5), 15, 5)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)
KEYS = st.sampled_from(
    [
        *("type", "message", "usage", "id", "uuid", "model", "payload", "info", "tokens", "usageMetadata"),
        *("promptId", "content", "parts", "turn_id", "input_tokens", "output_tokens", "total_token_usage"),
        *("last_token_usage", "isSidechain", "compactMetadata", "subtype"),
    ]
)
KINDS = st.sampled_from(
    ("assistant", "user", "system", "gemini", "token_count", "event_msg", "turn_context", "compact_boundary")
)
HOSTILE = st.dictionaries(KEYS, JSON | KINDS | st.dictionaries(KEYS, JSON | KINDS, max_size=4), max_size=6)
READERS = [
    _claude_transcript.USAGE,
    _codex_transcript.USAGE,
    _gemini_transcript.GEMINI_USAGE,
    _gemini_transcript.QWEN_USAGE,
]


@pytest.mark.parametrize("reader", READERS)
@given(st.lists(HOSTILE.map(json.dumps).map(str.encode) | st.binary(max_size=20), max_size=5))
def test_nothing_that_stands_in_a_recording_breaks_a_reader(reader, written):
    tally = update_tally(Tally(), read_usage_lines(reader, written))

    assert min(sum_tokens(tally)) >= 0
    assert tally_from_json(tally_to_json(tally)) == tally


def test_deep_lines_are_left_out():
    assert update_tally(Tally(), read_usage_lines(_claude_transcript.USAGE, [b"[" * 100_000])) == Tally()


@pytest.mark.parametrize(
    ("spelled", "spent"),
    [
        ({"input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": 3}, TokenCounts(10, 5, 3)),
        (
            {"input_tokens": 10, "output_tokens": 5, "cached_input_tokens": 3, "total_tokens": 15},
            TokenCounts(7, 5, 3),
        ),
        (
            {"prompt_tokens": 10, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 4}},
            TokenCounts(6, 5, 4),
        ),
        ({"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 17}, TokenCounts(10, 7)),
        (
            {"input": 10, "output": 5, "reasoning": 2, "total": 18, "cache": {"read": 1, "write": 0}},
            TokenCounts(10, 7, 1),
        ),
    ],
)
def test_a_call_that_tells_of_itself_may_spell_it_as_it_likes(spelled, spent):
    assert parse_usage(spelled, "m") == ModelCall(spent, model="m")


@pytest.mark.parametrize("spelled", [{}, {"input_tokens": -1}, {"input_tokens": True}, {"output": "5"}])
def test_what_is_no_number_of_tokens_says_nothing(spelled):
    assert parse_usage(spelled) is None


TABLE = '{"a": {"window": 100, "reserve": 20, "input": 1, "output": 2}, "a-big": {"window": 900}}'


@pytest.mark.parametrize(
    ("name", "window"), [("a", 100), ("a-20260101", 100), ("maker/a-1", 100), ("a-big-2", 900), ("b", None)]
)
def test_a_model_is_found_by_how_its_name_begins(name, window):
    assert find(parse(TABLE), name).window == window


def test_the_limit_is_the_window_less_what_the_answer_needs():
    tally = Tally(model="a", used=40, spent={"a": TokenCounts(1_000_000, 500_000)}, turn=1)
    found = compute_usage(tally, parse(TABLE))

    assert (found.window, found.effective_limit, found.percent, found.cost) == (100, 80, 50.0, 2.0)


@pytest.mark.parametrize(("used", "window", "limit"), [(200_000, 200_000, 180_000), (200_001, None, None)])
def test_a_window_in_which_more_is_used_than_fits_is_another_one(used, window, limit):
    found = compute_usage(Tally(model="claude-sonnet-4-5", used=used), load_shipped())

    assert (found.used, found.window, found.effective_limit) == (used, window, limit)


def test_the_window_that_a_host_tells_counts_before_ours():
    assert compute_usage(Tally(model="a", window=60), parse(TABLE)).effective_limit == 40


@pytest.mark.parametrize(
    "spent", [{"b": TokenCounts(1)}, {"a": TokenCounts(1, 0, 1)}, {"a": TokenCounts(1), "b": TokenCounts(1)}]
)
def test_a_price_that_is_not_known_is_not_made_up(spent):
    assert compute_usage(Tally(model="a", spent=spent), parse(TABLE)).cost is None


def test_nothing_is_known_of_nothing():
    assert compute_usage(Tally(), parse(TABLE)) == Usage()
    assert Usage().percent is None


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", '{"a": 1}', '{"a": {"window": -1}}', '{"a": {"window": 1.5}}', '{"a": {"price": 1}}',
     '{"a": {"input": NaN}}', '{"a": {"input": true}}'],
)  # fmt: skip
def test_a_table_that_cannot_be_read_is_refused(text):
    with pytest.raises(BadModels):
        parse(text)


def test_the_table_that_is_shipped_can_be_read():
    assert find(load_shipped(), "claude-sonnet-4-5-20250929") == Model(
        window=200_000,
        reserve=20_000,
        prices={"input": 3.0, "output": 15.0, "cache_read": 0.3, "cache_write": 3.75},
    )
    assert find(load_shipped(), "gpt-5.5").prices is None
