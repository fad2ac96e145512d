"""The sequences that bench/gpu.py compares, each once as Fusible's statements and
once as a function over an array module (torch, jax.numpy or numpy).

Inputs are sixteenths from a formula, exact in every dtype, so that all
processes hold the same data without passing it:
    matrix (a, b, c):       mod(a*i + b*j + c, 17)/16 - 0.5     i, j from 1
    vector (a, c):          mod(a*i + c, 17)/16 - 0.5
Those of programs (programs.py) may also be matrices of other extents, with something
added to the diagonal, and
    noise (a):              mod(a*t*t + 777*t, 65521)/65536 - 0.5, t counts elements: f32
    cells (a):              whether noise (a) is less than -0.2, as i32
    near:                   columns of a sparse matrix as i32, near the diagonal and 1000
                            beside it: mod(i - 1 + (j - 4)*(1 + 999*mod(j, 2)), m), from
                            1 in Fusible's statements
    upto:                   0, 1, ... of i64, which Fusible's statements do not use
    ramp:                   (i - 1)/m
    count:                  0, k - 1 in Fusible's loop over k
A size is (m, n, len): matrices have m rows and n columns, `down` vectors m
elements, `across` vectors n, `long` vectors len.
"""
import os
import re
from dataclasses import dataclass
from typing import Callable

LOOP = 40           # iterations of a case that is timed in a loop, too


@dataclass
class Case:
    name: str
    inputs: dict          # name -> ('matrix', a, b, c) | ('down' | 'across' |
    #                       'long', a, c) | number; '+' prefix: shifted to be > 0
    block: str            # Fusible's statements; '': a program, timed in a loop only
    outputs: tuple        # names, in the order in which `peer` gives them
    peer: Callable        # (xp, inputs as a dict) -> tuple of outputs
    moves: Callable       # (m, n, len, bytes of an element) -> least off-chip bytes
    size: object = 16384  # of the table: rows and columns, "5000x300", or elements if `long`
    numbers: tuple = ()   # those of the outputs that are single numbers
    loop: str = ''        # the body of a loop over the block; '': it is no iteration
    carried: tuple = ()   # inputs that the outputs become in the next iteration
    before: str = ''      # statements that are not timed
    bound: float = None   # the largest error that is right; None: it is only told
    steps: int = LOOP     # iterations of a loop that is timed

    @property
    def long(self):
        return any(isinstance(v, tuple) and v[0].endswith('long')
                   for v in self.inputs.values())

    @property
    def square(self):
        """Iterations of a solver need as many rows as columns."""
        return bool(self.loop and self.block)

    def text(self, count):
        """Fusible's statements of `count` iterations."""
        return f'for k = 1:{count}; {self.loop} end'


def mats(reads, writes=0, down=0, across=0):
    return lambda m, n, length, b: b * ((reads + writes) * m * n + down * m +
                                        across * n)


def vecs(count):
    return lambda m, n, length, b: b * count * length


M, N = ('matrix', 7, 5, 3), ('matrix', 3, 11, 1)
STRIDES = ((3, 1), (5, 2), (7, 3), (11, 4), (13, 5), (2, 6))
D = [('down', a, c) for a, c in STRIDES]
X = [('across', a, c) for a, c in STRIDES]
L = [('long', a, c) for a, c in STRIDES]
P = [('+long', a, c) for a, c in STRIDES]


def normcdf(xp, x):
    return 0.5 * (1 + xp.erf(x * 0.7071067811865476))


def black_scholes(xp, d):
    s, k, t = 5 + 25 * d['S'], 1 + 9 * d['K'], 0.25 + 9.75 * d['T']
    d1 = (xp.log(s / k) + 0.065 * t) / (0.3 * xp.sqrt(t))
    d2 = d1 - 0.3 * xp.sqrt(t)
    e = k * xp.exp(-0.02 * t)
    return (s * normcdf(xp, d1) - e * normcdf(xp, d2),)


def gemver(xp, d):
    b = d['A'] + xp.outer(d['u1'], d['v1']) + xp.outer(d['u2'], d['v2'])
    x = 0.25 * (b.T @ d['y']) + d['z']
    return b, x, 0.5 * (b @ x)


def sgemvt(xp, d):
    x = 0.25 * (d['A'].T @ d['y']) + d['z']
    return x, 0.5 * (d['A'] @ x)


def axpydot(xp, d):
    z = d['w'] - 0.5 * d['v']
    return z, (z * d['u']).sum()


