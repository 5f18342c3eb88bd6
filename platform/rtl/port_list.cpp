#include "platform/rtl/port_list.h"

#include <algorithm>
#include <array>
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <cstdint>
#include <cstdlib>
#include <map>

namespace asterism {
namespace {

using boost::property_tree::ptree;

constexpr std::uint64_t widest = 1U << 20;

// Verilator prefixes these names with "__SYM__".
constexpr auto keywords = std::to_array<std::string_view>({"abort",
                                                           "alignas",
                                                           "alignof",
                                                           "and",
                                                           "and_eq",
                                                           "asm",
                                                           "atomic_cancel",
                                                           "atomic_commit",
                                                           "auto",
                                                           "bitand",
                                                           "bitor",
                                                           "bool",
                                                           "catch",
                                                           "char",
                                                           "char16_t",
                                                           "char32_t",
                                                           "char8_t",
                                                           "co_await",
                                                           "co_return",
                                                           "co_yield",
                                                           "compl",
                                                           "concept",
                                                           "const_cast",
                                                           "consteval",
                                                           "constexpr",
                                                           "constinit",
                                                           "decltype",
                                                           "delete",
                                                           "double",
                                                           "dynamic_cast",
                                                           "explicit",
                                                           "false",
                                                           "float",
                                                           "friend",
                                                           "goto",
                                                           "inline",
                                                           "long",
                                                           "mutable",
                                                           "namespace",
                                                           "noexcept",
                                                           "not",
                                                           "not_eq",
                                                           "nullptr",
                                                           "operator",
                                                           "or",
                                                           "or_eq",
                                                           "private",
                                                           "register",
                                                           "reinterpret_cast",
                                                           "requires",
                                                           "short",
                                                           "sizeof",
                                                           "static_assert",
                                                           "static_cast",
                                                           "switch",
                                                           "template",
                                                           "thread_local",
                                                           "throw",
                                                           "true",
                                                           "try",
                                                           "typeid",
                                                           "typename",
                                                           "using",
                                                           "volatile",
                                                           "wchar_t",
                                                           "xor",
                                                           "xor_eq"});

struct Shape {
  std::uint64_t width = 0;
  std::string problem;
};

// The widths of the types in the table of the file, by id.
class Types {
 public:
  explicit Types(const ptree& netlist) {
    for (const auto& [tag, table] : netlist)
      if (tag == "typetable")
        for (const auto& [kind, type] : table)
          if (const auto id = type.get_optional<std::string>("<xmlattr>.id")) types_[*id] = {kind, &type};
  }

  Shape shape(const std::string& id) const {
    const auto found = types_.find(id);
    if (found == types_.end()) return {0, "has a type that is not known here"};
    const auto& [kind, type] = found->second;
    if (kind == "basicdtype") return basic(*type);
    if (kind == "packarraydtype") return array(*type);
    if (kind == "structdtype" || kind == "uniondtype") return members(*type, kind == "structdtype");
    if (kind == "enumdtype" || kind == "refdtype" || kind == "memberdtype" || kind == "constdtype" ||
        kind == "paramtypedtype")
      return shape(inner(*type));
    if (kind == "unpackarraydtype") return {0, "is an unpacked array; make it a packed one"};
    return {0, "has a type that no C interface carries (" + kind + ")"};
  }

 private:
  static std::string inner(const ptree& type) { return type.get("<xmlattr>.sub_dtype_id", ""); }

  static Shape basic(const ptree& type) {
    const std::string name = type.get("<xmlattr>.name", "");
    for (const char* packed :
         {"logic", "bit", "int", "integer", "byte", "shortint", "longint", "time", "reg"})
      if (name == packed) {
        const auto left = type.get("<xmlattr>.left", 0L), right = type.get("<xmlattr>.right", 0L);
        return {static_cast<std::uint64_t>(std::labs(left - right)) + 1, ""};
      }
    return {0, "is of type " + name + ", which has no bits of its own"};
  }

