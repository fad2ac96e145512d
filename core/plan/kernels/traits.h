/* traits.h - what tells the ways to run a kernel from each other, as users are told of it. */
#ifndef FS_TRAITS_H
#define FS_TRAITS_H

#include "core/plan/calls/options.h"
#include "core/plan/kernels/launches.h"

/* What a kernel has of each trait: routine 0 where no function has a choice. */
void fs_kernel_traits(const struct fs_graph *g, const struct fs_kernel *k,
                      int64_t out[FS_TRAITS]);
/* Appends which dimensions of its largest array are the kernel's columns, "dimension 2 of A":
 * what tells two ways to walk a square array apart. Nothing where there is but one. plan
 * NULL: the kernel is not part of a plan yet. */
void fs_kernel_put_walk(const struct fs_graph *g, const struct fs_plan *plan,
                        const struct fs_kernel *k, struct fs_str *out);
/* Appends "scheme row, threads 256": those that are not -1. */
void fs_traits_put(const int64_t value[FS_TRAITS], struct fs_str *out);
/* Whether what is wanted (not -1) is so. */
bool fs_traits_fit(const int64_t wanted[FS_TRAITS], const int64_t value[FS_TRAITS]);

/* The routines that a call of a user's function may take, at least one;
 * the one whose calls take the least on the device, as measured. */
int fs_user_ways(const struct fs_user *u);
const struct fs_user *fs_user_way(const struct fs_user *u, int k);
/* How many routines are among the ways: others are one on other numbers of threads. */
int fs_user_routines(const struct fs_user *u);
const struct fs_user *fs_user_cheapest(const struct fs_user *u, const struct fs_device *device);
/* "inv3 routine 2 of 3 with its own load of A", for the functions among whose routines
 * the plan chose, and those that bring elements on chip by a routine of their own. */
void fs_kernel_put_routines(const struct fs_plan *plan,
                            const struct fs_kernel *kernel, struct fs_str *out);

#endif
