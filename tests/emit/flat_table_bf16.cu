==== h200
> code: cuda
# k1 flat
launch: 128 threads, at most 32768 blocks, 16 waves of 4 pieces, bounds for 9
shared: 0 B; waits; lasts
slots: 0 1 2
// d = erf(log(S./K)) + exp(-S)./sqrt(K) - erf(S).*log(K)
//
// scheme flat; 33554432 elements; 128 threads; 8 lanes x 1 vector, in pairs
typedef int fs_index;
constexpr int FS_THREADS = 128, FS_RESIDENT = 9;
constexpr fs_index FS_TILES = 32768;

// quick.cuh: fs_copy_table fs_reciprocal fs_div fs_sqrt
// quick_bf16.cuh: fs_exp2_approx fs_sqrt_approx fs_log2_approx fs_log_bf16 fs_exp_bf16 fs_erf_near fs_erf_bf16
// memory.cuh: fs_from_f16 fs_to_f16 fs_from_bf16 fs_to_bf16 fs_round_bf16 fs_get fs_put fs_f16 fs_bf16 fs_pack fs_values fs_bf16 fs_load fs_load_shifted fs_load_spaced fs_load_if fs_words_some fs_load_first fs_load_some fs_load_apart fs_store fs_store_some fs_store_apart fs_anew
// cache.cuh: fs_cache_lasts fs_words_by fs_load_by
// pairs.cuh: fs_pair fs_load_pairs_by
// quick_pairs.cuh: fs_extremes fs_note_least fs_note_divisor fs_note_lowest fs_is_rare fs_pair_of fs_div_two fs_div_of_seen fs_sqrt_two fs_log_two fs_erf_two FS_ERF_VALUES fs_erf_looked_up
// barrier.cuh: fs_after_kernels
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    void *s0, void *s1, void *s2
) {
  alignas(16) __shared__ unsigned short values[FS_ERF_VALUES];
  fs_copy_table<FS_THREADS>(values, fs_erf_values);
  fs_after_kernels();
  const fs_bf16 *const a0 = (const fs_bf16 *)s0;
  const fs_bf16 *const a1 = (const fs_bf16 *)s1;
  fs_bf16 *const a2 = (fs_bf16 *)s2;
  const int t = threadIdx.x;
  const unsigned long long lasts = fs_cache_lasts();
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    fs_pair<fs_bf16> v0[4];
    fs_pair<fs_bf16> v3[4];
    {
      const fs_index j = (tile * 128 + t) * 8;
      fs_load_pairs_by(v0, a0 + j, lasts);
      fs_load_pairs_by(v3, a1 + j, lasts);
    }
    unsigned left = 0;
    {
      const fs_index j = (tile * 128 + t) * 8;
      fs_pair<fs_bf16> v13[4];
      fs_extremes seen;
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const fs_pair<fs_bf16> v1 = -v0[e];
        const fs_pair<fs_bf16> v2 =
            fs_two<fs_bf16>(fs_exp_bf16(fs_half(v1, 0)),
            fs_exp_bf16(fs_half(v1, 1)));
        const fs_pair<fs_bf16> v4 = fs_sqrt_two(v3[e], seen);
        const fs_pair<fs_bf16> v5 = fs_div_two(v2, v4, seen);
        const fs_pair<fs_bf16> v6 = fs_div_of_seen(v0[e], v3[e], seen);
        const fs_pair<fs_bf16> v7 = fs_log_two(v6, seen);
        const fs_pair<fs_bf16> v8 = fs_erf_looked_up(v7, values);
        const fs_pair<fs_bf16> v9 = v5 + v8;
        const fs_pair<fs_bf16> v10 = fs_erf_looked_up(v0[e], values);
        const fs_pair<fs_bf16> v11 = fs_log_two(v3[e], seen);
        const fs_pair<fs_bf16> v12 = v10 * v11;
        v13[e] = v9 - v12;
      }
      bool rare = fs_is_rare(seen);
      if (!rare) {
        fs_store(a2 + j, v13);
      } else {
        left = 1;
      }
    }
    if (left) {
      const fs_index j = (tile * 128 + t) * 8;
      const fs_index from = j;
#pragma unroll 1
      for (int e = 0; e < 8; e++) {
        fs_anew();
        const fs_index j = from + e;
        float v0;
        v0 = fs_get(a0[j]);
        float v3;
        v3 = fs_get(a1[j]);
        float v13;
        const float v1 = fs_round_bf16(-v0);
        const float v2 = fs_round_bf16(fs_exp_bf16(v1));
        const float v4 = fs_round_bf16(fs_sqrt(v3));
        const float v5 = fs_round_bf16(fs_div(v2, v4));
        const float v6 = fs_round_bf16(fs_div(v0, v3));
        const float v7 = fs_round_bf16(fs_log_bf16(v6));
        const float v8 = fs_round_bf16(fs_erf_bf16(v7));
        const float v9 = fs_round_bf16(v5 + v8);
        const float v10 = fs_round_bf16(fs_erf_bf16(v0));
        const float v11 = fs_round_bf16(fs_log_bf16(v3));
        const float v12 = fs_round_bf16(v10 * v11);
        v13 = fs_round_bf16(v9 - v12);
        fs_put(a2[j], v13);
      }
    }
  }
}
