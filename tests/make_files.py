#!/usr/bin/python3
"""Files of NumPy for tests/unit/test_files.c.

make_files.py write DIR   writes DIR/in/*, and makes DIR/out
make_files.py check DIR   compares DIR/out/NAME.{npy,npz,mtx,csv}, which the test
                          saved after loading DIR/in/NAME, with the originals
"""
import os
import sys

import numpy as np


def arrays():
    """Name -> array, always the same."""
    rng = np.random.default_rng(7)
    shapes = {"s0": (), "s1": (17,), "s2": (5, 9), "s3": (3, 4, 5),
              "s4": (2, 3, 2, 4), "row": (1, 6), "col": (6, 1), "none": (0, 3),
              "big": (300, 1100)}
    out = {}
    for name, shape in shapes.items():
        for kind in ("f4", "f8", "i4"):
            x = rng.normal(size=shape) * 100
            out[f"{name}_{kind}"] = np.asarray(x).astype(kind)
    x = rng.normal(size=(7, 11)) * 50
    for kind in ("f2", "i1", "i2", "i8", "u1", "u2", "u4", "u8", "b1",
                 ">f4", ">f8", ">i4", ">i2", ">u8"):
        out["t_" + kind.replace(">", "be_")] = np.abs(x).astype(kind)
    special = np.array([[np.nan, np.inf, -np.inf], [0.0, -0.0, 5e-324]])
    out["special_f8"] = special
    with np.errstate(all="ignore"):
        out["special_f4"] = special.astype("f4")
    return out


def write(folder):
    os.makedirs(folder + "/in")
    os.makedirs(folder + "/out")
    all_arrays = arrays()
    for name, a in all_arrays.items():
        np.save(f"{folder}/in/{name}.npy", a)
        if a.ndim > 1:
            np.save(f"{folder}/in/{name}_F.npy", np.asfortranarray(a))
    some = {k: all_arrays[k] for k in ("s0_f4", "s2_f8", "big_f4", "t_b1")}
    np.savez(f"{folder}/in/stored.npz", **some)
    np.savez_compressed(f"{folder}/in/packed.npz", **some)
    np.savez_compressed(f"{folder}/in/zeros.npz", z=np.zeros(1000000))
    np.savetxt(f"{folder}/in/text.csv", all_arrays["s2_f8"], delimiter=",",
               header="a b c", fmt="%.17g")


def expected(name):
    """The array (or dict of arrays) that the file in/NAME was made from."""
    a = arrays()
    if name in ("stored.npz", "packed.npz"):
        return {k: a[k] for k in ("s0_f4", "s2_f8", "big_f4", "t_b1")}
    if name == "zeros.npz":
        return {"z": np.zeros(1000000)}
    if name == "text.csv":
        return a["s2_f8"]
    return a[name[:-4].removesuffix("_F")]


def same(x, y, name):
    x, y = np.asarray(x), np.asarray(y)
    if x.size == y.size == 0:
        return
    assert x.shape == y.shape, f"{name}: shape {x.shape}, not {y.shape}"
    assert np.array_equal(x, y, equal_nan=x.dtype.kind == "f"), name
    if x.dtype.kind == "f" and y.dtype.kind == "f":
        assert np.array_equal(np.signbit(x), np.signbit(y)), name + ": signs"


def check_text(path, original, name):
    if path.endswith(".csv"):
        got = np.loadtxt(path, delimiter=",", ndmin=2).astype(original.dtype)
        same(got, np.atleast_2d(original) if original.ndim != 1
             else original.reshape(-1, 1), name)
        return
    lines = open(path).read().split("\n")
    assert lines[0].startswith("%%MatrixMarket matrix array"), name
    m, n = map(int, lines[1].split())
    got = np.array([float(v) for v in lines[2:] if v]).reshape(n, m).T
    got = got.astype(original.dtype)
    same(got, original.reshape(m, n), name)


def check(folder):
    n = 0
    for file in sorted(os.listdir(folder + "/out")):
        path = f"{folder}/out/{file}"
        source, ending = file[:-4], file[-4:]
        original = expected(source)
        if ending == ".npy":
            want = original
            if isinstance(want, dict):
                (want,) = want.values()
            same(np.load(path), want, file)
        elif ending == ".npz":
            with np.load(path) as z:
                if isinstance(original, dict):
                    assert sorted(z) == sorted(original), file
                    for k in z:
                        same(z[k], original[k], file + ":" + k)
                else:
                    same(z[source[:-4]], original, file)
        elif isinstance(original, dict):
            (want,) = original.values()
            check_text(path, want, file)
        else:
            check_text(path, original, file)
        n += 1
    assert n > 100, f"only {n} files"
    for left in os.listdir(folder + "/out"):
        assert not left.endswith(".tmp"), left


if __name__ == "__main__":
    {"write": write, "check": check}[sys.argv[1]](sys.argv[2])
