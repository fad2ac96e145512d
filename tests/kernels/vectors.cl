// Vectors of OpenCL C, which have operators.
__kernel void mad4(__global const float4 *a, __global const float4 *b, __global float4 *c, float s) {
  int i = get_global_id(0);
  float4 v = a[i]*s + b[i];
  v += (float4)(1.0f, 2.0f, 3.0f, 4.0f);
  if (i % 2 == 1) v = v*(float4)(2.0f);
  c[i] = (float4)(v);
}

__kernel void halves(__global const float *a, __global float *c, __global float *d) {
  int i = get_global_id(0);
  float4 v = vload4(i, a);
  float2 w = (float2)(v.x + v.z, (v*2.0f).w);
  vstore2(w, i, c);
  d[i] = dot(v, v);
}
