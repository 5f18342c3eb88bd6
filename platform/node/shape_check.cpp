#include "platform/node/shape_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/case_conv.hpp>
#include <set>
#include <variant>

namespace asterism {
namespace {

constexpr std::string_view first_of_identifier = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
constexpr std::string_view of_identifier = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

bool is_part_of_identifier(std::string_view text) {
  return text.find_first_not_of(of_identifier) == text.npos;
}
bool is_identifier(std::string_view name) {
  return !name.empty() && first_of_identifier.find(name.front()) != name.npos && is_part_of_identifier(name);
}

// Names of one list, which become C identifiers in capitals.
class Names {
 public:
  explicit Names(const char* what) : what_(what) {}
  std::string mistake_in(const std::string& name) {
    if (!is_identifier(name)) return fmt::format("the name of its {} \"{}\" is no C identifier", what_, name);
    if (!seen_.insert(boost::algorithm::to_upper_copy(name)).second)
      return fmt::format("it has two {}s \"{}\"", what_, name);
    return "";
  }

 private:
  const char* what_;
  std::set<std::string> seen_;
};

std::string mistake_of_values(const Field& field) {
  Names names("value");
  for (const FieldValue& value : field.values) {
    if (std::string mistake = names.mistake_in(value.name); !mistake.empty()) return mistake;
    if (field.width < 32 && value.value >> field.width != 0)
      return fmt::format("its value \"{}\" has more than {} bits", value.name, field.width);
  }
  return "";
}

std::string mistake_of_fields(const Register& reg) {
  Names names("field");
  std::uint32_t used = 0;
  for (const Field& field : reg.fields()) {
    if (field.width == 0 || field.low >= 32 || field.width > 32 - field.low)
      return fmt::format("its field \"{}\" is not within its 32 bits", field.name);
    if ((used & field.mask()) != 0) return fmt::format("its field \"{}\" overlaps another one", field.name);
    used |= field.mask();
    if (field.kind == Field::Kind::reserved) continue;
    if (std::string mistake = names.mistake_in(field.name); !mistake.empty()) return mistake;
    if (const std::string mistake = mistake_of_values(field); !mistake.empty())
      return fmt::format("{}: {}", field.name, mistake);
  }
  return "";
}

std::string mistake_in(const RegisterBank& bank) {
  Names names("register");
  for (const Register* reg : bank.registers()) {
    if (std::string mistake = names.mistake_in(reg->name()); !mistake.empty()) return mistake;
    const std::string constant = boost::algorithm::to_upper_copy(reg->name());
    if (constant == "BASE" || constant == "INTERRUPT")
      return fmt::format("the name of its register \"{}\" is that of another constant of the header",
                         reg->name());
    if (const std::string mistake = mistake_of_fields(*reg); !mistake.empty())
      return fmt::format("{}: {}", reg->name(), mistake);
  }
  return "";
}

}  // namespace

std::string mistake_in(const DeviceShape& shape) {
  for (const DeviceTarget& target : shape.targets) {
    if (target.size == Bytes(0)) return "a target has no size";
    for (const std::string& suffix : {target.suffix, target.header_suffix})
      if (!is_part_of_identifier(suffix))
        return fmt::format("the suffix \"{}\" of a target cannot be part of a C identifier", suffix);
    if (!target.registers) continue;
    if (target.registers->size() > target.size)
      return fmt::format("{}: its registers have {} bytes, and its target {}", target.registers->device(),
                         target.registers->size().count(), target.size.count());
    if (const std::string mistake = mistake_in(*target.registers); !mistake.empty())
      return fmt::format("{}: {}", target.registers->device(), mistake);
  }
  return "";
}

std::string mistake_in(const std::vector<DeviceTreeNode>& nodes) {
  for (const DeviceTreeNode& node : nodes) {
    if (node.name.empty()) return "a node has no name";
    const auto* const reg = node.find("reg");
    const auto* const cells = reg ? std::get_if<DeviceTreeNode::Cells>(reg) : nullptr;
    if (reg && (!cells || cells->empty() || cells->size() % 4 != 0))
      return fmt::format("{}: its reg has no groups of four cells", node.name);
    const auto* const compatible = node.find("compatible");
    const auto* const names = compatible ? std::get_if<DeviceTreeNode::Strings>(compatible) : nullptr;
    if (compatible && (!names || names->empty() || std::ranges::count(*names, "") != 0))
      return fmt::format("{}: its compatible has no string, or an empty one", node.name);
  }
  return "";
}

}  // namespace asterism
