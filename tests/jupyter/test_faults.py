#!/usr/bin/python3
"""Faults that a kernel must survive: its worker killed at any moment, floods of
output, libraries that write past it.  usage: test_faults.py [KILLS]"""
import peers  # noqa: F401, first: it changes the Python that runs this
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import failio  # noqa: E402
from client import PROGRAM, Failure, Kernel, text_of  # noqa: E402
from score import Score, folder  # noqa: E402

KILLS = int(sys.argv[1]) if len(sys.argv) > 1 else 60
FLOOD = 100000


def shown(c, expression):
    """What an expression shows; asked again when the kill hits just this."""
    for _ in range(3):
        reply, outputs = c.execute(expression, store_history=False)
        if reply.get('ename') != 'worker-died':
            break
    assert reply['status'] == 'ok', reply
    return next(m for m in outputs if m.type == 'execute_result'
                ).content['data']['text/plain']


def kill(kernel):
    pid = kernel.worker()
    if pid:
        os.kill(pid, signal.SIGKILL)


def with_failure(shim, n, how):
    """What the log says and what is in the files of the kernel's state when the n-th call on
    them fails, and how many calls there were."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        state = os.path.join(home, '.local', 'state')
        out, seen = os.path.join(home, 'count'), os.path.join(state, 'fusible', 'seen')
        env = failio.environment(shim, state, n, how, out)
        with Kernel(home=home, **env) as k, k.client() as c:
            c.ready()
            assert c.execute('6*7', allow_stdin=True)[0]['status'] == 'ok'
            assert c.execute('print("again")', allow_stdin=True)[0]['status'] == 'ok'
            c.ask('shutdown_request', {'restart': False}, channel='control')
            k.process.wait(60)
            said = k.said()
        entries, history = [], os.path.join(state, 'fusible', 'history')
        if os.path.exists(history):
            with open(history, encoding='utf-8') as f:
                entries = [line for line in f if not line.startswith('#')]
        keys = [os.path.getsize(os.path.join(seen, name)) for name in os.listdir(seen)]
        return said, (entries, sum(keys) > 0), failio.outcome(out)[0]


def test_files_of_the_kernel(score):
    """What of its history and of the signatures that it saw cannot be kept is said in one
    sentence, and cells go on."""
    with tempfile.TemporaryDirectory() as top:
        shim = failio.build(PROGRAM, top)
        _, good, count = with_failure(shim, 0, 'EIO')
        score.check(len(good[0]) == 2 and good[1] and count >= 8, 'without a failure',
                    f'{good} {count}')
        for n in range(1, count + 1):
            said, kept, _ = with_failure(shim, n, 'ENOSPC')
            lines = [l for l in said.splitlines() if failio.REASONS['ENOSPC'] in l]
            score.check(len(lines) == 1 or (not lines and kept == good),
                        f'call {n} of {count}', f'{said}\n{kept}')


def test_worker_killed(score):
    """At random times, in cells and between them: no session is lost, what a cell
    has done is there if it was answered with ok, and not if it was not, and the
    values come back bit for bit."""
    chance = random.Random(11)
    times = []
    with Kernel() as k, k.client() as c:
        c.ready()
        c.execute('seed(3);\nA = rand(40, 30);\nx = 0;\n:set digits 9')
        c.execute('s = sum(A*rand(30));')
        bits = shown(c, 's')
        expected = 0
        lost = 0
        for n in range(KILLS):
            if n % 3 == 2:
                kill(k)
                time.sleep(chance.random() * 0.05)
                name = c.execute_request(f'x = x + {n + 1};')
            else:
                name = c.execute_request(
                    f'for k = 1:20000\n  y = k;\nend\nx = x + {n + 1};')
                time.sleep(chance.random() * 0.02)
                kill(k)
            killed = time.monotonic()
            got = c.collect(name)
            reply = next(m for m in got if m.channel == 'shell').content
            expected += (n + 1) * (reply['status'] == 'ok')
            now = shown(c, 'x')
            times.append(time.monotonic() - killed)
            ok = now in (f'x = {expected}', f'{expected}')
            score.check(ok, f'kill {n}: {now}, not {expected}; {reply}')
            lost += not ok
            if not ok:
                expected = int(now.split('=')[-1])
        score.check(shown(c, 's') == bits, 'the bits of s')
        score.check(k.alive(), 'the kernel is there')
        times.sort()
        print(f'{KILLS} kills, {lost} lost; next cell answered after '
              f'{times[len(times) // 2]:.2f} s, at most {times[-1]:.2f} s')


def test_worker_killed_again_and_again(score):
    """Faster than it can be rebuilt. An input that seems to kill the worker may be
    left out; then it is named."""
    with Kernel() as k, k.client() as c:
        c.ready()
        c.execute('kept = 41;')
        for _ in range(8):
            kill(k)
            time.sleep(0.03)
        score.check(shown(c, '40 + 2') == '42', 'the session goes on')
        reply, _ = c.execute('kept + 1')
        score.check(reply['status'] == 'ok' or 'kept' in k.said(), k.said())


def test_interrupted_while_it_ends(score):
    """The thread that interrupts is slow: the worker that it speaks of is not given
    back meanwhile."""
    with tempfile.TemporaryDirectory() as place:
        shim = os.path.join(place, 'slowkill.so')
        subprocess.run(['cc', '-O1', '-shared', '-fPIC', '-o', shim,
                        os.path.join(HERE, '..', 'fault', 'slowkill.c')], check=True)
        with Kernel(LD_PRELOAD=shim, SLOWKILL_MS='500', MALLOC_PERTURB_='165') as k, \
                k.client() as c:
            c.ready()
            k.process.send_signal(signal.SIGINT)
            time.sleep(0.1)
            c.send('shutdown_request', {'restart': False}, channel='control')
            score.check(k.process.wait(60) == 0, f'it ends well: {k.said()}')


def test_answers_are_kept(score):
    """What was typed for ask() is there after a rebuild, without a question."""
    with Kernel() as k, k.client() as c:
        c.ready()
        name = c.execute_request('who = ask("who? ");', allow_stdin=True)
        while c.receive().type != 'input_request':
            pass
        c.send('input_reply', {'value': 'the user, \u00e9'}, channel='stdin')
        c.collect(name)
        kill(k)
        score.check('the user, \u00e9' in shown(c, 'who'), 'the answer')


def test_rebuild_asks(score):
    """`:set rebuild ask`: the cell's own user is asked, and No is an answer."""
    for answer in ('y', 'n'):
        with Kernel() as k, k.client() as c:
            c.ready()
            c.execute(':set rebuild ask')
            c.execute('kept = 41;')
            name = c.execute_request('for k = 1:100000000\n  y = k;\nend',
                                     allow_stdin=True)
            os.kill(k.at_work(), signal.SIGKILL)
            while (m := c.receive()) and m.type != 'input_request':
                pass
            score.check(m and 'again' in m.content['prompt'], f'the question {m}')
            c.send('input_reply', {'value': answer}, channel='stdin')
            c.collect(name)
            reply, _ = c.execute('kept + 1')
            score.check((reply['status'] == 'ok') == (answer == 'y'), reply)


