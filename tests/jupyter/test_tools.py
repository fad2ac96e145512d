#!/usr/bin/python3
"""The programs that people run kernels with: jupyter console at a terminal,
nbconvert to HTML and to a script, nbclient, papermill with parameters."""
import peers  # noqa: F401, first: it changes the Python that runs this
import json
import os
import pty
import re
import select
import subprocess
import sys
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from score import Score, folder  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.abspath(os.environ.get('BUILD', os.path.join(ROOT, 'build')))
BIN = os.path.join(sys.prefix, 'bin')
HOME = folder('tools')
ENV = {**{k: v for k, v in os.environ.items()
          if not k.startswith(('XDG_', 'FUSIBLE', 'JUPYTER'))},
       'HOME': HOME, 'FUSIBLE_TARGET': 'cpu', 'TERM': 'xterm',
       'PATH': BIN + ':' + os.environ['PATH'], 'LC_ALL': 'C.UTF-8',
       'JUPYTER_DATA_DIR': os.path.join(HOME, 'data'),
       'JUPYTER_RUNTIME_DIR': os.path.join(HOME, 'runtime'),
       'PYTHONPATH': os.path.join(ROOT, 'jupyter')}


def run(*argv, timeout=600):
    done = subprocess.run(argv, env=ENV, cwd=HOME, capture_output=True,
                          text=True, timeout=timeout)
    return done.returncode, done.stdout, done.stderr


def cell(code, **metadata):
    return {'cell_type': 'code', 'execution_count': None, 'id': str(hash(code)
            % 10**9), 'metadata': metadata, 'outputs': [], 'source': code}


def notebook(name, *cells):
    path = os.path.join(HOME, name)
    with open(path, 'w', encoding='utf-8') as f:
        json.dump({'cells': list(cells), 'nbformat': 4, 'nbformat_minor': 5,
                   'metadata': {'kernelspec': {
                       'name': 'fusible', 'language': 'fusible',
                       'display_name': 'Fusible'}}}, f)
    return path


# -- the kernelspec -----------------------------------------------------------

def test_kernelspec(score):
    """`fusible kernel` and Jupyter's own list agree."""
    def fusible(*args):
        return run(os.path.join(BUILD, 'fusible'), 'kernel', *args)

    code, out, _ = fusible('install', '--user')
    folder = os.path.join(HOME, 'data', 'kernels', 'fusible')
    score.check(code == 0 and folder in out, out)
    score.check(sorted(os.listdir(folder)) == [
        'kernel.json', 'logo-32x32.png', 'logo-64x64.png', 'logo-svg.svg'],
        os.listdir(folder))
    _, listed, _ = run('jupyter', 'kernelspec', 'list', '--json')
    spec = json.loads(listed)['kernelspecs']['fusible']['spec']
    score.check(spec['interrupt_mode'] == 'message' and
                spec['argv'][0] == os.path.join(BUILD, 'fusible-kernel'), spec)
    for n in (32, 64):
        with open(os.path.join(folder, f'logo-{n}x{n}.png'), 'rb') as f:
            head = f.read(24)
        score.check(head[:4] == b'\x89PNG' and
                    head[16:24] == 2 * n.to_bytes(4, 'big'), f'logo {n}')
    code, out, _ = fusible('install', '--prefix', HOME + '/p', '--name', 'other',
                           '--display-name', 'Fusible on the CPU', '--env',
                           'FUSIBLE_TARGET', 'cpu', '--env', 'A=b=c')
    with open(HOME + '/p/share/jupyter/kernels/other/kernel.json',
              encoding='utf-8') as f:
        spec = json.load(f)
    score.check(spec['display_name'] == 'Fusible on the CPU' and spec['env'] == {
        'FUSIBLE_TARGET': 'cpu', 'A': 'b=c'}, spec)
    code, out, _ = fusible('list', '--prefix', HOME + '/p')
    score.check(code == 0 and 'other' in out, out)
    code, out, _ = fusible('uninstall', '--prefix', HOME + '/p', '--name', 'other')
    score.check(code == 0 and not os.path.exists(
        HOME + '/p/share/jupyter/kernels/other'), out)
    code, _, err = fusible('uninstall', '--prefix', HOME + '/p')
    score.check(code == 3 and 'no kernel of Fusible' in err, err)
    for name in ('VIRTUAL_ENV', 'CONDA_PREFIX'):
        place = os.path.join(HOME, name)
        ENV.pop('VIRTUAL_ENV', None)
        ENV[name] = place
        code, out, _ = fusible('install', '--sys-prefix')
        spec = place + '/share/jupyter/kernels/fusible/kernel.json'
        score.check(code == 0 and os.path.exists(spec), out)
        score.check(fusible('uninstall', '--sys-prefix')[0] == 0 and
                    not os.path.exists(spec), f'uninstall from {name}')
        del ENV[name]
    code, _, err = fusible('install', '--sys-prefix')
    score.check(code and 'VIRTUAL_ENV' in err, err)
    for args in (['install', '--name', '../x'], ['install', '--name', ''],
                 ['nonsense'], [], ['install', 'more'],
                 ['install', '--user', '--prefix', 'x'], ['install', '--env', 'A']):
        code, out, err = fusible(*args)
        score.check(code == 2 and err.startswith('fusible: '), (args, err))


