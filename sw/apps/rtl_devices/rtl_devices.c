// Uses the devices that exist in RTL only: APB timers (rtl/apb_timer) and DMA engines (rtl/dma_engine). It
// finds them in the device tree, so a node may have any number of them at any addresses.
//
//   rtl_devices [timers=1] [engines=1] [checkpoint=on] [reset=off]
//
// With reset=on the app first resets the node (a warm reset) while all devices are at work; afterwards, or
// after a loss of power, they must be at rest, and the counts zero. Each timer counts exactly and in time on
// both channels at once. Each engine copies bytes of any alignment, reports addresses at which nobody
// answers, writes code that has already been executed, and writes pages that the DIMM-SSD tracks for a
// checkpoint (checkpoint=off leaves this out).
//
// Exit status: 0 if all was right, 1 if a line says what was wrong, 2 a wrong argument, 3 if the node has
// fewer timers or engines than the arguments say, or no DIMM-SSD or power controller that is needed.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "apps/faults/holes.h"
#include "boot/arguments.h"
#include "boot/exit_status.h"
#include "boot/memory.h"
#include "drivers/apb_timer.h"
#include "drivers/device_tree.h"
#include "drivers/dimm_ssd.h"
#include "drivers/dma_engine.h"
#include "drivers/generic_timer.h"
#include "drivers/mmio.h"
#include "drivers/power.h"

typedef unsigned long long Printable;

static unsigned wrong;

static bool check(bool right, const char* device, unsigned number, const char* what) {
  if (right) return true;
  printf("rtl_devices: %s %u: WRONG: %s\n", device, number, what);
  ++wrong;
  return false;
}

// ---- timers ----

enum { periods = 20, period_us = 100, tolerance_us = 5 };

static uint64_t microseconds_between(uint64_t start, uint64_t end) {
  return (end - start) * 1000000 / generic_timer_frequency();
}

// When a channel was started: not before the first time, and not after the second one.
typedef struct {
  uint64_t first, last;
} Started;

static Started start(unsigned timer, unsigned channel, ApbTimerMode mode, unsigned prescale,
                     uint32_t compare) {
  const uint64_t first = generic_timer_now();
  apb_timer_start(timer, channel, mode, prescale, compare);
  return (Started){first, generic_timer_now()};
}

// Whether the channel's latest interrupt came `us` microseconds after its start.
static bool is_in_time(unsigned timer, unsigned channel, Started started, uint64_t us) {
  const uint64_t came = apb_timer_last(timer, channel);
  return microseconds_between(started.first, came) >= us &&
         microseconds_between(started.last, came) <= us + tolerance_us;
}

// Channel 0 interrupts in each period, channel 1 once in the middle of the one after the last of these.
static void use_timer(unsigned timer) {
  const uint64_t frequency = apb_timer_frequency(timer);
  if (!check(frequency != 0, "timer", timer, "the device tree does not say the frequency of its clock"))
    return;
  const uint32_t cycles = (uint32_t)(frequency * period_us / 1000000);
  const Started periodic = start(timer, 0, apb_timer_periodic, 0, cycles);
  const Started single = start(timer, 1, apb_timer_once, 1, (cycles * periods + cycles / 2) / 2);
  for (uint32_t period = 1; period <= periods; ++period) {
    apb_timer_await(timer, 0, period);
    if (!check(is_in_time(timer, 0, periodic, period * period_us), "timer", timer,
               "a periodic interrupt was not in time"))
      break;
  }
  apb_timer_await(timer, 1, 1);
  check(is_in_time(timer, 1, single, periods * period_us + period_us / 2), "timer", timer,
        "the single interrupt was not in time");
  check(apb_timer_interrupts(timer, 0) == periods && apb_timer_interrupts(timer, 1) == 1, "timer", timer,
        "interrupts are missing");
  check(apb_timer_overruns(timer, 0) == 0 && apb_timer_overruns(timer, 1) == 0, "timer", timer,
        "an interrupt was late by a period");
  apb_timer_stop(timer, 0);
  printf("rtl_devices: timer %u at %llu Hz: %u interrupts in intervals of %u us, 1 after %u us\n", timer,
         (Printable)frequency, (unsigned)apb_timer_interrupts(timer, 0), (unsigned)period_us,
         (unsigned)(periods * period_us + period_us / 2));
}

// ---- copies ----

enum { guard = 16, longest = 150 };

