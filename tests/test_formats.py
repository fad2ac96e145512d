#!/usr/bin/python3
"""Files of other programs: .safetensors, HDF5 beside h5py, images.

Each array comes back with its type, its shape and its elements. Damaged files, ones that
declare more than they hold and ones that need what is not there are refused in one sentence,
within little memory. Without libhdf5 or h5py what needs them is left out.

The last line is `N passed, N failed`.
"""
import json
import os
import resource
import struct
import subprocess
import sys
import zlib

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, 'fake')]
import fakegpu  # noqa: E402
import score as scores  # noqa: E402

try:
    import h5py
except ImportError:
    h5py = None

score = scores.Score()
FOLDER = scores.folder('formats')
NAMES = {'bool': '?', 'u8': 'u1', 'i8': 'i1', 'u16': 'u2', 'i16': 'i2', 'u32': 'u4', 'i32': 'i4',
         'i64': 'i8', 'u64': 'u8', 'f16': 'f2', 'f32': 'f4', 'f64': 'f8', 'c64': 'c8', 'c128': 'c16'}
SAFE = {'bool': 'BOOL', 'c64': 'C64', 'c128': 'C128'}
SHAPES = [(), (1,), (5,), (0,), (3, 4), (2, 0, 3), (2, 3, 4), (1, 2, 1, 2, 3, 2)]


def run(text):
    """What a script says; its memory is bounded."""
    limit = 3 << 30
    done = subprocess.run([fakegpu.PROGRAM, '-e', text], cwd=FOLDER, capture_output=True, text=True,
                          env=dict(os.environ, HOME=FOLDER), timeout=600,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (limit, limit)))
    return done.stdout, done.stderr


def array(name, shape, seed):
    n = int(np.prod(shape))
    x = (np.arange(n) * 37 + seed) % 101
    if name[0] == 'i' or name[0] in 'fc':
        x = x - 50
    if name == 'bool':
        x = x % 2
    if name[0] == 'c':
        x = x + 1j * ((x * 3) % 7)
    return x.astype(NAMES[name]).reshape(shape)


def same(what, got, want):
    score.check(got is not None and got.dtype == want.dtype and got.shape == want.shape and
                np.array_equal(got, want), f'{what}: {got!r} is not {want!r}')


def loaded(calls):
    """The arrays that load() calls give, by .npy files, which other suites are about."""
    text = '\n'.join(f'save("out{k}.npy", {call});' for k, call in enumerate(calls))
    _, said = run(text)
    out = []
    for k in range(len(calls)):
        path = os.path.join(FOLDER, f'out{k}.npy')
        out.append(np.load(path) if os.path.exists(path) else None)
        if os.path.exists(path):
            os.unlink(path)
    if said.strip():
        print(said)
    return out


def refused(call, words):
    out, said = run(call)
    score.check(words in said and 'error: cannot' in said, f'{call}: no "{words}" in {out}{said}')


def all_arrays():
    return {f'{t}_{k}': array(t, shape, 7 * k) for t in NAMES for k, shape in enumerate(SHAPES)}


def save_lines(arrays, ending):
    """A script that loads arrays from an .npz and saves them in another format."""
    np.savez(os.path.join(FOLDER, 'all.npz'), **arrays)
    names = ', '.join(arrays)
    _, said = run(f':load all.npz\nsave("all.{ending}", {names});')
    score.check(not said.strip(), f'saving .{ending}: {said}')


# -- .safetensors ---------------------------------------------------------------------


def put_safetensors(path, arrays, header=None):
    entries, data = {'__metadata__': {'format': 'np'}}, b''
    for name, x in arrays.items():
        kind = name.split('_')[0]
        entries[name] = {'dtype': SAFE.get(kind, kind.upper()), 'shape': list(x.shape),
                         'data_offsets': [len(data), len(data) + x.nbytes]}
        data += x.tobytes()
    text = json.dumps(entries).encode() if header is None else header
    with open(os.path.join(FOLDER, path), 'wb') as f:
        f.write(struct.pack('<Q', len(text)) + text + data)


