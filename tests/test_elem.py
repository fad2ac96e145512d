#!/usr/bin/python3
"""Functions of the user: `:elem`.

Every fault of a file is refused with its place and nothing is lost; a routine
that does not compile is an error in the user's file, with either compiler; what
is missing (a compiler, a form for the target) is said in one sentence. The
scripts of tests/gpu with exact results run on the CPU target and, as fibers, on
the fake GPU; the kernels compile with the real NVRTC where there is one. The last
line is `N passed, N failed`.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, 'fake')]
import fakegpu  # noqa: E402
from score import Score  # noqa: E402

score = Score()
check = score.check
home = tempfile.TemporaryDirectory(prefix='fusible-elem-')
GOOD = '''function twice
doc      y = twice(x): two times x
args     x:each
result   each
compute thread c {
  return 2 * x;
}
'''


def run(script, files=(), target='cpu', seconds=600, **more):
    """The program on a script in a folder that has these files."""
    with tempfile.TemporaryDirectory(dir=home.name) as folder:
        for name, text in dict(files).items():
            with open(os.path.join(folder, name), 'wb') as f:
                f.write(text if isinstance(text, bytes) else text.encode())
        env = dict(os.environ, XDG_CACHE_HOME=home.name, LC_ALL='C.UTF-8', **more)
        if target != 'cpu':
            env = fakegpu.environment(home.name, **more)
        return subprocess.run(
            [fakegpu.PROGRAM, '--target', target, '--color', 'never', '--quiet',
             '--keep-going', '--plan', 'off', '-e', script], cwd=folder, env=env,
            text=True, errors='replace', capture_output=True, timeout=seconds)


# -- files that are refused ---------------------------------------------------------
# What is changed in GOOD, and what the message says.

def swap(old, new):
    return GOOD.replace(old, new)


SMALL = '''function f
doc      d
args     A:3x3
result   3x3
threads  4
compute block c {
  FS_PUT(0, 0, FS_AT(A, 0, 0));
}
'''


def small(old, new):
    return SMALL.replace(old, new)


REFUSED = [
    ('no function', swap('function twice\n', ''), 'no `function` line'),
    ('function without a name', swap('function twice', 'function'), 'no value'),
    ('a name that is none', swap('twice\ndoc', '2wice\ndoc'), 'expected a name'),
    ('no doc', swap('doc ', 'dox '), 'unknown key `dox`'),
    ('no args', swap('args     x:each\n', ''), 'no `args` line'),
    ('no type', swap('x:each', 'x'), 'has no element type'),
    ('unknown type', swap('x:each', 'x:eech'), 'did you mean `each`'),
    ('a tile', swap('x:each', 'x:tile'), 'cannot take a `tile`'),
    ('no arguments', swap('x:each', ''), '1 to 8 arguments, not 0'),
    ('nine arguments', swap('x:each', ', '.join(f'{a}:each' for a in 'abcdefghi')),
     '1 to 8 arguments, not 9'),
    ('no arguments, defined', 'function f\ndoc d\nargs\nresult each\ndefine 2\n',
     '1 to 8 arguments, not 0'),
    ('nine arguments, defined', 'function f\ndoc d\nresult each\ndefine a\nargs ' +
     ', '.join(f'{a}:each' for a in 'abcdefghi') + '\n', '1 to 8 arguments, not 9'),
    ('another type', swap('x:each', 'x:foo'),
     'hint: `each`, `scalar`, or the extents of a small element, as 3 or 3x3'),
    ('an alias twice', swap('function twice', 'function twice\nalias b, c, b'),
     '  alias b, c, b\n              ^\n'),
    ('an alias that is the name', swap('function twice', 'alias b, twice\nfunction twice'),
     'called `twice` already\n  alias b, twice\n           ^~~~~\n'),
    ('an alias that is taken', swap('function twice', 'function twice\nalias b, sum, c'),
     '  alias b, sum, c\n           ^~~\n'),
    ('the same twice', swap('x:each', 'x:each, x:each'), 'twice in this list'),
    ('a word of C', swap('x:each', 'int:each'), '`int` cannot be the name'),
    ('a name of ours', swap('x:each', 'fs_x:each'), '`fs_x` cannot be the name'),
    ('no result', swap('result   each\n', ''), 'no `result` line'),
    ('result a scalar', swap('result   each', 'result scalar'), 'cannot be `scalar`'),
    ('small result only', swap('result   each', 'result 3x3'),
     'needs an argument of them'),
    ('extent 1', small('A:3x3', 'A:1x3'), 'is at least 2'),
    ('three extents', small('A:3x3', 'A:3x3x3'), 'a vector or a matrix'),
    ('an extent is missing', small('A:3x3', 'A:3x'), 'an extent is missing'),
    ('a huge extent', small('A:3x3', 'A:99999x3'), 'expected a number'),
    ('too large', small('A:3x3', 'A:128x128'), 'bytes on chip'),
    ('scratch too large', small('threads  4', 'scratch 20000'), 'bytes on chip'),
    ('scratch no number', small('threads  4', 'scratch x'), 'expected a number'),
    ('unknown types', swap('result   each', 'result each\ntypes f31'),
     'did you mean `f32`'),
    ('higher', swap('result   each', 'result each\nhigher scan'),
     'no such higher-order function'),
    ('reduce to each', swap('result   each', 'result each\nhigher reduce(+)'),
     'cannot be `each`'),
    ('reduce by -', swap('result   each', 'result scalar\nhigher reduce(-)'),
     'no such higher-order function'),
    ('neutral', swap('result   each', 'result scalar\nhigher reduce(*)\nneutral 0'),
     'the neutral element of * is 1'),
    ('neutral of a map', swap('result   each', 'result each\nneutral 0'),
     'a map has no neutral element'),
    ('flops', swap('result   each', 'result each\nflops many'), 'expected a number'),
    ('nesting', swap('result   each', 'result each\nnesting 9'), 'expected a number'),
    ('threads 3', small('threads  4', 'threads 3'), '3 threads do not fit'),
    ('threads 48', small('threads  4', 'threads 48'), '48 threads do not fit'),
    ('threads 2048', small('threads  4', 'threads 2048'), 'expected a number'),
    ('threads 0', small('threads  4', 'threads 0'), '0 x 1 threads'),
    ('threads of a routine', small('block c {', 'block c threads 5 {'),
     '5 threads do not fit'),
    ('threads of a thread', swap('thread c {', 'thread c threads 4 {'),
     'has one thread, not 4'),
    ('block by element', swap('thread c', 'block c'), 'thread routines only'),
    ('a load of nothing', swap('compute thread', 'load thread'),
     'which argument it brings in'),
    ('a load by element', GOOD + 'load x thread c {\n}\n', '`compute` routines only'),
    ('a store by element', GOOD + 'store thread c {\n}\n', '`compute` routines only'),
    ('a load of no argument', SMALL + 'load B block c {\n}\n', 'no argument `B`'),
    ('a load of a number', small('A:3x3', 'A:3x3, s:each') + 'load s block c {\n}\n',
     '`s` is one number'),
    ('a load of a scalar', small('A:3x3', 'A:3x3, s:scalar') + 'load s block c {\n}\n',
     '`s` is one number'),
    ('a load twice', SMALL + 'load A block c {\n}\nload A block any {\n}\n',
     'a routine 1 for this target already'),
    ('a store twice', SMALL + 'store block c {\n}\nstore block c {\n}\n',
     'was given before'),
    ('a load without a routine', small('block c {', 'block c impl 2 {') +
     'load A block c impl 3 {\n}\n', 'no `compute` routine 3 for this load'),
    ('a load of too many threads', small('block c', 'block any') +
     'load A block any threads 64 {\n}\n', '64 threads cannot stand beside a routine of 4'),
    ('a load of 5 threads', SMALL + 'load A block c threads 5 {\n}\n',
     '5 threads do not fit'),
    ('a form for one target', small('block c', 'block any') +
     'load A block c as 3x4 {\n}\n', 'needs this form on chip for CUDA, too'),
    ('two forms', small('block c', 'block any') + 'load A block c as 3x4 {\n}\n'
     'load A block cuda as 4x3 {\n}\n', 'another form on chip for CUDA'),
    ('a form of a routine', small('block c', 'block c as 9'), 'only a load or a store'),
    ('a form without extents', SMALL + 'load A block c as each {\n}\n',
     'the extents of a vector or a matrix'),
    ('a form of 1', SMALL + 'load A block c as 1 {\n}\n', 'is at least 2'),
    ('a large form', SMALL + 'load A block c as 100x100 {\n}\n', 'bytes on chip'),
    ('a kind', swap('compute thread', 'commpute thread'), 'did you mean `compute`'),
    ('a target', swap('thread c', 'thread rocm'), 'not a target'),
    ('impl 0', swap('thread c', 'thread c impl 0'), 'counted from 1'),
    ('impl no number', swap('thread c', 'thread c impl x'), 'expected a number'),
    ('impl twice', GOOD + 'compute thread any {\n  return x;\n}\n',
     'a routine 1 for this target already'),
    ('a word in the head', swap('thread c', 'thread c fast'), 'expected `impl`'),
    ('no brace', swap('thread c {', 'thread c'), 'ends with `{`'),
    ('not closed', swap('}\n', ''), 'no closing `}`'),
    ('neither', swap(GOOD[GOOD.index('compute'):], ''), 'neither a `define`'),
    ('a key twice', swap('doc ', 'doc  d\ndoc '), '`doc` was given before'),
    ('include', swap('  return', '#include <stdio.h>\n  return'),
     '#include has no place'),
    ('include, spaced', swap('  return', ' #  include "/etc/passwd"\n  return'),
     '#include has no place'),
    ('a line directive', swap('  return', '#line 1 "x"\n  return'),
     '#line has no place'),
    ('not UTF-8', GOOD.encode().replace(b'two times', b'two \xff times'),
     'not valid UTF-8'),
    ('a NUL byte', swap('two times', 'two \0 times'), 'NUL byte'),
    ('huge', GOOD + '# ' + 'x' * (1 << 20), 'more than 1 MiB'),
    ('empty', '', 'no `function` line'),
    ('a built-in name', swap('function twice', 'function sqrt'),
     '`sqrt` is a built-in function already'),
    ('a name of the library', swap('function twice', 'function gemv'),
     'of the library already'),
    ('an alias of the library', swap('function twice', 'function twice\nalias sgemv'),
     'of the library already'),
    ('a name of the prelude', swap('function twice', 'function softmax'),
     'already'),
    ('a constant', swap('function twice', 'function pi'), 'already'),
    ('recursion', 'function f\ndoc d\nargs x:vec\nresult vec\ndefine 1 + f(x)\n',
     '`f` is defined by itself'),
    ('an unknown name', 'function f\ndoc d\nargs x:vec\nresult vec\ndefine sqr(x)\n',
     "there is nothing called 'sqr'"),
    ('a bad expression', 'function f\ndoc d\nargs x:vec\nresult vec\ndefine x +\n',
     'error'),
    ('small and defined', 'function f\ndoc d\nargs A:3x3\nresult 3x3\ndefine A\n',
     'needs a routine'),
    ('a routine over tiles',
     'function f\ndoc d\nargs A:tile\nresult tile\ndefine 2*A\n'
     'compute block cuda {\n}\n', 'products of the library'),
]


def refused_files():
    for name, text, wanted in REFUSED:
        done = run(':elem f.elem\nprint("goes on")', {'f.elem': text})
        check(wanted in done.stderr, f'{name}: says {wanted!r}', done.stderr)
        placed = re.match(r'(f\.elem|<[^>]*>|-e[^:]*):\d+:\d+: error: ', done.stderr)
        check(placed, f'{name}: has a place', done.stderr)
        check('goes on' in done.stdout, f'{name}: the session goes on')
    done = run(':elem missing.elem\n:elem .\nprint("goes on")')
    check('cannot read the function `missing.elem`' in done.stderr, 'no file',
          done.stderr)
    check('cannot read the function `.`' in done.stderr, 'a folder', done.stderr)
    check('goes on' in done.stdout, 'no file: the session goes on')


# -- routines that do not compile -----------------------------------------------------

def compilers():
    bad = swap('return 2 * x;', 'FS_TYPE t = 2;\n\treturn t * z;')
    done = run(':elem f.elem', {'f.elem': bad})
    check(done.stderr.startswith('f.elem:7:') and 'z' in done.stderr,
          'the C compiler points into the file', done.stderr)
    caret = done.stderr.splitlines()
    check(len(caret) > 2 and caret[2].strip() == '^', 'with a caret', done.stderr)
    done = run(':elem f.elem', {'f.elem': swap('return 2 * x;', 'return 2 * x')})
    check('f.elem:' in done.stderr and 'error' in done.stderr, 'a missing ;',
          done.stderr)
    cuda = bad.replace('thread c', 'thread cuda')
    done = run(':elem f.elem', {'f.elem': cuda})
    if 'added' not in done.stdout:  # NVRTC is here
        check(done.stderr.startswith('f.elem:7:') and 'NVRTC' in done.stderr,
              'NVRTC points into the file', done.stderr)
    else:
        check('no C form' in done.stdout, 'without NVRTC', done.stdout)
    # In a load and a store as well: what they do not see is not there.
    for target, compiler in (('c', 'C compiler'), ('cuda', 'NVRTC')):
        for move, line in (('load A block any {\n  FS_PUT(0, 0, FS_AT(B, 0, 0));\n}\n', 10),
                           ('load A block any as 4 {\n  FS_PUT(0, FS_RESULT(0));\n}\n', 10),
                           ('store block any {\n\n  FS_PUT(0, 0, s);\n}\n', 11)):
            text = small('A:3x3', 'A:3x3, B:3x3, s:each').replace('block c', 'block ' + target)
            text = text.replace('FS_AT(A, 0, 0)', '1') + move.replace('any', target)
            done = run(':elem f.elem', {'f.elem': text})
            if target == 'cuda' and 'added' in done.stdout:
                continue  # no NVRTC
            check(done.stderr.startswith(f'f.elem:{line}:') and compiler in done.stderr,
                  f'{compiler}, {move!r}', done.stdout + done.stderr)
    # A way without a return gives no number; with what surrounds the routine, in one
    # long file, no place in it is meant.
    for target, compiler in (('c', 'C compiler'), ('cuda', 'NVRTC')):
        for body in 'FS_TYPE y = x;', 'if (x > 0) return x;':
            text = swap('return 2 * x;', body).replace('thread c', 'thread ' + target)
            text = text.replace('doc ', '# a remark\n' * 9 + 'doc ')
            text = text.replace('}\n', '\n' * 40 + '}\n')
            done = run(':elem f.elem', {'f.elem': text})
            if target == 'cuda' and 'added' in done.stdout:
                continue  # no NVRTC
            check(done.stderr.startswith('f.elem:14:1:') and compiler in done.stderr and
                  'fs_user' not in done.stderr, f'{compiler}: no return', done.stderr)
    # A function that calls itself is none that C knows.
    done = run(':elem f.elem', {'f.elem': swap('2 * x', 'x > 0 ? twice(x - 1) : x')})
    check(done.returncode != 0 and 'f.elem:6:' in done.stderr, 'recursion in C',
          done.stderr)
    done = run(':elem f.elem\ntwice([1, 2])\nprint("goes on")', {'f.elem': GOOD},
               FUSIBLE_CC='/nowhere/cc')
    check('there is no `/nowhere/cc`' in done.stdout, 'no compiler: said at once',
          done.stdout)
    check('there is no `/nowhere/cc`' in done.stderr and 'FUSIBLE_CC' in done.stderr,
          'no compiler: said by the call', done.stderr)
    check('goes on' in done.stdout, 'no compiler: the session goes on')
    for compiler in filter(shutil.which, ('gcc', 'clang')):  # flags that both know
        done = run(':elem f.elem\ntwice([1, 2])', {'f.elem': GOOD}, FUSIBLE_CC=compiler)
        check(done.returncode == 0 and '2  4' in done.stdout, f'built by {compiler}',
              done.stdout + done.stderr)
        done = run(':elem f.elem', {'f.elem': bad}, FUSIBLE_CC=compiler)
        check(done.stderr.startswith('f.elem:7:') and 'z' in done.stderr,
              f'{compiler} points into the file', done.stderr)
    done = run(':elem f.elem\ntwice([1, 2])',
               {'f.elem': swap('thread c', 'thread cuda')})
    check('no C form: it runs on the CUDA target only' in done.stdout,
          'CUDA only: said at once', done.stdout)
    check('has no form for the cpu target' in done.stderr, 'CUDA only: the call',
          done.stderr)
    done = run(':elem f.elem\ntwice([1, 2])', {'f.elem': GOOD}, target='cuda')
    check('has no form for the cuda target' in done.stderr, 'C only: the call',
          done.stdout + done.stderr)


# -- what works -------------------------------------------------------------------------

CALLS = [
    ('twice(3)', '6'),
    ('twice([1, 2; 3, 4])', '6'),
    ('twice(f16([1, 2.5]))', 'f16'),
    ('twice(i32([1, 2]))', 'f32'),
    ('twice([1, 2], 3)', '!takes 1 argument'),
    ('twice("a")', '!'),
    ('map(twice, [1, 2])', '4'),
    ('sum(twice([1, 2]))', '6'),
]


def calls():
    script = ':elem f.elem\n' + '\n'.join(c for c, _ in CALLS if _[0] != '!')
    done = run(script, {'f.elem': GOOD})
    check(done.returncode == 0, 'calls', done.stderr)
    for call, wanted in CALLS:
        done = run(':elem f.elem\n' + call, {'f.elem': GOOD})
        text = done.stderr if wanted[0] == '!' else done.stdout
        check(wanted.strip('!') in text and (wanted[0] == '!') == bool(done.stderr),
              call, done.stdout + done.stderr)
    done = run(':elem f.elem\ntwice(3)', {'f.elem': '\ufeff' + GOOD})
    check('6' in done.stdout and not done.stderr, 'a byte order mark', done.stderr)
    # Again with another text: the new one counts, in blocks seen before, too.
    two = {'f.elem': GOOD, 'g.elem': swap('2 * x', '5 * x')}
    done = run(':elem f.elem\nx = [1, 2];\ntwice(x)\n:elem g.elem\ntwice(x)', two)
    check('replaced twice' in done.stdout and re.search(r'5\s+10', done.stdout),
          'replaced', done.stdout + done.stderr)
    done = run(':elem f.elem\n:reset -f\ntwice([1, 2])', two)
    check('nothing called' in done.stderr, 'gone after :reset', done.stderr)
    done = run('twice = 3;\n:elem f.elem\ntwice', two)
    check('hides the function' in done.stderr, 'a variable hides it', done.stderr)
    done = run(':elem f.elem\n?twice\n??twice\n:elem', two)
    check(done.stdout.count('two times x') == 3, 'documented', done.stdout)
    done = run(':elem f.elem\n:vars', two)
    check('twice(x:each) -> each' in done.stdout, ':vars', done.stdout)
    done = run(':elem f.elem\n:elem twice impl 2', two)
    check('no routine 2' in done.stderr, 'no such routine', done.stderr)
    done = run(':elem f.elem\n:elem twice impl x\n:elem a b c d', two)
    check(done.stderr.count('not how it is called') == 2, 'usage', done.stderr)


def shapes():
    files = {'s.elem': SMALL}
    for call, wanted in [
            ('f(ones(4, 2, 3))', 'is 3x3 for every instance'),
            ('f(ones(4, 8))', 'is 3x3 for every instance'),
            ('f(3)', 'is 3x3 for every instance')]:
        done = run(':elem s.elem\n' + call, files)
        check(wanted in done.stderr, call, done.stdout + done.stderr)
    done = run(':elem s.elem\nsize(f(ones(3, 3)))\nsize(f(ones(4, 9)))', files)
    check(done.returncode == 0 and '3' in done.stdout, 'shapes', done.stderr)


def same_bits():
    """Fused and not, one thread and two, cold and warm: the same bits."""
    elem = os.path.join(fakegpu.ROOT, 'examples', 'elem')
    script = f'''
:elem {elem}/inv3.elem
:elem {elem}/leaky.elem
x = rand(400, 3, 3) + 0.1;
B = 3*inv3(inv3(leaky(x - 0.5, 0.25)) + x) .* x + 1;
s = sum(leaky(B, 0.125));
save("out.npz", B, s)
'''
    got = set()
    for args in ([], ['--threads', '1'], ['--fuse', 'off'], []):
        with tempfile.TemporaryDirectory(dir=home.name) as folder:
            fuse = ':fuse off\n' if args == ['--fuse', 'off'] else ''
            plain = [] if fuse else args
            done = subprocess.run(
                [fakegpu.PROGRAM, '--target', 'cpu', '--quiet', '--plan', 'off', *plain,
                 '-e', fuse + script + 'print(string(sum(B)) + " " + string(B[7, 2, 3]))'],
                cwd=folder, env=dict(os.environ, XDG_CACHE_HOME=home.name), text=True,
                capture_output=True, timeout=600)
            check(done.returncode == 0, f'same bits {args}', done.stderr)
            got.add(done.stdout)
    check(len(got) == 1, 'the same bits', str(got))


def document():
    """The console block of the tutorial, and its files."""
    path = os.path.join(fakegpu.ROOT, 'docs', 'elementary-functions.md')
    with open(path, encoding='utf-8') as f:
        text = f.read()
    files = dict(re.findall(r'```elem (\S+)\n(.*?)```\n', text, re.S))
    check(len(files) >= 4, 'the tutorial has files')
    for name, body in files.items():
        if not name.startswith('examples/'):
            continue
        with open(os.path.join(fakegpu.ROOT, name), encoding='utf-8') as f:
            check(f.read() == body, f'{name} is as in the tutorial')
    blocks = re.findall(r'```console\n(.*?)\n(.*?)```\n', text, re.S)
    check(len(blocks) == 1, 'the tutorial has a mistake')
    for command, wanted in blocks:
        plain = {k: v for k, v in files.items() if '/' not in k}
        got = run(command, plain).stderr
        check(got == wanted, 'the mistake of the tutorial', f'{got}---\n{wanted}')


def exact():
    for name in ('elem.fs', 'elem_shapes.fs', 'elem_many.fs',
                 'elem_moves.fs', 'elem_chain.fs'):
        for target in ('cpu', 'cuda'):
            exact_on(name, target)


def exact_on(name, target):
    script = os.path.join(fakegpu.ROOT, 'tests', 'gpu', name)
    env = dict(os.environ, XDG_CACHE_HOME=home.name)
    if target == 'cuda':
        env = fakegpu.environment(home.name)
    done = subprocess.run([fakegpu.PROGRAM, '--target', target, '--quiet', script],
                          env=env, text=True, capture_output=True, timeout=600)
    check('elem: all exact' in done.stdout, f'tests/gpu/{name} on {target}',
          done.stdout[-1000:] + done.stderr[-2000:])


ENDLESS = os.path.join(fakegpu.ROOT, 'tests', 'gpu', 'elem', 'endless.elem')
# A block of PTX that sleeps and goes back to its own label.
TURN = re.compile(r'^(\$L\w+):.*\n(?:(?!\$L).*\n)*?.*nanosleep.*\n'
                  r'(?:(?!\$L).*\n)*?.*bra(?:\.uni)?\s+\1;', re.M)


WAYS = swap('thread c {', 'thread any impl 1 {').replace('twice', 'ways') + \
    'compute thread any impl 3 {\n  return x + x;\n}\n' + \
    'compute thread cuda impl 5 {\n  return x + x;\n}\n'
STACKS = '''function stacks
doc      two ways to halve matrices
args     A:2x2
result   2x2
compute thread any impl 1 {
  for (int k = 0; k < 4; k++) FS_PUT(k / 2, k % 2, FS_AT(A, k / 2, k % 2) / 2);
}
compute block any impl 2 threads 4 {
  for (int k = FS_LANE; k < 4; k += FS_LANES)
    FS_PUT(k / 2, k % 2, FS_C(0.5) * FS_AT(A, k / 2, k % 2));
}
'''


def alternatives():
    """The plan chooses among routines that the target has a form of, says which, and
    lists the others; the user's word counts more. All give the same."""
    files = {'w.elem': WAYS, 's.elem': STACKS}
    start = ':elem w.elem\n:elem s.elem\nA = ones(9, 2, 2);\n'
    for target in ('cpu', 'cuda'):
        n = 2 if target == 'cpu' else 3
        for call, name, ways in (('b = sum(ways(A));', 'ways', n),
                                 ('B = stacks(A);', 'stacks', 2)):
            done = run(f'{start}{call}\n:plan\n:plan html\n:alternatives', files,
                       target)
            said = ' '.join(done.stdout.split())
            check(re.search(rf'{name} routine [12] of {ways}', said),
                  f'{call} on {target}', done.stdout + done.stderr)
            for impl in (1, 3) if name == 'ways' else (1, 2):
                done = run(f'{start}:elem {name} impl {impl}\n{call}\n:plan json\n'
                           f'print(sum(stacks(A)), " ", sum(ways(A)))', files, target)
                check(f'{name} routine' not in done.stdout and
                      '18 72' in done.stdout, f'{name} {impl} on {target}',
                      done.stdout + done.stderr)
        done = run(f'{start}b = sum(ways(A));\n:tune 24\nb = sum(ways(A));\n'
                   ':plan json', files, target)
        check(f'k1 ways routine 3 of {n}' in done.stdout and
              '"tuned": true' in done.stdout,
              f'among maps the others are timed on {target}',
              done.stdout + done.stderr)
        done = run(f'{start}B = stacks(A);\n:alternatives', files, target)
        said = ' '.join(done.stdout.split())
        check('stacks routine 2 of 2' in said and 'routine 1 of 2' in said,
              f'the other is listed on {target}', done.stdout)
        done = run(f'{start}:elem stacks impl 2\n:elem stacks impl auto\nB = '
                   'stacks(A);\n:plan json', files, target)
        check(re.search('stacks routine [12] of 2', done.stdout) and
              'plans choose the routine of stacks' in done.stdout,
              f'auto on {target}', done.stdout + done.stderr)


