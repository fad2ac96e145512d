#!/usr/bin/python3
"""The CUDA target without a GPU: the real program on the fake driver and compiler
of this folder, which run the emitted kernels as fibers.

Results must equal the CPU target's; what the driver can fail at must end in one
plain sentence and never in a crash, a wrong result or a hang. The last line is
`N passed, N failed`.
"""
import concurrent.futures
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import fakegpu  # noqa: E402
from fakegpu import FAKE, PROGRAM, ROOT  # noqa: E402

counts = {'passed': 0, 'failed': 0}
counting = threading.Lock()
home = tempfile.TemporaryDirectory(prefix='fusible-fake-')


def check(ok, what):
    with counting:
        counts['passed' if ok else 'failed'] += 1
        if not ok:
            print('FAILED:', what[:1500])
    return ok


def environment(**more):
    return fakegpu.environment(home.name, **more)


def fusible(script, *args, target='cuda', **more):
    return subprocess.run(
        [PROGRAM, '--target', target, *args, '-e', script], text=True,
        stdin=subprocess.DEVNULL, capture_output=True, timeout=600,
        env=environment(**more))


# Small integers: every sum is exact, so both targets print the same.
SETUP = '''
i = (1:40); j = (1:33)';
A = mod(i*j, 7) - 3; p = mod(1:33, 5) - 2; r = mod(1:40, 3) - 1;
A = A .* 1.0; p = p .* 1.0; r = r .* 1.0;
'''
PROGRAMS = {
    'BiCGK': 'begin q = A*p; s = A\'*r end\nq\ns\nq[3] + s[4]',
    'ATAX': 'y = A\'*(A*p);\ny',
    'GEMVER': 'B = A + r*p\' + r*p\'; x = 2*B\'*r + p; w = 3*B*x;\nw\nB',
    'row maximum': 'M = A - max(A, 2);\nM\nsum(M)',
    'sums': 'sum(A, 1)\nsum(A, 2)\nmin(A)\nsum(A .* A)',
    'put by lists': 'k = i32([1, 2, 2, 3, 3, 3, 7]); h = zeros(7, "i32");\n'
                    'h[k] += 1; h[k] -= i32(1:7); q = i64(h); q[k] *= 3\n'
                    'g = zeros(7); g[k] += f32(1:7)*0.25; H = f16(A); H[k, :] -= f16(A[1:7, :])\n'
                    'for i = 1:7; h[k[i]] = max(h[k[i]], i32(i)); end\nh\ng\nH[1:3, :]',
    'half': 'H = f16(A);\nH*f16(p)\nsum(H)',
    'product': 'A\'*A\n(A*A\')[2:4, 1:3]',
    'integers': 'K = i32(A); K*K\'',
    'gather': 'k = [3, 1, 2, 33]; p[k]\nA[[2, 40, 7], :]\nA[:, f16(k)]',
    'masks': 'A[A > 1]\nA[r > 0, :]\nA[:, p < 0]\nB = A; B[B < 0] = 9; B[r > 0, :] = 4; '
             'B[B > 8] += 1; B\nfind(A > 2)\nargmax(A)\nrowargmin(A)',
    'lists': 'B = A; B[[3, 1, 3], :] = 7*A[1:3, :]; B[:, [33, 2]] = 1; B\n'
             'q = p; q[[5, 1, 5]] = [1, 2, 3]; q',
    'reshaped': "vec(A')\nreshape(A[2:39, 1:30], 60, 19)\nvec(f16(A)[1:40, 2:33])",
    'every other': "x = mod(1:5001, 7).*1.0; H = f16(x);\nsum(x) + H[1]\n2*x[2:2:4990]\n"
                   '2*x[3:2:4990]\nA[2, 2:2:32] + A[3, 3:2:end]\nH[2:2:90] + H[5:2:93]',
    'update': 'C = A; C[2:5, 3] = 7; C[1, :] = p\'; C\nsum(C)',
}


def test_results():
    for name, text in PROGRAMS.items():
        cpu = fusible(SETUP + text, target='cpu')
        if cpu.returncode:
            print(f'note: {name} is not compared, the CPU says:', cpu.stderr)
            continue
        gpu = fusible(SETUP + text)
        check(gpu.returncode == 0 and gpu.stdout == cpu.stdout and
              not gpu.stderr, f'{name}: {gpu.stdout}\n{gpu.stderr}\n'
              f'but on the CPU\n{cpu.stdout}')
        again = fusible(SETUP + text)  # now from the cache
        check(again.stdout == gpu.stdout, f'{name}: other bits from the cache')
        solved = fusible(SETUP + text, FUSIBLE_CACHE='off')
        check(solved.stdout == gpu.stdout, f'{name}: other bits uncached')
        plain = fusible(SETUP + text, FUSIBLE_KERNELS='plain')
        check(plain.stdout == gpu.stdout, f'{name}: other bits from plain kernels')


# What the march scheme does, in blocks of that one kernel: column sums used on their
# own columns; rows and columns beyond the last tile and not, all sizes of elements,
# matrices that are made and stored, two sums at once, a slice, a maximum.
PANELS = {
    'two trips': "x = 2*A'*y + z; w = 3*A*x;\nw",
    'updated': "B = A + y*z'; x = 2*B'*y + z; w = 3*B*x; q = B*z;\nw\nq\nsum(B)",
    'normalised': 'C = A + sum(A, 1);\nsum(C, 1)\nsum(C, 2)',
    'two sums': "x = A'*y; v = A'*u; w = A*(x + 2*v); t = A*x;\nw\nt\nv",
    'slice': "S = A[:, 5:end]; x = S'*y; w = S*x;\nw",
    'greatest': "x = colmax(A)'; w = A*x;\nw\nx",
    # By 0, of 0 (of both signs), tiny: the short ways and the long ones.
    'quotients': "Q = (1e-20*A) ./ (1e20*y) ./ (z' + 0*sum(A, 1));\nQ\n"
                 'print(sum(Q == Q), sum(1 ./ Q == 1/0), sum(1 ./ Q == -1/0), '
                 'sum(Q == 1/0), sum(Q == -1/0), sum(abs(Q) < 1e-40))',
    'quotients summed': 'C = A + sum(A ./ (3*u + 1), 1);\nsum(C, 1)\nsum(C, 2)',
    'roots': 'C = sqrt(abs(A)) ./ (sum(A .* A, 1) - 1);\nC\nprint(sum(1 ./ C == 1/0))',
}


