#!/usr/bin/python3
"""Drives the real program at a terminal.  usage: test_repl.py [PATTERN]"""
import json
import os
import random
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import termios
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
from score import await_work  # noqa: E402
from terminal import Terminal, run_tests  # noqa: E402

PROGRAM = os.path.abspath(os.environ.get('FUSIBLE', 'build/fusible'))
PASTE_ON, PASTE_OFF = '\x1b[200~', '\x1b[201~'
BUSY = 't0 = time(); while time() - t0 < 0.5; end'
LEFT = '\x1b[D'
UP, CTRL_A, CTRL_C, CTRL_D, CTRL_Z = '\x1b[A', '\x01', '\x03', '\x04', '\x1a'
DOWN = '\x1b[B'


class Case:
    """A home of its own for a test, and sessions in it."""
    def __init__(self):
        self.home = tempfile.mkdtemp(prefix='fusible-pty-')
        self.open_terminals = []

    def env(self, **extra):
        env = {k: v for k, v in os.environ.items()
               if not k.startswith(('FUSIBLE', 'XDG_', 'NO_COLOR', 'FORCE_'))}
        env.update(HOME=self.home, TERM='xterm', LC_ALL='C.UTF-8', PAGER='cat',
                   INPUTRC='/dev/null')
        env.update(extra)
        return env

    def start(self, *args, rows=24, columns=80, prompt=True, **env):
        t = Terminal([PROGRAM, '--target', 'cpu', *args], self.env(**env),
                     rows, columns)
        self.open_terminals.append(t)
        if prompt:
            t.prompt()
        return t

    def write(self, name, text):
        path = os.path.join(self.home, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text)
        return path

    def close(self):
        for t in self.open_terminals:
            t.close()
        shutil.rmtree(self.home, ignore_errors=True)


def child_of(pid):
    try:
        with open(f'/proc/{pid}/task/{pid}/children', encoding='utf-8') as f:
            return int((f.read().split() or [0])[0])
    except OSError:
        return 0  # it is gone


def is_worker(pid):
    try:
        with open(f'/proc/{pid}/cmdline', 'rb') as f:
            return b'--worker' in f.read()
    except OSError:
        return False


def worker_of(t):
    """The last in the line of children; None when there are none."""
    pid = t.process.pid
    while child_of(pid):
        pid = child_of(pid)
    return pid if pid != t.process.pid else None


def at_work(t, pid=None):
    """Waits until the worker, or another one than `pid`, is in the midst of an input
    that computes; gives its process."""
    worker = await_work(lambda: worker_of(t) if worker_of(t) != pid else None)
    assert worker, 'nothing runs'
    return worker


def in_keys(t):
    """Waits until the terminal hands on keys, not lines."""
    t.until(lambda: not t.settings() & termios.ICANON)


# -- entries ------------------------------------------------------------------

def test_value_is_shown(c):
    t = c.start()
    assert 'a = 42' in t.line('a = 40 + 2')


def test_banner_and_quiet(c):
    t = c.start(prompt=False)
    assert ':help' in t.prompt()
    assert ':help' not in c.start('-q', prompt=False).prompt()


def test_continuation(c):
    t = c.start()
    t.send('begin\r')
    t.expect(r'\.\.\.   $')  # the prompt and two spaces of indent
    t.send('a = 40 + 2\r')
    t.expect(r'\.\.\.   $')
    assert 'a = 42' in t.line('end')


def test_arrays_fill_the_screen(c):
    def numbers(text):
        return len(re.findall(r'(?<![\w\[.])\d+(?![\w\].])', text.split('i64[', 1)[1]
                              .split('\n', 1)[1].split('kernel')[0].rsplit('\n', 1)[0]))
    t = c.start('-q', rows=24, columns=80)
    assert numbers(t.line('A = reshape(1:112, 16, 7)')) == 112
    assert numbers(t.line('print(A)')) == 112
    assert numbers(t.line('reshape(1:40, 2, 20)')) == 40
    assert numbers(t.line('i64(1:200)')) == 200
    tall, wide = t.line('reshape(1:300, 100, 3)'), t.line('reshape(1:300, 3, 100)')
    assert 18 <= tall.count('\n') <= 24 and '\u22ee' in tall, tall
    assert '\u22ef' in wide and max(map(len, wide.splitlines())) <= 80, wide
    long = t.line('i64(1:9999)')
    assert 18 <= long.count('\n') <= 24 and '\u22ef' in long and '9999' in long, long
    t.line(':set rows 40')
    assert numbers(t.line('reshape(1:60, 30, 2)')) == 60
    t.line(':set rows 4')
    assert '\u22ee' in t.line('A')
    t.line(':set rows auto')
    t.line(':set columns 3')
    assert '\u22ef' in t.line('A')
    t.line(':set columns auto')
    t.resize(12, 80)
    t.send('A\r')
    t.expect('\u22ee')  # the prompt may have been drawn once more before it


def test_blank_lines_do_nothing(c):
    t = c.start()
    t.line('')
    t.line('   ')
    assert 'a = 42' in t.line('a = 40 + 2')


def test_paste_is_one_block(c):
    t = c.start('--plan', 'off')
    t.send(PASTE_ON + 'a = 40 + 2\nb = 50 + 3\n' + PASTE_OFF)
    t.expect('b = 50')
    time.sleep(0.3)
    assert 'a = 42' not in t.text()  # it waits for Enter
    shown = t.line('')
    assert 'a = 42' in shown and 'b = 53' in shown, shown
    assert shown.count('fs> ') == 1


def test_paste_of_a_transcript(c):
    t = c.start()
    t.send(PASTE_ON + 'fs> a = 40 + 2\na = 42\nfs> begin\n...   b = 50 + 3\n'
           '... end\nb = 53\n' + PASTE_OFF)
    t.send('\r')
    shown = t.expect('b = 53\nfs> $')
    assert 'a = 42' in shown and 'error' not in shown, shown


def test_typed_prompt_is_stripped(c):
    t = c.start()
    t.send('fs> a = 40 + 2\r')
    t.expect('a = 42\nfs> $')


def test_error_keeps_the_session(c):
    t = c.start()
    t.line('a = 40 + 2')
    shown = t.line('b = nowhere_to_be_found')
    assert 'error' in shown and '^' in shown, shown
    assert '43' in t.line('c = a + 1')


def test_inspect(c):
    t = c.start()
    assert 'sum' in t.line('?sum')
    t.line('?nowhere_to_be_found')
    assert 'a = 42' in t.line('a = 40 + 2')


def test_plan_line_and_box(c):
    t = c.start(columns=100)
    t.line('A = rand(64, 64); p = rand(64);')
    shown = t.line('q = A*p;')
    assert re.search(r'1 kernel \(\w+\) · .* · predicted .* · measured .* \(cold\)$',
                     shown, re.M), shown
    t.line('B = rand(1000, 1000);')
    for _ in range(3):
        shown = t.line('C = exp(sin(B)) + cos(B);')
    assert re.search(r'1 kernel \(\w+\) · .* · predicted .* · measured .*×',
                     shown), shown
    assert '╭ block' in t.line(':plan') and '╭ block' in t.line(':plan box')
    assert re.search(r'^1 kernel \(', t.line(':plan line'), re.M)
    assert '╭' not in t.line('q = A*p;')  # none of them is a mode
    t.line(':set plan box')
    shown = t.line('q = A*p;')
    assert '╭ block' in shown and 'measured' in shown and '╰ planned' in shown
    t.line(':set plan off')
    assert 'kernel' not in t.line('q = A*p;')
    assert ':set plan line' in t.line(':plan off')


