r"""Tensor equations as a paper writes them: checked, differentiated, planned and run.

>>> p = ricci.program(r"A^{ij} = \operatorname{softmax}_j(\frac{1}{\sqrt{d_k}} Q^{ia} K^{ja})")
>>> p(Q=np.zeros((2, 3)), K=np.ones((4, 3)), d_k=3).A
array([[0.25, 0.25, 0.25, 0.25],
       [0.25, 0.25, 0.25, 0.25]])
"""

import importlib as _importlib

from ricci import _core
from ricci._core import Prepared, extent
from ricci._einsum import einsum
from ricci._errors import Error, Mistake
from ricci._files import load, save
from ricci._networks import (Network, Order, argmax, contract, contract_scaled, find_order, path)
from ricci._papers import check
from ricci._pictures import Picture
from ricci._program import Program, program
from ricci._results import Finding, Judgement, Results, Tensor

__version__ = _core.version

__all__ = [
    "Error", "Finding", "Judgement", "Mistake", "Network", "Order", "Picture", "Prepared",
    "Program", "Results", "Tensor", "argmax", "check", "contract", "contract_scaled", "einsum",
    "extent", "find_order", "load", "path", "program", "save", "threads",
]

_count = 0  # what was asked for; 0: as many as the machine has


def threads(count=None):
    """How many threads compute, and how many are to.

    Parameters
    ----------
    count : int, optional
        0 for as many as the machine has. Without it nothing is changed.

    Returns
    -------
    int
        What was asked for last.

    Raises
    ------
    ricci.Error
        For more than one in a process that `os.fork` made of one whose threads had computed:
        threads do not survive a fork, and one computes there.

    Examples
    --------
    >>> ricci.threads(2)
    2
    >>> ricci.threads(0)
    0
    """
    global _count
    if count is None:
        return _count
    count = int(count)
    if count < 0:
        raise Error(f"there are no {count} threads; 0 means as many as the machine has")
    if _core.threads_lost() and count != 1:
        raise Error(f"this process was made by os.fork and has lost the threads of its parent, so "
                    f"ricci.threads({count}) cannot be had; start it with multiprocessing's "
                    f"method 'spawn', or set ricci.threads(1) in the parent before anything runs")
    _core.set_threads(count)
    _count = count
    return _count


def __getattr__(name):
    if name in ("torch", "mpi"):
        return _importlib.import_module(f"ricci.{name}")
    raise AttributeError(f"module 'ricci' has no attribute {name!r}")
