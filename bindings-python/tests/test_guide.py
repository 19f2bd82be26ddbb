"""The programs in docs/embed-python.md: each passes the type checker, and prints what the page says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from kit import ROOT

PAGE = (ROOT / "docs" / "embed-python.md").read_text()
FILES = re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```(?:\n\n```text\n(.*?)```)?", PAGE, re.DOTALL)
PROGRAMS = {name: printed for name, _, printed in FILES if name.endswith(".py")}


@pytest.fixture
def guide(tmp_path: Path) -> Path:
    for name, content, _ in FILES:
        (tmp_path / name).write_text(content)
    return tmp_path


def test_every_program_has_a_name_and_passes_the_type_checker(guide: Path) -> None:
    assert len(PROGRAMS) == len(re.findall(r"^```python$", PAGE, re.MULTILINE))
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", os.devnull, "--cache-dir", os.devnull, "."]
    environment = {**os.environ, "MYPYPATH": str(ROOT / "bindings-python" / "python")}
    done = subprocess.run(command, cwd=guide, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_prints_what_the_guide_says(guide: Path, name: str) -> None:
    done = subprocess.run([sys.executable, name], cwd=guide, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout == PROGRAMS[name]
