#!/usr/bin/env python3
"""Golden kernels: each tests/emit/NAME.fs is planned for GPUs that are not here, and what
`:dump code` prints of it must be NAME.cu: how each kernel is launched, and its text.

    tests/test_emit.py [--update] [NAME...]

A program's remark says for which devices, `h200` if it says nothing:

    # devices: h200 h100 a100 plain

The devices are those of tests/fake/driver.c, with the costs of core/model/reference; on an
A100, and on an H200 as `plain`, kernels have what an sm_80 can. Nothing runs. What a text
takes of elemlib/cuda as it stands there is one line here: `// reduce.cuh: fs_warp`.

Together the kernels have every scheme, mode, copy, joint, type of elements, type of
arguments and width of indices that the sources name, every skeleton of elemlib/scheme,
and what is listed in GATES: what has no kernel fails. --update (or UPDATE=1) rewrites the
.cu files. The last line is `N passed, N failed`.
"""
import argparse
import difflib
import glob
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, 'fake')]
import fakegpu  # noqa: E402
from score import Score  # noqa: E402

ROOT = fakegpu.ROOT
FOLDER = os.path.join(HERE, 'emit')
DEVICES = {'h200': {}, 'h100': {}, 'a100': {}, 'plain': {'FUSIBLE_KERNELS': 'plain'}}
score = Score()
check = score.check


# -- texts ---------------------------------------------------------------------------


def library():
    """What elemlib/cuda has: {text of a piece: (file, what it is about)}."""
    found = {}
    for path in sorted(glob.glob(os.path.join(ROOT, 'elemlib/cuda/*.cuh'))):
        with open(path, encoding='utf-8') as f:
            for piece in re.split(r'\n//@ ', f.read())[1:]:
                names, _, text = piece.partition('\n')
                found[text.strip('\n') + '\n\n'] = (os.path.basename(path), names.split()[0])
    with open(os.path.join(ROOT, 'core/graph/reductions.def'), encoding='utf-8') as f:
        for name, merge in re.findall(r'^FS_REDUCE_OP\(.*?(fs_\w+), +(.*?), +(?:SUM|EXTREME),',
                                      f.read(), re.M):
            found[f'struct {name} {{\n  template <typename T>\n  __device__ __forceinline__ static '
                  f'T of(T a, T b) {{ return {merge}; }}\n}};\n\n'] = ('reduce.cuh', name)
    return found


def without_library(text, known):
    """The text, with one line for neighbouring pieces of a file of the library."""
    for piece, (file, name) in known.items():
        text = text.replace('\n' + piece, f'\n// {file}: {name}\n')
    while True:
        text, n = re.subn(r'^(// (\S+\.cuh): .*)\n// \2: (.*)$', r'\1 \3', text, flags=re.M)
        if not n:
            return text


def run(path, device, home):
    env = fakegpu.environment(home, FUSIBLE_FAKE_DEVICE=device if device != 'plain' else 'h200',
                              FUSIBLE_REFERENCE_DEVICE='measured', LC_ALL='C.UTF-8',
                              XDG_STATE_HOME=home, **DEVICES[device])
    done = fakegpu.run(['--target', 'cuda', '--no-rc', '--plan', 'off', '--quiet', '--color',
                        'never', os.path.basename(path)], env, cwd=os.path.dirname(path))
    return done.returncode, done.stdout, done.stderr


def devices_of(script):
    m = re.search(r'^# devices: (.*)$', script, re.M)
    return m[1].split() if m else ['h200']


def golden(path, known, home, update):
    """Gives what was printed, by device."""
    name = os.path.basename(path)[:-3]
    with open(path, encoding='utf-8') as f:
        devices = devices_of(f.read())
    found, text = {}, ''
    for device in devices:
        status, out, err = run(path, device, home)
        check(status == 0 and not err, f'{name} on {device}: runs', f'status {status}\n{err}')
        found[device] = out
        text += f'==== {device}\n' + without_library(out, known)
        check('\nfs_kernel(' in out or name == 'library', f'{name} on {device}: has a kernel', out)
    file = path[:-3] + '.cu'
    if update:
        with open(file, 'w', encoding='utf-8') as f:
            f.write(text)
    want = open(file, encoding='utf-8').read() if os.path.exists(file) else ''
    lines = difflib.unified_diff(want.splitlines(True), text.splitlines(True), name + '.cu',
                                 'found')
    check(text == want, f'{name}: as kept', ''.join(lines))
    return found


# -- what they have between them -----------------------------------------------------------


