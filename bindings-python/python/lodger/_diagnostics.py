"""Tells the host's `on_diagnostic` what happens inside its agent, in order.

Nothing here waits for anything or chooses a thread: whoever serves the agent at the time calls `tell`. What the
callback raises ends nothing: the logger `lodger` hears of it.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from . import _native
from ._events import Diagnostic, diagnostic_from_wire

if TYPE_CHECKING:
    import contextvars

#: Gets every diagnostic of an agent. A plain function, that must not wait.
DiagnosticHandler: TypeAlias = Callable[[Diagnostic], object]


class Watching:
    """The callback of one agent, and what it has not been told yet. Without a callback, nothing."""

    __slots__ = ("_callback", "_telling", "_untold", "native")

    def __init__(self, callback: DiagnosticHandler | None) -> None:
        self.native = None if callback is None else _native.Diagnostics()
        self._callback = callback
        self._untold: deque[dict[str, Any]] = deque()
        # Two threads may serve one agent: one reads, the other closes. The callback itself may close, too.
        self._telling = threading.RLock()

    def attach(self, mailbox: _native.Mailbox, key: int) -> None:
        """Whoever serves that mailbox is to call `tell` when the key's lane for requests is marked."""
        if self.native is not None:
            self.native.attach(mailbox, key)

    def tell(self) -> None:
        """Calls back for all that has happened up to now."""
        if self.native is None or self._callback is None:
            return
        with self._telling:
            self._untold.extend(json.loads(self.native.take() or "[]"))
            while self._untold:
                diagnostic = diagnostic_from_wire(self._untold.popleft())
                try:
                    self._callback(diagnostic)
                except Exception as raised:
                    _ignore(raised, self._callback)

    def tell_in(self, context: contextvars.Context) -> None:
        """The same with the variables of a context, which stay as they are."""
        if self.native is not None:
            context.copy().run(self.tell)


def _ignore(raised: Exception, callback: DiagnosticHandler) -> None:
    import logging  # Loaded when it is needed: by most programs never.

    logging.getLogger("lodger").error("on_diagnostic raised, in %r", callback, exc_info=raised)
