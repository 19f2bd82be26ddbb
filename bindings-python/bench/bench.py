"""What Lodger costs in Python: `python bench.py JOB BASE_URL` prints one JSON object. See tests/bench/run."""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

LOADING = time.perf_counter()
import lodger  # noqa: E402

# Loads what `import` alone leaves for later.
create_agent = lodger.create_agent
LOADED = time.perf_counter() - LOADING
TIMES = 60
LARGE_TURNS = 10
JOB, BASE_URL = sys.argv[1:]


@lodger.tool
async def echo(text: str) -> str:
    """Says it again"""
    return text


async def make() -> lodger.Agent:
    return await create_agent(
        model="anthropic/bench",
        endpoint={"kind": "anthropic", "base_url": BASE_URL},
        auth={"api_key": "bench"},
        # Enough for the results of `large`.
        limits={"max_tool_output_bytes": 1024 * 1024},
        tools=[echo],
    )


async def turn(agent: lodger.Agent, on_text: Callable[[], object] = lambda: None) -> int:
    """One turn to its end; returns how many replies it had."""
    replies = 0
    async for event in agent.prompt("Go"):
        if event.type == "text_delta":
            on_text()
        elif event.type == "assistant_message":
            replies += 1
        elif event.type == "done" and event.error is not None:
            raise RuntimeError(event.error.message)
    return replies


def pss_kib() -> int:
    found = re.search(r"^Pss:\s+(\d+)", Path("/proc/self/smaps_rollup").read_text(), re.MULTILINE)
    assert found
    return int(found[1])


async def times(count: int, one: Callable[[], Awaitable[float]]) -> dict[str, object]:
    return {"us": [await one() * 1e6 for _ in range(count)]}


async def create() -> float:
    began = time.perf_counter()
    await make()
    return time.perf_counter() - began


async def warm() -> float:
    agent = await make()
    first: list[float] = []
    began = time.perf_counter()
    await turn(agent, lambda: first.append(time.perf_counter() - began))
    return first[0]


async def rounds() -> float:
    agent = await make()
    began = time.perf_counter()
    count = await turn(agent)
    return (time.perf_counter() - began) / count


async def stream() -> float:
    agent = await make()
    began = time.perf_counter()
    deltas = 0
    async for event in agent.prompt("Go"):
        deltas += event.type == "text_delta"
    assert deltas == 20_000, deltas
    return time.perf_counter() - began


async def ended(by_cancel: bool) -> float:
    """From `cancel` in mid-stream to the end of the turn; or from `close` to its return."""
    agent = await make()
    began = 0.0
    async with agent.stream("Go") as events:
        async for event in events:
            if event.type != "text_delta":
                continue
            began = time.perf_counter()
            if not by_cancel:
                await agent.close()
                return time.perf_counter() - began
            agent.interrupt()
    return time.perf_counter() - began


async def load() -> None:
    agents = [await make() for _ in range(100)]
    await asyncio.gather(*(turn(agent) for agent in agents))


async def large() -> None:
    for _ in range(LARGE_TURNS):
        await turn(await make())


async def cost(times: int, work: Awaitable[None]) -> dict[str, object]:
    """Wall and processor time of each of the `times` that `work` does the same."""
    cpu, began = time.process_time(), time.perf_counter()
    await work
    wall, used = time.perf_counter() - began, time.process_time() - cpu
    return {"wallMs": wall * 1e3 / times, "cpuMs": used * 1e3 / times}


async def run() -> dict[str, object]:
    if JOB == "first-text":
        await turn(await make(), lambda: print("first", flush=True))
        return {}
    # One agent stays, so that the shared runtime and its connections do.
    kept = await make()
    if JOB in ("warm", "load", "large", "idle"):
        await turn(kept)
    if JOB == "load_library":
        return {"us": [LOADED * 1e6]}
    if JOB == "load":
        return await cost(1, load())
    if JOB == "large":
        return await cost(LARGE_TURNS, large())
    if JOB == "idle":
        before, agents = pss_kib(), []
        for _ in range(1000):
            agents.append(await make())
            await turn(agents[-1])
        return {"kibPerAgent": (pss_kib() - before) / len(agents)}
    if JOB == "stream":
        return await times(TIMES // 6, stream)
    if JOB in ("cancel", "close"):
        return await times(TIMES, lambda: ended(JOB == "cancel"))
    return await times(TIMES, {"create": create, "warm": warm, "rounds": rounds}[JOB])


print(json.dumps(asyncio.run(run())))
