// A matrix times a vector, as one writes it first.
__global__ void mv(const float *A, const float *x, float *y, int n) {
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k++) sum += A[i*n + k]*x[k];
  y[i] = sum;
}
