#!/usr/bin/python3
"""FUSIBLE_KERNELS=plain keeps to what an sm_80 device can do, and the full code
does not: the same blocks, big enough for every scheme, give the same results by both,
to the bit, and only the full code has words of sm_90 in it.

    tests/gpu/plain.py [--fusible PATH]

Data are -1, 0 and 1 by a hash, so that sums are exact whatever their order. The last line
is `N passed, N failed`.
"""
import argparse
import os
import subprocess
import sys

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, TESTS)
from score import Score  # noqa: E402

# Instructions and attributes that came with sm_90.
NEW = ('cp.async.bulk', '.shared::cluster', '__cluster_dims__', 'barrier.cluster',
       'tensorMap', 'mapa.')
SETUP = """function hashed(h)
  h = mod(h, 65521)
  return {dtype}(mod(mod(h.*h + 12345, 65521), 3) - 1)
end
I = i64(1:{m}); J = i64(1:{n});
A = hashed(7919*I + 104729*J' + 31*(I*J')); C = hashed(7919*I + 31*(I*J') + 5);
v = hashed(7919*J + 7); u = hashed(7919*I + 11);
print(sum(A) + sum(v) + sum(u) + sum(C));
"""
# name: rows, columns, block, results. Shapes in which the full code has bulk copies,
# rows over the blocks of a cluster, columns in panels, phases behind a barrier.
BLOCKS = {
    'BiCGK': (2000, 4096, "q = A*v; s = A'*u;", 'q s'),
    'ATAX': (2000, 4096, "y = A'*(A*v);", 'y'),
    'wide ATAX': (264, 33001, "y = A'*(A*v);", 'y'),
    'SGEMVT': (4001, 264, "x = 2*A'*u + v; w = 3*A*x;", 'x w'),
    'GEMVER': (4001, 264, "B = A + u*v'; x = 2*B'*u + v; w = 3*B*x;", 'B x w'),
    'GESUMMV': (1001, 2048, "y = 2*A*v + C*v;", 'y'),
    'MADD': (1001, 777, "B = A + C;", 'B'),
    'row maximum': (777, 5000, "B = A - max(A, 2);", 'B'),
    'dot': (3, 300007, "z = v + v; d = z'*v;", 'z d'),
    'CG': (512, 512, "q = A*v; a = v'*q; r = v - a*q; e = r'*r; p = r + e*v;", 'r p e'),
}


def run(fusible, text, **env):
    env = dict(os.environ, FUSIBLE_L2='65536', **env)
    return subprocess.run([fusible, '--no-rc', '--target', 'cuda', '--plan', 'off',
                           '-e', text], env=env, capture_output=True, text=True,
                          errors='replace', check=False)


def main():
    p = argparse.ArgumentParser(description=__doc__.split('\n\n', maxsplit=1)[0])
    p.add_argument('--fusible', default=os.environ.get('FUSIBLE', 'build/fusible'))
    o = p.parse_args()
    score, used = Score(), set()
    for name, (m, n, block, results) in BLOCKS.items():
        for dtype in ('f32', 'f64', 'bf16'):
            shown = ''.join(f'x = f64(vec({r} .* ones(1))); i = mod(1:numel(x), 97);'
                            f'print("{r} has ", numel(x), " of sum ", sum(x), " or ", '
                            'sum(x .* i));\n' for r in results.split())
            text = (SETUP.format(m=m, n=n, dtype=dtype) + f'begin {block} end\n' +
                    ':code cuda\n' + shown)
            full, plain = run(o.fusible, text), run(o.fusible, text,
                                                    FUSIBLE_KERNELS='plain')
            what = f'{name} {dtype}'
            if not score.check(full.returncode == 0 and plain.returncode == 0,
                               f'{what}: {full.stderr}{plain.stderr}'):
                continue
            answers, plain_answers = answers_of(full), answers_of(plain)
            score.check(answers == plain_answers and
                        len(answers) == len(results.split()),
                        f'{what}: {answers} in full, {plain_answers} plain')
            found = [word for word in NEW if word in plain.stdout]
            score.check('__global__' in plain.stdout and not found,
                        f'{what}: {found} in plain code')
            used |= {word for word in NEW if word in full.stdout}
    for word in ('cp.async.bulk', '__cluster_dims__'):
        score.check(word in used, f'no full kernel uses {word}')
    return score.close()


def answers_of(ran):
    return [line for line in ran.stdout.splitlines() if ' of sum ' in line]


if __name__ == '__main__':
    sys.exit(main())
