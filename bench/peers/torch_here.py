"""PyTorch for the scripts beside this one: set up before it is loaded, or a line on how to install
it."""
import os
import sys
import time

# Debian's OpenBLAS takes some processors for older ones than they are.
told_to_use_avx512 = ""
with open("/proc/cpuinfo", encoding="utf-8") as cpu:
    if " avx512bw" in cpu.read():
        os.environ.setdefault("OPENBLAS_CORETYPE", "SkylakeX")
        told_to_use_avx512 = ", OPENBLAS_CORETYPE=" + os.environ["OPENBLAS_CORETYPE"]
try:
    import torch  # noqa: F401
except ImportError:
    sys.exit("PyTorch is not here: apt-get install python3-torch libopenblas0")

SAMPLES = 5


def best_ms(body, clock=time.perf_counter):
    """The fastest of some calls, after one that does not count, in milliseconds."""
    body()
    best = float("inf")
    for _ in range(SAMPLES):
        start = clock()
        body()
        best = min(best, clock() - start)
    return best * 1e3
