"""The model of examples/train in PyTorch, trained on the same pieces of the same text, beside it in
turns: tokens a second and the loss of each.

usage: train_torch.py BUILD_FOLDER [STEPS [THREADS]]    default: 100 steps, 1 thread

Only the numbers that the parameters start from differ: both draw them evenly from the same
intervals.
Optional: python3-torch.
"""
import math
import os
import re
import subprocess
import sys
import time

from torch_here import torch, told_to_use_avx512

functional = torch.nn.functional
WIDTH, HEADS, LAYERS, LENGTH, BATCH = 64, 4, 2, 64, 8
HIDDEN, COLUMN = 4 * WIDTH, WIDTH // HEADS
TEXT = os.path.join(os.path.dirname(__file__), "..", "..", "examples", "text.txt")


def evenly(*extents, scale):
    return torch.nn.Parameter((2 * torch.rand(*extents) - 1) * scale)


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.before = torch.nn.LayerNorm(WIDTH, eps=1e-5)
        self.qkv = evenly(3 * WIDTH, WIDTH, scale=0.125)
        self.o = evenly(WIDTH, WIDTH, scale=0.125)
        self.after = torch.nn.LayerNorm(WIDTH, eps=1e-5)
        self.u, self.u0 = evenly(HIDDEN, WIDTH, scale=0.125), evenly(HIDDEN, scale=0)
        self.w, self.w0 = evenly(WIDTH, HIDDEN, scale=0.0625), evenly(WIDTH, scale=0)

    def forward(self, x, mask):
        def heads(t):
            return t.view(BATCH, LENGTH, HEADS, COLUMN).transpose(1, 2)

        q, k, v = map(heads, functional.linear(self.before(x), self.qkv).chunk(3, -1))
        scores = q @ k.transpose(-1, -2) / math.sqrt(COLUMN) + mask
        mixed = (torch.softmax(scores, -1) @ v).transpose(1, 2).reshape(BATCH, LENGTH, WIDTH)
        z = x + functional.linear(mixed, self.o)
        hidden = functional.gelu(functional.linear(self.after(z), self.u, self.u0))
        return z + functional.linear(hidden, self.w, self.w0)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.e, self.p = evenly(256, WIDTH, scale=0.05), evenly(LENGTH, WIDTH, scale=0.05)
        self.blocks = torch.nn.ModuleList(Block() for _ in range(LAYERS))
        self.last = torch.nn.LayerNorm(WIDTH, eps=1e-5)
        self.out = evenly(256, WIDTH, scale=0.125)
        self.mask = torch.full((LENGTH, LENGTH), float("-inf")).triu(1)

    def forward(self, x, y):
        state = functional.embedding(x, self.e) + self.p
        for block in self.blocks:
            state = block(state, self.mask)
        logits = functional.linear(self.last(state), self.out)
        return functional.cross_entropy(logits.view(-1, 256), y.reshape(-1))


def random_bits(state):
    """The generator of examples/train: 64 bits at a time, from the seed alone."""
    wrap = (1 << 64) - 1
    while True:
        state = (state + 0x9E3779B97F4A7C15) & wrap
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & wrap
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & wrap
        yield z ^ (z >> 31)


def batch_of(text, step):
    bits = random_bits((step * 0x2545F4914F6CDD1D + 1) & ((1 << 64) - 1))
    starts = [next(bits) % (len(text) - LENGTH - 1) for _ in range(BATCH)]
    rows = torch.stack([text[s:s + LENGTH + 1] for s in starts])
    return rows[:, :-1], rows[:, 1:]


def train(steps):
    """The last loss and tokens a second."""
    torch.manual_seed(1)
    with open(TEXT, "rb") as file:
        text = torch.tensor(list(file.read()), dtype=torch.int64)
    model = Model()
    adam = torch.optim.Adam(model.parameters(), lr=3e-3, betas=(0.9, 0.99), eps=1e-8)
    start = time.perf_counter()
    for step in range(steps):
        for group in adam.param_groups:
            group["lr"] = 3e-3 * min(1.0, (step + 1) / 20)
        loss = model(*batch_of(text, step))
        adam.zero_grad()
        loss.backward()
        adam.step()
    return loss.item(), steps * BATCH * LENGTH / (time.perf_counter() - start)


def train_here(program, steps, threads):
    printed = subprocess.run([program, "--steps", str(steps), "--threads", str(threads),
                              "--sample", "0"],
                             capture_output=True, text=True, check=True).stdout
    loss, rate = re.findall(r"loss ([\d.]+) +(\d+) tokens/s", printed)[-1]
    return float(loss), float(rate)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    threads = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    torch.set_num_threads(threads)
    print(f"PyTorch {torch.__version__}, {steps} steps, {threads} thread(s){told_to_use_avx512}")
    ours, theirs = [], []
    for _ in range(3):
        ours.append(train_here(sys.argv[1] + "/examples/train", steps, threads))
        theirs.append(train(steps))
    for name, runs in (("ricci", ours), ("PyTorch", theirs)):
        print(f"{name:8} loss {runs[0][0]:.3f}   {max(rate for _, rate in runs):8.0f} tokens/s")
    print(f"ricci is {max(r for _, r in ours) / max(r for _, r in theirs):.2f} times as fast")


main()
