"""Hosts that end in the middle of their turns, by the dozen: none crashes, none leaves a process behind."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .tally import HERE, Tally

#: How a host ends, and what its parent then sees.
WAYS = dict.fromkeys(("return", "exit", "exit_on_a_thread", "exit_in_a_callback", "_exit", "quick_exit"), 7)
WAYS |= {"abort": -signal.SIGABRT, "sigterm": -signal.SIGTERM, "sigkill": -signal.SIGKILL}
#: What its agents do at that moment.
BUSY = ("stream", "listener", "command", "request", "all")
SECONDS = 60


def in_mid_turn(tally: Tally, rounds: int) -> None:
    """Every way while every kind of work is under way, at moments that a fixed seed picks."""
    mark = f"LODGER_TEST_EXITS={uuid.uuid4()}"
    moments = random.Random(17)
    with tempfile.TemporaryDirectory(prefix="lodger-exits-") as folder:
        write_scripts(Path(folder))
        plan = [(way, busy) for way in WAYS for busy in BUSY]
        plan = [plan[i % len(plan)] for i in range(rounds)]
        jobs = [(way, busy, str(moments.randrange(20_000)), folder, mark) for way, busy in plan]
        with ThreadPoolExecutor(4) as pool:
            ends = list(pool.map(lambda job: end(*job), jobs))
    for way in WAYS:
        bad = [fault for (its_way, _), (_, fault) in zip(plan, ends, strict=True) if its_way == way and fault]
        tally.note(f"exits::a_host_may_end_in_mid_turn_by_{way}", "\n".join(bad))
    hosts = {host for host, _ in ends}
    until = time.monotonic() + SECONDS
    while (left := list(stray(hosts, mark))) and time.monotonic() < until:
        time.sleep(0.05)
    tally.note("exits::no_process_is_left_behind", "\n".join(left))


def write_scripts(folder: Path) -> None:
    """A model that talks without end, and one that has a long command run."""
    stream = [{"type": "repeat", "text": "word ", "count": 1_000_000_000}]
    command = [{"type": "tool_call", "toolName": "run_shell", "input": {"command": "sleep 4711 & sleep 4711"}}]
    for name, reply in (("stream", stream), ("command", command)):
        (folder / f"{name}.json").write_text(json.dumps({"steps": [{"reply": reply}]}))


def end(way: str, busy: str, moment: str, folder: str, mark: str) -> tuple[int, str]:
    """The process that was the host, and what is wrong with its end."""
    key, value = mark.split("=")
    command = [str(HERE / "build" / "exits"), way, busy, moment, folder]
    host = subprocess.Popen(
        command,
        env={**os.environ, key: value},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        said, _ = host.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        host.kill()
        return host.pid, f"  {' '.join(command)}: did not end"
    fault = f"  {' '.join(command)}: ended with {host.returncode}: {said}"
    return host.pid, "" if host.returncode == WAYS[way] and not said else fault


def stray(hosts: set[int], mark: str) -> Iterator[str]:
    """Processes of the hosts' sessions, and whoever inherited the mark in its environment."""
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                state, _, _, session, *_ = (process / "stat").read_text(errors="replace").rpartition(")")[2].split()
                if state == "Z":
                    continue  # dead; whoever adopted it has not looked yet
                if int(session) in hosts or mark.encode() in (process / "environ").read_bytes():
                    yield f"  {process.name}: {(process / 'cmdline').read_bytes().decode(errors='replace')}"
            except OSError:
                continue  # it ended meanwhile, or is somebody else's
