"""Drives JupyterLab in a headless browser as a person would: `make check-lab`.

    drive.py FUSIBLE OUT

FUSIBLE is the program of the build, beside which the kernel lies; screenshots and the
server's log go to the folder OUT. Runs in an environment with jupyterlab and
playwright (scripts/check-lab makes it). The last line is `N passed, N failed`.
"""
import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

from playwright.sync_api import TimeoutError as Late
from playwright.sync_api import sync_playwright

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'tests'))
from score import Score  # noqa: E402

WAIT = 60000  # milliseconds for what may take long on a busy machine
S = Score()


# -- the server ----------------------------------------------------------------

class Lab:
    """A JupyterLab server with a home of its own, in which only Fusible and the
    kernel that comes with JupyterLab are found."""

    def __init__(self, fusible, out, extension=True):
        self.fusible = fusible
        self.home = tempfile.mkdtemp(prefix='fusible-lab-')
        self.work = os.path.join(self.home, 'work')
        os.mkdir(self.work)
        prefix = os.path.join(self.home, 'prefix')
        subprocess.run([fusible, 'kernel', 'install', '--prefix', prefix],
                       check=True, stdout=subprocess.DEVNULL)
        if not extension:
            shutil.rmtree(os.path.join(prefix, 'share', 'jupyter', 'labextensions'))
        quiet = os.path.join(self.home, 'CONFIG', 'lab', 'user-settings',
                             '@jupyterlab', 'apputils-extension')
        os.makedirs(quiet)
        with open(os.path.join(quiet, 'notification.jupyterlab-settings'),
                  'w') as f:
            f.write('{"fetchNews": "false", "checkForUpdates": false}')
        self.token = secrets.token_hex(16)
        with socket.socket() as probe:
            probe.bind(('127.0.0.1', 0))
            self.port = probe.getsockname()[1]
        env = dict(os.environ, HOME=self.home, FUSIBLE_TARGET='cpu',
                   JUPYTER_TOKEN=self.token, LC_ALL='C.UTF-8',
                   JUPYTER_PATH=os.path.join(prefix, 'share', 'jupyter'))
        for name in ('CONFIG', 'DATA', 'RUNTIME'):
            env['JUPYTER_%s_DIR' % name] = os.path.join(self.home, name)
        for name in ('CACHE', 'CONFIG', 'STATE', 'DATA'):
            env['XDG_%s_HOME' % name] = os.path.join(self.home, 'xdg')
        self.env = env
        self.log = open(os.path.join(out, 'server.log'), 'ab')
        self.process = subprocess.Popen(
            [os.path.join(os.path.dirname(sys.executable), 'jupyter-lab'),
             '--no-browser', '--allow-root', '--ip=127.0.0.1',
             '--port=%d' % self.port, '--ServerApp.port_retries=0',
             '--notebook-dir=' + self.work],
            env=env, stdout=self.log, stderr=subprocess.STDOUT,
            start_new_session=True)

    def url(self, path):
        return 'http://127.0.0.1:%d/%s?token=%s' % (self.port, path, self.token)

    def wait(self):
        for _ in range(240):
            if self.process.poll() is not None:
                return False
            try:
                urllib.request.urlopen(self.url('api/status')).close()
                return True
            except OSError:
                time.sleep(0.25)
        return False

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.log.close()
        shutil.rmtree(self.home, ignore_errors=True)


# -- the page ------------------------------------------------------------------

