// The configuration of a NIC.
#pragma once

#include <string>

namespace asterism {

class Fields;

struct NicConfig {
  std::string dma = "memory";
  std::string network = {};
};
void describe(Fields& f, NicConfig& config);

}  // namespace asterism
