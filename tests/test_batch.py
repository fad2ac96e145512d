#!/usr/bin/python3
"""Products, solves and factorisations of batches beside numpy.

Arrays of whole numbers, whose products must be numpy's, of all types, with batches that are
repeated, transposed and sliced operands, extents of 0 and 1; solves, inverses, determinants and
factorisations, each within a bound of what it says of its matrix. On the CPU, and, unless
--target says otherwise, on the fake GPU with and without its library.

    tests/test_batch.py [--target cpu|fake|both]

The last line is `N passed, N failed`.
"""
import argparse
import os
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, 'fake')]
import fakegpu  # noqa: E402
from score import Score, folder  # noqa: E402

score = Score()
HOME = folder('batch')
UNIT = {'f32': 2. ** -24, 'f64': 2. ** -53}
NUMPY = {'f32': np.float32, 'f64': np.float64, 'i32': np.int32, 'i64': np.int64, 'u8': np.uint8}


def run_program(text, target):
    path = os.path.join(HOME, 'program.fs')
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)
    if target == 'library':
        env = fakegpu.environment(HOME, FUSIBLE_CUBLAS=os.path.join(fakegpu.FAKE, 'cublas.so'))
        return fakegpu.run(['--no-rc', '--target', 'cuda', path], env)
    return fakegpu.run_script(text, target, HOME)


class Program:
    """Statements, and checks of what their names hold."""

    def __init__(self, what):
        self.what, self.data, self.lines, self.checks = what, {}, [], []

    def array(self, a, of=None):
        name = f'a{len(self.data)}'
        self.data[name] = a
        self.lines.append(f'{name} = {of or ""}(load(path, "{name}"));')
        return name

    def give(self, expression, check, what=None):
        name = f'r{len(self.checks)}'
        self.lines.append(f'{name} = {expression};')
        self.checks.append((name, check, what or expression))

    def run(self, target):
        path, out = os.path.join(HOME, 'in.npz'), os.path.join(HOME, 'out.npz')
        np.savez(path, **self.data)
        if os.path.exists(out):
            os.remove(out)
        names = ', '.join(c[0] for c in self.checks)
        text = '\n'.join([f'path = "{path}";'] + self.lines + [f'save("{out}", {names})']) + '\n'
        done = run_program(text, target)
        if done.returncode != 0 or not os.path.exists(out):
            score.check(False, f'{self.what} runs on {target}', done.stdout + done.stderr + text)
            return
        with np.load(out) as f:
            for name, check, what in self.checks:
                wrong = check(f[name])
                score.check(not wrong, f'{self.what}, {what} on {target}', str(wrong))


def whole(shape, seed, most=3):
    return np.random.RandomState(seed).randint(-most, most + 1, shape)


def equal(want):
    def check(got):
        want_ = np.asarray(want)
        return None if got.size == want_.size and np.array_equal(
            got.reshape(want_.shape).astype('f8'), want_.astype('f8')) else (got, want_)
    return check


def is_within(want, bound):
    """`bound` is by component, or one for all."""
    def check(got):
        want_ = np.asarray(want)
        if got.size != want_.size:
            return got.shape, want_.shape
        off = np.abs(got.reshape(want_.shape).astype('f8') - want_) - bound
        return None if (off <= 0).all() else float(off.max())
    return check


# Of both operands, as numpy's matmul takes them.
SHAPES = [((5, 3, 3), (5, 3, 3)), ((6, 1, 20), (20, 30)), ((30, 20), (6, 20, 1)), ((2, 3, 1, 9), (9, 7)),
          ((2, 9, 7), (3, 1, 7, 1)), ((9, 7), (2, 3, 7, 1)), ((40, 8, 8), (8, 8)), ((8, 8), (40, 8, 7)), ((50, 2, 5), (50, 5, 4)), ((7, 2, 3), (3, 4)), ((2, 3), (7, 3, 4)), ((4, 1, 3), (4, 3, 1)),
          ((3, 1, 8, 33), (4, 33, 8)), ((2, 31, 31), (2, 31, 31)), ((2, 33, 31), (2, 31, 33)),
          ((3, 8, 8), (8,)), ((8,), (3, 8, 8)), ((2, 3, 4, 5, 6, 2), (2, 3, 4, 5, 2, 3)),
          ((2, 1, 2, 2, 3, 4), (2, 2, 1, 1, 4, 2)), ((6, 1, 1), (6, 1, 5)), ((5, 4, 1), (5, 1, 3)),
          ((2, 64, 40), (2, 40, 70)), ((300, 3, 3), (300, 3, 3)), ((1, 3, 3), (4, 3, 3)),
          ((0, 3, 3), (0, 3, 2)), ((3, 0, 2), (3, 2, 4)), ((3, 2, 0), (3, 0, 2)), ((3, 2, 2), (2, 0))]


