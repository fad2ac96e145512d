#!/usr/bin/python3
"""Every CUDA kernel that the test suite makes consists of what NVRTC compiles.

The suite's programs run on the fake GPU of tests/fake, which here keeps each
kernel text and runs nothing, as an A100, H200 and B200: the paper's sequences at
sizes from 1 to 16384, statements on arrays larger than any cache in all types of
floating point, the scripts of tests/plan, tests/lang and examples, and random
programs. Then the real NVRTC compiles them for sm_80, sm_90a and sm_100: those of the
sequences and of stencils as for a user, since their code is measured; of the others as few
as have all words and calls between them (choose()), with less optimisation.
Where there is no NVRTC the texts are only counted; where there is one, nothing compiled is
a failure. What the sequences need is short, so that it compiles while a user waits.

    tests/test_nvrtc.py [--random N] [--all] [--keep FOLDER]

--all compiles every distinct text as for a user.

The last line is `N passed, N failed`.
"""
import argparse
import collections
import functools
import glob
import heapq
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, 'fake')]
import fakegpu  # noqa: E402
import run_lang  # noqa: E402
import test_random  # noqa: E402
import test_sequences  # noqa: E402
from score import Score  # noqa: E402

LARGE_SIZES = '12001x12003,16384'
SIZES = '1,31,32,33,1000,4096,5000x3,16384'
DEVICES = {'80': 'sm_80', '90': 'sm_90a', '100': 'sm_100'}
FEW_BYTES = 8       # of a thread's memory: a pointer that is needed once a row
LARGEST = 48 << 10  # bytes of machine code of a sequence: some 250 ms of NVRTC's time
TEXT_COST = 2500    # characters that NVRTC could read while it begins
score = Score()
check = score.check


# -- the programs --------------------------------------------------------------------
# Each source gives (name, folder to run in, arguments).


def sequences(folder, sizes=SIZES, quick=False):
    for size in sizes.split(','):
        m, n = (int(x) for x in (size.split('x') * 2)[:2])
        text = test_sequences.script(folder, 0, m, n, test_sequences.SEQUENCES)
        text = ':set compile quick\n' * quick + text
        # Without the results in files: 16384 would be much to write.
        lines = [x for x in text.splitlines() if not x.startswith('save(')]
        path = os.path.join(folder, f'sequences_{size}.fs')
        with open(path, 'w', encoding='utf-8') as f:
            f.write('\n'.join(lines) + '\n')
        yield 'sequences at ' + size, folder, [path]


LARGE = '''
n = 67108864
w = %s(rand(n)); y = %s(rand(n)); z = %s(rand(n)); A = %s(rand(8192, 8192)); a = %s(0.5)
x = w + y + z
x = erf(w ./ y + log(w ./ z)) + w ./ (a*sqrt(z)) + erf(y ./ (1 + exp(-z)))
x = a*w
begin t = w - a*y; r = t'*z; end
x = w(1:end-1) + w(2:end)
x = w .* (y > a)
B = A + A'
E = exp(A - max(A, 2)); S = E ./ sum(E, 2)
C = A + A; c = sum(C, 1)
begin D = A + x(1:8192)*y(1:8192)'; u = D'*y(1:8192); v = D*u; end
'''


def large(folder):
    """More than the second-level cache holds: loads and stores by its policies."""
    for dtype in ('f16', 'bf16', 'f32', 'f64'):
        path = os.path.join(folder, f'large_{dtype}.fs')
        with open(path, 'w', encoding='utf-8') as f:
            f.write(LARGE.replace('%s', dtype))
        yield 'large arrays of ' + dtype, folder, [path]


def window(rows, columns):
    """The sum of so many neighbours along both axes."""
    return ' + '.join(f'{i + 2*j + 1}*A[{1 + i}:m-{rows - 1 - i}, {1 + j}:n-{columns - 1 - j}]'
                      for i in range(rows) for j in range(columns))


