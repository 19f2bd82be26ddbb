"""Many agents in one process, and what is left of them."""

from __future__ import annotations

import asyncio
import gc
import signal
from pathlib import Path

import lodger
from kit import (
    Scripts,
    all_events,
    call,
    children,
    descriptors,
    engine_threads,
    eventually,
    result_text,
    results,
    step,
    text,
    threads,
    until,
)


@lodger.tool
async def double(number: int) -> int:
    """Doubles it."""
    await asyncio.sleep(0)
    return number * 2


def test_a_thousand_agents_settle_and_leave_nothing(scripts: Scripts) -> None:
    model = scripts.model(step(call("double", number=21)), step(text("42")))

    async def one() -> str:
        async with await lodger.create_agent(model=model, tools=[double]) as agent:
            return (await agent.prompt("go")).text

    async def many(count: int) -> list[str]:
        return await asyncio.gather(*(one() for _ in range(count)))

    asyncio.run(many(1))
    gc.collect()
    assert eventually(lambda: engine_threads() == 0)
    before = descriptors(), children(), engine_threads()
    assert set(asyncio.run(many(1000))) == {"42"}
    gc.collect()
    assert eventually(lambda: (descriptors(), children(), engine_threads()) == before)


def test_while_they_run_they_share_one_descriptor_and_a_few_threads(scripts: Scripts, tmp_path: Path) -> None:
    go = tmp_path / "go"
    model = scripts.model(step({"type": "wait", "file": str(go)}, text("ok")))

    async def main() -> None:
        first = await lodger.create_agent(model=model)
        turns = [first.prompt("go")]
        await asyncio.sleep(0.05)
        before = descriptors(), threads()
        agents = [await lodger.create_agent(model=model) for _ in range(200)]
        turns += [agent.prompt("go") for agent in agents]
        await asyncio.sleep(0.05)
        await until(lambda: descriptors() == before[0])
        assert threads() - before[1] <= 64, "threads of the pool for blocking work may come and go"
        go.touch()
        assert {result.text for result in await asyncio.gather(*turns)} == {"ok"}
        for agent in [first, *agents]:
            await agent.close()

    asyncio.run(main())


async def test_the_hosts_signals_stay_the_hosts(scripts: Scripts, folder: Path) -> None:
    before = caught()
    model = scripts.model(step(call("run_shell", command="exit 3")), step(text("ok")))
    async with await lodger.create_agent(cwd=folder, model=model, mode="full-auto") as agent:
        events = await all_events(agent.prompt("go"))
        host = [await asyncio.create_subprocess_exec(program) for program in ("true", "false")]
        assert [await process.wait() for process in host] == [0, 1]
    assert "3" in result_text(results(events)[0])
    child = 1 << (signal.SIGCHLD - 1)
    assert caught() & child == before & child


def caught() -> int:
    """Signals for which this process has a handler."""
    status = Path("/proc/self/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("SigCgt")).split()[1], 16)
