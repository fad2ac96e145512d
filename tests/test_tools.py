#!/usr/bin/python3
"""`:tune`, `:code`, `:cache` and what they keep on disk, on the CPU and on the GPU
that is not there (tests/fake).

    tests/test_tools.py [PATTERN]

The last line is `N passed, N failed`.
"""
import glob
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, 'fake')]
import fakegpu  # noqa: E402
from score import Score  # noqa: E402

score = Score()
check = score.check
SETUP = 'A = rand(300, 200); p = rand(200); r = rand(300);\n'
BLOCK = "begin\n  q = A*p\n  s = A'*r;\nend\n"


class Home:
    """A place of its own for every file that the program keeps."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix='fusible-tools-')
        self.path = self.folder.name

    def environment(self, **more):
        env = {k: v for k, v in os.environ.items()
               if not k.startswith(('FUSIBLE', 'XDG_'))}
        env.update(HOME=self.path, XDG_DATA_HOME=self.path + '/data',
                   XDG_CACHE_HOME=self.path + '/cache', LC_ALL='C.UTF-8',
                   FUSIBLE_REFERENCE_DEVICE='1')
        env.update(more)
        return env

    def run(self, script, *args, **more):
        return subprocess.run(
            [fakegpu.PROGRAM, '--target', 'cpu', '--threads', '2', *args, '-e',
             script], env=self.environment(**more), capture_output=True,
            text=True, timeout=600)

    def gpu(self, script, *args, **more):
        env = fakegpu.environment(self.path, XDG_DATA_HOME=self.path + '/data',
                                  **more)
        return fakegpu.run(['--target', 'cuda', *args, '-e', script], env)

    def tunings(self):
        return glob.glob(self.path + '/data/fusible/tuning-*.json')


def rows(text):
    """(rank, kernels, chosen) of the lines of a table."""
    return [(int(m[1]), int(m[2]), bool(m[3])) for m in re.finditer(
        r'^ +(\d+) +(\d+)  .*?(chosen)?$', text, re.M)]


def plans(done):
    events = [json.loads(line) for line in done.stdout.splitlines()]
    return [e for e in events if e['event'] == 'plan']


# -- :tune ---------------------------------------------------------------------------

def test_table():
    home = Home()
    done = home.run(SETUP + BLOCK + ':tune 6\nq\n')
    table = rows(done.stdout)
    check(done.returncode == 0 and not done.stderr, 'tune runs', done.stderr)
    check(table and [r[0] for r in table] == list(range(1, len(table) + 1)),
          'ranks in order', done.stdout)
    check(sum(r[2] for r in table) == 1, 'one is chosen', done.stdout)
    check(len(table) <= 6, 'no more than asked for', done.stdout)
    shown = re.findall(r'^  [\d. ⋯]+$', done.stdout, re.M)
    check(len(shown) == 2 and shown[0] == shown[1], 'no value changed',
          done.stdout)


def test_differences():
    """What the device has no choice of is none of the differences."""
    done = Home().run("A = rand(600, 400); p = rand(400); r = rand(600);\n"
                      "begin q = A*p; barrier; s = A'*r; end;\n:tune\n:dump space\n")
    told = re.findall(r'^ +\d+ +\d+ .*(k\d .*)$', done.stdout, re.M)
    check('k2 rows 400' in told and
          not any(re.search('threads|vector|resident', t) for t in told),
          'tune: rows are what differs on a CPU', done.stdout)
    listed = re.findall(r'^  \d: (.*)$', done.stdout, re.M)
    check("row 600x400 q = A*p | row 400x600 s = A'*r" in listed and
          len(set(listed)) == len(listed), 'the space: no two are alike', listed)


def test_kept():
    home = Home()
    home.run(SETUP + BLOCK + ':tune\n')
    files = home.tunings()
    if not check(len(files) == 1, 'one file for the device', str(files)):
        return
    kept = json.load(open(files[0]))
    check(kept['format'] == 'fusible-tuning' and len(kept['entries']) == 1 and
          kept['entries'][0]['measured'] > 0, 'what is kept', str(kept))
    check(os.stat(files[0]).st_mode & 0o77 == 0, 'only the user reads it')
    same = home.run(SETUP + BLOCK, '--json', '--plan', 'line')
    found = [p['tuned'] for p in plans(same) if p['kernels'][0]['does'] and
             'A*p' in json.dumps(p['kernels'])]
    check(found == [True], 'the next session runs the winner', same.stdout)
    other = home.run(SETUP.replace('300', '301') + BLOCK, '--json', '--plan',
                     'line')
    check(not any(p['tuned'] for p in plans(other)), 'another shape is not tuned')
    off = home.run(SETUP + ':fuse off\n' + BLOCK, '--json', '--plan', 'line')
    check(not any(p['tuned'] for p in plans(off)), 'another strategy is not')
    none = home.run(SETUP + BLOCK, '--json', '--plan', 'line',
                    FUSIBLE_TUNING='off')
    check(not any(p['tuned'] for p in plans(none)), 'FUSIBLE_TUNING=off')


def test_forget():
    home = Home()
    done = home.run(SETUP + BLOCK + ':tune\n:tune forget\n:tune forget\n' + BLOCK,
                    '--json', '--plan', 'line')
    check('the block runs as predicted again' in done.stdout and
          'the last block was not tuned' in done.stdout, 'forgets', done.stdout)
    check(not plans(done)[-1]['tuned'], 'the block is planned again')
    home.run(SETUP + BLOCK + ':tune\n')
    done = home.run(':tune forget all\n')
    check('1 tuned block forgotten' in done.stdout, 'forgets all', done.stdout)
    check(json.load(open(home.tunings()[0]))['entries'] == [], 'also on disk')


BAD_FILES = {
    'empty': '',
    'no JSON': '{"format": ',
    'a list': '[1, 2]',
    'another format': '{"format": "something"}',
    'another version': None,
    'another device': None,
    'bad entry': None,
    'binary': '\x00\x01\x02' * 100,
    'deep': '[' * 100000,
}


def test_bad_files():
    home = Home()
    home.run(SETUP + BLOCK + ':tune\n')
    path = home.tunings()[0]
    good = open(path).read()
    change = {
        'another version': good.replace('"version": 1', '"version": 99'),
        'another device': re.sub(r'"device": "[^"]*"', '"device": "abacus"', good),
        'bad entry': re.sub(r'"block": "[^"]*"', '"block": "../../etc"', good),
    }
    for name, text in BAD_FILES.items():
        text = change.get(name, text)
        with open(path, 'w') as f:
            f.write(text)
        done = home.run(SETUP + BLOCK)
        said = done.stderr.count('are not used')
        check(done.returncode == 0 and said == 1 and 'tuning results' in done.stderr,
              f'{name}: ignored with one sentence', done.stderr)
        done = home.run(SETUP + BLOCK + ':tune 2\n')
        check(done.returncode == 0 and
              json.load(open(path))['entries'], f'{name}: replaced by :tune',
              done.stderr)
    os.remove(path)
    os.mkfifo(path)
    done = home.run(SETUP + BLOCK)
    check(done.returncode == 0 and 'it is not a regular file' in done.stderr,
          'a FIFO does not hang', done.stderr)
    foreign = json.loads(good)
    foreign['entries'][0]['choice'] = 'k9:42,17 nonsense'
    os.remove(path)
    json.dump(foreign, open(path, 'w'))
    done = home.run(SETUP + BLOCK, '--json', '--plan', 'line')
    check(done.returncode == 0 and not any(p['tuned'] for p in plans(done)),
          'a choice that does not fit the block', done.stderr)


def test_cannot_write():
    home = Home()
    os.makedirs(home.path + '/data')
    open(home.path + '/data/fusible', 'w').close()
    done = home.run(SETUP + BLOCK + ':tune\n')
    check(done.returncode == 0 and 'warning: the tuning results could not be kept'
          in done.stderr,
          'says that it cannot write', done.stderr)


HARD = {
    'in place': ('x = ones(1000)*1.0;', 'x = x + 1;', 'x[5]', '2'),
    'part in place': ('A = ones(40, 30)*1.0; v = A[1, :];', 'A[3, :] = 7;',
                      'A[3, 2] + A[2, 2]', '8'),
    'random': ('seed(3);', 'R = rand(50, 40); t = sum(R, 2);', 'rand(1)[1]',
               None),
    'library': ('A = ones(20, 30)*1.0; B = ones(30, 10)*1.0;',
                'C = A*B; D = 2*C + 1;', 'D[3, 3]', '61'),
    'solve': ('A = 4*eye(8); b = ones(8)*1.0;', 'x = A\\b; y = x + 1;', 'y[2]',
              '1.25'),
    'views': ('A = ones(30, 30)*2.0;', "y = sum(A[2:9, 1:3]'); B = A'*A[:, 2];",
              'B[3] + y', None),
    'integers': ('k = (1:100); m = k > 50;', 's = sum(k .* 2); t = any(m);', 's',
                 None),
}


def test_hard_blocks():
    for name, (setup, block, read, want) in HARD.items():
        home = Home()
        script = f'{setup}\n{block}\nprint({read})\n'
        before = home.run(script).stdout
        done = home.run(f'{setup}\n{block}\n:tune 4\nprint({read})\n')
        check(done.returncode == 0 and 'chosen' in done.stdout, f'{name}: tunes',
              done.stdout + done.stderr)
        value = done.stdout.splitlines()[-1:]
        check(value == before.splitlines()[-1:], f'{name}: nothing changed',
              f'{before}\n{done.stdout}')
        if want:
            check(value == [want], f'{name}: the value', str(value))
        again = home.run(script)
        check(again.stdout == before, f'{name}: the tuned block gives the same',
              again.stdout)


def test_not_there():
    home = Home()
    done = home.run(':tune\n:tune 0\n')
    check('no statement has needed a kernel yet' in done.stdout and ':tune [k' in done.stderr,
          'nothing to tune; not how it is called', done.stdout + done.stderr)


def test_interrupt():
    home = Home()
    script = ('A = rand(3000, 3000); B = A + 1; C = A*A[:, 1]; D = B*C; '
              'x = A\'*D;\n:tune 200\nprint("after")\n')
    env = home.environment()
    process = subprocess.Popen(
        [fakegpu.PROGRAM, '--target', 'cpu', '--json', '-e', script], env=env,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    first = []
    for line in process.stdout:
        first.append(line)
        e = json.loads(line)
        if e['event'] == 'progress' and e['what'] == 'tune: timing' and \
                e['done'] > 0.1:
            process.send_signal(signal.SIGINT)
            break
    rest, err = process.communicate(timeout=600)
    out = ''.join(first) + rest
    stopped = 'stopped early' in out
    check(stopped or 'chosen' in out, 'the best so far is told', out + err)
    check('after' in out, 'the script goes on', out + err)
    check(len(home.tunings()) == 1, 'and kept')


# -- :code ---------------------------------------------------------------------------

def test_lines():
    home = Home()
    path = os.path.join(home.path, 'we"ird \\né.fs')
    with open(path, 'w') as f:
        f.write(SETUP + BLOCK + ':code 1 cuda\n:code cuda lines 1\n')
    done = subprocess.run([fakegpu.PROGRAM, '--target', 'cpu', path],
                          env=home.environment(), capture_output=True, text=True)
    parts = done.stdout.split('# k1 row\n')
    if not check(len(parts) == 3, 'two texts', done.stdout[:300] + done.stderr):
        return
    plain, lined = parts[1].splitlines(), parts[2].splitlines()
    check([x for x in lined if not x.startswith('#line')] == plain,
          'the same text but for the directives')
    places = [re.match(r'#line (\d+) "(.*)"$', x) for x in lined
              if x.startswith('#line')]
    check(all(places) and len(places) > 5, 'directives are well formed')
    names = {m[2] for m in places}
    check(len(names) == 2 and 'fusible.cu' in names, 'two sources', str(names))
    user = (names - {'fusible.cu'}).pop()
    check(user.endswith('we_ird__n__.fs'), 'the name is escaped', user)
    check({int(m[1]) for m in places if m[2] == user} == {3, 4},
          'they point to the two statements')
    number, at = 0, 0
    for line in lined:  # generated lines keep their number in the plain text
        m = re.match(r'#line (\d+) "(.*)"$', line)
        if m:
            number = int(m[1]) if m[2] == 'fusible.cu' else None
            continue
        at += 1
        if number is not None and number:
            check(number == at, f'line {at} is itself', line)
            number += 1


def test_disassembler():
    """A disassembler that never ends is ended by Ctrl-C."""
    home = Home()
    tools = os.path.join(home.path, 'tools')
    os.mkdir(tools)
    with open(os.path.join(tools, 'nvdisasm'), 'w') as f:
        f.write('#!/bin/sh\ntouch "$0.started"\nexec sleep 10000\n')
    os.chmod(os.path.join(tools, 'nvdisasm'), 0o755)
    env = fakegpu.environment(home.path, PATH=tools + ':' + os.environ['PATH'])
    p = subprocess.Popen([fakegpu.PROGRAM, '--target', 'cuda', '-e',
                          SETUP + BLOCK + ':code 1 sass\n'], env=env,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while not os.path.exists(tools + '/nvdisasm.started') and p.poll() is None:
        time.sleep(0.02)
    p.send_signal(signal.SIGINT)
    said = p.communicate(timeout=600)
    check(p.returncode == 130, 'as interrupted', str((p.returncode, said)))


def path_of_nvrtc():
    return {k: v for k, v in os.environ.items() if k == 'LD_LIBRARY_PATH'}


def test_real_nvrtc():
    """Where there is an NVRTC: PTX for an architecture, and the same machine code
    with #line and without."""
    home = Home()
    done = home.run(SETUP + BLOCK + ':code ptx sm_80\n:code 1 ptx\n:code 1 ptx '
                    'sm_999\n:code 1 sass\n')
    if 'NVRTC (libnvrtc' in done.stdout:
        check(done.stdout.count('was not found') >= 3, 'one sentence each')
        return
    targets = re.findall(r'^\.target (\w+)', done.stdout, re.M)
    check(targets == ['sm_80', 'sm_90a'], 'PTX for both', str(targets))
    check('NVRTC did not compile it' in done.stdout, 'an unknown architecture')
    check('nvdisasm' in done.stdout or 'Function' in done.stdout, 'machine code')
    listing = ''
    for form in ('cuda', 'lines'):
        texts = home.run(SETUP + "B = A'*A; y = exp(A*p) - 1; t = sum(A .* A, 1);\n"
                         + BLOCK + f':code {form}\n').stdout.split('# k')[1:]
        for k, text in enumerate(texts):
            path = f'{home.path}/{form}{k}.cu'
            with open(path, 'w') as f:
                f.write(text[text.index('\n') + 1:])
            listing += f'sm_80 {path}\nsm_90a {path}\n'
    answer = subprocess.run([os.path.join(fakegpu.BUILD, 'nvrtc-check'), '--hash'],
                            input=listing, env=home.environment(**path_of_nvrtc()),
                            capture_output=True, text=True).stdout
    codes = [x.split('\t')[:2] for x in answer.splitlines()[1:]]
    half = len(codes) // 2
    check(half and all(c[0] == 'ok' for c in codes) and
          codes[:half] == codes[half:], '#line leaves no trace in machine code',
          answer)


