// last.cuh - the flat scheme as a short phase that stands beside long ones in a launch: it
// begins with the last blocks, which have less to do there where work is not divided
// evenly. Lines `//: name` are where the emitter writes; alone, with test.cuh before it,
// this file compiles.
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    //: arguments
) {
  //: pointers
  const int t = threadIdx.x;
  //: before
  for (fs_index tile = gridDim.x - 1 - blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    //: row
  }
  //: after
}
