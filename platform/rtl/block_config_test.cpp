#include "platform/rtl/block_config.h"

#include <gmock/gmock.h>

#include "platform/config/config.h"

namespace asterism {
namespace {

constexpr const char* example = R"({
  "name": "lrg_arbiter", "contract": "arbiter",
  "sources": ["lrg_arbiter.sv"],
  "properties": ["lrg_arbiter_properties.sv"],
  "top": "lrg_arbiter",
  "parameters": { "Radix": 64 },
  "radix": "Radix",
  "clock": "clk_i",
  "reset": { "port": "rst_ni", "active": "low" },
  "ports": [ { "role": "request", "signal": "request_i" },
             { "role": "grant",   "signal": "grant_o" } ],
  "idle": "idle_o"
})";

// The errors in the description after these overrides.
std::string problems_of(const std::vector<std::string>& overrides) {
  ConfigDocument document = ConfigDocument::parse(example, "block.json");
  for (const std::string& override : overrides) document.apply_override(override);
  Diagnostics problems;
  read_config<BlockConfig>(document, nullptr, problems);
  return problems.text();
}

TEST(BlockConfigTest, TheDescriptionsCoverEveryMember) {
  EXPECT_EQ(description_problem<BlockConfig>(), "");
  EXPECT_EQ(description_problem<BlockPort>(), "");
  EXPECT_EQ(description_problem<BlockReset>(), "");
  EXPECT_EQ(description_problem<BlockAsDevice>(), "");
  EXPECT_EQ(description_problem<BlockRegister>(), "");
  EXPECT_EQ(description_problem<BlockField>(), "");
}

TEST(BlockConfigTest, TheExampleReadsAndWritesBackTheSame) {
  ConfigDocument document = ConfigDocument::parse(example, "block.json");
  Diagnostics problems;
  const auto config = read_config<BlockConfig>(document, nullptr, problems);
  EXPECT_EQ(problems.text(), "");
  EXPECT_EQ(config.contract, BlockContract::arbiter);
  EXPECT_EQ(config.parameters.at("Radix"), 64U);
  EXPECT_EQ(config.reset->cycles, 2U);
  EXPECT_EQ(config.ports.at(1).signal, "grant_o");
  ConfigDocument again = ConfigDocument::parse(expanded(config), "again.json");
  EXPECT_EQ(expanded(read_config<BlockConfig>(again, nullptr, problems)), expanded(config));
  EXPECT_EQ(problems.text(), "");
}

TEST(BlockConfigTest, AnUnknownKeyNamesTheNearest) {
  EXPECT_EQ(problems_of({"sorces=[]"}),
            "command line: error: sorces: unknown key; did you mean \"sources\"?\n");
  EXPECT_EQ(problems_of({"ports.0.signl=a"}),
            "command line: error: ports.0.signl: unknown key; did you mean \"signal\"?\n");
}

TEST(BlockConfigTest, WhichKeysAPortHasDependsOnItsRole) {
  EXPECT_EQ(problems_of({R"(ports.0={"role":"input","signal":"scan_i","value":1})"}), "");
  EXPECT_EQ(problems_of({R"(ports.0={"role":"output","signal":"scan_o","value":1})"}),
            "command line: error: ports.0.value: this key is valid only if role is \"input\", but here it is "
            "\"output\"\n");
  EXPECT_EQ(
      problems_of({R"(ports.0={"role":"stream","direction":"out","valid":"v","ready":"r","data":"d",
                             "last":"l","destination":"e"})"}),
      "command line: error: ports.0.destination: this key is valid only if direction is \"in\", but here it "
      "is \"out\"\n");
}

TEST(BlockConfigTest, ABusNamesItsSignalsButStrobeAndError) {
  const std::string bus = R"("role":"bus","address":"a","select":"s","enable":"e","write":"w",
                             "write_data":"wd","read_data":"rd")";
  EXPECT_EQ(problems_of({"ports.0={" + bus + R"(,"ready":"r"})"}), "");
  EXPECT_EQ(problems_of({"ports.0={" + bus + "}"}),
            "block.json:10:14: error: ports.0.ready: this key is required: the signal PREADY of a bus; for a "
            "stream, "
            "one bit for each input or output that is 1 when the flit is accepted\n");
}

TEST(BlockConfigTest, RadixNamesAParameter) {
  EXPECT_EQ(problems_of({"radix=Width"}),
            "command line: error: radix: expected a value that is the name of one of `parameters`, got "
            "\"Width\"\n");
}

TEST(BlockConfigTest, TheNameIsGoodForAFolder) {
  EXPECT_EQ(problems_of({"name=../up"}),
            "command line: error: name: expected a value that has at most 64 characters, which are letters, "
            "digits, _ and -, got \"../up\"\n");
}

TEST(BlockConfigTest, ThereIsAtLeastOneSource) {
  EXPECT_EQ(problems_of({"sources=[]"}),
            "command line: error: sources: expected a value that names at least one file, and no empty name, "
            "got []\n");
}

// ---- what software sees of a device ----

