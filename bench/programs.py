"""Programs of many steps, as cases of bench/gpu.py (`--cases programs`): what a step
takes in a loop, on the results of the one before. Nothing else of them is timed.

`step` are Fusible's statements, in a loop over k = 1, 2, ...; `peer` gives the state
after a step as a function over an array module. There k counts from 0, as a value of
its own (`count`), so that nothing is compiled anew for another k.
"""
from cases import D, L, M, P, X, Case, mats, vecs

NONE = ('matrix', 0, 0, 8)  # zeros
EYE = ('matrix', 0, 0, 8, None, 1)


def program(name, inputs, step, state, peer, moves, size, **more):
    carried = state + (('k',) if 'k' in inputs else ())
    return Case(name, inputs, '', state, peer, moves, size, loop=step, carried=carried,
                **more)


def put(x, where, part):
    """x with a part replaced; x itself stays."""
    if hasattr(x, 'at'):  # JAX
        return x.at[where].set(part)
    x = x.clone() if hasattr(x, 'clone') else x.copy()
    x[where] = part
    return x


def cast(x, like):
    return x.to(like.dtype) if hasattr(x, 'clone') else x.astype(like.dtype)


def norm(xp, x):
    return xp.sqrt((x * x).sum())


INSIDE = (slice(1, -1), slice(1, -1))


def heat(xp, d):
    u = d['U']
    return (put(u, INSIDE, 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] +
                                   u[1:-1, 2:])),)


def life(xp, d):
    c = d['L']
    n = sum(c[i:c.shape[0] - 2 + i, j:c.shape[1] - 2 + j]
            for i in range(3) for j in range(3) if (i, j) != (1, 1))
    alive = (n == 3) | ((n == 2) & (c[INSIDE] == 1))
    return (put(c, INSIDE, cast(alive, c)),)


def mandelbrot(xp, d):
    zr, zi = d['Zr'], d['Zi']
    t = zr * zr - zi * zi + (3 * d['x'] - 0.5)[None, :]
    zi = 2 * zr * zi + 3 * d['y'][:, None]
    inside = t * t + zi * zi < 4
    return xp.where(inside, t, 2.0), xp.where(inside, zi, 0.0), d['C'] + inside


def power(xp, d):
    w = d['A'] @ d['v']
    return (w / norm(xp, w),)


def logistic(xp, d):
    p = 1 / (1 + xp.exp(-(d['A'] @ d['w'])))
    return (d['w'] - 0.1 / d['A'].shape[0] * (d['A'].T @ (p - d['r'])),)


def softmax(xp, x):
    e = xp.exp(x - xp.amax(x, 1, True))
    return e / xp.sum(e, 1, True)


def network(xp, d):
    h = d['X'] @ d['W'] + d['b']
    h = h * (h > 0)
    e = (softmax(xp, h @ d['U'] + d['c']) - d['Y']) / d['X'].shape[0]
    g = (e @ d['U'].T) * (h > 0)
    return (d['W'] - 0.1 * (d['X'].T @ g), d['b'] - 0.1 * g.sum(0)[None, :],
            d['U'] - 0.1 * (h.T @ e), d['c'] - 0.1 * e.sum(0)[None, :])


def kmeans(xp, d):
    nearest = xp.argmin((d['C'] * d['C']).sum(1)[None, :] - 2 * (d['X'] @ d['C'].T), 1)
    own = cast(nearest[:, None] == d['I'][None, :], d['X'])
    return ((own.T @ d['X']) / own.sum(0)[:, None],)


def sinkhorn(xp, d):
    u = 1 / (d['A'] @ d['v'])
    return (1 / (d['A'].T @ u),)


def rank(xp, d):
    m = d['x'].shape[0]
    return (0.85 / (0.5625 * m) * (d['A'].T @ d['x']) + 0.15 / m,)


def floyd(xp, d):
    a, k = d['D'], d['k']
    return xp.minimum(a, a[:, k][:, None] + a[k][None, :]), k + 1


