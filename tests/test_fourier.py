#!/usr/bin/python3
"""Fourier transforms beside numpy.

Whole numbers of lengths 1, 2 and 4, whose transforms are numpy's to the bit; rounded data of any
length, type, rank and dimension, each number within a bound of a transform in a longer type;
NaN, infinities, arrays without elements. On the CPU and, unless --target says otherwise, on the
fake GPU.

    tests/test_fourier.py [--count N] [--first N] [--target cpu|fake|both]

The last line is `N passed, N failed`.
"""
import argparse
import os
import random
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, 'fake')]
import fakegpu  # noqa: E402
from score import Score, folder  # noqa: E402

score = Score()
HOME = folder('fourier')
UNIT = {np.dtype(np.float32): 2. ** -24, np.dtype(np.float64): 2. ** -53}
TYPES = {'f32': np.float32, 'f64': np.float64, 'i32': np.int32, 'i64': np.int64, 'bool': np.bool_,
         'u8': np.uint8, 'f16': np.float16, 'c64': np.complex64, 'c128': np.complex128}
WIDE = ('f64', 'i64', 'c128')
SHAPES = [(1,), (2,), (5,), (1, 9), (9, 1), (7, 4), (16, 37), (3, 4, 5), (2, 1, 30, 3),
          (2, 3, 2, 3, 2, 3)]
# Smooth ones, primes small and large, what is neither; more than one task has.
LENGTHS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 25, 30, 31, 37, 49, 60, 64, 74, 97, 100, 121,
           128, 222, 240, 243, 256, 625, 1000, 1009, 1024, 2310, 4096, 4098, 5000, 8192]


