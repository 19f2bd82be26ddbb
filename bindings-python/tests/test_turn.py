"""A turn: iterate it, await it, cancel it."""

from __future__ import annotations

import asyncio
import gc
from pathlib import Path

import lodger
import pytest
from kit import Scripts, all_events, delay, repeat, said, step, text, types, until, wait_for_file


async def test_a_prompt_can_be_iterated_to_its_done(scripts: Scripts) -> None:
    async with await lodger.create_agent(model=scripts.model(step(text("Hello, ", "world.")))) as agent:
        events = await all_events(agent.prompt("hi"))
    assert types(events)[:2] == ["user_message", "turn_start"]
    assert types(events)[-1] == "done"
    assert said(events) == "Hello, world."
    assert [event.seq for event in events] == sorted(event.seq for event in events)
    done = events[-1]
    assert isinstance(done, lodger.DoneEvent)
    assert done.reason == "end_turn"


async def test_a_prompt_can_be_awaited(scripts: Scripts) -> None:
    usage = {"inputTokens": 11, "outputTokens": 3}
    async with await lodger.create_agent(model=scripts.model(step(repeat(2000), usage=usage))) as agent:
        result = await agent.prompt("hi")
    assert result.reason == "end_turn"
    assert result.text == "word " * 2000
    assert (result.usage.input_tokens, result.usage.output_tokens) == (11, 3)
    assert result.usage.cache_read_tokens is None


async def test_the_result_can_be_had_after_iterating_and_again(scripts: Scripts) -> None:
    async with await lodger.create_agent(model=scripts.model(step(text("done")))) as agent:
        turn = agent.prompt("hi")
        await all_events(turn)
        assert (await turn).text == (await turn).text == (await turn.result()).text == "done"


async def test_result_claims_no_reader(scripts: Scripts) -> None:
    async with await lodger.create_agent(model=scripts.model(step(repeat(1000)))) as agent:
        turn = agent.prompt("hi")
        waiting = asyncio.create_task(turn.result())
        await asyncio.sleep(0.05)
        assert not waiting.done(), "more than the queue holds lies unread"
        events = await all_events(turn)
        assert said(events) == "word " * 1000
        assert (await waiting).reason == "end_turn"


async def test_giving_up_on_result_leaves_the_turn_alone(scripts: Scripts, tmp_path: Path) -> None:
    go = tmp_path / "go"
    async with await lodger.create_agent(model=scripts.model(step(wait_for_file(go), text("ok")))) as agent:
        turn = agent.prompt("hi")
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(turn.result(), 0.05)
        go.touch()
        assert (await turn).reason == "end_turn"


async def test_a_second_reader_is_refused(scripts: Scripts) -> None:
    async with await lodger.create_agent(model=scripts.model(step(text("ok")))) as agent:
        turn = agent.prompt("hi")
        events = aiter(turn)
        with pytest.raises(lodger.LodgerError) as raised:
            aiter(turn)
        assert raised.value.code == "reader_busy"
        assert [event.type async for event in events][-1] == "done"


async def test_awaiting_while_another_task_reads_waits_for_the_end(scripts: Scripts) -> None:
    async with await lodger.create_agent(model=scripts.model(step(repeat(1000)))) as agent:
        turn = agent.prompt("hi")
        reading = asyncio.create_task(all_events(turn))
        await asyncio.sleep(0)
        assert (await turn).text == said(await reading)


async def test_leaving_the_loop_early_cancels(scripts: Scripts) -> None:
    model = scripts.model(step(repeat(100_000)), after="last")
    async with await lodger.create_agent(model=model) as agent:
        turn = agent.prompt("hi")
        async for event in turn:
            if event.type == "text_delta":
                break
        result = await asyncio.wait_for(turn.result(), 60)
        assert result.reason == "cancelled"
        assert agent.messages()[-1].role == "assistant"


