// Each block of rtl/ also has a .core file and an IP-XACT component. They are those that `rtl export` writes,
// obey the rules of their formats, and give the block.json from which they were made.
#include <gmock/gmock.h>
#include <tinyxml2.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "base/temporary_folder.h"
#include "platform/config/config.h"
#include "platform/rtl/block_build.h"
#include "platform/rtl_exchange/block_export.h"
#include "platform/rtl_exchange/block_import.h"
#include "platform/rtl_exchange/ipxact_file.h"
#include "platform/rtl_exchange/port_roles.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

const fs::path blocks = ASTERISM_SOURCE_RTL;

std::string contents_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  EXPECT_TRUE(in) << file;
  return {std::istreambuf_iterator<char>(in), {}};
}

// What block.json says beyond the files, and a .core file does not.
struct Unsaid {
  std::vector<std::string> ports, keys;
};
const std::map<std::string, Unsaid> unsaid_by_core = {
    {"apb_timer", {{"idle_o=idle", "next_event_o=next_event", "state0_o=state", "state1_o=state"}, {}}},
    {"dma_engine", {{"idle_o=idle", "next_event_o=next_event", "state_o=state"}, {}}},
    {"lrg_arbiter", {{"idle_o=idle"}, {"contract=arbiter", "radix=Radix"}}},
    {"matt", {{"idle_o=idle"}, {"contract=matt"}}},
    {"mzm", {{"idle_o=idle"}, {"contract=zone_monitor"}}},
    {"pl031", {{"next_event_o=next_event", "state_o=state", "por_ni=power_on_reset"}, {}}},
    {"rs_codec", {{"idle_o=idle", "decode_i=in.operation", "strong_i=in.mode"}, {"contract=codec"}}},
    {"swizzle_switch", {{"idle_o=idle"}, {"contract=stream_switch", "radix=Radix"}}}};

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

TEST_P(BlockDescriptionsTest, TheCoreGivesWhatItCanSay) {
  const Unsaid& unsaid = unsaid_by_core.at(GetParam());
  ImportRequest request{.file = file(".core"), .out = {}, .overrides = unsaid.keys};
  for (const std::string& port : unsaid.ports) request.ports.push_back(port_claim(port));
  BlockConfig wanted = tree();
  wanted.properties.clear();
  wanted.device = std::nullopt;
  for (BlockPort& port : wanted.ports) port.states.clear();
  EXPECT_EQ(expanded(imported(request)), expanded(wanted));
}

TEST_P(BlockDescriptionsTest, TheTargetWithAssertionsHasThem) {
  const Unsaid& unsaid = unsaid_by_core.at(GetParam());
  ImportRequest request{.file = file(".core"), .out = {}, .target = "assertions", .overrides = unsaid.keys};
  for (const std::string& port : unsaid.ports) request.ports.push_back(port_claim(port));
  BlockConfig wanted = tree();
  wanted.sources.insert(wanted.sources.end(), wanted.properties.begin(), wanted.properties.end());
  EXPECT_EQ(imported(request).sources, wanted.sources);
}

