#!/usr/bin/env python3
"""Runs every example of the documentation, and holds its tables to the code.

    tests/test_docs.py [--fusible PATH] [FILE.md ...]
    UPDATE=1 tests/test_docs.py        rewrites outputs and tables in place

A block marked ```fs is evaluated; the ```text block right after it holds what
that prints, exactly, without the places in front of messages. ```fs fails is the
same for a statement that is refused, ```fs notes for one of which something is
said. The blocks of a document are one session on
the CPU target, in a folder of its own in which `examples` is the project's. Tables
between <!-- table: NAME --> and <!-- end --> are made from the sources. Lines of
text are 120 columns wide at most, and links lead somewhere. README.md is followed
as a newcomer would: its commands, what is typed at its prompts. The last line is
`N passed, N failed`.
"""
import argparse
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
UPDATE = os.environ.get('UPDATE') == '1'
BLOCK = re.compile(r'^```fs(?P<fails> fails| notes)?\n(?P<code>.*?)^```\n'
                   r'(?:(?P<gap>\n?)```text\n(?P<out>.*?)^```\n)?',
                   re.M | re.S)
TABLE = re.compile(r'(<!-- table: ([a-z-]+) -->\n)(.*?)(<!-- end -->)', re.S)
PLACE = re.compile(r'^block-(\d+)\.fs:\d+:\d+: ', re.M)
MARK = '@@@ end of block '

passed = failed = 0


def check(ok, what, detail=''):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print(f'FAIL {what}\n{detail}'.rstrip())


def read(path):
    with open(os.path.join(ROOT, path), encoding='utf-8') as f:
        return f.read()


# -- examples ------------------------------------------------------------------

def run_blocks(fusible, codes, folder):
    """The output of each block: what it printed, then its messages."""
    argv = [fusible, '--target', 'cpu', '--threads', '2', '--keep-going',
            '--plan', 'off', '--quiet', '--color', 'never']
    for k, code in enumerate(codes):
        with open(os.path.join(folder, f'block-{k}.fs'), 'w',
                  encoding='utf-8') as f:
            f.write(code)
        argv += ['-e', f'import "block-{k}.fs"', '-e', f'print("{MARK}{k}")']
    env = dict(os.environ, XDG_CACHE_HOME=folder, XDG_CONFIG_HOME=folder,
               XDG_STATE_HOME=folder, LC_ALL='C.UTF-8', TZ='UTC',
               FUSIBLE_REFERENCE_DEVICE='1')
    done = subprocess.run(argv, cwd=folder, env=env, timeout=600,
                          stdin=subprocess.DEVNULL, capture_output=True)
    out = done.stdout.decode('utf-8', 'replace')
    err = done.stderr.decode('utf-8', 'replace')
    outputs, rest = [], out
    for k in range(len(codes)):
        text, found, rest = rest.partition(f'{MARK}{k}\n')
        outputs.append(PLACE.sub('', text))
    if done.returncode not in (0, 1) or rest:
        check(False, 'the session', f'status {done.returncode}\n{rest}{err}')
    pieces = PLACE.split(err)  # text, number, text, number, text ...
    messages = [''] * len(codes)
    for number, text in zip(pieces[1::2], pieces[2::2]):
        messages[int(number)] += text
    if pieces[0]:
        check(False, 'messages without a place', pieces[0])
    return list(zip(outputs, messages))


def line_of(text, at):
    return text.count('\n', 0, at) + 1


def run_document(fusible, path):
    text = read(path)
    blocks = list(BLOCK.finditer(text))
    if not blocks:
        return
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.join(ROOT, 'examples'),
                   os.path.join(folder, 'examples'))
        results = run_blocks(fusible, [b['code'] for b in blocks], folder)
    fresh, at = [], 0
    for b, (out, message) in zip(blocks, results):
        place = f'{path}:{line_of(text, b.start())}'
        got = out + message
        want = b['out'] or ''
        if bool(message) != bool(b['fails']):
            check(False, place, 'is not refused' if b['fails'] else message)
        else:
            check(UPDATE or got == want, place,
                  f'--- documented\n{want}--- found\n{got}')
        fresh.append(text[at:b.start()])
        fresh.append(f'```fs{b["fails"] or ""}\n{b["code"]}```\n')
        if got:
            fresh.append(f'{b["gap"] or ""}```text\n{got}```\n')
        at = b.end()
    fresh.append(text[at:])
    if UPDATE and ''.join(fresh) != text:
        with open(os.path.join(ROOT, path), 'w', encoding='utf-8') as f:
            f.write(''.join(fresh))


