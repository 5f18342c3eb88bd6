#include "platform/rtl_exchange/ipxact_registers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <set>

#include "base/units.h"

namespace asterism {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t page = 4096;
constexpr std::int64_t most_elements = 1024;     // of an array of registers
constexpr std::int64_t most_registers = 16'384;  // and register files, of a memory map
constexpr std::int64_t most_bytes = 1 << 30;     // of a device

std::string hex_word(std::uint64_t value) {
  if (value < 0x10000) return fmt::format("0x{:02x}", value);
  return fmt::format("0x{:04x}_{:04x}", value >> 16, value & 0xffff);
}

std::string constant_name(std::string name, bool upper) {
  for (char& c : name) {
    const auto letter = static_cast<unsigned char>(c);
    c = std::isalnum(letter) != 0 ? static_cast<char>(upper ? std::toupper(letter) : std::tolower(letter))
                                  : '_';
  }
  return name;
}

class RegisterReader {
 public:
  RegisterReader(const IpxactFile& file, DescribedBlock& described) : file_(file), described_(described) {}

  void run(const XmlElement* map) {
    const std::int64_t unit = file_.value(map, "addressUnitBits", 8);
    if (unit != 8)
      file_.refuse(map, "addressUnitBits",
                   fmt::format("expected addresses of bytes, got units of {} bits", unit));
    std::int64_t end = page;
    for (const XmlElement* block : file_.children(map, "addressBlock")) {
      if (!file_.child(block, "register") && !file_.child(block, "registerFile")) continue;  // of a memory
      const std::int64_t base = bytes(block, "baseAddress", 0);
      end = std::max(end, base + bytes(block, "range", 0));
      read_level(block, base, "");
    }
    if (registers_.empty()) return;
    const XmlElement* root = file_.root();
    Json device;
    device["meaning"] = meaning(root);
    end = (end + page - 1) / page * page;
    if (end != page) device["size"] = fmt::format("{}KiB", end / 1024);
    Json compatible = Json::array();
    for (const XmlElement* extension : file_.children(file_.child(root, "vendorExtensions"), "compatible"))
      compatible.push_back(file_.text(extension));
    if (!compatible.empty()) device["compatible"] = compatible;
    device["registers"] = std::move(registers_);
    described_.say("device", std::move(device), file_.origin_of(map));
    described_.said["device.meaning"] = file_.origin_of(root);
  }

 private:
  // An address or a size in the device.
  std::int64_t bytes(const XmlElement* element, std::string_view key, std::int64_t otherwise) const {
    const std::int64_t value = file_.value(element, key, otherwise);
    if (value < 0 || value > most_bytes)
      file_.refuse(file_.child(element, key), std::string(key),
                   fmt::format("expected at most 1 GiB, got {}", value));
    return value;
  }

  // What an element is, in one line.
  std::string meaning(const XmlElement* element) const {
    for (const char* key : {"description", "shortDescription", "displayName", "name"})
      if (std::string text = file_.text(element, key); !text.empty()) return text;
    return "";
  }

  void read_level(const XmlElement* parent, std::int64_t base, const std::string& prefix) {
    for (const XmlElement* file : file_.children(parent, "registerFile")) {
      const std::vector<std::int64_t> places = places_of(file, bytes(file, "range", 4));
      for (std::size_t i = 0; i < places.size(); ++i)
        read_level(file, base + places[i], fmt::format("{}{}_", prefix, indexed(file, i, places.size())));
    }
    for (const XmlElement* reg : file_.children(parent, "register")) {
      const std::int64_t size = file_.value(reg, "size", 32);
      if (size < 1 || size > 32)
        file_.refuse(reg, "size",
                     fmt::format("{} has {} bits, expected at most 32", file_.text(reg, "name"), size));
      const std::vector<std::int64_t> places = places_of(reg, (size + 7) / 8);
      for (std::size_t i = 0; i < places.size(); ++i)
        add(reg, base + places[i], fmt::format("{}{}", prefix, indexed(reg, i, places.size())));
    }
  }

  std::string indexed(const XmlElement* element, std::size_t i, std::size_t count) const {
    const std::string name = file_.text(element, "name");
    return count == 1 ? name : name + std::to_string(i);
  }

