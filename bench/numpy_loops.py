#!/usr/bin/env python3
"""Programs of linear algebra in NumPy's own loop structure: Fusible on the CPU beside NumPy, f64.

    bench/numpy_loops.py [--fusible build/fusible] [--size 200] [--threads 2] [--only WORD]
                         [--runs 3] [--json FILE]

Each program is written twice, statement by statement alike: loops over rows, columns and
elements, whose bodies are slices. Both get the same arrays, take turns, and must give the same
values: exactly where all numbers are whole and small, else to the last digits of f64. Times are
the smallest of some runs, of the statements alone. The table ends with the geometric mean of
Fusible's times by NumPy's.
"""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def lu(n, r):
    A = r.random((n, n)) + n*np.eye(n)
    return dict(A=A, b=r.random(n)), '''
for i = 2:n
  A[i, 1] = A[i, 1]/A[1, 1];
  for j = 2:i-1
    A[i, j] = (A[i, j] - A[i, 1:j-1]*A[1:j-1, j])/A[j, j];
  end
  for j = i:n
    A[i, j] -= A[i, 1:i-1]*A[1:i-1, j];
  end
end
x = zeros(n, "f64"); y = zeros(n, "f64");
y[1] = b[1];
for i = 2:n
  y[i] = b[i] - A[i, 1:i-1]*y[1:i-1];
end
x[n] = y[n]/A[n, n];
for i = n-1:-1:1
  x[i] = (y[i] - A[i, i+1:n]*x[i+1:n])/A[i, i];
end''', lu_numpy, 'x', None


def lu_numpy(A, b):
    n = len(b)
    x, y = np.zeros(n), np.zeros(n)
    for i in range(n):
        for j in range(i):
            A[i, j] = (A[i, j] - A[i, :j] @ A[:j, j])/A[j, j]
        for j in range(i, n):
            A[i, j] -= A[i, :i] @ A[:i, j]
    for i in range(n):
        y[i] = b[i] - A[i, :i] @ y[:i]
    for i in range(n - 1, -1, -1):
        x[i] = (y[i] - A[i, i+1:] @ x[i+1:])/A[i, i]
    return x


def lu_alone(n, r):
    A = r.random((n, n)) + n*np.eye(n)
    return dict(A=A), '''
for i = 1:n
  for j = 1:i-1
    A[i, j] -= A[i, 1:j-1]*A[1:j-1, j];
    A[i, j] /= A[j, j];
  end
  for j = i:n
    A[i, j] -= A[i, 1:i-1]*A[1:i-1, j];
  end
end''', lu_alone_numpy, 'A', None


def lu_alone_numpy(A):
    n = len(A)
    for i in range(n):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, n):
            A[i, j] -= A[i, :i] @ A[:i, j]
    return A


def trmm(n, r):
    return dict(A=whole(r, n, n), B=whole(r, n, n)), '''
for i = 1:n
  for j = 1:n
    B[i, j] += A[i+1:n, i]'*B[i+1:n, j];
  end
end
B *= 2;''', trmm_numpy, 'B', 0


def trmm_numpy(A, B):
    n = len(A)
    for i in range(n):
        for j in range(n):
            B[i, j] += np.dot(A[i+1:, i], B[i+1:, j])
    B *= 2
    return B


def trisolv(n, r):
    return dict(L=r.random((n, n)) + n*np.eye(n), b=r.random(n)), '''
x = zeros(n, "f64");
for i = 1:n
  x[i] = (b[i] - L[i, 1:i-1]*x[1:i-1])/L[i, i];
end''', trisolv_numpy, 'x', None


def trisolv_numpy(L, b):
    x = np.zeros(len(b))
    for i in range(len(b)):
        x[i] = (b[i] - L[i, :i] @ x[:i])/L[i, i]
    return x


