"""JSON Schema from type hints, and back: the value that a hint promises from the JSON that the model wrote.

Covers what JSON can say: str, int, float, bool, None, list, dict, Literal, unions, TypedDict, dataclasses, Annotated
with a text. Anything else is an error that points to `input_schema=`.
"""

from __future__ import annotations

import dataclasses
import types
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

from ._errors import error

_SIMPLE: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    type(None): {"type": "null"},
    list: {"type": "array"},
    dict: {"type": "object"},
    Any: {},
}


def schema_of(hint: Any, where: str) -> dict[str, Any]:
    """The schema of a hint; `where` names it in the error."""
    if hint in _SIMPLE:
        return dict(_SIMPLE[hint])
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        schema = schema_of(arguments[0], where)
        texts = [note for note in arguments[1:] if isinstance(note, str)]
        return {**schema, "description": " ".join(texts)} if texts else schema
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [schema_of(argument, where) for argument in arguments]}
    if origin is list:
        return {"type": "array", "items": schema_of(arguments[0], where)}
    if origin is dict and arguments[0] is str:
        return {"type": "object", "additionalProperties": schema_of(arguments[1], where)}
    if is_typeddict(hint):
        return _object(hint, sorted(hint.__required_keys__), where)
    if dataclasses.is_dataclass(hint):
        fields = [field for field in dataclasses.fields(hint) if field.init]
        required = [field.name for field in fields if _has_no_default(field)]
        return _object(hint, required, where)
    raise error("invalid_options", f"{where}: no JSON Schema for the type {hint!r}; pass input_schema=")


def convert(hint: Any, value: Any) -> Any:
    """The value that the hint promises. JSON that does not fit stays as it is: the tool is to judge."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return convert(arguments[0], value)
    if origin in (Union, types.UnionType):
        classes = [argument for argument in arguments if dataclasses.is_dataclass(argument)]
        return convert(classes[0], value) if len(classes) == 1 and isinstance(value, dict) else value
    if origin is list and isinstance(value, list):
        return [convert(arguments[0], item) for item in value]
    if origin is dict and isinstance(value, dict):
        return {key: convert(arguments[1], item) for key, item in value.items()}
    if dataclasses.is_dataclass(hint) and isinstance(hint, type) and isinstance(value, dict):
        hints = get_type_hints(hint, include_extras=True)
        return hint(**{key: convert(hints.get(key), item) for key, item in value.items()})
    if hint is float and type(value) is int:
        return float(value)
    return value


def _object(hint: Any, required: list[str], where: str) -> dict[str, Any]:
    hints = get_type_hints(hint, include_extras=True)
    properties = {name: schema_of(field, f"{where}.{name}") for name, field in hints.items()}
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _has_no_default(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