  // The offsets of the elements of an array, which has one element if it has no dimension; some tools write
  // the dimension 0 of what is no array.
  std::vector<std::int64_t> places_of(const XmlElement* element, std::int64_t size) {
    std::int64_t count = 1;
    const XmlElement* array = file_.child(element, "array");
    for (const XmlElement* dim : file_.children(array ? array : element, "dim")) {
      const std::int64_t elements = file_.value(dim);
      if (elements > most_elements || (count *= std::max<std::int64_t>(elements, 1)) > most_elements)
        file_.refuse(
            element, "dim",
            fmt::format("expected at most {} elements, got {}", most_elements, std::max(elements, count)));
    }
    const std::int64_t stride = bytes(array, "stride", size), first = bytes(element, "addressOffset", 0);
    if ((count_ += count) > most_registers)
      file_.refuse(element, "", fmt::format("the memory map has more than {} registers", most_registers));
    std::vector<std::int64_t> places;
    places.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) places.push_back(first + i * stride);
    return places;
  }

  void add(const XmlElement* reg, std::int64_t offset, const std::string& name) {
    const std::string path = fmt::format("device.registers.{}", registers_.size());
    described_.said[path] = file_.origin_of(reg);
    refuse_double(reg, offset, constant_name(name, true));
    Json json;
    json["offset"] = hex_word(static_cast<std::uint64_t>(offset));
    json["name"] = constant_name(name, true);
    const std::vector<const XmlElement*> fields = file_.children(reg, "field");
    if (const std::string access = access_of(reg, fields); access != "read_write") json["access"] = access;
    if (const auto value = reset_of(reg, fields)) json["reset_value"] = hex_word(*value);
    json["meaning"] = meaning(reg);
    if (!is_one_number(fields, json["name"])) {
      Json listed = Json::array();
      for (const XmlElement* field : fields)
        if (!is_reserved(field)) {
          described_.said[fmt::format("{}.fields.{}", path, listed.size())] = file_.origin_of(field);
          listed.push_back(field_of(field));
        }
      json["fields"] = std::move(listed);
    }
    registers_.push_back(std::move(json));
  }

  // IP-XACT requires a field; one that is the whole register, and has its name, says nothing more.
  bool is_one_number(const std::vector<const XmlElement*>& fields, const std::string& name) const {
    if (fields.empty()) return true;
    return fields.size() == 1 && file_.value(fields[0], "bitOffset", 0) == 0 &&
           !file_.child(fields[0], "enumeratedValues") &&
           constant_name(file_.text(fields[0], "name"), true) == name;
  }

  bool is_reserved(const XmlElement* field) const {
    return file_.value(policy_of(field), "reserved", 0) != 0 ||
           constant_name(file_.text(field, "name"), false).starts_with("reserved");
  }

  Json field_of(const XmlElement* field) const {
    Json json;
    json["name"] = constant_name(file_.text(field, "name"), false);
    json["low"] = file_.value(field, "bitOffset", 0);
    if (const std::int64_t width = file_.value(field, "bitWidth", 1); width != 1) json["width"] = width;
    json["meaning"] = meaning(field);
    for (const XmlElement* value : file_.children(file_.child(field, "enumeratedValues"), "enumeratedValue"))
      json["values"][constant_name(file_.text(value, "name"), false)] = file_.value(value, "value", 0);
    return json;
  }

  // Where a field says its access: in 2022 in its policy.
  const XmlElement* policy_of(const XmlElement* field) const {
    const XmlElement* policy = file_.child(field, "fieldAccessPolicies/fieldAccessPolicy");
    return policy ? policy : field;
  }

  // The accesses of IP-XACT that block.json has.
  std::string known_access(const XmlElement* element) const {
    std::string access = file_.text(element);
    static constexpr std::array known = {"read-write", "read-only", "write-only", "no-access"};
    if (element && std::ranges::count(known, access) == 0)
      file_.refuse(
          element, "access",
          fmt::format("expected {}, got {}", fmt::join(known, ", "), access.empty() ? "\"\"" : access));
    return access;
  }

  // What a write does to a field, as block.json has it: "" if it is what its access says.
  std::string write_effect(const XmlElement* modified, const std::string& access) const {
    const std::string effect = file_.text(modified);
    if (!modified || access == "write-only") return "";
    if (effect != "oneToClear" && effect != "oneToSet")
      file_.refuse(modified, "modifiedWriteValue",
                   fmt::format("expected oneToClear or oneToSet, which block.json has, got {}", effect));
    return effect == "oneToClear" ? "write_one_to_clear" : "write_one_to_set";
  }