  // <range><const name="32'sh1"/><const name="32'sh0"/></range>
  Shape array(const ptree& type) const {
    Shape shape = this->shape(inner(type));
    std::vector<std::int64_t> bounds;
    for (const auto& [tag, range] : type)
      if (tag == "range")
        for (const auto& [kind, bound] : range)
          if (kind == "const") bounds.push_back(number(bound.get("<xmlattr>.name", "")));
    if (bounds.size() != 2) return {0, "has bounds that are not constants"};
    shape.width *= static_cast<std::uint64_t>(std::llabs(bounds[0] - bounds[1])) + 1;
    return shape;
  }

  Shape members(const ptree& type, bool side_by_side) const {
    Shape all;
    for (const auto& [tag, member] : type) {
      if (tag != "memberdtype") continue;
      Shape one = shape(inner(member));
      if (!one.problem.empty()) return one;
      all.width = side_by_side ? all.width + one.width : std::max(all.width, one.width);
    }
    return all;
  }

  // "32'shfffffffe": 32 signed bits in hexadecimal.
  static std::int64_t number(const std::string& text) {
    const std::size_t quote = text.find('\'');
    if (quote == std::string::npos) return std::strtoll(text.c_str(), nullptr, 10);
    const std::size_t digits = text.find('h', quote);
    if (digits == std::string::npos) return 0;
    const auto value = std::strtoull(text.c_str() + digits + 1, nullptr, 16);
    return text[quote + 1] == 's' ? static_cast<std::int32_t>(value) : static_cast<std::int64_t>(value);
  }

  std::map<std::string, std::pair<std::string, const ptree*>> types_;
};

TopPort port_of(const ptree& var, const Types& types) {
  TopPort port;
  port.name = var.get("<xmlattr>.name", "");
  port.identifier = var.get("<xmlattr>.origName", port.name);
  if (std::ranges::count(keywords, port.identifier) != 0) port.identifier = "__SYM__" + port.identifier;
  const std::string direction = var.get("<xmlattr>.dir", "");
  port.direction = direction == "output" ? TopPort::Direction::output : TopPort::Direction::input;
  const Shape shape = types.shape(var.get("<xmlattr>.dtype_id", ""));
  port.width = static_cast<unsigned>(std::min(shape.width, widest));
  port.problem = shape.problem;
  if (direction != "input" && direction != "output")
    port.problem = "is an " + direction + "; make it an input and an output";
  else if (port.problem.empty() && shape.width > widest)
    port.problem = "has more than " + std::to_string(widest) + " bits";
  return port;
}

}  // namespace

const TopPort* TopModule::find(std::string_view wanted) const {
  const auto found = std::ranges::find(ports, wanted, &TopPort::name);
  return found == ports.end() ? nullptr : &*found;
}

std::vector<std::string> TopModule::port_names() const {
  std::vector<std::string> names;
  for (const TopPort& port : ports) names.push_back(port.name);
  return names;
}

TopModule read_port_list(const std::filesystem::path& xml) {
  ptree file;
  boost::property_tree::read_xml(xml.string(), file);
  const ptree& netlist = file.get_child("verilator_xml.netlist");
  const Types types(netlist);
  for (const auto& [tag, module] : netlist) {
    if (tag != "module" || module.get("<xmlattr>.topModule", "") != "1") continue;
    TopModule top;
    top.name = module.get("<xmlattr>.name", "");
    if (const auto files = file.get_child_optional("verilator_xml.files"))
      for (const auto& [kind, each] : *files) top.files.emplace_back(each.get("<xmlattr>.filename", ""));
    for (const auto& [kind, var] : module) {
      if (kind != "var") continue;
      if (var.get("<xmlattr>.param", "") == "true") top.parameters.push_back(var.get("<xmlattr>.name", ""));
      if (var.get_optional<std::string>("<xmlattr>.dir")) top.ports.push_back(port_of(var, types));
    }
    return top;
  }
  throw std::runtime_error(xml.string() + " has no top module");
}

}  // namespace asterism
