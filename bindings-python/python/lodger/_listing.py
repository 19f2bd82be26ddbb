"""The list of a provider's models, awaited on an event loop."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ._hub import hub_of, running_loop
from ._models import Asking, Provider
from ._sending import Fetch, HostAuth, Sending

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from . import _inputs


class ListModelsOptions(Provider, total=False):
    """What `list_models` takes. None is the same as absent."""

    #: Credentials. Absent: `<PROVIDER>_API_KEY` of the environment as it is now.
    auth: _inputs.Auth | HostAuth | None
    #: Carries the requests. Absent: the engine does.
    fetch: Fetch | None


async def list_models(**options: Unpack[ListModelsOptions]) -> list[str]:
    """The ids of all models that a provider offers, sorted. One request; an agent never makes it by itself.

    provider: the provider's name, such as `anthropic`.
    endpoint: the server to ask, in place of the provider's own.
    auth: credentials, or {"token": function} to make them; None: `<PROVIDER>_API_KEY` of the environment as it is now.
    catalogue: a file that adds to what is known of providers and models, and wins.
    network: the way to the provider; None: as the environment has it.
    limits: bounds, of which the timeouts of the provider are used.
    fetch: carries the requests; None: the engine does.

    Raises `LodgerError`: `invalid_options` for what cannot be right, `provider_auth` without credentials, `provider_*`
    for what the provider did not answer; `unsupported` without a running asyncio loop. Cancelled, it asks no longer.
    """
    loop = running_loop()
    hub = hub_of(loop)
    asking = Asking(options)
    listing = _Listing(Sending(asking.outgoing, loop), loop)
    key = hub.add(listing)
    try:
        asking.begin(hub.mailbox, key)
        while (models := asking.models()) is None:
            await listing.rung()
        return models
    finally:
        asking.end()
        hub.remove(key)
        listing.sending.all_given_up()


class _Listing:
    """One call, as the hub knows it."""

    def __init__(self, sending: Sending, loop: asyncio.AbstractEventLoop) -> None:
        self.sending = sending
        self._loop = loop
        self._bell: asyncio.Future[None] = loop.create_future()

    async def rung(self) -> None:
        """Waits until there is something new."""
        await self._bell
        self._bell = self._loop.create_future()

    def events_ready(self) -> None:
        pass

    def requests_ready(self) -> bool:
        self.sending.serve()
        if not self._bell.done():
            self._bell.set_result(None)
        return False

    def abandoned(self) -> None:
        pass