def test_plan_of_several_blocks(c):
    t = c.start(columns=100)
    t.line('A = rand(64, 64) + 32*eye(64); b = rand(64);')
    shown = t.line('x, k = cg(A, b, 1e-6, 50);')
    lines = [r for r in shown.splitlines() if 'predicted' in r]
    assert len(lines) == 1 and re.match(
        r'\d+ blocks, \d+ runs · \d+ launches · ', lines[0]), shown
    shown = t.line(':plan')
    assert 'q = A*p' in shown and shown.count('╭') == 1, shown
    assert re.search(r'and \d more blocks: :plan all', shown), shown
    assert t.line(':plan all').count('╭') > 1


def test_heads_of_other_languages_do_not_wait(c):
    t = c.start()
    for line in ('for i in range(3): print(i)', 'for i in range(3):', 'if 1 > 2: print(3)',
                 'while 1 < 2:', 'function f(x) {', 'function f(x):', 'try {', 'try:', 'begin {',
                 'if 1 > 2; 3; else {'):
        out = t.line(line)
        assert 'error: ' in out and 'hint: ' in out, out
    t.send('for k = 1:2\r')
    t.expect(r'^\.\.\. +$')
    assert 'error' not in t.line('k; end')


def test_pins_answer(c):
    t = c.start()
    t.line('x = ones(3); begin q = x + 1; s = x*2; r = q + s; end')
    out = t.line(':fuse zz yy')
    assert "no statement has assigned 'zz'" in out, out
    out = t.line(':split q s')
    assert 'q and s are kept in kernels of their own' in out and ':split off q s' in out, out
    out = t.line(':fuse q r')
    assert 'q and r share a kernel' in out, out
    out = t.line(':split off q s')
    assert ':fuse q r' in out and ':split q s' not in out.split('off q s')[1], out
    assert 'there is no such pin' in t.line(':split off q s')
    assert 'no elementary function `sin`' in t.line(':elem sin impl 1')
    assert 'no routines to choose from' in t.line(':elem gemv impl auto')
    assert 'no statements are pinned' in t.line(':fuse off q r')


def test_explain_goes_on(c):
    """What is explained is a block: it may have several lines."""
    t = c.start()
    t.line('x = ones(300);')
    t.send(':explain begin\r')
    t.expect(r'^\.\.\. +$')
    t.send('q = x + 1;\r')
    t.expect(r'^\.\.\. +$')
    out = t.line('s = sum(q); end')
    assert 'kernel' in out and 'error' not in out, out
    assert 'nothing called' in t.line('q')
    assert 'kernel' in t.line(':explain q = x + 1')
    assert '2' in t.line('x[1] + 1')


def test_quit_command(c):
    t = c.start()
    t.send(':quit\r')
    assert t.wait() == 0


# -- history ------------------------------------------------------------------

def test_multi_line_entry_is_recalled_after_restart(c):
    t = c.start()
    for line in ('begin', 'a = 40 + 2', '#1 remark'):
        t.send(line + '\r')
        t.expect(r'\.\.\. +$')
    t.line('end')
    t.line('b = 50 + 3')
    t.send(CTRL_D)
    assert t.wait() == 0
    path = os.path.join(c.home, '.local/state/fusible/history')
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    t = c.start()
    t.send(UP + UP)
    t.expect('end')
    shown = t.line('')
    assert 'a = 42' in shown, shown


def test_history_variable_and_no_history(c):
    path = os.path.join(c.home, 'elsewhere')
    t = c.start(FUSIBLE_HISTORY=path)
    t.line('a = 40 + 2')
    t.send(CTRL_D)
    t.wait()
    assert 'a = 40 + 2' in open(path, encoding='utf-8').read()
    size = os.path.getsize(path)
    t = c.start('--no-history', FUSIBLE_HISTORY=path)
    t.line('b = 1 + 1')
    t.send(CTRL_D)
    t.wait()
    assert os.path.getsize(path) == size


def test_history_that_is_no_file(c):
    fifo = os.path.join(c.home, 'fifo')
    os.mkfifo(fifo)
    for path in (fifo, '/dev/zero'):
        t = c.start(prompt=False, FUSIBLE_HISTORY=path)
        assert f'no history: {path}: it is not a regular file' in t.prompt()
        assert 'a = 42' in t.line('a = 40 + 2')


def test_two_sessions_share_the_history(c):
    one, two = c.start(), c.start()
    one.line('a = 40 + 2')
    two.line('b = 50 + 3')
    for t in (one, two):
        t.send(CTRL_D)
        t.wait()
    path = os.path.join(c.home, '.local/state/fusible/history')
    text = open(path, encoding='utf-8').read()
    assert 'a = 40 + 2' in text and 'b = 50 + 3' in text


# -- completion ---------------------------------------------------------------

def test_completion_describes(c):
    t = c.start(columns=100)
    t.send('x = su\t')
    shown = t.expect(r'(?s)sum.*x = su\w*$')
    rows = [r for r in shown.splitlines() if r.startswith('sum')]
    assert any(re.match(r'sum +function +\S+', r) for r in rows), shown
    t.send(CTRL_C)
    t.prompt()


def test_completion_of_commands_and_variables(c):
    t = c.start('-q')
    t.line('velocity = 40 + 2')
    t.send('w = velo\t')
    t.expect('w = velocity$')
    assert '43' in t.line(' + 1')
    t.send(':he\t')
    shown = t.expect(':help $')
    assert 'command' not in shown, shown  # only one: nothing to list


def test_completion_of_files(c):
    path = c.write('data/matrix_one.npy', '')
    t = c.start()
    t.send('load("' + path[:-8] + '\t')
    t.expect('one.npy"$')  # a file closes the quote
    t.send(CTRL_C)
    t.prompt()
    t.send('load("' + c.home + '/da\t')
    t.expect('/data/$')    # a folder is gone on from
    t.send('\t')
    t.expect('matrix_one.npy"$')
    t.send(CTRL_C)
    t.prompt()
    t.send('load("' + path[:-8] + '")' + 2*LEFT + '\t')
    t.expect(r'one.npy"\)')


def test_tab_indents_in_a_block(c):
    t = c.start()
    t.send('begin\r')
    t.expect(r'\.\.\. +$')
    t.send('\ta = 40 + 2\r')
    t.expect(r'\.\.\. +$')
    assert 'a = 42' in t.line('end')


