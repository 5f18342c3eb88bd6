// The choice between the two root pages after power-up, in every state in which a power failure may leave
// them.
#include "dimm_ssd/checkpoint_log_rig.h"
#include "flash/translation_fixture.h"

namespace asterism {
namespace {

using Versions = std::vector<std::uint64_t>;
using Page = std::vector<std::byte>;

struct CheckpointLogRoots : testing::Test {
  LogRig rig;
  Page older, newer;  // of version 1, and of 1 and 2

  CheckpointLogRoots() {
    rig.drain();
    rig.take_full("cg", 1, 11);
    older = root(0);
    rig.take_full("cg", 2, 22);
    newer = root(0);
  }
  Page root(std::uint32_t slot) const {
    const auto page = rig.image.page(*rig.log->translation().place(slot));
    return {page.begin(), page.end()};
  }
  // Writes a root without the log, as if the write of the other root had been interrupted; with `is_torn`,
  // this write is interrupted too.
  void put(std::uint32_t slot, const Page& contents, bool is_torn = false) {
    rig.fail_power();
    TranslationRecorder sink;
    TranslationLayer layer({}, rig.part, rig.image, sink);
    const auto run = [&] {
      while (const auto next = layer.next_event()) layer.advance_to(rig.now = *next);
    };
    layer.power_up(rig.now);
    run();
    layer.write(rig.now, slot, contents, 0);
    if (is_torn)
      while (sink.left.empty()) layer.advance_to(rig.now = *layer.next_event());
    else
      run();
    layer.reset(Reset::power_loss);
  }
  // Recovers, and returns the number of roots that this has written.
  std::uint64_t recover() {
    const std::uint64_t before = rig.figure("roots");
    rig.power_cycle();
    return rig.figure("roots") - before;
  }
  void expect_two_versions() {
    EXPECT_EQ(rig.versions(), (Versions{1, 2}));
    EXPECT_EQ(rig.restore("cg", 1), LogRig::Image(4 * 64, 11));
    EXPECT_EQ(rig.restore("cg", 2), LogRig::Image(4 * 64, 22));
  }
  void expect_version_1_and_take_another_2() {
    EXPECT_EQ(rig.versions(), (Versions{1}));
    EXPECT_EQ(rig.restore("cg", 1), LogRig::Image(4 * 64, 11));
    rig.take_full("cg", 2, 33);
    rig.power_cycle();
    EXPECT_EQ(rig.versions(), (Versions{1, 2}));
    EXPECT_EQ(rig.restore("cg", 2), LogRig::Image(4 * 64, 33));
  }
};

TEST_F(CheckpointLogRoots, NewerOneCountsWhicheverItIs) {
  for (const std::uint32_t slot : {0u, 1u}) {
    put(slot, older);
    EXPECT_EQ(recover(), 1u) << slot;
    expect_two_versions();
  }
}

TEST_F(CheckpointLogRoots, DifferentOnesAreMadeEqualBeforeAnythingElse) {
  for (const std::uint32_t slot : {0u, 1u}) {
    put(slot, older);
    recover();
    EXPECT_EQ(root(0), root(1));
    rig.lose(1 - slot);  // the one that was newer
    rig.power_cycle();
    expect_two_versions();
  }
}

TEST_F(CheckpointLogRoots, EqualOnesAreLeftAlone) {
  EXPECT_EQ(recover(), 0u);
  expect_two_versions();
}

TEST_F(CheckpointLogRoots, TornNewerOneLeavesTheOlder) {
  put(0, older);
  put(1, older);
  put(1, newer, true);
  EXPECT_EQ(recover(), 0u);
  expect_version_1_and_take_another_2();
}

TEST_F(CheckpointLogRoots, LostNewerOneLeavesTheOlder) {
  rig.lose(0);
  put(1, older);
  recover();
  expect_version_1_and_take_another_2();
}

TEST_F(CheckpointLogRoots, GenerationsGoOnAfterRecovery) {
  for (const std::uint32_t slot : {0u, 1u}) {
    recover();
    const Page before = root(0);
    rig.take("cg", 3 + slot, false, {}, 0);
    put(slot, before);
    recover();
    EXPECT_EQ(rig.versions().back(), 3u + slot);
  }
}

}  // namespace
}  // namespace asterism
