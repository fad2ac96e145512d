"""Answers to the exercises of examples/exercises: for each those that are wrong, with the
graded cells that must fail. What nbgrader takes for wrong is a cell with an error."""
import json
import os

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                      'examples', 'exercises')
# (code in place of the answer, or None for the solution; the cells that fail)
ANSWERS = {
    'one-pass': [
        (None, set()),
        ('# your statements here', {'kernels', 'values'}),
        ("q = A*p;\nprint(q[1]);\ns = A'*r;", {'kernels'}),
        ("begin q = A*p; barrier; s = A'*r; end", {'kernels'}),
        ("begin q = A*p; s = A'*r + 1; end", {'values'}),
        (":split q s\nbegin q = A*p; s = A'*r; end", {'kernels'}),
        ('q = nowhere', {'kernels', 'values'})],
    'softmax': [
        (None, set()),
        ('soft(M) = exp(M - rowmax(M)) ./ sum(exp(M - rowmax(M)), 2)\nP = soft(M);', set()),
        ('# your statements here', {'kernels', 'values'}),
        ('begin E = exp(M - rowmax(M)); barrier; P = E ./ sum(E, 2); end', {'kernels'}),
        (':fuse off\nE = exp(M - rowmax(M)); P = E ./ sum(E, 2);', {'kernels'}),
        ('P = M ./ sum(M, 2);', {'values'})],
    'prediction': [
        (None, set()),
        ('# your statements here', {'ratio', 'values'}),
        ('y = A*x;', {'ratio'})],
}


def notebook(name, answer=None):
    """The exercise with an answer in place of its solution, as JSON."""
    with open(os.path.join(FOLDER, name + '.ipynb'), encoding='utf-8') as f:
        cells = json.load(f)
    for cell in cells['cells']:
        if cell['id'] == 'answer' and answer is not None:
            cell['source'] = answer
    return cells
