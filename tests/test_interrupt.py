#!/usr/bin/env python3
"""Ctrl-C at random times: while the session parses, loops, runs kernels over
large arrays, plans, displays, saves and loads. After each the session must
answer, with variables that no statement was to change bit for bit as before,
and those of a block that was stopped either all old or all new.

Most come as a signal to a session that reads from a pipe, the others as the key
at a terminal. Then a script is stopped a few times: it ends with status 130.

    tests/test_interrupt.py [--count 200] [--seed 1] [--seconds 50]
"""
import argparse
import json
import os
import random
import re
import select
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, 'pty'))
from terminal import Terminal  # noqa: E402

from score import Score, await_handler, await_work, processor_seconds  # noqa: E402

SETUP = '''A = rand(500, 400); v = rand(300000) - 0.5; w = rand(400)
B = A; z = v; u = w; T = ones(1000, 1000); U = 2*T; n = 0
function fib(n)
  if n < 2
    return n
  end
  return fib(n - 1) + fib(n - 2)
end
save("v.npy", v)
'''
# Tells all bits that matter on one line; the sums are exact to the last bit
# since reductions have a fixed order.
MARK = ('print("mark {0} ", all(A == B), " ", all(v == z), " ", all(w == u), '
        '" ", all(U == 2*T), " ", sum(A, 1)*w, " ", sum(v .* v), " ", '
        'sum(A*w), " end{0}")')
LONG = ' + '.join(['1'] * 40000)
STATEMENTS = {
    'parse': LONG,
    'parse a block': '[' + ', '.join(['1.5'] * 40000) + '];',
    'an empty loop': 'while true; end',
    'nothing to catch': 'n = 0; try; while true; n = n + 1; end; catch; n = -1; end',
    'a loop of numbers': 'n = 0; while true; n = n + 1; end',
    'a loop of blocks': 'for k = 1:1e9; x = A*w + k; y = A\'*x; end',
    'functions': 'fib(60)',
    'a kernel': 'M = exp(rand(2500, 2500)); s = sum(M)',
    'a virtual value': 'x = sum(exp(rand(20000, 20000)));',
    'a block': 'T = T + 1; U = T*2;',
    'a block with products': 'T = T + 1; Q = A*A\'; R = Q*Q; U = T*2;',
    'a block with a loop': 'begin; K = rand(900, 900); T = K; U = K*2; end;',
    'library calls': 'S = A\'*A + 400*eye(400); y = S \\ w; J = inv(S);',
    'display': 'rand(3000, 3000) + 1',
    'print': 'for k = 1:100000; print(k); end',
    'help': ':help sum',
    'plan': ':explain x = A*w; y = A\'*x; z2 = exp(x).*x + sum(y); q = A + 1',
    'many blocks': 'for k = 1:60; x = rand(k + 3) + k; y = sum(x); end',
    'save': 'save("m.npy", rand(1500, 1500));',
    'load': 'L = load("v.npy"); for k = 1:100; L = load("v.npy"); end',
    'indexing': 'for k = 1:1e6; i = v[v > 0]; j = v[k:k+9]; end',
}
score = Score()
check = score.check


def environment(folder, **more):
    env = {k: v for k, v in os.environ.items()
           if not k.startswith(('FUSIBLE', 'XDG_', 'NO_COLOR', 'FORCE_'))}
    env.update(more, HOME=folder, TERM='xterm', LC_ALL='C.UTF-8', PAGER='cat',
               INPUTRC='/dev/null', COLUMNS='200')
    return env


