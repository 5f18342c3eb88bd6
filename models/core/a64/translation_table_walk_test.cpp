// The walk against the manual (Arm DDI 0487, D5): which descriptors are read, and what each of them means.
#include "core/a64/translation_table_walk.h"

#include <gtest/gtest.h>

#include <map>
#include <ostream>
#include <vector>

#include "base/parameter_name.h"

namespace asterism::a64 {
namespace {

constexpr std::uint64_t sctlr_m = 1, sctlr_wxn = 1 << 19;
constexpr std::uint64_t tg0_4k = 0, tg0_64k = 1 << 14, tg0_16k = 2 << 14;
constexpr std::uint64_t tg1_16k = 1ull << 30, tg1_4k = 2ull << 30, tg1_64k = 3ull << 30;
constexpr std::uint64_t ips_32 = 0, ips_36 = 1ull << 32, ips_40 = 2ull << 32, ips_44 = 4ull << 32,
                        ips_48 = 5ull << 32;
constexpr std::uint64_t tbi0 = 1ull << 37, tbi1 = 1ull << 38, epd0 = 1 << 7, epd1 = 1 << 23;
constexpr std::uint64_t table = 3, page = 3, block = 1, af = 1 << 10, ap_read_only = 1 << 7, ap_el0 = 1 << 6;
constexpr std::uint64_t uxn = 1ull << 54, pxn = 1ull << 53;
constexpr std::uint64_t ap_table_read_only = 1ull << 62, ap_table_not_el0 = 1ull << 61;
constexpr std::uint64_t uxn_table = 1ull << 60, pxn_table = 1ull << 59;

constexpr std::uint64_t t0sz(unsigned size) { return size; }
constexpr std::uint64_t t1sz(unsigned size) { return size << 16; }

struct Tables : TableMemory {
  std::map<std::uint64_t, std::uint64_t> descriptors;  // no memory answers at other addresses
  std::vector<std::uint64_t> asked;
  std::optional<std::uint64_t> descriptor(std::uint64_t physical) override {
    asked.push_back(physical);
    const auto found = descriptors.find(physical);
    return found == descriptors.end() ? std::nullopt : std::optional(found->second);
  }
};

struct WalkTest : testing::Test {
  SystemRegisters system;
  Tables tables;
  WalkTest() { system.sctlr = sctlr_m, system.tcr = t0sz(16) | t1sz(16) | tg1_4k | ips_48; }

  Walk at(std::uint64_t address) {
    tables.asked.clear();
    return walk(system, address, tables);
  }
  int fault_at(std::uint64_t address) { return at(address).fault.value_or(0xff); }

