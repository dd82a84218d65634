#!/usr/bin/env python3
"""Writes the seeds of the fuzzer: every text that the other tests use, a small file each."""

import hashlib
import pathlib
import re
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent
RAW = re.compile(r'R"([a-z]*)\((.*?)\)\1"', re.DOTALL)
EINSUM = re.compile(r'"([A-Za-z. ,]*->[A-Za-z. ]*)"')


def texts():
    for path in sorted((TESTS / "corpus").glob("*.txt")):
        for program in path.read_text(encoding="utf-8").split("\n\n"):
            lines = [line for line in program.splitlines() if line and not line.startswith("#")]
            if lines:
                yield "\n".join(lines)
                yield from lines
    sources = [*TESTS.rglob("*.cpp"), *(TESTS.parent / "examples").glob("*.cpp")]
    for path in sorted(sources):
        text = path.read_text(encoding="utf-8")
        yield from (found[1] for found in RAW.findall(text))
        yield from EINSUM.findall(text)


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else TESTS / "fuzz" / "corpus"
    folder.mkdir(parents=True, exist_ok=True)
    seeds = {text.strip() for text in texts() if 0 < len(text) < 2000}
    for seed in seeds:
        name = hashlib.sha256(seed.encode()).hexdigest()[:16]
        (folder / name).write_text(seed, encoding="utf-8")
    print(f"{len(seeds)} seeds in {folder}")


if __name__ == "__main__":
    main()
