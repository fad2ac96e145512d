#!/usr/bin/env python3
"""One prediction of a kernel, wherever it is shown: random blocks on the CPU target and on
the fake GPU, each run and then asked about by `:plan`, `:alternatives`, `:alternatives k1`,
`:why`, `:pin`, `:tune` and `:explain`. What is first predicted must be the same number in all
of them, what runs have taught the same in all that speak of the next run.

The last line is `N passed, N failed`.
"""
import argparse
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
UNITS = {'s': 1, 'ms': 1e-3, 'µs': 1e-6, 'ns': 1e-9}
TIME = r'([\d.]+) (s|ms|µs|ns)\b'


class Blocks:
    """Random blocks over a few arrays, each of which has a name for every statement."""

    def __init__(self, seed, most):
        self.rng = random.Random(seed)
        self.m = self.rng.choice((24, 200, most))
        self.n = self.m if self.rng.random() < 0.4 else self.rng.choice((16, 150, most))

    def setup(self):
        return (f'm = {self.m}; n = {self.n}; A = rand(m, n); B = rand(m, n); '
                'p = rand(n); r = rand(m); A[1,1] = 1; B[1,1] = 1; p[1] = 1; r[1] = 1;\n')

    def statement(self, name, columns, rows):
        pick = self.rng.choice
        made, kind = pick((
            (f"{pick('AB')}*{pick(columns)}", 'rows'),
            (f"{pick('AB')}'*{pick(rows)}", 'columns'),
            (f'{pick(columns)} + 2*{pick(columns)}', 'columns'),
            (f'exp({pick(rows)}) .* {pick(rows)}', 'rows'),
            (f'{pick("AB")} - sum({pick("AB")}, 2)', 'matrix'),
            (f'sum(A .* B, {pick((1, 2))})', 'other'),
            (f"{pick(rows)}'*{pick(rows)}", 'other')))
        if kind == 'rows':
            rows.append(name)
        if kind == 'columns':
            columns.append(name)
        return f'{name} = {made};'

    def block(self):
        columns, rows = ['p'], ['r']
        lines = [self.statement(f'y{k}', columns, rows)
                 for k in range(self.rng.randint(1, 4))]
        if self.rng.random() < 0.2:
            lines.append('p[2] = 3;')
        return 'begin ' + ' '.join(lines) + ' end\n'


def run(script, target, folder, *options):
    return fakegpu.run(['--target', target, '--plan', 'off', '--quiet', *options,
                        '-e', script], fakegpu.environment(folder, LC_ALL='C.UTF-8'),
                       cwd=folder)


def texts(done):
    """What every `print("--")` parts."""
    return re.split(r'^--\n', done.stdout, flags=re.M)


def read(text):
    start = re.search(r'^[\[{]', text, re.M)
    return json.loads(text[start.start():])


def shown(seconds):
    """As the program writes it."""
    for unit, size in (('s', 1), ('ms', 1e-3), ('µs', 1e-6)):
        if seconds >= size*0.9995 or unit == 'µs':
            return seconds/size, unit
    return None


def same(a, b):
    return a is not None and b is not None and abs(a - b) <= 1e-9*max(a, b)


def is_alone(kernels, k):
    return kernels[k]['joint'] == 'launch' and (
        k + 1 == len(kernels) or kernels[k + 1]['joint'] == 'launch')


def check_combinations(where, plan, listed):
    chosen = [a for a in listed if a['chosen']]
    check(len(chosen) == 1, f'{where}: one combination is in use', chosen)
    if chosen:
        check(same(chosen[0]['first'], plan['first']), f'{where}: `:alternatives`, in use',
              (chosen[0]['first'], plan['first']))
        check(chosen[0]['bytes'] == plan['bytes'] and
              chosen[0]['launches'] == plan['launches'],
              f'{where}: bytes and launches', (chosen[0], plan['bytes'], plan['launches']))
    check(same(listed[-1]['first'], plan['unfused']['first']), f'{where}: unfused',
          (listed[-1]['first'], plan['unfused']['first']))
    return chosen[0] if chosen else None


