#!/usr/bin/python3
"""Rich output: what the events carry with `:set rich on`, and plots as text.

HTML and SVG are parsed and every tag and attribute held against a list of those
allowed, also with hostile names and texts; Vega-Lite is held to its shape. The
pictures of golden/plots.fs are compared with golden/*.txt (UPDATE=1 rewrites
them). The last line is `N passed, N failed`.
"""
import base64
import csv
import html.parser
import io
import json
import math
import os
import re
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, 'tests'))
from score import Score  # noqa: E402

FUSIBLE = os.path.abspath(os.environ.get('FUSIBLE') or
                          os.path.join(ROOT, 'build', 'fusible'))
S = Score()
FOLDER = tempfile.TemporaryDirectory()
ENV = dict(os.environ, LC_ALL='C.UTF-8', XDG_CACHE_HOME=FOLDER.name,
           XDG_CONFIG_HOME=FOLDER.name, XDG_STATE_HOME=FOLDER.name)
WITH_PROGRAMS, ENV['PATH'] = ENV['PATH'], FOLDER.name  # without librsvg: SVG

SVG = 'image/svg+xml'
PNG = 'image/png'
VEGA = 'application/vnd.vegalite.v5+json'
HOSTILE = ['<img src=x onerror=alert(1)>', '</script><script>alert(1)</script>',
           '" onload="x', "' onclick='x", '&lt;b&gt;', '\x1b]0;title\x07',
           'a\u202eb', '\u2066x\u2069', '<svg/onload=x>', ']]>']


def run(*code, args=(), flags=('--json',), **env):
    argv = [FUSIBLE, '--target', 'cpu', '--threads', '2', *flags, *args]
    for c in code:
        argv += ['-e', c]
    return subprocess.run(argv, env=dict(ENV, **env), cwd=FOLDER.name, timeout=600,
                          stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, encoding='utf-8')


def events(*code, rich=True):
    done = run(*([':set rich on'] if rich else []), *code)
    return [json.loads(line) for line in done.stdout.splitlines()]


def data_of(*code, kind='value', rich=True):
    return [e['data'] for e in events(*code, rich=rich) if e['event'] == kind]


def quoted(text):
    """A text of the language."""
    out = ''
    for ch in text:
        out += ('\\' + ch if ch in '"\\' else
                ch if 32 <= ord(ch) < 127 else '\\u{%x}' % ord(ch))
    return '"' + out + '"'


# -- HTML ----------------------------------------------------------------------

TAGS = {'p', 'b', 'table', 'thead', 'tbody', 'tr', 'th', 'td'}


class Strict(html.parser.HTMLParser):
    """Only the tags of values, no attributes, everything closed in order."""

    def __init__(self):
        super().__init__()
        self.open, self.wrong, self.text, self.cells = [], [], '', []

    def handle_starttag(self, tag, attrs):
        if tag not in TAGS or attrs:
            self.wrong.append((tag, attrs))
        self.open.append(tag)
        if tag == 'td':
            self.cells.append('')

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append('/' + tag)

    def handle_data(self, data):
        self.text += data
        if self.open and self.open[-1] == 'td':
            self.cells[-1] += data

    def handle_comment(self, data):
        self.wrong.append(data)

    handle_decl = handle_pi = unknown_decl = handle_comment


def parsed(text):
    p = Strict()
    p.feed(text)
    p.close()
    S.check(not p.wrong and not p.open, ('html', p.wrong, p.open, text[:200]))
    S.check(not set(text) & set(map(chr, [*range(9), *range(11, 32), 127,
                                          0x202e, 0x2066, 0x2069])),
            ('controls in html', text[:200]))
    return p


def test_values():
    cases = {'[1, 2, 3]': 3, '[1, 2; 3, 4]': 4, 'zeros(2, 3, 4)': 24,
             'eye(500, 700)': 6 * 7 + 7, '1:100000': 0, 'rand(100000)': 11,
             '[1, 0/0, 1/0]': 3, '(1:30 > 3)\'': 11, 'ones(1, 5)': 5}
    for code, cells in cases.items():
        data = data_of('A = ' + code)
        if not S.check(len(data) == 1 and 'text/plain' in data[0], code):
            continue
        p = parsed(data[0].get('text/html', ''))
        S.check(len(p.cells) == cells, (code, 'cells', len(p.cells)))
    plain = data_of('A = [1, 2]', rich=False)
    S.check(list(plain[0]) == ['text/plain'], 'only text unless asked for')
    text = data_of('A = [1.5, -2; 3, 4e-3]')[0]
    S.check(parsed(text['text/html']).cells == ['1.500', '-2.000', '3.000',
                                                '0.004'], text)
    for code in ('3', '"text"', 'true', 'x -> x', '1:10', 'sin', 'sum([1, 2])'):
        data = data_of(code)[0]  # as HTML it would not stand beside its prompt
        S.check(set(data) == {'text/plain'}, (code, data))


