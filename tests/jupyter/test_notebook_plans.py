#!/usr/bin/python3
"""The plans that the notebooks of examples/ show are today's.

The cells of each are sent to the kernel on a GPU that is not there, of the model that the
notebook was made on and with its measured costs (core/model/reference); what every plan says
of kernels, fusion and reasons must be what the notebook has. Times are not compared. Where
plans differ, `make notebooks` on a calibrated GPU of that model makes the notebooks anew.

The last line is `N passed, N failed`.
"""
import peers  # noqa: F401, first: it changes the Python that runs this
import glob
import json
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, 'tests'), os.path.join(ROOT, 'tests', 'fake')]
import fakegpu  # noqa: E402
from client import Kernel  # noqa: E402
from score import Score  # noqa: E402

S = Score()
PLAN = 'application/vnd.fusible.plan+json'
# What a plan's event says of a kernel that is no time.
OF_KERNEL = ('scheme', 'joint', 'does', 'space', 'statements', 'sweeps', 'why_split', 'copies')
# Cells whose plans are others with the costs of that machine's own calibration than with those
# of core/model/reference: they choose between kernels of nearly the same time. Or they have loops
# that go on while a result is large: the GPU that is not there computes nothing. What plans there
# are must have the calls of the notebook's. A cell that has the same plans goes from here.
OTHERWISE = {
    ('bicg.ipynb', 'x, history = solve_bicg(A, b, 1e-6, 60);'),
    ('bicg.ipynb', 'x2, steps = bicg(A, b, 1e-6, 60);'),
    ('bicg.ipynb', 'plot(0:length(history) - 1, history/norm(b), "biconjugate gradients", "log=y", '
     '"xlabel=step", "ylabel=relative residual", "title=Convergence")'),
    ('fusion.ipynb', ':fuse off'),
    ('tour.ipynb', 'u = [1, 2, 3];'),
}
MODELS = {'NVIDIA H200': 'h200', 'NVIDIA H100': 'h100', 'NVIDIA A100': 'a100'}


def plan_of(event):
    return {'calls': event['calls'], 'unfused': (event.get('unfused') or {}).get('kernels'),
            'kernels': [{k: kernel.get(k) for k in OF_KERNEL} for kernel in event['kernels']]}


def plans_in(outputs):
    """By display, the last that it was updated to."""
    found = {}
    for data, key in outputs:
        if PLAN in data:
            found[key] = plan_of(data[PLAN])
    return list(found.values())


def shown(cell):
    return plans_in((o.get('data', {}), k) for k, o in enumerate(cell['outputs']))


def device_of(cells):
    names = {o['data'][PLAN]['device'] for c in cells for o in c['outputs']
             if PLAN in o.get('data', {})}
    return next((MODELS[m] for n in names for m in MODELS if n.startswith(m)), None)


def first_difference(before, today):
    """The first plan that is another, of both."""
    for k in range(max(len(before), len(today))):
        pair = [json.dumps(x[k])[:1500] if k < len(x) else 'none' for x in (before, today)]
        if pair[0] != pair[1]:
            return f'plan {k + 1}: notebook {pair[0]}\ntoday {pair[1]}'
    return f'{len(before)} plans and {len(today)}'


def replay(name, cells, device, home):
    env = fakegpu.environment(home, FUSIBLE_FAKE_DEVICE=device, FUSIBLE_TARGET='cuda',
                              FUSIBLE_REFERENCE_DEVICE='measured')
    with Kernel(home=home, **env) as kernel, kernel.client() as client:
        client.ready()
        for cell in cells:
            source = ''.join(cell['source'])
            _, got = client.execute(source)
            today = plans_in((m.content.get('data', {}),
                              m.content.get('transient', {}).get('display_id')) for m in got)
            before, first = shown(cell), source.splitlines()[0]
            if (name, first) in OTHERWISE:
                S.check(before != today, f'{name}: {first}: is as it was made')
                before, today = ([(p['calls'], p['unfused']) for p in x] for x in (before, today))
                S.check(today and all(x in before for x in today), (name, first, before, today))
                continue
            S.check(today == before, f'{name}: {source[:200]}\n{first_difference(before, today)}')


def main():
    for path in sorted(glob.glob(os.path.join(ROOT, 'examples', '*.ipynb'))):
        with open(path, encoding='utf-8') as f:
            cells = [c for c in json.load(f)['cells'] if c['cell_type'] == 'code']
        name, device = os.path.basename(path), device_of(cells)
        if S.check(device is not None, f'{name} was made on a GPU whose costs are known'):
            with tempfile.TemporaryDirectory() as home:
                replay(name, cells, device, home)
    return S.close()


if __name__ == '__main__':
    sys.exit(main())
