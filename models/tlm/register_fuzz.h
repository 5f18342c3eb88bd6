// For tests: random accesses of a guest to a device's registers, one at a time. Values that software is
// likely to write are frequent, so that commands get past their first checks.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "base/random.h"
#include "tlm/register.h"
#include "tlm/test_initiator.h"

namespace asterism {

class RegisterFuzz {
 public:
  // `list` is a list of the device's registers; `likely` are plausible values: addresses, sizes.
  RegisterFuzz(TestInitiator& cpu, const RegisterBank& list, std::vector<std::uint32_t> likely,
               std::uint64_t seed)
      : cpu_(cpu), registers_(list.registers()), likely_(std::move(likely)), random(seed) {}

  void touch() {
    const Register& reg = *registers_[random.below(registers_.size())];
    const std::uint64_t offset = reg.offset() + random.below(reg.count()) * reg.stride();
    if (random.below(4) == 0)
      cpu_.read32(offset);
    else
      cpu_.write32(offset, value());
    EXPECT_EQ(cpu_.status, tlm::TLM_OK_RESPONSE) << reg.name();
  }

 private:
  std::uint32_t value() {
    switch (random.below(8)) {
      case 0:
        return static_cast<std::uint32_t>(random.next());
      case 1:
        return 1u << random.below(32);
      case 2:
        return random.below(2) ? ~0u : 0u;
      case 3:
        return static_cast<std::uint32_t>(random.below(9));
      default:
        return likely_[random.below(likely_.size())];
    }
  }

  TestInitiator& cpu_;
  std::vector<const Register*> registers_;
  std::vector<std::uint32_t> likely_;

 public:
  Random random;  // for use by the test
};

}  // namespace asterism
