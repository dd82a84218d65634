#!/usr/bin/env python3
"""What a call from Python costs, beside numpy's einsum and torch in the same run; one thread.

usage: calls.py [CASE]...      cases: import, small, products, lines, attention, memory, interrupts;
                               all unless told

Medians. `C++` is the same call in C++, by bench_python_calls of the build folder that the package is
imported from (or where RICCI_CPP_CALLS says), measured before and after, the shorter one; `over` is
what Python takes beyond it. `ratio` is the peer's time by ricci's.
"""

import os

# before numpy is there: one thread for everybody, and the kernels that OpenBLAS chooses by itself
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")
os.environ.pop("OPENBLAS_CORETYPE", None)

import pathlib
import signal
import statistics
import subprocess
import sys
import threading
import time

import numpy as np

import ricci

ricci.threads(1)
RANDOM = np.random.default_rng(0)
ATTENTION = r"""
    Q^{hia} = X^{ib} W_Q^{hba}
    K^{hja} = X^{jb} W_K^{hba}
    V^{hjc} = X^{jb} W_V^{hbc}
    A^{hij} = \operatorname{softmax}_j(\frac{1}{\sqrt{d_k}} Q^{hia} K^{hja})
    O^{hic} = A^{hij} V^{hjc}
    Y^{id} = O^{hic} W_O^{hcd}"""


def array(*shape):
    return RANDOM.standard_normal(shape, dtype=np.float32)


def median(call, seconds=0.5):
    """Of one call, in seconds; short calls are counted in hundreds."""
    call()
    begun = time.perf_counter()
    call()
    once = time.perf_counter() - begun
    many = max(1, int(1e-3 / max(once, 1e-9)))
    samples = []
    end = time.perf_counter() + seconds
    while len(samples) < 5 or time.perf_counter() < end:
        begun = time.perf_counter()
        for _ in range(many):
            call()
        samples.append((time.perf_counter() - begun) / many)
    return statistics.median(samples)


def words(seconds):
    return f"{seconds * 1e6:.2f} us" if seconds < 1e-3 else f"{seconds * 1e3:.2f} ms"


def cpp_call(text, given, gradient):
    """Seconds of the call and of a run once prepared, in C++; none where that is not built."""
    program = os.environ.get("RICCI_CPP_CALLS") or (
        pathlib.Path(ricci.__file__).resolve().parents[2] / "bench" / "bench_python_calls")
    if not os.path.exists(program):
        return None
    operands = [f"{n}:{x}" if np.ndim(x) == 0 else f"{n}=" + ",".join(map(str, x.shape))
                for n, x in given.items()]
    of = ["--gradient", gradient[0], ",".join(gradient[1])] if gradient else []
    ran = subprocess.run([program, *of, text, *operands], check=True, stdout=subprocess.PIPE,
                         text=True)
    return [float(word) for word in ran.stdout.split()]


def line(name, text, given, gradient=None, **peers):
    p = ricci.program(text)
    if gradient:
        p = p.value_and_gradient(*gradient)
    before = cpp_call(text, given, gradient)
    took, least = median(lambda: p(given)), median(p.prepare(given))
    print(f"{name:28} call {words(took):>11}  prepared {words(least):>11}", end="")
    if before is not None:
        after = cpp_call(text, given, gradient)
        cpp, cpp_least = map(min, before, after)
        print(f"  C++ {words(cpp):>11} {words(cpp_least):>11}  over {words(took - cpp):>10}"
              f" ({took / cpp - 1:6.1%})", end="")
    for peer, run in peers.items():
        theirs = median(run)
        print(f"  {peer} {words(theirs)} (ratio {theirs / took:.2f})", end="")
    print(flush=True)


def torch_or_none():
    try:
        import torch
    except ImportError:
        return None
    torch.set_num_threads(1)
    return torch


def product(name, text, *operands):
    names = "ABC"
    inputs, output = text.split("->")
    terms = inputs.split(",")
    right = " ".join(f"{n}^{{{t}}}" for n, t in zip(names, terms))
    sums = "".join(sorted(set(inputs) - set(output) - {","}))
    only_once = "".join(c for c in sums if inputs.count(c) == 1)
    sign = rf"\sum_{{{only_once}}} " if only_once else ""
    given = dict(zip(names, operands))
    # a view is no result to compare with
    copied = len(operands) == 1
    peers = {"numpy": lambda: np.einsum(text, *operands).copy() if copied
             else np.einsum(text, *operands)}
    torch = torch_or_none()
    if torch is not None:
        tensors = [torch.from_numpy(x) for x in operands]
        peers["torch"] = lambda: torch.einsum(text, *tensors).contiguous()
    line(name, f"Y^{{{output}}} = {sign}{right}", given, **peers)


