==== h200
> code: cuda
# k1 row
launch: 512 threads, at most 3907 blocks, 1 a unit, bounds for 1
shared: 0 B; workspace 512 B and 1280 B a block, 256 B of zeros; waits; cooperative
slots: 0 1 2 3 18 19 20 21 22; params: 0 float, 1 int, 2 int
typedef int fs_index;

// maps.cuh: fs_min
// quick.cuh: fs_reciprocal fs_div fs_last_step fs_div_or_0
// memory.cuh: fs_get fs_put fs_pack fs_load fs_load_apart fs_store fs_fresh
// spot.cuh: fs_spot
// reduce.cuh: fs_add
struct fs_first_smallest {
  template <typename T>
  __device__ __forceinline__ static T best(T a, T b) { return fs_min(a, b); }
  template <typename T>
  __device__ __forceinline__ static T of(T a, T b) { return fs_first_of<fs_first_smallest>(a, b); }
};

// reduce.cuh: fs_lanes fs_warp fs_across fs_side fs_add_parts fs_fetch fs_add_fetched fs_slices
// barrier.cuh: fs_after_kernels fs_grid_barrier
// phase 1 of the launch
// sum(C.^2, 2)
//
// scheme row; 16 rows of 8; 512 threads, 2 on a row; 4 lanes x 1 vector
namespace phase1 {
constexpr int FS_THREADS = 512, FS_RESIDENT = 1;
constexpr int FS_ROW_THREADS = 2, FS_ROWS = 256;
constexpr fs_index FS_M = 16;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1
) {
  const float *const a0 = (const float *)s0;
  float *const a1 = (float *)s1;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    const fs_index i = first + sub;
    const bool ok = i < 16;
    float r1[4] = {};
    float v0[4] = {};
    {
      const fs_index j = t * 4;
      if (ok) fs_load(v0, a0 + (i * 8 + j));
    }
    {
      const fs_index j = t * 4;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        r1[e] = fmaf(v0[e], v0[e], r1[e]);
      }
    }
    const float v1 = fs_warp<fs_add, 2>(fs_lanes<fs_add>(r1));
    if (t == 0 && ok) fs_put(a1[i], v1);
  }
}
}  // namespace phase1

