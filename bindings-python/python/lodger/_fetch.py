"""Requests to models that the host carries with a client of its own: its proxy, its certificates, its log.

Nothing here chooses a thread or knows a loop: `_outgoing` carries on threads, `_sending` on a loop. What a request and
its answer mean is the engine's business.
"""

from __future__ import annotations

import functools
from collections.abc import AsyncIterable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from . import _native
from ._errors import ask_engine
from ._options import well_formed


@dataclass(frozen=True)
class FetchRequest:
    """What to send, as it is. Redirects are answers: do not follow them, since the headers carry credentials."""

    #: `GET` or `POST`.
    method: str
    #: Where to.
    url: str
    #: Names and values. Printing the request shows none of them.
    headers: list[tuple[str, str]] = field(repr=False)
    #: Empty for `GET`.
    body: bytes = field(repr=False)


@dataclass(frozen=True)
class FetchResponse:
    """What came back. Any status is an answer; raise only where there was none."""

    #: 100 to 599.
    status: int
    #: Names in any case; where a name comes twice, as pairs.
    headers: Mapping[str, str] | Iterable[tuple[str, str]] = ()
    #: All of it, or pieces of any size as they come. The next piece is asked for when there is room for it. Once nobody
    #: wants more, `aclose` or `close` is called if there is one.
    body: bytes | Iterable[bytes] | AsyncIterable[bytes] = b""


class Carried:
    """One request in the hands of the host."""

    __slots__ = ("_id", "_native", "call")

    def __init__(self, native: _native.Fetches, fetch: Callable[..., Any], opened: dict[str, Any]) -> None:
        self._native = native
        self._id: int = opened["id"]
        headers = [(name, value) for name, value in opened["headers"]]
        request = FetchRequest(opened["method"], opened["url"], headers, native.body(self._id) or b"")
        #: Has the host send it.
        self.call = functools.partial(fetch, request)

    def carry(self) -> None:
        """Does all of it on this thread."""
        try:
            if (response := self.answered(self.call())) is not None:
                self.pump(response.body)
        except BaseException as raised:
            self.failed(raised)

    def answered(self, response: object) -> FetchResponse | None:
        """Says the head. None: nobody wants the body."""
        if not isinstance(response, FetchResponse):
            raise Misfit(f"expected a lodger.FetchResponse, found {_kind(response)}")
        if not _is_body(response.body):
            raise Misfit(f"expected bytes or an iterable of them as body, found {_kind(response.body)}")
        is_wanted = ask_engine(self._native.respond, self._id, _status(response.status), _pairs(response.headers))
        return response if is_wanted else None

    def push(self, piece: object) -> str:
        """Hands over a piece of the body, and says what is next: `more`, `wait` or `given_up`."""
        return ask_engine(self._native.push, self._id, _bytes(piece))

    def pump(self, body: bytes | Iterable[bytes] | AsyncIterable[bytes]) -> None:
        """Hands over the whole body on this thread, which waits for room."""
        if isinstance(body, AsyncIterable):
            raise Misfit("an async iterable as body needs a loop; expected bytes or an iterable of them")
        pieces = [body] if isinstance(body, (bytes, bytearray, memoryview)) else body
        try:
            for piece in pieces:
                if not ask_engine(self._native.push_and_wait, self._id, _bytes(piece)):
                    return
            self.ended()
        finally:
            if (close := getattr(pieces, "close", None)) is not None:
                close()

    def ended(self) -> None:
        """The body is whole."""
        self._native.end(self._id)

    def failed(self, raised: BaseException) -> None:
        """There was no answer, it broke off, or it is nothing that can be used."""
        tell = self._native.misfit if isinstance(raised, Misfit) else self._native.fail
        tell(self._id, well_formed(str(raised) or type(raised).__name__))


class Misfit(TypeError):
    """Something of the host's that is not what it should be: another attempt would bring the same."""


def _status(status: object) -> int:
    if isinstance(status, int) and 0 <= status <= 0xFFFF:
        return int(status)
    raise Misfit(f"expected a status from 100 to 599, found {status if isinstance(status, int) else _kind(status)}")


def _pairs(headers: object) -> list[tuple[str, str]]:
    given = headers.items() if isinstance(headers, Mapping) else headers
    if not isinstance(given, Iterable):
        raise Misfit(f"expected a mapping or pairs as headers, found {_kind(headers)}")
    pairs = []
    for pair in given:
        if not (isinstance(pair, (tuple, list)) and len(pair) == 2 and all(isinstance(part, str) for part in pair)):
            raise Misfit("expected headers whose names and values are str")
        pairs.append((pair[0], pair[1]))
    return pairs


def _is_body(body: object) -> bool:
    return isinstance(body, (Iterable, AsyncIterable, memoryview)) and not isinstance(body, str)


def _bytes(piece: object) -> bytes:
    try:
        return piece if isinstance(piece, bytes) else memoryview(piece).tobytes()  # type: ignore[arg-type]
    except TypeError:
        raise Misfit(f"expected a body made of bytes, found {_kind(piece)}") from None


def _kind(value: object) -> str:
    return type(value).__name__
