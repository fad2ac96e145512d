#!/usr/bin/python3
"""The programs of tests/programs beside NumPy, and in how many kernels a GPU does their steps.

Each is written as somebody would who knows NumPy, Octave or Julia, and saves its results. Here
is the same in NumPy. Whole numbers must be equal; others may differ by so many units of f64 of
the largest magnitude, as the program's own number of steps lets roundings grow.

The last line is `N passed, N failed`.
"""
import os
import subprocess
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, 'fake')]
import fakegpu  # noqa: E402
import score as scores  # noqa: E402

score = scores.Score()
FOLDER = scores.folder('listed')
PROGRAMS = os.path.join(HERE, 'programs')
# Of those whose loop is one step, or whose last block is: how many kernels; and of some with large
# arrays, too, by what their text has then.
KERNELS = {'life': 1, 'ising': 1, 'gray_scott': 1, 'solves': 1, 'lattice_boltzmann': 1}
LARGE = {'gray_scott': [('n = 64', 'n = 2048'), ('1:100', '1:3')],
         'lattice_boltzmann': [('nx = 64; ny = 48', 'nx = 2048; ny = 2048'), ('1:20', '1:3')]}


def iota(n):
    return np.arange(1, n + 1)


def em():
    n = 400
    u, v = iota(n) * 7919 + 3, iota(n) * 104729 + 5
    u, v = (u % 1009) / 1009, (v % 997) / 997
    r = np.sqrt(-2 * np.log(0.99 * u + 0.001))
    x = np.stack([r * np.cos(2 * np.pi * v), r * np.sin(2 * np.pi * v)], 1)
    x = x + (2 * (iota(n) % 2 == 0) - 1)[:, None]
    mu, w, s = np.array([[-1, -1], [1, 1.5]]), np.ones(2) / 2, np.array([np.eye(2)] * 2)
    for _ in range(25):
        d = x[:, None] - mu
        q = np.einsum('nki,kij,nkj->nk', d, np.linalg.inv(s), d)
        e = np.log(w) - 0.5 * (q + np.log(np.linalg.det(s)) + 2 * np.log(2 * np.pi))
        e = np.exp(e - e.max(1, keepdims=True))
        p = e / e.sum(1, keepdims=True)
        w, mu = p.sum(0) / n, p.T @ x / p.sum(0)[:, None]
        d = x[:, None] - mu
        s = np.einsum('nk,nki,nkj->kij', p, d, d) / p.sum(0)[:, None, None]
    return dict(w=w, mu=mu, S=s), 1e5


