"""`on_diagnostic`: what happens inside an agent, told to the host in order."""

from __future__ import annotations

import asyncio
import contextvars
import json
import threading
import time
from pathlib import Path
from typing import Any

import lodger
import pytest
from kit import Scripts, call, mock_model, repeat, step, text, until, wait_for_file
from lodger import sync


class Heard:
    """What the callback was told, and on which thread."""

    def __init__(self) -> None:
        self.all: list[lodger.Diagnostic] = []
        self.threads: set[threading.Thread] = set()

    def __call__(self, diagnostic: lodger.Diagnostic) -> None:
        self.all.append(diagnostic)
        self.threads.add(threading.current_thread())

    @property
    def types(self) -> list[str]:
        return [diagnostic.type for diagnostic in self.all]


@pytest.fixture
def heard() -> Heard:
    return Heard()


def writing(scripts: Scripts) -> str:
    return scripts.model(step(call("write_file", path="a.txt", content="a")), step(text("ok")))


def allow(request: lodger.PermissionRequest) -> lodger.PermissionAnswer:
    return {"kind": "allow_once"}


def logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What the exceptions said that `lodger` has logged."""
    return [str(record.exc_info[1]) for record in caplog.records if record.name == "lodger" and record.exc_info]


ASKED = ["permission.request", "permission.decision"]
BEGIN, END = ["runtime.start", "runtime.ready"], ["runtime.exit"]


async def test_creating_and_closing_are_told_by_the_time_they_return(scripts: Scripts, heard: Heard) -> None:
    agent = await lodger.create_agent(model=scripts.model(step(text("ok"))), on_diagnostic=heard)
    assert heard.types == BEGIN
    await agent.prompt("hi")
    await agent.close()
    await agent.close()
    assert heard.types == BEGIN + END
    exit = heard.all[-1]
    assert isinstance(exit, lodger.RuntimeExitDiagnostic)
    assert (exit.code, exit.session_id) == (0, agent.session_id)
    assert heard.all[0].ts <= exit.ts


async def test_a_turn_is_told_by_the_time_its_result_is_there(scripts: Scripts, folder: Path, heard: Heard) -> None:
    async with await lodger.create_agent(
        cwd=folder, model=writing(scripts), on_permission=allow, on_diagnostic=heard
    ) as agent:
        await agent.prompt("go")
        assert heard.types == BEGIN + ASKED
    decided = next(told for told in heard.all if isinstance(told, lodger.PermissionDecisionDiagnostic))
    assert (decided.tool_name, decided.kind, decided.outcome) == ("write_file", "file", "allowed_once")
    assert heard.types == BEGIN + ASKED + END


async def test_it_is_told_on_the_loop_while_nobody_reads(scripts: Scripts, folder: Path, heard: Heard) -> None:
    go = folder / "go"
    write = call("write_file", path="a.txt", content="a")
    model = scripts.model(step(write), step(repeat(5000), wait_for_file(go)), after="last")
    async with await lodger.create_agent(cwd=folder, model=model, on_permission=allow, on_diagnostic=heard) as agent:
        turn = agent.prompt("go")
        await until(lambda: "output.backpressure" in heard.types)
        assert heard.types == [*BEGIN, *ASKED, "output.backpressure"]
        turn.cancel()
    assert heard.threads == {threading.current_thread()}
    assert heard.types == [*BEGIN, *ASKED, "output.backpressure", *END]


async def test_what_goes_over_the_wire_is_told_without_secrets(scripts: Scripts, heard: Heard) -> None:
    faults = scripts.folder / "faults.json"
    faults.write_text(json.dumps([{"request": 1, "fault": {"type": "status", "status": 404, "body": "secret-body"}}]))
    script = scripts.write(step(text("secret-answer")), after="last")
    with mock_model(script, "--api-key", "secret-key", "--faults", str(faults)) as mock:
        async with await lodger.create_agent(
            model="anthropic/mock",
            endpoint={"kind": "anthropic", "base_url": mock.base_url, "headers": {"x-own": "secret-header"}},
            auth={"api_key": "secret-key"},
            on_diagnostic=heard,
        ) as agent:
            with pytest.raises(lodger.ProviderError):
                await agent.prompt("secret-question")
            assert (await agent.prompt("secret-question")).text == "secret-answer"
    told = heard.types[len(BEGIN) : -len(END)]
    assert told == ["transport.start", "transport.response", "transport.error", "transport.start", "transport.response"]
    start = heard.all[2]
    assert isinstance(start, lodger.TransportStartDiagnostic)
    assert (start.attempt, start.method, start.model) == (1, "POST", "anthropic/mock")
    assert start.endpoint == f"{mock.base_url}/v1/messages"
    responses = [told for told in heard.all if isinstance(told, lodger.TransportResponseDiagnostic)]
    assert [response.status for response in responses] == [404, 200]
    assert "secret" not in repr(heard.all) + repr([told.to_wire() for told in heard.all])


async def test_a_callback_that_raises_changes_nothing_and_is_told_all_the_same(
    scripts: Scripts, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    told: list[str] = []

    def raises(diagnostic: lodger.Diagnostic) -> None:
        told.append(diagnostic.type)
        raise LookupError(diagnostic.type)

    async with await lodger.create_agent(
        cwd=folder, model=writing(scripts), on_permission=allow, on_diagnostic=raises
    ) as agent:
        assert (await agent.prompt("go")).text == "ok"
    assert told == BEGIN + ASKED + END
    assert logged(caplog) == told


def test_a_callback_may_end_the_program_and_all_agents_are_closed(scripts: Scripts, folder: Path, heard: Heard) -> None:
    streaming, waiting = scripts.model(step(repeat(10_000_000))), writing(scripts)

    def leave(diagnostic: lodger.Diagnostic) -> None:
        heard(diagnostic)
        if diagnostic.type == "permission.request":
            raise SystemExit(3)

    async def stream() -> None:
        async with await lodger.create_agent(model=streaming, on_diagnostic=heard) as agent:
            await agent.prompt("go")

    async def ask() -> None:
        async with await lodger.create_agent(
            cwd=folder, model=waiting, on_permission=allow, on_diagnostic=leave
        ) as agent:
            await agent.prompt("go")

    async def main() -> None:
        await asyncio.gather(*(stream() for _ in range(5)), ask())

    with pytest.raises(SystemExit):
        asyncio.run(main())
    assert heard.types.count("runtime.exit") == 6


async def test_an_agent_that_cannot_be_made_tells_that_it_began(scripts: Scripts, heard: Heard) -> None:
    with pytest.raises(lodger.InvalidArgument):
        await lodger.create_agent(model="nothing/known", on_diagnostic=heard)
    assert heard.types == ["runtime.start"]


async def test_from_a_checkpoint_it_is_told_on_the_loop_too(scripts: Scripts, heard: Heard) -> None:
    model = scripts.model(step(text("ok")))
    async with await lodger.create_agent(model=model) as first:
        await first.prompt("hi")
        checkpoint = await first.checkpoint()
    async with await lodger.create_agent(model=model, checkpoint=checkpoint, on_diagnostic=heard):
        assert heard.types == BEGIN
    assert heard.threads == {threading.current_thread()}


async def test_it_is_told_with_the_context_of_the_prompt(scripts: Scripts, folder: Path) -> None:
    where: contextvars.ContextVar[str] = contextvars.ContextVar("where", default="nowhere")
    told: list[tuple[str, str]] = []
    where.set("created")
    agent = await lodger.create_agent(
        cwd=folder,
        model=writing(scripts),
        on_permission=allow,
        on_diagnostic=lambda diagnostic: told.append((diagnostic.type, where.get())),
    )
    where.set("prompted")
    turn = agent.prompt("go")
    where.set("read")
    await turn
    where.set("closed")
    await agent.close()
    places = ["created"] * 2 + ["prompted"] * 2 + ["closed"]
    assert told == list(zip(BEGIN + ASKED + END, places, strict=True))


def test_an_agent_tells_the_loop_that_it_is_used_on(scripts: Scripts, folder: Path, heard: Heard) -> None:
    async def create() -> lodger.Agent:
        model = scripts.model(*[step(call("write_file", path="a.txt", content="a")), step(text("ok"))] * 2)
        return await lodger.create_agent(cwd=folder, model=model, on_permission=allow, on_diagnostic=heard)

    async def use(agent: lodger.Agent) -> str:
        return (await agent.prompt("go")).text

    agent = asyncio.run(create())
    assert [asyncio.run(use(agent)) for _ in range(2)] == ["ok", "ok"]
    asyncio.run(agent.close())
    assert heard.types == BEGIN + ASKED + ASKED + END


async def test_a_cancelled_close_tells_the_end_all_the_same(scripts: Scripts, tmp_path: Path, heard: Heard) -> None:
    agent = await lodger.create_agent(model=scripts.model(step(wait_for_file(tmp_path / "no"))), on_diagnostic=heard)
    turn = agent.prompt("hi")
    closing = asyncio.create_task(agent.close())
    await asyncio.sleep(0)
    closing.cancel()
    await until(lambda: heard.types[-1:] == END)
    assert (await turn.result()).reason == "cancelled"


async def test_many_agents_are_told_of_themselves_only(scripts: Scripts) -> None:
    model = scripts.model(step(text("ok")))

    async def one() -> None:
        heard = Heard()
        async with await lodger.create_agent(model=model, on_diagnostic=heard) as agent:
            await agent.prompt("hi")
        assert heard.types == BEGIN + END
        assert {told.session_id for told in heard.all} == {agent.session_id}

    await asyncio.gather(*(one() for _ in range(50)))


async def a_coroutine(diagnostic: lodger.Diagnostic) -> None: ...


@pytest.mark.parametrize("given", [a_coroutine, "yes"])
async def test_what_is_no_plain_function_is_refused(scripts: Scripts, given: Any) -> None:
    with pytest.raises(lodger.InvalidArgument, match="on_diagnostic"):
        await lodger.create_agent(model=scripts.model(step(text("ok"))), on_diagnostic=given)
    with pytest.raises(lodger.InvalidArgument, match="on_diagnostic"):
        sync.create_agent(model=scripts.model(step(text("ok"))), on_diagnostic=given)


def test_without_a_loop_the_thread_that_reads_is_told_in_order(scripts: Scripts, folder: Path, heard: Heard) -> None:
    agent = sync.create_agent(cwd=folder, model=writing(scripts), on_permission=allow, on_diagnostic=heard)
    assert heard.types == BEGIN
    for event in agent.prompt("go"):
        if event.type == "done":
            assert heard.types == BEGIN + ASKED
    agent.close()
    assert heard.types == BEGIN + ASKED + END
    assert heard.threads == {threading.current_thread()}


def test_without_a_loop_a_reader_that_waits_is_told_at_once(scripts: Scripts, tmp_path: Path) -> None:
    go = tmp_path / "go"

    def told(diagnostic: lodger.Diagnostic) -> None:
        # The model goes on when this has come, so it cannot come with the next event.
        if diagnostic.type == "transport.response":
            go.touch()

    script = scripts.write(step(text("first "), wait_for_file(go), text("second")))
    with mock_model(script) as mock, sync.create_agent(**mock.options, on_diagnostic=told) as agent:
        assert agent.prompt("hi").result().text == "first second"


def test_without_a_loop_a_callback_that_raises_changes_nothing(
    scripts: Scripts, caplog: pytest.LogCaptureFixture
) -> None:
    def raises(diagnostic: lodger.Diagnostic) -> None:
        raise LookupError(diagnostic.type)

    with sync.create_agent(model=scripts.model(step(text("ok"))), on_diagnostic=raises) as agent:
        assert agent.prompt("hi").result().text == "ok"
    assert logged(caplog) == BEGIN + END


def test_without_a_loop_ctrl_c_in_a_callback_cancels_and_loses_no_diagnostic(
    scripts: Scripts, folder: Path, heard: Heard
) -> None:
    def interrupted(diagnostic: lodger.Diagnostic) -> None:
        heard(diagnostic)
        if diagnostic.type == "permission.request":
            raise KeyboardInterrupt

    agent = sync.create_agent(cwd=folder, model=writing(scripts), on_permission=allow, on_diagnostic=interrupted)
    turn = agent.prompt("go")
    with pytest.raises(KeyboardInterrupt):
        turn.result()
    assert turn.result().reason == "cancelled"
    agent.close()
    assert heard.types == BEGIN + ASKED + END
    assert not (folder / "a.txt").exists()


def test_without_a_loop_the_callback_may_close_its_agent(scripts: Scripts, folder: Path, heard: Heard) -> None:
    def close(diagnostic: lodger.Diagnostic) -> None:
        heard(diagnostic)
        if diagnostic.type == "permission.request":
            agent.close()

    agent = sync.create_agent(cwd=folder, model=writing(scripts), on_permission=allow, on_diagnostic=close)
    assert agent.prompt("go").result().reason == "cancelled"
    assert heard.types[:3] == [*BEGIN, "permission.request"]
    assert heard.types[-1:] == END
    assert heard.types.count("runtime.exit") == 1
    assert not (folder / "a.txt").exists()


def test_without_a_loop_a_close_from_another_thread_keeps_the_order(
    scripts: Scripts, folder: Path, heard: Heard
) -> None:
    asked = threading.Event()

    def slow(diagnostic: lodger.Diagnostic) -> None:
        if diagnostic.type == "permission.request":
            asked.set()
            time.sleep(0.05)
        heard(diagnostic)

    agent = sync.create_agent(cwd=folder, model=writing(scripts), on_permission=allow, on_diagnostic=slow)
    turn = agent.prompt("go")
    reading = threading.Thread(target=lambda: list(turn))
    reading.start()
    assert asked.wait(20)
    agent.close()
    assert heard.types == BEGIN + ASKED + END
    reading.join(20)
    assert not reading.is_alive()
    assert heard.types == BEGIN + ASKED + END
