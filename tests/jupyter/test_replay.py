#!/usr/bin/python3
"""Traffic of Jupyter's own clients with ipykernel (data/*.jsonl, made by record.py),
sent again to fusible-kernel: whatever the clients sent is sent byte for byte but for
the code, the date and the ids of our messages, in the same order and not sooner; each
message that ipykernel answered with is held against ours: channel, type, order, parent
header, fields and their types. What differs on purpose stands in DIFFERENT with its
reason, and each line of that table must come about.
usage: test_replay.py [FILE]"""
import peers  # noqa: F401, first: it changes the Python that runs this
import collections
import datetime
import glob
import json
import os
import re
import shutil
import sys
import tempfile
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from cells import FUSIBLE  # noqa: E402
from client import DELIMITER, Client, Kernel  # noqa: E402
from score import Score  # noqa: E402

# (message, path in it): why ours is not as ipykernel's.
DIFFERENT = {
    ('kernel_info_reply', 'content.language_info.codemirror_mode'):
        'the specification allows a name or an object',
    ('kernel_info_reply', 'content.help_links'): 'ours has pages only where a site has put some',
    ('execute_reply', 'metadata.engine'): 'of ipyparallel',
    ('execute_reply', 'metadata.status'): 'of ipyparallel',
    ('execute_reply', 'content.engine_info'): 'of ipyparallel',
}
# Kinds of a value that may have any form, or keys of its own.
OPEN = {'content.data', 'content.metadata', 'content.traceback',
        'content.payload', 'content.history', 'content.comms',
        'content.transient', 'content.body', 'content.supported_features',
        'content.matches', 'content.user_expressions'}
PAUSE = 0.25       # seconds that a client was silent for, and is here too
# What both languages write alike, and so must show alike.
SAME = ('6*7', 'a + 2', 'print("hello, world")')
hit = collections.Counter()


def kind(v):
    """Of a JSON value; integers are numbers that need no point."""
    if isinstance(v, bool) or v is None:
        return 'bool' if v is not None else 'null'
    return {int: 'number', float: 'number', str: 'text', dict: 'object',
            list: 'list'}[type(v)]


def compare(theirs, ours, name, path, wrong):
    """Everything that theirs has, ours has, of the same kind."""
    if (name, path) in DIFFERENT:
        hit[name, path] += 1
        return
    if kind(theirs) != kind(ours):
        wrong.append(f'{name} {path}: {kind(theirs)} there, {kind(ours)} here')
        return
    if path in OPEN:
        compare_open(theirs, ours, name, path, wrong)
    elif isinstance(theirs, dict):
        for key, value in theirs.items():
            at = f'{path}.{key}'
            if (name, at) in DIFFERENT:
                hit[name, at] += 1
            elif key not in ours:
                wrong.append(f'{name} {at}: missing')
            else:
                compare(value, ours[key], name, at, wrong)
    elif isinstance(theirs, list) and theirs:
        if not ours:
            wrong.append(f'{name} {path}: empty')
        else:
            compare(theirs[0], ours[0], name, path + '[]', wrong)


def compare_open(theirs, ours, name, path, wrong):
    """The few things that hold for the open forms."""
    if bool(theirs) != bool(ours) and path not in (
            'content.metadata', 'content.supported_features'):
        wrong.append(f'{name} {path}: {theirs!r:.80} there, {ours!r:.80} here')
    elif path == 'content.data':
        if theirs and 'text/plain' not in ours:
            wrong.append(f'{name} {path}: no text/plain')
        if 'text/html' in theirs and 'text/html' not in ours:
            wrong.append(f'{name} {path}: no text/html')
    elif path == 'content.history':
        if theirs and [kind(x) for x in theirs[0]] != [kind(x) for x in ours[0]]:
            wrong.append(f'{name} {path}: {theirs[0]} there, {ours[0]} here')
    elif path == 'content.transient':
        if theirs.keys() - ours.keys():
            wrong.append(f'{name} {path}: {theirs} there, {ours} here')
    elif path == 'content.user_expressions':
        if {k: v['status'] for k, v in theirs.items()} != {
                k: v['status'] for k, v in ours.items()}:
            wrong.append(f'{name} {path}: {theirs} there, {ours} here')
    elif path == 'content.payload':
        if [p['source'] for p in theirs] != [p['source'] for p in ours]:
            wrong.append(f'{name} {path}: {theirs} there, {ours} here')


def milestone(m):
    """What a client may have waited for before it sent its next message."""
    return (m['header']['msg_type'] in (
        'input_request', 'execute_input') or
        m['header']['msg_type'].endswith('_reply') or
        m['content'].get('execution_state') == 'idle')


