"""Parameters of papermill for notebooks of Fusible. With the wheel installed
papermill finds it by itself; else import it before a notebook is run:

    import papermill, papermill_fusible
    papermill.execute_notebook('in.ipynb', 'out.ipynb', parameters={'n': 8192})
"""
import math
import struct

from papermill.engines import NBClientEngine
from papermill.translators import Translator, papermill_translators

# papermill looks for engines of other packages, and for no translators: the wheel
# names this module as the engine `fusible`, which is papermill's own.
execute_notebook = NBClientEngine.execute_notebook
nb_kernel_name = NBClientEngine.nb_kernel_name
nb_language = NBClientEngine.nb_language

ESCAPES = {'"': '\\"', '\\': '\\\\', '\n': '\\n', '\t': '\\t'}


def shape_of(val):
    """The extents of an array: numbers in lists, all as long as their neighbours; else None."""
    if not isinstance(val, (list, tuple)):
        return [] if val is None or isinstance(val, (bool, int, float)) else None
    shapes = [shape_of(x) for x in val]
    if None in shapes or any(s != shapes[0] for s in shapes):
        return None
    return [len(val)] + (shapes[0] if shapes else [])


def elements_of(val):
    if not isinstance(val, (list, tuple)):
        return [val]
    return [e for x in val for e in elements_of(x)]


def fits(x, form):
    """Whether f32 ('f') or f64 ('d') has this very number."""
    try:
        return not math.isfinite(x) or struct.unpack(form, struct.pack(form, x))[0] == x
    except OverflowError:
        return False


def array_text(shape, words):
    """The elements of an array, row by row, as it is written."""
    if len(shape) != 2:
        text = '[' + ', '.join(words) + ']'
        return text if len(shape) == 1 else f'reshape({text}, {", ".join(map(str, shape))})'
    n = shape[1]
    rows = [', '.join(words[k:k + n]) for k in range(0, len(words), n)]
    text = '[' + '; '.join(rows) + ']'
    return f'reshape({text}, {shape[0]}, {n})' if 1 in shape else text


def integer_text(shape, elements):
    """Integers in i64. Numbers are read as doubles: what those do not hold comes in halves."""
    if all(fits(x, 'd') for x in elements):
        return f'i64({array_text(shape, [str(x) for x in elements])})'
    high = array_text(shape, [str(x >> 32) for x in elements])
    low = array_text(shape, [str(x & 0xffffffff) for x in elements])
    return f'(i64({high})*4294967296 + i64({low}))'


class FusibleTranslator(Translator):
    @classmethod
    def translate_none(cls, val):
        return 'NaN'

    @classmethod
    def translate_bool(cls, val):
        return 'true' if val else 'false'

    @classmethod
    def translate_int(cls, val):
        """A number of the prompt is a double; what that does not hold is an i64."""
        if fits(val, 'd') or not -2**63 <= val < 2**63:
            return str(val)
        return integer_text([1], [val]) + '[1]'

    @classmethod
    def translate_float(cls, val):
        if math.isfinite(val):
            return repr(float(val))
        return 'NaN' if math.isnan(val) else 'Inf' if val > 0 else '-Inf'

    @classmethod
    def translate_str(cls, val):
        return '"' + ''.join(
            ESCAPES.get(c) or (c if c.isprintable() else f'\\u{{{ord(c):x}}}')
            for c in val) + '"'

    @classmethod
    def translate_escaped_str(cls, str_val):
        return cls.translate_str(str(str_val))

    @classmethod
    def translate_dict(cls, val):
        """A record."""
        for name in val:
            if not str(name).isidentifier():
                raise NotImplementedError(f'{name!r} cannot be the name of a field: names are '
                                          'letters, digits and _')
        return '{' + ', '.join(f'{k} = {cls.translate(x)}' for k, x in val.items()) + '}'

    @classmethod
    def translate_list(cls, val):
        """An array where it is one, else a list."""
        shape, elements = shape_of(val), elements_of(val)
        if shape is None:
            return '{' + ', '.join(cls.translate(x) for x in val) + '}'
        if not elements:
            return f'zeros({", ".join(map(str, shape))})'
        if all(x is None or isinstance(x, bool) or fits(x, 'f') for x in elements):
            return array_text(shape, [cls.translate(x) for x in elements])
        if all(isinstance(x, int) and -2**63 <= x < 2**63 for x in elements):
            return integer_text(shape, elements)
        return f'f64({array_text(shape, [cls.translate(x) for x in elements])})'

    @classmethod
    def translate_tuple(cls, val):
        return cls.translate_list(val)

    @classmethod
    def comment(cls, cmt_str):
        return f'# {cmt_str}'.strip()

    @classmethod
    def assign(cls, name, str_val):
        return f'{name} = {str_val};'


papermill_translators.register('fusible', FusibleTranslator)
