#!/usr/bin/python3
"""The structure of the sources: stages include only earlier ones, folders are in no circle,
and no figure of tools/structure is worse than it was.
The last line is `N passed, N failed`.
"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.abspath(os.environ.get('BUILD', os.path.join(ROOT, 'build')))


def main():
    run = subprocess.run([sys.executable, os.path.join(ROOT, 'tools/structure'), '--build', BUILD],
                         capture_output=True, text=True)
    figures = re.findall(r'^\S.* {2,}\d+  wanted \d+.*$', run.stdout, re.M)
    bad = [f for f in figures if f.endswith('TOO MANY')]
    whole = run.returncode == (1 if bad else 0) and len(figures) > 10
    if bad or not whole:
        print(run.stdout + run.stderr)
    print(f'{len(figures) - len(bad) + whole} passed, {len(bad) + (not whole)} failed')
    return bool(bad) or not whole


if __name__ == '__main__':
    sys.exit(main())
