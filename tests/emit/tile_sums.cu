==== h200
> code: cuda
# k1 tile
launch: 256 threads, at most 1024 blocks, bounds for 4
shared: 0 B; waits
slots: 0 1 2
// D = A' + C
//
// scheme tile; 1023 rows of 1021; 256 threads, 32 on a row; 1 lane x 1 vector; 32 rows at once; 1 tile a block
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 4;
constexpr fs_index FS_M = 1023, FS_ITERATIONS = 1;
constexpr fs_index FS_STRIPS = 32, FS_PARTS = 32;

// memory.cuh: fs_get fs_put
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  float *const a2 = (float *)s2;
  const int t = threadIdx.x % 32;    // column of the tile
  const int sub = threadIdx.x / 32;  // first row of the tile
  for (fs_index work = blockIdx.x; work < FS_PARTS * FS_STRIPS;
       work += gridDim.x) {
    const fs_index strip = work % FS_STRIPS, part = work / FS_STRIPS;
    const fs_index begin = part * (32 * FS_ITERATIONS);
    const fs_index end =
        FS_M - begin < 32 * FS_ITERATIONS ? FS_M : begin + 32 * FS_ITERATIONS;
    for (fs_index first = begin; first < end; first += 32) {
      float v0[4] = {};
      float v1[4] = {};
      __shared__ float tile0[32][33];
      __syncthreads();
#pragma unroll
      for (int b = 0; b < 4; b++) {
        const fs_index i = first + t, j = strip * 32 + (b * 8 + sub);
        if (i < 1023 && j < 1021) tile0[b * 8 + sub][t] =
            fs_get(a0[i + j * 1024]);
      }
      __syncthreads();
#pragma unroll
      for (int b = 0; b < 4; b++) {
        const fs_index i = first + (b * 8 + sub);
        const bool ok = i < 1023;
        const bool in = strip * 32 + t < 1021;
        if (ok && in) v0[b] = tile0[t][b * 8 + sub];
      }
      {
        const fs_index j = strip * 32 + t;
        const bool in = j < 1021;
#pragma unroll
        for (int b = 0; b < 4; b++) {
          const fs_index i = first + (b * 8 + sub);
          const bool ok = i < 1023;
          if (ok && in) v1[b] = fs_get(a1[i * 1024 + j]);
        }
      }
      float v2[4];
      {
        const fs_index j = strip * 32 + t;
        const bool in = j < 1021;
#pragma unroll
        for (int b = 0; b < 4; b++) {
          const fs_index i = first + (b * 8 + sub);
          const bool ok = i < 1023;
          v2[b] = v0[b] + v1[b];
        }
#pragma unroll
        for (int b = 0; b < 4; b++) {
          const fs_index i = first + (b * 8 + sub);
          const bool ok = i < 1023;
          if (ok && in) fs_put(a2[i * 1024 + j], v2[b]);
        }
      }
    }
  }
}
# k2 row
launch: 512 threads, at most 128 blocks, 1 a unit, bounds for 1
shared: 0 B; workspace 256 B and 4096 B a block, 256 B of zeros; waits; cooperative
slots: 2 4 3
// s = sum(D, 1); t = sum(D, 2)
//
// scheme row; 1023 rows of 1021; 512 threads, 128 on a row; 4 lanes x 2 vectors; 8 rows at once
typedef int fs_index;
constexpr int FS_THREADS = 512, FS_RESIDENT = 1;
constexpr int FS_ROW_THREADS = 128, FS_ROWS = 8;
constexpr fs_index FS_M = 1023;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_load_some fs_store
// reduce.cuh: fs_add fs_lanes fs_warp fs_across fs_fold fs_side fs_add_parts fs_fetch fs_add_fetched fs_slices
// barrier.cuh: fs_after_kernels fs_grid_barrier
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *work
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s0;
  float *const a2 = (float *)s1;
  float *const a1 = (float *)s2;
  float *const w1 = (float *)((char *)work + 256);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[2048];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  __shared__ float part2[2][2][16];
  int turn = 0;
  float r1[2][4] = {};
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    float r2[2][4] = {};
    float v0[2][2][4] = {};
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (c * 128 + t) * 4;
      const int k = !(j < 1021) ? 0 : 1021 - j < 4 ? int(1021 - j) : 4;