# -- README.md, as a newcomer follows it ------------------------------------------

TYPED = re.compile(r'^fs> (.*)$', re.M)
SMALL = '64'  # for the sizes of a GPU, which are typed as 16384 and 8192


def small(text):
    return re.sub(r'\b(16384|8192)\b', SMALL, text)


def run_in(folder, argv, typed=None):
    env = dict(os.environ, HOME=folder, XDG_CACHE_HOME=folder, XDG_CONFIG_HOME=folder,
               XDG_STATE_HOME=folder, XDG_DATA_HOME=folder, LC_ALL='C.UTF-8',
               FUSIBLE_TARGET='cpu')
    return subprocess.run(argv, cwd=folder, env=env, timeout=600, input=typed, text=True,
                          stdin=None if typed is not None else subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def check_sessions(fusible, text, folder):
    """What is typed at the prompt, all in one session: as many mistakes as are shown."""
    shown = [b for b in re.findall(r'^```\n(.*?)^```$', text, re.M | re.S) if TYPED.search(b)]
    typed = [small(line) for block in shown for line in TYPED.findall(block)]
    check(typed, 'README.md: no session')
    done = run_in(folder, [fusible, '-i', '-q', '--no-readline'], '\n'.join(typed) + '\n')
    want = sum(block.count(': error: ') for block in shown)
    check(done.returncode == 0 and done.stdout.count(': error: ') == want,
          'README.md: the sessions', done.stdout)
    used = set(re.findall(r'^\| `(:[a-z]+)', text, re.M))
    known = {':' + row[0] for row in command_table()}
    check(used <= known, 'README.md: commands', used - known)


def check_loop(fusible, text, folder):
    """The loop of the ten lines does something: x is another one without it."""
    code = next(b['code'] for b in BLOCK.finditer(text))
    saved = []
    for rounds in ('1:10', '1:0'):
        path = os.path.join(folder, 'ten.fs')
        with open(path, 'w', encoding='utf-8') as f:
            f.write(code.replace('1:10', rounds))
        done = run_in(folder, [fusible, 'run', path])
        check(done.returncode == 0, 'README.md: ten lines', done.stdout)
        with open(os.path.join(folder, 'x.npy'), 'rb') as f:
            saved.append(f.read())
    check('1:10' in code and saved[0] != saved[1], 'README.md: the loop changes nothing')


def check_capture(fusible, folder):
    """`tools/capture` renews the sessions of a document, and nothing else of it."""
    page = ('fs> stays\n\n```\nfs> a = 40 + 2\nold\nfs> :set plan off\n```\nText\n'
            '```\nfs> a + 1;\nfs> ans2\nold\n```\n')
    path = os.path.join(folder, 'page.md')
    with open(path, 'w', encoding='utf-8') as f:
        f.write(page)
    done = run_in(folder, ['env', f'FUSIBLE={fusible}', 'python3',
                           os.path.join(ROOT, 'tools', 'capture'), '--document', path])
    typed, shown = page.replace('old\n', ''), done.stdout
    check(done.returncode == 0 and 'fs> a = 40 + 2\na = 42\nfs> ' in shown and 'old' not in shown
          and "called 'ans2'" in shown and all(line in shown for line in typed.split('\n')),
          'tools/capture', shown)


def check_readme(fusible):
    """Commands are run in the folder of a fresh build, one after the other; those of
    `make` have to be targets."""
    text = read('README.md')
    targets = set(re.findall(r'^([a-z][a-z-]*):', read('Makefile'), re.M))
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.join(ROOT, 'examples'), os.path.join(folder, 'examples'))
        os.symlink(os.path.dirname(fusible), os.path.join(folder, 'build'))
        for line in re.findall(r'^    (\S.*)$', text, re.M):
            words = line.split('#')[0].split('&&')[0].split()
            if words[0] == 'make':
                check(words[1] in targets, f'README.md: {line}', 'no such target')
            else:
                done = run_in(folder, ['sh', '-c', small(line)])
                check(done.returncode == 0, f'README.md: {line}', done.stdout)
        check_sessions(fusible, text, folder)
        check_loop(fusible, text, folder)
        check_capture(fusible, folder)
    first = text.index('→')
    check('earlier runs' in text[first:text.index('## Build')], 'README.md: what → means')


