"""Arrays of any library go in: nothing is copied, and what does not suit is refused by name."""

import array as array_module
import ctypes
import gc
import tracemalloc
import weakref
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import ricci

SUM = ricci.program(r"y = \sum_{ij} x^{ij}")
SUM1 = ricci.program(r"y = \sum_i x^i")
COPY = ricci.program("y^{ij} = x^{ij}")


def sum_by_loops(x):
    total = 0
    for row in x:
        for value in row:
            total += value
    return total


def views_of(x):
    return {
        "row-major": x,
        "Fortran": np.asfortranarray(x),
        "transposed": x.T,
        "slice": x[1:, 2:5],
        "every other": x[::2, ::3],
        "backwards": x[::-1, ::-1],
        "backwards every other": x[::-2, 1::2],
        "rows that are one": np.broadcast_to(x[0], (5, x.shape[1])),
        "zero strides": np.broadcast_to(x[:1, :1], (3, 4)),
        "empty rows": x[:0],
        "empty columns": x[:, :0],
        "one": x[:1, :1],
    }


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16", "i4", "i8"])
@pytest.mark.parametrize("kind", list(views_of(np.zeros((6, 7)))))
def test_any_strides_are_read(dtype, kind):
    x = views_of(np.arange(42).reshape(6, 7).astype(dtype))[kind]
    assert np.array_equal(COPY(x=x).y, x)
    assert COPY(x=x).y.dtype == x.dtype
    assert SUM(x=x).y == sum_by_loops(x.tolist())


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2"])
@pytest.mark.parametrize("kind", list(views_of(np.zeros((6, 7)))))
def test_small_whole_numbers_are_widened(dtype, kind):
    x = views_of((np.arange(42).reshape(6, 7) * 1000).astype(dtype))[kind]
    y = COPY(x=x).y
    assert y.dtype == np.int32
    assert np.array_equal(y, x)


def test_conditions_are_bool():
    p = ricci.program("y^i = [m^i] x^i")
    m = np.array([True, False, True])
    assert p(m=m, x=np.array([1.0, 2.0, 3.0])).y.tolist() == [1, 0, 3]
    assert p(m=m[::-2], x=np.array([1.0, 2.0])).y.tolist() == [1, 2]


def test_memory_that_is_only_read():
    x = np.arange(3.0)
    x.setflags(write=False)
    assert SUM1(x=x).y == 3
    assert SUM1(x=np.frombuffer(bytes(x.tobytes()))).y == 3


@pytest.mark.parametrize("x", [
    array_module.array("d", [1, 2, 3]),
    memoryview(np.array([1.0, 2.0, 3.0])),
    memoryview(np.array([3.0, 0.0, 2.0, 0.0, 1.0]))[::-2],
    (ctypes.c_double * 3)(1, 2, 3),
    [1.0, 2.0, 3.0],
    (1.0, 2.0, 3.0),
])
def test_what_has_a_buffer_and_lists(x):
    assert SUM1(x=x).y == 6


class WithInterface:
    """What speaks numpy's protocol and no other, as images and geometries do."""

    def __init__(self, x, **other):
        self.x = x
        self.__array_interface__ = {**x.__array_interface__, **other}


def test_numpys_interface():
    x = np.arange(12.0).reshape(3, 4)
    assert np.array_equal(COPY(x=WithInterface(x)).y, x)
    assert np.array_equal(COPY(x=WithInterface(x.T)).y, x.T)
    assert np.array_equal(COPY(x=WithInterface(x[:, ::-2])).y, x[:, ::-2])
    x8 = np.arange(6, dtype="i1").reshape(2, 3)
    assert COPY(x=WithInterface(x8)).y.tolist() == x8.tolist()
    with pytest.raises(ricci.Error, match="another byte order"):
        COPY(x=WithInterface(x.astype(">f8")))
    with pytest.raises(ricci.Error, match="'<M8'"):
        COPY(x=WithInterface(x, typestr="<M8"))


@pytest.mark.parametrize("number", [
    2, 2.0, True + 1, np.float32(2), np.float64(2), np.int8(2), np.int32(2), np.array(2.0),
    np.array(2, "f4"), Fraction(4, 2), Decimal(2), np.float16(2), np.uint8(2)])