def stencils(folder):
    """Maps over many neighbours, of which a thread has vectors beside its own."""
    for dtype in ('f16', 'f32', 'f64'):
        text = f'm = 20000; n = 100; A = {dtype}(rand(m, n)); Q = {dtype}(rand(161, 161, 161))\n'
        for rows, columns in ((3, 1), (1, 3), (3, 3), (5, 3), (5, 5)):
            text += f'B = {window(rows, columns)}\n'
        text += ('L = Q[1:159, 2:160, 2:160] + Q[3:161, 2:160, 2:160] + '
                 'Q[2:160, 1:159, 2:160] + Q[2:160, 3:161, 2:160] + '
                 'Q[2:160, 2:160, 1:159] + Q[2:160, 2:160, 3:161]\n')
        path = os.path.join(folder, f'stencils_{dtype}.fs')
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text)
        yield 'neighbours in ' + dtype, folder, [path]


def scripts(pattern):
    for path in sorted(glob.glob(os.path.join(fakegpu.ROOT, pattern))):
        yield os.path.relpath(path, fakegpu.ROOT), os.path.dirname(path), [path]


def lang(folder):
    for path in glob.glob(os.path.join(HERE, 'lang', '*.inc.fs')):
        shutil.copy(path, folder)
    for path in sorted(glob.glob(os.path.join(HERE, 'lang', '*.fs'))):
        if path.endswith('.inc.fs'):
            continue
        for s in run_lang.sections(path):
            name = f'{os.path.basename(path)[:-3]}_{s.first_line}.fs'
            script = os.path.join(folder, name)
            with open(script, 'w', encoding='utf-8') as f:
                f.write(''.join(s.lines))
            yield 'lang/' + name, folder, [script] + s.args


def random_programs(folder, count, batch=50):
    for first in range(0, count, batch):
        text = ''
        for k in range(first, min(count, first + batch)):
            text += test_random.script(
                k, test_random.Program(1000003 + k).build(), folder)
        path = os.path.join(folder, f'random_{first}.fs')
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text)
        yield f'random programs from {first}', folder, [path]


# -- collecting ------------------------------------------------------------------------


def collect(name, source, keep, home, reads=(None,)):
    """Runs the programs of a source on each device; the texts go to `keep`. Gives the
    names of those that are new."""
    before = set(os.listdir(keep))
    runs = 0
    for what, folder, args in source:
        for cc in DEVICES:
            for byte in reads:
                env = fakegpu.environment(
                    home, FUSIBLE_FAKE_RUN='0', FUSIBLE_FAKE_CC=cc,
                    FUSIBLE_FAKE_KEEP=keep, FUSIBLE_FAKE_READ=byte)
                r = fakegpu.run(['--no-rc', '--plan', 'off', '--keep-going',
                                 '--target', 'cuda'] + args, env, folder, 60)
                runs += 1
                # Results are zero, so that a program may well complain; files that there are not end one
                # with 3.
                check(r.returncode in (0, 1, 3), f'{what}, capability {cc}: status '
                      f'{r.returncode}\n{r.stderr[-500:]}')
    new = set(os.listdir(keep)) - before
    check(new, f'{name}: no kernel text')
    print(f'{name}: {runs} runs, {len(new)} new texts', flush=True)
    return new


def collect_all(keep, home, count):
    """Gives the names of the texts of the sequences and of stencils."""
    with tempfile.TemporaryDirectory() as folder:
        short = collect('sequences', sequences(folder), keep, home)
        # Of some there are other texts for quick code.
        collect('quickly compiled', sequences(folder, LARGE_SIZES, True), keep, home)
        collect('large', large(folder), keep, home)
        neighbours = collect('stencils', stencils(folder), keep, home)
        collect('plan', scripts('tests/plan/*.fs'), keep, home)
        # 0.747 everywhere, and loops that wait for convergence begin.
        collect('examples', scripts('examples/*.fs'), keep, home,
                (None, '63'))
        collect('functions of the user', scripts('tests/gpu/elem*.fs'), keep, home)
        collect('paper', scripts('examples/paper/*.fs'), keep, home)
        collect('lang', lang(folder), keep, home)
        collect('random', random_programs(folder, count), keep, home)
    return short, neighbours


# -- choosing --------------------------------------------------------------------------

