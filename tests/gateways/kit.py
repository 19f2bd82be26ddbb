"""What the tests of gateways share: programs that serve on loopback, and an agent that asks for the weather."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import lodger.sync
import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
#: The conversation that the mock model server plays, and that the vendors' clients have too.
CONVERSATION = ROOT / "tests/vendors/conversation.json"

#: No wait takes longer; it is no measure of speed.
LONG = 180.0


@contextlib.contextmanager
def mock() -> Iterator[str]:
    """The mock model server with the conversation; yields its base URL. What no provider would take fails the test."""
    program = next(
        path for profile in ("debug", "release") if (path := TARGET / profile / "lodger-mock-model").exists()
    )
    command = [str(program), "--script", str(CONVERSATION)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        base_url = json.loads(server.stdout.readline())["baseUrl"]
        try:
            yield base_url
            with urllib.request.urlopen(f"{base_url}/__mock/stats", timeout=10) as reply:
                assert json.load(reply)["flaws"] == []
        finally:
            server.stdin.close()


@contextlib.contextmanager
def serving(command: list[str], port: int, health: str, log: Path, env: dict[str, str] | None = None) -> Iterator[str]:
    """Runs a program until it answers; yields its base URL. Skips where the machine cannot run it."""
    base_url = f"http://127.0.0.1:{port}"
    with log.open("w") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, env=os.environ | (env or {}))
        try:
            wait(process, base_url + health, log)
            yield base_url
        finally:
            process.terminate()
            process.wait()


def wait(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    began = time.monotonic()
    while time.monotonic() - began < LONG:
        if process.poll() is not None:
            if process.returncode == -4:
                pytest.skip("this machine's processor lacks instructions that the program was built for")
            pytest.fail(f"ended with {process.returncode}: {log.read_text()[-2000:]}")
        with contextlib.suppress(OSError, urllib.error.URLError), urllib.request.urlopen(url, timeout=5):
            return
        time.sleep(0.2)
    pytest.fail(f"does not answer: {log.read_text()[-2000:]}")


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@dataclass
class Heard:
    """What a turn said and did."""

    text: str = ""
    thought: str = ""
    cities: list[str] = field(default_factory=list)
    results: int = 0
    reason: str = ""
    usage: Any = None


def ask(base_url: str, kind: Any, model: str, key: str, prompt: str, **options: Any) -> Heard:
    """Asks a model by way of a gateway, with a tool that knows the weather."""
    heard = Heard()

    @lodger.tool(read_only=True)
    def get_weather(city: str) -> str:
        """Tells the weather of a city."""
        heard.cities.append(city)
        return "sunny" if city == "Paris" else "rain"

    endpoint: Any = {"kind": kind, "base_url": base_url}
    auth: Any = {"api_key": key}
    with lodger.sync.create_agent(
        model=f"any/{model}", endpoint=endpoint, auth=auth, tools=[get_weather], **options
    ) as agent:
        turn = agent.prompt(prompt)
        for event in turn:
            if event.type == "text_delta":
                heard.text += event.text
            elif event.type == "thinking_delta":
                heard.thought += event.text
            elif event.type == "tool_result":
                assert not event.is_error
                heard.results += 1
        result = turn.result()
    heard.reason, heard.usage = result.reason, result.usage
    return heard
