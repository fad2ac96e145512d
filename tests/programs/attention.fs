# Attention of a batch, as products and by letters.
B = 3; n = 16; d = 8;
data(k) = reshape(mod((0:B*n*d-1)*7919 + k, 101)/101 - 0.5, B, n, d)
Q = data(1); K = data(2); V = data(3);
O = softmax(Q*permute(K, [1, 3, 2])/sqrt(d), -1)*V;
L = einsum("bij,bjk->bik", softmax(einsum("bik,bjk->bij", Q, K)/sqrt(d), 3), V);
save("attention.npz", O, L)
