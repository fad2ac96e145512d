#!/usr/bin/python3
"""Kernels that share a launch as its phases (plan/kernels/grid.c, emit/grid.c), on the fake
GPU, where the blocks of a launch are there together.

Iterations of solvers and random chains of matrix and vector statements on small
integers give exactly what the CPU target gives, in any type and size; plans have
the launches that they should, by the rules that hold kernels together or apart; and
where the device has no such launches, or one does not fit, the kernels run alone.
The last line is `N passed, N failed`.
"""
import json
import os
import random
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, 'fake')]
import fakegpu  # noqa: E402
from score import Score  # noqa: E402

score = Score()
check = score.check
home = tempfile.TemporaryDirectory(prefix='fusible-grid-')

SETUP = '''
n = %(n)d;
A = %(t)s(mod((1:n)*(1:n)', 5) - 2);
p = %(t)s(mod(1:n, 3) - 1); pt = %(t)s(mod((1:n)*2, 5) - 2);
r = %(t)s(mod(1:n, 4) - 1); rt = %(t)s(mod(1:n, 7) - 3); z = %(t)s(1 + 0*(1:n));
rho = sum(%(t)s([2]));
'''
# With divisions by powers of two only, so that every number is exact.
ITERATIONS = {
    'CG': 'q = A*p; w = p\'*q; alpha = rho/4 + 0*w; z1 = z + alpha*p; '
          'r1 = r - alpha*q; rho1 = r1\'*r1; p1 = r1 + (rho1/8)*p;',
    'BiCG': 'q = A*p; qt = A\'*pt; w = pt\'*q; alpha = rho/2 - 0*w; '
            'z1 = z + alpha*p; r1 = r - alpha*q; rt1 = rt - alpha*qt; '
            'rho1 = rt1\'*r1; beta = rho1/rho; p1 = r1 + beta*p; '
            'pt1 = rt1 + beta*pt;',
    'power': 'q = A*p; m = max(q); x = q/4 + m; s = A*x; t = s - sum(s);',
    'chain': 'q = A*p; s = A\'*q; e = sum(s); f = q + e; g = max(f); h = f + g;',
    'rows': 's = sum(A, 2); t = s - max(s); B = A + t; u = sum(B, 1);',
}
SHOWN = {'CG': 'q w z1 r1 rho1 p1', 'BiCG': 'q qt z1 r1 rt1 rho1 p1 pt1',
         'power': 'q m x s t', 'chain': 'q s e f h', 'rows': 's t u'}


def run(script, target, **more):
    args = ['--target', target, '--quiet', '--plan', 'off', '-e', script]
    env = fakegpu.environment(home.name, **{'FUSIBLE_REFERENCE_DEVICE': '1', **more})
    if target == 'cpu':
        env.pop('LD_LIBRARY_PATH')
    done = fakegpu.run(args, env)
    return done.returncode, done.stdout, done.stderr


def block(text):
    return 'begin\n' + text.replace('; ', ';\n') + '\nend;\n'


def exact():
    for name, text in ITERATIONS.items():
        for n, dtype in ((1, 'f64'), (5, 'f64'), (33, 'f32'), (96, 'f64'),
                         (130, 'f64')):
            script = SETUP % {'n': n, 't': dtype} + block(text)
            script += ''.join(f'{x}\n' for x in SHOWN[name].split())
            want = run(script, 'cpu')
            for more in ({}, {'FUSIBLE_FAKE_CC': '90'}):
                got = run(script, 'cuda', **more)
                check(want[0] == 0 and got == want,
                      f'{name}, n {n}, {dtype}, {more}',
                      f'cpu: {want}\ngpu: {got}')


# -- plans ---------------------------------------------------------------------------


def plan(script, words='', **more):
    """The kernels' joints of a block that nothing runs, on an H200's limits, and the
    number of launches."""
    text = SETUP % {'n': 8192, 't': 'f32'} + words + '\n' + block(script) + \
        ':plan json\n'
    more = {'FUSIBLE_FAKE_RUN': '0', 'FUSIBLE_FAKE_CC': '90', **more}
    status, out, err = run(text, 'cuda', **more)
    try:
        event = json.loads(out[out.index('['):])[-1]
        return [k['joint'] for k in event['kernels']], event['launches'], event
    except (ValueError, KeyError) as e:
        check(False, f'a plan of {script}: {e!r}', f'{status} {out} {err}')
        return [], 0, {}


CG = ('q = A*p; alpha = rho/(p\'*q); z1 = z + alpha*p; r1 = r - alpha*q; '
      'rho1 = r1\'*r1; p1 = r1 + (rho1/rho)*p;')
BICG = ('q = A*p; qt = A\'*pt; alpha = rho/(pt\'*q); z1 = z + alpha*p; '
        'r1 = r - alpha*q; rt1 = rt - alpha*qt; rho1 = rt1\'*r1; '
        'beta = rho1/rho; p1 = r1 + beta*p; pt1 = rt1 + beta*pt;')