def check_safetensors():
    arrays = all_arrays()
    put_safetensors('given.safetensors', arrays)
    for (name, want), got in zip(arrays.items(),
                                 loaded([f'load("given.safetensors", "{n}")' for n in arrays])):
        same(name, got, want)
    save_lines(arrays, 'safetensors')
    with open(os.path.join(FOLDER, 'all.safetensors'), 'rb') as f:
        raw = f.read()
    n, = struct.unpack('<Q', raw[:8])
    header = json.loads(raw[8:8 + n])
    score.check(n % 8 == 0 and list(header) == list(arrays), 'the header is aligned and in order')
    for name, want in arrays.items():
        e = header[name]
        a, b = e['data_offsets']
        score.check(e['dtype'] == SAFE.get(name.split('_')[0], name.split('_')[0].upper()) and
                    e['shape'] == list(want.shape) and raw[8 + n + a:8 + n + b] == want.tobytes(),
                    f'{name} as {e}')
    bad = {'dtype': '"F32", "shape": [2], "data_offsets": [0, 4]',
           'ends within x': '"F32", "shape": [2], "data_offsets": [0, 8]',
           'damaged at x': '"F32", "shape": [-2], "data_offsets": [0, 8]',
           'which is none here': '"F8_E4M3", "shape": [2], "data_offsets": [0, 2]',
           'more than 6 dimensions': '"U8", "shape": [1,1,1,1,1,1,1], "data_offsets": [0, 1]'}
    for words, text in bad.items():
        put_safetensors('bad.safetensors', {}, b'{"x": {"dtype": ' + text.encode() + b'}}')
        refused('load("bad.safetensors")', 'damaged at x' if words == 'dtype' else words)
    for raw, words in ((b'', 'ends within its header'), (b'\xff' * 8, 'header is damaged'),
                       (struct.pack('<Q', 50) + b'{}', 'ends within its header'),
                       (struct.pack('<Q', 2) + b'{}', 'holds no arrays'),
                       (struct.pack('<Q', 2) + b'[]', 'header is damaged')):
        with open(os.path.join(FOLDER, 'bad.safetensors'), 'wb') as f:
            f.write(raw)
        refused('load("bad.safetensors")', words)
    refused('load("given.safetensors", "nope")', "no array 'nope'")
    refused('load("given.safetensors")', 'it holds')


# -- HDF5 -----------------------------------------------------------------------------


def check_hdf5():
    arrays = all_arrays()
    with h5py.File(os.path.join(FOLDER, 'given.h5'), 'w') as f:
        for name, x in arrays.items():
            f[f'deep/er/{name}'] = x
        f['big'] = np.arange(5, dtype='>i4')
        f['packed'] = f.create_dataset('chunks', data=np.arange(10000, dtype='f8').reshape(100, 100),
                                       chunks=(10, 100), compression='gzip', shuffle=True)
        f['text'] = 'words'
        f['large'] = np.array([2 ** 63], 'u8')
        f.create_dataset('bomb', shape=(10 ** 6, 10 ** 6), chunks=(100, 100), dtype='f4')
    calls = [f'load("given.h5", "/deep/er/{n}")' for n in arrays]
    for (name, want), got in zip(arrays.items(), loaded(calls)):
        same(name, got, want)
    got = loaded(['load("given.h5", "big")', 'load("given.h5", "packed")'])
    same('big-endian', got[0], np.arange(5, dtype='i4'))
    same('in chunks', got[1], np.arange(10000, dtype='f8').reshape(100, 100))
    save_lines({n: x for n, x in arrays.items() if not n.startswith('f16')}, 'h5')
    with h5py.File(os.path.join(FOLDER, 'all.h5'), 'r') as f:
        for name, want in arrays.items():
            if not name.startswith('f16'):
                same(f'saved {name}', f[name][()] if want.ndim else np.array(f[name][()]),
                     want.astype('u1') if name.startswith('bool') else want)
    refused('load("given.h5", "text")', 'holds no numbers')
    same('large', loaded(['load("given.h5", "large")'])[0], np.array([2 ** 63], 'u8'))
    refused('load("given.h5", "bomb")', 'would take 4000000000000 in memory')
    refused('load("given.h5", "none")', "no array 'none'")
    refused('save("x.h5", f16([1]))', 'has no type for f16')
    with open(os.path.join(FOLDER, 'given.h5'), 'rb') as f:
        raw = f.read()
    for name, data, words in (('no.h5', b'abc', 'no HDF5 file'), ('cut.h5', raw[:600], 'damaged')):
        with open(os.path.join(FOLDER, name), 'wb') as f:
            f.write(data)
        refused(f'load("{name}")', words)


def check_filter():
    """A filter that libhdf5 does not have: its number in the file is changed."""
    with h5py.File(os.path.join(FOLDER, 'filter.h5'), 'w') as f:
        f.create_dataset('x', data=np.zeros(1000), chunks=(100,), compression='gzip')
    path = os.path.join(FOLDER, 'filter.h5')
    with open(path, 'rb') as f:
        raw = f.read()
    at = raw.find(b'deflate')
    score.check(at > 8, 'the filter is in the file by name')
    with open(path, 'wb') as f:
        f.write(raw[:at - 8] + struct.pack('<H', 32999) + raw[at - 6:])
    refused('load("filter.h5")', 'the filter 32999')


