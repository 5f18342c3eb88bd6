#include "drivers/rtc.h"

#include "asterism/platform.h"
#include "drivers/device_tree.h"
#include "drivers/mmio.h"

uint32_t rtc_seconds(void) {
  Device rtc;
  const uint64_t base = device_tree_find("arm,pl031", &rtc) ? rtc.base : RTC_BASE;
  return mmio_read(base + RTC_DR);
}
