#!/usr/bin/python3
"""Runs every test suite and adds up their counts.

A suite is a program built from tests/unit/*.c, or a file tests/**/test_*.py or
tests/**/run_*.py. Its last line that reads `N passed, N failed` counts. A suite that fails
without saying so, does nothing for ten minutes, leaves something in the folder for temporary
files that it is given, or runs no test at all counts as one failure.
Of several suites at once some may wait: while most of a processor is idle, one more runs.
Suites find the program under $FUSIBLE and the build folder under $BUILD. Under
FUSIBLE_CHECK=1 the stages check what they give each other.
"""
import argparse
import contextlib
import glob
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COUNTS = re.compile(r'^(\d+) passed, (\d+) failed\b', re.M)
SHOWN_LINES = 60
SLOWEST = 10
# The suites that take longest, the longest first.
LONG = ['fake/test_lang', 'test_nvrtc', 'fake/test_fake', 'test_ranks', 'pty/test_repl',
        'unit/test_emit', 'jupyter/test_floods', 'fake/test_units', 'test_elem',
        'test_sequences', 'unit/test_cuda', 'test_mixtures']
BESIDE = 2      # suites at once beside those that were asked for, while these wait
LOOK = 2.0      # seconds in which they must leave most of a processor idle


def suites(build):
    """(name, argv) of each, units first: the smallest thing that fails
    is named first."""
    for source in sorted(glob.glob('tests/unit/*.c')):
        name = os.path.basename(source)[:-2]
        yield 'unit/' + name, [os.path.join(build, 'unit', name)]
    scripts = (glob.glob('tests/test_*.py') + glob.glob('tests/run_*.py') +
               glob.glob('tests/*/test_*.py') + glob.glob('tests/*/run_*.py'))
    for path in sorted(scripts, key=lambda p: (p.count('/'), p)):
        yield path[len('tests/'):-len('.py')], [sys.executable, './' + path]


def processor_seconds(session):
    """What the processes of a session have used of the processors, with their
    children that have ended."""
    used = 0
    for stat in glob.glob('/proc/[0-9]*/stat'):
        try:
            with open(stat, encoding='utf-8', errors='replace') as f:
                fields = f.read().rpartition(')')[2].split()
        except OSError:
            continue
        if int(fields[3]) == session:
            used += sum(map(int, fields[11:15]))
    return used / os.sysconf('SC_CLK_TCK')


def wait(process, idle):
    """The status of a suite, or None for one that has done nothing for `idle` seconds, and
    the processors' seconds of it and what it waited for. How long a suite takes is the
    machine's affair: others may use it as well."""
    used, since, last = -1, time.monotonic(), 0
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, usage.ru_utime + usage.ru_stime
        time.sleep(0.05)
        now = time.monotonic()
        if now < last + 5:
            continue
        last, seconds = now, processor_seconds(process.pid)
        if seconds > used + 0.05:
            used, since = seconds, now
        elif now > since + idle:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return None, seconds


def run(argv, env, idle):
    """(status, output, what it left in its folder for temporary files, processor seconds)"""
    with tempfile.TemporaryDirectory(prefix='fusible-suite-') as own, \
            tempfile.TemporaryFile() as output:
        try:
            process = subprocess.Popen(
                argv, env=dict(env, TMPDIR=own), stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, start_new_session=True)
        except OSError as error:
            return 127, str(error), [], 0
        status, used = wait(process, idle)
        output.seek(0)
        said = output.read().decode('utf-8', 'replace')
        return status, said, sorted(os.listdir(own)), used


def judge(status, output, idle):
    """(passed, failed, remark)"""
    found = COUNTS.findall(output)
    passed, failed = map(int, found[-1]) if found else (0, 0)
    if status is None:
        return passed, failed + 1, f'stopped: it did nothing for {idle} s'
    if not found:
        return 0, 1, f'no count, status {status}'
    if passed + failed == 0:
        return 0, 1, 'ran no test'
    if status != 0 and failed == 0:
        return passed, 1, f'status {status}'
    return passed, failed, ''


def forget_kernels(build, days=7):
    """Removes compiled kernel texts (tests/fiber/fiber_build.h) that nobody asked for lately."""
    for path in glob.glob(os.path.join(build, 'fiber', '[0-9a-f]' * 32 + '*')):
        with contextlib.suppress(FileNotFoundError):  # another run removed it
            if os.stat(path).st_mtime < time.time() - days * 86400:
                os.unlink(path)


def took_before(build):
    """Seconds of each suite in the last run, by name."""
    try:
        with open(os.path.join(build, 'suites.json'), encoding='utf-8') as f:
            return json.load(f)
    except (OSError, ValueError):
        return {}


def keep_times(build, times):
    with open(os.path.join(build, 'suites.json'), 'w', encoding='utf-8') as f:
        json.dump(dict(took_before(build), **times), f, indent=1, sort_keys=True)


