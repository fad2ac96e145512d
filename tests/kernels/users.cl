// From tutorials of OpenCL.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define TS 16
__constant float weights[3] = {1.0f, 2.0f, 3.0f};

__kernel void vadd(__global const float *a, __global const float *b, __global float *c, const unsigned int count) {
  int i = get_global_id(0);
  if (i < count) c[i] = a[i] + b[i];
}

__kernel void reduce(__global const float *buffer, __local float *scratch, __const int length, __global float *result) {
  int global_index = get_global_id(0);
  int local_index = get_local_id(0);
  scratch[local_index] = buffer[global_index];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int offset = get_local_size(0) / 2; offset > 0; offset = offset / 2) {
    if (local_index < offset) {
      float other = scratch[local_index + offset];
      float mine = scratch[local_index];
      scratch[local_index] = (mine < other) ? mine : other;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (local_index == 0) result[get_group_id(0)] = scratch[0];
}

__kernel void myGEMM2(const int M, const int N, const int K, const __global float *A, const __global float *B, __global float *C) {
  const int row = get_local_id(0);
  const int col = get_local_id(1);
  const int globalRow = TS*get_group_id(0) + row;
  const int globalCol = TS*get_group_id(1) + col;
  __local float Asub[TS][TS];
  __local float Bsub[TS][TS];
  float acc = 0.0f;
  const int numTiles = K/TS;
  for (int t = 0; t < numTiles; t++) {
    const int tiledRow = TS*t + row;
    const int tiledCol = TS*t + col;
    Asub[col][row] = A[tiledCol*M + globalRow];
    Bsub[col][row] = B[globalCol*K + tiledRow];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < TS; k++) {
      acc += Asub[k][row] * Bsub[col][k];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  C[globalCol*M + globalRow] = acc;
}

__kernel void weigh(__global const float *a, __global float *b, int n) {
  int i = get_global_id(0);
  if (i > 0 && i < n - 1) b[i] = weights[0]*a[i - 1] + weights[1]*a[i] + weights[2]*a[i + 1];
}

__kernel void dotp(__global const float4 *a, __global const float4 *b, __global float *c) {
  int i = get_global_id(0);
  c[i] = dot(a[i], b[i]);
}