// phase 2 of the launch, behind a barrier
// k = rowargmin(sum(C.^2, 2)' - 2*(X*C')); O = f32(k == (1:16)'); O'*X; sum(O, 1)
//
// scheme row; 1000000 rows of 16; 512 threads, 4 on a row; 4 lanes x 1 vector; 256 rows at once
namespace phase2 {
constexpr int FS_THREADS = 512, FS_RESIDENT = 1;
constexpr int FS_ROW_THREADS = 4, FS_ROWS = 256;
constexpr fs_index FS_M = 1000000;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, void *s5, void *s6, float
        p0, long long p1, long long p2, void *work, unsigned *counters
) {
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  const float *const a2 = (const float *)s0 + 1;
  const float *const a3 = (const float *)s1 + 1;
  const float *const a4 = (const float *)s0 + 2;
  const float *const a5 = (const float *)s1 + 2;
  const float *const a6 = (const float *)s0 + 3;
  const float *const a7 = (const float *)s1 + 3;
  const float *const a8 = (const float *)s0 + 4;
  const float *const a9 = (const float *)s1 + 4;
  const float *const a10 = (const float *)s0 + 5;
  const float *const a11 = (const float *)s1 + 5;
  const float *const a12 = (const float *)s0 + 6;
  const float *const a13 = (const float *)s1 + 6;
  const float *const a14 = (const float *)s0 + 7;
  const float *const a15 = (const float *)s1 + 7;
  const float *const a16 = (const float *)s2;
  long long *const a17 = (long long *)s3;
  float *const a18 = (float *)s4;
  float *const a19 = (float *)s5;
  float *const a20 = (float *)s5 + 1;
  float *const a21 = (float *)s5 + 2;
  float *const a22 = (float *)s5 + 3;
  float *const a23 = (float *)s5 + 4;
  float *const a24 = (float *)s5 + 5;
  float *const a25 = (float *)s5 + 6;
  float *const a26 = (float *)s5 + 7;
  float *const a27 = (float *)s6;
  float *const w34 = (float *)((char *)work + 256);
  float *const w35 = (float *)((char *)work + 256 + 128LL * gridDim.x);
  float *const w36 = (float *)((char *)work + 256 + 256LL * gridDim.x);
  float *const w37 = (float *)((char *)work + 256 + 384LL * gridDim.x);
  float *const w38 = (float *)((char *)work + 256 + 512LL * gridDim.x);
  float *const w39 = (float *)((char *)work + 256 + 640LL * gridDim.x);
  float *const w40 = (float *)((char *)work + 256 + 768LL * gridDim.x);
  float *const w41 = (float *)((char *)work + 256 + 896LL * gridDim.x);
  float *const w42 = (float *)((char *)work + 256 + 1024LL * gridDim.x);
  alignas(16) __shared__ double scratch[1024];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const float v24 = (float)p0;
  const long long v29 = (long long)p1;
  const long long v30 = (long long)p2;
  float v1[4];
  float v4[4];
  float v7[4];
  float v10[4];
  float v13[4];
  float v16[4];
  float v19[4];
  float v22[4];
  float v26[4];
  {
    const fs_index j = t * 4;
    fs_load_apart(v1, a1 + (j * 8), (fs_index)8, 4);
    fs_load_apart(v4, a3 + (j * 8), (fs_index)8, 4);
    fs_load_apart(v7, a5 + (j * 8), (fs_index)8, 4);
    fs_load_apart(v10, a7 + (j * 8), (fs_index)8, 4);
    fs_load_apart(v13, a9 + (j * 8), (fs_index)8, 4);
    fs_load_apart(v16, a11 + (j * 8), (fs_index)8, 4);
    fs_load_apart(v19, a13 + (j * 8), (fs_index)8, 4);
    fs_load_apart(v22, a15 + (j * 8), (fs_index)8, 4);
    fs_load(v26, a16 + j);
  }
  long long v31[4];
  {
    const fs_index j = t * 4;
#pragma unroll
    for (int e = 0; e < 4; e++) {
      v31[e] = v29 + v30 * (long long)(j + e);
    }
  }
  float r34[4] = {};
  float r35[4] = {};
  float r36[4] = {};
  float r37[4] = {};
  float r38[4] = {};
  float r39[4] = {};
  float r40[4] = {};
  float r41[4] = {};
  float r42[4] = {};
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    float v0[2];
    float v3[2];
    float v6[2];
    float v9[2];
    float v12[2];
    float v15[2];
    float v18[2];
    float v21[2];
#pragma unroll
    for (int b = 0; b < 2; b++) {
      const fs_index i = first + (b * 128 + sub);
      const bool ok = i < 1000000;
      v0[b] = ok ? fs_get(a0[i * 8]) : (float)0;
      v3[b] = ok ? fs_get(a2[i * 8]) : (float)0;
      v6[b] = ok ? fs_get(a4[i * 8]) : (float)0;
      v9[b] = ok ? fs_get(a6[i * 8]) : (float)0;
      v12[b] = ok ? fs_get(a8[i * 8]) : (float)0;
      v15[b] = ok ? fs_get(a10[i * 8]) : (float)0;
      v18[b] = ok ? fs_get(a12[i * 8]) : (float)0;
      v21[b] = ok ? fs_get(a14[i * 8]) : (float)0;
    }
    fs_spot<float> r28[2][4];
#pragma unroll
    for (int b = 0; b < 2; b++) {
#pragma unroll
      for (int e = 0; e < 4; e++) {
        r28[b][e] = fs_spot<float>{__int_as_float(0x7f800000), 2147483647};
      }
    }
    {
      const fs_index j = t * 4;
#pragma unroll
      for (int b = 0; b < 2; b++) {
        const fs_index i = first + (b * 128 + sub);
        const bool ok = i < 1000000;
#pragma unroll
        for (int e = 0; e < 4; e++) {
          const float v2 = v0[b] * v1[e];
          const float v5 = fmaf(v3[b], v4[e], v2);
          const float v8 = fmaf(v6[b], v7[e], v5);
          const float v11 = fmaf(v9[b], v10[e], v8);
          const float v14 = fmaf(v12[b], v13[e], v11);
          const float v17 = fmaf(v15[b], v16[e], v14);
          const float v20 = fmaf(v18[b], v19[e], v17);
          const float v23 = fmaf(v21[b], v22[e], v20);
          const float v25 = v24 * v23;
          const float v27 = v26[e] - v25;
          r28[b][e] = fs_first_smallest::of(r28[b][e],
              fs_spot<float>{v27, j + 1 + e});
        }
      }
    }
    long long v28[2];
#pragma unroll
    for (int b = 0; b < 2; b++) {
      v28[b] = fs_warp<fs_first_smallest,
          4>(fs_lanes<fs_first_smallest>(r28[b])).at;
    }
#pragma unroll
    for (int b = 0; b < 2; b++) {
      const fs_index i = first + (b * 128 + sub);
      const bool ok = i < 1000000;
      if (t == 0 && ok) fs_put(a17[i], v28[b]);
    }
    {
      const fs_index j = t * 4;
#pragma unroll
      for (int b = 0; b < 2; b++) {
        const fs_index i = first + (b * 128 + sub);
        const bool ok = i < 1000000;
        float v33[4];
#pragma unroll
        for (int e = 0; e < 4; e++) {
          const bool v32 = v31[e] == v28[b];
          v33[e] = (float)v32;
          if (ok) r34[e] = fmaf(v33[e], v0[b], r34[e]);
          if (ok) r35[e] = fmaf(v33[e], v3[b], r35[e]);
          if (ok) r36[e] = fmaf(v33[e], v6[b], r36[e]);
          if (ok) r37[e] = fmaf(v33[e], v9[b], r37[e]);
          if (ok) r38[e] = fmaf(v33[e], v12[b], r38[e]);
          if (ok) r39[e] = fmaf(v33[e], v15[b], r39[e]);
          if (ok) r40[e] = fmaf(v33[e], v18[b], r40[e]);
          if (ok) r41[e] = fmaf(v33[e], v21[b], r41[e]);
          if (ok) r42[e] = r42[e] + v33[e];
        }
        if (ok) fs_store(a18 + (i * 16 + j), v33);
      }
    }
  }
  const fs_index part = (fs_index)blockIdx.x;
  {
    float *const side = (float *)scratch;
    __syncthreads();
    fs_store(side + (sub * 4 + 0 + t) * 4, r34);
    __syncthreads();
    for (int v = threadIdx.x; v < 4; v += 512) {
      const int t = v % 4;
      const fs_index j = t * 4;
      float x[4];
      fs_side<fs_add, 128>(x, side, v, 4);
      fs_store(w34 + part * 32 + j, x);
    }
  }
  {
    float *const side = (float *)scratch;
    __syncthreads();
    fs_store(side + (sub * 4 + 0 + t) * 4, r35);
    __syncthreads();
    for (int v = threadIdx.x; v < 4; v += 512) {
      const int t = v % 4;
      const fs_index j = t * 4;
      float x[4];
      fs_side<fs_add, 128>(x, side, v, 4);
      fs_store(w35 + part * 32 + j, x);
    }
  }
  {
    float *const side = (float *)scratch;
    __syncthreads();
    fs_store(side + (sub * 4 + 0 + t) * 4, r36);
    __syncthreads();
    for (int v = threadIdx.x; v < 4; v += 512) {
      const int t = v % 4;
      const fs_index j = t * 4;
      float x[4];
      fs_side<fs_add, 128>(x, side, v, 4);
      fs_store(w36 + part * 32 + j, x);
    }
  }
  {
    float *const side = (float *)scratch;
    __syncthreads();
    fs_store(side + (sub * 4 + 0 + t) * 4, r37);
    __syncthreads();
    for (int v = threadIdx.x; v < 4; v += 512) {
      const int t = v % 4;
      const fs_index j = t * 4;
      float x[4];
      fs_side<fs_add, 128>(x, side, v, 4);
      fs_store(w37 + part * 32 + j, x);
    }
  }
  {
    float *const side = (float *)scratch;
    __syncthreads();
    fs_store(side + (sub * 4 + 0 + t) * 4, r38);
    __syncthreads();
    for (int v = threadIdx.x; v < 4; v += 512) {
      const int t = v % 4;
      const fs_index j = t * 4;
      float x[4];
      fs_side<fs_add, 128>(x, side, v, 4);
      fs_store(w38 + part * 32 + j, x);
    }
  }
  {
    float *const side = (float *)scratch;
    __syncthreads();
    fs_store(side + (sub * 4 + 0 + t) * 4, r39);
    __syncthreads();
    for (int v = threadIdx.x; v < 4; v += 512) {
      const int t = v % 4;
      const fs_index j = t * 4;
      float x[4];
      fs_side<fs_add, 128>(x, side, v, 4);
      fs_store(w39 + part * 32 + j, x);
    }
  }
  {
    float *const side = (float *)scratch;
    __syncthreads();
    fs_store(side + (sub * 4 + 0 + t) * 4, r40);
    __syncthreads();
    for (int v = threadIdx.x; v < 4; v += 512) {
      const int t = v % 4;
      const fs_index j = t * 4;
      float x[4];
      fs_side<fs_add, 128>(x, side, v, 4);
      fs_store(w40 + part * 32 + j, x);
    }
  }
  {
    float *const side = (float *)scratch;
    __syncthreads();
    fs_store(side + (sub * 4 + 0 + t) * 4, r41);
    __syncthreads();
    for (int v = threadIdx.x; v < 4; v += 512) {
      const int t = v % 4;
      const fs_index j = t * 4;
      float x[4];
      fs_side<fs_add, 128>(x, side, v, 4);
      fs_store(w41 + part * 32 + j, x);
    }
  }
  {
    float *const side = (float *)scratch;
    __syncthreads();
    fs_store(side + (sub * 4 + 0 + t) * 4, r42);
    __syncthreads();
    for (int v = threadIdx.x; v < 4; v += 512) {
      const int t = v % 4;
      const fs_index j = t * 4;
      float x[4];
      fs_side<fs_add, 128>(x, side, v, 4);
      fs_store(w42 + part * 32 + j, x);
    }
  }
  fs_grid_barrier(counters);
  const int lane = threadIdx.x % 8;
  const int slice = threadIdx.x / 8;
  float part34[3][4];
  fs_fetch(part34, w34, (fs_index)blockIdx.x * 32 + lane * 4, slice, 64,
      (fs_index)gridDim.x, 32, 0);
  float part35[3][4];
  fs_fetch(part35, w35, (fs_index)blockIdx.x * 32 + lane * 4, slice, 64,
      (fs_index)gridDim.x, 32, 0);
  float part36[3][4];
  fs_fetch(part36, w36, (fs_index)blockIdx.x * 32 + lane * 4, slice, 64,
      (fs_index)gridDim.x, 32, 0);
  float part37[3][4];
  fs_fetch(part37, w37, (fs_index)blockIdx.x * 32 + lane * 4, slice, 64,
      (fs_index)gridDim.x, 32, 0);
  float part38[3][4];
  fs_fetch(part38, w38, (fs_index)blockIdx.x * 32 + lane * 4, slice, 64,
      (fs_index)gridDim.x, 32, 0);
  float part39[3][4];
  fs_fetch(part39, w39, (fs_index)blockIdx.x * 32 + lane * 4, slice, 64,
      (fs_index)gridDim.x, 32, 0);
  float part40[3][4];
  fs_fetch(part40, w40, (fs_index)blockIdx.x * 32 + lane * 4, slice, 64,
      (fs_index)gridDim.x, 32, 0);
  float part41[3][4];
  fs_fetch(part41, w41, (fs_index)blockIdx.x * 32 + lane * 4, slice, 64,
      (fs_index)gridDim.x, 32, 0);
  float part42[3][4];
  fs_fetch(part42, w42, (fs_index)blockIdx.x * 32 + lane * 4, slice, 64,
      (fs_index)gridDim.x, 32, 0);
  for (fs_index unit = blockIdx.x; unit < 1; unit += gridDim.x) {
    const fs_index x = unit * 32 + threadIdx.x;
    const fs_index j = x;
    const bool own = threadIdx.x < 32 && j < 16;
    float sum34[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum34[e] = 0;
    }
    if (unit == blockIdx.x) {
      fs_add_fetched<fs_add>(sum34, part34);
    } else {  // of a launch of few blocks
      const fs_index at = unit * 32 + lane * 4;
      fs_add_parts<fs_add, 1>(sum34, w34, at, slice, (fs_index)gridDim.x, 64,
          32);
    }
    float x34 = 0;
    x34 = fs_slices<fs_add, 8>(sum34, (float *)scratch, 512, x34);
    float sum35[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum35[e] = 0;
    }
    if (unit == blockIdx.x) {
      fs_add_fetched<fs_add>(sum35, part35);
    } else {  // of a launch of few blocks
      const fs_index at = unit * 32 + lane * 4;
      fs_add_parts<fs_add, 1>(sum35, w35, at, slice, (fs_index)gridDim.x, 64,
          32);
    }
    float x35 = 0;
    x35 = fs_slices<fs_add, 8>(sum35, (float *)scratch, 512, x35);
    float sum36[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum36[e] = 0;
    }
    if (unit == blockIdx.x) {
      fs_add_fetched<fs_add>(sum36, part36);
    } else {  // of a launch of few blocks
      const fs_index at = unit * 32 + lane * 4;
      fs_add_parts<fs_add, 1>(sum36, w36, at, slice, (fs_index)gridDim.x, 64,
          32);
    }
    float x36 = 0;
    x36 = fs_slices<fs_add, 8>(sum36, (float *)scratch, 512, x36);
    float sum37[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum37[e] = 0;
    }
    if (unit == blockIdx.x) {
      fs_add_fetched<fs_add>(sum37, part37);
    } else {  // of a launch of few blocks
      const fs_index at = unit * 32 + lane * 4;
      fs_add_parts<fs_add, 1>(sum37, w37, at, slice, (fs_index)gridDim.x, 64,
          32);
    }
    float x37 = 0;
    x37 = fs_slices<fs_add, 8>(sum37, (float *)scratch, 512, x37);
    float sum38[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum38[e] = 0;
    }
    if (unit == blockIdx.x) {
      fs_add_fetched<fs_add>(sum38, part38);
    } else {  // of a launch of few blocks
      const fs_index at = unit * 32 + lane * 4;
      fs_add_parts<fs_add, 1>(sum38, w38, at, slice, (fs_index)gridDim.x, 64,
          32);
    }
    float x38 = 0;
    x38 = fs_slices<fs_add, 8>(sum38, (float *)scratch, 512, x38);
    float sum39[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum39[e] = 0;
    }
    if (unit == blockIdx.x) {
      fs_add_fetched<fs_add>(sum39, part39);
    } else {  // of a launch of few blocks
      const fs_index at = unit * 32 + lane * 4;
      fs_add_parts<fs_add, 1>(sum39, w39, at, slice, (fs_index)gridDim.x, 64,
          32);
    }
    float x39 = 0;
    x39 = fs_slices<fs_add, 8>(sum39, (float *)scratch, 512, x39);
    float sum40[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum40[e] = 0;
    }
    if (unit == blockIdx.x) {
      fs_add_fetched<fs_add>(sum40, part40);
    } else {  // of a launch of few blocks
      const fs_index at = unit * 32 + lane * 4;
      fs_add_parts<fs_add, 1>(sum40, w40, at, slice, (fs_index)gridDim.x, 64,
          32);
    }
    float x40 = 0;
    x40 = fs_slices<fs_add, 8>(sum40, (float *)scratch, 512, x40);
    float sum41[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum41[e] = 0;
    }
    if (unit == blockIdx.x) {
      fs_add_fetched<fs_add>(sum41, part41);
    } else {  // of a launch of few blocks
      const fs_index at = unit * 32 + lane * 4;
      fs_add_parts<fs_add, 1>(sum41, w41, at, slice, (fs_index)gridDim.x, 64,
          32);
    }
    float x41 = 0;
    x41 = fs_slices<fs_add, 8>(sum41, (float *)scratch, 512, x41);
    float sum42[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum42[e] = 0;
    }
    if (unit == blockIdx.x) {
      fs_add_fetched<fs_add>(sum42, part42);
    } else {  // of a launch of few blocks
      const fs_index at = unit * 32 + lane * 4;
      fs_add_parts<fs_add, 1>(sum42, w42, at, slice, (fs_index)gridDim.x, 64,
          32);
    }
    float x42 = 0;
    x42 = fs_slices<fs_add, 8>(sum42, (float *)scratch, 512, x42);
    if (own) {
      const float v34 = x34;
      const float v35 = x35;
      const float v36 = x36;
      const float v37 = x37;
      const float v38 = x38;
      const float v39 = x39;
      const float v40 = x40;
      const float v41 = x41;
      const float v42 = x42;
      fs_put(a19[j * 8], v34);
      fs_put(a20[j * 8], v35);
      fs_put(a21[j * 8], v36);
      fs_put(a22[j * 8], v37);
      fs_put(a23[j * 8], v38);
      fs_put(a24[j * 8], v39);
      fs_put(a25[j * 8], v40);
      fs_put(a26[j * 8], v41);
      fs_put(a27[j], v42);
    }
  }
}
}  // namespace phase2

