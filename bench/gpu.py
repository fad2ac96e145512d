#!/usr/bin/env python3
"""Fusible and its peers side by side on one GPU or CPU, interleaved, every result
checked in float64. `make bench-gpu` and `make bench-cpu` run it.

    bench/gpu.py [--n table,5000x12000,1024] [--len table,65536]
                 [--dtypes f32,f64,bf16] [--cases BiCGK,...]
                 [--target cuda|cpu] [--peers cublas,torch,jax]
                 [--torch-mode max-autotune|default]
                 [--rounds 5] [--seconds 500] [--no-check]
                 [--json FILE] [--markdown FILE] [--serve build/bench-serve]

--n lists the sizes of cases with matrices, --len those of cases with long vectors;
`table` is each case's own size (cases.py), and an empty list leaves them out. Cases
run in the order of --cases; all of them at the first size, then at the next.

Each party is a process of its own that stays for the whole table (bench/serve.c,
bench/peer.py). A case is prepared by all of them, then each measures some runs in
turn, `rounds` times, so that clocks and temperature are the same for all. Times
are medians over all runs; spread is the distance of the quartiles over the median;
share is the least traffic of the case over Fusible's time, over the bandwidth of
a device copy, the best of those measured before, between and after the rows.
An iteration of a solver is timed in a loop, too: `loop_ms` of one iteration. Of programs
(`--cases programs`, programs.py) nothing else is timed; the run fails where an error
exceeds the bound of its program.
`--cases wide`, `shapes` and `sums` are further tables (cases.py, shapes.py).
Files are written after every row, so that a run that is stopped leaves its rows;
no row is begun that would take the run beyond --seconds, by the longest row of
before. Peers that are not installed are left out, and the table says so.

On a CPU the peers are openblas (the eleven sequences by its calls), numpy, torch and
jax, all on as many threads as there are processors. Libraries let their threads
spin after a call, so whoever comes next waits until they sleep.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import report  # noqa: E402
from cases import (BY_NAME, CASES, WIDE, know, read_text, setup_text, size_of,  # noqa: E402
                   size_text)
from programs import PROGRAMS  # noqa: E402
from shapes import SHAPES, SUMS  # noqa: E402

know(PROGRAMS + SHAPES + SUMS)

RUNS = 8            # of each party in one round
QUICK_RUNS = 40     # where they are short
QUICK = 1e-4        # seconds
LOOPS = 2           # of each party in one round
BYTES = dict(f32=4, f64=8, bf16=2)
SAMPLED = 1 << 24   # larger results are checked in every 97th element or row
STEP = 97
COPIED = dict(cuda=1 << 27, cpu=1 << 24)  # elements of f32
BLAS = dict(cuda='cublas', cpu='openblas')  # whose calls bench-serve has built in
CHECKER = dict(cuda='torch', cpu='numpy')   # whose float64 results are the right ones
PEERS = dict(cuda='cublas,torch,jax', cpu='openblas,numpy,torch,jax')
REST = dict(cuda=0.0, cpu=0.06)             # seconds until threads sleep
FACTS = 'name,driver_version,clocks.sm,clocks.mem'


class Party:
    """A process that answers a line of JSON with a line of JSON."""

    def __init__(self, name, command):
        self.name = name
        self.rest = 0.0  # seconds before it runs something
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def ask(self, **request):
        time.sleep(self.rest if {'run', 'peer_run', 'loop'} & set(request) else 0.0)
        try:
            self.process.stdin.write(json.dumps(request) + '\n')
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except OSError as error:
            return {'error': str(error)}
        return json.loads(line) if line else {'error': 'the process has ended'}

    def end(self):
        try:
            self.process.stdin.close()
            self.process.wait(60)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()


def summary(values):
    values = sorted(values)
    middle = statistics.median(values)
    spread = values[3 * len(values) // 4] - values[len(values) // 4]
    return middle, spread / middle if middle else 0.0


class Times:
    """What one party said of its runs: lists of seconds by what was timed."""

    def __init__(self):
        self.seconds = {}

    def hear(self, answer, prefix=''):
        for what in ('kernel', 'wall', 'call'):
            if answer.get(what):
                self.seconds.setdefault(prefix + what, []).extend(answer[what])

    def row(self):
        return {f'{what}_ms': summary(got)[0] * 1e3
                for what, got in self.seconds.items()}


class Bench:
    def __init__(self, options):
        self.options = options
        self.blas = BLAS[options.target]
        self.fusible = Party('fusible', [options.serve, '--target', options.target])
        self.peers, self.checker, self.copies = {}, None, []
        here = os.path.dirname(os.path.abspath(__file__))
        started, checker = {}, CHECKER[options.target]
        for name in sorted(set(options.peers) - {self.blas} | {checker}):
            started[name] = Party(name, [  # all at once: they take long to start
                sys.executable, os.path.join(here, 'peer.py'), name, '--target',
                options.target, '--mode', options.torch_mode])
        self.versions = {'fusible': self.fusible.ask(device=True)}
        for name, party in started.items():
            answer = party.ask(version=True)
            if 'version' not in answer:
                print(f'{name}: left out: {answer.get("error")}', file=sys.stderr)
                continue
            self.versions[name] = answer['version']
            if name == checker:
                self.checker = party
            if name in options.peers:
                self.peers[name] = party
        self.parties = [self.fusible, *started.values()]
        for party in self.parties:
            party.rest = REST[options.target]

    def end(self):
        for party in self.parties:
            party.end()

    def saving(self, case, name, path, size):
        m, n, length = size
        if name in case.numbers or (case.carried and name == 'rho'):
            return f'save("{path}", f64({name} .* ones(1)));'
        if case.long and length > SAMPLED:
            return f'save("{path}", f64({name}[1:{STEP}:end]));'
        if name.isupper() and m * n > SAMPLED:  # matrices have capital letters
            return f'save("{path}", f64({name}[1:{STEP}:end, :]));'
        return f'save("{path}", f64({name}));'

    def check(self, case, size, names, steps=1):
        """The largest error of Fusible's results against float64 ones, after `steps`
        iterations; a sentence where they cannot be compared."""
        if not self.checker:
            return None
        with tempfile.TemporaryDirectory() as folder:
            files = {}
            for name in names:
                path = os.path.join(folder, name + '.npy')
                answer = self.fusible.ask(eval=self.saving(case, name, path, size))
                if 'error' in answer:
                    return answer['error']
                files[name] = path
            answer = self.checker.ask(check=list(files.values()), steps=steps)
        return answer.get('worst', answer.get('error'))

    def prepare(self, case, dtype, size):
        """Fusible's first run and the peers that can run the case, or None."""
        o, ask = self.options, self.fusible.ask
        ask(eval=':reset -f')
        block = case.block or case.text(1)
        for answer in (ask(eval=setup_text(case, dtype, size)),
                       ask(eval=read_text(case)),
                       cold := ask(run=block, repeat=1)):
            if 'error' in answer:
                print(f'{case.name}: {answer["error"]}', file=sys.stderr)
                return None
        request = dict(case=case.name, dtype=dtype, size=size)
        ready = {}
        if self.checker and self.checker not in self.peers.values():
            self.checker.ask(**request, run=False)
        for name, party in self.peers.items():
            answer = party.ask(**request)
            if 'error' in answer:
                print(f'{case.name}, {name}: {answer["error"]}', file=sys.stderr)
            if 'ok' in answer:
                ready[name] = party
        if self.blas in o.peers and dtype == 'f32' and case.block:
            m, n, length = size
            answer = ask(peer=case.name, m=m, n=n, len=length)
            if 'error' not in answer:
                ready[self.blas] = self.fusible
        ask(run=block, repeat=3)
        return cold, ready

    def take_turns(self, case, ready):
        """What everyone's runs took, and Fusible's last answer."""
        ours, theirs, last = Times(), {name: Times() for name in ready}, {}
        for _ in range(self.options.rounds):
            runs = RUNS
            if last and summary(last['kernel'])[0] < QUICK:
                runs = QUICK_RUNS
            last = self.fusible.ask(run=case.block, repeat=runs)
            if 'error' in last:
                return None, None, last
            ours.hear(last)
            for name, party in ready.items():
                theirs[name].hear(party.ask(peer_run=runs) if name == self.blas else
                                  party.ask(run=runs))
        return ours, theirs, last

    def take_loops(self, case, size, ready, ours, theirs):
        """The same for a loop, by the iteration; gives the error after two, and
        Fusible's last answer."""
        self.fusible.ask(eval=case.text(2))
        names = case.carried if case.block else case.outputs
        error = self.check(case, size, names, 2) if self.options.check else None
        text = case.text(case.steps)
        last = self.fusible.ask(run=text, repeat=2)
        for _ in range(self.options.rounds):
            if 'error' not in last:
                last = self.fusible.ask(run=text, repeat=LOOPS)
            ours.hear(by_iteration(case, last), 'loop_')
            for name, party in ready.items():
                if name != self.blas:
                    theirs[name].hear(by_iteration(case, party.ask(loop=LOOPS)), 'loop_')
        return error, last

    def measure_program(self, case, dtype, size):
        """The row of one that is timed in a loop only, from its beginning."""
        prepared = self.prepare(case, dtype, size)
        if not prepared:
            return None
        cold, ready = prepared
        ours, theirs = Times(), {name: Times() for name in ready}
        self.fusible.ask(eval=setup_text(case, dtype, size))
        error, last = self.take_loops(case, size, ready, ours, theirs)
        if 'error' in last:
            print(f'{case.name}: {last["error"]}', file=sys.stderr)
            return None
        wall, spread = summary(ours.seconds['loop_wall'])
        least = case.moves(*size, BYTES[dtype])
        return {'case': case.name, 'dtype': dtype, 'size': size_text(size), **ours.row(),
                'steps': case.steps, 'spread': spread, 'least_bytes': least,
                'GBps': least / wall * 1e-9, 'cold_ms': cold['wall'][0] * 1e3,
                'error': error, 'bound': case.bound,
                'peers': {name: t.row() for name, t in theirs.items() if t.seconds}}

    def measure(self, case, dtype, size):
        if not case.block:
            return self.measure_program(case, dtype, size)
        prepared = self.prepare(case, dtype, size)
        if not prepared:
            return None
        cold, ready = prepared
        error = self.check(case, size, case.outputs) if self.options.check else None
        ours, theirs, last = self.take_turns(case, ready)
        if not ours:
            print(f'{case.name}: {last["error"]}', file=sys.stderr)
            return None
        loop_error = self.take_loops(case, size, ready, ours, theirs)[0] \
            if case.loop else None
        kernel, spread = summary(ours.seconds['kernel'])
        least = case.moves(*size, BYTES[dtype])
        row = {'case': case.name, 'dtype': dtype, 'size': size_text(size),
               'kernels': last['kernels'], **ours.row(), 'spread': spread,
               'predicted_ms': last['predicted'] * 1e3,
               'least_bytes': least, 'GBps': least / kernel * 1e-9,
               'cold_ms': cold['wall'][0] * 1e3, 'error': error,
               'peers': {name: t.row() for name, t in theirs.items() if t.seconds}}
        if case.loop:
            row['loop_error'] = loop_error
        return row

    def copy(self):
        """Adds bytes per second, read and written, of a copy by torch or NumPy;
        without them of Fusible's own y = -x."""
        count = COPIED[self.options.target]
        self.fusible.ask(eval=':reset -f')
        if self.checker:
            got = self.checker.ask(copy=count, repeat=RUNS)
        else:
            self.fusible.ask(eval=f'x = f32(mod(1:{count}, 17));')
            got = self.fusible.ask(run='y = -x;', repeat=RUNS)
        if 'error' not in got:
            self.copies.append(8.0 * count / summary(got['kernel'])[0])
        return max(self.copies, default=0.0)


