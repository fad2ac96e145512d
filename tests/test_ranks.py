#!/usr/bin/python3
"""Programs on several ranks beside one: the suites of the language under ranks; the same bits
in every run; ranks that end, are stopped or have no memory; ranks of Slurm and torchrun.
--faults N: ranks that are killed or stopped (default 8); --only NAME: one part.
The last line is `N passed, N failed`.
"""
import argparse
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import score

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


def folds():
    """Reductions along the cut axis, also of what no rank has, as of one device; of a row, and of
    the same as variances take it away first, only that goes over the links."""
    text = """:set digits 5
for n = [12, 13, 3, 2]
  A = shard(sin(reshape(f32(1:n*7), n, 7)*1.37)*3 + 100); A[1, 1] = 97.5;
  print(argmax(A)); print(argmin(A, 1)); print(argmax(A, 2)); print(var(A)); print(var(A, 1))
  print(var(f16(A), 1)); print(var(f64(A), 1)); print(reduce("var", A, [1, 2]))
  print(logsumexp(A, 1)); print(logsumexp(f16(A))); print(A[n, :] - A[1, 1]); print(sum(A[:]))
end
B = shard(reshape(1:24, 4, 3, 2)); B[1, 1, 1] = 3; print(argmax(B)); print(argmax(-B, 1))
print(argmax(B, 2)); print(argmin(B, [1, 3])); print(argmin(B, 3)); print(B[2, :, :])
C = shard([1, 2, nan, 4, 5, nan, 7]); C[1] = 0; print(argmax(C)); print(logsumexp(C)); print(var(C))
D = shard(-inf*ones(9)); D[2] = -inf; print(argmax(D)); print(logsumexp(D))
"""
    expected = run(text, 1)[1]
    for ranks in 2, 3, 4:
        code, out, err = run(text, ranks)
        check(code == 0 and out == expected, f'reductions on {ranks} ranks', f'{out}{err}')
    begin = 'A = shard(reshape(f32(1:4000), 1000, 4)); A[1, 1] = 7;\nprint(sum(A))\n'
    for text in ('argmax(A, 1)', 'logsumexp(A, 1)', 'var(A, 1)', 'var(A)', 'A[17, :]',
                 'A[501:520, :]*ones(4)', 'sum(A[:])'):
        code, out, err = run(f'{begin}y = {text};\nprint(sum(y))\n:plan json\n', 4)
        kernels = json.loads(out[out.index('\n['):])[-1]['kernels'] if '\n[' in out else []
        moved = [k['moves'] for k in kernels if k['scheme'].startswith('all-')]
        check(moved and max(moved) < 4000, f'{text}: {moved}', out + err)


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


class Session:
    """A prompt over ranks that a program types at."""

    def __init__(self, target):
        self.p = subprocess.Popen([FUSIBLE, '--no-rc', '-i', '--json', '--target', target],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True)

    def type(self, text):
        self.p.stdin.write(text + '\n')
        self.p.stdin.flush()

    def read(self):
        """What is said until the next input may come."""
        lines = ['']
        while '"event":"done"' not in lines[-1]:
            lines.append(self.p.stdout.readline())
            if not lines[-1]:
                break
        return ''.join(lines)

    def answer(self, text):
        self.type(text)
        return self.read()

    def shown(self, text):
        return self.answer(text).split('"data":')[-1].split('}')[0]

    def ranks(self):
        """Those that follow the leader, which is the worker."""
        return [r for worker in children_of(self.p.pid) for r in children_of(worker)]

    def close(self):
        self.p.stdin.close()
        check(self.p.wait(timeout=600) == 0, 'a session ends well', self.p.stderr.read())


def faults(count):
    """Ranks that are killed or stopped at random moments: the session goes on as it was."""
    rng = random.Random(count)
    s = Session('cpu:0-2')
    s.answer('A = shard(reshape(1:36, 9, 4)); x = 1:4; q = A*x;')
    wanted = [s.shown('sum(q)'), s.shown('q')]
    for k in range(count):
        ranks = s.ranks()
        check(len(ranks) == 2, f'two ranks follow a session, {k}', str(ranks))
        stops = rng.random() < .3
        busy = rng.random() < .7
        if busy:
            s.type(f'for k = 1:{rng.choice([3000, 30000])}; y = A*x; x = mod(x + y[1:4], 5) .* 0 + '
                   '[1, 2, 3, 4]\'; end; x = 1:4;')
            time.sleep(rng.random() / 4)
        os.kill(rng.choice(ranks), signal.SIGSTOP if stops else signal.SIGKILL)
        said = s.read() if busy and not stops else ''
        if stops:  # nobody but the user knows that it will not go on
            if not busy:
                s.type('y = A*x;')
            time.sleep(.1)
            os.kill(s.p.pid, signal.SIGINT)
            said = s.read()
        after = [s.shown('sum(q)'), s.shown('q')]
        for _ in range(2):  # the first inputs behind it may be what was told of it
            if after != wanted:
                after = [s.shown('sum(q)'), s.shown('q')]
        check(after == wanted, f'fault {k}: {"stopped" if stops else "killed"}, '
              f'{"busy" if busy else "idle"}', f'{said}\n{after}\n{wanted}')
    s.close()