#pragma unroll
      for (int b = 0; b < 2; b++) {
        const fs_index i = first + (b * 4 + sub);
        const bool ok = i < 1023;
        if (ok) fs_load_some(v0[b][c], a0 + (i * 1024 + j), k);
      }
    }
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const fs_index j = (c * 128 + t) * 4;
      const int k = !(j < 1021) ? 0 : 1021 - j < 4 ? int(1021 - j) : 4;
#pragma unroll
      for (int b = 0; b < 2; b++) {
        const fs_index i = first + (b * 4 + sub);
        const bool ok = i < 1023;
#pragma unroll
        for (int e = 0; e < 4; e++) {
          if (ok) r1[c][e] = r1[c][e] + v0[b][c][e];
          if (e < k) r2[b][e] = r2[b][e] + v0[b][c][e];
        }
      }
    }
    float v2[2] = {};
#pragma unroll
    for (int b = 0; b < 2; b++) {
      const float x = fs_warp<fs_add, 32>(fs_lanes<fs_add>(r2[b]));
      if (threadIdx.x % 32 == 0) part2[turn][b][threadIdx.x / 32] = x;
    }
    __syncthreads();
    if (t < 32) {
#pragma unroll
      for (int b = 0; b < 2; b++) {
        v2[b] = fs_fold<fs_add, 4>(part2[turn][b] + sub * 4);
      }
    }
    turn ^= 1;  // the next sums go beside these
#pragma unroll
    for (int b = 0; b < 2; b++) {
      const fs_index i = first + (b * 4 + sub);
      const bool ok = i < 1023;
      if (t == 0 && ok) fs_put(a2[i], v2[b]);
    }
  }
  const fs_index part = (fs_index)blockIdx.x;
  {
    float *const side = (float *)scratch;
    __syncthreads();
    fs_store(side + (sub * 256 + 0 + t) * 4, r1[0]);
    fs_store(side + (sub * 256 + 128 + t) * 4, r1[1]);
    __syncthreads();
    for (int v = threadIdx.x; v < 256; v += 512) {
      const int c = 0 + v / 128;
      const int t = v % 128;
      const fs_index j = (c * 128 + t) * 4;
      const int k = !(j < 1021) ? 0 : 1021 - j < 4 ? int(1021 - j) : 4;
      float x[4];
      fs_side<fs_add, 4>(x, side, v, 256);
      if (k > 0) fs_store(w1 + part * 1024 + j, x);
    }
  }
  fs_grid_barrier(counters);
  const int lane = threadIdx.x % 8;
  const int slice = threadIdx.x / 8;
  float part1[3][4];
  fs_fetch(part1, w1, (fs_index)blockIdx.x * 32 + lane * 4, slice, 64,
      (fs_index)gridDim.x, 1024, 0);
  for (fs_index unit = blockIdx.x; unit < 32; unit += gridDim.x) {
    const fs_index x = unit * 32 + threadIdx.x;
    const fs_index j = x;
    const bool own = threadIdx.x < 32 && j < 1021;
    float sum1[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum1[e] = 0;
    }
    if (unit == blockIdx.x) {
      fs_add_fetched<fs_add>(sum1, part1);
    } else {  // of a launch of few blocks
      const fs_index at = unit * 32 + lane * 4;
      fs_add_parts<fs_add, 1>(sum1, w1, at, slice, (fs_index)gridDim.x, 64,
          1024);
    }
    float x1 = 0;
    x1 = fs_slices<fs_add, 8>(sum1, (float *)scratch, 512, x1);
    if (own) {
      const float v1 = x1;
      fs_put(a1[j], v1);
    }
  }
}
