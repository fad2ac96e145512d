#!/usr/bin/env python3
"""Fusible and its peers side by side on one GPU, interleaved, every result checked
in float64. `make bench-gpu` runs it.

    bench/gpu.py [--n 16384] [--len 134217728] [--dtypes f32,f64,bf16]
                 [--cases BiCGK,...] [--peers cublas,torch,jax] [--rounds 5]
                 [--json FILE] [--markdown FILE] [--serve build/bench-serve]

Each party is a process of its own that stays for the whole table (bench/serve.c,
bench/peer.py). A case is prepared by all of them, then each measures some runs in
turn, `rounds` times, so that clocks and temperature are the same for all. Times
are medians over all runs; spread is the distance of the quartiles over the median;
share is the least traffic of the case over Fusible's time, over the bandwidth of
a device copy measured in the same rounds.
Peers that are not installed are left out, and the table says so.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cases import CASES, setup_text, sizes

RUNS = 8            # of each party in one round
BYTES = dict(f32=4, f64=8, bf16=2)
SAMPLED = 1 << 24   # larger results are checked in every 97th element or row
STEP = 97


class Party:
    """A process that answers a line of JSON with a line of JSON."""

    def __init__(self, name, command):
        self.name = name
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def ask(self, **request):
        try:
            self.process.stdin.write(json.dumps(request) + '\n')
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except OSError as error:
            return {'error': str(error)}
        return json.loads(line) if line else {'error': 'the process has ended'}

    def end(self):
        self.process.stdin.close()
        self.process.wait(60)


def summary(values):
    values = sorted(values)
    middle = statistics.median(values)
    spread = values[3 * len(values) // 4] - values[len(values) // 4]
    return middle, spread / middle if middle else 0.0


class Bench:
    def __init__(self, options):
        self.options = options
        self.fusible = Party('fusible', [options.serve, '--target', options.target])
        here = os.path.dirname(os.path.abspath(__file__))
        self.peers, self.checker = {}, None
        self.versions = {'fusible': self.fusible.ask(device=True)}
        for name in set(options.peers) - {'cublas'} | {'torch'}:
            party = Party(name, [sys.executable, os.path.join(here, 'peer.py'), name])
            answer = party.ask(version=True)
            if 'version' in answer:
                self.versions[name] = answer['version']
                if name == 'torch':
                    self.checker = party
                if name in options.peers:
                    self.peers[name] = party
            else:
                print(f'{name}: left out: {answer.get("error")}', file=sys.stderr)

    def saving(self, case, name, path):
        o = self.options
        n, length = sizes(case, o.n, o.len)
        shape = case.shape(name)
        if shape == 'number':
            return f'save("{path}", f64({name} .* ones(1)));'
        if shape == 'matrix' and n * n > SAMPLED:
            return f'save("{path}", f64({name}[1:{STEP}:end, :]));'
        if shape == 'long' and length > SAMPLED:
            return f'save("{path}", f64({name}[1:{STEP}:end]));'
        return f'save("{path}", f64({name}));'

    def check(self, case):
        """Fusible's results against the float64 ones of torch."""
        if not self.checker:
            return None
        with tempfile.TemporaryDirectory() as folder:
            files = {}
            for name in case.outputs:
                path = os.path.join(folder, name + '.npy')
                answer = self.fusible.ask(eval=self.saving(case, name, path))
                if 'error' in answer:
                    return answer['error']
                files[name] = path
            answer = self.checker.ask(check=files)
        return answer.get('worst', answer.get('error'))

    def prepare(self, case, dtype, n, length):
        """The parties that can run the case."""
        o = self.options
        ask = self.fusible.ask
        answer = ask(eval=':reset -f')
        answer = ask(eval=setup_text(case, dtype, n, length))
        if 'error' in answer:
            print(f'{case.name}: {answer["error"]}', file=sys.stderr)
            return None
        cold = ask(run=case.block, repeat=1)
        if 'error' in cold:
            print(f'{case.name}: {cold["error"]}', file=sys.stderr)
            return None
        ready = {}
        if self.checker and 'torch' not in self.peers:
            self.checker.ask(case=case.name, dtype=dtype, n=o.n, len=o.len,
                             run=False)
        for name, party in self.peers.items():
            answer = party.ask(case=case.name, dtype=dtype, n=o.n, len=o.len)
            if 'error' in answer:
                print(f'{case.name}, {name}: {answer["error"]}', file=sys.stderr)
            else:
                ready[name] = party
        if 'cublas' in o.peers and dtype == 'f32':
            answer = ask(peer=case.name, n=n, len=length)
            if 'error' not in answer:
                ready['cublas'] = self.fusible
        ask(run=case.block, repeat=3)
        return cold, ready

    def measure(self, case, dtype):
        o = self.options
        n, length = sizes(case, o.n, o.len)
        prepared = self.prepare(case, dtype, n, length)
        if not prepared:
            return None
        cold, ready = prepared
        error = self.check(case) if o.check else None
        ours, walls, last = [], [], {}
        theirs = {name: ([], []) for name in ready}
        for _ in range(o.rounds):
            last = self.fusible.ask(run=case.block, repeat=RUNS)
            if 'error' in last:
                print(f'{case.name}: {last["error"]}', file=sys.stderr)
                return None
            ours += last['kernel']
            walls += last['wall']
            for name, party in ready.items():
                got = party.ask(peer_run=RUNS) if name == 'cublas' else \
                    party.ask(run=RUNS)
                theirs[name][0].extend(got.get('kernel', []))
                theirs[name][1].extend(got.get('wall', []))
        kernel, spread = summary(ours)
        least = case.moves(n, length, BYTES[dtype])
        row = {'case': case.name, 'dtype': dtype,
               'size': str(n if case.size in ('n', 'n/2') else length),
               'kernels': last['kernels'], 'kernel_ms': kernel * 1e3,
               'wall_ms': summary(walls)[0] * 1e3, 'spread': spread,
               'predicted_ms': last['predicted'] * 1e3,
               'least_bytes': least, 'GBps': least / kernel * 1e-9,
               'cold_ms': cold['wall'][0] * 1e3, 'error': error, 'peers': {}}
        for name, (kernels, wall) in theirs.items():
            if kernels:
                row['peers'][name] = {'kernel_ms': summary(kernels)[0] * 1e3}
                if wall:
                    row['peers'][name]['wall_ms'] = summary(wall)[0] * 1e3
        return row

    def copy_bandwidth(self):
        """Bytes per second, read and written, of torch's copy_; without torch of
        Fusible's own y = -x."""
        n = self.options.len
        self.fusible.ask(eval=':reset -f')
        if self.checker:
            got = self.checker.ask(copy=n, repeat=RUNS)
        else:
            self.fusible.ask(eval=f'x = f32(mod(1:{n}, 17));')
            got = self.fusible.ask(run='y = -x;', repeat=RUNS)
        return None if 'error' in got else 8.0 * n / summary(got['kernel'])[0]


