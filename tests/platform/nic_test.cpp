// A NIC in a node that is not in a cluster: firmware sends frames to itself, makes mistakes and continues.
#include <gmock/gmock.h>

#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct NicTest : CommandTest {
  NicTest() { node_of_firmware = untimed; }
  const Arguments present{R"(node.devices.nic={"type": "nic", "base": "0x0b05_0000", "interrupt": 15})",
                          R"(node.log={"node.nic":"off"})"};
  auto counts() const { return json("run/stats.json")["node"]["nic"]; }
};

TEST_F(NicTest, FirmwareSendsFramesToItselfAndSurvivesItsMistakes) {
  Arguments arguments = present;
  arguments.push_back("args=frames=100");
  const Ended ended = firmware("nic_loopback", arguments);
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("nic_loopback: node 0 of 1, epoch 0\n"),
                               HasSubstr("nic_loopback: 100 and 100 frames of 100 arrived\n"),
                               HasSubstr("nic_loopback: 0 failures\n")));
  EXPECT_EQ(counts()["application"]["frames_sent"], 100);
  EXPECT_EQ(counts()["checkpoint"]["frames_sent"], 101);
  EXPECT_EQ(counts()["frames_received"], 201);
  EXPECT_EQ(counts()["frames_dropped"], 0);
}

TEST_F(NicTest, ALossOfPowerClosesTheRings) {
  Arguments arguments = present;
  arguments.push_back("args=frames=100");
  arguments.push_back(R"(faults=[{"at":"3ms","kind":"power_loss","restore_after":"1us"}])");
  const Ended ended = firmware("nic_loopback", arguments);
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(kinds(events()), testing::Contains("power_lost"));
  EXPECT_GT(counts()["frames_received"], 201);  // some frames were received before
}

TEST_F(NicTest, ANodeWithoutANicHasNone) {
  const Ended ended = firmware("nic_loopback");
  EXPECT_EQ(ended.status, 3);
  EXPECT_THAT(ended.out, HasSubstr("nic_loopback: this machine has no NIC"));
  EXPECT_FALSE(json("run/stats.json")["node"].contains("nic"));
}

}  // namespace
}  // namespace asterism
