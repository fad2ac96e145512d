#!/usr/bin/env python3
"""PyTorch, JAX or NumPy as one of the processes that bench/gpu.py compares.

    bench/peer.py torch|jax|numpy [--target cuda|cpu] [--mode max-autotune|default]

Answers the same requests a line as bench/serve.c:
    {"case": NAME, "dtype": "f32", "size": [M, N, LEN]}   compiles and warms up
    {"run": K}      seconds of K runs: {"kernel": [...], "wall": [...], "call": [...]}
    {"loop": K}     the same of K loops of a case's iterations (40), each on the
                    results of the one before
    {"check": [FILE.npy, ...], "steps": S}   compares Fusible's saved results with
                    this process's own in float64, after S iterations: {"worst":
                    largest error relative to the largest magnitude of that result}
torch: kernel and wall are those of one CUDA graph of the compiled function, which
was compiled without graphs of its own: events around a replay (put in the queue while
the device is held back, so that they have none of the host's time), and replay and
synchronise. call is what a user writes: the function compiled with its mode
(`default`: reduce-overhead), called from Python until its results are there. Its
inputs are marked as static, so that it need not copy them. A loop is one graph of all
iterations (wall), and calls from Python (call).
jax: jax.jit; wall = one call until its results are there; kernel = one of twenty
calls in a row, which hides the dispatch behind the work. A loop is one fori_loop.
numpy: what a user of NumPy writes, an array for each operation, on its own BLAS.
With --target cpu there are no graphs, and kernel is what a call takes. Of a program
(programs.py) only loops are timed; of torch's, calls of the function as compiled, and one
graph of them where it can be captured.
"""
import argparse
import json
import math
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import numpy as np  # noqa: E402
from cases import BY_NAME, count_of, diagonal, extents, know  # noqa: E402
from programs import PROGRAMS  # noqa: E402
from shapes import SHAPES, SUMS  # noqa: E402

know(PROGRAMS + SHAPES + SUMS)

IN_A_ROW = 20
WHOLE = ('cells', 'near')  # as i32
HELD = 40000  # cycles of the device, about 20 us
STEP = 97
MODES = {'max-autotune': ('max-autotune-no-cudagraphs', 'max-autotune'),
         'default': (None, 'reduce-overhead')}


def flat(case, xp):
    """The case as a function of its inputs one by one, as a user would write it."""
    names = list(case.inputs)
    return lambda *values: case.peer(xp, dict(zip(names, values)))


def formula(spec, size, upto):
    """An input of cases.py: whole numbers, what they are divided by, and what is added
    then; divided by 0: they are what they are. upto(K): 1, 2, ... K in i64."""
    kind, shift = spec[0].lstrip('+'), 1 / 16 if spec[0][0] == '+' else -0.5
    if kind == 'count':
        return upto(1)[0] - 1, 0, 0
    if kind == 'upto':
        return upto(spec[1](*size[:2])) - 1, 0, 0
    if kind == 'ramp':
        return upto(size[0]) - 1, size[0], 0
    if kind == 'near':
        i, j = upto(size[0])[:, None], upto(size[1])[None, :]
        return (i - 1 + (j - 4) * (1 + 999 * (j % 2))) % size[0], 0, 0
    if kind not in ('matrix', 'noise', 'cells'):
        return (spec[1] * upto(count_of(spec, size)) + spec[2]) % 17, 16, shift
    rows, columns = extents(spec, size)
    i, j, over = upto(rows)[:, None], upto(columns)[None, :], 16
    if kind == 'matrix':
        x = (spec[1] * i + spec[2] * j + spec[3]) % 17
    else:
        t, over = (i - 1) * columns + j, 65536
        x = (spec[1] * t * t + 777 * t) % 65521
    if kind == 'cells':
        return x < 0.3 * over, 0, 0
    if diagonal(spec):
        x = x + diagonal(spec) * over * (i == j)
    return x[:, 0] if kind == 'noise' and columns == 1 else x, over, shift


def made(xp, spec, size):
    """The same by `xp`, numpy or jax.numpy: in f32, exact, i64, or i32."""
    x, over, shift = formula(spec, size,
                             lambda count: xp.arange(1, count + 1, dtype=xp.int64))
    if not over:
        return x.astype(xp.int32) if spec[0] in WHOLE else x
    return x.astype(xp.float32) / xp.float32(over) + xp.float32(shift)


