#!/usr/bin/env python3
"""What is shown of plans, and what can be asked about them.

Plans as pictures: `:plan json`, `dot`, `svg`, `html`, and the rich forms in plan
events. The SVG is rasterised, the HTML is parsed and held against a list of tags and
attributes, and hostile names must not leave their place in either. Golden: the eleven sequences as JSON
and as a box, in tests/views (UPDATE=1 rewrites them). And `:alternatives`, `:explain`,
`:plan diff` and `:assert`."""
import base64
import difflib
import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(1, os.path.join(sys.path[0], 'fake'))
from score import Score  # noqa: E402
import fakegpu  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FUSIBLE = os.path.abspath(os.environ.get(
    'FUSIBLE', os.path.join(ROOT, 'build', 'fusible')))
UPDATE = os.environ.get('UPDATE') == '1'
score = Score()
check = score.check

# What the views use of what JupyterLab's sanitiser passes; no style, class, id.
TAGS = {'details': {'open'}, 'summary': set(), 'table': set(), 'thead': set(),
        'tbody': set(), 'tr': set(), 'th': set(), 'td': {'align'},
        'div': {'align'},
        'code': set(), 'pre': set(), 'p': set(), 'small': set(), 'br': set(),
        'strong': set(), 'ul': set(), 'li': set(),
        'img': {'alt', 'width', 'src'}}
PAGE = {'html': {'lang'}, 'head': set(), 'meta': {'charset'}, 'title': set(),
        'body': set()}
VOID = {'br', 'img', 'meta'}

SETUP = """A = rand(600, 400); p = rand(400); r = rand(600); z = rand(400)*2;
"""
BLOCK = """begin q = A*p; s = A'*r; x = s + z; w = A*x; end;
"""


def run(script, folder, *args, env=None):
    e = dict(os.environ, XDG_CACHE_HOME=folder, XDG_CONFIG_HOME=folder,
             XDG_STATE_HOME=folder, XDG_DATA_HOME=folder, LC_ALL='C.UTF-8',
             FUSIBLE_REFERENCE_DEVICE='1')
    e.update(env or {})
    path = os.path.join(folder, 'script.fs')
    with open(path, 'w', encoding='utf-8') as f:
        f.write(script)
    return subprocess.run(
        [FUSIBLE, '--target', 'cpu', '--threads', '2', '--quiet', *args, path],
        cwd=folder, env=e, capture_output=True, text=True, timeout=600)


class Reader(html.parser.HTMLParser):
    """Finds what is not allowed, and the text."""

    def __init__(self, allowed):
        super().__init__()
        self.allowed, self.wrong, self.open = allowed, [], []
        self.words, self.images, self.summaries = [], [], 0

    def handle_starttag(self, tag, attrs):
        if tag not in self.allowed:
            self.wrong.append(f'<{tag}>')
        for name, value in attrs:
            if name not in self.allowed.get(tag, ()):
                self.wrong.append(f'<{tag} {name}>')
            if name == 'width' and not re.fullmatch(r'\d+', value):
                self.wrong.append(f'width {value}')
            if name == 'src':
                self.images.append(value)
        self.summaries += tag == 'summary'
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f'</{tag}> out of place')

    def handle_comment(self, data):
        self.wrong.append('a comment')

    def handle_data(self, data):
        self.words.append(data)


def read_html(text, page=False):
    reader = Reader({**TAGS, **(PAGE if page else {})})
    reader.feed(text)
    reader.close()
    wrong = reader.wrong + [f'<{t}> is not closed' for t in reader.open]
    return reader, ''.join(reader.words), wrong


def picture_of(reader):
    head = 'data:image/svg+xml;base64,'
    for src in reader.images:
        if src.startswith(head):
            return base64.b64decode(src[len(head):]).decode()
    return ''