def transform(x, kind, n, axis):
    """By the definition, in long double, or for long lines by numpy in double."""
    x = np.moveaxis(np.asarray(x), axis, -1)
    if kind == 'irfft':
        half = np.zeros(x.shape[:-1] + (n // 2 + 1,), np.clongdouble)
        m = min(x.shape[-1], n // 2 + 1)
        half[..., :m] = x[..., :m]
        half[..., 0] = half[..., 0].real
        if n % 2 == 0:
            half[..., -1] = half[..., -1].real
        x = np.concatenate([half, half[..., 1:(n + 1) // 2][..., ::-1].conj()], -1)
    x = x.astype(np.clongdouble)
    whole = np.zeros(x.shape[:-1] + (n,), np.clongdouble)
    m = min(n, x.shape[-1])
    whole[..., :m] = x[..., :m]
    back = kind in ('ifft', 'irfft')
    if n <= 300:
        k = np.arange(n)
        angle = 2 * np.longdouble('3.14159265358979323846264338327950288')
        w = angle * (np.outer(k, k) % n) / np.longdouble(n)
        y = whole @ (np.cos(w) + (1j if back else -1j) * np.sin(w))
    else:
        y = (np.fft.ifft if back else np.fft.fft)(whole.astype(complex))
        y = y * n if back else y
    size = np.sqrt((np.abs(whole) ** 2).sum(-1, keepdims=True))
    size = size + np.abs(y).max(-1, keepdims=True) / 4  # sums on the way to the largest
    y, size = (y / n, size / n) if back else (y, size)
    y = y.real if kind == 'irfft' else y[..., :n // 2 + 1] if kind == 'rfft' else y
    return np.moveaxis(y, -1, axis), np.moveaxis(size + 0 * np.abs(y), -1, axis)


def steps(n):
    """How many roundings a number goes through, about."""
    left, sum_ = n, 2
    for p in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31):
        while left % p == 0:
            left, sum_ = left // p, sum_ + (1 if p == 2 else 2 if p < 7 else p)
    return sum_ if left == 1 else 20 * np.log2(2 * n)


def run_program(program, target):
    """On the CPU, or the fake GPU with a library of its own or without one."""
    if target != 'cuFFT':
        return fakegpu.run_script(program, target, HOME)
    path = os.path.join(HOME, 'program.fs')
    with open(path, 'w', encoding='utf-8') as f:
        f.write(program)
    env = fakegpu.environment(HOME, FUSIBLE_CUFFT=os.path.join(fakegpu.FAKE, 'cufft.so'))
    return fakegpu.run(['--no-rc', '--target', 'cuda', path], env)


def run(text, data, target, what, names=None):
    path, out = os.path.join(HOME, 'in.npz'), os.path.join(HOME, 'out.npz')
    parts, head = {}, []
    for name, a in data.items():
        load = f'load("{path}", "{name}")'
        if np.iscomplexobj(a):
            parts[name], parts[name + '_im'] = a.real, a.imag
            load = f'complex({load}, load("{path}", "{name}_im"))'
        else:
            parts[name] = a
        head.append(f'{name} = {load};')
    np.savez(path, **parts)
    if os.path.exists(out):
        os.remove(out)
    names = names or [line.split(' = ')[0] for line in text]
    tail = [f'{n}_re = re({n}); {n}_im = im({n});' for n in names]
    saved = ', '.join(f'{n}_re, {n}_im' for n in names)
    program = '\n'.join(head + text + tail + [f'save("{out}", {saved})']) + '\n'
    done = run_program(program, target)
    if done.returncode != 0 or not os.path.exists(out):
        score.check(False, f'{what} runs on {target}', done.stdout + done.stderr + program)
        return None
    with np.load(out) as f:
        return {n: (f[n + '_re'], f[n + '_im']) for n in names}


def call(kind, name, a, n, axis):
    """fft(x), with a length, with a dimension from either end."""
    first = 1 if a.ndim == 2 and a.shape[0] == 1 else 0
    given = n != (2 * (a.shape[axis] - 1) if kind == 'irfft' else a.shape[axis])
    if axis == first and not given:
        return f'{kind}({name})'
    dim = random.choice([axis + 1, axis - a.ndim])
    return f'{kind}({name}, {n if given else "[]"}, {dim})'


def elements(draw, dtype, shape):
    if dtype == 'bool':
        return draw.integers(0, 2, shape).astype(bool)
    if dtype in ('i32', 'i64', 'u8'):
        return draw.integers(0, 100, shape).astype(TYPES[dtype])
    x = draw.standard_normal(shape)
    if dtype in ('c64', 'c128'):
        x = x + 1j * draw.standard_normal(shape)
    return x.astype(TYPES[dtype])


def one(r, draw, k):
    dtype, kind = r.choice(list(TYPES)), r.choice(['fft', 'fft', 'ifft', 'rfft', 'irfft'])
    if kind == 'rfft' and dtype in ('c64', 'c128'):
        kind = 'fft'
    shape = list(r.choice(SHAPES))
    axis = r.randrange(len(shape))
    if r.random() < 0.6:
        shape[axis] = r.choice(LENGTHS if len(shape) < 3 else LENGTHS[:24])
    n = 2 * (shape[axis] - 1) if kind == 'irfft' else shape[axis]
    if n == 0 or r.random() < 0.3:
        n = r.choice(LENGTHS[:30])
    a = elements(draw, dtype, shape)
    return a, kind, n, axis, call(kind, f'x{k}', a, n, axis)


def rounded(seed, target):
    r, draw = random.Random(seed), np.random.default_rng(seed)
    random.seed(seed)
    cases = [one(r, draw, k) for k in range(12)]
    data = {f'x{k}': c[0] for k, c in enumerate(cases)}
    got = run([f'y{k} = {c[4]}' + ';' for k, c in enumerate(cases)], data, target, f'seed {seed}')
    for k, (a, kind, n, axis, text) in enumerate(cases if got else []):
        re, im = got[f'y{k}']
        want, size = transform(a, kind, n, axis)
        part = np.float64 if a.dtype in (np.float64, np.int64, np.complex128) else np.float32
        fits = re.dtype == part and re.shape == want.shape
        score.check(fits, f'{text} of {a.dtype} {a.shape} on {target}: the type and shape',
                    f'{re.dtype} {re.shape}, not {part} {want.shape}')
        if not fits:
            continue
        bound = UNIT[re.dtype] * steps(n) * (size + np.abs(want))
        if n > 300 and part == np.float64:
            bound = bound * 3  # numpy's own
        far = np.maximum(np.abs(re - want.real), np.abs(im - np.imag(want))) > bound
        score.check(not far.any(), f'{text} of {a.dtype} {a.shape} on {target}, seed {seed}',
                    f'{far.sum()} numbers too far: {re[far][:3]} {im[far][:3]} {want[far][:3]}')
        if kind == 'fft' and not np.iscomplexobj(a):
            full = np.moveaxis(re + 1j * im, axis, 0)
            score.check(np.array_equal(full[1:], full[:0:-1].conj()),
                        f'{text} of real numbers is its own mirror on {target}')


def exact(target):
    """Sums and differences of whole numbers, and quarters of them."""
    draw = np.random.default_rng(1)
    text, data, want = [], {}, {}
    for n in (1, 2, 4):
        for dtype in ('f32', 'f64', 'i32', 'c64', 'c128', 'bool') if target == 'cpu' else ('f32', 'c128'):
            for kind in ('fft', 'ifft', 'rfft', 'irfft'):
                if kind == 'rfft' and dtype[0] == 'c':
                    continue
                name = f'{kind}{n}{dtype}'
                a = draw.integers(-9, 10, (3, n // 2 + 1 if kind == 'irfft' else n)).astype(TYPES[dtype])
                if dtype[0] == 'c':
                    a = a + TYPES[dtype](1j) * draw.integers(-9, 10, a.shape)
                data['a' + name] = a.astype(TYPES[dtype])
                text.append(f'y{name} = {kind}(a{name}, {n}, 2);')
                want['y' + name] = getattr(np.fft, kind)(a.astype(complex if dtype[0] == 'c' else float), n, 1)
    # Lines that are cut, followed by zeros, as many as a block has and a rest, each way.
    for shape in ((37, 3), (37, 4), (37, 6), (3, 37), (4, 37), (6, 37), (700, 4), (4, 700)):
        for kind in ('fft', 'ifft', 'rfft'):
            name, axis = f'{kind}{shape[0]}by{shape[1]}', int(shape[0] > shape[1])
            data['a' + name] = draw.integers(-9, 10, shape).astype(np.float32)
            text.append(f'y{name} = {kind}(a{name}, 4, {axis + 1});')
            want['y' + name] = getattr(np.fft, kind)(data['a' + name].astype(float), 4, axis)
    got = run(text, data, target, 'whole numbers')
    for name, y in want.items() if got else []:
        re, im = got[name]
        score.check(np.array_equal(re, y.real) and np.array_equal(im, y.imag),
                    f'{name} is exact on {target}', f'{re} {im}\n{y}')


def special(target):
    """What is not finite is everywhere in its line, and in no other."""
    text, data = [], {}
    for n in (2, 5, 8, 37, 60, 97) if target == 'cpu' else (5, 8, 60):
        for bad in ('nan', 'inf'):
            a = np.ones((3, n), np.float32)
            a[1, n // 2] = float(bad)
            data[f'x{n}{bad}'] = a
            text += [f'f{n}{bad} = fft(x{n}{bad}, [], 2);', f'i{n}{bad} = ifft(c64(x{n}{bad}), [], 2);',
                     f'h{n}{bad} = irfft(x{n}{bad}, {2*n - 2}, 2);']
    got = run(text, data, target, 'special values')
    for name, (re, im) in got.items() if got else []:
        finite = np.isfinite(re) & np.isfinite(im)
        bad = finite[1].any() if name[0] != 'h' else finite[1].all()  # cosines may be 0
        score.check(finite[[0, 2]].all() and not bad, f'{name} on {target}',
                    f'{re}\n{im}')


def empties(target):
    data = {'e': np.zeros(0, np.float32), 'Z': np.zeros((0, 3)), 'x': np.ones(3, np.float32)}
    cases = [('fft(e)', (0,)), ('fft(e, 3)', (3,)), ('fft(Z)', (0, 3)), ('fft(Z, [], 2)', (0, 3)),
             ('rfft(Z, 4)', (3, 3)), ('irfft(Z, 4)', (4, 3)), ('fft(x, 0)', (0,)),
             ('ifft(x, 0)', (0,)), ('rfft(x, 0)', (0,)), ('irfft(x, 0)', (0,)),
             ('ifft(Z, 5, 2)', (0, 5)), ('fft2(Z)', (0, 3)), ('fftshift(e)', (0,))]
    got = run([f'y{k} = {c[0]};' for k, c in enumerate(cases)], data, target, 'empty arrays')
    for k, (text, shape) in enumerate(cases if got else []):
        re, im = got[f'y{k}']
        score.check(re.shape == shape and not re.any() and not im.any(), f'{text} on {target}',
                    f'{re} {im}')


def planes(target):
    draw = np.random.default_rng(3)
    a, z = draw.standard_normal((12, 35)), draw.standard_normal((8, 9)) + 1j
    got = run(['f = fft2(a);', 'b = ifft2(z);', 's = fftshift(z);', 't = ifftshift(a);',
               'q = fftfreq(9, 0.25);', 'p = fftfreq(8);', 'h = rfftfreq(7);', 'v = fftshift(q);',
               'u = ifftshift(p);'],
              {'a': a, 'z': z}, target, 'two dimensions')
    q, p = np.fft.fftfreq(9, .25), np.fft.fftfreq(8)
    want = {'f': np.fft.fft2(a), 'b': np.fft.ifft2(z), 's': np.fft.fftshift(z),
            't': np.fft.ifftshift(a), 'q': q, 'p': p, 'h': np.fft.rfftfreq(7),
            'v': np.fft.fftshift(q), 'u': np.fft.ifftshift(p)}
    size = {'f': 2. ** -53 * 20 * np.linalg.norm(a), 'b': 2. ** -53 * 20 * np.linalg.norm(z) / z.size}
    for name, y in want.items() if got else []:
        re, im = got[name]
        bound = size.get(name, 0 if name in 'st' else 2. ** -53 * np.abs(y))
        off = np.maximum(np.abs(re - y.real), np.abs(im - y.imag))
        score.check(re.shape == y.shape and (off <= bound).all(), f'{name} on {target}', f'{off}')


def full2(a, k):
    """By the definition."""
    y = np.zeros((a.shape[0] + k.shape[0] - 1, a.shape[1] + k.shape[1] - 1), np.result_type(a, k))
    for i, j in np.ndindex(k.shape):
        y[i:i + a.shape[0], j:j + a.shape[1]] += k[i, j] * a
    return y


def convolutions(target):
    """Whole numbers exactly, directly; rounded ones, of which the long go by transforms."""
    draw = np.random.default_rng(9)
    data, text, want, bound = {}, [], {}, {}
    for k, (n, m, dtype) in enumerate([(5, 3, 'i32'), (4, 9, 'i64'), (300, 290, 'i32'), (7, 4, 'f32'),
                                       (40, 17, 'c64'), (700, 400, 'f32'), (401, 800, 'f64'),
                                       (500, 300, 'c128')]):
        x, w = elements(draw, dtype, n), elements(draw, dtype, m)
        data[f'x{k}'], data[f'w{k}'] = x, w
        y = np.convolve(x.astype(np.clongdouble), w.astype(np.clongdouble))
        size = np.convolve(np.abs(x), np.abs(w))
        u = 0 if dtype[0] == 'i' else 2. ** -24 if dtype in ('f32', 'c64') else 2. ** -53
        far = u * (2 * min(n, m) * size if min(n, m) < 100
                   else 60 * np.linalg.norm(x) * np.linalg.norm(w) + 0 * size)
        for shape, from_, to in (('full', 0, n + m - 1), ('same', m // 2, m // 2 + n),
                                 ('valid', m - 1, max(n, m - 1))):
            text.append(f'{shape}{k} = conv(x{k}, w{k}, "{shape}");')
            want[f'{shape}{k}'], bound[f'{shape}{k}'] = y[from_:to], far[from_:to]
    for k, (m, n, p, q, dtype) in enumerate([(4, 5, 2, 3, 'i32'), (3, 3, 4, 5, 'f64'),
                                             (30, 25, 20, 16, 'f64'), (28, 30, 18, 21, 'c128')]):
        a, b = elements(draw, dtype, (m, n)), elements(draw, dtype, (p, q))
        data[f'a{k}'], data[f'b{k}'] = a, b
        y = full2(a, b)
        far = (0 if dtype == 'i32' else 2. ** -53 * 80 * np.linalg.norm(a) * np.linalg.norm(b)) + 0 * np.abs(y)
        for shape, (i, j), (r, c) in (('full', (0, 0), y.shape), ('same', (p // 2, q // 2), (m, n)),
                                      ('valid', (p - 1, q - 1), (max(m - p + 1, 0), max(n - q + 1, 0)))):
            text.append(f'{shape}2{k} = conv2(a{k}, b{k}, "{shape}");')
            want[f'{shape}2{k}'] = y[i:i + r, j:j + c]
            bound[f'{shape}2{k}'] = far[i:i + r, j:j + c]
    got = run(text, data, target, 'convolutions')
    for name, y in want.items() if got else []:
        re, im = got[name]
        fits = re.shape == y.shape
        off = np.maximum(np.abs(re - y.real), np.abs(im - y.imag)) if fits else None
        score.check(fits and (off <= bound[name]).all(), f'{name} on {target}',
                    f'{re.shape} {y.shape} {off}')
    for dtype, found in (('f32', True), ('i32', False)):
        program = f'x = {dtype}(9*rand(900)); w = {dtype}(9*rand(800)); y = conv(x, w);\n:plan\n'
        done = fakegpu.run_script(program, target, HOME)
        plan = done.stdout + done.stderr
        score.check('kernel' in plan and ('irfft' in plan) == found,
                    f'long ones of {dtype} go by transforms, or not, on {target}', plan)


def in_double():
    """What goes along the last of six dimensions is beside f64 what it is."""
    for text in ('re(fft(x, [], 6))', 'cumsum(x, 5)'):
        program = f'x = rand(2, 3, 2, 3, 7, 5); x[1, 1, 1, 1, 1, 1] = 1;\ny = {text};\n:check\n'
        done = fakegpu.run_script(program, 'cpu', HOME)
        said = [line for line in (done.stdout + done.stderr).splitlines() if 'of f64: ' in line]
        score.check(said and float(said[0].split()[-1]) < 1e-6, f'{text} in double',
                    done.stdout + done.stderr)


def block_cases(n, draw, part):
    """Transforms of lines with maps before and behind them: text, result, how large sums get."""
    rows = 67 if n < 200 else 9
    x, y = (draw.standard_normal((rows, n)).astype(part) for _ in range(2))
    w, h = (draw.random((1, m)).astype(part) for m in (n, n // 2 + 1))
    data = {'x': x, 'y': y, 'w': w, 'h': h}
    x, y, w, h = (a.astype(np.float64) for a in data.values())
    m, z = max(2 * n // 3, 2), x + 1j * y
    size = np.sqrt((np.abs(z) ** 2).sum(1).max())
    fft, ifft, rfft, irfft = np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.irfft
    return data, {
        'p': ('abs(fft(w.*x, [], 2)).^2', np.abs(fft(w * x)) ** 2, 2 * size ** 2),
        'c': ('re(fft(complex(x, y), [], 2)) + 0.5', fft(z).real + .5, size),
        'r': ('im(rfft(2*x, [], 2)).*h', rfft(2 * x).imag * h, 2 * size),
        'i': (f'2*irfft(h.*rfft(x, [], 2), {n}, 2)', 2 * irfft(h * rfft(x), n), 2 * size),
        'v': ('re(ifft(w.*fft(complex(x, y), [], 2), [], 2)) - 1', ifft(w * fft(z)).real - 1, size),
        'z': (f'3*im(fft(w[1, 1:{m}].*x[:, 1:{m}], {n}, 2))', 3 * fft((w * x)[:, :m], n).imag,
              3 * size),
        'e': (f'exp(irfft(complex(h, h).*w[1:1, 1:1], {n}, 2))', np.exp(irfft((h + 1j * h) * w[0, 0], n)),
              9.)}


def blocks(target):
    """Windows, transfer functions and magnitudes in the kernel of their transform: on a GPU one."""
    for n in (8, 12, 30, 64, 100, 256, 1024) if target == 'fake' else (12, 64, 250):
        for part in (np.float32, np.float64):
            data, cases = block_cases(n, np.random.default_rng(n), part)
            text = [f'{name} = {case[0]};' for name, case in cases.items()]
            if target == 'fake' and n < 200:  # of few lines the price may be another
                text = [t for line in text for t in (line, ':assert plan kernels == 1')]
            got = run(text, data, target, f'blocks of {n}', list(cases))
            for name, (said, want, size) in cases.items() if got else []:
                far = np.abs(got[name][0] - want) > UNIT[np.dtype(part)] * 2 * steps(n) * size
                score.check(not far.any(), f'{said} of {n} in {np.dtype(part)} on {target}',
                            f'{far.sum()} numbers too far')
    # Both parts are wanted as they are, and a line alone.
    draw = np.random.default_rng(5)
    x = draw.standard_normal((5, 48))
    got = run(['z = fft(2*x, [], 2);', 'm = max(abs(z), 1);', 'f = fft(x[1, :] + 1);'], {'x': x}, target,
              'both parts')
    want = {'z': np.fft.fft(2 * x), 'm': np.maximum(np.abs(np.fft.fft(2 * x)), 1),
            'f': np.fft.fft(x[:1] + 1)}
    for name, (re, im) in got.items() if got else []:
        far = np.maximum(np.abs(re - want[name].real), np.abs(im - want[name].imag))
        score.check(re.shape == want[name].shape and far.max() < 1e-13, f'{name} on {target}', f'{far}')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--count', type=int, default=6)
    parser.add_argument('--first', type=int, default=1)
    parser.add_argument('--target', default='both')
    args = parser.parse_args()
    for target in ['cpu', 'fake', 'cuFFT'] if args.target == 'both' else [args.target]:
        count = args.count if target == 'cpu' else (args.count + 2) // 3
        for seed in range(args.first, args.first + count):
            rounded(seed, target)
        if target == 'cuFFT':
            continue
        exact(target)
        special(target)
        empties(target)
        blocks(target)
    planes('cpu')
    convolutions('cpu')
    in_double()
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
