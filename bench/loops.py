#!/usr/bin/env python3
"""Loops over elements and naive kernels on a GPU, beside what they are measured by.

    bench/loops.py [--serve build/bench-serve] [--target cuda|cpu] [--rows 8192]
                   [--only WORD,WORD] [--seconds 220] [--json FILE]

Kernels: a naive kernel in CUDA C (examples/mv.cu, tests/kernels/naive.cu) as it is, compiled by
NVRTC (CuPy) and run in blocks of 256 or 16 x 16; as Fusible reads it; and what a library has for
it (PyTorch: cuBLAS, cuDNN), or the bytes that it must move at the speed of a copy.
Loops: statements over elements, and the same as expressions of whole arrays where Fusible has
one; else a kernel by hand, below.

Times are the smallest of some runs, by the device's events; `wall` is what a statement takes
until its result is there. --rows is the size of a square matrix, a multiple of 512; vectors have
as many elements as one. What CuPy or PyTorch is needed for is left out where they are not installed. No row is
begun after --seconds, and none takes Fusible longer than a minute.
"""
import argparse
import json
import os
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.insert(0, HERE)
from gpu import command, facts  # noqa: E402
RUNS = 5
BEYOND = 32   # rows

HEAD = '''#define idx (int)(blockIdx.x*blockDim.x + threadIdx.x)
#define idy (int)(blockIdx.y*blockDim.y + threadIdx.y)
'''


class Serve:
    """bench-serve: a line of JSON for a line of JSON; another one after what takes too long."""

    def __init__(self, command, setup):
        self.command, self.setup, self.process = command, setup, None
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, cwd=ROOT)
        for line in self.setup.splitlines():
            answer = self.ask(eval=line)
            if 'error' in answer:
                sys.exit(f'{line}: {answer["error"]}')

    def ask(self, **request):
        timer = threading.Timer(60, self.process.kill)
        timer.start()
        self.process.stdin.write(json.dumps(request) + '\n')
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        timer.cancel()
        if not line:
            self.process.wait()
            self.start()
        return json.loads(line) if line else {'error': 'it took too long'}

    def time(self, text, runs=RUNS):
        """(seconds by events, seconds of a statement, kernels), or what is wrong."""
        warm = self.ask(run=text, repeat=1)
        if 'error' in warm:
            return warm['error']
        if warm['wall'][0] > 2:
            runs = 1
        got = self.ask(run=text, repeat=runs)
        if 'error' in got:
            return got['error']
        return min(got['kernel']), min(got['wall']), got['kernels']


# -- naive kernels ------------------------------------------------------------------------
# Name, the file, Fusible's call, the arguments as it is (arrays by name, r: the result, numbers),
# axes of its threads and how many along each (None: n), the library's, arrays that it moves.

def conv2d(torch, d):
    image, window = d['A'][None, None], d['K'].reshape(1, 1, 5, 5)
    return lambda: torch.nn.functional.conv2d(image, window)


def regional(torch, d):
    image = d['A'][None, None]
    return lambda: torch.nn.functional.max_pool2d(image, 3, 1, 1) == image


NAIVE = 'tests/kernels/naive.cu'
KERNELS = [
    ('mv', 'examples/mv.cu', 'mv(A, x)', 'A x r n', (1, None),
     lambda t, d: lambda: d['A'] @ d['x'], 1),
    ('tmv', NAIVE, 'tmv(A, x)', 'A x r n n', (1, None), 
     lambda t, d: lambda: d['A'].T @ d['x'], 1),
    ('mm', NAIVE, 'mm(S, T)', 'S T r k k', (2, 'k'), 
     lambda t, d: lambda: d['S'] @ d['T'], None),
    ('vv', NAIVE, 'vv(a, b)', 'a b r', (1, 'a'), 
     lambda t, d: lambda: d['a']*d['b'], 3),
    ('rd', NAIVE, 'rd(a, zeros(1), len)', 'a r len', (1, 1), 
     lambda t, d: lambda: d['a'].sum(), 1),
    ('tp', NAIVE, 'tp(A) + 0', 'A r n n', (2, None), 
     lambda t, d: lambda: d['A'].T.contiguous(), 2),
    ('conv', NAIVE, 'conv(A, K, zeros(n - 4, n - 4), n, n - 4, 5, 5)', 'A K r n w 5 5',
     (2, 'w'),  conv2d, 2),
    ('imregionmax', NAIVE, 'imregionmax(A, n, n, n)', 'A r n n n', (2, None), 
     regional, 2),
    ('demosaic', NAIVE, 'demosaic(A, n, n)', 'A r n n', (2, None),  None, 2),
]