// phase 3 of the launch, behind a barrier
// C = (O'*X) ./ sum(O, 1)'
//
// scheme flat; 128 elements; 512 threads; 1 lane x 1 vector
namespace phase3 {
constexpr int FS_THREADS = 512, FS_RESIDENT = 1;
constexpr fs_index FS_TILES = 1;

static __device__ __forceinline__ void
fs_kernel(
    void *s0, void *s1, void *s2
) {
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  float *const a2 = (float *)s2;
  const int t = threadIdx.x;
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    float v0 = 0;
    float v1 = 0;
    {
      const fs_index g = tile * 512 + t;
      const fs_index j0 = g / 8;
      const fs_index j1 = g % 8;
      const bool in = g < 128;
      if (in) v0 = fs_get(a0[j0 * 8 + j1]);
      if (in) v1 = fs_get(a1[j0]);
    }
    {
      const fs_index g = tile * 512 + t;
      const fs_index j0 = g / 8;
      const fs_index j1 = g % 8;
      const bool in = g < 128;
      float v2;
      bool rare = false;
      {
        v2 = fs_div_or_0(v0, v1, rare);
      }
      if (rare) {
        v2 = fs_div(v0, v1);
      }
      if (in) fs_put(a2[j0 * 8 + j1], v2);
    }
  }
}
}  // namespace phase3

extern "C" __global__ void __launch_bounds__(512, 1)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, void *s5, void *s6, void
        *s7, void *s8, float p0, long long p1, long long p2, void *work
) {
  fs_after_kernels();
  unsigned *const counters = (unsigned *)work;
  phase1::fs_kernel(s0, s1);
  fs_grid_barrier(counters);
  phase2::fs_kernel(s2, s3, s1, s4, s5, s6, s7, p0, p1, p2, (char *)work + 256,
      counters);
  fs_grid_barrier(counters);
  phase3::fs_kernel(s6, s7, s8);
}
# k2 row
it is a phase of the launch before it
# k3 flat
it is a phase of the launch before it