# -- tables from the sources ------------------------------------------------------

def strings(text):
    """The value of C string literals that stand side by side."""
    parts = re.findall(r'"((?:[^"\\]|\\.)*)"', text)
    return ''.join(parts).replace('\\"', '"').replace('\\\\', '\\')


def arguments(text, at):
    """The arguments of a call from the byte after its bracket on."""
    args, now, depth = [], '', 1
    while depth:
        c = text[at]
        if c in '"\'':
            end = at + 1
            while text[end] != c:
                end += 2 if text[end] == '\\' else 1
            now += text[at:end + 1]
            at = end + 1
            continue
        depth += (c in '([{') - (c in ')]}')
        if depth == 1 and c == ',':
            args.append(now.strip())
            now = ''
        elif depth:
            now += c
        at += 1
    return args + [now.strip()]


def op_table():
    """(name, arity, operand class, result, infix, doc)"""
    text = read('core/graph/ops.def')
    rows = []
    for m in re.finditer(r'^FS_MAP_OP\((?!CAST)', text, re.M):
        a = arguments(text, m.end())
        rows.append((strings(a[1]), int(a[2]), a[3], a[4], strings(a[6]), strings(a[13])))
    return rows


def reduce_table():
    text = read('core/graph/reductions.def')
    rows = []
    for m in re.finditer(r'^FS_REDUCE_OP\(', text, re.M):
        a = arguments(text, m.end())
        rows.append((strings(a[1]), a[3], strings(a[8])))
    return rows


def dtype_table():
    """(name, doc) of the conversions"""
    text = read('core/graph/dtypes.def')
    rows = [arguments(text, m.end()) for m in re.finditer(r'^FS_DTYPE\(', text, re.M)]
    return [(strings(a[1]), strings(a[-1])) for a in rows]


def builtin_table():
    """(name, signature, doc) of what is not in ops.def"""
    text = read('core/eval/builtins.c')
    rows = []
    for m in re.finditer(r'^    \{(?=")|^    \{name, 1, 1, fs_bi_cast', text, re.M):
        if m[0].endswith('cast'):
            rows += [(n, f'{n}(x)', doc) for n, doc in dtype_table()]
            continue
        a = arguments(text, m.end())
        if len(a) >= 8:
            rows.append((strings(a[0]), strings(a[6]), strings(a[7])))
    return rows


def prelude_table():
    """(names, signature, doc): the remark above each function"""
    rows, remark, shown = [], [], None
    for line in read('prelude.fs').splitlines():
        head = re.match(r'(?:function )?(\w+)\(([^)]*)\)', line)
        if line.startswith('# ') and not line.startswith('# --'):
            remark.append(line[2:])
        elif head and remark:
            shown = ' '.join(remark)
            rows.append(([head[1]], f'{head[1]}({head[2]})', shown))
            remark = []
        elif head and shown and not line.startswith(' ') and rows[-1][2] == shown:
            rows[-1][0].append(head[1])
        elif not line.startswith('#'):
            remark = []
            shown = shown if line.strip() else None
    return rows


def elem_table():
    """(name, aliases, arguments, doc)"""
    rows = []
    for path in sorted(glob.glob(os.path.join(ROOT, 'elemlib', '*.elem'))):
        keys = dict(re.findall(r'^(function|alias|doc|args)\s+(.*)$',
                               read(path), re.M))
        args = re.sub(r':\w+', '', keys['args'])
        rows.append((keys['function'], keys.get('alias', ''), args,
                     keys['doc']))
    return rows