def check_settings(where, plan, number, of):
    kernel = plan['kernels'][number]
    chosen = [x for x in of['settings'] if x['chosen']]
    words = [(x['scheme'], str(x['space']), x['walk'], x.get('routines'), str(x['setting']))
             for x in of['settings']]
    check(len(set(words)) == len(words), f'{where}: k{number + 1}: settings are told apart',
          words)
    if not is_alone(plan['kernels'], number):
        return None
    check(len(chosen) == 1, f'{where}: k{number + 1}: one setting is in use', of)
    if chosen:
        check(same(chosen[0]['first'], kernel['first']),
              f'{where}: `:alternatives k{number + 1}`', (chosen[0]['first'], kernel['first']))
    return chosen[0] if chosen else None


def check_why(where, kernel, text):
    """A shown time has three digits at least; it is one of the kernel."""
    found = re.search(rf'takes ~{TIME}', text)
    check(found and abs(float(found.group(1))*UNITS[found.group(2)] - kernel['first']) <=
          max(0.002*kernel['first'], 0.06e-6), f'{where}: `:why`',
          (text, kernel['first']))


def name_in(kernel):
    found = re.match(r'(y\d+) = ', kernel['does'])
    return found.group(1) if found else None


def questions(plan):
    """The script that asks about the block that has just run."""
    asks = [':plan json', ':alternatives 6 json']
    for k, kernel in enumerate(plan['kernels']):
        asks.append(f':alternatives k{k + 1} json')
        asks.append(f':why {name_in(kernel)}' if name_in(kernel) else '')
    return '\nprint("--")\n'.join(asks) + '\nprint("--")\n'


def ask(seed, target, folder, learn):
    blocks = Blocks(seed, 600 if target == 'cpu' else 200)
    setup, block = blocks.setup(), blocks.block()
    head = f':set learn {learn}\n' + setup + (4 if learn == 'on' else 1)*block
    where = f'{target}, learn {learn}, {seed}: {block.strip()} ({blocks.m}x{blocks.n})'
    done = run(head + ':plan json\n', target, folder)
    if not check(done.returncode == 0, f'{where}: runs', done.stderr):
        return
    plan = read(done.stdout)[-1]
    explain = f':explain {block}'
    done = run(head + questions(plan) + explain, target, folder, '--json')
    events = [json.loads(line) for line in done.stdout.splitlines()]
    told = re.split(r'^--\n', ''.join(e['text'] for e in events if e['event'] == 'text' and
                                      e['stream'] == 'stdout'), flags=re.M)
    plan = read(told[0])[-1]
    chosen = check_combinations(where, plan, read(told[1]))
    for k, kernel in enumerate(plan['kernels']):
        settings, why = told[2 + 2*k], told[3 + 2*k]
        if not read(settings)['settings']:
            continue
        setting = check_settings(where, plan, k, read(settings))
        if name_in(kernel):
            check_why(where, kernel, why)
        if setting and learn == 'off':
            check(same(setting['predicted'], kernel['predicted']),
                  f'{where}: nothing is taught', (setting, kernel['predicted']))
    explained = [e for e in events if e['event'] == 'plan' and e.get('form')]
    check(len(explained) == 1, f'{where}: explained', len(explained))
    for e in explained:
        check(same(e['first'], plan['first']), f'{where}: `:explain`',
              (e['first'], plan['first']))
        check([(x['scheme'], x['does'], x['left_out']) for x in e['kernels']] ==
              [(x['scheme'], x['does'], x['left_out']) for x in plan['kernels']],
              f'{where}: `:explain` plans what ran', e)
        check(chosen and same(e['predicted'], chosen['predicted']),
              f'{where}: `:explain` and `:alternatives`', (e['predicted'], chosen))
        check(same(e['unfused']['predicted'], e['alternatives'][-1]['predicted']),
              f'{where}: unfused, explained', (e['unfused'], e['alternatives'][-1]))


