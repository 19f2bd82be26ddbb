"""Checks of the host's: who judges a change before it happens has the last word."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import lodger
import pytest
from kit import Scripts, all_events, call, result_text, results, step, text
from lodger import sync

WRITES = call("write_file", path="new.txt", content="written\n")


async def checked(scripts: Scripts, folder: Path, **options: Any) -> list[lodger.Event]:
    """What comes of a change in full-auto."""
    model = scripts.model(step(WRITES), step(text("ok")))
    async with await lodger.create_agent(cwd=folder, model=model, mode="full-auto", **options) as agent:
        return await all_events(agent.prompt("write it"))


def verdicts(events: list[lodger.Event]) -> list[str]:
    return [event.verdict for event in events if isinstance(event, lodger.GuardVerdictEvent)]


async def test_a_finding_that_blocks_refuses_the_call_in_full_auto(scripts: Scripts, tmp_path: Path) -> None:
    seen: list[lodger.CheckRequest] = []

    async def on_check(request: lodger.CheckRequest) -> lodger.CheckAnswer:
        seen.append(request)
        return {"blocking": True, "findings": ["it is Friday"]}

    events = await checked(scripts, tmp_path, on_check=on_check)
    assert not (tmp_path / "new.txt").exists()
    assert seen[0].tool_name == "write_file"
    assert "+written" in (seen[0].diff or "")
    assert "it is Friday" in result_text(results(events)[0])
    assert verdicts(events) == ["blocked"]


async def test_a_check_that_finds_nothing_lets_the_call_run(scripts: Scripts, tmp_path: Path) -> None:
    await checked(scripts, tmp_path, on_check=lambda _: {"blocking": False, "findings": []})
    assert (tmp_path / "new.txt").exists()


def boom(_: lodger.CheckRequest) -> Any:
    raise RuntimeError("boom")


@pytest.mark.parametrize("on_check", [boom, lambda _: None, lambda _: {"blocking": "no"}])
async def test_a_check_that_gives_no_verdict_refuses_the_call(scripts: Scripts, tmp_path: Path, on_check: Any) -> None:
    events = await checked(scripts, tmp_path, on_check=on_check)
    assert not (tmp_path / "new.txt").exists()
    assert verdicts(events) == ["failed"]


def test_without_a_loop_a_check_is_a_plain_function(scripts: Scripts, tmp_path: Path) -> None:
    model = scripts.model(step(WRITES), step(text("ok")))
    with sync.create_agent(
        cwd=tmp_path, model=model, mode="full-auto", on_check=lambda _: {"blocking": True, "findings": []}
    ) as agent:
        agent.prompt("write it").result()
    assert not (tmp_path / "new.txt").exists()
