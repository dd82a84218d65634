r"""Programs as functions of torch tensors, with gradients of any order by derived equations.

Examples
--------
>>> import torch
>>> f = ricci.torch.function(r"y = x^i x^i")
>>> x = torch.ones(3, requires_grad=True)
>>> f(x=x).backward()
>>> x.grad
tensor([2., 2., 2.])
"""

import torch

from ricci import _core
from ricci._errors import Error
from ricci._program import Program

__all__ = ["function"]


class _Derived:
    """The gradient of a program through one output, and what its tensors are called."""

    def __init__(self, program, output, names):
        derived = program.gradient(output, list(names))
        known = {t.name for t in program.inputs}
        (self.cotangent,) = [t.name for t in derived.inputs if t.name not in known]
        ending = f"({output})" if self.cotangent.endswith(f"({output})") else output
        loss = self.cotangent[: len(self.cotangent) - len(ending)]  # dL/d
        given = [t.name for t in derived.outputs]
        self.outputs = [loss + n if loss + n in given else f"{loss}({n})" for n in names]
        self.run = function(derived)

    def __call__(self, operands, cotangent):
        # what a derivative has lost on the way, it does not take
        program = self.run.program
        read = {n: x for n, x in operands.items() if program._takes(n) or
                (isinstance(x, _core.extent) and program._has_index(n))}
        given = self.run({**read, self.cotangent: cotangent})
        if isinstance(given, torch.Tensor):
            return [given]
        return [given[name] for name in self.outputs]


class _Apply(torch.autograd.Function):
    """One run of a program; its gradient is a run of a derived program, by this class again."""

    @staticmethod
    def forward(ctx, made, names, others, *tensors):
        ctx.made, ctx.names, ctx.others = made, names, others
        ctx.save_for_backward(*tensors)
        results = made.program({**others, **{n: x.detach() for n, x in zip(names, tensors)}})
        return tuple(torch.as_tensor(results[t.name]) for t in made.program.outputs)

    @staticmethod
    def backward(ctx, *cotangents):
        made, tensors = ctx.made, ctx.saved_tensors
        operands = {**ctx.others, **dict(zip(ctx.names, tensors))}
        needed = [k for k, is_needed in enumerate(ctx.needs_input_grad[3:]) if is_needed]
        totals = [None] * len(tensors)
        for output, cotangent in zip(made.program.outputs, cotangents):
            by = [k for k in needed if made.depends(output.name, ctx.names[k])]
            if cotangent is None or not by:
                continue
            derived = made.derived(output.name, tuple(ctx.names[k] for k in by))
            for k, part in zip(by, derived(operands, cotangent)):
                totals[k] = part if totals[k] is None else totals[k] + part
        return (None, None, None, *totals)


class function:
    r"""A program as a function of torch tensors.

    Parameters
    ----------
    program : Program or str

    Returns
    -------
    callable
        Takes operands as the program does, by name. Gives the output as a tensor, or a dict of
        several. Tensors that require gradients get them by ``backward()``; gradients of gradients
        are derived as well. Nothing is copied.

    Raises
    ------
    ricci.Error
        As the program does; and for complex tensors that require gradients.

    Examples
    --------
    >>> f = ricci.torch.function(r"Y^{id} = X^{ib} W^{bd}")
    >>> w = torch.ones(2, 3, requires_grad=True)
    >>> f(X=torch.ones(4, 2), W=w).sum().backward()
    >>> w.grad
    tensor([[4., 4., 4.],
            [4., 4., 4.]])
    """

    def __init__(self, program):
        self.program = program if isinstance(program, Program) else Program(program)
        self._derived = {}
        self._depends = {}

    def depends(self, output, name):
        """Whether a gradient by an input goes through an output."""
        key = (output, name)
        if key not in self._depends:
            try:
                self._depends[key] = self.derived(output, (name,)) is not None
            except Error as e:
                if "so there is no gradient" not in str(e):
                    raise  # there is one, which cannot be derived
                self._depends[key] = False
        return self._depends[key]

    def derived(self, output, names):
        """The derived function for the gradient through an output by some inputs."""
        key = (output, names)
        if key not in self._derived:
            self._derived[key] = _Derived(self.program, output, names)
        return self._derived[key]

    def __call__(self, operands=None, /, **keywords):
        given = {}
        for name, x in [*(operands or {}).items(), *keywords.items()]:
            name = _core.canonical_name(name)
            if name in given:
                raise Error(f"{name} is given twice")
            given[name] = x
        tensors = {n: x for n, x in given.items() if isinstance(x, torch.Tensor)
                   and (x.is_floating_point() or x.is_complex())}
        for name, x in tensors.items():
            if x.is_complex() and x.requires_grad:
                raise Error(f"{name} is complex and requires gradients; gradients of real tensors "
                            "are derived")
        others = {n: x for n, x in given.items() if n not in tensors}
        results = _Apply.apply(self, tuple(tensors), others, *tensors.values())
        if len(results) == 1:
            return results[0]
        return {t.name: x for t, x in zip(self.program.outputs, results)}