def test_hostile_values():
    for text in HOSTILE:
        for code in ('x = ' + quoted(text), 'f(x) = ' + quoted(text) + ' + x; f',
                     quoted(text)):
            for data in data_of(code):
                S.check(not set(data['text/plain']) & set(map(chr, [
                    *range(9), *range(11, 32), 127, 0x202e, 0x2066, 0x2069])), data)
    big = data_of('x = "ab<"; for k = 1:21; x = x + x; end', 'x')
    S.check(len(big) == 1 and len(big[0]['text/plain']) < 20000,
            'a text of 6 MB is cut')
    name = 'm' + 'é' * 100
    data = data_of(name + ' = [1, 2]')[0]
    S.check(name in parsed(data['text/html']).text, 'a name')


# -- pictures ------------------------------------------------------------------

SVG_NAME = '{http://www.w3.org/2000/svg}'
SVG_TAGS = {
    'svg': {'width', 'height', 'viewBox', 'font-family', 'font-size', 'fill'},
    'title': set(),
    'g': {'stroke', 'stroke-width', 'paint-order'},
    'rect': {'x', 'y', 'width', 'height', 'fill'},
    'path': {'d', 'stroke', 'stroke-width', 'stroke-linejoin', 'fill',
             'stroke-linecap', 'shape-rendering'},
    'text': {'x', 'y', 'text-anchor', 'transform'}}


def picture(text):
    """The texts of an SVG, all of whose parts are allowed."""
    try:
        root = ET.fromstring(text)
    except ET.ParseError as e:
        S.check(False, ('svg', e, text[:200]))
        return []
    for e in root.iter():
        tag = e.tag.replace(SVG_NAME, '')
        S.check(tag in SVG_TAGS and set(e.attrib) <= SVG_TAGS[tag],
                ('svg', tag, e.attrib))
        for value in e.attrib.values():
            if 'nan' in value or 'inf' in value or ':' in value:
                S.check(False, ('svg value', tag, value[:80]))
    return [e.text for e in root.iter(SVG_NAME + 'text')]


CHANNELS = {'x', 'y', 'x2', 'y2', 'color', 'order', 'text'}


def csv_rows(layer):
    """The data of a layer, as Vega-Lite reads them."""
    numbers = set(layer['data']['format']['parse'])
    reader = csv.DictReader(io.StringIO(layer['data']['values']))
    return [{k: (float(v) if v else None) if k in numbers else v
             for k, v in row.items()} for row in reader]


def vega(spec):
    S.check(spec['$schema'].endswith('/vega-lite/v5.json') and
            set(spec) <= {'$schema', 'width', 'height', 'title', 'layer',
                          'description'}, ('vega', list(spec)))
    S.check('plot' in spec['description'] or 'chart' in spec['description'] or
            'heatmap' in spec['description'], spec['description'])
    for layer in spec['layer']:
        S.check(set(layer) - {'transform'} == {'data', 'mark', 'encoding'} and
                layer['mark']['type'] in ('line', 'point', 'bar', 'rect', 'text')
                and
                set(layer['encoding']) <= CHANNELS, ('layer', list(layer)))
        # From x to x2 a bar would lie, by Vega-Lite's own rule.
        S.check(layer['mark']['type'] != 'bar' or
                layer['mark']['orient'] == 'vertical', ('bars stand', layer['mark']))
        fields = [c['field'] for name, c in layer['encoding'].items()
                  if 'field' in c and name != 'text']
        made = {m['as'] for m in layer.get('transform', [])}
        form = layer['data']['format']
        S.check(form['type'] == 'csv' and
                set(form['parse'].values()) <= {'number'}, form)
        for row in csv_rows(layer):
            if not all(f in made or isinstance(row[f], (float, type(None)))
                       for f in fields):
                S.check(False, ('vega row', row, fields))
                break
    return spec['layer']