def gram_schmidt(xp, d):
    q = d['Q'][:, d['k']]
    q = q / norm(xp, q)
    rest = d['Q'] - q[:, None] * (q @ d['Q'])[None, :]
    return put(rest, (slice(None), d['k']), q), d['k'] + 1


def running(xp, d):
    a, k = d['A'], d['k']
    return put(a, k + 1, a[k + 1] + a[k]), k + 1


def elimination(xp, d):
    a, k, rows = d['A'], d['k'], d['I']
    below = xp.where(rows > k, a[:, k] / a[k, k], 0.0)
    behind = xp.where(rows > k, a[k], 0.0)
    return a - below[:, None] * behind[None, :], k + 1


def lorenz(xp, d):
    def f(x, y, z):
        return 10 * (y - x), x * (28 - z) - y, x * y - 2.667 * z
    p, h = (d['x'], d['y'], d['z']), 0.001
    a = f(*p)
    b = f(*(u + h / 2 * v for u, v in zip(p, a)))
    c = f(*(u + h / 2 * v for u, v in zip(p, b)))
    e = f(*(u + h * v for u, v in zip(p, c)))
    return tuple(u + h / 6 * (s + 2 * t + 2 * v + w)
                 for u, s, t, v, w in zip(p, a, b, c, e))


def bodies(xp, d):
    p, v = [d[n] for n in 'xyz'], [d[n] for n in 'uvw']
    apart = [q[None, :] - q[:, None] for q in p]
    s = (sum(a * a for a in apart) + 0.01) ** -1.5
    v = [q + 0.001 * (a * s).sum(1) for q, a in zip(v, apart)]
    return (*(q + 0.001 * w for q, w in zip(p, v)), *v)


def batches(xp, d):
    b = (8191 * (d['I'] + 1) + 127 * (d['k'] + 1)) % d['y'].shape[0]
    part = d['A'][b]
    e = part @ d['w'] - d['y'][b]
    return d['w'] - 0.0001 * (part.T @ e), d['k'] + 1


def sparse(xp, d):
    q = (d['V'] * d['p'][d['J']]).sum(1)
    return (q / norm(xp, q),)


def adam(xp, d):
    m = 0.9 * d['m'] + 0.1 * d['g']
    v = 0.999 * d['v'] + 0.001 * d['g'] * d['g']
    return m, v, d['w'] - 0.001 * m / (xp.sqrt(v) + 1e-8)


def small(xp, d):
    x = d['A'] @ d['x']
    return (x / x.sum(),)


def series(xp, d):
    t = d['T'] @ d['A'] / (d['k'] + 1)
    return t, d['E'] + t, d['k'] + 1


def attention(xp, d):
    return (softmax(xp, d['Q'] @ d['K'].T / 8) @ d['V'],)


def gaussian(xp, d):
    x = d['x']
    k = xp.exp(-200 * (x[:, None] - x[None, :]) ** 2) + 0.01 * d['E']
    r, y = xp.linalg.cholesky(k), d['y'][:, None]
    a = xp.cholesky_solve(y, r) if hasattr(xp, 'cholesky_solve') else \
        xp.linalg.solve(r.T, xp.linalg.solve(r, y))
    return ((k @ a)[:, 0],)


def dims(rows, columns):
    """Of a matrix that is not m x n: 'm', 'n' or a number each."""
    return lambda m, n: tuple({'m': m, 'n': n}.get(x, x) for x in (rows, columns))


HEAT = ("U[2:end-1, 2:end-1] = 0.25*(U[1:end-2, 2:end-1] + U[3:end, 2:end-1] + "
        "U[2:end-1, 1:end-2] + U[2:end-1, 3:end]);")
NEIGHBOURS = " + ".join(f"L[{i}:end-{3 - i}, {j}:end-{3 - j}]"
                        for i in (1, 2, 3) for j in (1, 2, 3) if (i, j) != (2, 2))
UPTO = ('upto', lambda m, n: m)

