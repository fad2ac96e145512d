#!/usr/bin/python3
"""What is explained has no effect: every command, every built-in function and every kind of
statement, typed behind `:explain` or in a file that it imports, leaves variables, settings,
declarations, functions, random numbers and files as they were, asks nothing, and the session
goes on.

    tests/test_explain.py
"""
import os
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.insert(0, HERE)
from front import Front, status, text  # noqa: E402
from score import Score  # noqa: E402

score = Score()
check = score.check

# Arguments with which a command would do something.
ARGUMENTS = {
    'plan': ['svg p.svg', 'json p.json'], 'explain': ['y = 3'], 'set': ['digits 3', 'seed 9'],
    'save': ['all.npz', ''], 'load': ['given.npz'], 'reset': ['-f', ''], 'elem': ['twice.elem'],
    'pin': ['1 threads=64'], 'fuse': ['u w', 'off'], 'split': ['u w'], 'strategy': ['off'],
    'target': ['cpu'], 'calibrate': ['quick', 'forget'], 'tune': ['', 'forget'],
    'cache': ['clear'], 'code': ['k1'], 'dump': ['graph'], 'time': ['on'],
    'history': ['-c', ''], 'assert': ['kernels <= 100'], 'help': ['set'],
}
STATEMENTS = [
    'x = 5;', 'x[1] = 9;', 'A = x*x\'; x = A*x;', 'function x(t) = t;', 'f(t) = 3*t;',
    'matrix M; vector v; scalar s;', 'vector x;', 'for k = 1:3; x = x + k; end',
    'n = 1; while n < 3; n = n + 1; end', 'if true; y = 3; else; x = 2; end', 'return x',
    'begin\ny = x + 1\nz = y\nend', 'import "inner.fs"', 'x += 1;', 'a, b = lu(A0);',
    'g = t -> t + x;', 'barrier', 'y = rand(3); z = randn(3);', 'rand(2)', 'x',
    'vector w; input w', 'there_is_none', 'x = = 3', 'y = load("given.npy"); x = y;',
]
CALLS = {
    'save': 'save("s.npy", x)', 'load': 'q = load("given.npy")', 'ask': 'q = ask("? ")',
    'plot': 'plot(x, x)', 'scatter': 'scatter(x, x)', 'savefig': 'savefig("p.svg")',
    'map': 'q = map(t -> t, x)', 'reduce': 'q = reduce(max, x)', 'error': 'error("no")',
    'assert': 'assert(false)', 'print': 'print(x)', 'heatmap': 'heatmap(A0)',
    'rand': 'q = rand(3)', 'randn': 'q = randn(3)', 'seed': 'seed(9)',
}


def words(path, pattern):
    with open(os.path.join(ROOT, path), encoding='utf-8') as f:
        return re.findall(pattern, f.read())


def commands():
    names = words('core/eval/commands.def', r'^FS_COMMAND\(\w+, "(\w+)"')
    names = names or words('core/eval/commands.def', r'FS_COMMAND\(\w+, "(\w+)"')
    for name in names:
        for more in ARGUMENTS.get(name, ['']):
            yield f':{name} {more}'.rstrip()


def calls():
    for name in (words('core/eval/builtins.c', r'\{"(\w+)",') +
                 words('core/graph/dtypes.def', r'^FS_DTYPE\(\w+, *"(\w+)",')):
        yield CALLS.get(name, f'q = {name}(x)')


class Watched:
    def __init__(self, folder):
        self.folder = folder
        env = {k: v for k, v in os.environ.items() if not k.startswith(('FUSIBLE', 'XDG_'))}
        env.update(HOME=folder, LC_ALL='C.UTF-8')
        self.front = Front(folder, env)
        for name, content in {
                'inner.fs': 'x = 77;\n:set digits 9\n:reset -f\n',
                'twice.elem': 'function twice\ndoc y = twice(x)\nargs x:vec\n'
                              'result vec\ndefine 2*x\n'}.items():
            with open(os.path.join(folder, name), 'w', encoding='utf-8') as f:
                f.write(content)
        self.front.cell('x = [1, 2, 3]; A0 = eye(3) + 1; u = A0*x; w = u + 1; f(t) = t + 1;')
        self.front.cell('save("given.npy", x); save("given.npz", x);')
        self.front.cell(':set seed 4')

    def state(self):
        shown = {c: text(self.front.cell(c)) for c in (
            ':vars', ':set', 'print(x, u, w, f(1))', ':fuse', ':pin', ':elem')}
        self.front.cell(':set seed 4')
        files = {}
        for folder, _, names in os.walk(self.folder):
            for name in names:
                path = os.path.join(folder, name)
                if name not in ('try.fs',) and '/.cache' not in path:
                    with open(path, 'rb') as f:
                        files[os.path.relpath(path, self.folder)] = f.read()
        return shown, files


def differences(a, b):
    return [k for part in (0, 1) for k in a[part].keys() | b[part].keys()
            if a[part].get(k) != b[part].get(k)]


def hold(watched, before, line, source):
    done = watched.front.cell(line)
    if not check(done is not None and status(done) in ('ok', 'error'), f'{source}: {done}'):
        return
    check(not [e for e in done if e['event'] == 'ask'], f'{source}: it asks')
    changed = differences(before, watched.state())
    check(not changed, f'{source}: {changed} changed, {text(done)[:200]}')


def main():
    with tempfile.TemporaryDirectory(prefix='fusible-explain-') as folder:
        watched = Watched(folder)
        before = watched.state()
        check(not differences(before, watched.state()), 'looking changes nothing')
        for source in list(commands()) + list(calls()) + STATEMENTS:
            with open(os.path.join(folder, 'try.fs'), 'w', encoding='utf-8') as f:
                f.write(source + '\n')
            hold(watched, before, ':explain import "try.fs"', 'imported ' + source)
            if '\n' not in source and not source.startswith(':'):
                hold(watched, before, ':explain ' + source, source)
            if score.failed > 20:
                break
        check(watched.front.close() == 0, 'the end')
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
