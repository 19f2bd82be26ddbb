"""What takes its time, or needs a tool that not every machine has."""

from __future__ import annotations

import os
import re
import shlex
import tempfile
from pathlib import Path

from . import abi
from .tally import HERE, ROOT, Tally, call

VALGRIND = [
    "valgrind",
    "--quiet",
    "--trace-children=yes",
    "--trace-children-skip=*/lodger-mock-model,*/rm,*/sh,*/dash,*/bash",
    "--child-silent-after-fork=no",
    "--error-exitcode=99",
]
LEAKS = ["--leak-check=full", "--errors-for-leak-kinds=definite", "--show-leak-kinds=definite"]
#: Tells the long tests that each event takes its time.
SLOW = {"LODGER_SLOW": "1"}
#: A forked child leaves what it inherited alone, which looks like a leak.
FORKS = "forks"


def all_of_it(tally: Tally, suites: list[str]) -> None:
    """Everything here."""
    pages(tally)
    abi.unchanged(tally)
    native_libraries(tally)
    tally.program("sanitized", ["build/hosts-sanitized"])
    tally.program("sanitized", ["build/cpp-sanitized"])
    golden_traces(tally, "sanitized")
    for suite in suites:
        leaks = [] if suite == FORKS else LEAKS
        tally.program("valgrind", [*VALGRIND, *leaks, "build/hosts-shared", suite], SLOW)
    tally.program("valgrind", [*VALGRIND, *LEAKS, "build/cpp"], SLOW)
    golden_traces(tally, "valgrind")


def pages(tally: Tally) -> None:
    """Doxygen has nothing to say against the headers."""
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "OUTPUT": folder}
        tally.command(
            "doxygen::it_reads_both_headers_without_a_warning", ["doxygen", "ffi/Doxyfile"], cwd=ROOT, env=env
        )
        page = Path(folder, "html", "lodger_8h.html")
        there = page.exists() and "lodger_turn_set_listener" in page.read_text()
        tally.note("doxygen::the_pages_have_the_functions", "" if there else f"{page} has them not")


def native_libraries(tally: Tally) -> None:
    """What pkg-config and CMake say of the static library is what the compiler says of it."""
    print_them = ["cargo", "rustc", "--package", "lodger-ffi", "--lib", "--", "--print", "native-static-libs"]
    said = re.search(r"native-static-libs: (.*)", call(print_them, cwd=ROOT).stderr)
    listed = (ROOT / "ffi" / "packaging" / "native-libs.linux").read_text().split()
    found = list(dict.fromkeys(said[1].split())) if said else []
    fault = "" if sorted(found) == sorted(listed) else f"rustc says {found}, listed are {listed}"
    tally.note("install::the_listed_system_libraries_are_those_of_the_compiler", fault)


def golden_traces(tally: Tally, build: str) -> None:
    """The traces that all faces must produce, by a host that something watches."""
    env = {**os.environ, "LODGER_C_TRACE": str(HERE / "build" / f"trace-{build}")}
    command = ["cargo", "test", "--workspace", "--test", "traces", "--", "::c::"]
    result = call(command, cwd=ROOT, env=env)
    verdicts = re.findall(r"^test (\w+)::c::(\w+) \.\.\. (\w+)$", result.stdout, re.MULTILINE)
    for case, tap, verdict in verdicts:
        tally.note(f"traces::{case}_{tap}_{build}", "" if verdict == "ok" else result.stdout)
    if result.returncode and all(verdict == "ok" for *_, verdict in verdicts):
        tally.note(f"traces::{build}", f"{shlex.join(command)}\n{result.stdout}{result.stderr}")
