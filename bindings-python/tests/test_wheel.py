"""The package as others get it: one wheel, installed into an empty environment of every Python on this machine."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import lodger
import pytest

PACKAGE = Path(__file__).resolve().parent.parent
OLDEST = (3, 10)

pytestmark = pytest.mark.skipif(not os.environ.get("LODGER_DEEP"), reason="builds for release: set LODGER_DEEP=1")


def pythons() -> list[str]:
    """Every Python here that the package promises to work with, one of each version."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    names = [f"python3.{minor}" for minor in range(OLDEST[1], 30)]
    found = {name: path for name in names if (path := shutil.which(name, path=real_path()))}
    for python in sorted(pyenv.glob("*/bin/python3.*[0-9]")):
        if python.name in names:
            found.setdefault(python.name, str(python))
    return list(found.values()) or [sys.executable]


def real_path() -> str:
    """Without shims, which are there for versions that are not."""
    return os.pathsep.join(folder for folder in os.environ["PATH"].split(os.pathsep) if "shims" not in folder)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheels")
    maturin = [sys.executable, "-m", "maturin", "build", "--release", "--compatibility", "linux", "--out", str(out)]
    subprocess.run(maturin, cwd=PACKAGE, check=True, capture_output=True)
    [wheel] = out.iterdir()
    return wheel


def test_one_wheel_serves_every_python_and_holds_what_it_should(wheel: Path) -> None:
    assert "-cp310-abi3-" in wheel.name
    with zipfile.ZipFile(wheel) as archive:
        names = {name.removeprefix("lodger/") for name in archive.namelist()}
        size = sum(file.file_size for file in archive.infolist())
    assert {"__init__.py", "sync.py", "py.typed", "_native.pyi", "_native.abi3.so"} <= names
    assert not [name for name in names if "test" in name or name.endswith(".pyc")]
    assert size < 25 * 1024 * 1024


@pytest.mark.parametrize("python", pythons() if os.environ.get("LODGER_DEEP") else [])
def test_it_works_in_an_empty_environment(wheel: Path, python: str, tmp_path: Path) -> None:
    subprocess.run([python, "-m", "venv", str(tmp_path / "venv")], check=True)
    inside = str(tmp_path / "venv" / "bin" / "python")
    pip = [inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", str(wheel)]
    subprocess.run(pip, check=True)
    work = tmp_path / "work"
    work.mkdir()
    program = [inside, "-I", str(Path(__file__).with_name("smoke.py")), str(work)]
    done = subprocess.run(program, cwd=work, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["version"] == lodger.__version__
    assert said["file"].startswith(str(tmp_path / "venv"))