def quick_panels(program, wanted, what, **more):
    """The text that is compiled quickly is another, which makes the same."""
    with tempfile.TemporaryDirectory(prefix='fusible-fake-') as folder:
        quick = fusible(':set compile quick\n' + program, FUSIBLE_CACHE='off',
                        FUSIBLE_FAKE_KEEP=folder, **more)
        texts = [open(os.path.join(folder, x), encoding='utf-8').read()
                 for x in os.listdir(folder)]
    check(any('scheme march;' in x and 'fs_mbarrier' not in x for x in texts),
          f'{what}: no quick code')
    check(quick.stdout == wanted and not quick.stderr,
          f'{what}, quick: {quick.stdout}\n{quick.stderr}\nbut in full\n{wanted}')


def panels(m, n, dtype, name, text):
    lines = text.split('\n')
    if name == 'slice':
        n += 4
    setup = (f'A = {dtype}(mod(7*(1:{m}) + 5*(1:{n})\' + 3, 17) - 8);\n'
             f'y = {dtype}(mod(3*(1:{m}), 5) - 2);\n'
             f'u = {dtype}(mod(7*(1:{m}), 3) - 1);\n'
             f'z = {dtype}(mod(5*(1:{n}), 3) - 1);\n')
    setup += 'print(sum(A), sum(y), sum(u), sum(z))\n'
    program = setup + lines[0] + '\n'
    after = '\n'.join(lines[1:])
    cpu = fusible(program + after, target='cpu')
    h200 = dict(FUSIBLE_FAKE_CC='90', FUSIBLE_FAKE_UNITS='18', FUSIBLE_L2='65536')
    asserted = ':assert scheme == march\n' + after
    gpu = fusible(program + asserted, **h200)
    what = f'panels of {m} x {n} {dtype}, {name}'
    check(cpu.returncode == 0 and gpu.returncode == 0 and
          gpu.stdout == cpu.stdout and not gpu.stderr,
          f'{what}: {gpu.stdout}\n{gpu.stderr}\nbut on the CPU\n{cpu.stdout}\n'
          f'{cpu.stderr}')
    quick_panels(program + asserted, gpu.stdout, what, **h200)
    # As rows: because the user says so, or the device has no room for the clusters.
    for more in ({'FUSIBLE_KERNELS': 'plain'}, {'FUSIBLE_FAKE_CLUSTERS': '1'}):
        rows = fusible(program + after, **h200, **more)
        check(rows.stdout == cpu.stdout and not rows.stderr,
              f'{what}: {more}: {rows.stdout}\n{rows.stderr}')


def test_panels():
    for name, text in PANELS.items():
        panels(2300, 700, 'f32', name, text)
    panels(2304, 640, 'f32', 'updated', PANELS['updated'])
    for dtype, m in (('f16', 2300), ('bf16', 2304), ('f64', 1201)):
        for name in ('quotients', 'quotients summed', 'roots'):
            panels(m, 712 if m > 2000 else 330, dtype, name, PANELS[name])
    panels(1201, 330, 'f64', 'two trips', PANELS['two trips'])
    panels(2400, 328, 'f64', 'updated', PANELS['updated'])
    panels(1700, 1000, 'i32', 'two trips', PANELS['two trips'])
    panels(4100, 196, 'f32', 'updated', PANELS['updated'])
    panels(4500, 100, 'f64', 'two trips', PANELS['two trips'])
    panels(1000, 1288, 'bf16', 'normalised', 'C = A + sum(A, 1);\nsum(C)')
    # Rows of halves that wait in registers, for an even and an odd number of panels.
    panels(2300, 712, 'f16', 'two trips', PANELS['two trips'])
    panels(2000, 1096, 'bf16', 'two trips', PANELS['two trips'])
    panels(2304, 640, 'bf16', 'updated', PANELS['updated'])


def test_quick_bits():
    """Sums that are rounded: the same bits from quick code and from full code."""
    block = "B = A + u*z'; x = 0.3*B'*y + z; w = 0.7*B*x; v = A*x;"
    for dtype in ('f32', 'bf16', 'f64'):
        what = f'bits of panels of {dtype}'
        m = 1201 if dtype == 'f64' else 2301
        program = (f'A = {dtype}(rand({m}, 712)); y = {dtype}(rand({m}));\n'
                   f'u = {dtype}(rand({m})); z = {dtype}(rand(712));\n'
                   f'print(sum(A), sum(y), sum(u), sum(z))\n{block}\n'
                   ':assert scheme == march\n')
        after = ('for t = [0.1, 0.01, 0.001]\n'
                 '  print(sum(mod(f64(w), t)), sum(mod(f64(x), t)), sum(mod(f64(v), t)))\n'
                 'end\nprint(sum(mod(f64(B), 0.01)))')
        h200 = dict(FUSIBLE_FAKE_CC='90', FUSIBLE_FAKE_UNITS='18', FUSIBLE_L2='65536')
        full = fusible(program + after, **h200)
        check(full.returncode == 0 and full.stdout and not full.stderr,
              f'{what}: {full.stdout}\n{full.stderr}')
        quick_panels(program + after, full.stdout, what, **h200)


def rows(m, n, dtype, word, text="q = A*x; s = A'*y;"):
    """Sums over a matrix beyond the cache, by kernels that say `word`."""
    program = (f'A = {dtype}(mod(7*(1:{m}) + 5*(1:{n})\' + 3, 17) - 8);\n'
               f'x = {dtype}(mod(5*(1:{n}), 3) - 1); y = {dtype}(mod(3*(1:{m}), 5) - 2);\n'
               f'print(A[1, 1], x[1], y[1])\n{text}\n')
    shown = 'print(sum(f64(q).^2), sum(f64(s).^2), q[end], s[end])\n'
    h200 = dict(FUSIBLE_FAKE_CC='90', FUSIBLE_FAKE_UNITS='4', FUSIBLE_L2='65536')
    cpu = fusible(program + shown, target='cpu')
    gpu = fusible(program + shown, **h200)
    what = f'rows of {m} x {n} {dtype}'
    check(cpu.returncode == 0 and gpu.stdout == cpu.stdout and not gpu.stderr,
          f'{what}: {gpu.stdout}\n{gpu.stderr}\nbut on the CPU\n{cpu.stdout}\n{cpu.stderr}')
    check(word in fusible(program + ':code\n', **h200).stdout, f'{what}: no {word}')