def short_memory():
    """A rank without memory is an error on all, and the session goes on."""
    s = Session('cpu:0-2')
    s.answer('A = shard(reshape(1:36, 9, 4)); q = A*(1:4);')
    wanted = s.shown('q')
    rank = s.ranks()[-1]
    with open(f'/proc/{rank}/statm', encoding='utf-8') as f:
        used = int(f.read().split()[0]) * os.sysconf('SC_PAGESIZE')
    old = resource.prlimit(rank, resource.RLIMIT_AS)
    resource.prlimit(rank, resource.RLIMIT_AS, (used + (64 << 20), old[1]))
    said = s.answer('B = shard(ones(9000, 9000)) + A[1, 1]; B[2, 2] = 3;')
    check('rank 2: not enough memory' in said, 'no memory on one rank', said)
    resource.prlimit(rank, resource.RLIMIT_AS, old)
    check(s.shown('q') == wanted and s.ranks()[-1] == rank, 'it goes on with the same ranks')
    check('"text/plain":"81000000' in s.answer('sum(shard(ones(9000, 9000)))').replace('.0', ''),
          'and there is memory again')
    s.close()


def variables(kind, rank, ranks, port):
    """What Slurm and torchrun say to the processes that they start."""
    if kind == 'torchrun':
        return {'RANK': str(rank), 'WORLD_SIZE': str(ranks), 'MASTER_ADDR': 'localhost',
                'LOCAL_RANK': str(rank), 'MASTER_PORT': str(port),
                'TORCHELASTIC_USE_AGENT_STORE': 'True'}
    return {'SLURM_PROCID': str(rank), 'SLURM_NTASKS': str(ranks), 'SLURM_STEP_ID': '0',
            'SLURM_JOB_ID': str(port - 20000), 'SLURM_STEP_NODELIST': 'localhost',
            'SLURM_LOCALID': str(rank)}


def over_tcp():
    """Ranks that Slurm or torchrun started find each other, and miss those that do not come."""
    rng = random.Random()
    text = 'A = shard(reshape(1:36, 9, 4)); x = 1:4;\nq = A*x\nsum(shard(ones(500, 700)))\n'
    with tempfile.NamedTemporaryFile('w', suffix='.fs') as f:
        f.write(text)
        f.flush()
        _, want, _ = run(text)
        for kind in ('torchrun', 'slurm'):
            port = rng.randrange(20000, 32000)
            several = [start(f.name, env=variables(kind, r, 3, port)) for r in (2, 0, 1)]
            said = [p.communicate(timeout=600) + (p.returncode,) for p in several]
            check(said == [('', '', 0), (want, '', 0), ('', '', 0)], f'ranks of {kind}', str(said))
            for there, words in (([0, 1], 'rank 2 did not answer within 1 s'),
                                 ([2], f'rank 0 at localhost, port {port + (kind == "torchrun")}, '
                                       'did not answer within 1 s')):
                several = [start(f.name, env={'FUSIBLE_RANKS_WAIT': '1',
                                              **variables(kind, r, 3, port)}) for r in there]
                out, err = several[0].communicate(timeout=600)
                check(err == f'fusible: {words}\n' and not out and several[0].returncode == 3,
                      f'{kind}: {words}', out + err)
                for p in several[1:]:
                    p.communicate(timeout=600)
        p = start(f.name, env={**variables('slurm', 1, 3, port), 'FUSIBLE_RANKS_WAIT': '0',
                               'SLURM_STEP_NODELIST': 'no-such-node[07-12,19],other'})
        check(' at no-such-node07, port ' in p.communicate(timeout=600)[1], 'a list of hosts')
        script = dict(variables('slurm', 0, 3, 20001))
        del script['SLURM_STEP_ID']
        p = start(f.name, env=script)
        check(p.communicate(timeout=600) == (want, ''), 'a script of sbatch is one process')
    lost_over_tcp(rng.randrange(20000, 32000))


def lost_over_tcp(port):
    endless = 'A = shard(rand(40, 40)); x = rand(40);\nwhile true\n x = A*x; x = x/norm(x);\nend\n'
    with tempfile.NamedTemporaryFile('w', suffix='.fs') as f:
        f.write(endless)
        f.flush()
        several = [start(f.name, env=variables('torchrun', r, 3, port)) for r in range(3)]
        score.await_work(lambda: several[0].pid)
        several[2].kill()
        said = [p.communicate(timeout=600) for p in several]
        check(said[0][1].count('another rank has ended') == 1 and several[0].returncode == 3 and
              several[1].returncode is not None, 'a rank of torchrun that is killed', str(said))