def enum(name):
    """The names of an enum of the sources, wherever it stands."""
    for path in glob.glob(os.path.join(ROOT, 'core/**/*.h'), recursive=True):
        with open(path, encoding='utf-8') as f:
            m = re.search(rf'enum {name} {{(.*?)}}', f.read(), re.S)
        if m:
            body = re.sub(r'/\*.*?\*/', '', m[1], flags=re.S)
            return [re.split(r'\s*=', x.strip())[0] for x in body.split(',') if x.strip()]
    return []


def rows(table, macro):
    with open(os.path.join(ROOT, table), encoding='utf-8') as f:
        return ['FS_' + x for x in re.findall(rf'^{macro}\((\w+), +"', f.read(), re.M)]


def dtypes():
    return rows('core/graph/dtypes.def', 'FS_DTYPE')


def schemes():
    return rows('core/kernel/scheme.def', 'FS_SCHEME')


def modes():
    return [x.replace('FS_', 'FS_MODE_') for x in rows('core/schedule/modes.def', 'FS_MODE')]


# How a kernel of each shows it. A name that the sources have and this has not fails.
SIGNS = {
    'fs_scheme': {
        'FS_FLAT': r'^# k\d+ flat$', 'FS_ROW': r'^# k\d+ row$', 'FS_TILE': r'^# k\d+ tile$',
        'FS_LIBRARY': r'^# k\d+ library$', 'FS_INSTANCE': r'^# k\d+ instance$',
        'FS_MARCH': r'^# k\d+ march$'},
    'fs_mode': {
        'FS_MODE_FLAT': '^// scheme flat', 'FS_MODE_KEEP': '^// scheme row;',
        'FS_MODE_CHUNK': '^// scheme row, in chunks', 'FS_MODE_STRIPS': '^// scheme row, in strips',
        'FS_MODE_PARTS': '^// scheme row, in parts',
        'FS_MODE_TURN': '^// scheme tile, turned', 'FS_MODE_TILE': '^// scheme tile;', 'FS_MODE_INSTANCE': '^// scheme instance',
        'FS_MODE_MARCH': '^// scheme march'},
    'fs_copies': {
        'FS_COPIES_NOTHING': '^// scheme', 'FS_COPIES_BASE': '^// copy before ',
        'FS_COPIES_AROUND': '^// copy around ', 'FS_COPIES_READ': '^// copy read by ',
        'FS_COPIES_VALUE': '^// copy to the part by '},
    'fs_joint': {
        'FS_LAUNCH': '^launch: ', 'FS_BARRIER': 'fs_grid_barrier',
        'FS_BESIDE': 'namespace phase'},
    'fs_param_type': {
        'FS_PARAM_INT': r'params: .*\d int', 'FS_PARAM_DOUBLE': r'params: .*\d double',
        'FS_PARAM_FLOAT': r'params: .*\d float', 'FS_PARAM_F16_TWICE': 'params: .*two f16',
        'FS_PARAM_BF16_TWICE': 'params: .*two bf16'},
}
TYPES = {
    'FS_BOOL': r'const fs_bool \*const a', 'FS_I32': r'const int \*const a',
    'FS_U8': r'const fs_u8 \*const a', 'FS_I8': r'const fs_i8 \*const a',
    'FS_U16': r'const fs_u16 \*const a', 'FS_I16': r'const fs_i16 \*const a',
    'FS_U32': r'const fs_u32 \*const a', 'FS_U64': r'const fs_u64 \*const a', 'FS_I64': r'const long long \*const a', 'FS_F16': r'const fs_f16 \*const a',
    'FS_BF16': r'const fs_bf16 \*const a', 'FS_F32': r'const float \*const a',
    'FS_F64': r'const double \*const a'}
WIDTHS = {'indices of 32 bits': '^typedef int fs_index;',
          'indices of 64 bits': '^typedef long long fs_index;'}