def small():
    product("4 x 4 by 4 x 4", "ij,jk->ik", array(4, 4), array(4, 4))
    a, b = array(4, 4), array(4, 4)
    ours, theirs = median(lambda: ricci.einsum("ij,jk->ik", a, b)), median(
        lambda: np.einsum("ij,jk->ik", a, b))
    print(f"{'einsum of the same':28} call {words(ours):>11}  numpy {words(theirs)}")


def products():
    product("512 x 512", "ij,jk->ik", array(512, 512), array(512, 512))
    product("64 of 128 x 128", "bij,bjk->bik", array(64, 128, 128), array(64, 128, 128))


def lines():
    product("ij,j of 4096", "ij,j->i", array(4096, 4096), array(4096))
    product("transposition of 4096", "ij->ji", array(4096, 4096))


def operands(n, d=512, heads=8):
    a = d // heads
    given = {"X": array(n, d), "d_k": a}
    given.update((f"W_{name}", array(heads, d, a) / d**0.5) for name in "QKV")
    given["W_O"] = array(heads, a, d) / d**0.5
    return given


GRADIENT = ("Y", ["X", "W_Q", "W_K", "W_V", "W_O"])


def attention():
    given = operands(1024)
    peers, both = {}, {}
    torch = torch_or_none()
    if torch is not None:
        tensors = {n: torch.from_numpy(x) for n, x in given.items() if n != "d_k"}
        for x in tensors.values():
            x.requires_grad_()

        def forward():
            x = tensors["X"]
            q, k, v = (torch.einsum("ib,hba->hia", x, tensors[f"W_{n}"]) for n in "QKV")
            weights = torch.softmax(q @ k.transpose(1, 2) / 8, -1)
            return torch.einsum("hic,hcd->id", weights @ v, tensors["W_O"])

        def with_gradients():
            forward().sum().backward()

        def value():
            with torch.no_grad():
                return forward()

        peers, both = {"torch": value}, {"torch": with_gradients}
    line("attention 1024 x 512, 8", ATTENTION, given, **peers)
    given["dL/dY"] = np.ones((1024, 512), np.float32)
    line("  and its gradients", ATTENTION, given, GRADIENT, **both)


PEAK = """
import sys; sys.path.insert(0, {folder!r}); sys.argv = ["calls.py"]
import calls, resource, numpy as np, ricci
given = calls.operands(8192)
given["dL/dY"] = np.ones((8192, 512), np.float32)
g = ricci.program(calls.ATTENTION).value_and_gradient(*calls.GRADIENT)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
r = g(given)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(after * 1024 - before * 1024 - sum(x.nbytes for x in r.values()))
"""


def memory():
    folder = os.path.dirname(os.path.abspath(__file__))
    ran = subprocess.run([sys.executable, "-c", PEAK.format(folder=folder)], check=True,
                         stdout=subprocess.PIPE, text=True)
    print(f"attention 8192 x 512, 8 heads, with gradients: {int(ran.stdout) / 1e6:.0f} MB beyond "
          "inputs and outputs")


def imports():
    code = ("import time, numpy; begun = time.perf_counter(); import ricci; "
            "print(time.perf_counter() - begun)")
    samples = [float(subprocess.run([sys.executable, "-c", code], check=True, text=True,
                                    stdout=subprocess.PIPE).stdout) for _ in range(9)]
    print(f"import ricci beside numpy: {words(statistics.median(samples))}")


def interrupts():
    def network(extent, tensors, fill):
        n = ricci.Network()
        for _ in range(tensors):
            labels = [int(i) for i in RANDOM.choice(tensors, 3, replace=False)]
            n.add(fill((extent,) * 3), labels)
        return n

    def after(work):
        sent = []

        def send():
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)

        threading.Timer(1, send).start()
        try:
            work()
        except KeyboardInterrupt:
            return words(time.perf_counter() - sent[0])
        return "it was over before"

    shapes, chain = network(2, 300, tuple), network(5, 50, lambda s: array(*s))
    print("Control-C ends find_order after", after(lambda: ricci.find_order(shapes, seconds=60)))
    order = ricci.find_order(chain, trials=5, memory=1e8)
    print("Control-C ends contract after", after(lambda: ricci.contract(chain, order)))


CASES = {"import": imports, "small": small, "products": products, "lines": lines,
         "attention": attention,
         "memory": memory, "interrupts": interrupts}

if __name__ == "__main__":
    for case in sys.argv[1:] or CASES:
        CASES[case]()
