// What the device's errors are to the callers of the checkpoint library.
#pragma once

#include "checkpoint/checkpoint.h"

CheckpointStatus status_of(DimmSsdError error);
