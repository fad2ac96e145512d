/* hold.c - holds the device back while the host starts what is measured.
 *
 * The stream reaches the first event at once when the device is idle, and the kernel
 * only when the host has called the driver again: 2.5 to 3 us of the time between two
 * events would be the host's, more under load. So a measured launch is preceded by a
 * call of the stream to the host, which returns when event, kernel and event are in the
 * queue. On an H200 an empty kernel then takes 2.7 us between its events in nine runs of
 * ten, where it took 4.3 to 6.2; a measured launch takes the host 15 us longer.
 *
 * The call gives up after LONGEST: a driver that waits for each launch
 * (CUDA_LAUNCH_BLOCKING, tools that check memory) would else never return. */
#include "core/device/cuda/internal.h"

static const double LONGEST = 500e-6; /* seconds */

/* On a thread of the driver's. It may run late, when later holds were asked for: it
 * then waits for those, and they find nothing left to wait for. */
static void wait_for_host(void *user) {
  struct cuda_hold *h = user;
  double begin = fs_now();
  while (atomic_load(&h->released) != atomic_load(&h->asked) &&
         fs_now() - begin < LONGEST)
    continue;
}

bool fs_cuda_hold(struct cuda *t) {
  if (!fs_cu.launch_host) return false;
  atomic_fetch_add(&t->hold.asked, 1);
  if (fs_cu.launch_host(fs_cuda_stream(t), wait_for_host, &t->hold) == CU_OK) return true;
  fs_cuda_unhold(t);
  return false;
}

void fs_cuda_unhold(struct cuda *t) {
  atomic_store(&t->hold.released, atomic_load(&t->hold.asked));
}
