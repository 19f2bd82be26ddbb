"""What `make install` gives, and programs of others that find it by pkg-config and by CMake."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable
from pathlib import Path

from .tally import HERE, ROOT, Tally, call

CONSUMER = HERE / "consumer"
SAID = "Found and linked."


def installed(tally: Tally, out: Path) -> None:
    """Installs into a folder of its own and builds programs against that."""
    with tempfile.TemporaryDirectory(prefix="lodger-install-") as folder:
        tree = Path(folder, "stage", "opt", "lodger")
        stage = tree.parent.parent
        make = ["make", "--no-print-directory", "-C", ROOT, "install", "PREFIX=/opt/lodger", f"DESTDIR={stage}"]
        empty = call([*make, f"OUT={folder}/nothing"])
        helpful = empty.returncode != 0 and "run `make rust` first" in empty.stderr
        tally.note("install::what_was_not_built_is_not_installed_and_says_so", "" if helpful else empty.stderr)
        if not tally.command("install::it_needs_no_network_and_no_rust", [*make, f"OUT={out}"]):
            return
        links(tally, tree)
        # The tree knows nothing of where it was meant to stand.
        moved = Path(folder, "moved")
        tree.rename(moved)
        script = Path(folder, "script.json")
        script.write_text(json.dumps({"steps": [{"reply": [{"type": "text", "text": SAID}]}]}))
        by_pkg_config(tally, moved, script, Path(folder, "pkg-config"))
        by_cmake(tally, moved, script, Path(folder, "cmake"))


def links(tally: Tally, tree: Path) -> None:
    """The library goes by its soname; the two links lead to it."""
    real = tree / "lib" / "liblodger.so"
    fault = (
        ""
        if real.resolve().name == "liblodger.so.1.0"
        and os.readlink(tree / "lib" / "liblodger.so.1") == "liblodger.so.1.0"
        else str(real.resolve())
    )
    tally.note("install::the_library_goes_by_its_soname", fault)
    there = {str(path.relative_to(tree)) for path in tree.rglob("*") if not path.is_dir()}
    wanted = {"include/lodger.h", "include/lodger.hpp", "lib/liblodger.a", "lib/liblodger.so", "lib/liblodger.so.1"}
    wanted |= {"lib/liblodger.so.1.0", "lib/pkgconfig/lodger.pc"}
    wanted |= {f"lib/cmake/lodger/lodgerConfig{part}.cmake" for part in ("", "Version")}
    tally.note("install::everything_is_there_and_nothing_else", " ".join(sorted(there ^ wanted)))


def by_pkg_config(tally: Tally, tree: Path, script: Path, folder: Path) -> None:
    """`cc host.c $(pkg-config --cflags --libs lodger)`, and the same for the static library."""
    folder.mkdir()
    env = {**os.environ, "PKG_CONFIG_PATH": str(tree / "lib" / "pkgconfig")}
    ways: list[tuple[str, list[str], Callable[[str], str]]] = [
        ("shared", [], lambda flag: flag),
        ("static", ["--static"], lambda flag: "-l:liblodger.a" if flag == "-llodger" else flag),
    ]
    for way, options, chosen in ways:
        name = f"install::pkg_config_{way}"
        flags = call(["pkg-config", *options, "--cflags", "--libs", "lodger"], env=env)
        if flags.returncode:
            tally.note(name, flags.stderr)
            continue
        program = folder / way
        command = ["cc", CONSUMER / "host.c", *map(chosen, flags.stdout.split()), "-o", program]
        if tally.command(f"{name}_links", command):
            runs(tally, name, program, script, tree if way == "shared" else None)


def by_cmake(tally: Tally, tree: Path, script: Path, folder: Path) -> None:
    """`find_package(lodger)` and its two targets."""
    where = f"-DCMAKE_PREFIX_PATH={tree}"
    if not tally.command("install::cmake_finds_the_package", ["cmake", "-S", CONSUMER, "-B", folder, where]):
        return
    if tally.command("install::cmake_builds_with_either_library", ["cmake", "--build", folder]):
        for way in ("shared", "static", "layer"):
            # CMake puts the folder of a shared library into the program.
            runs(tally, f"install::cmake_{way}", folder / way, script, None, shared=way != "static")
    for asked, found in [("0.1.0", True), ("0.2", False), ("1", False)]:
        project = folder / f"asks-for-{asked}"
        project.mkdir()
        lines = ["cmake_minimum_required(VERSION 3.16)", "project(asks LANGUAGES C)"]
        lines += [f"find_package(lodger {asked} CONFIG QUIET)", 'message("found=${lodger_FOUND}")']
        (project / "CMakeLists.txt").write_text("\n".join(lines))
        said = call(["cmake", "-S", project, "-B", project / "build", where])
        verdict = bool(re.search(r"found=(1|TRUE)", said.stderr + said.stdout))
        name = f"install::cmake_{'takes' if found else 'refuses'}_version_{asked}"
        tally.note(name, "" if verdict == found else said.stderr + said.stdout)


def runs(
    tally: Tally, name: str, program: Path, script: Path, found_in: Path | None, shared: bool | None = None
) -> None:
    """The program runs, and needs the shared library exactly when it should."""
    env = {**os.environ, **({"LD_LIBRARY_PATH": str(found_in / "lib")} if found_in else {})}
    result = call([program, script], env=env)
    tally.note(f"{name}_runs", "" if result.stdout == SAID else f"{result.stdout}{result.stderr}")
    needs = "liblodger.so.1" in call(["readelf", "--dynamic", program]).stdout
    wanted = found_in is not None if shared is None else shared
    tally.note(f"{name}_needs_{'the' if wanted else 'no'}_shared_library", "" if needs == wanted else "it is not so")
