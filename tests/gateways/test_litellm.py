"""Our engine through LiteLLM, in each form that it offers, to a model behind each protocol."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kit import HERE, ask, free_port, mock, serving

PROGRAM = HERE / ".venv/bin/litellm"
KEY = "sk-gateway-7f3a91c2d4e8b605"
MODELS = """
model_list:
  - { model_name: claude, litellm_params: { model: anthropic/mock, api_base: "%(url)s", api_key: sk-mock } }
  - { model_name: gpt, litellm_params: { model: openai/mock, api_base: "%(url)s/v1", api_key: sk-mock } }
  - { model_name: gemini, litellm_params: { model: gemini/mock, api_base: "%(url)s", api_key: sk-mock } }
litellm_settings: { drop_params: true, telemetry: false }
general_settings: { master_key: %(key)s }
"""


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if not PROGRAM.exists():
        pytest.skip("LiteLLM is not installed")
    folder: Path = tmp_path_factory.mktemp("litellm")
    with mock() as url:
        config = folder / "config.yaml"
        config.write_text(MODELS % {"url": url, "key": KEY})
        port = free_port()
        command = [str(PROGRAM), "--config", str(config), "--host", "127.0.0.1", "--port", str(port)]
        # It must not look for prices on the network, nor in a file of the person who runs the tests.
        env = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "HOME": str(folder)}
        with serving(command, port, "/health/liveliness", folder / "log", env) as base_url:
            yield base_url


@pytest.mark.parametrize("model", ["claude", "gpt", "gemini"])
@pytest.mark.parametrize("kind", ["anthropic", "openai-chat", "openai-responses"])
def test_text_calls_results_and_usage_come_through(gateway: str, kind: Any, model: str) -> None:
    heard = ask(gateway, kind, model, KEY, "What is the weather?")
    assert heard.reason == "end_turn"
    assert sorted(heard.cities) == ["Paris", "Zürich"]
    assert heard.results == 2
    assert heard.text.endswith("Paris is sunny, Zürich has rain.")
    assert "twice." in heard.text
    assert heard.usage.output_tokens > 0
