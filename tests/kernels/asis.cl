// For tests/test_asis.py.
float half_of(float x) { return x/2; }
__kernel void inc(__global const float *a, __global float *b, const uint n) {
  size_t i = get_global_id(0);
  if (i < n) b[i] = half_of(a[i]) + 1.0f;
}
