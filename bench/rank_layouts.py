#!/usr/bin/env python3
"""How a training step of one large transformer layer, or of several, would do on many ranks, shared
out in several ways, on paper: the tables of docs/many-machines.md. Nothing is run but
`ricci explain --ranks`.

usage: rank_layouts.py RICCI [--ranks 8,64,512,4096] [--speed 2TFLOP/s] [--network 25GB/s,2us]
                       [--sizes n=16,i=32768] [--layers 96 [--recompute]]
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

# Feed-forward columns belong to heads, f of each, so that what has heads is shared out with them.
LAYER = r"""
Q^{nhia} = X^{nib} W_Q^{hba}
K^{nhia} = X^{nib} W_K^{hba}
V^{nhia} = X^{nib} W_V^{hba}
A^{nhij} = \operatorname{softmax}_j(\frac{1}{\sqrt{d_k}} Q^{nhia} K^{nhja})
O^{nhia} = A^{nhij} V^{nhja}
Z^{nib} = X^{nib} + O^{nhia} W_O^{hab}
F^{nihf} = \operatorname{relu}(Z^{nib} W_1^{hbf})
Y^{nib} = Z^{nib} + F^{nihf} W_2^{hfb}
"""
LOSS = r"L = \sum_{nib} (Y^{nib} - T^{nib})^2"
SIZES = {"n": 1024, "i": 2048, "b": 12288, "h": 96, "a": 128, "f": 512}
OPERANDS = {"X": "nib", "W_Q": "hba", "W_K": "hba", "W_V": "hba", "W_O": "hab", "W_1": "hbf",
            "W_2": "hfb", "T": "nib"}
LAYOUTS = {"batch": "n", "heads": "h", "positions": "i", "batch x heads": "n,h",
           "batch x positions": "n,i", "heads x positions": "h,i",
           "batch x heads x positions": "n,h,i"}


def weights():
    return [name for name in OPERANDS if name.startswith("W")]


def words_of_operands(layers):
    """NAME=SHAPE; of layers the weights have a first axis for them, and the loss is somebody else's."""
    def shape(name, letters):
        extents = [str(SIZES[i]) for i in letters]
        return "x".join(([str(layers)] if layers and name in weights() else []) + extents)
    words = [f"{name}={shape(name, letters)}" for name, letters in OPERANDS.items()
             if not (layers and name == "T")]
    return words + ["d_k=128", "dL/dY=" + shape("dL/dY", OPERANDS["T"]) if layers else "dL/dL=1"]


def explained(options, equations, ranks, shard):
    """Figures of a run, or None where no grid of so many ranks has places for all."""
    if shard and len(shard) == 1 and SIZES[shard] < ranks:
        return None
    command = [options.ricci, "explain", equations, *words_of_operands(options.layers), "--json",
               "--ranks", str(ranks), "--speed", options.speed, "--network", options.network]
    if options.layers:
        command += ["--layers", str(options.layers), "--from", "Y", "--to", "X", "--shared", "d_k",
                    "--gradient", ",".join(weights())] + ["--recompute"] * options.recompute
    done = subprocess.run(command + (["--shard", shard] if shard else []), capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)["ranks"]


def cell(figures, ranks):
    if figures is None:
        return "-"
    grid = "" if len(figures["grid"]) == 1 else " x ".join(map(str, figures["grid"])) + ": "
    part = 100 * figures["one_rank"] / figures["seconds"] / ranks
    return f"{grid}{figures['seconds']:.3g} s, {part:.0f} %, {figures['memory'] / 1e9:.3g} GB"


def main():
    reader = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    reader.add_argument("ricci")
    reader.add_argument("--ranks", default="8,64,512,4096")
    reader.add_argument("--speed", default="2TFLOP/s")
    reader.add_argument("--network", default="25GB/s,2us")
    reader.add_argument("--sizes", default="")
    reader.add_argument("--layers", type=int, default=0)
    reader.add_argument("--recompute", action="store_true")
    options = reader.parse_args()
    for size in filter(None, options.sizes.split(",")):
        letter, extent = size.split("=")
        SIZES[letter] = int(extent)
    counts = [int(word) for word in options.ranks.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        layer, equations = pathlib.Path(folder, "layer.tex"), pathlib.Path(folder, "equations.tex")
        layer.write_text(LAYER + ("" if options.layers else LOSS), encoding="utf-8")
        if options.layers:
            equations = layer
        else:
            command = [options.ricci, "grad", layer, "--of", "L", "--by", ",".join(weights())]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            equations.write_text(done.stdout, encoding="utf-8")
        print("| shared out | " + " | ".join(f"{count:,} ranks" for count in counts) + " |")
        print("|---|" + "---|" * len(counts))
        for name, shard in LAYOUTS.items():
            row = [cell(explained(options, equations, count, shard), count) for count in counts]
            print(f"| {name} (`{shard}`) | " + " | ".join(row) + " |", flush=True)
        chosen = [explained(options, equations, count, "") for count in counts]
        row = [",".join(c["shard"]) + ": " + cell(c, count) for c, count in zip(chosen, counts)]
        print("| chosen | " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
