#!/usr/bin/python3
"""Random programs of tests/test_cubes.py (all types, ranks 0 to 6) on the fake GPU.

    tests/fake/test_cubes.py [OPTION...]

Options are those of tests/test_cubes.py. The last line is `N passed, N failed`.
"""
import os
import subprocess
import sys

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)),
                os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
import fakegpu  # noqa: E402
from score import folder  # noqa: E402


def main():
    return subprocess.run(
        [sys.executable, os.path.join(fakegpu.ROOT, 'tests/test_cubes.py'), '--target', 'cuda',
         '--fusible', fakegpu.PROGRAM, '--count', '25', *sys.argv[1:]],
        env=fakegpu.environment(folder('fake-cubes')), check=False).returncode


if __name__ == '__main__':
    sys.exit(main())
