#!/usr/bin/env python3
"""Solves and factorisations of the CUDA target, by the fake cuBLAS and cuSOLVER, which compute
on the host: what is printed is what the CPU target prints, of values of which each is known to
far more digits than are shown."""
import os
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import fakegpu  # noqa: E402
from score import Score  # noqa: E402

score = Score()
check = score.check
home = tempfile.TemporaryDirectory(prefix='fusible-solvers-')
LIBRARIES = {f'FUSIBLE_{name.upper()}': os.path.join(fakegpu.FAKE, f'{name}.so')
             for name in ('cublas', 'cusolver')}

# Diagonals that are far larger than all beside them: errors are of a few units.
SETUP = """B = T(mod(7*(1:12) + 5*(1:12)', 11) - 5) + 60*eye(12); x = T(mod(1:12, 5) - 2);
C = T(mod(7*(1:20)*(1:8)' + (1:20).^2*((1:8)'.^2), 29) - 14); S = B + B' + 100*eye(12);
X = T(mod((1:12)*(1:3)', 7) - 3);
"""
PROGRAMS = {
    'solves': 'print(round(1e4*(B \\ x)))\nprint(round(1e4*(B \\ X)))\nprint(round(1e4*(B\' \\ x)))\n'
              'print(round(1e4*inv(B)))\nprint(round(1e4*(B[1:7, 1:7] \\ x[1:7])))',
    'triangles': 'U = triu(B); L = tril(B);\nprint(round(1e4*(U \\ x)))\nprint(round(1e4*(L \\ X)))\n'
                 "print(round(1e4*(U' \\ x)))\nprint(round(1e4*(L' \\ X)))\n"
                 'print(round(1e4*(U[1:2:12, 1:2:12] \\ x[1:6])))',
    'roots': 'R = chol(S);\nprint(round(1e3*R))',
    'orthogonal': 'Q, R = qr(C);\nprint(round(1e3*Q))\nprint(round(1e3*R))\n'
                  "Q, R = qr(C');\nprint(round(1e3*R))\nR = qr(C); print(round(1e3*R))",
    'triangular': 'L, U, p = lu(B);\nprint(round(1e3*L))\nprint(round(1e3*U))\nprint(p)\n'
                  "L, U, p = lu(C);\nprint(round(1e3*sum(L*U, 1)))\nprint(p)\nprint(round(1e-4*det(B[1:5, 1:5])))",
    'eigenvalues': 'print(round(1e2*eigvals(S)))\nd, V = eig(S);\n'
                   "print(round(1e2*(V*(d .* V'))))",
    'singular values': "print(round(1e2*svdvals(C)))\nprint(round(1e2*svdvals(C')))\n"
                       "W, s, V = svd(C);\nprint(round(1e2*(W*(s .* V'))))\n"
                       "W, s, V = svd(C');\nprint(round(1e2*(W*(s .* V'))))",
    'values that are none': 'D = B; D[2, 2] = 0/0; E = triu(D);\nprint(D \\ x)\nprint(E \\ x)\n'
                            'Q, R = qr(D);\nprint(R)\nL, U, p = lu(D);\nprint(U)',
    'a singular one': 'D = B; D[2, :] = 0;\nprint(round(1e4*(D \\ x)))',
    'a singular triangle': 'D = triu(B); D[3, 3] = 0;\nprint(D \\ x)',
    'a singular pivot': 'D = B; D[:, 2] = 0;\nL, U, p = lu(D);\nprint(round(1e3*(L*U)))',
    'none that is positive': 'print(chol(S - 400*eye(12)))',
    'none that is symmetric': 'print(eigvals(S + triu(B)))',
    'no numbers': 'D = S; D[2, 2] = 0/0;\nprint(eigvals(D))',
    'nor for singular values': 'D = S; D[2, 2] = 1/0;\nprint(svdvals(D))',
}


def run(program, dtype, target, **more):
    with tempfile.TemporaryDirectory(dir=home.name) as own:
        path = os.path.join(own, 'program.fs')
        with open(path, 'w', encoding='utf-8') as f:
            f.write((SETUP + program).replace('T(', f'{dtype}('))
        env = fakegpu.environment(home.name, FUSIBLE_FAKE_CC='90', **more)
        return fakegpu.run(['--no-rc', '--target', target, path], env, cwd=own)


def sentence(done):
    return done.stderr.partition('\n')[0].partition(': ')[2]


def without_signs(text):
    """Zeros that were rounded have any sign."""
    return re.sub(r'-0(?![.\d])', ' 0', text)


def compare(case):
    name, dtype, library = case
    cpu = run(PROGRAMS[name], dtype, 'cpu')
    gpu = run(PROGRAMS[name], dtype, 'cuda',
              **{k: v for k, v in LIBRARIES.items() if library in ('', k)})
    what = f'{name}, {dtype}, {library or "both"}: '
    check(gpu.returncode == cpu.returncode in (0, 1), f'{what}{gpu.stderr}\nbut {cpu.stderr}')
    check(without_signs(gpu.stdout) == without_signs(cpu.stdout),
          f'{what}{gpu.stdout}\nbut on the CPU\n{cpu.stdout}')
    check(sentence(gpu) == sentence(cpu), f'{what}{gpu.stderr}\nbut on the CPU\n{cpu.stderr}')


def main():
    cases = [(name, dtype, library) for name in PROGRAMS for dtype in ('f32', 'f64')
             for library in ('', 'FUSIBLE_CUSOLVER')]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(compare, cases))
    home.cleanup()
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