def is_painted(svg, folder):
    """Whether a rasterised picture has dark text and the kernels' blue."""
    path, out = os.path.join(folder, 'a.svg'), os.path.join(folder, 'a.png')
    with open(path, 'w', encoding='utf-8') as f:
        f.write(svg)
    done = subprocess.run(['rsvg-convert', path, '-o', out],
                          capture_output=True, text=True, timeout=600)
    if done.returncode:
        return False, done.stderr
    import struct
    import zlib
    with open(out, 'rb') as f:
        data = f.read()
    at, idat, size = 8, b'', (0, 0)
    while at < len(data):
        n, kind = struct.unpack('>I4s', data[at:at + 8])
        body = data[at + 8:at + 8 + n]
        if kind == b'IHDR':
            size = struct.unpack('>II', body[:8])
            depth = body[8:10]
        idat += body if kind == b'IDAT' else b''
        at += 12 + n
    if depth != b'\x08\x06':
        return False, f'not RGBA of 8 bits: {depth}'
    raw, w, h = zlib.decompress(idat), *size
    colours, before, stride = {}, bytearray(4 * w), 4 * w + 1
    for y in range(h):
        kind, line = raw[y * stride], bytearray(raw[y * stride + 1:
                                                    (y + 1) * stride])
        for x in range(4 * w):
            a = line[x - 4] if x > 3 else 0
            b, c = before[x], before[x - 4] if x > 3 else 0
            if kind == 1:
                line[x] = (line[x] + a) & 255
            elif kind == 2:
                line[x] = (line[x] + b) & 255
            elif kind == 3:
                line[x] = (line[x] + (a + b) // 2) & 255
            elif kind == 4:
                p = a + b - c
                pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
                line[x] = (line[x] + (a if pa <= pb and pa <= pc else
                                      b if pb <= pc else c)) & 255
        before = line
        for x in range(0, 4 * w, 4):
            rgb = bytes(line[x:x + 3]) if line[x + 3] == 255 else b'bare'
            colours[rgb] = colours.get(rgb, 0) + 1
    bare = colours.pop(b'bare', 0)  # on which the page is seen, light or dark
    dark = sum(n for c, n in colours.items() if max(c) < 100)
    blue = colours.get(bytes((0xdb, 0xe9, 0xf6)), 0)
    return (dark > 100 and blue > 500 and bare > 500,
            f'{w}x{h}, dark {dark}, blue {blue}, bare {bare}')


def svg_text(svg):
    words = re.findall(r'<text[^>]*>(.*?)</text>', svg, re.S)
    text = ' '.join(words)
    for a, b in (('&#39;', "'"), ('&#45;', '-'), ('&gt;', '>'), ('&lt;', '<'),
                 ('&quot;', '"'), ('&amp;', '&'), ('&#160;', ' ')):
        text = text.replace(a, b)
    return text


def test_json(folder):
    done = run(SETUP + BLOCK + ':plan json\n', folder)
    plan = json.loads(done.stdout)[-1]
    kernels = plan['kernels']
    check([s['text'] for s in plan['statements']] ==
          ['q = A*p', "s = A'*r", 'x = s + z', 'w = A*x'], 'statements',
          plan['statements'])
    for k in kernels:
        reads = sum(t['bytes'] for t in k['reads'])
        writes = sum(t['bytes'] for t in k['writes'])
        check(reads == k['bytes_read'], f'{k["id"]}: reads add up',
              f'{reads} {k["bytes_read"]}')
        check(writes == k['bytes_written'], f'{k["id"]}: writes add up',
              f'{writes} {k["bytes_written"]}')
        check(k['elements'] and all(
            e['storage'] in ('register', 'cache', 'in place') and
            e['steps'][0] <= e['steps'][1] for e in k['elements']),
            f'{k["id"]}: elements', k['elements'])
        check(k['occupancy']['threads'] == 2 and 0 <
              k['occupancy']['share'] <= 1, f'{k["id"]}: occupancy')
        told = k['bound'] in ('memory', 'compute')
        check((k['limit_s'] is not None) == told and
              (k['share'] is not None) == told, f'{k["id"]}: a limit', k['bound'])
        check(not told or abs(k['share'] - k['limit_s'] / k['measured']) < 1e-9,
              f'{k["id"]}: the share of it', k['share'])
    names = {t['name']: t for k in kernels for t in k['reads'] + k['writes']}
    check(names['A']['shape'] == [600, 400] and names['p']['shape'] == [400]
          and names['q']['shape'] == [600], 'shapes', names)
    check(names['A']['kind'] == 'input' and names['w']['kind'] == 'result',
          'kinds')
    check(plan['bytes'] == sum(k['moves'] for k in kernels), 'bytes')
    check(plan['launches'] == len(kernels), 'launches')
    check(all((k['why_split'] is None) == (n == 0)
              for n, k in enumerate(kernels)), 'borders have reasons',
          [k['why_split'] for k in kernels])
    covered = sorted({n for k in kernels for n in k['statements']})
    check(covered == [1, 2, 3, 4], 'every statement is in a kernel', covered)


def test_pictures(folder):
    done = run(SETUP + BLOCK + ':plan dot\n:plan svg\n', folder)
    dot, svg = done.stdout.split('<svg', 1)
    svg = '<svg' + svg
    check(dot.startswith('digraph plan {') and '-> k1' in dot, ':plan dot')
    text = svg_text(svg)
    for words in ('q = A*p', "s = A'*r", 'x = s + z', 'w = A*x', 'A', 'f32'):
        check(words in text, f'the picture says {words}', text)
    good, why = is_painted(svg, folder)
    check(good, 'the picture is not blank', why)
    for form, head in (('dot', 'digraph'), ('svg', '<svg'),
                       ('html', '<!DOCTYPE html>')):
        path = os.path.join(folder, f'plan.{form}')
        done = run(SETUP + BLOCK + f':plan {form} {path}\n', folder)
        check(done.returncode == 0 and open(path, encoding='utf-8').read()
              .startswith(head), f':plan {form} FILE', done.stderr)
    done = run(SETUP + BLOCK + ':plan svg /nowhere/at/all.svg\n', folder)
    check(done.returncode == 3 and 'all.svg' in done.stderr,
          'a file that cannot be written', done.stderr)


def test_slices(folder):
    """Slices of an input are inputs of the block, but one array in the picture."""
    done = run('A = rand(60, 60); x = rand(60);\n'
               'begin y = A*x; z = y .* A[7, :]\' + A[9:9, :]\'; w = A[3, :] + A\';  end;\n'
               ':plan dot\nprint("---")\n:plan json\n', folder)
    dot, plan = done.stdout.split('---\n')
    ovals = re.findall(r'(?m)^  (s\d+) \[shape=ellipse, label="(.*)\\n(.*)"', dot)
    check(sorted(o[1] for o in ovals) == ['A', 'x'] and
          {o[2] for o in ovals if o[1] == 'A'} == {'f32 60 x 60'}, 'one A', dot)
    check(len(set(re.findall(r'(s\d+) -> k', dot))) == 2 +
          len(re.findall('style=dashed', dot)), 'every arrow comes from it', dot)
    for k in json.loads(plan)[0]['kernels']:
        slots = [t['slot'] for t in k['reads']]
        check(len(slots) == len(set(slots)), 'a kernel reads an array once', k['reads'])
    for block in ('w = x[1:300] + x[501:800]', 'w = x[1:300] + x[2:301]',
                  'X[1, :] = X[20, :] + X[30, :]', 'w = X[mod(7*(1:40), 100) + 1, :]*x[1:100]',
                  'w = 2*x[mod(7*(1:600), 1000) + 1]', 'w = X[1:50, :]*x[1:100] + X[51:100, :]*x[101:200]'):
        done = run(f'x = rand(1000); X = rand(100, 100);\nbegin {block}; end;\n:plan json\n',
                   folder, '-k')
        kernels = json.loads(done.stdout)[0]['kernels']
        check(kernels[-1]['bytes_read'] > 0, f'{block}: something is read', kernels)
        for k in kernels:
            check(sum(t['bytes'] for t in k['reads']) == k['bytes_read'],
                  f'{block}: what is read adds up', (k['bytes_read'], k['reads']))


def test_page(folder):
    done = run(SETUP + BLOCK + ':plan html\n', folder)
    reader, words, wrong = read_html(done.stdout, page=True)
    check(not wrong, 'only allowed tags and attributes', wrong)
    for text in ("s = A'*r", 'predicted', 'measured', 'why these kernels',
                 'memory and chip', 'code', 'sweep 1', '600×400', 'unfused'):
        check(text in words, f'the page says {text}')
    check('█' in words or '▏' in words, 'the page has bars')
    good, why = is_painted(picture_of(reader), folder)
    check(good, 'the page has the picture', why)


def test_without_dot(folder):
    env = {'PATH': os.path.join(folder, 'empty')}
    done = run(SETUP + BLOCK + ':plan html\n', folder, env=env)
    reader, words, wrong = read_html(done.stdout, page=True)
    check(done.returncode == 0 and not reader.images and not wrong and
          'q = A*p' in words, 'html without dot', done.stderr)
    check('graphviz' in done.stderr, 'html says what is missing', done.stderr)
    done = run(SETUP + BLOCK + ':plan svg\nprint("on")\n', folder, env=env)
    check(done.returncode == 3 and 'graphviz' in done.stderr,
          'svg says what to install', done.stderr)


MERMAID = re.compile(  # a line of :plan mermaid
    r'flowchart TD|  classDef \w+ [-\w:#,]+|'
    r'  (?:s\d+|k\d+)(?:\(\["|\[\["|\[")(?P<label>[^"<>&`\\]*'
    r'(?:<br/>[^"<>&`\\]*)*)(?:"\]\)|"\]\]|"\])(?::::(?:kernel|temporary))?|'
    r'  (?P<edge>[sk]\d+ -->\|"[^"<>&`\\]+"\| [sk]\d+)')


def check_mermaid(text, what):
    """Nothing but the fixed forms; gives labels and edges as text."""
    labels, edges = [], []
    for line in text.splitlines():
        found = MERMAID.fullmatch(line)
        if not check(found, f'{what}: a line of a flowchart', line):
            continue
        if found['label']:
            labels.append(re.sub(r'#(\d+);', lambda m: chr(int(m[1])),
                                 found['label']))
        if found['edge']:
            edges.append(found['edge'])
    return labels, edges


def test_mermaid(folder):
    done = run(SETUP + BLOCK + ':plan mermaid\nprint("---")\n:plan dot\n', folder)
    mermaid, dot = done.stdout.split('---\n')
    labels, edges = check_mermaid(mermaid, ':plan mermaid')
    check(len(edges) == dot.count(' -> ') > 3, 'as many edges', edges)
    check(len(labels) == len(re.findall(r'(?m)^  [sk]\d+ \[', dot)) > 3,
          'as many boxes', labels)
    check("k1 row<br/>q = A*p; s = A'*r" in labels and
          'A<br/>f32 600 x 400' in labels, 'what they say', labels)
    path = os.path.join(folder, 'plan.mmd')
    done = run(SETUP + BLOCK + f':plan mermaid {path}\n', folder)
    check(open(path, encoding='utf-8').read() == mermaid, 'saved', done.stderr)


HOSTILE = ['<img src=x onerror=alert(1)>', '</td><script>alert(1)</script>',
           '"onclick="alert(1)', "'><b>", '&amp;&lt;', '`x`', '-->', ']]>',
           '\\l\\N\\G', '\\"];x[', '\u202eabc', '\x1b[31m', '{{7*7}}', '%s%n']


def test_hostile(folder):
    for k, bad in enumerate(HOSTILE):
        # Statements are quoted with what the user wrote in them.
        text = bad.replace('\\', '\\\\').replace('"', '\\"')
        text = re.sub(r'[\x00-\x1f\u202e]', '?', text)
        script = (':set rich on\nx = rand(1000); print(0)\n'
                  f'y = x .* length("{text}")\n:plan html\n')
        done = run(script, folder)
        check(done.returncode == 0, f'hostile {k} runs', done.stderr)
        _, words, wrong = read_html(done.stdout[done.stdout.find('<!DOC'):],
                                    page=True)
        check(not wrong, f'hostile {k}: tags', (bad, wrong))
        check('length("' in words, f'hostile {k}: the text is there', words)
        done = run(script.replace(':plan html', ':plan mermaid'), folder)
        labels, _ = check_mermaid(done.stdout[done.stdout.find('flowchart'):],
                                  f'hostile {k}')
        check(any('length("' in label for label in labels),
              f'hostile {k}: the text is in the flowchart', labels)
    # Names of files are in no view, but names of variables are.
    done = run('größe = rand(64); π2 = größe*2;\n:plan dot\n:plan html\n',
               folder)
    check('größe' in done.stdout and done.returncode == 0, 'names in UTF-8',
          done.stderr)


def test_rich(folder):
    script = ':set rich on\n' + SETUP + BLOCK + 'x[1]\n' + BLOCK
    done = run(script, folder, '--json')
    events = [json.loads(line) for line in done.stdout.splitlines()]
    plans = [e for e in events if e['event'] == 'plan']
    check(plans and all('data' in p for p in plans), 'plans have data')
    states = {p['state'] for p in plans}
    check(states == {'launched', 'measured'}, 'both states', states)
    for p in plans:
        data = p['data']
        reader, words, wrong = read_html(data['text/html'])
        check(not wrong, f'{p["id"]} {p["state"]}: tags', wrong)
        check(p['kernels'][0]['does'] in words, f'{p["id"]}: statements')
        check(('measured' in words) and p['kernels'][0]['does'].split()[0] in
              data['text/plain'], f'{p["id"]}: plain text')
        brief = data['application/vnd.fusible.plan+json']['kernels']  # not what they hold
        check(len(brief) == len(p['kernels']) and
              all({'does', 'moves', 'setting'} <= k.keys() and 'elements' not in k and
                  all(whole[x] == k[x] for x in k) for k, whole in zip(brief, p['kernels'])),
              f'{p["id"]}: JSON')
        if p['state'] == 'measured':
            check(picture_of(reader).startswith('<svg'), 'has its picture')
        else:
            check(not reader.images, 'the launch does not wait for a picture')
    done = run(SETUP + BLOCK, folder, '--json', '--plan', 'line')
    check('"data": {"text/html' not in done.stdout and
          'text/html' not in done.stdout, 'without rich there is no HTML')


SEQUENCES = ['atax', 'axpydot', 'bicgk', 'gemver', 'gesummv', 'madd', 'sgemv',
             'sgemvt', 'sscal', 'vadd', 'waxpby']
# What the golden files hold: no times, and not what the search counts
# (tests/unit/test_space.c holds the planner to it).
KEPT = set("""calls statements text line column kernels id scheme does op dtype
    shape statement space sweeps launches reads writes name slot kind bytes
    bytes_read bytes_written moves flops elements is varies storage from to steps
    occupancy threads registers shared_bytes spilled_bytes cache_bytes blocks
    per_unit share limit compiled estimated why_split unfused saved_bytes peak_bytes runs""".split())


def without_times(o, inside=''):
    """Shares are measured, but for that of the occupancy; the planner's space is
    counts, a kernel's its extents."""
    if isinstance(o, dict):
        return {k: without_times(v, k) for k, v in o.items() if k in KEPT and
                (k != 'share' or inside == 'occupancy') and
                (k != 'space' or isinstance(v, list))}
    if isinstance(o, list):
        return [without_times(v, inside) for v in o]
    return o


def compact(o, depth=0):
    """JSON with a line for each small thing."""
    line = json.dumps(o, ensure_ascii=False)
    if len(line) <= 110 or not o:
        return line
    pad = ' ' * (depth + 1)
    if isinstance(o, dict):
        inner = [f'{pad}{json.dumps(k)}: {compact(v, depth + 1)}'
                 for k, v in o.items()]
        return '{\n' + ',\n'.join(inner) + '\n' + ' ' * depth + '}'
    if isinstance(o, list):
        inner = [pad + compact(v, depth + 1) for v in o]
        return '[\n' + ',\n'.join(inner) + '\n' + ' ' * depth + ']'
    return line


# In the box a time is as wide as another, so that only its digits are hidden.
BOX_TIMES = [(re.compile(r'~?\d+\.\d+ (?:µs|ms|s)\b'), 'T'),
             (re.compile(r'×\d+\.\d+'), 'R'), (re.compile(r'\d+ %'), 'P'),
             (re.compile(r'─+'), '─'), (re.compile(r' {2,}'), '  ')]


def box_of(text):
    for pattern, sign in BOX_TIMES:
        text = pattern.sub(sign, text)
    return re.sub(r'╰.*╯', '╰ ... ╯', re.sub(r' *│$', ' │', text, flags=re.M))


def test_golden(folder):
    """All sequences as JSON and box, times off."""
    for name in SEQUENCES:
        with open(os.path.join(ROOT, 'tests/plan', name + '.fs'),
                  encoding='utf-8') as f:
            script = f.read().replace(':plan dump', ':plan json\n:plan box')
        done = run(script, folder, '--plan', 'off', '--color', 'never')
        check(done.returncode == 0, f'{name}: runs', done.stderr)
        plan = without_times(json.loads(done.stdout)[-1])
        plan.pop('id', None)
        out = compact(plan) + '\n' + box_of(done.stderr)
        golden = os.path.join(ROOT, 'tests/views', name + '.out')
        if UPDATE:
            with open(golden, 'w', encoding='utf-8') as f:
                f.write(out)
        want = open(golden, encoding='utf-8').read() \
            if os.path.exists(golden) else '(there is none)\n'
        check(out == want, f'{name}: JSON and box',
              '\n'.join(difflib.unified_diff(want.splitlines(),
                                             out.splitlines(), name + '.out',
                                             'found', lineterm='', n=1)))


def test_gpu(folder):
    """The same figures for a GPU, on the fake driver."""
    script = (SETUP + BLOCK + ':plan json\n').replace('600', '64').replace(
        '400', '48')
    done = fakegpu.run(['--target', 'cuda', '-q', '-e', script],
                       fakegpu.environment(folder))
    if not check(done.returncode == 0, 'the fake GPU runs', done.stderr):
        return
    for k in json.loads(done.stdout)[-1]['kernels']:
        o = k['occupancy']
        check(o['threads'] % 32 == 0 and 16 <= o['registers'] <= 255 and
              o['shared_bytes'] is not None and o['per_unit'] >= 1 and
              0 < o['share'] <= 1 and o['limit'] in (
                  'threads', 'registers', 'shared', 'blocks', 'work'),
              f'GPU {k["id"]}: occupancy', o)
        check(o['compiled'] and o['registers'] == 40 and
              o['spilled_bytes'] == 0 and
              o['estimated']['registers'] not in (0, 40) and
              o['estimated']['per_unit'] >= 1,
              f'GPU {k["id"]}: the driver\'s count beside the estimate', o)
        check(16 <= o['estimated']['corrected'] <= 255,
              f'GPU {k["id"]}: what other kernels took', o)
        check(list(k['setting']) == 'threads row_threads vector columns '
              'iterations resident cluster stages'.split() and
              k['setting']['threads'] == o['threads'],
              f'GPU {k["id"]}: setting', k['setting'])
        check(k['elements'] and all(e['storage'] in ('register', 'shared')
                                    for e in k['elements']),
              f'GPU {k["id"]}: elements', k['elements'])


    # Every kernel takes 40 registers here, whatever was estimated: that is learned.
    many = 'print(A[1, 1])\n' + ''.join(f'b = sum(A .* {k}, 2);\nprint(b[1])\n'
                                        for k in (2, 3, 4))
    many += ''.join(f'b = sum(abs(A[:, 1:{k}]), 2);\nprint(b[1])\n'
                    for k in (96, 160, 320))
    for learn, changed in (('on', True), ('off', False)):
        done = fakegpu.run(['--target', 'cuda', '--json', '-e', f':set learn {learn}\n' +
                            SETUP + many + ':explain d = sum(A .* A, 2)'],
                           fakegpu.environment(os.path.join(folder, learn)))
        last = [json.loads(line) for line in done.stdout.splitlines()
                if '"event":"plan"' in line and '"alternatives"' in line]
        guess = last[-1]['kernels'][0]['occupancy']['estimated'] if last else {}
        check(guess and (guess['corrected'] != guess['registers']) == changed,
              f'learn {learn}: registers of a plan', (guess, done.stderr))
    # A plan of one device is told of when another is in use.
    script = ':set rich on\n' + SETUP + BLOCK + ':target cpu\n' + BLOCK
    done = fakegpu.run(['--target', 'cuda', '--json', '-e', script],
                       fakegpu.environment(folder))
    plans = [json.loads(line) for line in done.stdout.splitlines()
             if '"event":"plan"' in line]
    check(done.returncode == 0 and len({p['device'] for p in plans}) == 2,
          'two devices in one input', done.stderr)


ASSERTIONS = [  # of a plan with two kernels of scheme row
    ('plan kernels <= 2', 0), ('kernels == 2', 0), ('kernels=2', 0),
    ('kernels<3', 0), ('kernels > 1', 0), ('kernels != 1', 0),
    ('launches <= 2', 0), ('calls >= 2', 0), ('scheme == row', 0),
    ('scheme != library', 0), ('bytes < 2 MiB', 0), ('bytes >= 1e6 B', 0),
    ('saved >= 0', 0), ('peak < 1 MB', 0), ('predicted < 1 s', 0),
    ('measured < 60 s', 0), ('ratio > 0', 0),
    ('kernels <= 1', 1), ('scheme == flat', 1), ('ratio < 1e-9', 1),
    ('saved >= 1 GiB', 1), ('measured < 1 ns', 1), ('kernels', 1),
    ('kernels <', 1), ('kernels < two', 1), ('bytes < 1 ms', 1),
    ('colour == 3', 1), ('scheme < row', 1), ('', 1)]


def test_assert(folder):
    script = SETUP + "begin s = A'*r; x = s + z; end\nbarrier\n" + \
        "begin s = A'*r; barrier; q = A*p; end\n"
    for text, status in ASSERTIONS:
        done = run(script + f':assert {text}\nprint("after")\n', folder)
        check(done.returncode == status, f'assert {text}: status',
              done.stderr)
        check(('after' in done.stdout) == (status == 0), f'assert {text}')
        check(not status or ('^~' in done.stderr and '.fs:' in done.stderr),
              f'assert {text}: carets', done.stderr)
    done = run(script + ':assert kernels <= 1\n', folder)
    check('kernels is 2' in done.stderr and 'barrier' in done.stderr,
          'the error has the figure and the reason', done.stderr)
    done = run(':assert kernels <= 1\n', folder)
    check(done.returncode == 1 and 'no statement has needed a kernel yet' in done.stderr,
          'nothing has run', done.stderr)


UPDATED = '''A = rand(300, 300); A[1, 1] = 0;
:assert kernels >= 1
%s
A[2, 2] = 1;
:plan %s
'''


def test_left_out(folder):
    """A copy before an update in place is none of what the plan says it took."""
    for before, left_out, kernels in (('', True, 1), ('B = A;', False, 2)):
        r = run(UPDATED % (before, 'json'), folder)
        plan = json.loads(r.stdout)[-1]
        copy, update = plan['kernels']
        check(copy['left_out'] is left_out and update['left_out'] is False,
              f'{before!r}: left out: {copy["left_out"]}')
        check(plan['launches'] == kernels, f'{before!r}: {plan["launches"]} launches')
        ran = [k for k in plan['kernels'] if not k['left_out']]
        check(plan['bytes'] == sum(k['moves'] for k in ran), f'{before!r}: bytes')
        check(abs(plan['predicted'] - sum(k['predicted'] for k in ran)) < 1e-12,
              f'{before!r}: predicted')
        check(plan['measured'] is not None, f'{before!r}: measured')
        unfused = plan['unfused']
        check(unfused['kernels'] == kernels and unfused['bytes'] == plan['bytes'] and
              abs(unfused['predicted'] - plan['first']) < 1e-12,
              f'{before!r}: unfused is the same', (unfused, plan['first']))
        words = 'no copy before' if left_out else 'copy before'
        r = run(UPDATED % (before, '') + f':assert plan kernels == {kernels}\n', folder)
        check(r.returncode == 0, r.stderr)
        check(f'k1 flat   {words} A[2, 2] = 1' in r.stderr, r.stderr)
        page = run(UPDATED % (before, 'html'), folder).stdout
        check(f'{words} A[2, 2] = 1' in page, f'{before!r}: the page')


def test_left_out_where_one_thread_reads(folder):
    """An update in place stores what its own thread has loaded; where others load it, too,
    they have a copy of the column, and never of the array."""
    for other, copies in (('Z = 2*B[:, 2]', 0), ('Z = M + B[:, 2]', 1)):
        r = run('M = rand(300, 400); B = rand(300, 7);\n'
                f'begin {other}; B[:, 2] += 1; end\n:plan json\n', folder)
        before, *between, update = json.loads(r.stdout)[-1]['kernels']
        check(update['does'] == f'{other}; B[:, 2] += 1', 'both in a kernel', update['does'])
        check(before['left_out'] is True, f'{other}: left out: {before["left_out"]}')
        check(len(between) == copies and all(k['bytes_written'] == 300 * 4 for k in between),
              f'{other}: copies', between)


def test_diff(folder):
    block = "begin q = A*p; s = A'*r; end\n"
    done = run(SETUP + block + ':plan diff\n:fuse off\n' + block +
               ':plan diff\n', folder)
    check('no earlier input' in done.stdout, 'diff: nothing to compare')
    rounds = run(SETUP + 'for k = 1:3; q = A*p + k; end;\n:plan diff\n', folder)
    check('no earlier input' in rounds.stdout and 'once' not in rounds.stdout,
          'diff: rounds of a loop are one run', rounds.stdout)
    for words in ('removed', 'added', '1 → 2 kernels', "q = A*p; s = A'*r"):
        check(words in done.stdout, f'diff says {words}', done.stdout)
    done = run(SETUP + block + 'A = rand(60, 400); r = rand(60);\n' + block +
               ':plan diff\n', folder)
    check('other size' in done.stdout and '1 kernel' in done.stdout,
          'diff: other sizes', done.stdout)
    # The same block under other names is another one for the user.
    done = run(SETUP + 'begin q = A*p; end\nbegin u = A*p; end\n:plan json\n',
               folder)
    names = [p['kernels'][0]['does'] for p in json.loads(done.stdout)[-2:]]
    check(names == ['q = A*p', 'u = A*p'], 'words of a block found again',
          names)


def test_same_words(folder):
    """A time is shown once where what runs have taught does not change its digits."""
    block = 'y = ones(3) + x;\n'
    done = run('x = rand(3);\n' + 12*(block + ':plan line\n:plan diff\n') +
               ':plan html\n', folder, '--plan', 'box')
    out = re.sub(r'</?code>', '', done.stdout + done.stderr)
    twice = re.findall(r'([\d.]+ \S+) → \1(?!\S)', out)
    check('→' in out and not twice, 'no time is shown twice', twice)


def test_alternatives(folder):
    done = run(SETUP + BLOCK + ':set width 100\n:alternatives 3\n', folder)
    rows = done.stdout.splitlines()
    check(rows and rows[0].split() == ['rank', 'kernels', 'predicted',
                                       'launches', 'moves', 'peak'],
          'alternatives: heads', done.stdout)
    check(sum('*' == w for row in rows for w in row.split()[:2]) == 1,
          'alternatives: one is in use', done.stdout)
    last = [r for r in rows if r.startswith('unfused')]
    check(len(last) == 1 and re.search(r'flat +x = s \+ z', done.stdout),
          'alternatives: unfused', done.stdout)
    ranks = [r.split()[0] for r in rows if r[:1].isdigit()]
    check(ranks == [str(k + 1) for k in range(len(ranks))] and ranks,
          'alternatives: ranks', ranks)
    for width, gone in ((200, []), (80, ['peak']), (60, ['peak', 'launches', 'moves'])):
        done = run('A = rand(1000, 1000); p = rand(1000);\n'
                   "begin q = A*p; s = A'*p; end\n"
                   f':set width {width}\n:alternatives 2\n', folder)
        rows = [r for r in done.stdout.splitlines() if not r.startswith('times')]
        check(max(map(len, rows)) <= width, f'alternatives: {width} columns', rows)
        check(rows[0].split() == [h for h in ('rank', 'kernels', 'predicted', 'launches',
                                              'moves', 'peak') if h not in gone],
              f'alternatives: heads at {width} columns', rows)
    for bad in ('0', 'x', '1 2', '-1'):
        done = run(SETUP + BLOCK + f':alternatives {bad}\n', folder)
        check(done.returncode == 1 and '^~' in done.stderr,
              f':alternatives {bad}', done.stderr)


def test_limit(folder):
    """What lies in the cache is held to the cache, computing to the model's time for it,
    and a launch has no limit."""
    def last(text):
        plan = json.loads(run(f'{text}\n:plan json\n', folder).stdout)[-1]
        return [(k['bound'], k['moves'], k['limit_s']) for k in plan['kernels']]
    (bound, moves, limit), = last('B = rand(1000, 1000); v = rand(1000);\nq = B*v;')
    (_, most, long), = last('B = rand(4000, 4000); v = rand(4000);\nq = B*v;')
    check(bound == 'memory' and moves/limit > 1.5*most/long,
          'limit: of a cache', f'{moves/limit:.3g} {most/long:.3g} B/s')
    (bound, _, limit), = last('x = rand(1000000);\n'
                              'y = sum(exp(x).*sin(x) + exp(2*x));')
    check(bound == 'compute' and limit is not None, 'limit: of computing', bound)
    (bound, _, limit), = last('x = rand(10);\ny = x + 1;')
    check(bound == 'launch' and limit is None, 'limit: a launch has none', bound)
    box = run('x = rand(10);\ny = x + 1;\n:plan\n', folder).stderr
    check(re.search(r'k1 flat .* — │', box), 'limit: a dash', box)


def test_explain(folder):
    done = run(SETUP + ":explain q = A*p; s = A'*r\nprint(1)\n:vars\n", folder)
    box = done.stderr
    check('~' in box and '—' in box and 'unfused' in box and
          'launches' in box, 'explain: box, marks, alternatives', box)
    check('\n  q ' not in done.stdout, 'explain binds nothing', done.stdout)
    check(not re.search(r'measured +[0-9]', box), 'explain measures nothing')
    for text in ('A*p', 'sum(A)', 'save("q.npy", 2*p)', 'plot(2*p)', 'return p*2',
                 'x = A*p; return sum(x)', 'print("s = ", sum(A))', 'y = 2*p; print(y)'):
        done = run(SETUP + f':explain {text}\np[1:2]\n', folder)
        check(done.returncode == 0 and 'needs no kernel' not in done.stdout and
              re.search('k1 (row|flat) ', done.stderr), f'explain: {text}',
              done.stdout + done.stderr)
        check(done.stdout.startswith('f32[2]') and
              not os.path.exists(os.path.join(folder, 'q.npy')),
              f'explain: {text} does and shows nothing', done.stdout)
    for text in ('p', 'A*p;', '1 + 2', 'print(1)'):
        done = run(SETUP + f':explain {text}\n', folder)
        check(done.stdout == 'this needs no kernel\n', f'explain: {text}',
              done.stdout + done.stderr)
    virtual = 'u = rand(1000)*2; B = u*u\';\n'
    for text, plans in (('B', 1), ('y = B*u; w = B[:, 3] + B[3, :]\'', 2), ('B = 2*B', 2),
                        ('s = sum(B\'); t = sum(B)', 2)):
        done = run(virtual + f':explain {text}\n:vars\n', folder)
        check('computed when it is read' in done.stdout and
              len(re.findall('planned in', done.stderr)) == plans and
              'B = u*u' in done.stderr.split('planned in')[0],
              f'explain computes nothing: {text}', done.stdout + done.stderr)
        kernels = lambda out: re.findall(r'│ (k\d \w+) +(.*?)  +([\d.]+ \S*B)',
                                         out.split('planned in')[-2])
        ran = run(virtual + f'begin {text}; end;\n:plan\n', folder)
        check(plans == 1 or kernels(ran.stderr) == kernels(done.stderr) != [],
              f'explain plans what runs: {text}', (ran.stderr, done.stderr))
    done = run(virtual + ':explain B[B > 1]\n', folder)
    check('explaining computes' in done.stderr and '^~~~~' in done.stderr,
          'explain: what has to be computed', done.stderr)
    done = run(SETUP + ':explain y = A*r\nprint(2)\n', folder)
    check(done.returncode == 1 and '^~' in done.stderr,
          'explain: a mistake has carets', done.stderr)


def test_graph(folder):
    """`:plan graph`: what is there, at every width, with what fusion spares."""
    block = "A = rand(300, 300); p = rand(300); r = rand(300);\nbegin q = A*p; s = A'*r; end\n"
    long = 'begin\n' + ''.join(f'x{k} = exp(A) .* {k}.5 + p;\n' for k in range(9)) + \
        'y = x1*x2; z = sum(y);\nend\n:plan graph\n'
    for width in (20, 40, 60, 80, 120, 200):
        done = run(f'{block}:set width {width}\n:plan graph\n{long}', folder)
        rows = done.stdout.splitlines()
        check(rows and max(map(len, rows)) <= min(max(width, 40), 76), f'graph: {width} columns',
              done.stdout)
        check("│ s = A'*r " in done.stdout and '┊ A ╌╌ 352 KiB less: read ' in done.stdout and
              '─▶ y 352 KiB' in done.stdout, 'graph: what is in it', done.stdout)
    done = run(block + ':set width 60\n:plan graph g.txt\n:plan json', folder)
    check('saved g.txt' in done.stdout and os.path.getsize(os.path.join(folder, 'g.txt')) > 300,
          'graph: saved', done.stdout)
    plan = json.loads(done.stdout.partition('\n')[2])[0]
    spared = sum(e['bytes'] for k in plan['kernels'] for e in k['removed'])
    moved = sum(k['moves'] for k in plan['kernels'])
    check(spared == plan['unfused']['bytes'] - moved, 'graph: fusion spares what it says',
          (spared, moved, plan['unfused']))
    done = run(block + ':plan graph\n', folder, env={'LC_ALL': 'C'})
    check(done.stdout.isascii() and '+-> q 1.17 KiB' in done.stdout and ': A ..' in done.stdout,
          'graph: ASCII', done.stdout)


def main():
    for tool in ('dot', 'rsvg-convert'):
        check(shutil.which(tool), f'{tool} is there',
              'scripts/install-deps test')
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, 'empty'))
        for test in (test_json, test_pictures, test_slices, test_page, test_without_dot,
                     test_mermaid, test_hostile, test_rich, test_golden, test_gpu,
                     test_assert, test_left_out,
                     test_left_out_where_one_thread_reads, test_diff, test_same_words,
                     test_alternatives, test_graph, test_limit, test_explain):
            test(folder)
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
