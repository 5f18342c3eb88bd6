// What the device's errors are to the callers of the checkpoint library.
#pragma once

#include "checkpoint/checkpoint.h"
#include "drivers/pcram.h"

CheckpointStatus status_of(DimmSsdError error);
CheckpointStatus status_of_pcram(PcramError error);