REMARK = re.compile(r'//.*')
NUMBER = re.compile(r'\b0x[0-9a-fA-F]+\w*|(?<![\w.])\d[\d.]*(?:e[+-]?\d+)?(?:p[+-]?\d+)?\w*')
NUMBERED = re.compile(r'\b([a-z]+)\d+\b')
SHARED = re.compile(r'__shared__.*')
CONSTANT = re.compile(r'\b(FS_\w+) = ([^,;]+)')
ELEMENTS = re.compile(r'^  (?:const )?(\w+) \*const a\d+ =', re.M)
CALLED = re.compile(r'\bfs_\w+(?=\()')
WORD = re.compile(r'\w+|[^\w\s]+')
BODY = 'extern "C"'


@functools.lru_cache(None)
def plain(line):
    """A line without its numbers: a3 + 17 is a + 0."""
    return NUMBER.sub('0', NUMBERED.sub(r'\1', ' '.join(REMARK.sub('', line).split())))


@functools.lru_cache(None)
def pieces(line):
    """A line of what only CUDA has as it is, another as each four neighbouring words."""
    line = plain(line)
    if is_of_device(line):
        return frozenset([line])
    words = WORD.findall(line)
    return frozenset(tuple(words[k:k + 4]) for k in range(max(len(words) - 3, 1)))


def parts(text):
    """What a compiler may refuse of a text: pieces of its lines; its calls of the library's functions
    with the types of its arrays, for which templates are made; and arrays in shared memory
    with their sizes."""
    found = set().union(*map(pieces, text.split('\n')))
    types = tuple(sorted(set(ELEMENTS.findall(text))))
    found.update((name, types) for name in CALLED.findall(text, max(text.find(BODY), 0)))
    for line in SHARED.findall(text):
        sizes = dict(CONSTANT.findall(text))
        found.add((line, *(sizes.get(name) for name in re.findall(r'FS_\w+', line))))
    return found


def is_of_device(part):
    """Instructions, and what only CUDA has: another architecture may not have it."""
    return isinstance(part, str) and ('"' in part or '__' in part)


def distinct(keep):
    """{architecture: {path: text}} of texts that differ in more than comments."""
    found = collections.defaultdict(dict)
    for name in sorted(os.listdir(keep)):
        path = os.path.join(keep, name)
        with open(path, encoding='utf-8') as f:
            text = REMARK.sub('', f.read())
        arch = name.split('-')[0]
        found['sm_100' if arch == 'sm_100a' else arch].setdefault(text, path)
    return {arch: {path: text for text, path in texts.items()} for arch, texts in found.items()}


def elements(arch, text):
    """parts(), with the architecture where it matters."""
    return frozenset((arch, part) if is_of_device(part) else part for part in parts(text))


def cover(having, cost, done):
    """Names that between them have every element, those of most new elements for their cost
    first (Chvatal 1979). `done`: elements that are not asked for."""
    done, chosen = set(done), []
    queue = [(-len(found) / cost[name], name) for name, found in having.items()]
    heapq.heapify(queue)
    while queue:
        _, name = heapq.heappop(queue)
        gain = -len(having[name] - done) / cost[name]
        if gain and queue and gain > queue[0][0]:
            heapq.heappush(queue, (gain, name))
        elif gain:
            chosen.append(name)
            done |= having[name]
    return chosen


def needed(chosen, having, cost, done):
    """Those of `chosen` that have an element which no other has, the dearest left out first."""
    count = collections.Counter(done)
    for name in chosen:
        count.update(having[name])
    kept = []
    for name in sorted(chosen, key=cost.get, reverse=True):
        if all(count[part] > 1 for part in having[name]):
            count.subtract(having[name])
        else:
            kept.append(name)
    return kept


def choose(texts, always):
    """{architecture: paths} of what is compiled: the texts named in `always`, and some that
    between them have every part of all texts, those of the device for each architecture."""
    arch_of = {path: arch for arch in texts for path in texts[arch]}
    having = {path: elements(arch, texts[arch][path]) for path, arch in arch_of.items()}
    cost = {path: TEXT_COST + len(texts[arch][path]) for path, arch in arch_of.items()}
    first = [path for path in having if os.path.basename(path) in always]
    done = frozenset().union(*(having[path] for path in first))
    more = needed(cover(having, cost, done), having, cost, done)
    chosen = {arch: [] for arch in texts}
    for path in first + sorted(more):
        chosen[arch_of[path]].append(path)
    return chosen


# -- compiling -------------------------------------------------------------------------


