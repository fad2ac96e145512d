#!/usr/bin/python3
"""Arrays of any shape beside NumPy: those without elements, and random programs.

    tests/test_arrays.py [--count N] [--first N] [--target cpu|cuda|fake]

The table below has what every function gives for arrays without elements: NumPy's answer, or
one error that says so. A function that docs/language.md lists must be in it.
"""
import argparse
import os
import random
import re
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path[:0] = [HERE, os.path.join(HERE, 'fake')]
import fakegpu  # noqa: E402
from score import Score  # noqa: E402

score = Score()
E, Z, T = np.zeros(0, 'f4'), np.zeros((0, 3), 'f4'), np.zeros((3, 0), 'f4')
S = np.zeros((0, 0), 'f4')
NAN, INF = np.float32('nan'), np.float32('inf')


def full(shape, value, dtype='f4'):
    return np.full(shape, value, dtype)


def none(*shape, dtype='f4'):
    return np.zeros(shape, dtype)


# Text and value; e is [], Z zeros(0, 3), T zeros(3, 0), S zeros(0, 0).
EMPTIES = [
    ('zeros(0)', E), ('ones(0, 3)', Z), ('fill(2, 3, 0)', T), ('rand(0)', E),
    ('randn(0, 3)', Z), ('eye(0)', S), ('eye(0, 3)', Z), ('linspace(0, 1, 0)', E),
    ('zeros(2, 0, 3, "f64")', none(2, 0, 3, dtype='f8')), ('f64([])', none(0, dtype='f8')),
    ('i32([])', none(0, dtype='i4')), ('f16(e)', none(0, dtype='f2')),
    ('[e; 1]', full(1, 1)), ('[e, e]', E), ('[1, 2, e]', np.array([1, 2], 'f4')),
    ('[ones(2, 2); e]', full((2, 2), 1)), ('[e, ones(2, 2)]', full((2, 2), 1)),
    ('[Z; 1, 2, 3]', np.array([[1, 2, 3]], 'f4')), ('[T, ones(3, 2)]', full((3, 2), 1)),
    ('[Z; Z]', Z), ('[T, T]', T), ("Z'", T), ('transpose(T)', Z),
    ('f32(3:2)', E), ('3:2 + 1', none(1, dtype='i8') + 3), ('(1:0)*2', none(0, dtype='i8')),
    # reductions
    ('sum(e)', np.float32(0)), ('prod(e)', np.float32(1)), ('any(e)', np.bool_(False)),
    ('all(e)', np.bool_(True)), ('mean(e)', NAN), ('sum(Z, 1)', full((1, 3), 0)),
    ('sum(Z, 2)', E), ('prod(Z, 1)', full((1, 3), 1)), ('any(Z, 1)', full((1, 3), 0, '?')),
    ('all(Z, 1)', full((1, 3), 1, '?')), ('mean(Z, 1)', full((1, 3), NAN)),
    ('mean(Z, 2)', E), ('sum(i32(Z), 1)', full((1, 3), 0, 'i8')),
    ('rowmax(Z)', E), ('colmax(T)', none(1, 0)), ('rowmin(Z)', E), ('colmin(T)', none(1, 0)),
    ('rowargmax(Z)', none(0, dtype='i8')), ('colargmax(T)', none(1, 0, dtype='i8')),
    ('rowargmin(Z)', none(0, dtype='i8')), ('colargmin(T)', none(1, 0, dtype='i8')),
    ('reduce("max", T, 1)', none(1, 0)), ('reduce("+", e)', np.float32(0)),
    ('var(e)', NAN), ('var(Z, 1)', full((1, 3), NAN)), ('var(Z, 2)', E), ('std(f64(e))', np.nan),
    ('logsumexp(e)', -INF), ('logsumexp(Z, 1)', full((1, 3), -INF)),
    ('reduce("var", Z, 1)', full((1, 3), NAN)), ('vsum(e)', np.float32(0)),
    ('vreduce("sum", e)', np.float32(0)), ('nnz(e)', np.int64(0)), ('trace(S)', np.float32(0)),
    ('norm(e)', np.float32(0)), ('norm(f64(Z))', np.float64(0)), ('norm1(e)', np.float32(0)),
    ('norm2(e)', np.float32(0)), ('normfro(S)', np.float32(0)), ('dot(e, e)', np.float32(0)),
    ('mse(e, e)', NAN), ('rmse(e, e)', NAN),
    # along lines
    ('cumsum(e)', E), ('scan("max", Z, 2)', Z), ('scan((a, b) -> a - b, T, 1)', T),
    ('cumsum(T, 1)', T), ('cumsum(Z)', E), ('cumprod(Z, 2)', Z),
    ('cummax(Z, 1)', Z), ('cummin(e)', E), ('sort(e)', E), ('sort(T, 1, "descend")', T),
    ('argsort(e)', none(0, dtype='i8')), ('unique(e)', E), ('diff(e)', E), ('diff([1])', E),
    ('diffrows(Z[[], :])', Z), ('diffcols(T)', T), ('median(T, 1)', none(1, 0)),
    ('quantile([1, 2], e)', E), ('trapz(e, e)', np.float32(0)),
    ('fft(e)', none(0, dtype='c8')), ('ifft(Z)', none(0, 3, dtype='c8')),
    ('rfft(T, [], 1)', none(2, 0, dtype='c8')), ('irfft(Z, 4)', full((4, 3), 0)),
    ('fft2(S)', none(0, 0, dtype='c8')), ('ifft2(Z)', none(0, 3, dtype='c8')), ('fftshift(e)', E),
    ('ifftshift(T)', T), ('fftfreq(0)', none(0, dtype='f8')), ('rfftfreq(2)', np.array([0, .5])), ('rolled(e, 1)', E),
    # products and what is solved
    ('Z*ones(3)', E), ('T*e', full(3, 0)), ("e'*e", np.float32(0)), ("e*e'", S),
    ('T*zeros(0, 2)', full((3, 2), 0)), ('ones(2, 3)*T', none(2, 0)), ('S*S', S), ('S^2', S),
    ('S^0', S), ('S\\e', E), ('T\\ones(3)', E), ('Z\\e', full(3, 0)), ('solve(S, zeros(0, 2))', none(0, 2)),
    ('inv(S)', S), ('chol(S)', S), ('eigvals(S)', E), ('eigvecs(S)', S), ('svdvals(Z)', E),
    ('det(S)', np.float32(1)), ('diag(e)', S), ('diag(S)', E), ('diag(T)', E), ('pinv(Z)', T),
    ('matrix_rank(Z)', np.int64(0)), ('orth(zeros(2, 2))', none(2, 0)),
    ('null([1, 2; 3, 4])', none(2, 0)), ('expm(S)', S), ('sqrtm(S)', S), ('logm(S)', S), ('kron(e, [1, 2])', E),
    ('triu(Z)', Z), ('tril(T)', T), ('toeplitz(e)', S), ('cov(Z)', full((3, 3), NAN)),
    # places
    ('x[3:2]', E), ('x[e]', E), ('x[x > 9]', E), ('A[[], :]', Z), ('A[:, x > 9]', T[:2]),
    ('A[2:1, 1]', E), ('A[1, 2:1]', none(1, 0)), ('A[e, [1, 2]]', none(0, 2)), ('A[A > 9]', E),
    ('A[:, 2:1]', none(2, 0)), ('Z[:, 1]', E), ('Z[:, [1, 3]]', none(0, 2)), ('e[:]', E),
    ('e[1:0]', E), ('Z[Z > 0]', E), ('find(e)', none(0, dtype='i8')),
    ('find([0, 0])', none(0, dtype='i8')), ('where(e > 1, e, e)', E), ('flip(e)', E),
    ('flipud(Z)', Z), ('fliplr(Z)', Z), ('circshift(e, 2)', E), ('circrows(Z, 1)', Z),
    ('circcols(T, 1)', T), ('repmat(e, 2)', none(0, 2)), ('repmat(A, 0)', S), ('vslice(2, 1, x)', E),
    # shapes
    ('reshape(e, 0, 3)', Z), ('reshape(Z, 3, 0)', T), ('vec(Z)', E), ('size(e)', np.array([0, 1])),
    ('size(Z, 2)', np.int64(3)), ('numel(Z)', np.int64(0)), ('length(Z)', np.int64(0)),
    ('vlength(e)', np.int64(0)), ('ndims(Z)', np.int64(2)), ('rank(e)', np.int64(1)),
    ('einsum("ij,jk->ik", T, Z)', full((3, 3), 0)), ('permute(Z, [2, 1])', T), ('squeeze(zeros(1, 0))', E), ('shard(Z)', Z), ('whole(Z)', Z), ('reshape(Z, [], 3)', Z),
    ('places(A, e, e)', none(0, dtype='i8')), ('diag(e, 1)', full((1, 1), 0)), ('diag(A, 5)', E),
    ('sum(Z, [1, 2])', np.float32(0)), ('norm2(Z, 1)', full((1, 3), 0, 'f4')), 
    ('zeros_like(Z)', Z), ('ones_like(e)', E), ('i8(e)', none(0, dtype='i1')), ('u32(e)', none(0, dtype='u4')),
    ('u64(e)', none(0, dtype='u8')),
    ('interp1([1, 2], [1, 2], e)', E), ('searchsorted(x, e)', none(0, dtype='i8')),
    ('isempty(Z)', np.bool_(True)), ('isempty(x)', np.bool_(False)), ('isempty(2)', np.bool_(False)),
    # element by element
    ('e + 1', E), ("Z + ones(1, 3)", Z), ('e == e', none(0, dtype='?')), ('map(t -> t^2, e)', E),
    ('vmap(t -> t + 1, e)', E), ('vzipWith((a, b) -> a*b, e, e)', E), ('softmax(Z)', Z),
    ('softmax(e)', E), ('relu(e)', E), ('sigmoid(e)', E), ('normcdf(e)', E), ('lerp(e, e, 0.5)', E),
    ('normalize(e)', E), ('center(Z)', Z), ('standardize(Z)', Z), ('polyval(e, x)', full(3, 0)),
    ('polyval([1, 2], e)', E), ('logspace(0, 1, 0)', E), ('randi(5, 0)', none(0, dtype='i8')),
    ('randi(5, 3, 0)', none(3, 0, dtype='i8')), ('randperm(0)', none(0, dtype='i8')),
    ('at_least_f32(f16(e))', E), ('rounded_like(e, f16(e))', none(0, dtype='f2')),
    ('as_mean(e, i64(e))', none(0, dtype='f8')), ('dtype(e) == "f32"', np.bool_(True)),
    ('string(e) == "f32[0]"', np.bool_(True)), ('jacobi(S, e, 3)', E),
    ('bool(Z)', none(0, 3, dtype='?')), ('i64(e)', none(0, dtype='i8')), ('f32(bf16(e))', E), ('f32(Z)', Z),
    ('i16(Z)', none(0, 3, dtype='i2')), ('u16(e)', none(0, dtype='u2')), ('u8(T)', none(3, 0, dtype='u1')),
    ('min(e, 1)', E), ('max(Z, Z)', Z), ('max(Z, [], 2)', E), ('erfinv(Z)', Z), ('factorial(e)', none(0, dtype='f8')),
    ('significant(S, e)', none(0, dtype='?')), ('corr(Z)', full((3, 3), NAN)), ('corr(T)', S), ('smooth_length(0)', np.int64(1)),
    ('of_eigenvalues(z -> z, e, S)', S), ('denman_beavers(S)', S), ('has_floats(e)', np.bool_(True)),
    ('norm_more(e, 1)', np.float32(0)), ('taps(e, x, 1, 2)', E),
    # complex ones
    ('c64(Z)', none(0, 3, dtype='c8')), ('c128(e)', none(0, dtype='c16')), ('complex(T, 0)', none(3, 0, dtype='c8')),
    ('conj(c128(Z))', none(0, 3, dtype='c16')), ('re(c64(e))', E), ('im(c128(Z))', none(0, 3, dtype='f8')),
    ('arg(c64(T))', T), ('isreal(c64(e))', np.bool_(False)), ('isreal(e)', np.bool_(True)),
    ('phase(c64(e))', none(0, dtype='c8')), ('upper_of(c64(S))', none(0, 0, dtype='c8')),
    ('qr_complex(c64(S))', none(0, 0, dtype='c8')), ('qr_alone(c64(S))', none(0, 0, dtype='c8')),
    ('chol_complex(c64(S))', none(0, 0, dtype='c8')), ('c64(Z)*c64(T)', none(0, 0, dtype='c8')), ('c128(T)*e', full(3, 0, 'c16')),
    ('c64(S)\\e', none(0, dtype='c8')), ('svd(c64(Z))', E), ('pinv(c128(Z))', none(3, 0, dtype='c16')),
    ('eig(zeros(0, 2, 2))', none(0, 2)), ('schur(zeros(0, 2, 2))', none(0, 2, 2)), ('inv(c64(zeros(0, 2, 2)))', none(0, 2, 2, dtype='c8')),
    ('abs(c64(Z))', Z), ('exp(c128(e))', none(0, dtype='c16')), ('fft(c64(Z))', none(0, 3, dtype='c8')),
    ('sum(c64(Z), 1)', full((1, 3), 0, 'c8')), ('any(c64(e))', np.bool_(False)), ('all(c64(e))', np.bool_(True)),
    ('[c64(e); 1i]', full(1, 1j, 'c8')),
]
# Statements, and what names hold after them.
STATEMENTS = [
    ('q, r = qr(T)', {'q': T, 'r': S}), ('q, r = qr(Z)', {'q': S, 'r': Z}), ('r = qr(Z)', {'r': Z}),
    ('l, u, p = lu(T)', {'l': T, 'u': S, 'p': np.array([1, 2, 3])}),
    ('l, u, p = lu(Z)', {'l': S, 'u': Z, 'p': none(0, dtype='i8')}),
    ('u, s, v = svd(Z)', {'u': S, 's': E, 'v': T}), ('d, v = eig(S)', {'d': E, 'v': S}),
    ('u, t = schur(S)', {'u': S, 't': S}),
    ('u, s, v = svd(c64(Z))', {'u': none(0, 0, dtype='c8'), 's': E, 'v': none(3, 0, dtype='c8')}),
    ('u, s, v = svd(c64(T))', {'u': none(3, 0, dtype='c8'), 's': E, 'v': none(0, 0, dtype='c8')}),
    ('d, v = eig(zeros(0, 2, 2))', {'d': none(0, 2), 'v': none(0, 2, 2)}),
    ('s, p = sort(e)', {'s': E, 'p': none(0, dtype='i8')}), ('m, v = moments(Z)', {
        'm': full((1, 3), NAN), 'v': full((1, 3), NAN)}), ('m, n = size(Z)', {'m': np.int64(0), 'n': np.int64(3)}),
    ('y, k = cg(S, e)', {'y': E, 'k': np.int64(0)}), ('y, k = bicg(S, e)', {'y': E, 'k': np.int64(0)}),
    ('v, w = power_iteration(S, 2)', {'v': np.float32(0), 'w': E}),
    ('X, Y = meshgrid(e, [1, 2])', {'X': none(2, 0), 'Y': none(2, 0)}),
    ('y = x; y[e] = 5', {'y': np.array([1, 2, 3], 'f4')}), ('y = x; y[e] = e', {'y': np.array([1, 2, 3], 'f4')}),
    ('y = x; y[x > 9] += e', {'y': np.array([1, 2, 3], 'f4')}), ('y = x; y[2:1] = 7', {'y': np.array([1, 2, 3], 'f4')}),
    ('y = x; y[e] *= 2', {'y': np.array([1, 2, 3], 'f4')}), ('y = A; y[e, e] += 1', {'y': full((2, 3), 1)}),
    ('y = A; y[[], :] = zeros(0, 3)', {'y': full((2, 3), 1)}), ('y = Z; y[:, 2] = 1', {'y': Z}),
    ('y = Z; y[:] = 1', {'y': Z}), ('y = Z; y += 2', {'y': Z}), ('y = A; y[y > 9] = e', {'y': full((2, 3), 1)}),
    ('y = 0; for t in e; y = 1; end', {'y': np.int64(0)}), ('y = 0; for t in Z; y += 1; end', {'y': np.int64(3)}),
    ('y = []; for k = 1:3; y = [y; k]; end', {'y': np.array([1, 2, 3], 'f4')}),
    ('y = zeros(0, "i64"); for k = 1:3; y = [y; i64([k])]; end', {'y': np.array([1, 2, 3])}),
    ('n = 0; y = zeros(n); for i = 1:n; y[i] = 2*y[i]; end', {'y': E}),
    ('y = zeros(3); for i = 1:3; s = 0; for j = 1:size(T, 2); s = s + T[i, j]; end; y[i] = s; end', {'y': full(3, 0)}),
    ('y = 1; for k = 3:-1:0; y = sum(x[1:k]) + y; end', {'y': np.float32(11)}),
    ('y = 0; for k = 1:6; y = y + sum(x[4-mod(k, 4):3]); end', {'y': np.float32(22)}),
]
# Text and part of the error.
ERRORS = [
    ('max(e)', 'there is no max of no elements: e is 0'), ('min(Z)', 'there is no min of no elements'),
    ('argmax(e)', 'there is no argmax'), ('argmin(e)', 'there is no argmin'),
    ('colmax(Z)', 'there is no max'), ('colmin(Z)', 'there is no min'), ('rowmax(T)', 'there is no max'),
    ('reduce("max", Z, 1)', 'there is no max'), ('norminf(e)', 'there is no max'),
    ('median(e)', 'there is no median of no elements'), ('median(Z, 1)', 'there is no median'),
    ('quantile(e, 0.5)', 'there is no quantile of no elements'), ('cond(S)', 'no elements has no condition'),
    ('conv(e, [1])', 'one element or more'), ('conv2(Z, A)', 'one element or more'), ('cross(e, e)', 'two vectors of three'),
    ('e[1]', 'index 1 is out of range: dimension 1 has extent 0'), ('Z[1, :]', 'index 1 is out of range'),
    ('e[[1]]', 'no elements to choose from'), ('y = e; y[[1]] = 3', 'no elements to choose from'),
    ('y = e; y[1] = 3', 'index 1 is out of range'), ('number(e)', 'must be a number, not 0 f32'),
    ('if e; y = 1; end', 'a condition must be one value'), ('x + e', 'shapes do not fit'),
    ('A + Z', 'shapes do not fit'), ('[Z; 1, 2]', 'shapes do not fit'), ('zeros(-1)', 'at least 0, not -1'),
    ('y = x; y[e] = [1, 2]', 'shapes do not fit'), ('reshape(e, 1)', 'cannot reshape'),
    ('polyfit(e, e, 1)', 'no points have no polynomial'), ('nchoosek(e, 2)', 'nchoosek takes two numbers'),
    ('sort(c64(e))', 'complex numbers have no order'), ('max(c64(Z))', 'complex numbers have no order'),
    ('seed(e)', 'the seed must be a number'), ('reverse(e)', 'the text must be a string'),
    ('accumarray(e, e)', 'there is no max'), ('bincount(e)', 'there is no max'),
    ('histcounts(e, 3)', 'two edges or more'), ('S^-1*x', 'shapes do not fit'), ('assert(e)', 'a condition must be one value'),
]
# Of no array, of the host, or shown by other suites.
ELSEWHERE = set('print ask error load kernel save time plot scatter bar hist heatmap roofline predictions '
                'savefig in_taps taps2 in_taps2 folded folded2 by_fourier part_of_full contains endswith '
                'startswith fields filter format has join lower upper split strip repeat replace'.split())
