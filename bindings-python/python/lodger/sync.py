"""Lodger without an event loop: `from lodger import sync`.

with sync.create_agent(cwd=".", model="anthropic/claude-sonnet-5-5") as agent:
    for event in agent.prompt("What does this project do?"):
        if event.type == "text_delta":
            print(event.text, end="", flush=True)

The thread that reads a turn does everything for it: handlers and tools run on it, one after the other, while it waits
for the next event. So what they use needs no locks, and Ctrl-C reaches them. Without a reader nothing is served.
"""

from __future__ import annotations

import contextlib
import functools
import json
import weakref
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

from . import _native
from ._base import AgentBase, Input
from ._diagnostics import Watching
from ._errors import LodgerError, ask_engine, error
from ._events import Event, TurnResult, event_from_wire
from ._fetch import FetchRequest, FetchResponse
from ._making import Making, Options
from ._models import Asking, Provider
from ._options import to_json
from ._outgoing import Outgoing
from ._process import open_agents
from ._reading import Reading
from ._requests import CheckRequest, Handlers, PermissionRequest, PlanRequest, QuestionRequest, is_async
from ._token import IssuedToken, TokenRequest

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from . import _inputs

__all__ = [
    "Agent",
    "AgentOptions",
    "CheckHandler",
    "Events",
    "Fetch",
    "HostAuth",
    "ListModelsOptions",
    "PermissionHandler",
    "PlanHandler",
    "QuestionHandler",
    "Stream",
    "TokenSource",
    "Turn",
    "create_agent",
    "list_models",
]

PermissionHandler: TypeAlias = Callable[[PermissionRequest], "_inputs.PermissionAnswer"]
QuestionHandler: TypeAlias = Callable[[QuestionRequest], "_inputs.QuestionAnswer"]
PlanHandler: TypeAlias = Callable[[PlanRequest], "_inputs.PlanAnswer"]
CheckHandler: TypeAlias = Callable[[CheckRequest], "_inputs.CheckAnswer"]
Fetch: TypeAlias = Callable[[FetchRequest], FetchResponse]
TokenSource: TypeAlias = Callable[[TokenRequest], IssuedToken]


class HostAuth(TypedDict):
    """Tokens that the host makes."""

    #: As in `lodger.HostAuth`, on a thread each.
    token: TokenSource


class AgentOptions(Options, total=False):
    """What `create_agent` takes. None is the same as absent."""

    #: Is asked for leave; without it, the answer is no.
    on_permission: PermissionHandler | None
    #: Answers what the agent wants to know; without it, the question is dismissed.
    on_question: QuestionHandler | None
    #: Judges a plan; without it, the plan is rejected.
    on_plan: PlanHandler | None
    #: Judges every call that does more than read before it runs, whatever else allows it, or those that an entry
    #: without a command of `checks` names.
    on_check: CheckHandler | None
    #: Credentials. Absent: `<PROVIDER>_API_KEY` of the environment as it is now.
    auth: _inputs.Auth | HostAuth | None
    #: Carries the requests to models, on a thread each. Absent: the engine does.
    fetch: Fetch | None


def create_agent(**options: Unpack[AgentOptions]) -> Agent:
    """`lodger.create_agent` without a loop: the same options, but handlers and tools are plain functions."""
    making = Making(options)
    _refuse_coroutines(making.functions)
    try:
        native = making.make()
    finally:
        making.watching.tell()
    return Agent(native, making.handlers, making.watching, making.outgoing)


def _refuse_coroutines(functions: dict[str, Callable[..., Any] | None]) -> None:
    for name, function in functions.items():
        if function is not None and is_async(function):
            raise error("invalid_options", f"{name} is a coroutine function, which needs a loop; pass a plain function")


class ListModelsOptions(Provider, total=False):
    """What `list_models` takes. None is the same as absent."""

    #: Credentials. Absent: `<PROVIDER>_API_KEY` of the environment as it is now.
    auth: _inputs.Auth | HostAuth | None
    #: Carries the requests, on a thread each. Absent: the engine does.
    fetch: Fetch | None


def list_models(**options: Unpack[ListModelsOptions]) -> list[str]:
    """`lodger.list_models` without a loop: waits on this thread, which Ctrl-C ends."""
    asking = Asking(options)
    _refuse_coroutines(asking.functions)
    mailbox = _native.Mailbox(socket=False)
    try:
        asking.begin(mailbox, 1)
        while (models := asking.models()) is None:
            mailbox.wait(None)
            # In this order: what comes after `take` rings.
            mailbox.take()
            asking.outgoing.serve()
        return models
    finally:
        asking.end()


