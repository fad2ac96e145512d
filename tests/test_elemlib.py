#!/usr/bin/env python3
"""Walks the library of elementary functions.

Every file in elemlib/ must have a doc string, metadata that agree with its
definition, and a reference here; every name and alias is called on small-integer
data of several shapes and must equal its reference bit for bit. The last line is
`N passed, N failed`.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

from score import Score

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FUSIBLE = os.path.join(os.environ.get("BUILD", os.path.join(ROOT, "build")), "fusible")
SHAPES = [(1, 1), (1, 5), (31, 33), (64, 1), (100, 70)]

REFERENCE = {
    "copy": lambda x: x,
    "scal": lambda alpha, x: alpha * x,
    "axpy": lambda alpha, x, y: alpha * x + y,
    "waxpby": lambda alpha, x, beta, y: alpha * x + beta * y,
    "xpy": lambda x, y: x + y,
    "xmy": lambda x, y: x - y,
    "vmul": lambda x, y: x * y,
    "sdot": lambda x, y: x @ y,
    "nrm2": lambda x: np.sqrt(np.float32(x @ x)),
    "asum": lambda x: np.abs(x).sum(),
    "gemv": lambda A, p: A @ p,
    "gemtv": lambda A, r: A.T @ r,
    "gemvt": lambda A, y, beta, z: beta * (A.T @ y) + z,
    "gesummv": lambda alpha, A, beta, B, x: alpha * (A @ x) + beta * (B @ x),
    "ger": np.outer,
    "madd": lambda A, B: A + B,
    "mscal": lambda alpha, A: alpha * A,
    "mcopy": lambda A: A,
    "rowsum": lambda A: A.sum(axis=1),
    "colsum": lambda A: A.sum(axis=0),
}


def parse(path):
    """The `key value` lines of a file, and the kinds of its routines."""
    keys, routines = {}, []
    inside = False
    for line in open(path):
        line = line.strip()
        if inside:
            inside = line != "}"
        elif line.endswith("{"):
            routines.append(line.split()[:3])
            inside = True
        elif line and not line.startswith("#"):
            key, _, value = line.partition(" ")
            keys[key] = value.strip()
    return keys, routines


def arguments(keys):
    return [tuple(x.strip() for x in a.split(":")) for a in keys["args"].split(",")]


def make(kind, m, n, rng):
    shape = {"tile": (m, n), "row": (m,), "col": (n,), "vec": (n,)}.get(kind)
    if shape is None:
        return int(rng.integers(1, 4))
    return rng.integers(-3, 4, shape).astype(np.float32)


def call_all(score, name, names, args, folder):
    rng = np.random.default_rng(7)
    lines, cases = [], []
    for m, n in SHAPES:
        values = [make(kind, m, n, rng) for _, kind in args]
        for k, v in enumerate(values):
            if isinstance(v, int):
                lines.append("a%d = %d;" % (k, v))
                continue
            path = os.path.join(folder, "%s_%d_%d_%d.npy" % (name, m, n, k))
            np.save(path, v)
            lines.append('a%d = load("%s");' % (k, path))
        for alias in names:
            out = os.path.join(folder, "%s_%d_%d.npy" % (alias, m, n))
            call = "%s(%s)" % (alias, ", ".join("a%d" % k for k in range(len(args))))
            lines.append('save("%s", %s);' % (out, call))
            cases.append((alias, (m, n), values, out))
    script = os.path.join(folder, name + ".fs")
    with open(script, "w") as f:
        f.write("\n".join(lines) + "\n")
    r = subprocess.run([FUSIBLE, "--no-rc", "--target", "cpu", script],
                       capture_output=True, text=True)
    score.check(r.returncode == 0, "%s: %s" % (name, r.stderr[-500:]))
    for alias, size, values, out in cases:
        if not os.path.exists(out):
            score.check(False, "%s at %s gave nothing" % (alias, size))
            continue
        want = np.asarray(REFERENCE[name](*values), np.float32)
        got = np.load(out)
        score.check(got.size == want.size and
                    np.array_equal(got.reshape(-1), want.reshape(-1)),
                    "%s at %s differs from its reference" % (alias, size))


def main():
    score = Score()
    paths = sorted(glob.glob(os.path.join(ROOT, "elemlib", "*.elem")))
    score.check(len(paths) > 0, "there are no elementary functions")
    for path in paths:
        name = os.path.basename(path)[:-5]
        keys, routines = parse(path)
        for key in ("function", "doc", "args", "result", "higher", "nesting", "define"):
            score.check(bool(keys.get(key)), "%s lacks `%s`" % (name, key))
        score.check(keys.get("function") == name, "%s is called otherwise inside" % name)
        args = arguments(keys)
        used = set(re.findall(r"[A-Za-z_]\w*", keys["define"]))
        score.check(all(a in used for a, _ in args),
                    "%s: `define` does not use every argument" % name)
        if name not in REFERENCE:
            score.check(False, "%s has no reference in tests/test_elemlib.py" % name)
            continue
        names = [name] + [a.strip() for a in keys.get("alias", "").split(",") if a.strip()]
        with tempfile.TemporaryDirectory() as folder:
            call_all(score, name, names, args, folder)
    for name in REFERENCE:
        score.check(any(os.path.basename(p) == name + ".elem" for p in paths),
                    "there is a reference but no elemlib/%s.elem" % name)
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
