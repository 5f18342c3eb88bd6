// Drives the real-time clock through its contract, for a lockstep with RTL: pseudo-random accesses to all
// registers, in words, halves and bytes, and alarms with and without the interrupt.
//
//   stress_rtc [rounds=6] [accesses=80]
//
// Between two accesses it waits for 20 us, so that RTL with a slow clock keeps up. Exit status: 0 each alarm
// came in its second, 1 one did not, 3 there is no such clock.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "asterism/platform.h"
#include "boot/arguments.h"
#include "boot/exit_status.h"
#include "boot/interrupts.h"
#include "drivers/device_tree.h"
#include "drivers/generic_timer.h"
#include "drivers/gic.h"
#include "drivers/mmio.h"

enum { first_identity = RTC_ID, identities = 8 };

static Device rtc;
static volatile bool woken, rang;
static unsigned wrong;

static void wake(void) { woken = true; }

static void wait(uint64_t microseconds) {
  woken = false;
  generic_timer_alarm(generic_timer_now() + generic_timer_ticks(microseconds), wake);
  sleep_until(&woken);
}

static uint32_t get(uint64_t offset) {
  wait(20);
  return mmio_read(rtc.base + offset);
}

static void set(uint64_t offset, uint32_t value) {
  wait(20);
  mmio_write(rtc.base + offset, value);
}

static void ring(void) {
  mmio_write(rtc.base + RTC_ICR, 1);
  rang = true;
}

static uint32_t next_random(void) {  // xorshift32, Marsaglia 2003
  static uint32_t state = 2463534242;
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

// An access to any register but IMSC, or to none, of any size.
static void any_access(void) {
  static const uint16_t offsets[] = {RTC_DR,  RTC_MR,  RTC_LR, RTC_CR, RTC_RIS,
                                     RTC_MIS, RTC_ICR, 0x020,  RTC_ID};
  const uint32_t random = next_random(), value = next_random();
  const uint64_t address = rtc.base + offsets[random % (sizeof offsets / sizeof *offsets)];
  const unsigned byte = random >> 8 & 3;
  const bool writes = (random >> 10 & 1) != 0;
  wait(20);
  switch (random >> 11 & 3) {
    case 0: {
      volatile uint8_t* const at = (volatile uint8_t*)(uintptr_t)(address + byte);
      if (writes)
        *at = (uint8_t)value;
      else
        (void)*at;
      break;
    }
    case 1: {
      volatile uint16_t* const at = (volatile uint16_t*)(uintptr_t)(address + (byte & 2));
      if (writes)
        *at = (uint16_t)value;
      else
        (void)*at;
      break;
    }
    default:
      if (writes)
        mmio_write(address, value);
      else
        (void)mmio_read(address);
  }
}

static void check(bool right, const char* what) {
  if (right) return;
  printf("stress_rtc: %s: NO\n", what);
  ++wrong;
}

// An alarm that stays below the mask, while a later one is set.
static void masked_alarm(void) {
  set(RTC_IMSC, 0);
  set(RTC_ICR, 1);
  set(RTC_MR, get(RTC_DR) + 1);
  wait(1100000);
  check(get(RTC_RIS) == 1 && get(RTC_MIS) == 0, "a masked alarm is raised and does not reach the line");
  set(RTC_MR, get(RTC_DR) + 1000);
  check(get(RTC_RIS) == 1, "it stays raised while another one is set");
  set(RTC_ICR, 0);
  check(get(RTC_RIS) == 0, "it is cleared");
}

static void alarm_interrupts(void) {
  rang = false;
  const uint32_t match = get(RTC_DR) + 2;
  set(RTC_IMSC, 1);
  set(RTC_MR, match);
  sleep_until(&rang);
  check(get(RTC_DR) == match, "an alarm comes in its second");
  set(RTC_IMSC, 0);
}

int main(int argc, char** argv) {
  uint64_t rounds = 6, accesses = 80;
  const Argument table[] = {
      {"rounds", argument_number, &rounds, 1, 1000, "alarms of each kind"},
      {"accesses", argument_number, &accesses, 0, 100000, "pseudo-random accesses before them"},
  };
  if (!arguments_read(argc, argv, table, 2)) return exit_usage;
  if (!device_tree_find("arm,pl031", &rtc)) return exit_unavailable;
  gic_enable(rtc.interrupt, ring);
  for (unsigned i = 0; i < identities; ++i) get(first_identity + 4 * i);
  for (uint64_t round = 0; round < rounds; ++round) {
    for (uint64_t i = 0; i < accesses; ++i) any_access();
    check(get(RTC_IMSC) == 0, "the mask is as it was");
    masked_alarm();
    alarm_interrupts();
  }
  printf("stress_rtc: %u wrong\n", wrong);
  return wrong == 0 ? exit_passed : exit_failed;
}