# -- jupyter console ----------------------------------------------------------

class Console:
    def __init__(self):
        self.text = ''
        pid, self.fd = pty.fork()
        if not pid:
            os.execvpe('jupyter', ['jupyter', 'console', '--kernel', 'fusible',
                                   '--simple-prompt'], ENV)
        self.pid = pid

    def wait(self, pattern, timeout=600):
        end = time.monotonic() + timeout
        while not re.search(pattern, self.text, re.S):
            left = end - time.monotonic()
            assert left > 0, f'no {pattern!r} in {self.text[-1500:]!r}'
            if select.select([self.fd], [], [], left)[0]:
                try:
                    self.text += os.read(self.fd, 65536).decode('utf-8',
                                                                'replace')
                except OSError:
                    self.text += '<end>'
        found = self.text
        self.text = ''
        return found

    def type(self, line):
        os.write(self.fd, (line + '\n').encode())


ENCRYPTED = '''
import json
from jupyter_client.manager import KernelManager
m = KernelManager(kernel_name='fusible', transport_encryption='required')
m.start_kernel()
c = m.client()
c.start_channels()
c.wait_for_ready(timeout=600)
seen = []
reply = c.execute_interactive('6*7', timeout=600, output_hook=seen.append)
with open(m.connection_file) as f:
    sealed = 'curve_publickey' in json.load(f)
c.stop_channels()
m.shutdown_kernel()
print(sealed, reply['content']['status'],
      [s['content']['data']['text/plain'] for s in seen
       if s['msg_type'] == 'execute_result'])
'''


def test_encrypted(score):
    """Jupyter's own client starts the kernel when it insists on CurveZMQ."""
    code, out, err = run(sys.executable, '-c', ENCRYPTED)
    score.check(code == 0 and out.strip() == "True ok ['42']", out, err[-1500:])


def test_console(score):
    c = Console()
    banner = c.wait(r'In \[1\]:')
    score.check('Fusible' in banner, banner)
    c.type('a = 40;')
    c.wait(r'In \[2\]:')
    c.type('a + 2')
    score.check('42' in c.wait(r'Out\[2\]:.*In \[3\]:'), 'a result')
    c.type('b = nowhere_at_all')
    score.check('nowhere_at_all' in c.wait(r'\^~~.*In \[4\]:'), 'an error')
    c.type('print("to the console")')
    c.wait(r'\nto the console.*In \[5\]:')
    c.type('name = ask("who? ")')
    c.wait(r'who\? ')
    c.type('me')
    c.wait(r'"me".*In \[6\]:')
    c.type('for k = 1:1000000000; b = k; end')
    time.sleep(1)
    os.write(c.fd, b'\x03')
    c.wait(r'interrupted.*In \[7\]:')
    c.type('a')
    c.wait(r'a = 40.*In \[8\]:')
    c.type('A = rand(50, 50); q = A*rand(50);')
    shown = c.wait(r'In \[9\]:')
    score.check('measured' in shown and shown.count('predicted') == 1, shown)
    c.type(':quit')
    c.wait('<end>')
    os.waitpid(c.pid, 0)
    score.check(True, 'the console')


