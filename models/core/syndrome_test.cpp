#include "core/syndrome.h"

#include <gtest/gtest.h>

#include "core/iss.h"

namespace asterism {
namespace {

TEST(Syndrome, IsDescribedInWords) {
  EXPECT_EQ(describe_syndrome(esr::make(0x25, 0x46)), "data abort by a store: translation fault, level 2");
  EXPECT_EQ(describe_syndrome(esr::make(0x24, 0x0f)), "data abort by a load: permission fault, level 3");
  EXPECT_EQ(describe_syndrome(esr::make(0x21, 0x10)), "instruction abort: external abort");
  EXPECT_EQ(describe_syndrome(esr::make(0x25, 0x21)), "data abort by a load: alignment fault");
  EXPECT_EQ(describe_syndrome(esr::make(0x2f, esr::serror_bus_error)), "SError: bus error");
  EXPECT_EQ(describe_syndrome(esr::make(0x2f, esr::serror_bus_error), true), "SError: poisoned data");
  EXPECT_EQ(describe_syndrome(esr::make(esr::ec_data_abort, esr::synchronous_external_abort), true),
            "data abort by a load: poisoned data");
  EXPECT_EQ(describe_syndrome(esr::make(0x3c, 0x3e8)), "BRK #0x3e8");
  EXPECT_EQ(describe_syndrome(esr::make(0x00, 0)), "undefined instruction");
  EXPECT_EQ(describe_syndrome(esr::make(0x3f, 0)), "class 0x3f");
}

}  // namespace
}  // namespace asterism
