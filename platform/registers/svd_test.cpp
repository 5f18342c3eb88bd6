#include "platform/registers/svd.h"

#include <gmock/gmock.h>

#include <boost/algorithm/string/replace.hpp>

#include "platform/node/listed_node.h"
#include "platform/registers/register_windows.h"
#include "platform/registers/svd_schema.h"

namespace asterism {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const SvdDevice device{"Asterism", "1.2.3", "A node"};
const AddressMap& standard() {
  static const AddressMap map = ListedNode::named("every_device", {"gpu.count=2"}).map;
  return map;
}

std::string text_of(const AddressMap& map) { return svd(device, map); }

const SvdRegister& find(const SvdDocument& document, const std::string& peripheral, const std::string& name) {
  for (const SvdRegister& one : document.registers)
    if (one.peripheral == peripheral && one.name == name) return one;
  throw std::invalid_argument("no register " + peripheral + "." + name);
}

struct Bank : RegisterBank {
  // clang-format off
  Register control{*this, 0x0, "CONTROL", Access::read_write, 0x5, "Less than <1> & \"more\"",
      {{"mode", 0, 2, "How", {{"off", 0}, {"on", 2, "it is"}}},
       {"burst", 8, 4, "Bytes", {}, Field::Kind::not_modelled},
       {"rest", 16, 16, "", {}, Field::Kind::reserved}}};
  Register pending{*this, 0x4, "PENDING", Access::write_one_to_clear, 0, "What happened"};
  Register set{*this, 0x8, "SET", Access::write_one_to_set, 0, "What shall happen"};
  Register size{*this, 0xc, "SIZE", Access::read_only, varies, "Bytes"};
  Register queue{*this, 0x10, "QUEUE", Access::read_only, 0, "Takes one"};
  Register command{*this, 0x14, "COMMAND", Access::write_only, 0, "Does it"};
  Register slots{*this, 0x20, "SLOT", Access::read_write, 7, "Slots", {}, 3};
  Register ids{*this, 0x30, "ID", Access::read_only, 0, "Bytes of the id", {}, 2};
  // clang-format on
  Bank() : RegisterBank("BANK", 4_KiB, "A bank") {
    queue.acts_when_read();
    ids.computed([](unsigned i, Accessor) { return 0x10 + i; });
  }
};

AddressMap map_with(std::shared_ptr<const RegisterBank> bank) {
  return AddressMap({{.name = "nic",
                      .header_name = "NIC",
                      .range = {Address(0x0b05'0000), 4_KiB},
                      .interrupts = {15},
                      .registers = std::move(bank)}});
}

std::string text_of_bank() { return text_of(map_with(std::make_shared<Bank>())); }

TEST(SvdTest, TheStandardMapKeepsTheRulesOfTheSchema) {
  EXPECT_THAT(read_svd(text_of(standard())).problems, IsEmpty());
  EXPECT_THAT(read_svd(text_of(ListedNode::named("standard_map").map)).problems, IsEmpty());
  EXPECT_THAT(read_svd(text_of_bank()).problems, IsEmpty());
}

TEST(SvdTest, EveryRegisterOfTheListsIsAtItsAddress) {
  const SvdDocument document = read_svd(text_of(standard()));
  std::map<std::uint64_t, const SvdRegister*> by_address;
  for (const SvdRegister& one : document.registers) by_address[one.address] = &one;
  std::size_t count = 0;
  for (const MapEntry& entry : standard().entries()) {
    const std::string& name = entry.name;
    if (!entry.registers) continue;
    const bool has_windows = windows_of(*entry.registers).size != 0;
    for (const Register* reg : entry.registers->registers()) {
      for (unsigned i = 0; i < reg->count(); ++i, ++count) {
        const std::uint64_t address = entry.range.first.value() + reg->offset() + i * reg->stride();
        ASSERT_TRUE(by_address.contains(address)) << name << "." << reg->name() << " " << i;
        const SvdRegister& there = *by_address[address];
        EXPECT_EQ(there.peripheral, entry.header_name + (has_windows ? std::to_string(i) : ""));
        EXPECT_EQ(there.description, reg->meaning());
        EXPECT_EQ(there.reset_mask, reg->has_fixed_reset_value() ? 0xffff'ffff : 0) << there.name;
        if (reg->has_fixed_reset_value() && reg->access() != Access::write_only) {
          EXPECT_EQ(there.reset_value, reg->peek(i, first_core)) << there.name;
        }
      }
    }
  }
  EXPECT_EQ(document.registers.size(), count);
}

TEST(SvdTest, FieldsAndTheirValuesAreThoseOfTheList) {
  const SvdRegister status = find(read_svd(text_of(standard())), "DIMM_SSD", "STATUS");
  EXPECT_EQ(status.address, 0x0b02'0008u);
  EXPECT_EQ(status.access, "read-only");
  ASSERT_EQ(status.fields.size(), 3u);
  EXPECT_EQ(status.fields[1].name, "refused");
  EXPECT_EQ(status.fields[1].low, 1u);
  EXPECT_EQ(status.fields[1].width, 1u);
  EXPECT_EQ(status.fields[2].low, 8u);
  EXPECT_EQ(status.fields[2].width, 8u);
  EXPECT_THAT(status.fields[2].values, Contains(std::pair<std::string, std::uint64_t>("worn_out", 8)));
}

TEST(SvdTest, EachGpuIsAPeripheral) {
  const SvdDocument two = read_svd(text_of(standard()));
  EXPECT_EQ(find(two, "GPU0", "STATUS").address, 0x0b03'000cu);
  EXPECT_EQ(find(two, "GPU1", "STATUS").address, 0x0b03'080cu);
  EXPECT_EQ(find(two, "GPU1", "STATUS").fields.size(), 8u);
  const SvdDocument one = read_svd(text_of(ListedNode::named("every_device", {"gpu.count=1"}).map));
  EXPECT_THAT(one.problems, IsEmpty());
  EXPECT_EQ(find(one, "GPU0", "WAITING").read_action, "modify");
  EXPECT_THROW(find(one, "GPU1", "STATUS"), std::invalid_argument);
}

TEST(SvdTest, ArraysHaveADimensionWhereTheyResetAlike) {
  const SvdDocument document = read_svd(text_of_bank());
  EXPECT_EQ(find(document, "NIC", "SLOT2").address, 0x0b05'0028u);
  EXPECT_EQ(find(document, "NIC", "SLOT2").reset_value, 7u);
  EXPECT_EQ(find(document, "NIC", "ID0").reset_value, 0x10u);
  EXPECT_EQ(find(document, "NIC", "ID1").reset_value, 0x11u);
  EXPECT_THAT(text_of_bank(), HasSubstr("<dim>3</dim>"));
  EXPECT_THAT(text_of_bank(), Not(HasSubstr("<dim>2</dim>")));
}

TEST(SvdTest, AnArrayWithGapsMayBeBesideOtherRegisters) {
  struct Channels : RegisterBank {
    Register control{*this, 0x0, "CONTROL", Access::read_write, 0, "Of all"};
    Register start{*this, 0x10, "START", Access::read_write, 3, "Of a channel", {}, 2, 8};
    Channels() : RegisterBank("CHANNELS", 4_KiB, "Channels") {}
  };
  const SvdDocument document = read_svd(text_of(map_with(std::make_shared<Channels>())));
  EXPECT_THAT(document.problems, IsEmpty());
  EXPECT_EQ(find(document, "NIC", "CONTROL").address, 0x0b05'0000u);
  EXPECT_EQ(find(document, "NIC", "START1").address, 0x0b05'0018u);
}

TEST(SvdTest, AccessSaysWhatWritesAndReadsDo) {
  const SvdDocument document = read_svd(text_of_bank());
  const auto of = [&](const char* name) {
    const SvdRegister& one = find(document, "NIC", name);
    return std::vector{one.access, one.modified_write_values, one.read_action};
  };
  EXPECT_THAT(of("CONTROL"), ElementsAre("read-write", "", ""));
  EXPECT_THAT(of("PENDING"), ElementsAre("read-write", "oneToClear", ""));
  EXPECT_THAT(of("SET"), ElementsAre("read-write", "oneToSet", ""));
  EXPECT_THAT(of("QUEUE"), ElementsAre("read-only", "", "modify"));
  EXPECT_THAT(of("COMMAND"), ElementsAre("write-only", "", ""));
  EXPECT_EQ(find(document, "NIC", "SIZE").reset_mask, 0u);
}

TEST(SvdTest, WritesARegisterSo) {
  EXPECT_THAT(text_of_bank(), HasSubstr(R"(        <register>
          <name>CONTROL</name>
          <description>Less than &lt;1&gt; &amp; &quot;more&quot;</description>
          <addressOffset>0x0</addressOffset>
          <access>read-write</access>
          <resetValue>0x00000005</resetValue>
          <fields>
            <field>
              <name>mode</name>
              <description>How</description>
              <bitOffset>0</bitOffset>
              <bitWidth>2</bitWidth>
              <enumeratedValues>
                <enumeratedValue>
                  <name>off</name>
                  <description>off</description>
                  <value>0</value>
                </enumeratedValue>
                <enumeratedValue>
                  <name>on</name>
                  <description>it is</description>
                  <value>2</value>
                </enumeratedValue>
              </enumeratedValues>
            </field>
            <field>
              <name>burst</name>
              <description>Not modelled: Bytes</description>
              <bitOffset>8</bitOffset>
              <bitWidth>4</bitWidth>
            </field>
          </fields>
        </register>
)"));
  EXPECT_EQ(find(read_svd(text_of_bank()), "NIC", "CONTROL").description, "Less than <1> & \"more\"");
}

TEST(SvdTest, InterruptsAreIdsOfTheGic) {
  EXPECT_THAT(text_of(standard()), HasSubstr("<interrupt>\n"
                                             "        <name>RTC</name>\n"
                                             "        <description>SPI 2</description>\n"
                                             "        <value>34</value>\n"
                                             "      </interrupt>\n"));
}

TEST(SvdTest, NamesBecomeIdentifiers) {
  EXPECT_EQ(svd_identifier("checkpoint_node"), "checkpoint_node");
  EXPECT_EQ(svd_identifier("4 cores-\xc3\xa9"), "_4_cores___");
  EXPECT_EQ(svd_identifier(""), "_");
}

// The document of the standard map with one mistake each, which read_svd() must report.
struct Mistake {
  const char* name;
  const char *correct, *wrong;  // `correct` occurs once in the text
  const char* problem;
};
void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.name; }

class SvdSchemaTest : public testing::TestWithParam<Mistake> {};

TEST_P(SvdSchemaTest, FindsTheMistake) {
  const Mistake& mistake = GetParam();
  const std::string text = text_of(standard());
  const std::string wrong = boost::replace_first_copy(text, mistake.correct, mistake.wrong);
  ASSERT_NE(wrong, text);
  EXPECT_THAT(read_svd(wrong).problems, Contains(HasSubstr(mistake.problem)));
}

INSTANTIATE_TEST_SUITE_P(
    Svd, SvdSchemaTest,
    testing::Values(
        Mistake{"CutShort", "</device>", "", "expected"},
        Mistake{"AnotherRoot", "<device schemaVersion=\"1.3\"", "<x/><device schemaVersion=\"1.3\"", "root"},
        Mistake{"NoSchemaVersion", "schemaVersion=\"1.3\" ", "", "attributes"},
        Mistake{"NoVersion", "<version>1.2.3</version>", "", "has 0 times version"},
        Mistake{"TwoNames", "<name>GICD</name>", "<name>GICD</name><name>B</name>", "has 2 times name"},
        Mistake{"AnotherOrder", "<width>32</width>\n  <size>32</size>", "<size>32</size><width>32</width>",
                "width is not expected there"},
        Mistake{"UnknownElement", "<usage>registers</usage>", "<usage>registers</usage><use/>", "use is not"},
        Mistake{"UnknownUsage", "<usage>registers</usage>", "<usage>memory</usage>", "is no usage"},
        Mistake{"NoHexNumber", "<baseAddress>0x0", "<baseAddress>0xg", "is no number"},
        Mistake{"NoIdentifier", "<name>CTLR</name>", "<name>CTLR-1</name>", "is no dimable"},
        Mistake{"EmptyDescription", "<description>A node</description>", "<description></description>",
                "is no string"},
        Mistake{"UnknownAccess", "<access>read-only", "<access>readonly", "is no access"},
        Mistake{"NoDimensionForIndex", "<dim>2</dim>", "", "dim and dimIncrement"},
        Mistake{"DimensionWithoutIndex", "<dim>2</dim>", "<dim>3</dim>", "dimIndex has not dim"},
        Mistake{"FieldOutside", "<bitOffset>24</bitOffset>", "<bitOffset>31</bitOffset>",
                "outside the register"},
        Mistake{"FieldsOverlap", "<bitOffset>24</bitOffset>", "<bitOffset>23</bitOffset>",
                "overlaps a field"},
        Mistake{"FieldTwice", "<name>enable_group1</name>", "<name>enable_group0</name>", "stands twice"},
        Mistake{"ValueTooLarge", "<value>2</value>", "<value>4</value>", "does not fit"},
        Mistake{"RegisterTwice", "<name>TYPER</name>", "<name>CTLR</name>", "CTLR stands twice"},
        Mistake{"RegistersOverlap", "<addressOffset>0x4<", "<addressOffset>0x0<", "overlaps CTLR"},
        Mistake{"RegisterOutside", "<addressOffset>0xd04<", "<addressOffset>0x10000<", "outside the address"},
        Mistake{"RegisterNotAligned", "<addressOffset>0xd04<", "<addressOffset>0xd06<", "not aligned"},
        Mistake{"DerivedFromNothing", "derivedFrom=\"GPU0\"", "derivedFrom=\"GPU9\"",
                "GPU1: has no registers"},
        Mistake{"PeripheralTwice", "<name>GICC</name>", "<name>GICD</name>", "GICD stands twice"},
        Mistake{"PeripheralsOverlap", "<baseAddress>0x08010000", "<baseAddress>0x08000000",
                "overlaps a peripheral"},
        Mistake{"InterruptTwice", "<value>34</value>", "<value>33</value>", "33 stands twice"}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace asterism