  // block.json has one access for a register: what holds for all its fields, else the one that allows most.
  // What a write of ones does holds for a whole register, beside fields that are only read.
  std::string access_of(const XmlElement* reg, const std::vector<const XmlElement*>& fields) const {
    // Where a register says none, it has that of the address block.
    const XmlElement* said = nullptr;
    for (const XmlElement* each : {reg, reg->Parent()->ToElement()})
      for (const char* path : {"access", "accessPolicies/accessPolicy/access"})
        if (!said) said = file_.child(each, path);
    const std::string of_register = known_access(said);
    std::set<std::string> all;
    const XmlElement* modified = nullptr;
    for (const XmlElement* field : fields) {
      const XmlElement* policy = policy_of(field);
      std::string access = known_access(file_.child(policy, "access"));
      if (access.empty()) access = of_register;
      const XmlElement* effect = file_.child(policy, "modifiedWriteValue");
      if (const std::string effect_of_write = write_effect(effect, access); !effect_of_write.empty()) {
        modified = effect;
        all.insert(effect_of_write);
      } else {
        all.insert(access == "read-only" || access == "no-access" ? "read_only"
                   : access == "write-only"                       ? "write_only"
                                                                  : "read_write");
      }
    }
    if (all.empty())
      return of_register == "read-only"    ? "read_only"
             : of_register == "write-only" ? "write_only"
                                           : "read_write";
    if (all.size() > 1) all.erase("read_only");
    if (all.size() > 1 && modified)
      file_.refuse(modified, "modifiedWriteValue",
                   fmt::format("a register has one access, and the fields of {} differ: {}; expected {} for "
                               "each field that is written",
                               file_.text(reg, "name"), fmt::join(all, ", "), file_.text(modified)));
    return all.size() == 1 ? *all.begin() : "read_write";
  }

  // A reset value, which has no more bits than what it is the value of.
  std::uint64_t reset_value(const XmlElement* reset, std::int64_t width) const {
    const std::int64_t value = file_.value(reset);
    if (value < 0 || (width < 63 && value >> std::max<std::int64_t>(width, 0) != 0))
      file_.refuse(reset, "reset",
                   fmt::format("expected a value of {} bits, got {}", width, file_.text(reset)));
    return static_cast<std::uint64_t>(value);
  }

  // nullopt if a field that exists has no reset value. Bits without a field are 0.
  std::optional<std::uint64_t> reset_of(const XmlElement* reg,
                                        const std::vector<const XmlElement*>& fields) const {
    if (const XmlElement* whole = file_.child(reg, "reset/value"))
      return reset_value(whole, file_.value(reg, "size", 32));
    std::uint64_t value = 0;
    for (const XmlElement* field : fields) {
      if (is_reserved(field)) continue;
      const XmlElement* reset = file_.child(field, "resets/reset/value");
      if (!reset) return std::nullopt;
      value |= reset_value(reset, file_.value(field, "bitWidth", 1))
               << static_cast<unsigned>(file_.value(field, "bitOffset", 0) & 31);
    }
    return fields.empty() ? std::nullopt : std::optional(value & 0xffff'ffffU);
  }

  // Two registers of a name, or at an offset, which software could not tell apart.
  void refuse_double(const XmlElement* reg, std::int64_t offset, const std::string& name) {
    const auto [same_name, is_new_name] = by_name_.emplace(name, reg);
    const auto [same_offset, is_new_offset] = by_offset_.emplace(offset, reg);
    if (!is_new_name)
      file_.refuse(reg, "register",
                   fmt::format("there is a register {} at line {} already, expected another name", name,
                               file_.origin_of(same_name->second).line));
    if (!is_new_offset)
      file_.refuse(
          reg, "register",
          fmt::format("{} is at the offset {} of the register {} at line {}, expected another one", name,
                      hex_word(static_cast<std::uint64_t>(offset)), file_.text(same_offset->second, "name"),
                      file_.origin_of(same_offset->second).line));
  }

  const IpxactFile& file_;
  DescribedBlock& described_;
  Json registers_ = Json::array();
  std::map<std::string, const XmlElement*> by_name_;
  std::map<std::int64_t, const XmlElement*> by_offset_;
  std::int64_t count_ = 0;  // of registers and register files
};

}  // namespace

void describe_registers(const IpxactFile& file, const std::string& memory_map, DescribedBlock& described) {
  const auto maps = file.children(file.child(file.root(), "memoryMaps"), "memoryMap");
  const XmlElement* chosen = maps.size() == 1 && memory_map.empty() ? maps.front() : nullptr;
  for (const XmlElement* map : maps)
    if (!memory_map.empty() && file.text(map, "name") == memory_map) chosen = map;
  if (chosen) RegisterReader(file, described).run(chosen);
}

}  // namespace asterism
