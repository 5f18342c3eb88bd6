// For tests: checks that the registers of a newly built device have the reset values of the register list.
// Registers whose reset value varies are skipped. Debug reads are used, which have no side effects.
#pragma once

#include <gtest/gtest.h>

#include "tlm/register.h"
#include "tlm/test_initiator.h"

namespace asterism {

// `list` is a new instance, and `cpu` is bound to the device's registers.
inline void expect_reset_values(TestInitiator& cpu, const RegisterBank& list) {
  for (const Register* reg : list.registers()) {
    if (!reg->has_fixed_reset_value()) continue;
    for (unsigned i = 0; i < reg->count(); ++i) {
      std::uint32_t value = 0;
      cpu.debug(tlm::TLM_READ_COMMAND, reg->offset() + i * reg->stride(), &value, sizeof value);
      EXPECT_EQ(value, reg->peek(i, first_core)) << list.device() << "." << reg->name() << " " << i;
    }
  }
}

}  // namespace asterism
