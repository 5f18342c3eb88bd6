#include "checkpoint/begun.h"

#include <stddef.h>
#include <string.h>

#include "checkpoint/status.h"

typedef struct {
  uint64_t version;
  CheckpointStatus status;
  bool told;
} Begun;

static Begun begun[checkpoint_begun_limit];  // the oldest first
static unsigned count;
static const CheckpointStore* store;  // NULL: the DIMM-SSD

static unsigned pending_count(void) {
  unsigned pending = 0;
  for (unsigned i = 0; i < count; ++i) pending += begun[i].status == checkpoint_pending;
  return pending;
}

// The newest of this number.
static Begun* find(uint64_t version) {
  for (unsigned i = count; i > 0; --i)
    if (begun[i - 1].version == version) return &begun[i - 1];
  return NULL;
}

void begun_use_store(const CheckpointStore* used) { store = used; }
void begun_forget(void) { count = 0; }

static void settle_by_store(void) {
  for (unsigned i = 0; i < count; ++i)
    if (begun[i].status == checkpoint_pending) begun[i].status = store->outcome(begun[i].version);
}

static void await_progress(void) {
  if (store != NULL)
    store->wait();
  else
    dimm_ssd_await_progress();
}

void begun_settle(void) {
  if (store != NULL) {
    settle_by_store();
    return;
  }
  unsigned pending = pending_count();
  const DimmSsdProgress progress = dimm_ssd_progress();
  // What was begun after the failure is open, and not meant by it.
  bool given_up = false;
  for (unsigned i = 0; i < count && pending > progress.open; ++i) {
    if (begun[i].status != checkpoint_pending) continue;
    given_up = given_up || (progress.failed && begun[i].version == progress.failed_version);
    begun[i].status = given_up ? status_of(progress.failed_error) : checkpoint_ok;
    --pending;
  }
}

void begun_finish(void) {
  while (pending_count() > 0) {
    begun_settle();
    if (pending_count() > 0) await_progress();
  }
}

void begun_add(uint64_t version, CheckpointStatus status, bool told) {
  while (count == checkpoint_begun_limit && begun[0].status == checkpoint_pending) {
    await_progress();
    begun_settle();
  }
  if (count == checkpoint_begun_limit) memmove(begun, begun + 1, --count * sizeof *begun);
  begun[count++] = (Begun){version, status, told};
}

bool begun_is_pending(uint64_t version) {
  const Begun* const found = find(version);
  return found != NULL && found->status == checkpoint_pending;
}

CheckpointStatus begun_status(uint64_t version) {
  Begun* const found = find(version);
  if (found == NULL) return checkpoint_not_found;
  if (found->status != checkpoint_pending) found->told = true;
  return found->status;
}

CheckpointStatus begun_wait(uint64_t version) {
  while (begun_is_pending(version)) {
    begun_settle();
    if (begun_is_pending(version)) await_progress();
  }
  return begun_status(version);
}

CheckpointStatus begun_failure(void) {
  CheckpointStatus oldest = checkpoint_ok;
  for (unsigned i = 0; i < count; ++i) {
    const CheckpointStatus status = begun[i].status;
    if (status == checkpoint_ok || status == checkpoint_pending || begun[i].told) continue;
    begun[i].told = true;
    if (oldest == checkpoint_ok) oldest = status;
  }
  return oldest;
}
