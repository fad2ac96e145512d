==== h200
> code: cuda
# k1 flat
launch: 64 threads, at most 16 blocks, each once, 16 waves of 8 pieces, bounds for 8
shared: 0 B; waits
slots: 0+16376 2 3 5; params: 0 int, 1 int, 2 int
// i > 1; for i: s += x[i - 1]
//
// scheme flat; 4096 elements; 64 threads; 4 lanes x 1 vector
typedef int fs_index;
constexpr int FS_THREADS = 64, FS_RESIDENT = 8;
constexpr fs_index FS_TILES = 16;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_load_shifted fs_within fs_load_within fs_store
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, long long p0, long long p1, long
        long p2
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s0 + 1;
  float *const a2 = (float *)s1;
  const float *const a3 = (const float *)s2 - 1;
  const float *const a4 = (const float *)s2;
  float *const a5 = (float *)s3;
  const int t = threadIdx.x;
  const long long v0 = (long long)p0;
  const long long v1 = (long long)p1;
  const long long v2 = v0 + v1 * (long long)(4095);
  const long long v3 = (long long)p2;
  const bool v4 = v2 > v3;
  const float v5 = fs_get(a0[0]);
  const float v6 = fs_get(a1[0]);
  const float v7 = v5 + v6;
  const float v8 = v4 ? v7 : v6;
  if (blockIdx.x == 0 && threadIdx.x == 0) fs_put(a2[0], v8);
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v11[4];
    float v12[4];
    {
      const fs_index j = (tile * 64 + t) * 4;
      if (j + 8 <= 4096 && j >= 5 && j <= 4089) {
        fs_load_shifted<3>(v11, a3 + j);
        fs_load(v12, a4 + j);
      } else {
        fs_load_within(v11, a3, (fs_index)(j), (fs_index)1, (fs_index)1,
            (fs_index)4096, 4);
        fs_load(v12, a4 + j);
      }
    }
    {
      const fs_index j = (tile * 64 + t) * 4;
      float v14[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const long long v9 = v0 + v1 * (long long)(j + e);
        const bool v10 = v9 > v3;
        const float v13 = v11[e] + v12[e];
        v14[e] = v10 ? v13 : v12[e];
      }
      fs_store(a5 + j, v14);
    }
  }
}