GIVEN = 'e = []; Z = zeros(0, 3); T = zeros(3, 0); S = zeros(0, 0); x = [1, 2, 3]; A = ones(2, 3);'


def listed():
    """The functions of docs/language.md but the elementwise ones."""
    with open(os.path.join(ROOT, 'docs/language.md'), encoding='utf-8') as f:
        text = f.read()
    names = set()
    for table in ('reductions', 'builtins', 'prelude'):
        part = text.split(f'<!-- table: {table} -->')[1].split('<!-- end -->')[0]
        for row in part.splitlines()[3:]:
            call = row.split('|')[1].replace('`', '')
            names |= set(re.findall(r'([A-Za-z_]\w*)\(', call)) or {call.strip()}
    return names - {''}


def same(got, want):
    want = np.asarray(want)
    if want.dtype == np.dtype(int) and got.dtype == np.float64:
        return False
    return (got.dtype == want.dtype and got.shape == want.shape and
            np.array_equal(got, want, equal_nan=got.dtype.kind == 'f'))


class Checker:
    """Runs programs on a target and compares what names hold at their end."""

    def __init__(self, target, folder):
        self.target, self.folder = target, folder

    def run(self, text):
        return fakegpu.run_script(text + '\n', self.target, self.folder)

    def values(self, text, want):
        path = os.path.join(self.folder, 'out.npz')
        if os.path.exists(path):
            os.remove(path)
        r = self.run(f'{text}\nsave("{path}", {", ".join(want)});')
        if r.returncode or not os.path.exists(path):
            return score.check(False, f'on {self.target}: {text}\n{r.stdout}{r.stderr}')
        with np.load(path) as got:
            bad = [k for k in want if not same(got[k], want[k])]
            return score.check(not bad, f'on {self.target}: {text}\n' + '\n'.join(
                f'{k}: {got[k].dtype}{got[k].shape} {got[k]!r}, not {want[k]!r}' for k in bad))

    def error(self, text, want):
        r = self.run(f'{GIVEN}\n{text}')
        said = r.stderr + r.stdout
        score.check(r.returncode in (1, 3) and want in said and said.count('error:') == 1,
                    f'on {self.target}: {text}: {said}')