async def test_an_exception_in_the_loop_cancels_even_while_its_traceback_is_kept(scripts: Scripts) -> None:
    async with await lodger.create_agent(model=scripts.model(step(repeat(100_000)))) as agent:
        turn = agent.prompt("hi")

        async def fail() -> None:
            async for _ in turn:
                raise LookupError

        with pytest.raises(LookupError):
            await fail()
        assert (await asyncio.wait_for(turn.result(), 60)).reason == "cancelled"


async def test_cancelling_the_task_that_iterates_cancels(scripts: Scripts, tmp_path: Path) -> None:
    async with await lodger.create_agent(model=scripts.model(step(text("a"), wait_for_file(tmp_path / "no")))) as agent:
        turn = agent.prompt("hi")
        reading = asyncio.create_task(all_events(turn))
        await asyncio.sleep(0.05)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        del reading
        assert (await asyncio.wait_for(turn.result(), 60)).reason == "cancelled"


async def test_cancelling_the_task_that_awaits_cancels(scripts: Scripts, tmp_path: Path) -> None:
    async with await lodger.create_agent(model=scripts.model(step(wait_for_file(tmp_path / "no")))) as agent:
        turn = agent.prompt("hi")
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(turn, 0.05)
        assert (await asyncio.wait_for(turn.result(), 60)).reason == "cancelled"


async def test_a_task_that_was_cancelled_has_ended_when_its_turn_is_settled(scripts: Scripts, tmp_path: Path) -> None:
    model = scripts.model(step(text("a"), wait_for_file(tmp_path / "no")), after="last")
    async with await lodger.create_agent(model=model) as agent:
        for _ in range(20):
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(agent.prompt("hi"), 0.01)
            assert agent.interrupt() is False


async def test_giving_up_on_one_event_cancels_nothing_and_loses_nothing(scripts: Scripts, tmp_path: Path) -> None:
    go = tmp_path / "go"
    model = scripts.model(step(text("before "), wait_for_file(go), text("after")))
    async with await lodger.create_agent(model=model) as agent:
        events = aiter(agent.prompt("hi"))
        seen: list[lodger.Event] = []
        timeouts = 0
        while not seen or seen[-1].type != "done":
            try:
                seen.append(await asyncio.wait_for(anext(events), 0.01))
            except asyncio.TimeoutError:
                timeouts += 1
                if timeouts == 5:
                    go.touch()
    assert timeouts >= 5
    assert said(seen) == "before after"


async def test_cancel_ends_the_turn_and_may_be_repeated(scripts: Scripts, tmp_path: Path) -> None:
    go = tmp_path / "go"
    async with await lodger.create_agent(
        model=scripts.model(step(wait_for_file(go), text("ok")), after="last")
    ) as agent:
        turn = agent.prompt("hi")
        turn.cancel()
        turn.cancel()
        assert (await turn).reason == "cancelled"
        turn.cancel()
        go.touch()
        assert (await agent.prompt("go on")).reason == "end_turn"


async def test_interrupt_ends_the_running_turn(scripts: Scripts, tmp_path: Path) -> None:
    async with await lodger.create_agent(model=scripts.model(step(wait_for_file(tmp_path / "no")))) as agent:
        assert agent.interrupt() is False
        turn = agent.prompt("hi")
        assert agent.interrupt() is True
        assert (await turn).reason == "cancelled"
        assert agent.interrupt() is False


async def test_stream_settles_before_its_block_is_left(scripts: Scripts) -> None:
    model = scripts.model(step(repeat(100_000)), after="last")
    async with await lodger.create_agent(model=model) as agent:
        async with agent.stream("hi") as events:
            async for event in events:
                if event.type == "text_delta":
                    break
        # Settled: the next prompt is accepted at once.
        assert (await events.turn).reason == "cancelled"
        agent.prompt("again").cancel()


