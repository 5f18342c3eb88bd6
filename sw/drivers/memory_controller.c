#include "drivers/memory_controller.h"

#include <stdio.h>

#include "asterism/platform.h"
#include "boot/interrupts.h"
#include "drivers/device_tree.h"
#include "drivers/mmio.h"

#define FIELD(value, name) (((value)&MEMORY_CONTROLLER_##name##_MASK) >> MEMORY_CONTROLLER_##name##_SHIFT)

static const char compatible[] = "asterism,memory-controller";
static Device device;
static unsigned selected;

static uint32_t get(uint32_t offset) { return mmio_read(device.base + offset); }
static void set(uint32_t offset, uint32_t value) { mmio_write(device.base + offset, value); }

static uint64_t get_pair(uint32_t low) { return (uint64_t)get(low + 4) << 32 | get(low); }

static void set_pair(uint32_t low, uint64_t value) {
  set(low, (uint32_t)value);
  set(low + 4, (uint32_t)(value >> 32));
}

static bool find_first(Device* found) { return device_tree_find(compatible, found); }
static bool find_selected(Device* found) { return device_tree_find_instance(compatible, selected, found); }

// memory_controller_select() replaces it, so that a program with one memory is not linked with more.
static bool (*find)(Device* found) = find_first;

bool memory_controller_select(unsigned instance) {
  Device found;
  if (!device_tree_find_instance(compatible, instance, &found)) return false;
  selected = instance;
  find = find_selected;
  device = found;
  return true;
}

bool memory_controller_probe(void) { return find(&device); }

MemoryProperties memory_controller_properties(void) {
  const uint32_t config = get(MEMORY_CONTROLLER_CONFIG);
  return (MemoryProperties){.mode = (EccMode)FIELD(config, CONFIG_MODE),
                            .profile = (EccProfile)FIELD(config, CONFIG_PROFILE),
                            .ranges = FIELD(config, CONFIG_RANGES),
                            .ranks = FIELD(config, CONFIG_RANKS),
                            .rank_bytes = get_pair(MEMORY_CONTROLLER_RANK_SIZE_LOW)};
}

EccRange memory_controller_range(unsigned entry) {
  set(MEMORY_CONTROLLER_RANGE_SELECT, entry);
  const uint32_t control = get(MEMORY_CONTROLLER_RANGE_CONTROL);
  return (EccRange){.first = get_pair(MEMORY_CONTROLLER_RANGE_FIRST_LOW),
                    .bytes = get_pair(MEMORY_CONTROLLER_RANGE_SIZE_LOW),
                    .mode = (EccMode)FIELD(control, RANGE_CONTROL_MODE)};
}

RangeProblem memory_controller_set_range(unsigned entry, EccRange range) {
  set(MEMORY_CONTROLLER_RANGE_SELECT, entry);
  set_pair(MEMORY_CONTROLLER_RANGE_FIRST_LOW, range.first);
  set_pair(MEMORY_CONTROLLER_RANGE_SIZE_LOW, range.bytes);
  data_synchronization_barrier();  // everything written before is converted
  set(MEMORY_CONTROLLER_RANGE_CONTROL, (uint32_t)range.mode << MEMORY_CONTROLLER_RANGE_CONTROL_MODE_SHIFT);
  const uint32_t status = get(MEMORY_CONTROLLER_RANGE_STATUS);
  return (RangeProblem)FIELD(status, RANGE_STATUS_PROBLEM);
}

const char* memory_controller_problem_text(RangeProblem problem) {
  switch (problem) {
    case range_ok:
      return "no problem";
    case range_unaligned:
      return "not whole pages";
    case range_outside:
      return "outside of the memory";
    case range_overlap:
      return "overlaps another range";
    case range_one_rank:
      return "strong ECC needs a second rank";
    case range_no_code:
      return "this memory has no ECC";
    case range_no_space:
      return "no rows are left for the parity of strong ECC";
    case range_reserved_mode:
      return "no mode has this number";
  }
  return "unknown problem";
}

uint32_t memory_controller_corrected(void) { return get(MEMORY_CONTROLLER_CORRECTED); }
uint32_t memory_controller_uncorrectable(void) { return get(MEMORY_CONTROLLER_UNCORRECTABLE); }

bool memory_controller_oldest_error(MemoryError* error) {
  const uint32_t status = get(MEMORY_CONTROLLER_LOG_STATUS);
  if (FIELD(status, LOG_STATUS_VALID) == 0) return false;
  const uint32_t place = get(MEMORY_CONTROLLER_LOG_PLACE);
  *error = (MemoryError){.uncorrectable = FIELD(status, LOG_STATUS_UNCORRECTABLE) != 0,
                         .source = (ErrorSource)FIELD(status, LOG_STATUS_SOURCE),
                         .strong = FIELD(status, LOG_STATUS_STRONG) != 0,
                         .address = get_pair(MEMORY_CONTROLLER_LOG_ADDRESS_LOW),
                         .channel = FIELD(place, LOG_PLACE_CHANNEL),
                         .rank = FIELD(place, LOG_PLACE_RANK),
                         .bank = FIELD(place, LOG_PLACE_BANK),
                         .chip = FIELD(place, LOG_PLACE_CHIP),
                         .codeword = FIELD(status, LOG_STATUS_CODEWORD),
                         .syndrome = get(MEMORY_CONTROLLER_LOG_SYNDROME),
                         .lost = FIELD(status, LOG_STATUS_LOST)};
  return true;
}

void memory_controller_drop_oldest_error(void) {
  set(MEMORY_CONTROLLER_LOG_POP, MEMORY_CONTROLLER_LOG_POP_POP_MASK);
}

void memory_controller_error_text(const MemoryError* error, char* text, size_t bytes) {
  snprintf(text, bytes, "%s error at 0x%llx", error->uncorrectable ? "uncorrectable" : "corrected",
           (unsigned long long)error->address);
}

void memory_controller_place_text(const MemoryError* error, char* text, size_t bytes) {
  char chip[12] = "";
  if (error->chip != chip_unknown) snprintf(chip, sizeof chip, " chip %u", error->chip);
  snprintf(text, bytes, "channel %u rank %u bank %u%s, %s ECC, syndrome 0x%08x", error->channel, error->rank,
           error->bank, chip, error->strong ? "strong" : "normal", (unsigned)error->syndrome);
}

void memory_controller_scrub(uint32_t nanoseconds) { set(MEMORY_CONTROLLER_SCRUB_INTERVAL, nanoseconds); }
uint32_t memory_controller_scrubbed(void) { return get(MEMORY_CONTROLLER_SCRUBBED); }
