#!/usr/bin/python3
"""The messages of the kernel, one by one and in all combinations, over real
sockets.  usage: test_protocol.py [PATTERN]"""
import peers  # noqa: F401, first: it changes the Python that runs this
import hashlib
import hmac
import itertools
import json
import os
import re
import signal
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import zmq  # noqa: E402
from client import CHANNELS, PROGRAM, Client, Failure, Kernel, run_tests, text_of  # noqa: E402
from score import folder, processor_seconds  # noqa: E402

BAD = 'x = there_is_no_such_name'
LONG = 'for k = 1:100000000\n  b = k + 1;\nend'


def types(messages):
    return [m.type for m in messages if m.channel == 'iopub']


def states(messages):
    return [m.content['execution_state'] for m in messages
            if m.type == 'status']


def value_of(c, expression):
    """What an expression shows, as text."""
    reply, outputs = c.execute(expression)
    assert reply['status'] == 'ok', reply
    results = [m for m in outputs if m.type == 'execute_result']
    assert len(results) == 1, outputs
    return results[0].content['data']['text/plain']


def busy(c, code=LONG):
    """Starts something long and waits until it runs."""
    request = c.execute_request(code)
    while True:
        m = c.receive()
        assert m, 'the input does not begin'
        if m.type == 'execute_input':
            time.sleep(0.1)
            return request


# -- requests -----------------------------------------------------------------

def test_kernel_info(k, c):
    for channel in ('shell', 'control'):
        info, got = c.ask('kernel_info_request', channel=channel)
        assert info['status'] == 'ok' and info['protocol_version'] == '5.5'
        language = info['language_info']
        assert language['name'] == 'fusible' and language['file_extension'] == '.fs'
        # Ours by its name, where the extension is; else the one of that type.
        assert language['codemirror_mode'] == {'name': 'fusible',
                                               'mime': 'text/x-julia'}
        assert language['pygments_lexer']
        assert 'Fusible' in info['banner'] and info['help_links'] == []
        assert states(got) == ['busy', 'idle'], got


def test_unknown_requests(k, c):
    for channel in ('shell', 'control'):
        request = c.send('no_such_request', {'a': 1}, channel)
        got = c.collect(request, reply=False)
        assert states(got) == ['busy', 'idle'], got
        assert all(m.type == 'status' for m in got), got
    assert value_of(c, '1+1') == '2'


def test_headers(k, c):
    """Our own session, a fresh id for each message, the request's header as it
    was sent, with what we do not know."""
    request, frames = c.frames('kernel_info_request', {}, extra={'deep': [1]})
    c.sockets['shell'].send_multipart(frames)
    got = c.collect(request)
    reply = next(m for m in got if m.channel == 'shell')
    assert reply.raw[1] == frames[2], 'parent header was written anew'
    ids = [m.header['msg_id'] for m in got]
    assert len(set(ids)) == len(ids)
    assert len({m.header['session'] for m in got}) == 1
    assert reply.header['session'] != c.session
    assert all(m.header['version'] == '5.5' and m.header['date'] for m in got)
    assert all(len(m.topic) == 1 for m in got if m.channel == 'iopub')


def test_execute_combinations(k, c):
    """silent, store_history, stop_on_error and user_expressions, of inputs that go
    well and that fail: what is counted, published and answered."""
    count = c.execute('1')[0]['execution_count']
    for silent, store, stop, asks, code in itertools.product(
            (False, True), (False, True), (False, True), (False, True),
            ('6*7', BAD, 'print("a")')):
        asked = {'a': '40+2', 'b': BAD, 'c': 'z = 3'} if asks else {}
        request = c.execute_request(code, silent=silent, store_history=store,
                                    stop_on_error=stop, user_expressions=asked)
        got = c.collect(request)
        reply = next(m for m in got if m.channel == 'shell').content
        case = (silent, store, stop, asks, code, got)
        counts = store and not silent
        count += counts
        assert reply['execution_count'] == count, case
        assert states(got) == ['busy', 'idle'], case
        outputs = [t for t in types(got) if t not in ('status',
                                                      'execute_input')]
        assert ('execute_input' in types(got)) == (not silent), case
        if silent:
            assert not outputs, case
        elif code == BAD:
            assert outputs == ['error'], case
        elif code == '6*7':
            assert outputs == ['execute_result'], case
        else:
            assert outputs == ['stream'], case
        if code == BAD:
            assert reply['status'] == 'error', case
            assert reply['ename'] == 'unknown-name' and reply['traceback']
            assert reply['user_expressions'] == {}, case
            continue
        assert reply['status'] == 'ok' and reply['payload'] == [], case
        answers = reply['user_expressions']
        assert set(answers) == set(asked), case
        if asks:
            assert answers['a']['data']['text/plain'] == '42', case
            assert answers['b']['status'] == 'error', case
            assert answers['b']['ename'] == 'unknown-name', case


def test_counts_from_one(k, c):
    with Kernel() as fresh, fresh.client() as d:
        d.ready()
        assert d.execute('1', silent=True)[0]['execution_count'] == 0
        assert d.execute('')[0]['execution_count'] == 0
        assert d.execute('1', store_history=False)[0]['execution_count'] == 0
        assert d.execute('1')[0]['execution_count'] == 1
        assert d.execute(BAD)[0]['execution_count'] == 2
        reply, outputs = d.execute('4')
        assert outputs[0].content['execution_count'] == 3


def test_reply_metadata(k, c):
    got = c.collect(c.execute_request('1'))
    reply = next(m for m in got if m.channel == 'shell')
    assert reply.metadata['started'].endswith('Z')


def test_errors(k, c):
    """Caret text in the traceback, the summary as its last line, on IOPub too."""
    reply, outputs = c.execute('a = 1;\nb = a + [1, 2, 3]*[1, 2];')
    assert reply['status'] == 'error'
    error = outputs[-1]
    assert error.type == 'error'
    for key in ('ename', 'evalue', 'traceback'):
        assert error.content[key] == reply[key]
    lines = reply['traceback']
    assert any('^' in line for line in lines), lines
    assert lines[-1] == f'{reply["ename"]}: {reply["evalue"]}'
    assert '<cell:' in lines[0] and ':2:' in lines[0], lines


