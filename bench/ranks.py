#!/usr/bin/env python3
"""Times statements over matrices that are cut over GPUs, beside torch.distributed with NCCL.

    bench/ranks.py [--gpus 2] [--n 32768] [--rounds 50] [--fusible build/fusible] [--json FILE]

Both go over the same data types and sizes, cut by rows, in one run of this script: first
Fusible on one GPU and on all (`--target cuda:0-1`), then torch as launches and as a CUDA graph
that is replayed. Of seven series of rounds the median is shown, in milliseconds a round.
"""
import argparse
import glob
import json
import os
import statistics
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SERIES = 7
SETUP = '''A = shard(rand({n}, {n})); p = rand({n}); r = {r}; x = zeros({n}); rr = 1; t = 0;
'''
CASES = {
    'bicgk': ('shard(rand({n}))', "begin q = A*p; s = A'*r; end;"),
    'atax': ('rand({n})', "y = A'*(A*p);"),
    'gemv': ('rand({n})', 'q = whole(A*p);'),
    'cg': ('rand({n})', "q = A*p; alpha = rr/(p'*q); x = x + alpha*p; r = r - alpha*q; "
                        "new = r'*r; p = r + (new/rr)*p; rr = new;"),
}


def nccl():
    """The NCCL that pip has, for Fusible."""
    import importlib.util
    spec = importlib.util.find_spec('nvidia')
    for folder in (spec.submodule_search_locations if spec else []):
        for path in glob.glob(os.path.join(folder, 'nccl/lib/libnccl.so.2')):
            return path
    return None


def fusible(o, case, gpus):
    """Milliseconds a round, of each series."""
    r, statement = CASES[case]
    text = SETUP.format(n=o.n, r=r.format(n=o.n))
    text += f'for k = 1:5\n {statement}\nend\n'
    text += (f'for series = 1:{SERIES}\n t0 = time();\n for k = 1:{o.rounds}\n {statement}\n end\n'
             f' print("took ", (time() - t0)/{o.rounds}*1000);\nend\n')
    env = dict(os.environ)
    path = nccl()
    if path and 'FUSIBLE_NCCL' not in env:
        env['FUSIBLE_NCCL'] = path
    target = f'cuda:0-{gpus - 1}' if gpus > 1 else 'cuda'
    run = subprocess.run([o.fusible, '--no-rc', '--target', target, '--plan', 'box', '-e', text],
                         env=env, capture_output=True, text=True, timeout=600)
    took = [float(line.split()[1]) for line in run.stdout.split('\n') if line.startswith('took')]
    if run.returncode or not took:
        print(f'{case} on {gpus}: fusible ended with {run.returncode}\n'
              f'{run.stdout[-2000:]}{run.stderr[-2000:]}')
        return []
    if o.plans:
        print(run.stdout[-4000:], run.stderr[-4000:])
    return took


def torch_rank(rank, o, out):
    import torch
    import torch.distributed as dist
    os.environ.update(MASTER_ADDR='127.0.0.1', MASTER_PORT=str(o.port), NCCL_NVLS_ENABLE='0')
    torch.cuda.set_device(rank)
    dist.init_process_group('nccl', rank=rank, world_size=o.gpus)
    rows = o.n // o.gpus
    A = torch.rand(rows, o.n, device='cuda')
    p, own_r = torch.rand(o.n, device='cuda'), torch.rand(rows, device='cuda')
    x, rr = torch.zeros(o.n, device='cuda'), torch.ones((), device='cuda')
    r, all_q = torch.rand(o.n, device='cuda'), torch.empty(o.n, device='cuda')

    def bicgk():
        q = A @ p
        s = own_r @ A
        dist.all_reduce(s)
        return q, s

    def atax():
        y = (A @ p) @ A
        dist.all_reduce(y)
        return y

    def gemv():
        dist.all_gather_into_tensor(all_q, A @ p)
        return all_q

    def cg():
        dist.all_gather_into_tensor(all_q, A @ p)
        alpha = rr / torch.dot(p, all_q)
        x.add_(alpha * p)
        r.sub_(alpha * all_q)
        new = torch.dot(r, r)
        p.mul_(new / rr).add_(r)
        rr.copy_(new)

    found = {}
    for name, step in (('bicgk', bicgk), ('atax', atax), ('gemv', gemv), ('cg', cg)):
        found[name] = {'launches': series(o, torch, dist, step)}
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            for _ in range(3):
                step()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step()
        found[name]['graph'] = series(o, torch, dist, graph.replay)
    if rank == 0:
        with open(out, 'w', encoding='utf-8') as f:
            json.dump({'torch': torch.__version__, 'device': torch.cuda.get_device_name(0),
                       'nccl': '.'.join(map(str, torch.cuda.nccl.version())), 'cases': found}, f)
    dist.barrier()
    os._exit(0)