def facts():
    query = 'name,driver_version,clocks.sm,clocks.mem'
    try:
        line = subprocess.run(['nvidia-smi', '--format=csv,noheader', '-i', '0',
                               f'--query-gpu={query}'], capture_output=True,
                              text=True, timeout=20).stdout.strip()
        name, driver, sm, memory = [x.strip() for x in line.split(',')][:4]
        return dict(device=name, driver=driver, clocks={'sm': sm, 'memory': memory})
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return dict(device='unknown', driver='unknown', clocks={})


def command(arguments):
    """What was asked for, without where files lie on this machine."""
    paths = ('--serve', '--json', '--markdown')
    kept, k = ['bench/gpu.py'], 0
    while k < len(arguments):
        if arguments[k] in paths:
            k += 2
            continue
        kept.append(arguments[k])
        k += 1
    return ' '.join(kept)


def table(result):
    peers = sorted({p for r in result['rows'] for p in r['peers']})
    lines = [f'# {result["device"]}, driver {result["driver"]}', '',
             f'`{result["command"]}`, copy {result["copy_GBps"]:.0f} GB/s; kernel '
             'time / wall time in ms, medians.', '',
             '| case | dtype | size | kernels | Fusible | share | ' +
             ' | '.join(peers) + ' | error |',
             '|' + '---|' * (7 + len(peers))]
    for r in result['rows']:
        cells = [r['case'], r['dtype'], r['size'], str(r['kernels']),
                 f'{r["kernel_ms"]:.4f} / {r["wall_ms"]:.4f}', f'{r["share"]:.3f}']
        for p in peers:
            got = r['peers'].get(p)
            cells.append('–' if not got else f'{got["kernel_ms"]:.4f} / '
                         f'{got.get("wall_ms", float("nan")):.4f}')
        error = r['error']
        cells.append(f'{error:.1e}' if isinstance(error, float) else str(error))
        lines.append('| ' + ' | '.join(cells) + ' |')
    return '\n'.join(lines) + '\n'


def main():
    p = argparse.ArgumentParser()
    p.add_argument('--n', type=int, default=16384)
    p.add_argument('--len', type=int, default=1 << 27)
    p.add_argument('--dtypes', default='f32')
    p.add_argument('--cases', default='')
    p.add_argument('--peers', default='cublas,torch,jax')
    p.add_argument('--rounds', type=int, default=5)
    p.add_argument('--json')
    p.add_argument('--markdown')
    p.add_argument('--serve', default='build/bench-serve')
    p.add_argument('--target', default='cuda')
    p.add_argument('--no-check', dest='check', action='store_false')
    o = p.parse_args()
    o.peers = [x for x in o.peers.split(',') if x]
    wanted = [x for x in o.cases.split(',') if x]
    bench = Bench(o)
    rows, copies = [], []
    for dtype in o.dtypes.split(','):
        for case in CASES:
            if wanted and case.name not in wanted:
                continue
            row = bench.measure(case, dtype)
            if not row:
                continue
            rows.append(row)
            others = '  '.join(f'{k} {v["kernel_ms"]:.4f}'
                               for k, v in row['peers'].items())
            print(f'{case.name:20s} {dtype} {row["size"]:>10s} {row["kernels"]} '
                  f'{row["kernel_ms"]:.4f} ms  wall {row["wall_ms"]:.4f}  '
                  f'predicted {row["predicted_ms"]:.4f}  error {row["error"]}  '
                  f'| {others}', flush=True)
        copies.append(bench.copy_bandwidth())
    copy = max([c for c in copies if c], default=0.0)
    for row in rows:
        row['share'] = row['GBps'] * 1e9 / copy if copy else 0.0
    result = dict(facts(), versions=bench.versions, copy_GBps=copy * 1e-9,
                  command=command(sys.argv[1:]), rows=rows)
    if o.json:
        with open(o.json, 'w') as f:
            json.dump(result, f, indent=1)
            f.write('\n')
    if o.markdown:
        with open(o.markdown, 'w') as f:
            f.write(table(result))
    bench.fusible.end()
    for party in {bench.checker, *bench.peers.values()} - {None}:
        party.end()
    return 0 if rows else 1


if __name__ == '__main__':
    sys.exit(main())
