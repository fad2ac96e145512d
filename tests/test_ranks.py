#!/usr/bin/python3
"""Programs on several ranks beside one: the suites of the language under ranks; the same bits
in every run; ranks that end. The last line is `N passed, N failed`.
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.abspath(os.environ.get('BUILD', os.path.join(ROOT, 'build')))
FUSIBLE = os.path.join(BUILD, 'fusible')
MPIRUN = ['mpirun', '--allow-run-as-root', '--oversubscribe', '-q', '-n']
passed = failed = 0


def check(good, what, detail=''):
    global passed, failed
    passed += bool(good)
    failed += not good
    if not good:
        print(f'FAIL {what}\n{detail}')


def start(path, ranks=1, mpi=False, target='cpu', more=(), env=None):
    one = [FUSIBLE, '--target', target if ranks == 1 or mpi else f'{target}:0-{ranks - 1}',
           '--threads', '1', *more]
    where = dict(os.environ, FUSIBLE_CHECK='1', **(env or {}))
    where.update(OMPI_MCA_btl_base_warn_component_unused='0')
    return subprocess.Popen((MPIRUN + [str(ranks)] if mpi else []) + one + ['run', path],
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, env=where)


def run(text, ranks=1, mpi=False, **how):
    with tempfile.NamedTemporaryFile('w', suffix='.fs') as f:
        f.write(text)
        f.flush()
        p = start(f.name, ranks, mpi, **how)
        out, err = p.communicate(timeout=600)
        return p.returncode, out, err.replace(f.name, 'FILE')


REALS = '''
A = shard(rand(301, 77)); x = rand(77); r = shard(rand(301)); n = 0;
for k = 1:20
  q = A*x; s = A'*r; x = x + 0.01*s/norm(s); r = q - mean(q);
end
save("PATH", x); x[1:3]
S = shard(A'*A + 10*eye(77), 2); y = S \\ x; t = sum(y .* x)
'''


def same_bits(folder):
    """Ten runs have the same bits, and those of one rank are near."""
    found = set()
    for ranks, mpi in [(3, False)] * 6 + [(3, True)] * 2 * bool(shutil.which('mpirun')):
        path = os.path.join(folder, 'x.npy')
        code, out, err = run(REALS.replace('PATH', path), ranks, mpi)
        check(code == 0, 'reals', out + err)
        with open(path, 'rb') as f:
            found.add((f.read(), out))
    check(len(found) == 1, 'the same bits in every run', str(found)[:400])


def messages():
    for text, want in (('shard(3)', 'one element cannot be cut'),
                       ('shard(ones(4, 1), 2)', 'dimension 2 has one index'),
                       ('A = shard(zeros(4, 4)); inv(A)', 'singular'),
                       ('A = shard(ones(5, 3)); A*ones(2)', 'shapes do not fit'),
                       ('x = shard(1:9); load("/no/such/file.npy")', 'no')):
        for ranks in (1, 2):
            code, out, err = run(text + '\n', ranks)
            check(code in (1, 3) and want in err and err.count('error') == 1,
                  f'{text} on {ranks} ranks', f'{code}\n{out}{err}')
    code, out, err = run('A = shard(reshape(1:36, 9, 4)); B = A\'; C = whole(A);\n:vars\n', 4)
    check('rows/4' in out and 'columns/4' in out and 'whole' in out, ':vars', out + err)


def ended_ranks():
    """A rank that dies ends all, with one sentence."""
    text = 'A = shard(rand(400, 400)); x = rand(400);\nwhile true\n x = A*x; x = x/norm(x);\nend\n'
    with tempfile.NamedTemporaryFile('w', suffix='.fs') as f:
        f.write(text)
        f.flush()
        for how in (signal.SIGKILL, signal.SIGSEGV):
            p = start(f.name, 3)
            children = []
            while len(children) < 2 and p.poll() is None:
                time.sleep(.05)
                with open(f'/proc/{p.pid}/task/{p.pid}/children') as c:
                    children = c.read().split()
            time.sleep(.5)
            os.kill(int(children[-1]), how)
            out, err = p.communicate(timeout=600)
            gone = not any(os.path.exists(f'/proc/{c}') for c in children)
            check(p.returncode == 3 and err.count('another rank has ended') == 1 and gone,
                  f'a rank killed by {how.name}', f'{p.returncode} {gone}\n{out}{err}')


def children_of(pid):
    try:
        with open(f'/proc/{pid}/task/{pid}/children') as f:
            return [int(word) for word in f.read().split()]
    except OSError:
        return []


def rebuilt_session():
    """At the prompt a session whose rank is killed goes on as it was."""
    p = subprocess.Popen([FUSIBLE, '--no-rc', '-i', '--json', '--target', 'cpu:0-2'],
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         text=True)

    def answer(text):
        p.stdin.write(text + '\n')
        p.stdin.flush()
        lines = ['']
        while '"event":"done"' not in lines[-1]:
            lines.append(p.stdout.readline())
            if not lines[-1]:
                break
        return ''.join(lines)

    answer('A = shard(rand(9, 4)); x = rand(4);')
    answer('q = A*x;')
    before = [answer('sum(q)').split('"plan"')[0], answer('q').split('"plan"')[0]]
    ranks = [r for worker in children_of(p.pid) for r in children_of(worker)]
    check(len(ranks) == 2, 'two ranks follow a session', str(ranks))
    os.kill(ranks[-1], signal.SIGKILL)
    while os.path.exists(f'/proc/{ranks[-1]}/exe'):
        time.sleep(.02)
    after = ''.join(answer(text) for text in ('sum(q)', 'sum(q)', 'q', 'q'))
    check(after.count('ranks has ended') == 1, 'a killed rank is told of', after)
    values = [b.split('"data":')[1].split('}')[0] for b in before]
    check(all(v in after for v in values), 'a rebuilt session has its values', f'{before}\n{after}')
    p.stdin.close()
    check(p.wait(timeout=600) == 0, 'a rebuilt session ends well', p.stderr.read())


def language(target, env):
    """The suites of the language, whose scripts assert, under two ranks."""
    p = subprocess.run([sys.executable, os.path.join(ROOT, 'tests/run_lang.py'), '--bin', FUSIBLE],
                       stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600,
                       env=dict(os.environ, FUSIBLE_TARGET=f'{target}:0-1', **(env or {})))
    check(p.returncode == 0, f'the language on two ranks of {target}', p.stdout[-4000:])
    everything_cut(target, env)


def everything_cut(target, env):
    """Whatever is stored is cut by its rows. Then there are more kernels, and nothing else."""
    p = subprocess.run([sys.executable, os.path.join(ROOT, 'tests/run_lang.py'), '--bin', FUSIBLE],
                       stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600,
                       env=dict(os.environ, FUSIBLE_TARGET=f'{target}:0-2', FUSIBLE_CUT_ALL='1',
                                FUSIBLE_CHECK='1', **(env or {})))
    wrong = [part for part in p.stdout.split('FAIL ')[1:]
             if 'the assertion does not hold: kernels is' not in part]
    check(not wrong and ' passed' in p.stdout, 'the language, with everything cut', '\n'.join(wrong))


def main():
    with tempfile.TemporaryDirectory() as folder:
        same_bits(folder)
    messages()
    ended_ranks()
    rebuilt_session()
    language('cpu', None)
    print(f'{passed} passed, {failed} failed')
    return failed > 0


if __name__ == '__main__':
    sys.exit(main())
