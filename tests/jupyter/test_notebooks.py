#!/usr/bin/python3
"""The notebooks of examples/: they are what their sources say, they run without
an unexpected error, and what is not different in every run is as committed.

Runs every cell through the kernel on the CPU target (tools/notebooks). The last
line is `N passed, N failed`.
"""
import peers  # noqa: F401, first: it changes the Python that runs this
import glob
import importlib.machinery
import importlib.util
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, 'tests'))
from score import Score  # noqa: E402

S = Score()
MOST = 150000  # bytes of a notebook with its outputs
BUILD = os.environ.get('BUILD') or os.path.join(ROOT, 'build')


def load_tool():
    loader = importlib.machinery.SourceFileLoader(
        'notebooks', os.path.join(ROOT, 'tools', 'notebooks'))
    tool = importlib.util.module_from_spec(
        importlib.util.spec_from_loader('notebooks', loader))
    sys.dont_write_bytecode = True
    loader.exec_module(tool)
    return tool


def text_of(value):
    return ''.join(value) if isinstance(value, list) else value


def stable(tool, cell):
    """The outputs to compare, whether their texts are lists of lines or one."""
    for o in cell.get('outputs', []):
        if 'text' in o:
            o['text'] = text_of(o['text'])
        for kind, value in o.get('data', {}).items():
            if kind.startswith('text/'):
                o['data'][kind] = text_of(value)
    return tool.stable_outputs(cell)


def check_plan(cell, output):
    """A plan's display is one of something that was measured."""
    plan = output['data']['application/vnd.fusible.plan+json']
    S.check(plan['runs'] == 0 or plan['state'] == 'measured',
            ('a plan is as measured', cell['source'][:60]))
    S.check('text/html' in output['data'] and not re.search(
        r'<(script|iframe|style)|\son\w+=', text_of(output['data']['text/html'])),
            'and static HTML')


def main():
    tool = load_tool()
    sources = sorted(glob.glob(os.path.join(ROOT, 'examples', 'notebooks',
                                            '*.md')))
    S.check(len(sources) >= 4, 'there are notebooks')
    for path in sources:
        name = os.path.basename(path)[:-3]
        made = os.path.join(ROOT, 'examples', name + '.ipynb')
        S.check(os.path.getsize(made) < MOST, f'{name}: {os.path.getsize(made)} bytes')
        with open(made, encoding='utf-8') as f:
            kept = json.load(f)
        fresh = tool.notebook_of(path)
        same = [text_of(c['source']) for c in kept['cells']] == \
            [c['source'] for c in fresh.cells]
        if not S.check(same, name + ': the source changed; `make notebooks`'):
            continue
        try:
            tool.execute(fresh, os.path.join(BUILD, 'fusible-kernel'))
        except Exception as error:  # whatever the client raises
            S.check(False, (name, str(error)[-800:]))
            continue
        for old, new in zip(kept['cells'], fresh.cells):
            if new['cell_type'] != 'code':
                continue
            a, b = stable(tool, old), stable(tool, new)
            S.check(a == b, (name, new['source'][:60], a, b))
            for o in new['outputs']:
                if tool.is_plan(o):
                    check_plan(new, o)
        S.check(any(c.get('outputs') for c in fresh.cells),
                name + ' shows something')
    return S.close()


if __name__ == '__main__':
    sys.exit(main())