def test_tune(folder):
    """What was measured stays, and choices differ in words."""
    block = "begin q = A*p; s = A'*r; x = s + z; w = A*x; end\n"
    setup = 'A = rand(600, 400); p = rand(400); r = rand(600); z = rand(400)*2;\n'
    done = run(setup + block + ':tune\nprint("--")\n:alternatives json\nprint("--")\n' +
               ':set width 120\n:alternatives\nprint("--")\n:plan json\n', 'cpu', folder)
    table, listed, text, plan = texts(done)
    rows = [r for r in table.splitlines() if re.match(r'  +\d+ ', r)]
    words = [re.sub(r'^.*?\d\.\d\d +(chosen)? *', '', r) for r in rows]
    check(len(rows) == 8 and len(set(words)) == 8, '`:tune`: rows differ in words', table)
    listed = read(listed)
    check(sum(a['measured'] is not None for a in listed) >= 8,
          '`:alternatives` has what `:tune` measured', listed)
    check('measured by `:race` and `:tune`' in text and 'times are predicted' not in text and
          text.splitlines()[0].split()[:4] == ['rank', 'kernels', 'predicted', 'measured'],
          '`:alternatives` shows it', text)
    for row, a in zip(rows, listed):
        number, unit = shown(a['measured'])
        check(f'{number:.3g}'[:3] in row and unit in row, '`:tune` and `:alternatives` agree',
              (row, a))
    check(len(read(plan)) > 0, '`:tune`: the plan is there')


def test_square(folder):
    """Rows and columns of a square array look alike: words and measurements are apart."""
    done = run("A = rand(700, 700); p = rand(700);\nbegin q = A*p; s = A'*p; end\n"
               ':pin 1 scheme=tile\nbegin q = A*p; s = A\'*p; end\n:tune\n'
               'print("--")\n:alternatives k1\nprint("--")\n:alternatives k1 json\n',
               'cpu', folder)
    _, text, settings = texts(done)
    rows = [re.sub(r'~.*', '', r[5:]) for r in text.splitlines() if re.match(r'\d', r)]
    check(len(rows) > 2 and len(set(rows)) == len(rows), 'a square array: words', text)
    measured = [x['measured'] for x in read(settings)['settings'] if x['measured']]
    check(len(set(measured)) == len(measured), 'a square array: measurements', measured)


PROGRAMS = (  # functions and data, what is explained and then run
    ('function f(x)\n  y = x;\n  for k = 1:8\n    y = y*0.5 + x;\n  end\n  return y\nend\n'
     'x = rand(100000); x[1] = 1;', 'z = f(x);'),
    ('x = rand(100000); x[1] = 1;', 'for k = 1:8; x = x*0.5 + 1; end'),
    ('x = rand(1000); x[1] = 1; A = rand(1000, 1000); A[1,1] = 1;',
     'for k = 1:5; y = A*x; x = y/norm(y); end'),
    ('B = zeros(40, 300); u = rand(300); u[1] = 1;',
     'for k = 2:6; B[k, :] = B[k - 1, :] + 2*u\'; end'),
    ('u = rand(1000); u[1] = 1;', 'Z = ones(1000, 1000) + u; y = Z*u; s = sum(Z)'),
    ('u = rand(1000); u[1] = 1;', 'for k = 1:4; v = u + k; w = v\'; end; t = w*v'),
    ('u = rand(3000); u[1] = 1;', 'for k = 1:3; u = u + 1; if k == 2; u[k] = 0; end; end'),
    ('u = rand(300); u[1] = 1;',
     'x = u; for k = 1:30; for j = 1:40; x = x + j*u; end; end'),
    ('u = rand(300); u[1] = 1;', 'u = u + 1; print(u[1:2]); v = 2*u'),
)