PACKED = os.path.join(fakegpu.ROOT, 'tests', 'elem', 'packed.elem')


def moves():
    """Loads and stores are part of what an implementation is: the plan says so, takes
    the one of least threads, and fuses maps through them."""
    start = f':elem {PACKED}\nA = ones(40, 3, 3); x = ones(40, 3);\n'
    for target in ('cpu', 'cuda'):
        done = run(start + 'y = 2*symv(A + A, x) - 1;\n:plan html\n:assert plan kernels '
                   '== 1\n:alternatives 20\nprint(sum(y))', (), target)
        said = ' '.join(done.stdout.split())
        check(re.search(r'symv routine \d of 3', said) and '\n1320\n' in done.stdout + '\n',
              f'packed on {target}', done.stdout + done.stderr)
        on = '' if target == 'cpu' else r' on \d threads? each'
        for words in (f'routine 2 of 3{on} with its own load of A',
                      f'routine 3 of 3{on} with its own load of A and store'):
            check(re.search(words, said), f'{words} on {target}', done.stdout)
        done = run(start + ':elem symv impl 3\ny = symv(A, x);\n:plan html', (), target)
        check(re.search(f'symv{on} with its own load of A and store',
                        ' '.join(done.stdout.split())),
              f'the one that was named on {target}', done.stdout + done.stderr)
    # What a routine gives the next stays on chip, and `:why` says so.
    two = (f':elem {PACKED}\n:elem symv impl 1\nbegin\nB = symv(ones(9, 3, 3), '
           'ones(9, 3));\ny = symv(ones(9, 3, 3), B);\nend\n:why B y\n:assert plan '
           'kernels == 1\nprint(sum(y))')
    done = run(two)
    check('makes is used while it is on the chip' in done.stdout and
          done.stdout.endswith('\n243\n'), 'why they share', done.stdout + done.stderr)
    done = run(f':elem {PACKED}\n??symv')
    for words in ('load A block any impl 3', 'store thread any impl 3'):
        check(words in done.stdout, f'help has {words}', done.stdout)
    # A number that has a load for the other target only is the first one here.
    other = SMALL.replace('block c', 'block any').replace('FS_PUT(0, 0, FS_AT(A, 0, 0));',
        'for (int k = FS_LANE; k < 9; k += FS_LANES) FS_PUT(k / 3, k % 3, FS_AT(A, k / 3, k % 3));')
    other += 'load A block cuda impl 2 {\n  for (int k = FS_LANE; k < 9; k += FS_LANES)\n' \
             '    FS_PUT(k / 3, k % 3, FS_AT(A, k / 3, k % 3));\n}\n'
    for target, ways in (('cpu', False), ('cuda', True)):
        done = run(':elem f.elem\nB = f(ones(5, 3, 3));\n:plan html\nprint(sum(B))',
                   {'f.elem': other}, target)
        check(('of 2' in done.stdout) == ways and done.stdout.endswith('\n45\n'),
              f'a load for CUDA alone on {target}', done.stdout + done.stderr)


