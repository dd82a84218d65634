"""The examples of docstrings run and print what they show."""

import doctest
import importlib
import pkgutil

import numpy as np
import pytest

import ricci

MODULES = ["ricci"] + [f"ricci.{m.name}" for m in pkgutil.iter_modules(ricci.__path__)
                       if m.name not in ("torch", "_core", "_mpi")]


def examples_of(things):
    space = {"ricci": ricci, "np": np}
    finder, runner = doctest.DocTestFinder(recurse=True), doctest.DocTestRunner(
        optionflags=doctest.NORMALIZE_WHITESPACE)
    for name, thing in things:
        for test in finder.find(thing, name, globs=dict(space)):
            runner.run(test)
    return runner.summarize(verbose=False)


@pytest.mark.parametrize("name", MODULES)
def test_docstrings_run(name):
    module = importlib.import_module(name)
    failed, _ = examples_of([(name, module)])
    assert failed == 0


def test_docstrings_of_the_compiled_part_run():
    from ricci import _core
    things = [(name, getattr(_core, name)) for name in ("Program", "Prepared", "extent")]
    failed, tried = 0, 0
    for name, thing in things:
        members = [(f"{name}.{m}", getattr(thing, m)) for m in vars(thing)]
        for where, member in [(name, thing), *members]:
            words = getattr(member, "__doc__", None) or ""
            if ">>>" not in words:
                continue
            test = doctest.DocTestParser().get_doctest(words, {"ricci": ricci, "np": np}, where,
                                                       None, None)
            runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
            runner.run(test)
            failed, tried = failed + runner.failures, tried + runner.tries
    assert failed == 0 and tried >= 8


def test_every_public_function_has_an_example():
    for name in ricci.__all__:
        thing = getattr(ricci, name)
        if callable(thing) and not isinstance(thing, type):
            assert ">>>" in thing.__doc__, name
