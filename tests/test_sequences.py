#!/usr/bin/env python3
"""The paper's eleven sequences and its two printed scripts, exactly.

    tests/test_sequences.py [--target cpu|cuda] [--sizes 1,31,...] [--fusible PATH]

Inputs are integers in -1..1 made by the same formula in Fusible and here; every
partial sum of every order is below 2^24 (checked), so f32 results must be equal
bit for bit to the reference, and two runs must agree. Kernel counts are checked
as the plan reports them. The last line is `N passed, N failed`.
"""
import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # others would only wait for memory
import numpy as np  # noqa: E402

from score import Score  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LARGE = 1 << 20  # elements of a matrix: from here on one trip pays on every GPU
PIECE = 32       # rows at a time: more would be memory that is new every time
SIZES = "1,31,32,33,1000,4096,16384,5000x3"

# The statements of the sequences as everything in bench/ has them, with numbers for
# which the data are exact in the place of theirs.
with open(os.path.join(ROOT, "bench", "sequences.def"), encoding="utf-8") as table:
    TEXTS = {name: text.rstrip(";").replace("0.5", "alpha").replace("0.25", "beta")
             for name, text in re.findall(
                 r'SEQUENCE\(\w+, "(\w+)",.*?"([^"]*)", \d, \d\)\n', table.read(), re.S)}

# name: inputs, results, kernels at most (where the sizes let it fuse)
KINDS = {
    "AXPYDOT": ("w:n v:n u:n", "z r", 1),
    "ATAX": ("A:mn x:n", "y", 1),
    "BiCGK": ("A:mn p:n r:m", "q s", 1),
    "SGEMV": ("A:mn x:n y:m", "z", 1),
    "SGEMVT": ("A:mn y:m z:n", "x w", 2),
    "SSCAL": ("x:n", "y", 1),
    "GEMVER": ("A:mn u1:m v1:n u2:m v2:n y:m z:n", "B x w", 2),
    "GESUMMV": ("A:mn B:mn x:n", "y", 1),
    "MADD": ("A:mn B:mn", "C", 1),
    "VADD": ("w:n y:n z:n", "x", 1),
    "WAXPBY": ("x:n y:n", "w", 1),
}
# name: inputs, statements, results, kernels at most
SEQUENCES = {name: (KINDS[name][0], text, *KINDS[name][1:])
             for name, text in TEXTS.items()}
for paper, name in (("bicgk", "BiCGK"), ("gemver", "GEMVER")):
    SEQUENCES["paper " + name] = (KINDS[name][0],
                                  'import "%s/examples/paper/%s.fs"' % (ROOT, paper),
                                  *KINDS[name][1:])
ALPHA, BETA = 2, -1


def hashed(h):
    """Numbers below 65521 in no order."""
    h = h % 65521
    return (h * h + 12345) % 65521


class Data:
    """The named inputs of one size, made once and used by all sequences."""

    def __init__(self, m, n):
        self.m, self.n, self.made, self.known = m, n, {}, {}

    def get(self, name, kind):
        key = (name, kind)
        if key not in self.made:
            salt = sum(map(ord, name))
            i = hashed(7919 * np.arange(1, (self.n if kind == "n" else self.m) + 1) + 7 * salt)
            if kind == "mn":
                i, j = i.astype(np.int32), hashed(104729 * np.arange(1, self.n + 1))
                a = np.empty((self.m, self.n), np.float32)
                for k in range(0, self.m, PIECE):
                    a[k:k + PIECE] = (i[k:k + PIECE, None] ^ j.astype(np.int32)) % 3 - 1
                self.made[key] = a
            else:
                self.made[key] = (i % 3 - 1).astype(np.float32)
        return self.made[key]

    def reference(self, name):
        """reference() of a sequence, which the paper's script of it shares."""
        name = name.replace("paper ", "")
        if "paper " + name not in SEQUENCES:
            return reference(name, self)
        if name not in self.known:
            self.known[name] = reference(name, self)
        return self.known[name]

    @staticmethod
    def text(name, kind):
        salt = sum(map(ord, name))
        if kind == "mn":
            return ("%s = f32(mod(bitxor(i32(hashed(7919*I + %d)), i32(hashed(104729*J'))), 3) - 1);"
                    % (name, 7 * salt))
        return "%s = f32(mod(hashed(7919*%s + %d), 3) - 1);" % (
            name, "J" if kind == "n" else "I", 7 * salt)


