// A device with a memory of its own, such as a GPU, says how often it has failed.
#pragma once

#include <string>

namespace asterism {

class ReportsMemoryErrors {
 public:
  virtual ~ReportsMemoryErrors() = default;
  // As NodeMemory::summary (device_roles.h): the failures in words, "" if there are none.
  virtual std::string memory_summary() const = 0;
};

}  // namespace asterism
