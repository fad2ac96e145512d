#!/usr/bin/env python3
"""Bad input: a clear error, the session goes on, nothing is lost.

Each case is a text given to a session that holds some variables. The message must
name its place, underline the right words and say what is wrong; afterwards the
variables must be what they were and the session must still compute. The last line
is `N passed, N failed`.
"""
import argparse
import io
import os
import re
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zipfile

from score import await_handler, spent

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BEFORE = 'keep = [1, 2, 3]; total = 42; M = [1, 2; 3, 4];'
AFTER = ('print("still ", total, " ", sum(keep), " ", sum(M*M), " ", '
         'keep[2])')
STILL = 'still 42 6 54 2\n'

# name: text, what is underlined (None: no place), words of the message, status
CASES = {
    # -- names ------------------------------------------------------------------
    'unknown name': ('x = nothing_like_it', 'nothing_like_it',
                     ["there is nothing called 'nothing_like_it'"]),
    'near miss of a variable': ('x = totl + 1', 'totl', ["did you mean 'total'"]),
    'near miss of a function': ('x = floorr(2)', 'floorr', ["did you mean 'floor'"]),
    'near miss of an elementary function': (
        'x = sgemw(M, keep)', 'sgemw', ["did you mean 'sgemv'"]),
    'a function of other systems': ('x = lstsq(M)', 'lstsq', ['A\\b']),
    'variables of other prompts': ('whos', 'whos', ["did you mean ':vars'"]),
    'unknown name in a function': (
        'f(x) = x + nowhere\nf(1)', 'nowhere', ["'nowhere'"]),
    'a transform of negative length': ('fft(keep, -1)', '-1', ['0 or more', 'fft(x, [], -1)']),
    'a transform along no dimension': ('fft(keep, [], 7)', '7', ['there is no dimension 7']),
    'half a transform of complex numbers': ('rfft(keep*1i)', 'keep*1i', ['rfft takes real numbers']),
    'a transform back of one number': ('irfft([1])', 'irfft([1])', ['needs a length']),
    'the order of a transform': ('max(fft(keep))', 'max(fft(keep))', ['no order']),
    'a part of nothing': ('nowhere[1] = 2', 'nowhere', ["'nowhere'"]),
    'help on a near miss': ('?smu', '?smu', ['nothing is known about smu',
                                             'did you mean sum?']),
    'help on a command': (':help pln', ':help pln', ['did you mean :plan?']),
    'a command without its colon': ('quit', 'quit', ["did you mean ':quit'?"]),
    'a command of other prompts': ('exit()', 'exit', ["did you mean ':quit'?"]),
    'no-block': (':block 9', None, [':block 9', 'lists']),
    'command': (':pln', None, [':pln', 'plan']),
    'unknown setting': (':set colour red', None, ['colour']),

    'a string in a file': ('save("x.npz", keep, "text")', '"text"',
                           ['"text" is a string, and only arrays']),

    # -- shapes -----------------------------------------------------------------
    'sum of shapes': ('M + [1, 2, 3]', 'M + [1, 2, 3]',
                      ['M is 2x2', '[1, 2, 3] is 3', '+']),
    'product of shapes': ('M*keep', 'M*keep', ['M is 2x2', 'keep is 3',
                                               'needs keep to have 2 rows']),
    'column*column': ('keep*keep', 'keep*keep',
                      ['two columns', '.*', "'", 'dot product']),
    'a product without its sign': ('total(3 + 1)', 'total',
                                   ['not a function', 'total*(...)']),
    'columns of other lengths': ('keep*[1, 2]', 'keep*[1, 2]',
                                 ['two columns', 'outer product']),
    'transposed it would fit': ("[1, 2; 3, 4; 5, 6] .* [1, 2, 3; 4, 5, 6]",
                                '[1, 2; 3, 4; 5, 6] .* [1, 2, 3; 4, 5, 6]',
                                ['3x2', '2x3', 'transposed it would fit']),
    'shapes inside the prelude': (
        'cg(M, keep, 1e-6, 3)', 'cg(M, keep, 1e-6, 3)', ['2x2', '3']),
    'solve': ('M\\keep', 'M\\keep', ['M is 2x2', 'keep is 3', 'rows']),
    'division by a matrix': ('1/M', '1/M', ['2x2', './']),
    'power of a column': ('keep^2', 'keep^2', ['square', '.^']),
    'dot': ('dot(keep, [1, 2])', 'dot(keep, [1, 2])', ['keep is 3', 'is 2']),
    'inverse of a rectangle': ('inv([1, 2, 3; 4, 5, 6])',
                               'inv([1, 2, 3; 4, 5, 6])', ['square', '2x3']),
    'blocks': ('[M, keep]', 'keep', ['2x2', '3', 'number of rows']),
    'ragged rows': ('[1, 2; 3]', '[1, 2; 3]', ['row 1 has 2', 'row 2 has 1']),
    'reshape': ('reshape(M, 3, 3)', 'reshape(M, 3, 3)',
                ['2x2 (4 elements)', '3x3 has 9']),
    'assign a wrong part': ('M[1, :] = keep', 'M[1, :] = keep',
                            ['the part is 1x2', 'keep is 3']),
    'mask of a wrong size': ('keep[[true, false]]', '[true, false]',
                             ['the mask is 2', '3 elements']),
    'condition of many': ('if keep > 1\nprint("no")\nend', 'keep > 1',
                          ['one value', 'any(...)']),
    'seven dimensions': ('zeros(2, 2, 2, 2, 2, 2, 2)', '2', ['at most 6']),

    # -- types and calls ----------------------------------------------------------
    'a string in a sum': ('keep*"three"', 'keep*"three"', ['string']),
    'a function in a sum': ('keep + sqrt', 'sqrt', ['function']),
    'fraction into integers': ('k = i32(keep); k[1] = 0.5', '0.5',
                               ['f32', 'i32', 'convert']),
    'unknown type': ('zeros(3, "f63")', '"f63"', ["'f63'", 'f64']),
    'integer random': ('rand(3, "i32")', '"i32"', ['float', 'i32']),
    'too few arguments': ('pow(2)', 'pow(2)', ['2 arguments', 'not 1',
                                               'pow(x, y)']),
    'too many arguments': ('f(a, b) = a\nf(1, 2, 3)', 'f(1, 2, 3)',
                           ['f takes 2 arguments, not 3', 'as f(a, b)']),
    'an elementary function': ('sgemv(M)', 'sgemv(M)', ['2 arguments', 'gemv(A, p)']),
    'fuse with one': (':fuse x', ':fuse x', ['two statements', ':fuse off']),
    'split of one': (':split x', ':split x', ['two statements', ':split off']),
    'too many results': ('a, b, c = eig(M + M\')', "a, b, c = eig(M + M')",
                         ['gives 2 values', 'not 3']),
    'a call of a tensor': ('M(1, 2)', 'M', ['not a function', 'M[...]']),
    'an index of a function': ('sqrt[2]', 'sqrt[2]', ['function', '( )']),
    'no value': ('x = print(1)', 'print(1)', ['no value']),
    'an option misspelt': ('plot(keep, "titel=x")', '"titel=x"',
                           ["no option 'titel='", "did you mean 'title='?"]),
    'an option in capitals': ('hist(keep, "Bins=3")', '"Bins=3"', ["'bins='"]),
    'an option of bars': ('plot(keep, "names=a,b,c")', '"names=a,b,c"',
                          ["plot has no option 'names='", 'bar has it']),
    'an option of histograms': ('heatmap(M, "bins=3")', '"bins=3"',
                                ["heatmap has no option 'bins='", 'hist has it']),
    'an option cut short': ('plot(keep, "label=x")', '"label=x"', ["'xlabel='"]),
    'an option misspelt without a curve': ('predictions("tilte=x")', '"tilte=x"',
                                           ["'title='"]),
    'reduce by nonsense': ('reduce("avg", keep)', '"avg"', ['sum prod max min']),
    'scan by nonsense': ('scan("avg", keep)', '"avg"', ['sum prod max min']),
    'scan from several': ('scan("sum", keep, 1, keep)', 'keep', ['begins with one element']),
    'rule of a name': ('rule x -> 2*x', 'x', ['an operation', 'anything']),
    'rule of a subscript': ('rule x[1] + y -> x', 'x[1]', ['operators of elements', 'not x[1]']),
    'rule of nothing known': ('rule x + y -> nosuch(x)', 'nosuch', ["'nosuch'"]),
    'rule to another type': ('rule x + 7 -> f64(x)\nkeep + 7', 'keep + 7',
                             ['rule x + 7 -> f64(x)', '3 f64', '3 f32', ':rules']),
    'no such rule': (':rules drop 1', ':rules drop 1', ['no rule of this number']),
    'endless recursion': ('f(x) = f(x + 1)\nf(1)', 'f(x + 1)',
                          ['f calls itself too often']),
    'user error': ('error("out of tea")', 'error("out of tea")',
                   ['out of tea']),
    'assertion': ('assert(total == 41, "not 41")',
                  'assert(total == 41, "not 41")',
                  ['assertion failed', 'not 41']),
    'declared otherwise': ('matrix keep;\ninput keep;', 'keep',
                           ['declared as a matrix', '3']),
    'input of nothing': ('input zzz;', 'zzz', ['neither declared nor defined']),

    # -- indices --------------------------------------------------------------------
    'index too large': ('keep[4]', '4', ['index 4', 'extent 3']),
    'index zero': ('keep[0]', '0', ['index 0', 'count from 1']),
    'index negative': ('M[1, -1]', '-1', ['index -1', 'dimension 2']),
    'index of a fraction': ('keep[1.5]', '1.5', ['whole', '1.5']),
    'range too long': ('M[1:3, 1]', '1:3', ['index 3', 'extent 2']),
    'list out of range': ('keep[[1, 9]]', '[1, 9]', ['index 9', 'there are 3 elements']),
    'part of crossings by two lists': (
        'M[[1, 2], [2, 1, 2]] = M', 'M[[1, 2], [2, 1, 2]] = M',
        ['the part is 2x3, M is 2x2']),
    'second list out of range': ('M[[1, 2], [2, 3]] = 0', '[2, 3]',
                                 ['index 3', 'there are 2 columns']),
    'part of columns by a list': (
        'A = ones(3, 4); A[:, [1, 3]] = ones(2, 3)', 'A[:, [1, 3]] = ones(2, 3)',
        ['the part is 3x2, ones(2, 3) is 2x3']),
    'part of a row by a list': (
        'A = ones(3, 4); A[2, [1, 3]] = keep', 'A[2, [1, 3]] = keep',
        ['the part is 1x2, keep is 3']),
    'list in a tensor': ('ones(2, 3, 4)[:, [1, 3], :]', '[1, 3]',
                         ['vectors and matrices only', 'reshape(x, m, n)']),
    'list in a tensor': ('T = ones(2, 3, 4); T[:, [1, 4], :]', '[1, 4]', ['index 4']),
    'one subscript for all': ('M[5]', '5', ['index 5', 'there are 4 elements']),
    'places of a vector': ('places(keep, 1, 2)', 'places(keep, 1, 2)', ['1 indices, not 2']),
    'order of dimensions': ('permute(M, [1, 1])', '[1, 1]', ['each dimension once']),
    'dimensions of none': ('sum(M, [])', '[]', ['list of dimensions is empty']),
    'dimension from the end': ('sum(M, -3)', '-3', ['no dimension -3']),
    'letters of another array': ('einsum("ijk,j->i", M, keep)', 'M', ['3 letters', '2x2']),
    'letters that do not agree': ('einsum("ij,j->i", M, keep)', 'keep', ['j is 2 before, and 3']),
    'a letter from nowhere': ('einsum("ij -> ik", M)', 'k', ['does not stand before it']),
    'no letter': ('einsum("i1,j->i", M, keep)', '1', ['letters, commas and an arrow']),
    'batches of other matrices': ('ones(2, 3, 4)*ones(2, 3, 4)', 'ones(2, 3, 4)*ones(2, 3, 4)',
                                  ['is 2x3x4', 'last two dimensions', 'need 4 rows']),
    'batches of other extents': ('ones(2, 3, 3)*ones(4, 3, 3)', 'ones(2, 3, 3)*ones(4, 3, 3)',
                                 ['counted from the right']),
    'a right side for each': ('ones(2, 3, 3)\\ones(2, 3)', 'ones(2, 3, 3)\\ones(2, 3)',
                              ['a right side for each matrix']),
    'a batch of no squares': ('inv(ones(2, 3, 4))', 'inv(ones(2, 3, 4))', ['square matrix, not 2x3x4']),
    'a singular one of a batch': ('inv(zeros(2, 3, 3) + reshape([0, 1], 2, 1, 1))',
                                  'inv(zeros(2, 3, 3) + reshape([0, 1], 2, 1, 1))',
                                  ['matrix 1 of the batch is singular: pivot 1 of 3 is zero']),
    'letters for more arrays': ('einsum("ij,jk->ik", M)', '"ij,jk->ik"', ['2 arrays', 'there is 1']),
    'two extents left': ('reshape(M, [], [])', '[]', ['only one extent']),
    'too many subscripts': ('ones(2, 2, 2)[1, 1]', 'ones(2, 2, 2)[1, 1]',
                            ['3 subscripts', 'not 2']),
    'largest of nothing': ('max(keep[3:2])', 'keep[3:2]', ['no max of no elements', 'isempty']),
    'list of nothing': ('keep[keep > 1e9][[1]]', '[1]', ['no elements to choose from', 'isempty']),
    'index huge': ('keep[1e300]', '1e300', ['index 1e+300 is out of range', 'from 1']),
    'growing by assignment': ('keep[end+1] = 4', 'end+1',
                              ['index 4', 'does not make it longer', '[x; y]']),
    'growing by a column': ('M[:, 3] = [1, 2]', '3', ['does not make it wider', '[x, y]']),
    'growing by a range': ('keep[3:4] += 1', '3:4', ['index 4', 'longer']),
    'growing of a tensor': ('T = ones(2, 2, 2); T[3, 1, 1] = 0', '3',
                            ['does not make a tensor larger']),
    'assigning before the first': ('keep[0] = 4', '0', ['index 0', 'count from 1']),
    'one subscript too far': ('M[5] = 1', '5', ['index 5', 'there are 4 elements']),
    'index NaN': ('keep[0/0]', '0/0', ['whole number, not NaN']),
    'index NaN in a list': ('keep[[1, 0/0]]', '[1, 0/0]', ['not NaN']),
    'range without a step': ('x = 1:0:5', '1:0:5', ['step']),
    'fewer than no elements': ('zeros(-1, 3)', '-1', ['at least 0']),

    # -- the text ---------------------------------------------------------------------
    'and as a word': ('x = total and 1', 'and', ['and is &&']),
    'or as a word': ('total or keep', 'or', ['or is ||']),
    'and as a word in a condition': ('if total and 1\nend', 'and', ['and is &&']),
    'not as a word in a condition': ('while not true\nend', 'true', ['negation is !x']),
    'not as a word': ('not total', 'total', ['negation is !x']),
    'a keyword on the left': ('if = 3', 'if',
                              ['`if` is a keyword', 'another name']),
    'end on the left': ('end += 3', 'end', ['`end` is a keyword', 'another name']),
    'end on the left in a block': ('while total\nend = 3\nend', 'end',
                                   ['`end` is a keyword']),
    'a keyword among results': ('a, for = size(M)', 'for', ['`for` is a keyword']),
    'a loop over a keyword': ('for in = 1:3\nend\nfor if = 1:3\nend', 'if',
                              ['loop variable', 'a keyword cannot be a name']),
    'a function called as a keyword': ('function while(x)\nend', 'while',
                                       ['a keyword cannot be a name']),
    'a parameter called as a keyword': ('function f(x, end)\nend', 'end',
                                        ['parameter', 'a keyword cannot be a name']),
    'a declaration of a keyword': ('input n, return', 'return',
                                   ['a keyword cannot be a name']),
    'bracket open': ('x = (1 + 2', '(', ['(']),
    'bracket too many': ('x = 1 + 2)', ')', ['closes nothing']),
    'wrong bracket': ('x = [1, 2)', ')', [']']),
    'block open': ('if true\n x = 1', 'if', ['has no `end`']),
    'end too many': ('x = 1\nend', 'end', ['end']),
    'string open': ('x = "abc', '"abc', ['string']),
    'not finished': ('x = 1 +', None, ['found the end']),
    'two numbers': ('x = 2 3', '3', ['expected an operator']),
    'number and name': ('x = 2y', '2y', ['2*y']),
    'assignment in a condition': ('if total = 1\nend', '=', ['==']),
    'chained comparison': ('1 < 2 < 3', None, ['&&']),
    'assignment to a number': ('3 = total', '3', ['cannot be assigned']),
    'break outside': ('break', 'break', ['loop']),
    'break at once': ('forall i = 1:3\n  for k = 1:2; break; end\n  break\nend', 'break',
                      ['run at once', '`continue`']),
    'break in a parallel for': ('parallel for i = 1:3; if total; break; end; end', 'break',
                                ['run at once']),
    'forall without a range': ('forall i\nend', None, ['expected `=` or `in`', 'forall i = 1:m']),
    'forall of a keyword': ('forall i = 1:2, if = 1:3\nend', 'if', ['loop variable']),
    'forall without end': ('forall i = 1:2, j = 1:3\n x = 1', 'forall', ['has no `end`']),
    'several counters of for': ('for i = 1:2, j = 1:3\nend', ',', ['forall i = 1:m, j = 1:n']),
    'unknown sign': ('x = total @ 2', '@', ['@']),
    'not UTF-8': (b'x = 1\ny = "\xff\xfe"\n', None, ['UTF-8']),
    'NUL byte': (b'x = 1 \x00 2\n', None, ['NUL']),
    'text that reorders': ('x = 1 \u202e 2', None, ['U+202E']),
    'huge number': ('x = ' + '9'*309, None, ['too large']),
    'number of 10,000 digits': ('x = ' + '9'*10000, None, ['400']),
    'name of 10,000 letters': ('x = ' + 'a'*10000, None, ['255']),
    'nested 10,000 deep': ('x = ' + '('*10000 + '1' + ')'*10000, None,
                           ['256']),
    'brackets 10,000 deep': ('x = ' + '['*10000 + ']'*10000, None, ['256']),
    'signs 10,000 deep': ('x = ' + '-'*10000 + '1', None, ['256']),
    'powers 10,000 deep': ('x = 1' + '^1'*10000, None, ['256']),
    'blocks 10,000 deep': ('if true;'*10000 + 'end;'*10000, None, ['256']),
    'lambdas 10,000 deep': ('x = ' + 'y -> '*10000 + '1', None, ['256']),

    # -- sizes ----------------------------------------------------------------------------
    '1e9 x 1e9': ('B = zeros(1e9, 1e9)', 'zeros(1e9, 1e9)',
                  ['1000000000x1000000000', 'f32', 'memory']),
    '1e9 x 1e9 random': ('B = rand(1e9, 1e9)*2', 'rand(1e9, 1e9)',
                         ['needs', 'memory']),
    'identity of 1e9': ('B = eye(1e9)', 'eye(1e9)', ['needs', 'memory']),
    'range of 1e15': ('B = vec(1:1e15)', '1:1e15', ['needs', 'memory']),
    'extent of 1e30': ('B = zeros(1e30)', '1e30', ['whole number']),
    'made-up input too large': ('n = 1e9;\nmatrix Z;\ninput Z;', 'Z',
                                ['needs', 'memory']),

    # -- linear algebra -------------------------------------------------------------------
    'singular': ('[1, 2; 2, 4]\\[1, 2]', None, ['singular']),
    'not positive definite': ('chol([1, 2; 2, 1])', None,
                              ['not positive definite']),
    'a block that a library ends': (
        'begin\n  keep[2] = -9\n  c = chol([1, 2; 2, 1])\nend', None,
        ['not positive definite']),
}