def test_values_and_results(k, c):
    reply, outputs = c.execute('a = 1\nprint("between")\nb = 2\nb + 40')
    assert [m.type for m in outputs] == [
        'display_data', 'stream', 'display_data', 'execute_result'], outputs
    assert outputs[-1].content['data']['text/plain'] == '42'
    assert all('text/plain' in m.content['data'] for m in outputs
               if m.type != 'stream')
    assert all(isinstance(m.content['metadata'], dict) for m in outputs
               if m.type != 'stream')


def test_few_outputs(k, c):
    """A notebook keeps 50 outputs of a cell."""
    code = '\n'.join(f'a{i} = {i}' for i in range(300))
    reply, outputs = c.execute(code)
    shown = [m for m in outputs
             if m.type in ('display_data', 'execute_result', 'stream')]
    assert len(shown) <= 50, len(shown)
    assert 'a250 = 250' in text_of(outputs)


PRODUCTS = ('A = rand(40, 40); p = rand(40); r = rand(40);\n'
            'q = A*p; s = A\'*r;')
SLOW = 'B = rand(1800, 1800); for k = 1:3; B = B*B; B = B/norm(B); end'
CELL = {'cellId': 'c1'}


def test_plan_display(k, c):
    """Where both times are known at the end there is one display of both."""
    reply, outputs = c.execute(PRODUCTS)
    plans = [m for m in outputs if m.type == 'display_data']
    assert len(plans) == 1 and len(outputs) == 1, outputs
    name = plans[0].content['transient']['display_id']
    data = plans[0].content['data']
    assert data['text/plain'] and data['text/html']
    assert '<script' not in data['text/html']
    assert 'predicted' in data['text/plain'] and 'measured' in data['text/plain']
    again = c.execute(PRODUCTS)[1]
    assert [m.type for m in again] == ['display_data'], again
    assert again[0].content['transient']['display_id'] != name


def plans_of(c, code, metadata=None, **options):
    content = {'code': code, 'silent': False, 'allow_stdin': False, **options}
    got = c.collect(c.send('execute_request', content, metadata=metadata))
    return [m for m in got if m.type in ('display_data', 'update_display_data')
            and 'application/vnd.fusible.plan+json' in m.content['data']]


def test_plan_of_a_slow_block(k, c):
    """A notebook, and a program that keeps outputs, sees the prediction first; a
    console, which ignores updates, only what was measured."""
    slow = 'B = rand(1800, 1800); C = B*B; C = C*B; C = C*B; C = C*B; s = sum(C);'
    for metadata, stdin in ((CELL, True), (CELL, False), (None, False)):
        shown = plans_of(c, slow, metadata, allow_stdin=stdin)
        assert [m.type for m in shown] == ['display_data', 'update_display_data'], shown
        first, last = (m.content['data']['application/vnd.fusible.plan+json']
                       for m in shown)
        assert first['measured'] is None and last['measured'] > 0, (first, last)
        assert len({m.content['transient']['display_id'] for m in shown}) == 1
    shown = plans_of(c, slow, None, allow_stdin=True)
    assert [m.type for m in shown] == ['display_data'], shown
    plan = shown[0].content['data']['application/vnd.fusible.plan+json']
    assert plan['measured'] > 0, plan


def test_plans_in_order(k, c):
    """Plans stand in the order of their blocks, whichever are shown while they run."""
    slow = 'B = rand(1800, 1800); C = B*B; C = C*B; C = C*B; C = C*B; s = sum(C); print(s);'
    plans = plans_of(c, 'x = rand(3) + 1; time();\n' + slow + '\ny = rand(4) + 1', CELL)
    did = [m.content['data']['application/vnd.fusible.plan+json']['kernels'][0]['does']
           for m in plans if m.type == 'display_data']
    assert [d[0] for d in did] == ['x', 'B', 'y'], did


def test_plan_above_the_result(k, c):
    for code in ('rand(9, 9)*rand(9)', 'x = rand(40); y = 2*x', SLOW + '\nB[1, 1]'):
        reply, outputs = c.execute(code)
        kinds = [m.type for m in outputs if m.type != 'update_display_data']
        assert kinds[-1] == 'execute_result' and kinds[0] == 'display_data', kinds


def test_no_plan_with_errors(k, c):
    for code in ('A = rand(30, 30); q = A*rand(30);\n' + BAD,
                 BAD + '\nq = rand(30, 30)*rand(30);'):
        reply, outputs = c.execute(code)
        assert reply['status'] == 'error'
        assert [m.type for m in outputs] == ['error'], outputs
    assert not c.execute('q = rand(30, 30)*rand(30);', silent=True)[1]


def test_launched_plan_comes_early(k, c):
    """A block that runs for long shows what was predicted while it runs."""
    code = 'A = rand(3000, 3000); for k = 1:100000\n  q = A*rand(3000);\nend'
    request = c.send('execute_request', {'code': code}, metadata=CELL)
    seen = []
    while 'display_data' not in seen:
        m = c.receive()
        assert m, seen
        seen.append(m.type)
    assert 'execute_reply' not in seen
    c.ask('interrupt_request', channel='control')
    assert 'error' in types(c.collect(request))


def test_progress(k, c):
    """One display, updated at most ten times a second, and told to be over."""
    request = c.execute_request(
        't = time();\nfor k = 1:2000000000\n  if time() - t > 3.5\n'
        '    break\n  end\nend')
    got = c.collect(request)
    shown = [m for m in got if m.type in ('display_data',
                                          'update_display_data')]
    bars = [m for m in shown if 'progress' in
            m.content['transient'].get('display_id', '')]
    assert len(bars) >= 2 and bars[0].type == 'display_data', got
    assert all(m.type == 'update_display_data' for m in bars[1:])
    assert len(bars) <= 3 + 10*(got[-1].at - got[0].at), 'more than ten a second'
    assert 'done' in bars[-1].content['data']['text/plain']


