// Works with all devices of a node that has several of a type: two DIMM-SSDs, each beside a memory of its
// own, two NICs that are connected to each other, UARTs, an APB timer and a DMA engine.
//
//   composed_node [pages=24] [steps=24] [interval=4] [rtl=on] [table=early_late] [field=copy_on_write]
//
// A table lies in the memory beside DIMM-SSD 0, a field in that beside DIMM-SSD 1. In each step the cores
// change the table, NIC 0 sends a part of it to NIC 1, which adds it to the field and replies, and the DMA
// engine copies a page of the table to the field and another one back. A step lasts as many periods of the
// timer as it takes. Every interval-th step is saved on both DIMM-SSDs, asynchronously: the steps after it
// write to pages that are not copied yet. After a power loss, both continue with the newest step that both
// have.
//
// table, field: the methods by which they are saved.
// With rtl=off, the timer and the DMA engine are not used, and a core makes the copies.
//
// Exit status: 0 all was right, 1 if a line says what was wrong, 2 a wrong argument, 3 if the node lacks a
// device or memory. result.txt holds what does not depend on a power loss.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "apps/composed_node/nics.h"
#include "apps/composed_node/saved_memory.h"
#include "apps/result/result.h"
#include "boot/arguments.h"
#include "boot/cores.h"
#include "boot/exit_status.h"
#include "boot/memory.h"
#include "checkpoint/checksum.h"
#include "drivers/apb_timer.h"
#include "drivers/device_tree.h"
#include "drivers/dma_engine.h"
#include "drivers/generic_timer.h"
#include "drivers/pl011.h"
#include "drivers/power.h"

typedef unsigned long long Printable;

static struct {
  uint64_t pages, steps, interval;
  bool rtl;
  ArgumentChoice table, field;
} options = {.pages = 24,
             .steps = 24,
             .interval = 4,
             .rtl = true,
             .table = {dimm_ssd_method_names, dimm_ssd_methods, dimm_ssd_early_late},
             .field = {dimm_ssd_method_names, dimm_ssd_methods, dimm_ssd_copy_on_write}};

static SavedMemory table = {.dimm_ssd = 0}, field = {.dimm_ssd = 1};

static bool fail(const char* what) {
  printf("composed_node: WRONG: %s\n", what);
  return false;
}

// ---- UARTs ----

static unsigned uarts;

static void find_uarts(void) {
  while (pl011_select(uarts)) {
    pl011_initialize();
    ++uarts;
  }
}

// What each UART prints; a UART that the node lacks prints nothing.
enum { uart_of_steps, uart_of_messages, uart_of_devices };

static void print_on(unsigned uart, const char* format, uint64_t number, uint64_t value) {
  if (uart >= uarts) return;
  char text[100];
  snprintf(text, sizeof text, format, (Printable)number, (Printable)value);
  pl011_select(uart);
  pl011_print(text);
}

// ---- the timer ----

enum { period_us = 50 };
static uint64_t periods;  // since the start of the node

static void start_timer(void) {
  if (!options.rtl) return;
  apb_timer_start(0, 0, apb_timer_periodic, 0, apb_timer_frequency(0) / 1000000 * period_us);
}

// Waits for the end of the period.
static void end_period(void) {
  if (!options.rtl) return;
  apb_timer_await(0, 0, apb_timer_interrupts(0, 0) + 1);
  periods = apb_timer_interrupts(0, 0);
}

// ---- copies ----

static bool copy(void* to, const void* from, uint32_t bytes) {
  if (!options.rtl) {
    memcpy(to, from, bytes);
    return true;
  }
  const DmaEngineEnd end = dma_engine_copy(0, to, from, bytes);
  if (end.error != dma_engine_ok) return fail(dma_engine_error_text(end.error));
  return memcmp(to, from, bytes) == 0 || fail("a copy of the DMA engine is not exact");
}

// Not whole pages, so that lines of both memories are written in part.
static bool exchange_pages(uint64_t step) {
  const uint64_t there = step % options.pages, back = (step + options.pages / 2) % options.pages;
  return copy(field.words + there * words_a_page + 3, table.words + there * words_a_page, page_bytes - 40) &&
         copy(table.words + back * words_a_page, field.words + back * words_a_page + 1, page_bytes - 8);
}

// ---- a step ----

// Each core changes a part of the table.
static void change_table(unsigned core, unsigned cores, void* argument) {
  const uint64_t step = *(const uint64_t*)argument, words = options.pages * words_a_page;
  for (uint64_t i = words * core / cores; i < words * (core + 1) / cores; ++i)
    table.words[i] = table.words[i] * 0x5851f42d4c957f2du + i + step;
}

static void begin_anew(void) {
  const uint64_t words = options.pages * words_a_page;
  for (uint64_t i = 0; i < words; ++i) table.words[i] = i, field.words[i] = ~i;
  table.state->step = field.state->step = 0;
  table.state->messages = field.state->messages = 0;
}

