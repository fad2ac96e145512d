#!/usr/bin/env python3
"""The settings of a kernel: `:alternatives k1`, `:pin` and `:unpin`, on the CPU target
and on the fake GPU (tests/fake).

Every setting that is listed for a kernel is pinned in turn: the plan must then have
it, say that it is by hand, and compute the same (small integers: every order of
summation gives the same bits). The last line is `N passed, N failed`.
"""
import concurrent.futures
import json
import os
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, 'fake')]
import fakegpu  # noqa: E402
from score import Score  # noqa: E402

score = Score()
check = score.check

SETUP = '''m = 96; n = 64;
i = reshape(1:m, m, 1); j = reshape(1:n, 1, n);
A = mod(f32(i)*f32(j), 7) - 3; p = mod(f32(1:n), 5) - 2; r = mod(f32(1:m), 3) - 1;
'''
BLOCKS = {
    'BiCGK': ("begin q = A*p; s = A'*r; end", 'q s'),
    'ATAX': ("begin y = A'*(A*p); end", 'y'),
    'rows less their sums': ('begin B = A - sum(A, 2); end', 'B'),
    'sums of columns': ('begin c = sum(A .* A, 1); end', 'c'),
    'both ways': ("begin C = A[1:64, :] + A[1:64, :]'; end", 'C'),
    'elements': ('begin B = A .* 2 + 1; end', 'B'),
    'a sum': ('begin t = sum(A .* A); end', 't'),
}
# Functions over small elements: 203 is no multiple of the instances of a block, 256 is;
# slices begin where no vector does.
SMALL = ''':elem tests/elem/affine3.elem
:elem tests/elem/shift3.elem
:elem tests/elem/packed.elem
:elem tests/elem/squared.elem
:elem tests/elem/prefix64.elem
S = mod(f32(reshape(1:(203*9), 203, 3, 3)), 13) - 6; v = mod(f32(reshape(1:(203*3), 203, 3)), 5) - 2;
E = mod(f32(reshape(1:(256*9), 256, 3, 3)), 11) - 5; u = mod(f32(reshape(1:(256*3), 256, 3)), 7) - 3;
W = mod(f32(reshape(1:(50*64), 50, 64)), 11) - 5; H = f16(E); D = f64(E);
'''
SMALL_BLOCKS = {
    'a matrix times a vector': ('begin y = affine3(S, v, 2); end', 'y'),
    'maps around': ('begin y = 2*affine3(S + S, v .* 3, 2) - v; x = v .* 3; end', 'y x'),
    'slices': ('begin y = affine3(S[2:202, :, :], v[3:203, :], 2); end', 'y'),
    'half': ('begin y = affine3(H, f16(u), f16(2)); end', 'y'),
    'double': ('begin y = affine3(D, f64(u), f64(2)); end', 'y'),
    'mixed': ('begin y = shift3(E, u[:, 1]) .* f32(H); end', 'y'),
    'a chain': ('begin B = shift3(S, 1); y = affine3(B, v, 2); z = y + v; end', 'B y z'),
    'alternatives': ('begin y = symv(S, v); end', 'y'),
    'whole warps': ('begin R = prefix64(W); end', 'R'),
}


def run(script, target, folder, *options):
    return fakegpu.run(['--target', target, '--plan', 'off', '--quiet', *options,
                        '-e', script], fakegpu.environment(folder), cwd=fakegpu.ROOT)


def settings_of(block, target, folder, more='', setup=SETUP):
    done = run(setup + block + '\n' + more + ':alternatives k1 json\n', target, folder)
    check(done.returncode == 0, f'{target}: {block}: settings', done.stderr)
    return json.loads(done.stdout[done.stdout.index('{'):])


def wanted(setting):
    words = [f'scheme={setting["scheme"]}', f'rows={setting["space"][0]}']
    routine = re.search(r'routine (\d+) of', setting.get('routines', ''))
    words += [f'routine={routine.group(1)}'] if routine else []
    return words + [f'{k}={v}' for k, v in (setting['setting'] or {}).items()]


def traits(kernel):
    return (kernel['scheme'], kernel['space'], kernel['setting'],
            kernel.get('routines'))


