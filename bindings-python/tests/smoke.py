"""What an installed package must be able to do: `smoke.py FOLDER`. Uses nothing but the package and Python itself.

Ends with the version of the package and the place from which it was loaded, as JSON.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import lodger
from lodger import sync

FOLDER = Path(sys.argv[1])
STEPS = [
    {"reply": [{"type": "tool_call", "toolName": "double", "input": {"number": 21}}]},
    {"reply": [{"type": "tool_call", "toolName": "run_shell", "input": {"command": "echo 42 > out.txt"}}]},
    {"reply": [{"type": "repeat", "text": "word ", "count": 1000}]},
]


@lodger.tool
def double(number: int) -> int:
    """Doubles it."""
    return number * 2


def ask(request: lodger.PermissionRequest) -> lodger.PermissionAnswer:
    assert request.target.command == "echo 42 > out.txt"
    return {"kind": "allow_once"}


async def with_a_loop(model: str) -> str:
    async with await lodger.create_agent(cwd=FOLDER, model=model, tools=[double], on_permission=ask) as agent:
        return "".join([event.text async for event in agent.prompt("go") if event.type == "text_delta"])


def without_one(model: str) -> str:
    with sync.create_agent(cwd=FOLDER, model=model, tools=[double], on_permission=ask) as agent:
        return agent.prompt("go").result().text


def check(text: str) -> None:
    assert text == "word " * 1000
    assert (FOLDER / "out.txt").read_text() == "42\n"
    (FOLDER / "out.txt").unlink()


script = FOLDER / "script.json"
script.write_text(json.dumps({"steps": STEPS}))
check(asyncio.run(with_a_loop(f"scripted/{script}")))
check(without_one(f"scripted/{script}"))
print(json.dumps({"version": lodger.__version__, "file": lodger.__file__}))
