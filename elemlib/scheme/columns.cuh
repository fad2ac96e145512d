// columns.cuh - the panel scheme: each of FS_BLOCKS blocks owns FS_HEIGHT rows of the
// matrix, and all walk over panels of FS_WIDTH columns in step. A block's sums of
// a panel's columns go out to blocks that finish them, in a fixed order, and come
// back while the panel is still on the chip: FS_KEPT of the rows in shared memory,
// the others are read again from the L2 cache. Warps have roles. The sums of rows
// stay in registers to the end.
extern "C" __global__ void __launch_bounds__(FS_THREADS, 1) fs_kernel(
    //: arguments
) {
  //: pointers
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const fs_index row = (fs_index)blockIdx.x * FS_HEIGHT;  // the block's first
  const unsigned round = ((volatile unsigned *)counters)[0] + 1;  // of panel 0
  FS_RING(ring);
  __shared__ fs_gates gate;
  // The last even, the last odd panel whose sums this block has sent: blocks walk in
  // step, so nobody looks for what others send before (looks load the L2 cache).
  __shared__ volatile int sent[2];
  if (threadIdx.x == 0) fs_gates_open(gate, FS_WORKERS / 32);
  if (threadIdx.x < 2) sent[threadIdx.x] = -1;
  //: before
  __syncthreads();

  if (warp == 0) {  // brings the tiles
    for (int k = 0; lane == 0 && k < FS_PANELS + FS_LAG; k++) {
      //: fetch
    }
  } else if (warp < 3) {  // sends the block's sums of a panel's columns
    for (int p = warp - 1; p < FS_PANELS; p += 2) {
      const int s = p % FS_PARTS;
      fs_mbarrier_wait(&gate.part[s], fs_turn<FS_PARTS>(p));
      //: send
      __syncwarp();
      if (lane == 0) {
        sent[p % 2] = p;
        fs_mbarrier_arrive(&gate.part_free[s]);
      }
    }
  } else if (warp == 3) {  // finishes sums of all blocks, eight columns at a time
    for (int job = blockIdx.x; job < FS_PANELS * FS_GROUPS; job += FS_BLOCKS) {
      const int p = job / FS_GROUPS, group = job % FS_GROUPS;
      const fs_index i = p * FS_WIDTH + group * 8 + lane % 8;
      while (sent[p % 2] < p) fs_pause();
      //: finish
    }
  } else if (warp < 8) {  // takes in what was finished
    for (int p = warp - 4; p < FS_PANELS; p += 4) {
      const int s = p % FS_MAILS;
      if (p >= FS_MAILS)
        fs_mbarrier_wait(&gate.mail_free[s], fs_turn<FS_MAILS>(p - FS_MAILS));
      const int next = p + 1 < FS_PANELS ? p + 1 : p;
      while (sent[next % 2] < next) fs_pause();
      //: take
      __syncwarp();
      if (lane == 0) fs_mbarrier_arrive(&gate.mail[s]);
    }
  } else {  // computes: part t % FS_LANES of a panel's columns, every FS_SIDE-th row
    const int t = threadIdx.x - (FS_THREADS - FS_WORKERS);
    const int part = t % FS_LANES, side = t / FS_LANES;
    //: rows
    int p = 0, q = 0;  // the panel to be summed next, and the one to be used next
    while (q < FS_PANELS) {
      bool ready = p < FS_PANELS;
      if (ready) {
        //: ready
      }
      if (__all_sync(0xffffffffu, ready)) {
        //: panel
        p++;
        continue;
      }
      ready = q < p && fs_mbarrier_test(&gate.mail[q % FS_MAILS],
                                        fs_turn<FS_MAILS>(q));
      //: ready again
      if (!__all_sync(0xffffffffu, ready)) {
        fs_pause();
        continue;
      }
      //: panel again
      q++;
    }
    //: after
    if (t == 0 && atomicAdd(&counters[1], 1u) == FS_BLOCKS - 1) {
      counters[1] = 0;  // all have read the round they began with
      counters[0] = round - 1 + FS_PANELS;
    }
  }
}
