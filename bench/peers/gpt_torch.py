"""A GPT-2-shaped model by PyTorch beside examples/gpt: a prompt, and each next token with a cache.

usage: gpt_torch.py BUILD_FOLDER MODEL.safetensors [THREADS [PROMPT_LENGTH [NEXT]]]
default: 1, 512, 32

Weights and tokens are the same, in float. Optional: python3-torch.
"""
import json
import re
import struct
import subprocess
import sys
import tempfile
import time

from torch_here import torch, told_to_use_avx512


def load(path):
    """The float tensors of a .safetensors file."""
    with open(path, "rb") as file:
        size, = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(size))
        data = bytearray(file.read())
    tensors = {}
    for name, t in header.items():
        if name != "__metadata__":
            begin, end = t["data_offsets"]
            flat = torch.frombuffer(
                data, dtype=torch.float32, offset=begin, count=(end - begin) // 4)
            tensors[name] = flat.reshape(t["shape"])
    return tensors


class Model:
    def __init__(self, weights, heads):
        self.w, self.heads = weights, heads
        self.layers = sum(name.endswith("attn.c_attn.weight") for name in weights)
        self.keys, self.values = [None] * self.layers, [None] * self.layers
        self.length = 0

    def norm(self, x, name):
        return torch.nn.functional.layer_norm(
            x, x.shape[-1:], self.w[name + ".weight"], self.w[name + ".bias"])

    def linear(self, x, name):
        return torch.addmm(self.w[name + ".bias"], x, self.w[name + ".weight"])

    def attend(self, q, k, v):
        scores = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
        if q.shape[1] > 1:
            scores = scores + torch.full(scores.shape[-2:], float("-inf")).triu(1)
        return torch.softmax(scores, -1) @ v

    def run(self, tokens):
        """The logits behind these tokens, which follow on those before."""
        n, width = len(tokens), self.w["wpe.weight"].shape[1]
        x = self.w["wte.weight"][tokens] + self.w["wpe.weight"][self.length:self.length + n]
        for k in range(self.layers):
            h = f"h.{k}."
            three = self.linear(self.norm(x, h + "ln_1"), h + "attn.c_attn")
            q, key, value = (
                t.reshape(n, self.heads, -1).transpose(0, 1) for t in three.split(width, -1))
            if self.length > 0:
                key = torch.cat([self.keys[k], key], 1)
                value = torch.cat([self.values[k], value], 1)
            self.keys[k], self.values[k] = key, value
            out = self.attend(q, key, value).transpose(0, 1).reshape(n, width)
            x = x + self.linear(out, h + "attn.c_proj")
            inner = self.linear(self.norm(x, h + "ln_2"), h + "mlp.c_fc")
            bent = torch.tanh((2 / torch.pi) ** 0.5 * (inner + 0.044715 * inner ** 3))
            inner = 0.5 * inner * (1 + bent)
            x = x + self.linear(inner, h + "mlp.c_proj")
        self.length += n
        head = self.w.get("lm_head.weight", self.w["wte.weight"])
        return self.norm(x[-1:], "ln_f") @ head.t()


def timed(body):
    start = time.perf_counter()
    result = body()
    return result, time.perf_counter() - start


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    folder, path = sys.argv[1:3]
    threads, prompt, more = (
        int(sys.argv[k]) if len(sys.argv) > k else n for k, n in ((3, 1), (4, 512), (5, 32)))
    torch.set_num_threads(threads)
    weights = load(path)
    vocabulary, width = weights["wte.weight"].shape
    torch.manual_seed(1)
    tokens = torch.randint(vocabulary, (prompt,)).tolist()
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(" ".join(map(str, tokens)))
        file.flush()
        printed = subprocess.run(
            [folder + "/examples/gpt", path, "--tokens", file.name, "--length", str(more),
             "--threads", str(threads), "--temperature", "0", "--runs", "3"],
            capture_output=True, text=True, check=True).stdout
    ours = [float(re.search(rf"{words}.*?([\d.]+) ms", printed).group(1))
            for words in ("prompt:", "a next token:")]
    prompts, nexts = [], []
    with torch.no_grad():
        for _ in range(3):
            model = Model(weights, max(1, width // 64))
            logits, seconds = timed(lambda m=model: m.run(tokens))
            prompts.append(seconds)
            for _ in range(more - 1):
                token = int(logits.argmax())
                logits, seconds = timed(lambda m=model, t=token: m.run([t]))
                nexts.append(seconds)
    theirs = [1e3 * sorted(times)[len(times) // 2] for times in (prompts, nexts)]
    print(f"PyTorch {torch.__version__}, {threads} thread(s){told_to_use_avx512}; "
          "median milliseconds")
    print(f"{'':24}{'ricci':>10}{'PyTorch':>10}{'times':>8}")
    for words, a, b in zip((f"prompt of {prompt}", "a next token"), ours, theirs):
        print(f"{words:24}{a:10.2f}{b:10.2f}{b / a:8.2f}")


main()