def plans():
    joints, launches, event = plan(CG)
    check(launches == 1 and len(joints) > 1, 'CG is one launch', str(joints))
    check(joints[:1] == ['launch'] and 'barrier' not in joints,
          'the folds of CG are its barriers', str(joints))
    check(event.get('predicted') == sum(k['predicted'] for k in
                                        event.get('kernels', [])),
          'the prediction is the sum of the phases')
    joints, launches, _ = plan(BICG)
    check(launches == 1 and joints.count('barrier') == 1,
          'BiCG is one launch with one barrier between phases', str(joints))
    joints, launches, _ = plan(CG, ':strategy minsync')
    check(launches == 1, 'minsync: one launch', str(joints))
    for words, least in ((':strategy minmemory', 3), (':fuse off', 8),
                         (':split q p1', 2), (':split q r1\n:split r1 p1', 3)):
        joints, launches, _ = plan(CG, words)
        check(launches >= least, f'{words}: {launches} launches', str(joints))
    joints, launches, _ = plan(CG.replace('rho1 =', 'barrier\nrho1 ='))
    check(launches == 2, 'a barrier statement parts launches', str(joints))
    joints, launches, _ = plan(CG, FUSIBLE_FAKE_COOPERATIVE='0')
    check(launches == len(joints) > 1, 'a device without such launches',
          str(joints))
    # Two trips over a large matrix: nothing is worth a launch's blocks there.
    joints, launches, _ = plan('q = A*p; s = A*q; t = A*s;')
    check(launches == 3, 'large kernels stay alone', str(joints))


def large():
    """Choices that an H200 measured: rows that a block has to itself stay so in a launch
    of larger blocks; and where predictions say nothing, fewer kernels are taken."""
    for n, reference, text, want in (
            (4096, '1', 'v = sum(A, 2); w = A\'*v; u = A*w;', ['launch', 'barrier']),
            (16384, None, 'w = 1.5*(A*p) + 0.5*(B*p);', ['launch'])):
        script = f'A = rand({n}, {n}); B = rand({n}, {n}); p = rand({n}, 1);\n' + \
            block(text) + ':plan json\n'
        with tempfile.TemporaryDirectory() as data:
            status, out, err = run(script, 'cuda', FUSIBLE_FAKE_RUN='0',
                                   FUSIBLE_FAKE_CC='90', XDG_DATA_HOME=data,
                                   FUSIBLE_REFERENCE_DEVICE=reference)
        event = json.loads(out[out.index('['):])[-1] if '[' in out else {}
        kernels = event.get('kernels', [])
        check([k['joint'] for k in kernels] == want, f'{text} of {n}', f'{out} {err}')
        last = kernels[-1]['setting'] if kernels else {}
        check(last and last['threads'] == last['row_threads'],
              f'each block has a row of {text}', str(last))


def whole():
    """Sums of short vectors have no barrier: each block adds all elements, and goes on
    with those that it has stored itself. Long vectors are read once."""
    for dtype, n, barriers in (('bf16', 8192, 1), ('f32', 2048, 1), ('f64', 16384, 2)):
        text = SETUP % {'n': n, 't': dtype} + block(CG) + ':code cuda\n'
        status, out, err = run(text, 'cuda', FUSIBLE_FAKE_RUN='0', FUSIBLE_FAKE_CC='90')
        each = out.count('; all of them in each block')
        check(status == 0 and out.count('fs_grid_barrier(counters);') == barriers and
              (each > 0) == (barriers == 1),
              f'CG of {n} in {dtype} has {barriers} barriers',
              f'{each} phases are done whole; {err}')
    # Many random numbers are not read, but computed.
    text = 'y = rand(100000000); v = rand(8192); a = sum(y.^2);\n:code cuda\n'
    status, out, err = run(text, 'cuda', FUSIBLE_FAKE_RUN='0', FUSIBLE_FAKE_CC='90')
    check(status == 0 and 'scheme flat; 100000000 elements' in out and
          'all of them in each block' not in out,
          'no block draws all random numbers', out[-500:] + err)


def why():
    text = SETUP % {'n': 8192, 't': 'f32'} + block(CG) + ':why q p1\n:why p1\n'
    _, out, err = run(text, 'cuda', FUSIBLE_FAKE_RUN='0', FUSIBLE_FAKE_CC='90')
    check('They share a launch: k3 is a later phase of it' in out,
          ':why of two phases', out + err)
    check('It is a phase of the launch of k1 to k3.' in out, ':why of one', out)
    text = SETUP % {'n': 96, 't': 'f32'} + block(CG) + ':code\n:plan box\n'
    _, out, err = run(text, 'cuda')
    check('namespace phase3 {' in out and
          'it is a phase of the launch before it' in out, ':code', out[-500:])
    check('3 kernels in 1 launch' in err and '(same launch)' in err, ':plan', err)