def test_flood_to_slow_reader(score):
    """Nothing is lost and nothing comes out of order, also when the reader sleeps."""
    with Kernel() as k, k.client() as c:
        c.ready()
        name = c.execute_request(f'for i = 1:{FLOOD}\n  print(i)\nend')
        time.sleep(2)
        got, idle = [], False
        while not idle:
            m = c.receive(30)
            if not m:
                break
            if m.channel == 'iopub' and m.parent.get('msg_id') == name:
                got.append(m)
                idle = m.content.get('execution_state') == 'idle'
                if len(got) % 50 == 0:
                    time.sleep(0.05)
        lines = text_of(got).split('\n')
        score.check(lines == [str(i) for i in range(1, FLOOD + 1)] + [''],
                    f'{len(lines)} lines')
        pieces = sum(m.type == 'stream' for m in got)
        score.check(pieces < FLOOD / 20, f'{pieces} messages')
        print(f'{FLOOD} lines in {pieces} messages')


def test_output_is_limited(score):
    with Kernel(FUSIBLE_OUTPUT_LIMIT='10000') as k, k.client() as c:
        c.ready()
        reply, outputs = c.execute('for i = 1:5000\n  print(i)\nend')
        score.check(len(text_of(outputs)) == 10000, 'so much and no more')
        score.check('more were printed' in text_of(outputs, 'stderr'), outputs)
        score.check(reply['status'] == 'ok', reply)