def test_end_and_else_go_back(c):
    t = c.start()
    for line in ('n = 0', 'if n > 0', 'if n > 1', 'a = 1', 'else', 'endless = 2', 'end'):
        t.send(line)
        t.until(lambda: t.screen()[-1].endswith(line))  # pylint: disable=cell-var-from-loop
        t.send('\r')
        t.until(lambda: t.screen()[-1] in ('fs>', '...'))
    t.send('a = [1,\r2\r];\rend')
    t.until(lambda: t.screen()[-1] == '... end')
    shown = t.screen()
    begin = shown.index('fs> if n > 0')
    assert shown[begin:] == [
        'fs> if n > 0', '...   if n > 1', '...     a = 1', '...   else',
        '...     endless = 2', '...   end', '...   a = [1,', '...     2', '...   ];',
        '... end'], shown
    t.send('\x1f' * 3)  # undone, letter by letter
    t.until(lambda: t.screen()[-1] == '...')
    t.line('end')


def test_up_finds_what_begins_like_this(c):
    t = c.start()
    for line in ('alpha = 1;', 'beta = 2;', 'begin\ral = 3;\rend;', 'alp = 4;', 'gamma = 5;'):
        t.line(line)
    t.send('alp')
    for key, shown in ((UP, 'alp = 4;'), (UP, 'alpha = 1;'), (DOWN, 'alp = 4;')):
        t.send(key)
        t.until(lambda: t.screen()[-1] == 'fs> ' + shown)  # pylint: disable=cell-var-from-loop
    t.send('\x05\x15')  # all away: then Up and Down are through everything
    for key, shown in ((UP, 'fs> gamma = 5;'), (UP, 'fs> alp = 4;'), (UP, 'end;'),
                       (DOWN, 'fs> alp = 4;')):
        t.send(key)
        t.until(lambda: t.screen()[-1] == shown)  # pylint: disable=cell-var-from-loop
    t.send(CTRL_C)
    t.until(lambda: t.screen()[-1] == 'fs>')
    t.send('begin\r')
    t.until(lambda: t.screen()[-1] == '...')
    t.send(UP)  # in a line of nothing but its indent
    t.until(lambda: t.screen()[-1].endswith('gamma = 5;'))
    t.send(CTRL_C)


def test_up_is_the_users_to_bind(c):
    path = os.path.join(c.home, 'inputrc')
    with open(path, 'w', encoding='utf-8') as file:
        file.write('"\\e[A": previous-history\n')
    t = c.start(INPUTRC=path)
    t.line('alpha = 1;')
    t.line('beta = 2;')
    t.send('al' + UP)
    t.until(lambda: t.screen()[-1] == 'fs> beta = 2;')


# -- keys and signals ---------------------------------------------------------

def test_ctrl_c_clears_the_line(c):
    t = c.start()
    t.send('this is not wanted')
    t.expect('wanted')
    t.send(CTRL_C)
    t.prompt()
    assert 'a = 42' in t.line('a = 40 + 2')


def test_ctrl_c_leaves_whole_entries(c):
    """With the cursor in the first of several lines, by a search or by hand, and in one
    that is longer than the screen is wide."""
    t = c.start()
    t.line('for k = 1:2\rprint("entry")\rz = 1;\rend')
    long = 'w = ' + '+'.join(['1']*60)
    rest = ('fs> ' + long)[80:]
    for keys, text in (('\x12k = 1', 'end'), (UP + '\x01', 'end'), (UP + '\x1b<' + '\x01', 'end'),
                       (long + '\x01', rest)):
        t.send(keys)
        # Until all is out: Ctrl-C drops what is not.
        t.until(lambda end=text: t.screen()[-1].endswith(end) and t.is_below())
        t.send(CTRL_C)
        t.until(lambda: t.screen()[-1] == 'fs>')
        shown = t.screen()
        assert shown[-2].replace('^C', '').endswith(text), shown
    t.send('a = 40 + 2\r')
    t.until(lambda: t.screen()[-2:] == ['a = 42', 'fs>'])


def test_ctrl_c_right_behind_a_key(c):
    """The terminal drops the key, which the session may have been told of already;
    that must not hold it up."""
    t = c.start()
    rng = random.Random(1)
    for k in range(400):
        t.send('abc'[:1 + k % 3])
        until = time.perf_counter() + rng.random()*3e-4
        while time.perf_counter() < until:
            pass
        t.send(CTRL_C)
        shown = t.prompt()
        assert '\n\n' not in shown, shown
    assert 'a = 42' in t.line('a = 40 + 2')


def test_ctrl_c_ends_a_paste(c):
    """One of which the end never comes: what came of it goes with the line."""
    t = c.start()
    t.send(PASTE_ON + 'a = 1\nb = 2')
    time.sleep(0.3)
    t.send(CTRL_C)
    t.prompt()
    assert 'a = 42' in t.line('a = 40 + 2')
    assert 'error' in t.line('b')


def test_hangup(c):
    """The terminal goes away: so does the session, at the prompt and while it runs."""
    for busy in ('', BUSY + '\r'):
        t = c.start()
        if busy:
            t.send(busy)
            t.expect('end\n')
        os.close(t.master)
        os.close(t.slave)
        t.process.wait(600)
        c.open_terminals.remove(t)


def test_ctrl_c_clears_the_block(c):
    t = c.start()
    t.send('begin\r')
    t.expect(r'\.\.\. +$')
    t.send(CTRL_C)
    t.prompt()
    assert 'a = 42' in t.line('a = 40 + 2')


def test_ctrl_c_stops_a_loop(c):
    t = c.start()
    t.line('keep = 40 + 2')
    t.send('k = 0; while true; k = k + 1; end\r')
    worker = at_work(t)
    t.send(CTRL_C)
    shown = t.prompt()
    assert 'interrupted' in shown and 'error' not in shown, shown
    assert worker_of(t) == worker  # it was not replaced
    assert 'k = ' in t.line('k')
    assert '43' in t.line('c = keep + 1')


def test_interrupt_again_and_again(c):
    t = c.start()
    for _ in range(20):
        t.send('k = 0; while true; k = k + 1; end\r')
        t.expect('end\n')
        time.sleep(0.05)
        t.send(CTRL_C)
        assert 'error' not in t.prompt()
    assert 'a = 42' in t.line('a = 40 + 2')


def test_ctrl_d(c):
    t = c.start()
    t.send('begin\r')
    t.expect(r'\.\.\. +$')
    t.send(CTRL_D)  # the indent alone does not count as a line
    t.prompt()
    assert 'a = 42' in t.line('a = 40 + 2')
    t.send(CTRL_D)
    assert t.wait() == 0


def test_ctrl_d_typed_ahead(c):
    """Also where the terminal would take it for the end of a line, and that for
    nothing once keys are read one by one."""
    for keys in (CTRL_D, 'n = 5\r' + CTRL_D, 'x\x7f' + CTRL_D,
                 'n = 5' + CTRL_A + 3 * CTRL_D + 'm=\r' + CTRL_D):
        t = c.start()
        t.send(BUSY + '\r')
        t.expect('end\n')
        in_keys(t)
        t.send(keys)
        assert t.wait() == 0, keys
        assert t.settings() & termios.ICANON and t.settings() & termios.ECHO
        if 'm=' in keys:
            assert 'm = 5' in t.text(), t.text()
    t = c.start('-i', '-e', BUSY, prompt=False)  # ahead of the first prompt
    in_keys(t)
    t.send(CTRL_D)
    assert t.wait() == 0


