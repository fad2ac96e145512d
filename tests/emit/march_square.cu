==== h200
> code: cuda
# k1 march
launch: 512 threads, at most 120 blocks in clusters of 8, bounds for 1
shared: 217088 B; workspace 524544 B and 0 B a block, 256 B of zeros; waits; lasts; cooperative
slots: 2 0 1 3 4 5; params: 0 float, 1 float
map 0: slot 0, f32 at 0, 8192 x 8192, rows 8192 apart, box 40 x 128
map 1: slot 0, f32 at 0, 8192 x 8192, rows 8192 apart, box 32 x 128
// B = A + u*v'; x = 0.5*(B'*u) + v; w = 2*B*x
//
// scheme march; 8192 rows of 8192; 512 threads, 32 on a row; 4 lanes x 1 vector; 72 rows at once; clusters of 8 blocks
typedef int fs_index;
constexpr int FS_THREADS = 512, FS_RESIDENT = 1;
constexpr int FS_WORKERS = 256, FS_LANES = 32, FS_SIDE = 8, FS_REGS = 208;
constexpr int FS_CLUSTER = 8, FS_CLUSTERS = 15, FS_BLOCKS = 120;
constexpr int FS_WIDTH = 128, FS_COLUMNS = 16, FS_PANELS = 64;
constexpr int FS_HEIGHT = 72, FS_HELD = 40;
constexpr int FS_SLOTS = 8, FS_SHORT = 3, FS_LAG = 6, FS_WRITTEN = 1;
constexpr int FS_PARTS = 4, FS_MAILS = 8;
constexpr int FS_TEAM_BYTES = 512, FS_MAIL_BYTES = 512;

