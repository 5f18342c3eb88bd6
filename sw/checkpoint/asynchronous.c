#include "checkpoint/asynchronous.h"

#include <stddef.h>
#include <string.h>

#include "checkpoint/status.h"

typedef struct {
  uint64_t version;
  CheckpointStatus status;
  bool reported;
} Entry;

typedef struct {
  Entry entries[checkpoint_begun_limit];  // the oldest first
  unsigned count;
  const CheckpointStore* store;  // NULL: the DIMM-SSD
} List;

static List list;  // of the selected DIMM-SSD
static List unselected[dimm_ssd_limit];
static unsigned selected;

static unsigned pending_count(void) {
  unsigned pending = 0;
  for (unsigned i = 0; i < list.count; ++i) pending += list.entries[i].status == checkpoint_pending;
  return pending;
}

// The newest entry of this version.
static Entry* find(uint64_t version) {
  for (unsigned i = list.count; i > 0; --i)
    if (list.entries[i - 1].version == version) return &list.entries[i - 1];
  return NULL;
}

void asynchronous_use_store(const CheckpointStore* used) { list.store = used; }
void asynchronous_select(unsigned dimm_ssd) {
  unselected[selected] = list;
  list = unselected[dimm_ssd];
  selected = dimm_ssd;
}
void asynchronous_clear(void) { list.count = 0; }

static void update_from_store(void) {
  for (unsigned i = 0; i < list.count; ++i)
    if (list.entries[i].status == checkpoint_pending)
      list.entries[i].status = list.store->outcome(list.entries[i].version);
}

static void await_progress(void) {
  if (list.store != NULL)
    list.store->wait();
  else
    dimm_ssd_await_progress();
}

void asynchronous_update(void) {
  if (list.store != NULL) {
    update_from_store();
    return;
  }
  unsigned pending = pending_count();
  const DimmSsdProgress progress = dimm_ssd_progress();
  // Versions begun after the failure are still open, and the failure does not concern them.
  bool has_failed = false;
  for (unsigned i = 0; i < list.count && pending > progress.open; ++i) {
    if (list.entries[i].status != checkpoint_pending) continue;
    has_failed = has_failed || (progress.failed && list.entries[i].version == progress.failed_version);
    list.entries[i].status = has_failed ? status_of(progress.failed_error) : checkpoint_ok;
    --pending;
  }
}

void asynchronous_finish(void) {
  while (pending_count() > 0) {
    asynchronous_update();
    if (pending_count() > 0) await_progress();
  }
}

void asynchronous_add(uint64_t version, CheckpointStatus status, bool reported) {
  while (list.count == checkpoint_begun_limit && list.entries[0].status == checkpoint_pending) {
    await_progress();
    asynchronous_update();
  }
  if (list.count == checkpoint_begun_limit)
    memmove(list.entries, list.entries + 1, --list.count * sizeof *list.entries);
  list.entries[list.count++] = (Entry){version, status, reported};
}

bool asynchronous_is_pending(uint64_t version) {
  const Entry* const found = find(version);
  return found != NULL && found->status == checkpoint_pending;
}

CheckpointStatus asynchronous_status(uint64_t version) {
  Entry* const found = find(version);
  if (found == NULL) return checkpoint_not_found;
  if (found->status != checkpoint_pending) found->reported = true;
  return found->status;
}

CheckpointStatus asynchronous_wait(uint64_t version) {
  while (asynchronous_is_pending(version)) {
    asynchronous_update();
    if (asynchronous_is_pending(version)) await_progress();
  }
  return asynchronous_status(version);
}

CheckpointStatus asynchronous_unreported_failure(void) {
  CheckpointStatus oldest = checkpoint_ok;
  for (unsigned i = 0; i < list.count; ++i) {
    const CheckpointStatus status = list.entries[i].status;
    if (status == checkpoint_ok || status == checkpoint_pending || list.entries[i].reported) continue;
    list.entries[i].reported = true;
    if (oldest == checkpoint_ok) oldest = status;
  }
  return oldest;
}