# What else a kernel may have, each with choices of its own in planner and emitter.
LOOP = r'for \(fs_index (first|i|tile) '
GATES = {
    'a launch that begins before the last one ends': r'^shared: .*; waits',
    'a lane': '; 1 lane x ', 'vectors of two': '; 2 lanes x ', 'of four': '; 4 lanes x ',
    'of eight': '; 8 lanes x ', 'several vectors': r'lanes x [2-9]\d* vectors',
    'two halves at once': '^// scheme flat.*, in pairs', 'in strips': '^// scheme row.*, in pairs',
    'in a march': r'^// scheme march(?s:.*?)fs_pair<fs_bf16> v',
    'a piece for each block': '^launch: .*, each once', 'waves': '^launch: .* waves of ',
    'a row for some threads': '^// scheme row;.*, 32 on a row', 'or for few': r', [248] on a row',
    'several rows at once': '^// scheme row;.* rows at once',
    'edges of rows in a way of their own': r'} else {\n#pragma unroll 1\n +for \(int b = 0',
    'what columns have, before the rows': r'fs_load\(v\d+(\[c\])?, a\d+ \+ j\);\n  }\n  ' + LOOP,
    'the next row ahead': r'n\d+\[c\]', 'what a row has of its own by a thread': r'\bown\d+\b',
    'a ring of rows': '; ring of ', 'bulk copies': r'fs_bulk_copy\(',
    'a ring of several rows a turn': ' rows at once; ring of ',
    'a ring in a cluster': ' blocks to a row; ring of ', 'a ring in a phase': r'fs_bulk_fence\(',
    'a cluster without a ring': ' blocks to a row$', 'a launch in clusters': ' in clusters of ',
    'maps of tensors': '^map 0: ', 'a row in chunks': '^// scheme row, in chunks; [0-9]',
    'a map in strips': r'^launch: .*, each once.*\n.*\nslots: .*\n(// .*\n)+//\n// scheme row, in strips',
    'sums in strips': r'^shared: .*workspace.*\nslots: .*\n(// .*\n)+//\n// scheme row, in strips',
    'tiles turned in registers': '^// scheme tile, turned', 'tiles that mirror': 'FS_OF_SQUARE',
    'several tiles a block': r'; ([2-9]|\d\d+) tiles a block',
    'rows or elements that stay': r'fs_cache_stays\(', 'reads that last': '^shared: .*; lasts',
    'a list of elements': r'fs_load_by_list', 'a list of rows': 'fs_place<',
    'short ways': r'bool rare = ', 'two at once': 'fs_extremes seen', 'elements that wait': r'^ +if \(left\) {',
    'a table': 'FS_COEFFICIENT', 'a table of halves': r'values\[FS_ERF_VALUES\]',
    'random numbers': r'fs_uniform_', 'normal ones': r'fs_normal_', 'a function of the user': 'fs_user',
    'sizes as arguments': '; sizes: ', 'of flat': '^// scheme flat; any size',
    'of rows': '^// scheme row; any size', 'of chunks': '^// scheme row, in chunks; any size',
    'another text that is quick': '^# compiled quickly', 'a barrier over the grid': '; cooperative',
    'a phase that each block does': 'all of them in each block',
    'numbers that pass in registers': r'^    float &c\d|, float &c\d',
}


def has(texts, sign):
    return any(re.search(sign, text, re.M) for text in texts)


def skeleton(path):
    """What the kernels of a skeleton match: its lines, with anything in place of hooks."""
    with open(path, encoding='utf-8') as f:
        lines = f.read().splitlines()
    while lines[0].startswith('//'):
        del lines[0]
    begin = next(k for k, x in enumerate(lines) if x.startswith('fs_kernel('))
    parts = [r'(?s:.*?)' if x.strip().startswith('//: ') else '^' + re.escape(x) + r'\n'
             for x in lines[begin:]]
    return ''.join(parts)


def covers(found):
    """Every name of the sources has a sign, and every sign a kernel."""
    everything = [text for by_device in found.values() for text in by_device.values()]
    for name, signs in SIGNS.items():
        names = {'fs_scheme': schemes, 'fs_mode': modes}.get(name, lambda: enum(name))()
        check(sorted(names) == sorted(signs), f'the signs of enum {name}',
              f'{sorted(names)} there, {sorted(signs)} here')
    check(sorted(dtypes()) == sorted(TYPES), 'the signs of the types', str(dtypes()))
    for signs in list(SIGNS.values()) + [TYPES, WIDTHS, GATES]:
        for what, sign in signs.items():
            if sign:
                check(has(everything, sign), f'a kernel with {what}', sign)
    check(any('a100' in x for x in found.values()), 'a kernel with FS_EMIT_PLAIN')
    for path in sorted(glob.glob(os.path.join(ROOT, 'elemlib/scheme/*.cuh'))):
        name = os.path.basename(path)
        if name != 'test.cuh':  # a stand-in of tests/unit/test_emit.c
            check(has(everything, skeleton(path)), f'a kernel of {name}')


def main():
    parser = argparse.ArgumentParser(description='golden kernels')
    parser.add_argument('--update', action='store_true', default=os.environ.get('UPDATE') == '1')
    parser.add_argument('pattern', nargs='*')
    args = parser.parse_args()
    known, found = library(), {}
    with tempfile.TemporaryDirectory() as home:
        for path in sorted(glob.glob(os.path.join(FOLDER, '*.fs'))):
            name = os.path.basename(path)[:-3]
            if not args.pattern or any(p in name for p in args.pattern):
                found[name] = golden(path, known, home, args.update)
    if not args.pattern:
        covers(found)
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
