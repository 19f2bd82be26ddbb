"""Creating an agent, what it is told, and closing it."""

from __future__ import annotations

import asyncio
import os
import re
from pathlib import Path
from typing import Any

import lodger
import pytest
from kit import Scripts, all_events, call, mock_model, repeat, result_text, results, step, text, wait_for_file


async def refusal(**options: Any) -> str:
    with pytest.raises(lodger.InvalidArgument) as raised:
        await lodger.create_agent(**options)
    assert raised.value.code == "invalid_options"
    return raised.value.message


async def test_an_unknown_keyword_names_the_likely_one(scripts: Scripts) -> None:
    assert "model" in await refusal(modle=scripts.model(step(text("ok"))))


async def test_an_answer_that_must_fit_a_schema_is_the_results_structured(scripts: Scripts) -> None:
    schema = {
        "type": "object",
        "properties": {"full_name": {"type": "string"}, "born": {"type": "integer"}},
        "required": ["full_name", "born"],
    }
    wrong = step(call("structured_output", full_name="Ada", born="1815"))
    right = step(call("structured_output", full_name="Ada", born=1815))
    async with await lodger.create_agent(model=scripts.model(wrong, right), output_schema=schema) as agent:
        turn = agent.prompt("Who was she?")
        events = await all_events(turn)
        rejected = [event for event in events if isinstance(event, lodger.OutputRejectedEvent)]
        assert [(event.attempt, event.max_attempts) for event in rejected] == [(1, 3)]
        assert "at /born" in rejected[0].feedback
        assert (await turn.result()).structured == {"full_name": "Ada", "born": 1815}


async def test_a_schema_that_is_none_is_refused_with_its_place(scripts: Scripts) -> None:
    message = await refusal(model=scripts.model(step(text("ok"))), output_schema={"type": "object", "required": 1})
    assert message.startswith("option output_schema at /required: ")


async def test_an_unknown_key_in_a_group_is_an_error_too(scripts: Scripts) -> None:
    message = await refusal(model=scripts.model(step(text("ok"))), limits={"max_stepps": 3})
    assert message == 'unknown option "limits.max_stepps"; did you mean "max_steps"?'


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"permision_timeout_ms": 1}, 'option "permision_timeout_ms"; did you mean "permission_timeout_ms"'),
        ({"session_id": 1}, "option session_id: "),
        ({"limits": {"max_output_tokens": "many"}}, "option limits.max_output_tokens: "),
        ({"limits": {"stall_timeout_ms": 0}}, "option limits.stall_timeout_ms is 0"),
        ({"auth": {"api_key": 1}}, "option auth.api_key: "),
        ({"endpoint": {"kind": "anthropic", "base_url": "nowhere"}, "model": "anthropic/m"}, "`endpoint.base_url`: "),
        (
            {"tools": [lodger.Tool("t", "Does nothing.", {"type": "object"}, print, timeout_ms=-1)]},
            "tools[0].timeout_ms",
        ),
    ],
)
async def test_an_error_spells_names_as_they_are_written_in_python(scripts: Scripts, given: Any, says: str) -> None:
    message = await refusal(**{"model": scripts.model(step(text("ok"))), "auth": {"api_key": "key"}, **given})
    assert says in message
    assert not re.search("[a-z][A-Z]|line [0-9]", message.replace(str(scripts.folder), ""))


async def test_a_missing_key_of_a_block_is_spelled_so_too(scripts: Scripts) -> None:
    async with await lodger.create_agent(model=scripts.model(step(text("ok")))) as agent:
        with pytest.raises(lodger.InvalidArgument, match="missing field `mime_type`"):
            agent.prompt([{"type": "image"}])  # type: ignore[list-item]


async def test_a_handler_under_a_wrong_name_names_the_handlers(scripts: Scripts) -> None:
    assert "on_permission" in await refusal(model=scripts.model(step(text("ok"))), on_permision=print)


async def test_a_handler_that_is_no_function_is_an_error(scripts: Scripts) -> None:
    assert "on_question" in await refusal(model=scripts.model(step(text("ok"))), on_question="yes")


