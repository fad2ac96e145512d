#!/usr/bin/env python3
"""PyTorch or JAX as one of the processes that bench/gpu.py compares.

    bench/peer.py torch|jax

Answers the same requests a line as bench/serve.c:
    {"case": NAME, "dtype": "f32", "n": N, "len": LEN}   compiles and warms up
    {"run": K}      seconds of K runs: {"kernel": [...], "wall": [...]}
    {"check": {"q": FILE.npy, ...}}   compares Fusible's saved results with this
                    process's own in float64: {"error": largest error relative to
                    the largest magnitude of that result}
torch: torch.compile, replayed as one CUDA graph; kernel = events around a replay,
wall = replay and synchronise. With BENCH_TUNE=1 in mode max-autotune.
jax: jax.jit; wall = one call until its results are there; kernel = one of twenty
calls in a row, which hides the dispatch behind the work.
"""
import json
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import numpy as np
from cases import CASES, sizes

IN_A_ROW = 20
STEP = 97


class Torch:
    def __init__(self):
        import torch
        self.xp = torch
        self.types = dict(f32=torch.float32, f64=torch.float64, bf16=torch.bfloat16)
        torch.backends.cuda.matmul.allow_tf32 = False
        torch._dynamo.config.cache_size_limit = 1000
        self.version = torch.__version__

    def make(self, spec, dtype, n, length):
        torch = self.xp
        if not isinstance(spec, tuple):
            return torch.tensor(spec, dtype=dtype, device='cuda')
        count = n if spec[0] in ('matrix', 'vector') else length
        i = torch.arange(1, count + 1, dtype=torch.int32, device='cuda')
        if spec[0] == 'matrix':
            _, a, b, c = spec
            x = (a * i[:, None] + b * i[None, :] + c) % 17
        else:
            x = (spec[1] * i + spec[2]) % 17
        return (x / 16 + (1 / 16 if spec[0][0] == '+' else -0.5)).to(dtype)

    def prepare(self, case, data):
        torch = self.xp
        torch._dynamo.reset()
        mode = 'max-autotune-no-cudagraphs' if os.environ.get('BENCH_TUNE') else None
        f = torch.compile(lambda d: case.peer(torch, d), mode=mode, dynamic=False)
        with torch.no_grad():
            for _ in range(3):
                self.out = f(data)
            torch.cuda.synchronize()
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                self.out = f(data)
        self.out = self.out if isinstance(self.out, tuple) else (self.out,)
        self.begin = torch.cuda.Event(enable_timing=True)
        self.end = torch.cuda.Event(enable_timing=True)

    def run(self):
        torch = self.xp
        start = time.perf_counter()
        self.graph.replay()
        torch.cuda.synchronize()
        wall = time.perf_counter() - start
        self.begin.record()
        self.graph.replay()
        self.end.record()
        torch.cuda.synchronize()
        return self.begin.elapsed_time(self.end) * 1e-3, wall

    def reference(self, case, data):
        """In float64 from the same data."""
        torch = self.xp
        with torch.no_grad():
            return case.peer(torch, {k: v.double() for k, v in data.items()})

    def download(self, x):
        return x.cpu().numpy()

    def copy(self, count, repeat):
        torch = self.xp
        x = torch.ones(count, device='cuda')
        y, seconds = torch.empty_like(x), []
        begin = torch.cuda.Event(enable_timing=True)
        end = torch.cuda.Event(enable_timing=True)
        for _ in range(repeat + 3):
            begin.record()
            y.copy_(x)
            end.record()
            torch.cuda.synchronize()
            seconds.append(begin.elapsed_time(end) * 1e-3)
        return seconds[3:]

    def drop(self):
        self.out = self.graph = None
        self.xp.cuda.empty_cache()


class Jax:
    def __init__(self):
        os.environ.setdefault('XLA_PYTHON_CLIENT_PREALLOCATE', 'false')
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

    def make(self, spec, dtype, n, length):
        jnp = self.jnp
        if not isinstance(spec, tuple):
            return jnp.asarray(spec, dtype=dtype)

        @self.jax.jit
        def f():
            count = n if spec[0] in ('matrix', 'vector') else length
            i = jnp.arange(1, count + 1, dtype=jnp.int32)
            if spec[0] == 'matrix':
                _, a, b, c = spec
                x = (a * i[:, None] + b * i[None, :] + c) % 17
            else:
                x = (spec[1] * i + spec[2]) % 17
            shift = 1 / 16 if spec[0][0] == '+' else -0.5
            return (x.astype(jnp.float32) / 16 + shift).astype(dtype)
        return f()

    def prepare(self, case, data):
        self.f = self.jax.jit(lambda d: case.peer(self.xp, d))
        self.data = data
        for _ in range(3):
            self.out = self.jax.block_until_ready(self.f(data))

    def run(self):
        start = time.perf_counter()
        self.out = self.jax.block_until_ready(self.f(self.data))
        wall = time.perf_counter() - start
        start = time.perf_counter()
        for _ in range(IN_A_ROW):
            self.out = self.f(self.data)
        self.jax.block_until_ready(self.out)
        return (time.perf_counter() - start) / IN_A_ROW, wall

    def drop(self):
        self.out = self.data = None


class Server:
    def __init__(self, peer):
        self.peer, self.case, self.data = peer, None, None

    def prepare(self, request):
        self.data = None
        self.peer.drop()
        self.case = next(c for c in CASES if c.name == request['case'])
        n, length = sizes(self.case, request['n'], request['len'])
        dtype = self.peer.types[request['dtype']]
        self.data = {k: self.peer.make(v, dtype, n, length)
                     for k, v in self.case.inputs.items()}
        start = time.perf_counter()
        if request.get('run', True):
            self.peer.prepare(self.case, self.data)
        return {'ok': True, 'cold': time.perf_counter() - start}

    def run(self, count):
        runs = [self.peer.run() for _ in range(count)]
        return {'kernel': [r[0] for r in runs], 'wall': [r[1] for r in runs]}

    def check(self, files):
        reference = self.peer.reference(self.case, self.data)
        worst = 0.0
        for name, want in zip(self.case.outputs, reference):
            if name not in files:
                continue
            got = np.load(files[name]).astype(np.float64).ravel()
            want = self.peer.download(want)
            if want.size > got.size:
                want = want[::STEP]  # gpu.py saved a sample
            want = want.ravel()
            if got.shape != want.shape:
                return {'error': f'{name} has {got.size} elements, not {want.size}'}
            scale = np.abs(want).max() or 1.0
            worst = max(worst, float(np.abs(got - want).max() / scale))
        return {'worst': worst}

    def answer(self, request):
        if 'case' in request:
            return self.prepare(request)
        if 'run' in request:
            return self.run(request['run'])
        if 'check' in request:
            return self.check(request['check'])
        if 'copy' in request:
            self.data = None
            self.peer.drop()
            return {'kernel': self.peer.copy(request['copy'], request['repeat'])}
        return {'version': self.peer.version}


def main():
    replies, sys.stdout = sys.stdout, sys.stderr  # libraries print what they like
    server = Server(Torch() if sys.argv[1] == 'torch' else Jax())
    for line in sys.stdin:
        try:
            reply = server.answer(json.loads(line))
        except Exception as error:  # told to the driver, which goes on
            reply = {'error': f'{type(error).__name__}: {error}'[:500]}
        print(json.dumps(reply), file=replies, flush=True)


if __name__ == '__main__':
    main()
