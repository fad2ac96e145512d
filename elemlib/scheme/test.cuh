// test.cuh - stands in for what the emitter writes before a skeleton, so that
// each skeleton of this folder compiles alone:
//   cat test.cuh row.cuh > row.cu
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 2, FS_ROW_THREADS = 64;
constexpr int FS_ROWS = 4, FS_M = 1000, FS_TILES = 10, FS_ITERATIONS = 4;
constexpr int FS_CLUSTER = 2, FS_INSTANCES = 32, FS_LANES_EACH = 4;
constexpr int FS_PANELS = 3, FS_PARTS = 8, FS_PARTS_MOST = 250;
template <int N>
__device__ __forceinline__ int fs_cluster_rank() {
  return (int)(blockIdx.x % N);
}
__device__ __forceinline__ fs_index fs_parts(fs_index panels, fs_index most) {
  return panels < most ? panels : most;
}