def test_run(score):
    """`jupyter run` hands the name of the file to the kernel, too."""
    path = os.path.join(HOME, 'prog.fs')
    with open(path, 'w', encoding='utf-8') as f:
        f.write('a = 40;\nprint(a + 2)\n')
    code, out, err = run('jupyter', 'run', '--kernel=fusible', path)
    score.check(code == 0 and '42' in out, (out, err[-800:]))


# -- notebooks ----------------------------------------------------------------

def test_nbconvert_html(score):
    path = notebook('page.ipynb', cell('A = rand(60, 60); p = rand(60);'),
                    cell("q = A*p\ns = A'*q;"), cell('print(size(q))\n6*7'))
    code, _, err = run('jupyter', 'nbconvert', '--execute', '--to', 'html', path)
    score.check(code == 0, err)
    with open(path.replace('.ipynb', '.html'), encoding='utf-8') as f:
        page = f.read()
    score.check('>42<' in page or '42\n' in page, 'the result is on the page')
    score.check('predicted' in page and 'measured' in page, 'so is the plan')
    score.check('class="highlight' in page and
                re.search(r'<span class="[a-z]+">', page), 'code has colours')
    score.check('highlight' not in err.lower(), err)


def test_nbconvert_plots(score):
    """A notebook with plots becomes LaTeX, and so a PDF, without further programs;
    its pictures have words for those who do not see them."""
    path = notebook('plots.ipynb', cell('plot([1, 2, 4], "title=Growth")'),
                    cell('bar([1, 2]);'))
    code, _, err = run('jupyter', 'nbconvert', '--execute', '--to', 'notebook',
                       '--inplace', path)
    score.check(code == 0, err)
    code, _, err = run('jupyter', 'nbconvert', '--to', 'latex', path)
    score.check(code == 0, err[-800:])
    if code == 0:
        with open(path.replace('.ipynb', '.tex'), encoding='utf-8') as f:
            pictures = re.findall(r'\\adjustimage.*\{(.*?\.png)\}', f.read())
        score.check(len(pictures) == 2 and all(
            os.path.exists(os.path.join(HOME, p)) for p in pictures), pictures)
    # The template that takes the words of a picture from its metadata.
    code, _, err = run('jupyter', 'nbconvert', '--to', 'html', '--template', 'classic',
                       path)
    score.check(code == 0, err[-800:])
    with open(path.replace('.ipynb', '.html'), encoding='utf-8') as f:
        page = f.read()
    words = re.findall(r"""<img[^>]* alt=('.*?'|".*?")""", page)
    score.check([w[1:10] for w in words] == ['line plot', 'bar chart'] and
                '"Growth"; x from 1 to 3; y from 1 to 4' in words[0], words)


def test_nbconvert_script(score):
    path = notebook('script.ipynb', cell('a = 40;'), cell('b = a + 2'))
    code, _, err = run('jupyter', 'nbconvert', '--execute', '--to', 'notebook',
                       '--inplace', path)
    score.check(code == 0, err)
    with open(path, encoding='utf-8') as f:
        info = json.load(f)['metadata']['language_info']
    score.check(info['name'] == 'fusible' and info['file_extension'] == '.fs', info)
    code, _, err = run('jupyter', 'nbconvert', '--to', 'script', path)
    score.check(code == 0, err)
    script = path.replace('.ipynb', '.fs')
    done = run(os.path.join(BUILD, 'fusible'), script)
    score.check(done[0] == 0 and 'b = 42' in done[1], done)


def test_nbconvert_stops_at_an_error(score):
    path = notebook('bad.ipynb', cell('a = nowhere_at_all'), cell('print("no")'))
    code, _, err = run('jupyter', 'nbconvert', '--execute', '--to', 'html', path)
    score.check(code != 0, 'it fails')
    score.check("unknown-name: there is nothing called 'nowhere_at_all'" in err and
                '^~~' in err, err[-800:])


