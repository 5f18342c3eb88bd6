// Each block of rtl/ also has a .core file and an IP-XACT component. They are those that `rtl export` writes,
// obey the rules of their formats, and give the block.json from which they were made.
#include <gmock/gmock.h>
#include <tinyxml2.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "base/temporary_folder.h"
#include "platform/config/config.h"
#include "platform/rtl/block_build.h"
#include "platform/rtl_exchange/block_export.h"
#include "platform/rtl_exchange/block_import.h"
#include "platform/rtl_exchange/core_file.h"
#include "platform/rtl_exchange/ipxact_file.h"
#include "platform/rtl_exchange/ipxact_sequences.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

const fs::path blocks = ASTERISM_SOURCE_RTL;

std::string contents_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  EXPECT_TRUE(in) << file;
  return {std::istreambuf_iterator<char>(in), {}};
}

struct BlockDescriptionsTest : testing::TestWithParam<std::string> {
  BlockDescriptionsTest() { setenv("ASTERISM_RTL_CACHE", (folder / "cache").c_str(), 1); }
  fs::path file(const char* extension) const { return blocks / GetParam() / (GetParam() + extension); }
  ExportRequest exported() const {
    return {.block = blocks / GetParam() / "block.json",
            .vendor = "asterism",
            .library = "rtl",
            .version = "1.0"};
  }
  BlockConfig tree() const { return read_block({.file = blocks / GetParam() / "block.json"}); }
  // As if it were beside block.json, whose paths are relative to it.
  BlockConfig imported(ImportRequest request) const {
    request.out = blocks / GetParam() / "block.json";
    ConfigDocument document = ConfigDocument::parse(import_block(request).text, "imported");
    Diagnostics problems;
    auto config = read_config<BlockConfig>(document, nullptr, problems);
    EXPECT_EQ(problems.text(), "");
    return config;
  }
  TemporaryFolder folder;
};

TEST_P(BlockDescriptionsTest, AreThoseThatExportWrites) {
  EXPECT_EQ(fusesoc_core_of(exported(), file(".core")), contents_of(file(".core")));
  EXPECT_EQ(ipxact_component_of(exported(), file(".xml")), contents_of(file(".xml")));
}

TEST_P(BlockDescriptionsTest, TheComponentGivesItsBlockJson) {
  EXPECT_EQ(expanded(imported({.file = file(".xml"), .out = {}})), expanded(tree()));
}

TEST_P(BlockDescriptionsTest, TheCoreGivesItsBlockJson) {
  EXPECT_EQ(expanded(imported({.file = file(".core"), .out = {}})), expanded(tree()));
}

TEST_P(BlockDescriptionsTest, TheTargetWithAssertionsHasThem) {
  BlockConfig wanted = tree();
  wanted.sources.insert(wanted.sources.end(), wanted.properties.begin(), wanted.properties.end());
  wanted.properties.clear();
  const ImportRequest request{.file = file(".core"), .out = {}, .target = "assertions"};
  EXPECT_EQ(expanded(imported(request)), expanded(wanted));
}

TEST_P(BlockDescriptionsTest, TheComponentHasTheSequencesOfItsStandard) {
  const IpxactFile component(file(".xml"));
  check_sequences(component);
}

// ---- references ----

// The texts of a key in all elements of a name, each of which occurs once.
std::set<std::string> names_of(const IpxactFile& file, const XmlElement* parent, const char* element,
                               const char* key = "name") {
  std::set<std::string> names;
  for (const XmlElement* each : file.children(parent, element))
    EXPECT_TRUE(names.insert(file.text(each, key)).second)
        << element << " " << file.text(each, key) << " twice";
  return names;
}

// The logical ports that an interface may have, and whether they are outputs of a target.
std::map<std::string, bool> logical_ports(const std::string& type) {
  if (type == "APB4")
    return {{"PCLK", false},    {"PRESETn", false}, {"PADDR", false},  {"PSEL", false},
            {"PENABLE", false}, {"PWRITE", false},  {"PWDATA", false}, {"PSTRB", false},
            {"PRDATA", true},   {"PREADY", true},   {"PSLVERR", true}};
  if (type == "simulation")
    return {{"idle", true},   {"next_event", true}, {"power_on_reset", false},
            {"state0", true}, {"state1", true},     {"state2", true}};
  if (type == "arbiter") return {{"request", false}, {"grant", true}};
  std::map<std::string, bool> ports;  // of one direction, that of the interface, except for `ready`
  for (const char* name :
       {"valid",   "data",   "last",       "destination", "parity", "third",   "operation", "mode",
        "outcome", "chips",  "used_third", "syndromes",   "page",   "lines",   "flag",      "answer",
        "phase",   "reason", "pending",    "candidates",  "zone",   "sectors", "complete"})
    ports[name] = false;
  ports["ready"] = true;
  return ports;
}