def test_code_words():
    home = Home()
    done = home.run(SETUP + BLOCK + ':code 9\n', '-k')
    check('no such kernel' in done.stderr, 'no such kernel', done.stderr)
    done = home.run(SETUP + BLOCK + ':code cu\n')
    check(':code [kernel]' in done.stderr, 'not a form', done.stderr)
    done = home.run(SETUP + 't = A ./ (A + 1);\n:code loops\n:code loops sm_80\n')
    for line in ('    let v5 of lanes: float v5[4];', '    if: rare',
                 '      map v5 short: v5[e] = fs_div(v2[e], v4, rare);',
                 '        map v5 long: v5[e] = fs_div(v2[e], v4);',
                 '    store a1: if (in) fs_store(a1 + j, v5);'):
        check(done.stdout.count(f'\n{line}\n') == 2, f'loops: {line}', done.stdout)
    done = home.run(SETUP + BLOCK + ':code 1 walk\n:code\n')
    check(done.stdout.count('walk row') == 2, 'walk is the usual one here')


# -- on the fake GPU -------------------------------------------------------------------

def counts(text):
    m = re.search(r'(\d+) found, (\d+) not found, (\d+) stored', text)
    return tuple(map(int, m.groups())) if m else None


def test_cache():
    home = Home()
    block = 'y = 2*x + 1; z = sum(y);\nprint(z)\n'
    first = home.gpu('x = ones(100)*1.0;\n' + block + ':cache\n')
    check(counts(first.stdout) and counts(first.stdout)[0] == 0 and
          counts(first.stdout)[2] >= 1, 'the first session stores', first.stdout)
    # The same statements two lines further down: #line differs, the key does not.
    second = home.gpu('\n# a remark\nx = ones(100)*1.0;\n' + block + ':cache\n')
    check(counts(second.stdout) == (counts(first.stdout)[2], 0, 0),
          'the second one finds all', second.stdout + second.stderr)
    check(first.stdout.splitlines()[0] == second.stdout.splitlines()[0],
          'cold and warm give the same')
    names = 'data = ones(100)*1.0;\ny = 2*data + 1; total = sum(y);\nprint(total)\n'
    renamed = home.gpu(names + ':cache\n')
    check(counts(renamed.stdout) == (counts(first.stdout)[2], 0, 0),
          'variables of other names find all, too', renamed.stdout + renamed.stderr)
    lineinfo = home.gpu('x = ones(100)*1.0;\n' + block + ':cache\n',
                        FUSIBLE_LINEINFO='1')
    check(counts(lineinfo.stdout)[0] == 0, 'line tables are other code',
          lineinfo.stdout)
    clear = home.gpu(':cache clear\n:cache\n')
    check('compiled kernels deleted' in clear.stdout and
          re.search(r'kernels +0, 0 B of at most 256 MiB', clear.stdout),
          'clear', clear.stdout)
    check(not glob.glob(home.path + '/cache/fusible/kernels/' + '?' * 64),
          'they are gone')
    none = home.gpu(':set cache 0\nx = ones(100)*1.0;\n' + block + ':cache\n')
    check(counts(none.stdout)[2] == 0, 'no room: nothing is stored', none.stdout)
    off = home.gpu(block.replace('x', '1.0') + ':cache\n', FUSIBLE_CACHE='off')
    check('switched off' in off.stdout, 'off', off.stdout)
    small = home.gpu(':cache\n', FUSIBLE_CACHE='3')
    check('of at most 3.00 MiB' in small.stdout, 'the variable', small.stdout)


