"""Threads, forks and interrupts: nothing waits for ever, and every answer is the same."""

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import ricci

ATTENTION = ricci.program(r"""
    A^{ij} = \operatorname{softmax}_j(\frac{1}{\sqrt{d}} Q^{ia} K^{ja})
    O^{ic} = A^{ij} V^{jc}""")


def operands(seed, n=200):
    random = np.random.default_rng(seed)
    return {name: random.standard_normal((n, 32)) for name in "QKV"}


def test_one_program_in_eight_threads():
    given = [operands(seed) for seed in range(8)]
    wanted = [ATTENTION(**each, d=32).O for each in given]
    results = [[] for _ in given]

    def work(k):
        for _ in range(10):
            results[k].append(ATTENTION(**given[k], d=32).O)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for k in range(8):
        assert len(results[k]) == 10
        for o in results[k]:
            assert np.array_equal(o, wanted[k])


def test_one_prepared_program_in_eight_threads():
    given = operands(1)
    s = ATTENTION.prepare(**given, d=32)
    s()
    wanted = s["O"].copy()
    threads = [threading.Thread(target=lambda: [s() for _ in range(10)]) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert np.array_equal(s["O"], wanted)


def test_the_lock_of_the_interpreter_is_released():
    given = operands(1, 3000)
    ATTENTION(**given, d=32)
    counted = [0]
    done = threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0)

    t = threading.Thread(target=count)
    t.start()
    during = 0
    # the other thread may get no processor meanwhile; with the lock held it never counts
    for _ in range(20):
        before = counted[0]
        ATTENTION(**given, d=32)
        during = max(during, counted[0] - before)
    done.set()
    t.join()
    assert during > 10


def test_threads_are_set():
    given = operands(2)
    wanted = ATTENTION(**given, d=32).O
    try:
        for count in (1, 2, 3, 0):
            assert ricci.threads(count) == count == ricci.threads()
            assert np.array_equal(ATTENTION(**given, d=32).O, wanted)
        with pytest.raises(ricci.Error, match="no -1 threads"):
            ricci.threads(-1)
        with pytest.raises((TypeError, ValueError)):
            ricci.threads("many")
    finally:
        ricci.threads(0)


