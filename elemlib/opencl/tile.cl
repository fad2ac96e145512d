// tile.cl - the access macros of block routines; elemlib/README.md lists them.

//@ FS_OWN
#define FS_OWN 4

//@ FS_STEP
#define FS_STEP 8

//@ FS_X
#define FS_X t

//@ FS_Y
#define FS_Y sub

//@ FS_TILE
#define FS_TILE(a, k) FS_IN_##a(k)

//@ FS_ROW
#define FS_ROW(r, k) FS_IN_##r(k)

//@ FS_COL
#define FS_COL(p) FS_IN_##p(0)

//@ FS_AT
#define FS_AT(a, y, x) FS_AT_##a(y, x)