def test_rows():
    rows(70, 8192, 'bf16', 'ring of 12 rows')   # several rows at once
    rows(67, 6000, 'f16', 'ring of')            # the last turn is of three
    rows(50, 4096, 'f32', 'ring of 12 rows')
    rows(61, 5003, 'bf16', 'ring of')           # neither whole vectors nor turns
    columns = "s = A'*y; q = s;"                # none waits for its sums
    rows(70, 8192, 'bf16', 'ring of 12 rows', columns)
    rows(67, 9002, 'bf16', 'ring of', columns)
    rows(50, 4096, 'f32', 'ring of', columns)
    rows(271, 3001, 'f64', 'ring of', columns)


# -- sentences --------------------------------------------------------------------


def sentence(what, words, status=3, script='1:3', **more):
    r = fusible(script, **more)
    text = r.stderr.strip()
    check(r.returncode == status and re.search(words, text) and
          len(text.splitlines()) <= 4,
          f'{what}: wanted {words!r}, status {r.returncode}: {text}')


def fail(*specs):
    return dict(FUSIBLE_FAKE_FAIL=','.join(specs))


def driver_without(*names):
    """A folder with a driver that does not have these functions."""
    folder = tempfile.mkdtemp(dir=home.name)
    with open(os.path.join(FAKE, 'libcuda.so.1'), 'rb') as f:
        data = f.read()
    for name in names:
        name = b'\0' + name.encode()
        data = data.replace(name + b'\0', name[:-1] + b'?\0')
    with open(os.path.join(folder, 'libcuda.so.1'), 'wb') as f:
        f.write(data)
    return folder


def test_drivers():
    """What is said of a driver that does not do; results with one that lacks what came later
    than CUDA 12.0, or what it does not do here."""
    lacks = 'functions of CUDA 12.0 are missing'
    sentence('a driver that cannot start kernels', lacks,
             LD_LIBRARY_PATH=driver_without('cuLaunchKernel'))
    folder = tempfile.mkdtemp(dir=home.name)
    os.symlink(os.path.join(FAKE, 'cublas.so'), os.path.join(folder, 'libcuda.so.1'))
    sentence('what is no driver', lacks, LD_LIBRARY_PATH=folder)
    sentence('hidden devices', 'offers no GPU .CUDA_VISIBLE_DEVICES', FUSIBLE_FAKE='0',
             CUDA_VISIBLE_DEVICES='-1')
    sentence('a start that fails', r'does not start: an injected error \(cuInit gave 304\)',
             **fail('cuInit:1:304'))
    sentence('an error without words', r'does not start: an error without a name \(cuInit gave 304\)',
             LD_LIBRARY_PATH=driver_without('cuGetErrorString'), **fail('cuInit:1:304'))
    sentence('what is no compiler', 'too old or broken',
             FUSIBLE_NVRTC=os.path.join(FAKE, 'cublas.so'))
    with open(os.path.join(ROOT, 'core/device/cuda/cuda_api.def'), encoding='utf-8') as f:
        optional = re.findall(r'^FS_CU\(0, \w+, "(\w+)"', f.read(), re.M)
    check(len(optional) > 15, f'functions that are not needed: {optional}')
    cpu = fusible(LOOP, target='cpu')
    for names in [[name] for name in optional] + [optional]:
        gpu = fusible(LOOP, FUSIBLE_FAKE_CC='90', LD_LIBRARY_PATH=driver_without(*names))
        check((gpu.returncode, gpu.stdout, gpu.stderr) == (0, cpu.stdout, ''),
              f'a driver without {names}: {gpu.stdout}{gpu.stderr}')


def test_sentences():
    sentence('no driver', 'libcuda.so.1 was not found', LD_LIBRARY_PATH=None)
    sentence('no device', 'finds no GPU|offers no GPU', FUSIBLE_FAKE='0')
    sentence('old driver', r'supports CUDA 11\.4', FUSIBLE_FAKE_VERSION='11040')
    sentence('stub', "toolkit's stub", **fail('cuInit:1:34'))
    sentence('mismatch', 'different\\s+versions', **fail('cuInit:1:803'))
    sentence('not ready', 'fabric manager', **fail('cuInit:1:802'))
    sentence('exclusive', 'another process has the GPU',
             **fail('cuDevicePrimaryCtxRetain:1:46'))
    sentence('no NVRTC', 'NVRTC.*was not found; tried /nowhere',
             FUSIBLE_NVRTC='/nowhere')
    sentence('old NVRTC', r'NVRTC 11\.8 .*too old', FUSIBLE_FAKE_NVRTC='11080')
    sentence('new device', r'', status=0, FUSIBLE_FAKE_CC='75')
    sentence('old device', 'does not compile for fake GPU', FUSIBLE_FAKE_CC='52')
    work = SETUP + 'q = A*p; print(sum(q))'
    sentence('device full', 'not enough|out of memory', script=work,
             FUSIBLE_FAKE_MEMORY='12000')
    sentence('larger than the device', 'needs 10.3 KiB of memory; the device has', status=3,
             script=work, FUSIBLE_FAKE_MEMORY='3000')
    big = ('x = rand(1000000); x[1] = 1; A = x + 1; A[1] = 2; B = A[1:9]; print(sum(A));\n'
           'C = x + A; D = x - A; E = exp(x);\nprint(1)')
    sentence('largest variables', r'variables are A \(3.81 MiB\), x \(3.81 MiB\)',
             script=big, FUSIBLE_FAKE_MEMORY='12000000')
    sentence('fault', r'(?s)the GPU stopped with an illegal memory access.*`',
             script=work, **fail('cuLaunchKernel:1:700',
                                 'cuLaunchCooperativeKernel:1:700'))
    for code, words in ((214, r'an uncorrectable memory \(ECC\) error;'),
                        (702, 'a timeout of the display watchdog;')):
        sentence(f'fault {code}', f'the GPU stopped with {words}', script=work,
                 **fail(f'cuLaunchKernel:1:{code}', f'cuLaunchCooperativeKernel:1:{code}'))
    sentence('fault seen later', 'the GPU stopped with', script=work,
             **fail('cuStreamQuery:2:700'))
    sentence('compiler', 'NVRTC refused a generated kernel, kept as .*injected',
             script=work, FUSIBLE_CACHE='off', TMPDIR=home.name, **fail('nvrtcCompileProgram:1:6'))
    sentence('image', 'does not load code of NVRTC', script=work,
             **fail('cuModuleLoadData:*:200'))
    fusible(work)
    sentence('image once', '', status=0, script=work,  # from the cache: anew
             **fail('cuModuleLoadData:1:200'))
    fusible(work)
    sentence('Ctrl-C while it is made anew', 'note: interrupted', status=130, script=work,
             **fail('cuModuleLoadData:1:200', 'nvrtcCompileProgram:1:16'))


