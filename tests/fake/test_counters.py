#!/usr/bin/python3
"""`:why slow` with what a GPU counts: by a CUPTI that holds its callers to the order of calls
and to NVIDIA's sizes (cupti.c). The last line is `N passed, N failed`."""
import os
import re
import sys

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)),
                os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
import fakegpu  # noqa: E402
from score import Score, folder  # noqa: E402

CUPTI = os.path.join(fakegpu.FAKE, 'libcupti.so')
BLOCK = 'A = ones(64, 48); p = ones(48); r = ones(64);\nprint(A[1, 1])\n'
ONE = 'q = A*p; s = A\'*r;\nprint(sum(q) + sum(s))\n'
TWO = 'w = exp(A); y = w*p;\nprint(y[1])\n'
TRAFFIC = (r'counted: 1\.00 MiB read from memory, 2\.00 KiB written, 40 % of its rate; '
           r'40 % of what the cache was asked for was there\n')
WARPS = (r'counted: 40 % of the warps that fit, instructions in 40 % of cycles; they wait for '
         r'data from memory 60 %, other warps at a barrier 10 %\n')

score = Score()


def run(text, **more):
    home = folder('counters')
    path = os.path.join(home, 'program.fs')
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)
    env = fakegpu.environment(home, FUSIBLE_FAKE_CC='90', FUSIBLE_FAKE_UNITS='18', **more)
    return fakegpu.run(['--no-rc', '--target', 'cuda', path], env)


def counted():
    """Of one launch, each time; values stay, and so does what the block runs as."""
    done = run(BLOCK + ONE + ':why slow\n:why slow k1\nprint(sum(q))\n' + TWO + ':why slow k1\n',
               FUSIBLE_CUPTI=CUPTI)
    score.check(done.returncode == 0, 'it ends well', done.stdout + done.stderr)
    score.check(len(re.findall(TRAFFIC + WARPS, done.stdout)) == 3, 'counted three times',
                done.stdout)
    score.check('\n3072\n' in done.stdout, 'the values are as they were', done.stdout)


def missing():
    done = run(BLOCK + ONE + ':why slow\nprint(1)\n')
    score.check('not counted: CUPTI (libcupti.so) was not found' in done.stdout
                and done.returncode == 0, 'it is not there', done.stdout + done.stderr)
    done = run(BLOCK + ONE + ':why slow\n', FUSIBLE_CUPTI=os.path.join(fakegpu.FAKE, 'cublas.so'))
    score.check('not counted: CUPTI (libcupti.so) is older than CUDA 12.6' in done.stdout,
                'it is old', done.stdout + done.stderr)


def refused():
    """Every call of CUPTI may fail: a sentence, and the session goes on."""
    calls = ('ProfilerInitialize', 'DeviceGetChipName', 'ProfilerHostInitialize',
             'ProfilerHostConfigAddMetrics', 'ProfilerHostGetConfigImageSize',
             'ProfilerHostGetConfigImage', 'RangeProfilerEnable',
             'RangeProfilerGetCounterDataSize', 'RangeProfilerCounterDataImageInitialize',
             'RangeProfilerSetConfig', 'RangeProfilerStart', 'RangeProfilerPushRange',
             'RangeProfilerPopRange', 'RangeProfilerStop', 'RangeProfilerDecodeData',
             'ProfilerHostEvaluateToGpuValues')
    for call in calls:
        done = run(BLOCK + ONE + ':why slow\nprint(sum(s))\n:why slow\n', FUSIBLE_CUPTI=CUPTI,
                   FUSIBLE_FAKE_FAIL=f'cupti{call}:1:35')
        told = 'not counted: the driver lets administrators alone read counters'
        score.check(done.stdout.count(told) == 1 and '\n3072\n' in done.stdout
                    and re.search(TRAFFIC + WARPS, done.stdout) and done.returncode == 0,
                    f'{call} refused, then allowed', done.stdout + done.stderr)
    for code, words in ((26, 'another profiler has'), (33, 'this virtual GPU has no counters'),
                        (7, 'CUPTI gave CUPTI_ERROR_INVALID_OPERATION')):
        done = run(BLOCK + ONE + ':why slow\n', FUSIBLE_CUPTI=CUPTI,
                   FUSIBLE_FAKE_FAIL=f'cuptiRangeProfilerEnable:*:{code}')
        score.check(f'not counted: {words}' in done.stdout, f'status {code}',
                    done.stdout + done.stderr)


def main():
    counted()
    missing()
    refused()
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
