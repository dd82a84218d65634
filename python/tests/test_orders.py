"""Networks and orders, alone and with opt_einsum and numpy as hosts."""

import numpy as np
import pytest

import ricci


def ring(random, n=12, extent=3):
    names = [("bond", k) for k in range(n)]
    tensors = [random.standard_normal((extent, extent)) for _ in range(n)]
    network = ricci.Network()
    for k, x in enumerate(tensors):
        network.add(x, [names[k], names[(k + 1) % n]])
    return network, tensors, names


def test_a_network_of_named_indices(random):
    network, tensors, names = ring(random)
    wanted = np.trace(np.linalg.multi_dot(tensors))
    assert np.allclose(ricci.contract(network), wanted)
    network.keep([names[0], names[3]])
    order = ricci.find_order(network, trials=20)
    left, right = np.linalg.multi_dot(tensors[:3]), np.linalg.multi_dot(tensors[3:])
    assert np.allclose(ricci.contract(network, order), left * right.T)
    assert len(network) == 12
    assert len(order.ssa) == len(order.path) == 11
    assert order.multiplications > 0 and order.largest >= 9 and order.slices == 1
    assert order.bound > 0 and order.sliced == [] and "multiplications" in str(order)
    again = ricci.Order.from_json(network, order.json())
    assert again.ssa == order.ssa
    for other in (ricci.Order.from_ssa(network, order.ssa),
                  ricci.Order.from_path(network, order.path),
                  ricci.Order.from_path(network, order.numpy_path)):
        assert other.multiplications == order.multiplications


def test_einsum_texts_and_shapes(random):
    x, y, z = (random.standard_normal(s) for s in ((3, 4), (4, 5), (5, 6)))
    assert np.allclose(ricci.contract("ab,bc,cd->ad", x, y, z), x @ y @ z)
    assert np.allclose(ricci.contract("ab, bc, cd", x, y, z), x @ y @ z)
    n = ricci.Network.from_einsum("ab,bc,cd->ad", (10, 20), (20, 30), (30, 5))
    assert ricci.find_order(n).path == [(1, 2), (0, 1)]
    with pytest.raises(ricci.Error):
        ricci.contract(n)
    with pytest.raises(ricci.Error, match="3 operands, and 2"):
        ricci.Network.from_einsum("ab,bc,cd->ad", x, y)
    with pytest.raises(ricci.Error, match="no tensor has the index 'q'"):
        n.keep("q")


def test_memory_is_kept_by_slices(random):
    network = ricci.Network()
    for k in range(24):
        network.add((8, 8, 8), [int(i) for i in random.choice(20, 3, replace=False)])
    free = ricci.find_order(network, trials=30)
    tight = ricci.find_order(network, trials=30, memory=free.largest * 8 / 16)
    assert tight.slices > 1 and tight.sliced
    assert all(isinstance(parts, int) and parts > 1 for _, parts in tight.sliced)


def test_a_failed_add_leaves_no_index(random):
    n = ricci.Network()
    with pytest.raises(ricci.Error):
        n.add(np.ones((2, 3)), ["i"])
    n.add(np.ones((2, 3)), ["i", "j"])
    with pytest.raises(ricci.Error):
        n.add(np.ones((4, 5)), ["i", "q"])
    with pytest.raises(ricci.Error, match="no tensor has the index 'q'"):
        n.keep(["q"])
    n.keep(["j"])
    assert ricci.contract(n).tolist() == [2, 2, 2]


def test_algebras(random):
    x, y = random.standard_normal((2, 4, 4))
    sums = x[:, :, None] + y[None]
    assert np.allclose(ricci.contract("ab,bc->ac", x, y, algebra="max_sum"), sums.max(1))
    assert np.allclose(ricci.contract("ab,bc->ac", x, y, algebra="min_sum"), sums.min(1))
    assert np.allclose(ricci.contract("ab,bc->ac", x, y, algebra="logsumexp_sum"),
                       np.log(np.exp(sums).sum(1)))
    with pytest.raises(ricci.Error, match="algebra is one of sum_product, max_sum"):
        ricci.contract("ab,bc->ac", x, y, algebra="tropical")
    n = ricci.Network.from_einsum("ab,bc->", x, y)
    value, places = ricci.argmax(n)
    assert value == pytest.approx(sums.max())
    assert sums[places["a"], places["b"], places["c"]] == pytest.approx(value)