# Habits of other languages: the text, what is underlined, words of the hint.
HABITS = [
    # -- signs ------------------------------------------------------------------
    ('total++', '++', 'write x += 1'),
    ('total--;  # down', '--', 'write x -= 1'),
    ('if true; total++; end', '++', 'write x += 1'),
    ('keep **= 2', '**=', 'write x = x.^2'),
    ('keep ^= 2', '=', 'write x = x.^2'),
    ('keep .*= 2', '=', 'write x = x .* y'),
    ('keep ./= 2', '=', 'write x = x ./ y'),
    ('keep .+= 2', '.+=', 'write x += y'),
    ('keep %= 2', '%=', 'mod(x, n)'),
    ('x := 1', '=', 'assignment is ='),
    ('keep <> 2', '>', 'not equal is !='),
    ('keep =< 2', '<', 'less or equal is <='),
    ('keep .== 1', '.==', 'write =='),
    ('sin.(keep)', '.(', 'element by element already'),
    ('M @ keep', '@', 'a product is A*x'),
    ('total > 1 ? 2 : 3', '?', 'where(c, a, b)'),
    ('x = 1 if true else 2', 'if', 'where(condition, a, b)'),
    ("keep'keep", 'keep', "x'*x"),
    ('7 mod 3', 'mod', 'mod(a, b)'),
    ('/* c */ total', '/', 'comments begin with #'),
    ('√2', '√', 'sqrt(x)'),
    ('total \u200b+ 1', '\u200b', 'invisible'),
    ('keep |> sum', '|>', 'a call is f(x)'),
    ('keep <- 3', '<-', 'assignment is ='),
    ('keep <<- 3', '<<-', 'assignment is ='),
    ('keep << 3', '<<', '2*x'),
    ('keep >> 3', '>>', 'x/2'),
    ('keep == None', 'None', 'there is no empty value'),
    ('total ÷ 2', '÷', 'floor(a./b)'),
    ('2 in keep', 'in', 'any(x == value)'),
    ('if total is 42; end', 'is', 'a comparison is =='),
    ('@time sum(keep)', '@time', ':time on'),
    ('x = 1 y = 2', 'y', 'separated by `;`'),
    # -- numbers and strings ----------------------------------------------------
    ('3 + 4j', '4j', 'the imaginary unit is 1i'),
    ('3 + 4im', '4im', 'the imaginary unit is 1i'),
    ('real(keep)', 'real', 're(z) is the real part'),
    ('[1i, 2] < 3', '[1i, 2] < 3', 'magnitudes have one: abs(z)'),
    ('x = zeros(2); x[1] = 1i', '1i', 'c64(...)'),
    ('erf(1i)', '1i', 'abs(z) and arg(z) are real'),
    ('plot([1i, 2])', '[1i, 2]', 'are real'),
    ('1_000', '1_000', 'without `_`'),
    ('0b101', '0b101', '0xff'),
    ('1e', '1e', 'an exponent has digits'),
    ('2π', '2π', '2*π'),
    ('"a" "b"', '"b"', 'joined by +'),
    ('f"x = {total}"', '"x = {total}"', 'joined to a string by +'),
    # -- parts, fields, results -------------------------------------------------
    ('M(:, 1)', ':', 'A[:, 1]'),
    ('keep(end)', 'end', 'an element is x[end]'),
    ('M.T', '.T', "A', size(A)"),
    ('keep.sum()', '.sum', 'sum(x)'),
    ('[m, n] = size(M)', '[m, n]', 'a, b = f(x)'),
    ('a, b = [1, 2]', '[1, 2]', 'a = v[1]; b = v[2]'),
    ('[x^2 for x in 1:3]', 'for', 'map(x -> '),
    # -- blocks and functions ---------------------------------------------------
    ('for i in range(3):\n  print(i)', ':', 'no `:` is needed'),
    ('if total > 2:\n  print(1)', ':', 'no `:` is needed'),
    ('for i in range(3): print(i)\n', 'range(3): print(i)', 'for i = 0:2; print(i); end'),
    ('for i in keep: print(i)\n', 'keep: print(i)', 'for i = 0:2; print(i); end'),
    ('if total > 2: print(total)\n', 'total > 2: print(total)', 'if x > 2; x = x/2; end'),
    ('np.sqrt(total)', 'np', 'sqrt(x), not np.sqrt(x)'),
    ('import_me = torch.zeros(3)', 'torch', 'sqrt(x), not np.sqrt(x)'),
    ('rot90(M)', 'rot90', "flipud(A')"),
    ('ans', 'ans', 'at the prompt it is the value that was shown last'),
    ('while total < 3: total += 1', '+=', 'no `:` is needed'),
    ('for i = 1:3\nif i > 1\ni\nelse if i\n2\nend\nend', 'for', '`elseif`'),
    ('function y = f(x)\ny = x', '=', '`return` gives its results'),
    ('lambda x: x', 'x', 'a function is x -> x^2'),
    ('f = lambda x: x', 'x', 'a function is x -> x^2'),
    ('f = function(x) x', 'function', 'a function is x -> e'),
    ('for i = 1 to 3\nend', 'to', 'a range is 1:n'),
    ('print(f"{total}")', '"{total}"', 'joined to a string by +'),
    ('def f(x):', 'f', 'f(x) = x^2'),
    ('int x = 3', 'x', 'no word before it'),
    ('except', 'except', 'caught by try'),
    ('hold on', 'on', 'several curves go into one'),
    ('clear x', 'x', ':reset -f'),
    ('help sum', 'sum', '`?name`'),
    ('print "a"', '"a"', 'print(x) writes'),
    ('load "x.npy"', '"x.npy"', 'a call needs brackets'),
    ('sin total', 'total', 'f(x), a*x'),
    ('2 total', 'total', '2*x'),
    # -- names ------------------------------------------------------------------
    ('e', 'e', 'exp(1)'),
    ('x = 2*e^total', 'e', 'exp(1)'),
    ('x = PI', 'PI', "'pi'"),
    ('ln(total)', 'ln', 'log(x)'),
    ('xor(true, false)', 'xor', 'bool(a) != bool(b)'),
    ('double(keep)', 'double', 'f64(x)'),
    ('printf("%d", total)', 'printf', 'print('),
    ('prod = 5; prod(keep)', 'prod', 'hides the function prod'),
    ('std = keep; std(1)', 'std', 'std[...]; the variable hides'),
    ('function f(x)\n  x = 2*x\nend\ny = f(1)', 'f(1)', '`return` in a function'),
    ('function f(x)\n  x = 2*x\nend\nsum(f(1))', 'f(1)', '`return` in a function'),
    ('f(n) = where(n < 2, n, f(n - 1))\nf(3)', 'f(n - 1)', 'an `if` ends it'),
    # -- commands ---------------------------------------------------------------
    (':exit', ':exit', 'did you mean :quit?'),
    (':whos', ':whos', 'did you mean :vars?'),
    ('?ln', '?ln', 'log(x)'),
    ('?lenght(x)', '?lenght(x)', 'did you mean length?'),
    (':set digits=3', ':set digits=3', ':set digits 3'),
    ('save(keep, "x.npy")', 'keep', 'save("x.npy", x)'),
    ('load("~/x.npy")', '"~/x.npy"', '`~` stands for no folder'),
    # -- shapes: a transpose is named where it would help -----------------------
    ('ones(2, 3) - keep', 'ones(2, 3) - keep', "transposed it would fit: keep'"),
    ('keep + ones(4)', 'keep + ones(4)', 'extents must be equal'),
    ("keep' ./ ones(1, 4)", "keep' ./ ones(1, 4)", 'extents must be equal'),
    ('ones(3, 2)*keep', 'ones(3, 2)*keep', "ones(3, 2)'*keep"),
    ("ones(3, 3)*[1, 2, 3]'", "ones(3, 3)*[1, 2, 3]'", "fit: ones(3, 3)*[1, 2, 3]\n"),
    ("ones(3, 2) + keep'", "ones(3, 2) + keep'", 'fit: keep\n'),
    ('[M; [5, 6]]', '[5, 6]', "transposed it would fit: [5, 6]'"),
    ('[keep, 4]', '4', '[keep; 4]'),
    ('[keep; 5, 6]', '5, 6', 'same number of columns'),
    ("keep/ones(3, 3)", "keep/ones(3, 3)", "b/A solves x*A = b for a b of 3 columns"),
    ("keep'*ones(2, 3)", "keep'*ones(2, 3)", "keep'*ones(2, 3)'"),
    # -- plots ------------------------------------------------------------------
    ('plot(keep, "colour=red")', '"colour=red"', 'options are title='),
    ('hist(keep, 10)', '10', '"bins=20"'),
    ('title("x")', 'title', '"title=..."'),
    ('swapaxes(M, 2, 1)', 'swapaxes', "permute(A, [2, 1, 3])"),
    ('cumsum(M, [1, 2])', '[1, 2]', 'one dimension after the other'),
    ('size(M, [1, 2])', '[1, 2]', 'm, n = size(A)'),
    ('shift(keep, 1)', 'shift', 'circshift(x, k)'),
    ('concat(keep, keep)', 'concat', '[A, B]'),
    ('tabulate(keep)', 'tabulate', 'bincount(k)'),
    ('histogram(keep, 10)', 'histogram', 'hist(x)'),
]
CASES.update({f'habit {text}': (text, under, ['hint: ', hint])
              for text, under, hint in HABITS})

