"""What both kinds of `create_agent` take, and the native agent that is made of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

from . import _native
from ._diagnostics import DiagnosticHandler, Watching
from ._errors import ask_engine, error
from ._options import to_json
from ._outgoing import Outgoing
from ._requests import Handlers, is_async
from ._token import token_handler
from ._tools import Tool, as_tool

if TYPE_CHECKING:
    from . import _inputs, _types

_CALLBACKS = ("on_permission", "on_question", "on_plan", "on_check", "on_diagnostic", "fetch")


class Options(TypedDict, total=False):
    """All that does not depend on whether there is a loop. None is the same as absent."""

    #: The folder that the agent works in. Absent: no file or shell tools and no base prompt.
    cwd: str | os.PathLike[str] | None
    #: The folders that it may use, in place of `cwd` alone: name `cwd` too if it is to be one of them.
    roots: Sequence[str | os.PathLike[str]] | None
    #: `provider/model`, such as `anthropic/claude-sonnet-5-5`.
    model: str | None
    #: Models that carry on, in this order, when the one before fails before it has said anything.
    fallback_models: Sequence[str] | None
    #: Points `model` and `fallback_models` at a server of your choice.
    endpoint: _inputs.Endpoint | None
    #: A file that adds to what is known of providers and models, and wins.
    catalogue: str | None
    #: The way to the providers: proxy, certificates, how many requests at once. Absent: as the environment has it.
    network: _inputs.NetworkOptions | None
    #: How much the model should think before it answers. Absent: `auto`.
    effort: _types.Effort | None
    #: How much it may do without asking. Absent: `ask`.
    mode: _types.Mode | None
    #: Calls that run without asking: rules such as `run_shell(npm test *)`.
    allow: Sequence[_inputs.RuleOptions] | None
    #: Calls that ask, even where the mode would not; they win over `allow`.
    ask: Sequence[_inputs.RuleOptions] | None
    #: Calls that are refused, whatever the mode is; they win over `ask` and `allow`.
    deny: Sequence[_inputs.RuleOptions] | None
    #: Whose settings files count beside the machine's: `user`, `project`. Absent: none.
    settings: Sequence[_types.SettingsLayer] | None
    #: Who judges changes before they happen, whatever else allows them: commands, or `on_check` where there is none.
    checks: Sequence[_inputs.CheckOptions] | None
    #: A file for the audit log: each call, decision, answer, refusal and effect, in a chain that shows when anybody
    #: changes it.
    audit: str | None
    #: Takes the place of the base prompt; `[]` for none at all.
    instructions: str | Sequence[str] | None
    #: Comes after the base prompt or `instructions`.
    append_instructions: str | Sequence[str] | None
    #: A JSON Schema of type `object` that the answer of each turn must fit: `result.structured` is then that answer.
    output_schema: Mapping[str, Any] | None
    #: Gives the model the tool `web_fetch`; `{}` for the defaults.
    web_fetch: _inputs.WebFetchOptions | None
    #: Functions of yours that the model may call, see `@tool`.
    tools: Sequence[Tool[..., Any] | Callable[..., Any]] | None
    #: What of the environment its commands see.
    env: _inputs.EnvOptions | None
    #: What confines its commands. Absent: nothing.
    sandbox: _inputs.SandboxOptions | None
    #: `events` to answer requests by `agent.answer` instead of by handlers, `none` to refuse them where nobody is.
    requests: _types.RequestDelivery | None
    #: After how many milliseconds an unanswered request is refused. Absent: 300,000; 0 waits for ever.
    permission_timeout_ms: int | None
    #: Bounds of steps, tokens and times.
    limits: _inputs.Limits | None
    #: Names the session. Absent: a fresh id.
    session_id: str | None
    #: Aids to find out what goes wrong.
    debug: _inputs.DebugOptions | None
    #: Bytes of `agent.checkpoint()`, to go on from there in a session of its own.
    checkpoint: bytes | bytearray | memoryview | None
    #: Is told what happens inside the agent, from `runtime.start` to `runtime.exit`. A plain function; what it raises
    #: goes to the logger `lodger` and changes nothing.
    on_diagnostic: DiagnosticHandler | None


class Making:
    """A call of `create_agent`: what the engine is to be told, and what stays with the agent."""

    __slots__ = ("_checkpoint", "_options", "functions", "handlers", "outgoing", "watching")

    def __init__(self, given: Mapping[str, Any]) -> None:
        options = dict(given)
        callbacks = {name: options.pop(name, None) for name in _CALLBACKS}
        for name, callback in callbacks.items():
            if callback is not None and not callable(callback):
                raise error("invalid_options", f"option `{name}` must be a function, not {type(callback).__name__}")
        for name, value in options.items():
            if callable(value):
                known = ", ".join(callbacks)
                raise error("invalid_options", f"option `{name}` is a function; those that may be one are {known}")
        on_diagnostic = callbacks.pop("on_diagnostic")
        make_token = token_handler(options)
        self.outgoing = Outgoing(callbacks["fetch"], make_token)
        if on_diagnostic is not None and is_async(on_diagnostic):
            raise error(
                "invalid_options", "on_diagnostic is a coroutine function, which nobody awaits; pass a plain one"
            )
        self._checkpoint = _checkpoint(options.pop("checkpoint", None))
        tools = [as_tool(given) for given in options.pop("tools", None) or ()]
        self._options = to_json({**options, "tools": [tool.to_wire() for tool in tools]}, "invalid_options")
        #: Everything that answers for the host, by the name that an error gives it.
        self.functions = {
            **callbacks,
            "auth.token": make_token,
            **{f"tool {tool.name}": tool.execute for tool in tools},
        }
        permission, question, plan, check, _ = callbacks.values()
        self.handlers = Handlers(permission, question, plan, check, {tool.name: tool for tool in tools})
        self.watching = Watching(on_diagnostic)

    def make(self) -> _native.Agent:
        """The native half. On any thread; takes as long as the checkpoint is long."""
        return ask_engine(
            _native.Agent,
            self._options,
            permission=self.handlers.permission is not None,
            tool=bool(self.handlers.tools),
            question=self.handlers.question is not None,
            plan=self.handlers.plan is not None,
            check=self.handlers.check is not None,
            checkpoint=self._checkpoint,
            diagnostics=self.watching.native,
            fetches=self.outgoing.fetches,
            tokens=self.outgoing.tokens,
        )


def _checkpoint(given: Any) -> bytes | None:
    if given is not None and not isinstance(given, (bytes, bytearray, memoryview)):
        raise error("invalid_options", f"option `checkpoint` must be bytes, not {type(given).__name__}")
    return None if given is None else bytes(given)
