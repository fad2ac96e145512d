#!/usr/bin/python3
"""Loops whose slices move, grow or shrink with a counter: planned in few rounds, right in all.

Each of LOOPS is a body over k (and perhaps i) beside numpy. All numbers are whole and small, so
every element must be the same. Most bodies are to be planned in their first rounds only; those
whose slices come to share elements, go by no sum of counters, or have one element at times are
planned when they must be. `:device` says how often a block was planned. Each loop stands in a
function, too.

    tests/test_moving.py

The last line is `N passed, N failed`.
"""
import os
import re
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, 'fake')]
import fakegpu  # noqa: E402
from score import Score  # noqa: E402

score = Score()
N = 60
# Head of the loop, body, numpy's head and body over indices from 1, planned at most. A is N x N,
# x, y and b have N elements.
FEW = 24
LOOPS = [
    ('k = 2:N', 'x[k] = mod(b[k] - A[k, 1:k-1]*x[1:k-1], 31);',
     'x[k-1] = (b[k-1] - A[k-1, :k-1] @ x[:k-1]) % 31', FEW),
    ('k = N-1:-1:1', 'x[k] = mod(b[k] - A[k, k+1:end]*x[k+1:end], 31);',
     'x[k-1] = (b[k-1] - A[k-1, k:] @ x[k:]) % 31', FEW),
    ('k = 2:N', 'x[1:k] = mod(x[1:k] + x[k:-1:1], 31);',
     'x[:k] = (x[:k] + x[:k][::-1]) % 31', FEW),
    ('k = 2:N-1', 't = A[k:N, k] + 0; A[k, k+1:N] = mod(A[k, k+1:N] + sum(t), 31);',
     't = A[k-1:, k-1].copy(); A[k-1, k:] = (A[k-1, k:] + t.sum()) % 31', 2*FEW),
    ('k = 2:N-1', 'v = A[k, 1:k]; w = A[k:N, k]; y[k] = sum(v) + sum(w);',
     'v = A[k-1:k, :k]; w = A[k-1:, k-1]; y[k-1] = v.sum() + w.sum()', FEW),
    ('k = 1:N-9', 'A[k, k:k+9] = mod(A[k, k:k+9] + A[k+1, 1:10], 31);',
     'A[k-1, k-1:k+9] = (A[k-1, k-1:k+9] + A[k, :10]) % 31', FEW),
    # Slices that come to share elements, or the same ones.
    ('k = 2:30', 'x[1:k] = mod(x[11:10+k] + 1, 31);', 'x[:k] = (x[10:10+k].copy() + 1) % 31', None),
    ('k = 1:40', 'x[k:k+9] = mod(x[k:k+9] + x[31:40], 31);',
     'x[k-1:k+9] = (x[k-1:k+9] + x[30:40].copy()) % 31', None),
    ('k = 2:40', 'A[k, 1:k] = mod(A[20, 1:k] + A[k, 1:k], 31);',
     'A[k-1, :k] = (A[19, :k] + A[k-1, :k]) % 31', None),
    ('k = 2:40', "A[1:k, k] = A[20, 1:k]';", 'A[:k, k-1] = A[19, :k].copy()', None),
    ('k = 2:40', 'x[k] = 7; x[20] = mod(x[20] + x[k] + sum(x[1:k]), 31);',
     'x[k-1] = 7; x[19] = (x[19] + x[k-1] + x[:k].sum()) % 31', None),
    ('k = 2:40', 'x[2:k] = b[2:k]; x[15:18] = mod(x[15:18] + 1, 31);',
     'x[1:k] = b[1:k]; x[14:18] = (x[14:18] + 1) % 31', None),
    ('k = 2:39', 'y[1:k] = x[1:k]; x[40-k:40] = y[40-k:40];',
     'y[:k] = x[:k]; x[39-k:40] = y[39-k:40]', None),
    # Parts that cover others, or are read, up to some round.
    ('k = 2:40', 'x[k] = b[k]; x[1:20] = b[21:40];', 'x[k-1] = b[k-1]; x[:20] = b[20:40]', None),
    ('k = 2:40', 'y[1:20] = mod(b[k]*b[1:20], 31); x[k] = y[k] + 1;',
     'y[:20] = (b[k-1]*b[:20]) % 31; x[k-1] = y[k-1] + 1', None),
    ('k = 2:24', 'v = A[k+6, :]; A[k+6, :] = A[40-k, :]; A[40-k, :] = v; '
     'x[6:12+k] = mod(A[8:14+k, 10:11+k]*y[11:12+k], 31);',
     'v = A[k+5].copy(); A[k+5] = A[39-k]; A[39-k] = v; '
     'x[5:12+k] = (A[7:14+k, 9:11+k] @ y[10:12+k]) % 31', None),
    # No sum of counters.
    ('k = 2:50', 'x[1:mod(k, 9)+2] = mod(x[1:mod(k, 9)+2] + k, 31);',
     'x[:k % 9 + 2] = (x[:k % 9 + 2] + k) % 31', None),
    ('k = 2:7', 'x[1:k*k] = mod(x[1:k*k] + b[k*k:-1:1], 31);',
     'x[:k*k] = (x[:k*k] + b[:k*k][::-1]) % 31', None),
    ('k = 2:50', 'x[1:2:k] = mod(x[1:2:k] + 3, 31);', 'x[:k:2] = (x[:k:2] + 3) % 31', None),
    ('k = 2:50', 'm = k - 1; x[m:m+5] = mod(x[m:m+5] + m, 31);',
     'm = k - 1; x[m-1:m+5] = (x[m-1:m+5] + m) % 31', None),
    ('k = 2:50', 'x[k] = mod(numel(b[1:k]), 31);', 'x[k-1] = k % 31', None),
    ('k = 2:50', 'x[k] = mod(sum((1:k).*b[1:k]), 31);',
     'x[k-1] = (np.arange(1, k+1) * b[:k]).sum() % 31', None),
    ('k = 2:50', 'q = b[1:k]; x[k] = mod(q[k-1] + sum(q), 31);',
     'x[k-1] = (b[k-2] + b[:k].sum()) % 31', None),
    ('k = 10:50', 'z = zeros(k, k, "f64"); z[1:k, 1:k] = A[1:k, 1:k]; x[k] = mod(sum(sum(z)), 31);',
     'x[k-1] = A[:k, :k].sum() % 31', None),
    ('k = 4:50', 'T = A[1:k, 1:k] + A[k:-1:1, 1:k]; x[k] = mod(sum(sum(T)) + sum(T[1, 1:3]), 31);',
     'T = A[:k, :k] + A[:k, :k][::-1]; x[k-1] = (T.sum() + T[0, :3].sum()) % 31', None),
    ('k = [3, 9, 4, 30, 2, 50, 7, 8, 9, 10, 11, 12, 40]', 'x[1:k] = mod(x[1:k] + b[k:-1:1], 31);',
     'x[:k] = (x[:k] + b[:k][::-1]) % 31', None),
    # Two counters.
    ('i = 3:25', 'for k = 2:i-1; A[i, k] = mod(A[i, k] - A[i, 1:k-1]*A[1:k-1, k], 31); end',
     'for k in range(2, i): A[i-1, k-1] = (A[i-1, k-1] - A[i-1, :k-1] @ A[:k-1, k-1]) % 31', 3*FEW),
    ('i = 2:25', 'for k = i:25; A[i, k] = mod(A[i, k] + A[i-1, k]*A[k, i-1], 31); end',
     'for k in range(i, 26): A[i-1, k-1] = (A[i-1, k-1] + A[i-2, k-1]*A[k-1, i-2]) % 31', FEW),
    ('i = 1:20', 'for k = i+2:40; x[i:k] = mod(x[i:k] + b[k:-1:i], 31); end',
     'for k in range(i+2, 41): x[i-1:k] = (x[i-1:k] + b[i-1:k][::-1]) % 31', None),
    ('i = 1:20', 'for k = 2:40; x[k:k+i] = mod(x[k:k+i] + b[i:2*i], 31); end',
     'for k in range(2, 41): x[k-1:k+i] = (x[k-1:k+i] + b[i-1:2*i]) % 31', None),
]


