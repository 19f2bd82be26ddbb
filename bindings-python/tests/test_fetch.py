"""`fetch`: the host carries the requests to models."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import functools
import http.client
import itertools
import json
import subprocess
import sys
import threading
import urllib.parse
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from typing import Any, TypeAlias

import lodger
import pytest
from kit import Part, Scripts, all_events, eventually, mock_model, repeat, said, step, text, until
from lodger import sync

Fetch: TypeAlias = Callable[[lodger.FetchRequest], "lodger.FetchResponse | Awaitable[lodger.FetchResponse]"]


async def on_the_loop(request: lodger.FetchRequest) -> lodger.FetchResponse:
    """A client of asyncio's own streams."""
    url = urllib.parse.urlsplit(request.url)
    reader, writer = await asyncio.open_connection(url.hostname, url.port)
    headers = "".join(f"{name}: {value}\r\n" for name, value in request.headers)
    length = f"content-length: {len(request.body)}\r\n"
    # By HTTP/1.0 a body ends with its connection.
    head = f"{request.method} {url.path}?{url.query} HTTP/1.0\r\nhost: {url.netloc}\r\n{headers}{length}\r\n"
    writer.write(head.encode() + request.body)
    status, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    pairs = [(name, value.strip()) for name, _, value in (line.partition(":") for line in lines if line)]

    async def body() -> AsyncIterator[bytes]:
        try:
            while piece := await reader.read(65536):
                yield piece
        finally:
            writer.close()

    return lodger.FetchResponse(int(status.split()[1]), pairs, body())


def on_a_thread(request: lodger.FetchRequest) -> lodger.FetchResponse:
    """A client that blocks."""
    url = urllib.parse.urlsplit(request.url)
    connection = http.client.HTTPConnection(url.netloc, timeout=60)
    connection.request(request.method, f"{url.path}?{url.query}", request.body, dict(request.headers))
    response = connection.getresponse()

    def body() -> Iterator[bytes]:
        with contextlib.closing(connection):
            yield from iter(functools.partial(response.read1, 65536), b"")

    return lodger.FetchResponse(response.status, response.getheaders(), body())


