#!/usr/bin/python3
"""Calibration and learned corrections from outside: :calibrate and what it leaves,
files that cannot be used, an interrupt, the fake GPU. Nothing depends on how fast
the machine is. The last line is `N passed, N failed`.
"""
import glob
import json
import os
import re
import signal
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get('BUILD', os.path.join(ROOT, 'build'))
PROGRAM = os.environ.get('FUSIBLE', os.path.join(BUILD, 'fusible'))
sys.path[:0] = [os.path.join(ROOT, 'tests'), os.path.join(ROOT, 'tests', 'fake')]
import fakegpu  # noqa: E402
from score import spent  # noqa: E402

counts = {'passed': 0, 'failed': 0}
home = tempfile.TemporaryDirectory(prefix='fusible-calibrate-')
DATA = os.path.join(home.name, 'fusible')
BLOCK = 'A = rand(300, 200); p = rand(200); q = A*p; s = sum(q);'


def check(ok, what):
    counts['passed' if ok else 'failed'] += 1
    if not ok:
        print('FAILED:', str(what)[:1500])
    return ok


def environment(**more):
    env = {k: v for k, v in os.environ.items()
           if not k.startswith(('FUSIBLE', 'XDG_'))}
    env.update(HOME=home.name, XDG_DATA_HOME=home.name, LC_ALL='C.UTF-8', **more)
    return env


def fusible(*lines, options=(), target='cpu', env=None):
    argv = [PROGRAM, '--target', target, *options]
    for line in lines:
        argv += ['-e', line]
    return subprocess.run(argv, text=True, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=600,
                          env=env or environment())


def events(*lines, **more):
    run = fusible(*lines, options=('--json',), **more)
    return [json.loads(line) for line in run.stdout.splitlines()
            if line.startswith('{')]


def plans(*lines):
    return [e for e in events(*lines) if e['event'] == 'plan']


def clear():
    for path in glob.glob(DATA + '/*'):
        os.chmod(path, 0o700)
        os.rmdir(path) if os.path.isdir(path) else os.unlink(path)


def the_file():
    found = glob.glob(DATA + '/calibration-*.json')
    return found[0] if len(found) == 1 else ''


def test_calibrate():
    check('uncalibrated' in fusible(':calibrate status').stdout, 'status before')
    plan = plans(BLOCK)[-1]
    check(plan['quality'] == 'uncalibrated', plan['quality'])
    heard = events(':calibrate quick')
    told = [e for e in heard if e['event'] == 'progress']
    check(told and all(0 <= e['done'] <= 1 and e['seconds'] >= 0 and
                       e['what'].startswith('calibrating') for e in told), told)
    check(heard[-1]['status'] == 'ok', heard[-1])
    check(the_file(), os.listdir(home.name))
    with open(the_file(), encoding='utf-8') as f:
        stored = json.load(f)
    check(stored['version'] == 13 and stored['barrier'] == 0 and
          stored['costs']['launch'] >= 0, stored)
    check(os.stat(the_file()).st_mode & 0o077 == 0, 'for the user only')
    check(len(os.listdir(DATA)) <= 2, os.listdir(DATA))
    plan = plans(BLOCK)[-1]
    check(plan['quality'] == 'calibrated ' + stored['date'], plan['quality'])
    status = fusible(':calibrate status').stdout
    check('calibrated' in status and stored['date'] in status and
          the_file() in status, status)
    check(fusible('calibrate').returncode, 'a script of that name is not there')
    check(not subprocess.run([PROGRAM, '--target', 'cpu', 'calibrate', 'status'],
                             env=environment(), capture_output=True,
                             timeout=600).returncode, 'fusible calibrate status')


def test_raw():
    path = os.path.join(home.name, 'raw.json')
    run = subprocess.run([PROGRAM, '--target', 'cpu', 'calibrate', 'row', path],
                         env=environment(), capture_output=True, text=True,
                         timeout=600)
    check(run.returncode == 1 and 'not how it is called' in run.stderr, run)
    folder = os.path.join(home.name, 'nowhere')
    status = fusible(':calibrate status').stdout
    for bad, code, words in ((os.path.join(folder, 'raw.json'), 3, 'there is no such folder'),
                             (home.name, 1, 'it is a folder')):
        began = spent()
        run = fusible(':calibrate raw ' + bad)
        check(run.returncode == code and f'cannot save {bad}: {words}' in run.stderr and
              ':calibrate raw' in run.stderr and spent() - began < 20, run)
    check(not os.path.exists(folder), 'a folder was made')
    check(fusible(':calibrate status').stdout == status, 'it was calibrated')


