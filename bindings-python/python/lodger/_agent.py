"""An agent: one conversation with a model, and what it may do on the way."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import warnings
from types import TracebackType
from typing import TYPE_CHECKING

from . import _native
from ._base import AgentBase, Input
from ._diagnostics import Watching
from ._errors import ask_engine
from ._hub import hub_of, running_loop
from ._making import Making, Options
from ._options import to_json
from ._outgoing import Outgoing
from ._process import open_agents
from ._requests import Handlers
from ._sending import Fetch, HostAuth, Sending
from ._serving import CheckHandler, PermissionHandler, PlanHandler, QuestionHandler, Serving
from ._turn import Running, Stream, Turn

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from . import _inputs


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
    #: Carries the requests to models. Absent: the engine does.
    fetch: Fetch | None


async def create_agent(**options: Unpack[AgentOptions]) -> Agent:
    """Creates an agent. Starts no process, reads no network. Takes what `AgentOptions` lists, by keyword:

    cwd: the folder that the agent works in. None: no file or shell tools and no base prompt.
    roots: the folders that it may use, in place of `cwd` alone.
    model: `provider/model`, such as `anthropic/claude-sonnet-5-5`.
    fallback_models: models that carry on, in this order, when the one before fails before it has said anything.
    endpoint: points `model` and `fallback_models` at a server of your choice.
    auth: credentials, or {"token": function} to make them; None: `<PROVIDER>_API_KEY` of the environment as it is now.
    catalogue: a file that adds to what is known of providers and models, and wins.
    network: the way to the providers: proxy, certificates, how many requests at once; None: as the environment has it.
    effort: how much the model should think before it answers; `auto` unless said otherwise.
    mode: how much it may do without asking; `ask` unless said otherwise.
    allow: calls that run without asking, as rules such as `run_shell(npm test *)`.
    ask: calls that ask, even where the mode would not; they win over `allow`.
    deny: calls that are refused, whatever the mode is; they win over `ask` and `allow`.
    settings: whose settings files count beside the machine's: `user`, `project`.
    checks: who judges changes before they happen: commands, or `on_check` where an entry has none.
    audit: a file that takes down each call, decision and effect, so that nobody can change it unseen.
    instructions: take the place of the base prompt; `[]` for none at all.
    append_instructions: come after the base prompt or `instructions`.
    output_schema: a JSON Schema that the answer of each turn must fit, and `result.structured` then holds.
    web_fetch: gives the model the tool `web_fetch`; `{}` for the defaults.
    tools: functions of yours that the model may call, see `@tool`.
    env: what of the environment its commands see.
    sandbox: what confines its commands; None: nothing.
    requests: `events` to answer requests by `agent.answer` instead of by handlers.
    permission_timeout_ms: after how long an unanswered request is refused; 0 waits for ever.
    limits: bounds of steps, tokens and times.
    session_id: names the session.
    debug: aids to find out what goes wrong.
    checkpoint: bytes of `agent.checkpoint()`, to go on from there in a session of its own.
    on_permission, on_question, on_plan: answer what the agent asks; without one, the answer is no. Only with the last
        two has the model the tools `ask_user`, and in plan mode `present_plan`.
    on_check: judges changes before they happen, whatever else allows them.
    on_diagnostic: is told, on this loop, what happens inside the agent.
    fetch: carries the requests to models; None: the engine does.

    Raises `LodgerError`: `invalid_options` for what cannot be right; `checkpoint_corrupt`, `checkpoint_unsupported`,
    `checkpoint_invalid`, `checkpoint_too_large` for bytes that cannot be gone on from; `unsupported` without a running
    asyncio loop.
    """
    running_loop()
    making = Making(options)
    try:
        # A long history takes its time to read.
        native = making.make() if options.get("checkpoint") is None else await asyncio.to_thread(making.make)
    finally:
        making.watching.tell()
    return Agent(native, making.handlers, making.watching, making.outgoing)


class Agent(AgentBase):
    """Made by `create_agent`. Close it, or use it as `async with`; one prompt runs at a time."""

    __slots__ = ("_closing", "_last")

    def __init__(self, native: _native.Agent, handlers: Handlers, watching: Watching, outgoing: Outgoing) -> None:
        self._last: Running | None = None
        self._closing: _Closing | None = None
        super().__init__(native, handlers, watching, outgoing)

    def prompt(self, input: Input) -> Turn:
        """Starts a turn and gives it at once: `async for event in ...` or `await ...` it.

        Must be called from a coroutine: the turn belongs to the running loop. Raises at once for malformed input, a
        closed agent, and while another turn runs (`session_busy`).
        """
        loop = running_loop()
        hub = hub_of(loop)
        native = ask_engine(self._native.prompt, to_json(input, "invalid_input"))
        serving = Serving(self._native, self._handlers, loop)
        running = Running(native, serving, Sending(self._outgoing, loop), self._watching, loop)
        key = hub.add(running)
        self._watching.attach(hub.mailbox, key)
        self._outgoing.attach(hub.mailbox, key)
        native.attach(hub.mailbox, key)
        self._last = running
        return Turn(self, running)

    def stream(self, input: Input) -> Stream:
        """The strict form: `async with agent.stream(...) as events` settles the turn before the block is left."""
        return Stream(functools.partial(self.prompt, input))

    async def checkpoint(self) -> bytes:
        """History and usage as bytes, to go on from in another agent, process or machine; without any credentials.

        Raises `session_busy` while a turn runs, and `checkpoint_too_large` over `limits["max_checkpoint_bytes"]`.
        """
        return await asyncio.to_thread(ask_engine, self._native.checkpoint)

    async def close(self, timeout: float = 1.0) -> None:
        """Cancels what runs, ends what it started, and waits for that, `timeout` seconds at most. May be repeated."""
        if self._closing is None or self._closing.is_abandoned:
            loop = running_loop()
            hub = hub_of(loop)
            self._closing = _Closing(self._watching, loop)
            self._native.begin_close(timeout, hub.mailbox, hub.add(self._closing))
        # Whoever else closes it waits for the same end, and nobody's giving up changes it.
        await asyncio.shield(self._closing.done)
        open_agents.discard(self._native)
        if self._last is not None:
            self._last.agent_closed()

    async def __aenter__(self) -> Agent:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    def __del__(self) -> None:
        if self._last is not None and not self._last.has_ended and not self._native.is_closed:
            self._native.interrupt()
            warnings.warn(
                f"an agent was dropped while its turn was running: {self!r}", ResourceWarning, stacklevel=2, source=self
            )


class _Closing:
    """An agent that is being closed, as the hub knows it."""

    def __init__(self, watching: Watching, loop: asyncio.AbstractEventLoop) -> None:
        self.done: asyncio.Future[None] = loop.create_future()
        self.is_abandoned = False
        self._watching = watching
        self._context = contextvars.copy_context()

    def events_ready(self) -> None:
        pass

    def requests_ready(self) -> bool:
        if not self.done.done():
            self.done.set_result(None)
        self._watching.tell_in(self._context)
        return True

    def abandoned(self) -> None:
        self.is_abandoned = True
