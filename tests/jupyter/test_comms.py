#!/usr/bin/python3
"""Comms of the target `fusible.plan`, over real sockets: choices about plans that a
notebook shows, what they answer before and after anything runs, and messages that are wrong
in any way.  usage: test_comms.py [PATTERN]"""
import peers  # noqa: F401, first: it changes the Python that runs this
import itertools
import json
import os
import random
import signal
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), 'fake')]
import fakegpu  # noqa: E402
from client import Kernel, run_tests, text_of  # noqa: E402
from score import folder  # noqa: E402

TARGET = 'fusible.plan'
TYPE = 'application/vnd.fusible.plan+json'
SETUP = ('A = rand(300, 200); p = rand(200); r = rand(300); A[1,1] = 1; p[1] = 1; r[1] = 1;')
PAIR = "begin q = A*p; s = A'*r; end"
numbers = itertools.count(1)


def plan_of(c, code):
    """The plan that a cell shows, as data."""
    reply, outputs = c.execute(code)
    assert reply['status'] == 'ok', reply
    shown = [m.content['data'][TYPE] for m in outputs if TYPE in m.content.get('data', {})]
    assert shown, outputs
    return shown[-1]


def start(c):
    reply, _ = c.execute(':reset -f\n:split off\n:fuse on\n:unpin\n' + SETUP)
    assert reply['status'] == 'ok', reply
    return plan_of(c, PAIR)


class Comm:
    def __init__(self, c, plan, target=TARGET):
        self.c, self.id = c, f'comm-{next(numbers)}'
        self.opened = c.collect(c.send('comm_open', {
            'comm_id': self.id, 'target_name': target,
            'data': {'kernel': plan['kernel'], 'block': plan['block']}}), reply=False)

    def send(self, data):
        return self.c.send('comm_msg', {'comm_id': self.id, 'data': data})

    def answers(self, request):
        got = self.c.collect(request, reply=False)
        assert [m.content['execution_state'] for m in got if m.type == 'status'] == [
            'busy', 'idle'], got
        rest = [m for m in got if m.type != 'status']
        assert all(m.type == 'comm_msg' and m.content['comm_id'] == self.id for m in rest), rest
        return [m.content['data'] for m in rest]

    def ask(self, do, **more):
        """The answer to a message; what says how far it is comes before."""
        number = next(numbers)
        *running, last = self.answers(self.send({'do': do, 'id': number, **more}))
        assert all(m['status'] == 'running' and m['id'] == number for m in running), running
        assert last['do'] == do and last['id'] == number, last
        return last


def closed(got):
    return [m.content for m in got if m.type == 'comm_close']


def test_choices(k, c):
    """Apart, predicted before anything runs; then measured; then together again."""
    plan = start(c)
    assert plan['state'] == 'measured' and len(plan['kernels']) == 1, plan
    comm = Comm(c, plan)
    assert not closed(comm.opened)
    assert c.ask('comm_info_request')[0]['comms'][comm.id] == {'target_name': TARGET}
    before = c.execute('sum(q) + sum(s)')[1][-1].content['data']['text/plain']

    apart = comm.ask('split', statements=['q', 's'])
    assert apart['status'] == 'ok' and '1 → 2 kernels' in apart['text'], apart
    now = apart['plan']
    assert now['state'] == 'considered' and len(now['kernels']) == 2, now
    assert (now['id'], now['block'], now['kernel']) == (plan['id'], plan['block'],
                                                        plan['kernel'])
    assert now['pins'] == [{'do': 'split', 'statements': ['q', 's']}], now['pins']
    assert now['bytes'] > plan['bytes'] and now['predicted'] > 0, now
    assert all(x['measured'] is None for x in [now, *now['kernels']]), now

    ran = comm.ask('run', n=3)
    assert ran['plan']['state'] == 'again' and len(ran['plan']['kernels']) == 2, ran
    assert ran['plan']['measured'] > 0 and ran['plan']['runs'] == 3, ran
    assert all(x['measured'] > 0 for x in ran['plan']['kernels']), ran
    assert '3 runs: median' in ran['text'], ran

    back = comm.ask('unsplit', statements=['q', 's'])
    assert back['plan']['pins'] == [] and len(back['plan']['kernels']) == 1, back
    assert '2 → 1 kernel' in back['text'], back
    assert len(comm.ask('run', n=1)['plan']['kernels']) == 1
    assert c.execute('sum(q) + sum(s)')[1][-1].content['data']['text/plain'] == before