def advance(case, values, outputs):
    """The inputs of the next iteration."""
    after = dict(zip(case.inputs, values))
    after.update(zip(case.carried, outputs))
    return tuple(after.values())


class Torch:
    def __init__(self, options):
        import torch
        self.xp = torch
        self.device = options.target
        self.modes = MODES[options.mode]
        self.types = dict(f32=torch.float32, f64=torch.float64, bf16=torch.bfloat16)
        torch.backends.cuda.matmul.allow_tf32 = False
        torch._dynamo.config.cache_size_limit = 1000
        torch.set_grad_enabled(False)
        self.version = torch.__version__
        self.drop()
        if self.device == 'cuda':
            self.begin = torch.cuda.Event(enable_timing=True)
            self.end = torch.cuda.Event(enable_timing=True)

    def make(self, spec, dtype, size):
        torch, device = self.xp, self.device
        if not isinstance(spec, tuple):
            return torch.tensor(spec, dtype=dtype, device=device)
        x, over, shift = formula(spec, size, lambda count: torch.arange(
            1, count + 1, dtype=torch.int64, device=device))
        if not over:
            return x.to(torch.int32) if spec[0] in WHOLE else x
        return (x / over + shift).to(dtype)

    def wait(self):
        if self.device == 'cuda':
            self.xp.cuda.synchronize()

    def prepare(self, case, data):
        torch = self.xp
        torch._dynamo.reset()
        self.values = tuple(data.values())
        f = torch.compile(flat(case, torch), mode=self.modes[0], dynamic=False)
        for _ in range(3):
            self.out = f(*self.values)
        self.wait()
        self.f, self.case = f, case
        if self.device != 'cuda' or not case.block:
            return
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.out = f(*self.values)
        try:
            self.prepare_call(case)
        except Exception as error:  # the graph's times are worth having all the same
            print(f'{case.name}: torch.compile in mode {self.modes[1]}: {error}'[:500],
                  file=sys.stderr)
            self.call = None

    def prepare_call(self, case):
        torch = self.xp
        for x in self.values:
            torch._dynamo.mark_static_address(x)
        g = flat(case, torch)  # code of its own, or f's is found for it
        g.__code__ = g.__code__.replace(co_name='call')
        self.call = torch.compile(g, mode=self.modes[1], dynamic=False)
        for _ in range(5):
            self.out = None
            self.out = self.call(*self.values)
        self.wait()

    def called(self, f):
        start = time.perf_counter()
        self.out = None
        self.out = f(*self.values)
        self.wait()
        return time.perf_counter() - start

    def run(self):
        torch = self.xp
        if self.device != 'cuda':
            took = self.called(self.f)
            return dict(kernel=took, wall=took, call=took)
        start = time.perf_counter()
        self.graph.replay()
        self.wait()
        wall = time.perf_counter() - start
        torch.cuda._sleep(HELD)  # until all is in the queue, as Fusible is timed
        self.begin.record()
        self.graph.replay()
        self.end.record()
        self.wait()
        times = dict(kernel=self.begin.elapsed_time(self.end) * 1e-3, wall=wall)
        if self.call:
            times['call'] = self.called(self.call)
        return times

    def iterate(self):
        values = self.values
        for _ in range(self.case.steps):
            values = advance(self.case, values, self.f(*values))
        return values

    def capture(self):
        self.iterate()
        self.wait()
        graph = self.xp.cuda.CUDAGraph()
        try:
            with self.xp.cuda.graph(graph):
                self.kept = self.iterate()
            return graph
        except Exception as error:  # a factorisation waits for the device
            print(f'{self.case.name}: no graph: {error}'[:500], file=sys.stderr)
            return False

    def loop(self):
        if self.device == 'cuda' and self.loop_graph is None:
            self.loop_graph = self.capture()
        start = time.perf_counter()
        self.iterate()
        self.wait()
        call = wall = time.perf_counter() - start
        if self.loop_graph:
            start = time.perf_counter()
            self.loop_graph.replay()
            self.wait()
            wall = time.perf_counter() - start
        return dict(wall=wall, call=call)

    def reference(self, case, data, steps):
        """In float64 from the same data."""
        values = tuple(v.double() if v.is_floating_point() else v for v in data.values())
        for _ in range(steps):
            out = case.peer(self.xp, dict(zip(case.inputs, values)))
            values = advance(case, values, out)
        return out

    def download(self, x):
        return x.cpu().numpy()

    def copy(self, count, repeat):
        torch = self.xp
        x = torch.ones(count, device=self.device)
        y, seconds = torch.empty_like(x), []
        for _ in range(repeat + 3):
            start = time.perf_counter()
            if self.device == 'cuda':
                self.begin.record()
            y.copy_(x)
            if self.device == 'cuda':
                self.end.record()
            self.wait()
            seconds.append(self.begin.elapsed_time(self.end) * 1e-3
                           if self.device == 'cuda' else time.perf_counter() - start)
        return seconds[3:]

    def drop(self):
        self.out = self.graph = self.loop_graph = self.kept = None
        self.values = self.f = self.call = None
        if self.device == 'cuda':
            self.xp._dynamo.reset()  # and with it what compiled functions keep
            self.xp.cuda.empty_cache()


