#!/usr/bin/env python3
"""Bytes that ranks send in the layouts chosen for products of matrices, beside the bound that none can
beat (Al Daas, Ballard, Grigori, Kumar, Rouse 2022), of six shapes on 2 to 4,096 ranks; on paper, by
`ricci explain --ranks`. Prints times the bound, the median and the worst.

usage: rank_products.py RICCI [--ranks 2,4,...] [--speed 1TFLOP/s] [--network 12.5GB/s,2us]
"""

import argparse
import pathlib
import re
import statistics
import subprocess
import tempfile

# Rows, summed places, columns: square, flat and deep, each of the three cases of the bound.
SHAPES = [(8192, 8192, 8192), (65536, 1024, 1024), (1024, 1048576, 1024), (16384, 256, 16384),
          (1024, 4096, 16384), (524288, 4096, 64)]


def times_the_bound(options, product, shape, ranks):
    """The ratio, and the grid that was chosen."""
    rows, summed, columns = shape
    done = subprocess.run(
        [options.ricci, "explain", product, f"A={rows}x{summed}", f"B={summed}x{columns}", "--ranks",
         str(ranks), "--one-copy", "--speed", options.speed, "--network", options.network],
        capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    words = " ".join(done.stdout.split())
    ratio = re.search(r"([\d.]+) times as much", words)
    return float(ratio.group(1)), re.search(r"chosen: (.*?): ", words).group(1)


def main():
    reader = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    reader.add_argument("ricci")
    reader.add_argument("--ranks", default=",".join(str(2**k) for k in range(1, 13)))
    reader.add_argument("--speed", default="1TFLOP/s")
    reader.add_argument("--network", default="12.5GB/s,2us")
    options = reader.parse_args()
    counts = [int(word) for word in options.ranks.split(",")]
    found = []
    with tempfile.TemporaryDirectory() as folder:
        product = pathlib.Path(folder, "product.tex")
        product.write_text("C^{ij} = A^{ik} B^{kj}\n", encoding="utf-8")
        print(f"{'rows x summed x columns':26}" + "".join(f"{count:7}" for count in counts))
        for shape in SHAPES:
            row = [times_the_bound(options, product, shape, count) for count in counts]
            found += [(ratio, shape, count, grid) for count, (ratio, grid) in zip(counts, row)]
            print(f"{' x '.join(map(str, shape)):26}" + "".join(f"{ratio:7.2f}" for ratio, _ in row),
                  flush=True)
    worst = max(found)
    print(f"median {statistics.median(f[0] for f in found):.2f}, worst {worst[0]:.2f}: "
          f"{' x '.join(map(str, worst[1]))} on {worst[2]} ranks, {worst[3]}")


if __name__ == "__main__":
    main()
