r"""Programs on several ranks of MPI, with communicators of mpi4py.

An index is shared out over the ranks: each binds its part of what has the index and all of what has
not; which values they exchange follows from the equations (docs/many-machines.md)::

    from mpi4py import MPI
    p = ricci.program(r"Y^{ib} = O^{hic} W_O^{hcb}")
    s = ricci.mpi.prepare(MPI.COMM_WORLD, p, shard=["h"], O=my_o, W_O=my_w)
    s()
    s["Y"]        # has no h: the same on all ranks
"""

import collections

import ricci
from ricci._errors import Error
from ricci._program import Program

__all__ = ["Choice", "choose", "parts", "prepare"]

Choice = collections.namedtuple("Choice", "letters grid seconds bytes memory why")
Choice.__doc__ = """Which indices are shared out over which grid: as ``prepare`` takes them on
``comm.Create_cart(choice.grid)``."""


def _module():
    try:
        from ricci import _mpi
    except ImportError as e:
        raise Error(f"this package was built without MPI ({e}); build it where an MPI library is "
                    "found") from e
    return _mpi


def _address(comm, compiled):
    try:
        from mpi4py import MPI
    except ImportError as e:
        raise Error("communicators are those of mpi4py, which is not installed") from e
    if not isinstance(comm, MPI.Comm):
        raise Error(f"a communicator of mpi4py is wanted, not {type(comm).__name__}")
    mine, its = compiled.library_version().strip("\0"), MPI.Get_library_version().strip("\0")
    if mine != its:
        raise Error(f"mpi4py was built for another MPI than this package: {its}, and {mine}")
    return MPI._addressof(comm)


def _letters(shard):
    return [shard] if isinstance(shard, str) else list(shard)


def parts(places, ranks, blocks=16):
    """How many of the places of an index each rank has to have where results are reproducible."""
    return _module().parts(int(places), int(ranks), int(blocks))


def prepare(comm, program, operands=None, /, *, shard, reproducible=False, blocks=16, **keywords):
    r"""Checks, places, plans and allocates, on all ranks of a communicator at a time.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm
        Of as many dimensions (``Create_cart``) as there are indices, where there are several.
    program : Program or str
    operands : dict, optional
        This rank's parts, by name, as the keywords; also ``out``, as in ``Program.prepare``.
    shard : str or list of str
        The indices that are shared out.
    reproducible : bool
        The same bits on any number of ranks, which have parts as ``parts`` says.
    blocks : int
        In how many blocks each index is computed then.

    Returns
    -------
    Shared
        ``s()`` runs it on all ranks; ``s["Y"]``, ``s.explain()``, ``s.bytes_sent``.

    Raises
    ------
    ricci.Error
        The same on every rank, where one is wrong or they differ; it names the rank.
    """
    compiled = _module()
    address = _address(comm, compiled)
    made = program if isinstance(program, Program) else Program(program)
    return compiled.prepare(address, made, _letters(shard), ricci.threads(),
                            {**(operands or {}), **keywords}, bool(reproducible), int(blocks))


def choose(ranks, program, operands=None, /, *, network=(12.5e9, 2e-6), speed=50e9,
           memory=float("inf"), one_copy=False, shard=(), **keywords):
    r"""Which indices to share out over which grid, decided on paper.

    Parameters
    ----------
    ranks : int
        How many there are.
    program : Program or str
    operands : dict, optional
        Shapes of whole tensors, as tuples, and numbers, by name, as the keywords.
    network : (float, float)
        Bytes a second, and seconds of latency.
    speed : float
        Floating-point operations a second of a rank.
    memory : float
        Bytes of a rank.
    one_copy : bool
        Whether ranks begin with one copy of each operand, and end with one of each result.
    shard : str or list of str
        The indices, where only the grid is to be chosen.

    Returns
    -------
    Choice
    """
    compiled = _module()
    made = program if isinstance(program, Program) else Program(program)
    return Choice(*compiled.choose(int(ranks), made, {**(operands or {}), **keywords},
                                   tuple(network), float(speed), float(memory), bool(one_copy),
                                   _letters(shard)))