def start(dtype):
    text = [f'N = {N}; A = {dtype}(mod(reshape(7*(1:N*N) + 2, N, N), 29));',
            f'x = {dtype}(mod(11*(1:N) + 1, 29)); y = {dtype}(mod(3*(1:N) + 4, 29)); '
            f'b = {dtype}(mod(5*(1:N) + 3, 29));', 'v = 0; w = 0; t = 0;']
    count = np.arange(1, N*N + 1)
    return text, {'A': np.mod(7.0*count + 2, 29).reshape(N, N),
                  'x': np.mod(11.0*count[:N] + 1, 29), 'y': np.mod(3.0*count[:N] + 4, 29),
                  'b': np.mod(5.0*count[:N] + 3, 29), 'v': np.zeros(()), 'w': np.zeros(()),
                  't': np.zeros(()), 'np': np}


def rounds(head):
    name, values = head.split(' = ')
    if values.startswith('['):
        return name, eval(values)  # pylint: disable=eval-used
    parts = values.replace('N', str(N)).split(':')
    first, *step, last = (int(eval(x)) for x in parts)  # pylint: disable=eval-used
    step = step[0] if step else 1
    return name, range(first, last + (1 if step > 0 else -1), step)


def one(loop, dtype, target, home, inside=False):
    """`inside`: a function has the loop, and reads b and N of the session."""
    head, body, code, most = loop
    text, env = start(dtype)
    rounds_text = [f'for {head}', '  ' + body, 'end']
    if inside:
        text += ['function go(A, x, y, v, w, t)', *rounds_text, 'return A, x, y, v, w, t', 'end']
        rounds_text = ['A, x, y, v, w, t = go(A, x, y, v, w, t);']
    text += [':device', *rounds_text, ':device']
    text += [f'save("{home}/{n}.npy", f64({n}))' for n in 'AxybvwtN' if n != 'N']
    script = '\n'.join(text) + '\n'
    done = fakegpu.run_script(script, target, home)
    name, values = rounds(head)
    for k in values:
        env[name] = k
        exec(code, env)  # pylint: disable=exec-used
    good = done.returncode == 0
    for n in 'Axybvwt' if good else ():
        got = np.load(os.path.join(home, n + '.npy'))
        good &= got.size == env[n].size and np.array_equal(got.reshape(env[n].shape), env[n])
    score.check(good, f'{dtype} on {target}: {done.stderr[:300]}\n{script}')
    planned = [int(n) for n in re.findall(r'(\d+) planned', done.stdout)]
    if most and good and target == 'cpu':
        score.check(planned[1] - planned[0] <= most, f'{planned} blocks planned\n{script}')


