// tile.cuh - the tile scheme of Filipovic et al.: a block of 32 x 8 threads
// takes a column of 32 x 32 tiles and goes down FS_ITERATIONS of them. What does
// not change from tile to tile is loaded before, what adds up is stored after.
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    //: arguments
) {
  //: pointers
  const int t = threadIdx.x % 32;    // column of the tile
  const int sub = threadIdx.x / 32;  // first row of the tile
  //: before
  for (fs_index work = blockIdx.x; work < FS_PARTS * FS_STRIPS;
       work += gridDim.x) {
    const fs_index strip = work % FS_STRIPS, part = work / FS_STRIPS;
    //: strip begin
    const fs_index begin = part * (32 * FS_ITERATIONS);
    const fs_index end =
        FS_M - begin < 32 * FS_ITERATIONS ? FS_M : begin + 32 * FS_ITERATIONS;
    for (fs_index first = begin; first < end; first += 32) {
      //: row
    }
    //: strip end
  }
  //: after
}
