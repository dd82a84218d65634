r"""Tensor equations as a paper writes them: checked, differentiated, planned and run.

>>> p = ricci.program(r"A^{ij} = \operatorname{softmax}_j(\frac{1}{\sqrt{d_k}} Q^{ia} K^{ja})")
>>> p(Q=np.zeros((2, 3)), K=np.ones((4, 3)), d_k=3).A
array([[0.25, 0.25, 0.25, 0.25],
       [0.25, 0.25, 0.25, 0.25]])
"""

import importlib as _importlib
import os as _os

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
    """How many threads compute: 0 for as many as the machine has. Without a number says it.

    In a process that `os.fork` made, one thread computes, until this is called there: threads do
    not survive a fork.
    """
    global _count
    if count is not None:
        if count < 0:
            raise Error(f"there are no {count} threads; 0 means as many as the machine has")
        _core.set_threads(count)
        _count = count
    return _count


def _before_fork():
    _core.set_threads(1)  # so that nothing is asked of threads that the child has not


def _in_parent():
    _core.set_threads(_count)


def _in_child():
    global _count
    _count = 1


_os.register_at_fork(before=_before_fork, after_in_parent=_in_parent, after_in_child=_in_child)


def __getattr__(name):
    if name == "torch":
        return _importlib.import_module("ricci.torch")
    raise AttributeError(f"module 'ricci' has no attribute {name!r}")
