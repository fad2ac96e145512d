#!/usr/bin/python3
"""Peers who can reach the ports and have no key, or do not read what they asked for:
they take little of the kernel's memory, and silence nobody."""
import peers  # noqa: F401, first: it changes the Python that runs this
import multiprocessing
import os
import socket
import statistics
import struct
import sys
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import zmq  # noqa: E402
from client import DELIMITER, Client, Kernel, text_of  # noqa: E402
from score import Score  # noqa: E402

NOT_READ = 'another client has its routing id'
ONLY = sys.argv[2] if len(sys.argv) > 2 else ''   # of the floods
MOST = 200          # MiB that the kernel may take
SECONDS = 2         # of a flood, at least, and so many own cells
CELLS = 10
MOST_FILES = 2000   # descriptors of the kernel: half of those that it may have
WELCOMES, WELCOME_SECONDS = 8, 0.05   # so many in so long, in jupyter/iopub.c
READY = {'shell': b'DEALER', 'control': b'DEALER', 'stdin': b'DEALER',
         'hb': b'DEALER', 'iopub': b'SUB'}


class Peer:
    """A connection that speaks ZMTP as it likes."""

    def __init__(self, connection, channel):
        self.s = socket.create_connection(
            ('127.0.0.1', connection[channel + '_port']))
        self.s.settimeout(5)
        self.s.sendall(b'\xff' + 8 * b'\0' + b'\x7f\x03\x00NULL' + 48 * b'\0')
        kind = READY[channel]
        body = (b'\x05READY\x0bSocket-Type' + struct.pack('>I', len(kind)) + kind +
                b'\x08Identity' + struct.pack('>I', 0))
        self.s.sendall(b'\x04' + bytes([len(body)]) + body)
        got = b''
        while len(got) < 64 + 2:  # its greeting, and the beginning of its READY
            new = self.s.recv(4096)
            if not new:
                raise OSError('cut')
            got += new

    def send(self, data):
        """False when the kernel has had enough."""
        try:
            self.s.sendall(data)
            return True
        except OSError:
            return False


def frame(data, more=False):
    if len(data) < 256:
        return bytes([more, len(data)]) + data
    return bytes([2 | more]) + struct.pack('>Q', len(data)) + data


def again_and_again(connection, channel, data, stop):
    """Sends it until the kernel cuts the connection, and connects again."""
    sent = 0
    while not stop.is_set():
        try:
            peer = Peer(connection, channel)
            while not stop.is_set() and peer.send(data):
                sent += len(data)
        except OSError:
            time.sleep(0.01)
    return sent


def endless_empty_frames(connection, stop):
    again_and_again(connection, 'shell', 50000 * frame(b'', True), stop)


def endless_large_frames(connection, stop):
    again_and_again(connection, 'control', frame((1 << 20) * b'x', True), stop)


def endless_heartbeats(connection, stop):
    again_and_again(connection, 'hb', 500 * frame(4000 * b'x', True), stop)


def large_messages(connection, stop):
    again_and_again(connection, 'stdin', frame(1000000 * b'x'), stop)


def long_subscriptions(connection, stop):
    again_and_again(connection, 'iopub', frame(b'\1' + (1 << 19) * b'x'), stop)


def many_subscriptions(connection, stop):
    data = b''.join(frame(b'\1%0200d' % k) for k in range(1000))
    again_and_again(connection, 'iopub', data, stop)


