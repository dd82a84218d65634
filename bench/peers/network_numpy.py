"""How long numpy's einsum takes for networks in the orders that bench_network_instance_runs writes.

    RICCI_BENCH_PATHS=FOLDER bench_network_instance_runs NETWORKS 2
    python3 network_numpy.py FOLDER/NAME.path ...

Each product is one call of numpy.einsum with optimize=True, which hands matrix products to BLAS, as
opt_einsum does. Numbers are doubles. The least of five runs is printed.
"""

import collections
import sys
import time

import numpy


def read(path):
    operands, kept, ssa = [], [], []
    for line in open(path, encoding="utf-8"):
        if line.startswith("ssa:"):
            ssa = [tuple(map(int, pair.split(","))) for pair in line[4:].split()]
        elif line.startswith("out:"):
            kept = [int(index) for index in line[4:].split()]
        else:
            operands.append([tuple(map(int, axis.split(":"))) for axis in line.split()])
    return operands, kept, ssa


def steps_of(operands, kept, ssa):
    """For each product its operands and its text: indices are letters within one product alone."""
    holders = collections.Counter(i for axes in operands for i in {index for index, _ in axes})
    holders.update(kept)
    entries = [[index for index, _ in axes] for axes in operands]
    steps = []
    for a, b in ssa:
        both = list(dict.fromkeys(entries[a] + entries[b]))
        for index in both:
            holders[index] -= index in entries[a] and index in entries[b]
        result = [index for index in both if holders[index] > 1]
        numbers = {index: k for k, index in enumerate(both)}
        steps.append((a, b, [numbers[i] for i in entries[a]], [numbers[i] for i in entries[b]],
                      [numbers[i] for i in result]))
        entries.append(result)
    return steps


def run(tensors, steps):
    entries = list(tensors)
    for a, b, of_a, of_b, of_result in steps:
        entries.append(numpy.einsum(entries[a], of_a, entries[b], of_b, of_result, optimize=True))
        entries[a] = entries[b] = None
    return entries[-1]


def main():
    random = numpy.random.default_rng(1)
    for path in sys.argv[1:]:
        operands, kept, ssa = read(path)
        tensors = [random.random([extent for _, extent in axes]) / 4 for axes in operands]
        steps = steps_of(operands, kept, ssa)
        least = float("inf")
        for _ in range(5):
            begun = time.perf_counter()
            run(tensors, steps)
            least = min(least, time.perf_counter() - begun)
        print(f"{path}: {1e3 * least:.4g} ms")


if __name__ == "__main__":
    main()