# Fine, though they look odd: the value that is printed.
FINE = {
    'help on a call': ('?trace(M)', 'trace(A)    builtin\n  sum of the diagonal\n'),
    'division by zero': ('print(1/0, " ", -1/0, " ", [1, 2]/0 == 1/0)',
                         'Inf -Inf bool[2]\n  true  true\n'),
    'NaN': ('print(0/0, " ", sum([0, 1]/0))', 'NaN NaN\n'),
    'roots of negatives': ('print(sqrt(-1), " ", sum(sqrt([-1, 4])))', 'NaN NaN\n'),
    'NaN through max': ('print(max([1, 0, 3]./[1, 0, 1]))', 'NaN\n'),
    'Inf times 0': ('print(sum([1, 1]/0 .* [0, 0]))', 'NaN\n'),
    'overflow of f16': ('print(f16(70000))', 'Inf\n'),
    'long chain': ('print(' + '1 + '*20000 + '1)', '20001\n'),
    'a name like a type': ('vector = 3; print(vector)', '3\n'),
    'CR LF': (b'x = 1;\r\nprint(x)\r\n', '1\n'),
    'byte order mark': (b'\xef\xbb\xbfprint(7)\n', '7\n'),
    'empty text': ('', ''),
    'remarks only': ('# nothing\n\n  // nothing', ''),
}