def plots(*code):
    found = data_of(*code, kind='display')
    for data in found:
        S.check(set(data) == {'text/plain', SVG, VEGA}, list(data))
        picture(data[SVG])
        vega(data[VEGA])
        S.check(all(len(line) <= 100 for line in
                    data['text/plain'].splitlines()), 'width of a plot')
    return found


def rows(data, layer=0):
    return csv_rows(data[VEGA]['layer'][layer])


def test_plots():
    p = plots('plot([1, 2, 3], [4, 5, 6])')[0]
    S.check([(r['x'], r['y']) for r in rows(p)] == [(1, 4), (2, 5), (3, 6)],
            'points as given')
    p = plots('A = [1, 2; 3, 4; 5, 6]; plot(A, "a"); plot([1, 2, 3], A)')
    S.check([len(d[VEGA]['layer']) for d in p] == [2, 2], 'columns are curves')
    S.check([r['y'] for r in rows(p[1], 1)] == [2, 4, 6], 'second column')
    for name in ('n=100', 'alpha=0.5', 'titel = x'):  # near no option, or with a blank
        p = plots(f'plot([1, 2], "{name}")')[0]
        S.check(p['text/plain'].splitlines()[-1].endswith(name), f'{name} is a name')
    p = plots('plot([1, 0/0, 3, 1/0, 5])')[0]
    S.check([r['y'] for r in rows(p)] == [1, None, 3, None, 5], 'gaps')
    p = plots('plot([1, 0, 100, -3], "log=y")')[0]
    S.check([r['y'] for r in rows(p)] == [1, None, 100, None], 'log gaps')
    p = plots('plot([0/0, 0/0])', 'hist([0/0, 1/0])', 'heatmap([0/0, 0/0]\')')
    S.check(len(p) == 3 and all('no finite' in d['text/plain'] for d in p),
            'nothing to show')
    p = plots('hist([1, 1, 2, 9, 0/0], "bins=4")')[0]
    S.check([r['y'] for r in rows(p)] == [3, 0, 0, 1], 'bars')
    p = plots('heatmap([1, 2; 3, 4])')[0]
    S.check([r['v'] for r in rows(p)] == [1, 2, 3, 4], 'cells')
    p = plots('scatter([1, 2], [3, 4])', 'plot([5, 5, 5])', 'plot([7])',
              'hist([2])', 'heatmap(ones(300, 200))', 'plot(1:5)',
              'plot(i64([1, 2]), (1:2 > 1))', 'plot([1e-300, 1e300], "log=y")',
              'plot(f64([-1.7e308, 1.7e308]))', 'plot([1e-40, 2e-40])')
    S.check(len(p) == 10, 'plots of all sorts')
    for text in HOSTILE:
        q = quoted('title=' + text), quoted('xlabel=' + text), quoted(text)
        found = plots('plot([1, 2], %s, %s, %s)' % (q[2], q[0], q[1]))
        S.check(len(found) == 1, ('labels', text))


def test_axes():
    """The axes of Vega-Lite are those of the other forms."""
    p = plots('heatmap(rand(90, 90))', 'heatmap([1, 2; 3, 4])', 'bar([1, 10], "log=y")',
              'hist([1, 1, 2, 9], "bins=4")')
    x, y = (p[0][VEGA]['layer'][0]['encoding'][c] for c in 'xy')
    S.check(x['scale']['domain'] == y['scale']['domain'] == [0.5, 90.5] and
            x['scale']['nice'] is False and y['scale']['reverse'], (x, y))
    ticks = p[1][VEGA]['layer'][0]['encoding']['x']['axis']['values']
    S.check(ticks == [1, 2], ('columns are whole', ticks))
    S.check('1.5' not in picture(p[1][SVG]), 'in the SVG, too')
    low, high = p[2][VEGA]['layer'][0]['encoding']['y']['scale']['domain']
    S.check(0 < low < 1 and high > 10, ('a bar to 1 is seen', low, high))
    ends = p[3][VEGA]['layer'][0]['encoding']['x']['scale']['domain']
    S.check(ends == [1, 9], ends)
    many = ','.join('number %d' % k for k in range(20))
    axis = plots('bar(1:20, "names=%s")' % many)[0][VEGA]['layer'][0][
        'encoding']['x']['axis']
    S.check(axis['labelOverlap'] is False and len(axis['values']) == 20 and
            axis['labelAngle'] == -40, axis)
    axis = plots('bar([1, 2], "names=a,b")')[0][VEGA]['layer'][0]['encoding']['x']['axis']
    S.check(axis['labelAngle'] == 0, axis)
    names = ','.join(map(str, range(40)))  # too many: numbers
    x = plots('bar(1:40, "names=%s")' % names)[0][VEGA]['layer'][0]['encoding']['x']
    S.check('axis' not in x, x)