def products(of):
    p = Program(f'products of {of}')
    for k, (a_shape, b_shape) in enumerate(SHAPES):
        a, b = whole(a_shape, 2 * k), whole(b_shape, 2 * k + 1)
        if of == 'u8':
            a, b = abs(a), abs(b)
        dtype = NUMPY.get(of, np.float32)
        x, y = p.array(a.astype(dtype), of), p.array(b.astype(dtype), of)
        p.give(f"{x}'*{y}" if len(a_shape) == 1 else f'{x}*{y}', equal(a @ b), f'{a_shape} x {b_shape}')
        if len(a_shape) > 2 and len(b_shape) > 2:
            turned = np.swapaxes(a @ b, -1, -2)
            p.give(f"{y}'*{x}'", equal(turned), f'transposed {a_shape} x {b_shape}')
            p.give(f"({x}*{y})'", equal(turned), f'the transpose of {a_shape} x {b_shape}')
    a, b = whole((6, 8, 10), 90), whole((6, 10, 12), 91)
    x, y = (p.array((abs(v) if of == 'u8' else v).astype(NUMPY.get(of, np.float32)), of) for v in (a, b))
    a, b = (abs(a), abs(b)) if of == 'u8' else (a, b)
    p.give(f'{x}[1:2:end, 2:end, :]*{y}[2:2:end, :, end:-1:3]', equal(a[::2, 1:] @ b[1::2, :, :1:-1]), 'parts')
    p.give(f'{x}[:, 1, :]*{y}[1, :, :]', equal(a[:, :1] @ b[0]), 'rows apart')
    p.give(f"{y}[1, :, :]'*permute({x}[:, 2, :], [1, 3, 2])", equal(b[0].T @ np.swapaxes(a[:, 1:2], 1, 2)), 'columns')
    p.give(f'permute({x}, [2, 1, 3])*{y}[1, :, :]', equal(np.swapaxes(a, 0, 1) @ b[0]), 'permuted')
    if of not in ('bf16', 'f16'):
        p.give(f'exp(0*({x}*{y})) + {x}*{y}', equal(1 + a @ b), 'fused')
        for letters in ('bij,bjk->bik', 'bij,bjk->ikb', 'bij,bjk->kbi', 'bij,bjk', 'bij,bjk->b', 'bij,bjk->ik'):
            p.give(f'einsum("{letters}", {x}, {y})', equal(np.einsum(letters, a, b)), letters)
        p.give(f'einsum("bij,bjk,bkl,bl->bi", {x}, {y}, {y}\', squeeze({x}[:, 1, :]))',
               equal(np.einsum('bij,bjk,bkl,bl->bi', a, b, np.swapaxes(b, 1, 2), a[:, 0])), 'four')
    return p


def well(shape, seed, dtype):
    """Matrices that are far from singular, and whose rows must be exchanged."""
    a = np.random.RandomState(seed).uniform(-1, 1, shape)
    n = shape[-1]
    return (a + 2 * np.eye(n)[::-1] * n ** .5).astype(dtype)


def solved(a, b, unit):
    """The backward error of a solution, by component."""
    def check(x):
        a_, b_ = a.astype('f8'), b.astype('f8')
        want = np.broadcast_shapes(a.shape[:-2], b.shape[:-2]) + (a.shape[-1], b.shape[-1])
        x_ = x.astype('f8').reshape(want)
        off = np.abs(a_ @ x_ - b_) / (np.abs(a_) @ np.abs(x_) + np.abs(b_))
        n = a.shape[-1]
        return None if (off <= 8 * n * n * unit).all() else float(off.max() / unit)
    return check


