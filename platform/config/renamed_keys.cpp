#include "platform/config/renamed_keys.h"

#include <algorithm>
#include <array>

#include "platform/config/config_value.h"
#include "platform/config/nearest_name.h"

namespace asterism {
namespace {

// Sorted by the old path.
constexpr auto table = std::to_array<RenamedKey>({
    {"cuts", "power_failures"},
    {"least_interval", "min_interval"},
    {"least_tau", "min_tau"},
    {"patience", "starvation_limit"},
    {"plant", "mutant"},
    {"trial_cuts", "trial_power_failures"},
});

// Sorted by the old path and the old value.
constexpr auto replaced = std::to_array<ReplacedKey>({
    {"address_map", "",
     "each device has its own place: devices.NAME.base and devices.NAME.interrupt, memory.base"},
    {"cores.caches", "\"none\"", "cores.caches.model=none takes the caches away"},
    {"cores.caches", "\"tags\"", "cores.caches.model=tags gives the cores caches"},
    {"cores.gic", "",
     "the interrupt controller is a device: devices.gic={\"type\": \"gicv3\", \"base\": [\"0x0800_0000\", "
     "\"0x080a_0000\"]}"},
    {"cores.l1", "", "the size of the L1 is cores.caches.l1d.size"},
    {"cores.l1_ways", "", "the ways of the L1 are cores.caches.l1d.ways"},
    {"cores.l2", "", "the size of the L2 is cores.caches.l2.size"},
    {"cores.l2_latency", "",
     "cores.caches.l2.latency is the whole time of a hit in the L2, and that of the L1 is a part of it"},
    {"cores.l2_ways", "", "the ways of the L2 are cores.caches.l2.ways"},
    {"failures.gpu", "", "the failures of GPUs are gpu_fit, beside `failures`"},
    {"failures.link", "", "the failures of links are link_fit, beside `failures`"},
    {"failures.node", "", "the failures of nodes are node_fit, beside `failures`"},
    {"gpu", "",
     "GPUs are a device: devices.gpu={\"type\": \"gpu\", \"base\": \"0x0b03_0000\", \"interrupt\": 17}"},
    {"gpu.count", "0", "devices.gpu=null removes the GPUs"},
    {"nic", "",
     "a NIC is a device: devices.nic={\"type\": \"nic\", \"base\": \"0x0b05_0000\", \"interrupt\": 15}"},
    {"nic.present", "", "a node has the NICs that its devices name; devices.nic=null removes one"},
    {"nor_flash", "", "each bank of NOR flash is a device, such as devices.flash0"},
    {"pcram", "",
     "a PCRAM is a device: devices.pcram={\"type\": \"pcram\", \"base\": \"0x0b04_0000\", \"interrupt\": "
     "16}"},
    {"pcram.kind", "\"none\"", "devices.pcram=null removes the PCRAM"},
});

bool is_index(std::string_view key) {
  return !key.empty() && key.find_first_not_of("0123456789") == std::string_view::npos;
}

// Whether one of the two paths is the end of the other.
bool are_ends(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  const std::size_t common = std::min(a.size(), b.size());
  return std::equal(a.rbegin(), a.rbegin() + static_cast<std::ptrdiff_t>(common), b.rbegin());
}

// Whether the whole path `end` is the end of `path`.
bool is_end(const std::vector<std::string>& end, const std::vector<std::string>& path) {
  return end.size() <= path.size() && are_ends(end, path);
}

std::vector<std::string> keys_of(std::string_view path) {
  std::vector<std::string> keys = split_path(path);
  std::erase_if(keys, is_index);
  return keys;
}

}  // namespace

std::span<const RenamedKey> renamed_keys() { return table; }
std::span<const ReplacedKey> replaced_keys() { return replaced; }

std::optional<std::string_view> new_name_of(std::string_view path, const std::vector<std::string>& keys) {
  const std::vector<std::string> path_keys = keys_of(path);
  if (path_keys.empty()) return std::nullopt;  // an index
  for (const RenamedKey& renamed : table)
    if (are_ends(split_path(renamed.old_path), path_keys) &&
        std::ranges::find(keys, renamed.new_key) != keys.end())
      return renamed.new_key;
  return std::nullopt;
}

std::string change_of_key(std::string_view path, const std::vector<std::string>& keys) {
  const std::string old(path.substr(path.rfind('.') + 1));
  if (const auto name = new_name_of(path, keys))
    return "\"" + old + "\" is now called \"" + std::string(*name) + "\"";
  // A node's key, which another object has not replaced: its own keys may have a similar name.
  const auto is_elsewhere = [&](const std::vector<std::string>& of_node) {
    return of_node.size() == 1 && std::ranges::find(keys, "devices") == keys.end() &&
           !nearest_name(old, keys).empty();
  };
  for (const ReplacedKey& each : replaced)
    if (const std::vector<std::string> before = split_path(each.old_path);
        each.old_value.empty() && is_end(before, keys_of(path)) && !is_elsewhere(before))
      return std::string(each.now);
  return "";
}

std::string change_of_value(std::string_view path, std::string_view value) {
  for (const ReplacedKey& each : replaced)
    if (each.old_value == value && is_end(split_path(each.old_path), keys_of(path)))
      return std::string(each.now);
  return "";
}

}  // namespace asterism
