#!/usr/bin/env python3
"""Writes the seeds of the fuzzer of files: small valid files of each format, behind a byte that says which."""

import io
import json
import pathlib
import struct
import sys
import zipfile

NPY = {"<f4": 4, "<f8": 8, "<f2": 2, "<c8": 8, "<c16": 16, "<i4": 4, "<i8": 8, "|b1": 1, "|i1": 1, "|u1": 1,
       "<i2": 2, "<u2": 2}
SAFETENSORS = {"F32": 4, "F64": 8, "F16": 2, "BF16": 2, "C64": 8, "I32": 4, "I64": 8, "BOOL": 1, "I8": 1, "U8": 1,
               "I16": 2, "U16": 2}
SHAPES = [(), (3,), (2, 2), (0, 2), (1, 2, 1, 2)]


def count(shape):
    product = 1
    for extent in shape:
        product *= extent
    return product


def elements(number, size):
    return bytes(37 * k % 256 for k in range(number * size))


def npy(code, shape, version=1, fortran=False):
    header = str({"descr": code, "fortran_order": fortran, "shape": shape}).encode() + b"\n"
    length = struct.pack("<H" if version == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes([version, 0]) + length + header + elements(count(shape), NPY[code])


def safetensors(types):
    header, body = {"__metadata__": {"by": "hand"}}, b""
    for k, name in enumerate(types):
        shape = SHAPES[k % len(SHAPES)]
        data = elements(count(shape), SAFETENSORS[name])
        header[f"t{k}"] = {"dtype": name, "shape": shape, "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + body


def npz(members, compression, zip64=False):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as file:
        for name, data in members:
            with file.open(zipfile.ZipInfo(name) if not zip64 else name, "w", force_zip64=zip64) as member:
                member.write(data)
    return stream.getvalue()


def seeds():
    for k, code in enumerate(NPY):
        yield b"\0" + npy(code, SHAPES[k % len(SHAPES)], 1 + k % 3, k % 2 == 1)
    for name in SAFETENSORS:
        yield b"\2" + safetensors([name, name])
    yield b"\2" + safetensors(list(SAFETENSORS))
    yield b"\2" + safetensors([])
    members = [(f"a{k}.npy", npy(code, SHAPES[k % len(SHAPES)])) for k, code in enumerate(NPY)]
    for compression in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        for some in (members[:1], members[:2], [("readme", b"text"), *members[2:4]], [("x.npy", npy("<f4", (300,)))]):
            yield b"\1" + npz(some, compression)
            yield b"\1" + npz(some, compression, zip64=True)
    yield b"\1" + npz([], zipfile.ZIP_STORED)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    number = 0
    for number, seed in enumerate(seeds(), 1):
        (folder / f"seed{number:02}").write_bytes(seed)
    print(f"{number} seeds in {folder}")


if __name__ == "__main__":
    main()
