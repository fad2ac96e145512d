#!/usr/bin/python3
"""The colours of code: JupyterLab's (jupyter/labextension) and Pygments' (jupyter/
fusible_pygments.py) have the words of core/lang and give every word the same class,
in all examples and in random lines; and what the extension registers. Its JavaScript
runs in QuickJS here; `make check-lab` sees it in a browser.
"""
import peers  # noqa: F401, first: it changes the Python that runs this
import glob
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

import quickjs

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(ROOT, 'jupyter')]
from score import Score  # noqa: E402
import fusible_pygments as words  # noqa: E402
from pygments.token import (Comment, Error, Keyword, Name, Number, Operator,  # noqa
                            Punctuation, String)

BUILD = os.path.abspath(os.environ.get('BUILD', os.path.join(ROOT, 'build')))
FOLDER = os.path.join(ROOT, 'jupyter', 'labextension')

# CodeMirror's name of a class, and Pygments'.
CLASSES = {
    Comment.Single: 'comment', String.Double: 'string', String.Escape: 'escape',
    Number.Hex: 'number', Number.Float: 'number', Number.Integer: 'number',
    Error: 'error', Keyword: 'keyword', Keyword.Declaration: 'keyword',
    Keyword.Type: 'keyword', Keyword.Constant: 'constant', Name: 'name',
    Name.Function: 'function', Operator: 'operator', Punctuation: 'punctuation'}
STYLES = {
    'comment': 'comment', 'string': 'string', 'string.special': 'escape',
    'number': 'number', 'invalid': 'error', 'keyword': 'keyword', 'bool': 'constant',
    'variableName': 'name', 'variableName.function': 'function',
    'variableName.function.definition': 'function', 'operator': 'operator',
    'bracket': 'punctuation', 'separator': 'punctuation', None: ''}

# As much of JupyterLab and CodeMirror as a language sees.
SETTING = r'''
var window = globalThis, console = {warn() {}};
class Stream {
  constructor(string) { this.string = string; this.pos = 0; }
  eatSpace() {
    const from = this.pos;
    while (/[\s\u00a0]/.test(this.string.charAt(this.pos))) this.pos++;
    return this.pos > from;
  }
}
function container() { return window._JUPYTERLAB['jupyterlab-fusible']; }
async function load(name) { return (await container().get(name))(); }
function copy(state) {  // as CodeMirror does between lines
  const to = {};
  for (const k in state)
    to[k] = Array.isArray(state[k]) ? state[k].slice() : state[k];
  return to;
}
function lines_of(text) {
  let state = parser.startState();
  return JSON.stringify(text.split('\n').map(line => {
    const stream = new Stream(line), found = [];
    while (stream.pos < line.length) {
      const from = stream.pos, style = parser.token(stream, state);
      if (stream.pos === from) throw new Error('no progress: ' + line);
      state = copy(state);
      found.push([style === undefined ? null : style, line.slice(from, stream.pos)]);
    }
    return found;
  }));
}
function indents(text, unit) {
  const state = parser.startState(), all = [];
  for (const line of text.split('\n')) {
    all.push(parser.indent(state, line.trim(), {unit}));
    const stream = new Stream(line);
    while (stream.pos < line.length) parser.token(stream, state);
  }
  return JSON.stringify(all);
}
'''


class Browser:
    def __init__(self):
        self.js = quickjs.Context()
        self.js.eval(SETTING)
        with open(os.path.join(FOLDER, 'static', 'fusible.js'), encoding='utf-8') as f:
            self.js.eval(f.read())
        self.wait('load("./parser").then(p => globalThis.parser = p)')

    def wait(self, code):
        """Evaluates what gives a promise; its value as JSON, or {'error': words}."""
        self.js.eval(f'globalThis.got = "never"; ({code}).then('
                     'v => { got = JSON.stringify(v === undefined ? null : v); },'
                     'e => { got = JSON.stringify({error: String(e)}); });')
        while self.js.execute_pending_job():
            pass
        return json.loads(self.js.eval('got'))

    def lines(self, text):
        """For each line the (class, text) of its words."""
        found = json.loads(self.js.eval(f'lines_of({json.dumps(text)})'))
        return [joined((STYLES[style], word) for style, word in line)
                for line in found]


