==== h200
> code: cuda
# k1 flat
launch: 64 threads, at most 8192 blocks, 16 waves of 4 pieces, bounds for 8
shared: 0 B; waits; lasts
slots: 0 1 2 3; params: 1 float, 2 float, 3 float, 0 float, 4 float
// d = (log(S./K) + 0.045*T)./(0.3*sqrt(T)); C = S.*normcdf(d) - K.*exp(-0.03*T).*normcdf(d - 0.3*sqrt(T))
//
// scheme flat; 4194304 elements; 64 threads; 4 lanes x 2 vectors
typedef int fs_index;
constexpr int FS_THREADS = 64, FS_RESIDENT = 8;
constexpr fs_index FS_TILES = 8192;

// quick.cuh: fs_reciprocal fs_div fs_last_step fs_div_or_0 fs_sqrt fs_sqrt_or_0 fs_log
// memory.cuh: fs_get fs_put fs_pack fs_values fs_load fs_store fs_anew
// cache.cuh: fs_cache_lasts fs_words_by fs_load_by
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, float p0, float p1, float p2, float
        p3, float p4
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  const float *const a2 = (const float *)s2;
  float *const a3 = (float *)s3;
  const int t = threadIdx.x;
  const float v0 = (float)p0;
  const float v9 = (float)p1;
  const float v13 = (float)p2;
  const float v16 = (float)p3;
  const float v19 = (float)p4;
  const unsigned long long lasts = fs_cache_lasts();
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v1[2][4];
    float v3[2][4];
    float v4[2][4];
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (tile * 128 + (c * 64 + t)) * 4;
      fs_load_by(v1[c], a0 + j, lasts);
      fs_load_by(v3[c], a1 + j, lasts);
      fs_load_by(v4[c], a2 + j, lasts);
    }
    unsigned left = 0;
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (tile * 128 + (c * 64 + t)) * 4;
      float v29[4];
      bool rare = false;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const float v2 = v0 * v1[c][e];
        const float v5 = fs_div_or_0(v3[c][e], v4[c][e], rare);
        const float v6 = fs_log(v5, rare);
        const float v7 = v2 + v6;
        const float v8 = fs_sqrt_or_0(v1[c][e], rare);
        const float v10 = v9 * v8;
        const float v11 = fs_div_or_0(v7, v10, rare);
        const float v12 = -v11;
        const float v14 = fs_div_or_0(v12, v13, rare);
        const float v15 = erfcf(v14);
        const float v17 = v16 * v15;
        const float v18 = v3[c][e] * v17;
        const float v20 = v19 * v1[c][e];
        const float v21 = expf(v20);
        const float v22 = v4[c][e] * v21;
        const float v23 = v11 - v10;
        const float v24 = -v23;
        const float v25 = fs_div_or_0(v24, v13, rare);
        const float v26 = erfcf(v25);
        const float v27 = v16 * v26;
        const float v28 = v22 * v27;
        v29[e] = v18 - v28;
      }
      if (!rare) {
        fs_store(a3 + j, v29);
      } else {
        left |= 1u << c;
      }
    }
    if (left) {
#pragma unroll 1
      for (int c = 0; c < 2; c++) {
        if (!(left >> c & 1)) continue;
        const fs_index j = (tile * 128 + (c * 64 + t)) * 4;
        const fs_index from = j;
#pragma unroll 1
        for (int e = 0; e < 4; e++) {
          fs_anew();
          const fs_index j = from + e;
          float v1;
          v1 = fs_get(a0[j]);
          float v3;
          v3 = fs_get(a1[j]);
          float v4;
          v4 = fs_get(a2[j]);
          float v29;
          const float v2 = v0 * v1;
          const float v5 = fs_div(v3, v4);
          const float v6 = fs_log(v5);
          const float v7 = v2 + v6;
          const float v8 = fs_sqrt(v1);
          const float v10 = v9 * v8;
          const float v11 = fs_div(v7, v10);
          const float v12 = -v11;
          const float v14 = fs_div(v12, v13);
          const float v15 = erfcf(v14);
          const float v17 = v16 * v15;
          const float v18 = v3 * v17;
          const float v20 = v19 * v1;
          const float v21 = expf(v20);
          const float v22 = v4 * v21;
          const float v23 = v11 - v10;
          const float v24 = -v23;
          const float v25 = fs_div(v24, v13);
          const float v26 = erfcf(v25);
          const float v27 = v16 * v26;
          const float v28 = v22 * v27;
          v29 = v18 - v28;
          fs_put(a3[j], v29);
        }
      }
    }
  }
}
==== a100
> code: cuda
# k1 flat
launch: 128 threads, at most 4096 blocks, 16 waves of 4 pieces, bounds for 5
shared: 0 B
slots: 0 1 2 3; params: 1 float, 2 float, 3 float, 0 float, 4 float
// d = (log(S./K) + 0.045*T)./(0.3*sqrt(T)); C = S.*normcdf(d) - K.*exp(-0.03*T).*normcdf(d - 0.3*sqrt(T))
//
// scheme flat; 4194304 elements; 128 threads; 4 lanes x 2 vectors
typedef int fs_index;
constexpr int FS_THREADS = 128, FS_RESIDENT = 5;
constexpr fs_index FS_TILES = 4096;

