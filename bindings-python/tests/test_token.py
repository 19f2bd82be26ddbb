"""`auth={"token": ...}`: the host makes the tokens for its provider."""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, TypeAlias

import lodger
import pytest
from kit import MockModel, Scripts, mock_model, step, text
from lodger import sync

Make: TypeAlias = Callable[[lodger.TokenRequest], "lodger.IssuedToken | Awaitable[lodger.IssuedToken]"]


@pytest.fixture
def mock(scripts: Scripts) -> Iterator[MockModel]:
    with mock_model(scripts.write(step(text("ok")), after="last"), "--api-key", "token-2") as mock:
        yield mock


def options(mock: MockModel, token: Make) -> Any:
    return {
        "model": "acme/mock",
        "endpoint": {"kind": "anthropic", "base_url": mock.base_url},
        "auth": {"token": token},
        "limits": {"max_retries": 0},
    }


class Vault:
    """Makes `token-1`, `token-2` and so on."""

    def __init__(self, **more: Any) -> None:
        self.made: list[str] = []
        self.threads: set[threading.Thread] = set()
        self.more = more

    def make(self, request: lodger.TokenRequest) -> lodger.IssuedToken:
        self.made.append(request.audience)
        self.threads.add(threading.current_thread())
        return {"token": f"token-{len(self.made)}", **self.more}  # type: ignore[typeddict-item]

    async def make_later(self, request: lodger.TokenRequest) -> lodger.IssuedToken:
        await asyncio.sleep(0)
        return self.make(request)


@pytest.mark.parametrize("by_loop", [True, False])
async def test_a_token_is_kept_until_the_provider_refuses_it(mock: MockModel, by_loop: bool) -> None:
    vault = Vault()
    make = vault.make_later if by_loop else vault.make
    async with await lodger.create_agent(**options(mock, make)) as agent:
        assert vault.made == []
        for _ in range(3):
            assert (await agent.prompt("go")).text == "ok"
    assert vault.made == [mock.base_url] * 2
    assert (vault.threads == {threading.current_thread()}) is by_loop


def test_without_a_loop_a_thread_makes_it(mock: MockModel) -> None:
    vault = Vault(expires_at=None)
    with sync.create_agent(**options(mock, vault.make)) as agent:
        assert [agent.prompt("go").result().text for _ in range(3)] == ["ok"] * 3
    assert vault.made == [mock.base_url] * 2
    assert threading.current_thread() not in vault.threads


async def test_a_token_at_its_end_is_made_anew(mock: MockModel) -> None:
    vault = Vault(expires_at=int(time.time() * 1000) - 1)
    vault.made.append("the one that is refused")
    async with await lodger.create_agent(**options(mock, vault.make_later)) as agent:
        assert (await agent.prompt("go")).text == "ok"
        with pytest.raises(lodger.ProviderError):
            await agent.prompt("go")
    assert len(vault.made) > 2


async def test_it_is_made_with_the_context_of_the_prompt(mock: MockModel) -> None:
    whose = contextvars.ContextVar[str]("whose")

    async def make(request: lodger.TokenRequest) -> lodger.IssuedToken:
        return {"token": whose.get()}

    async with await lodger.create_agent(**options(mock, make)) as agent:
        whose.set("token-2")
        assert (await agent.prompt("go")).text == "ok"


def locked(request: lodger.TokenRequest) -> lodger.IssuedToken:
    raise PermissionError("the vault is locked")


async def locked_later(request: lodger.TokenRequest) -> lodger.IssuedToken:
    raise PermissionError("the vault is locked")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (locked, "the vault is locked"),
        (locked_later, "the vault is locked"),
        (lambda _: {"token": "  "}, "the token is empty"),
        (lambda _: "sk-secret", r'must return \{"token": text\}'),
        (lambda _: {"token": "sk-secret", "expiresAt": 1}, r'must return \{"token": text\}'),
        (lambda _: {"token": "sk-secret", "expires_at": 1.5}, "expires_at must be a whole number"),
        (lambda _: {"token": "sk-secret", "expires_at": -1}, "can't convert negative int"),
    ],
)
async def test_what_goes_wrong_fails_the_turn_and_the_agent_goes_on(mock: MockModel, make: Make, message: str) -> None:
    makes: list[Make] = [make, lambda _: {"token": "token-2"}]
    async with await lodger.create_agent(**options(mock, lambda request: makes.pop(0)(request))) as agent:
        with pytest.raises(lodger.ProviderError, match=message) as raised:
            await agent.prompt("go")
        assert (raised.value.code, "sk-secret" in str(raised.value)) == ("provider_auth", False)
        assert (await agent.prompt("go")).text == "ok"


async def test_a_token_that_is_being_made_when_its_turn_is_cancelled_serves_the_next(mock: MockModel) -> None:
    begun, go = asyncio.Event(), asyncio.Event()
    made: list[str] = []

    async def make(request: lodger.TokenRequest) -> lodger.IssuedToken:
        begun.set()
        await go.wait()
        made.append(request.audience)
        return {"token": "token-2"}

    async with await lodger.create_agent(**options(mock, make)) as agent:
        turn = agent.prompt("go")
        await begun.wait()
        turn.cancel()
        assert (await turn).reason == "cancelled"
        go.set()
        assert (await agent.prompt("go")).text == "ok"
    assert made == [mock.base_url]


async def test_a_list_of_models_is_asked_for_with_it_too(mock: MockModel) -> None:
    vault = Vault()
    vault.made.append("the one that is refused")
    of: Any = {"provider": "acme", "endpoint": {"kind": "anthropic", "base_url": mock.base_url}}
    models = await lodger.list_models(**of, auth={"token": vault.make_later})
    assert models == await lodger.list_models(**of, auth={"api_key": "token-2"})
    assert models == sync.list_models(**of, auth={"token": lambda _: {"token": "token-2"}})


def test_what_cannot_be_right_is_refused_at_once() -> None:
    async def later(request: lodger.TokenRequest) -> lodger.IssuedToken:
        return {"token": "never"}

    refused: list[tuple[Any, str]] = [
        ({"token": later}, "auth.token is a coroutine function"),
        ({"token": locked, "provider": "acme"}, "stands alone"),
    ]
    for auth, message in refused:
        with pytest.raises(lodger.InvalidArgument, match=message):
            sync.create_agent(model="anthropic/x", auth=auth)
        with pytest.raises(lodger.InvalidArgument, match=message):
            sync.list_models(provider="anthropic", auth=auth)
