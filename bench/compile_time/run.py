"""CPU seconds that user files cost the compilers beyond an empty file, preprocessed lines of the
public header, and the longest symbols in the objects. "precompiled": the same with the public
header precompiled, which a project of several files does once.

usage: run.py [COMPILER ...]    default: g++ and every clang++ that is found
"""
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
REPEATS = 5

ATTENTION = r"""
    Q{0}^{{hia}} = X{0}^{{ib}} W_{{Q{0}}}^{{hba}}
    K{0}^{{hja}} = X{0}^{{jb}} W_{{K{0}}}^{{hba}}
    V{0}^{{hjc}} = X{0}^{{jb}} W_{{V{0}}}^{{hbc}}
    S{0}^{{hij}} = \frac{{1}}{{\sqrt{{d_k}}}} Q{0}^{{hia}} K{0}^{{hja}}
    A{0}^{{hij}} = \frac{{\exp(S{0}^{{hij}})}}{{\sum_{{j'}} \exp(S{0}^{{hij'}})}}
    O{0}^{{hic}} = A{0}^{{hij}} V{0}^{{hjc}}
    Y{0}^{{id}}  = O{0}^{{hic}} W_{{O{0}}}^{{hcd}}
"""
# What a program that uses strings, errors and maps includes anyway: what others are compared with.
OTHERS = "#include <stdexcept>\n#include <string>\n#include <boost/hana/map.hpp>\n"
# Layers differ by the last letter of every name.
LETTERS = "ABCD"


def layer(letter):
    return ATTENTION.format(letter)


def seven_equations():
    text = layer("A")
    return program("layer", text, "YA", ["XA", "W_QA", "W_KA", "W_VA", "W_OA"])


def thirty_equations():
    text = ""
    for number, letter in enumerate(LETTERS):
        text += layer(letter)
        if number + 1 < len(LETTERS):  # the next layer's input, with a residual connection
            text += "    X%s^{id} = Y%s^{id} + X%s^{id}\n" % (LETTERS[number + 1], letter, letter)
    lines = [line for line in text.splitlines() if line.strip()]
    text = "\n".join(lines[:30]) + "\n"  # without the last layer's Y: its O is the result
    assert len(lines) == 31, len(lines)
    weights = [f"W_{kind}{letter}" for letter in LETTERS for kind in "QKV"]
    weights += [f"W_O{letter}" for letter in LETTERS[:-1]]
    return program("network", text, "O" + LETTERS[-1], ["XA"] + weights)


def program(name, text, of, by):
    names = ", ".join(f'"{n}"_t' for n in by)
    return f"""#include <ricci/ricci.hpp>
using namespace ricci::literals;
constexpr auto {name} = R"({text})"_eq;
constexpr auto backward = ricci::gradient({name}, "{of}"_t, ricci::wrt({names}));
const char* volatile used;
void use() {{ used = backward.program().characters.data; }}
"""


def files():
    header = "#include <ricci/ricci.hpp>\n"
    yield "<string>, <stdexcept>, hana::map alone", OTHERS
    yield "<ricci/equations.hpp> alone", "#include <ricci/equations.hpp>\n"
    yield "the public header alone", header
    yield "seven attention equations, gradients", seven_equations()
    yield "thirty equations, gradients", thirty_equations()
    yield "one einsum", header + (
        "ricci::tensor<float, 3> project(const ricci::tensor<float, 2>& x,\n"
        "                                const ricci::tensor<float, 3>& w) {\n"
        '    return ricci::einsum<"ib,hba->hia">(x, w);\n}\n'
    )
    with open(os.path.join(ROOT, "examples", "attention.cpp")) as example:
        yield "examples/attention.cpp", example.read()


def command(compiler, optimisation="-O2"):
    text = os.path.join(ROOT, "examples", "text.txt")
    return [compiler, "-std=c++20", optimisation, "-I", os.path.join(ROOT, "include"),
            f'-DRICCI_EXAMPLE_TEXT="{text}"']


def cpu_seconds(compiler, source, target, *arguments):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(command(compiler) + [*arguments, "-c", source, "-o", target], check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def median_seconds(compiler, source, target, *arguments):
    return statistics.median(
        cpu_seconds(compiler, source, target, *arguments) for _ in range(REPEATS))


def precompiled(compiler, header):
    """Precompiles a header, as Meson's cpp_pch and CMake's target_precompile_headers do. Returns
    the arguments that use it."""
    ending = ".pch" if "clang" in compiler else ".gch"
    subprocess.run(command(compiler) + ["-x", "c++-header", header, "-o", header + ending],
                   check=True)
    return ["-include", header]


def preprocessed_lines(compiler, source):
    text = subprocess.run(command(compiler) + ["-E", "-P", source], check=True,
                          capture_output=True, text=True).stdout
    return sum(1 for line in text.splitlines() if line.strip())


def long_symbols(target):
    listing = subprocess.run(["nm", target], check=True, capture_output=True, text=True).stdout
    lengths = [len(re.split(r"\s+", line.strip())[-1])
               for line in listing.splitlines() if line.strip()]
    return sum(1 for length in lengths if length > 200), max(lengths, default=0)


def compilers():
    if len(sys.argv) > 1:
        return sys.argv[1:]
    names = ["g++", "clang++"] + [f"clang++-{version}" for version in range(14, 30)]
    found = {}
    for name in names:
        path = shutil.which(name)
        if path:  # clang++ is often a link to one of the others
            found[os.path.realpath(path)] = name
    return list(found.values())


def main():
    with tempfile.TemporaryDirectory() as folder:
        def write(name, text):
            path = os.path.join(folder, name)
            with open(path, "w") as file:
                file.write(text)
            return path

        target = os.path.join(folder, "out.o")
        for compiler in compilers():
            said = subprocess.run([compiler, "--version"], check=True, capture_output=True,
                                  text=True)
            version = said.stdout.splitlines()[0]
            empty = median_seconds(compiler, write("empty.cpp", ""), target)
            print(f"# {compiler}: {version}; an empty file {empty:.2f} s")
            header = write("header.cpp", "#include <ricci/ricci.hpp>\n")
            lines = preprocessed_lines(compiler, header)
            print(f"# the public header is {lines} lines after preprocessing")
            with_header = precompiled(
                compiler, write("precompiled.hpp", "#include <ricci/ricci.hpp>\n"))
            print(f"{'file':40} {'CPU s':>7} {'precompiled':>11} {'object kB':>10} "
                  f"{'symbols > 200':>14} {'longest':>8}")
            for number, (name, text) in enumerate(files()):
                source = write(f"file{number}.cpp", text)
                seconds = median_seconds(compiler, source, target) - empty
                quick = median_seconds(compiler, source, target, *with_header) - empty
                over, longest = long_symbols(target)
                size = os.path.getsize(target) / 1000
                print(f"{name:40} {seconds:7.2f} {quick:11.2f} {size:10.1f} {over:14} {longest:8}",
                      flush=True)


if __name__ == "__main__":
    main()