passed = failed = 0


def check(ok, what, detail=''):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print(f'FAIL {what}\n{detail}'.rstrip())


class Fusible:
    def __init__(self, path, folder):
        self.path, self.folder = path, folder
        with open(path, 'rb') as program: # sanitizers map all addresses
            self.limitable = b'__asan_init' not in program.read()
        self.env = dict(os.environ, XDG_CACHE_HOME=folder, LC_ALL='C.UTF-8',
                        XDG_CONFIG_HOME=folder, XDG_STATE_HOME=folder)

    def argv(self, *args):
        return [self.path, '--target', 'cpu', '--threads', '2', '--plan',
                'off', '--quiet', '--color', 'never', *args]

    def run(self, argv, text=b'', limit=None):
        if isinstance(text, str):
            text = text.encode()

        def limits():
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

        done = subprocess.run(argv, input=text, capture_output=True,
                              cwd=self.folder, env=self.env, timeout=600,
                              preexec_fn=limits if limit and self.limitable
                              else None)
        return (done.returncode, done.stdout.decode('utf-8', 'replace'),
                done.stderr.decode('utf-8', 'replace'))

    def session(self, text, limit=None):
        """Evaluates the text between BEFORE and AFTER."""
        return self.run(self.argv('--keep-going', '-e', BEFORE, '-', '-e',
                                  AFTER), text, limit)


