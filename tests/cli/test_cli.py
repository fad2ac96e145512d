#!/usr/bin/python3
"""Modes, exit codes and streams of the program.  usage: test_cli.py [PATTERN]"""
import json
import os
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import zipfile
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from score import await_handler, spent  # noqa: E402

PROGRAM = os.path.abspath(os.environ.get('FUSIBLE', 'build/fusible'))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
HOME = tempfile.mkdtemp(prefix='fusible-cli-')
BAD = 'x = nowhere_to_be_found'
PLANNED = 'A = rand(64, 64); p = rand(64);\nq = A*p;\nprint(size(q, 1))\n'


def environment(**extra):
    env = {k: v for k, v in os.environ.items()
           if not k.startswith(('FUSIBLE', 'XDG_', 'NO_COLOR', 'FORCE_COLOR',
                                'CLICOLOR'))}
    env.update(HOME=HOME, LC_ALL='C.UTF-8', TERM='xterm')
    env.update(extra)
    return env


class Result:
    def __init__(self, done):
        self.code, self.out, self.err = (done.returncode, done.stdout,
                                         done.stderr)

    def __repr__(self):
        return f'code {self.code}\nout: {self.out!r}\nerr: {self.err!r}'


def fusible(*args, stdin='', target='cpu', **env):
    extra = ['--target', target] if target else []
    return Result(subprocess.run(
        [PROGRAM, *extra, *args], input=stdin, capture_output=True, text=True,
        env=environment(**env), cwd=HOME, timeout=600))


def script(name, text):
    path = os.path.join(HOME, name)
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)
    return path


def check(result, code, out=None, err=None):
    """`out` and `err`: a text that must be in, or '' for nothing at all."""
    assert result.code == code, result
    for wanted, got in ((out, result.out), (err, result.err)):
        if wanted == '':
            assert got == '', result
        elif wanted is not None:
            assert wanted in got, result
    return result


# -- modes --------------------------------------------------------------------

def test_code():
    check(fusible('-e', 'a = 40 + 2'), 0, 'a = 42', '')


def test_code_repeated():
    check(fusible('-e', 'b = 40;', '-e', 'a = b + 2'), 0, 'a = 42', '')
    check(fusible('-eb = 40;', '--eval=a = b + 2'), 0, 'a = 42', '')


def test_file():
    path = script('a.fs', 'b = 40;\na = b + 2\n')
    check(fusible(path), 0, 'a = 42', '')
    check(fusible('run', path), 0, 'a = 42', '')
    check(fusible('-i', path, stdin='c = a + 1\n'), 0, 'c = 43')


def test_file_with_inputs():
    path = script('in.fs', 'input n;\na = n + 2\n')
    check(fusible('run', path, 'n=40'), 0, 'a = 42', '')
    check(fusible(path, 'n=40'), 0, 'a = 42', '')
    check(fusible('n=40', path), 0, 'a = 42', '')


def test_size_that_is_no_number():
    path = script('declared.fs', 'matrix A;\ninput A;\nprint(size(A, 1))\n')
    check(fusible(path, 'n=40'), 0, '40', '')
    for size in ('40x', '4O', '1.5'):
        check(fusible(path, f'n={size}'), 1, '', 'n must be')


