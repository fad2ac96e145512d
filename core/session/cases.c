/* cases.c - see cases.h. What a case does beside what it is for does not
 * matter: the fit (model/fit.c) takes all of them together. */
#include "core/session/cases.h"

/* The table's own short names. */
enum { F32 = 1, F64 = 2, F16 = 4, BF16 = 8, I32 = 16, FLOATS = F32 | F64 | F16, ALL = 31 };
#define VECTORS FS_CASE_VECTORS
#define MATRICES FS_CASE_MATRICES
#define CUBES FS_CASE_CUBES
#define LIBRARY FS_CASE_LIBRARY
#define SLOW_LIBRARY FS_CASE_SLOW_LIBRARY
#define FLATS FS_LEAD_FLAT
#define ROWS FS_LEAD_ROW
#define TILES FS_LEAD_TILE
#define STRIDES FS_LEAD_STRIDED
#define EVERY FS_SIZES_EVERY
#define FEW FS_SIZES_FEW
#define BRIEF FS_SIZES_BRIEF
#define UNEVEN FS_SIZES_UNEVEN
#define CPU_FEW FS_SIZES_CPU_FEW
#define GPU_UNEVEN FS_SIZES_GPU_UNEVEN

/* Weighted neighbours in an image; those along the axes of a cube. */
#define NINE \
  "B = A[1:m-2, 1:n-2] + 2*A[1:m-2, 2:n-1] + A[1:m-2, 3:n] + 2*A[2:m-1, 1:n-2] + " \
  "4*A[2:m-1, 2:n-1] + 2*A[2:m-1, 3:n] + A[3:m, 1:n-2] + 2*A[3:m, 2:n-1] + A[3:m, 3:n];"
#define SIX \
  "L = Q[1:n-2, 2:n-1, 2:n-1] + Q[3:n, 2:n-1, 2:n-1] + Q[2:n-1, 1:n-2, 2:n-1] + " \
  "Q[2:n-1, 3:n, 2:n-1] + Q[2:n-1, 2:n-1, 1:n-2] + Q[2:n-1, 2:n-1, 3:n];"
#define INSIDE \
  "R[2:n-1, 2:n-1, 2:n-1] = Q[2:n-1, 2:n-1, 2:n-1] + 0.125*(Q[1:n-2, 2:n-1, 2:n-1] + " \
  "Q[3:n, 2:n-1, 2:n-1] + Q[2:n-1, 1:n-2, 2:n-1] + Q[2:n-1, 3:n, 2:n-1] + " \
  "Q[2:n-1, 2:n-1, 1:n-2] + Q[2:n-1, 2:n-1, 3:n]);"

const char *const fs_case_setups[FS_CASE_GROUPS] = {
  [VECTORS] = "x = $(rand(n)); y = $(rand(n)); u = $(rand(n)); v = $(rand(n)); "
              "h = f16(rand(n));",
  [MATRICES] = "A = $(rand(m, n)); C = $(rand(m, n)); D = $(rand(n, m)); "
               "p = $(rand(n)); v = $(rand(n)); r = $(rand(m)); u = $(rand(m));",
  [CUBES] = "Q = $(rand(n, n, n)); R = $(rand(n, n, n));",
  [LIBRARY] = "A = $(rand(n, n)) + n*$(eye(n)); B = $(rand(n, n)); b = $(rand(n));",
  [SLOW_LIBRARY] = "A = $(rand(n, n)) + n*$(eye(n)); S = A + A';",
};

const char *const fs_case_types[FS_CASE_TYPES] = {"f32", "f64", "f16", "bf16", "i32"};