def test_cuda_text():
    for form, word in (('cuda', '__global__'), ('ptx', 'PTX')):
        r = fusible(SETUP + 'q = A*p;\n:code ' + form)
        check(word in r.stdout or r.returncode, f':code {form}: {r.stdout[:300]}'
              f'{r.stderr}')


def test_frame():
    """A stencil that is written in place and the copies of what lies around it, two rows
    far apart among them, are one launch, with indices of 32 bits. Where blocks wait for
    each other in it, the copies begin with those that have less to do."""
    edge = '''A = reshape(mod(1:4096*64, 7), 64, 4096) + 0.0; B = A + 1; print(A[1, 1], B[1, 1])
A[2:end-1, 2:end-1] = A[1:end-2, 2:end-1] + A[3:end, 2:end-1] - A[2:end-1, 1:end-2];
'''
    sums = edge[:-1] + ' s = sum(B); t = B[1, :] * s;\n'
    for text in (edge + 'A', sums + 'A\nt'):
        cpu, gpu = fusible(text, target='cpu'), fusible(text)
        check(gpu.returncode == 0 and gpu.stdout == cpu.stdout, f'a frame: {gpu.stderr}')
    last = 'tile = gridDim.x - 1 - blockIdx.x'
    large = dict(FUSIBLE_FAKE_RUN='0', FUSIBLE_FAKE_CC='90')
    r = fusible(edge.replace('64', '4096') + ':code\n:plan', **large)
    check('typedef int fs_index' in r.stdout and '3 kernels in 1 launch' in r.stderr and
          last not in r.stdout, f'a frame: {r.stdout}{r.stderr}')
    r = fusible(sums + ':code\n:plan', **large)
    check(last in r.stdout, f'a frame beside a sum: {r.stdout}{r.stderr}')


def test_resident():
    """A launch of several phases asks for all its blocks at once where they wait for each
    other, or each does all of a phase, and only there."""
    begin = 'x = f32(mod(1:100, 7)); Y = f32(mod(1:2000, 5)); print(x[1], Y[1])\n'
    frame = '''A = reshape(mod(1:4096*64, 7), 64, 4096) + 0.0; print(A[1, 1])
A[2:end-1, 2:end-1] = A[1:end-2, 2:end-1] - A[2:end-1, 1:end-2];
'''
    for text, whole in ((begin + 'B = Y*2; s = sum(x); c = x*s;', True),
                        (begin + 's = sum(Y); c = x*s;', True), (frame, False)):
        r = fusible(text + '\n:code', FUSIBLE_FAKE_FAIL='cuLaunchCooperativeKernel:1:700')
        check(('illegal memory access' in r.stderr) == whole,
              f'{text}: {r.stderr}{r.stdout[-300:]}')
        r = fusible(text + '\n:code')
        check('phase 2 of the launch' in r.stdout, f'{text}: {r.stdout}')


def test_quotients():
    """Which short way divides: that which takes 0, but in flat kernels of what hardly is 0."""
    for dtype, plain, zero in (('f32', 'fs_div(', 'fs_div_or_0('),
                               ('f64', 'fs_div_f64(', 'fs_div_f64_or_0(')):
        for text, word in (('a ./ b', zero), ('a .* b ./ (1 + b)', zero),
                           ('(a + b) ./ b', zero), ('(a.^2 + 1) ./ b', plain),
                           ('exp(a) ./ b', plain), ('1 ./ a', plain)):
            r = fusible(f'a = {dtype}(1:9999); b = a + 1;\nprint(a[1], b[1])\n'
                        f'q = {text};\n:code cuda')
            used = re.findall(r'= (fs_div\w*\()\w.*, rare\)', r.stdout)
            check(used == [word], f'{dtype} {text} is divided by {used}: {r.stderr}')


# -- every call fails once ----------------------------------------------------------


def functions():
    with open(os.path.join(ROOT, 'core/device/cuda/cuda_api.def')) as f:
        return re.findall(r'^FS_(?:CU|NVRTC)\(\d, \w+, "(\w+)"', f.read(), re.M)


# Blocks that come again: one of several kernels, one that changes parts in place.
LOOP = SETUP + '''
x = p; y = r; c = [0, 0, 0, 0] .* 1.0;
for k = 1:9
  q = A*x; s = A'*y; t = sum(q) + sum(s);
  x = mod(x + s + k, 5); y = mod(y + q + t, 7);
end
for k = 1:12
  c[mod(k, 4) + 1] = k;
end
x
y
c
'''


def test_replay():
    """They run as graphs; where the driver cannot, as single kernels."""
    cpu = fusible(LOOP, target='cpu')
    check(cpu.returncode == 0, f'the loop: {cpu.stderr}')
    calls = ['cuStreamBeginCapture_v2', 'cuStreamEndCapture', 'cuStreamGetCaptureInfo_v2',
             'cuGraphKernelNodeGetParams_v2', 'cuGraphInstantiateWithFlags',
             'cuGraphExecKernelNodeSetParams_v2', 'cuGraphLaunch']
    for cc in ('80', '90'):
        for spec in [None] + [f'{name}:{at}:2' for name in calls
                              for at in ('1', '2', '*')]:
            gpu = fusible(LOOP, FUSIBLE_FAKE_CC=cc, FUSIBLE_FAKE_FAIL=spec)
            check(gpu.returncode == 0 and gpu.stdout == cpu.stdout and
                  not gpu.stderr, f'sm_{cc}, {spec}: {gpu.stdout}{gpu.stderr}'
                  f'but on the CPU {cpu.stdout}')
        for name in ('cuGraphLaunch', 'cuGraphExecKernelNodeSetParams_v2'):
            gpu = fusible(LOOP, FUSIBLE_FAKE_CC=cc,
                          FUSIBLE_FAKE_FAIL=f'{name}:2:700')
            check(gpu.returncode == 3 and 'the GPU stopped with' in gpu.stderr,
                  f'{name} was not called, or its fault not told: {gpu.stderr}')
        single = fusible(LOOP, FUSIBLE_FAKE_CC=cc, FUSIBLE_REPLAY='off',
                         FUSIBLE_FAKE_FAIL='cuStreamBeginCapture_v2:*:700')
        check(single.returncode == 0 and single.stdout == cpu.stdout,
              f'FUSIBLE_REPLAY=off does not do without graphs: {single.stderr}')