LIBRARY = r'''
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
/* A library that writes where it likes: before a file flood.csv is opened, a
 * megabyte through stdio and by write(); before split.csv, a text whose characters
 * come byte by byte, and what is no text. */
static void split(void) {
  static const char text[] = "\xf0\xa8\xad\x8e \xe2\x82\xac \xc3\xa4";
  for (size_t k = 0; k + 1 < sizeof text; k++) {
    if (write(1, text + k, 1) < 1) return;
    usleep(150000);
  }
  dprintf(1, " \xff\xc3(\n");
}
static void flood(const char *path) {
  size_t n = strlen(path);
  if (n >= 9 && !strcmp(path + n - 9, "split.csv")) split();
  if (n < 9 || strcmp(path + n - 9, "flood.csv")) return;
  for (int k = 0; k < 8192; k++) {
    printf("stdio %056d\n", k);
    fflush(stdout);
    dprintf(1, "plain %056d\n", k);
    if (k % 8 == 0) dprintf(2, "error %056d\n", k);
  }
}
#define OPEN(name) int name(const char *path, int flags, ...) { \
  va_list a; va_start(a, flags); int mode = va_arg(a, int); va_end(a); \
  flood(path); \
  int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, #name); \
  return real(path, flags, mode); }
OPEN(open) OPEN(open64)
int __open_2(const char *path, int flags) { return open(path, flags, 0); }
int __open64_2(const char *path, int flags) { return open64(path, flags, 0); }
'''


def test_library_output(score):
    """A megabyte that a library writes to the descriptors does not hang."""
    place = folder('flood')
    source, library = os.path.join(place, 'f.c'), os.path.join(place, 'f.so')
    with open(source, 'w', encoding='ascii') as f:
        f.write(LIBRARY)
    subprocess.run(['gcc', '-shared', '-fPIC', '-w', '-o', library, source,
                    '-ldl'], check=True)
    with open(os.path.join(place, 'flood.csv'), 'w', encoding='ascii') as f:
        f.write('1,2\n')
    with open(os.path.join(place, 'split.csv'), 'w', encoding='ascii') as f:
        f.write('1,2\n')
    with Kernel(LD_PRELOAD=library) as k, k.client() as c:
        c.ready()
        reply, outputs = c.execute(f'A = load("{place}/split.csv");')
        out = text_of(outputs)
        score.check(out.startswith('\U00028b4e \u20ac \u00e4 ') and
                    out.endswith('(\n') and len(out) < 20,
                    f'characters in pieces: {out!a}')
        began = time.monotonic()
        reply, outputs = c.execute(
            f'print("before")\nA = load("{place}/flood.csv")\nprint("after")')
        took = time.monotonic() - began
        out, err = text_of(outputs), text_of(outputs, 'stderr')
        score.check(len(re.findall('^stdio', out, re.M)) == 8192 and
                    len(re.findall('^plain', out, re.M)) == 8192,
                    f'{len(out)} bytes of 1048576 and more')
        score.check(len(re.findall('^error', err, re.M)) == 1024,
                    f'{len(err)} bytes on stderr')
        score.check(took < 60, f'{took:.1f} s')
        reply, _ = c.execute('1+1')
        score.check(reply['status'] == 'ok', 'the next cell')
        print(f'a megabyte in {took:.2f} s')


def main():
    score = Score()
    for name, test in list(globals().items()):
        if name.startswith('test_'):
            try:
                test(score)
            except (Failure, AssertionError, OSError, StopIteration):
                score.check(False, name, traceback.format_exc())
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
