# Products with a short inner extent, which may be maps: of small integers they are exact, whatever
# they are, turned, cut or in the middle of other operations.
counted(m, n, p) = f32(mod(p*(1:m) + 3*(1:n)', 7) - 3)
# By its definition, an outer product after the other.
function summed(A, B)
  C = zeros(size(A, 1), size(B, 2))
  for k = 1:size(A, 2)
    C = C + A[:, k] * B[k, :]
  end
  return C
end
for inner = [2, 3, 4, 5]
  A = counted(1031, inner, 5); B = counted(inner, 67, 2); T = counted(67, inner, 3);
  assert(all(A*B == summed(A, B)))
  assert(all(A*T' == summed(A, T')))
  assert(all(T*A' == summed(T, A')))
  assert(all((2*A + 1)*B - 1 == summed(2*A + 1, B) - 1))
  U = counted(inner, 1031, 4);
  assert(all(U'*B == summed(U', B)))
  assert(all(U'*T' == summed(U', T')))
  assert(all(U[:, 1031:-2:1]'*B[:, 2:65] == summed(U[:, 1031:-2:1]', B[:, 2:65])))
  D = f64(A) * f64(B);
  assert(all(D == f64(A*B)))
  assert(all(rowargmin(A*B) == rowargmin(summed(A, B))))
  assert(all(A*B*ones(67) == summed(A, B)*ones(67)))
end
# A rank-2 update in place, and one of its own transpose.
E = counted(300, 300, 3); V = counted(300, 2, 5);
F = E - summed(V, V');
E = E - V*V';
assert(all(E == F))
print("ok")   # expect: ok
