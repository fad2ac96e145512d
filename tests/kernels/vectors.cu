// Kernels that load and store several numbers at once.
#define FETCH_FLOAT4(pointer) (reinterpret_cast<float4*>(&(pointer))[0])

__global__ void axpy4(const float4 *x, const float4 *__restrict__ y, float4 *z, float a, int n) {
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  if (i < n) {
    float4 u = x[i], v = y[i];
    u.x = a*u.x + v.x; u.y = a*u.y + v.y;
    u.z = a*u.z + v.z; u.w = a*u.w + v.w;
    z[i] = u;
  }
}

// Four elements in the other order: a vector that is read while it is assigned to.
__global__ void turn4(float *in, float *out) {
  int i = 4*(blockIdx.x*blockDim.x + threadIdx.x);
  float4 r = FETCH_FLOAT4(in[i]);
  r = make_float4(r.w, r.z, r.y, r.x);
  FETCH_FLOAT4(out[i]) = r;
}

__global__ void norms(const float3 *p, float *r, int n) {
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  if (i >= n) return;
  float3 q = p[i];
  r[i] = q.x*q.x + q.y*q.y + q.z*q.z;
}

__global__ void rowsum4(const float *A, float *y, int n) {
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  const float4 *row = (const float4 *)(A + i*n);
  float s = 0;
  for (int k = 0; k < n/4; k++) { float4 t = row[k]; s += t.x + t.y + t.z + t.w; }
  y[i] = s;
}

// reinterpret_cast and __ldg, as in copies.
__global__ void copy_vector4(int *d_in, int *d_out) {
  int idx = blockIdx.x*blockDim.x + threadIdx.x;
  int4 v = __ldg(reinterpret_cast<const int4 *>(d_in) + idx);
  reinterpret_cast<int4 *>(d_out)[idx] = v;
}

__global__ void pairs(const float *in, float2 *out, int n) {
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (__ldg(in + i) > 0) out[i] = make_float2(__ldg(&in[i]), 1.0f);
  else out[i] = *reinterpret_cast<const float2 *>(&in[i]);
}

__global__ void loads(const float4 *p, float4 *q) {
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  float4 a = __ldg(&p[i]), b = *(p + i);
  q[i] = make_float4(a.x, b.y, 2*a.z, (a).w + b.x);
}

__global__ void bodies(const float4 *p, float4 *f, int n) {
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  float4 me = p[i];
  float3 acc = {0.0f, 0.0f, 0.0f};
  for (int j = 0; j < n; j++) {
    float4 other = p[j];
    float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
    acc.x += dx*other.w; acc.y += dy*other.w; acc.z += dz*other.w;
  }
  f[i] = make_float4(acc.x, acc.y, acc.z, dot(me, me));
}

__global__ void grey4(const uchar4 *in, unsigned char *out, int w, int h) {
  int x = blockIdx.x*blockDim.x + threadIdx.x, y = blockIdx.y*blockDim.y + threadIdx.y;
  if (x < w && y < h) {
    uchar4 c = in[y*w + x];
    out[y*w + x] = (c.x + 2*c.y + c.z) >> 2;
  }
}

// Thomas Wang's hash, and every other operator of whole numbers with `=`.
__global__ void wang(const unsigned *x, unsigned *h, int n) {
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned a = x[i];
    a = (a ^ 61) ^ (a >> 16); a += a << 3; a ^= a >> 4; a *= 0x27d4eb2d; a ^= a >> 15;
    a &= ~3u; a |= 1; a <<= 1; a >>= 2; a %= 1000003;
    h[i] = a;
  }
}

__global__ void flip(const int *x, int *y, int n) {
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  if (i < n) { y[i] = ~x[i]; y[i] ^= 5; }
}