  // 4 KiB tables at 0x1000, 0x2000, 0x3000 and 0x4000 that lead address 0 to a descriptor at a level.
  void lead_to(unsigned level, std::uint64_t descriptor, std::uint64_t table_attributes = 0) {
    system.ttbr0 = 0x1000;
    tables.descriptors.clear();
    for (unsigned at = 0; at < level; ++at)
      tables.descriptors[0x1000 * (at + 1)] = 0x1000 * (at + 2) | table | table_attributes;
    tables.descriptors[0x1000 * (level + 1)] = descriptor;
  }
};

// ---- which descriptors are read ----

constexpr std::uint64_t indices(std::uint64_t l0, std::uint64_t l1, std::uint64_t l2, std::uint64_t l3,
                                unsigned granule, std::uint64_t offset) {
  const unsigned stride = granule - 3;
  return ((l0 << 3 * stride | l1 << 2 * stride | l2 << stride | l3) << granule) + offset;
}

struct Start {
  const char* name;
  std::uint64_t tcr;
  std::uint64_t address;
  std::vector<std::uint64_t> reads;
  std::uint64_t physical;
};
std::ostream& operator<<(std::ostream& out, const Start& start) { return out << start.name; }

// Tables at 0x10'0000, 0x20'0000, ... in the order of the walk; the last leads to 0x50'0000'0000.
const Start starts[] = {
    // clang-format off
    {"4K, 48 bits", tg0_4k | t0sz(16), indices(1, 2, 3, 4, 12, 0xabc), {0x10'0008, 0x20'0010, 0x30'0018, 0x40'0020}, 0x50'0000'0abc},
    {"4K, 40 bits", tg0_4k | t0sz(24), indices(1, 2, 3, 4, 12, 0xabc), {0x10'0008, 0x20'0010, 0x30'0018, 0x40'0020}, 0x50'0000'0abc},
    {"4K, 39 bits", tg0_4k | t0sz(25), indices(0, 511, 3, 4, 12, 0xfff), {0x10'0ff8, 0x20'0018, 0x30'0020}, 0x50'0000'0fff},
    {"4K, 31 bits", tg0_4k | t0sz(33), indices(0, 1, 3, 4, 12, 0), {0x10'0008, 0x20'0018, 0x30'0020}, 0x50'0000'0000},
    {"4K, 30 bits", tg0_4k | t0sz(34), indices(0, 0, 511, 4, 12, 1), {0x10'0ff8, 0x20'0020}, 0x50'0000'0001},
    {"4K, 25 bits", tg0_4k | t0sz(39), indices(0, 0, 15, 511, 12, 2), {0x10'0078, 0x20'0ff8}, 0x50'0000'0002},
    {"16K, 48 bits", tg0_16k | t0sz(16), indices(1, 2, 3, 4, 14, 0x3abc), {0x10'0008, 0x20'0010, 0x30'0018, 0x40'0020}, 0x50'0000'3abc},
    {"16K, 47 bits", tg0_16k | t0sz(17), indices(0, 2047, 3, 4, 14, 0), {0x10'3ff8, 0x20'0018, 0x30'0020}, 0x50'0000'0000},
    {"16K, 37 bits", tg0_16k | t0sz(27), indices(0, 1, 3, 4, 14, 0), {0x10'0008, 0x20'0018, 0x30'0020}, 0x50'0000'0000},
    {"16K, 36 bits", tg0_16k | t0sz(28), indices(0, 0, 2047, 4, 14, 0), {0x10'3ff8, 0x20'0020}, 0x50'0000'0000},
    {"16K, 26 bits", tg0_16k | t0sz(38), indices(0, 0, 1, 4, 14, 0), {0x10'0008, 0x20'0020}, 0x50'0000'0000},
    {"16K, 25 bits", tg0_16k | t0sz(39), indices(0, 0, 0, 2047, 14, 0), {0x10'3ff8}, 0x50'0000'0000},
    {"64K, 48 bits", tg0_64k | t0sz(16), indices(0, 63, 3, 4, 16, 0xfabc), {0x10'01f8, 0x20'0018, 0x30'0020}, 0x50'0000'fabc},
    {"64K, 43 bits", tg0_64k | t0sz(21), indices(0, 1, 3, 4, 16, 0), {0x10'0008, 0x20'0018, 0x30'0020}, 0x50'0000'0000},
    {"64K, 42 bits", tg0_64k | t0sz(22), indices(0, 0, 8191, 4, 16, 0), {0x10'fff8, 0x20'0020}, 0x50'0000'0000},
    {"64K, 30 bits", tg0_64k | t0sz(34), indices(0, 0, 1, 8191, 16, 0), {0x10'0008, 0x20'fff8}, 0x50'0000'0000},
    {"64K, 29 bits", tg0_64k | t0sz(35), indices(0, 0, 0, 8191, 16, 0), {0x10'fff8}, 0x50'0000'0000},
    {"64K, 25 bits", tg0_64k | t0sz(39), indices(0, 0, 0, 511, 16, 0), {0x10'0ff8}, 0x50'0000'0000},
    // clang-format on
};

struct StartTest : WalkTest, testing::WithParamInterface<Start> {
  void expect(std::uint64_t address) {
    const Start& start = GetParam();
    for (std::size_t at = 0; at < start.reads.size(); ++at)
      tables.descriptors[start.reads[at]] =
          at + 1 == start.reads.size() ? 0x50'0000'0000 | page | af : 0x10'0000 * (at + 2) | table;
    const Walk found = this->at(address);
    EXPECT_EQ(tables.asked, start.reads);
    EXPECT_EQ(found.fault, std::nullopt);
    EXPECT_EQ(found.physical, start.physical);
    EXPECT_EQ(found.level, 3u);
  }
};

TEST_P(StartTest, ReadsTheDescriptorsOfTheLowerHalf) {
  system.tcr = GetParam().tcr | ips_48;
  system.ttbr0 = 0x0012'0000'0010'0000;  // bits 63 to 48 are the ASID
  expect(GetParam().address);
}

TEST_P(StartTest, ReadsTheDescriptorsOfTheUpperHalf) {
  const std::uint64_t tg0 = GetParam().tcr >> 14 & 3, size = GetParam().tcr & 0x3f;
  system.tcr = t1sz(static_cast<unsigned>(size)) |
               (tg0 == 0   ? tg1_4k
                : tg0 == 1 ? tg1_64k
                           : tg1_16k) |
               ips_48;
  system.ttbr1 = 0x10'0000;
  expect(GetParam().address | ~std::uint64_t{0} << (64 - size));
}

INSTANTIATE_TEST_SUITE_P(Granules, StartTest, testing::ValuesIn(starts), ParameterName());

TEST_F(WalkTest, ASmallFirstTableIsAlignedToItsSize) {
  system.tcr = tg0_4k | t0sz(39) | ips_48;  // 16 entries at level 2
  system.ttbr0 = 0x10'00ff;                 // the low 7 bits are not part of the address
  at(0);
  EXPECT_EQ(tables.asked, std::vector<std::uint64_t>{0x10'0080});
}

TEST_F(WalkTest, ATableThatRefersToItselfEndsAtLevel3) {
  system.ttbr0 = 0x1000;
  tables.descriptors[0x1000] = 0x1000 | table | af;
  const Walk found = at(0xabc);
  EXPECT_EQ(tables.asked, (std::vector<std::uint64_t>{0x1000, 0x1000, 0x1000, 0x1000}));
  EXPECT_EQ(found.physical, 0x1abcu);
}

// ---- which addresses have tables at all ----

struct Reach {
  const char* name;
  std::uint64_t tcr, address;
  bool has_tables;
};
std::ostream& operator<<(std::ostream& out, const Reach& reach) { return out << reach.name; }
const Reach reaches[] = {
    {"last of the lower half", t0sz(16), 0x0000'ffff'ffff'ffff, true},
    {"above the lower half", t0sz(16), 0x0001'0000'0000'0000, false},
    {"last of 25 bits", t0sz(39), 0x01ff'ffff, true},
    {"above 25 bits", t0sz(39), 0x0200'0000, false},
    {"first of the upper half", t1sz(16), 0xffff'0000'0000'0000, true},
    {"below the upper half", t1sz(16), 0xfffe'ffff'ffff'ffff, false},
    {"below the upper 25 bits", t1sz(39), 0xffff'ffff'fdff'ffff, false},
    {"T0SZ too small", t0sz(15), 0, false},
    {"T0SZ too large", t0sz(40), 0, false},
    {"T1SZ too small", t1sz(15), ~0ull, false},
    {"EPD0", t0sz(16) | epd0, 0, false},
    {"EPD0 does not concern the upper half", t1sz(16) | epd0, ~0ull, true},
    {"EPD1", t1sz(16) | epd1, ~0ull, false},
    {"EPD1 does not concern the lower half", t0sz(16) | epd1, 0, true},
    {"a tag without TBI0", t0sz(16), 0x5a00'0000'0000'0000, false},
    {"a tag with TBI0", t0sz(16) | tbi0, 0x5a00'0000'0000'0000, true},
    {"a tag with TBI1", t1sz(16) | tbi1, 0x5aff'0000'0000'0000, true},
    {"bit 55 picks TBI1, bit 63 then counts", t1sz(16) | tbi0, 0x5aff'0000'0000'0000, false},
    {"a tag hides no bit below 56", t0sz(16) | tbi0, 0x5a40'0000'0000'0000, false},
    {"with TBI1 bit 55 picks the upper half", t1sz(16) | tbi1, 0x00ff'ffff'ffff'ffff, true},
};
struct ReachTest : WalkTest, testing::WithParamInterface<Reach> {};

TEST_P(ReachTest, HasTablesOrFaultsAtLevel0) {
  system.tcr = GetParam().tcr | tg1_4k | ips_48;
  const Walk found = at(GetParam().address);
  EXPECT_EQ(!tables.asked.empty(), GetParam().has_tables);
  if (!GetParam().has_tables) {
    EXPECT_EQ(found.fault, fault_status::translation + 0);
  }
}
INSTANTIATE_TEST_SUITE_P(Addresses, ReachTest, testing::ValuesIn(reaches), ParameterName());

// ---- what a descriptor means at its level ----

struct Meaning {
  const char* name;
  unsigned level;
  std::uint64_t low_bits;
  int fault;      // 0xff if there is none
  unsigned span;  // if there is no fault
};
std::ostream& operator<<(std::ostream& out, const Meaning& meaning) { return out << meaning.name; }

const Meaning meanings_4k[] = {
    {"invalid at 0", 0, 0b00, 0x04, 0},        {"block at 0", 0, 0b01 | af, 0x04, 0},
    {"reserved at 0", 0, 0b10, 0x04, 0},       {"invalid at 1", 1, 0b00, 0x05, 0},
    {"block at 1", 1, 0b01 | af, 0xff, 30},    {"reserved at 1", 1, 0b10 | af, 0x05, 0},
    {"invalid at 2", 2, 0b00 | af, 0x06, 0},   {"block at 2", 2, 0b01 | af, 0xff, 21},
    {"invalid at 3", 3, 0b00 | af, 0x07, 0},   {"block at 3 is reserved", 3, 0b01 | af, 0x07, 0},
    {"reserved at 3", 3, 0b10 | af, 0x07, 0},  {"page at 3", 3, 0b11 | af, 0xff, 12},
    {"no access flag at 1", 1, 0b01, 0x09, 0}, {"no access flag at 2", 2, 0b01, 0x0a, 0},
    {"no access flag at 3", 3, 0b11, 0x0b, 0},
};
struct MeaningTest : WalkTest, testing::WithParamInterface<Meaning> {};

TEST_P(MeaningTest, IsABlockAPageOrAFault) {
  lead_to(GetParam().level, 0x40'0000'0000 | GetParam().low_bits);
  const Walk found = at(0xabc);
  EXPECT_EQ(found.fault.value_or(0xff), GetParam().fault);
  EXPECT_EQ(found.level, GetParam().level);
  if (!found.fault) {
    EXPECT_EQ(found.span, GetParam().span);
    EXPECT_EQ(found.physical, 0x40'0000'0abcu);
  }
}
INSTANTIATE_TEST_SUITE_P(Of4KiB, MeaningTest, testing::ValuesIn(meanings_4k), ParameterName());

TEST_F(WalkTest, BlocksOf16KiBGranulesAreThoseOfLevel2) {
  system.tcr = tg0_16k | t0sz(17) | ips_48;
  system.ttbr0 = 0x4000;
  tables.descriptors = {{0x4000, 0x8000 | block | af}};
  EXPECT_EQ(fault_at(0), 0x05);
  tables.descriptors = {{0x4000, 0x8000 | table}, {0x8000, 0x1'0200'0000 | block | af}};
  const Walk found = at(0x1ff'ffff);
  EXPECT_EQ(found.physical, 0x1'03ff'ffffu);
  EXPECT_EQ(found.span, 25u);
}

TEST_F(WalkTest, BlocksOf64KiBGranulesAreThoseOfLevel2) {
  system.tcr = tg0_64k | t0sz(16) | ips_48;
  system.ttbr0 = 0x1'0000;
  tables.descriptors = {{0x1'0000, 0x2'0000 | block | af}};
  EXPECT_EQ(fault_at(0), 0x05);
  tables.descriptors = {{0x1'0000, 0x2'0000 | table}, {0x2'0000, 0x6000'0000 | block | af}};
  const Walk found = at(0x1fff'ffff);
  EXPECT_EQ(found.physical, 0x7fff'ffffu);
  EXPECT_EQ(found.span, 29u);
}

TEST_F(WalkTest, ABlockTakesTheRestOfTheAddress) {
  lead_to(1, 0x40'7fff'f000 | block | af);  // bits 29 to 12 are not part of a 1 GiB block's address
  EXPECT_EQ(at(0x3fff'fff8).physical, 0x40'7fff'fff8u);
}

TEST_F(WalkTest, TheContiguousBitIsAHint) {
  lead_to(3, 0x8000'0000 | page | af | 1ull << 52);
  const Walk found = at(0x10);
  EXPECT_EQ(found.physical, 0x8000'0010u);
  EXPECT_EQ(found.span, 12u);
}

// ---- addresses that are too wide ----

TEST_F(WalkTest, ABaseAboveTheOutputSizeIsAnAddressSizeFaultAtLevel0) {
  system.tcr = t0sz(25) | ips_36;
  system.ttbr0 = 1ull << 36;
  EXPECT_EQ(fault_at(0), 0x00);
  EXPECT_TRUE(tables.asked.empty());
}

TEST_F(WalkTest, ATableAboveTheOutputSizeIsAnAddressSizeFaultAtItsLevel) {
  for (unsigned level = 0; level < 3; ++level) {
    lead_to(level, 1ull << 40 | table);
    system.tcr = t0sz(16) | ips_40;
    EXPECT_EQ(fault_at(0), static_cast<int>(level));
    system.tcr = t0sz(16) | ips_44;
    EXPECT_EQ(fault_at(0), static_cast<int>(fault_status::external_abort_on_walk + level + 1));
  }
}

TEST_F(WalkTest, AnAddressSizeFaultComesBeforeAnAccessFlagFault) {
  lead_to(3, 1ull << 32 | page);
  system.tcr = t0sz(16) | ips_32;
  EXPECT_EQ(fault_at(0), 0x03);
  system.tcr = t0sz(16) | ips_36;
  EXPECT_EQ(fault_at(0), 0x0b);
}

TEST_F(WalkTest, NoOutputIsWiderThanTheMachine) {
  lead_to(2, 1ull << 44 | block | af);
  EXPECT_EQ(fault_at(0), 0x02);
  lead_to(2, 1ull << 43 | block | af);
  EXPECT_EQ(at(5).physical, (1ull << 43) + 5);
}

TEST_F(WalkTest, WithoutTheMmuAnAddressIsItsOwn) {
  system = {};
  const Walk found = at(0xfff'ffff'f123);
  EXPECT_EQ(found.physical, 0xfff'ffff'f123u);
  EXPECT_EQ(found.permissions[0], (Permissions{true, true, true}));
  EXPECT_EQ(found.permissions[1], (Permissions{true, true, true}));
  EXPECT_EQ(fault_at(1ull << 44), 0x00);
  EXPECT_EQ(fault_at(~0ull), 0x00);
  EXPECT_EQ(fault_at(0x5a00'0000'0000'1000), 0x00);
  system.tcr = tbi0;
  EXPECT_EQ(at(0x5a00'0000'0000'1000).physical, 0x1000u);
}

// ---- descriptors at addresses without memory ----

TEST_F(WalkTest, ATableWithoutMemoryIsAnExternalAbortAtItsLevel) {
  for (unsigned level = 0; level < 3; ++level) {
    lead_to(level, 0x77'0000 | table);
    EXPECT_EQ(fault_at(0), 0x14 + static_cast<int>(level) + 1);
  }
  system.ttbr0 = 0x88'0000;
  EXPECT_EQ(fault_at(0), 0x14);
}

// ---- permissions ----

constexpr Permissions none{}, r{true, false, false}, rw{true, true, false}, x{false, false, true};
constexpr Permissions rx{true, false, true}, rwx{true, true, true};

struct Rights {
  const char* name;
  std::uint64_t leaf, tables;
  bool wxn;
  Permissions el0, el1;
};
std::ostream& operator<<(std::ostream& out, const Rights& rights) { return out << rights.name; }

const Rights rights[] = {
    // clang-format off
    // The data accesses that AP[2:1] permits, and instruction fetches (tables D5-33 and D5-34).
    {"AP 00",               0,                              0, false, x,    rwx},
    {"AP 00 PXN",           pxn,                            0, false, x,    rw},
    {"AP 00 UXN",           uxn,                            0, false, none, rwx},
    {"AP 00 UXN PXN",       uxn | pxn,                      0, false, none, rw},
    {"AP 01",               ap_el0,                         0, false, rwx,  rw},
    {"AP 01 PXN",           ap_el0 | pxn,                   0, false, rwx,  rw},
    {"AP 01 UXN",           ap_el0 | uxn,                   0, false, rw,   rw},
    {"AP 10",               ap_read_only,                   0, false, x,    rx},
    {"AP 10 PXN",           ap_read_only | pxn,             0, false, x,    r},
    {"AP 10 UXN",           ap_read_only | uxn,             0, false, none, rx},
    {"AP 11",               ap_read_only | ap_el0,          0, false, rx,   rx},
    {"AP 11 PXN",           ap_read_only | ap_el0 | pxn,    0, false, rx,   r},
    {"AP 11 UXN",           ap_read_only | ap_el0 | uxn,    0, false, r,    rx},
    // With WXN, a page that can be written cannot be executed.
    {"WXN AP 00",           0,                              0, true,  x,    rw},
    {"WXN AP 01",           ap_el0,                         0, true,  rw,   rw},
    {"WXN AP 10",           ap_read_only,                   0, true,  x,    rx},
    {"WXN AP 11",           ap_read_only | ap_el0,          0, true,  rx,   rx},
    // What tables take away.
    {"APTable read-only, AP 00", 0,                  ap_table_read_only, false, x,    rx},
    {"APTable read-only, AP 01", ap_el0,             ap_table_read_only, false, rx,   rx},
    {"APTable read-only and WXN", ap_el0,            ap_table_read_only, true,  rx,   rx},
    {"APTable not EL0, AP 01",   ap_el0,             ap_table_not_el0,   false, x,    rwx},
    {"APTable not EL0, AP 11",   ap_read_only | ap_el0, ap_table_not_el0, false, x,   rx},
    {"APTable both, AP 01",      ap_el0, ap_table_read_only | ap_table_not_el0, false, x, rx},
    {"UXNTable, AP 11",          ap_read_only | ap_el0, uxn_table,       false, r,    rx},
    {"PXNTable, AP 11",          ap_read_only | ap_el0, pxn_table,       false, rx,   r},
    {"PXNTable, AP 00",          0,                  pxn_table,          false, x,    rw},
    // clang-format on
};
struct RightsTest : WalkTest, testing::WithParamInterface<Rights> {};

TEST_P(RightsTest, AreThoseOfThePageAndItsTables) {
  const Rights& rights = GetParam();
  if (rights.wxn) system.sctlr |= sctlr_wxn;
  lead_to(3, 0x8000'0000 | page | af | rights.leaf, rights.tables);
  const Walk found = at(0);
  EXPECT_EQ(found.permissions[0], rights.el0);
  EXPECT_EQ(found.permissions[1], rights.el1);
}
INSTANTIATE_TEST_SUITE_P(OfPages, RightsTest, testing::ValuesIn(rights), ParameterName());

TEST_F(WalkTest, OneTableIsEnoughToRemoveAPermission) {
  for (const std::uint64_t at_table : {0x1000, 0x2000, 0x3000}) {
    lead_to(3, 0x8000'0000 | page | af | ap_el0);
    tables.descriptors[at_table] |= ap_table_read_only;
    EXPECT_EQ(at(0).permissions[1], rx) << at_table;
  }
}

// ---- attributes, for PAR_EL1 ----

TEST_F(WalkTest, AttributesAreTheByteOfMairThatThePageNames) {
  system.mair = 0xff'44'04'00'00'00'00'77;
  lead_to(3, 0x8000'0000 | page | af | 7 << 2 | 3 << 8);
  EXPECT_EQ(at(0).attributes, 0xff);
  EXPECT_EQ(at(0).shareability, 3);
  lead_to(
      3, 0x8000'0000 | page | af | 6 << 2 | 3 << 8);  // normal non-cacheable memory is always outer shareable
  EXPECT_EQ(at(0).attributes, 0x44);
  EXPECT_EQ(at(0).shareability, 2);
  lead_to(3, 0x8000'0000 | page | af | 5 << 2);  // a device is outer shareable, too
  EXPECT_EQ(at(0).attributes, 0x04);
  EXPECT_EQ(at(0).shareability, 2);
}

}  // namespace
}  // namespace asterism::a64