// quick.cuh: fs_lane
// memory.cuh: fs_get fs_put fs_pack fs_load fs_store
// cache.cuh: fs_cache_lasts
// reduce.cuh: fs_add fs_warp
// barrier.cuh: fs_after_kernels
// bulk.cuh: FS_RING fs_shared_address
// march.cuh: fs_mbarrier_init fs_mbarrier_expect fs_mbarrier_arrive fs_mbarrier_wait fs_pause fs_tensor_map fs_tensor_copy fs_before_copies fs_post fs_fold_lanes fs_look fs_sum_posted fs_registers_fewer fs_registers_more fs_gates fs_lap FS_PLACE fs_turn
// cluster.cuh: fs_cluster_rank fs_cluster_barrier fs_cluster_send
extern "C" __global__ void __cluster_dims__(FS_CLUSTER, 1, 1)
    __launch_bounds__(FS_THREADS, 1)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, void *s5, float p0, float
        p1, void *work, const __grid_constant__ fs_tensor_map m0, const
        __grid_constant__ fs_tensor_map m1
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s1;
  const float *const a1 = (const float *)s2;
  const float *const a2 = (const float *)s0;
  float *const a3 = (float *)s3;
  float *const a4 = (float *)s4;
  float *const a5 = (float *)s5;
  unsigned long long *const posts = (unsigned long long *)((char *)work + 256);
  unsigned *const counters = (unsigned *)work;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int rank = fs_cluster_rank<FS_CLUSTER>(), team = blockIdx.x / FS_CLUSTER;
  const fs_index row = (fs_index)blockIdx.x * FS_HEIGHT;  // the block's first
  const unsigned round = ((volatile unsigned *)counters)[0] + 1;  // of panel 0
  FS_RING(ring);
  __shared__ fs_gates gate;
  fs_gates_open(gate, FS_WORKERS / 32);
  float(*const part5)[8][FS_WIDTH] = (float(*)[8][FS_WIDTH])(ring + 192512);
  float(*const team5)[FS_WIDTH] = (float(*)[FS_WIDTH])(ring + 208896);
  float(*const mail8)[FS_WIDTH] = (float(*)[FS_WIDTH])(ring + 212992);
  const float v6 = (float)p0;
  const float v12 = (float)p1;
  __syncthreads();
  fs_cluster_barrier<FS_CLUSTER>();

  if (warp < 4) {
    fs_registers_fewer<FS_REGS ? 40 : 0>();
    if (warp == 0) {  // brings the tiles
      for (int k = 0; lane == 0 && k < FS_PANELS; k++) {
        {
          const int s = FS_PLACE(k, FS_SHORT);
          if (k >= FS_SHORT)
            fs_mbarrier_wait(&gate.held_free[s],
                fs_turn<FS_SHORT>(k - FS_SHORT));
          fs_mbarrier_expect(&gate.held[s], 20480);
          fs_tensor_copy(ring + 131072 + s * 20480, m0, k * FS_WIDTH, row + 32,
              &gate.held[s], fs_cache_lasts());
        }
        {
          const int s = FS_PLACE(k, FS_SLOTS);
          if (k >= FS_SLOTS)
            fs_mbarrier_wait(&gate.kept_free[s],
                fs_turn<FS_SLOTS>(k - FS_SLOTS));
          fs_mbarrier_expect(&gate.kept[s], 16384);
          fs_tensor_copy(ring + s * 16384, m1, k * FS_WIDTH, row, &gate.kept[s],
              fs_cache_lasts());
        }
      }
    } else if (warp < 3) {  // sends the block's sums of a panel's columns
      for (int p = warp - 1; p < FS_PANELS; p += 2) {
        const int s = FS_PLACE(p, FS_PARTS), m = FS_PLACE(p, FS_MAILS);
        fs_mbarrier_wait(&gate.part[s], fs_turn<FS_PARTS>(p));
        if (lane == 0) {
          fs_mbarrier_expect(&gate.team[m], FS_TEAM_BYTES);
          fs_mbarrier_expect(&gate.mail[m], FS_MAIL_BYTES);
        }
        for (unsigned i = lane; i < FS_WIDTH; i += 32) {
          float x5 = part5[s][0][i];
          for (int w = 1; w < 8; w++) x5 = fs_add::of(x5, part5[s][w][i]);
          fs_cluster_send<FS_CLUSTER>(&team5[m][rank * FS_COLUMNS + i %
              FS_COLUMNS], x5, i / FS_COLUMNS, &gate.team[m]);
        }
        __syncwarp();
        if (lane == 0) {
          gate.sent[FS_PLACE(p, 2)] = p;
          fs_mbarrier_arrive(&gate.part_free[s]);
        }
      }
    } else {  // puts together those of the cluster, of the columns of this block
      for (int p = 0; p < FS_PANELS; p++) {
        const int m = FS_PLACE(p, FS_MAILS);
        fs_mbarrier_wait(&gate.team[m], fs_turn<FS_MAILS>(p));
        float x5 = 0;
        for (int k = lane; k < FS_WIDTH; k += 32) x5 =
            fs_add::of(x5, team5[m][k]);
        x5 = fs_fold_lanes<fs_add, FS_COLUMNS>(x5);
        if (lane < FS_COLUMNS)
          fs_post<256>(posts + (FS_PLACE(p, 32) * FS_CLUSTER + rank) * 256 +
            (team * FS_COLUMNS + lane), x5, round + p);
      }
    }
  } else if (warp < 8) {  // finishes them, of all clusters
    fs_registers_fewer<FS_REGS ? 56 : 0>();
    for (int p = warp - 4; p < FS_PANELS; p += 4) {
      const int m = FS_PLACE(p, FS_MAILS);
      const fs_index i = p * FS_WIDTH + rank * FS_COLUMNS + lane % FS_COLUMNS;
      while (gate.sent[FS_PLACE(p, 2)] < p) fs_pause();
      const float v0 = fs_get(a0[i]);
      const float x5 = fs_sum_posted<fs_add, FS_CLUSTERS,
          FS_COLUMNS>(posts + (FS_PLACE(p, 32) * FS_CLUSTER + rank) * 256, round
          + p, (float)0);
      const float v5 = x5;
      const float v7 = v6 * v5;
      const float v8 = v0 + v7;
      for (int k = lane / FS_COLUMNS; k < FS_CLUSTER; k += 32 / FS_COLUMNS) {
        fs_cluster_send<FS_CLUSTER>(&mail8[m][rank * FS_COLUMNS + lane %
            FS_COLUMNS], (float)v8, k, &gate.mail[m]);
      }
      if (lane < FS_COLUMNS && team == FS_PLACE(p, FS_CLUSTERS)) {
        fs_put(a4[i], v8);
      }
    }
  } else {  // computes: part t % FS_LANES of a panel's columns, every FS_SIDE-th row
    fs_registers_more<FS_REGS>();
    const int t = threadIdx.x - (FS_THREADS - FS_WORKERS);
    const int part = FS_PLACE(t, FS_LANES), side = t / FS_LANES;
    float v1[9];
    fs_pack<float, 4> held3[FS_LAG + FS_WRITTEN][FS_HELD / FS_SIDE];
    float r11[9] = {};
    float f11[9] = {};
#pragma unroll
    for (int b = 0; b < 9; b++) {
      const fs_index own = row + b * FS_SIDE + side, j = own < 8192 ? own : 0;
      v1[b] = fs_get(a1[j]);
    }
    for (int begin = 0; begin < FS_PANELS + FS_LAG; begin += FS_WRITTEN) {
#pragma unroll
      for (int d = 0; d < FS_WRITTEN; d++) {  // a panel is summed, one before it used
        const int p = begin + d, q = p - FS_LAG;
        const fs_index first = (p < FS_PANELS ? p : 0) * FS_WIDTH + part * 4;
        const fs_index i = first;
        float v0[4];
        fs_load(v0, a0 + i);
        if (q >= 0 && q < FS_PANELS) {
          fs_mbarrier_wait(&gate.mail[FS_PLACE(q, FS_MAILS)], fs_turn<FS_MAILS>(q));
          const fs_index first = q * FS_WIDTH + part * 4;
          const fs_index i = first;
          float v8[4];
          fs_load(v8, &mail8[FS_PLACE(q, FS_MAILS)][part * 4]);
          const unsigned char *const kept = ring + FS_PLACE(q, FS_SLOTS) *
              16384;
#pragma unroll
          for (int b = 0; b < 9; b++) {
            const fs_index j = row + b * FS_SIDE + side;
            const fs_pack<float, 4> x10 = b < 4 ?
                ((const fs_pack<float, 4> *)(kept + (b * FS_SIDE + side) *
                512))[part] : held3[d][b < 4 ? 0 : b - 4];
            float v10[4];
            fs_load(v10, x10.e);
#pragma unroll
            for (int e = 0; e < 4; e++) {
              const fs_index i = first + e;
              r11[b] = fmaf(v10[e], v8[e], r11[b]);
            }
          }
          if (FS_PLACE(q, 16) == 15) {
#pragma unroll
            for (int b = 0; b < 9; b++) {
              f11[b] = f11[b] + r11[b];
              r11[b] = 0;
            }
          }
          fs_before_copies();
          __syncwarp();
          if (lane == 0) fs_mbarrier_arrive(&gate.kept_free[FS_PLACE(q,
              FS_SLOTS)]);
        }
        if (p < FS_PANELS) {
          fs_mbarrier_wait(&gate.kept[FS_PLACE(p, FS_SLOTS)],
              fs_turn<FS_SLOTS>(p));
          fs_mbarrier_wait(&gate.held[FS_PLACE(p, FS_SHORT)],
              fs_turn<FS_SHORT>(p));
          float r5[4] = {};
          unsigned char *const kept = ring + FS_PLACE(p, FS_SLOTS) * 16384;
          const unsigned char *const brought = ring + 131072 +
              FS_PLACE(p, FS_SHORT) * 20480;
#pragma unroll
          for (int b = 0; b < 9; b++) {
            const fs_index j = row + b * FS_SIDE + side;
            const fs_pack<float, 4> x3 =
                ((const fs_pack<float, 4> *)(b < 4 ? kept + (b * FS_SIDE + side)
                * 512 : brought + ((b - 4) * FS_SIDE + side) * 512))[part];
            float v3[4];
            fs_load(v3, x3.e);
            float v4[4];
#pragma unroll
            for (int e = 0; e < 4; e++) {
              const fs_index i = first + e;
              const float v2 = v0[e] * v1[b];
              v4[e] = v3[e] + v2;
            }
            if (j < 8192) {
#pragma unroll
              for (int e = 0; e < 4; e++) {
                r5[e] = fmaf(v4[e], v1[b], r5[e]);
              }
              {
                const fs_index i = first;
                fs_store(a3 + i + j * 8192, v4);
              }
            }
            fs_pack<float, 4> made;
            fs_store(made.e, v4);
            if (b >= 4) held3[FS_LAG + d][b < 4 ? 0 : b - 4] = made;
            else ((fs_pack<float, 4> *)(kept + (b * FS_SIDE + side) *
                512))[part] = made;
          }
          const int s = FS_PLACE(p, FS_PARTS);
          if (p >= FS_PARTS)
            fs_mbarrier_wait(&gate.part_free[s],
              fs_turn<FS_PARTS>(p - FS_PARTS));
#pragma unroll
          for (int e = 0; e < 4; e++) {
            part5[s][side][part * 4 + e] = r5[e];
          }
          __syncwarp();
          if (lane == 0) {
            fs_mbarrier_arrive(&gate.part[s]);
            fs_mbarrier_arrive(&gate.held_free[FS_PLACE(p, FS_SHORT)]);
          }
        }
      }
#pragma unroll
      for (int d = 0; d < 6; d++) {
#pragma unroll
        for (int b = 0; b < 5; b++) {
          held3[d][b] = held3[d + FS_WRITTEN][b];
        }
      }
    }
    float x11[9];
#pragma unroll
    for (int b = 0; b < 9; b++) {
      x11[b] = fs_warp<fs_add, 32>(f11[b] + r11[b]);
    }
#pragma unroll 1
    for (int b = part; b < 9; b += FS_LANES) {
      const fs_index j = row + b * FS_SIDE + side;
      if (j < 8192) {
        const float v11 = fs_lane(x11, b);
        const float v13 = v12 * v11;
        fs_put(a5[j], v13);
      }
    }
    if (t == 0 && atomicAdd(&counters[1], 1u) == FS_BLOCKS - 1) {
      counters[1] = 0;  // all have read the round they began with
      counters[0] = round - 1 + FS_PANELS;
    }
  }
  __syncwarp();
  fs_cluster_barrier<FS_CLUSTER>();  // nobody sends to a block that has ended
}
# compiled quickly
// B = A + u*v'; x = 0.5*(B'*u) + v; w = 2*B*x
//
// scheme march; 8192 rows of 8192; 512 threads, 32 on a row; 4 lanes x 1 vector; 72 rows at once; clusters of 8 blocks
typedef int fs_index;
constexpr int FS_THREADS = 512, FS_RESIDENT = 1;
constexpr int FS_WORKERS = 256, FS_LANES = 32, FS_SIDE = 8;
constexpr int FS_CLUSTER = 8, FS_CLUSTERS = 15, FS_BLOCKS = 120;
constexpr int FS_WIDTH = 128, FS_COLUMNS = 16, FS_PANELS = 64;
constexpr int FS_HEIGHT = 72, FS_PARTS = 1, FS_MAILS = 1;

