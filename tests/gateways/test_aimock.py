"""Our engine against a mock by others, whose reading of the protocols is not ours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from kit import HERE, ask, free_port, serving

PROGRAM = HERE / "node_modules/.bin/llmock"


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if not PROGRAM.exists():
        pytest.skip("aimock is not installed")
    port = free_port()
    fixtures = ["--fixtures", str(HERE / "aimock.json"), "--strict", "--chunk-size", "5"]
    command = [str(PROGRAM), "--port", str(port), *fixtures]
    log = tmp_path_factory.mktemp("aimock") / "log"
    with serving(command, port, "/v1/models", log) as base_url:
        yield base_url


@pytest.mark.parametrize("kind", ["anthropic", "openai-chat", "openai-responses", "gemini"])
def test_thought_text_calls_and_results(other: str, kind: Any) -> None:
    heard = ask(other, kind, "mock", "sk-mock", "What is the weather?")
    assert heard.reason == "end_turn"
    assert heard.thought == "Two cities."
    assert sorted(heard.cities) == ["Paris", "Zürich"]
    assert heard.text == "I look it up.Paris is sunny, Zürich has rain."
