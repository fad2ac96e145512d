// march.cuh - the march scheme: each of FS_BLOCKS blocks owns FS_HEIGHT rows of the
// matrix, and all walk over panels of FS_WIDTH columns in step. A cluster of blocks puts
// its sums of a panel's columns together in distributed shared memory; each block of it
// has some columns, whose sums it sends to all clusters and takes from them, in a fixed
// order, to finish them for its cluster. Until then the panel stays on the chip: FS_HELD
// of the rows in registers, the others in shared memory. Warps have roles. The sums of
// rows stay in registers to the end.
extern "C" __global__ void __cluster_dims__(FS_CLUSTER, 1, 1)
    __launch_bounds__(FS_THREADS, 1)
fs_kernel(
    //: arguments
) {
  //: pointers
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int rank = fs_cluster_rank<FS_CLUSTER>(), team = blockIdx.x / FS_CLUSTER;
  const fs_index row = (fs_index)blockIdx.x * FS_HEIGHT;  // the block's first
  const unsigned round = ((volatile unsigned *)counters)[0] + 1;  // of panel 0
  FS_RING(ring);
  __shared__ fs_gates gate;
  fs_gates_open(gate, FS_WORKERS / 32);
  //: before
  __syncthreads();
  fs_cluster_barrier<FS_CLUSTER>();

  if (warp < 4) {
    fs_registers_fewer<FS_REGS ? 40 : 0>();
    if (warp == 0) {  // brings the tiles
      for (int k = 0; lane == 0 && k < FS_PANELS; k++) {
        //: fetch
      }
    } else if (warp < 3) {  // sends the block's sums of a panel's columns
      for (int p = warp - 1; p < FS_PANELS; p += 2) {
        const int s = FS_PLACE(p, FS_PARTS), m = FS_PLACE(p, FS_MAILS);
        fs_mbarrier_wait(&gate.part[s], fs_turn<FS_PARTS>(p));
        if (lane == 0) {
          fs_mbarrier_expect(&gate.team[m], FS_TEAM_BYTES);
          fs_mbarrier_expect(&gate.mail[m], FS_MAIL_BYTES);
        }
        //: send
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
        //: gather
      }
    }
  } else if (warp < 8) {  // finishes them, of all clusters
    fs_registers_fewer<FS_REGS ? 56 : 0>();
    for (int p = warp - 4; p < FS_PANELS; p += 4) {
      const int m = FS_PLACE(p, FS_MAILS);
      const fs_index i = p * FS_WIDTH + rank * FS_COLUMNS + lane % FS_COLUMNS;
      while (gate.sent[FS_PLACE(p, 2)] < p) fs_pause();
      //: finish
    }
  } else {  // computes: part t % FS_LANES of a panel's columns, every FS_SIDE-th row
    fs_registers_more<FS_REGS>();
    const int t = threadIdx.x - (FS_THREADS - FS_WORKERS);
    const int part = FS_PLACE(t, FS_LANES), side = t / FS_LANES;
    //: rows
    for (int begin = 0; begin < FS_PANELS + FS_LAG; begin += FS_WRITTEN) {
#pragma unroll
      for (int d = 0; d < FS_WRITTEN; d++) {  // a panel is summed, one before it used
        const int p = begin + d, q = p - FS_LAG;
        //: columns
        if (q >= 0 && q < FS_PANELS) {
          fs_mbarrier_wait(&gate.mail[FS_PLACE(q, FS_MAILS)], fs_turn<FS_MAILS>(q));
          //: panel again
        }
        if (p < FS_PANELS) {
          //: panel
        }
      }
      //: move on
    }
    //: after
    if (t == 0 && atomicAdd(&counters[1], 1u) == FS_BLOCKS - 1) {
      counters[1] = 0;  // all have read the round they began with
      counters[0] = round - 1 + FS_PANELS;
    }
  }
  __syncwarp();
  fs_cluster_barrier<FS_CLUSTER>();  // nobody sends to a block that has ended
}
