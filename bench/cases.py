"""The sequences that bench/gpu.py compares, each once as Fusible's statements and
once as a function over an array module (torch or jax.numpy).

Inputs are sixteenths from a formula, exact in every dtype, so that all
processes hold the same data without passing it:
    matrix (a, b, c): mod(a*i + b*j + c, 17)/16 - 0.5     i, j from 1
    vector (a, c):    mod(a*i + c, 17)/16 - 0.5
`n` counts rows and columns, `len` the elements of long vectors.
"""
from dataclasses import dataclass
from typing import Callable


@dataclass
class Case:
    name: str
    inputs: dict          # name -> ('matrix', a, b, c) | ('vector', a, c) |
    #                       ('long', a, c) | number; '+' prefix: shifted to be > 0
    block: str            # Fusible's statements
    outputs: tuple        # names, in the order in which `peer` gives them
    peer: Callable        # (xp, inputs as a dict) -> tuple of outputs
    moves: Callable       # (n, len, bytes of an element) -> least off-chip bytes
    size: str = 'n'       # at which size: 'n', 'n/2', 'len', 'half' (of len)

    def shape(self, output):
        """What kind of result it is: 'matrix', 'vector', 'long', 'number'."""
        if output in ('s', 'e', 'rho1') and self.name != 'BiCGK':
            return 'number'
        if output in ('B', 'C', 'V', 'S'):
            return 'matrix'
        return 'long' if self.size in ('len', 'half') else 'vector'


def mats(reads, writes=0, vectors=0):
    return lambda n, length, b: b * ((reads + writes) * n * n + vectors * n)


def vecs(count):
    return lambda n, length, b: b * count * length


M, N = ('matrix', 7, 5, 3), ('matrix', 3, 11, 1)
V = [('vector', a, c) for a, c in ((3, 1), (5, 2), (7, 3), (11, 4), (13, 5), (2, 6))]
L = [('long', a, c) for a, c in ((3, 1), (5, 2), (7, 3))]
P = [('+long', a, c) for a, c in ((3, 1), (5, 2), (7, 3))]


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