static uint8_t *from, *to;  // a page each

static uint8_t pattern(uint32_t i) { return (uint8_t)(i * 37 + (i >> 8) + 1); }

// Whether bytes [first, first + bytes) of `to` are those of `from` from `source` on, and those beside them
// untouched.
static bool is_copied(uint32_t first, uint32_t source, uint32_t bytes) {
  for (uint32_t i = 0; i < first + bytes + guard; ++i) {
    const bool inside = i >= first && i < first + bytes;
    if (to[i] != (inside ? from[source + i - first] : 0xee)) return false;
  }
  return true;
}

static void copy_bytes(unsigned engine) {
  static const uint8_t lengths[] = {0, 1, 2, 3, 4, 5, 7, 8, 63, 64, 65, 66, 67, longest};
  unsigned copies = 0;
  for (uint32_t i = 0; i < guard + 4 + longest; ++i) from[i] = pattern(i);
  for (uint32_t source = 0; source < 4; ++source)
    for (uint32_t first = guard; first < guard + 4; ++first)
      for (unsigned i = 0; i < sizeof lengths; ++i) {
        memset(to, 0xee, guard + 4 + longest + guard);
        const DmaEngineEnd end = dma_engine_copy(engine, to + first, from + source, lengths[i]);
        if (!check(end.error == dma_engine_ok && end.left == 0, "engine", engine, "a copy has failed"))
          return;
        if (!check(is_copied(first, source, lengths[i]), "engine", engine, "a copy is not exact")) return;
        ++copies;
      }
  check(dma_engine_done_interrupts(engine) == copies, "engine", engine, "interrupts of copies are missing");
  for (uint32_t i = 0; i < page_bytes; ++i) from[i] = pattern(i);
  dma_engine_copy(engine, from, from + 5, page_bytes - 5);
  bool right = true;
  for (uint32_t i = 0; i < page_bytes - 5; ++i) right = right && from[i] == pattern(i + 5);
  check(right, "engine", engine, "a copy to overlapping memory below is not exact");
  printf("rtl_devices: engine %u: %u copies of 0 to %u bytes with all alignments, 1 that overlaps\n", engine,
         copies, (unsigned)longest);
}

static void meet_errors(unsigned engine) {
  uint8_t* const hole = (uint8_t*)HOLE_ADDRESS;
  const uint32_t before = dma_engine_error_interrupts(engine);
  memset(to, 0xee, page_bytes);
  DmaEngineEnd end = dma_engine_copy(engine, to + 2, hole + 3, 20);
  check(end.error == dma_engine_read_error && end.error_address == HOLE_ADDRESS && end.left == 20, "engine",
        engine, "reads where nobody answers");
  bool untouched = true;
  for (uint32_t i = 0; i < 64; ++i) untouched = untouched && to[i] == 0xee;
  check(untouched, "engine", engine, "writes although a read has failed");
  end = dma_engine_copy(engine, hole + 7, from, 20);
  check(end.error == dma_engine_write_error && end.error_address == HOLE_ADDRESS + 4 && end.left == 20,
        "engine", engine, "writes where nobody answers");
  check(dma_engine_error_interrupts(engine) == before + 2, "engine", engine,
        "interrupts of errors are missing");
  end = dma_engine_copy(engine, to, from, 64);
  check(end.error == dma_engine_ok && memcmp(to, from, 64) == 0, "engine", engine, "no copy after an error");
  printf("rtl_devices: engine %u: 2 errors, at 0x%x and 0x%x\n", engine, HOLE_ADDRESS, HOLE_ADDRESS + 4);
}

// ---- code ----

// Functions that run at any address.
void return_one(void);
void return_two(void);
__asm__(
    ".text\n"
    ".balign 8\n"
    ".global return_one, return_two\n"
    "return_one: mov w0, #1\n ret\n"
    "return_two: mov w0, #2\n ret\n");
enum { code_bytes = 8, rewrites = 6 };

static void rewrite_code(unsigned engine) {
  unsigned (*volatile code)(void) = (unsigned (*)(void))(uintptr_t)to;
  for (unsigned i = 0; i < rewrites; ++i) {
    const unsigned expected = 1 + i % 2;
    dma_engine_copy(engine, to, (const void*)(uintptr_t)(expected == 1 ? return_one : return_two),
                    code_bytes);
    dma_engine_written_code(to, code_bytes);
    const unsigned first = code(), second = code();
    if (!check(first == expected && second == expected, "engine", engine, "old code is executed")) return;
  }
  printf("rtl_devices: engine %u: code at one place, written %u times and executed after each\n", engine,
         (unsigned)rewrites);
}

