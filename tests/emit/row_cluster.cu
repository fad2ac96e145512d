==== h200
> code: cuda
# k1 row
launch: 512 threads, at most 1064 blocks in clusters of 4, 1 a unit, bounds for 1
shared: 204800 B; workspace 256 B and 33024 B a block, 256 B of zeros; waits; cooperative
slots: 0 1 2
// y = A'*(A*x)
//
// scheme row; 266 rows of 33001; 512 threads; 4 lanes x 5 vectors; 4 blocks to a row; ring of 5 rows
typedef int fs_index;
constexpr int FS_THREADS = 512, FS_RESIDENT = 1;
constexpr int FS_CLUSTER = 4;
constexpr int FS_ROW_THREADS = 512, FS_ROWS = 1;
constexpr fs_index FS_M = 266;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_load_some fs_store
// reduce.cuh: fs_add fs_lanes fs_warp fs_across fs_fold fs_fetch fs_add_fetched fs_slices
// barrier.cuh: fs_after_kernels fs_grid_barrier
// bulk.cuh: FS_RING fs_shared_address fs_bulk_init fs_bulk_expect fs_bulk_copy fs_bulk_copy fs_bulk_wait
// cluster.cuh: fs_cluster_rank fs_cluster_barrier fs_cluster_put
extern "C" __global__ void __cluster_dims__(FS_CLUSTER, 1, 1)
    __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *work
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  float *const a2 = (float *)s2;
  float *const w3 = (float *)((char *)work + 256);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[1024];
  const int t = threadIdx.x;  // place in the block's part of the row
  const int rank = fs_cluster_rank<FS_CLUSTER>();  // part of the row
  const fs_index team = blockIdx.x / FS_CLUSTER;
  const fs_index teams = gridDim.x / FS_CLUSTER;
  __shared__ float part2[2][64];
  int turn = 0;
  FS_RING(ring);
  const int origin = rank * 10240;  // its columns of a row
  const int width = rank < 3 ? 10240 : 2281;
  __shared__ unsigned long long ready[5];
  if (threadIdx.x == 0) fs_bulk_init(ready, 5);
  __syncthreads();
#pragma unroll 1
  for (int s = 0; s < 5; s++) {
    const fs_index row = team + s * teams;
    if (threadIdx.x == 0 && row < 266) {
      fs_bulk_expect(&ready[s], (width * 4 + 15) / 16 * 16);
      fs_bulk_copy(ring + s * 40960, a0 + row * 33024 + origin, (width * 4 + 15)
          / 16 * 16, &ready[s]);
    }
  }
  int stage = 0;
  unsigned wave = 0;
  fs_cluster_barrier<4>();  // all have begun
  float v1[5][4] = {};
#pragma unroll
  for (int c = 0; c < 5; c++) {
    const fs_index j = (rank * 2560 + c * 512 + t) * 4;
    const int k = !(j < 33001) ? 0 : 33001 - j < 4 ? int(33001 - j) : 4;
    fs_load_some(v1[c], a1 + j, k);
  }
  float r3[5][4] = {};
  for (fs_index first = team * FS_ROWS; first < FS_M;
       first += teams * FS_ROWS) {
    const fs_index i = first;
    const unsigned char *const slot = ring + stage * 40960;
    fs_bulk_wait(&ready[stage], wave);
    float r2[4] = {};
    float v0[5][4] = {};
#pragma unroll
    for (int c = 0; c < 5; c++) {
      const fs_index j = (rank * 2560 + c * 512 + t) * 4;
      const int k = !(j < 33001) ? 0 : 33001 - j < 4 ? int(33001 - j) : 4;
      if (k > 0) {
        if (k > 0) fs_load(v0[c], (const float *)slot + (j - origin));
      }
    }
#pragma unroll
    for (int c = 0; c < 5; c++) {
      const fs_index j = (rank * 2560 + c * 512 + t) * 4;
      const int k = !(j < 33001) ? 0 : 33001 - j < 4 ? int(33001 - j) : 4;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        if (e < k) r2[e] = fmaf(v0[c][e], v1[c][e], r2[e]);
      }
    }
    {
      const float x = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r2));
      if (threadIdx.x % 32 < 4)
        fs_cluster_put<4>(part2[turn] + (rank * 16 + threadIdx.x / 32), x,
          threadIdx.x % 32);
    }
    fs_cluster_barrier<4>();
    if (threadIdx.x == 0 && i + 5 * teams < 266) {
      const fs_index row = i + 5 * teams;
      fs_bulk_expect(&ready[stage], (width * 4 + 15) / 16 * 16);
      fs_bulk_copy(ring + stage * 40960, a0 + row * 33024 + origin,
          (width * 4 + 15) / 16 * 16, &ready[stage]);
    }
    const float v2 = fs_fold<fs_add, 64>(part2[turn]);
    turn ^= 1;  // the next sums go beside these
