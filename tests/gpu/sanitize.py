#!/usr/bin/python3
"""All forms of kernels under a tool of compute-sanitizer.

    tests/gpu/sanitize.py TOOL [--fusible PATH] [--logs FOLDER]

TOOL is memcheck, racecheck, initcheck, synccheck, or none. Run are the blocks of
forms.py, one process for each dtype, with the code that each must have (clusters,
rings of bulk copies, panels by tensor maps, phases of a cooperative launch, pairs of
half types, replayed graphs ...) and results equal to those of the CPU target; and
sanitize.fs, with library calls and everything around. racecheck gets no panels: it
does not follow their way to hand over numbers (canary.cu shows it). Then a fault is
planted in a kernel that Fusible makes, for memcheck (elem/wild.elem) and racecheck
(elem/racy.elem), which must be reported. The last line is `N passed, N failed`.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
from forms import CACHE, DTYPES, FORMS, answers, codes  # noqa: E402
from score import Score  # noqa: E402

REPORTED = 99
CLEAN = re.compile(r'ERROR SUMMARY: 0 errors|: 0 hazards')
# Else it loses count of the barriers of panels, and the kernel stops.
MORE = {'synccheck': ('--num-cuda-barriers', '65536')}
PLANTED = {
    'memcheck': ('wild.elem', 'a = wild([1, 7, 3]); print(sum(a))'),
    'racecheck': ('racy.elem', 's = racy(ones(1000, 64)); print(sum(s))'),
}


class Tool:
    def __init__(self, options):
        self.name, self.fusible, self.logs = options.tool, options.fusible, options.logs

    def run(self, name, arguments, target='cuda', tool=True, **env):
        """The finished program, its output also in a log."""
        command = [self.fusible, '--no-rc', '--plan', 'off', '--target', target,
                   *arguments]
        if tool and self.name != 'none':
            command[:0] = ['compute-sanitizer', '--tool', self.name,
                           '--error-exitcode', str(REPORTED), *MORE.get(self.name, ())]
        done = subprocess.run(command, env=dict(os.environ, **env), text=True,
                              capture_output=True, errors='replace', check=False)
        if tool:
            path = os.path.join(self.logs, f'{self.name}-{name}.log')
            with open(path, 'w', encoding='utf-8') as f:
                f.write(done.stdout + done.stderr)
        return done

    def is_clean(self, done):
        return done.returncode == 0 and (self.name == 'none' or
                                         CLEAN.search(done.stdout + done.stderr))


def tail(done):
    """What a tool said: its lines, or the end of everything."""
    text = done.stdout + done.stderr
    lines = [x for x in text.splitlines() if x.startswith('=====')]
    return f'exit {done.returncode}: ' + '\n'.join(lines or [text[-1500:]])[:1500]


def check_forms(score, tool, dtype):
    forms = [form for form in FORMS if dtype in form.dtypes and
             not (form.relays and tool.name == 'racecheck')]
    with tempfile.TemporaryDirectory() as folder:
        paths = {}
        for code in (True, False):
            paths[code] = os.path.join(folder, f'forms-{code}.fs')
            with open(paths[code], 'w', encoding='utf-8') as f:
                f.write(''.join(form.text(dtype, code) for form in forms))
        done = tool.run(dtype, [paths[True]], FUSIBLE_L2=CACHE)
        want = answers(tool.run(dtype, [paths[False]], target='cpu',
                                tool=False).stdout)
    score.check(tool.is_clean(done), f'{dtype}: {tail(done)}')
    got, code = answers(done.stdout), codes(done.stdout)
    for form in forms:
        key = f'{form.name} {dtype}'
        missing = form.missing(dtype, code.get(key, ''))
        score.check(not missing, f'{key}: its code has no {missing}')
        score.check(got.get(key) and got[key] == want.get(key),
                    f'{key}: {got.get(key)}, on the CPU {want.get(key)}')


def check_script(score, tool):
    done = tool.run('script', ['run', os.path.join(HERE, 'sanitize.fs')])
    score.check(tool.is_clean(done) and 'sanitize: ok' in done.stdout,
                f'sanitize.fs: {tail(done)}')


def check_planted(score, tool):
    if tool.name not in PLANTED:
        return
    file, text = PLANTED[tool.name]
    path = os.path.join(HERE, 'elem', file)
    for _ in range(3):
        done = tool.run('planted', ['-e', f':elem {path}', '-e', text])
        if done.returncode >= 0:
            break  # else the tool itself ended by a signal, before it had reported
    found = re.search(r'ERROR SUMMARY: [1-9]|[1-9]\d* hazards|Race reported|Invalid',
                      done.stdout + done.stderr)
    score.check(found and done.returncode != 0,
                f'the fault of {file} was not reported: {tail(done)}')


def main():
    p = argparse.ArgumentParser(description=__doc__.split('\n\n', maxsplit=1)[0])
    p.add_argument('tool', choices=('memcheck', 'racecheck', 'initcheck', 'synccheck',
                                    'none'))
    p.add_argument('--fusible', default=os.environ.get('FUSIBLE', 'build/fusible'))
    p.add_argument('--logs', default='.')
    o = p.parse_args()
    score, tool = Score(), Tool(o)
    with ThreadPoolExecutor(len(DTYPES) + 2) as pool:
        jobs = [pool.submit(check_forms, score, tool, dtype) for dtype in DTYPES]
        jobs += [pool.submit(check_script, score, tool),
                 pool.submit(check_planted, score, tool)]
        for job in jobs:
            job.result()
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
