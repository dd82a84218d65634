#!/usr/bin/env python3
"""Compiles the examples of docs/notation.md: `equations` must be accepted, `refused` refused in
words.

usage: run.py COMPILER [ARGUMENT ...]

The first line of a refused block, after its %, has to stand in the first five lines that the compiler
says of it. All blocks of a kind are one file, and those that fail there are looked at one by one.
"""

import concurrent.futures
import importlib.util
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```(equations|refused)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HEADER = "#include <ricci/ricci.hpp>\nusing namespace ricci::literals;\n"

spec = importlib.util.spec_from_file_location("compile_fail", ROOT / "tests/compile_fail/run.py")
compile_fail = importlib.util.module_from_spec(spec)
spec.loader.exec_module(compile_fail)


def compile_text(compiler, text):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "example.cpp"
        source.write_text(text, encoding="utf-8")
        return compile_fail.compile_case(compiler, source)


def refused_together(compiler, blocks):
    """The numbers of the blocks that are refused with their words in one file of all of them."""
    lines, places = HEADER.splitlines(), {}
    for number, _, block in blocks:
        body = block.partition("\n")[2]
        first = len(lines) + 1
        lines += f'constexpr auto refused_{number} = R"({body})"_eq;'.split("\n")
        places[number] = range(first, len(lines) + 1)
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "refused.cpp"
        source.write_text("\n".join(lines) + "\n", encoding="utf-8")
        said_of = compile_fail.heads(compile_fail.compile_case(
            compiler, source, compile_fail.every_error(compiler))[1], source.name)
    refused = set()
    for number, _, block in blocks:
        wanted = compile_fail.plain(block.partition("\n")[0].lstrip("% "))
        head = "\n".join(said_of[line] for line in places[number] if line in said_of)
        if wanted in compile_fail.normalise(head) or wanted in compile_fail.plain(head):
            refused.add(number)
    return refused


def check(compiler, number, kind, block):
    line, _, rest = block.partition("\n")
    body = rest if kind == "refused" else block
    status, output = compile_text(compiler, HEADER + f'constexpr auto example = R"({body})"_eq;\n')
    if kind == "equations":
        accepted = status == 0 and not output
        return "" if accepted else f"block {number} is not accepted:\n{block}{output[:1500]}"
    wanted = compile_fail.plain(line.lstrip("% "))
    first = compile_fail.normalise("\n".join(output.splitlines()[:5]))
    raw = compile_fail.plain(compile_fail.SEAM.sub(r"\1", "\n".join(output.splitlines()[:5])))
    if status != 0 and (wanted in first or wanted in raw):
        return ""
    return (f"block {number} should be refused with\n  {wanted}\n"
            f"and the compiler says\n{output[:1500]}")


def main():
    compiler = sys.argv[1:]
    blocks = FENCE.findall((ROOT / "docs/notation.md").read_text(encoding="utf-8"))
    numbered = [(k + 1, *b) for k, b in enumerate(blocks)]
    examples = [f'constexpr auto example_{k} = R"({body})"_eq;\n'
                for k, kind, body in numbered if kind == "equations"]
    if compile_text(compiler, HEADER + "".join(examples)) == (0, ""):
        numbered = [b for b in numbered if b[1] != "equations"]
    refused = refused_together(compiler, [b for b in numbered if b[1] == "refused"])
    numbered = [b for b in numbered if b[0] not in refused]
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        found = list(pool.map(lambda b: check(compiler, *b), numbered))
    for words in filter(None, found):
        print(words)
    failed = sum(1 for words in found if words)
    print(f"{len(blocks)} examples, {failed} failed")
    sys.exit(1 if failed or not blocks else 0)


if __name__ == "__main__":
    main()