def test_answer_typed_ahead(c):
    """What is typed before a question is edited as the terminal would."""
    t = c.start('--plan', 'off')
    for keys, answer in (('hullo\r', 'hullo'), ('hu\x7fallo\r', 'hallo'),
                         ('h\u00e9\x7fallo\r', 'hallo'), ('\x7fa\r', 'a'),
                         ('wrong\x15right\r', 'right')):
        t.send(BUSY + '; s = ask("word? ");\r')
        t.expect(r';\n')
        t.send(keys)
        t.prompt()
        assert f'"{answer}"' in t.line('s'), keys
    t.send(BUSY + '; s = ask("word? ");\r')
    t.expect(r';\n')
    t.send(CTRL_D)
    assert 'nobody answered' in t.prompt()
    assert '"right"' in t.line('s')
    t.send('s = ask("word? ");\r')
    t.expect(r'^word\? $')
    assert t.settings() & termios.ICANON and t.settings() & termios.ECHO
    t.send('here\r')
    t.prompt()
    t.send(f'{BUSY}; s = ask("word? ", true);\r')
    t.expect(r'^word\? $')
    assert t.settings() & termios.ICANON and not t.settings() & termios.ECHO
    t.send('hidden\r')
    assert 'hidden' not in t.prompt()


def test_stop_and_go_on(c):
    script = 'set -m; "$0" --target cpu; echo STOPPED; stty -a; echo SEEN; fg'
    t = Terminal(['bash', '--norc', '-c', script, PROGRAM], c.env(NO_COLOR='1'))
    c.open_terminals.append(t)
    t.prompt()
    t.send('a = 40')
    t.expect('a = 40')
    t.send(CTRL_Z)
    # In one: what follows SEEN may come with it, and would be used up by it.
    shown = t.expect(r'(?s)STOPPED.*SEEN.*a = 40\Z')
    assert ' icanon' in shown and ' echo ' in shown, shown
    assert 'a = 42' in t.line(' + 2')
    t.send(CTRL_D)
    t.wait()


def test_resize(c):
    t = c.start(columns=100)
    t.line('A = rand(64, 64); p = rand(64);')
    t.line(':set plan box')

    def widest():
        shown = t.line('q = A*p;')
        return max(len(r) for r in shown.splitlines() if '│' in r)
    assert widest() > 60
    t.resize(24, 60)
    t.prompt()  # drawn anew
    assert widest() <= 60


def check_restored(c, number, busy=''):
    t = c.start()
    if busy:
        t.send(busy + '\r')
        t.expect('end\n')
    in_keys(t)  # editing is on
    t.process.send_signal(number)
    t.wait()
    assert t.settings() & termios.ICANON and t.settings() & termios.ECHO
    assert t.process.returncode == -number


def test_terminal_restored_on_term(c):
    check_restored(c, signal.SIGTERM)


def test_terminal_restored_while_running(c):
    check_restored(c, signal.SIGTERM, 'while true; end')


def test_terminal_restored_on_abort(c):
    check_restored(c, signal.SIGABRT)


def test_terminal_restored_on_crash(c):
    check_restored(c, signal.SIGSEGV)


# -- the worker ---------------------------------------------------------------

def test_a_death_is_mended(c):
    t = c.start()
    t.line('a = 40 + 2')
    os.kill(worker_of(t), signal.SIGKILL)
    shown = t.line('b = a + 1')
    assert 'ended by SIGKILL' in shown and 'b = 43' in shown, shown
    assert 'as before' in shown
    t.send('while true; end\r')
    t.expect('end\n')
    os.kill(at_work(t), signal.SIGSEGV)
    assert 'ended by SIGSEGV while it ran <repl:3>' in t.prompt()
    assert '44' in t.line('b + 1')


def test_answers_and_drops(c):
    """ans is what was displayed last without a name; :drop takes names away. Both outlive a
    worker."""
    t = c.start('--plan', 'off')
    for line, shown in (('20 + 1', '21'), ('b = ans * 2', 'b = 42'), ('ans + 1;', None),
                        ('ans', 'ans = 21'), ('x = [1, 2] + 0', None), ('x * 2', '2  4'),
                        ('y = ans + 1', '3  5'), (':drop x b', None),
                        ('b', "there is nothing called 'b'"),
                        (':drop y none', 'there is no variable none'), ('y', '3  5')):
        t.send(line + '\r')
        got = t.prompt()
        assert shown is None or shown in got, (line, got)
    os.kill(worker_of(t), signal.SIGKILL)
    for line, shown in (('y - 1', '2  4'), ('ans + y', '5  9'),
                        ('x', "there is nothing called 'x'"), (':vars', 'ans')):
        t.send(line + '\r')
        got = t.prompt()
        assert shown in got, (line, got)
    path = c.write('a.fs', '1 + 2\nb = ans\n')
    done = subprocess.run([PROGRAM, '--target', 'cpu', path], env=c.env(), capture_output=True,
                          text=True, timeout=600)
    assert "nothing called 'ans'" in done.stderr, done


def test_a_stopped_worker_is_replaced(c):
    t = c.start()
    t.line('a = 40 + 2')
    t.send('while true; end\r')
    t.expect('end\n')
    os.kill(at_work(t), signal.SIGSTOP)
    t.send(CTRL_C)
    assert 'did not stop within 2 s' in t.prompt()
    assert '43' in t.line('a + 1')


def test_ctrl_c_ends_every_wait(c):
    """The worker is stopped at whatever the prompt asks of it."""
    t = c.start(columns=90)
    t.line('x = [1, 2, 3]; y = x + 1;')
    asked = ['', 'z = x + y', ':vars', ':plan', '?x', ':set digits 5', ':explain x + y',
             'print(x)', ':memory', 'x[1] = 5;']
    for k, line in enumerate(asked):
        os.kill(worker_of(t), signal.SIGSTOP)
        t.resize(24, 70 + k)  # the prompt tells the session before it asks
        t.send(line + '\r')
        time.sleep(0.2)
        t.send(CTRL_C)
        t.prompt()
        t.send('1 + 1\r')  # a line that asked nothing has not met it
        time.sleep(0.3)
        t.send(CTRL_C)
        t.prompt()
        time.sleep(0.3)
        t.send('print("y is ", y[1])\r')
        t.expect(r'^y is 2\s+fs> $')
    os.kill(worker_of(t), signal.SIGSTOP)
    t.send(CTRL_D)
    t.wait()


def test_ctrl_c_while_it_starts(c):
    """The session's process is stopped before it is ready."""
    t = c.start(prompt=False, FUSIBLE_THREADS='1')
    t.until(lambda: is_worker(child_of(t.process.pid)))
    os.kill(child_of(t.process.pid), signal.SIGSTOP)
    time.sleep(0.5)
    if 'fs> ' in t.text():  # it was ready already
        return
    t.send(CTRL_C)
    # The start is given up, or another process takes the place of this one.
    t.until(lambda: t.process.poll() is not None or 'fs> ' in t.text())


