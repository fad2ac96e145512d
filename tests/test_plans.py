#!/usr/bin/env python3
"""Golden plans: each tests/plan/NAME.fs is run, and what it prints, among it
`:plan dump`, must be NAME.out. Remarks in the script are checked as well:

    # kernels: N        of the last block
    # schemes: row flat library ...   of its kernels, in launch order

UPDATE=1 rewrites the .out files. The last line is `N passed, N failed`.
"""
import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
UPDATE = os.environ.get('UPDATE') == '1'
# FUSIBLE_REFERENCE_DEVICE makes plans independent of the machine; predicted times
# are left out, so that a better model changes only what it decides.
# So are the counts of the space, which tests/unit/test_space.c is about.
TIMES = re.compile(r', predicted [0-9.]+ us, bound by \w+'
                   r'|^  (space|pruned|  on chip): .*\n', re.M)

passed = failed = 0


def check(ok, what, detail=''):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print(f'FAIL {what}\n{detail}'.rstrip())


def run(fusible, path, folder):
    env = dict(os.environ, XDG_CACHE_HOME=folder, XDG_CONFIG_HOME=folder,
               XDG_STATE_HOME=folder, LC_ALL='C.UTF-8',
               FUSIBLE_REFERENCE_DEVICE='1')
    done = subprocess.run(
        [fusible, '--target', 'cpu', '--threads', '2', '--plan', 'off',
         '--quiet', '--color', 'never', os.path.basename(path)],
        cwd=os.path.dirname(path), env=env, capture_output=True, text=True,
        timeout=120)
    return done.returncode, TIMES.sub('', done.stdout), done.stderr


def remark(text, key):
    m = re.search(rf'^# {key}: (.*)$', text, re.M)
    return m[1].split() if m else None


def main():
    parser = argparse.ArgumentParser(description='golden plans')
    parser.add_argument('--fusible', default=os.environ.get(
        'FUSIBLE', os.path.join(ROOT, 'build', 'fusible')))
    parser.add_argument('pattern', nargs='*')
    args = parser.parse_args()
    fusible = os.path.abspath(args.fusible)
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(glob.glob(os.path.join(ROOT, 'tests/plan/*.fs'))):
            name = os.path.basename(path)[:-3]
            if args.pattern and not any(p in name for p in args.pattern):
                continue
            status, out, err = run(fusible, path, folder)
            check(status == 0 and not err, f'{name}: runs',
                  f'status {status}\n{out}{err}')
            with open(path, encoding='utf-8') as f:
                script = f.read()
            last = out[out.rfind('> plan:'):]
            found = re.findall(r'^  k\d+ (\w+)', last, re.M)
            kernels, schemes = remark(script, 'kernels'), remark(script,
                                                                 'schemes')
            check(kernels == [str(len(found))], f'{name}: number of kernels',
                  f'{kernels} wanted, {len(found)} found\n{last}')
            if schemes:
                check(schemes == found, f'{name}: schemes',
                      f'{schemes} wanted, {found} found')
            golden = path[:-3] + '.out'
            if UPDATE:
                with open(golden, 'w', encoding='utf-8') as f:
                    f.write(out)
            want = open(golden, encoding='utf-8').read() \
                if os.path.exists(golden) else '(there is none)\n'
            check(out == want, f'{name}: plan',
                  f'--- {name}.out\n{want}--- found\n{out}')
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
