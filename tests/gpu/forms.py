"""Blocks of which each takes another form of kernel on a GPU, at the smallest sizes
that do: for tools that slow kernels down (sanitize.py), and to hold the forms to each
other (plain.py). They are planned for a cache of 64 KiB (FUSIBLE_L2), so that what
large matrices get can be had of small ones.

Data are -1, 0 and 1 by a hash, so sums are exact whatever their order. A form's
marks are words that its code must have, by dtype or for `all`; without a dtype
there, the block is run but may take whatever kernel the planner likes.
"""
from dataclasses import dataclass, field

CACHE = '65536'
DTYPES = ('f32', 'f64', 'bf16', 'f16')
PHASES = '// scheme'  # one for each phase of a launch
HASHED = """function hashed(h)
  h = mod(h, 65521)
  return {dtype}(mod(mod(h.*h + 12345, 65521), 3) - 1)
end
"""
DATA = {
    'A': "A = hashed(7919*I + 104729*J' + 31*(I*J'));",
    'C': "C = hashed(7919*I + 31*(I*J') + 5);",
    'u': 'u = hashed(7919*I + 11);',
    'v': 'v = hashed(7919*J + 7);',
    'w': 'w = hashed(7919*J + 13);',
    'b': 'b = hashed(7919*J + 29);',
}
CG = "q = A*v; a = v'*q; r = mod(v - a*q, 3); e = r'*r; p = r + e*v;"


@dataclass
class Form:
    name: str
    m: int
    n: int
    block: str
    results: str
    marks: dict = field(default_factory=dict)
    dtypes: tuple = ('f32', 'f64', 'bf16')
    runs: int = 1
    relays: bool = False  # warps hand over by mbarriers, one lane for its warp
    pin: str = ''         # settings of its kernel, where the price may take others

    def setup(self, dtype):
        used = self.block.replace("'", ' ').replace('(', ' ').replace(')', ' ')
        for sign in '*+-.;,[]':
            used = used.replace(sign, ' ')
        lines = [text for name, text in DATA.items() if name in used.split()]
        return (HASHED.format(dtype=dtype) +
                f'I = i64(1:{self.m}); J = i64(1:{self.n});\n' + '\n'.join(lines))

    def text(self, dtype, code=True):
        """Statements that run the block, and print its code and its results."""
        block = f'begin {self.block} end'
        if self.runs > 1:  # the later ones as one graph
            block = f'for k = 1:{self.runs}; {self.block} end'
        lines = [f'print("form: {self.name} {dtype}");', self.setup(dtype), block]
        if self.pin:
            lines += [f':pin 1 {self.pin}', block]
        if code:
            lines.append(':code cuda')
        for r in self.results.split():
            lines += [f'x = f64(vec({r} .* ones(1))); i = mod(1:numel(x), 97);',
                      f'print("{r} has ", numel(x), " of sum ", sum(x), " or ", '
                      'sum(x .* i));']
        return '\n'.join(lines) + '\n'

    def missing(self, dtype, code):
        """The marks that the code of the block lacks."""
        return [mark for mark in self.marks.get('all', ()) + self.marks.get(dtype, ())
                if code.count(mark) < (3 if mark == PHASES else 1)]


def every(*marks):
    return {'all': marks}


