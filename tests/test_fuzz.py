#!/usr/bin/env python3
"""Every target of tests/fuzz on its corpus, file by file: what a fuzzer found once is not
to come back. `make fuzz` looks for more."""
import glob
import os
import subprocess
import sys

from score import Score

HERE = os.path.dirname(os.path.abspath(__file__))
score = Score()


def main():
    build = os.environ.get('BUILD', os.path.join(HERE, '..', 'build'))
    targets = sorted(glob.glob(os.path.join(HERE, 'fuzz', 'fuzz_*.c')))
    score.check(targets, 'there are targets')
    for source in targets:
        name = os.path.basename(source)[len('fuzz_'):-len('.c')]
        files = sorted(glob.glob(os.path.join(HERE, 'fuzz', 'corpus', name, '*')))
        score.check(len(files) >= 5, f'{name}: a corpus', f'{len(files)} files')
        for path in files:
            done = subprocess.run([os.path.join(build, 'fuzz', 'replay_' + name), path],
                                  capture_output=True, text=True, timeout=600, check=False)
            good = done.returncode == 0 and '1 files, 0 not read' in done.stdout
            score.check(good, f'{name}: {os.path.basename(path)}', done.stdout + done.stderr)
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