def request_of(header):
    """What tells a request from all others: jupyter_client's manager numbers its
    requests as its client does."""
    return header.get('msg_id'), header.get('msg_type')


class Replay:
    def __init__(self, kernel, log):
        self.log = log
        self.watcher = Client(kernel.connection)
        self.peers = {}
        self.kernel = kernel
        self.sent = {}     # the request -> its header's text as we sent it
        self.asked = {}    # their id of an input_request -> our message
        self.seen = []     # what has come
        self.now = None    # the date of the last request

    def client(self, peer):
        if peer not in self.peers:
            self.peers[peer] = Client(self.kernel.connection, subscribe=False)
        return self.peers[peer]

    def close(self):
        for c in (self.watcher, *self.peers.values()):
            c.close()

    def take(self, timeout):
        for c in (self.watcher, *self.peers.values()):
            while (m := c.receive(0)):
                self.seen.append(m)
        if timeout:
            time.sleep(timeout)

    def await_all(self, expected, seconds):
        """Until each of these pairs (request, type) has come."""
        end = time.monotonic() + seconds
        while True:
            self.take(0)
            have = collections.Counter(
                (request_of(m.parent), word(m.type, m.content))
                for m in self.seen)
            missing = expected - have
            if not missing:
                return missing
            if time.monotonic() > end:
                return missing
            self.take(0.002)

    def send(self, m, at_once=False):
        """At once: as if it had left before the last one was looked at."""
        if not at_once:
            self.now = datetime.datetime.now(datetime.timezone.utc)
        date = self.now - datetime.timedelta(milliseconds=5 * at_once)
        header = {**m['header']}
        if 'date' in header:
            header['date'] = date.strftime('%Y-%m-%dT%H:%M:%S.%fZ')
        content = {**m['content']}
        if 'code' in content:
            code = FUSIBLE.get(content['code'], content['code'])
            if content.get('cursor_pos') == len(content['code']):
                content['cursor_pos'] = len(code)
            content['code'] = code
        parent = m['parent_header']
        if m['header']['msg_type'] == 'input_reply' and parent:
            parent = self.asked[parent['msg_id']].header
        c = self.client(m['peer'])
        parts = [json.dumps(p, ensure_ascii=False).encode()
                 for p in (header, parent, m['metadata'], content)]
        self.sent[request_of(header)] = parts[0]
        c.sockets[m['channel']].send_multipart(
            [DELIMITER, c.sign(parts), *parts])

    def run(self, score, name):
        expected, last = collections.Counter(), 0
        aborted = {request_of(m['parent_header']) for m in self.log
                   if m['content'].get('status') == 'aborted'}
        self.watcher.receive(5)  # the welcome: it is subscribed
        for m in self.log:
            parent = request_of(m['parent_header'])
            if m['from'] == 'kernel':
                last = m['at']
                if parent in self.sent and milestone(m):
                    expected[parent, word(m['header']['msg_type'],
                                          m['content'])] += 1
                if m['header']['msg_type'] == 'input_request':
                    missing = self.await_all(expected, 20)
                    score.check(not missing, f'{name}: asks', missing)
                    self.asked[m['header']['msg_id']] = next(
                        s for s in reversed(self.seen)
                        if s.type == 'input_request')
                continue
            if request_of(m['header']) in aborted:
                self.send(m, at_once=True)  # nothing had failed yet
                continue
            missing = self.await_all(expected, 20)
            if not score.check(not missing, f'{name}: goes on',
                               f'{list(missing)[:4]} before '
                               f'{m["header"]["msg_type"]}'):
                expected -= missing
            if m['at'] - last > PAUSE:
                self.take(PAUSE)
            self.send(m)
        missing = self.await_all(expected, 20)
        score.check(not missing, f'{name}: ends', list(missing))
        self.take(0.2)
        self.take(0)


def word(kind_, content):
    return content['execution_state'] if kind_ == 'status' else kind_


def course(messages):
    """Types in their order, where a stream that goes on is one. The clients run
    nothing that takes long enough for a bar."""
    out = []
    for channel, w, name in messages:
        if w == 'stream':
            w += ':' + name
            if out and out[-1] == (channel, w):
                continue
        out.append((channel, w))
    return out


