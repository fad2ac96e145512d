#!/usr/bin/python3
"""`:set compile quick`: a GPU's new kernels run at once as quickly compiled code and in
full when that is compiled, on the GPU that is not there (tests/fake). With an NVRTC, too,
what both kinds of code compute: the same operations, each rounded by itself.

    tests/test_compile.py [PATTERN]

The last line is `N passed, N failed`.
"""
import glob
import json
import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, 'fake')]
import fakegpu  # noqa: E402
from score import Score  # noqa: E402
from test_tools import Home  # noqa: E402

score = Score()
check = score.check
SETUP = ("i = (1:512); A = mod(i*i', 7) - 3; A = A .* 1.0; p = (mod(i, 5) - 2) .* 1.0; "
         'r = (mod(i, 3) - 1) .* 1.0; sum(A) + sum(p) + sum(r)')
BLOCK = "begin q = A*p; s = A'*r; end"
VALUE = 'sum(abs(q)) + sum(abs(s .* i))'
QUICK = ':set compile quick\n'


class Gate:
    """Where full code waits for: open, while values are set up, it is compiled at once."""

    def __init__(self, home):
        self.path = os.path.join(home.path, 'gate')
        self.open()

    def open(self):
        open(self.path, 'w', encoding='utf-8').close()

    def close(self):
        os.unlink(self.path)


