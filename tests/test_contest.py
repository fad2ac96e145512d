#!/usr/bin/python3
"""`:again`, `:race` and `:check`: what they say of times, bits and errors.

Random blocks of f32 are written twice, for Fusible and for NumPy in f64. What `:check` says of
bits is compared with what the same block leaves with and without fusion, what it says of errors
with NumPy's. A routine that is wrong on purpose must be found.

    tests/test_contest.py [--count N] [--seed S] [--target cuda]

On the CPU and on the fake GPU, or, with --target cuda, on the GPU of this machine.
The last line is `N passed, N failed`.
"""
import argparse
import os
import random
import re
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, 'fake')]
import fakegpu  # noqa: E402
import score as scores  # noqa: E402

score = scores.Score()

# An expression in both languages, of matrices A, B (m x n) and vectors p (n) and r (m).
MATRICES = [('A', lambda v: v['A']), ('B', lambda v: v['B']), ('A + B', lambda v: v['A'] + v['B']),
            ('A .* B', lambda v: v['A']*v['B']), ("r*p'", lambda v: np.outer(v['r'], v['p'])),
            ('exp(-abs(A))', lambda v: np.exp(-np.abs(v['A'])))]
VECTORS = [('{}*p', lambda m, v: m @ v['p']), ("{}'*r", lambda m, v: m.T @ v['r']),
           ('sum({}, 1)', lambda m, v: m.sum(0, keepdims=True)),
           ('sum({}, 2)', lambda m, v: m.sum(1)), ('sum({})', lambda m, v: m.sum()),
           ('max({})', lambda m, v: m.max()), ('cumsum({}, 2)', lambda m, v: m.cumsum(1)),
           ('{} .* 3', lambda m, v: m*3), ('sqrt(abs({}))', lambda m, v: np.sqrt(np.abs(m)))]


def draw(rng):
    """A block's text, and its variables with what NumPy makes of them."""
    lines, values = [], {}
    for k in range(rng.randint(1, 4)):
        (a, f), (b, g) = rng.choice(MATRICES), rng.choice(VECTORS)
        lines.append(f'o{k} = {b.format("(" + a + ")")}')
        values[f'o{k}'] = lambda v, f=f, g=g: g(f(v), v)
    return '; '.join(lines) + ';', values


def write_inputs(rng, folder):
    m, n = rng.choice([1, 2, 31, 33, 200]), rng.choice([1, 3, 32, 65, 300])
    noise = np.random.default_rng(rng.randint(0, 1 << 30))
    shapes = {'A': (m, n), 'B': (m, n), 'p': (n,), 'r': (m,)}
    values = {k: noise.standard_normal(s).astype(np.float32) for k, s in shapes.items()}
    for name, value in values.items():
        np.save(os.path.join(folder, name + '.npy'), value)
    return ' '.join(f'{k} = load("{k}.npy");' for k in shapes), values


def start(text, target, folder, **more):
    path = os.path.join(folder, 'block.fs')
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)
    env = dict(os.environ) if target in ('cpu', 'cuda') else fakegpu.environment(folder, **more)
    first = 'cpu' if target in ('cpu', 'other') else 'cuda'
    return fakegpu.run(['--no-rc', '--keep-going', '-q', '-p', 'off', '--target', first, path],
                       env, folder)


def said_error(words):
    """The number in `error ...: 8.2e-08, without fusion none`, of the plan in use."""
    found = re.search(r'of f64: (none|[0-9.e+-]+|inf)', words)
    return None if not found else 0.0 if found[1] == 'none' else float(found[1])


def true_error(got, exact):
    """As agree.h has it, of all results."""
    worst = 0.0
    for name, value in exact.items():
        x = np.load(got[name]).astype(np.float64).reshape(np.shape(value))
        worst = max(worst, np.max(np.abs(x - value))/np.max(np.abs(value)))
    return worst


