// Asynchronous checkpoints: the statuses that the library returns while they are pending, durable and failed.
#include <gtest/gtest.h>

#include <cstring>

#include "checkpoint/test_machine.h"

extern "C" {
#include "checkpoint/checkpoint.h"
}

namespace {

class AsynchronousTest : public testing::Test {
 protected:
  void SetUp() override {
    machine.reset();
    ASSERT_EQ(checkpoint_initialize(), checkpoint_ok);
    checkpoint_use_method(dimm_ssd_late);
    checkpoint_protect(0, memory, sizeof memory);
  }
  ~AsynchronousTest() override {  // all tests share the library
    machine.failure_at_wait = dimm_ssd_ok;
    checkpoint_wait(checkpoint_any_version);
    checkpoint_use_method(dimm_ssd_configured);
  }
  static CheckpointStatus begin(std::uint64_t version) {
    std::memset(memory, static_cast<int>(version), sizeof memory);
    return checkpoint_begin("a", version);
  }
  static std::uint64_t newest() {
    std::uint64_t version = 0;
    return checkpoint_find_newest("a", checkpoint_any_version, &version) == checkpoint_ok ? version : 0;
  }
  alignas(4096) static inline std::uint8_t memory[2 * 4096 + 100];
};

TEST_F(AsynchronousTest, BeginReturnsWhileTheCheckpointIsPending) {
  ASSERT_EQ(begin(1), checkpoint_ok);
  EXPECT_EQ(checkpoint_level_status(checkpoint_dimm_ssd), checkpoint_pending);
  EXPECT_EQ(checkpoint_test(1), checkpoint_pending);
  EXPECT_EQ(newest(), 0u);
  machine.make_durable();
  EXPECT_EQ(checkpoint_test(1), checkpoint_ok);
  EXPECT_EQ(newest(), 1u);
}

TEST_F(AsynchronousTest, LaterWritesBelongToTheNextCheckpoint) {
  begin(1);
  begin(2);
  EXPECT_EQ(checkpoint_wait(1), checkpoint_ok);
  ASSERT_EQ(checkpoint_restore("a", 1), checkpoint_ok);
  EXPECT_EQ(memory[0], 1);
  EXPECT_EQ(memory[sizeof memory - 1], 1) << "this byte is in the staging pages";
}

TEST_F(AsynchronousTest, WaitOfAVersionLeavesLaterOnesPending) {
  for (const std::uint64_t version : {1u, 2u, 3u}) ASSERT_EQ(begin(version), checkpoint_ok);
  EXPECT_EQ(checkpoint_wait(2), checkpoint_ok);
  EXPECT_EQ(checkpoint_test(1), checkpoint_ok);
  EXPECT_EQ(checkpoint_test(3), checkpoint_pending);
  EXPECT_EQ(checkpoint_wait(checkpoint_any_version), checkpoint_ok);
  EXPECT_EQ(checkpoint_test(3), checkpoint_ok);
}

TEST_F(AsynchronousTest, WriteWaitsWhateverTheMethod) {
  ASSERT_EQ(checkpoint_write("a", 1), checkpoint_ok);
  EXPECT_EQ(checkpoint_level_status(checkpoint_dimm_ssd), checkpoint_ok);
  EXPECT_EQ(newest(), 1u);
}

TEST_F(AsynchronousTest, MethodsThatStopSoftwareAreDurableWhenBeginReturns) {
  for (const DimmSsdMethod method :
       {dimm_ssd_configured, dimm_ssd_stop_and_copy, dimm_ssd_consolidate, dimm_ssd_early}) {
    checkpoint_use_method(method);
    ASSERT_EQ(begin(method + 1u), checkpoint_ok);
    EXPECT_EQ(checkpoint_test(method + 1u), checkpoint_ok);
  }
  EXPECT_EQ(machine.methods, (std::vector<std::uint32_t>{0, 1, 4, 5}));
}

TEST_F(AsynchronousTest, TheNextBeginReportsAFailureOnce) {
  begin(1);
  begin(2);
  machine.fail(dimm_ssd_no_space);
  EXPECT_EQ(begin(3), checkpoint_no_space);
  EXPECT_EQ(checkpoint_test(3), checkpoint_not_found) << "version 3 was not begun";
  EXPECT_EQ(checkpoint_test(1), checkpoint_no_space);
  EXPECT_EQ(checkpoint_test(2), checkpoint_no_space) << "it must fail with the version before it";
  EXPECT_EQ(begin(3), checkpoint_ok);
  EXPECT_EQ(checkpoint_wait(3), checkpoint_ok);
}

TEST_F(AsynchronousTest, AReportedFailureIsNotReportedAgain) {
  begin(1);
  machine.failure_at_wait = dimm_ssd_worn_out;
  EXPECT_EQ(checkpoint_wait(1), checkpoint_worn_out);
  EXPECT_EQ(begin(2), checkpoint_ok);
  EXPECT_EQ(checkpoint_wait(checkpoint_any_version), checkpoint_ok);
}

TEST_F(AsynchronousTest, WaitForAllReportsTheFirstFailure) {
  begin(1);
  machine.make_durable();
  begin(2);
  machine.failure_at_wait = dimm_ssd_bus_error;
  EXPECT_EQ(checkpoint_wait(checkpoint_any_version), checkpoint_device_error);
  EXPECT_EQ(checkpoint_wait(checkpoint_any_version), checkpoint_ok);
  EXPECT_EQ(newest(), 1u);
}

TEST_F(AsynchronousTest, VersionsBeforeTheFailureStayDurable) {
  begin(1);
  begin(2);
  begin(3);
  machine.make_durable();
  machine.fail(dimm_ssd_no_space);
  EXPECT_EQ(checkpoint_test(1), checkpoint_ok);
  EXPECT_EQ(checkpoint_test(2), checkpoint_no_space);
  EXPECT_EQ(checkpoint_test(3), checkpoint_no_space);
}

TEST_F(AsynchronousTest, AbortAbandonsPendingVersions) {
  begin(1);
  machine.make_durable();
  begin(2);
  EXPECT_EQ(checkpoint_abort(), checkpoint_ok);
  EXPECT_EQ(checkpoint_test(1), checkpoint_ok);
  EXPECT_EQ(checkpoint_test(2), checkpoint_aborted);
  EXPECT_EQ(begin(3), checkpoint_ok) << "the abort must have reported the failure";
  EXPECT_EQ(checkpoint_abort(), checkpoint_ok);
  EXPECT_EQ(checkpoint_abort(), checkpoint_ok) << "no version is pending";
  EXPECT_EQ(newest(), 1u);
}

TEST_F(AsynchronousTest, OtherRegionsAndNamesAreBusyWhileOneIsPending) {
  begin(1);
  EXPECT_EQ(checkpoint_begin("b", 1), checkpoint_ok) << "it must wait for the version of the same number";
  EXPECT_EQ(checkpoint_begin("c", 2), checkpoint_busy);
  checkpoint_protect(1, memory, 4096);
  EXPECT_EQ(checkpoint_begin("b", 3), checkpoint_busy);
  EXPECT_EQ(checkpoint_wait(checkpoint_any_version), checkpoint_ok) << "the busy begin was reported at once";
  EXPECT_EQ(checkpoint_begin("b", 3), checkpoint_ok);
}

TEST_F(AsynchronousTest, ARefusedVersionAfterAPendingOneIsNoLoss) {
  begin(1);
  machine.next_error = dimm_ssd_bad_descriptor;
  EXPECT_EQ(begin(2), checkpoint_device_error);
  begin(3);
  machine.make_durable();
  EXPECT_EQ(checkpoint_test(1), checkpoint_ok);
  EXPECT_EQ(checkpoint_test(2), checkpoint_device_error);
  EXPECT_EQ(checkpoint_test(3), checkpoint_pending);
}

TEST_F(AsynchronousTest, AVersionOfTheSameNumberWaitsForTheFirst) {
  begin(1);
  EXPECT_EQ(begin(1), checkpoint_ok);
  EXPECT_EQ(machine.open.size(), 1u);
  EXPECT_EQ(machine.flash.size(), 1u);
}

TEST_F(AsynchronousTest, RestoreAndDiscardWaitForPendingVersions) {
  begin(1);
  EXPECT_EQ(checkpoint_restore("a", 1), checkpoint_ok);
  begin(2);
  EXPECT_EQ(checkpoint_discard("a", 1), checkpoint_ok);
  EXPECT_EQ(machine.open.size(), 1u) << "version 2 must still be pending";
  EXPECT_EQ(checkpoint_discard("a", 2), checkpoint_ok);
  EXPECT_TRUE(machine.flash.empty());
}

TEST_F(AsynchronousTest, TheLastSixteenAreRemembered) {
  for (std::uint64_t version = 1; version <= 20; ++version) ASSERT_EQ(begin(version), checkpoint_ok);
  EXPECT_EQ(checkpoint_test(4), checkpoint_not_found);
  EXPECT_EQ(newest(), 4u) << "the begin must have waited for version 4, to free an entry";
  EXPECT_EQ(checkpoint_test(5), checkpoint_pending);
}

TEST_F(AsynchronousTest, ShadowPagesDefaultToThoseOfTheRegions) {
  EXPECT_EQ(checkpoint_pages(), 4u);
  EXPECT_EQ(checkpoint_use_shadow(0), checkpoint_ok);
  EXPECT_EQ(machine.shadow_pages, 4u);
  EXPECT_EQ(checkpoint_use_shadow(64), checkpoint_ok);
  EXPECT_EQ(machine.shadow_pages, 64u);
  EXPECT_EQ(checkpoint_use_shadow(65), checkpoint_too_large);
}

TEST_F(AsynchronousTest, LevelOneIsSafeAtOnceAndLevelTwoLater) {
  ASSERT_EQ(checkpoint_use_memory(sizeof memory, 2), checkpoint_ok);
  begin(1);
  EXPECT_EQ(checkpoint_level_status(checkpoint_dimm_ssd), checkpoint_not_asked);
  EXPECT_EQ(checkpoint_test(1), checkpoint_ok);
  begin(2);
  EXPECT_EQ(checkpoint_level_status(checkpoint_memory), checkpoint_ok);
  EXPECT_EQ(checkpoint_level_status(checkpoint_dimm_ssd), checkpoint_pending);
  EXPECT_EQ(newest(), 2u) << "version 2 is in memory";
  machine.fail(dimm_ssd_no_space);
  EXPECT_EQ(begin(3), checkpoint_ok) << "version 2 is safe on level 1";
  EXPECT_EQ(checkpoint_test(2), checkpoint_no_space);
}

TEST_F(AsynchronousTest, WithoutADeviceNothingIsPending) {
  machine.has_dimm_ssd = false;
  checkpoint_initialize();
  checkpoint_protect(0, memory, 8);
  EXPECT_EQ(begin(1), checkpoint_no_device);
  EXPECT_EQ(checkpoint_test(1), checkpoint_not_found);
  EXPECT_EQ(checkpoint_abort(), checkpoint_no_device);
  EXPECT_EQ(checkpoint_use_shadow(1), checkpoint_no_device);
}

// Each DIMM-SSD has regions, a method and pending versions of its own.
TEST_F(AsynchronousTest, TwoDimmSsdsAreSeparate) {
  alignas(4096) static std::uint8_t own[CHECKPOINT_OWN_BYTES], beside[4096];
  machine.dimm_ssds = 2;
  ASSERT_EQ(begin(1), checkpoint_ok);
  ASSERT_EQ(checkpoint_select(1, own), checkpoint_ok);
  EXPECT_EQ(checkpoint_begin("a", 1), checkpoint_no_device) << "it is not initialized";
  ASSERT_EQ(checkpoint_initialize(), checkpoint_ok);
  EXPECT_EQ(checkpoint_begin("a", 1), checkpoint_bad_argument) << "it has no regions";
  checkpoint_protect(7, beside, sizeof beside);
  std::memset(beside, 3, sizeof beside);
  ASSERT_EQ(checkpoint_begin("a", 5), checkpoint_ok);
  EXPECT_EQ(checkpoint_test(5), checkpoint_ok) << "its method is the configured one, which stops software";
  EXPECT_EQ(checkpoint_test(1), checkpoint_not_found);
  const auto& pages = machine.flash.at({"a", 5});
  EXPECT_EQ(pages.size(), 2u);
  EXPECT_EQ(newest(), 5u);
  ASSERT_EQ(checkpoint_select(0, nullptr), checkpoint_ok);
  EXPECT_EQ(checkpoint_test(1), checkpoint_pending);
  machine.make_durable();
  EXPECT_EQ(checkpoint_test(1), checkpoint_ok);
  EXPECT_EQ(newest(), 1u);
  ASSERT_EQ(checkpoint_select(1, nullptr), checkpoint_ok);
  std::memset(beside, 4, sizeof beside);
  ASSERT_EQ(checkpoint_restore("a", 5), checkpoint_ok);
  EXPECT_EQ(beside[4095], 3);
  EXPECT_EQ(memory[0], 1);
  EXPECT_EQ(checkpoint_use_memory(4096, 0), checkpoint_bad_argument);
  EXPECT_EQ(checkpoint_use_pcram(0, true), checkpoint_bad_argument);
  ASSERT_EQ(checkpoint_select(0, nullptr), checkpoint_ok);
}

TEST_F(AsynchronousTest, ASelectionThatIsImpossibleChangesNothing) {
  alignas(4096) static std::uint8_t own[CHECKPOINT_OWN_BYTES];
  ASSERT_EQ(begin(1), checkpoint_ok);
  EXPECT_EQ(checkpoint_select(3, own), checkpoint_no_device);
  EXPECT_EQ(checkpoint_select(99, own), checkpoint_no_device);
  machine.dimm_ssds = 3;
  EXPECT_EQ(checkpoint_select(2, nullptr), checkpoint_bad_argument);
  EXPECT_EQ(checkpoint_select(2, own + 8), checkpoint_bad_argument);
  EXPECT_EQ(checkpoint_test(1), checkpoint_pending);
}

}  // namespace
