"""Servers for the tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from kit import CONVERSATION, Scripts, mock


@pytest.fixture
def conversation() -> Iterator[str]:
    """The base URL of a server that plays the conversation that all clients have."""
    with mock(CONVERSATION) as base_url:
        yield base_url


@pytest.fixture
def models() -> Iterator[str]:
    """The base URL of a server with many models."""
    with mock(CONVERSATION, "--models", ",".join(f"m{number:02}" for number in range(45))) as base_url:
        yield base_url


@pytest.fixture
def scripts(tmp_path: Path) -> Scripts:
    return Scripts(tmp_path)
