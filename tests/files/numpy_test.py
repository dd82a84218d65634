#!/usr/bin/env python3
"""Compares with numpy: it reads what the library wrote, and the library reads what it wrote.

usage: numpy_test.py DRIVER [BYTES]

A driver that is given hostile archives may have so many bytes of addresses.
A .safetensors file is read and written here by hand, from the description of the format.
"""

import io
import json
import os
import pathlib
import resource
import struct
import subprocess
import sys
import tempfile
import zipfile

try:
    import numpy as np
except ImportError:
    if sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3"] + sys.argv)
    print("numpy is missing, and nothing was compared; on Debian: apt-get install python3-numpy")
    sys.exit(77)

SAFETENSORS = {
    "F64": "f8", "F32": "f4", "F16": "f2", "C64": "c8", "I64": "i8", "I32": "i4", "I16": "i2",
    "I8": "i1", "U8": "u1", "U16": "u2", "U32": "u4", "U64": "u8", "BOOL": "?", "BF16": "V2"
}
SHAPES = [(), (1,), (5,), (2, 3), (2, 3, 4), (2, 1, 3, 2), (1, 2, 3, 2, 2), (0,), (3, 0, 2)]


def read_safetensors(path):
    data = path.read_bytes()
    length, = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length],
                        object_pairs_hook=lambda pairs: (_only_once(pairs), dict(pairs))[1])
    header.pop("__metadata__", None)
    body, arrays, end = data[8 + length:], {}, 0
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        begin, stop = entry["data_offsets"]
        assert begin == end, "a hole or an overlap"
        end = stop
        array = np.frombuffer(body[begin:stop], dtype=SAFETENSORS[entry["dtype"]])
        arrays[name] = array.reshape(entry["shape"])
    assert end == len(body), "bytes of no tensor"
    return {name: arrays[name] for name in header}


def _only_once(pairs):
    assert len({key for key, _ in pairs}) == len(pairs), "a key twice"


def write_safetensors(path, arrays, padding=0):
    names = {np.dtype(code): name for name, code in SAFETENSORS.items()}
    header, body = {"__metadata__": {"format": "np", "a": "b"}}, b""
    for name, array in arrays.items():
        data = np.ascontiguousarray(array).tobytes()
        header[name] = {"dtype": names[array.dtype], "shape": list(array.shape),
                        "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header).encode() + b" " * padding
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)


def samples(codes):
    """Arrays by name: every type, every shape, some in Fortran's order, with bytes of every
    kind."""
    arrays = {}
    for code in codes:
        for k, shape in enumerate(SHAPES):
            dtype = np.dtype(code)
            count = int(np.prod(shape, dtype=int))
            raw = (np.arange(count * dtype.itemsize) * 37 + k).astype(np.uint8)
            array = (raw % 2).astype(bool) if dtype == bool else raw.view(dtype)
            array = array.reshape(shape, order="F" if k % 2 else "C")
            arrays[f"{code.strip('<|?')}.ä{k}"] = array
    return arrays


def widened(array):
    small = array.dtype in (np.int8, np.uint8, np.int16, np.uint16)
    return array.astype(np.int32) if small else array


def same(read, expected):
    wanted = {name: widened(array) for name, array in expected.items()}
    assert list(read) == list(wanted), f"{list(read)[:3]} instead of {list(wanted)[:3]}"
    for name, array in wanted.items():
        got = read[name]
        assert got.dtype == array.dtype, f"{name}: {got.dtype} instead of {array.dtype}"
        assert got.shape == array.shape, f"{name}: {got.shape} instead of {array.shape}"
        assert got.tobytes() == np.ascontiguousarray(array).tobytes(), f"{name}: other elements"


class Driver:
    def __init__(self, program, most=None):
        self.program, self.most = program, most

    def convert(self, *jobs, limited=False):
        """What the driver says to each (from, to) or (from, to, name)."""
        limit = None
        if limited and self.most:
            limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (self.most,) * 2)  # noqa: E731
        words = []
        for job in jobs:
            words += [*map(str, job), "--"]
        done = subprocess.run([self.program, *words[:-1]], capture_output=True, text=True,
                              check=False, preexec_fn=limit)
        assert done.returncode in (0, 1), f"the driver broke: {done.stderr[-2000:]}"
        return done.stdout.splitlines()

    def done(self, *jobs):
        for said in self.convert(*jobs):
            assert said == "done", said


def read_npz(path):
    with np.load(path) as file:
        return {name: file[name] for name in file.files}


class Unseekable(io.RawIOBase):
    """A stream as pipes are: sizes stand behind the members of an archive that is written to it."""

    def __init__(self, file):
        super().__init__()
        self.file = file

    def writable(self):
        return True

    def write(self, data):
        return self.file.write(data)