def blocks_of(events, count):
    """What each distinct block does, and how often."""
    return sorted((e['calls'], e['bytes'], e['launches'], e[count],
                   str([(k['scheme'], k['does'], k['moves'], k['left_out'])
                        for k in e['kernels']])) for e in events)


def test_programs(folder):
    """`:explain` has the blocks of loops and functions as they run."""
    grouped = [(setup, f'begin; {text}; end') for setup, text in PROGRAMS]
    for setup, text in [*PROGRAMS, *grouped]:
        done = fakegpu.run(['--target', 'cpu', '--json', '--plan', 'line', '-e', setup, '-e',
                            f':explain {text}', '-e', text],
                           fakegpu.environment(folder), cwd=folder)
        inputs, events = [[]], [json.loads(x) for x in done.stdout.splitlines()]
        for e in events:
            inputs[-1].append(e)
            if e['event'] == 'done':
                inputs.append([])
        check(done.returncode == 0 and len(inputs) == 4, text, done.stderr)
        explained, ran = ([e for e in part if e['event'] == 'plan'] for part in inputs[1:3])
        check(blocks_of(explained, 'rounds') == blocks_of(ran, 'runs'), f'explained: {text}',
              (blocks_of(explained, 'rounds'), blocks_of(ran, 'runs')))


# What a solve with a matrix is priced as: substitution for those that are triangles by how
# they were made, also stored, transposed and after a copy; a factorisation for others.
TRIANGLES = ('triu(A)', 'tril(A)', "triu(A)'", 'U', "U'", 'L', 'D', 'R', 'l', 'u', 'r', 'V', '2*U', 'U .* A', 'L + D', '-(U/3)',
             "where((1:60) > (1:60)', 0, A)", 'P', 'M')
SQUARES = ('A', 'tril(A, 1)', 'triu(A, -1)', 'W', 'Y', 'U + L', "where((1:60)' + (1:60) > 0, A, 0)")


def test_triangles(folder):
    """That solves by substitution are priced so, and their share of the limit is none that
    no computer reaches."""
    setup = ('A = rand(60, 60, "f64") + 60*f64(eye(60)); b = rand(60, "f64");\n'
             'U = triu(A); L = tril(A); D = eye(60, "f64"); R = chol(A\'*A);\n'
             'l, u, p = lu(A); Q, r = qr(A); V = U; W = 1*U; V[1, 2] = 3; W[9, 1] = 1; V = triu(V);\n'
             'P = 1*U; P[1, :] = A[1, :]; P[2, 2] = 7; M = 1*L; M[60, 9:-2:3] = 1; Y = 1*U; Y[2, :] = A[2, :];\n'
             'print(U[1, 1], L[1, 1], D[1, 1], R[1, 1], l[1, 1], u[1, 1], r[1, 1], V[1, 1], W[1, 1]);\n'
             'print(P[1, 1], M[1, 1], Y[1, 1]);\n')
    for matrix in TRIANGLES + SQUARES:
        done = run(setup + f'x = ({matrix})\\b;\n:plan json\n', 'cpu', folder)
        if not check(done.returncode == 0, f'{matrix}: runs', done.stderr):
            continue
        solve = read(done.stdout)[-1]['kernels'][-1]
        want = 3600 if matrix in TRIANGLES else 2/3*60**3 + 2*3600
        check(abs(solve['flops'] - want) < 1, f'{matrix}: operations', solve['flops'])
        check(not solve['share'] or solve['share'] < 1.5, f'{matrix}: share', solve['share'])


def test_triangles_again(folder):
    """What a block gave goes by the arrays that it read this time, not the first time."""
    setup = 'A = rand(60, 60, "f64") + 60*f64(eye(60)); b = rand(60, "f64"); U = triu(A);\n' \
            'print(U[1, 1]);\n'
    for first, then, want in (('U', 'A', 2/3*60**3 + 2*3600), ('A', 'U', 3600)):
        done = run(setup + f'T = 2*{first}; print(T[1, 1]);\nT = 2*{then}; print(T[1, 1]);\n'
                   'x = T\\b;\n:plan json\n', 'cpu', folder)
        solve = read(done.stdout)[-1]['kernels'][-1]
        check(abs(solve['flops'] - want) < 1, f'2*{first}, then 2*{then}', solve['flops'])


