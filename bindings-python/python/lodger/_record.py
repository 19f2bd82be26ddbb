"""The base of everything that an agent hands out: a JSON object under names of Python.

A record holds its dictionary and nothing else. It must stay this small: a fast stream makes one for each delta.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Self


class Record:
    """Cannot be changed. Two of the same class are equal when all that they say is."""

    __slots__ = ("_wire",)
    _wire: Any

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """The object for its JSON, which must not be changed afterwards."""
        record = cls.__new__(cls)
        record._wire = wire
        return record

    def to_wire(self) -> dict[str, Any]:
        """The JSON as it came, under its own camelCase names."""
        return dict(self._wire)

    def _fill(self, wire: dict[str, Any]) -> None:
        self._wire = {key: _unwrapped(value) for key, value in wire.items() if value is not None}

    def _fields(self) -> dict[str, Any]:
        kinds = (vars(kind).items() for kind in type(self).__mro__)
        names = (name for members in kinds for name, member in members if isinstance(member, property))
        return {name: getattr(self, name) for name in names}

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._wire == other._wire or self._fields() == other._fields()

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self._fields().items())
        return f"{type(self).__name__}({fields})"


def _unwrapped(value: Any) -> Any:
    if isinstance(value, list):
        return [_unwrapped(item) for item in value]
    return value.to_wire() if isinstance(value, Record) else value
