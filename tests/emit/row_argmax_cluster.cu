==== h200
> code: cuda
# k1 row
launch: 1024 threads, at most 1024 blocks in clusters of 4, each once, bounds for 1
shared: 0 B; waits; lasts
slots: 0 1 2
// r = rowargmax(A); B = A - r
//
// scheme row; 256 rows of 100000; 1024 threads; 4 lanes x 7 vectors; 4 blocks to a row
typedef int fs_index;
constexpr int FS_THREADS = 1024, FS_RESIDENT = 1;
constexpr int FS_CLUSTER = 4;
constexpr int FS_ROW_THREADS = 1024, FS_ROWS = 1;
constexpr fs_index FS_M = 256;

// maps.cuh: fs_max
// memory.cuh: fs_get fs_put fs_pack fs_values fs_load fs_store fs_fresh
// cache.cuh: fs_cache_lasts fs_words_by fs_load_by
// spot.cuh: fs_spot
struct fs_first_largest {
  template <typename T>
  __device__ __forceinline__ static T best(T a, T b) { return fs_max(a, b); }
  template <typename T>
  __device__ __forceinline__ static T of(T a, T b) { return fs_first_of<fs_first_largest>(a, b); }
};

// reduce.cuh: fs_lanes fs_warp fs_fold
// barrier.cuh: fs_after_kernels
// bulk.cuh: fs_shared_address
// cluster.cuh: fs_cluster_rank fs_cluster_barrier fs_cluster_put fs_cluster_put_words
extern "C" __global__ void __cluster_dims__(FS_CLUSTER, 1, 1)
    __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  long long *const a1 = (long long *)s1;
  float *const a2 = (float *)s2;
  const int t = threadIdx.x;  // place in the block's part of the row
  const int rank = fs_cluster_rank<FS_CLUSTER>();  // part of the row
  const fs_index team = blockIdx.x / FS_CLUSTER;
  const fs_index teams = gridDim.x / FS_CLUSTER;
  __shared__ fs_spot<float> part1[2][128];
  int turn = 0;
  const unsigned long long lasts = fs_cache_lasts();
  fs_cluster_barrier<4>();  // all have begun
  for (fs_index first = team * FS_ROWS; first < FS_M;
       first += teams * FS_ROWS) {
    const fs_index i = first;
    fs_spot<float> r1[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      r1[e] = fs_spot<float>{__int_as_float(0xff800000), 2147483647};
    }
    float v0[7][4] = {};
#pragma unroll
    for (int c = 0; c < 7; c++) {
      const fs_index j = (rank * 7168 + c * 1024 + t) * 4;
      const bool in = j < 100000;
      if (in) fs_load_by(v0[c], a0 + (i * 100000 + j), lasts);
    }
#pragma unroll
    for (int c = 0; c < 7; c++) {
      const fs_index j = (rank * 7168 + c * 1024 + t) * 4;
      const bool in = j < 100000;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        if (in) r1[e] = fs_first_largest::of(r1[e],
            fs_spot<float>{v0[c][e], j + 1 + e});
      }
    }
    {
      const fs_spot<float> x = fs_warp<fs_first_largest,
          32>(fs_lanes<fs_first_largest>(r1));
      if (threadIdx.x % 32 < 4)
        fs_cluster_put_words<4>(part1[turn] + (rank * 32 + threadIdx.x / 32), x,
          threadIdx.x % 32);
    }
    fs_cluster_barrier<4>();
    const long long v1 = fs_fold<fs_first_largest, 128>(part1[turn]).at;
    turn ^= 1;  // the next sums go beside these
    if (t == 0 && rank == 0) fs_put(a1[i], v1);
    const float v2 = (float)v1;
#pragma unroll
    for (int c = 0; c < 7; c++) {
      const fs_index j = (rank * 7168 + c * 1024 + t) * 4;
      const bool in = j < 100000;
      float v3[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        v3[e] = v0[c][e] - v2;
      }
      if (in) fs_store(a2 + (i * 100000 + j), v3);
    }
  }
}