// quick.cuh: fs_lane
// memory.cuh: fs_get fs_put fs_pack fs_load fs_store
// reduce.cuh: fs_add fs_warp
// barrier.cuh: fs_after_kernels
// bulk.cuh: FS_RING fs_shared_address
// march.cuh: fs_pause fs_tensor_map fs_post fs_fold_lanes fs_look fs_sum_posted_each fs_lap FS_PLACE
// cluster.cuh: fs_cluster_rank fs_cluster_barrier fs_cluster_put
extern "C" __global__ void __cluster_dims__(FS_CLUSTER, 1, 1)
    __launch_bounds__(FS_THREADS, 1)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, void *s5, float p0, float
        p1, void *work, const __grid_constant__ fs_tensor_map m0, const
        __grid_constant__ fs_tensor_map m1
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s1;
  const float *const a1 = (const float *)s2;
  const float *const a2 = (const float *)s0;
  float *const a3 = (float *)s3;
  float *const a4 = (float *)s4;
  float *const a5 = (float *)s5;
  unsigned long long *const posts = (unsigned long long *)((char *)work + 256);
  unsigned *const counters = (unsigned *)work;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int rank = fs_cluster_rank<FS_CLUSTER>(), team = blockIdx.x / FS_CLUSTER;
  const fs_index row = (fs_index)blockIdx.x * FS_HEIGHT;  // the block's first
  const unsigned round = ((volatile unsigned *)counters)[0] + 1;  // of panel 0
  FS_RING(ring);
  // Part t % FS_LANES of a panel's columns, every FS_SIDE-th row; the warps behind those
  // that work have places, too, and do not use them.
  const int t = FS_PLACE((int)threadIdx.x, FS_WORKERS);
  const int part = FS_PLACE(t, FS_LANES), side = t / FS_LANES;
  const bool works = threadIdx.x < FS_WORKERS;
  const int m = 0;  // the place of sums that the blocks of the cluster send
  float(*const part5)[8][FS_WIDTH] = (float(*)[8][FS_WIDTH])(ring + 192512);
  float(*const team5)[FS_WIDTH] = (float(*)[FS_WIDTH])(ring + 208896);
  float(*const mail8)[FS_WIDTH] = (float(*)[FS_WIDTH])(ring + 212992);
  const float v6 = (float)p0;
  const float v12 = (float)p1;
  float v1[9];
  fs_pack<float, 4> held3[9];
  float r11[9] = {};
  float f11[9] = {};
#pragma unroll
  for (int b = 0; b < 9; b++) {
    const fs_index own = row + b * FS_SIDE + side, j = own < 8192 ? own : 0;
    v1[b] = fs_get(a1[j]);
  }
  fs_cluster_barrier<FS_CLUSTER>();

  for (int p = 0; p < FS_PANELS; p++) {
    const int q = p;
    const fs_index first = (p < FS_PANELS ? p : 0) * FS_WIDTH + part * 4;
    const fs_index i = first;
    float v0[4];
    fs_load(v0, a0 + i);
    if (works) {
      float r5[4] = {};
#pragma unroll
      for (int b = 0; b < 9; b++) {
        const fs_index j = row + b * FS_SIDE + side;
        held3[b] = {};
        if (j < 8192) held3[b] = *(const fs_pack<float, 4> *)(a2 + i + j *
            8192);
        float v3[4];
        fs_load(v3, held3[b].e);
        float v4[4];
#pragma unroll
        for (int e = 0; e < 4; e++) {
          const fs_index i = first + e;
          const float v2 = v0[e] * v1[b];
          v4[e] = v3[e] + v2;
        }
        if (j < 8192) {
#pragma unroll
          for (int e = 0; e < 4; e++) {
            r5[e] = fmaf(v4[e], v1[b], r5[e]);
          }
          {
            const fs_index i = first;
            fs_store(a3 + i + j * 8192, v4);
          }
        }
        fs_pack<float, 4> made;
        fs_store(made.e, v4);
        held3[b] = made;
      }
      const int s = FS_PLACE(p, FS_PARTS);
#pragma unroll
      for (int e = 0; e < 4; e++) {
        part5[s][side][part * 4 + e] = r5[e];
      }
      __syncwarp();
    }
    __syncthreads();
    if (warp == 0) {  // sends the block's sums of the panel's columns
      const int s = 0;
      for (unsigned i = lane; i < FS_WIDTH; i += 32) {
        float x5 = part5[s][0][i];
        for (int w = 1; w < 8; w++) x5 = fs_add::of(x5, part5[s][w][i]);
        fs_cluster_put<FS_CLUSTER>(&team5[m][rank * FS_COLUMNS + i %
            FS_COLUMNS], x5, i / FS_COLUMNS);
      }
    }
    __syncwarp();
    fs_cluster_barrier<FS_CLUSTER>();
    if (warp == 0) {  // puts together those of the cluster, of the columns of this block
      float x5 = 0;
      for (int k = lane; k < FS_WIDTH; k += 32) x5 =
          fs_add::of(x5, team5[m][k]);
      x5 = fs_fold_lanes<fs_add, FS_COLUMNS>(x5);
      if (lane < FS_COLUMNS)
        fs_post<256>(posts + (FS_PLACE(p, 32) * FS_CLUSTER + rank) * 256 +
          (team * FS_COLUMNS + lane), x5, round + p);
    } else if (warp == 1) {  // finishes them, of all clusters
      const fs_index i = p * FS_WIDTH + rank * FS_COLUMNS + lane % FS_COLUMNS;
      const float v0 = fs_get(a0[i]);
      const float x5 = fs_sum_posted_each<fs_add, FS_CLUSTERS,
          FS_COLUMNS>(posts + (FS_PLACE(p, 32) * FS_CLUSTER + rank) * 256, round
          + p, (float)0);
      const float v5 = x5;
      const float v7 = v6 * v5;
      const float v8 = v0 + v7;
      for (int k = lane / FS_COLUMNS; k < FS_CLUSTER; k += 32 / FS_COLUMNS) {
        fs_cluster_put<FS_CLUSTER>(&mail8[m][rank * FS_COLUMNS + lane %
            FS_COLUMNS], (float)v8, k);
      }
      if (lane < FS_COLUMNS && team == FS_PLACE(p, FS_CLUSTERS)) {
        fs_put(a4[i], v8);
      }
    }
    __syncwarp();
    fs_cluster_barrier<FS_CLUSTER>();
    if (works) {
      const fs_index first = q * FS_WIDTH + part * 4;
      const fs_index i = first;
      float v8[4];
      fs_load(v8, &mail8[FS_PLACE(q, FS_MAILS)][part * 4]);
#pragma unroll
      for (int b = 0; b < 9; b++) {
        const fs_index j = row + b * FS_SIDE + side;
        float v10[4];
        fs_load(v10, held3[b].e);
#pragma unroll
        for (int e = 0; e < 4; e++) {
          const fs_index i = first + e;
          r11[b] = fmaf(v10[e], v8[e], r11[b]);
        }
      }
      if (FS_PLACE(q, 16) == 15) {
#pragma unroll
        for (int b = 0; b < 9; b++) {
          f11[b] = f11[b] + r11[b];
          r11[b] = 0;
        }
      }
      __syncwarp();
    }
  }
  if (works) {
    float x11[9];
#pragma unroll
    for (int b = 0; b < 9; b++) {
      x11[b] = fs_warp<fs_add, 32>(f11[b] + r11[b]);
    }
#pragma unroll 1
    for (int b = part; b < 9; b += FS_LANES) {
      const fs_index j = row + b * FS_SIDE + side;
      if (j < 8192) {
        const float v11 = fs_lane(x11, b);
        const float v13 = v12 * v11;
        fs_put(a5[j], v13);
      }
    }
  }
  if (threadIdx.x == 0 && atomicAdd(&counters[1], 1u) == FS_BLOCKS - 1) {
    counters[1] = 0;  // all have read the round they began with
    counters[0] = round - 1 + FS_PANELS;
  }
}
==== h100
> code: cuda
# k1 march
launch: 512 threads, at most 120 blocks in clusters of 8, bounds for 1
shared: 217088 B; workspace 524544 B and 0 B a block, 256 B of zeros; waits; lasts; cooperative
slots: 2 0 1 3 4 5; params: 0 float, 1 float
map 0: slot 0, f32 at 0, 8192 x 8192, rows 8192 apart, box 40 x 128
map 1: slot 0, f32 at 0, 8192 x 8192, rows 8192 apart, box 32 x 128
// B = A + u*v'; x = 0.5*(B'*u) + v; w = 2*B*x
//
// scheme march; 8192 rows of 8192; 512 threads, 32 on a row; 4 lanes x 1 vector; 72 rows at once; clusters of 8 blocks
typedef int fs_index;
constexpr int FS_THREADS = 512, FS_RESIDENT = 1;
constexpr int FS_WORKERS = 256, FS_LANES = 32, FS_SIDE = 8, FS_REGS = 208;
constexpr int FS_CLUSTER = 8, FS_CLUSTERS = 15, FS_BLOCKS = 120;
constexpr int FS_WIDTH = 128, FS_COLUMNS = 16, FS_PANELS = 64;
constexpr int FS_HEIGHT = 72, FS_HELD = 40;
constexpr int FS_SLOTS = 8, FS_SHORT = 3, FS_LAG = 6, FS_WRITTEN = 1;
constexpr int FS_PARTS = 4, FS_MAILS = 8;
constexpr int FS_TEAM_BYTES = 512, FS_MAIL_BYTES = 512;

