#include "drivers/nvme.h"

#include <string.h>

#include "asterism/platform.h"
#include "boot/device_address.h"
#include "boot/interrupts.h"
#include "boot/memory.h"
#include "drivers/device_tree.h"
#include "drivers/generic_timer.h"
#include "drivers/gic.h"
#include "drivers/mmio.h"

enum {
  entries = 64,  // of each queue
  admin = 0,
  io = 1,
  pairs = 2,
  create_submission_queue = 0x01,
  create_completion_queue = 0x05,
  identify = 0x06,
  flush = 0x00,
  write = 0x01,
  read = 0x02,
  write_zeroes = 0x08,
  dataset_management = 0x09,
  ready_seconds = 30,
  shutdown_seconds = 30,
  look_microseconds = 10000,
};

typedef struct {
  uint32_t words[16];
} Submission;

typedef struct {
  uint32_t result, reserved;
  uint16_t head, queue, identifier, status;
} Completion;

typedef struct {
  Submission* submissions;
  volatile Completion* completions;
  uint32_t tail, head;
  uint16_t phase;
} Pair;

static struct {
  Device device;
  Pair pairs[pairs];
  uint64_t* list;  // of the pages of a command
  uint8_t* page;   // for what the controller is asked about itself
  uint64_t blocks;
  char model[41];
} nvme;

static volatile bool raised;

static uint32_t read_register(uint32_t offset) { return mmio_read(nvme.device.base + offset); }
static void write_register(uint32_t offset, uint32_t value) { mmio_write(nvme.device.base + offset, value); }

// The line is high until the entry is consumed; the mask keeps it from calling again.
static void handler(void) {
  write_register(NVME_INTMS, 1);
  raised = true;
}

static bool is_fatal(void) { return (read_register(NVME_CSTS) & NVME_CSTS_CFS_MASK) != 0; }

// A controller that fails does not interrupt.
static void look(void) { raised = true; }

static bool has_entry(const Pair* pair) { return (pair->completions[pair->head].status & 1) == pair->phase; }

static NvmeStatus execute(unsigned which, const Submission* command) {
  Pair* const pair = &nvme.pairs[which];
  pair->submissions[pair->tail] = *command;
  pair->submissions[pair->tail].words[0] |= pair->tail << 16;
  pair->tail = (pair->tail + 1) % entries;
  data_synchronization_barrier();  // the entry and the data are in memory before the controller reads them
  write_register(NVME_SQTDBL + 8 * which, pair->tail);
  while (!has_entry(pair)) {
    if (is_fatal()) return nvme_fatal;
    raised = false;
    write_register(NVME_INTMC, 1);
    generic_timer_alarm(generic_timer_now() + generic_timer_ticks(look_microseconds), look);
    sleep_until(&raised);
  }
  const uint16_t status = pair->completions[pair->head].status;
  if (++pair->head == entries) {
    pair->head = 0;
    pair->phase ^= 1;
  }
  write_register(NVME_CQHDBL + 8 * which, pair->head);
  return (NvmeStatus)(status >> 1 & 0x7FF);
}

static void set_address(Submission* command, unsigned word, const void* memory, uint32_t bytes) {
  const uint64_t address = device_address(memory, bytes);
  command->words[word] = (uint32_t)address;
  command->words[word + 1] = (uint32_t)(address >> 32);
}

static void set_first(Submission* command, uint64_t first) {
  command->words[10] = (uint32_t)first;
  command->words[11] = (uint32_t)(first >> 32);
}

static bool take_memory(void) {
  if (nvme.page != NULL) return true;
  uint8_t* const memory = memory_allocate((2 * pairs + 2) * page_bytes);
  if (memory == NULL) return false;
  for (unsigned which = 0; which < pairs; ++which) {
    nvme.pairs[which].submissions = (Submission*)(memory + 2 * which * page_bytes);
    nvme.pairs[which].completions = (volatile Completion*)(memory + (2 * which + 1) * page_bytes);
  }
  nvme.list = (uint64_t*)(memory + 2 * pairs * page_bytes);
  nvme.page = memory + (2 * pairs + 1) * page_bytes;
  return true;
}

static bool wait_for_ready(bool ready) {
  const uint64_t end = generic_timer_now() + ready_seconds * generic_timer_frequency();
  while (((read_register(NVME_CSTS) & NVME_CSTS_RDY_MASK) != 0) != ready)
    if (is_fatal() || generic_timer_now() > end) return false;
  return true;
}

