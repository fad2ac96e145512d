==== h200
> code: cuda
# k1 march
launch: 512 threads, at most 120 blocks in clusters of 8, bounds for 1
shared: 221184 B; workspace 983296 B and 0 B a block, 256 B of zeros; waits; lasts; cooperative
slots: 2 0 1 3 4 5; params: 0 float, 1 float
map 0: slot 0, bf16 at 0, 8192 x 8192, rows 8192 apart, box 32 x 256
map 1: slot 0, bf16 at 0, 8192 x 8192, rows 8192 apart, box 40 x 256
// B = A + u*v'; x = 0.5*(B'*u) + v; w = 2*B*x
//
// scheme march; 8192 rows of 8192; 512 threads, 32 on a row; 8 lanes x 1 vector; 72 rows at once; clusters of 8 blocks
typedef int fs_index;
constexpr int FS_THREADS = 512, FS_RESIDENT = 1;
constexpr int FS_WORKERS = 256, FS_LANES = 32, FS_SIDE = 8, FS_REGS = 208;
constexpr int FS_CLUSTER = 8, FS_CLUSTERS = 15, FS_BLOCKS = 120;
constexpr int FS_WIDTH = 256, FS_COLUMNS = 32, FS_PANELS = 32;
constexpr int FS_HEIGHT = 72, FS_HELD = 32;
constexpr int FS_SLOTS = 6, FS_SHORT = 3, FS_LAG = 4, FS_WRITTEN = 1;
constexpr int FS_PARTS = 4, FS_MAILS = 8;
constexpr int FS_TEAM_BYTES = 1024, FS_MAIL_BYTES = 1024;

// quick.cuh: fs_lane
// memory.cuh: fs_from_f16 fs_to_f16 fs_from_bf16 fs_to_bf16 fs_round_bf16 fs_get fs_put fs_f16 fs_bf16 fs_pack fs_values fs_bf16 fs_load fs_load_shifted fs_load_spaced fs_load_if fs_words_some fs_load_first fs_load_some fs_load_apart fs_store fs_store_some fs_store_apart
// cache.cuh: fs_cache_lasts
// pairs.cuh: fs_pair
// reduce.cuh: fs_add fs_warp
// barrier.cuh: fs_after_kernels
// bulk.cuh: FS_RING fs_shared_address
// march.cuh: fs_mbarrier_init fs_mbarrier_expect fs_mbarrier_arrive fs_mbarrier_wait fs_pause fs_tensor_map fs_tensor_copy fs_before_copies fs_words fs_load_words fs_words_of fs_post fs_fold_lanes fs_look fs_sum_posted fs_registers_fewer fs_registers_more fs_gates fs_lap FS_PLACE fs_turn
// cluster.cuh: fs_cluster_rank fs_cluster_barrier fs_cluster_send
extern "C" __global__ void __cluster_dims__(FS_CLUSTER, 1, 1)
    __launch_bounds__(FS_THREADS, 1)