def test_together(k, c):
    start(c)
    reply, _ = c.execute(':split q s')
    assert reply['status'] == 'ok'
    plan = plan_of(c, PAIR)
    assert len(plan['kernels']) == 2 and 'pins' not in plan, plan
    comm = Comm(c, plan)
    one = comm.ask('fuse', statements=['q', 's'])
    assert len(one['plan']['kernels']) == 1, one
    assert one['plan']['pins'] == [{'do': 'fuse', 'statements': ['q', 's']}], one
    assert comm.ask('unfuse', statements=['q', 's'])['plan']['pins'] == []
    # The cell itself follows what the comm has chosen.
    comm.ask('split', statements=[1, 2])
    assert len(plan_of(c, PAIR)['kernels']) == 2


def test_cut(k, c):
    """One list from the other: each pair across is held apart."""
    start(c)
    plan = plan_of(c, "begin u = A*p; v = 2*A*p; w = A'*r; end")
    answer = Comm(c, plan).ask('split', statements=['u', 'v'], **{'from': ['w']})
    pins = [set(x['statements']) for x in answer['plan']['pins']]
    assert pins == [{'u', 'w'}, {'v', 'w'}], pins
    one = [x['statements'] for x in answer['plan']['kernels']]
    assert not any(3 in x and len(x) > 1 for x in one), one


def test_earlier_block(k, c):
    """A plan further up is still asked about when other blocks have run since."""
    plan = start(c)
    later = plan_of(c, 'z = A .* 2 + 1;')
    comm, other = Comm(c, plan), Comm(c, later)
    assert comm.ask('run', n=1)['plan']['id'] == plan['id']
    assert other.ask('run', n=1)['plan']['id'] == later['id']
    assert len(comm.ask('split', statements=['q', 's'])['plan']['kernels']) == 2


def test_race(k, c):
    plan = start(c)
    comm = Comm(c, plan)
    race = comm.ask('race')['data']
    assert race['runs'] >= 1 and race['plans'][0]['plan'] == 'in use', race
    assert [x['plan'] for x in race['plans'][-2:]] == ['no fusion', 'library'], race
    assert all(x['measured'] > 0 and x['low'] <= x['measured'] <= x['high']
               for x in race['plans']), race
    assert race['plans'][0]['differ'] == 0 and race['plans'][-1]['elements'] == 500, race
    ways = comm.ask('alternatives', n=4)['data']
    assert sum(x['chosen'] for x in ways) == 1 and ways[-1]['rank'] is None, ways
    ranked = [x['rank'] for x in ways if x['rank'] and not x['chosen']]
    if ranked:
        taken = comm.ask('choose', n=ranked[0])
        assert 'runs so from now on' in taken['text'], taken
        assert c.execute(':tune forget')[0]['status'] == 'ok'


