#!/usr/bin/python3
"""Runs every test suite and adds up their counts.

A suite is a program built from tests/unit/*.c, or an executable file
tests/**/test_*.py, tests/**/run_*.py or tests/cli/*.sh. Its last line that
reads `N passed, N failed` counts. A suite that fails without saying so, runs
longer than its time, or runs no test at all counts as one failure.
Suites find the program under $FUSIBLE and the build folder under $BUILD.
"""
import argparse
import glob
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COUNTS = re.compile(r'^(\d+) passed, (\d+) failed\b', re.M)
SHOWN_LINES = 60


def suites(build):
    """(name, argv) of each, units first: the smallest thing that fails
    is named first."""
    for source in sorted(glob.glob('tests/unit/*.c')):
        name = os.path.basename(source)[:-2]
        yield 'unit/' + name, [os.path.join(build, 'unit', name)]
    scripts = (glob.glob('tests/test_*.py') + glob.glob('tests/run_*.py') +
               glob.glob('tests/*/test_*.py') + glob.glob('tests/*/run_*.py') +
               glob.glob('tests/cli/*.sh'))
    for path in sorted(scripts, key=lambda p: (p.count('/'), p)):
        if os.access(path, os.X_OK):
            python = [sys.executable] if path.endswith('.py') else []
            yield path[len('tests/'):].rsplit('.', 1)[0], python + ['./' + path]


def run(argv, env, seconds):
    """(status, output): status is None after the time is up."""
    try:
        process = subprocess.Popen(
            argv, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, start_new_session=True)
    except OSError as error:
        return 127, str(error)
    try:
        output, _ = process.communicate(timeout=seconds)
        status = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        status = None
    return status, output.decode('utf-8', 'replace')


def judge(status, output, seconds):
    """(passed, failed, remark)"""
    found = COUNTS.findall(output)
    passed, failed = map(int, found[-1]) if found else (0, 0)
    if status is None:
        return passed, failed + 1, f'stopped after {seconds} s'
    if not found:
        return 0, 1, f'no count, status {status}'
    if passed + failed == 0:
        return 0, 1, 'ran no test'
    if status != 0 and failed == 0:
        return passed, 1, f'status {status}'
    return passed, failed, ''


def main():
    parser = argparse.ArgumentParser(description='runs the test suites')
    parser.add_argument('--build', default=os.environ.get('BUILD', 'build'))
    parser.add_argument('--timeout', type=int, default=900,
                        help='seconds for one suite')
    parser.add_argument('--unit', action='store_true',
                        help='only the programs of tests/unit')
    parser.add_argument('pattern', nargs='*',
                        help='only suites whose name contains one of these')
    args = parser.parse_args()
    os.chdir(ROOT)
    build = os.path.abspath(args.build)
    env = dict(os.environ, FUSIBLE=os.path.join(build, 'fusible'),
               BUILD=build, PYTHONDONTWRITEBYTECODE='1')
    # What tests measure and learn is nobody else's business.
    data = tempfile.TemporaryDirectory(prefix='fusible-data-')
    env['XDG_DATA_HOME'] = data.name
    total_passed = total_failed = 0
    for name, argv in suites(build):
        if args.pattern and not any(p in name for p in args.pattern):
            continue
        if args.unit and not name.startswith('unit/'):
            continue
        began = time.monotonic()
        status, output = run(argv, env, args.timeout)
        passed, failed, remark = judge(status, output, args.timeout)
        total_passed += passed
        total_failed += failed
        took = time.monotonic() - began
        if failed:
            print('\n'.join(output.splitlines()[-SHOWN_LINES:]))
        print(f'{"FAIL" if failed else "ok":4} {name:28} {passed:6} passed '
              f'{failed:4} failed {took:7.1f} s  {remark}'.rstrip(),
              flush=True)
    if total_passed + total_failed == 0:
        print('no suite was found')
        total_failed = 1
    print(f'{total_passed} passed, {total_failed} failed')
    return 1 if total_failed else 0


if __name__ == '__main__':
    sys.exit(main())
