"""The official clients of Anthropic at Amazon Bedrock and Google Vertex understand what the mock sends."""

from __future__ import annotations

from typing import Any

import anthropic
import kit
import pytest
from test_anthropic import MESSAGES, TOOLS, look

CLIENTS = ["bedrock", "vertex"]


def client(cloud: str, base_url: str, key: str = kit.KEY) -> Any:
    """A client of that cloud."""
    if cloud == "bedrock":
        return anthropic.AnthropicBedrock(base_url=base_url, api_key=key, aws_region="eu-west-1", max_retries=0)
    return anthropic.AnthropicVertex(
        base_url=f"{base_url}/v1", access_token=key, project_id="p", region="global", max_retries=0
    )


def ask(cloud: str, base_url: str, messages: Any = MESSAGES) -> Any:
    asked = {"model": "anthropic.claude-x-v1:0", "max_tokens": 99, "tools": TOOLS, "messages": messages}
    with client(cloud, base_url).messages.stream(**asked) as stream:
        return stream.get_final_message()


@pytest.mark.parametrize("cloud", CLIENTS)
def test_a_stream_and_a_whole_reply_hold_text_thought_calls_and_usage(cloud: str, conversation: str) -> None:
    look(ask(cloud, conversation))
    look(client(cloud, conversation).messages.create(model="m", max_tokens=99, tools=TOOLS, messages=MESSAGES))


@pytest.mark.parametrize("cloud", CLIENTS)
def test_results_are_answered(cloud: str, conversation: str) -> None:
    message = ask(cloud, conversation)
    ids = [block.id for block in message.content if block.type == "tool_use"]
    results = [
        {"type": "tool_result", "tool_use_id": id, "content": text} for id, text in zip(ids, kit.RESULTS, strict=True)
    ]
    answer = ask(cloud, conversation, [*MESSAGES, message.to_param(), {"role": "user", "content": results}])
    assert answer.content[0].text == kit.ANSWER


@pytest.mark.parametrize("cloud", CLIENTS)
def test_a_wrong_key_is_refused(cloud: str, conversation: str) -> None:
    with pytest.raises(anthropic.AuthenticationError):
        client(cloud, conversation, "wrong").messages.create(model="m", max_tokens=9, messages=MESSAGES)


@pytest.mark.parametrize(("cloud", "name"), [("bedrock", "modelStreamErrorException"), ("vertex", "overloaded_error")])
def test_an_error_within_the_stream_is_raised(scripts: kit.Scripts, cloud: str, name: str) -> None:
    fault = {"type": "error", "afterEvents": 4, "code": "provider_overloaded", "message": "too busy"}
    with scripts.serve(kit.says("one", "two"), faults=[fault]) as base_url:
        with pytest.raises(anthropic.APIError, match=name) as error:
            ask(cloud, base_url)
        assert "too busy" in str(error.value)


def test_a_message_that_is_damaged_is_noticed(scripts: kit.Scripts) -> None:
    with (
        scripts.serve(kit.says("one", "two"), faults=[{"type": "corrupt", "atByte": 300}]) as base_url,
        pytest.raises(Exception, match=r"(?i)checksum"),
    ):
        ask("bedrock", base_url)
