"""Many prompts in one process: memory, handles and threads stay flat. A hundred thousand of them under LODGER_DEEP."""

from __future__ import annotations

import asyncio
import gc
import os
from pathlib import Path

import lodger
from kit import Scripts, call, children, descriptors, eventually, repeat, step, text, threads
from lodger import sync

PROMPTS = 100_000 if os.environ.get("LODGER_DEEP") else 2_000
#: Prompts that an agent lives for.
EACH = 10
#: What the allocators of Rust and Python may keep to themselves.
SLACK = 24 * 1024 * 1024


def resident() -> int:
    """Bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@lodger.tool
def double(number: int) -> int:
    """Doubles it."""
    return number * 2


async def with_a_loop(model: str, prompts: int) -> None:
    async def work(prompts: int) -> None:
        for _ in range(prompts // EACH):
            async with await lodger.create_agent(model=model, tools=[double]) as agent:
                for _ in range(EACH - 1):
                    assert (await agent.prompt("go")).text == "42"
                async for _ in agent.prompt("leave early"):
                    break

    await asyncio.gather(*(work(prompts // 8) for _ in range(8)))


def without_one(model: str, prompts: int) -> None:
    for _ in range(prompts // EACH):
        with sync.create_agent(model=model, tools=[double]) as agent:
            for _ in range(EACH - 1):
                assert agent.prompt("go").result().text == "42"
            for _ in agent.prompt("leave early"):
                break


def test_many_prompts_leave_nothing_behind(scripts: Scripts) -> None:
    reply = [step(repeat(20), call("double", number=21)), step(text("42"))]
    model = scripts.model(*reply * EACH)

    def run(prompts: int) -> None:
        asyncio.run(with_a_loop(model, prompts // 2))
        without_one(model, prompts // 2)
        gc.collect()

    before = threads()
    run(PROMPTS // 4)
    # What the last agent leaves goes in the background.
    assert eventually(lambda: threads() <= before)
    handles, memory = (descriptors(), children()), resident()
    run(PROMPTS)
    assert eventually(lambda: (descriptors(), children()) == handles)
    assert eventually(lambda: threads() <= before)
    assert resident() - memory < SLACK
