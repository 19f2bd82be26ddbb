"""`lodger.sync`: agents in programs without an event loop."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lodger
import pytest
from kit import (
    Scripts,
    call,
    delay,
    descriptors,
    eventually,
    repeat,
    result_text,
    results,
    said,
    step,
    text,
    types,
    wait_for_file,
)
from lodger import sync


def writing(scripts: Scripts, *before: Any) -> str:
    return scripts.model(step(*before, call("write_file", path="a.txt", content="a")), step(text("ok")))


def allow(request: lodger.PermissionRequest) -> lodger.PermissionAnswer:
    return {"kind": "allow_once"}


def outcomes(events: list[lodger.Event]) -> list[str]:
    return [event.outcome for event in events if isinstance(event, lodger.RequestResolvedEvent)]


def test_a_prompt_can_be_iterated_to_its_done(scripts: Scripts) -> None:
    with sync.create_agent(model=scripts.model(step(text("Hello, ", "world.")))) as agent:
        events = list(agent.prompt("hi"))
    assert types(events)[:2] == ["user_message", "turn_start"]
    assert types(events)[-1] == "done"
    assert said(events) == "Hello, world."


def test_a_long_stream_arrives_whole(scripts: Scripts) -> None:
    with sync.create_agent(model=scripts.model(step(repeat(20_000)))) as agent:
        turn = agent.prompt("hi")
        assert said(list(turn)) == turn.result().text == "word " * 20_000


def test_result_reads_to_the_end_and_can_be_had_again(scripts: Scripts) -> None:
    with sync.create_agent(model=scripts.model(step(repeat(2000)))) as agent:
        turn = agent.prompt("hi")
        assert turn.result().text == turn.result().text == "word " * 2000
        with pytest.raises(lodger.LodgerError) as raised:
            iter(turn)
        assert raised.value.code == "reader_busy"


def test_handlers_and_tools_run_on_the_thread_that_reads_one_after_the_other(scripts: Scripts, folder: Path) -> None:
    ran_on: list[tuple[str, threading.Thread]] = []

    @lodger.tool(read_only=True)
    def look(place: str, context: lodger.ToolContext) -> str:
        """Looks."""
        context.progress(f"looking at {place}")
        ran_on.append((place, threading.current_thread()))
        return f"seen {place}"

    def ask(request: lodger.PermissionRequest) -> lodger.PermissionAnswer:
        ran_on.append((request.tool_name, threading.current_thread()))
        return {"kind": "allow_once"}

    first = step(call("look", place="one"), call("look", place="two"))
    second = step(call("write_file", path="a.txt", content="a"))
    model = scripts.model(first, second, step(text("ok")))
    with sync.create_agent(cwd=folder, model=model, tools=[look], on_permission=ask) as agent:
        events = list(agent.prompt("go"))
    assert [name for name, _ in ran_on] == ["one", "two", "write_file"]
    assert {thread for _, thread in ran_on} == {threading.current_thread()}
    assert [result_text(event) for event in results(events)[:2]] == ["seen one", "seen two"]
    assert "tool_progress" in types(events)
    assert (folder / "a.txt").read_text() == "a"


def test_requests_are_served_for_a_result_too(scripts: Scripts, folder: Path) -> None:
    with sync.create_agent(cwd=folder, model=writing(scripts), on_permission=allow) as agent:
        assert agent.prompt("go").result().text == "ok"
    assert (folder / "a.txt").exists()


def raises(request: lodger.PermissionRequest) -> Any:
    raise LookupError("no screen")


def answers_nonsense(request: lodger.PermissionRequest) -> Any:
    return {"kind": "yes"}


def answers_no_json(request: lodger.PermissionRequest) -> Any:
    return object()


@pytest.mark.parametrize("handler", [raises, answers_nonsense, answers_no_json])
def test_a_handler_that_fails_or_answers_nonsense_refuses(scripts: Scripts, folder: Path, handler: Any) -> None:
    with sync.create_agent(cwd=folder, model=writing(scripts), on_permission=handler) as agent:
        events = list(agent.prompt("go"))
    assert outcomes(events) == ["failed"]
    assert not (folder / "a.txt").exists()


async def a_coroutine(request: lodger.PermissionRequest) -> Any: ...


@lodger.tool
async def a_coroutine_tool() -> None:
    """Needs a loop."""


@pytest.mark.parametrize("options", [{"on_permission": a_coroutine}, {"tools": [a_coroutine_tool]}])
def test_a_coroutine_function_is_refused_at_once(scripts: Scripts, options: Any) -> None:
    with pytest.raises(lodger.InvalidArgument, match="coroutine function"):
        sync.create_agent(model=scripts.model(step(text("ok"))), **options)


def test_leaving_the_loop_early_cancels(scripts: Scripts) -> None:
    with sync.create_agent(model=scripts.model(step(repeat(100_000)), after="last")) as agent:
        turn = agent.prompt("hi")
        for event in turn:
            if event.type == "text_delta":
                break
        assert turn.result().reason == "cancelled"
        agent.prompt("again").cancel()


def test_stream_settles_before_its_block_is_left(scripts: Scripts) -> None:
    with sync.create_agent(model=scripts.model(step(repeat(100_000)), after="last")) as agent:
        with agent.stream("hi") as events:
            next(events)
        assert agent.interrupt() is False
        assert events.turn.result().reason == "cancelled"


def test_asking_for_the_result_inside_the_loop_is_an_error_and_no_deadlock(scripts: Scripts) -> None:
    with sync.create_agent(model=scripts.model(step(text("ok")))) as agent:
        turn = agent.prompt("hi")
        for event in turn:
            if event.type != "done":
                with pytest.raises(lodger.LodgerError, match="leave the loop"):
                    turn.result()
        assert turn.result().text == "ok"


def test_another_thread_can_cancel_and_wait(scripts: Scripts, tmp_path: Path) -> None:
    with sync.create_agent(model=scripts.model(step(text("a"), wait_for_file(tmp_path / "no")))) as agent:
        turn = agent.prompt("hi")
        reasons: list[str] = []

        def end() -> None:
            turn.cancel()
            reasons.append(turn.result().reason)

        other = threading.Timer(0.05, end)
        other.start()
        assert types(list(turn))[-1] == "done"
        other.join()
        assert reasons == ["cancelled"]


def test_a_tool_can_see_that_nobody_waits_for_it_any_more(scripts: Scripts) -> None:
    seen: list[bool] = []
    turn: sync.Turn | None = None

    @lodger.tool
    def slow(context: lodger.ToolContext) -> str:
        """Waits until it is told to stop, which it asks for itself."""
        assert not context.cancelled.is_set()
        assert context.cancelled.wait(0.01) is False
        assert turn is not None
        threading.Timer(0.05, turn.cancel).start()
        seen.append(context.cancelled.wait(60))
        return "too late"

    @lodger.tool(timeout_ms=50)
    def too_slow(context: lodger.ToolContext) -> str:
        """Waits until it is told to stop."""
        seen.append(context.cancelled.wait(60))
        return "too late"

    def cancelled() -> lodger.TurnResult:
        nonlocal turn
        with sync.create_agent(model=scripts.model(step(call("slow"))), tools=[slow]) as agent:
            turn = agent.prompt("go")
            return turn.result()

    def timed_out() -> lodger.TurnResult:
        model = scripts.model(step(call("too_slow")), step(text("ok")))
        with sync.create_agent(model=model, tools=[too_slow]) as agent:
            return agent.prompt("go").result()

    assert cancelled().reason == "cancelled"
    assert timed_out().text == "ok"
    assert seen == [True, True]


def test_a_failed_turn_raises_with_its_partial_result(scripts: Scripts) -> None:
    fault = {"type": "error", "code": "provider_rejected", "message": "no such model", "afterParts": 1}
    with sync.create_agent(model=scripts.model(step(text("so far"), fault=fault))) as agent:
        with pytest.raises(lodger.ProviderError, match="no such model") as raised:
            agent.prompt("hi").result()
        assert raised.value.result is not None
        assert raised.value.result.text == "so far"


def interrupted(read: Callable[[sync.Turn], object], turn: sync.Turn) -> None:
    """Has the turn read, and sends what Ctrl-C sends once the reader waits for an event."""
    reader = threading.get_ident()

    def interrupt() -> None:
        eventually(lambda: sys._current_frames()[reader].f_code.co_name == "next_batch")
        time.sleep(0.1)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    read(turn)


def test_ctrl_c_ends_a_wait_and_cancels_the_turn(scripts: Scripts, tmp_path: Path) -> None:
    model = scripts.model(step(text("a"), wait_for_file(tmp_path / "no")), after="last")
    with sync.create_agent(model=model) as agent:
        for read in (list, sync.Turn.result):
            turn = agent.prompt("hi")
            with pytest.raises(KeyboardInterrupt):
                interrupted(read, turn)
            assert turn.result().reason == "cancelled"


def test_ctrl_c_in_a_handler_refuses_and_cancels(scripts: Scripts, folder: Path) -> None:
    def ask(request: lodger.PermissionRequest) -> lodger.PermissionAnswer:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(30)
        return {"kind": "allow_once"}

    with sync.create_agent(cwd=folder, model=writing(scripts), on_permission=ask) as agent:
        turn = agent.prompt("go")
        with pytest.raises(KeyboardInterrupt):
            list(turn)
        assert turn.result().reason == "cancelled"
    assert not (folder / "a.txt").exists()


def test_other_signals_do_not_disturb_a_wait(scripts: Scripts) -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGUSR1, lambda number, _: heard.append(number))
    try:
        with sync.create_agent(model=scripts.model(step(delay(300), text("ok")))) as agent:
            for wait in (0.05, 0.1):
                threading.Timer(wait, os.kill, [os.getpid(), signal.SIGUSR1]).start()
            assert agent.prompt("hi").result().text == "ok"
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert heard == [signal.SIGUSR1] * 2


def test_closing_from_another_thread_ends_a_reader(scripts: Scripts, tmp_path: Path) -> None:
    agent = sync.create_agent(model=scripts.model(step(text("a"), wait_for_file(tmp_path / "no"))))
    turn = agent.prompt("hi")
    closing = threading.Timer(0.05, agent.close)
    closing.start()
    assert types(list(turn))[-1] == "done"
    closing.join()
    assert turn.result().reason == "cancelled"
    with pytest.raises(lodger.ClosedError):
        agent.prompt("hi")


def test_closing_without_patience_leaves_no_reader_waiting(scripts: Scripts, tmp_path: Path) -> None:
    ended: list[str] = []

    def read(turn: sync.Turn) -> None:
        try:
            ended.append(turn.result().reason)
        except lodger.ClosedError:
            ended.append("closed")

    for _ in range(20):
        agent = sync.create_agent(model=scripts.model(step(text("a"), wait_for_file(tmp_path / "no"))))
        reader = threading.Thread(target=read, args=[agent.prompt("hi")])
        reader.start()
        agent.close(timeout=0)
        reader.join(60)
        assert not reader.is_alive()
    assert len(ended) == 20
    assert set(ended) <= {"cancelled", "closed"}


def test_a_handler_may_close_its_agent(scripts: Scripts, folder: Path) -> None:
    def ask(request: lodger.PermissionRequest) -> lodger.PermissionAnswer:
        agent.close()
        return {"kind": "allow_once"}

    agent = sync.create_agent(cwd=folder, model=writing(scripts), on_permission=ask)
    assert agent.prompt("go").result().reason == "cancelled"
    assert not (folder / "a.txt").exists()


def test_requests_as_events_are_answered_by_id_while_reading(scripts: Scripts, folder: Path) -> None:
    with sync.create_agent(cwd=folder, model=writing(scripts), requests="events") as agent:
        for event in agent.prompt("go"):
            if event.type == "request_opened":
                agent.answer(event.request_id, {"kind": "allow_once"})
    assert (folder / "a.txt").exists()


def test_agents_of_many_threads_run_side_by_side_and_leave_no_descriptor(scripts: Scripts) -> None:
    @lodger.tool
    def double(number: int) -> int:
        """Doubles it."""
        return number * 2

    model = scripts.model(step(repeat(500), call("double", number=21)), step(text("42")))
    texts: list[str] = []

    def work() -> None:
        for _ in range(5):
            with sync.create_agent(model=model, tools=[double]) as agent:
                texts.append(agent.prompt("go").result().text)

    with sync.create_agent(model=model, tools=[double]) as agent:
        kept = agent.prompt("go")
        kept.result()
        before = descriptors()
        running = [threading.Thread(target=work) for _ in range(16)]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()
        gc.collect()
        assert eventually(lambda: descriptors() <= before)
    assert texts == ["42"] * 80


def test_once_a_turn_is_cancelled_no_handler_is_called(scripts: Scripts, folder: Path) -> None:
    asked: list[str] = []

    def ask(request: lodger.PermissionRequest) -> lodger.PermissionAnswer:
        asked.append(request.tool_name)
        return {"kind": "allow_once"}

    model = scripts.model(step(call("write_file", path="a.txt", content="a")), after="last")
    with sync.create_agent(cwd=folder, model=model, on_permission=ask) as agent:
        for _ in range(20):
            turn = agent.prompt("go")
            for event in turn:
                if event.type == "request_opened":
                    turn.cancel()
            assert turn.result().reason == "cancelled"
    assert asked == []


def test_a_dropped_turn_is_cancelled(scripts: Scripts, tmp_path: Path) -> None:
    with sync.create_agent(model=scripts.model(step(wait_for_file(tmp_path / "no")))) as agent:
        agent.prompt("hi")
        assert eventually(lambda: not agent.interrupt())