def underlined(err):
    """The words over the carets of the first picture."""
    lines = err.splitlines()
    for source, carets in zip(lines, lines[1:]):
        m = re.fullmatch(r'( *)(\^~*)', carets)
        if m:
            return source[m.start(2):m.end(2)]
    return None


def expect(name, result, words, status, under=None, placed=True):
    code, out, err = result
    detail = f'status {code}\n{out}{err}'
    check(code == status, f'{name}: exit status {status}', detail)
    for word in words:
        check(word in err, f'{name}: says {word!r}', detail)
    if under is not None:
        check(underlined(err) == under, f'{name}: underlines {under!r}',
              f'{underlined(err)!r}\n{detail}')
    if placed:
        check(re.search(r'^<stdin>:\d+:\d+: error: ', err, re.M),
              f'{name}: names the place', detail)
    check(out.endswith(STILL), f'{name}: nothing is lost', detail)
    check(len(err) < 2000, f'{name}: is short', f'{len(err)} characters')


# What the system said no to has the exit status of that.
REFUSED = re.compile(r'needs .* of memory; the device has|there is no such f|No such file')


def bad_input(f):
    for name, (text, under, words) in CASES.items():
        result = f.session(text)
        expect(name, result, words, 3 if REFUSED.search(result[2]) else 1, under)


def calls(f):
    """An error in functions says where the three innermost were called, but not those of
    the prelude, and no call that the picture shows."""
    _, _, err = f.session('h(n) = ones(n)*ones(n)\ng(n) = h(n) + 1\nf(n) = g(n)\n'
                          'e(n) = f(n)\ne(3)\n')
    notes = re.findall(r'^<stdin>:(\d+):\d+: note: in (\w), called here$', err, re.M)
    check(notes == [('2', 'h'), ('3', 'g'), ('4', 'f')], 'calls: the innermost', err)
    _, _, err = f.session('f(n) = f(n + 1)\nf(1)\n')
    check(err.count('called here') == 1, 'calls: one of a recursion', err)
    _, _, err = f.session('x = normalize("text");\n')
    check('called here' not in err and 'error' in err, 'calls: not of the prelude', err)


# What is no mistake: text, what is said of it (None: nothing) and underlined.
SURPRISES = [
    ('rank(M)', 'note: rank(A) is the number of dimensions', 'matrix_rank(A)', 'rank(M)'),
    ('rank(keep)', None, None, None),
    ('print("%d of %5.2f", 3, 4)', 'note: print shows its arguments', 'print(format(',
     '"%d of %5.2f"'),
    ('print("50 % done, ", 3)', None, None, None),
    ('print(format("%d", 3))', None, None, None),
    ('print("100 %", 3)', None, None, None),
    ('V, D = eig([2, 1; 1, 2]);', 'note: eig gives the eigenvalues first', 'd, V = eig(A)',
     None),
    ('d, V = eig([2, 1; 1, 2]);', None, None, None),
    ('D, V = eig([2, 1; 1, 2]);', None, None, None),
    ('[[1, 2], [3, 4]]', 'note: [1, 2] in an array is a column', '[1, 2; 3, 4]',
     '[[1, 2], [3, 4]]'),
    ('[[1, 2]; [3, 4]]', 'note: [1, 2] in an array is a column', '[1, 2; 3, 4]', None),
    ('[[1], [2]]', 'note: [1, 2] in an array is a column', '[1, 2; 3, 4]', '[[1], [2]]'),
    ('[[1, 2]]', 'note: [1, 2] in an array is a column', '[1, 2; 3, 4]', '[[1, 2]]'),
    ('[[1; 2], [3; 4]]', None, None, None),
    ('[[1]; [2]]', None, None, None),
    ('[[1]]', None, None, None),
    ('[keep, [1, 2, 3]]', None, None, None),
    ('[keep, keep]', None, None, None),
    ('Q = ones(3, 3); Q[2, :] .* Q[:, 2]', 'note: a row beside a column is a matrix',
     "A[i, :]' .* A[:, j]", 'Q[2, :] .* Q[:, 2]'),
    ('Q = ones(3, 3); Q[1:2, 2] - Q[1, 2:3]', 'note: a row beside a column is a matrix',
     "A[i, :]' .* A[:, j]", 'Q[1:2, 2] - Q[1, 2:3]'),
    ("Q = ones(3, 3); q = Q[2, :]' .* Q[:, 2]; Q[1:3, 2]*Q[1, 1:3]; Q[:, 1] .* Q[1, 1:2]; "
     "q .* q'; Q .* Q[:, 1]", None, None, None),
    ('total // 2', 'note: // begins a comment', 'floor(a/b)', '// 2'),
    ('M[1, 1] // total;', 'note: // begins a comment', 'floor(a/b)', '// total'),
    ('total // the answer', None, None, None),
    ('total // answer', None, None, None),
    ('total // sum', None, None, None),
    ('// 2', None, None, None),
    ('print("total // 2")', None, None, None),
    ('#pragma omp parallel for\ntotal', 'note: # begins a comment', 'parallel', None),
    ('#define N 5', 'note: # begins a comment', 'N = 5', None),
    ('# define what follows', None, None, None),
    ('z = zeros(3); z[1:2] = f64([1, 2])/3', 'warning: these f64 values are rounded to f32',
     'zeros(n, "f64")', 'f64([1, 2])/3'),
    ('z = zeros(3); z[2] = sum(f64(keep))/3', 'warning: these f64 values are rounded',
     'zeros(n, "f64")', None),
    ('z = c64([1, 2]); z[1] = c128(1 + 2i)/3', 'warning: these c128 values are rounded to c64',
     'zeros(n, "c128")', 'c128(1 + 2i)/3'),
    ('z = zeros(3, "f64"); z[1:2] = f64([1, 2])/3; z[1] = 0.1', None, None, None),
    ('z = zeros(3); z[1] = 1/3; z[2:3] = [0.1, 0.2]', None, None, None),
    ('prod(i64(1:25))', 'warning: a product of 25 whole numbers wraps', 'prod(f64(x))',
     'prod(i64(1:25))'),
    ('prod(1:25)', None, None, None),
    ('prod(size(M))', None, None, None),
]