def test_settings(k, c):
    """Of a GPU's kernel: the settings that there are, one that is chosen, taken back."""
    home = folder('comms')
    env = {name: value for name, value in fakegpu.environment(home).items() if name != 'HOME'}
    with Kernel(home=home, **env, FUSIBLE_TARGET='cuda') as gpu, gpu.client() as d:
        d.ready()
        plan = start(d)
        assert plan['device'] == 'fake GPU', plan['device']
        comm = Comm(d, plan)
        known = comm.ask('settings', kernel='k1')['data']
        assert known['kernel'] == 'k1' and len(known['settings']) > 1, known
        now = next(x for x in known['settings'] if x['chosen'])['setting']['threads']
        other = next(x['setting']['threads'] for x in known['settings']
                     if x['setting']['threads'] != now)
        answer = comm.ask('set', kernel='k1', settings={'threads': other})
        kernel = answer['plan']['kernels'][0]
        assert kernel['setting']['threads'] == other, kernel
        assert kernel['by_hand'] == f'threads {other}', kernel
        assert answer['plan']['predicted'] > 0 and answer['plan']['measured'] is None
        wrong = comm.ask('set', kernel='k1', settings={'threads': 77})
        assert wrong['status'] == 'error' and wrong['ename'] == 'bad-pin', wrong
        assert 'it has threads' in wrong['hint'], wrong
        assert comm.ask('set', kernel='k9', settings={'threads': 64})['ename'] == 'bad-kernel'
        free = comm.ask('unset', kernel='k1')['plan']['kernels'][0]
        assert free['setting']['threads'] == now and free['by_hand'] is None, free


def test_wrong_messages(k, c):
    """Each is answered by an error over the comm, and the session goes on."""
    comm = Comm(c, start(c))
    wrong = [
        None, 3, 'run', [], {}, {'do': None}, {'do': 7}, {'do': 'rm'}, {'do': ''}, {'do': {}},
        {'do': 'fuse'}, {'do': 'fuse', 'statements': 'q s'}, {'do': 'fuse', 'statements': ['q']},
        {'do': 'fuse', 'statements': ['q', '']}, {'do': 'fuse', 'statements': ['q', 's x']},
        {'do': 'fuse', 'statements': ['q', 's\nx = 1']}, {'do': 'fuse', 'statements': ['q', 0]},
        {'do': 'fuse', 'statements': ['q', -1]}, {'do': 'fuse', 'statements': ['q', 1.5]},
        {'do': 'fuse', 'statements': ['q', '"s']}, {'do': 'fuse', 'statements': ['off', 'q']},
        {'do': 'fuse', 'statements': ['q', 'a\0b']}, {'do': 'fuse', 'statements': {'q': 's'}},
        {'do': 'fuse', 'statements': ['q'] * 1000}, {'do': 'split', 'statements': ['q', 'x' * 999]},
        {'do': 'split', 'statements': ['q'], 'from': []},
        {'do': 'split', 'statements': ['q'] * 30, 'from': ['s'] * 30},
        {'do': 'set'}, {'do': 'set', 'kernel': 'k1'}, {'do': 'set', 'kernel': 1},
        {'do': 'set', 'kernel': 'k1', 'settings': {}},
        {'do': 'set', 'kernel': 'k1', 'settings': {'threads': -4}},
        {'do': 'set', 'kernel': 'k1', 'settings': {'threads': []}},
        {'do': 'set', 'kernel': 'k1', 'settings': {'a b': 3}},
        {'do': 'set', 'kernel': 'k1', 'settings': {'a=b': 3}},
        {'do': 'set', 'kernel': 'k1\n:quit', 'settings': {'threads': 4}},
        {'do': 'unset'}, {'do': 'settings'}, {'do': 'settings', 'kernel': 'all'},
        {'do': 'run', 'n': 0}, {'do': 'run', 'n': 'x'}, {'do': 'run', 'n': -3},
        {'do': 'race', 'n': 1.5}, {'do': 'choose', 'n': True}]
    for data in wrong:
        (answer,) = comm.answers(comm.send(data))
        assert answer['status'] == 'error' and answer['ename'] == 'bad-message', (data, answer)
        assert answer['evalue'] and answer['traceback'], answer
    refused = [
        ({'do': 'fuse', 'statements': ['q', 'nobody']}, 'bad-pin'),
        ({'do': 'fuse', 'statements': ['q', 'q']}, 'bad-pin'),
        ({'do': 'unfuse', 'statements': ['q', 's']}, 'bad-pin'),
        ({'do': 'set', 'kernel': 'k1', 'settings': {'warmth': 3}}, 'bad-pin'),
        ({'do': 'set', 'kernel': 'k7', 'settings': {'scheme': 'row'}}, 'bad-kernel'),
        ({'do': 'settings', 'kernel': 'k7'}, 'bad-kernel'),
        ({'do': 'choose', 'n': 31}, 'command')]
    for data, ename in refused:
        (answer,) = comm.answers(comm.send(data))
        assert answer['status'] == 'error' and answer['ename'] == ename, (data, answer)
    assert c.execute('q[1] > 0')[1][-1].content['data']['text/plain'] == 'true'
    # Without `data`, or for a comm that is not there: nothing but busy and idle.
    assert len(comm.answers(c.send('comm_msg', {'comm_id': comm.id}))) == 1
    for content in ({}, {'comm_id': 3}, {'comm_id': 'nobody', 'data': {'do': 'run'}}):
        assert not comm.answers(c.send('comm_msg', content))