def in_order(wanted, jobs, before):
    """As they are found; where several run at once, the longest first: of the last run here,
    without one as in LONG."""
    if jobs == 1:
        return wanted
    usual = {name: 1000 - k for k, name in enumerate(LONG)}
    return sorted(wanted, key=lambda suite: -before.get(suite[0], usual.get(suite[0], 60)))


class Report:
    """What the suites gave; asked by several threads."""
    def __init__(self):
        self.passed = self.failed = 0
        self.times, self.used = {}, {}  # seconds by name: on the clock, of a processor
        self.lock = threading.Lock()

    def add(self, name, seconds, idle, status, output, left, used):
        passed, failed, remark = judge(status, output, idle)
        if left and not failed:
            failed, remark = 1, 'left behind: ' + ' '.join(left)[:200]
        with self.lock:
            self.passed += passed
            self.failed += failed
            self.times[name], self.used[name] = round(seconds, 1), round(used, 1)
            if failed:
                print('\n'.join(output.splitlines()[-SHOWN_LINES:]))
            print(f'{"FAIL" if failed else "ok":4} {name:28} {passed:6} passed '
                  f'{failed:4} failed {seconds:7.1f} s, {used:5.1f} of a processor'
                  f'  {remark}'.rstrip(), flush=True)

    def close(self, seconds):
        """Where the time went, and the counts."""
        slowest = sorted(self.used, key=self.used.get, reverse=True)[:SLOWEST]
        if len(self.used) > 1:
            print(f'{seconds:.0f} s, {sum(self.used.values()):.0f} of a processor; of these')
            for name in slowest:
                print(f'  {self.used[name]:7.1f} {name}')
        print(f'{self.passed} passed, {self.failed} failed')


def idle_seconds():
    """In which processors had nothing to do, of all of them together."""
    with open('/proc/stat', encoding='ascii') as f:
        fields = f.readline().split()
    return (int(fields[4]) + int(fields[5])) / os.sysconf('SC_CLK_TCK')


def share_idle(jobs):
    """How many of `jobs` processors had nothing to do just now."""
    began, before = time.monotonic(), idle_seconds()
    time.sleep(LOOK)
    return ((idle_seconds() - before) / (time.monotonic() - began) -
            max(0, os.cpu_count() - jobs))


def run_all(wanted, jobs, env, idle):
    report, todo = Report(), list(reversed(wanted))

    def work(once=False):
        while True:
            with report.lock:
                if not todo:
                    return
                name, argv = todo.pop()
            began = time.monotonic()
            status, output, left, used = run(argv, env, idle)
            report.add(name, time.monotonic() - began, idle, status, output, left, used)
            if once:
                return

    def fill():
        """Some suites wait most of the time: others run beside them."""
        beside = []
        while todo:
            beside = [t for t in beside if t.is_alive()]
            if share_idle(jobs) > 0.6 and len(beside) < BESIDE:
                beside.append(threading.Thread(target=work, args=(True,)))
                beside[-1].start()
        for t in beside:
            t.join()

    threads = [threading.Thread(target=work) for _ in range(jobs)]
    if jobs > 1:
        threads.append(threading.Thread(target=fill))
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return report


def chosen(every, patterns, unit):
    """Those of (name, argv) that a pattern names: one, if it is a suite's whole name."""
    whole = {name for name, _ in every}

    def fits(name):
        return not patterns or any(name == p if p in whole else p in name for p in patterns)
    return [(name, argv) for name, argv in every
            if fits(name) and (not unit or name.startswith('unit/'))]


def main():
    parser = argparse.ArgumentParser(description='runs the test suites')
    parser.add_argument('--build', default=os.environ.get('BUILD', 'build'))
    parser.add_argument('-j', '--jobs', type=int, default=1, help='suites at once')
    parser.add_argument('--idle', type=int, default=600,
                        help='seconds in which a suite must do something')
    parser.add_argument('--unit', action='store_true',
                        help='only the programs of tests/unit')
    parser.add_argument('pattern', nargs='*',
                        help='only suites with one of these names, or whose '
                        'name contains it')
    args = parser.parse_args()
    os.chdir(ROOT)
    build = os.path.abspath(args.build)
    env = dict(os.environ, FUSIBLE=os.path.join(build, 'fusible'),
               BUILD=build, PYTHONDONTWRITEBYTECODE='1', FUSIBLE_CHECK='1')
    env.setdefault('FUSIBLE_REGIONS', 'off')
    forget_kernels(build)
    began = time.monotonic()
    wanted = chosen(list(suites(build)), args.pattern, args.unit)
    # What tests measure and learn is nobody else's business.
    with tempfile.TemporaryDirectory(prefix='fusible-data-') as data:
        env['XDG_DATA_HOME'] = data
        jobs = max(1, args.jobs)
        report = run_all(in_order(wanted, jobs, took_before(build)), jobs, env, args.idle)
    keep_times(build, report.times)
    if report.passed + report.failed == 0:
        print('no suite was found')
        report.failed = 1
    report.close(time.monotonic() - began)
    return 1 if report.failed else 0


if __name__ == '__main__':
    sys.exit(main())