def empties(c):
    text, want = [GIVEN], {}
    for k, (expr, value) in enumerate(EMPTIES):
        text.append(f'v{k} = {expr};')
        want[f'v{k}'] = value
    if not c.values('\n'.join(text), want):  # which of them?
        for expr, value in EMPTIES:
            c.values(f'{GIVEN} v = {expr};', {'v': value})
    for text, want in STATEMENTS:
        c.values(f'{GIVEN} {text};', want)
    for text, want in ERRORS:
        c.error(text, want)
    said = ' '.join(row[0] for row in EMPTIES + STATEMENTS + ERRORS)
    missing = {n for n in listed() if not re.search(rf'\b{n}\(', said)} - ELSEWHERE
    score.check(not missing, f'not in the table: {sorted(missing)}')


# -- random programs ---------------------------------------------------------------

TYPES = {'f32': 'f4', 'f64': 'f8', 'i32': 'i4', 'i64': 'i8', 'bool': '?'}
SUMS = {'?': 'i8', 'i4': 'i8'}


def kind(a):
    return a.dtype.str[1:] if a.dtype != bool else '?'


EINSUMS = '''ij,jk->ik ij,j->i i,j->ij i,i-> ii-> ii->i ij->ji ij-> ij->j bij,bj->bi bij,bjk->bik
bij,jk->bik ij,jk,kl->il ij,jk,k->i ij,ij->ij ij,ij-> ijk->kji ijkl,kl->ij abij,cdij->abcd ij,kl->ijkl iij->j
ij,jk ba i,ij,j-> abc,cd->abd abcd,bd->ac ik,jk->ij ki,kj->ij bik,bjk->bij ijij->ij ab,bc,cd,de->ae a,a,a->a
ab,ac,ad->bcd Ab,bC->AC'''.split()


