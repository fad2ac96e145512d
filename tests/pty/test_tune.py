#!/usr/bin/python3
"""`:tune` at a terminal: the bar, Ctrl-C, the table.  usage: test_tune.py [PATTERN]"""
import glob
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from terminal import Terminal, run_tests  # noqa: E402

PROGRAM = os.path.abspath(os.environ.get('FUSIBLE', 'build/fusible'))
HEAVY = ('A = rand(2500, 2500); B = A + 1; C = A*A[:, 1]; D = B*C; x = A\'*D; '
         'y = B\'*C;')


class Case:
    def __init__(self):
        self.home = tempfile.mkdtemp(prefix='fusible-tune-')
        self.terminals = []

    def start(self, **more):
        env = {k: v for k, v in os.environ.items()
               if not k.startswith(('FUSIBLE', 'XDG_', 'NO_COLOR', 'FORCE_'))}
        env.update(HOME=self.home, TERM='xterm', LC_ALL='C.UTF-8',
                   INPUTRC='/dev/null')
        env.update(more)
        t = Terminal([PROGRAM, '--target', 'cpu', '--threads', '1', '--plan',
                      'line'], env, 40, 120)
        self.terminals.append(t)
        t.prompt()
        return t

    def close(self):
        for t in self.terminals:
            t.close()
        shutil.rmtree(self.home, ignore_errors=True)


def test_table_and_tuned(c):
    t = c.start()
    t.line('A = rand(300, 200); p = rand(200); r = rand(300);')
    t.line("q = A*p; s = A'*r;")
    shown = t.line(':tune 4')
    assert re.search(r'rank +kernels +predicted +measured +ratio', shown), shown
    assert shown.count('  chosen') == 1, shown
    assert 'tuned' in t.line("q = A*p; s = A'*r;") + t.line(':plan'), shown


def test_bar_and_interrupt(c):
    t = c.start()
    t.line(HEAVY)
    t.send(':tune 256\r')
    t.expect('[█░]{20} +[0-9]+ %', 600)
    t.send('\x03')
    shown = t.expect(r'fs> $', 600)
    assert 'stopped early: this is the best so far' in shown or \
        'interrupted' in shown, shown
    assert 'a = 42' in t.line('a = 40 + 2')
    if 'stopped early' in shown:
        assert 'chosen' in shown, shown
        assert glob.glob(c.home + '/.local/share/fusible/tuning-*.json')


def test_bar_in_ascii(c):
    t = c.start(LC_ALL='C')
    t.line(HEAVY)
    t.send(':tune 256\r')
    t.expect(r'\[[#-]{20}\] [0-9]+ %', 600)
    t.send('\x03')
    t.expect(r'fs> $', 600)


if __name__ == '__main__':
    sys.exit(run_tests(globals(), Case))
