"""Attention by PyTorch beside bench_attention, shape by shape in turns, in float.

usage: attention_torch.py BUILD_FOLDER [THREADS [SHAPE ...]]    default: 1 thread, S1 to S4

PyTorch stores the weights: this is what its equations come to where it has no fused kernel for the
CPU, and its fused one where it has one (`scaled_dot_product_attention`, PyTorch 2). Optional:
python3-torch.
"""
import re
import subprocess
import sys

from torch_here import best_ms, torch, told_to_use_avx512

SHAPES = {"S1": (1, 8, 512, 64), "S2": (1, 8, 2048, 64), "S3": (1, 12, 4096, 64),
          "S4": (4, 16, 1024, 128)}


def stored(q, k, v, mask):
    scores = torch.matmul(q * q.shape[-1] ** -0.5, k.transpose(-1, -2))
    if mask is not None:
        scores = scores + mask
    return torch.matmul(torch.softmax(scores, -1), v)


def fused(q, k, v, mask):
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=mask is not None)


def torch_times(shape):
    """Milliseconds of each of bench_attention's rows, the faster of the ways that PyTorch has."""
    b, h, n, d = shape
    torch.manual_seed(1)
    q, k, v, slope = (torch.randn(b, h, n, d) for _ in range(4))
    has_fused = hasattr(torch.nn.functional, "scaled_dot_product_attention")
    ways = [stored] + ([fused] if has_fused else [])
    above = torch.full((n, n), float("-inf")).triu(1)
    leaves = [t.clone().requires_grad_() for t in (q, k, v)]

    def gradients(way, mask):
        way(*leaves, mask).backward(slope)
        for leaf in leaves:
            leaf.grad = None

    times = {}
    for words, mask in (("", None), ("causal", above)):
        with torch.no_grad():
            times[words or "forward"] = min(best_ms(lambda w=w: w(q, k, v, mask)) for w in ways)
        times[(words + " gradients").strip()] = min(
            best_ms(lambda w=w: gradients(w, mask)) for w in ways)
    return times


def ricci_times(program, threads, name):
    printed = subprocess.run([program, str(threads), name], capture_output=True, text=True,
                             check=True).stdout
    rows = re.findall(rf"^{name} +(\w[\w ]*?) +\d+ +([\d.]+) ", printed, re.M)
    return {words: float(ms) for words, ms in rows}


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program = sys.argv[1] + "/bench/bench_attention"
    threads = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    torch.set_num_threads(threads)
    print(f"PyTorch {torch.__version__}, {threads} thread(s){told_to_use_avx512}; "
          "best milliseconds")
    print(f"{'':24}{'ricci':>10}{'PyTorch':>10}{'times':>8}")
    for name in sys.argv[3:] or SHAPES:
        ours = ricci_times(program, threads, name)
        theirs = torch_times(SHAPES[name])
        for words, ms in ours.items():
            print(f"{name}  {words:20}{ms:10.3f}{theirs[words]:10.3f}{theirs[words] / ms:8.2f}",
                  flush=True)


main()