ROUTINES = (  # what goes by data, and what counts
    ('while (x > 2) x = x / 2; return x;', True),
    ('int k = 0; do { k++; x /= 2; } while (x > 2); return k;', True),
    ('int k; for (k = 0; k < 9; k++) { if (x < 1) break; x /= 2; } return k;', True),
    ('for (int k = 0; k < 9; k++) if (x > k) return k;\n  return x;', True),
    ('int k = 0; for (; k < 900 && x < 4; k++) x += x * x; return k;', True),
    ('int k = 0; for (; x < 4; k++) x += 1; return k;', True),
    ('FS_TYPE s = 0; for (int k = 0; k < x; k++) s += k; return s;', True),
    ('FS_TYPE s = 0; for (int k = 0; k < 9; k++) s += x * k; return s;', False),
    ('FS_TYPE s = 0; for (int k = 9; k > 0; --k) { s += x; } return s; // while', False),
    ('const int m = 5; for (int k = 0; k < m; k += 2) { for (int j = 0; j < k; j++) '
     '{ x += 1; } x /= 2; } if (x > 1) { return 1; } return x;', False),
)


def test_depends_on_data(folder):
    """Of a loop that goes on as the data say nothing is predicted, and no ratio shown; what its
    author declares is."""
    ask_all = ':plan json\nprint("--")\n:alternatives json\nprint("--")\n' \
              ':alternatives k1 json\nprint("--")\n:why y\nprint("--")\n:plan line\n:plan\n'
    for k, (body, unknown) in enumerate(ROUTINES):
        for declared in ('', 'flops 30\n')[:1 if k else 2]:
            with open(os.path.join(folder, 'goes.elem'), 'w', encoding='utf-8') as f:
                f.write(f'function goes\ndoc y = goes(x)\nargs x:each\nresult each\n{declared}'
                        f'compute thread any {{\n  {body}\n}}\n')
            done = run(':elem goes.elem\nx = rand(3000); x[1] = 1;\nbegin; y = goes(x); end\n' + ask_all,
                       'cpu', folder)
            if not check(done.returncode == 0, body, done.stderr):
                continue
            plan, listed, settings, why, _ = texts(done)
            plan, listed, settings = read(plan)[-1], read(listed), read(settings)
            known = not unknown or bool(declared)
            times = [plan['predicted'], plan['first'], plan['unfused']['first'],
                     plan['kernels'][-1]['predicted'], plan['kernels'][-1]['first'],
                     listed[0]['first'], listed[-1]['predicted'],
                     settings['settings'][0]['predicted']]
            check(all((t is not None) == known for t in times), f'{body}: {declared}', times)
            check(plan['depends_on_data'] is not known, body, plan)
            check(known or (plan['kernels'][-1]['ratio'] is None and plan['measured'] > 0 and
                            'unknown time, which depends on data' in why and
                            'predicted unknown (depends on data) · measured' in done.stderr and
                            'unknown: depends on data' in done.stderr and '×' not in
                            done.stderr), body, done.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--blocks', type=int, default=30)
    count = parser.parse_args().blocks
    with tempfile.TemporaryDirectory() as folder:
        test_tune(folder)
        test_square(folder)
        test_triangles(folder)
        test_triangles_again(folder)
        test_programs(folder)
        test_depends_on_data(folder)
        for seed in range(count):
            home = os.path.join(folder, str(seed))
            os.mkdir(home)
            ask(seed, 'cpu', home, 'on' if seed % 2 else 'off')
        for seed in range(count//3 if os.path.isdir(fakegpu.FAKE) else 0):
            home = os.path.join(folder, f'cuda{seed}')
            os.mkdir(home)
            ask(seed, 'cuda', home, 'on' if seed % 2 else 'off')
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