class Jax:
    def __init__(self, options):
        os.environ.setdefault('XLA_PYTHON_CLIENT_PREALLOCATE', 'false')
        if options.target == 'cpu':
            os.environ['JAX_PLATFORMS'] = 'cpu'
        import jax
        jax.config.update('jax_enable_x64', True)
        jax.config.update('jax_default_matmul_precision', 'highest')
        import jax.numpy as jnp
        import jax.scipy.special

        class Module:
            erf = staticmethod(jax.scipy.special.erf)
            amax = staticmethod(lambda x, axis, keep: jnp.max(x, axis=axis,
                                                              keepdims=keep))
            sum = staticmethod(lambda x, axis, keep: jnp.sum(x, axis=axis,
                                                             keepdims=keep))

            def __getattr__(self, name):
                return getattr(jnp, name)
        self.jax, self.jnp, self.xp = jax, jnp, Module()
        self.types = dict(f32=jnp.float32, f64=jnp.float64, bf16=jnp.bfloat16)
        self.version = jax.__version__
        self.drop()

    def make(self, spec, dtype, size):
        jnp = self.jnp
        if not isinstance(spec, tuple):
            return jnp.asarray(spec, dtype=dtype)

        @self.jax.jit
        def f():
            x = made(jnp, spec, size)
            return x.astype(dtype) if x.dtype == jnp.float32 else x
        return f()

    def prepare(self, case, data):
        g = flat(case, self.xp)
        self.f = self.jax.jit(g)
        self.values = tuple(data.values())
        for _ in range(3):
            self.out = self.jax.block_until_ready(self.f(*self.values))

        def step(_, values):
            return advance(case, values, g(*values))
        self.loops = self.jax.jit(
            lambda *values: self.jax.lax.fori_loop(0, case.steps, step, values))
        self.loop_ready = False

    def run(self):
        start = time.perf_counter()
        self.out = self.jax.block_until_ready(self.f(*self.values))
        wall = time.perf_counter() - start
        start = time.perf_counter()
        for _ in range(IN_A_ROW):
            self.out = self.f(*self.values)
        self.jax.block_until_ready(self.out)
        return dict(kernel=(time.perf_counter() - start) / IN_A_ROW, wall=wall)

    def loop(self):
        if not self.loop_ready:
            self.jax.block_until_ready(self.loops(*self.values))
            self.loop_ready = True
        start = time.perf_counter()
        self.jax.block_until_ready(self.loops(*self.values))
        return dict(wall=time.perf_counter() - start)

    def drop(self):
        self.out = self.values = self.f = self.loops = None