def joined(pieces):
    """Neighbours of one class as one; white space has none."""
    out = []
    for kind, word in pieces:
        if not word:
            continue
        kind = kind if word.strip(' \t\r') else ''
        if out and out[-1][0] == kind:
            out[-1] = (kind, out[-1][1] + word)
        else:
            out.append((kind, word))
    return out


def pygments_lines(text):
    lines, now = [], []
    for kind, word in words.FusibleLexer(stripnl=False, ensurenl=False).get_tokens(text):
        parts = word.split('\n')
        for k, part in enumerate(parts):
            if k:
                lines.append(joined(now))
                now = []
            now.append((CLASSES.get(kind, ''), part))
    lines.append(joined(now))
    return lines


def compare(score, browser, what, text):
    ours, theirs = browser.lines(text), pygments_lines(text)
    different = [(a, b) for a, b in zip(ours, theirs) if a != b]
    score.check(not different and len(ours) == len(theirs), what, different[:2])


# -- the tests -----------------------------------------------------------------------

def test_tables(score, browser):
    """One list of words: test_wheel.py holds Pygments' to core/lang."""
    tables = browser.wait('load("./words")')
    for name in ('KEYWORDS', 'CONSTANTS', 'DECLARATIONS', 'OPERATORS'):
        score.check(tuple(tables[name]) == getattr(words, name), name, tables[name])
    score.check(tuple(map(tuple, tables['NO_LETTERS'])) == words.NO_LETTERS, 'letters')


SNIPPET = '''\
# a comment; // so is this
input matrix A; vector x
vector = 2; scalar = 3; [input, vector
  matrix A]
function [q] // no
function f(x); f(x) = x.^2 + 1.*x - .5e-3  // half
s = "a\\t\\"b\\" # no comment \\q \\x4g"; u = "it's"; "open \\
for k in 1:10; for in in 3
  σ₁ += 0x1F./2x; été == 1.5.2; ünder_2(3); x→y; "\U0001d465"; 𝑥 = 1; 🙂
if !true || B[1,
  :why] -> 1. ** 1e5; 0x; 1e; 12ab; ..5; 'A'
:why A # all of it; "
  ?rand; x
 :? y
a = 1; :no command; ?no help
endfor iffy end_ end2 trueish
'''


def test_snippet(score, browser):
    compare(score, browser, 'the snippet', SNIPPET)
    kinds = {kind for line in browser.lines(SNIPPET) for kind, _ in line}
    score.check(kinds == set(STYLES.values()), 'has all classes', kinds)
    found = browser.lines('q = A\'*p + 0.5 # s')[0]
    score.check(found == [('name', 'q'), ('', ' '), ('operator', '='), ('', ' '),
                          ('name', 'A'), ('operator', "'*"), ('name', 'p'), ('', ' '),
                          ('operator', '+'), ('', ' '), ('number', '0.5'), ('', ' '),
                          ('comment', '# s')], found)


def test_programs(score, browser):
    paths = [os.path.join(ROOT, 'prelude.fs')] + sorted(
        glob.glob(os.path.join(ROOT, 'examples', '**', '*.fs'), recursive=True) +
        glob.glob(os.path.join(ROOT, 'tests', 'lang', '*.fs')))
    score.check(len(paths) > 20, paths)
    for path in paths:
        with open(path, encoding='utf-8') as f:
            compare(score, browser, path, f.read().replace('\r', ''))


def test_random_lines(score, browser):
    rng = random.Random(7)
    pieces = list(words.KEYWORDS + words.CONSTANTS + words.DECLARATIONS +
                  words.OPERATORS)
    pieces += list('()[],;"#\\ \t:?.0123abxe_σ₁é→½🙂') + [
        '//', ' ', ' ', '\n', '1e', '0x', '.5', '2.', '"a"', '\\n', '\\x41', 'in',
        'for k in', 'function f(', ':plan ', '?']
    for k in range(400):
        text = ''.join(rng.choice(pieces) for _ in range(rng.randrange(1, 60)))
        compare(score, browser, ('random lines', k, text), text)


def test_indent(score, browser):
    text = ('function f(x)\nif x > [1,\n2]\nA[end]\nelse\nfor k in x\ny\nend\nend\n'
            'end\nz')
    got = json.loads(browser.js.eval(f'indents({json.dumps(text)}, 2)'))
    score.check(got == [0, 2, 4, 4, 2, 4, 6, 4, 2, 0, 0], 'indents', got)


