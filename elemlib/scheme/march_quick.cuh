// march_quick.cuh - the march scheme, for code that is compiled quickly. It makes the
// same sums in the same order as march.cuh and is launched in the same way, in half as
// much code: warps have no roles that run ahead of each other. A panel goes through all
// steps before the next one comes, and barriers of all threads stand between the steps;
// its rows come straight from memory and wait in registers.
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
  // Part t % FS_LANES of a panel's columns, every FS_SIDE-th row; the warps behind those
  // that work have places, too, and do not use them.
  const int t = FS_PLACE((int)threadIdx.x, FS_WORKERS);
  const int part = FS_PLACE(t, FS_LANES), side = t / FS_LANES;
  const bool works = threadIdx.x < FS_WORKERS;
  const int m = 0;  // the place of sums that the blocks of the cluster send
  //: before
  //: rows
  fs_cluster_barrier<FS_CLUSTER>();

  for (int p = 0; p < FS_PANELS; p++) {
    const int q = p;
    //: columns
    if (works) {
      //: panel
    }
    __syncthreads();
    if (warp == 0) {  // sends the block's sums of the panel's columns
      const int s = 0;
      //: send
    }
    __syncwarp();
    fs_cluster_barrier<FS_CLUSTER>();
    if (warp == 0) {  // puts together those of the cluster, of the columns of this block
      //: gather
    } else if (warp == 1) {  // finishes them, of all clusters
      const fs_index i = p * FS_WIDTH + rank * FS_COLUMNS + lane % FS_COLUMNS;
      //: finish
    }
    __syncwarp();
    fs_cluster_barrier<FS_CLUSTER>();
    if (works) {
      //: panel again
    }
  }
  if (works) {
    //: after
  }
  if (threadIdx.x == 0 && atomicAdd(&counters[1], 1u) == FS_BLOCKS - 1) {
    counters[1] = 0;  // all have read the round they began with
    counters[0] = round - 1 + FS_PANELS;
  }
}