class Page:
    def __init__(self, page, out):
        self.page, self.out = page, out
        self.shots = sum(name[:1].isdigit() for name in os.listdir(out))

    def shot(self, name):
        self.shots += 1
        self.page.screenshot(path=os.path.join(
            self.out, '%02d-%s.png' % (self.shots, name)))

    def see(self, selector, what, timeout=WAIT, text=None):
        """Whether the page comes to show it."""
        found = self.page.locator(selector, has_text=text)
        try:
            found.last.wait_for(state='visible', timeout=timeout)
            return S.check(True, what)
        except Late:
            self.shot('missing')
            return S.check(False, what)

    def active(self):
        return self.page.locator('.jp-Notebook:visible .jp-Cell.jp-mod-active')

    def write(self, code):
        """Puts text into the last cell, which is empty."""
        cell = self.page.locator('.jp-Notebook:visible .jp-CodeCell').last
        cell.locator('.cm-content').click()
        self.page.keyboard.press('Control+a')
        self.page.keyboard.press('Delete')
        self.page.keyboard.insert_text(code)
        return cell

    def run(self, code, wait=True):
        """Runs code in the last cell; gives its place among the cells."""
        self.write(code)
        k = self.page.locator('.jp-Notebook:visible .jp-CodeCell').count() - 1
        self.page.keyboard.press('Shift+Enter')
        cell = self.cell(k)
        if wait:
            self.done(cell)
        return cell

    def cell(self, k):
        return self.page.locator('.jp-Notebook:visible .jp-CodeCell').nth(k)

    def done(self, cell):
        prompt = cell.locator('.jp-InputPrompt')
        for _ in range(WAIT // 100):
            if re.match(r'\[\d+\]', prompt.inner_text()):
                return True
            time.sleep(0.1)
        self.shot('not-done')
        return S.check(False, 'a cell ends')

    def button(self, name):
        self.page.locator('.jp-NotebookPanel:visible [data-jp-item-name="%s"] '
                          'jp-button, .jp-NotebookPanel:visible '
                          '[data-jp-item-name="%s"] button' % (name, name)
                          ).first.click()


def outputs(cell):
    return '\n'.join(cell.locator('.jp-OutputArea-output').all_inner_texts())


# -- what is checked -----------------------------------------------------------

def launch(p, lab):
    p.page.goto(lab.url('lab') + '&reset')
    tile = p.page.locator('.jp-LauncherCard[data-category="Notebook"]',
                          has_text='Fusible')
    tile.wait_for(timeout=WAIT)
    p.page.wait_for_function(
        '() => [...document.querySelectorAll(".jp-LauncherCard img")]'
        '.every(i => i.complete && i.naturalWidth > 0)')
    S.check(tile.locator('img').count() == 1, 'the tile has a logo')
    p.shot('launcher')
    tile.click()
    p.see('.jp-NotebookPanel .cm-content', 'the tile makes a notebook')
    p.see('.jp-Toolbar-kernelName', 'its kernel is Fusible', text='Fusible')
    p.see('.jp-StatusBar-Widget', 'and is ready',
          text='Fusible | Idle')


def values(p):
    cell = p.run('A = [1, 2; 3, 4]')
    cells = cell.locator('.jp-RenderedHTML td').all_inner_texts()
    S.check(cells == ['1', '2', '3', '4'], ('a matrix is a table', cells))
    S.check('[1]' in cell.locator('.jp-OutputPrompt').first.inner_text(),
            'it is the result')
    S.check('54' in outputs(p.run('sum(A*A)')), 'a number')


CODE = '''# note
input w; vector v; vector = 2.5e1
barrier
function twice(x)
  return 2*x
end
for k in 1:10; s = "a\\t(b)" + f(k).^2; ok = true; end
?sum of it'''

# What the words of CODE are, by the colour of JupyterLab that they have.
OURS = {'# note': 'comment', 'input': 'keyword', 'vector': 'keyword',
        '2.5e1': 'number', 'barrier': 'keyword',
        'function': 'keyword', 'twice': 'def', 'return': 'keyword', '2': 'number',
        '*': 'operator', 'end': 'keyword', 'for': 'keyword', 'in': 'keyword',
        ':': 'operator', '"a': 'string', '\\t': 'string-2', '.^': 'operator',
        'true': 'keyword', '?': 'operator', '(': 'bracket'}
# Those that Julia's mode has too.
ALIAS = {'# note': 'comment', 'function': 'keyword', 'for': 'keyword',
         'end': 'keyword', 'return': 'keyword', '2': 'number', '*': 'operator'}

TOKENS = '''root => {
  const probe = document.body.appendChild(document.createElement("span"));
  const names = {};
  for (const name of ["comment", "keyword", "number", "def", "operator", "string",
                      "string-2", "bracket", "variable", "builtin", "atom"]) {
    probe.style.color = `var(--jp-mirror-editor-${name}-color)`;
    const color = getComputedStyle(probe).color;
    names[color] = (names[color] || []).concat(name);
  }
  probe.remove();
  return [...root.querySelectorAll(".cm-line span")].map(e =>
    [e.textContent, names[getComputedStyle(e).color] || [], e.className]);
}'''


def check_colours(p, editor, expected, what):
    """The words of the editor have these colours; gives all that has one."""
    found = {}
    for _ in range(50):  # a language is loaded when it is first needed
        found = {}
        for text, names, _ in editor.evaluate(TOKENS):
            found.setdefault(text.strip() or text, []).append(names)
        if '# note' in found:
            break
        time.sleep(0.1)
    for word, name in expected.items():
        good = any(name in names for names in found.get(word, []))
        S.check(good, (what, word, name, found.get(word)))
    return found


def colours(p, lab):
    """Cells and files have Fusible's own words."""
    p.write(CODE)
    found = check_colours(p, p.active().locator('.cm-content'), OURS, 'cell')
    S.check(not found.get('w') and not found.get('sum of it') and
            len(found.get('vector', [])) == 1,  # the other one is a variable
            ('as text', found))
    p.shot('colours')
    p.write('A')
    with open(os.path.join(lab.work, 'prog.fs'), 'w') as f:
        f.write(CODE)
    p.page.goto(lab.url('lab/tree/prog.fs') + '&reset')
    p.see('.jp-FileEditor .cm-content', 'a file opens', text='barrier')
    check_colours(p, p.page.locator('.jp-FileEditor .cm-content'), OURS, 'file')
    p.see('.jp-StatusBar-Widget', 'as Fusible', text='Fusible')
    p.shot('file')


def pane(p):
    """The pane at the right has the variables of the notebook in front, after each
    cell and while one runs, and forgets them with the kernel."""
    p.run('before = 5;')  # while nobody looks
    p.page.locator('.jp-SideBar [data-id="fusible-variables"]').click()
    p.see('.jp-FusibleVariables', 'the pane opens')

    def rows():
        return [r.locator('td').all_inner_texts() for r in
                p.page.locator('.jp-FusibleVariables tbody tr').all()]

    def shows(name, wanted, what):
        for _ in range(50):
            got = [r[1:] for r in rows() if r[0] == name]
            if got == wanted:
                break
            time.sleep(0.1)
        S.check(got == wanted, (what, rows()))

    shows('before', [['number', '', '5']], 'from before it was seen')
    shows('k', [], 'what is not there')
    p.run('k = 40 + 2; word = "<b>bold</b>"; M = rand(30, 20);')
    shows('k', [['number', '', '42']], 'a number')
    shows('word', [['string', '', '"<b>bold</b>"']], 'a text stays a text')
    shows('M', [['f32[30\u00d720]', '2.34 KiB', '']], 'an array')
    long = 'a_long_name_' + 60 * 'x'
    p.run(long + ' = 3;')
    shows(long, [['number', '', '3']], 'a long name')
    pane = p.page.locator('.jp-FusibleVariables')
    ends = pane.evaluate("""e => [e.clientWidth, ...[...e.querySelectorAll('th')]
        .map(h => h.getBoundingClientRect().right - e.getBoundingClientRect().x)]""")
    S.check(len(ends) == 5 and max(ends) <= ends[0] + 1,
            ('all columns are in the pane', ends))
    S.check(pane.locator('td[title="%s"]' % long).count() == 1, 'and it can be read')
    p.run('k = k + 1;')
    shows('k', [['number', '', '43']], 'after the next cell')
    p.see('.jp-FusibleVariables p', 'the memory of the device',
          text=re.compile(r': [\d.]+ [KMG]iB in use, [\d.]+ [GT]iB free'))
    p.shot('variables')
    cell = p.run('k = 7; while true; k = k; end', wait=False)
    time.sleep(0.5)
    p.button('interrupt')
    p.done(cell)
    shows('k', [['number', '', '7']], 'after an interrupt')
    p.button('restart')
    p.page.locator('.jp-Dialog .jp-mod-accept').click(timeout=WAIT)
    p.see('.jp-FusibleVariables', 'a restart empties it', text='no variables')
    p.page.locator('.jp-SideBar [data-id="fusible-variables"]').click()


def flowchart(p, lab):
    """A plan as JupyterLab's Mermaid draws it."""
    done = subprocess.run(
        [lab.fusible, '--target', 'cpu'], capture_output=True, text=True, check=True,
        input='A = rand(300, 300); x = rand(300);\n'
              'y = A*x; z = y .* length("</b> #quot; `x` \\"];");\n:plan mermaid\n')
    path = notebook(lab, 'flowchart', ['1'],
                    text='```mermaid\n' + done.stdout + '```')
    p.page.goto(lab.url(path) + '&reset')
    p.see('.jp-RenderedMermaid img, .jp-RenderedMermaid svg, img.jp-Mermaid, '
          'pre.mermaid img, .jp-MarkdownOutput svg[id*="mermaid"], '
          '.jp-MarkdownOutput img', 'Markdown shows a plan')
    S.check(p.page.locator('.jp-MarkdownOutput .jp-mod-warning').count() == 0,
            'without a warning')
    time.sleep(1)
    p.shot('flowchart')


def alias(p, lab):
    """Without the extension cells are coloured as Julia."""
    path = notebook(lab, 'alias', [CODE])
    p.page.goto(lab.url(path) + '&reset')
    p.see('.jp-StatusBar-Widget', 'a notebook opens', text='Fusible | Idle')
    found = check_colours(p, p.cell(0).locator('.cm-content'), ALIAS, 'alias')
    S.check('barrier' not in found, ('it is Julia', found.get('barrier')))
    p.shot('alias')


def live_plan(p):
    """What stood in the plan's display, from its launch to its end."""
    p.write('B = rand(1500, 1500); C = B*B; D = C*B; E = D*C; s = sum(E);')
    p.page.evaluate('''() => {
      window.plans = [];
      const look = () => {
        const all = document.querySelectorAll(".jp-CodeCell");
        for (const cell of all) {
          if (!cell.textContent.includes("E = D*C")) continue;
          const out = cell.querySelector(".jp-OutputArea");
          const text = out ? out.innerText : "";
          if (text && text !== window.plans[window.plans.length - 1])
            window.plans.push(text);
        }
      };
      new MutationObserver(look).observe(document.body,
        {childList: true, subtree: true, characterData: true});
    }''')
    k = p.page.locator('.jp-Notebook:visible .jp-CodeCell').count() - 1
    p.page.keyboard.press('Shift+Enter')
    p.done(p.cell(k))
    time.sleep(0.5)
    seen = p.page.evaluate('() => window.plans')
    S.check(len(seen) >= 2 and 'measured' not in seen[0] and 'measured' in seen[-1],
            ('the plan goes from predicted to measured', seen[:1], seen[-1:]))
    S.check(p.cell(k).locator('.jp-OutputArea-child').count() == 1,
            'in one and the same display')
    p.shot('plan')
    return p.cell(k)


def fold_out(p, cell):
    summary = cell.locator('.jp-FusiblePlan > details > summary')
    if not S.check(summary.count() > 0, 'the plan folds out'):
        return
    before = len(outputs(cell))
    summary.first.click()
    time.sleep(0.3)
    S.check(len(outputs(cell)) > before, 'and shows more')
    sides = cell.locator('.jp-OutputArea td code').evaluate_all(
        'all => all.map(e => getComputedStyle(e).textAlign)')
    S.check(sides and all('left' in s for s in sides), ('code stands left', sides))
    ends = cell.locator('.jp-OutputArea-output').first.evaluate("""e => {
        const box = e.getBoundingClientRect();
        const bars = [...e.querySelectorAll('code')].filter(
            c => c.textContent.includes('\u2588'));
        return bars.map(c => c.getBoundingClientRect().right - box.right); }""")
    S.check(ends and max(ends) <= 0, ('the bars are in view', ends))
    p.shot('plan-folded-out')


CARD = '.jp-FusiblePlan-card'


def held(p, cell, n, what):
    """Waits until the plan below the cell is of n kernels; gives its cards."""
    cards = cell.locator(CARD)
    for _ in range(100):
        if cards.count() == n and cell.locator('[data-key=run]:enabled').count():
            break
        time.sleep(0.1)
    S.check(cards.count() == n, (what, cards.count(), outputs(cell)))
    return cards


def press(cell, key):
    cell.locator('[data-key="%s"]' % key).first.click()


def cards(p):
    """A plan is cards: cut, dragged together, taken back, run and raced, by mouse and keys."""
    p.run('P = rand(300, 200); u = rand(200); w = rand(300); P[1,1] = 1; u[1] = 1; w[1] = 1;')
    cell = p.run("begin q = P*u; s = P'*w; end")
    said = cell.locator('.jp-FusiblePlan-says')
    head = cell.locator('.jp-FusiblePlan-head')
    held(p, cell, 1, 'one kernel is a card')
    p.shot('card')
    press(cell, 'cut-k1-1')
    held(p, cell, 2, 'a cut makes two')
    S.check('nothing has run yet' in head.inner_text() and 'measured' not in head.inner_text() and
            '1 \u2192 2 kernels' in said.inner_text(), ('predicted first', head.inner_text(),
                                                        said.inner_text()))
    S.check(cell.locator('.jp-FusiblePlan-bar.jp-mod-measured').count() == 0, 'no measured bar')
    p.shot('cut')
    press(cell, 'run')
    held(p, cell, 2, 'two kernels run')
    S.check(cell.locator('.jp-FusiblePlan-bar.jp-mod-measured').count() == 2 and
            'median' in said.inner_text(), ('and are measured', said.inner_text()))
    p.shot('cut-ran')
    two = cell.locator(CARD)
    two.nth(1).drag_to(two.nth(0))
    held(p, cell, 1, 'dragged together they are one')
    S.check('q and s together' in outputs(cell), outputs(cell))
    p.shot('dragged')
    press(cell, 'pin-q-s')
    held(p, cell, 1, 'a pin is taken back')
    S.check(cell.locator('[data-key="pin-q-s"]').count() == 0, 'and is gone')
    press(cell, 'race')
    table = cell.locator('.jp-FusiblePlan-race tbody tr')
    table.first.wait_for(timeout=WAIT)
    rows = table.all_inner_texts()
    S.check(rows[0].startswith('in use') and '\t1\tthe same bits' in rows[0] and
            'no fusion' in rows[-2] and 'library' in rows[-1],
            ('the plan that is shown is raced', rows))
    p.shot('raced')
    # By keys alone: the notebook around does not take them.
    count = p.page.locator('.jp-Notebook:visible .jp-Cell').count()
    cell.locator('[data-key="cut-k1-1"]').focus()
    p.page.keyboard.press('Enter')
    held(p, cell, 2, 'a key cuts')
    cell.locator('[data-key="fuse-k1"]').focus()
    p.page.keyboard.press('Space')
    held(p, cell, 1, 'a key puts together')
    S.check(p.page.locator('.jp-Notebook:visible .jp-Cell').count() == count,
            'the notebook has the cells that it had')
    again = p.run("begin q = P*u; s = P'*w; end\n:split")
    S.check(':fuse q s' in outputs(again), ('the session has the pin', outputs(again)))
    p.run(':split off')
    for width in (700, 1400):
        p.page.set_viewport_size({'width': width, 'height': 900})
        time.sleep(0.5)
        press(cell, 'cut-k1-1')
        held(p, cell, 2, 'cut at %d' % width)
        over = cell.locator('.jp-FusiblePlan').first.evaluate(
            'e => [e, ...e.querySelectorAll("*")].map(x => x.getBoundingClientRect().right)'
            '.reduce((a, b) => Math.max(a, b)) - e.parentElement.getBoundingClientRect().right')
        S.check(over <= 1, ('all of it is in view', width, over))
        cell.scroll_into_view_if_needed()
        p.shot('plan-%d' % width)
        press(cell, 'pin-q-s')
        held(p, cell, 1, 'and back')
    p.page.set_viewport_size({'width': 1200, 'height': 900})


def theme(p, name, light):
    p.page.locator('.lm-MenuBar-item', has_text='Settings').first.click()
    p.page.locator('.lm-Menu-item', has_text='Theme').first.hover()
    p.page.locator('.lm-Menu-item', has_text=re.compile('^%s$' % name)).first.click()
    p.page.wait_for_function('x => document.body.dataset.jpThemeLight === x', arg=light)
    time.sleep(0.5)


def dark(p):
    """The colours are those of the theme."""
    cell = p.run("begin q = P*u; s = P'*w; z = 2*q; end")
    press(cell, 'cut-k1-1')
    light = cell.locator(CARD).first.evaluate('e => getComputedStyle(e).backgroundColor')
    theme(p, 'JupyterLab Dark', 'false')
    night = cell.locator(CARD).first.evaluate('e => getComputedStyle(e).backgroundColor')
    S.check(light != night, ('cards are dark at night', light, night))
    cell.scroll_into_view_if_needed()
    p.shot('dark')
    p.run(':split off')
    theme(p, 'JupyterLab Light', 'true')


def completion(p):
    p.write('linspa')
    p.page.keyboard.press('Tab')
    time.sleep(1)
    text = p.active().locator('.cm-content').inner_text()
    if 'linspace' not in text:
        p.see('.jp-Completer', 'Tab completes', text='linspace')
        p.page.keyboard.press('Escape')
    p.write('s')
    p.page.keyboard.press('Tab')
    p.see('.jp-Completer', 'Tab lists what fits', text='sqrt')
    p.shot('completion')
    p.page.keyboard.press('Escape')
    p.write('linspace(')
    p.page.keyboard.press('Shift+Tab')
    p.see('.jp-Tooltip', 'Shift-Tab explains', text='evenly spaced')
    p.shot('tooltip')
    p.page.keyboard.press('Escape')


def interrupt(p):
    p.page.keyboard.press('Escape')
    cell = p.run('k = 0; while k < 1e15; k = k + 1; end', wait=False)
    p.see('.jp-InputPrompt', 'the loop runs', text='[*]')
    time.sleep(1)
    begun = time.time()
    p.button('interrupt')
    p.done(cell)
    S.check(time.time() - begun < 5, 'an interrupt ends it')
    S.check('interrupted' in outputs(cell), outputs(cell))
    p.shot('interrupted')
    again = p.run('sum(A)')
    S.check('10' in outputs(again), 'and variables are as they were')


def plots(p):
    cell = p.run('t = linspace(0, 10, 400);\n'
                 'plot(t, exp(-t/4).*cos(3*t), "damped", t, exp(-t/4), '
                 '"envelope", "xlabel=seconds", "title=An oscillation")')
    picture = cell.locator('.jp-RenderedVegaCommon5 canvas, '
                           '.jp-RenderedVegaCommon5 svg')
    try:
        picture.first.wait_for(timeout=WAIT)
        good = True
    except Late:
        good = False
    if S.check(good, 'a plot is drawn by Vega-Lite'):
        time.sleep(1)
        colours = p.page.evaluate('''() => {
          const c = [...document.querySelectorAll(
              ".jp-RenderedVegaCommon5 canvas")].pop();
          if (!c) return 99;
          const d = c.getContext("2d").getImageData(0, 0, c.width,
                                                    c.height).data;
          const seen = new Set();
          for (let i = 0; i < d.length; i += 4)
            seen.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]);
          return seen.size;
        }''')
        S.check(colours > 20, ('with curves on it', colours))
    cell.scroll_into_view_if_needed()
    p.shot('plot')


def bars(p):
    """Bars are filled from their axis on: not strokes where they end."""
    p.run('n = rand(1000); y = 2*n;')
    for code in ('bar([1, 3, 2])', 'hist(rand(1000))', 'predictions()'):
        cell = p.run(code)
        canvas = cell.locator('.jp-RenderedVegaCommon5 canvas')
        canvas.first.wait_for(timeout=WAIT)
        time.sleep(0.5)
        share = canvas.first.evaluate('''c => {
          const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
          let full = 0;
          for (let i = 0; i < d.length; i += 4)  // neither grey nor white
            full += Math.max(d[i], d[i + 1], d[i + 2]) -
                    Math.min(d[i], d[i + 1], d[i + 2]) > 60;
          return 4 * full / d.length;
        }''')
        S.check(share > 0.1, (code, 'the bars fill', share))
        cell.scroll_into_view_if_needed()
        p.shot(code.split('(')[0])


def errors(p):
    cell = p.run('A*[1, 2, 3]')
    S.check(cell.locator('.jp-OutputArea-child').count() == 1 and
            '^' in outputs(cell) and 'hint' in outputs(cell),
            ('an error shows its place, and nothing else', outputs(cell)))
    p.shot('error')


def restart(p):
    p.button('restart')
    p.page.locator('.jp-Dialog .jp-mod-accept').click(timeout=WAIT)
    time.sleep(1)
    cell = p.run('A')
    S.check('A' in outputs(cell) and 'unknown' in outputs(cell).lower(),
            ('a restart forgets', outputs(cell)))
    S.check('7' in outputs(p.run('3 + 4')), 'and the next cell runs')


def notebook(lab, name, sources, text=None):
    """Writes a notebook of these cells, after one of text; gives its address."""
    cells = [{'cell_type': 'code', 'id': 'c%d' % k, 'metadata': {},
              'source': source, 'outputs': [], 'execution_count': None}
             for k, source in enumerate(sources)]
    if text:
        cells.insert(0, {'cell_type': 'markdown', 'id': 'text', 'metadata': {},
                         'source': text})
    with open(os.path.join(lab.work, name + '.ipynb'), 'w') as f:
        json.dump({'cells': cells, 'nbformat': 4, 'nbformat_minor': 5,
                   'metadata': {'kernelspec': {
                       'name': 'fusible', 'display_name': 'Fusible',
                       'language': 'fusible'}}}, f)
    return 'lab/tree/%s.ipynb' % name


def run_all(p, lab):
    """A notebook of three cells of which the second fails."""
    path = notebook(lab, 'stop', ['first = 1', 'nowhere + 1', 'third = 3'])
    p.page.goto(lab.url(path) + '&reset')
    p.see('.jp-Notebook .cm-content', 'a notebook opens', text='third')
    p.see('.jp-StatusBar-Widget', 'with its kernel', text='Fusible | Idle')
    p.page.locator('.lm-MenuBar-item', has_text='Run').first.click()
    p.page.locator('.lm-Menu-item[data-command="runmenu:run-all"], '
                   '.lm-Menu-item[data-command="notebook:run-all-cells"]'
                   ).first.click()
    p.done(p.cell(1))
    time.sleep(1)
    S.check('nowhere' in outputs(p.cell(1)), outputs(p.cell(1)))
    S.check(outputs(p.cell(2)) == '' and not re.search(
        r'\d', p.cell(2).locator('.jp-InputPrompt').inner_text()),
        'an error ends Run All')
    p.shot('run-all')


README = [
    'A = rand(2000, 2000); p = rand(2000); r = rand(2000);',
    'q = A*p;\ns = A\'*r;',
    't = linspace(0, 10, 400);\n'
    'plot(t, exp(-t/4).*cos(3*t), "damped", t, exp(-t/4), "envelope", '
    '"xlabel=seconds")']


def readme(p, lab):
    """The picture of the README: a plan, folded out, and a plot, on a calibrated device."""
    subprocess.run([lab.fusible, '--target', 'cpu', '-e', ':calibrate quick'], check=True,
                   env=lab.env, stdout=subprocess.DEVNULL)
    path = notebook(lab, 'readme', README)
    p.page.set_viewport_size({'width': 1040, 'height': 1000})
    p.page.goto(lab.url(path) + '&reset')
    p.see('.jp-StatusBar-Widget', 'a notebook opens', text='Fusible | Idle')
    p.page.keyboard.press('Control+b')
    for k in range(2 * len(README)):  # twice: the second time nothing is cold
        p.cell(k % len(README)).locator('.cm-content').click()
        p.page.keyboard.press('Control+Enter')
        time.sleep(0.5)
        p.done(p.cell(k % len(README)))
    p.cell(1).locator('.jp-FusiblePlan > details > summary').first.click()
    p.page.locator('.jp-RenderedVegaCommon5 canvas').first.wait_for(
        timeout=WAIT)
    time.sleep(1)
    p.cell(0).scroll_into_view_if_needed()
    p.page.mouse.move(5, 5)
    time.sleep(0.5)
    p.page.screenshot(path=os.path.join(p.out, 'readme.png'))


def drive(player, lab, out, steps):
    """Does the steps in a browser of their own."""
    try:
        if not S.check(lab.wait(), 'the server starts'):
            return
        browser = player.chromium.launch(
            executable_path=shutil.which('chromium'),
            args=['--no-sandbox', '--disable-gpu'])
        page = browser.new_page(viewport={'width': 1200, 'height': 900})
        complaints = []
        page.on('console', lambda m: complaints.append(m.text)
                if 'fusible' in m.text.lower() and m.type != 'log' else None)
        steps(Page(page, out), lab)
        S.check(not complaints, complaints)
        browser.close()
    finally:
        lab.close()


def with_extension(p, lab):
    launch(p, lab)
    values(p)
    fold_out(p, live_plan(p))
    cards(p)
    dark(p)
    completion(p)
    interrupt(p)
    plots(p)
    bars(p)
    errors(p)
    restart(p)
    pane(p)
    colours(p, lab)
    flowchart(p, lab)
    run_all(p, lab)
    readme(p, lab)


def main():
    fusible, out = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    os.makedirs(out, exist_ok=True)
    with sync_playwright() as player:
        drive(player, Lab(fusible, out), out, with_extension)
        drive(player, Lab(fusible, out, extension=False), out, alias)
    return S.close()


if __name__ == '__main__':
    sys.exit(main())