def test_how_long_of_how_long(k, c):
    """In the display of the plan, from which it goes when that was measured; without plans
    in a line of its own, of which nothing stays."""
    c.execute('A = rand(3400, 3400); A[1,1] = 1; B = A*A;')
    began = time.monotonic()
    c.execute('B = A*A;')
    products = 3 + int(5/(time.monotonic() - began))  # so that it takes longer than 2 s
    block = 'begin B = A*A; ' + 'B = A*B; '*min(products, 200) + 'end'
    for plan in ('line', 'off'):
        c.execute(f':set plan {plan}')
        texts, last = {}, {}
        for m in c.collect(c.execute_request(block)):
            if m.type in ('display_data', 'update_display_data'):
                name = m.content['transient']['display_id']
                assert (m.type == 'display_data') == (name not in texts), m.type
                last[name] = m.content['data']['text/plain']
                texts[name] = texts.get(name, '') + last[name]
        told = [name for name, text in texts.items()
                if re.search(r'running · \d+ s(,| of) ~[\d.]+ m?s', text)]
        assert len(told) == 1, texts
        assert 'running' not in last[told[0]], last
        assert plan == 'line' or last[told[0]] == '', last
    c.execute(':set plan line')


def test_progress_of_what_is_done(k, c):
    """The last one shown may be of an early phase: at the end there is none."""
    c.execute('A = ones(64, 64); y = A*A[1, :]\';')
    got = c.collect(c.execute_request(':tune 1'))
    bars = [m.content['data']['text/plain'] for m in got
            if m.type in ('display_data', 'update_display_data')
            and 'progress' in m.content['transient'].get('display_id', '')]
    assert '%' in bars[0] and bars[-1].startswith('tune ·'), bars
    assert bars[-1].endswith('done') and '%' not in bars[-1], bars


def test_silent_loop_has_no_output(k, c):
    assert c.execute('for i = 1:5\n  i\nend', silent=True)[1] == []


def test_pager(k, c):
    for code in ('?rand', '??rand', ':help', ':help plan', ' ?rand \n'):
        reply, outputs = c.execute(code)
        assert reply['status'] == 'ok' and not outputs, (code, outputs)
        page, = reply['payload']
        assert page['source'] == 'page' and len(page['data']['text/plain']) > 40
    reply, outputs = c.execute('?there_is_no_such_name')
    assert reply['status'] == 'error' and outputs[-1].type == 'error'


def test_quit_asks_to_exit(k, c):
    reply, _ = c.execute(':quit')
    assert reply['status'] == 'ok'
    assert [p['source'] for p in reply['payload']] == ['ask_exit']
    assert value_of(c, '1+1') == '2'


def test_quit_in_a_notebook(k, c):
    """A notebook ignores what a console ends by: it is told what to do."""
    got = c.collect(c.send('execute_request', {'code': ':quit'}, metadata=CELL))
    assert 'Shut Down' in text_of(got, 'stderr'), got
    assert value_of(c, '1+1') == '2'


def test_clear(k, c):
    reply, outputs = c.execute('print("a")\n:clear\nprint("b")')
    assert [m.type for m in outputs] == ['stream', 'clear_output', 'stream']
    assert outputs[1].content == {'wait': False}
    assert c.execute(':clear wait')[1][0].content == {'wait': True}


# -- completion and help ------------------------------------------------------

def test_complete(k, c):
    c.execute('matrix_one = rand(3, 4);')
    reply, got = c.ask('complete_request', {'code': 'y = matrix_o', 'cursor_pos': 12})
    assert reply['matches'] == ['matrix_one'], reply
    assert (reply['cursor_start'], reply['cursor_end']) == (4, 12)
    rich = reply['metadata']['_jupyter_types_experimental']
    assert [r['text'] for r in rich] == reply['matches']
    assert rich[0]['type'] == 'instance' and '3' in rich[0]['signature']
    reply, _ = c.ask('complete_request', {'code': 'ra', 'cursor_pos': 2})
    rich = reply['metadata']['_jupyter_types_experimental']
    assert [r['text'] for r in rich] == reply['matches']
    assert len(reply['matches']) > 1


def test_code_points(k, c):
    """Positions count characters, also those beyond 16 bits."""
    code = '𨭎𨭎𨭎 = 10; matrix_o'
    c.execute('matrix_one = 1;')
    reply, _ = c.ask('complete_request', {'code': code, 'cursor_pos': len(code)})
    assert reply['matches'] == ['matrix_one'], reply
    assert reply['cursor_start'] == code.index('matrix')
    assert reply['cursor_end'] == len(code)
    reply, _ = c.ask('complete_request', {'code': '𨭎𨭎𨭎', 'cursor_pos': 3})
    assert reply['cursor_end'] == 3
    reply, _ = c.ask('inspect_request', {'code': '𨭎 + rand(', 'cursor_pos': 9,
                                         'detail_level': 0})
    assert reply['found'] and 'random' in reply['data']['text/plain'], reply


def test_inspect(k, c):
    c.execute('# twice as much\nfunction double_it(v)\n  return 2*v\nend')
    few, _ = c.ask('inspect_request', {'code': 'double_it', 'cursor_pos': 4,
                                       'detail_level': 0})
    more, _ = c.ask('inspect_request', {'code': 'double_it', 'cursor_pos': 4,
                                        'detail_level': 1})
    assert few['found'] and 'double_it' in few['data']['text/plain'], few
    assert more['found'] and len(more['data']['text/plain']) > len(
        few['data']['text/plain']), (few, more)
    none, _ = c.ask('inspect_request', {'code': 'no_such_name', 'cursor_pos': 3,
                                        'detail_level': 0})
    assert none['status'] == 'ok' and not none['found'] and none['data'] == {}


def test_is_complete(k, c):
    for code, status in (('x = 1', 'complete'), ('begin', 'incomplete'),
                         ('x = )', 'invalid'), (':help', 'complete'),
                         ('f(x, k = 1,', 'incomplete'), ('f(x, k = 1) =', 'incomplete'),
                         ('f(x, k = $', 'invalid')):
        reply, _ = c.ask('is_complete_request', {'code': code})
        assert reply['status'] == status, (code, reply)
    reply, _ = c.ask('is_complete_request', {'code': 'for k = 1:3'})
    assert reply['indent'].strip() == '' and reply['indent']