def short_subscriptions(connection, stop):
    data = b''.join(frame(b'\1%c%c' % (k // 64 + 32, k % 64 + 32)) for k in range(1200))
    again_and_again(connection, 'iopub', data, stop)


def one_subscription_again(connection, stop):
    again_and_again(connection, 'iopub', 500 * (frame(b'\1') + frame(b'\0')), stop)


def echoes_unread(connection, stop):
    again_and_again(connection, 'hb', 200 * frame(4000 * b'x'), stop)


def many(connection, channel, number, data, stop):
    """So many connections at once, which all send without end and read nothing."""
    open_ones, sent = [], 0
    while not stop.is_set():
        try:
            while len(open_ones) < number:
                open_ones.append(Peer(connection, channel))
                open_ones[-1].s.settimeout(0)
        except OSError:
            time.sleep(0.01)
        for peer in open_ones[:]:
            try:
                sent += peer.s.send(data) if data else 0
            except BlockingIOError:
                pass
            except OSError:
                open_ones.remove(peer)
        time.sleep(0 if data else 0.05)
    return sent


def echoes_of_many_unread(connection, stop):
    many(connection, 'hb', 40, 200 * frame(4000 * b'x'), stop)


def wrong(size):
    """A message whose signature is wrong."""
    parts = [DELIMITER, 64 * b'0', b'{"msg_id":"1","msg_type":"execute_request"}', b'{}',
             b'{}', b'{"code":"' + size * b' ' + b'"}']
    return b''.join(frame(p, p is not parts[-1]) for p in parts)


def wrong_signatures(connection, stop):
    many(connection, 'shell', 60, 100 * wrong(10), stop)


def wrong_signatures_on_stdin(connection, stop):
    many(connection, 'stdin', 4, 100 * wrong(10), stop)


def large_wrong_signatures(connection, stop):
    many(connection, 'shell', 4, wrong(500000), stop)


def one_large_message_each(connection, stop):
    data = wrong(2900000)
    while not stop.is_set():
        try:
            Peer(connection, 'shell').send(data)
        except OSError:
            time.sleep(0.01)


def idle_connections(connection, stop):
    many(connection, 'control', 1500, b'', stop)


def mute_connections(connection, stop):
    """Which do not even greet."""
    address, kept = ('127.0.0.1', connection['shell_port']), []
    while not stop.is_set():
        try:
            kept.append(socket.create_connection(address, 5))
        except OSError:
            time.sleep(0.01)
        if len(kept) > 1500:
            kept.pop(0).close()


def nothing(connection, stop):
    stop.wait()


FLOODS = [nothing, endless_empty_frames, endless_large_frames, endless_heartbeats,
          large_messages, long_subscriptions, many_subscriptions, short_subscriptions,
          one_subscription_again, echoes_unread, echoes_of_many_unread, wrong_signatures,
          wrong_signatures_on_stdin, large_wrong_signatures,
          one_large_message_each, idle_connections,
          mute_connections]


def resident(pid, key='VmRSS'):
    with open(f'/proc/{pid}/status', encoding='ascii') as f:
        return next(int(line.split()[1]) for line in f
                    if line.startswith(key)) / 1024


def welcomes(c):
    return sum(m.type == 'iopub_welcome' for m in c.stray)


def measure(k, c):
    """(seconds that own cells take, most MiB and descriptors of the kernel) for SECONDS and
    a few cells."""
    times, first, files = [], time.monotonic(), 0
    while len(times) < CELLS or time.monotonic() < first + SECONDS:
        began = time.monotonic()
        reply, _ = c.execute('6*7')
        assert reply['status'] == 'ok', reply
        times.append(time.monotonic() - began)
        files = max(files, len(os.listdir(f'/proc/{k.process.pid}/fd')))
    return times, resident(k.process.pid, 'VmHWM'), files


def come_late(k):
    """Who comes now is answered too, once it asks again as Jupyter's clients do."""
    with k.client() as late:
        while True:
            late.send('kernel_info_request')
            end = time.monotonic() + 2
            while (m := late.receive(max(0, end - time.monotonic()))):
                if m.type == 'kernel_info_reply':
                    return


def test_floods(score):
    for flood in FLOODS:
        if ONLY and ONLY not in flood.__name__:
            continue
        with Kernel() as k, k.client() as c:
            c.ready()
            c.execute('1')
            stop = multiprocessing.Event()
            jobs = [multiprocessing.Process(target=flood, args=(k.connection, stop),
                                            daemon=True) for _ in range(2)]
            for job in jobs:
                job.start()
            began = time.monotonic()
            times, most, open_files = measure(k, c)  # each is answered while it goes
            heard, rounds = welcomes(c), 2 + (time.monotonic() - began)/WELCOME_SECONDS
            come_late(k)
            flooded = all(job.is_alive() for job in jobs)
            stop.set()
            for job in jobs:
                job.join()
                score.check(job.exitcode == 0, f'{flood.__name__}: it could flood')
            middle = statistics.median(times)
            print(f'{flood.__name__}: at most {most:.0f} MiB, {open_files} files, own '
                  f'cells {1000*middle:.1f} ms in the middle, {1000*max(times):.0f} at most')
            score.check(k.alive() and most < MOST, f'{flood.__name__}: {most} MiB')
            score.check(heard <= WELCOMES*rounds, f'{flood.__name__}: {heard} welcomes')
            score.check(open_files < MOST_FILES, f'{flood.__name__}: {open_files} files')
            score.check(flooded, f'{flood.__name__}: it went on meanwhile')
            c.beat()


def test_unread_output(score):
    """A subscriber that reads nothing, while more is printed than may be kept."""
    with Kernel() as k, k.client() as c:
        c.ready()
        peer = Peer(k.connection, 'iopub')
        peer.send(frame(b'\1'))
        time.sleep(0.2)
        line = 1000 * 'x'
        for n in range(20):
            reply, outputs = c.execute(
                f's = "{line}"; for k = 1:15000; print(s); end')
            score.check(reply['status'] == 'ok' and len(text_of(outputs)) > 15000000,
                        f'cell {n}: all of its text')
        most = resident(k.process.pid, 'VmHWM')
        print(f'a subscriber that does not read: at most {most:.0f} MiB, '
              'of 300 MB that were printed')
        score.check(most < MOST, f'{most} MiB')


def test_unread_by_many(score):
    """Subscribers who read nothing, while many short messages are published: each of
    them costs room for every subscriber."""
    with Kernel() as k, k.client() as c:
        c.ready()
        peers = [Peer(k.connection, 'iopub') for _ in range(120)]
        for peer in peers:
            peer.send(frame(b'\1'))
        time.sleep(0.2)
        for _ in range(5000):
            reply, _ = c.execute('6*7')
            score.check(reply['status'] == 'ok', 'a cell')
        most = resident(k.process.pid, 'VmHWM')
        print(f'{len(peers)} subscribers that do not read: at most {most:.0f} MiB')
        score.check(most < MOST, f'{most} MiB')


def test_foreign_routing_id(score):
    """Who connects with a client's routing id does not get its replies, nor its
    questions; and the client may come again itself."""
    with Kernel() as k:
        with Client(k.connection, identity=b'page') as c:
            c.ready()
            with Client(k.connection, identity=b'page', subscribe=False) as thief:
                for name in ('shell', 'control', 'stdin'):
                    thief.sockets[name].send_multipart([b'nothing'])
                thief.execute_request('1;' * 500)
                time.sleep(0.3)
                reply, _ = c.execute('6*7', timeout=600)
                score.check(reply['status'] == 'ok', 'a reply')
                c.ask('interrupt_request', channel='control', timeout=600)
                request = c.execute_request('name = ask("who? ")', allow_stdin=True)
                while (m := c.receive()) and m.type != 'input_request':
                    pass
                score.check(m, 'a question')
                c.send('input_reply', {'value': 'me'}, channel='stdin')
                c.collect(request)
                score.check(not thief.receive(0.2), 'the thief hears nothing')
                end = time.monotonic() + 600
                while NOT_READ not in k.said() and time.monotonic() < end:
                    time.sleep(0.1)
                score.check(NOT_READ in k.said(), 'the log says why', k.said())
        for n in range(10):
            with Client(k.connection, identity=b'page') as again:
                again.ready()
                score.check(again.execute('1+1', timeout=600)[0]['status'] == 'ok',
                            f'back again {n}')


def test_client_that_comes_again(score):
    """With the routing id of its connections of before, at once and many times."""
    with Kernel() as k:
        for n in range(40):
            with Client(k.connection, identity=b'page') as again:
                again.ready()
                score.check(again.execute('1+1', timeout=600)[0]['status'] == 'ok',
                            f'back again {n}')


def main():
    score = Score()
    for name, test in list(globals().items()):
        if name.startswith('test_') and (len(sys.argv) < 2 or sys.argv[1] in name):
            try:
                test(score)
            except Exception:
                score.check(False, name, traceback.format_exc())
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