def test_png():
    """What a notebook keeps is pixels where librsvg is, with words for those who do
    not see them."""
    code = ('plot([1, 2, 3], "up", "title=A <b>", "xlabel=s")', 'heatmap(rand(9, 4))')
    for path, kind in ((WITH_PROGRAMS, PNG), (FOLDER.name, SVG)):
        done = run(':set rich on', *code, PATH=path)
        found = [json.loads(line) for line in done.stdout.splitlines()]
        found = [e for e in found if e['event'] == 'display']
        for e in found:
            S.check(set(e['data']) == {'text/plain', VEGA, kind}, list(e['data']))
            about = e['metadata'][kind]
            S.check(about['width'] == 640 and about['height'] == 400 and
                    about['alt'] == e['data'][VEGA]['description'], about)
        S.check([e['metadata'][kind]['alt'] for e in found] == [
            'line plot "A <b>" of "up"; s from 1 to 3; y from 1 to 3',
            found[1]['data'][VEGA]['description']], found[0]['metadata'])
        S.check('heatmap of 9 x 4; values from ' in
                found[1]['data'][VEGA]['description'], 'a heatmap')
        if kind == PNG:
            for e in found:
                pixels = base64.b64decode(e['data'][PNG], validate=True)
                size = struct.unpack('>II', pixels[16:24])
                S.check(pixels.startswith(b'\x89PNG') and size == (1280, 800), size)
    title = ET.fromstring(found[0]['data'][SVG]).find(SVG_NAME + 'title').text
    S.check(title == found[0]['metadata'][SVG]['alt'], ('the SVG has its title', title))


def test_large():
    code = ('n = 3000000; x = zeros(n); x[1234567] = 1; x[77] = -1; '
            'plot(x); scatter(rand(n), rand(n)); hist(rand(n)); '
            'heatmap(rand(1500, 1400))')
    p = plots(code)
    if not S.check(len(p) == 4, 'large plots'):
        return
    values = [(r['x'], r['y']) for r in rows(p[0])]
    S.check((1234567, 1) in values and (77, -1) in values,
            'a spike of one element in 3 million is drawn')
    S.check(len(values) <= 6000 and len(rows(p[1])) <= 16000 and
            len(rows(p[2])) <= 100 and len(rows(p[3])) <= 96 * 96,
            [len(rows(d)) for d in p])
    S.check(sum(r['y'] for r in rows(p[2])) == 3000000, 'every value counted')
    S.check(max(len(d[SVG]) for d in p) < 400000,
            [len(d[SVG]) for d in p])
    mean = sum(r['v'] for r in rows(p[3])) / len(rows(p[3]))
    S.check(abs(mean - 0.5) < 0.01, ('means of blocks', mean))


def test_block():
    """A plot is no end of a block: the curve is a result like any other."""
    e = events('begin\nx = rand(1000); y = 2*x; plot(y); s = sum(y);\nend')
    S.check([v['event'] for v in e].count('plan') == 2 and  # launched, measured
            len([v for v in e if v['event'] == 'display']) == 1,
            [v['event'] for v in e])