def typed(c, code, **options):
    """Runs what a person at a console or a notebook entered."""
    return c.execute(code, allow_stdin=True, **options)


def test_history(k, c):
    with Kernel() as fresh:
        with fresh.client() as d:
            d.ready()
            for code in ('a = 1', 'b = 2', 'a = 1', 'function f(x)\n  return x\nend'):
                typed(d, code)
            d.execute('secret = 1', store_history=False)
            d.execute('secret = 2', silent=True)

            def history(**how):
                return d.ask('history_request', {
                    'output': False, 'raw': True, **how})[0]['history']

            lines = history(hist_access_type='tail', n=10)
            assert [h[1:] for h in lines] == [
                [1, 'a = 1'], [2, 'b = 2'], [3, 'a = 1'],
                [4, 'function f(x)\n  return x\nend']], lines
            now = lines[0][0]
            assert history(hist_access_type='tail', n=1)[0][1] == 4
            for session in (0, now):
                some = history(hist_access_type='range', session=session,
                               start=2, stop=4)
                assert [h[1] for h in some] == [2, 3], some
            assert len(history(hist_access_type='search', pattern='a*')) == 2
            assert len(history(hist_access_type='search', pattern='a*',
                               unique=True)) == 1
            assert len(history(hist_access_type='search', pattern='? = ?',
                               n=2)) == 2
            both = d.ask('history_request', {
                'output': True, 'raw': True, 'hist_access_type': 'tail',
                'n': 4})[0]['history']
            assert both[0][2] == ['a = 1', 'a = 1'], both
            d.ask('shutdown_request', {'restart': True}, channel='control')
        fresh.process.wait(60)
        with Kernel(home=fresh.home) as second, second.client() as d:
            d.ready()
            d.execute('later = 1')
            lines = d.ask('history_request', {
                'output': False, 'raw': True, 'hist_access_type': 'tail',
                'n': 3})[0]['history']
            assert [h[2] for h in lines] == [
                'a = 1', 'function f(x)\n  return x\nend', 'later = 1'], lines
            assert lines[-1][:2] == [lines[0][0] + 1, 1], lines


def test_session_as_a_script(k, c):
    """What cells did is saved as a script, also what a later one reads as `ans`; a plan is
    chosen; what only a terminal can do is an error."""
    with Kernel() as fresh, fresh.client() as d:
        d.ready()
        path = os.path.join(fresh.home, 's.fs')
        for code in ('A = ones(300, 300); A[1, 1] = 2;', "begin q = A*ones(300); s = A'*ones(300); end",
                     '1 + 1', 'ans*3', 'oops', ':plan'):
            typed(d, code)
        assert 'it has 4 inputs, without 1' in text_of(typed(d, f':save {path}')[1])
        with open(path, encoding='utf-8') as f:
            assert f.read().endswith('end\nans = 1 + 1\nans*3\n')
        told = text_of(typed(d, ':choose 2')[1])
        assert '`:tune forget` takes it back' in told, told
        assert 'That was the tour' in text_of(typed(d, ':tour')[1])
        assert typed(d, ':edit')[0]['status'] == 'error'
        assert 'the last block: ' in text_of(typed(d, ':set threads 1')[1])


def test_long_history(k, c):
    """All of a full history, each text once, costs about what it costs as it is."""
    import tempfile
    with tempfile.TemporaryDirectory(prefix='fusible-past-') as home:
        folder = os.path.join(home, '.local/state/fusible')
        os.makedirs(folder)
        with open(os.path.join(folder, 'history'), 'w', encoding='utf-8') as f:
            for n in range(10000):
                f.write(f'#{1700000000 + n}\nx = {n % 9000}\n')
        with Kernel(home=home) as other, other.client() as d:
            d.ready()
            seconds, lines = {}, {}
            for unique in (False, True):
                began = processor_seconds(other.process.pid)
                lines[unique] = d.ask('history_request', {
                    'output': False, 'raw': True, 'hist_access_type': 'search',
                    'pattern': 'x*', 'unique': unique})[0]['history']
                seconds[unique] = processor_seconds(other.process.pid) - began
            assert len(lines[False]) == 10000, len(lines[False])
            assert [h[2] for h in lines[True]] == (
                [f'x = {n}' for n in (*range(1000, 9000), *range(1000))])
            assert seconds[True] < 5 * seconds[False] + 0.1, seconds


def test_history_is_that_of_the_prompt(k, c):
    """What is entered at one is recalled at the other."""
    with Kernel() as fresh:
        with fresh.client() as d:
            d.ready()
            typed(d, 'in_a_notebook = 1')
        path = os.path.join(fresh.home, '.local/state/fusible/history')
        with open(path, encoding='utf-8') as f:
            assert 'in_a_notebook = 1' in f.read()
        with open(path, 'a', encoding='utf-8') as f:  # as readline does
            f.write(f'#{int(time.time())}\nat_the_prompt = 2\n')
        with Kernel(home=fresh.home) as second, second.client() as d:
            d.ready()
            lines = d.ask('history_request', {
                'output': False, 'raw': True, 'hist_access_type': 'tail',
                'n': 2})[0]['history']
            assert [h[2] for h in lines] == ['in_a_notebook = 1',
                                             'at_the_prompt = 2'], lines


def history_of(c, **how):
    return [line[2] for line in c.ask('history_request', {
        'output': False, 'raw': True, 'hist_access_type': 'tail', 'n': 100,
        **how})[0]['history']]


def most_resident(mebibytes):
    """A limit of resident(): AddressSanitizer keeps what was given back."""
    with open(PROGRAM, 'rb') as program:
        return mebibytes + 256*(b'__asan_init' in program.read())


def resident(pid):
    with open(f'/proc/{pid}/status', encoding='ascii') as f:
        return next(int(line.split()[1]) for line in f if line.startswith('VmRSS')) / 1024


def test_history_of_programs(k, c):
    """What nobody typed does not go to the person's history: nbconvert and papermill
    say that nobody answers questions."""
    with Kernel() as fresh:
        with fresh.client() as d:
            d.ready()
            typed(d, 'mine = 1')
            d.execute('of_a_program = 2', allow_stdin=False)
            assert history_of(d) == ['mine = 1', 'of_a_program = 2']
        with open(os.path.join(fresh.home, '.local/state/fusible/history'),
                  encoding='utf-8') as f:
            text = f.read()
        assert 'mine = 1' in text and 'of_a_program' not in text, text