def test_inputs_that_nothing_reads():
    path = script('unread.fs', 'vector x; input x; tol = 1e-3;\nif size(x, 1) > 99\n'
                  'lots\nend\nf(k) = k*m;\nprint(f(2), tol)\n')
    check(fusible(path, 'n=4', 'm=3'), 0, '6', '')
    check(fusible(path, 'n=4', 'm=3', 'lots=5'), 0, '6', '')  # the branch is not taken
    check(fusible(path, 'm=3', 'Tol=2'), 1, None, 'lots')  # the error is enough
    for name, hint in (('N', 'n'), ('Tol', 'tol'), ('y', None), ('k', None)):
        given = ['m=3'] + ['n=4'] * (name != 'N') + [f'{name}=4']
        r = check(fusible('-e', ':set n 4', path, *given), 0, '6 0.001',
                  f"warning: nothing has read the input '{name}'\n")
        assert (f"hint: did you mean '{hint}'?" in r.err) == bool(hint), r
    r = check(fusible(path, 'n=4', 'm=3', 'tol=5'), 0, '6 0.001', "'tol' is not read")
    assert r.err.count('\n') == 1, r
    check(fusible('-i', path, 'n=4', 'm=3', 'y=1', stdin='y + 1'), 0, '2', '')
    for text in ('if false; y; end', 'f(x) = x*y;', 'f(x, y = y) = x*y;',
                 'function g()\nreturn z -> z + y\nend'):
        check(fusible('-e', text, script('rest.fs', ''), 'y=1'), 0, '', '')
    for text in (':save all.npz', ':save y.npy y', 'g = x -> x + y;', 'y += 1', 'input y;'):
        check(fusible('-e', text, script('rest.fs', ''), 'y=1'), 0, None, '')


def test_stdin():
    check(fusible(stdin='a = 40 + 2\n'), 0, 'a = 42', '')
    check(fusible('-', stdin='a = 40 + 2'), 0, 'a = 42', '')
    check(fusible(stdin=''), 0, '', '')


def test_code_before_file_in_order():
    path = script('second.fs', 'a = b + 2\n')
    check(fusible('-e', 'b = 40;', path), 0, 'a = 42')
    check(fusible(path, '-e', 'b = 40;'), 1)


def test_prompt_without_terminal():
    r = check(fusible('-i', stdin='a = 40 + 2\nbegin\nb = 50 + 3\nend\n'), 0,
              'a = 42')
    assert 'b = 53' in r.out and 'fs>' not in r.out, r
    assert 'fs>' not in fusible('-iq', stdin='a = 1\n').err


def test_prompt_goes_on_after_error():
    check(fusible('-i', stdin=BAD + '\na = 40 + 2\n'), 0, 'a = 42', 'error')


def test_quit():
    check(fusible('-e', ':quit', '-e', BAD), 0, '', '')
    check(fusible(stdin=':quit\n' + BAD + '\n'), 0, '', '')


def test_options_after_file():
    path = script('after.fs', PLANNED)
    check(fusible(path, '--plan', 'line'), 0, '64', 'kernel')


def test_relative_to_where_one_is():
    script('near.fs', 'a = 40 + 2\n')
    check(fusible('near.fs'), 0, 'a = 42')


# -- exit codes ---------------------------------------------------------------

def test_error_stops_a_script():
    path = script('bad.fs', 'a = 40 + 2\n' + BAD + '\nb = 50 + 3\n')
    r = check(fusible(path), 1, 'a = 42', 'error')
    assert 'b = 53' not in r.out
    assert 'bad.fs:2:' in r.err, r


def test_keep_going():
    path = script('bad2.fs', 'a = 40 + 2\n' + BAD + '\nbegin\nb = 50 + 3\n'
                             'end\n)\nc = 1 + 5\n')
    r = check(fusible('--keep-going', path), 1, 'a = 42', 'error')
    assert 'b = 53' in r.out and 'c = 6' in r.out, r
    assert 'bad2.fs:2:' in r.err and 'bad2.fs:6:' in r.err, r
    check(fusible('-k', '-e', BAD, '-e', 'a = 40 + 2'), 1, 'a = 42')


def test_keep_going_ends_at_return():
    """A `return` ends its script, and no other; one in a function ends no script."""
    path = script('ends.fs', f'f(x) = x + 1;\nfunction g(x)\n  return 3*x\nend\n{BAD}\n'
                  'a = g(2)\nif a > 5\n  b = 7\n  return\nend\nc = 8\n')
    for more in [], ['-i', '-q']:
        r = fusible('-k', path, '-e', ':memory', '-e', 'd = f(8)', *more)
        assert 'a = 6' in r.out and 'b = 7' in r.out and 'd = 9' in r.out, r
        assert 'c = 8' not in r.out and r.err.count('error') == 1, r
    assert fusible('-k', path).code == 1
    check(fusible('-k', '-e', 'return', '-e', 'a = 40 + 2'), 0, 'a = 42')