def in_memory(text):
    """The bytes of each answer to `:memory`: used, peak, kept."""
    units = {'B': 1, 'KiB': 1 << 10, 'MiB': 1 << 20, 'GiB': 1 << 30}
    found = re.findall(r'^ +(?:used|peak|kept) +([0-9.]+) (\w+)', text, re.M)
    sizes = [float(n) * units[unit] for n, unit in found]
    return list(zip(sizes[0::3], sizes[1::3], sizes[2::3]))


def test_memory():
    """No more is used than the peak, and what a calibration took is given back."""
    for target, env in (('cpu', None),
                        ('cuda', fakegpu.environment(home.name, XDG_DATA_HOME=home.name))):
        run = fusible('x = ones(3) + rand(3);', ':memory', 'y = rand(1000, 100)*ones(100);',
                      ':memory', ':calibrate quick', ':memory', target=target, env=env)
        told = in_memory(run.stdout)
        check(len(told) == 3 and all(0 < used <= peak for used, peak, _ in told),
              (target, told, run))
        check(told[-1][1] == told[-2][1] and told[-1][2] < 1 << 16, (target, told))


def test_predictions():
    """first stands beside predicted; both are finite and of one magnitude."""
    for plan in plans(BLOCK, BLOCK):
        for kernel in plan['kernels']:
            first, predicted = kernel['first'], kernel['predicted']
            check(0 < first < 10 and 0.4999 < predicted / first < 2.0001, kernel)
        check(abs(plan['first'] - sum(k['first'] for k in plan['kernels'])) <
              1e-9 + 1e-6 * plan['first'], plan['first'])


def test_learning():
    """What was learned changes what is shown, and never the plan."""
    many = 'for k = 1:40\n  q = A*p; s = A\'*q\nend'
    before = plans(BLOCK, ':set learn off', BLOCK)[-1]
    fusible('A = rand(900, 700); p = rand(700); q = A*p; s = sum(q);', many)  # above the clock's grain
    learned = glob.glob(DATA + '/learned-*.json')
    if not check(learned, os.listdir(DATA)):
        return
    with open(learned[0], encoding='utf-8') as f:
        stored = json.load(f)
    check(stored['entries'] and all(abs(v[0]) <= 0.694 and v[1] > 0
                                  for v in stored['entries'].values()), stored)
    texts = []
    for factor in (-0.6931, 0.6931):
        for kind in stored['entries'].values():
            kind[0] = factor
        with open(learned[0], 'w', encoding='utf-8') as f:
            json.dump(stored, f)
        run = plans('A = rand(900, 700); p = rand(700);', 'q = A*p; s = A\'*q;')
        texts.append([(k['scheme'], k['does'], k['first'])
                      for k in run[-1]['kernels']])
        ratio = [k['predicted'] / k['first'] for k in run[-1]['kernels']]
        check(any(abs(r - (2 if factor > 0 else 0.5)) < 0.05 for r in ratio) or
              not stored['entries'], ratio)
    check(texts[0] == texts[1], texts)
    off = plans(':set learn off', 'A = rand(900, 700); p = rand(700);',
                'q = A*p; s = A\'*q;')[-1]
    check(all(k['first'] == k['predicted'] for k in off['kernels']), off)
    check('learn off' in fusible(':set learn off', ':set learn').stdout, 'set')
    check(before['quality'].startswith('calibrated'), before['quality'])


