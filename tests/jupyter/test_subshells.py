#!/usr/bin/python3
"""Subshells (JEP 91), over real sockets: made, listed and deleted on control; whose
inputs take turns, whose errors drop only their own, and what is wrong with their names.
usage: test_subshells.py [PATTERN]"""
import peers  # noqa: F401, first: it changes the Python that runs this
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from client import Kernel, run_tests, text_of  # noqa: E402

LONG = 'for k = 1:100000000\n  b = k + 1;\nend'


def create(c):
    reply, got = c.ask('create_subshell_request', channel='control')
    assert reply['status'] == 'ok' and isinstance(reply['subshell_id'], str), reply
    assert [m.content['execution_state'] for m in got if m.type == 'status'] == ['busy', 'idle']
    return reply['subshell_id']


def listed(c):
    reply, _ = c.ask('list_subshell_request', channel='control')
    assert reply['status'] == 'ok', reply
    return reply['subshell_id']


def delete(c, name):
    return c.ask('delete_subshell_request', {'subshell_id': name}, channel='control')[0]


def send(c, code, subshell=None, **more):
    content = {'code': code, 'silent': False, 'store_history': True, 'user_expressions': {},
               'allow_stdin': False, 'stop_on_error': True, **more}
    return c.send('execute_request', content, subshell_id=subshell)


def reply_to(c, request):
    return next(m for m in c.collect(request) if m.channel == 'shell')


def begin(c):
    """Something long runs in the parent shell."""
    request = send(c, LONG)
    while c.receive().type != 'execute_input':
        pass
    return request


def interrupt(c):
    assert c.ask('interrupt_request', channel='control')[0]['status'] == 'ok'


def test_life(k, c):
    assert 'kernel subshells' in c.ask('kernel_info_request')[0]['supported_features']
    assert listed(c) == []
    one, two = create(c), create(c)
    assert one != two and sorted(listed(c)) == sorted([one, two])
    assert delete(c, one) == {'status': 'ok'}
    assert listed(c) == [two]
    for wrong in (one, 'nobody', '', None, 3):
        assert delete(c, wrong)['ename'] == 'no-subshell', wrong
    assert delete(c, two)['status'] == 'ok' and listed(c) == []


def test_one_session(k, c):
    """A subshell has the variables of the session; replies name it in the parent header."""
    name = create(c)
    assert reply_to(c, send(c, 'shared = 41;')).content['status'] == 'ok'
    got = c.collect(send(c, 'shared + 1', name))
    result = next(m for m in got if m.type == 'execute_result')
    assert result.content['data']['text/plain'] == '42', result
    assert all(m.parent['subshell_id'] == name for m in got), got
    first = reply_to(c, send(c, '1', name)).content['execution_count']
    assert reply_to(c, send(c, '1')).content['execution_count'] == first + 1
    delete(c, name)


def test_answered_while_busy(k, c):
    """What needs no input to end does not wait, of either shell."""
    name, request = create(c), begin(c)
    for subshell in (name, None):
        for kind, content in (
                ('complete_request', {'code': 'linsp', 'cursor_pos': 5}),
                ('inspect_request', {'code': 'rand', 'cursor_pos': 3, 'detail_level': 0}),
                ('is_complete_request', {'code': 'begin'}), ('kernel_info_request', {}),
                ('history_request', {'hist_access_type': 'tail', 'n': 5}),
                ('comm_info_request', {})):
            began = time.monotonic()
            reply, _ = c.ask(kind, content, subshell_id=subshell)
            assert reply['status'] in ('ok', 'incomplete'), (kind, reply)
            assert time.monotonic() - began < 5, kind
    interrupt(c)
    assert reply_to(c, request).content['ename'] == 'interrupted'
    delete(c, name)


def test_turns(k, c):
    """An input of a subshell waits for the one that runs, not for all that wait."""
    name = create(c)
    request = send(c, LONG, stop_on_error=False)
    while c.receive().type != 'execute_input':
        pass
    first = [send(c, f'print("parent {n}")') for n in range(3)]
    mine = [send(c, f'print("child {n}")', name) for n in range(2)]
    time.sleep(0.3)
    interrupt(c)
    reply_to(c, request)
    order = []
    for r in first + mine:
        got = c.collect(r)
        order.append((next(m.at for m in got if m.type == 'stream'),
                      text_of([m for m in got if m.type == 'stream']).strip()))
    assert [words for _, words in sorted(order)] == [
        'child 0', 'parent 0', 'child 1', 'parent 1', 'parent 2'], sorted(order)
    delete(c, name)


def test_errors_are_their_own(k, c):
    """An error drops what waits in its own shell."""
    name, request = create(c), begin(c)
    mine = send(c, 'kept = 1', name)
    other = send(c, 'dropped = 1')
    time.sleep(0.3)
    interrupt(c)
    assert reply_to(c, request).content['ename'] == 'interrupted'
    assert reply_to(c, other).content['ename'] == 'Aborted'
    assert reply_to(c, mine).content['status'] == 'ok'
    assert reply_to(c, send(c, 'x = nowhere', name)).content['ename'] == 'unknown-name'
    assert reply_to(c, send(c, 'kept')).content['status'] == 'ok'
    delete(c, name)


def test_deleted_with_inputs(k, c):
    name, request = create(c), begin(c)
    mine, other = send(c, 'never = 1', name), send(c, 'once = 1')
    time.sleep(0.3)
    assert delete(c, name)['status'] == 'ok'
    assert reply_to(c, mine).content['ename'] == 'Aborted'
    interrupt(c)
    reply_to(c, request)
    reply_to(c, other)
    assert reply_to(c, send(c, 'never')).content['ename'] == 'unknown-name'


def test_wrong_names(k, c):
    """A subshell that is not there: an error, and nothing is run."""
    for kind, content in (('execute_request', {'code': 'wrong = 1'}), ('complete_request', {}),
                          ('kernel_info_request', {}), ('no_such_request', {})):
        reply, got = c.ask(kind, content, subshell_id='nobody')
        assert reply['status'] == 'error' and reply['ename'] == 'no-subshell', (kind, reply)
        assert [m.content['execution_state'] for m in got if m.type == 'status'] == [
            'busy', 'idle'], got
    got = c.collect(c.send('comm_msg', {'comm_id': 'x', 'data': {}}, subshell_id='nobody'),
                    reply=False)
    assert all(m.type == 'status' for m in got), got
    for odd in (None, '', 0, [], {}):  # no name at all: the parent shell
        assert reply_to(c, send(c, '1', odd)).content['status'] == 'ok', odd
    assert reply_to(c, send(c, 'wrong')).content['ename'] == 'unknown-name'


def test_many(k, c):
    names = [create(c) for _ in range(64)]
    reply, _ = c.ask('create_subshell_request', channel='control')
    assert reply['status'] == 'error' and reply['ename'] == 'no-subshell', reply
    assert len(set(names)) == 64 == len(listed(c))
    for name in names:
        assert delete(c, name)['status'] == 'ok'
    assert reply_to(c, send(c, '1', create(c))).content['status'] == 'ok'


def test_help_links(k, c):
    assert c.ask('kernel_info_request')[0]['help_links'] == []
    for url, links in (('https://manual.example/fusible', 1), ('http://x', 1), ('', 0),
                       ('javascript:alert(1)', 0)):
        with Kernel(FUSIBLE_HELP_URL=url) as fresh, fresh.client() as d:
            d.ready()
            got = d.ask('kernel_info_request')[0]['help_links']
            assert got == [{'text': 'Fusible', 'url': url}] * links, got


def main():
    return run_tests(globals())


if __name__ == '__main__':
    sys.exit(main())
