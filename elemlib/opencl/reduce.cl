// reduce.cl - reductions among neighbouring threads and in a block, in OpenCL C: through
// memory of the block, always in the same order, which is that of CUDA's shuffles.
// All threads of the block must come to each of them.

//@ fs_exchange
// A place of each thread, free between two of these: a kernel that uses it declares it.

//@ fs_lanes OP T N
// The N partial results of one thread, as a tree.
FS_INLINE T fs_lanes_$OP_$T_$N(const T *v) {
  T x[N];
  for (int e = 0; e < N; e++) x[e] = v[e];
  for (int w = N / 2; w > 0; w /= 2)
    for (int e = 0; e < w; e++) x[e] = fs_$OP_of_$T(x[e], x[e + w]);
  return x[0];
}

//@ fs_warp_in OP N T
FS_INLINE T fs_warp_in_$OP_$N_$T(T x, __local T *all) {
  const int me = (int)get_local_id(0);
  all[me] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int o = N / 2; o > 0; o /= 2) {
    if (me % N < o) all[me] = fs_$OP_of_$T(all[me], all[me + o]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  x = all[me - me % N];
  barrier(CLK_LOCAL_MEM_FENCE);
  return x;
}

//@ fs_warp OP N T
// Over groups of N neighbouring threads (N a power of two, up to 32); every thread gets the
// result.
#define fs_warp_$OP_$N_$T(x) fs_warp_in_$OP_$N_$T(x, (__local T *)fs_exchange)

//@ fs_across_in OP M T N
FS_INLINE void fs_across_in_$OP_$M_$T_$N(T *v, __local T *all) {
  const int me = (int)get_local_id(0);
  for (int e = 0; e < N; e++)
    for (int o = M; o < 32; o *= 2) {
      all[me] = v[e];
      barrier(CLK_LOCAL_MEM_FENCE);
      v[e] = fs_$OP_of_$T(v[e], all[me ^ o]);
      barrier(CLK_LOCAL_MEM_FENCE);
    }
}

//@ fs_across OP M T N
// Over those of 32 neighbouring threads that lie a multiple of M apart, N results each; every
// thread gets the results.
#define fs_across_$OP_$M_$T_$N(v) fs_across_in_$OP_$M_$T_$N(v, (__local T *)fs_exchange)

//@ fs_block_in OP N T
FS_INLINE T fs_block_in_$OP_$N_$T(T x, __local T *part, __local T *all) {
  const int me = (int)get_local_id(0);
  x = fs_warp_in_$OP_32_$T(x, all);
  if (me % 32 == 0) part[me / 32] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  x = part[0];
  for (int w = 1; w < N; w++) x = fs_$OP_of_$T(x, part[w]);
  return x;
}

//@ fs_block OP N T
// Over all threads of a block of 32*N; every thread gets the result. `part` is memory of the
// block for N elements, free again after the next barrier.
#define fs_block_$OP_$N_$T(x, part) fs_block_in_$OP_$N_$T(x, part, (__local T *)fs_exchange)

//@ fs_fold OP N T
// N partial results that lie side by side.
FS_INLINE T fs_fold_$OP_$N_$T(__local const T *part) {
  T x = part[0];
  for (int w = 1; w < N; w++) x = fs_$OP_of_$T(x, part[w]);
  return x;
}

//@ fs_side OP M T N
// Vector v of N results that each of M rows of the block has, `width` vectors of a row after
// those of the last one: put together, row after row.
FS_INLINE void fs_side_$OP_$M_$T_$N(T *x, __local const T *side, int v, int width) {
  for (int e = 0; e < N; e++) x[e] = side[v * N + e];
  for (int row = 1; row < M; row++)
    for (int e = 0; e < N; e++) x[e] = fs_$OP_of_$T(x[e], side[(row * width + v) * N + e]);
}

//@ fs_fewer
FS_INLINE uint fs_fewer(uint a, uint b) { return a < b ? a : b; }

//@ fs_gather OP N T
// What `count` blocks left, of which each of `threads` takes one in so many. `none` is neutral.
FS_INLINE T fs_gather_$OP_$N_$T(__global const T *from, uint count, int threads, T none) {
  T x = none;
  for (uint b = (uint)get_local_id(0); b < N * threads; b += threads)
    x = fs_$OP_of_$T(x, b < count ? fs_fresh_$T(from + b) : none);
  for (uint b = (uint)get_local_id(0) + N * threads; b < count; b += threads)
    x = fs_$OP_of_$T(x, fs_fresh_$T(from + b));
  return x;
}

//@ fs_add_parts OP M T N
// Adds parts b, b + step, ... of `parts`, of each the N results from `at` on.
FS_INLINE void fs_add_parts_$OP_$M_$T_$N(T *sum, __global const T *from, fs_index at, fs_index b,
                                         fs_index parts, int step, fs_index pitch) {
  for (; b < parts && at < pitch; b += step)
    for (int e = 0; e < N; e++) sum[e] = fs_$OP_of_$T(sum[e], from[b * pitch + at + e]);
}

//@ fs_slices_in OP M T N
FS_INLINE T fs_slices_in_$OP_$M_$T_$N(T *v, __local T *part, int threads, T none,
                                      __local T *all) {
  const int me = (int)get_local_id(0);
  if (M < 32) fs_across_in_$OP_$M_$T_$N(v, all);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int e = 0; e < N && me % 32 < M; e++) part[(me / 32 * M + me % M) * N + e] = v[e];
  barrier(CLK_LOCAL_MEM_FENCE);
  T x = none;
  for (int w = 0; w < threads / 32 && me < M * N; w++)
    x = fs_$OP_of_$T(x, part[w * M * N + me]);
  return x;
}

//@ fs_slices OP M T N
// N results of each of M lanes, put together over the slices of a block: those of a warp, then
// the warps', in order. Thread k has result k of the M * N, others `none`.
#define fs_slices_$OP_$M_$T_$N(v, part, threads, none) \
  fs_slices_in_$OP_$M_$T_$N(v, part, threads, none, (__local T *)fs_exchange)

//@ fs_parts
// Into how many parts the rows are dealt out: enough for every block of the grid to have work,
// at most one per block, so that partial results have room.
FS_INLINE fs_index fs_parts(fs_index strips, fs_index most) {
  const fs_index blocks = (fs_index)get_num_groups(0);
  fs_index parts = blocks / strips;
  if (strips * 8 > blocks) parts = (8 * blocks + strips - 1) / strips;
  if (parts > blocks) parts = blocks;
  if (parts > most) parts = most;
  return parts < 1 ? 1 : parts;
}

//@ fs_all_memory
// What this thread wrote, others see behind it, and what they wrote, this one.
#if defined(__OPENCL_C_VERSION__) && __OPENCL_C_VERSION__ >= 200 && __OPENCL_C_VERSION__ < 300
#define fs_all_memory() \
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device)
#else
#define fs_all_memory() mem_fence(CLK_GLOBAL_MEM_FENCE)
#endif

//@ fs_last_block_in
FS_INLINE bool fs_last_block_in(__global uint *counter, __local int *all) {
  fs_all_memory();
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (get_local_id(0) == 0) {
    *all = atomic_inc(&counter[2]) == get_num_groups(0) - 1;
    if (*all) counter[2] = 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  const bool last = *all != 0;
  fs_all_memory();
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  return last;
}

//@ fs_last_block
// True in the block that comes here last: it sees what all others wrote.
#define fs_last_block(counter) fs_last_block_in(counter, fs_last)
