// instance.cuh - the instance scheme: a block has FS_INSTANCES neighbours of a
// stack of small elements in shared memory, and a user's routine works on each
// with FS_LANES_EACH threads. Lines `//: name` are where the emitter writes; alone,
// with test.cuh before it, this file compiles.
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    //: arguments
) {
  //: pointers
  const int t = threadIdx.x;
  const fs_index first = (fs_index)blockIdx.x * FS_INSTANCES;
  //: before
  __syncthreads();
  if (t < FS_INSTANCES * FS_LANES_EACH) {
    //: row
  }
  __syncthreads();
  //: after
}