SETUP = '''n = %(n)d; w = n - 4; k = %(k)d; len = n*n;
A = rand(n, n); x = rand(n); a = rand(len); b = rand(len); K = rand(25); S = rand(k, k);
T = rand(k, k); L = i32(rand(n, n) < 0.3); q = i32(floor(256*rand(len)));
D = rand(%(f)d, %(f)d); P = rand(%(b)d, 3); O = rand(32, 4);
:kernel examples/mv.cu
:kernel tests/kernels/naive.cu
'''

# -- loops --------------------------------------------------------------------------------
# Name, a line before, statements over elements, the same of whole arrays or None, arrays moved.

LOOPS = [
    ('matrix sum', '', 'z = zeros(n, n); for i = 1:n; for j = 1:n; z[i, j] = A[i, j] + L[i, j]; '
     'end; end', 'z = A + L;', 3),
    ('mv', '', 'y = zeros(n); for i = 1:n; s = 0; for j = 1:n; s += A[i, j]*x[j]; end; y[i] = s; '
     'end', 'y = A*x;', 1),
    ('mm', '', 'C = zeros(k, k); for i = 1:k; for j = 1:k; s = 0; for l = 1:k; '
     's += S[i, l]*T[l, j]; end; C[i, j] = s; end; end', 'C = S*T;', None),
    ('prefix sum', '', 'y = zeros(len); s = 0; for i = 1:len; s += a[i]; y[i] = s; end',
     'y = cumsum(a);', 2),
    ('histogram', '', 'h = zeros(256, "i32"); for i = 1:len; h[q[i] + 1] += 1; end',
     'h = zeros(256, "i32"); h[q + 1] += 1;', 1),
    ('box filter', '', 'z = zeros(n, n); for i = 2:n-1; for j = 2:n-1; s = 0; for u = -1:1; '
     'for v = -1:1; s += A[i + u, j + v]; end; end; z[i, j] = s/9; end; end',
     'z = zeros(n, n); z[2:n-1, 2:n-1] = (A[1:n-2, 1:n-2] + A[1:n-2, 2:n-1] + A[1:n-2, 3:n] + '
     'A[2:n-1, 1:n-2] + A[2:n-1, 2:n-1] + A[2:n-1, 3:n] + A[3:n, 1:n-2] + A[3:n, 2:n-1] + '
     'A[3:n, 3:n])/9;', 2),
    ('Sobel', '', 'z = zeros(n, n); for i = 1:n; for j = 1:n; '
     'up = where(i > 1, i - 1, 2); dn = where(i < n, i + 1, n - 1); '
     'lf = where(j > 1, j - 1, 2); rt = where(j < n, j + 1, n - 1); '
     'gx = A[up, rt] + 2*A[i, rt] + A[dn, rt] - A[up, lf] - 2*A[i, lf] - A[dn, lf]; '
     'gy = A[dn, lf] + 2*A[dn, j] + A[dn, rt] - A[up, lf] - 2*A[up, j] - A[up, rt]; '
     'z[i, j] = sqrt(gx*gx + gy*gy); end; end',
     'up = abs((1:n) - 2) + 1; dn = n - abs(n - 1 - (1:n)); u = A[up, :]; d = A[dn, :]; '
     'p = u + 2*A + d; g = d - u; gx = p[:, dn] - p[:, up]; '
     'gy = g[:, up] + 2*g + g[:, dn]; z = sqrt(gx.*gx + gy.*gy);', 2),
    ('Life', 'M = L;', 'for i = 2:n-1; for j = 2:n-1; '
     'c = L[i-1, j-1] + L[i-1, j] + L[i-1, j+1] + L[i, j-1] + L[i, j+1] + L[i+1, j-1] + '
     'L[i+1, j] + L[i+1, j+1]; '
     'M[i, j] = c == 3 || c == 2 && L[i, j] == 1; end; end',
     'c = L[1:n-2, 1:n-2] + L[1:n-2, 2:n-1] + L[1:n-2, 3:n] + L[2:n-1, 1:n-2] + L[2:n-1, 3:n] + '
     'L[3:n, 1:n-2] + L[3:n, 2:n-1] + L[3:n, 3:n]; '
     'M[2:n-1, 2:n-1] = c == 3 || c == 2 && L[2:n-1, 2:n-1] == 1;', 2),
    ('Mandelbrot', 'r = zeros(n, n, "i32"); xs = f32(linspace(-2, 0.5, n)); '
     'ys = f32(linspace(-1, 1, n));', 'for i = 1:n; for j = 1:n; a1 = 0; b1 = 0; k1 = 0; '
     'while k1 < 100 && a1*a1 + b1*b1 < 4; t = a1*a1 - b1*b1 + xs[j]; b1 = 2*a1*b1 + ys[i]; '
     'a1 = t; k1 += 1; end; r[i, j] = k1; end; end', None, 1),
    ('Floyd-Warshall', 'f = size(D, 1); E = D; F = D;', 'E = D; for l = 1:f; for i = 1:f; '
     'for j = 1:f; F[i, j] = min(E[i, j], E[i, l] + E[l, j]); end; end; E = F; end',
     'E = D; for l = 1:f; E = min(E, E[:, l] + E[l, :]); end', None),
    ('n-body', 'm = size(P, 1); X = P[:, 1]; Y = P[:, 2]; Z = P[:, 3]; F = zeros(m, 3);',
     'for i = 1:m; fx = 0; fy = 0; fz = 0; for j = 1:m; dx = X[j] - X[i]; dy = Y[j] - Y[i]; '
     'dz = Z[j] - Z[i]; e = dx*dx + dy*dy + dz*dz + 0.01; v = 1/(e*sqrt(e)); fx += dx*v; '
     'fy += dy*v; fz += dz*v; end; F[i, 1] = fx; F[i, 2] = fy; F[i, 3] = fz; end',
     "dx = X' - X; dy = Y' - Y; dz = Z' - Z; e = dx.*dx + dy.*dy + dz.*dz + 0.01; "
     'v = 1 ./ (e.*sqrt(e)); fx = sum(dx.*v, 2); fy = sum(dy.*v, 2); fz = sum(dz.*v, 2);', None),
    ('ray of spheres', 'm = size(O, 1); h = zeros(n, n); OX = O[:, 1]; OY = O[:, 2]; OZ = O[:, 3]; '
     'OR = 0.1*O[:, 4];', 'for i = 1:n; for j = 1:n; best = 1000; px = j/n; py = i/n; '
     'for s = 1:m; dx = OX[s] - px; dy = OY[s] - py; e = OR[s]*OR[s] - dx*dx - dy*dy; '
     'if e > 0; best = min(best, OZ[s] - sqrt(e)); end; end; h[i, j] = best; end; end', None, 1),
]

