"""What the thread that reads a turn of `lodger.sync` does for it: waits, takes its events, serves its requests."""

from __future__ import annotations

import json
import os
import threading
import time

from . import _native
from ._base import outcome_of
from ._diagnostics import Watching
from ._errors import ask_engine, error
from ._events import TurnResult
from ._outgoing import Outgoing
from ._requests import Handlers, Request

#: Events that cross at once.
_BATCH = 256
#: The key of a turn in its own mailbox.
_KEY = 1


class Reading:
    """A turn, and what its reader has to do for it."""

    __slots__ = (
        "__weakref__",
        "_agent",
        "_asked",
        "_handlers",
        "_is_cancelled",
        "_is_closed",
        "_mailbox",
        "_outgoing",
        "_process",
        "_reader",
        "_watching",
        "native",
    )

    def __init__(
        self,
        agent: _native.Agent,
        handlers: Handlers,
        watching: Watching,
        outgoing: Outgoing,
        native: _native.Turn,
    ) -> None:
        self.native = native
        self._agent = agent
        self._handlers = handlers
        self._watching = watching
        self._outgoing = outgoing
        self._is_cancelled = False
        self._is_closed = False
        self._process = os.getpid()
        # Opened and not yet answered, in order; the first may be with its handler.
        self._asked: dict[str, Request] = {}
        # Only a turn that is read needs a descriptor to wait on.
        self._mailbox: _native.Mailbox | None = None
        # The thread that reads, until the reader has left.
        self._reader: int | None = None

    def claim(self) -> None:
        """This thread is the one reader from now on."""
        ask_engine(self.native.claim_reader)
        self._reader = threading.get_ident()
        self._mailbox = _native.Mailbox(socket=False)
        self._watching.attach(self._mailbox, _KEY)
        self._outgoing.attach(self._mailbox, _KEY)
        self.native.attach(self._mailbox, _KEY)

    def leave(self) -> None:
        """Nobody reads any more."""
        self._reader = self._mailbox = None
        self.cancel()

    def cancel(self) -> None:
        """Asks the turn to end. No handler is called from here on."""
        self._is_cancelled = True
        self._asked.clear()
        self.native.cancel()

    def next_batch(self) -> str:
        """The next events as a JSON array, empty at the end. Serves requests while there are none."""
        if os.getpid() != self._process:
            # Looking would take the ring from the parent, with which the descriptor is shared.
            raise error("forked", f"this turn belongs to process {self._process}; create an agent in {os.getpid()}")
        try:
            while (mailbox := self._mailbox) is not None:
                self._reader = threading.get_ident()
                # In this order: what comes after `take` rings, and a request is seen as an event before it is served.
                mailbox.take()
                self._take_lane()
                self._outgoing.serve()
                self._watching.tell()
                is_closed = self._is_closed
                if (batch := self.native.drain(_BATCH)) is not None:
                    if batch == "[]":
                        self._reader = self._mailbox = None
                        self._watching.tell()
                    return batch
                if request := next(iter([*self._asked.values()]), None):
                    self._serve(request)
                elif is_closed:
                    raise error("closed", "the agent was closed before the turn had ended")
                else:
                    mailbox.wait(None)
        except BaseException:
            self.cancel()
            raise
        return "[]"

    def result(self) -> TurnResult:
        """Waits for the end, without reading, and raises when it is an error."""
        if self._reader == threading.get_ident():
            raise error("reader_busy", "this thread reads the turn; read to its end or leave the loop before")
        # Signals are heard between two waits.
        while (wire := ask_engine(self.native.wait, 0.1)) is None:
            if self._is_closed:
                raise error("closed", "the agent was closed before the turn had ended")
        return outcome_of(json.loads(wire))

    def agent_closed(self) -> None:
        """No ring comes from the engine any more."""
        self._is_closed = True
        if (mailbox := self._mailbox) is not None:
            mailbox.ring()

    def is_withdrawn(self, request_id: str) -> bool:
        """Whether it was settled without its handler."""
        if (mailbox := self._mailbox) is not None:
            mailbox.take()
            self._take_lane()
        return request_id not in self._asked

    def wait(self, seconds: float | None) -> None:
        """Until anything comes."""
        if (mailbox := self._mailbox) is not None:
            mailbox.wait(seconds)

    def _take_lane(self) -> None:
        for item in json.loads(self.native.take_lane() or "[]"):
            if item["type"] == "opened" and not self._is_cancelled:
                request_id = item["request"]["requestId"]
                withdrawal = _Withdrawal(self, request_id)
                self._asked[request_id] = Request(self._agent, self._handlers, item["request"], withdrawal)
            elif item["type"] == "withdrawn":
                self._asked.pop(item["requestId"], None)
            elif item["type"] == "ended":
                self._asked.clear()

    def _serve(self, request: Request) -> None:
        try:
            request.answered(request.call()())
        except Exception as raised:
            request.failed(raised)
        except BaseException as raised:
            # In this order: else the turn would go on with the refusal.
            self.cancel()
            request.failed(raised)
            raise
        finally:
            self._asked.pop(request.id, None)


class _Withdrawal(threading.Event):
    """Looks when it is asked: the thread that would be told is the one that asks."""

    def __init__(self, reading: Reading, request_id: str) -> None:
        super().__init__()
        self._reading = reading
        self._request_id = request_id

    def is_set(self) -> bool:
        if not super().is_set() and self._reading.is_withdrawn(self._request_id):
            self.set()
        return super().is_set()

    def wait(self, timeout: float | None = None) -> bool:
        until = None if timeout is None else time.monotonic() + timeout
        while not self.is_set():
            left = None if until is None else until - time.monotonic()
            if left is not None and left <= 0:
                return False
            self._reading.wait(left)
        return True
