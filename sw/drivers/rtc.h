// PL031 real time clock (Arm DDI 0224): seconds since 1970.
#pragma once

#include <stdint.h>

uint32_t rtc_seconds(void);