def test_first_settings_as_data(folder):
    block = BLOCKS['BiCGK']
    everything = settings_of(block[0], 'cuda', folder)
    done = run(SETUP + block[0] + '\n:alternatives k1 2 json\n', 'cuda', folder)
    check(done.returncode == 0, 'two settings as data', done.stderr)
    few = json.loads(done.stdout[done.stdout.index('{'):])['settings']
    places = [everything['settings'].index(x) for x in few]
    check(places[:2] == [0, 1] and len(places) <= 3 and sum(x['chosen'] for x in few) == 1
          and len(everything['settings']) > 3, 'two settings, and the one in use', places)


def every_setting(target, name, folder):
    """What is listed for a block, and the run that pins each in turn."""
    block, results = {**BLOCKS, **SMALL_BLOCKS}[name]
    setup = SETUP + (SMALL if name in SMALL_BLOCKS else '')
    rows = settings_of(block, target, folder, setup=setup)['settings']
    keep = ''.join(f'{x}0 = {x};\n' for x in results.split())
    script = setup + block + '\n' + keep
    for x in rows[:5] if name in SMALL_BLOCKS else rows:
        script += f':pin 1 {" ".join(wanted(x))}\n{block}\n:plan json\n'
        script += ''.join(f'assert(max(abs({y} - {y}0)) == 0)\n' for y in results.split())
        script += ':unpin 1\n' + block + '\n'
    return rows, run(script, target, folder)


def test_every_setting(folder):
    cases = [(target, name) for target in ('cpu', 'cuda') for name in {**BLOCKS, **SMALL_BLOCKS}]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda case: every_setting(*case, folder), cases))
    for (target, name), (rows, done) in zip(cases, found):
        want = f'{target}: {name}'
        check(sum(x['chosen'] for x in rows) == 1, f'{want}: one is in use', rows)
        check(all(x['first'] > 0 for x in rows), f'{want}: predictions', rows)
        check(target == 'cpu' or name in SMALL_BLOCKS or len(rows) >= 4,
              f'{want}: how many', len(rows))
        if name in SMALL_BLOCKS:
            rows = rows[:5]  # all numbers of threads of an instance
        check(done.returncode == 0 and not done.stderr, f'{want}: the same results',
              done.stderr)
        plans = pinned_plans(done.stdout)
        check(len(plans) == len(rows), f'{want}: a plan for each', len(plans))
        for x, plan in zip(rows, plans):
            k = plan['kernels'][0]
            check(traits(k) == traits(x) and
                  k['by_hand'] == ', '.join(wanted(x)).replace('=', ' '),
                  f'{want}: as pinned', (traits(k), traits(x), k['by_hand']))
            # Of two with the same traits, as square arrays have, the better one.
            check(target == 'cpu' or k['first'] <= x['first'] * (1 + 1e-6),
                  f'{want}: predicted as listed', (k['first'], x))


def pinned_plans(text):
    """The last plan of each `:plan json`."""
    plans, decoder, at = [], json.JSONDecoder(), text.find('\n[')
    while at >= 0:
        value, end = decoder.raw_decode(text, at + 1)
        plans.append(value[-1])
        at = text.find('\n[', end)
    return plans


MISTAKES = [
    (':pin 2 scheme=tile', 'the last block has 1 kernel, there is no k2'),
    (':pin 0 scheme=tile', 'there is no k0'),
    (':pin q scheme=tile', "'q' is not a kernel"),
    (':pin 1', 'hint: :pin [kernel setting=value ...]'),
    (':pin 1 colour=3', "k1 has no setting 'colour'"),
    (':pin 1 scheme', "'scheme' gives no value"),
    (':pin 1 scheme=round', 'k1 cannot have scheme round'),
    (':pin 1 scheme=row scheme=tile', 'scheme is given twice'),
    (':pin 1 rows=7', 'hint: it has rows 64, 96'),
    (':unpin 2', 'there is no k2'),
    (':unpin 1 2', 'that is not how it is called'),
    (':alternatives k2', 'there is no k2'),
    (':alternatives k', "'k' is not a kernel"),
    (':alternatives k1 0', 'that is not how it is called'),
]
GPU_MISTAKES = [
    (':pin 1 threads=300', 'k1 cannot have threads 300'),
    (':pin 1 threads=-1', 'k1 cannot have threads -1'),
    (':pin 1 threads=99999999999999999999', 'k1 cannot have threads'),
    (':pin 1 scheme=tile threads=512', 'hint: with scheme tile it has threads 256'),
    (':pin 1 scheme=tile\n:pin 1 threads=512', 'no setting with scheme tile, threads 512'),
]


