#!/usr/bin/python3
"""The wheel (tools/wheel): what is in it, what pip makes of it in a fresh
environment, a notebook that runs there, by which libraries, and that nothing is left
after uninstalling. The image with JupyterLab (.binder) installs what the wheel needs.
And its lexer: held to the tables of core/lang, to all examples, and to words.
"""
import peers  # noqa: F401, first: it changes the Python that runs this
import base64
import glob
import hashlib
import json
import os
import re
import shutil
import site
import subprocess
import sys
import tempfile
import traceback
import venv
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(ROOT, 'jupyter')]
from score import Score  # noqa: E402
import fusible_pygments as words  # noqa: E402
from pygments.token import Error, STANDARD_TYPES  # noqa: E402

BUILD = os.path.abspath(os.environ.get('BUILD', os.path.join(ROOT, 'build')))
HOME = tempfile.mkdtemp(prefix='fusible-wheel-')
FRESH = os.path.join(HOME, 'fresh')
PYTHON = os.path.join(FRESH, 'bin', 'python')
SPEC = os.path.join(FRESH, 'share', 'jupyter', 'kernels', 'fusible')
LIBRARIES = os.path.join(FRESH, 'lib', 'fusible')
LOADED = os.path.join(HOME, 'loaded')  # what the dynamic linker did, a file a process
# What a machine has of its own: in all lists of PEP 600's policies (auditwheel 6.8).
SYSTEM = {'ld-linux-x86-64.so.2', 'libc.so.6', 'libm.so.6', 'libmvec.so.1', 'libz.so.1',
          'libdl.so.2', 'libpthread.so.0', 'librt.so.1', 'libresolv.so.2',
          'libstdc++.so.6', 'libgcc_s.so.1'}
# The newest versions of symbols that its policy of a glibc allows.
POLICIES = {(2, 34): {'GLIBCXX': (3, 4, 29), 'CXXABI': (1, 3, 13), 'GCC': (7, 0, 0)},
            (2, 35): {'GLIBCXX': (3, 4, 30), 'CXXABI': (1, 3, 13), 'GCC': (12, 0, 0)},
            (2, 36): {'GLIBCXX': (3, 4, 30), 'CXXABI': (1, 3, 13), 'GCC': (12, 0, 0)},
            (2, 41): {'GLIBCXX': (3, 4, 33), 'CXXABI': (1, 3, 15), 'GCC': (14, 0, 0)}}
# No program of the environment is in PATH: it need not be activated.
ENV = {**{k: v for k, v in os.environ.items()
          if not k.startswith(('XDG_', 'FUSIBLE', 'JUPYTER', 'PYTHONPATH'))},
       'HOME': HOME, 'FUSIBLE_TARGET': 'cpu', 'LC_ALL': 'C.UTF-8',
       'PATH': '/usr/bin:/bin',
       'JUPYTER_PATH': os.path.join(sys.prefix, 'share', 'jupyter')}  # templates


def read(path, mode='r'):
    with open(path, mode, encoding=None if 'b' in mode else 'utf-8') as f:
        return f.read()


def run(*argv):
    done = subprocess.run(argv, env=ENV, cwd=HOME, capture_output=True, text=True,
                          timeout=600)
    return done.returncode, done.stdout, done.stderr


def pip(*args):
    return run(sys.executable, '-m', 'pip', '--python', PYTHON,
               '--disable-pip-version-check', '--no-input', *args)


def files(folder):
    return sorted(os.path.join(at, f) for at, _, found in os.walk(folder)
                  for f in found if not f.endswith('.pyc'))


# -- the lexer -----------------------------------------------------------------

