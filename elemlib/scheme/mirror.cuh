// mirror.cuh - tiles of a square matrix that is read both as it lies and across:
// squares of FS_OF_SQUARE tiles go in shells, (k, 0) and (0, k), (k, 1) and (1, k) ...,
// so that two that mirror each other read the same elements at about the same time.
extern "C" __global__ void __launch_bounds__(FS_THREADS, FS_RESIDENT)
fs_kernel(
    //: arguments
) {
  //: pointers
  const int t = threadIdx.x % FS_ROW_THREADS;    // place in the tile's row
  const int sub = threadIdx.x / FS_ROW_THREADS;  // rows among the tile's
  //: before
  for (fs_index work = blockIdx.x; work < FS_PIECES; work += gridDim.x) {
    const int square = work / FS_OF_SQUARE, piece = work % FS_OF_SQUARE;
    const int shell = (int)sqrtf((float)square), place = square - shell * shell;
    const fs_index across = place % 2 ? shell : place / 2;
    const fs_index down = place % 2 ? place / 2 : shell;
    const fs_index strip = across * FS_ABREAST + piece % FS_ABREAST;
    const fs_index first = (down * (FS_OF_SQUARE / FS_ABREAST) +
                            piece / FS_ABREAST) * FS_ROWS;
    if (strip >= FS_STRIPS || first >= FS_M) continue;
    //: strip begin
    {
      //: row
    }
    //: strip end
  }
  //: after
}
