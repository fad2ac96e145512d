# Strassen's product of two matrices, three levels deep.
function strassen(A, B, depth)
  if depth == 0
    return A*B
  end
  n = size(A, 1); h = n/2
  a = A[1:h, 1:h]; b = A[1:h, h+1:n]; c = A[h+1:n, 1:h]; d = A[h+1:n, h+1:n]
  e = B[1:h, 1:h]; f = B[1:h, h+1:n]; g = B[h+1:n, 1:h]; k = B[h+1:n, h+1:n]
  m1 = strassen(a + d, e + k, depth - 1)
  m2 = strassen(c + d, e, depth - 1)
  m3 = strassen(a, f - k, depth - 1)
  m4 = strassen(d, g - e, depth - 1)
  m5 = strassen(a + b, k, depth - 1)
  m6 = strassen(c - a, e + f, depth - 1)
  m7 = strassen(b - d, g + k, depth - 1)
  return [m1 + m4 - m5 + m7, m3 + m5; m2 + m4, m1 - m2 + m3 + m6]
end
n = 512
A = f32(mod((1:n)' .* (1:n), 7)); B = f32(mod(3*(1:n)' + 5*(1:n), 5))
A[1, 1] = 1; B[1, 1] = 1
C = strassen(A, B, 3);
