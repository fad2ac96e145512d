#!/usr/bin/env python3
"""Loops whose rounds go on as data say, on the CPU target, beside the same in C.

    bench/regions.py [--serve build/bench-serve] [--n 200000] [--only WORD] [--json FILE]

C: `cc -O2 -ffp-contract=off`, one loop around the other, as one would write it; one thread, as
Fusible has here. Interpreted: after `:set regions off`. Compiled: after `:set regions now`.
Times are the smallest of some runs. A row says OTHER where the results are not those of C, as of
exp, whose vector form rounds in another way than the library's.
"""
import argparse
import ctypes
import json
import os
import platform
import subprocess
import sys
import tempfile
import time

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
RUNS = 5

# Name; what sets up; what is timed; the same in C, of (n, arrays ..., result); the names of these
# arrays; that of the result.
PROGRAMS = [
    ('newton', 'x = 1 + mod(7*f64(1:N)\', 1000)/10; y = zeros(N, "f64");',
     '''forall i = 1:N
       r = x[i];
       while abs(r*r - x[i]) > 1e-9*x[i]; r = 0.5*(r + x[i]/r); end
       y[i] = r;
     end''',
     '''void run(long n, const double *x, double *y) {
       for (long i = 0; i < n; i++) {
         double r = x[i];
         while (fabs(r*r - x[i]) > 1e-9*x[i]) r = 0.5*(r + x[i]/r);
         y[i] = r;
       }
     }''', ['x'], 'y'),
    ('newton f32', 'x = 1 + f32(mod(7*(1:N)\', 1000))/10; y = zeros(N);',
     '''forall i = 1:N
       r = x[i];
       while abs(r*r - x[i]) > 1e-5*x[i]; r = 0.5*(r + x[i]/r); end
       y[i] = r;
     end''',
     '''void run(long n, const float *x, float *y) {
       for (long i = 0; i < n; i++) {
         float r = x[i];
         while (fabsf(r*r - x[i]) > 1e-5f*x[i]) r = 0.5f*(r + x[i]/r);
         y[i] = r;
       }
     }''', ['x'], 'y'),
    ('search', 't = f32(3*(1:M)\'); x = f32(mod(7919*(1:N)\', 3*M)); y = zeros(N, "i32");',
     '''forall i = 1:N
       low = 1; high = M + 1;
       while low < high
         mid = floor((low + high)/2);
         if t[mid] < x[i]; low = mid + 1; else; high = mid; end
       end
       y[i] = low;
     end''',
     '''void run(long n, const float *t, const float *x, int *y) {
       for (long i = 0; i < n; i++) {
         long low = 1, high = M + 1;
         while (low < high) {
           long mid = (low + high)/2;
           if (t[mid - 1] < x[i]) low = mid + 1; else high = mid;
         }
         y[i] = low;
       }
     }''', ['t', 'x'], 'y'),
    ('csr', '''p = i32(ones(N + 1)); p[2:N+1] = i32(cumsum(mod(7*(1:N)', 17) + 2)) + 1;
     K = p[N + 1] - 1;
     c = i32(mod(7919*(1:K)\', N)) + 1; v = f32(mod(3*(1:K)\', 8)); x = f32(mod(1:N, 7)\');
     y = zeros(N);''',
     '''forall i = 1:N
       s = 0;
       for k = p[i]:p[i+1]-1; s += v[k]*x[c[k]]; end
       y[i] = s;
     end''',
     '''void run(long n, const int *p, const int *c, const float *v, const float *x, float *y) {
       for (long i = 0; i < n; i++) {
         float s = 0;
         for (int k = p[i]; k < p[i + 1]; k++) s += v[k - 1]*x[c[k - 1] - 1];
         y[i] = s;
       }
     }''', ['p', 'c', 'v', 'x'], 'y'),
    ('collatz', 'x = f64(1:N)\'; y = zeros(N, "i32");',
     '''forall i = 1:N
       a = x[i]; k = 0;
       while a != 1
         if mod(a, 2) == 0; a = a/2; else; a = 3*a + 1; end
         k += 1;
       end
       y[i] = k;
     end''',
     '''void run(long n, const double *x, int *y) {
       for (long i = 0; i < n; i++) {
         long a = x[i]; int k = 0;
         while (a != 1) { if (a % 2 == 0) a /= 2; else a = 3*a + 1; k++; }
         y[i] = k;
       }
     }''', ['x'], 'y'),
    ('mandelbrot', 'x = linspace(-2, 0.5, N); y = zeros(N);',
     '''forall i = 1:N
       a = f32(0); b = f32(0); k = 0;
       while k < 100 && a*a + b*b < 4
         t = a*a - b*b + x[i]; b = 2*a*b + 0.1; a = t; k += 1;
       end
       y[i] = k;
     end''',
     '''void run(long n, const float *x, float *y) {
       for (long i = 0; i < n; i++) {
         float a = 0, b = 0; int k = 0;
         while (k < 100 && a*a + b*b < 4) {
           float t = a*a - b*b + x[i]; b = 2*a*b + 0.1f; a = t; k++;
         }
         y[i] = k;
       }
     }''', ['x'], 'y'),
    ('logistic exp', 'x = linspace(0, 1, N); y = zeros(N);',
     '''forall i = 1:N
       a = x[i]; b = a + 1;
       while abs(a - b) > 1e-4; b = a; a = exp(-a)*0.9; end
       y[i] = a;
     end''',
     '''void run(long n, const float *x, float *y) {
       for (long i = 0; i < n; i++) {
         float a = x[i], b = a + 1;
         while (fabsf(a - b) > 1e-4f) { b = a; a = expf(-a)*0.9f; }
         y[i] = a;
       }
     }''', ['x'], 'y'),
]


