"""What a suite counts: every check passes or fails, and failures say what. And what
suites need on a machine that has other things to do: no limit of time decides there, only
what happens, and what is used of the processor."""
import atexit
import os
import resource
import shutil
import signal
import tempfile
import threading
import time


def folder(name):
    """A folder for as long as the suite runs."""
    path = tempfile.mkdtemp(prefix=f'fusible-{name}-')
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


def spent():
    """Processor seconds of the processes that were waited for: what a program was slow at,
    however busy the machine is."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def await_handler(pid, number=signal.SIGINT, seconds=600):
    """Waits until a process that was started handles a signal: before that it would
    just die of it. False if it does not."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            with open(f'/proc/{pid}/status', encoding='utf-8') as f:
                caught = next(line for line in f if line.startswith('SigCgt'))
        except (OSError, StopIteration):
            return False
        if int(caught.split()[1], 16) >> (number - 1) & 1:
            return True
        time.sleep(0.01)
    return False


def processor_seconds(pid):
    """What a process has used of the processors; 0 for none."""
    try:
        with open(f'/proc/{pid}/stat', encoding='utf-8') as f:
            fields = f.read().rpartition(')')[2].split()
    except OSError:
        return 0
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def await_work(find, much=0.1, seconds=600):
    """Waits until the process that find() gives has computed so many seconds more, and gives
    it."""
    end, used = time.monotonic() + seconds, {}
    while time.monotonic() < end:
        pid = find()
        if pid:
            now = processor_seconds(pid)
            if now > used.setdefault(pid, now) + much:
                return pid
        time.sleep(0.01)
    raise AssertionError('it does not compute')


class Score:
    """May be asked by several threads."""
    def __init__(self):
        self.passed = self.failed = 0
        self.counting = threading.Lock()

    def check(self, ok, what, detail=''):
        with self.counting:
            if ok:
                self.passed += 1
            else:
                self.failed += 1
                print('FAILED:', str(what)[:1500])
                if detail:
                    print(detail)
        return ok

    def close(self):
        """Prints the closing line; gives the exit status."""
        print('%d passed, %d failed' % (self.passed, self.failed))
        return 1 if self.failed or not self.passed else 0
