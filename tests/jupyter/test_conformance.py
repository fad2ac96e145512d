#!/usr/bin/python3
"""The public conformance test of Jupyter kernels, with every attribute set, on the
installed kernel: no test of it may be skipped."""
import peers  # noqa: F401, first: it changes the Python that runs this
import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from score import Score, folder  # noqa: E402
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.abspath(os.environ.get('BUILD', os.path.join(ROOT, 'build')))
HOME = folder('conformance')

os.environ.update(HOME=HOME, FUSIBLE_TARGET='cpu',
                  JUPYTER_DATA_DIR=os.path.join(HOME, 'data'),
                  JUPYTER_RUNTIME_DIR=os.path.join(HOME, 'runtime'),
                  IPYTHONDIR=os.path.join(HOME, 'ipython'))
for name in [n for n in os.environ if n.startswith('XDG_')]:
    del os.environ[name]
subprocess.run([os.path.join(BUILD, 'fusible'), 'kernel', 'install', '--user'],
               check=True, stdout=subprocess.DEVNULL)

import jupyter_kernel_test as jkt  # noqa: E402


class Kernel(jkt.KernelTests):
    kernel_name = 'fusible'
    language_name = 'fusible'
    file_extension = '.fs'
    code_hello_world = 'print("hello, world")'
    code_stderr = ':time on\na = 1;'
    completion_samples = [
        {'text': 'rand', 'matches': ['rand', 'randi', 'randn', 'randperm']},
        {'text': ':hel', 'matches': [':help']},
        {'text': 'subvec', 'matches': ['subvector32']},
        {'text': 'nothing_like_this', 'matches': []},
    ]
    complete_code_samples = ['1', 'x = 3', 'begin\n  a = 1\nend', ':help', '']
    incomplete_code_samples = ['x = (1 +', 'for k = 1:3', 'begin\n  a = 1']
    invalid_code_samples = ['x = )', 'end', '1 + * 2']
    code_page_something = '?rand'
    code_generate_error = 'x = there_is_no_such_name'
    code_execute_result = [
        {'code': '6*7', 'result': '42'},
        {'code': '[1, 2, 3]', 'result': 'f32[3]\n  1  2  3'},
        {'code': 'a = 40;\na + 2', 'result': '42', 'mime': 'text/plain'},
    ]
    code_display_data = [
        {'code': 'A = rand(32, 32);\nq = A*rand(32);', 'mime': 'text/html'},
        {'code': 'a = 1\nb = 2', 'mime': 'text/plain'},
    ]
    code_history_pattern = '6?7'
    supported_history_operations = ('tail', 'range', 'search')
    code_inspect_sample = 'rand'
    code_clear_output = ':clear'


class Welcome(jkt.IopubWelcomeTests):
    kernel_name = 'fusible'
    support_iopub_welcome = True


def main():
    score = Score()
    loader = unittest.TestLoader()
    suite = unittest.TestSuite(
        loader.loadTestsFromTestCase(c) for c in (Kernel, Welcome))
    result = unittest.TextTestRunner(sys.stdout, verbosity=1).run(suite)
    bad = len(result.failures) + len(result.errors)
    for k in range(result.testsRun):
        score.check(k >= bad, 'a test of jupyter_kernel_test')
    for test, why in result.skipped:
        score.check(False, f'skipped: {test}: {why}')
    unset = [a for a in vars(jkt.KernelTests)
             if not a.startswith('_') and not callable(getattr(jkt.KernelTests, a))
             and a not in vars(Kernel)]
    score.check(not unset, f'attributes that are not set: {unset}')
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
