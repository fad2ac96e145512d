#!/usr/bin/env python3
"""Golden plans: each tests/plan/NAME.fs is run, and what it prints, among it
`:plan dump`, must be NAME.out. It is planned as well for GPUs that are not here, with the
costs of core/model/reference, and with the settings of each kernel that must be NAME.gpu:
all of an H200's, and in what an H100's and an A100's differ from it. Remarks in the script
are checked as well, on the CPU:

    # kernels: N        of the last block
    # schemes: row flat library ...   of its kernels, in launch order

UPDATE=1 rewrites the .out files. The last line is `N passed, N failed`.
"""
import argparse
import difflib
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'fake'))
import fakegpu  # noqa: E402

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
        timeout=600)
    return done.returncode, TIMES.sub('', done.stdout), done.stderr


def settings(event):
    """A line for each kernel: "launch, threads 256, vector 4"."""
    return [', '.join([k['joint']] + [f'{x} {v}' for x, v in (k.get('setting') or {}).items()])
            for k in event['kernels']]


def with_settings(out):
    """The dumps of plans, each followed by the plan as JSON, as one text."""
    text = ''
    for part in re.split(r'^\]\n', out, flags=re.M):
        dump, found, array = re.search(r'(?ms)\A(.*?)(?:^(\[)\n(.*))?\Z', part).groups()
        lines = settings(json.loads(f'[{array}]')[-1]) if found else []
        begin = dump.rfind('> plan:')
        plan = re.sub(r'(?m)^(  k(\d+) .*\n)',
                      lambda m: f'{m[1]}    {lines[int(m[2]) - 1]}\n' if lines else m[1],
                      dump[begin:])
        text += dump[:begin] + plan if begin >= 0 else dump
    return text


def run_gpu(fusible, path, device, folder):
    with open(path, encoding='utf-8') as f:
        script = re.sub(r'(?m)^:plan dump$', ':plan dump\n:plan json', f.read())
    copy = os.path.join(folder, os.path.basename(path))
    with open(copy, 'w', encoding='utf-8') as f:
        f.write(script)
    env = fakegpu.environment(folder, FUSIBLE_FAKE_DEVICE=device, LC_ALL='C.UTF-8',
                              FUSIBLE_REFERENCE_DEVICE='measured')
    done = subprocess.run([fusible, '--target', 'cuda', '--no-rc', '--plan', 'off', '--quiet',
                           '--color', 'never', os.path.basename(path)], cwd=folder, env=env,
                          capture_output=True, text=True, timeout=600)
    return done.returncode, TIMES.sub('', with_settings(done.stdout)), done.stderr


def gpus(fusible, path, folder):
    """What is golden of a script's plans on GPUs."""
    name, first, text = os.path.basename(path)[:-3], '', ''
    for device in ('h200', 'h100', 'a100'):
        status, out, err = run_gpu(fusible, path, device, folder)
        check(status == 0 and not err, f'{name} on {device}: runs', f'status {status}\n{out}{err}')
        if not first:
            first = out
            text += f'==== {device}\n{out}'
            continue
        lines = list(difflib.unified_diff(first.splitlines(True), out.splitlines(True), n=0))[2:]
        text += f'==== {device}: ' + ('but for\n' + ''.join(
            '@@\n' if x.startswith('@@') else x for x in lines) if lines else 'the same\n')
    return text


def kept(text, path):
    """Whether a golden file has the text; rewrites it for UPDATE."""
    name = os.path.basename(path)
    if UPDATE:
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text)
    want = open(path, encoding='utf-8').read() if os.path.exists(path) else ''
    check(text == want, f'{name}: plan', ''.join(
        difflib.unified_diff(want.splitlines(True), text.splitlines(True), name, 'found')))


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
            kept(out, path[:-3] + '.out')
            kept(gpus(fusible, path, folder), path[:-3] + '.gpu')
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
