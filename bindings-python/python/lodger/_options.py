"""How a host's objects become the engine's JSON. Decides nothing."""

from __future__ import annotations

import json
import os
from typing import Any, Literal

from ._errors import error
from ._record import Record
from ._spelling import camel

#: Maps whose keys are the user's own words.
_FREE = frozenset({"headers", "set", "input", "input_schema", "inputSchema", "output_schema", "outputSchema", "data"})


def to_json(value: Any, code: Literal["invalid_options", "invalid_input"]) -> str:
    """JSON for the engine; what JSON cannot hold is an error with the code."""
    try:
        return well_formed(json.dumps(_to_wire(value), ensure_ascii=False, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as cause:
        raise error(code, f"a value cannot be written as JSON: {cause}") from cause


def well_formed(text: str) -> str:
    """The text as UTF-8 can hold it: half of a surrogate pair, which is no character, becomes U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _to_wire(value: Any) -> Any:
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Record):
        return value.to_wire()
    if isinstance(value, dict):
        return {_key(key): item if key in _FREE else _to_wire(item) for key, item in value.items() if item is not None}
    if isinstance(value, (list, tuple)):
        return [_to_wire(item) for item in value]
    return value


def _key(name: Any) -> Any:
    return camel(name) if isinstance(name, str) else name