def test_rebuild_asks(c):
    t = c.start()
    t.line('a = 40 + 2')
    t.line(':set rebuild ask')
    os.kill(worker_of(t), signal.SIGKILL)
    t.send('b = a + 1\r')
    t.expect(r'run 1 input again, about .* s\? \[Y/n\] $')
    assert 'b = 43' in t.line('y')
    os.kill(worker_of(t), signal.SIGKILL)
    t.send('a\r')
    t.expect(r'\[Y/n\] $')
    assert "nothing called 'a'" in t.line('no')
    assert '7' in t.line('3 + 4')  # nothing of the answer was left
    assert 'rebuild ask' in t.line(':set rebuild')  # settings are no variables
    os.kill(worker_of(t), signal.SIGKILL)
    t.send('ans - 2\r')  # which `3 + 4` made
    t.expect(r'run 1 input again, about .* s\? \[Y/n\] $')
    assert '5' in t.line('y')
    new = c.start()
    new.line(':set rebuild ask')
    os.kill(worker_of(new), signal.SIGKILL)
    assert '5' in new.line('2 + 3')  # there is nothing to ask about


def test_rebuild_is_interrupted(c):
    """Also after its question was answered. The input that waits for it is not run."""
    t = c.start()
    t.line(':set rebuild ask')
    t.line('a = 0; for k = 1:8e6; a = a + 1; barrier; end')
    worker = worker_of(t)
    os.kill(worker, signal.SIGKILL)
    t.send('print("ran on", a)\r')
    t.expect(r'\[Y/n\] $')
    t.send('\r')
    at_work(t, worker)
    t.send(CTRL_C)
    shown = t.prompt()
    assert '(<repl:2> was interrupted)' in ' '.join(shown.split()), shown
    assert 'note: interrupted' in shown and 'ran on' not in shown, shown
    assert '7' in t.line('3 + 4')


def test_ctrl_c_at_a_question(c):
    """As soon as it is seen. That one was asked is not forgotten."""
    t = c.start()
    t.line(':set rebuild ask')
    for _ in range(8):
        t.send('w = ask("word? ")\r')
        t.expect(r'^word\? $')
        t.send(CTRL_C)
        assert 'interrupted' in t.prompt()
        t.line('a = 40 + 2')
        os.kill(worker_of(t), signal.SIGKILL)
        t.send('a\r')
        t.expect(r'\[Y/n\] $')
        t.send(CTRL_C)
        shown = t.prompt()
        assert 'all variables' in shown and 'note: interrupted' in shown, shown
        assert "nothing called 'a'" not in shown, shown


def test_stop_while_running(c):
    script = ('set -m; "$0" --target cpu -q; stty -a; echo STOPPED; sleep 0.3; '
              'fg')
    t = Terminal(['bash', '--norc', '-c', script, PROGRAM], c.env())
    c.open_terminals.append(t)
    t.prompt()
    t.send('k = 0; while true; k = k + 1; end\r')
    t.expect('end\n')
    at_work(t)
    t.send(CTRL_Z)
    shown = t.expect('STOPPED')
    assert ' icanon' in shown and ' echo ' in shown, shown
    in_keys(t)  # it goes on
    t.send(CTRL_C)
    assert 'interrupted' in t.prompt()
    assert 'a = 42' in t.line('a = 40 + 2')


def test_in_the_background(c):
    """An input goes on there; the prompt waits until the job is back in front."""
    script = ('set -m; "$0" --target cpu -q; bg; '
              'until test -e done.npy; do sleep 0.1; done; echo THERE; '
              'jobs; read go; fg')
    t = Terminal(['env', '-C', c.home, 'bash', '--norc', '-c', script, PROGRAM],
                 c.env())
    c.open_terminals.append(t)
    t.prompt()
    t.send(BUSY + '; save("done.npy", [1.0, 2]);\r')
    t.expect('end; .*\n')
    t.send(CTRL_Z)
    t.expect('THERE')
    assert t.settings() & termios.ICANON
    t.send('go\r')
    t.prompt()
    assert 'a = 42' in t.line('a = 40 + 2')
    t.send(BUSY + '\r' + CTRL_D)
    assert t.wait() == 0


# -- files and modes ----------------------------------------------------------

def test_rc_file(c):
    c.write('.config/fusible/rc.fs', 'base = 40;\n')
    t = c.start()
    assert '42' in t.line('a = base + 2')
    t = c.start('--no-rc')
    assert 'error' in t.line('a = base + 2')


def test_script_then_prompt(c):
    path = c.write('s.fs', 'base = 40;\n')
    t = c.start('-i', path)
    assert '42' in t.line('a = base + 2')


def test_running_text_is_cut_at_words(c):
    for columns in (40, 60, 80):
        t = c.start('-q', rows=60, columns=columns)
        for line in (':help set', ':set', '?softmax', 'x = gamma(3)'):
            out = t.line(line).split('\n', 1)[1]
            assert max(map(len, out.splitlines())) <= columns, out
        # No word is divided: what is joined again is what a wide screen shows.
        narrow = t.line('?softmax').split('\n', 1)[1]
        wide = c.start('-q', rows=60, columns=200).line('?softmax').split('\n', 1)[1]
        assert narrow.split() == wide.split(), narrow


def test_plans_are_cut_at_words(c):
    for columns in (40, 46, 60):
        t = c.start(rows=80, columns=columns)
        t.line('A = rand(400, 400); x = rand(400);')
        for line in ('begin y=A*x; z=A\'*y; end', ':plan', 'for k = 1:9; y = A*x; end', ':plan',
                     ':alternatives', ':tune'):
            shown = t.line(line).split('\n', 1)[1].splitlines()[:-1]
            assert max(map(len, shown)) <= columns, '\n'.join(shown)


def test_a_narrow_box_keeps_the_bytes(c):
    t = c.start('-q', rows=40, columns=60)
    t.line('A = rand(400, 400); x = rand(400); begin y = A*x; z = A\'*x; end')
    out = t.line(':plan')
    assert 'moves' in out and 'KiB' in out and '\u2502' in out, out


def test_long_plans_are_paged(c):
    t = c.start('-q', rows=12, FUSIBLE_PAGER='sed s/^/PAGED:/')
    t.line('x = ones(40);')
    t.line(''.join(f'y{k} = cumsum(x + {k}); ' for k in range(12)) + 'barrier')
    assert 'PAGED:' in t.line(':plan')
    assert 'PAGED:' not in t.line('x[1:3]')


def test_long_help_is_paged(c):
    pager = c.write('pager', '#!/bin/sh\necho PAGED; cat >/dev/null\n')
    os.chmod(pager, 0o755)
    t = c.start(rows=5, FUSIBLE_PAGER=pager)
    assert 'PAGED' in t.line(':help')
    assert 'PAGED' not in t.line('a = 40 + 2')


def test_no_readline(c):
    t = c.start('--no-readline')
    assert 'a = 42' in t.line('a = 40 + 2')
    t.send('begin\r')
    t.expect(r'\.\.\. $')
    t.send(CTRL_C)
    t.prompt()
    t.send(CTRL_D)
    assert t.wait() == 0


def test_colour(c):
    t = c.start()
    t.line('b = nowhere_to_be_found')
    assert b'\x1b[1;31m' in t.raw
    t = c.start(NO_COLOR='1')
    t.line('b = nowhere_to_be_found')
    assert b'\x1b[1;31m' not in t.raw and b'\x1b[1;32m' not in t.raw