SNIPPET = '''\
# a comment; // so is this
input matrix A
vector = 2; vector x
function [q] // no
function f(x)
f(x) = x.^2 + 1.*x - .5e-3  // half
s = "a\\t\\"b\\" # no comment \\q";
B = A' * x'; t = A'; u = "it's"
for k in 1:10
  σ₁ += 0x1F./2x
end
if !true || B[1,
  :why] -> 1. ** 1e5
:why A # all of it
  ?rand; x
"open
'''
TOKENS = r''' c1:# a comment; // so is this
 kt:input n:matrix n:A
 n:vector o:= mi:2 p:; kt:vector n:x
 k:function p:[ n:q p:] c1:// no
 kd:function nf:f p:( n:x p:)
 nf:f p:( n:x p:) o:= n:x o:.^ mi:2 o:+ mi:1 o:.* n:x o:- mf:.5e-3 c1:// half
 n:s o:= s2:" s2:a se:\t se:\" s2:b se:\" s2: # no comment  err:\q s2:" p:;
 n:B o:= n:A o:' o:* n:x o:' p:; n:t o:= n:A o:' p:; n:u o:= s2:" s2:it's s2:"
 k:for n:k k:in mi:1 o:: mi:10
 n:σ₁ o:+= mh:0x1F o:./ err:2x
 k:end
 k:if o:! kc:true o:|| n:B p:[ mi:1 p:,
 o:: n:why p:] o:-> mf:1. err:** mf:1e5
 o:: k:why : A # all of it
 o:? :rand; x
 s2:" s2:open
'''  # each with its class in HTML, a line for each of the snippet's


def lexed(text):
    return list(words.FusibleLexer().get_tokens(text))


def test_lexer_words(score):
    found = ''.join('\n' if text == '\n' else f' {STANDARD_TYPES[kind]}:{text}'
                    for kind, text in lexed(SNIPPET) if text.strip(' '))
    score.check(found == TOKENS, 'the words of the snippet', found)
    score.check(''.join(t for _, t in lexed(SNIPPET)) == SNIPPET, 'and no other')


def test_lexer_tables(score):
    """They are those of the language."""
    lex = read(os.path.join(ROOT, 'core', 'lang', 'lex.c'))
    header = read(os.path.join(ROOT, 'core', 'lang', 'lex.h'))
    grammar = read(os.path.join(ROOT, 'docs', 'grammar.md'))
    table = re.search(r'no_letters\[\] = \{(.*?)\n  \};', lex, re.S).group(1)
    ranges = tuple((int(a, 16), int(b, 16)) for a, b in re.findall(
        r'\{(0x[0-9a-f]+),\s*(0x[0-9a-f]+)\}', table))
    score.check(ranges == words.NO_LETTERS, 'letters', ranges)
    keywords = re.findall(r'X\([A-Z]+, "([a-z]+)"\)', header)
    score.check(sorted(keywords) == sorted(words.KEYWORDS + words.CONSTANTS),
                'keywords', keywords)
    table = re.search(r'\} operators\[\] = \{(.*?)\n\};', lex, re.S).group(1)
    signs = {s.replace('\\\\', '\\') for s in re.findall(r'\{"(.+?)", FS', table)}
    score.check(signs - set(';,()[]{}') - {'\\n'} == set(words.OPERATORS), 'operators',
                sorted(signs))
    special = re.search(r'before a name:\n\n    (.*)\n', grammar).group(1)
    score.check(tuple(special.split()) == words.DECLARATIONS, 'declarations', special)


def test_lexer_examples(score):
    """Nothing in a program that runs is an error, and nothing is lost."""
    for path in sorted(glob.glob(os.path.join(ROOT, 'examples', '**', '*.fs'),
                                 recursive=True)) + [ROOT + '/prelude.fs']:
        text = read(path)
        tokens = lexed(text)
        bad = [t for kind, t in tokens if kind is Error]
        score.check(not bad, (path, bad))
        score.check(''.join(t for _, t in tokens).strip('\n') == text.strip('\n'),
                    path)


# -- the wheel -----------------------------------------------------------------

def make_wheel(score):
    """The path; the same bytes the second time."""
    made = []
    for _ in range(2):
        code, out, err = run(os.path.join(ROOT, 'tools', 'wheel'), BUILD)
        score.check(code == 0, err)
        made.append(read(out.strip(), 'rb'))
    score.check(made[0] == made[1], 'the same wheel twice')
    path = os.path.join(HOME, os.path.basename(out.strip()))
    with open(path, 'wb') as f:
        f.write(made[0])
    return path