class NumPy:
    """On the CPU; its arrays are made in one piece, as the others' are."""

    def __init__(self, _):
        class Module:
            amax = staticmethod(lambda x, axis, keep: np.amax(x, axis=axis,
                                                              keepdims=keep))
            sum = staticmethod(lambda x, axis, keep: np.sum(x, axis=axis,
                                                            keepdims=keep))

            def __getattr__(self, name):
                return getattr(np, name)
        self.xp, self.exact = Module(), Module()
        try:
            from scipy.special import erf
            self.xp.erf = self.exact.erf = erf
        except ImportError:  # the case that needs it is checked, but not timed
            self.exact.erf = np.vectorize(math.erf, otypes=[np.float64])
        self.types = dict(f32=np.float32, f64=np.float64)
        self.version = np.__version__
        self.drop()

    @staticmethod
    def make(spec, dtype, size):
        if not isinstance(spec, tuple):
            return dtype(spec)

        x = made(np, spec, size)
        return x.astype(dtype) if x.dtype == np.float32 else x

    def prepare(self, case, data):
        self.f, self.case, self.values = flat(case, self.xp), case, tuple(data.values())
        for _ in range(3):
            self.out = self.f(*self.values)

    def run(self):
        start = time.perf_counter()
        self.out = None
        self.out = self.f(*self.values)
        took = time.perf_counter() - start
        return dict(kernel=took, wall=took, call=took)

    def loop(self):
        start = time.perf_counter()
        values = self.values
        for _ in range(self.case.steps):
            values = advance(self.case, values, self.f(*values))
        return dict(wall=time.perf_counter() - start)

    def reference(self, case, data, steps):
        """In float64 from the same data."""
        values = tuple(v.astype(np.float64) if v.dtype.kind == 'f' else v
                       for v in data.values())
        for _ in range(steps):
            out = case.peer(self.exact, dict(zip(case.inputs, values)))
            values = advance(case, values, out)
        return out

    @staticmethod
    def download(x):
        return np.asarray(x)

    @staticmethod
    def copy(count, repeat):
        x = np.ones(count, dtype=np.float32)
        y, seconds = np.empty_like(x), []
        for _ in range(repeat + 3):
            start = time.perf_counter()
            np.copyto(y, x)
            seconds.append(time.perf_counter() - start)
        return seconds[3:]

    def drop(self):
        self.out = self.values = self.f = None


PEERS = dict(torch=Torch, jax=Jax, numpy=NumPy)


def difference(got, want):
    """The largest, relative to the largest magnitude; infinite where only one is a
    number, and those are not that agree in what else they are."""
    numbers = np.isfinite(want)
    if not np.array_equal(got[~numbers], want[~numbers], equal_nan=True) or \
            not np.isfinite(got[numbers]).all():
        return math.inf
    if not numbers.any():
        return 0.0
    scale = np.abs(want[numbers]).max() or 1.0
    return float(np.abs(got[numbers] - want[numbers]).max() / scale)


class Server:
    def __init__(self, peer):
        self.peer, self.case, self.data = peer, None, None

    def prepare(self, request):
        self.data = None
        self.peer.drop()
        self.case = BY_NAME[request['case']]
        dtype = self.peer.types[request['dtype']]
        self.data = {k: self.peer.make(v, dtype, request['size'])
                     for k, v in self.case.inputs.items()}
        start = time.perf_counter()
        if request.get('run', True):
            self.peer.prepare(self.case, self.data)
        return {'ok': True, 'cold': time.perf_counter() - start}

    @staticmethod
    def seconds(run, count):
        """A list of seconds for everything that a run times."""
        runs = [run() for _ in range(count)]
        return {what: [r[what] for r in runs] for what in runs[0]}

    def check(self, files, steps):
        reference = self.peer.reference(self.case, self.data, steps)
        worst = 0.0
        for path, want in zip(files, reference):
            got = np.load(path).astype(np.float64).ravel()
            want = self.peer.download(want)
            if want.size > got.size:
                want = want[::STEP]  # gpu.py saved a sample
            want = want.ravel()
            if got.shape != want.shape:
                return {'error': f'{os.path.basename(path)} has {got.size} '
                                 f'elements, not {want.size}'}
            worst = max(worst, difference(got, want))
        return {'worst': worst}

    def answer(self, request):
        if 'case' in request:
            return self.prepare(request)
        if 'run' in request:
            return self.seconds(self.peer.run, request['run'])
        if 'loop' in request:
            return self.seconds(self.peer.loop, request['loop'])
        if 'check' in request:
            return self.check(request['check'], request['steps'])
        if 'copy' in request:
            self.data = None
            self.peer.drop()
            return {'kernel': self.peer.copy(request['copy'], request['repeat'])}
        return {'version': self.peer.version}


def main():
    p = argparse.ArgumentParser(description=__doc__.split('\n\n', maxsplit=1)[0])
    p.add_argument('peer', choices=PEERS)
    p.add_argument('--target', default='cuda', choices=('cuda', 'cpu'))
    p.add_argument('--mode', default='max-autotune', choices=MODES)
    options = p.parse_args()
    replies, sys.stdout = sys.stdout, sys.stderr  # libraries print what they like
    server = Server(PEERS[options.peer](options))
    for line in sys.stdin:
        try:
            reply = server.answer(json.loads(line))
        except Exception as error:  # told to the driver, which goes on
            reply = {'error': f'{type(error).__name__}: {error}'[:500]}
        print(json.dumps(reply), file=replies, flush=True)


if __name__ == '__main__':
    main()
