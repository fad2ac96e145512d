#!/usr/bin/python3
"""Kernels that are compiled in processes (core/device/cuda/compiler.c): the images and
the messages of threads, whatever happens to a process, and none of them left behind.

Most of it is with the compiler of tests/fake, which takes as long as it is told to;
where there is an NVRTC its images are compared, too.

The last line is `N passed, N failed`.
"""
import glob
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, 'fake')]
import fakegpu  # noqa: E402
from front import Front, is_alive, state_of, status, wait_for  # noqa: E402
from score import Score  # noqa: E402

CHECK = os.path.join(fakegpu.BUILD, 'nvrtc-check')
KERNELS, PROCESSES, WRONG = 12, 3, 3
score = Score()
check = score.check


def write_texts(folder, wrong=None):
    """Kernels of several lengths; `wrong`: which one does not compile. The list of
    them as nvrtc-check reads it."""
    lines = []
    for k in range(KERNELS):
        path = os.path.join(folder, f'{k}.cu')
        body = ''.join(f'  x[{j}] = x[{j + 1}] * {k + 2}.0f;\n' for j in range(10 * k))
        with open(path, 'w', encoding='utf-8') as f:
            f.write('extern "C" __global__ void fs_kernel(float *x) {\n' + body +
                    ('  wrong\n' if k == wrong else '') + '  x[0] = 0;\n}\n')
        lines.append(f'sm_90a {path}\n')
    return ''.join(lines)


def slow(folder, milliseconds):
    """An environment where each text takes so long."""
    return fakegpu.environment(folder, FUSIBLE_FAKE_COMPILE=str(milliseconds),
                               FUSIBLE_FAKE_RUN='0', FUSIBLE_COMPILERS=str(PROCESSES))


def start(argv, env, given=''):
    process = subprocess.Popen(argv, env=env, stdin=subprocess.PIPE, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    process.stdin.write(given)
    process.stdin.close()
    process.stdin = None
    return process


def children(pid):
    """Of all its threads; the dead that were not taken are among them."""
    found = []
    for path in glob.glob(f'/proc/{pid}/task/*/children'):
        try:
            with open(path, encoding='utf-8') as f:
                found += [int(word) for word in f.read().split()]
        except OSError:
            pass  # a thread that has ended
    return found


def compilers(pid):
    found = []
    for child in children(pid):
        try:
            with open(f'/proc/{child}/cmdline', 'rb') as f:
                found += [child] if b'\0--compiler\0' in f.read() else []
        except OSError:
            pass
    return found


def at_work(pid):
    """The processes, each in the midst of a text."""
    wait_for(lambda: len(compilers(pid)) == PROCESSES)
    time.sleep(0.3)
    found = compilers(pid)
    check(len(found) == PROCESSES, 'processes', found)
    return found


def are_taken(pids):
    return wait_for(lambda: all(state_of(p) is None for p in pids))


def all_compiled(process):
    out, _ = process.communicate(timeout=600)
    return process.returncode == 0 and out.count('\nok\t') == KERNELS


def open_files(pid):
    return sorted(int(name) for name in os.listdir(f'/proc/{pid}/fd'))


def words(told):
    return [line.split('\t')[0] for line in told.stdout.splitlines()[1:]]


def test_same_as_threads(folder):
    texts = write_texts(folder, WRONG)
    expected = ['ok'] * KERNELS
    expected[WRONG] = 'fail'
    real = {k: v for k, v in os.environ.items() if not k.startswith('FUSIBLE')}
    for env in (fakegpu.environment(folder), real):
        threads, processes = [
            subprocess.run([CHECK, '--hash'], env={**env, 'FUSIBLE_COMPILERS': str(n)},
                           input=texts, capture_output=True, text=True, timeout=600,
                           check=False) for n in (0, PROCESSES)]
        if env is real and threads.returncode == 2:
            print('no NVRTC: images were not compared')
            continue
        check(words(threads) == words(processes) == expected, 'what compiles',
              threads.stdout + processes.stdout)
        check('error' in processes.stdout.splitlines()[1 + WRONG], 'why one does not',
              processes.stdout)
        if env is real:  # those of the fake compiler name temporary files
            check(threads.stdout == processes.stdout, 'the same images and message',
                  threads.stdout + processes.stdout)


def test_alone(folder):
    """They have their socket and nothing else of ours; no key reaches them."""
    process = start([CHECK], slow(folder, 600), write_texts(folder))
    found = at_work(process.pid)
    check(all(open_files(p) == [0, 1, 2, 3] for p in found), 'files',
          [open_files(p) for p in found])
    check(all(os.getsid(p) == p for p in found), 'sessions of their own')
    check(all_compiled(process), 'all texts')
    check(are_taken(found), 'none is left')


def test_killed(folder):
    """One that is killed costs time only, and so do all of them."""
    for n in (1, PROCESSES):
        process = start([CHECK], slow(folder, 600), write_texts(folder))
        found = at_work(process.pid)
        for p in found[:n]:
            os.kill(p, signal.SIGKILL)
        check(wait_for(lambda: not set(found[:n]) & set(children(process.pid))),
              'the dead are taken while the others work')
        check(all_compiled(process), f'all texts with {n} killed')
        check(are_taken(found), 'none is left')


def test_no_program(folder):
    """Threads where there is no such program, or another one of that name."""
    os.mkdir(os.path.join(folder, 'beside'))
    program = shutil.copy(CHECK, os.path.join(folder, 'beside'))
    for name in (None, 'false', 'echo', 'env'):
        if name:
            shutil.copy(shutil.which(name), os.path.join(folder, 'beside', 'fusible'))
        process = start([program], slow(folder, 10), write_texts(folder))
        check(all_compiled(process), f'beside {name}')


def test_we_end(folder):
    """Whoever is killed takes them along, in the midst of a text."""
    process = start([CHECK], slow(folder, 3600000), write_texts(folder))
    found = at_work(process.pid)
    process.kill()
    process.communicate()
    check(wait_for(lambda: not any(is_alive(p) for p in found)), 'they end with us')


def block(n):
    """Several kernels that no other n has."""
    return (f'A = ones({n}, {n}); x = ones({n}); y = A*x; B = exp(A) + eye({n}); '
            's = sum(B, 1)*x; z = rowmax(B*B)')


def test_interrupted(folder):
    """Ctrl-C ends them at once; the session goes on, and leaves none behind."""
    front = Front(folder, slow(folder, 3600000), 'cuda')
    front.send(block(100))
    worker = wait_for(front.worker)
    found = wait_for(lambda: compilers(worker))
    time.sleep(0.3)
    check(found, 'processes')
    front.interrupt()
    check(status(front.until_done()) == 'interrupted', 'long before a text is compiled')
    check(are_taken(found or []), 'none is left')
    check(front.worker() == worker, 'the session is the one that it was')
    front.close()


def test_files(folder):
    """A session has as many files open after a block as after one before."""
    front = Front(folder, slow(folder, 100), 'cuda')
    front.cell(block(100))
    worker = front.worker()
    before = open_files(worker)
    front.send(block(101))
    check(wait_for(lambda: compilers(worker)), 'processes')
    check(status(front.until_done()) == 'ok' and not children(worker), 'they are gone')
    check(open_files(worker) == before, 'the same files are open')
    front.close()


def main():
    for name, test in list(globals().items()):
        if name.startswith('test_'):
            with tempfile.TemporaryDirectory(prefix='fusible-compilers-') as folder:
                test(folder)
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
