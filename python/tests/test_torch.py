"""ricci.torch, where torch is installed: gradients of any order, memory shared both ways."""

import numpy as np
import pytest

import ricci

torch = pytest.importorskip("torch")

ATTENTION = r"""
    A^{ij} = \operatorname{softmax}_j(\frac{1}{\sqrt{d}} Q^{ia} K^{ja})
    O^{ic} = A^{ij} V^{jc}"""
CONVOLUTION = r"y^t = x^{\operatorname{wrap}(t+k-1)} w^k"
SOLVE = r"x^{j} = \operatorname{solve}_{ij}(K^{ij}, y^i)"
SCATTER = r"s^v = \sum_i [v = t_i] x^i"
NETWORK = r"""
    H^{bj} = \tanh(X^{bi} W_1^{ij} + b_1^j)
    Y^{bk} = H^{bj} W_2^{jk} + b_2^k"""


def tensors(*shapes, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(s, dtype=torch.float64, generator=generator).requires_grad_() for s in shapes]


def attention(q, k, v):
    return ricci.torch.function(ATTENTION)(Q=q, K=k, V=v, d=3)


def convolution(x, w):
    return ricci.torch.function(CONVOLUTION)(x=x, w=w)


def solve(k, y):
    return ricci.torch.function(SOLVE)(K=k + 4 * torch.eye(3, dtype=k.dtype), y=y)


def scatter(x):
    numbers = torch.tensor([0, 2, 2, 1, 0])
    return ricci.torch.function(SCATTER)(t=numbers, x=x * x, v=ricci.extent(4))


def network(x, w1, b1, w2, b2):
    return ricci.torch.function(NETWORK)({"W_1": w1, "b_1": b1, "W_2": w2, "b_2": b2}, X=x)


CASES = [
    (attention, [(4, 3), (5, 3), (5, 2)]),
    (convolution, [(6,), (3,)]),
    (solve, [(3, 3), (3,)]),
    (scatter, [(5,)]),
    (network, [(2, 3), (3, 4), (4,), (4, 2), (2,)]),
]


@pytest.mark.parametrize("f, shapes", CASES, ids=lambda c: getattr(c, "__name__", ""))
def test_gradients(f, shapes):
    given = tensors(*shapes)
    assert torch.autograd.gradcheck(f, given)


@pytest.mark.parametrize("f, shapes", CASES, ids=lambda c: getattr(c, "__name__", ""))
def test_gradients_of_gradients(f, shapes):
    given = tensors(*shapes)
    assert torch.autograd.gradgradcheck(f, given)


def test_values_are_those_of_torch():
    q, k, v = tensors((4, 3), (5, 3), (5, 2))
    wanted = torch.softmax(q @ k.T / 3**0.5, 1) @ v
    assert torch.allclose(attention(q, k, v), wanted)
    wanted.sum().backward()
    by_torch = q.grad.clone()
    q.grad = None
    attention(q, k, v).sum().backward()
    assert torch.allclose(q.grad, by_torch)


def test_a_scalar_is_a_parameter():
    f = ricci.torch.function(r"y^i = \beta x^i")
    beta = torch.tensor(2.0, requires_grad=True)
    f({r"\beta": beta}, x=torch.ones(3)).sum().backward()
    assert beta.grad == 3


def test_several_outputs():
    f = ricci.torch.function(r"y^i = x^i x^i; z = \sum_i w^i x^i")
    x, w = tensors((3,), (3,))
    r = f(x=x, w=w)
    assert list(r) == ["y", "z"]
    (r["y"].sum() + 2 * r["z"]).backward()
    assert torch.allclose(x.grad, 2 * x + 2 * w) and torch.allclose(w.grad, 2 * x)
    x.grad = w.grad = None
    f(x=x, w=w)["y"].sum().backward()
    assert torch.allclose(x.grad, 2 * x) and (w.grad is None or (w.grad == 0).all())


def test_steps_have_no_gradient():
    f = ricci.torch.function(r"y^i = \lfloor x^i \rfloor x^i")
    (x,) = tensors((4,))
    f(x=x).sum().backward()
    assert torch.allclose(x.grad, torch.floor(x))
    assert not ricci.torch.function(r"y^i = \lfloor x^i \rfloor").depends("y", "x")


