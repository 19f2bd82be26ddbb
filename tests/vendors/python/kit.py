"""The mock model server, as the vendors' clients meet it, and what all of their tests hold it to."""

from __future__ import annotations

import json
import os
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
CONVERSATION = Path(__file__).resolve().parent.parent / "conversation.json"

THOUGHT = "Two cities, two calls."
SIGNATURE = "c2lnbmF0dXJl"
TEXT = "I look it up – twice."  # noqa: RUF001
CITIES = ["Paris", "Zürich"]
ANSWER = "Paris is sunny, Zürich has rain."
RESULTS = ["sunny", "rain"]
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
QUESTION = "What is the weather?"
KEY = "sk-mock"


def says(*texts: str, **more: Any) -> dict[str, Any]:
    """A step that says texts."""
    return {"reply": [{"type": "text", "text": list(texts)}], **more}


@contextmanager
def mock(script: Path, *arguments: str) -> Iterator[str]:
    """Serves a script; yields the base URL. A request that the provider would refuse fails the test."""
    places = [TARGET / profile / "lodger-mock-model" for profile in ("debug", "release")]
    program = next(place for place in places if place.exists())
    command = [str(program), "--script", str(script), "--api-key", KEY, *arguments]
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


class Scripts:
    """Serves steps that a test writes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @contextmanager
    def serve(self, *steps: dict[str, Any], faults: list[dict[str, Any]] | None = None) -> Iterator[str]:
        script = self.folder / "script.json"
        script.write_text(json.dumps({"steps": steps, "after": "last"}))
        arguments = []
        if faults:
            file = self.folder / "faults.json"
            file.write_text(json.dumps([{"fault": fault} for fault in faults]))
            arguments = ["--faults", str(file)]
        with mock(script, *arguments) as base_url:
            yield base_url


def frames(base_url: str, path: str, headers: dict[str, str], body: dict[str, Any]) -> list[Any]:
    """The data of each frame of an answer."""
    request = urllib.request.Request(
        base_url + path, json.dumps(body).encode(), {"content-type": "application/json", **headers}
    )
    with urllib.request.urlopen(request, timeout=30) as reply:
        lines = reply.read().decode().splitlines()
    data = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
    return [json.loads(text) for text in data if text != "[DONE]"]