// quick.cuh: fs_lane
// memory.cuh: fs_get fs_put fs_pack fs_load fs_store
// cache.cuh: fs_cache_lasts
// reduce.cuh: fs_add fs_warp
// barrier.cuh: fs_after_kernels
// bulk.cuh: FS_RING fs_shared_address
// march.cuh: fs_mbarrier_init fs_mbarrier_expect fs_mbarrier_arrive fs_mbarrier_wait fs_pause fs_tensor_map fs_tensor_copy fs_before_copies fs_post fs_fold_lanes fs_look fs_sum_posted fs_registers_fewer fs_registers_more fs_gates fs_lap FS_PLACE fs_turn
// cluster.cuh: fs_cluster_rank fs_cluster_barrier fs_cluster_send
extern "C" __global__ void __cluster_dims__(FS_CLUSTER, 1, 1)
    __launch_bounds__(FS_THREADS, 1)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, void *s5, float p0, float
        p1, void *work, const __grid_constant__ fs_tensor_map m0, const
        __grid_constant__ fs_tensor_map m1
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s1;
  const float *const a1 = (const float *)s2;
  const float *const a2 = (const float *)s0;
  float *const a3 = (float *)s3;
  float *const a4 = (float *)s4;
  float *const a5 = (float *)s5;
  unsigned long long *const posts = (unsigned long long *)((char *)work + 256);
  unsigned *const counters = (unsigned *)work;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int rank = fs_cluster_rank<FS_CLUSTER>(), team = blockIdx.x / FS_CLUSTER;
  const fs_index row = (fs_index)blockIdx.x * FS_HEIGHT;  // the block's first
  const unsigned round = ((volatile unsigned *)counters)[0] + 1;  // of panel 0
  FS_RING(ring);
  __shared__ fs_gates gate;
  fs_gates_open(gate, FS_WORKERS / 32);
  float(*const part5)[8][FS_WIDTH] = (float(*)[8][FS_WIDTH])(ring + 192512);
  float(*const team5)[FS_WIDTH] = (float(*)[FS_WIDTH])(ring + 208896);
  float(*const mail8)[FS_WIDTH] = (float(*)[FS_WIDTH])(ring + 212992);
  const float v6 = (float)p0;
  const float v12 = (float)p1;
  __syncthreads();
  fs_cluster_barrier<FS_CLUSTER>();

  if (warp < 4) {
    fs_registers_fewer<FS_REGS ? 40 : 0>();
    if (warp == 0) {  // brings the tiles
      for (int k = 0; lane == 0 && k < FS_PANELS; k++) {
        {
          const int s = FS_PLACE(k, FS_SHORT);
          if (k >= FS_SHORT)
            fs_mbarrier_wait(&gate.held_free[s],
                fs_turn<FS_SHORT>(k - FS_SHORT));
          fs_mbarrier_expect(&gate.held[s], 20480);
          fs_tensor_copy(ring + 131072 + s * 20480, m0, k * FS_WIDTH, row + 32,
              &gate.held[s], fs_cache_lasts());
        }
        {
          const int s = FS_PLACE(k, FS_SLOTS);
          if (k >= FS_SLOTS)
            fs_mbarrier_wait(&gate.kept_free[s],
                fs_turn<FS_SLOTS>(k - FS_SLOTS));
          fs_mbarrier_expect(&gate.kept[s], 16384);
          fs_tensor_copy(ring + s * 16384, m1, k * FS_WIDTH, row, &gate.kept[s],
              fs_cache_lasts());
        }
      }
    } else if (warp < 3) {  // sends the block's sums of a panel's columns
      for (int p = warp - 1; p < FS_PANELS; p += 2) {
        const int s = FS_PLACE(p, FS_PARTS), m = FS_PLACE(p, FS_MAILS);
        fs_mbarrier_wait(&gate.part[s], fs_turn<FS_PARTS>(p));
        if (lane == 0) {
          fs_mbarrier_expect(&gate.team[m], FS_TEAM_BYTES);
          fs_mbarrier_expect(&gate.mail[m], FS_MAIL_BYTES);
        }
        for (unsigned i = lane; i < FS_WIDTH; i += 32) {
          float x5 = part5[s][0][i];
          for (int w = 1; w < 8; w++) x5 = fs_add::of(x5, part5[s][w][i]);
          fs_cluster_send<FS_CLUSTER>(&team5[m][rank * FS_COLUMNS + i %
              FS_COLUMNS], x5, i / FS_COLUMNS, &gate.team[m]);
        }
        __syncwarp();
        if (lane == 0) {
          gate.sent[FS_PLACE(p, 2)] = p;
          fs_mbarrier_arrive(&gate.part_free[s]);
        }
      }
    } else {  // puts together those of the cluster, of the columns of this block
      for (int p = 0; p < FS_PANELS; p++) {
        const int m = FS_PLACE(p, FS_MAILS);
        fs_mbarrier_wait(&gate.team[m], fs_turn<FS_MAILS>(p));
        float x5 = 0;
        for (int k = lane; k < FS_WIDTH; k += 32) x5 =
            fs_add::of(x5, team5[m][k]);
        x5 = fs_fold_lanes<fs_add, FS_COLUMNS>(x5);
        if (lane < FS_COLUMNS)
          fs_post<256>(posts + (FS_PLACE(p, 32) * FS_CLUSTER + rank) * 256 +
            (team * FS_COLUMNS + lane), x5, round + p);
      }
    }
  } else if (warp < 8) {  // finishes them, of all clusters
    fs_registers_fewer<FS_REGS ? 56 : 0>();
    for (int p = warp - 4; p < FS_PANELS; p += 4) {
      const int m = FS_PLACE(p, FS_MAILS);
      const fs_index i = p * FS_WIDTH + rank * FS_COLUMNS + lane % FS_COLUMNS;
      while (gate.sent[FS_PLACE(p, 2)] < p) fs_pause();
      const float v0 = fs_get(a0[i]);
      const float x5 = fs_sum_posted<fs_add, FS_CLUSTERS,
          FS_COLUMNS>(posts + (FS_PLACE(p, 32) * FS_CLUSTER + rank) * 256, round
          + p, (float)0);
      const float v5 = x5;
      const float v7 = v6 * v5;
      const float v8 = v0 + v7;
      for (int k = lane / FS_COLUMNS; k < FS_CLUSTER; k += 32 / FS_COLUMNS) {
        fs_cluster_send<FS_CLUSTER>(&mail8[m][rank * FS_COLUMNS + lane %
            FS_COLUMNS], (float)v8, k, &gate.mail[m]);
      }
      if (lane < FS_COLUMNS && team == FS_PLACE(p, FS_CLUSTERS)) {
        fs_put(a4[i], v8);
      }
    }
  } else {  // computes: part t % FS_LANES of a panel's columns, every FS_SIDE-th row
    fs_registers_more<FS_REGS>();
    const int t = threadIdx.x - (FS_THREADS - FS_WORKERS);
    const int part = FS_PLACE(t, FS_LANES), side = t / FS_LANES;
    float v1[9];
    fs_pack<float, 4> held3[FS_LAG + FS_WRITTEN][FS_HELD / FS_SIDE];
    float r11[9] = {};
    float f11[9] = {};
#pragma unroll
    for (int b = 0; b < 9; b++) {
      const fs_index own = row + b * FS_SIDE + side, j = own < 8192 ? own : 0;
      v1[b] = fs_get(a1[j]);
    }
    for (int begin = 0; begin < FS_PANELS + FS_LAG; begin += FS_WRITTEN) {
#pragma unroll
      for (int d = 0; d < FS_WRITTEN; d++) {  // a panel is summed, one before it used
        const int p = begin + d, q = p - FS_LAG;
        const fs_index first = (p < FS_PANELS ? p : 0) * FS_WIDTH + part * 4;
        const fs_index i = first;
        float v0[4];
        fs_load(v0, a0 + i);
        if (q >= 0 && q < FS_PANELS) {
          fs_mbarrier_wait(&gate.mail[FS_PLACE(q, FS_MAILS)], fs_turn<FS_MAILS>(q));
          const fs_index first = q * FS_WIDTH + part * 4;
          const fs_index i = first;
          float v8[4];
          fs_load(v8, &mail8[FS_PLACE(q, FS_MAILS)][part * 4]);
          const unsigned char *const kept = ring + FS_PLACE(q, FS_SLOTS) *
              16384;
#pragma unroll
          for (int b = 0; b < 9; b++) {
            const fs_index j = row + b * FS_SIDE + side;
            const fs_pack<float, 4> x10 = b < 4 ?
                ((const fs_pack<float, 4> *)(kept + (b * FS_SIDE + side) *
                512))[part] : held3[d][b < 4 ? 0 : b - 4];
            float v10[4];
            fs_load(v10, x10.e);
#pragma unroll
            for (int e = 0; e < 4; e++) {
              const fs_index i = first + e;
              r11[b] = fmaf(v10[e], v8[e], r11[b]);
            }
          }
          if (FS_PLACE(q, 16) == 15) {
#pragma unroll
            for (int b = 0; b < 9; b++) {
              f11[b] = f11[b] + r11[b];
              r11[b] = 0;
            }
          }
          fs_before_copies();
          __syncwarp();
          if (lane == 0) fs_mbarrier_arrive(&gate.kept_free[FS_PLACE(q,
              FS_SLOTS)]);
        }
        if (p < FS_PANELS) {
          fs_mbarrier_wait(&gate.kept[FS_PLACE(p, FS_SLOTS)],
              fs_turn<FS_SLOTS>(p));
          fs_mbarrier_wait(&gate.held[FS_PLACE(p, FS_SHORT)],
              fs_turn<FS_SHORT>(p));
          float r5[4] = {};
          unsigned char *const kept = ring + FS_PLACE(p, FS_SLOTS) * 16384;
          const unsigned char *const brought = ring + 131072 +
              FS_PLACE(p, FS_SHORT) * 20480;
#pragma unroll
          for (int b = 0; b < 9; b++) {
            const fs_index j = row + b * FS_SIDE + side;
            const fs_pack<float, 4> x3 =
                ((const fs_pack<float, 4> *)(b < 4 ? kept + (b * FS_SIDE + side)
                * 512 : brought + ((b - 4) * FS_SIDE + side) * 512))[part];
            float v3[4];
            fs_load(v3, x3.e);
            float v4[4];
#pragma unroll
            for (int e = 0; e < 4; e++) {
              const fs_index i = first + e;
              const float v2 = v0[e] * v1[b];
              v4[e] = v3[e] + v2;
            }
            if (j < 8192) {
#pragma unroll
              for (int e = 0; e < 4; e++) {
                r5[e] = fmaf(v4[e], v1[b], r5[e]);
              }
              {
                const fs_index i = first;
                fs_store(a3 + i + j * 8192, v4);
              }
            }
            fs_pack<float, 4> made;
            fs_store(made.e, v4);
            if (b >= 4) held3[FS_LAG + d][b < 4 ? 0 : b - 4] = made;
            else ((fs_pack<float, 4> *)(kept + (b * FS_SIDE + side) *
                512))[part] = made;
          }
          const int s = FS_PLACE(p, FS_PARTS);
          if (p >= FS_PARTS)
            fs_mbarrier_wait(&gate.part_free[s],
              fs_turn<FS_PARTS>(p - FS_PARTS));
#pragma unroll
          for (int e = 0; e < 4; e++) {
            part5[s][side][part * 4 + e] = r5[e];
          }
          __syncwarp();
          if (lane == 0) {
            fs_mbarrier_arrive(&gate.part[s]);
            fs_mbarrier_arrive(&gate.held_free[FS_PLACE(p, FS_SHORT)]);
          }
        }
      }
#pragma unroll
      for (int d = 0; d < 6; d++) {
#pragma unroll
        for (int b = 0; b < 5; b++) {
          held3[d][b] = held3[d + FS_WRITTEN][b];
        }
      }
    }
    float x11[9];
#pragma unroll
    for (int b = 0; b < 9; b++) {
      x11[b] = fs_warp<fs_add, 32>(f11[b] + r11[b]);
    }
#pragma unroll 1
    for (int b = part; b < 9; b += FS_LANES) {
      const fs_index j = row + b * FS_SIDE + side;
      if (j < 8192) {
        const float v11 = fs_lane(x11, b);
        const float v13 = v12 * v11;
        fs_put(a5[j], v13);
      }
    }
    if (t == 0 && atomicAdd(&counters[1], 1u) == FS_BLOCKS - 1) {
      counters[1] = 0;  // all have read the round they began with
      counters[0] = round - 1 + FS_PANELS;
    }
  }
  __syncwarp();
  fs_cluster_barrier<FS_CLUSTER>();  // nobody sends to a block that has ended
}
# compiled quickly
// B = A + u*v'; x = 0.5*(B'*u) + v; w = 2*B*x
//
// scheme march; 8192 rows of 8192; 512 threads, 32 on a row; 4 lanes x 1 vector; 72 rows at once; clusters of 8 blocks
typedef int fs_index;
constexpr int FS_THREADS = 512, FS_RESIDENT = 1;
constexpr int FS_WORKERS = 256, FS_LANES = 32, FS_SIDE = 8;
constexpr int FS_CLUSTER = 8, FS_CLUSTERS = 15, FS_BLOCKS = 120;
constexpr int FS_WIDTH = 128, FS_COLUMNS = 16, FS_PANELS = 64;
constexpr int FS_HEIGHT = 72, FS_PARTS = 1, FS_MAILS = 1;