def test_keep_going_names_lines():
    """Lines are those of the script, also of a text that comes again, and `:history`
    has the statements alone."""
    path = script('lines.fs', f'a = 1;\n\n{BAD}\nv = ones(1000);\n\nw = 2*v + 1;\n'
                              f':code lines sm_80\n{BAD}\n:nonsense\ny = (1 +* 2)\n'
                              ':history\n')
    for more in [], ['-i', '-q']:
        r = fusible('-k', path, *more)
        assert re.findall(r'lines.fs:(\d+):(\d+): ', r.err) == [
            ('3', '5'), ('8', '5'), ('9', '1'), ('10', '9')], r
        assert '#line 6 ' in r.out and '#line 1 ' not in r.out, r
        assert r.out.endswith('    4  w = 2*v + 1;\n    5  :code lines sm_80\n'
                              f'    6  {BAD}\n    7  :nonsense\n    8  y = (1 +* 2)\n'), r


def test_keep_going_long():
    """A statement costs the same wherever in the script it stands."""
    path = script('long.fs', ''.join(f'x = {k};\n' for k in range(20000)) + BAD)
    began = spent()
    r = check(fusible('-k', path), 1)
    assert 'long.fs:20001:5:' in r.err and spent() - began < 10, r


def test_incomplete_script():
    check(fusible('-e', 'a = (1 +'), 1, None, 'error')
    check(fusible('-e', 'while true'), 1, None, 'error')


def test_usage_errors():
    for args in (['--nonsense'], ['-Z'], ['-e'], ['--plan', 'nice'],
                 ['--target', 'tpu'], ['--target', 'cuda:x'],
                 ['--threads', '-1'], ['--threads', '1.5'], ['--json=1'],
                 ['a.fs', 'b.fs'], ['run'], ['--color', 'red']):
        check(fusible(*args, target=None), 2, '', 'fusible: ')
    assert '--target?' in fusible('--targt').err


def test_unreadable_scripts():
    check(fusible('nowhere.fs'), 2, '', 'cannot read nowhere.fs')
    check(fusible(HOME), 2, '', 'directory')


def test_scripts_without_end():
    """Pipes and devices are read up to the length that a script may have."""
    check(fusible('/dev/zero'), 2, '', 'cannot read /dev/zero: it has more than 16 MiB')
    check(fusible(stdin='a = 1\n' * (3 << 20)), 2, '', 'standard input: it has more than')
    check(fusible('/dev/stdin', stdin='a = 1'), 0, 'a = 1', '')
    fifo = os.path.join(HOME, 'fifo.fs')
    os.mkfifo(fifo)
    try:  # the other end stays open: who waits for its end waits for ever
        fd = os.open(fifo, os.O_RDWR | os.O_CLOEXEC)
        for text in (f'import "{fifo}"', 'import "/dev/zero"', f':elem {fifo}',
                     ':elem /dev/zero'):
            check(fusible('-e', text), 3, '', 'not a regular file')
        os.close(fd)
    finally:
        os.unlink(fifo)


def test_no_device():
    r = fusible('-e', 'a = 1', target='cuda:99')
    check(r, 3, '', 'fusible: ')
    assert len(r.err.strip().splitlines()) <= 2, r


def test_interrupted_script():
    process = subprocess.Popen(
        [PROGRAM, '--target', 'cpu', '-e', 'print("started")',
         '-e', 'k = 0; while true; k = k + 1; end'],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
    try:
        ready, _, _ = select.select([process.stdout], [], [], 60)
        assert ready, 'no output'
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=600)
        assert process.returncode == 130, process.returncode
    finally:
        process.kill()


