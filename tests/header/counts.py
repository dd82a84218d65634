#!/usr/bin/env python3
"""Counts what compiling against ricci costs in ways that do not depend on the machine.

usage: counts.py COMPILER [ARGUMENT ...]

Prints, for the public headers alone and for seven equations with their gradients, the preprocessed
lines and, with clang, the template instantiations, for calls the length of the longest symbol, and
how much longer files take to compile than <string>, <stdexcept> and a Hana map do; fails when one is
over its bound. The bounds leave some room over what the libraries of Debian 12 and 13 need, that of
times half of it again, since a machine that others use measures badly. They only go down: lower them
when less is needed.
"""

import importlib.util
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Of the library's own headers, 400 of them for the views and values of tensors; and of those that
# they include from the standard library and Hana, more with every version of them.
MOST_LINES = {"reading": 15_480, "header": 23_040, "equations": 23_055}
MOST_LINES_OF_OTHERS = 30_000
MOST_INSTANTIATIONS = {"reading": 2_895, "header": 3_045, "equations": 3_870}

# How many times as long as those headers alone, and half as much more: others use the machine, too.
MOST_TIMES = {
    "g++": {"equations.hpp": 3.6, "ricci.hpp": 4.2, "gradients": 6.0},
    "clang": {"equations.hpp": 3.0, "ricci.hpp": 3.8, "gradients": 6.0},
}
MOST_ROUNDS = 8

HEADER = "#include <ricci/ricci.hpp>\n"
READING = "#include <ricci/equations.hpp>\n"
EQUATIONS = HEADER + r'''
using namespace ricci::literals;
constexpr auto attention = R"(
    Q^{hia} = X^{ib} W_Q^{hba}
    K^{hja} = X^{jb} W_K^{hba}
    V^{hjc} = X^{jb} W_V^{hbc}
    S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja}
    A^{hij} = \frac{\exp(S^{hij})}{\sum_{j'} \exp(S^{hij'})}
    O^{hic} = A^{hij} V^{hjc}
    Y^{id}  = O^{hic} W_O^{hcd}
)"_eq;
constexpr auto backward =
    ricci::gradient(attention, "Y"_t, ricci::wrt("X"_t, "W_Q"_t, "W_K"_t, "W_V"_t, "W_O"_t));
static_assert(backward.states(
    R"(\frac{\partial L}{\partial W_O^{hcd}} = O^{hic} \frac{\partial L}{\partial Y^{id}})"));
'''
# Called with six outputs, one of them a scalar.
CALL = EQUATIONS + r'''
constexpr auto loss = R"(M^{ij} = X^{ia} X^{ja}; N^{i} = M^{ij} v^j; T = N^i v^i)"_eq;
double run(ricci::tensor<float, 2>& x, ricci::tensor<float, 3>& w, ricci::tensor<float, 1>& v) {
    auto step = ricci::prepare(backward, "X"_t = x, "W_Q"_t = w, "W_K"_t = w, "W_V"_t = w,
                               "W_O"_t = w, "d_k"_t = 64, "dL/dY"_t = x);
    step();
    auto parts = loss.keep("M"_t, "N"_t)("X"_t = x, "v"_t = v);
    auto moved = std::move(parts);
    return moved["T"_t]() + step["dL/dX"_t](0, 0);
}
'''
# 60 with g++ 12; 251 with clang 19: the constructor of Hana's tuple for a map of three results.
LONGEST_SYMBOL = 260


def run(command):
    return subprocess.run(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
                          check=True).stdout


def preprocessed_lines(compiler, source):
    """How many lines are not empty: of the library's headers and the source, and of all others."""
    text = run([*compiler, "-std=c++20", "-E", "-I", ROOT / "include", source]).decode()
    own, others, is_own = 0, 0, False
    for line in text.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            is_own = marker[1] == str(source) or marker[1].startswith(str(ROOT / "include"))
        elif line.strip() and is_own:
            own += 1
        elif line.strip():
            others += 1
    return own, others


