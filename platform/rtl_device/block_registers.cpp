#include "platform/rtl_device/block_registers.h"

#include <boost/algorithm/string/case_conv.hpp>
#include <string>
#include <utility>
#include <vector>

namespace asterism {
namespace {

// What a block says of itself that says nothing for software.
BlockAsDevice device_of(const BlockConfig& block) {
  return block.device.value_or(BlockAsDevice{.meaning = "The block " + block.name});
}

Access access_of(RegisterAccess access) {
  switch (access) {
    case RegisterAccess::read_only:
      return Access::read_only;
    case RegisterAccess::write_only:
      return Access::write_only;
    case RegisterAccess::write_one_to_clear:
      return Access::write_one_to_clear;
    case RegisterAccess::write_one_to_set:
      return Access::write_one_to_set;
    case RegisterAccess::read_write:
      break;
  }
  return Access::read_write;
}

std::vector<Field> fields_of(const BlockRegister& reg) {
  std::vector<Field> fields;
  for (const BlockField& each : reg.fields) {
    Field field{.name = each.name, .low = each.low, .width = each.width, .meaning = each.meaning};
    for (const auto& [name, value] : each.values) field.values.push_back({.name = name, .value = value});
    fields.push_back(std::move(field));
  }
  return fields;
}

}  // namespace

BlockRegisters::BlockRegisters(const BlockConfig& block)
    : RegisterBank(boost::algorithm::to_upper_copy(block.name), device_of(block).size,
                   device_of(block).meaning) {
  for (const BlockRegister& reg : device_of(block).registers)
    registers_.emplace_back(*this, reg.offset.value, reg.name, access_of(reg.access),
                            reg.reset_value ? ResetValue(reg.reset_value->value) : varies, reg.meaning,
                            fields_of(reg));
}

}  // namespace asterism
