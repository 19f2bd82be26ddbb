"""The Python programs in docs/: each passes the type checker, and prints what its page says."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from kit import ROOT, mock_model

PAGES = {page.name: page.read_text() for page in sorted((ROOT / "docs").glob("*.md"))}
GUIDES = [name for name, text in PAGES.items() if "\n```python\n" in text]


def files_of(page: str) -> list[tuple[str, str, str]]:
    """The files of a page: name, content, and what a program prints."""
    return re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```(?:\n\n```text\n(.*?)```)?", PAGES[page], re.DOTALL)


PROGRAMS = [(page, name, printed) for page in GUIDES for name, _, printed in files_of(page) if name.endswith(".py")]


def write_files(page: str, folder: Path) -> None:
    for name, content, _ in files_of(page):
        (folder / name).write_text(content)


@pytest.mark.parametrize("page", GUIDES)
def test_every_program_has_a_name_and_passes_the_type_checker(page: str, tmp_path: Path) -> None:
    write_files(page, tmp_path)
    named = [name for on, name, _ in PROGRAMS if on == page]
    assert len(named) == len(re.findall(r"^```python$", PAGES[page], re.MULTILINE))
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", os.devnull, "--cache-dir", os.devnull, "."]
    environment = {**os.environ, "MYPYPATH": str(ROOT / "bindings-python" / "python")}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(("page", "name", "printed"), PROGRAMS, ids=[f"{page}-{name}" for page, name, _ in PROGRAMS])
def test_a_program_prints_what_the_guide_says(page: str, name: str, printed: str, tmp_path: Path) -> None:
    write_files(page, tmp_path)
    environment = dict(os.environ)
    with contextlib.ExitStack() as stack:
        if "MODEL_URL" in (tmp_path / name).read_text():
            environment["MODEL_URL"] = stack.enter_context(mock_model(tmp_path / "model.json")).base_url
        command = [sys.executable, name]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout == printed