#pragma unroll
    for (int c = 0; c < 5; c++) {
      const fs_index j = (rank * 2560 + c * 512 + t) * 4;
      const int k = !(j < 33001) ? 0 : 33001 - j < 4 ? int(33001 - j) : 4;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        r3[c][e] = fmaf(v0[c][e], v2, r3[c][e]);
      }
    }
    if (++stage == 5) {
      stage = 0;
      wave ^= 1;
    }
  }
  const fs_index part = team;
#pragma unroll
  for (int c = 0; c < 5; c++) {
    const fs_index j = (rank * 2560 + c * 512 + t) * 4;
    const int k = !(j < 33001) ? 0 : 33001 - j < 4 ? int(33001 - j) : 4;
    if (k > 0) fs_store(w3 + part * 33024 + j, r3[c]);
  }
  fs_grid_barrier(counters);
  const int lane = threadIdx.x % 32;
  const int slice = threadIdx.x / 32;
  float part3[3][4];
  fs_fetch(part3, w3, (fs_index)blockIdx.x * 128 + lane * 4, slice, 16,
      ((fs_index)gridDim.x / 4), 33024, 0);
  for (fs_index unit = blockIdx.x; unit < 258; unit += gridDim.x) {
    const fs_index x = unit * 128 + threadIdx.x;
    const fs_index j = x;
    const bool own = threadIdx.x < 128 && j < 33001;
    float sum3[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum3[e] = 0;
    }
    fs_add_fetched<fs_add>(sum3, part3);
    fs_fetch(part3, w3, (unit + gridDim.x) * 128 + lane * 4, slice, 16,
        ((fs_index)gridDim.x / 4), 33024, 0);
    float x3 = 0;
    x3 = fs_slices<fs_add, 32>(sum3, (float *)scratch, 512, x3);
    if (own) {
      const float v3 = x3;
      fs_put(a2[j], v3);
    }
  }
}
==== h100
> code: cuda
# k1 row
launch: 512 threads, at most 1064 blocks in clusters of 4, 1 a unit, bounds for 1
shared: 204800 B; workspace 256 B and 33024 B a block, 256 B of zeros; waits; cooperative
slots: 0 1 2
// y = A'*(A*x)
//
// scheme row; 266 rows of 33001; 512 threads; 4 lanes x 5 vectors; 4 blocks to a row; ring of 5 rows
typedef int fs_index;
constexpr int FS_THREADS = 512, FS_RESIDENT = 1;
constexpr int FS_CLUSTER = 4;
constexpr int FS_ROW_THREADS = 512, FS_ROWS = 1;
constexpr fs_index FS_M = 266;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_load_some fs_store
// reduce.cuh: fs_add fs_lanes fs_warp fs_across fs_fold fs_fetch fs_add_fetched fs_slices
// barrier.cuh: fs_after_kernels fs_grid_barrier
// bulk.cuh: FS_RING fs_shared_address fs_bulk_init fs_bulk_expect fs_bulk_copy fs_bulk_copy fs_bulk_wait
// cluster.cuh: fs_cluster_rank fs_cluster_barrier fs_cluster_put
extern "C" __global__ void __cluster_dims__(FS_CLUSTER, 1, 1)
    __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *work
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  float *const a2 = (float *)s2;
  float *const w3 = (float *)((char *)work + 256);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[1024];
  const int t = threadIdx.x;  // place in the block's part of the row
  const int rank = fs_cluster_rank<FS_CLUSTER>();  // part of the row
  const fs_index team = blockIdx.x / FS_CLUSTER;
  const fs_index teams = gridDim.x / FS_CLUSTER;
  __shared__ float part2[2][64];
  int turn = 0;
  FS_RING(ring);
  const int origin = rank * 10240;  // its columns of a row
  const int width = rank < 3 ? 10240 : 2281;
  __shared__ unsigned long long ready[5];
  if (threadIdx.x == 0) fs_bulk_init(ready, 5);
  __syncthreads();
