"""Test aborted, slow, parallel and streamed turns: each ends properly, with all its events."""

import asyncio
import threading
import time
from contextlib import aclosing

import pytest
from tests.loop.scripted_turn import Played, calls, says

from hookline import PreToolUse, SessionEnd, SessionStart, ask, block, hook, inject
from hookline.core.values import replace
from hookline.loop import Answer, Called, Calling, Done, Piece, Tool

LONG = 60.0


async def in_session(played, work):
    async with played.agent:
        return await work


def aborting(played, when):
    """Run a turn, abort it as soon as *when* is true for a reported update, and return its result."""

    def tell(told):
        played.told.append(told)
        if when(told):
            played.agent.abort("enough")

    return asyncio.run(in_session(played, played.agent.run("please", tell)))


def begins(told):
    return isinstance(told, Calling)


async def slowly():
    await asyncio.sleep(LONG)


def held_up():
    threading.Event().wait(LONG)


@pytest.mark.parametrize("run", [slowly, held_up])
def test_a_tool_that_runs_is_aborted_and_has_its_end(run):
    played = Played([calls("slow"), says("hi")], {}, [Tool(name="slow", run=run)])
    done = aborting(played, begins)

    assert (done.ended, done.reason) == ("aborted", "enough")
    assert played.order[5:] == ["PreToolUse slow", "PostToolUse slow", "OnError slow", "SessionEnd"]
    assert played.one("PostToolUse").error == "aborted"


def test_every_call_has_a_result_after_an_abort_so_that_the_conversation_can_go_on():
    played = Played([calls("slow", "look", "slow"), says("again")], {}, [Tool(name="slow", run=slowly)])

    async def session():
        async with played.agent:
            first = await played.agent.run("please", lambda told: begins(told) and played.agent.abort())
            return first, await played.agent.run("go on")

    first, second = asyncio.run(session())
    results = [message["call"] for message in played.agent.messages if message["role"] == "tool"]

    assert (first.ended, second.ended, second.text) == ("aborted", "done", "again")
    assert results == ["c0", "c1", "c2"]
    assert [role for role, _ in played.read] == ["user", "assistant", "tool", "tool", "tool", "user"]


def test_a_model_that_thinks_is_aborted():
    played = Played()

    async def model(request):
        played.agent.abort("enough")
        await asyncio.sleep(LONG)

    played.agent.model = model
    (done,) = played.run("please")

    assert done.ended == "aborted"
    assert played.order[-2:] == ["PreModelCall", "SessionEnd"]


def test_an_abort_from_another_thread_arrives():
    played = Played([calls("slow")], {}, [Tool(name="slow", run=held_up)])
    asked = threading.Thread(target=lambda: (time.sleep(0.05), played.agent.abort("enough")))
    asked.start()
    (done,) = played.run("please")
    asked.join()

    assert done.ended == "aborted"


@pytest.mark.parametrize(
    ("verdict", "after"),
    [(block("no"), []), (ask("sure?"), []), (None, ["PostToolUse look", "OnError look"])],
)
def test_an_abort_while_a_hook_judges_waits_for_its_verdict(verdict, after):
    played = Played([calls("look")], {"PreToolUse": [verdict]})
    judging = threading.Event()

    @played.runtime.register
    @hook(priority=90, nature="observer")
    def slow(event: PreToolUse, state):
        judging.set()
        time.sleep(0.1)

    async def session():
        async with played.agent:
            turn = asyncio.ensure_future(played.agent.run("please"))
            await asyncio.to_thread(judging.wait)
            played.agent.abort("enough")
            return await turn

    done = asyncio.run(session())

    assert done.ended == "aborted"
    assert played.order[5:] == ["PreToolUse look", *after, "SessionEnd"]


def test_a_turn_that_is_cancelled_from_outside_ends_its_tools_and_is_cancelled():
    played, begun = Played([calls("slow")], {}, [Tool(name="slow", run=slowly)]), asyncio.Event()

    async def session():
        async with played.agent:
            turn = asyncio.ensure_future(played.agent.run("please", lambda told: begun.set()))
            await begun.wait()
            turn.cancel()
            with pytest.raises(asyncio.CancelledError):
                await turn

    asyncio.run(session())

    assert played.order[-4:] == ["PreToolUse slow", "PostToolUse slow", "OnError slow", "SessionEnd"]


def test_an_abort_that_comes_too_late_is_none():
    played = Played([says("hi"), says("again")])

    async def session():
        async with played.agent:
            first = await played.agent.run("please")
            played.agent.abort()
            return first, await played.agent.run("go on")

    assert [done.ended for done in asyncio.run(session())] == ["done", "done"]


