"""The official client of Google understands what the mock sends."""

from __future__ import annotations

import base64
from typing import Any

import kit
import pytest
from google import genai
from google.genai import errors, types

CONFIG = types.GenerateContentConfig(
    tools=[
        types.Tool(
            function_declarations=[
                types.FunctionDeclaration(
                    name="get_weather", description="The weather.", parameters_json_schema=kit.SCHEMA
                )
            ]
        )
    ],
    automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
)
QUESTION = types.Content(role="user", parts=[types.Part(text=kit.QUESTION)])


def client(base_url: str, key: str = kit.KEY) -> genai.Client:
    return genai.Client(api_key=key, http_options=types.HttpOptions(base_url=base_url))


def ask(base_url: str, contents: Any = QUESTION) -> list[types.GenerateContentResponse]:
    with client(base_url) as google:
        return list(google.models.generate_content_stream(model="m", contents=contents, config=CONFIG))


def parts(chunks: list[types.GenerateContentResponse]) -> list[types.Part]:
    contents = [candidate.content for chunk in chunks for candidate in chunk.candidates or []]
    return [part for content in contents if content for part in content.parts or []]


def look(chunks: list[types.GenerateContentResponse]) -> None:
    said = parts(chunks)
    assert "".join(part.text or "" for part in said if part.thought) == kit.THOUGHT
    assert "".join(part.text or "" for part in said if not part.thought) == kit.TEXT
    assert [part.thought_signature for part in said if part.thought_signature] == [base64.b64decode(kit.SIGNATURE)]
    calls = [part.function_call for part in said if part.function_call]
    assert [call.args for call in calls] == [{"city": city} for city in kit.CITIES]
    assert [call.id for call in calls] == ["call_0_0", "call_0_1"]
    last = chunks[-1]
    assert last.candidates is not None
    assert last.candidates[0].finish_reason == types.FinishReason.STOP
    usage = last.usage_metadata
    assert usage is not None
    assert (usage.prompt_token_count, usage.candidates_token_count, usage.total_token_count) == (137, 20, 162)
    assert (usage.cached_content_token_count, usage.thoughts_token_count) == (30, 5)


def test_a_stream_and_a_whole_reply_hold_text_thought_calls_and_usage(conversation: str) -> None:
    look(ask(conversation))
    with client(conversation) as google:
        look([google.models.generate_content(model="m", contents=QUESTION, config=CONFIG)])


def test_results_are_answered(conversation: str) -> None:
    said = parts(ask(conversation))
    results = [
        types.Part(function_response=types.FunctionResponse(id=call.id, name=call.name, response={"output": text}))
        for call, text in zip([part.function_call for part in said if part.function_call], kit.RESULTS, strict=True)
    ]
    model, user = types.Content(role="model", parts=said), types.Content(role="user", parts=results)
    answer = ask(conversation, [QUESTION, model, user])
    assert "".join(part.text or "" for part in parts(answer)) == kit.ANSWER


def test_each_frame_has_the_vendors_own_type(conversation: str) -> None:
    # The type forbids what it does not know.
    tools = [{"functionDeclarations": [{"name": "get_weather"}]}]
    body = {"tools": tools, "contents": [{"role": "user", "parts": [{"text": kit.QUESTION}]}]}
    path = "/v1beta/models/m:streamGenerateContent?alt=sse"
    sent = kit.frames(conversation, path, {"x-goog-api-key": kit.KEY}, body)
    chunks = [types.GenerateContentResponse.model_validate(frame) for frame in sent]
    assert {(chunk.model_version, chunk.response_id) for chunk in chunks} == {("m", "mock-1")}


@pytest.mark.parametrize(
    ("reason", "word"), [("max_output_tokens", "MAX_TOKENS"), ("refused", "SAFETY"), ("end_turn", "STOP")]
)
def test_each_reason_to_stop_has_its_word(scripts: kit.Scripts, reason: str, word: str) -> None:
    with scripts.serve(kit.says("one", stopReason=reason)) as base_url:
        last = ask(base_url)[-1]
        assert last.candidates is not None
        assert last.candidates[0].finish_reason == types.FinishReason(word)


def test_errors_have_their_classes(scripts: kit.Scripts, conversation: str) -> None:
    with client(conversation, "wrong") as google, pytest.raises(errors.ClientError) as error:
        google.models.generate_content(model="m", contents=QUESTION)
    assert (error.value.code, error.value.status) == (401, "UNAUTHENTICATED")
    for code, kind, status in [
        ("provider_rate_limited", errors.ClientError, "RESOURCE_EXHAUSTED"),
        ("provider_rejected", errors.ClientError, "INVALID_ARGUMENT"),
        ("provider_overloaded", errors.ServerError, "UNAVAILABLE"),
    ]:
        with scripts.serve({"fault": {"type": "error", "code": code}}) as base_url:
            with pytest.raises(kind) as error:
                ask(base_url)
            assert error.value.status == status


def test_an_error_within_the_stream_is_raised(scripts: kit.Scripts) -> None:
    fault = {"type": "error", "afterEvents": 1, "code": "provider_overloaded", "message": "too busy"}
    with scripts.serve(kit.says("one", "two"), faults=[fault]) as base_url:
        with pytest.raises(errors.APIError, match="too busy") as error:
            ask(base_url)
        assert error.value.status == "UNAVAILABLE"


def test_models_are_listed_page_by_page(models: str) -> None:
    with client(models) as google:
        names = [model.name for model in google.models.list()]
    assert names == [f"models/m{number:02}" for number in range(45)]
