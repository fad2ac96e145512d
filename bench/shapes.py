"""Reductions of 2^26 elements in every shape, normalisations whose rows or columns do not fit on
chip, and running sums and sorts: cases as those of cases.py, `--cases shapes` and `--cases sums`.

Extremes of rows stand for their positions: peers differ in which of equal elements is first.
"""
from cases import D, L, M, N, Case, mats, vecs

SIZES = ('4x16777216', '16x4194304', '256x262144', '8192x8192', '262144x256', '4194304x16')


def centred(x, axis):
    return x - x.mean(axis)[:, None] if axis else x - x.mean(0)


def variances(axis):
    def peer(xp, d):
        c = centred(d['A'], axis)
        v = (c * c).sum(axis) / (c.shape[axis] - 1)
        return (v if axis else v[None],)
    return peer


def log_sums(axis):
    def peer(xp, d):
        most = xp.amax(d['A'], axis, True)
        s = xp.log(xp.sum(xp.exp(d['A'] - most), axis, True)) + most
        return (s[:, 0] if axis else s,)
    return peer


def normalised(axis):
    def peer(xp, d):
        c = centred(d['A'], axis)
        v = (c * c).mean(axis) + 0.0009765625
        return (c / xp.sqrt(v[:, None] if axis else v),)
    return peer


def soft_columns(xp, d):
    e = xp.exp(d['A'] - xp.amax(d['A'], 0, True))
    return (e / xp.sum(e, 0, True),)


def cross_entropy(xp, d):
    z = d['A'] - xp.amax(d['A'], 1, True)
    return (xp.exp(z - xp.log(xp.sum(xp.exp(z), 1, True))) - d['B'],)


def normal(axis):
    return (f'c = A - mean(A, {axis + 1}); S = c ./ sqrt(mean(c.^2, {axis + 1}) + 0.0009765625); '
            'return S;')


def ascending(xp, d):
    s = xp.sort(d['x'], 0)
    return (s if hasattr(s, 'shape') else s[0],)  # torch gives places, too


# By name: statements, the peers, and what is written of rows and of columns.
REDUCTIONS = (
    ('row sums', 's = sum(A, 2);', lambda xp, d: (d['A'].sum(1),), 1, 0),
    ('column sums', 's = sum(A, 1);', lambda xp, d: (d['A'].sum(0)[None],), 0, 1),
    ('row maxima', 's = rowmax(A);', lambda xp, d: (xp.amax(d['A'], 1, True)[:, 0],), 1, 0),
    ('row variances', 's = var(A, 2);', variances(1), 1, 0),
    ('column variances', 's = var(A, 1);', variances(0), 0, 1),
    ('row log-sums', 's = logsumexp(A, 2);', log_sums(1), 1, 0),
    ('column log-sums', 's = logsumexp(A, 1);', log_sums(0), 0, 1))

SHAPES = [Case(f'{name} {size}', dict(A=M), block, ('s',), peer, mats(1, 0, down, across), size)
          for name, block, peer, down, across in REDUCTIONS for size in SIZES] + [
    Case('long rows normalised', dict(A=M), normal(1), ('S',), normalised(1), mats(2, 1),
         '16x4194304'),
    Case('columns normalised', dict(A=M), normal(0), ('S',), normalised(0), mats(2, 1),
         '1000000x128'),
    Case('softmax of columns', dict(A=M), 'S = softmax(A, 1);', ('S',), soft_columns, mats(1, 1),
         8192),
    Case('softmax of long rows', dict(A=M), 'S = softmax(A);', ('S',),
         lambda xp, d: tuple(x.T for x in soft_columns(xp, dict(A=d['A'].T))), mats(2, 1),
         '16x4194304'),
    Case('cross-entropy gradient', dict(A=M, B=N),
         'z = A - rowmax(A); G = exp(z - log(sum(exp(z), 2))) - B; return G;', ('G',),
         cross_entropy, mats(2, 1), '32768x4096'),
]

SUMS = [
    Case('running sums of rows', dict(A=M), 'C = cumsum(A, 2);', ('C',),
         lambda xp, d: (xp.cumsum(d['A'], 1),), mats(1, 1), 32768),
    Case('running sums of columns', dict(A=M), 'C = cumsum(A, 1);', ('C',),
         lambda xp, d: (xp.cumsum(d['A'], 0),), mats(1, 1), 32768),
    Case('running sums of what is left', dict(A=M, B=N), 'C = cumsum(A .* (B > 0), 2);', ('C',),
         lambda xp, d: (xp.cumsum(d['A'] * (d['B'] > 0), 1),), mats(2, 1), 32768),
    Case('running sum', dict(x=L[0]), 'y = cumsum(x);', ('y',),
         lambda xp, d: (xp.cumsum(d['x'], 0),), vecs(2), 100000000),
    Case('running sum of squares, scaled', dict(x=L[0]), 'y = 0.5*cumsum(x.^2) + 1;', ('y',),
         lambda xp, d: (0.5 * xp.cumsum(d['x'] * d['x'], 0) + 1,), vecs(2), 100000000),
    Case('sort', dict(x=L[1]), 'y = sort(x);', ('y',), ascending, vecs(2), 100000000),
    Case('running sums beside a column', dict(A=M, r=D[1]), 'C = cumsum(A, 2) - r;', ('C',),
         lambda xp, d: (xp.cumsum(d['A'], 1) - d['r'][:, None],), mats(1, 1, 1), 16384),
]