REGISTER = r'''
(async () => {
  const made = [];
  const share = (what, loaded) => ({loaded, get: async () => () => what});
  const language = {
    StreamLanguage: {define: p => ({defined: p.name})},
    LanguageSupport: class { constructor(l) { this.language = l; } }
  };
  container().init({
    '@codemirror/language': {'6.9.3': share('old'), '6.12.1': share(language),
                             '6.10.0': share('older')},
    '@jupyterlab/codemirror': {'4.4.0': share({IEditorLanguageRegistry: 'token'}, 1),
                               '5.0.0': share({})}
  });
  const plugins = (await load('./extension')).default, plugin = plugins[0];
  const registry = {findByName: n => made.find(l => l.name === n),
                    addLanguage: l => made.push(l)};
  plugin.activate(null, registry);
  plugin.activate(null, registry);
  const support = await made[0].load();
  return {id: plugin.id, auto: plugin.autoStart, requires: plugin.requires,
          times: made.length, mime: made[0].mime, extensions: made[0].extensions,
          file: made[0].filename.test('a.fs') && !made[0].filename.test('a.fsx'),
          language: support.language.defined, plugins: plugins.map(p => p.id)};
})()'''


def test_registers(score, browser):
    got = browser.wait(REGISTER)
    score.check(got == {
        'id': 'jupyterlab-fusible:language', 'auto': True, 'requires': ['token'],
        'times': 1, 'mime': 'text/x-fusible', 'extensions': ['fs'], 'file': True,
        'language': 'fusible', 'plugins': ['jupyterlab-fusible:language']},
        'the extension registers the language', got)
    got = browser.wait('(container().init({}), load("./extension"))')
    score.check(got['default'] == [], 'without what it needs', got)
    got = browser.wait('load("./nothing")')
    score.check('no module ./nothing' in got['error'], 'another module', got)


def test_sizes(score, browser):
    for size, words_ in ((0, '0 B'), (1023, '1023 B'), (1024, '1.00 KiB'),
                         (2400, '2.34 KiB'), (1000 * 1024, '1000 KiB'),
                         (64 << 20, '64.0 MiB'), (140 << 30, '140 GiB'),
                         (3 << 50, '3072 TiB')):
        got = browser.wait(f'load("./size").then(size => size({size}))')
        score.check(got == words_, got, words_)


PLAN = {'statements': [{'text': 'q = A*p'}, {'text': ' naïve2 = A\'*r'}, {'text': 'x[1] = 2'},
                       {'text': 'a == b'}, {'text': 'a, b = f(x)'}],
        'kernels': [{'id': 'k1', 'statements': [1, 2]}, {'id': 'k2', 'statements': [3]},
                    {'id': 'k3', 'statements': [3]}, {'id': 'k4', 'statements': [5, 4]}]}


def test_choices(score, browser):
    """What a plan's cards send for being put together and cut; the words of settings."""
    browser.js.eval(f'globalThis.plan = {json.dumps(PLAN)}')
    browser.wait('load("./plans").then(p => { globalThis.plans = p; })')

    def gives(code, wanted):
        got = json.loads(browser.js.eval(f'JSON.stringify({code}) || "null"'))
        score.check(got == wanted, code, (got, wanted))
    gives('[1, 2, 3, 4, 5, 9].map(n => plans.statementName(plan, n))',
          ['q', 'naïve2', 3, 4, 5, 9])
    gives('plans.fuseMessage(plan, plan.kernels[1], plan.kernels[0])',
          {'do': 'fuse', 'statements': ['q', 'naïve2', 3]})
    gives('plans.fuseMessage(plan, plan.kernels[1], plan.kernels[2])', None)
    gives('plans.splitMessage(plan, plan.kernels[0], 1)',
          {'do': 'split', 'statements': ['q'], 'from': ['naïve2']})
    gives('plans.splitMessage(plan, plan.kernels[3], 1)',
          {'do': 'split', 'statements': [4], 'from': [5]})
    gives('plans.splitMessage(plan, plan.kernels[1], 1)', None)
    gives('plans.choicesOf([{scheme: "row", setting: {threads: 512, stages: 1}}, '
          '{scheme: "row", setting: {threads: 64, stages: 1}}, {scheme: "flat", setting: null}])',
          {'scheme': ['flat', 'row'], 'threads': [64, 512]})
    gives('[null, 0, 8.2e-6, 2.93e-4, .01234, .4, 2.5, 61].map(plans.time)',
          ['—', '0.0 µs', '8.2 µs', '0.293 ms', '12.34 ms', '400.0 ms', '2.500 s', '61.0 s'])


