#include "drivers/gpu_snapshot.h"

#include <string.h>

static uint32_t half_zones(const GpuSnapshot* s) { return 2 * s->zones; }
static uint32_t place(const GpuSnapshot* s, uint32_t half, uint32_t index) {
  return half * half_zones(s) + index;
}
static uint8_t* zone_at(const GpuSnapshot* s, uint32_t at) { return s->buffer + (size_t)at * s->zone_bytes; }

static GpuError allocate(GpuSnapshot* s) {
  const GpuError error = gpu_allocate(s->gpu, s->kib);
  if (error == gpu_ok) s->zones = gpu_zones_in_use(s->gpu);
  return error;
}

GpuError gpu_snapshot_prepare(GpuSnapshot* s, unsigned gpu, uint32_t kib, GpuChain* chain) {
  memset(s, 0, sizeof *s);
  s->gpu = gpu;
  s->kib = kib;
  s->zone_bytes = gpu_zone_bytes();
  s->at_once = gpu_transfer_bytes() / s->zone_bytes;
  if (s->at_once == 0) s->at_once = 1;
  s->chain = chain;
  s->needs_full = true;
  gpu_restart(gpu);
  return allocate(s);
}

size_t gpu_snapshot_bytes(const GpuSnapshot* s) {
  const size_t places = 2 * half_zones(s), zone = s->zone_bytes;
  return places * (zone + sizeof(uint32_t)) + s->zones * (3 * sizeof(uint32_t) + 1);
}

void gpu_snapshot_use(GpuSnapshot* s, void* buffer) {
  s->buffer = buffer;
  s->zone_of = (uint32_t*)(void*)zone_at(s, 2 * half_zones(s));
  s->list = s->zone_of + 2 * half_zones(s);
  s->waiting = s->list + s->zones;
  s->chosen = s->waiting + s->zones;
  s->is_done = (uint8_t*)(s->chosen + s->zones);
}

// ---- a snapshot ----

static void fail(GpuSnapshot* s) {
  s->state = gpu_snapshot_failed;
  s->needs_full = true;
  ++s->failures;
}

GpuError gpu_snapshot_begin(GpuSnapshot* s, GpuSnapshotHow how) {
  if (gpu_snapshot_is_open(s)) return gpu_open;
  if ((gpu_take_events(s->gpu) & (gpu_event_lost | gpu_event_contained)) !=
      0) {  // other events concern earlier operations
    s->state = gpu_snapshot_lost;
    return gpu_lost;
  }
  if (s->state == gpu_snapshot_taken) s->needs_full = true;  // the chain does not contain that snapshot
  s->how = how;
  const uint32_t space = half_zones(s) - s->chain->used;
  s->full = !how.increments || s->needs_full || s->chain->used == 0 || space < s->zones;
  s->half = s->full && s->chain->used != 0 ? 1 - s->chain->half : s->chain->half;
  s->first = s->full ? 0 : s->chain->used;
  const uint32_t at = place(s, s->half, s->first);
  s->waiting_count = s->scanned = s->position = s->reported = 0;
  memset(s->is_done, 0, s->zones);
  GpuError error = gpu_begin(s->gpu, !s->full, how.device_side, zone_at(s, at), s->zone_of + at);
  s->state = gpu_snapshot_copying;
  if (error == gpu_ok && !how.device_side && !how.silent) {
    error = gpu_scan(s->gpu, 0, s->list, s->zones);
    s->state = gpu_snapshot_scanning;
    if (error != gpu_ok && error != gpu_lost) gpu_abort(s->gpu);
  }
  if (error == gpu_lost)
    s->state = gpu_snapshot_lost;
  else if (error != gpu_ok)
    fail(s);
  return error;
}

static void collect_waiting(GpuSnapshot* s) {
  uint32_t zone;
  while (gpu_next_waiting(s->gpu, &zone)) {
    const bool known = zone < s->zones && !s->is_done[zone];
    if (known && s->how.hints && s->waiting_count < s->zones) s->waiting[s->waiting_count++] = zone;
  }
}

// Reports the zones that have arrived; gpu_finish() reports the last ones.
static void report_arrived(GpuSnapshot* s) {
  const uint32_t arrived = gpu_arrived(s->gpu);
  if (s->how.hints && arrived > s->reported && arrived < s->scanned)
    gpu_preserve(s->gpu, s->zone_of + place(s, s->half, s->first) + s->reported, arrived - s->reported);
  s->reported = arrived;
}

// The list of zones is complete: nothing else is to be copied.
static void finish_list(GpuSnapshot* s) {
  s->scanned = gpu_scanned(s->gpu);
  memset(s->is_done, 1, s->zones);
  for (uint32_t i = 0; i < s->scanned; ++i) s->is_done[s->list[i]] = 0;
}

// Collects zones from `from` that are still to be copied, as many as fit into one copy. Returns the number of
// zones in `from` that were examined.
static uint32_t gather(GpuSnapshot* s, const uint32_t* from, uint32_t count, uint32_t* chosen) {
  uint32_t examined = 0;
  *chosen = 0;
  for (; examined < count && *chosen < s->at_once; ++examined) {
    if (s->is_done[from[examined]]) continue;
    s->is_done[from[examined]] = 1;
    s->chosen[(*chosen)++] = from[examined];
  }
  return examined;
}

