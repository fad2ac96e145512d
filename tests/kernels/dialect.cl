// OpenCL C
#define N 4
__kernel void scale(__global const float *x, __global float *y, const float a) {
  int i = get_global_id(0);
  y[i] = a * x[i];
}
kernel void tile(global const float x[N][N], global float y[N][N]) {
  const int row = get_group_id(1) * get_local_size(1) + get_local_id(1);
  int col = get_local_id(0) + get_group_id(0) * get_local_size(0);
  y[col][row] = x[row][col] * (float)(row + 1);
}
__kernel void axpy(const int n, const float a, __global const float *restrict x, __global float *restrict y) {
  const size_t i = get_global_id(0);
  if (i < n) y[i] += a*x[i];
}
__kernel void clip(__global const int *x, __global int *y, int n) {
  int i = get_global_id(0);
  int v = x[i];
  y[i] = v < 0 ? -v : v > 9 ? 9 : v / 2 + v % 3;
}
__kernel void shift(__global const float *x, __global float *y, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  y[i] = i > 0 ? x[i - 1] : 0.0f;
}
__kernel void evens(__global const float *x, __global float *y, int n) {
  int i = get_global_id(0);
  float s = 0.f;
  for (int k = n - 1; k >= 0; k -= 2) s = fmaxf(s, x[k]*(i & 1) + (i >> 1));
  y[i] = s;
}
__kernel void hist(__global const int *k, __global int *h) { h[k[get_global_id(0)]] += 1; }