def test_history_of_blank_and_huge_inputs(k, c):
    """Neither is kept, nor read from a file that has them."""
    with Kernel() as fresh:
        path = os.path.join(fresh.home, '.local/state/fusible/history')
        with fresh.client() as d:
            d.ready()
            typed(d, 'a = 1')
            for code in ('', '  ', '\t\n\n '):
                typed(d, code)
            typed(d, 'b = 2;\n# ' + (20 << 20) * 'x')
            typed(d, 'c = 3')
            assert history_of(d) == ['a = 1', 'c = 3'], [h[:20] for h in history_of(d)]
        assert os.path.getsize(path) < 1000, os.path.getsize(path)
    with Kernel() as old:
        old.process.kill()
        old.process.wait()
        path = os.path.join(old.home, '.local/state/fusible/history')
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as f:
            for n in range(3):
                f.write(f'#17000000{n:02}\nx = {n}; # {n * (10 << 20) * "y"}\n')
        with Kernel(home=old.home) as new, new.client() as d:
            d.ready()
            assert history_of(d) == ['x = 0; # '], [h[:20] for h in history_of(d)]
            assert resident(new.process.pid) < most_resident(40), resident(new.process.pid)
            assert os.path.getsize(path) < 1000, os.path.getsize(path)


def test_comms(k, c):
    assert c.ask('comm_info_request')[0] == {'status': 'ok', 'comms': {}}
    got = c.collect(c.send('comm_open', {'comm_id': 'u1', 'target_name': 't',
                                         'data': {}}), reply=False)
    assert types(got) == ['status', 'comm_close', 'status'], got
    assert got[1].content['comm_id'] == 'u1'
    for kind in ('comm_msg', 'comm_close'):
        got = c.collect(c.send(kind, {'comm_id': 'u1', 'data': {}}), reply=False)
        assert types(got) == ['status', 'status'], got


def test_connect(k, c):
    reply, _ = c.ask('connect_request')
    assert reply['shell_port'] == k.connection['shell_port']


def test_usage(k, c):
    c.execute('A = rand(500, 500);')
    usage, _ = c.ask('usage_request', channel='control')
    assert usage['pid'] == k.process.pid and usage['kernel_memory'] > 1e6
    assert usage['cpu_count'] >= 1 and usage['host_virtual_memory']['total'] > 1e8
    assert usage['device_memory']['used'] >= 1000000, usage


def test_variables(k, c):
    c.execute('pane_a = rand(3, 4); pane_n = 42; pane_s = "text";')
    reply, _ = c.ask('debug_request', {'type': 'request', 'seq': 7,
                                       'command': 'inspectVariables'},
                     channel='control')
    assert reply['success'] and reply['request_seq'] == 7
    found = {v['name']: v for v in reply['body']['variables']}
    assert '3' in found['pane_a']['type'] and '4' in found['pane_a']['type']
    assert found['pane_n']['value'] == '42' and found['pane_s']['value'] == '"text"'
    a = found['pane_a']
    assert (a['name'], a['evaluateName'], a['type'], a['value'], a['shape'], a['bytes'],
            a['where'], a['variablesReference']) == (
                'pane_a', 'pane_a', 'f32[3\u00d74]', 'f32[3\u00d74]', [3, 4], 48, 'cpu',
                0), a
    assert not {'text', 'source', 'stamp'} & set(a), a
    memory = reply['body']['memory']
    assert memory['used'] >= 48 and memory['free'] > 0 and memory['device'], memory
    rich, _ = c.ask('debug_request', {
        'type': 'request', 'seq': 8, 'command': 'richInspectVariables',
        'arguments': {'variableName': 'pane_n'}}, channel='control')
    assert '42' in rich['body']['data']['text/plain']
    info, _ = c.ask('debug_request', {'type': 'request', 'seq': 9,
                                      'command': 'debugInfo'}, channel='control')
    assert info['body']['isStarted'] is False
    other, _ = c.ask('debug_request', {'type': 'request', 'seq': 10,
                                       'command': 'next'}, channel='control')
    assert other['success'] is False


# -- the queue ----------------------------------------------------------------

def queue(c, codes, **options):
    """Sends all at once; gives the replies in the order of the codes."""
    names = [c.execute_request(code, **options) for code in codes]
    info = c.send('kernel_info_request')
    replies, idle = {}, set()
    while not set(names) | {info} <= set(replies) & idle:
        m = c.receive()
        assert m, (replies, idle)
        parent = m.parent.get('msg_id')
        if m.channel == 'shell':
            replies[parent] = m.content
        if m.type == 'status' and m.content['execution_state'] == 'idle':
            idle.add(parent)
    assert replies[info]['status'] == 'ok'
    return [replies[n] for n in names]


def test_queue_is_dropped_after_an_error(k, c):
    c.execute('done = 0;')
    slow = 'for k = 1:4000000\n  n = k;\nend\n'  # until all were sent
    replies = queue(c, [slow + 'done = 1;', 'sleep_a = 1;\n' + BAD] +
                    [f'done = {i};' for i in range(2, 12)])
    assert [r['status'] for r in replies] == ['ok'] + 11*['error']
    assert {r['ename'] for r in replies[2:]} == {'Aborted'}
    assert value_of(c, 'done') == 'done = 1'


def test_queue_goes_on_without_stop_on_error(k, c):
    replies = queue(c, [BAD, 'done = 5;', 'done = 6;'], stop_on_error=False)
    assert [r['status'] for r in replies] == ['error', 'ok', 'ok']
    assert value_of(c, 'done') == 'done = 6'


def test_later_requests_are_not_aborted(k, c):
    for _ in range(20):
        name = c.execute_request(BAD)
        while c.receive().channel != 'shell':
            pass
        follow = c.execute_request('1+1')
        got = c.collect(follow)
        reply = next(m for m in got if m.channel == 'shell')
        assert reply.content['status'] == 'ok', reply
        del name