def solves(of):
    p = Program(f'solves in {of}')
    unit, dtype = UNIT[of], NUMPY[of]
    for k, n in enumerate((1, 2, 3, 4, 5, 8, 9, 16, 31, 33)):
        a, b = well((7, n, n), k, dtype), well((7, n, n), 50 + k, dtype)
        x, y = p.array(a), p.array(b)
        p.give(f'{x}\\{y}', solved(a, b, unit), f'{n} x {n}')
        p.give(f'{x}\\{y}[:, :, 1:1]', solved(a, b[:, :, :1], unit), f'{n} x {n}, a column')
        p.give(f'{x}\\reshape({y}[1, :, 1], {n})', solved(a, b[:1, :, :1], unit), f'{n} x {n}, one column')
        p.give(f'{x}[1, :, :]\\{y}', solved(a[0], b, unit), f'{n} x {n}, one matrix')
        p.give(f"({y}/{x})'", solved(np.swapaxes(a, 1, 2), np.swapaxes(b, 1, 2), unit), f'{n} x {n}, from the right')
        p.give(f"{x}'\\{y}", solved(np.swapaxes(a, 1, 2), b, unit), f'{n} x {n}, transposed')
        p.give(f'inv({x})', solved(a, np.broadcast_to(np.eye(n), a.shape), unit * 64), f'inverse of {n} x {n}')
        det = np.linalg.det(a.astype('f8'))
        p.give(f'det({x})', is_within(det, 64 * n * n * unit * np.abs(det)), f'det of {n} x {n}')
        s = a.astype('f8') @ np.swapaxes(a, 1, 2)
        s = ((s + np.swapaxes(s, 1, 2)) / 2).astype(dtype)
        z = p.array(s)
        largest = np.abs(s).max()
        p.give(f"chol({z})'*chol({z})", is_within(s, 16 * n * unit * largest), f'chol of {n} x {n}')
        p.give(f'chol({z})', is_within(np.swapaxes(np.linalg.cholesky(s.astype('f8')), 1, 2),
                                       (4e4 * n * unit) * largest), f'chol itself of {n} x {n}')
        p.give(f'eigvals({z})', is_within(np.linalg.eigvalsh(s.astype('f8')), 16 * n * unit * largest * n),
               f'eigvals of {n} x {n}')
        p.give(f'svd({x})', is_within(np.linalg.svd(a.astype('f8'), compute_uv=False),
                                      16 * n * unit * n), f'svd of {n} x {n}')
        p.give(f'trace({x})', is_within(np.trace(a.astype('f8'), axis1=1, axis2=2), 4 * n * n * unit), 'trace')
    a = np.random.RandomState(99).uniform(-1, 1, (2, 3, 6, 4)).astype(dtype)
    x = p.array(a)
    p.lines.append(f'Q, R = qr({x}); U, s, V = svd({x}); L, M, o = lu({x});')
    p.give('Q*R', is_within(a.astype('f8'), 40 * unit * 4), 'qr')
    p.give("Q'*Q", is_within(np.broadcast_to(np.eye(4), (2, 3, 4, 4)), 40 * unit * 4), 'Q')
    p.give('einsum("abij,abj,abkj->abik", U, s, V)', is_within(a.astype('f8'), 40 * unit * 4), 'svd')
    p.give('einsum("abij,abjk->abik", L, M)', is_within(np.zeros(a.shape), 4), 'lu')
    b = np.random.RandomState(98).uniform(-1, 1, (3, 6, 2)).astype(dtype)
    y = p.array(b)
    least = np.linalg.pinv(a.astype('f8')) @ b.astype('f8')
    p.give(f'{x}\\{y}', is_within(least, 2000 * unit), 'least squares')
    return p


def complexes():
    p = Program('complex')
    a, b = whole((4, 3, 3), 1) + 6 * np.eye(3), whole((4, 3, 3), 2)
    c, d = whole((4, 3, 3), 3), whole((4, 3, 2), 4)
    n = [p.array(v.astype('f8')) for v in (a, b, c, d)]
    p.lines.append(f'A = complex({n[0]}, {n[1]}); B = complex({n[2]}, {n[0]}); D = complex({n[3]}, 2*{n[3]});')
    z, w, v = a + 1j * b, c + 1j * a, d + 2j * d
    p.lines.append("P = A*B; Q = A'; X = A\\D; I = inv(A); Y = A\\ones(3);")
    for name, want in (('P', z @ w), ('Q', np.conj(np.swapaxes(z, 1, 2))), ('X', np.linalg.solve(z, v)),
                       ('I', np.linalg.inv(z)), ('Y', np.linalg.solve(z, np.ones((4, 3, 1))))):
        for part in ('re', 'im'):
            p.give(f'{part}({name})', is_within(want.real if part == 're' else want.imag, 1e-12))
    det = np.linalg.det(z)
    p.give('re(det(A))', is_within(det.real, 1e-12 * np.max(np.abs(det))), 'det')
    p.give('im(det(A))', is_within(det.imag, 1e-12 * np.max(np.abs(det))), 'det')
    p.give('svd(A)', is_within(np.linalg.svd(z, compute_uv=False), 1e-12), 'svd')
    p.give('svd(D)', is_within(np.linalg.svd(v, compute_uv=False), 1e-12), 'svd of tall ones')
    p.give("eigvals(A + A')", is_within(np.linalg.eigvalsh(z + np.conj(np.swapaxes(z, 1, 2))), 1e-12), 'eigvals')
    p.give('svd(A[2:3, 2:2, 2:3])', is_within(np.linalg.svd(z[1:3, 1:2, 1:3], compute_uv=False), 1e-12), 'of one row')
    return p


