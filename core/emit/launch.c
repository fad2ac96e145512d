/* launch.c - what the launcher knows of an emitted kernel, as stable text. */
#include "core/emit/emit.h"

static void put_grid(const struct fs_emitted *e, struct fs_str *out) {
  fs_str_printf(out, "launch: %d threads, at most %lld", e->threads, (long long)e->max_blocks);
  fs_str_puts(out, " blocks");
  if (e->cluster > 1) fs_str_printf(out, " in clusters of %d", e->cluster);
  if (e->one_wave_each) fs_str_puts(out, ", each once");
  if (e->waves > 1) fs_str_printf(out, ", %d waves of %d pieces", e->waves, e->pieces);
  if (e->per_unit) fs_str_printf(out, ", %d a unit", e->per_unit);
  fs_str_printf(out, ", bounds for %d\n", e->bounds);
}

static void put_rest(const struct fs_emitted *e, struct fs_str *out) {
  static const char *const word[] = {"waits", "lasts", "cooperative"};
  const bool is[] = {e->waits, e->lasts, e->cooperative};
  fs_str_printf(out, "shared: %lld B", (long long)e->shared_bytes);
  if (e->work_base || e->work_per_block)
    fs_str_printf(out, "; workspace %lld B and %lld B a block, %lld B of zeros",
                  (long long)e->work_base, (long long)e->work_per_block, (long long)e->work_zeroed);
  for (size_t k = 0; k < FS_LEN(word); k++)
    if (is[k]) fs_str_printf(out, "; %s", word[k]);
  fs_str_puts(out, "\n");
}

static void put_maps(const struct fs_emitted *e, struct fs_str *out) {
  for (int k = 0; k < e->n_maps; k++) {
    const struct fs_emitted_map *m = &e->maps[k];
    fs_str_printf(out, "map %d: slot %d, %s at %lld, %lld x %lld, rows %lld apart, box %d x %d\n",
                  k, m->slot, fs_dtype_name(m->dtype), (long long)m->offset,
                  (long long)m->rows, (long long)m->columns, (long long)m->stride,
                  m->box_rows, m->box_columns);
  }
}

char *fs_emitted_launch(const struct fs_emitted *e) {
  struct fs_str out = {0};
  put_grid(e, &out);
  put_rest(e, &out);
  fs_str_puts(&out, "slots:");
  for (int k = 0; k < e->n_slots; k++) {
    fs_str_printf(&out, " %d", e->slots[k]);
    if (e->slot_bytes[k]) fs_str_printf(&out, "+%lld", (long long)e->slot_bytes[k]);
  }
  for (int k = 0; k < e->n_params; k++)
    fs_str_printf(&out, "%s%d %s", k ? ", " : "; params: ", e->params[k],
                  fs_param_name(e->param_type[k]));
  for (int k = 0; k < e->n_sizes; k++)
    fs_str_printf(&out, "%s%lld", k ? " " : "; sizes: ", (long long)e->sizes[k]);
  fs_str_puts(&out, "\n");
  put_maps(e, &out);
  return out.data;
}