def durbin(n, r):
    return dict(r=r.random(n)/n), '''
y = zeros(n, "f64"); a = -r[1]; b = 1; y[1] = -r[1];
for k = 2:n
  b *= 1 - a*a;
  a = -(r[k] + r[k-1:-1:1]'*y[1:k-1])/b;
  y[1:k-1] += a*y[k-1:-1:1];
  y[k] = a;
end''', durbin_numpy, 'y', None


def durbin_numpy(r):
    y = np.zeros_like(r)
    alpha, beta = -r[0], 1.0
    y[0] = -r[0]
    for k in range(1, len(r)):
        beta *= 1.0 - alpha*alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k]))/beta
        y[:k] += alpha*np.flip(y[:k])
        y[k] = alpha
    return y


def seidel(n, r):
    return dict(A=r.random((n, n))), '''
for t = 1:3
  for i = 2:n-1
    A[i, 2:n-1] += A[i-1, 1:n-2] + A[i-1, 2:n-1] + A[i-1, 3:n] + A[i, 3:n] + A[i+1, 1:n-2] + A[i+1, 2:n-1] +
                   A[i+1, 3:n];
    for j = 2:n-1
      A[i, j] += A[i, j-1];
      A[i, j] /= 9;
    end
  end
end''', seidel_numpy, 'A', None


def seidel_numpy(A):
    n = len(A)
    for _ in range(3):
        for i in range(1, n - 1):
            A[i, 1:-1] += (A[i-1, :-2] + A[i-1, 1:-1] + A[i-1, 2:] + A[i, 2:] + A[i+1, :-2]
                           + A[i+1, 1:-1] + A[i+1, 2:])
            for j in range(1, n - 1):
                A[i, j] += A[i, j-1]
                A[i, j] /= 9.0
    return A


def whole(r, *shape):
    return r.integers(-4, 5, shape).astype(float)


def symm(n, r):
    return dict(A=whole(r, n, n), B=whole(r, n, n), C=whole(r, n, n)), '''
t = zeros(n, "f64");
C[1, :] = 3*C[1, :] + 2*B[1, :]*A[1, 1];
for i = 2:n
  for j = 1:n
    C[1:i-1, j] += 2*B[i, j]*A[i, 1:i-1]';
    t[j] = A[i, 1:i-1]*B[1:i-1, j];
  end
  C[i, :] = 3*C[i, :] + 2*B[i, :]*A[i, i] + 2*t';
end''', symm_numpy, 'C', 0


def symm_numpy(A, B, C):
    n = len(A)
    t = np.zeros(n)
    for i in range(n):
        for j in range(n):
            C[:i, j] += 2*B[i, j]*A[i, :i]
            t[j] = B[:i, j] @ A[i, :i]
        C[i, :] = 3*C[i, :] + 2*B[i, :]*A[i, i] + 2*t
    return C


def syrk(n, r):
    return dict(A=whole(r, n, n), C=whole(r, n, n)), '''
for i = 1:n
  C[i, 1:i] *= 3;
  for k = 1:n
    C[i, 1:i] += 2*A[i, k]*A[1:i, k]';
  end
end''', syrk_numpy, 'C', 0


def syrk_numpy(A, C):
    n = len(A)
    for i in range(n):
        C[i, :i+1] *= 3
        for k in range(n):
            C[i, :i+1] += 2*A[i, k]*A[:i+1, k]
    return C


def syr2k(n, r):
    return dict(A=whole(r, n, n), B=whole(r, n, n), C=whole(r, n, n)), '''
for i = 1:n
  C[i, 1:i] *= 3;
  for k = 1:n
    C[i, 1:i] += 2*A[1:i, k]'*B[i, k] + 2*B[1:i, k]'*A[i, k];
  end
end''', syr2k_numpy, 'C', 0


def syr2k_numpy(A, B, C):
    n = len(A)
    for i in range(n):
        C[i, :i+1] *= 3
        for k in range(n):
            C[i, :i+1] += 2*A[:i+1, k]*B[i, k] + 2*B[:i+1, k]*A[i, k]
    return C


