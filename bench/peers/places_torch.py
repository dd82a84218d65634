"""What PyTorch takes for some of bench_places' programs, beside those, in float.

usage: places_torch.py BUILD_FOLDER [THREADS [NAME ...]]    default: 1 thread, all that it has

Optional: python3-torch.
"""
import re
import subprocess
import sys

from torch_here import best_ms, torch, told_to_use_avx512

F = torch.nn.functional


def forward(function, *operands):
    def body():
        with torch.no_grad():
            function(*operands)
    return body


def gradients(function, *operands):
    """Only what comes after the forward pass is what the programs of gradients compute."""
    leaves = [x.clone().requires_grad_() for x in operands]
    y = function(*leaves)
    slope = torch.randn_like(y)
    return lambda: torch.autograd.grad(y, leaves, slope, retain_graph=True)


def convolution_of(dims, **options):
    return lambda x, w: getattr(F, f"conv{dims}d")(x, w, **options)


def bodies():
    """What is timed, by the name of the program; operands are made when it is asked for."""
    randn = torch.randn

    def image(channels=64):
        return randn(8, 64, 56, 56), randn(64, channels, 3, 3)

    def line():
        return randn(32, 64, 2049), randn(64, 64, 3)

    def bag():
        places = torch.randint(50000, (4096, 32))
        return (lambda w, e: F.embedding_bag(places, e, per_sample_weights=w, mode="sum"),
                randn(4096, 32), randn(50000, 128))

    padded, stride = convolution_of(2, padding=1), convolution_of(1, stride=2)
    rows = (64, 30000)
    return {
        "embedding-bag": lambda: forward(*bag()),
        "embedding-bag-gradients": lambda: gradients(*bag()),
        "convolution": lambda: forward(padded, *image()),
        "convolution-gradients": lambda: gradients(padded, *image()),
        "strided": lambda: forward(stride, *line()),
        "strided-gradients": lambda: gradients(stride, *line()),
        "depthwise": lambda: forward(convolution_of(2, padding=1, groups=64), *image(1)),
        "dilated": lambda: forward(convolution_of(2, dilation=2), *image()),
        "grouped": lambda: forward(convolution_of(2, padding=1, groups=4), *image(16)),
        "transposed": lambda: forward(lambda x, w: F.conv_transpose1d(x, w, stride=2),
                                      randn(32, 64, 1024), randn(64, 64, 3)),
        "convolution-1d": lambda: forward(convolution_of(1, padding=1), randn(32, 64, 2048),
                                          randn(64, 64, 3)),
        "convolution-3d": lambda: forward(convolution_of(3, padding=1), randn(2, 32, 16, 28, 28),
                                          randn(32, 32, 3, 3, 3)),
        "prefix-sums": lambda: forward(lambda x: torch.cumsum(x, 1), randn(rows)),
        "prefix-sums-gradient": lambda: gradients(lambda x: torch.cumsum(x, 1), randn(rows)),
        "prefix-maxima": lambda: forward(lambda x: torch.cummax(x, 1).values, randn(rows)),
        "prefix-logsumexp": lambda: forward(lambda x: torch.logcumsumexp(x, 1), randn(rows)),
    }


def ricci_ms(program, threads, name):
    printed = subprocess.run([program, str(threads), name], capture_output=True, text=True,
                             check=True).stdout
    return float(re.search(rf"^{name} +([\d.]+) ", printed, re.M)[1])


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program = sys.argv[1] + "/bench/bench_places"
    threads = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    print(f"PyTorch {torch.__version__}, {threads} thread(s){told_to_use_avx512}; milliseconds")
    print(f"{'':26}{'ricci':>10}{'PyTorch':>10}{'times':>8}")
    known = bodies()
    for name in sys.argv[3:] or known:
        ours, theirs = ricci_ms(program, threads, name), best_ms(known[name]())
        print(f"{name:26}{ours:10.3f}{theirs:10.3f}{theirs / ours:8.2f}", flush=True)


main()
