"""Questions to the person, and plans to approve."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import lodger
import pytest
from kit import Scripts, all_events, call, result_text, results, step, text
from lodger import sync

OPTIONS = [{"label": "Red", "description": "warm"}, {"label": "Blue"}]
ASKS = call("ask_user", question="Which colour?", options=OPTIONS)
PRESENTS = call("present_plan", plan="1. Write it.")
WRITES = call("write_file", path="a.txt", content="a")


def outcomes(events: list[lodger.Event]) -> list[str]:
    return [event.outcome for event in events if isinstance(event, lodger.RequestResolvedEvent)]


def modes(events: list[lodger.Event]) -> list[str]:
    return [event.mode for event in events if isinstance(event, lodger.ModeChangedEvent)]


async def asked(scripts: Scripts, **options: Any) -> list[lodger.Event]:
    """What comes of a question."""
    async with await lodger.create_agent(model=scripts.model(step(ASKS), step(text("ok"))), **options) as agent:
        return await all_events(agent.prompt("paint it"))


async def planned(scripts: Scripts, folder: Path, **options: Any) -> list[lodger.Event]:
    """What comes of a plan, and of the change after it."""
    model = scripts.model(step(PRESENTS), step(WRITES), step(text("ok")))
    async with await lodger.create_agent(cwd=folder, model=model, mode="plan", **options) as agent:
        return await all_events(agent.prompt("plan it"))


async def raises(request: Any) -> Any:
    raise LookupError("no screen")


def answers(answer: Any) -> Any:
    async def handler(request: Any) -> Any:
        return answer

    return handler


async def test_a_question_reaches_its_handler_and_the_answer_the_model(scripts: Scripts) -> None:
    seen: list[lodger.QuestionRequest] = []

    async def ask(request: lodger.QuestionRequest) -> lodger.QuestionAnswer:
        seen.append(request)
        return {"answers": ["Blue"]}

    events = await asked(scripts, on_question=ask)
    [request] = seen
    assert request.question == "Which colour?"
    assert [(option.label, option.description) for option in request.options] == [("Red", "warm"), ("Blue", None)]
    assert (request.multi_select, request.allow_other) == (False, False)
    assert request.request_id.startswith("req_")
    assert outcomes(events) == ["answered"]
    assert result_text(results(events)[0]) == 'the user chose: "Blue"'


async def test_a_question_may_be_dismissed(scripts: Scripts) -> None:
    events = await asked(scripts, on_question=answers({"dismissed": True}))
    assert outcomes(events) == ["dismissed"]
    assert not results(events)[0].is_error


@pytest.mark.parametrize(
    "handler",
    [
        raises,
        *map(
            answers,
            [
                None,
                "Red",
                {"answers": ["Green"]},
                {"answers": ["Red", "Blue"]},
                {"answers": [], "other": "Green"},
                {"dismissed": False},
                object(),
            ],
        ),
    ],
)
async def test_a_handler_that_fails_or_answers_nonsense_dismisses(scripts: Scripts, handler: Any) -> None:
    events = await asked(scripts, on_question=handler)
    assert outcomes(events) == ["failed"]
    assert results(events)[0].is_error
    assert result_text(results(events)[0]).startswith("dismissed")


async def test_without_a_handler_a_question_is_dismissed_at_once(scripts: Scripts) -> None:
    events = await asked(scripts)
    assert outcomes(events) == []
    assert result_text(results(events)[0]).startswith("dismissed")


async def test_an_approved_plan_goes_on_in_the_mode_that_it_names(scripts: Scripts, folder: Path) -> None:
    seen: list[str] = []

    async def approve(request: lodger.PlanRequest) -> lodger.PlanAnswer:
        seen.append(request.plan)
        return {"approved": True, "mode": "auto-edit"}

    events = await planned(scripts, folder, on_plan=approve)
    assert seen == ["1. Write it."]
    assert (outcomes(events), modes(events)) == (["approved"], ["auto-edit"])
    assert (folder / "a.txt").exists()


async def test_a_rejected_plan_tells_the_model_why(scripts: Scripts, folder: Path) -> None:
    events = await planned(scripts, folder, on_plan=answers({"approved": False, "feedback": "too long"}))
    assert (outcomes(events), modes(events)) == (["rejected"], [])
    assert result_text(results(events)[0]).endswith("too long")
    assert not (folder / "a.txt").exists()


@pytest.mark.parametrize(
    "handler", [raises, *map(answers, [None, True, {"approved": 1}, {"approved": True, "mode": "x"}])]
)
async def test_a_handler_that_fails_or_answers_nonsense_rejects(scripts: Scripts, folder: Path, handler: Any) -> None:
    events = await planned(scripts, folder, on_plan=handler)
    assert (outcomes(events), modes(events)) == (["failed"], [])
    assert not (folder / "a.txt").exists()


def test_a_program_without_a_loop_answers_too(scripts: Scripts, folder: Path) -> None:
    def ask(request: lodger.QuestionRequest) -> lodger.QuestionAnswer:
        return {"answers": [request.options[0].label]}

    def approve(request: lodger.PlanRequest) -> lodger.PlanAnswer:
        return {"approved": "Write" in request.plan}

    model = scripts.model(step(ASKS), step(PRESENTS), step(text("ok")))
    with sync.create_agent(cwd=folder, model=model, mode="plan", on_question=ask, on_plan=approve) as agent:
        events = list(agent.prompt("go"))
    assert (outcomes(events), modes(events)) == (["answered", "approved"], ["ask"])