fs_kernel(
    void *s0, void *s1, void *s2, void *s3, void *s4, void *s5, float p0, float
        p1, void *work, const __grid_constant__ fs_tensor_map m0, const
        __grid_constant__ fs_tensor_map m1
) {
  fs_after_kernels();
  const fs_bf16 *const a0 = (const fs_bf16 *)s1;
  const fs_bf16 *const a1 = (const fs_bf16 *)s2;
  const fs_bf16 *const a2 = (const fs_bf16 *)s0;
  fs_bf16 *const a3 = (fs_bf16 *)s3;
  fs_bf16 *const a4 = (fs_bf16 *)s4;
  fs_bf16 *const a5 = (fs_bf16 *)s5;
  unsigned long long *const posts = (unsigned long long *)((char *)work + 256);
  unsigned *const counters = (unsigned *)work;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int rank = fs_cluster_rank<FS_CLUSTER>(), team = blockIdx.x / FS_CLUSTER;
  const fs_index row = (fs_index)blockIdx.x * FS_HEIGHT;  // the block's first
  const unsigned round = ((volatile unsigned *)counters)[0] + 1;  // of panel 0
  FS_RING(ring);
  __shared__ fs_gates gate;
  fs_gates_open(gate, FS_WORKERS / 32);
  float(*const part5)[8][FS_WIDTH] = (float(*)[8][FS_WIDTH])(ring + 172032);
  float(*const team5)[FS_WIDTH] = (float(*)[FS_WIDTH])(ring + 204800);
  float(*const mail8)[FS_WIDTH] = (float(*)[FS_WIDTH])(ring + 212992);
  const float v6 = fs_round_bf16((float)p0);
  const float v12 = fs_round_bf16((float)p1);
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
          fs_mbarrier_expect(&gate.held[s], 16384);
          fs_tensor_copy(ring + 122880 + s * 16384, m0, k * FS_WIDTH, row + 40,
              &gate.held[s], fs_cache_lasts());
        }
        {
          const int s = FS_PLACE(k, FS_SLOTS);
          if (k >= FS_SLOTS)
            fs_mbarrier_wait(&gate.kept_free[s],
                fs_turn<FS_SLOTS>(k - FS_SLOTS));
          fs_mbarrier_expect(&gate.kept[s], 20480);
          fs_tensor_copy(ring + s * 20480, m1, k * FS_WIDTH, row, &gate.kept[s],
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
          fs_post<480>(posts + (FS_PLACE(p, 32) * FS_CLUSTER + rank) * 480 +
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
          FS_COLUMNS>(posts + (FS_PLACE(p, 32) * FS_CLUSTER + rank) * 480, round
          + p, (float)0);
      const float v5 = fs_round_bf16(x5);
      const float v7 = fs_round_bf16(v6 * v5);
      const float v8 = fs_round_bf16(v0 + v7);
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
    fs_words held3[FS_LAG + FS_WRITTEN][FS_HELD / FS_SIDE];
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
        const fs_index first = (p < FS_PANELS ? p : 0) * FS_WIDTH + part * 8;
        const fs_index i = first;
        fs_pair<fs_bf16> v0[4];
        fs_load(v0, a0 + i);
        if (q >= 0 && q < FS_PANELS) {
          fs_mbarrier_wait(&gate.mail[FS_PLACE(q, FS_MAILS)], fs_turn<FS_MAILS>(q));
          const fs_index first = q * FS_WIDTH + part * 8;
          const fs_index i = first;
          float v8[8];
          fs_load(v8, &mail8[FS_PLACE(q, FS_MAILS)][part * 8]);
          const unsigned char *const kept = ring + FS_PLACE(q, FS_SLOTS) *
              20480;
#pragma unroll
          for (int b = 0; b < 9; b++) {
            const fs_index j = row + b * FS_SIDE + side;
            const fs_words x10 = b < 5 ?
                ((const fs_words *)(kept + (b * FS_SIDE + side) * 512))[part] :
                held3[d][b < 5 ? 0 : b - 5];
            float v10[8];
            fs_load_words<fs_pack<fs_bf16, 8>>(v10, x10);
#pragma unroll
            for (int e = 0; e < 8; e++) {
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
          float r5[8] = {};
          unsigned char *const kept = ring + FS_PLACE(p, FS_SLOTS) * 20480;
          const unsigned char *const brought = ring + 122880 +
              FS_PLACE(p, FS_SHORT) * 16384;
#pragma unroll
          for (int b = 0; b < 9; b++) {
            const fs_index j = row + b * FS_SIDE + side;
            const fs_words x3 = ((const fs_words *)(b < 5 ? kept +
                (b * FS_SIDE + side) * 512 : brought +
                ((b - 5) * FS_SIDE + side) * 512))[part];
            fs_pair<fs_bf16> v3[4];
            fs_load_words<fs_pack<fs_bf16, 8>>(v3, x3);
            fs_pair<fs_bf16> v4[4];
#pragma unroll
            for (int e = 0; e < 4; e++) {
              const fs_pair<fs_bf16> v2 = v0[e] * v1[b];
              v4[e] = v3[e] + v2;
            }
            if (j < 8192) {
#pragma unroll
              for (int e = 0; e < 4; e++) {
                r5[2 * e + 0] = fmaf(fs_half(v4[e], 0), v1[b], r5[2 * e + 0]);
                r5[2 * e + 1] = fmaf(fs_half(v4[e], 1), v1[b], r5[2 * e + 1]);
              }
              {
                const fs_index i = first;
                fs_store(a3 + i + j * 8192, v4);
              }
            }
            fs_pack<fs_bf16, 8> made;
            fs_store(made.e, v4);
            if (b >= 5) held3[FS_LAG + d][b < 5 ? 0 : b - 5] =
                fs_words_of(made);
            else ((fs_pack<fs_bf16, 8> *)(kept + (b * FS_SIDE + side) *
                512))[part] = made;
          }
          const int s = FS_PLACE(p, FS_PARTS);
          if (p >= FS_PARTS)
            fs_mbarrier_wait(&gate.part_free[s],
              fs_turn<FS_PARTS>(p - FS_PARTS));
#pragma unroll
          for (int e = 0; e < 8; e++) {
            part5[s][side][part * 8 + e] = r5[e];
          }
          __syncwarp();
          if (lane == 0) {
            fs_mbarrier_arrive(&gate.part[s]);
            fs_mbarrier_arrive(&gate.held_free[FS_PLACE(p, FS_SHORT)]);
          }
        }
      }
#pragma unroll
      for (int d = 0; d < 4; d++) {
#pragma unroll
        for (int b = 0; b < 4; b++) {
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
        const float v11 = fs_round_bf16(fs_lane(x11, b));
        const float v13 = fs_round_bf16(v12 * v11);
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
// scheme march; 8192 rows of 8192; 512 threads, 32 on a row; 8 lanes x 1 vector; 72 rows at once; clusters of 8 blocks
typedef int fs_index;
constexpr int FS_THREADS = 512, FS_RESIDENT = 1;
constexpr int FS_WORKERS = 256, FS_LANES = 32, FS_SIDE = 8;
constexpr int FS_CLUSTER = 8, FS_CLUSTERS = 15, FS_BLOCKS = 120;
constexpr int FS_WIDTH = 256, FS_COLUMNS = 32, FS_PANELS = 32;
constexpr int FS_HEIGHT = 72, FS_PARTS = 1, FS_MAILS = 1;

// quick.cuh: fs_lane
// memory.cuh: fs_from_f16 fs_to_f16 fs_from_bf16 fs_to_bf16 fs_round_bf16 fs_get fs_put fs_f16 fs_bf16 fs_pack fs_values fs_bf16 fs_load fs_load_shifted fs_load_spaced fs_load_if fs_words_some fs_load_first fs_load_some fs_load_apart fs_store fs_store_some fs_store_apart
// pairs.cuh: fs_pair
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
  const fs_bf16 *const a0 = (const fs_bf16 *)s1;
  const fs_bf16 *const a1 = (const fs_bf16 *)s2;
  const fs_bf16 *const a2 = (const fs_bf16 *)s0;
  fs_bf16 *const a3 = (fs_bf16 *)s3;
  fs_bf16 *const a4 = (fs_bf16 *)s4;
  fs_bf16 *const a5 = (fs_bf16 *)s5;
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
  float(*const part5)[8][FS_WIDTH] = (float(*)[8][FS_WIDTH])(ring + 172032);
  float(*const team5)[FS_WIDTH] = (float(*)[FS_WIDTH])(ring + 204800);
  float(*const mail8)[FS_WIDTH] = (float(*)[FS_WIDTH])(ring + 212992);
  const float v6 = fs_round_bf16((float)p0);
  const float v12 = fs_round_bf16((float)p1);
  float v1[9];
  fs_pack<fs_bf16, 8> held3[9];
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
    const fs_index first = (p < FS_PANELS ? p : 0) * FS_WIDTH + part * 8;
    const fs_index i = first;
    fs_pair<fs_bf16> v0[4];
    fs_load(v0, a0 + i);
    if (works) {
      float r5[8] = {};
#pragma unroll
      for (int b = 0; b < 9; b++) {
        const fs_index j = row + b * FS_SIDE + side;
        held3[b] = {};
        if (j < 8192) held3[b] = *(const fs_pack<fs_bf16, 8> *)(a2 + i + j *
            8192);
        fs_pair<fs_bf16> v3[4];
        fs_load(v3, held3[b].e);
        fs_pair<fs_bf16> v4[4];
#pragma unroll
        for (int e = 0; e < 4; e++) {
          const fs_pair<fs_bf16> v2 = v0[e] * v1[b];
          v4[e] = v3[e] + v2;
        }
        if (j < 8192) {
#pragma unroll
          for (int e = 0; e < 4; e++) {
            r5[2 * e + 0] = fmaf(fs_half(v4[e], 0), v1[b], r5[2 * e + 0]);
            r5[2 * e + 1] = fmaf(fs_half(v4[e], 1), v1[b], r5[2 * e + 1]);
          }
          {
            const fs_index i = first;
            fs_store(a3 + i + j * 8192, v4);
          }
        }
        fs_pack<fs_bf16, 8> made;
        fs_store(made.e, v4);
        held3[b] = made;
      }
      const int s = FS_PLACE(p, FS_PARTS);
#pragma unroll
      for (int e = 0; e < 8; e++) {
        part5[s][side][part * 8 + e] = r5[e];
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
        fs_post<480>(posts + (FS_PLACE(p, 32) * FS_CLUSTER + rank) * 480 +
          (team * FS_COLUMNS + lane), x5, round + p);
    } else if (warp == 1) {  // finishes them, of all clusters
      const fs_index i = p * FS_WIDTH + rank * FS_COLUMNS + lane % FS_COLUMNS;
      const float v0 = fs_get(a0[i]);
      const float x5 = fs_sum_posted_each<fs_add, FS_CLUSTERS,
          FS_COLUMNS>(posts + (FS_PLACE(p, 32) * FS_CLUSTER + rank) * 480, round
          + p, (float)0);
      const float v5 = fs_round_bf16(x5);
      const float v7 = fs_round_bf16(v6 * v5);
      const float v8 = fs_round_bf16(v0 + v7);
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
      const fs_index first = q * FS_WIDTH + part * 8;
      const fs_index i = first;
      float v8[8];
      fs_load(v8, &mail8[FS_PLACE(q, FS_MAILS)][part * 8]);
#pragma unroll
      for (int b = 0; b < 9; b++) {
        const fs_index j = row + b * FS_SIDE + side;
        float v10[8];
        fs_load(v10, held3[b].e);
#pragma unroll
        for (int e = 0; e < 8; e++) {
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
        const float v11 = fs_round_bf16(fs_lane(x11, b));
        const float v13 = fs_round_bf16(v12 * v11);
        fs_put(a5[j], v13);
      }
    }
  }
  if (threadIdx.x == 0 && atomicAdd(&counters[1], 1u) == FS_BLOCKS - 1) {
    counters[1] = 0;  // all have read the round they began with
    counters[0] = round - 1 + FS_PANELS;
  }
}