CASES = [
    Case('AXPYDOT', dict(w=L[0], v=L[1], u=L[2]), "z = w - 0.5*v; s = z'*u;",
         ('z', 's'), axpydot, vecs(4), 'len'),
    Case('ATAX', dict(A=M, x=V[0]), "y = A'*(A*x);", ('y',),
         lambda xp, d: (d['A'].T @ (d['A'] @ d['x']),), mats(1, 0, 2)),
    Case('BiCGK', dict(A=M, p=V[0], r=V[1]), "q = A*p; s = A'*r;", ('q', 's'),
         lambda xp, d: (d['A'] @ d['p'], d['A'].T @ d['r']), mats(1, 0, 4)),
    Case('SGEMV', dict(A=M, x=V[0], y=V[1]), "z = 0.5*A*x + 0.25*y;", ('z',),
         lambda xp, d: (0.5 * (d['A'] @ d['x']) + 0.25 * d['y'],), mats(1, 0, 3)),
    Case('SGEMVT', dict(A=M, y=V[0], z=V[1]), "x = 0.25*A'*y + z; w = 0.5*A*x;",
         ('x', 'w'), sgemvt, mats(1, 0, 4)),
    Case('SSCAL', dict(x=L[0]), "y = 0.5*x;", ('y',),
         lambda xp, d: (0.5 * d['x'],), vecs(2), 'len'),
    Case('GEMVER', dict(A=M, u1=V[0], v1=V[1], u2=V[2], v2=V[3], y=V[4], z=V[5]),
         "B = A + u1*v1' + u2*v2'; x = 0.25*B'*y + z; w = 0.5*B*x;",
         ('B', 'x', 'w'), gemver, mats(1, 1, 8)),
    Case('GESUMMV', dict(A=M, B=N, x=V[0]), "y = 0.5*A*x + 0.25*B*x;", ('y',),
         lambda xp, d: (0.5 * (d['A'] @ d['x']) + 0.25 * (d['B'] @ d['x']),),
         mats(2, 0, 2)),
    Case('MADD', dict(A=M, B=N), "C = A + B;", ('C',),
         lambda xp, d: (d['A'] + d['B'],), mats(2, 1)),
    Case('VADD', dict(w=L[0], y=L[1], z=L[2]), "x = w + y + z;", ('x',),
         lambda xp, d: (d['w'] + d['y'] + d['z'],), vecs(4), 'len'),
    Case('WAXPBY', dict(x=L[0], y=L[1]), "w = 0.5*x + 0.25*y;", ('w',),
         lambda xp, d: (0.5 * d['x'] + 0.25 * d['y'],), vecs(3), 'len'),
    Case('Black-Scholes', dict(S=P[0], K=P[1], T=P[2]),
         "s = 5 + 25*S; k = 1 + 9*K; t = 0.25 + 9.75*T; "
         "d1 = (log(s ./ k) + 0.065*t) ./ (0.3*sqrt(t)); d2 = d1 - 0.3*sqrt(t); "
         "e = k .* exp(-0.02*t); "
         "n1 = 0.5*(1 + erf(0.7071067811865476*d1)); "
         "n2 = 0.5*(1 + erf(0.7071067811865476*d2)); "
         "call = s.*n1 - e.*n2; return call;",
         ('call',), black_scholes, vecs(4), 'half'),
    Case('RMSE', dict(x=L[0], y=L[1]), "e = sqrt(mean((x - y).^2));", ('e',),
         lambda xp, d: (xp.sqrt(((d['x'] - d['y']) ** 2).mean()),), vecs(2), 'half'),
    Case('moving average', dict(x=L[0]),
         "y = 0.1*x[1:end-4] + 0.2*x[2:end-3] + 0.4*x[3:end-2] + 0.2*x[4:end-1] "
         "+ 0.1*x[5:end];", ('y',), moving, vecs(2), 'half'),
    Case('forward difference', dict(x=L[0]), "y = x[2:end] - x[1:end-1];", ('y',),
         lambda xp, d: (d['x'][1:] - d['x'][:-1],), vecs(2), 'half'),
    Case('Jacobi', dict(U=M),
         "V = 0.25*(U[1:end-2, 2:end-1] + U[3:end, 2:end-1] + U[2:end-1, 1:end-2] "
         "+ U[2:end-1, 3:end]);", ('V',), jacobi, mats(1, 1), 'n/2'),
    Case('softmax', dict(A=M), "S = softmax(A);", ('S',), softmax, mats(1, 1),
         'n/2'),
    Case('BiCG iteration',
         dict(A=M, p=V[0], pt=V[1], r=V[2], rt=V[3], z=V[4], rho=1.5),
         "q = A*p; qt = A'*pt; alpha = rho/(pt'*q); z1 = z + alpha*p; "
         "r1 = r - alpha*q; rt1 = rt - alpha*qt; rho1 = rt1'*r1; beta = rho1/rho; "
         "p1 = r1 + beta*p; pt1 = rt1 + beta*pt; "
         "return z1, r1, rt1, p1, pt1, rho1;",
         ('z1', 'r1', 'rt1', 'p1', 'pt1', 'rho1'), bicg, mats(1, 0, 14), 'n/2'),
    Case('CG iteration', dict(A=M, p=V[0], r=V[2], z=V[4], rho=1.5),
         "q = A*p; alpha = rho/(p'*q); z1 = z + alpha*p; r1 = r - alpha*q; "
         "rho1 = r1'*r1; p1 = r1 + (rho1/rho)*p; return z1, r1, p1, rho1;",
         ('z1', 'r1', 'p1', 'rho1'), cg, mats(1, 0, 8), 'n/2'),
]


def sizes(case, n, length):
    """(n, len) that a case runs at when the table is at (n, length)."""
    if case.size == 'half':
        return n, length // 2
    if case.size == 'n/2':
        return n // 2, length
    return n, length


def setup_text(case, dtype, n, length):
    """Fusible's statements that make the inputs."""
    lines = []
    for name, spec in case.inputs.items():
        if not isinstance(spec, tuple):
            lines.append(f'{name} = sum({dtype}([{spec}]));')  # on the device
            continue
        kind = spec[0]
        if kind == 'matrix':
            _, a, b, c = spec
            value = f"mod({a}*(1:{n}) + {b}*(1:{n})' + {c}, 17)/16 - 0.5"
        else:
            count = n if kind == 'vector' else length
            shift = '+ 1/16' if kind[0] == '+' else '- 0.5'
            value = f'mod({spec[1]}*(1:{count}) + {spec[2]}, 17)/16 {shift}'
        lines.append(f'{name} = {dtype}({value});')
    return ' '.join(lines)
