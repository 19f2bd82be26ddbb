"""`fallback_models`: models that carry on when another fails."""

from __future__ import annotations

import lodger
import pytest
from kit import Scripts, all_events, step, text


async def test_another_model_carries_on_and_says_so(scripts: Scripts) -> None:
    fault = {"type": "error", "code": "provider_overloaded", "message": "too much to do"}
    model, other = scripts.model(step(fault=fault)), scripts.model(step(text("carried on")))
    async with await lodger.create_agent(model=model, fallback_models=[other]) as agent:
        turn = agent.prompt("hi")
        events = await all_events(turn)
        assert (await turn).text == "carried on"
    [told] = [event for event in events if isinstance(event, lodger.FallbackEvent)]
    assert (told.from_model, told.to_model, told.status) == (model, other, None)
    assert told.reason == "provider_overloaded: too much to do"
    [reply] = [event for event in events if isinstance(event, lodger.AssistantMessageEvent)]
    assert reply.model == other


async def test_an_entry_that_could_not_carry_on_is_refused_by_its_place(scripts: Scripts) -> None:
    model = scripts.model(step(text("unasked")))
    with pytest.raises(lodger.InvalidArgument, match=r"fallback_models\[1\]|fallbackModels\[1\]"):
        await lodger.create_agent(model=model, fallback_models=[model, "nobody/x"])


async def test_a_model_that_is_not_there_is_the_providers_fault(scripts: Scripts) -> None:
    fault = {"type": "error", "code": "model_not_found", "message": "no such model"}
    async with await lodger.create_agent(model=scripts.model(step(fault=fault))) as agent:
        with pytest.raises(lodger.ProviderError, match="no such model"):
            await agent.prompt("hi")
