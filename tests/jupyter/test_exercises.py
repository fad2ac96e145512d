#!/usr/bin/python3
"""The exercises of examples/exercises: the graded cells take right answers and no wrong
ones. A cell with an error is what nbgrader grades with no points; `make check-lab` has
nbgrader do it."""
import peers  # noqa: F401, first: it changes the Python that runs this
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import exercises  # noqa: E402
from client import Kernel  # noqa: E402
from score import Score  # noqa: E402

S = Score()


def failing(name, answer):
    """The graded cells with an error."""
    wrong = set()
    with Kernel() as kernel, kernel.client() as client:
        client.ready()
        for cell in exercises.notebook(name, answer)['cells']:
            if cell['cell_type'] != 'code':
                continue
            reply, outputs = client.execute(''.join(cell['source']), stop_on_error=False)
            error = any(m.type == 'error' for m in outputs)
            S.check(error == (reply['status'] == 'error'), (name, answer, reply))
            if error and cell['metadata']['nbgrader']['grade']:
                wrong.add(cell['id'])
    return wrong


def main():
    for name, answers in exercises.ANSWERS.items():
        graded = {c['id'] for c in exercises.notebook(name)['cells']
                  if c.get('metadata', {}).get('nbgrader', {}).get('grade')}
        S.check(len(graded) == 2, (name, graded))
        S.check(graded == set().union(*(wrong for _, wrong in answers)), f'{name}: all can fail')
        for answer, wrong in answers:
            got = failing(name, answer)
            # A measured time is judged: a machine that is busy with something else gets
            # two more chances to be right, and none to be wrong.
            for _ in range(2):
                got = failing(name, answer) if got > wrong else got
            S.check(got == wrong, f'{name}, {answer!r}: {got} failed, not {wrong}')
    return S.close()


if __name__ == '__main__':
    sys.exit(main())
