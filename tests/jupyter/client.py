"""A small client of the kernel, close to the wire: what is sent can be wrong in any
way, and everything that comes back is kept in the order in which it came."""
import hashlib
import hmac
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
import uuid

import zmq

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from score import Score, await_work  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
BUILD = os.environ.get('BUILD', os.path.join(ROOT, 'build'))
PROGRAM = os.path.join(os.path.abspath(BUILD), 'fusible-kernel')
CHANNELS = ('shell', 'iopub', 'stdin', 'control', 'hb')
DELIMITER = b'<IDS|MSG>'


def free_ports(n):
    sockets = [socket.socket() for _ in range(n)]
    for s in sockets:
        s.bind(('127.0.0.1', 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Kernel:
    """A kernel process with a connection file of its own and a home of its own."""

    def __init__(self, key=None, args=(), connection=None, transport='tcp',
                 home=None, **env):
        self.home = home or tempfile.mkdtemp(prefix='fusible-kernel-')
        self.own_home = home is None
        self.connection = {
            'transport': transport, 'ip': '127.0.0.1',
            'signature_scheme': 'hmac-sha256',
            'key': uuid.uuid4().hex if key is None else key}
        if transport == 'ipc':
            self.connection['ip'] = os.path.join(self.home, 'k')
        for name, port in zip(CHANNELS, free_ports(5) if transport == 'tcp'
                              else range(1, 6)):
            self.connection[name + '_port'] = port
        self.connection.update(connection or {})
        self.connection = {name: value for name, value in
                           self.connection.items() if value is not None}
        self.path = os.path.join(self.home, 'connection.json')
        with open(os.open(self.path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC,
                          0o600), 'w', encoding='utf-8') as f:
            json.dump(self.connection, f)
        environment = {k: v for k, v in os.environ.items()
                       if not k.startswith(('FUSIBLE', 'XDG_', 'JPY_'))}
        environment.update(HOME=self.home, FUSIBLE_TARGET='cpu')
        environment.update(env)
        self.log = open(os.path.join(self.home, 'log'), 'w+',
                        encoding='utf-8')
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            [PROGRAM, *args, '-f', self.path], env=environment,
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
            start_new_session=True)

    def client(self, **options):
        return Client(self.connection, **options)

    def said(self):
        self.log.flush()
        with open(self.log.name, encoding='utf-8', errors='replace') as f:
            return f.read()

    def alive(self):
        return self.process.poll() is None

    def worker(self):
        """The process id of the session's process; None if there is none."""
        path = f'/proc/{self.process.pid}/task'
        for task in os.listdir(path):
            with open(f'{path}/{task}/children', encoding='ascii') as f:
                for child in f.read().split():
                    return int(child)
        return None

    def at_work(self):
        """Waits until the session's process computes; gives it."""
        worker = await_work(self.worker)
        if not worker:
            raise Failure('nothing runs')
        return worker

    def stop(self):
        if self.alive():
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        said = self.said()
        self.log.close()
        if 'Sanitizer' in said or 'runtime error:' in said:
            raise Failure(said)
        if self.own_home:
            shutil.rmtree(self.home, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


class Message:
    def __init__(self, channel, frames):
        at = frames.index(DELIMITER)
        self.channel = channel
        self.topic = frames[:at]
        self.signature = frames[at + 1]
        self.raw = frames[at + 2:at + 6]
        self.header, self.parent, self.metadata, self.content = (
            json.loads(f) for f in self.raw)
        self.type = self.header['msg_type']
        self.at = time.monotonic()

    def __repr__(self):
        return f'{self.channel}:{self.type} {str(self.content)[:300]}'


class Failure(Exception):
    pass


class Client:
    def __init__(self, connection, identity=None, subscribe=True,
                 server_key=None, keys=None):
        self.connection = connection
        self.key = connection['key'].encode()
        self.hash = getattr(hashlib, connection['signature_scheme'][len('hmac-'):])
        self.session = uuid.uuid4().hex
        self.identity = identity or uuid.uuid4().hex.encode()
        self.context = zmq.Context()
        self.sockets = {}
        self.sent = 0
        self.stray = []          # what came and was not waited for
        kinds = {'shell': zmq.DEALER, 'stdin': zmq.DEALER,
                 'control': zmq.DEALER, 'iopub': zmq.SUB, 'hb': zmq.REQ}
        for name, kind in kinds.items():
            s = self.context.socket(kind)
            s.setsockopt(zmq.LINGER, 0)
            s.setsockopt(zmq.RCVHWM, 0)
            s.setsockopt(zmq.SNDHWM, 0)
            if kind == zmq.DEALER:
                s.setsockopt(zmq.IDENTITY, self.identity)
            if server_key:
                s.curve_serverkey = server_key
                s.curve_publickey, s.curve_secretkey = keys
            if kind == zmq.SUB and subscribe:
                s.setsockopt(zmq.SUBSCRIBE, b'')
            if name == 'stdin':
                self.met = s.get_monitor_socket(zmq.EVENT_HANDSHAKE_SUCCEEDED)
            s.connect(self.address(name))
            self.sockets[name] = s
        self.poller = zmq.Poller()
        for name in ('shell', 'iopub', 'stdin', 'control'):
            self.poller.register(self.sockets[name], zmq.POLLIN)
        self.names = {s: n for n, s in self.sockets.items()}

    def address(self, name):
        c = self.connection
        dash = '-' if c['transport'] == 'ipc' else ':'
        return f'{c["transport"]}://{c["ip"]}{dash}{c[name + "_port"]}'

    def close(self):
        self.context.destroy(0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # -- sending ---------------------------------------------------------------

    def sign(self, parts):
        if not self.key:
            return b''
        mac = hmac.new(self.key, digestmod=self.hash)
        for part in parts:
            mac.update(part)
        return mac.hexdigest().encode()

    def frames(self, kind, content, metadata=None, parent=None, **header):
        self.sent += 1
        header = {'msg_id': f'{self.session}_{self.sent}',
                  'session': self.session, 'username': 'test',
                  'date': '2026-01-01T00:00:00.000000Z', 'msg_type': kind,
                  'version': '5.3', **header}
        parts = [json.dumps(p).encode()
                 for p in (header, parent or {}, metadata or {}, content)]
        return header['msg_id'], [DELIMITER, self.sign(parts), *parts]

    def send(self, kind, content=None, channel='shell', **more):
        name, frames = self.frames(kind, content or {}, **more)
        self.sockets[channel].send_multipart(frames)
        return name

    def execute_request(self, code, **options):
        content = {'code': code, 'silent': False, 'store_history': True,
                   'user_expressions': {}, 'allow_stdin': False,
                   'stop_on_error': True, **options}
        return self.send('execute_request', content)

    # -- receiving -------------------------------------------------------------

    def receive(self, timeout=600):
        """The next message of any channel, or None."""
        for s, _ in self.poller.poll(timeout * 1000):
            frames = s.recv_multipart()
            m = Message(self.names[s], frames)
            if self.key and m.signature != self.sign(m.raw):
                raise Failure(f'wrong signature: {m}')
            return m
        return None

    def collect(self, request, timeout=600, reply=True, settle=0.0,
                answered_only=False):
        """All messages whose parent is the request, until reply and idle: also
        those that came while another request was waited for."""
        got, answered, idle = [], not reply, answered_only
        early = [m for m in self.stray if m.parent.get('msg_id') == request]
        self.stray = [m for m in self.stray if m not in early]
        end = time.monotonic() + timeout
        while early or not (answered and idle):
            m = (early.pop(0) if early
                 else self.receive(max(0, end - time.monotonic())))
            if m is None:
                raise Failure(f'no {"idle" if answered else "reply"} within '
                              f'{timeout} s; got {got}')
            if m.parent.get('msg_id') != request:
                self.stray.append(m)
                continue
            got.append(m)
            answered |= m.channel in ('shell', 'control')
            idle |= (m.type == 'status' and
                     m.content['execution_state'] == 'idle')
        while settle and (m := self.receive(settle)):
            (got if m.parent.get('msg_id') == request
             else self.stray).append(m)
        return got

    def ask(self, kind, content=None, channel='shell', timeout=600, **more):
        """(content of the reply, all messages)"""
        got = self.collect(self.send(kind, content, channel, **more), timeout)
        return next(m for m in got if m.channel == channel).content, got

    def execute(self, code, timeout=600, **options):
        """(reply, outputs): what is not status or execute_input."""
        got = self.collect(self.execute_request(code, **options), timeout)
        reply = next(m for m in got if m.channel == 'shell')
        return reply.content, [m for m in got if m.channel == 'iopub' and
                               m.type not in ('status', 'execute_input')]

    def ready(self, timeout=600):
        """Waits until the kernel answers, and this client is subscribed. Gives the
        seconds that it took."""
        began = time.monotonic()
        welcome = False
        name = self.send('kernel_info_request')
        answered = False
        while not (answered and welcome):
            m = self.receive(timeout)
            if m is None:
                raise Failure('the kernel does not answer')
            welcome |= m.type == 'iopub_welcome'
            answered |= m.type == 'kernel_info_reply'
        took = time.monotonic() - began
        while self.receive(0.05):
            pass
        # A question that is asked before this client can be asked would be lost.
        if not self.met.poll(timeout * 1000):
            raise Failure('stdin is not connected')
        del name
        return took

    def beat(self, timeout=600):
        """Seconds that an echo takes."""
        s = self.sockets['hb']
        began = time.monotonic()
        s.send(b'ping')
        if not s.poll(timeout * 1000):
            raise Failure('no heartbeat')
        s.recv()
        return time.monotonic() - began


def text_of(outputs, stream='stdout'):
    return ''.join(m.content['text'] for m in outputs
                   if m.type == 'stream' and m.content['name'] == stream)


def run_tests(names):
    """Runs every `test_...(kernel, client)` of the module's names against one kernel, those
    whose name has the first argument in it; gives the exit status."""
    score = Score()
    pattern = sys.argv[1] if len(sys.argv) > 1 else ''
    with Kernel() as k, k.client() as c:
        c.ready()
        for name, test in list(names.items()):
            if not name.startswith('test_') or pattern not in name:
                continue
            try:
                test(k, c)
                score.check(k.alive(), f'{name}: the kernel is gone')
            except Exception:
                score.check(False, name, traceback.format_exc())
                c.stray.clear()
                if k.alive():
                    c.send('interrupt_request', channel='control')
                while c.receive(0.3):
                    pass
    return score.close()
