#!/usr/bin/python3
"""Random typed programs, run by Fusible and by NumPy: no mismatch is allowed.

    tests/test_random.py [--count N] [--seed S] [--fusible PATH] [--target T]

Every program draws shapes, inputs and statements from a seed. Three modes
(docs: the oracles of docs/numerics.md):
  exact    small integers in every type: results equal bit for bit
  rounded  real numbers in f32 and f64: every element within the running error
           bound of the same expression tree in double precision
  special  NaN, infinities and signed zeros: classes equal
A failing program is printed with its seed, cut down to the statements that
matter. The last line is `N passed, N failed`.
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NP = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64,
      "bool": np.bool_}
RANK = {"bool": 0, "i32": 1, "i64": 2, "f32": 4, "f64": 5}
SIZES = [1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 33, 64, 65, 100, 129]
LIMIT = 2.0 ** 20     # magnitude up to which f32 sums of few terms stay exact


def unit(dtype):
    return 2.0 ** -24 if dtype == "f32" else 2.0 ** -53


class Value:
    """A variable: its text, its value as a 2-D array, its type, its error bound."""

    def __init__(self, text, array, dtype, err=None, kind=None):
        self.text, self.dtype = text, dtype
        self.a = array
        self.err = np.zeros(array.shape) if err is None else err
        # how Fusible sees it: scalar, column (rank 1), row (1 x n), matrix
        self.kind = kind
        if kind == "matrix" and array.shape[0] == 1:
            self.kind = "row"

    @property
    def shape(self):
        return self.a.shape

    def saved_as(self):
        """Type and shape of the array that a file of it has."""
        shape = {"scalar": (), "col": self.shape[:1]}.get(self.kind, self.shape)
        return NP[self.dtype], shape

    def bound(self):
        with np.errstate(all="ignore"):
            m = np.max(np.abs(self.a.astype(np.float64))) if self.a.size else 0
        return float(m)


def promote(a, b):
    return a if RANK[a] >= RANK[b] else b


def in_blocks(rng, statements):
    """The statements as lines of a script, some in blocks of random length."""
    lines, k = [], 0
    while k < len(statements):
        block = statements[k:k + rng.randint(1, 8)]
        k += len(block)
        if rng.random() < 0.7 and len(block) > 1:
            lines += ["begin"] + ["  %s;" % s for s in block] + ["end"]
        else:
            lines += ["%s;" % s for s in block]
    return lines


class Program:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.nrng = np.random.default_rng(seed)
        x = self.rng.random()
        self.mode = "exact" if x < 0.7 else "rounded" if x < 0.95 else "special"
        self.m = self.rng.choice(SIZES)
        self.n = self.rng.choice(SIZES)
        self.lines = []
        self.vars = {}
        self.inputs = {}
        self.count = 0

    # -- inputs ---------------------------------------------------------------

    def data(self, shape, dtype):
        if dtype == "bool":
            return self.nrng.integers(0, 2, shape).astype(bool)
        if self.mode == "exact" or dtype in ("i32", "i64"):
            a = self.nrng.integers(1, 9, shape) * self.nrng.choice([-1, 1], shape)
            return a.astype(NP[dtype])
        a = self.nrng.normal(0, 2, shape).astype(NP[dtype])
        if self.mode == "special":
            pick = self.nrng.integers(0, 8, shape)
            for k, v in ((0, np.nan), (1, np.inf), (2, -np.inf), (3, -0.0)):
                a[pick == k] = v
        return a

    def add_inputs(self):
        floats = ["f32", "f32", "f32", "f64"]
        types = floats + (["i32", "i64", "bool"] if self.mode == "exact" else [])
        shapes = [(self.m, self.n), (self.m, self.n), (self.n, self.m),
                  (self.m, 1), (self.n, 1), (self.n, 1), (1, self.n)]
        for k, shape in enumerate(shapes):
            dtype = self.rng.choice(types)
            name = "x%d" % k
            kind = "col" if shape[1] == 1 else "row" if k == 6 else "matrix"
            a = self.data(shape, dtype)
            self.inputs[name] = a.reshape(-1) if kind == "col" else a
            self.vars[name] = Value(name, a, dtype, kind=kind)

    # -- choosing ---------------------------------------------------------------

    def pick(self, want=None, numeric=True):
        out = [v for v in self.vars.values()
               if (want is None or v.kind in want) and
               (not numeric or v.dtype != "bool") and v.a.size]
        return self.rng.choice(out) if out else None

    def partner(self, v):
        """Another value that broadcasts with v."""
        out = [w for w in self.vars.values() if w.dtype != "bool" and w.a.size and
               (w.shape == v.shape and (w.kind == v.kind or "matrix" in (w.kind, v.kind))
                or w.kind == "scalar" or
                v.kind == "matrix" and
                (w.shape == (v.shape[0], 1) or w.shape == (1, v.shape[1])))]
        return self.rng.choice(out) if out else None

    # -- operations: each gives a Value or None if it does not apply -------------

    def result(self, text, a, dtype, err=None, kind=None):
        a = np.atleast_2d(a).astype(NP[dtype])
        if self.mode == "exact" and dtype != "bool" and a.size:
            if not np.all(np.abs(a.astype(np.float64)) <= LIMIT):
                return None
        if self.mode == "rounded" and a.size:
            if not np.all(np.isfinite(a)) or np.max(np.abs(a)) > 1e15:
                return None
            if err is not None and not np.all(np.isfinite(err)):
                return None
        return Value(text, a, dtype, err, kind)

    def elementwise(self):
        v = self.pick()
        w = v and self.partner(v)
        if not w:
            return None
        op = self.rng.choice(["+", "-", ".*", "min", "max", "+", "-", ".*"] +
                             (["./"] if self.mode != "exact" else []))
        dtype = promote(v.dtype, w.dtype)
        if dtype in ("i32", "i64") and op == "./":
            return None
        a, b = v.a.astype(NP[dtype]), w.a.astype(NP[dtype])
        # the reference of the rounded mode is computed in double
        x, y = v.a.astype(np.float64), w.a.astype(np.float64)
        ex, ey, u = v.err, w.err, unit(dtype)
        with np.errstate(all="ignore"):
            if op == "+":
                r, s = a + b, x + y
                e = ex + ey
            elif op == "-":
                r, s = a - b, x - y
                e = ex + ey
            elif op == ".*":
                r, s = a * b, x * y
                e = np.abs(x) * ey + np.abs(y) * ex + ex * ey
            elif op == "./":
                if self.mode == "rounded" and not np.all(np.abs(y) > 0.1 + 2 * ey):
                    return None
                r, s = a / b, x / y
                e = (ex + np.abs(s) * ey) / (np.abs(y) - ey)
            elif op == "min":
                r, s, e = np.minimum(a, b), np.minimum(x, y), np.maximum(ex, ey)
            else:
                r, s, e = np.maximum(a, b), np.maximum(x, y), np.maximum(ex, ey)
            e = e + u * (np.abs(s) + e)
        if self.mode == "rounded":
            r = s
        text = "%s(%s, %s)" % (op, v.text, w.text) if op in ("min", "max") else \
            "%s %s %s" % (v.text, op, w.text)
        kind = v.kind if v.kind != "scalar" else w.kind
        if "matrix" in (v.kind, w.kind):
            kind = "matrix"
        return self.keep(text, r, dtype, e, kind)

    def keep(self, text, a, dtype, err, kind):
        if self.mode != "rounded":
            return self.result(text, a, dtype, None, kind)
        a = np.atleast_2d(np.asarray(a, np.float64))
        if a.size and (not np.all(np.isfinite(a)) or np.max(np.abs(a)) > 1e12):
            return None
        if not np.all(np.isfinite(err)):
            return None
        return Value(text, a, dtype, np.broadcast_to(np.atleast_2d(err), a.shape), kind)

    def unary(self):
        v = self.pick()
        if not v:
            return None
        ops = ["-", "abs", "square"]
        if self.mode == "rounded":
            ops += ["sqrt", "exp", "sin", "cos", "tanh", "log"]
        op = self.rng.choice(ops)
        if op in ("sqrt", "exp", "sin", "cos", "tanh", "log") and \
                v.dtype not in ("f32", "f64"):
            return None
        a, x, e, u = v.a, v.a.astype(np.float64), v.err, unit(v.dtype)
        with np.errstate(all="ignore"):
            if op == "-":
                return self.keep("-%s" % v.text, -a, v.dtype, e, v.kind)
            if op == "abs":
                return self.keep("abs(%s)" % v.text, np.abs(a), v.dtype, e, v.kind)
            if op == "square":
                err = 2 * np.abs(x) * e + e * e
                return self.keep("%s.^2" % v.text, a * a, v.dtype,
                                 err + u * (x * x + err), v.kind)
            lo = x - e
            if op in ("sqrt", "log") and not np.all(lo > 1e-2):
                return None
            if op == "exp" and not np.all(np.abs(x) < 10):
                return None
            if op in ("sin", "cos") and not np.all(np.abs(x) < 1e4):
                return None
            f = getattr(np, op)
            slope = {"sqrt": lambda: 0.5 / np.sqrt(lo), "log": lambda: 1 / lo,
                     "exp": lambda: np.exp(x + e)}.get(op, lambda: np.ones(x.shape))()
            s = f(x)
            err = slope * e
            return self.keep("%s(%s)" % (op, v.text), s, v.dtype,
                             err + 5 * u * (np.abs(s) + err) + 1e-300, v.kind)

    def scale(self):
        v = self.pick()
        if not v:
            return None
        k = self.rng.randint(-4, 4)
        x, u = v.a.astype(np.float64), unit(v.dtype)
        if self.rng.random() < 0.5:
            err = abs(k) * v.err
            with np.errstate(all="ignore"):
                return self.keep("%d*%s" % (k, v.text) if k >= 0 else
                                 "(%d)*%s" % (k, v.text),
                                 v.a * NP[v.dtype](k), v.dtype,
                                 err + u * (np.abs(k * x) + err), v.kind)
        err = v.err + u * (np.abs(x + k) + v.err)
        return self.keep("%s + (%d)" % (v.text, k), v.a + NP[v.dtype](k), v.dtype,
                         err, v.kind)

    def transpose(self):
        v = self.pick()
        if not v or v.kind == "scalar":
            return None
        kind = {"col": "row", "row": "col", "matrix": "matrix"}[v.kind]
        return self.keep("%s'" % v.text, v.a.T, v.dtype, v.err.T, kind)

    def product(self):
        v = self.pick(("matrix", "row", "col"))
        if not v:
            return None
        left = v.a
        transposed = v.kind != "row" and self.rng.random() < 0.5
        ev = v.err
        if transposed:
            left, ev = left.T, ev.T
        fits = [w for w in self.vars.values() if w.dtype != "bool" and
                w.kind != "scalar" and w.a.shape[0] == left.shape[1]]
        if not fits:
            return None
        w = self.rng.choice(fits)
        if v.kind == "col" and not transposed and w.kind != "row":
            return None     # column*column
        dtype = promote(v.dtype, w.dtype)
        outer = v.kind == "col" and not transposed
        if dtype == "i32" and not outer:
            dtype = "i64"   # as a sum is, of one product too
        x, y = left.astype(np.float64), w.a.astype(np.float64)
        if self.mode == "special" and "matrix" in (v.kind, w.kind) and \
                v.kind == w.kind:
            return None     # GEMM libraries differ in what NaN they give
        if self.mode == "exact":
            if np.max(np.abs(x) @ np.abs(y), initial=0) > LIMIT:
                return None
        with np.errstate(all="ignore"):
            s = x @ y
            g = np.abs(x) @ np.abs(y)
            err = np.abs(x) @ w.err + ev @ np.abs(y) + ev @ w.err
            err = err + 8 * unit(dtype) * (g + err)
        kind = "matrix"
        inner = v.kind if not transposed else {"col": "row"}.get(v.kind, "matrix")
        if inner == "matrix" and w.kind == "col":
            kind = "col"
        elif inner == "row" and w.kind == "col":
            kind = "scalar"
        elif inner == "row" and w.kind == "matrix":
            kind = "row"
        text = "%s%s*%s" % (v.text, "'" if transposed else "", w.text)
        return self.keep(text, s, dtype, err, kind)

    def reduction(self):
        v = self.pick(("matrix", "col", "row"))
        if not v:
            return None
        op = self.rng.choice(["sum", "min", "max", "sum"])
        axis = self.rng.choice([None, 1, 2]) if v.kind == "matrix" else None
        text = "%s(%s)" % (op, v.text) if axis is None else \
            "reduce(\"%s\", %s, %d)" % (op, v.text, axis)
        if axis and op == "sum" and self.rng.random() < 0.5:
            text = "sum(%s, %d)" % (v.text, axis)
        np_axis = None if axis is None else axis - 1
        dtype = v.dtype
        if op == "sum":
            dtype = "i64" if v.dtype in ("i32", "bool", "i64") else v.dtype
            x = v.a.astype(np.float64)
            with np.errstate(all="ignore"):
                r = np.sum(x, axis=np_axis, keepdims=True)
                g = np.sum(np.abs(x), axis=np_axis, keepdims=True)
                err = np.sum(v.err, axis=np_axis, keepdims=True)
            if self.mode == "exact" and np.max(g) > LIMIT:
                return None
            err = err + 8 * unit(dtype) * (g + err)
        else:
            with np.errstate(all="ignore"):
                r = getattr(np, op)(v.a, axis=np_axis, keepdims=True)
                err = np.max(v.err, axis=np_axis, keepdims=True)
        # sum(A, 2) of a matrix with one column is still a column, and so on
        kind = "scalar" if axis is None else "row" if axis == 1 else "col"
        return self.keep(text, r, dtype, err, kind)

    def subscript(self, extent):
        """A subscript of an axis: text, NumPy indices."""
        r = self.rng.random()
        if r < 0.3 or extent < 2:
            return ":", np.arange(extent)
        a, b = sorted(self.rng.sample(range(1, extent + 1), 2))
        if r < 0.6:
            return "%d:%d" % (a, b), np.arange(a - 1, b)
        if r < 0.75:
            s = self.rng.randint(1, 3)
            return "%d:%d:%d" % (a, s, b), np.arange(a - 1, b, s)
        if r < 0.9:
            return "%d:-1:%d" % (b, a), np.arange(b - 1, a - 2, -1)
        return "%d:end" % a, np.arange(a - 1, extent)

    def sliced(self):
        v = self.pick(("matrix", "col"), numeric=False)
        if not v:
            return None
        if v.kind == "col":
            t, i = self.subscript(v.shape[0])
            return self.keep("%s[%s]" % (v.text, t), v.a[i], v.dtype, v.err[i], "col")
        t0, i = self.subscript(v.shape[0])
        t1, j = self.subscript(v.shape[1])
        kind = "matrix"
        r = self.rng.random()
        if r < 0.15:
            k = self.rng.randint(1, v.shape[0])
            t0, i, kind = str(k), np.array([k - 1]), "row"
        elif r < 0.3:
            k = self.rng.randint(1, v.shape[1])
            t1, j, kind = str(k), np.array([k - 1]), "col"
        return self.keep("%s[%s, %s]" % (v.text, t0, t1), v.a[np.ix_(i, j)],
                         v.dtype, v.err[np.ix_(i, j)], kind)

    def compare(self):
        if self.mode != "exact":
            return None
        v = self.pick()
        w = v and self.partner(v)
        if not w:
            return None
        op = self.rng.choice(["==", "!=", "<", "<=", ">", ">="])
        dtype = promote(v.dtype, w.dtype)
        f = {"==": np.equal, "!=": np.not_equal, "<": np.less, "<=": np.less_equal,
             ">": np.greater, ">=": np.greater_equal}[op]
        r = f(v.a.astype(NP[dtype]), w.a.astype(NP[dtype]))
        kind = "matrix" if "matrix" in (v.kind, w.kind) else \
            v.kind if v.kind != "scalar" else w.kind
        return self.result("%s %s %s" % (v.text, op, w.text), r, "bool", None, kind)

    def where(self):
        if self.mode != "exact":
            return None
        masks = [v for v in self.vars.values() if v.dtype == "bool"]
        if not masks:
            return None
        c = self.rng.choice(masks)
        same = [v for v in self.vars.values() if v.shape == c.shape and
                v.kind == c.kind and v.dtype != "bool"]
        if not same:
            return None
        a, b = self.rng.choice(same), self.rng.choice(same)
        dtype = promote(a.dtype, b.dtype)
        return self.result("where(%s, %s, %s)" % (c.text, a.text, b.text),
                           np.where(c.a, a.a.astype(NP[dtype]), b.a.astype(NP[dtype])),
                           dtype, None, c.kind)

    def logic(self):
        masks = [v for v in self.vars.values() if v.dtype == "bool"]
        if self.mode != "exact" or not masks:
            return None
        a = self.rng.choice(masks)
        r = self.rng.random()
        if r < 0.3:
            return self.result("!%s" % a.text, ~a.a, "bool", None, a.kind)
        if r < 0.6:
            f = self.rng.choice(["any", "all"])
            return self.result("%s(%s)" % (f, a.text), np.array([[getattr(np, f)(a.a)]]),
                               "bool", None, "scalar")
        if r < 0.8:
            return self.result("sum(%s)" % a.text, np.array([[np.sum(a.a)]]), "i64",
                               None, "scalar")
        same = [v for v in masks if v.shape == a.shape and v.kind == a.kind]
        b = self.rng.choice(same)
        op, f = self.rng.choice([("&&", np.logical_and), ("||", np.logical_or)])
        return self.result("%s %s %s" % (a.text, op, b.text), f(a.a, b.a), "bool",
                           None, a.kind)

    def concat(self):
        v = self.pick(("matrix", "col"))
        if not v:
            return None
        same = [w for w in self.vars.values() if w.shape == v.shape and
                w.kind == v.kind and w.dtype == v.dtype]
        w = self.rng.choice(same)
        if v.kind == "col" or self.rng.random() < 0.5:
            return self.keep("[%s; %s]" % (v.text, w.text), np.vstack([v.a, w.a]),
                             v.dtype, np.vstack([v.err, w.err]), v.kind)
        return self.keep("[%s, %s]" % (v.text, w.text), np.hstack([v.a, w.a]), v.dtype,
                         np.hstack([v.err, w.err]), v.kind)

    # -- statements -----------------------------------------------------------------

    def assign_slice(self):
        """A[i, j] = value, in place of a new variable."""
        names = [k for k, v in self.vars.items() if v.kind in ("matrix", "col") and
                 v.dtype != "bool" and k not in self.inputs]
        if not names:
            return None
        name = self.rng.choice(names)
        v = self.vars[name]
        k = self.rng.randint(-5, 5)
        a, err = v.a.copy(), np.array(v.err)
        if v.kind == "col":
            t, i = self.subscript(v.shape[0])
            a[i], err[i] = k, 0
            line = "%s[%s] = %d" % (name, t, k)
        else:
            t0, i = self.subscript(v.shape[0])
            t1, j = self.subscript(v.shape[1])
            a[np.ix_(i, j)], err[np.ix_(i, j)] = k, 0
            line = "%s[%s, %s] = %d" % (name, t0, t1, k)
        self.vars[name] = Value(name, a, v.dtype, err, v.kind)
        return line

    OPS = ["elementwise", "elementwise", "elementwise", "unary", "scale", "transpose",
           "product", "product", "product", "reduction", "reduction", "sliced",
           "compare", "where", "logic", "concat"]

    def statement(self):
        if self.rng.random() < 0.08:
            return self.assign_slice()
        v = getattr(self, self.rng.choice(self.OPS))()
        if v is None:
            return None
        if v.a.size == 0:
            return None
        name = "v%d" % self.count
        self.count += 1
        line = "%s = %s" % (name, v.text)
        v.text = name
        self.vars[name] = v
        return line

    def build(self):
        self.add_inputs()
        statements = self.rng.randint(3, 14)
        lines = []
        for _ in range(statements * 6):
            line = self.statement()
            if line:
                lines.append(line)
            if len(lines) >= statements:
                break
        self.lines += in_blocks(self.rng, lines)
        # forget some temporaries: what is not wanted need not be stored
        self.wanted = [n for n in self.vars if n not in self.inputs]
        return self


def script(index, prog, folder):
    out = ["# program %d" % index]
    for name, a in prog.inputs.items():
        path = os.path.join(folder, "p%d_%s.npy" % (index, name))
        np.save(path, a)
        out.append('%s = load("%s");' % (name, path))
    out += prog.lines
    for name in prog.wanted:
        out.append('save("%s", %s);' % (os.path.join(folder, "p%d_%s_out.npy" %
                                                     (index, name)), name))
    out.append(":reset -f")
    return "\n".join(out) + "\n"


def compare(prog, index, folder):
    """None, or what differs."""
    for name in prog.wanted:
        v = prog.vars[name]
        path = os.path.join(folder, "p%d_%s_out.npy" % (index, name))
        if not os.path.exists(path):
            return "%s was not saved" % name
        got = np.load(path)
        dtype, shape = v.saved_as()
        if got.dtype != dtype:
            return "%s is %s, not %s" % (name, got.dtype, dtype)
        if got.shape != shape:
            return "%s has shape %s, not %s" % (name, got.shape, shape)
        got = got.reshape(v.a.shape)
        if prog.mode == "exact":
            bad = got != v.a
        elif prog.mode == "special":
            want = v.a.astype(np.float64)
            g = got.astype(np.float64)
            nan, inf = np.isnan(want), np.isinf(want)
            bad = (np.isnan(g) != nan) | (np.isinf(g) != inf) | \
                (inf & (np.sign(g) != np.sign(want)))
        else:
            with np.errstate(all="ignore"):
                tiny = 1e-37 if v.dtype == "f32" else 1e-300
                bad = ~(np.abs(got.astype(np.float64) - v.a) <= v.err * 1.01 + tiny)
        if np.any(bad):
            at = tuple(np.argwhere(bad)[0])
            bound = ", bound %.3g" % v.err[at] if prog.mode == "rounded" else ""
            return "%s%s is %r, not %r%s; %d of %d elements" % (
                name, [int(k) + 1 for k in at], got[at], v.a[at], bound, bad.sum(),
                bad.size)
    return None


def run(fusible, args, text, folder):
    path = os.path.join(folder, "programs.fs")
    with open(path, "w") as f:
        f.write(text)
    return subprocess.run([fusible, "--no-rc", "--keep-going"] + args + [path],
                          capture_output=True, text=True, errors="replace",
                          timeout=600)


def main(make, count):
    ap = argparse.ArgumentParser()
    ap.add_argument("--count", type=int, default=count)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--batch", type=int, default=50)
    ap.add_argument("--fusible", default=os.path.join(
        os.environ.get("BUILD", os.path.join(ROOT, "build")), "fusible"))
    ap.add_argument("--target", default="cpu")
    opt = ap.parse_args()
    passed = failed = 0
    modes = {}
    for first in range(0, opt.count, opt.batch):
        with tempfile.TemporaryDirectory() as folder:
            progs = [make(opt.seed * 1000003 + i).build()
                     for i in range(first, min(opt.count, first + opt.batch))]
            text = "".join(script(i, p, folder) for i, p in enumerate(progs))
            r = run(opt.fusible, ["--target", opt.target], text, folder)
            for i, p in enumerate(progs):
                why = compare(p, i, folder)
                if why is None:
                    passed += 1
                    modes[p.mode] = modes.get(p.mode, 0) + 1
                    continue
                failed += 1
                if failed <= 5:
                    print("FAILED: program %d, seed %d, %s: %s" %
                          (first + i, opt.seed, p.mode, why))
                    for name, a in p.inputs.items():
                        print("  # %s: %s %s" % (name, a.dtype, a.shape))
                    print("  " + "\n  ".join(p.lines))
                    if r.stderr:
                        print(r.stderr[-1500:])
            if r.returncode not in (0, 1):
                print("FAILED: exit code", r.returncode, r.stderr[-2000:])
                failed += 1
    print("modes:", modes)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(Program, 2000))