def test_mistakes(folder):
    block = BLOCKS['BiCGK'][0] + '\n'
    for target in ('cpu', 'cuda'):
        for line, words in MISTAKES + (GPU_MISTAKES if target == 'cuda' else []):
            done = run(SETUP + block + line + '\n', target, folder)
            check(done.returncode == 1 and words in done.stderr and '^~' in done.stderr,
                  f'{target}: {line}', done.stderr)
    done = run(SETUP + block + ':pin 1 threads=256\n', 'cpu', folder)
    check("k1 has no setting 'threads' on cpu" in done.stderr, 'no threads on the CPU',
          done.stderr)
    done = run('B = inv([2, 0; 0, 4]);\n:alternatives k1\n:pin 1 scheme=row\n', 'cpu', folder)
    check('library call' in done.stdout and 'which has no settings' in done.stderr,
          'a library call', done.stdout + done.stderr)
    done = run(':pin 1 scheme=row\n:alternatives k1\n:pin\n', 'cpu', folder)
    check(done.returncode == 0 and done.stdout.count('no statement has needed a kernel yet') == 2 and
          'no kernel is pinned' in done.stdout, 'nothing has run', done.stdout)


def test_other_pins(folder):
    """Statements are pinned first; a setting that is not kept is told of once."""
    block = BLOCKS['BiCGK'][0] + '\n'
    rows = settings_of(block, 'cpu', folder)['settings']
    first, other = rows[0]['scheme'], next(x['scheme'] for x in rows
                                           if x['scheme'] != rows[0]['scheme'])
    pin = f':pin 1 scheme={other}\n'
    is_so, is_not = f':assert scheme == {other}\n', f':assert scheme == {first}\n'
    done = run(SETUP + block + pin + ':split q s\n' + block + block, 'cpu', folder)
    check(done.returncode == 0 and
          done.stderr.count(f':pin scheme {other} is not followed here') == 1,
          ':split decides first', done.stderr)
    done = run(SETUP + block + pin + ':fuse q s\n' + block + is_so,
               'cpu', folder)
    check(done.returncode == 0 and not done.stderr, ':fuse of the same', done.stderr)
    done = run(SETUP + block + pin + block + is_so + ':strategy off\n' + block, 'cpu',
               folder)
    check(done.returncode == 0 and 'is not followed' in done.stderr,
          'a strategy decides first', done.stderr)
    # Other sizes are another block.
    done = run(SETUP + block + pin + "A = ones(50, 64); r = ones(50);\n" + block +
               ':plan json\n', 'cpu', folder)
    check(done.returncode == 0 and not done.stderr and '"by_hand": null' in done.stdout,
          'another block', done.stderr)
    # A loop: its body has the pin, and goes on having it.
    loop = 'for k = 1:5\n  q = A*p; s = A\'*r;\nend\n'
    done = run(SETUP + loop + pin + loop + is_so + ':unpin\n' + loop + is_not, 'cpu',
               folder)
    check(done.returncode == 0, 'in a loop', done.stderr)
    # Phases of a launch go by the one that is pinned.
    chain = "begin y = A*p; z = A'*y; w = A*z; end\n"
    start = SETUP + ':strategy minsync\n' + chain
    done = run(start + ':plan json\n', 'cuda', folder)
    plan = pinned_plans('\n' + done.stdout)[-1]
    joined = [k['joint'] for k in plan['kernels']]
    check('barrier' in joined or 'beside' in joined, 'there are phases', joined)
    at = len(joined)
    done = run(start + f':pin {at} threads=512\n' + chain + ':plan json\n', 'cuda', folder)
    check(done.returncode == 0, 'a phase is pinned', done.stderr)
    plan = pinned_plans(done.stdout)[-1]
    threads = {k['setting']['threads'] for k in plan['kernels']}
    check(threads == {512} and plan['kernels'][-1]['by_hand'] == 'threads 512',
          'phases walk as it does', plan['kernels'])


def test_measured(folder):
    block = BLOCKS['sums of columns'][0]
    found = settings_of(block, 'cuda', folder, ':tune 6\n')
    timed = [x for x in found['settings'] if x['measured']]
    check(len(timed) >= 3 and all(x['measured'] > 0 for x in timed),
          'what :tune measured', found['settings'])
    found = settings_of(block, 'cuda', folder, ':tune forget all\n')
    timed = [x for x in found['settings'] if x['measured']]
    check(all(x['chosen'] for x in timed), 'else only the one in use', timed)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for test in (test_first_settings_as_data, test_every_setting, test_mistakes,
                     test_other_pins, test_measured):
            test(folder)
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
