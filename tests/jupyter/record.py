#!/usr/bin/python3
"""Records what Jupyter's own clients and ipykernel say to each other, for
test_replay.py.

    record.py blocking | console | lab     writes data/NAME*.jsonl
    record.py --proxy CONNECTION LOG       what Jupyter starts as the kernel

`blocking` and `console` run in the environment of scripts/install-deps test, `lab` in
that of scripts/check-lab, in a browser. Between client and kernel stands a proxy that
passes every frame on and writes it down: one JSON object a line,

    {"at", "from": "client"|"kernel", "channel", "peer", "header", "parent_header",
     "metadata", "content", "buffers"}

`at` is in seconds, `peer` numbers the client's identities. Names, ids, dates, paths and figures of the
machine are replaced on the way into data/, consistently: two ids that were equal
stay equal."""
import json
import os
import pty
import re
import secrets
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, 'data')
sys.path.insert(0, HERE)
if __name__ == '__main__' and sys.argv[1:2] in (['blocking'], ['console']):
    import peers  # noqa: F401
import zmq  # noqa: E402
from cells import PYTHON  # noqa: E402

CHANNELS = ('shell', 'control', 'stdin', 'iopub', 'hb')
DELIMITER = b'<IDS|MSG>'


# -- the proxy -----------------------------------------------------------------

class Proxy:
    """Stands between the client, which knows the ports of the connection file, and
    an ipykernel that has others."""

    def __init__(self, connection, log):
        self.context = zmq.Context()
        self.log = open(log, 'w', encoding='utf-8')
        self.peers = []
        self.began = time.monotonic()
        with open(connection, encoding='utf-8') as f:
            self.outer = json.load(f)
        self.inner = dict(self.outer)
        probes = [socket.socket() for _ in CHANNELS]
        for name, probe in zip(CHANNELS, probes):
            probe.bind(('127.0.0.1', 0))
            self.inner[name + '_port'] = probe.getsockname()[1]
        for probe in probes:
            probe.close()
        self.path = connection + '.inner.json'
        with open(os.open(self.path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC,
                          0o600), 'w', encoding='utf-8') as f:
            json.dump(self.inner, f)
        self.poller = zmq.Poller()
        kinds = {'iopub': zmq.XPUB, 'hb': zmq.ROUTER}
        self.fronts = {name: self.socket(kinds.get(name, zmq.ROUTER))
                       for name in CHANNELS}
        for name, s in self.fronts.items():
            if name == 'iopub':
                s.setsockopt(zmq.XPUB_VERBOSE, 1)
            else:
                s.setsockopt(zmq.ROUTER_HANDOVER, 1)
            s.bind(f'tcp://127.0.0.1:{self.outer[name + "_port"]}')
        self.backs = {('iopub', None): self.connect('iopub', zmq.XSUB, None),
                      ('hb', None): self.connect('hb', zmq.DEALER, None)}

    def socket(self, kind):
        s = self.context.socket(kind)
        s.setsockopt(zmq.LINGER, 1000)
        s.setsockopt(zmq.RCVHWM, 0)
        s.setsockopt(zmq.SNDHWM, 0)
        self.poller.register(s, zmq.POLLIN)
        return s

    def connect(self, channel, kind, identity):
        s = self.socket(kind)
        if identity is not None:
            s.setsockopt(zmq.IDENTITY, identity)
        s.connect(f'tcp://127.0.0.1:{self.inner[channel + "_port"]}')
        return s

    def back(self, channel, identity):
        """The kernel sees each client under its own identity, on stdin too."""
        if (channel, identity) not in self.backs:
            for name in ('shell', 'control', 'stdin'):
                if (name, identity) not in self.backs:
                    self.backs[name, identity] = self.connect(
                        name, zmq.DEALER, identity)
        return self.backs[channel, identity]

    def write(self, who, channel, identity, frames):
        if DELIMITER not in frames:
            return
        at = frames.index(DELIMITER)
        if identity is not None and identity not in self.peers:
            self.peers.append(identity)
        parts = [json.loads(f) for f in frames[at + 2:at + 6]]
        json.dump({'at': round(time.monotonic() - self.began, 2), 'from': who, 'channel': channel,
                   'peer': identity and self.peers.index(identity) + 1,
                   **dict(zip(('header', 'parent_header', 'metadata', 'content'),
                              parts)),
                   'buffers': len(frames) - at - 6}, self.log)
        self.log.write('\n')
        self.log.flush()

    def forward(self, channel, frames):
        if channel in ('iopub', 'hb'):
            self.backs[channel, None].send_multipart(frames)
        else:
            self.write('client', channel, frames[0], frames)
            self.back(channel, frames[0]).send_multipart(frames[1:])

    def turn(self):
        """Passes on what is there."""
        ready = dict(self.poller.poll(100))
        for channel, s in self.fronts.items():
            if s not in ready:
                continue
            while s.getsockopt(zmq.EVENTS) & zmq.POLLIN:  # before any answer
                self.forward(channel, s.recv_multipart())
        for (channel, identity), s in list(self.backs.items()):
            if s not in ready:
                continue
            frames = s.recv_multipart()
            if channel in ('iopub', 'hb'):
                self.write('kernel', channel, None, frames)
                self.fronts[channel].send_multipart(frames)
            else:
                self.write('kernel', channel, identity, frames)
                self.fronts[channel].send_multipart([identity, *frames])

    def run(self):
        kernel = subprocess.Popen(
            [sys.executable, '-m', 'ipykernel_launcher', '-f', self.path],
            start_new_session=True, stdin=subprocess.DEVNULL)

        def end(*_):
            kernel.kill()
            sys.exit(0)

        signal.signal(signal.SIGTERM, end)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        last = None  # when it had ended
        while last is None or time.monotonic() < last + 1:
            self.turn()
            if last is None and kernel.poll() is not None:
                last = time.monotonic()
        self.context.destroy(1000)