def sse(deltas: Iterable[str]) -> Iterator[bytes]:
    """An answer of a model, piece by piece."""

    def event(data: dict[str, Any]) -> bytes:
        return f"event: {data['type']}\ndata: {json.dumps(data)}\n\n".encode()

    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "m", "type": "message", "role": "assistant", "model": "x", "content": [], "usage": usage}
    yield event({"type": "message_start", "message": message})
    yield event({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})
    for delta in deltas:
        yield event({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": delta}})
    yield event({"type": "content_block_stop", "index": 0})
    yield event({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage})
    yield event({"type": "message_stop"})


SSE = {"content-type": "text/event-stream"}


class Answering:
    """Answers by itself, and counts the bytes that were asked for."""

    def __init__(self, deltas: Iterable[str], by_loop: bool) -> None:
        self.asked = 0
        self.is_closed = False
        self._deltas = deltas
        self._by_loop = by_loop

    def __call__(self, request: lodger.FetchRequest) -> lodger.FetchResponse:
        return lodger.FetchResponse(200, SSE, self._on_loop() if self._by_loop else self._pieces())

    def _pieces(self) -> Iterator[bytes]:
        try:
            for piece in sse(self._deltas):
                self.asked += len(piece)
                yield piece
        finally:
            self.is_closed = True

    async def _on_loop(self) -> AsyncIterator[bytes]:
        try:
            for piece in sse(self._deltas):
                self.asked += len(piece)
                yield piece
                await asyncio.sleep(0)
        finally:
            self.is_closed = True


def options(**more: Any) -> Any:
    endpoint = {"kind": "anthropic", "base_url": "http://127.0.0.1:9"}
    return {
        "model": "anthropic/mock",
        "endpoint": endpoint,
        "auth": {"api_key": "sk-secret"},
        "limits": {"max_retries": 0},
        **more,
    }


@pytest.mark.parametrize("fetch", [on_the_loop, on_a_thread])
async def test_every_request_goes_through_the_hosts_fetch(scripts: Scripts, fetch: Fetch) -> None:
    seen: list[lodger.FetchRequest] = []
    given_up: list[str] = []
    whose = contextvars.ContextVar[str]("whose")

    async def carry(request: lodger.FetchRequest) -> lodger.FetchResponse:
        seen.append(request)
        assert whose.get() == "mine"
        try:
            response = fetch(request)
            return await response if isinstance(response, Awaitable) else response
        except asyncio.CancelledError:
            given_up.append(request.url)
            raise

    whose.set("mine")
    with mock_model(scripts.write(step(text("one")), step(text("two"))), "--api-key", "key") as mock:
        async with await lodger.create_agent(**mock.options, fetch=carry) as agent:
            assert [(await agent.prompt("first")).text, (await agent.prompt("second")).text] == ["one", "two"]
        assert mock.stats()["requests"] == len(seen) == 2
    assert {request.method for request in seen} == {"POST"}
    assert "second" in seen[1].body.decode()
    assert ("x-api-key", "key") in seen[0].headers
    assert "key" not in repr(seen[0])
    assert given_up == []


LONG: Part = repeat(20_000, "0123456789")


@pytest.mark.parametrize("fetch", [on_the_loop, on_a_thread, lambda request: on_the_loop(request)])
async def test_a_long_answer_arrives_whole(scripts: Scripts, fetch: Fetch) -> None:
    with mock_model(scripts.write(step(LONG))) as mock:
        async with await lodger.create_agent(**mock.options, fetch=fetch) as agent:
            assert said(await all_events(agent.prompt("go"))) == "0123456789" * 20_000


def test_a_long_answer_arrives_whole_without_a_loop(scripts: Scripts) -> None:
    with mock_model(scripts.write(step(LONG))) as mock, sync.create_agent(**mock.options, fetch=on_a_thread) as agent:
        assert said(list(agent.prompt("go"))) == "0123456789" * 20_000
        assert mock.stats()["requests"] == 1


async def test_a_cancelled_turn_cancels_the_task_that_carries_its_request() -> None:
    begun, cancelled = asyncio.Event(), asyncio.Event()

    async def never(request: lodger.FetchRequest) -> lodger.FetchResponse:
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise
        raise AssertionError

    async with await lodger.create_agent(**options(fetch=never)) as agent:
        turn = agent.prompt("go")
        await asyncio.wait_for(begun.wait(), 60)
        turn.cancel()
        assert (await turn).reason == "cancelled"
        await asyncio.wait_for(cancelled.wait(), 60)


@pytest.mark.parametrize("by_loop", [True, False])
async def test_nobody_runs_ahead_of_a_turn_that_is_not_read_and_its_end_closes_the_body(by_loop: bool) -> None:
    fetch = Answering(itertools.repeat("x" * 10_000), by_loop)
    async with await lodger.create_agent(**options(fetch=fetch)) as agent:
        turn = agent.prompt("go")
        await until(lambda: fetch.asked > 1024 * 1024)
        await asyncio.sleep(0.2)
        # A host that does not wait is cut off at 32 MiB.
        assert fetch.asked < 16 * 1024 * 1024
        assert not fetch.is_closed
        turn.cancel()
        assert (await turn).reason == "cancelled"
        await until(lambda: fetch.is_closed)


@pytest.mark.parametrize("by_loop", [True, False])
async def test_a_body_that_had_to_wait_goes_on_and_arrives_whole(by_loop: bool) -> None:
    fetch = Answering(["x" * 10_000] * 600, by_loop)
    async with await lodger.create_agent(**options(fetch=fetch)) as agent:
        turn = agent.prompt("go")
        await until(lambda: fetch.asked > 1024 * 1024)
        assert len(said(await all_events(turn))) == 6_000_000


def test_a_reader_without_a_loop_holds_the_body_back_and_lets_it_go_on() -> None:
    fetch = Answering(["x" * 10_000] * 600, by_loop=False)
    with sync.create_agent(**options(fetch=fetch)) as agent:
        events = iter(agent.prompt("go"))
        first = next(events)
        while fetch.asked == 0:
            first = next(events)
        assert eventually(lambda: fetch.asked > 1024 * 1024)
        assert len(said([first, *events])) == 6_000_000


def raising(request: lodger.FetchRequest) -> lodger.FetchResponse:
    raise OSError("no route to the model")


async def raising_later(request: lodger.FetchRequest) -> lodger.FetchResponse:
    raise OSError("no route to the model")


def broken(request: lodger.FetchRequest) -> lodger.FetchResponse:
    def body() -> Iterator[bytes]:
        yield from itertools.islice(sse(["so far"]), 3)
        raise OSError("the line went dead")

    return lodger.FetchResponse(200, SSE, body())


@pytest.mark.parametrize(
    ("fetch", "code", "message"),
    [
        (raising, "provider_unavailable", "no route to the model"),
        (raising_later, "provider_unavailable", "no route to the model"),
        (broken, "provider_stream_cut", "the line went dead"),
    ],
)
async def test_what_fetch_raises_is_what_the_turn_fails_with(fetch: Any, code: str, message: str) -> None:
    async with await lodger.create_agent(**options(fetch=fetch)) as agent:
        with pytest.raises(lodger.ProviderError, match=message) as raised:
            await agent.prompt("go")
    assert raised.value.code == code
    if fetch is raising_later:
        return
    plain = sync.create_agent(**options(fetch=fetch))
    with pytest.raises(lodger.ProviderError, match=message) as raised:
        await asyncio.to_thread(plain.prompt("go").result)
    plain.close()
    assert raised.value.code == code


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (200, "expected a lodger.FetchResponse, found int"),
        (lodger.FetchResponse(7), "status 7; expected 100 to 599"),
        (lodger.FetchResponse("200"), "expected a status from 100 to 599, found str"),  # type: ignore[arg-type]
        (lodger.FetchResponse(200, ["x"]), "names and values are str"),  # type: ignore[list-item]
        (lodger.FetchResponse(200, 7), "mapping or pairs as headers, found int"),  # type: ignore[arg-type]
        (lodger.FetchResponse(200, SSE, "text"), "as body, found str"),  # type: ignore[arg-type]
        (lodger.FetchResponse(200, SSE, ["text"]), "made of bytes, found str"),  # type: ignore[list-item]
    ],
)
async def test_an_answer_that_is_none_is_a_fault_of_the_hosts_and_fetch_is_not_called_again(
    answer: Any, message: str
) -> None:
    calls = 0

    def fetch(request: lodger.FetchRequest) -> lodger.FetchResponse:
        nonlocal calls
        calls += 1
        return answer  # type: ignore[no-any-return]

    async with await lodger.create_agent(**options(fetch=fetch, limits={"max_retries": 3})) as agent:
        with pytest.raises(lodger.InvalidArgument, match=message) as raised:
            await agent.prompt("go")
    plain = sync.create_agent(**options(fetch=fetch, limits={"max_retries": 3}))
    with plain, pytest.raises(lodger.InvalidArgument, match=message):
        await asyncio.to_thread(plain.prompt("go").result)
    assert (raised.value.code, raised.value.retryable, calls) == ("invalid_input", False, 2)