# Two loops, a variable that finds room only where their graphs leave it, and one more loop.
CROWDED = """x = f64(mod(1:1000, 7)); y = 2*x; print(sum(x))
for k = 1:9
  x = mod(3*x + 1, 101);
end
for k = 1:9
  y = mod(y.*x + 2, 17);
end
print(sum(x), sum(y))
z = f64(mod(1:300000, 9)); z[3] = 80; print(z[2])
print(sum(z)); z = 0;
for k = 1:9
  x = mod(3*x + 1, 101);
end
print(sum(x))
"""


def test_graphs_make_room():
    """Graphs that are kept are given up before there is no memory for values, and not
    before; a loop that comes again has one again."""
    cpu = fusible(CROWDED, target='cpu')
    check(cpu.returncode == 0, f'graphs in the way: {cpu.stderr}')
    tight = dict(FUSIBLE_FAKE_MEMORY='4000000', FUSIBLE_FAKE_GRAPH='1000000')
    for more in (tight, dict(tight, FUSIBLE_FAKE_GRAPH='3000000')):
        gpu = fusible(CROWDED, **more)
        check(gpu.returncode == 0 and gpu.stdout == cpu.stdout and not gpu.stderr,
              f'graphs in the way, {more}: {gpu.stdout}{gpu.stderr}')
    for more, again in ((tight, True), (dict(tight, FUSIBLE_FAKE_MEMORY='9000000'), False)):
        gpu = fusible(CROWDED, FUSIBLE_FAKE_FAIL='cuGraphInstantiateWithFlags:3:700', **more)
        check((gpu.returncode != 0) == again,
              f'graphs made again: {again} is wanted, {more}: {gpu.stdout}{gpu.stderr}')


def test_code_finds_room():
    """What is kept for values, and graphs, are given back before there is no memory for
    machine code, or for a launch."""
    script = CROWDED + 'v = y.*3 + x; print(sum(v))\nprint(max(v))\nM = y*y\'; ' \
        "w = M*x + y; u = M'*w; print(sum(M), sum(u))\n"
    cpu = fusible(script, target='cpu')
    check(cpu.returncode == 0, f'code in need of room: {cpu.stderr}')
    tight = dict(FUSIBLE_FAKE_MEMORY='12000000', FUSIBLE_FAKE_MODULE='1000000',
                 FUSIBLE_FAKE_GRAPH='2000000')
    for more in (tight, fail('cuModuleLoadData:2:2'), fail('cuFuncSetAttribute:1:2'),
                 fail('cuLaunchKernel:1:2'), fail('cuLaunchKernel:20:2'),
                 fail('cuLaunchCooperativeKernel:1:2')):
        gpu = fusible(script, **more)
        check(gpu.returncode == 0 and gpu.stdout == cpu.stdout and not gpu.stderr,
              f'code in need of room, {more}: {gpu.stdout}{gpu.stderr}')


# Products that come again, 40 of them.
PRODUCTS = SETUP + """B = 0*(A'*A); print(sum(B))
for k = 1:40
  B = mod(B*B + A'*A, 5);
end
print(sum(B))
"""


def test_cublas():
    """A library that does not start, as where memory is short, is tried again, when freed
    memory was given back and later, but not for each product; the host does what it
    would, which is said once."""
    lib = dict(FUSIBLE_CUBLAS=os.path.join(FAKE, 'cublas.so'))
    cpu = fusible(PRODUCTS, target='cpu')

    def run(refused, product, said, failed, **more):
        specs = [f'cublasCreate_v2:{k}:3' for k in refused]
        specs += [f'cublasGemmEx:{product}:13'] if product else []
        gpu = fusible(PRODUCTS, **lib, **fail(*specs), **more)
        what = f'cuBLAS, {specs}, {more}: {gpu.returncode} {gpu.stdout}{gpu.stderr}'
        check(gpu.stderr.count('products of matrices are done on the host') == said, what)
        check((gpu.returncode, 'failed at gemm' in gpu.stderr) ==
              ((3, True) if failed else (0, False)), what)
        check(failed or gpu.stdout == cpu.stdout, what)

    run([], None, 0, False)
    run([], 1, 0, True)               # it is what multiplies
    run([1], 1, 0, True)              # after memory was given back
    run('*', None, 1, False)
    run('*', 1, 1, False)             # all on the host
    run(range(1, 9), None, 1, False)  # some there, the others on the device ...
    run(range(1, 9), 20, 1, True)
    run(range(1, 33), 1, 1, False)    # ... but not for ever
    gpu = fusible(PRODUCTS, **lib, **fail('cublasGemmEx:2:3'))  # has no memory once
    check(gpu.returncode == 0 and gpu.stdout == cpu.stdout and not gpu.stderr,
          f'a product that had no memory: {gpu.stdout}{gpu.stderr}')
    kept = 'z = f64(mod(1:300000, 9)); z[3] = 80; print(z[2])\nz = ones(9); print(z[1])\n'
    gpu = fusible(kept + PRODUCTS, **lib, **fail('cublasGemmEx:1:13'),
                  FUSIBLE_FAKE_MEMORY='4000000', FUSIBLE_FAKE_CUBLAS='2000000')
    check('failed at gemm' in gpu.stderr and 'on the host' not in gpu.stderr,
          f'memory that was kept is in the way of cuBLAS: {gpu.stdout}{gpu.stderr}')


# Slices that move from round to round; whole numbers, however they are added up.
MOVES = {
    'read': "D = A[1:33, :]; for k = 1:24\n D = min(D, D[:, k] + D[k, :]); end\nD",
    'element': 'q = p; for k = 1:24\n q = q + A[k, k + 2]*p[k]; end\nq',
    'written': "D = A; for k = 1:24\n D[k + 1, :] = D[k + 1, :] + D[k, :]; D[:, k] = r; "
               'end\nD',
    'stencil': 'D = A; for k = 2:24\n D[k, 2:32] = D[k - 1, 1:31] + D[k, 3:33] + k; end\nD',
    'launch': "Q = A; for k = 1:24\n q = Q[:, k] + sum(Q[:, k]); "
              "Q = mod(Q - q*(q'*Q), 9); Q[:, k] = q; end\nQ"}


def test_moves():
    """They take a few texts, not one for each place: by their alignment, and where they
    begin with the array."""
    for name, text in MOVES.items():
        cpu = fusible(SETUP + text, target='cpu')
        with tempfile.TemporaryDirectory() as kept:
            gpu = fusible(SETUP + text, FUSIBLE_CACHE='off', FUSIBLE_FAKE_KEEP=kept,
                          XDG_CACHE_HOME=os.path.join(kept, 'cache'))
            texts = len([f for f in os.listdir(kept) if f.endswith('.cu')])
        check(gpu.returncode == 0 and gpu.stdout == cpu.stdout and gpu.stderr == cpu.stderr,
              f'{name}: {gpu.stdout}{gpu.stderr}but on the CPU {cpu.stdout}')
        check(0 < texts <= 16, f'{name}: {texts} texts were compiled')