def check_npz(driver, folder):
    arrays = samples(
        ["<f4", "<f8", "<f2", "<c8", "<c16", "<i4", "<i8", "?", "|i1", "|u1", "<i2", "<u2"])
    np.savez(folder / "stored.npz", **arrays)
    np.savez_compressed(folder / "deflated.npz", **arrays)
    with zipfile.ZipFile(folder / "mixed.npz", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("readme.txt", "not an array")
        for name, array in arrays.items():
            stream = io.BytesIO()
            np.lib.format.write_array(stream, array, version=(2, 0) if "f4" in name else (3, 0))
            file.writestr(name + ".npy", stream.getvalue())
    with open(folder / "streamed.npz", "wb") as file:
        np.savez_compressed(Unseekable(file), **arrays)
    for name in ("stored", "deflated", "mixed", "streamed"):
        driver.done((folder / f"{name}.npz", folder / "out.npz"))
        same(read_npz(folder / "out.npz"), arrays)
        for one in ("<f8.ä4".strip("<"), "u1.ä3"):
            driver.done((folder / f"{name}.npz", folder / "one.npz", one))
            same(read_npz(folder / "one.npz"), {one: arrays[one]})
    with zipfile.ZipFile(folder / "out.npz") as file:
        assert file.testzip() is None


def check_npy(driver, folder):
    arrays = samples(
        ["<f4", "<f8", "<f2", "<c8", "<c16", "<i4", "<i8", "?", "|i1", "|u1", "<i2", "<u2"])
    jobs = []
    for n, array in enumerate(arrays.values()):
        with open(folder / f"{n}.npy", "wb") as file:
            np.lib.format.write_array(file, array, version=[(1, 0), (2, 0), (3, 0)][n % 3])
        jobs.append((folder / f"{n}.npy", folder / f"out{n}.npy"))
    driver.done(*jobs)
    for n, array in enumerate(arrays.values()):
        same({"x": np.load(folder / f"out{n}.npy", allow_pickle=False)}, {"x": array})
        header = (folder / f"out{n}.npy").read_bytes()
        assert header[6:8] == b"\1\0" and (10 + struct.unpack("<H", header[8:10])[0]) % 64 == 0


def check_safetensors(driver, folder):
    arrays = samples(
        ["<f4", "<f8", "<f2", "<c8", "<i4", "<i8", "?", "|i1", "|u1", "<i2", "<u2", "|V2"])
    for padding in range(8):
        write_safetensors(folder / "in.safetensors", arrays, padding)
        driver.done((folder / "in.safetensors", folder / "out.safetensors"))
        same(read_safetensors(folder / "out.safetensors"), arrays)
    named = {name: array for name, array in arrays.items() if array.dtype != np.dtype("V2")}
    write_safetensors(folder / "in.safetensors", named)
    driver.done((folder / "in.safetensors", folder / "a.npz"),
                (folder / "a.npz", folder / "b.safetensors"))
    same(read_npz(folder / "a.npz"), named)
    same(read_safetensors(folder / "b.safetensors"), named)


def check_refusals(driver, folder):
    refused = {
        "uint32": np.zeros(3, "<u4"),
        "uint64": np.zeros(3, "<u8"),
        "longdouble": np.zeros(3, np.longdouble),
        "strings": np.array(["a", "bc"]),
        "byte strings": np.array([b"a", b"bc"]),
        "Python objects": np.array([{}, None], dtype=object),
        "big-endian": np.zeros(3, ">f4"),
        "records": np.zeros(3, dtype=[("a", "<f4"), ("b", "<i4")]),
        "dates": np.zeros(3, "<M8[s]"),
        "spans of time": np.zeros(3, "<m8[s]"),
        "bfloat16": np.zeros(3, "|V2"),
    }
    for words, array in refused.items():
        np.save(folder / "x.npy", array)
        np.savez(folder / "x.npz", fine=np.ones(2), odd=array)
        said = driver.convert((folder / "x.npy", folder / "y.npy"),
                              (folder / "x.npz", folder / "y.npz"),
                              (folder / "x.npz", folder / "z.npz", "fine"))
        assert words in said[0] and "x.npy" in said[0], said[0]
        assert words in said[1] and "x.npz: tensor odd" in said[1], said[1]
        assert said[2] == "done", said[2]
        assert not (folder / "y.npy").exists() and not (folder / "y.npz").exists()
    for name, code in (("U32", "u4"), ("U64", "u8")):
        write_safetensors(folder / "x.safetensors", {"fine": np.ones(2), "odd": np.zeros(3, code)})
        said = driver.convert((folder / "x.safetensors", folder / "y.safetensors"),
                              (folder / "x.safetensors", folder / "z.safetensors", "fine"))
        assert f"tensor odd: its elements are {name}" in said[0], said[0]
        assert said[1] == "done", said[1]


def npy(array):
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def npy_header(shape):
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream,
                                         {"descr": "|u1", "fortran_order": False, "shape": shape})
    return stream.getvalue()