# -- images ---------------------------------------------------------------------------


def chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))


def put_png(path, w, h, depth, colour, rows, extra=b''):
    with open(os.path.join(FOLDER, path), 'wb') as f:
        f.write(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', w, h, depth, colour, 0, 0, 0)) +
                extra + chunk(b'IDAT', zlib.compress(b''.join(b'\0' + r for r in rows))) + chunk(b'IEND', b''))


def image(shape, dtype):
    return ((np.arange(int(np.prod(shape))) * 7919) % np.iinfo(dtype).max).astype(dtype).reshape(shape)


def check_images():
    for shape in ((1, 1), (31, 33), (5, 3, 3), (4, 7, 2), (3, 5, 4), (300, 200, 3)):
        for dtype in (np.uint8, np.uint16):
            x = image(shape, dtype)
            np.save(os.path.join(FOLDER, 'x.npy'), x)
            endings = ['png'] + (['pgm'] if x.ndim == 2 else ['ppm'] if shape[-1] == 3 else [])
            for e in endings:
                run(f'save("x.{e}", load("x.npy"));')
                same(f'{shape} as .{e}', loaded([f'load("x.{e}")'])[0], x)
            if x.ndim == 2:
                put_png('y.png', shape[1], shape[0], 8 * x.itemsize, 0,
                        [r.astype(r.dtype.newbyteorder('>')).tobytes() for r in x])
                same('made here', loaded(['load("y.png")'])[0], x)
    put_png('bits.png', 10, 2, 1, 0, [b'\xaa\x80', b'\x0f\x00'])
    want = np.array([[1, 0] * 4 + [1, 0], [0] * 4 + [1] * 4 + [0, 0]], 'u1') * 255
    same('of single bits', loaded(['load("bits.png")'])[0], want)
    put_png('table.png', 2, 1, 8, 3, [b'\1\0'], chunk(b'PLTE', bytes([1, 2, 3, 4, 5, 6])))
    same('of a table', loaded(['load("table.png")'])[0], np.array([[[4, 5, 6], [1, 2, 3]]], 'u1'))


def check_text_images():
    for text, want in (('P2\n# a word\n3 2 # two\n9\n1 2 3\n4 5 9\n', [[1, 2, 3], [4, 5, 9]]),
                       ('P3 1 1 255 1 2 3', [[[1, 2, 3]]])):
        with open(os.path.join(FOLDER, 't.pgm'), 'w', encoding='ascii') as f:
            f.write(text)
        same(text, loaded(['load("t.pgm")'])[0], np.array(want, 'u1'))
    for data, words in ((b'P2 3 2 9 1 2 3 4 5 10', 'above its largest'), (b'P5 3 2 9 ab', 'ends early'),
                        (b'P5 30000 20000 255\n' + b'x' * 99, 'cannot hold them'), (b'P5 0 1 9 ', 'no pixels'),
                        (b'P5 1 1 70000 ab', 'not 1 to 65535'), (b'P7', 'does not begin'), (b'P', 'ends early'),
                        (b'P2 2 1 9 1 x', 'a number is damaged'), (b'P5 99999999999 1 9 ', 'number is damaged')):
        with open(os.path.join(FOLDER, 'bad.pgm'), 'wb') as f:
            f.write(data)
        refused('load("bad.pgm")', words)
    refused('save("x.png", ones(2, 2))', 'holds u8 or u16, not f32')
    refused('save("x.pgm", u8(ones(2, 2, 3)))', 'holds grey values')
    refused('save("x.png", u8(ones(2, 2, 5)))', 'at most 4 colours')


def check_damage():
    np.save(os.path.join(FOLDER, 'x.npy'), image((40, 50), np.uint8))
    run('save("x.png", load("x.npy"));')
    with open(os.path.join(FOLDER, 'x.png'), 'rb') as f:
        good = f.read()
    ihdr = struct.pack('>IIBBBBB', 100000, 100000, 8, 2, 0, 0, 0)
    for data, words in ((good[:60], 'ends early'), (good[:20], 'ends early'), (b'\x89PNG', 'ends early'),
                        (b'x' * 100, 'damaged'), (good[:8] + chunk(b'IHDR', ihdr) + good[33:], 'cannot hold them'),
                        (good[:60] + b'\xff\xff' + good[62:], 'damaged')):
        with open(os.path.join(FOLDER, 'bad.png'), 'wb') as f:
            f.write(data)
        refused('load("bad.png")', words)


if __name__ == '__main__':
    check_safetensors()
    if h5py and 'version' not in run('load("none.h5")')[1]:
        check_hdf5()
        check_filter()
    check_images()
    check_text_images()
    check_damage()
    sys.exit(score.close())