# Slices of another size in each of 24 rounds.
GROWS = """n = 60; A = reshape(mod(1:n*n, 9), n, n); x = mod(1:1000, 7);
for k = 1:24
  A[k+1:n, k+1:n] = mod(A[k+1:n, k+1:n] + A[k+1:n, k]*A[k, k+1:n], 9);
end
print(sum(A), sum(A[:, n]))
"""


def texts_of(script, **more):
    """What it prints, and the texts that it has compiled."""
    with tempfile.TemporaryDirectory() as kept:
        done = fusible(script, FUSIBLE_CACHE='off', FUSIBLE_FAKE_KEEP=kept,
                       XDG_CACHE_HOME=os.path.join(kept, 'cache'), **more)
        return done, [open(os.path.join(kept, name), encoding='utf-8').read()
                      for name in os.listdir(kept) if name.endswith('.cu')]


def test_grows():
    """They take a few texts, too, beyond those of the first four sizes; without a loop
    each size has its own."""
    cpu = fusible(GROWS, target='cpu')
    gpu, texts = texts_of(GROWS)
    check(gpu.returncode == 0 and gpu.stdout == cpu.stdout and not gpu.stderr,
          f'slices that grow: {gpu.stdout}{gpu.stderr}but on the CPU {cpu.stdout}')
    any_size = sum('any size' in text for text in texts)
    check(any_size >= 1, f'slices that grow: {len(texts)} texts, none for any size')
    done = fusible(GROWS + ':plan json\n')
    check('"like": true' in done.stdout or '"like":true' in done.stdout,
          f'slices that grow are planned anew: {done.stdout}{done.stderr}')
    longer = GROWS.replace('n = 60', 'n = 400').replace('1:24', '1:200')
    _, texts = texts_of(longer, FUSIBLE_FAKE_RUN='0')
    check(len(texts) <= 24, f'slices that grow: {len(texts)} texts for 200 rounds')
    alone = ''.join(f'x = 1:{k}; y = 2*x; print(y[1])\n' for k in range(40, 60))
    _, texts = texts_of(alone, FUSIBLE_FAKE_RUN='0')
    check(len(texts) >= 20 and not any('any size' in text for text in texts),
          f'20 sizes without a loop: {len(texts)} texts')


def test_large():
    """Of large blocks more sizes have code of their own."""
    for n, any_size in ((256, True), (16384, False)):
        script = f"for k = 0:7\n  n = {n} + 64*k; A = ones(n, n); x = ones(n, 1);\n" \
            "  for j = 1:3\n    x = A*x;\n  end\nend\n"
        done, texts = texts_of(script, FUSIBLE_FAKE_RUN='0')
        some = any('any size' in text and 'A*x' in text for text in texts)
        check(done.returncode == 0 and some == any_size,
              f'products of {n} x {n} and more: {done.stderr}{len(texts)} texts')


def test_few_events():
    """Where nobody is told times, rounds after the first few are not measured, nor is the
    device waited for: the last events that 3000 rounds ask for are those of the pace."""
    script = 'x = ones(64); for k = 1:3000\n x = 0.5*x + 1;\nend\nprint(x[1])\n'
    done = fusible(script, FUSIBLE_FAKE_FAIL='cuEventRecord:100:700')
    check(done.returncode == 0 and done.stdout == '2\n', f'events: {done.stdout}{done.stderr}')
    done = fusible(script, FUSIBLE_FAKE_FAIL='cuEventRecord:6:700')
    check(done.returncode == 3, f'an event that failed: {done.stdout}{done.stderr}')


def rounds():
    """tests/lang/rounds.fs but for its errors, of fewer elements: its kernels run often here."""
    with open(os.path.join(ROOT, 'tests/lang/rounds.fs'), encoding='utf-8') as f:
        parts = f.read().replace('1:1000', '1:50').replace('1:64, 8, 8', '1:9, 3, 3')
    return ''.join(part for part in parts.split('# ---\n') if '# error:' not in part)


def test_rounds():
    """Rounds that wait for others are started whatever comes then, and where the driver
    does not do as it should."""
    script = rounds()
    cpu = fusible(script, target='cpu')
    gpu = fusible(script, FUSIBLE_FAKE_CC='90')
    check(gpu.returncode == 0 and gpu.stdout == cpu.stdout, f'rounds: {gpu.stdout}{gpu.stderr}')
    for name, least in (('cuGraphLaunch', 70), ('cuGraphExecKernelNodeSetParams_v2', 70),
                        ('cuStreamGetCaptureInfo_v2', 1), ('cuStreamBeginCapture_v2', 1),
                        ('cuGraphInstantiateWithFlags', 1), ('cuLaunchKernelEx', 5),
                        ('cuLaunchKernelEx', 70)):
        for call in range(least, least + 6, 2):
            for code in (1, 700):
                r = fusible(script, FUSIBLE_FAKE_CC='90',
                            FUSIBLE_FAKE_FAIL=f'{name}:{call}:{code}')
                good = r.stdout == cpu.stdout if r.returncode == 0 else r.stderr.strip()
                good = good and (code == 1 or r.returncode == 3)  # it was called
                good = good and cpu.stdout.startswith(r.stdout)
                check(good, f'rounds, {name}:{call}:{code}: {r.returncode} '
                      f'{r.stdout}{r.stderr}')


def test_late():
    """A round that fails when it is started with those that waited is told of where values
    are read, with its reason and its statement."""
    script = TWICE.replace('140', '299') + 'print(sum(x))'
    for code, reason in ((2, 'out of memory'), (700, 'an illegal memory access')):
        sentence(f'a late {code}', rf'(?m)stopped with {reason}; it was running `x = [^`]*`$',
                 script=script, FUSIBLE_FAKE_CC='90', **fail(f'cuLaunchKernelEx:12:{code}'))


# Two variables in a row, of which one is kept now and then: the driver is asked for more.
KEPT = """x = f64(mod(1:1000, 7)); s = x[1:10]; print(sum(s))
for k = 1:301
  x = mod(3*x + 1, 101); s = mod(s + x[1:10], 97);
  if mod(k, 40) == 33
    y = x;
  end
end
print(sum(x), " ", sum(s), " ", sum(y))
"""


