#!/usr/bin/env python3
"""Every change of tests/mutants/*.list still applies: its file is there, its text stands
there once, and its suites exist. `make mutants` runs them."""
import os
import re
import subprocess
import sys

from score import Score

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
score = Score()


def main():
    done = subprocess.run([sys.executable, os.path.join(ROOT, 'tools', 'mutants'), '--check'],
                          capture_output=True, text=True, check=False)
    score.check(done.returncode == 0, 'every change applies', done.stdout + done.stderr)
    found = re.search(r'^(\d+) changes', done.stdout, re.M)
    score.check(found and int(found[1]) >= 40, 'there are changes', done.stdout[-200:])
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
