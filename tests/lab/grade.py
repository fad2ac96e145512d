"""Has nbgrader grade right and wrong answers to the exercises: `make check-lab`.

    grade.py FUSIBLE

FUSIBLE is the program of the build. Runs in an environment with nbgrader (scripts/check-lab
makes it). Each answer is a student of a course in a folder of its own; what a cell is worth
is nbgrader's. The last line is `N passed, N failed`.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'tests'))
import exercises  # noqa: E402
from score import Score  # noqa: E402

S = Score()


def nbgrader(course, env, *args):
    done = subprocess.run([os.path.join(os.path.dirname(sys.executable), 'nbgrader'), *args],
                          cwd=course, env=env, capture_output=True, text=True)
    S.check(done.returncode == 0, (args, done.stderr[-3000:]))


def put(course, *path, text):
    path = os.path.join(course, *path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)


def grade(course, env, name, answers):
    """The students' graded cells without points."""
    source = os.path.join(exercises.FOLDER, name + '.ipynb')
    put(course, 'source', name, name + '.ipynb', text=open(source, encoding='utf-8').read())
    nbgrader(course, env, 'generate_assignment', name)
    with open(os.path.join(course, 'release', name, name + '.ipynb'), encoding='utf-8') as f:
        released = json.load(f)
    stub = next(c for c in released['cells'] if c.get('id') == 'answer')
    S.check(''.join(stub['source']) == '# your statements here', stub)
    for k, (answer, _) in enumerate(answers):
        cells = json.loads(json.dumps(released))
        solution = next(c for c in exercises.notebook(name)['cells'] if c['id'] == 'answer')
        for cell in cells['cells']:
            if cell['id'] == 'answer':
                cell['source'] = solution['source'] if answer is None else answer
        put(course, 'submitted', f'student{k}', name, name + '.ipynb', text=json.dumps(cells))
    nbgrader(course, env, 'autograde', name)


def scores(course, name, k):
    """{cell: (points, most)} of a student."""
    from nbgrader.api import Gradebook
    with Gradebook('sqlite:///' + os.path.join(course, 'gradebook.db')) as book:
        done = book.find_submission_notebook(name, name, f'student{k}')
        return {g.name: (g.score, g.max_score) for g in done.grades}


def main():
    home = tempfile.mkdtemp(prefix='fusible-grade-')
    course = os.path.join(home, 'course')
    prefix = os.path.join(home, 'prefix')
    os.environ['PATH'] = os.path.dirname(sys.executable) + ':' + os.environ['PATH']  # alembic
    env = dict(os.environ, HOME=home, JUPYTER_PATH=os.path.join(prefix, 'share', 'jupyter'),
               JUPYTER_CONFIG_DIR=os.path.join(home, 'config'), FUSIBLE_TARGET='cpu')
    subprocess.run([os.path.abspath(sys.argv[1]), 'kernel', 'install', '--prefix', prefix],
                   check=True, stdout=subprocess.DEVNULL)
    with open(os.path.join(exercises.FOLDER, 'nbgrader_config.py'), encoding='utf-8') as f:
        put(course, 'nbgrader_config.py', text=f.read())
    for name, answers in exercises.ANSWERS.items():
        grade(course, env, name, answers)
        for k, (answer, wrong) in enumerate(answers):
            got = scores(course, name, k)
            S.check({cell for cell, (points, _) in got.items() if not points} == wrong and
                    all(points in (0, most) for points, most in got.values()),
                    (name, answer, wrong, got))
    shutil.rmtree(home)
    return S.close()


if __name__ == '__main__':
    sys.exit(main())