LARGE = """A = mod(reshape(1:6003000, 3000, 2001), 9) + 0; x = ones(2001); B = ones(9, 9); y = 1:3000;
begin q = A*x; s = A'*y; C = f64(A) + 1; end
:why C
:alternatives
save("PATH", C); L = load("PATH"); W = whole(C);
N = mod(reshape(1:2000000, 1000000, 2), 9) + 0;
C[3000, 2001] = 7; V = C[:, 1]; D = inv(B + 9*eye(9));
:vars
sum(q)
sum(s)
sum(abs(L - W))
sum(C) - sum(L)
L[2999:3000, 2000:2001] - W[2999:3000, 2000:2001]
"""


def by_price():
    """Large matrices lie by rows by themselves, also those of files; vectors and small ones do not."""
    with tempfile.TemporaryDirectory() as folder:
        text = LARGE.replace('PATH', os.path.join(folder, 'C.npy'))
        said = [subprocess.run([FUSIBLE, '--no-rc', '-i', '--target', t, '--plan', 'off'], input=text,
                               capture_output=True, text=True, timeout=600) for t in
                ('cpu', 'cpu:0-2')]
    one, several = said[0].stdout, said[1].stdout
    check(not said[1].stderr, 'layouts by price', said[1].stderr)
    lies = {line.split()[0]: line.split()[-1] for line in several.splitlines()
            if re.match(r'  [A-Za-z]+ +\w+\[', line)}
    want = {'A': 'rows/3', 'C': 'rows/3', 'L': 'rows/3', 'W': 'whole', 'B': 'whole', 'x': 'whole',
            's': 'whole', 'D': 'whole', 'N': 'whole'}
    check(all(lies.get(k) == v for k, v in want.items()), 'how variables lie', f'{lies}\n{several}')
    check(several.count('C lies by rows over 3 ranks: a pass over it takes ~') == 2 and
          several.count(', whole ~') >= 2 and ', by columns ~' in several, 'what it costs', several)
    check(one.splitlines()[-7:] == several.splitlines()[-7:], 'the same values', one + several)


COMMANDS = """A = shard(reshape(1:903, 301, 3)); x = 1:3; r = shard(mod(1:301, 5));
begin q = A*x; s = A'*r; t = f32(A) .* 0.5; end
:check
:race 2
:again 3
:tune 3
:choose 1
:alternatives
:why s
:vars
begin q = A*x; s = A'*r; t = f32(A) .* 0.5; end
sum(q) + sum(s) + sum(t)
"""


def commands():
    """What times plans and compares results does it on all ranks, of all elements."""
    for ranks in (1, 3):
        p = subprocess.run([FUSIBLE, '--no-rc', '-i', '--target',
                            'cpu' if ranks == 1 else f'cpu:0-{ranks - 1}'], input=COMMANDS,
                           capture_output=True, text=True, timeout=600,
                           env=dict(os.environ, FUSIBLE_TUNING='off'))
        out = p.stdout
        check(not p.stderr and not p.returncode, f'commands on {ranks} ranks', p.stderr)
        check('without fusion: the same bits' in out and 'not compared' not in out and
              'differ' not in out.split(':race')[0].split('runs of each')[0],
              f':check and :race on {ranks} ranks', out)
        for words in ('no fusion', '3 runs: median', 'plans timed', 'unfused'):
            check(words in out, f'{words} on {ranks} ranks', out)
        last = sum((3*i + 1) + 2*(3*i + 2) + 3*(3*i + 3) for i in range(301)) + \
            sum((3*i + c)*((i + 1) % 5) for i in range(301) for c in (1, 2, 3)) + 903*904/4
        check(f'{last:.0f}' in out.replace('e+06', ''), f'the last of {ranks} ranks',
              f'{last}\n{out[-300:]}')
    p = subprocess.run([FUSIBLE, '--no-rc', '-i', '--target', 'cpu:0-1'], text=True, timeout=600,
                       input=':target cpu\n:calibrate\n', capture_output=True)
    check(p.stderr.count('not there on several ranks') == 2, 'what one device has', p.stderr)


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


def bits():
    with tempfile.TemporaryDirectory() as folder:
        same_bits(folder)


def main():
    options = argparse.ArgumentParser()
    options.add_argument('--faults', type=int, default=8)
    options.add_argument('--only', default='', help='the part of that name')
    o = options.parse_args()
    parts = {'bits': bits, 'messages': messages, 'folds': folds, 'ended_ranks': ended_ranks,
             'faults': lambda: faults(o.faults), 'short_memory': short_memory,
             'over_tcp': over_tcp, 'commands': commands, 'by_price': by_price,
             'language': lambda: language('cpu', None)}
    for name, part in parts.items():
        if o.only in ('', name):
            part()
    print(f'{passed} passed, {failed} failed')
    return failed > 0 or not passed


if __name__ == '__main__':
    sys.exit(main())
