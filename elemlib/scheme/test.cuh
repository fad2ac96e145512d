// test.cuh - stands in for what the emitter writes before a skeleton, so that
// each skeleton of this folder compiles alone:
//   cat test.cuh ../cuda/*.cuh row.cuh > row.cu
typedef int fs_index;
constexpr int FS_THREADS = 256, FS_RESIDENT = 2, FS_ROW_THREADS = 64;
constexpr int FS_ROWS = 4, FS_M = 1000, FS_TILES = 10, FS_ITERATIONS = 4;
constexpr int FS_CLUSTER = 2, FS_INSTANCES = 32, FS_LANES_EACH = 4;
constexpr int FS_STRIPS = 3, FS_PANELS = 3, FS_PARTS = 8, FS_PARTS_MOST = 250;
constexpr int FS_PIECES = 64, FS_OF_SQUARE = 4, FS_ABREAST = 4;
constexpr int FS_WORKERS = 128, FS_LANES = 16, FS_SIDE = 8, FS_BLOCKS = 2;
constexpr int FS_WIDTH = 64, FS_COLUMNS = 32, FS_HEIGHT = 32, FS_REGS = 208;
constexpr int FS_TEAM_BYTES = 256, FS_MAIL_BYTES = 256;
constexpr int FS_SLOTS = 6, FS_SHORT = 3, FS_LAG = 4, FS_WRITTEN = 4, FS_MAILS = 8;
__device__ unsigned counters[2];