def test_papermill(score):
    """Parameters, by the translator in jupyter/papermill_fusible.py."""
    path = notebook('parameters.ipynb',
                    cell('n = 3; name = "default"; v = [1]; on = false;',
                         tags=['parameters']),
                    cell('print(n*2, " ", name, " ", sum(v), " ", on)'))
    out = os.path.join(HOME, 'out.ipynb')
    code, _, err = run(
        sys.executable, '-c', 'import papermill_fusible, papermill, sys\n'
        'papermill.execute_notebook(sys.argv[1], sys.argv[2], parameters={'
        '"n": 21, "name": "a \\"quoted\\" one", "v": [1, 2.5], "on": True})',
        path, out)
    score.check(code == 0, err[-1500:])
    with open(out, encoding='utf-8') as f:
        cells = json.load(f)['cells']
    text = ''.join(''.join(o.get('text', '')) for c in cells
                   for o in c.get('outputs', []))
    score.check('42 a "quoted" one 3.5 true' in text, text)


# What papermill passes, and what prints it; the values have to be these very ones.
PASSED = [
    ([[1, 2], [3, 4]], 'print(p[1, 2], " ", p[2, 1], " ", dtype(p))', '2 3 f32'),
    ([[1, 2]], 'print(size(p, 1), " ", size(p, 2))', '1 2'),
    ([[[1, 2], [3, 4]]], 'print(size(p, 1), " ", p[1, 2, 1])', '1 3'),
    ([16777217, 5], 'print(p[1], " ", dtype(p))', '16777217 i64'),
    ([[2**62 + 1, -5], [0, 1]], 'print(p[1, 1], " ", p[1, 2])', '4611686018427387905 -5'),
    (2**53 + 1, 'print(p)', '9007199254740993'),
    (16777217, 'print(p)', '16777217'),
    ([0.1, 3], 'print(p[1] == f64(0.1), " ", dtype(p))', 'true f64'),
    ([0.5, 3], 'print(dtype(p))', 'f32'),
    (float('-inf'), 'print(p)', '-Inf'),
    ('t\u00e9, \u03c3 and "q" \\', 'print(p)', 't\u00e9, \u03c3 and "q" \\'),
    ('a\tb\u202e', 'print(length(p) > 3, p == "a\\tb\\u{202e}")', 'true true'),
    ([True, False], 'print(dtype(p), " ", sum(p))', 'bool 1'),
    (1e-7, 'print(p == 1e-7)', 'true'),
    ([], 'print(dtype(p), " ", length(p))', 'f32 0'),
    ([[], []], 'print(size(p, 1), " ", size(p, 2))', '2 0'),
    (['a', 't\u00e9'], 'print(p)', '{"a", "t\u00e9"}'),
    ([1.5, [2], [[1, 2]]], 'print(length(p), " ", p[1], " ", size(p[3], 2))', '3 1.5 2'),
    ({'a': 1, 'b': ['x', {'c': [1, 2]}]}, 'print(p.a, " ", p.b[1], " ", sum(p.b[2].c))', '1 x 3'),
]


def test_papermill_values(score):
    """Every kind of value arrives as it was passed."""
    path = notebook('values.ipynb', *[cell(f'p = p{k}; {show}')
                                      for k, (_, show, _) in enumerate(PASSED)])
    values = {f'p{k}': value for k, (value, _, _) in enumerate(PASSED)}
    out = os.path.join(HOME, 'values_out.ipynb')
    code, _, err = run(
        sys.executable, '-c', 'import papermill_fusible, papermill, sys\n'
        f'papermill.execute_notebook(sys.argv[1], sys.argv[2], parameters={values!r})'
        .replace('-inf', 'float("-inf")'), path, out)
    score.check(code == 0, err[-1500:])
    with open(out, encoding='utf-8') as f:
        cells = json.load(f)['cells'][-len(PASSED):]
    for (value, _, want), c in zip(PASSED, cells):
        got = ''.join(''.join(o.get('text', '')) for o in c.get('outputs', []))
        score.check(got.strip() == want, f'papermill: {value!r}', f'{got!r}, not {want!r}')


def main():
    score = Score()
    for name, test in list(globals().items()):
        if name.startswith('test_'):
            try:
                test(score)
            except (AssertionError, OSError, subprocess.TimeoutExpired, KeyError,
                    ValueError):
                score.check(False, name, traceback.format_exc())
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
