"""A prompt with its worker, driven through pipes: cells in, events out."""
import json
import os
import queue
import signal
import subprocess
import threading
import time
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.path.abspath(os.environ.get('FUSIBLE',
                                         os.path.join(ROOT, 'build/fusible')))


def state_of(pid):
    """The letter of /proc, or None for no process."""
    try:
        with open(f'/proc/{pid}/stat', encoding='utf-8') as f:
            return f.read().rpartition(')')[2].split()[0]
    except OSError:
        return None


def wait_for(condition, seconds=600):
    """What it gives as soon as that is true; else what it gave last."""
    end = time.monotonic() + seconds
    while not (got := condition()) and time.monotonic() < end:
        time.sleep(0.01)
    return got


def is_alive(pid):
    return state_of(pid) not in (None, 'Z', 'X')


def children_of(pid):
    with open(f'/proc/{pid}/task/{pid}/children', encoding='utf-8') as f:
        return [int(word) for word in f.read().split()]


def memory_of(pid):
    """Resident KiB."""
    with open(f'/proc/{pid}/status', encoding='utf-8') as f:
        for line in f:
            if line.startswith('VmRSS'):
                return int(line.split()[1])
    return 0


class Front:
    def __init__(self, folder, env=None, target='cpu', args=()):
        self.process = subprocess.Popen(
            [PROGRAM, '-t', target, '-i', '-q', '--json', '--plan', 'off',
             '--no-rc', '--no-history', '--no-readline', *args],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, cwd=folder, env=env)
        self.events = queue.Queue()
        self.noise = []  # lines that are no events
        self.last = []   # events of the last cell, or what there was before the end
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            try:
                self.events.put(json.loads(line))
            except ValueError:
                self.noise.append(line)
        self.events.put(None)

    def send(self, text):
        self.process.stdin.write((text + '\n').encode())
        self.process.stdin.flush()

    def until_done(self, seconds=600):
        """The events of the cell; None when it does not end in time."""
        end = time.monotonic() + seconds
        self.last = events = []
        while True:
            try:
                event = self.events.get(timeout=max(end - time.monotonic(),
                                                    0.001))
            except queue.Empty:
                return None
            if event is None:
                return None
            events.append(event)
            if event['event'] == 'done':
                return events

    def cell(self, text, seconds=600):
        self.send(text)
        return self.until_done(seconds)

    def worker(self):
        found = children_of(self.process.pid)
        return found[0] if found else None

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)

    def files(self):
        return len(os.listdir(f'/proc/{self.process.pid}/fd'))

    def close(self):
        """The exit status after the end of the input."""
        self.process.stdin.close()
        try:
            return self.process.wait(600)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None


def status(events):
    return events[-1]['status'] if events else None


def text(events):
    return ''.join(e.get('text', '') for e in events or []
                   if e['event'] == 'text')


def notes(events, name):
    return [e['message'] for e in events or []
            if e['event'] == 'diagnostic' and e.get('id') == name]


def values(front, path):
    """All variables that files can hold, as bytes by name; text, if it could not
    save them."""
    done = front.cell(f':save {path}')
    if status(done) != 'ok':
        return str(done)
    with zipfile.ZipFile(path) as z:
        found = {name: z.read(name) for name in z.namelist()}
    os.unlink(path)
    return found
