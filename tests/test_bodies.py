#!/usr/bin/python3
"""Bodies of loops that the system's C compiler makes code of (core/device/cpu/body.h): the same
bits as interpreted, errors and Ctrl-C as there, and nothing of the compiler is left anywhere.

    tests/test_bodies.py

The last line is `N passed, N failed`.
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from front import wait_for  # noqa: E402
from score import Score  # noqa: E402

PROGRAM = os.environ.get('FUSIBLE', os.path.join(HERE, '..', 'build', 'fusible'))
score = Score()
check = score.check
COUNT = '''
forall i = 1:n
  a = x[i]; k = 0;
  while a > 1; a = a/2; k += 1; end
  y[i] = k;
end
'''
SETUP = 'n = 1000; x = f32(1:n)\'; y = zeros(n);\n'

# Every operation, on each type, of tables as well.
AT_ONCE = 8
OPERATIONS = [
    't + a', 't - a', 't*a', 'max(t, a)', 'min(a, t)', 'mod(t, a)', 'abs(t)', 'sign(a)', '-t',
    'where(t > a, t, a)', 'clamp(t, a - 1, a + 1)', 'f64(t)/a', 'f32(t)/3', 'f32(t) + f32(a)',
    'i32(f32(t)/2)', 'i64(f64(a)*1e30)', 'i32(f64(t)*-1e10)', 'sqrt(f64(abs(t)))',
    'floor(f64(t)/2)', 'round(f32(t)/2)', 'trunc(f64(-t)/2)', 'ceil(f32(t)/3)', 'fma(f64(t), 2, a)',
    'mod(f32(t), 0.7)', 'mod(f64(t), -1.3)', 'f64(isnan(f64(t)/f64(a)))', 'exp(f32(t)/10)',
    'sin(f64(t))', 'f32(a)^f32(2)', 'hypot(f64(t), f64(a))', 'log(f64(abs(t)) + 1)',
    'i64(t == a) + i64(t != a || t >= a) + i64(!(t <= a && t < 3))', 'f64(t)/0*0 + a', 'f64(exp(f32(t)/10)) + exp(f64(t)/10)', 'i64(t*256 && a)']


def run(text, mode, folder, **more):
    """What a script prints."""
    path = os.path.join(folder, 'script.fs')
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)
    env = dict(os.environ, FUSIBLE_REGIONS=mode, FUSIBLE_REFERENCE_DEVICE='1',
               TMPDIR=os.path.join(folder, 'tmp'), XDG_RUNTIME_DIR='',
               XDG_CACHE_HOME=os.path.join(folder, 'cache'), **more)
    return subprocess.run([PROGRAM, '--no-rc', '--target', 'cpu', path], env=env, text=True,
                          capture_output=True, timeout=600, check=False)


def is_empty(folder):
    return not os.listdir(os.path.join(folder, 'tmp'))


def of_operations(expressions, dtype):
    sums = '\n'.join(f'    e = f64({e}); s = s/2 + where(isfinite(e), e, 3 + k);'
                     for e in expressions)
    return f'''
n = 40; x = {dtype}(mod(7*(1:n)\', 23) - 11); v = {dtype}(mod(3*(1:n)\', 13) - 6);
p = i32(mod(5*(1:n)\', n)) + 1; z = f64(zeros(n));
forall i = 1:n
  t = x[i]; a = v[i]; k = 0; s = f64(0);
  while k < 6
    a = v[p[i]]; k += 1;
    if k > i; break; end
{sums}
    t = x[mod(i + k, n) + 1];
  end
  z[i] = s;
end
:code
for i = 1:n; print(z[i]); end
'''


def operations(folder):
    for dtype in ('i32', 'i64', 'f32', 'f64'):
        for k in range(0, len(OPERATIONS), AT_ONCE):
            some = OPERATIONS[k:k + AT_ONCE]
            text = of_operations(some, dtype)
            off, now = (run(text, mode, folder) for mode in ('off', 'now'))
            plain = re.sub(r'   \((compiled|interpreted: .*)\)', '', now.stdout)
            check(not off.returncode and plain == off.stdout and now.stderr == off.stderr,
                  f'{some} of {dtype}', off.stdout + off.stderr + now.stdout + now.stderr)
            check('(compiled)' in now.stdout, f'{some} of {dtype} are compiled', now.stdout)
    check(is_empty(folder), 'nothing is left')


def ways(folder):
    code = SETUP + COUNT + ':code\nsum(y)\n'
    now = run(code, 'now', folder)
    check('(compiled)' in now.stdout and '8977' in now.stdout, 'compiled', now.stdout + now.stderr)
    again = run(code, 'now', folder, FUSIBLE_CC='/bin/false')
    check('(interpreted: ' in again.stdout, 'another compiler is another key', again.stdout)
    off = run(code, 'off', folder)
    check('compiled' not in off.stdout and '8977' in off.stdout, 'off', off.stdout)
    none = run(code, 'now', folder, FUSIBLE_CC='/nowhere/cc')
    check('(interpreted: ' in none.stdout and 'there is no `/nowhere/cc`' in none.stdout and
          '8977' in none.stdout and not none.stderr, 'no compiler', none.stdout + none.stderr)
    told = SETUP + COUNT + ':plan\n:why slow\n'
    for mode, words, more in (('now', 'compiled\n', {}), ('off', 'interpreted\n', {}),
                              ('now', 'interpreted: the CPU target', {'FUSIBLE_CC': '/nowhere/cc'})):
        said = run(told, mode, folder, **more)
        check(f'loops {words.strip()[:11]}' in said.stderr and f'its loops are {words}' in said.stdout and
              ('no `/nowhere' in said.stdout) == bool(more), mode, said.stdout + said.stderr)
    # The loop is interpreted until it has taken some time and the compiler is done.
    text = SETUP.replace('1000', '200000') + COUNT*200 + ':code\nsum(y)\n'
    off, behind = (run(text, mode, folder) for mode in ('off', 'behind'))
    check(re.search('compiled|takes less time', behind.stdout), 'it is there meanwhile',
          behind.stdout + behind.stderr)
    check(behind.stdout.split()[-1] == off.stdout.split()[-1], 'the same', behind.stdout)
    check(is_empty(folder), 'nothing is left')


def errors(folder):
    text = '''x = f32(1:5); c = i32([1, 2, 9]); y = zeros(3);
forall i = 1:3
  s = 0;
  for k = c[i]:c[i]; s += x[k]; end
  y[i] = s;
end
'''
    off, now = (run(text, mode, folder) for mode in ('off', 'now'))
    check(off.returncode == now.returncode == 1 and off.stderr == now.stderr and
          'index 9' in now.stderr, 'an index out of range', off.stderr + now.stderr)


def processes(folder):
    """Those that have the folder in what they were started with."""
    found = []
    for p in os.listdir('/proc'):
        try:
            with open(f'/proc/{p}/cmdline', 'rb') as f:
                if p.isdigit() and folder.encode() in f.read() and int(p) != os.getpid():
                    found.append(int(p))
        except OSError:
            pass
    return found


def ends(folder):
    """A session that is killed, or asked to end, while the compiler runs; Ctrl-C."""
    slow = os.path.join(folder, 'slow')
    with open(slow, 'w', encoding='utf-8') as f:
        f.write('#!/bin/sh\necho > "$TMPDIR/part"\nsleep 1000\n')
    os.chmod(slow, 0o700)
    for how in (signal.SIGKILL, signal.SIGINT):
        path = os.path.join(folder, 'script.fs')
        with open(path, 'w', encoding='utf-8') as f:
            f.write(SETUP + COUNT)
        env = dict(os.environ, FUSIBLE_REGIONS='now', TMPDIR=os.path.join(folder, 'tmp'),
                   XDG_CACHE_HOME=os.path.join(folder, 'cache'), XDG_RUNTIME_DIR='',
                   FUSIBLE_CC=slow)
        p = subprocess.Popen([PROGRAM, '--no-rc', '--one-process', '--target', 'cpu', path],
                             env=env, stderr=subprocess.DEVNULL)
        tmp = os.path.join(folder, 'tmp')
        check(wait_for(lambda: any(os.path.exists(os.path.join(tmp, d, 'part'))
                                   for d in os.listdir(tmp))), 'the compiler runs')
        p.send_signal(how)
        p.wait(60)
        check(wait_for(lambda: not processes(tmp)), f'{how!r}: no process is left', processes(tmp))
        check(wait_for(lambda: is_empty(folder)), f'{how!r}: no file is left', os.listdir(tmp))
    with open(os.path.join(folder, 'script.fs'), 'w', encoding='utf-8') as f:
        f.write(SETUP + 'print("before");\n' + COUNT.replace('a = a/2', 'a = a + 0*k'))
    del env['FUSIBLE_CC']
    p = subprocess.Popen([PROGRAM, '--no-rc', '--one-process', '--target', 'cpu',
                          os.path.join(folder, 'script.fs')], env=env, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL)
    p.stdout.readline()
    wait_for(lambda: os.listdir(os.path.join(folder, 'tmp')), 10)
    wait_for(lambda: is_empty(folder))
    time.sleep(0.3)
    p.send_signal(signal.SIGINT)
    check(p.wait(60) == 130, 'Ctrl-C ends what never ends', p.returncode)
    p.stdout.close()


def main():
    if not shutil.which('cc'):
        print('no C compiler')
        return score.close()
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, 'tmp'))
        ways(folder)
        errors(folder)
        ends(folder)
        operations(folder)
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
