"""The example program does what it says."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from kit import ROOT

EXAMPLES = ROOT / "examples"


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    return Path(shutil.copytree(EXAMPLES / "broken-project", tmp_path / "broken"))


def fix(folder: Path, *flags: str, says: str = "") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "LODGER_MODEL": f"scripted/{EXAMPLES / 'broken-project.script.json'}"}
    environment.pop("LODGER_BASE_URL", None)
    command = [sys.executable, str(EXAMPLES / "python" / "fixer.py"), str(folder), *flags]
    return subprocess.run(command, env=environment, input=says, capture_output=True, text=True, timeout=120)


def test_the_fixer_mends_the_test(broken: Path) -> None:
    done = fix(broken, "--yes")
    assert done.returncode == 0, done.stderr
    assert "> edit_file: " in done.stdout
    assert "end_turn: " in done.stdout.splitlines()[-1]
    subprocess.run([sys.executable, "-m", "unittest"], cwd=broken, check=True, stderr=subprocess.PIPE)


def test_the_fixer_asks_and_hears_no(broken: Path) -> None:
    before = (broken / "due.py").read_text()
    done = fix(broken, says="y\nn\n")
    assert done.stdout.count("[y/N]") == 2
    assert "permission denied: The user said no." in done.stderr
    assert (broken / "due.py").read_text() == before