async def test_a_value_that_is_not_json_is_an_error(scripts: Scripts) -> None:
    assert "JSON" in await refusal(model=scripts.model(step(text("ok"))), limits={"max_steps": object()})


async def test_a_folder_that_is_not_there_is_an_error(scripts: Scripts, tmp_path: Path) -> None:
    await refusal(model=scripts.model(step(text("ok"))), cwd=tmp_path / "no")


async def test_options_in_groups_are_heard(scripts: Scripts) -> None:
    @lodger.tool
    async def again() -> None:
        """Does nothing."""

    model = scripts.model(step(call("again")), after="last")
    async with await lodger.create_agent(model=model, tools=[again], limits={"max_steps": 3}) as agent:
        result = await agent.prompt("go")
    assert result.reason == "max_steps"


async def test_effort_is_an_option_like_any_other(scripts: Scripts) -> None:
    model = scripts.model(step(text("ok")))
    async with await lodger.create_agent(model=model, effort="high") as agent:
        assert (await agent.prompt("go")).text == "ok"
    effort: Any = "hard"
    assert "option effort" in await refusal(model=model, effort=effort)


async def test_free_words_keep_their_spelling(scripts: Scripts, folder: Path) -> None:
    model = scripts.model(step(call("run_shell", command="echo $snake_case_name-$other")), step(text("ok")))
    env: Any = {"inherit": "core", "set": {"snake_case_name": "kept"}, "unset": ["other"]}
    async with await lodger.create_agent(cwd=folder, model=model, mode="full-auto", env=env) as agent:
        events = await all_events(agent.prompt("go"))
    assert "kept-" in result_text(results(events)[0])


async def test_an_endpoint_with_headers_and_a_key_is_used(scripts: Scripts) -> None:
    with mock_model(scripts.write(step(text("from afar"))), "--api-key", "secret-1") as mock:
        endpoint: Any = {"kind": "anthropic", "base_url": mock.base_url, "headers": {"x_snake_case": "1"}}
        options: dict[str, Any] = {"model": "anthropic/m", "endpoint": endpoint}
        async with await lodger.create_agent(**options, auth={"api_key": "secret-1"}) as agent:
            assert (await agent.prompt("hi")).text == "from afar"
        async with await lodger.create_agent(**options, auth={"api_key": "secret-2"}) as agent:
            with pytest.raises(lodger.ProviderError) as raised:
                await agent.prompt("hi")
            assert raised.value.code == "provider_auth"
            assert "secret-2" not in str(raised.value)