// Chooses the zones of the next copy: those for which writes wait, together, or else the next ones of the
// list. Returns their number.
static uint32_t choose(GpuSnapshot* s) {
  uint32_t count;
  const uint32_t copied = gather(s, s->waiting, s->waiting_count, &count);
  s->waiting_count -= copied;
  memmove(s->waiting, s->waiting + copied, s->waiting_count * sizeof *s->waiting);
  s->preferred += count;
  if (count > 1) s->preferred_together += count;
  if (count == 0) s->position += gather(s, s->list + s->position, s->scanned - s->position, &count);
  return count;
}

static void copy_next(GpuSnapshot* s) {
  if (s->state != gpu_snapshot_copying || gpu_is_copying(s->gpu)) return;
  const uint32_t count = choose(s);
  GpuError error = gpu_ok;
  if (count > 0) {
    error = gpu_copy_out(s->gpu, s->chosen, count);
  } else if (s->reported == s->scanned) {
    error = gpu_finish(s->gpu);
    s->state = gpu_snapshot_finishing;
  }
  if (error != gpu_ok && error != gpu_lost && error != gpu_no_snapshot)
    gpu_abort(s->gpu);  // an event reports the rest
}

static void restore_next(GpuSnapshot* s) {
  const GpuChain* const chain = s->chain;
  if (s->position == chain->used) {
    s->state = gpu_snapshot_restored;
    return;
  }
  const uint32_t left = chain->used - s->position, at = place(s, chain->half, s->position);
  const uint32_t count = left < s->zones ? left : s->zones;
  s->position += count;
  if (gpu_copy_in(s->gpu, s->zone_of + at, count, zone_at(s, at)) != gpu_ok) s->state = gpu_snapshot_failed;
}

void gpu_snapshot_progress(GpuSnapshot* s) {
  const uint32_t events = gpu_take_events(s->gpu);
  // The memory of a GPU with a contained zone has to be restored, too.
  if ((events & (gpu_event_lost | gpu_event_contained)) != 0) {
    s->state = gpu_snapshot_lost;
    return;
  }
  if (!gpu_snapshot_is_open(s)) return;
  if ((events & gpu_event_failed) != 0) {
    fail(s);
  } else if (s->state == gpu_snapshot_restoring) {
    if ((events & gpu_event_copied_in) != 0) restore_next(s);
  } else if ((events & gpu_event_taken) != 0) {
    s->state = gpu_snapshot_taken;
    s->needs_full = false;
    if (s->full)
      ++s->fulls;
    else
      ++s->increments;
  } else if (!s->how.device_side && !s->how.silent) {
    if (s->state == gpu_snapshot_scanning && (events & gpu_event_scanned) != 0) {
      finish_list(s);
      s->state = gpu_snapshot_copying;
    }
    if ((events & gpu_event_zone_waits) != 0) collect_waiting(s);
    if ((events & gpu_event_arrived) != 0) report_arrived(s);
    copy_next(s);
  }
}

bool gpu_snapshot_is_open(const GpuSnapshot* s) {
  return s->state == gpu_snapshot_scanning || s->state == gpu_snapshot_copying ||
         s->state == gpu_snapshot_finishing || s->state == gpu_snapshot_restoring;
}

void gpu_snapshot_commit(GpuSnapshot* s) {
  s->chain->half = s->half;
  s->chain->used = s->first + gpu_arrived(s->gpu);
  s->state = gpu_snapshot_idle;
}

void gpu_snapshot_drop(GpuSnapshot* s) {
  if (gpu_snapshot_is_open(s)) gpu_abort(s->gpu);
  s->needs_full = true;
  s->state = gpu_snapshot_idle;
}

// ---- restore ----

void gpu_snapshot_fill(GpuSnapshot* s, const void* zones) {
  *s->chain = (GpuChain){.half = 0, .used = zones == NULL ? 0 : s->zones};
  for (uint32_t zone = 0; zone < s->chain->used; ++zone) s->zone_of[zone] = zone;
  if (zones != NULL) memcpy(s->buffer, zones, (size_t)s->zones * s->zone_bytes);
  s->needs_full = true;
}

GpuError gpu_snapshot_restore(GpuSnapshot* s) {
  gpu_restart(s->gpu);
  s->needs_full = true;
  GpuError error = gpu_ok;
  GpuContained contained;
  while (error == gpu_ok && gpu_contained(s->gpu, &contained)) {
    error = gpu_retire(s->gpu, contained.zone);
    if (error == gpu_ok) ++s->retired;
  }
  if (error == gpu_ok) error = allocate(s);
  if (error != gpu_ok) {
    s->state = error == gpu_lost ? gpu_snapshot_lost : gpu_snapshot_failed;
    return error;
  }
  s->position = 0;
  s->state = gpu_snapshot_restoring;
  restore_next(s);
  return gpu_ok;
}

const uint8_t* gpu_snapshot_zone(const GpuSnapshot* s, uint32_t zone) {
  for (uint32_t index = s->chain->used; index-- > 0;) {
    const uint32_t at = place(s, s->chain->half, index);
    if (s->zone_of[at] == zone) return zone_at(s, at);
  }
  return NULL;
}