// ---- checkpoints ----

enum { page_count = 16 };

static struct {
  DimmSsdRequest request;
  uint64_t pages[page_count];
} descriptor __attribute__((aligned(8)));

static uint8_t *memory, *wanted;  // page_count pages each
static uint64_t last_version;

static DimmSsdError run(DimmSsdOperation operation, uint64_t version, DimmSsdMethod method) {
  memset(&descriptor.request, 0, sizeof descriptor.request);
  strcpy(descriptor.request.name, "rtl_devices");
  descriptor.request.version = version;
  descriptor.request.page_count = page_count;
  descriptor.request.method = method;
  for (uint32_t i = 0; i < page_count; ++i) descriptor.pages[i] = (uintptr_t)memory + i * page_bytes;
  return dimm_ssd_execute(operation, &descriptor.request);
}

static bool becomes_durable(void) {
  DimmSsdProgress progress = dimm_ssd_progress();
  while (progress.open > 0 && !progress.failed) {
    dimm_ssd_await_progress();
    progress = dimm_ssd_progress();
  }
  return !progress.failed;
}

static bool is_restored(uint64_t version) {
  for (uint32_t i = 0; i < page_count * page_bytes / 8; ++i) ((uint64_t*)memory)[i] = 0xdead;
  return run(dimm_ssd_restore, version, dimm_ssd_configured) == dimm_ssd_ok &&
         memcmp(memory, wanted, page_count * page_bytes) == 0;
}

// The engine writes pages that were saved by the checkpoint before: the next one must have what it wrote.
static void write_tracked_pages(unsigned engine, DimmSsdMethod method) {
  const uint64_t base = ++last_version, version = ++last_version;
  for (uint32_t i = 0; i < page_count * page_bytes; ++i) memory[i] = pattern(i + (uint32_t)base);
  bool right = run(dimm_ssd_checkpoint, base, method) == dimm_ssd_ok && becomes_durable();
  memcpy(wanted, memory, page_count * page_bytes);
  for (uint32_t page = 1; page < page_count; page += 3) {
    const uint32_t first = page * page_bytes - 3, bytes = 13;  // at both sides of a boundary of pages
    memcpy(wanted + first, from + 1, bytes);
    right = right && dma_engine_copy(engine, memory + first, from + 1, bytes).error == dma_engine_ok;
  }
  right = right && run(dimm_ssd_checkpoint, version, method) == dimm_ssd_ok && becomes_durable();
  check(right && is_restored(version), "engine", engine, "a checkpoint lacks what it wrote");
}

// The engine writes pages that a checkpoint has yet to copy: its writes wait, and the checkpoint has the
// contents before them.
static void write_pending_pages(unsigned engine) {
  const uint64_t version = ++last_version;
  for (uint32_t i = 0; i < page_count * page_bytes; ++i) memory[i] = pattern(i + (uint32_t)version);
  memcpy(wanted, memory, page_count * page_bytes);
  const uint32_t held = dimm_ssd_writes_held();
  bool right = run(dimm_ssd_checkpoint, version, dimm_ssd_late) == dimm_ssd_ok;
  for (uint32_t page = 0; page < page_count; ++page)
    right = right && dma_engine_copy(engine, memory + page * page_bytes + 1, from, 6).error == dma_engine_ok;
  right = right && becomes_durable();
  for (uint32_t page = 0; page < page_count; ++page)
    right = right && memcmp(memory + page * page_bytes + 1, from, 6) == 0;
  check(right, "engine", engine, "writes of pages that wait are lost");
  check(is_restored(version), "engine", engine, "a checkpoint has writes that came after it");
  printf("rtl_devices: engine %u: 3 checkpoints of pages that it writes, for which %u writes waited\n",
         engine, (unsigned)(dimm_ssd_writes_held() - held));
}

// ---- a warm reset ----

enum { before_copy = 0x11, copied = 0x22 };

