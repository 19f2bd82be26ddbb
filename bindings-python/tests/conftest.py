"""Fixtures of all tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from kit import Scripts


@pytest.fixture
def scripts(tmp_path: Path) -> Scripts:
    folder = tmp_path / "scripts"
    folder.mkdir()
    return Scripts(folder)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder to work in."""
    folder = tmp_path / "work"
    folder.mkdir()
    return folder
