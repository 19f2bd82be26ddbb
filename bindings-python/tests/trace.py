"""Plays one golden case: `trace.py [--sync] JOB OUT`. The job is described in tests/golden/README.md.

Plays the host as the job says, on a loop or without one, and writes each event as it came, one JSON a line. Judges
nothing.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

import lodger
from lodger import sync

Job = dict[str, Any]


class Host:
    """What both kinds of host have in common."""

    def __init__(self, job: Job, out: TextIO) -> None:
        self.job = job
        self.out = out
        self.answers = iter(job.get("answers", []))
        cancel = job.get("cancelAfter", {})
        self.cancel_after = cancel.get("type")
        self.left = itertools.count(cancel.get("count", 0) - 1, -1)

    def options(self, on_permission: Callable[..., Any], as_execute: Callable[[Any], Any]) -> dict[str, Any]:
        options = dict(self.job["options"])
        declared = options.pop("tools", [])
        options["tools"] = [host_tool(tool, self.job["tools"][tool["name"]], as_execute) for tool in declared]
        if "answers" in self.job:
            options["on_permission"] = on_permission
        return options

    def got(self, event: lodger.Event, turn: lodger.Turn | sync.Turn) -> None:
        print(json.dumps(event.to_wire(), ensure_ascii=False), file=self.out)
        if event.type == self.cancel_after and next(self.left) == 0:
            turn.cancel()

    def pauses(self) -> itertools.cycle[float]:
        """Seconds to wait after each event."""
        pace = self.job.get("reader", {"max": 1, "delayMs": 0})
        return itertools.cycle([0.0] * (pace["max"] - 1) + [pace["delayMs"] / 1000])


def host_tool(declared: Job, behaviour: Job, as_execute: Callable[[Any], Any]) -> lodger.Tool[..., Any]:
    """A tool that shows its progress and gives the result of the job."""

    def execute(context: lodger.ToolContext, **given: Any) -> lodger.ToolResult:
        for text in behaviour.get("progress", []):
            context.progress(text)
        result = behaviour["result"]
        if "error" in result:
            raise RuntimeError(result["error"])
        return lodger.ToolResult(
            text="".join(block["text"] for block in result["content"] if block["type"] == "text"),
            images=[lodger.Image(b["mimeType"], b["data"]) for b in result["content"] if b["type"] == "image"],
            is_error=result.get("isError", False),
        )

    name, description, schema = declared["name"], declared["description"], declared["inputSchema"]
    more = {"read_only": declared.get("readOnly", False), "timeout_ms": declared.get("timeoutMs")}
    return lodger.Tool(name, description, schema, as_execute(execute), **more)


class AsyncHost(Host):
    """On a loop."""

    agent: lodger.Agent

    async def play(self) -> None:
        self.agent = await lodger.create_agent(**self.options(self.ask, as_coroutine_function))
        async with self.agent:
            turn = self.agent.prompt(self.job["prompt"])
            pauses = self.pauses()
            async for event in turn:
                self.got(event, turn)
                if pause := next(pauses):
                    await asyncio.sleep(pause)

    async def ask(self, request: lodger.PermissionRequest) -> Any:
        answer = next(self.answers)
        if "throw" in answer:
            raise RuntimeError(answer["throw"])
        delay = answer.get("delayMs", 0) / 1000
        if answer.get("from") == "thread":
            threading.Timer(delay, self.agent.answer, [request.request_id, answer["answer"]]).start()
        if answer.get("never") or answer.get("from") == "thread":
            await asyncio.Event().wait()
        await asyncio.sleep(delay)
        return answer["answer"]


def as_coroutine_function(execute: Any) -> Any:
    async def run(context: lodger.ToolContext, **given: Any) -> Any:
        return execute(context, **given)

    return run


class SyncHost(Host):
    """Without a loop."""

    agent: sync.Agent

    def play(self) -> None:
        self.agent = sync.create_agent(**self.options(self.ask, lambda execute: execute))
        with self.agent:
            turn = self.agent.prompt(self.job["prompt"])
            pauses = self.pauses()
            for event in turn:
                self.got(event, turn)
                if pause := next(pauses):
                    time.sleep(pause)

    def ask(self, request: lodger.PermissionRequest) -> Any:
        answer = next(self.answers)
        if "throw" in answer:
            raise RuntimeError(answer["throw"])
        delay = answer.get("delayMs", 0) / 1000
        if answer.get("never"):
            # A plain function cannot be ended from outside: it comes back too late.
            assert request.expires_at is not None
            delay = request.expires_at / 1000 - time.time() + 0.05
        if answer.get("from") == "thread":
            thread = threading.Timer(delay, self.agent.answer, [request.request_id, answer["answer"]])
            thread.start()
            thread.join()
        time.sleep(max(0.0, delay))
        return answer.get("answer")


def main(job: Path, out: Path, without_a_loop: bool) -> None:
    with out.open("w", encoding="utf-8") as lines:
        description = json.loads(job.read_text(encoding="utf-8"))
        if without_a_loop:
            SyncHost(description, lines).play()
        else:
            asyncio.run(AsyncHost(description, lines).play())


if __name__ == "__main__":
    *flags, job, out = sys.argv[1:]
    main(Path(job), Path(out), without_a_loop=flags == ["--sync"])
