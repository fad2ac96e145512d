// flat.cuh - the flat scheme: one index, the grid strides over tiles of
// FS_THREADS x FS_UNROLL vectors. Lines `//: name` are where the emitter writes;
// alone, with test.cuh before it, this file compiles.
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    //: arguments
) {
  //: pointers
  const int t = threadIdx.x;
  //: before
  for (fs_index tile = blockIdx.x; tile < FS_TILES; tile += gridDim.x) {
    //: row
  }
  //: after
}