def test_random_messages(k, c):
    """Of the right words in wrong places: an answer to each, and a session after it."""
    comm, rng = Comm(c, start(c)), random.Random(1)
    words = ['fuse', 'split', 'unfuse', 'unsplit', 'set', 'unset', 'settings', 'alternatives',
             'q', 's', 'k1', 'k2', '1', '', 'threads', 'scheme', 'row', 'é', '\u202e', 3, 0, -1,
             1e300, None, True, ['q', 's'], ['q', 's', 'A'], [], {'threads': 256},
             {'scheme': 'row'}, {}, [['q']], {'q': {'s': []}}]
    for _ in range(150):
        data = {key: rng.choice(words) for key in ('do', 'statements', 'from', 'kernel',
                                                   'settings', 'n', 'id') if rng.random() < 0.6}
        got = comm.answers(comm.send(data))
        assert got and got[-1]['status'] in ('ok', 'error'), (data, got)
    assert c.execute(':split off\n:unpin\n1+1')[0]['status'] == 'ok'


def test_opened_wrongly(k, c):
    plan = start(c)
    good = {'kernel': plan['kernel'], 'block': plan['block']}
    for target, data, ename in [
            ('jupyter.widget', good, None), (None, good, None), (4, good, None),
            (TARGET, None, 'bad-message'), (TARGET, {}, 'bad-message'), (TARGET, [], 'bad-message'),
            (TARGET, {**good, 'block': 0}, 'bad-message'),
            (TARGET, {**good, 'block': 1 << 40}, 'bad-message'),
            (TARGET, {**good, 'block': '1'}, 'bad-message'),
            (TARGET, {**good, 'kernel': 5}, 'bad-message'),
            (TARGET, {**good, 'kernel': 'other-1'}, 'plan-gone')]:
        got = c.collect(c.send('comm_open', {'comm_id': 'x', 'target_name': target,
                                             'data': data}), reply=False)
        (close,) = closed(got)
        assert close['comm_id'] == 'x', close
        assert close['data'].get('ename') == ename, (target, data, close)
    for name in ('', 'y' * 200, 3, None):
        got = c.collect(c.send('comm_open', {'comm_id': name, 'target_name': TARGET,
                                             'data': good}), reply=False)
        assert len(closed(got)) == 1, (name, got)
    assert 'x' not in c.ask('comm_info_request')[0]['comms']
    assert c.ask('comm_info_request', {'target_name': 'jupyter.widget'})[0]['comms'] == {}


def test_plans_that_are_gone(k, c):
    plan = start(c)
    never = Comm(c, {**plan, 'block': 100000})
    assert not closed(never.opened)
    gone = never.ask('run')
    assert gone['status'] == 'error' and gone['ename'] == 'plan-gone', gone
    assert 'run its cell again' in gone['evalue'], gone
    # Another process has the session: its blocks are others.
    with Kernel() as fresh, fresh.client() as d:
        d.ready()
        comm = Comm(d, start(d))
        assert comm.ask('run', n=1)['status'] == 'ok'
        os.kill(fresh.worker(), signal.SIGKILL)
        assert d.execute('1+1')[0]['status'] == 'ok'
        gone = comm.ask('split', statements=['q', 's'])
        assert gone['ename'] == 'plan-gone', gone
        assert len(plan_of(d, PAIR)['kernels']) == 1  # it was not taken
        old = Comm(d, plan)
        assert closed(old.opened)[0]['data']['ename'] == 'plan-gone'


