#!/usr/bin/env python3
"""Golden answers: each tests/why/NAME.fs asks why statements share kernels or do
not, and the answer must be NAME.out. Times are left out, so that a better model
changes only what it decides. A remark `# rule: WORD` names the reason that the script
is about; all of RULES must be met by some script.

UPDATE=1 rewrites the .out files. The last line is `N passed, N failed`.
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
FUSIBLE = os.path.abspath(os.environ.get(
    'FUSIBLE', os.path.join(ROOT, 'build', 'fusible')))
UPDATE = os.environ.get('UPDATE') == '1'
TIME = re.compile(r'~?[0-9.]+ (?:µs|ms|s)\b')
RATIO = re.compile(r'\(×[0-9.]+\)')
score = Score()


def run(path, folder):
    env = dict(os.environ, XDG_CACHE_HOME=folder, XDG_CONFIG_HOME=folder,
               XDG_STATE_HOME=folder, XDG_DATA_HOME=folder, LC_ALL='C.UTF-8',
               FUSIBLE_REFERENCE_DEVICE='1')
    done = subprocess.run(
        [FUSIBLE, '--target', 'cpu', '--threads', '2', '--plan', 'off',
         '--quiet', '--color', 'never', os.path.basename(path)],
        cwd=os.path.dirname(path), env=env, capture_output=True, text=True,
        timeout=600)
    out = RATIO.sub('(×R)', TIME.sub('T', done.stdout))
    return done.returncode, out, done.stderr


def long_block(folder):
    """Every kernel shares A with the one asked about: the nearest are answered."""
    path = os.path.join(folder, 'long.fs')
    lines = [f'y{i} = A*x + {i}; z{i} = A\'*y{i}; x = z{i}/norm(z{i});'
             for i in range(40)]
    with open(path, 'w', encoding='utf-8') as f:
        f.write('\n'.join(['A = rand(50, 50); x = rand(50);', 'begin', *lines,
                           'end;', ':why y9', '']))
    status, out, err = run(path, folder)
    score.check(status == 0, f'a long block: status {status}', err)
    score.check(out.count('  not with k') == 8 and
                re.search(r'^  \d+ more, of k1 to k\d+, share data', out, re.M),
                'a long block: the nearest kernels, and how many more', out)


def slow(folder):
    """`:why slow`: of the kernel that takes longest, or of one; not where a variable is so called."""
    path = os.path.join(folder, 'slow.fs')
    with open(path, 'w', encoding='utf-8') as f:
        f.write("A = rand(700, 700); B = rand(700, 700); p = rand(700);\n"
                "begin\nq = A*p; s = A'*q; C = A*B; u = exp(p);\nend\n"
                ':why slow\n:why slow k1\n:why slow k2\nslow = q + 1;\n:why slow\n')
    status, out, err = run(path, folder)
    parts = out.split('\nk')
    score.check(status == 0 and len(parts) >= 3, 'slow: three answers', (out, err))
    score.check('C = A*B' in parts[0] and 'library' in parts[0], 'slow: the longest', out)
    row = next((p for p in parts[1:] if 'q = A*p' in p), '')
    for words in ('predicted T, measured T', ' bounds it', 'moves T, beside them arithmetic T',
                  'launch T'):
        score.check(words in row, f'slow: {words}', out)
    score.check('is made in' in out.rpartition('setting')[2], 'slow is a variable, too', out)


def main():
    rules = {}
    with tempfile.TemporaryDirectory() as folder:
        long_block(folder)
        slow(folder)
        for path in sorted(glob.glob(os.path.join(ROOT, 'tests/why/*.fs'))):
            name = os.path.basename(path)[:-3]
            status, out, err = run(path, folder)
            script = open(path, encoding='utf-8').read()
            wanted = re.findall(r'^# status: (\d+)$', script, re.M)
            score.check(status == int(wanted[0] if wanted else 0),
                        f'{name}: status {status}', err)
            out += err
            golden = path[:-3] + '.out'
            if UPDATE:
                with open(golden, 'w', encoding='utf-8') as f:
                    f.write(out)
            want = open(golden, encoding='utf-8').read() \
                if os.path.exists(golden) else '(there is none)\n'
            score.check(out == want, f'{name}: the answer',
                        f'--- {name}.out\n{want}--- found\n{out}')
            for rule, words in re.findall(r'^# rule: ([\w-]+): (.+)$', script,
                                          re.M):
                rules.setdefault(rule, []).append(name)
                score.check(words in out.replace('\n', ' '),
                            f'{name}: says why ({rule})', f'{words}\n{out}')
    score.check(len(rules) >= 12, 'reasons that are tested', sorted(rules))
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