// quick.cuh: fs_reciprocal fs_div fs_last_step fs_div_or_0 fs_sqrt fs_sqrt_or_0 fs_log
// memory.cuh: fs_get fs_put fs_pack fs_load fs_store fs_anew
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, float p0, float p1, float p2, float
        p3, float p4
) {
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  const float *const a2 = (const float *)s2;
  float *const a3 = (float *)s3;
  const int t = threadIdx.x;
  const float v0 = (float)p0;
  const float v9 = (float)p1;
  const float v13 = (float)p2;
  const float v16 = (float)p3;
  const float v19 = (float)p4;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v1[2][4];
    float v3[2][4];
    float v4[2][4];
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (tile * 256 + (c * 128 + t)) * 4;
      fs_load(v1[c], a0 + j);
      fs_load(v3[c], a1 + j);
      fs_load(v4[c], a2 + j);
    }
    unsigned left = 0;
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (tile * 256 + (c * 128 + t)) * 4;
      float v29[4];
      bool rare = false;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const float v2 = v0 * v1[c][e];
        const float v5 = fs_div_or_0(v3[c][e], v4[c][e], rare);
        const float v6 = fs_log(v5, rare);
        const float v7 = v2 + v6;
        const float v8 = fs_sqrt_or_0(v1[c][e], rare);
        const float v10 = v9 * v8;
        const float v11 = fs_div_or_0(v7, v10, rare);
        const float v12 = -v11;
        const float v14 = fs_div_or_0(v12, v13, rare);
        const float v15 = erfcf(v14);
        const float v17 = v16 * v15;
        const float v18 = v3[c][e] * v17;
        const float v20 = v19 * v1[c][e];
        const float v21 = expf(v20);
        const float v22 = v4[c][e] * v21;
        const float v23 = v11 - v10;
        const float v24 = -v23;
        const float v25 = fs_div_or_0(v24, v13, rare);
        const float v26 = erfcf(v25);
        const float v27 = v16 * v26;
        const float v28 = v22 * v27;
        v29[e] = v18 - v28;
      }
      if (!rare) {
        fs_store(a3 + j, v29);
      } else {
        left |= 1u << c;
      }
    }
    if (left) {
#pragma unroll 1
      for (int c = 0; c < 2; c++) {
        if (!(left >> c & 1)) continue;
        const fs_index j = (tile * 256 + (c * 128 + t)) * 4;
        const fs_index from = j;
#pragma unroll 1
        for (int e = 0; e < 4; e++) {
          fs_anew();
          const fs_index j = from + e;
          float v1;
          v1 = fs_get(a0[j]);
          float v3;
          v3 = fs_get(a1[j]);
          float v4;
          v4 = fs_get(a2[j]);
          float v29;
          const float v2 = v0 * v1;
          const float v5 = fs_div(v3, v4);
          const float v6 = fs_log(v5);
          const float v7 = v2 + v6;
          const float v8 = fs_sqrt(v1);
          const float v10 = v9 * v8;
          const float v11 = fs_div(v7, v10);
          const float v12 = -v11;
          const float v14 = fs_div(v12, v13);
          const float v15 = erfcf(v14);
          const float v17 = v16 * v15;
          const float v18 = v3 * v17;
          const float v20 = v19 * v1;
          const float v21 = expf(v20);
          const float v22 = v4 * v21;
          const float v23 = v11 - v10;
          const float v24 = -v23;
          const float v25 = fs_div(v24, v13);
          const float v26 = erfcf(v25);
          const float v27 = v16 * v26;
          const float v28 = v22 * v27;
          v29 = v18 - v28;
          fs_put(a3[j], v29);
        }
      }
    }
  }
}