def check_block(rng, target):
    folder = scores.folder('contest')
    load, inputs = write_inputs(rng, folder)
    block, exact = draw(rng)
    save = ''.join(f'save("@{k}.npy", {k});' for k in exact)
    done = start(f'{load}\n{block}\n:check\n{save.replace("@", "f")}\n:fuse off\n{block}\n'
                 f'{save.replace("@", "u")}\n', target, folder)
    words = done.stdout
    wide = {k: v.astype(np.float64) for k, v in inputs.items()}
    with np.errstate(all='ignore'):
        exact = {k: f(wide) for k, f in exact.items()}
    fused = {k: os.path.join(folder, f'f{k}.npy') for k in exact}
    if not score.check(all(os.path.exists(f) for f in fused.values()), (block, words, done.stderr)):
        return
    differ = sum(int((np.load(f).view(np.uint32) !=
                      np.load(f.replace(f'f{k}', f'u{k}')).view(np.uint32)).sum())
                 for k, f in fused.items())
    if 'no statement has needed a kernel yet' in words:  # o0 = sum(B, 2) of one column is B
        score.check(differ == 0 and true_error(fused, exact) == 0, (block, words))
        return
    same = 'the same bits' in words or 'the plan is the same' in words
    told = re.search(r'(\d+) (?:of \d+ elements )?differ', words)
    score.check(same if differ == 0 else told and int(told[1]) == differ, (block, differ, words))
    told, true = said_error(words), true_error(fused, exact)
    score.check(told is not None and abs(told - true) <= .06*10**np.floor(np.log10(true or 1)) + 1e-13,
                (block, told, true, words))


PLANTED = '''function doubled
doc      twice a number, and a bit more each time
args     x:each
result   each
compute thread c {
  static int calls;
  return 2*x + (float)(calls++ % 7);
}
'''


def check_planted():
    """A routine that gives something else each time: said of bits and errors."""
    folder = scores.folder('contest')
    with open(os.path.join(folder, 'doubled.elem'), 'w', encoding='utf-8') as f:
        f.write(PLANTED)
    done = start(':elem doubled.elem\nx = f32(1:1000); y = doubled(x); z = y + 1;\n:race\n:check\n',
                 'cpu', folder)
    differ = [int(k) for k in re.findall(r'(\d+) (?:of 3000 elements )?differ', done.stdout)]
    score.check(len(differ) >= 2 and min(differ) > 1000, done.stdout + done.stderr)
    score.check(0.0001 < (said_error(done.stdout) or 0) < 0.01, done.stdout + done.stderr)


def check_words(target):
    """The table, its words, and what cannot be raced; no variable changes."""
    folder = scores.folder('contest')
    done = start('n = 300; A = rand(n, n); p = rand(n); r = rand(n); q = p;\n'
                 ":race\nq = A*p; s = A'*r;\nsave(\"a.npy\", q);\n:race 2\n:again 7\n:check\n"
                 'save("b.npy", q);\n'
                 'A[1, :] = 0;\n:race\nk = i32(1:9);\n:again x\n:again 0\n:check 1\n'
                 'x = 1:10; y = 2*f64(x);\n:check\n:race 1 2\n', target, folder)
    out, err = done.stdout, done.stderr
    for words in ('in use', 'runs of each, in turns', '7 runs: median',
                  'in shares of the largest element', 'copies before updates are timed here'):
        score.check(words in out, (words, out, err))
    score.check(err.count('that is not how it is called') == 3 and 'takes no words' in err, err)
    a, b = (np.load(os.path.join(folder, k)) for k in ('a.npy', 'b.npy'))
    score.check(a.tobytes() == b.tobytes(), 'q changed')


def check_little_memory():
    """Which plans did not fit, and what could not be compared, with the reason."""
    text = ('A = rand(300, 300); p = rand(300); r = rand(300); A[1, 1] = 1;\n'
            "begin q = A*p; s = A'*r; C = A + 1; end\n:race 1\n:check\n")
    said = {'did not run: not enough memory on fake GPU': 0, 'the results did not find room': 0,
            'the block in f64 did not find room': 0}
    for memory in range(1000000, 2700000, 200000):
        done = start(text, 'fake', scores.folder('contest'), FUSIBLE_FAKE_MEMORY=str(memory))
        score.check(done.returncode in (0, 3) and 'SIG' not in done.stderr, (memory, done.stderr))
        for words in said:
            said[words] += words in done.stdout
    score.check(all(said.values()), said)