class Program:
    """Statements over arrays of rank 0 to 6, some without elements, and what NumPy makes of
    them. Shapes are Fusible's: dimensions align from the left, a number as the last subscript
    drops its dimension, elsewhere it leaves an extent of 1."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.text, self.values, self.order = [], {}, []
        for _ in range(self.r.randint(2, 4)):
            self.input()
        for _ in range(self.r.randint(4, 9)):
            self.statement()

    def give(self, text, value):
        name = f'v{len(self.order)}'
        self.text.append(f'{name} = {text};')
        self.values[name] = np.asarray(value)
        self.order.append(name)

    def input(self):
        r = self.r
        dims = [r.choice([1, 2, 2, 3, 4] + [0] * (r.random() < .15))
                for _ in range(r.choice([0, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6]))]
        n, by, dtype = int(np.prod(dims)), r.randint(1, 40), r.choice(list(TYPES))
        value = (by * np.arange(1, n + 1) % 11 - 3).astype(TYPES[dtype]).reshape(dims)
        flat = f'{dtype}(mod({by}*(1:{n}), 11) - 3)'
        self.give(f'{dtype}({int(value.reshape(-1)[0]) + 0})*{dtype}([1])[1]' if not dims
                  else f'reshape({flat}, {", ".join(map(str, dims))})',
                  value.astype('i4') if not dims and dtype == 'bool' else value)

    def any(self, want=lambda a: True):
        names = [n for n in self.order if want(self.values[n])]
        name = self.r.choice(names) if names else None
        return name, self.values.get(name)

    def dims(self, a):
        """Some dimensions, as text and from 0."""
        r, n = self.r, a.ndim
        if n == 0 or r.random() < .2:
            return '', tuple(range(n))
        some = r.sample(range(n), r.randint(1, n)) if r.random() < .5 else [r.randrange(n)]
        words = [str(k + 1 if r.random() < .7 else k - n) for k in some]
        return ', ' + (words[0] if len(words) == 1 else f'[{", ".join(words)}]'), tuple(some)

    def left(self, value, a, over):
        """The shape that a reduction leaves."""
        shape = [1 if k in over else d for k, d in enumerate(a.shape)]
        while shape and len(shape) - 1 in over:
            shape.pop()
        return value.reshape(shape)

    def statement(self):
        getattr(self, self.r.choice(['reduce'] * 3 + ['along', 'permute', 'reshape', 'squeeze', 'add', 'add',
                                     'where', 'join'] + ['index'] * 4 + ['assign'] * 4 +
                                    ['linear', 'put', 'places', 'extreme', 'unique', 'product', 'einsum', 'einsum']))()

    def reduce(self):
        name, a = self.any()
        text, over = self.dims(a)
        op = self.r.choice(['sum', 'any', 'all', 'max', 'min'])
        if op in ('max', 'min'):
            if not all(a.shape[k] for k in over) or (not text and a.ndim == 0):
                return
            a = a.astype('i4') if a.dtype == bool else a
            value = getattr(np, op)(a, axis=over)
            self.give(f'reduce("{op}", {name}{text})', self.left(value, a, over))
            return
        value = (np.sum(a, axis=over, dtype=SUMS.get(kind(a), kind(a))) if op == 'sum'
                 else getattr(np, op)(a, axis=over))
        if np.abs(value).max(initial=0) < 2 ** 20:
            self.give(f'{op}({name}{text})', self.left(value, a, over))

    def along(self):
        name, a = self.any(lambda a: a.ndim)
        if not name:
            return
        k = self.r.randrange(a.ndim)
        dim = self.r.choice([k + 1, k - a.ndim])
        if self.r.random() < .5:
            self.give(f'sort({name}, {dim})', np.sort(a, axis=k))
        elif np.abs(a.astype(float)).max(initial=0) < 1000:
            self.give(f'cumsum({name}, {dim})', np.cumsum(a, axis=k, dtype=SUMS.get(kind(a), kind(a))))

    def permute(self):
        name, a = self.any(lambda a: a.ndim)
        if name:
            order = self.r.sample(range(a.ndim), a.ndim)
            self.give(f'permute({name}, [{", ".join(str(k + 1) for k in order)}])', np.transpose(a, order))

    def reshape(self):
        name, a = self.any(lambda a: a.ndim)
        if not name:
            return
        dims = [a.size]
        for d in (2, 3, 2):
            if dims[-1] % d == 0 and dims[-1] and self.r.random() < .6:
                dims[-1:] = [dims[-1] // d, d]
        words = [str(d) for d in dims]
        if a.size and self.r.random() < .5:
            words[self.r.randrange(len(words))] = '[]'
        self.give(f'reshape({name}, {", ".join(words)})', a.reshape(dims))

    def squeeze(self):
        name, a = self.any()
        self.give(f'squeeze({name})', np.squeeze(a))

    def add(self):
        (x, a), (y, b) = self.any(), self.any()
        rank = max(a.ndim, b.ndim)
        a, b = (v.reshape(v.shape + (1,) * (rank - v.ndim)) for v in (a, b))
        if a.dtype == bool:
            a = a.astype('i4')
        try:
            value = a + b.astype('i4') if b.dtype == bool else a + b
        except ValueError:
            return
        kinds = {kind(a), kind(b) if b.dtype != bool else 'i4'}
        if 'f4' in kinds and not 'f8' in kinds:
            value = value.astype('f4')
        if value.size <= 4000:
            self.give(f'{x} + {y}', value)

    def where(self):
        name, a = self.any()
        if a.dtype != bool:
            self.give(f'where({name} > 2, {name}, 0)', np.where(a > 2, a, a.dtype.type(0)))

    def join(self):
        name, a = self.any(lambda a: 0 < a.ndim < 3)
        if not name:
            return
        if self.r.random() < .5 or a.ndim < 2:
            self.give(f'[{name}; {name}]', np.concatenate([a, a], axis=0))
        else:
            self.give(f'[{name}, {name}]', np.concatenate([a, a], axis=1))

    def subscript(self, extent):
        """One subscript: text, places from 0, whether it is a number."""
        r = self.r
        how = r.choice(['all', 'range', 'list', 'mask', 'number', 'number'])
        if how == 'number' and extent:
            k = r.randrange(extent)
            return str(k + 1), [k], True
        if how == 'range' and not extent:
            return '1:0', [], False
        if how == 'range':
            first, step = r.randint(1, extent), r.choice([1, 2, -1])
            last = r.randint(1, extent)
            places = [k - 1 for k in range(first, last + (1 if step > 0 else -1), step)]
            return f'{first}:{step}:{last}', places, False
        if how == 'list':
            places = [r.randrange(extent) for _ in range(r.randint(0, 3))] if extent else []
            return f'[{", ".join(str(k + 1) for k in places)}]', places, False
        if how == 'mask' and extent > 1:
            mask = [r.random() < .6 for _ in range(extent)]
            return (f'[{", ".join("true" if m else "false" for m in mask)}]',
                    [k for k, m in enumerate(mask) if m], False)
        return ':', list(range(extent)), False

    def subscripts(self, a):
        subs = [self.subscript(d) for d in a.shape]
        chosen = a[np.ix_(*[np.array(s[1], int) for s in subs])]
        shape = list(chosen.shape)
        while shape and subs[len(shape) - 1][2]:
            shape.pop()
        return ', '.join(s[0] for s in subs), subs, shape

    def index(self):
        name, a = self.any(lambda a: a.ndim)
        if name:
            text, subs, shape = self.subscripts(a)
            self.give(f'{name}[{text}]', a[np.ix_(*[np.array(s[1], int) for s in subs])].reshape(shape))

    def assign(self):
        name, a = self.any(lambda a: a.ndim and a.dtype != bool)
        if not name:
            return
        text, subs, shape = self.subscripts(a)
        at = np.ix_(*[np.array(s[1], int) for s in subs])
        new, n, op = a.copy(), int(np.prod(shape)), self.r.choice(['=', '=', '+='])
        repeats = any(len(set(s[1])) < len(s[1]) for s in subs)
        value = np.full(shape, 5, a.dtype)
        words = '5'
        if shape and n > 1 and not (repeats and op == '=') and self.r.random() < .6:
            value = (np.arange(1, n + 1) % 7).astype(a.dtype).reshape(shape)
            of = next(k for k, v in TYPES.items() if v == kind(a))
            words = f'reshape({of}(mod(1:{n}, 7)), {", ".join(map(str, shape))})'
        value = value.reshape([len(s[1]) for s in subs])
        if op == '=':
            new[at] = value
        else:
            np.add.at(new, at, value)
        copy = f'w{len(self.text)}'
        self.text.append(f'{copy} = {name}; {copy}[{text}] {op} {words};')
        self.give(copy, new)

    def linear(self):
        name, a = self.any(lambda a: a.ndim > 1)
        if not name or sum(d != 1 for d in a.shape) < 2:
            return
        sub = self.subscript(a.size)
        while sub[0] == ':':
            sub = self.subscript(a.size)
        flat = a.reshape(-1)[np.array(sub[1], int)]
        self.give(f'{name}[{sub[0]}]', flat[0] if sub[2] else flat)
        if a.dtype != bool:
            new = a.copy()
            new.reshape(-1)[np.array(sub[1], int)] = 4
            copy = f'w{len(self.text)}'
            self.text.append(f'{copy} = {name}; {copy}[{sub[0]}] = 4;')
            self.give(copy, new)

    def put(self):
        name, a = self.any(lambda a: a.ndim == 2 and min(a.shape) > 1 and a.dtype != bool)
        if name:
            new, n = a.copy(), a.shape[1]
            new.reshape(-1)[::n + 1] += 3
            copy = f'w{len(self.text)}'
            self.text.append(f'{copy} = {name}; {copy}[1:{n + 1}:end] += 3;')
            self.give(copy, new)

    def places(self):
        name, a = self.any(lambda a: a.ndim > 1 and a.size)
        if not name:
            return
        n = self.r.randint(1, 4)
        at = [[self.r.randrange(d) for _ in range(n)] for d in a.shape]
        words = ', '.join(f'[{", ".join(str(k + 1) for k in list_)}]' for list_ in at)
        if sum(d != 1 for d in a.shape) > 1:
            self.give(f'{name}[places({name}, {words})]', a[tuple(np.array(k) for k in at)])

    def extreme(self):
        name, a = self.any(lambda a: a.size and a.ndim and a.dtype != bool)
        if name:
            k = self.r.randrange(a.ndim)
            self.text.append(f'm, p = max({name}, {k + 1});')
            self.give('m', self.left(np.max(a, axis=k), a, (k,)))
            self.give('p', self.left(np.argmax(a, axis=k) + 1, a, (k,)))

    def unique(self):
        name, a = self.any(lambda a: a.dtype != bool and a.ndim)
        if name:
            u, i, n = np.unique(a.reshape(-1), return_inverse=True, return_counts=True)
            self.text.append(f'm, p, q = unique({name});')
            for word, value in (('m', u), ('p', n), ('q', i.reshape(-1) + 1)):
                self.give(word, value)

    def einsum(self):
        """Of whole numbers, so that the order does not count."""
        r = self.r
        letters = r.choice(EINSUMS)
        extent = {c: r.choice([1, 2, 3, 4] + [0] * (r.random() < .1)) for c in letters if c.isalpha()}
        words, arrays, dtype = [], [], r.choice(['f4', 'f8', 'i4', 'i8'])
        of = next(k for k, v in TYPES.items() if v == dtype)
        for term in letters.split('->')[0].split(','):
            dims, by = [extent[c] for c in term], r.randint(1, 9)
            n = int(np.prod(dims))
            words.append(f'reshape({of}(mod({by}*(1:{n}), 5) - 2), {", ".join(map(str, dims))})')
            arrays.append((by * np.arange(1, n + 1) % 5 - 2).astype(dtype).reshape(dims))
        value = np.einsum(letters, *[a.astype('f8') for a in arrays])
        self.text.append(f'm = i64(einsum("{letters}", {", ".join(words)}));')
        self.give('m', value.astype('i8'))

    def product(self):
        name, a = self.any(lambda a: a.ndim == 2 and kind(a) in ('f4', 'f8', 'i8'))
        if name and np.abs(a.astype(float)).max(initial=0) < 200:
            value = a @ a.T
            if a.shape[1] == 1 or a.shape[0] == 1:
                return
            self.give(f"{name}*{name}'", value)


def programs(c, first, count):
    for k in range(first, first + count):
        p = Program(k)
        score.check(c.values('\n'.join(p.text), p.values), f'program {k}')
        score.passed -= 1


def main():
    parser = argparse.ArgumentParser(description='arrays of any shape')
    parser.add_argument('--count', type=int, default=100)
    parser.add_argument('--first', type=int, default=0)
    parser.add_argument('--target', choices=['cpu', 'cuda', 'fake'])
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        for target in [args.target] if args.target else ['cpu', 'fake']:
            c = Checker(target, home)
            empties(c)
            programs(c, args.first, args.count if target != 'fake' or args.target else args.count // 4)
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
