// Converts errors of the devices to the statuses of the checkpoint library.
#pragma once

#include "checkpoint/checkpoint.h"
#include "drivers/pcram.h"

CheckpointStatus status_of(DimmSsdError error);
CheckpointStatus status_of_pcram(PcramError error);
