"""The official client of Anthropic understands what the mock sends."""

from __future__ import annotations

from typing import Any

import anthropic
import kit
import pytest
from anthropic.types import Message, RawMessageStreamEvent
from pydantic import TypeAdapter

TOOLS: Any = [{"name": "get_weather", "description": "The weather.", "input_schema": kit.SCHEMA}]
MESSAGES: Any = [{"role": "user", "content": kit.QUESTION}]


def client(base_url: str, key: str = kit.KEY) -> anthropic.Anthropic:
    return anthropic.Anthropic(base_url=base_url, api_key=key, max_retries=0)


def ask(base_url: str, messages: Any = MESSAGES) -> Message:
    with client(base_url).messages.stream(model="m", max_tokens=99, tools=TOOLS, messages=messages) as stream:
        return stream.get_final_message()


def look(message: Message) -> None:
    thought, text, *calls = message.content
    assert thought.type == "thinking"
    assert (thought.thinking, thought.signature) == (kit.THOUGHT, kit.SIGNATURE)
    assert text.type == "text"
    assert text.text == kit.TEXT
    assert [call.input["city"] for call in calls if call.type == "tool_use"] == kit.CITIES
    assert message.stop_reason == "tool_use"
    usage = message.usage
    assert (usage.input_tokens, usage.output_tokens) == (100, 25)
    assert (usage.cache_read_input_tokens, usage.cache_creation_input_tokens) == (30, 7)
    assert usage.output_tokens_details is not None
    assert usage.output_tokens_details.thinking_tokens == 5


def test_a_stream_and_a_whole_reply_hold_text_thought_calls_and_usage(conversation: str) -> None:
    look(ask(conversation))
    look(client(conversation).messages.create(model="m", max_tokens=99, tools=TOOLS, messages=MESSAGES))


def test_results_are_answered(conversation: str) -> None:
    message = ask(conversation)
    ids = [block.id for block in message.content if block.type == "tool_use"]
    results = [
        {"type": "tool_result", "tool_use_id": id, "content": text} for id, text in zip(ids, kit.RESULTS, strict=True)
    ]
    answer = ask(conversation, [*MESSAGES, message.to_param(), {"role": "user", "content": results}])
    assert answer.content[0].type == "text"
    assert answer.content[0].text == kit.ANSWER
    assert answer.stop_reason == "end_turn"


def test_each_frame_has_the_vendors_own_type(conversation: str) -> None:
    body = {"model": "m", "max_tokens": 99, "stream": True, "tools": TOOLS, "messages": MESSAGES}
    headers = {"anthropic-version": "2023-06-01", "x-api-key": kit.KEY}
    read = TypeAdapter[Any](RawMessageStreamEvent)
    kinds = set()
    for frame in kit.frames(conversation, "/v1/messages", headers, body):
        if frame["type"] == "ping":
            continue
        if frame["type"] == "message_start":
            # The type knows no usage that lacks the output, which no reply has when it starts.
            frame["message"]["usage"].setdefault("output_tokens", 0)
        kinds.add(read.validate_python(frame).type)
    assert len(kinds) == 6


@pytest.mark.parametrize(
    ("reason", "word"), [("max_output_tokens", "max_tokens"), ("refused", "refusal"), ("end_turn", "end_turn")]
)
def test_each_reason_to_stop_has_its_word(scripts: kit.Scripts, reason: str, word: str) -> None:
    with scripts.serve(kit.says("one", stopReason=reason)) as base_url:
        assert ask(base_url).stop_reason == word


def test_errors_have_their_classes(scripts: kit.Scripts, conversation: str) -> None:
    with pytest.raises(anthropic.AuthenticationError):
        client(conversation, "wrong").messages.create(model="m", max_tokens=9, messages=MESSAGES)
    for code, kind in [
        ("provider_rate_limited", anthropic.RateLimitError),
        ("provider_rejected", anthropic.BadRequestError),
        ("provider_unavailable", anthropic.InternalServerError),
    ]:
        with scripts.serve({"fault": {"type": "error", "code": code}}) as base_url, pytest.raises(kind):
            ask(base_url)


def test_an_error_within_the_stream_is_raised(scripts: kit.Scripts) -> None:
    fault = {"type": "error", "afterEvents": 4, "code": "provider_overloaded", "message": "too busy"}
    with scripts.serve(kit.says("one", "two"), faults=[fault]) as base_url:
        with pytest.raises(anthropic.APIStatusError, match="overloaded_error") as error:
            ask(base_url)
        assert "too busy" in str(error.value)


def test_models_are_listed_page_by_page(models: str) -> None:
    names = [model.id for model in client(models).models.list()]
    assert names == [f"m{number:02}" for number in range(45)]
