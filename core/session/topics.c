/* topics.c - the topics of `:help`. */
#include "core/session/internal.h"

static const struct fs_topic topics[] = {
  {"language", "statements, values, blocks",
   "A statement ends at the line's end or at `;`, which also keeps its value from\n"
   "being shown. # begins a comment.\n"
   "  A = rand(4096, 4096); p = ones(4096)    values: tensors, numbers, strings,\n"
   "  q = A*p; s = A'*q                       ranges, functions\n"
   "  if x > 0 ... elseif ... else ... end    while c ... end    for k = 1:n ... end\n"
   "  f(x) = x^2 + 1     function g(x, y) ... return a, b end     map(x -> x^2, v)\n"
   "A block is what is planned together: one input at the prompt, `begin ... end`,\n"
   "the body of a loop, in a script the text between two values that are looked at.\n"
   "Indexes count from 1: A[2, :], v[end], v[1:2:end], A[1:3, 2] = 0\n"},
  {"operators", "what * and .* and ' mean",
   "  A*B  A*x  x'*y  x*y'  2*A    linear algebra        .*  ./  .^   by element\n"
   "  A'                           transpose             +  -         by element\n"
   "  A\\b                          solve                 ==  !=  <  <=  >  >=\n"
   "  a:b  a:step:b                range                 &&  ||  !\n"
   "+ - .* ./ and comparisons also take a scalar, a row or a column with a matrix.\n"},
  {"types", "element types and how they mix",
   "  "
#define FS_DTYPE(id, name, ...) name " "
#include "core/graph/dtypes.def"
   "     f32 is what constructors give\n"
   "Of two types the wider wins; integers with a float give that float; f16 with\n"
   "bf16 gives f32. f16 and bf16 compute in f32 and are rounded after every step.\n"
   "f64(A), i32(x) ... convert.\n"},
  {"plan", "how to read a plan",
   "One line per kernel: its scheme, the statements it does, the bytes it moves to\n"
   "and from memory, the predicted and the measured time, their ratio, and how much of\n"
   "the limit was reached: the bandwidth of the memory or the caches that hold the data,\n"
   "or the time that computing alone takes; a launch has none.\n"
   "  flat      elements one after the other\n"
   "  row       a block owns whole rows and keeps them on chip between uses\n"
   "  tile      tiles, of matrices that lie across each other\n"
   "  march     all blocks in step over panels of columns: a matrix is read once\n"
   "  instance  users' routines on each of a stack of small elements\n"
   "  library   a dense library's routine\n"
   "Measured is the time on the device (events; on the CPU a monotonic clock) of the\n"
   "last run; planning and compiling are never in it and shown apart. unfused is the\n"
   "prediction for one kernel per call. :explain plans without running, ~ marks what\n"
   "is only predicted. :alternatives lists what else was possible, :why says why it\n"
   "was not, :plan diff compares with the run before, :plan html shows all of it.\n"},
  {"files", "loading and saving",
   "  A = load(\"A.npy\")    x = load(\"d.npz\", \"x\")    save(\"out.npz\", A, x)\n"
   "  :load d.npz          :load X A.mtx            :save out.npz A x\n"
   ".npy and .npz as NumPy has them, .mtx MatrixMarket, .csv numbers with an\n"
   "optional line of names. Text numbers become f64.\n"},
  {"keys", "keys at the prompt",
   "  Tab        completes names, commands, files\n"
   "  Up, Down   earlier inputs          Ctrl-R   searches them\n"
   "  Ctrl-C     at the prompt: clears the input; running: stops it, values stay\n"
   "  Ctrl-D     leaves\n"},
  {"settings", "what :set changes", NULL},  /* with their values */
};

const struct fs_topic *fs_session_topic(int k) {
  return k < (int)FS_LEN(topics) ? &topics[k] : NULL;
}
