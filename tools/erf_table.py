#!/usr/bin/python3
"""Prints the tables of the error function in elemlib/cuda; needs mpmath.

fs_erf_f64() (quick_f64.cuh): columns of 32-bit words for 32 places each: a load of one word by 32 threads then never
meets another one in a bank of shared memory. For a place c next to k/5.25 such that
erf(c), and near 0 its derivative, lie next to an f64 (Gal and Bachelis, ACM Trans. Math.
Softw. 17:1, 1991): c, erf(c), and a minimax polynomial in t = x - c, of which the
coefficient of t^2 is -c times that of t. Those of higher powers need fewer bits and share
words.

fs_erf_looked_up() (quick_pairs.cuh): what fs_erf_near() gives of each bf16 from 2^-9 to 2.25,
rounded to bf16.
"""
import struct
import mpmath as mp

PLACES, STEP = 32, mp.mpf(4) / 21
mp.mp.dps = 45


def bits(x):
    return struct.unpack('>Q', struct.pack('>d', float(x)))[0]


def number(b):
    return struct.unpack('>d', struct.pack('>Q', b))[0]


def words(x):
    return [bits(x) & 0xffffffff, bits(x) >> 32]


def float_bits(x):
    return struct.unpack('I', struct.pack('f', float(x)))[0]


def float_of(b):
    return struct.unpack('f', struct.pack('I', b))[0]


def misfit(x):
    """The distance of the nearest f64, in units of its last place."""
    return abs(x - float(x)) / mp.mpf(2) ** (mp.floor(mp.log(abs(x), 2)) - 52)


def around(x, tries):
    """Numbers next to x whose lower words are 0."""
    upper = bits(x) >> 32
    for k in range(tries):
        yield number(upper + (-1) ** k * (k + 1) // 2 << 32)


def slope(c):
    return 2 / mp.sqrt(mp.pi) * mp.exp(-mp.mpf(c) ** 2)


def place(k):
    if k == 0:
        return 0.0

    def bad(c):
        return misfit(mp.erf(mp.mpf(c))) + (misfit(slope(c)) / 8 if k < 6 else 0)
    return min(around(k * STEP, 4000 if k < 6 else 300 if k < 20 else 1), key=bad)


def rounded(x, low):
    """Bits of x as an f64 whose `low` lowest ones are 0."""
    return (bits(x) + (1 << low - 1)) >> low << low


def nearest(x, low, tail):
    """Bits of the f64 next to x whose `low` lowest ones are `tail`."""
    middle = bits(x) >> low << low | tail
    return min((b for b in (middle - (1 << low), middle, middle + (1 << low)) if b >= 0),
               key=lambda b: abs(number(b) - x))


def erf_words(k):
    c, half = place(k), STEP / 2 * mp.mpf('1.002')
    taylor, fixed = mp.taylor(mp.erf, c, 16), {}

    def rest(t):  # behind t^2, without the terms that are fixed
        if abs(t) < mp.mpf(10) ** -3:
            all_of_it = sum(taylor[n] * t ** (n - 3) for n in range(3, 17))
        else:
            all_of_it = (mp.erf(c + t) - taylor[0] - taylor[1] * t - taylor[2] * t ** 2) / t ** 3
        return all_of_it - sum(a * t ** (n - 3) for n, a in fixed.items())

    def highest(n):  # the coefficient of t^n in the best polynomial with what is fixed
        if c:
            return mp.chebyfit(rest, [-half, half], n - 2)[0]
        if n % 2 == 0:
            return mp.mpf(0)
        return mp.chebyfit(lambda z: rest(mp.sqrt(z)), [half ** 2 / 10 ** 6, half ** 2],
                           (n - 1) // 2)[0]

    def fix(n, choose, value):
        b = choose(highest(n))
        fixed[n] = value(b)
        return b
    tail = fix(11, lambda x: float_bits(x) + 0x8000 >> 16, lambda b: float_of(b << 16))
    floats = [fix(n, float_bits, float_of) for n in (10, 9, 8)]
    a7 = fix(7, lambda x: rounded(x, 23), number)
    a6 = fix(6, lambda x: rounded(x, 20), number)
    a5 = fix(5, lambda x: nearest(x, 16, tail), number)
    a4 = fix(4, lambda x: nearest(x, 12, (a6 & 0xffffffff) >> 20), number)
    a3 = fix(3, lambda x: nearest(x, 9, (a7 & 0xffffffff) >> 23), number)
    out = [bits(c) >> 32] + words(mp.erf(mp.mpf(c))) + words(slope(c))
    for a in (a3, a4, a5):
        out += [a & 0xffffffff, a >> 32]
    return out + [a6 >> 32, a7 >> 32] + floats[::-1]


def as_float(x):
    return float_of(float_bits(x))


def erf_near(x):  # as quick_bf16.cuh
    z, y = as_float(x * x), as_float(-8.80234802e-05)
    for a in (1.9797904e-3, -1.88558381e-2, 0.10275124, -0.371079803, 1.12792969):
        y = as_float(y * z + as_float(a))
    return as_float(y * x)


def erf_values():
    first, last, multiple = 0x3b00, 0x4010, 8
    values = []
    for k in range(first, last + 1):
        u = float_bits(erf_near(float_of(k << 16)))
        values.append(u + 0x7fff + (u >> 16 & 1) >> 16)
    return values + values[-1:] * (-len(values) % multiple)


def show(head, numbers):
    print(f'alignas(16) __device__ const {head} = {{')
    line = '   '
    for w in numbers:
        item = f' 0x{w:x},' if w else ' 0,'
        if len(line) + len(item) > 88:
            print(line)
            line = '   '
        line += item
    print(line.rstrip(',') + '};')


def main():
    places = [erf_words(k) for k in range(PLACES)]
    show('unsigned fs_erf_words[FS_ERF_WORDS]', [w for c in zip(*places) for w in c])
    show('unsigned short fs_erf_values[FS_ERF_VALUES]', erf_values())


if __name__ == '__main__':
    main()