def test_a_helper_that_runs_is_aborted_with_its_parent():
    played = Played([calls("research", prompt="x")])

    async def model(request):
        played.agent.abort("enough")
        await asyncio.sleep(LONG)

    played.agent.helper("research", "Find out.", model=model)
    (done,) = played.run("please")

    assert done.ended == "aborted"
    assert played.order[6:] == [
        "SubagentStart of research",
        "PreModelCall of research",
        "SubagentStop of research",
        "PostToolUse research",
        "OnError research",
        "SessionEnd",
    ]


@pytest.mark.parametrize("run", [slowly, held_up])
def test_a_tool_that_takes_too_long_has_failed_and_the_turn_goes_on(run):
    played = Played([calls("slow"), says("hi")], {}, [Tool(name="slow", run=run, seconds=0.05)])
    (done,) = played.run("please")

    assert done.text == "hi"
    assert played.read[-1] == ("tool", "no result within 0.05 s")
    assert played.order[5:8] == ["PreToolUse slow", "PostToolUse slow", "OnError slow"]


def test_a_tools_own_timeout_is_its_own():
    def late():
        raise TimeoutError("the server is slow")

    played = Played([calls("late"), says("hi")], {}, [late])
    played.run("please")

    assert played.read[-1] == ("tool", "TimeoutError: the server is slow")


@pytest.mark.parametrize("wait", [slowly, held_up])
def test_a_model_that_takes_too_long_has_failed(wait):
    played = Played(model_seconds=0.05)
    played.agent.model = lambda request: wait()
    (done,) = played.run("please")

    assert (done.ended, done.reason) == ("error", "the model failed: no answer within 0.05 s")
    assert played.one("OnError").error == done.reason


@pytest.mark.parametrize("wrong", [ValueError("down"), StopIteration("odd"), SystemExit(3)])
def test_whatever_a_model_raises_ends_the_turn_and_not_the_program(wrong):
    def model(request):
        raise wrong

    played = Played()
    played.agent.model = model
    (done, again) = played.run("please", "once more")

    assert (done.ended, again.ended) == ("error", "error")
    assert type(wrong).__name__ in done.reason


@pytest.mark.parametrize("sort", ["async", "plain"])
def test_calls_at_once_really_run_at_once(sort):
    many = 20
    there, everyone = threading.Barrier(many), asyncio.Barrier(many)

    def plain():
        there.wait(LONG)
        return "met"

    async def waiting():
        await everyone.wait()
        return "met"

    meet = Tool(name="meet", run=plain if sort == "plain" else waiting)
    played = Played([calls(*["meet"] * many), says("hi")], {}, [meet])
    played.run("please")

    assert played.read[-many:] == [("tool", "met")] * many


def test_results_stand_in_the_order_of_the_calls_whoever_ends_first():
    told, heard = threading.Event(), []

    def tell(one):
        heard.append(one)
        if isinstance(one, Called):
            told.set()

    slow = Tool(name="slow", run=lambda: told.wait(LONG) and "slow")
    played = Played([calls("slow", "look"), says("hi")], {}, [slow])
    asyncio.run(in_session(played, played.agent.run("please", tell)))

    assert [one.text for one in heard if isinstance(one, Called)] == ["seen", "slow"]
    assert played.read[-2:] == [("tool", "slow"), ("tool", "seen")]


WORDS = ("one ", "two ", "three")


def plain_pieces(request):
    yield from WORDS


async def async_pieces(request):
    for word in WORDS:
        await asyncio.sleep(0)
        yield word


def with_an_answer(request):
    yield from WORDS
    yield Answer(usage={"output": 3}, model="m")


async def later(request):
    return async_pieces(request)


class Callable:
    async def __call__(self, request):
        return says("".join(WORDS))


@pytest.mark.parametrize("model", [plain_pieces, async_pieces, with_an_answer, later])
def test_words_come_piece_by_piece_and_in_order(model):
    played = Played()
    played.agent.model = model

    async def session():
        async with played.agent:
            return [told async for told in played.agent.stream("please")]

    told = asyncio.run(session())

    assert told == [*(Piece(text=word) for word in WORDS), Done(ended="done", text="one two three")]
    assert played.one("PostModelCall").response["text"] == "one two three"


@pytest.mark.parametrize("model", [Callable(), lambda request: says("one two three")])
def test_a_model_need_not_stream(model):
    played = Played()
    played.agent.model = model

    assert played.run("please") == [Done(ended="done", text="one two three")]


def test_a_piece_is_told_before_the_next_one_is_there():
    heard = threading.Event()

    def model(request):
        yield "first"
        assert heard.wait(LONG)
        yield "second"

    played = Played()
    played.agent.model = model

    async def session():
        async with played.agent:
            async for told in played.agent.stream("please"):
                if told == Piece(text="first"):
                    heard.set()
            return told

    assert asyncio.run(session()) == Done(ended="done", text="firstsecond")