def surprises(f):
    """What means another thing in other languages, or loses digits, is said once."""
    for text, said, hint, under in SURPRISES:
        code, out, err = f.session(text)
        detail = f'status {code}\n{out}{err}'
        check(code == 0 and out.endswith(STILL), f'{text}: is no mistake', detail)
        if said is None:
            check('note' not in err and 'warning' not in err, f'{text}: nothing to say', detail)
            continue
        check(said in err and hint in err, f'{text}: says {said!r}', detail)
        check(under is None or underlined(err) == under, f'{text}: underlines {under!r}', detail)
        _, _, err = f.session(text + '\n' + text.replace(' ', '  '))
        check(err.count(said) == 1, f'{text}: is said once', err)


def refused(f):
    """A setting that is refused stays what it was."""
    for name, was in ('learn', 'on'), ('dump', 'off'), ('time', 'off'):
        _, out, err = f.session(f':set {name} {was}\n:set {name} maybe\n:set {name}\n')
        check('cannot be maybe' in err and re.search(rf'^{name} +{was}$', out + err, re.M),
              f'{name}: stays what it was', out + err)


# Of these the words are names of many things, or a text.
FREE = {'help', 'drop', 'explain', 'load', 'save', 'pin', 'fuse', 'split', 'quit', 'race', 'restart'}


def command_table():
    """(name, how it is called) of each command"""
    with open(os.path.join(ROOT, 'core/eval/commands.def'), encoding='utf-8') as table:
        return re.findall(r'^FS_COMMAND\(\w+, "(\w+)", "\w*", "((?:[^"\\]|\\.)*)"',
                          table.read(), re.M)


def words_of_commands(f):
    """A command with more words than it takes, or with a quote that is not closed, says how
    it is called, and does nothing."""
    commands = [(name, called) for name, called in command_table() if name not in FREE]
    check(len(commands) > 20, 'commands', commands)
    for name, called in commands:
        line = f':{name} x y z u v w'
        code, out, err = f.session(line)
        said = re.search(rf'error: :{name}: (that is not how it is called|it takes no words|'
                         rf'it is :{name} |there is no \w+ )', err)
        check(code == 1 and said and underlined(err) == line and out.endswith(STILL),
              f'{line}: says how it is called', out + err)
        check(not said or 'not how' not in said[1] or f'hint: :{name} {called}\n' in err,
              f'{line}: {called}', err)
        line = f':{name} "open'
        code, out, err = f.session(line)
        check(code == 1 and f'error: :{name}: a quote is open' in err and out.endswith(STILL),
              f'{line}: is not closed', out + err)


# What is given to every built-in function, most of which can do nothing with it.
ARGUMENTS = ['', '"text"', '"text", "text"', 'T', 'keep, "text"', '"text", keep', 'keep, 1.5',
             'M, keep, "text"', 'M, 0', 'M, 3', 'x -> x', 'x -> x, "text"', 'M, M, M', 'true, T',
             '1, 2, 3, 4, 5, 6, 7']


def wrong_arguments(f):
    """A call that cannot be is one error at the words of the call that are wrong; nothing else
    is said of it, and thousands of them do no harm."""
    names = []
    for path, row in (('core/eval/builtins.c', r'^    \{"(\w+)", \d'),
                      ('core/graph/ops.def', r'^FS_MAP_OP\(\w+, +"(\w+)"')):
        with open(os.path.join(ROOT, path), encoding='utf-8') as table:
            names += re.findall(row, table.read(), re.M)
    lines = ['T = reshape(1:8, 2, 2, 2);']
    lines += [f'{n}({a});' for n in names if n not in ('ask', 'error')
              for a in ARGUMENTS]
    code, out, err = f.session('\n'.join(lines))
    check(code == 1 and out.endswith(STILL), 'wrong arguments: nothing is lost', f'{code} {out[-300:]}')
    told = re.findall(r'^<stdin>:(\d+):(\d+): error: .*\n  (.*)\n  ( *)(\^~*)$', err, re.M)
    check(len(told) == err.count(': error: ') > 1000, 'wrong arguments: all have a place',
          f'{len(told)} of {err.count(": error: ")}')
    check(len({at for at, *_ in told}) == len(told), 'wrong arguments: one error each')
    for at, column, source, blanks, carets in told:
        right = source == lines[int(at) - 1] and int(column) == len(blanks) + 1 and \
            len(blanks) + len(carets) <= len(source.rstrip(';'))
        if not right:
            check(False, f'wrong arguments: {source}', f'{at}:{column}\n{source}\n{blanks}{carets}')
    check(err.count('\nhint: ') <= len(told), 'wrong arguments: a hint each at most')


def no_guesses(f):
    """Where the nearest name would be another thing, none is suggested."""
    for text in 'x = interpolate(keep)', 'foo(3)', 'x = spectrum(keep)':
        code, out, err = f.session(text)
        check(code == 1 and 'nothing called' in err and 'hint' not in err,
              f'{text}: no hint', err)


def fine_input(f):
    for name, (text, want) in FINE.items():
        code, out, err = f.session(text)
        check(code == 0 and not err and out == want + STILL, name,
              f'status {code}\n{out}{err}')


# -- files -----------------------------------------------------------------------

def npy(header, data=b'', version=(1, 0)):
    text = header.encode() if isinstance(header, str) else header
    text += b'\n'
    size = struct.pack('<H' if version == (1, 0) else '<I', len(text))
    return b'\x93NUMPY' + bytes(version) + size + text + data


def header(descr="'<f4'", shape='(2, 2)', order='False'):
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}"


def npz(name, data, method=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, 'w', method) as z:
        z.writestr(name, data)
    return out.getvalue()


def plain_array():
    return npy(header(shape='(4, 4)').ljust(117), bytes(64))


def hostile_files():
    good = plain_array()
    packed = npz('a.npy', good)
    return {
        'empty.npy': (b'', ['empty.npy']),
        'short.npy': (b'\x93NUMPY', ['short.npy']),
        'magic.npy': (b'\x93NUMPX' + good[6:], ['magic.npy']),
        'version.npy': (good[:6] + b'\x09\x00' + good[8:], ['version']),
        'truncated.npy': (good[:-5], ['truncated.npy', '64']),
        'header.npy': (good[:40], ['header.npy']),
        'huge.npy': (npy(header(shape='(1000000000, 1000000000)'), b'1234'),
                     ['huge.npy']),
        'overflow.npy': (npy(header(shape='(4294967296, 4294967296, 2)')),
                         ['overflow.npy']),
        'negative.npy': (npy(header(shape='(-1, 2)'), b'1234'),
                         ['negative.npy']),
        'rank.npy': (npy(header(shape='(1, 1, 1, 1, 1, 1, 1)'), b'1234'),
                     ['rank.npy', '6']),
        'pickle.npy': (npy(header(descr="'|O'"), b'\x80\x04.'),
                       ['pickle.npy']),
        'complex.npy': (npy(header(descr="'<c32'"), bytes(64)),
                        ['complex.npy']),
        'record.npy': (npy(header(descr="[('x', '<f4')]"), bytes(16)),
                       ['record.npy']),
        'code.npy': (npy("__import__('os').system('touch hacked')"),
                     ['code.npy']),
        'long.npy': (npy(b'{' + b' '*200000, version=(2, 0)), ['long.npy']),
        'lie.npy': (b'\x93NUMPY\x02\x00\xff\xff\xff\xff{}', ['lie.npy']),
        'empty.npz': (b'', ['empty.npz']),
        'text.npz': (b'not a zip file at all', ['text.npz']),
        'cut.npz': (packed[:-30], ['cut.npz']),
        'crc.npz': (packed[:45] + bytes([packed[45] ^ 1]) + packed[46:],
                    ['crc.npz']),
        'bomb.npz': (npz('a.npy', npy(header(shape='(500000000,)')) +
                         bytes(300_000_000)), ['bomb.npz']),
        'word.csv': (b'1,2\n3,four\n', ['word.csv', '2']),
        'ragged.csv': (b'1,2\n3\n', ['ragged.csv', '2']),
        'empty.csv': (b'', ['empty.csv']),
        'binary.csv': (bytes(range(256)), ['binary.csv']),
        'magic.mtx': (b'1 2 3\n', ['magic.mtx']),
        'range.mtx': (b'%%MatrixMarket matrix coordinate real general\n'
                      b'2 2 1\n3 1 1.0\n', ['range.mtx']),
        'few.mtx': (b'%%MatrixMarket matrix array real general\n2 2\n1\n2\n',
                    ['few.mtx']),
        'huge.mtx': (b'%%MatrixMarket matrix coordinate real general\n'
                     b'1000000000 1000000000 1\n1 1 1\n', ['huge.mtx']),
        'array.xyz': (good, ['array.xyz']),
    }