FORMS = [
    Form('vectors', 3, 100003, "z = v - 2*w; d = z'*v;", 'z d', every('scheme flat;')),
    Form('stencil', 3, 5001, "y = v[1:end-4] + 2*v[2:end-3] + v[5:end];", 'y',
         {'all': ('scheme flat;',), 'bf16': (', in pairs',)}),
    Form('grid stencil', 131, 253, "D = A[1:end-2, 2:end-1] + A[3:end, 2:end-1] + "
         "A[2:end-1, 1:end-2] + A[2:end-1, 3:end];", 'D', every('scheme row'),
         pin='scheme=row'),
    Form('short rows', 300, 45, "q = A*v; s = A'*u;", 'q s',
         every('scheme row;', ' on a row;')),
    Form('columns twice', 300, 1000,  # more of them than registers
         "r = A*v + A*w + A*b; D = A + r*v' + r*w' + r*b';", 'r D',
         every('scheme row;')),
    Form('rows at once', 300, 4096, "q = A*v; s = A'*u;", 'q s',
         {'all': ('scheme row;',), 'f32': (' rows at once',), 'f64': ('ring of',)}),
    Form('ring', 400, 8192, "q = A*v; s = A'*u;", 'q s',
         {'f32': ('ring of', 'cp.async.bulk'), 'f64': ('ring of', 'cp.async.bulk')}),
    Form('row and its sums', 66, 16384, "y = A'*(A*v);", 'y',
         every('ring of', 'cp.async.bulk')),
    Form('clusters', 66, 33001, "y = A'*(A*v);", 'y',
         every(' blocks to a row', '__cluster_dims__')),
    Form('chunks', 100, 65536, "q = A*v;", 'q', {'bf16': ('scheme row, in chunks',)}),
    Form('parts', 66, 65536, "q = A*v;", 'q', every('scheme row, in parts')),
    Form('long chunks', 100, 65536, "q = A*v;", 'q', every('scheme row, in chunks'),
         ('f32',)),
    Form('column sums', 2601, 2043, "s = A'*u;", 's',
         {'f32': ('scheme row, in strips',), 'f64': ('scheme row, in strips',)},
         pin='scheme=row'),
    Form('column sums by rows', 2601, 2051, "s = A'*u;", 's', every('ring of'),
         pin='scheme=row'),
    Form('rows whole', 1301, 5003, "q = A*v;", 'q',
         {'f32': ('ring of',), 'bf16': ('ring of',)}, ('f32', 'bf16')),
    Form('sums of both', 2001, 2048, "s = sum(A .* C, 1); t = max(A);", 's t',
         every('scheme row, in strips', 'fs_grid_barrier')),
    Form('row maximum', 131, 253, "D = A - rowmax(A);", 'D', every('scheme row;')),
    Form('kept rows', 1001, 512, "q = A*v;", 'q', every('fs_cache_stays()')),
    Form('wide tiles', 31, 30001, "q = A*v; s = A'*u;", 'q s',
         {'f32': ('scheme tile;',), 'f64': ('scheme tile;',)}),
    Form('few rows', 3, 70001, "q = A*v; s = A'*u;", 'q s',
         {'f32': ('scheme row;', '4 on a row'), 'f64': ('scheme row;', '4 on a row')}),
    Form('transposed', 1021, 1021, "D = A' + C;", 'D', every('scheme tile;')),
    Form('columns', 4001, 264, "x1 = 2*A'*u + v; w1 = 3*A*x1;", 'x1 w1',
         every('scheme march;', 'cp.async.bulk.tensor'), relays=True),
    Form('columns made', 4001, 264, "B = A + u*v'; x1 = 2*B'*u + v; w1 = 3*B*x1;",
         'B x1 w1', {'all': ('scheme march;', 'cp.async.bulk.tensor'),
                     'bf16': ('fs_pair<fs_bf16> v',)}, relays=True),
    Form('columns kept', 4001, 264, "D = A + sum(A, 1);", 'D',
         {'f32': ('scheme march;',), 'bf16': ('scheme march;',)}, relays=True),
    Form('phases', 256, 256, CG, 'r p e',
         every(PHASES, 'fs_grid_barrier', 'all of them in each block')),
    Form('phases of two products', 256, 256, "q = A*v; y = A'*w; a = w'*q; "
         "r = mod(v - a*q, 3); z = mod(w - a*y, 3); e = z'*r; p = r + e*v; "
         "s = z + e*w;", 'r z p s e',
         every(PHASES, 'fs_grid_barrier', 'all of them in each block', 'fetch')),
    Form('replayed', 67, 67, CG, 'r p e', every('fs_grid_barrier'), runs=8),
    Form('elements by a list', 3, 100003,
         "p = mod(31*(1:100003), 100003) + 1; z = v[p] - 2*w;", 'z',
         every('fs_load_by_list')),
    Form('rows by a list', 500, 1024, "p = mod(7*(1:300), 500) + 1; q = A[p, :]*v; "
         "s = A[p, :]'*q;", 'q s', every('scheme row;', 'fs_place<'), ('f32', 'f64')),
    Form('a sparse matrix', 300, 100, "P = mod(I*J', 100) + 1; q = sum(C .* v[P], 2);", 'q',
         every('scheme row;', 'fs_load_by_list')),
    Form('pairs', 260, 4096, "B = A .* C - A;", 'B', every(', in pairs'),
         ('bf16', 'f16')),
]


def answers(printed):
    """What the blocks printed of their results: {"NAME DTYPE": [line, ...]}."""
    found, name = {}, None
    for line in printed.splitlines():
        if line.startswith('form: '):
            name = line[6:]
            found[name] = []
        elif ' of sum ' in line and name:
            found[name].append(line)
    return found


def codes(printed):
    """The code of the blocks: {"NAME DTYPE": text}."""
    parts = printed.split('form: ')[1:]
    return {part.split('\n', 1)[0]: part for part in parts}