# Products with vectors of small integers: of arrays as they lie, turned, in part and computed.
LIBRARY = ('q = A*p;', "s = A'*r;", "q = A*p; s = A'*r;", "v = (r'*A)'; w = 2*v;",
           'u = (A + 1)*(2*p);', 'q = A[2:m, 2:n]*p[2:n];', "s = A[:, 1:2:n]'*r;",
           "q = T*p; s = T'*r;", "x = 0.5*A'*(A*p) + p;", 'd = f64(A)*f64(p);',
           "C = A*T'; q = C*r;", 'q = [A, A]*[p; p];', 'y = y + A*p;')
OWN = ('c = cumsum(A, 1);', 's = sum(A.*A, 2);', "d = p'*p;", 'k = i32(A)*i32(p);')


def check_library(target):
    """The row of a race that has a BLAS's products; and where there is none, no such row."""
    folder = scores.folder('contest')
    library = os.path.join(fakegpu.FAKE, 'cublas.so')
    sizes = ((33, 31), (5, 2000), (3, 65), (200, 300))
    for m, n in sizes if target == 'cpu' else sizes[:2]:  # there each kernel is compiled
        text = (f'm = {m}; n = {n}; A = mod(reshape(f32(1:m*n), m, n), 7) - 3; T = (A\' + 0)\';\n'
                'p = mod(f32(1:n), 5) - 2; r = mod(f32(1:m), 3) - 1; y = r;\n'
                'print(sum(A), sum(T), sum(p), sum(r), sum(y));\n')
        races = ''.join(f'print("\\n@{b}");\n{b}\n:race 1\n' for b in LIBRARY + OWN)
        done = start(text + races, target, folder, FUSIBLE_CUBLAS=library)
        parts = done.stdout.split('\n@')[1:]
        score.check(len(parts) == len(LIBRARY) + len(OWN), (done.stdout, done.stderr))
        for block, part in zip(LIBRARY + OWN, parts):
            row = re.search(r'^library .*', part, re.M)
            if block in OWN:
                score.check(row is None and 'in use' in part, (target, m, n, part))
            else:
                score.check(row is not None and ' none  same bits' in row[0], (target, m, n, part))


def check_other_device():
    """The last block is there on the device of now, without a run, and leaves what it left."""
    folder = scores.folder('contest')
    done = start('A = rand(200, 300); p = rand(300); r = rand(200); print(sum(A));\n'
                 'q = A*p; s = A\'*r;\nsave("a.npy", s);\nprint("other threads");\n'
                 ':set threads 1\n:again 3\n:check\n:race 1\nprint("a GPU");\n'
                 ':target cuda\n:again 3\n:check\n:alternatives\nprint("back");\n'
                 ':target cpu\n:again 3\nsave("b.npy", s);\nz = 2*p; print(sum(z));\n'
                 ':set threads 2\n:again 3\n', 'other', folder)
    parts = re.split('other threads|a GPU|back', done.stdout)
    score.check(len(parts) == 4 and not done.stderr, done.stderr)
    for part, words in zip(parts[1:], (('runs: median', 'same bits', 'no fusion'),
                                       ('runs: median', 'of f64: ', 'row '), ('runs: median',))):
        score.check(all(w in part for w in words), (words, part, done.stderr))
    score.check(parts[-1].count('3 runs: median') == 2, parts[-1])
    a, b = (np.load(os.path.join(folder, k)) for k in ('a.npy', 'b.npy'))
    score.check(a.tobytes() == b.tobytes(), 's changed')


def main():
    p = argparse.ArgumentParser()
    p.add_argument('--count', type=int, default=60)
    p.add_argument('--seed', type=int, default=1)
    p.add_argument('--target', choices=['cuda'])
    a = p.parse_args()
    check_planted()
    if not a.target:
        check_other_device()
        check_little_memory()
    for target in (a.target,) if a.target else ('cpu', 'fake'):
        check_words(target)
        check_library(target)
        rng = random.Random(a.seed)
        for _ in range(a.count//4 if target == 'fake' else a.count):
            check_block(rng, target)
    sys.exit(score.close())


main()
