#!/usr/bin/python3
"""Plots at terminals that show pictures, and at those that do not: answers as theirs,
late, in pieces, between keys, or none.

    test_pictures.py [PATTERN]
"""
import base64
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from terminal import Terminal, run_tests  # noqa: E402

PROGRAM = os.path.abspath(os.environ.get('FUSIBLE', 'build/fusible'))
PLOT = 'plot([1, 4, 2, 8], "title=zigzag");'
ASKED_KITTY, ASKED = b'\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\', b'\x1b[c'
OK = b'\x1b_Gi=31;OK\x1b\\'


class Known:
    """A terminal: its variables, what it answers to the question of the kitty
    protocol, for the size of a character, and of its attributes; what it gets."""
    def __init__(self, shows, attributes, kitty=b'', cell=b'', **env):
        self.shows, self.attributes = shows, attributes
        self.kitty, self.cell, self.env = kitty, cell, env


KNOWN = {
    # xterm 379 and tmux 3.3a were recorded here; the others are what these terminals
    # are known to answer, and were not run.
    'kitty': Known('kitty', b'\x1b[?62;52;c', OK, b'\x1b[6;20;10t',
                   TERM='xterm-kitty', KITTY_WINDOW_ID='1'),
    'WezTerm': Known('kitty', b'\x1b[?65;4;6;18;22;52c', OK, b'\x1b[6;17;8t',
                     TERM='xterm-256color', TERM_PROGRAM='WezTerm'),
    'Konsole': Known('kitty', b'\x1b[?62;1;4c', OK, b'\x1b[6;18;9t',
                     TERM='xterm-256color'),
    'Ghostty': Known('kitty', b'\x1b[?62;22;52c', OK, b'\x1b[6;36;16t',
                     TERM='xterm-ghostty'),
    'kitty that may not': Known('text', b'\x1b[?62;c',
                                b'\x1b_Gi=31;ENOTSUPPORTED:no graphics\x1b\\',
                                b'\x1b[6;20;10t', TERM='xterm-kitty'),
    'xterm -ti vt340': Known('sixel', b'\x1b[?63;1;2;4;6;9;15;16;22;28c',
                             TERM='xterm'),
    'foot': Known('sixel', b'\x1b[?62;4;22;28;29c', cell=b'\x1b[6;19;9t',
                  TERM='foot'),
    'iTerm2': Known('iterm', b'\x1b[?64;1;2;4;6;17;18;21;22c',
                    cell=b'\x1b[6;34;16t', TERM='xterm-256color',
                    TERM_PROGRAM='iTerm.app', LC_TERMINAL='iTerm2'),
    'iTerm2 by ssh': Known('iterm', b'\x1b[?64;1;2;4;6;17;18;21;22c',
                           TERM='xterm-256color', LC_TERMINAL='iTerm2'),
    'another, begun in iTerm2': Known('text', b'\x1b[?64;1;2;6;9;15c',
                                      TERM='xterm', LC_TERMINAL='iTerm2'),
    'xterm': Known('text', b'\x1b[?64;1;2;6;9;15;16;17;18;21;22;28c', TERM='xterm'),
    'VTE': Known('text', b'\x1b[?65;1;9c', cell=b'\x1b[6;18;9t',
                 TERM='xterm-256color'),
    # The first number is no ability.
    'VT132': Known('text', b'\x1b[?4;6c', TERM='vt132'),
    'VT340 of 14 and 24': Known('text', b'\x1b[?63;14;24c', TERM='vt340'),
    'tmux': Known('text', b'\x1b[?1;2c', TERM='tmux-256color', TMUX='/tmp/t,1,0'),
    'tmux with sixel': Known('sixel', b'\x1b[?1;2;4c', TERM='tmux-256color',
                             TMUX='/tmp/t,1,0'),
    # Asked, the outer terminal would say yes.
    'screen in kitty': Known('text', b'\x1b[?1;2c', OK, TERM='screen-256color',
                             KITTY_WINDOW_ID='1'),
    # They are not asked at all.
    'Linux console': Known('silence', b'\x1b[?6c', TERM='linux'),
    'dumb': Known('silence', b'', TERM='dumb'),
    'no TERM': Known('silence', b'\x1b[?62;4c', OK, TERM=''),
    'Emacs': Known('silence', b'', TERM='eterm-color'),
}


class Fake(Terminal):
    """A pty that answers as the known terminal does: each piece after so many
    seconds. `late`: counted from when the plot is there as text, and so too late for it.
    `before`, `between`: what is typed just before and amid the answers."""
    def __init__(self, known, env, pauses=(0,), cut=0, before='', between='',
                 args=(), late=False, **size):
        self.known, self.pauses, self.cut, self.late = known, pauses, cut, late
        self.before, self.between = before.encode(), between.encode()
        self.queue, self.answered = [], False
        super().__init__([PROGRAM, '--target', 'cpu', '--plan', 'off', *args], env,
                         **size)

    def _answer(self):
        k = self.known
        asked = ASKED_KITTY in self.raw
        whole = (k.kitty if asked else b'') + k.cell
        whole = self.before + whole + self.between + k.attributes
        cut = self.cut if self.cut else len(whole)
        parts = [whole[:cut], whole[cut:]]
        when = time.monotonic()
        for pause, part in zip(self.pauses, parts):
            when += pause
            self.queue.append((when, part))

    def _pump(self, seconds):
        drawn = '\u2524'.encode() in self.raw
        if not self.answered and ASKED in self.raw and (drawn or not self.late):
            self.answered = True
            self._answer()
        while self.queue and self.queue[0][0] <= time.monotonic():
            part = self.queue.pop(0)[1]
            if part:
                os.write(self.master, part)
        if self.queue:
            seconds = min(seconds, max(0, self.queue[0][0] - time.monotonic()))
            super()._pump(seconds)
            return True
        return super()._pump(min(seconds, 0.05)) or seconds > 0.05

    def settle(self):
        """Waits until the question has come and the last of the answers has gone."""
        self.until(lambda: self.answered and not self.queue)


class Case:
    def __init__(self):
        self.home = tempfile.mkdtemp(prefix='fusible-pictures-')
        self.terminals = []

    def env(self, **extra):
        env = {k: v for k, v in os.environ.items()
               if not k.startswith(('FUSIBLE', 'XDG_', 'KITTY', 'TERM', 'LC_', 'TMUX',
                                    'STY', 'ZELLIJ'))}
        env.update(HOME=self.home, TERM='xterm', LC_ALL='C.UTF-8', PAGER='cat',
                   INPUTRC='/dev/null', NO_COLOR='1')
        env.update(extra)
        return env

    def start(self, known, rows=40, columns=100, **how):
        env = self.env(**known.env, **how.pop('env', {}))
        if known.attributes and not how.get('late'):
            env['FUSIBLE_PATIENCE'] = '60000'  # it answers, however loaded the machine
        t = Fake(known, env, rows=rows, columns=columns, **how)
        self.terminals.append(t)
        t.prompt()
        return t

    def close(self):
        for t in self.terminals:
            t.close()
        shutil.rmtree(self.home, ignore_errors=True)


# -- what a terminal got -------------------------------------------------------

def png_size(data):
    assert data[:8] == b'\x89PNG\r\n\x1a\n' and data[-8:-4] == b'IEND', data[:20]
    return struct.unpack('>II', data[16:24])


def kitty_picture(raw):
    """(columns, rows, width, height), or None: the parts of one picture joined."""
    parts = [p for p in re.findall(rb'\x1b_G([^\x1b]*)\x1b\\', raw)
             if b'a=q' not in p]
    if not parts:
        return None
    head, text = parts[0].split(b';')[0], b''
    assert b'a=T' in head and b'f=100' in head, head
    for k, part in enumerate(parts):
        keys, chunk = part.split(b';', 1)
        assert b'q=2' in keys and len(chunk) <= 4096, keys
        assert (b'm=1' in keys) == (k < len(parts) - 1), (k, keys)
        text += chunk
    c, r = (int(re.search(rb'\b%s=(\d+)' % key, head)[1]) for key in (b'c', b'r'))
    return (c, r, *png_size(base64.b64decode(text, validate=True)))


def iterm_picture(raw):
    found = re.search(rb'\x1b\]1337;File=inline=1;size=(\d+);width=(\d+);height='
                      rb'(\d+);preserveAspectRatio=0:([^\x07]*)\x07', raw)
    if not found:
        return None
    data = base64.b64decode(found[4], validate=True)
    assert len(data) == int(found[1])
    return (int(found[2]), int(found[3]), *png_size(data))


def sixel_picture(raw):
    found = re.search(rb'\x1bP[0-9;]*q"1;1;(\d+);(\d+)([^\x1b]*)\x1b\\', raw)
    if not found:
        return None
    assert found[3].count(b'-') * 6 >= int(found[2]) - 6, 'all bands are there'
    return int(found[1]), int(found[2])


def shown(t, text):
    """How the plot came to the terminal; and that nothing else did."""
    raw = t.raw
    what = [name for name, find in (('kitty', kitty_picture), ('iterm', iterm_picture),
                                    ('sixel', sixel_picture)) if find(raw)]
    if 'zigzag' in text and '\u2524' in text:
        what.append('text')
    assert len(what) == 1, (what, text)
    for garbage in ('^[', 'OK', 'Gi=', ';22', '62;', '63;', '64;'):
        assert garbage not in text, (garbage, text)
    return what[0]


# -- each terminal -------------------------------------------------------------

def test_known_terminals(c):
    for name, known in KNOWN.items():
        t = c.start(known)
        text = t.line(PLOT)
        expected = 'text' if known.shows == 'silence' else known.shows
        assert shown(t, text) == expected, (name, text)
        asked = ASKED in t.raw
        assert asked == (known.shows != 'silence'), name
        multiplexed = 'TMUX' in known.env or known.env['TERM'].startswith('screen')
        assert (ASKED_KITTY in t.raw) == (asked and not multiplexed), name
        assert 'q = 42' in t.line('q = 40 + 2'), name
        t.line(PLOT)
        assert t.raw.count(ASKED) == asked, 'once'
        t.close()
        c.terminals.remove(t)


def test_sizes(c):
    """A picture has whole characters of the size that the terminal told."""
    for name, cell in (('kitty', (10, 20)), ('Ghostty', (16, 36))):
        for rows, columns in ((40, 100), (24, 80), (60, 50)):
            t = c.start(KNOWN[name], rows=rows, columns=columns)
            t.line(PLOT)
            w, h, width, height = kitty_picture(t.raw)
            assert (width, height) == (w * cell[0], h * cell[1])
            assert h <= rows - 2 and w < columns and w <= 80
            assert abs(width * 400 / 640 - height) <= cell[1], (width, height)
    t = c.start(KNOWN['foot'])
    t.line(PLOT)
    width, height = sixel_picture(t.raw)
    assert width % 9 == 0 and height % 6 == 0, (width, height)


def test_too_small(c):
    t = c.start(KNOWN['kitty'], rows=7, columns=80)
    assert shown(t, t.line(PLOT)) == 'text'


def test_all_plots(c):
    t = c.start(KNOWN['kitty'])
    t.line('A = rand(30, 20); x = A*ones(20);')
    for plot in ('plot(x)', 'scatter(x, x)', 'hist(x)', 'heatmap(A)', 'bar([1, 2])',
                 'roofline()'):
        before = len(t.raw)
        text = t.line(plot)
        assert kitty_picture(t.raw[before:]), plot
        assert '\u2524' not in text, plot


# -- when the answer comes --------------------------------------------------------

def test_no_answer(c):
    t = c.start(Known('text', b'', TERM='xterm-256color'))
    begun = time.monotonic()
    assert shown(t, t.line(PLOT)) == 'text'
    for _ in range(3):
        t.line(PLOT)
    assert time.monotonic() - begun < 60  # that an answer may still come: 60 s
    assert t.raw.count(ASKED) == 1
    assert 'q = 42' in t.line('q = 40 + 2')
    t.send('q\x1b')  # Esc is still a key, after which b goes a word back
    time.sleep(0.3)
    assert 'a = 41' in t.line('ba = 41; \x1b[C\x1b[6;5~')


def test_late_answer(c):
    """Text for now; it counts for the next plot. None of it is a key."""
    for after, name in ((0, 'kitty'), (0.3, 'xterm -ti vt340'), (0.3, 'xterm'),
                        (1.5, 'kitty')):
        t = c.start(KNOWN[name], pauses=(after,), late=True)
        text = t.line(PLOT)
        t.settle()
        more = t.line('q = 40 + 2')
        assert 'q = 42' in more, name
        assert shown(t, text + more) == 'text', (after, name, text + more)
        before = len(t.raw)
        text = t.line(PLOT)
        t.raw = t.raw[before:]
        assert shown(t, text) == KNOWN[name].shows, (after, name, text)


def test_late_answer_amid_typing(c):
    t = c.start(KNOWN['kitty'], pauses=(0.3,), late=True, before='q = 4',
                between='0 + ')
    t.line(PLOT)
    t.settle()
    t.send('2\r')
    t.expect('q = 42')


def test_late_answer_without_readline(c):
    t = c.start(KNOWN['kitty'], pauses=(0.3,), late=True, args=['--no-readline'])
    t.line(PLOT)
    t.settle()
    assert 'q = 42' in t.line('q = 40 + 2')
    before = len(t.raw)
    t.line(PLOT)
    assert kitty_picture(t.raw[before:])


def test_answer_in_pieces(c):
    for name in ('kitty', 'foot'):
        k = KNOWN[name]
        whole = len(k.kitty + k.cell + k.attributes)
        for cut in range(1, whole, 5):
            t = c.start(k, pauses=(0.01, 0.02), cut=cut)
            assert shown(t, t.line(PLOT)) == name.replace('foot', 'sixel'), cut
            assert 'q = 42' in t.line('q = 40 + 2')
            t.close()
            c.terminals.remove(t)


# -- keys are not lost --------------------------------------------------------------

def test_typed_ahead(c):
    """Before, between and after the answers; in pieces; and by an answer so late
    that the prompt has it."""
    k = KNOWN['kitty']
    t = c.start(k, before='a = 40 + 2\r', between='b = 50 + 3\r')
    t.send(PLOT + '\r' + 'c = 60 + 4\r')
    values = ('a = 42', 'b = 53', 'c = 64')
    t.until(lambda: all(v in t.text() for v in values))
    assert kitty_picture(t.raw)
    assert b'^[' not in t.raw


def test_typed_half_a_line(c):
    t = c.start(KNOWN['foot'], before='a = 4', between='0 + ')
    t.send(PLOT + '\r')
    t.expect(r'fs> a = 40 \+ $')
    assert 'a = 42' in t.line('2')
    assert sixel_picture(t.raw)


def test_utf8_and_arrows_typed_ahead(c):
    """The last keys come after the picture, or while it is drawn: then they are
    echoed at once, and a prompt comes before the line that was kept."""
    folder = os.path.join(c.home, 'bin')
    os.mkdir(folder)
    slow = os.path.join(folder, 'rsvg-convert')
    with open(slow, 'w') as f:
        f.write('#!/bin/sh\nsleep 0.5\nexec ' + shutil.which('rsvg-convert') + ' "$@"\n')
    os.chmod(slow, 0o755)
    for path in (os.environ['PATH'], folder + ':' + os.environ['PATH']):
        t = c.start(KNOWN['kitty'], before='σ₁ = 4', env={'PATH': path},
                    between='2\x1b[D\x1b[D0\x1b[C')
        t.send(PLOT + '\r')
        t.settle()
        t.send('1\r')
        t.expect('σ₁ = 412')


def test_ctrl_c_typed_ahead(c):
    t = c.start(Known('text', b'', TERM='xterm'))
    t.send('k = 0; ' + PLOT + ' while true; k = k + 1; end\r')
    t.expect('zigzag')
    time.sleep(0.3)
    t.send('\x03')
    assert 'interrupted' in t.prompt()
    assert 'q = 42' in t.line('q = 40 + 2')


def test_ask_after_a_plot(c):
    """ask() gets what was typed ahead, and echoes, answer or not."""
    for known in (KNOWN['kitty'], Known('text', b'', TERM='xterm')):
        t = c.start(known)
        t.send('begin\r')
        t.expect(r'\.\.\. +$')
        t.send(PLOT + '\r')
        t.expect(r'\.\.\. +$')
        t.send('s = ask("word? ");\r')
        t.expect(r'\.\.\. +$')
        t.send('end\r')
        t.expect(r'word\? $', 600)
        t.send('hello\r')
        assert 'hello' in t.prompt()
        assert 'hello' in t.line('s')


def test_echo_comes_back(c):
    t = c.start(Known('text', b'', TERM='xterm'))
    t.line(PLOT)
    t.send('\x04')
    assert t.wait() == 0
    assert t.settings() & termios.ECHO and t.settings() & termios.ICANON


# -- the setting ---------------------------------------------------------------------

def test_setting(c):
    t = c.start(KNOWN['kitty'])
    assert 'auto' in t.line(':set pictures')
    t.line(':set pictures braille')
    assert shown(t, t.line(PLOT)) == 'text'
    assert ASKED not in t.raw
    for way, find in (('kitty', kitty_picture), ('iterm', iterm_picture),
                      ('sixel', sixel_picture)):
        t.line(':set pictures ' + way)
        before = len(t.raw)
        t.line(PLOT)
        assert find(t.raw[before:]), way
    assert ASKED not in t.raw  # who names one knows
    text = t.line(':set pictures photo')
    assert 'auto, kitty, iterm, sixel or braille' in text, text
    t.line(':set pictures auto; ' + PLOT)


def test_rc_file(c):
    os.makedirs(os.path.join(c.home, '.config/fusible'))
    with open(os.path.join(c.home, '.config/fusible/rc.fs'), 'w') as f:
        f.write(':set pictures sixel\n')
    t = c.start(KNOWN['xterm'])
    assert shown(t, t.line(PLOT)) == 'sixel'


def test_named_in_a_multiplexer(c):
    """kitty and iterm would end up in tmux's title."""
    t = c.start(KNOWN['tmux'])
    t.line(':set pictures kitty')
    assert shown(t, t.line(PLOT)) == 'text'
    t.line(':set pictures sixel')
    t.line(PLOT)
    assert sixel_picture(t.raw)


def test_missing_programs(c):
    """Text, without a word in `auto`; one sentence for who asked by name."""
    empty = os.path.join(c.home, 'bin')
    os.mkdir(empty)
    t = c.start(KNOWN['kitty'], env={'PATH': empty})
    text = t.line(PLOT)
    assert shown(t, text) == 'text' and 'librsvg' not in text
    t.line(':set pictures kitty')
    text = t.line(PLOT)
    assert 'rsvg-convert' in text and 'librsvg2-bin' in text and '\u2524' in text
    assert 'rsvg-convert' not in t.line(PLOT)
    os.symlink(shutil.which('rsvg-convert'), os.path.join(empty, 'rsvg-convert'))
    t.line(PLOT)
    assert kitty_picture(t.raw)
    t.line(':set pictures sixel')
    text = t.line(PLOT)
    assert 'img2sixel' in text and 'libsixel-bin' in text and '\u2524' in text


def test_broken_program(c):
    folder = os.path.join(c.home, 'bin')
    os.mkdir(folder)
    path = os.path.join(folder, 'rsvg-convert')
    for script in ('exit 1', 'kill -SEGV $$', 'true'):
        with open(path, 'w') as f:
            f.write('#!/bin/sh\n' + script + '\n')
        os.chmod(path, 0o755)
        t = c.start(KNOWN['kitty'], env={'PATH': folder + ':' + os.environ['PATH']})
        assert shown(t, t.line(PLOT)) == 'text', script


def test_scripts(c):
    """A script does not ask: what was typed for the shell is not its own to keep.
    Named in the script, pictures come."""
    script = os.path.join(c.home, 'p.fs')
    for head, find in (('', None), (':set pictures kitty\n', kitty_picture)):
        with open(script, 'w') as f:
            f.write(head + PLOT + '\n')
        t = Fake(KNOWN['kitty'], c.env(**KNOWN['kitty'].env), args=[script], rows=40,
                 columns=100)
        c.terminals.append(t)
        assert t.wait() == 0
        assert ASKED not in t.raw
        assert bool(kitty_picture(t.raw)) == bool(find)


def test_not_a_terminal(c):
    for way in ('auto', 'kitty', 'sixel'):
        done = subprocess.run(
            [PROGRAM, '--target', 'cpu', '-e', f':set pictures {way}\n{PLOT}'],
            stdin=subprocess.DEVNULL, capture_output=True, env=c.env(), timeout=600)
        assert done.returncode == 0 and b'\x1b' not in done.stdout, way
        assert 'zigzag' in done.stdout.decode()
    # Out of the prompt into a file, from a terminal.
    path = os.path.join(c.home, 'out')
    t = Terminal(['sh', '-c', f'"$0" --target cpu --plan off >"{path}"', PROGRAM],
                 c.env(**KNOWN['kitty'].env))
    c.terminals.append(t)
    t.prompt()
    t.line(':set pictures kitty')
    t.line(PLOT)
    t.send('\x04')
    t.wait()
    with open(path, 'rb') as f:
        out = f.read()
    assert b'\x1b' not in out and 'zigzag' in out.decode(), out[:200]
    assert ASKED not in t.raw


if __name__ == '__main__':
    sys.exit(run_tests(globals(), Case))
