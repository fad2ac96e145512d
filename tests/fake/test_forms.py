#!/usr/bin/env python3
"""Each block of tests/gpu/forms.py takes the form of kernel that it is there for, as an H200
plans it that is not here and computes nothing: `scripts/gpu-check` then finds the forms where
there is one.

The last line is `N passed, N failed`.
"""
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), 'gpu')]
import fakegpu  # noqa: E402
from forms import CACHE, DTYPES, FORMS, codes  # noqa: E402
from score import Score  # noqa: E402


def main():
    score = Score()
    for dtype in DTYPES:
        forms = [form for form in FORMS if dtype in form.dtypes]
        with tempfile.TemporaryDirectory() as home:
            script = os.path.join(home, 'forms.fs')
            with open(script, 'w', encoding='utf-8') as f:
                f.write(''.join(form.text(dtype) for form in forms))
            done = fakegpu.run(
                ['--no-rc', '--plan', 'off', '--target', 'cuda', script],
                fakegpu.environment(home, FUSIBLE_FAKE_DEVICE='h200', FUSIBLE_FAKE_RUN='0',
                                    FUSIBLE_L2=CACHE, LC_ALL='C.UTF-8'))
        score.check(done.returncode == 0, f'{dtype}: {done.stderr[-1000:]}')
        found = codes(done.stdout)
        for form in forms:
            missing = form.missing(dtype, found.get(f'{form.name} {dtype}', ''))
            score.check(not missing, f'{form.name} {dtype}: its code has no {missing}')
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
