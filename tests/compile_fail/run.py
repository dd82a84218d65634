#!/usr/bin/env python3
"""Compiles programs that hold a mistake and checks what the compiler says about it.

usage: run.py [--folder FOLDER] COMPILER [ARGUMENT ...]

Each .txt file in the folder is a table of cases: pairs of what is wrong and what is right, and the
words that have to be said. All that is wrong is one file for the compiler, which goes on after each
mistake; all that is right is another, which it has to accept without a word. What is said of a case
begins with its own line in that file, and holds the words within five lines.

    kind  index_once
    with  Y^{ij} = A^{ik} B^{kj}       the program `f` of a call; none in a table of texts
    wrong f("A"_t = t23);
    says  the tensor B is not bound; add "B"_t = ... to the call
    right f("A"_t = t23, "B"_t = t34);

Each .cpp file is a case of its own. It says in comments what has to be said,

    // expect: the index j stands once in this term
    // expect: S^{ij} = Q^{ia} >>>K^{jb}<<<

and every `expect` has to appear, as one piece of text, within the first five lines of the
compiler's output, beside a line of the case itself. Spaces count as one, however many. The same
file compiled with -DCORRECT is the twin that must be accepted without a word.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^(kind|with|wrong|says|right) +(.*)$", re.MULTILINE)
PREAMBLE = """#include <complex>
#include <functional>
#include <utility>
#include <valarray>
#include <vector>
#include <ricci/ricci.hpp>
using namespace ricci::literals;
ricci::tensor<float, 1> t2({2});
ricci::tensor<float, 2> t23({2, 3}), t24({2, 4}), t34({3, 4});
ricci::tensor<float, 3> t342({3, 4, 2});
ricci::tensor<double, 2> d34({3, 4});
ricci::tensor<std::int32_t, 2> i23({2, 3});
ricci::tensor<bool, 2> b23({2, 3});
ricci::tensor<std::complex<float>, 2> z23({2, 3});
const ricci::tensor<float, 2> c23({2, 3});
double rate = 2;
std::vector<float> list(3);
std::vector<std::vector<float>> nested(2, list);
std::vector<unsigned> naturals(3);
struct columns { float* data(); int size(); int rows(); int cols(); } other_matrix;
ricci::fixed_tensor<float, 2> f2;
ricci::fixed_tensor<float, 3> f3;
ricci::fixed_tensor<float, 4> f4;
ricci::fixed_tensor<float, 1, 3> f13;
ricci::fixed_tensor<float, 2, 3> f23;
ricci::fixed_tensor<float, 2, 4> f24;
ricci::fixed_tensor<float, 3, 3> f33;
ricci::fixed_tensor<float, 3, 4> f34;
ricci::fixed_tensor<float, 4, 2> f42;
ricci::fixed_tensor<float, 4, 4> f44;
"""
LANGUAGE = ["-std=c++20", "-I", str(ROOT / "include")]
FLAGS = [*LANGUAGE, "-fsyntax-only"]
LINES = 5

EXPECT = re.compile(r"^\s*//\s*expect:\s*(.*?)\s*$", re.MULTILINE)

# Between two pieces of one text stands what a list of template arguments needs, such as
# `"}, piece{"` or `"}}, ricci::text<36>{{"`; quotation marks of the text itself are escaped.
SEAM = re.compile(r'(?<!\\)((?:\\\\)*)"\s*\}*\s*,\s*(?:[A-Za-z_][\w:]*(?:<[^<>"]*>)?\s*)?\{*\s*"')

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
    """A compiler's output as the reader understands it: texts that were cut are whole again,
    without escapes, with plain quotation marks and single spaces."""
    return plain(unescape(SEAM.sub(r"\1", output)))


def is_clang(compiler):
    return any("clang" in os.path.basename(word) for word in compiler)


def every_error(compiler):
    """The flag that lets a compiler go on after each mistake."""
    return "-ferror-limit=0" if is_clang(compiler) else "-fmax-errors=0"


def with_header(compiler, folder):
    """The command with the library's headers compiled once, in the folder, for many small files."""
    header = pathlib.Path(folder) / "all.hpp"
    header.write_text("#include <ricci/ricci.hpp>\n", encoding="utf-8")
    made = header.with_name("all.hpp.pch" if is_clang(compiler) else "all.hpp.gch")
    done = subprocess.run([*compiler, *LANGUAGE, "-x", "c++-header", header, "-o", made],
                          stdin=subprocess.DEVNULL, check=False)
    return [*compiler, "-Winvalid-pch", "-include", str(header)] if done.returncode == 0 else compiler


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
        # The words stand in a template argument, escaped, or in the text of an assertion, as is.
        said = normalise(head), plain(head)
        if not re.search(re.escape(case.name) + r":\d+:\d+: error:", head):
            problems.append(f"the first {LINES} lines lack the case's own line\n" +
                            indented(head, LINES))
        for words in expected:
            if not any(plain(words) in text for text in said):
                problems.append(f"the first {LINES} lines lack: {words}\n" + indented(head, LINES))
    status, output = compile_case(compiler, case, "-DCORRECT")
    if status != 0 or output:
        problems.append("the correct twin is not accepted:\n" + indented(output, 10))
    return "\n".join(problems)