def test_pins_survive(k, c):
    """What was chosen over a comm is in the session that comes after a death."""
    with Kernel() as fresh, fresh.client() as d:
        d.ready()
        comm = Comm(d, start(d))
        assert comm.ask('split', statements=['q', 's'])['status'] == 'ok'
        os.kill(fresh.worker(), signal.SIGKILL)
        assert d.execute('1+1')[0]['status'] == 'ok'
        assert len(plan_of(d, PAIR)['kernels']) == 2


def test_in_turn(k, c):
    """A message waits for the cell that runs, and is no cell that an error drops."""
    comm = Comm(c, start(c))
    cell = c.execute_request('for k = 1:100000000\n  b = k + 1;\nend')
    while c.receive().type != 'execute_input':
        pass
    message = comm.send({'do': 'split', 'statements': ['q', 's'], 'id': 1})
    dropped = c.execute_request('never = 1')
    time.sleep(0.3)
    c.ask('interrupt_request', channel='control')
    reply = next(m for m in c.collect(cell) if m.channel == 'shell').content
    assert reply['ename'] == 'interrupted', reply
    assert comm.answers(message)[-1]['status'] == 'ok'
    reply = next(m for m in c.collect(dropped) if m.channel == 'shell').content
    assert reply['ename'] == 'Aborted', reply


def test_interrupted(k, c):
    """A race that takes long is stopped as a cell is."""
    start(c)
    plan = plan_of(c, 'B = A; for k = 1:2000\n  B = sqrt(B.*B + 1);\nend; t = sum(B);')
    comm = Comm(c, plan)
    message = comm.send({'do': 'run', 'n': 10000, 'id': 1})
    time.sleep(1)
    c.ask('interrupt_request', channel='control')
    answer = comm.answers(message)[-1]
    assert 'stopped early' in answer['text'], answer
    assert c.execute('1+1')[0]['status'] == 'ok'


def test_closed_and_reopened(k, c):
    plan = start(c)
    comm = Comm(c, plan)
    assert not comm.answers(c.send('comm_close', {'comm_id': comm.id, 'data': {}}))
    assert comm.id not in c.ask('comm_info_request')[0]['comms']
    assert not comm.answers(comm.send({'do': 'run', 'n': 1}))
    assert Comm(c, plan).ask('run', n=1)['status'] == 'ok'


def test_many_comms(k, c):
    """A page that is loaded again and again: the oldest go."""
    plan = start(c)
    first = Comm(c, plan)
    gone = []
    for _ in range(600):
        gone += [x['comm_id'] for x in closed(Comm(c, plan).opened)]
    assert first.id in gone and 80 < len(gone) < 200, len(gone)
    assert len(c.ask('comm_info_request')[0]['comms']) == 512


def test_commands(k, c):
    """The same at a prompt: `:block` chooses, and the others are about it."""
    plan = start(c)
    plan_of(c, 'z = A .* 2 + 1;')
    listed = text_of(c.execute(':block')[1])
    assert f"{plan['block']}  q = A*p; s = A'*r" in listed, listed
    assert len({line for line in listed.splitlines()}) == len(listed.splitlines()), listed
    shown = plan_of(c, f":block {plan['block']}\n:plan")
    assert shown['block'] == plan['block'], shown
    assert c.execute(':block 100000')[0]['ename'] == 'no-block'
    assert c.execute(':block x')[0]['ename'] == 'command'
    race = json.loads(text_of(c.execute(f":block {plan['block']}\n:race 1 json")[1]))
    assert race['plans'][0]['plan'] == 'in use', race


def main():
    return run_tests(globals())


if __name__ == '__main__':
    sys.exit(main())