class Serve:
    """bench-serve on the CPU target: a line of JSON for a line of JSON."""

    def __init__(self, program):
        env = dict(os.environ, FUSIBLE_THREADS='1')
        self.process = subprocess.Popen([program, '--target', 'cpu'], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, env=env)
        self.ask(eval=':set threads 1')

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + '\n')
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if 'error' in answer:
            sys.exit(f'{request}: {answer["error"]}')
        return answer

    def time(self, text):
        got = self.ask(run=text, repeat=1)
        if got['wall'][0] < 2:
            got = self.ask(run=text, repeat=RUNS)
        return min(got['wall']), got['predicted']

    def array(self, name, folder):
        path = os.path.join(folder, name + '.npy')
        self.ask(eval=f'save("{path}", {name})')
        return np.ascontiguousarray(np.load(path).reshape(-1))


def in_c(text, arrays, result, m, folder):
    """Seconds of the C function, and what it gives."""
    path = os.path.join(folder, 'reference')
    with open(path + '.c', 'w') as f:
        f.write(f'#include <math.h>\nenum {{ M = {m} }};\n{text}\n')
    subprocess.run(['cc', '-O2', '-ffp-contract=off', '-shared', '-fPIC', '-o', path + '.so',
                    path + '.c', '-lm'], check=True)
    run = ctypes.CDLL(path + '.so').run
    out = np.zeros_like(result)
    pointers = [a.ctypes.data_as(ctypes.c_void_p) for a in arrays + [out]]
    best = 1e9
    for _ in range(RUNS):
        start = time.perf_counter()
        run(ctypes.c_long(len(out)), *pointers)
        best = min(best, time.perf_counter() - start)
    os.unlink(path + '.so')
    return best, out


def device():
    with open('/proc/cpuinfo') as f:
        for line in f:
            if line.startswith('model name'):
                return line.split(':', 1)[1].strip()
    return platform.processor()


def measure(program, args):
    name, setup, text, reference, names, result = program
    row = {'program': name}
    with tempfile.TemporaryDirectory() as folder:
        for way in args.ways:
            serve = Serve(args.serve)
            if not args.plain:
                serve.ask(eval=f':set regions {"now" if way == "compiled" else "off"}')
            serve.ask(eval=f'N = {args.n}; M = {args.n // 2}; {setup}')
            row[way], row[way + '_predicted'] = serve.time(text)
            got = serve.array(result, folder)
            arrays = [serve.array(n, folder) for n in names]
            row['c'], wanted = in_c(reference, arrays, got, args.n // 2, folder)
            row[way + '_same'] = bool((got == wanted).all())
            serve.process.stdin.close()
            serve.process.wait()
    return row


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument('--serve', default=os.path.join(ROOT, 'build', 'bench-serve'))
    p.add_argument('--n', type=int, default=200000)
    p.add_argument('--only', default='')
    p.add_argument('--plain', action='store_true', help='do not set how regions run')
    p.add_argument('--ways', nargs='*', default=['interpreted', 'compiled'])
    p.add_argument('--json')
    args = p.parse_args()
    rows = []
    for program in PROGRAMS:
        if args.only not in program[0]:
            continue
        row = measure(program, args)
        rows.append(row)
        words = [f'{row["program"]:14}', f'C {row["c"]*1e3:8.2f} ms']
        for way in args.ways:
            words.append(f'{way} {row[way]*1e3:8.2f} ms {row[way]/row["c"]:6.1f}x'
                         f'{"" if row[way + "_same"] else " OTHER"}')
        print('   '.join(words), flush=True)
    if args.json:
        with open(args.json, 'w') as f:
            json.dump({'device': device(), 'n': args.n, 'threads': 1, 'rows': rows}, f, indent=1)
            f.write('\n')


if __name__ == '__main__':
    main()