def test_cache_limit():
    """The folder is full of old kernels: the least recently used go."""
    home = Home()
    home.gpu('x = ones(100)*1.0; y = 2*x + 1;\n')
    folder = home.path + '/cache/fusible/kernels'
    real = glob.glob(folder + '/' + '?' * 64)
    old = time.time() - 86400
    for k in range(40):
        name = os.path.join(folder, '%064x' % k)
        with open(name, 'wb') as f:
            f.write(b'\0' * (100 << 10))
        os.chmod(name, 0o600)
        os.utime(name, (old + k, old + k))
    done = home.gpu(':set cache 2\nx = ones(90)*1.0; y = 3*x .* x;\n:cache\n')
    left = sorted(glob.glob(folder + '/' + '0' * 60 + '*'))
    size = sum(os.path.getsize(x) for x in glob.glob(folder + '/' + '?' * 64))
    check(0 < len(left) < 30 and left[-1].endswith('27'), 'the oldest went',
          f'{left}\n{done.stdout}')
    check(size <= 2 << 20, 'and no more than the limit is left', str(size))
    check(all(os.path.exists(x) for x in real), 'what is new stays')


def test_parallel_compilation():
    """A new block of four kernels: they are compiled at the same time, as far as
    there are processors, and each only once."""
    home = Home()
    block = ('begin\n  a = x + 1\n  barrier\n  b = a .* a\n  barrier\n  c = exp(b)\n'
             '  barrier\n  d = sqrt(c) - a;\nend\n')
    done = home.gpu('x = ones(64)*1.0;\n' + block + block + ':cache\n', '--json',
                    '--plan', 'line', FUSIBLE_FAKE_COMPILE='1000',
                    FUSIBLE_FAKE_RUN='0')
    plan = [p for p in plans(done) if len(p['kernels']) == 4]
    if not check(len(plan) >= 1, 'four kernels', done.stdout[-2000:] + done.stderr):
        return
    took, cores = plan[0]['jit_s'], len(os.sched_getaffinity(0))
    check(took >= 1, 'it takes as long as one', str(took))
    if cores > 1:
        check(took < 3.8, f'and less than four after another on {cores}',
              str(took))
    found = counts(done.stdout)
    check(found and found[1] == found[2] and found[1] <= 5,
          'each text is compiled once', str(found))


