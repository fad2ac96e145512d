#!/usr/bin/python3
"""Kernels that run as they are written, on the fake GPU: what they give, how they are started,
their rows in plans, and what is refused; and what is said where there is no GPU.

    tests/test_asis.py

The kernels are those of tests/kernels/asis.cu. Values are whole numbers, so every element must be
the same. The last line is `N passed, N failed`.
"""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, 'fake')]
import fakegpu  # noqa: E402
import score as scores  # noqa: E402

score = scores.Score()
ASIS = os.path.join(HERE, 'kernels', 'asis.cu')

# Calls of a kernel of asis.cu, and what they show.
CALLS = [
    ('axpy', '', 'f(3, f32([1, 2, 3]), ones(3), 2)', 'f32[3] 7 13 19'),
    ('axpy', ' block=3', 'f(1, f32([1, 2, 3]), zeros(3), 2)', 'f32[3] 2 4 6'),
    ('axpy', ' block=1 grid=2', 'f(1, f32([1, 2, 3]), zeros(3), 2)', 'f32[3] 2 4 0'),
    ('axpy', '', "f(1, reshape(f32(1:6), 2, 3)'[:, 2], zeros(3), sum(f32([1, 1])))",
     'f32[3] 8 10 12'),
    ('odd', '', 'f(f64([1, 2]), zeros(2, "f64"), 2)', 'f64[2] 1 2'), # the first of two
    ('odd', ' out=y', 'f(f64([1, 2]), zeros(2, "f64"), 2)', 'f64[2] 2 3'),
    ('square', '', 'f(i64([1, 2, 3, 4]), true, 4)', 'i64[4] 1 4 9 16'),
    ('square', '', 'f(i64([1, 2, 3, 4]), false)', 'i64[4] -1 -2 -3 -4'),
    ('places', '', 'f(zeros(2, 3, "i32"), 3)', 'i32[2×3] 0 1 2 1000 1001 1002'),
    ('tiled', '', 'f(eye(8), reshape(f32(1:64), 8, 8))[8, 5:8]', 'f32[1×4] 61 62 63 64'),
    ('halves', ' block=4 grid=2 shared=16', 'f(f32(1:8), zeros(2))', 'f32[2] 10 26'),
]

# What is loaded, the call, and what is said.
REFUSED = [
    ('"tests/kernels/asis.cu", "set_late" asis', 'f(1)', '72:', 'set by a host'),
    ('"tests/kernels/asis.cu", "any" asis', 'f(1)', 'asis.cu:', 'no template'),
    ('"tests/kernels/asis.cu", "none" asis', 'f(1)', 'in.fs:', 'no kernel'),
    ('"tests/kernels/asis.cu", "axpy" asis fast', 'f(1)', 'in.fs:', 'says nothing of how'),
    ('"tests/kernels/asis.cu", "axpy" asis block=0', 'f(1)', 'in.fs:', 'says nothing of how'),
    ('"tests/kernels/asis.cu", "axpy" asis block=64x64', 'f(1)', 'in.fs:', 'says nothing of how'),
    ('"tests/kernels/asis.cu", "axpy" asis out=a', 'f(1)', 'in.fs:', 'says nothing of how'),
    ('"tests/kernels/asis.cu", "axpy" asis', 'f(1, f64([1]), ones(1), 1)', 'in.fs:',
     'elements of 4 bytes, and is given f64'),
    ('"tests/kernels/asis.cu", "axpy" asis', 'f(1)', 'in.fs:', 'takes 4 arguments'),
    ('"tests/kernels/asis.cu", "bytes" asis', 'f(i32([1]), ones(1))', 'in.fs:',
     'of which there are no arrays'),
    ('"tests/kernels/asis.cu", "wrong" asis', 'f(f32([1]), ones(1))', 'in.fs:',
     'does not compile `wrong`'),
]


def loaded(name, how):
    return f'f = :kernel "{ASIS}", "{name}" asis{how};\n'


def check_calls(env, folder):
    for name, how, call, shown in CALLS:
        done = fakegpu.run(['--no-rc', '--target', 'cuda', '-e', loaded(name, how) + call], env)
        score.check(done.stdout.split() == shown.split(), (name, how, call, done.stdout, done.stderr))
    text = (loaded('two', '') + 'a, b = f(f32(1:6), zeros(2, 3), zeros(3, 2), 6);\na\nb\n'
            'g = ' + loaded('axpy', '')[4:] + 'g(2, f32(1:3), ones(3), 0.5)\n')
    done = fakegpu.run(['--no-rc', '--target', 'cuda', '-e', text], env)
    want = ('a = f32[2×3] 2 4 6 8 10 12 b = f32[3×2] 54 30 12 27 12 3 '
            'f32[3] 2 3 4')
    score.check(done.stdout.split() == want.split(), (done.stdout, done.stderr))
    text = (f'f = :kernel "{os.path.join(HERE, "kernels", "asis.cl")}" asis\n'
            'f(f32([2, 4]), zeros(2), 2)')
    done = fakegpu.run(['--no-rc', '--target', 'cuda', '-e', text], env)
    score.check(done.stdout.split()[-3:] == 'f32[2] 2 3'.split(), (done.stdout, done.stderr))
    text = (f'f = :kernel "{os.path.join(HERE, "kernels", "users.cu")}", "transposeCoalesced" asis\n'
            "A = reshape(f32(1:4096), 64, 64);\nmax(vec(abs(f(zeros(64, 64), A) - A')))")
    done = fakegpu.run(['--no-rc', '--target', 'cuda', '-e', text], env)
    score.check(done.stdout.split()[-1:] == ['0'], (done.stdout, done.stderr))


