#!/usr/bin/env python3
"""Every call of the driver, of its compiler and of cuBLAS fails once: the first of its name
that a script makes, one in the midst of them, and the last. The script ends with its results
or with a sentence, and what it printed until then is what it prints without a failure."""
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import fakegpu  # noqa: E402
from score import Score  # noqa: E402

score = Score()
check = score.check
home = tempfile.TemporaryDirectory(prefix='fusible-calls-')

# Kernels alone, in one launch and over and over, products, solves, lists, sorting, random
# numbers, a replaced part, a value that is kept, and everything read back.
SCRIPT = """A = f64(mod(reshape(1:1600, 40, 40), 7)) + 20*eye(40); x = f64(mod(1:40, 5));
q = A*x; s = A'*q; print(sum(s))
B = A*A; y = B \\ x; print(round(sum(y)*1e6))
z = sort(mod(7*(1:1000), 13)); print(z[1:3], cumsum(z)[1000])
r = rand(100); print(sum(r) > 0); w = z[[5, 1, 1000]]; print(w)
x[3:9] = 1; print(sum(x)); v = 0; u = f32(zeros(50));
for k = 1:70
  u = mod(3*u + k, 11); v = v + sum(u);
end
print(v); h = softmax(f32(mod(reshape(1:6000, 20, 300), 9))); print(round(sum(h)))
"""
CODES = (1, 2, 700)


def run(folder=None, **more):
    with tempfile.TemporaryDirectory(dir=home.name) as own:
        return subprocess.run(
            [fakegpu.PROGRAM, '--target', 'cuda', '-e', SCRIPT], text=True, cwd=own,
            env=fakegpu.environment(folder or home.name, FUSIBLE_FAKE_CC='90',
                                    FUSIBLE_CUBLAS=os.path.join(fakegpu.FAKE, 'cublas.so'), **more),
            capture_output=True, timeout=600, stdin=subprocess.DEVNULL, check=False)


def count_calls():
    """{name: how often the script calls it}"""
    path = os.path.join(home.name, 'counts')
    done = run(FUSIBLE_FAKE_COUNTS=path)
    check(done.returncode == 0, f'without a failure: {done.stderr}')
    counts = {}
    with open(path, encoding='utf-8') as f:
        for line in f:
            name, n = line.split()
            counts[name] = max(counts.get(name, 0), int(n))
    return done.stdout, counts


def try_out(case):
    good, name, call, code = case
    with tempfile.TemporaryDirectory(dir=home.name) as empty:  # where it is to compile
        folder = empty if name.startswith('nvrtc') else home.name
        done = run(folder, FUSIBLE_FAKE_FAIL=f'{name}:{call}:{code}')
    what = f'{name}:{call}:{code}: {done.returncode}\n{done.stdout}{done.stderr}'
    check(done.returncode in (0, 1, 3), what)
    check(good.startswith(done.stdout) and (done.returncode or done.stdout == good), what)
    check(done.returncode == 0 or len(done.stderr.strip()) > 20, f'no sentence: {what}')


def main():
    good, counts = count_calls()
    check(len(counts) >= 40, f'{len(counts)} calls: {sorted(counts)}')
    cases = [(good, name, call, CODES[(k + len(name)) % len(CODES)])
             for name, n in sorted(counts.items())
             for k, call in enumerate(sorted({1, (n + 1) // 2, n}))]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(try_out, cases))
    print(f'{len(counts)} calls of the driver, {len(cases)} failures')
    home.cleanup()
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
