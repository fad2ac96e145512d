#!/usr/bin/env python3
"""What `:race` says of the plan in use, beside bench-space's time of the same plan.

    bench/races.py [--target cuda] [--n 16384] [--build build] [--only NAME] [--json FILE]

The eleven sequences of sequences.def. Both take medians of interleaved runs on one device, each
in a process of its own. The exit status is 1 where one of over 50 us differs by more than 3 %.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CASE = re.compile(r'^SEQUENCE\(\w+, "(\w+)",((?:\s*"[^"]*")+),\s*"([^"]*)"', re.M)
MOST, LEAST = 0.03, 50e-6
UNITS = {'ms': 1e-3, 'µs': 1e-6, 's': 1}


def sequences():
    with open(os.path.join(ROOT, 'bench/sequences.def'), encoding='utf-8') as f:
        found = CASE.findall(f.read())
    return [(name, ''.join(re.findall(r'"([^"]*)"', inputs)), text) for name, inputs, text in found]


def by_space(o, folder):
    """Seconds of the first choice of each sequence, by name; also the device."""
    path = os.path.join(folder, 'space.json')
    subprocess.run([os.path.join(o.build, 'bench-space'), '--target', o.target, '--n', str(o.n),
                    '--k', '8', '--seconds', '1', '--json', path] +
                   (['--case', o.only] if o.only else []), check=True,
                   stdout=subprocess.DEVNULL)
    with open(path, encoding='utf-8') as f:
        d = json.load(f)
    return {r['case']: r['first_us']*1e-6 for r in d['rows'] if r['n'] == o.n}, d


def by_race(o, inputs, text):
    """Seconds of the plan in use, of all its kernels."""
    stored = ''.join(f' {name}[1] = 1;' if 'len' in value else f' {name}[1, 1] = 1;'
                     for name, value in re.findall(r'(\w+) = rand\(([^)]*)\)', inputs)
                     if 'len' in value or ',' in value)
    text = f'n = {o.n}; len = n*n/2;\n{inputs}{stored}\n' + f'begin {text} end\n'*3 + ':race 1\n'
    done = subprocess.run([os.path.join(o.build, 'fusible'), '--no-rc', '--target', o.target,
                           '--plan', 'off', '-e', text], capture_output=True, text=True, check=False)
    row = re.search(r'^in use +\d+ +\S+ \S+ +([\d.]+) (\S+)', done.stdout, re.M)
    if not row:
        print(done.stdout, done.stderr)
        return None
    return float(row[1])*UNITS[row[2]]


def main():
    options = argparse.ArgumentParser()
    options.add_argument('--target', default='cuda')
    options.add_argument('--n', type=int, default=16384)
    options.add_argument('--build', default=os.path.join(ROOT, 'build'))
    options.add_argument('--only', default='', help='one sequence')
    options.add_argument('--json')
    o = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        space, d = by_space(o, folder)
    rows = []
    for name, inputs, text in sequences():
        if name not in space:
            continue
        rows.append({'case': name, 'race_us': None, 'space_us': space[name]*1e6})
        race = by_race(o, inputs, text)
        if race:
            rows[-1].update(race_us=race*1e6, ratio=race/space[name])
    print(f"{d['device']}, n = {o.n}, f32; us, medians")
    for r in rows:
        print('{case:10} race {race_us} space {space_us:.1f} ratio {ratio}'.format(
            ratio='-', **r) if r['race_us'] is None else
            '{case:10} race {race_us:9.1f} space {space_us:9.1f} ratio {ratio:.3f}'.format(**r))
    if o.json:
        with open(o.json, 'w', encoding='utf-8') as f:
            json.dump({'device': d['device'], 'n': o.n, 'rows': rows}, f, indent=1)
    off = [r for r in rows if not r['race_us'] or
           r['space_us'] > 1e6*LEAST and abs(r['ratio'] - 1) > MOST]
    return 1 if off else 0


if __name__ == '__main__':
    sys.exit(main())
