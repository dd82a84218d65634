#!/usr/bin/env python3
"""Compares the public names with those that are recorded: all that the headers declare in namespace
ricci itself and in ricci::literals, and the macros that they leave behind. What is for ricci alone
stands in ricci::detail, or in one of the namespaces that docs/versions.md calls internal.

usage: public_names.py [--record]
"""

import pathlib
import re
import sys

from declarations import declarations, name_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIST = pathlib.Path(__file__).with_name("public_names.txt")
PUBLIC = ("ricci", "ricci::literals")
MACRO = re.compile(r"^[ \t]*#[ \t]*(define|undef)[ \t]+(\w+)", re.MULTILINE)


def macros_of(text):
    defined = set()
    for what, name in MACRO.findall(text):
        (defined.add if what == "define" else defined.discard)(name)
    return defined


def public_names():
    """Every public name with the header that has it first, in the order of their paths."""
    where = {}
    for path in sorted((ROOT / "include").rglob("*")):
        if path.suffix not in (".hpp", ".inc"):
            continue
        text = path.read_text(encoding="utf-8")
        names = set(macros_of(text))
        for space, declaration in declarations(text):
            name = name_of(declaration)
            if space in PUBLIC and name:
                names.add(space.removeprefix("ricci").removeprefix("::") + "::" * (space != "ricci") + name)
        for name in names:
            where.setdefault(name, path.relative_to(ROOT / "include"))
    return where


def main():
    where = public_names()
    if "--record" in sys.argv[1:]:
        LIST.write_text("".join(name + "\n" for name in sorted(where)), encoding="utf-8")
        print(f"{len(where)} names recorded")
        return 0
    recorded = set(LIST.read_text(encoding="utf-8").split())
    for name in sorted(where.keys() - recorded):
        print(f"<{where[name]}> makes a name public that is not in {LIST.name}: {name}")
    for name in sorted(recorded - where.keys()):
        print(f"a public name has gone: {name}")
    if where.keys() != recorded:
        print(f"where that is meant: python3 {LIST.parent.relative_to(ROOT)}/public_names.py --record")
    else:
        print(f"{len(where)} public names, as recorded")
    return where.keys() != recorded


if __name__ == "__main__":
    sys.exit(main())