def test_numbers(number):
    y = ricci.program("y^i = a x^i")(a=number, x=np.array([1.0, 3.0])).y
    assert y.tolist() == [2, 6]
    assert y.dtype == np.float64


def test_complex_numbers():
    p = ricci.program("y^i = a x^i")
    assert p(a=2j, x=np.array([1 + 0j])).y.tolist() == [2j]
    assert p(a=np.complex64(2j), x=np.array([1], "c8")).y.dtype == np.complex64


def test_numpys_scalars_say_what_is_computed_in():
    p = ricci.program("y = a b")
    assert p(a=2, b=3).y.dtype == np.float64
    assert p(a=np.float32(2), b=3).y.dtype == np.float32
    assert p(a=np.float32(2), b=np.float64(3)).y.dtype == np.float64
    assert p(a=np.float32(2), b=np.complex64(3)).y.dtype == np.complex64


@pytest.mark.parametrize("x, words", [
    (np.array([1, 2], "u4"), "x has elements of type uint32, and ricci computes with"),
    (np.array([1, 2], "u8"), "x has elements of type uint64"),
    (np.array([1, 2], "g"), "x has elements of type (longdouble|float128)"),
    (np.array([1, 2], ">f8"), r"another byte order.*write x.astype\(x.dtype.newbyteorder"),
    (np.array([1, 2], ">i2"), "another byte order"),
    (np.array([(1, 2.0)], [("a", "i4"), ("b", "f8")]), "a structure of fields"),
    (np.array(["a", "b"]), "x has elements of type <U1"),
    (np.array([b"a", b"b"]), "x has elements of type"),
    (np.array([None, 1]), "x has elements of type object"),
    (np.array(["2020-01-01"], "M8[D]"), r"x has elements of type datetime64\[D\]"),
    (np.zeros(3, [("a", "i4"), ("b", "f8")])["b"], "do not lie at multiples of their size"),
    (np.frombuffer(bytes(17), "f8", 2, 1), "not aligned"),
    ("text", "x is a str, and not an array or a number"),
    (b"text", "x is a bytes, and not an array or a number"),
    (None, "x is a NoneType, and not an array or a number"),
    ({1: 2}, "x is a dict, and not"),
    (object(), "x is a object, and not"),
    (np.ma.masked_array([1.0, 2.0], [0, 1]), r"masked array.*x\.filled\(0\)"),
    ([1.0, "a"], "x has elements of type"),
    (10**400, "x is a number beyond the range of float64"),
])
def test_what_does_not_suit_is_refused(x, words):
    with pytest.raises(ricci.Error, match=words):
        SUM1(x=x)


class OnDevice:
    def __init__(self, kind):
        self.kind = kind

    def __dlpack__(self, **how):
        raise AssertionError("nobody asks for memory that cannot be read")

    def __dlpack_device__(self):
        return self.kind, 0


@pytest.mark.parametrize("kind, word", [(2, "CUDA"), (8, "Metal"), (10, "ROCm"), (99, "number 99")])
def test_devices_are_refused_by_their_names(kind, word):
    with pytest.raises(ricci.Error, match=f"x lies on a device, {word}.* and ricci computes on the"):
        SUM1(x=OnDevice(kind))


class Lent:
    """An array that is lent through DLPack alone."""

    def __init__(self, x, versions):
        self.x, self.versions = x, versions

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()

    def __dlpack__(self, **how):
        if "max_version" in how and not self.versions:
            raise TypeError("no versions here")
        how.pop("max_version", None)
        return self.x.__dlpack__(**how)


@pytest.mark.parametrize("versions", [False, True])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16", "i4", "i8", "i1", "u2"])
def test_dlpack_without_versions(versions, dtype):
    x = np.arange(42).reshape(6, 7).astype(dtype)
    for view in (x, x.T, x[::2, ::-3], x[:0]):
        assert np.array_equal(COPY(x=Lent(view, versions)).y, view)
    with pytest.raises(ricci.Error, match="x has elements of type"):
        COPY(x=Lent(np.zeros((6, 7), "u4"), versions))


