#!/usr/bin/python3
"""Golden dumps: each tests/dump/NAME.fs is run with `--dump` of the stages that its
remark names, and what it prints must be NAME.out, on every machine and every time.

The option, the variable, the setting and the command are one mechanism: they must
print the same. UPDATE=1 rewrites the .out files. The last line is `N passed, N
failed`.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from score import Score  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.path.abspath(os.environ.get('FUSIBLE',
                                         os.path.join(ROOT, 'build', 'fusible')))
score = Score()
folder = tempfile.TemporaryDirectory(prefix='fusible-dump-')


def run(*args, **more):
    env = {k: v for k, v in os.environ.items() if not k.startswith('FUSIBLE')}
    env.update(HOME=folder.name, XDG_CACHE_HOME=folder.name,
               XDG_DATA_HOME=folder.name, LC_ALL='C.UTF-8',
               FUSIBLE_REFERENCE_DEVICE='1')
    env.update(more)
    return subprocess.run(
        [PROGRAM, '--target', 'cpu', '--threads', '2', '--quiet', *args],
        cwd=os.path.join(ROOT, 'tests', 'dump'), env=env, capture_output=True,
        text=True, timeout=600)


def plain(text):
    return re.sub(r'routines \w+', 'routines', text)


def golden(path):
    name = os.path.basename(path)[:-3]
    script = open(path, encoding='utf-8').read()
    stages = re.search(r'^# stages: (.*)$', script, re.M)[1].split()
    done = run('--dump', ','.join(stages), name + '.fs')
    out = plain(done.stdout)
    score.check(done.returncode == 0 and not done.stderr, f'{name}: runs',
                done.stderr)
    for stage in stages:
        score.check(f'> {stage}' in out, f'{name}: has {stage}', out[:500])
    again = run(name + '.fs', FUSIBLE_DUMP=','.join(stages))
    score.check(plain(again.stdout) == out, f'{name}: the same each time',
                again.stdout)
    file = path[:-3] + '.out'
    if os.environ.get('UPDATE') == '1':
        with open(file, 'w', encoding='utf-8') as f:
            f.write(out)
    want = open(file, encoding='utf-8').read() if os.path.exists(file) else ''
    score.check(out == want, f'{name}: as kept',
                f'--- {name}.out\n{want}--- found\n{out}')


def one_mechanism():
    block = 'x = ones(64)*3.0;\n'
    option = run('--dump=graph,plan', '-e', block).stdout
    score.check('> graph' in option and '> plan' in option, 'option', option)
    score.check(run('-e', block, FUSIBLE_DUMP='graph,plan').stdout == option,
                'variable')
    score.check(run('-e', ':set dump graph,plan\n' + block).stdout == option,
                'setting')
    score.check(run('-e', block + ':dump graph plan\n').stdout == option,
                'command')
    every = run('-e', block + ':dump all\n').stdout
    order = re.findall(r'^> (\w+)', every, re.M)
    score.check(order == ['ast', 'graph', 'space', 'plan', 'code'],
                'all stages, in the order of the pipeline', str(order))


def bad_words():
    done = run('--dump=graf', '-e', '1')
    score.check(done.returncode == 2 and '--dump wants' in done.stderr,
                'an unknown stage of the option', done.stderr)
    done = run('-e', ':dump graf\n')
    score.check(done.returncode == 1 and ':dump ast' in done.stderr,
                'an unknown stage of the command', done.stderr)
    done = run('-e', ':set dump graf\n')
    score.check(done.returncode == 1 and 'dump cannot be graf' in done.stderr,
                'an unknown stage of the setting', done.stderr)
    done = run('-e', ':dump plan\n')
    score.check(done.returncode == 0 and 'no statement has needed a kernel yet' in done.stdout,
                'nothing to dump', done.stdout)


for script in sorted(glob.glob(os.path.join(ROOT, 'tests/dump/*.fs'))):
    golden(script)
one_mechanism()
bad_words()
sys.exit(score.close())