class Prompt:
    """The program at a prompt of JSON lines that was asked for quick code, with the
    worker or without."""

    def __init__(self, home, *args, **more):
        self.home = home  # its folder goes with it
        self.p = subprocess.Popen(
            [fakegpu.PROGRAM, '--target', 'cuda', '--no-rc', '-i', '--json', '--plan',
             'line', *args], env=fakegpu.environment(home.path, **more), text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.ask(QUICK)

    def ask(self, text):
        """The events of an input."""
        self.p.stdin.write(text + '\n')
        self.p.stdin.flush()
        events = []
        while not events or events[-1].get('event') != 'done':
            line = self.p.stdout.readline()
            if not line:
                return events + [{'event': 'end'}]
            events.append(json.loads(line) if line.startswith('{') else {'event': line})
        return events

    def text(self, text):
        return ''.join(e['text'] for e in self.ask(text) if e['event'] == 'text')

    def block(self):
        """Runs the block: whether it was quick code."""
        return [e['quick'] for e in self.ask(BLOCK) if e['event'] == 'plan']

    def run(self):
        """The same, and a value of its results."""
        return self.block(), [e['data'] for e in self.ask(VALUE) if e['event'] == 'value']

    def wait(self, seconds=600):
        """Until nothing is compiled behind; False if that takes too long."""
        until = time.monotonic() + seconds
        while 'behind' in self.text(':cache'):
            if time.monotonic() > until:
                return False
            time.sleep(0.2)
        return True

    def end(self):
        _, _ = self.p.communicate(timeout=600)
        return self.p.returncode


def test_replaced():
    """Quick at first, full later, the same values; the next process finds full code."""
    for args in (['--one-process'], []):
        home = Home()
        gate = Gate(home)
        prompt = Prompt(home, *args, FUSIBLE_FAKE_HOLD=gate.path)
        prompt.ask(SETUP)
        gate.close()
        quick = [prompt.block() for _ in range(4)]
        check(quick == [[True]] * 4, 'quick', str(quick))
        check('1 being compiled in full' in prompt.text(':cache'), ':cache tells')
        gate.open()
        value = [e['data'] for e in prompt.ask(VALUE) if e['event'] == 'value']
        check(prompt.wait(), 'it is compiled in full')
        later = [prompt.run() for _ in range(6)]
        check([q for q, _ in later] == [[False]] * 6, 'then in full', str(later))
        values = [value] + [v for _, v in later]
        check(value and values == [value] * 7, 'one value', str(values))
        check(prompt.end() == 0, 'and ends')
        again = Prompt(home, *args)
        again.ask(SETUP)
        check(again.run() == ([False], values[0]), 'found on disk, in full')
        again.end()
        full = Prompt(Home(), *args)
        full.ask(':set compile full')
        full.ask(SETUP)
        check(full.run() == ([False], values[0]), 'in full at once')
        full.end()


def test_panels():
    """Blocks in step, by quick code and then by full code: each goes on with the numbers
    of rounds where the other left them."""
    home = Home()
    gate = Gate(home)
    prompt = Prompt(home, FUSIBLE_FAKE_HOLD=gate.path, FUSIBLE_FAKE_CC='90',
                    FUSIBLE_FAKE_UNITS='18', FUSIBLE_L2='65536')
    prompt.ask('A = rand(2300, 700); y = rand(2300); z = rand(700);')
    prompt.ask('sum(A) + sum(y) + sum(z)')
    gate.close()
    runs = []
    for count in (4, 4):
        for _ in range(count):
            plans = [e for e in prompt.ask("begin x = 2*A'*y + z; w = 3*A*x; end")
                     if e['event'] == 'plan']
            check('scheme march;' in prompt.text(':code'), 'by panels')
            gate.open()
            value = [e['data'] for e in prompt.ask('sum(mod(w, 0.1)) + sum(mod(x, 0.001))')
                     if e['event'] == 'value']
            runs.append(([e['quick'] for e in plans], value))
        check(prompt.wait(), 'it is compiled in full')
    quick = [q for q, _ in runs]
    check(quick[0] == [True] and quick[4:] == [[False]] * 4 and
          quick == sorted(quick, reverse=True), 'quick, then full', str(runs))
    check(runs[0][1] and all(v == runs[0][1] for _, v in runs), 'one value', str(runs))
    prompt.end()


def test_copies():
    """Rows that copies bring to as much shared memory as the kernel may have are no reason
    to compile it twice."""
    home = Home()
    prompt = Prompt(home, FUSIBLE_FAKE_CC='90', FUSIBLE_FAKE_RUN='0',
                    FUSIBLE_FAKE_COMPILE='3000')
    prompt.ask('A = rand(16384, 16384); p = rand(16384); r = rand(16384); '
               'sum(A[1, :]) + sum(p) + sum(r)')
    check(prompt.block() == [True], 'quick code of a ring')
    check('FS_RING(ring)' in prompt.text(':code'), 'there is a ring')
    prompt.end()


def test_words():
    """The line and the box say so, and give no ratio."""
    home = Home()
    home.gpu(SETUP)
    done = home.gpu(SETUP + '\n' + QUICK + BLOCK + '\n:plan\n', '--plan', 'line',
                    FUSIBLE_FAKE_COMPILE='3600000')
    line = [x for x in done.stderr.splitlines() if 'quick code · predicted' in x]
    check(line and '×' not in line[0], 'the line', done.stderr)
    check('(cold, quick code)' in done.stderr, 'the box', done.stderr)
    check(not any('×' in x for x in done.stderr.splitlines() if x.startswith('│ k1 row')),
          'nor a ratio in it', done.stderr)


def test_refused():
    """An NVRTC that does not know how compiles in full, as ever."""
    prompt = Prompt(Home(), FUSIBLE_FAKE_QUICK='-1')
    prompt.ask(SETUP)
    runs = [prompt.run() for _ in range(2)]
    check([q for q, _ in runs] == [[False]] * 2 and runs[0][1], 'in full', str(runs))
    check('behind' not in prompt.text(':cache'), 'nothing is left to do')
    prompt.end()


def test_tune():
    """:tune compares full code, and what it chose stays."""
    prompt = Prompt(Home(), '--one-process')
    prompt.ask(SETUP)
    first = prompt.run()
    prompt.ask(BLOCK)
    check('chosen' in prompt.text(':tune 2'), 'tunes')
    check(prompt.run() == ([False], first[1]), 'full code was chosen')
    prompt.end()


def test_end():
    """Nobody waits at the end for what is being compiled."""
    for args in (['--one-process'], []):
        home = Home()
        home.gpu(SETUP, FUSIBLE_FAKE_RUN='0')  # compiles what there is no quick code of
        prompt = Prompt(home, *args, FUSIBLE_FAKE_COMPILE='3600000', FUSIBLE_FAKE_RUN='0')
        prompt.ask(SETUP)
        quick, _ = prompt.ask(BLOCK), prompt.ask(':reset -f')
        check([e['quick'] for e in quick if e['event'] == 'plan'] == [True], 'quick')
        check('1 being compiled' in prompt.text(':cache'), 'it is under way')
        code = prompt.end()
        check(code == 0, f'{args} ends', code)


def test_no_room():
    """Where the driver has no memory for full code, once, it has it when freed memory was
    given back."""
    for load in range(1, 9):
        prompt = Prompt(Home(), '--one-process', FUSIBLE_FAKE_RUN='0',
                        FUSIBLE_FAKE_FAIL=f'cuModuleLoadData:{load}:2')
        prompt.ask(SETUP)
        prompt.block()
        check(prompt.wait() and prompt.block() == [False], f'module {load} loads late')
        prompt.end()


def test_slow_start():
    """A thread that has compiled all before its maker goes on has ended: what comes later
    gets another one."""
    home = Home()
    shim = os.path.join(home.path, 'slowthread.so')
    subprocess.run(['cc', '-O1', '-shared', '-fPIC', '-o', shim,
                    os.path.join(HERE, 'fault', 'slowthread.c')], check=True)
    prompt = Prompt(home, '--one-process', FUSIBLE_FAKE_RUN='0', LD_PRELOAD=shim,
                    SLOWTHREAD_MS='500')
    prompt.ask(SETUP)
    for block in (BLOCK, BLOCK.replace("A'*r", "A'*r + 2*p"), BLOCK.replace('A*p', 'A*p + r')):
        prompt.ask(block)
        check(prompt.wait(600), f'{block} is compiled in full')
    check(prompt.end() == 0, 'and ends')


def test_default():
    """Nobody gets quick code who did not ask for it."""
    done = Home().gpu(':set compile\n')
    check('full' in done.stdout, 'a script', done.stdout + done.stderr)
    for args in ([], ['--one-process']):
        prompt = Prompt(Home(), *args)
        check('quick' in prompt.text(':set compile'), f'asked for {args}')
        prompt.ask(':set compile full')
        check('full' in prompt.text(':set compile'), f'and taken back {args}')
        prompt.end()


def test_lost_device():
    """A fault while a compilation runs behind: the session goes on in a new worker."""
    home = Home()
    fault = os.path.join(home.path, 'fault')
    home.gpu(SETUP)
    prompt = Prompt(home, FUSIBLE_FAKE_COMPILE='1000', FUSIBLE_FAKE_FAULT=fault)
    prompt.ask(SETUP)
    before = prompt.run()
    with open(fault, 'w', encoding='utf-8') as f:
        f.write('700')
    prompt.ask(BLOCK)
    prompt.ask('1 + 1')
    check(not os.path.exists(fault), 'there was a fault')
    after = prompt.run()
    check(after[1] and after[1] == before[1], 'the value is there again',
          f'{before} {after}')
    prompt.end()


# -- what is computed ------------------------------------------------------------------

OPERATION = re.compile(
    r'^\s*(?:@!?%p\d+\s+)?((?:add|sub|mul|fma|mad|div|sqrt|rsqrt|rcp|ex2|lg2|sin|cos|tanh)'
    r'\.[\w.]*(?:f16x2|bf16x2|f16|bf16|f32|f64)[\w.]*)', re.M)
EXACT = re.compile(r'(add|sub|mul|fma|mad|div|sqrt)\.(?!approx)')
KERNELS = '''
A = {t}(rand(300, 200)); p = {t}(rand(200)); r = {t}(rand(300)); x = {t}(rand(5000));
sum(A) + sum(p) + sum(r) + sum(x)
begin q = A*p; s = A'*r; end
q[1] + s[1]
y = A'*(A*p);
y[1]
B = A + r*p'; z = 2*B'*r + p; w = 3*B*z;
w[1]
v = exp(x) ./ (1 + sqrt(x)) - log(x + 1) .* x + x .* x;
v[1]
E = exp(A - max(A, 2)); S = E ./ sum(E, 2);
S[1, 1]
sum(abs(x - v)) / norm(x)
'''


# Kernels with roles, which have another text for quick code.
PANELS = '''
A = {t}(rand(n, n)); y = {t}(rand(n)); u = {t}(rand(n)); z = {t}(rand(n));
sum(A[1, :]) + sum(y) + sum(u) + sum(z)
x = 2*A'*y + z; w = 3*A*x;
w[1]
B = A + u*z'; x = 2*B'*y + z; w = 3*B*x;
w[1]
C = A + sum(A ./ (3*u + 1), 1);
C[1, 1]
'''


def ptx(path, *how):
    return subprocess.run(
        [os.path.join(fakegpu.BUILD, 'nvrtc-check'), '--ptx', 'compute_90a', path, *how],
        capture_output=True, text=True, timeout=600)


def have_one_set(full, quick, what):
    """Whether two texts in PTX have the same operations, each rounded by itself."""
    a, b = (set(OPERATION.findall(x)) for x in (full, quick))
    if check(a and a == b, 'the same operations', f'{what}: {sorted(a ^ b)}'):
        loose = [x for x in a if EXACT.match(x) and not re.search(r'\.r[nzmp]\b', x)]
        check(not loose, 'nothing may be contracted', f'{what}: {loose}')


def test_other_texts():
    """Where there is another text for quick code, it has the operations of the full one."""
    for t in ('f32', 'f64', 'bf16'):
        home, texts = Home(), {}
        for how in ('full', 'quick'):
            folder = os.path.join(home.path, how)
            os.mkdir(folder)
            home.gpu(f':set compile {how}\nn = 12000;\n' + PANELS.format(t=t),
                     FUSIBLE_FAKE_KEEP=folder, FUSIBLE_FAKE_RUN='0',
                     FUSIBLE_FAKE_CC='90', FUSIBLE_CACHE='off')
            for path in glob.glob(folder + '/*.cu'):
                with open(path, encoding='utf-8') as f:
                    text = f.read()
                # What it is for is said in the first lines.
                if 'scheme march;' in text and ('fs_mbarrier' in text) == (how == 'full'):
                    texts.setdefault(text.split('\ntypedef')[0], {})[how] = path
        check(len(texts) == 3 and all(len(x) == 2 for x in texts.values()),
              f'{t}: pairs of texts', str(texts))
        for what, pair in texts.items():
            full, quick = ptx(pair['full']), ptx(pair['quick'], 'quick')
            if 'absent' in full.stdout + quick.stdout or quick.returncode:
                print('no NVRTC that compiles quickly: other texts are not looked at')
                return
            have_one_set(full.stdout, quick.stdout, what)


def test_operations():
    home = Home()
    folder = os.path.join(home.path, 'texts')
    os.mkdir(folder)
    for t in ('f32', 'f64', 'bf16'):
        done = home.gpu(KERNELS.format(t=t), FUSIBLE_FAKE_KEEP=folder,
                        FUSIBLE_FAKE_RUN='0', FUSIBLE_FAKE_CC='90')
        check(done.returncode == 0, t, done.stderr)
    texts = sorted(glob.glob(folder + '/sm_90*.cu'))
    check(len(texts) > 20, 'there are kernels', str(len(texts)))
    if 'absent' in subprocess.run([os.path.join(fakegpu.BUILD, 'nvrtc-check')],
                                  stdin=subprocess.DEVNULL, capture_output=True,
                                  text=True).stdout:
        print('no NVRTC: what the kernels compute is not looked at')
        return
    for path in texts:
        full, quick = ptx(path), ptx(path, 'quick')
        if full.returncode == 0 and quick.returncode:
            print('this NVRTC does not compile quickly')
            return
        have_one_set(full.stdout, quick.stdout, path)


ARITHMETIC = '''x = f32([1, 2, 3, 6]); y = f32([2, 4, 1, 3]);
z = x./y + sqrt(y.*y); print(z');
:set fastmath on
z = x./y + sqrt(y.*y); print(z');
b = bf16(x)./bf16(y) + bf16(y).*bf16(x); d = exp(0*f64(x)) + x./y; print(b' + d');
:set fastmath off
:set ftz on
z = x./y + sqrt(y.*y); print(z');
:set ftz off
z = x./y + sqrt(y.*y); print(z');
'''


def test_arithmetic():
    """`:set fastmath on` and `:set ftz on` are said in plans, and hold for what runs from then
    on; off, code is what it was before."""
    home = Home()
    folder = os.path.join(home.path, 'texts')
    os.mkdir(folder)
    done = subprocess.run([fakegpu.PROGRAM, '--target', 'cuda', '--no-rc', '--json', '--plan',
                           'line', '-'], input=ARITHMETIC, capture_output=True, text=True,
                          env=fakegpu.environment(home.path, FUSIBLE_FAKE_KEEP=folder))
    events = [json.loads(line) for line in done.stdout.splitlines()]
    said = [e['arithmetic'] for e in events if e['event'] == 'plan']
    want = [None, 'fast math', 'fast math', 'subnormal numbers are 0', None]
    check([w for k, w in enumerate(said) if not k or w != said[k - 1]] ==
          [w for k, w in enumerate(want) if not k or w != want[k - 1]], f'plans say {said}')
    shown = [e['text'].split(']')[-1].split() for e in events if e['event'] == 'text']
    z = ['2.5', '4.5', '4', '5']
    check([[float(v) for v in row] for row in shown] ==
          [[float(v) for v in row] for row in (z, z, ['4', '10', '10', '23'], z, z)], f'{shown}',
          done.stderr)
    check(done.returncode == 0, 'it ends well', done.stderr)
    kept = {}
    for path in sorted(glob.glob(folder + '/*.cu')):
        with open(path, encoding='utf-8') as f:
            text = f.read()
        kept.setdefault(text.split('\n')[0] if text.startswith('#define FS_F') else '', []).append(path)
    check(set(kept) == {'', '#define FS_FAST_MATH', '#define FS_FLUSH_SUBNORMALS'}, f'{kept.keys()}')
    words = {'': ('.ftz.f32', False), '#define FS_FAST_MATH': ('div.approx.ftz.f32', True),
             '#define FS_FLUSH_SUBNORMALS': ('.ftz.f32', True)}
    if 'absent' in subprocess.run([os.path.join(fakegpu.BUILD, 'nvrtc-check')], text=True,
                                  stdin=subprocess.DEVNULL, capture_output=True).stdout:
        return
    for head, (word, there) in words.items():
        found = [word in re.sub(r'(rcp|rsqrt|ex2|lg2)\.approx\.ftz\.f32', '', ptx(path).stdout)
                 for path in kept.get(head, [])]
        check(found and any(found) == there, f'{head}: {word} {found}')


def main():
    wanted = sys.argv[1] if len(sys.argv) > 1 else ''
    for name, test in list(globals().items()):
        if name.startswith('test_') and callable(test) and wanted in name:
            test()
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