def test_bad_files():
    path = the_file()
    with open(path, encoding='utf-8') as f:
        good = f.read()
    for text in ('', '{', good[:len(good) // 2], 'null', '\x00' * 100,
                 good.replace('"version": 13', '"version": 99'),
                 good.replace('"launch": ', '"launch": 1e308, "x": '),
                 good.replace('"launch": ', '"launch": NaN, "x": '),
                 good.replace('"units": ', '"units": 1'),
                 '[' * 100000):
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text)
        run = fusible('print(1 + 1)')
        lines = [line for line in run.stderr.splitlines() if line.strip()]
        check(run.returncode == 0 and run.stdout == '2\n', run)
        check(len(lines) == 1 and 'was not used' in lines[0] and path in lines[0],
              run.stderr)
    os.unlink(path)
    os.mkdir(path)
    run = fusible('print(1 + 1)')
    check(run.returncode == 0 and 'not a regular file' in run.stderr, run)
    os.rmdir(path)
    check(fusible(':calibrate quick').returncode == 0 and the_file() == path,
          'rebuilt on request')
    check(fusible(':calibrate forget').returncode == 0 and not the_file(),
          'forgotten')
    check('there was no calibration' in fusible(':calibrate forget').stdout, '')


def test_not_stored():
    """Where nothing can be written the calibration holds for the session."""
    env = environment()
    env['XDG_DATA_HOME'] = '/proc/nowhere'
    run = fusible(':calibrate quick', ':calibrate status', env=env)
    check(run.returncode == 0 and 'this session only' in run.stderr, run.stderr)
    check('calibrated' in run.stdout and 'typical error' in run.stdout, run.stdout)


def test_interrupt():
    clear()
    process = subprocess.Popen(
        [PROGRAM, '--target', 'cpu', '--json', 'calibrate'], env=environment(),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    for line in process.stdout:
        if '"progress"' in line:
            break
    process.send_signal(signal.SIGINT)
    process.stdout.read()
    code = process.wait(timeout=600)
    check(code == 130, code)
    check(not the_file(), 'nothing is stored')


def test_fake_gpu():
    env = fakegpu.environment(home.name, XDG_DATA_HOME=home.name)
    env.pop('FUSIBLE_REFERENCE_DEVICE', None)
    run = fusible(':calibrate quick', ':calibrate status', target='cuda', env=env)
    if 'too few kernels' in run.stderr:  # it had no time to run some of them
        run = fusible(':calibrate', ':calibrate status', target='cuda', env=env)
    check(run.returncode == 0 and 'typical error' in run.stdout,
          run.stdout + run.stderr)
    before = the_file()
    if check(before, 'one calibration'):
        check_functions(before, target='cuda', env=env)
        check_routines(target='cuda', env=env)


# -- functions of the user -----------------------------------------------------------

SLOW = '''function %s
doc      a slow one
args     %s
result   %s
flops    1
compute thread any {
  FS_TYPE s = 0;
  for (int k = 1; k < %d; k++) s += FS_C(1) / k;
  %s
}
'''
SLOW_EACH = SLOW % ('slow', 'x:each', 'each', 300, 'return x + s;')
SLOW_STACK = SLOW % ('stack', 'A:2x2', '2x2', 300,
                     'for (int k = 0; k < 4; k++) FS_PUT(k / 2, k % 2, '
                     'FS_AT(A, k / 2, k % 2) + s);')
CALLS = ('x = rand(20000); y = slow(x);', 'z = slow(x);',
         'A = rand(5000, 2, 2); B = stack(A);')


def measured(events_of):
    return [e['message'].split()[0] for e in events_of
            if e.get('id') == 'function-measured']


def stored_calls(path):
    with open(path, encoding='utf-8') as f:
        return {c['function']: c['seconds'] for c in json.load(f)['calls']}


def function_files(each=SLOW_EACH):
    lines = []
    for name, text in (('slow', each), ('stack', SLOW_STACK)):
        path = os.path.join(home.name, name + '.elem')
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text)
        lines.append(f':elem {path}')
    return lines


