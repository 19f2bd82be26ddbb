"""The flow of events: nothing starves, nothing is lost, a reader that stops stops the source."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import lodger
from kit import Scripts, call, mock_model, repeat, said, step, text, until
from lodger import _native

DELTAS = 20_000


async def test_a_long_stream_arrives_whole_and_does_not_starve_timers(scripts: Scripts) -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.001)
            ticks += 1

    ticking = asyncio.create_task(tick())
    async with await lodger.create_agent(model=scripts.model(step(repeat(DELTAS)))) as agent:
        turn = agent.prompt("hi")
        # The queue is full whenever the reader comes back: it never has to wait for the next batch.
        batches = 0
        told = []
        async for event in turn:
            told.append(event)
            if len(told) % 256 == 0:
                batches += 1
                time.sleep(0.002)  # noqa: ASYNC251  Holds the loop on purpose.
    ticking.cancel()
    assert said(told) == "word " * DELTAS
    assert ticks >= batches // 4


async def test_a_request_is_served_while_another_turn_streams_at_full_speed(scripts: Scripts, folder: Path) -> None:
    served = asyncio.Event()

    async def ask(request: lodger.PermissionRequest) -> lodger.PermissionAnswer:
        served.set()
        return {"kind": "allow_once"}

    # More than anybody reads: only the request ends it.
    streaming = await lodger.create_agent(model=scripts.model(step(repeat(100 * DELTAS))))
    model = scripts.model(step(call("write_file", path="a.txt", content="a")), step(text("ok")))
    asking = await lodger.create_agent(cwd=folder, model=model, on_permission=ask)
    async with streaming, asking:
        stream = streaming.prompt("hi")
        turn = asking.prompt("go")
        async for event in stream:
            last = event.type
            if served.is_set():
                break
        assert last != "done"
        await turn


async def test_a_request_reaches_its_handler_while_ten_thousand_deltas_lie_unread(
    scripts: Scripts, folder: Path
) -> None:
    unread = 0

    def deltas(turn: _native.Turn) -> int:
        return (turn.drain(10_000) or "").count('"text_delta"')

    async def ask(request: lodger.PermissionRequest) -> lodger.PermissionAnswer:
        nonlocal unread
        unread = sum(map(deltas, turns))
        return {"kind": "allow_once"}

    stream = scripts.model(step(repeat(DELTAS)))
    streaming = [await lodger.create_agent(model=stream) for _ in range(40)]
    # Their own lanes say when they stand on a full queue; no hub takes that away.
    turns = [agent._native.prompt('"hi"') for agent in streaming]
    for turn in turns:
        await until(lambda turn=turn: "stalled" in (turn.take_lane() or ""))  # type: ignore[misc]

    model = scripts.model(step(call("write_file", path="a.txt", content="a")), step(text("ok")))
    async with await lodger.create_agent(cwd=folder, model=model, on_permission=ask) as asking:
        assert (await asyncio.wait_for(asking.prompt("go"), 60)).text == "ok"
    assert unread > 10_000
    for agent in streaming:
        await agent.close()


async def test_a_reader_that_stops_stops_the_source_and_loses_nothing(scripts: Scripts) -> None:
    # More than the sockets of both sides can hold.
    word, count = "x" * 4000, 5_000
    with mock_model(scripts.write(step(repeat(count, word)))) as mock:
        async with await lodger.create_agent(**mock.options) as agent:
            events = aiter(agent.prompt("hi"))
            length = 0
            while length == 0:
                event = await anext(events)
                if isinstance(event, lodger.TextDeltaEvent):
                    length += len(event.text)

            before, written = -1, await asyncio.to_thread(mock.bytes_of_replies)
            while written != before:
                await asyncio.sleep(0.3)
                before, written = written, await asyncio.to_thread(mock.bytes_of_replies)
            assert written < count * len(word) / 2, "the source went on although nobody read"

            async for event in events:
                if isinstance(event, lodger.TextDeltaEvent):
                    length += len(event.text)
            assert length == count * len(word)


async def test_memory_stays_bounded_while_nobody_reads(scripts: Scripts) -> None:
    async with await lodger.create_agent(model=scripts.model(step(repeat(5_000_000, "y" * 1000)))) as agent:
        turn = agent.prompt("hi")
        await asyncio.sleep(0.2)
        before = resident()
        await asyncio.sleep(0.5)
        assert resident() - before < 8 * 1024 * 1024
        turn.cancel()
        await turn


def resident() -> int:
    """Bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096