def test_progress_line(c):
    t = c.start()
    t.send('k = 0; while true; k = k + 1; end\r')
    t.expect(r' · \d+ s')
    t.send(CTRL_C)
    t.prompt()


def test_how_long_a_loop_will_take(c):
    """From what share of its rounds took how long; a tenth of a second a round."""
    t = c.start('--threads', '1', XDG_DATA_HOME=c.home)
    t.send('for k = 1:60; t0 = time(); while time() - t0 < 0.1; end; end\r')
    told = t.expect(r'for .* \d+ % · \d+ s of ~[\d.]+ s')
    found = [float(n) for n in re.findall(r'of ~([\d.]+) s', told)]
    assert 3 < found[-1] < 60, told
    t.send(CTRL_C)
    t.prompt()


def test_prose_fills_its_lines(c):
    """Help in words at every width: no line is wider, and none but the last of a paragraph
    is left before the next word would have gone over the edge."""
    for columns in (40, 60, 80, 120):
        t = c.start(columns=columns)
        told = t.line(':help plan')
        lines = told[told.index('One line per kernel'):told.index('  flat')].splitlines()
        assert all(len(line) <= columns for line in told.splitlines()), told
        for line, after in zip(lines, lines[1:]):
            assert len(line) + 1 + len(after.split()[0]) > min(columns, 78), lines
        assert re.search(r'without\s+fusion\.\s+The\s+plan', t.line(':help :race'))
        for spoken in ('help searchsorted', 'doc sum', 'apropos sort', '?*max'):
            told = t.line(spoken)
            assert all(len(line) <= columns for line in told.splitlines()[1:]), told


def test_functions_are_told_in_sentences(c):
    """What a function does may take lines of a comment, and several may share one."""
    t = c.start(columns=200)
    assert re.search(r'each of x, by halving; "right": less or equal\.\n', t.line('?searchsorted*'))
    assert re.search(r'colmax +.*the extremes of rows and columns; max', t.line('?*max'))
    assert 'rowmin     rowmax(A)' in t.line('?*min')
    script = os.path.join(c.home, 'f.fs')
    with open(script, 'w', encoding='utf-8') as f:
        f.write('# ff(x): twice x, which\n# is x + x. No more.\nff(x) = 2*x\ngg(x) = 3*x\n')
    t = c.start(script, '-i', columns=200)
    assert 'ff(x): twice x, which is x + x.\n' in t.line('?f*')
    assert 'No more.' in t.line('?ff') and 'twice' not in t.line('?gg')


def test_a_far_column_goes_below(c):
    """The commands on a narrow screen: each at the left, what it does below it or beside it,
    and no word of one behind another."""
    for columns in (40, 60, 80, 120):
        t = c.start(columns=columns, PAGER='cat')
        lines = t.line(':help').splitlines()[1:]
        assert all(len(line) <= columns for line in lines), lines
        names = [line.split()[0] for line in lines if re.match(r'  [:?]', line)]
        assert ':rules' in names and ':assert' in names and ':quit' in names, lines
        at = {len(line) - len(line.lstrip()) for line in lines if line.startswith('   ')}
        assert len(at - {4}) == 1, (at, lines)


def test_what_is_told_keeps_its_lines(c):
    """Of `:why slow` each line says one thing: it goes on below itself, and the next one
    begins at the left again; a number stands beside its unit."""
    for columns, env in ((40, {}), (60, {'LC_ALL': 'C'}), (80, {}), (120, {'TERM': 'dumb'})):
        t = with_pair(c, columns=columns, **env)
        t.line(PAIR[1])
        told = t.line(':why slow')
        assert all(len(line) <= columns for line in told.splitlines()), told
        firsts = re.findall(r'^(\w+)', told, re.M)
        assert 'moves' in firsts and ('another' in firsts or 'it' in firsts), told
        assert not re.search(r'\d\n +(%|[num\u00b5]?s)\b', told), told


def test_nothing_needed_a_kernel(c):
    """A view is a statement that ran, without one."""
    t = c.start()
    t.line('save("%s/a.npy", rand(40, 40))' % c.home)
    t = c.start()
    t.line(':load A %s/a.npy' % c.home)
    t.line("B = A';")
    for command in (':why slow', ':check', ':race', ':again', ':alternatives'):
        assert 'no statement has needed a kernel yet' in t.line(command), command


def test_how_long_of_how_long(c):
    """A library call cannot be looked into: what it takes beside what was expected."""
    t = c.start('--threads', '1', XDG_DATA_HOME=c.home)
    t.send('A = rand(3400, 3400); A[1,1] = 1;\r')
    t.prompt()
    t.send('begin B = A*A; C = A*B; D = B*C; E = A*D; end\r')
    t.expect(r'running · \d+ s (of ~|, ~)[\d.]+ m?s')
    t.send(CTRL_C)
    t.prompt()


def test_json_in_a_pipe(c):
    done = subprocess.run(
        [PROGRAM, '--target', 'cpu', '--json'], input='a = 40 + 2\n',
        capture_output=True, text=True, env=c.env(), timeout=600)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0 and done.stderr == ''
    values = [e for e in events if e['event'] == 'value']
    assert values and '42' in values[0]['data']['text/plain']
    assert events[-1]['event'] == 'done'


# -- colours of what is typed ---------------------------------------------------

TYPED = ['for k = 1:10', ' "a b"', '2.5e3', ' # end', '; end', 'x', ' ', LEFT, LEFT*7, '\x1b[C',
         CTRL_A, '\x05', '\x7f', '\x0b', '\x17', UP, DOWN, '"', 'é', '(', '\x1b[C'*3, '0'*36]


def test_typed_text_has_colours(c):
    t = c.start()
    mark = len(t.raw)
    t.send('for k = 1:2; s = "end"; end # end')
    t.until(lambda: b'\x1b[2m# end' in t.raw[mark:])
    for painted in (b'\x1b[35mfor', b'\x1b[36m1', b'\x1b[32m"end"', b'\x1b[35mend'):
        assert painted in t.raw[mark:], t.raw[mark:]
    t.line('')
    t.send('end')
    t.until(lambda: t.raw.endswith(b'\x1b[35mend\x1b[0m\r\x1b[7C'))
    t.send('x')
    t.until(lambda: t.raw.endswith(b'\x1b[4Cendx\r\x1b[8C'), 60)  # no word of the language
    t.line('')
    mark = len(t.raw)
    t.send(':plan box')
    t.until(lambda: b'\x1b[34m:plan box' in t.raw[mark:])


def test_no_colours_where_none_are_wanted(c):
    for env in ({'NO_COLOR': '1'}, {'TERM': 'dumb'}, {'args': ('--color', 'never')}):
        t = c.start(*env.pop('args', ()), **env)
        mark = len(t.raw)
        t.line('for k = 1:2; s = 1; end # end')
        assert b'\x1b[3' not in t.raw[mark:], t.raw[mark:]