const struct fs_calibration_case fs_cases[] = {
  {"maps", "z = x + y;", ALL, VECTORS, 0, EVERY},
  {"maps", "z = x * 2;", F32 | F16, VECTORS, 0, EVERY},
  {"maps", "z = x + y - u + v;", F32, VECTORS, 0, FEW},
  {"maps", "z = x + y; w = x - y;", F32, VECTORS, 0, FEW},
  {"maps", "z = x + f32(h);", F32, VECTORS, 0, FEW},
  {"maps", "z = exp(x) .* log(y + 2) + sqrt(u);", F32, VECTORS, 0, FEW},
  {"maps", "z = (x + 0.5) .* y - 0.25*u + v .* (y - x) + u .* u;", F32, VECTORS, 0,
   CPU_FEW},
  {"maps", "z = abs(x - 0.25) + max(y, 0.25) - u .* x + 0.5*v; s = sum(z);", F32, VECTORS, 0,
   FEW},
  {"maps", "z = x + min(y, 0.75) - abs(u - 0.5) .* (v + 2);", F32, VECTORS, 0, FEW},
  {"maps", "z = x - 0.5*y + u .* u - (v + 1) .* x; s = sum(z);", F32, VECTORS, 0, CPU_FEW},
  {"maps", "z = log(x + 2) + u .* (y - 1) - max(v, 0.5) + exp(u - 2); s = sum(z);", F32,
   VECTORS, 0, FEW},
  {"neighbours", "z = x[1:n-2] + x[2:n-1] - x[3:n];", F32 | F16, VECTORS, 0, FEW},
  {"sums", "s = sum(x);", ALL, VECTORS, 0, EVERY},
  {"sums", "s = x'*y;", FLOATS, VECTORS, 0, FEW},
  {"sums", "s = max(x);", F32 | F64, VECTORS, 0, FEW},
  {"sums", "z = x - y; s = sum(z);", F32, VECTORS, 0, FEW},
  {"sums", "z = exp(x - y) + u; s = sum(z);", F32, VECTORS, 0, FEW},
  {"sums", "z = x - y + u - v; s = sum(z);", F32, VECTORS, 0, FEW},
  {"random numbers", "z = rand(n);", F32, VECTORS, 0, FEW},
  {"ranges", "z = f32(1:n) / 3;", F32, VECTORS, 0, FEW},
  {"maps", "z = sqrt(x) .* u + log(y + 1) - v; s = sum(z);", F32, VECTORS, 0,
   FEW},
  {"rows", "q = A*p;", F32, MATRICES, ROWS, UNEVEN},
  {"rows", "q = A*p;", F64, MATRICES, ROWS, FEW},
  {"rows", "q = A*p;", F16, MATRICES, ROWS, UNEVEN},
  {"rows", "q = sum(A, 2);", F32 | BF16 | I32, MATRICES, ROWS, BRIEF},
  {"rows", "q = rowmax(A);", F32 | F64 | I32, MATRICES, ROWS, BRIEF},
  {"rows", "q = rowsum(exp(A));", F32, MATRICES, ROWS, FEW},
  {"rows", "q = rowsum(A .* C);", F32, MATRICES, ROWS, UNEVEN},
  {"rows", "q = rowsum(u + v');", F32 | F64, MATRICES, 0, FEW},
  {"rows", "q = rowsum(u .* v' - v');", F32, MATRICES, 0, FEW},
  {"columns", "s = A'*r;", F32, MATRICES, ROWS, UNEVEN},
  {"columns", "s = A'*r;", F64 | F16, MATRICES, ROWS, CPU_FEW},
  {"columns", "s = A'*r;", F64 | F16, MATRICES, ROWS, GPU_UNEVEN},
  {"columns", "s = sum(A, 1);", F32 | I32, MATRICES, ROWS, BRIEF},
  {"columns", "s = colmax(A);", F32 | F64, MATRICES, ROWS, BRIEF},
  {"columns", "q = colsum(u + v');", F32, MATRICES, 0, BRIEF},
  {"columns", "s = colsum(A .* C);", F32, MATRICES, ROWS, CPU_FEW},
  {"columns", "B = (A - u) .* p' + r*v'; s = colsum(B);", F32, MATRICES, ROWS, CPU_FEW},
  {"rows and columns", "q = A*p; s = A'*r;", F32 | F64, MATRICES, ROWS, UNEVEN},
  {"rows and columns", "q = A*p; s = A'*r;", F16, MATRICES, ROWS, GPU_UNEVEN},
  {"rows and columns", "y = A'*(A*p);", F32, MATRICES, ROWS, UNEVEN},
  {"rows and columns", "y = A'*(A*p);", F64, MATRICES, ROWS, GPU_UNEVEN},
  {"rows and columns", "a = sum(A, 2); b = sum(A, 1);", F32, MATRICES, ROWS, FEW},
  {"rows and columns", "B = A + u*v'; s = B'*r;", F32, MATRICES, ROWS, UNEVEN},
  {"rows and a sum", "s = sum(A);", F32, MATRICES, ROWS, BRIEF},
  {"rows and a sum", "q = A*p; s = u'*q;", F32 | F64, MATRICES, ROWS, FEW},
  {"outer sums", "B = A + u*v';", F32 | F64, MATRICES, ROWS, EVERY},
  {"outer sums", "B = A - u*v' + r*p';", F32, MATRICES, ROWS, CPU_FEW},
  {"outer sums", "B = A + C;", F32 | I32, MATRICES, ROWS, EVERY},
  {"outer sums", "B = A + C;", BF16, MATRICES, ROWS, CPU_FEW},
  {"mixed types", "B = A - f32(u);", F16 | BF16, MATRICES, ROWS, CPU_FEW},
  {"outer sums", "B = A - u*v'; s = B*p;", F32, MATRICES, ROWS, FEW},
  {"outer sums", "B = A + u; s = sum(B, 2);", I32, MATRICES, ROWS, FEW},
  {"padded rows", "B = A + C;", F32 | F64, MATRICES, FLATS, FEW},
  {"padded rows", "B = A * 2;", F32 | F16, MATRICES, FLATS, BRIEF},
  {"padded rows", "B = A + u*v';", F32, MATRICES, FLATS, CPU_FEW},
  {"neighbours", "B = A[1:m-2, 2:n-1] + A[3:m, 2:n-1] + A[2:m-1, 1:n-2] + "
   "A[2:m-1, 3:n];", F32 | F64 | F16, MATRICES, ROWS, FEW},
  {"neighbours", "B = A[1:m-2, 2:n-1] + A[3:m, 2:n-1] + A[2:m-1, 1:n-2] + "
   "A[2:m-1, 3:n];", F32 | F64 | F16, MATRICES, FLATS, FEW},
  {"neighbours", "B = A[1:m-4, :] + A[2:m-3, :] - A[3:m-2, :] + A[4:m-1, :] - A[5:m, :];",
   F32, MATRICES, ROWS, FEW},
  {"neighbours", NINE, F32 | F64, MATRICES, ROWS, FEW},
  {"neighbours", NINE, F32, MATRICES, FLATS, FEW},
  {"neighbours", "X = A[1:m-2, 3:n] + 2*A[2:m-1, 3:n] + A[3:m, 3:n] - A[1:m-2, 1:n-2] - "
   "2*A[2:m-1, 1:n-2] - A[3:m, 1:n-2]; G = sqrt(X .* X + 1);", F32, MATRICES, ROWS, FEW},
  {"neighbours in space", SIX, F32 | F64, CUBES, ROWS, EVERY},
  {"neighbours in space", SIX, F32, CUBES, FLATS, EVERY},
  {"neighbours in space", INSIDE, F32, CUBES, FLATS, EVERY},
  {"neighbours in space", "y = Q[:, 2:n, :] - Q[:, 1:n-1, :];", F32, CUBES, ROWS, EVERY},
  {"neighbours in space", "z = Q[:, :, 2:n] - Q[:, :, 1:n-1];", F32, CUBES, ROWS, EVERY},
  {"held rows", "B = A - rowmax(A);", F32 | F64, MATRICES, ROWS, EVERY},
  {"held rows", "B = exp(A); B = B ./ rowsum(B);", F32, MATRICES, ROWS, FEW},
  {"held rows", "B = A ./ sum(A, 2); c = sum(B, 1);", F32, MATRICES, ROWS, FEW},
  {"held rows", "B = exp(A - rowmax(A)); s = rowsum(B);", F32, MATRICES, ROWS, FEW},
  {"held rows", "B = sqrt(A + rowmax(A)); B = B .* rowsum(B);", F32, MATRICES, ROWS, CPU_FEW},
  {"centred columns", "B = A - mean(A, 1);", F32, MATRICES, 0, FEW},
  {"marches", "s = A'*r; q = A*s;", F32, MATRICES, 0, UNEVEN},
  {"marches", "B = A + u*v'; s = B'*r; q = B*s;", F32, MATRICES, 0, UNEVEN},
  {"transposes", "B = D' + C;", F32 | F64, MATRICES, TILES, EVERY},
  {"transposes", "B = D' + C;", F32, MATRICES, ROWS, FEW},
  {"strided rows", "s = A'*r;", F32, MATRICES, STRIDES, EVERY},
  {"strided rows", "q = A*p; s = A'*r;", F32, MATRICES, STRIDES, FEW},
  {"tiles", "q = A*p; s = A'*r;", F32, MATRICES, TILES, UNEVEN},
  {"tiles", "q = A*p; s = A'*r;", F64, MATRICES, TILES, FEW},
  {"tiles", "s = sum(A, 1);", F32, MATRICES, TILES, UNEVEN},
  {"tiles", "q = A*p;", F32, MATRICES, TILES, FEW},
  {"tiles", "B = A + u*v'; s = B'*r;", F32, MATRICES, TILES, UNEVEN},
  {"tiles", "B = u*v' + 1; s = rowsum(B);", F32, MATRICES, TILES, FEW},
  {"tiles", "B = A - u;", F32, MATRICES, TILES, FEW},
  {"products", "P = A*B;", FLOATS, LIBRARY, 0, EVERY},
  {"solves", "s = A\\b;", F32 | F64, LIBRARY, 0, EVERY},
  {"inverses", "B = inv(A);", F32 | F64, SLOW_LIBRARY, 0, EVERY},
  {"factors", "R = chol(S);", F32 | F64, SLOW_LIBRARY, 0, EVERY},
  {"eigenvalues", "e = eigvals(S);", F32, SLOW_LIBRARY, 0, EVERY},
  {"eigenvectors", "V = eigvecs(S);", F32, SLOW_LIBRARY, 0, EVERY},
  {"singular values", "e = svdvals(A);", F32, SLOW_LIBRARY, 0, EVERY},
  {"triangular factors", "L, U = lu(A);", F32, SLOW_LIBRARY, 0, EVERY},
  {"orthogonal factors", "Q, R = qr(A);", F32, SLOW_LIBRARY, 0, EVERY},
  {"triangles", "R = qr(A);", F32, SLOW_LIBRARY, 0, EVERY},
  {"singular vectors", "U, e, V = svd(A);", F32, SLOW_LIBRARY, 0, EVERY},
};

