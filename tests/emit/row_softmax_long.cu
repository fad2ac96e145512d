==== h200
> code: cuda
# k1 row
launch: 1024 threads, at most 4096 blocks in clusters of 8, each once, bounds for 1
shared: 0 B; waits; lasts
slots: 0 1; params: 0 float
// P = softmax(A)
//
// scheme row; 512 rows of 200000; 1024 threads; 4 lanes x 7 vectors; 8 blocks to a row
typedef int fs_index;
constexpr int FS_THREADS = 1024, FS_RESIDENT = 1;
constexpr int FS_CLUSTER = 8;
constexpr int FS_ROW_THREADS = 1024, FS_ROWS = 1;
constexpr fs_index FS_M = 512;

// maps.cuh: fs_max
// memory.cuh: fs_get fs_put fs_pack fs_values fs_load fs_store
// cache.cuh: fs_cache_lasts fs_words_by fs_load_by
// reduce.cuh: fs_add fs_larger fs_lanes fs_warp fs_fold
// barrier.cuh: fs_after_kernels
// bulk.cuh: fs_shared_address
// cluster.cuh: fs_cluster_rank fs_cluster_barrier fs_cluster_put
extern "C" __global__ void __cluster_dims__(FS_CLUSTER, 1, 1)
    __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, float p0
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  const int t = threadIdx.x;  // place in the block's part of the row
  const int rank = fs_cluster_rank<FS_CLUSTER>();  // part of the row
  const fs_index team = blockIdx.x / FS_CLUSTER;
  const fs_index teams = gridDim.x / FS_CLUSTER;
  const float v5 = (float)p0;
  __shared__ float part1[2][256];
  __shared__ float part4[2][256];
  int turn = 0;
  const unsigned long long lasts = fs_cache_lasts();
  fs_cluster_barrier<8>();  // all have begun
  for (fs_index first = team * FS_ROWS; first < FS_M;
       first += teams * FS_ROWS) {
    const fs_index i = first;
    float r1[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      r1[e] = __int_as_float(0xff800000);
    }
    float v0[7][4] = {};
#pragma unroll
    for (int c = 0; c < 7; c++) {
      const fs_index j = (rank * 7168 + c * 1024 + t) * 4;
      const bool in = j < 200000;
      if (in) fs_load_by(v0[c], a0 + (i * 200000 + j), lasts);
    }
#pragma unroll
    for (int c = 0; c < 7; c++) {
      const fs_index j = (rank * 7168 + c * 1024 + t) * 4;
      const bool in = j < 200000;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        if (in) r1[e] = fs_max(r1[e], v0[c][e]);
      }
    }
    {
      const float x = fs_warp<fs_larger, 32>(fs_lanes<fs_larger>(r1));
      if (threadIdx.x % 32 < 8)
        fs_cluster_put<8>(part1[turn] + (rank * 32 + threadIdx.x / 32), x,
          threadIdx.x % 32);
    }
    fs_cluster_barrier<8>();
    const float v1 = fs_fold<fs_larger, 256>(part1[turn]);
    turn ^= 1;  // the next sums go beside these
    float r4[4] = {};
    float v3[7][4];
#pragma unroll
    for (int c = 0; c < 7; c++) {
      const fs_index j = (rank * 7168 + c * 1024 + t) * 4;
      const bool in = j < 200000;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const float v2 = v0[c][e] - v1;
        v3[c][e] = expf(v2);
        if (in) r4[e] = r4[e] + v3[c][e];
      }
    }
    {
      const float x = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r4));
      if (threadIdx.x % 32 < 8)
        fs_cluster_put<8>(part4[turn] + (rank * 32 + threadIdx.x / 32), x,
          threadIdx.x % 32);
    }
    fs_cluster_barrier<8>();
    const float v4 = fs_fold<fs_add, 256>(part4[turn]);
    turn ^= 1;  // the next sums go beside these
    const float v6 = v5 / v4;
#pragma unroll
    for (int c = 0; c < 7; c++) {
      const fs_index j = (rank * 7168 + c * 1024 + t) * 4;
      const bool in = j < 200000;
      float v9[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        v9[e] = v6 * v3[c][e];
      }
      if (in) fs_store(a1 + (i * 200000 + j), v9);
    }
  }
}
==== a100
> code: cuda
# k1 row
launch: 512 threads, at most 256 blocks, bounds for 1
shared: 0 B
slots: 0 1; params: 0 float
// P = softmax(A)
//
// scheme row, in chunks; 512 rows of 200000; 512 threads; 4 lanes x 2 vectors; 2 rows at once
typedef int fs_index;
constexpr int FS_THREADS = 512, FS_RESIDENT = 1;
constexpr int FS_ROW_THREADS = 512, FS_ROWS = 2;
constexpr fs_index FS_M = 512;

