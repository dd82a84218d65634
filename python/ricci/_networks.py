"""Networks of tensors: orders in which they are contracted, and running them."""

import sys
import time

from ricci import _core
from ricci._errors import Error

__all__ = ["Network", "Order", "find_order", "contract", "contract_scaled", "argmax", "path"]


class Network:
    """Tensors whose axes have indices: the sum over all indices that are not kept of their product.

    Any hashable value is an index. Tensors are arrays, or shapes (tuples) to find an order for.

    Examples
    --------
    >>> n = ricci.Network()
    >>> n.add(np.ones((2, 3)), ["i", "j"])
    >>> n.add(np.ones((3, 4)), ["j", "k"])
    >>> n.keep(["i", "k"])
    >>> ricci.contract(n)
    array([[3., 3., 3., 3.],
           [3., 3., 3., 3.]])
    """

    def __init__(self):
        self._core = _core.Network()
        self._numbers = {}
        self._indices = []

    def _number(self, index):
        known = self._numbers.get(index)
        if known is None:
            known = self._numbers[index] = len(self._indices)
            self._indices.append(index)
        return known

    def add(self, tensor, indices, conjugate=False, dtype="f64"):
        """One more tensor, and an index for each of its axes; `dtype` is that of a shape."""
        known = len(self._indices)
        numbers = [self._number(index) for index in indices]
        try:
            self._core.add(tensor, numbers, conjugate, str(dtype))
        except Exception:
            for index in self._indices[known:]:
                del self._numbers[index]
            del self._indices[known:]
            raise

    def keep(self, indices):
        """The indices of the result, in the order of its axes."""
        numbers = []
        for index in indices:
            if index not in self._numbers:
                raise Error(f"no tensor has the index {index!r}")
            numbers.append(self._numbers[index])
        self._core.keep(numbers)

    @classmethod
    def from_einsum(cls, text, *tensors):
        """A network from einsum's text: ``Network.from_einsum("ab,bc->ac", x, y)``."""
        inputs, arrow, output = text.replace(" ", "").partition("->")
        terms = inputs.split(",")
        if len(terms) != len(tensors):
            raise Error(f"{text} has {len(terms)} operands, and {len(tensors)} are given")
        if "." in text:
            raise Error(f"in {text} '...' stands for no index of a network; name each axis")
        network = cls()
        for term, tensor in zip(terms, tensors):
            network.add(tensor, term)
        if not arrow:
            output = "".join(sorted(c for c in set(inputs) - {","} if inputs.count(c) == 1))
        network.keep(output)
        return network

    def __len__(self):
        return len(self._core)


class Order:
    """In which order the tensors of a network are multiplied, and which indices are sliced."""

    def __init__(self, core, network):
        self._core = core
        self._network = network

    multiplications = property(lambda self: self._core.multiplications,
                               doc="Scalar multiplications of all slices together.")
    largest = property(lambda self: self._core.largest, doc="Elements of the largest intermediate.")
    slices = property(lambda self: self._core.slices,
                      doc="How often what depends on sliced indices is computed.")
    bound = property(lambda self: self._core.bound,
                     doc="Proved: some product of any order has at least so many elements.")
    ssa = property(lambda self: self._core.ssa,
                   doc="Pairs of tensors: product k of n tensors is number n + k.")

    @property
    def sliced(self):
        """The sliced indices, and into how many parts each is cut."""
        return [(self._network._indices[k], parts) for k, parts in self._core.sliced]

    @property
    def path(self):
        """The products as opt_einsum writes them: pairs of places in the list of what is left."""
        return self._core.path or [(0,)]

    @property
    def numpy_path(self):
        """What ``numpy.einsum(optimize=...)`` takes."""
        return ["einsum_path", *self.path]

    def json(self):
        """The order as text, which `Order.from_json` reads."""
        return self._core.json()

    @classmethod
    def from_json(cls, network, text):
        """An order of this network from its text."""
        return cls(_core.order_from_json(network._core, text), network)

    @classmethod
    def from_ssa(cls, network, pairs):
        """An order from pairs of tensors."""
        return cls(_core.order_from_ssa(network._core, list(pairs)), network)

    @classmethod
    def from_path(cls, network, pairs):
        """An order from opt_einsum's or numpy's pairs."""
        pairs = [pair for pair in pairs if pair != "einsum_path"]
        return cls(_core.order_from_path(network._core, pairs), network)

    def __str__(self):
        return str(self._core)


