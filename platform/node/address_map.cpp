#include "platform/node/address_map.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "base/fields.h"
#include "platform/config/config_document.h"
#include "platform/config/nearest_name.h"

namespace asterism {

static_assert(member_count<Placement>() == 2);
void describe(Fields& f, Placement& p) {
  f("base", p.base,
    "The first address. Firmware that does not read the device tree expects the device at its standard "
    "address.");
  f("interrupt", p.interrupt, "The number of the shared peripheral interrupt (SPI).", within(0, 31));
}

AddressMap::AddressMap(Bytes dram_size, const Fitted& fitted)
    : entries_{
          {"flash0", "FLASH0", {Address(0x0000'0000), 64_MiB}, {}},
          {"flash1", "FLASH1", {Address(0x0400'0000), 64_MiB}, {}},
          {"gicd", "GICD", {Address(0x0800'0000), 64_KiB}, {}},
          {"gicc", "GICC", {Address(0x0801'0000), 64_KiB}, {}},
          {"uart0", "UART0", {Address(0x0900'0000), 4_KiB}, 1},
          {"rtc", "RTC", {Address(0x0901'0000), 4_KiB}, 2},
          {"power", "POWER", {Address(0x0b00'0000), 4_KiB}, {}},
          {"memory_controller", "MEMORY_CONTROLLER", {Address(0x0b01'0000), 4_KiB}, 19},
          {"dimm_ssd", "DIMM_SSD", {Address(0x0b02'0000), 4_KiB}, 18},
          {"gpu", "GPU", {Address(0x0b03'0000), 64_KiB}, 17},
          {"pcram", "PCRAM", {Address(0x0b04'0000), 4_KiB}, 16},
          {"nic", "NIC", {Address(0x0b05'0000), 4_KiB}, 15},
          {"dram", "DRAM", {Address(0x4000'0000), dram_size}, {}},
      } {
  const auto leave_out = [this](std::string_view name, const char* setting) {
    absent_.push_back({std::string(name), range(name), setting});
    std::erase_if(entries_, [&](const MapEntry& entry) { return entry.name == name; });
  };
  if (!fitted.nor_flash)
    for (const char* bank : {"flash0", "flash1"}) leave_out(bank, "node.nor_flash.present=false");
  if (!fitted.gpus) leave_out("gpu", "node.gpu.count=0");
  if (!fitted.pcram) leave_out("pcram", "node.pcram.kind=none");
  if (!fitted.nic) leave_out("nic", "node.nic.present=false");
  if (fitted.redistributors > 0) have_gicv3(fitted.redistributors);
}

// Distributor and redistributors are at the addresses that QEMU uses; the second region of redistributors is
// beyond QEMU's DRAM.
void AddressMap::have_gicv3(unsigned redistributors) {
  constexpr Bytes each = 128_KiB;
  constexpr unsigned in_first_region = 123;
  const unsigned here = std::min(redistributors, in_first_region);
  const auto distributor = std::ranges::find(entries_, "gicd", &MapEntry::name);
  const auto beside = std::next(distributor);
  distributor->name = "gicv3d", distributor->header_name = "GICV3D";
  *beside = {"gicr", "GICV3R", {Address(0x080a'0000), each * here}, {}};
  if (redistributors > here)
    entries_.insert(std::next(beside),
                    {"gicr2", "GICV3R2", {Address(0x40'0000'0000), each * (redistributors - here)}, {}});
}

std::string AddressMap::explain_missing(Address address) const {
  const auto covers = [address](const auto& entry) { return entry.range.contains(address); };
  if (const auto entry = std::ranges::find_if(entries_, covers); entry != entries_.end())
    return fmt::format("{} does not accept this access", entry->name);
  constexpr std::uint64_t first_page = 4096;
  if (address.value() < first_page) return "there is no device or memory (a null pointer?)";
  if (const auto entry = std::ranges::find_if(absent_, covers); entry != absent_.end())
    return fmt::format("{}: this node has none ({})", entry->name, entry->setting);
  return "there is no device or memory";
}

const MapEntry& AddressMap::at(std::string_view name) const {
  const auto found = std::ranges::find(entries_, name, &MapEntry::name);
  if (found == entries_.end()) throw std::logic_error(fmt::format("no {} in the address map", name));
  return *found;
}

void AddressMap::apply(const std::map<std::string, Placement>& placements, const ConfigDocument& document,
                       const std::string& path, Diagnostics& problems) {
  const auto complain = [&](const std::string& where, std::string problem, std::string nearest = "") {
    const std::string at = path + "." + where;
    problems.add({.origin = document.origin_of(at),
                  .path = at,
                  .problem = std::move(problem),
                  .nearest = std::move(nearest)});
  };
  std::vector<std::string> names;
  for (const MapEntry& entry : entries_) names.push_back(entry.name);
  for (const auto& [name, placement] : placements) {
    const auto entry = std::ranges::find(entries_, name, &MapEntry::name);
    if (entry == entries_.end()) {
      complain(
          name,
          fmt::format("there is no such device in the address map, which has {}", fmt::join(names, ", ")),
          nearest_name(name, names));
      continue;
    }
    if (placement.base) entry->range.first = *placement.base;
    if (placement.interrupt && !entry->interrupt)
      complain(name + ".interrupt", fmt::format("{} has no interrupt line", name));
    else if (placement.interrupt)
      entry->interrupt = placement.interrupt;
  }
  if (placements.contains("dram") && placements.at("dram").base)
    complain("dram.base", "DRAM cannot be moved from 0x40000000, because firmware is linked there");
  for (const auto& [name, placement] : placements) {
    const auto entry = std::ranges::find(entries_, name, &MapEntry::name);
    if (entry == entries_.end()) continue;
    if (entry->range.first.value() > ~std::uint64_t{0} - (entry->range.size.count() - 1)) {
      complain(name + ".base", "the device would exceed the address space");
      continue;
    }
    if (entry->range.first.value() % 4096 != 0)
      complain(name + ".base", "a device must start at a 4 KiB boundary");
    for (const MapEntry& other : entries_) {
      if (other.name == name) continue;
      if (entry->range.overlaps(other.range))
        complain(name + ".base",
                 fmt::format("{} at {:#x}-{:#x} overlaps {} at {:#x}-{:#x}", name, entry->range.first.value(),
                             entry->range.last().value(), other.name, other.range.first.value(),
                             other.range.last().value()));
      if (entry->interrupt && entry->interrupt == other.interrupt)
        complain(name + ".interrupt",
                 fmt::format("{} and {} both use interrupt {}", name, other.name, *entry->interrupt));
    }
  }
}

}  // namespace asterism