def dot(a, b):
    """a @ b exactly, and the bound on every partial sum. Pieces keep it small."""
    if a.ndim == 1:
        return (a.astype(np.float64) @ b.astype(np.float64),
                np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64)))
    out = np.empty(a.shape[0])
    g = np.empty(a.shape[0])
    for k in range(0, a.shape[0], PIECE):
        part = a[k:k + PIECE].astype(np.float64)
        out[k:k + PIECE] = part @ b
        g[k:k + PIECE] = np.abs(part) @ np.abs(b)
    return out, g


def tdot(a, b):
    """a.T @ b, likewise."""
    out = np.zeros(a.shape[1])
    g = np.zeros(a.shape[1])
    for k in range(0, a.shape[0], PIECE):
        part = a[k:k + PIECE].astype(np.float64)
        out += part.T @ b[k:k + PIECE]
        g += np.abs(part).T @ np.abs(b[k:k + PIECE])
    return out, g


def reference(name, d):
    """The results by name, and the largest partial sum."""
    g = [0.0]

    def track(pair):
        g.append(float(np.max(pair[1])))
        return pair[0]

    def v(x, kind):
        return d.get(x, kind)

    if name == "AXPYDOT":
        z = v("w", "n") - ALPHA * v("v", "n")
        return {"z": z, "r": track(dot(z, v("u", "n")))}, g
    if name == "ATAX":
        a = v("A", "mn")
        return {"y": track(tdot(a, track(dot(a, v("x", "n")))))}, g
    if name == "BiCGK":
        a = v("A", "mn")
        return {"q": track(dot(a, v("p", "n"))), "s": track(tdot(a, v("r", "m")))}, g
    if name == "SGEMV":
        return {"z": ALPHA * track(dot(v("A", "mn"), v("x", "n"))) +
                BETA * v("y", "m")}, g
    if name == "SGEMVT":
        a = v("A", "mn")
        x = BETA * track(tdot(a, v("y", "m"))) + v("z", "n")
        return {"x": x, "w": ALPHA * track(dot(a, x))}, g
    if name == "SSCAL":
        return {"y": ALPHA * v("x", "n")}, g
    if name == "GEMVER":
        b = v("A", "mn").copy()
        for k in range(0, d.m, PIECE):
            b[k:k + PIECE] += (np.outer(v("u1", "m")[k:k + PIECE], v("v1", "n")) +
                               np.outer(v("u2", "m")[k:k + PIECE], v("v2", "n")))
        x = BETA * track(tdot(b, v("y", "m"))) + v("z", "n")
        return {"B": b, "x": x, "w": ALPHA * track(dot(b, x))}, g
    if name == "GESUMMV":
        x = v("x", "n")
        return {"y": ALPHA * track(dot(v("A", "mn"), x)) +
                BETA * track(dot(v("B", "mn"), x))}, g
    if name == "MADD":
        return {"C": v("A", "mn") + v("B", "mn")}, g
    if name == "VADD":
        return {"x": v("w", "n") + v("y", "n") + v("z", "n")}, g
    return {"w": ALPHA * v("x", "n") + BETA * v("y", "n")}, g


def script(folder, run, m, n, names):
    out = ["function hashed(h)", "  h = mod(h, 65521)",
           "  return mod(h.*h + 12345, 65521)", "end",
           "I = i64(1:%d); J = i64(1:%d);" % (m, n)]
    big = m * n > 5000 * 5000
    matrices = set()  # those that are there: no sequence changes its inputs
    for name in names:
        inputs, text, results, _ = SEQUENCES[name]
        out.append("alpha = %d; beta = %d;" % (ALPHA, BETA))
        for item in inputs.split():
            if item not in matrices:
                out.append(Data.text(*item.split(":")))
            if item.endswith(":mn"):
                matrices.add(item)
        if text.startswith("import"):
            out.append(text)
        else:
            out.append("begin\n  %s;\nend" % text.replace("; ", ";\n  "))
        for r in results.split():
            path = os.path.join(folder, "%s_%s_%d.npy" % (name, r, run))
            value = r
            if big and r in ("B", "C"):   # a matrix of 1 GiB: part, and row sums
                value = "%s[1:64, :]" % r
                sums = path.replace(".npy", "_sums.npy")
                out.append('save("%s", vec(sum(%s, 2)));' % (sums, r))
            out.append('save("%s", %s);' % (path, value))
        matrices -= {r + ":mn" for r in results.split()}
        out.append("".join(
            "%s = 0; " % x.split(":")[0] for x in inputs.split() if x not in matrices) +
            " ".join("%s = 0;" % r for r in results.split()))
    return "\n".join(out) + "\n"


