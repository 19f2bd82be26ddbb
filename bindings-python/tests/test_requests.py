"""What the agent asks its host: permission, and who is told what."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from pathlib import Path
from typing import Any

import lodger
import pytest
from kit import Scripts, all_events, call, repeat, result_text, results, step, text, types, until


def writing(scripts: Scripts, *before: Any) -> str:
    return scripts.model(step(*before, call("write_file", path="a.txt", content="a")), step(text("ok")))


def outcomes(events: list[lodger.Event]) -> list[str]:
    return [event.outcome for event in events if isinstance(event, lodger.RequestResolvedEvent)]


async def test_a_permission_handler_sees_what_the_call_would_do(scripts: Scripts, folder: Path) -> None:
    seen: list[lodger.PermissionRequest] = []

    async def ask(request: lodger.PermissionRequest) -> lodger.PermissionAnswer:
        seen.append(request)
        return {"kind": "allow_once"}

    async with await lodger.create_agent(cwd=folder, model=writing(scripts), on_permission=ask) as agent:
        events = await all_events(agent.prompt("go"))
    [request] = seen
    assert (request.tool_name, request.target.effect, request.target.kind) == ("write_file", "write", "file")
    assert request.target.paths == [str(folder / "a.txt")]
    assert request.input == {"path": "a.txt", "content": "a"}
    opened = next(event for event in events if isinstance(event, lodger.RequestOpenedEvent))
    assert (opened.request_id, opened.tool_call_id) == (request.request_id, request.tool_call_id)
    assert request.expires_at is not None
    assert outcomes(events) == ["allowed_once"]
    assert (folder / "a.txt").read_text() == "a"


async def test_a_plain_function_is_asked_on_a_thread_with_the_context_of_the_prompt(
    scripts: Scripts, folder: Path
) -> None:
    who: contextvars.ContextVar[str] = contextvars.ContextVar("who")
    seen: list[tuple[bool, str]] = []

    def ask(request: lodger.PermissionRequest) -> lodger.PermissionAnswer:
        seen.append((threading.current_thread() is threading.main_thread(), who.get()))
        return {"kind": "deny", "feedback": "not today"}

    async with await lodger.create_agent(cwd=folder, model=writing(scripts), on_permission=ask) as agent:
        who.set("me")
        turn = agent.prompt("go")
        who.set("somebody else")
        events = await all_events(turn)
    assert seen == [(False, "me")]
    assert outcomes(events) == ["denied"]
    assert "not today" in result_text(results(events)[0])
    assert not (folder / "a.txt").exists()


async def test_without_a_handler_the_answer_is_no(scripts: Scripts, folder: Path) -> None:
    async with await lodger.create_agent(cwd=folder, model=writing(scripts)) as agent:
        events = await all_events(agent.prompt("go"))
    denied = next(event for event in events if isinstance(event, lodger.ToolDeniedEvent))
    assert denied.by == "host"
    assert not (folder / "a.txt").exists()


async def raises(request: lodger.PermissionRequest) -> Any:
    raise LookupError("no screen")


async def cancels_itself(request: lodger.PermissionRequest) -> Any:
    raise asyncio.CancelledError


def answers(answer: Any) -> Any:
    async def handler(request: lodger.PermissionRequest) -> Any:
        return answer

    return handler


@pytest.mark.parametrize(
    "handler",
    [
        raises,
        cancels_itself,
        *map(
            answers,
            [
                None,
                True,
                "allow_once",
                {"kind": "allow"},
                {"kind": "allow_once", "and": "more"},
                {"kind": "ALLOW_ONCE"},
                ["allow_once"],
                object(),
                {"kind": object()},
                float("nan"),
            ],
        ),
    ],
)
async def test_a_handler_that_fails_or_answers_nonsense_refuses(scripts: Scripts, folder: Path, handler: Any) -> None:
    async with await lodger.create_agent(cwd=folder, model=writing(scripts), on_permission=handler) as agent:
        events = await all_events(agent.prompt("go"))
    assert outcomes(events) == ["failed"]
    assert "tool_denied" in types(events)
    assert not (folder / "a.txt").exists()


async def test_a_request_is_asked_while_many_deltas_lie_unread(scripts: Scripts, folder: Path) -> None:
    asked = asyncio.Event()

    async def ask(request: lodger.PermissionRequest) -> lodger.PermissionAnswer:
        asked.set()
        return {"kind": "allow_once"}

    model = writing(scripts, repeat(200, "word. "))
    async with await lodger.create_agent(cwd=folder, model=model, on_permission=ask) as agent:
        turn = agent.prompt("go")
        await asyncio.wait_for(asked.wait(), 60)
        assert (await turn).reason == "end_turn"
    assert (folder / "a.txt").exists()


async def test_cancelling_a_turn_cancels_its_open_handler(scripts: Scripts, folder: Path) -> None:
    asked = asyncio.Event()
    ended = asyncio.Event()

    async def ask(request: lodger.PermissionRequest) -> lodger.PermissionAnswer:
        asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return {"kind": "allow_once"}

    async with await lodger.create_agent(cwd=folder, model=writing(scripts), on_permission=ask) as agent:
        turn = agent.prompt("go")
        await asyncio.wait_for(asked.wait(), 60)
        turn.cancel()
        assert (await turn).reason == "cancelled"
        await asyncio.wait_for(ended.wait(), 60)


async def test_a_handler_may_cancel_its_own_turn_and_close_its_agent(scripts: Scripts, folder: Path) -> None:
    async def ask(request: lodger.PermissionRequest) -> lodger.PermissionAnswer:
        turn.cancel()
        await agent.close()
        return {"kind": "allow_once"}

    agent = await lodger.create_agent(cwd=folder, model=writing(scripts), on_permission=ask)
    turn = agent.prompt("go")
    assert (await asyncio.wait_for(turn.result(), 60)).reason == "cancelled"
    assert not (folder / "a.txt").exists()


async def test_nobody_answers_in_time(scripts: Scripts, folder: Path) -> None:
    async def ask(request: lodger.PermissionRequest) -> Any:
        await asyncio.Event().wait()

    options: dict[str, Any] = {"cwd": folder, "on_permission": ask, "permission_timeout_ms": 50}
    async with await lodger.create_agent(model=writing(scripts), **options) as agent:
        events = await all_events(agent.prompt("go"))
    assert outcomes(events) == ["expired"]


async def test_requests_as_events_are_answered_by_id_once_from_any_thread(scripts: Scripts, folder: Path) -> None:
    raised: list[str] = []
    async with await lodger.create_agent(cwd=folder, model=writing(scripts), requests="events") as agent:

        def answer(request_id: str) -> None:
            agent.answer(request_id, {"kind": "allow_once"})
            try:
                agent.answer(request_id, {"kind": "deny"})
            except lodger.RequestError as error:
                raised.append(error.code)

        async for event in agent.prompt("go"):
            if isinstance(event, lodger.RequestOpenedEvent):
                thread = threading.Thread(target=answer, args=[event.request_id])
                thread.start()
        thread.join()
        with pytest.raises(lodger.RequestError) as unknown:
            agent.answer("req_nobody", {"kind": "deny"})
    assert unknown.value.code == "request_not_found"
    assert raised in (["request_settled"], ["request_not_found"])
    assert (folder / "a.txt").exists()


async def test_where_nobody_is_everything_that_would_wait_is_refused_at_once(scripts: Scripts, folder: Path) -> None:
    def ask(request: lodger.PermissionRequest) -> lodger.PermissionAnswer:
        raise AssertionError("asked")

    options: dict[str, Any] = {"cwd": folder, "on_permission": ask, "permission_timeout_ms": 0}
    async with await lodger.create_agent(model=writing(scripts), requests="none", **options) as agent:
        events = await all_events(agent.prompt("go"))
    assert outcomes(events) == []
    assert [event.by for event in events if isinstance(event, lodger.ToolDeniedEvent)] == ["host"]
    assert not (folder / "a.txt").exists()


async def test_a_late_answer_of_a_thread_is_dropped(scripts: Scripts, folder: Path) -> None:
    release = threading.Event()
    asked = threading.Event()

    def ask(request: lodger.PermissionRequest) -> lodger.PermissionAnswer:
        asked.set()
        release.wait()
        return {"kind": "allow_once"}

    async with await lodger.create_agent(cwd=folder, model=writing(scripts), on_permission=ask) as agent:
        turn = agent.prompt("go")
        await until(asked.is_set)
        turn.cancel()
        assert (await turn).reason == "cancelled"
        release.set()
        await asyncio.sleep(0.05)
    assert not (folder / "a.txt").exists()
