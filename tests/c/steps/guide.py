"""The C and C++ programs in docs/: each compiles without a warning and prints what its page says."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from .tally import HERE, INCLUDE, ROOT, Tally, call

DOCS = ROOT / "docs"
COMPILERS = {".c": ["cc", "-std=c11"], ".cpp": ["c++", "-std=c++17"]}
LIBRARY = HERE / "build" / "lib"
FLAGS = ["-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", f"-I{INCLUDE}", f"-L{LIBRARY}", f"-Wl,-rpath,{LIBRARY}"]


def programs(tally: Tally) -> None:
    """Runs the programs of every page."""
    for page in sorted(DOCS.glob("*.md")):
        run_page(tally, page)


def run_page(tally: Tally, page: Path) -> None:
    """Writes the files of a page into a folder, and runs its programs there."""
    text = page.read_text()
    files = dict(re.findall(r"^<!-- file: (\S+) -->\n```\w+\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
    with tempfile.TemporaryDirectory(prefix="lodger-guide-") as folder:
        for name, content in files.items():
            Path(folder, name).write_text(content)
        for name in files:
            if compiler := COMPILERS.get(Path(name).suffix):
                tally.note(
                    f"guide::{page.stem}::{name}",
                    trouble([*compiler, *FLAGS, name, "-llodger", "-o", "program"], text, name, folder),
                )


def trouble(compile_it: list[str], page: str, name: str, folder: str) -> str:
    """What is wrong with one program."""
    compiled = call(compile_it, cwd=folder)
    if compiled.returncode:
        return compiled.stderr
    # What a program prints stands in the next block of text.
    promised = re.search(r"^```text\n(.*?)^```", page[page.index(f"<!-- file: {name} -->") :], re.MULTILINE | re.DOTALL)
    result = call(["./program"], cwd=folder, timeout=60)
    if result.returncode == 0 and promised and result.stdout == promised[1]:
        return ""
    return f"exit code {result.returncode}, {result.stderr}\nit printed\n{result.stdout}\nnot what the page says"