def nussinov(n, r):
    n //= 2
    return dict(seq=r.integers(0, 4, n).astype(float)), '''
table = zeros(n, n, "f64");
for i = n:-1:1
  for j = i+1:n
    table[i, j] = max(table[i, j], table[i, j-1]);
    if i < n
      table[i, j] = max(table[i, j], table[i+1, j]);
      d = 0;
      if i < j - 1
        d = seq[i] + seq[j] == 3;
      end
      table[i, j] = max(table[i, j], table[i+1, j-1] + d);
    end
    for k = i+1:j-1
      table[i, j] = max(table[i, j], table[i, k] + table[k+1, j]);
    end
  end
end''', nussinov_numpy, 'table', 0


def nussinov_numpy(seq):
    n = len(seq)
    table = np.zeros((n, n))
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            table[i, j] = max(table[i, j], table[i, j-1])
            if i + 1 < n:
                table[i, j] = max(table[i, j], table[i+1, j])
                d = 0
                if i < j - 1:
                    d = seq[i] + seq[j] == 3
                table[i, j] = max(table[i, j], table[i+1, j-1] + d)
            for k in range(i + 1, j):
                table[i, j] = max(table[i, j], table[i, k] + table[k+1, j])
    return table


def csr(n, r):
    rows = 50*n
    counts = r.integers(1, 20, rows)
    start = np.concatenate([[0], np.cumsum(counts)])
    return dict(p=(start + 1).astype(np.int64), c=r.integers(1, rows + 1, start[-1]),
                v=whole(r, start[-1]), x=whole(r, rows)), '''
m = numel(p) - 1; y = zeros(m, "f64");
for i = 1:m
  s = 0;
  for k = p[i]:p[i+1]-1
    s += v[k]*x[c[k]];
  end
  y[i] = s;
end''', csr_numpy, 'y', 0


def csr_numpy(p, c, v, x):
    y = np.zeros(len(p) - 1)
    for i in range(len(p) - 1):
        at = slice(p[i] - 1, p[i+1] - 1)
        y[i] = v[at] @ x[c[at] - 1]
    return y


def adi(n, r):
    u = r.random((n, n))
    return dict(u=u), '''
v = zeros(n, n, "f64"); p = zeros(n, n, "f64"); q = zeros(n, n, "f64");
a = -0.4; b = 1.8; c = -0.4; d = -0.3; f = 1.6;
for t = 1:4
  v[1, 2:n-1] = 1; p[2:n-1, 1] = 0; q[2:n-1, 1] = v[1, 2:n-1]';
  for j = 2:n-1
    p[2:n-1, j] = -c ./ (a*p[2:n-1, j-1] + b);
    q[2:n-1, j] = (-d*u[j, 1:n-2]' + (1 + 2*d)*u[j, 2:n-1]' - d*u[j, 3:n]' - a*q[2:n-1, j-1]) ./ (a*p[2:n-1, j-1] + b);
  end
  v[n, 2:n-1] = 1;
  for j = n-1:-1:2
    v[j, 2:n-1] = p[2:n-1, j]'.*v[j+1, 2:n-1] + q[2:n-1, j]';
  end
  u[2:n-1, 1] = 1; p[2:n-1, 1] = 0; q[2:n-1, 1] = u[2:n-1, 1];
  for j = 2:n-1
    p[2:n-1, j] = -d ./ (d*p[2:n-1, j-1] + f);
    q[2:n-1, j] = (-a*v[1:n-2, j] + (1 + 2*a)*v[2:n-1, j] - a*v[3:n, j] - d*q[2:n-1, j-1]) ./ (d*p[2:n-1, j-1] + f);
  end
  u[2:n-1, n] = 1;
  for j = n-1:-1:2
    u[2:n-1, j] = p[2:n-1, j].*u[2:n-1, j+1] + q[2:n-1, j];
  end
end''', adi_numpy, 'u', None


