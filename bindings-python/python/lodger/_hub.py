"""One hub per event loop: a single descriptor wakes it, and it tells the turns that have something.

The engine's threads never enter Python. They write to the descriptor, the loop calls the hub, the hub takes the list
of lanes. The loop alone keeps the hub alive: a strong reference from anywhere else would keep loop, turns and
descriptor for ever, since turns hold futures and futures hold the loop. When the loop is closed the hub goes with it,
and cancels what still ran.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import socket
import weakref
from collections import deque
from typing import Protocol

from . import _native
from ._errors import error


class Listener(Protocol):
    """What a hub tells: a turn, an agent that is being closed, or whoever waits for a list of models."""

    def events_ready(self) -> None:
        """There are events, or their end."""

    def requests_ready(self) -> bool:
        """There are requests, or the end. True: nothing comes after this."""

    def abandoned(self) -> None:
        """The loop is gone."""


class Hub:
    """The one of a loop is `hub_of(loop)`."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._listeners: dict[int, Listener] = {}
        self._lanes: deque[int] = deque()
        self._keys = itertools.count(1)
        self._receiver: _Receiver | None = None
        self.mailbox = _native.Mailbox(socket=False)
        try:
            loop.add_reader(self.mailbox.fileno(), self._ready)
        except NotImplementedError:
            self.mailbox = _native.Mailbox(socket=True)
            self._receiver = _Receiver(loop, self.mailbox.fileno())

    def add(self, listener: Listener) -> int:
        """The key under which the mailbox is to name this listener."""
        key = next(self._keys)
        self._listeners[key] = listener
        if self._receiver is not None:
            self._receiver.run(self)
        return key

    def remove(self, key: int) -> None:
        """Nobody is told of this key any more."""
        self._listeners.pop(key, None)

    @property
    def is_idle(self) -> bool:
        return not self._listeners

    def _ready(self) -> None:
        self._lanes.extend(self.mailbox.take())
        try:
            while self._lanes:
                self._tell(*divmod(self._lanes.popleft(), 2))
        except BaseException:
            # The callback of a host wants the program to end, which may need the other lanes for that.
            self.mailbox.ring()
            raise

    def _tell(self, key: int, is_requests: int) -> None:
        listener = self._listeners.get(key)
        if listener is None:
            return
        if not is_requests:
            listener.events_ready()
        elif listener.requests_ready():
            self.remove(key)

    def __del__(self) -> None:
        self.mailbox.close()
        if self._receiver is not None:
            self._receiver.close()
        for listener in self._listeners.values():
            listener.abandoned()


class _Receiver:
    """For loops that can receive from a socket but not watch a descriptor: a task that does so while it is needed."""

    def __init__(self, loop: asyncio.AbstractEventLoop, descriptor: int) -> None:
        self._loop = loop
        self._socket = socket.socket(fileno=os.dup(descriptor))
        self._socket.setblocking(False)
        self._task: asyncio.Task[None] | None = None

    def run(self, hub: Hub) -> None:
        if self._task is None:
            self._task = self._loop.create_task(self._receive(hub))
            self._task.add_done_callback(lambda _: self._stopped(hub))

    def close(self) -> None:
        self._socket.close()

    async def _receive(self, hub: Hub) -> None:
        while not hub.is_idle:
            await self._loop.sock_recv(self._socket, 64)
            hub._ready()

    def _stopped(self, hub: Hub) -> None:
        # `asyncio.run` cancels every task at its end, this one too, while the turns that it interrupts so still have
        # their last word to say.
        self._task = None
        if not hub.is_idle and not self._loop.is_closed():
            self.run(hub)


_hubs: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, weakref.ref[Hub]] = weakref.WeakKeyDictionary()


def running_loop() -> asyncio.AbstractEventLoop:
    """The loop of the caller. Where there is none, an error says what to do without."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        needs = "this needs a running asyncio loop, and there is none"
        instead = "use lodger.sync, on trio by `await trio.to_thread.run_sync(...)`"
        raise error("unsupported", f"{needs}; {instead}") from None


def hub_of(loop: asyncio.AbstractEventLoop) -> Hub:
    """The hub of a loop, made at first use."""
    known = _hubs.get(loop)
    hub = known() if known is not None else None
    if hub is None:
        hub = Hub(loop)
        _hubs[loop] = weakref.ref(hub)
    return hub


if hasattr(os, "register_at_fork"):
    # The parent's descriptors are the parent's to read.
    os.register_at_fork(after_in_child=_hubs.clear)
