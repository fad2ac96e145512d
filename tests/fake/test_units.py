#!/usr/bin/python3
"""The unit tests that take a device when there is one, on the fake GPU. The last line is
`N passed, N failed`."""
import os
import re
import subprocess
import sys

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)),
                os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
import fakegpu  # noqa: E402
from score import Score, folder  # noqa: E402

LIBRARIES = {f'FUSIBLE_{name.upper()}': os.path.join(fakegpu.FAKE, f'{name}.so')
             for name in ('cublas', 'cusolver')}


def main():
    score, home = Score(), folder('fake-units')
    for name, args, more in (('test_library', [], {}), ('test_cuda', [], {}),
                             ('test_library', ['failing'], LIBRARIES)):
        done = subprocess.run([os.path.join(fakegpu.BUILD, 'unit', name), *args], text=True,
                              capture_output=True, check=False,
                              env=fakegpu.environment(home, **more))
        found = re.search(r'^(\d+) passed, 0 failed', done.stdout, re.M)
        score.check(done.returncode == 0 and found and int(found[1]) > 400,
                    f'{name} {args}', done.stdout[-500:] + done.stderr[-1500:])
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