def check_functions(path, **how):
    """Measured at first use, once for each text, and priced by that."""
    files = function_files()
    heard = events(*files, *CALLS, **how)
    check(measured(heard) == ['slow', 'stack'], measured(heard))
    check(heard[-1]['status'] == 'ok', heard[-1])
    calls = stored_calls(path)
    check(len(calls) == 2 and all(x >= 0 for x in calls.values()), calls)
    each, stack = calls.values()
    kernels = [e['kernels'] for e in heard if e['event'] == 'plan'][-3:]
    for kernel, least in zip(kernels, (20000 * each, 20000 * each, 5000 * stack)):
        # What its kind of kernel leaves unexplained is a factor of less than e.
        check(sum(k['first'] for k in kernel) > 0.36 * least, (kernel, least))
    again = events(*files, *CALLS, **how)
    check(not measured(again) and stored_calls(path) == calls, measured(again))
    other = events(*function_files(SLOW_EACH.replace('x + s', 'x - s')), *CALLS,
                   **how)
    check(measured(other) == ['slow'] and len(stored_calls(path)) == 3,
          measured(other))


# The second routine of each is the fast one.
ROUTINES = '''function %s
doc      two ways
args     %s
result   %s
compute thread any impl 1 {
  FS_TYPE s = 0;
  for (int k = 1; k < 3000; k++) s += (%s + s) / k;
  %s
}
compute thread any impl 2 {
  const FS_TYPE s = 1;
  %s
}
'''
# One routine with two loads, of which the second is the fast one.
LOADS = '''function loads
doc      two ways to come on chip
args     A:2x2
result   2x2
compute thread any {
  for (int k = 0; k < 4; k++) FS_PUT(k / 2, k % 2, FS_AT(A, k / 2, k % 2));
}
load A thread any impl 1 {
  FS_TYPE s = 0;
  for (int k = 1; k < 3000; k++) s += (FS_AT(A, 0, 0) + s) / k;
  for (int k = 0; k < 4; k++) FS_PUT(k / 2, k % 2, FS_AT(A, k / 2, k % 2) + s);
}
load A thread any impl 2 {
  for (int k = 0; k < 4; k++) FS_PUT(k / 2, k % 2, FS_AT(A, k / 2, k % 2) + 1);
}
'''
PUT = 'for (int k = 0; k < 4; k++) FS_PUT(k / 2, k % 2, FS_AT(A, k / 2, k % 2) + s);'


def check_routines(**how):
    """Of several routines the plan takes the one whose calls take the least; what
    the user names counts more."""
    lines = []
    for name, text in (
            ('ways', ROUTINES % ('ways', 'x:each', 'each', 'x', *2*('return x + s;',))),
            ('stacks', ROUTINES % ('stacks', 'A:2x2', '2x2', 'FS_AT(A, 0, 0)',
                                    PUT, PUT)),
            ('loads', LOADS)):
        path = os.path.join(home.name, name + '.elem')
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text)
        lines.append(f':elem {path}')
    calls = ('x = rand(20000); y = ways(x);', 'A = rand(5000, 2, 2); B = stacks(A);',
             'C = loads(A);')
    fast = ['ways routine 2 of 2', 'stacks routine 2 of 2',
            'loads routine 2 of 2 with its own load of A']
    for names, wanted in (
            ((), fast),
            ((':elem ways impl 1', ':elem stacks impl 1', ':elem loads impl 1'),
             ['loads with its own load of A']),
            ((':elem ways impl 1', ':elem ways impl auto'), fast)):
        heard = events(*lines, *names, *calls, **how)
        taken = [k['routines'] for e in heard if e['event'] == 'plan'
                 for k in e['kernels'] if 'routines' in k]
        check(list(dict.fromkeys(taken)) == wanted, (names, taken, heard[-3:]))


def test_functions():
    check_functions(the_file())
    check_routines()
    clear()
    heard = events(*function_files(), *CALLS)
    check(not measured(heard) and not the_file(), 'nothing without a calibration')
    check([e['quality'] for e in heard if e['event'] == 'plan'][-1] ==
          'uncalibrated', 'the plan says so')
    check(fusible(':calibrate quick').returncode == 0 and the_file(), 'anew')


def main():
    test_calibrate()
    test_functions()
    test_raw()
    test_predictions()
    test_learning()
    test_bad_files()
    test_not_stored()
    test_interrupt()
    test_fake_gpu()
    test_memory()
    print('%d passed, %d failed' % (counts['passed'], counts['failed']))
    sys.exit(counts['failed'] > 0)


if __name__ == '__main__':
    main()