def reads_counter(home):
    """A function that the body calls and that reads the counter goes by its value."""
    text = '\n'.join(start('f64')[0] + [
        'function late(v)', 'if k > 30; return v + 1; end', 'return v', 'end',
        'for k = 2:N', '  x[k] = sum(late(b[1:k]));', 'end', f'save("{home}/x.npy", x)'])
    done = fakegpu.run_script(text, 'cpu', home)
    b, x = start('f64')[1]['b'], start('f64')[1]['x']
    for k in range(2, N + 1):
        x[k-1] = b[:k].sum() + (k if k > 30 else 0)
    score.check(np.array_equal(np.load(home + '/x.npy'), x), 'late() ' + done.stderr)


def grows_to_the_end(home):
    """Parts that come to be nearly all of an array: then only what is left of it is copied."""
    n = 1000
    text = [f'n = {n}; x = f64(mod(11*(1:n) + 1, 29));', ':device', 'for k = 2:n',
            '  s = sum(x[1:k-1]); x[1:k-1] += x[k-1:-1:1]; x[1:k-1] = mod(x[1:k-1], 31);',
            '  x[k] = mod(s, 31);', 'end', ':device', f'save("{home}/x.npy", x)']
    done = fakegpu.run_script('\n'.join(text), 'cpu', home)
    x = np.mod(11.0*np.arange(1, n + 1) + 1, 29)
    for k in range(2, n + 1):
        total = x[:k-1].sum()
        x[:k-1] = (x[:k-1] + x[:k-1][::-1]) % 31
        x[k-1] = total % 31
    score.check(np.array_equal(np.load(home + '/x.npy'), x), 'grows to the end ' + done.stderr)
    planned = [int(p) for p in re.findall(r'(\d+) planned', done.stdout)]
    score.check(planned[1] - planned[0] <= 2*FEW, f'{planned} blocks planned')