def test_colours_move_nothing(c):
    """Whatever is typed, the screen and its cursor are as they are without colours: also
    at the ends of rows, in lines that Readline has to break, and with some of several lines."""
    random.seed(5)
    for columns in (40, 60, 80, 120, 200):
        plain, coloured = (c.start(columns=columns, **env) for env in ({'NO_COLOR': '1'}, {}))
        for t in (plain, coloured):
            t.line('begin\r1\rend')
            t.mark = len(t.raw)
        for _ in range(60):
            keys = random.choice(TYPED)
            for t in (plain, coloured):
                t.send(keys)
            plain.settle()
            coloured.settle()
            coloured.until(lambda: plain.settle() or plain.look() == coloured.look(), 60)


# -- the session as texts -------------------------------------------------------

def test_session_is_saved_as_a_script(c):
    """It runs, and shows what the session showed: `ans`, functions, settings and all;
    without mistakes, and without what only told something."""
    t = c.start()
    path = os.path.join(c.home, 's.fs')
    for line in ('1 + 1', 'ans*3', 'f(x) = x + ans', 'nonsense', ':plan', ':set digits 9',
                 'f(4)/3', 'help'):
        t.line(line)
    assert 'without 1 that ended in a mistake' in t.line(f':save {path}')
    with open(path, encoding='utf-8') as f:
        assert f.read() == ('ans = 1 + 1\nans = ans*3\nf(x) = x + ans\n:set digits 9\n'
                            'f(4)/3\n')
    done = subprocess.run([PROGRAM, '--target', 'cpu', 'run', path], env=c.env(), text=True,
                          stdout=subprocess.PIPE, check=True)
    assert done.stdout == 'ans = 2\nans = 6\n3.33333333\n', done.stdout


def test_saved_after_the_worker_died(c):
    t = c.start()
    path = os.path.join(c.home, 's.fs')
    t.line('1 + 1')
    t.line('oops')
    os.kill(worker_of(t), signal.SIGKILL)
    t.line('ans*3')
    t.line(f':save {path}')
    with open(path, encoding='utf-8') as f:
        assert f.read() == 'ans = 1 + 1\nans*3\n'


def test_history_of_all_sessions(c):
    first = c.start()
    first.line('a = 1')
    first.send('begin\rb = 2\rend\r')
    first.prompt()
    first.send(CTRL_D)
    first.wait()
    t = c.start()
    t.line('b = 3')
    told = t.line(':history -g')
    assert re.search(r'1  a = 1\n.*2  begin\n +b = 2\n +end\n.*3  b = 3', told), told
    assert 'a = 1' not in t.line(':history')
    assert 'a = 1' not in t.line(':history -g 2')
    assert 'no history is stored' in c.start(FUSIBLE_HISTORY='').line(':history -g')
    path = os.path.join(c.home, 'typed.txt')
    t.line(f':history {path}')
    with open(path, encoding='utf-8') as f:
        assert f.read() == 'b = 3\n:history -g\n:history\n:history -g 2\n'


EDITOR = '#!/bin/sh\nsed -i "s/1/100/" "$1"\n'


def test_edit(c):
    """The last input, a function and a script come back changed, and run; not what an editor
    left with an error."""
    editor = c.write('editor', EDITOR)
    os.chmod(editor, 0o755)
    script = c.write('a.fs', 'y = 21\n')
    t = c.start(VISUAL=editor, TMPDIR=c.home)
    t.line('x = 1')
    t.line('f(x) = x + 1')
    assert 'f(x) = x + 100' in t.line(':edit')
    assert '107' in t.line('f(7)')
    assert 'fs> f(x) = x + 10000' in t.line(':edit f')
    assert '10007' in t.line('f(7)')
    assert 'y = 2100' in t.line(f':edit {script}')
    t.send(UP)
    t.expect('y = 2100')
    assert 'no function nothing' in t.line(CTRL_A + '\x0b:edit nothing')
    t = c.start(VISUAL='false', EDITOR=editor, TMPDIR=c.home)
    t.line('x = 1')
    assert 'nothing is run' in t.line(':edit')
    assert [n for n in os.listdir(c.home) if n.endswith('.fs')] == ['a.fs']


def test_all_of_a_matrix(c):
    """Goes to the pager, with lines longer than the screen; the numbers of rows and columns
    stand at its edges at every width, and in ASCII where that is wanted."""
    out = os.path.join(c.home, 'out')
    for env, edge in ([({'columns': n}, '│') for n in (40, 60, 80, 120, 200)] +
                      [({'LC_ALL': 'C'}, '|'), ({'NO_COLOR': '1'}, '│'),
                       ({'TERM': 'dumb'}, '│')]):
        t = c.start(PAGER=f'cat > {out}', **env)
        t.line('A = reshape(1:3000, 30, 100);')
        t.line(':show A')
        with open(out, encoding='utf-8') as f:
            lines = f.read().splitlines()
        assert len(lines) == 32, lines
        assert lines[1].split() == [edge] + [str(k) for k in range(1, 101)]
        assert lines[31].split() == ['30', edge] + [str(k) for k in range(2901, 3001)]


# -- choices ------------------------------------------------------------------------

PAIR = ("A = rand(500, 500); p = rand(500); r = rand(500); A[1, 1] = 1;",
        "begin q = A*p; s = A'*r; end")


def with_pair(c, **how):
    t = c.start(**how)
    for line in PAIR:
        t.line(line)
    return t


def open_list(t, columns=80):
    t.send(':choose\r')
    t.expect(r'q leaves\n')
    t.settle()
    rows = [line for line in t.screen() if re.match(r'[> ] +\d+ [* ]', line)]
    assert all(len(line) <= columns for line in t.screen())
    return rows


def marked(t):
    return [line.split()[1] for line in t.screen() if line.startswith('> ')]


def test_a_plan_is_chosen_by_keys(c):
    """Arrows mark a plan, Enter races, p takes the one that is marked; what is left of the
    list is what was done, and nothing on the screen goes over its edge."""
    for columns, env in ((40, {}), (60, {'LC_ALL': 'C'}), (80, {'NO_COLOR': '1'}), (120, {}),
                         (200, {})):
        t = with_pair(c, columns=columns, **env)
        rows = open_list(t, columns)
        assert len(rows) >= 3 and rows[0].split()[2] == '*' and marked(t) == ['1'], rows
        if env.get('LC_ALL'):
            assert all(ord(ch) < 128 for row in rows for ch in row), rows
        last = str(len(rows))
        for keys, at in (('\x1b[B', '2'), ('\x1bOB', '3'), ('j' * 9, last),
                         ('k', str(len(rows) - 1)), ('\x1b[A' * 5, '1'),
                         ('j', '2'), ('x', '2')):
            t.send(keys)
            t.until(lambda at=at: t.settle() or marked(t) == [at])
        mark = len(t.raw)
        t.send('\r')
        t.expect(r'in turns[\s\S]*q leaves\n')
        assert (b'\x1b[7m' in t.raw[mark:]) == (not env.get('NO_COLOR')), t.raw[mark:]
        t.settle()
        assert marked(t) == ['2']
        t.send('p')
        told = t.prompt()
        assert re.search('1 (→|->) 2 kernels', told) and 'forget`' in told, told
        assert not marked(t) and 'q leaves' not in '\n'.join(t.screen())
        assert '2 kernels' in t.line(PAIR[1])
        assert 'the block runs as predicted again' in t.line(':tune forget')


