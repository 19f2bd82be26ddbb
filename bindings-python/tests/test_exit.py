"""Processes that end in mid-turn: no crash, no hang, no child left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from kit import alive, descendants, eventually

#: How a process of the mode ends.
CODES = {
    "return": {0},
    "exit": {5},
    "exception": {1},
    "_exit": {7},
    "open-loop": {0},
    "sigint": {-signal.SIGINT},
    "sigint-outside": {-signal.SIGINT},
    "threads": {0},
    "threads-failing": {0},
    "threads-sigint": {-signal.SIGINT},
}
#: In all 1,120 processes, or 60.
ROUNDS = 112 if os.environ.get("LODGER_DEEP") else 6


def end_once(mode: str, folder: Path) -> None:
    folder.mkdir(parents=True)
    script = str(Path(__file__).with_name("exits.py"))
    command = [sys.executable, "-W", "ignore::ResourceWarning", script, mode, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        started = descendants(process.pid) if said else []
        if mode in ("sigint-outside", "threads-sigint"):
            process.send_signal(signal.SIGINT)
        try:
            _, errors = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            pytest.fail(f"{mode}: it did not end")
    assert said == "running\n", errors
    assert process.returncode in CODES[mode], f"{mode}: {process.returncode}\n{errors}"
    assert "panicked" not in errors
    assert "Fatal" not in errors
    assert eventually(lambda: not any(map(alive, started))), f"{mode}: left behind {started}"


@pytest.mark.parametrize("mode", CODES)
def test_a_process_may_end_in_mid_turn(mode: str, tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        rounds = [pool.submit(end_once, mode, tmp_path / str(n)) for n in range(ROUNDS)]
        for one in rounds:
            one.result()