async def test_agents_see_their_own_folder_environment_and_key_only(
    scripts: Scripts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LODGER_TEST_FACE", "parent")
    steps = [step(call("run_shell", command="pwd; echo $LODGER_TEST_FACE $OWN")), step(text("ok"))]
    with mock_model(scripts.write(*steps)) as mock:
        agents = []
        for name in ("one", "two"):
            folder = tmp_path / name
            folder.mkdir()
            agents.append(
                await lodger.create_agent(
                    cwd=folder,
                    model="anthropic/m",
                    endpoint={"kind": "anthropic", "base_url": mock.base_url},
                    auth={"api_key": f"key-{name}"},
                    env={"set": {"OWN": f"own-{name}"}},
                    mode="full-auto",
                )
            )
        monkeypatch.setenv("LODGER_TEST_FACE", "changed after creation")
        for name, agent in zip(("one", "two"), agents, strict=True):
            shown = result_text(results(await all_events(agent.prompt("go")))[0])
            assert str(tmp_path / name) in shown
            assert f"parent own-{name}" in shown
            await agent.close()
        assert os.environ["LODGER_TEST_FACE"] == "changed after creation"
        assert "OWN" not in os.environ


async def test_prompts_may_be_blocks_as_objects_or_dictionaries(scripts: Scripts) -> None:
    expect = {"lastUserText": "look at this"}
    model = scripts.model(step(text("ok"), expect=expect), after="last")
    blocks: list[Any] = [
        [lodger.TextContent("look at this"), lodger.ImageContent(mime_type="image/png", data="iVBORw0KGgo=")],
        [{"type": "text", "text": "look at this"}, {"type": "image", "mime_type": "image/png", "data": "iVBORw0KGgo="}],
        [lodger.ResourceContent(uri="note:1", text="a note"), {"type": "text", "text": "look at this"}],
        [
            lodger.TextContent("look at this"),
            lodger.DocumentContent(mime_type="application/pdf", data="JVBERi0xLjQK", name="a.pdf"),
        ],
    ]
    for prompt in blocks:
        async with await lodger.create_agent(model=model) as agent:
            await agent.prompt(prompt)
            assert len(agent.messages()[0].content) == 2


@pytest.mark.parametrize("prompt", ["", [], [{"type": "text"}], [{"type": "smell"}], {"text": "hi"}, None, 5, b"hi"])
async def test_a_malformed_prompt_is_refused_at_once(scripts: Scripts, prompt: Any) -> None:
    async with await lodger.create_agent(model=scripts.model(step(text("ok")))) as agent:
        with pytest.raises(lodger.InvalidArgument) as raised:
            agent.prompt(prompt)
        assert raised.value.code == "invalid_input"
        assert (await agent.prompt("and now a good one")).text == "ok"


async def test_half_a_surrogate_pair_does_no_harm(scripts: Scripts) -> None:
    async with await lodger.create_agent(model=scripts.model(step(text("ok")))) as agent:
        await agent.prompt("half: \ud83d, whole: \U0001f600")
        content = agent.messages()[0].content[0]
        assert isinstance(content, lodger.TextContent)
        assert content.text == "half: \ufffd, whole: \U0001f600"


async def test_messages_and_usage_tell_of_the_session(scripts: Scripts) -> None:
    usage = {"inputTokens": 10, "outputTokens": 2}
    model = scripts.model(step(text("one"), usage=usage), step(text("two"), usage=usage))
    async with await lodger.create_agent(model=model) as agent:
        await agent.prompt("first")
        await agent.prompt("second")
        assert [message.role for message in agent.messages()] == ["user", "assistant", "user", "assistant"]
        assert agent.usage().session.input_tokens == 20
        assert agent.usage().turn.output_tokens == 2


async def test_a_session_can_be_named(scripts: Scripts) -> None:
    async with await lodger.create_agent(model=scripts.model(step(text("ok"))), session_id="ses_mine") as agent:
        assert agent.session_id == "ses_mine"
        assert (await all_events(agent.prompt("hi")))[0].session_id == "ses_mine"


async def test_mode_and_model_can_be_changed(scripts: Scripts, folder: Path) -> None:
    write = step(call("write_file", path="a.txt", content="a"))
    model = scripts.model(write, step(text("refused")), write, step(text("written")))
    async with await lodger.create_agent(cwd=folder, model=model) as agent:
        await agent.prompt("write")
        assert not (folder / "a.txt").exists()
        agent.set_mode("auto-edit")
        await agent.prompt("write")
        assert (folder / "a.txt").read_text() == "a"
        other = scripts.model(*[step(text("other"))] * 5)
        agent.set_model(other)
        assert (await agent.prompt("and you?")).text == "other"
        with pytest.raises(lodger.InvalidArgument):
            agent.set_mode("yolo")  # type: ignore[arg-type]


async def test_closing_ends_what_runs_and_refuses_what_comes_after(scripts: Scripts, tmp_path: Path) -> None:
    agent = await lodger.create_agent(model=scripts.model(step(wait_for_file(tmp_path / "no"))))
    turn = agent.prompt("hi")
    await agent.close()
    assert (await turn.result()).reason == "cancelled"
    await agent.close()
    with pytest.raises(lodger.ClosedError):
        agent.prompt("hi")


async def test_all_who_close_wait_for_the_same_end(scripts: Scripts, tmp_path: Path) -> None:
    agent = await lodger.create_agent(model=scripts.model(step(wait_for_file(tmp_path / "no"))))
    turn = agent.prompt("hi")
    await asyncio.gather(*(agent.close() for _ in range(5)))
    assert (await turn).reason == "cancelled"


async def test_closing_ends_an_iterator_that_waits(scripts: Scripts) -> None:
    agent = await lodger.create_agent(model=scripts.model(step(repeat(100_000))))
    async for event in agent.prompt("hi"):
        if event.type == "text_delta":
            await agent.close()
    assert event.type == "done"