def head(path):
    """The statements of a kernel, from its first line."""
    with open(path, encoding='utf-8') as f:
        lines = f.read().split('\n')
    scheme = next((x for x in lines[:6] if x.startswith('// scheme')), '')
    return f'{lines[0][:100]}  {scheme[3:]}'


def compile_all(texts, quickly):
    """The answers of nvrtc-check, or None without NVRTC."""
    tool = os.path.join(fakegpu.BUILD, 'nvrtc-check')
    env = {k: v for k, v in os.environ.items() if k != 'LD_LIBRARY_PATH' or
           'fake' not in v}
    lines = ''.join(f'{arch} {path}\n' for arch, paths in texts.items()
                    for path in paths)
    r = subprocess.run([tool] + ['--quick'] * quickly, input=lines, env=env,
                       capture_output=True, text=True, errors='replace', check=False)
    out = r.stdout.splitlines()
    if r.returncode == 2 and out and out[0].startswith('absent '):
        print('NVRTC is not here, nothing is compiled:', out[0][7:])
        return None
    check(r.returncode == 0 and len(out) == 1 + sum(map(len, texts.values())),
          f'nvrtc-check: status {r.returncode}, {len(out)} lines\n{r.stderr}')
    return [line.split('\t') for line in out[1:]]


def accept(texts, answers):
    """How many were compiled for each architecture; a text that is refused fails."""
    arch_of = {p: arch for arch, paths in texts.items() for p in paths}
    done = collections.Counter()
    for status, _, _, _, path, *log in answers:
        if status != 'none' and check(status == 'ok', f'{arch_of[path]} {head(path)}\n'
                                      f'{" ".join(log)[:1000]}'):
            done[arch_of[path]] += 1
    return done


def measure(texts, answers, short, neighbours):
    """The kernels that need local memory, which those of `neighbours` must not, and the
    largest of the `short` ones."""
    arch_of = {p: arch for arch, paths in texts.items() for p in paths}
    local, sizes = [], {}
    for status, regs, bytes_, size, path, *_ in answers:
        if status != 'ok':
            continue
        what = f'{arch_of[path]} {head(path)}'
        if os.path.basename(path) in short:
            sizes[path] = int(size)
            check(int(size) <= LARGEST, f'{what}: {size} bytes of code')
        if os.path.basename(path) in neighbours:
            check(int(bytes_) <= FEW_BYTES, f'{what}: {bytes_} bytes of a thread are spilled')
        if int(bytes_):
            local.append((int(bytes_), int(regs), what))
    for path in sorted(sizes, key=sizes.get, reverse=True)[:3]:
        print(f'{sizes[path]} bytes of code, {arch_of[path]}: {head(path)}')
    check(sizes, 'no kernel of a sequence was compiled')
    print(f'{len(local)} of these kernels use local memory')
    for size, regs, what in sorted(local, reverse=True)[:20]:
        print(f'  {size} bytes, {regs} registers, {what}')


def main():
    parser = argparse.ArgumentParser(description='kernels compile with NVRTC')
    parser.add_argument('--random', type=int, default=200,
                        help='random programs')
    parser.add_argument('--all', action='store_true',
                        help='compile every distinct text as for a user')
    parser.add_argument('--keep', help='a folder for the texts')
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix='fusible-nvrtc-') as home:
        keep = os.path.abspath(args.keep or os.path.join(home, 'texts'))
        os.makedirs(keep, exist_ok=True)
        short, neighbours = collect_all(keep, home, args.random)
        texts = distinct(keep)
        for arch in DEVICES.values():
            check(texts.get(arch), f'no text for {arch}')
        always = short | neighbours
        chosen = texts if args.all else choose(texts, always)
        first = {arch: [p for p in paths if args.all or os.path.basename(p) in always]
                 for arch, paths in chosen.items()}
        rest = {arch: [p for p in paths if p not in set(first[arch])]
                for arch, paths in chosen.items()}
        answers, others = compile_all(first, False), compile_all(rest, True)
        if answers is not None and others is not None:
            measure(first, answers, short, neighbours)
            done = accept(first, answers), accept(rest, others)
            for arch in texts:
                print(f'{arch}: {len(texts[arch])} distinct texts, {done[0][arch]} compiled as '
                      f'for a user, {done[1][arch]} with less optimisation')
            check(done[0].total(), 'NVRTC is here, but nothing was compiled')
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