def test_late_requests_of_a_run_all_are_aborted(k, c):
    """Sent before the error, and on the way when it came."""
    import datetime
    for _ in range(5):
        before = datetime.datetime.now(datetime.timezone.utc).strftime(
            '%Y-%m-%dT%H:%M:%S.%fZ')
        time.sleep(0.005)
        name = c.execute_request(BAD)
        while c.receive().channel != 'shell':
            pass
        late = c.send('execute_request', {'code': '1+1'}, date=before)
        got = c.collect(late)
        reply = next(m for m in got if m.channel == 'shell')
        assert reply.content['status'] == 'error', reply
        assert reply.content['ename'] == 'Aborted', reply
        assert 'execution_count' not in reply.content, reply
        del name
    assert value_of(c, '2+2') == '4'


def utc(offset=0.0):
    """The date as a client writes it whose clock is off by so many seconds."""
    import datetime
    when = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(
        seconds=offset)
    return when.strftime('%Y-%m-%dT%H:%M:%S.%fZ')


def test_clocks_that_differ(k, c):
    """What is sent after a failure runs, by whatever clock it was sent; what was sent
    before it does not."""
    for offset in (-7200, -3, -0.5, 3, 7200):
        with k.client() as d:
            d.ready()
            early = utc(offset)
            time.sleep(0.05)
            failing = d.send('execute_request', {'code': BAD}, date=utc(offset))
            d.collect(failing)
            time.sleep(0.15)  # a person has seen it
            for date, status in ((early, 'error'), (utc(offset), 'ok')):
                got = d.collect(d.send('execute_request', {'code': '1+1'}, date=date,
                                       metadata=CELL))
                reply = next(m for m in got if m.channel == 'shell').content
                assert reply['status'] == status, (offset, date, reply)
            with k.client() as other:
                other.ready()
                got = other.collect(other.send('execute_request', {'code': '1+1'},
                                               date=early))
                reply = next(m for m in got if m.channel == 'shell').content
                assert reply['status'] == 'ok', 'another client sent it'


def test_interrupt_drops_the_queue(k, c):
    request = busy(c)
    others = [c.execute_request('after = 1;') for _ in range(3)]
    reply, _ = c.ask('interrupt_request', channel='control')
    assert reply == {'status': 'ok'}
    for name in (request, *others):
        got = c.collect(name)
        content = next(m for m in got if m.channel == 'shell').content
        assert content['status'] == 'error', content
        assert content['ename'] in ('interrupted', 'Aborted'), content
    c.stray.clear()
    assert value_of(c, '1+1') == '2'


# -- interrupts, shutdown, the end --------------------------------------------

def test_interrupt_when_idle(k, c):
    for _ in range(5):
        c.ask('interrupt_request', channel='control')
        os.kill(k.process.pid, signal.SIGINT)
    time.sleep(0.1)
    assert value_of(c, '1+1') == '2'


def test_interrupt_by_signal(k, c):
    c.execute('kept = 7;')
    request, worker = busy(c), k.worker()
    os.kill(k.process.pid, signal.SIGINT)
    got = c.collect(request)
    assert k.worker() == worker, 'it had to be replaced'
    reply = next(m for m in got if m.channel == 'shell')
    assert reply.content['ename'] == 'interrupted', reply
    assert value_of(c, 'kept') == 'kept = 7'


def test_shutdown_from_any_state(k, c):
    for state in ('idle', 'busy', 'queued', 'stopped worker'):
        for restart in (False, True):
            with Kernel() as fresh, fresh.client() as d:
                d.ready()
                d.execute('1')
                worker = fresh.worker()
                if state != 'idle':
                    busy(d)
                if state == 'queued':
                    for _ in range(10):
                        d.execute_request('1')
                if state == 'stopped worker':
                    os.kill(worker, signal.SIGSTOP)
                reply, got = d.ask('shutdown_request', {'restart': restart},
                                   channel='control')
                assert reply == {'status': 'ok', 'restart': restart}, reply
                assert 'shutdown_reply' in types(got), got
                fresh.process.wait(600)
                assert fresh.process.returncode == 0, state
                assert not os.path.exists(f'/proc/{worker}'), state


def test_shutdown_on_shell(k, c):
    with Kernel() as fresh, fresh.client() as d:
        d.ready()
        reply, _ = d.ask('shutdown_request', {'restart': False})
        assert reply == {'status': 'ok', 'restart': False}
        fresh.process.wait(60)


def test_sigterm(k, c):
    with Kernel() as fresh, fresh.client() as d:
        d.ready()
        worker = fresh.worker()
        busy(d)
        fresh.process.send_signal(signal.SIGTERM)
        fresh.process.wait(60)
        assert not os.path.exists(f'/proc/{worker}')


def test_killed_kernel_leaves_nothing(k, c):
    """What holds the device ends with the kernel, however that ends."""
    for state in ('idle', 'busy'):
        with Kernel() as fresh, fresh.client() as d:
            d.ready()
            d.execute('1')
            worker = fresh.worker()
            if state == 'busy':
                busy(d)
            fresh.process.kill()
            fresh.process.wait()
            end = time.monotonic() + 600
            while os.path.exists(f'/proc/{worker}') and time.monotonic() < end:
                time.sleep(0.02)
            assert time.monotonic() < end, state


def test_parent_death(k, c):
    """A kernel whose server is gone ends, with its worker."""
    import subprocess
    from client import free_ports
    home = folder('orphan')
    connection = {'transport': 'tcp', 'ip': '127.0.0.1', 'key': 'orphan',
                  'signature_scheme': 'hmac-sha256'}
    for name, port in zip(CHANNELS, free_ports(5)):
        connection[name + '_port'] = port
    path = os.path.join(home, 'c.json')
    with open(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600), 'w') as f:
        json.dump(connection, f)
    code = ('import subprocess, sys, time\n'
            f'p = subprocess.Popen([{PROGRAM!r}, "-f", {path!r}], '
            'start_new_session=True)\nprint(p.pid, flush=True)\ntime.sleep(60)')
    parent = subprocess.Popen(
        [sys.executable, '-c', code], stdout=subprocess.PIPE, text=True,
        env={**os.environ, 'HOME': home, 'JPY_PARENT_PID': '1',
             'FUSIBLE_TARGET': 'cpu'})
    pid = int(parent.stdout.readline())
    with Client(connection) as d:
        d.ready()
        busy(d)
    parent.kill()
    parent.wait()
    end = time.monotonic() + 600
    while os.path.exists(f'/proc/{pid}') and time.monotonic() < end:
        with open(f'/proc/{pid}/stat', encoding='ascii') as f:
            if f.read().rsplit(')', 1)[1].split()[0] == 'Z':
                break
        time.sleep(0.05)
    assert time.monotonic() < end, 'the kernel is still there'


