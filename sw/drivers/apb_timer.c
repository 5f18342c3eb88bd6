#include "drivers/apb_timer.h"

#include <stdbool.h>

#include "asterism/platform.h"
#include "boot/interrupts.h"
#include "drivers/device_tree.h"
#include "drivers/generic_timer.h"
#include "drivers/gic.h"
#include "drivers/mmio.h"

// The registers of channel 1 are as far behind those of channel 0 as the first of them.
enum { channel_bytes = APB_TIMER_CONTROL1 - APB_TIMER_CONTROL0 };
enum {
  id_value = 0x54494d31,
  control_enable = APB_TIMER_CONTROL0_ENABLE_MASK,
  control_periodic = APB_TIMER_CONTROL0_PERIODIC_MASK,
  match = APB_TIMER_STATUS0_MATCH_MASK,
  overrun = APB_TIMER_STATUS0_OVERRUN_MASK,
};

typedef struct {
  volatile uint32_t interrupts, overruns;
  volatile uint64_t last;
} Channel;

static Device devices[apb_timer_limit];
static Channel channels[apb_timer_limit][apb_timer_channels];
static unsigned timers;
static volatile bool happened;

// `offset` is that of the register of channel 0.
static uint64_t at(unsigned timer, unsigned channel, uint32_t offset) {
  return devices[timer].base + offset + channel * channel_bytes;
}

// Both lines of all timers have this handler.
static void collect(void) {
  const uint64_t now = generic_timer_now();
  for (unsigned timer = 0; timer < timers; ++timer)
    for (unsigned channel = 0; channel < apb_timer_channels; ++channel) {
      const uint32_t causes = mmio_read(at(timer, channel, APB_TIMER_PENDING0));
      if (causes == 0) continue;
      mmio_write(at(timer, channel, APB_TIMER_CLEAR0), causes);
      Channel* const state = &channels[timer][channel];
      if ((causes & match) != 0) {
        ++state->interrupts;
        state->last = now;
      }
      if ((causes & overrun) != 0) ++state->overruns;
      happened = true;
    }
}

unsigned apb_timer_probe(void) {
  timers = 0;
  while (timers < apb_timer_limit &&
         device_tree_find_instance("asterism,apb_timer", timers, &devices[timers]) &&
         mmio_read(devices[timers].base + APB_TIMER_ID) == id_value) {
    for (unsigned channel = 0; channel < apb_timer_channels; ++channel) {
      mmio_write(at(timers, channel, APB_TIMER_CONTROL0), 0);
      mmio_write(at(timers, channel, APB_TIMER_CLEAR0), match | overrun);
      mmio_write(at(timers, channel, APB_TIMER_MASK0), match | overrun);
    }
    ++timers;
  }
  for (unsigned timer = 0; timer < timers; ++timer) {
    gic_enable(devices[timer].interrupt, collect);
    gic_enable(devices[timer].second_interrupt, collect);
  }
  interrupts_unmask();
  return timers;
}

uint32_t apb_timer_frequency(unsigned timer) { return devices[timer].clock_frequency; }

void apb_timer_start(unsigned timer, unsigned channel, ApbTimerMode mode, unsigned prescale,
                     uint32_t compare) {
  apb_timer_stop(timer, channel);
  channels[timer][channel] = (Channel){0};
  mmio_write(at(timer, channel, APB_TIMER_PRESCALE0), prescale);
  mmio_write(at(timer, channel, APB_TIMER_COMPARE0), compare);
  mmio_write(at(timer, channel, APB_TIMER_CONTROL0),
             control_enable | (mode == apb_timer_periodic ? control_periodic : 0));
}

// An interrupt that came before is not counted any more.
void apb_timer_stop(unsigned timer, unsigned channel) {
  interrupts_mask();
  mmio_write(at(timer, channel, APB_TIMER_CONTROL0), 0);
  mmio_write(at(timer, channel, APB_TIMER_CLEAR0), match | overrun);
  interrupts_unmask();
}

uint32_t apb_timer_count(unsigned timer, unsigned channel) {
  return mmio_read(at(timer, channel, APB_TIMER_COUNT0));
}

uint32_t apb_timer_interrupts(unsigned timer, unsigned channel) {
  return channels[timer][channel].interrupts;
}
uint32_t apb_timer_overruns(unsigned timer, unsigned channel) { return channels[timer][channel].overruns; }
uint64_t apb_timer_last(unsigned timer, unsigned channel) { return channels[timer][channel].last; }

void apb_timer_await(unsigned timer, unsigned channel, uint32_t interrupts) {
  while (channels[timer][channel].interrupts < interrupts) {
    happened = false;
    if (channels[timer][channel].interrupts < interrupts) sleep_until(&happened);
  }
}