def series(o, torch, dist, step):
    import time
    took = []
    for _ in range(SERIES + 1):
        dist.barrier()
        torch.cuda.synchronize()
        begun = time.perf_counter()
        for _ in range(o.rounds):
            step()
        torch.cuda.synchronize()
        took.append((time.perf_counter() - begun) / o.rounds * 1000)
    return took[1:]


def by_torch(o):
    out = f'/tmp/fusible-bench-ranks-{os.getpid()}.json'
    ranks = [subprocess.Popen([sys.executable, os.path.abspath(__file__), '--gpus', str(o.gpus),
                               '--n', str(o.n), '--rounds', str(o.rounds), '--port', str(o.port),
                               '--torch-rank', str(r), '--json', out]) for r in range(o.gpus)]
    for r in ranks:
        r.wait(timeout=600)
    try:
        with open(out, encoding='utf-8') as f:
            return json.load(f)
    except OSError:
        return {'cases': {}}
    finally:
        if os.path.exists(out):
            os.unlink(out)


def main():
    options = argparse.ArgumentParser()
    options.add_argument('--gpus', type=int, default=2)
    options.add_argument('--n', type=int, default=32768)
    options.add_argument('--rounds', type=int, default=50)
    options.add_argument('--port', type=int, default=29517)
    options.add_argument('--fusible', default=os.path.join(ROOT, 'build/fusible'))
    options.add_argument('--cases', default=','.join(CASES))
    options.add_argument('--plans', action='store_true', help='show what Fusible says of its plans')
    options.add_argument('--json')
    options.add_argument('--torch-rank', type=int, default=-1)
    o = options.parse_args()
    if o.torch_rank >= 0:
        return torch_rank(o.torch_rank, o, o.json)
    cases = o.cases.split(',')
    one = {case: fusible(o, case, 1) for case in cases}
    ours = {case: fusible(o, case, o.gpus) for case in cases}
    try:
        import torch  # noqa: F401
        theirs = by_torch(o)
    except ImportError:
        theirs = {'cases': {}}
    print(f"{o.gpus} x {theirs.get('device', 'GPU')}, n = {o.n}, f32, torch {theirs.get('torch')}, "
          f"NCCL {theirs.get('nccl')}; milliseconds a round, medians of {SERIES} series of "
          f"{o.rounds}")
    print(f'{"case":8} {"1 GPU":>9} {"Fusible":>9} {"torch":>9} {"torch, graph":>13}')
    for case, took in ours.items():
        t = theirs['cases'].get(case, {})
        cells = [one[case], took, t.get('launches'), t.get('graph')]
        print(f'{case:8} ' + ' '.join(f'{statistics.median(c):{w}.3f}' if c else f'{"-":>{w}}'
                                      for c, w in zip(cells, (9, 9, 9, 13))))
    if o.json:
        with open(o.json, 'w', encoding='utf-8') as f:
            json.dump({'gpus': o.gpus, 'n': o.n, 'one': one, 'fusible': ours, 'torch': theirs}, f,
                      indent=1)
    return 0


if __name__ == '__main__':
    sys.exit(main())
