#include "platform/registers/firmware_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/case_conv.hpp>
#include <map>

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

// NAME_INTERRUPT is the first of the interrupts of a range, and further ones are numbered.
std::string place_of(const MapEntry& entry) {
  std::string text = fmt::format("#define {}_BASE {:#010x}\n", entry.header_name, entry.range.first.value());
  for (std::size_t i = 0; i < entry.interrupts.size(); ++i)
    text += fmt::format("#define {}_INTERRUPT{} {}\n", entry.header_name, i == 0 ? "" : std::to_string(i),
                        entry.interrupts[i]);
  return text;
}

std::string place_of(const std::vector<const MapEntry*>& entries, bool is_of_first_map) {
  const MapEntry& first = *entries.front();
  const bool agree = std::ranges::all_of(entries, [&](const MapEntry* entry) {
    return entry->range.first == first.range.first && entry->interrupts == first.interrupts;
  });
  return agree || is_of_first_map
             ? place_of(first)
             : fmt::format("/* Nodes have {} at different places, which their device trees say. */\n",
                           first.name);
}

}  // namespace

std::string firmware_header(const std::vector<AddressMap>& maps, const std::string& guard) {
  std::string text =
      "/* Nodes as firmware sees them: addresses, interrupts (SPI numbers; the GIC's id is 32 more) and "
      "registers.\n"
      " * Generated from the address maps and the register lists of the models; do not edit. */\n"
      "#ifndef " +
      guard + "\n#define " + guard + "\n";
  std::map<std::string, std::vector<const MapEntry*>> by_name;
  std::vector<std::string> order;
  for (const AddressMap& map : maps)
    for (const MapEntry& entry : map.entries()) {
      auto& same = by_name[entry.header_name];
      if (same.empty()) order.push_back(entry.header_name);
      same.push_back(&entry);
    }
  for (const std::string& name : order) {
    const auto& entries = by_name.at(name);
    const bool is_of_first_map =
        std::ranges::count(maps.front().entries(), name, &MapEntry::header_name) != 0;
    text += "\n" + place_of(entries, is_of_first_map);
    if (const auto& registers = entries.front()->registers) text += registers_of(name, *registers);
  }
  return text + "\n#endif\n";
}

}  // namespace asterism