def by_iteration(case, answer):
    return {what: [t / case.steps for t in got] for what, got in answer.items()
            if isinstance(got, list)}


def facts(target, versions):
    if target == 'cpu':
        return dict(device=versions['fusible'].get('device', 'unknown'),
                    processors=os.cpu_count())
    try:
        line = subprocess.run(['nvidia-smi', '--format=csv,noheader', '-i', '0',
                               f'--query-gpu={FACTS}'], capture_output=True,
                              text=True, timeout=20).stdout.strip()
        name, driver, sm, memory = [x.strip() for x in line.split(',')][:4]
        return dict(device=name, driver=driver, clocks={'sm': sm, 'memory': memory})
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return dict(device='unknown', driver='unknown', clocks={})


def command(arguments, program='bench/gpu.py'):
    """What was asked for, without where files lie on this machine."""
    paths = ('--serve', '--json', '--markdown')
    kept, k = [program], 0
    while k < len(arguments):
        if arguments[k] in paths:
            k += 2
            continue
        kept.append(arguments[k])
        k += 1
    return ' '.join(kept)


def jobs(o):
    """(dtype, case, size) in the order in which they are measured."""
    lists = {'': CASES, 'wide': WIDE, 'programs': PROGRAMS, 'shapes': SHAPES, 'sums': SUMS}
    wanted = ([c.name for c in lists[o.cases]] if o.cases in lists else
              [x for x in o.cases.split(',') if x])
    unknown = set(wanted) - set(BY_NAME)
    if unknown:
        sys.exit(f'no case is named {", ".join(sorted(unknown))}; the cases are: '
                 f'{", ".join(BY_NAME)}')
    matrices = [x for x in o.n.split(',') if x]
    vectors = [x for x in o.len.split(',') if x]
    for k in range(max(len(matrices), len(vectors))):
        for dtype in o.dtypes.split(','):
            for case in (BY_NAME[name] for name in wanted):
                texts = vectors if case.long else matrices
                size = size_of(case, texts[k]) if k < len(texts) else None
                if size:
                    yield dtype, case, size