TEST_P(BlockDescriptionsTest, ThePortsOfTheInterfacesExist) {
  const IpxactFile component(file(".xml"));
  const XmlElement* root = component.root();
  std::map<std::string, bool> outputs;
  for (const XmlElement* port : component.children(component.child(root, "model/ports"), "port"))
    EXPECT_TRUE(outputs.emplace(component.text(port, "name"), component.text(port, "wire/direction") == "out")
                    .second);
  const XmlElement* interfaces = component.child(root, "busInterfaces");
  names_of(component, interfaces, "busInterface");
  for (const XmlElement* bus : component.children(interfaces, "busInterface")) {
    const XmlElement *type = component.child(bus, "busType"),
                     *abstraction = component.child(bus, "abstractionTypes/abstractionType");
    for (const char* key : {"vendor", "library", "version"})
      EXPECT_EQ(IpxactFile::attribute(component.child(abstraction, "abstractionRef"), key),
                IpxactFile::attribute(type, key));
    const std::string name = IpxactFile::attribute(type, "name");
    EXPECT_EQ(IpxactFile::attribute(component.child(abstraction, "abstractionRef"), "name"), name + "_rtl");
    const bool is_initiator = component.child(bus, "initiator");
    const auto known = logical_ports(name);
    const XmlElement* maps = component.child(abstraction, "portMaps");
    names_of(component, maps, "portMap", "logicalPort/name");
    names_of(component, maps, "portMap", "physicalPort/name");
    for (const XmlElement* map : component.children(maps, "portMap")) {
      const std::string logical = component.text(map, "logicalPort/name"),
                        physical = component.text(map, "physicalPort/name");
      ASSERT_TRUE(known.contains(logical)) << name << " has no " << logical;
      ASSERT_TRUE(outputs.contains(physical)) << physical;
      EXPECT_EQ(outputs.at(physical), known.at(logical) != is_initiator) << physical;
    }
  }
}

TEST_P(BlockDescriptionsTest, TheFilesAndViewsOfTheComponentExist) {
  const IpxactFile component(file(".xml"));
  const XmlElement* root = component.root();
  const std::set<std::string> filesets = names_of(component, component.child(root, "fileSets"), "fileSet");
  for (const XmlElement* set : component.children(component.child(root, "fileSets"), "fileSet"))
    for (const std::string& name : names_of(component, set, "file"))
      EXPECT_TRUE(fs::is_regular_file(blocks / GetParam() / name)) << name;
  const XmlElement* instantiations = component.child(root, "model/instantiations");
  const std::set<std::string> names = names_of(component, instantiations, "componentInstantiation");
  for (const XmlElement* view : component.children(component.child(root, "model/views"), "view"))
    EXPECT_TRUE(names.contains(component.text(view, "componentInstantiationRef")));
  for (const XmlElement* each : component.children(instantiations, "componentInstantiation")) {
    EXPECT_EQ(component.text(each, "moduleName"), tree().top);
    for (const std::string& set : names_of(component, each, "fileSetRef", "localName"))
      EXPECT_TRUE(filesets.contains(set)) << set;
    std::map<std::string, std::uint32_t> parameters;
    for (const XmlElement* parameter :
         component.children(component.child(each, "moduleParameters"), "moduleParameter"))
      parameters[IpxactFile::attribute(parameter, "parameterId")] =
          static_cast<std::uint32_t>(component.value(parameter, "value", 0));
    EXPECT_EQ(parameters, tree().parameters);
  }
  for (const XmlElement* port : component.children(component.child(root, "model/ports"), "port"))
    component.value(port, "wire/vectors/vector/left", 0);  // throws if it refers to no parameter
}

