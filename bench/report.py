"""Tables and the summary of what bench/gpu.py measured.

A result is the dictionary that gpu.py writes as JSON; a row of it is one case at one
dtype and size, with times in ms: {"case", "dtype", "size", "kernel_ms", "wall_ms",
"spread", "share", "error", "peers": {"torch": {"kernel_ms", "wall_ms", "call_ms"}}}.
"""

SMALL = 64 << 20  # bytes: below it, what the host does counts
THIRD = 1 / 3     # of what a call of torch and of JAX takes, Fusible's aim when small


def share(result, copy):
    """Rows' traffic as a share of a copy's, in bytes per second."""
    result['copy_GBps'] = copy * 1e-9
    for row in result['rows']:
        row['share'] = row['GBps'] * 1e9 / copy if copy else 0.0


def of_peers(row, what):
    return '  '.join(f'{name} {got[what]:.4f}' for name, got in row['peers'].items()
                     if what in got)


def line(row):
    """One row as it is shown while the table is being made."""
    text = (f'{row["case"]:18s} {row["dtype"]:4s} {row["size"]:>10s} {row["kernels"]} '
            f'{row["kernel_ms"]:.4f} ms  wall {row["wall_ms"]:.4f}  predicted '
            f'{row["predicted_ms"]:.4f}  error {error(row)}  | '
            f'{of_peers(row, "kernel_ms")}')
    if 'loop_wall_ms' in row:
        text += (f'\n{"":18s} an iteration in a loop: {row["loop_wall_ms"]:.4f} ms | '
                 f'{of_peers(row, "loop_wall_ms")}')
    return text


def error(row):
    both = [row['error']] + ([row['loop_error']] if 'loop_error' in row else [])
    return ', '.join(f'{e:.1e}' if isinstance(e, float) else str(e) for e in both)


def times(got):
    keys = ['kernel_ms', 'wall_ms'] + (['call_ms'] if 'call_ms' in got else [])
    return ' / '.join(f'{got[k]:.4f}' if k in got else '–' for k in keys)


def table(result):
    """The result as Markdown."""
    peers = sorted({p for r in result['rows'] for p in r['peers']})
    kind = f'driver {result["driver"]}' if 'driver' in result else \
        f'{result["processors"]} processors'
    lines = [f'# {result["device"]}, {kind}', '',
             f'`{result["command"]}`, copy {result["copy_GBps"]:.0f} GB/s; kernel '
             'time / wall time in ms, medians; of torch also the time of a call from '
             f'Python (mode {result["torch_mode"]}).', '',
             '| case | dtype | size | kernels | Fusible | share | ' +
             ''.join(f'{p} | ' for p in peers) + 'error |',
             '|' + '---|' * (7 + len(peers))]
    for r in result['rows']:
        cells = [r['case'], r['dtype'], r['size'], str(r['kernels']), times(r),
                 f'{r["share"]:.3f}']
        cells += [times(r['peers'][p]) if p in r['peers'] else '–' for p in peers]
        lines.append('| ' + ' | '.join(cells + [error(r)]) + ' |')
    lines += loops(result, peers) + [''] + comparison(result).split('\n')
    if result['left_out']:
        lines += ['', f'Left out: {", ".join(result["left_out"])}.']
    return '\n'.join(lines) + '\n'


def loops(result, peers):
    rows = [r for r in result['rows'] if 'loop_wall_ms' in r]
    if not rows:
        return []
    lines = ['', 'One iteration in a loop of 40, wall time in ms; of torch as one '
             'graph / by 40 calls from Python.', '',
             '| case | dtype | size | Fusible | ' +
             ''.join(f'{p} | ' for p in peers), '|' + '---|' * (4 + len(peers))]
    for r in rows:
        cells = [r['case'], r['dtype'], r['size'], f'{r["loop_wall_ms"]:.4f}']
        for p in peers:
            got = r['peers'].get(p, {})
            cells.append(' / '.join(f'{got[k]:.4f}' for k in
                                    ('loop_wall_ms', 'loop_call_ms') if k in got)
                         or '–')
        lines.append('| ' + ' | '.join(cells) + ' |')
    return lines


def best(row):
    """The name and time of the fastest peer, by kernel time."""
    found = [(got['kernel_ms'], name) for name, got in row['peers'].items()
             if 'kernel_ms' in got]
    return min(found) if found else (None, None)


def calls(row):
    """For a small row, what torch's and JAX's calls take; else nothing."""
    if row['least_bytes'] >= SMALL:
        return {}
    found = {'torch': row['peers'].get('torch', {}).get('call_ms'),
             'jax': row['peers'].get('jax', {}).get('wall_ms')}
    return {name: ms for name, ms in found.items() if ms}


def comparison(result):
    """Every row beside the best peer and the copy, and small rows beside calls."""
    lines = ['| row | Fusible / best peer | share of copy | wall / call, small sizes |',
             '|---|---|---|---|']
    slower, unlike = 0, 0
    for row in result['rows']:
        ms, name = best(row)
        ratio = row['kernel_ms'] / ms if ms else None
        slower += bool(ratio and ratio > 1)
        ratios = {n: row['wall_ms'] / t for n, t in calls(row).items()}
        unlike += any(r > THIRD for r in ratios.values())
        lines.append(
            f'| {row["case"]} {row["dtype"]} {row["size"]} | ' +
            (f'{ratio:.3f} of {name}' if ratio else '–') +
            f' | {row["share"]:.3f} | ' +
            (', '.join(f'{r:.3f} of {n}' for n, r in ratios.items()) or '–') + ' |')
    small = sum(bool(calls(row)) for row in result['rows'])
    compared = sum(bool(best(row)[1]) for row in result['rows'])
    lines += ['', f'{compared - slower} of {compared} rows are no slower than the best '
              f'peer; {small - unlike} of {small} small rows take at most a third of '
              'the calls of torch and JAX.']
    return '\n'.join(lines)
