// The implementation of arbitration in a fabric's switches: the model, RTL in place of it, or both in
// lockstep.
#pragma once

#include <string>
#include <vector>

#include "base/swap_config.h"

namespace asterism {

class Fields;

struct ArbiterConfig {
  Impl impl = Impl::model;
  std::string variant = "rtl/lrg_arbiter/block.json";
  std::vector<std::string> routers = {};  // if empty, all routers
  OnMismatch on_mismatch = OnMismatch::stop;
  SwapTrace trace = {};
};
void describe(Fields& f, ArbiterConfig& config);

}  // namespace asterism