def life():
    a = (np.arange(64 * 48).reshape(64, 48) * 7919 % 101 > 60).astype('u1')
    for _ in range(50):
        n = sum(np.roll(a, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
        a = ((n == 3) | (a == 1) & (n == 2)).astype('u1')
    return dict(A=a), 0


def around(s):
    return np.roll(s, 1, 0) + np.roll(s, -1, 0) + np.roll(s, 1, 1) + np.roll(s, -1, 1)


def ising():
    k = np.arange(64 * 48).reshape(64, 48)
    s, r = 2.0 * (k * 7919 % 101 > 50) - 1, k * 7907 % 1009 / 1009
    black = (iota(64)[:, None] + iota(48)) % 2 == 0
    for t in range(1, 41):
        flip = ((r + 0.37 * t) % 1 < np.exp(-2 * 0.44 * s * around(s))) & (black == (t % 2 == 0))
        s = np.where(flip, -s, s)
    return dict(s=s), 0


def gray_scott():
    u, v = np.ones((64, 64)), np.zeros((64, 64))
    u[27:36, 27:36], v[27:36, 27:36] = 0.5, 0.25
    for _ in range(100):
        uvv = u * v ** 2
        u, v = (u + 0.16 * (around(u) - 4 * u) - uvv + 0.035 * (1 - u),
                v + 0.08 * (around(v) - 4 * v) + uvv - (0.035 + 0.065) * v)
    return dict(U=u, V=v), 1e4


def pagerank():
    n, k = 50, np.arange(300)
    src, dst = k * 7 % n, (k ** 2 * 11 + 3) % n
    deg, r, steps = np.bincount(src, minlength=n), np.ones(n) / n, 0
    while True:
        new = 0.15 / n + 0.85 * np.bincount(dst, (r / deg)[src], n)
        steps += 1
        if abs(new - r).sum() < 1e-12:
            break
        r = new
    return dict(r=r, p=np.argsort(-r, kind='stable') + 1, steps=np.array(steps)), 100


def groupby():
    key, v = iota(1000) ** 2 % 37, iota(1000) * 7919 % 211 - 100.0
    u, i, count = np.unique(key, return_inverse=True, return_counts=True)
    most = np.array([v[i == k].max() for k in range(len(u))])
    return dict(u=u, count=count, total=np.bincount(i, v), most=most), 0


def csr():
    n = 200
    length = iota(n) * 7 % 5
    ptr = np.concatenate([[0], np.cumsum(length)])
    nz = ptr[-1]
    y = np.zeros(n)
    rows = np.repeat(np.arange(n), length)
    np.add.at(y, rows, (iota(nz) * 17 % 23 - 11.0) * (iota(n) * 13 % 19)[iota(nz) * 31 % n])
    return dict(y=y, z=y), 0


def sod():
    n, g, t, steps = 200, 1.4, 0.0, 0
    x = (iota(n) - 0.5) / n
    rho, p = np.where(x < 0.5, 1.0, 0.125), np.where(x < 0.5, 1.0, 0.1)
    q = np.stack([rho, 0 * rho, p / (g - 1)])
    left, right = np.r_[0, :n], np.r_[:n, n - 1]
    while t < 0.2:
        u, e = q[1] / q[0], q[2]
        p = (g - 1) * (e - 0.5 * q[0] * u ** 2)
        a = (abs(u) + np.sqrt(g * p / q[0])).max()
        dt = min(0.5 / n / a, 0.2 - t)
        f = np.stack([q[1], q[1] * u + p, u * (e + p)])
        h = 0.5 * (f[:, left] + f[:, right]) - 0.5 * a * (q[:, right] - q[:, left])
        q = q - dt * n * (h[:, 1:] - h[:, :-1])
        t, steps = t + dt, steps + 1
    return dict(Q=q, steps=np.array(steps)), None


def particle_filter():
    n, est = 500, np.zeros(20)

    def noise(k):
        return (iota(n) * 7919 + 131 * k) % 1009 / 1009 - 0.5
    p = 2 * noise(0)
    for t in range(1, 21):
        p = 0.9 * p + noise(t)
        lw = -0.5 * ((np.sin(0.3 * t) - p) / 0.5) ** 2
        w = np.exp(lw - lw.max())
        w /= w.sum()
        est[t - 1] = w @ p
        p = p[np.minimum(np.searchsorted(np.cumsum(w), (np.arange(n) + 0.5) / n), n - 1)]
    return dict(est=est), 1e4


def kmeans():
    n = 200
    x = np.stack([iota(n) * 7919 % 1009, iota(n) * 104729 % 997], 1) / 100 + 5.0 * (iota(n) % 2 == 0)[:, None]
    c = np.vstack([x[:3], [[100, 100]]])
    for _ in range(12):
        k = ((x[:, None] - c) ** 2).sum(2).argmin(1)
        count = np.bincount(k, minlength=4)
        for j in range(4):
            c[j] = x[k == j].mean(0) if count[j] else c[j]
    return dict(C=c, k=k + 1, count=count), 100


def histeq():
    i, j = iota(40)[:, None], iota(60)
    a = (50 + (i * 7 + i * j * 13) % 64).astype('u1')
    h = np.bincount(a.ravel(), minlength=256)
    cdf = h.cumsum()
    lo = cdf[cdf > 0].min()
    table = np.rint(255 * (cdf - lo) / (cdf[-1] - lo)).clip(0).astype('u1')
    return dict(A=a, h=h, B=table[a]), 0


def kalman():
    f, h, q, r = np.array([[1, 0.1], [0, 1]]), np.array([[1.0, 0]]), 0.01 * np.eye(2), 0.1
    x, p, track = np.zeros(2), np.eye(2), []
    for z in np.cumsum(iota(60) * 7919 % 101 / 1000):
        x, p = f @ x, f @ p @ f.T + q
        k = p @ h.T / (h @ p @ h.T + r)
        x = x + (k * (z - h @ x)).ravel()
        p = (np.eye(2) - k @ h) @ p
        track.append(x)
    return dict(track=np.array(track), P=p), 1e4


def lstm():
    def data(m, n, k):
        return (np.arange(m * n).reshape(m, n) * 7919 + k) % 101 / 101 - 0.5

    def sigmoid(x):
        return 1 / (1 + np.exp(-x))
    x, w, u, b = data(40, 8, 1).reshape(10, 4, 8), data(8, 64, 2), data(16, 64, 3) / 2, data(64, 1, 4).T
    h = c = np.zeros((4, 16))
    out = []
    for t in range(10):
        i, f, o, g = np.split(x[t] @ w + h @ u + b, 4, 1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        out.append(h)
    return dict(Y=np.array(out)), 1000


def attention():
    q, k, v = ((np.arange(3 * 16 * 8) * 7919 + s) % 101 / 101 - 0.5 for s in (1, 2, 3))
    q, k, v = (x.reshape(3, 16, 8) for x in (q, k, v))
    e = np.exp(q @ k.transpose(0, 2, 1) / np.sqrt(8))
    o = e / e.sum(2, keepdims=True) @ v
    return dict(O=o, L=o), 100


def mandelbrot():
    c = np.linspace(-2, 1, 60) + 1j * np.linspace(-1, 1, 40)[:, None]
    z, n = 0 * c, np.zeros(c.shape, 'i8')
    for _ in range(50):
        m = abs(z) < 2
        z = np.where(m, z ** 2 + c, z)
        n += m
    return dict(n=n), 0


def solves():
    n = 1000
    a = (np.arange(9 * n) * 7919 % 101 / 101 - 0.5).reshape(n, 3, 3) + 4 * np.eye(3)
    x = np.linalg.solve(a, (np.arange(3 * n) * 31 % 17 - 8.0).reshape(n, 3, 1))
    return dict(x=x, r=np.exp(-abs(x))), 100


def fft_convolution():
    x, h = iota(1000) * 7919 % 101 - 50.0, np.array([1, 4, 6, 4, 1]) / 16
    w = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(100) / 100)
    y = np.convolve(x, h)
    return dict(y=y, z=y, P=abs(np.fft.rfft(x.reshape(10, 100) * w)) ** 2), 1e4


def stft():
    x = (iota(1024) * 7919 % 101 - 50) / 50
    w = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(64) / 64)
    frames = np.lib.stride_tricks.sliding_window_view(x, 64)[::16]
    return dict(P=abs(np.fft.rfft(frames * w)) ** 2, r=x[63:1024 - 64]), 1e5


def lattice_boltzmann():
    cx, cy = (0, 1, 0, -1, 0, 1, -1, -1, 1), (0, 0, 1, 0, -1, 1, 1, -1, -1)
    w = [4 / 9] + [1 / 9] * 4 + [1 / 36] * 4
    u0 = (0.05 * (iota(48) * 7 % 5))[:, None] * np.ones((1, 64))
    f = [w[i] * (1 + 3 * cx[i] * u0) for i in range(9)]
    for _ in range(20):
        f = [np.roll(f[i], (cy[i], cx[i]), (0, 1)) for i in range(9)]
        rho = sum(f)
        ux = sum(c * g for c, g in zip(cx, f)) / rho
        uy = sum(c * g for c, g in zip(cy, f)) / rho
        for i in range(9):
            cu = cx[i] * ux + cy[i] * uy
            f[i] = f[i] + (w[i] * rho * (1 + 3 * cu + 4.5 * cu ** 2 - 1.5 * (ux ** 2 + uy ** 2)) - f[i]) / 0.6
    return dict(f1=f[0], f2=f[1], f9=f[8], ux=ux, uy=uy), 1e4


def compare(name):
    path = os.path.join(PROGRAMS, name + '.fs')
    done = subprocess.run([fakegpu.PROGRAM, 'run', path], cwd=FOLDER, capture_output=True, text=True,
                          env=dict(os.environ, HOME=FOLDER), timeout=900)
    if not score.check(not done.returncode, name, done.stdout + done.stderr):
        return
    want, units = globals()[name]()
    got = np.load(os.path.join(FOLDER, name + '.npz'))
    for key, value in want.items():
        x = got[key]
        if not score.check(x.shape == value.shape, f'{name}: {key} is {x.shape}, not {value.shape}'):
            continue
        least = 1e6 if units is None else units
        far = abs(x.astype(value.dtype) - value).max() if value.dtype.kind != 'u' else (x != value).max()
        bound = least * 2.0 ** -53 * abs(value).max() if value.dtype.kind in 'fc' else 0
        score.check(far <= bound, f'{name}: {key} is {far} off, {bound} allowed')


def count(name, kernels, other=()):
    """Its last block on an H200: nothing runs there, so programs whose steps are fixed alone."""
    with open(os.path.join(PROGRAMS, name + '.fs'), encoding='utf-8') as f:
        text = f.read()
    text = text[:text.index('save(')] + f':assert plan kernels <= {kernels}\n'
    for old, new in other:
        score.check(old in text, f'{name}: {old} is in it')
        text = text.replace(old, new)
    path = os.path.join(FOLDER, 'counted.fs')
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)
    done = fakegpu.run(['--no-rc', '--target', 'cuda', path],
                       fakegpu.environment(FOLDER, FUSIBLE_FAKE_DEVICE='h200', FUSIBLE_FAKE_RUN='0'))
    score.check(not done.returncode, f'{name}{", large" if other else ""}: more than {kernels} kernels',
                done.stdout + done.stderr)


if __name__ == '__main__':
    for program in sorted(f[:-3] for f in os.listdir(PROGRAMS)):
        compare(program)
    for program, most in KERNELS.items():
        count(program, most)
    for program, other in LARGE.items():
        count(program, KERNELS[program], other)
    sys.exit(score.close())