def judge(score, name, replay):
    theirs, ours = {}, {}
    for m in replay.log:
        parent = request_of(m['parent_header'])
        if m['from'] == 'kernel' and parent in replay.sent:
            theirs.setdefault(parent, []).append(m)
    for m in replay.seen:
        parent = request_of(m.parent)
        if m.parent:
            ours.setdefault(parent, []).append(m)
        if parent in replay.sent:
            score.check(m.raw[1] == replay.sent[parent],
                        f'{name}: the parent header as it was sent', repr(m))
    heard = False
    for m in replay.log:
        # the clients subscribe when the first requests are on their way
        heard |= m['channel'] == 'iopub'
        request = request_of(m['header'])
        if m['from'] != 'client' or m['header']['msg_type'] == 'input_reply':
            continue
        there, here = theirs.get(request, []), ours.get(request, [])
        if not heard and not any(t['channel'] == 'iopub' for t in there):
            here = [h for h in here if h.channel != 'iopub']
        judge_request(score, f'{name}: {m["header"]["msg_type"]} '
                      f'{m["content"].get("code", "")!r:.40}', m, there, here)
    strays = [m for m in replay.seen if m.parent and
              request_of(m.parent) not in replay.sent]
    score.check(not strays, f'{name}: nothing else comes', strays)


def unheard(request, m):
    """What ipykernel publishes and we do not, on purpose."""
    kind_ = m['header']['msg_type']
    if request['content'].get('silent'):
        # the specification: silent code broadcasts nothing
        return kind_ in ('stream', 'error')
    if kind_ == 'update_display_data':
        return True  # of a quick block both times are known when it is first shown
    # ipykernel's log, which it captures
    return request['header']['msg_type'].startswith('comm_') and kind_ == 'stream'


def text_of(messages, content):
    return ''.join(content(m).get('text', '') +
                   content(m).get('data', {}).get('text/plain', '')
                   for m in messages)


def judge_request(score, case, request, theirs, ours):
    theirs = [m for m in theirs if not unheard(request, m)]
    if request['content'].get('code') in SAME:
        a = text_of(theirs, lambda m: m['content'])
        b = text_of(ours, lambda m: m.content)
        score.check(a == b, f'{case}: the same output', f'{a!r} there, {b!r} here')
    for channel in ('shell', 'control', 'stdin', 'iopub'):
        there = [m for m in theirs if m['channel'] == channel]
        here = [m for m in ours if m.channel == channel]
        a = course((channel, word(m['header']['msg_type'], m['content']),
                    m['content'].get('name')) for m in there)
        b = course((channel, word(m.type, m.content), m.content.get('name'))
                   for m in here)
        if not score.check(a == b, case, f'there {a}\nhere  {b}'):
            continue
        by_type = {}
        for m in here:
            by_type.setdefault(m.type, []).append(m)
        for m in there:
            kind_ = m['header']['msg_type']
            mine = by_type[kind_][0]
            if len(by_type[kind_]) > 1:
                by_type[kind_].pop(0)
            wrong = []
            if m['content'].get('status') == 'aborted':
                # deprecated by the specification: an error instead
                score.check(mine.content['status'] == 'error' and
                            mine.content['ename'] == 'Aborted', case)
                continue
            for part, other in (('header', mine.header),
                                ('metadata', mine.metadata),
                                ('content', mine.content)):
                compare(m[part], other, kind_, part, wrong)
            if m['content'].get('status') != mine.content.get('status'):
                wrong.append(f'{kind_}: {m["content"].get("status")} there, '
                             f'{mine.content} here')
            score.check(not wrong, f'{case}: {kind_}', '\n'.join(wrong))


def main():
    score = Score()
    given = sys.argv[1:]
    paths = given or sorted(
        glob.glob(os.path.join(HERE, 'data', '*.jsonl')),
        key=lambda p: [int(w) if w.isdigit() else w
                       for w in re.split(r'[-.]', os.path.basename(p))[:2]
                       if w != 'jsonl'])
    home = None
    for path in paths:
        name = os.path.basename(path)
        if not re.search(r'-\d+\.', name) or not home:  # else it was restarted
            if home:
                shutil.rmtree(home)
            home = tempfile.mkdtemp(prefix='fusible-replay-')
        with open(path, encoding='utf-8') as f:
            log = [json.loads(line) for line in f]
        try:
            with Kernel(home=home) as k:
                replay = Replay(k, log)
                replay.run(score, name)
                judge(score, name, replay)
                k.process.wait(5)
                score.check(k.process.returncode == 0, f'{name}: ends well')
                replay.close()
        except Exception:
            score.check(False, name, traceback.format_exc())
    shutil.rmtree(home)
    for key in DIFFERENT:
        score.check(hit[key] or given, f'{key} is not needed any more')
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