def test_gpu_tune():
    home = Home()
    script = ('i = (1:40); A = (i*i\')/8; p = i/4; r = i/2;\nbegin\n  q = A*p\n'
              "  s = A'*r\nend\n")
    done = home.gpu(script + ':tune 3\nq\ns\n:cache\n')
    check(done.returncode == 0 and 'chosen' in done.stdout, 'tunes',
          done.stdout + done.stderr)
    shown = re.findall(r'^  [\d. ⋯]+$', done.stdout, re.M)
    check(len(shown) >= 4 and shown[:2] == shown[-2:], 'no value changed',
          done.stdout)
    again = home.gpu(script, '--json', '--plan', 'line')
    check(any(p['tuned'] for p in plans(again)), 'kept', again.stdout)


def test_install():
    """What `make install` puts there runs, and `make uninstall` leaves none of it."""
    with tempfile.TemporaryDirectory() as root:
        def make(target):
            return subprocess.run(['make', '-s', '-o', 'all', target, 'DESTDIR=' + root,
                                   'PREFIX=/opt', 'BUILD=' + fakegpu.BUILD], cwd=fakegpu.ROOT,
                                  capture_output=True, text=True, timeout=900)
        made = make('install')
        check(made.returncode == 0, 'make install', made.stdout + made.stderr)
        done = subprocess.run([os.path.join(root, 'opt/bin/fusible'), '--no-rc', '-e', '6*7'],
                              capture_output=True, text=True, timeout=600)
        check('42' in done.stdout, 'what was installed runs', done.stdout + done.stderr)
        made = make('uninstall')
        left = [name for _, _, files in os.walk(root) for name in files]
        check(made.returncode == 0 and not left, 'make uninstall leaves nothing', left)


def main():
    only = sys.argv[1] if len(sys.argv) > 1 else ''
    for name, test in list(globals().items()):
        if name.startswith('test_') and only in name and callable(test):
            test()
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
