#!/usr/bin/env python3
"""Thins measurements of a calibration to the fixture of tests/unit/test_plan.c.
   usage: tools/samples.py calibrate-raw.json tests/data/h200-samples.json

The first comes from `fusible --target cuda calibrate raw calibrate-raw.json` on an
H200. Kept are the f32 kernels, but for operations and library calls and for some of
the sizes. A row: scheme, pattern, bytes read, written and strided, working set,
rows, operations, special ones times 8, seconds, terms, uneven, spread, the number
of its block (the same kernels with other settings have the same).
"""
import json
import sys

LEFT_OUT = {(64, 64), (2501, 2501), (1502, 1502), (100, 20000),
            (1, 4096), (1, 1 << 14), (1, 1 << 18), (1, 1 << 21), (1, 1 << 25)}


def short(x):
    x = float(f'{x:.3g}')
    return int(x) if x == int(x) and x < 1e15 else x


def row(r, blocks):
    block = blocks.setdefault((r['text'], r['m'], r['n']), len(blocks))
    terms = [[name, phase, short(amount)] for name, phase, amount in r['terms']
             if amount > 0]
    numbers = [r['read'], r['written'], r['strided'], r['working_set'], r['rows'],
               r['flops'], 8 * r['special'], r['seconds']]
    return [r['scheme'], r['pattern'], *map(short, numbers), terms,
            int(r['uneven']), [short(x) for x in r['spread']], block]


def main():
    with open(sys.argv[1], encoding='utf-8') as f:
        samples = json.load(f)
    blocks, rows, seen = {}, [], set()
    for r in samples:
        key = (r['text'], r['m'], r['n'], r['scheme'], r['pattern'], *r['tune'])
        operations = r['m'] == 1 and r['text'].count('(') >= 4
        if (r['library'] or r['arith'] or operations or
                (r['m'], r['n']) in LEFT_OUT or key in seen):
            continue
        seen.add(key)
        rows.append(json.dumps(row(r, blocks), separators=(',', ':')))
    with open(sys.argv[2], 'w', encoding='utf-8') as f:
        f.write('[\n' + ',\n'.join(rows) + '\n]\n')
    print(f'{len(rows)} kernels of {len(blocks)} blocks')


if __name__ == '__main__':
    main()