def softmax(xp, d):
    e = xp.exp(d['A'] - xp.amax(d['A'], 1, True))
    return (e / xp.sum(e, 1, True),)


def moving(xp, d):
    x = d['x']
    return (0.1 * x[:-4] + 0.2 * x[1:-3] + 0.4 * x[2:-2] + 0.2 * x[3:-1] +
            0.1 * x[4:],)


def jacobi(xp, d):
    u = d['U']
    return (0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]),)


def bicg(xp, d):
    q, qt = d['A'] @ d['p'], d['A'].T @ d['pt']
    alpha = d['rho'] / (d['pt'] * q).sum()
    z, r, rt = d['z'] + alpha * d['p'], d['r'] - alpha * q, d['rt'] - alpha * qt
    rho1 = (rt * r).sum()
    beta = rho1 / d['rho']
    return z, r, rt, r + beta * d['p'], rt + beta * d['pt'], rho1


def cg(xp, d):
    q = d['A'] @ d['p']
    alpha = d['rho'] / (d['p'] * q).sum()
    z, r = d['z'] + alpha * d['p'], d['r'] - alpha * q
    rho1 = (r * r).sum()
    return z, r, r + (rho1 / d['rho']) * d['p'], rho1


def sigmoid(xp, x):
    return 1 / (1 + xp.exp(-x))


def logistic(xp, d):
    p = sigmoid(xp, d['A'] @ d['x'])
    return p, d['A'].T @ (p - d['r'])


def orthogonal(xp, d):
    u = d['r'] - 0.001 * (d['A'] @ (d['A'].T @ d['r']))
    return (u / xp.sqrt((u * u).sum()),)


def standardize(xp, d):
    c = d['A'] - d['A'].mean(0)
    return (c / xp.sqrt((c * c).sum(0) / (c.shape[0] - 1)),)


def layer_norm(xp, d):
    c = d['A'] - d['A'].mean(1)[:, None]
    return (c / xp.sqrt((c * c).mean(1) + 0.0009765625)[:, None] * d['g'] + d['b'],)


def sinkhorn(xp, d):
    a = d['A'] + 0.75
    u = d['r'] / (a @ d['v'])
    return u, d['x'] / (a.T @ u)


def blur(xp, d):
    u = d['U']
    m, n = u.shape
    return (sum(u[i:m - 2 + i, j:n - 2 + j] for i in range(3) for j in range(3)) / 9,)


def halve(xp, d):
    u = d['U']
    return ((u[::2, ::2] + u[1::2, ::2] + u[::2, 1::2] + u[1::2, 1::2]) / 4,)


def adam(xp, d):
    m = 0.875 * d['m'] + 0.125 * d['g']
    v = 0.96875 * d['v'] + 0.03125 * d['g'] * d['g']
    return m, v, d['p'] - 0.125 * m / (xp.sqrt(v) + 0.0078125)


def rectified(xp, d):
    x = d['A'] @ d['B'] + d['b']
    return (x * (x > 0),)


def attention(xp, d):
    e = xp.exp((d['A'] @ d['B'].T) / 8)
    return ((e / e.sum(1)[:, None]) @ d['C'],)


# The statements of the sequences, as the programs in C have them.
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'sequences.def'),
          encoding='utf-8') as table:
    BLOCKS = dict(re.findall(r'SEQUENCE\(\w+, "(\w+)",.*?"([^"]*)", \d, \d\)\n',
                             table.read(), re.S))

