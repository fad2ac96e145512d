#!/usr/bin/python3
"""`:set nancheck on`: the statement and the first index of what is not finite, once an input.

The last line is `N passed, N failed`.
"""
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, 'fake')]
import fakegpu  # noqa: E402
from score import Score  # noqa: E402

score = Score()
# Statements, and what is said: line, column and words; None: nothing.
CASES = [
    ('x = f32([1, 0, 4]);\ny = 1 ./ x; z = log(y - 1);', '3:1', 'an infinity at [2]'),
    ('x = f32([1, 0, 4]);\ny = 1 + x; z = log(x - 1);', '3:12', 'an infinity at [1]'),
    ('A = f64([1, 2; 3, 0]);\nbegin; B = A + 1; C = A ./ A; D = C*2; end', '3:19', 'a NaN at [2, 2]'),
    ('A = f64([1, 2; 3, 0]); C = A + 0;\ns = sum(1 ./ C);', '3:1', 'an infinity'),
    ('x = f32([1e-9, 2]);\nfor k = 1:40; x = x*2e3; end', '3:15', 'an infinity at [2]'),
    ('x = f32([4, 3, 2, 1]); s = x + 0;\nfor i = 1:4; s[i] = sqrt(x[i] - 3); end', '3:', 'a NaN at [3]'),
    ('T = zeros(2, 3, 4); T[2, 1, 3] = 1; T += 0;\nU = 0 .* (T/0);', '3:1', 'a NaN at [1, 1, 1]'),
    ('T = ones(2, 3, 4); T[2, 1, 3] = 0; T += 0;\nU = T./T;', '3:1', 'a NaN at [2, 1, 3]'),
    ('b = f16([1, 1e4]);\nc = b*100;', '3:1', 'an infinity at [2]'),
    ('x = ones(2500000); x[2400001] = 0; x = reshape(x, 5, 500000) + 0;\ny = log(x);', '3:1',
     'an infinity at [5, 400001]'),
    ('x = ones(2500000); x[2400001] = 0; x = reshape(x, 500000, 5) + 0;\ny = log(x);', '3:1',
     'an infinity at [480001, 1]'),
    ('x = f32([1, 0]); y = x + 1; k = i32([1, 2]); z = sum(0*(1 ./ y)); e = zeros(0);', None, None),
    (':set nancheck off\nx = f32([1, 0]); y = 1 ./ x;', None, None)]


def main():
    with tempfile.TemporaryDirectory() as home:
        for text, place, words in CASES:
            done = fakegpu.run_script(':set nancheck on\n' + text, 'cpu', home)
            said = done.stderr
            if place:
                good = said.count('warning:') == 1 and f':{place}' in said and words in said
            else:
                good = not said
            score.check(done.returncode == 0 and good, (text, place, words, said))
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
