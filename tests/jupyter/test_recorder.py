#!/usr/bin/python3
"""Two clients send requests of all kinds at once, as fast as they are answered, and
everything that comes back is recorded: exactly one busy and one idle and one reply
for each request, output before reply before idle, nothing after it.
usage: test_recorder.py [MESSAGES]"""
import peers  # noqa: F401, first: it changes the Python that runs this
import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import zmq  # noqa: E402
from client import Kernel, Message  # noqa: E402
from score import Score  # noqa: E402

MESSAGES = int(sys.argv[1]) if len(sys.argv) > 1 else 100000
WINDOW = 24  # requests of a client that wait for an answer

EXECUTE = [('6*7', ['execute_result']), ('a = 1;', []), ('', []),
           ('print("a")\nprint("b")', ['stream']),
           ('x = nowhere_at_all', ['error']), ('?rand', []),
           ('a = 1\nb = 2', ['display_data', 'execute_result']),
           ('q = rand(8, 8)*rand(8);', ['display_data'])]
OTHERS = [('complete_request', {'code': 'ra', 'cursor_pos': 2}),
          ('inspect_request', {'code': 'rand', 'cursor_pos': 2,
                               'detail_level': 0}),
          ('is_complete_request', {'code': 'x = ('}),
          ('history_request', {'hist_access_type': 'tail', 'n': 2}),
          ('comm_info_request', {}), ('kernel_info_request', {}),
          ('connect_request', {}), ('no_such_request', {}),
          ('comm_msg', {'comm_id': 'x', 'data': {}})]
CONTROL = [('kernel_info_request', {}), ('usage_request', {}),
           ('interrupt_request', {}),
           ('debug_request', {'type': 'request', 'seq': 1,
                              'command': 'inspectVariables'})]
WITHOUT_REPLY = ('no_such_request', 'comm_msg')


class Recorder:
    def __init__(self, client):
        self.client = client
        self.asked = {}     # id -> (kind, outputs)
        self.iopub = {}     # id -> messages in their order
        self.replies = {}   # id -> messages
        self.open = set()
        self.count = 0

    def ask(self, chance):
        draw = chance.random()
        if draw < 0.45:
            code, outputs = chance.choice(EXECUTE)
            silent = chance.random() < 0.1
            name = self.client.execute_request(
                code, silent=silent, stop_on_error=False)
            self.asked[name] = ('execute_request', [] if silent else outputs)
        else:
            channel = 'shell' if draw < 0.85 else 'control'
            kind, content = chance.choice(OTHERS if channel == 'shell'
                                          else CONTROL)
            name = self.client.send(kind, content, channel)
            self.asked[name] = (kind, [])
        self.open.add(name)
        self.count += 1

    def take(self):
        """What has come, without waiting."""
        for channel in ('iopub', 'shell', 'control'):
            s = self.client.sockets[channel]
            while True:
                try:
                    m = Message(channel, s.recv_multipart(zmq.DONTWAIT))
                except zmq.Again:
                    break
                self.count += 1
                name = m.parent.get('msg_id')
                where = self.iopub if channel == 'iopub' else self.replies
                where.setdefault(name, []).append(m)
                if name in self.open and self.is_over(name):
                    self.open.remove(name)

    def is_over(self, name):
        last = self.iopub.get(name, [])
        return (any(m.content.get('execution_state') == 'idle' for m in last) and
                (name in self.replies or self.asked[name][0] in WITHOUT_REPLY))


def judge(score, recorder, other, signatures):
    for name, (kind, outputs) in recorder.asked.items():
        seen = recorder.iopub.get(name, [])
        replies = recorder.replies.get(name, [])
        words = [m.content['execution_state'] if m.type == 'status' else m.type
                 for m in seen]
        case = f'{kind}: {words}, {len(replies)} replies'
        ok = words.count('busy') == 1 and words.count('idle') == 1
        ok = ok and words[0] == 'busy' and words[-1] == 'idle'
        ok = ok and len(replies) == (kind not in WITHOUT_REPLY)
        inner = [w for k, w in enumerate(words[1:-1])
                 if w != 'execute_input' and (w, words[k]) != 2*('stream',)]
        if replies and replies[0].content.get('ename') == 'interrupted':
            ok = ok and (inner[-1:] == ['error'] or not inner)
        else:
            ok = ok and inner == outputs
        if ok and replies:
            reply = replies[0].header['date']
            ok = seen[-2].header['date'] <= reply <= seen[-1].header['date']
            if kind != 'execute_request':
                ok = reply <= seen[-1].header['date']
        # both clients see the same on IOPub
        ok = ok and [m.header['msg_id'] for m in other.iopub.get(name, [])] == [
            m.header['msg_id'] for m in seen]
        score.check(ok, case)
        for m in seen + replies:
            if m.signature in signatures:
                score.check(False, f'a signature came twice: {m}')
            signatures.add(m.signature)


def main():
    score = Score()
    chance = random.Random(4)
    with Kernel() as k, k.client() as c, k.client() as d:
        c.ready()
        d.ready()
        while c.receive(0.2):
            pass
        a, b = Recorder(c), Recorder(d)
        poller = zmq.Poller()
        for r in (a, b):
            for name in ('iopub', 'shell', 'control'):
                poller.register(r.client.sockets[name], zmq.POLLIN)
        while a.count + b.count < MESSAGES:
            for r in (a, b):
                while len(r.open) < WINDOW:
                    r.ask(chance)
            if not poller.poll(20000):
                break
            a.take()
            b.take()
        while poller.poll(1500):
            a.take()
            b.take()
        score.check(not a.open and not b.open, 'all requests are answered',
                    f'open: {[r.asked[n] for r in (a, b) for n in r.open][:9]}')
        score.check(a.count + b.count >= MESSAGES, 'enough messages')
        signatures = set()
        judge(score, a, b, signatures)
        judge(score, b, a, signatures)
        strays = [m for r in (a, b) for n, ms in r.iopub.items()
                  for m in ms if n not in a.asked and n not in b.asked]
        score.check(not [m for m in strays if m.type != 'iopub_welcome' and
                         m.parent], f'messages of nobody: {strays[:5]}')
        score.check(k.alive(), 'the kernel is there')
        print(f'{a.count + b.count} messages')
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