CASES = [
    Case('AXPYDOT', dict(w=L[0], v=L[1], u=L[2]), BLOCKS['AXPYDOT'],
         ('z', 'r'), axpydot, vecs(4), 1 << 27, numbers=('r',)),
    Case('ATAX', dict(A=M, x=X[0]), BLOCKS['ATAX'], ('y',),
         lambda xp, d: (d['A'].T @ (d['A'] @ d['x']),), mats(1, 0, 0, 2)),
    Case('BiCGK', dict(A=M, p=X[0], r=D[1]), BLOCKS['BiCGK'], ('q', 's'),
         lambda xp, d: (d['A'] @ d['p'], d['A'].T @ d['r']), mats(1, 0, 2, 2)),
    Case('SGEMV', dict(A=M, x=X[0], y=D[1]), BLOCKS['SGEMV'], ('z',),
         lambda xp, d: (0.5 * (d['A'] @ d['x']) + 0.25 * d['y'],),
         mats(1, 0, 2, 1)),
    Case('SGEMVT', dict(A=M, y=D[1], z=X[2]), BLOCKS['SGEMVT'], ('x', 'w'),
         sgemvt, mats(1, 0, 2, 2)),
    Case('SSCAL', dict(x=L[0]), BLOCKS['SSCAL'], ('y',),
         lambda xp, d: (0.5 * d['x'],), vecs(2), 1 << 27),
    Case('GEMVER', dict(A=M, u1=D[0], v1=X[1], u2=D[2], v2=X[3], y=D[4], z=X[5]),
         BLOCKS['GEMVER'], ('B', 'x', 'w'), gemver, mats(1, 1, 4, 4)),
    Case('GESUMMV', dict(A=M, B=N, x=X[0]), BLOCKS['GESUMMV'], ('y',),
         lambda xp, d: (0.5 * (d['A'] @ d['x']) + 0.25 * (d['B'] @ d['x']),),
         mats(2, 0, 1, 1)),
    Case('MADD', dict(A=M, B=N), BLOCKS['MADD'], ('C',),
         lambda xp, d: (d['A'] + d['B'],), mats(2, 1)),
    Case('VADD', dict(w=L[0], y=L[1], z=L[2]), BLOCKS['VADD'], ('x',),
         lambda xp, d: (d['w'] + d['y'] + d['z'],), vecs(4), 1 << 27),
    Case('WAXPBY', dict(x=L[0], y=L[1]), BLOCKS['WAXPBY'], ('w',),
         lambda xp, d: (0.5 * d['x'] + 0.25 * d['y'],), vecs(3), 1 << 27),
    Case('Black-Scholes', dict(S=P[0], K=P[1], T=P[2]),
         "s = 5 + 25*S; k = 1 + 9*K; t = 0.25 + 9.75*T; "
         "d1 = (log(s ./ k) + 0.065*t) ./ (0.3*sqrt(t)); d2 = d1 - 0.3*sqrt(t); "
         "e = k .* exp(-0.02*t); "
         "n1 = 0.5*(1 + erf(0.7071067811865476*d1)); "
         "n2 = 0.5*(1 + erf(0.7071067811865476*d2)); "
         "call = s.*n1 - e.*n2; return call;",
         ('call',), black_scholes, vecs(4), 1 << 26),
    Case('RMSE', dict(x=L[0], y=L[1]), "e = sqrt(mean((x - y).^2));", ('e',),
         lambda xp, d: (xp.sqrt(((d['x'] - d['y']) ** 2).mean()),), vecs(2),
         1 << 26, numbers=('e',)),
    Case('moving average', dict(x=L[0]),
         "y = 0.1*x[1:end-4] + 0.2*x[2:end-3] + 0.4*x[3:end-2] + 0.2*x[4:end-1] "
         "+ 0.1*x[5:end];", ('y',), moving, vecs(2), 1 << 26),
    Case('forward difference', dict(x=L[0]), "y = x[2:end] - x[1:end-1];", ('y',),
         lambda xp, d: (d['x'][1:] - d['x'][:-1],), vecs(2), 1 << 26),
    Case('Jacobi', dict(U=M),
         "V = 0.25*(U[1:end-2, 2:end-1] + U[3:end, 2:end-1] + U[2:end-1, 1:end-2] "
         "+ U[2:end-1, 3:end]);", ('V',), jacobi, mats(1, 1), 8192),
    Case('softmax', dict(A=M), "S = softmax(A);", ('S',), softmax, mats(1, 1), 8192),
    Case('BiCG iteration',
         dict(A=M, p=X[0], pt=D[1], r=D[2], rt=X[3], z=X[4], rho=1.5),
         "q = A*p; qt = A'*pt; alpha = rho/(pt'*q); z1 = z + alpha*p; "
         "r1 = r - alpha*q; rt1 = rt - alpha*qt; rho1 = rt1'*r1; beta = rho1/rho; "
         "p1 = r1 + beta*p; pt1 = rt1 + beta*pt; "
         "return z1, r1, rt1, p1, pt1, rho1;",
         ('z1', 'r1', 'rt1', 'p1', 'pt1', 'rho1'), bicg, mats(1, 0, 7, 7), 8192,
         numbers=('rho1',),
         carried=('z', 'r', 'rt', 'p', 'pt', 'rho'),
         loop="q = A*p; qt = A'*pt; alpha = rho/(pt'*q); z = z + alpha*p; "
         "r = r - alpha*q; rt = rt - alpha*qt; rho1 = rt'*r; beta = rho1/rho; "
         "p = r + beta*p; pt = rt + beta*pt; rho = rho1;"),
    Case('CG iteration', dict(A=M, p=X[0], r=X[2], z=X[4], rho=1.5),
         "q = A*p; alpha = rho/(p'*q); z1 = z + alpha*p; r1 = r - alpha*q; "
         "rho1 = r1'*r1; p1 = r1 + (rho1/rho)*p; return z1, r1, p1, rho1;",
         ('z1', 'r1', 'p1', 'rho1'), cg, mats(1, 0, 4, 4), 8192,
         numbers=('rho1',), carried=('z', 'r', 'p', 'rho'),
         loop="q = A*p; alpha = rho/(p'*q); z = z + alpha*p; r = r - alpha*q; "
         "rho1 = r'*r; p = r + (rho1/rho)*p; rho = rho1;"),
]

