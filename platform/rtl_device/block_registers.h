// The registers of a block, as its block.json lists them: what software and debuggers see. Nothing is stored
// in them; the values are in the RTL.
#pragma once

#include <deque>

#include "platform/rtl/block_config.h"
#include "tlm/register.h"

namespace asterism {

class BlockRegisters final : public RegisterBank {
 public:
  // `block` has the contract bus_device.
  explicit BlockRegisters(const BlockConfig& block);

 private:
  std::deque<Register> registers_;
};

}  // namespace asterism
