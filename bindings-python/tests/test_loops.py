"""Event loops of any kind, and what is left when one is closed."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import lodger
import pytest
import trio
import uvloop
from kit import Scripts, all_events, call, eventually, repeat, said, step, text, wait_for_file
from lodger import sync
from lodger._hub import hub_of


class NoReaders(asyncio.SelectorEventLoop):
    """A loop that, like the one of Windows, can receive from sockets but not watch descriptors."""

    def add_reader(self, *_: Any) -> None:  # type: ignore[override]
        raise NotImplementedError


LOOPS: list[Callable[[], asyncio.AbstractEventLoop]] = [asyncio.new_event_loop, uvloop.new_event_loop, NoReaders]


def run(loop: asyncio.AbstractEventLoop, work: Any) -> Any:
    """What `asyncio.run` does, on this loop."""
    try:
        return loop.run_until_complete(work)
    finally:
        loop.run_until_complete(cancel_all())
        loop.close()


async def cancel_all() -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


@pytest.mark.parametrize("new_loop", LOOPS)
def test_every_loop_streams_asks_and_calls_tools(scripts: Scripts, folder: Path, new_loop: Any) -> None:
    @lodger.tool
    async def double(number: int) -> int:
        """Doubles it."""
        return number * 2

    async def ask(request: lodger.PermissionRequest) -> lodger.PermissionAnswer:
        return {"kind": "allow_once"}

    async def main() -> None:
        write = call("write_file", path="a.txt", content="a")
        expect = {"toolResults": [{"contains": "42"}, {"isError": False}]}
        model = scripts.model(step(repeat(2000), call("double", number=21), write), step(text("ok"), expect=expect))
        async with await lodger.create_agent(
            cwd=folder,
            model=model,
            tools=[double],
            on_permission=ask,
            on_diagnostic=lambda told: heard.append(told.type),
        ) as agent:
            assert (await agent.prompt("go")).text == "ok"
        assert (folder / "a.txt").exists()

    heard: list[str] = []
    run(new_loop(), main())
    # How fast the reader is, is its own matter.
    told = [kind for kind in heard if kind != "output.backpressure"]
    assert told == ["runtime.start", "runtime.ready", "permission.request", "permission.decision", "runtime.exit"]


@pytest.mark.parametrize("new_loop", LOOPS)
def test_a_cleanup_after_the_end_of_run_still_closes(scripts: Scripts, tmp_path: Path, new_loop: Any) -> None:
    ended: list[str] = []

    async def main() -> None:
        async def work() -> None:
            agent = await lodger.create_agent(model=scripts.model(step(wait_for_file(tmp_path / "no"))))
            try:
                await agent.prompt("hi")
            finally:
                await agent.close()
                ended.append("closed")

        asyncio.get_running_loop().create_task(work())
        await asyncio.sleep(0.05)

    run(new_loop(), main())
    assert ended == ["closed"]


@pytest.mark.parametrize("new_loop", LOOPS[:2])
def test_closing_a_loop_frees_its_hub_and_cancels_without_the_collector(
    scripts: Scripts, tmp_path: Path, new_loop: Any
) -> None:
    async def main() -> tuple[weakref.ref[Any], int, lodger.Agent]:
        agent = await lodger.create_agent(model=scripts.model(step(wait_for_file(tmp_path / "no"))))
        agent.prompt("hi")
        await asyncio.sleep(0.02)
        hub = hub_of(asyncio.get_running_loop())
        return weakref.ref(hub), hub.mailbox.fileno(), agent

    gc.collect()
    gc.disable()
    try:
        loop = new_loop()
        hub, descriptor, agent = loop.run_until_complete(main())
        assert hub() is not None
        assert os.path.exists(f"/proc/self/fd/{descriptor}")
        loop.close()
        assert hub() is None
        assert not os.path.exists(f"/proc/self/fd/{descriptor}")
        assert eventually(lambda: not agent.interrupt()), "its turn was cancelled"
    finally:
        gc.enable()

    asyncio.run(agent.close())


def test_one_agent_can_be_used_on_one_loop_after_another(scripts: Scripts) -> None:
    async def create() -> lodger.Agent:
        return await lodger.create_agent(model=scripts.model(step(text("one")), step(text("two"))))

    async def ask(agent: lodger.Agent) -> str:
        return (await agent.prompt("hi")).text

    agent = asyncio.run(create())
    assert [asyncio.run(ask(agent)), asyncio.run(ask(agent))] == ["one", "two"]
    asyncio.run(agent.close())


def test_a_turn_is_used_on_its_own_loop_only(scripts: Scripts, tmp_path: Path) -> None:
    async def main() -> None:
        async with await lodger.create_agent(model=scripts.model(step(wait_for_file(tmp_path / "no")))) as agent:
            turn = agent.prompt("hi")

            async def elsewhere() -> None:
                with pytest.raises(lodger.LodgerError) as raised:
                    await turn.result()
                assert raised.value.code == "unsupported"

            await asyncio.to_thread(asyncio.run, elsewhere())

    asyncio.run(main())


def test_loops_of_several_threads_run_side_by_side(scripts: Scripts) -> None:
    model = scripts.model(step(repeat(3000)))
    lengths: list[int] = []

    async def main() -> None:
        async with await lodger.create_agent(model=model) as agent:
            lengths.append(len((await agent.prompt("hi")).text))

    running = [threading.Thread(target=asyncio.run, args=[main()]) for _ in range(8)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    assert lengths == [15_000] * 8


async def test_prompting_needs_a_running_loop(scripts: Scripts) -> None:
    async with await lodger.create_agent(model=scripts.model(step(text("ok")))) as agent:
        with pytest.raises(lodger.LodgerError, match=r"use lodger\.sync") as raised:
            await asyncio.to_thread(agent.prompt, "hi")
        assert raised.value.code == "unsupported"


def test_anyio_on_asyncio_is_as_good_as_asyncio(scripts: Scripts, folder: Path) -> None:
    @lodger.tool
    async def double(number: int) -> int:
        """Doubles it."""
        await anyio.lowlevel.checkpoint()
        return number * 2

    async def ask(request: lodger.PermissionRequest) -> lodger.PermissionAnswer:
        await anyio.lowlevel.checkpoint()
        return {"kind": "allow_once"}

    texts: list[str] = []

    async def one(name: str) -> None:
        write = call("write_file", path=name, content="a")
        model = scripts.model(step(repeat(2000), call("double", number=21), write), step(text("ok")))
        async with await lodger.create_agent(cwd=folder, model=model, tools=[double], on_permission=ask) as agent:
            texts.append(said(await all_events(agent.prompt("go"))))

    async def main() -> None:
        async with anyio.create_task_group() as group:
            for name in ("a.txt", "b.txt", "c.txt"):
                group.start_soon(one, name)

    anyio.run(main)
    assert texts == ["word " * 2000 + "ok"] * 3
    assert {file.name for file in folder.iterdir()} == {"a.txt", "b.txt", "c.txt"}


def test_a_scope_of_anyio_that_is_cancelled_is_left_when_the_turn_is_settled(scripts: Scripts, tmp_path: Path) -> None:
    model = scripts.model(step(text("a"), wait_for_file(tmp_path / "no")), after="last")

    async def main() -> None:
        async with await lodger.create_agent(model=model) as agent:
            # Unlike asyncio, anyio cancels its tasks again and again.
            for _ in range(20):
                with anyio.move_on_after(0.01):
                    await agent.prompt("hi")
                assert agent.interrupt() is False
                with anyio.move_on_after(0.01):
                    async with agent.stream("hi") as events:
                        async for _ in events:
                            pass
                assert agent.interrupt() is False

    anyio.run(main)


def test_trio_is_told_what_to_do_and_does_it(scripts: Scripts) -> None:
    @lodger.tool
    def double(number: int) -> int:
        """Doubles it."""

        async def on_the_loop() -> int:
            await trio.lowlevel.checkpoint()
            return number * 2

        return trio.from_thread.run(on_the_loop)

    expect = {"toolResults": [{"contains": "42"}]}
    model = scripts.model(step(call("double", number=21)), step(text("ok"), expect=expect))

    def read() -> str:
        with sync.create_agent(model=model, tools=[double]) as agent:
            return agent.prompt("go").result().text

    async def main() -> None:
        with pytest.raises(lodger.LodgerError, match=r"trio\.to_thread\.run_sync") as raised:
            await lodger.create_agent(model=model)
        assert raised.value.code == "unsupported"
        assert await trio.to_thread.run_sync(read) == "ok"

    trio.run(main)


def test_a_scope_of_trio_that_is_cancelled_cancels_the_turn(scripts: Scripts) -> None:
    model = scripts.model(step(repeat(10_000_000)), after="last")
    agent = sync.create_agent(model=model)
    kept: list[sync.Turn] = []

    async def seen(event: lodger.Event) -> None:
        await trio.lowlevel.checkpoint()

    def read() -> None:
        kept.append(agent.prompt("go"))
        for event in kept[0]:
            trio.from_thread.run(seen, event)

    async def main() -> None:
        with trio.move_on_after(0.05) as scope:
            await trio.to_thread.run_sync(read)
        assert scope.cancelled_caught

    trio.run(main)
    assert kept[0].result().reason == "cancelled"
    agent.close()