def adi_numpy(u):
    n = len(u)
    v, p, q = (np.zeros((n, n)) for _ in range(3))
    a, b, c, d, f = -0.4, 1.8, -0.4, -0.3, 1.6
    for _ in range(4):
        v[0, 1:-1] = 1
        p[1:-1, 0] = 0
        q[1:-1, 0] = v[0, 1:-1]
        for j in range(1, n - 1):
            p[1:-1, j] = -c/(a*p[1:-1, j-1] + b)
            q[1:-1, j] = (-d*u[j, :-2] + (1 + 2*d)*u[j, 1:-1] - d*u[j, 2:] - a*q[1:-1, j-1])/(
                a*p[1:-1, j-1] + b)
        v[n-1, 1:-1] = 1
        for j in range(n - 2, 0, -1):
            v[j, 1:-1] = p[1:-1, j]*v[j+1, 1:-1] + q[1:-1, j]
        u[1:-1, 0] = 1
        p[1:-1, 0] = 0
        q[1:-1, 0] = u[1:-1, 0]
        for j in range(1, n - 1):
            p[1:-1, j] = -d/(d*p[1:-1, j-1] + f)
            q[1:-1, j] = (-a*v[:-2, j] + (1 + 2*a)*v[1:-1, j] - a*v[2:, j] - d*q[1:-1, j-1])/(
                d*p[1:-1, j-1] + f)
        u[1:-1, n-1] = 1
        for j in range(n - 2, 0, -1):
            u[1:-1, j] = p[1:-1, j]*u[1:-1, j+1] + q[1:-1, j]
    return u


def filters(n, r):
    return dict(x=r.random((n, n))), '''
y = zeros(n, n, "f64"); z = zeros(n, n, "f64");
y[:, 1] = 0.3*x[:, 1];
y[:, 2] = 0.3*x[:, 2] + 0.1*x[:, 1] + 0.6*y[:, 1];
for j = 3:n
  y[:, j] = 0.3*x[:, j] + 0.1*x[:, j-1] + 0.6*y[:, j-1] - 0.1*y[:, j-2];
end
z[:, n] = 0;
z[:, n-1] = 0.2*x[:, n];
for j = n-2:-1:1
  z[:, j] = 0.2*x[:, j+1] + 0.1*x[:, j+2] + 0.6*z[:, j+1] - 0.1*z[:, j+2];
end
y = y + z;''', filters_numpy, 'y', None


def filters_numpy(x):
    n = len(x)
    y, z = np.zeros((n, n)), np.zeros((n, n))
    y[:, 0] = 0.3*x[:, 0]
    y[:, 1] = 0.3*x[:, 1] + 0.1*x[:, 0] + 0.6*y[:, 0]
    for j in range(2, n):
        y[:, j] = 0.3*x[:, j] + 0.1*x[:, j-1] + 0.6*y[:, j-1] - 0.1*y[:, j-2]
    z[:, -1] = 0
    z[:, -2] = 0.2*x[:, -1]
    for j in range(n - 3, -1, -1):
        z[:, j] = 0.2*x[:, j+1] + 0.1*x[:, j+2] + 0.6*z[:, j+1] - 0.1*z[:, j+2]
    return y + z