const size_t fs_case_count = FS_LEN(fs_cases);

#define EXTENTS(list) ((struct fs_extents){list, (int)FS_LEN(list)})

/* Denser where caches end: a GPU's at some 25 to 100 MB in use, within which a kernel
 * becomes half as fast. An element of a vector takes 4 bytes, if only it is summed, to 24,
 * if four are read and one is written. */
static struct fs_extents gpu_extents(enum fs_case_group group) {
  static const struct fs_extent vectors[] = {
      {1, 100}, {1, 4096}, {1, 1 << 14}, {1, 1 << 16}, {1, 1 << 18},
      {1, 1 << 20}, {1, 1500000}, {1, 2100000}, {1, 2500000}, {1, 2900000},
      {1, 3300000}, {1, 3700000}, {1, 4200000}, {1, 4800000}, {1, 6200000},
      {1, 1 << 23}, {1, 10500000}, {1, 13000000}, {1, 16500000}, {1, 20000000},
      {1, 1 << 25}, {1, 1 << 27}};
  static const struct fs_extent matrices[] = {
      {64, 64}, {200, 300}, {512, 512}, {1000, 1000}, {2048, 2048}, {4096, 4096},
      {100, 20000}, {20000, 100}, {3000, 3000}, {6000, 6000}, {1001, 1001},
      {1502, 1502}, {2501, 2501}, {5003, 5003}, {7501, 7501}, {12288, 12288},
      {1000, 65536}, {1 << 20, 64}, {1 << 20, 8}, {100000, 100}};
  static const struct fs_extent cubes[] = {
      {24 * 24, 24}, {64 * 64, 64}, {101 * 101, 101}, {128 * 128, 128}, {161 * 161, 161},
      {200 * 200, 200}, {256 * 256, 256}, {323 * 323, 323}, {400 * 400, 400},
      {512 * 512, 512}};
  static const struct fs_extent library[] = {
      {1, 32}, {1, 64}, {1, 128}, {1, 256}, {1, 512}, {1, 1024}, {1, 2048},
      {1, 4096}};
  static const struct fs_extent slow[] = {{1, 32}, {1, 128}, {1, 512}};
  switch (group) {
    case VECTORS: return EXTENTS(vectors);
    case MATRICES: return EXTENTS(matrices);
    case CUBES: return EXTENTS(cubes);
    case LIBRARY: return EXTENTS(library);
    default: return EXTENTS(slow);
  }
}