def write(o, result):
    """Files whole or not at all: a run may be killed at any time."""
    texts = {o.json: json.dumps(result, indent=1) + '\n',
             o.markdown: report.table(result)}
    for path, text in texts.items():
        if path:
            with open(path + '.part', 'w', encoding='utf-8') as f:
                f.write(text)
            os.replace(path + '.part', path)


def options():
    p = argparse.ArgumentParser(description=__doc__.split('\n\n', maxsplit=1)[0])
    p.add_argument('--n', default='table')
    p.add_argument('--len', default='table')
    p.add_argument('--dtypes', default='f32')
    p.add_argument('--cases', default='', help='names, or wide, programs, shapes, sums; by default the sequences')
    p.add_argument('--peers', help='by default all that there are')
    p.add_argument('--torch-mode', default='max-autotune',
                   choices=('max-autotune', 'default'))
    p.add_argument('--rounds', type=int, default=5)
    p.add_argument('--seconds', type=float, default=1e9)
    p.add_argument('--json')
    p.add_argument('--markdown')
    p.add_argument('--serve', default='build/bench-serve')
    p.add_argument('--target', default='cuda', choices=('cuda', 'cpu'))
    p.add_argument('--no-check', dest='check', action='store_false')
    o = p.parse_args()
    o.peers = [x for x in (PEERS[o.target] if o.peers is None else o.peers).split(',')
               if x]
    return o


