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
from collections import Counter
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
        self.answers_by_id = job["options"].get("requests") == "events"
        self.plan: Job = {}
        #: How many events of each type were read of the turn.
        self.seen: Counter[str] = Counter()

    def options(self, ask: Callable[..., Any], as_execute: Callable[[Job], Any]) -> dict[str, Any]:
        options = dict(self.job["options"])
        declared = options.pop("tools", [])
        options["tools"] = [host_tool(tool, as_execute(self.job["tools"][tool["name"]])) for tool in declared]
        if "answers" in self.job and not self.answers_by_id:
            options |= {"on_permission": ask, "on_question": ask, "on_plan": ask}
        return options

    def begins(self, plan: Job) -> None:
        self.plan = plan
        self.seen.clear()
        if "makes" in plan:
            Path(plan["makes"]).touch()

    def started(self, turn: lodger.Turn | sync.Turn) -> None:
        if self.plan.get("cancelAtOnce"):
            turn.cancel()

    def got(self, event: lodger.Event, turn: lodger.Turn | sync.Turn, agent: lodger.Agent | sync.Agent) -> None:
        self.write(event.to_wire())
        self.seen[event.type] += 1
        if event.type == "request_opened" and self.answers_by_id:
            agent.answer(event.request_id, next(self.answers)["answer"])
        cancel = self.plan.get("cancelAfter", {"type": None})
        if event.type == cancel["type"] and self.seen[event.type] == cancel["count"]:
            turn.cancel()

    def has_seen(self, wanted: Job | None) -> bool:
        return wanted is None or self.seen[wanted["type"]] >= wanted["count"]

    def came_to(self, result: lodger.TurnResult | None) -> None:
        assert result is not None, "a turn that failed has a result too"
        self.write({"type": "result", **result.to_wire()})

    def write(self, line: Job) -> None:
        print(json.dumps(line, ensure_ascii=False), file=self.out)

    def pauses(self) -> itertools.cycle[float]:
        """Seconds to wait after each event."""
        pace = self.job.get("reader", {"max": 1, "delayMs": 0})
        return itertools.cycle([0.0] * (pace["max"] - 1) + [pace["delayMs"] / 1000])


def host_tool(declared: Job, execute: Callable[..., Any]) -> lodger.Tool[..., Any]:
    name, description, schema = declared["name"], declared["description"], declared["inputSchema"]
    more = {"read_only": declared.get("readOnly", False), "timeout_ms": declared.get("timeoutMs")}
    return lodger.Tool(name, description, schema, execute, **more)


def executed(behaviour: Job) -> lodger.ToolResult:
    """What a host tool comes to."""
    if "throw" in behaviour:
        raise RuntimeError(behaviour["throw"])
    result = behaviour["result"]
    return lodger.ToolResult(
        text="".join(block["text"] for block in result["content"] if block["type"] == "text"),
        images=[lodger.Image(b["mimeType"], b["data"]) for b in result["content"] if b["type"] == "image"],
        documents=[
            lodger.Document(b["mimeType"], b["data"], b.get("name"))
            for b in result["content"]
            if b["type"] == "document"
        ],
        is_error=result.get("isError", False),
    )


def show_progress(behaviour: Job, context: lodger.ToolContext) -> None:
    for text in behaviour.get("progress", []):
        context.progress(text)


class AsyncHost(Host):
    """On a loop."""

    agent: lodger.Agent

    async def play(self) -> None:
        self.agent = await lodger.create_agent(**self.options(self.ask, self.as_execute))
        self.came = asyncio.Condition()
        for plan in self.job["turns"]:
            if plan.get("restored"):
                checkpoint = await self.agent.checkpoint()
                await self.agent.close()
                options = self.options(self.ask, self.as_execute)
                self.agent = await lodger.create_agent(**options, checkpoint=checkpoint)
            self.begins(plan)
            turn = await getattr(self, self.job["tap"])(plan["prompt"])
            try:
                self.came_to(await turn.result())
            except lodger.LodgerError as error:
                self.came_to(error.result)
        await self.agent.close()

    async def iterator(self, prompt: Any) -> lodger.Turn:
        turn = self.agent.prompt(prompt)
        self.started(turn)
        pauses = self.pauses()
        async for event in turn:
            await self.read(event, turn, next(pauses))
        return turn

    async def stream(self, prompt: Any) -> lodger.Turn:
        async with self.agent.stream(prompt) as events:
            self.started(events.turn)
            pauses = self.pauses()
            async for event in events:
                await self.read(event, events.turn, next(pauses))
        return events.turn

    async def read(self, event: lodger.Event, turn: lodger.Turn, pause: float) -> None:
        self.got(event, turn, self.agent)
        async with self.came:
            self.came.notify_all()
        if pause:
            await asyncio.sleep(pause)

    async def ask(self, request: lodger.PermissionRequest | lodger.QuestionRequest | lodger.PlanRequest) -> Any:
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

    def as_execute(self, behaviour: Job) -> Callable[..., Any]:
        async def execute(context: lodger.ToolContext, **given: Any) -> lodger.ToolResult:
            show_progress(behaviour, context)
            async with self.came:
                await self.came.wait_for(lambda: self.has_seen(behaviour.get("after")))
            return executed(behaviour)

        return execute


class SyncHost(Host):
    """Without a loop."""

    agent: sync.Agent

    def play(self) -> None:
        self.agent = sync.create_agent(**self.options(self.ask, self.as_execute))
        for plan in self.job["turns"]:
            if plan.get("restored"):
                checkpoint = self.agent.checkpoint()
                self.agent.close()
                self.agent = sync.create_agent(**self.options(self.ask, self.as_execute), checkpoint=checkpoint)
            self.begins(plan)
            turn = getattr(self, self.job["tap"])(plan["prompt"])
            try:
                self.came_to(turn.result())
            except lodger.LodgerError as error:
                self.came_to(error.result)
        self.agent.close()

    def iterator(self, prompt: Any) -> sync.Turn:
        turn = self.agent.prompt(prompt)
        self.started(turn)
        pauses = self.pauses()
        for event in turn:
            self.read(event, turn, next(pauses))
        return turn

    def stream(self, prompt: Any) -> sync.Turn:
        with self.agent.stream(prompt) as events:
            self.started(events.turn)
            pauses = self.pauses()
            for event in events:
                self.read(event, events.turn, next(pauses))
        return events.turn

    def read(self, event: lodger.Event, turn: sync.Turn, pause: float) -> None:
        self.got(event, turn, self.agent)
        time.sleep(pause)

    def ask(self, request: lodger.PermissionRequest | lodger.QuestionRequest | lodger.PlanRequest) -> Any:
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

    def as_execute(self, behaviour: Job) -> Callable[..., Any]:
        def execute(context: lodger.ToolContext, **given: Any) -> lodger.ToolResult:
            show_progress(behaviour, context)
            # The thread that is here is the one that reads: waiting for more events would be for ever.
            assert self.has_seen(behaviour.get("after"))
            return executed(behaviour)

        return execute


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
