#include "drivers/gpu_snapshot.h"

#include <string.h>

enum {
  copies_at_once = 4
};  // zones of a copy: more use the link better, and let a waiting write wait longer

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
  s->chain = chain;
  s->needs_full = true;
  gpu_restart(gpu);
  return allocate(s);
}

size_t gpu_snapshot_bytes(const GpuSnapshot* s) {
  const size_t places = 2 * half_zones(s), zone = s->zone_bytes;
  return places * (zone + sizeof(uint32_t)) + s->zones * (sizeof(uint32_t) + 1);
}

void gpu_snapshot_use(GpuSnapshot* s, void* buffer) {
  s->buffer = buffer;
  s->zone_of = (uint32_t*)(void*)zone_at(s, 2 * half_zones(s));
  s->list = s->zone_of + 2 * half_zones(s);
  s->is_copied = (uint8_t*)(s->list + s->zones);
}

// ---- a snapshot ----

static void fail(GpuSnapshot* s) {
  s->state = gpu_snapshot_failed;
  s->needs_full = true;
  ++s->failures;
}

GpuError gpu_snapshot_begin(GpuSnapshot* s, GpuSnapshotHow how) {
  if (gpu_snapshot_is_open(s)) return gpu_open;
  if ((gpu_take_events(s->gpu) & gpu_event_lost) != 0) {  // others are of what was before
    s->state = gpu_snapshot_lost;
    return gpu_lost;
  }
  if (s->state == gpu_snapshot_taken) s->needs_full = true;  // which the chain does not have
  s->how = how;
  const uint32_t room = half_zones(s) - s->chain->used;
  s->full = !how.increments || s->needs_full || s->chain->used == 0 || room < s->zones;
  s->half = s->full && s->chain->used != 0 ? 1 - s->chain->half : s->chain->half;
  s->first = s->full ? 0 : s->chain->used;
  const uint32_t at = place(s, s->half, s->first);
  s->waiting_count = s->scanned = s->position = s->told = 0;
  memset(s->is_copied, 0, s->zones);
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

static void hear_waiting(GpuSnapshot* s) {
  uint32_t zone;
  while (gpu_next_waiting(s->gpu, &zone)) {
    const bool known = zone < s->zones && !s->is_copied[zone];
    if (known && s->how.hints && s->waiting_count < sizeof s->waiting / sizeof *s->waiting)
      s->waiting[s->waiting_count++] = zone;
  }
}

static void tell_arrived(GpuSnapshot* s) {
  const uint32_t arrived = gpu_arrived(s->gpu);
  if (s->how.hints && arrived > s->told)
    gpu_preserve(s->gpu, s->zone_of + place(s, s->half, s->first) + s->told, arrived - s->told);
  s->told = arrived;
}

// What is next: a zone for which a write waits, else the next of the list.
static uint32_t choose(GpuSnapshot* s, uint32_t* zones) {
  while (s->waiting_count > 0) {
    const uint32_t zone = s->waiting[0];
    memmove(s->waiting, s->waiting + 1, --s->waiting_count * sizeof *s->waiting);
    if (s->is_copied[zone]) continue;
    ++s->preferred;
    zones[0] = zone;
    return 1;
  }
  uint32_t count = 0;
  for (; s->position < s->scanned && count < copies_at_once; ++s->position)
    if (!s->is_copied[s->list[s->position]]) zones[count++] = s->list[s->position];
  return count;
}

static void copy_next(GpuSnapshot* s) {
  if (s->state != gpu_snapshot_copying || gpu_is_copying(s->gpu)) return;
  uint32_t zones[copies_at_once];
  const uint32_t count = choose(s, zones);
  for (uint32_t i = 0; i < count; ++i) s->is_copied[zones[i]] = 1;
  GpuError error = gpu_ok;
  if (count > 0) {
    error = gpu_copy_out(s->gpu, zones, count);
  } else if (s->told == s->scanned) {
    error = gpu_finish(s->gpu);
    s->state = gpu_snapshot_finishing;
  }
  if (error != gpu_ok && error != gpu_lost && error != gpu_no_snapshot)
    gpu_abort(s->gpu);  // an event says the rest
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

void gpu_snapshot_serve(GpuSnapshot* s) {
  const uint32_t events = gpu_take_events(s->gpu);
  if ((events & gpu_event_lost) != 0) {
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
      s->scanned = gpu_scanned(s->gpu);
      s->state = gpu_snapshot_copying;
    }
    if ((events & gpu_event_zone_waits) != 0) hear_waiting(s);
    if ((events & gpu_event_arrived) != 0) tell_arrived(s);
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

// ---- back ----

GpuError gpu_snapshot_restore(GpuSnapshot* s) {
  gpu_restart(s->gpu);
  s->needs_full = true;
  const GpuError error = allocate(s);
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