TEST_P(BlockDescriptionsTest, TheMemoryMapIsThatOfBlockJson) {
  const IpxactFile component(file(".xml"));
  const XmlElement *root = component.root(), *maps = component.child(root, "memoryMaps");
  std::set<std::string> referenced;
  for (const XmlElement* bus : component.children(component.child(root, "busInterfaces"), "busInterface"))
    if (const XmlElement* ref = component.child(bus, "target/memoryMapRef"))
      referenced.insert(IpxactFile::attribute(ref, "memoryMapRef"));
  EXPECT_EQ(names_of(component, maps, "memoryMap"), referenced);
  const BlockConfig block = tree();
  ASSERT_EQ(maps != nullptr, block.device && !block.device->registers.empty());
  if (!maps) return;
  const XmlElement* addresses = component.child(maps, "memoryMap/addressBlock");
  EXPECT_EQ(component.value(addresses, "baseAddress", -1), 0);
  EXPECT_EQ(Bytes(component.value(addresses, "range", 0)), block.device->size);
  const auto registers = component.children(addresses, "register");
  ASSERT_EQ(registers.size(), block.device->registers.size());
  for (std::size_t i = 0; i < registers.size(); ++i) {
    const BlockRegister& wanted = block.device->registers[i];
    EXPECT_EQ(component.text(registers[i], "name"), wanted.name);
    EXPECT_EQ(component.value(registers[i], "addressOffset", -1), wanted.offset.value);
    EXPECT_EQ(component.value(registers[i], "size", 0), 32);
    const auto fields = component.children(registers[i], "field");
    ASSERT_EQ(fields.size(), std::max<std::size_t>(wanted.fields.size(), 1));
    std::uint64_t reset = 0;
    for (std::size_t f = 0; f < fields.size(); ++f) {
      const BlockField whole{.name = wanted.name, .width = 32};
      const BlockField& field = wanted.fields.empty() ? whole : wanted.fields[f];
      EXPECT_EQ(component.text(fields[f], "name"), field.name);
      EXPECT_EQ(component.value(fields[f], "bitOffset", -1), field.low);
      EXPECT_EQ(component.value(fields[f], "bitWidth", -1), field.width);
      EXPECT_EQ(component.child(fields[f], "resets") != nullptr, wanted.reset_value.has_value());
      reset |= static_cast<std::uint64_t>(component.value(fields[f], "resets/reset/value", 0)) << field.low;
    }
    EXPECT_EQ(reset, wanted.reset_value ? wanted.reset_value->value : 0) << wanted.name;
  }
}

TEST_P(BlockDescriptionsTest, TheTargetsOfTheCoreHaveTheirFilesets) {
  const CoreFile core = CoreFile::load(file(".core"));
  std::set<std::string> used;
  for (const std::string& name : core.names("targets")) {
    const YAML::Node target = core.entry("targets", name);
    for (const YAML::Node& fileset : core.items(target, "filesets")) {
      EXPECT_TRUE(core.entry("filesets", fileset.Scalar()).IsDefined()) << fileset.Scalar();
      used.insert(fileset.Scalar());
    }
    for (const YAML::Node& parameter : core.items(target, "parameters"))
      EXPECT_TRUE(core.entry("parameters", parameter.Scalar()).IsDefined()) << parameter.Scalar();
    EXPECT_EQ(core.text(core.value(target, "toplevel")).text, tree().top);
  }
  for (const std::string& name : core.names("filesets")) {
    EXPECT_TRUE(used.contains(name)) << name;
    const YAML::Node fileset = core.entry("filesets", name);
    const std::string type = core.text(core.value(fileset, "file_type")).text;
    EXPECT_THAT(type, testing::AnyOf("systemVerilogSource", "user"));
    for (const YAML::Node& item : core.items(fileset, "files")) {
      const std::string each = item.IsMap() ? item.begin()->first.Scalar() : item.Scalar();
      EXPECT_TRUE(fs::is_regular_file(blocks / GetParam() / each)) << each;
    }
  }
}

std::vector<std::string> names_of_blocks() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(blocks))
    if (fs::exists(entry.path() / "block.json")) names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Blocks, BlockDescriptionsTest, testing::ValuesIn(names_of_blocks()),
                         [](const auto& each) { return each.param; });

}  // namespace
}  // namespace asterism