class Piped:
    """A session that reads from a pipe."""
    def __init__(self, program, folder, **more):
        self.process = subprocess.Popen(
            [program, '-t', 'cpu', '-i', '-q', '--no-rc', '--no-history',
             '--no-readline'],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, cwd=folder, env=environment(folder, **more))
        os.set_blocking(self.process.stdout.fileno(), False)
        self.text, self.stopped, self.again = '', 0, 0
        self.patience = 60

    def send(self, text):
        self.process.stdin.write((text + '\n').encode())
        self.process.stdin.flush()

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)

    def pump(self, seconds):
        """Reads for that long, so that the session never waits for us."""
        end = time.monotonic() + seconds
        fd = self.process.stdout.fileno()
        while True:
            left = end - time.monotonic()
            if select.select([fd], [], [], max(left, 0))[0]:
                data = os.read(fd, 1 << 16)
                if not data:
                    return False
                self.text = (self.text + data.decode('utf-8',
                                                     'replace'))[-1 << 20:]
            if left <= 0:
                return True

    def wait_for(self, pattern, seconds):
        end = time.monotonic() + seconds
        while True:
            found = re.search(pattern, self.text, re.S)
            if found:
                if 'interrupted' in self.text[:found.start()]:
                    self.stopped += 1
                self.text = self.text[found.end():]
                return found.group(0)
            if time.monotonic() > end or (not self.pump(0.02) and
                                          self.process.poll() is not None):
                return None

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(600)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.process.stdout.close()
        return self.process.returncode


class Typed(Piped):
    """The same at a terminal, with line editing; Ctrl-C is a key."""
    def __init__(self, program, folder):
        self.terminal = Terminal(
            ['env', '-C', folder, program, '-t', 'cpu', '-q', '--no-rc',
             '--no-history'],
            environment(folder), 40, 200)
        self.process = self.terminal.process
        self.stopped = self.again = 0
        self.patience = 60
        self.terminal.prompt()

    @property
    def text(self):
        return self.terminal.text()

    @text.setter
    def text(self, rest):
        self.terminal.mark = len(self.terminal.raw)

    def send(self, text):
        for line in text.rstrip('\n').split('\n'):
            self.terminal.send(line + '\r')
            self.pump(0.01)

    def interrupt(self):
        self.terminal.send('\x03')

    def pump(self, seconds):
        end = time.monotonic() + seconds
        while True:
            left = end - time.monotonic()
            alive = self.terminal._pump(max(left, 0))
            if left <= 0:
                return alive

    def close(self):
        self.terminal.send('\x04')
        try:
            return self.terminal.wait(600)
        except AssertionError:
            return None
        finally:
            self.terminal.close()


def mark(session, k, seconds=600):
    """The line of MARK without its number, or None. An interrupt that came when
    the statement was still on its way hit the prompt: then there is a second
    one, which must do; it comes after many times what an answer takes."""
    session.send(MARK.format(k))
    # The echo of a terminal has `"end` with a quote; the answer has not.
    pattern = rf'mark +{k} [^"]*? end{k}\b'
    found = session.wait_for(pattern, session.patience)
    if not found:
        session.again += 1
        session.interrupt()
        session.pump(0.02)
        if isinstance(session, Typed):
            session.send(MARK.format(k))
        found = session.wait_for(pattern, seconds)
    if not found:
        return None
    words = found[found.rfind('mark'):].split()
    return ' '.join(words[2:-1])


def child_of(pid):
    """A number that no other process has; None without a child."""
    with open(f'/proc/{pid}/task/{pid}/children', encoding='utf-8') as file:
        return next(map(int, file.read().split()), None)


def computed(session):
    """Seconds of the processor that the process which runs the statements has used."""
    return processor_seconds(child_of(session.process.pid))


BEGUN = 0.02  # seconds of the processor: more than reading a statement takes


def storm(kind, args, rng, folder, count, deadline):
    """Gives how many interrupts were sent, how many found something to stop,
    and the longest answer after one."""
    session = kind(args.bin, folder)
    session.send(SETUP)
    began = time.monotonic()
    before = mark(session, 0)
    session.patience = max(1, 10*(time.monotonic() - began))
    check(before and before.startswith('true true true true'),
          f'{kind.__name__}: begin', before)
    slowest, sent, missed = 0, 0, 0
    short = [name for name in STATEMENTS
             if kind is Piped or not name.startswith('parse')]
    for k in range(1, count + 1):
        if time.monotonic() > deadline or score.failed > 5:
            break
        name = short[k % len(short)]
        idle = computed(session)
        session.send(STATEMENTS[name])
        session.pump(rng.choice([0.002, 0.01, 0.05, 0.12]) * rng.random() * 2)
        began, again = time.monotonic(), session.again
        ran = computed(session) - idle
        session.interrupt()
        sent += 1
        session.pump(0.005)
        after = mark(session, k)
        if session.again == again:
            slowest = max(slowest, time.monotonic() - began)
        else:  # it was not begun, since the machine was busy, or the key did nothing
            missed += ran > BEGUN
        check(after == before, f'{kind.__name__} {k}, {name}: '
              f'{after!r}, not {before!r}', session.text)
        if after is None:
            break
    check(missed <= 2 + sent // 10, f'{kind.__name__}: {missed} '
          f'of {sent} interrupts did nothing')
    code = session.close()
    check(code == 0, f'{kind.__name__}: exit status {code}')
    return sent, session.stopped, slowest