def test_memory_is_shared():
    p = ricci.program("y^{ij} = 2 x^{ij}")
    x = torch.arange(6.0).reshape(2, 3)
    s = p.prepare(x=x.T)
    s()
    assert isinstance(s["y"], torch.Tensor) and s["y"].tolist() == (2 * x.T).tolist()
    x += 1
    s()
    assert s["y"].tolist() == (2 * x.T).tolist()
    y = torch.zeros(2, 3)
    assert p(x=x, out=y).y is y and y.tolist() == (2 * x).tolist()
    r = p(x=x).y
    assert isinstance(r, torch.Tensor)
    r += 1
    assert isinstance(p(x=x.numpy()).y, np.ndarray)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "complex64",
                                   "complex128", "int32", "int64"])
def test_element_types(dtype):
    x = torch.tensor([[1, 2], [3, 4]]).to(getattr(torch, dtype))
    y = ricci.program("y^{ik} = x^{ij} x^{jk}")(x=x).y
    assert y.dtype == x.dtype and y.to(torch.complex128).tolist() == [[7, 10], [15, 22]]
    assert ricci.einsum("ij->ji", x).dtype == x.dtype


def test_bool_and_small_whole_numbers():
    p = ricci.program("y^i = [m^i] x^i")
    m = torch.tensor([True, False, True])
    assert p(m=m, x=torch.ones(3)).y.tolist() == [1, 0, 1]
    picked = ricci.program("y^{ia} = E^{t_i a}")
    rows = torch.arange(6.0).reshape(3, 2)
    for dtype in (torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64):
        assert picked(E=rows, t=torch.tensor([2, 0], dtype=dtype)).y.tolist() == [[4, 5], [0, 1]]


def test_mixed_arrays_give_numpys():
    p = ricci.program("y^i = x^i + z^i")
    assert isinstance(p(x=torch.ones(2), z=np.ones(2, "f4")).y, np.ndarray)
    assert isinstance(p(x=torch.ones(2), z=torch.ones(2)).y, torch.Tensor)
    assert isinstance(ricci.program("y = a b")(a=torch.tensor(2.0), b=3).y, torch.Tensor)


def test_refusals():
    p = ricci.program("y^i = 2 x^i")
    x = torch.ones(3, requires_grad=True)
    with pytest.raises(ricci.Error, match=r"ricci\.torch\.function.*x\.detach\(\)"):
        p(x=x)
    with pytest.raises(ricci.Error, match="x is not lent by its library|x lies on a device"):
        p(x=torch.ones(3, device="meta"))
    with pytest.raises(ricci.Error, match="x"):
        p(x=torch.ones(3).to_sparse())
    f = ricci.torch.function(p)
    with pytest.raises(ricci.Error, match="x is complex and requires gradients"):
        f(x=torch.ones(3, dtype=torch.complex64, requires_grad=True))
    with pytest.raises(ricci.Error, match="given twice"):
        f({"x": x}, x=x)


def test_a_layer_in_a_model():
    class Linear(torch.nn.Module):
        f = ricci.torch.function(r"Y^{bj} = X^{bi} W^{ij} + v^j")

        def __init__(self, inputs, outputs):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.zeros(inputs, outputs))
            self.bias = torch.nn.Parameter(torch.zeros(outputs))

        def forward(self, x):
            return self.f(X=x, W=self.weight, v=self.bias)

    torch.manual_seed(0)
    x = torch.randn(64, 3)
    wanted = x @ torch.tensor([[1.0], [2.0], [3.0]]) + 4
    layer = Linear(3, 1)
    steps = torch.optim.SGD(layer.parameters(), lr=0.1)
    for _ in range(300):
        loss = ((layer(x) - wanted) ** 2).mean()
        steps.zero_grad()
        loss.backward()
        steps.step()
    assert loss < 1e-6 and torch.allclose(layer.bias, torch.tensor([4.0]), atol=1e-3)