class Agent(AgentBase):
    """Made by `create_agent`. Close it, or use it as `with`; one prompt runs at a time."""

    __slots__ = ("_last",)

    def __init__(self, native: _native.Agent, handlers: Handlers, watching: Watching, outgoing: Outgoing) -> None:
        super().__init__(native, handlers, watching, outgoing)
        self._last: weakref.ref[Reading] | None = None

    def prompt(self, input: Input) -> Turn:
        """Starts a turn and gives it at once: iterate it, or ask for its `result()`.

        Raises at once for malformed input, a closed agent, and while another turn runs (`session_busy`).
        """
        native = ask_engine(self._native.prompt, to_json(input, "invalid_input"))
        reading = Reading(self._native, self._handlers, self._watching, self._outgoing, native)
        self._last = weakref.ref(reading)
        return Turn(self, reading)

    def stream(self, input: Input) -> Stream:
        """The strict form: `with agent.stream(...) as events` settles the turn before the block is left."""
        return Stream(functools.partial(self.prompt, input))

    def checkpoint(self) -> bytes:
        """History and usage as bytes, to go on from in another agent, process or machine; without any credentials.

        Raises `session_busy` while a turn runs, and `checkpoint_too_large` over `limits["max_checkpoint_bytes"]`.
        """
        return ask_engine(self._native.checkpoint)

    def close(self, timeout: float = 1.0) -> None:
        """Cancels what runs, ends what it started, and waits for that, `timeout` seconds at most. May be repeated."""
        try:
            ask_engine(self._native.close, timeout)
        except LodgerError as late:
            if late.code != "timeout":
                raise
        open_agents.discard(self._native)
        if self._last is not None and (reading := self._last()) is not None:
            reading.agent_closed()
        self._watching.tell()

    def __enter__(self) -> Agent:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


class Turn:
    """A turn that runs from the moment `agent.prompt()` returned it. Dropping it cancels it.

    - `for event in turn` yields every event, `done` the last. Leaving the loop early cancels the turn.
    - `turn.result()` gives the result; it reads to the end unless somebody reads already.

    Whoever reads also serves what the turn asks, see the module. `KeyboardInterrupt` while it waits, or from a handler,
    cancels the turn. A turn has one reader: a second loop raises `reader_busy`. A result whose reason is `error` is
    raised as a `LodgerError` with the partial result in `.result`; a cancelled turn ends normally.
    """

    __slots__ = ("__weakref__", "_agent", "_is_read", "_reading")

    def __init__(self, agent: Agent, reading: Reading) -> None:
        # The agent must not be dropped under a turn that somebody holds.
        self._agent = agent
        self._reading = reading
        self._is_read = False

    @property
    def id(self) -> str:
        """The turn, as events name it."""
        return self._reading.native.id

    def cancel(self) -> None:
        """Asks the turn to end; does not wait. From any thread; late or repeated calls have no effect."""
        self._reading.cancel()

    def result(self) -> TurnResult:
        """Reads to the end, or waits for it while another thread reads, and gives the result."""
        if not self._is_read:
            self._claim()
            try:
                while self._reading.next_batch() != "[]":
                    pass
            finally:
                self._reading.leave()
        return self._reading.result()

    def __iter__(self) -> Events:
        self._claim()
        return Events(self, self._reading)

    def _claim(self) -> None:
        self._reading.claim()
        self._is_read = True


class Events:
    """The one reader of a turn. Dropping it, or closing it, before `done` cancels the turn."""

    __slots__ = ("_batch", "_has_ended", "_reading", "turn")

    def __init__(self, turn: Turn, reading: Reading) -> None:
        #: The turn that is read.
        self.turn = turn
        self._reading = reading
        self._batch: deque[dict[str, Any]] = deque()
        self._has_ended = False

    def __iter__(self) -> Events:
        return self

    def __next__(self) -> Event:
        while not self._batch:
            if self._has_ended:
                raise StopIteration
            batch = self._reading.next_batch()
            self._has_ended = batch == "[]"
            self._batch.extend(json.loads(batch))
        return event_from_wire(self._batch.popleft())

    def close(self) -> None:
        """Cancels the turn unless it has ended, and waits until it is settled."""
        self._batch.clear()
        if not self._has_ended:
            self._has_ended = True
            self._reading.leave()
            with contextlib.suppress(LodgerError):
                self._reading.result()

    def __del__(self) -> None:
        if not self._has_ended:
            self._reading.leave()


class Stream:
    """`with agent.stream(...) as events`: the prompt starts with the block and is settled at its end."""

    __slots__ = ("_events", "_prompt")

    def __init__(self, prompt: Callable[[], Turn]) -> None:
        self._prompt = prompt
        self._events: Events | None = None

    def __enter__(self) -> Events:
        self._events = iter(self._prompt())
        return self._events

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._events is not None:
            self._events.close()
