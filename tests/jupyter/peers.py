"""The Jupyter packages that the tests of the kernel talk to it with: from PyPI, in
a virtual environment that `scripts/install-deps test` makes. Import this first:
it starts the test again with that environment's Python. An empty
$FUSIBLE_TEST_VENV: this Python has them."""
import os
import sys

CACHE = os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache')
VENV = os.environ.get('FUSIBLE_TEST_VENV') or os.path.join(
    CACHE, 'fusible-test', 'venv')


def enter():
    if os.environ.get('FUSIBLE_TEST_VENV') == '':
        return
    python = os.path.join(VENV, 'bin', 'python')
    if os.path.realpath(sys.prefix) == os.path.realpath(VENV):
        return
    if not os.path.exists(python):
        print(f'{VENV} is not there: scripts/install-deps test makes it')
        print('0 passed, 1 failed')
        sys.exit(1)
    os.execv(python, [python, *sys.argv])


enter()
