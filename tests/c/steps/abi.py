"""The binary interface as a snapshot: lodger.abi, which libabigail compares with the header.

libabigail reads debug information of C, so the header is compiled into a library of stubs. That the real library has
the same functions is a test of `headers`; that they have the same signatures is the work of the header's generator.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from .headers import functions
from .tally import HERE, INCLUDE, Tally, call

SNAPSHOT = HERE / "lodger.abi"


def unchanged(tally: Tally) -> None:
    """The interface is the one of the snapshot."""
    with tempfile.TemporaryDirectory() as folder:
        library = stubs(Path(folder))
        result = call(["abidiff", "--fail-no-debug-info", "--headers-dir2", INCLUDE, SNAPSHOT, library])
    said = f"{result.stdout}{result.stderr}\nif this is meant: `make -C tests/c abi`, and see include/symbols.txt"
    tally.note("abi::the_interface_is_that_of_the_snapshot", said if result.returncode else "")


def stubs(folder: Path) -> Path:
    """A library with the functions of the header and nothing in them."""
    source = folder / "stubs.c"
    bodies = [f"{declaration} {{ __builtin_trap(); }}" for declaration in functions()]
    source.write_text("\n".join(['#include "lodger.h"', *bodies]))
    library = folder / "liblodger.so"
    flags = ["-std=c11", "-g", "-w", "-shared", "-fPIC", f"-I{INCLUDE}", "-Wl,-soname,liblodger.so.1"]
    # Told by its name alone, the source leaves no trace of a folder in the snapshot.
    result = call(["cc", *flags, source.name, "-o", library.name], cwd=folder)
    if result.returncode:
        raise SystemExit(result.stderr)
    return library


def write() -> int:
    """Takes a new snapshot."""
    with tempfile.TemporaryDirectory() as folder:
        library = stubs(Path(folder))
        # Nothing of where this machine keeps its files.
        options = ["--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--headers-dir", INCLUDE]
        result = call(["abidw", *options, "--out-file", SNAPSHOT, library])
    print(result.stderr, end="", file=sys.stderr)
    return result.returncode


if __name__ == "__main__":
    sys.exit(write())
