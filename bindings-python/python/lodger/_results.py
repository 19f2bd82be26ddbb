"""What a tool of the host may return, and what the model is told of it."""

from __future__ import annotations

import base64
import dataclasses
import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from ._record import Record

_MAX_BYTES = 8 * 1024 * 1024
_MAX_IMAGES = 8
_MAX_IMAGE_BYTES = 5 * 1024 * 1024
_IMAGE_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")


class Image(NamedTuple):
    """A picture in a tool's result."""

    #: `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
    mime_type: str
    #: The bytes, or their base64; at most 5 MiB as base64.
    data: bytes | str


class Document(NamedTuple):
    """A file to read in a tool's result."""

    #: `application/pdf` or `text/plain`.
    mime_type: str
    #: The bytes, or their base64; at most 10 MiB as base64. A text is UTF-8.
    data: bytes | str
    #: What the file is called.
    name: str | None = None


class ToolResult(NamedTuple):
    """A result that says more than a value can."""

    #: Told to the model.
    text: str = ""
    #: Shown to the model; at most 8.
    images: Sequence[Image] = ()
    #: Shown to the model; at most 8.
    documents: Sequence[Document] = ()
    #: The tool ran, and what it says is an error.
    is_error: bool = False


def answer_of(result: Any) -> dict[str, Any]:
    """The answer to a tool request, for what a tool returned."""
    if isinstance(result, ToolResult):
        content = [_image(image, index) for index, image in enumerate(result.images)]
        if len(content) > _MAX_IMAGES:
            raise ValueError(f"the tool returned {len(content)} images; at most {_MAX_IMAGES} are allowed")
        content += [_document(document) for document in result.documents]
        if result.text or not content:
            content.insert(0, {"type": "text", "text": result.text})
        return _bounded({"content": content, "isError": result.is_error})
    text = result if isinstance(result, str) else _json(result)
    return _bounded({"content": [{"type": "text", "text": text}]})


def failure_of(raised: Exception) -> dict[str, Any]:
    """The answer to a tool request, for what a tool raised: its message, or the `ToolResult` among its arguments."""
    carried = next((argument for argument in raised.args if isinstance(argument, ToolResult)), None)
    if carried is None:
        return {"error": str(raised) or type(raised).__name__}
    return answer_of(carried._replace(is_error=True))


def _image(image: Image, index: int) -> dict[str, str]:
    data = _base64(image.data)
    if image.mime_type not in _IMAGE_TYPES:
        raise ValueError(f"images[{index}].mime_type must be one of {', '.join(_IMAGE_TYPES)}")
    if len(data) > _MAX_IMAGE_BYTES:
        raise ValueError(f"images[{index}].data is over {_MAX_IMAGE_BYTES} bytes as base64")
    if not re.fullmatch(r"[A-Za-z0-9+/]+={0,2}", data):
        raise ValueError(f"images[{index}].data must be bytes or base64 text")
    return {"type": "image", "mimeType": image.mime_type, "data": data}


def _document(document: Document) -> dict[str, str]:
    """Its form; what it holds is checked where the answer arrives."""
    block = {"type": "document", "mimeType": document.mime_type, "data": _base64(document.data)}
    return block if document.name is None else {**block, "name": document.name}


def _base64(data: bytes | str) -> str:
    return data if isinstance(data, str) else base64.b64encode(data).decode()


def _bounded(answer: dict[str, Any]) -> dict[str, Any]:
    size = sum(len(block.get("text", block.get("data", "")).encode("utf-8", "replace")) for block in answer["content"])
    if size > _MAX_BYTES:
        raise ValueError(f"the tool returned {size} bytes; at most {_MAX_BYTES} are allowed")
    return answer


def _json(result: Any) -> str:
    return json.dumps(result, ensure_ascii=False, separators=(",", ":"), default=_fields)


def _fields(value: Any) -> dict[str, Any]:
    if isinstance(value, Record):
        return value.to_wire()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    raise TypeError(f"the tool returned a {type(value).__name__}, which has no form in JSON")
