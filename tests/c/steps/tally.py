"""Counting: one line for each test, whoever ran it."""

from __future__ import annotations

import os
import re
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path

#: tests/c, where everything runs; the root; the headers.
HERE = Path(__file__).resolve().parent.parent
ROOT = HERE.parent.parent
INCLUDE = ROOT / "include"


class Tally:
    """What passed and what failed so far."""

    def __init__(self) -> None:
        self.passed = 0
        self.failed = 0
        self.lock = threading.Lock()

    def note(self, name: str, fault: str = "") -> None:
        """One test: passed when there is no fault. Any thread."""
        with self.lock:
            print(f"FAIL {name}\n{fault}" if fault else f"ok   {name}", flush=True)
            self.passed += not fault
            self.failed += bool(fault)

    def command(self, name: str, command: Sequence[object], **more: object) -> bool:
        """One test that is one command: passed when it ends with 0."""
        result = call(command, **more)
        said = (result.stdout + result.stderr).strip() or f"exit code {result.returncode}"
        self.note(name, said if result.returncode else "")
        return result.returncode == 0

    def program(self, prefix: str, command: list[str], more: dict[str, str] | None = None) -> None:
        """A program that prints `ok   name` or `FAIL name` for each of its tests."""
        # One test has the library panic on purpose; how it got there is nobody's question here.
        env = {**os.environ, "RUST_BACKTRACE": "0", **(more or {})}
        process = subprocess.Popen(command, cwd=HERE, env=env, stdout=subprocess.PIPE, text=True, errors="replace")
        assert process.stdout is not None
        seen = bad = 0
        for line in process.stdout:
            if match := re.match(r"(ok  |FAIL) (\S+)$", line):
                seen += 1
                bad += match[1] == "FAIL"
                self.note(f"{prefix}::{match[2]}", "" if match[1] == "ok  " else "(see above)")
        code = process.wait()
        if not seen or (code != 0 and not bad):
            self.note(f"{prefix}", f"exit code {code} without a failed test")


def call(command: Sequence[object], **more: object) -> subprocess.CompletedProcess[str]:
    """Runs a command and keeps what it prints; a command that is not there is one that failed."""
    options = {"capture_output": True, "text": True, "errors": "replace", "check": False, "cwd": HERE, **more}
    try:
        return subprocess.run([str(part) for part in command], **options)  # type: ignore[call-overload, no-any-return]
    except OSError as error:
        return subprocess.CompletedProcess([str(part) for part in command], 127, "", f"{command[0]}: {error}")
