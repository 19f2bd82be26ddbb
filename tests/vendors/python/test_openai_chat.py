"""The official client of OpenAI understands what the mock sends as Chat Completions."""

from __future__ import annotations

from typing import Any

import kit
import openai
import pytest
from openai.types.chat import ChatCompletion, ChatCompletionChunk

TOOLS: Any = [
    {"type": "function", "function": {"name": "get_weather", "description": "The weather.", "parameters": kit.SCHEMA}}
]
MESSAGES: Any = [{"role": "user", "content": kit.QUESTION}]


def client(base_url: str, key: str = kit.KEY) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{base_url}/v1", api_key=key, max_retries=0)


def ask(base_url: str, messages: Any = MESSAGES) -> ChatCompletion:
    options = {"stream_options": {"include_usage": True}}
    with client(base_url).chat.completions.stream(model="m", tools=TOOLS, messages=messages, **options) as stream:
        return stream.get_final_completion()


def look(completion: ChatCompletion) -> None:
    choice = completion.choices[0]
    assert choice.message.content == kit.TEXT
    assert choice.message.model_extra is not None
    assert choice.message.model_extra["reasoning_content"] == kit.THOUGHT
    calls = choice.message.tool_calls or []
    assert [call.function.arguments for call in calls if call.type == "function"] == [
        f'{{"city":"{city}"}}' for city in kit.CITIES
    ]
    assert [call.id for call in calls] == ["call_0_0", "call_0_1"]
    assert choice.finish_reason == "tool_calls"
    usage = completion.usage
    assert usage is not None
    assert (usage.prompt_tokens, usage.completion_tokens, usage.total_tokens) == (137, 25, 162)
    assert usage.prompt_tokens_details is not None
    assert usage.prompt_tokens_details.cached_tokens == 30
    assert usage.completion_tokens_details is not None
    assert usage.completion_tokens_details.reasoning_tokens == 5


def test_a_stream_and_a_whole_reply_hold_text_thought_calls_and_usage(conversation: str) -> None:
    look(ask(conversation))
    look(client(conversation).chat.completions.create(model="m", tools=TOOLS, messages=MESSAGES))


def test_results_are_answered(conversation: str) -> None:
    message = ask(conversation).choices[0].message
    calls = message.tool_calls or []
    said = {"role": "assistant", "content": message.content, "tool_calls": [call.model_dump() for call in calls]}
    for call in said["tool_calls"]:
        call["function"].pop("parsed_arguments", None)
        call.pop("index", None)
    results = [
        {"role": "tool", "tool_call_id": call.id, "content": text}
        for call, text in zip(calls, kit.RESULTS, strict=True)
    ]
    answer = ask(conversation, [*MESSAGES, said, *results]).choices[0]
    assert (answer.message.content, answer.finish_reason) == (kit.ANSWER, "stop")


def test_each_frame_has_the_vendors_own_type(conversation: str) -> None:
    body = {"model": "m", "stream": True, "stream_options": {"include_usage": True}}
    body |= {"tools": TOOLS, "messages": MESSAGES}
    chunks = [
        ChatCompletionChunk.model_validate(frame)
        for frame in kit.frames(conversation, "/v1/chat/completions", {"authorization": f"Bearer {kit.KEY}"}, body)
    ]
    assert [chunk.usage is not None for chunk in chunks].count(True) == 1
    assert chunks[-1].choices == []


@pytest.mark.parametrize(
    ("reason", "word"), [("max_output_tokens", "length"), ("refused", "content_filter"), ("end_turn", "stop")]
)
def test_each_reason_to_stop_has_its_word(scripts: kit.Scripts, reason: str, word: str) -> None:
    with scripts.serve(kit.says("one", stopReason=reason)) as base_url:
        whole = client(base_url).chat.completions.create(model="m", messages=MESSAGES)
        assert whole.choices[0].finish_reason == word
        stream = client(base_url).chat.completions.create(model="m", messages=MESSAGES, stream=True)
        assert [chunk.choices[0].finish_reason for chunk in stream][-1] == word


def test_errors_have_their_classes(scripts: kit.Scripts, conversation: str) -> None:
    with pytest.raises(openai.AuthenticationError):
        client(conversation, "wrong").chat.completions.create(model="m", messages=MESSAGES)
    for code, kind in [
        ("provider_rate_limited", openai.RateLimitError),
        ("provider_rejected", openai.BadRequestError),
        ("provider_overloaded", openai.InternalServerError),
    ]:
        with scripts.serve({"fault": {"type": "error", "code": code}}) as base_url, pytest.raises(kind):
            ask(base_url)
    overflow = {"fault": {"type": "error", "code": "context_overflow"}}
    with scripts.serve(overflow) as base_url, pytest.raises(openai.BadRequestError) as error:
        ask(base_url)
    assert error.value.code == "context_length_exceeded"


def test_an_error_within_the_stream_is_raised(scripts: kit.Scripts) -> None:
    fault = {"type": "error", "afterEvents": 2, "code": "provider_overloaded", "message": "too busy"}
    with scripts.serve(kit.says("one", "two"), faults=[fault]) as base_url:
        with pytest.raises(openai.APIError, match="too busy") as error:
            ask(base_url)
        assert error.value.code == "server_is_overloaded"


def test_models_are_listed(models: str) -> None:
    assert [model.id for model in client(models).models.list()] == [f"m{number:02}" for number in range(45)]