# A sparse matrix of SciPy's save_npz(), [1, 0, 2; 0, 3, 0]; member: (element type, extents,
# numbers).
CSR = {'format': 'csr', 'shape': ('q', [2], [2, 3]), 'data': ('d', [3], [1, 2, 3]),
       'indices': ('i', [3], [0, 2, 1]), 'indptr': ('i', [3], [0, 2, 3])}
COO = {'format': 'coo', 'shape': CSR['shape'], 'data': CSR['data'],
       'row': ('i', [3], [0, 0, 1]), 'col': ('i', [3], [0, 2, 1])}
DIA = {'format': 'dia', 'shape': CSR['shape'], 'data': ('d', [2, 3], [1, 3, 9, 9, 9, 2]),
       'offsets': ('i', [2], [0, 2])}
BSR = {'format': 'bsr', 'shape': CSR['shape'], 'data': ('d', [1, 2, 3], [1, 0, 2, 0, 3, 0]),
       'indices': ('i', [1], [0]), 'indptr': ('i', [2], [0, 1])}
CSC = {**CSR, 'format': 'csc', 'data': ('d', [3], [1, 3, 2]), 'indices': ('i', [3], [0, 1, 0]),
       'indptr': ('i', [4], [0, 1, 2, 3])}
SCIPY = {'d': '<f8', 'f': '<f4', 'e': '<f2', 'i': '<i4', 'q': '<i8', '?': '|b1'}
NO_FIT = '`indptr`, `indices` and `data` do not fit'
OUTSIDE = 'an index is outside of its shape'
LARGE = 'an integer becomes too large'
# What is changed (None: left out), and what is said.
SPARSE = [
    (CSR, {'shape': None}, 'takes one of data, indices, indptr'),
    (CSR, {'data': None}, 'takes one of shape, indices, indptr'),
    (CSR, {'shape': ('d', [2], [2, 3])}, 'its `shape` is not that of a matrix'),
    (CSR, {'shape': ('q', [3], [2, 3, 1])}, 'its `shape` is not that of a matrix'),
    (CSR, {'data': ('e', [3], [1, 2, 3])}, 'its elements are f16'),
    (CSR, {'data': ('d', [3, 1], [1, 2, 3])}, NO_FIT),
    (CSR, {'data': ('d', [2], [1, 2])}, NO_FIT),
    (CSR, {'indices': None}, NO_FIT),
    (CSR, {'indices': ('d', [3], [0, 2, 1])}, NO_FIT),
    (CSR, {'indices': ('i', [3, 1], [0, 2, 1])}, NO_FIT),
    (CSR, {'indices': ('i', [3], [0, 7, 1])}, OUTSIDE),
    (CSR, {'indices': ('i', [3], [0, -1, 1])}, OUTSIDE),
    (CSR, {'indices': ('i', [3], [0, 3, 1])}, OUTSIDE),
    (CSR, {'indptr': None}, NO_FIT),
    (CSR, {'indptr': ('i', [2], [0, 3])}, NO_FIT),
    (CSR, {'indptr': ('i', [3], [1, 2, 3])}, '`indptr` does not begin with 0'),
    (CSR, {'indptr': ('i', [3], [0, 2, 1])}, '`indptr` does not ascend'),
    (CSR, {'indptr': ('i', [3], [0, 2, 9])}, '`indptr` does not ascend'),
    (CSR, {'data': ('i', [3], [2**31 - 1, 1, 1]), 'indices': ('i', [3], [0, 0, 1])}, LARGE),
    (CSR, {'data': ('q', [3], [-2**63, -1, 1]), 'indices': ('i', [3], [0, 0, 1])}, LARGE),
    (CSR, {'format': 'lil'}, "a sparse matrix of the format 'lil' cannot be loaded"),
    (CSC, {'indices': ('i', [3], [0, 2, 0])}, OUTSIDE),
    (BSR, {'data': ('d', [6], [1, 0, 2, 0, 3, 0])}, NO_FIT),
    (BSR, {'data': ('d', [1, 3, 2], [1, 0, 2, 0, 3, 0])}, NO_FIT),
    (BSR, {'indices': ('i', [1], [1])}, OUTSIDE),
    (COO, {'row': None}, '`row`, `col` and `data` do not fit'),
    (COO, {'col': ('i', [2], [0, 2])}, '`row`, `col` and `data` do not fit'),
    (COO, {'data': ('d', [1, 3], [1, 2, 3])}, '`row`, `col` and `data` do not fit'),
    (COO, {'row': ('i', [3], [0, 0, 2])}, OUTSIDE),
    (COO, {'row': ('i', [3], [-1, 0, 1])}, OUTSIDE),
    (DIA, {'offsets': None}, '`offsets` and `data` do not fit'),
    (DIA, {'offsets': ('i', [1], [0])}, '`offsets` and `data` do not fit'),
    (DIA, {'data': ('d', [6], [1, 3, 9, 9, 9, 2])}, '`offsets` and `data` do not fit'),
]
# Those that are right: all are the same matrix.
WHOLE = [(form, {}) for form in (CSR, CSC, COO, DIA, BSR)] + [
    (CSR, {'data': (t, [3], [1, 2, 3])}) for t in 'fiq'] + [
    (CSR, {'data': ('d', [4], [1, 2, 2, 1]), 'indices': ('i', [4], [0, 2, 1, 1]),
           'indptr': ('i', [3], [0, 2, 4])}),  # twice at a place: the sum
    (DIA, {'data': ('d', [3, 3], [1, 3, 9, 9, 9, 2, 5, 5, 5]), 'offsets': ('i', [3], [0, 2, 9])})]


def sparse_file(form, changes):
    out = io.BytesIO()
    with zipfile.ZipFile(out, 'w') as z:
        for name, value in {**form, **changes}.items():
            if name == 'format':
                z.writestr('format.npy', npy(header("'|S3'", '()'), value.encode()))
            elif value:
                letter, extents, numbers = value
                shape = '(' + ', '.join(map(str, extents)) + ',)'
                z.writestr(f'{name}.npy', npy(header(f"'{SCIPY[letter]}'", shape),
                                              struct.pack(f'<{len(numbers)}{letter}', *numbers)))
    return out.getvalue()


