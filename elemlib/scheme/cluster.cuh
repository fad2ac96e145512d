// cluster.cuh - the row scheme where a row is longer than what a block holds: the
// FS_CLUSTER blocks of a cluster own a row together, a part of its columns each,
// and put their sums together in distributed shared memory.
extern "C" __global__ void __cluster_dims__(FS_CLUSTER, 1, 1)
    __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    //: arguments
) {
  //: pointers
  const int t = threadIdx.x;  // place in the block's part of the row
  const int rank = fs_cluster_rank<FS_CLUSTER>();  // part of the row
  const fs_index team = blockIdx.x / FS_CLUSTER;
  const fs_index teams = gridDim.x / FS_CLUSTER;
  //: before
  for (fs_index first = team * FS_ROWS; first < FS_M;
       first += teams * FS_ROWS) {
    //: row
  }
  //: after
}
