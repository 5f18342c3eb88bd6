// The keys of a node before its devices were listed: each goes on working, or is refused with its new
// spelling.
#include <gmock/gmock.h>

#include <map>
#include <sstream>

#include "platform/node/listed_node.h"

namespace asterism {
namespace {

using testing::HasSubstr;
using testing::Not;

// All of them, by the object that holds them. N is an index.
const std::map<std::string, std::string> earlier_keys{
    {"", "cores fabric memory checks chip placement quantum runs use workload log"},
    {"checks", "alignment no_execute read_only register_width stack stacks"},
    {"checks.stacks.N", "each high low"},
    {"chip", "block core instructions l2 memory request_bits"},
    {"chip.core", "clock cpi outstanding window"},
    {"chip.l2", "latency mshrs"},
    {"chip.memory", "bandwidth channels count latency nodes"},
    {"cores", "auxiliary caches clock count counter cpi engine event_wait features start"},
    {"dimm_ssd",
     "blocks channels image matt merge_below method packages page_buffers part rated_writes sampling "
     "translation "
     "versions"},
    {"dimm_ssd.matt", "buffer_entries clock early_writes impl on_mismatch phase_bits trace variant"},
    {"dimm_ssd.matt.trace", "format on window"},
    {"dimm_ssd.translation",
     "dynamic_wear_levelling garbage_policy garbage_threshold over_provisioning static_wear_difference"},
    {"fabric",
     "arbiter arbitration buffer_depth channel_width clock concentration credit_cycles crossing "
     "fallback_occupancy "
     "fidelity gated_global_routers global_link_cycles global_routers graph latency link_cycles nodes "
     "parallel_links ports router_stages technology tile topology virtual_channels watchdog"},
    {"fabric.arbiter", "impl on_mismatch routers trace variant"},
    {"fabric.arbiter.trace", "format on window"},
    {"gpu",
     "buffer channel channels count interleave l2 l2_ways link memory monitor monitor_rtl pipelines transfer "
     "watchdog write_queue zone"},
    {"gpu.link", "gpu_lanes lane lanes overhead round_trip"},
    {"gpu.monitor", "cache ways"},
    {"gpu.monitor_rtl", "clock impl on_mismatch trace variant"},
    {"gpu.monitor_rtl.trace", "format on window"},
    {"memory",
     "channels codec controllers demand_scrub ecc ecc_cache ecc_cache_ways ecc_profile fabric_nodes fidelity "
     "fit_acceleration fit_per_device latency mapping page_policy part patrol_interval ranks read_queue "
     "refresh "
     "size starvation_limit write_high write_low write_queue"},
    {"memory.codec", "clock impl on_mismatch trace variant"},
    {"memory.codec.trace", "format on window"},
    {"pcram", "bus kind layers modules part suppress"},
    {"rtc", "clock impl on_mismatch start trace variant window"},
    {"rtc.trace", "format on window"},
    {"uart0", "characters_per_second input input_file script"},
    {"uart0.script.N", "after type"}};

// Those that are not keys any more, and how a message begins that says what there is now.
const std::map<std::string, std::string> replaced_keys{
    {"address_map.rtc.base=0x0a00_0000", "each device has its own place: devices.NAME.base"},
    {"address_map.rtc.interrupt=7",
     "each device has its own place: devices.NAME.base and devices.NAME.interrupt"},
    {"cores.caches=tags", "cores.caches.model=tags gives the cores caches"},
    {"cores.caches=none", "cores.caches.model=none takes the caches away"},
    {"cores.l1=64KiB", "the size of the L1 is cores.caches.l1d.size"},
    {"cores.l1_ways=4", "the ways of the L1 are cores.caches.l1d.ways"},
    {"cores.l2=64KiB", "the size of the L2 is cores.caches.l2.size"},
    {"cores.l2_ways=4", "the ways of the L2 are cores.caches.l2.ways"},
    {"cores.l2_latency=4ns", "cores.caches.l2.latency is the whole time of a hit in the L2"},
    {"cores.gic=gicv3", "the interrupt controller is a device: devices.gic={\"type\": \"gicv3\""},
    {"nic.present=true", "a node has the NICs that its devices name; devices.nic=null removes one"},
    {"nor_flash.present=true", "each bank of NOR flash is a device, such as devices.flash0"},
    {"nor_flash.latency=1ns", "each bank of NOR flash is a device, such as devices.flash0"},
    {"gpu.count=0", "devices.gpu=null removes the GPUs"},
    {"pcram.kind=none", "devices.pcram=null removes the PCRAM"}};

// Those of devices that a node may lack now.
const std::map<std::string, std::string> keys_of_absent_devices{
    {"gpu.count=2", "GPUs are a device: devices.gpu={\"type\": \"gpu\", \"base\": \"0x0b03_0000\""},
    {"gpu.monitor.ways=4", "GPUs are a device: devices.gpu="},
    {"nic.present=true", "a NIC is a device: devices.nic={\"type\": \"nic\", \"base\": \"0x0b05_0000\""},
    {"pcram.kind=dimm",
     "a PCRAM is a device: devices.pcram={\"type\": \"pcram\", \"base\": \"0x0b04_0000\""}};

std::string on_all_devices(const std::string& override) {
  return ListedNode::named("every_device", {override}).problems;
}

void expect_replaced(const std::string& node, const std::map<std::string, std::string>& keys) {
  for (const auto& [override, now] : keys) {
    const std::string problems = ListedNode::named(node, {override}).problems;
    EXPECT_THAT(problems, HasSubstr("; " + now)) << override;
    EXPECT_EQ(std::ranges::count(problems, '\n') + (problems.ends_with('\n') ? 0 : 1), 1) << problems;
  }
}

// A key that is not known is refused as such, whatever its value.
TEST(EarlierKeysTest, MostGoOnWorking) {
  unsigned count = 0;
  for (const auto& [object, keys] : earlier_keys) {
    std::istringstream words(keys);
    for (std::string key; words >> key; ++count) {
      std::string path = join_path(object, key);
      if (const auto index = path.find(".N"); index != std::string::npos) path.replace(index, 2, ".0");
      EXPECT_THAT(on_all_devices(path + "={}"), Not(HasSubstr("unknown key"))) << path;
    }
  }
  EXPECT_EQ(count, 195u);
  EXPECT_THAT(on_all_devices("rtc.strat={}"), HasSubstr("unknown key"));
}

TEST(EarlierKeysTest, TheirValuesReachTheDevices) {
  for (const char* override :
       {"uart0.characters_per_second=1000", "rtc.start=2030-01-01T00:00:00Z", "dimm_ssd.method=early",
        "dimm_ssd.matt.early_writes=8", "gpu.link.lanes=32", "pcram.modules=2", "memory.codec.impl=lockstep"})
    EXPECT_EQ(on_all_devices(override), "") << override;
}

TEST(EarlierKeysTest, OthersSayWhatThereIsNow) {
  expect_replaced("every_device", replaced_keys);
  expect_replaced("standard_map", keys_of_absent_devices);
}

// The main memory is one of the devices in all but its keys.
TEST(EarlierKeysTest, TheMainMemoryIsNoDeviceByItsKey) {
  for (const char* override :
       {"devices.memory=null", "devices.memory.size=1GiB", R"(devices.memory={"type": "memory"})"})
    EXPECT_EQ(on_all_devices(override),
              "command line: error: devices.memory: \"memory\" is not one of the devices, but a key beside "
              "them: memory\n")
        << override;
}

}  // namespace
}  // namespace asterism
