#include "platform/registers/firmware_header.h"

#include <fmt/format.h>

#include <boost/algorithm/string/case_conv.hpp>

#include "platform/node/address_map.h"
#include "platform/registers/register_lists.h"

namespace asterism {
namespace {

std::string upper(const std::string& text) { return boost::algorithm::to_upper_copy(text); }

std::string fields_of(const std::string& prefix, const Register& reg) {
  std::string text;
  for (const Field& field : reg.fields()) {
    if (field.kind == Field::Kind::reserved) continue;
    const std::string name = prefix + "_" + upper(field.name);
    text += fmt::format("#define {}_SHIFT {}\n#define {}_MASK {:#x}\n", name, field.low, name, field.mask());
    for (const FieldValue& value : field.values)
      text += fmt::format("#define {}_{} {}\n", name, upper(value.name), value.value);
  }
  return text;
}

std::string registers_of(const std::string& device, const RegisterBank& bank) {
  std::string text;
  for (const Register* reg : bank.registers()) {
    const std::string name = device + "_" + upper(reg->name());
    text += fmt::format("#define {} {:#x}  /* {} */\n", name, reg->offset(), reg->meaning());
    text += fields_of(name, *reg);
  }
  return text;
}

}  // namespace

std::string firmware_header() {
  const RegisterLists lists = register_lists(1);
  std::string text =
      "/* The node as firmware sees it: addresses, interrupts (SPI numbers; the GIC's id is 32 more) and "
      "registers.\n"
      " * Generated from the address map and the register lists of the models; do not edit. */\n"
      "#ifndef ASTERISM_PLATFORM_H\n#define ASTERISM_PLATFORM_H\n";
  // Both interrupt controllers that a node may have.
  const AddressMap map(2_GiB, {.gpus = true, .pcram = true, .nic = true, .nor_flash = true}),
      with_gicv3(2_GiB, {.redistributors = 1});
  std::vector<MapEntry> entries = map.entries();
  for (const char* name : {"gicv3d", "gicr"}) entries.push_back(with_gicv3.at(name));
  for (const MapEntry& entry : entries) {
    text += fmt::format("\n#define {}_BASE {:#010x}\n", entry.header_name, entry.range.first.value());
    if (entry.interrupt)
      text += fmt::format("#define {}_INTERRUPT {}\n", entry.header_name, *entry.interrupt);
    if (const auto list = lists.find(entry.name); list != lists.end())
      text += registers_of(entry.header_name, *list->second);
  }
  return text + "\n#endif\n";
}

}  // namespace asterism
