"""What PyTorch takes for some of bench_pairs' programs, beside those, in float: with whole planes, as
its users write them, or with torch.cdist and its own attention.

usage: pairs_torch.py BUILD_FOLDER [THREADS [NAME ...]]    default: 1 thread, all that it has

Optional: python3-torch.
"""
import re
import subprocess
import sys
import time

from torch_here import best_ms, torch, told_to_use_avx512

F = torch.nn.functional


def forward(function, *operands):
    def body():
        with torch.no_grad():
            function(*operands)
    return body


def gradients(function, *operands):
    """The value with its gradients, as the programs give them."""
    leaves = [x.clone().requires_grad_() for x in operands]

    def body():
        y = function(*leaves)
        torch.autograd.grad(y, leaves, torch.ones_like(y))
    return body


def squares(x, z):
    return torch.cdist(x, z).square()


def direct_squares(x, z):
    """Without the roots, whose slopes are infinite where points coincide."""
    return (x[:, None, :] - z[None, :, :]).square().sum(-1)


def n_body(x, m):
    r = x[None, :, :] - x[:, None, :]
    return ((m / (r.square().sum(-1) + 0.01) ** 1.5)[:, :, None] * r).sum(1)


def kernel(x, z, v):
    return torch.exp(-0.5 * squares(x, z)) @ v


def kernel_by_products(x, z, v):
    s = x.square().sum(1)[:, None] + z.square().sum(1) - 2 * x @ z.T
    return torch.exp(-0.5 * s) @ v


def discrepancy(x, z):
    def mean(a, b):
        return torch.exp(-0.5 * squares(a, b)).mean()
    return mean(x, x) + mean(z, z) - 2 * mean(x, z)


def sinkhorn(x, z, g):
    c, e, n = 0.5 * squares(x, z), 0.05, torch.log(torch.tensor(2000.0))
    f = -e * torch.logsumexp((g - c) / e - n, 1)
    return -e * torch.logsumexp((f[:, None] - c) / e - n, 0)


def k_means(x, c):
    y = torch.cdist(x, c).argmin(1)
    n = torch.bincount(y, minlength=50)
    return torch.zeros_like(c).index_add_(0, y, x) / n.clamp(min=1)[:, None]


def em(x, mu, v, pi):
    d = x.square() @ (1 / v).T - 2 * x @ (mu / v).T + (mu.square() / v).sum(1)
    s = torch.log(pi) - 0.5 * d - 0.5 * torch.log(v).sum(1)
    value, r = torch.logsumexp(s, 1).mean(), torch.softmax(s, 1)
    n = r.sum(0)
    m = r.T @ x / n[:, None]
    return value, m, r.T @ x.square() / n[:, None] - m.square() + 1e-6, n / n.sum()


def t_sne(y, p):
    w = 1 / (1 + direct_squares(y, y))
    z = w.sum() - w.diagonal().sum()
    return torch.log(z) - (p * torch.log(w)).sum()


def chamfer(x, z):
    d = squares(x, z)
    return d.min(1).values.mean() + d.min(0).values.mean()


def maxsim(q, d):
    return torch.einsum("ia,nja->nij", q, d).amax(2).sum(1)


def sigmoid_loss(x, y):
    s = 2 * x @ y.T
    return F.softplus(s).sum(1).mean() - s.diagonal().mean()


def triangle(q, k, v, b):
    s = q @ k.transpose(-1, -2) * 0.176776695 + b[:, None]
    return torch.softmax(s, -1) @ v


def one_query(q, k, v):
    s = (k @ q[:, :, None])[:, :, 0] * 0.0883883476
    return (torch.softmax(s, -1)[:, None, :] @ v)[:, 0]


