"""The words of Fusible for Pygments, with which nbconvert, Sphinx and LaTeX's minted
colour code. The wheel registers it (tools/wheel); without the wheel:

    pygmentize -x -l jupyter/fusible_pygments.py:FusibleLexer examples/bicgk.fs

core/lang/lex.c has the rules; tests/jupyter/test_wheel.py holds these to them.
"""
from pygments.lexer import RegexLexer, bygroups, include, words
from pygments.token import (Comment, Error, Keyword, Name, Number, Operator,
                            Punctuation, String, Text, Whitespace)

KEYWORDS = ('if', 'elseif', 'else', 'end', 'while', 'for', 'forall',
            'function', 'return', 'begin', 'break', 'continue', 'barrier', 'import', 'try',
            'catch')
CONSTANTS = ('true', 'false')
# Special at the start of a statement and before a name, names elsewhere.
DECLARATIONS = ('input', 'TILE32x32', 'matrix', 'subvector32', 'vector',
                'globalscalar', 'scalar')
OPERATORS = ('->', '+=', '-=', '*=', '/=', '||', '&&', '==', '!=', '<=', '>=',
             '.*', './', '.^', ".'", '=', '<', '>', ':', '+', '-', '*', '/', '\\', '^',
             '!', "'")

# Above ASCII everything is a letter but these: punctuation, symbols, arrows,
# operators, emoji, private use.
NO_LETTERS = (
    (0x80, 0xa9), (0xab, 0xb1), (0xb4, 0xb4), (0xb6, 0xb8), (0xbb, 0xbf),
    (0xd7, 0xd7), (0xf7, 0xf7), (0x61c, 0x61c), (0x2000, 0x206f),
    (0x20a0, 0x20cf), (0x2150, 0x2bff), (0x2e00, 0x3004), (0x3008, 0x3020),
    (0x3030, 0x3030), (0xd800, 0xf8ff), (0xfe00, 0xfe6f), (0xfeff, 0xff20),
    (0xff3b, 0xff40), (0xff5b, 0xff65), (0xffe0, 0xffff), (0x1d6c1, 0x1d6c1),
    (0x1f000, 0x1faff), (0xe0000, 0x10ffff))
RANGES = ''.join(f'\\U{a:08x}-\\U{b:08x}' for a, b in NO_LETTERS)
LETTER = rf'[^\x00-@\[-^`{{-\x7f{RANGES}]'
NAME = rf'{LETTER}(?:{LETTER}|[0-9])*'
ENDS = rf'(?!{LETTER}|[0-9])'
EXPONENT = r'[eE][+-]?[0-9]+'
POINT = r"\.(?![*/^.'])"  # that of `1.*x` belongs to the operator


class FusibleLexer(RegexLexer):
    name = 'Fusible'
    aliases = ['fusible']
    alias_filenames = ['*.fs']  # others have this ending too
    mimetypes = ['text/x-fusible']

    tokens = {
        'root': [
            # A command is all of its line, `#` and `;` too.
            (r'^([ \t]*)(:)([A-Za-z_]\w*)(.*)',
             bygroups(Whitespace, Operator, Keyword, Text)),
            (r'^([ \t]*)(:?\?)(.*)', bygroups(Whitespace, Operator, Text)),
            (rf'((?:^|(?<=;))[ \t]*)({"|".join(DECLARATIONS)})([ \t]+)(?={LETTER})',
             bygroups(Whitespace, Keyword.Type, Whitespace)),
            include('expression'),
        ],
        'brackets': [  # a line in here begins no statement
            (r'[)\]}]', Punctuation, '#pop'),
            include('expression'),
        ],
        'expression': [
            (r'\n|[ \t\r]+', Whitespace),
            (r'(?:#|//).*', Comment.Single),
            (r'"', String.Double, 'string'),
            include('numbers'),
            include('names'),
            (r'\*\*', Error),
            (words(OPERATORS), Operator),
            (r'[(\[{]', Punctuation, 'brackets'),
            (rf'(\.)({NAME})', bygroups(Punctuation, Name)),
            (r'[)\]},;]', Punctuation),
        ],
        'numbers': [
            (rf'0[xX][0-9a-fA-F]+{ENDS}', Number.Hex),
            (rf'(?:[0-9]+{POINT}[0-9]*|\.[0-9]+)(?:{EXPONENT})?i?{ENDS}',
             Number.Float),
            (rf'[0-9]+(?:{EXPONENT}i?|i){ENDS}', Number.Float),
            (rf'[0-9]+{ENDS}(?!{POINT})', Number.Integer),
            # A name sticks to it: `2x`.
            (rf'(?:[0-9]+(?:{POINT})?|\.(?=[0-9]))(?:{LETTER}|[0-9])*', Error),
        ],
        'names': [
            (rf'(function)([ \t]+)({NAME})',
             bygroups(Keyword.Declaration, Whitespace, Name.Function)),
            (rf'(for)([ \t]+)({NAME})([ \t]+)(in){ENDS}',
             bygroups(Keyword, Whitespace, Name, Whitespace, Keyword)),
            (words(KEYWORDS, suffix=ENDS), Keyword),
            (words(CONSTANTS, suffix=ENDS), Keyword.Constant),
            (rf'{NAME}(?=\()', Name.Function),
            (NAME, Name),
        ],
        'string': [
            (r'"', String.Double, '#pop'),
            (r'\n', Error, '#pop'),  # a string ends on its own line
            (r'\\(?:[nt\\"]|x[0-9a-fA-F]{2}|u\{[0-9a-fA-F]+\})', String.Escape),
            (r'\\.?', Error),
            (r'[^"\\\n]+', String.Double),
        ],
    }
