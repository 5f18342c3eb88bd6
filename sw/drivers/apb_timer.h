// Driver of APB timers (rtl/apb_timer): two independent channels each, which interrupt once or periodically.
// They are found in the device tree by "asterism,apb_timer", in whose order they are numbered. Call all
// functions on the core that called apb_timer_probe().
//
//   const unsigned timers = apb_timer_probe();
//   apb_timer_start(0, 1, apb_timer_periodic, 0, apb_timer_frequency(0) / 1000);  a thousand times a second
//   apb_timer_await(0, 1, 5);                                                     sleeps until the fifth
#pragma once

#include <stdint.h>

enum { apb_timer_limit = 8, apb_timer_channels = 2, apb_timer_prescale_limit = 15 };

typedef enum { apb_timer_once = 0, apb_timer_periodic = 1 } ApbTimerMode;

unsigned apb_timer_probe(void);                // the number of timers; the calling core gets their interrupts
uint32_t apb_timer_frequency(unsigned timer);  // of its clock in Hz; 0 if the device tree does not say it

// Starts the channel, also one that runs. It interrupts `compare` << `prescale` clock cycles later.
void apb_timer_start(unsigned timer, unsigned channel, ApbTimerMode mode, unsigned prescale,
                     uint32_t compare);
void apb_timer_stop(unsigned timer, unsigned channel);
uint32_t apb_timer_count(unsigned timer,
                         unsigned channel);  // steps of 2^prescale cycles since the last match

// Interrupts since the channel was started, and those before whose end the next match came: an interrupt was
// lost then.
uint32_t apb_timer_interrupts(unsigned timer, unsigned channel);
uint32_t apb_timer_overruns(unsigned timer, unsigned channel);
uint64_t apb_timer_last(unsigned timer, unsigned channel);  // generic_timer_now() in the last interrupt

// Sleeps until the channel has had so many interrupts since it was started.
void apb_timer_await(unsigned timer, unsigned channel, uint32_t interrupts);
