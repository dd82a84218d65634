#!/usr/bin/env python3
"""Makes a .safetensors file with the tensors of GPT-2 and random weights.

usage: make_gpt.py FILE [--layers 12] [--width 768] [--vocabulary 50257] [--places 1024] [--seed 1]
"""

import argparse
import array
import json
import random
import struct


def tensors(layers, width, vocabulary, places):
    """Names, extents and the number that weights lie around, in the order of the file."""
    yield "wte.weight", (vocabulary, width), 0
    yield "wpe.weight", (places, width), 0
    for k in range(layers):
        h = f"h.{k}."
        yield h + "ln_1.weight", (width,), 1
        yield h + "ln_1.bias", (width,), 0
        yield h + "attn.c_attn.weight", (width, 3 * width), 0
        yield h + "attn.c_attn.bias", (3 * width,), 0
        yield h + "attn.c_proj.weight", (width, width), 0
        yield h + "attn.c_proj.bias", (width,), 0
        yield h + "ln_2.weight", (width,), 1
        yield h + "ln_2.bias", (width,), 0
        yield h + "mlp.c_fc.weight", (width, 4 * width), 0
        yield h + "mlp.c_fc.bias", (4 * width,), 0
        yield h + "mlp.c_proj.weight", (4 * width, width), 0
        yield h + "mlp.c_proj.bias", (width,), 0
    yield "ln_f.weight", (width,), 1
    yield "ln_f.bias", (width,), 0


def size_of(extents):
    size = 1
    for e in extents:
        size *= e
    return size


class Noise:
    """Normal numbers of deviation 0.02. A million are drawn, and read from other places each time."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.drawn = array.array("f", (self.random.gauss(0, 0.02) for _ in range(1 << 20)))
        self.bytes = self.drawn.tobytes()

    def write(self, file, count, around):
        if around != 0:
            first = self.random.randrange(len(self.drawn))
            file.write(array.array("f", (around + self.drawn[(first + k) % len(self.drawn)]
                                         for k in range(count))).tobytes())
            return
        left = 4 * count
        while left > 0:
            first = 4 * self.random.randrange(len(self.drawn))
            piece = self.bytes[first:first + left]
            file.write(piece)
            left -= len(piece)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    for name, value in (("layers", 12), ("width", 768), ("vocabulary", 50257), ("places", 1024), ("seed", 1)):
        parser.add_argument("--" + name, type=int, default=value)
    o = parser.parse_args()
    header, at = {}, 0
    every = list(tensors(o.layers, o.width, o.vocabulary, o.places))
    for name, extents, _ in every:
        size = 4 * size_of(extents)
        header[name] = {"dtype": "F32", "shape": extents, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    text += b" " * (-(8 + len(text)) % 64)
    noise = Noise(o.seed)
    with open(o.file, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for _, extents, around in every:
            noise.write(file, size_of(extents), around)


if __name__ == "__main__":
    main()