def test_interrupted_while_reading():
    process = subprocess.Popen([PROGRAM], stdin=subprocess.PIPE,
                               env=environment())
    assert await_handler(process.pid)
    process.send_signal(signal.SIGINT)
    assert process.wait(600) == 130
    process.stdin.close()


def test_without_streams():
    """No file of ours lies where a stream is missing: what is printed is lost, and
    told by the exit status."""
    code = 'print("lost"); save("kept.npy", [1.0]); print(sum(load("kept.npy")))'
    for closed in ((1,), (0, 1), (1, 2), (0, 1, 2)):
        done = subprocess.run(
            [PROGRAM, '--target', 'cpu', '-e', code], env=environment(), cwd=HOME,
            check=False, close_fds=False,
            preexec_fn=lambda closed=closed: [os.close(fd) for fd in closed])
        assert done.returncode == 3, (closed, done.returncode)
    done = subprocess.run([PROGRAM, '--target', 'cpu', '-e', 'print(7)'], check=False,
                          stdout=subprocess.PIPE, env=environment(), close_fds=False,
                          preexec_fn=lambda: (os.close(0), os.close(2)))
    assert (done.returncode, done.stdout) == (0, b'7\n'), done


def test_closed_output():
    if not os.path.exists('/dev/full'):
        return
    with open('/dev/full', 'w', encoding='ascii') as full:
        done = subprocess.run([PROGRAM, '--target', 'cpu', '-e', 'a = 42'],
                              stdout=full, env=environment(), check=False)
    assert done.returncode == 3, done.returncode


# -- streams ------------------------------------------------------------------

