#!/usr/bin/env python3
"""Makes a calibration the reference of its kind of device (core/model/reference.c).
   usage: tools/reference.py calibration-<device>.json core/model/reference/cuda.json

The first is what `fusible calibrate` keeps. Numbers are cut to what measurements
say, functions of the user are left out, and each table is a line.
"""
import json
import sys


def short(x, digits=4):
    if isinstance(x, list):
        return [short(v, digits) for v in x]
    if not isinstance(x, float):
        return x
    x = float(f'{x:.{digits}g}')
    return int(x) if x == int(x) and abs(x) < 1e15 else x


def lines(name, value):
    """The members of an object, one a line."""
    members = ',\n'.join(f'  {json.dumps(k)}: {json.dumps(short(v))}'
                         for k, v in value.items())
    return f' {json.dumps(name)}: {{\n{members}}}'


def main():
    with open(sys.argv[1], encoding='utf-8') as f:
        made = json.load(f)
    made['calls'] = []
    made['kinds'] = {kind: [[*short(p[:-1]), round(p[-1], 3)] for p in points]
                     for kind, points in made['kinds'].items()}
    made['library'] = [{k: short(v) for k, v in p.items()} for p in made['library']]
    parts = [lines(k, v) if k in ('costs', 'curves', 'kinds')
             else f' {json.dumps(k)}: {json.dumps(short(v, 9))}' for k, v in made.items()]
    with open(sys.argv[2], 'w', encoding='utf-8') as f:
        f.write('{\n' + ',\n'.join(parts) + '\n}\n')


main()