# -- what goes into data/ --------------------------------------------------------

UUID = re.compile(r'[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|'
                  r'[0-9a-f]{8}-[0-9a-f]{24}|\b[0-9a-f]{32}\b')
DATE = re.compile(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(Z|[+-]\d\d:\d\d)')
PATH = re.compile(r'(?<![\w<:/])/(?:[\w.@+-]+/)+[\w.@+-]*')
LONGEST = 240  # characters of a text of the kernel


class Scrubber:
    def __init__(self):
        self.ids = {}

    def text(self, s, short):
        def name(m):
            n = self.ids.setdefault(m[0], len(self.ids) + 1)
            return f'00000000-0000-4000-8000-{n:012d}'

        s = UUID.sub(name, s)
        s = re.sub(r'^([0-9-]{36})_\d+_(\d+)', r'\1_1_\2', s)  # a process id
        s = DATE.sub(r'2026-01-01T00:00:00.000000\1', s)
        s = re.sub(r'(ipykernel_)\d+', r'\1N', PATH.sub('/a/path', s))
        for name in (socket.gethostname(), os.environ.get('USER')):
            if name and len(name) > 3:
                s = s.replace(name, 'name')
        return s[:LONGEST] if short and len(s) > LONGEST else s

    def value(self, v, short):
        if isinstance(v, dict):
            return {self.text(k, False): self.value(x, short)
                    for k, x in v.items()}
        if isinstance(v, list):
            return [self.value(x, short) for x in v]
        return self.text(v, short) if isinstance(v, str) else v

    def message(self, m):
        short = m['from'] == 'kernel'
        kind = m['header']['msg_type']
        m = self.value(m, short)
        for h in (m['header'], m['parent_header']):
            if h.get('username'):
                h['username'] = 'name'
        c = m['content']
        if kind == 'usage_reply':
            m['content'] = numbers(c)
        if kind == 'complete_reply':  # hundreds of names are not needed
            c['matches'] = c['matches'][:3]
            rich = c.get('metadata', {}).get('_jupyter_types_experimental')
            if rich:
                del rich[3:]
        if kind == 'error' or c.get('status') == 'error':
            c['traceback'] = c.get('traceback', [])[-1:]
        return m


def numbers(v):
    """All figures and names of a machine, as none."""
    if isinstance(v, dict):
        return {k: numbers(x) for k, x in v.items()}
    if isinstance(v, list):
        return [numbers(x) for x in v]
    return v if isinstance(v, bool) or v is None else type(v)()


def keep(name, folder):
    """The logs of one client, in the order of their kernels, into data/."""
    scrubber = Scrubber()
    os.makedirs(DATA, exist_ok=True)
    logs = sorted(os.listdir(folder), key=lambda n: int(n.split('.')[0]))
    for k, log in enumerate(logs):
        path = os.path.join(DATA, name + (f'-{k + 1}' if k else '') + '.jsonl')
        with open(os.path.join(folder, log), encoding='utf-8') as f, \
                open(path, 'w', encoding='utf-8') as out:
            count = 0
            for line in f:
                json.dump(scrubber.message(json.loads(line)), out,
                          separators=(',', ':'))
                out.write('\n')
                count += 1
        print(f'{os.path.relpath(path)}: {count} messages')


class Home:
    """A home in which `python3` is ipykernel behind the proxy."""

    def __init__(self):
        self.path = tempfile.mkdtemp(prefix='record-')
        self.logs = os.path.join(self.path, 'logs')
        os.mkdir(self.logs)
        spec = os.path.join(self.path, 'data', 'kernels', 'python3')
        os.makedirs(spec)
        start = (f'n=$(ls {self.logs} | wc -l); exec {sys.executable} '
                 f'{os.path.abspath(__file__)} --proxy "$0" {self.logs}/$n.log')
        with open(os.path.join(spec, 'kernel.json'), 'w', encoding='utf-8') as f:
            json.dump({'argv': ['/bin/sh', '-c', start, '{connection_file}'],
                       'display_name': 'Python 3', 'language': 'python',
                       'interrupt_mode': 'message'}, f)
        self.env = {**{k: v for k, v in os.environ.items()
                       if not k.startswith(('XDG_', 'JUPYTER', 'JPY'))},
                    'HOME': self.path, 'LC_ALL': 'C.UTF-8',
                    'JUPYTER_DATA_DIR': os.path.join(self.path, 'data'),
                    'JUPYTER_PATH': os.path.join(self.path, 'data'),
                    'JUPYTER_RUNTIME_DIR': os.path.join(self.path, 'runtime'),
                    'JUPYTER_CONFIG_DIR': os.path.join(self.path, 'config'),
                    'IPYTHONDIR': os.path.join(self.path, 'ipython'),
                    'PATH': os.path.dirname(sys.executable) + ':' +
                    os.environ['PATH']}

    def close(self):
        shutil.rmtree(self.path, ignore_errors=True)


# -- the clients -------------------------------------------------------------------

def blocking(home):
    """Everything that jupyter_client offers, as nbclient, papermill and tests use
    it."""
    os.environ.update(home.env)
    from jupyter_client.manager import start_new_kernel
    manager, client = start_new_kernel(kernel_name='python3')

    def wait(request, channel='shell'):
        """Until the reply, and the idle on IOPub."""
        get = {'shell': client.get_shell_msg, 'control': client.get_control_msg}
        while True:
            m = get[channel](timeout=20)
            if m['parent_header'].get('msg_id') == request:
                break
        while True:
            m = client.get_iopub_msg(timeout=20)
            if (m['parent_header'].get('msg_id') == request and
                    m['content'].get('execution_state') == 'idle'):
                return

    def control(kind, content):
        m = client.session.msg(kind, content)
        client.control_channel.send(m)
        wait(m['header']['msg_id'], 'control')

    def shell(kind, content, reply=True):
        m = client.session.msg(kind, content)
        client.shell_channel.send(m)
        if reply:
            wait(m['header']['msg_id'])
        time.sleep(0.3)

    for name in ('value', 'assign', 'use', 'print', 'prints', 'stderr', 'quiet',
                 'error', 'empty', 'page', 'display', 'clear', 'list'):
        wait(client.execute(PYTHON[name], allow_stdin=False))
    wait(client.execute(PYTHON['use'], silent=True))
    wait(client.execute(PYTHON['print'], silent=True))
    wait(client.execute(PYTHON['error'], silent=True))
    wait(client.execute(PYTHON['use'], store_history=False))
    wait(client.execute(PYTHON['error'], store_history=False))
    wait(client.execute(PYTHON['assign'], user_expressions={
        'good': 'a + 2', 'bad': 'there_is_no_such_name'}))
    names = [client.execute(code, stop_on_error=stop) for stop, code in (
        (False, PYTHON['error']), (False, PYTHON['use']),
        (True, PYTHON['value']))]
    for name in names:
        wait(name)
    names = [client.execute(PYTHON[name]) for name in ('error', 'value', 'use')]
    for name in names:
        wait(name)
    time.sleep(0.5)
    for name, value in (('ask', 'somebody'), ('secret', 'word')):
        request = client.execute(PYTHON[name], allow_stdin=True)
        client.get_stdin_msg(timeout=20)
        client.input(value)
        wait(request)
    wait(client.execute(PYTHON['ask'], allow_stdin=False))
    for code in ('pri', 'nothing_like_this', 'x = 1; pri', '\U00028b4e = 10; pri'):
        wait(client.complete(code))
    for code, level in (('print', 0), ('print', 1), ('print(', 0),
                        ('no_such_name', 0)):
        wait(client.inspect(code, cursor_pos=len(code), detail_level=level))
    for code in ('a = 1', 'x = (1 +', 'for k in range(3):', 'x = )'):
        wait(client.is_complete(code))
    wait(client.history(hist_access_type='tail', n=4))
    wait(client.history(hist_access_type='tail', n=4, output=True))
    wait(client.history(hist_access_type='range', session=0, start=1, stop=4))
    wait(client.history(hist_access_type='search', pattern='a*', n=2,
                        unique=True))
    wait(client.history(hist_access_type='search', pattern='no such line*', n=2))
    wait(client.comm_info())
    wait(client.comm_info(target_name='jupyter.widget'))
    shell('connect_request', {})
    wait(client.kernel_info())
    shell('comm_open', {'comm_id': 'c1', 'target_name': 'nobody', 'data': {}},
          False)
    shell('comm_msg', {'comm_id': 'c1', 'data': {'x': 1}}, False)
    shell('comm_close', {'comm_id': 'c1', 'data': {}}, False)
    control('kernel_info_request', {})
    control('usage_request', {})
    control('debug_request', {'type': 'request', 'seq': 1, 'command':
                              'debugInfo', 'arguments': {}})
    control('interrupt_request', {})
    wait(client.execute(PYTHON['use']))
    request = client.execute(PYTHON['loop'])
    time.sleep(1)
    manager.interrupt_kernel()
    wait(request)
    wait(client.execute(PYTHON['use']))
    control('shutdown_request', {'restart': False})
    time.sleep(1)
    client.stop_channels()
    manager.cleanup_resources()


def console(home):
    """jupyter console, at a terminal."""
    text = ''
    pid, fd = pty.fork()
    if not pid:
        os.execvpe('jupyter', ['jupyter', 'console', '--kernel', 'python3',
                               '--simple-prompt'], home.env)

    def wait(pattern):
        nonlocal text
        end = time.monotonic() + 60
        while not re.search(pattern, text, re.S):
            assert time.monotonic() < end, f'no {pattern!r} in {text[-500:]!r}'
            if select.select([fd], [], [], 1)[0]:
                try:
                    text += os.read(fd, 65536).decode('utf-8', 'replace')
                except OSError:
                    text += '<end>'
        text = ''

    def enter(line, prompt):
        os.write(fd, (line + '\n').encode())
        wait(prompt)

    wait(r'In \[1\]:')
    for n, name in enumerate(('value', 'assign', 'use', 'print', 'error')):
        enter(PYTHON[name], rf'In \[{n + 2}\]:')
    enter(PYTHON['ask'], r'who\? ')
    enter('somebody', r'In \[7\]:')
    enter(PYTHON['loop'], r'pass')
    time.sleep(1.5)
    os.write(fd, b'\x03')
    wait(r'In \[8\]:')
    enter(PYTHON['use'], r'In \[9\]:')
    enter('exit', '<end>')
    os.waitpid(pid, 0)


def lab(home):
    """JupyterLab in a browser: a notebook, then a console of its own."""
    from playwright.sync_api import sync_playwright
    work = os.path.join(home.path, 'work')
    os.mkdir(work)
    names = ('value', 'assign', 'use', 'print', 'prints', 'display', 'page',
             'error', 'value')
    cells = [{'cell_type': 'code', 'id': f'c{k}', 'metadata': {}, 'outputs': [],
              'source': PYTHON[name], 'execution_count': None}
             for k, name in enumerate(names)]
    with open(os.path.join(work, 'record.ipynb'), 'w', encoding='utf-8') as f:
        json.dump({'cells': cells, 'nbformat': 4, 'nbformat_minor': 5,
                   'metadata': {'kernelspec': {
                       'name': 'python3', 'language': 'python',
                       'display_name': 'Python 3'}}}, f)
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        port = probe.getsockname()[1]
    token = secrets.token_hex(16)
    server = subprocess.Popen(
        ['jupyter-lab', '--no-browser', '--allow-root', '--ip=127.0.0.1',
         f'--port={port}', '--notebook-dir=' + work,
         '--expose-app-in-browser'], env={**home.env, 'JUPYTER_TOKEN': token},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True)
    try:
        with sync_playwright() as player:
            browser = player.chromium.launch(
                executable_path=shutil.which('chromium'),
                args=['--no-sandbox', '--disable-gpu'])
            page = browser.new_page(viewport={'width': 1200, 'height': 900})
            address = f'http://127.0.0.1:{port}/lab/tree/record.ipynb'
            for _ in range(120):
                try:
                    page.goto(f'{address}?token={token}&reset')
                    break
                except Exception:
                    time.sleep(0.5)
            drive_lab(page)
            browser.close()
    finally:
        server.terminate()
        server.wait(20)


def drive_lab(page):
    def command(name, wait=1.5):
        page.evaluate('name => { window.jupyterapp.commands.execute(name); }',
                      name)
        time.sleep(wait)

    def idle(timeout=30000):
        page.locator('.jp-StatusBar-Widget', has_text='| Idle').first.wait_for(
            timeout=timeout)

    def cell(code):
        """Writes into the last cell and puts the cursor behind it."""
        page.locator('.jp-Notebook:visible .jp-CodeCell .cm-content').last.click()
        page.keyboard.press('Control+a')
        page.keyboard.press('Delete')
        page.keyboard.insert_text(code)
        time.sleep(0.3)

    page.wait_for_function('() => window.jupyterapp')
    page.locator('.jp-Notebook .cm-content').first.wait_for(timeout=60000)
    idle(60000)
    command('notebook:run-all-cells', 6)
    cell('pri')
    command('completer:invoke-notebook')
    page.keyboard.press('Escape')
    cell('print(')
    command('tooltip:launch-notebook')
    page.keyboard.press('Escape')
    cell(PYTHON['ask'])
    page.keyboard.press('Control+Enter')
    box = page.locator('.jp-Stdin-input')
    box.wait_for(timeout=20000)
    box.fill('somebody')
    box.press('Enter')
    time.sleep(1)
    cell(PYTHON['loop'])
    page.keyboard.press('Control+Enter')
    time.sleep(1.5)
    command('notebook:interrupt-kernel', 2)
    cell(PYTHON['use'])
    page.keyboard.press('Control+Enter')
    time.sleep(1.5)
    command('notebook:restart-kernel')
    page.locator('.jp-Dialog .jp-mod-accept').click(timeout=20000)
    time.sleep(3)
    idle(60000)
    cell(PYTHON['value'])
    page.keyboard.press('Control+Enter')
    time.sleep(2)
    command('kernelmenu:shutdown', 3)


def main():
    if sys.argv[1:2] == ['--proxy']:
        Proxy(*sys.argv[2:4]).run()
        return 0
    clients = {'blocking': blocking, 'console': console, 'lab': lab}
    if len(sys.argv) != 2 or sys.argv[1] not in clients:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    home = Home()
    try:
        clients[sys.argv[1]](home)
        keep(sys.argv[1], home.logs)
    finally:
        home.close()
    return 0


if __name__ == '__main__':
    sys.exit(main())