def test_roofline():
    p = plots('A = rand(300, 300); x = ones(300); q = A*x; s = A\'*x; '
              'roofline("title=mine")')[0]
    names = [(l['encoding']['color']['datum'], l['mark']['type'])
             for l in p[VEGA]['layer']]
    S.check(names == [('device limit', 'line'), ('measured', 'point'),
                      ('measured', 'text'), ('predicted', 'point'),
                      ('predicted', 'text'), ('by fusion', 'line')] and
            p[VEGA]['title'] == 'mine', names)
    arrow = rows(p, 5)[:2]  # from no fusion to fused: fewer bytes for each operation
    S.check(arrow[1]['x'] > arrow[0]['x'], arrow)
    for row in rows(p, 1) + rows(p, 3) + arrow:
        S.check(row['x'] > 0 and row['y'] > 0, row)
    labels = [r['label'] for r in rows(p, 2)]
    S.check(labels and all(re.match(r'k\d+ ', t) for t in labels) and
            sorted(labels) == sorted(t for t in picture(p[SVG]) if t in labels),
            ('every kernel is named', labels))
    roof = rows(p)  # each number is rounded to f32: four of them, 2^-24 each
    S.check(roof[1]['y'] == roof[2]['y'] and
            math.isclose(roof[0]['y'] / roof[0]['x'],
                         roof[1]['y'] / roof[1]['x'], rel_tol=4 * 2**-24), roof)
    later = plots('q = rand(100, 100)*ones(100);', 'roofline()')
    S.check(len(rows(later[0], 1)) >= 1, 'of the last input')
    S.check(len(plots('roofline()')) == 1, 'before any block')


def test_bars():
    p = plots('bar([1, 2], "a", [3, 4], "b", "names=left,right")')[0]
    S.check([[r['y'] for r in rows(p, k)] for k in (0, 1)] == [[1, 2], [3, 4]],
            'grouped bars')
    S.check('left' in picture(p[SVG]) and 'right' in p['text/plain'], 'names')
    evil = """'],alert(1),['\\"+datum.x+\\"<b>"""
    p = plots('bar([1, 2], %s)' % quoted('names=' + evil + ',b'))[0]
    code = p[VEGA]['layer'][0]['encoding']['x']['axis']['labelExpr']
    names = json.loads(code[:code.rindex('[datum.value-1]')])
    S.check(code.isascii() and names[-1] == 'b' and
            ','.join(names[:-1]) == evil, code)
    p = plots('begin\nx = rand(100); time(); y = 2*x; time(); s = sum(y)\n'
              'predictions("log=y")\nend', 'predictions("names=one,two")',
              'bar([0/0, 1, -2])', 'bar(rand(500))')
    S.check(len(p) == 4 and len(rows(p[0])) == len(rows(p[0], 1)) == 3 and
            all(r['y'] > 0 for r in rows(p[0], 1)), 'times of blocks')
    S.check('one' in picture(p[1][SVG]), 'names of blocks')


def test_errors():
    for code, word in (('plot("x")', 'bad-option'), ('plot(sin)', 'wrong-type'),
                       ('plot([1,2],[1,2,3])', 'shape-mismatch'),
                       ('plot([1,2],"log=z")', 'bad-option'),
                       ('hist([1,2],"bins=0")', 'bad-option'),
                       ('hist([1,2],"x","y")', 'bad-option'),
                       ('heatmap(zeros(2,2,2))', 'wrong-type'),
                       ('heatmap(3)', 'wrong-type'), ('plot(3)', 'wrong-type'),
                       ('plot(zeros(3,50))', 'too-many-curves'),
                       ('roofline(3)', 'wrong-type'), ('bar(rand(2000))',
                                                       'too-many-curves'),
                        ('savefig("a.svg")',
                                                       'no-plot'),
                       ('plot([1,2]); savefig("a.png")', 'file'),
                       ('y = plot([1,2])', 'no-value')):
        found = [e['id'] for e in events(code) if e['event'] == 'diagnostic']
        S.check(len(found) == 1 and (found[0] == word or word == 'file'),
                (code, found))


def test_savefig():
    for name in ('a.svg', 'b.json', 'c.txt'):
        done = run('plot([1, 2, 3], "title=T"); savefig("%s")' % name, flags=())
        path = os.path.join(FOLDER.name, name)
        if S.check(done.returncode == 0 and os.path.exists(path), done.stderr):
            with open(path, encoding='utf-8') as f:
                text = f.read()
            if name == 'a.svg':
                S.check('T' in picture(text), name)
            elif name == 'b.json':
                vega(json.loads(text))
            else:
                S.check(text in done.stdout, 'as the terminal shows it')


# -- text ----------------------------------------------------------------------

