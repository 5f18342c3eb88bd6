// The app rtl_devices on a node without the devices that it uses.
#include <gmock/gmock.h>

#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::HasSubstr;

struct RtlDevicesTest : CommandTest {};

TEST_F(RtlDevicesTest, AMissingDeviceEndsTheAppWithStatus3) {
  Ended ended = firmware("rtl_devices");
  EXPECT_EQ(ended.status, 3);
  EXPECT_THAT(ended.out,
              HasSubstr("rtl_devices: 0 APB timers (asterism,apb_timer) in the device tree, 1 needed\n"));
  ended = firmware("rtl_devices", {"args=timers=0 engines=2"});
  EXPECT_EQ(ended.status, 3);
  EXPECT_THAT(ended.out,
              HasSubstr("rtl_devices: 0 DMA engines (asterism,dma_engine) in the device tree, 2 needed\n"));
  ended = firmware("rtl_devices", {"args=timers=0 engines=0"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_THAT(ended.out, HasSubstr("rtl_devices: 0 timers, 0 engines, 0 wrong\n"));
}

}  // namespace
}  // namespace asterism