def test_dlpack_gives_memory_back():
    x = np.arange(6.0).reshape(2, 3)
    gone = weakref.ref(x)
    lent = Lent(x, False)
    s = SUM.prepare(x=lent)
    del x, lent
    gc.collect()
    assert gone() is not None
    s()
    assert s["y"] == 15
    del s
    gc.collect()
    assert gone() is None


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("rank", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("extents", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                ("offset", ctypes.c_uint64)]


class Managed(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32),
                ("context", ctypes.c_void_p), ("release", ctypes.c_void_p),
                ("flags", ctypes.c_uint64), ("tensor", Tensor)]


class Versioned:
    """A capsule of DLPack 1, made by hand: numpy has none before 2.1."""

    def __init__(self, x, flags=0, major=1):
        self.x, self.released = x, 0
        self.extents = (ctypes.c_int64 * 2)(*x.shape)
        self.strides = (ctypes.c_int64 * 2)(*(s // x.itemsize for s in x.strides))
        self.callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.release)
        tensor = Tensor(x.ctypes.data - 8, (ctypes.c_int32 * 2)(1, 0), 2, 2, 64, 1,
                        ctypes.addressof(self.extents), ctypes.addressof(self.strides), 8)
        self.managed = Managed(major, 3, None, ctypes.cast(self.callback, ctypes.c_void_p), flags,
                               tensor)

    def release(self, managed):
        self.released += 1

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, *, stream=None, max_version=None):
        assert max_version == (1, 0)
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p,
                                                         ctypes.c_void_p]
        return make(ctypes.addressof(self.managed), b"dltensor_versioned", None)


def test_dlpack_with_versions():
    x = np.arange(6.0).reshape(2, 3)
    lent = Versioned(x.T)
    assert np.array_equal(COPY(x=lent).y, x.T)
    gc.collect()
    assert lent.released == 1
    lent = Versioned(x)
    COPY(x=np.ones((2, 3)), out=lent)
    assert x.tolist() == np.ones((2, 3)).tolist()
    with pytest.raises(ricci.Error, match="may only be read"):
        COPY(x=np.ones((2, 3)), out=Versioned(x, flags=1))
    with pytest.raises(ricci.Error, match="version 2 of DLPack"):
        COPY(x=Versioned(x, major=2))


def test_a_library_that_lends_nothing():
    class Sparse:
        def __dlpack__(self, **how):
            raise BufferError("sparse tensors are not lent")

    with pytest.raises(ricci.Error, match="x is not lent by its library: sparse tensors are not"):
        SUM1(x=Sparse())


def test_nothing_is_copied(random):
    x = random.standard_normal((1000, 1000))
    gradient = ricci.program("y = x^{ij} x^{ij}")
    gradient(x=x)
    tracemalloc.start()
    before = resident()
    for view in (x, x.T, x[::-1], x[::2, ::3]):
        gradient(x=view)
    assert tracemalloc.get_traced_memory()[1] < 100_000
    tracemalloc.stop()
    assert resident() - before < 4_000_000
    # and what is seen is the memory itself
    s = SUM.prepare(x=x)
    s()
    first = float(s["y"])
    x += 1
    s()
    assert abs(float(s["y"]) - first - 1e6) < 1e-3


def resident():
    """The bytes of this process that are in memory."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


def test_what_is_prepared_keeps_its_arrays():
    x = np.arange(100000.0)
    gone = weakref.ref(x)
    s = SUM1.prepare(x=x[::2])
    del x
    gc.collect()
    assert gone() is not None
    s()
    assert s["y"] == sum(range(0, 100000, 2))
    s.bind(x=np.ones(50000))
    gc.collect()
    assert gone() is None


def test_a_network_keeps_its_arrays():
    x = np.ones((3, 4))
    gone = weakref.ref(x)
    n = ricci.Network()
    n.add(x, "ij")
    del x
    gc.collect()
    assert gone() is not None
    assert ricci.contract(n) == 12
    del n
    gc.collect()
    assert gone() is None