async def test_the_bytes_of_an_answer_may_come_at_once() -> None:
    async def fetch(request: lodger.FetchRequest) -> lodger.FetchResponse:
        return lodger.FetchResponse(200, SSE.items(), b"".join(sse(["at ", "once"])))

    async with await lodger.create_agent(**options(fetch=fetch)) as agent:
        assert (await agent.prompt("go")).text == "at once"


def test_what_cannot_be_a_fetch_is_refused_at_once() -> None:
    for face in (sync.create_agent, sync.list_models):
        with pytest.raises(lodger.InvalidArgument, match="fetch is a coroutine function"):
            face(provider="anthropic", fetch=on_the_loop)  # type: ignore[call-arg, arg-type]
        with pytest.raises(lodger.InvalidArgument, match="`fetch` must be a function, not int"):
            face(provider="anthropic", fetch=7)  # type: ignore[call-arg, arg-type]


async def test_a_list_of_models_is_fetched_too(scripts: Scripts) -> None:
    carried: list[str] = []

    def fetch(request: lodger.FetchRequest) -> lodger.FetchResponse:
        carried.append(f"{threading.current_thread() is threading.main_thread()} {request.method}")
        return on_a_thread(request)

    with mock_model(scripts.write(step(text("never asked")))) as mock:
        of: Any = {"provider": "acme", "endpoint": {"kind": "anthropic", "base_url": mock.base_url}}
        of["auth"] = {"api_key": "key"}
        models = await lodger.list_models(**of)
        assert await lodger.list_models(**of, fetch=on_the_loop) == models
        assert await lodger.list_models(**of, fetch=fetch) == models
        assert sync.list_models(**of, fetch=fetch) == models
    assert carried == ["False GET"] * 2


ENDING = """
import contextlib, itertools, threading
import lodger
from lodger import sync

asked = threading.Event()

def body():
    for piece in itertools.repeat(b": a comment\\n\\n" * 1000):
        asked.set()
        yield piece

def fetch(request):
    return lodger.FetchResponse(200, {"content-type": "text/event-stream"}, body())

endpoint = {"kind": "anthropic", "base_url": "http://127.0.0.1:9"}
agent = sync.create_agent(model="anthropic/mock", endpoint=endpoint, auth={"api_key": "key"}, fetch=fetch)
turn = agent.prompt("go")

def read():
    # On a slow machine so much comes before the end that the turn fails: that is not what is shown here.
    with contextlib.suppress(lodger.LodgerError):
        turn.result()

threading.Thread(target=read, daemon=True).start()
asked.wait(60)
"""


def test_a_process_may_end_while_a_thread_carries_its_request() -> None:
    for _ in range(5):
        done = subprocess.run([sys.executable, "-c", ENDING], capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