def read_table(path):
    """The cases of a table: dictionaries of lines that stand under one word."""
    cases = []
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        case = {}
        for word, line in BLOCK.findall(block):
            case.setdefault(word, []).append(line)
        if case:
            cases.append({word: "\n".join(lines) for word, lines in case.items()})
    return cases


def table_program(cases, side):
    """A file for the compiler with one side of every case, and the lines of each case in it; a
    table of texts has no calls."""
    out = PREAMBLE.split("\n")
    lines = []
    for number, case in enumerate(cases):
        first = len(out) + 1
        if not is_call(case):
            out += f'constexpr auto {side}_{number} = R"~({case[side]})~"_eq;'.split("\n")
        else:
            out.append(f"void {side}_{number}() {{")
            if "with" in case:
                out += f'constexpr auto f = R"~({case["with"]})~"_eq;'.split("\n")
            first = len(out) + 1
            out += (case[side] + " }").split("\n")
        lines.append(range(first, len(out) + 1))
    return "\n".join(out) + "\n", lines


# What stands before the first line of an error.
CONTEXT = re.compile(r"^(In file included from|\s+from) |: (In|At) .*:$")


def heads(output, name):
    """The first lines of what is said of each line of the file: a dictionary of texts by line."""
    lines = output.split("\n")
    out = {}
    for k, line in enumerate(lines):
        match = re.search(re.escape(name) + r":(\d+):\d+: error:", line)
        if match is None:
            continue
        first = k
        while first > 0 and CONTEXT.search(lines[first - 1]):
            first -= 1
        out.setdefault(int(match.group(1)), "\n".join(lines[first:first + LINES]))
    return out


def is_call(case):
    return case["wrong"].endswith(";")


def check_table(compiler, path):
    cases = read_table(path)
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        for side in ("wrong", "right"):
            source = pathlib.Path(folder) / f"{side}.cpp"
            text, places = table_program(cases, side)
            source.write_text(text, encoding="utf-8")
            status, output = compile_case(compiler, source, every_error(compiler))
            if side == "right":
                if status != 0 or output:
                    problems.append("a correct twin is not accepted:\n" + indented(output, 20))
                continue
            if status == 0:
                problems.append("all that is wrong compiled")
            said_of = heads(output, source.name)
            for case, place in zip(cases, places):
                head = "\n".join(said_of[line] for line in place if line in said_of)
                said = normalise(head), plain(head)
                if not any(plain(case["says"]) in text for text in said):
                    problems.append(f"{case['wrong']}\n    is not refused with: {case['says']}\n"
                                    + indented(head, LINES))
    return "\n".join(problems), len(cases)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path(__file__).parent)
    parser.add_argument("compiler", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()

    cases = sorted(arguments.folder.glob("*.cpp"))
    tables = sorted(arguments.folder.glob("*.txt"))
    with tempfile.TemporaryDirectory(prefix="ricci-") as folder, \
            concurrent.futures.ThreadPoolExecutor(2) as pool:
        compiler = with_header(arguments.compiler, folder)
        results = list(pool.map(lambda case: check(compiler, case), cases))
        of_tables = list(pool.map(lambda path: check_table(compiler, path), tables))
    failed = 0
    for path, (problem, _) in zip(tables, of_tables):
        if problem:
            failed += 1
            print(f"{path.name}: {problem}")
    for case, problem in zip(cases, results):
        if problem:
            failed += 1
            print(f"{case.name}: {problem}")
    pairs = sum(count for _, count in of_tables)
    print(f"{len(cases)} cases, {pairs} more in tables, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