def never_ends(target):
    try:
        run(f':elem {ENDLESS}\nb = endless([1, 7, 3]); print(sum(b))', (), target,
            seconds=2)
    except subprocess.TimeoutExpired:
        return True
    return False


def endless():
    """The function that tests of faults use never ends where it should not: no
    compiler takes its loop away."""
    for target in ('cpu', 'cuda'):
        done = run(f':elem {ENDLESS}\nprint(sum(endless([1, 2, 3])))', (), target)
        check(done.stdout.endswith('\n6\n'), f'it ends elsewhere on {target}',
              done.stdout + done.stderr)
        check(never_ends(target), f'it does not end on {target}')
    arches = ('sm_80', 'sm_90a', 'sm_100')
    done = run(f':elem {ENDLESS}\nb = endless([1, 2, 3]); print(sum(b))\n' +
               ''.join(f':code ptx {a}\n' for a in arches))
    if 'was not found' in done.stdout:  # no NVRTC
        check(done.stdout.count('was not found') == len(arches), 'one sentence each')
        return
    texts = done.stdout.split('\n.target ')[1:]
    check(len(texts) == len(arches) and all(TURN.search(t) for t in texts),
          'the loop is in the PTX', done.stdout + done.stderr)


HALVINGS = '''FS_TYPE c = 0;
  while (x == 0 || x >= 1) {
    x = x/2;
    c = c + 1;
  }
'''
COUNT = swap('twice', 'count').replace('thread c', 'thread any').replace(
    'return 2 * x;', HALVINGS + '  return c;')
