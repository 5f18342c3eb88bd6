// An error of the host, not of what the user has given.
#pragma once

#include "platform/config/diagnostics.h"

namespace asterism {

// A file that was opened cannot be written to the end, for example because the disk is full.
class OutputFailure : public ConfigError {
 public:
  using ConfigError::ConfigError;
};

}  // namespace asterism