def check_record(score, path):
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        score.check(names[-1].endswith('.dist-info/RECORD'), names)
        lines = wheel.read(names[-1]).decode().splitlines()
        score.check([line.split(',')[0] for line in lines] == names, lines)
        for line in lines[:-1]:
            name, digest, size = line.split(',')
            content = wheel.read(name)
            sha = base64.urlsafe_b64encode(hashlib.sha256(content).digest())
            score.check(digest == 'sha256=' + sha.decode().rstrip('=') and
                        int(size) == len(content), line)
        for name in names:
            runs = wheel.getinfo(name).external_attr >> 16 & 0o111
            score.check(bool(runs) == ('/scripts/' in name), name)


def make_environment():
    """Fresh, without pip, and with the test's Jupyter behind what is its own."""
    venv.create(FRESH, with_pip=False)
    own, = glob.glob(os.path.join(FRESH, 'lib', 'python*', 'site-packages'))
    with open(os.path.join(own, 'jupyter.pth'), 'w', encoding='utf-8') as f:
        f.write('\n'.join(site.getsitepackages()) + '\n')


def check_installed(score):
    code, out, err = run(PYTHON, '-m', 'jupyter_client.kernelspecapp', 'list',
                         '--json')
    found = json.loads(out)['kernelspecs'].get('fusible')
    if score.check(code == 0 and found, ('Jupyter lists the kernel', out, err)):
        score.check(found['resource_dir'] == SPEC and
                    found['spec']['interrupt_mode'] == 'message', found)
    score.check(sorted(os.listdir(SPEC)) == [
        'kernel.json', 'logo-32x32.png', 'logo-64x64.png', 'logo-svg.svg'],
        os.listdir(SPEC))
    lab = os.path.join(FRESH, 'share', 'jupyter', 'labextensions',
                       'jupyterlab-fusible')
    package = json.loads(read(os.path.join(lab, 'package.json')))
    load = os.path.join(lab, package['jupyterlab']['_build']['load'])
    score.check(read(load) == read(os.path.join(
        ROOT, 'jupyter', 'labextension', 'static', 'fusible.js')), load)
    score.check(json.loads(read(os.path.join(lab, 'install.json')))['packageName'] ==
                'fusible', lab)
    program = os.path.join(FRESH, 'bin', 'fusible')
    code, out, err = run(program, '-e', 'A = [1, 2; 3, 4]; sum(A)')
    score.check(code == 0 and '10' in out, (out, err))
    code, out, err = run(program, 'kernel', 'list', '--prefix', FRESH)
    score.check(code == 0 and 'fusible' in out, (out, err))
    code, out, err = run(PYTHON, '-m', 'pygments', '-l', 'fusible', '-f', 'raw',
                         os.path.join(ROOT, 'examples', 'bicgk.fs'))
    score.check(code == 0 and 'Token.Comment.Single' in out, (out[:500], err))


def elf_files():
    return [os.path.join(FRESH, 'bin', p) for p in ('fusible', 'fusible-kernel')] + [
        os.path.join(LIBRARIES, f) for f in sorted(os.listdir(LIBRARIES))]


def check_tag(score, path):
    """The wheel's glibc is what its files need, no newer one and no older; and they
    need of the other libraries what the policy of that glibc allows."""
    tag = re.search(r'-manylinux_(\d+)_(\d+)_x86_64\.whl$', path)
    if not score.check(tag, path):
        return
    glibc, most = (int(tag[1]), int(tag[2])), {}
    _, out, err = run('readelf', '-V', *elf_files())
    for block in re.findall(r"'\.gnu\.version_r'.*?(?:\n\n|\Z)", out, re.S):
        for name, version in re.findall(r'Name: (\w+?)_([\d.]+) ', block):
            number = tuple(map(int, version.split('.')))
            most[name] = max(number, most.get(name, number))
    score.check(most['GLIBC'][:2] == glibc, (most, glibc, err))
    allowed = POLICIES.get(glibc)
    if score.check(allowed, ('no policy of this glibc in the test', glibc)):
        over = [n for n, v in allowed.items() if most.get(n, v) > v]
        score.check(not over, (over, most))


def loaded_by(program):
    """The libraries that processes of the program loaded, from LOADED.*."""
    found = set()
    for log in glob.glob(LOADED + '.*'):
        text = read(log)
        started = re.findall(r'initialize program: (/.*)', text)
        if program in map(os.path.abspath, started):
            found.update(re.findall(r'calling init: (/.*)', text))
    return found


