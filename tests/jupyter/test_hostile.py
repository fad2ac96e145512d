#!/usr/bin/python3
"""Somebody who can reach the ports and has no key, or has a recording: nothing that
is sent is run, the kernel stays, and a cell of its own user is answered soon.
usage: test_hostile.py [MESSAGES]"""
import peers  # noqa: F401, first: it changes the Python that runs this
import multiprocessing
import os
import random
import socket
import statistics
import struct
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import zmq  # noqa: E402
from client import DELIMITER, Client, Kernel  # noqa: E402
from score import Score  # noqa: E402

MESSAGES = int(sys.argv[1]) if len(sys.argv) > 1 else 100000
EVIL = 'hits = hits + 1;'
CONTENT = {'code': EVIL, 'silent': False, 'store_history': True,
           'user_expressions': {}, 'allow_stdin': False, 'stop_on_error': True}


def forged(c, chance):
    _, frames = c.frames('execute_request', CONTENT)
    frames[1] = bytes(chance.choice(b'0123456789abcdef') for _ in range(64))
    return frames


def wrong_key(c, chance):
    key, c.key = c.key, b'another key'
    _, frames = c.frames('execute_request', CONTENT)
    c.key = key
    return frames


def unsigned(c, chance):
    _, frames = c.frames('execute_request', CONTENT)
    frames[1] = chance.choice([b'', b'0' * 63, b'0' * 65, b'\0' * 64])
    return frames


def changed(c, chance):
    """The user's own message, with one byte changed."""
    _, frames = c.frames('execute_request', CONTENT)
    k = chance.choice([2, 3, 4, 5])
    at = chance.randrange(len(frames[k]))
    frames[k] = (frames[k][:at] + bytes([frames[k][at] ^ 1 << chance.randrange(8)])
                 + frames[k][at + 1:])
    return frames


def truncated(c, chance):
    _, frames = c.frames('execute_request', CONTENT)
    return frames[:chance.randrange(1, 6)]


def many_frames(c, chance):
    _, frames = c.frames('execute_request', CONTENT)
    return (chance.randrange(60, 300) * [b'x']) + frames


def nested(c, chance):
    """Signed: only who has the key gets as far as the JSON reader."""
    depth = chance.choice([65, 1000, 100000])
    parts = [b'{"msg_id":"%d","msg_type":"execute_request"}'
             % chance.randrange(1 << 60), b'{}', b'{}',
             b'{"code":"hits = hits + 1;","a":' + depth * b'[' + depth * b']' + b'}']
    return [DELIMITER, c.sign(parts), *parts]


def no_json(c, chance):
    parts = [b'{"msg_id":"%d","msg_type":"execute_request"}'
             % chance.randrange(1 << 60), b'{}', b'{}',
             chance.choice([b'', b'{', b'[]', b'{"code":"\xff"}', b'null',
                            b'{"code":"hits = hits + 1;"', b'{"code":NaN}'])]
    return [DELIMITER, c.sign(parts), *parts]


def noise(c, chance):
    return [chance.randbytes(chance.randrange(64))
            for _ in range(chance.randrange(1, 9))]


KINDS = [forged, wrong_key, unsigned, changed, truncated, many_frames, nested,
         no_json, noise]


def sender(connection, messages, recorded, seed):
    """The hostile process; `recorded` are frames of messages that were good."""
    chance = random.Random(seed)
    with Client(connection) as c:
        for k in range(messages):
            if k % 4 == 3:
                frames = chance.choice(recorded)
            else:
                kind = KINDS[k % len(KINDS)]
                if kind is nested and k % 90:
                    kind = forged  # they are long
                frames = kind(c, chance)
            channel = ('shell', 'shell', 'shell', 'control', 'stdin')[k % 5]
            c.sockets[channel].send_multipart(frames)
            if k % 500 == 499:
                time.sleep(0.02)
        time.sleep(1)


def garbage(connection, rounds, seed):
    """Bytes that are no ZeroMQ, on every port; connections that say nothing."""
    chance = random.Random(seed)
    idle = []
    greeting = b'\xff' + 8 * b'\0' + b'\x7f\x03\x00NULL' + 48 * b'\0'
    for k in range(rounds):
        port = connection[chance.choice(
            ['shell_port', 'iopub_port', 'stdin_port', 'control_port',
             'hb_port'])]
        s = socket.create_connection(('127.0.0.1', port))
        s.settimeout(0.2)
        try:
            kind = k % 4
            if kind == 0:
                s.sendall(chance.randbytes(chance.randrange(1, 4000)))
            elif kind == 1:
                s.sendall(greeting + chance.randbytes(200))
            elif kind == 2:  # a frame that claims 2^62 bytes
                s.sendall(greeting + b'\x04\x26\x05READY' + 30 * b'\0' +
                          b'\x02' + struct.pack('>Q', 1 << 62) + b'x')
            else:
                s.sendall(b'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
            if len(idle) < 50:
                idle.append(s)
                continue
            s.close()
        except OSError:
            s.close()
    time.sleep(0.5)


def oversized(connection):
    with Client(connection) as c:
        parts = [b'{"msg_id":"1","msg_type":"execute_request"}', b'{}', b'{}',
                 b'{"code":"' + (65 << 20) * b' ' + b'"}']
        c.sockets['shell'].send_multipart([DELIMITER, c.sign(parts), *parts])
        time.sleep(0.5)


def main():
    score = Score()
    with Kernel() as k, k.client() as c:
        c.ready()
        c.execute('hits = 0;')
        recorded = []
        for _ in range(50):
            name, frames = c.frames('execute_request', {**CONTENT,
                                                        'code': '1;'})
            c.sockets['shell'].send_multipart(frames)
            c.collect(name)
            recorded.append(frames)
        before = c.execute('1;')[0]['execution_count']
        jobs = [multiprocessing.Process(target=sender, args=(
                    k.connection, MESSAGES // 2, recorded, n)) for n in (1, 2)]
        jobs.append(multiprocessing.Process(target=garbage,
                                            args=(k.connection, 400, 3)))
        jobs.append(multiprocessing.Process(target=oversized,
                                            args=(k.connection,)))
        for job in jobs:
            job.start()
        times = []
        while any(job.is_alive() for job in jobs):
            began = time.monotonic()
            reply, _ = c.execute('6*7')
            times.append(time.monotonic() - began)
            score.check(reply['status'] == 'ok', f'an own cell: {reply}')
        for job in jobs:
            job.join()
            score.check(job.exitcode == 0, 'the hostile side came to its end')
        time.sleep(0.5)
        middle = statistics.median(times)
        score.check(k.alive(), 'the kernel is there')
        reply, outputs = c.execute('hits')
        shown = outputs[-1].content['data']['text/plain']
        score.check(shown == 'hits = 0', f'something was run: {shown}')
        score.check(reply['execution_count'] == before + len(times) + 1,
                    'nothing else was counted')
        score.check(len(times) > 1, f'{len(times)} own cells meanwhile')
        score.check('dropped' in k.said(), 'the log tells')
        score.check(len(k.said()) < 20000, 'the log is short')
        c.beat()
        print(f'{MESSAGES} messages and 400 connections; {len(times)} own cells, '
              f'median {1000*middle:.1f} ms, longest {1000*max(times):.0f} ms')
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
