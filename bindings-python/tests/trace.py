"""Plays one golden case: `trace.py JOB OUT`. The job is described in tests/golden/README.md.

Plays the host as the job says and writes each event as it came, one JSON a line. Judges nothing.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
import threading
from pathlib import Path
from typing import Any

import lodger
from lodger import _turn

Job = dict[str, Any]


def host_tool(declared: Job, behaviour: Job) -> lodger.Tool[..., Any]:
    """A tool that shows its progress and gives the result of the job."""

    async def execute(context: lodger.ToolContext, **given: Any) -> lodger.ToolResult:
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
    return lodger.Tool(name, description, schema, execute, **more)


class Host:
    """The host's side of a case."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.answers = iter(job.get("answers", []))
        self.agent: lodger.Agent

    async def on_permission(self, request: lodger.PermissionRequest) -> Any:
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

    async def play(self) -> None:
        options = dict(self.job["options"])
        tools = [host_tool(tool, self.job["tools"][tool["name"]]) for tool in options.pop("tools", [])]
        if "answers" in self.job:
            options["on_permission"] = self.on_permission
        self.agent = await lodger.create_agent(**options, tools=tools)
        async with self.agent:
            await self.read(self.agent.prompt(self.job["prompt"]))

    async def read(self, turn: lodger.Turn) -> None:
        cancel, pace = self.job.get("cancelAfter", {}), self.job.get("reader", {})
        left = itertools.count(cancel.get("count", 0) - 1, -1)
        read = 0
        async for event in turn:
            if event.type == cancel.get("type") and next(left) == 0:
                turn.cancel()
            read += 1
            if pace and read % pace["max"] == 0:
                await asyncio.sleep(pace["delayMs"] / 1000)


def main(job: Path, out: Path) -> None:
    names = vars(_turn)
    decode = names["event_from_wire"]
    with out.open("w", encoding="utf-8") as lines:

        def record(wire: Any) -> Any:
            print(json.dumps(wire, ensure_ascii=False), file=lines)
            return decode(wire)

        names["event_from_wire"] = record
        asyncio.run(Host(json.loads(job.read_text(encoding="utf-8"))).play())


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