def command_table():
    text = read('core/eval/commands.def')
    rows = []
    for m in re.finditer(r'^FS_COMMAND\(', text, re.M):
        a = arguments(text, m.end())
        rows.append((strings(a[1]), strings(a[2]), strings(a[3]), strings(a[7])))
    return rows


def setting_table():
    text = read('core/session/settings.c')
    text = text[text.index('settings[] = {'):]
    rows = []
    for m in re.finditer(r'^  \{(?=")', text, re.M):
        a = arguments(text, m.end())
        rows.append(tuple(strings(x) for x in a[:3]))
    return rows


def prediction_table():
    """(device, blocks, errors of each prediction as texts): bench/results"""
    rows = []
    for path in sorted(glob.glob(os.path.join(ROOT, 'bench/results/prediction-*.json'))):
        data = json.loads(read(os.path.relpath(path, ROOT)))
        errors = [f'{100*data[kind]["median_error"]:.1f} % '
                  f'({100*data[kind]["p95_error"]:.0f} %)'
                  for kind in ('first', 'fresh', 'corrected', 'noise')]
        rows.append((f'[{data["device"]}](../bench/results/{os.path.basename(path)})',
                     str(data['first']['over_50us']), *errors))
    return rows


def cell(text):
    return text.replace('|', '\\|')


def code_cell(text):
    return f'`{cell(text)}`' if text else ''


CLASS = {'A': 'any type', 'N': 'numbers', 'F': 'floats', 'B': 'truth values', 'I': 'integers',
         'U': 'integers'}


def make_table(name):
    out = []

    def row(*cells):
        out.append('| ' + ' | '.join(cells) + ' |')

    if name == 'elementwise':
        row('function', 'computed in', 'gives')
        row('---', '---', '---')
        for op, arity, types, result, infix, doc in op_table():
            call = f'{op}({", ".join("xyz"[:arity])})'
            row(code_cell(call) + (f', `{cell(infix)}`' if infix else ''),
                CLASS[types],
                doc + (' (bool)' if result == 'B' else ''))
    elif name == 'reductions':
        row('reduction', 'type of the result', 'gives')
        row('---', '---', '---')
        kinds = {'S': 'as the operand; `bool` gives `i32`', 'B': 'bool',
                 'W': 'as the operand; `bool` and `i32` give `i64`'}
        for op, result, doc in reduce_table():
            row(code_cell(op), kinds[result], doc)
    elif name == 'builtins':
        row('call', 'what it does')
        row('---', '---')
        for _, signature, doc in builtin_table():
            row(code_cell(signature), cell(doc))
    elif name == 'prelude':
        row('call', 'what it does')
        row('---', '---')
        for names, signature, doc in prelude_table():
            head, colon, rest = doc.partition(': ')
            row(code_cell(head if colon else signature),
                cell(rest if colon else doc).rstrip('.'))
    elif name == 'elementary':
        row('call', 'also called', 'what it does')
        row('---', '---', '---')
        for function, alias, args, doc in elem_table():
            row(code_cell(f'{function}({args})'),
                ', '.join(code_cell(a) for a in re.split(r',\s*', alias) if a),
                cell(doc))
    elif name == 'commands':
        row('command', 'what it does')
        row('---', '---')
        for command, letter, args, doc in command_table():
            row(code_cell(f':{command} {args}'.strip()) +
                (f', `:{letter}`' if letter else ''), cell(doc))
    elif name == 'settings':
        row('setting', 'values', 'what it is')
        row('---', '---', '---')
        for setting, values, doc in setting_table():
            row(code_cell(setting), code_cell(values), cell(doc))
    elif name == 'predictions':
        row('device', 'blocks', 'first: median (95th percentile)', 'fresh', 'corrected',
            'noise')
        row('---', '---', '---', '---', '---', '---')
        for cells in prediction_table():
            row(*cells)
    else:
        raise ValueError(f'there is no table {name}')
    return '\n'.join(out) + '\n'