# Replaced in place, or in the storage of the value before: loop over k (and i), numpy's, how often
# a block may be looked up. x and y have 1000 elements, A is 60 x 60.
AT_ONCE = [
    ('for k = 2:1000; x[k] = mod(x[k] + x[k-1], 31); end',
     'for k in range(1, 1000): x[k] = (x[k] + x[k-1]) % 31', 40),
    ('for k = 999:-3:1; x[k] = mod(x[k] + x[k+1] + y[k], 31); end',
     'for k in range(998, -1, -3): x[k] = (x[k] + x[k+1] + y[k]) % 31', 40),
    ('for k = 2:1000; x[k] += sum(x[1:k-1]); x[k] = mod(x[k], 31); end',
     'for k in range(1, 1000): x[k] = (x[k] + x[:k].sum()) % 31', 60),
    ('for k = 2:995; x[k:k+5] = mod(x[k-1:k+4] + x[k:k+5], 31); end',
     'for k in range(1, 995): x[k:k+6] = (x[k-1:k+5] + x[k:k+6]) % 31', None),
    ('for k = 2:600; x[k] = mod(x[k-1] + 1, 31); x[k+400] = mod(x[k] + 2, 31); end',
     'for k in range(1, 600): x[k] = (x[k-1] + 1) % 31; x[k+400] = (x[k] + 2) % 31', None),
    ('for k = 2:1000; x[k] = mod(x[k-1] + y[k], 31); y[k] = x[k-1]; end',
     'for k in range(1, 1000): x[k] = (x[k-1] + y[k]) % 31; y[k] = x[k-1]', None),
    ('for i = 2:60; for k = 2:60; A[i, k] = mod(A[i, k-1] + A[i-1, k], 31); end; end',
     'for i in range(1, 60):\n for k in range(1, 60): A[i, k] = (A[i, k-1] + A[i-1, k]) % 31', 200),
    ('for i = 3:60; for k = 2:i-1; A[i, k] = mod(A[i, k] - A[i, 1:k-1]*A[1:k-1, k], 31); end; end',
     'for i in range(2, 60):\n for k in range(1, i): '
     'A[i, k] = (A[i, k] - A[i, :k] @ A[:k, k]) % 31', 900),
    # Several kernels a round; results change places with what they replace.
    ('y[1] = 3; s = y[1]; for k = 2:1000; s = mod(s + x[k-1:-1:1]\'*y[1:k-1] + x[k], 31); '
     'y[1:k-1] = mod(y[1:k-1] + s*y[k-1:-1:1], 31); y[k] = s; end; x[1] = s',
     'y[0] = 3; s = 3.0\nfor k in range(1, 1000):\n s = (s + x[:k][::-1] @ y[:k] + x[k]) % 31\n'
     ' y[:k] = (y[:k] + s*y[:k][::-1]) % 31; y[k] = s\nx[0] = s', 80),
    ('x += 0; for k = 2:900; x[k] = 7; x[920] = mod(x[920] + x[k] + sum(x[1:k]), 31); end',
     'for k in range(1, 900): x[k] = 7; x[919] = (x[919] + x[k] + x[:k+1].sum()) % 31', 80),
    # The same loop again finds what it was, though its first rounds are others.
    ('for i = 1:40; y = zeros(1000, "f64"); y[1] = i; '
     'for k = 2:60; y[k] = mod(y[1] + x[1:k-1]\'*y[1:k-1], 31); end; end',
     'for i in range(40):\n y = np.zeros(1000); y[0] = i + 1\n'
     ' for k in range(1, 60): y[k] = (y[0] + x[:k] @ y[:k]) % 31', 300),
    # Which of the two columns comes first in the block goes by how they are aligned.
    ('B = A + 0; for i = 1:59; for k = 1:60; '
     'A[i, k] = mod(A[i, k] + B[i+1:60, i]\'*B[i+1:60, k], 31); end; end',
     'B = A.copy()\nfor i in range(59):\n for k in range(60): '
     'A[i, k] = (A[i, k] + B[i+1:, i] @ B[i+1:, k]) % 31', None),
    ('for i = 1:59; for k = 1:60; '
     'A[i, k] = mod(A[i, k] + A[i+1:60, i]\'*A[i+1:60, k], 31); end; end',
     'for i in range(59):\n for k in range(60): '
     'A[i, k] = (A[i, k] + A[i+1:, i] @ A[i+1:, k]) % 31', None),
    ('B = A + 0; for i = 1:59; for k = 1:60; '
     'A[i, k] = mod(A[i, k] + B[i+1:60, i]\'*A[i+1:60, k], 31); end; end',
     'B = A.copy()\nfor i in range(59):\n for k in range(60): '
     'A[i, k] = (A[i, k] + B[i+1:, i] @ A[i+1:, k]) % 31', 500),
]


