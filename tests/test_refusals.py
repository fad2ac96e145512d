#!/usr/bin/env python3
"""Why loops over elements are not lifted: each reason, as `:why` says it of a `for`, and as the
error that `parallel for` makes of it, after which nothing of the loop has been done.

The last line is `N passed, N failed`.
"""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from score import Score  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FUSIBLE = os.path.abspath(os.environ.get('FUSIBLE', os.path.join(ROOT, 'build', 'fusible')))
score = Score()

SETUP = '''n = 4; x = f32([4, 3, 2, 1]); y = zeros(4); k = i32([2, 1, 3, 4]); A = ones(4, 4);
b = bool([true, false, true, false]); h = f16([1, 2, 3, 4]); s = 0; t = 0;
g(v) = v + sum(x);
'''
WAIT = 'wait for each other: '
# The body of `for i = 2:3`, over lines, and why its rounds do not run at once.
REFUSED = [
    # Two places that meet, or a name that the round before has made.
    ('x[i] = sqrt(x[i - 1]);',
     WAIT + '`x[i]` of line 6 reads `x[i - 1]`, which the round before writes'),
    ('x[i] = 1;\ny[i] = x[i + 1];',
     WAIT + '`y[i]` of line 7 reads `x[i + 1]`, which the next round writes in line 6'),
    ('x[i] = y[i];\nx[i + 1] = 0;',
     WAIT + '`x[i + 1]` of line 7 is an element that the next round writes in line 6'),
    ('y[k[i]] = sqrt(y[k[i]]);',
     WAIT + '`y[k[i]]` of line 6 reads `y[k[i]]`, which an earlier round may write'),
    ('x[i] = x[5 - i] + 1;', WAIT + '`x[i]` of line 6 reads `x[5 - i]`, which an earlier round writes'),
    ('if x[i] > 2; x[i + 1] = 0; end',
     WAIT + '`x[i] > 2` of line 6 reads `x[i]`, which the round before may write'),
    ('for j = 2:4; A[i, j] = A[i - 1, j] + A[i, j - 1]; end',
     WAIT + '`A[i, j]` of line 6 reads `A[i, j - 1]`, which the round before writes'),
    ('t = t/2 + x[i];\ny[i] = t;', WAIT + '`t` of line 6 is what the round before made it'),
    ('while t < 3; t = t + x[i]; end\ny[i] = t;',
     WAIT + '`t < 3` of line 6 is what the round before made it'),
    ('m = 0; for j = 1:k[i]; m = m + y[j]; end\ny[i] = m;',
     WAIT + '`1:k[i]` of line 6 reads `y[j]`, which an earlier round may write in line 7'),
    # What is no element, no number and no function of them.
    ('y[i] = sum(x[1:i]);', '`1:i` of line 6 is more than one element'),
    ('y[i] = g(x[i]);', '`g(x[i])` of line 6 is not made of elements, numbers and functions of them'),
    ('y[i] = A[i, :]*x;', '`:` of line 6 is more than one element'),
    ('y[i] = x[i]\';', "`x[i]'` of line 6 is not made of elements, numbers and functions of them"),
    ('if y[i] > 9; x[i + 2] = 0; end', '`x[i + 2]` of line 6 may be out of range'),
    ('y[i] = x[i];\nprint(i);', '`print(i)` of line 7 is no assignment, `if` or `for`'),
    ('y[i] = x[i]', '`y[i] = x[i]` of line 6 is shown'),
    ('A[i + 0, k[i]] = 1;', '`A[i + 0, k[i]] = 1` of line 6 is at a computed place of what is no vector'),
    ('i = 3; y[i] = 1;', '`i = 3` of line 6 has a name that is something else elsewhere in the loop'),
    # Conditions and inner loops.
    ('if x[i] > 2; t = x[i]; end\ny[i] = t;', '`y[i] = t` of line 7 may read what an earlier round made'),
    ('s = s + x[i];\nif s > 5; y[i] = 1; end', '`s > 5` of line 7 decides by a sum of floats'),
    ('for j = 1:2; if x[j] > 1; if x[i] > 2; continue; end; y[j] = 1; end; A[i, j] = 1; end',
     'goes on with the next round from within another `if`'),
    ('for j = 1:4; y[j] = 0; if x[j] > 2; break; end; end',
     'ends an inner loop, and is not its first statement'),
    # What a `while` may not have.
    ('t = x[i]; while t > 1; t = t/2; x[i] = t; end',
     '`x[i] = t` of line 6 is no assignment to a name, and stands in a `while`'),
    ('t = 0.5*i; while t < 3; t = exp(t); end; y[i] = t;',
     '`exp(t)` of line 6 is a function of numbers of the host'),
    ('m = h[i]; while m < 3; m = m + m; end; y[i] = m;', 'is of a half type'),
    ('m = 0; for j = 1:k[i]; m = m + b[j]; end; y[i] = m;',
     'is of an array of bools or of a half type'),
    ('m = 0; r = 0; while m < 4; if x[i] > m; r = 1; else; r = x[i]; end; m += 1; end; y[i] = r;',
     'gives a name another type than elsewhere'),
]
STATE = 'print(x[1] + 8*x[2] + 64*x[3] + 512*x[4], " ", sum(y), " ", sum(A), " ", s, " ", t);\n'


def run(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)
    done = subprocess.run([FUSIBLE, '--no-rc', '--target', 'cpu', '--plan', 'off', path],
                          env=dict(os.environ, XDG_CACHE_HOME=folder, XDG_CONFIG_HOME=folder,
                                   XDG_STATE_HOME=folder, XDG_DATA_HOME=folder),
                          capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout + done.stderr


def check(folder, number):
    body, why = REFUSED[number]
    status, said = run(folder, f'{number}-for.fs', f'{SETUP}{STATE}for i = 2:3\n{body}\nend\n:why\n')
    told = re.search(r'note: rounds of `for \w`.*', said)
    score.check(status == 0 and why in said, f'`for` of {body!r}: {why!r}', said)
    if why.startswith(WAIT):
        score.check(told and told[0].count('`') >= 4, f'two places of {body!r}', said)
    status, said = run(folder, f'{number}-parallel.fs', f'{SETUP}{STATE}parallel for i = 2:3\n{body}\nend\n')
    before = run(folder, f'{number}-before.fs', SETUP + STATE)[1]
    score.check(status == 1 and why in said,
                f'`parallel for` of {body!r}: {why!r}', said)
    score.check('error: rounds of `' in said and said.startswith(before),
                f'`parallel for` of {body!r} is the error', said)


def main():
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda k: check(folder, k), range(len(REFUSED))))
    score.check(len(REFUSED) >= 15, 'fewer reasons than there were')
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
