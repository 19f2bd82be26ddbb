"""`list_models`: what a provider offers."""

from __future__ import annotations

import asyncio
import gc
import socket
from collections.abc import Iterator
from typing import Any

import lodger
import pytest
from kit import MockModel, Scripts, descriptors, mock_model, step, text
from lodger import sync


@pytest.fixture
def mock(scripts: Scripts) -> Iterator[MockModel]:
    with mock_model(scripts.write(step(text("never asked")))) as mock:
        yield mock


def of(base_url: str) -> Any:
    endpoint: lodger.Endpoint = {"kind": "anthropic", "base_url": base_url}
    return {"provider": "acme", "endpoint": endpoint, "auth": {"api_key": "sk-test"}}


async def test_a_provider_lists_its_models_in_order(mock: MockModel) -> None:
    models = await lodger.list_models(**of(mock.base_url))
    assert models == sorted(models) != []
    assert mock.stats()["requests"] == 0
    assert await asyncio.to_thread(lambda: sync.list_models(**of(mock.base_url))) == models


async def test_many_lists_at_once_are_each_answered(mock: MockModel) -> None:
    first = await lodger.list_models(**of(mock.base_url))
    assert await asyncio.gather(*[lodger.list_models(**of(mock.base_url)) for _ in range(20)]) == [first] * 20


async def test_a_list_that_is_given_up_is_asked_for_no_longer() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        asking = asyncio.create_task(lodger.list_models(**of(f"http://127.0.0.1:{server.getsockname()[1]}")))
        connection, _ = await asyncio.get_running_loop().sock_accept(server)
        with connection:
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            # Far sooner than the answer would be given up for being late.
            while await asyncio.wait_for(asyncio.get_running_loop().sock_recv(connection, 4096), 60):
                pass


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({}, "invalid_options"),
        ({"provider": "nobody"}, "invalid_options"),
        ({"provider": "anthropic", "limits": {"first_byte_timeout": 1}}, "invalid_options"),
        (of("http://127.0.0.1:1"), "provider_unavailable"),
    ],
)
async def test_what_goes_wrong_is_an_error_without_the_key(options: Any, code: str) -> None:
    with pytest.raises(lodger.LodgerError) as raised:
        await lodger.list_models(**options)
    assert (raised.value.code, "sk-test" in str(raised.value)) == (code, False)
    with pytest.raises(lodger.LodgerError) as raised:
        await asyncio.to_thread(lambda: sync.list_models(**options))
    assert raised.value.code == code


def test_a_list_without_a_loop_leaves_no_descriptor(mock: MockModel) -> None:
    first = sync.list_models(**of(mock.base_url))
    before = descriptors()
    assert [sync.list_models(**of(mock.base_url)) for _ in range(20)] == [first] * 20
    gc.collect()
    assert descriptors() <= before


async def test_without_a_loop_the_error_leads_to_the_other_face() -> None:
    asking = lodger.list_models(provider="anthropic")
    with pytest.raises(lodger.LodgerError, match=r"lodger\.sync"):
        await asyncio.to_thread(asking.send, None)