# By hand, where there is no expression: arguments, threads.
BY_HAND = {
    'Mandelbrot': (HEAD + '''
extern "C" __global__ void k(const float *x, const float *y, int *r, int n) {
  int i = idy, j = idx, k = 0;
  if (i >= n || j >= n) return;
  float a = 0, b = 0;
  while (k < 100 && a*a + b*b < 4) {
    float t = a*a - b*b + x[j];
    b = 2*a*b + y[i];
    a = t;
    k++;
  }
  r[i*n + j] = k;
}''', lambda c, d, n: (d['x'], d['x'], c.zeros((n, n), 'i4'), c.int32(n))),
    'ray of spheres': (HEAD + '''
extern "C" __global__ void k(const float *o, float *h, int n) {
  int i = idy, j = idx;
  if (i >= n || j >= n) return;
  float best = 1000, px = (j + 1)/(float)n, py = (i + 1)/(float)n;
  for (int s = 0; s < 32; s++) {
    float dx = o[4*s] - px, dy = o[4*s + 1] - py, r = 0.1f*o[4*s + 3];
    float e = r*r - dx*dx - dy*dy;
    if (e > 0) best = fminf(best, o[4*s + 2] - sqrtf(e));
  }
  h[i*n + j] = best;
}''', lambda c, d, n: (d['x'], c.zeros((n, n), 'f4'), c.int32(n))),
}