def run_script(opt, text, folder):
    path = os.path.join(folder, "sequences.fs")
    with open(path, "w") as f:
        f.write(text)
    env = {k: v for k, v in os.environ.items() if k != "OPENBLAS_NUM_THREADS"}
    if opt.target == "cpu":  # how many kernels there are is to follow from the rules
        env["FUSIBLE_REFERENCE_DEVICE"] = "1"
    r = subprocess.run([opt.fusible, "--no-rc", "--json", "--target", opt.target, path],
                       capture_output=True, text=True, errors="replace", env=env)
    plans = []
    for line in r.stdout.splitlines():
        try:
            e = json.loads(line)
        except ValueError:
            continue
        if e.get("event") == "plan":
            plans.append(e)
        if e.get("event") == "diagnostic" and e.get("severity") == "error":
            print(e.get("rendered", e))
    if r.returncode:
        print("exit code", r.returncode, r.stderr[-2000:])
    return plans


def squeeze(text):
    return "".join(text.split())


def kernels_of(plans, text):
    want = squeeze(text).split(";")
    for p in plans:
        does = squeeze(";".join(k["does"] for k in p["kernels"]))
        if all(w in does for w in want):
            return len(p["kernels"])
    return None


def check_results(score, name, d, folder, size):
    want, g = d.reference(name)
    score.check(max(g) < 2 ** 24, "%s at %s: the data is not exact" % (name, size))
    for r in SEQUENCES[name][2].split():
        path = os.path.join(folder, "%s_%s_%%d.npy" % (name, r))
        if not os.path.exists(path % 0):
            score.check(False, "%s at %s: no result %s" % (name, size, r))
            continue
        a = np.load(path % 0)
        same = os.path.exists(path % 1) and \
            np.array_equal(a, np.load(path % 1))
        score.check(same, "%s at %s: two runs of %s differ" % (name, size, r))
        w = np.asarray(want[r])
        sums = path % 0
        sums = sums.replace(".npy", "_sums.npy")
        if os.path.exists(sums):
            score.check(np.array_equal(np.load(sums), w.sum(axis=1, dtype=np.float64)),
                        "%s at %s: row sums of %s" % (name, size, r))
            w = w[:64]
        score.check(a.dtype == np.float32 and a.size == w.size and
                    np.array_equal(a.reshape(-1), w.reshape(-1)),
                    "%s at %s: %s is wrong" % (name, size, r))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--target", default="cpu")
    ap.add_argument("--sizes", default=os.environ.get("SIZES", SIZES))
    ap.add_argument("--fusible", default=os.path.join(
        os.environ.get("BUILD", os.path.join(ROOT, "build")), "fusible"))
    opt = ap.parse_args()
    score = Score()
    score.check(TEXTS.keys() == KINDS.keys(), "all sequences are here", list(TEXTS))
    for size in opt.sizes.split(","):
        m, n = (int(x) for x in (size.split("x") * 2)[:2])
        d = Data(m, n)
        with tempfile.TemporaryDirectory() as folder:
            for run in range(2):
                plans = run_script(opt, script(folder, run, m, n, SEQUENCES), folder)
            for name, (_, text, _, most) in SEQUENCES.items():
                check_results(score, name, d, folder, size)
                if text.startswith("import"):
                    continue
                k = kernels_of(plans, text)
                if opt.target != "cpu" and m * n < LARGE:
                    most = math.inf  # launches may be worth more than bytes
                score.check(k is not None and k <= most,
                            "%s at %s takes %s kernels" % (name, size, k))
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