def instantiations(compiler, folder, source):
    """How many classes, functions and variables clang instantiates; None with another compiler."""
    target = folder / "trace.o"
    try:
        run([*compiler, "-std=c++20", "-c", "-I", ROOT / "include", "-ftime-trace",
             "-ftime-trace-granularity=0", source, "-o", target])
        trace = json.loads((folder / "trace.json").read_text(encoding="utf-8"))
    except (subprocess.CalledProcessError, OSError):
        return None
    return sum(1 for event in trace["traceEvents"] if event["name"].startswith("Instantiate"))


def longest_symbol(compiler, folder, source):
    """The length of the longest mangled name in the object of an optimised build."""
    target = folder / "called.o"
    run([*compiler, "-std=c++20", "-O2", "-c", "-I", ROOT / "include", source, "-o", target])
    names = run(["nm", target]).decode().split("\n")
    return max(len(name.split()[-1]) for name in names if name.strip())


def compared_files():
    """Files to compile, by what they hold: those of bench/compile_time."""
    place = ROOT / "bench" / "compile_time" / "run.py"
    module = importlib.util.spec_from_file_location("compile_time", place)
    bench = importlib.util.module_from_spec(module)
    module.loader.exec_module(bench)
    return {"": "", "others": bench.OTHERS, "equations.hpp": READING, "ricci.hpp": HEADER,
            "gradients": bench.seven_equations()}


def cpu_seconds(compiler, source):
    """User seconds of a compilation that no cache spares."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([*compiler, "-std=c++20", "-O2", "-I", ROOT / "include", "-c", source, "-o",
                    os.devnull], check=True, env={**os.environ, "CCACHE_DISABLE": "1"})
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def times_as_long(compiler, folder, most):
    """How many times as long each file takes as the headers of others, beyond an empty file: the
    least of several rounds, each compared within itself, as the machine may be busier in one than in
    another. More are made while one is over its bound."""
    sources = {}
    for number, (what, text) in enumerate(compared_files().items()):
        sources[what] = folder / f"compared{number}.cpp"
        sources[what].write_text(text, encoding="utf-8")
    times = dict.fromkeys(most, float("inf"))
    for _ in range(MOST_ROUNDS):
        seconds = {what: cpu_seconds(compiler, source) for what, source in sources.items()}
        others = seconds["others"] - seconds[""]
        for what in most:
            times[what] = min(times[what], (seconds[what] - seconds[""]) / others)
        if all(times[what] <= most[what] for what in most):
            break
    return times


def main():
    compiler = sys.argv[1:]
    is_clang = b"clang" in run([*compiler, "--version"])
    failed = False
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for what, text in (("reading", READING), ("header", HEADER), ("equations", EQUATIONS)):
            source = folder / "counted.cpp"
            source.write_text(text, encoding="utf-8")
            lines, others = preprocessed_lines(compiler, source)
            words = (f"{what}: {lines} preprocessed lines (at most {MOST_LINES[what]}), "
                     f"{others} of other libraries (at most {MOST_LINES_OF_OTHERS})")
            failed = failed or lines > MOST_LINES[what] or others > MOST_LINES_OF_OTHERS
            if is_clang:
                count = instantiations(compiler, folder, source)
                most = MOST_INSTANTIATIONS[what]
                if count is not None:
                    words += f", {count} template instantiations (at most {most})"
                    failed = failed or count > most
            print(words)
        source = folder / "called.cpp"
        source.write_text(CALL, encoding="utf-8")
        length = longest_symbol(compiler, folder, source)
        print(f"longest symbol of calls: {length} characters (at most {LONGEST_SYMBOL})")
        failed = failed or length > LONGEST_SYMBOL
        most = MOST_TIMES["clang" if is_clang else "g++"]
        for what, times in times_as_long(compiler, folder, most).items():
            print(f"{what}: {times:.2f} times as long as <string>, <stdexcept> and a Hana map "
                  f"(at most {most[what]})")
            failed = failed or times > most[what]
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