def sparse_files(f):
    path = os.path.join(f.folder, 'sparse.npz')
    for form, changes, words in SPARSE:
        with open(path, 'wb') as out:
            out.write(sparse_file(form, changes))
        result = f.session('x = load("sparse.npz")')
        expect(f'sparse {form["format"]} {changes}', result, [words], 1, '"sparse.npz"')
    for form, changes in WHOLE:
        with open(path, 'wb') as out:
            out.write(sparse_file(form, changes))
        code, out, err = f.session('x = load("sparse.npz");\n'
                                   'print(sum(abs(x - [1, 0, 2; 0, 3, 0])))')
        check((code, out, err) == (0, '0\n' + STILL, ''), f'sparse {form["format"]} {changes}',
              f'{code} {out}{err}')


def files(f):
    for name, (data, words) in hostile_files().items():
        with open(os.path.join(f.folder, name), 'wb') as out:
            out.write(data)
        began = spent()
        result = f.session(f'x = load("{name}")', limit=4 << 30)
        expect(f'load {name}', result, words, 1, f'"{name}"')
        check(spent() - began < 20, f'load {name}: is quick')
        check('x' not in re.findall(r'^(\w+) =', result[1], re.M),
              f'load {name}: gives nothing')
    check(not os.path.exists(os.path.join(f.folder, 'hacked')),
          'a header is never evaluated')
    os.mkdir(os.path.join(f.folder, 'folder.npy'))
    os.mkfifo(os.path.join(f.folder, 'pipe.npy'))
    for name in 'folder.npy', 'pipe.npy', 'missing.npy', 'no/such/place.npy':
        result = f.session(f'x = load("{name}")')
        expect(f'load {name}', result, [name], result[0], placed=False)
        check(result[0] == (3 if REFUSED.search(result[2]) else 1), f'load {name}: status',
              str(result))
    result = f.session('save("no/such/place.npy", keep)')
    expect('save nowhere', result, ['no/such/place.npy'], 3)
    good = os.path.join(f.folder, 'good.npy')
    with open(good, 'wb') as out:
        out.write(plain_array())
    result = f.session('save("good.npy", keep, M)')
    expect('two arrays in one .npy', result, ['good.npy', '.npz'], 1)
    with open(good, 'rb') as again:
        check(again.read() == plain_array(), 'a failed save keeps the old file')
    result = f.session('load("good.npz", "b")')
    expect('no such archive', result, ['good.npz'], result[0], placed=False)
    with open(os.path.join(f.folder, 'good.npz'), 'wb') as out:
        out.write(npz('a.npy', plain_array()))
    result = f.session('load("good.npz", "b")')
    expect('no such array', result, ['good.npz', "'b'" and 'b'], 1)
    with open(os.path.join(f.folder, 'loop.fs'), 'w') as out:
        out.write('import "loop.fs"\n')
    result = f.session('import "loop.fs"')
    expect('import of itself', result, ['imports itself'], 1, placed=False)
    result = f.session('import "missing.fs"')
    expect('import of nothing', result, ['missing.fs'], 3)


# -- the environment ------------------------------------------------------------------

def sentences(err):
    return [line for line in err.splitlines() if line.strip()]


def environment(f):
    env = dict(f.env, FUSIBLE_LIBCUDA='/nonexistent/libcuda.so.1')
    done = subprocess.run([f.path, '--target', 'cuda', '--color', 'never',
                           '-e', '1 + 1'], env=env, cwd=f.folder, timeout=600,
                          capture_output=True, text=True)
    have_gpu = os.path.exists('/dev/nvidiactl')
    if not have_gpu:
        check(done.returncode == 3, 'no driver: exit status 3', str(done))
        check(len(sentences(done.stderr)) in (1, 2) and
              'driver' in done.stderr.lower(), 'no driver: one sentence',
              done.stderr)
        result = f.session(':target cuda')
        expect('no driver, later', result, ['driver'], 3, placed=False)
    done = f.run([f.path, '--target', 'gpu', '-e', '1'])
    check(done[0] == 2 and 'auto|cpu|cuda' in done[2], 'unknown target',
          str(done))
    done = f.run([f.path, 'missing.fs'])
    check(done[0] == 2 and 'missing.fs' in done[2], 'missing script', str(done))
    done = f.run(f.argv('--no-such-option'))
    check(done[0] == 2 and 'no-such-option' in done[2], 'unknown option',
          str(done))
    if f.limitable:
        result = f.session('B = ones(30000, 30000); B[1, 1] = 2; c = sum(B);',
                           limit=2 << 30)
        expect('host memory', result, ['memory'], 3, placed=False)
        product = 'A = ones(90, 90); B = A*A; print(B[90, 1]);'
        for mib in (120, 200, 220, 246, 300, 340, 360, 420, 700): # a BLAS without room for its buffers
            done = f.run(f.argv('-e', product), limit=mib << 20)
            told = done[0] == 3 and 'memory' in done[2]
            check(told or (done[0] == 0 and done[1] == '90\n'),
                  f'a product in {mib} MiB of addresses', str(done))
    done = f.run(f.argv('-e', 'x = [1, 2] + [1, 2, 3]', '-e', 'print(1)'))
    check(done[0] == 1 and done[1] == '', 'a script stops at its first error',
          str(done))


# -- interrupts --------------------------------------------------------------------------

def interrupt(argv, f, text=b'', after=0.7, then=b''):
    p = subprocess.Popen(argv, cwd=f.folder, env=f.env, stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        if text:
            p.stdin.write(text)
            p.stdin.flush()
        await_handler(p.pid)
        time.sleep(after)
        p.send_signal(signal.SIGINT)
        time.sleep(0.3)
        out, err = p.communicate(then, timeout=600)
    except subprocess.TimeoutExpired:
        p.kill()
        out, err = p.communicate()
        return None, out.decode(), err.decode()
    return p.returncode, out.decode('utf-8', 'replace'), err.decode()


LOOPS = {
    'an empty loop': 'while true; end',
    'a loop of numbers': 'k = 0; while true; k = k + 1; end',
    'a loop of blocks': 'x = keep; while true; x = M*M; x = x + 1; end',
    'a loop in a function': 'f(x) = x\nfor k = 1:1e12; f(k); end',
    'a long kernel': 'x = sum(exp(rand(60000, 60000)));',
    'a long block': 'begin; keep = [9, 9]; for k = 1:1e9; M = M + 1; end; end',
}


def interrupts(f):
    for name, loop in LOOPS.items():
        code, out, err = interrupt(f.argv('-e', BEFORE, '-e', loop), f)
        check(code == 130, f'interrupt of {name}: exit status 130',
              f'status {code}\n{out}{err}')
        check('Traceback' not in err and len(sentences(err)) <= 2,
              f'interrupt of {name}: is short', err)
    # At the prompt the session goes on with the values from before the block.
    argv = f.argv('-i', '--no-readline', '--no-rc', '--no-history')
    text = (BEFORE + '\nfunction fib(n)\n if n < 2\n  return n\n end\n'
            ' return fib(n - 1) + fib(n - 2)\nend\n'
            'begin; keep = [9, 9]; total = 0; k = fib(60); end\n').encode()
    code, out, err = interrupt(argv, f, text, 1.0, (AFTER + '\n:quit\n').encode())
    check(code == 0 and STILL in out, 'interrupt at the prompt: old values stay',
          f'status {code}\n{out}{err}')


def main():
    parser = argparse.ArgumentParser(description='bad input')
    parser.add_argument('--fusible', default=os.environ.get(
        'FUSIBLE', os.path.join(ROOT, 'build', 'fusible')))
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        f = Fusible(os.path.abspath(args.fusible), folder)
        bad_input(f)
        calls(f)
        surprises(f)
        refused(f)
        words_of_commands(f)
        wrong_arguments(f)
        no_guesses(f)
        fine_input(f)
        files(f)
        sparse_files(f)
        environment(f)
        interrupts(f)
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