def check_plan(env):
    """A row of its own, which is measured; the text of the user; kept as a block that comes again."""
    text = (loaded('axpy', '') + 'x = f32(1:4); y = ones(4);\nfor k = 1:3\n  y = f(1, x, y, 2);\nend\ny\n'
            'begin z = 2*f(1, x + 1, y, 2) + y; end\n:plan\n:code k2\n')
    done = fakegpu.run(['--no-rc', '--target', 'cuda', '-e', text], env)
    score.check('7  13  19  25' in done.stdout, done.stdout + done.stderr)
    rows = re.findall(r'│ k\d+ +(\w+)', done.stderr)
    score.check(rows == ['flat', 'library', 'flat'], done.stdout)
    score.check('extern "C" __global__ void axpy(int k' in done.stdout and
                'int main' not in done.stdout and '#include' not in done.stdout, done.stdout + done.stderr)


def check_race(env):
    """Both in turns, whichever the session has; what it has is as it was."""
    for what in ('mv = :kernel "examples/mv.cu";', 'mv = :kernel "examples/mv.cu" asis;'):
        text = (what.replace('examples', os.path.join(os.path.dirname(HERE), 'examples')) +
                '\nA = f32([1, 2; 3, 4]); x = ones(2);\n:race mv(A, x) block=2\nmv\n:race sum(x)\n')
        done = fakegpu.run(['--no-rc', '--target', 'cuda', '-e', text], env)
        for words in ('as it is written', '(1 kernel)', 'ratio', 'results            the same',
                      'mv = kernel(A, x, y, n)'):
            score.check(words in done.stdout, (words, done.stdout, done.stderr))
        score.check('calls no kernel' in done.stderr and 'race_' not in done.stdout, done.stderr)
    text = loaded('odd', '') + ':race f(f64([1, 2]), zeros(2, "f64"), 2)\n'
    done = fakegpu.run(['--no-rc', '--target', 'cuda', '-e', text], env)
    score.check('is not read (' in done.stderr, done.stderr)
    done = fakegpu.run(['--no-rc', '--target', 'cpu', '-e', loaded('axpy', '') +
                        ':race f(1, ones(2), ones(2), 2)'], dict(os.environ))
    score.check('needs a GPU' in done.stderr, done.stderr)


def check_refusals(env):
    for what, call, place, words in REFUSED:
        what = what.replace('tests/kernels', os.path.join(HERE, 'kernels'))
        folder = scores.folder('asis')
        path = os.path.join(folder, 'in.fs')
        with open(path, 'w', encoding='utf-8') as f:
            f.write(f'f = :kernel {what}\n{call}\n')
        said = fakegpu.run(['--no-rc', '--target', 'cuda', path], env).stderr
        score.check(words in said and place in said and said.startswith('/'),
                    (what, call, said))


def check_cpu():
    """Without a GPU what is read runs as what it computes."""
    done = fakegpu.run(['--no-rc', '--target', 'cpu', '-e',
                        loaded('tiled', '') + 'f(2*eye(4), ones(4, 4))[1, :]'], dict(os.environ))
    score.check(done.stdout.split() == 'f32[1×4] 2 2 2 2'.split(), done.stdout + done.stderr)
    done = fakegpu.run(['--no-rc', '--target', 'cpu', '-e',
                        loaded('odd', '') + 'f(f64([1, 2]), zeros(2, "f64"), 2)'], dict(os.environ))
    score.check('needs a GPU' in done.stderr and '`goto` is not read' in done.stderr and
                done.returncode == 1, done.stdout + done.stderr)


def check_nvrtc():
    """The real compiler takes these texts, where there is one."""
    folder = scores.folder('asis-nvrtc')
    env, kept = fakegpu.environment(folder), os.path.join(folder, 'kept')
    os.makedirs(kept)
    users = os.path.join(HERE, 'kernels', 'users')
    given = 'x = ones(16); A = ones(4, 4); k = ones(16, "i32");\n'
    calls = [('axpy', 'f(3, x, x, 2)', ASIS), ('tiled', 'f(A, A, A, 4)', ASIS),
             ('softmax_rows', 'f(A, A, 4, 4)', users + '.cu'), ('counts', 'f(k, k, 16)', users + '.cu'),
             ('kmeans_assign', 'f(A, A, k, 4, 4, 4)', users + '.cu'),
             ('weigh', 'f(x, x, 16)', users + '.cl'), ('myGEMM2', 'f(4, 4, 4, A, A, A)', users + '.cl')]
    for name, call, file in calls:
        text = given + f'f = :kernel "{file}", "{name}" asis;\ny = {call};\n'
        fakegpu.run(['--no-rc', '--target', 'cuda', '-e', text],
                    dict(env, FUSIBLE_FAKE_KEEP=kept, FUSIBLE_FAKE_RUN='0'))
    files = [os.path.join(kept, f) for f in os.listdir(kept)]
    texts = [f for f in files if 'extern "C" __' in open(f, encoding='utf-8').read()]
    score.check(len(texts) >= len(calls), texts)
    program = os.path.join(fakegpu.BUILD, 'nvrtc-check')
    done = subprocess.run([program], input=''.join(f'sm_90a {f}\n' for f in texts), text=True,
                          capture_output=True, check=False)
    for line in done.stdout.splitlines():
        score.check(not line.startswith('fail'), line)


def main():
    folder = scores.folder('asis-gpu')
    env = dict(fakegpu.environment(folder), FUSIBLE_CHECK='1')
    check_calls(env, folder)
    check_plan(env)
    check_race(env)
    check_refusals(env)
    check_cpu()
    check_nvrtc()
    score.close()


main()