def check_libraries(score):
    """The programs did all that was asked of them with the wheel's own libraries: no
    system's one of these names was loaded, and none is needed but SYSTEM's."""
    for program in elf_files()[:2]:
        code, out, err = run('ldd', program)
        found = dict(re.findall(r'(\S+) => (\S+)', out))
        outside = {n for n, at in found.items() if not os.path.abspath(at).startswith(
            LIBRARIES + os.sep)}
        score.check(code == 0 and outside and outside <= SYSTEM, (outside, out, err))
        used = {os.path.abspath(f) for f in loaded_by(program)}
        own = {os.path.join(LIBRARIES, n) for n in set(found) - outside}
        score.check(own and own <= used, (program, own - used))
        strange = {f for f in used - own
                   if os.path.basename(f) in os.listdir(LIBRARIES)}
        score.check(not strange, (program, strange))


def test_image(score):
    """Its Debian packages are those of scripts/install-deps, called for the wheel."""
    text = read(os.path.join(ROOT, '.binder', 'Dockerfile'))
    score.check(re.search(r'scripts/install-deps\b.*\bwheel\b', text), text)
    score.check(re.search(r'\bmake\b.*\bwheel\b', text) and 'build/dist/' in text, text)
    score.check(not re.search(r'\bapt(-get)?\s+(-\S+\s+)*install\b', text), text)


def notebook(name, *sources):
    path = os.path.join(HOME, name)
    cells = [{'cell_type': 'code', 'execution_count': None, 'id': f'cell{k}',
              'metadata': {'tags': ['parameters'] if k == 0 else []},
              'outputs': [], 'source': s} for k, s in enumerate(sources)]
    kernel = {'name': 'fusible', 'language': 'fusible', 'display_name': 'Fusible'}
    with open(path, 'w', encoding='utf-8') as f:
        json.dump({'cells': cells, 'nbformat': 4, 'nbformat_minor': 5,
                   'metadata': {'kernelspec': kernel}}, f)
    return path


def check_notebooks(score):
    """They run by the installed kernel, are coloured by the installed lexer, and
    papermill's parameters need no import."""
    path = notebook('page.ipynb', 'n = 3;', 'input = "it\'s";\nA = ones(n); sum(A)')
    code, _, err = run(PYTHON, '-m', 'nbconvert', '--execute', '--to', 'notebook',
                       '--inplace', path)
    if not score.check(code == 0, err[-1500:]):
        return
    lexer = json.loads(read(path))['metadata']['language_info']['pygments_lexer']
    score.check(lexer == 'fusible', lexer)
    code, _, err = run(PYTHON, '-m', 'nbconvert', '--to', 'html', path)
    score.check(code == 0, err[-1500:])
    page = read(path.replace('.ipynb', '.html'))
    score.check('<span class="nf">ones</span>' in page, 'calls have a colour')
    score.check('lexer' not in err.lower(), err)
    out = os.path.join(HOME, 'out.ipynb')
    code, _, err = run(PYTHON, '-m', 'papermill', '--engine', 'fusible', '-p', 'n',
                       '21', path, out)
    score.check(code == 0 and 'n = 21;' in read(out), err[-1500:])


def test_wheel(score):
    path = make_wheel(score)
    check_record(score, path)
    make_environment()
    before = files(FRESH)
    code, out, err = pip('install', '--no-index', '--no-deps', path)
    if not score.check(code == 0, out + err):
        return
    check_tag(score, path)
    ENV.update(LD_DEBUG='libs', LD_DEBUG_OUTPUT=LOADED)
    check_installed(score)
    check_notebooks(score)
    del ENV['LD_DEBUG'], ENV['LD_DEBUG_OUTPUT']
    check_libraries(score)
    code, out, err = pip('uninstall', '-y', 'fusible')
    score.check(code == 0, out + err)
    score.check(files(FRESH) == before, set(files(FRESH)) ^ set(before))


def main():
    score = Score()
    for name, test in list(globals().items()):
        if name.startswith('test_'):
            try:
                test(score)
            except (AssertionError, OSError, subprocess.TimeoutExpired, KeyError,
                    ValueError):
                score.check(False, name, traceback.format_exc())
    shutil.rmtree(HOME, ignore_errors=True)
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
