"""Requests of one agent, or of one list of models, to its provider, as far as the host has a hand in them."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

from . import _native
from ._fetch import Carried


class Change(NamedTuple):
    """What happened to a request: it was `opened`, has `room` again, or was `given_up`."""

    kind: str
    request_id: int
    #: The request that was opened.
    carried: Carried | None


class Outgoing:
    """Without a function of the host's, nothing. Whoever serves the agent at the time calls `serve`, or takes."""

    __slots__ = ("_fetch", "fetches")

    def __init__(self, fetch: Callable[..., Any] | None) -> None:
        self._fetch = fetch
        self.fetches = None if fetch is None else _native.Fetches()

    def attach(self, mailbox: _native.Mailbox, key: int) -> None:
        """Whoever serves that mailbox is to look when the key's lane for requests is marked."""
        if self.fetches is not None:
            self.fetches.attach(mailbox, key)

    def taken(self) -> list[Change]:
        """What has happened since."""
        if self._fetch is None or self.fetches is None:
            return []
        changes = []
        for item in json.loads(self.fetches.take() or "[]"):
            carried = Carried(self.fetches, self._fetch, item) if item["type"] == "opened" else None
            changes.append(Change(item["type"], item["id"], carried))
        return changes

    def serve(self) -> None:
        """Has each new request carried on a thread of its own, which is a daemon: it does not hold the process."""
        for change in self.taken():
            if (carried := change.carried) is not None:
                threading.Thread(target=carried.carry, name="lodger-fetch", daemon=True).start()