// quick.cuh: fs_lane
// memory.cuh: fs_get fs_put fs_pack fs_load fs_store
// reduce.cuh: fs_add fs_warp
// barrier.cuh: fs_after_kernels
// bulk.cuh: FS_RING fs_shared_address
// march.cuh: fs_pause fs_tensor_map fs_post fs_fold_lanes fs_look fs_sum_posted_each fs_lap FS_PLACE
// cluster.cuh: fs_cluster_rank fs_cluster_barrier fs_cluster_put
extern "C" __global__ void __cluster_dims__(FS_CLUSTER, 1, 1)
    __launch_bounds__(FS_THREADS, 1)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, void *s5, float p0, float
        p1, void *work, const __grid_constant__ fs_tensor_map m0, const
        __grid_constant__ fs_tensor_map m1
) {
  fs_after_kernels();
  const float *const a0 = (const float *)s1;
  const float *const a1 = (const float *)s2;
  const float *const a2 = (const float *)s0;
  float *const a3 = (float *)s3;
  float *const a4 = (float *)s4;
  float *const a5 = (float *)s5;
  unsigned long long *const posts = (unsigned long long *)((char *)work + 256);
  unsigned *const counters = (unsigned *)work;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int rank = fs_cluster_rank<FS_CLUSTER>(), team = blockIdx.x / FS_CLUSTER;
  const fs_index row = (fs_index)blockIdx.x * FS_HEIGHT;  // the block's first
  const unsigned round = ((volatile unsigned *)counters)[0] + 1;  // of panel 0
  FS_RING(ring);
  // Part t % FS_LANES of a panel's columns, every FS_SIDE-th row; the warps behind those
  // that work have places, too, and do not use them.
  const int t = FS_PLACE((int)threadIdx.x, FS_WORKERS);
  const int part = FS_PLACE(t, FS_LANES), side = t / FS_LANES;
  const bool works = threadIdx.x < FS_WORKERS;
  const int m = 0;  // the place of sums that the blocks of the cluster send
  float(*const part5)[8][FS_WIDTH] = (float(*)[8][FS_WIDTH])(ring + 192512);
  float(*const team5)[FS_WIDTH] = (float(*)[FS_WIDTH])(ring + 208896);
  float(*const mail8)[FS_WIDTH] = (float(*)[FS_WIDTH])(ring + 212992);
  const float v6 = (float)p0;
  const float v12 = (float)p1;
  float v1[9];
  fs_pack<float, 4> held3[9];
  float r11[9] = {};
  float f11[9] = {};
#pragma unroll
  for (int b = 0; b < 9; b++) {
    const fs_index own = row + b * FS_SIDE + side, j = own < 8192 ? own : 0;
    v1[b] = fs_get(a1[j]);
  }
  fs_cluster_barrier<FS_CLUSTER>();

  for (int p = 0; p < FS_PANELS; p++) {
    const int q = p;
    const fs_index first = (p < FS_PANELS ? p : 0) * FS_WIDTH + part * 4;
    const fs_index i = first;
    float v0[4];
    fs_load(v0, a0 + i);
    if (works) {
      float r5[4] = {};
#pragma unroll
      for (int b = 0; b < 9; b++) {
        const fs_index j = row + b * FS_SIDE + side;
        held3[b] = {};
        if (j < 8192) held3[b] = *(const fs_pack<float, 4> *)(a2 + i + j *
            8192);
        float v3[4];
        fs_load(v3, held3[b].e);
        float v4[4];
#pragma unroll
        for (int e = 0; e < 4; e++) {
          const fs_index i = first + e;
          const float v2 = v0[e] * v1[b];
          v4[e] = v3[e] + v2;
        }
        if (j < 8192) {
#pragma unroll
          for (int e = 0; e < 4; e++) {
            r5[e] = fmaf(v4[e], v1[b], r5[e]);
          }
          {
            const fs_index i = first;
            fs_store(a3 + i + j * 8192, v4);
          }
        }
        fs_pack<float, 4> made;
        fs_store(made.e, v4);
        held3[b] = made;
      }
      const int s = FS_PLACE(p, FS_PARTS);
#pragma unroll
      for (int e = 0; e < 4; e++) {
        part5[s][side][part * 4 + e] = r5[e];
      }
      __syncwarp();
    }
    __syncthreads();
    if (warp == 0) {  // sends the block's sums of the panel's columns
      const int s = 0;
      for (unsigned i = lane; i < FS_WIDTH; i += 32) {
        float x5 = part5[s][0][i];
        for (int w = 1; w < 8; w++) x5 = fs_add::of(x5, part5[s][w][i]);
        fs_cluster_put<FS_CLUSTER>(&team5[m][rank * FS_COLUMNS + i %
            FS_COLUMNS], x5, i / FS_COLUMNS);
      }
    }
    __syncwarp();
    fs_cluster_barrier<FS_CLUSTER>();
    if (warp == 0) {  // puts together those of the cluster, of the columns of this block
      float x5 = 0;
      for (int k = lane; k < FS_WIDTH; k += 32) x5 =
          fs_add::of(x5, team5[m][k]);
      x5 = fs_fold_lanes<fs_add, FS_COLUMNS>(x5);
      if (lane < FS_COLUMNS)
        fs_post<256>(posts + (FS_PLACE(p, 32) * FS_CLUSTER + rank) * 256 +
          (team * FS_COLUMNS + lane), x5, round + p);
    } else if (warp == 1) {  // finishes them, of all clusters
      const fs_index i = p * FS_WIDTH + rank * FS_COLUMNS + lane % FS_COLUMNS;
      const float v0 = fs_get(a0[i]);
      const float x5 = fs_sum_posted_each<fs_add, FS_CLUSTERS,
          FS_COLUMNS>(posts + (FS_PLACE(p, 32) * FS_CLUSTER + rank) * 256, round
          + p, (float)0);
      const float v5 = x5;
      const float v7 = v6 * v5;
      const float v8 = v0 + v7;
      for (int k = lane / FS_COLUMNS; k < FS_CLUSTER; k += 32 / FS_COLUMNS) {
        fs_cluster_put<FS_CLUSTER>(&mail8[m][rank * FS_COLUMNS + lane %
            FS_COLUMNS], (float)v8, k);
      }
      if (lane < FS_COLUMNS && team == FS_PLACE(p, FS_CLUSTERS)) {
        fs_put(a4[i], v8);
      }
    }
    __syncwarp();
    fs_cluster_barrier<FS_CLUSTER>();
    if (works) {
      const fs_index first = q * FS_WIDTH + part * 4;
      const fs_index i = first;
      float v8[4];
      fs_load(v8, &mail8[FS_PLACE(q, FS_MAILS)][part * 4]);
#pragma unroll
      for (int b = 0; b < 9; b++) {
        const fs_index j = row + b * FS_SIDE + side;
        float v10[4];
        fs_load(v10, held3[b].e);
#pragma unroll
        for (int e = 0; e < 4; e++) {
          const fs_index i = first + e;
          r11[b] = fmaf(v10[e], v8[e], r11[b]);
        }
      }
      if (FS_PLACE(q, 16) == 15) {
#pragma unroll
        for (int b = 0; b < 9; b++) {
          f11[b] = f11[b] + r11[b];
          r11[b] = 0;
        }
      }
      __syncwarp();
    }
  }
  if (works) {
    float x11[9];
#pragma unroll
    for (int b = 0; b < 9; b++) {
      x11[b] = fs_warp<fs_add, 32>(f11[b] + r11[b]);
    }
#pragma unroll 1
    for (int b = part; b < 9; b += FS_LANES) {
      const fs_index j = row + b * FS_SIDE + side;
      if (j < 8192) {
        const float v11 = fs_lane(x11, b);
        const float v13 = v12 * v11;
        fs_put(a5[j], v13);
      }
    }
  }
  if (threadIdx.x == 0 && atomicAdd(&counters[1], 1u) == FS_BLOCKS - 1) {
    counters[1] = 0;  // all have read the round they began with
    counters[0] = round - 1 + FS_PANELS;
  }
}
==== a100
> code: cuda
# k1 row
launch: 256 threads, at most 8192 blocks, 3 a unit, bounds for 3
shared: 0 B; workspace 256 B and 32768 B a block, 256 B of zeros; cooperative
slots: 0 1 2 3 5; params: 0 float
// B = A + u*v'; x = 0.5*(B'*u) + v
//
// scheme row, in strips; 8192 rows of 8192; 256 threads; 4 lanes x 1 vector; 8 rows at once
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 3;
constexpr fs_index FS_STRIPS = 8;
constexpr fs_index FS_PARTS_MOST = 1024;
constexpr int FS_ROW_THREADS = 256, FS_ROWS = 8;
constexpr fs_index FS_M = 8192;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_store
// reduce.cuh: fs_add fs_across fs_add_parts fs_slices fs_parts
// barrier.cuh: fs_grid_barrier
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, float p0, void *work
) {
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  const float *const a2 = (const float *)s2;
  float *const a3 = (float *)s3;
  const float *const a4 = (const float *)s0;
  float *const a5 = (float *)s4;
  float *const w5 = (float *)((char *)work + 256);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[512];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the strip's row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const fs_index parts = fs_parts(FS_STRIPS, FS_PARTS_MOST);
  const float v6 = (float)p0;
  for (fs_index work = blockIdx.x; work < parts * FS_STRIPS;
       work += gridDim.x) {
    const fs_index strip = work % FS_STRIPS, part = work / FS_STRIPS;
    float v0[4];
    {
      const fs_index j = (strip * 256 + t) * 4;
      fs_load(v0, a0 + j);
    }
    float r5[4] = {};
    for (fs_index first = part * FS_ROWS; first < FS_M;
         first += parts * FS_ROWS) {
      float v1[8];
#pragma unroll
      for (int b = 0; b < 8; b++) {
        const fs_index i = first + b;
        v1[b] = fs_get(a1[i]);
      }
      float v3[8][4];
      {
        const fs_index j = (strip * 256 + t) * 4;
#pragma unroll
        for (int b = 0; b < 8; b++) {
          const fs_index i = first + b;
          fs_load(v3[b], a2 + (i * 8192 + j));
        }
      }
      {
        const fs_index j = (strip * 256 + t) * 4;
#pragma unroll
        for (int b = 0; b < 8; b++) {
          const fs_index i = first + b;
          float v4[4];
#pragma unroll
          for (int e = 0; e < 4; e++) {
            const float v2 = v0[e] * v1[b];
            v4[e] = v3[b][e] + v2;
            r5[e] = fmaf(v4[e], v1[b], r5[e]);
          }
          fs_store(a3 + (i * 8192 + j), v4);
        }
      }
    }
    {
      const fs_index j = (strip * 256 + t) * 4;
      fs_store(w5 + part * 8192 + j, r5);
    }
  }
  fs_grid_barrier(counters);
  for (fs_index unit = blockIdx.x; unit < 128; unit += gridDim.x) {
    const int lane = threadIdx.x % 16;
    const int slice = threadIdx.x / 16;
    const fs_index at = unit * 64 + lane * 4;
    const fs_index x = unit * 64 + threadIdx.x;
    float sum5[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum5[e] = 0;
    }
    fs_add_parts<fs_add, 4>(sum5, w5, at, slice, parts, 16, 8192);
    float x5 = 0;
    x5 = fs_slices<fs_add, 16>(sum5, (float *)scratch, 256, x5);
    if (threadIdx.x < 64) {
      const fs_index j = x;
      if (j < 8192) {
        const float v5 = x5;
        const float v7 = v6 * v5;
        const float v8 = fs_get(a4[j]);
        const float v9 = v8 + v7;
        fs_put(a5[j], v9);
      }
    }
  }
}
# k2 row
launch: 256 threads, at most 4096 blocks, bounds for 2
shared: 0 B
slots: 5 3 6; params: 1 float
// w = 2*B*x
//
// scheme row, in chunks; 8192 rows of 8192; 256 threads; 4 lanes x 4 vectors; 2 rows at once
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 2;
constexpr int FS_ROW_THREADS = 256, FS_ROWS = 2;
constexpr fs_index FS_M = 8192;