def archive(members, compression=zipfile.ZIP_DEFLATED):
    """A zip archive of (name, bytes), as bytes."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as file:
        for name, data in members:
            file.writestr(name, data)
    return bytearray(stream.getvalue())


def claiming(data, size):
    """The archive of one member, which is then said to have `size` bytes."""
    local, central = data.index(b"PK\3\4"), data.rindex(b"PK\1\2")
    struct.pack_into("<I", data, local + 22, size)
    struct.pack_into("<I", data, central + 24, size)
    return data


def shared(data):
    """The archive of one member, with a second entry that has the same bytes."""
    central, end = data.rindex(b"PK\1\2"), data.rindex(b"PK\5\6")
    entry = data[central:end]
    second = entry.replace(b"x.npy", b"y.npy")
    out = data[:central] + entry + second + data[end:]
    struct.pack_into("<HHI", out, end + len(entry) + 8, 2, 2, 2 * len(entry))
    return out


def check_hostile_archives(driver, folder):
    noise = np.random.default_rng(1).integers(0, 256, 3_000_000, dtype=np.uint8)
    tail = noise.tobytes()
    small = np.ones(3)
    encrypted = archive([("x.npy", npy(small))])
    encrypted[6] |= 1
    encrypted[encrypted.rindex(b"PK\1\2") + 8] |= 1
    changed = archive([("x.npy", npy(small))], zipfile.ZIP_STORED)
    changed[changed.index(b"NUMPY") + 130] ^= 1
    gigabytes = 1_500_000_000
    cases = [
        (b"", "it is empty"),
        (b"not zip", "it is no zip archive that can be read"),
        (claiming(archive([("x.npy", npy_header((1 << 31,)))]), (1 << 31) + 128),
         "cannot hold so many"),
        (claiming(archive([("x.npy", npy_header((gigabytes,)) + tail)]), gigabytes + 128),
         "tensor x: it "),
        (claiming(archive([("x.npy", npy_header((1000,)) + bytes(2000))]), 1128), "tensor x: it "),
        (archive([("x.npy", npy_header((1 << 62, 4)))]), "its extents are too large"),
        (archive([("x.npy", npy_header((10_000_000_000,)))]),
         "tensor x: its shape takes 10000000000 bytes, and there"),
        (archive([("x.npy", b"")]), "tensor x: it ends within its .npy header"),
        (archive([("x.npy", b"\x93NUMPY\2\0\xff\xff\xff\x7f")]),
         "tensor x: its .npy header of 2147483647 bytes"),
        (archive([("x.npy", npy(small)[:60])]), "tensor x: it ends within its .npy header"),
        (archive([("x.npy", npy(small) + b"1")]),
         "tensor x: its shape takes 24 bytes, and there are 25"),
        (archive([("x.npy", npy(small))], zipfile.ZIP_BZIP2),
         "tensor x: it is neither stored nor deflated"),
        (shared(archive([("x.npy", npy(noise))])), "its members together are larger than the file"),
        (archive([("x.npy", npy(small)), ("y.npy", npy(small))]).replace(b"y.npy", b"x.npy"),
         "it has two tensors x"),
        (encrypted, "tensor x: it is encrypted"),
        (changed, "tensor x: it cannot be read: CRC error"),
    ]
    jobs = []
    for n, (data, _) in enumerate(cases):
        (folder / f"{n}.npz").write_bytes(data)
        jobs.append((folder / f"{n}.npz", folder / "out.npy"))
    for (_, words), said in zip(cases, driver.convert(*jobs, limited=True)):
        assert words in said and said.endswith("."), f"{said!r} instead of {words!r}"
    # What is honest and compresses as well is read.
    zeros = np.zeros((1000, 30000), dtype=np.float32)
    np.savez_compressed(folder / "zeros.npz", zeros=zeros)
    driver.done((folder / "zeros.npz", folder / "zeros.npy"))
    same({"zeros": np.load(folder / "zeros.npy")}, {"zeros": zeros})


def main():
    driver = Driver(sys.argv[1], *map(int, sys.argv[2:]))
    failed = 0
    for check in (check_npy, check_npz, check_safetensors, check_refusals, check_hostile_archives):
        with tempfile.TemporaryDirectory(prefix="ricci-files-") as folder:
            try:
                check(driver, pathlib.Path(folder))
                print(f"{check.__name__}: done")
            except AssertionError as problem:
                failed += 1
                print(f"{check.__name__}: FAILED: {problem}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
