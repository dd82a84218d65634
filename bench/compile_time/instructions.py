#!/usr/bin/env python3
"""Instructions that g++'s compiler proper executes for user files, counted by valgrind: the same on
every run, however busy the machine is. For comparing versions: give the include folder of each.

usage: instructions.py [INCLUDE_FOLDER ...]    default: this repository's
"""
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

HEADER = "#include <ricci/ricci.hpp>\n"
ATTENTION = HEADER + r"""
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
"""
CALL = ATTENTION + r"""
float call() {
    ricci::tensor<float, 2> x({1024, 512});
    ricci::tensor<float, 3> wq({8, 512, 64}), wk({8, 512, 64}), wv({8, 512, 64}), wo({8, 64, 512});
    auto result = attention("X"_t = x, "W_Q"_t = wq, "W_K"_t = wk, "W_V"_t = wv, "W_O"_t = wo,
                            "d_k"_t = 64);
    return result["Y"_t](0, 0);
}
"""
GRADIENT = ATTENTION + r"""
constexpr auto backward =
    ricci::gradient(attention, "Y"_t, ricci::wrt("X"_t, "W_Q"_t, "W_K"_t, "W_V"_t, "W_O"_t));
static_assert(backward.states(
    R"(\frac{\partial L}{\partial W_Q^{hba}} = X^{ib} \frac{\partial L}{\partial Q^{hia}})"));
"""


def twenty_equations():
    """A projection, a residual tanh, a softmax and a scaling, five times, one on another."""
    lines, before = [], "X"
    for number, name in enumerate("ABCDEFGHIJKLMNOPQRST"):
        weights = "W_" + "QKVO"[number // 4 % 4]
        lines.append((
            f"{name}^{{ia}} = {before}^{{ib}} {weights}^{{ba}}",
            f"{name}^{{ia}} = {before}^{{ia}} + \\tanh({before}^{{ia}})",
            f"{name}^{{ia}} = "
            f"\\frac{{\\exp({before}^{{ia}})}}{{\\sum_{{a'}} \\exp({before}^{{ia'}})}}",
            f"{name}^{{ia}} = \\frac{{{before}^{{ia}}}}{{\\sqrt{{d_k}}}}",
        )[number % 4])
        before = name
    text = "\n".join(lines)
    return (f'{HEADER}using namespace ricci::literals;\n'
            f'constexpr auto twenty = R"(\n{text}\n)"_eq;\n')


def counted(include, source, optimisation):
    """Thousands of millions of instructions of cc1plus."""
    dry = subprocess.run(["g++", "-###", "-std=c++20", optimisation, "-I", include, "-c", source,
                          "-o", os.devnull],
                         check=True, capture_output=True, text=True).stderr
    proper = next(line for line in dry.splitlines() if "cc1plus" in line)
    arguments = [word.strip('"') for word in proper.split()]
    arguments[arguments.index("-o") + 1] = os.devnull
    said = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=no",
                           "--cachegrind-out-file=/dev/null"] + arguments,
                          check=True, capture_output=True, text=True).stderr
    return int(re.search(r"refs:\s+([\d,]+)", said)[1].replace(",", "")) / 1e9


def main():
    folders = sys.argv[1:] or [os.path.join(ROOT, "include")]
    files = (("include only", HEADER), ("attention, called", CALL),
             ("attention, gradients, a claim", GRADIENT), ("twenty equations", twenty_equations()))
    print(f"{'10^9 instructions of g++':32}" + "".join(f"{folder:>32}" for folder in folders))
    with tempfile.TemporaryDirectory() as scratch:
        source = os.path.join(scratch, "counted.cpp")
        for name, text in files:
            with open(source, "w", encoding="utf-8") as file:
                file.write(text)
            for optimisation in ("-O0", "-O2"):
                figures = [counted(folder, source, optimisation) for folder in folders]
                line = "".join(f"{figure:32.3f}" for figure in figures)
                print(f"{name + ' ' + optimisation:32}{line}", flush=True)


if __name__ == "__main__":
    main()