def advection(n, r):
    return dict(w=r.random((n, n)), u=r.random((n, n)), s=r.random((n, n))), '''
c = zeros(n, n, "f64"); d = zeros(n, n, "f64"); o = zeros(n, n, "f64");
g = 0.25*(w[2, :] + w[1, :]);
b = 3 - 0.5*g;
c[1, :] = 0.5*g ./ b;
d[1, :] = (3*u[1, :] + s[1, :] - 0.1*g.*(u[2, :] - u[1, :])) ./ b;
for k = 2:n-1
  ga = -0.25*(w[k, :] + w[k-1, :]);
  gc = 0.25*(w[k+1, :] + w[k, :]);
  b = 3 - 0.5*ga - 0.5*gc;
  e = -0.1*ga.*(u[k-1, :] - u[k, :]) - 0.1*gc.*(u[k+1, :] - u[k, :]);
  q = 1 ./ (b - c[k-1, :].*(0.5*ga));
  c[k, :] = 0.5*gc.*q;
  d[k, :] = (3*u[k, :] + s[k, :] + e - d[k-1, :].*(0.5*ga)).*q;
end
o[n, :] = d[n-1, :];
for k = n-1:-1:1
  o[k, :] = d[k, :] - c[k, :].*o[k+1, :];
end''', advection_numpy, 'o', None


def advection_numpy(w, u, s):
    n = len(w)
    c, d, o = (np.zeros((n, n)) for _ in range(3))
    g = 0.25*(w[1] + w[0])
    b = 3 - 0.5*g
    c[0] = 0.5*g/b
    d[0] = (3*u[0] + s[0] - 0.1*g*(u[1] - u[0]))/b
    for k in range(1, n - 1):
        ga = -0.25*(w[k] + w[k-1])
        gc = 0.25*(w[k+1] + w[k])
        b = 3 - 0.5*ga - 0.5*gc
        e = -0.1*ga*(u[k-1] - u[k]) - 0.1*gc*(u[k+1] - u[k])
        q = 1/(b - c[k-1]*(0.5*ga))
        c[k] = 0.5*gc*q
        d[k] = (3*u[k] + s[k] + e - d[k-1]*(0.5*ga))*q
    o[n-1] = d[n-2]
    for k in range(n - 2, -1, -1):
        o[k] = d[k] - c[k]*o[k+1]
    return o


def gram_schmidt(n, r):
    return dict(A=r.random((n, n)) + n*np.eye(n)), '''
Q = zeros(n, n, "f64"); R = zeros(n, n, "f64");
for k = 1:n
  R[k, k] = sqrt(A[:, k]'*A[:, k]);
  Q[:, k] = A[:, k]/R[k, k];
  for j = k+1:n
    R[k, j] = Q[:, k]'*A[:, j];
    A[:, j] -= Q[:, k]*R[k, j];
  end
end''', gram_schmidt_numpy, 'R', None


def gram_schmidt_numpy(A):
    n = len(A)
    Q, R = np.zeros((n, n)), np.zeros((n, n))
    for k in range(n):
        R[k, k] = np.sqrt(A[:, k] @ A[:, k])
        Q[:, k] = A[:, k]/R[k, k]
        for j in range(k + 1, n):
            R[k, j] = Q[:, k] @ A[:, j]
            A[:, j] -= Q[:, k]*R[k, j]
    return R


def covariance(n, r):
    return dict(D=whole(r, n, n)), '''
D = D - mean(D, 1); V = zeros(n, n, "f64");
for i = 1:n
  V[i:n, i] = (D[:, i]'*D[:, i:n])'/(n - 1);
  V[i, i:n] = V[i:n, i]';
end''', covariance_numpy, 'V', None


def covariance_numpy(D):
    n = len(D)
    D = D - D.mean(axis=0)
    V = np.zeros((n, n))
    for i in range(n):
        V[i:, i] = D[:, i] @ D[:, i:]/(n - 1)
        V[i, i:] = V[i:, i]
    return V