V = ('matrix', 5, 3, 2)

# What else is typed, beside the sequences: of statistics, learning, pictures.
WIDE = [
    Case('logistic gradient', dict(A=M, x=X[0], r=D[1]),
         "p = sigmoid(A*x); g = A'*(p - r); return p, g;", ('p', 'g'), logistic,
         mats(1, 0, 2, 2), '1000000x32'),
    Case('least squares step', dict(A=M, x=X[0], r=D[1]),
         "v = x - 0.0009765625*(A'*(A*x - r));", ('v',),
         lambda xp, d: (d['x'] - 0.0009765625 * (d['A'].T @ (d['A'] @ d['x'] - d['r'])),),
         mats(1, 0, 1, 2), '1000000x32'),
    Case('orthogonal to columns', dict(A=M, r=D[1]),
         "u = r - 0.001*(A*(A'*r)); u = u / sqrt(u'*u);", ('u',), orthogonal,
         mats(2, 0, 2, 0), '1000000x32'),
    Case('weighted columns', dict(A=M, r=D[1]), "s = sum(r .* A, 1);", ('s',),
         lambda xp, d: ((d['r'][:, None] * d['A']).sum(0)[None],), mats(1, 0, 1, 1),
         '1000000x32'),
    Case('standardize', dict(A=M), "S = standardize(A);", ('S',), standardize,
         mats(2, 1), 8192),
    Case('layer norm', dict(A=M, g=X[0], b=X[1]),
         "c = A - mean(A, 2); S = c ./ sqrt(mean(c.^2, 2) + 0.0009765625) .* g' + b'; "
         "return S;", ('S',), layer_norm, mats(1, 1, 0, 2), '8192x4096'),
    Case('unit columns', dict(A=M), "S = A ./ sqrt(sum(A.^2, 1));", ('S',),
         lambda xp, d: (d['A'] / xp.sqrt((d['A'] * d['A']).sum(0)),), mats(2, 1)),
    Case('Sinkhorn step', dict(A=M, v=('+across', 5, 2), r=('+down', 7, 3), x=('+across', 11, 4)),
         "a = A + 0.75; u = r ./ (a*v); w = x ./ (a'*u); return u, w;", ('u', 'w'),
         sinkhorn, mats(1, 0, 2, 2), 8192),
    Case('symmetric part', dict(A=M), "S = (A + A')/2;", ('S',),
         lambda xp, d: ((d['A'] + d['A'].T) / 2,), mats(1, 1), 8192),
    Case('nearest', dict(r=D[0], x=X[1]), "d = rowmin(abs(r - x'));", ('d',),
         lambda xp, d: (xp.amin(abs(d['r'][:, None] - d['x']), 1),), mats(0, 0, 2, 1), 8192),
    Case('9-point blur', dict(U=M), "V = (" + " + ".join(
        f"U[{i}:end-{3 - i}, {j}:end-{3 - j}]" for i in (1, 2, 3) for j in (1, 2, 3)) +
         ")/9;", ('V',), blur, mats(1, 1), 8192),
    Case('halve a picture', dict(U=M),
         "V = (U[1:2:end, 1:2:end] + U[2:2:end, 1:2:end] + U[1:2:end, 2:2:end] + "
         "U[2:2:end, 2:2:end])/4;", ('V',), halve, mats(1, 0.25), 8192),
    Case('gated SiLU', dict(x=L[0], g=L[1]), "y = g .* x ./ (1 + exp(-x));", ('y',),
         lambda xp, d: (d['g'] * d['x'] / (1 + xp.exp(-d['x'])),), vecs(3), 1 << 26),
    Case('GELU', dict(x=L[0]), "y = 0.5*x .* (1 + erf(0.7071067811865476*x));", ('y',),
         lambda xp, d: (0.5 * d['x'] * (1 + xp.erf(d['x'] * 0.7071067811865476)),), vecs(2),
         1 << 26),
    Case('Adam step', dict(p=L[0], g=L[1], m=L[2], v=P[3]),
         "m1 = 0.875*m + 0.125*g; v1 = 0.96875*v + 0.03125*g .* g; "
         "p1 = p - 0.125*m1 ./ (sqrt(v1) + 0.0078125);", ('m1', 'v1', 'p1'), adam, vecs(7),
         1 << 26),
    Case('variance', dict(x=L[0]), "s = var(x);", ('s',),
         lambda xp, d: (((d['x'] - d['x'].mean()) ** 2).sum() / (d['x'].shape[0] - 1),),
         vecs(1), 1 << 26, numbers=('s',)),
    Case('product and ReLU', dict(A=M, B=N, b=X[2]), "C = max(A*B + b', 0);", ('C',),
         rectified, mats(2, 1, 0, 1), 4096),
    Case('attention head', dict(A=M, B=N, C=V), "S = softmax(A*B'/8)*C;", ('S',), attention,
         mats(3, 1), '4096x64'),
]

