#!/usr/bin/python3
"""The OpenCL target beside the CPU target, on the first device of libOpenCL.so.1 (PoCL in CI).

Every statement is a block whose result is compared: of small whole numbers, and of what moves
numbers or rounds them once, bit for bit; of others each element within a bound, which is that
of the operations in OpenCL C. Then what is said where there is no library.

    tests/test_opencl.py [WORD ...]

The last line is `N passed, N failed`.
"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import numpy as np  # noqa: E402

import cl  # noqa: E402
from score import Score  # noqa: E402

ROOT = os.path.dirname(HERE)
PROGRAM = os.path.abspath(os.environ.get('FUSIBLE', os.path.join(ROOT, 'build', 'fusible')))
score = Score()
check = score.check

SETUP = '''
m = 37; n = 70;
A = {t}(mod(floor(97*rand(m, n)), 7) - 3); B = {t}(mod(floor(89*rand(m, n)), 5) - 2);
x = {t}(mod(floor(83*rand(n)), 5) - 2); y = {t}(mod(floor(79*rand(m)), 5) - 2);
'''
# name: (the types, a block that makes r, and perhaps s and q)
EXACT = {
    'map': ('bool i32 i64 u64 f16 bf16 f32 f64', 'r = {t}(A + 2*B);'),
    'choice': ('i32 i64 u64 f16 bf16 f32 f64', 'r = where(A > B, max(A, B), abs(A) - B); s = mod(A, 3);'),
    'rows': ('i32 i64 u64 f32 f64', 'r = sum(A, 2); s = max(A, 2); q = any(A > 2, 2);'),
    'columns': ('i32 i64 f32 f64', 'r = sum(A, 1); s = min(A, 1);'),
    'all': ('i32 i64 f32 f64', 'r = sum(sum(A)) + A; s = max(max(B));'),
    'both': ('f32 f64', 'q = A*x; r = y\'*A; s = sum(sum(A .* B));'),
    'bits': ('i32 i64 u64', 'r = shr(A, 1) + popcount(B); s = shl(B, 62) + idiv(A, 2); q = bitxor(x, 5);'),
    'across': ('i32 f16 f32', 'r = A\' + 1; s = A + repmat(y, 1, n);'),
    'slices': ('bool i32 f16 f32 f64', 'r = A[2:end, 2:end] ; s = {t}(A[1:end-1, 2:2:end]); q = {t}(x[2:end]) ;'),
    'lists': ('i32 f16 f32', 'r = A[[3, 1, 2, 3], :] + 0*A[1:4, :]; s = x[[5, 1, 70]] + x[1:3];'),
    'place': ('i32 u64 f32 f64', 'r = reduce("argmax", A, 2); s = reduce("argmin", A, 1); q = argmax(x);'),
    'long': ('f32 f64', 'z = {t}(mod(0:99999, 11) - 5); r = z[1:2:end] + z[2:2:end]; s = sum(z .* z);'),
    'wide rows': ('f32', 'Z = {t}(mod(reshape(0:59999, 3, 20000), 7) - 3); r = Z - max(Z, 2); s = sum(r, 2);'),
    'random': ('f32 f64', 'r = {t}(rand(33)); s = sum(A, 2);'),
}
# ... and units in the last place of the largest element that elements may be apart
CLOSE = {
    'softmax': ('f16 f32 f64', 'r = softmax(A);', 16),
    'functions': ('f32 f64', 'r = exp(A) ./ (1 + abs(B)); s = sqrt(abs(A)) + log(1 + abs(B)); '
                  'q = tanh(A) + atan2(A, 3 + B);', 32),
    'states': ('f32 f64', 'r = var(A, 2); s = logsumexp(A, 2); q = var(x);', 32),
    'erf': ('f32 f64', 'r = erf(A) + sin(B); s = abs(A) .^ 0.5;', 64),
}
RESULTS = 'rsq'


def programs(words):
    """(name, type, the block, units apart)"""
    every = [(k, t, *v[1:], 0) for k, v in EXACT.items() for t in v[0].split()]
    every += [(k, t, *v[1:]) for k, v in CLOSE.items() for t in v[0].split()]
    return [p for p in every if not words or any(w in p[0] for w in words)]


def script(chosen):
    text = ''
    for k, (_, t, block, _) in enumerate(chosen):
        made = [r for r in RESULTS if re.search(rf'\b{r} = ', block)]
        text += SETUP.replace('{t}', t) + f'begin\n{block.replace("{t}", t)}\nend\n'
        for r in made:
            text += f'save("{k}{r}.npy", f64({r}))\n'
    return text


# -- :export-kernel ----------------------------------------------------------------------

# What is exported, its inputs by name, the value of its numbers, and its results.
EXPORTED = [
    ('z = w - 2*v;', {'w': np.arange(1000) % 7, 'v': np.arange(1000) % 5}, [2],
     lambda w, v: {'z': w - 2*v}),
    ('s = sum(A, 2); t = sum(A, 1);', {'A': np.arange(60*40).reshape(60, 40) % 11}, [],
     lambda A: {'s': A.sum(axis=1), 't': A.sum(axis=0)}),
    ('q = A*x;', {'A': np.arange(50*64).reshape(50, 64) % 9, 'x': np.arange(64) % 3}, [],
     lambda A, x: {'q': A @ x}),
]


def arguments(head, inputs, numbers, groups):
    """The arguments of a kernel as its head comment lists them, and where its results lie."""
    args, results = [], {}
    for what, text in re.findall(r'^//   (\w+) +(.*)$', head, re.M):
        m = re.match(r'(\w+): f32 (\S+)(?:, room for (\d+))?; (\w+)', text)
        if what[0] == 's' and m:
            count = int(m[3]) if m[3] else inputs[m[1]].size
            data = bytearray(4*count + 64)
            if m[4] == 'reads':
                data[:4*count] = inputs[m[1]].astype('f4').tobytes()
            else:
                results[m[1]] = data
            args.append(data)
        elif what == 'work':
            base, each = (int(x) for x in re.match(r'(\d+) bytes, and (\d+) ', text).groups())
            args.append(bytearray(base + each*groups))
        else:
            number = re.match(r'number (\d+) of the statements, as (\w+)', text)
            args.append((number[2], numbers[int(number[1]) - 1]))
    return args, results


def exported(device, folder, home):
    for k, (block, inputs, numbers, expected) in enumerate(EXPORTED):
        text = ''.join(f'{name} = load("{name}{k}.npy");\n' for name in inputs)
        for name, x in inputs.items():
            np.save(os.path.join(folder, f'{name}{k}.npy'), x.astype('f4'))
        path = os.path.join(folder, f'e{k}')
        text += f'begin\n{block}\nend\n:export-kernel k1 {path}.cl\n:export-kernel k1 {path}.cu\n'
        text += ':code cuda\n'
        done = run('cpu', text, folder, home)
        if not check(done.returncode == 0, f'{block} is exported', done.stderr):
            continue
        with open(path + '.cl', encoding='utf-8') as f:
            head, text = f.read().split('\n//\n', 1)
        threads, most = (int(x) for x in re.search(r'(\d+) threads in a block; (\d+) ', head).groups())
        kernel = device.kernel(text)
        for groups in sorted({1, min(3, most), most}):
            args, results = arguments(head, inputs, numbers, groups)
            device.run(kernel, args, groups, threads)
            for name, want in expected(**inputs).items():
                got = np.frombuffer(bytes(results[name]), 'f4')[:want.size].reshape(want.shape)
                check(np.array_equal(got, want), f'{block} of {groups} blocks: {name}', f'{got}')
        with open(path + '.cu', encoding='utf-8') as f:
            text = f.read().split('\n//\n', 1)[1]
        check(text in done.stdout, f'{block}: the .cu is the text of :code', text)


def refusals(folder, home):
    save = ':export-kernel k1 '
    for text, words in (('x = 1:4; y = 3*x;\n:export-kernel k2 a.cl', 'the last block has no such kernel'),
                        ('x = 1:4; y = 3*x;\n' + save + 'a.txt', 'ends in .cu'),
                        ('x = 1:4; y = 3*x;\n' + save + 'nowhere/a.cl', 'there is no such folder'),
                        ('A = rand(300, 300); B = A*A;\n:export-kernel k2 a.cl', 'is a library call'),
                        ('x = 1:4; y = 3*x;\n:export-kernel', 'that is not how it is called')):
        done = run('cpu', text, folder, home)
        check(done.returncode in (1, 3) and words in done.stderr, f'{text!r} says {words}', done.stderr)


def run(target, text, folder, home, **more):
    path = os.path.join(folder, 'program.fs')
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)
    env = {k: v for k, v in os.environ.items() if not k.startswith('FUSIBLE')}
    env.update(HOME=home, XDG_CACHE_HOME=home, XDG_CONFIG_HOME=home, NO_COLOR='1',
               **more)
    return subprocess.run([PROGRAM, '--no-rc', '--plan', 'off', '--target', target, path],
                          cwd=folder, env=env, capture_output=True, text=True, timeout=900,
                          stdin=subprocess.DEVNULL)


def compare(chosen, folders):
    for k, (name, t, block, units) in enumerate(chosen):
        for r in RESULTS:
            paths = [os.path.join(f, f'{k}{r}.npy') for f in folders]
            if not os.path.exists(paths[0]):
                continue
            if not check(os.path.exists(paths[1]), f'{name} of {t}: no {r}'):
                continue
            want, got = (np.load(p).astype(float) for p in paths)
            eps = {'f16': 2**-10, 'bf16': 2**-7, 'f32': 2**-23}.get(t, 2**-52)
            bound = units * eps * np.max(np.abs(want), initial=1)
            same = want.shape == got.shape and np.all((np.abs(want - got) <= bound) | (want == got))
            check(same, f'{name} of {t}: {r}, {block}', f'{want}\n{got}')


def main():
    device = cl.Device()
    chosen = programs(sys.argv[1:])
    with tempfile.TemporaryDirectory() as home:
        os.mkdir(os.path.join(home, 'pocl'))
        # Four fifths of the time was PoCL's optimiser, whose results are not what is asked here.
        os.environ.update(POCL_CACHE_DIR=os.path.join(home, 'pocl'),
                          POCL_EXTRA_BUILD_FLAGS='-cl-opt-disable')
        done = run('opencl', 'sum(1:4)', home, home, FUSIBLE_OPENCL='/nowhere/libOpenCL.so')
        check(done.returncode == 3 and 'libOpenCL.so.1, is not installed' in done.stderr and
              done.stderr.count('\n') <= 2, 'no library: one sentence', done.stderr)
        done = run('opencl:900', 'sum(1:4)', home, home)
        check(done.returncode == 3 and ('has no device 900' in done.stderr or
                                        'is not installed' in done.stderr),
              'no such device: one sentence', done.stderr)
        if not device.there:
            print('OpenCL has no device here: nothing is run')
            return score.close()
        folders = [os.path.join(home, t) for t in ('cpu', 'opencl')]
        for target, folder in zip(('cpu', 'opencl'), folders):
            os.mkdir(folder)
            done = run(target, script(chosen), folder, home)
            check(done.returncode == 0 and not done.stderr, f'{target}: runs',
                  f'{done.returncode} {done.stderr[-2000:]}')
        compare(chosen, folders)
        if len(sys.argv) == 1 or 'export' in sys.argv:
            exported(device, folders[0], home)
            refusals(folders[0], home)
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