#pragma unroll 1
  for (int s = 0; s < 5; s++) {
    const fs_index row = team + s * teams;
    if (threadIdx.x == 0 && row < 266) {
      fs_bulk_expect(&ready[s], (width * 4 + 15) / 16 * 16);
      fs_bulk_copy(ring + s * 40960, a0 + row * 33024 + origin, (width * 4 + 15)
          / 16 * 16, &ready[s]);
    }
  }
  int stage = 0;
  unsigned wave = 0;
  fs_cluster_barrier<4>();  // all have begun
  float v1[5][4] = {};
#pragma unroll
  for (int c = 0; c < 5; c++) {
    const fs_index j = (rank * 2560 + c * 512 + t) * 4;
    const int k = !(j < 33001) ? 0 : 33001 - j < 4 ? int(33001 - j) : 4;
    fs_load_some(v1[c], a1 + j, k);
  }
  float r3[5][4] = {};
  for (fs_index first = team * FS_ROWS; first < FS_M;
       first += teams * FS_ROWS) {
    const fs_index i = first;
    const unsigned char *const slot = ring + stage * 40960;
    fs_bulk_wait(&ready[stage], wave);
    float r2[4] = {};
    float v0[5][4] = {};
#pragma unroll
    for (int c = 0; c < 5; c++) {
      const fs_index j = (rank * 2560 + c * 512 + t) * 4;
      const int k = !(j < 33001) ? 0 : 33001 - j < 4 ? int(33001 - j) : 4;
      if (k > 0) {
        if (k > 0) fs_load(v0[c], (const float *)slot + (j - origin));
      }
    }
#pragma unroll
    for (int c = 0; c < 5; c++) {
      const fs_index j = (rank * 2560 + c * 512 + t) * 4;
      const int k = !(j < 33001) ? 0 : 33001 - j < 4 ? int(33001 - j) : 4;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        if (e < k) r2[e] = fmaf(v0[c][e], v1[c][e], r2[e]);
      }
    }
    {
      const float x = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r2));
      if (threadIdx.x % 32 < 4)
        fs_cluster_put<4>(part2[turn] + (rank * 16 + threadIdx.x / 32), x,
          threadIdx.x % 32);
    }
    fs_cluster_barrier<4>();
    if (threadIdx.x == 0 && i + 5 * teams < 266) {
      const fs_index row = i + 5 * teams;
      fs_bulk_expect(&ready[stage], (width * 4 + 15) / 16 * 16);
      fs_bulk_copy(ring + stage * 40960, a0 + row * 33024 + origin,
          (width * 4 + 15) / 16 * 16, &ready[stage]);
    }
    const float v2 = fs_fold<fs_add, 64>(part2[turn]);
    turn ^= 1;  // the next sums go beside these
#pragma unroll
    for (int c = 0; c < 5; c++) {
      const fs_index j = (rank * 2560 + c * 512 + t) * 4;
      const int k = !(j < 33001) ? 0 : 33001 - j < 4 ? int(33001 - j) : 4;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        r3[c][e] = fmaf(v0[c][e], v2, r3[c][e]);
      }
    }
    if (++stage == 5) {
      stage = 0;
      wave ^= 1;
    }
  }
  const fs_index part = team;
#pragma unroll
  for (int c = 0; c < 5; c++) {
    const fs_index j = (rank * 2560 + c * 512 + t) * 4;
    const int k = !(j < 33001) ? 0 : 33001 - j < 4 ? int(33001 - j) : 4;
    if (k > 0) fs_store(w3 + part * 33024 + j, r3[c]);
  }
  fs_grid_barrier(counters);
  const int lane = threadIdx.x % 32;
  const int slice = threadIdx.x / 32;
  float part3[3][4];
  fs_fetch(part3, w3, (fs_index)blockIdx.x * 128 + lane * 4, slice, 16,
      ((fs_index)gridDim.x / 4), 33024, 0);
  for (fs_index unit = blockIdx.x; unit < 258; unit += gridDim.x) {
    const fs_index x = unit * 128 + threadIdx.x;
    const fs_index j = x;
    const bool own = threadIdx.x < 128 && j < 33001;
    float sum3[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum3[e] = 0;
    }
    fs_add_fetched<fs_add>(sum3, part3);
    fs_fetch(part3, w3, (unit + gridDim.x) * 128 + lane * 4, slice, 16,
        ((fs_index)gridDim.x / 4), 33024, 0);
    float x3 = 0;
    x3 = fs_slices<fs_add, 32>(sum3, (float *)scratch, 512, x3);
    if (own) {
      const float v3 = x3;
      fs_put(a2[j], v3);
    }
  }
}