def test_limit_of_file_size():
    with tempfile.TemporaryDirectory() as folder:
        code = (f'x = rand(100000);\nsave("{folder}/x.npy", x)\nprint(7)')
        done = subprocess.run(
            [PROGRAM, '--target', 'cpu', '-k', '-e', code], capture_output=True,
            text=True, env=environment(), check=False, preexec_fn=lambda:
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
        assert done.returncode == 3, done
        assert 'x.npy: File too large' in done.stderr and done.stdout == '7\n', done
        assert not os.listdir(folder)


def test_help_and_version():
    r = check(fusible('--help'), 0, '--target', '')
    assert max(map(len, r.out.splitlines())) <= 100, r
    check(fusible('-h'), 0, 'usage:', '')
    assert re.fullmatch(r'fusible \d+\.\d+\.\d+\n', fusible('--version').out)


def test_manual_page_is_up_to_date():
    generated = fusible('--man', target=None).out
    with open(os.path.join(ROOT, 'docs/fusible.1'), encoding='utf-8') as f:
        assert generated in f.read(), 'run `make man`'


def test_plans():
    path = script('plan.fs', PLANNED)
    check(fusible(path), 0, '64', '')
    check(fusible('--plan', 'off', path), 0, '64', '')
    r = check(fusible('--plan', 'line', path), 0, '64')
    assert 'kernel' not in r.out, r
    assert re.search(r'\d kernels? .*predicted .*measured', r.err), r
    r = check(fusible('--plan=box', path), 0, '64', '╭')
    assert '╰ planned in' in r.err and '╭' not in r.out, r
    check(fusible(path, FUSIBLE_PLAN='box'), 0, '64', '╭')
    check(fusible(path, FUSIBLE_PLAN='bad'), 2, '', 'FUSIBLE_PLAN')


def test_plan_set_in_the_script():
    path = script('set.fs', ':set plan box\n' + PLANNED)
    check(fusible(path), 0, '64', '╭')


def test_commands_without_utf8():
    r = check(fusible('-e', ':time on', '-e', ':device', '-e', 'x = ones(9);',
                      LC_ALL='C'), 0, ' us a kernel', ' us')
    (r.out + r.err).encode('ascii')


def test_device_names_the_library():
    """With the processor that its kernels are for, and what chose them; what the user
    chose stays."""
    r = check(fusible('-e', ':device', OPENBLAS_CORETYPE=''), 0)
    library = [l for l in r.out.splitlines() if l.startswith('  LAPACK')]
    assert len(library) == 1, r.out
    if 'OpenBLAS' not in library[0] or ', avx' not in r.out:
        return
    core = 'SkylakeX' if 'avx512' in r.out else 'Haswell'
    assert f"kernels for {core} (chosen by the processor's features)" in library[0], r.out
    r = check(fusible('-e', ':device', OPENBLAS_CORETYPE='Nehalem'), 0)
    assert 'kernels for Nehalem (chosen by OPENBLAS_CORETYPE)' in r.out, r.out


def test_explain():
    check(fusible('-e', ':explain y = 2*ones(9)'), 0, None, 'y = 2*ones(9)')
    check(fusible('-e', ':explain print(1)'), 0, 'this needs no kernel\n', '')


def test_wrong_words_of_commands():
    for line, words in ((':vars x', ':vars [json]'), (':quit now', 'no words'),
                        (':fuse maybe', ':fuse on, :fuse off'),
                        (':set n 0', '1 or more'),
                        (':set width 3', '20 to 1000'),
                        (':plan off', ':set plan line'),
                        (':plan json a.json', 'takes no file'),
                        (':plan off a.json', ':set plan line')):
        check(fusible('-e', line), 1, '', words)
    for name in 'pi', 'Inf', 'NaN', 'eps':
        check(fusible('-e', '?' + name), 0, 'constant', '')


def test_plan_shown_in_its_turn():
    two = PLANNED + ':plan box\nz = 2*p;\n:plan box\ny = 3*p;\nprint("end")\n'
    r = check(fusible('-e', two), 0, 'end')
    assert r.err.count('╭') == 2 and 'y = 3*p' not in r.err, r
    assert r.err.index('A*p') < r.err.index('z = 2*p'), r
    r = fusible('-e', 'import "' + script('merge.fs', two) + '"')
    assert r.err.count('╭') == 2, r
    r = check(fusible('--plan', 'line', '-e', two.replace(':plan box', 'print(q[1] > 0)')), 0)
    assert re.search(r'^block 2: .*kernel', r.err, re.M), r
    assert re.search(r'^\d blocks · ', r.err, re.M), r


def test_plan_of_a_loop_shows_its_body():
    r = check(fusible('-e', 'A = eye(9); b = ones(9); x, k = cg(A, b, 1e-9, 5);'
                      '\n:plan\n:plan dump'), 0, '[q = A*p; ', '[q =')
    assert r.err.count('╭') == 1, r


def test_files_beside_the_script():
    os.makedirs(os.path.join(HOME, 'deep'), exist_ok=True)
    script('deep/d.csv', '1,2\n3,4\n')
    script('only_here.fs', 'print("from the current folder")\n')
    path = script('deep/s.fs', 'print(sum(load("d.csv")))\n:load d.csv\n'
                  'import "only_here.fs"\n')
    check(fusible(path), 0, '10\nd = f64[2×2]\nfrom the current')
    check(fusible(os.path.relpath(path, HOME)), 0, '10\n')
    check(fusible('-e', 'load("d.csv")'), 3, '', 'd.csv')


def test_plan_without_utf8():
    r = check(fusible('--plan', 'box', script('p.fs', PLANNED), LC_ALL='C'),
              0, '64', '+ planned in')
    r.err.encode('ascii')


def test_colour():
    escape = '\x1b['
    for args, env, wanted in (
            ([], {}, False),
            ([], {'FORCE_COLOR': '1'}, True),
            ([], {'CLICOLOR_FORCE': '1'}, True),
            ([], {'CLICOLOR_FORCE': '0'}, False),
            ([], {'FORCE_COLOR': '1', 'NO_COLOR': '1'}, False),
            ([], {'FORCE_COLOR': '1', 'NO_COLOR': ''}, True),
            (['--color', 'always'], {'NO_COLOR': '1'}, True),
            (['--color=never'], {'FORCE_COLOR': '1'}, False)):
        r = check(fusible(*args, '-e', BAD, **env), 1, '', 'error')
        assert (escape in r.err) == wanted, (args, env, r)


def events_of(result):
    return [json.loads(line) for line in result.out.splitlines()]


def test_json():
    path = script('json.fs', 'A = rand(64, 64); p = rand(64);\nq = A*p\n')
    r = check(fusible('--json', path), 0, None, '')
    kinds = [e['event'] for e in events_of(r)]
    assert 'value' in kinds and 'plan' in kinds and kinds[-1] == 'done', kinds
    plan = next(e for e in events_of(r) if e['event'] == 'plan')
    assert plan['kernels'] and plan['kernels'][0]['predicted'] > 0, plan


def test_json_error():
    r = check(fusible('--json', '-e', BAD), 1, None, '')
    found = [e for e in events_of(r) if e['event'] == 'diagnostic']
    assert found and found[0]['severity'] == 'error' and found[0]['id'], r
    assert found[0]['line'] == 1 and 'nowhere' in found[0]['message'], r


def test_json_at_the_prompt():
    r = check(fusible('--json', '-i', stdin='a = 40 + 2\nb = 50 + 3\n'), 0,
              None, '')
    assert [e['event'] for e in events_of(r)].count('done') == 2, r


def test_refusals_of_the_system():
    """Files and memory that are not there are what the system said no to: status 3."""
    check(fusible('-e', 'x = load("nowhere.npy")'), 3, '', 'there is no such file')
    check(fusible('-e', 'save("no/such/x.npy", [1, 2])'), 3, '', 'there is no such folder')
    check(fusible('-e', 'import "nowhere.fs"'), 3, '', 'cannot import')
    check(fusible('-e', 'x = zeros(1000000, 100000000)'), 3, '', 'of memory; the device has')
    check(fusible('-e', 'x = [1, 2] + [1, 2, 3]'), 1, '', 'shapes do not fit')
    # What keeps a folder from being made, not that it then is not there.
    made = fusible('kernel', 'install', '--prefix', '/sys/nowhere', target=None)
    assert made.code == 3 and re.search('not permitted|denied|Read-only', made.err), made


def test_json_no_device():
    r = check(fusible('--json', '-e', 'a = 1', target='cuda:99'), 3, None, '')
    assert events_of(r)[0]['event'] == 'diagnostic', r


def test_hostile_names_are_escaped():
    r = fusible('-e', 's = "\x1b[31mred\x9b"')
    assert '\x1b' not in r.out and '\x1b' not in r.err, r


def test_no_rc_in_scripts():
    folder = os.path.join(HOME, '.config/fusible')
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, 'rc.fs'), 'w', encoding='ascii') as f:
        f.write('print("from rc")\n')
    try:
        check(fusible('-e', 'a = 1'), 0, 'a = 1', '')
        check(fusible('-i', stdin=''), 0, 'from rc')
        check(fusible('-i', '--no-rc', stdin=''), 0, '')
    finally:
        shutil.rmtree(folder)