def values(data, lines, names, target, what):
    """What a program leaves in names, in both parts; None: it failed."""
    path, out = os.path.join(HOME, 'in.npz'), os.path.join(HOME, 'out.npz')
    np.savez(path, **{f'{k}_{part}': getattr(a, part) for k, a in data.items() for part in ('real', 'imag')})
    text = [f'{k} = load("{path}", "{k}_real");' if a.dtype.kind == 'f' else
            f'{k} = complex(load("{path}", "{k}_real"), load("{path}", "{k}_imag"));' for k, a in data.items()]
    text += lines + [f'{n}_{part} = {part}({n});' for n in names for part in ('re', 'im')]
    text += [f'save("{out}", ' + ', '.join(f'{n}_{part}' for n in names for part in ('re', 'im')) + ')']
    if os.path.exists(out):
        os.remove(out)
    done = run_program('\n'.join(text) + '\n', target)
    score.check(done.returncode == 0 and os.path.exists(out), f'{what} runs on {target}', done.stderr + '\n'.join(text))
    if done.returncode or not os.path.exists(out):
        return None
    with np.load(out) as f:
        return {n: f[f'{n}_re'] + 1j * f[f'{n}_im'] for n in names}


def norm_of(a):
    return np.abs(a).max() if a.size else 0.


def hermitian(z):
    return np.conj(np.swapaxes(z, -1, -2))


def near(off, bound, what, target):
    size = norm_of(off)
    score.check(size <= bound, f'{what} on {target}', f'{size} > {bound}')


def eigens(of, target):
    """eig and schur of one and of batches: real, symmetric, some of them, complex, Hermitian; within a bound
    of what they say of their matrix."""
    g, unit, dtype = np.random.RandomState(11), UNIT[of], NUMPY[of]
    for n in (0, 1, 2, 3, 8, 33):
        for count in ((), (4,), (2, 3), (0,)):
            a, b = (g.uniform(-1, 1, count + (n, n)).astype(dtype) for _ in range(2))
            s = a + np.swapaxes(a, -1, -2)
            some = s.copy()
            some[-1:] = a[-1:]
            kinds = {'a': a, 's': s, 'm': some, 'z': a + 1j * b, 'h': s + 1j * (b - np.swapaxes(b, -1, -2))}
            lines, names = [], []
            for k in kinds:
                lines += [f'{k}d, {k}V = eig({k}); {k}e = eig({k}); {k}U, {k}T = schur({k}); {k}t = schur({k});']
                names += [k + r for r in ('d', 'V', 'e', 'U', 'T', 't')]
            got = values(kinds, lines, names, target, f'eig of {count} of {n}')
            bound = 60 * max(n, 1)**2 * unit
            for k, z in kinds.items() if got else ():
                what = f'{of} {k} of {count} of {n}'
                d, V, e, U, T, t = (got[k + r] for r in ('d', 'V', 'e', 'U', 'T', 't'))
                fits = d.shape == e.shape == z.shape[:-1] and V.shape == U.shape == T.shape == z.shape
                score.check(fits, f'extents of {what} on {target}', (d.shape, V.shape, T.shape))
                if not fits:
                    continue
                near(z @ V - V * d[..., None, :], 4 * bound, f'V of {what}', target)
                near(np.linalg.norm(V, axis=-2) - 1, bound, f'lengths of {what}', target)
                near(np.sort_complex(d) - np.sort_complex(e), 60 * bound, f'values of {what}', target)
                near(z @ U - U @ T, bound, f'schur of {what}', target)
                near(hermitian(U) @ U - np.eye(n), bound, f'U of {what}', target)
                near(T - t, 0, f'T alone of {what}', target)
                if k in 'sh':
                    near(d - np.linalg.eigvalsh(z), bound, f'order of {what}', target)
                    near(hermitian(V) @ V - np.eye(n), bound, f'orthonormal V of {what}', target)


