"""Requests of one agent, or of one list of models, to its provider, as far as the host has a hand in them."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

from . import _native
from ._fetch import Carried
from ._token import Wanted


class Change(NamedTuple):
    """What happened to a request: it was `opened`, has `room` again, or was `given_up`."""

    kind: str
    request_id: int
    #: The request that was opened.
    carried: Carried | None


class Outgoing:
    """Without functions of the host's, nothing. Whoever serves the agent at the time calls `serve`, or takes."""

    __slots__ = ("_fetch", "_make", "fetches", "tokens", "under_way")

    def __init__(self, fetch: Callable[..., Any] | None, make: Callable[..., Any] | None) -> None:
        self._fetch = fetch
        self._make = make
        self.fetches = None if fetch is None else _native.Fetches()
        self.tokens = None if make is None else _native.Tokens()
        #: Tasks that make tokens. They may outlive their turn, and a loop alone would not keep them.
        self.under_way: set[object] = set()

    def attach(self, mailbox: _native.Mailbox, key: int) -> None:
        """Whoever serves that mailbox is to look when the key's lane for requests is marked."""
        for waiting in (self.fetches, self.tokens):
            if waiting is not None:
                waiting.attach(mailbox, key)

    def wanted(self) -> list[Wanted]:
        """The tokens that are wanted since."""
        if self._make is None or self.tokens is None:
            return []
        return [Wanted(self.tokens, self._make, item) for item in json.loads(self.tokens.take() or "[]")]

    def taken(self) -> list[Change]:
        """What has happened to requests since."""
        if self._fetch is None or self.fetches is None:
            return []
        changes = []
        for item in json.loads(self.fetches.take() or "[]"):
            carried = Carried(self.fetches, self._fetch, item) if item["type"] == "opened" else None
            changes.append(Change(item["type"], item["id"], carried))
        return changes

    def serve(self) -> None:
        """Has each token made and each request carried on a thread of its own, which does not hold the process."""
        for wanted in self.wanted():
            threading.Thread(target=wanted.make, name="lodger-token", daemon=True).start()
        for change in self.taken():
            if (carried := change.carried) is not None:
                threading.Thread(target=carried.carry, name="lodger-fetch", daemon=True).start()
