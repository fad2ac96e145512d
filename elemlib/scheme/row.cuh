// row.cuh - the row scheme: a block owns FS_ROWS whole rows at a time and goes
// over them once per phase, FS_ROW_THREADS threads on each row.
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    //: arguments
) {
  //: pointers
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // row among the block's
  //: before
  for (fs_index first = (fs_index)blockIdx.x * FS_ROWS; first < FS_M;
       first += (fs_index)gridDim.x * FS_ROWS) {
    //: row
  }
  //: after
}
