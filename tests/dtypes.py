"""The element types beside NumPy's, for tests that draw them at random: core/graph/dtypes.def
as docs/language.md describes it."""
import numpy as np

# A row stands behind those below it in the lattice of promotion.
BELOW = {'bool': '', 'u8': 'bool', 'i8': 'bool', 'u16': 'u8', 'i16': 'u8 i8', 'i32': 'u16 i16',
         'u32': 'u16', 'i64': 'i32 u32', 'u64': 'i64', 'f16': 'u64', 'bf16': 'u64', 'f32': 'f16 bf16',
         'f64': 'f32'}
ORDER = list(BELOW)
COMPLEX = {'c64': 'f32', 'c128': 'f64'}     # with their parts
FLOATS = ['f16', 'bf16', 'f32', 'f64']
INTEGERS = [t for t in ORDER if t[0] in 'iu']
# How elements are held here: of f16 and bf16 as the floats that they are computed in.
HELD = {'bool': np.bool_, 'u8': np.uint8, 'i8': np.int8, 'u16': np.uint16, 'i16': np.int16,
        'i32': np.int32, 'u32': np.uint32, 'i64': np.int64, 'u64': np.uint64, 'f16': np.float32,
        'bf16': np.float32, 'f32': np.float32, 'f64': np.float64}


def is_float(dtype):
    return dtype in FLOATS


def up_from(dtype):
    """The type and all above it."""
    up = {dtype}
    for t in ORDER:
        if up & set(BELOW[t].split()):
            up.add(t)
    return up


UP = {t: up_from(t) for t in ORDER}


def promote(*types):
    """The least type above all; with a complex one the parts' type, complex."""
    if any(t in COMPLEX for t in types):
        wide = 'f64' in [COMPLEX.get(t, t) for t in types]
        return 'c128' if wide else 'c64'
    return next(t for t in ORDER if all(t in UP[x] for x in types))


def number_type(dtype):
    return 'i32' if dtype == 'bool' else dtype


def float_type(dtype):
    return dtype if is_float(dtype) else 'f64' if dtype in ('i64', 'u64') else 'f32'


def sum_type(dtype):
    return dtype if is_float(dtype) or dtype == 'u64' or dtype in COMPLEX else 'i64'


def beside(x, whole, dtype):
    """The type of a number of the host beside a tensor."""
    if dtype in COMPLEX:
        return dtype
    if isinstance(x, complex):
        return 'c128' if dtype in ('f64', 'i64', 'u64') else 'c64'
    if is_float(dtype):
        return dtype
    own = np.iinfo(HELD[number_type(dtype)])
    for t in INTEGERS if whole and abs(x) <= 2. ** 64 else []:
        info = np.iinfo(HELD[t])
        if t in UP[number_type(dtype)] and info.min <= min(own.min, int(x)) and \
                max(own.max, int(x)) <= info.max:
            return t
    return float_type(dtype)


def limits(dtype):
    """Integers at the ends of a type, and between."""
    info = np.iinfo(HELD[dtype])
    some = [info.min, info.min + 1, info.max, info.max - 1, -1, 0, 1, 2, 7, 2 ** 24 + 1,
            -2 ** 24 - 1, info.max // 2 + 1, info.min // 3, 200, -100]
    return [x for x in some if info.min <= x <= info.max]


def to_integer(a, dtype):
    """Integers wrap around; of floats it is the nearest of the type towards 0, of NaN 0."""
    a, info = np.asarray(a), np.iinfo(HELD[dtype])
    if a.dtype.kind != 'f':
        return a.astype(HELD[dtype])
    high, low = a >= float(info.max + 1), a < float(info.min)
    whole = np.uint64 if dtype == 'u64' else np.int64
    inside = np.where(np.isnan(a) | high | low, 0, a).astype(whole).astype(HELD[dtype])
    return np.where(high, info.max, np.where(low, info.min, inside)).astype(HELD[dtype])


def at_one_rank(arrays):
    """Arrays of one rank, their dimensions aligned from the left. Where none of them would keep
    its shape so, those of more dimensions than a matrix beside them lose extents of 1 in front."""
    def from_left(arrays):
        rank = max(a.ndim for a in arrays)
        return [a.reshape(a.shape + (1,) * (rank - a.ndim)) for a in arrays]

    def common(arrays):
        try:
            return np.broadcast_shapes(*[a.shape for a in arrays])
        except ValueError:
            return None

    left = from_left(arrays)
    shape = common(left)
    if shape is not None and any(shape == a.shape for a in arrays):
        return left
    ranks = [a.ndim for a in arrays]
    least = min([r for r in ranks if r >= 2], default=max(ranks))
    if least < max(ranks) and all(set(a.shape[:a.ndim - least]) <= {1} for a in arrays):
        less = from_left([a.reshape(a.shape[max(a.ndim - least, 0):]) for a in arrays])
        if common(less) is not None:
            return less
    return left