def complex_svd(of, target):
    g, unit, dtype = np.random.RandomState(13), UNIT[of], NUMPY[of]
    for m, n in ((1, 1), (1, 4), (5, 1), (2, 2), (3, 5), (33, 17), (17, 40), (0, 3), (3, 0)):
        for count in ((), (4,), (2, 3), (0,)):
            a, b = (g.uniform(-1, 1, count + (m, n)).astype(dtype) for _ in range(2))
            z, k, size = a + 1j * b, min(m, n), max(m, n)
            low = z.copy()  # of rank 1
            low[...] = z[..., :, :1] @ z[..., :1, :] if k else 0
            lines = ['U, s, V = svd(z); W, r = svd(z); v = svd(z); P, l, Q = svd(low);']
            if not count and k:
                lines += ['p = pinv(z);']
            names = ['U', 's', 'V', 'W', 'r', 'v', 'P', 'l', 'Q'] + ['p'] * (not count and k > 0)
            got = values({'z': z, 'low': low}, lines, names, target, f'svd of {count} of {m} x {n}')
            bound = 20 * size**2 * unit
            for x, (u, d, w) in ((z, 'UsV'), (low, 'PlQ')) if got else ():
                what = f'{of} {u} of {count} of {m} x {n}'
                u, d, w = got[u], got[d], got[w]
                score.check(u.shape == count + (m, k) and d.shape == count + (k,) and w.shape == count + (n, k),
                            f'extents of {what} on {target}', (u.shape, d.shape, w.shape))
                near((u * d[..., None, :]) @ hermitian(w) - x, bound, what, target)
                near(hermitian(u) @ u - np.eye(k), bound, f'U of {what}', target)
                near(hermitian(w) @ w - np.eye(k), bound, f'V of {what}', target)
                near(d - np.linalg.svd(x, compute_uv=False), bound, f'values of {what}', target)
                if k:
                    most = np.take_along_axis(u, np.abs(u).argmax(-2)[..., None, :], -2)
                    near(most - np.abs(most), 4 * unit, f'the largest component of {what}', target)
            if got:
                near(got['U'] - got['W'], 0, 'two results', target)
                near(got['s'] - got['v'], bound, 'values alone', target)
                if 'p' in got:
                    near(got['p'].reshape(n, m) - np.linalg.pinv(z), 1000 * bound, f'pinv of {m} x {n}', target)


def singular(target):
    """The first that is so is named, whoever comes upon it."""
    for op, word in (('A\\ones(3)', 'singular: pivot 2 of 3'), ('inv(A)', 'singular: pivot 2 of 3'),
                     ('chol(A)', 'not positive definite: its leading 2x2')):
        for n in (3, 9):
            done = run_program(f'A = zeros(500, {n}, {n}) + reshape(eye({n}), 1, {n}, {n});\n'
                               f'A[101, 2, 2] = 0;\nA[400:500, :, :] = 0;\n:set time off\n'
                               f'x = {op.replace("3", str(n))};\ny = sum(x)\n', target)
            words = f'matrix 101 of the batch is {word.replace("of 3", f"of {n}")}'
            score.check(words in done.stderr and done.returncode == 1,
                        f'{op} of {n} x {n} names the first on {target}', done.stdout + done.stderr)


def again(target):
    """What failed once has not failed the next time, nor is a later failure missed, when the block
    runs without timers."""
    done = run_program('E = zeros(50, 2, 2) + reshape(eye(2), 1, 2, 2); Z = E; Z[3, :, :] = 0;\n'
                       'x = 7*ones(1, 1, 1);\nfor k = 1:90\n  A = E;\n'
                       '  if k == 2 || k == 85\n    A = Z;\n  end\n'
                       '  try\n    x = inv(A)*k;\n  catch e\n    print(k, ": ", e);\n  end\n'
                       '  if k > 83 && k < 88\n    print(x[1, 1, 1]);\n  end\nend\n', target)
    words = ': matrix 3 of the batch is singular: pivot 1 of 2 is zero'
    want = ['2' + words, '84', '85' + words, '84', '86', '87']
    score.check(done.stdout.split('\n')[:-1] == want, f'a failure does not stay on {target}',
                done.stdout + done.stderr)


def main():
    args = argparse.ArgumentParser()
    args.add_argument('--target', default='both', choices=['cpu', 'fake', 'both'])
    a = args.parse_args()
    targets = {'cpu': ['cpu'], 'fake': ['fake'], 'both': ['cpu', 'fake']}[a.target]
    programs = [products(of) for of in ('f32', 'f64', 'i32', 'i64', 'u8', 'bf16', 'f16')]
    programs += [solves('f32'), solves('f64'), complexes()]
    for target in targets:
        for p in programs:
            p.run(target)
        for of in ('f32', 'f64'):
            eigens(of, target)
            complex_svd(of, target)
        singular(target)
        again(target)
    if 'fake' in targets:
        products('f32').run('library')
        products('f64').run('library')
        solves('f32').run('library')
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
