"""A process that ends while its turns run: `exits.py MODE FOLDER`. Run by test_exit.py.

On a loop: some turns are read, some not, one has a command running, one a tool on a thread, one an open permission.
Without a loop: three are read by threads that nobody joins, one by the main thread. Or threads fail all the time.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import lodger
from lodger import sync

MODE, FOLDER = sys.argv[1], Path(sys.argv[2])


def model(name: str, *reply: dict[str, Any]) -> str:
    path = FOLDER / f"{name}.json"
    path.write_text(json.dumps({"steps": [{"reply": reply}], "after": "last"}))
    return f"scripted/{path}"


@lodger.tool
def slow(context: lodger.ToolContext) -> str:
    """Waits on a thread for longer than this process lives."""
    context.progress("waiting")
    time.sleep(600)
    return "late"


async def never(request: lodger.PermissionRequest) -> lodger.PermissionAnswer:
    await asyncio.sleep(600)
    return {"kind": "allow_once"}


async def read(turn: lodger.Turn) -> None:
    async for _ in turn:
        pass


async def main() -> None:
    stream = model("stream", {"type": "repeat", "text": "word ", "count": 10_000_000})
    tick: list[dict[str, Any]] = [{"type": "delay", "ms": 1}, {"type": "text", "text": "tick "}]
    ticking = model("ticking", *tick * 2000)
    shell = {"type": "tool_call", "toolName": "run_shell", "input": {"command": "sleep 600"}}
    write = {"type": "tool_call", "toolName": "write_file", "input": {"path": "never.txt", "content": "x"}}
    kept: list[Any] = []
    for index in range(6):
        agent = await lodger.create_agent(model=(stream, ticking)[index % 2])
        turn = agent.prompt("go")
        kept.append((agent, turn, asyncio.create_task(read(turn)) if index < 4 else None))
    for name, part, options in (
        ("shell", shell, {"mode": "full-auto", "cwd": FOLDER}),
        ("write", write, {"on_permission": never, "cwd": FOLDER}),
        ("slow", {"type": "tool_call", "toolName": "slow"}, {"tools": [slow]}),
    ):
        agent = await lodger.create_agent(model=model(name, part), **options)
        kept.append((agent, agent.prompt("go")))
    await asyncio.sleep(0.15)
    print("running", flush=True)
    if MODE == "exception":
        raise LookupError("on purpose")
    if MODE == "_exit":
        os._exit(7)
    if MODE == "exit":
        sys.exit(5)
    if MODE == "sigint":
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(600)
    if MODE == "sigint-outside":
        await asyncio.sleep(600)


def read_on_threads() -> None:
    model_name = model("stream", {"type": "repeat", "text": "word ", "count": 10_000_000})
    waiting = model("waiting", {"type": "text", "text": "tick "}, {"type": "delay", "ms": 600_000})
    agents = [sync.create_agent(model=name) for name in (model_name, waiting, model_name, waiting)]
    turns = [agent.prompt("go") for agent in agents]
    for turn in turns[:3]:
        threading.Thread(target=lambda turn=turn: list(turn), daemon=True).start()
    events = iter(turns[3])
    for _ in range(3):
        next(events)
    print("running", flush=True)
    if MODE == "threads-sigint":
        list(events)


def fail_on_threads() -> None:
    agent = sync.create_agent(model=model("stream", {"type": "text", "text": "tick "}))

    def fail() -> None:
        while True:
            with contextlib.suppress(lodger.LodgerError):
                agent.answer("nobody asked", {"kind": "allow_once"})

    for _ in range(3):
        threading.Thread(target=fail, daemon=True).start()
    time.sleep(0.05)
    print("running", flush=True)


if MODE == "threads-failing":
    fail_on_threads()
elif MODE.startswith("threads"):
    read_on_threads()
elif MODE == "open-loop":
    # Neither closed nor cleaned up: what is left is the interpreter's to end.
    loop = asyncio.new_event_loop()
    loop.run_until_complete(main())
else:
    asyncio.run(main())