def test_golden():
    with open(os.path.join(HERE, 'golden', 'plots.fs'), encoding='utf-8') as f:
        code = f.read()
    for name, before in (('plots', ''), ('ascii', ':set ascii on'),
                         ('narrow', ':set width 30')):
        done = run(*([before] if before else []), code,
                   flags=('--color', 'never'))
        path = os.path.join(HERE, 'golden', name + '.txt')
        if os.environ.get('UPDATE') == '1':
            with open(path, 'w', encoding='utf-8') as f:
                f.write(done.stdout)
        with open(path, encoding='utf-8') as f:
            S.check(done.stdout == f.read(), 'golden/' + name + '.txt',
                    done.stdout + done.stderr)
        if name == 'ascii':
            ours = done.stdout.replace('\u65e5\u672c\u8a9e', '')
            S.check(ours.isascii(), 'only ASCII but for the user\'s title')
        if name == 'narrow':
            S.check(max(map(len, done.stdout.splitlines())) <= 30, 'width 30')


def test_ink():
    code = 'plot([1, 2, 3], "up", [3, 2, 1], "down")'
    e = [v for v in events(code) if v['event'] == 'display'][0]
    lines = e['data']['text/plain'].split('\n')
    S.check(len(lines) == len(e['ink']), (len(lines), len(e['ink'])))
    for line, ink in zip(lines, e['ink']):
        S.check(len(ink) <= len(line) and set(ink) <= set('01 ') and
                all(line[k] not in ' \u2800' for k, c in enumerate(ink)
                    if c != ' '), (line, ink))
    plain = run(code, flags=('--color', 'never')).stdout
    color = run(code, flags=('--color', 'always')).stdout
    S.check('\x1b[34m' in color and '\x1b[31m' in color and
            '\x1b' not in plain, 'colours')
    for sgr in ('\x1b[34m', '\x1b[31m', '\x1b[0m'):
        color = color.replace(sgr, '')
    S.check(color == plain, 'colours change nothing else')


def test_prompt():
    """At the prompt, in a process of its own, as wide as the terminal."""
    sys.path.insert(0, os.path.join(ROOT, 'tests', 'pty'))
    from terminal import ESCAPES, Terminal
    t = Terminal([FUSIBLE, '--target', 'cpu', '--no-rc', '--quiet', '--plan',
                  'off'], env=dict(ENV, TERM='xterm'), columns=50)
    try:
        t.expect('> ', 600)
        t.send('plot([1, 2, 3], "up", [3, 2, 1], "down")\r')
        t.expect('down\\n', 600)
        raw = t.raw.decode('utf-8', 'replace')
        S.check('\x1b[31m' in raw and '\x1b[34m' in raw and '\u28c0' in raw,
                'a plot in colours', raw[-2000:])
        plain = ESCAPES.sub(b'', t.raw).decode('utf-8', 'replace')
        rows_of = [l for l in plain.split('\n') if '\u2502' in l]
        S.check(rows_of and max(len(l.rstrip()) for l in rows_of) <= 50,
                'within the width')
    finally:
        t.close()


# -- plans ---------------------------------------------------------------------

def states(*code):
    return [(e['id'], e['state'], e['runs'], e['measured'] is None)
            for e in events(*code) if e['event'] == 'plan']


def test_plans():
    block = 'A = rand(50, 50); x = ones(50); q = A*x;'
    S.check(states(block) == [('plan-1', 'launched', 0, True),
                              ('plan-1', 'measured', 1, False)],
            states(block))
    loop = 'x = ones(50); for k = 1:5; x = x/2; s = sum(x); end'
    found = states(loop)
    ids = {i for i, state, _, _ in found if state == 'launched'}
    S.check(len(found) == 2 * len(ids) and
            ids == {i for i, state, _, _ in found if state == 'measured'},
            found)
    e = events(block + ' undefined_name')
    S.check('plan' not in [v['event'] for v in e], 'no plan before an error')
    found = states(block, 'if sum(q) > 0\n error("late")\nend')
    S.check([s[1] for s in found[:2]] == ['launched', 'measured'] and
            all(s[1] in ('launched', 'withdrawn') for s in found[2:]) and
            len(found) % 2 == 0, found)
    S.check(all(e.get('state') == 'measured' for e in events(block, rich=False)
                if e['event'] == 'plan'), 'not launched unless asked for')
    shown = run(':set rich on', block, flags=('--plan', 'line')).stderr
    S.check(shown.count('kernel') == 1, 'the terminal shows it once', shown)


def main():
    for name, test in sorted(globals().items()):
        if name.startswith('test_'):
            test()
    FOLDER.cleanup()
    return S.close()


if __name__ == '__main__':
    sys.exit(main())