def main():
    began = time.monotonic()
    o = options()
    todo = list(jobs(o))
    bench = Bench(o)
    rows, longest, left = [], 0.0, []
    result = dict(facts(o.target, bench.versions), versions=bench.versions,
                  copy_GBps=bench.copy() * 1e-9, torch_mode=o.torch_mode,
                  command=command(sys.argv[1:]), rows=rows, left_out=left)
    for k, (dtype, case, size) in enumerate(todo):
        start = time.monotonic()
        if start - began + longest > o.seconds:
            left += [f'{c.name} {d} {size_text(s)}' for d, c, s in todo[k:]]
            break
        if k % 8 == 7:
            bench.copy()
        row = bench.measure(case, dtype, size)
        longest = max(longest, time.monotonic() - start)
        if not row:
            left.append(f'{case.name} {dtype} {size_text(size)}')
            continue
        row['seconds'] = time.monotonic() - start
        rows.append(row)
        report.share(result, max(bench.copies, default=0.0))
        print(report.line(row), flush=True)
        write(o, result)
    report.share(result, bench.copy())
    write(o, result)
    if not all(report.is_program(row) for row in rows):
        print(report.comparison(result), flush=True)
    bench.end()
    wrong = [row['case'] for row in rows if report.is_wrong(row)]
    if wrong:
        print(f'wrong: {", ".join(wrong)}', file=sys.stderr)
    return 0 if rows and not wrong else 1


if __name__ == '__main__':
    sys.exit(main())
