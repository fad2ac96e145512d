#!/usr/bin/python3
"""Random programs of tensors of ranks 0 to 6 in all element types, also complex ones, some of them
without elements: no mismatch.

    tests/test_cubes.py [--count N] [--seed S] [--fusible PATH] [--target T]

What test_random.py does for matrices of f32 and f64, this does for every type and
rank: types mixed, slices with steps of either sign, reductions along each
dimension, reshapes, parts joined and assigned. All values are whole numbers so
small that every type holds them and their partial sums, so results are equal bit
for bit, whatever the order or the kernels. The oracle computes in 64-bit integers, of complex values
in pairs of doubles. Results that would wrap around are left out; tests/test_edges.py has those.
"""
import random
import sys

import numpy as np

import test_random
from dtypes import (COMPLEX, HELD, INTEGERS, ORDER, at_one_rank, beside, float_type,  # noqa: E402
                    number_type, promote, sum_type)

NP = dict(HELD, f16=np.float16, c64=np.complex64, c128=np.complex128)     # as files have them
LIMIT = {"f16": 2 ** 11, "bf16": 2 ** 8}    # whole numbers up to here are exact
SIZES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 16, 17, 33]
MOST = 30000        # elements of a value
RANK = 6            # at most
COMPARES = ("==", "!=", "<", "<=", ">", ">=")
STRATEGIES = ["smart", "smart", "minsync", "minmemory", "noreorder", "off"]
BINARY = {"+": np.add, "-": np.subtract, ".*": np.multiply, "min": np.minimum,
          "max": np.maximum, "mod": np.mod, "==": np.equal, "!=": np.not_equal,
          "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}
UNARY = {"-": np.negative, "abs": np.abs, "sign": np.sign, "square": np.square}
REDUCE = {"sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min,
          "any": np.any, "all": np.all}


class Value:
    """A variable: its text, its value in whole numbers, its type."""

    def __init__(self, text, a, dtype):
        self.text, self.dtype = text, dtype
        self.a = np.asarray(a).astype(np.complex128 if dtype in COMPLEX else np.int64)

    def saved_as(self):
        return NP[self.dtype], self.a.shape


def size_of(a):
    """No part of an element is larger."""
    return np.abs(a.real) + np.abs(a.imag)


def multiplies(a, b, dtype):
    """Whether no product of parts is rounded."""
    largest = [float(np.max(size_of(np.asarray(x)), initial=0)) for x in (a, b)]
    return dtype not in COMPLEX or largest[0] * largest[1] <= 2 ** 22


def fits(a, dtype):
    if dtype in COMPLEX:
        return np.max(size_of(np.asarray(a)), initial=0) <= 2 ** 20
    most = 1 if dtype == "bool" else LIMIT.get(dtype, 2 ** 20)
    if dtype in INTEGERS:
        most = min(most, np.iinfo(NP[dtype]).max)
    least = 0 if dtype == "bool" or dtype[0] == "u" else -most
    return np.max(a, initial=0) <= most and np.min(a, initial=0) >= least


def to_rank(a, rank):
    return a.reshape(a.shape + (1,) * (rank - a.ndim))


def aligned(*arrays):
    """Broadcast arrays, or None."""
    try:
        return np.broadcast_arrays(*at_one_rank(arrays))
    except ValueError:
        return None


class Cubes:
    mode = "exact"

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.nrng = np.random.default_rng(seed)
        self.types = self.rng.sample(ORDER, self.rng.randint(2, 4))
        if self.rng.random() < 0.3:
            self.types += [self.rng.choice(list(COMPLEX))] * 2
        self.sizes = [self.rng.choice(SIZES) for _ in range(RANK)]
        self.alike = self.rng.random() < 0.5    # views' strides may happen to agree
        if self.alike:
            self.sizes = [self.rng.randint(2, 5)] * RANK
        self.lines, self.vars, self.inputs, self.count = [], {}, {}, 0

    # -- inputs -----------------------------------------------------------------

    def shape(self, full=False):
        """Extents agree often, some are 1, few are 0; not of one that is full."""
        rank = self.rng.choice([0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 6][full:])
        if self.alike and self.rng.random() < 0.5:
            rank = 4
        least = self.rng.randint(0, RANK - rank)
        shape = [1 if self.rng.random() < 0.1 else n
                 for n in self.sizes[least:least + rank]]
        if rank and not full and self.rng.random() < 0.05:
            shape[self.rng.randrange(rank)] = 0
        while np.prod(shape) > 4000:
            shape[shape.index(max(shape))] = 3
        return tuple(shape)

    def add_inputs(self):
        shapes = [self.shape(True)] + [self.shape() for _ in range(2)]
        for k in range(self.rng.randint(4, 6)):
            shape = self.rng.choice(shapes) if k else shapes[0]
            dtype = self.rng.choice(self.types)
            a = self.nrng.integers(1, 5, shape) * self.nrng.choice([-1, 1], shape)
            a = np.abs(a) if dtype[0] == "u" else a
            a = a + 1j * self.nrng.integers(-4, 5, shape) if dtype in COMPLEX else a
            name = "x%d" % k
            self.vars[name] = v = Value(name, a > 0 if dtype == "bool" else a, dtype)
            self.inputs[name] = v.a.astype(NP[dtype])
            if dtype == "bf16":     # no file holds it
                self.lines.append("%s = bf16(%s);" % (name, name))

    # -- choosing ---------------------------------------------------------------

    def pick(self, fit=lambda v: True):
        out = [v for v in self.vars.values() if fit(v)]
        return self.rng.choice(out) if out else None

    def tensor(self):
        return self.pick(lambda v: v.a.ndim > 0)

    def partner(self, v):
        return self.pick(lambda w: aligned(v.a, w.a) is not None)

    # -- operations: each gives a Value or None if it does not apply --------------

    def elementwise(self):
        v = self.pick()
        w = self.partner(v)
        op, dtype = self.rng.choice(list(BINARY)), number_type(promote(v.dtype, w.dtype))
        a, b = aligned(v.a, w.a)
        if dtype in COMPLEX and (op not in ("+", "-", ".*", "==", "!=") or not multiplies(a, b, dtype)):
            return None
        exact = dtype in INTEGERS and op in COMPARES    # of any two integers
        if not exact and not (fits(a, dtype) and fits(b, dtype)) or op == "mod" and np.any(b == 0):
            return None
        text = "%s(%s, %s)" if op.isalpha() else "%s {} %s".format(op)
        r = BINARY[op](a, b)
        text %= (op, v.text, w.text) if op.isalpha() else (v.text, w.text)
        return Value(text, r, "bool" if r.dtype == bool else dtype)

    def beside_number(self):
        v, k = self.pick(), self.rng.randint(-3, 3)
        op = self.rng.choice(["+", "-", ".*", "==", "<", ">="])
        if self.rng.random() < 0.2 and v.dtype in [*COMPLEX, *self.types] and set(self.types) & set(COMPLEX):
            k = complex(k, self.rng.randint(1, 3))
        dtype = beside(k, True, v.dtype)
        if dtype in COMPLEX and op in ("<", ">="):
            op = "!="
        r = BINARY[op](v.a, k)
        if dtype in COMPLEX and r.dtype != bool:
            number = "%d + %di" % (k.real, k.imag)
            return Value("%s %s (%s)" % (v.text, op, number if isinstance(k, complex) else k), r, dtype)
        if isinstance(k, complex):
            return Value("%s %s (%d + %di)" % (v.text, op, k.real, k.imag), r, "bool")
        if r.dtype != bool and not fits(v.a, dtype):
            return None
        return Value("%s %s (%d)" % (v.text, op, k), r, "bool" if r.dtype == bool else dtype)

    def unary(self):
        v, op = self.pick(), self.rng.choice(list(UNARY) + ["floor", "!", ".^3"])
        if v.dtype in COMPLEX:
            return self.of_complex(v)
        if op == "!":
            return Value("!" + v.text, v.a == 0, "bool")
        if op == "floor":
            return Value("floor(%s)" % v.text, v.a, float_type(v.dtype))
        if op == ".^3":
            return Value(v.text + op, v.a ** 3, number_type(v.dtype))
        return Value("%s(%s)" % (op, v.text), UNARY[op](v.a), number_type(v.dtype))

    def of_complex(self, v):
        a, op = v.a, self.rng.choice(["-", "!", "re", "im", "conj", "square", ".^3", "floor", "complex"])
        if op == "complex":
            x = "re(%s)" % v.text
            return Value("complex(im(%s), %s + 1)" % (v.text, x), a.imag + 1j * (a.real + 1), v.dtype)
        if op == "!":
            return Value("!" + v.text, a == 0, "bool")
        if op in ("re", "im"):
            return Value("%s(%s)" % (op, v.text), a.real if op == "re" else a.imag, COMPLEX[v.dtype])
        if op in ("square", ".^3"):
            if not multiplies(size_of(a) ** 2, a, v.dtype):
                return None
            return Value(v.text + op, a * a * a, v.dtype) if op == ".^3" else \
                Value("square(%s)" % v.text, a * a, v.dtype)
        return Value("%s(%s)" % (op, v.text), {"-": -a, "conj": np.conj(a), "floor": a}[op], v.dtype)

    def logic(self):
        v = self.pick()
        w = self.partner(v)
        a, b = aligned(v.a != 0, w.a != 0)
        if self.rng.random() < 0.5:
            return Value("%s && %s" % (v.text, w.text), a & b, "bool")
        return Value("%s || %s" % (v.text, w.text), a | b, "bool")

    def where(self):
        c = self.pick(lambda v: v.dtype == "bool")
        v = c and self.partner(c)
        w = v and self.partner(v)
        arrays = w and aligned(c.a, v.a, w.a)
        if not arrays:
            return None
        dtype = promote(v.dtype, w.dtype)
        if not fits(v.a, dtype) or not fits(w.a, dtype):
            return None
        return Value("where(%s, %s, %s)" % (c.text, v.text, w.text),
                     np.where(*arrays), dtype)

    def cast(self):
        v, dtype = self.pick(), self.rng.choice(ORDER)
        if set(self.types) & set(COMPLEX) and (v.dtype in COMPLEX or self.rng.random() < 0.2):
            dtype = self.rng.choice(list(COMPLEX))
            return Value("%s(%s)" % (dtype, v.text), v.a, dtype)
        a = v.a != 0 if dtype == "bool" else v.a
        if v.dtype in INTEGERS and dtype in INTEGERS and dtype != "u64":
            a = a.astype(NP[dtype])     # wraps around
        return Value("%s(%s)" % (dtype, v.text), a, dtype)

    def reduction(self):
        """Of all elements, or along a dimension, also one past the last."""
        v, op = self.tensor(), self.rng.choice(list(REDUCE) + ["sum", "sum"])
        axis = self.rng.choice([None] + list(range(1, min(v.a.ndim + 1, RANK) + 1)))
        rank = max(v.a.ndim, axis or 0)
        where = None if axis is None else axis - 1
        if v.dtype in COMPLEX:
            return self.complex_reduction(v, op, axis, rank)
        grows = {"sum": np.abs(v.a), "prod": np.maximum(np.abs(v.a), 1)}.get(op, v.a)
        dtype = {"any": "bool", "all": "bool"}.get(op, number_type(v.dtype))
        if op in ("max", "min") and not v.a.size:
            return None     # an error
        if op in ("sum", "prod"):
            dtype = sum_type(v.dtype)
        with np.errstate(over="ignore"):
            most = REDUCE[op](to_rank(grows, rank).astype(float), axis=where)
        if op in ("sum", "prod") and not fits(most, dtype):
            return None
        r = REDUCE[op](to_rank(v.a, rank), axis=where, keepdims=axis is not None)
        if axis is not None and axis >= v.a.ndim:   # the last dimension is dropped
            r = r.reshape(r.shape[:-1])
        text = "%s(%s)" % (op, v.text) if axis is None else \
            "reduce(\"%s\", %s, %d)" % (op, v.text, axis)
        return Value(text, r, dtype)

    def complex_reduction(self, v, op, axis, rank):
        a = to_rank(v.a, rank)
        if op in ("max", "min") or (op == "prod" and axis is not None):
            return None     # errors
        sizes = size_of(a)
        with np.errstate(over="ignore"):
            most = np.prod(np.maximum(sizes, 1), dtype=float) if op == "prod" else np.sum(sizes)
        if not most <= 2 ** (11 if op == "prod" else 22):
            return None
        where = None if axis is None else axis - 1
        r = REDUCE[op](a, axis=where, keepdims=axis is not None)
        if axis is not None and axis >= v.a.ndim:
            r = r.reshape(r.shape[:-1])
        text = "%s(%s)" % (op, v.text) if axis is None else "%s(%s, %d)" % (op, v.text, axis)
        return Value(text, r, "bool" if op in ("any", "all") else v.dtype)

    def product(self):
        v = self.pick(lambda v: v.a.ndim == 2 and v.a.shape[1] > 1 and v.dtype != "bool")
        w = v and self.pick(lambda w: w.a.ndim in (1, 2) and w.dtype != "bool" and
                            w.a.shape[0] == v.a.shape[1])
        dtype = w and promote(v.dtype, w.dtype)
        if not w or not fits(v.a, dtype) or not fits(w.a, dtype) or \
                not fits(size_of(v.a) @ size_of(w.a), dtype):
            return None
        r = v.a @ w.a
        if r.shape == (1,):     # row by column
            r = r.reshape(())
        return Value("%s*%s" % (v.text, w.text), r, sum_type(dtype))

    # -- other ways to read ---------------------------------------------------------

    def run(self, extent, count):
        """A subscript that chooses `count`: text, indices from 0."""
        most = (extent - 1) // (count - 1) if count > 1 else 1
        step = self.rng.randint(1, max(1, min(most, 3)))
        first = self.rng.randint(0, extent - 1 - (count - 1) * step)
        i = np.arange(first, first + count * step, step)[:count]
        if self.rng.random() < 0.4:
            return "%d:%d:%d" % (i[-1] + 1, -step, i[0] + 1), i[::-1]
        last = "end" if i[-1] == extent - 1 and count > 1 else str(i[-1] + 1)
        return "%d:%d:%s" % (i[0] + 1, step, last), i

    def subscript(self, extent, rank):
        r = self.rng.random()
        if r < 0.3 or not extent:
            return ":", np.arange(extent)
        if r < 0.45:
            k = self.rng.randrange(extent)
            return str(k + 1), np.array([k])
        if r < 0.55 and rank < 4:
            i = np.array([self.rng.randrange(extent) for _ in range(3)])
            return "[%d, %d, %d]" % tuple(i + 1), i
        return self.run(extent, self.part(extent))

    def part(self, extent):
        """How many of a dimension: any number, or nearly all."""
        if self.rng.random() < 0.4:
            return self.rng.randint(1, extent)
        return max(1, extent - self.rng.randint(0, 2))

    def sliced(self):
        v = self.tensor()
        parts = [self.subscript(n, v.a.ndim) for n in v.a.shape]
        a = v.a[np.ix_(*[i for _, i in parts])]
        rank = v.a.ndim
        while rank and parts[rank - 1][0].isdigit():    # numbers in last places
            rank -= 1
        return Value("%s[%s]" % (v.text, ", ".join(t for t, _ in parts)),
                     a.reshape(a.shape[:rank]), v.dtype)

    def masked(self):
        v = self.tensor()
        chosen = v.a[v.a.real > 0]
        row = v.a.ndim == 2 and v.a.shape[0] == 1
        part = "re(%s)" % v.text if v.dtype in COMPLEX else v.text
        return Value("%s[%s > 0]" % (v.text, part),
                     chosen.reshape(1, -1) if row else chosen, v.dtype)

    def reshaped(self):
        v = self.tensor()
        if not v.a.size:
            return None
        if self.rng.random() < 0.2:
            return Value("vec(%s)" % v.text, v.a.reshape(-1), v.dtype)
        shape, rest = [], v.a.size
        for _ in range(self.rng.randint(0, RANK - 1)):
            shape.append(self.rng.choice([n for n in range(1, 34) if rest % n == 0]))
            rest //= shape[-1]
        shape.insert(self.rng.randint(0, len(shape)), rest)
        return Value("reshape(%s, %s)" % (v.text, ", ".join(map(str, shape))),
                     v.a.reshape(shape), v.dtype)

    def transposed(self):
        v = self.pick(lambda v: v.a.ndim in (1, 2))
        if not v:
            return None
        a = v.a.reshape(1, -1) if v.a.ndim == 1 else v.a.T
        if v.a.ndim == 2 and v.a.shape[0] == 1:     # a row gives a column
            a = a.reshape(-1)
        if v.dtype in COMPLEX and self.rng.random() < 0.5:
            return Value(v.text + ".'", a, v.dtype)
        return Value(v.text + "'", np.conj(a), v.dtype)

    def joined(self):
        """Parts below each other, or side by side."""
        v = self.tensor()
        axis = self.rng.randint(0, 1)
        rank = max(v.a.ndim, axis + 1)

        def rest(w):
            s = to_rank(w.a, rank).shape
            return s[:axis] + s[axis + 1:]
        parts = [v] + [self.pick(lambda w: w.a.ndim == v.a.ndim and rest(w) == rest(v))
                       for _ in range(self.rng.randint(1, 2))]
        dtype = parts[0].dtype
        for w in parts:
            dtype = promote(dtype, w.dtype)
        if not all(fits(w.a, dtype) and w.a.size for w in parts):
            return None
        a = np.concatenate([to_rank(w.a, rank) for w in parts], axis)
        return Value("[%s]" % "; , "[2 * axis:][:2].join(w.text for w in parts), a, dtype)

    # -- statements -----------------------------------------------------------------

    def assign_part(self):
        """A number, a value, or another part of the same, put into a part."""
        name = self.rng.choice(list(self.vars))
        v = self.vars[name]
        if v.dtype == "bool" or not v.a.ndim or not v.a.size:
            return None
        counts = [self.part(n) for n in v.a.shape]
        to = [self.run(n, c) for n, c in zip(v.a.shape, counts)]
        source = self.pick(lambda w: list(w.a.shape) == counts and w.dtype == v.dtype)
        if source and self.rng.random() < 0.7:
            value, text = source.a, source.text
        elif self.rng.random() < 0.5:
            value = self.rng.randint(-5, 5)
            text = str(value)
        else:
            parts = [self.run(n, c) for n, c in zip(v.a.shape, counts)]
            value = v.a[np.ix_(*[i for _, i in parts])]
            text = "%s[%s]" % (name, ", ".join(t for t, _ in parts))
        if not fits(np.asarray(value), v.dtype):
            return None
        a, at = v.a.copy(), np.ix_(*[i for _, i in to])
        sign = self.rng.choice(["=", "=", "+="])
        a[at] = value if sign == "=" else a[at] + value
        if not fits(a, v.dtype):
            return None
        self.vars[name] = Value(name, a, v.dtype)
        return "%s[%s] %s %s" % (name, ", ".join(t for t, _ in to), sign, text)

    OPS = ["elementwise", "elementwise", "elementwise", "beside_number", "unary", "logic",
           "where", "cast", "reduction", "reduction", "reduction", "product", "sliced",
           "sliced", "sliced", "masked", "reshaped", "transposed", "joined"]

    def statement(self):
        if self.rng.random() < 0.15:
            return self.assign_part()
        v = getattr(self, self.rng.choice(self.OPS))()
        if v is None or v.a.size > MOST or v.a.ndim > RANK or not fits(v.a, v.dtype):
            return None
        name = "v%d" % self.count
        self.count += 1
        line = "%s = %s" % (name, v.text)
        v.text = name
        self.vars[name] = v
        return line

    def build(self):
        self.add_inputs()
        self.lines.insert(0, ":strategy " + self.rng.choice(STRATEGIES))
        statements = [self.statement() for _ in range(self.rng.randint(10, 40))]
        self.lines += test_random.in_blocks(self.rng, [s for s in statements if s])
        # what is not wanted need not be stored
        self.wanted = [name for name in self.vars if self.rng.random() < 0.6]
        return self


if __name__ == "__main__":
    sys.exit(test_random.main(Cubes, 1000))
