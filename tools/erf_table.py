#!/usr/bin/python3
"""Prints the table of fs_erf_f64() in elemlib/cuda/quick_f64.cuh; needs mpmath.

For each of 16 places c next to k*25/64: c, erf(c), its derivative there, and the
coefficients of a polynomial in t = x - c that is near the minimax one. c is chosen such
that erf(c), and near 0 the derivative, too, lie next to an f64 (Gal and Bachelis, ACM
Trans. Math. Softw. 17:1, 1991).
"""
import struct
import mpmath as mp

PLACES, WIDTH, F64, F32 = 16, mp.mpf(25) / 64, 8, 4
mp.mp.dps = 45


def derivative(c):
    return 2 / mp.sqrt(mp.pi) * mp.exp(-mp.mpf(c) ** 2)


def misfit(x):
    """The distance of the nearest f64, in units of its last place."""
    return abs(x - float(x)) / mp.mpf(2) ** (mp.floor(mp.log(x, 2)) - 52)


def place(k):
    if k == 0:
        return 0.0
    step = mp.mpf(2) ** (-32 if k < 8 else -24 if k < 12 else -15)
    best, tries = (2, 0), 0
    while tries < (60000 if k < 4 else 600) and best[0] > mp.mpf(2) ** -7:
        c = float(k * WIDTH + (-1) ** tries * (tries + 1) // 2 * step)
        bad = misfit(mp.erf(mp.mpf(c)))
        if k < 4:
            bad = max(bad, misfit(derivative(c)) / 4)
        best, tries = min(best, (bad, c)), tries + 1
    return best[1]


def polynomial(c):
    """Of (erf(c + t) - erf(c))/t: its f64, then its f32 coefficients."""
    slope, at = derivative(c), mp.erf(mp.mpf(c))

    def rest(t):
        if abs(t) < mp.mpf(10) ** -9:
            return slope * (-c + (2 * mp.mpf(c) ** 2 - 1) * t / 3)
        return (mp.erf(c + t) - at - t * slope) / t ** 2
    half = WIDTH / 2 * mp.mpf('1.001')
    high = mp.chebyfit(rest, [-half, half], F64 + F32)[::-1]
    if c == 0:
        high = [a if k % 2 else mp.mpf(0) for k, a in enumerate(high)]
    f32 = [struct.unpack('f', struct.pack('f', float(a)))[0] for a in high[F64:]]
    return [float(slope)] + [float(a) for a in high[:F64]], f32


def hexadecimal(x):
    digits, power = float(x).hex().split('p')
    return '0' if x == 0 else digits.rstrip('0').rstrip('.') + 'p' + power.lstrip('+')


def column(numbers, text):
    line, lines = '     {', []
    for k, x in enumerate(numbers):
        item = text(x) + ('},' if k == len(numbers) - 1 else ',')
        if len(line) + 1 + len(item) > 88:
            lines.append(line)
            line = '     '
        line += item if line[-1] == '{' else ' ' + item
    print('\n'.join(lines + [line]))


def main():
    places = [place(k) for k in range(PLACES)]
    made = [polynomial(c) for c in places]
    column(places, hexadecimal)
    column([mp.erf(mp.mpf(c)) for c in places], hexadecimal)
    for k in range(F64 + 1):
        column([m[0][k] for m in made], hexadecimal)
    for k in range(0, F32, 2):
        column([m[1][k:k + 2] for m in made],
               lambda p: '{%.9ef, %.9ef}' % tuple(p))


if __name__ == '__main__':
    main()