BY_NAME = {c.name: c for c in CASES + WIDE}


def know(cases):
    """Adds further cases to those that have names."""
    BY_NAME.update((c.name, c) for c in cases)


def size_of(case, text):
    """The size (m, n, len) that "5000x12000", "1024" or "table" means for a case;
    None when the case has none like it."""
    if text == 'table':
        text = str(case.size)
    m, _, n = text.partition('x')
    if case.long:
        return None if n else (0, 0, int(m))
    m, n = int(m), int(n or m)
    return None if case.square and m != n else (m, n, 0)


def size_text(size):
    m, n, length = size
    return str(length or n) if m in (0, n) else f'{m}x{n}'


def count_of(spec, size):
    """The elements of a vector."""
    m, n, length = size
    return {'down': m, 'across': n}.get(spec[0].lstrip('+'), length)


def read_text(case):
    """A statement that reads all inputs: a formula is not computed before that."""
    return 'made = ' + ' + '.join(f'sum({name})' for name, spec in case.inputs.items()
                                  if not is_for_peers(spec)) + ';'


def is_for_peers(spec):
    return isinstance(spec, tuple) and spec[0] in ('upto', 'count')


def extents(spec, size):
    """Rows and columns of a matrix."""
    place = {'matrix': 4, '+matrix': 4, 'noise': 2}.get(spec[0], len(spec))
    other = spec[place] if len(spec) > place else None
    return other(*size[:2]) if other else size[:2]


def diagonal(spec):
    """What is added to its diagonal."""
    place = {'matrix': 5, '+matrix': 5, 'noise': 3}.get(spec[0], len(spec))
    return spec[place] if len(spec) > place else 0


def setup_text(case, dtype, size):
    """Fusible's statements that make the inputs."""
    lines = []
    for name, spec in case.inputs.items():
        if is_for_peers(spec):
            continue
        if not isinstance(spec, tuple):
            lines.append(f'{name} = sum({dtype}([{spec}]));')  # on the device
            continue
        m, n = extents(spec, size)
        shift = '+ 1/16' if spec[0][0] == '+' else '- 0.5'
        if spec[0].endswith('matrix'):
            value = f"mod({spec[1]}*(1:{m}) + {spec[2]}*(1:{n})' + {spec[3]}, 17)/16 {shift}"
        elif spec[0] in ('noise', 'cells'):
            lines.append(f"t_ = {n}*(0:{m - 1}) + (1:{n})';")
            value = f'mod({spec[1]}*t_.*t_ + 777*t_, 65521)/65536 - 0.5'
        elif spec[0] == 'ramp':
            value = f'(0:{m - 1})/{m}'
        elif spec[0] == 'near':
            lines.append(f"t_ = ((1:{n})' - 4) .* (1 + 999*mod((1:{n})', 2));")
            lines.append(f'{name} = i32(mod((0:{m - 1}) + t_, {m})) + 1;')
            continue
        else:
            value = f'mod({spec[1]}*(1:{count_of(spec, size)}) + {spec[2]}, 17)/16 {shift}'
        if spec[0] == 'cells':
            lines.append(f'{name} = i32({value} < -0.2);')
        elif diagonal(spec):
            lines.append(f'{name} = {dtype}({value}) + {diagonal(spec)}*{dtype}(eye({m}));')
        else:
            lines.append(f'{name} = {dtype}({value});')
    return ' '.join(lines) + case.before
