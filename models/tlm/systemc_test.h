// GoogleTest cases whose body runs as a SystemC thread, so that it may wait and observe simulated time.
//
//   struct RtcTest : SystemCTest { RtcModule rtc{"rtc"}; ... };
//   SYSTEMC_TEST_F(RtcTest, MatchInterruptsExactlyOneSecondLater) {
//     cpu.write32(rtc::match, cpu.read32(rtc::data) + 1);
//     expect_earliest(start + 1_s, [&] { return irq.read(); });
//   }
//
// SystemC elaborates once per process. CTest runs every case in its own process; a binary that is started by
// hand with several cases selected starts itself again for each.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <systemc>

#include "base/units.h"
#include "tlm/time.h"

namespace asterism {

class SystemCTest : public testing::Test {
 protected:
  virtual void body() = 0;
  // Runs the simulation until the body returns; a body that never returns (deadlock) is a failure.
  void run();

  // Waits until `at`, and expects that `condition` becomes true exactly then: it must be false a picosecond
  // before.
  void expect_earliest(Picoseconds at, const std::function<bool()>& condition);
  static void wait_until(Picoseconds at);
  static void wait_for(Picoseconds time) { sc_core::wait(to_sc_time(time)); }
  // Lets delta cycles pass, for example for a signal that was just written.
  static void settle() { sc_core::wait(sc_core::SC_ZERO_TIME), sc_core::wait(sc_core::SC_ZERO_TIME); }
};

}  // namespace asterism

// Like TEST_F, but with a class between fixture and case, which TEST_F does not allow. Therefore it uses the
// macro on which GoogleTest builds TEST_F.
#define SYSTEMC_TEST_F(Fixture, Name)                                                                       \
  class Fixture##_##Name##_Body : public Fixture {                                                          \
   protected:                                                                                               \
    void body() override;                                                                                   \
  };                                                                                                        \
  GTEST_TEST_(Fixture, Name, Fixture##_##Name##_Body, ::testing::internal::GetTypeId<Fixture>()) { run(); } \
  void Fixture##_##Name##_Body::body()