static void reset_the_node(unsigned timers, unsigned engines) {
  memset(memory, before_copy, page_count * page_bytes);
  memset(wanted, copied, page_count * page_bytes);
  for (unsigned timer = 0; timer < timers; ++timer)
    for (unsigned channel = 0; channel < apb_timer_channels; ++channel)
      apb_timer_start(timer, channel, apb_timer_periodic, 0, apb_timer_frequency(timer) / 10000);
  for (unsigned engine = 0; engine < engines; ++engine)
    dma_engine_start(engine, memory, wanted, page_count * page_bytes);
  for (unsigned timer = 0; timer < timers; ++timer) apb_timer_await(timer, 1, 2);
  printf("rtl_devices: a warm reset while %u timers and %u engines are at work\n", timers, engines);
  power_warm_reset();
}

// The node has been reset by reset_the_node(), whose contents of memory are still there, or it has lost its
// power.
static void look_after_reset(unsigned timers, unsigned engines, bool has_kept_memory) {
  for (unsigned timer = 0; timer < timers; ++timer)
    for (unsigned channel = 0; channel < apb_timer_channels; ++channel)
      check(apb_timer_count(timer, channel) == 0 && apb_timer_interrupts(timer, channel) == 0, "timer", timer,
            "it did not stop at the reset");
  for (unsigned engine = 0; engine < engines; ++engine)
    check(
        !dma_engine_is_busy(engine) &&
            (!has_kept_memory || (memory[0] == copied && memory[page_count * page_bytes - 1] == before_copy)),
        "engine", engine, "its copy did not end at the reset");
}

// ---- ----

// The ID is the first register of both blocks. A driver ends its search at a block whose ID it does not know.
static bool find(const char* what, const char* compatible, unsigned found, uint64_t needed) {
  if (found >= needed) return true;
  Device next;
  if (device_tree_find_instance(compatible, found, &next))
    printf("rtl_devices: number %u of the %s (%s) has the ID 0x%08x, which the driver does not know\n", found,
           what, compatible, (unsigned)mmio_read(next.base));
  else
    printf("rtl_devices: %u %s (%s) in the device tree, %llu needed\n", found, what, compatible,
           (Printable)needed);
  return false;
}

int main(int argc, char** argv) {
  uint64_t timers_needed = 1, engines_needed = 1;
  bool checkpoint = true, reset = false;
  const Argument table[] = {
      {"timers", argument_number, &timers_needed, 0, apb_timer_limit,
       "APB timers that the node has at least"},
      {"engines", argument_number, &engines_needed, 0, dma_engine_limit, "DMA engines that it has at least"},
      {"checkpoint", argument_switch, &checkpoint, 0, 0, "write pages that the DIMM-SSD tracks"},
      {"reset", argument_switch, &reset, 0, 0, "reset the node first, while the devices are at work"},
  };
  if (!arguments_read(argc, argv, table, 4)) return exit_usage;
  const unsigned timers = apb_timer_probe(), engines = dma_engine_probe();
  if (!find("APB timers", "asterism,apb_timer", timers, timers_needed) ||
      !find("DMA engines", "asterism,dma_engine", engines, engines_needed))
    return exit_unavailable;
  if (checkpoint && !dimm_ssd_probe()) {
    printf("rtl_devices: no DIMM-SSD; checkpoint=off needs none\n");
    return exit_unavailable;
  }
  from = memory_allocate(page_bytes);
  to = memory_allocate(page_bytes);
  memory = memory_allocate(page_count * page_bytes);
  wanted = memory_allocate(page_count * page_bytes);
  if (wanted == NULL) {
    printf("rtl_devices: too little memory\n");
    return exit_unavailable;
  }
  if (reset) {
    if (!power_probe()) {
      printf("rtl_devices: no power controller, which reset=on needs\n");
      return exit_unavailable;
    }
    if (power_reset_cause() == reset_cold) reset_the_node(timers, engines);
    look_after_reset(timers, engines, power_reset_cause() == reset_warm);
  }
  for (unsigned timer = 0; timer < timers; ++timer) use_timer(timer);
  for (unsigned engine = 0; engine < engines; ++engine) {
    copy_bytes(engine);
    meet_errors(engine);
    rewrite_code(engine);
    if (!checkpoint) continue;
    write_tracked_pages(engine, dimm_ssd_consolidate);
    write_tracked_pages(engine, dimm_ssd_early_late);
    write_pending_pages(engine);
  }
  printf("rtl_devices: %u timer%s, %u engine%s, %u wrong\n", timers, timers == 1 ? "" : "s", engines,
         engines == 1 ? "" : "s", wrong);
  return wrong == 0 ? exit_passed : exit_failed;
}