def test_the_list_is_left(c):
    """By q, Escape, Ctrl-C and Ctrl-D, and the session goes on; keys are seen again."""
    t = with_pair(c)
    for key in ('q', '\x1b', CTRL_C, CTRL_D):
        open_list(t)
        t.send(key)
        t.prompt()
        assert not marked(t)
        assert '42' in t.line('6*7')
    open_list(t)
    t.resize(24, 60)
    t.until(lambda: t.settle() or marked(t) == ['1'])
    t.send('q')
    t.prompt()


def test_choose_without_a_list(c):
    """Where the terminal cannot draw it, and of nothing, it is told in words."""
    t = with_pair(c, TERM='dumb')
    assert '`:choose 2` takes plan 2' in t.line(':choose')
    t = c.start()
    assert 'no statement has needed a kernel yet' in t.line(':choose')


def test_races_and_bars_fit(c):
    for columns in (40, 60, 80, 120, 200):
        for env in ({}, {'LC_ALL': 'C'}):
            t = with_pair(c, columns=columns, **env)
            told = t.line(':race').splitlines()
            table = [line for line in told if re.match('in use|no fusion|plan', line)]
            assert len(table) >= 2 and all(re.search(r'\d\.\d\d', line) for line in table), told
            assert all(len(line) <= columns for line in told), told
            assert all('bits' in line or 'differ' in line for line in table[1:]), told
            told = t.line(':alternatives').splitlines()[1:]
            assert all(len(line) <= columns for line in told) and 'kernels' in told[0], told
            table = [line for line in told if re.match(r'(\d+|unfused) .*~', line)]
            assert len(table) >= 2 and all(re.search(' [qs] = A', line) for line in table), told
            bars = [line for line in told
                    if re.search('(predicted|measured)  +[█░#-]+ ', line)]
            assert len(bars) >= 4 and all(len(line) <= columns for line in bars), bars
            assert any(sign in bars[0] for sign in ('░' if not env else '-')), bars


def test_what_other_threads_make_of_a_block(c):
    t = with_pair(c)
    told = t.line(':set threads 1')
    assert re.search(r'the last block: 1 kernel, [\d.]+ .s → [\d.]+ .s predicted \(×', told), told
    assert re.search(r'runs?: median [\d.]+ .s', t.line(':again')), 'the block is there'
    assert 'no fusion ' in t.line(':race')
    t.line(PAIR[1])
    assert '2 kernels, +' in t.line(':set strategy off')
    refused = t.line(':set threads -1')
    assert 'cannot be -1' in refused and 'the last block' not in refused, refused


def test_a_race_runs_what_pins_forbid(c):
    t = with_pair(c)
    t.line(':split q s')
    t.line(PAIR[1])
    told = t.line(':race')
    assert re.search(r'in use +2 .*\nno pins +1 ', told), told


# -- what a newcomer begins with ------------------------------------------------------

TOUR = ['A = rand', 'begin q = A', ':plan(:plan)?$', ':why q s', ':split q s', ':race', ':split off',
        ':plan graph', 'roofline']


def test_the_tour(c):
    """Each line is typed for the user, Enter runs it, and every one goes well, at every width."""
    for columns, env in ((40, {}), (60, {'LC_ALL': 'C'}), (80, {'NO_COLOR': '1'}),
                         (120, {'TERM': 'dumb'}), (200, {})):
        t = c.start(columns=columns, **env)
        t.send(':tour\r')
        told = ''
        for k, line in enumerate(TOUR):
            words = t.expect('fs> ' + line)
            said = words[:words.rindex('fs> ')]
            # Behind the line that ran, of which Enter may have the prompt write a part once more.
            ran = TOUR[k - 1] if k else ':tour'
            echo = said.rfind(ran[-5:], 0, 2*len(ran) + columns)
            said = said[echo + 5 if echo >= 0 else 0:].splitlines()
            assert all(len(part) <= columns or 'race: ' in part for part in said[1:]), words
            t.settle()
            t.send('\r')
            told += words
        told += t.expect(r'That was the tour[\s\S]*fs> $')
        assert not re.search(r'>:\d+:\d+:\s+error', told), told
        for word in ('1 kernel (row)', '2 kernels', 'no fusion', 'in turns', 'GFLOP'):
            assert word in told.replace('\n', ' ') or columns < 80, (word, told)
        assert '42' in t.line('6*7')


def test_the_tour_is_left(c):
    """Ctrl-C ends it; another line than the one that was typed runs, and the step comes again."""
    t = c.start()
    t.send(':tour\r')
    t.expect('fs> A = rand')
    t.settle()
    t.send(CTRL_A + '\x0b6*7\r')
    told = t.expect('fs> A = rand')
    assert '42' in told and 'Two minutes' not in told
    t.settle()
    t.send(CTRL_C)
    t.prompt()
    assert '42' in t.line('6*7')
    assert 'begin q' not in t.line('1')


def test_the_tour_as_a_text(c):
    done = subprocess.run([PROGRAM, '--target', 'cpu', '-e', ':tour'], env=c.env(), text=True,
                          stdout=subprocess.PIPE, check=True)
    assert 'A = rand(4000, 4000)' in done.stdout and 'That was the tour' in done.stdout
    inputs = re.findall(r'^    (.*)', done.stdout, re.M)
    done = subprocess.run([PROGRAM, '--target', 'cpu', '-'], input='\n'.join(inputs), text=True,
                          env=c.env(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True)
    assert len(inputs) == len(TOUR), inputs


def test_examples(c):
    t = c.start()
    told = t.line(':examples')
    assert re.search(r'^  cg +CG: conjugate gradients', told, re.M), told
    listed = re.split(r'\n  (?=\w)', told.split('\n', 1)[1].rsplit('\nin /', 1)[0])
    assert len(listed) > 20 and all(one.endswith('.') for one in listed), listed
    told = t.line(':examples waxpby')
    assert 'w = alpha*x + beta*y' in told, told
    path = re.search(r'import "(.*)" runs it', told)[1]
    assert 'error' not in t.line(f'import "{path}"')
    t.send(':examples blac\t')
    t.expect(':examples blackscholes')
    t.send(CTRL_C)
    t.prompt()
    assert 'there is no example nothing' in t.line(':examples nothing')
    assert 'there is no example ../README' in t.line(':examples ../README')


def test_roofline_names_kernels_and_shows_what_fusion_does(c):
    for columns, env in ((60, {'LC_ALL': 'C'}), (80, {'NO_COLOR': '1'}), (120, {}), (200, {})):
        t = with_pair(c, columns=columns, **env)
        t.line(PAIR[1])
        told = t.line('roofline()')
        assert 'k1 q = A*p' in told and 'by fusion' in told, told
        assert all(len(line) <= columns for line in told.splitlines()), told
        t.line('q = A*p;')  # nothing is spared
        assert 'by fusion' not in t.line('roofline()')


if __name__ == '__main__':
    sys.exit(run_tests(globals(), Case))