def run_alone(text, seconds=60):
    """Runs a text in an interpreter of its own, which has to end in time; what it prints."""
    ran = subprocess.run([sys.executable, "-c", textwrap.dedent(text)], capture_output=True,
                         text=True, timeout=seconds, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


FORKED = """
    import multiprocessing, os, sys
    import numpy as np, ricci
    {first}
    p = ricci.program("C^{{ik}} = A^{{ij}} B^{{jk}}")
    a = np.random.default_rng(1).standard_normal((400, 400))
    {before}
    wanted = np.array_equal
    def work(k):
        {inside}
        c = p(A=a, B=a).C
        assert np.allclose(c, a @ a)
        ricci.find_order(ricci.Network.from_einsum("ab,bc,cd,da->", a, a, a, a))
        return float(c.sum())
    with multiprocessing.get_context("fork").Pool(3) as pool:
        print(len(set(pool.map(work, range(12)))))
    assert np.allclose(p(A=a, B=a).C, a @ a)
    print(ricci.threads())
"""


@pytest.mark.parametrize("first, before, inside", [
    ("", "pass", "pass"),
    ("", "p(A=a, B=a)", "pass"),
    ("ricci.threads(4)", "p(A=a, B=a)", "pass"),
    ("ricci.threads(1)", "p(A=a, B=a)", "ricci.threads(2)"),
    ("", "p(A=a, B=a)", "ricci.threads(1)"),
])
def test_children_of_fork_compute(first, before, inside):
    out = run_alone(FORKED.format(first=first, before=before, inside=inside)).split()
    assert out[0] == "1"


def test_children_of_fork_say_what_to_set():
    out = run_alone("""
        import os
        import numpy as np, ricci
        ricci.threads(2)
        a = np.ones((500, 500))
        ricci.einsum("ij,jk", a, a)
        child = os.fork()
        if child == 0:
            try:
                ricci.threads(4)
            except ricci.Error as e:
                print(e, flush=True)
            assert ricci.threads(1) == 1
            assert ricci.einsum("ij,jk", a, a)[0, 0] == 500
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        """)
    assert "os.fork" in out and "spawn" in out and "ricci.threads(1)" in out


def test_forks_while_threads_compute():
    run_alone("""
        import os, threading
        import numpy as np, ricci
        ricci.threads(2)
        p = ricci.program("C^{ik} = A^{ij} B^{jk}")
        a = np.random.default_rng(1).standard_normal((300, 300))
        done = threading.Event()
        def work():
            while not done.is_set():
                p(A=a, B=a)
                p.prepare(A=a, B=a)
        workers = [threading.Thread(target=work) for _ in range(3)]
        for w in workers:
            w.start()
        wanted = a @ a
        for _ in range(15):
            child = os.fork()
            if child == 0:
                ok = np.allclose(p(A=a, B=a).C, wanted)
                os._exit(0 if ok else 1)
            assert os.waitpid(child, 0)[1] == 0
        done.set()
        for w in workers:
            w.join()
        """, seconds=120)


def test_a_prepared_program_that_runs_while_the_process_forks():
    out = run_alone("""
        import os, signal, threading, time
        import numpy as np, ricci
        ricci.threads(1)
        a = np.ones((3000, 3000))
        s = ricci.program("C^{ik} = A^{ij} B^{jk}").prepare(A=a, B=a)
        t = threading.Thread(target=s)
        t.start()
        time.sleep(0.05)
        child = os.fork()
        if child == 0:
            signal.alarm(30)
            try:
                s()
            except ricci.Error as e:
                print(e, flush=True)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        t.join()
        s()
        """)
    assert "os.fork" in out and "prepare it anew" in out


def large_network(extent, tensors=300, indices=300):
    random = np.random.default_rng(0)
    n = ricci.Network()
    for _ in range(tensors):
        labels = [int(x) for x in random.choice(indices, 3, replace=False)]
        n.add((extent,) * 3, labels)
    return n


def interrupted_after(work, seconds):
    """How long `work` goes on after Control-C, in seconds of the processor: others may be busy."""
    sent = []

    def send():
        sent.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    # a shell starts what it runs in the background with interrupts ignored
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(seconds, send)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
        return time.process_time() - sent[0]
    finally:
        timer.cancel()
        timer.join()
        signal.signal(signal.SIGINT, before)


@pytest.fixture(params=[1, 2])
def threads(request):
    ricci.threads(request.param)
    yield request.param
    ricci.threads(0)


def check_ends_soon(work, threads, *moments):
    """What takes a tenth of a second by itself may take each thread twice that on a busy machine,
    and one of the moments be a bad one for whoever else there is."""
    took = sorted(interrupted_after(work, seconds) for seconds in moments)
    assert took[len(took) // 2] < 0.2 * threads, took
    assert took[-1] < 1.5 * threads, took


@pytest.mark.parametrize("memory", [0, 1e6])
def test_an_interrupt_ends_a_search(memory, threads):
    n = large_network(2)
    work = lambda: ricci.find_order(n, seconds=60, memory=memory)
    check_ends_soon(work, threads, 0.1, 0.2, 0.4)
    assert ricci.find_order(large_network(2, 20, 20), trials=5).multiplications > 0


@pytest.mark.parametrize("memory", [2e7, 1e8])
def test_an_interrupt_ends_a_contraction(memory, threads):
    random = np.random.default_rng(0)
    n = ricci.Network()
    for _ in range(60):
        labels = [int(x) for x in random.choice(50, 3, replace=False)]
        n.add(random.standard_normal((5, 5, 5)), labels)
    order = ricci.find_order(n, trials=5, memory=memory)
    assert order.multiplications > 1e11
    check_ends_soon(lambda: ricci.contract(n, order), threads, 0.2, 0.3, 0.5)
    assert ricci.einsum("ij,jk", np.eye(2), np.eye(2)).tolist() == np.eye(2).tolist()


@pytest.mark.parametrize("algebra", ["sum_product", "max_sum", "logsumexp_sum"])
def test_an_interrupt_ends_one_large_product(algebra, threads):
    x = np.ones((4000, 4000), np.float32)
    work = lambda: ricci.contract("ab,bc,cd->ad", x, x, x, algebra=algebra)
    check_ends_soon(work, threads, 0.05, 0.1, 0.3)


def double(x):
    return ricci.einsum("ij,jk->ik", x, x)


def test_spawned_processes():
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        for y in pool.map(double, [np.eye(3) * k for k in range(4)]):
            assert y.shape == (3, 3)