static bool enable(void) {
  write_register(NVME_CC, 0);
  if (!wait_for_ready(false)) return false;
  for (unsigned which = 0; which < pairs; ++which) {
    Pair* const pair = &nvme.pairs[which];
    pair->tail = pair->head = 0;
    pair->phase = 1;
    for (unsigned i = 0; i < entries; ++i) pair->completions[i].status = 0;
  }
  const uint64_t submissions = device_address(nvme.pairs[admin].submissions, page_bytes);
  const uint64_t completions = device_address((void*)nvme.pairs[admin].completions, page_bytes);
  write_register(NVME_AQA, (entries - 1) << 16 | (entries - 1));
  write_register(NVME_ASQ_LOW, (uint32_t)submissions);
  write_register(NVME_ASQ_HIGH, (uint32_t)(submissions >> 32));
  write_register(NVME_ACQ_LOW, (uint32_t)completions);
  write_register(NVME_ACQ_HIGH, (uint32_t)(completions >> 32));
  data_synchronization_barrier();
  write_register(NVME_CC, 4u << NVME_CC_IOCQES_SHIFT | 6u << NVME_CC_IOSQES_SHIFT | NVME_CC_EN_MASK);
  return wait_for_ready(true);
}

static bool create_queues(void) {
  const uint32_t size_and_number = (entries - 1) << 16 | io;
  Submission command = {{create_completion_queue}};
  set_address(&command, 6, (const void*)nvme.pairs[io].completions, page_bytes);
  command.words[10] = size_and_number;
  command.words[11] = 3;  // contiguous, with interrupts
  if (execute(admin, &command) != nvme_ok) return false;
  command = (Submission){{create_submission_queue}};
  set_address(&command, 6, nvme.pairs[io].submissions, page_bytes);
  command.words[10] = size_and_number;
  command.words[11] = io << 16 | 1;
  return execute(admin, &command) == nvme_ok;
}

static bool ask(void) {
  enum { model_at = 24, model_bytes = 40 };
  Submission command = {{identify}};
  set_address(&command, 6, nvme.page, page_bytes);
  command.words[10] = 1;  // about the controller
  if (execute(admin, &command) != nvme_ok) return false;
  memcpy(nvme.model, nvme.page + model_at, model_bytes);
  for (unsigned end = model_bytes; end > 0 && nvme.model[end - 1] == ' '; --end) nvme.model[end - 1] = 0;
  command.words[1] = 1;
  command.words[10] = 0;  // about the namespace
  if (execute(admin, &command) != nvme_ok) return false;
  memcpy(&nvme.blocks, nvme.page, sizeof nvme.blocks);
  return true;
}

bool nvme_probe(void) {
  if (!device_tree_find("asterism,nvme", &nvme.device) || !take_memory()) return false;
  gic_enable(nvme.device.interrupt, handler);
  interrupts_unmask();
  return enable() && ask() && create_queues();
}

const char* nvme_model(void) { return nvme.model; }
uint64_t nvme_blocks(void) { return nvme.blocks; }

static NvmeStatus transfer(uint32_t opcode, uint64_t first, const void* data, uint32_t count,
                           uint32_t flags) {
  if (count == 0 || count > nvme_blocks_limit || (uintptr_t)data % page_bytes != 0) return nvme_invalid_field;
  Submission command = {{opcode, 1}};
  const uint64_t address = device_address(data, count * nvme_block_bytes);
  set_address(&command, 6, data, count * nvme_block_bytes);
  if (count == 2) set_address(&command, 8, (const uint8_t*)data + page_bytes, page_bytes);
  if (count > 2) {
    for (uint32_t i = 1; i < count; ++i) nvme.list[i - 1] = address + i * nvme_block_bytes;
    set_address(&command, 8, nvme.list, page_bytes);
  }
  set_first(&command, first);
  command.words[12] = flags | (count - 1);
  return execute(io, &command);
}

NvmeStatus nvme_read(uint64_t first, void* data, uint32_t count) {
  return transfer(read, first, data, count, 0);
}

NvmeStatus nvme_write(uint64_t first, const void* data, uint32_t count, NvmeWrite how) {
  const uint32_t force_unit_access = 1u << 30;
  return transfer(write, first, data, count, how == nvme_durable ? force_unit_access : 0);
}

NvmeStatus nvme_write_zeroes(uint64_t first, uint32_t count) {
  if (count == 0 || count > 0x10000) return nvme_invalid_field;
  Submission command = {{write_zeroes, 1}};
  set_first(&command, first);
  command.words[12] = count - 1;
  return execute(io, &command);
}

NvmeStatus nvme_flush(void) {
  const Submission command = {{flush, 1}};
  return execute(io, &command);
}

NvmeStatus nvme_deallocate(uint64_t first, uint32_t count) {
  const uint32_t deallocate = 1u << 2;
  uint32_t* const range = (uint32_t*)nvme.page;
  range[0] = 0;
  range[1] = count;
  memcpy(range + 2, &first, sizeof first);
  Submission command = {{dataset_management, 1}};
  set_address(&command, 6, range, page_bytes);
  command.words[11] = deallocate;
  return execute(io, &command);
}

bool nvme_shut_down(void) {
  const uint32_t complete = 2u << NVME_CSTS_SHST_SHIFT;
  write_register(NVME_CC, read_register(NVME_CC) | 1u << NVME_CC_SHN_SHIFT);
  const uint64_t end = generic_timer_now() + shutdown_seconds * generic_timer_frequency();
  while ((read_register(NVME_CSTS) & NVME_CSTS_SHST_MASK) != complete)
    if (is_fatal() || generic_timer_now() > end) return false;
  return true;
}