// A page of the table goes to the field, and its checksum back.
static bool exchange_messages(uint64_t step) {
  const uint64_t* const sent = table.words + step * 7 % options.pages * words_a_page;
  uint64_t* const target = field.words + step * 5 % options.pages * words_a_page;
  uint64_t received[words_a_page];
  if (!nics_send(0, 1, sent, page_bytes) || !nics_receive(1, 0, received, page_bytes))
    return fail("a message to NIC 1");
  for (unsigned i = 0; i < words_a_page; ++i) target[i] ^= received[i];
  ++field.state->messages;
  uint64_t sum = checksum(CHECKSUM_START, received, page_bytes), reply = 0;
  if (!nics_send(1, 0, &sum, sizeof sum) || !nics_receive(0, 1, &reply, sizeof reply))
    return fail("a message to NIC 0");
  ++table.state->messages;
  print_on(uart_of_messages, "message %llu: checksum 0x%016llx\n", step, reply);
  return reply == checksum(CHECKSUM_START, sent, page_bytes) || fail("the checksum of a message");
}

static bool make_step(void) {
  uint64_t step = ++table.state->step;
  field.state->step = step;
  cores_run(change_table, &step);
  if (!exchange_messages(step) || !exchange_pages(step)) return false;
  end_period();
  return true;
}

static bool save(uint64_t step) {
  return saved_memory_finish(&table) &&
         saved_memory_finish(&field) &&  // so that both always have one in common
         saved_memory_begin(&table, step) && saved_memory_begin(&field, step);
}

static bool make_steps(void) {
  while (table.state->step < options.steps) {
    if (!make_step()) return false;
    const uint64_t step = table.state->step;
    if (step % options.interval != 0) continue;
    print_on(uart_of_steps, "step %llu: table 0x%016llx\n", step, saved_memory_checksum(&table));
    print_on(uart_of_devices, "step %llu: period %llu of the timer\n", step, periods);
    if (!save(step)) return false;
  }
  return saved_memory_finish(&table) && saved_memory_finish(&field);
}

// ---- ----

// The newest step that both DIMM-SSDs have; false: there is none.
static bool restore(void) {
  uint64_t step = checkpoint_any_version, in_table, in_field;
  for (;;) {
    if (!saved_memory_newest(&table, step, &in_table) || !saved_memory_newest(&field, step, &in_field))
      return false;
    step = in_table < in_field ? in_table : in_field;
    if (in_table == in_field && saved_memory_restore(&table, step) && saved_memory_restore(&field, step))
      return true;
    if (in_table == in_field && step-- == 0) return false;
  }
}

static bool missing(const char* what) {
  printf("composed_node: %s\n", what);
  return false;
}

static bool find_devices(void) {
  find_uarts();
  if (options.rtl && apb_timer_probe() == 0)
    return missing("no APB timer (asterism,apb_timer); rtl=off needs none");
  if (options.rtl && dma_engine_probe() == 0)
    return missing("no DMA engine (asterism,dma_engine); rtl=off needs none");
  Device there;
  if (!device_tree_memory_of("asterism,dimm-ssd", 1, &there)) return missing("no second DIMM-SSD");
  // Everything in the first memory is allocated before anything in the second one.
  if (!nics_open(0)) return missing("no NIC");
  if (!saved_memory_open(&table, options.pages))
    return missing("no DIMM-SSD, or too little memory beside it");
  Device first;
  if (device_tree_memory(&first) && there.base != first.base)
    memory_allocate_from(there.base, there.base + there.size);
  if (!saved_memory_open(&field, options.pages)) return missing("too little memory beside DIMM-SSD 1");
  return nics_open(1) || missing("no second NIC, or it accesses another memory than DIMM-SSD 1");
}

static bool write_result(void) {
  char text[200];
  snprintf(text, sizeof text, "steps %llu\nmessages %llu\ntable 0x%016llx\nfield 0x%016llx\n",
           (Printable)table.state->step, (Printable)(table.state->messages + field.state->messages),
           (Printable)saved_memory_checksum(&table), (Printable)saved_memory_checksum(&field));
  printf("composed_node: the end:\n%s", text);
  return result_write(text) || fail("result.txt cannot be written");
}

int main(int argc, char** argv) {
  const Argument arguments[] = {
      {"pages", argument_number, &options.pages, 2, 4096, "in each memory"},
      {"steps", argument_number, &options.steps, 1, 1000000, "to make"},
      {"interval", argument_number, &options.interval, 1, 1000000, "steps between two checkpoints"},
      {"rtl", argument_switch, &options.rtl, 0, 0, "use the APB timer and the DMA engine"},
      {"table", argument_choice, &options.table, 0, 0, "how the table is saved"},
      {"field", argument_choice, &options.field, 0, 0, "how the field is saved"},
  };
  if (!arguments_read(argc, argv, arguments, sizeof arguments / sizeof *arguments)) return exit_usage;
  if (!arguments_interval_fits("composed_node", "interval", options.interval, options.steps, "steps"))
    return exit_usage;
  table.method = (DimmSsdMethod)options.table.index;
  field.method = (DimmSsdMethod)options.field.index;
  if (power_probe())
    printf("composed_node: reset cause %s, boot %u\n", power_reset_cause_text(),
           (unsigned)power_boot_count());
  if (!find_devices()) return exit_unavailable;
  printf("composed_node: %u UARTs, table at 0x%llx, field at 0x%llx, %u cores\n", uarts,
         (Printable)(uintptr_t)table.words, (Printable)(uintptr_t)field.words, cores_start(MAX_CORES));
  start_timer();
  if (restore())
    power_recovered(recovered_from_dimm_ssd);
  else
    begin_anew();
  return make_steps() && write_result() ? exit_passed : exit_failed;
}