# -- sockets ------------------------------------------------------------------

def test_welcome(k, c):
    for topic in (b'', b'kernel.', b'x'):
        with Client(k.connection, subscribe=False) as d:
            d.sockets['iopub'].setsockopt(zmq.SUBSCRIBE, topic)
            m = d.receive()
            assert m and m.type == 'iopub_welcome', m
            assert m.content == {'subscription': topic.decode()}, m
            assert m.parent == {} and m.topic == [topic]


def test_many_subscribers(k, c):
    with k.client() as a, k.client() as b:
        for d in (a, b):
            d.ready()
        request = a.execute_request('print("for all")')
        a.collect(request)
        seen = b.collect(request, reply=False)
        assert text_of(seen) == 'for all\n', seen


def test_reload_while_busy(k, c):
    """A page that was reloaded comes back with the same identity."""
    with Client(k.connection, identity=b'page') as first:
        first.ready()
        busy(first)
    with Client(k.connection, identity=b'page') as second:
        second.ready()
        second.ask('interrupt_request', channel='control')
        end = time.monotonic() + 600
        while time.monotonic() < end:
            reply, _ = second.execute('1+1')
            if reply['status'] == 'ok':
                break
        assert reply['status'] == 'ok'


def test_ipc(k, c):
    for end in ('signal', 'request'):
        with Kernel(transport='ipc') as other:
            with other.client() as d:
                d.ready()
                assert value_of(d, '1+1') == '2'
                d.beat()
                if end == 'request':
                    d.ask('shutdown_request', {'restart': False}, channel='control')
                else:
                    other.process.terminate()
                other.process.wait(60)
            left = [name for name in os.listdir(other.home) if name.startswith('k-')]
            assert not left, (end, left)


def test_recording_after_a_restart(k, c):
    """A message that an earlier kernel with the same key took is not taken again."""
    with Kernel() as first:
        with first.client() as d:
            d.ready()
            name, frames = d.frames('execute_request', {'code': 'x = 41;'})
            d.sockets['shell'].send_multipart(frames)
            d.collect(name)
        with open(os.path.join(first.home, 'log'), encoding='utf-8') as f:
            before = f.read()
        first.process.kill()
        first.process.wait()
        with Kernel(home=first.home, connection=first.connection) as second:
            with second.client() as d:
                d.ready()
                d.sockets['shell'].send_multipart(frames)
                d.execute('1;')
                reply, _ = d.execute('x')
                assert reply['ename'] == 'unknown-name', reply
                assert 'it came before' in second.said(), (before, second.said())


def test_warning_of_a_network(k, c):
    """Off the own machine messages should be encrypted."""
    for change, warned in (({'ip': '0.0.0.0'}, True), ({}, False)):
        with Kernel(connection=change) as other:
            with Client({**other.connection, 'ip': '127.0.0.1'}) as d:
                d.ready()
            assert ('WITHOUT ENCRYPTION' in other.said()) == warned, other.said()


def test_sha512(k, c):
    """The other scheme that Jupyter's own programs can be set to."""
    with Kernel(connection={'signature_scheme': 'hmac-sha512'}) as other:
        with other.client() as d:
            d.ready()
            assert value_of(d, '1+1') == '2'
            name, frames = d.frames('execute_request', {'code': 'forged = 1'})
            frames[1] = frames[1][:64]  # as long as one of the other scheme
            d.sockets['shell'].send_multipart(frames)
            assert d.execute('forged')[0]['ename'] == 'unknown-name'


def test_registration(k, c):
    """A launcher that gives no ports is told them, by a signed message; one that
    does not sign its answer is left."""
    context = zmq.Context()
    for honest in (True, False):
        launcher = context.socket(zmq.ROUTER)
        port = launcher.bind_to_random_port('tcp://127.0.0.1')
        nothing = {name + '_port': None for name in CHANNELS}
        with Kernel(connection={'registration_port': port, 'kernel_id': 'abc',
                                'registration_ip': '127.0.0.1', **nothing}
                    ) as other:
            assert launcher.poll(60000)
            who, mark, signature, content = launcher.recv_multipart()
            key = other.connection['key'].encode()

            def sign(text):
                return hmac.new(key, text, hashlib.sha256).hexdigest().encode()

            assert mark == b'<IDS|MSG>' and signature == sign(content)
            told = json.loads(content)
            assert told.pop('kernel_id') == 'abc' and len(told) == 5, told
            launcher.send_multipart([who, mark, sign(b'ACK' if honest else b''),
                                     b'ACK'])
            if honest:
                with Client({**other.connection, **{
                        name: int(p) for name, p in told.items()}}) as d:
                    d.ready()
                    assert value_of(d, '1+1') == '2'
            else:
                assert other.process.wait(60) == 3
        launcher.close(0)
    context.term()


def test_without_key(k, c):
    with Kernel(key='') as refused:
        assert refused.process.wait(60) == 3
        assert 'key' in refused.said()
    with Kernel(key='', args=['--no-key']) as open_to_all:
        with open_to_all.client() as d:
            d.ready()
            assert value_of(d, '1+1') == '2'
        assert 'WITHOUT A KEY' in open_to_all.said()


def test_curve(k, c):
    public, secret = zmq.curve_keypair()
    with Kernel(connection={'curve_publickey': public.decode(),
                            'curve_secretkey': secret.decode()}) as sealed:
        with sealed.client(server_key=public, keys=zmq.curve_keypair()) as d:
            d.ready()
            assert value_of(d, '1+1') == '2'
            d.beat()
        with sealed.client() as plain:
            try:
                plain.ready(timeout=0.7)
            except Failure:
                pass
            else:
                assert False, 'answered without encryption'
        wrong, _ = zmq.curve_keypair()
        with sealed.client(server_key=wrong, keys=zmq.curve_keypair()) as d:
            try:
                d.ready(timeout=0.7)
            except Failure:
                pass
            else:
                assert False, 'answered to a wrong key'