def at_once(home):
    """Rounds that differ in numbers alone follow on each other: they look up no block."""
    for loop, code, most in AT_ONCE:
        text = [':set loops off', 'A = f64(mod(reshape(7*(1:3600) + 2, 60, 60), 29));',
                'x = f64(mod(11*(1:1000) + 1, 29)); y = f64(mod(3*(1:1000) + 4, 29)); k = 0;',
                ':device', loop, ':device', 'save("k.npy", [k])'.replace('k.npy', home + '/k.npy'),
                *(f'save("{home}/{n}.npy", {n})' for n in 'Axy')]
        done = fakegpu.run_script('\n'.join(text), 'cpu', home)
        count = np.arange(1, 3601)
        env = {'A': np.mod(7.0*count + 2, 29).reshape(60, 60),
               'np': np, 'x': np.mod(11.0*count[:1000] + 1, 29), 'y': np.mod(3.0*count[:1000] + 4, 29)}
        exec(code, env)  # pylint: disable=exec-used
        for n in 'Axy':
            score.check(done.returncode == 0 and np.array_equal(np.load(f'{home}/{n}.npy'), env[n]),
                        f'{n}: {loop} {done.stderr}')
        last = env['k'] + 1
        score.check(np.load(home + '/k.npy')[0] == last, f'k is {last} after {loop}')
        found = [int(n) for n in re.findall(r'(\d+) found', done.stdout)]
        score.check(not most or found[1] - found[0] <= most, f'{found} looked up: {loop}')


def calls_again(home):
    """The second call of a function with a loop has other arrays, then other shapes."""
    text = ['function fill(x, b, n)', 'for k = 2:n', '  x[k] = sum(b[1:k]) + x[k-1];', 'end',
            'return x', 'end', 'n = 7; x = zeros(60, "f64");']
    want = []
    for call, (n, step) in enumerate(((60, 1), (60, 2), (40, 3), (60, 1))):
        text += [f'b = f64({step}*(1:{n})); y{call} = fill(x, b, {n});',
                 f'save("{home}/y{call}.npy", y{call})']
        x = np.zeros(60)
        for k in range(2, n + 1):
            x[k-1] = step*k*(k + 1)/2 + x[k-2]
        want.append(x)
    text += [f'save("{home}/x.npy", x)', ':device']
    done = fakegpu.run_script('\n'.join(text), 'cpu', home)
    for call, x in enumerate(want):
        score.check(np.array_equal(np.load(f'{home}/y{call}.npy'), x), f'call {call} {done.stderr}')
    score.check(not np.load(home + '/x.npy').any(), 'the argument stays what it was')
    planned = int(re.findall(r'(\d+) planned', done.stdout)[-1])
    score.check(planned <= 2*FEW, f'{planned} blocks planned')


def comes_again(home):
    """A loop that comes again plans nothing, though what it writes is first a number for all."""
    text = ['A = f64(mod(reshape(7*(1:3600) + 2, 60, 60), 29)); b = f64(1:60); n = 60;',
            'for j = 1:30', 'x = zeros(n, "f64");',
            'for k = 1:n; x[k] = mod(b[k] - A[k, 1:k-1]*x[1:k-1], 31); end', 'end',
            f'save("{home}/x.npy", x)', ':device']
    done = fakegpu.run_script('\n'.join(text), 'cpu', home)
    A, x = np.mod(7.0*np.arange(1, 3601) + 2, 29).reshape(60, 60), np.zeros(60)
    for k in range(60):
        x[k] = (k + 1 - A[k, :k] @ x[:k]) % 31
    score.check(np.array_equal(np.load(home + '/x.npy'), x), 'it comes again ' + done.stderr)
    planned = int(re.findall(r'(\d+) planned', done.stdout)[-1])
    score.check(planned <= FEW, f'{planned} blocks planned')


def out_of_range(home):
    """A slice that leaves its array is told of."""
    text = '\n'.join(start('f64')[0] + [
        'for j = 1:2', 'for k = 2:N-5+5*j', '  x[k] = sum(b[1:k]);', 'end',
        f'save("{home}/x.npy", x)', 'end'])
    done = fakegpu.run_script(text, 'cpu', home)
    b, x = start('f64')[1]['b'], start('f64')[1]['x']
    for k in range(2, N + 1):
        x[k-1] = b[:k].sum()
    score.check('out of range: dimension 1 has extent 60' in done.stderr, done.stderr)
    score.check(np.array_equal(np.load(home + '/x.npy'), x), 'the loop before it')


def main():
    with tempfile.TemporaryDirectory() as home:
        for loop in LOOPS:
            for dtype in ('f64', 'f32', 'i32') if loop[3] else ('f64', 'f32'):
                one(loop, dtype, 'cpu', home)
            one(loop, 'f64', 'cpu', home, inside=True)
        reads_counter(home)
        calls_again(home)
        comes_again(home)
        at_once(home)
        grows_to_the_end(home)
        out_of_range(home)
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
