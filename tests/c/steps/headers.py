"""The headers by themselves, and that header, library and symbols.txt speak of the same things."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from .tally import HERE, INCLUDE, ROOT, Tally, call

STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", f"-I{INCLUDE}"]
COMPILER = {"c": "cc", "c++": "c++"}


def all_of_it(tally: Tally, out: Path) -> None:
    """Everything here."""
    alone(tally)
    examples(tally)
    layout(tally)
    symbols(tally, out)


def alone(tally: Tally) -> None:
    """Each header stands alone, in each language that it promises, also when it is included twice."""
    cases = [("lodger.h", "c", std) for std in ("c99", "c11", "c17")]
    cases += [("lodger.h", "c++", std) for std in ("c++11", "c++17", "c++20")]
    cases += [("lodger.hpp", "c++", std) for std in ("c++17", "c++20")]
    for name, language, std in cases:
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "alone")
            source.write_text(f'#include "{name}"\n#include "{name}"\n')
            command = [COMPILER[language], "-x", language, f"-std={std}", *STRICT, source]
            tally.command(f"header::{name}_stands_alone_as_{std}", command)


def examples(tally: Tally) -> None:
    """The examples compile without a warning."""
    for name, language, std in [("c/fixer.c", "c", "c11"), ("cpp/fixer.cpp", "c++", "c++17")]:
        command = [COMPILER[language], f"-std={std}", *STRICT, ROOT / "examples" / name]
        tally.command(f"examples::{name}_compiles", command)


def layout(tally: Tally) -> None:
    """Sizes, offsets and numbers are what they always were, and layout.c forgets none."""
    tally.command("layout::structs_and_numbers_stay_as_they_are_in_c", ["cc", "-std=c11", *STRICT, "layout.c"])
    command = ["c++", "-x", "c++", "-std=c++17", *STRICT, "layout.c"]
    tally.command("layout::structs_and_numbers_stay_as_they_are_in_c++", command)
    asserted = set(re.findall(r"\bNUMBER\((LODGER_\w+),", (HERE / "layout.c").read_text()))
    numbers = {name for name, kind in declared().items() if kind == "constant"}
    tally.note("layout::every_constant_has_its_number", differs(numbers, asserted, "layout.c"))


def symbols(tally: Tally, out: Path) -> None:
    """The header, the library and symbols.txt name the same things."""
    rows = [line.split() for line in (INCLUDE / "symbols.txt").read_text().splitlines() if not line.startswith("#")]
    listed = {name: kind for name, kind, _since, _deprecated, removed in filter(None, rows) if removed == "-"}
    there = declared()
    tally.note(
        "symbols::the_header_declares_what_is_listed",
        differs(
            {f"{name} {kind}" for name, kind in there.items()}, {f"{name} {kind}" for name, kind in listed.items()}
        ),
    )
    said = since()
    wrong = [f"  {row[0]}: {said[row[0]]} in the header" for row in rows if row and said.get(row[0], row[2]) != row[2]]
    tally.note("symbols::the_header_says_the_same_version_as_the_list", "\n".join(wrong))
    library = str(out / "liblodger.so")
    exported = {
        line.split()[0] for line in call(["nm", "-D", "--defined-only", "--format=posix", library]).stdout.splitlines()
    }
    functions = {name for name, kind in listed.items() if kind == "function"}
    tally.note("symbols::the_library_exports_what_is_listed_and_nothing_else", differs(exported, functions))
    dynamic = call(["readelf", "--dynamic", library]).stdout
    soname = re.search(r"SONAME.*\[(.*)\]", dynamic)
    tally.note("symbols::the_soname_is_the_major_version", "" if soname and soname[1] == "liblodger.so.1" else dynamic)
    needed = set(re.findall(r"NEEDED.*\[(.*?)\.so", dynamic))
    system = {"libc", "libm", "libgcc_s", "ld-linux-x86-64", "ld-linux-aarch64"}
    tally.note("symbols::only_libraries_of_the_system_are_needed", " ".join(sorted(needed - system)))
    tally.note("symbols::the_library_stays_once_it_is_loaded", "" if "NODELETE" in dynamic else dynamic)


def header_text() -> str:
    """lodger.h without its comments."""
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", (INCLUDE / "lodger.h").read_text(), flags=re.DOTALL)


def declared() -> dict[str, str]:
    """What the header declares, and of what kind it is."""
    text = header_text()
    functions_of_the_header = r"^static inline \w+ (lodger_\w+)\("
    found = dict.fromkeys(re.findall(r"^#define (LODGER_\w+)\(", text, re.MULTILINE), "macro")
    found |= dict.fromkeys(re.findall(r"^#define (LODGER_\w+) \(?-?\d", text, re.MULTILINE), "constant")
    found |= dict.fromkeys(re.findall(functions_of_the_header, text, re.MULTILINE), "inline")
    types = r"^(?:typedef .*?|})\s?\(?\*?(lodger_\w+)\)?(?:\(.*\))?;$"
    found |= dict.fromkeys(re.findall(types, text, re.MULTILINE), "type")
    return found | dict.fromkeys(re.findall(r"\b(lodger_\w+)\(", "\n".join(functions())), "function")


def functions() -> list[str]:
    """The declarations of functions, one by one, without their semicolons."""
    text = re.sub(r"^#(?:.*\\\n)*.*$", "", header_text(), flags=re.MULTILINE)
    others = r"^static inline.*?^}|^typedef struct \w+ {.*?^}.*?;|^typedef[^;]*;|^extern \"C\" {|^}"
    text = re.sub(others, "", text, flags=re.MULTILINE | re.DOTALL)
    return [declaration.strip() for declaration in text.split(";") if declaration.strip()]


def since() -> dict[str, str]:
    """Since when each function is there, as its comment says."""
    text = (INCLUDE / "lodger.h").read_text()
    return {name: version for version, name in re.findall(r"@since (\S+)\n \*/\n[^;]*?\b(lodger_\w+)\(", text)}


def differs(found: set[str], listed: set[str], where: str = "symbols.txt") -> str:
    """Nothing, or what is only in one of the two."""
    return "\n".join(
        [f"  not in {where}: {name}" for name in sorted(found - listed)]
        + [f"  only in {where}: {name}" for name in sorted(listed - found)]
    )
