// The device tree fragment of a device, as data. platform/ joins the fragments and flattens them into the
// blob that firmware finds at the base of DRAM.
//
//   DeviceTreeNode node{"pl031@9010000"};
//   node.set("compatible", {"arm,pl031", "arm,primecell"}).set("reg", dt::reg(range));
//
// Cells follow QEMU's virt machine: two cells for an address and two for a size at the root; an interrupt is
// {0 = SPI or 1 = PPI, number within its kind, trigger}. Phandles that fragments refer to are the fixed names
// below.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/units.h"

namespace asterism {

struct DeviceTreeNode {
  using Strings = std::vector<std::string>;
  using Cells = std::vector<std::uint32_t>;
  using Value = std::variant<std::monostate, Strings, Cells>;  // empty, string list, list of 32-bit cells

  std::string name;  // "pl011@9000000"
  std::vector<std::pair<std::string, Value>> properties = {};
  std::vector<DeviceTreeNode> children = {};

  DeviceTreeNode& set(std::string_view property) { return add(property, std::monostate{}); }
  DeviceTreeNode& set(std::string_view property, std::initializer_list<const char*> strings) {
    return add(property, Strings(strings.begin(), strings.end()));
  }
  DeviceTreeNode& set(std::string_view property, Cells cells) { return add(property, std::move(cells)); }

  // The value of a property; nullptr if the node has no property of that name.
  const Value* find(std::string_view property) const {
    for (const auto& [key, value] : properties)
      if (key == property) return &value;
    return nullptr;
  }

 private:
  DeviceTreeNode& add(std::string_view property, Value value) {
    properties.emplace_back(property, std::move(value));
    return *this;
  }
};

namespace dt {

// Phandles. The clock is the fixed 24 MHz one of the PrimeCells; platform/ supplies its node ("fixed-clock").
inline constexpr std::uint32_t apb_clock = 0x8000;
inline constexpr std::uint32_t interrupt_controller = 0x8001;
inline constexpr std::uint32_t apb_clock_hertz = 24'000'000;

// The last cell of an interrupt.
enum Trigger : std::uint32_t { rising_edge = 1, level_high = 4 };

inline std::string node_name(std::string_view device, AddressRange range) {
  return fmt::format("{}@{:x}", device, range.first.value());
}
inline DeviceTreeNode::Cells reg(std::initializer_list<AddressRange> ranges) {
  DeviceTreeNode::Cells cells;
  for (const AddressRange& range : ranges)
    for (const std::uint64_t value : {range.first.value(), range.size.count()}) {
      cells.push_back(static_cast<std::uint32_t>(value >> 32));
      cells.push_back(static_cast<std::uint32_t>(value));
    }
  return cells;
}
inline DeviceTreeNode::Cells reg(AddressRange range) { return reg({range}); }
inline DeviceTreeNode::Cells spi(unsigned number, Trigger trigger = level_high) {
  return {0, number, trigger};
}

}  // namespace dt
}  // namespace asterism