// memory.cuh: fs_get fs_put fs_pack fs_load
// reduce.cuh: fs_add fs_lanes fs_warp fs_fold
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, float p0
) {
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  float *const a2 = (float *)s2;
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const float v3 = (float)p0;
  __shared__ float part2[2][2][8];
  int turn = 0;
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    float r2[2][4] = {};
    for (fs_index h = 0; h < 2; h++) {
      float v0[4][4];
      float v1[2][4][4];
#pragma unroll
      for (int c = 0; c < 4; c++) {
        const fs_index j = (h * 1024 + (c * 256 + t)) * 4;
        fs_load(v0[c], a0 + j);
#pragma unroll
        for (int b = 0; b < 2; b++) {
          const fs_index i = first + b;
          fs_load(v1[b][c], a1 + (i * 8192 + j));
        }
      }
#pragma unroll
      for (int c = 0; c < 4; c++) {
        const fs_index j = (h * 1024 + (c * 256 + t)) * 4;
#pragma unroll
        for (int b = 0; b < 2; b++) {
          const fs_index i = first + b;
#pragma unroll
          for (int e = 0; e < 4; e++) {
            r2[b][e] = fmaf(v1[b][c][e], v0[c][e], r2[b][e]);
          }
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
        v2[b] = fs_fold<fs_add, 8>(part2[turn][b]);
      }
    }
    turn ^= 1;  // the next sums go beside these
    float v4[2];
#pragma unroll
    for (int b = 0; b < 2; b++) {
      const fs_index i = first + b;
      v4[b] = v3 * v2[b];
      if (t == 0) fs_put(a2[i], v4[b]);
    }
  }
}
==== plain
> code: cuda
# k1 march
launch: 1024 threads, at most 2048 blocks, 1 a unit, bounds for 1
shared: 0 B; workspace 256 B and 32768 B a block, 256 B of zeros; cooperative
slots: 0 1 2 3 4 5; params: 0 float, 1 float
// B = A + u*v'; x = 0.5*(B'*u) + v; w = 2*B*x
//
// scheme row; 8192 rows of 8192; 1024 threads; 1 lane x 8 vectors; 4 rows at once
typedef int fs_index;
constexpr int FS_THREADS = 1024, FS_RESIDENT = 1;
constexpr int FS_ROW_THREADS = 1024, FS_ROWS = 4;
constexpr fs_index FS_M = 8192;

