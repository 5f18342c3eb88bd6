#include "platform/node/address_map.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/algorithm/string/case_conv.hpp>
#include <tuple>

namespace asterism {
namespace {

std::string header_name(const PlacedDevice& device, std::size_t target) {
  const std::string& suffix = device.shape.targets[target].header_suffix;
  if (suffix.empty()) return boost::algorithm::to_upper_copy(device.range_name(target));
  return boost::algorithm::to_upper_copy(device.instance()) + suffix;
}

// The range that has the interrupts without a key of their own: the first one with registers, which raise
// them.
std::size_t range_of_interrupts(const DeviceShape& shape) {
  const auto found = std::ranges::find_if(shape.targets, [](const DeviceTarget& target) {
    return target.registers != nullptr && target.own_key.empty();
  });
  return found == shape.targets.end() ? 0 : static_cast<std::size_t>(found - shape.targets.begin());
}

// The interrupts that belong to a range: those that its own key names, else those without such a key.
std::vector<unsigned> interrupts_of(const PlacedDevice& device, std::size_t target) {
  std::vector<unsigned> numbers;
  const std::string& key = device.shape.targets[target].own_key;
  for (std::size_t line = 0; line < device.place.interrupts.size(); ++line) {
    const std::string& own = device.shape.interrupts[line].own_key;
    const bool belongs = own == key && (!own.empty() || target == range_of_interrupts(device.shape));
    if (belongs && device.place.interrupts[line]) numbers.push_back(*device.place.interrupts[line]);
  }
  return numbers;
}

}  // namespace

AddressMap::AddressMap(const DeviceList& devices) {
  std::vector<std::pair<std::tuple<Address, std::size_t>, MapEntry>> sorted;
  for (const PlacedDevice& device : devices.all()) {
    Address first;
    for (std::size_t i = 0; i < device.shape.targets.size(); ++i) {
      const DeviceTarget& target = device.shape.targets[i];
      if (!target.continues) first = device.place.ranges[i].first;
      sorted.push_back({{first, i},
                        {.name = device.range_name(i),
                         .header_name = header_name(device, i),
                         .range = device.place.ranges[i],
                         .interrupts = interrupts_of(device, i),
                         .device = device.instance(),
                         .type = device.type,
                         .registers = target.registers}});
    }
  }
  std::ranges::stable_sort(sorted, {}, [](const auto& entry) { return entry.first; });
  for (auto& [key, entry] : sorted) entries_.push_back(std::move(entry));
}

const MapEntry* AddressMap::find(std::string_view name) const {
  const auto found = std::ranges::find(entries_, name, &MapEntry::name);
  return found == entries_.end() ? nullptr : &*found;
}

void AddressMap::compare_with(const AddressMap& usual) {
  for (const MapEntry& entry : usual.entries_)
    if (!find(entry.name)) absent_.push_back(entry);
}

std::string AddressMap::explain_missing(Address address) const {
  const auto covers = [address](const MapEntry& entry) { return entry.range.contains(address); };
  if (const auto entry = std::ranges::find_if(entries_, covers); entry != entries_.end())
    return fmt::format("{} does not accept this access", entry->name);
  constexpr std::uint64_t first_page = 4096;
  if (address.value() < first_page) return "there is no device or memory (a null pointer?)";
  if (const auto entry = std::ranges::find_if(absent_, covers); entry != absent_.end())
    return fmt::format("there is no device or memory; other nodes have {} here", entry->name);
  return "there is no device or memory";
}

std::string interrupt_text(const MapEntry& entry) {
  return entry.interrupts.empty() ? "" : fmt::format("SPI {}", fmt::join(entry.interrupts, ", "));
}

}  // namespace asterism
