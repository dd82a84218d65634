r"""Programs as functions of torch tensors, with gradients of any order by derived equations.

Examples
--------
>>> f = ricci.torch.function(ricci.program(r"Y^{id} = X^{ib} W^{bd}"))  # doctest: +SKIP
>>> f(X=x, W=w).sum().backward()                                        # doctest: +SKIP
"""

import torch

from ricci import _core
from ricci._errors import Error
from ricci._program import Program

__all__ = ["function"]


class _Apply(torch.autograd.Function):
    """One run of a program; its gradient is a run of a derived program, by this class again."""

    @staticmethod
    def forward(ctx, made, names, others, *tensors):
        ctx.made, ctx.names, ctx.others = made, names, others
        ctx.save_for_backward(*tensors)
        operands = dict(others)
        operands.update((name, x.detach()) for name, x in zip(names, tensors))
        results = made.program(operands)
        return tuple(torch.as_tensor(results[t.name]) for t in made.program.outputs)

    @staticmethod
    def backward(ctx, *cotangents):
        made = ctx.made
        tensors = ctx.saved_tensors
        operands = dict(ctx.others)
        operands.update(zip(ctx.names, tensors))
        wanted = [k for k, needed in enumerate(ctx.needs_input_grad[3:]) if needed]
        totals = [None] * len(tensors)
        for output, cotangent in zip(made.program.outputs, cotangents):
            if cotangent is None:
                continue
            by = [k for k in wanted if made.depends(output.name, ctx.names[k])]
            if not by:
                continue
            gradient = made.gradient(output.name, tuple(ctx.names[k] for k in by))
            given = gradient({**operands, f"dL/d{output.name}": cotangent.contiguous()})
            parts = given.values() if isinstance(given, dict) else [given]
            names = [t.name for t in gradient.program.outputs]
            by_name = dict(zip(names, parts))
            for k in by:
                part = by_name[_core.canonical_name(f"dL/d{ctx.names[k]}")]
                totals[k] = part if totals[k] is None else totals[k] + part
        return (None, None, None, *totals)


class function:
    """A program as a function of torch tensors.

    Parameters
    ----------
    program : Program

    Returns
    -------
    callable
        Takes operands as the program does. Gives the output, or a dict of several. Tensors that
        require gradients get them by `backward`, and so do the gradients themselves.
    """

    def __init__(self, program):
        self.program = program if isinstance(program, Program) else Program(program)
        self._gradients = {}
        self._dependent = {}

    def depends(self, output, name):
        """Whether an output depends on an input."""
        key = (output, name)
        if key not in self._dependent:
            try:
                self.gradient(output, (name,))
                self._dependent[key] = True
            except Error:
                self._dependent[key] = False
        return self._dependent[key]

    def gradient(self, output, names):
        """The derived function for the gradient through an output by some inputs."""
        key = (output, names)
        if key not in self._gradients:
            self._gradients[key] = function(self.program.gradient(output, list(names)))
        return self._gradients[key]

    def __call__(self, operands=None, /, **keywords):
        given = {_core.canonical_name(name): x for name, x in {**(operands or {}), **keywords}.items()}
        names = tuple(n for n, x in given.items() if isinstance(x, torch.Tensor)
                      and (x.is_floating_point() or x.is_complex()))
        others = {n: x for n, x in given.items() if n not in names}
        results = _Apply.apply(self, names, others, *(given[n] for n in names))
        if len(results) == 1:
            return results[0]
        return {t.name: x for t, x in zip(self.program.outputs, results)}