def npy(descr, shape, data):
    head = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    return b'\x93NUMPY\x01\x00' + len(head).to_bytes(2, 'little') + head + data


def test_types_of_files():
    """Small integers, those of 64 bits without a sign, and nothing."""
    path = os.path.join(HOME, 'small.npz')
    with zipfile.ZipFile(path, 'w') as z:
        z.writestr('a.npy', npy('|i1', '(2,)', b'\x01\xff'))
        z.writestr('b.npy', npy('<u8', '(1,)', b'\x03' + bytes(7)))
        z.writestr('c.npy', npy('<f4', '(0, 3)', b''))
        z.writestr('d.npy', npy('<f4', '(1,)', b'\0\0\0\0'))
    r = check(fusible('-e', f':load {path}\na'), 0, '1  -1')
    assert 'b = u64[1]' in r.out, r
    assert re.findall(r'^(\w) = ', r.out, re.M) == ['a', 'b', 'c', 'd', 'a'], r
    with open(os.path.join(HOME, 'empty.npy'), 'wb') as f:
        f.write(npy('<f4', '(0, 3)', b''))
    check(fusible('-e', f'load("{HOME}/empty.npy")'), 0, 'f32[0×3]')


def test_columns_of_a_csv():
    path = script('iris.csv', 'w,species,n\n.5,setosa,1\n1.5,"a, b",\n,setosa,3\n')
    r = check(fusible('-e', f'D = load("{path}");\n:vars'), 0, 'columns w, n')
    assert "left out, as it holds text: species ('setosa' in line 2)" in r.err, r
    r = check(fusible('-e', f'c, names = load("{path}", "species")\nc'), 0, '1  2  1', '')
    assert 'names = "setosa\\na, b"' in r.out, r
    check(fusible('-e', f'load("{path}", "species")'), 0, '1  2  1', '1 setosa, 2 a, b')
    check(fusible('-e', f'sum(load("{path}", "n", "skip=0")[[1, 3]])'), 0, '4', '')
    check(fusible('-e', f':load x {path} n\nx[3]'), 0, '3', '')
    check(fusible('-e', f'load("{path}", "m")'), 1, '', 'its columns are w, species, n')
    check(fusible('-e', f'load("{path}", "sep=12")'), 1, '', 'sep= takes one character')
    euro = script('euro.csv', 'a;b\n1,5;2,25\n')
    check(fusible('-e', f'load("{euro}")'), 1, '', "line 2, column 1: '1,5' is not a number")
    check(fusible('-e', f'load("{euro}", "decimal=,")'), 0, '1.50  2.25', '')