def check_tables(path):
    text = read(path)

    def fill(m):
        want = make_table(m[2])
        check(UPDATE or m[3] == want, f'{path}: table {m[2]}',
              'it does not match the code: UPDATE=1 tests/test_docs.py')
        return m[1] + want + m[4]

    fresh = TABLE.sub(fill, text)
    if UPDATE and fresh != text:
        with open(os.path.join(ROOT, path), 'w', encoding='utf-8') as f:
            f.write(fresh)


# -- the error ids ------------------------------------------------------------------

# Which argument of these is the id (the last two are local to a file).
RECORD = {'fs_error': 2, 'fs_in_error': 2, 'fs_warn': 2, 'fs_note': 2, 'fs_env_error': 1,
          'fs_note_call': 2, 'fs_tell_once': 3,
          'fs_fail': 2, 'fs_unexpected': 1,
          'fs_session_note': 1, 'fs_worker_say': 2, 'fail': 2, 'bad': 4}
ID = re.compile(r'"([a-z][a-z0-9]*(?:-[a-z0-9]+)*)"')


def ids_in_code():
    found = {}
    sources = glob.glob(os.path.join(ROOT, 'core', '**', '*.c'), recursive=True)
    for path in sorted(sources):
        text = re.sub(r'/\*.*?\*/', '', read(path), flags=re.S)
        for m in re.finditer(r'\b(%s)\(' % '|'.join(RECORD), text):
            a = arguments(text, m.end())
            at = RECORD[m[1]]
            if len(a) <= at + 1:
                continue
            for word in ID.findall(a[at]):
                found.setdefault(word, os.path.relpath(path, ROOT))
    return found


def check_errors():
    code = ids_in_code()
    rows = re.findall(r'^\| `([a-z0-9-]+)` \|(.*)\|$', read('docs/errors.md'),
                      re.M)
    documented = {name for name, _ in rows}
    check(len(code) > 40, 'error ids found in the code', str(len(code)))
    for name, path in sorted(code.items()):
        check(name in documented, f'docs/errors.md lacks `{name}` ({path})')
    for name, rest in rows:
        check(name in code, f'docs/errors.md has `{name}`, the code has not')
        cells = [c.strip() for c in rest.split('|')]
        check(len(cells) >= 2 and all(cells[:1]),
              f'docs/errors.md says nothing about `{name}`')
    check(len(documented) == len(rows), 'docs/errors.md names each id once')


# -- every name is in the manual -----------------------------------------------------

def check_names():
    manual = read('docs/language.md')
    names = [r[0] for r in op_table() + reduce_table() + builtin_table()]
    names += [n for r in prelude_table() for n in r[0]]
    names += [r[0] for r in elem_table()]
    for name in names:
        check(re.search(rf'(?<!\w){re.escape(name)}(?!\w)', manual),
              f'docs/language.md does not name {name}')

def check_rooms():
    """tools/rooms lists every source file, by a first comment that says what it is."""
    done = subprocess.run([os.path.join(ROOT, 'tools', 'rooms')], capture_output=True,
                          text=True, check=False)
    listed, room = {}, ''
    for line in done.stdout.splitlines():
        if re.match(r'\S+/$', line):
            room = line
        elif m := re.match(r'  (\S+) +(\S.*)', line):
            listed[room + m[1]] = m[2]
    for path in glob.glob(os.path.join(ROOT, 'core', '**', '*.c'), recursive=True) + \
            glob.glob(os.path.join(ROOT, 'repl', '*.c')) + \
            glob.glob(os.path.join(ROOT, 'jupyter', '*.c')):
        here = os.path.relpath(path, ROOT)
        name = os.path.basename(path)
        check(here in listed, f'tools/rooms does not list {here}')
        check(re.match(rf'\s*(/\*|//) {re.escape(name)} - ', read(here)),
              f'{here} does not begin with its name and what it is')


# -- every key of an event is in its page ----------------------------------------------

EVENTS = ['A = rand(30, 20); p = ones(20); r = ones(30);',
          "begin q = A*p; s = A'*r; A[1, 1] = 2; end", 'for k = 1:3; q[k] = k; end',
          ':explain t = A*p', 'plot([1, 2])', 'error("e")', '1 + 1', ':set elements 3',
          'x = [1, 2]', ':set rich on', "y = 2*x; z = A'*A", ':plan box']