# Each of these is one call of the library for seconds; Ctrl-C ends it all the same, and
# nothing has to be rebuilt.
LIBRARY = {
    'a product': 'C = P*P;',
    'a product in f64': 'C = f64(P)*f64(P);',
    'a square': "C = P*P';",
    'a deep product': 'C = rand(600, 200000)*rand(200000, 600); D = C*C; C = P*P;',
    'a solve': 'C = P\\P;',
    'least squares': 'C = P[:, 1:4000]\\P[:, 1];',
    'an inverse': 'C = inv(P);',
    'pivots': 'L, U, p = lu(f64(P));',
    'an orthogonal factor': 'Q, R = qr(P);',
    'eigenvalues': 'C = eig(P + P\');',
    'singular values': 'C = svd(P);',
    'singular vectors': 'U, s, V = svd(P[1:3000, :]);',
    'a transform': 'C = fft(P[:]);',
    'a transform of odd length': 'C = fft(P[1:20999999]);',
    'a convolution': 'C = conv(P[:], P[:]);',
    'an order': 'C = sort(P[:]);',
}


def fftw(args, folder):
    """One whose transforms never end."""
    for name in 'libfftw3.so.3', 'libfftw3f.so.3':
        subprocess.run(['cc', '-O1', '-shared', '-fPIC', '-o', os.path.join(folder, name),
                        os.path.join(HERE, 'fault/slowfftw.c')], check=True)
    library(args, folder, {'FFTW': 'C = fft(P[1:16777216]);', 'FFTW in f64, lines':
                           'C = fft(reshape(f64(P[1:16800000]), 2, 8400000), 8400000, 2);'},
            work=1.5, LD_LIBRARY_PATH=folder)


def library(args, folder, calls=None, work=0.3, **more):
    session = Piped(args.bin, folder, **more)
    session.send(SETUP + 'P = rand(9000, 9000); P[1,1] = 1; print(P[1,2])')
    before, worker = mark(session, 0), child_of(session.process.pid)
    for k, (name, statement) in enumerate((calls or LIBRARY).items(), 1):
        session.send(statement)
        await_work(lambda: child_of(worker) or worker, work)  # a copy of it calls the library
        stopped = session.stopped
        session.interrupt()
        after = mark(session, k)
        check(after == before, f'{name}: {after!r}, not {before!r}', session.text)
        check(session.stopped == stopped + 1, f'{name}: not stopped')
        check(child_of(session.process.pid) == worker, f'{name}: rebuilt')
        worker = child_of(session.process.pid)
    check(session.close() == 0, 'library: exit status')


