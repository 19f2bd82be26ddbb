"""Which models a provider offers: what both kinds of `list_models` take and do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypedDict

from . import _native
from ._errors import ask_engine, error
from ._options import to_json
from ._outgoing import Outgoing
from ._token import token_handler

if TYPE_CHECKING:
    from . import _inputs


class Provider(TypedDict, total=False):
    """All that does not depend on whether there is a loop. None is the same as absent."""

    #: The provider's name, such as `anthropic`.
    provider: str | None
    #: The server to ask, in place of the provider's own.
    endpoint: _inputs.Endpoint | None
    #: A file that adds to what is known of providers and models, and wins.
    catalogue: str | None
    #: The way to the provider. Absent: as the environment has it.
    network: _inputs.NetworkOptions | None
    #: Bounds, of which the timeouts of the provider are used.
    limits: _inputs.Limits | None


class Asking:
    """A call of `list_models`."""

    __slots__ = ("_native", "_options", "functions", "outgoing")

    def __init__(self, given: Mapping[str, Any]) -> None:
        options = dict(given)
        fetch = options.pop("fetch", None)
        if fetch is not None and not callable(fetch):
            raise error("invalid_options", f"option `fetch` must be a function, not {type(fetch).__name__}")
        make_token = token_handler(options)
        self._options = to_json(options, "invalid_options")
        self._native: _native.ModelList | None = None
        #: What the host does of it.
        self.outgoing = Outgoing(fetch, make_token)
        #: The host's functions, by the name that an error gives them.
        self.functions = {"fetch": fetch, "auth.token": make_token}

    def begin(self, mailbox: _native.Mailbox, key: int) -> None:
        """Asks. Whoever serves that mailbox is to look when the key's lane for requests is marked."""
        self.outgoing.attach(mailbox, key)
        fetches, tokens = self.outgoing.fetches, self.outgoing.tokens
        self._native = ask_engine(_native.ModelList, self._options, fetches, tokens, mailbox, key)

    def models(self) -> list[str] | None:
        """The ids, once; None before they are there. Raises what went wrong."""
        return None if self._native is None else ask_engine(self._native.take)

    def end(self) -> None:
        """Gives up what is still asked: the traceback of whatever ended the wait may hold this object for long."""
        self._native = None
