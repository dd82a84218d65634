#!/usr/bin/env python3
"""Compares what the shared libraries export with what is recorded: a function or class that
programs link to is marked with RICCI_EXPORT, and all else is hidden.

usage: symbols.py [--record] LIBRARY ...
"""

import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


# Instances of templates of others, the standard library among them, are no business of ours.
OTHERS = re.compile(r"((typeinfo|vtable|VTT|guard variable|typeinfo name|construction vtable)\b.*? for )?"
                    r"(void|bool)? ?(std|__gnu_cxx|fmt|tbb|hwy|void)\b")


def exported(library):
    """Names with the types of their parameters, as a linker sees them."""
    lines = subprocess.run(["nm", "-DC", "--defined-only", library], stdout=subprocess.PIPE, text=True,
                           check=True).stdout.splitlines()
    # ABI tags are for the linker; a communicator is a pointer in Open MPI, and a number in MPICH
    names = (re.sub(r"\[abi:\w+\]", "", line.split(maxsplit=2)[2]).replace("ompi_communicator_t*", "int")
             for line in lines)
    return {name for name in names if not OTHERS.match(name)}


def main():
    record = "--record" in sys.argv[1:]
    failed = False
    for library in (word for word in sys.argv[1:] if not word.startswith("--")):
        there = exported(library)
        listed = HERE / (re.sub(r"^lib|\.so.*$", "", pathlib.Path(library).name) + ".symbols.txt")
        if record:
            listed.write_text("".join(name + "\n" for name in sorted(there)), encoding="utf-8")
            print(f"{listed.name}: {len(there)} symbols recorded")
            continue
        recorded = set(listed.read_text(encoding="utf-8").splitlines())
        for name in sorted(there - recorded):
            print(f"exported, and not in {listed.name}: {name}")
        for name in sorted(recorded - there):
            print(f"no longer exported: {name}")
        if there != recorded:
            failed = True
            print(f"where that is meant: python3 tests/package/symbols.py --record {library}")
        else:
            print(f"{listed.name}: {len(there)} symbols, as recorded")
    return failed


if __name__ == "__main__":
    sys.exit(main())
