#include "drivers/rtc.h"

#include "asterism/platform.h"
#include "drivers/mmio.h"

uint32_t rtc_seconds(void) { return mmio_read(RTC_BASE); }
