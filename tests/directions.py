#!/usr/bin/env python3
"""Checks that includes go one way only: the arrows between the folders, and who may use what library."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# What every part below src/ and tools/ may include, and no public header that is not `base`.
SHARED = "src/base"

# Which part of the project may include which; every part may include itself. `base` are the headers
# that everybody shares: small ones in detail/ and ext/ and those named in BASE below. `front` are
# the other headers at the top of include/ricci, which compose the parts. `bind` is in detail/bind.
ARROWS = {
    "base": set(),
    "ir": {"base"},
    "notation": {"base", "ir"},
    "derive": {"base", "ir"},
    # The door to the compiled library: requests and executables.
    "engine": {"base", "ir", "tensors"},
    "tensors": {"base"},
    "bind": {"base", "ir", "notation", "derive", "engine", "tensors"},
    "small": {"base", "bind"},
    "front": {"base", "ir", "notation", "derive", "engine", "tensors", "bind", "small"},
    SHARED: {"base"},
    # What is to be done, and what does it: no text, no equations, no plans.
    "src/steps": {"base"},
    "src/runtime": {"base", "tensors"},
    "src/kernels": {"base", "src/steps"},
    "src/contract": {"base", "engine", "src/steps", "src/map", "src/kernels", "src/runtime"},
    "src/tile": {"base", "src/steps", "src/kernels"},
    "src/copy": {"base", "src/steps", "src/tile", "src/kernels", "src/runtime"},
    "src/map": {"base", "src/steps", "src/tile", "src/bodies", "src/copy", "src/kernels", "src/runtime"},
    "src/index": {"base", "src/steps", "src/tile", "src/kernels", "src/runtime"},
    "src/scan": {"base", "src/steps", "src/runtime"},
    "src/linear": {"base", "src/steps", "src/contract", "src/kernels", "src/runtime"},
    "src/bodies": {"base", "src/steps", "src/tile", "src/kernels"},
    "src/fused": {"base", "src/steps", "src/tile", "src/bodies", "src/contract", "src/kernels", "src/runtime"},
    # What is decided before anything runs.
    "src/path": {"base", "ir", "src/kernels", "src/runtime"},
    # A plan and the memory of its operands, run.
    "src/text": {"base", "ir", "notation", "derive", "engine", "front"},
    "src/engine": {"base", "ir", "derive", "engine", "bind", "tensors", "front", "src/steps", "src/text", "src/plan",
                   "src/contract", "src/map", "src/index", "src/scan", "src/linear", "src/fused", "src/kernels",
                   "src/runtime"},
    # Networks known at run time, and orders for them.
    "src/network": {"base", "engine", "ir", "tensors", "front", "src/path", "src/plan", "src/engine", "src/contract",
                    "src/steps", "src/kernels", "src/runtime"},
    # Programs known at run time: parsed, printed, bound.
    "src/front": {"base", "ir", "notation", "derive", "engine", "tensors", "bind", "front", "src/text", "src/plan",
                  "src/engine", "src/runtime"},
    # Documents, taken apart into statements.
    "tools/papers": {"base"},
    # Claims of texts, with what may be assumed of their inputs.
    "tools/judge": {"base", "ir", "derive", "src/text"},
    # Papers, of which each claim is judged.
    "tools/check": {"base", "src/text", "tools/papers", "tools/judge"},
    # A library of its own, which uses the other through its public face.
    "src/files": {"base", "tensors", "front"},
    # So is the one of several machines: equations become those of each rank, which the engine runs.
    # Which rank computes what of a program is known without MPI.
    "src/placement": {"base", "ir", "derive", "engine", "tensors", "front", "src/text"},
    "src/mpi": {"base", "ir", "engine", "tensors", "front", "src/text", "src/placement"},
    # Formulas as browsers set them.
    "tools/formula": {"base"},
    # Diagrams are made of equations alone, for the command.
    "tools/draw": {"base", "ir", "front", "tools/formula"},
    # Pages are made of arrays, and of equations for their traces.
    "tools/show": {"base", "ir", "tensors", "front", "tools/formula"},
    # The command is a program on top of everything; nothing includes it.
    "tools/command": {"base", "ir", "notation", "derive", "engine", "tensors", "bind", "front", "tools/papers",
                    "tools/check", "src/path", "src/plan", "src/placement", "tools/draw", "src/files",
                    "tools/show"},
    # So is the module of the Python package.
    "python": {"base", "ir", "tensors", "front", "src/front", "src/runtime", "tools/papers", "tools/check",
               "tools/draw", "tools/show", "src/mpi"},
}

# The rooms of the planner, each with those that it may include; src/plan/ itself has the passes in order.
# Who includes "src/plan" may include every room.
BELOW_PLAN = {"base", "ir", "engine", "src/steps", "src/path", "src/linear", "src/kernels"}
ROOMS = {
    "pool": set(),
    "schedule": {"pool"},
    "words": {"schedule"},
    "bind": {"pool", "schedule", "words"},
    "forms": {"pool", "schedule"},
    "read": {"pool", "schedule", "words", "bind", "forms"},
    "rewrite": {"pool", "schedule", "bind", "forms", "read"},
    "code": {"pool", "schedule", "words"},
    "groups": {"pool", "schedule", "words", "bind", "code"},
    "store": {"schedule", "forms"},
    "verify": {"pool", "schedule", "words", "store"},
}
for name, others in ROOMS.items():
    ARROWS[f"src/plan/{name}"] = BELOW_PLAN | {f"src/plan/{other}" for other in others}
ROOM_PARTS = {f"src/plan/{name}" for name in ROOMS}
ARROWS["src/plan"] = BELOW_PLAN | ROOM_PARTS
for allowed in ARROWS.values():
    if "src/plan" in allowed:
        allowed |= ROOM_PARTS

# The files at the top of include/ricci that are not `front`.
BASE = {"element.hpp", "error.hpp", "extents.hpp", "half.hpp"}
# The file in detail/ that is: what operands of networks are made of.
PRIVATE_FRONT = {"network_arguments.hpp"}
TENSORS = {"tensor.hpp", "fixed_tensor.hpp", "view.hpp"}

# Libraries that only one folder or file may include: (what an include starts with, who may).
LIBRARIES = [
    (("hwy/",), "src/kernels/"),
    (("tbb/", "oneapi/"), "src/runtime/parallel.cpp"),
    (("boost/",), "include/ricci/"),
    (("zip.h",), "src/files/"),
    (("mpi.h",), ("src/mpi/", "include/ricci/mpi", "python/module/mpi.cpp")),
    (("CLI/",), "tools/command/"),
    (("pybind11/", "Python.h"), "python/"),
]

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include(?:_next)?[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)
# Highway includes the file that this macro names once for every SIMD target.
TARGET_INCLUDE = re.compile(r'^[ \t]*#[ \t]*define[ \t]+HWY_TARGET_INCLUDE[ \t]+(")([^"\n]+)"',
                            re.MULTILINE)


def part_of(path):
    """The part of the project that the file at `path` (from the root, with slashes) belongs to."""
    names = path.split("/")
    if names[:2] == ["include", "ricci"] and len(names) > 2:
        if len(names) == 3:
            return "base" if names[2] in BASE else "tensors" if names[2] in TENSORS else "front"
        if names[2] == "detail" and names[3] in PRIVATE_FRONT:
            return "front"
        if names[2:4] == ["detail", "bind"]:
            return "bind"
        return "base" if names[2] in ("detail", "ext") else names[2]
    if names[0] == "python":
        return "python"
    if names[0] in ("src", "tools") and len(names) > 2:
        return "/".join(names[:3] if names[1] == "plan" and len(names) > 3 else names[:2])
    return None


def included_file(path, quote, name):
    """The project's file that `name` means in the file at `path`; None when it is not the project's."""
    places = [ROOT / "include", ROOT / "src", ROOT / "tools", ROOT / "python", ROOT]
    if quote == '"':
        places.insert(0, (ROOT / path).parent)
    for place in places:
        candidate = (place / name).resolve()
        if candidate.is_file() and ROOT in candidate.parents:
            return candidate.relative_to(ROOT).as_posix()
    # A missing header of ours is still ours; the compiler will say that it is missing.
    return "include/" + name if name.startswith("ricci/") else None


def mistakes_in(path):
    text = (ROOT / path).read_text(encoding="utf-8")
    part = part_of(path)
    if part not in ARROWS:
        yield f"{path}: the table in tests/directions.py does not know {part or 'this place'}"
        return
    for found in [*INCLUDE.finditer(text), *TARGET_INCLUDE.finditer(text)]:
        quote, name = found.groups()
        line = text.count("\n", 0, found.start(1)) + 1
        target = included_file(path, quote, name)
        if target is None:
            for starts, place in LIBRARIES:
                if name.startswith(starts) and not path.startswith(place):
                    yield f"{path}:{line}: <{name}> is for {place} only"
            continue
        other = part_of(target)
        shared = other == SHARED and path.startswith(("src/", "tools/"))
        if other != part and not shared and other not in ARROWS[part]:
            yield f"{path}:{line}: {part} must not include {other or 'this'} ({name})"


def main():
    files = sorted(
        path.relative_to(ROOT).as_posix()
        for folder in ("include", "src", "tools", "python")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".hpp", ".cpp", ".h", ".inc")
    )
    mistakes = [mistake for path in files for mistake in mistakes_in(path)]
    for mistake in mistakes:
        print(mistake)
    print(f"{len(files)} files, {len(mistakes)} includes in the wrong direction")
    return 1 if mistakes or not files else 0


if __name__ == "__main__":
    sys.exit(main())
