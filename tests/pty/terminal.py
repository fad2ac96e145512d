"""A terminal to drive programs in: a pty, with what they wrote kept as text."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
import traceback

ESCAPES = re.compile(rb'\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[()][A-Z0-9]|\x1b[=>78]|'
                     rb'\x1b[P_\]][^\x1b\x07]*(?:\x1b\\|\x07)')  # pictures


MOVES = re.compile(r'\x1b\[([0-9;?]*)([A-Za-z@])|\x1b.')


def screen_of(text, columns):
    """What a terminal that never scrolls shows of this, and the row and column of its cursor."""
    lines, y, x, at = [[]], 0, 0, 0
    while at < len(text):
        found = MOVES.match(text, at)
        char, at = text[at], found.end() if found else at + 1
        if found and found[2]:
            words = found[1].split(';')
            n = int(words[0]) if words[0].isdigit() else 1
            line, op = lines[y], found[2]
            y = max(0, y - n) if op == 'A' else y + n if op == 'B' else y
            x = max(0, {'C': x + n, 'D': x - n, 'G': n - 1}.get(op, x))
            if op == 'P':
                del line[x:x + n]
            elif op == '@':
                line[x:x] = [' ']*n
            elif op in 'KJ':
                del line[x:]
                if op == 'J':
                    del lines[y + 1:]
        elif char in '\r\n\b':
            x = x - 1 if char == '\b' else 0 if char == '\r' else x
            y += char == '\n'
        elif not found and char >= ' ':
            if x == columns:
                x, y = 0, y + 1
            while len(lines) <= y:
                lines.append([])
            lines[y] += ' '*(x - len(lines[y]))
            lines[y][x:x + 1] = [char]
            x += 1
        while len(lines) <= y:
            lines.append([])
    while len(lines) > 1 and not ''.join(lines[-1]).strip():
        lines.pop()
    return [''.join(line).rstrip() for line in lines], y, x


class Terminal:
    def __init__(self, argv, env=None, rows=24, columns=80):
        self.master, slave = pty.openpty()
        self.resize(rows, columns, tell=False)
        self.raw = b''
        self.mark = 0
        self.process = subprocess.Popen(
            argv, stdin=slave, stdout=slave, stderr=slave, env=env,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.set_blocking(self.master, False)
        self.slave = slave  # kept open, so that its settings can be asked for

    def screen(self):
        """The lines that stand on the screen, without the blanks and the empty lines at
        their ends."""
        return screen_of(self.raw.decode('utf-8', 'replace'), self.columns)[0]

    def look(self):
        """The lines, and the row and column of the cursor."""
        return screen_of(self.raw.decode('utf-8', 'replace'), self.columns)

    def settle(self):
        """Until nothing more comes, which has to be waited for."""
        while self._pump(0.02):
            pass

    def is_below(self):
        """Whether something stands in lines below the cursor's."""
        lines, row, _ = screen_of(self.raw.decode('utf-8', 'replace'), self.columns)
        return row < len(lines) - 1

    def resize(self, rows, columns, tell=True):
        self.columns = columns
        size = struct.pack('HHHH', rows, columns, 0, 0)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, size)
        if tell:
            os.kill(self.process.pid, signal.SIGWINCH)

    def settings(self):
        """The local flags: what line editing changes."""
        return termios.tcgetattr(self.slave)[3]

    def _pump(self, seconds):
        ready, _, _ = select.select([self.master], [], [], seconds)
        if not ready:
            return False
        try:
            data = os.read(self.master, 65536)
        except OSError:
            return False
        self.raw += data
        return bool(data)

    def text(self):
        """What came since the last expect(), without escapes."""
        plain = ESCAPES.sub(b'', self.raw[self.mark:])
        return plain.replace(b'\r', b'').decode('utf-8', 'replace')

    def send(self, text):
        data = text.encode()
        while data:
            n = os.write(self.master, data[:512])
            data = data[n:]

    def expect(self, pattern, seconds=600):
        """Waits for a regular expression; gives the text up to its end. The times
        that are waited at most are for a machine that has much else to do."""
        end = time.monotonic() + seconds
        while True:
            text = self.text()
            found = re.search(pattern, text, re.M)
            if found:
                # Everything read so far is used up: patterns are chosen so
                # that nothing of interest can follow the match at once.
                self.mark = len(self.raw)
                return text
            left = end - time.monotonic()
            if left <= 0 or (not self._pump(left) and
                             self.process.poll() is not None):
                raise AssertionError(f'no {pattern!r} in {self.text()!r}')

    def prompt(self, seconds=600):
        return self.expect(r'fs> $', seconds)

    def line(self, text, seconds=600):
        """Types a line; gives what is shown up to the next prompt."""
        self.send(text + '\r')
        return self.prompt(seconds)

    def until(self, condition, seconds=600):
        """Waits until it holds; what comes meanwhile is kept."""
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise AssertionError(f'it does not come: {self.text()!r}')
            self._pump(0.01)

    def wait(self, seconds=600):
        """The exit status; what is still written is read."""
        end = time.monotonic() + seconds
        while self.process.poll() is None:
            if time.monotonic() > end:
                raise AssertionError(f'still running: {self.text()!r}')
            self._pump(0.05)
        while self._pump(0.05):
            pass
        return self.process.returncode

    def close(self):
        """As a window that is closed ends what runs in it."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGHUP)
            self.process.send_signal(signal.SIGCONT)
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        os.close(self.master)
        os.close(self.slave)


def succeeds(name, test, new_case):
    case = new_case()
    try:
        test(case)
        return True
    except Exception:  # pylint: disable=broad-except
        print(f'FAILED {name}')
        traceback.print_exc(file=sys.stdout)
        return False
    finally:
        case.close()


def run_tests(names, new_case):
    """Runs the functions test_... of a suite, those with the pattern of the command
    line in their names, each with a case of its own, which is closed after it.
    Prints the closing line; gives the exit status."""
    pattern = sys.argv[1] if len(sys.argv) > 1 else ''
    passed = failed = 0
    for name, test in list(names.items()):
        if not name.startswith('test_') or pattern not in name:
            continue
        if succeeds(name, test, new_case):
            passed += 1
        else:
            failed += 1
    print(f'{passed} passed, {failed} failed')
    return 1 if failed or not passed else 0
