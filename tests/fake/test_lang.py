#!/usr/bin/python3
"""tests/lang with the fake GPU as the target, but for the factorisations: those go to the
host here, where test_library has them, and a compiler takes a minute for what they are
compared with. Names of files: those alone. The last line is `N passed, N failed`."""
import os
import subprocess
import sys

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)),
                os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
import fakegpu  # noqa: E402
from score import folder  # noqa: E402


def main():
    home = folder('fake-lang')
    wrapper = os.path.join(home, 'on-gpu')
    with open(wrapper, 'w', encoding='utf-8') as f:
        f.write(f'#!/bin/bash\nexec "{fakegpu.PROGRAM}" --target cuda "$@"\n')
    os.chmod(wrapper, 0o700)
    scripts = os.path.join(fakegpu.ROOT, 'tests/lang')
    names = sys.argv[1:] or [f for f in sorted(os.listdir(scripts)) if f.endswith('.fs') and
                             not f.endswith('.inc.fs') and f != 'factors.fs']
    files = [os.path.join(scripts, f) for f in names]
    done = subprocess.run(
        [sys.executable, os.path.join(fakegpu.ROOT, 'tests/run_lang.py'), '--bin', wrapper, *files],
        env=fakegpu.environment(home), check=False)
    return done.returncode


if __name__ == '__main__':
    sys.exit(main())
