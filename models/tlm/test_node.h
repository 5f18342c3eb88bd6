// For tests: a node without other devices, for the context of one.
#pragma once

#include "tlm/device.h"

namespace asterism {

struct NoNode final : NodeView {
  unsigned cores() const override { return 1; }
  std::optional<Peer> find(const std::string&) const override { return std::nullopt; }
};

}  // namespace asterism
