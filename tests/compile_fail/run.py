#!/usr/bin/env python3
"""Compiles programs that hold a mistake and checks what the compiler says about it.

usage: run.py [--folder FOLDER] COMPILER [ARGUMENT ...]

Each .cpp file in the folder is a case. It says in comments what has to be said,

    // expect: the index j stands once in this term
    // expect: S^{ij} = Q^{ia} >>>K^{jb}<<<

and every `expect` has to appear, as one piece of text, within the first five lines of the
compiler's output. Spaces count as one, however many. The same file compiled with -DCORRECT is the
twin that must be accepted without a word.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLAGS = ["-std=c++20", "-fsyntax-only", "-I", str(ROOT / "include")]
LINES = 5

EXPECT = re.compile(r"^\s*//\s*expect:\s*(.*?)\s*$", re.MULTILINE)

# Between two pieces of one text stands what a list of template arguments needs, such as
# `"}, piece{"` or `"}}, ricci::text<36>{{"`; quotation marks of the text itself are escaped.
SEAM = re.compile(r'(?<!\\)"\s*\}*\s*,\s*(?:[A-Za-z_][\w:]*(?:<[^<>"]*>)?\s*)?\{*\s*"')

# A byte by its number: in octal, which g++ 12 prints with the sign extended to 32 bits, or in hex.
ESCAPE = re.compile(rb'\\(?:x([0-9a-fA-F]{2})|(?:37777777)?([0-7]{1,3})|(.))', re.DOTALL)
NAMED = {b"n": b" ", b"t": b" ", b"r": b" ", b"v": b" ", b"f": b" ", b"0": b""}


def unescape(text):
    """`text` with the backslashes of a string literal taken out and bytes by number put in."""

    def replacement(match):
        by_hex, by_octal, character = match.groups()
        if character is not None:
            return NAMED.get(character, character)
        value = int(by_hex, 16) if by_hex else int(by_octal, 8) & 0xFF
        return bytes([value]) if value else b""

    data = ESCAPE.sub(replacement, text.encode("utf-8", "surrogateescape"))
    return data.decode("utf-8", "replace")


def plain(text):
    """`text` with single spaces and the quotation marks of ASCII."""
    for curly, straight in zip("\u2018\u2019\u201c\u201d", "''\"\""):
        text = text.replace(curly, straight)
    return " ".join(text.split())


def normalise(output):
    """A compiler's output as the reader understands it: texts that were cut are whole again, without
    escapes, with plain quotation marks and single spaces."""
    return plain(unescape(SEAM.sub("", output)))


def compile_case(compiler, case, *extra):
    """Exit status and what was printed. A terminal's colours and width play no part."""
    environment = dict(os.environ, LC_ALL="C.UTF-8")
    done = subprocess.run([*compiler, *FLAGS, *extra, str(case)], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          env=environment)
    return done.returncode, done.stdout.decode("utf-8", "replace")


def indented(text, count):
    return "\n".join("    | " + line[:400] for line in text.splitlines()[:count])


def check(compiler, case):
    """What is wrong with one case, as text; empty when nothing is."""
    expected = EXPECT.findall(case.read_text(encoding="utf-8"))
    if not expected or not all(expected):
        return "no words after `// expect:`"
    problems = []
    status, output = compile_case(compiler, case)
    head = "\n".join(output.splitlines()[:LINES])
    if status == 0:
        problems.append("it compiled")
    else:
        # The words may stand in a template argument, escaped, or in the text of an assertion, as is.
        said = normalise(head), plain(head)
        for words in expected:
            if not any(plain(words) in text for text in said):
                problems.append(f"the first {LINES} lines lack: {words}\n" + indented(head, LINES))
    status, output = compile_case(compiler, case, "-DCORRECT")
    if status != 0 or output:
        problems.append("the correct twin is not accepted:\n" + indented(output, 10))
    return "\n".join(problems)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path(__file__).parent)
    parser.add_argument("compiler", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()

    cases = sorted(arguments.folder.glob("*.cpp"))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda case: check(arguments.compiler, case), cases))
    failed = 0
    for case, problem in zip(cases, results):
        if problem:
            failed += 1
            print(f"{case.name}: {problem}")
    print(f"{len(cases)} cases, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
