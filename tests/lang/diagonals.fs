# Products with what has zeros beside its diagonal however it is computed: rows or columns
# times the diagonal. What is 0 beside it is not multiplied.
A = [1, 2; 3, 4; 5, 6]; w = [1, 2, 3]; i = 1:3;
same(X, Y) = all(all(X == Y))
print(same(diag(w)*A, w.*A), " ", same(A'*diag(w), A'.*w'))              # expect: true true
print(same(-diag(w)'*A, -w.*A), " ", same(2*diag(w)*A, 2*w.*A))          # expect: true true
print(same(diag(w)*w, w.^2), " ", same(w'*diag(w), (w.^2)'), " ", w'*diag(w)*w)   # expect: true true 36
print(same(A'*diag(w)*A, A'*(w.*A)), " ", same(diag(w)*diag([4, 5, 6]), diag([4, 10, 18])))   # expect: true true
print(same(diag(w)*diag(w)*A, w.^2 .* A), " ", same(eye(3)*A, A), " ", same(A*eye(2), A))   # expect: true true true
print(same(eye(3)*eye(3), eye(3)), " ", same(diag(w, -1)*[A; 7, 8], [0, 0; w.*A]))          # expect: true true
print(same(where(i == i', w, 0)*A, w.*A), " ", same(where(i == i', 2, 0)*A, 2*A))           # expect: true true
F = [1, 2, 3; 4, 5, 6; 7, 8, 9]; f = diag(F);
print(same(where(i == i', F, 0)*A, f.*A), " ", same(where(i == i', F, 0)'*A, f.*A))         # expect: true true
# These have more than a diagonal, or another one.
print(same(where(i <= i', w, 0)*w, [6, 10, 9]), " ", same(where(i == i', w, 1)*w, [6, 8, 12]))   # expect: true true
print(same(where(i == i', 0, w)*w, [5, 8, 9]), " ", same(diag(w, 1)*[w; 4], [2, 6, 12, 0]))      # expect: true true
for k = 0:2
  print(sum(where(i == i' + k, w, 0)*w))
end
# expect: 14
# expect: 8
# expect: 3
# In every type, promoted as products are.
U = diag(u8([1, 2]))*u8([200, 2; 3, 4]);
print(dtype(U), " ", sum(U), " ", dtype(diag(f16([1, 2]))*bf16([1, 2; 3, 4])))               # expect: i64 216 f32
print(dtype(eye(2, "bool")*f64([1, 2; 3, 4])), " ", sum(sum(diag(c64([1i, 2]))*[1, 2; 3, 4])))   # expect: f64 14 + 3i
# NaN and Inf stay in their row.
B = diag([1, 2])*[inf, 1; nan, 3]; C = diag([nan, 2])*[1, 2; 3, 4];
print(B[1, 1], " ", B[1, 2], " ", B[2, 2], " ", same(C[2, :], [6, 8]'))       # expect: Inf 1 6 true
# What a name holds decides in every round.
X = [1, 2; 3, 4];
for k = 1:4
  if k == 2; D = [1, 1; 1, 1]; else; D = diag([k, 1]); end
  print(sum(D*X))
end
# expect: 10
# expect: 20
# expect: 16
# expect: 19