// The errors of a device with the register and the keys that come after its own.
std::string problems_of_device(const std::string& reg, const std::string& keys = "") {
  return problems_of({"contract=bus_device",
                      "device={\"meaning\": \"a device\", \"registers\": [" + reg + "]" + keys + "}"});
}
std::string refused(const std::string& key, const std::string& rule, const std::string& got) {
  return "command line: error: device." + key + ": expected a value that " + rule + ", got " + got + "\n";
}

TEST(BlockConfigTest, ADeviceListsItsRegisters) {
  EXPECT_EQ(
      problems_of_device(R"({"offset": "0x04", "name": "STATUS", "access": "read_only", "reset_value": "0x10",
                                   "meaning": "its state",
                                   "fields": [{"name": "cause", "low": 4, "width": 2, "meaning": "why",
                                               "values": {"none": 0, "read": 3}}]})",
                         R"(, "size": "8KiB", "compatible": ["acme,device"])"),
      "");
}

TEST(BlockConfigTest, OnlyABusDeviceIsADevice) {
  EXPECT_EQ(
      problems_of({R"(device={"meaning": "a device"})"}),
      "command line: error: device: this key is valid only if contract is \"bus_device\", but here it is "
      "\"arbiter\"\n");
}

TEST(BlockConfigTest, ARegisterHasAWordAndAName) {
  EXPECT_EQ(problems_of_device(R"({"offset": "0x02", "name": "A", "meaning": "m"})"),
            refused("registers.0.offset", "is a multiple of 4: all registers have 32 bits", "\"0x02\""));
  EXPECT_EQ(problems_of_device(R"({"offset": "4", "name": "A", "meaning": "m"})"),
            "command line: error: device.registers.0.offset: expected a word of 32 bits such as "
            "\"0x5449_4d31\", got \"4\"; it does not begin with 0x\n");
  EXPECT_EQ(problems_of_device(R"({"offset": "0x1_0000_0000", "name": "A", "meaning": "m"})"),
            "command line: error: device.registers.0.offset: expected a word of 32 bits such as "
            "\"0x5449_4d31\", got \"0x1_0000_0000\"; it has more than 32 bits\n");
  EXPECT_EQ(problems_of_device(R"({"offset": "0x0", "name": "a-b", "meaning": "m"})"),
            refused("registers.0.name",
                    "consists of capitals, digits and underscores, and begins with a letter", "\"a-b\""));
  EXPECT_EQ(problems_of_device(R"({"offset": "0x0", "name": "A", "meaning": "ends */ here"})"),
            refused("registers.0.meaning", "is one line of ASCII", "\"ends */ here\""));
}

TEST(BlockConfigTest, FieldsAndRegistersDoNotOverlap) {
  const std::string first = R"({"name": "a", "low": 0, "width": 4, "meaning": "m"})";
  const auto with = [&](const std::string& second) {
    return problems_of_device(R"({"offset": "0x0", "name": "A", "meaning": "m", "fields": [)" + first + ", " +
                              second + "]}");
  };
  EXPECT_EQ(with(R"({"name": "b", "low": 4, "meaning": "m"})"), "");
  for (const char* second :
       {R"({"name": "b", "low": 3, "meaning": "m"})", R"({"name": "a", "low": 4, "meaning": "m"})"})
    EXPECT_THAT(with(second), testing::HasSubstr("expected a value that has no name and no bit twice"))
        << second;
  EXPECT_EQ(with(R"({"name": "b", "low": 31, "width": 2, "meaning": "m"})"),
            refused("registers.0.fields.1.width", "ends at bit 31 at the latest", "2"));
  EXPECT_THAT(with(R"({"name": "b", "low": 4, "meaning": "m", "values": {"two": 2}})"),
              testing::HasSubstr("has names in lower case, and numbers that fit in the field"));
  for (const char* second : {R"({"offset": "0x0", "name": "B", "meaning": "m"})",
                             R"({"offset": "0x4", "name": "A", "meaning": "m"})",
                             R"({"offset": "0x1000", "name": "B", "meaning": "m"})"})
    EXPECT_THAT(
        problems_of_device(std::string(R"({"offset": "0x0", "name": "A", "meaning": "m"}, )") + second),
        testing::HasSubstr("has no name and no offset twice, and no register beyond `size`"))
        << second;
}

TEST(BlockConfigTest, AResetValueHasOnesInFieldsOnly) {
  EXPECT_EQ(problems_of_device(R"({"offset": "0x0", "name": "A", "meaning": "m", "reset_value": "0x2",
                                   "fields": [{"name": "a", "low": 0, "meaning": "m"}]})"),
            refused("registers.0.reset_value", "has ones in the fields only", "\"0x2\""));
}

TEST(BlockConfigTest, TheRangeOfADeviceIsWholePages) {
  EXPECT_EQ(problems_of_device("", R"(, "size": "5000B")"),
            refused("size", "is a multiple of 4 KiB", "\"5000B\""));
}

}  // namespace
}  // namespace asterism