@pytest.mark.parametrize("sort", ["async", "plain"])
def test_a_stream_that_nobody_follows_any_more_is_closed_with_the_models(sort):
    closed = threading.Event()

    def plain(request):
        try:
            while True:
                yield "more "
                time.sleep(0.001)
        finally:
            closed.set()

    async def waiting(request):
        try:
            while True:
                yield "more "
                await asyncio.sleep(0.001)
        finally:
            closed.set()

    played = Played()
    played.agent.model = plain if sort == "plain" else waiting

    async def session():
        async with played.agent, aclosing(played.agent.stream("please")) as stream:
            async for _ in stream:
                break
        return await asyncio.to_thread(closed.wait, LONG)

    assert asyncio.run(session())
    assert played.order[-1] == "SessionEnd"


def test_a_stream_that_breaks_off_is_a_model_that_failed():
    def model(request):
        yield "half a "
        raise ConnectionError("gone")

    played = Played()
    played.agent.model = model
    (done,) = played.run("please")

    assert (done.ended, done.reason) == ("error", "the model failed: ConnectionError: gone")
    assert [message["role"] for message in played.agent.messages] == ["user"]


def test_the_end_of_a_session_comes_once_whoever_calls():
    played = Played([says("hi")])

    async def session():
        async with played.agent:
            await played.agent.run("please")
            await asyncio.gather(*(played.agent.close() for _ in range(9)))

    asyncio.run(session())

    assert played.order.count("SessionEnd") == 1


def test_it_comes_once_where_a_session_is_closed_while_its_turn_settles():
    played = Played([says("hi")])
    settling, settle = threading.Event(), played.runtime.run_deferred_work

    def slowly():
        settling.set()
        time.sleep(0.2)
        settle()

    async def session():
        played.runtime.run_deferred_work = slowly
        turn = asyncio.create_task(played.agent.run("please"))
        await asyncio.to_thread(settling.wait)
        await played.agent.close("enough")
        return await turn

    done = asyncio.run(session())

    assert done.ended == "done"
    assert played.one("SessionEnd").reason == "enough"


def test_what_is_said_at_the_beginning_stays_said_where_the_first_turn_is_aborted():
    played = Played([says("hi")])
    judging = threading.Event()

    @played.runtime.register
    @hook(name="rules")
    def rules(event: SessionStart, state):
        judging.set()
        time.sleep(0.2)
        return inject("Staging only.")

    async def session():
        async with asyncio.TaskGroup() as together:
            turn = together.create_task(played.agent.run("please"))
            await asyncio.to_thread(judging.wait)
            played.agent.abort()
        return turn.result(), await played.agent.run("again")

    first, second = asyncio.run(session())

    assert (first.ended, second.ended) == ("aborted", "done")
    assert "Staging only." in played.requests[-1].system
    assert played.order.count("SessionStart") == 1


def test_a_hook_at_the_end_of_a_session_cannot_end_it_again():
    played = Played([says("hi")])

    @played.runtime.register
    @hook(name="again")
    async def again(event: SessionEnd, state):
        await played.agent.close()

    played.run("please")

    assert played.order.count("SessionEnd") == 1


def test_a_tool_may_end_the_session_and_the_turn_is_aborted():
    played = Played([calls("leave"), says("never")])

    async def leave():
        await played.agent.close("the tool said so")
        await asyncio.sleep(LONG)

    played.agent.tools["leave"] = Tool(name="leave", run=leave)
    (done,) = played.run("please")

    assert (done.ended, done.reason) == ("aborted", "the session ends")
    assert played.one("SessionEnd").reason == "the tool said so"
    assert played.order[-3:] == ["PostToolUse leave", "OnError leave", "SessionEnd"]


def test_an_agent_that_was_never_asked_has_no_session():
    played = Played()
    asyncio.run(played.agent.close())

    assert played.order == []


def test_an_agent_whose_session_is_over_says_so():
    played = Played([says("hi")])
    played.run("please")

    with pytest.raises(RuntimeError, match="its session has ended"):
        asyncio.run(played.agent.run("please"))


def test_two_turns_at_once_are_refused():
    played = Played([calls("look"), says("hi")])

    async def session():
        async with played.agent:
            return await asyncio.gather(
                played.agent.run("one"), played.agent.run("two"), return_exceptions=True
            )

    done, refused = asyncio.run(session())

    assert done.ended == "done"
    assert str(refused) == "this agent cannot run a turn: another turn is running"


def test_a_thread_that_hangs_does_not_hold_up_the_program():
    slow = Tool(name="slow", run=held_up, seconds=0.01)
    played = Played([replace(calls("slow", "slow")), says("hi")], {}, [slow])
    began = threading.active_count()
    played.run("please")

    assert [thread.daemon for thread in threading.enumerate() if thread.name == "hookline-loop"][:1] == [True]
    assert threading.active_count() >= began