def correlation(n, r):
    return dict(D=r.random((6*n//5, n))), '''
D = D - mean(D, 1); s = sqrt(mean(D.*D, 1));
s[s <= 0.1] = 1;
D = D ./ (sqrt(size(D, 1))*s);
n = size(D, 2); R = f64(eye(n));
for i = 1:n-1
  R[i+1:n, i] = (D[:, i]'*D[:, i+1:n])';
  R[i, i+1:n] = R[i+1:n, i]';
end''', correlation_numpy, 'R', None


def correlation_numpy(D):
    m, n = D.shape
    mean, s = np.mean(D, axis=0), np.std(D, axis=0)
    s[s <= 0.1] = 1.0
    D -= mean
    D /= np.sqrt(m)*s
    R = np.eye(n)
    for i in range(n - 1):
        R[i+1:, i] = R[i, i+1:] = D[:, i] @ D[:, i+1:]
    return R


def cholesky(n, r):
    B = r.random((n, n))
    return dict(A=B @ B.T + n*np.eye(n)), '''
A[1, 1] = sqrt(A[1, 1]);
for i = 2:n
  A[i, 1] /= A[1, 1];
  for j = 2:i-1
    A[i, j] -= A[i, 1:j-1]*A[j, 1:j-1]';
    A[i, j] /= A[j, j];
  end
  A[i, i] -= A[i, 1:i-1]*A[i, 1:i-1]';
  A[i, i] = sqrt(A[i, i]);
end''', cholesky_numpy, 'A', None


def cholesky_numpy(A):
    A[0, 0] = np.sqrt(A[0, 0])
    for i in range(1, len(A)):
        for j in range(i):
            A[i, j] -= np.dot(A[i, :j], A[j, :j])
            A[i, j] /= A[j, j]
        A[i, i] -= np.dot(A[i, :i], A[i, :i])
        A[i, i] = np.sqrt(A[i, i])
    return A


def azimuthal(n, r):
    radius = r.integers(0, 1000, 500*n).astype(float)
    return dict(data=whole(r, 500*n), radius=radius), '''
rings = 50; out = zeros(rings, "f64");
for i = 1:rings
  in = radius >= 20*(i - 1) && radius < 20*i;
  out[i] = sum(where(in, data, 0))/sum(in);
end''', azimuthal_numpy, 'out', 0


def azimuthal_numpy(data, radius):
    out = np.zeros(50)
    for i in range(50):
        inside = np.logical_and(radius >= 20*i, radius < 20*(i + 1))
        out[i] = data[inside].mean()
    return out


def crc16(n, r):
    return dict(bytes=r.integers(0, 256, 10*n).astype(np.int64)), '''
crc = 65535; pow = 1;
poly = [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
bits = i64(mod(floor(bytes ./ 2.^(0:7)'), 2));
c = i64(ones(1));
for i = 1:numel(bytes)
  for k = 1:8
    b = mod(crc, 2);
    crc = floor(crc/2);
    if b != bits[i, k]
      crc = mod(floor(crc/32768) + 1, 2)*32768 + mod(crc, 32768);
      t = mod(floor(crc/1024), 2);
      crc = crc + 1024 - 2048*t;
      t = mod(floor(crc/8), 2);
      crc = crc + 8 - 16*t;
    end
  end
end
c[1] = crc;''', crc16_numpy, 'c', 0


def crc16_numpy(bytes):
    crc = 0xFFFF
    for b in bytes:
        now = int(b)
        for _ in range(8):
            if (crc & 1) ^ (now & 1):
                crc = (crc >> 1) ^ 0x8408
            else:
                crc >>= 1
            now >>= 1
    return np.array([crc])


PROGRAMS = [('LU', lu_alone), ('LU with solve', lu), ('triangular product', trmm),
            ('triangular solve', trisolv), ('Durbin', durbin), ('Gauss-Seidel', seidel),
            ('symmetric product', symm), ('rank-k update', syrk),
            ('rank-2k update', syr2k), ('Nussinov', nussinov), ('CSR product', csr), ('ADI', adi),
            ('recursive filter', filters), ('vertical advection', advection),
            ('Gram-Schmidt', gram_schmidt), ('covariance', covariance),
            ('correlation', correlation), ('Cholesky', cholesky),
            ('azimuthal integration', azimuthal), ('CRC-16', crc16)]


def run_fusible(options, folder, arrays, text, result):
    """(seconds, the result), or what is wrong."""
    lines = [f'{name}_0 = load("{name}.npy");' for name in arrays]
    lines += [f'n = {max(a.shape[0] for a in arrays.values())};']
    for _ in range(options.runs + 1):
        lines += [f'{name} = {name}_0 + 0;' for name in arrays]
        lines += [f'print(sum({name}));' for name in arrays]
        lines += ['began = time();', text, 'print("took ", time() - began);']
    lines += [f'save("result.npy", {result});']
    with open(os.path.join(folder, 'program.fs'), 'w', encoding='utf-8') as f:
        f.write('\n'.join(lines) + '\n')
    done = subprocess.run([options.fusible, '--no-rc', '--target', 'cpu', '--plan', 'off', '--threads',
                           str(options.threads), 'program.fs'], cwd=folder, capture_output=True,
                          text=True)
    times = [float(line.split()[1]) for line in done.stdout.splitlines()
             if line.startswith('took ')]
    if done.returncode:
        return next((line for line in done.stderr.split('\n') if 'error' in line), None) or f'exit status {done.returncode}'
    return min(times[1:]), np.load(os.path.join(folder, 'result.npy'))


def run_numpy(options, arrays, function):
    least = math.inf
    for _ in range(options.runs):
        copies = {name: a.copy() for name, a in arrays.items()}
        began = time.perf_counter()
        result = function(**copies)
        least = min(least, time.perf_counter() - began)
        if least > 2:
            break
    return least, result


def measure(options, name, make):
    arrays, text, function, result, exact = make(options.size, np.random.default_rng(1))
    best, peer, got, want = math.inf, math.inf, None, None
    with tempfile.TemporaryDirectory() as folder:
        for key, a in arrays.items():
            np.save(os.path.join(folder, f'{key}.npy'), a)
        for _ in range(2):  # in turns
            ran = run_fusible(options, folder, arrays, text, result)
            if isinstance(ran, str):
                return ran
            best, got = min(best, ran[0]), ran[1]
            seconds, want = run_numpy(options, arrays, function)
            peer = min(peer, seconds)
    off = float(np.max(np.abs(np.squeeze(got) - np.squeeze(want)))/max(1, np.max(np.abs(want))))
    if off > (1e-9 if exact is None else 0):
        return f'another value: off by {off:.2g}'
    return best, peer, off


def main():
    p = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    p.add_argument('--fusible', default=os.path.join(ROOT, 'build', 'fusible'))
    p.add_argument('--size', type=int, default=200)
    p.add_argument('--threads', type=int, default=2)
    p.add_argument('--only', default='')
    p.add_argument('--runs', type=int, default=3)
    p.add_argument('--json')
    options = p.parse_args()
    rows = []
    print('| program | Fusible ms | NumPy ms | Fusible / NumPy | off |\n|---|---|---|---|---|')
    for name, make in PROGRAMS:
        if options.only not in name:
            continue
        got = measure(options, name, make)
        if isinstance(got, str):
            print(f'| {name} | {got} | - | - | - |', flush=True)
            continue
        best, peer, off = got
        rows.append(dict(name=name, fusible=best, numpy=peer, off=off))
        print(f'| {name} | {best*1e3:.2f} | {peer*1e3:.2f} | {best/peer:.2f} | {off:.1g} |',
              flush=True)
    if rows:
        mean = math.exp(sum(math.log(row['fusible']/row['numpy']) for row in rows)/len(rows))
        print(f'\nGeometric mean of {len(rows)}: {mean:.2f}')
    if options.json:
        with open(options.json, 'w', encoding='utf-8') as f:
            f.write(json.dumps(dict(size=options.size, threads=options.threads, numpy=np.__version__,
                                    rows=rows), indent=1) + '\n')
    return 0


if __name__ == '__main__':
    sys.exit(main())
