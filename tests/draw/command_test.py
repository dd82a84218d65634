#!/usr/bin/env python3
"""Runs `ricci draw` as a reader would: files that other programs read, and one sentence for what is
wrong.

usage: command_test.py COMMAND
"""

import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import mathml

ATTENTION = r"""Q^{hia} = X^{ic} W_Q^{hca}
K^{hja} = X^{jc} W_K^{hca}
S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja}
A^{hij} = \operatorname{softmax}_j(S^{hij})
Y^{hia} = A^{hij} K^{hja}
"""
SVG = "{http://www.w3.org/2000/svg}"

command = str(pathlib.Path(sys.argv[1]).resolve())
failures = []


def computed():
    """Seconds of processor time of the programs that have ended, which load does not lengthen."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def check(right, words):
    if not right:
        failures.append(words)


def draw(folder, text, *arguments):
    (folder / "equations.tex").write_text(text, encoding="utf-8")
    return subprocess.run([command, "draw", "equations.tex", *arguments], cwd=folder,
                          capture_output=True, text=True, check=False, timeout=60)


def svg_of(folder, text, *arguments):
    ran = draw(folder, text, "-o", "picture.svg", *arguments)
    check(ran.returncode == 0 and ran.stderr == "", f"{arguments}: {ran.stderr}")
    return xml.etree.ElementTree.parse(folder / "picture.svg").getroot()


def words_of(root):
    return ["".join(t.itertext()) for t in root.iter(SVG + "text")]


def check_pictures(folder):
    root = svg_of(folder, ATTENTION)
    words = words_of(root)
    check(root.tag == SVG + "svg" and root.get("viewBox"), "the picture is no SVG with a viewBox")
    for one in ["X", "WQ", "softmaxj", "h", "Qhia = Xic WQhca"]:
        check(one in words, f"{one} is not drawn: {words}")
    check(not list(root.iter(SVG + "script")), "a picture holds a script")
    # who listens hears what is drawn
    said = [g.get("aria-label") for g in root.iter(SVG + "g") if g.get("role") == "img"]
    check(len(said) == 5 and "Q[h,i,a] = sum(c) X[i,c] * W_Q[h,c,a]" in said[0],
          f"pictures are not said: {said}")
    # one panel an equation, or all as one
    check(sum(w == "X" for w in words) == 2, "X is not drawn once in each equation that has it")
    whole = words_of(svg_of(folder, ATTENTION, "--whole"))
    check("softmaxj" in whole and not any(" = " in w for w in whole), f"not as one: {whole}")
    gradient = words_of(svg_of(folder, ATTENTION, "--of", "Y", "--by", "W_Q"))
    check("∂L/∂Y" in gradient and "∂L/∂WQhca := Xic ∂L/∂Qhia" in gradient,
          f"no gradient: {gradient}")
    # names and conditions that XML has signs for
    escaped = words_of(svg_of(folder, r"y^i = [i < j] x^{j}"))
    check(any("i < j" in w for w in escaped), f"the condition is not drawn: {escaped}")
    order = words_of(svg_of(folder, "Y^{ad} = A^{ab} B^{bc} C^{cd}", "--order", "A=10x2000",
                            "B=2000x30", "C=30x5"))
    check("1" in order and "2" in order and any("50 elements" in w for w in order),
          f"no order: {order}")
    check(any("400000 multiplications" in w for w in order), f"no count: {order}")


# All that the printer writes: heights, hats, primes, fractions, roots, sums, cases, functions.
FORMULAS = r"""K^{ij} = \exp(-\frac{1}{2 \ell^2} \sum_a (X^{ia} - X^{ja})^2) + \sigma^2 \delta^{ij}
\alpha^{j} = \operatorname{solve}_{ij}(K^{ij}, y^{i})
L = -\frac{1}{2} y^i \alpha^i - \frac{1}{2} \operatorname{logdet}_{ij}(K^{ij})
C^{ij} = \operatorname{chol}_{ij}(K^{ij})
I^{ij} = -\infty x^{ij}
d = \det_{ij}(K^{ij})
g = \log \det_{ij}(K^{ij})
J^{ij} = (G^{-1})^{ij} + G^{ij}
A^{hij} = \frac{\exp(S^{hij})}{\sum_{j'} \exp(S^{hij'})}
\hat{\beta}^{i} = \sqrt{v^i + \epsilon} + \max(0, \bar{x}^i)
M^{ij} = \begin{cases} A_1^{ij} & \text{if } |i - j| \leq w \\ 0 & \text{otherwise} \end{cases}
\text{Output}^{ij} = T_{\text{masked}}^{ij} [i < j] + 2.5 \cdot 3
F^i = u^{i+k} f^k + \prod_a X^{ia}
P^{ia} = E^{t_i a} + X^{i(ha)} W^h
N^i = \max_a X^{ia} + \operatorname{softmax}_i(y^i)
z^{i} = \mathrm{i} y^i
a^{\mu} = \Gamma^{\mu}_{\nu\rho} v^\nu v^\rho
X^{(hi)} = \tilde{A}^{hi'} \delta^{i i'}
z^k = \sum_{n=0}^{3} a^{nk} 2^n
\text{loss} = -\frac{1}{n} \sum_i \log p_{i t_i}
y_i = \lfloor x_i / 2 \rfloor \bmod 3
"""


def formulas_of(root):
    """Each as MathML, and in the LaTeX that a reader hears."""
    return [(m, m.get("alttext")) for m in root.iter(mathml.NAMESPACE + "math")]


def check_formulas(folder):
    for text, arguments in [(FORMULAS, []), (ATTENTION, []),
                            (ATTENTION, ["--of", "Y", "--by", "W_Q,X"])]:
        for line in text.strip().split("\n") if text is FORMULAS else [text]:
            drawn = formulas_of(svg_of(folder, line, *arguments))
            check(drawn, f"no formula: {line}")
            read = "\n".join(mathml.latex_of(m) for m, _ in drawn)
            again = [latex for _, latex in formulas_of(svg_of(folder, read))]
            check(again == [latex for _, latex in drawn],
                  f"the formula of {drawn[0][1]} is read as {read}, which is {again}")
    # names and comparisons that XML has signs for
    for m, latex in formulas_of(svg_of(folder, r"y^i = [i < j] x^{j}")):
        check("<" in latex and "<" in mathml.latex_of(m), f"no comparison: {latex}")


def check_dot(folder):
    for arguments in [[], ["--whole"], ["--of", "Y", "--by", "W_Q"]]:
        text = ATTENTION + r"M^{ij} = [i < j \lor x^{i} = 2]" + "\n"
        ran = draw(folder, text, "-o", "graph.dot", *arguments)
        check(ran.returncode == 0, f"no .dot: {ran.stderr}")
        if shutil.which("dot"):
            read = subprocess.run(["dot", "-Tsvg", "-o", "read.svg", "graph.dot"], cwd=folder,
                                  capture_output=True, text=True, check=False)
            check(read.returncode == 0 and "rror" not in read.stderr,
                  f"dot refuses the graph: {read.stderr}")


def check_sentences(folder):
    def refused(text, arguments, words):
        ran = draw(folder, text, *arguments)
        lines = ran.stderr.strip().split("\n")
        check(ran.returncode == 1 and len(lines) == 1 and words in ran.stderr,
              f"{arguments} should say {words}, and says {ran.stderr!r} with {ran.returncode}")
    refused(ATTENTION, [], "say where the diagram goes")
    refused(ATTENTION, ["-o", "picture.png"], "ends in neither .svg nor .dot")
    refused(ATTENTION, ["-o", "there/is/none.svg"], "there/is/none.svg")
    refused(ATTENTION, ["-o", "p.svg", "--layout", "round"],
            "--layout is auto or plain, and not round")
    refused(ATTENTION, ["-o", "p.svg", "--of", "Z"], "Z")
    refused(ATTENTION, ["-o", "p.svg", "--by", "W_V"], "W_V")
    refused(ATTENTION, ["-o", "p.svg", "X=3x4"], "add --order")
    refused(ATTENTION, ["-o", "p.svg", "--whole", "--order", "X=3x4"], "leave out --whole")
    refused("", ["-o", "p.svg"], "equations.tex")
    refused("y^i = x^j", ["-o", "p.svg"], "mistake")
    check(not (folder / "p.svg").exists(), "a picture is left of what is refused")


def check_text(folder):
    ran = draw(folder, "C^{ij} = A^{ik} B^{kj}", "--text")
    check(ran.returncode == 0 and "(A)" in ran.stdout and "(B)" in ran.stdout and "k" in ran.stdout,
          f"no text: {ran.stdout}")


def check_large(folder):
    # 300 tensors, each joined to three before it; a minute is for machines that are busy
    letters = [f"{a}_{{{b}}}" for a in ["A", "B", "C"] for b in range(1, 101)]
    greek = [
        "\\alpha", "\\beta", "\\gamma", "\\zeta", "\\eta", "\\theta", "\\kappa", "\\lambda", "\\mu",
        "\\nu"
    ]
    indices = [a + "'" * k for k in range(16)
               for a in [*"abcdefghijklmnopqrstuvwxyz", *greek]][:560]
    uses = [[] for _ in letters]
    for k, index in enumerate(indices):
        first = k % 299
        for t in {first, min(299, first + 1 + k // 299 * (k * 7 % 40))}:
            uses[t].append(index)
    text = "Z = " + " ".join(f"{a}^{{{' '.join(u)}}}" for a, u in zip(letters, uses) if u)
    begin = computed()
    svg_of(folder, text, "--layout", "plain")
    check(computed() - begin < 60, "300 tensors take more than a minute")
    print(f"300 tensors: {computed() - begin:.2f} s of processor time")


with tempfile.TemporaryDirectory() as name:
    for one_check in [
            check_pictures, check_formulas, check_dot, check_sentences, check_text, check_large
    ]:
        one_check(pathlib.Path(name))
for failure in failures:
    print(failure)
sys.exit(1 if failures else 0)
