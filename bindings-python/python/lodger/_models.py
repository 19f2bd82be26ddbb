"""Which models a provider offers: what both kinds of `list_models` take."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from . import _inputs


class ListModelsOptions(TypedDict, total=False):
    """What `list_models` takes. None is the same as absent."""

    #: The provider's name, such as `anthropic`.
    provider: str | None
    #: The server to ask, in place of the provider's own.
    endpoint: _inputs.Endpoint | None
    #: Credentials. Absent: `<PROVIDER>_API_KEY` of the environment as it is now.
    auth: _inputs.Auth | None
    #: A file that adds to what is known of providers and models, and wins.
    catalogue: str | None
    #: Bounds, of which the timeouts of the provider are used.
    limits: _inputs.Limits | None