PROGRAMS = [
    program('heat', dict(U=M), HEAT, ('U',), heat, mats(1, 1), 4096, bound=1e-5),
    program('heat, small', dict(U=M), HEAT, ('U',), heat, mats(1, 1), 512, bound=1e-5),
    program('life', dict(L=('cells', 5)),
            f"N = {NEIGHBOURS}; C = L[2:end-1, 2:end-1]; "
            "L[2:end-1, 2:end-1] = i32(N == 3 || (N == 2 && C == 1));", ('L',), life,
            mats(1, 1), 4096, bound=0.0),
    program('Mandelbrot', dict(x=X[0], y=D[0], Zr=NONE, Zi=NONE, C=NONE),
            "t = Zr.*Zr - Zi.*Zi + (3*x' - 0.5); Zi = 2*Zr.*Zi + 3*y; Zr = t; "
            "in = Zr.*Zr + Zi.*Zi < 4; C = C + in; Zr = where(in, Zr, 2); "
            "Zi = where(in, Zi, 0);", ('Zr', 'Zi', 'C'), mandelbrot, mats(3, 3, 1, 1), 2048,
            bound=1e-5),
    program('power iteration', dict(A=M, v=X[0]), "w = A*v; v = w / norm(w);", ('v',), power,
            mats(1, 0, 1, 1), 8192, bound=1e-4),
    program('logistic regression', dict(A=M, r=D[1], w=X[0]),
            "p = 1 ./ (1 + exp(-A*w)); w = w - 0.1/numel(r)*(A'*(p - r));", ('w',),
            logistic, mats(1, 0, 1, 2), '1000000x32', bound=1e-5),
    program('network of two layers',
            dict(X=M, Y=('+matrix', 3, 7, 2, dims('m', 10)),
                 W=('noise', 5, dims('n', 256)), b=(*NONE, dims(1, 256)),
                 U=('noise', 7, dims(256, 10)), c=(*NONE, dims(1, 10))),
            "H = max(X*W + b, 0); E = (softmax(H*U + c) - Y)/size(X, 1); "
            "G = (E*U') .* (H > 0); U = U - 0.1*(H'*E); c = c - 0.1*sum(E, 1); "
            "W = W - 0.1*(X'*G); b = b - 0.1*sum(G, 1);", ('W', 'b', 'U', 'c'), network,
            mats(1), '4096x784', bound=1e-3),
    program('k-means of 32', dict(X=('noise', 5), C=('noise', 7, dims(32, 'n')),
                                  I=('upto', lambda m, n: 32)),
            "k = rowargmin(sum(C.^2, 2)' - 2*(X*C')); O = f32(k == (1:32)'); "
            "C = (O'*X) ./ sum(O, 1)';", ('C',), kmeans, mats(1), '1000000x16',
            bound=1e-3),
    program('Sinkhorn', dict(A=('+matrix', 7, 5, 3), v=('+across', 5, 2)),
            "u = 1 ./ (A*v); v = 1 ./ (A'*u);", ('v',), sinkhorn, mats(1, 0, 0, 2), 4096,
            bound=1e-5),
    program('page rank', dict(A=('+matrix', 7, 5, 3), x=('+across', 5, 2)),
            "x = 0.85/(0.5625*numel(x))*(A'*x) + 0.15/numel(x);", ('x',), rank,
            mats(1, 0, 0, 2), 16384, bound=1e-5),
    program('Floyd-Warshall', dict(D=('noise', 5), k=('count',)),
            "D = min(D, D[:, k] + D[k, :]);", ('D',), floyd, mats(1, 1), 1024, bound=1e-5),
    program('Gram-Schmidt', dict(Q=('noise', 5), k=('count',)),
            "q = Q[:, k] / norm(Q[:, k]); Q = Q - q*(q'*Q); Q[:, k] = q;", ('Q',),
            gram_schmidt, mats(1, 1), '4096x256', bound=1e-4),
    program('running sums', dict(A=M, k=('count',)), "A[k + 1, :] = A[k + 1, :] + A[k, :];",
            ('A',), running, mats(0, 0, 0, 3), 2048, bound=1e-6),
    program('elimination', dict(A=('noise', 5, None, 64), k=('count',), I=UPTO),
            "A[k+1:end, k+1:end] -= A[k+1:end, k]/A[k, k] * A[k, k+1:end];", ('A',),
            elimination, mats(1, 1), 2048, bound=1e-5),
    program('Lorenz, Runge-Kutta', dict(x=L[0], y=L[1], z=P[2]),
            "a, b, c = f(x, y, z); d, e, g = f(x + h/2*a, y + h/2*b, z + h/2*c); "
            "i, j, l = f(x + h/2*d, y + h/2*e, z + h/2*g); "
            "m, n, o = f(x + h*i, y + h*j, z + h*l); x = x + h/6*(a + 2*d + 2*i + m); "
            "y = y + h/6*(b + 2*e + 2*j + n); z = z + h/6*(c + 2*g + 2*l + o);",
            ('x', 'y', 'z'), lorenz, vecs(6), 1000000, bound=1e-5,
            before="h = 0.001;\nfunction f(x, y, z)\n  "
            "return 10*(y - x), x.*(28 - z) - y, x.*y - 2.667*z\nend\n"),
    program('bodies', dict(x=('noise', 5, dims('m', 1)), y=('noise', 7, dims('m', 1)),
                           z=('noise', 11, dims('m', 1)), u=('down', 0, 8), v=('down', 0, 8),
                           w=('down', 0, 8)),
            "a = x' - x; b = y' - y; c = z' - z; "
            "s = (a.^2 + b.^2 + c.^2 + 0.01).^(-1.5); u = u + 0.001*sum(a.*s, 2); "
            "v = v + 0.001*sum(b.*s, 2); w = w + 0.001*sum(c.*s, 2); x = x + 0.001*u; "
            "y = y + 0.001*v; z = z + 0.001*w;", tuple('xyzuvw'), bodies, mats(0, 0, 12),
            8192, bound=1e-4),
    program('batches of 256', dict(A=M, y=D[1], w=X[0], k=('count',),
                                   I=('upto', lambda m, n: 256)),
            "b = mod(8191*(1:256) + 127*k, numel(y)) + 1; B = A[b, :]; e = B*w - y[b]; "
            "w = w - 0.0001*(B'*e);", ('w',), batches,
            lambda m, n, length, b: b * 256 * (n + 1), '100000x784', bound=1e-5),
    program('sparse power iteration', dict(V=('+matrix', 7, 5, 3), J=('near',),
                                           p=('+down', 5, 2)),
            "q = sum(V .* p[J], 2); p = q / norm(q);", ('p',), sparse,
            lambda m, n, length, b: m * n * (b + 4) + 4 * b * m, '1000000x8', bound=1e-5),
    program('Adam', dict(g=L[1], m=L[2], v=P[3], w=L[0]),
            "m = 0.9*m + 0.1*g; v = 0.999*v + 0.001*g.^2; "
            "w = w - 0.001*m ./ (sqrt(v) + 1e-8);", ('m', 'v', 'w'), adam, vecs(7), 10000000,
            bound=1e-5),
    program('3 x 3', dict(A=('+matrix', 7, 5, 3), x=('+across', 5, 2)),
            "x = A*x; x = x / sum(x);", ('x',), small, mats(1, 0, 0, 2), 3, bound=1e-5),
    program('exponential series', dict(A=M, T=EYE, E=EYE, k=('count',)),
            "T = T*A/k; E = E + T;", ('T', 'E'), series, mats(3, 2), 1024, bound=1e-5),
    program('attention', dict(Q=M, K=('matrix', 3, 11, 1), V=('matrix', 5, 3, 2)),
            "V = softmax(Q*K'/8)*V;", ('V',), attention, mats(3, 1), '4096x64', bound=1e-4),
    program('Gaussian process', dict(x=('ramp',), y=X[0], E=EYE),
            "K = exp(-200*(x - x').^2) + 0.01*E; R = chol(K); a = R\\(R'\\y); y = K*a;",
            ('y',), gaussian, mats(1, 0, 2, 2), 2048, bound=1e-2, steps=8),
]