/* A CPU's at 1 to 100 MB, where other programs take their share. */
static struct fs_extents cpu_extents(enum fs_case_group group) {
  static const struct fs_extent vectors[] = {
      {1, 100}, {1, 4096}, {1, 1 << 14}, {1, 1 << 16}, {1, 3 << 16},
      {1, 1 << 18}, {1, 1 << 19}, {1, 3 << 18}, {1, 1 << 20}, {1, 3 << 19},
      {1, 1 << 21}, {1, 3 << 20}, {1, 1 << 22}, {1, 3 << 21}, {1, 1 << 23},
      {1, 1 << 24}};
  static const struct fs_extent matrices[] = {
      {64, 64}, {200, 300}, {512, 512}, {683, 719}, {1000, 1000}, {1400, 1500},
      {2048, 2048}, {2503, 2397}, {100, 20000}, {20000, 100}, {3000, 3000},
      {4096, 4096}, {1800, 1700}, {4000, 1920}, {2000, 24}, {1000, 64}};
  static const struct fs_extent cubes[] = {
      {24 * 24, 24}, {51 * 51, 51}, {80 * 80, 80}, {129 * 129, 129}, {160 * 160, 160},
      {203 * 203, 203}};
  static const struct fs_extent library[] = {
      {1, 32}, {1, 64}, {1, 128}, {1, 256}, {1, 512}, {1, 1024}};
  static const struct fs_extent slow[] = {{1, 32}, {1, 128}};
  switch (group) {
    case VECTORS: return EXTENTS(vectors);
    case MATRICES: return EXTENTS(matrices);
    case CUBES: return EXTENTS(cubes);
    case LIBRARY: return EXTENTS(library);
    default: return EXTENTS(slow);
  }
}

struct fs_extents fs_case_extents(enum fs_case_group group, bool cuda) {
  return cuda ? gpu_extents(group) : cpu_extents(group);
}