def test_no_pool():
    """Rounds that wait are started before memory that they want is given back, also where
    the driver does that without the stream."""
    cpu = fusible(KEPT, target='cpu')
    for call in range(5, 12):
        spec = f'cuMemPoolCreate:*:801,cuMemAlloc_v2:{call}:2'
        gpu = fusible(KEPT, FUSIBLE_FAKE_CC='90', FUSIBLE_FAKE_FAIL=spec)
        check(gpu.returncode == 0 and gpu.stdout == cpu.stdout and not gpu.stderr,
              f'no pool, {spec}: {gpu.returncode} {gpu.stdout}{gpu.stderr}')


def failing(spec, **more):
    """Lets allocations on the host fail, as fake.h says; the library is made once."""
    shim = os.path.join(home.name, 'failmalloc.so')
    with counting:
        if not os.path.exists(shim):
            subprocess.run(['cc', '-O1', '-shared', '-fPIC', '-o', shim, os.path.join(
                ROOT, 'tests/fault/failmalloc.c')], check=True)
    return dict(FUSIBLE_FAKE_FAIL=spec, LD_PRELOAD=shim, **more)


TWICE = """x = f64(mod(1:1000, 7));
for k = 1:140
  x = mod(3*x + 1, 101);
end
"""


def test_host_memory():
    """Where the host has none in the midst of a round the next ones are as they would be."""
    good = fusible(TWICE * 2 + 'print(sum(x))', FUSIBLE_FAKE_CC='90')
    for spec in [f'cuStreamBeginCapture_v2:2:m{n}' for n in range(1, 10)]:
        r = fusible(TWICE * 2 + 'print(sum(x))', '--keep-going',
                    **failing(spec, FUSIBLE_FAKE_CC='90'))
        check(r.returncode in (0, 3) and r.stdout == good.stdout,
              f'{spec}: {r.returncode} {r.stdout}{r.stderr}')
    # Nothing runs: kernels need memory of the host's, too, here.
    for spec in [f'cuGraphLaunch:61:m{n}' for n in range(1, 80, 3)]:
        r = fusible(TWICE * 2 + 'print(1)', '--keep-going',
                    **failing(spec, FUSIBLE_FAKE_CC='90', FUSIBLE_FAKE_RUN='0'))
        check(r.returncode in (0, 3) and r.stdout == '1\n',
              f'{spec}: {r.returncode} {r.stdout}{r.stderr}')