class _Line:
    """Progress as one line: tqdm's where it is there, or words on a terminal."""

    def __init__(self, title):
        self._bar = None
        try:
            from tqdm.auto import tqdm

            self._bar = tqdm(total=100, desc=title, leave=False,
                             bar_format="{l_bar}{bar}| {elapsed}")
        except ImportError:
            self._title = title
            self._said = 0.0

    def __call__(self, part, seconds_left):
        if self._bar is not None:
            self._bar.n = round(100 * part)
            self._bar.refresh()
        elif time.monotonic() - self._said > 0.2:
            self._said = time.monotonic()
            sys.stderr.write(f"\r{self._title}: {part:.0%}, {seconds_left:.0f} s left ")
            sys.stderr.flush()
        return True

    def end(self):
        if self._bar is not None:
            self._bar.close()
        elif self._said:
            sys.stderr.write("\r" + " " * 60 + "\r")


def _watched(progress, title, work):
    if progress is not True:
        return work(progress or None)
    line = _Line(title)
    try:
        return work(line)
    finally:
        line.end()


def find_order(network, seconds=0.0, trials=0, memory=0.0, seed=0, objective="multiplications",
               simplify="shapes", choices=0, progress=None):
    """A good order for a network.

    Parameters
    ----------
    network : Network
    seconds : float
        Until so many have passed, or sooner where more would not pay; or `trials` instead, which
        gives the same order on any machine.
    memory : float
        Bytes for all at once: indices are sliced until they suffice. 0: most of what is free.
    objective : str
        multiplications, largest_product, largest_intermediate, traffic or weighed.
    simplify : str
        shapes, values (zeros in the tensors are used) or none.
    choices : int
        How many amplitudes are wanted of all that the kept indices make; 0: all.
    progress : bool or callable, optional
        True shows a line; a callable takes ``(part, seconds_left)`` and says whether to go on.

    Returns
    -------
    Order

    Examples
    --------
    >>> n = ricci.Network.from_einsum("ab,bc,cd->ad", (10, 20), (20, 30), (30, 5))
    >>> ricci.find_order(n).path
    [(1, 2), (0, 1)]
    """
    how = {"seconds": float(seconds), "trials": trials, "memory": float(memory), "seed": seed,
           "objective": objective, "simplify": simplify, "choices": choices}
    found = _watched(progress, "order",
                     lambda tell: _core.find_order(network._core, how, tell))
    return Order(found, network)


def contract(network, *operands, algebra="sum_product", memory=0.0, progress=None):
    """The result of a network, in an order or in one that is found for it.

    ``contract(n)``, ``contract(n, order)``, or ``contract("ab,bc->ac", x, y)``. `algebra` is
    sum_product, max_sum, min_sum or logsumexp_sum.

    Examples
    --------
    >>> ricci.contract("ab,bc->ac", np.eye(2), np.ones((2, 2)), algebra="max_sum")
    array([[2., 2.],
           [2., 2.]])
    """
    order = None
    if isinstance(network, str):
        network = Network.from_einsum(network, *operands)
    elif operands:
        (order,) = operands
    core = order._core if order is not None else None
    return _watched(progress, "contract", lambda tell: _core.contract(
        network._core, core, algebra, float(memory), tell))


def contract_scaled(network, order=None, memory=0.0):
    """The result as ``(mantissa, exponent10)``, for what is beyond the range of its type.

    Examples
    --------
    >>> n = ricci.Network.from_einsum("a,a->", np.full(2, 1e200), np.full(2, 1e200))
    >>> mantissa, exponent = ricci.contract_scaled(n)
    >>> round(float(mantissa), 6), exponent
    (2.0, 400.0)
    """
    order = order if order is not None else find_order(network)
    return _core.contract_scaled(network._core, order._core, float(memory), None)


def argmax(network, order=None):
    """Where the sum of all tensors is greatest: its value, and the place of each index.

    Examples
    --------
    >>> n = ricci.Network.from_einsum("a,ab->", np.array([0.0, 1.0]), np.array([[5.0, 1], [2, 3]]))
    >>> ricci.argmax(n)
    (5.0, {'a': 0, 'b': 0})
    """
    order = order if order is not None else find_order(network)
    value, places = _core.argmax(network._core, order._core)
    return value, {network._indices[k]: place for k, place in places.items()}


def path(inputs, output, size_dict, memory_limit=None):
    """An optimizer of opt_einsum's interface: ``contract(..., optimize=ricci.path)``.

    Parameters
    ----------
    inputs : list of set
        The indices of each operand.
    output : set
        Those of the result.
    size_dict : dict
        The extent of each index.
    memory_limit : int, optional
        Not read: a path has no slices that could keep it.

    Returns
    -------
    list of tuple

    Examples
    --------
    >>> ricci.path([{"a", "b"}, {"b", "c"}], {"a", "c"}, {"a": 2, "b": 3, "c": 4})
    [(0, 1)]
    """
    network = Network()
    for indices in inputs:
        indices = sorted(indices)
        network.add(tuple(size_dict[i] for i in indices), indices)
    network.keep(sorted(output))
    return find_order(network, memory=1e300).path