async def test_stream_read_to_its_end_has_the_result(scripts: Scripts) -> None:
    async with await lodger.create_agent(model=scripts.model(step(text("ok")))) as agent:
        async with agent.stream("hi") as events:
            assert said([event async for event in events]) == "ok"
        assert (await events.turn).reason == "end_turn"


async def test_a_second_prompt_is_refused_while_one_runs(scripts: Scripts, tmp_path: Path) -> None:
    async with await lodger.create_agent(model=scripts.model(step(wait_for_file(tmp_path / "no")))) as agent:
        turn = agent.prompt("hi")
        with pytest.raises(lodger.SessionError) as raised:
            agent.prompt("hi")
        assert (raised.value.code, raised.value.retryable) == ("session_busy", True)
        turn.cancel()


async def test_a_failed_turn_raises_with_its_partial_result(scripts: Scripts) -> None:
    fault = {"type": "error", "code": "provider_rejected", "message": "no such model", "afterParts": 1}
    async with await lodger.create_agent(model=scripts.model(step(text("so far"), fault=fault))) as agent:
        turn = agent.prompt("hi")
        with pytest.raises(lodger.ProviderError, match="no such model") as raised:
            await turn
        assert raised.value.code == "provider_rejected"
        assert raised.value.result is not None
        assert raised.value.result.text == "so far"
        with pytest.raises(lodger.ProviderError):
            await turn.result()


async def test_iterating_a_failed_turn_does_not_raise(scripts: Scripts) -> None:
    fault = {"type": "error", "code": "provider_auth", "message": "who are you"}
    async with await lodger.create_agent(model=scripts.model(step(fault=fault))) as agent:
        done = (await all_events(agent.prompt("hi")))[-1]
    assert isinstance(done, lodger.DoneEvent)
    assert done.error is not None
    assert (done.reason, done.error.code) == ("error", "provider_auth")


async def test_a_panic_in_the_engine_is_an_error_of_the_turn(scripts: Scripts) -> None:
    async with await lodger.create_agent(model=scripts.model(step(fault={"type": "panic"}))) as agent:
        with pytest.raises(lodger.LodgerError) as raised:
            await agent.prompt("hi")
        assert raised.value.code == "internal_panic"


async def test_a_turn_keeps_its_agent_alive(scripts: Scripts) -> None:
    turn = (await lodger.create_agent(model=scripts.model(step(delay(20), text("still here"))))).prompt("hi")
    gc.collect()
    assert (await turn).text == "still here"


async def test_dropping_an_agent_with_a_running_turn_warns_and_cancels(scripts: Scripts, tmp_path: Path) -> None:
    agent = await lodger.create_agent(model=scripts.model(step(wait_for_file(tmp_path / "no"))))
    running = agent.prompt("hi")._running
    with pytest.warns(ResourceWarning, match="while its turn was running"):
        del agent
    await until(lambda: running.has_ended)
    assert (await running.result()).reason == "cancelled"


async def test_a_turn_that_nobody_holds_runs_on(scripts: Scripts) -> None:
    async with await lodger.create_agent(model=scripts.model(step(text("said")))) as agent:
        agent.prompt("hi")
        gc.collect()
        await until(lambda: agent.messages()[-1].role == "assistant")
        await until(lambda: not agent.interrupt())


async def test_two_tasks_that_wait_for_the_same_event_are_an_error_for_the_second(
    scripts: Scripts, tmp_path: Path
) -> None:
    async with await lodger.create_agent(model=scripts.model(step(wait_for_file(tmp_path / "no")))) as agent:
        events = aiter(agent.prompt("hi"))
        first = asyncio.ensure_future(anext(events))
        while not first.done() or first.result().type != "turn_start":
            if first.done():
                first = asyncio.ensure_future(anext(events))
            await asyncio.sleep(0)
        first = asyncio.ensure_future(anext(events))
        await asyncio.sleep(0.02)
        with pytest.raises(lodger.LodgerError) as raised:
            await anext(events)
        assert raised.value.code == "reader_busy"
        first.cancel()
        await events.aclose()