def test_held_interrupt():
    """Ctrl-C, which waits while a value is overwritten, does not wait for ever where the
    host has no memory left then."""
    begin = 'A = f64(mod(1:60, 5)); print(sum(A))\nA[3:20] = 7;\n'
    fusible(begin, FUSIBLE_FAKE_RUN='0')  # compiles
    endless = begin + 'print("begun")\nx = 0;\nwhile true\n  x = x + 1;\nend\n'
    for n in range(3, 9):
        spec = f'cuOccupancyMaxActiveBlocksPerMultiprocessor:3:m{n}'
        process = subprocess.Popen(
            [PROGRAM, '--target', 'cuda', '--keep-going', '-e', endless],
            env=environment(**failing(spec, FUSIBLE_FAKE_RUN='0')), text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        while process.stdout.readline() not in ('', 'begun\n'):
            pass
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        try:
            process.communicate(timeout=600)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
        check(process.returncode in (130, -signal.SIGINT),
              f'Ctrl-C after {spec}: {process.returncode}')


def test_half_done():
    """A value that was overwritten in place when a later kernel of its block failed is lost,
    not taken for what it was; one that was not is as it was."""
    script = """A = f64(mod(1:60, 5)); B = f64(mod(reshape(1:3600, 60, 60), 7)); print(sum(B))
A[3:20] = 70; c = B*A; q = sum(A); H = exp(B) + q; h = H*A; g = sum(h)*H;
print("A ", sum(A))
print(g[1, 1] > 0)
A = B[:, 1]; A[3] = 1; print(A[3])
"""
    seen = set()
    for call in range(4, 10):
        r = fusible(script, '--keep-going', FUSIBLE_FAKE_COOPERATIVE='0',
                    FUSIBLE_FAKE_FAIL=f'cuLaunchKernel:{call}:701')
        failed = "nothing called 'g'" in r.stderr
        shown = re.search('^A (.*)', r.stdout, re.M)
        seen |= {shown[1] if shown else 'lost' if 'value was lost' in r.stderr else ''} \
            if failed else set()
        check(r.stdout.endswith('1\n') or not failed, f'after launch {call}: {r.stderr}')
    check({'lost', '120'} <= seen and '1343' not in seen, f'values of blocks that failed: {seen}')


# Rounds of five launches, of which the first overwrites a part of A: measured ones, and
# then some that are started at once. Where one fails, A and c are those of one round.
HALVES = """A = f64(mod(1:60, 5)); B = f64(mod(reshape(1:3600, 60, 60), 7)); c = zeros(3);
print(sum(B), sum(A), sum(c))
for k = 1:9
  A[3:20] = k; c = c + 1; v = B*A; q = sum(A); H = exp(B) + q; h = H*A; g = sum(h)*H;
end
print("rounds ", c[1])
print("A ", A[5])
"""


def test_half_done_rounds():
    """What a launch that failed leaves goes by its place: before the one that overwrites A
    nothing is lost, behind it A is; and a measured kernel that was started, but has no
    second event, has run."""
    kept, lost = set(), set()
    for name, code, calls in (('cuLaunchKernel', 701, range(6, 51)),
                              ('cuEventRecord', 1, range(5, 40))):
        for call in calls:
            r = fusible(HALVES, '--keep-going', FUSIBLE_FAKE_COOPERATIVE='0',
                        FUSIBLE_REPLAY='off', FUSIBLE_FAKE_FAIL=f'{name}:{call}:{code}')
            done = re.search(r'^rounds (.*)', r.stdout, re.M)
            shown = re.search(r'^A (.*)', r.stdout, re.M)
            what = f'rounds, {name}:{call}: {r.stdout}{r.stderr}'
            if done and shown:
                check(done[1] == shown[1], what)
                kept.add(done[1])
            elif done:
                check('value was lost' in r.stderr, what)
                lost.add(done[1])
    every = {str(k) for k in range(9)}
    check(every <= kept and every <= lost, f'rounds: A of {kept} was kept, of {lost} lost')


# Slices of six sizes, which come again and again: without sums, and with.
LEVELS = """x = mod(1:2000, 7); s = 0;
for k = 1:240
  n = 100*(mod(k, 6) + 3);
  x[1:n] = mod(x[1:n]*2 + x[n+1:2*n], 9);
  s = s + sum(x[n:2*n]);
end
print(sum(x), s)
"""


def test_levels():
    """A size that comes again and again gets code of its own, but not where it sums."""
    cpu = fusible(LEVELS, target='cpu')
    gpu, texts = texts_of(LEVELS)
    check(gpu.returncode == 0 and gpu.stdout == cpu.stdout and not gpu.stderr,
          f'levels: {gpu.stdout}{gpu.stderr}but on the CPU {cpu.stdout}')
    parts = LEVELS.replace('  s = s +', '  # ')
    _, texts = texts_of(parts, FUSIBLE_FAKE_RUN='0')
    own = [n for n in range(300, 900, 100)
           if any(f'scheme flat; {n} elements' in text for text in texts)]
    check(len(own) == 6, f'levels: of {own} elements, in {len(texts)} texts')
    _, fewer = texts_of(parts.replace('240', '80'), FUSIBLE_FAKE_RUN='0')
    own = [n for n in range(300, 900, 100)
           if any(f'scheme flat; {n} elements' in text for text in fewer)]
    check(len(own) == 4, f'levels for 80 rounds: of {own} elements')


def test_lasting():
    """Lines that a large kernel keeps in the cache are let go, once, when others
    run; nothing depends on it."""
    large, others = 'y = 2*x;\nprint(y[1])\n', 'print(max(x))\n'
    name, fault = 'cuCtxResetPersistingL2Cache', ':1:700'
    for script, called in ((others * 6, False), (large + others * 2, False),
                           (large + others * 4, True), ((large + others) * 4, False)):
        script = 'x = rand(4096);\nprint(x[1])\n' + script
        small = dict(FUSIBLE_FAKE_CC='90', FUSIBLE_L2='1000')
        gpu = fusible(script, FUSIBLE_FAKE_FAIL=name + fault, **small)
        check((gpu.returncode != 0) == called, f'{name} after {script}: {gpu.stderr}')
        plain = fusible(script, FUSIBLE_FAKE_FAIL=name + ':*:801', **small)
        cpu = fusible(script, target='cpu')
        check(plain.returncode == 0 and plain.stdout == cpu.stdout,
              f'without {name}: {plain.stdout}{plain.stderr}')


def test_failures():
    script = SETUP + 'for k = 1:5\n  v = k*p; w = A*v;\nend\nprint(sum(w))\n' \
        'begin q = A*p; s = A\'*r end\nprint(sum(q), " ", sum(s))\n' \
        'k = [2, 1]; print(p[k])\nG = A\'*A; print(G[1, 1])'
    good = fusible(script)
    if not check(good.returncode == 0, f'the script: {good.stderr}'):
        return
    faults = [f'{name}:{spec}' for name in functions()
              for spec in ('1:1', '2:2', '3:700', '*:2')]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = list(pool.map(lambda fault: fusible(script, '--keep-going',
                                                   FUSIBLE_FAKE_FAIL=fault), faults))
    for fault, r in zip(faults, runs):
        ok = r.returncode in (0, 1, 3)
        if r.returncode == 0:
            ok = ok and r.stdout == good.stdout
        else:
            ok = ok and r.stderr.strip()
        check(ok, f'{fault} ended with {r.returncode}: {r.stdout}{r.stderr}')
        gives = re.search('Free|Destroy|Unload', fault)
        check('never freed' not in r.stderr or r.returncode or gives,
              f'{fault}: {r.stderr}')


def test_goes_on():
    """An error of the device leaves the session and its values alone."""
    r = fusible(SETUP + 'q = A*p;\nprint(sum(q))\nprint(sum(A))\nprint(1 + 1)',
                '--keep-going', FUSIBLE_FAKE_FAIL='cuLaunchKernel:4:1')
    check('2' in r.stdout.split(), f'the session ended: {r.stdout}{r.stderr}')


def test_interrupt():
    """Ctrl-C while the device is busy."""
    env = environment(FUSIBLE_FAKE_BUSY='3600000')
    process = subprocess.Popen(
        [PROGRAM, '--target', 'cuda', '-e', 'print("begun")\n' + SETUP +
         'print(sum(A))'], env=env, text=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.readline()
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    try:
        process.communicate(timeout=600)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
    check(process.returncode in (130, -signal.SIGINT), f'Ctrl-C: status {process.returncode}')


def test_never_far_ahead():
    """A loop of kernels that take long: few are on their way when Ctrl-C comes, so
    the next input has its values soon, however fast the host could start more: a second
    of that would be an hour of the device."""
    process = subprocess.Popen(
        [PROGRAM, '--target', 'cuda', '-i', '-q', '--no-rc', '--no-history',
         '--no-readline'],
        env=environment(FUSIBLE_FAKE_RUN='0', FUSIBLE_FAKE_TAKES='16',
                        FUSIBLE_FAKE_MEMORY=str(2**40)),
        text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT)
    for line in ('A = ones(60000, 60000); x = ones(60000);', 'print("begun")',
                 'for k = 1:1000000; x = A*x; end', 'print("sum ", sum(x))'):
        process.stdin.write(line + '\n')
        process.stdin.flush()
    while 'begun' not in process.stdout.readline():
        pass
    time.sleep(1)
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    said = ''
    while 'sum ' not in said and process.poll() is None:
        said += process.stdout.readline()
    took = time.monotonic() - began
    process.communicate(timeout=600)
    check('interrupted' in said and 'takes its place' not in said and took < 300,
          f'Ctrl-C in a queue: {took:.1f} s, {said}')


def main():
    """Those that look at times have the machine for themselves."""
    for test in (test_frame, test_resident, test_goes_on, test_interrupt, test_held_interrupt,
                 test_never_far_ahead, test_failures):
        test()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for done in [pool.submit(test) for test in (
                test_results, test_panels, test_quick_bits, test_rows,
                test_sentences, test_drivers, test_cuda_text, test_quotients, test_moves, test_grows,
                test_large, test_few_events, test_rounds, test_levels, test_replay,
                test_graphs_make_room, test_code_finds_room, test_cublas,
                test_late, test_no_pool, test_host_memory, test_half_done,
                test_half_done_rounds, test_lasting)]:
            done.result()
    print(f'{counts["passed"]} passed, {counts["failed"]} failed')
    return counts['failed'] > 0


if __name__ == '__main__':
    sys.exit(main())