// memory.cuh: fs_get fs_put fs_pack fs_load fs_store
// reduce.cuh: fs_add fs_warp fs_across fs_fold fs_fetch fs_add_fetched fs_slices
// barrier.cuh: fs_grid_barrier
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, void *s5, float p0, float
        p1, void *work
) {
  const float *const a0 = (const float *)s0;
  const float *const a1 = (const float *)s1;
  const float *const a2 = (const float *)s2;
  float *const a3 = (float *)s3;
  float *const a4 = (float *)s4;
  float *const a5 = (float *)s5;
  float *const w11 = (float *)((char *)work + 256);
  unsigned *const counters = (unsigned *)work;
  alignas(16) __shared__ double scratch[2048];
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  const float v6 = (float)p0;
  const float v12 = (float)p1;
  __shared__ float part5[2][4][32];
  int turn = 0;
  float r11[8] = {};
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    float v0[4];
#pragma unroll
    for (int b = 0; b < 4; b++) {
      const fs_index i = first + b;
      v0[b] = fs_get(a0[i]);
    }
    float r5[4] = {};
    float v1[8];
    float v3[4][8];
#pragma unroll
    for (int c = 0; c < 8; c++) {
      const fs_index j = c * 1024 + t;
      v1[c] = fs_get(a1[j]);
#pragma unroll
      for (int b = 0; b < 4; b++) {
        const fs_index i = first + b;
        v3[b][c] = fs_get(a2[i + j * 8192]);
      }
    }
    float v4[4][8];
#pragma unroll
    for (int c = 0; c < 8; c++) {
      const fs_index j = c * 1024 + t;
#pragma unroll
      for (int b = 0; b < 4; b++) {
        const fs_index i = first + b;
        const float v2 = v0[b] * v1[c];
        v4[b][c] = v3[b][c] + v2;
        r5[b] = fmaf(v4[b][c], v1[c], r5[b]);
        fs_put(a3[i + j * 8192], v4[b][c]);
      }
    }
    float v5[4];
#pragma unroll
    for (int b = 0; b < 4; b++) {
      const float x = fs_warp<fs_add, 32>(r5[b]);
      if (threadIdx.x % 32 == 0) part5[turn][b][threadIdx.x / 32] = x;
    }
    __syncthreads();
#pragma unroll
    for (int b = 0; b < 4; b++) {
      v5[b] = fs_fold<fs_add, 32>(part5[turn][b]);
    }
    turn ^= 1;  // the next sums go beside these
    float v7[4];
    float v8[4];
#pragma unroll
    for (int b = 0; b < 4; b++) {
      const fs_index i = first + b;
      v7[b] = v6 * v5[b];
      v8[b] = v0[b] + v7[b];
      if (t == 0) fs_put(a4[i], v8[b]);
    }
#pragma unroll
    for (int c = 0; c < 8; c++) {
      const fs_index j = c * 1024 + t;
#pragma unroll
      for (int b = 0; b < 4; b++) {
        const fs_index i = first + b;
        r11[c] = fmaf(v4[b][c], v8[b], r11[c]);
      }
    }
  }
  const fs_index part = (fs_index)blockIdx.x;