WAY = r"""
globalThis.log = [];
class Comm {
  constructor(target) { this.target = target; this.isDisposed = false; }
  open(data) { log.push(['open', this.target, data]); }
  send(data) { log.push(['send', data]); this.sent = data; }
  close() { this.isDisposed = true; log.push(['close']); }
}
globalThis.comm = null;
globalThis.kernel = {id: 'a', createComm: target => (comm = new Comm(target))};
globalThis.way = new plans.Way(() => kernel, {kernel: 'x-1', block: 7});
way.told = answer => log.push(['told', answer.done]);
"""


def test_way(score, browser):
    """One comm for a plan; each answer goes to its question, and a close to all."""
    browser.js.eval(WAY)
    browser.js.eval("globalThis.one = way.ask({do: 'run'}); globalThis.two = way.ask({do: 'race'});")
    while browser.js.execute_pending_job():
        pass
    browser.js.eval("comm.onMsg({content: {data: {status: 'running', id: 2, done: .5}}});"
                    "comm.onMsg({content: {data: {status: 'ok', id: 2, text: 'second'}}});"
                    "comm.onMsg({content: {data: {status: 'ok', id: 99}}});")
    score.check(browser.wait('two')['text'] == 'second', 'an answer by its number')
    browser.js.eval("comm.onClose({content: {data: {ename: 'plan-gone', evalue: 'gone'}}});")
    got = browser.wait('one')
    score.check(got['status'] == 'error' and got['ename'] == 'plan-gone', got)
    browser.wait("(way.ask({do: 'run'}), Promise.resolve())")
    log = json.loads(browser.js.eval('JSON.stringify(log)'))
    opened = ['open', 'fusible.plan', {'kernel': 'x-1', 'block': 7}]
    score.check(log == [opened, ['send', {'do': 'run', 'id': 1}], ['send', {'do': 'race', 'id': 2}],
                        ['told', 0.5], opened, ['send', {'do': 'run', 'id': 3}]], log)
    got = browser.wait('new plans.Way(() => null, {}).ask({})')
    score.check('no kernel' in got['error'], got)


def read_json(path):
    with open(path, encoding='utf-8') as f:
        return json.load(f)


def test_package(score, _):
    """What JupyterLab's server reads; its version is Fusible's."""
    package = read_json(os.path.join(FOLDER, 'package.json'))
    build = package['jupyterlab']['_build']
    score.check(os.path.exists(os.path.join(FOLDER, build['load'])), build)
    with open(os.path.join(ROOT, 'core', 'base', 'base.h'), encoding='utf-8') as f:
        version = re.search(r'FS_VERSION "(.*)"', f.read()).group(1)
    score.check(package['version'] == version, package)


def files(folder):
    return sorted(os.path.relpath(os.path.join(at, name), folder)
                  for at, _, found in os.walk(folder) for name in found)


def test_installed(score, _):
    """Beside the first kernel of a folder, until the last one goes."""
    home = tempfile.mkdtemp(prefix='fusible-colours-')
    data = os.path.join(home, 'share', 'jupyter')

    def kernel(action, *more):
        done = subprocess.run([os.path.join(BUILD, 'fusible'), 'kernel', action,
                               '--prefix', home, *more], capture_output=True, text=True)
        score.check(done.returncode == 0, action, done.stderr)
        return done.stdout

    out = kernel('install')
    lab = os.path.join(data, 'labextensions', 'jupyterlab-fusible')
    score.check(lab in out, out)
    score.check(files(lab) == ['package.json', 'static/fusible.js'] == files(FOLDER),
                files(lab))
    for name in files(lab):
        with open(os.path.join(lab, name), 'rb') as a, \
                open(os.path.join(FOLDER, name), 'rb') as b:
            score.check(a.read() == b.read(), name)
    kernel('install', '--name', 'second')
    kernel('uninstall')
    score.check(len(files(lab)) == 2, 'the other kernel keeps its colours')
    kernel('uninstall', '--name', 'second')
    score.check(files(home) == [] and not os.path.exists(lab), files(home))
    shutil.rmtree(home)


def main():
    score, browser = Score(), Browser()
    for name, test in list(globals().items()):
        if name.startswith('test_'):
            test(score, browser)
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
