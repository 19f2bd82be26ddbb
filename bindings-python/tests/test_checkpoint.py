"""A session as bytes, and agents that go on from them."""

from __future__ import annotations

import asyncio
import hashlib
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import lodger
import pytest
from kit import Scripts, call, step, text, wait_for_file
from lodger import sync


def header(version: int, payload: bytes) -> bytes:
    return b"LDGR" + struct.pack("<HHI", version, 0, len(payload)) + hashlib.sha256(payload).digest() + payload


async def kept(scripts: Scripts, **options: Any) -> bytes:
    model = scripts.model(step(text("Hello."), usage={"inputTokens": 10, "outputTokens": 2}))
    async with await lodger.create_agent(model=model, **options) as agent:
        await agent.prompt("Say hello")
        return await agent.checkpoint()


async def test_an_agent_goes_on_from_the_bytes_of_another(scripts: Scripts) -> None:
    checkpoint = await kept(
        scripts, session_id="ses_first", auth={"api_key": "sk-very-secret"}, instructions="be brief"
    )
    assert b"sk-very-secret" not in checkpoint
    assert b"be brief" not in checkpoint
    usage = {"inputTokens": 20, "outputTokens": 3}
    now = step(text("Still here."), usage=usage, expect={"lastUserText": "And now?"})
    model = scripts.model(step(text("Hello.")), now)
    async with await lodger.create_agent(model=model, checkpoint=checkpoint) as second:
        assert second.session_id != "ses_first"
        assert [message.role for message in second.messages()] == ["user", "assistant"]
        assert (await second.prompt("And now?")).text == "Still here."
        assert len(second.messages()) == 4
        assert second.usage().session.input_tokens == 30


def test_the_same_holds_without_a_loop_and_in_another_process(scripts: Scripts, tmp_path: Path) -> None:
    file = tmp_path / "checkpoint"
    with sync.create_agent(model=scripts.model(step(text("Hello.")))) as agent:
        agent.prompt("Say hello").result()
        file.write_bytes(agent.checkpoint())
    program = (
        "import pathlib, sys; from lodger import sync\n"
        "agent = sync.create_agent(model=sys.argv[1], checkpoint=pathlib.Path(sys.argv[2]).read_bytes())\n"
        "print(len(agent.messages()), agent.prompt('hi').result().text)"
    )
    arguments = [scripts.model(step(text("Hello.")), step(text("back"))), str(file)]
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True)
    assert done.stdout == "2 back\n"


async def test_the_bytes_are_copied(scripts: Scripts) -> None:
    checkpoint = bytearray(await kept(scripts))
    model = scripts.model(step(text("Hello.")), step(text("ok")))
    for given in (checkpoint, memoryview(bytes(checkpoint))):
        async with await lodger.create_agent(model=model, checkpoint=given) as agent:
            checkpoint[:] = bytes(len(checkpoint))
            assert len(agent.messages()) == 2
            assert (await agent.prompt("go on")).text == "ok"


async def test_bytes_that_cannot_be_gone_on_from_are_told_apart_by_code(scripts: Scripts) -> None:
    good = await kept(scripts)
    payload = good[44:]
    bad = {
        "checkpoint_corrupt": [
            b"",
            b"LDGR",
            good[:-1],
            good + b" ",
            good[:-1] + b"!",
            b"X" + good[1:],
            header(0, payload),
        ],
        "checkpoint_unsupported": [header(2, b"whatever comes then"), header(65_535, payload)],
        "checkpoint_invalid": [header(1, b"{}"), header(1, b"no json"), header(1, b'{"history":[{}],"usage":{}}')],
    }
    for code, all_bytes in bad.items():
        for checkpoint in all_bytes:
            with pytest.raises(lodger.CheckpointError) as raised:
                await lodger.create_agent(model=scripts.model(step(text("ok"))), checkpoint=checkpoint)
            assert raised.value.code == code
            assert "Say hello" not in raised.value.message


async def test_too_many_bytes_are_refused_on_the_way_out_and_in(scripts: Scripts) -> None:
    limits: Any = {"max_checkpoint_bytes": 100}
    with pytest.raises(lodger.CheckpointError) as out:
        await kept(scripts, limits=limits)
    model, checkpoint = scripts.model(step(text("ok"))), await kept(scripts)
    with pytest.raises(lodger.CheckpointError) as back:
        await lodger.create_agent(model=model, limits=limits, checkpoint=checkpoint)
    assert out.value.code == back.value.code == "checkpoint_too_large"


@pytest.mark.parametrize("checkpoint", ["text", 5, ["bytes"]])
async def test_what_is_not_bytes_is_refused(scripts: Scripts, checkpoint: Any) -> None:
    with pytest.raises(lodger.InvalidArgument, match="must be bytes"):
        await lodger.create_agent(model=scripts.model(step(text("ok"))), checkpoint=checkpoint)


async def test_an_agent_that_is_busy_or_closed_has_none(scripts: Scripts, tmp_path: Path) -> None:
    agent = await lodger.create_agent(model=scripts.model(step(wait_for_file(tmp_path / "no"))))
    turn = agent.prompt("hi")
    with pytest.raises(lodger.SessionError) as busy:
        await agent.checkpoint()
    assert busy.value.code == "session_busy"
    turn.cancel()
    await turn
    assert await agent.checkpoint()
    await agent.close()
    with pytest.raises(lodger.ClosedError):
        await agent.checkpoint()


async def test_calls_and_their_results_are_kept(scripts: Scripts, folder: Path) -> None:
    (folder / "a.txt").write_text("forty-two")
    model = scripts.model(step(call("read_file", path="a.txt")), step(text("ok")))
    async with await lodger.create_agent(cwd=folder, model=model) as agent:
        await agent.prompt("look")
        checkpoint = await agent.checkpoint()
        before = agent.messages()
    async with await lodger.create_agent(cwd=folder, model=model, checkpoint=checkpoint) as again:
        assert again.messages() == before
        assert "forty-two" in repr(before)


async def test_a_large_history_does_not_hold_the_loop(scripts: Scripts) -> None:
    model = scripts.model(step({"type": "text", "text": "x" * 300_000}))
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.001)
            ticks += 1

    async with await lodger.create_agent(model=model) as agent:
        await agent.prompt("much")
        ticking = asyncio.create_task(tick())
        for _ in range(3):
            checkpoint = await agent.checkpoint()
            async with await lodger.create_agent(model=model, checkpoint=checkpoint):
                pass
        ticking.cancel()
    assert ticks > 0