def scripts(args, rng, folder):
    for k in range(6):
        name = rng.choice(['an empty loop', 'functions', 'a loop of blocks',
                           'print', 'a virtual value', 'indexing'])
        process = subprocess.Popen(
            [args.bin, '-t', 'cpu', '-e', SETUP, '-e', STATEMENTS[name]],
            cwd=folder, env=environment(folder), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        await_handler(process.pid)
        time.sleep(0.25 + 0.2 * rng.random())
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            try:
                _, err = process.communicate(timeout=600)
            except subprocess.TimeoutExpired:
                process.kill()
                _, err = process.communicate()
            check(process.returncode == 130, f'script with {name}: exit status '
                  f'{process.returncode}', err.decode())
        else:
            process.communicate()


# Long inputs, nearly all of whose time is planning, and the kernels of one call each beside
# which plans are shown.
PLANNED = {
    'a chain of products': 'y = x' + ' .* x'*100000 + ';',
    'a sum': 's = ' + ' + '.join(f'x[{k % 1000 + 1}]*{k}.5' for k in range(25000)) + ';',
    'maps': 'begin\n' + ''.join(f'y{k + 1} = x*{k}.5 + y{k};\n' for k in range(20000)) + 'end',
    'pairs': 'begin\n' + ''.join(f"a{k} = x*{k}.5 + x; s{k} = a{k}'*x;\n"
                                 for k in range(10000)) + 'end',
}
# Processor seconds from Ctrl-C to the end, at most: .05 to .25 where nothing else runs. And
# of all that the input takes, on a machine that is slow or busy.
MOST_AFTER, MOST_SHARE = 0.25, 0.3


ALMOST_OVER = 0.1  # seconds of the processor


def stopped_at(args, script, seconds):
    """Runs the script, stopped when it has computed for so long (None: not at all). Gives
    what it computed until then, in all, and its status."""
    process = subprocess.Popen(
        [args.bin, '-t', 'cpu', '--threads', '1', '-p', 'off', script],
        env=environment(os.path.dirname(script)), stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    await_handler(process.pid)
    used = until = 0
    while not os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
        used = max(used, processor_seconds(process.pid))
        if seconds is not None and not until and used >= seconds:
            process.send_signal(signal.SIGINT)
            until = used
        time.sleep(0.002)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return until, usage.ru_utime + usage.ru_stime, process.returncode


def planning(args, rng, folder):
    """Ctrl-C at random moments of long inputs."""
    for name, text in PLANNED.items():
        script = os.path.join(folder, 'long.fs')
        with open(script, 'w', encoding='utf-8') as f:
            f.write('x = rand(1000); x[1] = 1; y0 = 2*x;\n' + text + '\n')
        whole = [stopped_at(args, script, None) for _ in range(3)]  # one may be slow
        all_of_it = min(used for _, used, _ in whole)
        check(not any(status for _, _, status in whole), f'{name}: {whole}')
        for _ in range(5):
            until, used, status = stopped_at(args, script, rng.uniform(0.1, 0.8) * all_of_it)
            if not until:
                continue
            over = status == 0 and used - until < ALMOST_OVER  # other work had slowed `whole`
            check(status == 130 or over,
                  f'{name}, stopped at {until:.2f} of {used:.2f}: exit status {status}')
            check(used - until < MOST_AFTER + MOST_SHARE * all_of_it,
                  f'{name} of {all_of_it:.2f} s, stopped at {until:.2f}: ends at {used:.2f}')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--bin', default=os.environ.get(
        'FUSIBLE', os.path.join(HERE, '..', 'build', 'fusible')))
    parser.add_argument('--count', type=int, default=200)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--seconds', type=float, default=50)
    args = parser.parse_args()
    args.bin = os.path.abspath(args.bin)
    rng = random.Random(args.seed)
    began = time.monotonic()
    end = began + args.seconds
    typed = args.count // 5
    with tempfile.TemporaryDirectory() as folder:
        a, hit_a, slow_a = storm(Piped, args, rng, folder, args.count - typed,
                          began + 0.8 * args.seconds)
        b, hit_b, slow_b = storm(Typed, args, rng, folder, typed, end)
        library(args, folder)
        fftw(args, folder)
        scripts(args, rng, folder)
        planning(args, rng, folder)
    if a + b < args.count and not score.failed:
        print(f'the time was enough for {a + b} of {args.count} interrupts')
    check(a >= min(20, args.count // 10) and b > 0, 'too few interrupts')
    check(hit_a + hit_b > (a + b) // 4, f'only {hit_a + hit_b} stopped anything')
    print(json.dumps({'test': 'interrupt', 'seed': args.seed, 'count': a + b,
                      'stopped': hit_a + hit_b, 'failures': score.failed,
                      'slowest_answer': round(max(slow_a, slow_b), 2),
                      'seconds': round(time.monotonic() - began, 1)}))
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