DATA = {'data', 'pruned'}  # their keys are media types, or rules of docs/plans.md


def keys_of(value):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            if key not in DATA:
                yield from keys_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys_of(inner)


def check_events(fusible):
    page = read('docs/events.md')
    with tempfile.TemporaryDirectory() as folder:
        env = dict(os.environ, XDG_CACHE_HOME=folder, XDG_CONFIG_HOME=folder,
                   XDG_DATA_HOME=folder, XDG_STATE_HOME=folder)
        argv = [fusible, '--target', 'cpu', '--json', '--keep-going', '--plan', 'box']
        for text in EVENTS:
            argv += ['-e', text]
        done = subprocess.run(argv, cwd=folder, env=env, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=600, check=False)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    kinds = {e['event'] for e in events}
    check({'value', 'display', 'diagnostic', 'plan', 'done'} <= kinds,
          'events of all kinds', f'{kinds}{done.stderr}')
    for key in sorted(set(keys_of(events))):
        check(re.search(rf'[`"]{re.escape(key)}[`"]', page),
              f'docs/events.md does not name the key {key}')


# -- what every page keeps to ----------------------------------------------------------

WIDTH = 120


def pages():
    found = glob.glob(os.path.join(ROOT, '*.md')) + \
        glob.glob(os.path.join(ROOT, 'docs', '*.md')) + \
        [os.path.join(ROOT, 'elemlib', 'README.md')]
    return [os.path.relpath(path, ROOT) for path in sorted(found)]


def running_text(text):
    """(number, line) of what is no code"""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith('```'):
            inside = not inside
        elif not inside and not line.startswith('    '):
            yield number, line


def anchors(text):
    """The anchors that GitHub gives the headings of a page."""
    heads = [m[1] for _, line in running_text(text)
             if (m := re.match(r'#+ (.*)', line))]
    return {re.sub(r'[^\w\- ]', '', head.lower()).strip().replace(' ', '-')
            for head in heads}


PATH = re.compile(r'`((?:core|repl|jupyter|elemlib|examples|docs|bench|tests|tools|scripts)'
                  r'/[\w./-]+)`')


def check_page(here):
    text = read(here)
    lines = list(running_text(text))
    for number, line in lines:
        if line.startswith('|'):
            continue
        line = re.sub(r'\S+://\S+', '', line)
        check(len(line) <= WIDTH, f'{here}:{number}: {len(line)} columns')
    for path in PATH.findall('\n'.join(line for _, line in lines)):
        check('NAME' in path or os.path.exists(os.path.join(ROOT, path)),
              f'{here}: there is no {path}')
    for link, anchor in re.findall(r'\]\(([^)#:]*)(?:#([^)]*))?\)',
                                   '\n'.join(line for _, line in lines)):
        target = os.path.normpath(os.path.join(os.path.dirname(here), link)) \
            if link else here
        exists = os.path.exists(os.path.join(ROOT, target))
        check(exists, f'{here}: there is no {link}')
        if exists and anchor:
            check(anchor in anchors(read(target)),
                  f'{here}: {target} has no heading #{anchor}')


def main():
    parser = argparse.ArgumentParser(description='runs the documentation')
    parser.add_argument('--fusible', default=os.environ.get(
        'FUSIBLE', os.path.join(ROOT, 'build', 'fusible')))
    parser.add_argument('files', nargs='*')
    args = parser.parse_args()
    fusible = os.path.abspath(args.fusible)
    files = [os.path.relpath(f, ROOT) for f in args.files]
    if not files:
        files = ['README.md'] + sorted(
            os.path.join('docs', os.path.basename(f))
            for f in glob.glob(os.path.join(ROOT, 'docs', '*.md')))
    for path in files:
        if os.path.exists(os.path.join(ROOT, path)):
            check_tables(path)
            run_document(fusible, path)
    if not args.files:
        check_errors()
        check_names()
        check_rooms()
        check_events(fusible)
        check_readme(fusible)
        for page in pages():
            check_page(page)
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
