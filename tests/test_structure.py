#!/usr/bin/python3
"""The structure of the sources: stages include only earlier ones, folders are in no circle,
and no figure of tools/structure is worse than it was. No suite gives up where a machine is
merely busy: what stops a hang takes ten minutes.
The last line is `N passed, N failed`.
"""
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.abspath(os.environ.get('BUILD', os.path.join(ROOT, 'build')))


def impatient():
    """Lines of suites with a stop of 10 s to 10 minutes. What drives a browser has its own."""
    found = []
    for path in glob.glob(os.path.join(ROOT, 'tests', '**', 'test_*.py'), recursive=True):
        with open(path, encoding='utf-8') as f:
            found += [f'{os.path.relpath(path, ROOT)}:{n}: {line.strip()}'
                      for n, line in enumerate(f, 1)
                      for limit in re.findall(r'\b(?:timeout|seconds)=(\d+)\b', line)
                      if 10 <= int(limit) < 600]
    return found


def main():
    run = subprocess.run([sys.executable, os.path.join(ROOT, 'tools/structure'), '--build', BUILD],
                         capture_output=True, text=True)
    figures = re.findall(r'^\S.* {2,}\d+  wanted \d+.*$', run.stdout, re.M)
    bad = [f for f in figures if f.endswith('TOO MANY')]
    hasty = impatient()
    print('\n'.join(hasty), end='\n' * bool(hasty))
    whole = run.returncode == (1 if bad else 0) and len(figures) > 10
    if bad or not whole:
        print(run.stdout + run.stderr)
    failed = len(bad) + (not whole) + len(hasty)
    print(f'{len(figures) - len(bad) + whole + (not hasty)} passed, {failed} failed')
    return failed > 0


if __name__ == '__main__':
    sys.exit(main())
