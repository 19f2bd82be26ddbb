"""What the tests share: scripts for the scripted model, the mock model server, and looks at this process."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import lodger

ROOT = Path(__file__).resolve().parent.parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))

Part = dict[str, Any]
Step = dict[str, Any]


def text(*deltas: str) -> Part:
    return {"type": "text", "text": list(deltas)}


def repeat(count: int, text: str = "word ") -> Part:
    return {"type": "repeat", "text": text, "count": count}


def call(name: str, **given: Any) -> Part:
    return {"type": "tool_call", "toolName": name, "input": given}


def wait_for_file(path: Path) -> Part:
    return {"type": "wait", "file": str(path)}


def delay(ms: int) -> Part:
    return {"type": "delay", "ms": ms}


def step(*reply: Part, **more: Any) -> Step:
    return {"reply": list(reply), **more}


class Scripts:
    """Writes scripts into a folder and names the models that play them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._count = 0

    def write(self, *steps: Step, after: str = "fail") -> Path:
        self._count += 1
        path = self.folder / f"script-{self._count}.json"
        path.write_text(json.dumps({"steps": steps, "after": after}))
        return path

    def model(self, *steps: Step, after: str = "fail") -> str:
        return f"scripted/{self.write(*steps, after=after)}"


class MockModel:
    """A model server on loopback."""

    def __init__(self, base_url: str) -> None:
        self.base_url = base_url

    @property
    def options(self) -> dict[str, Any]:
        endpoint = {"kind": "anthropic", "base_url": self.base_url}
        return {"model": "anthropic/mock", "endpoint": endpoint, "auth": {"api_key": "key"}}

    def stats(self) -> dict[str, Any]:
        with urllib.request.urlopen(f"{self.base_url}/__mock/stats", timeout=10) as reply:
            stats: dict[str, Any] = json.load(reply)
            return stats

    def bytes_of_replies(self) -> int:
        # The connection on which we ask grows by asking: only the one that carries replies is looked at.
        return max((c["bytesWritten"] for c in self.stats()["connections"] if c["open"]), default=0)


@contextmanager
def mock_model(script: Path, *arguments: str) -> Iterator[MockModel]:
    program = next((p for b in ("debug", "release") if (p := TARGET / b / "lodger-mock-model").exists()), None)
    assert program is not None, f"there is no lodger-mock-model below {TARGET}: run `make build`"
    command = [str(program), "--script", str(script), *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield MockModel(json.loads(process.stdout.readline())["baseUrl"])
        assert process.stdin is not None
        process.stdin.close()


async def all_events(turn: lodger.Turn) -> list[lodger.Event]:
    return [event async for event in turn]


def types(events: list[lodger.Event]) -> list[str]:
    return [event.type for event in events]


def said(events: list[lodger.Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, lodger.TextDeltaEvent))


def results(events: list[lodger.Event]) -> list[lodger.ToolResultEvent]:
    return [event for event in events if isinstance(event, lodger.ToolResultEvent)]


def result_text(event: lodger.ToolResultEvent) -> str:
    return "".join(block.text for block in event.content if isinstance(block, lodger.TextContent))


async def until(condition: Callable[[], object], seconds: float = 60.0) -> None:
    """Waits for something to become true, and fails if it never does."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never came true"
        await asyncio.sleep(0.005)


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def threads() -> int:
    return len(os.listdir("/proc/self/task"))


def engine_threads() -> int:
    names = Path("/proc/self/task").glob("*/comm")
    return sum(name.read_text().startswith("lodger-") for name in names)


def children() -> list[int]:
    """Processes whose parent is this one."""
    return [pid for pid, parent in _parents().items() if parent == os.getpid()]


def descendants(pid: int) -> list[int]:
    """Processes that this one has started, and theirs."""
    parents = _parents()
    found, look_at = [], [pid]
    while look_at:
        parent = look_at.pop()
        new = [child for child, its_parent in parents.items() if its_parent == parent]
        found += new
        look_at += new
    return found


def alive(pid: int) -> bool:
    """Whether a process runs; one that only waits to be reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def eventually(condition: Callable[[], object], seconds: float = 60.0) -> bool:
    """Whether something becomes true in time. For tests without a loop."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def _parents() -> dict[int, int]:
    parents = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            parents[int(entry)] = int(Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue  # Gone in the meantime.
    return parents