// The sequences of IEEE 1685-2022 for the elements that occur here. ! is required, * repeated.
const std::map<std::string, std::string> sequences = {
    {"component",
     "vendor! library! name! version! displayName shortDescription description typeDefinitions powerDomains "
     "busInterfaces indirectInterfaces channels modes addressSpaces memoryMaps model componentGenerators "
     "choices "
     "fileSets clearboxElements cpus otherClockDrivers resetTypes parameters assertions vendorExtensions"},
    {"busInterfaces", "busInterface!*"},
    {"busInterface",
     "name! displayName shortDescription description busType! abstractionTypes initiator target "
     "connectionRequired bitsInLau bitSteering endianness parameters vendorExtensions"},
    {"abstractionTypes", "abstractionType!*"},
    {"abstractionType", "viewRef* abstractionRef! portMaps"},
    {"portMaps", "portMap!*"},
    {"portMap", "logicalPort! physicalPort!"},
    {"logicalPort", "name! range"},
    {"physicalPort", "name! partSelect subPort*"},
    {"target", "memoryMapRef transparentBridge* fileSetRefGroup*"},
    {"initiator", "addressSpaceRef"},
    {"memoryMaps", "memoryMap!*"},
    {"memoryMap",
     "name! displayName shortDescription description addressBlock!* addressUnitBits shared vendorExtensions"},
    {"addressBlock",
     "name! displayName shortDescription description accessHandles array baseAddress! range! width! usage "
     "volatile accessPolicies parameters register* vendorExtensions"},
    {"register",
     "name! displayName shortDescription description accessHandles array addressOffset! size! volatile "
     "accessPolicies field!* alternateRegisters parameters vendorExtensions"},
    {"accessPolicies", "accessPolicy!*"},
    {"accessPolicy", "modeRef* access vendorExtensions"},
    {"field",
     "name! displayName shortDescription description accessHandles array bitOffset! bitWidth! volatile "
     "resets "
     "fieldAccessPolicies enumeratedValues parameters vendorExtensions"},
    {"resets", "reset!*"},
    {"reset", "value! mask"},
    {"fieldAccessPolicies", "fieldAccessPolicy!*"},
    {"fieldAccessPolicy", "modeRef* access modifiedWriteValue writeValueConstraint readAction readResponse"},
    {"enumeratedValues", "enumeratedValue!*"},
    {"enumeratedValue", "name! displayName shortDescription description value! vendorExtensions"},
    {"model", "views instantiations ports"},
    {"views", "view!*"},
    {"view", "name! displayName shortDescription description envIdentifier* componentInstantiationRef"},
    {"instantiations", "componentInstantiation!*"},
    {"componentInstantiation",
     "name! displayName shortDescription description isVirtual language libraryName packageName "
     "moduleName architectureName configurationName moduleParameters defaultFileBuilder* "
     "fileSetRef* constraintSetRef* clearboxElementRefs parameters vendorExtensions"},
    {"moduleParameters", "moduleParameter!*"},
    {"moduleParameter",
     "name! displayName shortDescription description vectors arrays value! vendorExtensions"},
    {"fileSetRef", "localName! vendorExtensions"},
    {"ports", "port!*"},
    {"port",
     "name! displayName shortDescription description wire! fieldMaps arrays access parameters "
     "vendorExtensions"},
    {"wire",
     "direction! qualifier vectors wireTypeDefs domainTypeDefs signalTypeDefs drivers constraintSets "
     "powerConstraints"},
    {"qualifier", "isAddress isData isClock isReset isValid isInterrupt"},
    {"vectors", "vector!*"},
    {"vector", "left! right!"},
    {"fileSets", "fileSet!*"},
    {"fileSet",
     "name! displayName shortDescription description group* file* defaultFileBuilder* dependency* function* "
     "vendorExtensions"},
    {"file",
     "name! fileType!* isStructural isIncludeFile logicalName exportedName* buildCommand dependency* define* "
     "imageType* description vendorExtensions"}};

void check_sequences(const XmlElement* element) {
  const std::string name(IpxactFile::name_of(element));
  if (name == "vendorExtensions") return;  // of the vendor
  const auto sequence = sequences.find(name);
  if (sequence == sequences.end()) {
    EXPECT_FALSE(element->FirstChildElement()) << name << " in line " << element->GetLineNum();
    return;
  }
  const XmlElement* at = element->FirstChildElement();
  std::istringstream words(sequence->second);
  for (std::string word; words >> word;) {
    const bool repeats = word.ends_with('*'), required = word.find('!') != std::string::npos;
    word.resize(std::min(word.find_first_of("!*"), word.size()));
    int count = 0;
    for (; at && IpxactFile::name_of(at) == word && (repeats || count == 0); at = at->NextSiblingElement())
      ++count;
    EXPECT_TRUE(count > 0 || !required) << name << " in line " << element->GetLineNum() << " needs " << word;
  }
  EXPECT_FALSE(at) << IpxactFile::name_of(at) << " in line " << at->GetLineNum() << " is not in its place";
  for (at = element->FirstChildElement(); at; at = at->NextSiblingElement()) check_sequences(at);
}

TEST_P(BlockDescriptionsTest, TheComponentHasTheSequencesOfItsStandard) {
  const IpxactFile component(file(".xml"));
  check_sequences(component.root());
}

INSTANTIATE_TEST_SUITE_P(Blocks, BlockDescriptionsTest,
                         testing::Values("apb_timer", "dma_engine", "lrg_arbiter", "matt", "mzm", "pl031",
                                         "rs_codec", "swizzle_switch"),
                         [](const auto& each) { return each.param; });

TEST(BlockDescriptionsOfTheTreeTest, EveryBlockIsTested) {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(blocks))
    if (fs::exists(entry.path() / "block.json")) {
      ++count;
      EXPECT_TRUE(unsaid_by_core.contains(entry.path().filename().string())) << entry.path();
    }
  EXPECT_EQ(count, unsaid_by_core.size());
}

}  // namespace
}  // namespace asterism