def test_save_of_all_has_a_bound():
    path = os.path.join(HOME, 'bound.npz')
    r = check(fusible('-e', 'x = 1\nv = zeros(140000000, "f64");\n:save ' + path), 1)
    assert 'all variables take 1.04 GiB, and without names it saves up to' in r.err, r
    assert not os.path.exists(path)
    check(fusible('-e', f'x = 1\nv = zeros(140000000, "f64");\n:save {path} x'), 0,
          'saved 1 value')


def test_expand():
    path = script('wide.mtx', '%%MatrixMarket matrix coordinate real general\n'
                              '5000 5000 1\n2 1 3\n')
    check(fusible('-e', f'load("{path}")'), 1, '', ':set expand 191')
    check(fusible('-e', f':set expand 191\nA = load("{path}");\nA[1:2, 1]'), 0, '0  3', '')


def test_rc_of_others():
    """What others may write is not run, and that is said."""
    folder = os.path.join(HOME, '.config/fusible')
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, 'rc.fs')
    with open(path, 'w', encoding='ascii') as f:
        f.write('print("from rc")\n')
    try:
        for what, mode, usual in ((path, 0o666, 0o644), (path, 0o664, 0o644),
                                  (folder, 0o777, 0o755)):
            os.chmod(what, mode)
            r = fusible('-i', stdin='print(1)')
            assert r.out == '1\n' and 'can be written by others' in r.err, r
            os.chmod(what, usual)
        assert 'from rc' in fusible('-i', stdin='').out
        os.unlink(path)
        os.mkfifo(path)
        r = fusible('-i', stdin='print(1)')
        assert r.out == '1\n' and 'not a regular file' in r.err, r
    finally:
        shutil.rmtree(folder)


def test_install_deps_usage():
    done = subprocess.run(
        [os.path.join(ROOT, 'scripts/install-deps'), 'nonsense'],
        capture_output=True, check=False)
    assert done.returncode == 2


def main():
    pattern = sys.argv[1] if len(sys.argv) > 1 else ''
    passed = failed = 0
    for name, test in list(globals().items()):
        if not name.startswith('test_') or pattern not in name:
            continue
        try:
            test()
            passed += 1
        except Exception:  # pylint: disable=broad-except
            failed += 1
            print(f'FAILED {name}')
            traceback.print_exc(file=sys.stdout)
    shutil.rmtree(HOME, ignore_errors=True)
    print(f'{passed} passed, {failed} failed')
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
