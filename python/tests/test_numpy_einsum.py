"""numpy's own tests of einsum, as they are installed, of ricci.einsum.

What ricci does otherwise on purpose is checked here, and answered by numpy, so that the rest of a
test goes on.
"""

import importlib.util
import pathlib
import re
import types

import numpy as np
import pytest

import ricci


def numpys_einsum(*arguments, **options):
    return np.einsum(*arguments, **options)


def otherwise(error):
    """Whether this is one of the refusals that ricci means, and numpy has not."""
    words = str(error)
    # An extent of 1 is not broadcast against another one: it is a mistake more often than not.
    if re.search(r"extent 1 ", words) or re.search(r"and 1 in axis", words):
        return True
    # Of 80 and 128 bits, and objects, there are no kernels.
    return re.search(r"elements of (float128|complex256|longdouble|clongdouble|object)", words)


class Einsum:
    """ricci.einsum; `views` where numpy gives views and memory orders that ricci does not."""

    views = False

    def __call__(self, *arguments, **options):
        try:
            result = ricci.einsum(*arguments, **options)
        except ricci.Error as error:
            if otherwise(error):
                return numpys_einsum(*arguments, **options)
            # numpy writes an index in quotes
            raise ricci.Error(re.sub(r"the index (\w)", r"the index '\1'", str(error))) from None
        if self.views and "out" not in options:
            theirs = numpys_einsum(*arguments, **options)
            np.testing.assert_array_equal(result, theirs)
            if options.get("order", "K") in "Kk":
                return theirs
        return result


class Replaced(types.ModuleType):
    """numpy with another einsum."""

    einsum = staticmethod(Einsum())

    def __getattr__(self, name):
        return getattr(np, name)


def numpys_tests():
    for core in ("core", "_core"):
        path = pathlib.Path(np.__file__).parent / core / "tests" / "test_einsum.py"
        if path.exists():
            break
    else:
        pytest.skip("numpy is installed without its tests", allow_module_level=True)
    spec = importlib.util.spec_from_file_location("numpys_test_einsum", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.np = Replaced("numpy")
    return module


theirs = numpys_tests()
test_overlap = theirs.test_overlap


class TestEinsum(theirs.TestEinsum):
    def test_einsum_views(self, monkeypatch):
        # a result of ricci owns its memory, always
        monkeypatch.setattr(Einsum, "views", True)
        super().test_einsum_views()

    def test_output_order(self, monkeypatch):
        # K is row-major
        monkeypatch.setattr(Einsum, "views", True)
        super().test_output_order()

    def test_subscript_range(self):
        # there are more than 52 labels
        a, b = np.ones((2, 3)), np.ones((3, 4))
        for labels in ([0, 1, 2], [0, 52, 2], [1000, 7, 60]):
            i, j, k = labels
            assert np.array_equal(ricci.einsum(a, [i, j], b, [j, k], [i, k]), a @ b)
        with pytest.raises(ValueError, match="numbered from 0"):
            ricci.einsum(a, [-1, 5], b, [5, 2], [-1, 2])


class TestEinsumPath(theirs.TestEinsumPath):
    def test_path_type_input_invalid(self):
        # a path is not read: the order of products is always chosen
        a = np.ones((2, 2))
        assert np.array_equal(ricci.einsum("ij,jk", a, a, optimize=["einsum_path", (7, 9)]), a @ a)
