"""What happens to agents when the process forks or ends.

Nothing here is needed for a clean exit of Python itself. At exit it is for what agents have started: commands and
unwritten records.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import time
import weakref

from . import _native

#: Seconds that the end of the process may wait for all agents together.
_EXIT_PATIENCE = 1.0

#: The native half of every agent that was created and not closed.
open_agents: weakref.WeakSet[_native.Agent] = weakref.WeakSet()


def _close_all() -> None:
    agents = list(open_agents)
    for agent in agents:
        agent.interrupt()
    deadline = time.monotonic() + _EXIT_PATIENCE
    for agent in agents:
        with contextlib.suppress(_native.Failure):
            agent.close(max(0.0, deadline - time.monotonic()))


def _forget_parent() -> None:
    open_agents.clear()
    _native.forget_after_fork()


atexit.register(_close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_parent)
