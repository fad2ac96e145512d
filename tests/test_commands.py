#!/usr/bin/env python3
"""What commands say at the prompt, one after another in one session: pins that are made and
taken back, forms of plans, figures that are asserted, files, settings and help. The last line
is `N passed, N failed`."""
import os
import re
import subprocess
import sys
import tempfile

from score import Score

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.environ.get('FUSIBLE', os.path.join(ROOT, 'build', 'fusible'))
score = Score()
check = score.check

NO_PIN = '.*error: :{} off: there is no such pin\n(.*\n)*hint: :split lists the pins'
SHARE = '{} share a kernel from now on, in blocks that have {}; `:fuse off {}` takes it back'
APART = '{} are kept in kernels of their own from now on; `:split off {}` takes it back'

# What a choice makes of the last block.
SAME = '\nthe last block: the same plan'
MORE = r'\nthe last block: 1 → 2 kernels, \+40 B, .* → .*s predicted \(×1\.\d+\)'
LESS = r'the last block: 2 → 1 kernel, -40 B, .* → .*s predicted \(×0\.\d+\)'

# An input, and a pattern that all of its output fits; words as they are.
SESSION = [
    (':vars', 'no variables'),
    (':vars json', r'\[\]'),
    (':plan', 'no plan yet'),
    (':alternatives', 'no statement has needed a kernel yet'),
    (':fuse', 'fuse on\nno statements are pinned'),
    ('x = 1.0*(1:5); a = x + 1; b = a*2; c = x - 1;', '1 kernel .*'),
    # Pins.
    (':fuse a b', SHARE.format('a and b', 'both', 'a b') + SAME),
    (':split a c', APART.format('a and c', 'a c') + MORE),
    (':fuse', 'fuse on\n  :fuse a b\n  :split a c'),
    (':fuse off b a', '  :split a c' + MORE),
    (':fuse off a b', NO_PIN.format('fuse')),
    ('a = x + 1; b = a*2; c = x - 1;', '[23] kernels .*'),
    (':split off', LESS),
    (':split', 'no statements are pinned'),
    ('a = x + 1; b = a*2; c = x - 1;', '1 kernel .*'),
    (':fuse a b c', SHARE.format('a, b and c', '.*', 'a b c') + SAME),
    (':fuse off a b c', 'no statements are pinned' + SAME),
    (':fuse off', r'the last block: 1 → 3 kernels, \+80 B, .*'),
    (':fuse on', SAME.strip()),
    (':strategy minsync', SAME.strip()),
    (':strategy smart', SAME.strip()),
    (':split 1 2', APART.format('1 and 2', '1 2') + MORE),
    (':split off 2 1', 'no statements are pinned' + SAME),
    (':fuse a', r'(.*\n)*.*error: :fuse takes two statements or more(.*\n?)*'),
    (':split a a', r'.*error: :split: a is named twice(.*\n?)*'),
    (':fuse 1x a', r".*error: :fuse: '1x' cannot name a statement(.*\n?)*"),
    (':split a nothing', r".*error: :split: no statement has assigned 'nothing'(.*\n?)*"),
    # Plans.
    (':plan line', '1 kernel .*'),
    (':plan dot', r'digraph plan \{\n(.*\n)*\}'),
    (':plan mermaid', r'flowchart TD\n(.*\n?)*'),
    (':plan json x', r'.*error: :plan: this form takes no file\n(.*\n)*hint: graph, dot, mermaid, svg and html do'),
    (':plan picture', r'.*error: :plan: it is :plan box, line, all, (.*\n?)*'),
    (':plan svg /nowhere/a.svg', r'.*error: cannot save /nowhere/a.svg: there is no such folder(.*\n?)*'),
    (':plan html plan.html', 'saved plan.html'),
    (':alternatives k9', r'.*the last block has 1 kernel, there is no k9\n(.*\n)*hint: see :plan'),
    (':alternatives k1 1', r'k1: .*\n(.*\n)*\* is in use; .*'),
    (':alternatives 0', r'.*error: .*that is not how it is called\n(.*\n?)*'),
    (':assert kernels == 1', ''),
    (':assert launches <= 1', ''),
    (':assert scheme == flat', ''),
    (':assert kernels > 1', r'.*error: the assertion does not hold: kernels is 1\n(.*\n?)*'),
    (':assert speed == 2', r'.*error: :assert: there is no such figure of a plan\n(.*\n?)*'),
    (':assert kernels about 2', r'.*error: :assert: that is not how it is called\n(.*\n?)*'),
    (':why a b', r'a and b share a kernel: (.*\n?)*'),
    (':why 9', r'.*error: the last block has no statement that makes 9\n(.*\n)*hint: .*a, b, c.*'),
    (':explain q = a + 1; w = 2*q', r'.*1 kernel(.*\n?)*'),
    (':explain q = sum(x); if q > 3; w = 2*q; end',
     r'(.*\n)*.*this needs a computed value, and explaining computes nothing(.*\n?)*'),
    ('print(sum(a))', '20\n1 kernel .*'),
    # What was typed.
    ('1 + 1', '2'),
    ('ans*3', '6'),
    (':history 2', r' +\d+  ans\*3\n +\d+  print\("mark \d+"\)'),
    (':history -x', r'.*that is not how it is called\n(.*\n)*hint: :history \[-g\] \[n\] \| FILE'),
    (':history /nowhere/h', r'.*cannot save /nowhere/h: there is no such folder(.*\n?)*'),
    (':save s.fs a', r'.*a script has the inputs of the session, all\n(.*\n?)*'),
    # All of an array.
    ('M = reshape(1:6, 2, 3);', '1 kernel .*'),
    (':show M', 'M = i64\\[2×3\\]\n  │  1  2  3\n1 │  1  2  3\n2 │  4  5  6'),
    ('v = (1:12)*1.0;', '1 kernel .*'),
    (':show v', 'v = f64\\[12\\]\n 1 │   1   2   3   4   5   6   7   8   9  10  11  12'),
    (':show', r'.*that is not how it is called\n(.*\n)*hint: :show name'),
    (':show Q', r'.*there is no variable Q(.*\n?)*'),
    ('big = rand(1001, 1000);', '.*'),
    (':show big', r'.*big has 1001000 elements, and :show takes up to 1000000\n(.*\n)*hint: a part of it: .*'),
    (':edit', r'.*error: :edit: it needs the prompt at a terminal(.*\n?)*'),
    (':drop M v big ans', ''),
    # Files and variables.
    (':save all.npz', 'saved 4 values to all.npz'),
    (':save two.npz a b', 'saved 2 values to two.npz'),
    (':save two.npz a nothing', r'.*error: there is no variable nothing\n(.*\n?)*'),
    (':save a', r'.*error: cannot save a: the name does not end in a known file type\n(.*\n?)*'),
    (':reset -f', ''),
    (':load two.npz b', r'b = f64\[5\]'),
    ('print(sum(b))', '40\n1 kernel .*'),
    (':load nowhere.npy', r'.*error: cannot load nowhere.npy: there is no such file\n(.*\n?)*'),
    (':load b two.npz', r'.*error: cannot load two.npz: it holds 2 arrays\n(.*\n)*hint: .* one of a, b'),
    # Settings.
    (':set digits 99', r'.*error: digits cannot be 99; it can be 1 to 17\n(.*\n?)*'),
    (':set nothing 3', r'.*error: there is no setting nothing\n(.*\n)*hint: see :set'),
    (':strategy best', r'.*error: strategy cannot be best; it can be smart, minsync, (.*\n?)*'),
    (':target gpu', r'.*error: there is no target gpu: it is auto, cpu, cuda or opencl\n(.*\n?)*'),
    (':set digits', 'digits 6'),
    # Help.
    ('?f16', r'f16\(x\) +builtin\n  x as 16-bit floats'),
    ('?while', 'while +keyword(\n.*)*'),
    (':help functions sort', r'  sort +s, p = sort(.*\n)*  argsort .*(.*\n?)*'),
    ('?*max', r'(  \w*max  .*\n?)+'),
    (':help functions zzz', r".*error: no function has 'zzz' in its name(.*\n)*hint: :help functions lists them all"),
    ('help', r'Help\n(.*\n?)*'),
    ('help trace', r'trace\(A\) +builtin\n  sum of the diagonal'),
    ('doc trace', r'trace\(A\) +builtin\n  sum of the diagonal'),
    ('apropos argsort', r'  argsort .*(.*\n?)*'),
    ('whos', r'  b +f64\[5\] +40 B'),
    ('whos b', r".*expected an operator(.*\n?)*"),
    ('doc = 3', 'doc = 3'),
    ('doc trace', r".*expected an operator(.*\n?)*"),
    (':drop doc', ''),
    ('quit now', r".*expected an operator(.*\n?)*"),
    ('?:why', r':why \[a \[b\] \| slow \[k1\]\]\n(.*\n?)*'),
    ('?b', r'b = f64\[5\]\n.*4 +6 +8 +10 +12'),
    ('??trace', r'trace\(A\) +builtin\n  sum of the diagonal'),
    (':help nothin', r'.*error: nothing is known about nothin\n(.*\n)*hint: see :help'),
    (':history 2', r'( +\d+  .*\n?){2}'),
    (':history -1', r'.*error: :history: that is not how it is called\n(.*\n?)*'),
    (':memory', r'  used +.*\n  peak +.*\n  kept +.*\n  free +.*'),
    (':calibrate nothing', r'.*error: :calibrate: that is not how it is called\n(.*\n?)*'),
    ('print(6*7)', '42'),
]


