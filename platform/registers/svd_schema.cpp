#include "platform/registers/svd_schema.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace asterism {
namespace {

using boost::property_tree::ptree;
using Problems = std::vector<std::string>;

constexpr int many = 1 << 30;

struct Element {
  const char* name;
  int least, most;
  const char* type;
};

struct ComplexType {
  std::vector<Element> sequence;        // elements that come first, in this order
  std::vector<Element> any_order = {};  // elements that follow, at least one of them
};

std::vector<Element> operator+(std::vector<Element> one, const std::vector<Element>& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

const std::vector<Element> dimension = {{"dim", 0, 1, "number"},
                                        {"dimIncrement", 0, 1, "number"},
                                        {"dimIndex", 0, 1, "index"},
                                        {"dimName", 0, 1, "identifier"}};
const std::vector<Element> properties = {{"size", 0, 1, "number"},
                                         {"access", 0, 1, "access"},
                                         {"protection", 0, 1, "protection"},
                                         {"resetValue", 0, 1, "number"},
                                         {"resetMask", 0, 1, "number"}};

const std::map<std::string, ComplexType> complex_types = {
    {"device",
     {std::vector<Element>{{"vendor", 0, 1, "string"},
                           {"vendorID", 0, 1, "identifier"},
                           {"name", 1, 1, "identifier"},
                           {"series", 0, 1, "string"},
                           {"version", 1, 1, "string"},
                           {"description", 1, 1, "string"},
                           {"licenseText", 0, 1, "string"},
                           {"addressUnitBits", 1, 1, "number"},
                           {"width", 1, 1, "number"}} +
      properties + std::vector<Element>{{"peripherals", 1, 1, "peripherals"}}}},
    {"peripherals", {{{"peripheral", 1, many, "peripheral"}}}},
    {"peripheral",
     {dimension +
      std::vector<Element>{{"name", 1, 1, "dimable"},
                           {"version", 0, 1, "string"},
                           {"description", 0, 1, "string"},
                           {"groupName", 0, 1, "identifier"},
                           {"baseAddress", 1, 1, "number"}} +
      properties +
      std::vector<Element>{{"addressBlock", 1, many, "addressBlock"},
                           {"interrupt", 0, many, "interrupt"},
                           {"registers", 0, 1, "registers"}}}},
    {"addressBlock", {{{"offset", 1, 1, "number"}, {"size", 1, 1, "number"}, {"usage", 1, 1, "usage"}}}},
    {"interrupt", {{{"name", 1, 1, "string"}, {"description", 0, 1, "string"}, {"value", 1, 1, "integer"}}}},
    {"registers", {{}, {{"cluster", 0, many, "cluster"}, {"register", 0, many, "register"}}}},
    {"cluster",
     {dimension +
          std::vector<Element>{{"name", 1, 1, "dimable"},
                               {"description", 1, 1, "string"},
                               {"headerStructName", 0, 1, "identifier"},
                               {"addressOffset", 1, 1, "number"}} +
          properties,
      {{"register", 0, many, "register"}, {"cluster", 0, many, "cluster"}}}},
    {"register",
     {dimension +
      std::vector<Element>{{"name", 1, 1, "dimable"},
                           {"displayName", 0, 1, "string"},
                           {"description", 0, 1, "string"},
                           {"addressOffset", 1, 1, "number"}} +
      properties +
      std::vector<Element>{{"modifiedWriteValues", 0, 1, "modifiedWriteValues"},
                           {"readAction", 0, 1, "readAction"},
                           {"fields", 0, 1, "fields"}}}},
    {"fields", {{{"field", 1, many, "field"}}}},
    {"field",
     {{{"name", 1, 1, "dimable"},
       {"description", 0, 1, "string"},
       {"bitOffset", 1, 1, "number"},
       {"bitWidth", 0, 1, "number"},
       {"access", 0, 1, "access"},
       {"modifiedWriteValues", 0, 1, "modifiedWriteValues"},
       {"readAction", 0, 1, "readAction"},
       {"enumeratedValues", 0, 2, "enumeratedValues"}}}},
    {"enumeratedValues", {{{"name", 0, 1, "identifier"}, {"enumeratedValue", 1, many, "enumeratedValue"}}}},
    {"enumeratedValue",
     {{{"name", 1, 1, "identifier"}, {"description", 0, 1, "string"}, {"value", 1, 1, "enumerated"}}}},
};

const std::map<std::string, std::regex>& simple_types() {
  static const std::map<std::string, std::regex> types = {
      {"string", std::regex("[\\s\\S]+")},
      {"integer", std::regex("[-+]?[0-9]+")},
      {"identifier", std::regex("[_A-Za-z0-9]*")},
      {"dimable", std::regex("((%s)|(%s)[_A-Za-z][_A-Za-z0-9]*)|([_A-Za-z][_A-Za-z0-9]*(\\[%s\\])?)|"
                             "([_A-Za-z][_A-Za-z0-9]*(%s)?[_A-Za-z0-9]*)")},
      {"index", std::regex("[0-9]+-[0-9]+|[A-Z]-[A-Z]|[_0-9a-zA-Z]+(,\\s*[_0-9a-zA-Z]+)+")},
      {"number", std::regex("[+]?(0x|0X|#)?[0-9a-fA-F]+[kmgtKMGT]?")},
      {"enumerated", std::regex("[+]?(((0x|0X)[0-9a-fA-F]+)|([0-9]+)|((#|0b)[01xX]+))")},
      {"access", std::regex("read-only|write-only|read-write|writeOnce|read-writeOnce")},
      {"protection", std::regex("[snp]")},
      {"usage", std::regex("registers|buffer|reserved")},
      {"modifiedWriteValues",
       std::regex("oneToClear|oneToSet|oneToToggle|zeroToClear|zeroToSet|zeroToToggle|clear|set|modify")},
      {"readAction", std::regex("clear|set|modify|modifyExternal")},
  };
  return types;
}

std::string text_of(const ptree& tree, const char* element) { return tree.get<std::string>(element, ""); }

// "register(STATUS)"
std::string title(const std::string& element, const ptree& tree) {
  const std::string name = text_of(tree, "name");
  return name.empty() ? element : fmt::format("{}({})", element, name);
}

// ---- the schema ----

void check_type(const ptree& tree, const std::string& type, const std::string& path, Problems& problems);

void check_attributes(const ptree& tree, const std::string& type, const std::string& path,
                      Problems& problems) {
  const auto attributes = tree.get_child_optional("<xmlattr>");
  std::set<std::string> names;
  if (attributes)
    for (const auto& [name, value] : *attributes) names.insert(name);
  if (type == "peripheral") names.erase("derivedFrom");
  const std::set<std::string> of_device = {"schemaVersion", "xmlns:xs", "xs:noNamespaceSchemaLocation"};
  if (names != (type == "device" ? of_device : std::set<std::string>{}))
    problems.push_back(fmt::format("{}: has the attributes {}", path, fmt::join(names, ", ")));
}

void check_complex(const ptree& tree, const ComplexType& type, const std::string& path, Problems& problems) {
  std::map<std::string, int> counts;
  std::size_t at = 0;
  for (const auto& [name, child] : tree) {
    if (name == "<xmlattr>") continue;
    const auto is_named = [&, &name = name](const Element& element) { return name == element.name; };
    const auto next =
        std::find_if(type.sequence.begin() + static_cast<std::ptrdiff_t>(at), type.sequence.end(), is_named);
    const auto other = std::ranges::find_if(type.any_order, is_named);
    const Element* element = nullptr;
    if (next != type.sequence.end()) {
      element = &*next;
      at = static_cast<std::size_t>(next - type.sequence.begin());
    } else if (other != type.any_order.end()) {
      element = &*other;
      at = type.sequence.size();
    } else {
      problems.push_back(fmt::format("{}: {} is not expected there", path, name));
      continue;
    }
    ++counts[name];
    check_type(child, element->type, path + "." + title(name, child), problems);
  }
  for (const Element& element : type.sequence)
    if (counts[element.name] < element.least || counts[element.name] > element.most)
      problems.push_back(fmt::format("{}: has {} times {}", path, counts[element.name], element.name));
  if (!type.any_order.empty() &&
      std::ranges::all_of(type.any_order, [&](const Element& element) { return counts[element.name] == 0; }))
    problems.push_back(fmt::format("{}: is empty", path));
  if (counts["dim"] != counts["dimIncrement"])
    problems.push_back(fmt::format("{}: dim and dimIncrement go together", path));
}

void check_type(const ptree& tree, const std::string& type, const std::string& path, Problems& problems) {
  check_attributes(tree, type, path, problems);
  if (const auto complex = complex_types.find(type); complex != complex_types.end()) {
    if (!boost::trim_copy(tree.data()).empty()) problems.push_back(path + ": holds text beside elements");
    return check_complex(tree, complex->second, path, problems);
  }
  if (!tree.empty() || !std::regex_match(tree.data(), simple_types().at(type)))
    problems.push_back(fmt::format("{}: \"{}\" is no {}", path, tree.data(), type));
}

// ---- beyond the schema ----

std::uint64_t number(const ptree& tree, const char* element, std::uint64_t otherwise = 0) {
  const std::string text = text_of(tree, element);
  return text.empty() ? otherwise : std::stoull(text, nullptr, text.find_first_of("xX") == 1 ? 16 : 10);
}

// The names of the elements of an array, or the name alone.
std::vector<std::string> expanded_names(const ptree& tree, const std::string& path, Problems& problems) {
  const std::string name = text_of(tree, "name");
  const bool is_array = name.find("%s") != std::string::npos;
  if (is_array != !text_of(tree, "dim").empty()) problems.push_back(path + ": dim and %s go together");
  if (!is_array) return {name};
  std::vector<std::string> indices, names;
  const std::string index = text_of(tree, "dimIndex");
  boost::split(indices, index, boost::is_any_of(","));
  if (indices.size() != number(tree, "dim")) problems.push_back(path + ": dimIndex has not dim elements");
  for (const std::string& each : indices) names.push_back(boost::replace_first_copy(name, "%s", each));
  return names;
}

struct Reader {
  Problems problems;
  std::vector<SvdRegister> registers;
  std::string peripheral;
  std::uint64_t default_mask = 0, default_size = 0, first = 0, last = 0;

  void expect_unique(std::set<std::string>& names, const std::string& name, const std::string& path) {
    if (!names.insert(name).second) problems.push_back(fmt::format("{}: {} stands twice", path, name));
  }

  SvdField field(const ptree& tree, const std::string& path) {
    SvdField one{text_of(tree, "name"), static_cast<unsigned>(number(tree, "bitOffset")),
                 static_cast<unsigned>(number(tree, "bitWidth", 1))};
    if (one.width == 0 || one.low + one.width > default_size)
      problems.push_back(fmt::format("{}: {} lies outside the register", path, one.name));
    std::set<std::string> names, numbers;
    if (const auto values = tree.get_child_optional("enumeratedValues"))
      for (const auto& [element, value] : *values) {
        one.values.emplace_back(text_of(value, "name"), number(value, "value"));
        expect_unique(names, one.values.back().first, path + "." + one.name);
        expect_unique(numbers, std::to_string(one.values.back().second), path + "." + one.name);
        if (one.values.back().second >> one.width != 0)
          problems.push_back(fmt::format("{}: {} does not fit {}", path, one.values.back().first, one.name));
      }
    return one;
  }

  std::vector<SvdField> fields(const ptree& tree, const std::string& path) {
    std::vector<SvdField> all;
    std::set<std::string> names;
    std::uint64_t used = 0;
    const auto children = tree.get_child_optional("fields");
    if (!children) return all;
    for (const auto& [element, child] : *children) {
      all.push_back(field(child, path));
      const SvdField& one = all.back();
      expect_unique(names, one.name, path);
      const std::uint64_t mask = ((std::uint64_t{1} << one.width) - 1) << one.low;
      if ((used & mask) != 0) problems.push_back(fmt::format("{}: {} overlaps a field", path, one.name));
      used |= mask;
    }
    return all;
  }

  void add_register(const ptree& tree, const std::string& prefix, std::uint64_t base,
                    std::set<std::string>& names) {
    const std::string path = peripheral + "." + prefix + text_of(tree, "name");
    std::uint64_t address = base + number(tree, "addressOffset");
    for (const std::string& name : expanded_names(tree, path, problems)) {
      expect_unique(names, name, path);
      SvdRegister one{peripheral,
                      prefix + name,
                      address,
                      text_of(tree, "description"),
                      text_of(tree, "access"),
                      text_of(tree, "modifiedWriteValues"),
                      text_of(tree, "readAction"),
                      number(tree, "resetValue"),
                      number(tree, "resetMask", default_mask),
                      fields(tree, path)};
      const std::uint64_t bytes = number(tree, "size", default_size) / 8;
      if (bytes == 0 || address % bytes != 0 || address < first || address + bytes - 1 > last)
        problems.push_back(path + ": lies outside the address block, or not aligned");
      for (const SvdRegister& other : registers)
        if (other.address < address + bytes && address < other.address + bytes)
          problems.push_back(fmt::format("{}: overlaps {}", path, other.name));
      if (one.reset_value >> default_size != 0) problems.push_back(path + ": the reset value does not fit");
      registers.push_back(std::move(one));
      address += number(tree, "dimIncrement");
    }
  }

  void add_cluster(const ptree& tree, const std::string& element, const std::string& prefix,
                   std::uint64_t base, std::set<std::string>& names) {
    if (element == "register") return add_register(tree, prefix, base, names);
    if (element != "cluster") return;
    std::uint64_t address = base + number(tree, "addressOffset");
    for (const std::string& name : expanded_names(tree, peripheral + "." + prefix, problems)) {
      expect_unique(names, name, peripheral + "." + prefix);
      std::set<std::string> within;
      for (const auto& [below, child] : tree) add_cluster(child, below, prefix + name + ".", address, within);
      address += number(tree, "dimIncrement");
    }
  }

  // The element "registers" of the device, or that of the peripheral from which it is derived; nullptr, with
  // an error, if neither has one.
  const ptree* registers_of(const ptree& tree, const ptree& device) {
    const ptree* found = &tree;
    if (const std::string base = tree.get<std::string>("<xmlattr>.derivedFrom", ""); !base.empty())
      for (const auto& [element, other] : device.get_child("peripherals"))
        if (text_of(other, "name") == base) found = &other;
    const auto registers = found->get_child_optional("registers");
    if (!registers) problems.push_back(peripheral + ": has no registers");
    return registers ? &*registers : nullptr;
  }

  void read(const ptree& device) {
    default_mask = number(device, "resetMask");
    default_size = number(device, "size");
    std::set<std::string> names, interrupts;
    std::map<std::uint64_t, std::uint64_t> blocks;
    for (const auto& [element, tree] : device.get_child("peripherals")) {
      peripheral = text_of(tree, "name");
      expect_unique(names, peripheral, "peripherals");
      if (const auto value = tree.get_optional<std::string>("interrupt.value"))
        expect_unique(interrupts, *value, peripheral + ".interrupt");
      first = number(tree, "baseAddress") + number(tree.get_child("addressBlock"), "offset");
      last = first + number(tree.get_child("addressBlock"), "size") - 1;
      for (const auto& [begin, end] : blocks)
        if (begin <= last && first <= end) problems.push_back(peripheral + ": overlaps a peripheral");
      blocks[first] = last;
      const ptree* const registers = registers_of(tree, device);
      if (!registers) continue;
      std::set<std::string> of_registers;
      for (const auto& [below, child] : *registers)
        add_cluster(child, below, "", number(tree, "baseAddress"), of_registers);
    }
  }
};

}  // namespace

SvdDocument read_svd(const std::string& text) {
  ptree tree;
  std::istringstream in(text);
  try {
    read_xml(in, tree);
  } catch (const boost::property_tree::xml_parser_error& error) {
    return {{error.what()}, {}};
  }
  if (tree.size() != 1 || tree.front().first != "device") return {{"the root is not one device"}, {}};
  const ptree& device = tree.front().second;
  Problems problems;
  check_type(device, "device", "device", problems);
  if (!problems.empty()) return {std::move(problems), {}};
  Reader reader;
  reader.read(device);
  return {std::move(reader.problems), std::move(reader.registers)};
}

}  // namespace asterism
