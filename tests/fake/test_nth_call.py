#!/usr/bin/env python3
"""The n-th call of the driver, of its compiler, of cuBLAS or of cuSOLVER fails, in sessions
that go on: the input that it hits ends with one sentence, and works when it is given again; all
others give what they give without a failure; no memory of the device is left.

    tests/fake/test_nth_call.py [--all] [--seed 1] [NAME...]

Of each session and library some n are tried, with one code each; --all tries every n with all
codes. Codes after which a context is lost need a session in a process of its own.
"""
import argparse
import os
import random
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import fakegpu  # noqa: E402
from front import Front, status, text  # noqa: E402
from score import Score, processor_seconds  # noqa: E402

score = Score()
check = score.check
home = tempfile.TemporaryDirectory(prefix='fusible-nth-')

SETUP = ("A = f32(mod((1:48)*(1:40)', 7) - 3); p = f32(mod(1:40, 5) - 2); "
         "r = f32(mod(1:48, 3) - 1); keep = [1, 2, 3];")
STOP = '^C '  # an input that Ctrl-C ends
# Inputs that give the same when they are given twice.
SESSIONS = {
    'maps': ['y = 2*p + 1; z = y .* p;', 'print(sum(y), sum(z))', 'z'],
    'rows': ["begin q = A*p; s = A'*r; end", 'print(sum(q), sum(s))',
             'm = max(A, 2); t = A - m;', 'print(sum(t))'],
    'products': ["B = A'*A;", 'print(sum(B))', 'C = f64(B) + 90*eye(40); x = C \\ f64(p);',
                 'print(round(1e6*sum(x)))'],
    'loops': ['u = p; for k = 1:40; u = mod(3*u + k, 11); end', 'print(sum(u))',
              'v = 0; for k = 1:20; v = v + sum(A*u); end', 'print(v)'],
    'parts': ['w = p; w[2:5] = 7; w[[9, 1]] = [1, 2];', 'print(sum(w))', 'print(sum(w[w > 1]))',
              'z = sort(w); c = cumsum(z); print(z[1:3], c[40])'],
    'solves': ['B = f64(A[1:30, 1:30]) + 90*eye(30); x = B \\ f64(p[1:30]); z = inv(B);',
               'print(round(1e6*sum(x)), round(1e6*sum(z)))', 'U = triu(B) \\ f64(p[1:30]);',
               'print(round(1e6*sum(U)))', "S = B + B'; R = chol(S); d, V = eig(S);",
               'print(round(1e3*sum(R)), round(sum(d)))', 'Q, R = qr(B); s = svdvals(B);',
               'print(round(1e3*sum(abs(R))), round(sum(s)))',
               'h = rfft(f64(A[:, 1:37]), [], 2); print(round(1e3*sum(abs(h))))'],
    'files': ['save("a.npz", A, p);', 'L = load("a.npz", "A"); print(sum(L))',
              'g = rand(600, 600);', 'print(sum(g) > 0)'],
    'stops': ['n = 0;', STOP + 'while true; n = sum(A*p); end', 'print(sum(A))'],
}
LAST = ['print(sum(keep), sum(A), sum(p), sum(r))', 'a = 6*7; print(a)']
CODES = (1, 2, 801)               # the call failed, and that was all
OPENING = 8                       # the first calls, by which the device is opened
LOST = CODES + (700, 719, 999)    # the context is lost
LIBRARIES = {'nvrtc': 'nvrtc', 'cublas': 'cublas', 'cusolver': 'cusolver', 'cufft': 'cufft',
             'driver': 'cu'}  # how their names begin


def inputs_of(name):
    return [SETUP, *SESSIONS[name], *LAST]


def start(folder, cache, apart, **more):
    env = fakegpu.environment(cache, FUSIBLE_FAKE_CC='90', **more,
                              FUSIBLE_CUBLAS=os.path.join(fakegpu.FAKE, 'cublas.so'),
                              FUSIBLE_CUSOLVER=os.path.join(fakegpu.FAKE, 'cusolver.so'),
                              FUSIBLE_CUFFT=os.path.join(fakegpu.FAKE, 'cufft.so'))
    return Front(folder, env, target='cuda', args=() if apart else ('--one-process',))


