#!/usr/bin/python3
"""A notebook over three ranks of the CPU: cells, variables and a killed rank, as at the prompt."""
import peers  # noqa: F401, first: it changes the Python that runs this
import os
import signal
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from client import Kernel, text_of  # noqa: E402
from score import Score  # noqa: E402


def children_of(pid):
    with open(f'/proc/{pid}/task/{pid}/children', encoding='utf-8') as f:
        return [int(word) for word in f.read().split()]


def shown(c, expression):
    """What an expression shows; asked again when the fault is told of just here."""
    for _ in range(3):
        reply, outputs = c.execute(expression, store_history=False)
        if reply['status'] == 'ok':
            break
    found = [m for m in outputs if m.type == 'execute_result']
    return found[0].content['data']['text/plain'] if found else str(reply)


def main():
    score = Score()
    with Kernel(FUSIBLE_TARGET='cpu:0-2') as k, k.client() as c:
        c.ready()
        reply, outputs = c.execute('A = shard(reshape(1:36, 9, 4)); x = 1:4;\n'
                                   'begin q = A*x; s = A\'*q; end\n:vars')
        score.check(reply['status'] == 'ok' and 'rows/3' in text_of(outputs), 'a cell',
                    text_of(outputs))
        score.check('38670' in shown(c, 's'), 'a value', shown(c, 's'))
        before = shown(c, 'q')
        reply, _ = c.execute('A*[1, 2]')
        score.check(reply['status'] == 'error' and shown(c, 'q') == before, 'a mistake', str(reply))
        ranks = children_of(k.worker())
        score.check(len(ranks) == 2, 'two ranks follow the worker', str(ranks))
        for rank in ranks:
            if os.path.exists(f'/proc/{rank}'):
                os.kill(rank, signal.SIGKILL)
        score.check(shown(c, 'q') == before, 'the same after ranks were killed')
        score.check('38670' in shown(c, 's'), 'and what was made of it')
        ranks = children_of(k.worker())
    score.check(not any(os.path.exists(f'/proc/{r}/exe') for r in ranks), 'ranks end with the kernel')
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
