// What the core that runs the program and the service core exchange, in shared memory. Each member is written
// by one of the two, except `snapshot.epoch` and `edges.key`, which the program sets and the service core
// clears when it has taken what they publish. A `key` or an `epoch` that publishes others is written last, by
// exchange_publish(), and read first, by exchange_get().
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "boot/cores.h"
#include "boot/exit_status.h"

enum { zone_limit = 1024, from_left = 0, from_right = 1 };

// A neighbour's edge word. Two steps are kept, since the neighbour may be one ahead.
typedef struct {
  uint64_t key;  // exchange_key()
  uint64_t word;
} Halo;

// A whole snapshot. Its zones stay where they are until the service core has taken it.
typedef struct {
  uint32_t epoch;  // of the program that took it; 0: none waits
  uint64_t version;
  const uint8_t* zones[zone_limit];
  uint64_t* words;
} WholeSnapshot;

typedef struct {
  // For cores_signal() and cores_doze().
  uint32_t to_service, to_program;

  // Fixed before the service core starts. An image is what a checkpoint holds: the words, filled up to whole
  // pages, and the zones of the GPU in the order of their numbers.
  uint8_t* image;  // this node's, followed by space for that of its protected rank; page aligned
  uint32_t image_pages, word_pages, zones, zone_bytes;
  uint64_t word_bytes;

  // The service core's.
  uint32_t epoch;    // the program has to run from `version`; 0: this node has no rank yet
  uint64_t version;  // 0: from the beginning; else its state is `image`
  uint32_t rank;
  bool is_fetched;   // the image came from the neighbour, not from this node
  bool has_ended;    // the run has; or this node has failed, if status is not exit_passed
  Halo halos[2][2];  // by side and step
  ExitStatus status;
  const char* failure;

  // The program's.
  WholeSnapshot snapshot;  // the service core clears its epoch
  struct {
    uint64_t key;  // 0: none waits, set by the service core
    uint64_t step, first, last;
  } edges;  // of the words, for both neighbours
  struct {
    uint32_t epoch;
    uint64_t result;
  } finished;
} Exchange;

extern Exchange exchange;

static inline uint64_t exchange_key(uint32_t epoch, uint64_t step) {
  return (uint64_t)epoch << 32 | (uint32_t)(step + 1);
}

#define exchange_get(member) __atomic_load_n(&exchange.member, __ATOMIC_ACQUIRE)
#define exchange_publish(member, value) __atomic_store_n(&exchange.member, value, __ATOMIC_RELEASE)

static inline uint8_t* image_zone(uint8_t* image, uint32_t zone) {
  return image + (uint64_t)exchange.word_pages * 4096 + (uint64_t)zone * exchange.zone_bytes;
}
