#!/usr/bin/env python3
"""What `ricci check` says about documents of others, and of mistakes that are planted into them.

usage: documents.py RICCI [--plant N] FOLDER_OR_FILE ...

Counts the verdicts on every .md, .qmd, .Rmd and .tex file, or on the one file that is named. With
--plant, N statements that are proved are then changed, one at a time - a digit, a sign, an index,
an exponent, a function - and it is counted what is said of them. docs/check.md has the figures of
five sets of documents, with the commits that they were taken from.
"""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import random
import re
import subprocess
import sys

SUFFIXES = {".md", ".qmd", ".Rmd", ".tex"}
SWAPPED = {"i": "j", "j": "i", "\\sin": "\\cos", "\\cos": "\\sin"}


def check(ricci, path):
    """The findings about one file."""
    ran = subprocess.run([ricci, "check", "--json", str(path)], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, timeout=300)
    return json.loads(ran.stdout or b"[]")


def files_in(paths):
    for path in map(pathlib.Path, paths):
        if path.is_file():
            yield path
        else:
            yield from sorted(p for p in path.rglob("*") if p.suffix in SUFFIXES and p.is_file())


def mistakes_in(right, draw):
    """(kind, begin, end, what stands there then) of all that can be changed in a right side."""
    for m in re.finditer(r"(?<![\^_{0-9.])\d(?![0-9.])", right):
        yield "digit", m.start(), m.end(), str((int(m.group()) + draw.randint(1, 3)) % 10)
    for m in re.finditer(r" [+-] ", right):
        yield "sign", m.start(), m.end(), " - " if "+" in m.group() else " + "
    for m in re.finditer(r"(?<=_)[ij]\b|(?<=_\{)[ij]\b", right):
        yield "index", m.start(), m.end(), SWAPPED[m.group()]
    for m in re.finditer(r"\\(?:sin|cos)\b", right):
        yield "function", m.start(), m.end(), SWAPPED[m.group()]
    for m in re.finditer(r"\^2\b|\^\{2\}", right):
        yield "exponent", m.start(), m.end(), "^3"


def changed_line(line, finding, draw):
    """The line with a mistake in its statement; None where there is none to make."""
    head, body = line[:finding["column"] - 1], line[finding["column"] - 1:]
    next_one = re.search(r"\\q?quad|,\s*&|\\text", body)
    body, tail = (body[:next_one.start()], body[next_one.start():]) if next_one else (body, "")
    equal = body.find("=")
    if finding["words"].startswith("defines"):  # its first side is what the name means
        equal = body.find("=", equal + 1)
    if equal < 0:
        return None
    right = body[equal + 1:]
    possible = list(mistakes_in(right, draw))
    if not possible:
        return None
    _, begin, end, new = draw.choice(possible)
    return head + body[:equal + 1] + right[:begin] + new + right[end:] + tail


def verdict_of_mistake(ricci, path, finding, draw):
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    line = finding["line"] - 1
    changed = changed_line(lines[line], finding, draw)
    if changed is None:
        return None
    lines[line] = changed
    beside = path.with_name("planted-" + path.name)  # where what it includes is found
    beside.write_text("\n".join(lines), encoding="utf-8")
    try:
        found = check(ricci, beside)
    finally:
        beside.unlink()
    for f in found:
        if (f["line"], f["column"]) == (finding["line"], finding["column"]):
            print(f"  {f['verdict']:12} {path}:{finding['line']}: {changed.strip()[:90]}")
            return f["verdict"] + (", with numbers" if f["verdict"] == "unproved" and
                                   "(with " in f["words"] else "")
    return "unreadable"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ricci")
    parser.add_argument("--plant", type=int, default=0)
    parser.add_argument("paths", nargs="+")
    given = parser.parse_args()
    files = list(files_in(given.paths))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        findings = list(pool.map(lambda p: check(given.ricci, p), files))
    counts = collections.Counter(f["verdict"] for found in findings for f in found)
    print(f"{len(files)} documents, {sum(counts.values())} statements: "
          + ", ".join(f"{n} {v}" for v, n in sorted(counts.items())))
    for path, found in zip(files, findings):
        for f in found:
            if f["verdict"] in ("proved", "conditional", "refuted"):
                print(f"  {f['verdict']:12} {path}:{f['line']}: {f['equation'][:110]}"
                      f" - {f['words'][:90]}")
    if given.plant == 0:
        return
    draw = random.Random(4)
    places = [(p, f) for p, found in zip(files, findings) for f in found
              if f["verdict"] == "proved" and f["file"] == str(p)]  # not in what it includes
    draw.shuffle(places)
    said = collections.Counter()
    for path, finding in places:
        if sum(said.values()) == given.plant:
            break
        verdict = verdict_of_mistake(given.ricci, path, finding, draw)
        if verdict is not None:
            said[verdict] += 1
    print(f"{sum(said.values())} mistakes planted: "
          + ", ".join(f"{n} {v}" for v, n in sorted(said.items())))


if __name__ == "__main__":
    sys.exit(main())