def bodies():
    """What is timed, by the name of the program; operands are made when it is asked for."""
    randn = torch.randn

    def points(width):
        return 0.3 * randn(4096, width), 0.3 * randn(4096, width)

    def weighted(width):
        return (*points(width), 0.3 * randn(4096))

    def entropy():
        y = torch.randint(16384, (2048,))
        return lambda x, u: F.cross_entropy(x @ u.T, y), 0.3 * randn(2048, 512), 0.3 * randn(16384, 512)

    def place(x, z):
        return torch.cdist(x, z).argmin(1)

    def documents():
        return randn(32, 128), randn(256, 180, 128)

    def heads():
        return *(randn(4, 192, 192, 32) for _ in range(3)), randn(4, 192, 192)

    def cache(h, keys):
        return randn(h, 128), randn(h, keys, 128), randn(h, keys, 128)

    def normals():
        return randn(20000, 16), randn(50, 16), 4 + randn(50, 16).abs(), torch.full((50,), 0.02)

    def neighbours():
        return 0.3 * randn(4096, 2), randn(4096, 4096)

    return {
        "n-body": lambda: forward(n_body, points(3)[0], randn(4096)),
        "nearest": lambda: forward(lambda x, z: squares(x, z).min(1).values, *points(3)),
        "nearest-64": lambda: forward(lambda x, z: squares(x, z).min(1).values, *points(64)),
        "nearest-place": lambda: forward(place, *points(3)),
        "nearest-place-64": lambda: forward(place, *points(64)),
        "chamfer": lambda: forward(chamfer, *points(3)),
        "chamfer-gradients": lambda: gradients(chamfer, *points(3)),
        "kernel-3": lambda: forward(kernel, *weighted(3)),
        "kernel-3-gradients": lambda: gradients(kernel_by_products, *weighted(3)),
        "kernel-64": lambda: forward(kernel, *weighted(64)),
        "kernel-64-gradients": lambda: gradients(kernel_by_products, *weighted(64)),
        "discrepancy-64": lambda: forward(discrepancy, *points(64)),
        "sinkhorn": lambda: forward(sinkhorn, randn(2000, 3), randn(2000, 3), randn(2000)),
        "k-means": lambda: forward(k_means, randn(20000, 16), randn(50, 16)),
        "em": lambda: forward(em, *normals()),
        "t-sne": lambda: forward(t_sne, *neighbours()),
        "t-sne-gradients": lambda: (lambda y, p: gradients(lambda y: t_sne(y, p), y))(*neighbours()),
        "logsumexp": lambda: forward(lambda q, k: torch.logsumexp(q @ k.T, 1), *points(64)),
        "cross-entropy": lambda: forward(*entropy()),
        "cross-entropy-gradients": lambda: gradients(*entropy()),
        "maxsim": lambda: forward(maxsim, *documents()),
        "maxsim-gradients": lambda: gradients(maxsim, *documents()),
        "sigmoid-loss": lambda: forward(sigmoid_loss, *points(64)),
        "sigmoid-loss-gradients": lambda: gradients(sigmoid_loss, *points(64)),
        "triangle-attention": lambda: forward(triangle, *heads()),
        "triangle-attention-gradients": lambda: gradients(triangle, *heads()),
        "bias-gradients": lambda: (lambda q, k, v, b: gradients(lambda b: triangle(q, k, v, b), b))(
            *heads()),
        "one-query": lambda: forward(one_query, *cache(32, 4096)),
        "one-query-one-head": lambda: forward(one_query, *cache(1, 65536)),
    }


def ricci_ms(program, threads, name):
    printed = subprocess.run([program, str(threads), name], capture_output=True, text=True,
                             check=True).stdout
    return float(re.search(rf"^{name} +([\d.]+) ", printed, re.M)[1])


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program = sys.argv[1] + "/bench/bench_pairs"
    threads = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    print(f"PyTorch {torch.__version__}, {threads} thread(s){told_to_use_avx512}; milliseconds")
    print(f"{'':30}{'ricci':>10}{'PyTorch':>10}{'times':>8}")
    known = bodies()
    # As bench_pairs measures: on one thread, what others take of the machine does not count.
    clock = time.process_time if threads == 1 else time.perf_counter
    for name in sys.argv[3:] or known:
        ours, theirs = ricci_ms(program, threads, name), best_ms(known[name](), clock)
        print(f"{name:30}{ours:10.3f}{theirs:10.3f}{theirs / ours:8.2f}", flush=True)


main()