def test_bad_connection_files(k, c):
    cases = [({'signature_scheme': 'hmac-md5'}, 'scheme'),
             ({'transport': 'udp'}, 'transport'),
             ({'shell_port': 0}, 'shell_port'),
             ({'hb_port': 70000}, 'hb_port'),
             ({'curve_publickey': 40*'a'}, 'curve'),
             ({'curve_publickey': 20*'\u00e9', 'curve_secretkey': 40*'a'},
              'curve keys cannot be used'),
             ({'curve_secretkey': 50*'a'}, 'curve_secretkey is too long'),
             ({'key': 1000*'k'}, "key is too long"),
             ({'signature_scheme': 100*'k'}, 'signature_scheme is too long'),
             ({'transport': 100*'k'}, 'transport is too long'),
             ({'ip': 1000*'1'}, 'ip is too long'),
             ({'shell_port': None, 'registration_port': 1,
               'registration_ip': 1000*'1'}, 'registration_ip is too long'),
             ({'shell_port': None, 'registration_port': 1,
               'kernel_id': 1000*'1'}, 'kernel_id is too long'),
             ({'ip': '192.0.2.1'}, 'cannot listen')]
    for change, word in cases:
        with Kernel(connection=change) as bad:
            assert bad.process.wait(60) == 3, (change, bad.said())
            assert word in bad.said(), (change, bad.said())


def test_heartbeat(k, c):
    for _ in range(20):
        c.beat()
    s = c.sockets['hb']
    for n in (0, 1, 1000):
        s.send(n * b'x')
        assert s.poll(60000) and s.recv() == n * b'x'


# -- input --------------------------------------------------------------------

def answer(c, value, password=None):
    while True:
        m = c.receive()
        assert m, 'nothing is asked'
        if m.type == 'input_request':
            break
    c.send('input_reply', {'value': value}, channel='stdin')
    return m


def test_input(k, c):
    request = c.execute_request('name = ask("who? ")', allow_stdin=True)
    asked = answer(c, 'the user')
    assert asked.content == {'prompt': 'who? ', 'password': False}, asked
    got = c.collect(request)
    assert 'the user' in str([m.content for m in got]), got
    request = c.execute_request('word = ask("word? ", true);', allow_stdin=True)
    asked = answer(c, 'secret')
    assert asked.content == {'prompt': 'word? ', 'password': True}, asked
    got = c.collect(request)
    assert 'secret' not in str([m.content for m in got]), got


def test_input_comes_after_output(k, c):
    request = c.execute_request('print("first")\nname = ask("second")',
                                allow_stdin=True)
    seen = []
    while not seen or seen[-1].type != 'input_request':
        seen.append(c.receive())
    time.sleep(0.1)
    assert text_of(seen) == 'first\n', seen
    c.send('input_reply', {'value': 'x'}, channel='stdin')
    c.collect(request)


def test_input_from_another_client(k, c):
    """Only who was asked answers."""
    request = c.execute_request('name = ask("who? ")', allow_stdin=True)
    with k.client() as d:
        d.ready()
        while c.receive().type != 'input_request':
            pass
        d.send('input_reply', {'value': 'an intruder'}, channel='stdin')
        d.ask('kernel_info_request')
        time.sleep(0.2)
    c.send('input_reply', {'value': 'the user'}, channel='stdin')
    got = c.collect(request)
    assert 'the user' in str(got) and 'intruder' not in str(got), got


def test_input_is_interruptible(k, c):
    request = c.execute_request('name = ask("who? ")', allow_stdin=True)
    while c.receive().type != 'input_request':
        pass
    worker = k.worker()
    c.ask('interrupt_request', channel='control')
    c.collect(request)
    assert k.worker() == worker, 'it had to be replaced'
    c.send('input_reply', {'value': 'too late'}, channel='stdin')
    request = c.execute_request('name = ask("again? ")', allow_stdin=True)
    answer(c, 'in time')
    got = c.collect(request)
    assert 'in time' in str([m.content for m in got]), got


def test_input_that_is_not_allowed(k, c):
    reply, _ = c.execute('name = ask("who? ")', allow_stdin=False)
    assert reply['status'] == 'error', reply


def test_input_in_a_user_expression(k, c):
    """Nobody answers it: it ends at once, and what follows runs."""
    for stdin in (True, False):
        reply, _ = c.execute('1;', allow_stdin=stdin, user_expressions={
            'a': 'ask("who? ")', 'b': '40+2'})
        answers = reply['user_expressions']
        assert answers['a']['status'] == 'error', answers
        assert answers['b']['data']['text/plain'] == '42', answers
    assert value_of(c, '1+1') == '2'


# -- while an input runs ------------------------------------------------------

def test_answers_while_busy(k, c):
    """Nothing waits for the input that runs: each kind of request, often."""
    with k.client() as d:
        d.ready()
        request = busy(c)
        times = {}
        for _ in range(20):
            for kind, content in (
                    ('complete_request', {'code': 'ran', 'cursor_pos': 3}),
                    ('inspect_request', {'code': 'rand', 'cursor_pos': 3,
                                         'detail_level': 0}),
                    ('is_complete_request', {'code': 'begin'}),
                    ('history_request', {'hist_access_type': 'tail', 'n': 5}),
                    ('kernel_info_request', {}), ('comm_info_request', {})):
                began = time.monotonic()
                d.ask(kind, content)
                times.setdefault(kind, []).append(time.monotonic() - began)
            times.setdefault('heartbeat', []).append(d.beat())
        for kind, list_ in times.items():  # test_figures has how soon
            middle = sorted(list_)[len(list_) // 2]
            assert middle < 5, (kind, middle)
        c.ask('interrupt_request', channel='control')
        c.collect(request)


def main():
    return run_tests(globals())


if __name__ == '__main__':
    sys.exit(main())
