"""Tokens that the host makes for its provider.

Nothing here chooses a thread or knows a loop, as in `_fetch`. When a token is made, and whether the last one still
counts, is the engine's business.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from types import NoneType
from typing import TYPE_CHECKING, Any, TypedDict

from . import _native
from ._errors import error
from ._options import well_formed

if TYPE_CHECKING:
    from typing_extensions import NotRequired


@dataclass(frozen=True)
class TokenRequest:
    """What a token is wanted for."""

    #: The base URL of the server that will get it.
    audience: str


class IssuedToken(TypedDict):
    """A token that the host made. One that the provider refused must not be given again."""

    #: Sent as `Authorization: Bearer`.
    token: str
    #: Unix milliseconds after which it does not count. It is asked for anew some time before. Absent: when the provider
    #: refuses it.
    expires_at: NotRequired[int | None]


class Wanted:
    """One token in the hands of the host."""

    __slots__ = ("_id", "_native", "call")

    def __init__(self, native: _native.Tokens, make: Callable[..., Any], wanted: dict[str, Any]) -> None:
        self._native = native
        self._id: int = wanted["id"]
        #: Has the host make it.
        self.call = functools.partial(make, TokenRequest(wanted["audience"]))

    def make(self) -> None:
        """Does so on this thread."""
        try:
            self.issued(self.call())
        except BaseException as raised:
            self.failed(raised)

    def issued(self, made: Any) -> None:
        """What the host's function returned, whatever it is. What is none is raised without being shown."""
        match made:
            case {"token": str(token), **more} if more.keys() <= {"expires_at"}:
                expires_at = more.get("expires_at")
            case _:
                raise TypeError(
                    'a function that makes tokens must return {"token": text}, with `expires_at` or without'
                )
        if not isinstance(expires_at, (int, NoneType)):
            raise TypeError("expires_at must be a whole number of milliseconds")
        self._native.issue(self._id, token, expires_at)

    def failed(self, raised: BaseException) -> None:
        """There is none."""
        self._native.fail(self._id, well_formed(str(raised) or type(raised).__name__))


def token_handler(options: dict[str, Any]) -> Callable[..., Any] | None:
    """Takes a function that makes tokens out of the options, where it stands in `auth`."""
    auth = options.get("auth")
    if not isinstance(auth, dict) or not callable(auth.get("token")):
        return None
    if len(auth) > 1:
        raise error("invalid_options", "option auth: a function that makes tokens stands alone, as {`token`: function}")
    make: Callable[..., Any] = options.pop("auth")["token"]
    return make