def outputs(folder):
    """What each input prints: between two marks."""
    lines = []
    for k, (line, _) in enumerate(SESSION):
        lines += [line, f'print("mark {k}")']
    env = dict(os.environ, HOME=folder, XDG_CACHE_HOME=folder, LC_ALL='C.UTF-8')
    done = subprocess.run(
        [PROGRAM, '-i', '-q', '--no-rc', '--no-history', '--no-readline', '--target', 'cpu',
         '--color', 'never'], input='\n'.join(lines) + '\n', cwd=folder, env=env, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600, check=False)
    check(done.returncode == 0, f'status {done.returncode}: {done.stdout[-500:]}')
    return re.split(r'mark \d+\n', done.stdout)


def main():
    with tempfile.TemporaryDirectory(prefix='fusible-commands-') as folder:
        found = outputs(folder)
        check(sorted(n for n in os.listdir(folder) if '.' in n[1:]) ==
              ['all.npz', 'plan.html', 'two.npz'], f'files: {os.listdir(folder)}')
    check(len(found) == len(SESSION) + 1, f'{len(found)} outputs of {len(SESSION)} inputs')
    for (line, wanted), said in zip(SESSION, found):
        check(re.fullmatch(wanted, said.strip('\n')), f'{line}: wanted {wanted}\nbut it is\n{said}')
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