def alone():
    """Where they cannot share a launch, they run one after the other."""
    script = SETUP % {'n': 96, 't': 'f64'} + block(ITERATIONS['BiCG'])
    script += ''.join(f'{x}\n' for x in SHOWN['BiCG'].split())
    want = run(script, 'cpu')
    for more in ({'FUSIBLE_FAKE_COOPERATIVE': '0'}, {'FUSIBLE_FAKE_CROWDED': '1'},
                 {'FUSIBLE_KERNELS': 'plain', 'FUSIBLE_FAKE_CC': '90'}):
        got = run(script, 'cuda', **more)
        check(got == want, f'with {more}', f'cpu: {want}\ngpu: {got}')


def again():
    """A loop of iterations: the barrier's counter serves every launch."""
    script = SETUP % {'n': 40, 't': 'f64'} + 'for k in 1:7\n' + \
        block(ITERATIONS['BiCG']) + \
        'p = mod(p1, 3) - 1; r = mod(r1, 5); z = z1; rt = mod(rt1, 4);\n' \
        'end\np\nr\nz\nrt\n'
    want, got = run(script, 'cpu'), run(script, 'cuda')
    check(want[0] == 0 and got == want, 'a loop', f'cpu: {want}\ngpu: {got}')


def parts():
    """An element that is set is a number of its own, not that of the array."""
    for n in (5, 64, 257):
        for at in ('1', 'n', '3'):
            script = SETUP % {'n': n, 't': 'f64'} + 'p = p + 1; k = p[2]; f = z[1];\n' \
                f'begin\no = r + 1; o[{at}] = k; o[2] = f;\n' \
                'd = o[2:end] - o[1:end-1]; t = sum(d) - (o[n] - o[1]);\n' \
                'u = o[1] + 10*o[2] + 100*o[n]; o[1:4] = z[1:4]*u; w = o[1] + o[n];\n' \
                'end\no\nd\nt\nu\nw\n'
            want = run(script, 'cpu')
            for more in ({}, {'FUSIBLE_FAKE_CC': '90'}):
                got = run(script, 'cuda', **more)
                check(want[0] == 0 and got == want, f'parts, n {n}, o[{at}], {more}',
                      f'cpu: {want}\ngpu: {got}')


# -- random chains ----------------------------------------------------------------------


def random_block(rng, n):
    """Statements on integers that stay small: matrices, rows, columns, numbers,
    elements that are read and set."""
    vectors, numbers, lines = ['p', 'r', 'z'], ['rho'], []
    for k in range(rng.randint(4, 9)):
        v, w = rng.choice(vectors), rng.choice(vectors)
        x = rng.choice(numbers)
        kind = rng.randrange(9)
        at = rng.choice([1, 1, n, (n + 1)//2])
        name = f'v{k}'
        if kind == 0:
            lines.append(f'{name} = mod(A*{v}, 7);')
        elif kind == 1:
            lines.append(f'{name} = mod(A\'*{v}, 5);')
        elif kind == 2:
            lines.append(f'{name} = {v} - mod({w}*{x}, 9);')
        elif kind == 3:
            lines.append(f'{name} = min({v}, {w}) + {x};')
        elif kind == 4:
            lines.append(f'{name} = {v} + 1; {name}[{at}] = {x};')
        else:
            name = f'x{k}'
            what = rng.choice([f'{v}[{at}] - {w}[1]', f'mod({v}\'*{w}, 11)',
                               f'mod(sum({v}), 6)',
                               f'max({v})', f'min({w}) + {x}'])
            lines.append(f'{name} = {what};')
            numbers.append(name)
            continue
        vectors.append(name)
    return lines, vectors[3:] + numbers[1:]


def calibrated():
    """A barrier is measured, and plans that are chosen by its price compute the
    same. The clock is the launches' own: a millisecond each and a nanosecond a thread."""
    status, out, err = run(':calibrate quick', 'cuda', FUSIBLE_FAKE_TAKES='1',
                           FUSIBLE_FAKE_CLOCK='1')
    found = re.search(r'^  barrier +[0-9.]+ [nµm]?s$', out, re.M)
    check(status == 0 and found, 'a barrier was measured', out + err)
    chains(21, 8)


def chains(seed=20, count=16):
    rng = random.Random(seed)
    joined = 0
    for k in range(count):
        n = rng.choice([1, 2, 31, 32, 33, 64, 100, 257])
        lines, names = random_block(rng, n)
        script = SETUP % {'n': n, 't': 'f64'} + 'begin\n' + '\n'.join(lines) + \
            '\nend;\n' + ''.join(f'{x}\n' for x in names)
        want, got = run(script, 'cpu'), run(script, 'cuda')
        check(want[0] == 0 and got == want, f'chain {k} at {n}',
              f'{script}\ncpu: {want}\ngpu: {got}')
        _, launches, event = plan(' '.join(lines))
        joined += len(event.get('kernels', [])) > launches
    check(joined > count // 4, f'{joined} of the chains share launches')


exact()
plans()
large()
whole()
why()
alone()
again()
parts()
chains()
calibrated()
sys.exit(score.close())
