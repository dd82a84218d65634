"""What mpirun runs on several ranks: programs shared out by ricci.mpi, compared with one rank."""

import numpy as np
from mpi4py import MPI

import ricci
import ricci.mpi

comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size
ricci.threads(1)

TEXT = r"""
    Q^{hia} = X^{ib} W_Q^{hba}
    K^{hja} = X^{jb} W_K^{hba}
    A^{hij} = \operatorname{softmax}_j(\frac{1}{\sqrt{d_k}} Q^{hia} K^{hja})
    Y^{ib} = A^{hij} X^{jc} W_O^{hcb}"""


def part(whole, axis=0):
    return np.array_split(whole, ranks, axis)[rank]


def refused(words, function):
    try:
        function()
    except ricci.Error as e:
        assert words in str(e), e
    else:
        raise AssertionError(f"not refused: {words}")


random = np.random.default_rng(1)
x, wq, wk = random.normal(size=(6, 5)), random.normal(size=(5, 5, 4)), random.normal(size=(5, 5, 4))
wo = random.normal(size=(5, 5, 5))
p = ricci.program(TEXT)
both = p.value_and_gradient("Y", ["X", "W_Q"])
dy = random.normal(size=(6, 5))
alone = both(X=x, W_Q=wq, W_K=wk, W_O=wo, d_k=4, **{"dL/dY": dy})
out = np.empty((6, 5))
s = ricci.mpi.prepare(comm, both, {"dL/dY": dy, "out": {"dL/dX": out}}, shard=["h"], X=x,
                      W_Q=part(wq), W_K=part(wk), W_O=part(wo), d_k=4)
for _ in range(2):
    s()
    np.testing.assert_allclose(s["Y"], alone["Y"], rtol=1e-12)
    np.testing.assert_allclose(out, alone["dL/dX"], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(s["dL/dW_Q"], part(alone["dL/dW_Q"]), rtol=1e-10, atol=1e-12)
assert s["dL/dX"] is out and s.bytes_sent > 0 and set(s.outputs) == {"Y", "dL/dX", "dL/dW_Q"}
assert "all-reduce (sum) over h" in s.explain() or ranks == 1
wq *= 2  # what a run reads is what is there now
alone = both(X=x, W_Q=wq, W_K=wk, W_O=wo, d_k=4, **{"dL/dY": dy})
s()
np.testing.assert_allclose(s["Y"], alone["Y"], rtol=1e-12)

# the same bits as on one rank, where that is asked for
counts = ricci.mpi.parts(5, ranks, 4)
assert sum(counts) == 5
at = np.cumsum([0, *counts])[rank:rank + 2]
mine = {"X": x, "W_Q": wq[at[0]:at[1]], "W_K": wk[at[0]:at[1]], "W_O": wo[at[0]:at[1]], "d_k": 4}
whole = {"X": x, "W_Q": wq, "W_K": wk, "W_O": wo, "d_k": 4}
many = ricci.mpi.prepare(comm, p, mine, shard=["h"], reproducible=True, blocks=4)
one = ricci.mpi.prepare(MPI.COMM_SELF, p, whole, shard=["h"], reproducible=True, blocks=4)
many(), one()
assert np.array_equal(many["Y"], one["Y"])
np.testing.assert_allclose(many["Y"], alone["Y"], rtol=1e-12)

c = ricci.mpi.choose(ranks, TEXT, X=(600, 5), W_Q=(64, 5, 4), W_K=(64, 5, 4), W_O=(64, 5, 5), d_k=4)
assert int(np.prod(c.grid)) <= ranks and len(c.letters) == len(c.grid) and c.why
grid = comm.Create_cart(c.grid) if int(np.prod(c.grid)) == ranks else comm
if grid is not comm and c.letters == ["h"]:
    ricci.mpi.prepare(grid, p, shard=c.letters, X=x, W_Q=part(wq), W_K=part(wk), W_O=part(wo), d_k=4)()

# the same sentence on all ranks, whoever is wrong
wrong = part(wk)[:, :, :3] if rank == ranks - 1 else part(wk)
refused("", lambda: ricci.mpi.prepare(comm, p, shard="h", X=x, W_Q=part(wq), W_K=wrong,
                                      W_O=part(wo), d_k=4))
refused("no tensor has it", lambda: ricci.mpi.prepare(comm, p, shard="z", X=x, W_Q=part(wq),
                                                      W_K=part(wk), W_O=part(wo), d_k=4))
refused("a communicator of mpi4py", lambda: ricci.mpi.prepare(3, p, shard="h"))
refused(f"on rank {ranks - 1} of {ranks}: X", lambda: ricci.mpi.prepare(
    comm, p, shard="h", X=x if rank < ranks - 1 else object(), W_Q=part(wq), W_K=part(wk), W_O=part(wo),
    d_k=4))
comm.Barrier()
if rank == 0:
    print(f"{ranks} ranks agree with one")