class Peers:
    """CuPy for kernels as they are, PyTorch for what libraries have; None: not there."""

    def __init__(self, options):
        self.cupy = self.torch = None
        self.n, self.k = options.rows, options.k
        if options.target != 'cuda':
            return
        try:
            import cupy
            cupy.zeros(1)
            self.cupy = cupy
            c = cupy.random
            n, k = self.n, self.k
            c.seed(1)
            # Kernels as they are have no guard: blocks reach beyond the last row.
            self.data = dict(A=c.rand(n + BEYOND, n, dtype='f4')[:n], x=c.rand(n, dtype='f4'),
                             a=c.rand(n*n, dtype='f4'), b=c.rand(n*n, dtype='f4'),
                             K=c.rand(25, dtype='f4'), S=c.rand(k, k, dtype='f4'),
                             T=c.rand(k, k, dtype='f4'))
        except Exception as error:  # whatever it is, there is none
            print(f'CuPy: {error}', file=sys.stderr)
        try:
            import torch
            torch.backends.cuda.matmul.allow_tf32 = False
            torch.backends.cudnn.allow_tf32 = False
            torch.backends.cudnn.benchmark = True
            self.torch = torch if torch.cuda.is_available() else None
        except ImportError as error:
            print(f'PyTorch: {error}', file=sys.stderr)

    def tried(self, measure, *given):
        """Its figure, or in a few words why there is none."""
        try:
            return measure(*given)
        except Exception as error:  # of a library: the other rows are still wanted
            return str(error).strip().split('\n')[0][:60]

    def events(self, call):
        cuda, best = self.cupy.cuda, None
        begin = time.monotonic()
        for k in range(RUNS + 1):
            start, end = cuda.Event(), cuda.Event()
            start.record()
            call()
            end.record()
            end.synchronize()
            took = cuda.get_elapsed_time(start, end)/1e3
            best = took if not k or best is None else min(best, took)
            if time.monotonic() - begin > 4:
                break
        return best

    def launch(self, source, name, args, threads):
        options = ('--std=c++14',)
        kernel = self.cupy.RawModule(code=source, options=options, backend='nvrtc',
                                     name_expressions=None).get_function(name)
        columns, rows = threads
        block = (256, 1) if rows == 1 else (16, 16)
        grid = (-(-columns//block[0]), -(-rows//block[1]))
        if columns == rows == 1:
            block, grid = (1, 1), (1, 1)
        return self.events(lambda: kernel(grid, block, args))

    def as_it_is(self, name, file, words, threads):
        c = self.cupy
        if not c:
            return None
        with open(os.path.join(ROOT, file), encoding='utf-8') as f:
            source = HEAD + f.read().replace('__global__', 'extern "C" __global__')
        sizes = dict(n=self.n, w=self.n - 4, k=self.k, len=self.n*self.n, a=self.n*self.n)
        columns = threads[1] if isinstance(threads[1], int) else sizes[threads[1] or 'n']
        rows = columns if threads[0] == 2 else 1
        result = c.zeros(max(columns*rows, self.n) + BEYOND*self.n, 'f4')
        args = []
        for word in words.split():
            if word == 'r':
                args.append(result)
            elif word in self.data:
                args.append(self.data[word])
            else:
                args.append(c.int32(sizes.get(word) or int(word)))
        return self.launch(source, name, tuple(args), (columns, rows))

    def by_hand(self, name):
        if not self.cupy or name not in BY_HAND:
            return None
        source, args = BY_HAND[name]
        return self.launch(source, 'k', args(self.cupy, self.data, self.n), (self.n, self.n))

    def library(self, make):
        if not make or not self.cupy or not self.torch:
            return None
        data = {k: self.torch.from_dlpack(v) for k, v in self.data.items()}
        call = make(self.torch, data)
        with self.torch.cuda.stream(self.torch.cuda.default_stream()):
            for _ in range(3):
                call()
            return self.events(call)


def milliseconds(x):
    return '-' if x is None else x if isinstance(x, str) else f'{x*1e3:.3f}'


def ratio(x, y):
    return f'{x/y:.2f}' if isinstance(x, float) and isinstance(y, float) and y else '-'


class Table:
    def __init__(self, options):
        self.options, self.rows, self.began = options, [], time.monotonic()
        self.about = {}  # device, versions, command

    def wants(self, name):
        late = time.monotonic() - self.began > self.options.seconds
        return not late and any(word in name for word in (self.options.only or '').split(','))

    def add(self, kind, name, **figures):
        self.rows.append(dict(kind=kind, name=name, **figures))
        if self.options.json:
            with open(self.options.json, 'w', encoding='utf-8') as f:
                f.write(json.dumps(dict(self.about, rows=self.rows), indent=1) + '\n')


def parts(got):
    """Of Serve.time(): an error stands in place of the time."""
    return got if isinstance(got, tuple) else (got[:60], None, 0)


def kernels(table, serve, peers, copy):
    print('| kernel | as it is ms | Fusible ms | kernels | wall ms | library ms | limit ms '
          '| as it is / Fusible | Fusible / library |')
    print('|---|---|---|---|---|---|---|---|---|')
    for name, file, call, words, threads, library, moves in KERNELS:
        if not table.wants(name):
            continue
        own, wall, count = parts(serve.time(f'R = {call};'))
        alone = peers.tried(peers.as_it_is, name, file, words, threads)
        theirs = peers.tried(peers.library, library)
        limit = moves*copy/2 if moves else None
        print(f'| {name} | {milliseconds(alone)} | {milliseconds(own)} | {count} '
              f'| {milliseconds(wall)} | {milliseconds(theirs)} | {milliseconds(limit)} '
              f'| {ratio(alone, own)} | {ratio(own, theirs)} |', flush=True)
        table.add('kernel', name, as_it_is=alone, fusible=own, wall=wall, kernels=count,
                  library=theirs, limit=limit)


def loops(table, serve, peers, copy):
    print('\n| loop | loop ms | kernels | wall ms | expression ms | kernels | by hand ms '
          '| limit ms | loop / other |')
    print('|---|---|---|---|---|---|---|---|---|')
    for name, before, text, other, moves in LOOPS:
        if not table.wants(name):
            continue
        serve.ask(eval=before or 'z = 0;')
        own, wall, count = parts(serve.time(text))
        serve.ask(eval=before or 'z = 0;')
        plain, _, plain_count = parts(serve.time(other)) if other else (None, None, '-')
        hand = peers.tried(peers.by_hand, name)
        limit = moves*copy/2 if moves else None
        print(f'| {name} | {milliseconds(own)} | {count} | {milliseconds(wall)} '
              f'| {milliseconds(plain)} | {plain_count} | {milliseconds(hand)} '
              f'| {milliseconds(limit)} | {ratio(own, plain if other else hand)} |', flush=True)
        table.add('loop', name, loop=own, wall=wall, kernels=count, expression=plain,
                  by_hand=hand, limit=limit)


def main():
    p = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    p.add_argument('--serve', default=os.path.join(ROOT, 'build', 'bench-serve'))
    p.add_argument('--target', default='cuda')
    p.add_argument('--rows', type=int, default=8192)
    p.add_argument('--only')
    p.add_argument('--seconds', type=float, default=220)
    p.add_argument('--json')
    options = p.parse_args()
    options.k = max(8, options.rows//2)
    table = Table(options)
    sizes = dict(n=options.rows, k=options.k, f=max(8, options.rows//4),
                 b=max(8, options.rows*2))
    serve = Serve([options.serve, '--target', options.target], SETUP % sizes)
    peers = Peers(options)
    said = command(sys.argv[1:], 'bench/loops.py')
    table.about = dict(facts(options.target, {'fusible': serve.ask(device=True)}), command=said)
    copied = parts(serve.time('c = a + 0;'))[0]
    copy = copied if isinstance(copied, float) else 0.0
    print(f'{serve.ask(device=True).get("device")}, {options.rows} x {options.rows} f32; a copy of '
          f'{options.rows**2} elements {milliseconds(copy)} ms\n')
    kernels(table, serve, peers, copy)
    loops(table, serve, peers, copy)
    return 0


if __name__ == '__main__':
    sys.exit(main())