COUNTS = SMALL.replace('function f', 'function counts').replace('3x3', '2x2').replace(
    'threads  4\ncompute block c', 'compute thread any').replace(
        'FS_PUT(0, 0, FS_AT(A, 0, 0));',
        'for (int k = 0; k < 4; k++) {\n  FS_TYPE x = FS_AT(A, k/2, k%2);\n  ' + HALVINGS +
        '  FS_PUT(k/2, k%2, c);\n  }')


def same_sums(name, script, sums):
    """Both targets print the same numbers."""
    script += 'print(' + ', " ", '.join(f'sum({x})' for x in sums) + ')'
    last = []
    for target in ('cpu', 'cuda'):
        done = run(script, {'count.elem': COUNT, 'counts.elem': COUNTS}, target)
        last.append((done.stdout.splitlines() or [done.stderr])[-1] + done.stderr)
    check(last[0] == last[1] and len(last[0].split()) == len(sums), name, str(last))


def beyond():
    """Lanes and instances beyond the last one never call a function: these never end for the
    zeros that are there. In all schemes, with vectors that are not whole and rows that are not
    all of a block's."""
    start = ':elem count.elem\n:elem counts.elem\n'
    for dtype, count in (('f32', 7), ('bf16', 3), ('f64', 1)):
        for m, n in ((5, 7), (33, 35), (130, 261), (70, 3), (3, 515), (1, 7), (9, 1))[:count]:
            same_sums(f'nothing beyond {m} x {n} of {dtype}', start +
                      f'A = {dtype}(mod(reshape(1:{m*n}, {m}, {n}), 5) + 1); '
                      f"x = reshape(A, {m*n}); u = A[:, 1]; v = reshape(A[1, :], {n});\n"
                      'a = count(x); b = count(A); c = sum(count(A), 1); d = sum(count(A), 2); '
                      "e = count(A'); f = count(A)'; g = count(u*v'); h = count(A) + count(u);\n"
                      "begin p = count(A)*v; q = A'*p; end\n", 'abcdefghpq')
    for n in (1, 5, 63, 65, 200):
        same_sums(f'nothing beyond {n} instances', start +
                  f'B = f32(mod(reshape(1:{4*n}, {n}, 2, 2), 5) + 1);\n'
                  'C = counts(B); D = count(counts(B) + 1); E = counts(counts(B) + B);\n', 'CDE')


if __name__ == '__main__':
    refused_files()
    compilers()
    calls()
    shapes()
    same_bits()
    document()
    exact()
    alternatives()
    moves()
    beyond()
    endless()
    sys.exit(score.close())