def stopped(front, line, apart):
    """The events of an input that Ctrl-C ends once it computes, or that a failure ends: then
    what computes is another process, in which Ctrl-C would end the replay. One that comes
    before the input begins is for nothing, so it comes again where the process goes on."""
    if apart and not front.worker():
        front.cell('')  # begins one
    found = front.worker if apart else lambda: front.process.pid
    pid, over = found(), threading.Event()

    def stop():
        used, more = processor_seconds(pid), 0.1
        while not over.wait(0.01) and found() == pid:
            if processor_seconds(pid) > used + more:
                front.interrupt()
                used, more = processor_seconds(pid), 2

    stopper = threading.Thread(target=stop)
    stopper.start()
    try:
        front.send(line)
        return front.until_done()
    finally:
        over.set()
        stopper.join()


def give(front, line, apart):
    """(status, text) of an input, and its events; None for both where there is no session."""
    try:
        done = stopped(front, line[len(STOP):], apart) if line.startswith(STOP) else front.cell(line)
    except BrokenPipeError:
        done = front.until_done()
    return status(done), shown(done), done


def shown(done):
    return text(done) + ''.join(str(e.get('text') or e.get('value')) for e in done or []
                                if e['event'] == 'value')


def plain(name):
    """What the inputs give without a failure, and the calls of each library."""
    with tempfile.TemporaryDirectory(dir=home.name) as folder:
        counts = os.path.join(folder, 'counts')
        front = start(folder, home.name, False, FUSIBLE_FAKE_COUNTS=counts)
        good = [give(front, line, False)[:2] for line in inputs_of(name)]
        check(front.close() == 0 and not front.noise, f'{name}: {front.noise}')
        with open(counts, encoding='utf-8') as f:
            calls = [line.split()[0] for line in f]
    for line, (how, _) in zip(inputs_of(name), good):
        check(how == ('interrupted' if line.startswith(STOP) else 'ok'), f'{name}: {line}: {how}')
    found = {l: [] for l in LIBRARIES}
    for call in calls:
        found[next(l for l, first in LIBRARIES.items() if call.startswith(first))].append(call)
    return good, found


def sentences(done):
    """What went wrong; what became of the session's process, if nothing else is said."""
    said = [e for e in done or [] if e['event'] == 'diagnostic' and e.get('severity') == 'error']
    return [e for e in said if e.get('id') != 'worker-died'] or said


def try_out(case):
    name, good, library, call, n, code, apart = case
    what = f'{name}, {library}:{n}:{code}{" apart" if apart else ""} ({call})'
    with tempfile.TemporaryDirectory(dir=home.name) as folder:
        once = os.path.join(folder, 'once')
        open(once, 'w', encoding='utf-8').close()
        cache = folder if library == 'nvrtc' else home.name  # where it is to compile
        front = start(folder, cache, apart, FUSIBLE_FAKE_FAIL=f'{library}:{n}:{code}',
                      FUSIBLE_FAKE_ONCE=once)
        try:
            judge(front, apart, inputs_of(name), good, what)
            check(not front.noise, f'{what}: at the end {front.noise}')
        finally:
            front.process.kill()
            front.process.wait()


def judge(front, apart, lines, good, what):
    failed = 0
    for k, (line, wanted) in enumerate(zip(lines, good)):
        how, said, done = give(front, line, apart)
        if done is None and k == 0:  # there was no session
            check(front.process.wait(600) == 3 and len(sentences(front.last)) == 1,
                  f'{what}: no session: {front.process.returncode} {front.last} {front.noise}')
            return
        if how == 'environment':
            failed += 1
            check(len(sentences(done)) == 1, f'{what}: `{line}`: {done}')
            how, said, done = give(front, line, apart)
        check((how, said) == wanted, f'{what}: `{line}`: {(how, said)}, not {wanted}: {done}')
        if how is None:
            return
    check(failed <= 1, f'{what}: {failed} inputs failed')
    check(front.close() == 0, f'{what}: the end')


def cases_of(name, rng, every):
    good, calls = plain(name)
    for n in range(OPENING if name == 'maps' else 0):
        yield name, good, 'driver', calls['driver'][n], n + 1, 700, True
    for library, names in calls.items():
        ns = list(range(len(names)))
        if not every:
            ns = sorted(rng.sample(ns, min(len(ns), 8 if library == 'driver' else 2)))
        for n in ns:
            ways = [(c, False) for c in CODES] + [(c, True) for c in LOST]
            for code, apart in ways if every else [rng.choice(ways)]:
                yield name, good, library, names[n], n + 1, code, apart


def main():
    parser = argparse.ArgumentParser(description='the n-th call fails')
    parser.add_argument('--all', action='store_true')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('name', nargs='*')
    args = parser.parse_args()
    rng = random.Random(args.seed)
    cases = [c for name in args.name or SESSIONS for c in cases_of(name, rng, args.all)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(try_out, cases))
    print(f'{len(cases)} failures')
    home.cleanup()
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
