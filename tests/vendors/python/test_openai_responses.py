"""The official client of OpenAI understands what the mock sends as Responses."""

from __future__ import annotations

from typing import Any

import kit
import openai
import pytest
from openai.types.responses import Response, ResponseStreamEvent
from pydantic import TypeAdapter

TOOLS: Any = [
    {
        "type": "function",
        "name": "get_weather",
        "description": "The weather.",
        "parameters": kit.SCHEMA,
        "strict": False,
    }
]
INPUT: Any = [{"role": "user", "content": kit.QUESTION}]
ASKED: Any = {"model": "m", "store": False, "include": ["reasoning.encrypted_content"], "tools": TOOLS}


def client(base_url: str, key: str = kit.KEY) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{base_url}/v1", api_key=key, max_retries=0)


def ask(base_url: str, items: Any = INPUT) -> Response:
    with client(base_url).responses.stream(input=items, **ASKED) as stream:
        return stream.get_final_response()


def look(response: Response) -> None:
    reasoning, message, *calls = response.output
    assert reasoning.type == "reasoning"
    assert ([part.text for part in reasoning.summary], reasoning.encrypted_content) == ([kit.THOUGHT], kit.SIGNATURE)
    assert message.type == "message"
    assert response.output_text == kit.TEXT
    assert [call.arguments for call in calls if call.type == "function_call"] == [
        f'{{"city":"{city}"}}' for city in kit.CITIES
    ]
    assert response.status == "completed"
    usage = response.usage
    assert usage is not None
    assert (usage.input_tokens, usage.output_tokens, usage.total_tokens) == (137, 25, 162)
    assert (usage.input_tokens_details.cached_tokens, usage.output_tokens_details.reasoning_tokens) == (30, 5)


def test_a_stream_and_a_whole_reply_hold_text_thought_calls_and_usage(conversation: str) -> None:
    look(ask(conversation))
    look(client(conversation).responses.create(input=INPUT, **ASKED))


def test_results_are_answered(conversation: str) -> None:
    first = ask(conversation)
    said = [item.model_dump(exclude_none=True, exclude={"parsed_arguments"}) for item in first.output]
    calls = [item for item in first.output if item.type == "function_call"]
    results = [
        {"type": "function_call_output", "call_id": call.call_id, "output": text}
        for call, text in zip(calls, kit.RESULTS, strict=True)
    ]
    assert ask(conversation, [*INPUT, *said, *results]).output_text == kit.ANSWER


def test_each_frame_has_the_vendors_own_type(conversation: str) -> None:
    body = {"stream": True, "input": INPUT, **ASKED}
    read = TypeAdapter[Any](ResponseStreamEvent)
    sent = kit.frames(conversation, "/v1/responses", {"authorization": f"Bearer {kit.KEY}"}, body)
    events = [read.validate_python(frame) for frame in sent]
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert len({event.type for event in events}) == 15


@pytest.mark.parametrize(
    ("reason", "word"), [("max_output_tokens", "max_output_tokens"), ("refused", "content_filter")]
)
def test_a_reply_that_is_not_complete_says_why(scripts: kit.Scripts, reason: str, word: str) -> None:
    with scripts.serve(kit.says("one", stopReason=reason)) as base_url:
        whole = client(base_url).responses.create(input=INPUT, **ASKED)
        last = list(client(base_url).responses.create(input=INPUT, stream=True, **ASKED))[-1]
        assert last.type == "response.incomplete"
        for response in (whole, last.response):
            assert response.incomplete_details is not None
            assert (response.status, response.incomplete_details.reason) == ("incomplete", word)


def test_errors_have_their_classes(scripts: kit.Scripts, conversation: str) -> None:
    with pytest.raises(openai.AuthenticationError):
        client(conversation, "wrong").responses.create(input=INPUT, **ASKED)
    with scripts.serve({"fault": {"type": "error", "code": "provider_rate_limited"}}) as base_url:
        with pytest.raises(openai.RateLimitError) as error:
            ask(base_url)
        assert error.value.code == "rate_limit_exceeded"


def test_an_error_within_the_stream_is_the_last_event(scripts: kit.Scripts) -> None:
    fault = {"type": "error", "afterEvents": 5, "code": "provider_overloaded", "message": "too busy"}
    with scripts.serve(kit.says("one", "two"), faults=[fault]) as base_url:
        last = list(client(base_url).responses.create(input=INPUT, stream=True, **ASKED))[-1]
    assert last.type == "response.failed"
    assert last.response.error is not None
    assert (last.response.error.code, last.response.error.message) == ("server_is_overloaded", "too busy")
