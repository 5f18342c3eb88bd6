#include "platform/registers/svd.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <cctype>
#include <sstream>

#include "platform/registers/register_windows.h"

namespace asterism {
namespace {

using boost::property_tree::ptree;

constexpr unsigned first_spi = 32;

ptree& add(ptree& to, const char* element) { return to.push_back({element, ptree()})->second; }
void add(ptree& to, const char* element, std::string text) { add(to, element).data() = std::move(text); }
std::string hex(std::uint64_t value, int digits = 0) { return fmt::format("{:#0{}x}", value, digits + 2); }

bool elements_reset_alike(const Register& reg) {
  for (unsigned i = 1; i < reg.count(); ++i)
    if (reg.peek(i, first_core) != reg.peek(0, first_core)) return false;
  return true;
}

void add_dimension(ptree& to, unsigned count, std::uint32_t stride) {
  if (count < 2) return;
  std::string index = "0";
  for (unsigned i = 1; i < count; ++i) index += fmt::format(",{}", i);
  add(to, "dim", std::to_string(count));
  add(to, "dimIncrement", hex(stride));
  add(to, "dimIndex", index);
}

void add_access(ptree& to, Access access) {
  const char* const text = access == Access::read_only    ? "read-only"
                           : access == Access::write_only ? "write-only"
                                                          : "read-write";
  add(to, "access", text);
}

void add_values(ptree& to, const Field& field) {
  if (field.values.empty()) return;
  ptree& values = add(to, "enumeratedValues");
  for (const FieldValue& value : field.values) {
    ptree& one = add(values, "enumeratedValue");
    add(one, "name", value.name);
    add(one, "description", value.meaning.empty() ? value.name : value.meaning);
    add(one, "value", std::to_string(value.value));
  }
}

void add_fields(ptree& to, const Register& reg) {
  const auto is_visible = [](const Field& field) { return field.kind != Field::Kind::reserved; };
  if (std::ranges::none_of(reg.fields(), is_visible)) return;
  ptree& fields = add(to, "fields");
  for (const Field& field : reg.fields()) {
    if (!is_visible(field)) continue;
    ptree& one = add(fields, "field");
    add(one, "name", field.name);
    add(one, "description",
        (field.kind == Field::Kind::not_modelled ? "Not modelled: " : "") + field.meaning);
    add(one, "bitOffset", std::to_string(field.low));
    add(one, "bitWidth", std::to_string(field.width));
    add_values(one, field);
  }
}

// Adds an element of an array or a single register; for an array `name` contains "%s".
void add_register(ptree& to, const Register& reg, const std::string& name, std::uint32_t offset,
                  unsigned count, unsigned index) {
  ptree& one = add(to, "register");
  add_dimension(one, count, reg.stride());
  add(one, "name", name);
  add(one, "description", reg.meaning());
  add(one, "addressOffset", hex(offset));
  add_access(one, reg.access());
  const std::uint32_t value =
      reg.access() == Access::write_only ? reg.reset_value() : reg.peek(index, first_core);
  add(one, "resetValue", hex(reg.has_fixed_reset_value() ? value : 0, 8));
  if (!reg.has_fixed_reset_value()) add(one, "resetMask", hex(0, 8));
  if (reg.access() == Access::write_one_to_clear) add(one, "modifiedWriteValues", "oneToClear");
  if (reg.access() == Access::write_one_to_set) add(one, "modifiedWriteValues", "oneToSet");
  if (reg.is_acting_when_read()) add(one, "readAction", "modify");
  add_fields(one, reg);
}

void add_register(ptree& to, const Register& reg, const RegisterWindows& windows) {
  const unsigned count = reg.count();
  if (count == 1 || windows.size != 0) return add_register(to, reg, reg.name(), reg.offset(), 1, 0);
  if (elements_reset_alike(reg)) return add_register(to, reg, reg.name() + "%s", reg.offset(), count, 0);
  for (unsigned i = 0; i < count; ++i)
    add_register(to, reg, fmt::format("{}{}", reg.name(), i), reg.offset() + i * reg.stride(), 1, i);
}

void add_address_block(ptree& to, std::uint64_t base, std::uint64_t size) {
  add(to, "baseAddress", hex(base, 8));
  ptree& block = add(to, "addressBlock");
  add(block, "offset", hex(0));
  add(block, "size", hex(size));
  add(block, "usage", "registers");
}

void add_interrupts(ptree& to, const MapEntry& entry) {
  for (std::size_t i = 0; i < entry.interrupts.size(); ++i) {
    ptree& interrupt = add(to, "interrupt");
    add(interrupt, "name", entry.header_name + (i == 0 ? "" : std::to_string(i)));
    add(interrupt, "description", fmt::format("SPI {}", entry.interrupts[i]));
    add(interrupt, "value", std::to_string(first_spi + entry.interrupts[i]));
  }
}

void add_peripheral(ptree& to, const MapEntry& entry, const RegisterBank& bank) {
  const RegisterWindows windows = windows_of(bank);
  const std::uint64_t base = entry.range.first.value();
  const std::string first = entry.header_name + (windows.size != 0 ? "0" : "");
  ptree& one = add(to, "peripheral");
  add(one, "name", first);
  add(one, "description", bank.meaning());
  add_address_block(one, base, windows.size != 0 ? windows.size : entry.range.size.count());
  add_interrupts(one, entry);
  ptree& registers = add(one, "registers");
  for (const Register* reg : bank.registers()) add_register(registers, *reg, windows);
  for (unsigned i = 1; i < windows.count; ++i) {
    ptree& other = add(to, "peripheral");
    add(add(other, "<xmlattr>"), "derivedFrom", first);
    add(other, "name", fmt::format("{}{}", entry.header_name, i));
    add(other, "description", bank.meaning());
    add_address_block(other, base + std::uint64_t{i} * windows.size, windows.size);
  }
}

}  // namespace

std::string svd_identifier(std::string text) {
  const auto fits = [](unsigned char c) { return c < 0x80 && (std::isalnum(c) != 0 || c == '_'); };
  std::ranges::replace_if(
      text, [&](char c) { return !fits(static_cast<unsigned char>(c)); }, '_');
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) != 0) text.insert(0, "_");
  return text;
}

std::string svd(const SvdDevice& device, const AddressMap& map) {
  ptree document;
  ptree& root = add(document, "device");
  ptree& attributes = add(root, "<xmlattr>");
  add(attributes, "schemaVersion", "1.3");
  add(attributes, "xmlns:xs", "http://www.w3.org/2001/XMLSchema-instance");
  add(attributes, "xs:noNamespaceSchemaLocation", "CMSIS-SVD.xsd");
  add(root, "vendor", "Asterism");
  add(root, "name", device.name);
  add(root, "version", device.version);
  add(root, "description", device.description);
  add(root, "addressUnitBits", "8");
  add(root, "width", "32");
  add(root, "size", "32");
  add(root, "resetMask", hex(0xffff'ffff, 8));
  ptree& peripherals = add(root, "peripherals");
  for (const MapEntry& entry : map.entries())
    if (entry.registers) add_peripheral(peripherals, entry, *entry.registers);
  std::ostringstream text;
  write_xml(text, document, boost::property_tree::xml_writer_settings<std::string>(' ', 2));
  return text.str();
}

}  // namespace asterism
