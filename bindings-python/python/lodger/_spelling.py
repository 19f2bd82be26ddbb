"""Names as Python spells them and as JSON does: `max_steps` here is `maxSteps` to the engine.

What goes in is spelled by `camel`. What comes back has attributes for names; where a name stands in the text of an
error, `in_python` spells it as the host wrote it.
"""

from __future__ import annotations

import functools
import re

#: Errors in what a host handed over, and the type of that: any name in their text may be one of the type's.
_ABOUT = {"invalid_options": "AgentOptions", "invalid_input": "Prompt"}


def camel(name: str) -> str:
    """The name in JSON. One that is spelled so already stays."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest) if first else name


def snake(name: str) -> str:
    """The name in Python."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def in_python(code: str, message: str) -> str:
    """The text of an error of the engine, for somebody who wrote Python. What a provider said stays as it is."""
    groups, names = _names(_ABOUT.get(code, "AgentOptions"))
    # In errors about anything else an option stands with its group, such as `limits.max_steps`.
    before = r"(?<![\w/])" if code in _ABOUT else rf"\b(?:{'|'.join(groups)})\."
    message = re.sub(rf"{before}(?:{'|'.join(map(camel, names))})\b", lambda found: snake(found[0]), message)
    if code in _ABOUT:
        message = re.sub(r'(?<=unknown option ")[^"]+', lambda found: snake(found[0]), message)
        # A place in the JSON, which the host never saw.
        message = re.sub(r" at line \d+ column \d+$", "", message)
    return message


@functools.cache
def _names(door: str) -> tuple[list[str], list[str]]:
    """Every name of a type of `_inputs`: of its groups, and of two words at any depth."""
    # Hardly any program needs these types at run time.
    from . import _inputs

    groups, names, look_at = list[str](), list[str](), [door]
    seen = {""}
    for kind in look_at:
        hints = getattr(vars(_inputs).get(kind), "__annotations__", {})
        groups = groups or list(hints)
        names += [name for name in hints if "_" in name]
        inner = set(re.findall(r"\b[A-Z]\w+", str(list(hints.values()) or vars(_inputs).get(kind))))
        look_at += inner - seen
        seen |= inner
    return groups, names
