/* builtins.c - the table of built-in functions, which are in builtins_*.c. */
#include "core/eval/builtins.h"
#include "core/eval/complex.h"
#include "core/eval/plot_request.h"

/* -- the table ------------------------------------------------------------- */

#define SIGNATURE_1(name) name "(x)"
#define SIGNATURE_2(name) name "(x, y)"
#define SIGNATURE_3(name) name "(x, y, z)"
/* min and max with one argument are reductions. */
#define IS_EXTREME(id) (FS_OP_##id == FS_OP_MIN || FS_OP_##id == FS_OP_MAX)
#define MIN_ARGS(id, arity) (IS_EXTREME(id) ? 1 : arity)
#define MAX_ARGS(id, arity) (IS_EXTREME(id) ? 3 : arity)

static const struct fs_builtin builtins[] = {
#define FS_MAP_OP(id, name, arity, types, result, commutes, infix, cuda, way, c, whole, cost, \
                  code, doc) \
  {name, MIN_ARGS(id, arity), MAX_ARGS(id, arity), fs_bi_map_op, FS_BT_MAP | FS_BT_PLAIN, FS_OP_##id,           \
   SIGNATURE_##arity(name), doc},
#include "core/graph/ops.def"

    {"sum", 1, 2, fs_bi_reduce_op, FS_BT_WHOLE | FS_BT_PLAIN | FS_BT_PARTS, FS_RD_SUM, "sum(x[, dim])",
     "sum of all elements, or along a dimension: sum(A, 1) gives the column sums as a row, "
     "sum(A, 2) the row sums; sum(T, [1, 3]) along two, sum(T, -1) along the last"},
    {"prod", 1, 2, fs_bi_reduce_op, FS_BT_WHOLE | FS_BT_PLAIN, FS_RD_PROD, "prod(x[, dim])",
     "product of all elements, or along a dimension"},
    {"any", 1, 2, fs_bi_reduce_op, FS_BT_WHOLE | FS_BT_PLAIN, FS_RD_ANY, "any(x[, dim])",
     "true if any element is not zero"},
    {"all", 1, 2, fs_bi_reduce_op, FS_BT_WHOLE | FS_BT_PLAIN, FS_RD_ALL, "all(x[, dim])",
     "true if all elements are not zero"},
    {"cumsum", 1, 2, fs_bi_so_far, FS_BT_WHOLE | FS_BT_PARTS, FS_LIB_CUMSUM, "cumsum(x[, dim])",
     "the sum of the elements up to each: of a vector, along a dimension, or of all "
     "elements row by row, as one column"},
    {"cumprod", 1, 2, fs_bi_so_far, FS_BT_WHOLE, FS_LIB_CUMPROD, "cumprod(x[, dim])",
     "the product of the elements up to each, as cumsum"},
    {"cummax", 1, 2, fs_bi_so_far, FS_BT_WHOLE, FS_LIB_CUMMAX, "cummax(x[, dim])",
     "the largest of the elements up to each, as cumsum; NaN from the first NaN on"},
    {"cummin", 1, 2, fs_bi_so_far, FS_BT_WHOLE, FS_LIB_CUMMIN, "cummin(x[, dim])",
     "the smallest of the elements up to each, as cumsum; NaN from the first NaN on"},
    {"sort", 1, 3, fs_bi_sort, FS_BT_WHOLE, FS_LIB_SORT, "s, p = sort(x[, dim][, \"descend\"])",
     "the elements in ascending order, NaN last: of a vector, along a dimension, or all "
     "elements, as one column"},
    {"argsort", 1, 3, fs_bi_sort, FS_BT_WHOLE, FS_LIB_ARGSORT, "argsort(x[, dim][, \"descend\"])",
     "the positions, from 1, that the elements of sort(x) had; those of equal elements in "
     "their order"},
    {"fft", 1, 3, fs_bi_fourier, FS_BT_WHOLE | FS_BT_COMPLEX, FS_FOURIER_FFT, "fft(x[, n][, dim])",
     "the discrete Fourier transform down the columns, or along a dimension, of n numbers: x is "
     "cut to them, or zeros follow; fft(x, [], dim) takes as many as there are"},
    {"ifft", 1, 3, fs_bi_fourier, FS_BT_WHOLE | FS_BT_COMPLEX, FS_FOURIER_IFFT,
     "ifft(z[, n][, dim])", "what fft makes z of; takes what fft takes"},
    {"rfft", 1, 3, fs_bi_fourier, FS_BT_WHOLE | FS_BT_COMPLEX, FS_FOURIER_RFFT,
     "rfft(x[, n][, dim])",
     "the first n/2 + 1 numbers of fft(x), which have the others of a real x; takes what fft "
     "takes"},
    {"irfft", 1, 3, fs_bi_fourier, FS_BT_WHOLE | FS_BT_COMPLEX, FS_FOURIER_IRFFT,
     "irfft(z[, n][, dim])",
     "the n real numbers of which rfft makes z; without n an even number of them"},
    {"circshift", 2, 3, fs_bi_circshift, FS_BT_WHOLE | FS_BT_PLAIN | FS_BT_PARTS, 0,
     "circshift(x, k[, dim])",
     "the elements of a vector moved on by k places, the last first; circshift(A, [k, l]) those of "
     "a matrix down by k and on by l; circshift(A, k, dim) along a dimension"},
    {"mean", 1, 2, fs_bi_mean, FS_BT_WHOLE | FS_BT_PLAIN | FS_BT_PARTS, 0, "mean(x[, dim])",
     "mean of all elements, or along a dimension"},
    {"norm", 1, 1, fs_bi_norm, FS_BT_WHOLE | FS_BT_PLAIN, 0, "norm(x[, p])",
     "Euclidean length of a vector, Frobenius norm of a matrix; norm(x, p) is that of the p-th "
     "powers, of a matrix the norm that 1, 2 or inf names"},
    {"norm2", 1, 2, fs_bi_norm, FS_BT_WHOLE | FS_BT_PLAIN, 0, "norm2(x[, dim])",
     "the length, or Frobenius norm, or the lengths along a dimension"},
    {"dot", 2, 2, fs_bi_dot, FS_BT_WHOLE | FS_BT_PLAIN, 0, "dot(x, y)",
     "dot product of two vectors, of which the first is conjugated"},
    {"einsum", 2, -1, fs_bi_einsum, FS_BT_WHOLE | FS_BT_COMPLEX, 0, "einsum(letters, A, B, ...)",
     "the sum of products that letters say: einsum(\"ij,jk->ik\", A, B) is A*B, "
     "einsum(\"bij,bj->bi\", T, x) a product for each b"},
    {"map", 2, -1, fs_bi_map, FS_BT_COMPLEX, 0, "map(f, x, ...)",
     "f of every element of x (and of the elements of further arrays beside "
     "it); inside f the operators * / ^ act on single elements"},
    {"reduce", 2, 3, fs_bi_reduce, FS_BT_WHOLE | FS_BT_PLAIN, 0, "reduce(op, x[, dim])",
     "all elements of x, or those along a dimension, put together by op: "
     "\"sum\", \"prod\", \"max\", \"min\", \"any\", \"all\", \"argmax\", \"argmin\", "
     "\"var\", \"logsumexp\", one of "
     "the first six as a function, or an associative function of two elements"},
    {"scan", 2, 4, fs_bi_scan, FS_BT_WHOLE, 0, "scan(op, x[, dim[, start]])",
     "what the elements up to each come to, put together by op: \"sum\", \"prod\", \"max\", \"min\", or an "
     "associative function of two elements; with a start value in front of them"},

    {"find", 1, 2, fs_bi_find, FS_BT_WHOLE, 0, "find(mask)",
     "the positions, from 1 and row by row, of the elements that are true or not zero; "
     "find(\"text\", \"x\"): where x begins first in a text, 0 if it does not"},

    {"places", 2, FS_MAX_RANK + 1, fs_bi_places, FS_BT_WHOLE, 0, "places(A, i, j, ...)",
     "the places, from 1 and row by row, of the elements A[i[k], j[k]]: A[places(A, i, j)] "
     "reads them, and = and += put them"},

    {"inv", 1, 1, fs_bi_factor, FS_BT_WHOLE | FS_BT_LATE, FS_LIB_INV, "inv(A)", "inverse of a matrix"},
    {"chol", 1, 1, fs_bi_factor, FS_BT_WHOLE | FS_BT_LATE, FS_LIB_CHOL, "chol(A)",
     "upper triangular R with R'*R = A, for a symmetric positive definite A"},
    {"eigvals", 1, 1, fs_bi_factor, FS_BT_WHOLE | FS_BT_LATE, FS_LIB_EIGVALS, "eigvals(A)",
     "eigenvalues of a symmetric matrix, ascending"},
    {"eigvecs", 1, 1, fs_bi_factor, FS_BT_WHOLE | FS_BT_LATE, FS_LIB_EIGVECS, "eigvecs(A)",
     "eigenvectors of a symmetric matrix, as columns, in the order of "
     "eigvals(A)"},
    {"schur", 1, 1, fs_bi_schur, FS_BT_WHOLE | FS_BT_LATE | FS_BT_COMPLEX, 0, "U, T = schur(A)",
     "U with orthonormal columns and T with A = U*T*U': upper triangular, of a real matrix with "
     "blocks of two where eigenvalues are a pair; schur(A) alone gives T"},
    {"eig", 1, 1, fs_bi_eig, FS_BT_WHOLE | FS_BT_LATE | FS_BT_COMPLEX, 0, "d, V = eig(A)",
     "eigenvalues and, as a second result, eigenvectors of a square matrix: real and ascending of a "
     "symmetric or Hermitian one, else complex"},
    {"svdvals", 1, 1, fs_bi_factor, FS_BT_WHOLE | FS_BT_LATE, FS_LIB_SVDVALS, "svdvals(A)",
     "singular values, descending"},
    {"det", 1, 1, fs_bi_det, FS_BT_WHOLE | FS_BT_LATE, 0, "det(A)", "determinant of a square matrix"},
    {"lu", 1, 1, fs_bi_factors, FS_BT_WHOLE | FS_BT_LATE, FS_LIB_LU, "L, U, p = lu(A)",
     "lower triangular L with ones on its diagonal, upper triangular U and the order p "
     "of rows with A[p, :] = L*U"},
    {"qr", 1, 1, fs_bi_factors, FS_BT_WHOLE | FS_BT_LATE, FS_LIB_QR, "Q, R = qr(A)",
     "Q with orthonormal columns and upper triangular R, its diagonal not negative, "
     "with A = Q*R; qr(A) alone gives R"},
    {"svd", 1, 1, fs_bi_factors, FS_BT_WHOLE | FS_BT_LATE, FS_LIB_SVD, "U, s, V = svd(A)",
     "singular values s, descending, and vectors, as columns, with "
     "A = U*diag(s)*V'; svd(A) alone gives s"},
    {"solve", 2, 2, fs_bi_solve, FS_BT_WHOLE | FS_BT_LATE | FS_BT_COMPLEX, 0, "solve(A, b)",
     "x with A*x = b, as A\\b; least squares when A is not square"},
    {"trace", 1, 1, fs_bi_trace, FS_BT_WHOLE | FS_BT_PLAIN | FS_BT_PARTS, 0, "trace(A)", "sum of the diagonal"},
    {"diag", 1, 2, fs_bi_diag, FS_BT_WHOLE | FS_BT_PLAIN | FS_BT_PARTS, 0, "diag(x[, k])",
     "the diagonal of a matrix, or the diagonal matrix of a vector; the k-th one right of it"},
    {"transpose", 1, 1, fs_bi_transpose, FS_BT_WHOLE | FS_BT_PLAIN | FS_BT_PARTS, 0, "transpose(A)",
     "A.' as a function"},

    {"zeros", 1, FS_MAX_RANK + 1, fs_bi_zeros, FS_BT_PLAIN, 0, "zeros(m[, n, ...][, type])",
     "zeros; zeros(n) is a vector of n"},
    {"ones", 1, FS_MAX_RANK + 1, fs_bi_zeros, FS_BT_PLAIN, 1, "ones(m[, n, ...][, type])",
     "ones; ones(n) is a vector of n"},
    {"zeros_like", 1, 1, fs_bi_zeros_like, FS_BT_WHOLE | FS_BT_PLAIN | FS_BT_PARTS, 0, "zeros_like(x)",
     "zeros of the shape and the type of x"},
    {"ones_like", 1, 1, fs_bi_zeros_like, FS_BT_WHOLE | FS_BT_PLAIN, 1, "ones_like(x)",
     "ones of the shape and the type of x"},
    {"fill", 2, FS_MAX_RANK + 2, fs_bi_fill, FS_BT_PLAIN | FS_BT_PARTS, 0, "fill(value, m[, n, ...][, type])",
     "a tensor with the same value everywhere"},
    {"eye", 1, 3, fs_bi_eye, FS_BT_PLAIN, 0, "eye(m[, n][, type])", "identity matrix"},
    {"rand", 0, FS_MAX_RANK + 1, fs_bi_rand, 0, 0, "rand(m[, n, ...][, type])",
     "random numbers, uniform in [0, 1); the same after the same seed(k)"},
    {"randn", 0, FS_MAX_RANK + 1, fs_bi_rand, 0, 1, "randn(m[, n, ...][, type])",
     "random numbers, standard normal"},
    {"linspace", 3, 4, fs_bi_linspace, 0, 0, "linspace(a, b, n[, type])",
     "n values evenly spaced from a to b"},

    {"size", 1, 2, fs_bi_size, FS_BT_WHOLE | FS_BT_PLAIN | FS_BT_COMPLEX, 0, "size(A[, dim])",
     "extents of a value: m, n = size(A), or one of them: size(A, 1)"},
    {"length", 1, 1, fs_bi_length, FS_BT_WHOLE | FS_BT_PLAIN | FS_BT_COMPLEX, 0, "length(x)",
     "number of elements of a vector, longest extent of a matrix, characters of a "
     "string"},
    {"numel", 1, 1, fs_bi_numel, FS_BT_WHOLE | FS_BT_PLAIN | FS_BT_COMPLEX, 0, "numel(x)", "number of elements"},
    {"isempty", 1, 1, fs_bi_isempty, FS_BT_WHOLE | FS_BT_PLAIN | FS_BT_COMPLEX, 0, "isempty(x)",
     "whether there is no element"},
    {"ndims", 1, 1, fs_bi_ndims, FS_BT_WHOLE | FS_BT_PLAIN | FS_BT_COMPLEX, 0, "ndims(x)", "number of dimensions"},
    {"rank", 1, 1, fs_bi_ndims, FS_BT_WHOLE | FS_BT_PLAIN | FS_BT_COMPLEX, 0, "rank(x)",
     "number of dimensions: 0 for a scalar, 1 for a column; matrix_rank(A) counts "
     "independent columns"},
    {"dtype", 1, 1, fs_bi_dtype, FS_BT_PLAIN | FS_BT_COMPLEX, 0, "dtype(x)", "name of the element type"},
    {"reshape", 2, FS_MAX_RANK + 1, fs_bi_reshape, FS_BT_WHOLE | FS_BT_PLAIN | FS_BT_PARTS, 0,
     "reshape(x, m[, n, ...])",
     "the same elements, row by row, in another shape; [] stands for the extent that is left"},
    {"permute", 2, 2, fs_bi_permute, FS_BT_WHOLE | FS_BT_PLAIN | FS_BT_PARTS, 0, "permute(A, order)",
     "A with its dimensions in another order: permute(A, [2, 1, 3]) has the second first"},
    {"shard", 1, 2, fs_bi_lay, FS_BT_WHOLE | FS_BT_PARTS, 1, "shard(A[, d])",
     "A cut over ranks along its rows, or dimension d; A itself where there is one rank"},
    {"whole", 1, 1, fs_bi_lay, FS_BT_WHOLE | FS_BT_PARTS, 0, "whole(A)",
     "A, all of which every rank has"},
    {"squeeze", 1, 1, fs_bi_squeeze, FS_BT_WHOLE | FS_BT_PLAIN | FS_BT_PARTS, 0, "squeeze(x)",
     "x without its extents of 1"},
    {"vec", 1, 1, fs_bi_vec, FS_BT_WHOLE | FS_BT_PLAIN | FS_BT_PARTS, 0, "vec(x)",
     "all elements, row by row, as one column"},
#define FS_DTYPE(id, name, class, bytes, components, compute, sum, real, digits, power, below, \
                 npy, arith, code, doc)                                                       \
    {name, 1, 1, fs_bi_cast, FS_BT_CAST | FS_BT_PLAIN, FS_##id, name "(x)", doc},
#include "core/graph/dtypes.def"
    {"c64", 1, 1, fs_bi_to_complex, FS_BT_COMPLEX | FS_BT_TO_COMPLEX | FS_BT_PLAIN, FS_F32, "c64(x)",
     "x as complex numbers, both parts in single precision"},
    {"c128", 1, 1, fs_bi_to_complex, FS_BT_COMPLEX | FS_BT_TO_COMPLEX | FS_BT_PLAIN, FS_F64,
     "c128(x)", "x as complex numbers, both parts in double precision"},
    {"complex", 1, 2, fs_bi_complex, FS_BT_COMPLEX | FS_BT_PLAIN, 0, "complex(re[, im])",
     "complex numbers of their real and imaginary parts"},
    {"re", 1, 1, fs_bi_of_complex, FS_BT_COMPLEX | FS_BT_PLAIN, FS_CX_RE, "re(z)", "real part"},
    {"im", 1, 1, fs_bi_of_complex, FS_BT_COMPLEX | FS_BT_PLAIN, FS_CX_IM, "im(z)",
     "imaginary part"},
    {"conj", 1, 1, fs_bi_of_complex, FS_BT_COMPLEX | FS_BT_PLAIN, FS_CX_CONJ, "conj(z)",
     "z with the sign of its imaginary part changed"},
    {"arg", 1, 1, fs_bi_of_complex, FS_BT_COMPLEX | FS_BT_PLAIN, FS_CX_ARG, "arg(z)",
     "angle of z, from -pi to pi; abs(z) is its magnitude"},
    {"isreal", 1, 1, fs_bi_isreal, FS_BT_COMPLEX | FS_BT_PLAIN, 0, "isreal(x)",
     "true if the type of x is not complex"},

    {"print", 0, -1, fs_bi_print, FS_BT_COMPLEX, 0, "print(x, ...)",
     "writes values on one line; beside a text nothing stands between them"},
    {"ask", 0, 2, fs_bi_ask, 0, 0, "ask(\"prompt\"[, secret])",
     "a line that the user types, as text; with secret = true unseen"},
    {"error", 1, 1, fs_bi_error, 0, 0, "error(\"message\")",
     "stops with a message"},
    {"assert", 1, 2, fs_bi_assert, FS_BT_PLAIN | FS_BT_COMPLEX, 0, "assert(condition[, \"message\"])",
     "stops with a message unless the condition holds"},
    {"string", 1, -1, fs_bi_string, FS_BT_COMPLEX, 0, "string(x, ...)", "x as text"},
    {"format", 1, -1, fs_bi_format, 0, 0, "format(\"%.3f %d %s\", x, n, s)",
     "a text with values in it: %d %x whole numbers, %f %e %g numbers, %s anything, %% a %; "
     "flags - + 0 and blank, width and precision as in C"},
    {"contains", 2, 2, fs_bi_text_has, 0, FS_TEXT_HAS, "contains(\"text\", \"x\")",
     "whether x is somewhere in a text"},
    {"startswith", 2, 2, fs_bi_text_has, 0, FS_TEXT_STARTS, "startswith(\"text\", \"x\")",
     "whether a text begins with x"},
    {"endswith", 2, 2, fs_bi_text_has, 0, FS_TEXT_ENDS, "endswith(\"text\", \"x\")",
     "whether a text ends with x"},
    {"replace", 3, 3, fs_bi_replace, 0, 0, "replace(\"text\", \"old\", \"new\")",
     "a text with `new` wherever it has `old`, from its beginning on"},
    {"upper", 1, 1, fs_bi_case, 0, 1, "upper(\"text\")", "a text in capitals"},
    {"lower", 1, 1, fs_bi_case, 0, 0, "lower(\"TEXT\")", "a text in small letters"},
    {"strip", 1, 1, fs_bi_strip, 0, 0, "strip(\" text \")",
     "a text without the blanks, tabs and ends of lines around it"},
    {"repeat", 2, 2, fs_bi_repeat, 0, 0, "repeat(\"text\", n)", "a text n times"},
    {"split", 2, 2, fs_bi_split, 0, 0, "split(\"a,b\", \",\")",
     "the parts of a text between what separates them, as a list"},
    {"join", 1, 2, fs_bi_join, 0, 0, "join(l[, \", \"])",
     "the elements of a list as one text, with a text between them"},
    {"fields", 1, 1, fs_bi_fields, 0, 0, "fields(s)", "the names of a record's fields, as a list"},
    {"has", 2, 2, fs_bi_has, 0, 0, "has(s, \"x\")", "whether a record has a field of that name"},
    {"reverse", 1, 1, fs_bi_reverse, 0, 0, "reverse(\"text\")", "a text backwards"},
    {"number", 1, 1, fs_bi_number, 0, 0, "number(x)",
     "a scalar tensor or a text as a number of the host"},
    {"seed", 1, 1, fs_bi_seed, 0, 0, "seed(k)", "restarts the random numbers"},
    {"load", 1, 5, fs_bi_load, 0, 0, "load(\"file\"[, \"name\"], \"option=value\", ...)",
     "an array from a .npy, .npz, .mtx, .csv, .h5, .safetensors, .pgm, .ppm or .png file: of "
     "several arrays or columns the one of that name. Options for .csv: skip= sep= decimal="},
    {"kernel", 1, 3, fs_bi_kernel, 0, 0, "kernel(\"file\"[, \"name\"[, \"asis\"]])",
     "a kernel in CUDA C or OpenCL C as a function; also written :kernel \"file\""},
    {"save", 2, -1, fs_bi_save, FS_BT_COMPLEX, 0, "save(\"file\", x, ...)",
     "writes arrays to a file of one of the kinds of load(); .npz, .h5 and .safetensors take several"},
    {"time", 0, 0, fs_bi_time, 0, 0, "time()",
     "seconds of a clock that only goes forward; the statements before are "
     "computed first"},

    {"plot", 1, -1, fs_bi_plot, 0, FS_PLOT_LINES,
     "plot([x,] y[, \"name\"], ..., \"option=value\", ...)",
     "draws curves: y over x, or over 1, 2, ...; the columns of a matrix are "
     "curves. Options: title= xlabel= ylabel= log=x|y|xy"},
    {"scatter", 1, -1, fs_bi_plot, 0, FS_PLOT_POINTS,
     "scatter([x,] y[, \"name\"], ..., \"option=value\", ...)",
     "draws points; takes what plot takes"},
    {"bar", 1, -1, fs_bi_plot, 0, FS_PLOT_BARS,
     "bar(y[, \"name\"], ..., \"option=value\", ...)",
     "draws bars, those of several vectors side by side; also the option "
     "names=a,b,c for the places"},
    {"hist", 1, -1, fs_bi_plot, 0, FS_PLOT_HISTOGRAM,
     "hist(x, \"option=value\", ...)",
     "draws how often values occur; also the option bins="},
    {"heatmap", 1, -1, fs_bi_plot, 0, FS_PLOT_HEATMAP,
     "heatmap(A, \"option=value\", ...)",
     "draws the elements of a matrix as shades, row 1 at the top"},
    {"roofline", 0, -1, fs_bi_plot, 0, FS_PLOT_ROOFLINE,
     "roofline(\"option=value\", ...)",
     "draws what the kernels of the last blocks reached, under the limits of "
     "the device"},
    {"predictions", 0, -1, fs_bi_plot, 0, FS_PLOT_PREDICTIONS,
     "predictions(\"option=value\", ...)",
     "draws the predicted and the measured times of the last blocks as bars"},
    {"savefig", 1, 1, fs_bi_savefig, 0, 0, "savefig(\"file\")",
     "writes the last plot to a .svg, .json (Vega-Lite) or .txt file"},
    {NULL}};

enum { BUCKETS = 512 };

static const struct fs_builtin *find(const char *name) {
  static short table[BUCKETS]; /* index + 1, open addressing */
  static bool filled;
  if (!filled) {
    for (short k = 0; builtins[k].name; k++) {
      uint64_t at = fs_hash(builtins[k].name, strlen(builtins[k].name), 7);
      while (table[at % BUCKETS]) at++;
      table[at % BUCKETS] = (short)(k + 1);
    }
    filled = true;
  }
  for (uint64_t at = fs_hash(name, strlen(name), 7); table[at % BUCKETS]; at++) {
    const struct fs_builtin *b = &builtins[table[at % BUCKETS] - 1];
    if (strcmp(b->name, name) == 0) return b;
  }
  return NULL;
}

const struct fs_builtin_table fs_builtin_table = {builtins, find};
