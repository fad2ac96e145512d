"""Tables and the summary of what bench/gpu.py measured.

A result is the dictionary that gpu.py writes as JSON; a row of it is one case at one
dtype and size, with times in ms: {"case", "dtype", "size", "kernel_ms", "wall_ms",
"spread", "share", "error", "peers": {"torch": {"kernel_ms", "wall_ms", "call_ms"}}}; of
programs in their place {"loop_wall_ms", ..., "bound", "peers": {"torch":
{"loop_wall_ms", "loop_call_ms"}}}.
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


def is_program(row):
    """Timed in a loop only."""
    return 'kernel_ms' not in row


def is_wrong(row):
    """Whether it was compared with the right result, has a bound and is beyond it."""
    bound, got = row.get('bound'), row['error']
    return bound is not None and got is not None and \
        not (isinstance(got, float) and got <= bound)


def line(row):
    """One row as it is shown while the table is being made."""
    if is_program(row):
        peers = '  '.join(f'{name} {loop_times(got)}' for name, got in row['peers'].items())
        return (f'{row["case"]:24s} {row["size"]:>10s}  a step {row["loop_wall_ms"]:.4f} ms'
                f'  error {error(row)}  | {peers}')
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


def loop_times(got):
    return ' / '.join(f'{got[k]:.4f}' for k in ('loop_wall_ms', 'loop_call_ms')
                      if k in got) or '–'


def times(got):
    keys = ['kernel_ms', 'wall_ms'] + (['call_ms'] if 'call_ms' in got else [])
    return ' / '.join(f'{got[k]:.4f}' if k in got else '–' for k in keys)


def table(result):
    """The result as Markdown."""
    peers = sorted({p for r in result['rows'] for p in r['peers']})
    kind = f'driver {result["driver"]}' if 'driver' in result else \
        f'{result["processors"]} processors'
    lines = [f'# {result["device"]}, {kind}', '',
             f'`{result["command"]}`, copy {result["copy_GBps"]:.0f} GB/s']
    if any(is_program(r) for r in result['rows']):
        lines[-1] += '.'
        lines += programs(result, peers)
    if not all(is_program(r) for r in result['rows']):
        lines[-1] += ('; kernel time / wall time in ms, medians; of torch also the time of '
                      f'a call from Python (mode {result["torch_mode"]}).')
        lines += statements(result, peers) + loops(result, peers) + [''] + \
            comparison(result).split('\n')
    if result['left_out']:
        lines += ['', f'Left out: {", ".join(result["left_out"])}.']
    return '\n'.join(lines) + '\n'


def programs(result, peers):
    """A step of each program."""
    lines = ['', 'A step of a program in a loop, wall time in ms, medians; of torch as one '
             f'graph / by calls from Python (mode {result["torch_mode"]}). The error is the '
             'largest after two steps, relative to the largest magnitude of the right '
             'result in float64.', '',
             '| program | size | steps | Fusible | ' + ''.join(f'{p} | ' for p in peers) +
             'of the best | error |', '|' + '---|' * (6 + len(peers))]
    for r in result['rows']:
        if not is_program(r):
            continue
        cells = [r['case'], r['size'], str(r['steps']), f'{r["loop_wall_ms"]:.4f}']
        cells += [loop_times(r['peers'].get(p, {})) for p in peers]
        ms, name = best(r, ('loop_wall_ms', 'loop_call_ms'))
        cells.append(f'{r["loop_wall_ms"] / ms:.2f} of {name}' if ms else '–')
        lines.append('| ' + ' | '.join(cells + [error(r)]) + ' |')
    return lines


def statements(result, peers):
    lines = ['', '| case | dtype | size | kernels | Fusible | share | ' +
             ''.join(f'{p} | ' for p in peers) + 'error |',
             '|' + '---|' * (7 + len(peers))]
    for r in result['rows']:
        if is_program(r):
            continue
        cells = [r['case'], r['dtype'], r['size'], str(r['kernels']), times(r),
                 f'{r["share"]:.3f}']
        cells += [times(r['peers'][p]) if p in r['peers'] else '–' for p in peers]
        lines.append('| ' + ' | '.join(cells + [error(r)]) + ' |')
    return lines


def loops(result, peers):
    rows = [r for r in result['rows'] if 'loop_wall_ms' in r and not is_program(r)]
    if not rows:
        return []
    lines = ['', 'One iteration in a loop of 40, wall time in ms; of torch as one '
             'graph / by 40 calls from Python.', '',
             '| case | dtype | size | Fusible | ' +
             ''.join(f'{p} | ' for p in peers), '|' + '---|' * (4 + len(peers))]
    for r in rows:
        cells = [r['case'], r['dtype'], r['size'], f'{r["loop_wall_ms"]:.4f}']
        cells += [loop_times(r['peers'].get(p, {})) for p in peers]
        lines.append('| ' + ' | '.join(cells) + ' |')
    return lines


def best(row, whats=('kernel_ms',)):
    """The time and name of the fastest peer, by kernel time or those."""
    found = [(got[what], name) for name, got in row['peers'].items() for what in whats
             if what in got]
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
    rows = [row for row in result['rows'] if not is_program(row)]
    for row in rows:
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
    small = sum(bool(calls(row)) for row in rows)
    compared = sum(bool(best(row)[1]) for row in rows)
    lines += ['', f'{compared - slower} of {compared} rows are no slower than the best '
              f'peer; {small - unlike} of {small} small rows take at most a third of '
              'the calls of torch and JAX.']
    return '\n'.join(lines)