#pragma unroll
  for (int c = 0; c < 8; c++) {
    const fs_index j = c * 1024 + t;
    *(w11 + part * 8192 + j) = r11[c];
  }
  fs_grid_barrier(counters);
  const int lane = threadIdx.x % 8;
  const int slice = threadIdx.x / 8;
  float part11[2][4];
  fs_fetch(part11, w11, (fs_index)blockIdx.x * 32 + lane * 4, slice, 128,
      (fs_index)gridDim.x, 8192, 0);
  for (fs_index unit = blockIdx.x; unit < 256; unit += gridDim.x) {
    const fs_index x = unit * 32 + threadIdx.x;
    const fs_index j = x;
    const bool own = threadIdx.x < 32 && j < 8192;
    float sum11[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
      sum11[e] = 0;
    }
    fs_add_fetched<fs_add>(sum11, part11);
    fs_fetch(part11, w11, (unit + gridDim.x) * 32 + lane * 4, slice, 128,
        (fs_index)gridDim.x, 8192, 0);
    float x11 = 0;
    x11 = fs_slices<fs_add, 8>(sum11, (float *)scratch, 1024, x11);
    if (own) {
      const float v11 = x11;
      const float v13 = v12 * v11;
      fs_put(a5[j], v13);
    }
  }
}
