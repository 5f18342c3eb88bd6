#include "virtio/virtio_random.h"

#include <set>

#include "tlm/log.h"
#include "virtio/virtio_rig.h"

namespace asterism {
namespace {

constexpr std::uint64_t place = dram + 0x8000;

struct VirtioRandomTest : VirtioRig {
  VirtioRandom source{"source", {}, context};
  VirtioRandomTest() { bind(source); }
};

SYSTEMC_TEST_F(VirtioRandomTest, FillsBuffersWithBytesThatFollowFromTheSeed) {
  start();
  EXPECT_EQ(get(map.device_id), 4u);
  const Used end = request({{place, 100, true}, {place + 200, 50, true}});
  EXPECT_EQ(end.written, 150u);
  EXPECT_EQ(ram.get<std::uint8_t>(place + 150), 0);
  Random random(1);
  std::set<int> values;
  for (unsigned i = 0; i < 64; ++i) {
    const auto value = ram.get<std::uint8_t>(place + i);
    EXPECT_EQ(value, static_cast<std::uint8_t>(random.next()));
    values.insert(value);
  }
  EXPECT_GT(values.size(), 40u);
}

SYSTEMC_TEST_F(VirtioRandomTest, RefusesToRead) {
  set_log_levels({{"source", LogLevel::off}});
  start();
  request({{place, 100, false}});
  EXPECT_TRUE(broken());
}

}  // namespace
}  // namespace asterism
