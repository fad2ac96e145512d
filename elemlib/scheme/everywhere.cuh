// everywhere.cuh - the flat scheme as a phase of a launch that each block does whole, so
// that all blocks have its sums without a barrier. Lines `//: name` are where the emitter
// writes; alone, with test.cuh before it, this file compiles.
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    //: arguments
) {
  //: pointers
  const int t = threadIdx.x;
  //: before
  for (fs_index tile = 0; tile < FS_TILES; tile++) {
    //: row
  }
  //: after
}