def test_numbers_beyond_the_range():
    n = ricci.Network()
    for k in range(40):
        n.add(np.full((2, 2), 1e30), [k, k + 1])
    mantissa, exponent = ricci.contract_scaled(n)
    assert np.log10(float(mantissa)) + exponent == pytest.approx(1200 + 41 * np.log10(2))


def test_conjugates(random):
    x = random.standard_normal((3, 3)) + 1j * random.standard_normal((3, 3))
    n = ricci.Network()
    n.add(x, "ij")
    n.add(x, "ij", conjugate=True)
    assert np.allclose(ricci.contract(n), (x * x.conj()).sum())


def contract_with(text, *operands, optimize):
    """How opt_einsum calls an optimizer, and numpy what it gives: pairs of what is left."""
    inputs, output = text.split("->")
    terms = inputs.split(",")
    sizes = {c: n for term, x in zip(terms, operands) for c, n in zip(term, x.shape)}
    path = optimize([frozenset(t) for t in terms], frozenset(output), sizes, None)
    left = list(zip(terms, operands))
    for places in path:
        taken = [left.pop(k) for k in sorted(places, reverse=True)]
        kept = set(output).union(*(t for t, _ in left))
        result = "".join(sorted(set("".join(t for t, _ in taken)) & kept)) if left else output
        text = ",".join(t for t, _ in taken) + "->" + result
        left.append((result, np.einsum(text, *(x for _, x in taken))))
    ((_, value),) = left
    return value


def test_path_is_an_optimizer_of_opt_einsum(random):
    text = "ab,bc,cd,de,ae->"
    operands = [random.standard_normal((3, 3)) for _ in range(5)]
    wanted = np.einsum(text, *operands)
    assert np.allclose(contract_with(text, *operands, optimize=ricci.path), wanted)
    assert np.allclose(contract_with("ab->b", operands[0], optimize=ricci.path), operands[0].sum(0))
    hyper = "ab,ac,ad->bcd"
    assert np.allclose(contract_with(hyper, *operands[:3], optimize=ricci.path),
                       np.einsum(hyper, *operands[:3]))
    assert ricci.path([{1, 2}, {2, 3}], {1, 3}, {1: 2, 2: 3, 3: 4}, memory_limit=10) == [(0, 1)]


def test_path_in_opt_einsum_itself(random):
    opt_einsum = pytest.importorskip("opt_einsum")
    operands = [random.standard_normal((3, 3)) for _ in range(5)]
    text = "ab,bc,cd,de,ae->"
    assert np.allclose(opt_einsum.contract(text, *operands, optimize=ricci.path),
                       np.einsum(text, *operands))


def test_paths_in_numpys_einsum(random):
    text = "ab,bc,cd,de->ae"
    operands = [random.standard_normal((3, 3)) for _ in range(4)]
    order = ricci.find_order(ricci.Network.from_einsum(text, *operands))
    assert order.numpy_path[0] == "einsum_path"
    assert np.allclose(np.einsum(text, *operands, optimize=order.numpy_path),
                       np.linalg.multi_dot(operands))
    alone = ricci.find_order(ricci.Network.from_einsum("ab->b", operands[0]))
    assert alone.path == [(0,)]
    assert np.allclose(np.einsum("ab->b", operands[0], optimize=alone.numpy_path),
                       operands[0].sum(0))


def test_progress(random, capsys):
    network, _, _ = ring(random, n=60, extent=2)
    seen = []
    ricci.find_order(network, seconds=0.5, progress=lambda part, left: seen.append((part, left)))
    assert seen and all(0 <= part <= 1 and left >= 0 for part, left in seen)
    calls = []

    def stop(part, left):
        calls.append(part)
        return False

    assert len(ricci.find_order(network, seconds=5, progress=stop).ssa) == 59
    assert len(calls) == 1
    ricci.find_order(network, seconds=0.5, progress=True)
    assert "\n" not in capsys.readouterr().err

    def fail(part, left):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        ricci.find_order(network, seconds=5, progress=fail)