// maps.cuh: fs_max
// memory.cuh: fs_get fs_put fs_pack fs_load fs_store
// reduce.cuh: fs_add fs_larger fs_lanes fs_warp fs_fold
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, float p0
) {
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const float v5 = (float)p0;
  __shared__ float part1[2][2][16];
  __shared__ float part4[2][2][16];
  int turn = 0;
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    float r1[2][4];
#pragma unroll
    for (int b = 0; b < 2; b++) {
#pragma unroll
      for (int e = 0; e < 4; e++) {
        r1[b][e] = __int_as_float(0xff800000);
      }
    }
    for (fs_index h = 0; h < 49; h++) {
      float v0[2][2][4] = {};
#pragma unroll
      for (int c = 0; c < 2; c++) {
        const fs_index j = (h * 1024 + (c * 512 + t)) * 4;
        const bool in = j < 200000;
#pragma unroll
        for (int b = 0; b < 2; b++) {
          const fs_index i = first + b;
          if (in) fs_load(v0[b][c], a0 + (i * 200000 + j));
        }
      }
#pragma unroll
      for (int c = 0; c < 2; c++) {
        const fs_index j = (h * 1024 + (c * 512 + t)) * 4;
        const bool in = j < 200000;
#pragma unroll
        for (int b = 0; b < 2; b++) {
          const fs_index i = first + b;
#pragma unroll
          for (int e = 0; e < 4; e++) {
            if (in) r1[b][e] = fs_max(r1[b][e], v0[b][c][e]);
          }
        }
      }
    }
    float v1[2];
#pragma unroll
    for (int b = 0; b < 2; b++) {
      const float x = fs_warp<fs_larger, 32>(fs_lanes<fs_larger>(r1[b]));
      if (threadIdx.x % 32 == 0) part1[turn][b][threadIdx.x / 32] = x;
    }
    __syncthreads();
#pragma unroll
    for (int b = 0; b < 2; b++) {
      v1[b] = fs_fold<fs_larger, 16>(part1[turn][b]);
    }
    turn ^= 1;  // the next sums go beside these
    float r4[2][4] = {};
    for (fs_index h = 0; h < 49; h++) {
      float v0[2][2][4] = {};
#pragma unroll
      for (int c = 0; c < 2; c++) {
        const fs_index j = (h * 1024 + (c * 512 + t)) * 4;
        const bool in = j < 200000;
#pragma unroll
        for (int b = 0; b < 2; b++) {
          const fs_index i = first + b;
          if (in) fs_load(v0[b][c], a0 + (i * 200000 + j));
        }
      }
#pragma unroll
      for (int c = 0; c < 2; c++) {
        const fs_index j = (h * 1024 + (c * 512 + t)) * 4;
        const bool in = j < 200000;
#pragma unroll
        for (int b = 0; b < 2; b++) {
          const fs_index i = first + b;
#pragma unroll
          for (int e = 0; e < 4; e++) {
            const float v2 = v0[b][c][e] - v1[b];
            const float v3 = expf(v2);
            if (in) r4[b][e] = r4[b][e] + v3;
          }
        }
      }
    }
    float v4[2];
#pragma unroll
    for (int b = 0; b < 2; b++) {
      const float x = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r4[b]));
      if (threadIdx.x % 32 == 0) part4[turn][b][threadIdx.x / 32] = x;
    }
    __syncthreads();
#pragma unroll
    for (int b = 0; b < 2; b++) {
      v4[b] = fs_fold<fs_add, 16>(part4[turn][b]);
    }
    turn ^= 1;  // the next sums go beside these
    float v6[2];
#pragma unroll
    for (int b = 0; b < 2; b++) {
      const fs_index i = first + b;
      v6[b] = v5 / v4[b];
    }
    for (fs_index h = 0; h < 49; h++) {
      float v0[2][2][4] = {};
#pragma unroll
      for (int c = 0; c < 2; c++) {
        const fs_index j = (h * 1024 + (c * 512 + t)) * 4;
        const bool in = j < 200000;
#pragma unroll
        for (int b = 0; b < 2; b++) {
          const fs_index i = first + b;
          if (in) fs_load(v0[b][c], a0 + (i * 200000 + j));
        }
      }
#pragma unroll
      for (int c = 0; c < 2; c++) {
        const fs_index j = (h * 1024 + (c * 512 + t)) * 4;
        const bool in = j < 200000;
#pragma unroll
        for (int b = 0; b < 2; b++) {
          const fs_index i = first + b;
          float v9[4];
#pragma unroll
          for (int e = 0; e < 4; e++) {
            const float v7 = v0[b][c][e] - v1[b];
            const float v8 = expf(v7);
            v9[e] = v6[b] * v8;
          }
          if (in) fs_store(a1 + (i * 200000 + j), v9);
        }
      }
    }
  }
}
